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
from isogloss.kernel.ranking import Influence, Ranking, Weighted, auc_influence
from isogloss.kernel.scores import Floats, Ints, Key, Proportions, Scores, ratio
from isogloss.kernel.sums import Sums
from isogloss.tasks.classification.definition_options import Averaging, DefinitionOptions
from isogloss.tasks.classification.label_matrix import LabelledDocuments
from isogloss.tasks.classification.metric import GROUP, Exclusive, MultiLabel, Outcomes, proportions
from isogloss.tasks.classification.ranking import AUC, Ordering, joined, ranking_of, stacked
from isogloss.tasks.classification.ranking import GROUP as RANKING

Numbers = Mapping[Key, int | float]


@dataclass(frozen=True)
class Scoring:
    """A definition of scores.

    Args:
        counted: what is counted of documents.
        ordering: what is scored of their order.
        rank: what is ranked of documents with scores.
        native: keys and values as the tool itself writes them, from the numbers; None where there is no such tool.
    """

    counted: Metric[LabelledDocuments]
    ordering: OrderMetric
    rank: Callable[[LabelledDocuments], Ranking]
    native: Callable[[Numbers], Mapping[str, Any]] | None = None


def make_scoring(options: DefinitionOptions, documents: LabelledDocuments) -> Scoring:
    """The default definition for documents with these labels."""
    labels = tuple(sorted(documents.labels))
    counted: Exclusive | MultiLabel = Exclusive(labels, options.averaging)
    if options.multi_label:
        counted = MultiLabel(labels, options.averaging, options.threshold, options.thresholds)
    return Scoring(counted, Ordering(options.best, options.averaging.beta), ranking_of)


RATIOS = {"p": "precision", "r": "recall", "f": "f1"}
Number = int | float
TWO = 2


def make_spacy_scoring(options: DefinitionOptions, documents: LabelledDocuments) -> Scoring:
    """The definition of spaCy for documents with these labels.

    Raises:
        UsageError: for options that spaCy does not have.
        DataError: the documents have no scores.
    """
    if options.thresholds or options.averaging != Averaging() or options.best:
        has = "one threshold and positive_label"
        raise UsageError(f"The profile spacy has {has} only: other thresholds, beta and means cannot be set.")
    if documents.scores is None:
        raise DataError("the profile spacy needs a score for each label", remedy="Give JSON lines with `scores`.")
    labels = with_scores(documents).labels
    positive = options.positive_label
    if positive is not None and (positive not in labels or len(labels) != TWO or options.multi_label):
        raise UsageError(f"positive_label is one of two labels that exclude each other, not {positive!r}.")
    counted: Exclusive | MultiLabel = Exclusive(labels, first_column=True)
    if options.multi_label:
        counted = MultiLabel(labels, threshold=options.threshold)
    native = partial(cats, labels=labels, multi_label=options.multi_label, positive_label=positive)
    return Scoring(Decisions(counted), Areas(), ranked, native)


@dataclass(frozen=True)
class Decisions:
    """What spaCy counts of labels that were given.

    Args:
        counted: how documents are counted: `Exclusive` or `MultiLabel`.
    """

    counted: Exclusive | MultiLabel

    def count(self, batch: LabelledDocuments) -> Counts:
        """Counts of the labels that have scores."""
        known = with_scores(batch)
        return self.counted.count(known if isinstance(self.counted, Exclusive) else with_zeros(known))

    def overall(self, sums: Sums) -> Scores:
        """The scores of all labels together."""
        outcomes = self.counted.outcomes(sums)
        total = (counts.sum(axis=-1) for counts in (outcomes.tp, outcomes.fp, outcomes.fn))
        return {("micro", name): value for name, value in _ratios(*total).items()}

    def score(self, sums: Sums) -> Scores:
        """The overall scores, those of each label and their mean."""
        outcomes = self.counted.outcomes(sums)
        ratios = _ratios(outcomes.tp, outcomes.fp, outcomes.fn)
        scores = self.overall(sums) | _by_label(outcomes, ratios)
        for name, values in ratios.items():
            scores["macro", GROUP, name] = values.sum(axis=-1) / max(1, len(outcomes.labels))
        return scores

    def proportions(self, sums: Sums) -> Proportions:
        """Precision and recall."""
        return proportions(self.score(sums), self.counted.outcomes(sums))


