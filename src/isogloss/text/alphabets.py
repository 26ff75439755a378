"""Alphabets: which letters belong to a language.

There are three levels: `main`, the letters that CLDR lists for the language, in both cases; `main+auxiliary`, also the
letters of foreign words; `script`, every letter of the scripts that the language is written in. Languages without an
alphabet (Chinese, Japanese, Korean, Yi) have the letters of their scripts at all levels, less at `main` those that they
write rarely: Han in Korean, traditional forms in simplified Chinese, simplified forms in traditional Chinese and in
Japanese, Bopomofo in simplified Chinese. Digits, punctuation, symbols, marks, and letters that all scripts share are
neutral.

A letter in a compatibility form (a ligature, an Arabic presentation form, a full-width letter) belongs to the language
if the letters it stands for do. If CLDR lists a letter as several characters, each of them belongs to the language.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, cached_property, lru_cache
from itertools import chain
from typing import Literal, TypeVar, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from isogloss.errors import UsageError
from isogloss.text.languages import shorten_language_code
from isogloss.text.scripts import (
    IDEOGRAPH,
    KATAKANA,
    QUOTE_CHARACTERS,
    CodePointArray,
    CodePoints,
    Ints,
    Positions,
    load_character_table,
    look_up,
    read_data_file,
)
from isogloss.text.words import CLASS_MASK, ClassArray

AlphabetLevel = Literal["main", "main+auxiliary", "script"]
LEVELS: tuple[AlphabetLevel, ...] = get_args(AlphabetLevel)
NATIVE, FOREIGN, QUOTE_FLAG, COMBINING_FLAG = 0x10, 0x20, 0x40, 0x80  # flags above the class bits of a code point
SCRIPT_MEMBERS = {
    "Hans": ("Hani", "Bopo"),
    "Hant": ("Hani", "Bopo"),
    "Jpan": ("Hani", "Hira", "Kana"),
    "Kore": ("Hang", "Hani"),
}
# Scripts, and forms of ideographs, that are not native at the level `main`, because the language rarely uses them.
AUXILIARY_SCRIPTS = {"Hans": ("Bopo",), "Kore": ("Hani",)}
AUXILIARY_FORMS = {"Hans": "traditional", "Hant": "simplified", "Jpan": "simplified"}
ACCEPTED_SCRIPTS = {"Kore": "Hang"}  # scripts that may be written instead of the code of the writing system: ko_Hang
EXTRA_CAPITALS = {"ı": "İ", "ß": "ẞ"}  # capitals that Python's `upper` does not give
DEPRECATED_CODES = {"iw": "he", "in": "id", "ji": "yi", "tl": "fil", "mo": "ro", "sh": "sr_Latn", "cmn": "zh"}
# Regions whose script is not the usual one of the language, by CLDR's likely subtags.
REGION_CODES = {
    "zh_TW": "zh_Hant",
    "zh_HK": "zh_Hant",
    "zh_MO": "zh_Hant",
    "yue_CN": "yue_Hans",
    "az_RU": "az_Cyrl",
    "pa_PK": "pa_Arab",
    "sd_IN": "sd_Deva",
    "sr_ME": "sr_Latn",
    "uz_AF": "uz_Arab",
    "uz_CN": "uz_Cyrl",
}
# Ranges with letters in a compatibility form, except ideographs and syllables.
COMPATIBILITY_RANGES = (
    *((0xAA, 0x1200), (0x1D2C, 0x212C), (0x2C7C, 0x2D70), (0xA69C, 0xAB6A), (0xFB00, 0xFEFD), (0xFF21, 0xFF5B)),
    *((0x10781, 0x107BB), (0x1E030, 0x1E06E), (0x1EE00, 0x1EEBC)),  # Cyrillic in 0x1E030 to 0x1E06D since Python 3.12
)
# Marks that compose with the letter before them: й, ё, é, Arabic letters with hamza or madda, ऩ, ஔ, ဦ, が.
COMBINING_MARKS = (*range(0x300, 0x346), 0x653, 0x654, 0x655, 0x93C, 0xBD7, 0x102E, 0x1B35, 0x3099, 0x309A, 0x110BA)
Number = TypeVar("Number", bound=np.unsignedinteger)
CACHE_SIZE = 64  # alphabets, a megabyte each
SCRIPT_CODE_LENGTH, REGION_CODE_LENGTH = 4, 2  # letters


class LanguageEntry(msgspec.Struct, frozen=True):
    """Entry of one language in `data/alphabets.json`."""

    script: str
    name: str
    main: str = ""
    auxiliary: str = ""
    main_multi: tuple[str, ...] = ()
    auxiliary_multi: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Alphabet:
    """Letters of a language.

    Args:
        language: language code, such as `uk` or `sr_Latn`.
        level: how wide the alphabet is: `main`, `main+auxiliary`, `script`, or `own` if the user gave the letters.
        script: code of the writing system; `Jpan` is Kanji, Hiragana and Katakana.
        scripts: codes of the scripts that its letters belong to.
        flags: (code points,) `NATIVE` or `FOREIGN` (neither for neutral characters), `QUOTE_FLAG` for marks of
            quotations and code, `COMBINING_FLAG` for marks that make another letter; the low bits hold the character
            class.
    """

    language: str
    level: str
    script: str
    scripts: frozenset[str]
    flags: NDArray[np.uint8]

    def is_native(self, letter: str) -> bool:
        """Check whether a character is a letter of the alphabet."""
        return bool(self.flags[ord(letter)] & NATIVE)

    def is_foreign(self, letter: str) -> bool:
        """Check whether a character is a letter outside the alphabet."""
        return bool(self.flags[ord(letter)] & FOREIGN)

    @cached_property
    def is_unspaced(self) -> bool:
        """Whether no spaces stand between words, as in Chinese and Thai."""
        kinds = self.flags[(self.flags & NATIVE) > 0] & CLASS_MASK
        return bool(np.isin(kinds, (IDEOGRAPH, KATAKANA)).mean() > 1 / 2) if len(kinds) else False

    def is_script_letter(self, letter: str) -> bool:
        """Check whether a character is a letter of the language's scripts."""
        return not self.scripts.isdisjoint(load_character_table().find_scripts(letter))


