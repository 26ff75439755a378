"""Judge tokens: foreign or not, excused or broken, and their script.

The verdict also tells how a token mixes scripts.

Mixtures have letters of the language's scripts and of others:

    homoglyph    letters of one side are among those of the other side and look like them: `Кiев` with a Latin i
    attachment   a foreign word with an affix of the language: `AI의`, `بbulgarian`, `sms'ка`
    glued        any other mixture: `статистическогоdispersion`

An attachment is well-formed: only the foreign word in it decides whether it counts as broken. A word with foreign
letters of the language's own script (`café` in English, `мыло` in Ukrainian) is not a mixture.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import chain, groupby

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.scores import Ints
from isogloss.tasks.code_switching.batches import AnnotatedTexts, ReasonCodes, iterate_marked
from isogloss.tasks.code_switching.reasons import NO_REASON
from isogloss.text.alphabets import (
    FOREIGN,
    NATIVE,
    Alphabet,
    collect_span_flags,
    count_span_letters,
    flag_characters,
)
from isogloss.text.scripts import IDEOGRAPH, KATAKANA, Positions, load_character_table, look_up
from isogloss.text.words import CLASS_MASK, ClassArray

HOMOGLYPH, GLUED, ATTACHMENT = "homoglyph", "glued", "attachment"
MIXTURES = (HOMOGLYPH, GLUED, ATTACHMENT)

# Latin, Cyrillic, Greek and Armenian letters that look the same in common fonts; each word has letters of one shape.
LOOK_ALIKES = """
    AАΑ BВΒ CСϹ DԀ EЕΕ GԌ HНΗ IІӀΙ JЈͿ KКΚ LԼ MМΜϺ NΝ OОΟՕ PРΡ QԚ SЅՏ TТΤ UՍ VѴ WԜ XХΧ YҮУΥ ZΖ ГΓ ПΠ ФΦ
    aаα cсϲ dԁ eе gցɡ hһհ iіι jјϳ kкκ lӏ nո oоοօ pрρ qԛզ sѕ uսυ vѵν wԝ xхχ yуγү ÄӒ ËЁ ÏЇΪ ÖӦ äӓ ëё ïїϊ öӧ ÿӱ
    ŸӰ ĂӐ ăӑ ĔӖ ĕӗ
"""
LETTER_SHAPES = {letter: row[0] for row in LOOK_ALIKES.split() for letter in row}

KOREAN_SUFFIX = (
    "(?:들|님|씨)?(?:은|는|이|가|을|를|의|에|에서|에게|에게서|께|께서|한테|와|과|랑|이랑|로|으로|로서|으로서|로써|으로써|로부터|으로부터"
    "|도|만|만의|만을|까지|부터|처럼|같은|보다|마다|조차|밖에|이나|나|이든|든|이라도|라도|이란|란|이라|라|이라고|라고|이라는|라는"
    "|이며|며|이고|고|이자|이지만|지만|인|인데|이다|이었다|였다|입니다|이었습니다|였습니다|이에요|예요|이죠|죠|적|적인|적으로"
    "|하는|하고|하여|해|해서|하며|한|할|했다|합니다|되는|되어|된|됩니다)(?:도|만|은|는)?"
)
ARABIC_PREFIX = "[وف]?(?:[بكل]?ال|لل|[بكل])?ـ?"
HEBREW_PREFIX = "[וש]{0,2}[הבלמכ]{0,2}"
PERSIAN_SUFFIX = "(?:ها|های|هایی|ی|ای|ام|ات|اش|تر|ترین)"
LANGUAGE_PREFIXES = {"ar": ARABIC_PREFIX, "he": HEBREW_PREFIX}
LANGUAGE_SUFFIXES = {"ko": KOREAN_SUFFIX, "fa": PERSIAN_SUFFIX}
ATTACHING_APOSTROPHES = "'’ʼ"
NO_MATCH = "(?!)"
MIXTURE_CACHE_SIZE = 2**16  # tokens


@lru_cache(maxsize=MIXTURE_CACHE_SIZE)
def classify_mixture(token: str, alphabet: Alphabet) -> str | None:
    """Return the kind of mixture of scripts in a token.

    The kind is None if all letters, or no letters, are of the language's scripts.

    Args:
        token: a token.
        alphabet: the letters of the language.
    """
    runs = _split_runs(unicodedata.normalize("NFC", token), alphabet)
    if len({own for own, _ in runs}) < 2:  # noqa: PLR2004  the two sides
        return None
    if _is_attached(runs, alphabet.language.split("_")[0]):
        return ATTACHMENT
    return HOMOGLYPH if _is_look_alike(runs, alphabet) else GLUED


def _split_runs(token: str, alphabet: Alphabet) -> list[tuple[bool, str]]:
    """Split a token into runs of one side.

    Each run comes with a flag: whether its side is the language's scripts.
    """
    sides: list[bool | None] = []
    for letter in token:
        is_letter = alphabet.is_native(letter) or alphabet.is_foreign(letter)
        before = sides[-1] if sides else None
        sides.append(alphabet.is_native(letter) or alphabet.is_script_letter(letter) if is_letter else before)
    pairs = [(side, letter) for side, letter in zip(sides, token, strict=True) if side is not None]
    return [(side, "".join(letter for _, letter in run)) for side, run in groupby(pairs, key=lambda pair: pair[0])]


def _is_look_alike(runs: list[tuple[bool, str]], alphabet: Alphabet) -> bool:
    """Return whether one side's letters look like the other side's letters.

    All letters of the side must do so. Native letters count only inside the token.
    """
    letters = [(side, letter) for side, run in runs for letter in unicodedata.normalize("NFC", run) if letter.isalpha()]
    foreign = [letter for side, letter in letters if not side]
    if _has_only_shapes(foreign, _list_native_shapes(alphabet)):
        return True
    scripts = {load_character_table().find_script(letter) for letter in foreign}
    inside = not runs[0][0] and not runs[-1][0] and len(scripts) == 1
    return inside and _has_only_shapes([letter for side, letter in letters if side], _list_shapes(scripts.pop()))


def _has_only_shapes(letters: list[str], shapes: frozenset[str]) -> bool:
    return all(LETTER_SHAPES.get(letter) in shapes for letter in letters)


@cache
def _list_native_shapes(alphabet: Alphabet) -> frozenset[str]:
    """Return the shapes of the language's own letters."""
    return frozenset(shape for letter, shape in LETTER_SHAPES.items() if alphabet.is_native(letter))


