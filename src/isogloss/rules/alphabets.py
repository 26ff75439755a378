"""Which letters are a language's own.

Three levels: `main`, the letters that CLDR lists as the language's own, in both cases; `main+auxiliary`, those of
foreign words too; `script`, every letter of the scripts that the language is written in. Languages without an alphabet
(Chinese, Japanese, Korean, Yi) have only the last. What is no letter of a script is neutral: digits, punctuation,
symbols, marks, and letters that all scripts share.

A letter in a compatibility form (a ligature, an Arabic presentation form) is the language's own if what it stands for
is. A letter that CLDR lists as several characters makes each of them the language's own.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from itertools import chain
from typing import Literal, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from isogloss.exceptions import UsageError
from isogloss.rules.characters import ENCLOSING, characters, data

Level = Literal["main", "main+auxiliary", "script"]
LEVELS: tuple[Level, ...] = get_args(Level)
NATIVE, FOREIGN, ENCLOSES = 0x10, 0x20, 0x40  # beside the class of a code point
CLASS = 0x0F
SEVERAL = {
    "Hans": ("Hani", "Bopo"),
    "Hant": ("Hani", "Bopo"),
    "Jpan": ("Hani", "Hira", "Kana"),
    "Kore": ("Hang", "Hani"),
}
CAPITALS = {"tr": "İ", "az": "İ", "az_Latn": "İ"}  # of the dotted i, which Python's `upper` does not know
FORMER = {"iw": "he", "in": "id", "ji": "yi", "tl": "fil", "mo": "ro", "sh": "sr_Latn", "cmn": "zh", "nb_NO": "nb"}
# Ligatures, digraphs, presentation forms: where letters in a compatibility form stand.
COMPATIBILITY = ((0xAA, 0xBB), (0x132, 0x14A), (0x1C4, 0x1F4), (0x587, 0x588), (0xFB00, 0xFE00), (0xFE70, 0xFEFF))


class Entry(msgspec.Struct, frozen=True):
    """A language as the table has it."""

    script: str
    name: str
    main: str = ""
    auxiliary: str = ""
    main_multi: tuple[str, ...] = ()
    auxiliary_multi: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Alphabet:
    """The letters of a language.

    Args:
        language: its code, such as `uk` or `sr_Latn`.
        level: how wide the alphabet is, `own` where the user gave it.
        script: the code of what it is written in; `Jpan` is Kanji, Hiragana and Katakana.
        scripts: the scripts that its letters belong to.
        flags: (code points,) `NATIVE` or `FOREIGN`, neither for what is neutral; `ENCLOSES` for marks of quotations and
            code; and the class in the low bits.
    """

    language: str
    level: str
    script: str
    scripts: frozenset[str]
    flags: NDArray[np.uint8]

    def is_native(self, letter: str) -> bool:
        """Whether a character is one of the letters."""
        return bool(self.flags[ord(letter)] & NATIVE)

    def is_foreign(self, letter: str) -> bool:
        """Whether a character is a letter, but none of these."""
        return bool(self.flags[ord(letter)] & FOREIGN)


def languages() -> tuple[str, ...]:
    """The codes of all languages that the table has, ascending."""
    return tuple(_table())


def alphabet(language: str, level: Level = "main", letters: str | None = None) -> Alphabet:
    """The alphabet of a language.

    Args:
        language: a code such as `uk`, `uk-UA` or `sr_Latn`; a region that the table does not have is left out.
        level: how wide the alphabet is.
        letters: the letters themselves, in one case or both, instead of those of the table.

    Raises:
        UsageError: for a language that the table does not have, an unknown level, or letters without a letter.
    """
    if level not in LEVELS:
        raise UsageError(f"level is {level!r}, but it is one of: {', '.join(LEVELS)}.")
    code = _known(language, own=letters is not None)
    return _built(code, level, letters)


@cache
def _built(code: str, level: Level, letters: str | None) -> Alphabet:
    entry = _table().get(code, Entry("Zyyy", code))
    own = _own(entry, level, letters) | frozenset(CAPITALS.get(code, "") if letters is None else "")
    table = characters()
    wide = frozenset(SEVERAL.get(entry.script, (entry.script,)))
    scripts = frozenset(filter(None, map(table.script, own))) or wide
    native = table.letters(scripts) if level == "script" or not own else _mask(own)
    flags = table.classes.copy()
    flags[(table.used > 0) | native] |= FOREIGN
    flags[native] ^= NATIVE | FOREIGN
    flags[[ord(mark) for mark in ENCLOSING]] |= ENCLOSES
    script = entry.script if letters is None else "/".join(sorted(scripts))
    return Alphabet(code, level if letters is None else "own", script, scripts, flags)


def _own(entry: Entry, level: Level, letters: str | None) -> frozenset[str]:
    """Letters in both cases; none where the language has only its script."""
    if letters is not None:
        chosen = _cased(character for character in letters if characters().script(character))
        if not chosen:
            raise UsageError("The alphabet has no letter. It is a string of letters, such as 'абвгґдеєж'.")
        return chosen
    listed = [entry.main, *entry.main_multi]
    if level == "main+auxiliary":
        listed += [entry.auxiliary, *entry.auxiliary_multi]
    return _cased(character for character in chain(*listed) if characters().script(character))


def _cased(letters: Iterable[str]) -> frozenset[str]:
    chosen = set(letters)
    for change in (str.upper, str.lower, str.title):
        chosen |= {change(letter) for letter in chosen if len(change(letter)) == 1}
    return frozenset(chosen)


def _mask(own: frozenset[str]) -> NDArray[np.bool_]:
    mask = np.zeros(len(characters().classes), np.bool_)
    mask[[ord(letter) for letter in own]] = True
    for code in chain.from_iterable(range(*limits) for limits in COMPATIBILITY):
        plain = unicodedata.normalize("NFKC", chr(code))
        if characters().used[code] and all(letter in own or not characters().script(letter) for letter in plain):
            mask[code] = True
    return mask


def _known(language: str, *, own: bool) -> str:
    """The code under which the table has a language."""
    code = language.replace("-", "_")
    code = FORMER.get(code, code)
    parts = code.split("_")
    for length in range(len(parts), 0, -1):
        shorter = "_".join([parts[0].lower(), *(part.title() if len(part) == 4 else part for part in parts[1:length])])  # noqa: PLR2004  scripts have four letters
        if shorter in _table():
            return shorter
    if own and code:
        return code
    names = {entry.name.casefold(): code for code, entry in _table().items()}
    close = get_close_matches(language.casefold(), names, n=1, cutoff=0.75)
    hint = f"Is it {names[close[0]]!r} ({close[0].title()})?" if close else "It is a code such as uk, hi or zh."
    raise UsageError(f"There is no alphabet of the language {language!r}. {hint}")


@cache
def _table() -> dict[str, Entry]:
    return msgspec.json.decode(data("alphabets.json"), type=dict[str, Entry])
