from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.errors import DataError, MismatchError

GOLD = {"a": ["ab", "c"], "b": ["d", "e"], "c": ["f"]}
SYSTEM = {"a": ["a", "b", "c"], "b": ["d", "e"], "c": ["f"]}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write_rows(name: str, words: dict[Any, list[str]], ids: str) -> str:
    """Write the samples with these letters, as a table or as JSON lines by the ending of the name."""
    if name.endswith(".csv"):
        rows = ["id,words", *(f"{key},{'|'.join(words[key])}" for key in ids)]
    else:
        rows = [json.dumps({"id": key, "tokens": words[key]}) for key in ids]
    Path(name).write_text("\n".join(rows) + "\n", encoding="utf-8")
    return name


@pytest.mark.parametrize("name", ["system.jsonl", "system.csv"])
def test_rows_with_ids_in_another_order_are_paired(name: str) -> None:
    gold = write_rows("gold.jsonl", GOLD, "abc")
    in_order = isogloss.segmentation(gold, write_rows(name, SYSTEM, "abc"), findings=True)
    shuffled = isogloss.segmentation(gold, write_rows(name, SYSTEM, "cab"), findings=True)
    assert shuffled.scores == in_order.scores
    (finding,) = shuffled.findings
    assert (finding.document, finding.where) == ("1", f"{name}:{3 if name.endswith('csv') else 2}")


@pytest.mark.parametrize(
    ("ids", "error", "says"),
    [
        ("ab", MismatchError, "gold.jsonl:3: 1 documents are not in the prediction: 'c'"),
        ("cabb", DataError, "system.jsonl:4: the id 'b' stands twice"),
    ],
)
def test_rows_without_a_partner_are_refused(ids: str, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        isogloss.segmentation(write_rows("gold.jsonl", GOLD, "abc"), write_rows("system.jsonl", SYSTEM, ids))


def test_ids_with_nothing_in_common_are_ignored_with_a_warning() -> None:
    other = {key.upper(): words for key, words in SYSTEM.items()}
    run = isogloss.segmentation(write_rows("gold.jsonl", GOLD, "abc"), write_rows("system.jsonl", other, "ABC"))
    assert run.scores["word"].correct == 4
    assert [warning.code for warning in run.warnings] == ["format-detected", "format-detected", "ids-ignored"]


def test_ids_on_one_side_only_change_nothing() -> None:
    Path("system").write_text("a|b|c\nd|e\nf\n", encoding="utf-8")
    assert isogloss.segmentation(write_rows("gold.jsonl", GOLD, "abc"), "system").scores["word"].correct == 4
