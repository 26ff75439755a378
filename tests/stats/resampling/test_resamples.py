from __future__ import annotations

import math

import numpy as np
import pytest
from corpora import Corpus, batch_of, random_corpus
from numpy.typing import NDArray
from toy_metrics import Quality, Share

from isogloss.kernel.tally import Tally
from isogloss.stats.bootstrap import bootstrap_scores

SHARE = ("overall", "share")


@pytest.mark.parametrize("held", [1, 100])
def test_the_size_of_pieces_changes_no_score(held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tally = Tally.from_counts(Quality().count(batch_of(random_corpus(1, 30))))
    whole = bootstrap_scores(tally, Quality().score, 20)
    monkeypatch.setattr("isogloss.stats.bootstrap.MAX_HELD_NUMBERS", held)
    pieces = bootstrap_scores(tally, Quality().score, 20)
    assert {key: value.tobytes() for key, value in pieces.items()} == {k: v.tobytes() for k, v in whole.items()}


def plain_bootstrap(corpus: Corpus, resamples: int) -> NDArray[np.float64]:
    """Documents drawn one by one, and the share of right answers among all of theirs."""
    generator = np.random.default_rng(99)
    counts = np.array([[sum(a.right for a in d.answers), len(d.answers)] for d in corpus])
    picks = generator.integers(0, len(corpus), (resamples, len(corpus)))
    right, total = counts[picks].sum(axis=1).T
    shares: NDArray[np.float64] = right / total
    return shares


@pytest.mark.parametrize("repeated", [1, 40], ids=["indices", "multinomial"])
def test_resamples_are_distributed_as_those_of_a_plain_bootstrap(repeated: int) -> None:
    corpus = random_corpus(3, 150 // repeated + 5) * repeated
    resamples = 10_000
    ours = bootstrap_scores(Tally.from_counts(Share().count(batch_of(corpus))), Share().score, resamples)[SHARE]
    theirs = plain_bootstrap(corpus, resamples)
    # A quantile q of n draws lies with near certainty between the quantiles q -+ 4 sqrt(q (1 - q) / n) of another n.
    for q in (0.025, 0.5, 0.975):
        slack = 4 * math.sqrt(2 * q * (1 - q) / resamples)
        low, high = np.quantile(theirs, [q - slack, q + slack])
        assert low <= np.quantile(ours, q) <= high
