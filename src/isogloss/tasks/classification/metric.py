"""Count labels, and score classification by label and over labels.

The scores are accuracy, precision, recall and F.

Definition
    1. A document counts for a label as tp (label in reference and prediction), fp (prediction only), fn (reference
       only) or tn (neither). If the reference does not say whether a document has the label, it counts as nothing.
    2. support = tp + fn, precision = tp / (tp + fp), recall = tp / (tp + fn),
       F = (1 + beta²) tp / ((1 + beta²) tp + beta² fn + fp).
    3. `micro` adds tp, fp and fn over all labels first.
    4. 0/0 is undefined. Macro and weighted means run over the labels with tp + fp + fn > 0, or with support > 0 if
       `macro_over` is "reference". They skip undefined values and report the number of labels used; weighted means
       weigh by support.
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
    Scores,
    average_defined,
    compute_f_measure,
    divide,
)
from isogloss.kernel.sums import Sums
from isogloss.tasks.classification.label_matrix import LabelledDocuments
from isogloss.tasks.classification.options import DEFAULT_THRESHOLD, Averaging

LABEL_GROUP = "label"


@dataclass(frozen=True, eq=False)
class LabelOutcomes:
    """Outcomes by label: (..., labels) each.

    Args:
        labels: the labels, ascending.
        tp: documents with the label in reference and prediction.
        fp: documents with the label in the prediction only.
        fn: documents with the label in the reference only.
        tn: documents without the label on either side.
    """

    labels: tuple[str, ...]
    tp: Ints
    fp: Ints
    fn: Ints
    tn: Ints


def list_all_labels(sums: Sums, known: tuple[str, ...]) -> tuple[str, ...]:
    """Return the known labels and those of the cells, ascending."""
    counted = {name for part in ("reference", "predicted") for name in sums.get_names(part) if name is not None}
    return tuple(sorted(counted.union(known)))


def split_by_label(sums: Sums, column: str, labels: tuple[str, ...]) -> tuple[Ints, Ints, Ints]:
    """Split the sums of a column by label and by side.

    The three parts are labels on both sides, in the reference only, and in the prediction only.

    Args:
        sums: sums of counts with leading axes (...).
        column: name of the column.
        labels: labels of the result, in order.

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
    """Return precision, recall and F over all labels."""
    tp, fp, fn = (counts.sum(axis=-1) for counts in (outcomes.tp, outcomes.fp, outcomes.fn))
    scores: Scores = {("micro", name): value for name, value in _compute_ratios(tp, fp, fn, averaging).items()}
    return scores if averaging.beta == 1 else scores | {("micro", "beta"): np.full(tp.shape, averaging.beta)}


def score_by_label(outcomes: LabelOutcomes, averaging: Averaging) -> Scores:
    """Return the scores of each label, and their macro and weighted means."""
    ratios = _compute_ratios(outcomes.tp, outcomes.fp, outcomes.fn, averaging)
    return list_label_scores(outcomes, ratios) | _average_labels(outcomes, ratios, averaging)


