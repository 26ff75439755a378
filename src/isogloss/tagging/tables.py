"""A rule compiled for a vocabulary: all that it can be asked, as arrays.

Every tag is of a *kind*: its prefix, and whether its label is that of O. What a rule says of two neighbours follows
from their kinds, from whether their labels are equal, and from whether O or the edge of a document lies between them.
That is a table of a few hundred bytes, whatever the number of labels, and a vocabulary that grows costs little to
compile again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from isogloss.batches import Codes
from isogloss.tagging.rules import Rule

BEGIN = 1
END = 2
Kind = tuple[str, bool]


@dataclass(frozen=True, eq=False)
class Table:
    """A rule for one vocabulary.

    Args:
        kinds: the kinds of tags; the first is that of O alone.
        kind: (tags,) position in `kinds`.
        label: (tags,) position in the labels, -1 where the tag has none of them.
        known: (tags,) whether the rule knows the tag; None when it knows all.
        opens: (tags,) whether the tag fits as first of a span.
        closes: (tags,) whether the tag fits as last of a span.
        boundaries: (2 * 2 * kinds * kinds,) `BEGIN` and `END` bits by apart, same label, previous and current kind.
    """

    kinds: tuple[Kind, ...]
    kind: NDArray[np.int32]
    label: NDArray[np.int32]
    known: NDArray[np.bool_] | None
    opens: NDArray[np.bool_]
    closes: NDArray[np.bool_]
    boundaries: NDArray[np.uint8]

    def neighbours(self, codes: Codes, apart: NDArray[np.bool_]) -> NDArray[np.int32]:
        """What stands between each code and the next, as positions in `boundaries`.

        Args:
            codes: (n + 1,) codes of tags.
            apart: (n,) whether O or the edge of a document lies between the two.

        Returns:
            (n,) positions.
        """
        width = len(self.kinds)
        kind = self.kind.take(codes)  # (n + 1,)
        label = self.label.take(codes)  # (n + 1,)
        index = kind[:-1] * np.int32(width)  # (n,)
        index += kind[1:]
        plane = (label[1:] == label[:-1]).view(np.uint8)  # (n,)
        plane += apart.view(np.uint8) * np.uint8(2)
        index += plane * np.int32(width * width)
        return index


@lru_cache(maxsize=8)
def compiled(vocabulary: tuple[str, ...], rules: tuple[Rule, ...]) -> tuple[tuple[str, ...], tuple[Table, ...]]:
    """Rules for one vocabulary, with the labels that they share.

    Args:
        vocabulary: tags, the first of which is O.
        rules: the rules.

    Returns:
        The labels of all tags but O, ascending, and a table for each rule.
    """
    parts = {rule: tuple(rule.split(tag) for tag in vocabulary) for rule in rules}
    labels = sorted({part[1] for split in parts.values() for part in split[1:] if part is not None})
    codes = {label: code for code, label in enumerate(labels)}
    tables = {rule: _table(rule, split, codes) for rule, split in parts.items()}
    return tuple(labels), tuple(tables[rule] for rule in rules)


def _table(rule: Rule, parts: tuple[tuple[str, str] | None, ...], codes: dict[str, int]) -> Table:
    outside = parts[0]
    if outside is None:
        raise ValueError(f"{rule.title} does not split the tag O")
    # A tag that the rule does not know is an error where it is used; until then anything may stand for it.
    tags = [part or outside for part in parts[1:]]
    found = [(prefix, label == outside[1]) for prefix, label in tags]  # (tags - 1,)
    # O has a kind of its own: other tags may have its prefix, and yet be part of spans.
    kinds = ((outside[0], True), *dict.fromkeys(found))
    position = {kind: at for at, kind in enumerate(kinds[1:], 1)}
    prefixes = [prefix for prefix, _ in tags]
    known = np.array([part is not None for part in parts])
    return Table(
        kinds=kinds,
        kind=np.array([0, *(position[kind] for kind in found)], np.int32),
        label=np.array([codes.get(label, -1) for _, label in (outside, *tags)], np.int32),
        known=None if known.all() else known,
        opens=np.array([True, *(rule.opens is None or prefix in rule.opens for prefix in prefixes)]),
        closes=np.array([True, *(rule.closes is None or prefix in rule.closes for prefix in prefixes)]),
        boundaries=_boundaries(rule, kinds),
    )


def _boundaries(rule: Rule, kinds: tuple[Kind, ...]) -> NDArray[np.uint8]:
    outside = kinds[0][0]
    bits = np.zeros((2, 2, len(kinds), len(kinds)), np.uint8)  # (apart, same label, previous, current)
    for before, (previous, previous_like_outside) in enumerate(kinds):
        for after, (current, current_like_outside) in enumerate(kinds):
            for same in (False, True):
                begins = after > 0 and rule.begins(previous, current, same)
                ends = before > 0 and rule.ends(previous, current, same)
                bits[0, int(same), before, after] = BEGIN * begins + END * ends
            begins = after > 0 and rule.begins(outside, current, current_like_outside)
            ends = before > 0 and rule.ends(previous, outside, previous_like_outside)
            bits[1, :, before, after] = BEGIN * begins + END * ends
    return bits.ravel()
