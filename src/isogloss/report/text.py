"""A run, or several side by side, as a person reads it in a terminal, a pipe or a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TextIO

from rich.console import Console
from rich.text import Text

from isogloss.report.comparisons import Compared, comparison_tables, only_right
from isogloss.report.drawing import draw
from isogloss.report.plain import notice_line
from isogloss.report.tables import build_tables
from isogloss.runs.run import Run
from isogloss.runs.tables import UNDEFINED, Table, format_cell, short_names
from isogloss.tasks.registry import get_task
from isogloss.text.display import ELLIPSIS, can_write, fit_apart, isolates, visible, width

WIDEST = 160  # cells: a wider terminal makes lines that are hard to follow
NAMES = 32  # cells of a name at the most
FEWEST = 16  # cells for which a name is shortened so that its table need not be cut
GAP = "  "


class _Console(Console):
    """A console that leaves it to the program what a closed pipe means."""

    def on_broken_pipe(self) -> None:
        """Raise the `BrokenPipeError` that is being handled."""
        raise  # noqa: PLE0704


def console_of(stream: TextIO) -> Console:
    """A console on a stream: as wide as the terminal, 80 cells elsewhere; colour only where it is wanted."""
    console = _Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=False)
    console.width = min(console.width, WIDEST) if console.is_terminal else 80
    return console


def show(
    runs: Sequence[Run],
    console: Console,
    *,
    findings: bool = True,
    quiet: bool = False,
    comparison: Compared | None = None,
) -> None:
    """Print the tables, the findings that were asked for, warnings and signatures.

    Args:
        runs: one per system, at least one.
        console: where to.
        findings: whether to draw the findings that the runs hold.
        quiet: leave out warnings.
        comparison: how systems differ from the first.
    """
    console.print(_heading(runs, console.encoding), soft_wrap=True)
    for table in (*build_tables(runs), *comparison_tables(comparison)):
        console.print()
        show_table(table, console)
    _lines(console, only_right(comparison))
    for run, name in zip(runs, short_names(runs), strict=True):
        if findings and run.listed:
            _show_findings(run, f", {name}" if len(runs) > 1 else "", console)
    if not quiet:
        _lines(console, _warnings(runs))
    _lines(console, _signatures(runs))


def _heading(runs: Sequence[Run], encoding: str) -> Text:
    """Task, system, number of documents and, where one was asked for, the profile: all runs have the last two alike."""
    first = runs[0]
    system = visible(first.system, encoding) if len(runs) == 1 else f"{len(runs)} systems"
    documents = f"{first.documents:,} document{'' if first.documents == 1 else 's'}"
    profile = f", profile {first.profile}" if first.profile else ""
    return Text.assemble((first.task, "bold"), f"  {system}, {documents}{profile}")


def show_table(table: Table, console: Console) -> None:
    """A table, cut between columns into as many pieces as the width of the console asks for."""
    encoding = console.encoding
    undefined = UNDEFINED if can_write(UNDEFINED, encoding) else "-"
    head = _names([column.title for column in table.columns], NAMES, encoding)
    rows = [[visible(format_cell(cell, undefined), encoding) for cell in row[1:]] for row in table.rows]
    widths = [max(map(width, column)) for column in zip(head[1:], *rows, strict=True)]
    room = console.width - sum(widths) - len(GAP) * len(widths)  # left for names if the table is not cut
    names = _names([str(row[0]) for row in table.rows], room if FEWEST <= room < NAMES else NAMES, encoding)
    widths = [max(map(width, [head[0], *names])), *widths]
    _print(console, table.title, "bold")
    for number, piece in enumerate(_pieces(widths, console.width)):
        if number:
            console.print()
        for k, row in enumerate([head, *([name, *row] for name, row in zip(names, rows, strict=True))]):
            cells = (_padded(row[at], widths[at], encoding, left=at == 0) for at in piece)
            _print(console, GAP.join(cells).rstrip(), "dim" if k == 0 else "")
    for note in table.notes:
        for line in _wrapped(note, console.width, encoding):
            _print(console, line, "dim")


def _names(names: Sequence[str], cells: int, encoding: str) -> list[str]:
    """Names as far as they fit: their ends, which tell more than beginnings, unless those are alike."""
    ellipsis = ELLIPSIS if can_write(ELLIPSIS, encoding) else "..."
    return fit_apart([visible(name, encoding) for name in names], cells, ellipsis=ellipsis, keep="end")


def _wrapped(note: str, cells: int, encoding: str) -> list[str]:
    """A note in lines, those after the first indented; a word that is wider than a line is cut."""
    lines: list[str] = []
    for word in _names(note.split(), cells - len(GAP), encoding):
        if lines and width(lines[-1]) + 1 + width(word) <= cells:
            lines[-1] += f" {word}"
        else:
            lines.append(GAP + word if lines else word)
    return lines


def _pieces(widths: Sequence[int], room: int) -> list[list[int]]:
    """Columns that fit side by side, the first in each piece."""
    pieces = [[0]]
    for column in range(1, len(widths)):
        if sum(widths[at] + len(GAP) for at in pieces[-1]) + widths[column] > room and len(pieces[-1]) > 1:
            pieces.append([0])
        pieces[-1].append(column)
    return pieces


def _padded(cell: str, cells: int, encoding: str, *, left: bool) -> str:
    """A cell in its column, also where it runs from right to left."""
    space = " " * (cells - width(cell))
    cell = cell.join(isolates(cell, encoding))
    return cell + space if left else space + cell


def _print(console: Console, line: str, style: str = "") -> None:
    """A line as it is, however long: the console neither wraps nor cuts it."""
    console.print(Text(line, style), soft_wrap=True)


def _show_findings(run: Run, whose: str, console: Console) -> None:
    drawn, total = len(run.findings), sum(count for kind, count in run.kinds.items() if kind != "correct")
    number = f"the first {drawn:,} of {total:,}" if drawn < total else f"{drawn:,}"
    if not run.kinds:  # a profile that has no kinds does not say how many there are
        number = f"the first {drawn:,}"
    console.print()
    view = get_task(run.task).finding_view
    _print(console, f"{view.title} ({number}){visible(whose, console.encoding)}", "bold")
    for finding in run.findings:
        console.print()
        for line in draw(finding, width=console.width, encoding=console.encoding, sides=view.names_sides):
            console.print(line, soft_wrap=True)


def _warnings(runs: Sequence[Run]) -> Iterable[str]:
    """Each warning once, with the systems that it is about where it is not about all."""
    about: dict[str, list[str]] = {}
    for run, name in zip(runs, short_names(runs), strict=True):
        for notice in run.warnings:
            about.setdefault(notice_line(notice), []).append(name)
    for line, systems in about.items():
        whose = f"{', '.join(systems)}: " if len(systems) < len(runs) else ""
        yield f"{whose}{line}"


def _signatures(runs: Sequence[Run]) -> Iterable[str]:
    return dict.fromkeys(str(run.signature) for run in runs)


def _lines(console: Console, lines: Iterable[str]) -> None:
    """Lines in full, however long: they are copied and searched for."""
    for k, line in enumerate(lines):
        if k == 0:
            console.print()
        _print(console, visible(line, console.encoding))
