"""A confusion matrix as rows of shaded counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

MOST = 20  # labels of a matrix that can be read
SHADES = 5
NONE = "none"


@dataclass(frozen=True)
class Cell:
    """A count.

    Args:
        count: how often.
        shade: from 0, none, to 5, all of the row.
        agrees: whether both sides have the same label.
    """

    count: int
    shade: int
    agrees: bool


@dataclass(frozen=True)
class Matrix:
    """Counts by the label of the reference, a row each, and the predicted one.

    Args:
        labels: of the columns.
        rows: label and cells.
        left_out: how many labels are not shown, because they are rare.
    """

    labels: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    left_out: int


def matrix(confusion: Mapping[tuple[str | None, str | None], int]) -> Matrix | None:
    """The matrix of the most frequent labels; None where nothing was counted."""
    often: Counter[str] = Counter()
    for pair, count in confusion.items():
        for label in {label for label in pair if label is not None}:
            often[label] += count
    if not often:
        return None
    kept = sorted(label for label, _ in sorted(often.items(), key=lambda item: (-item[1], item[0]))[:MOST])
    names: list[str | None] = [*kept, *([None] if any(None in pair for pair in confusion) else [])]
    rows = tuple((_name(own), _cells(own, names, confusion)) for own in names)
    return Matrix(tuple(map(_name, names)), rows, len(often) - len(kept))


def _cells(
    own: str | None, names: list[str | None], confusion: Mapping[tuple[str | None, str | None], int]
) -> tuple[Cell, ...]:
    counts = [confusion.get((own, other), 0) for other in names]
    total = sum(counts)
    return tuple(
        Cell(count, -(-SHADES * count // total) if total else 0, own == other and own is not None)
        for other, count in zip(names, counts, strict=True)
    )


def _name(label: str | None) -> str:
    return NONE if label is None else label
