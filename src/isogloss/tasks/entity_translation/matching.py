"""In which form names and translations are compared. Each form but the first includes the one before it.

    none           case folding alone, as the official scorer has it
    nfc            canonical composition
    nfkc           compatibility composition: widths, ligatures, presentation forms
    nfkc-quotes    quotation marks, apostrophes and dashes of one kind are alike
    no-space       without white space
    letters        letters, marks and digits only

Marks are never stripped: that would make different words of Thai, Hindi or Japanese kana alike.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from isogloss.errors import UsageError
from isogloss.tasks.entity_translation.batches import AcceptedTranslation

Fold = Callable[[str], str]
_SINGLE, _DOUBLE = (
    "\u2018\u2019\u201a\u201b\u2032\u02bc\u02b9\u0060\u00b4\u05f3",
    "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300c\u300d\u300e\u300f\u05f4",
)
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2e3a\u2e3b"
_QUOTES = str.maketrans(
    dict.fromkeys(_SINGLE, "'") | dict.fromkeys(_DOUBLE, '"') | dict.fromkeys(_DASHES, "-") | {"\u2034": "'''"},
)


class _Kept(dict[int, int | None]):
    """What `str.translate` keeps: letters, marks and digits; found when first asked for."""

    def __missing__(self, code: int) -> int | None:
        self[code] = code if unicodedata.category(chr(code))[0] in "LMN" else None
        return self[code]


_KEPT = _Kept()


def folding(name: str) -> Fold:
    """What turns a text into the form in which it is compared.

    Raises:
        UsageError: there is no such form.
    """
    if name not in FORMS:
        raise UsageError(f"Unknown normalize {name!r}. Choose from {', '.join(FORMS)}.")
    return FORMS[name]


def _composed(text: str, form: Literal["NFC", "NFKC"]) -> str:
    """Folding may take a composed text apart, and composing may bring a capital in, so that both are done twice."""
    once = unicodedata.normalize(form, text).casefold()
    return unicodedata.normalize(form, once).casefold()


_nfc = partial(_composed, form="NFC")
_nfkc = partial(_composed, form="NFKC")


def _quotes(text: str) -> str:
    return _nfkc(text.translate(_QUOTES)).translate(_QUOTES)


def _no_space(text: str) -> str:
    return "".join(_quotes(text).split())


def letters(text: str) -> str:
    """Letters, marks and digits, folded."""
    return _quotes(text).translate(_KEPT)


CASEFOLD: Fold = str.casefold
FORMS: Mapping[str, Fold] = {
    "none": CASEFOLD,
    "nfc": _nfc,
    "nfkc": _nfkc,
    "nfkc-quotes": _quotes,
    "no-space": _no_space,
    "letters": letters,
}

Boundary = Literal["clear", "attached", "unspaced"]
BOUNDARIES: tuple[Boundary, ...] = ("clear", "attached", "unspaced")
UNSPACED = (  # blocks of scripts that put no space between words
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
        mention: the name as the reference has it.
        start: first code point in the translation.
        end: code point after the last.
        boundary: `clear` without a letter beside it; `attached` with one: an ending, a compound, or another word;
            `unspaced` where the letter is of a script without spaces between words, so that nothing can be told.
    """

    target: int
    mention: str
    start: int
    end: int
    boundary: Boundary


def first_match(
    targets: Sequence[AcceptedTranslation],
    answer: str,
    fold: Fold,
    *,
    empty: bool = False,
) -> Match | None:
    """The name in a translation; None where there is none.

    Args:
        targets: accepted translations.
        answer: the translation.
        fold: the form in which they are compared.
        empty: whether an empty name counts as one, which is in every translation.
    """
    folded = fold(answer)
    names = [fold(target.mention) for target in targets]
    for k, name in enumerate(names):
        at = folded.find(name) if name or empty else -1
        if at >= 0:
            longest, begin = _longest(names, folded, k, at)
            start, end = _place(answer, fold, begin, begin + len(names[longest]))
            return Match(longest, targets[longest].mention, start, end, boundary(answer, start, end))
    return None


def _longest(names: Sequence[str], folded: str, first: int, at: int) -> tuple[int, int]:
    """The longest name over the place of the first, and where it begins."""
    low, high = at, at + len(names[first])
    best, begin = first, at
    for k, name in enumerate(names):
        if len(name) > len(names[best]):
            found = folded.find(name, max(0, high - len(name)), low + len(name))
            if found >= 0:
                best, begin = k, found
    return best, begin


def _place(answer: str, fold: Fold, start: int, end: int) -> tuple[int, int]:
    """Code points of the folded text as code points of the text; marks composed with a letter stay with it."""
    reach = [len(fold(answer[:length])) for length in range(len(answer) + 1)]
    low = bisect_right(reach, start) - 1
    high = max(low, bisect_left(reach, end))
    while low < high < len(answer) and reach[high + 1] == end and unicodedata.combining(answer[high]):
        high += 1
    return low, high


def boundary(answer: str, start: int, end: int) -> Boundary:
    """What stands beside a span of a text."""
    beside = [
        (inner, outer)
        for inner, outer in (
            (answer[start : start + 1], answer[start - 1 : start]),
            (answer[end - 1 : end], answer[end : end + 1]),
        )
        if outer and inner and _joins(inner) and _joins(outer)
    ]
    if not beside:
        return "clear"
    return "unspaced" if all(_unspaced(inner) or _unspaced(outer) for inner, outer in beside) else "attached"


def _joins(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN"


def _unspaced(character: str) -> bool:
    return any(low <= ord(character) <= high for low, high in UNSPACED)
