"""`isogloss tags`: validate, repair, convert and count the tags of CoNLL files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO, TypeVar

import typer

from isogloss.cli.completion import complete_choices
from isogloss.cli.options import (
    SCHEME_NAMES,
    OutputOption,
    QuietOption,
    Repair,
    SchemeOption,
    TableForm,
    TableFormOption,
    TextForm,
    TextFormOption,
    check_files,
    make_choice,
    make_scheme_parser,
)
from isogloss.cli.output import ProgressLine, exit_on_closed_pipe, measure_input, open_output, print_message, use_utf8
from isogloss.errors import DataError, UsageError
from isogloss.spans.schemes import SCHEMES
from isogloss.tasks.ner.options import parse_columns

if TYPE_CHECKING:
    from isogloss.spans.schemes import TagNotation
    from isogloss.tasks.ner.tag_checks import TagFileCounts
    from isogloss.tasks.ner.tag_files import InvalidTag, TagFile
    from isogloss.tasks.ner.tag_rewriting import ChangeColumn, RewrittenColumn

Result = TypeVar("Result")


def process_tag_file(
    name: str,
    columns: str | None,
    scheme: str,
    work: Callable[[TagFile], Result],
    *,
    quiet: bool,
) -> tuple[TagFile, Result]:
    """Open a file of tags and process it with a progress line.

    Tag schemes that were detected are printed.

    Args:
        name: path of the file.
        columns: value of --columns; None if left out.
        scheme: a tag scheme or `auto`.
        work: function that processes the file.
        quiet: whether to leave out messages and progress.

    Returns:
        The file, and the result of `work`.

    Raises:
        UsageError: if a column does not exist, or the scheme is unknown.
        DataError: if the file cannot be read or processed.
    """
    from isogloss.records.sources import Source
    from isogloss.tasks.ner.tag_files import open_tag_file

    with ProgressLine("isogloss tags:", quiet=quiet) as progress:
        progress.plan([name], lambda: [_measure_two_passes(name)])
        file = open_tag_file(Source(name), None if columns is None else parse_columns(columns), scheme, progress)
        for warning in () if quiet else file.layout.warnings:
            print_message(warning.format_line())
        for decision in () if quiet else file.decisions:
            for line in decision.messages:
                print_message(line)
        return file, work(file)


def list_tag_files(names: Sequence[str]) -> list[str]:
    """List the files of folders and patterns.

    Args:
        names: files, folders, and patterns in quotes.

    Raises:
        SourceError: if a folder or a pattern has no file.
    """
    from isogloss.records.shards import Shards, open_source

    sources = ((name, open_source(name)) for name in names)
    return [file for name, source in sources for file in (source.files if isinstance(source, Shards) else (name,))]


def _measure_two_passes(name: str) -> int | None:
    """Measure the bytes of both passes over a file.

    The first pass detects the scheme, the second does the work.
    """
    size = measure_input([name])
    return None if size is None else 2 * size


def check_outputs(files: Sequence[str], output: Path | None, *, in_place: bool) -> None:
    """Check that each file has one output.

    Args:
        files: the files to change.
        output: the file of -o; None if left out.
        in_place: whether --in-place is given.

    Raises:
        UsageError: if several files have one output, a file has two, or standard input is to be changed in place.
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
    """Write a file with changed tags, in place or elsewhere.

    Args:
        file: the file.
        change: function that changes a column.
        output: the file to write; None for standard output.
        in_place: whether to replace the file itself.

    Returns:
        The changes of each column.

    Raises:
        DataError: if the tags cannot be changed like this, or the file cannot be written.
    """
    from isogloss.tasks.ner.tag_rewriting import rewrite_in_place, rewrite_tags, rewrite_to_file

    produce = partial(rewrite_tags, file, change)
    if in_place:
        return rewrite_in_place(file.source, produce)
    with exit_on_closed_pipe():
        return rewrite_to_file(file.source, output or Path("-"), produce)


