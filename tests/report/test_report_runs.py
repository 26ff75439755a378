from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports import by_hand, corpora, demo_runs, written

from isogloss.errors import FormatError, UsageError
from isogloss.kernel.provenance import Signature
from isogloss.report.report_runs import (
    SystemCurves,
    group_by_corpus,
    list_report_runs,
    load_curve_file,
    load_run_file,
    parse_signature,
)

TASKS = ("ner", "segmentation", "entity-translation", "code-switching", "classification")


@pytest.mark.parametrize("task", TASKS)
def test_run_file_reads_back_to_the_same_json(task: str, tmp_path: Path) -> None:
    runs = demo_runs(task)
    read = load_run_file(written(tmp_path / "runs.json", *runs))
    for own, run in zip(read, runs, strict=True):
        expected = {name: value for name, value in run.items() if name != "curves"}
        assert json.loads(own.run.to_json()) == json.loads(json.dumps(expected))


def test_single_compressed_run_is_read(tmp_path: Path) -> None:
    path = tmp_path / "run.json.gz"
    path.write_bytes(gzip.compress(json.dumps(by_hand()).encode()))
    assert [one.run.system for one in load_run_file(str(path))] == ["a/system.conll"]


def compared(baseline: str, system: str, difference: float = 0.1) -> dict[str, Any]:
    """The JSON of a comparison in one score."""
    change = {"difference": difference, "low": None, "high": 0.2, "p": 0.01, "p_holm": 0.02, "method": "randomization"}
    return {"baseline": baseline, "system": system, "method": "randomization", "scores": {"strict.f1": change}}


def test_comparisons_are_matched_by_order(tmp_path: Path) -> None:
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
def test_mismatching_comparisons_are_refused(pairs: list[dict[str, Any]], tmp_path: Path) -> None:
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
def test_invalid_json_of_a_run_is_refused_with_place(document: Any, place: str, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(FormatError, match=place) as caught:
        load_run_file(str(path))
    assert caught.value.where == str(path)
    assert "-f json" in caught.value.remedy


@pytest.mark.parametrize("text", ['{"task": ', '{"a":' * 100_000 + "1" + "}" * 100_000], ids=["cut", "nested"])
def test_invalid_json_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match="is not JSON"):
        load_run_file(str(path))


def test_mark_beyond_the_text_is_clipped(tmp_path: Path) -> None:
    row = {"kind": "missed", "document": "1", "where": "f:1", "text": "abc"}
    marks = {"reference": {"start": 0, "end": 9, "label": "X", "in_text": [-4, 99]}}
    read = load_run_file(written(tmp_path / "r.json", by_hand(findings={"rows": [row | marks]})))
    mark = read[0].run.findings[0].marks[0]
    assert (mark.text_start, mark.text_end) == (0, 3)


def test_curve_file_of_several_systems_is_read(tmp_path: Path) -> None:
    curves = {"system": "s", "signature": "x", "curves": {"a": {"roc": None, "precision_recall": None}}}
    assert [own.system for own in load_curve_file(written(tmp_path / "c.json", curves, curves))] == ["s", "s"]
    with pytest.raises(FormatError, match="`curves`"):
        load_curve_file(written(tmp_path / "c.json", {"system": "s", "signature": "x"}))


NAMES = st.from_regex(r"[a-z-]{1,8}", fullmatch=True).filter(lambda name: name != "version")


@given(st.dictionaries(NAMES, st.text(max_size=8)))
def test_signature_parses_back_to_its_choices(choices: dict[str, str]) -> None:
    line = str(Signature("ner", "1.2", choices))
    found = parse_signature(line, "ner", "1.2")
    assert str(found) == line
    assert found.choices == choices


