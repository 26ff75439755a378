"""Tags that do not fit their scheme: which, why, and what would fit.

A misfit is of one of four kinds.

- `begin`: the tag begins a span, and the scheme begins spans otherwise (`I-PER` after `O` in IOB2).
- `end`: it ends a span, and the scheme ends spans otherwise (`B-PER` before `O` in IOBES).
- `needless`: it sets its span apart from a touching one of its label, and there is none (`B-PER` after `O` in IOB1,
  `E-PER` before `O` in IOE1). It can be read as it is.
- `unknown`: the scheme has no such tag at all.

A lone tag that neither begins nor ends a span rightly is one misfit, of the kind `begin`. When each tag is replaced by
the one that would fit, all fit: that is the repair `begin`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.batches import Side
from isogloss.exceptions import TagError
from isogloss.scores import Ints
from isogloss.tagging import Repair
from isogloss.tagging.encoder import roles_of
from isogloss.tagging.notation import Notation, relettered, written
from isogloss.tagging.schemes import BEFORE, Scheme
from isogloss.tagging.tables import Table, compiled
from isogloss.tagging.tokens import Runs, TaggedTokens
from isogloss.tags.columns import TagColumn

KINDS = ("begin", "end", "needless", "unknown")
BEGIN, END, NEEDLESS, UNKNOWN = range(len(KINDS))
SIDE: Side = "reference"  # the side of a batch that holds the tags of a column


@dataclass(frozen=True)
class Misfit:
    """A tag that does not fit.

    Args:
        file: the file in messages.
        line: its line.
        column: its column, from 1.
        token: the token that has it.
        tag: the tag.
        kind: one of `KINDS`.
        message: what is wrong, in one sentence.
        fits: the tag that would fit in its place; None where the scheme has no such tag.
    """

    file: str
    line: int
    column: int
    token: str
    tag: str
    kind: str
    message: str
    fits: str | None

    @property
    def where(self) -> str:
        """File and line."""
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, eq=False)
class Misfits:
    """The misfits of one column of a block, in the order of their places.

    Args:
        column: the column.
        spans: number of spans by the lenient reading; unknown tags are none.
        at: (misfits,) position in the block, ascending.
        kind: (misfits,) position in `KINDS`.
        letter: (misfits,) the letter that would fit, as position in those of the scheme; 0 for unknown tags.
        dropped: (tags,) positions in the block of all tags of spans whose first or last tag does not fit.
    """

    column: TagColumn
    spans: int
    at: Ints
    kind: Ints
    letter: Ints
    dropped: Ints

    def __len__(self) -> int:
        return len(self.at)

    @classmethod
    def of(cls, column: TagColumn) -> Misfits:
        """The misfits of a column."""
        batch, rule = column.batch, column.rule
        (table,) = compiled(batch.vocabulary, (rule,))[1]
        tokens = TaggedTokens.of(batch)
        unknown = _unknown(tokens, table)  # (unknown tags,)
        runs = Runs.of(tokens, SIDE, table)
        if len(unknown):
            runs = runs.take(~np.isin(runs.last, unknown))
        opening, closing = _ends(runs, table)
        needless = _needless(column, runs, tokens, table)  # (needless tags,)
        lone = runs.first == runs.last  # (spans,)
        alone, first, last = _letters(column.scheme)
        places = (runs.first[opening], runs.last[closing], needless, unknown)  # by kind
        letters = (
            np.where(lone, alone, first)[opening],
            np.where(lone, alone, last)[closing],
            np.full(len(needless), alone),
            np.zeros_like(unknown),
        )
        at, letter = np.concatenate(places), np.concatenate(letters)  # (misfits,)
        kind = np.repeat(np.arange(len(KINDS)), [len(place) for place in places])  # (misfits,)
        order = np.argsort(at, kind="stable")
        dropped = _tokens_of(runs.take(opening | closing), tokens)
        return cls(column, len(lone), tokens.at.take(at[order]), kind[order], letter[order], dropped)

    def first(self, *kinds: int) -> Misfit | None:
        """The first of these kinds, if there is one.

        Args:
            kinds: positions in `KINDS`.
        """
        found = np.flatnonzero(np.isin(self.kind, kinds))
        return self.describe(int(found[0])) if len(found) else None

    def describe(self, number: int) -> Misfit:
        """One of them.

        Args:
            number: which, from 0.
        """
        token, kind = int(self.at[number]), int(self.kind[number])
        block, notation = self.column.block, self.column.decision.notation
        tag = self.column.tag(token)
        letter = self.column.scheme.letters[int(self.letter[number])]
        fits = None if kind == UNKNOWN else relettered(tag, letter, notation, notation)
        return Misfit(
            file=block.name,
            line=block.line(token),
            column=self.column.number,
            token=block.tokens.field(token).decode(),
            tag=tag,
            kind=KINDS[kind],
            message=_message(self.column, token, kind, fits),
            fits=fits,
        )


def refuse(misfits: Misfits, repair: Repair) -> None:
    """Refuse tags that nothing can be done about: unknown ones and, where nothing is repaired, those that do not fit.

    Args:
        misfits: the misfits of a column of a block.
        repair: what is done about tags that do not fit.

    Raises:
        TagError: at the first such tag.
    """
    found = misfits.first(UNKNOWN, *((BEGIN, END) if repair == "error" else ()))
    if found is not None:
        remedy = "Correct the tag, or name the scheme that it belongs to with --scheme or --from."
        if found.fits is not None:
            remedy = "Correct the tag, or have such tags repaired with --repair begin or --repair discard."
        raise TagError(found.message, where=found.where, remedy=remedy)


def _unknown(tokens: TaggedTokens, table: Table) -> Ints:
    """(unknown tags,) compressed positions."""
    known = table.known
    return np.zeros(0, np.int64) if known is None else np.flatnonzero(~known.take(tokens.codes(SIDE)[1:-1]))


def _ends(runs: Runs, table: Table) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(spans,) whether the first tag misfits, and whether the last does; a lone tag counts as the first."""
    opening = ~table.opens.take(runs.opening)
    closing = ~table.closes.take(runs.closing)
    closing &= ~(opening & (runs.first == runs.last))
    return opening, closing