def list_label_scores(outcomes: LabelOutcomes, ratios: Mapping[str, NDArray[Any]]) -> Scores:
    """Return ratios and counts of each label by score key.

    Args:
        outcomes: counts by label.
        ratios: (..., labels) by name.
    """
    support = outcomes.tp + outcomes.fn
    counts = {"tp": outcomes.tp, "fp": outcomes.fp, "fn": outcomes.fn, "tn": outcomes.tn, "support": support}
    return {
        ("by_label", label, LABEL_GROUP, name): value[..., k]
        for k, label in enumerate(outcomes.labels)
        for name, value in (dict(ratios) | counts).items()
    }


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
    """The metric of documents with one label each.

    Args:
        labels: labels that are scored even if neither side has them.
        averaging: options of ratios and means.
        first_column: how ties of scores are broken: by the first column if true, else by the first name.
    """

    labels: tuple[str, ...] = ()
    averaging: Averaging = field(default_factory=Averaging)
    first_column: bool = False

    def count(self, batch: LabelledDocuments) -> Counts:
        """Count each document once."""
        parts = {
            "reference": (_find_only_column(batch.gold == 1), batch.labels),
            "predicted": (choose_label(batch, first_column=self.first_column), batch.labels),
        }
        return Counts.build(batch.documents, {"documents": np.ones(len(batch.documents), np.int64)}, parts=parts)

    def overall(self, sums: Sums) -> Scores:
        """Return accuracy, and the micro-averaged scores."""
        return _score_overall(_count_correct(sums), sums, self.count_outcomes(sums), self.averaging)

    def score(self, sums: Sums) -> Scores:
        """Return overall scores, scores by label, means and numbers of findings.

        The means are over labels. Findings are counted by kind.
        """
        return self.overall(sums) | score_by_label(self.count_outcomes(sums), self.averaging) | _count_kinds(sums)

    def count_outcomes(self, sums: Sums) -> LabelOutcomes:
        """Return the outcomes by label."""
        labels = list_all_labels(sums, self.labels)
        tp, fn, fp = split_by_label(sums, "documents", labels)
        total = sums.get_column("documents").sum(axis=-1)
        return LabelOutcomes(labels, tp, fp, fn, total[..., None] - tp - fp - fn)

    def confusion(self, sums: Sums) -> dict[tuple[CellName, CellName], int]:
        """Return the number of documents by (reference label, predicted label)."""
        return {
            (own, other): int(n) for (own, other), n in zip(sums.cells, sums.get_column("documents"), strict=True) if n
        }


def _score_overall(correct: Ints, sums: Sums, outcomes: LabelOutcomes, averaging: Averaging) -> Scores:
    total = sums.get_column("documents").sum(axis=-1)
    accuracy = divide(correct, total, averaging.zero_division)
    scores: Scores = {
        ("overall", name): value for name, value in (("accuracy", accuracy), ("correct", correct), ("total", total))
    }
    return scores | score_micro(outcomes, averaging)


def choose_label(batch: LabelledDocuments, *, first_column: bool = False) -> Ints:
    """Return the predicted label of each document, -1 for no label: (documents,).

    Args:
        batch: documents with at most one label each, or with scores.
        first_column: how ties of scores are broken: by the first column if true, else by the first name.
    """
    if batch.scores is None:
        assert batch.chosen is not None  # noqa: S101  the batch checks it
        return _find_only_column(batch.chosen)
    if not batch.scores.size:
        return np.full(len(batch.documents), -1)
    chosen, highest = _find_highest(batch.scores)
    for row in () if first_column else np.flatnonzero(_has_ties(batch.scores, highest)).tolist():
        columns = np.flatnonzero(batch.scores[row] == highest[row]).tolist()
        chosen[row] = min(columns, key=batch.labels.__getitem__)
    return np.where(np.isneginf(highest), -1, chosen)


def find_ties(batch: LabelledDocuments) -> NDArray[np.bool_]:
    """Return whether several labels of each document share the highest score: (documents,)."""
    if batch.scores is None or not batch.scores.size:
        return np.zeros(len(batch.documents), np.bool_)
    return _has_ties(batch.scores, _find_highest(batch.scores)[1])


def _find_highest(scores: Floats) -> tuple[Ints, Floats]:
    """Return the first column with the highest score, and that score.

    Both results are (documents,).
    """
    column = scores.argmax(axis=1)
    return column, scores[np.arange(len(column)), column]


def _has_ties(scores: Floats, highest: Floats) -> NDArray[np.bool_]:
    """Return whether each document has its highest score several times: (documents,)."""
    equal = scores == highest[:, None]  # (documents, labels)
    if np.count_nonzero(equal) == len(highest):  # the usual case needs no sum over each row
        return np.zeros(len(highest), np.bool_)
    several: NDArray[np.bool_] = (equal.sum(axis=1) > 1) & ~np.isneginf(highest)
    return several


def _find_only_column(given: NDArray[np.bool_]) -> Ints:
    """Return the column of the only true value of each row.

    The result is (rows,), and -1 if the row has no true value.
    """
    row, column = np.nonzero(given)
    result = np.full(len(given), -1)
    result[row] = column
    return result


