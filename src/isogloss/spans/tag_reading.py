"""Read tags by a rule compiled for a vocabulary into arrays.

Every tag has a *kind*: its prefix, and whether its label is that of O. What a rule says about two neighbours follows
from their kinds, from whether their labels are equal, and from whether O or the edge of a document lies between them.
That is a table of a few hundred bytes for any number of labels, so a growing vocabulary is cheap to compile again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import TagError
from isogloss.kernel.provenance import RunWarning, Side
from isogloss.kernel.scores import Ints
from isogloss.spans.batches import Codes, TagPairs, TokenMatches
from isogloss.spans.schemes import TagRepair, TagRule

BEGIN_BIT = 1
END_BIT = 2
TagKind = tuple[str, bool]


@dataclass(frozen=True, eq=False)
class RuleTable:
    """Rule compiled for one vocabulary.

    Args:
        kinds: kinds of tags; the first is for O alone.
        kind: (tags,) position in `kinds`.
        label: (tags,) position in the labels, -1 for no label.
        known: (tags,) whether the rule knows the tag; None if it knows all.
        fits_first: (tags,) whether the tag is valid as first of a span.
        fits_last: (tags,) whether the tag is valid as last of a span.
        boundaries: (2 * 2 * kinds * kinds,) `BEGIN_BIT` and `END_BIT` by apart, same label, previous and current kind.
    """

    kinds: tuple[TagKind, ...]
    kind: NDArray[np.int32]
    label: NDArray[np.int32]
    known: NDArray[np.bool_] | None
    fits_first: NDArray[np.bool_]
    fits_last: NDArray[np.bool_]
    boundaries: NDArray[np.uint8]

    def index_neighbours(self, codes: Codes, apart: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Look up each pair of neighbouring codes, as positions in `boundaries`.

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
        index += np.multiply(plane, width * width, dtype=np.int32)  # numpy 1 would multiply in 8 bits
        return index


@lru_cache(maxsize=8)
def compile_rules(
    vocabulary: tuple[str, ...], rules: tuple[TagRule, ...]
) -> tuple[tuple[str, ...], tuple[RuleTable, ...]]:
    """Compile rules for one vocabulary, with shared labels.

    Args:
        vocabulary: Tags, O first.
        rules: the rules.

    Returns:
        The labels of all tags but O, ascending, and a table for each rule.
    """
    parts = {rule: tuple(rule.split_tag(tag) for tag in vocabulary) for rule in rules}
    labels = sorted({part[1] for split in parts.values() for part in split[1:] if part is not None})
    codes = {label: code for code, label in enumerate(labels)}
    tables = {rule: _build_table(rule, split, codes) for rule, split in parts.items()}
    return tuple(labels), tuple(tables[rule] for rule in rules)


def _build_table(rule: TagRule, parts: tuple[tuple[str, str] | None, ...], codes: dict[str, int]) -> RuleTable:
    outside = parts[0]
    if outside is None:
        raise ValueError(f"{rule.title} does not split the tag O")
    # Using a tag that the rule does not know is an error, so its entry may hold anything.
    tags = [part or outside for part in parts[1:]]
    kind_of_tag = [(prefix, label == outside[1]) for prefix, label in tags]  # (tags - 1,)
    # O has its own kind, because other tags with its prefix may be part of spans.
    kinds = ((outside[0], True), *dict.fromkeys(kind_of_tag))
    position = {kind: at for at, kind in enumerate(kinds[1:], 1)}
    prefixes = [prefix for prefix, _ in tags]
    known = np.array([part is not None for part in parts])
    return RuleTable(
        kinds=kinds,
        kind=np.array([0, *(position[kind] for kind in kind_of_tag)], np.int32),
        label=np.array([codes.get(label, -1) for _, label in (outside, *tags)], np.int32),
        known=None if known.all() else known,
        fits_first=np.array(
            [True, *(rule.first_prefixes is None or prefix in rule.first_prefixes for prefix in prefixes)]
        ),
        fits_last=np.array(
            [True, *(rule.last_prefixes is None or prefix in rule.last_prefixes for prefix in prefixes)]
        ),
        boundaries=_build_boundaries(rule, kinds),
    )


def _build_boundaries(rule: TagRule, kinds: tuple[TagKind, ...]) -> NDArray[np.uint8]:
    outside = kinds[0][0]
    bits = np.zeros((2, 2, len(kinds), len(kinds)), np.uint8)  # (apart, same label, previous, current)
    for before, (previous, previous_like_outside) in enumerate(kinds):
        for after, (current, current_like_outside) in enumerate(kinds):
            for same in (False, True):
                begins = after > 0 and rule.is_span_begin(previous, current, same_label=same)
                ends = before > 0 and rule.is_span_end(previous, current, same_label=same)
                bits[0, int(same), before, after] = BEGIN_BIT * begins + END_BIT * ends
            begins = after > 0 and rule.is_span_begin(outside, current, same_label=current_like_outside)
            ends = before > 0 and rule.is_span_end(previous, outside, same_label=previous_like_outside)
            bits[1, :, before, after] = BEGIN_BIT * begins + END_BIT * ends
    return bits.ravel()


@dataclass(frozen=True, eq=False)
class TaggedTokens:
    """Tokens of a batch that are not O on both sides.

    Args:
        positions: (tagged,) position in the batch, ascending.
        row: (tagged,) position of the document in the batch.
        apart: (tagged + 1,) whether a token does not directly follow the one before it in the same document; true
            before the first and after the last.
        reference: (tagged + 2,) codes of the reference, with O before the first and after the last.
        predicted: (tagged + 2,) codes of the prediction, with O before the first and after the last.
    """

    positions: Ints
    row: NDArray[np.int32]
    apart: NDArray[np.bool_]
    reference: Codes
    predicted: Codes

    @classmethod
    def from_batch(cls, batch: TagPairs) -> TaggedTokens:
        """Find the tagged tokens of a batch."""
        # Comparing first: searching booleans is five times as fast as searching integers.
        at = np.flatnonzero((batch.reference | batch.predicted) != 0)  # (tagged,)
        rows = np.repeat(np.arange(len(batch.documents), dtype=np.int32), np.diff(batch.offsets))  # (tokens,)
        row = rows.take(at)  # (tagged,)
        apart = np.ones(len(at) + 1, bool)  # (tagged + 1,)
        if len(at):
            apart[1:-1] = (np.diff(at) != 1) | (row[1:] != row[:-1])
        return cls(at, row, apart, _pad_codes(batch.reference, at), _pad_codes(batch.predicted, at))

    def get_codes(self, side: Side) -> Codes:
        """Return the codes of one side: (tagged + 2,)."""
        return self.reference if side == "reference" else self.predicted

    def count_matches(self, batch: TagPairs) -> TokenMatches:
        """Count tokens with equal tags; O on both sides is equal too."""
        unequal = self.row.take(np.flatnonzero(self.reference != self.predicted) - 1)
        total = np.diff(batch.offsets)  # (documents,)
        return TokenMatches(total - np.bincount(unequal, minlength=len(total)), total)


def _pad_codes(codes: Codes, at: Ints) -> Codes:
    padded = np.zeros(len(at) + 2, codes.dtype)
    codes.take(at, out=padded[1:-1], mode="clip")  # the only mode without a buffer; no position is out of range
    return padded


@dataclass(frozen=True, eq=False)
class CompressedSpans:
    """Spans of one side in compressed positions, which count only tagged tokens.

    Spans are in the order of their ends; first tokens ascend too.

    Args:
        first: (spans,) compressed position of the first token; -1 if an end comes before any begin.
        last: (spans,) compressed position of the last token.
        first_code: (spans,) code of the first tag.
        last_code: (spans,) code of the last tag.
    """

    first: Ints
    last: Ints
    first_code: Codes
    last_code: Codes

    @classmethod
    def from_tokens(cls, tokens: TaggedTokens, side: Side, table: RuleTable) -> CompressedSpans:
        """Pair each end with the last begin before it."""
        codes = tokens.get_codes(side)
        boundaries = table.boundaries.take(table.index_neighbours(codes, tokens.apart))  # (tagged + 1,)
        begins = (boundaries & BEGIN_BIT).view(np.bool_)  # (tagged + 1,)
        nth = np.cumsum(begins)  # (tagged + 1,)
        last = np.flatnonzero(boundaries & END_BIT != 0) - 1  # (spans,)
        first = np.append(-1, np.flatnonzero(begins)).take(nth.take(last))  # (spans,)
        return cls(first, last, codes.take(first + 1), codes.take(last + 1))

    def take(self, mask: NDArray[np.bool_]) -> CompressedSpans:
        """Take the spans of this mask."""
        return CompressedSpans(self.first[mask], self.last[mask], self.first_code[mask], self.last_code[mask])


REPAIR_REMEDIES: dict[TagRepair, str] = {
    "begin": "read such tags as the nearest that fit with --repair begin",
    "discard": "drop their spans with --repair discard",
}
SIDE_NAMES: dict[Side, str] = {"reference": "reference", "predicted": "prediction"}


@dataclass(frozen=True, eq=False)
class TaggedSide:
    """One side of a batch with its rule, for places in messages.

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
    rule: TagRule
    table: RuleTable

    def locate(self, at: int) -> str:
        """Return the place of a compressed position, for the user."""
        row, position = self._locate_token(at)
        return self.batch.provenance.where(row, position, self.side)

    def get_tag(self, at: int, step: int = 0) -> str | None:
        """Return the tag `step` tokens after a compressed position.

        The result is None beyond the document.
        """
        row, position = self._locate_token(at)
        codes = self.batch.reference if self.side == "reference" else self.batch.predicted
        start, stop = int(self.batch.offsets[row]), int(self.batch.offsets[row + 1])
        token = start + position + step
        return self.batch.vocabulary[int(codes[token])] if start <= token < stop else None

    def _locate_token(self, at: int) -> tuple[int, int]:
        row = int(self.tokens.row[at])
        return row, int(self.tokens.positions[at] - self.batch.offsets[row])


