"""The metric of nervaluate 1.2.1: four schemas, overall and by label.

What is reproduced, in counting
    1. Predicted spans are looked at in order. Each takes the first free reference span that is fully right by the
       schema; where there is none, the first free one of which it covers at least 1%, or `min_overlap`; else it is
       spurious. Reference spans that stay free are missed.

           schema   fully right                           another span it covers
           strict   same bounds and label                 incorrect
           exact    same bounds                           incorrect
           partial  same bounds                           partial
           type     same label and covered: of several,   incorrect
                    the one with the closest bounds

    2. Every schema aligns anew, so that a span may be paired differently in each.
    3. The figures of a label come from aligning its spans alone. They do not add up to the overall figures.
    4. Bounds are inclusive. Coverage is overlap / length of the reference span, in tokens or characters.
    5. precision = (correct + partial / 2) / actual, recall = (correct + partial / 2) / possible; 0/0 is 0.
    6. Only the labels in `tags=` are looked at. Users of nervaluate pass the labels of their reference; so does the
       profile unless `labels` names others: a label that only the prediction has is hidden.

What is reproduced, in reading tags (`loader="list"`)
    1. O alone is outside. The label is all after the second character, so that `B-A-B` has the label `A-B`.
    2. A chunk goes on while the label stays the same and no tag begins with B, whatever else the tag looks like:
       `E-P`, `S-P` and `xyP` go on with `B-P`. BILOU and IOBES chunks that touch are therefore one.
    3. I begins a chunk after O or another label.
    4. A tag that begins a chunk starts with `B-` or `I-`; others are refused there: `ADJ`, `B`, `S-P`.

Source: nervaluate, after Batista (2018), "Named-Entity evaluation metrics based on entity-level".

Exceptions
    1. The order of spans is that of (start, end, label). It is the order of tags. Spans given as spans can have another
       order in nervaluate, and other counts: with both labels, `P[0,2)` → `L[0,1), P[0,2)` is one incorrect and one
       spurious span in this order, one correct and one spurious span in the other.
    2. Spans given as spans are half-open here; nervaluate is given the same spans with `end - 1`.
    3. Indices of spans are not given: see the findings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

import numpy as np

from isogloss.errors import UsageError
from isogloss.kernel.counts import Counts
from isogloss.kernel.scores import Ints, Scores, compute_f_measure, divide
from isogloss.kernel.sums import Sums
from isogloss.spans.batches import SpanPairs, Spans
from isogloss.spans.decoder import Decoder
from isogloss.spans.schemes import OUTSIDE, TagRule
from isogloss.tasks.ner.metric import HALF_POINT_GROUPS, SchemaFigures, name_figures
from isogloss.tasks.ner.profiles import NerProfile
from isogloss.tasks.ner.profiles.exact_chunks import find_label_cells
from isogloss.tasks.ner.profiles.fair import PlacedSpan, group_overlapping_spans, split_by_group

MIN_OVERLAP = 0.01  # of the reference span; the default of nervaluate, and its minimum
NERVALUATE_OUTCOMES = ("correct", "incorrect", "partial", "missed", "spurious")
OVERLAP_OUTCOMES = {"strict": "incorrect", "exact": "incorrect", "partial": "partial", "type": "incorrect"}
OUTCOME_COLUMNS = tuple(
    (schema, outcome)
    for schema, second in OVERLAP_OUTCOMES.items()
    for outcome in ("correct", second, "missed", "spurious")
)
COLUMN_NAMES = tuple(" ".join(column) for column in OUTCOME_COLUMNS)
_NAMED_OUTCOMES = {name: name for name in NERVALUATE_OUTCOMES}
_SIDED_OUTCOMES = {
    **{f"{name}_{side}": name for name in NERVALUATE_OUTCOMES[:3] for side in ("reference", "predicted")},
    **{name: name for name in NERVALUATE_OUTCOMES[3:]},
}


@dataclass(frozen=True)
class GreedyOverlaps:
    """The metric of nervaluate.

    Args:
        min_overlap: smallest share of the reference span that a prediction covers, from 0.01 to 1. It is 1/100 of
            `min_overlap_percentage` of nervaluate.

    Raises:
        UsageError: if it is out of range.
    """

    min_overlap: float = MIN_OVERLAP
    half_point_groups: ClassVar[frozenset[str]] = HALF_POINT_GROUPS

    def __post_init__(self) -> None:
        if not MIN_OVERLAP <= self.min_overlap <= 1:
            message = f"--profile nervaluate takes --min-overlap from {MIN_OVERLAP} to 1, got {self.min_overlap!r}."
            raise UsageError(message)

    @property
    def percentage(self) -> float:
        """The smallest overlap as nervaluate takes it.

        It is 55.0 for 0.55; `0.55 * 100` is not.
        """
        return float(Decimal(repr(self.min_overlap)) * 100)

    def count(self, batch: SpanPairs) -> Counts:
        """Count outcomes by schema, overall and for each label alone.

        The overall outcomes are in the cell without a label.
        """
        sides = batch.reference, batch.predicted
        number = len(batch.labels)
        blocks = []
        for alone in (False, True):
            groups = [side.row * number + side.label if alone else side.row for side in sides]
            group, values = _count_outcomes(self.percentage, *sides, *groups)
            row, label = np.divmod(group, max(1, number)) if alone else (group, np.full(len(group), -1))
            blocks.append((row, label, values))
        row, label, values = (np.concatenate(arrays) for arrays in zip(*blocks, strict=True))
        columns = dict(zip(COLUMN_NAMES, values.T, strict=True))
        return Counts.build(batch.documents, columns, row=row, parts={"label": (label, batch.labels)})

    def overall(self, sums: Sums) -> Scores:
        """Return the scores of four schemas over all labels together."""
        counted = sums.align_to([(None,)]).values[..., 0, :]
        return {
            (schema, name): value
            for schema in OVERLAP_OUTCOMES
            for name, value in _compute_figures(counted, schema, _NAMED_OUTCOMES).items()
        }

    def score(self, sums: Sums) -> Scores:
        """Return the overall figures, and those of each label alone.

        By label, both sides have the same outcomes.
        """
        labels, at = find_label_cells(sums)
        scores = self.overall(sums)
        for schema in OVERLAP_OUTCOMES:
            figures = _compute_figures(sums.values[..., at, :], schema, _SIDED_OUTCOMES)
            scores |= name_figures(("by_label",), labels, schema, figures)
        return scores


def _compute_figures(counted: Ints, schema: str, names: Mapping[str, str]) -> SchemaFigures:
    """Compute the figures of a schema from counts (..., columns).

    `names` has the outcome of each name.
    """
    outcomes = dict.fromkeys(NERVALUATE_OUTCOMES, np.zeros(counted.shape[:-1], np.int64))
    outcomes |= {outcome: counted[..., k] for k, (of, outcome) in enumerate(OUTCOME_COLUMNS) if of == schema}
    paired = outcomes["correct"] + outcomes["incorrect"] + outcomes["partial"]
    possible, actual = paired + outcomes["missed"], paired + outcomes["spurious"]
    credit = outcomes["correct"] + outcomes["partial"] / 2
    figures: SchemaFigures = {
        "precision": divide(credit, actual, 0.0),
        "recall": divide(credit, possible, 0.0),
        "f1": compute_f_measure(credit, actual, credit, possible, zero_division=0.0),
        "possible": possible,
        "actual": actual,
    }
    return figures | {name: outcomes[outcome] for name, outcome in names.items()}


def _count_outcomes(percentage: float, reference: Spans, predicted: Spans, *groups: Ints) -> tuple[Ints, Ints]:
    """Count the outcomes of spans, aligned within their groups.

    Args:
        percentage: smallest overlap, in per cent of the reference span.
        reference: spans.
        predicted: spans.
        groups: (reference,) and (predicted,) group of each span.

    Returns:
        (n,) groups and (n, columns) counts; a group may come several times.
    """
    overlap_groups = group_overlapping_spans(reference, predicted, *groups)
    number = int(max((k.max(initial=-1) for k in overlap_groups), default=-1)) + 1
    of_reference, of_predicted = (np.bincount(k, minlength=number) for k in overlap_groups)  # (overlap groups,)
    group = np.empty(number, np.int64)  # (overlap groups,)
    for k, own in zip(overlap_groups, groups, strict=True):
        group[k] = own
    values = np.zeros((number, len(OUTCOME_COLUMNS)), np.int64)
    values += np.where(of_predicted == 0, of_reference, 0)[:, None] * _mask_outcome("missed")
    values += np.where(of_reference == 0, of_predicted, 0)[:, None] * _mask_outcome("spurious")
    single = (of_reference == 1) & (of_predicted == 1)
    pairs = [spans.take(single[k]) for spans, k in zip((reference, predicted), overlap_groups, strict=True)]
    order = [np.argsort(k[single[k]]) for k in overlap_groups]
    values[single] = _count_pairs(percentage, *(spans.take(at) for spans, at in zip(pairs, order, strict=True)))
    larger = (of_reference > 0) & (of_predicted > 0) & ~single
    placed = (split_by_group(spans, k, larger) for spans, k in zip((reference, predicted), overlap_groups, strict=True))
    for at, ours, theirs in zip(np.flatnonzero(larger), *placed, strict=True):
        values[at] = _count_group(ours, theirs, percentage)
    return group, values


def _count_pairs(percentage: float, reference: Spans, predicted: Spans) -> Ints:
    """Count outcomes of isolated pairs: (pairs, columns).

    The spans of such a pair overlap each other and no other span.
    """
    same_bounds = (reference.start == predicted.start) & (reference.end == predicted.end)
    same_label = reference.label == predicted.label
    overlap = np.minimum(reference.end, predicted.end) - np.maximum(reference.start, predicted.start)
    covered = overlap / (reference.end - reference.start) * 100.0 >= percentage
    right = {"strict": same_bounds & same_label, "exact": same_bounds, "partial": same_bounds, "type": same_label}
    values = np.zeros((len(reference), len(OUTCOME_COLUMNS)), np.int64)
    for k, (schema, outcome) in enumerate(OUTCOME_COLUMNS):
        if outcome == "correct":
            values[:, k] = right[schema] & covered
        else:
            values[:, k] = ~covered if outcome in ("missed", "spurious") else ~right[schema] & covered
    return values


def _count_group(reference: Sequence[PlacedSpan], predicted: Sequence[PlacedSpan], percentage: float) -> list[int]:
    """Count outcomes of one group of overlapping spans: (columns,)."""
    counts: list[int] = []
    for schema in OVERLAP_OUTCOMES:
        counts += _align_group(schema, reference, predicted, percentage)
    return counts


def _align_group(
    schema: str, reference: Sequence[PlacedSpan], predicted: Sequence[PlacedSpan], percentage: float
) -> tuple[int, int, int, int]:
    """Count the correct, otherwise covered, missed and spurious spans of a schema."""
    free = list(range(len(reference)))
    correct = covered = 0
    for span in predicted:
        near = [k for k in free if _has_overlap(span, reference[k], percentage)]
        right = [k for k in near if _is_correct(schema, span, reference[k])]
        if right:
            correct += 1
            free.remove(min(right, key=lambda k: _measure_distance(span, reference[k])))
        elif near:
            covered += 1
            free.remove(near[0])
    return correct, covered, len(free), len(predicted) - correct - covered


def _has_overlap(predicted: PlacedSpan, reference: PlacedSpan, percentage: float) -> bool:
    overlap = min(predicted[1], reference[1]) - max(predicted[0], reference[0])
    return overlap > 0 and overlap / (reference[1] - reference[0]) * 100.0 >= percentage


def _is_correct(schema: str, predicted: PlacedSpan, reference: PlacedSpan) -> bool:
    if schema == "type":
        return predicted[2] == reference[2]
    return predicted[:2] == reference[:2] and (schema != "strict" or predicted[2] == reference[2])


def _measure_distance(predicted: PlacedSpan, reference: PlacedSpan) -> int:
    return abs(predicted[0] - reference[0]) + abs(predicted[1] - reference[1])


def _mask_outcome(outcome: str) -> Ints:
    """Mark the columns of an outcome: (columns,) of 0 and 1."""
    return np.array([name == outcome for _, name in OUTCOME_COLUMNS], np.int64)


OPENING_TAGS = frozenset({"B-", "I-"})


def split_nervaluate_tag(tag: str) -> tuple[str, str]:
    """Split a tag into prefix and label.

    A prefix that begins no chunk becomes `B` or `?`.
    """
    if tag == OUTSIDE:
        return OUTSIDE, ""
    head = tag[:2]
    return (head if head in OPENING_TAGS else "B" if head.startswith("B") else "?"), tag[2:]


def is_nervaluate_boundary(previous: str, current: str, /, *, same_label: bool) -> bool:
    """Return whether no chunk continues from previous to current tag."""
    inside = OUTSIDE not in (previous, current)
    return not (inside and same_label and not current.startswith("B"))


NERVALUATE_RULE = TagRule(
    title="nervaluate",
    split_tag=split_nervaluate_tag,
    is_span_begin=is_nervaluate_boundary,
    is_span_end=is_nervaluate_boundary,
    first_prefixes=OPENING_TAGS,
    expected_tags="B- or I- where a span begins",
    repairs=(),
    allows_scheme=False,
)


PROFILE = NerProfile(
    name="nervaluate",
    metric=GreedyOverlaps(),
    make_decoder=lambda *_: Decoder(NERVALUATE_RULE, "error"),
    scored_labels="reference",
    options=frozenset(("min_overlap",)),
)
