"""The history of the benchmarks: its lines, what a run is compared with, and which ratios fell."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def history(load: Callable[[str], Any]) -> Any:
    return load("history")


@pytest.fixture
def row(load: Callable[[str], Any]) -> Callable[..., Any]:
    def make(ratio: float | None, tool: str = "peer", benchmark: str = "ner") -> Any:
        return load("rows").Row(benchmark, "lists", tool, 1.0, 1.0, ratio)

    return make


@pytest.fixture
def line(history: Any) -> Callable[..., Any]:
    def make(*rows: Any, label: str = "", quick: bool = False, accepted: bool = True, commit: str = "0" * 40) -> Any:
        return history.Line("2026-11-22", commit, label, quick, accepted, 2, {"python": "3.11.7"}, list(rows))

    return make


def test_ratio_that_fell_by_more_than_a_third_is_found(history: Any, row: Any, line: Any) -> None:
    (fall,) = history.find_falls(line(row(30.0), label="before"), [row(19.9)])
    assert str(fall) == "ner: lists: peer: 30x before, 19.9x now (before: 2026-11-22, 00000000, before)"


@pytest.mark.parametrize("now", [20.0, 30.0, 90.0])
def test_ratio_may_fall_by_a_third_or_rise(history: Any, row: Any, line: Any, now: float) -> None:
    assert history.find_falls(line(row(30.0)), [row(now)]) == []


def test_ratios_between_our_own_tools_are_not_compared(history: Any, row: Any, line: Any) -> None:
    assert history.find_falls(line(row(30.0, "isogloss, shuffled")), [row(1.0, "isogloss, shuffled")]) == []


def test_ratio_that_is_not_measured_again_is_reported(history: Any, row: Any, line: Any) -> None:
    before = line(row(30.0), row(5.0, "other"), row(7.0, benchmark="tags"))
    now = [row(None), row(5.0, "other")]
    assert history.find_falls(before, now) == []
    assert history.find_unmeasured(before, now) == [row(30.0)]


def test_baseline_is_the_last_accepted_line_of_each_benchmark(history: Any, row: Any, line: Any) -> None:
    both = line(row(1.0), row(2.0, benchmark="tags"))
    later, refused = line(row(3.0)), line(row(4.0), row(5.0, benchmark="tags"), accepted=False)
    found = history.find_baselines([both, later, refused], ["ner", "tags", "store"], quick=False)
    assert found == {"ner": later, "tags": both}


def test_quick_runs_are_compared_with_quick_runs(history: Any, row: Any, line: Any) -> None:
    quick, full = line(row(1.0), quick=True), line(row(2.0))
    assert history.find_baselines([quick, full], ["ner"], quick=True) == {"ner": quick}
    assert history.find_baselines([quick, full], ["ner"], quick=False) == {"ner": full}


def test_baseline_by_label_need_not_be_accepted(history: Any, row: Any, line: Any) -> None:
    labelled = line(row(1.0), label="before", accepted=False)
    found = history.find_baselines([labelled, line(row(2.0))], ["ner"], quick=False, against="before")
    assert found == {"ner": labelled}


def test_unknown_label_is_an_error(history: Any, row: Any, line: Any) -> None:
    with pytest.raises(LookupError, match="no full run with the label or commit 'before'"):
        history.find_baselines([line(row(1.0), label="before", quick=True)], ["ner"], quick=False, against="before")


def test_lines_are_read_as_they_were_written(history: Any, row: Any, line: Any, tmp_path: Path) -> None:
    lines = [line(row(1.5), label="első"), line(row(None), quick=True)]
    for each in lines:
        history.append_line(tmp_path / "history.jsonl", each)
    assert history.read_lines(tmp_path / "history.jsonl") == lines


def test_line_is_one_json_object_with_these_keys(history: Any, row: Any, line: Any, tmp_path: Path) -> None:
    history.append_line(tmp_path / "history.jsonl", line(row(1.5)))
    (text,) = (tmp_path / "history.jsonl").read_text(encoding="utf-8").splitlines()
    stored = json.loads(text)
    assert list(stored) == ["date", "commit", "label", "quick", "accepted", "cores", "versions", "rows"]
    keys = ["benchmark", "case", "tool", "cpu_seconds", "peak_mb", "ratio_to_ours", "note"]
    assert [list(each) for each in stored["rows"]] == [keys]


def test_new_line_names_neither_host_nor_folder(history: Any, row: Any, tmp_path: Path) -> None:
    new = history.new_line([row(1.5)], label="before", quick=False, accepted=True)
    history.append_line(tmp_path / "history.jsonl", new)
    text = (tmp_path / "history.jsonl").read_text(encoding="utf-8")
    assert new.versions["python"] == platform.python_version()
    assert str(Path.cwd()) not in text
    assert platform.node() not in text


def test_committed_history_can_be_read(history: Any) -> None:
    for each in history.read_lines(history.HERE / "history.jsonl"):
        assert each.rows
