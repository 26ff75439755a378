"""The page: what each section shows, and the template that draws it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from isogloss import __version__
from isogloss.exceptions import MissingExtraError
from isogloss.report.boards import Board, corpora_board, labels_board, score_at, systems_board
from isogloss.report.entries import Corpus, Entry, entries_of
from isogloss.report.html.contexts import Shown, shown
from isogloss.report.html.curves import Pair, pairs
from isogloss.report.html.matrix import Matrix, matrix
from isogloss.report.html.pictures import Picture, bars, number, ranking, slices, spreads
from isogloss.report.main_scores import TASKS, main_score, title
from isogloss.report.plain import notice_line
from isogloss.report.tables import UNDEFINED, Table, tables
from isogloss.report.tables import shown as shown_cell
from isogloss.text import counted, isolates, visible

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
        "main": title(main),
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
        "cell": shown_cell,
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
    task = TASKS.get(entries[0].run.task, entries[0].run.task)
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
        tables=tuple(own for own in tables([run]) if not own.title.startswith("Confusion")),  # which is a picture here
        bars=bars(run),
        matrix=matrix(run.confusion),
        slices=tuple(slices(run, column, main) for column in run.slices),
        curves=tuple(pairs(entry.curves, run.by_label)),
        spreads=tuple(spreads(run)),
        findings=shown(run, wishes.findings),
        warnings=tuple(map(notice_line, run.warnings)),
    )


def _headline(entry: Entry, main: str) -> tuple[str, str, str]:
    cell = score_at(entry, main)
    if cell is None:
        return title(main), UNDEFINED, ""
    level = next((f"{100 * own.level:g}%: " for own in entry.run.intervals.values()), "")
    interval = f"{level}{_interval(cell)}" if cell.has_interval else ""
    return title(main), number(cell.value), interval


def _interval(cell: Any) -> str:
    return shown_cell((cell.low, cell.high))


def _change(value: float) -> str:
    """A difference with its sign."""
    return f"{value:+.4f}".replace("-", "\N{MINUS SIGN}")


def _p(value: float) -> str:
    if math.isnan(value):
        return UNDEFINED
    return f"< {PRECISE}" if value < PRECISE else f"{value:.3f}"
