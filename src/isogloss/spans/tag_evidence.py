"""Count the evidence on the tag scheme of an input.

Whether a tag is valid in a scheme follows from the letters of neighbours and from whether their labels are equal. So a
table of these is all that is kept for any size of input, and the place where each tag was first seen. The notation may
only be known at the end, so every notation that the vocabulary allows is counted.

Evidence of batches adds up to the same in any order and for any cuts; `TagEvidence()` is the identity.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from isogloss.kernel.provenance import SIDES, Provenance, Side
from isogloss.kernel.scores import Ints
from isogloss.spans.batches import Codes, TagPairs
from isogloss.spans.schemes import (
    LETTERS,
    OUTSIDE,
    SEPARATED_NOTATIONS,
    TagNotation,
    TagRule,
    TagScheme,
    is_continuation,
    split_tag,
)
from isogloss.spans.tag_reading import BEGIN_BIT, END_BIT, RuleTable, TaggedTokens, compile_rules

SYMBOLS = (OUTSIDE, *sorted(LETTERS))
_SYMBOL_POSITIONS = {symbol: at for at, symbol in enumerate(SYMBOLS)}


class TagSighting(NamedTuple):
    """Place where a tag was first seen.

    `provenance` names the place only for messages.
    """

    document: int
    position: int
    row: int
    provenance: Provenance


class _Place(NamedTuple):
    """Provenance of a tag whose place is known."""

    place: str

    def name(self, row: int) -> str:
        return str(row + 1)

    def where(self, row: int, position: int, side: Side) -> str:  # noqa: ARG002  the signature of `Provenance`
        return self.place

    def get_excerpt(self, row: int) -> None:  # noqa: ARG002  the signature of `Provenance`
        return None


@dataclass(frozen=True, eq=False)
class NeighbourCounts:
    """Counts of neighbouring letters of one side in one notation.

    Args:
        pairs: (2, symbols, symbols) neighbours by same label, previous and current letter; a tag next to the edge of a
            document counts as a neighbour of O.
        alone: (symbols,) spans of one tag, by letter.
    """

    pairs: Ints = field(default_factory=lambda: np.zeros((2, len(SYMBOLS), len(SYMBOLS)), np.int64))
    alone: Ints = field(default_factory=lambda: np.zeros(len(SYMBOLS), np.int64))

    def __add__(self, other: NeighbourCounts) -> NeighbourCounts:
        return NeighbourCounts(self.pairs + other.pairs, self.alone + other.alone)

    def list_letters(self) -> str:
        """Return the letters in use, ascending."""
        used = self.pairs.sum(axis=(0, 1)) > 0  # (symbols,)
        return "".join(letter for letter in sorted(LETTERS) if used[_SYMBOL_POSITIONS[letter]])

    def count_begins(self, letter: str) -> int:
        """Count spans whose first tag has this letter."""
        before = self.pairs[:, :, _SYMBOL_POSITIONS[letter]]  # (same label, previous)
        continued = [at for x, at in _SYMBOL_POSITIONS.items() if is_continuation(x, letter, same_label=True)]
        return int(before.sum() - before[1, continued].sum())

    def count_ends(self, letter: str) -> int:
        """Count spans whose last tag has this letter."""
        after = self.pairs[:, _SYMBOL_POSITIONS[letter], :]  # (same label, current)
        continuing = [at for x, at in _SYMBOL_POSITIONS.items() if is_continuation(letter, x, same_label=True)]
        return int(after.sum() - after[1, continuing].sum())

    def count_spans(self) -> int:
        """Count spans in the lenient reading."""
        return sum(self.count_begins(letter) for letter in LETTERS)

    def count_invalid_tags(self, scheme: TagScheme) -> int:
        """Count tags that are invalid in a scheme.

        The scheme must have all letters in use. In IOB1 a B that does not follow a span of its label counts too, in
        IOE1 an E that does not precede one: they need no repair, but are evidence against the scheme.
        """
        wrong_first = set(scheme.letters).difference(scheme.first_letters)
        wrong_last = set(scheme.letters).difference(scheme.last_letters)
        count = sum(map(self.count_begins, wrong_first)) + sum(map(self.count_ends, wrong_last))
        count -= sum(int(self.alone[_SYMBOL_POSITIONS[letter]]) for letter in wrong_first & wrong_last)
        return count + (self._count_needless(scheme) if scheme.separator else 0)

    def _count_needless(self, scheme: TagScheme) -> int:
        mark, letters = _SYMBOL_POSITIONS[scheme.separator], [_SYMBOL_POSITIONS[letter] for letter in scheme.letters]
        if scheme.separator == "B":
            return self.count_begins(scheme.separator) - int(self.pairs[1, letters, mark].sum())
        return self.count_ends(scheme.separator) - int(self.pairs[1, mark, letters].sum())


@dataclass(frozen=True, eq=False)
class TagEvidence:
    """Evidence on the scheme from all batches so far.

    Args:
        neighbours: counts of neighbours by side and notation.
        sightings: by side, where each tag except O was first seen.
        outside: number of O tags on both sides together.
        sides: the sides that have tags.
    """

    neighbours: Mapping[tuple[Side, TagNotation], NeighbourCounts] = field(default_factory=dict)
    sightings: Mapping[Side, Mapping[str, TagSighting]] = field(default_factory=lambda: {side: {} for side in SIDES})
    outside: int = 0
    sides: frozenset[Side] = frozenset()

    @classmethod
    def from_batch(cls, batch: TagPairs) -> TagEvidence:
        """Collect the evidence of one batch."""
        tokens = TaggedTokens.from_batch(batch)
        notations = _list_notations(batch.vocabulary)
        _, tables = compile_rules(batch.vocabulary, tuple(_LETTER_RULES[notation] for notation in notations))
        tagged = sum(int(np.count_nonzero(tokens.get_codes(side))) for side in SIDES)
        return cls(
            neighbours={
                (side, notation): _count_neighbours(table, tokens, tokens.get_codes(side))
                for side in SIDES
                for notation, table in zip(notations, tables, strict=True)
            },
            sightings={side: _find_sightings(batch, tokens, tokens.get_codes(side)[1:-1]) for side in SIDES},
            outside=len(batch.sides) * len(batch.reference) - tagged,
            sides=frozenset(batch.sides),
        )

    def __add__(self, other: TagEvidence) -> TagEvidence:
        neighbours = dict(self.neighbours)
        for key, more in other.neighbours.items():
            neighbours[key] = neighbours[key] + more if key in neighbours else more
        sightings = {side: _merge_sightings(self.sightings[side], other.sightings[side]) for side in SIDES}
        return replace(
            self,
            neighbours=neighbours,
            sightings=sightings,
            outside=self.outside + other.outside,
            sides=self.sides | other.sides,
        )

    def to_state(self) -> dict[str, Any]:
        """Return the evidence as plain values and arrays."""
        return {
            "neighbours": [[*key, counts.pairs, counts.alone] for key, counts in self.neighbours.items()],
            "sightings": {
                side: [
                    [tag, seen.document, seen.position, seen.provenance.where(seen.row, seen.position, side)]
                    for tag, seen in self.sightings[side].items()
                ]
                for side in SIDES
            },
            "outside": self.outside,
            "sides": sorted(self.sides),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any], first: int = 0) -> TagEvidence:
        """Build evidence from the value of `to_state`.

        Args:
            state: the value.
            first: number of the first document in the corpus.
        """
        neighbours = {(side, notation): NeighbourCounts(*each) for side, notation, *each in state["neighbours"]}
        sightings = {
            side: {tag: TagSighting(document + first, at, 0, _Place(place)) for tag, document, at, place in seen}
            for side, seen in state["sightings"].items()
        }
        return cls(neighbours, sightings, state["outside"], frozenset(state["sides"]))

    def list_tags(self) -> tuple[str, ...]:
        """Return all tags except O of either side, ascending."""
        return tuple(sorted({tag for side in SIDES for tag in self.sightings[side]}))

    def get_neighbours(self, side: Side, notation: TagNotation) -> NeighbourCounts:
        """Return the counts of one side and notation."""
        return self.neighbours.get((side, notation)) or NeighbourCounts()


@lru_cache(maxsize=8)
def _list_notations(vocabulary: tuple[str, ...]) -> tuple[TagNotation, ...]:
    return tuple(
        notation for notation in SEPARATED_NOTATIONS if any(split_tag(tag, notation) for tag in vocabulary[1:])
    )


def _split_or_outside(tag: str, notation: TagNotation) -> tuple[str, str]:
    # A tag without a letter is an error when decoded; here it counts as O.
    return (tag != OUTSIDE and split_tag(tag, notation)) or (OUTSIDE, "")


_LETTER_RULES = {
    notation: TagRule(notation, partial(_split_or_outside, notation=notation)) for notation in SEPARATED_NOTATIONS
}


def _count_neighbours(table: RuleTable, tokens: TaggedTokens, codes: Codes) -> NeighbourCounts:
    index = table.index_neighbours(codes, tokens.apart)  # (tagged + 1,)
    width = len(table.kinds)
    counts = np.bincount(index, minlength=4 * width * width).reshape(2, 2, width, width)
    named = np.array([[prefix == symbol for symbol in SYMBOLS] for prefix, _ in table.kinds], np.int64)
    pairs = named.T @ counts[0] @ named  # (same label, symbols, symbols)
    apart = named.T @ counts[1].sum(axis=0) @ named  # (symbols, symbols)
    pairs[0, :, 0] += apart.sum(axis=1)  # the first symbol is O
    pairs[0, 0, :] += apart.sum(axis=0)
    pairs[:, 0, 0] = 0  # O next to O is not evidence, and depends on the tags of the other side
    found_at = table.boundaries.take(index)  # (tagged + 1,)
    alone = np.flatnonzero((found_at[:-1] & BEGIN_BIT != 0) & (found_at[1:] & END_BIT != 0))  # (spans of one tag,)
    kinds = np.bincount(table.kind.take(codes.take(alone + 1)), minlength=width)  # (kinds,)
    counted = kinds @ named  # (symbols,)
    counted[0] = 0
    return NeighbourCounts(pairs, counted)


def _find_sightings(batch: TagPairs, tokens: TaggedTokens, codes: Codes) -> dict[str, TagSighting]:
    first = np.full(len(batch.vocabulary), -1)  # (tags,)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # written last, so the earliest position stays
    seen = {}
    for code in np.flatnonzero(first >= 0).tolist():
        at = int(first[code])
        row = int(tokens.row[at])
        position = int(tokens.positions[at] - batch.offsets[row])
        seen[batch.vocabulary[code]] = TagSighting(int(batch.documents[row]), position, row, batch.provenance)
    seen.pop(OUTSIDE, None)
    return seen


def _merge_sightings(left: Mapping[str, TagSighting], right: Mapping[str, TagSighting]) -> dict[str, TagSighting]:
    merged = dict(left)
    for tag, sighting in right.items():
        if tag not in merged or sighting[:2] < merged[tag][:2]:
            merged[tag] = sighting
    return merged
