"""McNemar's exact test, for single documents and for clusters of documents.

Each document, or each cluster, is exchanged between the systems with probability 1/2. The p-value is the probability
that the sum of the differences is then at least as far from 0 as the observed sum. Nothing is drawn: the distribution
of the sum is computed.

Sources: McNemar (1947), Note on the sampling error of the difference between correlated proportions or percentages;
Durkalski, Palesch, Lipsitz and Rust (2003), Analysis of clustered matched-pair data, for the problem of clusters. Their
statistic is asymptotic; exchanging whole clusters is exact for any number of clusters.
"""

from __future__ import annotations

from math import erfc, sqrt

import numpy as np

from isogloss.kernel.scores import Floats, Ints

SMALLEST_P = float(np.finfo(np.float64).tiny)  # a positive p-value that float64 cannot hold becomes this, not 0
MAX_EXACT_STEPS = 2**27  # additions; above it the distribution of the sum is taken as normal


def compute_binomial_chances(number: int) -> Floats:
    """Return the probability of each number of heads: (number + 1,).

    A fair coin is thrown `number` times.
    """
    middle = number // 2
    below = np.arange(middle, 0, -1)
    steps = np.log(below) - np.log(number - below + 1)  # from C(n, k) to C(n, k - 1)
    half = np.exp(np.append(0.0, np.cumsum(steps)))[::-1]  # (middle + 1,) for 0, 1, ... middle, not normalized
    chances = np.append(half, half[: number - middle][::-1])
    result: Floats = chances / chances.sum()
    return result


def mcnemar_test(only_baseline: int, only_other: int) -> float:
    """Return the exact p-value of McNemar's test; 1 if no document differs.

    Args:
        only_baseline: number of independent documents that only the baseline gets right.
        only_other: number of independent documents that only the other system gets right.

    Raises:
        ValueError: if either is negative.
    """
    if only_baseline < 0 or only_other < 0:
        raise ValueError(f"numbers of documents must not be negative, got {only_baseline} and {only_other}")
    fewer = min(only_baseline, only_other)
    tail = float(compute_binomial_chances(only_baseline + only_other)[: fewer + 1].sum())
    return min(1.0, max(2 * tail, SMALLEST_P))


def clustered_mcnemar_test(differences: Ints) -> float:
    """Return the p-value of McNemar's test for clusters.

    The p-value is 1 if no cluster differs. Whole clusters are exchanged between the systems. With one document in each
    cluster this is `mcnemar_test`.

    Args:
        differences: (clusters,) documents of each cluster that only the other system gets right, minus those that only
            the baseline gets right.
    """
    moved = differences[differences != 0]
    sizes, times = np.unique(np.abs(moved), return_counts=True)
    if len(sizes) <= 1:
        return mcnemar_test(int(np.count_nonzero(moved < 0)), int(np.count_nonzero(moved > 0)))
    observed, steps = abs(int(moved.sum())), int(sizes @ times) * len(moved)
    if steps > MAX_EXACT_STEPS:
        return max(SMALLEST_P, erfc(observed / sqrt(2 * float(np.square(moved).sum()))))
    chances = _add_exchanges(sizes, times)
    sums = 2 * np.arange(len(chances)) - int(sizes @ times)
    return min(1.0, max(SMALLEST_P, float(chances[np.abs(sums) >= observed].sum())))


def _add_exchanges(sizes: Ints, times: Ints) -> Floats:
    """Return the chance of each sum over exchanged clusters.

    Each sum is that of the sizes of the clusters that favour the other system: (sum of sizes + 1,).
    """
    chances = np.ones(1)
    for size, number in zip(sizes.tolist(), times.tolist(), strict=True):
        grown = np.zeros(len(chances) + size * number)
        for favoured, chance in enumerate(compute_binomial_chances(number).tolist()):
            grown[size * favoured : size * favoured + len(chances)] += chance * chances
        chances = grown
    return chances
