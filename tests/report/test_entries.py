from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from reports import by_hand, corpora, demo_runs, written

from isogloss.errors import UsageError
from isogloss.report.report_runs import ReportCorpus, SystemCurves, group_by_corpus, list_entries, load_run_file


def on(corpus: str, system: str, **more: Any) -> dict[str, Any]:
    """A run of a system on the corpus of this name."""
    inputs = [{"role": "reference", "path": f"data/{corpus}/gold.conll", "sha256": corpus[-1] * 64}]
    return by_hand(f"data/{corpus}/{system}", inputs=inputs, **more)


def names(found: tuple[ReportCorpus, ...]) -> dict[str, list[str]]:
    return {corpus.name: [entry.name for entry in corpus.entries] for corpus in found}


def test_runs_are_grouped_by_the_digest_of_their_reference(tmp_path: Path) -> None:
    runs = [on("p", "x.test.conll"), on("q", "x.test.conll"), on("p", "y.test.conll")]
    assert names(corpora(tmp_path / "r.json", *runs)) == {"p": ["x", "y"], "q": ["x"]}


def test_a_single_run_is_called_by_its_file_and_its_corpus_by_its_path(tmp_path: Path) -> None:
    assert names(corpora(tmp_path / "r.json", on("p", "x.conll"))) == {"data/p/gold.conll": ["x.conll"]}


def test_points_inside_names_are_kept(tmp_path: Path) -> None:
    runs = [on("p", "newmm-2.0.5.label"), on("p", "newmm-5.4.label"), on("p", ".x.label")]
    assert names(corpora(tmp_path / "r.json", *runs))["data/p/gold.conll"] == ["newmm-2.0.5", "newmm-5.4", ".x"]
    runs = [by_hand("v1.0/x"), by_hand("v1.0/sub/x")]
    assert names(corpora(tmp_path / "r.json", *runs))["a/gold.conll"] == ["x", "sub/x"]


def test_systems_with_one_name_are_numbered(tmp_path: Path) -> None:
    assert names(corpora(tmp_path / "r.json", by_hand("x"), by_hand("x"))) == {"a/gold.conll": ["x", "x (2)"]}


def test_code_switching_has_a_corpus_for_each_language(tmp_path: Path) -> None:
    run = dict(demo_runs("code-switching")[0])
    other = run | {"signature": run["signature"].replace("language:uk", "language:hi")}
    assert list(names(corpora(tmp_path / "r.json", run, other))) == ["uk", "hi"]


def test_a_file_with_gold_and_scores_is_no_corpus_of_its_own(tmp_path: Path) -> None:
    both = [{"role": role, "path": "s.jsonl", "sha256": "1" * 64} for role in ("reference", "prediction")]
    other = [{"role": role, "path": "t.jsonl", "sha256": "2" * 64} for role in ("reference", "prediction")]
    assert len(corpora(tmp_path / "r.json", by_hand("s.jsonl", inputs=both), by_hand("t.jsonl", inputs=other))) == 1


def test_anchors_are_numbered_over_all_corpora(tmp_path: Path) -> None:
    found = corpora(tmp_path / "r.json", on("p", "x"), on("q", "x"), on("p", "y"))
    assert [entry.id for entry in list_entries(found)] == ["run-1", "run-2", "run-3"]


def test_runs_of_several_tasks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="2: classification, ner"):
        corpora(tmp_path / "r.json", by_hand(), *demo_runs("classification"))


def test_curves_belong_to_the_run_of_their_system_and_signature(tmp_path: Path) -> None:
    opened = load_run_file(written(tmp_path / "r.json", by_hand("x"), by_hand("y")))
    drawn = SystemCurves("y", "ner|scheme:iob2|version:9", {"a": {}})  # type: ignore[dict-item]  # what is in it does not matter
    assert [list(entry.curves) for entry in list_entries(group_by_corpus(opened, [drawn]))] == [[], ["a"]]
    with pytest.raises(UsageError, match="no run of the system 'z'"):
        group_by_corpus(opened, [SystemCurves("z", "ner|scheme:iob2|version:9", {})])


@pytest.mark.parametrize(("p_holm", "expected"), [(0.049, True), (0.05, False), (None, False)])
def test_a_corrected_p_below_5_percent_is_significant(tmp_path: Path, p_holm: float | None, expected: bool) -> None:  # noqa: FBT001
    change = {"difference": 0.1, "p": 0.001, "p_holm": p_holm}
    compared = [{"baseline": "d/x.c", "system": "d/y.c", "scores": {"strict.f1": change}}]
    found = corpora(tmp_path / "r.json", by_hand("d/x.c"), by_hand("d/y.c"), comparisons=compared)
    first, second = list_entries(found)
    assert second.is_significant("strict.f1") is expected
    assert not first.is_significant("strict.f1")
    assert second.baseline_name == "x"


def test_of_systems_with_one_name_the_first_is_the_baseline(tmp_path: Path) -> None:
    pair = {"baseline": "x", "system": "x", "scores": {"strict.f1": {"difference": 0.1, "p_holm": 0.001}}}
    runs = [by_hand("x") for _ in range(3)]
    found = list_entries(corpora(tmp_path / "r.json", *runs, comparisons=[pair, pair]))
    assert [(entry.name, entry.baseline_name) for entry in found] == [("x", None), ("x (2)", "x"), ("x (3)", "x")]
    assert [entry.is_significant("strict.f1") for entry in found] == [False, True, True]


def test_each_file_has_its_own_baseline(tmp_path: Path) -> None:
    pair = {"baseline": "x", "system": "x", "scores": {}}
    opened = [
        one
        for name in ("1.json", "2.json")
        for one in load_run_file(written(tmp_path / name, by_hand("x"), by_hand("x"), comparisons=[pair]))
    ]
    assert [entry.baseline_name for entry in list_entries(group_by_corpus(opened))] == [None, "x", None, "x (3)"]
