"""Check spans against the text they cover and repair wrong offsets.

Only known slips of offsets are repaired.

    spans, warnings = place_spans(text, marked, where, offsets="repaired")

The known slips, in the order in which they are tried:

- all offsets of the document count UTF-16 code units, as in JavaScript and Java, or bytes of UTF-8;
- they count a line break as two, as in a file with Windows line ends;
- a span includes white space at its ends, or is shifted because white space before it was added or removed: its text
  is at most `MAX_SHIFT` code points away;
- the text of a span has other white space inside, such as a space for a line break.

A span without a text of its own is only trimmed of white space at its ends. If offsets are neither checked nor
repaired, spans are returned as they are, with a warning `other-text` for each whose own text is elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Literal

import msgspec
import numpy as np

from isogloss.errors import DataError
from isogloss.formats.documents import LabelledSpan, SpanColumns
from isogloss.kernel.provenance import RunWarning
from isogloss.kernel.scores import Ints

MarkedSpan = tuple[int, int, str, str | None]  # start, end, label, text


class SpanObject(msgspec.Struct, gc=False):
    """A JSON object of a span, perhaps with the covered text."""

    start: int
    end: int
    label: str
    text: str | None = None


SpanPlaceFinder = Callable[[int], str]  # position of a span to its place
OffsetMode = Literal["checked", "repaired", "unchecked"]
MAX_SHIFT = 16  # code points between a span and its text
SHOWN = 60  # code points of a text in messages
REPAIRED = "offsets-repaired"
OTHER_TEXT = "other-text"
BLANKS = str.maketrans("\t\n\r", "   ")
UNIT_WIDTHS: dict[str, Callable[[str], int]] = {
    "UTF-16 code units": lambda character: 2 if character > "\uffff" else 1,
    "bytes of UTF-8": lambda character: len(character.encode("utf-8", "surrogatepass")),
    "line breaks as two": lambda character: 2 if character == "\n" else 1,
}


def to_marked_spans(spans: Iterable[SpanObject | LabelledSpan]) -> list[MarkedSpan]:
    """Return spans with the texts that they give, or None."""
    return [
        (each.start, each.end, each.label, each.text) if isinstance(each, SpanObject) else (*each, None)
        for each in spans
    ]


def place_spans(
    text: str, spans: Sequence[MarkedSpan], where: str, *, offsets: OffsetMode, place: SpanPlaceFinder | None = None
) -> tuple[list[LabelledSpan], tuple[RunWarning, ...]]:
    """Return spans in code points of their document's text, and warnings.

    Args:
        text: the text of the document.
        spans: its spans, each with its own text if the file has it.
        where: the place of the document.
        offsets: whether a difference is an error (`checked`), a known slip is corrected (`repaired`), or only reported
            (`unchecked`).
        place: gives the place of a span, if spans have places of their own.

    Raises:
        DataError: if the text of a span is not at its offsets.
    """
    place = place or (lambda _: where)
    if all(surface is None or text[start:end] == surface for start, end, _, surface in spans):
        placed = [(start, end, label) for start, end, label, _ in spans]
        return trim_spans(text, placed, where) if offsets == "repaired" else (placed, ())
    counting = _detect_counting(text, spans)
    if offsets == "unchecked":
        return [span[:3] for span in spans], tuple(_warn_other_text(text, spans, place, counting))
    if offsets == "checked":
        raise _make_difference_error(text, spans, place, counting)
    if counting is not None:
        warning = RunWarning(REPAIRED, f"Offsets that count {counting} were turned into code points.", 1, where)
        placed, cut = trim_spans(text, _recount_spans(text, spans, counting), where)
        return placed, (warning, *cut)
    moved = [_move_span(text, span) for span in spans]
    if None in moved:
        raise _make_difference_error(text, spans, place, None)
    count = sum(each != span[:3] for each, span in zip(moved, spans, strict=True))
    warnings = (RunWarning(REPAIRED, "Spans were moved to where their text stands.", count, where),) if count else ()
    placed, cut = trim_spans(text, [each for each in moved if each is not None], where)
    return placed, (*warnings, *cut)


def place_span_lines(
    text: str, spans: Sequence[MarkedSpan], place: SpanPlaceFinder, *, offsets: OffsetMode
) -> tuple[list[LabelledSpan], tuple[RunWarning, ...]]:
    """Return spans that have a line each, and warnings.

    Args:
        text: the text of the document.
        spans: its spans. Their texts may have blanks for line breaks and tabs, which a line cannot hold.
        place: gives the place of a span.
        offsets: how offsets that are off are handled, as for `place_spans`.

    Raises:
        DataError: if a span is empty, begins before the text or reaches beyond it, or its own text is not at its
            offsets.
    """
    is_checked = offsets != "unchecked"
    if is_checked and any(not 0 <= start < end for start, end, *_ in spans):
        _check_bounds(spans, place)
    marked = [(*span[:3], _align_surface(text, span[0], span[3])) for span in spans]
    placed, warnings = place_spans(text, marked, place(0) if spans else "", offsets=offsets, place=place)
    if is_checked and any(end > len(text) for _, end, _ in placed):
        _check_bounds(placed, place, np.array([len(text)]))
    return placed, warnings


def trim_spans(
    text: str, spans: Iterable[LabelledSpan], where: str
) -> tuple[list[LabelledSpan], tuple[RunWarning, ...]]:
    """Return spans without white space at their ends, and a warning.

    Spans of white space alone, and spans that are not within the text, stay as they are.

    Args:
        text: the text of the document.
        spans: spans in code points.
        where: the place of the document.
    """
    trimmed, count = [], 0
    for start, end, label in spans:
        inside = text[start:end] if 0 <= start < end <= len(text) else ""
        left, right = len(inside) - len(inside.lstrip()), len(inside) - len(inside.rstrip())
        cut = bool(inside.strip()) and bool(left or right)
        count += cut
        trimmed.append((start + left, end - right, label) if cut else (start, end, label))
    if not count:
        return trimmed, ()
    return trimmed, (RunWarning(REPAIRED, "White space at the ends of spans was left out.", count, where),)


def _check_bounds(
    spans: Sequence[LabelledSpan | MarkedSpan], place: SpanPlaceFinder, lengths: Ints | None = None
) -> None:
    bounds: list[LabelledSpan] = [(span[0], span[1], span[2]) for span in spans]
    SpanColumns.from_documents([bounds], lambda _, at: place(at)).check(lambda _, at: place(at), lengths)


def _align_surface(text: str, start: int, surface: str | None) -> str | None:
    """Return a span's text with the document's line breaks and tabs."""
    if surface is None or text.startswith(surface, max(start, 0)) or surface in text:
        return surface
    flat, wanted = text.translate(BLANKS), surface.translate(BLANKS)
    at = start if flat.startswith(wanted, start) else flat.find(wanted)
    return surface if at < 0 else text[at : at + len(wanted)]


def _detect_counting(text: str, spans: Sequence[MarkedSpan]) -> str | None:
    """Return the units that all offsets count, if that explains every difference."""
    for name in UNIT_WIDTHS:
        recounted = _recount_spans(text, spans, name)
        pairs = zip(recounted, spans, strict=True)
        if all(
            surface is None or (end <= len(text) and text[start:end] == surface)
            for (start, end, _), (_, _, _, surface) in pairs
        ):
            return name
    return None


def _recount_spans(text: str, spans: Sequence[MarkedSpan], counting: str) -> list[LabelledSpan]:
    widths = map(UNIT_WIDTHS[counting], text)
    position = {units: at for at, units in enumerate(accumulate(widths, initial=0))}
    beyond = len(text) + 1
    return [(position.get(start, beyond), position.get(end, beyond), label) for start, end, label, _ in spans]


def _move_span(text: str, span: MarkedSpan) -> LabelledSpan | None:
    """Move a span to the nearest occurrence of its text.

    Return None if the nearest occurrence is too far away.
    """
    start, end, label, surface = span
    if surface is None or _has_surface(text, start, end, surface):
        return start, end, label
    wanted = surface.strip()
    low, high = max(0, start - MAX_SHIFT), max(0, start + MAX_SHIFT + len(wanted))
    places = []
    at = text.find(wanted, low, high) if wanted else -1
    while at >= 0:
        places.append(at)
        at = text.find(wanted, at + 1, high)
    if not places:
        return None
    nearest = min(places, key=lambda place: (abs(place - start), place))
    return nearest, nearest + len(wanted), label


def _has_surface(text: str, start: int, end: int, surface: str) -> bool:
    """Return whether a span covers its own text.

    White space inside may differ.
    """
    inside = text[start:end] if 0 <= start < end else ""
    return inside == surface or (bool(inside.strip()) and inside.split() == surface.split())


def _make_difference_error(
    text: str, spans: Sequence[MarkedSpan], place: SpanPlaceFinder, counting: str | None
) -> DataError:
    """Return the error for the first span whose text is elsewhere.

    A span that cannot be repaired is preferred.
    """
    pairs = list(enumerate(spans))
    different = [(at, span) for at, span in pairs if span[3] is not None and text[span[0] : span[1]] != span[3]]
    lost = [] if counting is not None else [each for each in different if _move_span(text, each[1]) is None]
    at, span = (lost or different)[0]
    remedy = "A span begins at `start` and ends before `end`; both count Unicode code points of the text from 0."
    if counting is not None:
        remedy += f" These count {counting}: --repair-offsets turns them into code points."
    elif not lost:
        remedy += " Their texts stand close by: --repair-offsets moves the spans there."
    return DataError(_describe_difference(text, span), where=place(at), remedy=remedy)


def _describe_difference(text: str, span: MarkedSpan) -> str:
    start, end, label, surface = span
    covered, own = text[start:end][:SHOWN], (surface or "")[:SHOWN]
    return f"the span [{start}, {end}) {label!r} covers {covered!r}, but its own text is {own!r}"


def _warn_other_text(
    text: str, spans: Sequence[MarkedSpan], place: SpanPlaceFinder, counting: str | None
) -> Iterator[RunWarning]:
    """Yield a warning for each span whose own text is elsewhere.

    Only spans within the text of the document are considered.
    """
    why = "" if counting is None else f": these offsets count {counting}"
    for at, span in enumerate(spans):
        start, end, _, surface = span
        if 0 <= start < end <= len(text) and surface not in {None, text[start:end]}:
            yield RunWarning(OTHER_TEXT, f"{_describe_difference(text, span)}{why}", 1, place(at))


UNCERTAIN = "offsets-uncertain"
LAST_SINGLE = "\uffff"  # the last character that is one code unit


def place_drawn_spans(
    text: str, spans: Sequence[LabelledSpan], where: str, *, offsets: OffsetMode, exact: Collection[LabelledSpan] = ()
) -> tuple[Sequence[LabelledSpan], tuple[RunWarning, ...]]:
    """Return spans drawn in a browser in code points, and warnings.

    They may count UTF-16 code units.

    Args:
        text: the text of the document.
        spans: its spans.
        where: the place of the document.
        offsets: `repaired` reads them as UTF-16 code units and trims white space at their ends; `unchecked` lets them
            reach beyond the text.
        exact: spans that are known to count code points, such as those of a model that a person accepted.

    Raises:
        DataError: if a span reaches beyond the text, or counts code units and begins or ends within a character.
    """
    touched = _find_affected_spans(text, spans, exact)
    if offsets == "checked" and any(end > len(text) for _, end, _ in touched):
        raise _make_beyond_error(text, touched, where)
    if offsets != "repaired":
        return spans, _warn_uncertain_offsets(touched, where)
    if not touched:
        return trim_spans(text, spans, where)
    units = accumulate((2 if character > LAST_SINGLE else 1 for character in text), initial=0)
    position = {unit: at for at, unit in enumerate(units)}
    placed, cut = trim_spans(
        text, [span if span in exact else _to_code_points(span, position, len(text), where) for span in spans], where
    )
    message = "Offsets that count UTF-16 code units were turned into code points."
    return placed, (RunWarning(REPAIRED, message, len(touched), where), *cut)


def _find_affected_spans(
    text: str, spans: Iterable[LabelledSpan], exact: Collection[LabelledSpan]
) -> list[LabelledSpan]:
    """Return the spans whose offsets differ between code units and code points."""
    if text.isascii() or max(text) <= LAST_SINGLE:
        return []
    first = next(at for at, character in enumerate(text) if character > LAST_SINGLE)
    return [span for span in spans if span[1] > first and span not in exact]


def _warn_uncertain_offsets(touched: Sequence[LabelledSpan], where: str) -> tuple[RunWarning, ...]:
    message = (
        "Spans stand after characters beyond U+FFFF, such as emoji, which the tool counts as two where a person "
        "draws a span: if these were drawn, add --repair-offsets."
    )
    return (RunWarning(UNCERTAIN, message, len(touched), where),) if touched else ()


def _make_beyond_error(text: str, spans: Sequence[LabelledSpan], where: str) -> DataError:
    start, end, label = next(span for span in spans if span[1] > len(text))
    return DataError(
        f"the span [{start}, {end}) {label!r} reaches beyond its text, which has {len(text)} code points",
        where=where,
        remedy="If it counts UTF-16 code units, as those do that a person draws, add --repair-offsets.",
    )


def _to_code_points(span: LabelledSpan, position: dict[int, int], length: int, where: str) -> LabelledSpan:
    start, end, label = span
    last = max(position)
    for offset in (start, end):
        if 0 <= offset <= last and offset not in position:
            raise DataError(
                f"the span [{start}, {end}) {label!r} begins or ends within a character if it counts UTF-16 code units",
                where=where,
                remedy="Leave out --repair-offsets: it counts something else.",
            )

    def place(offset: int) -> int:
        return position.get(offset, offset if offset < 0 else offset - last + length)

    return place(start), place(end), label
