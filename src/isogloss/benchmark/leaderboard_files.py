"""Leaderboards of a benchmark as HTML, Markdown, CSV, LaTeX and badges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from isogloss.benchmark.drawings import draw_critical_difference, draw_pareto_plot
from isogloss.benchmark.leaderboard import (
    CorpusBoard,
    Excerpts,
    LeaderboardRow,
    build_boards,
    build_confusion_table,
    build_overall_tables,
    build_score_table,
    build_time_table,
    list_tables,
)
from isogloss.benchmark.ranking import find_pareto_front
from isogloss.benchmark.results import Benchmark, MeasuredMachine, Timing
from isogloss.records.destinations import write_files
from isogloss.report.badges import draw_badge
from isogloss.report.export import escape_markdown
from isogloss.report.latex import format_document
from isogloss.report.markup import Markup, build_element, join_markup
from isogloss.report.text_formats import format_csv, format_latex_table, format_markdown_table
from isogloss.runs.score_tables import UNDEFINED_CELL, ScoreTable, format_cell

PAGE = "leaderboard.html"
BADGE_FOLDER = "badges"
BADGE_LIST = "badges.md"
REMEDY = "Name a folder that can be written."
CSV_FIELDS = (
    "corpus",
    "system",
    "status",
    "reason",
    "score",
    "value",
    "low",
    "high",
    "mean_over_documents",
    "first_rank",
    "last_rank",
    "group",
    "ok",
    "changed",
    "failed",
    "timed_out",
    "unstable",
    "machine",
    "characters_per_second",
    "ratio",
    "spread",
    "noisy",
    "startup_seconds",
    "peak_bytes",
)
STYLE = """
body{font:16px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color:#1d2129;background:#fff}
table{border-collapse:collapse;margin:1rem 0;display:block;overflow-x:auto}
th,td{padding:.3rem .7rem;border-bottom:1px solid #d5d9e0;text-align:right;white-space:nowrap}
th{border-bottom:2px solid #3f4450}td.text,th.text{text-align:left}
td.reason{white-space:normal;min-width:14rem}p.note{color:#4a5160}
figure{margin:1rem 0;overflow-x:auto}svg{display:block}
"""


def format_leaderboard_markdown(benchmark: Benchmark, excerpts: Excerpts) -> str:
    """Format the leaderboard as Markdown.

    Args:
        benchmark: the results.
        excerpts: excerpts from the runs by names of corpus and system.
    """
    title = f"# {escape_markdown(benchmark.plan.name)}"
    tables = (
        format_markdown_table(each, escape_markdown, escape_markdown(each.title))
        for each in list_tables(benchmark, excerpts)
    )
    signatures = dict.fromkeys(each.run.signature for each in benchmark.scored)
    return "\n\n".join([title, *tables, *(f"`{each}`" for each in signatures)]) + "\n"


def format_leaderboard_latex(benchmark: Benchmark, excerpts: Excerpts) -> str:
    """Format the leaderboard as LaTeX tables with booktabs rules.

    Args:
        benchmark: the results.
        excerpts: excerpts from the runs by names of corpus and system.
    """
    signatures = dict.fromkeys(each.run.signature for each in benchmark.scored)
    return format_document(signatures, "\n".join(map(format_latex_table, list_tables(benchmark, excerpts))))


def format_leaderboard_csv(benchmark: Benchmark) -> str:
    """Format the leaderboard as CSV, one line a cell and machine."""
    return format_csv(
        CSV_FIELDS,
        [
            line
            for board in build_boards(benchmark)
            for row in board.rows
            for line in _build_csv_rows(row, board.machines)
        ],
    )


def _build_csv_rows(row: LeaderboardRow, machines: Sequence[MeasuredMachine]) -> list[dict[str, object]]:
    """Build a line for each machine that timed the cell.

    Without a time there is one line.
    """
    cell, line = row.cell, _build_csv_row(row)
    timings = ((each.name, each.times.get(cell.corpus, {}).get(cell.system)) for each in machines)
    timed = [line | {"machine": name} | _build_time_fields(timing) for name, timing in timings if timing is not None]
    return timed or [line]


def _build_csv_row(row: LeaderboardRow) -> dict[str, object]:
    cell, interval, ranked = row.cell, row.interval or (None, None), row.ranked
    outcomes = {name.replace(" ", "_"): number for name, number in cell.outcomes.items()}
    places = {} if ranked is None else {name: getattr(ranked, name) for name in ("first_rank", "last_rank", "group")}
    return {
        "corpus": cell.corpus,
        "system": cell.system,
        "status": cell.status,
        "reason": cell.reason,
        "score": row.path,
        "value": row.value,
        "low": interval[0],
        "high": interval[1],
        "mean_over_documents": row.mean,
        "unstable": cell.unstable,
        **places,
        **outcomes,
    }


def _build_time_fields(timing: Timing) -> dict[str, object]:
    return {
        "characters_per_second": timing.speed,
        "ratio": timing.ratio,
        "spread": timing.spread,
        "noisy": timing.noisy,
        "startup_seconds": timing.startup,
        "peak_bytes": timing.peak,
    }


def format_leaderboard_page(benchmark: Benchmark, excerpts: Excerpts) -> str:
    """Format the leaderboard as one HTML page without other files.

    Args:
        benchmark: the results.
        excerpts: excerpts from the runs by names of corpus and system.
    """
    parts = [build_element("h1", benchmark.plan.name)]
    for ranking in benchmark.overall:
        parts += [_draw_table(table) for table in build_overall_tables(ranking)[:1]]
        figure = draw_critical_difference(ranking.systems, ranking.mean_ranks, ranking.critical_difference)
        parts.append(build_element("figure", figure))
        parts += [_draw_table(table) for table in build_overall_tables(ranking)[1:]]
    for board in build_boards(benchmark, excerpts):
        parts += _draw_board(board)
    body = join_markup(*parts)
    head = join_markup(
        Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
        build_element("title", benchmark.plan.name),
        build_element("style", Markup(STYLE)),
    )
    page = build_element(
        "html", build_element("head", head), build_element("body", build_element("main", body)), lang="en"
    )
    return f"<!DOCTYPE html>\n{page}\n"


def _draw_board(board: CorpusBoard) -> Iterator[Markup]:
    yield _draw_table(build_score_table(board), board.rows)
    for table in (build_confusion_table(board), build_time_table(board)):
        if table is not None:
            yield _draw_table(table)
    for machine in board.machines:
        timings = machine.times[board.corpus.name]
        points = [
            (row.cell.system, row.value, timings[row.cell.system].speed)
            for row in board.rows
            if row.value is not None and row.cell.system in timings
        ]
        if len(points) > 1:
            if board.is_merged:
                yield build_element("p", f"Score against speed on {machine.name}:")
            front = find_pareto_front([(value, speed) for _, value, speed in points])
            yield build_element("figure", draw_pareto_plot(points, front))


def _draw_table(table: ScoreTable, systems: Sequence[LeaderboardRow] = ()) -> Markup:
    """Draw a table; systems have anchors and links to their runs."""
    kinds = ["text" if column.kind == "text" else None for column in table.columns]
    head = build_element(
        "tr", *(build_element("th", each.title, class_=kind) for each, kind in zip(table.columns, kinds, strict=True))
    )
    rows = []
    for at, row in enumerate(table.rows):
        cells = [
            build_element("td", format_cell(cell), class_=_get_class(column.title, kind))
            for cell, column, kind in zip(row, table.columns, kinds, strict=True)
        ]
        if systems and systems[at].excerpt.link:
            link = build_element("a", format_cell(row[0]), href=systems[at].excerpt.link)
            cells[0] = build_element("td", link, class_="text")
        rows.append(build_element("tr", *cells, id=systems[at].anchor if systems else None))
    notes = (build_element("p", note, class_="note") for note in table.notes)
    inside = build_element("thead", head), build_element("tbody", *rows)
    return join_markup(build_element("h2", table.title), build_element("table", *inside), *notes)


def _get_class(title: str, kind: str | None) -> str | None:
    return "text reason" if title == "reason" else kind


def build_badges(benchmark: Benchmark, excerpts: Excerpts) -> dict[str, str]:
    """Build a badge for each system on each corpus.

    A Markdown table shows all badges. The result is the content by file name.

    A badge shows the mean over texts if there is one, else the score. It leads to the words of its run in the explorer,
    or to its row of the page if there is no run.

    Args:
        benchmark: the results.
        excerpts: excerpts from the runs by names of corpus and system.
    """
    content: dict[str, str] = {}
    names = [corpus.name for corpus in benchmark.corpora]
    table: dict[str, dict[str, str]] = {system.name: {} for system in benchmark.plan.system}
    for board in build_boards(benchmark, excerpts):
        for row in board.rows:
            file, corpus, system = f"{row.anchor}.svg", row.cell.corpus, row.cell.system
            href = row.excerpt.link or f"{PAGE}#{row.anchor}"
            content[f"{BADGE_FOLDER}/{file}"] = f"{draw_badge(system, _format_badge(row), f'../{href}')}\n"
            image = f"![{escape_markdown(system)} on {escape_markdown(corpus)}]({BADGE_FOLDER}/{file})"
            table[system][corpus] = f"[{image}](<{href}>)"
    lines = [["system", *map(escape_markdown, names)], ["---"] * (len(names) + 1)]
    lines += [[escape_markdown(name), *(own.get(each, "") for each in names)] for name, own in table.items()]
    content[BADGE_LIST] = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return content


def _format_badge(row: LeaderboardRow) -> list[str]:
    value = row.value if row.mean is None else row.mean
    shown = "failed" if row.run is None else UNDEFINED_CELL if value is None else f"{value:.3f}"
    return [row.cell.corpus, f" {shown}"]


def write_leaderboards(folder: Path, benchmark: Benchmark, excerpts: Excerpts | None = None) -> list[Path]:
    """Write the leaderboard as HTML, Markdown, CSV and LaTeX, and the badges.

    Args:
        folder: folder of the results.
        benchmark: the results.
        excerpts: excerpts from the runs by names of corpus and system.

    Returns:
        The files.

    Raises:
        SourceError: if a file cannot be written.
    """
    content = {
        PAGE: format_leaderboard_page(benchmark, excerpts or {}),
        "leaderboard.md": format_leaderboard_markdown(benchmark, excerpts or {}),
        "leaderboard.csv": format_leaderboard_csv(benchmark),
        "leaderboard.tex": format_leaderboard_latex(benchmark, excerpts or {}),
        **build_badges(benchmark, excerpts or {}),
    }
    write_files({folder / name: text for name, text in content.items()}, REMEDY)
    return [folder / name for name in content]
