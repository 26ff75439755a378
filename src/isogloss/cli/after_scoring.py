"""What becomes of the runs of a command: compared, stored, judged, and printed. All tasks have these options."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isogloss.cli.options import TaskOptions
from isogloss.cli.output import print_warnings, write_runs, write_text
from isogloss.cli.verdicts import judge_not_worse, load_stored_runs, report_verdicts

if TYPE_CHECKING:
    from isogloss.runs.comparison import Comparison
    from isogloss.runs.gates import Gate, VerdictLike
    from isogloss.runs.run import Run

FAILED = 1  # exit code of a gate that is not met


class Test(StrEnum):
    """How systems are compared with the first."""

    randomization = "randomization"
    bootstrap = "bootstrap"
    none = "none"


@dataclass(frozen=True)
class Outcome:
    """What a command has made.

    Args:
        runs: one per system.
        options: what was asked for.
        drawn: the results as another tool prints them; None for ours.
        lists_all: whether all findings are shown, and not as many as were asked for.
    """

    runs: Sequence[Run]
    options: TaskOptions = field(default_factory=TaskOptions)
    drawn: str | None = None
    lists_all: bool = False

    def shown(self) -> list[Run]:
        """The runs with the findings that are shown."""
        if self.lists_all:
            return list(self.runs)
        most = self.options.errors
        return [replace(run, findings=run.findings[:most], list_findings=most > 0) for run in self.runs]


@dataclass(frozen=True)
class Ending:
    """What a user wants of the runs besides.

    Args:
        test: how systems are compared.
        trials: of the randomization.
        save: name under which runs are stored, empty for none of one's own; None to store nothing.
        corpus: name of what they were scored on.
        tag: words that they can be listed by.
        store: where.
        fail_under: thresholds.
        fail_over: likewise.
        fail_under_interval: whether the ends of intervals have to meet them.
        fail_if_worse_than: a stored run that no system may be significantly worse than.
        alpha: level of that test.
        score: path of its score; None for the main one of the task.
        junit: file for the verdicts.
    """

    test: Annotated[Test, typer.Option("--test", help="How several systems are compared with the first.")] = (
        Test.randomization
    )
    trials: Annotated[int, typer.Option("--trials", help="Trials of the randomization.", min=1)] = 10_000
    save: Annotated[
        str | None,
        typer.Option("--save", metavar="[NAME]", help="Store the runs; --save=NAME names them."),
    ] = None
    corpus: Annotated[
        str | None,
        typer.Option("--corpus", metavar="NAME", help="Name of the corpus, for the store."),
    ] = None
    tag: Annotated[
        list[str] | None,
        typer.Option("--tag", metavar="TAG", help="Tag of the runs in the store; several times."),
    ] = None
    store: Annotated[
        str | None,
        typer.Option("--store", metavar="URL", help="Where runs are stored.", show_default="$ISOGLOSS_STORE"),
    ] = None
    fail_under: Annotated[
        list[str] | None,
        typer.Option("--fail-under", metavar="PATH=VALUE", help="Exit 1 if a score is lower; several times."),
    ] = None
    fail_over: Annotated[
        list[str] | None,
        typer.Option("--fail-over", metavar="PATH=VALUE", help="Exit 1 if a score is higher; several times."),
    ] = None
    fail_under_interval: Annotated[
        bool,
        typer.Option("--fail-under-interval", help="Judge the worse end of the interval instead."),
    ] = False
    fail_if_worse_than: Annotated[
        str | None,
        typer.Option("--fail-if-worse-than", metavar="RUN", help="Exit 1 if significantly worse than a stored run."),
    ] = None
    alpha: Annotated[float, typer.Option("--alpha", help="Level of that test.")] = 0.05
    score: Annotated[
        str | None,
        typer.Option("--score", metavar="PATH", help="Score of that test.", show_default="the task's main"),
    ] = None
    junit: Annotated[Path | None, typer.Option("--junit", help="Write the verdicts to this file.")] = None

    def keeps(self, systems: int) -> bool:
        """Whether single documents of so many systems are needed."""
        stored = self.save is not None or self.fail_if_worse_than is not None
        return stored or (systems > 1 and self.test is not Test.none)

    def check_save(self, systems: int) -> None:
        """Refuse to save so many systems where or under what they cannot be saved.

        Raises:
            UsageError: the place is none of a store, or a name cannot be one.
        """
        if self.save is not None:
            from isogloss.store import check_save

            check_save(systems, store=self.store, name=self.save or None)

    def yardstick(self) -> Run | None:
        """The stored run that no system may be significantly worse than.

        Raises:
            UsageError: the level of the test cannot be meant.
            StoreError: the run is not there, or the store cannot be read.
        """
        if self.fail_if_worse_than is None:
            return None
        from isogloss.runs.comparison import check_alpha

        check_alpha(self.alpha)
        (found,) = load_stored_runs([self.fail_if_worse_than], self.store)
        return found.to_named_run()

    def gates(self) -> list[Gate]:
        """The thresholds.

        Raises:
            UsageError: one of them is none.
        """
        if not self.fail_under and not self.fail_over:
            if self.fail_under_interval:
                from isogloss.errors import UsageError

                raise UsageError("--fail-under-interval says how --fail-under and --fail-over judge: give one of them.")
            return []
        from isogloss.runs.gates import parse_gate

        interval = self.fail_under_interval
        under = [parse_gate(text, interval=interval) for text in self.fail_under or ()]
        return under + [parse_gate(text, "over", interval=interval) for text in self.fail_over or ()]


def finish(
    outcome: Outcome,
    wanted: Ending | None = None,
    gates: Sequence[Gate] = (),
    yardstick: Run | None = None,
) -> None:
    """Compare, store, judge and print.

    Args:
        outcome: what a command has made.
        wanted: what else; None for what is done without options.
        gates: the thresholds.
        yardstick: the run that none may be significantly worse than, as it was before these were stored.

    Raises:
        Exit: a gate is not met.
        SourceError: a file cannot be written.
        StoreError: the store cannot be written.
    """
    wanted, options = wanted or Ending(), outcome.options
    comparison = None if outcome.drawn is not None else _compared(outcome, wanted)
    verdicts: list[VerdictLike] = [gate.judge(run) for run in outcome.runs for gate in gates]
    if yardstick is not None:
        runs = [run.ensure_documents() for run in outcome.runs]
        verdicts += judge_not_worse(runs, yardstick, wanted.score, wanted.alpha, **_how(outcome, wanted))
    saved = [] if wanted.save is None else _saved(outcome, wanted)
    closed: typer.Exit | None = None  # what is stored and judged does not depend on who reads the results
    try:
        _print(outcome, comparison)
    except typer.Exit as error:
        closed = error
    if not options.quiet:
        for line in saved:
            _say(line)
    report_verdicts(outcome.shown(), verdicts, wanted.junit, quiet=options.quiet, comparison=comparison)
    if not all(verdict.passed for verdict in verdicts):
        raise typer.Exit(FAILED)
    if closed is not None:
        raise closed


def _print(outcome: Outcome, comparison: Comparison | None) -> None:
    options = outcome.options
    if outcome.drawn is None:
        write_runs(outcome.shown(), options.form, options.output, quiet=options.quiet, comparison=comparison)
        return
    write_text(outcome.drawn, options.output)
    if not options.quiet:
        print_warnings(outcome.runs)


def _compared(outcome: Outcome, wanted: Ending) -> Comparison | None:
    """Several systems against the first; None where there is one, or where they cannot be compared, which is said."""
    if len(outcome.runs) == 1 or wanted.test is Test.none:
        return None
    from isogloss.errors import IsoglossError
    from isogloss.runs.comparison import compare

    try:
        return compare(*outcome.runs, **_how(outcome, wanted))
    except IsoglossError as error:
        _say(f"isogloss: the systems are not compared. {error}")  # also where only results are wanted: some are missing
        return None


def _how(outcome: Outcome, wanted: Ending) -> dict[str, Any]:
    """Arguments of `isogloss.compare`."""
    options = outcome.options
    return {
        "method": (Test.randomization if wanted.test is Test.none else wanted.test).value,
        "trials": wanted.trials,
        "confidence": options.confidence or 0.95,
        "resamples": options.resamples,
        "seed": options.seed,
        "unit": options.unit,
    }


def _saved(outcome: Outcome, wanted: Ending) -> list[str]:
    """Store the runs; a line on each."""
    from isogloss.store import save_runs

    listed = outcome.lists_all or outcome.options.errors > 0
    runs = [replace(run.ensure_documents(), list_findings=listed) for run in outcome.runs]
    identities = save_runs(
        runs,
        store=wanted.store,
        name=wanted.save or None,
        corpus=wanted.corpus,
        tags=wanted.tag or (),
    )
    return [f"isogloss: saved {run.system} as {identity}" for run, identity in zip(runs, identities, strict=True)]


def _say(text: str) -> None:
    print(text, file=sys.stderr)  # noqa: T201  what a person reads beside the results