@cache
def _list_shapes(script: str | None) -> frozenset[str]:
    """Return the shapes of the letters of a script."""
    return frozenset(
        shape for letter, shape in LETTER_SHAPES.items() if load_character_table().find_script(letter) == script
    )


def _is_attached(runs: list[tuple[bool, str]], language: str) -> bool:
    """Return whether a foreign run has an affix of the language.

    An affix is a prefix or a suffix.
    """
    sides = [native for native, _ in runs]
    if sides == [True, False]:
        return re.fullmatch(LANGUAGE_PREFIXES.get(language, NO_MATCH), runs[0][1]) is not None
    if sides != [False, True]:
        return False
    foreign, native = runs[0][1], runs[1][1]
    return (
        foreign[-1] in ATTACHING_APOSTROPHES
        or re.fullmatch(LANGUAGE_SUFFIXES.get(language, NO_MATCH), native) is not None
    )


TokenMask = NDArray[np.bool_]
NO_SCRIPT = 255
UNSPACED_CLASSES = np.isin(np.arange(CLASS_MASK + 1), (IDEOGRAPH, KATAKANA))
OWN_SCRIPT = 0  # stands for all scripts of the language
FOREIGN_KINDS = ("excused", "third_script", "foreign", *MIXTURES)
WRONG_LINE, OTHER_LANGUAGE = "wrong_line", "other_language"  # findings of a language identifier
EXPECTED_SCRIPTS = frozenset({"Latn"})  # scripts other than these and the language's own are third scripts


