"""Similar names of labels, for suggestions.

Names are similar if one begins with the other, two neighbouring letters are swapped, or `difflib` finds them similar,
ignoring case and everything but letters and digits: `PER` and `Person`, `PRE` and `PER`, `DATE_TIME` and `datetime`.
Short labels that share two of three letters, such as `PER` and `GPE`, are not similar.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

MIN_SIMILARITY = 0.75
MAX_NAME = 100  # letters that are compared
PAIR = 2


def has_similar_name(one: str, other: str) -> bool:
    """Check whether two names are similar.

    Args:
        one: a label.
        other: another label.
    """
    return _measure_similarity(one, other) > 0


def find_similar_name(name: str, labels: Iterable[str]) -> str | None:
    """Return the label with the most similar name.

    It is the first of equals, and None if no name is similar.

    Args:
        name: a label.
        labels: the labels to choose from.
    """
    best = max(labels, key=lambda label: _measure_similarity(name, label), default=None)
    return best if best is not None and has_similar_name(name, best) else None


def _measure_similarity(one: str, other: str) -> float:
    """Return the similarity of two names.

    It is 0 if they are not similar, from `MIN_SIMILARITY` to 1 by letters, above 1 by their beginning, and 2 if equal.
    """
    short, long = sorted((_fold_name(one), _fold_name(other)), key=len)
    if not short:
        return 0
    if long.startswith(short):
        return 1 + len(short) / len(long)
    if _has_swapped_letters(short, long):
        return 1
    matcher = SequenceMatcher(a=short, b=long, autojunk=False)
    if min(matcher.real_quick_ratio(), matcher.quick_ratio()) < MIN_SIMILARITY:  # upper bounds, quick to find
        return 0
    ratio = matcher.ratio()
    return ratio if ratio >= MIN_SIMILARITY else 0


def _has_swapped_letters(one: str, other: str) -> bool:
    """Return whether the only difference is that two neighbouring letters are swapped."""
    different = [at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]]
    if len(one) != len(other) or len(different) != PAIR:
        return False
    first, second = different
    return second == first + 1 and one[first] == other[second] and one[second] == other[first]


def _fold_name(name: str) -> str:
    return "".join(letter for letter in name[:MAX_NAME].casefold() if letter.isalnum())
