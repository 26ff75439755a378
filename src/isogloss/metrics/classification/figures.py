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
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from isogloss.counts import Sums
from isogloss.scores import (
    Ints,
    Proportion,
    Proportions,
    Scores,
    f_measure,
    mean_defined,
    proportions_among,
    ratio,
)

GROUP = "label"
PROPORTIONS = (
    Proportion("accuracy", "correct", ("total",)),
    Proportion("precision", "tp", ("tp", "fp")),
    Proportion("recall", "tp", ("tp", "fn")),
)


@dataclass(frozen=True)
class Averaging:
    """The choices behind ratios and means.

    Args:
        zero_division: the value of 0/0.
        beta: weight of recall in the F-measure.
        macro_over: which labels enter a mean.
    """

    zero_division: float = field(default=np.nan)
    beta: float = 1.0
    macro_over: Literal["union", "reference"] = "union"

    @property
    def f_name(self) -> str:
        """What the F-measure is called."""
        return "f1" if self.beta == 1 else "f"


@dataclass(frozen=True, eq=False)
class Outcomes:
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


def labels_of(sums: Sums, known: tuple[str, ...]) -> tuple[str, ...]:
    """The labels of the cells and those known beside them, ascending."""
    met = {name for part in ("reference", "predicted") for name in sums.names(part) if name is not None}
    return tuple(sorted(met.union(known)))


def by_cell(sums: Sums, column: str, labels: tuple[str, ...]) -> tuple[Ints, Ints, Ints]:
    """A column added up by label: where a cell has it on both sides, only in the reference, only in the prediction.

    Returns:
        (..., labels) each.
    """
    place = {name: k for k, name in enumerate(labels)}
    values = sums.column(column)  # (..., cells)
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


def micro(outcomes: Outcomes, how: Averaging) -> Scores:
    """Precision, recall and F of all labels together."""
    tp, fp, fn = (counts.sum(axis=-1) for counts in (outcomes.tp, outcomes.fp, outcomes.fn))
    scores: Scores = {("micro", name): value for name, value in _ratios(tp, fp, fn, how).items()}
    return scores if how.beta == 1 else scores | {("micro", "beta"): np.full(tp.shape, how.beta)}


def by_label(outcomes: Outcomes, how: Averaging) -> Scores:
    """The scores of each label, and their macro and weighted means."""
    tp, fp, fn = outcomes.tp, outcomes.fp, outcomes.fn
    ratios = _ratios(tp, fp, fn, how)
    counts = {"tp": tp, "fp": fp, "fn": fn, "tn": outcomes.tn, "support": tp + fn}
    scores: Scores = {
        ("by_label", label, GROUP, name): value[..., k]
        for k, label in enumerate(outcomes.labels)
        for name, value in (ratios | counts).items()
    }
    return scores | _means(outcomes, ratios, how)


def proportions(scores: Scores, outcomes: Outcomes) -> Proportions:
    """Accuracy, and precision and recall of all labels together and of each.

    Args:
        scores: without leading axes.
        outcomes: those that the scores are made of.
    """
    found = proportions_among(scores, PROPORTIONS)
    tp, fp, fn = (int(counts.sum()) for counts in (outcomes.tp, outcomes.fp, outcomes.fn))
    return found | {("micro", "precision"): (tp, tp + fp), ("micro", "recall"): (tp, tp + fn)}


def _ratios(tp: Ints, fp: Ints, fn: Ints, how: Averaging) -> dict[str, NDArray[Any]]:
    actual, possible = tp + fp, tp + fn
    return {
        "precision": ratio(tp, actual, how.zero_division),
        "recall": ratio(tp, possible, how.zero_division),
        how.f_name: f_measure(tp, actual, tp, possible, how.beta, how.zero_division),
    }


def _means(outcomes: Outcomes, ratios: Mapping[str, NDArray[Any]], how: Averaging) -> Scores:
    support = outcomes.tp + outcomes.fn
    seen = support > 0 if how.macro_over == "reference" else support + outcomes.fp > 0
    scores: Scores = {}
    for group, weights in (("macro", np.ones_like(support)), ("weighted", support)):
        for name, values in ratios.items():
            mean, used = mean_defined(np.where(seen, values, np.nan), weights)
            scores |= {(group, GROUP, name): mean, (group, GROUP, f"{name}_labels"): used}
        scores[group, GROUP, "labels"] = seen.sum(axis=-1)
    return scores
