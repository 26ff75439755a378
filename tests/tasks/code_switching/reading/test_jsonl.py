from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from text_rows import read_rows

from isogloss.tasks.code_switching.rows import TextRow


def read(tmp_path: Path, *given: Any, **options: Any) -> list[TextRow]:
    path = tmp_path / "f"
    path.write_text("".join(row if isinstance(row, str) else json.dumps(row) + "\n" for row in given))
    return read_rows(path, input_format="jsonl", **options)


def test_a_row_is_a_text_with_its_id_and_line(tmp_path: Path) -> None:
    found = read(tmp_path, {"id": "a", "text": "one\ntwo", "model": {"size": [7]}}, "\n", {"text": "", "id": 7})
    assert found == [TextRow("one\ntwo", 1, "a"), TextRow("", 3, "7")]


def test_rows_without_ids_are_numbered(tmp_path: Path) -> None:
    found = read(tmp_path, "\n", {"text": "one"}, {"id": None, "text": "two"})
    assert found == [TextRow("one", 2, "1"), TextRow("two", 3, "2")]


@pytest.mark.parametrize("none", [None, ""])
def test_ids_can_be_ignored(tmp_path: Path, none: str | None) -> None:
    found = read(tmp_path, {"id": "a", "text": "one"}, {"id": "a", "text": "two"}, id_field=none)
    assert [row.name for row in found] == ["1", "2"]


def test_equal_hashes_of_different_ids_are_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.records.pairing.hash", lambda _: 0, raising=False)
    assert [row.name for row in read(tmp_path, {"id": "a", "text": "1"}, {"id": "b", "text": "2"})] == ["a", "b"]


def test_fields_can_have_any_names(tmp_path: Path) -> None:
    given = {"key": 3, "answer": "да", "question": "Кто?", "text": None, "id": [], "prompt": 0}
    found = read(tmp_path, given, text_field="answer", id_field="key", prompt_field="question")
    assert found == [TextRow("да", 1, "3", prompt="Кто?")]


@pytest.mark.parametrize("extra", [{}, {"tokens": [[0, 2]]}])
def test_a_prompt_is_read_only_if_its_field_is_named(tmp_path: Path, extra: dict[str, Any]) -> None:
    given = {"text": "да", "prompt": "Кто?", **extra}
    assert [row.prompt for row in read(tmp_path, given)] == [None]
    assert [row.prompt for row in read(tmp_path, given, prompt_field="prompt")] == ["Кто?"]
    assert [row.prompt for row in read(tmp_path, {**given, "prompt": None}, prompt_field="prompt")] == [None]


def test_a_name_with_dots_is_a_field_of_a_field(tmp_path: Path) -> None:
    given = {"response": {"text": "a", "meta": {"id": 5}}, "id": "other"}
    assert read(tmp_path, given, text_field="response.text", id_field="response.meta.id") == [TextRow("a", 1, "5")]
    assert read(tmp_path, {"text": "b", "meta": {"id": "x"}}, id_field="meta.id") == [TextRow("b", 1, "x")]


def test_a_field_with_dots_in_its_name_comes_first(tmp_path: Path) -> None:
    given = {"response.text": "flat", "response": {"text": "nested"}}
    assert [row.text for row in read(tmp_path, given, text_field="response.text")] == ["flat"]


def test_a_field_of_segments_may_be_the_text(tmp_path: Path) -> None:
    given = {"tokens": "two words", "sentences": [[0, 3]]}
    assert read(tmp_path, given, text_field="tokens") == [TextRow("two words", 1, "1", sentences=((0, 3),))]


def test_a_file_may_mix_rows_with_and_without_segments(tmp_path: Path) -> None:
    found = read(tmp_path, {"text": "one"}, {"text": "two", "tokens": ["two"]}, {"text": "three", "tokens": None})
    assert found == [TextRow("one", 1, "1"), TextRow("two", 2, "2", ((0, 3),), ((0, 3),)), TextRow("three", 3, "3")]
