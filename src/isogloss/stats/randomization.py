"""Randomization: exchange the systems on random documents and score again.

If few documents differ, all exchanges are enumerated, and the p-value is exact.

How many of the n documents of a kind are exchanged in a trial is binomial(n, 1/2): the number of set bits of n random
bits. Kinds of few documents use a byte of random bits, larger kinds some words, and still larger ones a binomial draw.
Each size has its own generator, and a trial uses the same number of bits for any piece size, so pieces change no draw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import Cell, Counts, find_positions, find_run_starts
from isogloss.kernel.scores import Floats, Ints, ScoreKey
from isogloss.kernel.sums import Sums, compute_weighted_sums
from isogloss.kernel.tally import Tally
from isogloss.stats.bootstrap import Score
from isogloss.stats.mcnemar import compute_binomial_chances
from isogloss.stats.paired_tests import SystemDifference, judge_exchanges
from isogloss.stats.system_pairs import SystemPairs, subtract_counts

FlipFunction = Callable[[Ints, int, np.random.Generator], NDArray[np.integer]]
BYTE_BITS, WORD_BITS = 8, 64
MAX_WORDS = 8  # a binomial draw costs more than this many words
ALL_BITS = np.iinfo(np.uint64).max


class ExchangeSampler:
    """Random exchanges of a series of trials.

    Args:
        changes: the distinct changes of documents, and how often each occurs.
        seed: seed of the generators.
    """

    def __init__(self, changes: Tally, seed: int) -> None:
        times = changes.times
        small, large = times <= BYTE_BITS, times > WORD_BITS * MAX_WORDS
        parts = [_select_kinds(changes, np.flatnonzero(chosen)) for chosen in (small, ~small & ~large, large)]
        self._parts = [parts[0], _split_kinds(parts[1]), parts[2]]
        self._weighing = [part.build_summer() for part in self._parts]
        self._generators = [np.random.default_rng(own) for own in np.random.SeedSequence(seed).spawn(len(parts))]

    def draw(self, trials: int) -> Sums:
        """Draw the changes that the next trials apply: leading axis trials."""
        ways: tuple[FlipFunction, ...] = (_flip_in_bytes, _flip_in_words, _flip_binomially)
        drawn = zip(ways, self._parts, self._weighing, self._generators, strict=True)
        moved = [own.sum_documents(flip(part.times, trials, generator)) for flip, part, own, generator in drawn]
        values, measured = (sum(getattr(sums, name) for sums in moved) for name in ("values", "measured"))
        return replace(moved[0], values=values, measured=measured)


def _select_kinds(changed: Tally, at: Ints) -> Tally:
    return Tally(changed.rows.take(at), changed.times[at])


def _split_kinds(part: Tally) -> Tally:
    """Split kinds of more documents than a word has bits."""
    words = -(-part.times // WORD_BITS)
    at = np.repeat(np.arange(len(words)), words)
    last = np.cumsum(words) - 1
    times = np.full(len(at), WORD_BITS)
    times[last] = part.times - WORD_BITS * (words - 1)
    return replace(_select_kinds(part, at), times=times)


def _flip_in_bytes(times: Ints, trials: int, generator: np.random.Generator) -> NDArray[np.uint8]:
    """Draw for kinds of at most 8 documents: (trials, kinds)."""
    words = _draw_words(trials, -(-len(times) // BYTE_BITS), generator)
    bits = words.view(np.uint8)[:, : len(times)]
    return count_set_bits(bits & ((1 << times) - 1).astype(np.uint8))


def _flip_in_words(times: Ints, trials: int, generator: np.random.Generator) -> NDArray[np.uint8]:
    """Draw for kinds of at most 64 documents: (trials, kinds)."""
    return count_set_bits(_draw_words(trials, len(times), generator) >> (WORD_BITS - times).astype(np.uint64))


def _flip_binomially(times: Ints, trials: int, generator: np.random.Generator) -> Ints:
    """Draw for kinds of any number of documents: (trials, kinds)."""
    return generator.binomial(times, 0.5, size=(trials, len(times)))


def _draw_words(trials: int, words: int, generator: np.random.Generator) -> NDArray[np.uint64]:
    """Draw random bits: (trials, words)."""
    return generator.integers(0, ALL_BITS, (trials, words), np.uint64, endpoint=True)


def _count_bits(bits: NDArray[np.integer]) -> NDArray[np.uint8]:
    """Count set bits, for numpy before 2.0."""
    each = np.array([number.bit_count() for number in range(256)], np.uint8)
    octets = np.ascontiguousarray(bits)[..., None].view(np.uint8)  # (..., bytes)
    counted: NDArray[np.uint8] = each[octets].sum(axis=-1, dtype=np.uint8)
    return counted


count_set_bits: Callable[[NDArray[np.integer]], NDArray[np.uint8]] = getattr(np, "bitwise_count", _count_bits)

MAX_HELD_NUMBERS = 2**22  # in memory at a time


def randomization_test(
    pairs: SystemPairs, score: Score, trials: int = 10_000, seed: int = 12345
) -> dict[ScoreKey, SystemDifference]:
    """Test every score by randomization.

    The test is exact if all exchanges are at most `trials` outcomes, else approximate.

    Args:
        pairs: counts of both systems on documents, or on clusters.
        score: scores sums.
        trials: number of trials, at least 1.
        seed: seed of the generators.

    Raises:
        ValueError: if different metrics scored the systems, or there is no trial.
    """
    if trials < 1:
        raise ValueError(f"trials must be at least 1, got {trials}")
    exchange = SystemExchange.from_pairs(pairs)
    keys, sides = _score_sides(score, exchange.observed)
    exact = exchange.count_outcomes(trials) <= trials
    outcomes = exchange.enumerate_outcomes() if exact else ((x, None) for x in exchange.draw_trials(trials, seed))
    scored = ((_score_sides(score, sums)[1], chances) for sums, chances in outcomes)
    return judge_exchanges(keys, (sides[0], sides[1]), scored, 0 if exact else trials)


@dataclass(frozen=True, eq=False)
class SystemExchange:
    """Sums of two systems, and how exchanging a document changes them.

    Every document is turned so that the first number that changes rises, whichever system it comes from.

    Args:
        observed: sums of the baseline and of the other system: leading axis 2.
        turned: sums of the side that gains from exchanges, with every document turned: no leading axes.
        changes: the distinct changes of documents, and how often each occurs.
        cells: position of each cell of the changes among the cells of the sums.
    """

    observed: Sums
    turned: Sums
    changes: Tally
    cells: Ints

    @classmethod
    def from_pairs(cls, pairs: SystemPairs) -> Self:
        """Prepare the exchange of two systems.

        Args:
            pairs: counts of both systems on documents, or on clusters.

        Raises:
            ValueError: if different metrics scored the systems.
        """
        change = subtract_counts(pairs.baseline, pairs.other)
        sign = _find_signs(change)
        observed = _stack_sums(pairs.sums, change.cells)
        lost = Tally(change.select(sign < 0), pairs.times[sign < 0]).sum_all()
        turned = replace(lost, values=observed.values[0] + lost.values, measured=_sum_turned_measures(pairs, sign < 0))
        values = change.values * sign[change.row, None]
        measured = change.measured * sign[:, None, None] + 0.0  # no -0.0
        moved = replace(change, values=values, measured=measured).select(sign != 0)
        tally = Tally.from_counts(replace(moved, documents=np.arange(len(moved.documents))), pairs.times[sign != 0])
        return cls(observed, turned, tally, find_positions(tally.rows.cells, observed.cells))

    def draw_trials(self, trials: int, seed: int) -> Iterator[Sums]:
        """Yield the sums of both sides in pieces: leading axes 2, draws."""
        width = 8 * self.observed.values.size
        step = max(1, MAX_HELD_NUMBERS // max(1, len(self.changes.times) // 4, width))  # most exchanges use one byte
        flips = ExchangeSampler(self.changes, seed)
        for low in range(0, trials, step):
            yield self.apply_exchanges(flips.draw(min(step, trials - low)))

    def count_outcomes(self, limit: int) -> int:
        """Count how many outcomes all exchanges have; equal documents are exchanged alike.

        Args:
            limit: stop counting above this number.
        """
        number = 1
        for times in self.changes.times.tolist():
            number *= times + 1
            if number > limit:
                break
        return number

    def enumerate_outcomes(self) -> Iterator[tuple[Sums, Floats]]:
        """Yield all outcomes in pieces, with their probabilities.

        Each piece has the sums of both sides, (2, outcomes), and the probabilities (outcomes,).
        """
        times = self.changes.times
        chances = [compute_binomial_chances(number) for number in times.tolist()]
        radix = np.cumprod(np.append(1, times + 1))  # (kinds + 1,) outcomes of the kinds before
        summer = self.changes.build_summer()
        step = max(1, MAX_HELD_NUMBERS // (8 * self.observed.values.size + len(times) + 1))
        for low in range(0, int(radix[-1]), step):
            outcome = np.arange(low, min(low + step, int(radix[-1])))
            flips = outcome[:, None] // radix[:-1] % (times + 1)  # (outcomes, kinds)
            chance = np.ones(len(outcome))
            for own, flipped in zip(chances, flips.T, strict=True):
                chance *= own[flipped]
            yield self.apply_exchanges(summer.sum_documents(flips)), chance

    def apply_exchanges(self, gained: Sums) -> Sums:
        """Return the sums of both sides after exchanges: leading axes 2, draws.

        Args:
            gained: what the exchanges add to the gaining side, over the cells of the changes: leading axis draws.
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


