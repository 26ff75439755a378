"""Slices and clusters of rankings are compared too."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isogloss
from isogloss.cli.app import run as command
from isogloss.runs import pair_comparison
from isogloss.runs.comparison import compare
from isogloss.runs.pair_comparison import ScoreDifference
from isogloss.runs.run import Run
from isogloss.stats.bootstrap import draw_weights
from isogloss.stats.student_t import compute_t_tails, find_t_quantile

AUC, PRECISION = "roc_auc.macro", "average_precision.macro"


class Document(NamedTuple):
    """A document: its label, the score of `a` by either system, and its group."""

    gold: str
    scores: tuple[float, float]
    group: str


score = st.integers(0, 6).map(lambda n: n / 6)
documents = st.lists(
    st.builds(Document, st.sampled_from("ab"), st.tuples(score, score), st.sampled_from("xyz")),
    min_size=4,
    max_size=24,
).filter(lambda corpus: {document.gold for document in corpus} == {"a", "b"})


def runs(corpus: list[Document], **columns: list[str]) -> list[Run]:
    """Both systems; what is no `a` is a `b`."""
    by = {"group": [document.group for document in corpus]} | columns
    gold = [document.gold for document in corpus]
    scores = [[{"a": one.scores[system], "b": 1 - one.scores[system]} for one in corpus] for system in (0, 1)]
    return [isogloss.classification(gold, each, by=by) for each in scores]


def compared(corpus: list[Document], **more: Any) -> Mapping[str, ScoreDifference]:
    return compare(*runs(corpus), **{"trials": 10, "resamples": 40} | more).pairs[0].scores


def area(corpus: list[Document], system: int) -> float:
    """Pairs of documents in the right order, one by one: of `a`, and so of `b`, whose scores are the rest to 1."""
    has, others = ([one.scores[system] for one in corpus if one.gold == label] for label in "ab")
    won = sum((x > y) + (x == y) / 2 for x in has for y in others)
    return won / (len(has) * len(others)) if has and others else math.nan


def precision(corpus: list[Document], system: int) -> float:
    """Mean over both labels of the average precision: for each document with a label, how many not below it have it."""
    means = []
    for label, sign in (("a", 1), ("b", -1)):
        found = []
        for mine in corpus:
            if mine.gold == label:
                taken = [one.gold for one in corpus if sign * one.scores[system] >= sign * mine.scores[system]]
                found.append(taken.count(label) / len(taken))
        if found:
            means.append(sum(found) / len(found))
    return sum(means) / len(means)


def error_of_difference(corpus: list[Document], *, clustered: bool) -> float:
    """Of both areas: what each document contributes, added within clusters before it is squared."""
    contributed: dict[str, float] = {}
    for k, mine in enumerate(corpus):
        others = [one for one in corpus if one.gold != mine.gold]
        alike = len(corpus) - len(others)
        moved = 0.0
        for system, sign in ((1, 1), (0, -1)):
            won = 0.0
            for one in others:
                above, below = mine.scores[system] > one.scores[system], mine.scores[system] < one.scores[system]
                won += (above if mine.gold == "a" else below) + (not above and not below) / 2
            moved += sign * (won / len(others) - area(corpus, system))
        key = mine.group if clustered else str(k)
        contributed[key] = contributed.get(key, 0.0) + moved / math.sqrt(alike * (alike - 1))
    return math.sqrt(sum(value**2 for value in contributed.values()))


def has_variance(corpus: list[Document]) -> bool:
    golds = [document.gold for document in corpus]
    return min(golds.count("a"), golds.count("b")) > 1


def compare_by_delong(corpus: list[Document], **options: Any) -> Mapping[str, ScoreDifference]:
    """Compare with DeLong's test also if positives or negatives are few."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pair_comparison, "ENOUGH_VERDICTS", 0)
        return compared(corpus, **options)


def check_delong(found: ScoreDifference, corpus: list[Document], *, clustered: bool) -> None:
    value, error = area(corpus, 1) - area(corpus, 0), error_of_difference(corpus, clustered=clustered)
    units = {(one.gold, one.group if clustered else k) for k, one in enumerate(corpus)}
    freedom = max(1, min(sum(gold == own for gold, _ in units) for own in "ab") - 1)  # a lower bound of Welch's
    half = find_t_quantile(0.95, freedom) * error
    if error < 1e-9 < abs(value):  # all documents say the same, and that is no certainty
        assert found.test_result.method == "rank_randomization"
        assert 0 < found.p <= 1
        return
    assert found.test_result.method == "delong"
    assert found.difference == pytest.approx(value, abs=1e-12)
    assert (found.low, found.high) == pytest.approx((max(-1, value - half), min(1, value + half)), abs=1e-9)
    if error > 1e-9:
        assert found.p == pytest.approx(compute_t_tails(value / error, freedom), abs=1e-9)


