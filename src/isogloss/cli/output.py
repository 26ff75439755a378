"""Write results to standard output or a file, and messages and progress to standard error."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

import typer

from isogloss.errors import SourceError
from isogloss.records import destinations
from isogloss.records.destinations import open_text_output

if TYPE_CHECKING:
    from isogloss.runs.comparison import Comparison
    from isogloss.runs.run import Run


PIPE_CLOSED = 141  # exit code that a shell reports for a closed pipe
MIN_SECONDS = 1.0  # before the first line of progress
MEGABYTE = 1e6


class OutputFormat(StrEnum):
    """Output format of runs."""

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
        form: output format.
        output: the file to write; None or `-` for standard output.
        quiet: whether to leave out warnings that are not part of the format.
        comparison: how the runs differ from the first.

    Raises:
        SourceError: if the file cannot be written.
    """
    with open_output(output) as stream:
        _write_runs(runs, form, stream, quiet=quiet, comparison=comparison)
    if form in {OutputFormat.csv, OutputFormat.latex} and not quiet:  # these formats have no place for warnings
        print_warnings(runs)


def print_warnings(runs: Sequence[Run]) -> None:
    """Print the warnings of the runs on standard error.

    Args:
        runs: one per system.
    """
    from isogloss.report.text_formats import format_warning

    for run in runs:
        for warning in run.warnings:
            print_message(f"{run.system}: {format_warning(warning)}")


def print_message(text: str) -> None:
    """Print a message on standard error.

    Args:
        text: the message.
    """
    print(text, file=sys.stderr)  # noqa: T201  a person reads it beside the results


def write_text(text: str, output: Path | None, option: str = "-o") -> None:
    """Write a text to a file or standard output.

    Args:
        text: the text.
        output: the file to write; None or `-` for standard output.
        option: the option that names the file, for error messages.

    Raises:
        SourceError: if the file cannot be written.
    """
    with open_output(output, option) as stream:
        stream.write(text)


def open_output(output: Path | None, option: str = "-o") -> AbstractContextManager[TextIO]:
    """Open a file or standard output for text.

    Args:
        output: the file to write; None or `-` for standard output.
        option: the option that names the file, for error messages.

    Raises:
        SourceError: if the file cannot be written.
    """
    if output is None or str(output) == "-":
        return open_stdout()
    return open_text_output(output, f"Name a file that can be written, with {option}.")


@contextmanager
def open_stdout() -> Iterator[TextIO]:
    """Open standard output for text.

    Raises:
        SourceError: if standard output is closed or full.
        Exit: if the reader closed the pipe.
    """
    with exit_on_closed_pipe(), destinations.open_stdout() as stream:
        yield stream


@contextmanager
def exit_on_closed_pipe() -> Iterator[None]:
    """Exit if the reader of standard output closes the pipe.

    Raises:
        SourceError: if standard output is closed or full.
        Exit: if the reader closed the pipe.
    """
    try:
        yield
    except BrokenPipeError as error:
        _discard_output()
        raise typer.Exit(PIPE_CLOSED) from error
    except SourceError as error:
        if error.where == destinations.STDOUT and sys.stdout is not None:
            _discard_output()
        raise


def _discard_output() -> None:
    """Send the rest of standard output nowhere, so that Python does not fail again when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write_runs(
    runs: Sequence[Run], form: OutputFormat, stream: TextIO, *, quiet: bool, comparison: Comparison | None
) -> None:
    if form is OutputFormat.text:
        from isogloss.report.terminal import open_console, print_runs

        print_runs(runs, open_console(stream), quiet=quiet, comparison=comparison)
        return
    from isogloss.report import text_formats

    writers = {
        OutputFormat.json: text_formats.format_runs_json,
        OutputFormat.csv: text_formats.format_runs_csv,
        OutputFormat.markdown: text_formats.format_runs_markdown,
        OutputFormat.latex: text_formats.format_runs_latex,
    }
    use_utf8(stream).write(writers[form](runs, comparison))


def use_utf8(stream: TextIO) -> TextIO:
    """Set the encoding of a stream to UTF-8, so that programs read the same bytes everywhere."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8")
    return stream


class ProgressLine:
    """A line with the megabytes read so far on a terminal, redrawn in place and removed at the end.

    Args:
        title: name of the file.
        quiet: whether to show nothing.
    """

    def __init__(self, title: str, *, quiet: bool) -> None:
        self.title = title
        self.is_shown = False
        self._quiet = quiet or not sys.stderr.isatty()
        self._begin = self._last = time.monotonic()

    def __call__(self, read: int) -> None:
        """Report the number of bytes read so far.

        Args:
            read: number of bytes.
        """
        self._draw_line(lambda seconds: f"{read / MEGABYTE:,.0f} MB read, {seconds:,.0f} s")

    def report_texts(self, done: int, share: float | None) -> None:
        """Report the number of texts processed so far.

        Args:
            done: number of texts.
            share: share of the whole input, in (0, 1]; None if unknown.
        """
        self._draw_line(
            lambda seconds: f"{done:,} texts, {done / seconds:,.0f} a second" + _format_time_left(seconds, share)
        )

    def _draw_line(self, format_progress: Callable[[float], str]) -> None:
        """Draw a line, but not in the first second, and at most ten times a second."""
        now = time.monotonic()
        if self._quiet or now - self._begin < MIN_SECONDS or now - self._last < MIN_SECONDS / 10:
            return
        self._last, self.is_shown = now, True
        sys.stderr.write(f"\r\x1b[2K{self.title}: {format_progress(now - self._begin)}")
        sys.stderr.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        place: TracebackType | None,
    ) -> None:
        if self.is_shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()


def _format_time_left(seconds: float, share: float | None) -> str:
    """Format the estimated time left, or the time so far if the share is unknown."""
    if not share:
        return f", {seconds:,.0f} s"
    return f", about {timedelta(seconds=round(seconds * (1 - share) / share))} left"