def list_languages() -> tuple[str, ...]:
    """Return the codes of all known languages, in ascending order."""
    return tuple(_load_table())


def load_alphabet(language: str, level: AlphabetLevel = "main", letters: str | None = None) -> Alphabet:
    """Load the alphabet of a language.

    Args:
        language: language code such as `uk`, `uk-UA` or `sr_Latn`. An unknown region is ignored; a script is accepted
            only if the language is written in it.
        level: how wide the alphabet is.
        letters: the letters, in one case or both, instead of the known ones; None to use the known ones.

    Raises:
        UsageError: if the language or the level is unknown, or if `letters` has no letter.
    """
    if level not in LEVELS:
        raise UsageError(f"Unknown level {level!r}. Choose from {', '.join(LEVELS)}.")
    code = _resolve_code(language, allow_unknown=letters is not None)
    return _build_alphabet(code, level, letters)


@lru_cache(CACHE_SIZE)
def _build_alphabet(code: str, level: AlphabetLevel, letters: str | None) -> Alphabet:
    entry = _load_table().get(code, LanguageEntry("Zyyy", code))
    own = _collect_letters(entry, level, letters)
    table = load_character_table()
    scripts = frozenset(filter(None, map(table.find_script, own))) or _list_scripts(entry.script, level)
    native = table.mask_letters(scripts) if level == "script" or not own else _mark_letters(own)
    if level == "main" and not own:
        native[_list_auxiliary_ideographs(entry.script)] = False
    flags = table.classes.copy()
    flags[(table.script_index > 0) | native] |= FOREIGN
    flags[native] ^= NATIVE | FOREIGN
    flags[[ord(mark) for mark in QUOTE_CHARACTERS]] |= QUOTE_FLAG
    flags[list(COMBINING_MARKS)] |= COMBINING_FLAG
    script = entry.script if letters is None else "/".join(sorted(scripts))
    return Alphabet(code, level if letters is None else "own", script, scripts, flags)


def _list_scripts(code: str, level: AlphabetLevel) -> frozenset[str]:
    """Return the scripts of a writing system.

    At the level `main` the scripts that its languages rarely use are missing.
    """
    every = frozenset(SCRIPT_MEMBERS.get(code, (code,)))
    return every.difference(AUXILIARY_SCRIPTS.get(code, ())) if level == "main" else every


