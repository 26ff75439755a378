"""Normalise names and translations, and find names in translations.

The characters around a found name are classified, too.

Each normalisation includes the ones above it:

    none           case folding only, as in the official scorer
    nfc            canonical composition
    nfkc           compatibility composition: widths, ligatures, presentation forms
    nfkc-quotes    quotation marks, apostrophes and dashes, each unified
    no-space       no white space
    letters        letters, marks and digits only

No normalisation strips marks: in Thai, Hindi and Japanese kana this would make different words equal.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from isogloss.errors import UsageError
from isogloss.tasks.entity_translation.batches import AcceptedTranslation

Fold = Callable[[str], str]
_SINGLE_QUOTES, _DOUBLE_QUOTES = (
    "\u2018\u2019\u201a\u201b\u2032\u02bc\u02b9\u0060\u00b4\u05f3",
    "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300c\u300d\u300e\u300f\u05f4",
)
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2e3a\u2e3b"
_QUOTES = str.maketrans(
    dict.fromkeys(_SINGLE_QUOTES, "'")
    | dict.fromkeys(_DOUBLE_QUOTES, '"')
    | dict.fromkeys(_DASHES, "-")
    | {"\u2034": "'''"},
)


class _LetterTable(dict[int, int | None]):
    """A table for `str.translate` that keeps letters, marks and digits.

    It is filled on demand.
    """

    def __missing__(self, code: int) -> int | None:
        self[code] = code if unicodedata.category(chr(code))[0] in "LMN" else None
        return self[code]


_LETTERS = _LetterTable()


def make_fold(name: str) -> Fold:
    """Return the function that normalises a text.

    Args:
        name: a key of `FOLDS`, such as `nfkc`.

    Raises:
        UsageError: if there is no such normalisation.
    """
    if name not in FOLDS:
        raise UsageError(f"Unknown normalize {name!r}. Choose from {', '.join(FOLDS)}.")
    return FOLDS[name]


def _compose(text: str, form: Literal["NFC", "NFKC"]) -> str:
    """Compose and fold a text twice.

    Folding can decompose a text, and composing can produce a capital.
    """
    once = unicodedata.normalize(form, text).casefold()
    return unicodedata.normalize(form, once).casefold()


_fold_nfc = partial(_compose, form="NFC")
_fold_nfkc = partial(_compose, form="NFKC")


def _fold_quotes(text: str) -> str:
    return _fold_nfkc(text.translate(_QUOTES)).translate(_QUOTES)


def _fold_spaces(text: str) -> str:
    return "".join(_fold_quotes(text).split())


def fold_letters(text: str) -> str:
    """Return the folded letters, marks and digits of a text."""
    return _fold_quotes(text).translate(_LETTERS)


CASEFOLD: Fold = str.casefold
# Digits, spaces, punctuation of ASCII, and scripts from Hebrew to Myanmar, of kana and of East Asia. No character of
# them changes when it is case-folded, and no other one becomes one of them.
_CASELESS = re.compile("[ -@\\[-`{-~\u0590-\u109f\u3000-\ua63f\uac00-\ud7ff\uf900-\ufaff]*")


def is_caseless(name: str) -> bool:
    """Return whether case folding leaves the search for a name unchanged.

    If so, a text contains the name if and only if the case-folded text contains the case-folded name.
    """
    return _CASELESS.fullmatch(name) is not None


FOLDS: Mapping[str, Fold] = {
    "none": CASEFOLD,
    "nfc": _fold_nfc,
    "nfkc": _fold_nfkc,
    "nfkc-quotes": _fold_quotes,
    "no-space": _fold_spaces,
    "letters": fold_letters,
}

NameBoundary = Literal["clear", "attached", "unspaced"]
BOUNDARIES: tuple[NameBoundary, ...] = ("clear", "attached", "unspaced")
UNSPACED_BLOCKS = (  # scripts without spaces between words
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),
    (0x3040, 0x30FF),  # kana
    (0x3400, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)


@dataclass(frozen=True)
class Match:
    """An accepted name in a translation.

    Args:
        target: position of the name among the targets.
        mention: the name, spelled as in the reference.
        start: first code point in the translation.
        end: code point after the last.
        boundary: `clear` if no letter is next to the name; `attached` if one is, as in an inflected form, a compound or
            another word; `unspaced` if such letters are of a script without spaces, which shows no boundary.
    """

    target: int
    mention: str
    start: int
    end: int
    boundary: NameBoundary


def find_first_match(
    targets: Sequence[AcceptedTranslation],
    answer: str,
    fold: Fold,
    *,
    empty: bool = False,
) -> Match | None:
    """Find an accepted name in a translation.

    It is the longest name at the place of the first target found.

    Args:
        targets: accepted translations.
        answer: the translation.
        fold: normalises texts before they are compared.
        empty: whether an empty name counts as a name; every translation contains it.

    Returns:
        The name, or None if there is none.
    """
    folded = fold(answer)
    names = [fold(target.mention) for target in targets]
    for k, name in enumerate(names):
        at = folded.find(name) if name or empty else -1
        if at >= 0:
            longest, begin = _find_longest(names, folded, k, at)
            start, end = _map_to_original(answer, fold, begin, begin + len(names[longest]))
            return Match(longest, targets[longest].mention, start, end, classify_boundary(answer, start, end))
    return None


def _find_longest(names: Sequence[str], folded: str, first: int, at: int) -> tuple[int, int]:
    """Return the longest name overlapping the first found, and its start."""
    low, high = at, at + len(names[first])
    best, begin = first, at
    for k, name in enumerate(names):
        if len(name) > len(names[best]):
            place = folded.find(name, max(0, high - len(name)), low + len(name))
            if place >= 0:
                best, begin = k, place
    return best, begin


def _map_to_original(answer: str, fold: Fold, start: int, end: int) -> tuple[int, int]:
    """Map a span of the folded text to the original.

    Marks composed with a letter stay with it.
    """
    reach = [len(fold(answer[:length])) for length in range(len(answer) + 1)]
    low = bisect_right(reach, start) - 1
    high = max(low, bisect_left(reach, end))
    while low < high < len(answer) and reach[high + 1] == end and unicodedata.combining(answer[high]):
        high += 1
    return low, high


def classify_boundary(answer: str, start: int, end: int) -> NameBoundary:
    """Return whether letters touch a span of a text."""
    beside = [
        (inner, outer)
        for inner, outer in (
            (answer[start : start + 1], answer[start - 1 : start]),
            (answer[end - 1 : end], answer[end : end + 1]),
        )
        if outer and inner and _is_word_character(inner) and _is_word_character(outer)
    ]
    if not beside:
        return "clear"
    return "unspaced" if all(_is_unspaced(inner) or _is_unspaced(outer) for inner, outer in beside) else "attached"


def _is_word_character(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN"


def _is_unspaced(character: str) -> bool:
    return any(low <= ord(character) <= high for low, high in UNSPACED_BLOCKS)
