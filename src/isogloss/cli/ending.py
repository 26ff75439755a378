"""What becomes of the runs of a command: compared, stored, judged, and printed. All tasks have these options.

    def command(reference, predictions, *, profile=None, ..., options: TaskOptions) -> Outcome: ...

    app.command("ner")(ending(command))

The command's own options come first, then those of `TaskOptions`, then those of `Ending`.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isogloss.cli.judging import not_worse, stored, tell
from isogloss.cli.options import TaskOptions
from isogloss.cli.output import write, write_notices, write_text

if TYPE_CHECKING:
    from isogloss.cli.judging import Judged
    from isogloss.comparison import Comparison
    from isogloss.gates import Gate
    from isogloss.run import Run

SYSTEMS = ("predictions", "texts")  # the argument that names the systems
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
    """

    runs: Sequence[Run]
    options: TaskOptions = field(default_factory=TaskOptions)
    drawn: str | None = None


@dataclass(frozen=True)
class Ending:
    """What a user wants of the runs besides.

    Args:
        test: how systems are compared.
        trials: of the randomization.
        save: name under which runs are stored, empty for none of one's own; None to store nothing.
        store: where.
        fail_under: thresholds.
        fail_over: likewise.
        fail_under_interval: whether the ends of intervals have to meet them.
        fail_if_worse_than: a stored run that no system may be significantly worse than.
        alpha: level of that test.
        junit: file for the verdicts.
    """

    test: Annotated[Test, typer.Option("--test", help="How several systems are compared with the first.")] = (
        Test.randomization
    )
    trials: Annotated[int, typer.Option("--trials", help="Trials of the randomization.", min=1)] = 10_000
    save: Annotated[
        str | None, typer.Option("--save", metavar="[NAME]", help="Store the runs; --save=NAME names them.")
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
        bool, typer.Option("--fail-under-interval", help="Judge the worse end of the interval instead.")
    ] = False
    fail_if_worse_than: Annotated[
        str | None,
        typer.Option("--fail-if-worse-than", metavar="RUN", help="Exit 1 if significantly worse than a stored run."),
    ] = None
    alpha: Annotated[float, typer.Option("--alpha", help="Level of that test.")] = 0.05
    junit: Annotated[Path | None, typer.Option("--junit", help="Write the verdicts to this file.")] = None

    def keeps(self, systems: int) -> bool:
        """Whether single documents of so many systems are needed."""
        stored = self.save is not None or self.fail_if_worse_than is not None
        return stored or (systems > 1 and self.test is not Test.none)

    def yardstick(self) -> Run | None:
        """The stored run that no system may be significantly worse than.

        Raises:
            UsageError: the level of the test cannot be meant.
            StoreError: the run is not there, or the store cannot be read.
        """
        if self.fail_if_worse_than is None:
            return None
        from isogloss.comparison import check_alpha  # noqa: PLC0415

        check_alpha(self.alpha)
        (run,) = stored([self.fail_if_worse_than], self.store)
        return run

    def gates(self) -> list[Gate]:
        """The thresholds.

        Raises:
            UsageError: one of them is none.
        """
        if not self.fail_under and not self.fail_over:
            return []
        from isogloss.gates import parsed  # noqa: PLC0415

        interval = self.fail_under_interval
        under = [parsed(text, interval=interval) for text in self.fail_under or ()]
        return under + [parsed(text, "over", interval=interval) for text in self.fail_over or ()]


def ending(command: Callable[..., Outcome], *, without: Sequence[str] = (), **defaults: Any) -> Callable[..., None]:
    """A command with the options of `TaskOptions` and `Ending`, which prints what it has made.

    Args:
        command: it takes its own options by name, and the former as `options`.
        without: options of `TaskOptions` that it does not have.
        defaults: defaults of `TaskOptions` that differ.
    """
    own = [each for name, each in _parameters(command).items() if name != "options"]
    of_task = [each for name, each in _parameters(TaskOptions).items() if name not in {"keep", *without}]
    of_task = [each.replace(default=defaults.get(each.name, each.default)) for each in of_task]
    of_end = list(_parameters(Ending).values())
    added = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in (*of_task, *of_end)]

    def ended(**given: Any) -> None:
        wanted = Ending(**{each.name: given.pop(each.name) for each in of_end})
        gates, yardstick = wanted.gates(), wanted.yardstick()  # what is wrong is said before anything is read
        systems = max(len(given.get(name) or ()) for name in SYSTEMS)
        options = {each.name: given.pop(each.name) for each in of_task}
        finish(command(**given, options=TaskOptions(**options, keep=wanted.keeps(systems))), wanted, gates, yardstick)

    ended.__doc__ = command.__doc__
    ended.__name__ = command.__name__
    ended.__signature__ = inspect.Signature([*own, *added])  # type: ignore[attr-defined]  # read by typer
    ended.__annotations__ = {parameter.name: parameter.annotation for parameter in (*own, *added)}
    return ended


def _parameters(of: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(of, eval_str=True).parameters


def finish(
    outcome: Outcome, wanted: Ending | None = None, gates: Sequence[Gate] = (), yardstick: Run | None = None
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
    if outcome.drawn is not None:
        write_text(outcome.drawn, options.output)
        if not options.quiet:
            write_notices(outcome.runs)
    comparison = None if outcome.drawn is not None else _compared(outcome, wanted)
    verdicts: list[Judged] = [gate.judged(run) for run in outcome.runs for gate in gates]
    if outcome.drawn is None:
        write(outcome.runs, options.form, options.output, quiet=options.quiet, comparison=comparison)
    if wanted.save is not None:
        _save(outcome, wanted)
    if yardstick is not None:
        runs = [run.with_documents() for run in outcome.runs]
        verdicts += not_worse(runs, yardstick, None, wanted.alpha, unit=options.unit, seed=options.seed)
    tell(outcome.runs, verdicts, wanted.junit, quiet=options.quiet)
    if not all(verdict.passed for verdict in verdicts):
        raise typer.Exit(FAILED)


def _compared(outcome: Outcome, wanted: Ending) -> Comparison | None:
    """Several systems against the first; None where there is one, or where they cannot be compared, which is said."""
    if len(outcome.runs) == 1 or wanted.test is Test.none:
        return None
    from isogloss.comparison import compare  # noqa: PLC0415
    from isogloss.exceptions import IsoglossError  # noqa: PLC0415

    try:
        return compare(
            *outcome.runs,
            method=wanted.test.value,  # type: ignore[arg-type]  # its values are the methods
            trials=wanted.trials,
            level=outcome.options.confidence or 0.95,
            seed=outcome.options.seed,
            unit=outcome.options.unit,
        )
    except IsoglossError as error:
        if not outcome.options.quiet:
            _say(f"isogloss: the systems are not compared. {error}")
        return None


def _save(outcome: Outcome, wanted: Ending) -> None:
    from isogloss.store import save_runs  # noqa: PLC0415

    runs = [run.with_documents() for run in outcome.runs]
    for run, identity in zip(runs, save_runs(runs, store=wanted.store, name=wanted.save or None), strict=True):
        if not outcome.options.quiet:
            _say(f"isogloss: saved {run.system} as {identity}")


def _say(text: str) -> None:
    print(text, file=sys.stderr)  # noqa: T201  what a person reads beside the results
