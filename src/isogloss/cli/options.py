"""The options that all tasks have in common."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.output import Form
from isogloss.exceptions import UsageError

FormOption = Annotated[Form, typer.Option("-f", "--format", help="How to print the results.")]
OutputOption = Annotated[Path | None, typer.Option("-o", "--output", help="Write the results to this file.")]
ConfidenceOption = Annotated[
    float | None, typer.Option("--confidence", help="Level of bootstrap intervals, such as 0.95.", show_default="none")
]
ResamplesOption = Annotated[int, typer.Option("--resamples", help="Number of resamples.")]
SeedOption = Annotated[int, typer.Option("--seed", help="Seed of the resamples.", min=0)]
ByOption = Annotated[
    list[str] | None,
    typer.Option("--by", metavar="COLUMN", help="Also score each value of this column apart; several times."),
]
UnitOption = Annotated[
    str | None,
    typer.Option(
        "--unit", metavar="COLUMN", help="What intervals take as independent: document, or the values of a column."
    ),
]
ErrorsOption = Annotated[int, typer.Option("--errors", help="Show so many errors in their context.", min=0)]
ContextOption = Annotated[int, typer.Option("--context", help="Words of context on each side.", min=0)]
QuietOption = Annotated[bool, typer.Option("-q", "--quiet", help="Results only.")]


def resampled_unit(unit: str | None) -> str | None:
    """The column whose values are resampled as a whole, None for single documents."""
    return None if unit == "document" else unit


def one_standard_input(paths: Sequence[str]) -> None:
    """Refuse a call in which standard input stands for two files.

    Raises:
        UsageError: it does.
    """
    if list(paths).count("-") > 1:
        raise UsageError("Standard input (-) can stand for one file only.")
