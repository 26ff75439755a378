"""conlleval.pl, version 2004-01-26: `conlleval < file` with space or tab as delimiter.

What is reproduced
    1. The prefix of a tag is all before its first hyphen, the label all after it. A tag without a hyphen is all prefix
       and has no label: `B` is B, `ADJ` is the prefix `ADJ`. The label `0` counts as none (Perl takes it for false).
    2. Known prefixes are B, I, E, and `[` and `]` for chunks of one token. A tag with any other prefix (S, L, U, ...)
       begins a chunk when its label differs from that of the tag before, and goes on with the chunk otherwise. Hence
       touching `S-P S-P` or `U-P U-P` are one chunk, and `ADJ`, without a label like O, begins nothing after O.
    3. I or E after O, and E or I after E, begin a chunk; between E and B of the same label nothing ends.
    4. O is outside with any label: after `O-P` the tag `X-P` begins nothing. The prefix `.` begins and ends nothing
       when the label changes.
    5. Chunks are counted where they begin. One is correct when both sides begin it with the same label, have the same
       labels and no end up to the place where both end; its label is that of its last tag. So a chunk need not end, and
       one that is begun again without an end is counted again.
    6. Token accuracy compares prefix and label: `B-0`, `B-` and `B` are equal.
    7. 0/0 is 0. There are no averages over labels. Each label that begins a chunk on either side has its figures.
    8. Documents are sentences, set apart by empty lines.

Exceptions
    1. A chunk that is still open at the end of its document is not correct. In conlleval.pl it stays open over the
       following sentences, and at the end of the file it is correct. It takes a tag without a label and with a prefix
       other than B, I, E: `B-P S` → `B-P S` as a whole file has two correct chunks there, one here.
    2. Where both sides have chunks without a label, conlleval.pl prints their line twice.
    3. Its percentages have two decimals; here are the ratios.
    4. The options `-r`, `-o` and `-l` are not offered.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.scores import Ints
from isogloss.spans.batches import Spans, TagPairs, TokenMatches
from isogloss.spans.schemes import OUTSIDE, TagRule
from isogloss.spans.tag_reading import BEGIN_BIT, END_BIT, TaggedTokens, compile_rules
from isogloss.tasks.ner.profiles import NerProfile
from isogloss.tasks.ner.profiles.exact_chunks import ExactChunks, JudgedSpanPairs

CHUNK_BEGINNINGS = {
    (before, after) for before, afters in (("O", "BIE"), ("B", "B"), ("I", "B"), ("E", "EI")) for after in afters
}
CHUNK_ENDINGS = {(before, after) for before, afters in (("B", "BO"), ("I", "BO"), ("E", "EIO")) for after in afters}
SINGLE_TAGS = ("[", "]")
OUTSIDE_TAGS = (OUTSIDE, ".")
TokenFlags = NDArray[np.bool_]


def split_conlleval_tag(tag: str) -> tuple[str, str]:
    """Split a tag into prefix and label."""
    prefix, _, label = tag.partition("-")
    return prefix, "" if label == "0" else label


def is_conlleval_begin(previous: str, current: str, /, *, same_label: bool) -> bool:
    """Return whether a chunk begins with the current tag."""
    if (previous, current) in CHUNK_BEGINNINGS or current in SINGLE_TAGS:
        return True
    return current not in OUTSIDE_TAGS and not same_label


def is_conlleval_end(previous: str, current: str, /, *, same_label: bool) -> bool:
    """Return whether a chunk ends with the previous tag."""
    if (previous, current) in CHUNK_ENDINGS or previous in SINGLE_TAGS:
        return True
    return previous not in OUTSIDE_TAGS and not same_label


CONLLEVAL_RULE = TagRule(
    title="conlleval", split_tag=split_conlleval_tag, is_span_begin=is_conlleval_begin, is_span_end=is_conlleval_end
)


def read_conlleval_chunks(batch: TagPairs) -> JudgedSpanPairs:
    """Read the chunks of both sides, and the correct ones.

    Args:
        batch: documents with a reference and a predicted tag for every token.

    Returns:
        Spans from each beginning up to the next beginning, end or O; the correct chunks; tokens with equal tags.
    """
    labels, (table,) = compile_rules(batch.vocabulary, (CONLLEVAL_RULE,))
    tokens = TaggedTokens.from_batch(batch)
    codes = tokens.reference, tokens.predicted
    boundaries = [table.boundaries.take(table.index_neighbours(c, tokens.apart)) for c in codes]  # (tagged + 1,) each
    label = [table.label.take(c)[1:-1].astype(np.int64) for c in codes]  # (tagged,) each
    begin = [f & BEGIN_BIT != 0 for f in boundaries]
    end = [f & END_BIT != 0 for f in boundaries]
    first, last = _find_correct_chunks(tokens, begin, end, label[0] == label[1])
    sides = [_find_chunks(tokens, b, e) for b, e in zip(begin, end, strict=True)]
    return JudgedSpanPairs(
        documents=batch.documents,
        labels=labels,
        reference=_build_spans(batch, tokens, *sides[0], label[0][sides[0][0]]),
        predicted=_build_spans(batch, tokens, *sides[1], label[1][sides[1][0]]),
        provenance=batch.provenance,
        tokens=_count_matches(batch, tokens),
        correct=_build_spans(batch, tokens, first, last, label[0][last]),
        correct_labels=labels,
    )


def _find_correct_chunks(
    tokens: TaggedTokens, begin: list[TokenFlags], end: list[TokenFlags], same_label: TokenFlags
) -> tuple[Ints, Ints]:
    """Find first and last token of the correct chunks.

    Both results are (correct,) compressed positions.
    """
    number = len(tokens.positions)
    at = np.arange(number)
    edge = np.append(True, tokens.row[1:] != tokens.row[:-1])[:number]
    joint = begin[0][:-1] & begin[1][:-1] & same_label  # (tagged,) both sides begin the same here
    broken = end[0][:-1] | end[1][:-1] | ~same_label | edge  # (tagged,) what began before is over, or differs
    began = np.maximum.accumulate(np.where(joint, at, -1))  # (tagged,)
    since = np.maximum.accumulate(np.where(broken, at, -1))  # (tagged,)
    last = np.flatnonzero(end[0][1:] & end[1][1:] & (began >= since))
    return began[last], last


def _find_chunks(tokens: TaggedTokens, begin: TokenFlags, end: TokenFlags) -> tuple[Ints, Ints]:
    """Find first and last token of the chunks of a side.

    Both results are (chunks,) compressed positions.
    """
    first = np.flatnonzero(begin)
    stops = np.flatnonzero(begin | end | tokens.apart)
    return first, stops[np.searchsorted(stops, first, side="right")] - 1


def _build_spans(batch: TagPairs, tokens: TaggedTokens, first: Ints, last: Ints, label: Ints) -> Spans:
    row = tokens.row[first].astype(np.int64)
    offset = batch.offsets[row]
    return Spans(row, tokens.positions[first] - offset, tokens.positions[last] + 1 - offset, label)


def _count_matches(batch: TagPairs, tokens: TaggedTokens) -> TokenMatches:
    """Count the tokens whose tags have equal prefixes and labels."""
    numbers: dict[tuple[str, str], int] = {}
    same = np.array([numbers.setdefault(split_conlleval_tag(tag), len(numbers)) for tag in batch.vocabulary])  # (tags,)
    unequal = tokens.row[same[tokens.reference[1:-1]] != same[tokens.predicted[1:-1]]]
    total = np.diff(batch.offsets)  # (documents,)
    return TokenMatches(total - np.bincount(unequal, minlength=len(total)), total)


PROFILE = NerProfile(
    name="conlleval", metric=ExactChunks(), make_decoder=lambda *_: read_conlleval_chunks, maps_labels=False
)
