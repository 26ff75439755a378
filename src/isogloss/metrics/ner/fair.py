"""Fair evaluation: the metric of Ortmann (2022), which counts each error once.

Definition
    1. `isogloss.metrics.ner.fair_pairs` says which spans make up one error. The kinds are named as in the default; the
       paper's names are in brackets.

           kind                                 spans of a pair
           correct (TP)                         same bounds, same label
           wrong_type (LE, labeling error)      same bounds, other label
           wrong_boundary (BE, boundary error)  other bounds, same label
           wrong_type_and_boundary (LBE)        other bounds, other label
           missed (FN), spurious (FP)           alone

    2. `fair`: each of the three errors of pairs is half a false positive and half a false negative,

           precision = TP / (TP + FP + (LE + BE + LBE) / 2),  recall = TP / (TP + FN + (LE + BE + LBE) / 2).

    3. `fair_weighted`: the paper's other weights. A boundary error is half a true positive; its other half is a false
       negative where the predicted span lies within the reference span (`smaller`, BES), a false positive where it is
       the other way round (`larger`, BEL), and half of either where they cross (`crossing`, BEO).
    4. `strict`: the traditional evaluation. A reference span that is among the predicted ones is a true positive, else
       a false negative; a predicted span that is not among those of the reference is a false positive.
    5. F is the harmonic mean of precision and recall. 0/0 is 0.
    6. By label, an error of a pair counts for the label of the reference span, a spurious span for its own.

Source: Ortmann (2022), "Fine-Grained Error Analysis and Fair Evaluation of Labeled Spans", LREC, after Manning (2006).

Differences from the default definition
    1. A span can be part of several errors: where one is predicted as two, both are boundary errors. So the counts of
       `fair` do not add up to the numbers of spans, and there is no `possible` and `actual`.
    2. The figures of labels have no sides: precision and recall of a label share the errors of its reference spans.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.alignment.equal import joint_codes
from isogloss.batches import SpanPairs
from isogloss.counts import Counts, Name, Sums
from isogloss.metrics.ner.definition import by_code, kinds_of, labels_of
from isogloss.metrics.ner.events import KINDS
from isogloss.metrics.ner.fair_pairs import fair_events
from isogloss.metrics.ner.proportions import of_spans
from isogloss.scores import Floats, Ints, Proportions, Scores, f_measure, ratio

COLUMNS = ("same_bounds", "overlapping", "unpaired", "smaller", "larger", "found", "expected", "strays")
OF_PREDICTION = ("spurious", "strays")  # what counts for the label of the predicted span
Counted = Mapping[str, Ints]
Figures = dict[str, NDArray[Any]]
Block = tuple[Ints, Ints, Ints, Ints]


@dataclass(frozen=True)
class FairSpans:
    """The metric of Ortmann (2022). It has no options."""

    def count(self, batch: SpanPairs) -> Counts:
        """The events of a batch, and which spans are on the other side, too."""
        r, p = batch.reference, batch.predicted
        found, strays = _found(batch)
        blocks = [
            _of_events(batch),
            _block(r.row, r.label, np.full(len(r), -1), found=found, expected=1),
            _block(p.row, np.full(len(p), -1), p.label, strays=strays),
        ]
        row, reference, predicted, values = (np.concatenate(arrays) for arrays in zip(*blocks, strict=True))
        parts = {"reference": (reference, batch.labels), "predicted": (predicted, batch.labels)}
        return Counts.build(batch.documents, dict(zip(COLUMNS, values.T, strict=True)), row=row, parts=parts)

    def overall(self, sums: Sums) -> Scores:
        """The three evaluations over all labels."""
        counted = {name: value.sum(axis=-1) for name, value in _by_cell(sums).items()}
        figures = _figures(counted)
        strict = figures["strict"]
        figures["strict"] = {name: strict[name] for name in strict if not name.startswith("correct_")}
        return {(group, name): value for group, own in figures.items() for name, value in own.items()}

    def score(self, sums: Sums) -> Scores:
        """The overall scores, those of each label, and the number of each kind."""
        labels, (reference, predicted) = labels_of(sums)
        scores = self.overall(sums)
        counted = {
            name: by_code(value[..., None], predicted if name in OF_PREDICTION else reference, len(labels))[..., 0]
            for name, value in _by_cell(sums).items()
        }  # (..., labels) each
        for group, own in _figures(counted).items():
            named = {name: value for name, value in own.items() if (group, name) != ("strict", "correct")}
            for k, label in enumerate(labels):
                scores |= {("by_label", label, group, name): value[..., k] for name, value in named.items()}
        total = kinds_of(sums).sum(axis=-2)
        return scores | {("findings", kind): total[..., k] for k, kind in enumerate(KINDS)}

    def proportions(self, sums: Sums) -> Proportions:
        """Precision and recall of the traditional evaluation."""
        return {key: counts for key, counts in of_spans(self.score(sums)).items() if key[-2] == "strict"}

    def confusion(self, sums: Sums) -> dict[tuple[Name, Name], int]:
        """Pairs, missed and spurious spans by (reference label, predicted label)."""
        events = kinds_of(sums).sum(axis=-1)
        return {(cell[0], cell[1]): int(n) for cell, n in zip(sums.cells, events, strict=True) if n}


def _of_events(batch: SpanPairs) -> Block:
    """The events of a batch, and of those that overlap which span lies within the other."""
    events = fair_events(batch)
    paired = (events.reference >= 0) & (events.predicted >= 0)
    overlapping = paired & ~events.same_bounds
    i, j = events.reference[overlapping], events.predicted[overlapping]
    r, p = batch.reference, batch.predicted
    within = np.zeros((2, len(paired)), np.bool_)  # predicted in reference, reference in predicted
    within[:, overlapping] = (
        (r.start[i] <= p.start[j]) & (p.end[j] <= r.end[i]),
        (p.start[j] <= r.start[i]) & (r.end[i] <= p.end[j]),
    )
    columns = (events.same_bounds, overlapping, ~paired, *within)
    counted = dict(zip(COLUMNS, columns, strict=False))
    return _block(events.row, events.reference_label, events.predicted_label, **counted)


def _block(row: Ints, reference: Ints, predicted: Ints, **counted: NDArray[np.bool_] | int) -> Block:
    """Rows of documents, labels of both sides, and the columns that are not 0: three (rows,), (rows, columns)."""
    values = np.zeros((len(row), len(COLUMNS)), np.int64)
    for column, number in counted.items():
        values[:, COLUMNS.index(column)] = number
    return row, reference, predicted, values


def _found(batch: SpanPairs) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether each reference span is among the predicted ones; whether each predicted span is not among the others."""
    columns = [(s.row, s.start, s.end - s.start, s.label) for s in (batch.reference, batch.predicted)]
    codes = joint_codes(*columns)
    return np.isin(*codes), np.isin(codes[1], codes[0], invert=True)


