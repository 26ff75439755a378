"""What the tags of a whole input show about their scheme: counts that add up over batches.

Whether a tag fits a scheme follows from the letters of neighbours and from whether their labels are equal, so a table
of these is all that is kept, whatever the size of the input; beside it, where each tag was first seen. How tags are
written may only be known at the end, so both notations are counted where the vocabulary allows both.

Evidence of batches in any order and any cut adds up to the same; `Evidence()` is the identity.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial
from typing import NamedTuple

import numpy as np

from isogloss.batches import SIDES, Codes, Origin, Side, TagPairs
from isogloss.scores import Ints
from isogloss.tagging.notation import Notation, split
from isogloss.tagging.rules import Rule, begins, ends
from isogloss.tagging.schemes import LETTERS, OUTSIDE, Scheme, continues
from isogloss.tagging.tables import BEGIN, END, Table, compiled
from isogloss.tagging.tokens import TaggedTokens

SYMBOLS = (OUTSIDE, *sorted(LETTERS))
COUNTED: tuple[Notation, ...] = ("prefix", "suffix")
_AT = {symbol: at for at, symbol in enumerate(SYMBOLS)}


class Sighting(NamedTuple):
    """Where a tag was first seen. The origin is asked for its name only when a message needs it."""

    document: int
    position: int
    row: int
    origin: Origin


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Neighbouring tags of one side in one notation, counted by letter.

    Args:
        pairs: (2, symbols, symbols) neighbours by same label, previous and current letter; each tag next to O or to the
            edge of a document is counted as a neighbour of O.
        alone: (symbols,) spans of one tag, by letter.
    """

    pairs: Ints = field(default_factory=lambda: np.zeros((2, len(SYMBOLS), len(SYMBOLS)), np.int64))
    alone: Ints = field(default_factory=lambda: np.zeros(len(SYMBOLS), np.int64))

    def __add__(self, other: Neighbours) -> Neighbours:
        return Neighbours(self.pairs + other.pairs, self.alone + other.alone)

    def letters(self) -> str:
        """Letters of schemes that were used, ascending."""
        used = self.pairs.sum(axis=(0, 1)) > 0  # (symbols,)
        return "".join(letter for letter in sorted(LETTERS) if used[_AT[letter]])

    def begins(self, letter: str) -> int:
        """Spans whose first tag has this letter."""
        before = self.pairs[:, :, _AT[letter]]  # (same label, previous)
        return int(before.sum() - sum(before[1, _AT[x]] for x in LETTERS if continues(x, letter, same_label=True)))

    def ends(self, letter: str) -> int:
        """Spans whose last tag has this letter."""
        after = self.pairs[:, _AT[letter], :]  # (same label, current)
        return int(after.sum() - sum(after[1, _AT[x]] for x in LETTERS if continues(letter, x, same_label=True)))

    def spans(self) -> int:
        """Spans by the lenient reading."""
        return sum(self.begins(letter) for letter in LETTERS)

    def misfits(self, scheme: Scheme) -> int:
        """Tags that do not fit a scheme; the letters used must be among its own.

        For IOB1 a B that does not follow a span of its label counts too, for IOE1 an E that does not precede one: they
        are read without repair, but they speak against the scheme.
        """
        wrong_first = set(scheme.letters).difference(scheme.opens)
        wrong_last = set(scheme.letters).difference(scheme.closes)
        count = sum(map(self.begins, wrong_first)) + sum(map(self.ends, wrong_last))
        count -= sum(int(self.alone[_AT[letter]]) for letter in wrong_first & wrong_last)
        return count + (self._needless(scheme) if scheme.between else 0)

    def _needless(self, scheme: Scheme) -> int:
        mark, letters = _AT[scheme.between], [_AT[letter] for letter in scheme.letters]
        if scheme.between == "B":
            return self.begins(scheme.between) - int(self.pairs[1, letters, mark].sum())
        return self.ends(scheme.between) - int(self.pairs[1, mark, letters].sum())


