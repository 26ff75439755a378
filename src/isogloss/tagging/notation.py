"""How a tag is written: letter and label in one string.

- `prefix`: `B-PER`. The label is all after the first hyphen: `B-A-B` has the label `A-B`.
- `suffix`: `PER-B`. The label is all before the last hyphen: `A-B-B` has the label `A-B`.
- `bare`: `PER`, as in Few-NERD. Every tag but O is a label, and its letter is I.

A tag of a letter alone is *untyped*: `B` has the label `UNTYPED`, and so has `B-`. O is always outside.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Literal

from isogloss.exceptions import TagError
from isogloss.tagging.schemes import LETTERS, OUTSIDE

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
