"""The files of `isogloss tags`: opened, rewritten, and what is said about them on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeVar

from isogloss.cli.options import column_numbers
from isogloss.cli.output import ending_with_its_reader
from isogloss.cli.progress import Progress
from isogloss.exceptions import UsageError

if TYPE_CHECKING:
    from isogloss.tags.columns import TagFile
    from isogloss.tags.misfits import Misfit
    from isogloss.tags.rewriting import Changing, Rewritten
    from isogloss.tags.validating import Validated

Done = TypeVar("Done")


def tag_columns(text: str) -> tuple[int, ...]:
    """Numbers of columns, separated by commas.

    Raises:
        UsageError: something else.
    """
    columns = column_numbers(text)
    numbers = tuple(column for column in columns if isinstance(column, int))
    if len(numbers) < len(columns):
        raise UsageError(f"--columns {text}: give column numbers separated by commas, such as 1,-1.")
    return numbers


def with_tags(
    name: str, columns: Sequence[int], scheme: str, work: Callable[[TagFile], Done], *, quiet: bool
) -> tuple[TagFile, Done]:
    """A file whose schemes are decided, which is said unless nobody wants to hear, and what is made of it.

    Args:
        name: its path.
        columns: the column of the token and those of tags.
        scheme: a tag scheme or `auto`.
        work: makes something of the file. How far the reading has come is shown meanwhile.
        quiet: whether nobody wants to hear.

    Raises:
        UsageError: the columns cannot be read, or an unknown scheme.
        DataError: the file cannot be read, or nothing be made of it.
    """
    from isogloss.sources import Source  # noqa: PLC0415  --help need not wait for numpy
    from isogloss.tags.columns import opened  # noqa: PLC0415  likewise

    with Progress(name, quiet=quiet) as progress:
        file = opened(Source(name), columns, scheme, progress)
        for decision in () if quiet else file.decisions:
            for line in decision.lines:
                say(line)
        return file, work(file)


def check_places(files: Sequence[str], output: Path | None, *, in_place: bool) -> None:
    """Refuse a call that does not say where each file goes.

    Raises:
        UsageError: several files for one place, two places for a file, or standard input in place.
    """
    if in_place and output is not None:
        raise UsageError("Give -o or --in-place, not both.")
    if in_place and "-" in files:
        raise UsageError("Standard input (-) cannot be changed in place: leave out --in-place.")
    if len(files) > 1 and not in_place:
        raise UsageError("Several files can only be changed in place: add --in-place, or name one file.")


def rewritten(file: TagFile, change: Changing, output: Path | None, *, in_place: bool) -> tuple[Rewritten, ...]:
    """What was done to the columns of a file on its way to where it is wanted.

    Args:
        file: the file.
        change: says what becomes of its columns.
        output: another file; None for standard output, unless it goes in place.
        in_place: whether it takes the place of the file.

    Raises:
        DataError: the file cannot be changed like this, or not be written.
    """
    from isogloss.tags import places  # noqa: PLC0415  --help need not wait for numpy
    from isogloss.tags.rewriting import Write, rewrite  # noqa: PLC0415  likewise

    def produce(write: Write) -> tuple[Rewritten, ...]:
        return rewrite(file, change, write)

    if in_place:
        return places.in_place(file.source, produce)
    with ending_with_its_reader():
        return places.to_file(file.source, output or Path("-"), produce)


def tell(file: TagFile, done: Sequence[Rewritten]) -> None:
    """Say what was done to a file."""
    for each in done:
        name = file.name if len(done) == 1 else f"{file.name}, column {each.column}"
        first = f" (first: {each.first})" if each.first else ""
        say(f"{name}: {each.changed:,} of {each.tokens:,} tags changed{first}")
        for notice in each.notices:
            from isogloss.report.plain import notice_line  # noqa: PLC0415  it takes long to import

            say(f"{name}: {notice_line(notice)}")


class Misfits:
    """Misfits printed as they come.

    Args:
        stream: where to.
        several: whether to say which column they are in.
    """

    def __init__(self, stream: TextIO, *, several: bool) -> None:
        self._stream, self._several = stream, several
        self._shown = 0

    def __call__(self, misfit: Misfit) -> None:
        """Print one."""
        from isogloss.report.misfits import misfit_line  # noqa: PLC0415  --help need not wait for numpy

        self._stream.write(misfit_line(misfit, self._stream.encoding, several=self._several))
        self._shown += 1

    def end(self, columns: Sequence[Validated]) -> None:
        """Print how many there are in each column."""
        from isogloss.report.misfits import validated_line  # noqa: PLC0415  --help need not wait for numpy

        for column in columns:
            self._stream.write(validated_line(column, self._shown, self._stream.encoding, several=self._several))


def say(text: str) -> None:
    """Print what is no result."""
    print(text, file=sys.stderr)  # noqa: T201
