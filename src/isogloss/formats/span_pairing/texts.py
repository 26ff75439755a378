"""Whether both sides of a pair have the same text, and where they begin to differ."""

from __future__ import annotations

import unicodedata
from itertools import takewhile
from typing import Literal

from isogloss.exceptions import MismatchError

AROUND = 20  # code points shown before and after a difference
BY_ORDER = "The documents were paired by their order; with ids on both sides, order would not matter."
FORMS: tuple[Literal["NFC", "NFKC"], ...] = ("NFC", "NFKC")  # equal in the first, they are the same characters


def different_texts(
    reference: str, predicted: str, where: str, document: str, *, by_order: bool = False
) -> MismatchError:
    """The error for two texts that differ.

    Args:
        reference: the reference's text.
        predicted: the prediction's.
        where: file and line of the prediction's.
        document: what the user calls the document.
        by_order: whether the documents are partners because of their order.
    """
    at = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(reference, predicted, strict=False)))
    return MismatchError(
        f"the texts of document {document} differ from code point {at} on",
        where=where,
        detail=f"reference   {_around(reference, at)}\nprediction  {_around(predicted, at)}",
        remedy=_remedy(reference, predicted) + (f" {BY_ORDER}" if by_order else ""),
    )


def _around(text: str, at: int) -> str:
    """The text around a position, and the name of the code point there."""
    low, high = max(0, at - AROUND), at + AROUND
    shown = f"{'…' * (low > 0)}{text[low:high]}{'…' * (high < len(text))}"
    return f"{shown!r}, {_name(text, at)}"


def _name(text: str, at: int) -> str:
    if at == len(text):
        return f"ends after {len(text)} code points"
    return f"U+{ord(text[at]):04X} {unicodedata.name(text[at], 'without a name')} at {at}"


def _remedy(reference: str, predicted: str) -> str:
    remedy = "Offsets only mean something in one text: predict on the text of the reference."
    for form in FORMS:
        if unicodedata.normalize(form, reference) == unicodedata.normalize(form, predicted):
            return f"{remedy} The texts are equal after normalisation to {form}: leave it out."
    if reference.split() == predicted.split():
        return f"{remedy} They differ in white space only: do not strip or join it."
    return remedy
