"""What becomes of verdicts: said, written for build servers, and told to GitHub where it runs us."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isogloss.cli.output import write_text
from isogloss.records.destinations import append

if TYPE_CHECKING:
    from uuid import UUID

    from isogloss.runs.comparison import Comparison
    from isogloss.runs.gates import VerdictLike
    from isogloss.runs.run import Run


@dataclass(frozen=True)
class LabelledRun:
    """A run of a store.

    Args:
        id: its id.
        label: its name, or the beginning of its id.
        run: the run, with its documents.
    """

    id: UUID
    label: str
    run: Run

    def to_named_run(self) -> Run:
        """The run, whose system says which run it is: files of systems are called alike from one build to the next."""
        return replace(self.run, system=f"{self.run.system} ({self.label})")


def load_stored_runs(keys: Sequence[str], store: str | None, findings: int = 0) -> list[LabelledRun]:
    """Runs of a store, with their documents.

    Args:
        keys: ids, beginnings of ids, or names.
        store: where; None for the usual place.
        findings: so many of each, where they were saved.

    Raises:
        StoreError: one is not there, or the store cannot be read.
    """
    from isogloss.store import Store

    with Store.open(store, create=False) as opened:
        found = [opened.get(key) for key in keys]
        return [
            LabelledRun(each.id, each.summary.name or each.summary.short, each.run(findings=findings)) for each in found
        ]


def distinguish_runs(stored_runs: Sequence[LabelledRun]) -> list[Run]:
    """The runs, under names that differ where their systems are called alike."""
    times = Counter(each.run.system for each in stored_runs)
    return [each.to_named_run() if times[each.run.system] > 1 else each.run for each in stored_runs]


def judge_not_worse(
    runs: Sequence[Run], baseline: Run, score: str | None, alpha: float, **how: Any
) -> list[VerdictLike]:
    """The verdicts on runs, none of which may be significantly worse than another.

    Args:
        runs: with their documents.
        yardstick: the run that they are measured by.
        score: path of the score; None for the main one of the task.
        alpha: level of the test.
        how: arguments of `isogloss.compare`.

    Raises:
        UsageError: they cannot be compared, or have no such score.
        MismatchError: they are about different documents.
    """
    from isogloss.runs.comparison import compare, judge_worse
    from isogloss.runs.main_scores import main_score

    comparison = compare(baseline, *runs, **how)
    name = main_score([baseline, *runs], score)
    return [judge_worse(pair, name, alpha) for pair in comparison.pairs]


def report_verdicts(
    runs: Sequence[Run],
    verdicts: Sequence[VerdictLike],
    junit_file: Path | None = None,
    *,
    quiet: bool,
    comparison: Comparison | None = None,
) -> None:
    """The verdicts on standard error, then as JUnit, and for GitHub.

    Args:
        runs: what was judged.
        verdicts: on them.
        junit_file: the file to write; None for none.
        quiet: whether to leave out what has passed.
        comparison: how the runs differ from the first.

    Raises:
        SourceError: the file cannot be written.
    """
    from isogloss.runs.gates import format_verdict

    several = len(runs) > 1
    for verdict in verdicts:
        if not verdict.passed or not quiet:
            mark = "passed" if verdict.passed else "FAILED"
            _print_message(f"isogloss: {mark}: {format_verdict(verdict, several=several)}")
    if junit_file is not None:
        from isogloss.runs.gates import format_junit

        write_text(format_junit(verdicts), junit_file, "--junit")
    if os.environ.get("GITHUB_ACTIONS") == "true":
        _report_to_github(runs, verdicts, comparison)


def _report_to_github(runs: Sequence[Run], verdicts: Sequence[VerdictLike], comparison: Comparison | None) -> None:
    from isogloss.report import run_formats
    from isogloss.runs.gates import format_gate_summary, format_workflow_commands

    for line in format_workflow_commands(runs, verdicts):
        _print_message(line)
    place = os.environ.get("GITHUB_STEP_SUMMARY")
    if place:
        told = "\n".join((format_gate_summary(verdicts), run_formats.format_runs_markdown(runs, comparison)))
        append(told, place, "GITHUB_STEP_SUMMARY names it.")


def _print_message(text: str) -> None:
    print(text, file=sys.stderr)  # noqa: T201  what a person reads beside the results