@given(documents)
def test_slice_auc_is_tested_on_documents_of_the_slice(corpus: list[Document]) -> None:
    scores = compare_by_delong(corpus)
    for group in {document.group for document in corpus}:
        mine = [document for document in corpus if document.group == group]
        found = scores[f"slices.group.{group}.{AUC}"]
        assert [found.baseline, found.system] == pytest.approx([area(mine, 0), area(mine, 1)], nan_ok=True)
        if has_variance(mine):
            check_delong(found, mine, clustered=False)
    if has_variance(corpus):
        check_delong(scores[AUC], corpus, clustered=False)


@given(documents)
def test_clustered_auc_adds_contributions_before_squaring(corpus: list[Document]) -> None:
    if has_variance(corpus) and len({document.group for document in corpus}) > 1:
        check_delong(compare_by_delong(corpus, unit="group")[AUC], corpus, clustered=True)


def drawn_by_loop(corpus: list[Document], units: list[int], resamples: int, seed: int) -> list[float]:
    """Differences in average precision of the resamples: each unit's documents as often as it was drawn."""
    times = np.concatenate([*draw_weights(np.ones(max(units) + 1, np.int64), resamples, seed)]).tolist()
    differences = []
    for weights in times:
        drawn = [one for one, unit in zip(corpus, units, strict=True) for _ in range(weights[unit])]
        differences.append(precision(drawn, 1) - precision(drawn, 0))
    return differences


