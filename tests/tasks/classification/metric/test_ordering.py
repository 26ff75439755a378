from __future__ import annotations

import math

import numpy as np
import pytest
from labelled import documents

from isogloss.kernel.ranking import Ranking
from isogloss.stats.bootstrap import draw_weights
from isogloss.tasks.classification.ranking import RankingAreas, build_ranking

SCORE = RankingAreas().score
# a: 0.9+ 0.6+ 0.3- 0.1-: perfect. b: 0.8- 0.8+ 0.2- 0.1-: one tie. c: nobody has it.
GOLD = [["a"], ["a", "b"], [], []]
SCORES = [[0.9, 0.8, 0.1], [0.6, 0.8, 0.2], [0.3, 0.2, 0.3], [0.1, 0.1, 0.4]]
RANKING = build_ranking(documents(GOLD, SCORES))


def test_areas_of_labels_are_those_worked_out_by_hand() -> None:
    found = SCORE(RANKING)
    assert found["by_label", "a", "ranking", "roc_auc"] == 1
    assert found["by_label", "b", "ranking", "roc_auc"] == pytest.approx(2.5 / 3)
    assert found["by_label", "a", "ranking", "average_precision"] == 1
    assert found["by_label", "b", "ranking", "average_precision"] == 0.5


def test_one_sided_label_is_undefined_and_in_no_mean() -> None:
    found = SCORE(RANKING)
    assert math.isnan(found["by_label", "c", "ranking", "roc_auc"])
    assert math.isnan(found["by_label", "c", "ranking", "average_precision"])
    assert found["roc_auc", "macro"] == pytest.approx((1 + 2.5 / 3) / 2)
    assert found["roc_auc", "weighted"] == pytest.approx((2 * 1 + 1 * 2.5 / 3) / 3)
    assert found["average_precision", "macro"] == 0.75
    assert found["roc_auc", "labels"] == found["average_precision", "labels"] == 2


def test_label_of_all_documents_has_no_roc_auc() -> None:
    found = SCORE(build_ranking(documents(["a", "a"], [[0.1], [0.7]])))
    assert math.isnan(found["roc_auc", "macro"])
    assert found["average_precision", "macro"] == 1


def test_a_missing_score_is_below_all_others() -> None:
    found = SCORE(build_ranking(documents(["a", "b", "a"], [[-5.0, 1], [-math.inf, 2], [3.0, 0]])))
    assert found["by_label", "a", "ranking", "roc_auc"] == 1


def test_a_label_without_any_score_is_not_ranked() -> None:
    ranking = build_ranking(documents(["a", "b"], [[0.5, -math.inf], [0.4, -math.inf]]))
    assert ranking.classes == ("a",)


def test_unknown_gold_leaves_a_document_out_for_the_label() -> None:
    gold = [{"a": 1, "b": 0}, {"a": -1, "b": 1}, {"a": 0, "b": -1}]
    ranking = build_ranking(documents(gold, [[0.9, 0.1], [0.0, 0.7], [0.1, 0.9]]))
    assert [column.document.tolist() for column in ranking.columns] == [[0, 2], [0, 1]]
    assert SCORE(ranking)["roc_auc", "macro"] == 1


def test_labels_are_ranked_in_the_order_of_their_names() -> None:
    ranking = build_ranking(documents(["a"], [[0.1, 0.2]], labels=("b", "a")))
    assert ranking.classes == ("a", "b")
    assert ranking.columns[0].score.tolist() == [0.2]


def test_labels_that_are_named_have_no_order() -> None:
    with pytest.raises(ValueError, match="must have scores"):
        build_ranking(documents(["a"], None, chosen=["a"]))


def random_ranking(seed: int, number: int) -> Ranking:
    generator = np.random.default_rng(seed)
    codes = generator.integers(0, 3, number)
    scores = generator.normal(size=(number, 3)) + (codes[:, None] == np.arange(3))
    return build_ranking(documents([("a", "b", "c")[k] for k in codes], scores.tolist()))


@pytest.mark.parametrize("key", [("roc_auc", "macro"), ("roc_auc", "weighted"), ("roc_auc", "micro")])
def test_influence_agrees_with_scores_and_bootstrap(key: tuple[str, str]) -> None:
    ranking = random_ranking(3, 300)
    influence = RankingAreas().influence(ranking)
    at = influence.keys.index(key)
    assert influence.estimates[at] == pytest.approx(SCORE(ranking)[key].item(), rel=1e-13)
    drawn = RankingAreas().score_weighted(ranking, draw_weights(np.ones(300, np.int64), 1500, 1))[key]
    # A standard deviation of 1500 draws is itself known to 1 / sqrt(3000) = 1.8%; three such errors.
    assert influence.compute_standard_errors()[at] == pytest.approx(float(np.std(drawn, ddof=1)), rel=0.055)


def test_dependent_labels_widen_the_error_of_their_mean() -> None:
    """Two labels with the same scores and documents: the error of their mean is that of each."""
    scores = np.repeat(np.random.default_rng(5).normal(size=(80, 1)), 2, axis=1)
    gold = [["a", "b"] if k % 3 == 0 else [] for k in range(80)]
    errors = RankingAreas().influence(build_ranking(documents(gold, scores.tolist()))).compute_standard_errors()
    assert errors[2] == pytest.approx(errors[0], rel=1e-12)


def test_best_threshold_is_the_highest_with_the_highest_f() -> None:
    found = RankingAreas(best_threshold=True).score(
        build_ranking(documents(["a", "a", [], []], [[0.9], [0.6], [0.6], [0.1]]))
    )
    best = {key[-1]: value.item() for key, value in found.items() if key[2:3] == ("best",)}
    assert best == {"threshold": 0.6, "precision": pytest.approx(2 / 3), "recall": 1, "f1": pytest.approx(0.8)}
    even = RankingAreas(best_threshold=True).score(
        build_ranking(documents(["a", "a", [], []], [[0.9], [0.2], [0.6], [0.6]]))
    )
    assert even["by_label", "a", "best", "threshold"] == 0.9  # F is 2/3 at 0.9 and at 0.2


def test_a_label_without_documents_has_no_best_threshold() -> None:
    found = RankingAreas(best_threshold=True).score(RANKING)
    assert math.isnan(found["by_label", "c", "best", "threshold"])
