from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports import by_hand, demo_runs, written

from isogloss.errors import FormatError, SourceError
from isogloss.kernel.provenance import Signature
from isogloss.report.run_files import load_curve_file, load_run_file, parse_signature

TASKS = ("ner", "segmentation", "entity-translation", "code-switching", "classification")


@pytest.mark.parametrize("task", TASKS)
def test_a_run_that_was_read_has_the_json_that_was_written(task: str, tmp_path: Path) -> None:
    runs = demo_runs(task)
    read = load_run_file(written(tmp_path / "runs.json", *runs))
    for own, run in zip(read, runs, strict=True):
        expected = {name: value for name, value in run.items() if name != "curves"}
        assert json.loads(own.run.to_json()) == json.loads(json.dumps(expected))


def test_a_file_may_hold_one_run_and_may_be_compressed(tmp_path: Path) -> None:
    path = tmp_path / "run.json.gz"
    path.write_bytes(gzip.compress(json.dumps(by_hand()).encode()))
    assert [one.run.system for one in load_run_file(str(path))] == ["a/system.conll"]


def compared(baseline: str, system: str, difference: float = 0.1) -> dict[str, Any]:
    """The JSON of a comparison in one score."""
    change = {"difference": difference, "low": None, "high": 0.2, "p": 0.01, "p_holm": 0.02, "method": "randomization"}
    return {"baseline": baseline, "system": system, "method": "randomization", "scores": {"strict.f1": change}}


def test_comparisons_are_of_the_first_run_with_each_other_one_whatever_they_are_called(tmp_path: Path) -> None:
    runs, pairs = [by_hand("x")] * 3, [compared("x", "x", 0.1), compared("x", "x", 0.3)]
    first, *others = load_run_file(written(tmp_path / "r.json", *runs, comparisons=pairs))
    assert (first.baseline, first.changes) == (None, {})
    assert [one.changes["strict.f1"].difference for one in others] == [0.1, 0.3]
    assert [one.changes["strict.f1"].p_holm for one in others] == [0.02, 0.02]
    assert [one.baseline for one in others] == [first, first]


@pytest.mark.parametrize(
    "pairs",
    [
        [compared("x", "z"), compared("x", "y")],
        [compared("x", "y")],
        [compared("y", "y"), compared("x", "z")],
        [compared("x", "y"), compared("x", "z"), compared("x", "z")],
    ],
)
def test_comparisons_of_other_runs_are_refused(pairs: list[dict[str, Any]], tmp_path: Path) -> None:
    runs = [by_hand("x"), by_hand("y"), by_hand("z")]
    with pytest.raises(FormatError, match="comparisons are not those of the other runs"):
        load_run_file(written(tmp_path / "r.json", *runs, comparisons=pairs))


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ([], "is not the JSON of a run"),
        ({"runs": []}, "has no run"),
        ({"runs": {}}, r"`\$\.runs`"),
        ({"runs": [{"task": "ner"}]}, r"`signature` - at `\$\.runs\[0\]`"),
        (by_hand(documents="two"), r"`\$\.documents`"),
        (by_hand(scores={"strict": {"f1": "high"}}), r"`\$\.scores\[\.\.\.\]\[\.\.\.\]`"),
        (by_hand(findings={"rows": [{"kind": 1}]}), r"`\$\.findings\.rows\[0\]\.kind`"),
        (by_hand(curves={"a": 3}), r"`\$\.curves\[\.\.\.\]`"),
        ({"runs": [by_hand()], "comparisons": [{"baseline": 1}]}, r"`\$\.comparisons\[0\]\.baseline`"),
    ],
)
def test_what_is_no_run_is_refused_with_its_place(document: Any, place: str, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(FormatError, match=place) as caught:
        load_run_file(str(path))
    assert caught.value.where == str(path)
    assert "-f json" in caught.value.remedy


def test_what_is_no_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text('{"task": ', encoding="utf-8")
    with pytest.raises(FormatError, match="is not JSON"):
        load_run_file(str(path))


def test_json_that_is_nested_too_deep_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text('{"a":' * 100_000 + "1" + "}" * 100_000, encoding="utf-8")
    with pytest.raises(FormatError, match="is not JSON"):
        load_run_file(str(path))


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such file"):
        load_run_file(str(tmp_path / "none.json"))


def test_a_mark_beyond_the_text_ends_with_it(tmp_path: Path) -> None:
    row = {"kind": "missed", "document": "1", "where": "f:1", "text": "abc"}
    marks = {"reference": {"start": 0, "end": 9, "label": "X", "in_text": [-4, 99]}}
    read = load_run_file(written(tmp_path / "r.json", by_hand(findings={"rows": [row | marks]})))
    mark = read[0].run.findings[0].marks[0]
    assert (mark.text_start, mark.text_end) == (0, 3)


def test_curves_of_several_systems_are_read(tmp_path: Path) -> None:
    curves = {"system": "s", "signature": "x", "curves": {"a": {"roc": None, "precision_recall": None}}}
    assert [own.system for own in load_curve_file(written(tmp_path / "c.json", curves, curves))] == ["s", "s"]
    with pytest.raises(FormatError, match="`curves`"):
        load_curve_file(written(tmp_path / "c.json", {"system": "s", "signature": "x"}))


NAMES = st.from_regex(r"[a-z-]{1,8}", fullmatch=True).filter(lambda name: name != "version")


@given(st.dictionaries(NAMES, st.text(max_size=8)))
def test_a_signature_that_was_read_is_written_as_it_was(choices: dict[str, str]) -> None:
    line = str(Signature("ner", "1.2", choices))
    found = parse_signature(line, "ner", "1.2")
    assert str(found) == line
    assert found.choices == choices
