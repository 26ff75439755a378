"""Evidence: the counts behind the numbers of a run.

Scores and intervals are computed from the counts on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Protocol, get_args

import numpy as np

from isogloss.errors import DataError, UsageError
from isogloss.kernel.metric import (
    ConfusionMetric,
    OrderMetric,
    ScoreView,
    SlicedMetric,
    SumMetric,
    ViewedMetric,
    find_metric_averages,
    find_metric_proportions,
    find_metric_trials,
)
from isogloss.kernel.scores import Ints, Proportions, ScoreKey, Scores, format_path
from isogloss.kernel.slices import Attribute, count_cell_documents, split_by_attribute, sum_by_attribute
from isogloss.kernel.sums import Sums
from isogloss.kernel.tallied_documents import TalliedDocuments
from isogloss.kernel.tally import Tally
from isogloss.records.limits import read_limit
from isogloss.stats.bootstrap import (
    MIN_UNITS,
    add_document_scores,
    average_document_scores,
    bootstrap_scores,
    compute_clustered_errors,
    group_into_units,
)
from isogloss.stats.intervals import (
    DocumentSpread,
    Interval,
    compute_design_effect_interval,
    compute_document_spreads,
    compute_modified_wilson_interval,
    compute_mover_interval,
    compute_percentile_intervals,
    compute_wilson_interval,
)
from isogloss.stats.unit_variance import CorpusEvidence, measure_ratios

ScoreNumber = int | float
ResamplingMethod = Literal["auto", "bootstrap", "wilson"]
RESAMPLING_METHODS: tuple[ResamplingMethod, ...] = get_args(ResamplingMethod)
GROUP_AND_NAME = 2
MAX_SLICES_NAME, MAX_SLICES = "ISOGLOSS_MAX_SLICES", 20_000  # values of a column that are scored by themselves
SLICE_WEIGHTS = {"scored": 1, "scored with intervals": 10, "compared": 20}  # for how many values one counts


@dataclass(frozen=True)
class Resampling:
    """How intervals are computed.

    Args:
        level: confidence level in (0, 1).
        resamples: number of resamples, at least 1.
        seed: seed of the generator.
        method: `auto` for the method that fits each score; `bootstrap` for percentiles of resamples; `wilson` for
            Wilson's interval of independent trials for plain proportions, and the bootstrap for other scores.
    """

    level: float = 0.95
    resamples: int = 1000
    seed: int = 12345
    method: ResamplingMethod = "auto"

    def __post_init__(self) -> None:
        if self.method not in RESAMPLING_METHODS:
            raise ValueError(f"the method must be one of {', '.join(RESAMPLING_METHODS)}, got {self.method!r}")
        if not 0 < self.level < 1 or self.resamples < 1:
            raise ValueError(f"{self.resamples} resamples at level {self.level} give no interval")


@dataclass(frozen=True)
class MetricSpec:
    """Task and arguments from which a metric is built.

    Args:
        task: name of the task.
        arguments: arguments by name, as JSON values.
        build: builds the metric from the arguments; with `order=True`, the metric of a ranking.
    """

    task: str
    arguments: Mapping[str, Any]
    build: Callable[..., Any] = field(repr=False, compare=False)

    def make_metric(self) -> SumMetric:
        """Build the metric that scores sums.

        Raises:
            UsageError: if this version of isogloss cannot build it.
        """
        metric: SumMetric = self._build_metric()
        return metric

    def make_order_metric(self) -> OrderMetric:
        """Build the metric that scores a ranking.

        Raises:
            UsageError: if this version of isogloss cannot build it.
        """
        metric: OrderMetric = self._build_metric(order=True)
        return metric

    def _build_metric(self, **more: Any) -> Any:
        try:
            return self.build(**self.arguments, **more)
        except TypeError as error:
            message = f"This version of isogloss cannot build the metric of a run of {self.task}: {error}."
            raise UsageError(message) from error


class Evidence(Protocol):
    """Numbers of a run, computed or saved."""

    @property
    def documents(self) -> int:
        """Number of documents scored."""

    @property
    def numbers(self) -> Mapping[ScoreKey, ScoreNumber]:
        """Every score, nan where undefined; counts are integers."""

    @property
    def intervals(self) -> Mapping[str, Interval]:
        """Interval of each score by its path; empty if none were requested."""

    @property
    def per_document(self) -> Mapping[str, DocumentSpread]:
        """Distribution over documents of each overall score, by its path."""

    @property
    def confusion(self) -> Mapping[tuple[str | None, str | None], int]:
        """Number of each (reference, predicted) pair of labels."""


@dataclass(frozen=True, eq=False)
class DocumentCounts:
    """Counts and attributes of every single document.

    Args:
        tallied: the documents with their counts.
        attributes: values of the documents by column, for slices and clusters.
        metric_spec: how to build the metric again; None if unknown.
    """

    tallied: TalliedDocuments
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    metric_spec: MetricSpec | None = None

    @property
    def documents(self) -> Ints:
        """(documents,) their numbers, ascending."""
        return self.tallied.documents

    def name_documents(self, documents: Ints) -> list[str]:
        """Return the ids of these documents, or their numbers from 1.

        Args:
            documents: (n,) numbers of documents.
        """
        named = self.attributes.get("document")
        return [str(k + 1) for k in documents.tolist()] if named is None else named.look_up(documents).tolist()

    def find_positions(self, names: Collection[str]) -> dict[str, int]:
        """Return the position of each of these documents, by id or number.

        Args:
            names: ids or numbers of documents.
        """
        named = self.attributes.get("document")
        if named is None:
            numbers = np.array([int(name) - 1 for name in names], np.int64)
            return dict(zip(names, np.searchsorted(self.documents, numbers).tolist(), strict=True))
        wanted, every = {*names}, named.list_values(0, len(self.documents))
        return {name: k for k, name in enumerate(every) if name in wanted}

    def get_attribute(self, column: str) -> Attribute:
        """Return the values of the documents in a column.

        Args:
            column: name of the column.

        Raises:
            UsageError: if there is no such column.
        """
        if column not in self.attributes:
            having = f"Its columns are: {', '.join(self.attributes)}." if self.attributes else "It has no columns."
            raise UsageError(f"The run has no column {column!r}. {having}")
        return self.attributes[column]


@dataclass(frozen=True, eq=False)
class TallyEvidence:
    """Evidence from a tally.

    Args:
        metric: metric that scores sums.
        tally: the distinct documents.
        resampling: how intervals are computed; None for no intervals.
        document_counts: the single documents; None if they were not kept.
        slice_columns: columns whose values are also scored separately.
        unit: column whose values are resampled as a whole; None for single documents.
        unit_known: whether the unit was chosen; if not, means over documents have no standard errors.

    Raises:
        UsageError: if the documents do not have a column.
        DataError: if a column has more values than `ISOGLOSS_MAX_SLICES` allows.
        ValueError: if columns are named but documents were not kept, or for Wilson's intervals of clusters.
    """

    metric: SumMetric
    tally: Tally
    resampling: Resampling | None = None
    document_counts: DocumentCounts | None = None
    slice_columns: tuple[str, ...] = ()
    unit: str | None = None
    unit_known: bool = True

    def __post_init__(self) -> None:
        for column in (*self.slice_columns, *([] if self.unit is None else [self.unit])):
            if self.document_counts is None:
                raise ValueError(f"the column {column!r} needs single documents, which were not kept")
            self.document_counts.get_attribute(column)
        for column in self.slice_columns:
            self.check_slices(column)
        if self.unit is not None and self.resampling is not None and self.resampling.method == "wilson":
            raise ValueError(f"Wilson intervals need independent counts, not clusters by {self.unit!r}")

    def check_slices(self, column: str, *, compared: bool = False) -> None:
        """Refuse a column with a value for almost every document.

        Args:
            column: name of the column.
            compared: whether each value of two systems is tested, which costs more than its scores and intervals.

        Raises:
            DataError: if a column has more values than `ISOGLOSS_MAX_SLICES` allows.
        """
        values = 0 if self.document_counts is None else len({*self.document_counts.get_attribute(column).values})
        work = "compared" if compared else "scored" if self.resampling is None else "scored with intervals"
        weight = SLICE_WEIGHTS[work]
        if values * weight > read_limit(MAX_SLICES_NAME, MAX_SLICES):
            raise DataError(
                f"the column {column!r} has {values:,} different values, and each would be {work} by itself",
                remedy="Choose a column whose values group the documents. To score them all the same, raise the limit: "
                f"{MAX_SLICES_NAME}={values * weight} isogloss ...",
            )

    @property
    def documents(self) -> int:
        """Number of documents scored."""
        return self.tally.documents

    @property
    def units(self) -> int:
        """Number of resampling units: documents, or clusters of documents."""
        return self._resampled_tally.documents

    @cached_property
    def sums(self) -> Sums:
        """Sums over all documents."""
        return self.tally.sum_all()

    @cached_property
    def numbers(self) -> dict[ScoreKey, ScoreNumber]:
        """Every score, nan where undefined; counts are integers."""
        scores_by_key: dict[ScoreKey, ScoreNumber] = {
            key: value.item() for key, value in self.metric.score(self.sums).items()
        }
        if isinstance(self.metric, SlicedMetric):
            for (column, value), cells in self.metric.cells_of_slices(self.sums).items():
                scores_by_key["slices", column, value, "documents"] = count_cell_documents(self.tally, cells)
        for column in self.slice_columns:
            scores_by_key.update(self._score_slices(column))
        return scores_by_key

    def _score_slices(self, column: str) -> Iterator[tuple[ScoreKey, ScoreNumber]]:
        """Yield the overall scores of all values of a column."""
        whole = self.views[0]
        if whole.document_counts is None:
            return
        attribute = whole.document_counts.get_attribute(column)
        for values, documents, sums in sum_by_attribute(whole.document_counts.tallied, attribute):
            scores = {key: own.tolist() for key, own in whole.metric.score(sums).items() if is_overall_score(key)}
            for k, (value, number) in enumerate(zip(values, documents.tolist(), strict=True)):
                yield ("slices", column, value, "documents"), number
                yield from ((("slices", column, value, *key), own[k]) for key, own in scores.items())

    def get_score(self, key: ScoreKey) -> float:
        """Return a score, or its mean over documents; nan where undefined."""
        if key[0] == "per_document":
            return self.per_document[format_path(key[1:-1])].mean
        return float(self.numbers.get(key, np.nan))

    @cached_property
    def slice_evidence(self) -> dict[tuple[str, str], TallyEvidence]:
        """Evidence of each slice, by column and value."""
        whole = self.views[0]
        if whole.document_counts is None:
            return {}
        return {
            (column, value): TallyEvidence(
                whole.metric,
                part.tally,
                self.resampling,
                DocumentCounts(part, whole.document_counts.attributes),
                unit=self.unit,
                unit_known=self.unit_known,
            )
            for column in self.slice_columns
            for value, part in split_by_attribute(
                whole.document_counts.tallied, whole.document_counts.get_attribute(column)
            ).items()
        }

    @cached_property
    def views(self) -> tuple[TallyEvidence, ...]:
        """Evidence of each view of the metric, the whole first."""
        if not isinstance(self.metric, ViewedMetric):
            return (self,)
        return tuple(self._apply_view(view) for view in self.metric.views())

    def _apply_view(self, view: ScoreView) -> TallyEvidence:
        documents, tally = self.document_counts, self.tally
        if documents is None:
            tally = tally.drop_parts(view.ignored)
        else:
            documents = replace(documents, tallied=documents.tallied.drop_parts(view.ignored))
            tally = documents.tallied.tally
        return TallyEvidence(view.metric, tally, self.resampling, documents, unit=self.unit, unit_known=self.unit_known)

    @cached_property
    def per_document(self) -> dict[str, DocumentSpread]:
        """Distribution over documents of each overall ratio, by path.

        Standard errors respect clusters.
        """
        spreads = compute_document_spreads(self.tally, self.score_overall_ratios)
        if not self.unit_known:
            spreads = {key: replace(each, se=np.nan) for key, each in spreads.items()}
        if self.unit is not None:
            errors = compute_clustered_errors(self.score_units(self.unit), spreads)
            spreads = {key: replace(each, se=errors[key]) for key, each in spreads.items()}
        return {format_path(key): each for key, each in spreads.items()}

    @cached_property
    def intervals(self) -> dict[str, Interval]:
        """Interval of each ratio, and of its mean over documents, by path."""
        if self.resampling is None:
            return {}
        by_name: dict[str, Interval] = {}
        for view in self.views:
            computed = view._compute_intervals(self.resampling)  # noqa: SLF001
            by_name |= {format_path(key): interval for key, interval in computed.items()}
        for (column, value), part in self.slice_evidence.items():
            own = name_slice_intervals(column, value, part.numbers, part.intervals)
            by_name |= {name: interval for name, interval in own.items() if name not in by_name}
        return by_name

    def _compute_intervals(self, how: Resampling) -> dict[ScoreKey, Interval]:
        """Compute intervals of all ratios, and of their means over documents."""
        by_key: dict[ScoreKey, Interval] = {}
        if how.method == "wilson":
            by_key = {key: compute_wilson_interval(*own, how.level) for key, own in self._proportions.items()}
        elif how.method == "auto":
            by_key = self._compute_fitting_intervals(how.level)
        keys = self.score_ratios(self._resampled_tally.sum_all()).keys()
        if not keys <= by_key.keys():
            by_key = self._bootstrap_intervals(how) | by_key
        return {key: by_key[key] for key in keys}

    def _bootstrap_intervals(self, how: Resampling) -> dict[ScoreKey, Interval]:
        """Compute percentile intervals.

        With the method `auto`, the intervals are undefined if there are too few units.
        """
        samples = bootstrap_scores(self._resampled_tally, self.score_ratios, how.resamples, how.seed)
        if how.method == "auto" and self.units < MIN_UNITS:
            return {key: Interval(np.nan, np.nan, how.level, "bootstrap") for key in samples}
        return compute_percentile_intervals(samples, how.level)

    def _compute_fitting_intervals(self, level: float) -> dict[ScoreKey, Interval]:
        """Compute the intervals that do not need resamples.

        They are those of proportions, of other ratios with a known number of trials, and of their means.
        """
        evidence = self.corpus_evidence
        fitting_intervals = {key: compute_design_effect_interval(own, level) for key, own in evidence.ratios.items()}
        for key, counts in self._proportions.items():
            own = evidence.ratios.get(key)
            if own is None or own.units == counts[1]:  # each unit has one trial at most
                fitting_intervals[key] = compute_modified_wilson_interval(*counts, level)
        for key, members in evidence.averages.items():
            ratios = [evidence.ratios[member] for member in members]
            fitting_intervals[key] = compute_mover_interval(ratios, evidence.correlations[key], self.units, level)
        return fitting_intervals

    @cached_property
    def corpus_evidence(self) -> CorpusEvidence:
        """Variance and trials of the ratios between resampling units."""
        scores = self.metric.score(self.sums)
        averages = find_metric_averages(self.metric, scores)
        known = find_metric_trials(self.metric, self.sums, scores).keys()
        chosen = {key: _find_members(scores, key, own) for key, own in averages.items() if known >= set(own)}
        return measure_ratios(
            self._resampled_tally, self.score_all, self.count_trials, {k: own for k, own in chosen.items() if own}
        )

    def score_all(self, sums: Sums) -> Scores:
        """Compute all scores and counts, and the means of document scores."""
        return self.metric.score(sums) | average_document_scores(sums, self.score_overall_ratios(self.sums))

    def count_trials(self, sums: Sums, scores: Scores) -> Scores:
        """Count the trials of ratios.

        The trials of a mean over documents are the documents that have the score.
        """
        trials = find_metric_trials(self.metric, sums, scores)
        measures = {key: format_path(key) for key in self.score_overall_ratios(self.sums) if key in trials}
        return trials | {
            ("per_document", *key, "mean"): sums.measured[..., sums.measures.index(name), 1]
            for key, name in measures.items()
        }

    @cached_property
    def _proportions(self) -> Proportions:
        return find_metric_proportions(self.metric, self.sums)

    @cached_property
    def confusion(self) -> dict[tuple[str | None, str | None], int]:
        """Number of each (reference, predicted) pair of labels, ordered by name."""
        if not isinstance(self.metric, ConfusionMetric):
            return {}
        pairs = self.metric.confusion(self.sums)
        return dict(sorted(pairs.items(), key=lambda item: tuple((n is None, n or "") for n in item[0])))

    @cached_property
    def _resampled_tally(self) -> Tally:
        """Resampling units, with the scores of documents as measures."""
        if self.unit is None or self.document_counts is None:
            return add_document_scores(self.tally, self.score_overall_ratios)
        return self.score_units(self.unit).tally

    def score_units(self, unit: str | None) -> TalliedDocuments:
        """Return resampling units, with document scores as measures.

        Args:
            unit: column whose values are the clusters; None for single documents.

        Raises:
            UsageError: if documents were not kept, or there is no such column.
        """
        if self.document_counts is None:
            raise UsageError("The single documents of the run were not kept. Score its input again.")
        own = self.document_counts
        clusters = None if unit is None else own.get_attribute(unit).rank(own.documents)[1]
        return group_into_units(own.tallied, self.score_overall_ratios, clusters)

    def score_overall_ratios(self, sums: Sums) -> Scores:
        """Compute the ratios that single documents have."""
        return _select_ratios(self.metric.overall(sums))

    def score_ratios(self, sums: Sums) -> Scores:
        """Compute all ratios, and the means of document scores.

        Args:
            sums: sums of documents with their scores as measures, from `score_units`.
        """
        return _select_ratios(self.metric.score(sums)) | average_document_scores(
            sums, self.score_overall_ratios(self.sums)
        )


def _select_ratios(scores: Scores) -> Scores:
    return {key: value for key, value in scores.items() if value.dtype == np.float64 and key[-1] != "beta"}


def _find_members(scores: Scores, mean: ScoreKey, members: tuple[ScoreKey, ...]) -> tuple[ScoreKey, ...]:
    """Return the scores that a plain mean is computed from.

    These are all members, or the members of labels with reference spans; () if neither gives the mean.
    """
    with_reference = tuple(key for key in members if not np.isnan(scores.get((*key[:-1], "recall"), np.nan)))
    for chosen in (members, with_reference):
        values = [float(scores[key]) for key in chosen if not np.isnan(scores[key])]
        if values and np.isclose(np.mean(values), scores[mean], rtol=1e-9, atol=1e-12):
            return chosen
    return ()


def name_slice_intervals(
    column: str, value: str, keys: Iterable[ScoreKey], intervals: Mapping[str, Interval]
) -> dict[str, Interval]:
    """Return the intervals of a slice's overall scores by path.

    The paths are those in the run.
    """
    named = {("slices", column, value, *key): intervals.get(format_path(key)) for key in keys if is_overall_score(key)}
    return {format_path(key): interval for key, interval in named.items() if interval is not None}


def is_overall_score(key: ScoreKey) -> bool:
    """Check whether a key is that of an overall score.

    Such a key has only group and name, and is not about findings.
    """
    return len(key) == GROUP_AND_NAME and key[0] != "findings"
