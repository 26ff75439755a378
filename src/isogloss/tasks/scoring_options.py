"""What is wanted beside the scores: intervals and findings, alike for every task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from isogloss.errors import UsageError
from isogloss.kernel.argument_checks import check_choice, check_number_between, check_strings, check_whole_number
from isogloss.kernel.provenance import RunWarning
from isogloss.runs.evidence import RESAMPLING_METHODS, Resampling, ResamplingMethod

UNIT_DOCUMENT = "document"
MIN_RESAMPLES = 100  # resamples: with fewer less than three lie beyond either end of an interval of 0.95
SliceColumns = Iterable[str] | Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class ScoringOptions:
    """What is wanted beside the scores.

    Args:
        resampling: how intervals are made, None for none.
        findings: the first so many findings, None for all of them, 0 for none.
        context: words of context on each side of a finding.
        by: columns whose values are scored apart, too.
        unit: `document`, or the column whose values are resampled as a whole; None for what the task takes itself.
        kept: whether the single documents are needed afterwards, to compare runs or to store them.
        given: per column the value of each document, in their order, where the caller has them.

    Raises:
        UsageError: Wilson's intervals are wanted of clusters.
    """

    resampling: Resampling | None = None
    findings: int | None = 0
    context: int = 3
    by: tuple[str, ...] = ()
    unit: str | None = None
    keep_documents: bool = False
    caller_columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_whole_number("context", self.context, 0)
        if self.findings is not None:
            check_whole_number("findings", self.findings, 0)
        if self.cluster_column is not None and self.resampling is not None and self.resampling.method == "wilson":
            raise UsageError(
                f"interval is 'wilson' and unit is {self.cluster_column!r}, which cannot be had together: documents with the "
                "same value depend on each other, and Wilson's interval takes all that is counted as independent. "
                "Leave interval at 'bootstrap', or say unit 'document' if they are independent.",
            )

    def list_choices(self) -> dict[str, str | int | float]:
        """What the signature says of the intervals."""
        how = self.resampling
        if how is None:
            return {}
        return {
            "unit": self.cluster_column or "document",
            "confidence": how.level,
            "resamples": how.resamples,
            "seed": how.seed,
            "method": "bootstrap-percentile" if how.method == "bootstrap" else "wilson+bootstrap-percentile",
        }

    def reduce_to_documents(self) -> ScoringOptions:
        """The same with single documents kept, and without what is asked for besides."""
        return replace(self, resampling=None, findings=0, keep_documents=True)

    def find_warnings(self) -> tuple[RunWarning, ...]:
        """What is to be said of what is wanted."""
        if self.resampling is None or self.resampling.resamples >= MIN_RESAMPLES:
            return ()
        return (
            RunWarning(
                "few-resamples",
                f"with fewer than {MIN_RESAMPLES} resamples the ends of intervals are a matter of chance: 1,000 are usual",
            ),
        )

    @property
    def needed_columns(self) -> tuple[str, ...]:
        """What has to be known of each document: the columns of slices, and of clusters though nobody draws them."""
        unit = () if self.unit in (None, UNIT_DOCUMENT) else (self.unit,)
        return tuple(dict.fromkeys((*self.by, *unit)))

    @property
    def attributes(self) -> tuple[str, ...]:
        """The columns that readers keep: none that the caller gives."""
        return tuple(column for column in self.needed_columns if column not in self.caller_columns)

    @property
    def cluster_column(self) -> str | None:
        """The column whose values are resampled as a whole; None for single documents."""
        return None if self.resampling is None or self.unit == UNIT_DOCUMENT else self.unit


def build_scoring_options(  # noqa: PLR0913  what all public calls have
    confidence: float | None,
    resamples: int,
    seed: int,
    findings: bool | int,  # noqa: FBT001  as `most` takes it
    context: int,
    *,
    by: SliceColumns = (),
    unit: str | None = UNIT_DOCUMENT,
    keep_documents: bool = False,
    interval: ResamplingMethod = "bootstrap",
) -> ScoringOptions:
    """What a public call is asked for beside the scores.

    Args:
        confidence: level of the intervals, None for none.
        resamples: number of resamples.
        seed: seed of the resamples.
        findings: whether to keep findings; a number keeps the first so many.
        context: words of context on each side of a finding.
        by: columns whose values are scored apart, too; or per column the value of each document.
        unit: `document`, or the column whose values are resampled as a whole.
        kept: whether the single documents are needed afterwards.
        interval: how intervals are made: `bootstrap`, or `wilson` where a score is a plain proportion.

    Raises:
        UsageError: for values that cannot be meant.
    """
    given = _check_caller_columns(by) if isinstance(by, Mapping) else {}
    columns = by if isinstance(by, str) else tuple(by)
    columns = check_strings("by", columns) or () if columns else ()
    how = build_resampling(confidence, resamples, seed, interval)
    return ScoringOptions(how, parse_findings_limit(findings), context, columns, unit, keep_documents, given)


def _check_caller_columns(by: Mapping[str, Any]) -> dict[str, Sequence[Any]]:
    """Values of documents that can be looked up by their number.

    Raises:
        UsageError: they are no collection.
    """
    for column, values in by.items():
        if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__len__"):
            raise UsageError(f"by[{column!r}] is of type {type(values).__name__}; give a value for each document.")
    return {column: values if isinstance(values, list | tuple) else list(values) for column, values in by.items()}


def parse_findings_limit(findings: bool | int) -> int | None:  # noqa: FBT001  public calls take it by name and hand it on
    """How many findings are wanted at most.

    Args:
        findings: True for all of them, False for none, or the number.

    Returns:
        The number, None for all.
    """
    if isinstance(findings, bool):
        return None if findings else 0
    return findings


def build_resampling(
    level: float | None, resamples: int, seed: int, method: ResamplingMethod = "bootstrap"
) -> Resampling | None:
    """How intervals are made.

    Args:
        level: confidence level in (0, 1), None for no intervals.
        resamples: number of resamples, at least 1.
        seed: 0 or more.
        method: `bootstrap` or `wilson`.

    Raises:
        UsageError: for values out of these ranges, or a method of intervals that nobody asked for.
    """
    check_choice("interval", method, RESAMPLING_METHODS)
    if level is None:
        if method != "bootstrap":
            raise UsageError(f"interval is {method!r}, but no intervals are asked for: say confidence, such as 0.95.")
        return None
    check_number_between("confidence", level, 0, 1, "0.95")
    check_whole_number("resamples", resamples, 1)
    check_whole_number("seed", seed, 0)
    return Resampling(level, resamples, seed, method)
