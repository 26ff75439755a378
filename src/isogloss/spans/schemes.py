"""Tag schemes: the letters for each role of a token.

The letters say that a token begins, continues, ends or is a span.

All schemes share one lenient reading, that of the CoNLL shared tasks: a tag continues the span of the tag before it if
both have the same label, the tag before is a B, I or M, and the tag itself an I, M, E or L. Every other tag except O
begins a span. Schemes differ only in which tags are *valid*: the letters that may be first and last in a span. An
invalid tag is *repaired* by the lenient reading, which reads it as the letter that the scheme requires.

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
from typing import Literal, Protocol

from isogloss.errors import TagError

OUTSIDE = "O"
CONTINUED_LETTERS = frozenset("BIM")  # letters after which a span may continue
CONTINUING_LETTERS = frozenset("IMEL")  # letters that may continue a span


@dataclass(frozen=True)
class TagScheme:
    """Tag scheme.

    Args:
        name: name for users, lower case.
        letters: letters of its tags, in the order in which they follow each other.
        first_letters: letters that may be first in a span.
        last_letters: letters that may be last in a span.
        separator: the letter that only separates touching spans of one label; empty if there is none.
    """

    name: str
    letters: str
    first_letters: str
    last_letters: str
    separator: str = ""

    def __post_init__(self) -> None:
        if not set(self.first_letters + self.last_letters + self.separator) <= set(self.letters):
            raise ValueError(f"{self.name} uses letters beside its own: {self.letters}")

    @property
    def title(self) -> str:
        """Name of the scheme in sentences."""
        return self.name.upper()

    @property
    def has_explicit_end(self) -> bool:
        """Whether the last tag of every span marks it as last."""
        return CONTINUED_LETTERS.isdisjoint(self.last_letters)


SCHEMES: dict[str, TagScheme] = {  # in order of preference among schemes with equally many invalid tags
    scheme.name: scheme
    for scheme in (
        TagScheme("iob2", letters="BI", first_letters="B", last_letters="BI"),
        TagScheme("io", letters="I", first_letters="I", last_letters="I"),
        TagScheme("iob1", letters="BI", first_letters="BI", last_letters="BI", separator="B"),
        TagScheme("ioe2", letters="IE", first_letters="IE", last_letters="E"),
        TagScheme("ioe1", letters="IE", first_letters="IE", last_letters="IE", separator="E"),
        TagScheme("iobes", letters="BIES", first_letters="BS", last_letters="ES"),
        TagScheme("bilou", letters="BILU", first_letters="BU", last_letters="LU"),
        TagScheme("bmes", letters="BMES", first_letters="BS", last_letters="ES"),
        TagScheme("bmewo", letters="BMEW", first_letters="BW", last_letters="EW"),
    )
}
# Other names of schemes. `iob` is not one: it means IOB1 to some and IOB2 to others.
SCHEME_SYNONYMS = {
    "bio": "iob2",
    "bio1": "iob1",
    "bio2": "iob2",
    "bioes": "iobes",
    "bieos": "iobes",
    "bioul": "bilou",
    "biluo": "bilou",
    "bmeow": "bmewo",
    "bmeso": "bmes",
}
LETTERS = frozenset("".join(scheme.letters for scheme in SCHEMES.values()))


def is_continuation(previous: str, current: str, *, same_label: bool) -> bool:
    """Check whether a tag continues the span of the tag before it.

    Args:
        previous: letter of the tag before.
        current: letter of the tag.
        same_label: whether both have the same label.
    """
    return same_label and previous in CONTINUED_LETTERS and current in CONTINUING_LETTERS


TagNotation = Literal["prefix", "suffix", "underscore", "bare"]  # B-PER, PER-B, B_PER, PER
SEPARATED_NOTATIONS: tuple[TagNotation, ...] = ("prefix", "suffix", "underscore")
NO_LABEL = "_"
INSIDE = "I"


def split_tag(tag: str, notation: TagNotation, letters: AbstractSet[str] = LETTERS) -> tuple[str, str] | None:
    """Split a tag into letter and label.

    Args:
        tag: any tag except O.
        notation: how the tag is written.
        letters: letters that tags may have.

    Returns:
        (letter, label), or None where the tag is empty or has none of the letters.
    """
    if notation == "bare":
        return (INSIDE, tag) if tag else None
    letter, label = _cut_tag(tag, notation)
    return (letter, label or NO_LABEL) if letter in letters else None


def _cut_tag(tag: str, notation: TagNotation) -> tuple[str, str]:
    """Cut a tag at its separator into possible letter and label."""
    if notation == "suffix":
        label, _, letter = tag.rpartition("-")
    else:
        letter, _, label = tag.partition("_" if notation == "underscore" else "-")
    return letter, label


def _format_tag(letter: str, label: str, notation: TagNotation) -> str:
    if notation == "suffix":
        return f"{label}-{letter}"
    return f"{letter}_{label}" if notation == "underscore" else f"{letter}-{label}"


def join_tag(letter: str, label: str, notation: TagNotation) -> str:
    """Join a letter and a label to a tag.

    This is the inverse of `split_tag`.

    Args:
        letter: letter of a scheme; I for a bare label.
        label: its label; `NO_LABEL` gives the letter alone, or stands for itself if labels are bare.
        notation: how the tag is written.

    Raises:
        TagError: if a bare label is O or a letter of a scheme, and would be read as one.
    """
    if notation == "bare":
        if label == OUTSIDE or label in LETTERS:
            meaning = "outside of every span" if label == OUTSIDE else "a letter without a label"
            raise TagError(
                f"the label {label!r} cannot stand alone: it would be read as {meaning}",
                remedy="Write tags with letters: --notation prefix.",
            )
        return label
    if label == NO_LABEL:
        return letter
    return _format_tag(letter, label, notation)


def replace_letter(tag: str, letter: str, source_notation: TagNotation, target_notation: TagNotation) -> str:
    """Replace the letter of a tag and keep its label.

    For example, `B-` becomes `I-`.

    Args:
        tag: any tag except O.
        letter: the new letter; I for a bare label.
        source_notation: how the tag is written.
        target_notation: how the new tag is written.

    Raises:
        TagError: if a bare label is O or a letter of a scheme.
    """
    if source_notation == "bare":
        return join_tag(letter, tag, target_notation)
    if tag in LETTERS:
        return join_tag(letter, NO_LABEL, target_notation)
    label = _cut_tag(tag, source_notation)[1]
    if target_notation == "bare":
        return join_tag(letter, label or NO_LABEL, target_notation)
    return _format_tag(letter, label, target_notation)


def detect_notation(tags: Iterable[str]) -> TagNotation:
    """Detect how tags are written.

    A single tag such as `B-PER` makes it `prefix`, even if it could be read from both ends, such as `I-B`. Otherwise a
    tag such as `PER-B` makes it `suffix`. Otherwise it is `underscore` if all tags are like `B_PER`, or a label has two
    letters, such as `B_PER` and `I_PER`. Tags without any letter of a scheme are `bare`. Letters alone, or no tags at
    all, count as `prefix`.
    """
    names = [tag for tag in tags if tag != OUTSIDE]
    if any("-" in tag and split_tag(tag, "prefix") for tag in names):
        return "prefix"
    if any("-" in tag and split_tag(tag, "suffix") for tag in names):
        return "suffix"
    marked = find_underscore_tags(names)
    if marked and (find_shared_label(marked) or all(split_tag(tag, "underscore") for tag in names)):
        return "underscore"
    return "bare" if names and not any(tag in LETTERS for tag in names) else "prefix"


def find_underscore_tags(tags: Iterable[str]) -> list[str]:
    """Return tags of a letter, an underscore and a label, ascending."""
    return sorted(tag for tag in tags if "_" in tag and split_tag(tag, "underscore"))


def find_shared_label(tags: Iterable[str]) -> tuple[str, str] | None:
    """Return the first two tags with one label and different letters.

    An example is `B_PER` and `I_PER`. The result is None if there are none.

    Args:
        tags: tags that are a letter, an underscore and a label.
    """
    first: dict[str, str] = {}
    for tag in tags:
        label = _cut_tag(tag, "underscore")[1]
        if label in first:
            return first[label], tag
        first[label] = tag
    return None


def format_letters(letters: Iterable[str], notation: TagNotation) -> str:
    """Write letters as they occur in tags: `B-, I-`."""
    return ", ".join(_format_tag(letter, "", notation) for letter in letters)


class BoundaryTest(Protocol):
    """Test for a span boundary between neighbouring tags, by their prefixes.

    The boundary is where a span begins or where a span ends.
    """

    def __call__(self, previous: str, current: str, /, *, same_label: bool) -> bool:
        """Return whether there is a boundary between the tags.

        `same_label` tells whether both tags have the same label.
        """


def is_span_boundary(previous: str, current: str, /, *, same_label: bool) -> bool:
    """Return whether the current tag does not continue the previous span.

    The tags are read in the lenient reading.
    """
    return not is_continuation(previous, current, same_label=same_label)


TagRepair = Literal["begin", "discard", "error"]


@dataclass(frozen=True)
class TagRule:
    """Rule that turns tags into spans.

    Args:
        title: name in messages.
        split_tag: returns (prefix, label) of a tag, None for an unknown tag. "O" is a tag too; its label matters if
            neighbours of O are compared with it.
        is_span_begin: tests whether the current tag, which is not O, begins a span.
        is_span_end: tests whether the previous tag, which is not O, ends a span.
        first_prefixes: prefixes that are valid as first of a span; None for all. Other first tags are repaired.
        last_prefixes: prefixes that are valid as last of a span; None for all.
        expected_tags: description of its tags, for messages.
        repairs: repairs besides `error` that users can choose, for messages.
        allows_scheme: whether users can choose another scheme, for messages.
    """

    title: str
    split_tag: Callable[[str], tuple[str, str] | None]
    is_span_begin: BoundaryTest = is_span_boundary
    is_span_end: BoundaryTest = is_span_boundary
    first_prefixes: frozenset[str] | None = None
    last_prefixes: frozenset[str] | None = None
    expected_tags: str = ""
    repairs: tuple[TagRepair, ...] = ("begin", "discard")
    allows_scheme: bool = True


@cache
def build_tag_rule(scheme: TagScheme, notation: TagNotation) -> TagRule:
    """Build the rule of a scheme in a notation."""
    letters = frozenset(scheme.letters)
    return TagRule(
        title=scheme.title,
        split_tag=partial(_split_or_outside, notation=notation, letters=letters),
        first_prefixes=None if set(scheme.first_letters) == letters else frozenset(scheme.first_letters),
        last_prefixes=None if set(scheme.last_letters) == letters else frozenset(scheme.last_letters),
        expected_tags=format_letters(scheme.letters, notation),
    )


def _split_or_outside(tag: str, notation: TagNotation, letters: frozenset[str]) -> tuple[str, str] | None:
    return (OUTSIDE, "") if tag == OUTSIDE else split_tag(tag, notation, letters)
