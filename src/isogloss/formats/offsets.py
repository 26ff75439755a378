"""Spans whose text stands beside their offsets: whether both agree, and what slip would make them.

    spans, notices = placed(text, marked, where, offsets="repaired")

The slips that are known, in the order in which they are tried:

- all offsets of the document count UTF-16 code units, as in JavaScript and Java, or bytes of UTF-8;
- they count a line break as two, as in a file with Windows line ends;
- a span takes in white space at its ends, or white space before it was added or removed: its text stands at most
  `REACH` code points away;
- the text of a span has other white space inside, such as a space for a line break.

A span without a text of its own is only freed of white space at its ends.

Where offsets are neither checked nor repaired, spans are handed on as they stand, with a notice `other-text` for each
whose own text is elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Literal

import numpy as np

from isogloss.errors import DataError
from isogloss.formats.documents import SpanColumns, Triple
from isogloss.kernel.provenance import Notice
from isogloss.kernel.scores import Ints

Marked = tuple[int, int, str, str | None]  # start, end, label, text
Place = Callable[[int], str]  # of one of the spans
Offsets = Literal["checked", "repaired", "unchecked"]
REACH = 16  # code points between a span and its text
SHOWN = 60  # code points of a text in messages
REPAIRED = "offsets-repaired"
OTHER_TEXT = "other-text"
BLANKS = str.maketrans("\t\n\r", "   ")
WIDTHS: dict[str, Callable[[str], int]] = {
    "UTF-16 code units": lambda character: 2 if character > "\uffff" else 1,
    "bytes of UTF-8": lambda character: len(character.encode("utf-8", "surrogatepass")),
    "line breaks as two": lambda character: 2 if character == "\n" else 1,
}


def placed(
    text: str,
    spans: Sequence[Marked],
    where: str,
    *,
    offsets: Offsets,
    place: Place | None = None,
) -> tuple[list[Triple], tuple[Notice, ...]]:
    """Spans in code points of their document's text.

    Args:
        text: of the document.
        spans: its spans, each with its own text if the file has it.
        where: place of the document.
        offsets: whether a difference is an error, a known slip is put right, or each is told and nothing done about it.
        place: tells an error where one of the spans is, where they have places of their own.

    Returns:
        The spans in their order, and what was done about them.

    Raises:
        DataError: the text of a span is not where it should be.
    """
    place = place or (lambda _: where)
    if all(surface is None or text[start:end] == surface for start, end, _, surface in spans):
        found = [(start, end, label) for start, end, label, _ in spans]
        return trimmed(text, found, where) if offsets == "repaired" else (found, ())
    counting = _counted_otherwise(text, spans)
    if offsets == "unchecked":
        return [span[:3] for span in spans], tuple(_told(text, spans, place, counting))
    if offsets == "checked":
        raise _different(text, spans, place, counting)
    if counting is not None:
        notice = Notice(REPAIRED, f"Offsets that count {counting} were turned into code points.", 1, where)
        found, cut = trimmed(text, _recount(text, spans, counting), where)
        return found, (notice, *cut)
    moved = [_moved(text, span) for span in spans]
    if None in moved:
        raise _different(text, spans, place, None)
    count = sum(each != span[:3] for each, span in zip(moved, spans, strict=True))
    notices = (Notice(REPAIRED, "Spans were moved to where their text stands.", count, where),) if count else ()
    found, cut = trimmed(text, [each for each in moved if each is not None], where)
    return found, (*notices, *cut)


def placed_lines(
    text: str,
    spans: Sequence[Marked],
    place: Place,
    *,
    offsets: Offsets,
) -> tuple[list[Triple], tuple[Notice, ...]]:
    """Spans of a format in which each has a line of its own, where errors tell of it.

    Args:
        text: of the document.
        spans: its spans. Their texts may have blanks in place of line breaks and tabs, which no line can hold.
        place: where one of the spans is.
        offsets: as for `placed`.

    Returns:
        The spans in their order, and what was done about them.

    Raises:
        DataError: a span is empty, begins before the text or reaches beyond it; or its own text is not where it is.
    """
    is_checked = offsets != "unchecked"
    if is_checked and any(not 0 <= start < end for start, end, *_ in spans):
        _check(spans, place)
    marked = [(*span[:3], _as_in_text(text, span[0], span[3])) for span in spans]
    found, notices = placed(text, marked, place(0) if spans else "", offsets=offsets, place=place)
    if is_checked and any(end > len(text) for _, end, _ in found):
        _check(found, place, np.array([len(text)]))
    return found, notices


def trimmed(text: str, spans: Iterable[Triple], where: str) -> tuple[list[Triple], tuple[Notice, ...]]:
    """Spans without white space at their ends; those of white space alone and those that are not within the text stay.

    Args:
        text: of the document.
        spans: in code points.
        where: place of the document.

    Returns:
        The spans in their order, and how many were cut.
    """
    found, count = [], 0
    for start, end, label in spans:
        inside = text[start:end] if 0 <= start < end <= len(text) else ""
        left, right = len(inside) - len(inside.lstrip()), len(inside) - len(inside.rstrip())
        cut = bool(inside.strip()) and bool(left or right)
        count += cut
        found.append((start + left, end - right, label) if cut else (start, end, label))
    if not count:
        return found, ()
    return found, (Notice(REPAIRED, "White space at the ends of spans was left out.", count, where),)


def _check(spans: Sequence[Triple | Marked], place: Place, lengths: Ints | None = None) -> None:
    bounds: list[Triple] = [(span[0], span[1], span[2]) for span in spans]
    SpanColumns.of([bounds], lambda _, at: place(at)).check(lambda _, at: place(at), lengths)


def _as_in_text(text: str, start: int, surface: str | None) -> str | None:
    """The text of a span with the line breaks and tabs that the document has."""
    if surface is None or text.startswith(surface, max(start, 0)) or surface in text:
        return surface
    flat, wanted = text.translate(BLANKS), surface.translate(BLANKS)
    at = start if flat.startswith(wanted, start) else flat.find(wanted)
    return surface if at < 0 else text[at : at + len(wanted)]


def _counted_otherwise(text: str, spans: Sequence[Marked]) -> str | None:
    """What the offsets count if that is all that is wrong."""
    for name in WIDTHS:
        found = _recount(text, spans, name)
        pairs = zip(found, spans, strict=True)
        if all(
            surface is None or (end <= len(text) and text[start:end] == surface)
            for (start, end, _), (_, _, _, surface) in pairs
        ):
            return name
    return None


def _recount(text: str, spans: Sequence[Marked], counting: str) -> list[Triple]:
    widths = map(WIDTHS[counting], text)
    position = {units: at for at, units in enumerate(accumulate(widths, initial=0))}
    beyond = len(text) + 1
    return [(position.get(start, beyond), position.get(end, beyond), label) for start, end, label, _ in spans]


def _moved(text: str, span: Marked) -> Triple | None:
    """A span where its text stands nearest; None where that is too far away."""
    start, end, label, surface = span
    if surface is None or _spells(text, start, end, surface):
        return start, end, label
    wanted = surface.strip()
    low, high = max(0, start - REACH), max(0, start + REACH + len(wanted))
    places = []
    at = text.find(wanted, low, high) if wanted else -1
    while at >= 0:
        places.append(at)
        at = text.find(wanted, at + 1, high)
    if not places:
        return None
    nearest = min(places, key=lambda place: (abs(place - start), place))
    return nearest, nearest + len(wanted), label


def _spells(text: str, start: int, end: int, surface: str) -> bool:
    """Whether the text of a span is its own but for white space inside."""
    inside = text[start:end] if 0 <= start < end else ""
    return inside == surface or (bool(inside.strip()) and inside.split() == surface.split())


def _different(text: str, spans: Sequence[Marked], place: Place, counting: str | None) -> DataError:
    """The error for the first span whose text is elsewhere, or far away if that is why nothing can be put right."""
    pairs = list(enumerate(spans))
    different = [(at, span) for at, span in pairs if span[3] is not None and text[span[0] : span[1]] != span[3]]
    lost = [] if counting is not None else [each for each in different if _moved(text, each[1]) is None]
    at, span = (lost or different)[0]
    remedy = "A span begins at `start` and ends before `end`; both count Unicode code points of the text from 0."
    if counting is not None:
        remedy += f" These count {counting}: --repair-offsets turns them into code points."
    elif not lost:
        remedy += " Their texts stand close by: --repair-offsets moves the spans there."
    return DataError(_difference(text, span), where=place(at), remedy=remedy)


def _difference(text: str, span: Marked) -> str:
    start, end, label, surface = span
    covered, own = text[start:end][:SHOWN], (surface or "")[:SHOWN]
    return f"the span [{start}, {end}) {label!r} covers {covered!r}, but its own text is {own!r}"


def _told(text: str, spans: Sequence[Marked], place: Place, counting: str | None) -> Iterator[Notice]:
    """A notice for each span of the text whose own text is elsewhere."""
    why = "" if counting is None else f": these offsets count {counting}"
    for at, span in enumerate(spans):
        start, end, _, surface = span
        if 0 <= start < end <= len(text) and surface not in {None, text[start:end]}:
            yield Notice(OTHER_TEXT, f"{_difference(text, span)}{why}", 1, place(at))


UNCERTAIN = "offsets-uncertain"
LAST_SINGLE = "\uffff"  # the last character that is one code unit


def drawn(
    text: str,
    spans: Sequence[Triple],
    where: str,
    *,
    offsets: Offsets,
    exact: Collection[Triple] = (),
) -> tuple[Sequence[Triple], tuple[Notice, ...]]:
    """Spans in code points of their document's text.

    Args:
        text: of the document.
        spans: its spans.
        where: place of the document.
        offsets: `repaired` reads them as UTF-16 code units, and frees spans of white space at their ends; `unchecked`
            lets them reach beyond the text.
        exact: spans that are known to count code points: those of the model that a person took over.

    Returns:
        The spans in their order, and what was done about them.

    Raises:
        DataError: a span reaches beyond the text, or counts code units and begins or ends within a character.
    """
    touched = _touched(text, spans, exact)
    if offsets == "checked" and any(end > len(text) for _, end, _ in touched):
        raise _beyond(text, touched, where)
    if offsets != "repaired":
        return spans, _uncertain(touched, where)
    if not touched:
        return trimmed(text, spans, where)
    units = accumulate((2 if character > LAST_SINGLE else 1 for character in text), initial=0)
    position = {unit: at for at, unit in enumerate(units)}
    found, cut = trimmed(
        text,
        [span if span in exact else _to_code_points(span, position, len(text), where) for span in spans],
        where,
    )
    message = "Offsets that count UTF-16 code units were turned into code points."
    return found, (Notice(REPAIRED, message, len(touched), where), *cut)


def _touched(text: str, spans: Iterable[Triple], exact: Collection[Triple]) -> list[Triple]:
    """The spans that are others in code units than in code points."""
    if text.isascii() or max(text) <= LAST_SINGLE:
        return []
    first = next(at for at, character in enumerate(text) if character > LAST_SINGLE)
    return [span for span in spans if span[1] > first and span not in exact]


def _uncertain(touched: Sequence[Triple], where: str) -> tuple[Notice, ...]:
    message = (
        "Spans stand after characters beyond U+FFFF, such as emoji, which the tool counts as two where a person "
        "draws a span: if these were drawn, add --repair-offsets."
    )
    return (Notice(UNCERTAIN, message, len(touched), where),) if touched else ()


def _beyond(text: str, spans: Sequence[Triple], where: str) -> DataError:
    start, end, label = next(span for span in spans if span[1] > len(text))
    return DataError(
        f"the span [{start}, {end}) {label!r} reaches beyond its text, which has {len(text)} code points",
        where=where,
        remedy="If it counts UTF-16 code units, as those do that a person draws, add --repair-offsets.",
    )


def _to_code_points(span: Triple, position: dict[int, int], length: int, where: str) -> Triple:
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
