"""Which scores of named entities are plain proportions: those whose spans are right or wrong, without half points."""

from __future__ import annotations

from isogloss.scores import Proportion, Proportions, Scores, proportions_among

KINDS = (
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
    return {key: counts for key, counts in proportions_among(scores, KINDS).items() if key[-2] != HALVES}
