"""Ranks over corpora, cliques and the Pareto front."""

from __future__ import annotations

import pytest

from isogloss.benchmark.measurements import compute_ratio, count_repeats, rotate
from isogloss.benchmark.ranking import count_wins, find_cliques, find_pareto_front
from isogloss.runs.system_ranking import PairTest, RankedSystem, SystemRanking


def make_ranking(better: str, other: str, p: float) -> SystemRanking:
    systems = (RankedSystem(better, 0.9, group=1), RankedSystem(other, 0.8, group=1))
    pairs = (PairTest(better, other, 0.1, p, p),)
    return SystemRanking("word.f1", 0.05, "randomization", 100, 1, "document", systems, pairs)


def test_wins_and_replications_of_a_pair() -> None:
    rankings = [make_ranking("a", "b", 0.002), make_ranking("a", "b", 0.004), make_ranking("b", "a", 0.5)]
    # One-sided: 0.001, 0.002, 0.75; at least two: 2 x 0.002; at least three: 0.75.
    assert count_wins(("a", "b"), rankings).replicated == 2
    assert count_wins(("a", "b"), rankings).wins == 2
    assert count_wins(("b", "a"), rankings).wins == 1


@pytest.mark.parametrize(
    ("ranks", "difference", "cliques"),
    [
        ((1.0, 1.5, 3.0, 3.2), 1.0, [(0, 1), (2, 3)]),
        ((1.0, 1.8, 2.6), 1.0, [(0, 1), (1, 2)]),
        ((1.0, 3.0), 1.0, []),
        ((1.0, 1.1, 1.2), 1.0, [(0, 2)]),
    ],
)
def test_cliques_are_the_longest_series(
    ranks: tuple[float, ...], difference: float, cliques: list[tuple[int, int]]
) -> None:
    assert find_cliques(ranks, difference) == cliques


def test_the_pareto_front_has_the_points_that_none_beats() -> None:
    assert find_pareto_front([(0.9, 1.0), (0.8, 5.0), (0.8, 4.0), (0.7, 5.0), (0.9, 1.0)]) == [0, 1, 4]


def test_each_round_begins_with_the_next_system() -> None:
    assert [rotate("abc", number) for number in range(4)] == [[*"abc"], [*"bca"], [*"cab"], [*"abc"]]


def test_the_ratio_is_for_a_thousand_characters() -> None:
    # 500 characters take 2, 3 and 10 loops: the median for 1,000 is 6.
    assert compute_ratio([0.2, 0.6, 1.0], [0.1, 0.2, 0.1], 500) == pytest.approx(6.0)


@pytest.mark.parametrize(
    ("first", "work", "startup", "repeats"),
    # 1/32 s of work for each pass beside 1/8 s of start-up: 32 passes are 1 s, 16 are half a second.
    [(0.0, 0.03125, 0.125, 32), (0.5, 0.03125, 0.125, 4), (9.0, 0.1, 1.0, 1), (0.0, 0.0, 0.125, 128)],
)
def test_texts_are_repeated_until_a_command_works_five_times_its_start_up(
    first: float, work: float, startup: float, repeats: int
) -> None:
    assert count_repeats(lambda number: startup + first + number * work, startup) == repeats
