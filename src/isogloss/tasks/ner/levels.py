"""Scores at each level of labels, and too coarse or fine labels.

Definition
    1. The levels are those of `isogloss.spans.label_map`: 0 has the roots. At level k each label below it is replaced
       by its ancestor at level k, and the spans are aligned and scored anew. The last level has the labels as they
       are, so its scores are the overall scores.
    2. Each level has all overall scores and those of its labels: `by_level.0.strict.f1` and
       `by_level.0.by_label.LOC.strict.f1`.
    3. Of the events of kind `wrong_type`, those whose predicted label is an ancestor of the reference label are
       `too_coarse`, and those whose predicted label is a descendant of it are `too_fine`. Both stay incorrect in the
       schemas that require the label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from isogloss.kernel.counts import Cell, CellName, Counts
from isogloss.kernel.metric import ConfusionMetric, HalfPointMetric, Metric
from isogloss.kernel.scores import Ints, Scores
from isogloss.kernel.sums import Sums
from isogloss.spans.batches import SpanPairs
from isogloss.spans.label_map import count_levels, list_ancestors, raise_label, recode_labels
from isogloss.tasks.ner.findings import EVENT_KINDS, LEVEL_KINDS, SpanEvents

LEVEL_PART = "level"  # of a cell; None for the labels as they are
LEVEL_GROUPS = frozenset(("macro", "weighted", "findings"))  # groups of scores that single levels do not have
WRONG_TYPE = "wrong_type"


@dataclass(frozen=True)
class LeveledMetric:
    """A metric of named entities at each level of a hierarchy.

    Args:
        base: the metric of one level.
        parents: the parent of each label that has one.
    """

    base: Metric[SpanPairs]
    parents: Mapping[str, str]

    @property
    def half_point_groups(self) -> frozenset[str]:
        """Groups that give half points."""
        return self.base.half_point_groups if isinstance(self.base, HalfPointMetric) else frozenset()

    @cached_property
    def last_level(self) -> int:
        """The level of the labels as they are."""
        return count_levels(self.parents) - 1

    def count(self, batch: SpanPairs) -> Counts:
        """Count the batch once for each level."""
        names: list[CellName] = [*map(str, range(self.last_level)), None]
        levels = [*(raise_labels(batch, level, self.parents) for level in range(self.last_level)), batch]
        return stack_counts([self.base.count(each) for each in levels], names)

    def overall(self, sums: Sums) -> Scores:
        """Return the overall scores of the labels as they are."""
        return self.base.overall(select_level(sums, None))

    def score(self, sums: Sums) -> Scores:
        """Return the scores of the labels, and of each level."""
        own = select_level(sums, None)
        scores = self.base.score(own)
        by_level = scores | self._split_wrong_types(own, scores)
        for level in range(self.last_level + 1):
            each = scores if level == self.last_level else self.base.score(select_level(sums, str(level)))
            by_level |= {("by_level", str(level), *key): n for key, n in each.items() if key[0] not in LEVEL_GROUPS}
        return by_level

    def confusion(self, sums: Sums) -> dict[tuple[CellName, CellName], int]:
        """Return the confusion matrix of the labels as they are."""
        return self.base.confusion(select_level(sums, None)) if isinstance(self.base, ConfusionMetric) else {}

    def _split_wrong_types(self, own: Sums, scores: Scores) -> Scores:
        """Return the number of each kind, too coarse and too fine apart."""
        kinds = {key[1]: number for key, number in scores.items() if key[0] == "findings"}
        if WRONG_TYPE not in kinds:
            return {}
        same = own.get_column("same_bounds")  # (..., cells)
        pairs = zip(own.get_names("reference"), own.get_names("predicted"), strict=True)
        relation = np.array([classify_relation(*pair, self.parents) for pair in pairs], np.int64)  # (cells,)
        special = [(same * (relation == k)).sum(axis=-1) for k in (1, 2)]
        kinds = kinds | dict(zip(LEVEL_KINDS, special, strict=True)) | {WRONG_TYPE: kinds[WRONG_TYPE] - sum(special)}
        return {("findings", kind): number for kind, number in kinds.items()}


def raise_labels(batch: SpanPairs, level: int, parents: Mapping[str, str]) -> SpanPairs:
    """Replace the labels of a batch by those at a level.

    Args:
        batch: documents with spans.
        level: 0 for roots.
        parents: the parent of each label that has one.
    """
    new = [raise_label(label, level, parents) for label in batch.labels]
    labels = tuple(sorted({*new}))
    place = {name: k for k, name in enumerate(labels)}
    codes = np.array([place[name] for name in new], np.int64)  # (labels,)
    reference, predicted = recode_labels(batch.reference, codes), recode_labels(batch.predicted, codes)
    return replace(batch, labels=labels, reference=reference, predicted=predicted)


def stack_counts(counts: Sequence[Counts], names: Sequence[CellName]) -> Counts:
    """Join counts of the same documents.

    A further part of the cells tells them apart.

    Args:
        counts: counts by one metric.
        names: name of each in the part `level`.
    """
    cells: list[Cell] = [(*cell, name) for own, name in zip(counts, names, strict=True) for cell in own.cells]
    first = np.cumsum([0, *(len(own.cells) for own in counts)])
    return replace(
        counts[0],
        parts=(*counts[0].parts, LEVEL_PART),
        cells=tuple(cells),
        row=np.concatenate([own.row for own in counts]),
        cell=np.concatenate([own.cell + at for own, at in zip(counts, first[:-1], strict=True)]),
        values=np.concatenate([own.values for own in counts]),
    )


def select_level(sums: Sums, name: CellName) -> Sums:
    """Return the sums of one level.

    Args:
        sums: sums of stacked counts.
        name: the level; None for the labels as they are.
    """
    at = sums.parts.index(LEVEL_PART)
    return sums.align_to([cell for cell in sums.cells if cell[at] == name]).drop_part(LEVEL_PART)


def classify_relation(reference: str | None, predicted: str | None, parents: Mapping[str, str]) -> int:
    """Classify how a predicted label relates to the reference label.

    Args:
        reference: label of the reference, None for no span.
        predicted: predicted label, None for no span.
        parents: the parent of each label that has one.

    Returns:
        1 if the predicted label is an ancestor, 2 if it is a descendant, else 0.
    """
    if None in (reference, predicted) or reference == predicted:
        return 0
    if predicted in list_ancestors(reference, parents):
        return 1
    return 2 if reference in list_ancestors(predicted, parents) else 0


def classify_levels(events: SpanEvents, labels: Sequence[str], parents: Mapping[str, str]) -> Ints:
    """Classify events, labels that are too coarse or too fine apart.

    Args:
        events: events of a batch.
        labels: the labels of the batch.
        parents: the parent of each label that has one.

    Returns:
        (events,) positions in `EVENT_KINDS` followed by `LEVEL_KINDS`.
    """
    kinds = events.classify()
    for at in np.flatnonzero(kinds == EVENT_KINDS.index(WRONG_TYPE)).tolist():
        pair = labels[events.reference_label[at]], labels[events.predicted_label[at]]
        relation = classify_relation(*pair, parents)
        kinds[at] = len(EVENT_KINDS) + relation - 1 if relation else kinds[at]
    return kinds
