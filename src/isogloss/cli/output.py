"""Write results, messages and progress.

Results go to standard output or a file, messages and progress to standard error.
"""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
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
    from isogloss.runs.finding_selection import FindingSelection
    from isogloss.runs.run import Run


PIPE_CLOSED = 141  # exit code that a shell reports for a closed pipe
MIN_SECONDS = 1.0  # before the first line of progress
USUAL_COLUMNS = 80  # of a terminal that does not say how wide it is
MEGABYTE = 1e6
MAX_SHARE = 0.99  # scores are computed after the last byte is read


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
    selection: FindingSelection | None = None,
) -> None:
    """Print the runs.

    Args:
        runs: one per system.
        form: output format.
        output: the file to write; None or `-` for standard output.
        quiet: whether to leave out warnings that are not part of the format.
        comparison: how the runs differ from the first.
        selection: which findings to draw as text, if the runs have all; None if they have only those to draw.

    Raises:
        SourceError: if the file cannot be written.
    """
    with open_output(output) as stream:
        if form is OutputFormat.text:
            from isogloss.report.terminal import open_console, print_runs

            print_runs(runs, open_console(stream), quiet=quiet, comparison=comparison, selection=selection)
        else:
            _write_format(runs, form, stream, comparison)
    if form in {OutputFormat.csv, OutputFormat.latex} and not quiet:  # these formats have no place for warnings
        print_warnings(runs)


def print_warnings(runs: Sequence[Run]) -> None:
    """Print the warnings of the runs on standard error.

    Args:
        runs: one per system.
    """
    from isogloss.report.run_tables import format_warning

    for run in runs:
        for warning in run.warnings:
            print_message(f"{run.system}: {format_warning(warning)}")


