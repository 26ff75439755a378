"""Selection of findings, checked by hand and by what must hold for every list."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import UsageError
from isogloss.kernel.findings import Finding, Mark
from isogloss.runs.finding_selection import (
    FindingSelection,
    merge_document_order,
    parse_conditions,
    sample_over_groups,
)


def finding(kind: str, document: str, label: str = "PER", **slices: str) -> Finding:
    return Finding(kind, document, "x:1", (Mark("reference", label, 0, 1),), extra={"slices": slices})


FOUND = [
    finding("missed", "1", genre="news"),
    finding("spurious", "1", "ORG", genre="news"),
    finding("missed", "2", "ORG", genre="chat"),
    finding("missed", "3", genre="chat"),
]


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (FindingSelection(2), [0, 1]),
        (FindingSelection(9, kinds=("missed",)), [0, 2, 3]),
        (FindingSelection(9, labels=("ORG",)), [1, 2]),
        (FindingSelection(1, where=parse_conditions(["genre=chat"])), [2]),
        (FindingSelection(9, where=parse_conditions(["genre=chat", "genre=news"])), [0, 1, 2, 3]),
        (FindingSelection(9, kinds=("missed",), labels=("PER",), where=parse_conditions(["genre=chat"])), [3]),
    ],
)
def test_findings_meet_every_condition(selection: FindingSelection, expected: list[int]) -> None:
    assert [FOUND.index(each) for each in selection.select(FOUND)] == expected


def test_a_misspelt_kind_is_answered_with_the_closest_one() -> None:
    with pytest.raises(UsageError, match="the kind 'mised'; did you mean missed"):
        FindingSelection(1, kinds=("mised",)).check_kinds(["missed", "spurious"])


@pytest.mark.parametrize("text", ["genre", "=news"])
def test_a_condition_without_column_or_value_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="must be COLUMN=VALUE"):
        parse_conditions([text])


@given(st.lists(st.sampled_from("abcd"), min_size=1), st.data())
def test_a_sample_is_spread_over_groups_and_repeats_with_its_seed(groups: list[str], data: st.DataObject) -> None:
    number = data.draw(st.integers(1, len(groups)))
    chosen = sample_over_groups(groups, number, 7)
    assert chosen == sorted({*chosen}) == sample_over_groups(groups, number, 7)
    assert len(chosen) == number
    taken, there = Counter(groups[k] for k in chosen), Counter(groups)
    most = max(taken.values())
    assert all(taken[group] >= min(there[group], most - 1) for group in there)


def test_every_finding_can_be_sampled() -> None:
    assert {sample_over_groups(["a", "a", "b"], 1, seed)[0] for seed in range(40)} == {0, 1, 2}


@given(st.lists(st.integers(0, 30), unique=True), st.lists(st.integers(0, 30), unique=True))
def test_documents_of_systems_are_merged_in_the_order_of_each(one: list[int], two: list[int]) -> None:
    lists = [[str(k) for k in sorted(each)] for each in (one, two)]
    merged = merge_document_order(lists)
    assert sorted(merged) == sorted({*lists[0], *lists[1]})
    for own in lists:
        assert [each for each in merged if each in own] == own
