"""A report as one HTML page.

The page has boards, and charts, tables and findings of each run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from isogloss.kernel.scores import format_path, parse_path
from isogloss.report.export import format_ranking_title, list_ranking_tables
from isogloss.report.html.figures import (
    ChartLine,
    ConfusionMatrix,
    CurvePair,
    Markup,
    Scale,
    build_curve_pairs,
    build_matrix,
    draw_axis,
    draw_bar_row,
    draw_interval_row,
    draw_spread_row,
)
from isogloss.report.html.findings import FindingsOverview, group_findings
from isogloss.report.leaderboard import (
    ScoreBoard,
    build_cell,
    build_corpora_board,
    build_labels_board,
    build_systems_board,
)
from isogloss.report.ranking_tables import PairMatrix, build_pair_matrix
from isogloss.report.report_runs import ReportCorpus, ReportRun, list_report_runs
from isogloss.report.run_tables import build_tables
from isogloss.report.text_formats import format_warning
from isogloss.runs.main_scores import choose_label_score, choose_main_score, format_score_title, get_score_value
from isogloss.runs.run import Run
from isogloss.runs.score_tables import UNDEFINED_CELL, ScoreTable, format_cell
from isogloss.stats.intervals import DocumentSpread
from isogloss.tasks.registry import get_task
from isogloss.text.display import choose_isolates, format_count, make_visible
from isogloss.version import __version__

SPREAD_NOTE = "Dot: mean. Box: one standard deviation to either side. Line: from the lowest to the highest document."
MAX_BARS = 60  # of a chart


@dataclass(frozen=True)
class Chart:
    """A chart: rows on one scale.

    Args:
        title: its title.
        note: how to read it.
        lines: its rows.
        axis: the numbers under the rows.
        left_out: number of rows that are not shown.
    """

    title: str
    note: str
    lines: tuple[ChartLine, ...]
    axis: Markup
    left_out: int = 0


def build_ranking_chart(board: ScoreBoard) -> Chart:
    """Build the chart of the first score of a board.

    Args:
        board: systems by scores.
    """
    cells = [(name, anchor, row[0]) for name, anchor, row in board.rows if row[0] is not None]
    scale = Scale.from_values(chain.from_iterable((cell.value, cell.low, cell.high) for _, _, cell in cells if cell))
    lines = tuple(
        ChartLine(
            name,
            draw_interval_row(scale, cell.value, cell.low, cell.high),
            _format_numbers(cell.value, cell.low, cell.high),
            f"#{anchor}",
        )
        for name, anchor, cell in cells
        if cell is not None
    )
    note = "Lower is better. " if board.lower_is_better else ""
    return Chart(
        board.columns[0], f"{note}Lines are intervals; the scale need not begin at 0.", lines, draw_axis(scale)
    )


def build_label_chart(run: Run) -> Chart | None:
    """Build the chart of the main score of labels; None without labels.

    Args:
        run: the run.
    """
    chosen = choose_label_score([run])
    if chosen is None:
        return None
    rows = [(label, format_path(("by_label", label, *chosen))) for label in sorted(run.by_label)]
    return _build_bar_chart(f"{format_score_title(run, format_path(chosen))} by label", run, rows)


def build_slice_chart(run: Run, column: str, main: str) -> Chart:
    """Build the chart of the main score of a column's slices.

    Args:
        run: the run.
        column: the column of its slices.
        main: path of the main score.
    """
    name = parse_path(main)
    rows = [(value, format_path(("slices", column, value, *name))) for value in run.slices[column]]
    documents = {value: format_count(int(own["documents"]), "document") for value, own in run.slices[column].items()}
    return _build_bar_chart(f"{format_score_title(run, main)} by {column}", run, rows, documents)


def _build_bar_chart(
    heading: str, run: Run, rows: Sequence[tuple[str, str]], details: Mapping[str, str] | None = None
) -> Chart:
    """Build a bar for each score that the run has.

    The rows are names and paths of scores.
    """
    known = []
    for name, path in rows:
        if (value := get_score_value(run, path)) is not None:
            found = run.intervals.get(path)
            known.append((name, value, *((math.nan, math.nan) if found is None else (found.low, found.high))))
    kept = known[:MAX_BARS]
    scale = Scale.from_values(chain.from_iterable(row[1:] for row in kept), from_zero=True)
    lines = tuple(
        ChartLine(
            name,
            draw_bar_row(scale, value, low, high),
            (*_format_numbers(value, low, high), *([] if details is None else [details[name]])),
        )
        for name, value, low, high in kept
    )
    note = "Lines are intervals." if any(not math.isnan(row[2]) for row in kept) else ""
    return Chart(heading, note, lines, draw_axis(scale), len(known) - len(kept))


def build_spread_charts(run: Run) -> list[Chart]:
    """Build charts of scores over single documents.

    There is one chart of all shares, and one of each other score.

    Args:
        run: the run.
    """
    known = [(format_score_title(run, name), own) for name, own in run.per_document.items() if not math.isnan(own.mean)]
    shares = [(name, own) for name, own in known if own.min >= 0 and own.max <= 1]
    others = [[(name, own)] for name, own in known if (name, own) not in shares]
    return [_build_spread_chart(rows) for rows in (shares, *others) if rows]


def _build_spread_chart(rows: Sequence[tuple[str, DocumentSpread]]) -> Chart:
    scale = Scale.from_values(chain.from_iterable((own.min, own.max) for _, own in rows), from_zero=True)
    lines = tuple(
        ChartLine(
            name,
            draw_spread_row(scale, own.mean, own.std, own.min, own.max),
            (format_number(own.mean), f"± {format_number(own.std)}", format_count(own.documents, "document")),
        )
        for name, own in rows
    )
    heading = "Over single documents" if len(rows) > 1 else f"{rows[0][0]} over single documents"
    return Chart(heading, SPREAD_NOTE, lines, draw_axis(scale))


def _format_numbers(value: float, low: float, high: float) -> tuple[str, ...]:
    return (
        (format_number(value),) if math.isnan(low) else (format_number(value), f"{low:.3f}{UNDEFINED_CELL}{high:.3f}")
    )


def format_number(value: float) -> str:
    """Format a ratio with four digits, an undefined one as a dash.

    Args:
        value: nan if undefined.
    """
    return format_cell(float(value))


SMALLEST_P = 0.001  # smaller p-values are shown as below this


@dataclass(frozen=True, eq=False)
class RunSection:
    """Section of one run.

    Args:
        entry: the run.
        headline: title, value and interval of its main score.
        tables: its tables of scores.
        bars: chart of labels; None without labels.
        matrix: confusion matrix; None without confusions.
        slices: a chart for each column.
        curves: both curves of each label.
        spreads: charts of scores over single documents.
        findings: findings of the documents that have the most.
        warnings: its warnings as text.
    """

    entry: ReportRun
    headline: tuple[str, str, str]
    tables: tuple[ScoreTable, ...]
    bars: Chart | None
    matrix: ConfusionMatrix | None
    slices: tuple[Chart, ...]
    curves: tuple[CurvePair, ...]
    spreads: tuple[Chart, ...]
    findings: FindingsOverview
    warnings: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class CorpusGroup:
    """Part of a page with the runs on one corpus.

    Args:
        corpus: the runs.
        board: systems by scores; None for one run.
        picture: chart of their main score; None for one run.
        labels: labels by systems; None for one run or without labels.
        ranking: table of ranks; None if the runs were not ranked.
        pairs: p-values of all pairs; None if the runs were not ranked.
        sections: section of each run.
    """

    corpus: ReportCorpus
    board: ScoreBoard | None
    picture: Chart | None
    labels: ScoreBoard | None
    ranking: ScoreTable | None
    pairs: PairMatrix | None
    sections: tuple[RunSection, ...]


@dataclass(frozen=True)
class PageOptions:
    """Options of a page.

    Args:
        title: title of the page; None for task and systems.
        score: path of the main score; None for the main score of the task.
        findings: largest number of findings of each run.
        leaderboard: whether to show the leaderboard only.
    """

    title: str | None = None
    score: str | None = None
    findings: int = 100
    leaderboard: bool = False


def render_report_page(corpora: Sequence[ReportCorpus], options: PageOptions | None = None) -> str:
    """Render a report as one HTML file without other files.

    Args:
        corpora: runs of one task by corpus; at least one.
        options: options of the page; None for the defaults.

    Raises:
        UsageError: if no run has the main score.
    """
    options = options or PageOptions()
    runs = [entry.run for entry in list_report_runs(corpora)]
    main = choose_main_score(runs, options.score)
    content: dict[str, Any] = {
        "title": options.title or _choose_title(corpora),
        "version": __version__,
        "task": runs[0].task,
        "main": format_score_title(corpora[0].runs[0], main),
        "board": build_corpora_board(corpora, main) if len(corpora) > 1 or options.leaderboard else None,
        "groups": () if options.leaderboard else tuple(_build_group(corpus, main, options) for corpus in corpora),
        "corpora": corpora,
        "comparing": any(entry.changes for entry in list_report_runs(corpora)),
    }
    page: str = _load_template().render(content)
    return page


def _load_template() -> Any:
    import jinja2  # noqa: PLC0415  start-up: a notebook draws a run without it

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("isogloss.report.html", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_show_controls,
    )
    environment.filters |= {
        "cell": format_cell,
        "number": format_number,
        "interval": _format_interval,
        "change": _format_change,
        "p": _format_p,
        "direction": detect_direction,
        "counted": format_count,
    }
    return environment.get_template("page.html")


def _show_controls(value: Any) -> Any:
    """Show the control characters of a text that a template prints."""
    return make_visible(value) if type(value) is str else value


def detect_direction(text: str) -> str:
    """Detect the direction of a text by most of its letters.

    The first word does not decide.

    Args:
        text: an excerpt.

    Returns:
        `rtl` or `ltr`.
    """
    return "rtl" if choose_isolates(make_visible(text))[0] == "\u2067" else "ltr"


def _choose_title(corpora: Sequence[ReportCorpus]) -> str:
    entries = list_report_runs(corpora)
    task = get_task(entries[0].run.task).title
    if len(entries) == 1:
        return f"{task}: {entries[0].name}"
    if len(corpora) > 1:
        return f"{task}: {format_count(len({entry.name for entry in entries}), 'system')} on {len(corpora)} corpora"
    return f"{task}: {format_count(len(entries), 'system')}"


def _build_group(corpus: ReportCorpus, main: str, options: PageOptions) -> CorpusGroup:
    sections = tuple(_build_section(entry, main, options) for entry in corpus.entries)
    if len(corpus.entries) == 1:
        return CorpusGroup(corpus, None, None, None, None, None, sections)
    board = build_systems_board(corpus, main)
    ranking = next(iter(list_ranking_tables([corpus])), None)
    labels, pairs = build_labels_board(corpus), _build_pairs(corpus)
    return CorpusGroup(corpus, board, build_ranking_chart(board), labels, ranking, pairs, sections)


def _build_pairs(corpus: ReportCorpus) -> PairMatrix | None:
    if corpus.ranking is None:
        return None
    return build_pair_matrix(corpus.ranking, format_ranking_title(corpus), corpus.list_ranked_names())


def _build_section(entry: ReportRun, main: str, options: PageOptions) -> RunSection:
    run = entry.run
    return RunSection(
        entry=entry,
        headline=_build_headline(entry, main),
        tables=tuple(
            table for table in build_tables([run]) if not table.title.startswith("Confusion")
        ),  # the page draws a matrix
        bars=build_label_chart(run),
        matrix=build_matrix(run.confusion),
        slices=tuple(build_slice_chart(run, column, main) for column in run.slices),
        curves=tuple(build_curve_pairs(entry.curves, run.by_label)),
        spreads=tuple(build_spread_charts(run)),
        findings=group_findings(run, options.findings),
        warnings=tuple(map(format_warning, run.warnings)),
    )


def _build_headline(entry: ReportRun, main: str) -> tuple[str, str, str]:
    cell = build_cell(entry, main)
    if cell is None:
        return format_score_title(entry.run, main), UNDEFINED_CELL, ""
    level = next((f"{100 * own.level:g}%: " for own in entry.run.intervals.values()), "")
    interval = f"{level}{_format_interval(cell)}" if cell.has_interval else ""
    return format_score_title(entry.run, main), format_number(cell.value), interval


def _format_interval(cell: Any) -> str:
    return format_cell((cell.low, cell.high))


def _format_change(value: float) -> str:
    """Format a difference with its sign."""
    return f"{value:+.4f}".replace("-", "\N{MINUS SIGN}")


def _format_p(value: float) -> str:
    if math.isnan(value):
        return UNDEFINED_CELL
    return f"< {SMALLEST_P}" if value < SMALLEST_P else f"{value:.3f}"
