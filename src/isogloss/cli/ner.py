"""`isogloss ner`: score named entities."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from isogloss.cli.after_scoring import Outcome
from isogloss.cli.options import (
    AnswersOption,
    FormatOption,
    RepairOffsetsOption,
    SchemeOption,
    StrictSpansOption,
    TaskOptions,
    column_numbers,
)
from isogloss.cli.progress import Progress


class Repair(StrEnum):
    """What to do about tags that do not fit the scheme."""

    begin = "begin"
    discard = "discard"
    error = "error"


class PrintedAs(StrEnum):
    """How another tool prints its results."""

    conlleval = "conlleval"
    seqscore = "seqscore"
    sklearn = "sklearn"
    spacy = "spacy"


class MacroOver(StrEnum):
    """Which labels enter a mean."""

    union = "union"
    reference = "reference"


def command(  # noqa: PLR0913  a command's options are its arguments
    reference: Annotated[
        str,
        typer.Argument(
            metavar="REFERENCE",
            help="CoNLL columns, JSON lines or any other known format, plain or .gz; - is standard input.",
        ),
    ],
    predictions: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PREDICTION",
            help="One file per system, the first is the baseline. Left out: the reference file has a column for it.",
        ),
    ] = None,
    *,
    profile: Annotated[
        str | None,
        typer.Option(
            help="Reproduce another tool: seqeval, seqeval-strict, conlleval, seqscore, nervaluate, spacy, fair.",
            show_default=False,
        ),
    ] = None,
    printed_as: Annotated[
        PrintedAs | None,
        typer.Option("--layout", help="Print as another tool prints; its profile is taken too.", show_default=False),
    ] = None,
    scheme: SchemeOption = "auto",
    repair: Annotated[
        Repair | None, typer.Option(help="What to do about tags that do not fit the scheme.", show_default="begin")
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="N,N[,N]",
            help="Columns, from 1, from the end below 0, or names: token,tag; in one file token,reference,prediction.",
        ),
    ] = None,
    input_format: FormatOption = None,
    prediction_format: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Format of the predictions, if it is another.", show_default=False),
    ] = None,
    ignore_tokens: Annotated[bool, typer.Option("--ignore-tokens", help="Allow other tokens on both sides.")] = False,
    strict_spans: StrictSpansOption = False,
    repair_offsets: RepairOffsetsOption = False,
    answers: AnswersOption = None,
    label: Annotated[
        list[str] | None, typer.Option("--label", metavar="LABEL", help="Score only this label; several times.")
    ] = None,
    beta: Annotated[float, typer.Option(help="Weight of recall in the F-measure.")] = 1.0,
    zero_division: Annotated[int | None, typer.Option(help="Value of 0/0: 0 or 1.", show_default="undefined")] = None,
    macro_over: Annotated[MacroOver, typer.Option(help="Labels that enter a mean.")] = MacroOver.union,
    training: Annotated[
        str | None,
        typer.Option("--training", metavar="FILE", help="Training data, for --by seen.", show_default=False),
    ] = None,
    options: TaskOptions,
) -> Outcome:
    """Score predicted named entities against a reference.

    Four SemEval-2013 schemas (strict, exact, partial, type), six kinds of errors, by label and overall.
    """
    from isogloss.records.sources import Source  # noqa: PLC0415
    from isogloss.tasks.ner.inputs import Layout, opened_each  # noqa: PLC0415
    from isogloss.tasks.ner.layouts import layout_of, printed  # noqa: PLC0415
    from isogloss.tasks.ner.scoring import Definition, score  # noqa: PLC0415
    from isogloss.tasks.ner.span_slices import trained_on  # noqa: PLC0415

    if printed_as is not None:
        layout_profile = layout_of(printed_as.value, options.form.value).profile
        profile = profile or layout_profile
    definition = Definition(
        scheme=scheme,
        repair=None if repair is None else repair.value,
        labels=tuple(label) if label else None,
        zero_division=zero_division,
        beta=beta,
        macro_over=macro_over.value,
        profile=profile,
    )
    wanted = options.wanted()
    with Progress(reference, quiet=options.quiet) as progress:
        layout = Layout(
            input_format=input_format,
            prediction_format=prediction_format,
            columns=None if columns is None else column_numbers(columns),
            ignore_tokens=ignore_tokens,
            strict_spans=strict_spans,
            repair_offsets=repair_offsets,
            answers=answers,
            progress=progress,
            attributes=wanted.attributes,
        )
        trained = None if training is None else trained_on(training, layout)
        source = Source(reference)  # shared, so that standard input is kept for the next system
        systems: list[str | None] = [*predictions] if predictions else [None]
        runs = [score(pairs, definition, wanted, trained) for pairs in opened_each(source, systems, layout)]
    drawn = None if printed_as is None else printed(runs, printed_as.value, options.form.value)
    return Outcome(runs, options, drawn)
