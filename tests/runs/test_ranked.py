from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pytest
from corpora import batch_of, random_corpus
from toys import Auc, Share

from isogloss.kernel.ranking import Influence, Ranking
from isogloss.kernel.scores import Ints, Scores, format_path
from isogloss.kernel.tally import Tally
from isogloss.runs.evidence import Resampling, TallyEvidence
from isogloss.runs.ranking_evidence import RankingEvidence
from isogloss.stats.intervals import compute_delong_intervals

CORPUS = random_corpus(4, 40)
RANKING = Auc().rank(batch_of(CORPUS))
DRAWN = ("other", "mean")


@dataclass(frozen=True)
class Ordered(Auc):
    """The areas of a toy, and a score that can only be resampled."""

    fails: bool = False

    def score(self, ranking: Ranking) -> Scores:
        influence = self.influence(ranking)
        known = dict(zip(influence.keys, influence.estimates, strict=True))
        return {key: np.asarray(value) for key, value in known.items()} | {DRAWN: np.asarray(0.5)}

    def influence(self, ranking: Ranking) -> Influence:
        return super().influence(ranking)

    def score_weighted(self, ranking: Ranking, draws: Iterable[Ints]) -> Scores:
        assert not self.fails
        totals = np.concatenate([weights[:, 0] for weights in draws]).astype(np.float64)
        return {DRAWN: totals, ("roc_auc", "macro"): totals}


def evidence(how: Resampling | None = None, *, fails: bool = False) -> RankingEvidence:
    counted = TallyEvidence(Share(), Tally.from_counts(Share().count(batch_of(CORPUS))), how)
    return RankingEvidence(counted, Ordered(fails=fails), RANKING, how)


def test_numbers_are_those_of_both_origins() -> None:
    numbers = evidence().numbers
    assert numbers["overall", "total"] == evidence().tally_evidence.numbers["overall", "total"]
    assert type(numbers["roc_auc", "macro"]) is float
    assert numbers[DRAWN] == 0.5
    assert evidence().documents == 40


def test_what_documents_have_one_by_one_is_counted() -> None:
    assert evidence().per_document == evidence().tally_evidence.per_document
    assert evidence().confusion == {}


def test_without_resampling_there_are_no_intervals() -> None:
    assert evidence().intervals == {}


def test_intervals_come_from_the_variance_where_it_is_known() -> None:
    how = Resampling(0.9, 20)
    found = evidence(how).intervals
    known = compute_delong_intervals(Auc().influence(RANKING), 0.9)
    assert {name: found[name] for name in map(format_path, known)} == {
        format_path(key): value for key, value in known.items()
    }
    assert found["overall.share"] == evidence(how).tally_evidence.intervals["overall.share"]
    assert found["other.mean"].method == "bootstrap"
    assert set(found) == {*map(format_path, known), *evidence(how).tally_evidence.intervals, "other.mean"}
    assert len(found) == len(set(found))


def test_nothing_is_resampled_for_an_interval_that_is_known() -> None:
    found = evidence(Resampling(0.9, 20), fails=True).intervals
    assert found["roc_auc.macro"].method == "delong"
    with pytest.raises(AssertionError):
        found["other.mean"]


def test_an_interval_that_is_not_there_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        evidence(Resampling(0.9, 20)).intervals["absent"]
