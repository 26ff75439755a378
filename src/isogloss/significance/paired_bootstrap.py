"""The paired bootstrap: interval of a difference, and its p-value, from resamples that both systems share.

Conventions
    1. Both systems are scored on the same resamples of documents. They are drawn for a pair: a third system changes
       nothing about two others.
    2. The interval is that of the percentiles; undefined resamples are left out and counted.
    3. The p-value is two-sided, from resamples shifted to where the systems are equal: a resample is extreme when its
       difference lies at least as far from the observed one as that lies from 0. Ties and undefined resamples are
       extreme, and so are all resamples of a single document; p = (1 + extreme resamples) / (1 + resamples).
    4. Neither draws nor p-values depend on which of the systems is the baseline: their difference changes its sign.

Source: Efron and Tibshirani (1993), An introduction to the bootstrap, chapter 16; Koehn (2004), Statistical
significance tests for machine translation evaluation.

Differences from other implementations
    1. sacrebleu 2 subtracts the mean of the resampled absolute differences from each of them, and does not count ties.
    2. Koehn counts the resamples in which the better system is not better: one-sided, and not shifted.
"""

from __future__ import annotations

from isogloss.counts import Sums, Tally
from isogloss.counts.cells import by_name
from isogloss.resampling import Score, bootstrap
from isogloss.scores import Key, Scores
from isogloss.significance.differences import Difference, resampled
from isogloss.significance.pairing import SYSTEMS, Pairs, each_system, paired


def bootstrap_test(
    pairs: Pairs, score: Score, resamples: int = 1000, seed: int = 12345, level: float = 0.95
) -> dict[Key, Difference]:
    """Test every score, with an interval of its difference.

    Args:
        pairs: what both systems made of documents, or of clusters of them.
        score: what gives sums their scores.
        resamples: how many.
        seed: seed of the generators.
        level: confidence level in (0, 1).

    Raises:
        ValueError: if the systems have not been scored by one metric.
    """
    turned = _ordered(pairs.sums[1]) < _ordered(pairs.sums[0])
    names = SYSTEMS[::-1] if turned else SYSTEMS
    sides = (pairs.other, pairs.baseline) if turned else (pairs.baseline, pairs.other)
    tally = Tally.of(paired(*sides), pairs.times)
    scored = each_system(score)
    observed, drawn = scored(tally.total()), bootstrap(tally, scored, resamples, seed)
    one, two = ((_of(observed, name), _of(drawn, name)) for name in names)
    return resampled(one, two, level, tally.documents)


def _of(scores: Scores, system: str) -> Scores:
    return {key[1:]: value for key, value in scores.items() if key[0] == system}


def _ordered(sums: Sums) -> list[object]:
    """Sums in a form that has an order: systems of equal sums do not differ."""
    cells = sorted(zip(map(by_name, sums.cells), sums.values.tolist(), strict=True))
    return [*cells, *sums.measured.reshape(-1).tolist()]
