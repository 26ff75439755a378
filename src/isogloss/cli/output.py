"""Where results go: standard output or a file, in the form that was asked for."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import typer

from isogloss.errors import SourceError
from isogloss.records import destinations
from isogloss.records.destinations import written_text

if TYPE_CHECKING:
    from isogloss.runs.comparison import Comparison
    from isogloss.runs.run import Run


PIPE_CLOSED = 141  # as a shell reports it


class OutputFormat(StrEnum):
    """How results are printed."""

    text = "text"
    json = "json"
    markdown = "markdown"
    latex = "latex"
    csv = "csv"


def write_runs(
    runs: Sequence[Run],
    form: OutputFormat,
    output: Path | None,
    *,
    quiet: bool,
    comparison: Comparison | None = None,
) -> None:
    """Print the runs.

    Args:
        runs: one per system.
        form: how.
        output: the file to write; None or `-` for standard output.
        quiet: whether to leave out warnings where they are no part of the form.
        comparison: how they differ from the first.

    Raises:
        SourceError: the file cannot be written.
    """
    with open_output(output) as stream:
        _write_runs(runs, form, stream, quiet=quiet, comparison=comparison)
    if form in {OutputFormat.csv, OutputFormat.latex} and not quiet:  # forms that have no place for them
        print_warnings(runs)


def print_warnings(runs: Sequence[Run]) -> None:
    """Print the warnings of the runs on standard error.

    Args:
        runs: one per system.
    """
    from isogloss.report.run_formats import format_warning

    for run in runs:
        for notice in run.warnings:
            print(f"{run.system}: {format_warning(notice)}", file=sys.stderr)  # noqa: T201


def write_text(text: str, output: Path | None, option: str = "-o") -> None:
    """Print what is drawn already.

    Args:
        text: what to print.
        output: the file to write; None for standard output.
        option: what names the file.

    Raises:
        SourceError: the file cannot be written.
    """
    with open_output(output, option) as stream:
        stream.write(text)


def open_output(output: Path | None, option: str = "-o") -> AbstractContextManager[TextIO]:
    """Where results are written as they come.

    Args:
        output: the file to write; None or `-` for standard output.
        option: what names the file.

    Returns:
        What raises SourceError if it cannot be written.
    """
    if output is None or str(output) == "-":
        return open_stdout()
    return written_text(output, f"Name a file that can be written, with {option}.")


@contextmanager
def open_stdout() -> Iterator[TextIO]:
    """Standard output, written to its end.

    Raises:
        SourceError: it is closed, or takes no more.
        Exit: whoever read it has seen enough.
    """
    with exit_on_closed_pipe(), destinations.standard_output() as stream:
        yield stream


@contextmanager
def exit_on_closed_pipe() -> Iterator[None]:
    """What may write to standard output. It ends when that takes no more.

    Raises:
        SourceError: it is closed, or takes no more.
        Exit: whoever read it has seen enough.
    """
    try:
        yield
    except BrokenPipeError as error:
        _abandon_standard_output()
        raise typer.Exit(PIPE_CLOSED) from error
    except SourceError as error:
        if error.where == destinations.STDOUT and sys.stdout is not None:
            _abandon_standard_output()
        raise


def _abandon_standard_output() -> None:
    """Sees to it that leaving does not try again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write_runs(
    runs: Sequence[Run], form: OutputFormat, stream: TextIO, *, quiet: bool, comparison: Comparison | None
) -> None:
    if form is OutputFormat.text:
        from isogloss.report.terminal import open_console, print_runs

        print_runs(runs, open_console(stream), quiet=quiet, comparison=comparison)
        return
    from isogloss.report import run_formats

    drawn = {
        OutputFormat.json: run_formats.format_runs_json,
        OutputFormat.csv: run_formats.format_runs_csv,
        OutputFormat.markdown: run_formats.format_runs_markdown,
        OutputFormat.latex: run_formats.format_runs_latex,
    }
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8")  # for programs: the same bytes everywhere, as after -o
    stream.write(drawn[form](runs, comparison))
