"""What is drawn of a run: its main score beside others, labels, slices, and the spread over documents."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from isogloss.report.boards import Board
from isogloss.report.html.figures import Line, Scale, axis, bar_row, interval_row, spread_row
from isogloss.report.html.svg import Drawing
from isogloss.report.main_scores import score_of_labels, title
from isogloss.report.tables import UNDEFINED, shown
from isogloss.resampling import Spread
from isogloss.run import Run
from isogloss.scores import keys_of, path
from isogloss.text import counted

SPREAD_NOTE = "Dot: mean. Box: one standard deviation to either side. Line: from the lowest to the highest document."
MOST_BARS = 60  # labels or values of a picture


@dataclass(frozen=True)
class Picture:
    """Rows on one scale.

    Args:
        title: what it shows.
        note: how it is read.
        lines: its rows.
        axis: the numbers under them.
        left_out: how many rows there would be more.
    """

    title: str
    note: str
    lines: tuple[Line, ...]
    axis: Drawing
    left_out: int = 0


def ranking(board: Board) -> Picture:
    """The first score of a board with its intervals."""
    cells = [(name, anchor, row[0]) for name, anchor, row in board.rows if row[0] is not None]
    scale = Scale.around(chain.from_iterable((cell.value, cell.low, cell.high) for _, _, cell in cells if cell))
    lines = tuple(
        Line(
            name,
            interval_row(scale, cell.value, cell.low, cell.high),
            _numbers(cell.value, cell.low, cell.high),
            f"#{anchor}",
        )
        for name, anchor, cell in cells
        if cell is not None
    )
    note = "Lower is better. " if board.lower_is_better else ""
    return Picture(board.columns[0], f"{note}Lines are intervals; the scale need not begin at 0.", lines, axis(scale))


def bars(run: Run) -> Picture | None:
    """The score by label that stands for labels; None where there are none."""
    chosen = score_of_labels([run])
    if chosen is None:
        return None
    rows = [(label, path(("by_label", label, *chosen))) for label in sorted(run.by_label)]
    return _bar_picture(f"{title(path(chosen))} by label", run, rows)


def slices(run: Run, column: str, main: str) -> Picture:
    """The main score of each value of a column; without rows where parts do not have it."""
    name = keys_of(main)
    rows = [(value, path(("slices", column, value, *name))) for value in run.slices[column]]
    documents = {value: counted(int(own["documents"]), "document") for value, own in run.slices[column].items()}
    return _bar_picture(f"{title(main)} by {column}", run, rows, documents)


def _bar_picture(
    heading: str, run: Run, rows: Sequence[tuple[str, str]], more: Mapping[str, str] | None = None
) -> Picture:
    """A bar for each name and path, as far as the run has the score."""
    known = []
    for name, place in rows:
        try:
            value = float(run.score(place))
        except KeyError:
            continue
        found = run.intervals.get(place)
        known.append((name, value, *((math.nan, math.nan) if found is None else (found.low, found.high))))
    kept = known[:MOST_BARS]
    scale = Scale.around(chain.from_iterable(row[1:] for row in kept), from_zero=True)
    lines = tuple(
        Line(name, bar_row(scale, value, low, high), (*_numbers(value, low, high), *_more(more, name)))
        for name, value, low, high in kept
    )
    note = "Lines are intervals." if any(not math.isnan(row[2]) for row in kept) else ""
    return Picture(heading, note, lines, axis(scale), len(known) - len(kept))


def _more(more: Mapping[str, str] | None, name: str) -> tuple[str, ...]:
    return () if more is None else (more[name],)


def spreads(run: Run) -> list[Picture]:
    """Each score over single documents: shares in one picture, what has another scale in one of its own."""
    known = [(title(name), own) for name, own in run.per_document.items() if not math.isnan(own.mean)]
    shares = [(name, own) for name, own in known if own.min >= 0 and own.max <= 1]
    others = [[(name, own)] for name, own in known if (name, own) not in shares]
    return [_spread(rows) for rows in (shares, *others) if rows]


def _spread(rows: Sequence[tuple[str, Spread]]) -> Picture:
    scale = Scale.around(chain.from_iterable((own.min, own.max) for _, own in rows), from_zero=True)
    lines = tuple(
        Line(
            name,
            spread_row(scale, own.mean, own.std, own.min, own.max),
            (number(own.mean), f"± {number(own.std)}", counted(own.documents, "document")),
        )
        for name, own in rows
    )
    heading = "Over single documents" if len(rows) > 1 else f"{rows[0][0]} over single documents"
    return Picture(heading, SPREAD_NOTE, lines, axis(scale))


def _numbers(value: float, low: float, high: float) -> tuple[str, ...]:
    return (number(value),) if math.isnan(low) else (number(value), f"{low:.3f}{UNDEFINED}{high:.3f}")


def number(value: float) -> str:
    """A ratio as it is printed."""
    return shown(float(value))
