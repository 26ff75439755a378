"""A run, or several side by side, as a person reads it in a terminal, a pipe or a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TextIO

from rich.console import Console
from rich.text import Text

from isogloss.report.comparisons import ComparedSystems, comparison_tables, list_unique_successes
from isogloss.report.drawing import draw_finding
from isogloss.report.run_formats import format_warning
from isogloss.report.tables import build_tables
from isogloss.runs.run import Run
from isogloss.runs.tables import UNDEFINED_CELL, ScoreTable, format_cell, shorten_system_names
from isogloss.tasks.registry import get_task
from isogloss.text.display import ELLIPSIS, can_encode, choose_isolates, fit_apart, make_visible, measure_width

MAX_WIDTH = 160  # cells: a wider terminal makes lines that are hard to follow
MAX_NAME_WIDTH = 32  # cells of a name at the most
MIN_NAME_WIDTH = 16  # cells for which a name is shortened so that its table need not be cut
GAP = "  "


class _Console(Console):
    """A console that leaves it to the program what a closed pipe means."""

    def on_broken_pipe(self) -> None:
        """Raise the `BrokenPipeError` that is being handled."""
        raise  # noqa: PLE0704


def open_console(stream: TextIO) -> Console:
    """A console on a stream: as wide as the terminal, 80 cells elsewhere; colour only where it is wanted."""
    console = _Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=False)
    console.width = min(console.width, MAX_WIDTH) if console.is_terminal else 80
    return console


def print_runs(
    runs: Sequence[Run],
    console: Console,
    *,
    findings: bool = True,
    quiet: bool = False,
    comparison: ComparedSystems | None = None,
) -> None:
    """Print the tables, the findings that were asked for, warnings and signatures.

    Args:
        runs: one per system, at least one.
        console: where to.
        findings: whether to draw the findings that the runs hold.
        quiet: leave out warnings.
        comparison: how systems differ from the first.
    """
    console.print(_build_heading(runs, console.encoding), soft_wrap=True)
    for table in (*build_tables(runs), *comparison_tables(comparison)):
        console.print()
        print_table(table, console)
    _print_lines(console, list_unique_successes(comparison))
    for run, name in zip(runs, shorten_system_names(runs), strict=True):
        if findings and run.list_findings:
            _print_findings(run, f", {name}" if len(runs) > 1 else "", console)
    if not quiet:
        _print_lines(console, _format_warnings(runs))
    _print_lines(console, _list_signatures(runs))


def _build_heading(runs: Sequence[Run], encoding: str) -> Text:
    """Task, system, number of documents and, where one was asked for, the profile: all runs have the last two alike."""
    first = runs[0]
    system = make_visible(first.system, encoding) if len(runs) == 1 else f"{len(runs)} systems"
    documents = f"{first.documents:,} document{'' if first.documents == 1 else 's'}"
    profile = f", profile {first.profile}" if first.profile else ""
    return Text.assemble((first.task, "bold"), f"  {system}, {documents}{profile}")


def print_table(table: ScoreTable, console: Console) -> None:
    """A table, cut between columns into as many pieces as the width of the console asks for."""
    encoding = console.encoding
    undefined = UNDEFINED_CELL if can_encode(UNDEFINED_CELL, encoding) else "-"
    head = _names([column.title for column in table.columns], MAX_NAME_WIDTH, encoding)
    rows = [[make_visible(format_cell(cell, undefined), encoding) for cell in row[1:]] for row in table.rows]
    widths = [max(map(measure_width, column)) for column in zip(head[1:], *rows, strict=True)]
    room = console.width - sum(widths) - len(GAP) * len(widths)  # left for names if the table is not cut
    names = _names(
        [str(row[0]) for row in table.rows],
        room if MIN_NAME_WIDTH <= room < MAX_NAME_WIDTH else MAX_NAME_WIDTH,
        encoding,
    )
    widths = [max(map(measure_width, [head[0], *names])), *widths]
    _print_line(console, table.title, "bold")
    for number, piece in enumerate(_split_columns(widths, console.width)):
        if number:
            console.print()
        for k, row in enumerate([head, *([name, *row] for name, row in zip(names, rows, strict=True))]):
            cells = (_pad_cell(row[at], widths[at], encoding, left=at == 0) for at in piece)
            _print_line(console, GAP.join(cells).rstrip(), "dim" if k == 0 else "")
    for note in table.notes:
        for line in _wrapped(note, console.width, encoding):
            _print_line(console, line, "dim")


def _names(names: Sequence[str], cells: int, encoding: str) -> list[str]:
    """Names as far as they fit: their ends, which tell more than beginnings, unless those are alike."""
    ellipsis = ELLIPSIS if can_encode(ELLIPSIS, encoding) else "..."
    return fit_apart([make_visible(name, encoding) for name in names], cells, ellipsis=ellipsis, keep="end")


def _wrapped(note: str, cells: int, encoding: str) -> list[str]:
    """A note in lines, those after the first indented; a word that is wider than a line is cut."""
    lines: list[str] = []
    for word in _names(note.split(), cells - len(GAP), encoding):
        if lines and measure_width(lines[-1]) + 1 + measure_width(word) <= cells:
            lines[-1] += f" {word}"
        else:
            lines.append(GAP + word if lines else word)
    return lines


def _split_columns(widths: Sequence[int], room: int) -> list[list[int]]:
    """Columns that fit side by side, the first in each piece."""
    pieces = [[0]]
    for column in range(1, len(widths)):
        if sum(widths[at] + len(GAP) for at in pieces[-1]) + widths[column] > room and len(pieces[-1]) > 1:
            pieces.append([0])
        pieces[-1].append(column)
    return pieces


def _pad_cell(cell: str, cells: int, encoding: str, *, left: bool) -> str:
    """A cell in its column, also where it runs from right to left."""
    space = " " * (cells - measure_width(cell))
    cell = cell.join(choose_isolates(cell, encoding))
    return cell + space if left else space + cell


def _print_line(console: Console, line: str, style: str = "") -> None:
    """A line as it is, however long: the console neither wraps nor cuts it."""
    console.print(Text(line, style), soft_wrap=True)


def _print_findings(run: Run, whose: str, console: Console) -> None:
    drawn, total = len(run.findings), sum(count for kind, count in run.kinds.items() if kind != "correct")
    number = f"the first {drawn:,} of {total:,}" if drawn < total else f"{drawn:,}"
    if not run.kinds:  # a profile that has no kinds does not say how many there are
        number = f"the first {drawn:,}"
    console.print()
    view = get_task(run.task).finding_view
    _print_line(console, f"{view.title} ({number}){make_visible(whose, console.encoding)}", "bold")
    for finding in run.findings:
        console.print()
        for line in draw_finding(finding, width=console.width, encoding=console.encoding, sides=view.names_sides):
            console.print(line, soft_wrap=True)


def _format_warnings(runs: Sequence[Run]) -> Iterable[str]:
    """Each warning once, with the systems that it is about where it is not about all."""
    about: dict[str, list[str]] = {}
    for run, name in zip(runs, shorten_system_names(runs), strict=True):
        for notice in run.warnings:
            about.setdefault(format_warning(notice), []).append(name)
    for line, systems in about.items():
        whose = f"{', '.join(systems)}: " if len(systems) < len(runs) else ""
        yield f"{whose}{line}"


def _list_signatures(runs: Sequence[Run]) -> Iterable[str]:
    return dict.fromkeys(str(run.signature) for run in runs)


def _print_lines(console: Console, lines: Iterable[str]) -> None:
    """Lines in full, however long: they are copied and searched for."""
    for k, line in enumerate(lines):
        if k == 0:
            console.print()
        _print_line(console, make_visible(line, console.encoding))
