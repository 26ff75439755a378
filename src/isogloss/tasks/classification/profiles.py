"""What is counted and ranked, by the default definition or by that of another tool.

definition = PROFILES.load("spacy")
scoring = definition(DefinitionOptions(multi_label=True), documents)
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
from isogloss.kernel.scores import Floats, Ints, Proportions, ScoreKey, Scores, divide
from isogloss.kernel.sums import Sums
from isogloss.tasks.classification.definition_options import Averaging, DefinitionOptions
from isogloss.tasks.classification.label_matrix import LabelledDocuments
from isogloss.tasks.classification.metric import (
    LABEL_GROUP,
    LabelOutcomes,
    MultiLabel,
    SingleLabel,
    compute_proportions,
)
from isogloss.tasks.classification.ranking import RANKING_GROUP as RANKING
from isogloss.tasks.classification.ranking import ROC_AUC, RankingAreas, build_ranking, concatenate_draws, stack_draws

ScoreNumbers = Mapping[ScoreKey, int | float]


@dataclass(frozen=True)
class ClassificationScoring:
    """A definition of scores.

    Args:
        counted: what is counted of documents.
        ordering: what is scored of their order.
        rank: what is ranked of documents with scores.
        native: keys and values as the tool itself writes them, from the numbers; None where there is no such tool.
    """

    count_metric: Metric[LabelledDocuments]
    order_metric: OrderMetric
    rank: Callable[[LabelledDocuments], Ranking]
    tool_output: Callable[[ScoreNumbers], Mapping[str, Any]] | None = None


def make_scoring(options: DefinitionOptions, documents: LabelledDocuments) -> ClassificationScoring:
    """The default definition for documents with these labels."""
    labels = tuple(sorted(documents.labels))
    counted: SingleLabel | MultiLabel = SingleLabel(labels, options.averaging)
    if options.multi_label:
        counted = MultiLabel(labels, options.averaging, options.threshold, options.thresholds)
    return ClassificationScoring(counted, RankingAreas(options.best_threshold, options.averaging.beta), build_ranking)


SPACY_RATIOS = {"p": "precision", "r": "recall", "f": "f1"}
SpacyNumber = int | float
BINARY_LABELS = 2


def make_spacy_scoring(options: DefinitionOptions, documents: LabelledDocuments) -> ClassificationScoring:
    """The definition of spaCy for documents with these labels.

    Raises:
        UsageError: for options that spaCy does not have.
        DataError: the documents have no scores.
    """
    if options.thresholds or options.averaging != Averaging() or options.best_threshold:
        has = "one threshold and positive_label"
        raise UsageError(f"The profile spacy has {has} only: other thresholds, beta and means cannot be set.")
    if documents.scores is None:
        raise DataError("the profile spacy needs a score for each label", remedy="Give JSON lines with `scores`.")
    labels = keep_scored_labels(documents).labels
    positive = options.positive_label
    if positive is not None and (positive not in labels or len(labels) != BINARY_LABELS or options.multi_label):
        raise UsageError(f"positive_label is one of two labels that exclude each other, not {positive!r}.")
    counted: SingleLabel | MultiLabel = SingleLabel(labels, first_column=True)
    if options.multi_label:
        counted = MultiLabel(labels, threshold=options.threshold)
    native = partial(to_spacy_cats, labels=labels, multi_label=options.multi_label, positive_label=positive)
    return ClassificationScoring(SpacyDecisions(counted), SpacyAreas(), rank_scored_labels, native)


@dataclass(frozen=True)
class SpacyDecisions:
    """What spaCy counts of labels that were given.

    Args:
        counted: how documents are counted: `Exclusive` or `MultiLabel`.
    """

    label_metric: SingleLabel | MultiLabel

    def count(self, batch: LabelledDocuments) -> Counts:
        """Counts of the labels that have scores."""
        known = keep_scored_labels(batch)
        return self.label_metric.count(
            known if isinstance(self.label_metric, SingleLabel) else fill_missing_scores(known)
        )

    def overall(self, sums: Sums) -> Scores:
        """The scores of all labels together."""
        outcomes = self.label_metric.count_outcomes(sums)
        total = (counts.sum(axis=-1) for counts in (outcomes.tp, outcomes.fp, outcomes.fn))
        return {("micro", name): value for name, value in _compute_ratios(*total).items()}

    def score(self, sums: Sums) -> Scores:
        """The overall scores, those of each label and their mean."""
        outcomes = self.label_metric.count_outcomes(sums)
        ratios = _compute_ratios(outcomes.tp, outcomes.fp, outcomes.fn)
        scores = self.overall(sums) | _score_by_label(outcomes, ratios)
        for name, values in ratios.items():
            scores["macro", LABEL_GROUP, name] = values.sum(axis=-1) / max(1, len(outcomes.labels))
        return scores

    def proportions(self, sums: Sums) -> Proportions:
        """Precision and recall."""
        return compute_proportions(self.score(sums), self.label_metric.count_outcomes(sums))


@dataclass(frozen=True)
class SpacyAreas:
    """The areas under ROC curves as spaCy has them."""

    def score(self, ranking: Ranking) -> Scores:
        """The area of each label, and their sum divided by the number of labels."""
        areas = {name: ranking.get_order(name).find_positive_steps().compute_roc_auc() for name in ranking.classes}
        by_label: Scores = {("by_label", name, RANKING, ROC_AUC): np.asarray(area) for name, area in areas.items()}
        return by_label | {(ROC_AUC, "macro"): _average_areas(np.array(list(areas.values()), np.float64))}

    def influence(self, ranking: Ranking) -> Influence:
        """The area of each label, and their sum divided by the number of labels."""
        classes = compute_auc_influence(ranking, (RANKING, ROC_AUC))
        share = np.count_nonzero(~np.isnan(classes.estimates)) / max(1, len(classes.keys))
        estimate, values = classes.average_scores(classes.keys)
        return classes.add_scores({(ROC_AUC, "macro"): (estimate * share, values * share)})

    def weighted(self, ranking: Ranking, draws: Iterable[Ints]) -> Scores:
        """The areas for other weights of the documents: leading axis the draws."""
        classes = {name: WeightedOrder.from_class(ranking, name) for name in ranking.classes}
        return concatenate_draws(self._score_weighted(classes, weights) for weights in draws)

    @staticmethod
    def _score_weighted(classes: Mapping[str, WeightedOrder], weights: Ints) -> Scores:
        areas = {name: of.compute_areas(weights)[0] for name, of in classes.items()}
        by_label: Scores = {("by_label", name, RANKING, ROC_AUC): area for name, area in areas.items()}
        return by_label | {(ROC_AUC, "macro"): _average_areas(stack_draws(list(areas.values()), len(weights)))}


def keep_scored_labels(batch: LabelledDocuments) -> LabelledDocuments:
    """Only the labels that have scores.

    Raises:
        ValueError: if labels are named, without scores.
    """
    if batch.scores is None:
        raise ValueError("spaCy has a score for each label")
    kept = np.flatnonzero(~np.isneginf(batch.scores).all(axis=0))
    labels = tuple(batch.labels[k] for k in kept.tolist())
    return replace(batch, labels=labels, gold=batch.gold[:, kept], scores=batch.scores[:, kept])


def fill_missing_scores(batch: LabelledDocuments) -> LabelledDocuments:
    """0 where a document has no score for a label."""
    assert batch.scores is not None  # noqa: S101  asked for of scores only
    return replace(batch, scores=np.where(np.isneginf(batch.scores), 0.0, batch.scores))


def rank_scored_labels(batch: LabelledDocuments) -> Ranking:
    """The scores of each label that has some."""
    return build_ranking(fill_missing_scores(keep_scored_labels(batch)))


def to_spacy_cats(
    numbers: Mapping[ScoreKey, SpacyNumber],
    labels: Iterable[str],
    *,
    multi_label: bool,
    positive_label: str | None = None,
) -> dict[str, Any]:
    """Keys and values as spaCy's `evaluate` writes them.

    Args:
        numbers: scores of `Decisions` and `Areas`.
        labels: the labels that have scores, in their order.
        multi_label: whether a document may have several labels.
        positive_label: of two labels that exclude each other, the one whose F is `cats_score`.
    """
    labels = list(labels)
    micro = {f"cats_micro_{key}": numbers["micro", name] for key, name in SPACY_RATIOS.items()}
    macro = {f"cats_macro_{key}": numbers["macro", LABEL_GROUP, name] for key, name in SPACY_RATIOS.items()}
    per_type = {
        label: {key: numbers["by_label", label, LABEL_GROUP, name] for key, name in SPACY_RATIOS.items()}
        for label in labels
    }
    areas = {label: numbers["by_label", label, RANKING, ROC_AUC] for label in labels}
    score, said = (numbers[ROC_AUC, "macro"], "macro AUC") if multi_label else (macro["cats_macro_f"], "macro F")
    if positive_label is not None:
        score, said = per_type[positive_label]["f"], f"F ({positive_label})"
    return {
        "cats_score": score,
        "cats_score_desc": said,
        **micro,
        **macro,
        "cats_macro_auc": numbers[ROC_AUC, "macro"],
        "cats_f_per_type": per_type,
        "cats_auc_per_type": {label: None if np.isnan(area) else area for label, area in areas.items()},
    }


def _compute_ratios(tp: Ints, fp: Ints, fn: Ints) -> dict[str, Floats]:
    precision, recall = divide(tp, tp + fp, 0.0), divide(tp, tp + fn, 0.0)
    return {"precision": precision, "recall": recall, "f1": 2 * divide(precision * recall, precision + recall, 0.0)}


def _score_by_label(outcomes: LabelOutcomes, ratios: Mapping[str, Floats]) -> Scores:
    support = outcomes.tp + outcomes.fn
    counts = {"tp": outcomes.tp, "fp": outcomes.fp, "fn": outcomes.fn, "tn": outcomes.tn, "support": support}
    return {
        ("by_label", label, LABEL_GROUP, name): value[..., k]
        for k, label in enumerate(outcomes.labels)
        for name, value in (dict(ratios) | counts).items()
    }


def _average_areas(areas: Floats) -> Floats:
    """Undefined areas (..., labels) as 0: (...)."""
    mean: Floats = np.nansum(areas, axis=-1) / max(1, areas.shape[-1])
    return mean
