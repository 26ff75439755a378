"""seqeval 1.2.2 in its default mode: `f1_score(y_true, y_pred)`, `classification_report(y_true, y_pred)`.

What is reproduced
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

Exceptions
    1. A chunk without a begin in its document reaches back to the start of the document. In seqeval it reaches back to
       the last begin of an earlier document, so that its verdict depends on other documents:
       `[O B-P], [X B-P]` → `[O O], [X B-P]` has two right chunks here, one in seqeval.
    2. Where seqeval warns about a tag that seems not to be one, nothing is said.
    3. Where seqeval raises because there is nothing to score (no token, no document), 0/0 applies.
    4. A scheme is refused. seqeval ignores `scheme=` outside of its strict mode.
    5. `suffix=True` and `sample_weight` (which has no effect there) are not offered.
"""

from __future__ import annotations

from isogloss.spans.decoder import Decoder
from isogloss.spans.schemes import NO_LABEL, TagRepair, TagRule
from isogloss.tasks.ner.chunks import ExactChunks
from isogloss.tasks.ner.profiles import NerProfile, ProfileDecoder


def split_seqeval_tag(tag: str) -> tuple[str, str]:
    """Split a tag into prefix and label."""
    return tag[0], tag[1:].split("-", 1)[-1] or NO_LABEL


def is_seqeval_begin(previous: str, current: str, same_label: bool) -> bool:  # noqa: FBT001 - the signature of `Boundary`
    """Return whether a chunk begins with the current tag."""
    if current in "BS" or (previous in "ESO" and current in "EI"):
        return True
    return current not in "O." and not same_label


def is_seqeval_end(previous: str, current: str, same_label: bool) -> bool:  # noqa: FBT001 - the signature of `Boundary`
    """Return whether a chunk ends with the previous tag."""
    if previous in "ES" or (previous in "BI" and current in "BSO"):
        return True
    return previous not in "O." and not same_label


SEQEVAL_RULE = TagRule(
    title="seqeval", split_tag=split_seqeval_tag, is_span_begin=is_seqeval_begin, is_span_end=is_seqeval_end
)


def _make_decoder(scheme: str, repair: TagRepair) -> ProfileDecoder:  # noqa: ARG001 - there is one way to read tags
    return Decoder.from_rule(SEQEVAL_RULE)


PROFILE = NerProfile(
    name="seqeval",
    metric=ExactChunks(with_means=True),
    make_decoder=_make_decoder,
    options=frozenset({"beta", "zero_division"}),
)
