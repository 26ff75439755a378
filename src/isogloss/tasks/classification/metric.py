"""Precision, recall and F of labels and of their means, from how often each label was right, wrong and left out.

Definition
    1. tp, fp, fn and tn of a label are documents that have it and were given it, were given it without having it, have
       it without being given it, and neither. Documents of which nobody said whether they have the label are in none.
    2. support = tp + fn, precision = tp / (tp + fp), recall = tp / (tp + fn),
       F = (1 + beta²) tp / ((1 + beta²) tp + beta² fn + fp).
    3. `micro` adds tp, fp and fn of all labels first.
    4. 0/0 is undefined. Macro and weighted means run over labels with tp + fp + fn > 0 (`macro_over="reference"`: with
       support), skip what is undefined and say how many labels they used; weights are the support.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import CellName, Counts
from isogloss.kernel.scores import (
    Floats,
    Ints,
    Proportion,
    Proportions,
    Scores,
    average_defined,
    compute_f_measure,
    divide,
    find_proportions,
)
from isogloss.kernel.sums import Sums
from isogloss.tasks.classification.definition_options import DEFAULT, Averaging
from isogloss.tasks.classification.label_matrix import LabelledDocuments

LABEL_GROUP = "label"
CLASSIFICATION_PROPORTIONS = (
    Proportion("accuracy", "correct", ("total",)),
    Proportion("precision", "tp", ("tp", "fp")),
    Proportion("recall", "tp", ("tp", "fn")),
)


@dataclass(frozen=True, eq=False)
class LabelOutcomes:
    """How often each label was right, wrong and left out: (..., labels) each.

    Args:
        labels: the labels, ascending.
        tp: documents that have the label and were given it.
        fp: documents that were given it without having it.
        fn: documents that have it without being given it.
        tn: documents that neither have it nor were given it.
    """

    labels: tuple[str, ...]
    tp: Ints
    fp: Ints
    fn: Ints
    tn: Ints


def list_all_labels(sums: Sums, known: tuple[str, ...]) -> tuple[str, ...]:
    """The labels of the cells and those known beside them, ascending."""
    met = {name for part in ("reference", "predicted") for name in sums.get_names(part) if name is not None}
    return tuple(sorted(met.union(known)))


def split_by_label(sums: Sums, column: str, labels: tuple[str, ...]) -> tuple[Ints, Ints, Ints]:
    """A column added up by label: where a cell has it on both sides, only in the reference, only in the prediction.

    Returns:
        (..., labels) each.
    """
    place = {name: k for k, name in enumerate(labels)}
    values = sums.get_column(column)  # (..., cells)
    both, reference, predicted = (np.zeros((*values.shape[:-1], len(labels)), np.int64) for _ in range(3))
    for k, (own, other) in enumerate(sums.cells):
        if own is not None and own == other:
            both[..., place[own]] += values[..., k]
            continue
        if own is not None:
            reference[..., place[own]] += values[..., k]
        if other is not None:
            predicted[..., place[other]] += values[..., k]
    return both, reference, predicted


def score_micro(outcomes: LabelOutcomes, averaging: Averaging) -> Scores:
    """Precision, recall and F of all labels together."""
    tp, fp, fn = (counts.sum(axis=-1) for counts in (outcomes.tp, outcomes.fp, outcomes.fn))
    scores: Scores = {("micro", name): value for name, value in _compute_ratios(tp, fp, fn, averaging).items()}
    return scores if averaging.beta == 1 else scores | {("micro", "beta"): np.full(tp.shape, averaging.beta)}


def score_by_label(outcomes: LabelOutcomes, averaging: Averaging) -> Scores:
    """The scores of each label, and their macro and weighted means."""
    tp, fp, fn = outcomes.tp, outcomes.fp, outcomes.fn
    ratios = _compute_ratios(tp, fp, fn, averaging)
    counts = {"tp": tp, "fp": fp, "fn": fn, "tn": outcomes.tn, "support": tp + fn}
    scores: Scores = {
        ("by_label", label, LABEL_GROUP, name): value[..., k]
        for k, label in enumerate(outcomes.labels)
        for name, value in (ratios | counts).items()
    }
    return scores | _average_labels(outcomes, ratios, averaging)


def compute_proportions(scores: Scores, outcomes: LabelOutcomes) -> Proportions:
    """Accuracy, and precision and recall of all labels together and of each.

    Args:
        scores: without leading axes.
        outcomes: those that the scores are made of.
    """
    found = find_proportions(scores, CLASSIFICATION_PROPORTIONS)
    tp, fp, fn = (int(counts.sum()) for counts in (outcomes.tp, outcomes.fp, outcomes.fn))
    return found | {("micro", "precision"): (tp, tp + fp), ("micro", "recall"): (tp, tp + fn)}


def _compute_ratios(tp: Ints, fp: Ints, fn: Ints, averaging: Averaging) -> dict[str, NDArray[Any]]:
    actual, possible = tp + fp, tp + fn
    return {
        "precision": divide(tp, actual, averaging.zero_division),
        "recall": divide(tp, possible, averaging.zero_division),
        averaging.f_name: compute_f_measure(tp, actual, tp, possible, averaging.beta, averaging.zero_division),
    }


def _average_labels(outcomes: LabelOutcomes, ratios: Mapping[str, NDArray[Any]], averaging: Averaging) -> Scores:
    support = outcomes.tp + outcomes.fn
    seen = support > 0 if averaging.macro_over == "reference" else support + outcomes.fp > 0
    scores: Scores = {}
    for group, weights in (("macro", np.ones_like(support)), ("weighted", support)):
        for name, values in ratios.items():
            mean, used = average_defined(np.where(seen, values, np.nan), weights)
            scores |= {(group, LABEL_GROUP, name): mean, (group, LABEL_GROUP, f"{name}_labels"): used}
        scores[group, LABEL_GROUP, "labels"] = seen.sum(axis=-1)
    return scores


@dataclass(frozen=True)
class SingleLabel:
    """Documents with one label each.

    Args:
        labels: labels that are scored also where no document has them and none was given them.
        averaging: choices behind ratios and means.
        first_column: of labels with the same score, whether the first column is taken and not the first name.
    """

    labels: tuple[str, ...] = ()
    averaging: Averaging = field(default_factory=Averaging)
    first_column: bool = False

    def count(self, batch: LabelledDocuments) -> Counts:
        """One count per document."""
        parts = {
            "reference": (get_gold_labels(batch), batch.labels),
            "predicted": (choose_label(batch, first_column=self.first_column), batch.labels),
        }
        return Counts.build(batch.documents, {"documents": np.ones(len(batch.documents), np.int64)}, parts=parts)

    def overall(self, sums: Sums) -> Scores:
        """Accuracy, and the scores of all labels together."""
        correct = _count_correct(sums)
        total = sums.get_column("documents").sum(axis=-1)
        return {
            ("overall", "accuracy"): divide(correct, total, self.averaging.zero_division),
            ("overall", "correct"): correct,
            ("overall", "total"): total,
        } | score_micro(self.count_outcomes(sums), self.averaging)

    def score(self, sums: Sums) -> Scores:
        """The overall scores, those of each label, their means, and the number of each kind."""
        return self.overall(sums) | score_by_label(self.count_outcomes(sums), self.averaging) | _count_kinds(sums)

    def proportions(self, sums: Sums) -> Proportions:
        """Accuracy, precision and recall."""
        return compute_proportions(self.score(sums), self.count_outcomes(sums))

    def count_outcomes(self, sums: Sums) -> LabelOutcomes:
        """How often each label was right, wrong and left out."""
        labels = list_all_labels(sums, self.labels)
        tp, fn, fp = split_by_label(sums, "documents", labels)
        total = sums.get_column("documents").sum(axis=-1)
        return LabelOutcomes(labels, tp, fp, fn, total[..., None] - tp - fp - fn)

    def confusion(self, sums: Sums) -> dict[tuple[CellName, CellName], int]:
        """Documents by (label of the reference, label that was taken)."""
        return {
            (own, other): int(n) for (own, other), n in zip(sums.cells, sums.get_column("documents"), strict=True) if n
        }


def get_gold_labels(batch: LabelledDocuments) -> Ints:
    """The label of each document in the reference, -1 for none: (documents,)."""
    return _find_only_column(batch.gold == 1)


def choose_label(batch: LabelledDocuments, *, first_column: bool = False) -> Ints:
    """The label that each document is given, -1 for none: (documents,)."""
    if batch.scores is None:
        assert batch.chosen is not None  # noqa: S101  the batch checks it
        return _find_only_column(batch.chosen)
    if not batch.scores.size:
        return np.full(len(batch.documents), -1)
    taken, highest = _find_highest(batch.scores)
    for row in () if first_column else np.flatnonzero(_has_ties(batch.scores, highest)).tolist():
        columns = np.flatnonzero(batch.scores[row] == highest[row]).tolist()
        taken[row] = min(columns, key=batch.labels.__getitem__)
    return np.where(np.isneginf(highest), -1, taken)


def find_ties(batch: LabelledDocuments) -> NDArray[np.bool_]:
    """Documents with several labels that have the highest score: (documents,)."""
    if batch.scores is None or not batch.scores.size:
        return np.zeros(len(batch.documents), np.bool_)
    return _has_ties(batch.scores, _find_highest(batch.scores)[1])


def _find_highest(scores: Floats) -> tuple[Ints, Floats]:
    """The first column with the highest score, and that score: (documents,) each."""
    column = scores.argmax(axis=1)
    return column, scores[np.arange(len(column)), column]


def _has_ties(scores: Floats, highest: Floats) -> NDArray[np.bool_]:
    """Documents that have their highest score several times: (documents,)."""
    equal = scores == highest[:, None]  # (documents, labels)
    if np.count_nonzero(equal) == len(highest):  # the usual case, without a sum over each row
        return np.zeros(len(highest), np.bool_)
    several: NDArray[np.bool_] = (equal.sum(axis=1) > 1) & ~np.isneginf(highest)
    return several


def _find_only_column(given: NDArray[np.bool_]) -> Ints:
    """The column of the one true value of each row, -1 where there is none: (rows,)."""
    row, column = np.nonzero(given)
    result = np.full(len(given), -1)
    result[row] = column
    return result


def _count_correct(sums: Sums) -> Ints:
    """Documents with equal labels on both sides, or none on either: (...)."""
    equal = np.array([own == other for own, other in sums.cells], np.bool_)
    right: Ints = sums.get_column("documents")[..., equal].sum(axis=-1)
    return right


def _count_kinds(sums: Sums) -> Scores:
    """How many documents there are of each kind."""
    documents = sums.get_column("documents")
    missed = np.array([own is not None and other is None for own, other in sums.cells], np.bool_)
    spurious = np.array([own is None and other is not None for own, other in sums.cells], np.bool_)
    wrong = np.array([None not in cell and cell[0] != cell[1] for cell in sums.cells], np.bool_)
    kinds = {"wrong_label": wrong, "missed": missed, "spurious": spurious}
    scores: Scores = {("findings", "correct"): _count_correct(sums)}
    return scores | {("findings", kind): documents[..., chosen].sum(axis=-1) for kind, chosen in kinds.items()}


@dataclass(frozen=True)
class MultiLabel:
    """Documents with any number of labels.

    Args:
        labels: labels that are scored also where no document has them and none was given them.
        averaging: choices behind ratios and means.
        threshold: a label is taken when its score is at least this.
        thresholds: other thresholds for some labels.
    """

    labels: tuple[str, ...] = ()
    averaging: Averaging = field(default_factory=Averaging)
    threshold: float = DEFAULT
    thresholds: Mapping[str, float] = field(default_factory=dict)

    def count(self, batch: LabelledDocuments) -> Counts:
        """One count per document, and one per label that it has or was given."""
        taken = choose_labels(batch, self.threshold, self.thresholds)
        had, told = batch.gold == 1, batch.gold >= 0
        taken &= told
        cells = [np.nonzero(mask) for mask in (had & taken, had & ~taken, taken & ~had, ~told)]
        rows, codes = ([cell[k] for cell in cells] for k in (0, 1))
        none = [np.full(len(row), -1) for row in rows]
        number = len(batch.documents)
        correct = (had == taken).all(axis=1)
        sizes = [number, *map(len, rows)]
        reference = np.concatenate([np.full(number, -1), codes[0], codes[1], none[2], codes[3]])
        predicted = np.concatenate([np.full(number, -1), codes[0], none[1], codes[2], codes[3]])
        columns = {
            "documents": _mark_parts(sizes, {0}),
            "correct": np.concatenate([correct, np.zeros(sum(sizes[1:]), np.bool_)]),
            "labels": _mark_parts(sizes, {1, 2, 3}),
            "unsaid": _mark_parts(sizes, {4}),
        }
        return Counts.build(
            batch.documents,
            columns,
            row=np.concatenate([np.arange(number), *rows]),
            parts={"reference": (reference, batch.labels), "predicted": (predicted, batch.labels)},
        )

    def overall(self, sums: Sums) -> Scores:
        """Accuracy, and the scores of all labels together."""
        correct, total = (sums.get_column(name).sum(axis=-1) for name in ("correct", "documents"))
        return {
            ("overall", "accuracy"): divide(correct, total, self.averaging.zero_division),
            ("overall", "correct"): correct,
            ("overall", "total"): total,
        } | score_micro(self.count_outcomes(sums), self.averaging)

    def score(self, sums: Sums) -> Scores:
        """The overall scores, those of each label, their means, and the number of each kind."""
        outcomes = self.count_outcomes(sums)
        kinds = {"correct": outcomes.tp, "missed": outcomes.fn, "spurious": outcomes.fp}
        counts = {("findings", kind): number.sum(axis=-1) for kind, number in kinds.items()}
        return self.overall(sums) | score_by_label(outcomes, self.averaging) | counts

    def proportions(self, sums: Sums) -> Proportions:
        """Accuracy, precision and recall."""
        return compute_proportions(self.score(sums), self.count_outcomes(sums))

    def count_outcomes(self, sums: Sums) -> LabelOutcomes:
        """How often each label was right, wrong and left out."""
        labels = list_all_labels(sums, self.labels)
        tp, fn, fp = split_by_label(sums, "labels", labels)
        unsaid = split_by_label(sums, "unsaid", labels)[0]
        total = sums.get_column("documents").sum(axis=-1)
        return LabelOutcomes(labels, tp, fp, fn, total[..., None] - unsaid - tp - fp - fn)


def choose_labels(batch: LabelledDocuments, threshold: float, thresholds: Mapping[str, float]) -> NDArray[np.bool_]:
    """Which labels each document is given: (documents, labels)."""
    if batch.scores is None:
        assert batch.chosen is not None  # noqa: S101  the batch checks it
        return batch.chosen.copy()
    least = np.array([thresholds.get(label, threshold) for label in batch.labels], np.float64)  # (labels,)
    return batch.scores >= least


def _mark_parts(sizes: list[int], parts: set[int]) -> Ints:
    """1 in some of consecutive parts of these sizes, else 0."""
    return np.repeat(np.array([k in parts for k in range(len(sizes))], np.int64), sizes)
