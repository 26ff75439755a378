"""Draw findings for a terminal, with spans in text of any script.

The spans of both sides are drawn:

    wrong_boundary   pred.conll:118
      reference  ORG   …studied at the [University of Belgrade] in 1950…
      predicted  ORG   …studied at the University of [Belgrade] in 1950…

Each mark has its own line, with a copy of the text and brackets around the span. Markers on a line below the text would
be misplaced, because terminals reorder Arabic and Hebrew.

1. A line is never wider than `width` cells, and its data cannot change the terminal: control characters and
   bidirectional controls are shown as pictures or code points, and text from right to left is isolated from the columns
   beside it.
2. Brackets and cuts are between grapheme clusters. A mark that begins or ends inside a cluster is drawn around the
   whole cluster, with a remark below that names the code point.
3. Colour carries no information of its own. Without colour the same characters are printed.
4. Text that does not fit is left out of all lines alike, so that they can be compared: first the context, then the
   inside of marks, farthest from their edges. `…` stands for it, and for the rest of the document.
5. Brackets are a pair that the text does not contain. Characters that the output encoding lacks are replaced.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, pairwise

import msgspec
from rich.text import Text

from isogloss.kernel.findings import Finding, Mark
from isogloss.runs.finding_view import describe_cut_clusters
from isogloss.text.display import (
    ELLIPSIS,
    can_encode,
    choose_isolates,
    fit_width,
    make_cluster_visible,
    make_visible,
    measure_width,
    snap_to_clusters,
    split_graphemes,
)

MIN_WIDTH = 40  # cells; a narrower line has no room for a text beside its label

# Numbered colours, because themes do not change them; each has a contrast above 3.5 to black and to white.
STYLES = {
    "correct": "bold color(28)",
    "missed": "bold color(160)",
    "spurious": "bold color(164)",
    "wrong_type": "bold color(27)",
    "too_coarse": "bold color(27)",
    "too_fine": "bold color(27)",
    "wrong_boundary": "bold color(130)",
    "wrong_type_and_boundary": "bold color(130)",
    "excused": "bold color(28)",
    "foreign": "bold color(160)",
    "third_script": "bold color(164)",
    "homoglyph": "bold color(130)",
    "glued": "bold color(130)",
    "attachment": "bold color(27)",
}
OTHER_STYLE = "bold"

# Pairs in the order of preference; the last is used even if the text contains it.
BRACKETS = (("[", "]"), ("⟦", "⟧"), ("{", "}"), ("<", ">"), ("[[", "]]"), (">>>", "<<<"))

SHOWN_FIELDS = ("source", "accepted", "note")  # other fields of a finding that are shown below

SIDE_WIDTH = len("reference")
MAX_LINE_TEXT = 400  # code points of a document that may fit a line
MAX_DRAWN_TEXT = 10_000  # code points of an excerpt that is drawn whole, if the output is not a terminal
KEPT_TEXT = MAX_DRAWN_TEXT // 10  # code points at each end of a longer text without an edge of a mark
MAX_LANE_NAME = 24  # cells of the name of a system before its line
CONTEXT_WEIGHT = 4  # distances in the context count this many times as much as inside a mark


@dataclass(frozen=True)
class DrawingLine:
    """One line of a drawing, with styles.

    `str` returns plain text, and a `rich` console prints its styles.

    Print it with `soft_wrap=True` on a console that may be narrower than the drawing.

    Args:
        pieces: parts of the line and their styles, "" for no style. They are not parsed as markup.
    """

    pieces: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return "".join(piece for piece, _ in self.pieces)

    def __rich__(self) -> Text:
        return Text.assemble(*self.pieces)


@dataclass(frozen=True)
class LaneSpan:
    """Span of a lane that shows several.

    Args:
        start: code point of the text where it starts.
        end: code point after its end.
        label: label shown after the opening bracket, empty for none.
        style: style on a terminal with colours.
    """

    start: int
    end: int
    label: str = ""
    style: str = OTHER_STYLE


@dataclass(frozen=True)
class _Canvas:
    """The layout that all lines of a finding share.

    Args:
        encoding: encoding of the output.
        width: cells of a line.
        labels: cells of the column of labels; 0 without labels.
        sides: cells of the column with the sides of marks; 0 without.
    """

    encoding: str
    width: int
    labels: int = 0
    sides: int = SIDE_WIDTH

    @property
    def ellipsis(self) -> str:
        return ELLIPSIS if can_encode(ELLIPSIS, self.encoding) else "..."

    @property
    def indent(self) -> int:
        """Cells before the text."""
        return 2 + (self.sides + 2 if self.sides else 0) + (self.labels + 3 if self.labels else 0)

    def format_words(self, words: str, cells: int) -> str:
        """Format words outside the text, cut at the end."""
        return self.isolate(fit_width(make_visible(words, self.encoding), cells, ellipsis=self.ellipsis))

    def isolate(self, words: str) -> str:
        start, end = choose_isolates(words, self.encoding)
        return start + words + end

    def format_head(self, side: str, label: str | None = None) -> str:
        """Format the columns before the text."""
        columns = [(side, self.sides), (label or "", self.labels + 1 if self.labels else 0)]
        return "  " + "".join(self._pad(words, cells) for words, cells in columns if cells)

    def _pad(self, words: str, cells: int) -> str:
        shown = fit_width(make_visible(words, self.encoding), cells, ellipsis=self.ellipsis)
        return self.isolate(shown) + " " * (cells + 2 - measure_width(shown))


def draw_finding(
    finding: Finding, *, width: int = 80, encoding: str = "utf-8", sides: bool = True
) -> list[DrawingLine]:
    """Draw a finding: a heading, a line per mark, and remarks.

    Args:
        finding: without a text the positions of its marks are shown.
        width: cells of a line, at least 40.
        encoding: encoding of the output, such as `console.encoding`.
        sides: whether to name the side of each mark.
    """
    canvas = _build_canvas(finding, max(width, MIN_WIDTH), encoding, sides=sides)
    finding = _cut_long_marks(_widen(finding, canvas), canvas.ellipsis)
    style = STYLES.get(finding.kind, OTHER_STYLE)
    texts = _draw_texts(finding, canvas, style)
    lines = [_draw_heading(finding, canvas)]
    for mark, pieces in zip(finding.marks, texts, strict=True):
        lines.append(DrawingLine(((canvas.format_head(mark.side, mark.label), ""), *pieces)))
        lines.extend(_draw_remarks(finding.text or "", mark, canvas))
    return lines + [_draw_field(name, finding.extra[name], canvas) for name in SHOWN_FIELDS if name in finding.extra]


def draw_lanes(
    findings: Sequence[tuple[str, Finding]],
    lanes: Mapping[str, Sequence[LaneSpan]],
    text: str,
    *,
    width: int = 80,
    encoding: str = "utf-8",
) -> list[DrawingLine]:
    """Draw several findings on one text.

    There is a heading for each finding, and a line with all spans of each side or system.

    Args:
        findings: the findings, each with the name of its system, empty for none.
        lanes: the spans of each line, in positions of the text, by the name that begins the line.
        text: the text.
        width: cells of a line, at least 40.
        encoding: encoding of the output.
    """
    names = min(max(map(measure_width, lanes)), MAX_LANE_NAME)
    canvas = _Canvas(encoding, max(width, MIN_WIDTH), sides=max(names, SIDE_WIDTH))
    drawn = _Excerpt.from_lanes(text, [*lanes.values()], canvas)
    kept = drawn.choose_clusters(canvas.width - canvas.indent)
    lines = [_draw_heading(finding, canvas, system) for system, finding in findings]
    for name, lane in zip(lanes, drawn.lanes, strict=True):
        lines.append(DrawingLine(((canvas.format_head(name), ""), *drawn.draw_lane(lane, kept))))
    return lines


def fits_width(text: str, lanes: Mapping[str, Sequence[LaneSpan]], width: int, encoding: str) -> bool:
    """Return whether a text with its spans fits into the width.

    The spans of all lanes must fit into lines of this width.
    """
    names = min(max(map(measure_width, lanes)), MAX_LANE_NAME)
    canvas = _Canvas(encoding, max(width, MIN_WIDTH), sides=max(names, SIDE_WIDTH))
    return _Excerpt.from_lanes(text, [*lanes.values()], canvas).fits(canvas.width - canvas.indent)


def _build_canvas(finding: Finding, cells: int, encoding: str, *, sides: bool) -> _Canvas:
    widest = max(measure_width(make_visible(mark.label or "", encoding)) for mark in finding.marks)
    return _Canvas(encoding, cells, min(widest, cells // 5), SIDE_WIDTH if sides else 0)


def _widen(finding: Finding, canvas: _Canvas) -> Finding:
    """Return the finding on its whole document, if that fits a line.

    Otherwise return the finding as it is.
    """
    if finding.document_text is None or len(finding.document_text) > MAX_LINE_TEXT:
        return finding
    whole = finding.show_whole_document()
    if whole.text is None or whole is finding:
        return finding
    fits = _Excerpt.from_finding(whole, whole.text, canvas).fits(canvas.width - canvas.indent)
    return whole if fits else finding


def _cut_long_marks(finding: Finding, ellipsis: str) -> Finding:
    """Cut the middle out of marks that no line has room for.

    A mark may have a million code points, and clusters take many times as much memory.
    """
    text = finding.text or ""
    if len(text) <= MAX_DRAWN_TEXT:
        return finding
    inner = {edge for mark in finding.marks for edge in (mark.text_start or 0, mark.text_end or 0)}
    pieces, moved = [""], {0: 0}
    for low, high in pairwise(sorted({0, *inner, len(text)})):
        first, last = low, high
        if high - low > 2 * KEPT_TEXT + len(ellipsis):
            first, _ = snap_to_clusters(text, low + KEPT_TEXT, low + KEPT_TEXT)
            _, last = snap_to_clusters(text, high - KEPT_TEXT, high - KEPT_TEXT)
        pieces.append(text[low:first] + ellipsis + text[last:high] if first < last and first > low else text[low:high])
        moved[high] = moved[low] + len(pieces[-1])
    marks = (
        msgspec.structs.replace(mark, text_start=moved[mark.text_start or 0], text_end=moved[mark.text_end or 0])
        for mark in finding.marks
    )
    return msgspec.structs.replace(finding, text="".join(pieces), marks=tuple(marks))


def _draw_heading(finding: Finding, canvas: _Canvas, system: str = "") -> DrawingLine:
    name = f"{canvas.format_words(system, MAX_LANE_NAME)}: " if system else ""
    kind = canvas.format_words(finding.kind, canvas.width // 2)
    where = make_visible(finding.where, canvas.encoding)
    room = canvas.width - measure_width(name + kind) - 3
    where = fit_width(where, max(room, 1), ellipsis=canvas.ellipsis, keep="end")
    style = STYLES.get(finding.kind, OTHER_STYLE)
    pieces = ((name, ""), (kind, style), ("   " + canvas.isolate(where), ""))
    return DrawingLine(pieces if name else pieces[1:])


def _draw_texts(finding: Finding, canvas: _Canvas, style: str) -> list[Sequence[tuple[str, str]]]:
    """Draw the last column of each mark."""
    if finding.text is None:
        places = (f"[{mark.start}, {mark.end})" if mark.end > mark.start else "" for mark in finding.marks)
        return [((place, style),) for place in places]
    excerpt = _Excerpt.from_finding(finding, finding.text, canvas)
    kept = excerpt.choose_clusters(canvas.width - canvas.indent)
    return [excerpt.draw_lane(lane, kept) for lane in excerpt.lanes]


@dataclass(frozen=True)
class _Excerpt:
    """A text and the spans of each lane, both as clusters.

    Args:
        clusters: the text of each cluster as printed.
        lanes: the spans of each lane, ascending; starts and ends are clusters.
        before: whether the document continues before the text.
        after: whether the document continues after the text.
        canvas: layout of the lines.
    """

    clusters: tuple[str, ...]
    lanes: tuple[tuple[LaneSpan, ...], ...]
    before: bool
    after: bool
    canvas: _Canvas

    @classmethod
    def from_finding(cls, finding: Finding, text: str, canvas: _Canvas) -> _Excerpt:
        """Build an excerpt with a lane for each mark."""
        style = STYLES.get(finding.kind, OTHER_STYLE)
        lanes = [[LaneSpan(mark.text_start or 0, mark.text_end or 0, style=style)] for mark in finding.marks]
        return cls.from_lanes(text, lanes, canvas, before=finding.before, after=finding.after)

    @classmethod
    def from_lanes(
        cls,
        text: str,
        lanes: Iterable[Iterable[LaneSpan]],
        canvas: _Canvas,
        *,
        before: bool = False,
        after: bool = False,
    ) -> _Excerpt:
        """Build an excerpt; spans are widened to whole clusters."""
        bounds = split_graphemes(text)
        starts = [start for start, _ in bounds]

        def to_clusters(span: LaneSpan) -> LaneSpan:
            begin, stop = snap_to_clusters(text, span.start, span.end)
            return replace(span, start=bisect_left(starts, begin), end=bisect_left(starts, stop))

        visible = tuple(make_cluster_visible(text[start:end], canvas.encoding) for start, end in bounds)
        return cls(visible, tuple(tuple(map(to_clusters, lane)) for lane in lanes), before, after, canvas)

    @cached_property
    def brackets(self) -> tuple[str, str]:
        text = "".join(self.clusters)
        fitting = (
            (opening, closing)
            for opening, closing in BRACKETS
            if opening not in text and closing not in text and can_encode(opening + closing, self.canvas.encoding)
        )
        return next(fitting, BRACKETS[-1])

    def choose_clusters(self, room: int) -> frozenset[int]:
        """Choose the clusters that fit into this many cells.

        The choice is the same for all lanes.
        """
        if self.fits(room):
            return frozenset(range(len(self.clusters)))
        order = sorted(range(len(self.clusters)), key=self._measure_distance)
        shown = bisect_right(range(len(order) + 1), room, key=lambda count: self._count_cells(frozenset(order[:count])))
        return frozenset(order[: max(shown - 1, 0)])

    def fits(self, room: int) -> bool:
        """Return whether all clusters fit into this many cells."""
        return self._count_cells(frozenset(range(len(self.clusters)))) <= room

    def draw_lane(self, lane: Sequence[LaneSpan], kept: frozenset[int]) -> list[tuple[str, str]]:
        """Draw the text with brackets around the spans of one lane."""
        first, last = -1 if self.before else 0, len(self.clusters) + self.after
        edges = sorted({edge for span in lane for edge in (span.start, span.end)})
        start, end = choose_isolates("".join(self.clusters), self.canvas.encoding)
        pieces = [(start, ""), (self._join_clusters(range(first, edges[0] if edges else last), kept), "")]
        for low, high in pairwise([*edges, last]) if edges else ():
            inside = [span for span in lane if span.start <= low < span.end]
            pieces += self._draw_edge(lane, low)
            pieces.append((self._join_clusters(range(low, high), kept), inside[-1].style if inside else ""))
        return _join_styles([*pieces, (end, "")])

    def _draw_edge(self, lane: Sequence[LaneSpan], at: int) -> Iterator[tuple[str, str]]:
        """Draw the brackets between two clusters.

        First come the brackets of the spans that end there, then of those that start.
        """
        opening, closing = self.brackets
        yield from ((closing, span.style) for span in reversed(lane) if span.start < span.end == at)
        for span in lane:
            if span.start == at:
                label = f"{self.canvas.isolate(make_visible(span.label, self.canvas.encoding))} " if span.label else ""
                yield opening + label, span.style
                if span.end == at:
                    yield closing, span.style

    def _join_clusters(self, clusters: range, kept: frozenset[int]) -> str:
        """Join the kept clusters, with an ellipsis for each run of others."""
        runs = groupby(clusters, key=kept.__contains__)
        return "".join("".join(self.clusters[at] for at in run) if keep else self.canvas.ellipsis for keep, run in runs)

    def _count_cells(self, kept: frozenset[int]) -> int:
        return max(measure_width("".join(piece for piece, _ in self.draw_lane(lane, kept))) for lane in self.lanes)

    @cached_property
    def _edges(self) -> frozenset[int]:
        return frozenset(edge for lane in self.lanes for span in lane for edge in (span.start, span.end))

    def _measure_distance(self, cluster: int) -> int:
        """Measure the distance of a cluster from the nearest span edge.

        The context has a larger weight.
        """
        inside = any(span.start <= cluster < span.end for lane in self.lanes for span in lane)
        nearest = min(cluster - edge if cluster >= edge else edge - cluster - 1 for edge in self._edges)
        return nearest if inside else CONTEXT_WEIGHT * nearest


def _join_styles(pieces: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Join neighbouring pieces of one style."""
    runs = groupby(pieces, key=lambda piece: piece[1])
    return [("".join(text for text, _ in run), style) for style, run in runs]


def _draw_field(name: str, value: object, canvas: _Canvas) -> DrawingLine:
    """Draw another field of a finding: a text, or several."""
    texts = value if isinstance(value, list) else [value]
    head = f"  {name:9}  "
    return DrawingLine(((head + canvas.format_words(" / ".join(map(str, texts)), canvas.width - len(head)), ""),))


def _draw_remarks(text: str, mark: Mark, canvas: _Canvas) -> list[DrawingLine]:
    """Draw remarks on edges of a mark inside a cluster.

    Brackets cannot show such edges.
    """
    cells = canvas.width - canvas.indent
    return [
        DrawingLine(((" " * canvas.indent + fit_width(remark, cells, ellipsis=canvas.ellipsis), ""),))
        for remark in describe_cut_clusters(text, mark.text_start or 0, mark.text_end or 0)
    ]
