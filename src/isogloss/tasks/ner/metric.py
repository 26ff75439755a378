"""The default metric of named entities: the four SemEval-2013 schemas.

All schemas are computed from one event table.

Definition
    1. One one-to-one alignment per document (`isogloss.spans.alignment`) serves all schemas, labels and error kinds.
       With `min_overlap`, two spans with other bounds may be paired only if the units they share, divided by those of
       their union (or of the reference span), are at least this share; a span without such a partner is missed or
       spurious. Spans with the same bounds are always paired.
    2. A cell is (reference label or none, predicted label or none); its columns count the events with the same
       bounds, with an overlap, or with one span. The cell (none, none) has the tokens with equal tags.
    3. The kind of an event (see `findings`) gives its outcome in each schema:

           kind                        strict      exact       partial     type
           correct                     correct     correct     correct     correct
           wrong_type                  incorrect   correct     correct     incorrect
           wrong_boundary              incorrect   incorrect   partial     correct
           wrong_type_and_boundary     incorrect   incorrect   partial     incorrect
           missed                      missed      missed      missed      missed
           spurious                    spurious    spurious    spurious    spurious

       possible = correct + incorrect + partial + missed = number of reference spans;
       actual = correct + incorrect + partial + spurious = number of predicted spans;
       precision = (correct + partial / 2) / actual; recall = (correct + partial / 2) / possible.
    4. A label has two sides: recall is over the reference spans with the label, precision over the predicted ones. On
       each side the counts of the labels add up to the overall counts.
    5. 0/0 is undefined. Macro and weighted means run over labels with possible + actual > 0, skip undefined scores and
       report how many labels they used.
    6. Scores of all schemas but `partial`, which has half points, are proportions and can have Wilson intervals.

Source: Segura-Bedmar, Martínez and Herrero-Zazo (2013), SemEval-2013 Task 9; Chinchor and Sundheim (1993), MUC-5.

Differences from other implementations
    1. nervaluate (before 1.2 and after) aligns greedily in the order given and aligns again for each label, so that its
       figures by label do not add up to the overall ones; isogloss uses one optimal alignment for both.
    2. seqeval, conlleval and seqscore count 0/0 as 0; in isogloss it is undefined unless `zero_division` is set.
    3. seqeval, seqscore and spaCy compare sets of spans; in isogloss a span predicted twice is two predictions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import CellName, Counts
from isogloss.kernel.scores import (
    Ints,
    Scores,
    average_defined,
    compute_f_measure,
    divide,
)
from isogloss.kernel.sums import Sums
from isogloss.spans.batches import SpanPairs
from isogloss.spans.overlaps import MinOverlap
from isogloss.tasks.ner.findings import EVENT_KINDS, SpanEvents
from isogloss.tasks.ner.options import OverlapBase

HALF_POINT_GROUPS = frozenset(("partial",))  # groups whose precision and recall are not proportions
EVENT_COLUMNS = ("same_bounds", "overlapping", "unpaired", "tokens_correct", "tokens_total")
SCHEMA_OUTCOMES = ("correct", "incorrect", "partial", "missed", "spurious")
NER_SCHEMAS: Mapping[str, tuple[str, ...]] = {  # the outcome of each kind, in the order of `EVENT_KINDS`
    "strict": ("correct", "incorrect", "incorrect", "incorrect", "missed", "spurious"),
    "exact": ("correct", "correct", "incorrect", "incorrect", "missed", "spurious"),
    "partial": ("correct", "correct", "partial", "partial", "missed", "spurious"),
    "type": ("correct", "incorrect", "correct", "incorrect", "missed", "spurious"),
}
REFERENCE_OUTCOMES, PREDICTED_OUTCOMES = SCHEMA_OUTCOMES[:4], (*SCHEMA_OUTCOMES[:3], "spurious")
SchemaFigures = dict[str, NDArray[Any]]
ExtraCellParts = Mapping[str, tuple[Ints, Sequence[str]]]


@dataclass(frozen=True)
class NamedEntities:
    """The default metric of named entities.

    Args:
        beta: weight of recall in the F-measure; above 0.
        zero_division: value of 0/0, nan for undefined.
        macro_over: labels that enter a mean: those of both sides (`union`), or those of the `reference`.
        min_overlap: smallest share of a pair of spans with other bounds, from 0 to 1; 0 for one unit.
        min_overlap_of: what it is a share of, the `union` of both spans or the `reference` span.
    """

    beta: float = 1.0
    zero_division: float = np.nan
    macro_over: Literal["union", "reference"] = "union"
    min_overlap: float = 0.0
    min_overlap_of: OverlapBase = "union"
    half_point_groups: ClassVar[frozenset[str]] = HALF_POINT_GROUPS

    def count(self, batch: SpanPairs) -> Counts:
        """Count the events of a batch, and its tokens if tagged."""
        return self.count_events(batch, self.align(batch), {})

    def align(self, batch: SpanPairs) -> SpanEvents:
        """Align the spans of a batch that overlap enough."""
        return SpanEvents.from_batch(batch, make_min_overlap(self.min_overlap, self.min_overlap_of))

    def count_events(self, batch: SpanPairs, events: SpanEvents, more: ExtraCellParts) -> Counts:
        """Count events in cells of both labels and more parts.

        Args:
            batch: documents with spans.
            events: the events of the batch.
            more: for each further part the (events,) codes, -1 for none, and the names of the codes.
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
        return Counts.build(batch.documents, dict(zip(EVENT_COLUMNS, columns, strict=True)), row=row, parts=parts)

    def overall(self, sums: Sums) -> Scores:
        """Return the scores of four schemas over all labels, and token accuracy."""
        kinds = count_event_kinds(sums).sum(axis=-2)  # (..., kinds)
        scores: Scores = {}
        for schema in NER_SCHEMAS:
            outcomes = to_outcomes(kinds, schema)
            scores |= {(schema, name): value for name, value in self.compute_figures(outcomes, outcomes).items()}
            scores |= {(schema, name): outcomes[name] for name in SCHEMA_OUTCOMES}
            if self.beta != 1:
                scores[schema, "beta"] = np.full(kinds.shape[:-1], self.beta)
        if (None, None) in sums.cells:
            at = sums.cells.index((None, None))
            correct, total = (sums.get_column(f"tokens_{name}")[..., at] for name in ("correct", "total"))
            scores |= score_tokens(correct, total, self.zero_division)
        return scores

    def score(self, sums: Sums) -> Scores:
        """Return overall scores, scores by label, means and counts.

        The means are macro and weighted. There is a count of each kind.
        """
        labels, codes = find_cell_labels(sums)
        kinds = count_event_kinds(sums)  # (..., cells, kinds)
        reference, predicted = (sum_by_label(kinds, code, len(labels)) for code in codes)  # (..., labels, kinds)
        scores = self.overall(sums)
        for schema in NER_SCHEMAS:
            sides = to_outcomes(reference, schema), to_outcomes(predicted, schema)
            figures = self.compute_figures(*sides) | name_by_side(*sides)
            scores |= name_figures(("by_label",), labels, schema, figures) | self._average_labels(schema, figures)
        total = kinds.sum(axis=-2)
        return scores | {("findings", kind): total[..., k] for k, kind in enumerate(EVENT_KINDS)}

    def confusion(self, sums: Sums) -> dict[tuple[CellName, CellName], int]:
        """Return the number of events by (reference label, predicted label).

        A label is None for no span.
        """
        return count_confusion(sums)

    def compute_figures(self, reference: Mapping[str, Ints], predicted: Mapping[str, Ints]) -> SchemaFigures:
        """Compute precision, recall and F from outcomes, with their denominators.

        Both sides have their own outcomes.
        """
        possible, actual = sum(reference[o] for o in REFERENCE_OUTCOMES), sum(predicted[o] for o in PREDICTED_OUTCOMES)
        right, found = (side["correct"] + side["partial"] / 2 for side in (reference, predicted))
        return {
            "precision": divide(found, actual, self.zero_division),
            "recall": divide(right, possible, self.zero_division),
            "f1" if self.beta == 1 else "f": compute_f_measure(
                found, actual, right, possible, self.beta, self.zero_division
            ),
            "possible": np.asarray(possible),
            "actual": np.asarray(actual),
        }

    def _average_labels(self, schema: str, figures: SchemaFigures) -> Scores:
        """Average figures (..., labels) over the labels, plainly and weighted by `possible`."""
        possible, actual = figures["possible"], figures["actual"]
        seen = possible > 0 if self.macro_over == "reference" else possible + actual > 0
        scores: Scores = {}
        for name in list(figures)[:3]:
            values = np.where(seen, figures[name], np.nan)
            for group, weights in (("macro", np.ones_like(possible)), ("weighted", possible)):
                mean, used = average_defined(values, weights)
                scores |= {(group, schema, name): mean, (group, schema, f"{name}_labels"): used}
        labels = seen.sum(axis=-1)
        return scores | {("macro", schema, "labels"): labels, ("weighted", schema, "labels"): labels}


