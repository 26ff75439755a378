"""Tags that do not fit their scheme, and valid replacements.

For each invalid tag, the module says why it is invalid, and which tag would be valid.

There are four kinds.

- `begin`: the tag begins a span, but the scheme begins spans with another letter (`I-PER` after `O` in IOB2).
- `end`: the tag ends a span, but the scheme ends spans with another letter (`B-PER` before `O` in IOBES).
- `needless`: the tag separates touching spans of one label where there are none (`B-PER` after `O` in IOB1, `E-PER`
  before `O` in IOE1). It can be read without repair.
- `unknown`: the scheme does not have the tag.

A lone tag that is wrong both as first and as last tag counts once, as `begin`. Replacing each invalid tag by the valid
one makes all tags valid: that is the repair `begin`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.provenance import Side
from isogloss.kernel.scores import Ints
from isogloss.spans.batches import TagPairs
from isogloss.spans.encoder import find_role_letters
from isogloss.spans.scheme_detection import SchemeDecision
from isogloss.spans.schemes import CONTINUED_LETTERS, format_letters, replace_letter
from isogloss.spans.tag_reading import CompressedSpans, RuleTable, TaggedTokens, compile_rules

INVALID_KINDS = ("begin", "end", "needless", "unknown")
BEGIN, END, NEEDLESS, UNKNOWN = range(len(INVALID_KINDS))
SIDE: Side = "reference"


@dataclass(frozen=True, eq=False)
class InvalidTags:
    """Invalid tags of one side of a batch, in order of position.

    Args:
        batch: the tags, as reference.
        decision: how the tags are read.
        spans: number of spans in the lenient reading, without unknown tags.
        positions: (invalid tags,) position in the batch, ascending.
        kind: (invalid tags,) position in `INVALID_KINDS`.
        letter: (invalid tags,) valid letter, as position in the letters of the scheme; 0 for unknown tags.
        dropped: (tags,) positions in the batch of all tags of spans with an invalid first or last tag.
    """

    batch: TagPairs
    decision: SchemeDecision
    spans: int
    positions: Ints
    kind: Ints
    letter: Ints
    dropped: Ints

    def __len__(self) -> int:
        return len(self.positions)

    @classmethod
    def from_batch(cls, batch: TagPairs, decision: SchemeDecision) -> InvalidTags:
        """Find the invalid tags in the reference of a batch."""
        rule, scheme = decision.rules[0], decision.reference
        (table,) = compile_rules(batch.vocabulary, (rule,))[1]
        tokens = TaggedTokens.from_batch(batch)
        unknown = _find_unknown(tokens, table)  # (unknown tags,)
        runs = CompressedSpans.from_tokens(tokens, SIDE, table)
        if len(unknown):
            runs = runs.take(~np.isin(runs.last, unknown))
        opening, closing = _find_invalid_ends(runs, table)
        needless = _find_needless(batch, decision, runs, tokens, table)  # (needless tags,)
        lone = runs.first == runs.last  # (spans,)
        roles = find_role_letters(scheme)
        alone, first, last = (scheme.letters.index(letter) for letter in (roles.alone, roles.first, roles.last))
        places = (runs.first[opening], runs.last[closing], needless, unknown)  # by kind
        letters = (
            np.where(lone, alone, first)[opening],
            np.where(lone, alone, last)[closing],
            np.full(len(needless), alone),
            np.zeros_like(unknown),
        )
        at, letter = np.concatenate(places), np.concatenate(letters)  # (invalid tags,)
        kind = np.repeat(np.arange(len(INVALID_KINDS)), [len(place) for place in places])  # (invalid tags,)
        order = np.argsort(at, kind="stable")
        dropped = _list_tokens(runs.take(opening | closing), tokens)
        return cls(batch, decision, len(lone), tokens.positions.take(at[order]), kind[order], letter[order], dropped)

    def get_tag(self, number: int) -> str:
        """Return an invalid tag.

        Args:
            number: its number, from 0.
        """
        return _get_tag(self.batch, int(self.positions[number]))

    def find_fitting_tag(self, number: int) -> str | None:
        """Return the tag that would replace an invalid one.

        The result is valid at the place of the invalid tag. It is None if unknown.

        Args:
            number: its number, from 0.
        """
        if self.kind[number] == UNKNOWN:
            return None
        letter, notation = self.decision.reference.letters[int(self.letter[number])], self.decision.notation
        return replace_letter(self.get_tag(number), letter, notation, notation)

    def format_message(self, number: int) -> str:
        """Write what is wrong in one sentence.

        Args:
            number: its number, from 0.
        """
        tag, kind, scheme = self.get_tag(number), int(self.kind[number]), self.decision.reference
        notation = self.decision.notation
        if kind == UNKNOWN:
            return f"{tag!r} is not a tag of {scheme.title}, which has O, {format_letters(scheme.letters, notation)}"
        begins = kind == BEGIN or (kind == NEEDLESS and scheme.separator in CONTINUED_LETTERS)
        neighbour = _get_neighbour(self.batch, int(self.positions[number]), -1 if begins else 1)
        edge = f"at the {'begin' if begins else 'end'} of its sentence"
        context = edge if neighbour is None else f"{'after' if begins else 'before'} {neighbour!r}"
        letters = scheme.first_letters if begins else scheme.last_letters
        expected = " or ".join(format_letters(letter, notation) for letter in letters)
        why = f"a span {'begins' if begins else 'ends'} with {expected}"
        if kind == NEEDLESS:
            why = f"{format_letters(scheme.separator, notation)} only parts touching spans of one label"
        return f"{tag!r} {context} does not fit {scheme.title}: {why}; {self.find_fitting_tag(number)!r} would fit"


def _find_unknown(tokens: TaggedTokens, table: RuleTable) -> Ints:
    """Find tags that the scheme does not have: (unknown tags,) compressed positions."""
    known = table.known
    return np.zeros(0, np.int64) if known is None else np.flatnonzero(~known.take(tokens.get_codes(SIDE)[1:-1]))


def _find_invalid_ends(runs: CompressedSpans, table: RuleTable) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Find invalid first and last tags: (spans,) each.

    A lone tag counts as first.
    """
    opening = ~table.fits_first.take(runs.first_code)
    closing = ~table.fits_last.take(runs.last_code)
    closing &= ~(opening & (runs.first == runs.last))
    return opening, closing


