"""Tag schemes: which letters say that a token begins, continues, ends or is a span.

All schemes are read by one lenient reading, that of the CoNLL shared tasks: a tag goes on with the span of the tag
before it when both have the same label, the tag before is a B, I or M, and the tag itself an I, M, E or L. Every other
tag but O begins a span. Schemes differ only in which tags *fit*: the letters that may stand first in a span and last in
it. A tag that does not fit is *repaired* by the lenient reading, which takes it for the letter that the scheme wants.

| scheme | letters | first | last | |
|---|---|---|---|---|
| iob1 | B I | B I | B I | B only between touching spans of one label |
| iob2 | B I | B | B I | |
| ioe1 | I E | I E | I E | E only between touching spans of one label |
| ioe2 | I E | I E | E | |
| iobes | B I E S | B S | E S | |
| bilou | B I L U | B U | L U | |
| bmes | B M E S | B S | E S | |
| bmewo | B M E W | B W | E W | |
| io | I | I | I | touching spans of one label are one span |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache, partial
from typing import Literal

from isogloss.errors import TagError

OUTSIDE = "O"
BEFORE = frozenset("BIM")  # letters after which a span may go on
AFTER = frozenset("IMEL")  # letters that may go on with a span


@dataclass(frozen=True)
class Scheme:
    """One tag scheme.

    Args:
        name: how users name it, lower case.
        letters: the letters of its tags, in the order in which they follow each other.
        opens: letters that may stand first in a span.
        closes: letters that may stand last in a span.
        between: the letter that only sets touching spans of one label apart, if there is one.
    """

    name: str
    letters: str
    opens: str
    closes: str
    between: str = ""

    def __post_init__(self) -> None:
        if not set(self.opens + self.closes + self.between) <= set(self.letters):
            raise ValueError(f"{self.name} uses letters beside its own: {self.letters}")

    @property
    def title(self) -> str:
        """Its name in running text."""
        return self.name.upper()

    @property
    def closes_explicitly(self) -> bool:
        """Whether the last tag of a span always says that it is the last."""
        return BEFORE.isdisjoint(self.closes)


# In the order of preference where several fit equally well.
_ALL = (
    Scheme("iob2", letters="BI", opens="B", closes="BI"),
    Scheme("io", letters="I", opens="I", closes="I"),
    Scheme("iob1", letters="BI", opens="BI", closes="BI", between="B"),
    Scheme("ioe2", letters="IE", opens="IE", closes="E"),
    Scheme("ioe1", letters="IE", opens="IE", closes="IE", between="E"),
    Scheme("iobes", letters="BIES", opens="BS", closes="ES"),
    Scheme("bilou", letters="BILU", opens="BU", closes="LU"),
    Scheme("bmes", letters="BMES", opens="BS", closes="ES"),
    Scheme("bmewo", letters="BMEW", opens="BW", closes="EW"),
)
SCHEMES: dict[str, Scheme] = {scheme.name: scheme for scheme in _ALL}
LETTERS = frozenset("".join(scheme.letters for scheme in _ALL))


def continues(previous: str, current: str, *, same_label: bool) -> bool:
    """Whether a tag goes on with the span of the tag before it, by the lenient reading.

    Args:
        previous: letter of the tag before.
        current: letter of the tag.
        same_label: whether both have the same label.
    """
    return same_label and previous in BEFORE and current in AFTER


Notation = Literal["prefix", "suffix", "bare"]
UNTYPED = "_"
INSIDE = "I"


def split(tag: str, notation: Notation, letters: AbstractSet[str] = LETTERS) -> tuple[str, str] | None:
    """Letter and label of a tag.

    Args:
        tag: any tag but O.
        notation: how it is written.
        letters: the letters that tags may have.

    Returns:
        (letter, label), or None where the tag is empty or has none of the letters.
    """
    if notation == "bare":
        return (INSIDE, tag) if tag else None
    if notation == "prefix":
        letter, _, label = tag.partition("-")
    else:
        label, _, letter = tag.rpartition("-")
    return (letter, label or UNTYPED) if letter in letters else None


def joined(letter: str, label: str, notation: Notation) -> str:
    """The tag with this letter and label: what `split` takes apart.

    Args:
        letter: a letter of schemes, I for a bare label.
        label: its label; `UNTYPED` gives the letter alone, or stands for itself where labels are bare.
        notation: how the tag is written.

    Raises:
        TagError: a bare label that is O or a letter of schemes, and would be read as such.
    """
    if notation == "bare":
        if label == OUTSIDE or label in LETTERS:
            meaning = "outside of every span" if label == OUTSIDE else "a letter without a label"
            raise TagError(
                f"the label {label!r} cannot stand alone: it would be read as {meaning}",
                remedy="Write tags with letters: --notation prefix.",
            )
        return label
    if label == UNTYPED:
        return letter
    return f"{label}-{letter}" if notation == "suffix" else f"{letter}-{label}"


def relettered(tag: str, letter: str, read: Notation, write: Notation) -> str:
    """The tag with another letter, its label written as it was: `B-` becomes `I-`, and `B-_` becomes `I-_`.

    Args:
        tag: any tag but O.
        letter: the other letter, I for a bare label.
        read: how the tag is written.
        write: how the new one is written.

    Raises:
        TagError: a bare label that is O or a letter of schemes.
    """
    if read == "bare":
        return joined(letter, tag, write)
    if "-" not in tag:
        return joined(letter, UNTYPED, write)
    label = tag.partition("-")[2] if read == "prefix" else tag.rpartition("-")[0]
    if write == "bare":
        return joined(letter, label or UNTYPED, write)
    return f"{label}-{letter}" if write == "suffix" else f"{letter}-{label}"


def detect(tags: Iterable[str]) -> Notation:
    """How these tags are written.

    A single tag such as `B-PER` makes it `prefix`, also where it could be read from both ends, such as `I-B`. Otherwise
    a tag such as `PER-B` makes it `suffix`. Tags without any letter of a scheme are `bare`. Letters alone, or nothing
    to go by, count as `prefix`.
    """
    names = [tag for tag in tags if tag != OUTSIDE]
    if any("-" in tag and split(tag, "prefix") for tag in names):
        return "prefix"
    if any("-" in tag and split(tag, "suffix") for tag in names):
        return "suffix"
    return "bare" if names and not any(tag in LETTERS for tag in names) else "prefix"


def written(letters: Iterable[str], notation: Notation) -> str:
    """Letters as they stand in tags, for messages: `B-, I-`."""
    return ", ".join(f"-{letter}" if notation == "suffix" else f"{letter}-" for letter in letters)


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
