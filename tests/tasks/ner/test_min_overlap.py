"""The option `min_overlap`: spans that overlap less are missed and spurious, in all schemas and findings."""

from __future__ import annotations

import random
from typing import Any

import pytest

import isogloss
from isogloss.errors import UsageError
from isogloss.runs.run import Run

# a reference span of 10 units; the prediction begins with it and has 6 of its units, or 6 units of a union of 12
INSIDE = [[(0, 10, "PER")]], [[(0, 6, "PER")]]
BEYOND = [[(0, 8, "PER")]], [[(2, 12, "ORG")]]


def count(sides: Any, **options: Any) -> list[tuple[int, ...]]:
    """Correct, incorrect, partial, missed and spurious spans of each schema."""
    run = isogloss.ner(*sides, **options)
    names = ("correct", "incorrect", "partial", "missed", "spurious")
    return [tuple(run.scores[schema][name] for name in names) for schema in ("strict", "exact", "partial", "type")]


PAIRED = [(0, 1, 0, 0, 0), (0, 1, 0, 0, 0), (0, 0, 1, 0, 0), (1, 0, 0, 0, 0)]
PAIRED_OTHER = [*PAIRED[:3], (0, 1, 0, 0, 0)]
ALONE = [(0, 0, 0, 1, 1)] * 4


def test_a_pair_of_exactly_the_smallest_overlap_counts() -> None:
    assert count(INSIDE, min_overlap=0.6) == PAIRED
    assert count(INSIDE, min_overlap=0.61) == ALONE
    assert count(BEYOND, min_overlap=0.5) == PAIRED_OTHER
    assert count(BEYOND, min_overlap=0.51) == ALONE


def test_the_overlap_may_be_a_share_of_the_reference() -> None:
    assert count(BEYOND, min_overlap=0.75, min_overlap_of="reference") == PAIRED_OTHER
    assert count(BEYOND, min_overlap=0.76, min_overlap_of="reference") == ALONE


def test_equal_bounds_are_always_enough() -> None:
    assert count(([[(0, 3, "PER")]], [[(0, 3, "ORG")]]), min_overlap=1)[1] == (1, 0, 0, 0, 0)


def test_a_pair_with_too_little_overlap_takes_no_partner_away() -> None:
    # without the option, the label decides for the first prediction, which overlaps one unit
    sides = [[(0, 10, "PER")]], [[(0, 1, "PER"), (1, 10, "ORG")]]
    assert count(sides)[3] == (1, 0, 0, 0, 1)
    assert count(sides, min_overlap=0.5)[3] == (0, 1, 0, 0, 1)


def test_findings_and_span_slices_have_the_same_pairs() -> None:
    run = isogloss.ner(*BEYOND, min_overlap=0.6, findings=True, by=["entity_length"])
    assert [finding.kind for finding in run.findings] == ["missed", "spurious"]
    assert run.kinds["missed"] == 1
    profile = isogloss.ner(*BEYOND, min_overlap=0.6, findings=True, profile="nervaluate", labels=["ORG", "PER"])
    assert [finding.kind for finding in profile.findings] == ["wrong_type_and_boundary"]


def test_the_signature_names_it() -> None:
    assert "|min-overlap:0.6|min-overlap-of:union|" in str(isogloss.ner(*INSIDE, min_overlap=0.6).signature)
    assert "min-overlap" not in str(isogloss.ner(*INSIDE).signature)


def test_zero_is_the_same_as_no_option() -> None:
    draw = random.Random(1)

    def make_side() -> list[list[tuple[int, int, str]]]:
        starts = [[draw.randrange(30) for _ in range(5)] for _ in range(300)]
        return [[(start, start + draw.randint(1, 9), draw.choice("PQ")) for start in own] for own in starts]

    sides = make_side(), make_side()
    plain: Run = isogloss.ner(*sides, findings=True)
    assert isogloss.ner(*sides, findings=True, min_overlap=0).to_json() == plain.to_json()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_overlap": 50}, "a share from 0 to 1, such as 0.5"),
        ({"min_overlap": float("nan")}, "a share from 0 to 1"),
        ({"min_overlap_of": "reference"}, "no effect without --min-overlap"),
        ({"min_overlap": 0.5, "min_overlap_of": "prediction"}, "min_overlap_of"),
        ({"min_overlap": 0.5, "profile": "seqeval"}, "does not support min_overlap"),
        ({"min_overlap": 0.001, "profile": "nervaluate"}, "from 0.01 to 1"),
        (
            {"min_overlap": 0.5, "min_overlap_of": "reference", "profile": "nervaluate"},
            "does not support min_overlap_of",
        ),
    ],
)
def test_other_values_are_refused(options: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        isogloss.ner(*INSIDE, **options)