@dataclass(frozen=True, eq=False)
class Evidence:
    """What was seen so far.

    Args:
        neighbours: by side and notation.
        sightings: by side, where each tag but O was first seen.
        outside: tags O, on both sides together.
        sides: the sides that have tags at all.
    """

    neighbours: Mapping[tuple[Side, Notation], Neighbours] = field(default_factory=dict)
    sightings: Mapping[Side, Mapping[str, Sighting]] = field(default_factory=lambda: {side: {} for side in SIDES})
    outside: int = 0
    sides: frozenset[Side] = frozenset()

    @classmethod
    def of(cls, batch: TagPairs) -> Evidence:
        """What one batch shows."""
        tokens = TaggedTokens.of(batch)
        notations = _notations(batch.vocabulary)
        _, tables = compiled(batch.vocabulary, tuple(map(_letters_of, notations)))
        tagged = sum(int(np.count_nonzero(tokens.codes(side))) for side in SIDES)
        return cls(
            neighbours={
                (side, notation): _count(table, tokens, tokens.codes(side))
                for side in SIDES
                for notation, table in zip(notations, tables, strict=True)
            },
            sightings={side: _sightings(batch, tokens, tokens.codes(side)[1:-1]) for side in SIDES},
            outside=len(batch.sides) * len(batch.reference) - tagged,
            sides=frozenset(batch.sides),
        )

    def __add__(self, other: Evidence) -> Evidence:
        neighbours = dict(self.neighbours)
        for key, more in other.neighbours.items():
            neighbours[key] = neighbours[key] + more if key in neighbours else more
        sightings = {side: _earliest(self.sightings[side], other.sightings[side]) for side in SIDES}
        return replace(
            self,
            neighbours=neighbours,
            sightings=sightings,
            outside=self.outside + other.outside,
            sides=self.sides | other.sides,
        )

    def tags(self) -> tuple[str, ...]:
        """All tags but O that either side uses, ascending."""
        return tuple(sorted({tag for side in SIDES for tag in self.sightings[side]}))

    def of_side(self, side: Side, notation: Notation) -> Neighbours:
        """The neighbours of one side."""
        return self.neighbours.get((side, notation)) or Neighbours()


@lru_cache(maxsize=8)
def _notations(vocabulary: tuple[str, ...]) -> tuple[Notation, ...]:
    return tuple(notation for notation in COUNTED if any(split(tag, notation) for tag in vocabulary[1:]))


@cache
def _letters_of(notation: Notation) -> Rule:
    return Rule(notation, partial(_split, notation=notation), begins, ends)


def _split(tag: str, notation: Notation) -> tuple[str, str]:
    # A tag without a letter is an error when it is decoded; here it says no more than O.
    return (tag != OUTSIDE and split(tag, notation)) or (OUTSIDE, "")


def _count(table: Table, tokens: TaggedTokens, codes: Codes) -> Neighbours:
    index = table.neighbours(codes, tokens.apart)  # (tagged + 1,)
    width = len(table.kinds)
    found = np.bincount(index, minlength=4 * width * width).reshape(2, 2, width, width)
    named = np.array([[prefix == symbol for symbol in SYMBOLS] for prefix, _ in table.kinds], np.int64)
    pairs = named.T @ found[0] @ named  # (same label, symbols, symbols)
    apart = named.T @ found[1].sum(axis=0) @ named  # (symbols, symbols)
    pairs[0, :, _AT[OUTSIDE]] += apart.sum(axis=1)
    pairs[0, _AT[OUTSIDE], :] += apart.sum(axis=0)
    pairs[:, _AT[OUTSIDE], _AT[OUTSIDE]] = 0  # O beside O says nothing, and depends on what the other side tags
    found_at = table.boundaries.take(index)  # (tagged + 1,)
    alone = np.flatnonzero((found_at[:-1] & BEGIN != 0) & (found_at[1:] & END != 0))  # (spans of one tag,)
    kinds = np.bincount(table.kind.take(codes.take(alone + 1)), minlength=width)  # (kinds,)
    counted = kinds @ named  # (symbols,)
    counted[_AT[OUTSIDE]] = 0
    return Neighbours(pairs, counted)


def _sightings(batch: TagPairs, tokens: TaggedTokens, codes: Codes) -> dict[str, Sighting]:
    first = np.full(len(batch.vocabulary), -1)  # (tags,)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # of several positions the last one written, the earliest, stays
    seen = {}
    for code in np.flatnonzero(first >= 0).tolist():
        at = int(first[code])
        row = int(tokens.row[at])
        position = int(tokens.at[at] - batch.offsets[row])
        seen[batch.vocabulary[code]] = Sighting(int(batch.documents[row]), position, row, batch.origin)
    seen.pop(OUTSIDE, None)
    return seen


def _earliest(left: Mapping[str, Sighting], right: Mapping[str, Sighting]) -> dict[str, Sighting]:
    merged = dict(left)
    for tag, sighting in right.items():
        if tag not in merged or sighting[:2] < merged[tag][:2]:
            merged[tag] = sighting
    return merged
