"""Shards at the command line: folders, quoted patterns, and patterns that the shell has replaced."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isogloss.cli import run
from isogloss.cli.output import measure_input

Streams = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for side, label in (("gold", "PER"), ("sys", "LOC"), ("crf", "PER")):
        Path(side).mkdir()
        for number in (1, 2):
            row = {"id": str(number), "text": "Ada", "entities": [[0, 3, label]]}
            Path(side, f"{side}-{number}.jsonl").write_text(json.dumps(row) + "\n")


def test_each_folder_or_quoted_pattern_is_a_system(capsys: Streams) -> None:
    assert run(["ner", "gold", "sys", "crf/crf-*.jsonl", "-f", "json"]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert [(each["system"], each["scores"]["strict"]["correct"]) for each in runs] == [
        ("sys", 0),
        ("crf/crf-*.jsonl", 2),
    ]


def test_a_replaced_pattern_is_named_in_the_error(capsys: Streams) -> None:
    assert run(["ner", "gold", "sys/sys-1.jsonl", "sys/sys-2.jsonl"]) == 3
    assert (
        "put its pattern in quotes, which the shell leaves as it is: gold 'sys/sys-*.jsonl'." in capsys.readouterr().err
    )


def test_a_shard_is_not_overwritten(capsys: Streams) -> None:
    assert run(["ner", "gold", "sys", "-o", "sys/sys-2.jsonl"]) == 2
    assert "-o sys/sys-2.jsonl is an input file" in capsys.readouterr().err


def test_shards_are_converted_and_checked_as_one_file(capsys: Streams) -> None:
    assert run(["convert", "gold", "--to", "jsonl", "-o", "whole.jsonl", "-q"]) == 0
    whole = [json.loads(line) for line in Path("whole.jsonl").read_text().splitlines()]
    assert [row["id"] for row in whole] == ["1", "2"]
    assert run(["lint", "ner", "gold", "-f", "json"]) == 0
    (fault,) = json.loads(capsys.readouterr().out)["faults"]
    assert fault["where"] == "gold/gold-2.jsonl:1"


def test_the_size_of_a_pattern_is_that_of_its_files() -> None:
    assert (
        measure_input(["gold/gold-*.jsonl"]) == measure_input(["gold"]) == 2 * Path("gold/gold-1.jsonl").stat().st_size
    )
