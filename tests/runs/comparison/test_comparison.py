from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import isogloss
from isogloss.errors import MismatchError, UsageError
from isogloss.kernel.scores import format_path, parse_path
from isogloss.report.run_tables import build_tables
from isogloss.runs.comparison import Comparison, WorseVerdict, compare, judge_worse
from isogloss.runs.pair_comparison import ComparisonOptions, RunPair
from isogloss.runs.run import Run
from isogloss.stats.smallest_p import SmallestP

GOLD = [["B-PER", "O"], ["B-LOC", "B-PER"], ["B-PER", "B-LOC"], ["O", "B-PER"], ["B-LOC", "O"], ["B-PER", "I-PER"]]
GOOD = [["B-PER", "O"], ["B-LOC", "B-PER"], ["B-PER", "O"], ["O", "B-PER"], ["B-LOC", "O"], ["B-PER", "O"]]
POOR = [["O", "O"], ["B-LOC", "B-LOC"], ["B-PER", "O"], ["O", "B-PER"], ["B-PER", "O"], ["B-PER", "I-PER"]]


def ner(prediction: list[list[str]], **more: Any) -> Run:
    return isogloss.ner(GOLD, prediction, scheme="iob2", **more)


def f1(sides: list[tuple[list[str], list[str]]]) -> float:
    run = isogloss.ner([gold for gold, _ in sides], [tags for _, tags in sides], scheme="iob2")
    return float(run.score("strict.f1"))


def test_p_is_that_of_all_exchanges() -> None:
    observed = ner(POOR).scores["strict"].f1 - ner(GOOD).scores["strict"].f1
    extreme = 0
    for exchanged in itertools.product((False, True), repeat=len(GOLD)):
        rows = [(g, b, a) if swap else (g, a, b) for swap, g, a, b in zip(exchanged, GOLD, GOOD, POOR, strict=True)]
        moved = f1([(g, b) for g, _, b in rows]) - f1([(g, a) for g, a, _ in rows])
        extreme += abs(moved) >= abs(observed) - 1e-12
    exact = extreme / 2 ** len(GOLD)
    found = compare(ner(GOOD), ner(POOR)).pairs[0].scores["strict.f1"]
    assert found.difference == pytest.approx(observed, abs=1e-15)
    assert found.p == pytest.approx(exact, rel=1e-12)


def test_equal_systems_have_p_of_one() -> None:
    found = compare(ner(GOOD), ner(GOOD)).pairs[0]
    assert {score.p for score in found.scores.values() if not math.isnan(score.difference)} == {1.0}
    assert {score.difference for score in found.scores.values() if not math.isnan(score.difference)} == {0.0}


def test_exchanged_systems_mirror_difference_and_keep_p() -> None:
    one = compare(ner(GOOD), ner(POOR)).pairs[0].scores
    two = compare(ner(POOR), ner(GOOD)).pairs[0].scores
    for name, found in one.items():
        if not math.isnan(found.difference):
            assert two[name].p == found.p, name
            mirrored = [-found.difference, -found.high, -found.low]
            assert [two[name].difference, two[name].low, two[name].high] == pytest.approx(mirrored, nan_ok=True), name


def test_each_system_is_compared_with_the_first() -> None:
    comparison = compare(ner(GOOD), ner(POOR), ner(GOLD))
    assert [pair.baseline is comparison.runs[0] for pair in comparison.pairs] == [True, True]
    assert [pair.other for pair in comparison.pairs] == [*comparison.runs[1:]]


def test_holm_families_are_systems_labels_and_slices() -> None:
    pairs = compare(ner(GOOD), ner(POOR), ner(GOLD)).pairs
    overall = sorted(pair.scores["strict.f1"].p for pair in pairs)
    assert min(pair.scores["strict.f1"].p_holm for pair in pairs) == pytest.approx(min(1, 2 * overall[0]))
    labels = [pair.scores[f"by_label.{label}.strict.f1"] for pair in pairs for label in ("LOC", "PER")]
    assert min(found.p_holm for found in labels) == pytest.approx(min(1, 4 * min(found.p for found in labels)))


