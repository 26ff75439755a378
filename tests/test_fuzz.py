"""Mutants of small files are scored as a naive reader reads them, or refused; `tools/fuzz.py` makes them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

TOOL = Path(__file__).parents[1] / "tools" / "fuzz.py"
READERS = (
    *("ner-conll", "ner-jsonl", "segmentation-pipes", "code-switching-csv"),
    *("code-switching-jsonl", "classification-jsonl"),
)


def load_tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fuzz_tool", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


FUZZ: Any = load_tool()
TARGETS = {target.name: target for target in FUZZ.list_targets() if not target.name.endswith(("-parquet", "-arrow"))}


@pytest.mark.parametrize("name", READERS)
def test_thousand_mutants_are_read_as_a_naive_reader_reads_them(name: str, tmp_path: Path) -> None:
    report = FUZZ.fuzz(TARGETS[name], 1000, 1, tmp_path)
    assert report.faults == []
    assert report.outcomes["scored"] > 50
    assert report.outcomes["refused"] > 50


@pytest.mark.parametrize("name", TARGETS)
def test_sound_seeds_are_scored_without_a_difference(name: str, tmp_path: Path) -> None:
    target = TARGETS[name]
    (tmp_path / target.file).parent.mkdir(exist_ok=True)
    for seed in target.seeds:
        (tmp_path / target.file).write_bytes(seed)
        found = target.score(tmp_path / target.file)
        assert target.naive is None or target.naive(seed) in (None, found)


def test_fuzzer_reports_a_reader_that_loses_rows_or_crashes(tmp_path: Path) -> None:
    def lose(path: Path) -> tuple[int]:
        return (len(path.read_bytes().split(b"\n")) - 2,)

    def crash(path: Path) -> None:
        raise KeyError(path.name)

    good = TARGETS["ner-jsonl"]
    losing = FUZZ.Target("losing", good.seeds, "a.jsonl", lose, FUZZ.count_json_rows)
    crashing = FUZZ.Target("crashing", good.seeds, "a.jsonl", crash)
    assert {outcome for outcome, _, _ in FUZZ.fuzz(losing, 20, 1, tmp_path).faults} == {"silent loss"}
    assert {outcome for outcome, _, _ in FUZZ.fuzz(crashing, 5, 1, tmp_path).faults} == {"traceback"}