def make_min_overlap(share: float, of: OverlapBase) -> MinOverlap | None:
    """Return the smallest overlap of a pair; None if it is 0."""
    return MinOverlap(share, of) if share else None


def count_event_kinds(sums: Sums) -> Ints:
    """Return the number of events of each kind in each cell.

    The result is (..., cells, kinds).
    """
    same, overlapping, alone = (sums.get_column(name) for name in EVENT_COLUMNS[:3])
    reference, predicted = sums.get_names("reference"), sums.get_names("predicted")
    right = np.array([r == p for r, p in zip(reference, predicted, strict=True)], np.bool_)
    missed = np.array([name is None for name in predicted], np.bool_)
    return np.stack(
        [same * right, same * ~right, overlapping * right, overlapping * ~right, alone * missed, alone * ~missed],
        axis=-1,
    )


def count_confusion(sums: Sums) -> dict[tuple[CellName, CellName], int]:
    """Return the number of events in each cell, without cells of 0."""
    events = count_event_kinds(sums).sum(axis=-1)
    return {(cell[0], cell[1]): int(n) for cell, n in zip(sums.cells, events, strict=True) if n}


def score_tokens(correct: Ints, total: Ints, zero_division: float) -> Scores:
    """Return the accuracy of tags with its counts."""
    accuracy = divide(correct, total, zero_division)
    return {("tokens", "accuracy"): accuracy, ("tokens", "correct"): correct, ("tokens", "total"): total}