def test_wins_ties_and_losses_are_counted_by_document() -> None:
    duel = compare(ner(GOOD), ner(POOR)).pairs[0].document_comparisons["strict.f1"]
    assert (duel.wins, duel.ties, duel.losses, duel.undefined) == (1, 2, 3, 0)
    assert (duel.only_baseline.tolist(), duel.only_other.tolist()) == ([0, 1, 4], [5])


def test_documents_only_one_system_gets_right_are_named() -> None:
    assert compare(ner(GOOD), ner(POOR)).pairs[0].name_only_right("strict.f1") == (["1", "2", "5"], ["6"])
    references = [{"id": f"Q{k}_0", "targets": [{"mention": "x"}]} for k in range(4)]
    runs = [
        isogloss.entity_translation(references, answers) for answers in (["x", "x", "y", "x"], ["y", "x", "x", "y"])
    ]
    told = compare(*runs).pairs[0].to_dict()["per_document"]["m_eta.accuracy"]
    assert (told["only_baseline_documents"], told["only_system_documents"]) == (["Q0_0", "Q3_0"], ["Q2_0"])


def test_binary_document_scores_have_mcnemar_p() -> None:
    references = [{"id": f"Q{k}_0", "targets": [{"mention": "Duna"}]} for k in range(10)]
    runs = [
        isogloss.entity_translation(references, answers) for answers in (["Duna"] * 9 + ["?"], ["?"] * 8 + ["Duna"] * 2)
    ]
    told = compare(*runs, unit="document").pairs[0].to_dict()["per_document"]["m_eta.accuracy"]
    assert (told["only_baseline"], told["only_system"]) == (8, 1)
    assert told["mcnemar"] == pytest.approx(2 * (1 + 9) / 2**9)
    assert "mcnemar_clustered" not in told


def test_mcnemar_exchanges_whole_clusters() -> None:
    """Four entities of 10 questions each: the clusters gain 10, 10, 10 and lose 2, and 28 or more of 32 has 4 signs."""
    references = [{"id": f"Q{k // 10}_{k}", "targets": [{"mention": "Duna"}]} for k in range(40)]
    answers = (["?"] * 30 + ["Duna"] * 10, ["Duna"] * 38 + ["?"] * 2)
    pair = compare(*(isogloss.entity_translation(references, each) for each in answers)).pairs[0]
    told = pair.to_dict()["per_document"]["m_eta.accuracy"]
    assert "mcnemar" not in told
    assert told["mcnemar_clustered"] == pytest.approx(4 / 2**4)
    (table,) = (
        table
        for table in build_tables([pair.baseline, pair.other], Comparison((pair.baseline, pair.other), pair.options))
        if "against" in table.title and table.columns[0].title == "score"
    )
    assert "p (McNemar by entity)" in [column.title for column in table.columns]
    assert "exact: all exchanges" in table.title


def test_auc_without_variance_exchanges_documents() -> None:
    """One system puts all of four documents right, the other all wrong: no document contradicts, but there are four.

    Of 16 exchanges only those of none and of all documents leave a difference of 1.
    """
    gold, right = ["a", "a", "b", "b"], [0.9, 0.9, 0.1, 0.1]
    scores = [[{"a": x, "b": 1 - x} for x in row] for row in (right, right[::-1])]
    found = compare(*(isogloss.classification(gold, each) for each in scores)).pairs[0].scores
    for name in ("roc_auc.macro", "by_label.a.ranking.roc_auc"):
        assert (found[name].difference, found[name].test_result.method) == (-1, "rank_randomization")
        assert found[name].p == 1 / 8


