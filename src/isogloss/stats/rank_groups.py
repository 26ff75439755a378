"""Ranks and groups of systems from the significant differences of all pairs.

1. The rank of a system is a range: from 1 + the number of systems that are significantly better, to n - the number of
   systems that are significantly worse, of n systems. A system without significant differences has the range 1 to n.
2. Systems are in groups, ordered by score. A new group begins where every system above is significantly better than
   every system below. So two systems of one group may differ significantly, but no boundary between them is clear.

If the p-values are corrected so that the chance of any false claim is at most alpha (Holm), then with a chance of at
least 1 - alpha all ranges contain the true ranks at once.

Sources: rank ranges and clusters as in the findings of the Conference on Machine Translation (WMT), such as Kocmi et
al. (2023), there with other tests and without a correction; Mogstad, Romano, Shaikh and Wilhelm (2024), Inference for
Ranks with Applications to Mobility across Neighbourhoods and Academic Achievement across Countries.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]


def compute_rank_ranges(better: Bools) -> list[tuple[int, int]]:
    """Compute the first and the last rank of each system.

    Args:
        better: (systems, systems) whether the system of the row is significantly better than the system of the column.
    """
    first, last = 1 + better.sum(axis=0), len(better) - better.sum(axis=1)  # (systems,) each
    return list(zip(first.tolist(), last.tolist(), strict=True))


def assign_rank_groups(better: Bools) -> list[int]:
    """Return the group of each system, numbered from 1.

    Args:
        better: (systems, systems) whether the system of the row is significantly better than the system of the column;
            both ordered from the best score.
    """
    groups = [1][: len(better)]
    for at in range(1, len(better)):
        groups.append(groups[-1] + bool(better[:at, at:].all()))
    return groups
