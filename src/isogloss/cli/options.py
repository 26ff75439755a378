"""The options that all tasks have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli.output import OutputFormat
from isogloss.errors import UsageError
from isogloss.records.destinations import check

if TYPE_CHECKING:
    from isogloss.kernel.provenance import Side
    from isogloss.tasks.scoring_options import ScoringOptions


class IntervalMethod(StrEnum):
    """How intervals are made."""

    bootstrap = "bootstrap"
    wilson = "wilson"


class Repair(StrEnum):
    """How invalid tags are handled."""

    begin = "begin"
    discard = "discard"
    error = "error"


class TextForm(StrEnum):
    """How what is no run is printed."""

    text = "text"
    json = "json"


class WhichSide(StrEnum):
    """Which side of a file with both."""

    reference = "reference"
    prediction = "prediction"

    @property
    def side(self) -> Side:
        """What it is called inside."""
        return "reference" if self is WhichSide.reference else "predicted"


SCHEMES = ("auto", "iob1", "iob2", "ioe1", "ioe2", "iobes", "bilou", "bmes", "bmewo", "io")
FormOption = Annotated[OutputFormat, typer.Option("-f", "--format", help="How to print the results.")]
OutputOption = Annotated[Path | None, typer.Option("-o", "--output", help="Write the results to this file.")]
# What commands that read named entities have in common.
FormatOption = Annotated[
    str | None,
    typer.Option("--input-format", metavar="NAME", help="Format of the input; else recognised.", show_default=False),
]
StrictSpansOption = Annotated[bool, typer.Option("--strict-spans", help="Refuse spans that are not of one piece.")]
RepairOffsetsOption = Annotated[
    bool,
    typer.Option("--repair-offsets", help="Put right offsets that are off by a known slip."),
]
AnswersOption = Annotated[
    str | None,
    typer.Option(
        "--answers",
        metavar="FIELD",
        help="Field with what a model answered, read as mentions.",
        show_default=False,
    ),
]
SideOption = Annotated[WhichSide, typer.Option(help="Which side of a file with both.")]
SchemeOption = Annotated[str, typer.Option(help=f"Tag scheme: {', '.join(SCHEMES)}.")]
ResamplesOption = Annotated[int, typer.Option("--resamples", help="Number of resamples.", min=1)]
SeedOption = Annotated[int, typer.Option("--seed", help="Seed of the resamples.", min=0)]
ErrorsOption = Annotated[int, typer.Option("--errors", help="Show the first so many errors in their context.", min=0)]
QuietOption = Annotated[bool, typer.Option("-q", "--quiet", help="Results only.")]


@dataclass(frozen=True)
class TaskOptions:
    """What every task can be asked for beside the scores.

    Args:
        form: how the results are printed.
        output: the file to write; None for standard output.
        by: columns whose values are scored apart, too.
        confidence: level of the intervals, None for none.
        unit: `document`, or the column whose values are resampled as a whole; None for what is usual for the task.
        interval: how intervals are made.
        resamples: number of resamples.
        seed: of what is drawn.
        errors: how many findings are shown.
        context: words of context on each side of a finding.
        quiet: whether to leave out what is said besides.
        keep: no option: whether single documents are needed afterwards.
        collect: no option: whether all findings are, however many are shown.
    """

    form: FormOption = OutputFormat.text
    output: OutputOption = None
    by: Annotated[
        list[str] | None,
        typer.Option("--by", metavar="COLUMN", help="Also score each value of this column apart; several times."),
    ] = None
    confidence: Annotated[
        float | None,
        typer.Option("--confidence", help="Level of the intervals, such as 0.95.", show_default="none"),
    ] = None
    unit: Annotated[
        str | None,
        typer.Option(
            "--unit",
            metavar="COLUMN",
            help="What intervals take as independent: document, or the values of a column.",
        ),
    ] = "document"
    interval: Annotated[
        IntervalMethod,
        typer.Option("--interval", help="How intervals are made; wilson is for scores that are plain proportions."),
    ] = IntervalMethod.bootstrap
    resamples: ResamplesOption = 1000
    seed: SeedOption = 12345
    errors: ErrorsOption = 0
    context: Annotated[int, typer.Option("--context", help="Words of context on each side.", min=0)] = 3
    quiet: QuietOption = False
    keep: bool = False
    collect: bool = False

    def wanted(self, *, all_findings: bool = False) -> ScoringOptions:
        """What is made beside the scores.

        Args:
            all_findings: whether all findings are shown.

        Raises:
            UsageError: for values that cannot be meant.
        """
        from isogloss.tasks.scoring_options import build_scoring_options

        return build_scoring_options(
            self.confidence,
            self.resamples,
            self.seed,
            True if all_findings or self.collect else self.errors,
            self.context,
            by=self.by or (),
            unit=self.unit,
            keep_documents=self.keep,
            interval=self.interval.value,
        )


def check_files(read: Sequence[str], written: Mapping[str, Path | None]) -> None:
    """Refuse a call in which standard input stands for two files, or a file cannot be written as it is called.

    Args:
        read: the files that are read.
        written: the files that are written, by their options; None for none.

    Raises:
        UsageError: it does, or a file is read and written, or is to be compressed in a way that is not written.
        MissingExtraError: a file is to be compressed with zstd, and zstandard is not installed.
    """
    if list(read).count("-") > 1:
        raise UsageError("Standard input (-) can stand for one file only.")
    for option, path in written.items():
        if path is not None:
            check(path, read, option)