@pytest.mark.parametrize(("times", "method"), [(5, "delong"), (4, "rank_randomization")])
def test_auc_uses_delong_if_positives_and_negatives_are_enough(times: int, method: str) -> None:
    gold = ["a", "b", "a", "b", "a", "b", "a", "b"] * times  # 20 of each label, or 16
    rows = [0.9, 0.2, 0.6, 0.7, 0.8, 0.1, 0.3, 0.4], [0.5] * 8
    scores = [[{"a": x, "b": 1 - x} for x in row] * times for row in rows]
    found = compare(*(isogloss.classification(gold, each) for each in scores)).pairs[0].scores
    assert found["by_label.a.ranking.roc_auc"].test_result.method == method
    assert found["roc_auc.macro"].test_result.method == method
    assert found["by_label.a.ranking.roc_auc"].system == 0.5
    assert found["overall.accuracy"].test_result.method == "randomization"


@pytest.mark.parametrize(("number", "expected"), [(19, True), (20, False)])
def test_few_positives_are_a_warning_and_resampled(number: int, expected: bool) -> None:  # noqa: FBT001  a case
    gold = ["a"] * number + ["b"] * 30
    scores = [[{"a": (k * step % 49) / 49, "b": 0.5} for k in range(len(gold))] for step in (5, 11)]
    runs = [isogloss.classification(gold, each) for each in scores]
    by_ranks, by_bootstrap = (
        compare(*runs, method=method, resamples=50).pairs[0] for method in ("randomization", "bootstrap")
    )
    for pair in (by_ranks, by_bootstrap):
        assert ("few-positives" in [warning.code for warning in pair.warnings]) is expected
    path = "by_label.a.ranking.average_precision"
    assert by_ranks.scores[path].test_result.method == ("bootstrap" if expected else "rank_randomization")
    assert (by_ranks.scores[path].p == by_bootstrap.scores[path].p) is expected
    assert by_ranks.scores["by_label.a.ranking.roc_auc"].test_result.method == (
        "rank_randomization" if expected else "delong"
    )


def test_other_versions_of_packages_that_score_are_a_warning() -> None:
    def make_run(name: str, **choices: str) -> Run:
        run = replace(ner(GOOD), system=name)
        return replace(run, signature=replace(run.signature, choices={**run.signature.choices, **choices}))

    old, new = make_run("old", versions="spacy=3.7"), make_run("new", versions="spacy=3.8")
    other_system = make_run("other", **{"system-versions": "mine=2", "versions": "spacy=3.7"})
    assert [warning.code for warning in compare(old, new).pairs[0].warnings].count("other-versions") == 1
    assert "other-versions" not in [warning.code for warning in compare(old, other_system).pairs[0].warnings]


def test_slices_are_compared_separately() -> None:
    references = [{"id": f"Q{k % 2}_{k}", "targets": [{"mention": "Duna"}]} for k in range(10)]
    answers = (["Duna"] * 10, ["Duna" if k % 2 else "?" for k in range(10)])
    runs = [isogloss.entity_translation(references, each, by=["entity"]) for each in answers]
    pair = compare(*runs, unit="document").pairs[0]
    assert pair.scores["slices.entity.Q0.m_eta.accuracy"].difference == -1
    assert pair.scores["slices.entity.Q0.m_eta.accuracy"].p == pytest.approx(2 / 2**5, abs=0.02)
    assert pair.scores["slices.entity.Q1.m_eta.accuracy"].difference == 0


def test_clusters_are_exchanged_as_a_whole() -> None:
    references = [{"id": f"Q{k // 10}_{k}", "targets": [{"mention": "Duna"}]} for k in range(40)]
    answers = (["Duna"] * 40, ["?"] * 40)
    runs = [isogloss.entity_translation(references, each) for each in answers]
    by_cluster = compare(*runs, unit="entity").pairs[0].scores["m_eta.accuracy"]
    assert by_cluster.p == pytest.approx(2 / 2**4, abs=0.02)
    assert compare(*runs, unit="document").pairs[0].scores["m_eta.accuracy"].p < 0.001