def _by_cell(sums: Sums) -> dict[str, Ints]:
    """Counts of each cell: (..., cells) each."""
    kinds = kinds_of(sums)  # (..., cells, kinds)
    counted = {name: kinds[..., k] for k, name in enumerate(KINDS)}
    same_label = np.array([r == p for r, p in zip(sums.names("reference"), sums.names("predicted"), strict=True)])
    boundary = {name: sums.column(name) * same_label.astype(np.int64) for name in ("smaller", "larger")}
    crossing = counted["wrong_boundary"] - boundary["smaller"] - boundary["larger"]
    return counted | boundary | {"crossing": crossing} | {name: sums.column(name) for name in COLUMNS[5:]}


def _figures(counted: Counted) -> dict[str, Figures]:
    """The figures of each group from counts, each (...)."""
    pairs = counted["wrong_type"] + counted["wrong_type_and_boundary"]
    boundary = counted["wrong_boundary"]
    right: Floats = counted["correct"].astype(np.float64)
    fair = right + (pairs + boundary) / 2
    weighted = right + pairs / 2 + boundary / 2 + counted["crossing"] / 4
    kinds: Figures = {name: counted[name] for name in KINDS}
    parts: Figures = {name: counted[name] for name in ("smaller", "larger", "crossing")}
    return {
        "fair": _ratios(right, fair + counted["spurious"], fair + counted["missed"]) | kinds,
        "fair_weighted": _ratios(
            right + boundary / 2,
            weighted + counted["spurious"] + counted["larger"] / 2,
            weighted + counted["missed"] + counted["smaller"] / 2,
        )
        | parts,
        "strict": _strict(counted),
    }


def _strict(counted: Counted) -> Figures:
    correct, possible, spurious = counted["found"], counted["expected"], counted["strays"]
    actual = correct + spurious
    counts = {"correct": correct, "correct_reference": correct, "correct_predicted": correct}
    rest = {"missed": possible - correct, "spurious": spurious, "possible": possible, "actual": actual}
    return _ratios(correct, actual, possible) | counts | rest


def _ratios(credit: Ints | Floats, actual: Ints | Floats, possible: Ints | Floats) -> Figures:
    return {
        "precision": ratio(credit, actual, 0.0),
        "recall": ratio(credit, possible, 0.0),
        "f1": f_measure(credit, actual, credit, possible, zero_division=0.0),
    }