def on(corpus: str, system: str, **more: Any) -> dict[str, Any]:
    """A run of a system on the corpus of this name."""
    inputs = [{"role": "reference", "path": f"data/{corpus}/gold.conll", "sha256": corpus[-1] * 64}]
    return by_hand(f"data/{corpus}/{system}", inputs=inputs, **more)


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([("p", "x.test.conll"), ("q", "x.test.conll"), ("p", "y.test.conll")], {"p": ["x", "y"], "q": ["x"]}),
        ([("p", "x.conll")], {"data/p/gold.conll": ["x.conll"]}),
        ([("p", "x"), ("p", "x")], {"data/p/gold.conll": ["x", "x (2)"]}),
        (
            [("p", "newmm-2.0.5.label"), ("p", "newmm-5.4.label"), ("p", ".x.label")],
            {"data/p/gold.conll": ["newmm-2.0.5", "newmm-5.4", ".x"]},
        ),
        ([("p", "v1.0/x"), ("p", "v1.0/sub/x")], {"data/p/gold.conll": ["x", "sub/x"]}),
    ],
)
def test_runs_are_grouped_by_reference_and_have_short_names(
    runs: list[tuple[str, str]], expected: dict[str, list[str]], tmp_path: Path
) -> None:
    found = corpora(tmp_path / "r.json", *(on(*run) for run in runs))
    assert {corpus.name: [entry.name for entry in corpus.entries] for corpus in found} == expected


def test_code_switching_is_grouped_by_language(tmp_path: Path) -> None:
    run = dict(demo_runs("code-switching")[0])
    other = run | {"signature": run["signature"].replace("language:uk", "language:hi")}
    assert [corpus.name for corpus in corpora(tmp_path / "r.json", run, other)] == ["uk", "hi"]


def test_files_of_both_sides_share_a_corpus(tmp_path: Path) -> None:
    both = [{"role": role, "path": "s.jsonl", "sha256": "1" * 64} for role in ("reference", "prediction")]
    other = [{"role": role, "path": "t.jsonl", "sha256": "2" * 64} for role in ("reference", "prediction")]
    assert len(corpora(tmp_path / "r.json", by_hand("s.jsonl", inputs=both), by_hand("t.jsonl", inputs=other))) == 1


def test_anchors_are_numbered_over_all_corpora(tmp_path: Path) -> None:
    found = corpora(tmp_path / "r.json", on("p", "x"), on("q", "x"), on("p", "y"))
    assert [entry.id for entry in list_report_runs(found)] == ["run-1", "run-2", "run-3"]


def test_runs_of_several_tasks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="2: classification, ner"):
        corpora(tmp_path / "r.json", by_hand(), *demo_runs("classification"))


def test_curves_match_system_and_signature(tmp_path: Path) -> None:
    opened = load_run_file(written(tmp_path / "r.json", by_hand("x"), by_hand("y")))
    drawn = SystemCurves("y", "ner|scheme:iob2|version:9", {"a": {}})  # type: ignore[dict-item]  # what is in it does not matter
    assert [list(entry.curves) for entry in list_report_runs(group_by_corpus(opened, [drawn]))] == [[], ["a"]]
    with pytest.raises(UsageError, match="no run of the system 'z'"):
        group_by_corpus(opened, [SystemCurves("z", "ner|scheme:iob2|version:9", {})])


@pytest.mark.parametrize(("p_holm", "expected"), [(0.049, True), (0.05, False), (None, False)])
def test_corrected_p_below_5_percent_is_significant(tmp_path: Path, p_holm: float | None, expected: bool) -> None:  # noqa: FBT001
    change = {"difference": 0.1, "p": 0.001, "p_holm": p_holm}
    compared = [{"baseline": "d/x.c", "system": "d/y.c", "scores": {"strict.f1": change}}]
    found = corpora(tmp_path / "r.json", by_hand("d/x.c"), by_hand("d/y.c"), comparisons=compared)
    first, second = list_report_runs(found)
    assert second.is_significant("strict.f1") is expected
    assert not first.is_significant("strict.f1")
    assert second.baseline_name == "x"


def test_each_file_has_its_own_baseline(tmp_path: Path) -> None:
    pair = {"baseline": "x", "system": "x", "scores": {"strict.f1": {"difference": 0.1, "p_holm": 0.001}}}
    files = [
        written(tmp_path / name, *[by_hand("x")] * number, comparisons=[pair] * (number - 1))
        for name, number in (("1.json", 3), ("2.json", 2))
    ]
    found = list_report_runs(group_by_corpus([one for file in files for one in load_run_file(file)]))
    assert [entry.baseline_name for entry in found] == [None, "x", "x", None, "x (4)"]
    assert [entry.is_significant("strict.f1") for entry in found] == [False, True, True, False, True]
