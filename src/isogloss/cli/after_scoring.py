"""Compare, store, check and print the runs of a command after scoring.

The checks are gates, which decide the exit code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isogloss.cli.completion import complete_run
from isogloss.cli.gates import check_baseline_options, judge_not_worse, report_verdicts
from isogloss.cli.options import StoreOption, TaskOptions, make_choice
from isogloss.cli.output import OutputFormat, print_message, print_warnings, write_runs, write_text
from isogloss.errors import IsoglossError, UsageError

if TYPE_CHECKING:
    from uuid import UUID

    from isogloss.kernel.score_catalogue import Catalogue
    from isogloss.runs.comparison import Comparison
    from isogloss.runs.gates import Gate, VerdictLike
    from isogloss.runs.run import Run


class SystemTest(StrEnum):
    """Significance test between each system and the first."""

    randomization = "randomization"
    bootstrap = "bootstrap"
    none = "none"


def make_test_option(tests: type[StrEnum]) -> Any:
    """Make the option `--test`.

    Args:
        tests: the significance tests that the command has.
    """
    return make_choice(
        tests, "--test", help="Significance test between each system and the first.", rich_help_panel="Comparison"
    )


TrialsOption = Annotated[
    int,
    typer.Option(
        "--trials", metavar="N", help="Number of trials of the randomization test.", min=1, rich_help_panel="Comparison"
    ),
]
BaselineOption = Annotated[
    str | None,
    typer.Option(
        "--fail-if-worse-than",
        metavar="RUN",
        help="Exit 1 if a system is significantly worse than this stored run.",
        rich_help_panel="Gates",
        autocompletion=complete_run,
    ),
]
AlphaOption = Annotated[
    float,
    typer.Option(
        "--alpha", metavar="LEVEL", help="Significance level of --fail-if-worse-than.", rich_help_panel="Gates"
    ),
]
MarginOption = Annotated[
    float | None,
    typer.Option(
        "--margin",
        metavar="LOSS",
        help="With --fail-if-worse-than: pass only if a loss of this size is ruled out (non-inferiority).",
        rich_help_panel="Gates",
    ),
]
ScoreOption = Annotated[
    str | None,
    typer.Option(
        "--score",
        metavar="PATH",
        help="Score that --fail-if-worse-than and --all-pairs test.",
        show_default="the task's main score",
        rich_help_panel="Gates",
    ),
]
AllPairsOption = Annotated[
    bool,
    typer.Option(
        "--all-pairs",
        help="Also test all pairs of systems in one score; show ranks and groups.",
        rich_help_panel="Comparison",
    ),
]


@dataclass(frozen=True)
class AfterScoringOptions:
    """Options applied after scoring: comparison, storage, gates.

    Args:
        test: significance test between each system and the first.
        trials: number of trials of the randomization test, at least 1.
        all_pairs: whether to test all pairs of systems in one score too, and rank the systems by it.
        save: name under which runs are stored, empty for runs without a name; None to store nothing.
        corpus: name of the corpus in the store.
        tag: tags of the runs in the store.
        store: SQLite file or PostgreSQL URL; None for the default.
        fail_under: lowest allowed scores, as PATH=VALUE.
        fail_over: highest allowed scores, as PATH=VALUE.
        fail_under_interval: whether gates check the worse end of the interval instead of the score.
        fail_if_worse_than: a stored run that no system may be significantly worse than.
        alpha: significance level of that test.
        margin: largest allowed loss, in units of the score: a system passes only if a larger loss is ruled out; None
            to pass unless a loss is significant.
        score: path of the score of that test and of the tests of all pairs; None for the main score of the task.
        junit: JUnit file of the results of gates; None for no file.
        view: whether to show the runs in a browser at the end.
    """

    test: Annotated[SystemTest, make_test_option(SystemTest)] = SystemTest.randomization
    trials: TrialsOption = 10_000
    all_pairs: AllPairsOption = False
    save: Annotated[
        str | None,
        typer.Option(
            "--save", metavar="[NAME]", help="Store the runs; --save=NAME also names them.", rich_help_panel="Store"
        ),
    ] = None
    corpus: Annotated[
        str | None,
        typer.Option("--corpus", metavar="NAME", help="Name of the corpus in the store.", rich_help_panel="Store"),
    ] = None
    tag: Annotated[
        list[str] | None,
        typer.Option(
            "--tag", metavar="TAG", help="Tag of the runs in the store; may be repeated.", rich_help_panel="Store"
        ),
    ] = None
    store: StoreOption = None
    fail_under: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-under",
            metavar="PATH=VALUE",
            help="Exit 1 if a score is lower; may be repeated.",
            rich_help_panel="Gates",
        ),
    ] = None
    fail_over: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-over",
            metavar="PATH=VALUE",
            help="Exit 1 if a score is higher; may be repeated.",
            rich_help_panel="Gates",
        ),
    ] = None
    fail_under_interval: Annotated[
        bool,
        typer.Option(
            "--fail-under-interval",
            help="Compare the worse end of the interval with the threshold.",
            rich_help_panel="Gates",
        ),
    ] = False
    fail_if_worse_than: BaselineOption = None
    alpha: AlphaOption = 0.05
    margin: MarginOption = None
    score: ScoreOption = None
    junit: Annotated[
        Path | None,
        typer.Option(
            "--junit",
            metavar="FILE",
            help="Write the results of all gates to this JUnit XML file.",
            rich_help_panel="Gates",
        ),
    ] = None
    view: Annotated[
        bool,
        typer.Option("--view", help="Look at the findings in a browser at the end.", rich_help_panel="Output"),
    ] = False

    def needs_documents(self, systems: int) -> bool:
        """Return whether the single documents are needed after scoring.

        Args:
            systems: number of systems.
        """
        stored = self.save is not None or self.fail_if_worse_than is not None or self.view
        return stored or (systems > 1 and self.test is not SystemTest.none)

    def check_systems(self, systems: int) -> None:
        """Check that so many systems can be tested and saved.

        Systems are tested in pairs, and saved under the given name and in the store.

        Args:
            systems: number of systems.

        Raises:
            UsageError: if all pairs of one system are requested or not tested, or the store or the name is not allowed.
        """
        if self.all_pairs and systems < 2:  # noqa: PLR2004  a pair
            raise UsageError("--all-pairs has no effect with one system: name several predictions, or leave it out.")
        if self.all_pairs and self.test is SystemTest.none:
            raise UsageError("--all-pairs has no effect with --test none: leave one of them out.")
        if self.save is not None:
            from isogloss.store import check_save

            check_save(systems, store=self.store, name=self.save or None)

    def load_baseline(self) -> Run | None:
        """Load the stored run of `--fail-if-worse-than`.

        Raises:
            UsageError: if the significance level is not allowed.
            StoreError: if there is no such run, or the store cannot be read.
        """
        check_baseline_options(self.fail_if_worse_than, self.alpha, self.margin)
        if self.fail_if_worse_than is None:
            return None
        (baseline,) = load_stored_runs([self.fail_if_worse_than], self.store)
        return baseline.to_named_run()

    def parse_gates(self, catalogue: Catalogue) -> list[Gate]:
        """Parse the thresholds.

        Args:
            catalogue: the score catalogue of the task.

        Raises:
            UsageError: if a threshold is not PATH=VALUE, or the score can never have the value.
        """
        if not self.fail_under and not self.fail_over:
            if self.fail_under_interval:
                raise UsageError("--fail-under-interval needs a threshold: add --fail-under or --fail-over.")
            return []
        from isogloss.runs.gates import parse_gate

        parse = partial(parse_gate, interval=self.fail_under_interval, catalogue=catalogue)
        return [parse(text) for text in self.fail_under or ()] + [parse(text, "over") for text in self.fail_over or ()]


@dataclass(frozen=True)
class ScoredSystems:
    """The runs of a command, and how they are printed.

    Args:
        runs: one per system.
        options: options of all tasks.
        layout_text: the results as another tool prints them; None for our tables.
        all_findings: whether all findings are shown, not just the first `options.errors`.
    """

    runs: Sequence[Run]
    options: TaskOptions = field(default_factory=TaskOptions)
    layout_text: str | None = None
    all_findings: bool = False

    @property
    def shown_runs(self) -> list[Run]:
        """The runs with the findings that are shown."""
        if self.all_findings:
            return list(self.runs)
        if not self.options.errors:
            return [replace(run, findings=run.findings[:0], list_findings=False) for run in self.runs]
        selection, number = self.options.selection, self.options.selection.number
        selected = [type(run.findings)(selection.select(run.findings), run.task) for run in self.runs]
        return [
            replace(run, findings=own, list_findings=number > 0) for run, own in zip(self.runs, selected, strict=True)
        ]

    @property
    def drawn_runs(self) -> list[Run]:
        """The runs with all known findings, of which text output selects some."""
        return [replace(run, list_findings=self.options.errors > 0) for run in self.runs]


def process_runs(
    scored: ScoredSystems,
    options: AfterScoringOptions | None = None,
    gates: Sequence[Gate] = (),
    baseline: Run | None = None,
) -> None:
    """Compare the runs, store them, check the gates and print everything.

    Args:
        scored: the runs.
        options: what to do with them; None for the defaults.
        gates: the thresholds.
        baseline: the run that no system may be significantly worse than, loaded before these runs are stored.

    Raises:
        Exit: if a gate fails.
        SourceError: if a file cannot be written.
        StoreError: if the store cannot be written.
    """
    options, quiet = options or AfterScoringOptions(), scored.options.quiet
    if scored.options.kind:
        scored.options.selection.check_kinds(kind for run in scored.runs for kind in list_kinds(run))
    comparison = None if scored.layout_text is not None else _compare_systems(scored, options)
    verdicts: list[VerdictLike] = [gate.judge(run) for run in scored.runs for gate in gates]
    if baseline is not None:
        runs = [run.ensure_documents() for run in scored.runs]
        test_options = _get_test_options(scored.options, options)
        verdicts += judge_not_worse(runs, baseline, options.score, options.alpha, margin=options.margin, **test_options)
    messages = [] if options.save is None else _save_runs(scored, options)
    closed: typer.Exit | None = None  # a closed pipe does not change what is stored and checked
    try:
        _print_results(scored, comparison)
    except typer.Exit as error:
        closed = error
    for message in () if quiet else messages:
        print_message(message)
    if options.view:
        from isogloss.cli.view import ViewOptions, show_runs

        show_runs(scored.runs, ViewOptions(store=options.store))
    report_verdicts(scored.shown_runs, verdicts, options.junit, quiet=quiet, comparison=comparison)
    if closed is not None:
        raise closed


def list_kinds(run: Run) -> set[str]:
    """List the kinds of errors that a run counts or lists."""
    return {*run.kinds, *(finding.kind for finding in run.findings)} - {"correct"}


def _print_results(scored: ScoredSystems, comparison: Comparison | None) -> None:
    options = scored.options
    if scored.layout_text is None:
        is_text = options.form is OutputFormat.text and not scored.all_findings
        write_runs(
            scored.drawn_runs if is_text else scored.shown_runs,
            options.form,
            options.output,
            quiet=options.quiet,
            comparison=comparison,
            selection=options.selection if is_text and (options.errors or len(scored.runs) > 1) else None,
        )
        return
    write_text(scored.layout_text, options.output)
    if not options.quiet:
        print_warnings(scored.runs)


def _compare_systems(scored: ScoredSystems, options: AfterScoringOptions) -> Comparison | None:
    """Compare the systems with the first.

    If they cannot be compared, print a message.
    """
    if len(scored.runs) == 1 or options.test is SystemTest.none:
        return None
    from isogloss.runs.comparison import compare

    try:
        test_options = _get_test_options(scored.options, options)
        return compare(*scored.runs, all_pairs=options.all_pairs, score=options.score, **test_options)
    except IsoglossError as error:
        print_message(f"isogloss: the systems are not compared. {error}")  # even with --quiet: results are missing
        return None


def _get_test_options(options: TaskOptions, after: AfterScoringOptions) -> dict[str, Any]:
    """Return the arguments of `isogloss.compare`."""
    return {
        "method": (SystemTest.randomization if after.test is SystemTest.none else after.test).value,
        "trials": after.trials,
        "confidence": options.confidence or 0.95,
        "resamples": options.resamples,
        "seed": options.seed,
        "unit": options.unit,
    }


def _save_runs(scored: ScoredSystems, options: AfterScoringOptions) -> list[str]:
    """Store the runs and return a message for each."""
    from isogloss.store import build_names, save_runs

    listed = scored.all_findings or scored.options.errors > 0
    runs = [replace(run.ensure_documents(), list_findings=listed) for run in scored.runs]
    ids = save_runs(runs, store=options.store, name=options.save or None, corpus=options.corpus, tags=options.tag or ())
    names = build_names(options.save or None, len(runs))
    return [
        f"isogloss: saved {run.system} as {run_id if name is None else f'{name} ({run_id})'}"
        for run, name, run_id in zip(runs, names, ids, strict=True)
    ]


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
        """Return the run with its label after its system.

        Builds reuse the names of systems, so that a name alone does not tell runs apart.
        """
        return replace(self.run, system=f"{self.run.system} ({self.label})")


def load_stored_runs(keys: Sequence[str], store: str | None, findings: int = 0) -> list[LabelledRun]:
    """Load runs of a store with their documents.

    Args:
        keys: ids, beginnings of ids, or names.
        store: SQLite file or PostgreSQL URL; None for the default.
        findings: largest number of findings of each run, if they were saved.

    Raises:
        StoreError: if there is no such run, or the store cannot be read.
    """
    from isogloss.store import Store

    with Store.open(store, create=False) as opened:
        stored = [opened.get(key) for key in keys]
        return [
            LabelledRun(each.id, each.summary.name or each.summary.short, each.run(findings=findings))
            for each in stored
        ]


def distinguish_runs(stored_runs: Sequence[LabelledRun]) -> list[Run]:
    """Return the runs; those of one system are labelled."""
    times = Counter(each.run.system for each in stored_runs)
    return [each.to_named_run() if times[each.run.system] > 1 else each.run for each in stored_runs]
