"""Systems ranked by tests of all pairs."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from itertools import combinations

import pytest

import isogloss
from isogloss.errors import UsageError
from isogloss.runs.comparison import Comparison, compare
from isogloss.runs.pair_comparison import ComparisonMethod, ComparisonOptions, RunPair
from isogloss.runs.run import Run
from isogloss.runs.system_ranking import PairTest, RankedSystem, SystemRanking

GOLD = [["B-PER", "O", "B-LOC"]] * 60
ACCURACIES = {"b": 0.97, "d": 0.1, "a": 0.95, "c": 0.5}


def name_run(run: Run, name: str) -> Run:
    return replace(run.ensure_documents(), system=name)


@cache
def score_systems() -> tuple[Run, ...]:
    runs = []
    for name, accuracy in ACCURACIES.items():
        draw = random.Random(name).random
        tags = [[tag if draw() < accuracy else "O" for tag in row] for row in GOLD]
        runs.append(name_run(isogloss.ner(GOLD, tags, scheme="iob2", confidence=0.9, resamples=100), name))
    return tuple(runs)


@cache
def rank(method: ComparisonMethod = "randomization", resamples: int = 1000) -> tuple[Comparison, SystemRanking]:
    comparison = compare(*score_systems(), method=method, resamples=resamples, trials=2000, all_pairs=True)
    assert comparison.ranking is not None
    return comparison, comparison.ranking


def test_systems_are_ordered_and_grouped() -> None:
    ranking = rank()[1]
    scores = {run.system: run.score("strict.f1") for run in score_systems()}
    assert [(each.system, each.value) for each in ranking.systems] == sorted(scores.items(), key=lambda row: -row[1])
    assert {each.system for each in ranking.systems[:2]} == {"a", "b"}
    assert [(each.first_rank, each.last_rank, each.group) for each in ranking.systems] == [
        (1, 2, 1),
        (1, 2, 1),
        (3, 3, 2),
        (4, 4, 3),
    ]
    assert [ranking.find_worse(place) for place in (1, 2, 3, 4)] == [[3, 4], [3, 4], [4], []]


@pytest.mark.parametrize("method", ["randomization", "bootstrap"])
def test_pairs_have_the_p_values_of_single_comparisons_times_holms_factors(method: ComparisonMethod) -> None:
    ranking = rank(method, 2000)[1]
    runs = {run.system: run for run in score_systems()}
    p_values = {}
    for pair in ranking.pairs:
        alone = compare(runs[pair.other], runs[pair.system], method=method, resamples=2000, trials=2000)
        found = alone.pairs[0].scores["strict.f1"]
        assert (pair.difference, pair.p) == (found.difference, found.p)
        p_values[pair.system, pair.other] = found.p
    assert len(p_values) == 6
    least = 0.0
    for rank_of_p, (names, p) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        least = max(least, min(1.0, p * (6 - rank_of_p)))
        (own,) = (pair.p_holm for pair in ranking.pairs if (pair.system, pair.other) == names)
        assert own == pytest.approx(least, abs=1e-15)


def test_order_of_systems_changes_nothing() -> None:
    again = compare(*score_systems()[::-1], trials=2000, all_pairs=True).ranking
    assert again == rank()[1]


def test_interval_is_that_of_the_run() -> None:
    for each in rank()[1].systems:
        (run,) = (run for run in score_systems() if run.system == each.system)
        interval = run.intervals["strict.f1"]
        assert (each.low, each.high) == (interval.low, interval.high)


def test_lower_error_rate_ranks_first() -> None:
    texts = {"good": ["слово"] * 40, "bad": ["слово word"] * 40}
    runs = [name_run(isogloss.code_switching(own, language="uk"), name) for name, own in texts.items()]
    ranking = compare(*runs, all_pairs=True, trials=500).ranking
    assert ranking is not None
    assert [(each.system, each.group) for each in ranking.systems] == [("good", 1), ("bad", 2)]


def test_system_without_a_score_has_no_rank() -> None:
    nothing = name_run(isogloss.ner(GOLD, [["O", "O", "O"]] * 60, scheme="iob2"), "nothing")
    runs = (*score_systems()[:2], nothing)
    ranking = compare(*runs, all_pairs=True, score="strict.precision", trials=100).ranking
    assert ranking is not None
    assert ranking.systems[-1] == RankedSystem("nothing", None)
    assert len(ranking.pairs) == ranking.number - 1 == 1


def test_too_few_resamples_are_noted() -> None:
    comparison = compare(*score_systems(), method="bootstrap", resamples=38, all_pairs=True)
    assert comparison.ranking is not None
    assert comparison.ranking.notes == (
        (
            "With 38 resamples the smallest p-value after Holm's correction for 6 tests is 0.1538, so no system is "
            "significantly better than another. To change that, use --resamples 120 or more."
        ),
    )
    assert rank()[1].notes == ()


def test_unknown_score_is_an_error() -> None:
    with pytest.raises(UsageError, match="No run has the score"):
        _ = compare(*score_systems(), all_pairs=True, score="strict.f2", trials=10).ranking


def test_comparison_without_all_pairs_has_no_ranking() -> None:
    comparison = compare(*score_systems()[:2], trials=10)
    assert comparison.ranking is None
    assert "ranking" not in comparison.to_dict()


def test_ranking_needs_all_pairs() -> None:
    systems = tuple(RankedSystem(name, 0.5, first_rank=1, last_rank=3, group=1) for name in "abc")
    pairs = tuple(PairTest(*names) for names in combinations("abc", 2))
    how = ("strict.f1", 0.05, "randomization", 10, 1, "document", systems)
    assert SystemRanking(*how, pairs).find_worse(1) == []
    with pytest.raises(ValueError, match="all pairs"):
        SystemRanking(*how, pairs[:2])


@pytest.mark.parametrize("name", ["strict.f1", "by_label.PER.strict.f1"])
def test_score_tested_alone_has_the_p_value_among_all(name: str) -> None:
    one, two = score_systems()[2:]
    pair = RunPair(one, two, ComparisonOptions(trials=300))
    assert pair.test_score(name) == pair.scores[name].test_result
    assert pair.test_score("strict.f2") is None
