"""`isogloss compare`: stored runs against a baseline."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Annotated, Any

import typer

from isogloss.cli.after_scoring import FAILED
from isogloss.cli.options import ErrorsOption, FormOption, OutputOption, QuietOption, ResamplesOption, SeedOption
from isogloss.cli.output import OutputFormat, write_runs
from isogloss.cli.verdicts import distinguish_runs, judge_not_worse, load_stored_runs, report_verdicts


class PValueMethod(StrEnum):
    """What gives p-values."""

    randomization = "randomization"
    bootstrap = "bootstrap"


def command(  # noqa: PLR0913  a command's options are its arguments
    baseline: Annotated[str, typer.Argument(metavar="BASELINE", help="A stored run: its id, or its name.")],
    others: Annotated[list[str], typer.Argument(metavar="RUN...", help="The runs that are compared with it.")],
    *,
    form: FormOption = OutputFormat.text,
    output: OutputOption = None,
    test: Annotated[PValueMethod, typer.Option("--test", help="What gives p-values.")] = PValueMethod.randomization,
    trials: Annotated[int, typer.Option("--trials", help="Trials of the randomization.", min=1)] = 10_000,
    confidence: Annotated[float, typer.Option("--confidence", help="Level of the intervals.")] = 0.95,
    resamples: ResamplesOption = 1000,
    seed: SeedOption = 12345,
    unit: Annotated[
        str | None,
        typer.Option(
            "--unit",
            metavar="document|COLUMN",
            help="What is exchanged and resampled as a whole.",
            show_default="as the intervals of the runs",
        ),
    ] = None,
    fail_if_worse_than: Annotated[
        str | None,
        typer.Option("--fail-if-worse-than", metavar="RUN", help="Exit 1 if another is significantly worse."),
    ] = None,
    alpha: Annotated[float, typer.Option("--alpha", help="Level of that test.")] = 0.05,
    score: Annotated[
        str | None,
        typer.Option("--score", metavar="PATH", help="Score of that test.", show_default="the task's main"),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option("--store", metavar="URL|PATH", help="Where runs are kept.", show_default="ISOGLOSS_STORE"),
    ] = None,
    errors: ErrorsOption = 0,
    quiet: QuietOption = False,
) -> None:
    """Compare runs that were saved with --save: differences, intervals, p-values, wins and losses.

    They have to be of the same task, definition, reference and documents.
    """
    from isogloss.errors import UsageError
    from isogloss.runs.comparison import check_alpha, compare
    from isogloss.runs.main_scores import main_score

    check_alpha(alpha)
    yardsticks = [] if fail_if_worse_than is None else [fail_if_worse_than]
    found = load_stored_runs([baseline, *others, *yardsticks], store, errors)
    compared = found[: len(found) - len(yardsticks)]
    runs = [replace(run, list_findings=errors > 0) for run in distinguish_runs(compared)]
    if score is not None:
        main_score(runs, score)  # what is wrong is said before anything is written
    judged = {each.id: run for each, run in zip(compared, runs, strict=True) if each.id != found[-1].id}
    if yardsticks and not judged:
        raise UsageError(f"--fail-if-worse-than {fail_if_worse_than}: there is no other run that could be worse.")
    how: dict[str, Any] = {
        "method": test.value,
        "trials": trials,
        "confidence": confidence,
        "resamples": resamples,
        "seed": seed,
        "unit": unit,
    }
    comparison = compare(*runs, **how)
    write_runs(runs, form, output, quiet=quiet, comparison=comparison)
    if not yardsticks:
        return
    verdicts = judge_not_worse([*judged.values()], found[-1].to_named_run(), score, alpha, **how)
    report_verdicts([*judged.values()], verdicts, quiet=quiet, comparison=comparison)
    if not all(verdict.passed for verdict in verdicts):
        raise typer.Exit(FAILED)
