"""seqscore 0.9.0: `score_label_sequences(predicted, reference, encoding, repair=...)`, which `seqscore score` rests on.

| seqscore | isogloss | repairs |
|---|---|---|
| BIO | iob2 | none = `error`, conlleval = `begin`, discard = `discard` |
| IOB | iob1 | none = `error`, conlleval = `begin` |
| IO, BIOES, BILOU, BMES, BMEOW | io, iobes, bilou, bmes, bmewo | none = `error` |

What is reproduced
    1. The prefix of a tag is all before its first hyphen, the label all after it. A tag without a hyphen or without a
       label is refused (`B`, `B-`, `ADJ`), as is O with a label (`O-PER`). Only O alone is outside.
    2. Without repair a corpus with one invalid transition is refused: I after O or another label in BIO; B after
       anything but its own label in IOB; a span without its first or last tag in BIOES and its like. In IO all fit.
    3. Repair `conlleval` begins a span at an invalid tag. In BIO an unknown prefix counts as such: `X-PER` is read as
       `B-PER`. In IOB an unknown prefix is refused.
    4. Repair `discard` takes an invalid tag of BIO for O, which makes the I after it invalid as well.
    5. Mentions are sets in each sequence. 0/0 is 0. There are no averages over labels.
    6. Accuracy compares the tags as they are given, before repair.

Exceptions
    1. A repair that the encoding does not have is refused at once, as on seqscore's command line; its function refuses
       it at the first invalid sequence.
    2. seqscore's command line refuses unknown prefixes under every repair: `X-PER`.
    3. Its accuracy is that of repaired tags: with the repair `conlleval`, `I-PER` → `B-PER` is one correct tag there,
       none here.
    4. Empty documents are allowed; the command line cannot have any.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from isogloss.errors import TagError, UsageError
from isogloss.kernel.provenance import SIDES, Side
from isogloss.spans.batches import DecodeTags, SpanPairs, TagPairs
from isogloss.spans.decoder import Decoder
from isogloss.spans.schemes import OUTSIDE, SCHEMES, TagRepair, TagRule, format_letters, is_span_boundary
from isogloss.spans.tag_reading import BEGIN_BIT, TaggedTokens, compile_rules
from isogloss.tasks.ner.profiles import NerProfile
from isogloss.tasks.ner.profiles.exact_chunks import ExactChunks

SEQSCORE_REPAIRS: dict[str, tuple[TagRepair, ...]] = {"iob2": ("error", "begin", "discard"), "iob1": ("error", "begin")}


def split_seqscore_tag(tag: str, letters: frozenset[str] | None) -> tuple[str, str] | None:
    """Split a tag into prefix and label; None for a refused tag.

    Args:
        tag: any tag.
        letters: the known prefixes; None if any prefix is known.
    """
    if tag == OUTSIDE:
        return OUTSIDE, ""
    prefix, _, label = tag.partition("-")
    known = prefix != OUTSIDE if letters is None else prefix in letters
    return (prefix, label) if known and label else None


def _is_bio_begin(previous: str, current: str, /, *, same_label: bool) -> bool:
    """Return whether a span begins in BIO.

    There, I may follow any prefix but O.
    """
    return not (same_label and previous != OUTSIDE and current == "I")


def _is_detached_begin(previous: str, current: str, /, *, same_label: bool) -> bool:
    """Return whether the current tag is a detached B of IOB.

    A detached B does not follow a tag of its label.
    """
    return current == "B" and not (same_label and previous != OUTSIDE)


def _is_never_boundary(previous: str, current: str, /, *, same_label: bool) -> bool:  # noqa: ARG001 - the signature of a rule's boundary
    return False


def make_seqscore_rule(name: str) -> TagRule:
    """Make the rule of an encoding, by its scheme's isogloss name."""
    scheme = SCHEMES[name]
    bio = name == "iob2"
    boundary = _is_bio_begin if bio else is_span_boundary
    return TagRule(
        title=f"{scheme.title} of seqscore",
        split_tag=partial(split_seqscore_tag, letters=None if bio else frozenset(scheme.letters)),
        is_span_begin=boundary,
        is_span_end=boundary,
        first_prefixes=frozenset(scheme.first_letters),
        last_prefixes=None if scheme.last_letters == scheme.letters or bio else frozenset(scheme.last_letters),
        expected_tags=format_letters(scheme.letters, "prefix"),
        repairs=SEQSCORE_REPAIRS.get(name, ("error",))[1:],
    )


SEQSCORE_RULES = {name: make_seqscore_rule(name) for name in ("iob2", "iobes", "bilou", "bmes", "bmewo", "io", "iob1")}
DETACHED_RULE = TagRule(
    "IOB of seqscore",
    SEQSCORE_RULES["iob1"].split_tag,
    is_span_begin=_is_detached_begin,
    is_span_end=_is_never_boundary,
)


def read_strict_iob(batch: TagPairs) -> SpanPairs:
    """Read spans of IOB, and refuse a detached B.

    A detached B does not directly follow a tag of its label.

    Args:
        batch: tags of documents.

    Raises:
        TagError: if such a B or another refused tag is found.
    """
    spans = Decoder(SEQSCORE_RULES["iob1"], "error")(batch)
    tokens = TaggedTokens.from_batch(batch)
    table = compile_rules(batch.vocabulary, (DETACHED_RULE,))[1][0]
    for side in SIDES:
        boundaries = table.boundaries.take(
            table.index_neighbours(tokens.get_codes(side), tokens.apart)
        )  # (tagged + 1,)
        apart = np.flatnonzero(boundaries & BEGIN_BIT)
        if len(apart):
            raise _misplaced_tag_error(batch, tokens, side, int(apart[0]))
    return spans


def _misplaced_tag_error(batch: TagPairs, tokens: TaggedTokens, side: Side, at: int) -> TagError:
    row = int(tokens.row[at])
    tag = batch.vocabulary[int(tokens.get_codes(side)[at + 1])]
    return TagError(
        f"{tag!r} does not follow a tag of its label, as B must in IOB",
        where=batch.provenance.where(row, int(tokens.positions[at] - batch.offsets[row]), side),
        remedy="Correct the tag, or read it as I with --repair begin.",
    )


def _make_decoder(scheme: str, repair: TagRepair) -> DecodeTags:
    if repair not in SEQSCORE_REPAIRS.get(scheme, ("error",)):
        raise UsageError(
            f"--profile seqscore does not support --repair {repair} for {scheme}: leave it out, or correct the tags."
        )
    return read_strict_iob if (scheme, repair) == ("iob1", "error") else Decoder(SEQSCORE_RULES[scheme], repair)


PROFILE = NerProfile(
    name="seqscore",
    metric=ExactChunks(),
    make_decoder=_make_decoder,
    schemes=tuple(sorted(SEQSCORE_RULES)),
    repairs=SEQSCORE_REPAIRS["iob2"],
)
