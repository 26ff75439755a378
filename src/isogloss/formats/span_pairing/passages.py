"""One text for both sides of a pair, and spans that count its units.

- Names of a document without a text are looked for in the text of the other side.
- A text that is tokens joined by spaces may differ from the other side's in white space. Then spans of both count the
  characters that are no white space.
- A text that is a file of its own may end in white space that the other side's has not.
- Names that no text holds stand after it, each in a line of its own, so that they can be shown and overlap nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain

import msgspec
import numpy as np

from isogloss.batches import Passage
from isogloss.exceptions import DataError
from isogloss.formats.span_pairing.columns import SpanColumns, Triple
from isogloss.formats.span_pairing.documents import Bounds, Mention, SpanDocument, place_of, without_text
from isogloss.formats.span_pairing.partners import Partners

NAMELESS = "∅"  # what is shown of a name that is empty


def on_one_text(pair: Partners, names: tuple[str, str]) -> Partners:
    """Both documents with spans in the same units.

    Args:
        pair: reference and prediction.
        names: of their files, for errors.

    Raises:
        FormatError: one has names without positions, and neither has a text.
        DataError: a span is white space only and that is not compared, or one is not within its text and would be taken
            for a name that no text holds.
    """
    reference, predicted = pair
    if reference.locate is not None or predicted.locate is not None:
        reference, predicted = _located(reference, predicted, names[0]), _located(predicted, reference, names[1])
    if (reference.joined or predicted.joined) and _differ_in_spaces(reference.text, predicted.text):
        reference, predicted = _without_spaces(reference, predicted, names)
    if reference.padded or predicted.padded:
        reference, predicted = _with_the_same_end(reference, predicted)
    if reference.unlocated or predicted.unlocated:
        for document, name in zip((reference, predicted), names, strict=True):
            _check_within(document, name, units_of((reference, predicted)))
        reference, predicted = _with_unlocated(reference, predicted)
    return reference, predicted


def passage_of(pair: Partners) -> Passage | None:
    """The text of the side that has one, and what spans count of it."""
    reference, predicted = pair
    document = predicted if reference.text is None else reference
    if document.text is None:
        return None
    if document.units is None:
        return Passage(document.text)
    return Passage(document.text, *map(tuple, document.units))


def units_of(pair: Partners) -> int:
    """How many units the text of the side that has one has, -1 where neither has."""
    reference, predicted = pair
    document = predicted if reference.text is None else reference
    if document.units is not None:
        return len(document.units[0])
    return -1 if document.text is None else len(document.text)


def _located(document: SpanDocument, other: SpanDocument, name: str) -> SpanDocument:
    if document.locate is None:
        return document
    text = document.text if document.text is not None else other.text
    if text is None:
        raise without_text(document, name, "Give its `text`, or compare with a file that has the text.")
    found = document.locate(text)
    return msgspec.structs.replace(
        document,
        text=text,
        spans=[*document.spans, *found.spans],
        unlocated=[*document.unlocated, *found.unlocated],
        notices=(*document.notices, *found.notices),
        locate=None,
    )


def _differ_in_spaces(reference: str | None, predicted: str | None) -> bool:
    """Whether two texts differ, but only in white space."""
    if reference is None or predicted is None or reference == predicted:
        return False
    return "".join(reference.split()) == "".join(predicted.split())


def _check_within(document: SpanDocument, name: str, length: int) -> None:
    """Fails at a span that is not within the text, before anything is added to it."""

    def place(_row: int, _nth: int) -> str:
        return place_of(document, name)

    SpanColumns.of([document.spans], place).check(place, np.array([length]))


def _with_the_same_end(reference: SpanDocument, predicted: SpanDocument) -> Partners:
    """Both with the longer text, if they differ in white space at the end only: all positions mean the same in it."""
    one, two = reference.text, predicted.text
    if one is None or two is None or one == two or one.rstrip() != two.rstrip():
        return reference, predicted
    longer = max(one, two, key=len)
    return msgspec.structs.replace(reference, text=longer), msgspec.structs.replace(predicted, text=longer)


def _without_spaces(reference: SpanDocument, predicted: SpanDocument, names: tuple[str, str]) -> Partners:
    """Spans that count the characters that are no white space, on the text that was not made by joining."""
    text = (predicted if reference.joined else reference).text or ""
    starts = [at for at, character in enumerate(text) if not character.isspace()]
    units = starts, [at + 1 for at in starts]
    return _counting(reference, text, units, names[0]), _counting(predicted, text, units, names[1])


def _counting(document: SpanDocument, text: str, units: Bounds, name: str) -> SpanDocument:
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
                where=place_of(document, name),
                remedy="Leave it out, or compare files with the same white space.",
            )
    return msgspec.structs.replace(document, text=text, spans=spans, units=units)


def _with_unlocated(reference: SpanDocument, predicted: SpanDocument) -> Partners:
    """The text with a line for each name that it does not hold, and these names as spans."""
    own = predicted if reference.text is None else reference
    if predicted.text is not None and predicted.text != own.text:
        return reference, predicted  # which is an error of its own
    text, units = own.text or "", own.units
    surfaces = [surface or NAMELESS for surface, _ in chain(reference.unlocated, predicted.unlocated)]
    longer = "\n".join([text, *surfaces])
    starts = list(accumulate((len(surface) + 1 for surface in surfaces), initial=len(text) + 1))[:-1]
    bounds = [(start, start + len(surface)) for start, surface in zip(starts, surfaces, strict=True)]
    if units is not None:  # a name is one unit more
        first = len(units[0])
        units = [*units[0], *(start for start, _ in bounds)], [*units[1], *(end for _, end in bounds)]
        bounds = [(first + at, first + at + 1) for at in range(len(bounds))]
    middle = len(reference.unlocated)
    return (
        _lengthened(reference, longer, units, bounds[:middle]),
        _lengthened(predicted, longer, units, bounds[middle:]),
    )


def _lengthened(
    document: SpanDocument, text: str, units: Bounds | None, bounds: Sequence[tuple[int, int]]
) -> SpanDocument:
    names: Sequence[Mention] = document.unlocated
    more: list[Triple] = [(*bound, label) for bound, (_, label) in zip(bounds, names, strict=True)]
    return msgspec.structs.replace(document, text=text, units=units, spans=[*document.spans, *more], unlocated=())
