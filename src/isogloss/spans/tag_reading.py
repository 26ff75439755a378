"""A rule compiled for a vocabulary: all that it can be asked, as arrays.

Every tag is of a *kind*: its prefix, and whether its label is that of O. What a rule says of two neighbours follows
from their kinds, from whether their labels are equal, and from whether O or the edge of a document lies between them.
That is a table of a few hundred bytes, whatever the number of labels, and a vocabulary that grows costs little to
compile again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import TagError
from isogloss.kernel.provenance import Notice, Side
from isogloss.kernel.scores import Ints
from isogloss.spans.batches import Codes, TagPairs, TokenMatches
from isogloss.spans.schemes import Repair, Rule

BEGIN = 1
END = 2
Kind = tuple[str, bool]


@dataclass(frozen=True, eq=False)
class Table:
    """A rule for one vocabulary.

    Args:
        kinds: the kinds of tags; the first is that of O alone.
        kind: (tags,) position in `kinds`.
        label: (tags,) position in the labels, -1 where the tag has none of them.
        known: (tags,) whether the rule knows the tag; None when it knows all.
        opens: (tags,) whether the tag fits as first of a span.
        closes: (tags,) whether the tag fits as last of a span.
        boundaries: (2 * 2 * kinds * kinds,) `BEGIN` and `END` bits by apart, same label, previous and current kind.
    """

    kinds: tuple[Kind, ...]
    kind: NDArray[np.int32]
    label: NDArray[np.int32]
    known: NDArray[np.bool_] | None
    opens: NDArray[np.bool_]
    closes: NDArray[np.bool_]
    boundaries: NDArray[np.uint8]

    def neighbours(self, codes: Codes, apart: NDArray[np.bool_]) -> NDArray[np.int32]:
        """What stands between each code and the next, as positions in `boundaries`.

        Args:
            codes: (n + 1,) codes of tags.
            apart: (n,) whether O or the edge of a document lies between the two.

        Returns:
            (n,) positions.
        """
        width = len(self.kinds)
        kind = self.kind.take(codes)  # (n + 1,)
        label = self.label.take(codes)  # (n + 1,)
        index = kind[:-1] * np.int32(width)  # (n,)
        index += kind[1:]
        plane = (label[1:] == label[:-1]).view(np.uint8)  # (n,)
        plane += apart.view(np.uint8) * np.uint8(2)
        index += plane * np.int32(width * width)
        return index


@lru_cache(maxsize=8)
def compiled(vocabulary: tuple[str, ...], rules: tuple[Rule, ...]) -> tuple[tuple[str, ...], tuple[Table, ...]]:
    """Rules for one vocabulary, with the labels that they share.

    Args:
        vocabulary: tags, the first of which is O.
        rules: the rules.

    Returns:
        The labels of all tags but O, ascending, and a table for each rule.
    """
    parts = {rule: tuple(rule.split(tag) for tag in vocabulary) for rule in rules}
    labels = sorted({part[1] for split in parts.values() for part in split[1:] if part is not None})
    codes = {label: code for code, label in enumerate(labels)}
    tables = {rule: _table(rule, split, codes) for rule, split in parts.items()}
    return tuple(labels), tuple(tables[rule] for rule in rules)


def _table(rule: Rule, parts: tuple[tuple[str, str] | None, ...], codes: dict[str, int]) -> Table:
    outside = parts[0]
    if outside is None:
        raise ValueError(f"{rule.title} does not split the tag O")
    # A tag that the rule does not know is an error where it is used; until then anything may stand for it.
    tags = [part or outside for part in parts[1:]]
    found = [(prefix, label == outside[1]) for prefix, label in tags]  # (tags - 1,)
    # O has a kind of its own: other tags may have its prefix, and yet be part of spans.
    kinds = ((outside[0], True), *dict.fromkeys(found))
    position = {kind: at for at, kind in enumerate(kinds[1:], 1)}
    prefixes = [prefix for prefix, _ in tags]
    known = np.array([part is not None for part in parts])
    return Table(
        kinds=kinds,
        kind=np.array([0, *(position[kind] for kind in found)], np.int32),
        label=np.array([codes.get(label, -1) for _, label in (outside, *tags)], np.int32),
        known=None if known.all() else known,
        opens=np.array([True, *(rule.opens is None or prefix in rule.opens for prefix in prefixes)]),
        closes=np.array([True, *(rule.closes is None or prefix in rule.closes for prefix in prefixes)]),
        boundaries=_boundaries(rule, kinds),
    )


def _boundaries(rule: Rule, kinds: tuple[Kind, ...]) -> NDArray[np.uint8]:
    outside = kinds[0][0]
    bits = np.zeros((2, 2, len(kinds), len(kinds)), np.uint8)  # (apart, same label, previous, current)
    for before, (previous, previous_like_outside) in enumerate(kinds):
        for after, (current, current_like_outside) in enumerate(kinds):
            for same in (False, True):
                begins = after > 0 and rule.begins(previous, current, same)
                ends = before > 0 and rule.ends(previous, current, same)
                bits[0, int(same), before, after] = BEGIN * begins + END * ends
            begins = after > 0 and rule.begins(outside, current, current_like_outside)
            ends = before > 0 and rule.ends(previous, outside, previous_like_outside)
            bits[1, :, before, after] = BEGIN * begins + END * ends
    return bits.ravel()


@dataclass(frozen=True, eq=False)
class TaggedTokens:
    """The tokens of a batch that are not O on both sides.

    Args:
        at: (tagged,) position in the batch, ascending.
        row: (tagged,) position of the document in the batch.
        apart: (tagged + 1,) whether a token does not directly follow the one before it in the same document; true
            before the first and after the last.
        reference: (tagged + 2,) codes, with O before the first and after the last.
        predicted: (tagged + 2,) likewise.
    """

    at: Ints
    row: NDArray[np.int32]
    apart: NDArray[np.bool_]
    reference: Codes
    predicted: Codes

    @classmethod
    def of(cls, batch: TagPairs) -> TaggedTokens:
        """The tagged tokens of a batch."""
        # Comparing first: searching booleans is five times as fast as searching integers.
        at = np.flatnonzero((batch.reference | batch.predicted) != 0)  # (tagged,)
        rows = np.repeat(np.arange(len(batch.documents), dtype=np.int32), np.diff(batch.offsets))  # (tokens,)
        row = rows.take(at)  # (tagged,)
        apart = np.ones(len(at) + 1, bool)  # (tagged + 1,)
        if len(at):
            apart[1:-1] = (np.diff(at) != 1) | (row[1:] != row[:-1])
        return cls(at, row, apart, _padded(batch.reference, at), _padded(batch.predicted, at))

    def codes(self, side: Side) -> Codes:
        """(tagged + 2,) codes of one side."""
        return self.reference if side == "reference" else self.predicted

    def matches(self, batch: TagPairs) -> TokenMatches:
        """Tokens with equal tags. O on both sides is equal too."""
        unequal = self.row.take(np.flatnonzero(self.reference != self.predicted) - 1)
        total = np.diff(batch.offsets)  # (documents,)
        return TokenMatches(total - np.bincount(unequal, minlength=len(total)), total)


def _padded(codes: Codes, at: Ints) -> Codes:
    padded = np.zeros(len(at) + 2, codes.dtype)
    codes.take(at, out=padded[1:-1], mode="clip")  # the mode that writes without a buffer; nothing is out of range
    return padded


@dataclass(frozen=True, eq=False)
class Runs:
    """Spans of one side in compressed positions, in the order of their ends; first tokens are in order too.

    Args:
        first: (spans,) compressed position of the first token; -1 where an end comes before any begin.
        last: (spans,) compressed position of the last token.
        opening: (spans,) code of the first tag.
        closing: (spans,) code of the last tag.
    """

    first: Ints
    last: Ints
    opening: Codes
    closing: Codes

    @classmethod
    def of(cls, tokens: TaggedTokens, side: Side, table: Table) -> Runs:
        """Each end with the last begin before it."""
        codes = tokens.codes(side)
        found = table.boundaries.take(table.neighbours(codes, tokens.apart))  # (tagged + 1,)
        begins = (found & BEGIN).view(np.bool_)  # (tagged + 1,)
        nth = np.cumsum(begins)  # (tagged + 1,)
        last = np.flatnonzero(found & END != 0) - 1  # (spans,)
        first = np.append(-1, np.flatnonzero(begins)).take(nth.take(last))  # (spans,)
        return cls(first, last, codes.take(first + 1), codes.take(last + 1))

    def take(self, kept: NDArray[np.bool_]) -> Runs:
        """The runs of this mask."""
        return Runs(self.first[kept], self.last[kept], self.opening[kept], self.closing[kept])


REMEDIES: dict[Repair, str] = {
    "begin": "read such tags as the nearest that fit with --repair begin",
    "discard": "drop their spans with --repair discard",
}
WORDS: dict[Side, str] = {"reference": "reference", "predicted": "prediction"}


@dataclass(frozen=True, eq=False)
class TaggedSide:
    """One side of a batch under its rule, and places in it for messages.

    Args:
        batch: the batch.
        tokens: its tagged tokens.
        side: which side.
        rule: the rule that reads it.
        table: the rule compiled for the batch's vocabulary.
    """

    batch: TagPairs
    tokens: TaggedTokens
    side: Side
    rule: Rule
    table: Table

    def where(self, at: int) -> str:
        """Place of a compressed position, as the user names it."""
        row, position = self._place(at)
        return self.batch.origin.where(row, position, self.side)

    def tag(self, at: int, step: int = 0) -> str | None:
        """The tag at a compressed position, or `step` tokens further; None beyond the edge of the document."""
        row, position = self._place(at)
        codes = self.batch.reference if self.side == "reference" else self.batch.predicted
        start, stop = int(self.batch.offsets[row]), int(self.batch.offsets[row + 1])
        token = start + position + step
        return self.batch.vocabulary[int(codes[token])] if start <= token < stop else None

    def _place(self, at: int) -> tuple[int, int]:
        row = int(self.tokens.row[at])
        return row, int(self.tokens.at[at] - self.batch.offsets[row])


def check_known(side: TaggedSide) -> None:
    """Refuse tags that the rule does not know, where this batch uses one.

    Raises:
        TagError: at the first such tag.
    """
    known = side.table.known
    if known is None:
        return
    unknown = ~known.take(side.tokens.codes(side.side)[1:-1])  # (tagged,)
    if not unknown.any():
        return
    at = int(unknown.argmax())
    expected = f"{side.rule.title} has {side.rule.expects}" if side.rule.expects else f"not a tag of {side.rule.title}"
    raise TagError(
        f"unknown tag {side.tag(at)!r} in the {WORDS[side.side]}: {expected}",
        where=side.where(at),
        remedy="Correct the tag"
        + (", or name the scheme that it belongs to with --scheme." if side.rule.named else "."),
    )


def repaired(side: TaggedSide, runs: Runs, repair: Repair) -> tuple[Runs, Notice | None]:
    """Spans after repair, and what was done.

    Args:
        side: the side that they are of.
        runs: its spans by the lenient reading.
        repair: what to do about tags that do not fit.

    Returns:
        The spans to keep, and a notice when any tag did not fit.

    Raises:
        TagError: with `error`, at the first tag that does not fit.
    """
    opening = ~side.table.opens.take(runs.opening)  # (spans,)
    closing = ~side.table.closes.take(runs.closing)  # (spans,)
    if not (opening.any() or closing.any()):
        return runs, None
    if repair == "error":
        raise _misfit(side, runs, opening, closing)
    if repair == "discard":
        return _discard(side, runs, opening | closing)
    alone = opening & closing & (runs.first == runs.last)
    count = int(opening.sum() + closing.sum() - alone.sum())
    where = side.where(_first_misfit(runs, opening, closing))
    ends = " or ".join(_repaired_ends(side.rule))
    message = f"tags of the {WORDS[side.side]} do not fit {side.rule.title} and were read as the {ends} of a span"
    return runs, Notice("tags-repaired", message, count, where)


def _repaired_ends(rule: Rule) -> list[str]:
    return [end for end, fitting in (("begin", rule.opens), ("end", rule.closes)) if fitting is not None]


def _discard(side: TaggedSide, runs: Runs, dropped: NDArray[np.bool_]) -> tuple[Runs, Notice]:
    gone = runs.take(dropped)
    message = f"tags of the {WORDS[side.side]} are in spans that do not fit {side.rule.title} and were discarded"
    count = int((gone.last - gone.first + 1).sum())
    return runs.take(~dropped), Notice("tags-discarded", message, count, side.where(int(gone.first[0])))


def _first_misfit(runs: Runs, opening: NDArray[np.bool_], closing: NDArray[np.bool_]) -> int:
    return int(min((*runs.first[opening][:1], *runs.last[closing][:1])))


def _misfit(side: TaggedSide, runs: Runs, opening: NDArray[np.bool_], closing: NDArray[np.bool_]) -> TagError:
    at = _first_misfit(runs, opening, closing)
    if at in runs.first[opening]:
        neighbour, edge = side.tag(at, -1), "at the start of its document"
        place, wanted, verb = "after", side.rule.opens, "begins"
    else:
        neighbour, edge = side.tag(at, 1), "at the end of its document"
        place, wanted, verb = "before", side.rule.closes, "ends"
    context = edge if neighbour is None else f"{place} {neighbour!r}"
    letters = " or ".join(sorted(wanted or ()))
    tag = f"{side.tag(at)!r} {context} in the {WORDS[side.side]}"
    return TagError(
        f"{tag} does not fit {side.rule.title}: a span {verb} with {letters}",
        where=side.where(at),
        remedy=" or ".join(["Correct the tag", *(REMEDIES[repair] for repair in side.rule.repairs)]) + ".",
    )
