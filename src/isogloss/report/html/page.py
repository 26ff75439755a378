"""What is drawn of a run: its main score beside others, labels, slices, and the spread over documents."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from isogloss.errors import MissingExtraError
from isogloss.kernel.scores import keys_of, path
from isogloss.report.entries import Corpus, Entry, entries_of
from isogloss.report.html.figures import (
    Drawing,
    Line,
    Matrix,
    Pair,
    Scale,
    axis,
    bar_row,
    interval_row,
    matrix,
    pairs,
    spread_row,
)
from isogloss.report.html.findings import Shown, group_findings
from isogloss.report.leaderboard import Board, corpora_board, labels_board, score_at, systems_board
from isogloss.report.plain import notice_line
from isogloss.report.tables import build_tables
from isogloss.runs.main_scores import main_score, score_of_labels, score_title
from isogloss.runs.run import Run
from isogloss.runs.tables import UNDEFINED, Table, format_cell
from isogloss.stats.intervals import Spread
from isogloss.tasks.registry import get_task
from isogloss.text.display import counted, isolates, visible
from isogloss.version import __version__

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
    return _bar_picture(f"{score_title(run, path(chosen))} by label", run, rows)


def slices(run: Run, column: str, main: str) -> Picture:
    """The main score of each value of a column; without rows where parts do not have it."""
    name = keys_of(main)
    rows = [(value, path(("slices", column, value, *name))) for value in run.slices[column]]
    documents = {value: counted(int(own["documents"]), "document") for value, own in run.slices[column].items()}
    return _bar_picture(f"{score_title(run, main)} by {column}", run, rows, documents)


def _bar_picture(
    heading: str,
    run: Run,
    rows: Sequence[tuple[str, str]],
    more: Mapping[str, str] | None = None,
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
    known = [(score_title(run, name), own) for name, own in run.per_document.items() if not math.isnan(own.mean)]
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
    return format_cell(float(value))


PRECISE = 0.001  # p-values below this are not told apart


@dataclass(frozen=True, eq=False)
class Section:
    """All about one run.

    Args:
        entry: the run.
        headline: title, value and interval of its main score.
        tables: its scores, as every form has them.
        bars: by label, None where there are no labels.
        matrix: confusions, None where there are none.
        slices: a picture for each column.
        curves: both curves of each label.
        spreads: over documents.
        findings: of the documents that have most of them.
        warnings: what was done about the input.
    """

    entry: Entry
    headline: tuple[str, str, str]
    tables: tuple[Table, ...]
    bars: Picture | None
    matrix: Matrix | None
    slices: tuple[Picture, ...]
    curves: tuple[Pair, ...]
    spreads: tuple[Picture, ...]
    findings: Shown
    warnings: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Group:
    """The runs on one corpus, beside each other and one by one.

    Args:
        corpus: the runs.
        board: systems by scores, None for one run.
        picture: their main score with its interval, None for one run.
        labels: labels by systems, None for one run or without labels.
        sections: of each run.
    """

    corpus: Corpus
    board: Board | None
    picture: Picture | None
    labels: Board | None
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class Wishes:
    """What a page shows.

    Args:
        title: of the page, None for one that says what it is about.
        score: path of the main score, None for that of the task.
        findings: how many of each run at most.
        leaderboard: the leaderboard alone, without what is known of each run.
    """

    title: str | None = None
    score: str | None = None
    findings: int = 100
    leaderboard: bool = False


def page(corpora: Sequence[Corpus], wishes: Wishes | None = None) -> str:
    """A report as one HTML file, complete in itself.

    Args:
        corpora: runs of one task, by corpus; at least one.
        wishes: what it shows.

    Raises:
        MissingExtraError: jinja2 is not installed.
        UsageError: no run has the score that was asked for.
    """
    wishes = wishes or Wishes()
    runs = [entry.run for entry in entries_of(corpora)]
    main = main_score(runs, wishes.score)
    content: dict[str, Any] = {
        "title": wishes.title or _title(corpora),
        "version": __version__,
        "task": runs[0].task,
        "main": score_title(corpora[0].runs[0], main),
        "board": corpora_board(corpora, main) if len(corpora) > 1 or wishes.leaderboard else None,
        "groups": () if wishes.leaderboard else tuple(_group(corpus, main, wishes) for corpus in corpora),
        "corpora": corpora,
        "comparing": any(entry.changes for entry in entries_of(corpora)),
    }
    written: str = _template().render(content)
    return written


def _template() -> Any:
    try:
        import jinja2  # noqa: PLC0415  an extra
    except ImportError as error:
        raise MissingExtraError("An HTML report", "isogloss[report]") from error
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("isogloss.report.html", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_printable,
    )
    environment.filters |= {
        "cell": format_cell,
        "number": number,
        "interval": _interval,
        "change": _change,
        "p": _p,
        "direction": direction,
        "counted": counted,
    }
    return environment.get_template("page.html")


def _printable(value: Any) -> Any:
    """Whatever a template prints, with control characters of the data shown."""
    return visible(value) if type(value) is str else value


def direction(text: str) -> str:
    """`rtl` where most letters run from right to left: an excerpt may begin with a foreign name."""
    return "rtl" if isolates(visible(text))[0] == "\u2067" else "ltr"


def _title(corpora: Sequence[Corpus]) -> str:
    entries = entries_of(corpora)
    task = get_task(entries[0].run.task).title
    if len(entries) == 1:
        return f"{task}: {entries[0].name}"
    if len(corpora) > 1:
        return f"{task}: {counted(len({entry.name for entry in entries}), 'system')} on {len(corpora)} corpora"
    return f"{task}: {counted(len(entries), 'system')}"


def _group(corpus: Corpus, main: str, wishes: Wishes) -> Group:
    sections = tuple(_section(entry, main, wishes) for entry in corpus.entries)
    if len(corpus.entries) == 1:
        return Group(corpus, None, None, None, sections)
    board = systems_board(corpus, main)
    return Group(corpus, board, ranking(board), labels_board(corpus), sections)


def _section(entry: Entry, main: str, wishes: Wishes) -> Section:
    run = entry.run
    return Section(
        entry=entry,
        headline=_headline(entry, main),
        tables=tuple(
            own for own in build_tables([run]) if not own.title.startswith("Confusion")
        ),  # which is a picture here
        bars=bars(run),
        matrix=matrix(run.confusion),
        slices=tuple(slices(run, column, main) for column in run.slices),
        curves=tuple(pairs(entry.curves, run.by_label)),
        spreads=tuple(spreads(run)),
        findings=group_findings(run, wishes.findings),
        warnings=tuple(map(notice_line, run.warnings)),
    )


def _headline(entry: Entry, main: str) -> tuple[str, str, str]:
    cell = score_at(entry, main)
    if cell is None:
        return score_title(entry.run, main), UNDEFINED, ""
    level = next((f"{100 * own.level:g}%: " for own in entry.run.intervals.values()), "")
    interval = f"{level}{_interval(cell)}" if cell.has_interval else ""
    return score_title(entry.run, main), number(cell.value), interval


def _interval(cell: Any) -> str:
    return format_cell((cell.low, cell.high))


def _change(value: float) -> str:
    """A difference with its sign."""
    return f"{value:+.4f}".replace("-", "\N{MINUS SIGN}")


def _p(value: float) -> str:
    if math.isnan(value):
        return UNDEFINED
    return f"< {PRECISE}" if value < PRECISE else f"{value:.3f}"