@dataclass(frozen=True, eq=False)
class TokenVerdicts:
    """Verdicts on the tokens of a batch.

    Args:
        batch: the texts.
        alphabet: the letters of the language.
        flags: (characters,) flags of each character by the alphabet.
        by_character: whether a token counts as often as it has letters.
    """

    batch: AnnotatedTexts
    alphabet: Alphabet
    flags: ClassArray
    by_character: bool = False

    @classmethod
    def from_batch(cls, batch: AnnotatedTexts, alphabet: Alphabet, *, by_character: bool = False) -> TokenVerdicts:
        """Judge the tokens of a batch.

        The alphabet of the batch takes precedence.
        """
        own = batch.alphabet or alphabet
        flags = flag_characters(own, batch.text) if batch.flags is None else batch.flags
        return cls(batch, own, flags, by_character)

    @cached_property
    def weight(self) -> NDArray[np.uint32] | None:
        """(tokens,) how often each token counts.

        It is the number of its letters, 1 without letters; None if each counts once.
        """
        if not self.by_character:
            return None
        tokens = self.batch.tokens
        return np.maximum(count_span_letters(self.flags, tokens.start, tokens.end), 1)

    @property
    def begins_finding(self) -> TokenMask:
        """(tokens,) whether a finding begins with each token.

        A run of foreign letters is one finding, also in a script in which each letter is a token, unless their kinds or
        reasons differ. Words that mix scripts are findings of their own.
        """
        tokens, kind, reason = self.batch.tokens, self.kind_code, self.reason_code
        begins = kind >= 0
        for before in iterate_marked(begins[1:]):
            at = before + 1
            joins = (kind[at] == kind[before]) & (kind[at] < len(FOREIGN_KINDS) - len(MIXTURES))
            joins &= (reason[at] == reason[before]) & (tokens.start[at] == tokens.end[before])
            for side in (before, at):
                joins &= UNSPACED_CLASSES[self.flags[tokens.start[side]] & CLASS_MASK]
            begins[at[joins]] = False
        return begins

    def find_last_token(self, first: int, begins: TokenMask) -> int:
        """Return the last token of the finding that begins with a token.

        Args:
            first: a token with which a finding begins.
            begins: `begins_finding`.
        """
        last = first
        while last + 1 < len(begins) and not begins[last + 1] and self.kind_code[last + 1] >= 0:
            last += 1
        return last

    @cached_property
    def _token_flags(self) -> ClassArray:
        """(tokens,) flags of all characters of each token."""
        if self.batch.token_flags is not None:
            return self.batch.token_flags
        return collect_span_flags(self.flags, self.batch.tokens.start, self.batch.tokens.end)

    @property
    def has_letter(self) -> TokenMask:
        """(tokens,) whether each token has a letter; tokens without letters are neutral."""
        return _mark_flagged(self._token_flags, NATIVE | FOREIGN)

    @property
    def foreign(self) -> TokenMask:
        """(tokens,) whether each token has a foreign letter."""
        return _mark_flagged(self._token_flags, FOREIGN)

    @property
    def has_mixed_letters(self) -> TokenMask:
        """(tokens,) whether each token has foreign letters and letters of the language."""
        mixed = self.foreign
        mixed &= _mark_flagged(self._token_flags, NATIVE)
        return mixed

    @property
    def reason_code(self) -> ReasonCodes:
        """(tokens,) first reason of each foreign token, `NO_REASON` for others."""
        return self.batch.reasons

    @property
    def unexcused_mask(self) -> TokenMask:
        """(tokens,) whether each token is foreign and not excused."""
        free: TokenMask = self.reason_code == NO_REASON
        return self.foreign & free

    @cached_property
    def script(self) -> NDArray[np.uint8]:
        """(tokens,) `OWN_SCRIPT`, or position of another script in `CharacterTable.script_sets`.

        It is `NO_SCRIPT` without letters.
        """
        script = np.where(self.has_letter, np.uint8(OWN_SCRIPT), np.uint8(NO_SCRIPT))
        table = load_character_table()
        own = np.array([not self.alphabet.scripts.isdisjoint(scripts) for scripts in table.script_sets])
        for at in iterate_marked(self.foreign):
            used = table.script_index[self.batch.text[self._find_first_foreign(at)]]
            script[at] = np.where(own[used], OWN_SCRIPT, used)
        return script

    def _find_first_foreign(self, tokens: Ints) -> Positions:
        """Return the first foreign letter of each of these tokens: (these tokens,).

        Args:
            tokens: foreign tokens, ascending, at least one.
        """
        first = self.batch.tokens.start[tokens]
        later = np.flatnonzero(self.flags[first] & FOREIGN == 0)
        if len(later):
            low = int(first[later[0]])
            foreign = (self.flags[low : self.batch.tokens.end[tokens[-1]]] & FOREIGN).tobytes()
            first[later] = [low + foreign.find(FOREIGN, place - low) for place in first[later].tolist()]
        return first

    @cached_property
    def kind_code(self) -> NDArray[np.int8]:
        """(tokens,) position in `FOREIGN_KINDS` of each foreign token, -1 for others.

        Mixtures take precedence.
        """
        foreign = self.foreign
        kind = np.full(len(foreign), -1, np.int8)
        if not foreign.any():
            return kind
        kind[foreign] = FOREIGN_KINDS.index("foreign")
        del foreign  # a text may have millions of tokens, and each mask a byte for each
        third = np.zeros(NO_SCRIPT + 1, np.bool_)
        for at, scripts in enumerate(load_character_table().script_sets):
            third[at] = at != OWN_SCRIPT and bool(scripts) and EXPECTED_SCRIPTS.isdisjoint(scripts)
        kind[look_up(third, self.script)] = FOREIGN_KINDS.index("third_script")
        kind[self.reason_code != NO_REASON] = FOREIGN_KINDS.index("excused")
        for at in chain.from_iterable(map(np.ndarray.tolist, iterate_marked(self.has_mixed_letters))):
            mixture = classify_mixture(self.get_text(at), self.alphabet)
            if mixture is not None:
                kind[at] = FOREIGN_KINDS.index(mixture)
        return kind

    def get_text(self, token: int) -> str:
        """Return the text of a token."""
        tokens = self.batch.tokens
        return self.batch.get_text(slice(tokens.start[token], tokens.end[token]))


def _mark_flagged(flags: ClassArray, flag: int) -> TokenMask:
    """Return whether each token has one of the flags: (tokens,)."""
    common = flags & np.uint8(flag)
    flagged: TokenMask = np.not_equal(common, 0, out=common.view(np.bool_))  # a text may have millions of tokens
    return flagged
