"""Draw findings for a terminal: the spans of both sides, in text of any script.

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
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

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

CONTEXT_WEIGHT = 4  # distances in the context count this many times as much as inside a mark


@dataclass(frozen=True)
class DrawingLine:
    """One line of a drawing: `str` returns plain text, and a `rich` console prints its styles.

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
class _Canvas:
    """The layout that all lines of a finding share.

    Args:
        encoding: encoding of the output.
        width: cells of a line.
        labels: cells of the column of labels; 0 without labels.
        sides: whether there is a column with the sides of marks.
    """

    encoding: str
    width: int
    labels: int
    sides: bool = True

    @property
    def ellipsis(self) -> str:
        return ELLIPSIS if can_encode(ELLIPSIS, self.encoding) else "..."

    @property
    def indent(self) -> int:
        """Cells before the text."""
        return len("  reference  " if self.sides else "  ") + (self.labels + 3 if self.labels else 0)

    def format_words(self, words: str, cells: int) -> str:
        """Format words outside the text, cut at the end."""
        return self.isolate(fit_width(make_visible(words, self.encoding), cells, ellipsis=self.ellipsis))

    def isolate(self, words: str) -> str:
        start, end = choose_isolates(words, self.encoding)
        return start + words + end

    def format_head(self, mark: Mark) -> str:
        """Format the columns before the text."""
        label = self.format_words(mark.label or "", self.labels)
        side = f"{mark.side:9}  " if self.sides else ""
        return f"  {side}{label}".ljust(self.indent + len(label) - measure_width(label))


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
    style = STYLES.get(finding.kind, OTHER_STYLE)
    texts = _draw_texts(finding, canvas, style)
    lines = [_draw_heading(finding, canvas, style)]
    for mark, pieces in zip(finding.marks, texts, strict=True):
        lines.append(DrawingLine(((canvas.format_head(mark), ""), *pieces)))
        lines.extend(_draw_remarks(finding.text or "", mark, canvas))
    return lines + [_draw_field(name, finding.extra[name], canvas) for name in SHOWN_FIELDS if name in finding.extra]


def _build_canvas(finding: Finding, cells: int, encoding: str, *, sides: bool) -> _Canvas:
    widest = max(measure_width(make_visible(mark.label or "", encoding)) for mark in finding.marks)
    return _Canvas(encoding, cells, min(widest, cells // 5), sides)


def _draw_heading(finding: Finding, canvas: _Canvas, style: str) -> DrawingLine:
    kind = canvas.format_words(finding.kind, canvas.width // 2)
    where = make_visible(finding.where, canvas.encoding)
    where = fit_width(where, canvas.width - measure_width(kind) - 3, ellipsis=canvas.ellipsis, keep="end")
    return DrawingLine(((kind, style), ("   " + canvas.isolate(where), "")))


def _draw_texts(finding: Finding, canvas: _Canvas, style: str) -> list[Sequence[tuple[str, str]]]:
    """Draw the last column of each mark."""
    if finding.text is None:
        places = (f"[{mark.start}, {mark.end})" if mark.end > mark.start else "" for mark in finding.marks)
        return [((place, style),) for place in places]
    excerpt = _Excerpt.from_finding(finding, finding.text, canvas)
    kept = excerpt.choose_clusters(canvas.width - canvas.indent)
    return [excerpt.draw_mark(reach, kept, style) for reach in excerpt.reaches]


@dataclass(frozen=True)
class _Excerpt:
    """A text as clusters, and the clusters of each mark.

    Args:
        clusters: the text of each cluster as printed.
        reaches: first cluster of each mark, and the cluster after its last.
        before: whether the document continues before the text.
        after: whether the document continues after the text.
        canvas: layout of the lines.
    """

    clusters: tuple[str, ...]
    reaches: tuple[tuple[int, int], ...]
    before: bool
    after: bool
    canvas: _Canvas

    @classmethod
    def from_finding(cls, finding: Finding, text: str, canvas: _Canvas) -> _Excerpt:
        bounds = split_graphemes(text)
        starts = [start for start, _ in bounds]
        spans = [snap_to_clusters(text, mark.text_start or 0, mark.text_end or 0) for mark in finding.marks]
        return cls(
            tuple(make_cluster_visible(text[start:end], canvas.encoding) for start, end in bounds),
            tuple((bisect_left(starts, begin), bisect_left(starts, stop)) for begin, stop in spans),
            finding.before,
            finding.after,
            canvas,
        )

    @property
    def brackets(self) -> tuple[str, str]:
        text = "".join(self.clusters)
        fitting = (
            (opening, closing)
            for opening, closing in BRACKETS
            if opening not in text and closing not in text and can_encode(opening + closing, self.canvas.encoding)
        )
        return next(fitting, BRACKETS[-1])

    def choose_clusters(self, room: int) -> frozenset[int]:
        """Choose the clusters that fit into this many cells, the same for all marks."""
        order = sorted(range(len(self.clusters)), key=self._measure_distance)
        shown = bisect_right(range(len(order) + 1), room, key=lambda count: self._count_cells(frozenset(order[:count])))
        return frozenset(order[: max(shown - 1, 0)])

    def draw_mark(self, reach: tuple[int, int], kept: frozenset[int], style: str) -> list[tuple[str, str]]:
        """Draw the text with brackets around one mark."""
        first, after_last = reach
        opening, closing = self.brackets
        before = self._join_clusters(range(-1 if self.before else 0, first), kept)
        span = self._join_clusters(range(first, after_last), kept)
        after = self._join_clusters(range(after_last, len(self.clusters) + self.after), kept)
        start, end = choose_isolates("".join(self.clusters), self.canvas.encoding)
        return [(start + before, ""), (opening + span + closing, style), (after + end, "")]

    def _join_clusters(self, clusters: range, kept: frozenset[int]) -> str:
        """Join the clusters that are kept, with an ellipsis for each run of others."""
        runs = groupby(clusters, key=kept.__contains__)
        return "".join("".join(self.clusters[at] for at in run) if keep else self.canvas.ellipsis for keep, run in runs)

    def _count_cells(self, kept: frozenset[int]) -> int:
        return max(
            measure_width("".join(piece for piece, _ in self.draw_mark(reach, kept, ""))) for reach in self.reaches
        )

    def _measure_distance(self, cluster: int) -> int:
        """Measure the distance of a cluster from the nearest edge of a mark; the context has a larger weight."""
        inside = any(first <= cluster < after_last for first, after_last in self.reaches)
        edges = {edge for reach in self.reaches for edge in reach}
        nearest = min(cluster - edge if cluster >= edge else edge - cluster - 1 for edge in edges)
        return nearest if inside else CONTEXT_WEIGHT * nearest


def _draw_field(name: str, value: object, canvas: _Canvas) -> DrawingLine:
    """Draw another field of a finding: a text, or several."""
    texts = value if isinstance(value, list) else [value]
    head = f"  {name:9}  "
    return DrawingLine(((head + canvas.format_words(" / ".join(map(str, texts)), canvas.width - len(head)), ""),))


def _draw_remarks(text: str, mark: Mark, canvas: _Canvas) -> list[DrawingLine]:
    """Draw remarks on edges of a mark inside a cluster, which brackets cannot show."""
    cells = canvas.width - canvas.indent
    return [
        DrawingLine(((" " * canvas.indent + fit_width(remark, cells, ellipsis=canvas.ellipsis), ""),))
        for remark in describe_cut_clusters(text, mark.text_start or 0, mark.text_end or 0)
    ]
