"""Build the metrics of text classification.

There is one for the default definition, and one for the profile `spacy`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from isogloss.errors import DataError, UsageError
from isogloss.kernel.counts import Counts
from isogloss.kernel.metric import Metric, OrderMetric
from isogloss.kernel.ranking import Influence, Ranking, WeightedOrder, compute_auc_influence
from isogloss.kernel.scores import Floats, Ints, ScoreKey, Scores, divide
from isogloss.kernel.sums import Sums
from isogloss.tasks.classification.label_matrix import LabelledDocuments
from isogloss.tasks.classification.metric import (
    LABEL_GROUP,
    MultiLabel,
    SingleLabel,
    list_label_scores,
)
from isogloss.tasks.classification.options import DefinitionOptions
from isogloss.tasks.classification.ranking import RANKING_GROUP as RANKING
from isogloss.tasks.classification.ranking import ROC_AUC, RankingAreas, build_ranking, concatenate_draws, stack_draws

ScoreNumbers = Mapping[ScoreKey, int | float]


@dataclass(frozen=True)
class ClassificationScoring:
    """The metrics of one definition.

    Args:
        count_metric: counts labels.
        order_metric: scores rankings.
        rank: builds the ranking of documents that have scores.
        tool_output: builds the keys and values that the tool itself writes, from the scores; None for the default.
    """

    count_metric: Metric[LabelledDocuments]
    order_metric: OrderMetric
    rank: Callable[[LabelledDocuments], Ranking]
    tool_output: Callable[[ScoreNumbers], Mapping[str, Any]] | None = None


def make_scoring(options: DefinitionOptions, documents: LabelledDocuments) -> ClassificationScoring:
    """Build the metrics of the default definition.

    Args:
        options: options of the definition.
        documents: documents, whose labels are scored.
    """
    labels = tuple(sorted(documents.labels))
    count_metric: SingleLabel | MultiLabel = SingleLabel(labels, options.averaging)
    if options.multi_label:
        count_metric = MultiLabel(labels, options.averaging, options.threshold, options.thresholds)
    areas = RankingAreas(options.best_threshold, options.averaging.beta)
    return ClassificationScoring(count_metric, areas, build_ranking)


SPACY_RATIOS = {"p": "precision", "r": "recall", "f": "f1"}
SpacyNumber = int | float
BINARY_LABELS = 2


def make_spacy_scoring(options: DefinitionOptions, documents: LabelledDocuments) -> ClassificationScoring:
    """Build the metrics of the profile spacy.

    Args:
        options: options of the definition.
        documents: documents with scores, whose labels are scored.

    Raises:
        UsageError: if an option is set that spaCy does not have.
        DataError: if the documents have no scores.
    """
    if options.thresholds or not options.averaging.is_default or options.best_threshold:
        raise UsageError(
            "The profile spacy supports one threshold and positive_label only: leave out thresholds of single labels, "
            "best_threshold, beta, zero_division and macro_over.",
        )
    if documents.scores is None:
        raise DataError(
            "the profile spacy needs a score for each label, but the prediction has labels only",
            remedy="Give JSON lines with `scores`.",
        )
    labels = keep_scored_labels(documents).labels
    positive = options.positive_label
    if positive is not None and (positive not in labels or len(labels) != BINARY_LABELS or options.multi_label):
        raise UsageError(
            f"positive_label must be one of two labels that exclude each other, got {positive!r}; "
            f"the labels are {', '.join(labels)}."
        )
    count_metric: SingleLabel | MultiLabel = SingleLabel(labels, first_column=True)
    if options.multi_label:
        count_metric = MultiLabel(labels, threshold=options.threshold)
    output = partial(to_spacy_cats, labels=labels, multi_label=options.multi_label, positive_label=positive)
    return ClassificationScoring(SpacyDecisions(count_metric), SpacyAreas(), rank_scored_labels, output)


@dataclass(frozen=True)
class SpacyDecisions:
    """The scores of predicted labels, as spaCy defines them.

    Args:
        label_metric: counts documents.
    """

    label_metric: SingleLabel | MultiLabel

    def count(self, batch: LabelledDocuments) -> Counts:
        """Count the labels that have scores."""
        known = keep_scored_labels(batch)
        return self.label_metric.count(
            known if isinstance(self.label_metric, SingleLabel) else fill_missing_scores(known)
        )

    def overall(self, sums: Sums) -> Scores:
        """Return the micro-averaged scores."""
        outcomes = self.label_metric.count_outcomes(sums)
        total = (counts.sum(axis=-1) for counts in (outcomes.tp, outcomes.fp, outcomes.fn))
        return {("micro", name): value for name, value in _compute_ratios(*total).items()}

    def score(self, sums: Sums) -> Scores:
        """Return the micro-averaged scores, the scores by label, and their mean."""
        outcomes = self.label_metric.count_outcomes(sums)
        ratios = _compute_ratios(outcomes.tp, outcomes.fp, outcomes.fn)
        scores = self.overall(sums) | list_label_scores(outcomes, ratios)
        for name, values in ratios.items():
            scores["macro", LABEL_GROUP, name] = values.sum(axis=-1) / max(1, len(outcomes.labels))
        return scores


@dataclass(frozen=True)
class SpacyAreas:
    """The areas under ROC curves, as spaCy defines them.

    An undefined area counts as 0 in the mean.
    """

    def score(self, ranking: Ranking) -> Scores:
        """Return the area of each label, and their mean.

        The mean is the sum of areas divided by the number of labels.
        """
        areas = {name: ranking.get_order(name).find_positive_steps().compute_roc_auc() for name in ranking.classes}
        by_label: Scores = {("by_label", name, RANKING, ROC_AUC): np.asarray(area) for name, area in areas.items()}
        return by_label | {(ROC_AUC, "macro"): _average_areas(np.array(list(areas.values()), np.float64))}

    def influence(self, ranking: Ranking) -> Influence:
        """Return the area of each label, and their mean.

        The mean is the sum of areas divided by the number of labels.
        """
        classes = compute_auc_influence(ranking, (RANKING, ROC_AUC))
        share = np.count_nonzero(~np.isnan(classes.estimates)) / max(1, len(classes.keys))
        return classes.add_mean((ROC_AUC, "macro"), classes.keys, scale=share)

    def score_weighted(self, ranking: Ranking, draws: Iterable[Ints]) -> Scores:
        """Return the areas with documents weighted by each draw: leading axis draws."""
        classes = {name: WeightedOrder.from_class(ranking, name) for name in ranking.classes}
        return concatenate_draws(self._score_weighted(classes, weights) for weights in draws)

    @staticmethod
    def _score_weighted(classes: Mapping[str, WeightedOrder], weights: Ints) -> Scores:
        areas = {name: of.compute_areas(weights)[0] for name, of in classes.items()}
        by_label: Scores = {("by_label", name, RANKING, ROC_AUC): area for name, area in areas.items()}
        return by_label | {(ROC_AUC, "macro"): _average_areas(stack_draws(list(areas.values()), len(weights)))}


def keep_scored_labels(batch: LabelledDocuments) -> LabelledDocuments:
    """Return the documents with only the labels that have scores.

    Args:
        batch: documents with scores.

    Raises:
        ValueError: if the batch has no scores.
    """
    if batch.scores is None:
        raise ValueError("the batch must have scores")
    kept = np.flatnonzero(~np.isneginf(batch.scores).all(axis=0))
    labels = tuple(batch.labels[k] for k in kept.tolist())
    return replace(batch, labels=labels, gold=batch.gold[:, kept], scores=batch.scores[:, kept])


def fill_missing_scores(batch: LabelledDocuments) -> LabelledDocuments:
    """Return the documents with score 0 for labels without a score."""
    assert batch.scores is not None  # noqa: S101  callers have checked it
    return replace(batch, scores=np.where(np.isneginf(batch.scores), 0.0, batch.scores))


def rank_scored_labels(batch: LabelledDocuments) -> Ranking:
    """Build the ranking of the labels that have scores."""
    return build_ranking(fill_missing_scores(keep_scored_labels(batch)))


def to_spacy_cats(
    numbers: Mapping[ScoreKey, SpacyNumber],
    labels: Iterable[str],
    *,
    multi_label: bool,
    positive_label: str | None = None,
) -> dict[str, Any]:
    """Build the keys and values that spaCy's `evaluate` writes.

    Args:
        numbers: scores of `SpacyDecisions` and `SpacyAreas`.
        labels: the labels that have scores, in order.
        multi_label: whether a document may have several labels.
        positive_label: the label whose F is `cats_score`, if two labels exclude each other.
    """
    labels = list(labels)
    micro = {f"cats_micro_{key}": numbers["micro", name] for key, name in SPACY_RATIOS.items()}
    macro = {f"cats_macro_{key}": numbers["macro", LABEL_GROUP, name] for key, name in SPACY_RATIOS.items()}
    per_type = {
        label: {key: numbers["by_label", label, LABEL_GROUP, name] for key, name in SPACY_RATIOS.items()}
        for label in labels
    }
    areas = {label: numbers["by_label", label, RANKING, ROC_AUC] for label in labels}
    score, name = (numbers[ROC_AUC, "macro"], "macro AUC") if multi_label else (macro["cats_macro_f"], "macro F")
    if positive_label is not None:
        score, name = per_type[positive_label]["f"], f"F ({positive_label})"
    return {
        "cats_score": score,
        "cats_score_desc": name,
        **micro,
        **macro,
        "cats_macro_auc": numbers[ROC_AUC, "macro"],
        "cats_f_per_type": per_type,
        "cats_auc_per_type": {label: None if np.isnan(area) else area for label, area in areas.items()},
    }


def _compute_ratios(tp: Ints, fp: Ints, fn: Ints) -> dict[str, Floats]:
    precision, recall = divide(tp, tp + fp, 0.0), divide(tp, tp + fn, 0.0)
    return {"precision": precision, "recall": recall, "f1": 2 * divide(precision * recall, precision + recall, 0.0)}


def _average_areas(areas: Floats) -> Floats:
    """Return the mean over labels, with undefined areas as 0.

    The axes change from (..., labels) to (...).
    """
    mean: Floats = np.nansum(areas, axis=-1) / max(1, areas.shape[-1])
    return mean
