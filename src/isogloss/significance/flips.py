"""How many documents of each kind are exchanged in a trial: binomial(n, 1/2), the set bits of n random ones.

Kinds of few documents take a byte of random bits, larger ones some words, and those beyond that are drawn as they are.
Each size has a generator of its own, and a trial takes as many bits whatever the size of a piece, so that pieces change
no draw.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from isogloss.counts import Sums, Tally
from isogloss.scores import Ints

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
