"""`isogloss tags`: validate, repair, convert and count the tags of CoNLL files."""

from __future__ import annotations

import io
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from isogloss.cli.ner import Repair
from isogloss.cli.options import SCHEMES, OutputOption, QuietOption, SchemeOption, TextForm, check_files
from isogloss.cli.output import opened
from isogloss.cli.tag_files import Misfits, check_places, rewritten, say, tag_columns, tell, with_tags
from isogloss.exceptions import DataError

if TYPE_CHECKING:
    from isogloss.tagging import Notation
    from isogloss.tags.columns import TagFile
    from isogloss.tags.counting import Counted
    from isogloss.tags.misfits import Misfit

app = typer.Typer(
    help="Validate, repair, convert and count the tags of CoNLL files.", no_args_is_help=True, rich_markup_mode=None
)


class CountForm(StrEnum):
    """How counts are printed."""

    text = "text"
    json = "json"
    csv = "csv"


class Mending(StrEnum):
    """How tags that do not fit are repaired."""

    begin = "begin"
    discard = "discard"


class Written(StrEnum):
    """How tags are written."""

    prefix = "prefix"
    suffix = "suffix"
    bare = "bare"


FilesArgument = Annotated[
    list[str], typer.Argument(metavar="FILE...", help="CoNLL columns, plain or .gz; - is standard input.")
]
ColumnsOption = Annotated[
    str, typer.Option(metavar="N,N...", help="Columns of the token and of tags, from 1, from the end below 0.")
]
InPlaceOption = Annotated[bool, typer.Option("--in-place", help="Change the files themselves.")]
RewrittenOption = Annotated[
    Path | None, typer.Option("-o", "--output", help="Write to this file; compressed if it ends with .gz or .zst.")
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
        int | None, typer.Option("--max", metavar="N", help="Show so many tags of a file at most.", min=0)
    ] = None,
    form: Annotated[TextForm, typer.Option("-f", "--format", help="How to print.")] = TextForm.text,
    output: OutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Find every tag that does not fit its scheme.

    The exit code is 3 if there is one, or if a file cannot be read.
    """
    from isogloss.report.misfits import error_row, validated_json  # noqa: PLC0415  --help need not wait

    check_files(files, {"-o": output})
    numbers = tag_columns(columns)
    rows: list[dict[str, Any]] = []
    with opened(output) as stream:
        validated = partial(_validated, most=most, stream=None if form is TextForm.json else stream)
        for name in files:
            try:
                rows.append(with_tags(name, numbers, scheme, validated, quiet=quiet)[1])
            except DataError as error:
                say(f"isogloss: {error}")
                rows.append(error_row(name, error))
        if form is TextForm.json:
            _for_programs(stream).write(validated_json(rows))
        elif all("error" in row for row in rows):
            raise typer.Exit(DataError.exit_code)  # nothing was found out: a file that is there stays as it is
    if any("error" in row or any(column["misfits"] for column in row["columns"]) for row in rows):
        raise typer.Exit(DataError.exit_code)


def _validated(file: TagFile, most: int | None, stream: TextIO | None) -> dict[str, Any]:
    """What JSON has of a file; its misfits are in it, or are printed on the stream."""
    from isogloss.report.misfits import file_row  # noqa: PLC0415  --help need not wait
    from isogloss.tags.validating import validate as validated  # noqa: PLC0415  likewise

    if stream is None:
        found: list[Misfit] = []
        return file_row(validated(file, found.append, most), found)
    printed = Misfits(stream, several=len(file.numbers) > 1)
    columns = validated(file, printed, most)
    printed.end(columns)
    return file_row(columns, ())


@app.command("repair")
def repair(  # noqa: PLR0913  a command's options are its arguments
    files: FilesArgument,
    *,
    how: Annotated[
        Mending, typer.Option("--repair", help="begin: put tags right; discard: remove their spans.")
    ] = Mending.begin,
    scheme: SchemeOption = "auto",
    columns: ColumnsOption = "1,-1",
    in_place: InPlaceOption = False,
    output: RewrittenOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write the file with tags that all fit their scheme. Everything else stays as it is, byte for byte."""
    from isogloss.tags.repairing import repairing  # noqa: PLC0415  --help need not wait for numpy

    check_places(files, output, in_place=in_place)
    numbers = tag_columns(columns)
    changed = partial(rewritten, change=repairing(how.value), output=output, in_place=in_place)
    for name in files:
        file, done = with_tags(name, numbers, scheme, changed, quiet=quiet)
        if not quiet:
            tell(file, done)


