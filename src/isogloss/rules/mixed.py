"""Words that mix scripts: what kind of mixture a token with letters of the language's scripts and of others is.

    homoglyph    letters of one side stand among those of the other, and look like letters of it: `Кiев` with a Latin i
    attachment   a foreign word with an affix of the language: `AI의`, `بbulgarian`, `sms'ка`
    glued        any other: `статистическогоdispersion`

An attachment is well-formed; whether it counts as broken depends on the foreign word in it alone. A word with foreign
letters of the language's own script (`café` in English, `мыло` in Ukrainian) is no mixture.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from itertools import groupby

from isogloss.rules.alphabets import Alphabet
from isogloss.rules.characters import characters

HOMOGLYPH, GLUED, ATTACHMENT = "homoglyph", "glued", "attachment"
MIXTURES = (HOMOGLYPH, GLUED, ATTACHMENT)

# Letters of Latin, Cyrillic, Greek and Armenian that look the same in common fonts, a row a shape.
LOOK_ALIKES = """
    AАΑ BВΒ CСϹ DԀ EЕΕ GԌ HНΗ IІӀΙ JЈͿ KКΚ LԼ MМΜϺ NΝ OОΟՕ PРΡ QԚ SЅՏ TТΤ UՍ VѴ WԜ XХΧ YҮУΥ ZΖ ГΓ ПΠ ФΦ
    aаα cсϲ dԁ eе gցɡ hһհ iіι jјϳ kкκ lӏ nո oоοօ pрρ qԛզ sѕ uսυ vѵν wԝ xхχ yуγү ÄӒ ËЁ ÏЇΪ ÖӦ äӓ ëё ïїϊ öӧ ÿӱ
    ŸӰ ĂӐ ăӑ ĔӖ ĕӗ
"""
SHAPES = {letter: row[0] for row in LOOK_ALIKES.split() for letter in row}

KOREAN = (
    "(?:들|님|씨)?(?:은|는|이|가|을|를|의|에|에서|에게|에게서|께|께서|한테|와|과|랑|이랑|로|으로|로서|으로서|로써|으로써|로부터|으로부터"
    "|도|만|만의|만을|까지|부터|처럼|같은|보다|마다|조차|밖에|이나|나|이든|든|이라도|라도|이란|란|이라|라|이라고|라고|이라는|라는"
    "|이며|며|이고|고|이자|이지만|지만|인|인데|이다|이었다|였다|입니다|이었습니다|였습니다|이에요|예요|이죠|죠|적|적인|적으로"
    "|하는|하고|하여|해|해서|하며|한|할|했다|합니다|되는|되어|된|됩니다)(?:도|만|은|는)?"
)
ARABIC = "[وف]?(?:[بكل]?ال|لل|[بكل])?ـ?"
HEBREW = "[וש]{0,2}[הבלמכ]{0,2}"
PERSIAN = "(?:ها|های|هایی|ی|ای|ام|ات|اش|تر|ترین)"
BEFORE = {"ar": ARABIC, "he": HEBREW}
AFTER = {"ko": KOREAN, "fa": PERSIAN}
APOSTROPHES = "'’ʼ"
NOTHING = "(?!)"
KEPT = 2**16  # tokens whose kind is remembered


@lru_cache(maxsize=KEPT)
def mixture(token: str, alphabet: Alphabet) -> str | None:
    """The kind of mixture; None for a token whose letters are all of the language's scripts, or none of them."""
    runs = _runs(unicodedata.normalize("NFC", token), alphabet)
    if len({own for own, _ in runs}) < 2:  # noqa: PLR2004  the two sides
        return None
    if _is_attached(runs, alphabet.language.split("_")[0]):
        return ATTACHMENT
    return HOMOGLYPH if _look_alike(runs, alphabet) else GLUED


def _runs(token: str, alphabet: Alphabet) -> list[tuple[bool, str]]:
    """Whether each run of letters is of the language's scripts, and the run, with the marks and signs that follow."""
    sides: list[bool | None] = []
    for letter in token:
        is_letter = alphabet.is_native(letter) or alphabet.is_foreign(letter)
        before = sides[-1] if sides else None
        sides.append(alphabet.is_native(letter) or alphabet.has_script_of(letter) if is_letter else before)
    pairs = [(side, letter) for side, letter in zip(sides, token, strict=True) if side is not None]
    return [(side, "".join(letter for _, letter in run)) for side, run in groupby(pairs, key=lambda pair: pair[0])]


def _look_alike(runs: list[tuple[bool, str]], alphabet: Alphabet) -> bool:
    """Whether all letters of a side look like letters of the other side; the language's own only inside."""
    letters = [(side, letter) for side, run in runs for letter in unicodedata.normalize("NFC", run) if letter.isalpha()]
    foreign = [letter for side, letter in letters if not side]
    if _all_look_like(foreign, _native_shapes(alphabet)):
        return True
    scripts = {characters().script(letter) for letter in foreign}
    inside = not runs[0][0] and not runs[-1][0] and len(scripts) == 1
    return inside and _all_look_like([letter for side, letter in letters if side], _shapes(scripts.pop()))


def _all_look_like(letters: list[str], shapes: frozenset[str]) -> bool:
    return all(SHAPES.get(letter) in shapes for letter in letters)


@cache
def _native_shapes(alphabet: Alphabet) -> frozenset[str]:
    """The shapes that the language's own letters have."""
    return frozenset(shape for letter, shape in SHAPES.items() if alphabet.is_native(letter))


@cache
def _shapes(script: str | None) -> frozenset[str]:
    """The shapes that letters of a script have."""
    return frozenset(shape for letter, shape in SHAPES.items() if characters().script(letter) == script)


def _is_attached(runs: list[tuple[bool, str]], language: str) -> bool:
    """Whether one foreign run has an affix of the language before it, after it, or behind an apostrophe."""
    sides = [native for native, _ in runs]
    if sides == [True, False]:
        return re.fullmatch(BEFORE.get(language, NOTHING), runs[0][1]) is not None
    if sides != [False, True]:
        return False
    foreign, native = runs[0][1], runs[1][1]
    return foreign[-1] in APOSTROPHES or re.fullmatch(AFTER.get(language, NOTHING), native) is not None