def check_known_tags(side: TaggedSide) -> None:
    """Check that the rule knows all tags of a side.

    Args:
        side: one side of a batch.

    Raises:
        TagError: if it does not; the error names the first such tag.
    """
    known = side.table.known
    if known is None:
        return
    unknown = ~known.take(side.tokens.get_codes(side.side)[1:-1])  # (tagged,)
    if not unknown.any():
        return
    at = int(unknown.argmax())
    expected = (
        f"{side.rule.title} has {side.rule.expected_tags}"
        if side.rule.expected_tags
        else f"not a tag of {side.rule.title}"
    )
    raise TagError(
        f"unknown tag {side.get_tag(at)!r} in the {SIDE_NAMES[side.side]}: {expected}",
        where=side.locate(at),
        remedy="Correct the tag"
        + (", or name the scheme that it belongs to with --scheme." if side.rule.allows_scheme else "."),
    )


def repair_spans(
    side: TaggedSide, runs: CompressedSpans, repair: TagRepair
) -> tuple[CompressedSpans, RunWarning | None]:
    """Repair or drop spans with invalid tags, or raise.

    Args:
        side: the side of the spans.
        runs: its spans in the lenient reading.
        repair: how invalid tags are handled.

    Returns:
        The spans to keep, and a warning if any tag was invalid.

    Raises:
        TagError: if a tag is invalid and `repair` is `error`; the error names the first such tag.
    """
    opening = ~side.table.fits_first.take(runs.first_code)  # (spans,)
    closing = ~side.table.fits_last.take(runs.last_code)  # (spans,)
    if not (opening.any() or closing.any()):
        return runs, None
    if repair == "error":
        raise _build_invalid_error(side, runs, opening, closing)
    if repair == "discard":
        return _discard_spans(side, runs, opening | closing)
    alone = opening & closing & (runs.first == runs.last)
    count = int(opening.sum() + closing.sum() - alone.sum())
    where = side.locate(_find_first_invalid(runs, opening, closing))
    restricted = {"begin": side.rule.first_prefixes, "end": side.rule.last_prefixes}
    ends = " or ".join(end for end, prefixes in restricted.items() if prefixes is not None)
    message = f"tags of the {SIDE_NAMES[side.side]} do not fit {side.rule.title} and were read as the {ends} of a span"
    return runs, RunWarning("tags-repaired", message, count, where)