def test_default_unit_is_that_of_the_task() -> None:
    references = [{"id": f"Q{k // 10}_{k}", "targets": [{"mention": "Duna"}]} for k in range(40)]
    runs = [isogloss.entity_translation(references, each) for each in (["Duna"] * 40, ["?"] * 40)]
    found = compare(*runs)
    assert found.to_dict()["comparisons"][0]["unit"] == "entity"
    assert found.pairs[0].scores == compare(*runs, unit="entity").pairs[0].scores
    without = [{**row, "id": str(at)} for at, row in enumerate(references)]
    runs = [isogloss.entity_translation(without, each) for each in (["Duna"] * 40, ["?"] * 40)]
    assert compare(*runs).to_dict()["comparisons"][0]["unit"] == "document"


def test_lower_error_rate_wins() -> None:
    runs = [isogloss.code_switching(texts * 20, language="uk") for texts in (["Так є."], ["Так word."])]
    there, back = compare(*runs).pairs[0], compare(*reversed(runs)).pairs[0]
    assert there.outcomes["words.excused_rate"] == (0, 0, 20)
    assert not judge_worse(there, "words.excused_rate").passed
    assert judge_worse(back, "words.excused_rate").passed


def test_json_has_runs_and_comparisons() -> None:
    document = json.loads(compare(ner(GOOD), ner(POOR)).to_json())
    assert document.keys() == {"runs", "comparisons"}
    (pair,) = document["comparisons"]
    assert pair["method"] == "randomization"
    assert pair["scores"]["strict.f1"].keys() == {
        *("baseline", "system", "difference", "low", "high", "p", "p_holm", "method", "exact"),
    }
    assert pair["per_document"]["strict.f1"].keys() >= {"wins", "ties", "losses", "only_baseline", "only_system"}


