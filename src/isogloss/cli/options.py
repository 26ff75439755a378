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
ErrorsOption = Annotated[int, typer.Option("--errors", help="Show so many errors in their context.", min=0)]
ContextOption = Annotated[int, typer.Option("--context", help="Words of context on each side.", min=0)]
QuietOption = Annotated[bool, typer.Option("-q", "--quiet", help="Results only.")]


def one_standard_input(paths: Sequence[str]) -> None:
    """Refuse a call in which standard input stands for two files.

    Raises:
        UsageError: it does.
    """
    if list(paths).count("-") > 1:
        raise UsageError("Standard input (-) can stand for one file only.")
