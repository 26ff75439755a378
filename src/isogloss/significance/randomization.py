"""Approximate randomization: how often systems differ as much when their names are exchanged at random, by document.

Exchange moves a document's counts from one side to the other, so a trial is told by how the sums move: documents whose
counts change by the same amount, in either direction, are interchangeable, and those whose counts do not change never
matter. So documents are collapsed by their change up to its sign, and a trial draws how many of each kind are
exchanged: binomial(n, 1/2).

Conventions
    1. Two-sided: a trial is extreme when its difference is at least as large as the observed one, in either direction.
    2. Ties are extreme, those up to rounding included; so are trials without a difference, because a score is 0/0.
    3. p = (1 + extreme trials) / (1 + trials).
    4. Every score is tested on the same trials. They depend on the changes of documents and on the seed: not on the
       order of documents, nor on which of the two systems is the baseline.

Source: Noreen (1989), Computer-intensive methods for testing hypotheses; Yeh (2000), More accurate tests for the
statistical significance of result differences.

Differences from other implementations
    1. sacrebleu 2 counts trials that are more extreme, not ties.
    2. mt-metrics-eval leaves out the 1 +, so that its p-value may be 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from isogloss.counts import Cell, Counts, Sums, Tally
from isogloss.counts.cells import positions
from isogloss.counts.grouping import starts_of_runs
from isogloss.counts.products import weighted_sums
from isogloss.resampling import Score
from isogloss.scores import Floats, Ints, Key
from isogloss.significance.differences import Difference, p_values, slack
from isogloss.significance.flips import Flips
from isogloss.significance.pairing import Pairs, changes

HELD = 2**22  # numbers held at a time


def randomization_test(pairs: Pairs, score: Score, trials: int = 10_000, seed: int = 12345) -> dict[Key, Difference]:
    """Test every score.

    Args:
        pairs: what both systems made of documents, or of clusters of them.
        score: what gives sums their scores.
        trials: how many, at least 1.
        seed: seed of the generators.

    Raises:
        ValueError: if the systems have not been scored by one metric, or there is no trial.
    """
    if trials < 1:
        raise ValueError(f"{trials} trials test nothing")
    exchange = Exchange.of(pairs)
    keys, (one, two) = _scored(score, exchange.observed)
    observed, least = two - one, np.abs(two - one) - slack(one, two)  # (scores,) each
    extreme, undefined = np.zeros(len(keys), np.int64), np.zeros(len(keys), np.int64)
    for sums in exchange.trials(trials, seed):
        one, two = _scored(score, sums)[1]
        found = np.abs(two - one)  # (draws, scores)
        none = np.isnan(found)
        undefined += none.sum(axis=0)
        extreme += (none | (found >= least)).sum(axis=0)
    p = np.where(np.isnan(observed), np.nan, p_values(extreme, trials))
    found = zip(keys, observed.tolist(), p.tolist(), undefined.tolist(), strict=True)
    return {key: Difference(value, chance, "randomization", trials, gaps) for key, value, chance, gaps in found}


@dataclass(frozen=True, eq=False)
class Exchange:
    """What exchanging the systems on documents does to the sums.

    Every document is turned so that its change begins above 0, whichever system that takes.

    Args:
        observed: sums of the baseline and of the other system: leading axis 2.
        turned: sums of the side that gains from exchange, with every document turned: no leading axes.
        changed: the distinct changes of documents, and how often each occurs.
        cells: position of each of their cells among those of the sums.
    """

    observed: Sums
    turned: Sums
    changed: Tally
    cells: Ints

    @classmethod
    def of(cls, pairs: Pairs) -> Self:
        """Exchange two systems.

        Raises:
            ValueError: if they have not been scored by one metric.
        """
        change = changes(pairs.baseline, pairs.other)
        sign = _signs(change)
        observed = _both(pairs.sums, change.cells)
        lost = Tally(change.select(sign < 0), pairs.times[sign < 0]).total()
        turned = replace(lost, values=observed.values[0] + lost.values, measured=_turned(pairs, sign < 0))
        values = change.values * sign[change.row, None]
        measured = change.measured * sign[:, None, None] + 0.0  # no -0.0
        moved = replace(change, values=values, measured=measured).select(sign != 0)
        tally = Tally.of(replace(moved, documents=np.arange(len(moved.documents))), pairs.times[sign != 0])
        return cls(observed, turned, tally, positions(tally.rows.cells, observed.cells))

    def trials(self, trials: int, seed: int) -> Iterator[Sums]:
        """The sums of both sides in pieces: leading axes 2, draws."""
        width = 8 * self.observed.values.size
        step = max(1, HELD // max(1, len(self.changed.times) // 4, width))  # most exchanges take a byte
        flips = Flips(self.changed, seed)
        for low in range(0, trials, step):
            yield self.after(flips.draw(min(step, trials - low)))

    def after(self, gained: Sums) -> Sums:
        """The sums of both sides, leading axes 2, draws, when exchanges have moved some to the side that gains.

        Args:
            gained: what they have moved, over the cells of the changes: leading axis draws.
        """
        values = np.repeat(self.turned.values[None], len(gained.values), axis=0)
        values[:, self.cells] += gained.values
        measured = self.turned.measured + gained.measured
        both = self.observed.values.sum(axis=0), self.observed.measured.sum(axis=0)
        return replace(
            self.observed,
            values=np.stack([values, both[0] - values]),
            measured=np.stack([measured, both[1] - measured]),
        )


def _scored(score: Score, sums: Sums) -> tuple[list[Key], Floats]:
    """Names of the scores, and their values for both sides: (2, ..., scores)."""
    scores = score(sums)
    values = [np.asarray(value, np.float64) for value in scores.values()]
    return list(scores), np.stack(values, axis=-1)


def _signs(change: Counts) -> NDArray[np.int64]:
    """Whether the first number that changes in a document rises (1) or falls (-1), 0 where none does: (documents,)."""
    sign = np.zeros(len(change.documents), np.int64)
    for column in change.measured.reshape(len(sign), 2 * len(change.measures)).T[::-1]:
        sign = np.where(column != 0, np.sign(column).astype(np.int64), sign)
    first = starts_of_runs(change.row)
    rows = change.values[first]  # (changed documents, columns)
    sign[change.row[first]] = np.sign(rows[np.arange(len(rows)), (rows != 0).argmax(axis=1)])
    return sign


def _both(sums: tuple[Sums, Sums], cells: tuple[Cell, ...]) -> Sums:
    """Sums of both systems over the cells of either: leading axis 2."""
    one, two = (side.onto(cells) for side in sums)
    values, measured = np.stack([one.values, two.values]), np.stack([one.measured, two.measured])
    return replace(one, values=values, measured=measured)


def _turned(pairs: Pairs, turn: NDArray[np.bool_]) -> Floats:
    """Sums of the measures of the baseline, and of the other system where pairs (pairs,) are turned: (measures, 2)."""
    measured = np.where(turn[:, None, None], pairs.other.measured, pairs.baseline.measured)
    shape, documents = measured.shape[1:], int(pairs.times.sum())
    return weighted_sums(pairs.times[None], measured.reshape(len(turn), shape[0] * 2), documents).reshape(shape)
