"""Scoring options of every task: intervals, findings, slices and clusters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from isogloss.errors import UsageError
from isogloss.kernel.argument_checks import check_choice, check_number_between, check_strings, check_whole_number
from isogloss.kernel.provenance import RunWarning
from isogloss.runs.evidence import RESAMPLING_METHODS, Resampling, ResamplingMethod

UNIT_DOCUMENT = "document"
MIN_RESAMPLES = 100  # with fewer, less than three resamples lie beyond either end of an interval at 0.95
SIGNATURE_METHODS: Mapping[ResamplingMethod, str] = {
    "auto": "wilson-modified+wilson-deff+mover+bootstrap-percentile",
    "bootstrap": "bootstrap-percentile",
    "wilson": "wilson+bootstrap-percentile",
}
SliceColumns = Iterable[str] | Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class ScoringOptions:
    """Intervals, findings, slices and clusters of a run.

    Args:
        resampling: how intervals are computed, None for no intervals.
        findings: maximum number of findings, None for all, 0 for none.
        context: words of context on each side of a finding, 0 or more.
        by: columns to slice by.
        unit: `document`, or the column of clusters; None for the default of the task.
        keep_documents: whether to keep single documents, for comparisons and the store.
        finding_columns: columns whose values findings carry, besides those of `by`.
        finding_documents: largest number of documents whose findings are kept; None for all.
        finding_kinds: kinds of findings that are kept, besides the first of each other kind; empty for all.
        finding_labels: labels that kept findings have, of either side; empty for all.
        caller_columns: per column the value of each document, in order, if the caller gave values.

    Raises:
        UsageError: if a number is out of range, or Wilson intervals are combined with clusters.
    """

    resampling: Resampling | None = None
    findings: int | None = 0
    context: int = 3
    by: tuple[str, ...] = ()
    unit: str | None = None
    keep_documents: bool = False
    caller_columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    finding_columns: tuple[str, ...] = ()
    for_partial: bool = False
    kept_columns: tuple[str, ...] = ()
    finding_documents: int | None = None
    finding_kinds: tuple[str, ...] = ()
    finding_labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_whole_number("context", self.context, 0)
        if self.findings is not None:
            check_whole_number("findings", self.findings, 0)
        if self.cluster_column is not None and self.resampling is not None and self.resampling.method == "wilson":
            raise UsageError(
                f"interval 'wilson' cannot be combined with unit {self.cluster_column!r}: Wilson intervals assume "
                "independent documents, and documents with the same value depend on each other. "
                "Use interval 'auto', or unit 'document' if the documents are independent.",
            )

    def list_choices(self) -> dict[str, str | int | float]:
        """List the choices of intervals and standard errors for the signature."""
        how = self.resampling
        if how is None:
            return {} if self.cluster_column is None else {"unit": self.cluster_column}
        return {
            "unit": self.cluster_column or "document",
            "confidence": how.level,
            "resamples": how.resamples,
            "seed": how.seed,
            "method": SIGNATURE_METHODS[how.method],
        }

    def reduce_to_documents(self) -> ScoringOptions:
        """Return options that keep single documents, without intervals and findings."""
        return replace(self, resampling=None, findings=0, keep_documents=True, for_partial=False)

    def find_warnings(self) -> tuple[RunWarning, ...]:
        """Warn if intervals use fewer than 100 resamples."""
        if self.resampling is None or self.resampling.resamples >= MIN_RESAMPLES:
            return ()
        return (
            RunWarning(
                "few-resamples",
                f"with fewer than {MIN_RESAMPLES} resamples the bounds of intervals are unstable: 1,000 are usual",
            ),
        )

    @property
    def needed_columns(self) -> tuple[str, ...]:
        """The columns to read of each document.

        They are slices, and clusters even without intervals; and, where a partial keeps documents, those that merging
        needs.
        """
        unit = () if self.unit in (None, UNIT_DOCUMENT) else (self.unit,)
        columns = (*self.by, *unit, *self.finding_columns)
        kept = self.kept_columns if self.for_partial and (columns or self.keep_documents) else ()
        return tuple(dict.fromkeys((*columns, *kept)))

    @property
    def attributes(self) -> tuple[str, ...]:
        """The columns that readers keep.

        They are the needed columns that the caller did not give.
        """
        return tuple(column for column in self.needed_columns if column not in self.caller_columns)

    @property
    def cluster_column(self) -> str | None:
        """The column of clusters, which are the independent units; None for documents."""
        return None if self.unit == UNIT_DOCUMENT else self.unit


def build_scoring_options(  # noqa: PLR0913  the shared options of all public calls
    confidence: float | None,
    resamples: int,
    seed: int,
    findings: bool | int,  # noqa: FBT001  the public calls pass it on
    context: int,
    *,
    by: SliceColumns = (),
    unit: str | None = UNIT_DOCUMENT,
    keep_documents: bool = False,
    interval: ResamplingMethod = "auto",
    finding_columns: Sequence[str] = (),
) -> ScoringOptions:
    """Build scoring options from the arguments of a public call.

    Args:
        confidence: level of intervals in (0, 1), None for no intervals.
        resamples: number of resamples, at least 1.
        seed: seed of the resamples, 0 or more.
        findings: whether to keep findings; a number keeps at most so many.
        context: words of context on each side of a finding, 0 or more.
        by: columns to slice by; or per column the value of each document.
        unit: `document`, or the column of clusters, resampled as a whole.
        keep_documents: whether to keep single documents.
        interval: method of intervals: `auto`, `bootstrap` or `wilson`.
        finding_columns: columns whose values findings carry.

    Raises:
        UsageError: if a value is out of range.
    """
    given = _check_caller_columns(by) if isinstance(by, Mapping) else {}
    columns = by if isinstance(by, str) else tuple(by)
    columns = check_strings("by", columns) or () if columns else ()
    how = build_resampling(confidence, resamples, seed, interval)
    limit = (None if findings else 0) if isinstance(findings, bool) else findings
    others = tuple(column for column in finding_columns if column not in columns)
    return ScoringOptions(how, limit, context, columns, unit, keep_documents, given, others)


def _check_caller_columns(by: Mapping[str, Any]) -> dict[str, Sequence[Any]]:
    """Return caller values as sequences with one value per document.

    Raises:
        UsageError: if the values of a column are not a collection.
    """
    for column, values in by.items():
        if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__len__"):
            raise UsageError(
                f"by[{column!r}] must be a list with a value for each document, got {type(values).__name__}."
            )
    return {column: values if isinstance(values, list | tuple) else list(values) for column, values in by.items()}


def build_resampling(
    level: float | None, resamples: int, seed: int, method: ResamplingMethod = "auto"
) -> Resampling | None:
    """Build how intervals are computed; None for no intervals.

    Args:
        level: confidence level in (0, 1), None for no intervals.
        resamples: number of resamples, at least 1.
        seed: 0 or more.
        method: `auto`, `bootstrap` or `wilson`.

    Raises:
        UsageError: if a value is out of range, or a method is given without a level.
    """
    check_choice("interval", method, RESAMPLING_METHODS)
    if level is None:
        if method != "auto":
            raise UsageError(f"interval {method!r} has no effect without intervals: add confidence=0.95.")
        return None
    check_number_between("confidence", level, 0, 1, "0.95")
    check_whole_number("resamples", resamples, 1)
    check_whole_number("seed", seed, 0)
    return Resampling(level, resamples, seed, method)
