"""How often each distinct document comes up in each resample.

The draws depend on the distinct documents, their multiplicities and the seed: on no partition and no order. Drawing n
documents with replacement is drawing how often each distinct document comes up, a multinomial. That costs the distinct
documents and not all of them; but where a distinct document occurs a few times only, drawing documents one by one is
cheaper. So all such documents are one kind of the multinomial, and what comes up of it is drawn one by one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from isogloss.scores import Ints

HELD = 2**22  # numbers held at a time
RARE = 16  # a multinomial costs about so many single draws per distinct document


def draws(times: Ints, resamples: int, seed: int, width: int = 1) -> Iterator[Ints]:
    """Bootstrap weights in pieces (draws, distinct), each row adding up to `times.sum()`.

    Args:
        times: (distinct,) how often each distinct document occurs.
        resamples: how many draws there are in all.
        seed: seed of the generators. The size of the pieces changes no draw.
        width: how many numbers the reader of a piece makes of each draw: it bounds memory too.
    """
    kinds, total = len(times), int(times.sum())
    common = np.flatnonzero(times > RARE)
    rare = np.repeat(np.arange(kinds), np.where(times > RARE, 0, times))  # (rare documents,) the kind of each
    shares = np.append(len(rare), times[common]) / max(1, total)  # the last is not 0: it takes what is left
    single, several = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    step = max(1, HELD // max(1, kinds, width))
    for low in range(0, resamples, step):
        number = min(step, resamples - low)
        drawn = several.multinomial(total, shares, size=number)
        weights = np.zeros((number, kinds), np.int64)
        weights[:, common] = drawn[:, 1:]
        if len(rare):
            for k, wanted in enumerate(drawn[:, 0].tolist()):
                weights[k] += np.bincount(rare[single.integers(0, len(rare), wanted)], minlength=kinds)
        yield weights
