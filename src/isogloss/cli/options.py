"""Options that several commands share."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isogloss.cli.output import OutputFormat
from isogloss.errors import UsageError
from isogloss.records.destinations import check_output
from isogloss.spans.schemes import SCHEMES

if TYPE_CHECKING:
    from isogloss.kernel.provenance import Side
    from isogloss.tasks.scoring_options import ScoringOptions


class IntervalMethod(StrEnum):
    """Method of confidence intervals."""

    auto = "auto"
    bootstrap = "bootstrap"
    wilson = "wilson"


class Repair(StrEnum):
    """Handling of invalid tags."""

    begin = "begin"
    discard = "discard"
    error = "error"


class TextForm(StrEnum):
    """Output format of commands that have no tables."""

    text = "text"
    json = "json"


class TableForm(StrEnum):
    """Output format of tables that are not runs."""

    text = "text"
    json = "json"
    csv = "csv"


class WhichSide(StrEnum):
    """Side of a file that has both."""

    reference = "reference"
    prediction = "prediction"

    @property
    def side(self) -> Side:
        """Name of the side in Python."""
        return "reference" if self is WhichSide.reference else "predicted"


FormOption = Annotated[OutputFormat, typer.Option("-f", "--format", help="Output format.")]
TextFormOption = Annotated[TextForm, typer.Option("-f", "--format", help="Output format.")]
TableFormOption = Annotated[TableForm, typer.Option("-f", "--format", help="Output format.")]
OutputOption = Annotated[Path | None, typer.Option("-o", "--output", help="Write the results to this file.")]
StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="URL|PATH",
        help="Store of runs: an SQLite file or postgresql://...; ISOGLOSS_STORE if left out.",
        show_default=".isogloss/runs.db",
    ),
]
# Options of commands that read named entities.
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--input-format", metavar="NAME", help="Format of the input; detected if left out.", show_default=False
    ),
]
StrictSpansOption = Annotated[bool, typer.Option("--strict-spans", help="Refuse discontinuous spans.")]
RepairOffsetsOption = Annotated[
    bool,
    typer.Option(
        "--repair-offsets",
        help="Fix offsets counted in UTF-16 units or bytes, or shifted by a few characters.",
    ),
]
AnswersOption = Annotated[
    str | None,
    typer.Option(
        "--answers",
        metavar="FIELD",
        help="Field with the answer of a language model, read as mentions.",
        show_default=False,
    ),
]
SideOption = Annotated[WhichSide, typer.Option(help="Side to read from a file that has both.")]
SchemeOption = Annotated[str, typer.Option(help=f"Tag scheme: auto, {', '.join(SCHEMES)}.")]
ResamplesOption = Annotated[int, typer.Option("--resamples", help="Number of bootstrap resamples.", min=1)]
SeedOption = Annotated[int, typer.Option("--seed", help="Random seed.", min=0)]
ErrorsOption = Annotated[
    int, typer.Option("--errors", metavar="N", help="Show the first N errors in their context.", min=0)
]
QuietOption = Annotated[bool, typer.Option("-q", "--quiet", help="Print the results only, without messages.")]


@dataclass(frozen=True)
class TaskOptions:
    """Options of all tasks: intervals, slices, findings and output.

    Args:
        form: output format.
        output: file to write; None for standard output.
        by: columns whose values are also scored separately.
        confidence: level of the intervals, in (0, 1); None for no intervals.
        unit: `document`, or the column whose values are resampled as a whole; None for the default of the task.
        interval: method of the intervals.
        resamples: number of bootstrap resamples, at least 1.
        seed: random seed, at least 0.
        errors: number of findings shown.
        context: words of context on each side of a finding.
        quiet: whether to print the results only, without messages.
        keep_documents: whether single documents are needed after scoring; not an option of the command line.
        collect_findings: whether all findings are needed, also those that are not shown; not an option of the command
            line.
    """

    form: FormOption = OutputFormat.text
    output: OutputOption = None
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by", metavar="COLUMN", help="Also score each value of this column separately; may be repeated."
        ),
    ] = None
    confidence: Annotated[
        float | None,
        typer.Option("--confidence", help="Confidence level of the intervals, such as 0.95.", show_default="none"),
    ] = None
    unit: Annotated[
        str | None,
        typer.Option(
            "--unit",
            metavar="COLUMN",
            help="Unit of resampling: document, or a column whose values are resampled as a whole.",
        ),
    ] = "document"
    interval: Annotated[
        IntervalMethod,
        typer.Option(
            "--interval", help="Method of the intervals: auto chooses by score; wilson is for independent proportions."
        ),
    ] = IntervalMethod.auto
    resamples: ResamplesOption = 1000
    seed: SeedOption = 12345
    errors: ErrorsOption = 0
    context: Annotated[
        int, typer.Option("--context", metavar="N", help="Words of context on each side of an error.", min=0)
    ] = 3
    quiet: QuietOption = False
    keep_documents: bool = False
    collect_findings: bool = False

    def build_scoring_options(self, *, all_findings: bool = False) -> ScoringOptions:
        """Build the options of scoring.

        Args:
            all_findings: whether all findings are shown.

        Raises:
            UsageError: if a value is not allowed.
        """
        from isogloss.tasks.scoring_options import build_scoring_options

        return build_scoring_options(
            self.confidence,
            self.resamples,
            self.seed,
            True if all_findings or self.collect_findings else self.errors,
            self.context,
            by=self.by or (),
            unit=self.unit,
            keep_documents=self.keep_documents,
            interval=self.interval.value,
        )


def check_files(read: Sequence[str], written: Mapping[str, Path | None]) -> None:
    """Check that no file is read twice from standard input, or both read and written.

    Args:
        read: the files that are read.
        written: the files that are written, by their options; None for no file.

    Raises:
        UsageError: if standard input is named twice, a file is both read and written, or its compression cannot be
            written.
        MissingExtraError: if a file is to be compressed with zstd, and zstandard is not installed.
    """
    if list(read).count("-") > 1:
        raise UsageError("Standard input (-) can stand for one file only.")
    for option, path in written.items():
        if path is not None:
            check_output(path, read, option)


def list_parameters(options: Callable[..., Any], without: frozenset[str] = frozenset()) -> list[inspect.Parameter]:
    """List the parameters of a command that are the fields of a dataclass.

    Args:
        options: the dataclass; the annotations of its fields are typer options.
        without: fields that are not options.
    """
    found = inspect.signature(options, eval_str=True).parameters.values()
    return [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in found if each.name not in without]


def set_signature(
    command: Callable[..., None], parameters: Sequence[inspect.Parameter], help_text: str
) -> Callable[..., None]:
    """Set the parameters and the help of a command that takes any keywords."""
    command.__doc__ = help_text
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def make_parameter(
    name: str, annotation: Any, default: Any = inspect.Parameter.empty, *, positional: bool = False
) -> inspect.Parameter:
    """Make a parameter of a command: an option, or a positional argument."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD if positional else inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, annotation=annotation, default=default)
