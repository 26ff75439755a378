"""A run, or several side by side, as a person reads it in a terminal, a pipe or a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TextIO

from rich.console import Console
from rich.text import Text

from isogloss.report.drawing import draw
from isogloss.report.plain import notice_line
from isogloss.report.tables import UNDEFINED, Table, shown, tables
from isogloss.run import Run
from isogloss.text import can_write, fit, visible, width

WIDEST = 160  # cells: a wider terminal makes lines that are hard to follow
NAMES = 32  # cells of the first column at the most
GAP = "  "


def console_of(stream: TextIO) -> Console:
    """A console on a stream: as wide as the terminal, 80 cells elsewhere; colour only where it is wanted."""
    console = Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=False)
    console.width = min(console.width, WIDEST) if console.is_terminal else 80
    return console


def show(runs: Sequence[Run], console: Console, *, findings: bool = True, quiet: bool = False) -> None:
    """Print the tables, the findings that were asked for, warnings and signatures.

    Args:
        runs: one per system, at least one.
        console: where to.
        findings: whether to draw the findings that the runs hold.
        quiet: leave out warnings.
    """
    console.print(_heading(runs), soft_wrap=True)
    for table in tables(runs):
        console.print()
        _show_table(table, console)
    for run in runs:
        if findings and run.listed:
            _show_findings(run, console, titled=len(runs) > 1)
    if not quiet:
        _lines(console, _warnings(runs))
    _lines(console, _signatures(runs))


def _heading(runs: Sequence[Run]) -> Text:
    documents = ", ".join(dict.fromkeys(f"{run.documents:,}" for run in runs))
    systems = visible(runs[0].system) if len(runs) == 1 else f"{len(runs)} systems"
    return Text.assemble((runs[0].task, "bold"), f"  {systems}, {documents} documents")


def _show_table(table: Table, console: Console) -> None:
    """A table, cut between columns into as many pieces as the width of the console asks for."""
    encoding = console.encoding
    undefined = UNDEFINED if can_write(UNDEFINED, encoding) else "-"
    rows = [[visible(shown(cell, undefined), encoding) for cell in row] for row in table.rows]
    head = [visible(column.title, encoding) for column in table.columns]
    rows = [[fit(row[0], NAMES, ellipsis="..."), *row[1:]] for row in rows]
    widths = [max(map(width, column)) for column in zip(head, *rows, strict=True)]
    _print(console, table.title, "bold")
    for piece in _pieces(widths, console.width):
        for k, row in enumerate([head, *rows]):
            cells = (_padded(row[at], widths[at], left=at == 0) for at in piece)
            _print(console, GAP.join(cells).rstrip(), "dim" if k == 0 else "")


def _pieces(widths: Sequence[int], room: int) -> list[list[int]]:
    """Columns that fit side by side, the first in each piece."""
    pieces = [[0]]
    for column in range(1, len(widths)):
        if sum(widths[at] + len(GAP) for at in pieces[-1]) + widths[column] > room and len(pieces[-1]) > 1:
            pieces.append([0])
        pieces[-1].append(column)
    return pieces


def _padded(cell: str, cells: int, *, left: bool) -> str:
    space = " " * (cells - width(cell))
    return cell + space if left else space + cell


def _print(console: Console, line: str, style: str = "") -> None:
    """A line as it is, however long: the console neither wraps nor cuts it."""
    console.print(Text(line, style), soft_wrap=True)


def _show_findings(run: Run, console: Console, *, titled: bool) -> None:
    total = sum(count for kind, count in run.kinds.items() if kind != "correct")
    title = f"Errors ({len(run.findings):,}{f' of {total:,}' if total else ''})" + (
        f", {visible(run.system)}" if titled else ""
    )
    console.print()
    _print(console, f"Errors ({len(run.findings):,}{of_all}){whose}", "bold")
    for finding in run.findings:
        console.print()
        for line in draw(finding, width=console.width, encoding=console.encoding):
            console.print(line, soft_wrap=True)


def _warnings(runs: Sequence[Run]) -> Iterable[str]:
    """Each warning once, with the systems that it is about where it is not about all."""
    about: dict[str, list[str]] = {}
    for run in runs:
        for notice in run.warnings:
            about.setdefault(notice_line(notice), []).append(run.system)
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