@cache
def _list_auxiliary_ideographs(code: str) -> list[int]:
    """Return the ideographs that the languages of a writing system rarely use."""
    form = AUXILIARY_FORMS.get(code)
    if form is None:
        return []
    variants = dict(line.split(" ") for line in read_data_file("han_variants.txt").splitlines())
    native = variants["japanese"] if code == "Jpan" else ""
    return [ord(letter) for letter in variants[form] if letter not in native]


def _collect_letters(entry: LanguageEntry, level: AlphabetLevel, letters: str | None) -> frozenset[str]:
    """Return the letters of an alphabet in both cases.

    The result is empty if the language has only a script.
    """
    if letters is not None:
        chosen = _add_cases(character for character in letters if load_character_table().find_script(character))
        if not chosen:
            raise UsageError(f"The alphabet {letters!r} has no letter. Give a string of letters, such as 'абвгґдеєж'.")
        return chosen
    listed = [entry.main, *entry.main_multi]
    if level == "main+auxiliary":
        listed += [entry.auxiliary, *entry.auxiliary_multi]
    return _add_cases(character for character in chain(*listed) if load_character_table().find_script(character))


def _add_cases(letters: Iterable[str]) -> frozenset[str]:
    chosen = set(letters)
    chosen |= {capital for small, capital in EXTRA_CAPITALS.items() if small in chosen}
    for change in (str.upper, str.lower, str.title):
        chosen |= {change(letter) for letter in chosen if len(change(letter)) == 1}
    return frozenset(chosen)


def _mark_letters(letters: frozenset[str]) -> NDArray[np.bool_]:
    """Return a mask of code points for these letters: (code points,).

    A code point is marked if it is, or stands for, one of the letters.
    """
    mask = np.zeros(len(load_character_table().classes), np.bool_)
    mask[[ord(letter) for letter in letters]] = True
    mask[[code for code, plain in _list_compatibility_letters() if letters.issuperset(plain)]] = True
    return mask


@cache
def _list_compatibility_letters() -> list[tuple[int, frozenset[str]]]:
    """Return letters in a compatibility form with the letters they stand for."""
    script = load_character_table().find_script
    codes = chain.from_iterable(range(*limits) for limits in COMPATIBILITY_RANGES)
    plain = ((code, unicodedata.normalize("NFKC", chr(code))) for code in codes if script(chr(code)))
    return [(code, frozenset(filter(script, text))) for code, text in plain if text != chr(code)]


def _resolve_code(language: str, *, allow_unknown: bool) -> str:
    """Return the known code that a language code stands for."""
    first, *others = language.replace("-", "_").split("_")
    first = shorten_language_code(first).lower()
    first = DEPRECATED_CODES.get(first, first)
    parts = [first, *map(_normalize_part, others)]
    for length in range(len(parts), 0, -1):
        spelt = "_".join(parts[:length])
        code = REGION_CODES.get(spelt, spelt)
        scripts = {part for part in parts[length:] if len(part) == SCRIPT_CODE_LENGTH and part.isalpha()}
        own = _load_table()[code].script if code in _load_table() else None
        if own is not None and scripts <= {own, ACCEPTED_SCRIPTS.get(own)}:
            return code
    if allow_unknown and language:
        return "_".join(parts)
    raise UsageError(f"Unknown language {language!r}{_suggest_language(language)}")


def _normalize_part(part: str) -> str:
    """Return a script or region in its usual case: `Latn`, `TW`."""
    return {SCRIPT_CODE_LENGTH: part.title(), REGION_CODE_LENGTH: part.upper()}.get(len(part), part)


def _suggest_language(language: str) -> str:
    names = {entry.name.casefold(): code for code, entry in _load_table().items()}
    close = get_close_matches(language.casefold(), names, n=1, cutoff=0.75)
    return f"; did you mean {names[close[0]]} ({close[0].title()})?" if close else ". Give a code such as uk, hi or zh."


@cache
def _load_table() -> dict[str, LanguageEntry]:
    return msgspec.json.decode(read_data_file("alphabets.json"), type=dict[str, LanguageEntry])


