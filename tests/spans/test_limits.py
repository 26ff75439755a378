"""Inputs whose cost would explode are refused, with the limit and how to raise it."""

from __future__ import annotations

import json
from pathlib import Path

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


def test_document_with_too_many_overlaps_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.spans.assignment.OVERLAPS_PER_SPAN", 0)
    monkeypatch.setenv("ISOGLOSS_MAX_OVERLAPS", "10")
    flat = [[(0, 1, "A")]]
    with pytest.raises(DataError) as caught:
        isogloss.ner([*flat * 3, *nest(40, 0)], [*flat * 3, *nest(40, 1)])
    assert str(caught.value).startswith("reference[3]")


def test_column_with_more_values_than_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    sides: tuple[list[list[str]], list[list[str]]] = ([["O"]] * 4, [["O"]] * 4)
    monkeypatch.setenv("ISOGLOSS_MAX_SLICES", "3")
    with pytest.raises(DataError, match=r"'k' has 4 different values(.|\n)*ISOGLOSS_MAX_SLICES=4 isogloss"):
        isogloss.ner(*sides, by={"k": [*"abcd"]})
    assert len(isogloss.ner(*sides, by={"k": [*"abca"]}).slices["k"]) == 3
    with pytest.raises(DataError, match=r"scored with intervals(.|\n)*ISOGLOSS_MAX_SLICES=30 isogloss"):
        isogloss.ner(*sides, by={"k": [*"abca"]}, confidence=0.95)
    runs = [isogloss.ner(*sides, by={"k": [*"abca"]}) for _ in range(2)]
    with pytest.raises(DataError, match=r"compared by itself(.|\n)*ISOGLOSS_MAX_SLICES=60 isogloss"):
        isogloss.compare(*runs).to_dict()


def test_more_labels_times_documents_than_the_limit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.kernel.tally.CELLS_PER_DOCUMENT", 0)
    monkeypatch.setenv("ISOGLOSS_MAX_CELLS", "50")
    sides = [[[(0, 1, f"L{at}")] for at in range(number)] for number in (8, 7)]
    with pytest.raises(DataError, match="ISOGLOSS_MAX_CELLS=64 isogloss"):
        str(isogloss.ner(sides[0], sides[0]))
    assert len(isogloss.ner(sides[1], sides[1]).per_document) > 0


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


def test_token_offset_that_no_text_has_is_refused(tmp_path: Path) -> None:
    token = {"entity": "B-PER", "score": 0.9, "index": 0, "word": "Ada", "start": 0, "end": 10**20}
    path = tmp_path / "a.json"
    path.write_text(json.dumps([[token]]))
    with pytest.raises(DataError):
        isogloss.ner(path, path)


def test_map_of_labels_with_deep_lists_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text("drop = " + "[" * 5000)
    with pytest.raises(UsageError, match="too deeply"):
        isogloss.ner([[]], [[]], labels=path)