def print_message(text: str) -> None:
    """Print a message on standard error.

    Control characters, such as those of a file's name, are made visible; line feeds and tabs stay.

    Args:
        text: the message, perhaps of several lines.
    """
    from isogloss.text.display import make_lines_visible

    shown = make_lines_visible(text, getattr(sys.stderr, "encoding", None) or "utf-8")
    print(shown, file=sys.stderr)  # noqa: T201  a person reads it beside the results


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
    """Send the rest of standard output nowhere.

    Otherwise Python would fail again when it exits.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write_format(runs: Sequence[Run], form: OutputFormat, stream: TextIO, comparison: Comparison | None) -> None:
    from isogloss.report import text_formats

    writers = {
        OutputFormat.json: text_formats.format_runs_json,
        OutputFormat.csv: text_formats.format_runs_csv,
        OutputFormat.markdown: text_formats.format_runs_markdown,
        OutputFormat.latex: text_formats.format_runs_latex,
    }
    use_utf8(stream).write(writers[form](runs, comparison))


def use_utf8(stream: TextIO) -> TextIO:
    """Set the encoding of a stream to UTF-8 on every platform.

    So programs read the same bytes everywhere.
    """
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8")
    return stream


class ProgressLine:
    """A progress line with percent, rate and time left on a terminal.

    It is redrawn in place and removed at the end.

    Args:
        title: what is done, such as `ner`.
        quiet: whether to show nothing.
    """

    def __init__(self, title: str, *, quiet: bool) -> None:
        self.title = title
        self.is_shown = False
        self._quiet = quiet or not sys.stderr.isatty()
        self._begin = self._last = time.monotonic()
        self._work = _Work()

    def plan(self, names: Sequence[str], sizes: Callable[[], Sequence[int | None]]) -> None:
        """Set the systems to score.

        Args:
            names: one per system.
            sizes: returns the bytes to read for each system, over all passes; None if unknown.
        """
        if not self._quiet:
            self._work = _Work(tuple(names), tuple(sizes()))

    def begin_system(self, number: int) -> None:
        """Report that a system begins.

        Args:
            number: its position, from 0.
        """
        self._work.begin_system(number)

    def __call__(self, read: int) -> None:
        """Report the number of bytes read so far in this pass.

        Args:
            read: number of bytes; a smaller number than the last begins another pass.
        """
        if self._quiet:
            return
        done = self._work.add_bytes(read)
        self._draw_line(
            lambda seconds: f"{done / MEGABYTE:,.0f} MB read, {done / MEGABYTE / seconds:,.0f} MB/s", self._work.share
        )

    def report_share(self, done: int, total: int) -> None:
        """Report the bytes that are counted, of all bytes."""
        self._draw_line(
            lambda seconds: f"{done / MEGABYTE:,.0f} MB counted, {done / MEGABYTE / seconds:,.0f} MB/s",
            done / total if total else None,
        )

    def report_texts(self, done: int, share: float | None) -> None:
        """Report the number of texts of this system processed so far.

        Args:
            done: number of texts.
            share: share of its whole input, in (0, 1]; None if unknown.
        """
        whole = self._work.find_text_share(share)
        self._draw_line(
            lambda seconds: f"{done:,} texts, {done / self._work.get_seconds(seconds):,.0f} a second", whole
        )

    def _draw_line(self, format_rate: Callable[[float], str], share: float | None) -> None:
        """Draw a line, at most ten times a second.

        Nothing is drawn in the first second.
        """
        now = time.monotonic()
        if self._quiet or now - self._begin < MIN_SECONDS or now - self._last < MIN_SECONDS / 10:
            return
        self._last, self.is_shown = now, True
        seconds = now - self._begin
        percent = f"{min(share, MAX_SHARE):.0%}, " if share else ""
        rest = _format_time_left(seconds, share)
        line = _fit_line(self.title, self._work.name, f": {percent}{format_rate(seconds)}{rest}")
        sys.stderr.write(f"\r\x1b[2K{line}")
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


def _fit_line(title: str, name: str, figures: str) -> str:
    """Cut a progress line to one row of the terminal.

    Only its last row could be removed.

    The beginning of the name is cut first.
    """
    from isogloss.text.display import fit_width, measure_width  # only a terminal needs it

    try:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    except OSError:
        columns = 0
    cells = (columns or USUAL_COLUMNS) - 1
    room = max(cells - measure_width(title) - len(figures), 1)
    return fit_width(title + fit_width(name, room, keep="end") + figures, cells)


@dataclass
class _Work:
    """The systems of a command, and how much input is read.

    Args:
        names: one per system.
        sizes: bytes to read for each system, over all passes; None if unknown.
    """

    names: tuple[str, ...] = ()
    sizes: tuple[int | None, ...] = ()
    system: int = 0
    passed: int = 0  # bytes of the passes before this one
    latest: int = 0  # bytes of this pass
    system_begin: float = field(default_factory=time.monotonic)
    begin: float = field(default_factory=time.monotonic)

    @property
    def name(self) -> str:
        """The system that is scored, and which of how many it is."""
        if not self.names:
            return ""
        several = f" ({self.system + 1} of {len(self.names)})" if len(self.names) > 1 else ""
        return f" {self.names[self.system]}{several}"

    @property
    def share(self) -> float | None:
        """Share of all bytes that are read, None if unknown.

        The bytes of systems that are done are included. The share is unknown if a size is.
        """
        known = [size for size in self.sizes if size]
        total = sum(known)
        return (self.passed + self.latest) / total if total and len(known) == len(self.sizes) else None

    def begin_system(self, number: int) -> None:
        """Begin a system; what was planned for those before it is done."""
        self.system, self.system_begin = number, time.monotonic()
        known = [size for size in self.sizes[:number] if size]
        self.passed, self.latest = max(sum(known), self.passed + self.latest if not self.sizes else 0), 0

    def add_bytes(self, read: int) -> int:
        """Set the bytes of this pass and return those of all passes."""
        if read < self.latest:
            self.passed += self.latest
        self.latest = read
        return self.passed + read

    def find_text_share(self, share: float | None) -> float | None:
        """Return the share of all systems from the share of this one."""
        return None if share is None else (self.system + share) / max(len(self.names), 1)

    def get_seconds(self, seconds: float) -> float:
        """Return the seconds since this system began.

        They are computed from the seconds since all began.
        """
        return max(seconds - (self.system_begin - self.begin), MIN_SECONDS / 10)


def measure_input(names: Iterable[str | None]) -> int | None:
    """Measure the stored bytes of files and folders, None if unknown.

    Some sizes cannot be known before the input is read.

    Args:
        names: paths; `-` is standard input, None is no file.
    """
    from isogloss.records.shards import list_matches

    total = 0
    for name in names:
        if name is None:
            continue
        path = Path(name)
        try:
            parts = [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else list_matches(name)
            total += sum(each.stat().st_size for each in parts)
        except (OSError, ValueError):
            return None
    return total


def _format_time_left(seconds: float, share: float | None) -> str:
    """Format the estimated time left.

    If the share is unknown, format the time so far.
    """
    if not share:
        return f", {seconds:,.0f} s"
    return f", about {timedelta(seconds=round(seconds * max(1 - share, 0) / share))} left"
