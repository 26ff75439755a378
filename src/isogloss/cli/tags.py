"""The files of `isogloss tags`: opened, rewritten, and what is said about them on standard error."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO, TypeVar

import typer

from isogloss.cli.options import SCHEMES, OutputOption, QuietOption, Repair, SchemeOption, TextForm, check_files
from isogloss.cli.output import exit_on_closed_pipe, open_output
from isogloss.cli.progress import ProgressLine
from isogloss.errors import DataError, UsageError
from isogloss.tasks.ner.options import parse_columns

if TYPE_CHECKING:
    from isogloss.spans.schemes import TagNotation
    from isogloss.tasks.ner.tag_checks import TagFileCounts, TagValidation
    from isogloss.tasks.ner.tag_files import InvalidTag, TagFile
    from isogloss.tasks.ner.tag_rewriting import ChangeColumn, RewrittenColumn

Done = TypeVar("Done")


def parse_tag_columns(text: str) -> tuple[int, ...]:
    """Numbers of columns, separated by commas.

    Raises:
        UsageError: something else.
    """
    columns = parse_columns(text)
    numbers = tuple(column for column in columns if isinstance(column, int))
    if len(numbers) < len(columns):
        raise UsageError(f"--columns {text}: give column numbers separated by commas, such as 1,-1.")
    return numbers


def process_tag_file(
    name: str,
    columns: Sequence[int],
    scheme: str,
    work: Callable[[TagFile], Done],
    *,
    quiet: bool,
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
    from isogloss.records.sources import Source
    from isogloss.tasks.ner.tag_files import open_tag_file

    with ProgressLine(name, quiet=quiet) as progress:
        file = open_tag_file(Source(name), columns, scheme, progress)
        for decision in () if quiet else file.decisions:
            for line in decision.messages:
                print_message(line)
        return file, work(file)


def check_outputs(files: Sequence[str], output: Path | None, *, in_place: bool) -> None:
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


def rewrite_tag_file(
    file: TagFile, change: ChangeColumn, output: Path | None, *, in_place: bool
) -> tuple[RewrittenColumn, ...]:
    """What was done to the columns of a file on its way to where it is wanted.

    Args:
        file: the file.
        change: says what becomes of its columns.
        output: another file; None for standard output, unless it goes in place.
        in_place: whether it takes the place of the file.

    Raises:
        DataError: the file cannot be changed like this, or not be written.
    """
    from isogloss.tasks.ner import tag_rewriting
    from isogloss.tasks.ner.tag_rewriting import WriteBytes, rewrite_tags

    def produce(write: WriteBytes) -> tuple[RewrittenColumn, ...]:
        return rewrite_tags(file, change, write)

    if in_place:
        return tag_rewriting.rewrite_in_place(file.source, produce)
    with exit_on_closed_pipe():
        return tag_rewriting.rewrite_to_file(file.source, output or Path("-"), produce)


def report_changes(file: TagFile, changes: Sequence[RewrittenColumn]) -> None:
    """Say what was done to a file."""
    for each in changes:
        name = file.name if len(changes) == 1 else f"{file.name}, column {each.column}"
        first = f" (first: {each.first_change})" if each.first_change else ""
        print_message(f"{name}: {each.changed:,} of {each.tokens:,} tags changed{first}")
        for notice in each.warnings:
            from isogloss.report.run_formats import format_warning

            print_message(f"{name}: {format_warning(notice)}")


class InvalidTagPrinter:
    """Misfits printed as they come.

    Args:
        stream: where to.
        several: whether to say which column they are in.
    """

    def __init__(self, stream: TextIO, *, several: bool) -> None:
        self._stream, self._several = stream, several
        self._shown = 0

    def __call__(self, misfit: InvalidTag) -> None:
        """Print one."""
        from isogloss.report.tag_tables import format_invalid_tag

        self._stream.write(format_invalid_tag(misfit, self._stream.encoding, several=self._several))
        self._shown += 1

    def print_totals(self, columns: Sequence[TagValidation]) -> None:
        """Print how many there are in each column."""
        from isogloss.report.tag_tables import format_validation

        for column in columns:
            self._stream.write(format_validation(column, self._shown, self._stream.encoding, several=self._several))


def print_message(text: str) -> None:
    """Print what is no result."""
    print(text, file=sys.stderr)  # noqa: T201  what a person reads beside the results


app = typer.Typer(
    help="Validate, repair, convert and count the tags of CoNLL files.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


class CountFormat(StrEnum):
    """How counts are printed."""

    text = "text"
    json = "json"
    csv = "csv"


class RepairChoice(StrEnum):
    """How tags that do not fit are repaired."""

    begin = "begin"
    discard = "discard"


class NotationChoice(StrEnum):
    """How tags are written."""

    prefix = "prefix"
    suffix = "suffix"
    bare = "bare"


FilesArgument = Annotated[
    list[str],
    typer.Argument(metavar="FILE...", help="CoNLL columns, plain or .gz; - is standard input."),
]
ColumnsOption = Annotated[
    str,
    typer.Option(metavar="N,N...", help="Columns of the token and of tags, from 1, from the end below 0."),
]
InPlaceOption = Annotated[bool, typer.Option("--in-place", help="Change the files themselves.")]
RewriteOutputOption = Annotated[
    Path | None,
    typer.Option("-o", "--output", help="Write to this file; compressed if it ends with .gz or .zst."),
]


@app.callback()
def _main() -> None:
    """Validate, repair, convert and count the tags of CoNLL files."""


@app.command("validate")
def validate(  # noqa: PLR0913  a command's options are its arguments
    files: FilesArgument,
    *,
    scheme: SchemeOption = "auto",
    columns: ColumnsOption = "1,-1",
    most: Annotated[
        int | None,
        typer.Option("--max", metavar="N", help="Show so many tags of a file at most.", min=0),
    ] = None,
    form: Annotated[TextForm, typer.Option("-f", "--format", help="How to print.")] = TextForm.text,
    output: OutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Find every tag that does not fit its scheme.

    The exit code is 3 if there is one, or if a file cannot be read.
    """
    from isogloss.report.tag_tables import build_error_row, format_validation_json

    check_files(files, {"-o": output})
    numbers = parse_tag_columns(columns)
    rows: list[dict[str, Any]] = []
    with open_output(output) as stream:
        validated = partial(_validate_file, most=most, stream=None if form is TextForm.json else stream)
        for name in files:
            try:
                rows.append(process_tag_file(name, numbers, scheme, validated, quiet=quiet)[1])
            except DataError as error:
                print_message(f"isogloss: {error}")
                rows.append(build_error_row(name, error))
        if form is TextForm.json:
            _use_utf8(stream).write(format_validation_json(rows))
        elif all("error" in row for row in rows):
            raise typer.Exit(DataError.exit_code)  # nothing was found out: a file that is there stays as it is
    if any("error" in row or any(column["misfits"] for column in row["columns"]) for row in rows):
        raise typer.Exit(DataError.exit_code)


