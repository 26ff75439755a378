"""Which scores of named entities are plain proportions: those whose spans are right or wrong, without half points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import Counts, Name
from isogloss.kernel.scores import (
    Ints,
    Proportion,
    Proportions,
    Scores,
    f_measure,
    mean_defined,
    proportions_among,
    ratio,
)
from isogloss.kernel.sums import Sums
from isogloss.spans.batches import SpanPairs
from isogloss.tasks.ner.events import KINDS, Events

PROPORTIONS = (
    Proportion("accuracy", "correct", ("total",)),
    Proportion("precision", "correct_predicted", ("actual",)),
    Proportion("precision", "correct", ("actual",)),
    Proportion("recall", "correct_reference", ("possible",)),
    Proportion("recall", "correct", ("possible",)),
)
HALVES = "partial"  # the schema that gives half points


def of_spans(scores: Scores) -> Proportions:
    """Precision and recall of all other schemas, and token accuracy.

    Args:
        scores: without leading axes.
    """
    return {key: counts for key, counts in proportions_among(scores, PROPORTIONS).items() if key[-2] != HALVES}


COLUMNS = ("same_bounds", "overlapping", "unpaired", "tokens_correct", "tokens_total")
OUTCOMES = ("correct", "incorrect", "partial", "missed", "spurious")
SCHEMAS: Mapping[str, tuple[str, ...]] = {  # the outcome of each kind
    "strict": ("correct", "incorrect", "incorrect", "incorrect", "missed", "spurious"),
    "exact": ("correct", "correct", "incorrect", "incorrect", "missed", "spurious"),
    "partial": ("correct", "correct", "partial", "partial", "missed", "spurious"),
    "type": ("correct", "incorrect", "correct", "incorrect", "missed", "spurious"),
}
OF_REFERENCE, OF_PREDICTION = OUTCOMES[:4], (*OUTCOMES[:3], "spurious")
Figures = dict[str, NDArray[Any]]
Parts = Mapping[str, tuple[Ints, Sequence[str]]]


@dataclass(frozen=True)
class NamedEntities:
    """The default metric of named entities.

    Args:
        beta: weight of recall in the F-measure; above 0.
        zero_division: the value of 0/0, nan for undefined.
        macro_over: which labels enter a mean: those of either side, or those of the reference.
    """

    beta: float = 1.0
    zero_division: float = np.nan
    macro_over: Literal["union", "reference"] = "union"

    def count(self, batch: SpanPairs) -> Counts:
        """The events of a batch, and its tokens where it has tags."""
        return self.counted(batch, Events.of(batch), {})

    def counted(self, batch: SpanPairs, events: Events, more: Parts) -> Counts:
        """The events of a batch, whose cells may have more parts than the labels.

        Args:
            batch: documents with spans.
            events: its events.
            more: per part of a cell the (events,) codes, -1 for none, and the names of the codes.
        """
        paired = (events.reference >= 0) & (events.predicted >= 0)
        columns = [events.same_bounds, paired & ~events.same_bounds, ~paired]
        row, reference, predicted = events.row, events.reference_label, events.predicted_label
        columns += [np.zeros(len(row), np.int64)] * 2
        parts: dict[str, tuple[Ints, Sequence[str]]] = {
            "reference": (reference, batch.labels),
            "predicted": (predicted, batch.labels),
            **more,
        }
        if batch.tokens is not None:
            number = len(batch.documents)
            none, zero = np.full(number, -1), np.zeros(number, np.int64)
            row = np.concatenate([row, np.arange(number)])
            parts = {name: (np.concatenate([codes, none]), names) for name, (codes, names) in parts.items()}
            tokens = (zero, zero, zero, batch.tokens.correct, batch.tokens.total)
            columns = [np.concatenate(pair) for pair in zip(columns, tokens, strict=True)]
        return Counts.build(batch.documents, dict(zip(COLUMNS, columns, strict=True)), row=row, parts=parts)

    def overall(self, sums: Sums) -> Scores:
        """Four schemas over all labels, token accuracy, and how many findings of each kind there are."""
        kinds = kinds_of(sums).sum(axis=-2)  # (..., kinds)
        scores: Scores = {}
        for schema in SCHEMAS:
            outcomes = outcomes_of(kinds, schema)
            scores |= {(schema, name): value for name, value in self.figures(outcomes, outcomes).items()}
            scores |= {(schema, name): outcomes[name] for name in OUTCOMES}
            if self.beta != 1:
                scores[schema, "beta"] = np.full(kinds.shape[:-1], self.beta)
        if (None, None) in sums.cells:
            at = sums.cells.index((None, None))
            correct, total = (sums.column(f"tokens_{name}")[..., at] for name in ("correct", "total"))
            accuracy = ratio(correct, total, self.zero_division)
            scores |= {("tokens", "accuracy"): accuracy, ("tokens", "correct"): correct, ("tokens", "total"): total}
        return scores

    def score(self, sums: Sums) -> Scores:
        """The overall scores, those of each label, their macro and weighted means, and the number of each kind."""
        labels, codes = labels_of(sums)
        kinds = kinds_of(sums)  # (..., cells, kinds)
        reference, predicted = (by_code(kinds, code, len(labels)) for code in codes)  # (..., labels, kinds)
        scores = self.overall(sums)
        for schema in SCHEMAS:
            sides = outcomes_of(reference, schema), outcomes_of(predicted, schema)
            figures = self.figures(*sides) | sided(*sides)
            for k, label in enumerate(labels):
                scores |= {("by_label", label, schema, name): value[..., k] for name, value in figures.items()}
            scores |= self._means(schema, figures)
        total = kinds.sum(axis=-2)
        return scores | {("findings", kind): total[..., k] for k, kind in enumerate(KINDS)}

    def confusion(self, sums: Sums) -> dict[tuple[Name, Name], int]:
        """Aligned pairs, missed and spurious spans by (reference label, predicted label)."""
        events = sums.column("same_bounds") + sums.column("overlapping") + sums.column("unpaired")
        return {(cell[0], cell[1]): int(n) for cell, n in zip(sums.cells, events, strict=True) if n}

    def proportions(self, sums: Sums) -> Proportions:
        """Precision and recall of the schemas without half points, and token accuracy."""
        return of_spans(self.score(sums))

    def figures(self, reference: Mapping[str, Ints], predicted: Mapping[str, Ints]) -> Figures:
        """Precision, recall and F from the outcomes on either side, with the spans they are over."""
        possible, actual = sum(reference[o] for o in OF_REFERENCE), sum(predicted[o] for o in OF_PREDICTION)
        right, found = (side["correct"] + side["partial"] / 2 for side in (reference, predicted))
        return {
            "precision": ratio(found, actual, self.zero_division),
            "recall": ratio(right, possible, self.zero_division),
            "f1" if self.beta == 1 else "f": f_measure(found, actual, right, possible, self.beta, self.zero_division),
            "possible": np.asarray(possible),
            "actual": np.asarray(actual),
        }

    def _means(self, schema: str, figures: Figures) -> Scores:
        """Macro and weighted means over the labels: figures are (..., labels)."""
        possible, actual = figures["possible"], figures["actual"]
        seen = possible > 0 if self.macro_over == "reference" else possible + actual > 0
        scores: Scores = {}
        for name in list(figures)[:3]:
            values = np.where(seen, figures[name], np.nan)
            for group, weights in (("macro", np.ones_like(possible)), ("weighted", possible)):
                mean, used = mean_defined(values, weights)
                scores |= {(group, schema, name): mean, (group, schema, f"{name}_labels"): used}
        labels = seen.sum(axis=-1)
        return scores | {("macro", schema, "labels"): labels, ("weighted", schema, "labels"): labels}


def kinds_of(sums: Sums) -> Ints:
    """How many events of each kind each cell has, whatever more parts it has: (..., cells, kinds)."""
    same, overlapping, alone = (sums.column(name) for name in COLUMNS[:3])
    reference, predicted = sums.names("reference"), sums.names("predicted")
    right = np.array([r == p for r, p in zip(reference, predicted, strict=True)], np.bool_)
    missed = np.array([name is None for name in predicted], np.bool_)
    return np.stack(
        [same * right, same * ~right, overlapping * right, overlapping * ~right, alone * missed, alone * ~missed],
        axis=-1,
    )


def outcomes_of(kinds: Ints, schema: str) -> dict[str, Ints]:
    """Kinds (..., kinds) as the outcomes of a schema, each (...)."""
    outcomes = {name: np.zeros(kinds.shape[:-1], np.int64) for name in OUTCOMES}
    for k, name in enumerate(SCHEMAS[schema]):
        outcomes[name] = outcomes[name] + kinds[..., k]
    return outcomes


def sided(reference: Mapping[str, Ints], predicted: Mapping[str, Ints]) -> Figures:
    """The outcomes of a label, named by the side that they are seen from."""
    named: Figures = {}
    for outcome in OUTCOMES[:3]:
        named |= {f"{outcome}_reference": reference[outcome], f"{outcome}_predicted": predicted[outcome]}
    return named | {"missed": reference["missed"], "spurious": predicted["spurious"]}


def labels_of(sums: Sums) -> tuple[tuple[str, ...], tuple[Ints, Ints]]:
    """The labels of either side, ascending, and per side each cell's, -1 for none: (cells,)."""
    names = sums.names("reference"), sums.names("predicted")
    labels = tuple(sorted({name for side in names for name in side if name is not None}))
    place: dict[Name, int] = {None: -1} | {name: k for k, name in enumerate(labels)}
    codes = tuple(np.array([place[name] for name in side], np.int64) for side in names)
    return labels, (codes[0], codes[1])


def by_code(kinds: Ints, code: Ints, labels: int) -> Ints:
    """Kinds (..., cells, kinds) added up by the label of the cell: (..., labels, kinds)."""
    result = np.zeros((*kinds.shape[:-2], labels, kinds.shape[-1]), np.int64)
    order = np.argsort(code, kind="stable")[np.count_nonzero(code < 0) :]
    if len(order):
        ordered = code[order]
        first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        result[..., ordered[first], :] = np.add.reduceat(kinds[..., order, :], first, axis=-2)
    return result
