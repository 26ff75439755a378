"""The default mode and the strict mode of seqeval 1.2.2.

The default mode is the profile `seqeval`, and the strict mode is the profile `seqeval-strict`.

Default mode: `f1_score(y_true, y_pred)`, `classification_report(y_true, y_pred)`. What is reproduced
    1. The first character of a tag is its prefix. The label is what follows the first hyphen after it, and all that
       follows where there is no hyphen: `ADJ` has the prefix `A` and the label `DJ`, `BPER` is `B-PER`.
    2. A tag without a label has the label `_`: `B`, `B-`, and O itself.
    3. Prefixes are B, I, E, S whatever the scheme; L, U, M, W and any other are unknown. A tag with an unknown prefix
       begins a chunk when its label differs from that of the tag before, and goes on with the chunk otherwise. Hence
       `X`, whose label is that of O, begins nothing after O.
    4. Whatever begins with O is outside, but keeps its label: after `O-PER` the tag `X-PER` begins nothing.
    5. The prefix `.` begins and ends nothing when the label changes.
    6. A chunk that ends without having begun reaches back to the last begin before it in the document.
    7. I after O, or after another label, begins a chunk; E and S end theirs; E or I after E or S begins one.
    8. Chunks are sets. 0/0 is 0, or what `zero_division` says. The micro average is the group `strict`.
    9. The macro average is the mean over the labels of either side, undefined without any (seqeval: nan); the weighted
       average without reference chunks is `zero_division` for the recall, and for precision and F where nothing is
       predicted, else 0.
    10. Token accuracy compares whole tags.

Exceptions of the default mode
    1. A chunk without a begin in its document reaches back to the start of the document. In seqeval it reaches back to
       the last begin of an earlier document, so that its verdict depends on other documents:
       `[O B-P], [X B-P]` → `[O O], [X B-P]` has two right chunks here, one in seqeval.
    2. Where seqeval warns about a tag that seems not to be one, nothing is said.
    3. Where seqeval raises because there is nothing to score (no token, no document), 0/0 applies.
    4. A scheme is refused. seqeval ignores `scheme=` outside of its strict mode.
    5. `suffix=True` and `sample_weight` (which has no effect there) are not offered.

Strict mode: `classification_report(y_true, y_pred, mode="strict", scheme=...)`. What is reproduced
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

Exceptions of the strict mode
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

from isogloss.spans.batches import Codes, SpanPairs, TagPairs
from isogloss.spans.decoder import Decoder
from isogloss.spans.schemes import NO_LABEL, OUTSIDE, SCHEMES, TagRule, format_letters, is_continuation
from isogloss.spans.tag_reading import TaggedTokens
from isogloss.tasks.ner.profiles import NerProfile
from isogloss.tasks.ner.profiles.exact_chunks import ExactChunks


def split_seqeval_tag(tag: str) -> tuple[str, str]:
    """Split a tag into prefix and label."""
    return tag[0], tag[1:].split("-", 1)[-1] or NO_LABEL


def is_seqeval_begin(previous: str, current: str, /, *, same_label: bool) -> bool:
    """Return whether a chunk begins with the current tag."""
    if current in "BS" or (previous in "ESO" and current in "EI"):
        return True
    return current not in "O." and not same_label


def is_seqeval_end(previous: str, current: str, /, *, same_label: bool) -> bool:
    """Return whether a chunk ends with the previous tag."""
    if previous in "ES" or (previous in "BI" and current in "BSO"):
        return True
    return previous not in "O." and not same_label


SEQEVAL_RULE = TagRule(
    title="seqeval", split_tag=split_seqeval_tag, is_span_begin=is_seqeval_begin, is_span_end=is_seqeval_end
)


PROFILE = NerProfile(
    name="seqeval",
    metric=ExactChunks(with_means=True),
    make_decoder=lambda *_: Decoder(SEQEVAL_RULE),
    options=frozenset({"beta", "zero_division"}),
)
DETACHED_B = "\x00"  # prefix for a B in IOB1 that does not follow a tag of its label
CUT_OFF_B = "\x01"  # prefix for a B in IOB1 directly before a detached B


def split_strict_tag(tag: str, letters: str) -> tuple[str, str] | None:
    """Split a tag into prefix and label; None for other prefixes.

    The prefix must be one of the letters or O.
    """
    return (tag[0], tag[1:].strip("-") or NO_LABEL) if tag[0] in letters + OUTSIDE else None


def is_strict_begin(previous: str, current: str, /, *, same_label: bool) -> bool:
    """Return whether a run of tags begins with the current tag."""
    return current != OUTSIDE and not is_continuation(previous, current, same_label=same_label)


def is_strict_end(previous: str, current: str, /, *, same_label: bool) -> bool:
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
        expected_tags=format_letters(scheme.letters, "prefix"),
    )


IOB1_RULE = replace(
    make_strict_rule("iob1"),
    split_tag=partial(split_strict_tag, letters=f"BI{DETACHED_B}{CUT_OFF_B}"),
    first_prefixes=frozenset(f"BI{CUT_OFF_B}"),
    last_prefixes=frozenset("BI"),
)


def read_strict_iob1(batch: TagPairs) -> SpanPairs:
    """Read spans of IOB1; an invalid B gets its own prefix.

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
    return replace(Decoder(IOB1_RULE, "discard")(marked), tokens=TaggedTokens.from_batch(batch).count_matches(batch))


def _mark_invalid_begins(batch: TagPairs, codes: Codes) -> Codes:
    """Replace the codes of detached and cut-off B tags: (tokens,).

    The new codes have prefixes of their own.
    """
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


STRICT_PROFILE = NerProfile(
    name="seqeval-strict",
    metric=ExactChunks(with_means=True),
    make_decoder=lambda scheme, _: (
        read_strict_iob1 if scheme == "iob1" else Decoder(make_strict_rule(scheme), "discard")
    ),
    schemes=("iob1", "iob2", "ioe2", "iobes", "bilou"),
    options=frozenset({"beta", "zero_division"}),
)
