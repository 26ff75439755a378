"""`isogloss compare`: compare stored runs with a baseline."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Annotated, Any

import typer

from isogloss.cli.after_scoring import (
    AllPairsOption,
    AlphaOption,
    BaselineOption,
    MarginOption,
    ScoreOption,
    TrialsOption,
    distinguish_runs,
    load_stored_runs,
    make_test_option,
)
from isogloss.cli.completion import complete_run
from isogloss.cli.gates import check_baseline_options, judge_not_worse, report_verdicts
from isogloss.cli.options import (
    ErrorsOption,
    FormOption,
    OutputOption,
    QuietOption,
    ResamplesOption,
    SeedOption,
    StoreOption,
    make_confidence_option,
    make_unit_option,
)
from isogloss.cli.output import OutputFormat, write_runs
from isogloss.errors import UsageError


class PValueMethod(StrEnum):
    """Significance test that gives the p-values."""

    randomization = "randomization"
    bootstrap = "bootstrap"


BaselineArgument = Annotated[
    str,
    typer.Argument(
        metavar="BASELINE",
        help="A stored run: its id, the beginning of its id, or its name.",
        autocompletion=complete_run,
    ),
]
OthersArgument = Annotated[
    list[str],
    typer.Argument(metavar="RUN...", help="The stored runs to compare with the baseline.", autocompletion=complete_run),
]
TestOption = Annotated[PValueMethod, make_test_option(PValueMethod)]
ConfidenceOption = Annotated[float, make_confidence_option()]
UnitOption = Annotated[str | None, make_unit_option(show_default="the unit of the runs' intervals")]


def command(  # noqa: PLR0913  a command's options are its arguments
    baseline: BaselineArgument,
    others: OthersArgument,
    *,
    form: FormOption = OutputFormat.text,
    output: OutputOption = None,
    test: TestOption = PValueMethod.randomization,
    trials: TrialsOption = 10_000,
    confidence: ConfidenceOption = 0.95,
    resamples: ResamplesOption = 1000,
    seed: SeedOption = 12345,
    unit: UnitOption = None,
    all_pairs: AllPairsOption = False,
    fail_if_worse_than: BaselineOption = None,
    alpha: AlphaOption = 0.05,
    margin: MarginOption = None,
    score: ScoreOption = None,
    store: StoreOption = None,
    errors: ErrorsOption = 0,
    quiet: QuietOption = False,
) -> None:
    """Compare stored runs: differences, intervals, p-values, wins and losses.

    The runs must have the same task, definition, reference and documents.
    """
    from isogloss.runs.comparison import compare
    from isogloss.runs.main_scores import choose_main_score

    check_baseline_options(fail_if_worse_than, alpha, margin)
    limits = [] if fail_if_worse_than is None else [fail_if_worse_than]
    stored = load_stored_runs([baseline, *others, *limits], store, errors)
    compared = stored[: len(stored) - len(limits)]
    runs = [replace(run, list_findings=errors > 0) for run in distinguish_runs(compared)]
    if score is not None:
        choose_main_score(runs, score)  # refuse an unknown score before anything is written
    judged = {each.id: run for each, run in zip(compared, runs, strict=True) if each.id != stored[-1].id}
    if limits and not judged:
        raise UsageError(f"--fail-if-worse-than {fail_if_worse_than}: no other run is given. Name another RUN.")
    test_options: dict[str, Any] = {
        "method": test.value,
        "trials": trials,
        "confidence": confidence,
        "resamples": resamples,
        "seed": seed,
        "unit": unit,
    }
    comparison = compare(*runs, all_pairs=all_pairs, score=score, **test_options)
    write_runs(runs, form, output, quiet=quiet, comparison=comparison)
    if limits:
        reference = stored[-1].to_named_run()
        verdicts = judge_not_worse([*judged.values()], reference, score, alpha, margin=margin, **test_options)
        report_verdicts([*judged.values()], verdicts, quiet=quiet, comparison=comparison)
