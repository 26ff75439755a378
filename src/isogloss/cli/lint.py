"""`isogloss lint`: find faults in data before you score with it."""

from __future__ import annotations

from typing import Annotated

import typer

from isogloss.cli.options import (
    AnswersOption,
    FormatOption,
    OutputOption,
    QuietOption,
    SchemeOption,
    SideOption,
    TextForm,
    TextFormOption,
    WhichSide,
    check_files,
)
from isogloss.cli.output import write_text
from isogloss.errors import DataError
from isogloss.tasks.ner.options import parse_columns

FAILED = 1  # exit code if there is a fault of a kind in --fail-on

app = typer.Typer()


@app.command("entity-translation")
def entity_translation(
    references: Annotated[
        str,
        typer.Argument(
            metavar="REFERENCES",
            help="JSON lines, or a folder with a file for each language: it_IT.jsonl.",
        ),
    ],
    *,
    form: TextFormOption = TextForm.text,
    output: OutputOption = None,
    quiet: QuietOption = False,
) -> None:
    """Find faults in references of entity translation.

    The exit code is 3 if a fault makes scores unfair, and 0 if there are only remarks or no faults.
    """
    from isogloss.records.sources import Source
    from isogloss.tasks.entity_translation.lint import format_reference_faults, lint_references, to_faults_json

    check_files([references], {"-o": output})
    faults = lint_references(Source(references))
    if not quiet or output is not None or form is TextForm.json:
        write_text(to_faults_json(faults) if form is TextForm.json else format_reference_faults(faults), output)
    if any(fault.is_severe for fault in faults):
        raise typer.Exit(DataError.exit_code)


@app.command("ner")
def ner(  # noqa: PLR0913  a command's options are its arguments
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="Annotations in any known format, plain or .gz; - is standard input."),
    ],
    *,
    form: TextFormOption = TextForm.text,
    output: OutputOption = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on",
            metavar="KIND",
            help="Exit 1 if there is a fault of this kind, or of any kind with all; may be repeated.",
        ),
    ] = None,
    most: Annotated[int, typer.Option("--max", metavar="N", help="Print at most N faults of each kind.", min=0)] = 20,
    scheme: SchemeOption = "auto",
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="N,N", help="Columns of the token and the tag: numbers from 1, or from the end with -1, or names."
        ),
    ] = None,
    input_format: FormatOption = None,
    side: SideOption = WhichSide.reference,
    answers: AnswersOption = None,
    quiet: QuietOption = False,
) -> None:
    """Find faults in annotations of named entities.

    The exit code is 0; with --fail-on it is 1 if there is a fault of that kind.
    """
    from isogloss.formats.annotation import FormatOptions
    from isogloss.records.sources import Source
    from isogloss.tasks.ner.lint import lint_ner_file
    from isogloss.tasks.ner.lint_documents import check_fault_kinds, format_lint_report, to_lint_json

    check_fault_kinds(fail_on or ())
    check_files([file], {"-o": output})
    options = FormatOptions(
        side=side.side if answers is None else "predicted",
        columns=None if columns is None else parse_columns(columns),
        answers=answers,
    )
    report = lint_ner_file(Source(file), input_format, options, scheme=scheme, max_faults=most)
    if not quiet or output is not None or form is TextForm.json:
        write_text(to_lint_json(report) if form is TextForm.json else format_lint_report(report), output)
    if report.has_faults(fail_on or ()):
        raise typer.Exit(FAILED)
