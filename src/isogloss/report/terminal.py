"""Runs as text for a terminal, a pipe or a file."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, TextIO

from rich.console import Console
from rich.text import Text

from isogloss.report.run_tables import UniqueSuccess, build_tables, format_warnings, list_unique_successes
from isogloss.runs.run import Run
from isogloss.runs.score_tables import UNDEFINED_CELL, ScoreTable, format_cell, shorten_system_names
from isogloss.tasks.registry import get_task
from isogloss.text.display import (
    ELLIPSIS,
    can_encode,
    choose_isolates,
    fit_apart,
    format_count,
    make_visible,
    measure_width,
)

if TYPE_CHECKING:
    from isogloss.report.error_listing import Drawing
    from isogloss.runs.comparison import Comparison
    from isogloss.runs.finding_selection import FindingSelection

MAX_WIDTH = 160  # cells; longer lines are hard to follow
UNLIMITED = 100_000  # cells of a line that no person sees on a screen
PAIR = 2  # systems
MAX_SUCCESSES = 3  # documents drawn that only one system gets right
MAX_NAME_WIDTH = 32  # cells of a name
MIN_NAME_WIDTH = 16  # cells; names are not shortened further to fit a table into the width
GAP = "  "


class _Console(Console):
    """A console that raises `BrokenPipeError` instead of exiting."""

    def on_broken_pipe(self) -> None:
        """Raise the current `BrokenPipeError` again."""
        raise  # noqa: PLE0704


def open_console(stream: TextIO) -> Console:
    """Open a console on a stream.

    It is as wide as `COLUMNS` says or the terminal is; elsewhere no line is cut.

    Args:
        stream: the stream to print to.
    """
    console = _Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=False, force_jupyter=False)
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        console.width = int(columns)
    else:
        console.width = min(console.width, MAX_WIDTH) if stream.isatty() else UNLIMITED
    return console


def print_runs(
    runs: Sequence[Run],
    console: Console,
    *,
    findings: bool = True,
    quiet: bool = False,
    comparison: Comparison | None = None,
    selection: FindingSelection | None = None,
) -> None:
    """Print tables, findings, warnings and signatures.

    Args:
        runs: one per system, at least one.
        console: the console to print to.
        findings: whether to draw the findings of the runs.
        quiet: whether to leave out warnings.
        comparison: how the systems differ from the first.
        selection: which findings to draw, if the runs have all; None if they have only those to draw.
    """
    console.print(_build_heading(runs, console.encoding), soft_wrap=True)
    for table in build_tables(runs, comparison):
        console.print()
        print_table(table, console)
    known = _find_known_documents(runs, selection)
    drawn = _print_unique_successes(comparison, selection, known, console)
    if selection is not None and len(runs) > 1:
        _print_shared_findings(runs, selection, drawn, known, console)
    else:
        for run, name in zip(runs, shorten_system_names(runs), strict=True):
            if findings and run.list_findings:
                _print_findings(run, f", {name}" if len(runs) > 1 else "", console, selection)
    if not quiet:
        _print_lines(console, format_warnings(runs))
    _print_lines(console, dict.fromkeys(str(run.signature) for run in runs))


def _build_heading(runs: Sequence[Run], encoding: str) -> Text:
    """Build the heading of runs.

    It has the task, the systems, the number of documents, and the profile if there is one.
    """
    first = runs[0]
    system = make_visible(first.system, encoding) if len(runs) == 1 else f"{len(runs)} systems"
    profile = f", profile {first.profile}" if first.profile else ""
    return Text.assemble((first.task, "bold"), f"  {system}, {format_count(first.documents, 'document')}{profile}")


def print_table(table: ScoreTable, console: Console, *, split: bool = True) -> None:
    """Print a table in pieces that fit the width.

    The width is that of the console.

    Args:
        table: the table.
        console: the console to print to.
        split: whether to split a table that is wider than the console into several, one below the other.
    """
    encoding = console.encoding
    undefined = UNDEFINED_CELL if can_encode(UNDEFINED_CELL, encoding) else "-"
    longest = console.width if console.width == UNLIMITED else MAX_NAME_WIDTH
    head = _shorten_names([column.title for column in table.columns], longest, encoding)
    rows = [[make_visible(format_cell(cell, undefined), encoding) for cell in row[1:]] for row in table.rows]
    widths = [max(map(measure_width, column)) for column in zip(head[1:], *rows, strict=True)]
    room = console.width - sum(widths) - len(GAP) * len(widths)  # for names if the table is not split
    names = _shorten_names(
        [str(row[0]) for row in table.rows],
        room if MIN_NAME_WIDTH <= room < longest else longest,
        encoding,
    )
    widths = [max(map(measure_width, [head[0], *names])), *widths]
    _print_line(console, make_visible(table.title, encoding), "bold")
    pieces = _split_columns(widths, console.width) if split else [[*range(len(widths))]]
    for number, piece in enumerate(pieces):
        if number:
            console.print()
        for k, row in enumerate([head, *([name, *row] for name, row in zip(names, rows, strict=True))]):
            cells = (_pad_cell(row[at], widths[at], encoding, left=at == 0) for at in piece)
            _print_line(console, GAP.join(cells).rstrip(), "dim" if k == 0 else "")
    for note in table.notes:
        for line in _wrap_note(note, console.width, encoding):
            _print_line(console, line, "dim")


def _shorten_names(names: Sequence[str], cells: int, encoding: str) -> list[str]:
    """Shorten names so that they fit and still differ.

    The ends of names are kept, because they say more than the beginnings.
    """
    ellipsis = ELLIPSIS if can_encode(ELLIPSIS, encoding) else "..."
    return fit_apart([make_visible(name, encoding) for name in names], cells, ellipsis=ellipsis, keep="end")


def _wrap_note(note: str, cells: int, encoding: str) -> list[str]:
    """Wrap a note into lines, indented after the first.

    A word wider than a line is shortened.
    """
    lines: list[str] = []
    for word in _shorten_names(note.split(), cells - len(GAP), encoding):
        if lines and measure_width(lines[-1]) + 1 + measure_width(word) <= cells:
            lines[-1] += f" {word}"
        else:
            lines.append(GAP + word if lines else word)
    return lines


def _split_columns(widths: Sequence[int], room: int) -> list[list[int]]:
    """Split columns into pieces that fit side by side.

    Each piece has the first column.
    """
    pieces = [[0]]
    for column in range(1, len(widths)):
        if sum(widths[at] + len(GAP) for at in pieces[-1]) + widths[column] > room and len(pieces[-1]) > 1:
            pieces.append([0])
        pieces[-1].append(column)
    return pieces


def _pad_cell(cell: str, cells: int, encoding: str, *, left: bool) -> str:
    """Pad a cell to the width of its column.

    Text from right to left is isolated.
    """
    space = " " * (cells - measure_width(cell))
    cell = cell.join(choose_isolates(cell, encoding))
    return cell + space if left else space + cell


def _print_line(console: Console, line: str, style: str = "") -> None:
    """Print a line without wrapping or cropping."""
    console.print(Text(line, style), soft_wrap=True)


def _print_findings(run: Run, whose: str, console: Console, selection: FindingSelection | None) -> None:
    from isogloss.report.error_listing import draw_findings  # noqa: PLC0415  tables without errors do not need it

    shown = run.findings if selection is None else selection.select(run.findings)
    total = sum(count for kind, count in run.kinds.items() if kind != "correct")
    if selection is not None and selection.is_filter:
        total = len(selection.filter(run.findings))
    elif not run.kinds:  # a profile without kinds has no total
        total = len(shown) + 1 if selection is None else len(run.findings)
    number = _describe_number(len(shown), total, selection) if run.kinds else f"the first {len(shown):,}"
    if selection is not None and selection.lacks_findings(run.findings):
        number = f"the first {len(shown):,} of more than {total:,} that match"
    console.print()
    view = get_task(run.task).finding_view
    _print_line(console, f"{view.title} ({number}){make_visible(whose, console.encoding)}", "bold")
    _print_drawings(draw_findings(shown, view, console.width, console.encoding), console)


def _describe_number(shown: int, total: int, selection: FindingSelection | None) -> str:
    """Describe how many of all findings are shown.

    An example is `the first 6 of 51`.
    """
    matching = " that match" if selection is not None and selection.is_filter else ""
    if shown >= total:
        return f"{shown:,}{matching}"
    if selection is not None and selection.seed is not None:
        return f"{shown:,} of {total:,}{matching}, sampled with seed {selection.seed}"
    return f"the first {shown:,} of {total:,}{matching}"


def _find_known_documents(runs: Sequence[Run], selection: FindingSelection | None) -> frozenset[str] | None:
    if selection is None or not selection.number:
        return None
    from isogloss.report.error_listing import find_known_documents  # noqa: PLC0415  as above

    return find_known_documents(runs, selection)


def _print_shared_findings(
    runs: Sequence[Run],
    selection: FindingSelection,
    drawn: Collection[str],
    known: frozenset[str] | None,
    console: Console,
) -> None:
    """Print each document with an error of any system once.

    It has a line for each system. Documents that are already drawn are left out.
    """
    from isogloss.report.error_listing import (  # noqa: PLC0415  as above
        draw_shared_documents,
        select_shared_documents,
    )

    if not selection.number:
        return
    documents, total = select_shared_documents(runs, selection, () if len(runs) > PAIR else drawn, known)
    number = _describe_number(len(documents), total, selection)
    if known is not None:
        number = f"the first {len(documents):,} of more than {total:,}"
    title = get_task(runs[0].task).finding_view.title
    console.print()
    place = "in other documents" if drawn and len(runs) == PAIR else "by document"
    _print_line(console, f"{title} {place} ({number})", "bold")
    _print_drawings(draw_shared_documents(runs, documents, console.width, console.encoding), console)


def _print_unique_successes(
    comparison: Comparison | None,
    selection: FindingSelection | None,
    known: frozenset[str] | None,
    console: Console,
) -> set[str]:
    """Name the documents that only one system of a pair gets right.

    Some of them are drawn if errors are shown.

    Returns:
        The documents that were drawn.
    """
    drawn: set[str] = set()
    for k, success in enumerate(list_unique_successes(comparison)):
        if k == 0 or (selection is not None and selection.number):
            console.print()
        hint = " (--errors 3 shows some)" if selection is not None and not selection.number else ""
        _print_line(console, make_visible(f"{success.sentence}{hint}", console.encoding))
        if selection is not None and selection.number:
            from isogloss.report.error_listing import draw_shared_documents  # noqa: PLC0415  as above

            chosen = _select_documents(success, selection)
            chosen = [document for document in chosen if known is None or document in known]
            documents = chosen[: min(selection.number, MAX_SUCCESSES)]
            drawings = draw_shared_documents(success.runs, documents, console.width, console.encoding)
            _print_drawings(drawings, console)
            drawn |= {*documents}
    return drawn


def _select_documents(success: UniqueSuccess, selection: FindingSelection) -> Sequence[str]:
    """Return the documents that have an error of the selection."""
    if not selection.is_filter:
        return success.documents
    wrong = {finding.document for run in success.runs for finding in selection.filter(run.findings)}
    return [document for document in success.documents if document in wrong]


def _print_drawings(drawings: Iterable[Drawing], console: Console) -> None:
    for drawing in drawings:
        console.print()
        for line in drawing:
            console.print(line, soft_wrap=True)


def _print_lines(console: Console, lines: Iterable[str]) -> None:
    """Print lines in full below an empty line.

    In full they can be copied and searched for.
    """
    for k, line in enumerate(lines):
        if k == 0:
            console.print()
        _print_line(console, make_visible(line, console.encoding))
