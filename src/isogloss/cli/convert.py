"""`isogloss convert`: named entities from one format to another."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli.options import (
    AnswersOption,
    FormatOption,
    QuietOption,
    Repair,
    RepairOffsetsOption,
    SchemeOption,
    SideOption,
    StrictSpansOption,
    WhichSide,
    check_files,
)
from isogloss.cli.output import exit_on_closed_pipe
from isogloss.tasks.ner.options import parse_columns

if TYPE_CHECKING:
    from isogloss.formats.conversion import Conversion


def command(  # noqa: PLR0913  a command's options are its arguments
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="In any known format, plain or .gz; - is standard input."),
    ],
    *,
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help="The format to write, such as jsonl or conllu.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="OUT", help="Where; - is standard output.")] = "-",
    input_format: FormatOption = None,
    side: SideOption = WhichSide.reference,
    columns: Annotated[
        str | None,
        typer.Option(metavar="N,N", help="Columns, from 1, from the end below 0, or names.", show_default=False),
    ] = None,
    scheme: SchemeOption = "auto",
    repair: Annotated[
        Repair | None,
        typer.Option(help="What to do about tags that do not fit the scheme.", show_default="begin"),
    ] = None,
    to_scheme: Annotated[
        str | None,
        typer.Option(
            metavar="SCHEME",
            help="Tag scheme of the output; asks for tags where a format has both.",
            show_default="iob2",
        ),
    ] = None,
    strict_spans: StrictSpansOption = False,
    repair_offsets: RepairOffsetsOption = False,
    answers: AnswersOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write named entities in another format.

    What the format cannot hold is refused with its place; the file is written whole or not at all.
    """
    from isogloss.formats.conversion import convert

    check_files([file], {"-o": Path(output)})
    with exit_on_closed_pipe():
        done = convert(
            file,
            to,
            output,
            input_format=input_format,
            side=side.side,
            columns=None if columns is None else parse_columns(columns),
            scheme=scheme,
            repair=None if repair is None else repair.value,
            to_scheme=to_scheme,
            strict_spans=strict_spans,
            repair_offsets=repair_offsets,
            answers=answers,
        )
    if not quiet:
        _report_conversion(done, file, to)


def _report_conversion(conversion: Conversion, file: str, to: str) -> None:
    """Say on standard error what was done."""
    from isogloss.report.run_formats import format_warning
    from isogloss.text.display import format_count

    name = "<stdin>" if file == "-" else file
    for notice in conversion.warnings:
        print(f"{name}: {format_warning(notice)}", file=sys.stderr)  # noqa: T201
    much = f"{format_count(conversion.documents, 'document')} with {format_count(conversion.spans, 'span')}"
    print(f"isogloss: {much}, from {conversion.source_format} to {to}", file=sys.stderr)  # noqa: T201
