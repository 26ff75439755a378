"""`isogloss entity-translation`: score the names in translations."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from isogloss.cli.after_scoring import Outcome
from isogloss.cli.options import TaskOptions
from isogloss.cli.output import Form
from isogloss.cli.progress import Progress
from isogloss.errors import UsageError


class Normalize(StrEnum):
    """In which form names and translations are compared."""

    none = "none"
    nfc = "nfc"
    nfkc = "nfkc"
    nfkc_quotes = "nfkc-quotes"
    no_space = "no-space"
    letters = "letters"


class CometScale(StrEnum):
    """The scale of COMET scores."""

    unit = "0-1"
    percent = "0-100"


def command(  # noqa: PLR0913  a command's options are its arguments
    references: Annotated[
        str,
        typer.Argument(
            metavar="REFERENCES", help="JSON lines, or a folder with a file for each language: it_IT.jsonl."
        ),
    ],
    predictions: Annotated[
        list[str],
        typer.Argument(metavar="PREDICTIONS", help="A file or folder for each system, the first is the baseline."),
    ],
    *,
    profile: Annotated[
        str | None, typer.Option(help="Reproduce another scorer: ea-mt (SemEval-2025 Task 2).", show_default=False)
    ] = None,
    types: Annotated[
        list[str] | None,
        typer.Option("--types", metavar="TYPE[,TYPE]", help="Score only sentences with one of these entity types."),
    ] = None,
    normalize: Annotated[
        Normalize, typer.Option(help="Form in which names are compared, case aside.")
    ] = Normalize.none,
    chrf: Annotated[bool, typer.Option("--chrf", help="Also chrF, by sacrebleu.")] = False,
    bleu: Annotated[bool, typer.Option("--bleu", help="Also BLEU, by sacrebleu.")] = False,
    tokenizer: Annotated[
        str | None, typer.Option(help="Tokenizer of BLEU.", show_default="by language: zh, char or 13a")
    ] = None,
    comet: Annotated[
        list[str] | None,
        typer.Option(
            "--comet",
            metavar="FILE",
            help="COMET scores of a system, or a folder of them by language; once for each system, in their order.",
        ),
    ] = None,
    comet_scale: Annotated[CometScale | None, typer.Option(help="Their scale.", show_default=False)] = None,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Also near misses, boundaries and consistency; with -f json each sentence."),
    ] = False,
    options: TaskOptions,
) -> Outcome:
    """Score the names in translations (m-ETA).

    A sentence is right when one of the accepted names of its entity is in its translation.
    """
    from isogloss.records.sources import Source  # noqa: PLC0415
    from isogloss.tasks.entity_translation.inputs import Definition, opened  # noqa: PLC0415
    from isogloss.tasks.entity_translation.scoring import score  # noqa: PLC0415  --help need not wait

    listed = explain and options.form is Form.json
    definition = Definition(
        profile=profile,
        types=tuple(name.strip() for each in types for name in each.split(",")) if types else None,
        normalize=normalize.value,
        chrf=chrf,
        bleu=bleu,
        tokenizer=tokenizer,
        comet_scale=None if comet_scale is None else comet_scale.value,
        explain=explain or options.errors > 0 or options.collect,
        hits=listed,
    )
    wanted = options.wanted(all_findings=listed)
    source = Source(references)  # shared, so that standard input is kept for the next system
    scores = _scores_of(comet or [], predictions)
    runs = []
    with Progress(references, quiet=options.quiet) as progress:
        for name, scored in zip(predictions, scores, strict=True):
            given = None if scored is None else Source(scored)
            system = opened(source, Source(name), definition, given, progress, wanted.attributes)
            runs.append(score(system, definition, wanted))
    return Outcome(runs, options, lists_all=listed)


def _scores_of(comet: list[str], predictions: list[str]) -> list[str] | list[None]:
    """The file of COMET scores of each system.

    Raises:
        UsageError: there are more, or fewer, than systems.
    """
    if not comet:
        return [None] * len(predictions)
    if len(comet) != len(predictions):
        raise UsageError(
            f"--comet is given {len(comet)} times, but there are {len(predictions)} PREDICTIONS: give it once for each."
        )
    return comet
