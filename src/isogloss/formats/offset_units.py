"""Offsets in other units than code points.

The unit is recognised by the texts of the spans.

    spans = [QuotedSpan(3, 6, "PER", "Ada")]
    place_quoted_spans("😀 Ada ran", spans, where, unit=None, default=None, offsets="checked")
    # [(2, 5, "PER")] and a warning: 3 counts UTF-16 code units

A unit fits a document if each span stands, in this unit, where its own text is. If units that fit give different spans,
the default of the format counts. Without a default, the user must name the unit.

The unit `text-elements` is that of .NET before version 5, which Azure calls TextElements_v8: a character and the marks
that follow it. Unlike grapheme clusters, it splits emoji with modifiers, flags, and Thai syllables with SARA AM.
"""

from __future__ import annotations

import unicodedata
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from isogloss.errors import DataError
from isogloss.formats.documents import LabelledSpan
from isogloss.formats.offsets import OffsetMode, place_spans
from isogloss.formats.registry import CODE_POINTS, OFFSET_UNITS
from isogloss.kernel.provenance import RunWarning
from isogloss.text.display import split_graphemes

Finder = Callable[[int], int | None]
CONVERTED = "offsets-converted"
UNIT_NAMES = {
    "utf-16": "UTF-16 code units",
    "utf-8": "bytes of UTF-8",
    "graphemes": "grapheme clusters",
    "text-elements": "text elements of .NET",
}
MARKS = frozenset(("Mn", "Mc", "Me"))
NEVER_MARKED = MARKS.union(("Cc", "Cf", "Cn", "Cs"))  # categories after which a mark is an element of its own


class QuotedSpan(NamedTuple):
    """A span as a recogniser wrote it.

    Args:
        start: its first unit.
        end: the unit after the last; None if only its text tells the end.
        label: its label.
        surface: its own text, None if it has none.
    """

    start: int
    end: int | None
    label: str
    surface: str | None

    def to_code_points(self) -> LabelledSpan:
        """Return the span if its offsets count code points."""
        return self.start, self.start + len(self.surface or "") if self.end is None else self.end, self.label


def place_quoted_spans(
    text: str,
    spans: Sequence[QuotedSpan],
    where: str,
    *,
    unit: str | None,
    default: str | None,
    offsets: OffsetMode,
) -> tuple[list[LabelledSpan], tuple[RunWarning, ...]]:
    """Return spans in code points of their text, and warnings.

    Args:
        text: the text of the document.
        spans: its spans.
        where: its place.
        unit: what the offsets count, out of `OFFSET_UNITS`; None to find out.
        default: the unit that the format defines, None if it may be any.
        offsets: how spans are handled that stand elsewhere in every unit, as for `place_spans`.

    Raises:
        DataError: if no unit fits, or units that fit give different spans and none of them is the default.
    """
    fitting = _find_fitting_units(text, spans, default if unit is None else unit, is_fixed=unit is not None)
    if len(fitting) > 1:
        raise _make_ambiguity_error(text, fitting, where)
    for fit, each in fitting.items():
        return [*fit], _warn_converted(each, where, len(fit) if unit is None else 0)
    if unit not in (None, CODE_POINTS):
        raise _make_misfit_error(spans, unit, where)
    marked = [(*span.to_code_points(), span.surface) for span in spans]
    placed, warnings = place_spans(text, marked, where, offsets=offsets)
    return placed, warnings


def _find_fitting_units(
    text: str, spans: Sequence[QuotedSpan], default: str | None, *, is_fixed: bool
) -> dict[tuple[LabelledSpan, ...], str]:
    """Return the spans in each unit that fits.

    If the default fits, other units are not tried.
    """
    tried = (CODE_POINTS,) if text.isascii() and "\r\n" not in text else OFFSET_UNITS
    fitting: dict[tuple[LabelledSpan, ...], str] = {}
    for unit in (default, *(() if is_fixed else tried)):
        converted = None if unit is None else _convert_spans(text, spans, unit)
        if unit is not None and converted is not None:
            fitting.setdefault(tuple(converted), unit)
            if unit == default:
                break
    return fitting


def _convert_spans(text: str, spans: Sequence[QuotedSpan], unit: str) -> list[LabelledSpan] | None:
    """Return the spans in code points.

    The result is None if one of them does not stand where its text is.
    """
    find = _make_finder(text, unit)
    result = []
    for span in spans:
        converted = _convert_span(span, find)
        if converted is None or not _has_surface(text, converted, span.surface):
            return None
        result.append(converted)
    return result


def _has_surface(text: str, span: LabelledSpan, surface: str | None) -> bool:
    start, end, _ = span
    return surface is None or (end <= len(text) and text[start:end] == surface)


def _convert_span(span: QuotedSpan, find: Finder | None) -> LabelledSpan | None:
    if find is None:
        return span.to_code_points()
    start = find(span.start)
    if start is None:
        return None
    end = start + len(span.surface or "") if span.end is None else find(span.end)
    return None if end is None else (start, end, span.label)


def _make_finder(text: str, unit: str) -> Finder | None:
    """Return a function that finds the code point of a unit.

    It also finds the end of the last unit; it returns None within a code point, and beyond the text.
    """
    if unit == CODE_POINTS:
        return None
    if unit in {"graphemes", "text-elements"}:
        elements = (start for start, _ in split_graphemes(text)) if unit == "graphemes" else _find_elements(text)
        starts = array("q", [*elements, len(text)])
        return lambda position: starts[position] if 0 <= position < len(starts) else None
    if unit == "utf-16":
        widths = (2 if character > "\uffff" else 1 for character in text)
    else:
        widths = (len(character.encode("utf-8", "surrogatepass")) for character in text)
    units = array("q", accumulate(widths, initial=0))

    def find(position: int) -> int | None:
        at = bisect_left(units, position)
        return at if at < len(units) and units[at] == position else None

    return find


def _find_elements(text: str) -> Iterator[int]:
    """Yield the start of each text element of .NET."""
    base = "Cn"  # category of the first character of the element
    for at, category in enumerate(map(unicodedata.category, text)):
        if category not in MARKS or base in NEVER_MARKED:
            yield at
            base = category


def _warn_converted(unit: str, where: str, count: int) -> tuple[RunWarning, ...]:
    """Warn of offsets in a unit that was found out."""
    if unit == CODE_POINTS or not count:
        return ()
    message = f"Offsets that count {UNIT_NAMES[unit]}, as the texts of spans show, were turned into code points."
    return (RunWarning(CONVERTED, message, count, where),)


def _make_ambiguity_error(text: str, fitting: Mapping[tuple[LabelledSpan, ...], str], where: str) -> DataError:
    (one, first), (other, second) = list(fitting.items())[:2]
    (start, end, label), (low, high, _) = next(
        (span, another) for span, another in zip(one, other, strict=True) if span != another
    )
    message = (
        f"what the offsets count is unknown: {text[start:end]!r} {label!r} is at [{start}, {end}) in {first}, "
        f"and at [{low}, {high}) in {second}"
    )
    return DataError(message, where=where, remedy=f"Name the unit: --offset-unit {' or '.join(fitting.values())}.")


def _make_misfit_error(spans: Sequence[QuotedSpan], unit: str | None, where: str) -> DataError:
    message = f"the texts of its {len(spans)} spans do not all stand where their offsets point to, counted in {unit}"
    remedy = "Leave out --offset-unit: the texts of spans show what offsets count."
    return DataError(message, where=where, remedy=remedy)