def _count_correct(sums: Sums) -> Ints:
    """Count documents with the same label, or none, on both sides.

    The result is (...).
    """
    equal = np.array([own == other for own, other in sums.cells], np.bool_)
    right: Ints = sums.get_column("documents")[..., equal].sum(axis=-1)
    return right


def _count_kinds(sums: Sums) -> Scores:
    """Return the number of documents by kind of finding."""
    documents = sums.get_column("documents")
    missed = np.array([own is not None and other is None for own, other in sums.cells], np.bool_)
    spurious = np.array([own is None and other is not None for own, other in sums.cells], np.bool_)
    wrong = np.array([None not in cell and cell[0] != cell[1] for cell in sums.cells], np.bool_)
    kinds = {"wrong_label": wrong, "missed": missed, "spurious": spurious}
    scores: Scores = {("findings", "correct"): _count_correct(sums)}
    return scores | {("findings", kind): documents[..., chosen].sum(axis=-1) for kind, chosen in kinds.items()}


@dataclass(frozen=True)
class MultiLabel:
    """The metric of documents with any number of labels.

    Args:
        labels: labels that are scored even if neither side has them.
        averaging: options of ratios and means.
        threshold: lowest score with which a label is predicted.
        thresholds: thresholds of single labels.
    """

    labels: tuple[str, ...] = ()
    averaging: Averaging = field(default_factory=Averaging)
    threshold: float = DEFAULT_THRESHOLD
    thresholds: Mapping[str, float] = field(default_factory=dict)

    def count(self, batch: LabelledDocuments) -> Counts:
        """Count each document once, and each of its labels once.

        A label of a document counts once on either side.
        """
        known, in_reference = batch.gold >= 0, batch.gold == 1
        chosen = choose_labels(batch, self.threshold, self.thresholds) & known
        masks = (in_reference & chosen, in_reference & ~chosen, chosen & ~in_reference, ~known)
        cells = [np.nonzero(mask) for mask in masks]
        rows, codes = ([cell[k] for cell in cells] for k in (0, 1))
        none = [np.full(len(row), -1) for row in rows]
        number = len(batch.documents)
        correct = (in_reference == chosen).all(axis=1)
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
        """Return accuracy, and the micro-averaged scores."""
        correct = sums.get_column("correct").sum(axis=-1)
        return _score_overall(correct, sums, self.count_outcomes(sums), self.averaging)

    def score(self, sums: Sums) -> Scores:
        """Return overall scores, scores by label, means and numbers of findings.

        The means are over labels. Findings are counted by kind.
        """
        outcomes = self.count_outcomes(sums)
        kinds = {"correct": outcomes.tp, "missed": outcomes.fn, "spurious": outcomes.fp}
        counts = {("findings", kind): number.sum(axis=-1) for kind, number in kinds.items()}
        return self.overall(sums) | score_by_label(outcomes, self.averaging) | counts

    def count_outcomes(self, sums: Sums) -> LabelOutcomes:
        """Return the outcomes by label."""
        labels = list_all_labels(sums, self.labels)
        tp, fn, fp = split_by_label(sums, "labels", labels)
        unsaid = split_by_label(sums, "unsaid", labels)[0]
        total = sums.get_column("documents").sum(axis=-1)
        return LabelOutcomes(labels, tp, fp, fn, total[..., None] - unsaid - tp - fp - fn)


def choose_labels(batch: LabelledDocuments, threshold: float, thresholds: Mapping[str, float]) -> NDArray[np.bool_]:
    """Return whether each label of each document is predicted: (documents, labels).

    Args:
        batch: documents with labels or scores.
        threshold: lowest score with which a label is predicted.
        thresholds: thresholds of single labels.
    """
    if batch.scores is None:
        assert batch.chosen is not None  # noqa: S101  the batch checks it
        return batch.chosen
    least = np.array([thresholds.get(label, threshold) for label in batch.labels], np.float64)  # (labels,)
    return batch.scores >= least


def _mark_parts(sizes: list[int], parts: set[int]) -> Ints:
    """Return 1 in the given parts of an array, else 0.

    The parts of the array have the given sizes.
    """
    return np.repeat(np.array([k in parts for k in range(len(sizes))], np.int64), sizes)
