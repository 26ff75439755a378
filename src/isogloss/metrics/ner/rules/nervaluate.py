"""nervaluate 1.2.1: `Evaluator(true, pred, tags, loader="list" or "dict").evaluate()`.

What is reproduced, in reading tags (`loader="list"`)
    1. O alone is outside. The label is all after the second character, so that `B-A-B` has the label `A-B`.
    2. A chunk goes on while the label stays the same and no tag begins with B, whatever else the tag looks like:
       `E-P`, `S-P` and `xyP` go on with `B-P`. BILOU and IOBES chunks that touch are therefore one.
    3. I begins a chunk after O or another label.
    4. A tag that begins a chunk starts with `B-` or `I-`; others are refused there: `ADJ`, `B`, `S-P`.

What is reproduced, in counting: see `isogloss.metrics.ner.nervaluate`.

Exceptions: see there, too.
"""

from __future__ import annotations

from isogloss.metrics.ner.nervaluate import GreedyOverlaps
from isogloss.metrics.ner.profiles import Decode, Profile
from isogloss.tagging import Decoder, Repair, Rule
from isogloss.tagging.schemes import OUTSIDE

OPENS = frozenset({"B-", "I-"})


def split(tag: str) -> tuple[str, str]:
    """Prefix and label of a tag. Prefixes that begin no chunk are `B` where the tag starts with it, else `?`."""
    if tag == OUTSIDE:
        return OUTSIDE, ""
    head = tag[:2]
    return (head if head in OPENS else "B" if head.startswith("B") else "?"), tag[2:]


def boundary(previous: str, current: str, same_label: bool) -> bool:  # noqa: FBT001 - the signature of a rule's boundary
    """Whether a chunk does not go on from the previous tag to the current one."""
    inside = OUTSIDE not in (previous, current)
    return not (inside and same_label and not current.startswith("B"))


RULE = Rule(
    title="nervaluate",
    split=split,
    begins=boundary,
    ends=boundary,
    opens=OPENS,
    expects="B- or I- where a span begins",
    repairs=(),
    named=False,
)


def _decoder(scheme: str, repair: Repair) -> Decode:  # noqa: ARG001 - there is one way to read tags
    return Decoder.of_rule(RULE, "error")


PROFILE = Profile(name="nervaluate", metric=GreedyOverlaps(), read=_decoder, scores="reference")
