"""Bring the texts of two paired documents together.

The module finds names, recounts spans, and shows where texts differ.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import accumulate, chain, takewhile
from typing import Literal

import msgspec
import numpy as np

from isogloss.errors import DataError, MismatchError
from isogloss.formats.documents import (
    LabelledSpan,
    Mention,
    SpanColumns,
    SpanDocument,
    UnitBounds,
    format_document_place,
    make_no_text_error,
)
from isogloss.kernel.provenance import TextExcerpt

DocumentPair = tuple[SpanDocument, SpanDocument]
AROUND = 20  # code points shown before and after a difference
BY_ORDER = "The documents were paired by their order; with ids on both sides, order would not matter."
NORMAL_FORMS: tuple[Literal["NFC", "NFKC"], ...] = ("NFC", "NFKC")  # equal under NFC means the same characters
EMPTY_NAME = "∅"  # shown for an empty name


def align_texts(pair: DocumentPair, names: tuple[str, str]) -> DocumentPair:
    """Return both documents with spans in the same units.

    Args:
        pair: reference and prediction.
        names: the names of their files, for errors.

    Raises:
        FormatError: if one has names to locate, and neither has a text.
        DataError: if a span is only white space that differs, or a document with names that are not in its text has a
            span beyond its text.
    """
    reference, predicted = pair
    if reference.locate is not None or predicted.locate is not None:
        reference, predicted = (
            _locate_names(reference, predicted, names[0]),
            _locate_names(predicted, reference, names[1]),
        )
    if (reference.joined or predicted.joined) and _has_other_spaces(reference.text, predicted.text):
        reference, predicted = _remove_spaces(reference, predicted, names)
    if reference.padded or predicted.padded:
        reference, predicted = _unify_text_ends(reference, predicted)
    if reference.unlocated or predicted.unlocated:
        for document, name in zip((reference, predicted), names, strict=True):
            _check_within_text(document, name, count_text_units((reference, predicted)))
        reference, predicted = _append_unlocated(reference, predicted)
    return reference, predicted


def get_text_excerpt(pair: DocumentPair) -> TextExcerpt | None:
    """Return the text of either side, and the units that spans count."""
    reference, predicted = pair
    document = predicted if reference.text is None else reference
    if document.text is None:
        return None
    if document.units is None:
        return TextExcerpt(document.text)
    starts, ends = map(tuple, document.units)
    return TextExcerpt(document.text, starts, ends)


def count_text_units(pair: DocumentPair) -> int:
    """Return the number of units of the text, -1 without a text."""
    reference, predicted = pair
    document = predicted if reference.text is None else reference
    if document.units is not None:
        return len(document.units[0])
    return -1 if document.text is None else len(document.text)


def _locate_names(document: SpanDocument, other: SpanDocument, name: str) -> SpanDocument:
    if document.locate is None:
        return document
    text = document.text if document.text is not None else other.text
    if text is None:
        if document.has_offsets:
            return msgspec.structs.replace(document, locate=None)
        raise make_no_text_error(document, name, "Give its `text`, or compare with a file that has the text.")
    located = document.locate(text)
    return msgspec.structs.replace(
        document,
        text=text,
        spans=located.spans,
        unlocated=[*document.unlocated, *located.unlocated],
        warnings=(*document.warnings, *located.warnings),
        locate=None,
    )


def _has_other_spaces(reference: str | None, predicted: str | None) -> bool:
    """Return whether two texts differ, but only in white space."""
    if reference is None or predicted is None or reference == predicted:
        return False
    return "".join(reference.split()) == "".join(predicted.split())


def _check_within_text(document: SpanDocument, name: str, length: int) -> None:
    """Check that spans lie within the text.

    This happens before names are appended to the text.
    """

    def place(_row: int, _nth: int) -> str:
        return format_document_place(document, name)

    SpanColumns.from_documents([document.spans], place).check(place, np.array([length]))


def _unify_text_ends(reference: SpanDocument, predicted: SpanDocument) -> DocumentPair:
    """Give both documents the longer text if only their ends differ.

    The ends may differ only in white space.
    """
    one, two = reference.text, predicted.text
    if one is None or two is None or one == two or one.rstrip() != two.rstrip():
        return reference, predicted
    longer = max(one, two, key=len)
    return msgspec.structs.replace(reference, text=longer), msgspec.structs.replace(predicted, text=longer)


def _remove_spaces(reference: SpanDocument, predicted: SpanDocument, names: tuple[str, str]) -> DocumentPair:
    """Recount spans in characters that are not white space.

    The positions refer to the text that was not joined from tokens.
    """
    text = (predicted if reference.joined else reference).text or ""
    starts = [at for at, character in enumerate(text) if not character.isspace()]
    units = starts, [at + 1 for at in starts]
    return _recount_spans(reference, text, units, names[0]), _recount_spans(predicted, text, units, names[1])


def _recount_spans(document: SpanDocument, text: str, units: UnitBounds, name: str) -> SpanDocument:
    own = document.text or ""
    before = list(accumulate((not character.isspace() for character in own), initial=0))  # (code points + 1,)
    last = len(own)

    def unit(position: int) -> int:
        return before[position] if 0 <= position <= last else position - last + before[last]

    spans = [(unit(start), unit(end), label) for start, end, label in document.spans]
    for (start, end, label), (first, after, _) in zip(document.spans, spans, strict=True):
        if first == after and start < end:
            raise DataError(
                f"the span [{start}, {end}) {label!r} is white space only, which differs on the two sides",
                where=format_document_place(document, name),
                remedy="Leave it out, or compare files with the same white space.",
            )
    return msgspec.structs.replace(document, text=text, spans=spans, units=units)


def _append_unlocated(reference: SpanDocument, predicted: SpanDocument) -> DocumentPair:
    """Append each name that the text lacks, as a span.

    The name is added at the end of the text.
    """
    own = predicted if reference.text is None else reference
    if predicted.text is not None and predicted.text != own.text:
        return reference, predicted  # different texts are reported later
    text, units = own.text or "", own.units
    surfaces = [surface or EMPTY_NAME for surface, _ in chain(reference.unlocated, predicted.unlocated)]
    longer = "\n".join([text, *surfaces])
    starts = list(accumulate((len(surface) + 1 for surface in surfaces), initial=len(text) + 1))[:-1]
    bounds = [(start, start + len(surface)) for start, surface in zip(starts, surfaces, strict=True)]
    if units is not None:  # each name adds one unit
        first = len(units[0])
        units = [*units[0], *(start for start, _ in bounds)], [*units[1], *(end for _, end in bounds)]
        bounds = [(first + at, first + at + 1) for at in range(len(bounds))]
    middle = len(reference.unlocated)
    return (
        _add_unlocated_spans(reference, longer, units, bounds[:middle]),
        _add_unlocated_spans(predicted, longer, units, bounds[middle:]),
    )


def _add_unlocated_spans(
    document: SpanDocument, text: str, units: UnitBounds | None, bounds: Sequence[tuple[int, int]]
) -> SpanDocument:
    names: Sequence[Mention] = document.unlocated
    more: list[LabelledSpan] = [(*bound, label) for bound, (_, label) in zip(bounds, names, strict=True)]
    return msgspec.structs.replace(document, text=text, units=units, spans=[*document.spans, *more], unlocated=())


def make_different_texts_error(
    reference: str, predicted: str, where: str, document: str, *, by_order: bool = False
) -> MismatchError:
    """Return the error for two texts that differ.

    Args:
        reference: the text of the reference.
        predicted: the text of the prediction.
        where: file and line of the prediction.
        document: the id or number of the document.
        by_order: whether the documents were paired by their order.
    """
    at = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(reference, predicted, strict=False)))
    return MismatchError(
        f"the texts of document {document} differ from code point {at} on",
        where=where,
        detail=f"reference   {_format_context(reference, at)}\nprediction  {_format_context(predicted, at)}",
        remedy=_choose_remedy(reference, predicted) + (f" {BY_ORDER}" if by_order else ""),
    )


def _format_context(text: str, at: int) -> str:
    """Show the text around a position.

    The name of the code point there is also shown.
    """
    low, high = max(0, at - AROUND), at + AROUND
    shown = f"{'…' * (low > 0)}{text[low:high]}{'…' * (high < len(text))}"
    return f"{shown!r}, {_format_code_point(text, at)}"


def _format_code_point(text: str, at: int) -> str:
    if at == len(text):
        return f"ends after {len(text)} code points"
    return f"U+{ord(text[at]):04X} {unicodedata.name(text[at], 'without a name')} at {at}"


def _choose_remedy(reference: str, predicted: str) -> str:
    remedy = "Offsets count in one text: predict on the text of the reference."
    for form in NORMAL_FORMS:
        if unicodedata.normalize(form, reference) == unicodedata.normalize(form, predicted):
            return f"{remedy} The texts are equal after normalisation to {form}: leave it out."
    if reference.split() == predicted.split():
        return f"{remedy} They differ in white space only: do not strip or join it."
    return remedy
