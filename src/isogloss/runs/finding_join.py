"""Join the findings of two runs on one reference.

The join says which errors one run has and the other does not.

Findings are joined by document and key, see `isogloss.runs.finding_columns`. If several findings of a run have one key,
the first is joined with the first, the second with the second, and so on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.runs.finding_columns import DOCUMENT, DOCUMENT_KEY, KEY, KIND, LABEL, ColumnSource, Numbers, Positions
from isogloss.runs.finding_view import CORRECT, EXCUSED

FIXED, BROKEN, CHANGED, BOTH_WRONG = range(4)
CLASSES = ("fixed", "broken", "changed", "both_wrong")  # by number
NO_POSITION = 0xFFFFFFFF  # the run has no such finding


@dataclass(frozen=True, eq=False)
class FindingJoin:
    """Rows of the errors of two runs, by document and place.

    Args:
        classes: (rows,) number in `CLASSES`: wrong in the first run only, in the second only, in both with other kinds
            or labels, or in both alike.
        first: (rows,) position in the first run, or `NO_POSITION`.
        second: (rows,) position in the second run, or `NO_POSITION`.
    """

    classes: NDArray[np.uint8]
    first: NDArray[np.uint32]
    second: NDArray[np.uint32]

    def count_classes(self) -> dict[str, int]:
        """Count the rows of each class."""
        return dict(zip(CLASSES, np.bincount(self.classes, minlength=len(CLASSES)).tolist(), strict=True))


def join_findings(first: ColumnSource, second: ColumnSource) -> FindingJoin:
    """Join the errors of two runs.

    Findings that are right or excused are not errors. Documents are in the order of the first run; those that only
    the second run has come after the document before them.

    Args:
        first: findings of the first run.
        second: findings of the second run.
    """
    sources = (first, second)
    wrong = [_find_errors(source) for source in sources]
    pair = _pair_keys(*(source.get_column(KEY)[own] for source, own in zip(sources, wrong, strict=True)))
    rows = [_fill_positions(own, at) for own, at in zip(wrong, pair, strict=True)]
    order = np.argsort(_build_sort_keys(sources, rows), kind="stable")
    classes, (a, b) = _classify(sources, rows), rows
    return FindingJoin(classes[order], a[order].astype(np.uint32), b[order].astype(np.uint32))


def _find_errors(source: ColumnSource) -> Positions:
    """Return the positions of findings that are neither right nor excused."""
    is_wrong = np.array([kind not in (CORRECT, EXCUSED) for kind in source.get_values(KIND)], bool)
    return np.flatnonzero(is_wrong[source.get_column(KIND)])


def _pair_keys(first: Numbers, second: Numbers) -> tuple[Positions, Positions]:
    """Pair equal keys, the first with the first.

    Returns:
        Two arrays (rows,): index of the key on each side, -1 where a side has none.
    """
    orders = [np.argsort(keys, kind="stable") for keys in (first, second)]
    a, b = (keys[order] for keys, order in zip((first, second), orders, strict=True))
    occurrence = np.arange(len(b)) - np.searchsorted(b, b)  # which of the equal keys
    at = np.searchsorted(a, b) + occurrence  # (second keys,)
    is_paired = np.zeros(len(b), bool)
    inside = at < len(a)
    is_paired[inside] = a[at[inside]] == b[inside]
    partner = np.full(len(first), -1)
    partner[orders[0][at[is_paired]]] = orders[1][is_paired]
    alone = np.sort(orders[1][~is_paired])
    return np.concatenate([np.arange(len(first)), np.full(len(alone), -1)]), np.concatenate([partner, alone])


def _fill_positions(positions: Positions, at: Positions) -> Positions:
    filled = np.full(len(at), NO_POSITION, np.int64)
    filled[at >= 0] = positions[at[at >= 0]]
    return filled


def _classify(sources: Sequence[ColumnSource], rows: Sequence[Positions]) -> NDArray[np.uint8]:
    has_first, has_second = (own != NO_POSITION for own in rows)
    classes = np.where(has_second, BROKEN, FIXED).astype(np.uint8)
    both = np.flatnonzero(has_first & has_second)
    is_alike = np.ones(len(both), bool)
    for name in (KIND, LABEL):
        numbers: dict[Any, int] = {}
        own = [[numbers.setdefault(value, len(numbers)) for value in source.get_values(name)] for source in sources]
        a, b = (
            np.array(values, np.int64)[source.get_column(name)[row[both]]]
            for values, source, row in zip(own, sources, rows, strict=True)
        )
        is_alike &= a == b
    classes[both] = np.where(is_alike, BOTH_WRONG, CHANGED)
    return classes


def _build_sort_keys(sources: Sequence[ColumnSource], rows: Sequence[Positions]) -> Positions:
    """Return numbers (rows,) that sort rows by document and place."""
    keys = np.zeros(len(rows[0]), np.int64)
    for source, own, rank in reversed([*zip(sources, rows, _rank_documents(*sources), strict=True)]):
        document, here = source.get_column(DOCUMENT), own != NO_POSITION
        begin = _find_first_positions(document, len(rank))
        number = document[own[here]]
        keys[here] = (rank[number] << 32) + own[here] - begin[number]
    return keys


def _find_first_positions(document: Numbers, documents: int) -> Positions:
    """Return the first position of each document: (findings,) -> (documents,)."""
    begin = np.zeros(documents, np.int64)
    begin[document[::-1]] = np.arange(len(document))[::-1]
    return begin


def _rank_documents(first: ColumnSource, second: ColumnSource) -> tuple[Positions, Positions]:
    """Rank documents in one order: (documents of each run,)."""
    a, b = (source.get_column(DOCUMENT_KEY) for source in (first, second))
    order = np.argsort(a, kind="stable")
    at = np.minimum(np.searchsorted(a[order], b), max(len(a) - 1, 0))
    shared = np.full(len(b), -1)
    if len(a):
        is_shared = a[order][at] == b
        shared[is_shared] = order[at[is_shared]]
    after = np.maximum.accumulate(shared) if len(b) else shared  # the last shared document so far
    alone = shared < 0
    before = np.concatenate([np.arange(len(a)), after[alone]])
    ranks = np.empty(len(before), np.int64)
    ranks[np.lexsort((np.arange(len(before)), before))] = np.arange(len(before))
    of_second = np.empty(len(b), np.int64)
    of_second[~alone] = ranks[shared[~alone]]
    of_second[alone] = ranks[len(a) :]
    return ranks[: len(a)], of_second
