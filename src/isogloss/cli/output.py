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

from isogloss.exceptions import SourceError

if TYPE_CHECKING:
    from isogloss.comparison import Comparison
    from isogloss.run import Run


STDOUT = "<stdout>"
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
        output: the file to write; None for standard output.
        quiet: whether to leave out warnings where they are no part of the form.
        comparison: how they differ from the first.

    Raises:
        SourceError: the file cannot be written.
    """
    with standard_output() if output is None else _file(output) as stream:
        _write(runs, form, stream, quiet=quiet, comparison=comparison)
    if form in {Form.csv, Form.latex} and not quiet:  # forms that have no place for them
        write_notices(runs)


def write_notices(runs: Sequence[Run]) -> None:
    """Print the warnings of the runs on standard error.

    Args:
        runs: one per system.
    """
    from isogloss.report.plain import notice_line  # noqa: PLC0415

    for run in runs:
        for notice in run.warnings:
            print(f"{run.system}: {notice_line(notice)}", file=sys.stderr)  # noqa: T201


def write_text(text: str, output: Path | None) -> None:
    """Print what is drawn already.

    Args:
        text: what to print.
        output: the file to write; None for standard output.

    Raises:
        SourceError: the file cannot be written.
    """
    with standard_output() if output is None else _file(output) as stream:
        stream.write(text)


def append_text(text: str, file: Path, remedy: str) -> None:
    """Add to the end of a file, which need not be there.

    Args:
        text: what to add.
        file: the file.
        remedy: what to do when it cannot be written.

    Raises:
        SourceError: the file cannot be written.
    """
    with _written(str(file), remedy), file.open("a", encoding="utf-8", newline="\n") as stream:
        stream.write(text)


def opened(output: Path | None) -> AbstractContextManager[TextIO]:
    """Where results are written as they come.

    Args:
        output: the file to write; None for standard output.

    Returns:
        What raises SourceError if it cannot be written.
    """
    return standard_output() if output is None else _file(output)


@contextmanager
def standard_output() -> Iterator[TextIO]:
    """Standard output, written to its end.

    Raises:
        SourceError: it is closed, or takes no more.
        Exit: whoever read it has seen enough.
    """
    stream: TextIO | None = sys.stdout  # None where the caller has closed it
    if stream is None:
        raise SourceError("is closed: the results have nowhere to go", where=STDOUT, remedy="Name a file with -o.")
    try:
        with _written(STDOUT):
            yield stream
            stream.flush()
    except (SourceError, BrokenPipeError) as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # so that leaving does not try again
        if isinstance(error, SourceError):
            raise
        raise typer.Exit(PIPE_CLOSED) from error


def _write(runs: Sequence[Run], form: Form, stream: TextIO, *, quiet: bool, comparison: Comparison | None) -> None:
    if form is Form.text:
        from isogloss.report.text import console_of, show  # noqa: PLC0415  machines need no rich

        show(runs, console_of(stream), quiet=quiet, comparison=comparison)
        return
    from isogloss.report import plain  # noqa: PLC0415

    drawn = {Form.json: plain.json, Form.csv: plain.csv_rows, Form.markdown: plain.markdown, Form.latex: plain.latex}
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8")  # for programs: the same bytes everywhere, as after -o
    stream.write(drawn[form](runs, comparison))


@contextmanager
def _file(output: Path) -> Iterator[TextIO]:
    with _written(str(output)), output.open("w", encoding="utf-8", newline="\n") as stream:
        yield stream


@contextmanager
def _written(name: str, remedy: str = "Name a file that can be written, with -o.") -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise SourceError(f"cannot be written: {error.strerror}", where=name, remedy=remedy) from error
