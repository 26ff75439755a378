"""seqeval 1.2.2 in its strict mode: `classification_report(y_true, y_pred, mode="strict", scheme=...)`.

What is reproduced
    1. The first character of a tag is its prefix; the label is the rest without the hyphens at both of its ends:
       `B-A-B` has the label `A-B`, `B--A-` the label `A`. Without a label it is `_`.
    2. A tag whose prefix is none of the scheme's letters or O is refused, wherever it stands; so is `ADJ`, and so is
       `E-PER` in IOB2.
    3. Whatever begins with O is outside: `OTHER` and `O-PER` are read as O.
    4. A run of tags that fit each other is a chunk only when its first and last tags fit the scheme too. All its tags
       are dropped otherwise: `I-P I-P` in IOB2, `B-P I-P` before O in IOBES, `I-P` before O in IOE2.
    5. IOB1: B begins a chunk only directly after a tag of the same label, and is dropped otherwise, while the I after
       it begins a chunk of its own: `B-P I-P` is the chunk of the second tag alone. A chunk of B alone is dropped when
       B of another label follows.
    6. Sets, averages and 0/0 as in the default mode. Token accuracy is that of `accuracy_score`.

Exceptions
    1. IOE1 is refused. seqeval's own source calls its IOE1 unfinished: it drops every chunk that ends with E before O,
       so that `I-P E-P O` holds none.
    2. The scheme is one for both sides and decided by isogloss when it is not named; seqeval's `auto_detect` looks at
       the reference alone, knows IOB2, IOE2, IOBES and BILOU, and refuses a corpus of O alone.
    3. `f1_score(mode="strict")` without a scheme is seqeval's default mode: use the profile `seqeval`.
    4. Where seqeval raises because there is no document or no token, 0/0 applies.
    5. `suffix=True` and `sample_weight` are not offered.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from isogloss.kernel.scores import Ints
from isogloss.spans.batches import Codes, SpanPairs, TagPairs, TokenMatches
from isogloss.spans.decoder import Decoder
from isogloss.spans.schemes import NO_LABEL, OUTSIDE, SCHEMES, TagRepair, TagRule, is_continuation
from isogloss.tasks.ner.chunks import ExactChunks
from isogloss.tasks.ner.profiles import NerProfile, ProfileDecoder

DETACHED_B = "\x00"  # prefix for a B in IOB1 that does not follow a tag of its label
CUT_OFF_B = "\x01"  # prefix for a B in IOB1 directly before a detached B


def split_strict_tag(tag: str, letters: str) -> tuple[str, str] | None:
    """Split a tag into prefix and label; None if the prefix is not one of the letters or O."""
    return (tag[0], tag[1:].strip("-") or NO_LABEL) if tag[0] in letters + OUTSIDE else None


def is_strict_begin(previous: str, current: str, same_label: bool) -> bool:  # noqa: FBT001 - the signature of `Boundary`
    """Return whether a run of tags begins with the current tag."""
    return current != OUTSIDE and not is_continuation(previous, current, same_label=same_label)


def is_strict_end(previous: str, current: str, same_label: bool) -> bool:  # noqa: FBT001 - the signature of `Boundary`
    """Return whether a run of tags ends with the previous tag."""
    return previous != OUTSIDE and not is_continuation(previous, current, same_label=same_label)


def make_strict_rule(name: str) -> TagRule:
    """Make the rule of a scheme: iob2, ioe2, iobes or bilou."""
    scheme = SCHEMES[name]
    return TagRule(
        title=f"{scheme.title} of seqeval",
        split_tag=partial(split_strict_tag, letters=scheme.letters),
        is_span_begin=is_strict_begin,
        is_span_end=is_strict_end,
        first_prefixes=frozenset(scheme.first_letters),
        last_prefixes=frozenset(scheme.last_letters),
        expected_tags=", ".join(f"{letter}-" for letter in scheme.letters),
    )


IOB1_RULE = replace(
    make_strict_rule("iob1"),
    split_tag=partial(split_strict_tag, letters=f"BI{DETACHED_B}{CUT_OFF_B}"),
    first_prefixes=frozenset(f"BI{CUT_OFF_B}"),
    last_prefixes=frozenset("BI"),
)


def read_strict_iob1(batch: TagPairs) -> SpanPairs:
    """Read spans of IOB1; a B that is invalid next to its neighbours first gets a prefix of its own.

    Args:
        batch: tags of documents.

    Raises:
        TagError: if a tag is refused.
    """
    tags = batch.vocabulary
    marked = replace(
        batch,
        vocabulary=(*tags, *(DETACHED_B + tag[1:] for tag in tags), *(CUT_OFF_B + tag[1:] for tag in tags)),
        reference=_mark_invalid_begins(batch, batch.reference),
        predicted=_mark_invalid_begins(batch, batch.predicted),
    )
    return replace(Decoder.from_rule(IOB1_RULE, "discard")(marked), tokens=_count_matches(batch))


def _mark_invalid_begins(batch: TagPairs, codes: Codes) -> Codes:
    """Replace the codes of detached and cut-off B tags by codes with prefixes of their own: (tokens,)."""
    parts = [split_strict_tag(tag, "BI") or (OUTSIDE, "") for tag in batch.vocabulary]
    labels = {label: code for code, (_, label) in enumerate(parts)}
    letter = np.array([prefix for prefix, _ in parts])[codes]  # (tokens,)
    label = np.array([labels[label] for _, label in parts])[codes]  # (tokens,)
    first = np.zeros(len(codes) + 1, np.bool_)  # (tokens + 1,) whether a document begins
    first[batch.offsets] = True
    follows = ~first[1:-1] & (letter[:-1] != OUTSIDE) & (label[1:] == label[:-1])  # (tokens - 1,)
    begin = letter == "B"
    apart = begin & ~np.append(False, follows)[: len(codes)]
    cut = begin & ~apart & np.append(apart[1:] & ~first[1:-1], False)[: len(codes)]
    marked: Codes = (codes + len(parts) * apart + 2 * len(parts) * cut).astype(np.uint32)
    return marked


def _count_matches(batch: TagPairs) -> TokenMatches:
    equal = np.append(0, np.cumsum(batch.reference == batch.predicted))  # (tokens + 1,)
    correct: Ints = np.diff(equal[batch.offsets])
    return TokenMatches(correct, np.diff(batch.offsets))


def _make_decoder(scheme: str, repair: TagRepair) -> ProfileDecoder:  # noqa: ARG001 - there is one way to read tags
    return read_strict_iob1 if scheme == "iob1" else Decoder.from_rule(make_strict_rule(scheme), "discard")


PROFILE = NerProfile(
    name="seqeval-strict",
    metric=ExactChunks(with_means=True),
    make_decoder=_make_decoder,
    schemes=("iob1", "iob2", "ioe2", "iobes", "bilou"),
    options=frozenset({"beta", "zero_division"}),
)
