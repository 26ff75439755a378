"""`isogloss ner`: score named entities."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated

import typer

from isogloss.cli.ending import Outcome
from isogloss.cli.options import (
    ByOption,
    ConfidenceOption,
    ContextOption,
    ErrorsOption,
    FormOption,
    OutputOption,
    QuietOption,
    ResamplesOption,
    SeedOption,
    UnitOption,
    one_standard_input,
    resampled_unit,
)
from isogloss.cli.output import Form
from isogloss.cli.progress import Progress
from isogloss.exceptions import UsageError

SCHEMES = ("auto", "iob1", "iob2", "ioe1", "ioe2", "iobes", "bilou", "bmes", "bmewo", "io")


class Repair(StrEnum):
    """What to do about tags that do not fit the scheme."""

    begin = "begin"
    discard = "discard"
    error = "error"


class InputFormat(StrEnum):
    """Formats of input files."""

    conll = "conll"
    jsonl = "jsonl"


class MacroOver(StrEnum):
    """Which labels enter a mean."""

    union = "union"
    reference = "reference"


def command(  # noqa: PLR0913  a command's options are its arguments
    reference: Annotated[
        str, typer.Argument(metavar="REFERENCE", help="CoNLL columns or JSONL, plain or .gz; - is standard input.")
    ],
    predictions: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PREDICTION",
            help="One file per system, the first is the baseline. Left out: the reference file has a column for it.",
        ),
    ] = None,
    *,
    form: FormOption = Form.text,
    output: OutputOption = None,
    profile: Annotated[
        str | None,
        typer.Option(
            help="Reproduce another tool: seqeval, seqeval-strict, conlleval, seqscore, nervaluate, spacy.",
            show_default=False,
        ),
    ] = None,
    scheme: Annotated[str, typer.Option(help=f"Tag scheme: {', '.join(SCHEMES)}.")] = "auto",
    repair: Annotated[
        Repair | None, typer.Option(help="What to do about tags that do not fit the scheme.", show_default="begin")
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="N,N[,N]",
            help="CoNLL columns, from 1, from the end below 0: token,tag; in one file token,reference,prediction.",
        ),
    ] = None,
    input_format: Annotated[InputFormat | None, typer.Option(help="Format of the files; else recognised.")] = None,
    ignore_tokens: Annotated[bool, typer.Option("--ignore-tokens", help="Allow other tokens on both sides.")] = False,
    label: Annotated[
        list[str] | None, typer.Option("--label", metavar="LABEL", help="Score only this label; several times.")
    ] = None,
    beta: Annotated[float, typer.Option(help="Weight of recall in the F-measure.")] = 1.0,
    zero_division: Annotated[int | None, typer.Option(help="Value of 0/0: 0 or 1.", show_default="undefined")] = None,
    macro_over: Annotated[MacroOver, typer.Option(help="Labels that enter a mean.")] = MacroOver.union,
    by: ByOption = None,
    training: Annotated[
        str | None,
        typer.Option("--training", metavar="FILE", help="Training data, for --by seen.", show_default=False),
    ] = None,
    confidence: ConfidenceOption = None,
    unit: UnitOption = "document",
    resamples: ResamplesOption = 1000,
    seed: SeedOption = 12345,
    errors: ErrorsOption = 0,
    context: ContextOption = 3,
    quiet: QuietOption = False,
    keep: bool = False,
) -> Outcome:
    """Score predicted named entities against a reference.

    Four SemEval-2013 schemas (strict, exact, partial, type), six kinds of errors, by label and overall.
    """
    from isogloss.evaluate.inputs import Layout, opened  # noqa: PLC0415  --help need not wait for numpy
    from isogloss.evaluate.ner import Definition, score  # noqa: PLC0415
    from isogloss.evaluate.span_slices import trained_on  # noqa: PLC0415
    from isogloss.evaluate.wanted import asked  # noqa: PLC0415
    from isogloss.sources import Source  # noqa: PLC0415

    one_standard_input([reference, *(predictions or ())])
    definition = Definition(
        scheme=scheme,
        repair=None if repair is None else repair.value,
        labels=tuple(label) if label else None,
        zero_division=zero_division,
        beta=beta,
        macro_over=macro_over.value,
        profile=profile,
    )
    wanted = asked(confidence, resamples, seed, errors, context, by=by or (), unit=unit, kept=keep)
    with Progress(reference, quiet=quiet) as progress:
        layout = Layout(
            input_format=None if input_format is None else input_format.value,
            columns=None if columns is None else column_numbers(columns),
            ignore_tokens=ignore_tokens,
            progress=progress,
            attributes=wanted.attributes,
        )
        trained = None if training is None else trained_on(training, layout)
        source = Source(reference)  # shared, so that standard input is kept for the next system
        systems: list[str | None] = [*predictions] if predictions else [None]
        runs = [score(opened(source, name, layout), definition, wanted, trained) for name in systems]
    return Outcome(runs, form, output, quiet, level=confidence, seed=seed, unit=resampled_unit(unit))


def column_numbers(text: str) -> tuple[int, ...]:
    """Column numbers separated by commas.

    Raises:
        UsageError: it is something else.
    """
    if not re.fullmatch(r"-?\d+(,-?\d+)*", text):
        raise UsageError(f"--columns {text}: give column numbers separated by commas, such as 1,-1.")
    return tuple(map(int, text.split(",")))