@app.command("convert")
def convert(  # noqa: PLR0913  a command's options are its arguments
    files: FilesArgument,
    *,
    to: Annotated[str, typer.Option("--to", metavar="SCHEME", help=f"{', '.join(SCHEMES[1:])}.")],
    scheme: Annotated[str, typer.Option("--from", metavar="SCHEME", help="Scheme of the file.")] = "auto",
    notation: Annotated[
        Written | None,
        typer.Option(help="B-PER, PER-B or, in io, PER.", show_default="as in the file"),
    ] = None,
    how: Annotated[Repair, typer.Option("--repair", help="What to do about tags that do not fit.")] = Repair.error,
    columns: ColumnsOption = "1,-1",
    in_place: InPlaceOption = False,
    output: RewrittenOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write the file with its tags in another scheme. Everything else stays as it is, byte for byte."""
    from isogloss.tags.converting import converting, misread  # noqa: PLC0415  --help need not wait for numpy

    check_places(files, output, in_place=in_place)
    wanted: Notation | None = None if notation is None else notation.value
    numbers = tag_columns(columns)
    changed = partial(rewritten, change=converting(to, wanted, how.value), output=output, in_place=in_place)
    for name in files:
        file, done = with_tags(name, numbers, scheme, changed, quiet=quiet)
        if not quiet:
            tell(file, done)
            for line in misread(file, done, to, wanted):
                say(line)


@app.command("count")
def count(  # noqa: PLR0913  a command's options are its arguments
    files: FilesArgument,
    *,
    scheme: SchemeOption = "auto",
    how: Annotated[Repair, typer.Option("--repair", help="What to do about tags that do not fit.")] = Repair.begin,
    columns: ColumnsOption = "1,-1",
    names: Annotated[int, typer.Option("--names", metavar="N", help="Also the N most frequent names.", min=0)] = 0,
    form: Annotated[CountForm, typer.Option("-f", "--format", help="How to print.")] = CountForm.text,
    output: OutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Count sentences, tokens, tags, and spans by label and length."""
    from isogloss.report.tag_counts import counts_csv, counts_json, show_counts  # noqa: PLC0415  --help need not wait
    from isogloss.tags.counting import count as counted_of  # noqa: PLC0415  likewise
    from isogloss.text import counted as number_of  # noqa: PLC0415  likewise

    check_files(files, {"-o": output})
    numbers = tag_columns(columns)
    wanted = partial(counted_of, repair=how.value, names=names > 0)
    counted: list[tuple[str, Counted]] = []
    for name in files:
        file, found = with_tags(name, numbers, scheme, wanted, quiet=quiet)
        counted.append((file.name, found))
        for column in () if quiet else found.columns:
            if column.misfits:
                number = f"{number_of(column.misfits, 'tag')} {'does' if column.misfits == 1 else 'do'} not fit"
                say(f"{file.name}: {number}; their spans are read by --repair {how.value}")
    with opened(output) as stream:
        if form is CountForm.text:
            show_counts(counted, names, stream)
        else:
            drawn = counts_json if form is CountForm.json else counts_csv
            _for_programs(stream).write(drawn(counted, names))


def _for_programs(stream: TextIO) -> TextIO:
    """The stream, which takes the same bytes everywhere."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8")
    return stream
