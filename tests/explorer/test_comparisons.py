"""Classes of joined findings and the matrix of documents against plain second implementations."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event
from typing import Any

import numpy as np
import pytest
from explored import PLACES, Place, build_finding, build_run, explore, scored
from hypothesis import given, settings

from isogloss.errors import UsageError
from isogloss.explorer.explorer import AnswerCache, Explorer
from isogloss.explorer.payloads import NoteBody
from isogloss.explorer.routes import answer_url
from isogloss.kernel.findings import Finding
from isogloss.runs.comparison import compare
from isogloss.tasks.ner.scoring import ner
from isogloss.tasks.segmentation.scoring import segmentation

CLASSES = ("fixed", "broken", "changed", "both_wrong")


def ask(explorer: Explorer, url: str) -> Any:
    return json.loads(answer_url(explorer, url).body)


def group_errors(places: list[Place]) -> dict[Any, list[Finding]]:
    """Errors by document and first mark."""
    groups = defaultdict(list)
    for place in sorted(places, key=lambda place: place[0]):
        one = build_finding(place)
        if one.kind != "excused":
            mark = one.marks[0]
            groups[one.document, mark.side, mark.start, mark.end, mark.label].append(one)
    return groups


def join_plainly(first: list[Place], second: list[Place]) -> Counter[str]:
    """Pair errors with one key in their order, and name the class of each pair."""
    a, b = group_errors(first), group_errors(second)
    found: Counter[str] = Counter()
    for key in {*a, *b}:
        both = min(len(a[key]), len(b[key]))
        found["fixed"] += len(a[key]) - both
        found["broken"] += len(b[key]) - both
        for one, other in zip(a[key], b[key], strict=False):
            labels = [{mark.side: mark.label for mark in each.marks} for each in (one, other)]
            found["both_wrong" if (one.kind, labels[0]) == (other.kind, labels[1]) else "changed"] += 1
    return found


@given(PLACES, PLACES)
@settings(max_examples=25, deadline=None)
def test_classes_are_those_of_a_plain_join(first: list[Place], second: list[Place]) -> None:
    explorer = explore(build_run(first, "a"), build_run(second, "b"))
    expected = join_plainly(first, second)
    comparison = ask(explorer, "/v1/compare?runs=run-1,run-2")
    assert comparison["classes"] == {name: expected[name] for name in CLASSES}
    body = answer_url(explorer, "/v1/compare/columns?runs=run-1,run-2").body
    count = comparison["count"]
    assert len(body) == 9 * count
    classes = np.frombuffer(body[:count], np.uint8)
    a, b = np.frombuffer(body[count:], "<u4").reshape(2, count)
    assert Counter(CLASSES[one] for one in classes) == +expected
    assert sorted(a[a != 0xFFFFFFFF]) == [
        at for at, place in enumerate(sorted(first, key=lambda one: one[0])) if place[3] != "excused"
    ]
    documents = [
        (sorted(first)[at][0] if at != 0xFFFFFFFF else sorted(second)[other][0])
        for at, other in zip(a.tolist(), b.tolist(), strict=True)
    ]
    assert Counter(documents) == Counter(sorted(documents))


def test_comparison_with_itself_has_only_shared_errors() -> None:
    places: list[Place] = [(0, 0, 1, "missed", "PER", None), (1, 0, 1, "missed", "PER", None)]
    comparison = ask(explore(build_run(places, "a"), build_run(places, "b")), "/v1/compare?runs=run-1,run-2")
    assert comparison["classes"] == {"fixed": 0, "broken": 0, "changed": 0, "both_wrong": 2}
    assert {one["path"]: (one["difference"], one["p"]) for one in comparison["scores"]}["strict.f1"] == (0, 1)


def test_matrix_has_most_disagreement_first() -> None:
    first: list[Place] = [(0, 0, 1, "missed", "PER", None), (0, 1, 1, "missed", "PER", None)]
    second: list[Place] = [(1, 0, 1, "missed", "PER", None), (2, 0, 1, "excused", "PER", None)]
    matrix = ask(explore(build_run(first, "a"), build_run(second, "b")), "/v1/compare/matrix?runs=run-1,run-2")
    rows = [(one["document"], one["numbers"], one["errors"], one["disagreement"]) for one in matrix["documents"]]
    assert rows == [("d0", [0, None], [2, 0], 2), ("d1", [None, 0], [0, 1], 1), ("d2", [None, 1], [0, 0], 0)]
    assert matrix["alone"] == [1, 1]


def test_runs_of_two_tasks_are_not_compared() -> None:
    other = segmentation([["a", "b"]], [["ab"]])
    with pytest.raises(UsageError, match="several tasks"):
        answer_url(explore_two(other), "/v1/compare?runs=run-1,run-2")


def explore_two(other: Any) -> Explorer:
    from isogloss.explorer.run_sources import build_memory_runs  # noqa: PLC0415  beside its only use

    return Explorer(build_memory_runs([scored("a"), other]))


def test_slow_answer_is_built_once_and_delays_no_other() -> None:
    cache = AnswerCache(2)
    started, ended, built = Event(), Event(), list[str]()

    def build_slowly() -> str:
        built.append("slow")
        started.set()
        assert ended.wait(60)
        return "slow"

    with ThreadPoolExecutor(3) as pool:
        slow = [pool.submit(cache.remember, "slow", build_slowly) for _ in range(2)]
        assert started.wait(60)
        assert pool.submit(cache.remember, "quick", lambda: "quick").result(60) == "quick"
        ended.set()
        assert [each.result(60) for each in slow] == ["slow", "slow"]
    assert built == ["slow"]


GOLD = [["B-PER", "O"], ["B-LOC", "B-PER"], ["B-PER", "I-PER"], ["O", "B-LOC"]]
GOOD = [["B-PER", "O"], ["B-LOC", "B-PER"], ["B-PER", "I-PER"], ["O", "O"]]
BAD = [["O", "O"], ["B-LOC", "O"], ["O", "O"], ["O", "O"]]


def test_score_without_disputed_gold_is_that_of_the_other_documents() -> None:
    explorer = explore(ner(GOLD, BAD, findings=True))
    (missed,) = [row for row in ask(explorer, "/v1/runs/run-1/rows/0")["findings"] if row["document"] == "3"]
    corpus_key = ask(explorer, "/v1/runs/run-1")["corpus_key"]
    explorer.write_note(corpus_key, missed["key"], NoteBody("gold error"))
    found = ask(explorer, "/v1/runs/run-1/undisputed")
    expected = ner([GOLD[0], GOLD[1], GOLD[3]], [BAD[0], BAD[1], BAD[3]])
    assert (found["documents"], found["left_out"]) == (3, ["3"])
    assert found["scores"]["strict.f1"]["value"] == pytest.approx(
        ask(explore(expected), "/v1/runs/run-1")["scores"]["strict.f1"]["value"]
    )
    assert found["scores"]["strict.f1"]["value"] == pytest.approx(0.4)  # by hand
    assert found["scores"]["strict.f1"]["low"] is None
    (place,) = ask(explorer, "/v1/notes")["findings"]
    assert (place["run"], place["position"], place["document"]) == ("run-1", missed["position"], "3")


def test_score_without_disputed_gold_has_the_interval_of_the_other_documents() -> None:
    rest = [0, 1, 3] * 20
    explorer = explore(
        ner([GOLD[2], *(GOLD[k] for k in rest)], [BAD[2], *(BAD[k] for k in rest)], findings=True, confidence=0.95)
    )
    (missed, *_) = ask(explorer, "/v1/runs/run-1/rows/0")["findings"]
    explorer.write_note(ask(explorer, "/v1/runs/run-1")["corpus_key"], missed["key"], NoteBody("gold error"))
    expected = ner([GOLD[k] for k in rest], [BAD[k] for k in rest], confidence=0.95)
    found = ask(explorer, "/v1/runs/run-1/undisputed")["scores"]
    assert found["strict.f1"] == pytest.approx(ask(explore(expected), "/v1/runs/run-1")["scores"]["strict.f1"])


def test_runs_are_in_two_groups_only_if_all_pairs_differ() -> None:
    many = 40
    runs = [
        replace(ner(GOLD * many, own), system=name)
        for name, own in (("a", BAD * many), ("b", GOOD * many), ("c", GOOD * many))
    ]
    found = ask(explore(*runs), "/v1/compare/ranking?runs=run-1,run-2,run-3")
    names = {run["id"]: run["name"] for run in ask(explore(*runs), "/v1/runs")["runs"]}
    groups = {names[run["id"]]: (run["first_rank"], run["last_rank"], run["group"]) for run in found["runs"]}
    assert groups == {"b": (1, 2, 1), "c": (1, 2, 1), "a": (3, 3, 2)}


def test_slices_of_a_run_are_tested_against_the_rest() -> None:
    genres = ["web", "news"] * 20
    gold, predicted = [["B-PER"]] * 40, [["O"] if k % 2 == 0 and k < 30 else ["B-PER"] for k in range(40)]
    explorer = explore(ner(gold, predicted, by={"genre": genres}))
    found = ask(explorer, "/v1/runs/run-1/slices")
    rests = {each["value"]: each["rest"] for each in found["tests"]}
    assert rests == {"news": pytest.approx(2 * 5 / 25), "web": 1}  # F1 of 15 missed of 20, and of none
    assert all(each["p_holm"] < 0.01 for each in found["tests"])
    assert ask(explore(ner(gold, predicted)), "/v1/runs/run-1/slices")["tests"] == []


def test_runs_are_tested_against_the_first_as_in_a_comparison() -> None:
    many = 40
    runs = [
        replace(ner(GOLD * many, own), system=name)
        for name, own in (("a", BAD * many), ("b", GOOD * many), ("c", BAD * many))
    ]
    explorer = explore(*runs)
    found = ask(explorer, "/v1/compare/tests?runs=run-1,run-2,run-3&score=strict.recall")
    tests = {each["id"]: each for each in found["tests"]}
    pair = compare(runs[0].ensure_documents(), runs[1].ensure_documents()).pairs[0].to_dict()["scores"]["strict.recall"]
    assert tests["run-2"]["difference"] == pytest.approx(pair["difference"])
    assert tests["run-2"]["p"] == pytest.approx(pair["p"])
    assert tests["run-2"]["p_holm"] == pytest.approx(2 * pair["p"])
    assert (tests["run-3"]["difference"], tests["run-3"]["p_holm"]) == (0, 1)
    unknown = ask(explorer, "/v1/compare/tests?runs=run-1,run-2&score=zz.zz")["tests"]
    assert unknown == [{"id": "run-2", "difference": None, "p": None, "p_holm": None}]
