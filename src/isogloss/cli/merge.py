"""`isogloss merge`: score the merged parts of a corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isogloss.cli.after_scoring import AfterScoringOptions, ScoredSystems, process_runs
from isogloss.cli.options import (
    FormOption,
    IntervalMethod,
    OutputOption,
    QuietOption,
    ResamplesOption,
    TaskOptions,
    list_parameters,
    make_choice,
    make_confidence_option,
    make_parameter,
    set_signature,
)
from isogloss.cli.output import OutputFormat
from isogloss.errors import UsageError
from isogloss.tasks.registry import get_task

if TYPE_CHECKING:
    from isogloss.distributed.partials import Partial

PartialsArgument = Annotated[
    list[str], typer.Argument(metavar="PARTIAL...", help="Files that isogloss count has written, in any order.")
]
ManifestOption = Annotated[
    Path | None,
    typer.Option(
        "--manifest",
        metavar="FILE",
        help="List of the reference files that must be there, one a line.",
        show_default=False,
    ),
]
ConfidenceOption = Annotated[float | None, make_confidence_option(show_default="as counted")]
SeedChoice = Annotated[
    int | None, typer.Option("--seed", metavar="N", help="Random seed.", show_default="as counted", min=0)
]
IntervalOption = Annotated[
    IntervalMethod,
    make_choice(IntervalMethod, "--interval", help="Method of the intervals.", rich_help_panel="Evidence"),
]


def _merge(  # noqa: PLR0913  each is an option
    partials: list[str],
    *,
    manifest: Path | None,
    confidence: float | None,
    interval: IntervalMethod,
    resamples: int,
    seed: int | None,
    form: OutputFormat,
    output: Path | None,
    quiet: bool,
    **given: Any,
) -> None:
    from isogloss.distributed.counting import load_partials, merge_runs, read_manifest
    from isogloss.tasks.scoring_options import build_resampling

    after = AfterScoringOptions(**given)
    loaded = load_partials(partials)
    systems = len(loaded[0].systems)
    after.check_systems(systems)
    gates, baseline = after.parse_gates(get_task(loaded[0].task).scores), after.load_baseline()
    if confidence is not None:
        resampling = build_resampling(confidence, resamples, DEFAULT_SEED if seed is None else seed, interval.value)
        loaded = [_replace_scoring(each, resampling=resampling) for each in loaded]
    _check_documents(loaded, after, systems)
    runs = merge_runs(loaded, read_manifest(manifest))
    request = _build_request(loaded[0].request, confidence, interval, resamples, seed)
    has_all = loaded[0].scoring_options.findings is None
    options = TaskOptions(**request, form=form, output=output, quiet=quiet, collect_findings=has_all)
    process_runs(ScoredSystems(runs, options), after, gates, baseline)


DEFAULT_SEED = 12345


def _build_request(
    counted: Mapping[str, Any], confidence: float | None, interval: IntervalMethod, resamples: int, seed: int | None
) -> dict[str, Any]:
    """Return the options of the parts, with given ones of intervals."""
    found = {**counted, "interval": IntervalMethod(counted.get("interval", "auto"))}
    if confidence is not None:
        found |= {"confidence": confidence, "interval": interval, "resamples": resamples, "seed": DEFAULT_SEED}
    return found if seed is None else found | {"seed": seed}


def _replace_scoring(partial: Partial, **changes: Any) -> Partial:
    return replace(partial, scoring_options=replace(partial.scoring_options, **changes))


def _check_documents(partials: Sequence[Partial], after: AfterScoringOptions, systems: int) -> None:
    """Check that single documents were kept, if they are needed.

    Raises:
        UsageError: if they were not.
    """
    if not after.needs_documents(systems):
        return
    lacking = next((each for each in partials if not each.scoring_options.keep_documents), None)
    if lacking is not None:
        raise UsageError(f"{lacking.name} was counted without single documents: count all parts with --keep-documents.")


command = set_signature(
    _merge,
    [
        make_parameter("partials", PartialsArgument, positional=True),
        make_parameter("manifest", ManifestOption, None),
        make_parameter("confidence", ConfidenceOption, None),
        make_parameter("interval", IntervalOption, IntervalMethod.auto),
        make_parameter("resamples", ResamplesOption, 1000),
        make_parameter("seed", SeedChoice, None),
        make_parameter("form", FormOption, OutputFormat.text),
        make_parameter("output", OutputOption, None),
        make_parameter("quiet", QuietOption, default=False),
        *list_parameters(AfterScoringOptions),
    ],
    "Score the merged parts of a corpus.\n\nThe results are those of scoring all files at once.",
)
