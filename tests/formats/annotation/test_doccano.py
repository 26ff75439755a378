from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from span_texts import content, read

from isogloss.errors import FormatError
from isogloss.formats.detection import detect_format
from isogloss.records.sources import Source

ADA = {"text": "Ada met Bob", "label": [[0, 3, "PER"], [8, 11, "PER"]]}
RELATIONS = {
    "id": 5,
    "text": "Ada met Bob",
    "Comments": [],
    "entities": [{"id": 7, "label": "PER", "start_offset": 0, "end_offset": 3}],
    "relations": [{"id": 1, "from_id": 7, "to_id": 7, "type": "is"}],
}


def file(folder: Path, *rows: Any, lines: bool = True) -> Path:
    text = "\n".join(json.dumps(row) for row in rows) if lines else json.dumps(rows)
    path = folder / "f.jsonl"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("lines", [True, False])
def test_spans_are_the_triples_of_label(tmp_path: Path, lines: bool) -> None:  # noqa: FBT001  a parameter
    found = read(file(tmp_path, {"id": 3, **ADA, "Comments": []}, {"id": 4, "text": "", "label": []}, lines=lines))
    assert [content(each) for each in found] == [("3", "Ada met Bob", [(0, 3, "PER"), (8, 11, "PER")]), ("4", "", [])]
    assert found[1].line == (2 if lines else "1, item 2")


@pytest.mark.parametrize(
    "row",
    [
        {"data": "Ada met Bob", "label": [[0, 3, "PER"]]},
        {"text": "Ada met Bob", "meta": {}, "annotation_approver": None, "labels": [[0, 3, "PER"]]},
        RELATIONS,
    ],
)
def test_other_versions_have_other_keys(tmp_path: Path, row: dict[str, Any]) -> None:
    path = file(tmp_path, row)
    assert detect_format(Source(path)) == "doccano"
    assert (read(path)[0].text, read(path)[0].spans) == ("Ada met Bob", [(0, 3, "PER")])


def test_intents_with_slots_are_read_when_the_format_is_named(tmp_path: Path) -> None:
    path = file(tmp_path, {"id": 1, "text": "fly to Oslo", "cats": ["flight"], "entities": [[7, 11, "LOC"]]})
    assert read(path, "doccano")[0].spans == [(7, 11, "LOC")]


def test_drawn_spans_use_code_units_only_with_repair(tmp_path: Path) -> None:
    row = {"text": "🚒 ไป เชียงใหม่ 🚒", "label": [[6, 15, "LOC"]]}
    (plain,), (repaired,) = read(file(tmp_path, row)), read(file(tmp_path, row), repair_offsets=True)
    assert (plain.spans, [each.code for each in plain.warnings]) == ([(6, 15, "LOC")], ["offsets-uncertain"])
    assert (repaired.spans, [each.code for each in repaired.warnings]) == ([(5, 14, "LOC")], ["offsets-repaired"])
    assert row["text"][5:14] == "เชียงใหม่"


def test_the_export_with_numbers_for_labels_is_refused(tmp_path: Path) -> None:
    path = file(tmp_path, {"text": "x", "annotations": [{"label": 2, "start_offset": 0, "end_offset": 1, "user": 1}]})
    assert detect_format(Source(path)) == "doccano"
    with pytest.raises(FormatError, match=r"JSONL \(Text-Labels\)"):
        read(path)