def _score_sides(score: Score, sums: Sums) -> tuple[list[ScoreKey], Floats]:
    """Return names of the scores, and values of both sides.

    The values have the shape (2, ..., scores).
    """
    scores = score(sums)
    values = [np.asarray(value, np.float64) for value in scores.values()]
    return list(scores), np.stack(values, axis=-1)


def _find_signs(change: Counts) -> NDArray[np.int64]:
    """Return the sign of the first change per document: (documents,).

    The sign is 0 for no change.
    """
    sign = np.zeros(len(change.documents), np.int64)
    for column in change.measured.reshape(len(sign), 2 * len(change.measures)).T[::-1]:
        sign = np.where(column != 0, np.sign(column).astype(np.int64), sign)
    first = find_run_starts(change.row)
    rows = change.values[first]  # (changed documents, columns)
    sign[change.row[first]] = np.sign(rows[np.arange(len(rows)), (rows != 0).argmax(axis=1)])
    return sign


def _stack_sums(sums: tuple[Sums, Sums], cells: tuple[Cell, ...]) -> Sums:
    """Stack the sums of both systems: leading axis 2.

    The sums are those over the cells of either system.
    """
    one, two = (side.align_to(cells) for side in sums)
    values, measured = np.stack([one.values, two.values]), np.stack([one.measured, two.measured])
    return replace(one, values=values, measured=measured)


def _sum_turned_measures(pairs: SystemPairs, turn: NDArray[np.bool_]) -> Floats:
    """Sum measures of the baseline, or of the other system.

    The other system is summed where `turn` is set: (measures, 2).
    """
    measured = np.where(turn[:, None, None], pairs.other.measured, pairs.baseline.measured)
    shape, documents = measured.shape[1:], int(pairs.times.sum())
    return compute_weighted_sums(pairs.times[None], measured.reshape(len(turn), shape[0] * 2), documents).reshape(shape)