def _find_needless(
    batch: TagPairs, decision: SchemeDecision, runs: CompressedSpans, tokens: TaggedTokens, table: RuleTable
) -> Ints:
    """Find tags that separate no touching spans: (needless tags,) compressed positions."""
    mark, split = decision.reference.separator, decision.rules[0].split_tag
    if not mark:
        return np.zeros(0, np.int64)
    touch = np.zeros(len(runs.first) + 1, np.bool_)  # (spans + 1,) each span and the one before it
    label = table.label.take(runs.last_code)  # (spans,)
    touch[1:-1] = (label[1:] == label[:-1]) & ~tokens.apart.take(runs.first[1:])
    touch[1:-1] &= runs.first[1:] == runs.last[:-1] + 1
    is_mark = np.array([(split(tag) or ("",))[0] == mark for tag in batch.vocabulary])  # (tags,)
    if mark in CONTINUED_LETTERS:
        return runs.first[is_mark.take(runs.first_code) & ~touch[:-1]]
    return runs.last[is_mark.take(runs.last_code) & ~touch[1:]]


def _list_tokens(runs: CompressedSpans, tokens: TaggedTokens) -> Ints:
    """Return positions in the batch of all tags of these spans, ascending."""
    last = tokens.positions.take(runs.last)  # (spans,)
    length = last - tokens.positions.take(runs.first) + 1  # (spans,)
    return np.repeat(last + 1 - np.cumsum(length), length) + np.arange(int(length.sum()))


def _get_tag(batch: TagPairs, token: int) -> str:
    return batch.vocabulary[int(batch.reference[token])]


def _get_neighbour(batch: TagPairs, token: int, step: int) -> str | None:
    """Return the tag `step` tokens further; None beyond the document."""
    row = int(np.searchsorted(batch.offsets, token, side="right")) - 1
    return _get_tag(batch, token + step) if batch.offsets[row] <= token + step < batch.offsets[row + 1] else None
