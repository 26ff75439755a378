"""How many documents of each kind are exchanged in a trial: binomial(n, 1/2), the set bits of n random ones.

Kinds of few documents take a byte of random bits, larger ones some words, and those beyond that are drawn as they are.
Each size has a generator of its own, and a trial takes as many bits whatever the size of a piece, so that pieces change
no draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import Cell, Counts, positions, starts_of_runs
from isogloss.kernel.scores import Floats, Ints, Key
from isogloss.kernel.sums import Sums, weighted_sums
from isogloss.kernel.tally import Tally
from isogloss.stats.bootstrap import Score
from isogloss.stats.paired_tests import Difference, p_values, slack
from isogloss.stats.pairing import Pairs, changes

Flip = Callable[[Ints, int, np.random.Generator], NDArray[np.integer]]
BYTE, WORD = 8, 64
SPLIT = 8  # a binomial draw costs more than so many words
ALL = np.iinfo(np.uint64).max


class Flips:
    """The exchanges of a series of trials.

    Args:
        changed: the distinct changes of documents, and how often each occurs.
        seed: seed of the generators.
    """

    def __init__(self, changed: Tally, seed: int) -> None:
        times = changed.times
        small, large = times <= BYTE, times > WORD * SPLIT
        parts = [_part(changed, np.flatnonzero(chosen)) for chosen in (small, ~small & ~large, large)]
        self._parts = [parts[0], _in_pieces(parts[1]), parts[2]]
        self._weighing = [part.weighing() for part in self._parts]
        self._generators = [np.random.default_rng(own) for own in np.random.SeedSequence(seed).spawn(len(parts))]

    def draw(self, trials: int) -> Sums:
        """What the next trials move to the side that gains: leading axis trials, over the cells of the changes."""
        ways: tuple[Flip, ...] = (_in_bytes, _in_words, _at_large)
        drawn = zip(ways, self._parts, self._weighing, self._generators, strict=True)
        moved = [own.sums(flip(part.times, trials, generator)) for flip, part, own, generator in drawn]
        values, measured = (sum(getattr(sums, name) for sums in moved) for name in ("values", "measured"))
        return replace(moved[0], values=values, measured=measured)


def _part(changed: Tally, at: Ints) -> Tally:
    return Tally(changed.rows.taken(at), changed.times[at])


def _in_pieces(part: Tally) -> Tally:
    """Kinds of more documents than a word has bits as several kinds."""
    words = -(-part.times // WORD)
    at = np.repeat(np.arange(len(words)), words)
    last = np.cumsum(words) - 1
    times = np.full(len(at), WORD)
    times[last] = part.times - WORD * (words - 1)
    return replace(_part(part, at), times=times)


def _in_bytes(times: Ints, trials: int, generator: np.random.Generator) -> NDArray[np.uint8]:
    """Kinds of at most 8 documents: (trials, kinds)."""
    words = _words(trials, -(-len(times) // BYTE), generator)
    bits = words.view(np.uint8)[:, : len(times)]
    return bits_set(bits & ((1 << times) - 1).astype(np.uint8))


def _in_words(times: Ints, trials: int, generator: np.random.Generator) -> NDArray[np.uint8]:
    """Kinds of at most 64 documents: (trials, kinds)."""
    return bits_set(_words(trials, len(times), generator) >> (WORD - times).astype(np.uint64))


def _at_large(times: Ints, trials: int, generator: np.random.Generator) -> Ints:
    """Kinds of any number of documents: (trials, kinds)."""
    return generator.binomial(times, 0.5, size=(trials, len(times)))


def _words(trials: int, words: int, generator: np.random.Generator) -> NDArray[np.uint64]:
    """Random bits: (trials, words)."""
    return generator.integers(0, ALL, (trials, words), np.uint64, endpoint=True)


def _counted(bits: NDArray[np.integer]) -> NDArray[np.uint8]:
    """How many bits are set, for a numpy before 2.0."""
    each = np.array([number.bit_count() for number in range(256)], np.uint8)
    octets = np.ascontiguousarray(bits)[..., None].view(np.uint8)  # (..., bytes)
    counted: NDArray[np.uint8] = each[octets].sum(axis=-1, dtype=np.uint8)
    return counted


bits_set: Callable[[NDArray[np.integer]], NDArray[np.uint8]] = getattr(np, "bitwise_count", _counted)

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