def _validate_file(file: TagFile, most: int | None, stream: TextIO | None) -> dict[str, Any]:
    """What JSON has of a file; its misfits are in it, or are printed on the stream."""
    from isogloss.report.tag_tables import build_file_row
    from isogloss.tasks.ner.tag_checks import validate_tags as validated

    if stream is None:
        found: list[InvalidTag] = []
        return build_file_row(validated(file, found.append, most), found)
    printed = InvalidTagPrinter(stream, several=len(file.column_numbers) > 1)
    columns = validated(file, printed, most)
    printed.print_totals(columns)
    return build_file_row(columns, ())


@app.command("repair")
def repair(  # noqa: PLR0913  a command's options are its arguments
    files: FilesArgument,
    *,
    how: Annotated[
        RepairChoice,
        typer.Option("--repair", help="begin: put tags right; discard: remove their spans."),
    ] = RepairChoice.begin,
    scheme: SchemeOption = "auto",
    columns: ColumnsOption = "1,-1",
    in_place: InPlaceOption = False,
    output: RewriteOutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write the file with tags that all fit their scheme. Everything else stays as it is, byte for byte."""
    from isogloss.tasks.ner.tag_rewriting import make_repair

    check_outputs(files, output, in_place=in_place)
    numbers = parse_tag_columns(columns)
    changed = partial(rewrite_tag_file, change=make_repair(how.value), output=output, in_place=in_place)
    for name in files:
        file, done = process_tag_file(name, numbers, scheme, changed, quiet=quiet)
        if not quiet:
            report_changes(file, done)


@app.command("convert")
def convert(  # noqa: PLR0913  a command's options are its arguments
    files: FilesArgument,
    *,
    to: Annotated[str, typer.Option("--to", metavar="SCHEME", help=f"{', '.join(SCHEMES[1:])}.")],
    scheme: Annotated[str, typer.Option("--from", metavar="SCHEME", help="Scheme of the file.")] = "auto",
    notation: Annotated[
        NotationChoice | None,
        typer.Option(help="B-PER, PER-B or, in io, PER.", show_default="as in the file"),
    ] = None,
    how: Annotated[Repair, typer.Option("--repair", help="What to do about tags that do not fit.")] = Repair.error,
    columns: ColumnsOption = "1,-1",
    in_place: InPlaceOption = False,
    output: RewriteOutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write the file with its tags in another scheme. Everything else stays as it is, byte for byte."""
    from isogloss.tasks.ner.tag_rewriting import make_conversion, warn_misread_columns

    check_outputs(files, output, in_place=in_place)
    wanted: TagNotation | None = None if notation is None else notation.value
    numbers = parse_tag_columns(columns)
    changed = partial(rewrite_tag_file, change=make_conversion(to, wanted, how.value), output=output, in_place=in_place)
    for name in files:
        file, done = process_tag_file(name, numbers, scheme, changed, quiet=quiet)
        if not quiet:
            report_changes(file, done)
            for line in warn_misread_columns(file, done, to, wanted):
                print_message(line)


@app.command("count")
def count(  # noqa: PLR0913  a command's options are its arguments
    files: FilesArgument,
    *,
    scheme: SchemeOption = "auto",
    how: Annotated[Repair, typer.Option("--repair", help="What to do about tags that do not fit.")] = Repair.begin,
    columns: ColumnsOption = "1,-1",
    names: Annotated[int, typer.Option("--names", metavar="N", help="Also the N most frequent names.", min=0)] = 0,
    form: Annotated[CountFormat, typer.Option("-f", "--format", help="How to print.")] = CountFormat.text,
    output: OutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Count sentences, tokens, tags, and spans by label and length."""
    from isogloss.report.tag_tables import format_counts_csv, format_counts_json, print_counts
    from isogloss.tasks.ner.tag_checks import count_tags as counted_of
    from isogloss.text.display import format_count as number_of

    check_files(files, {"-o": output})
    numbers = parse_tag_columns(columns)
    wanted = partial(counted_of, repair=how.value, names=names > 0)
    counted: list[tuple[str, TagFileCounts]] = []
    for name in files:
        file, found = process_tag_file(name, numbers, scheme, wanted, quiet=quiet)
        counted.append((file.name, found))
        for column in () if quiet else found.columns:
            if column.invalid_tags:
                number = (
                    f"{number_of(column.invalid_tags, 'tag')} {'does' if column.invalid_tags == 1 else 'do'} not fit"
                )
                print_message(f"{file.name}: {number}; their spans are read by --repair {how.value}")
    with open_output(output) as stream:
        if form is CountFormat.text:
            print_counts(counted, names, stream)
        else:
            drawn = format_counts_json if form is CountFormat.json else format_counts_csv
            _use_utf8(stream).write(drawn(counted, names))


def _use_utf8(stream: TextIO) -> TextIO:
    """The stream, which takes the same bytes everywhere."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8")
    return stream
