"""`isogloss convert`: write named entities in another format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli.completion import complete_choices
from isogloss.cli.options import (
    AnswersOption,
    FormatOption,
    OffsetUnitOption,
    QuietOption,
    Repair,
    RepairOffsetsOption,
    SchemeOption,
    SideOption,
    SplitOption,
    StrictSpansOption,
    WhichSide,
    check_files,
    list_formats,
    make_choice,
    make_scheme_parser,
)
from isogloss.cli.output import exit_on_closed_pipe, print_message
from isogloss.spans.schemes import SCHEMES
from isogloss.tasks.ner.options import parse_columns

if TYPE_CHECKING:
    from isogloss.formats.conversion import Conversion


FileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="File in any known format, plain or .gz; - is standard input.")
]
ToOption = Annotated[
    str,
    typer.Option(
        "--to",
        metavar="FORMAT",
        help="Format to write, such as jsonl or conllu.",
        autocompletion=complete_choices(list_formats),
    ),
]
ConvertedOption = Annotated[
    str, typer.Option("-o", "--output", metavar="OUT", help="File to write; - is standard output.")
]
ColumnsOption = Annotated[
    str | None,
    typer.Option(
        metavar="N,N",
        help="Columns of the token and the tag: numbers from 1, or from the end with -1, or names.",
        show_default=False,
    ),
]
RepairOption = Annotated[
    Repair | None,
    make_choice(Repair, "--repair", help="How to handle invalid tags, such as I-ORG after O.", show_default="begin"),
]
ToSchemeOption = Annotated[
    str | None,
    typer.Option(
        "--to-scheme",
        metavar="SCHEME",
        parser=make_scheme_parser("--to-scheme", tuple(SCHEMES)),
        autocompletion=complete_choices(lambda: SCHEMES),
        help="Tag scheme of the output; writes tags if the format can hold both tags and spans.",
        show_default="iob2",
    ),
]


def command(  # noqa: PLR0913  a command's options are its arguments
    file: FileArgument,
    *,
    to: ToOption,
    output: ConvertedOption = "-",
    input_format: FormatOption = None,
    side: SideOption = WhichSide.reference,
    columns: ColumnsOption = None,
    scheme: SchemeOption = "auto",
    repair: RepairOption = None,
    to_scheme: ToSchemeOption = None,
    strict_spans: StrictSpansOption = False,
    repair_offsets: RepairOffsetsOption = False,
    offset_unit: OffsetUnitOption = None,
    split: SplitOption = None,
    answers: AnswersOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write named entities in another format.

    An annotation that the format cannot hold is an error; the file is written completely or not at all.
    """
    from isogloss.formats.conversion import convert

    check_files([file], {"-o": Path(output)})
    with exit_on_closed_pipe():
        conversion = convert(
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
            offset_unit=offset_unit,
            split=split,
            answers=answers,
        )
    if not quiet:
        _report_conversion(conversion, file, to)


def _report_conversion(conversion: Conversion, file: str, to: str) -> None:
    """Print the warnings, and how much was converted."""
    from isogloss.report.run_tables import format_warning
    from isogloss.text.display import format_count

    name = "<stdin>" if file == "-" else file
    for warning in conversion.warnings:
        print_message(f"{name}: {format_warning(warning)}")
    counts = f"{format_count(conversion.documents, 'document')} with {format_count(conversion.spans, 'span')}"
    print_message(f"isogloss: {counts}, from {conversion.source_format} to {to}")
