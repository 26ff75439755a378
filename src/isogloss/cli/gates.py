"""Gates of commands: check their options, judge runs, and report the verdicts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from isogloss.cli.output import print_message, write_text
from isogloss.errors import UsageError
from isogloss.records.destinations import append_text

if TYPE_CHECKING:
    from isogloss.runs.comparison import Comparison
    from isogloss.runs.gates import VerdictLike
    from isogloss.runs.run import Run

FAILED = 1  # exit code if a gate fails


def check_baseline_options(baseline: str | None, alpha: float, margin: float | None) -> None:
    """Check the options of `--fail-if-worse-than`.

    Args:
        baseline: the stored run; None for no gate.
        alpha: significance level.
        margin: largest allowed loss; None for none.

    Raises:
        UsageError: if the significance level or the margin is invalid, or there is a margin without a baseline.
    """
    if baseline is not None:
        from isogloss.runs.comparison import check_alpha

        check_alpha(alpha)
    if margin is not None:
        from isogloss.runs.non_inferiority import check_margin

        check_margin(margin)
        if baseline is None:
            raise UsageError("--margin needs a run to compare with: add --fail-if-worse-than RUN.")


def judge_not_worse(
    runs: Sequence[Run],
    baseline: Run,
    score: str | None,
    alpha: float,
    *,
    margin: float | None = None,
    **test_options: Any,
) -> list[VerdictLike]:
    """Judge whether runs are significantly worse than a baseline.

    With a margin, judge whether they are worse by more than the margin.

    Args:
        runs: with their documents.
        baseline: the run to compare them with.
        score: path of the score; None for the main score of the task.
        alpha: significance level; the interval of a margin has the level 1 - alpha.
        margin: largest allowed loss, in units of the score; None to look for a significant loss.
        **test_options: arguments of `isogloss.compare`.

    Raises:
        UsageError: if the runs cannot be compared, or have no such score.
        MismatchError: if the runs are about different documents.
    """
    from isogloss.runs.comparison import compare, judge_worse
    from isogloss.runs.main_scores import choose_main_score
    from isogloss.runs.non_inferiority import judge_margin

    if margin is not None:
        test_options |= {"confidence": 1 - alpha}
    comparison = compare(baseline, *runs, **test_options)
    name = choose_main_score([baseline, *runs], score)
    if margin is not None:
        return [judge_margin(pair, name, margin) for pair in comparison.pairs]
    return [judge_worse(pair, name, alpha) for pair in comparison.pairs]


def report_verdicts(
    runs: Sequence[Run],
    verdicts: Sequence[VerdictLike],
    junit_file: Path | None = None,
    *,
    quiet: bool,
    comparison: Comparison | None = None,
) -> None:
    """Report the results of gates to users and build servers.

    They go to standard error, to a file in the JUnit format, and to GitHub Actions.

    Args:
        runs: the runs that were judged.
        verdicts: the results.
        junit_file: the file to write; None for no file.
        quiet: whether to leave out gates that pass.
        comparison: how the runs differ from the first.

    Raises:
        Exit: if a gate fails.
        SourceError: if the file cannot be written.
    """
    if not verdicts and junit_file is None and not _is_github():
        return
    from isogloss.runs.gates import format_junit, format_verdict, name_outcome
    from isogloss.text.display import make_visible

    for verdict in verdicts:
        if not verdict.passed or verdict.is_undecided or not quiet:
            sentence = make_visible(format_verdict(verdict, several=len(runs) > 1))
            print_message(f"isogloss: {name_outcome(verdict)}: {sentence}")
    if junit_file is not None:
        write_text(format_junit(verdicts), junit_file, "--junit")
    if _is_github():
        _report_to_github(runs, verdicts, comparison)
    if not all(verdict.passed for verdict in verdicts):
        raise typer.Exit(FAILED)


def _is_github() -> bool:
    return os.environ.get("GITHUB_ACTIONS") == "true"


def _report_to_github(runs: Sequence[Run], verdicts: Sequence[VerdictLike], comparison: Comparison | None) -> None:
    from isogloss.report.text_formats import format_runs_markdown
    from isogloss.runs.gates import format_gate_summary, format_workflow_commands

    for line in format_workflow_commands(runs, verdicts):
        print_message(line)
    place = os.environ.get("GITHUB_STEP_SUMMARY")
    if place:
        summary = "\n".join((format_gate_summary(verdicts), format_runs_markdown(runs, comparison)))
        append_text(summary, place, "GITHUB_STEP_SUMMARY names it.")