LETTER_FLAGS = NATIVE | FOREIGN
MAX_MARKS = 4  # read after a letter; a letter of one code point has at most three
LETTERS_AT_ONCE = 1 << 16  # letters with marks


def flag_characters(alphabet: Alphabet, text: CodePoints) -> ClassArray:
    """Return the flags of each character of a text: (characters,), see `Alphabet.flags`.

    A letter with combining marks counts as the single code point it composes to: `и` with a breve is `й`. If there is
    no such code point, as for a stressed vowel, the mark changes nothing.
    """
    flags = look_up(alphabet.flags, text)
    composes = np.flatnonzero(flags & COMBINING_FLAG)
    letter = composes[composes > 0] - 1  # (letters,) those before a mark
    letter = letter[(flags[letter] & LETTER_FLAGS) > 0]
    for at in range(0, len(letter), LETTERS_AT_ONCE):
        _flag_composed(alphabet, text, flags, letter[at : at + LETTERS_AT_ONCE])
    return flags


def _flag_composed(alphabet: Alphabet, text: CodePoints, flags: ClassArray, letter: Ints) -> None:
    """Correct the flags of letters before marks.

    Args:
        alphabet: the letters of the language.
        text: (characters,) code points.
        flags: (characters,) flags of each code point by itself; those of the letters are changed.
        letter: (letters,) positions.
    """
    composed: CodePointArray = text[letter]
    for mark in range(1, MAX_MARKS + 1):
        if not len(letter):
            break
        composed = _compose_marks(composed, text[letter + mark])
        flags[letter] = (flags[letter] & ~np.uint8(LETTER_FLAGS)) | (alphabet.flags[composed] & LETTER_FLAGS)
        more = letter + mark + 1 < len(text)
        more[more] = (flags[letter[more] + mark + 1] & COMBINING_FLAG) > 0
        letter, composed = letter[more], composed[more]


def _compose_marks(letters: CodePointArray, marks: CodePointArray) -> CodePointArray:
    """Compose letters with the marks after them: (letters,).

    Letters are composed where one code point exists.
    """
    known, which = np.unique(letters.astype(np.int64) << 32 | marks, return_inverse=True)
    return np.array([_compose_pair(chr(pair >> 32), chr(pair & 0xFFFFFFFF)) for pair in known.tolist()], np.uint32)[
        which
    ]


def _compose_pair(letter: str, mark: str) -> int:
    composed = unicodedata.normalize("NFC", letter + mark)
    return ord(composed if len(composed) == 1 else letter)


SPANS_AT_ONCE = 1 << 15


def collect_span_flags(flags: ClassArray, start: Positions, end: Positions) -> ClassArray:
    """Combine the flags of all characters in each span: (spans,).

    Args:
        flags: (characters,) flags of a text.
        start: (spans,) first characters, ascending.
        end: (spans,) characters after the last; each is above its start and is a position in the text.
    """
    return _reduce_spans(np.bitwise_or, flags, start, end, np.uint8)


def count_span_letters(flags: ClassArray, start: Positions, end: Positions) -> NDArray[np.uint32]:
    """Count the letters in each span: (spans,); arguments as for `collect_span_flags`."""
    return _reduce_spans(np.add, ((flags & LETTER_FLAGS) > 0).astype(np.uint8), start, end, np.uint32)


def _reduce_spans(
    combine: np.ufunc, values: ClassArray, start: Positions, end: Positions, kind: type[Number]
) -> NDArray[Number]:
    """Combine the values in each span: (spans,).

    Spans of one value, which are most in Chinese, are only copied.
    """
    found = look_up(values, start).astype(kind, copy=False)
    for at in range(0, len(start), SPANS_AT_ONCE):
        first, last = start[at : at + SPANS_AT_ONCE], end[at : at + SPANS_AT_ONCE]
        more = np.flatnonzero(last - first > 1)
        if len(more):
            edges = np.stack([first[more], last[more]], axis=1).ravel()  # (2 * spans,)
            own = values[edges[0] : edges[-1] + 1]
            found[more + at] = combine.reduceat(own, edges - edges[0], dtype=kind)[::2]
    return found