def report_changes(file: TagFile, changes: Sequence[RewrittenColumn]) -> None:
    """Print how many tags of each column changed.

    Args:
        file: the file.
        changes: of its columns.
    """
    from isogloss.report.run_tables import format_warning

    for each in changes:
        name = file.name if len(changes) == 1 else f"{file.name}, column {each.column}"
        first = f" (first: {each.first_change})" if each.first_change else ""
        print_message(f"{name}: {each.changed:,} of {each.tokens:,} tags changed{first}")
        for warning in each.warnings:
            print_message(f"{name}: {format_warning(warning)}")


app = typer.Typer()


class RepairChoice(StrEnum):
    """Repair of invalid tags."""

    begin = "begin"
    discard = "discard"


class NotationChoice(StrEnum):
    """Notation of tags: B-PER, PER-B, B_PER or PER."""

    prefix = "prefix"
    suffix = "suffix"
    underscore = "underscore"
    bare = "bare"


FilesArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="Files of CoNLL columns, folders or patterns in quotes, plain or .gz; - is standard input.",
    ),
]
ColumnsOption = Annotated[
    str | None,
    typer.Option(
        metavar="N,N...",
        help="Column of the token, then columns of tags: numbers from 1, or from the end with -1, or names.",
        show_default="chosen by the first lines, usually 1,-1",
    ),
]
InPlaceOption = Annotated[bool, typer.Option("--in-place", help="Replace the files themselves.")]
RewriteOutputOption = Annotated[
    Path | None,
    typer.Option("-o", "--output", help="Write to this file; compressed if it ends with .gz or .zst."),
]