@dataclass(frozen=True)
class Areas:
    """The areas under ROC curves as spaCy has them."""

    def score(self, ranking: Ranking) -> Scores:
        """The area of each label, and their sum divided by the number of labels."""
        areas = {name: ranking.order_of(name).rises().roc_auc() for name in ranking.classes}
        by_label: Scores = {("by_label", name, RANKING, AUC): np.asarray(area) for name, area in areas.items()}
        return by_label | {(AUC, "macro"): _mean_of_all(np.array(list(areas.values()), np.float64))}

    def influence(self, ranking: Ranking) -> Influence:
        """The area of each label, and their sum divided by the number of labels."""
        classes = auc_influence(ranking, (RANKING, AUC))
        share = np.count_nonzero(~np.isnan(classes.estimates)) / max(1, len(classes.keys))
        estimate, values = classes.mean(classes.keys)
        return classes.with_scores({(AUC, "macro"): (estimate * share, values * share)})

    def weighted(self, ranking: Ranking, draws: Iterable[Ints]) -> Scores:
        """The areas for other weights of the documents: leading axis the draws."""
        classes = {name: Weighted.of_class(ranking, name) for name in ranking.classes}
        return joined(self._weighted(classes, weights) for weights in draws)

    @staticmethod
    def _weighted(classes: Mapping[str, Weighted], weights: Ints) -> Scores:
        areas = {name: of.areas(weights)[0] for name, of in classes.items()}
        by_label: Scores = {("by_label", name, RANKING, AUC): area for name, area in areas.items()}
        return by_label | {(AUC, "macro"): _mean_of_all(stacked(list(areas.values()), len(weights)))}


def with_scores(batch: LabelledDocuments) -> LabelledDocuments:
    """Only the labels that have scores.

    Raises:
        ValueError: if labels are named, without scores.
    """
    if batch.scores is None:
        raise ValueError("spaCy has a score for each label")
    kept = np.flatnonzero(~np.isneginf(batch.scores).all(axis=0))
    labels = tuple(batch.labels[k] for k in kept.tolist())
    return replace(batch, labels=labels, gold=batch.gold[:, kept], scores=batch.scores[:, kept])


def with_zeros(batch: LabelledDocuments) -> LabelledDocuments:
    """0 where a document has no score for a label."""
    assert batch.scores is not None  # noqa: S101  asked for of scores only
    return replace(batch, scores=np.where(np.isneginf(batch.scores), 0.0, batch.scores))


def ranked(batch: LabelledDocuments) -> Ranking:
    """The scores of each label that has some."""
    return ranking_of(with_zeros(with_scores(batch)))


def cats(
    numbers: Mapping[Key, Number],
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
    micro = {f"cats_micro_{key}": numbers["micro", name] for key, name in RATIOS.items()}
    macro = {f"cats_macro_{key}": numbers["macro", GROUP, name] for key, name in RATIOS.items()}
    per_type = {
        label: {key: numbers["by_label", label, GROUP, name] for key, name in RATIOS.items()} for label in labels
    }
    areas = {label: numbers["by_label", label, RANKING, AUC] for label in labels}
    score, said = (numbers[AUC, "macro"], "macro AUC") if multi_label else (macro["cats_macro_f"], "macro F")
    if positive_label is not None:
        score, said = per_type[positive_label]["f"], f"F ({positive_label})"
    return {
        "cats_score": score,
        "cats_score_desc": said,
        **micro,
        **macro,
        "cats_macro_auc": numbers[AUC, "macro"],
        "cats_f_per_type": per_type,
        "cats_auc_per_type": {label: None if np.isnan(area) else area for label, area in areas.items()},
    }


def _ratios(tp: Ints, fp: Ints, fn: Ints) -> dict[str, Floats]:
    precision, recall = ratio(tp, tp + fp, 0.0), ratio(tp, tp + fn, 0.0)
    return {"precision": precision, "recall": recall, "f1": 2 * ratio(precision * recall, precision + recall, 0.0)}


def _by_label(outcomes: Outcomes, ratios: Mapping[str, Floats]) -> Scores:
    support = outcomes.tp + outcomes.fn
    counts = {"tp": outcomes.tp, "fp": outcomes.fp, "fn": outcomes.fn, "tn": outcomes.tn, "support": support}
    return {
        ("by_label", label, GROUP, name): value[..., k]
        for k, label in enumerate(outcomes.labels)
        for name, value in (dict(ratios) | counts).items()
    }


def _mean_of_all(areas: Floats) -> Floats:
    """Undefined areas (..., labels) as 0: (...)."""
    mean: Floats = np.nansum(areas, axis=-1) / max(1, areas.shape[-1])
    return mean