def name_figures(place: tuple[str, ...], names: Sequence[str], group: str, figures: SchemaFigures) -> Scores:
    """Return figures (..., names) under the path of each name.

    The path is `place`, name, group, figure.
    """
    return {
        (*place, name, group, figure): value[..., k]
        for k, name in enumerate(names)
        for figure, value in figures.items()
    }


def to_outcomes(kinds: Ints, schema: str) -> dict[str, Ints]:
    """Add up counts of kinds to the outcomes of a schema.

    `kinds` is (..., kinds), and each outcome is (...).
    """
    outcomes = {name: np.zeros(kinds.shape[:-1], np.int64) for name in SCHEMA_OUTCOMES}
    for k, name in enumerate(NER_SCHEMAS[schema]):
        outcomes[name] = outcomes[name] + kinds[..., k]
    return outcomes


def name_by_side(reference: Mapping[str, Ints], predicted: Mapping[str, Ints]) -> SchemaFigures:
    """Name the outcomes of a label by side, such as `correct_reference`."""
    named: SchemaFigures = {}
    for outcome in SCHEMA_OUTCOMES[:3]:
        named |= {f"{outcome}_reference": reference[outcome], f"{outcome}_predicted": predicted[outcome]}
    return named | {"missed": reference["missed"], "spurious": predicted["spurious"]}


def find_cell_labels(sums: Sums) -> tuple[tuple[str, ...], tuple[Ints, Ints]]:
    """Return the labels of both sides, and the codes of cells.

    Labels are ascending. Codes are (cells,) per side, and -1 for no label.
    """
    names = sums.get_names("reference"), sums.get_names("predicted")
    labels = tuple(sorted({name for side in names for name in side if name is not None}))
    place: dict[CellName, int] = {None: -1} | {name: k for k, name in enumerate(labels)}
    codes = tuple(np.array([place[name] for name in side], np.int64) for side in names)
    return labels, (codes[0], codes[1])


def sum_by_label(kinds: Ints, code: Ints, labels: int) -> Ints:
    """Add up counts by the label of the cell.

    The axes change from (..., cells, kinds) to (..., labels, kinds).
    """
    result = np.zeros((*kinds.shape[:-2], labels, kinds.shape[-1]), np.int64)
    order = np.argsort(code, kind="stable")[np.count_nonzero(code < 0) :]
    if len(order):
        ordered = code[order]
        first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        result[..., ordered[first], :] = np.add.reduceat(kinds[..., order, :], first, axis=-2)
    return result