def _discard_spans(
    side: TaggedSide, runs: CompressedSpans, dropped: NDArray[np.bool_]
) -> tuple[CompressedSpans, RunWarning]:
    gone = runs.take(dropped)
    message = f"tags of the {SIDE_NAMES[side.side]} are in spans that do not fit {side.rule.title} and were discarded"
    count = int((gone.last - gone.first + 1).sum())
    return runs.take(~dropped), RunWarning("tags-discarded", message, count, side.locate(int(gone.first[0])))


def _find_first_invalid(runs: CompressedSpans, opening: NDArray[np.bool_], closing: NDArray[np.bool_]) -> int:
    return int(min((*runs.first[opening][:1], *runs.last[closing][:1])))


def _build_invalid_error(
    side: TaggedSide, runs: CompressedSpans, opening: NDArray[np.bool_], closing: NDArray[np.bool_]
) -> TagError:
    at = _find_first_invalid(runs, opening, closing)
    if at in runs.first[opening]:
        neighbour, edge = side.get_tag(at, -1), "at the start of its document"
        place, wanted, verb = "after", side.rule.first_prefixes, "begins"
    else:
        neighbour, edge = side.get_tag(at, 1), "at the end of its document"
        place, wanted, verb = "before", side.rule.last_prefixes, "ends"
    context = edge if neighbour is None else f"{place} {neighbour!r}"
    letters = " or ".join(sorted(wanted or ()))
    tag = f"{side.get_tag(at)!r} {context} in the {SIDE_NAMES[side.side]}"
    return TagError(
        f"{tag} does not fit {side.rule.title}: a span {verb} with {letters}",
        where=side.locate(at),
        remedy=" or ".join(["Correct the tag", *(REPAIR_REMEDIES[repair] for repair in side.rule.repairs)]) + ".",
    )
