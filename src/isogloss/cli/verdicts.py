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
    from isogloss.runs.gates import Judged
    from isogloss.runs.run import Run


@dataclass(frozen=True)
class Stored:
    """A run of a store.

    Args:
        id: its id.
        label: its name, or the beginning of its id.
        run: the run, with its documents.
    """

    id: UUID
    label: str
    run: Run

    def named(self) -> Run:
        """The run, whose system says which run it is: files of systems are called alike from one build to the next."""
        return replace(self.run, system=f"{self.run.system} ({self.label})")


def stored(keys: Sequence[str], store: str | None, findings: int = 0) -> list[Stored]:
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
        return [Stored(each.id, each.summary.name or each.summary.short, each.run(findings=findings)) for each in found]


def told_apart(found: Sequence[Stored]) -> list[Run]:
    """The runs, under names that differ where their systems are called alike."""
    times = Counter(each.run.system for each in found)
    return [each.named() if times[each.run.system] > 1 else each.run for each in found]


def not_worse(runs: Sequence[Run], yardstick: Run, score: str | None, alpha: float, **how: Any) -> list[Judged]:
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
    from isogloss.runs.comparison import compare, worse_than
    from isogloss.runs.main_scores import main_score

    comparison = compare(yardstick, *runs, **how)
    name = main_score([yardstick, *runs], score)
    return [worse_than(pair, name, alpha) for pair in comparison.pairs]


def tell(
    runs: Sequence[Run],
    verdicts: Sequence[Judged],
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
    from isogloss.runs.gates import said

    several = len(runs) > 1
    for verdict in verdicts:
        if not verdict.passed or not quiet:
            mark = "passed" if verdict.passed else "FAILED"
            _say(f"isogloss: {mark}: {said(verdict, several=several)}")
    if junit_file is not None:
        from isogloss.runs.gates import junit

        write_text(junit(verdicts), junit_file, "--junit")
    if os.environ.get("GITHUB_ACTIONS") == "true":
        _tell_github(runs, verdicts, comparison)


def _tell_github(runs: Sequence[Run], verdicts: Sequence[Judged], comparison: Comparison | None) -> None:
    from isogloss.report import plain
    from isogloss.runs.gates import commands, summary

    for line in commands(runs, verdicts):
        _say(line)
    place = os.environ.get("GITHUB_STEP_SUMMARY")
    if place:
        told = "\n".join((summary(verdicts), plain.markdown(runs, comparison)))
        append(told, place, "GITHUB_STEP_SUMMARY names it.")


def _say(text: str) -> None:
    print(text, file=sys.stderr)  # noqa: T201  what a person reads beside the results