def refused(one: Run, two: Run, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        compare(one, two)


def test_different_tasks_definitions_and_references_are_refused(tmp_path: Path) -> None:
    good = ner(GOOD)
    refused(good, isogloss.segmentation([["a"]], [["a"]]), UsageError, "one is ner, the other segmentation")
    refused(good, ner(POOR, beta=2), UsageError, r"different definitions: beta \(1.0 and 2.0\)")
    refused(good, isogloss.ner(GOLD[:4], POOR[:4], scheme="iob2"), MismatchError, "different documents")
    other = isogloss.ner([*GOLD[:5], ["B-PER", "O"]], POOR, scheme="iob2")
    for name, gold in (("one", GOLD), ("two", [*GOLD[:5], ["O", "O"]])):
        lines = ["\n".join(f"w{k}\t{tag}" for k, tag in enumerate(tags)) + "\n" for tags in gold]
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
    assert other.documents == good.documents
    runs = [isogloss.ner(tmp_path / name, tmp_path / "one", scheme="iob2") for name in ("one", "two")]
    refused(runs[0], runs[1], MismatchError, "different references")
    refused(runs[0], good, MismatchError, f"the reference of {good.system} was no file")


def test_formats_can_differ_but_tokens_and_characters_cannot(
    tmp_path: Path,
) -> None:
    text = "Ada met Bob."
    files = {
        "gold.jsonl": f'{{"text": "{text}", "entities": [[0, 3, "PER"], [8, 11, "PER"]]}}\n',
        "gold.conll": "Ada\tB-PER\nmet\tO\nBob\tB-PER\n.\tO\n",
        "a.conll": "Ada\tB-PER\nmet\tO\nBob\tB-LOC\n.\tO\n",
        "b.jsonl": f'{{"text": "{text}", "mentions": [["Ada", "PER"], ["Bob", "PER"]]}}\n',
        "c.conll": "Ada\tU-PER\nmet\tO\nBob\tU-PER\n.\tO\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    runs = [isogloss.ner(tmp_path / "gold.jsonl", tmp_path / name) for name in ("a.conll", "b.jsonl")]
    assert compare(*runs).pairs[0].scores["strict.f1"].difference == 0.5
    for gold in ("gold.jsonl", "gold.conll"):
        runs_of_schemes = [isogloss.ner(tmp_path / gold, tmp_path / name) for name in ("a.conll", "c.conll")]
        assert compare(*runs_of_schemes).pairs[0].scores["strict.f1"].difference == 0.5
    other = isogloss.ner(tmp_path / "gold.conll", tmp_path / "a.conll", scheme="iob1")
    refused(isogloss.ner(tmp_path / "gold.conll", tmp_path / "a.conll"), other, UsageError, r"scheme \(iob2 and iob1\)")
    strict = isogloss.ner(tmp_path / "gold.jsonl", tmp_path / "a.conll", repair="error")
    refused(runs[0], strict, UsageError, r"different definitions: repair")
    runs = [isogloss.ner(tmp_path / "gold.conll", tmp_path / name) for name in ("a.conll", "b.jsonl")]
    for one, other in (runs, runs[::-1]):
        refused(one, other, UsageError, r"a\.conll was scored by tokens, .*b\.jsonl by characters")
    isogloss.convert(tmp_path / "a.conll", to="jsonl", output=tmp_path / "a.jsonl")  # what the message says to do
    again = isogloss.ner(tmp_path / "gold.conll", tmp_path / "a.jsonl")
    assert compare(again, runs[1]).pairs[0].scores["strict.f1"].difference == 0.5


def test_different_document_names_are_refused() -> None:
    rows = [[{"id": f"{letter}{k}", "targets": [{"mention": "x"}]} for k in range(3)] for letter in "ab"]
    runs = [isogloss.entity_translation(each, ["x", "x", "y"]) for each in rows]
    refused(runs[0], runs[1], MismatchError, "names of documents")


def test_runs_with_different_interval_options_are_compared() -> None:
    pair = compare(ner(GOOD, confidence=0.9, seed=1), ner(POOR)).pairs[0]
    assert pair.scores["strict.f1"].p > 0


def test_run_without_documents_is_refused() -> None:
    run = replace(ner(GOOD), rescore=None)
    with pytest.raises(UsageError, match="were not kept"):
        compare(run, ner(POOR))
    with pytest.raises(UsageError, match="single documents"):
        RunPair(run, run, ComparisonOptions())


def test_comparison_of_one_run_is_refused() -> None:
    with pytest.raises(UsageError, match="at least two"):
        compare(ner(GOOD))
    assert Comparison((ner(GOOD),), ComparisonOptions()).pairs == ()


@given(st.lists(st.text(max_size=6), min_size=1, max_size=4))
def test_path_parses_back_to_its_key(key: list[str]) -> None:
    assert parse_path(format_path(tuple(key))) == tuple(key)


@pytest.mark.parametrize("name", ["", "a..b", ".a", "a.", 'a."b', "a b", '"a"b'])
def test_invalid_path_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not the path of a score"):
        parse_path(name)


def test_significant_loss_is_judged_worse() -> None:
    gold = [["B-PER"]] * 40
    poor = [["B-PER"]] * 20 + [["O"]] * 20
    runs = [isogloss.ner(gold, each, scheme="iob2") for each in (gold, poor)]
    there, back = compare(*runs).pairs[0], compare(*reversed(runs)).pairs[0]
    assert not judge_worse(there, "strict.f1").passed
    assert judge_worse(back, "strict.f1").passed
    assert "significantly worse than prediction" in str(judge_worse(there, "strict.f1"))
    with pytest.raises(UsageError, match="no ratio"):
        judge_worse(there, "strict.missed")
    with pytest.raises(UsageError, match="alpha"):
        judge_worse(there, "strict.f1", alpha=0)


def test_too_few_trials_for_a_family_are_a_warning() -> None:
    labels = [f"L{number}" for number in range(10)]
    gold = [[f"B-{label}"] for label in labels for _ in range(2)]
    runs = [isogloss.ner(gold, each, scheme="iob2") for each in (gold, [["O"]] * 20)]
    (warning,) = compare(*runs, trials=19).pairs[0].warnings
    assert warning.code == "too-few-trials"
    assert warning.message.startswith("by_label.")
    assert warning.message.endswith(
        ": with 19 trials the smallest p-value after Holm's correction for 10 tests is 0.5000, "
        "so no difference is significant at 0.05. To change that, use --trials 200 or more."
    )
    comparison = compare(*runs, trials=199)
    assert comparison.pairs[0].warnings == ()
    assert comparison.to_dict()["comparisons"][0]["scores"]["strict.f1"]["trials"] == 399  # 10 / 400 = 0.05 / 2
    assert "warnings" not in comparison.to_dict()["comparisons"][0]


def test_too_few_trials_are_in_json_and_tables() -> None:
    comparison = compare(ner(GOOD), ner(POOR), trials=10)
    (warning,) = comparison.to_dict()["comparisons"][0]["warnings"]
    assert "with 6 documents and 10 trials the smallest p-value" in warning["message"]
    assert any(warning["message"] in table.notes for table in build_tables(comparison.runs, comparison))


def test_verdict_on_few_documents_counts_documents_with_a_score() -> None:
    gold = [["B-PER"]] * 5 + [["O"]] * 95
    runs = [isogloss.ner(gold, each, scheme="iob2") for each in (gold, [["O"]] * 100)]
    verdict = judge_worse(compare(*runs).pairs[0], "strict.f1")
    assert verdict.passed
    assert verdict.is_undecided
    assert "with 5 documents the smallest p-value" in str(verdict)


def test_too_few_documents_for_a_family_are_a_warning() -> None:
    (warning,) = compare(ner(GOOD), ner(POOR)).pairs[0].warnings
    assert warning.code == "too-few-documents"
    assert "with 6 documents the smallest p-value after Holm's correction for 2 tests is 0.0625" in warning.message
    assert warning.message.endswith("To change that, score 7 documents or more.")


def test_verdict_states_the_smallest_p_and_small_differences() -> None:
    least = SmallestP("randomization", 99)
    verdict = WorseVerdict("a", "b", "strict.f1", -0.00002, 0.02, ALPHA, lower_is_better=False, smallest_p=least)
    assert str(verdict) == (
        "b is significantly worse than a: strict.f1 differs by -0.00002 "
        "(p = 0.0200, smallest possible 0.0100, alpha = 0.05)"
    )


@pytest.mark.parametrize(
    ("p", "alpha", "text"),
    [
        (0.0, 0.05, "p < 0.0001, alpha = 0.05"),
        (0.04999, 0.05, "p = 0.04999, alpha = 0.05"),
        (0.05, 0.05, "p = 0.0500, alpha = 0.05"),
        (2e-6, 1e-5, "p = 2e-06, alpha = 1e-05"),
    ],
)
def test_verdict_shows_on_which_side_of_alpha_p_is(p: float, alpha: float, text: str) -> None:
    assert str(WorseVerdict("a", "b", "strict.f1", -0.5, p, alpha, lower_is_better=False)).endswith(f"({text})")


ALPHA = 0.05


def worse(difference: float, p: float, *, lower_is_better: bool = False) -> WorseVerdict:
    return WorseVerdict("monday", "tuesday", "strict.f1", difference, p, ALPHA, lower_is_better)


@pytest.mark.parametrize(
    ("p", "passed"),
    [(math.nextafter(ALPHA, 0), False), (ALPHA, True), (math.nextafter(ALPHA, 1), True)],
)
def test_loss_is_significant_only_below_alpha(p: float, *, passed: bool) -> None:
    assert worse(-0.1, p).passed is passed
    assert worse(0.1, p, lower_is_better=True).passed is passed


@pytest.mark.parametrize("difference", [0.0, 0.1])
def test_gain_passes_for_any_p(difference: float) -> None:
    assert worse(difference, 0.001).passed
    assert worse(-difference, 0.001, lower_is_better=True).passed


@pytest.mark.parametrize(("difference", "p"), [(math.nan, 0.5), (-0.1, math.nan), (math.nan, math.nan)])
def test_undefined_difference_does_not_pass(difference: float, p: float) -> None:
    assert not worse(difference, p).passed


def test_p_equal_to_alpha_reads_as_not_significantly_worse() -> None:
    assert str(worse(-0.1, ALPHA)).startswith("tuesday is not significantly worse than monday:")