@app.command("validate")
def validate(  # noqa: PLR0913  a command's options are its arguments
    files: FilesArgument,
    *,
    scheme: SchemeOption = "auto",
    columns: ColumnsOption = None,
    most: Annotated[
        int | None,
        typer.Option("--max", metavar="N", help="Show at most N tags of each file.", min=0),
    ] = None,
    form: TextFormOption = TextForm.text,
    output: OutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Find every invalid tag: one that does not fit the tag scheme.

    The exit code is 3 if there is an invalid tag, or if a file cannot be read.
    """
    from isogloss.report.tag_tables import build_error_row, format_validation_json

    check_files(files, {"-o": output})
    files = list_tag_files(files)
    rows: list[dict[str, Any]] = []
    with open_output(output) as stream:
        validate_file = partial(_validate_file, most=most, stream=None if form is TextForm.json else stream)
        for name in files:
            try:
                rows.append(process_tag_file(name, columns, scheme, validate_file, quiet=quiet)[1])
            except DataError as error:
                print_message(f"isogloss: {error}")
                rows.append(build_error_row(name, error))
        if form is TextForm.json:
            use_utf8(stream).write(format_validation_json(rows))
        elif all("error" in row for row in rows):
            raise typer.Exit(DataError.exit_code)  # without results an existing output file stays as it is
    if any("error" in row or any(column["misfits"] for column in row["columns"]) for row in rows):
        raise typer.Exit(DataError.exit_code)


def _validate_file(file: TagFile, most: int | None, stream: TextIO | None) -> dict[str, Any]:
    """Return the JSON of a file, without invalid tags that are printed."""
    from isogloss.report.tag_tables import build_file_row, format_invalid_tag, format_validation
    from isogloss.tasks.ner.tag_checks import validate_tags

    invalid_tags: list[InvalidTag] = []
    if stream is None:
        return build_file_row(validate_tags(file, invalid_tags.append, most), invalid_tags)
    several, shown = len(file.column_numbers) > 1, 0

    def print_tag(invalid_tag: InvalidTag) -> None:
        nonlocal shown
        stream.write(format_invalid_tag(invalid_tag, stream.encoding, several=several))
        shown += 1

    columns = validate_tags(file, print_tag, most)
    for column in columns:
        stream.write(format_validation(column, shown, stream.encoding, several=several))
    return build_file_row(columns, ())


@app.command("repair")
def repair(  # noqa: PLR0913  a command's options are its arguments
    files: FilesArgument,
    *,
    how: Annotated[
        RepairChoice,
        make_choice(RepairChoice, "--repair", help="begin: correct invalid tags; discard: remove their spans."),
    ] = RepairChoice.begin,
    scheme: SchemeOption = "auto",
    columns: ColumnsOption = None,
    in_place: InPlaceOption = False,
    output: RewriteOutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write the file with its invalid tags repaired.

    All other bytes stay as they are.
    """
    from isogloss.tasks.ner.tag_rewriting import make_repair

    files = list_tag_files(files)
    check_outputs(files, output, in_place=in_place)
    repair_file = partial(rewrite_tag_file, change=make_repair(how.value), output=output, in_place=in_place)
    for name in files:
        file, changes = process_tag_file(name, columns, scheme, repair_file, quiet=quiet)
        if not quiet:
            report_changes(file, changes)


@app.command("convert")
def convert(  # noqa: PLR0913  a command's options are its arguments
    files: FilesArgument,
    *,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="SCHEME",
            help=f"Scheme to write: {', '.join(SCHEMES)}.",
            parser=make_scheme_parser("--to", tuple(SCHEMES)),
            autocompletion=complete_choices(lambda: SCHEMES),
        ),
    ],
    scheme: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="SCHEME",
            help="Scheme of the files.",
            parser=make_scheme_parser("--from"),
            autocompletion=complete_choices(lambda: SCHEME_NAMES),
        ),
    ] = "auto",
    notation: Annotated[
        NotationChoice | None,
        make_choice(
            NotationChoice,
            "--notation",
            help="Notation of the tags: B-PER, PER-B, B_PER or, in io, PER.",
            show_default="as in the file",
        ),
    ] = None,
    how: Annotated[Repair, make_choice(Repair, "--repair", help="How to handle invalid tags.")] = Repair.error,
    columns: ColumnsOption = None,
    in_place: InPlaceOption = False,
    output: RewriteOutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write the file with its tags in another scheme.

    All other bytes stay as they are.
    """
    from isogloss.tasks.ner.tag_rewriting import make_conversion, warn_misread_columns

    files = list_tag_files(files)
    check_outputs(files, output, in_place=in_place)
    to_notation: TagNotation | None = None if notation is None else notation.value
    change = make_conversion(to, to_notation, how.value)
    convert_file = partial(rewrite_tag_file, change=change, output=output, in_place=in_place)
    for name in files:
        file, changes = process_tag_file(name, columns, scheme, convert_file, quiet=quiet)
        if not quiet:
            report_changes(file, changes)
            for line in warn_misread_columns(file, changes, to, to_notation):
                print_message(line)


@app.command("count")
def count(  # noqa: PLR0913  a command's options are its arguments
    files: FilesArgument,
    *,
    scheme: SchemeOption = "auto",
    how: Annotated[Repair, make_choice(Repair, "--repair", help="How to handle invalid tags.")] = Repair.begin,
    columns: ColumnsOption = None,
    names: Annotated[int, typer.Option("--names", metavar="N", help="Also show the N most frequent names.", min=0)] = 0,
    form: TableFormOption = TableForm.text,
    output: OutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Count sentences, tokens, tags, and spans by label and length."""
    from isogloss.report.tag_tables import format_counts_csv, format_counts_json, print_counts
    from isogloss.tasks.ner.tag_checks import count_tags
    from isogloss.text.display import format_count

    check_files(files, {"-o": output})
    files = list_tag_files(files)
    count_file = partial(count_tags, repair=how.value, names=names > 0)
    counts: list[tuple[str, TagFileCounts]] = []
    for name in files:
        file, counts_of_file = process_tag_file(name, columns, scheme, count_file, quiet=quiet)
        counts.append((file.name, counts_of_file))
        for column in () if quiet else counts_of_file.columns:
            if column.invalid_tags:
                number = format_count(column.invalid_tags, "invalid tag")
                print_message(f"{file.name}: {number}, handled by --repair {how.value}")
    with open_output(output) as stream:
        if form is TableForm.text:
            print_counts(counts, names, stream)
        else:
            format_counts = format_counts_json if form is TableForm.json else format_counts_csv
            use_utf8(stream).write(format_counts(counts, names))
