from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from translations import task, write

from isogloss.errors import FormatError
from isogloss.records.sources import Source
from isogloss.tasks.entity_translation.lint import (
    SEVERE_FAULTS,
    ReferenceFault,
    format_reference_faults,
    lint_references,
    to_faults_json,
)

SOUND = task("Q1_0", "Duna", wikidata_id="Q1", entity_types=["Book"], source="Who wrote Dune?", target_locale="it")


def faults(tmp_path: Path, *rows: Any) -> list[ReferenceFault]:
    return lint_references(Source(write(tmp_path / "it_IT.jsonl", rows)))


def with_targets(*targets: tuple[str, str]) -> dict[str, Any]:
    return SOUND | {"targets": [{"mention": mention, "translation": translation} for mention, translation in targets]}


def test_a_sound_row_has_no_faults(tmp_path: Path) -> None:
    assert faults(tmp_path, SOUND) == []
    assert format_reference_faults([]) == "No faults found.\n"


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (SOUND | {"targets": []}, "no-targets"),
        (SOUND | {"id": ""}, "empty-id"),
        (SOUND | {"id": "Q1_12"}, "foreign-id"),
        (SOUND | {"entity_types": []}, "no-entity-types"),
        (SOUND | {"wikidata_id": None}, "no-entity"),
        (SOUND | {"target_locale": "th"}, "other-language"),
        (SOUND | {"source": "Chi è Duna?"}, "mention-in-source"),
        (with_targets(("", "Chi?")), "empty-mention"),
        (with_targets((" ", "Chi è?")), "empty-mention"),
        (with_targets(("Duna", "Chi ha scritto Dune?")), "mention-absent"),
        (with_targets(("Duna", "«Duna?»")), "mention-is-sentence"),
        (with_targets((" Duna", "La Duna")), "spaces-around-mention"),
        (with_targets(("x", "La x qui")), "short-mention"),
        (with_targets(("Cafe\u0301", "Il cafe\u0301 qui")), "not-composed"),
    ],
)
def test_fault_has_place_and_id(tmp_path: Path, row: dict[str, Any], code: str) -> None:
    [fault] = faults(tmp_path, "", row)
    assert (fault.code, fault.where, fault.id) == (code, f"{tmp_path / 'it_IT.jsonl'}:2", row["id"])
    assert fault.is_severe == (code in SEVERE_FAULTS)


def test_duplicate_id_names_the_first_line(tmp_path: Path) -> None:
    [fault] = faults(tmp_path, SOUND, SOUND)
    assert (fault.code, fault.message) == ("duplicate-id", "the id occurs before, in line 1")


def test_a_name_in_capitals_is_in_its_translation(tmp_path: Path) -> None:
    assert faults(tmp_path, with_targets(("DUNA", "La duna è qui"))) == []


def test_equal_targets_are_one_fault(tmp_path: Path) -> None:
    assert len(faults(tmp_path, with_targets(("Duna", "Dune?"), ("Duna", "Dune?")))) == 1


def test_all_files_of_a_folder_are_checked(tmp_path: Path) -> None:
    for name in ("it.jsonl", "th.jsonl"):
        write(tmp_path / "r" / name, [SOUND | {"target_locale": None, "targets": []}])
    assert [Path(fault.where).name for fault in lint_references(Source(tmp_path / "r"))] == ["it.jsonl:1", "th.jsonl:1"]


def test_shards_of_a_language_are_one_file(tmp_path: Path) -> None:
    for number in (1, 2):
        write(tmp_path / f"it-{number}.jsonl", [SOUND])
    faults = lint_references(Source(tmp_path / "it-*.jsonl"))
    assert [(fault.where, fault.message) for fault in faults if fault.code == "duplicate-id"] == [
        (f"{tmp_path}/it-2.jsonl:1", f"the id occurs before, in {tmp_path}/it-1.jsonl:1")
    ]


def test_a_broken_line_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="does not end in its line"):
        faults(tmp_path, "{")


def test_faults_are_counted_for_people_and_for_programs(tmp_path: Path) -> None:
    found = faults(
        tmp_path,
        SOUND | {"targets": []},
        SOUND | {"id": "Q2_0", "wikidata_id": ""},
        SOUND | {"id": "Q3_0", "wikidata_id": ""},
    )
    assert [line.split() for line in format_reference_faults(found).splitlines()[-2:]] == [
        ["2", "no-entity"],
        ["1", "no-targets"],
    ]
    document = json.loads(to_faults_json(found))
    assert document["counts"] == {"no-entity": 2, "no-targets": 1}
    assert set(document["faults"][0]) == {"code", "severe", "where", "id", "message"}
