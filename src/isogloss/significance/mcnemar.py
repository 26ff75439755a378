"""McNemar's exact test: two systems that are right or wrong about each document.

Documents that both or neither gets right say nothing. Of those that one gets right, each system would get half were
they equally good: the p-value is that of a two-sided binomial test, twice the smaller tail and at most 1.

Source: McNemar (1947), Note on the sampling error of the difference between correlated proportions or percentages.
"""

from __future__ import annotations

import numpy as np


def mcnemar_test(only_baseline: int, only_other: int) -> float:
    """The exact p-value; 1 where no document tells the systems apart.

    Args:
        only_baseline: documents that only the baseline gets right.
        only_other: documents that only the other system gets right.

    Raises:
        ValueError: if either is negative.
    """
    if only_baseline < 0 or only_other < 0:
        raise ValueError(f"{only_baseline} and {only_other} are no numbers of documents")
    number, fewer = only_baseline + only_other, min(only_baseline, only_other)
    middle = number // 2
    below = np.arange(middle, 0, -1)
    steps = np.log(below) - np.log(number - below + 1)  # from C(n, k) to C(n, k - 1)
    chances = np.exp(np.append(0.0, np.cumsum(steps)))[::-1]  # (middle + 1,) of 0, 1, ... middle, not adding up to 1
    whole = 2 * chances.sum() - (0 if number % 2 else chances[middle])
    return min(1.0, float(2 * chances[: fewer + 1].sum() / whole))
