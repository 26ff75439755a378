"""Inputs whose cost would explode are refused, with the limit and how to raise it."""

from __future__ import annotations

import pytest

import isogloss
from isogloss.errors import DataError, UsageError


def nest(count: int, shift: int) -> list[list[tuple[int, int, str]]]:
    """Spans in each other like the skins of an onion."""
    return [[(at, 2 * count + shift - at, "AB"[shift]) for at in range(count)]]


def test_deeply_nested_spans_are_refused_with_the_limit() -> None:
    with pytest.raises(DataError, match=r"ISOGLOSS_MAX_OVERLAPS=\d+ isogloss") as caught:
        isogloss.ner(nest(2000, 0), nest(2000, 1))
    assert "2,000 spans of one side and 2,000 of the other" in str(caught.value)


def test_limit_of_overlaps_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isogloss.ner(nest(40, 0), nest(40, 1)).scores["partial"].possible == 40
    monkeypatch.setattr("isogloss.spans.assignment.OVERLAPS_PER_SPAN", 0)
    monkeypatch.setenv("ISOGLOSS_MAX_OVERLAPS", "10")
    with pytest.raises(DataError, match="ISOGLOSS_MAX_OVERLAPS"):
        isogloss.ner(nest(40, 0), nest(40, 1))
    monkeypatch.setenv("ISOGLOSS_MAX_OVERLAPS", "many")
    with pytest.raises(UsageError, match="must be a whole number, got 'many'"):
        isogloss.ner(nest(40, 0), nest(40, 1))


def test_wide_empty_label_matrix_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = [f"l{at}" for at in range(3000)]
    scores = [{label: 1.0} for label in labels]
    monkeypatch.setenv("ISOGLOSS_MAX_MATRIX", "1000000")
    with pytest.raises(DataError, match=r"ISOGLOSS_MAX_MATRIX=\d+ isogloss"):
        isogloss.classification(labels, scores)
    monkeypatch.setenv("ISOGLOSS_MAX_MATRIX", "1000000000")
    assert isogloss.classification(labels, scores).documents == 3000
