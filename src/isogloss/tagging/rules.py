"""A rule says between which neighbouring tags spans begin and end.

Schemes are rules, and so are the habits of other tools. A rule is asked about every kind of neighbours once per
vocabulary, never per token. It sees three things: what stands before the hyphen (the *prefix*) on both sides, and
whether what stands after it (the *label*) is the same. O and the edges of a document are one and the same: the tag "O",
split like any other.

How begins and ends become spans: each end closes a span that reaches from the last begin before it, whatever lies
between. The label is that of the span's last tag. A rule may therefore end a span that it never began: its begin is
then that of an earlier span, or the start of the document where the document has none before. (Begins of earlier
documents do not count: what a document holds must not depend on its neighbours.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Literal

from isogloss.tagging.notation import Notation, split, written
from isogloss.tagging.schemes import OUTSIDE, Scheme, continues

Boundary = Callable[[str, str, bool], bool]
Repair = Literal["begin", "discard", "error"]


@dataclass(frozen=True)
class Rule:
    """How tags become spans.

    Args:
        title: its name in messages.
        split: gives (prefix, label) of a tag, None for a tag that it does not know. Asked for "O" too; its label then
            counts where neighbours of O are compared with it.
        begins: (previous prefix, current prefix, same label) -> whether the current tag begins a span; never asked
            where the current tag is O.
        ends: likewise -> whether the previous tag ends one; never asked where the previous tag is O.
        opens: prefixes that fit as first of a span; None when all do. Other first tags are repaired.
        closes: prefixes that fit as last of a span; None when all do.
        expects: what tags look like, for messages.
        repairs: what else than `error` its users may ask for, for messages.
        named: whether its users may name another scheme, for messages.
    """

    title: str
    split: Callable[[str], tuple[str, str] | None]
    begins: Boundary
    ends: Boundary
    opens: frozenset[str] | None = None
    closes: frozenset[str] | None = None
    expects: str = ""
    repairs: tuple[Repair, ...] = ("begin", "discard")
    named: bool = True


@cache
def rule_of(scheme: Scheme, notation: Notation) -> Rule:
    """The rule of a scheme whose tags are written like this."""
    return Rule(
        title=scheme.title,
        split=partial(_split, notation=notation, letters=frozenset(scheme.letters)),
        begins=begins,
        ends=ends,
        opens=_restricted(scheme.opens, scheme),
        closes=_restricted(scheme.closes, scheme),
        expects=written(scheme.letters, notation),
    )


def _restricted(letters: str, scheme: Scheme) -> frozenset[str] | None:
    return None if set(letters) == set(scheme.letters) else frozenset(letters)


def _split(tag: str, notation: Notation, letters: frozenset[str]) -> tuple[str, str] | None:
    return (OUTSIDE, "") if tag == OUTSIDE else split(tag, notation, letters)


def begins(previous: str, current: str, same_label: bool) -> bool:  # noqa: FBT001 - the signature of `Boundary`
    """Whether the current tag begins a span, by the lenient reading of all schemes."""
    return not continues(previous, current, same_label=same_label)


def ends(previous: str, current: str, same_label: bool) -> bool:  # noqa: FBT001 - the signature of `Boundary`
    """Whether the previous tag ends a span, by the lenient reading of all schemes."""
    return not continues(previous, current, same_label=same_label)
