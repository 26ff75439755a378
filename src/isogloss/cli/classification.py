"""`isogloss classification`: score text classification."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isogloss.cli.after_scoring import Outcome
from isogloss.cli.ner import MacroOver
from isogloss.cli.options import TaskOptions
from isogloss.cli.output import write_text
from isogloss.cli.progress import Progress
from isogloss.errors import UsageError

if TYPE_CHECKING:
    from isogloss.runs.run import Run


def command(  # noqa: PLR0913  a command's options are its arguments
    reference: Annotated[
        str,
        typer.Argument(
            metavar="SCORES|REFERENCE",
            help="JSONL with gold and scores; or the gold alone, JSONL or a label per line. - is standard input.",
        ),
    ],
    predictions: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PREDICTION",
            help="JSONL with scores, or a label per line. One file per system, the first is the baseline.",
        ),
    ] = None,
    *,
    profile: Annotated[str | None, typer.Option(help="Reproduce another tool: spacy.", show_default=False)] = None,
    multi_label: Annotated[
        bool | None,
        typer.Option(
            "--multi-label/--exclusive", help="Whether a document may have several labels.", show_default="by the gold"
        ),
    ] = None,
    threshold: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[LABEL=]NUMBER",
            help="Give a label from this score on, where a document may have several; several times.",
            show_default="0.5",
        ),
    ] = None,
    best_threshold: Annotated[
        bool, typer.Option("--best-threshold", help="Find the threshold with the highest F of each label.")
    ] = False,
    curves: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write ROC and precision-recall curves, as JSON.")
    ] = None,
    positive_label: Annotated[
        str | None, typer.Option(metavar="LABEL", help="With --profile spacy: the label whose F is cats_score.")
    ] = None,
    beta: Annotated[float, typer.Option(help="Weight of recall in the F-measure.")] = 1.0,
    zero_division: Annotated[int | None, typer.Option(help="Value of 0/0: 0 or 1.", show_default="undefined")] = None,
    macro_over: Annotated[MacroOver, typer.Option(help="Labels that enter a mean.")] = MacroOver.union,
    options: TaskOptions,
) -> Outcome:
    """Score text classification.

    Exclusive or several labels: accuracy, precision, recall, F, ROC-AUC, average precision, by label and over labels.
    """
    from isogloss.records.sources import Source  # noqa: PLC0415
    from isogloss.tasks.classification.inputs import opened  # noqa: PLC0415
    from isogloss.tasks.classification.scoring import Definition, score  # noqa: PLC0415  --help need not wait for numpy

    whole, of_labels = thresholds(threshold or ())
    definition = Definition(
        multi_label=multi_label,
        threshold=whole,
        thresholds=of_labels,
        profile=profile,
        zero_division=zero_division,
        beta=beta,
        macro_over=macro_over.value,
        best_threshold=best_threshold,
        positive_label=positive_label,
    )
    wanted = options.wanted()
    with Progress(reference, quiet=options.quiet) as progress:
        source = Source(reference)  # shared, so that standard input is kept for the next system
        systems: list[str | None] = [*predictions] if predictions else [None]
        runs = [
            score(opened(source, name, progress=progress, attributes=wanted.attributes), definition, wanted)
            for name in systems
        ]
    if curves is not None:
        write_text(_curves(runs), curves, "--curves")
    return Outcome(runs, options)


def thresholds(given: list[str] | tuple[str, ...]) -> tuple[float, dict[str, float]]:
    """The threshold for all labels, and those of some.

    Raises:
        UsageError: a value is not a number.
    """
    whole, of_labels = 0.5, {}
    for text in given:
        label, named, number = text.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            raise UsageError(f"--threshold {text}: give a number, or a label and its number: pos=0.3.") from None
        if named:
            of_labels[label] = value
        else:
            whole = value
    return whole, of_labels


def _curves(runs: list[Run]) -> str:
    """The curves of all systems as JSON."""
    import msgspec  # noqa: PLC0415  only curves need it

    from isogloss.tasks.classification.ranking import curves_document  # noqa: PLC0415

    documents: list[dict[str, Any]] = [curves_document(run) for run in runs]
    document = documents[0] if len(documents) == 1 else {"runs": documents}
    return msgspec.json.encode(document).decode() + "\n"
