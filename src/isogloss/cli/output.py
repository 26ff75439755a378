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


class Form(StrEnum):
    """How results are printed."""

    text = "text"
    json = "json"
    markdown = "markdown"
    latex = "latex"
    csv = "csv"


def write(
    runs: Sequence[Run],
    form: Form,
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
    with opened(output) as stream:
        _write(runs, form, stream, quiet=quiet, comparison=comparison)
    if form in {Form.csv, Form.latex} and not quiet:  # forms that have no place for them
        write_notices(runs)


def write_notices(runs: Sequence[Run]) -> None:
    """Print the warnings of the runs on standard error.

    Args:
        runs: one per system.
    """
    from isogloss.report.plain import notice_line

    for run in runs:
        for notice in run.warnings:
            print(f"{run.system}: {notice_line(notice)}", file=sys.stderr)  # noqa: T201


def write_text(text: str, output: Path | None, option: str = "-o") -> None:
    """Print what is drawn already.

    Args:
        text: what to print.
        output: the file to write; None for standard output.
        option: what names the file.

    Raises:
        SourceError: the file cannot be written.
    """
    with opened(output, option) as stream:
        stream.write(text)


def opened(output: Path | None, option: str = "-o") -> AbstractContextManager[TextIO]:
    """Where results are written as they come.

    Args:
        output: the file to write; None or `-` for standard output.
        option: what names the file.

    Returns:
        What raises SourceError if it cannot be written.
    """
    if output is None or str(output) == "-":
        return standard_output()
    return written_text(output, f"Name a file that can be written, with {option}.")


@contextmanager
def standard_output() -> Iterator[TextIO]:
    """Standard output, written to its end.

    Raises:
        SourceError: it is closed, or takes no more.
        Exit: whoever read it has seen enough.
    """
    with ending_with_its_reader(), destinations.standard_output() as stream:
        yield stream


@contextmanager
def ending_with_its_reader() -> Iterator[None]:
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


def _write(runs: Sequence[Run], form: Form, stream: TextIO, *, quiet: bool, comparison: Comparison | None) -> None:
    if form is Form.text:
        from isogloss.report.text import console_of, show

        show(runs, console_of(stream), quiet=quiet, comparison=comparison)
        return
    from isogloss.report import plain

    drawn = {Form.json: plain.json, Form.csv: plain.csv_rows, Form.markdown: plain.markdown, Form.latex: plain.latex}
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8")  # for programs: the same bytes everywhere, as after -o
    stream.write(drawn[form](runs, comparison))