def mixed(number: int) -> list[Document]:
    """Documents at random."""
    rng = np.random.default_rng(7)
    golds, scores = rng.integers(0, 2, number).tolist(), (rng.integers(0, 9, (number, 2)) / 8).tolist()
    return [Document("ab"[golds[k]], (scores[k][0], scores[k][1]), "xy"[k // 6 % 2]) for k in range(number)]


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("group", [None, "x", "y"])
def test_average_precision_interval_equals_plain_loop(group: str | None, *, clustered: bool) -> None:
    corpus = mixed(120)
    authors = [str(k % 5) for k in range(len(corpus))]
    unit = "author" if clustered else "document"
    pair = compare(*runs(corpus, author=authors), trials=10, resamples=60, seed=3, unit=unit).pairs[0]
    found = pair.scores[PRECISION if group is None else f"slices.group.{group}.{PRECISION}"]
    kept = [k for k, document in enumerate(corpus) if group in (None, document.group)]
    mine = [corpus[k] for k in kept]
    value = precision(mine, 1) - precision(mine, 0)
    assert found.difference == pytest.approx(value)
    assert found.test_result.method == ("bootstrap" if clustered else "rank_randomization")  # five clusters are few
    assert clustered or (found.test_result.trials, found.is_exact) == (79, False)  # 2 / 80 = .05 / 2
    moved = drawn_by_loop(mine, [int(authors[k]) if clustered else n for n, k in enumerate(kept)], 60, 3)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(moved, [0.025, 0.975])))


BY_HAND = [
    *(Document("ab"[k % 2], (0.5, [0.9, 0.1, 0.8, 0.2][k]), "news") for k in range(4)),
    *(Document("ab"[k % 2], ([0.9, 0.1, 0.8, 0.2][k],) * 2, "web") for k in range(4)),
]


def test_difference_in_one_slice_leaves_the_other_equal() -> None:
    scores = compared(BY_HAND)
    news, web = (scores[f"slices.group.{group}.{AUC}"] for group in ("news", "web"))
    assert (news.baseline, news.system, news.difference) == (0.5, 1.0, 0.5)
    assert (web.baseline, web.system, web.difference, web.p) == (1.0, 1.0, 0.0, 1.0)
    precise = scores[f"slices.group.news.{PRECISION}"]
    assert (precise.baseline, precise.system) == (0.5, 1.0)


def test_slices_of_a_score_are_one_holm_family() -> None:
    scores = compared(BY_HAND)
    found = [scores[f"slices.group.{group}.{PRECISION}"] for group in ("news", "web")]
    assert min(one.p_holm for one in found) == pytest.approx(min(1, 2 * min(one.p for one in found)))


@pytest.mark.parametrize("method", ["randomization", "bootstrap"])
def test_single_cluster_is_never_significant(method: str) -> None:
    scores = compared([document._replace(group="one") for document in BY_HAND], unit="group", method=method)
    assert {name for name, found in scores.items() if found.p < 1} == set()
    # Of 16 pairs of an `a` and a `b` the baseline ties the 4 within `news`; all others are in the right order.
    assert scores[AUC].difference == pytest.approx(1 - (4 * 0.5 + 12) / 16)


def test_clustered_copies_do_not_add_evidence() -> None:
    rng = np.random.default_rng(5)
    corpus: list[Document] = []
    for k in range(12):
        low, high = sorted(rng.random(2).tolist())
        corpus += [Document("ab"[k % 2], (low, high) if k % 2 == 0 else (high, low), f"c{k}")] * 20
    apart, together = compared(corpus), compared(corpus, unit="group")
    for name in (AUC, PRECISION):
        assert apart[name].difference == pytest.approx(together[name].difference)
        assert together[name].high - together[name].low > 2 * (apart[name].high - apart[name].low)
        assert together[name].p >= apart[name].p


def test_exchanged_systems_mirror_every_slice() -> None:
    corpus = mixed(30)
    exchanged = [one._replace(scores=(one.scores[1], one.scores[0])) for one in corpus]
    there, back = compared(corpus), compared(exchanged)
    for name in (f"slices.group.{group}.{figure}" for group in "xy" for figure in (AUC, PRECISION)):
        mirrored = [-there[name].difference, -there[name].high, -there[name].low, there[name].p]
        assert [back[name].difference, back[name].low, back[name].high, back[name].p] == pytest.approx(mirrored)


def test_rankings_of_different_labels_are_not_compared() -> None:
    gold = ["a", "b", "c"] * 2
    full, part = [{"a": 0.5, "b": 0.3, "c": 0.2}] * 6, [{"a": 0.5, "b": 0.3}] * 6
    scores = compare(*(isogloss.classification(gold, each) for each in (full, part))).pairs[0].scores
    assert "overall.accuracy" in scores
    assert [name for name in scores if "roc_auc" in name or "average_precision" in name] == []


@pytest.mark.extra
def test_command_and_stored_runs_compare_ranking_slices(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from isogloss.store import Store  # noqa: PLC0415  the extra `store` may be missing

    reference = tmp_path / "gold.jsonl"
    rows: list[dict[str, Any]] = [{"gold": one.gold, "group": one.group} for one in BY_HAND]
    reference.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    systems = [tmp_path / f"{system}.jsonl" for system in (0, 1)]
    for system, path in enumerate(systems):
        scores = [one.scores[system] for one in BY_HAND]
        text = "".join(json.dumps({"scores": {"a": score, "b": 1 - score}}) + "\n" for score in scores)
        path.write_text(text, encoding="utf-8")
    options = ["--by", "group", "-f", "json", "-q", f"--store={tmp_path / 'runs.db'}", "--save"]
    assert command(["classification", str(reference), *map(str, systems), *options]) == 0
    told = json.loads(capsys.readouterr().out)["comparisons"][0]["scores"]
    name = f"slices.group.news.{AUC}"
    assert told[name]["difference"] == 0.5
    with Store.open(tmp_path / "runs.db") as store:
        two, one = (store.get(entry.id).run() for entry in store.list())
    again = compare(one, two).pairs[0].scores
    assert (again[name].p, again[AUC].p) == pytest.approx((told[name]["p"], told[AUC]["p"]))
    by_group = compare(one, two, unit="group").pairs[0]
    assert (by_group.options.unit, by_group.scores[AUC].difference) == ("group", again[AUC].difference)


def test_two_clusters_have_no_resampled_interval() -> None:
    generator = np.random.default_rng(5)
    gold, authors = ["a", "b", "b"] * 20, ["x", "y"] * 30
    systems = [[{"a": x, "b": 1 - x} for x in generator.random(60).tolist()] for _ in range(2)]
    runs = [isogloss.classification(gold, scores, by={"author": authors}) for scores in systems]
    found = compare(*runs, unit="author", trials=9, resamples=50).pairs[0].scores
    assert all("roc_auc" in name for name, each in found.items() if not math.isnan(each.low))
    assert math.isnan(found[PRECISION].high)
    assert math.isnan(found["macro.label.f1"].high)
