"""Spans drawn in a browser by tools that count UTF-16 code units there, and export no text of a span to tell.

    spans, notices = drawn(text, spans, where, offsets="repaired")

A character beyond U+FFFF, such as an emoji, is two of these units. Spans before the first one are the same in both
countings. Others may count either: those that came from Python, as pre-annotations do, count code points. So they are
left as they are, with a notice, unless it is asked for that they are repaired: then they are read as code units, and
freed of white space at their ends.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import accumulate

from isogloss.batches import Notice
from isogloss.exceptions import DataError
from isogloss.formats.offsets import REPAIRED, Offsets, trimmed
from isogloss.formats.span_pairing import Triple

UNCERTAIN = "offsets-uncertain"
LAST_SINGLE = "\uffff"  # the last character that is one code unit


def drawn(
    text: str, spans: Sequence[Triple], where: str, *, offsets: Offsets, exact: Collection[Triple] = ()
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
        text, [span if span in exact else _recounted(span, position, len(text), where) for span in spans], where
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


def _recounted(span: Triple, position: dict[int, int], length: int, where: str) -> Triple:
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