def _needless(column: TagColumn, runs: Runs, tokens: TaggedTokens, table: Table) -> Ints:
    """(needless tags,) compressed positions of tags that set a span apart from none."""
    mark = column.scheme.between
    if not mark:
        return np.zeros(0, np.int64)
    touch = np.zeros(len(runs.first) + 1, np.bool_)  # (spans + 1,) each span and the one before it
    label = table.label.take(runs.closing)  # (spans,)
    touch[1:-1] = (label[1:] == label[:-1]) & ~tokens.apart.take(runs.first[1:])
    touch[1:-1] &= runs.first[1:] == runs.last[:-1] + 1
    is_mark = np.array([(column.rule.split(tag) or ("",))[0] == mark for tag in column.batch.vocabulary])  # (tags,)
    if mark in BEFORE:
        return runs.first[is_mark.take(runs.opening) & ~touch[:-1]]
    return runs.last[is_mark.take(runs.closing) & ~touch[1:]]


def _letters(scheme: Scheme) -> tuple[int, int, int]:
    """The letters that fit at the only, the first and the last tag of a span, as positions in those of the scheme."""
    roles = roles_of(scheme)
    return scheme.letters.index(roles.alone), scheme.letters.index(roles.first), scheme.letters.index(roles.last)


def _tokens_of(runs: Runs, tokens: TaggedTokens) -> Ints:
    """Positions in the block of all tags of these spans, ascending."""
    last = tokens.at.take(runs.last)  # (spans,)
    length = last - tokens.at.take(runs.first) + 1  # (spans,)
    return np.repeat(last + 1 - np.cumsum(length), length) + np.arange(int(length.sum()))


def _message(column: TagColumn, token: int, kind: int, fits: str | None) -> str:
    tag, scheme, notation = column.tag(token), column.scheme, column.decision.notation
    if kind == UNKNOWN:
        return f"{tag!r} is no tag of {scheme.title}, which has O, {written(scheme.letters, notation)}"
    begins = kind == BEGIN or (kind == NEEDLESS and scheme.between in BEFORE)
    neighbour = column.neighbour(token, -1 if begins else 1)
    edge = f"at the {'begin' if begins else 'end'} of its sentence"
    context = edge if neighbour is None else f"{'after' if begins else 'before'} {neighbour!r}"
    why = f"a span {'begins' if begins else 'ends'} with {_either(scheme.opens if begins else scheme.closes, notation)}"
    if kind == NEEDLESS:
        why = f"{written(scheme.between, notation)} only parts touching spans of one label"
    return f"{tag!r} {context} does not fit {scheme.title}: {why}; {fits!r} would fit"


def _either(letters: str, notation: Notation) -> str:
    return " or ".join(written([letter], notation) for letter in letters)
