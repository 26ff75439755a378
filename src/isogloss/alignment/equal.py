"""Spans that are equal on both sides, and which of several equal spans a pair gets.

Everything here works on codes: int64 numbers that are ordered like the tuples they stand for, so that equal spans have
equal codes and spans in order have ascending codes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from isogloss.scores import Ints


def joint_codes(first: Sequence[Ints], second: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Codes of two tables of non-negative integers, ordered like their rows, equal where rows are equal.

    The fields of a row are packed into one number where 63 bits hold it; otherwise rows are ranked by sorting, which
    is some ten times slower and knows no limit.

    Args:
        first: the columns of the first table, the most significant first; each (rows,).
        second: the same columns of the second table.
    """
    sizes = [1 + int(max(one.max(initial=0), other.max(initial=0))) for one, other in zip(first, second, strict=True)]
    if math.prod(sizes) < 2**63:  # the sizes themselves must fit into 63 bits
        return _packed(first, sizes), _packed(second, sizes)
    ranks = _ranks([np.concatenate(columns) for columns in zip(first, second, strict=True)])
    return ranks[: len(first[0])], ranks[len(first[0]) :]


def _packed(columns: Sequence[Ints], sizes: Sequence[int]) -> Ints:
    """Rows as numbers of mixed radix."""
    codes = columns[0]
    for column, size in zip(columns[1:], sizes[1:], strict=True):
        codes = codes * size + column  # (rows,)
    return codes


def _ranks(columns: Sequence[Ints]) -> Ints:
    """Number of distinct rows before each row."""
    order = np.lexsort(columns[::-1])
    new = np.zeros(len(order), dtype=np.bool_)
    for column in columns:
        new[1:] |= np.diff(column[order]) != 0
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.cumsum(new)
    return ranks


def run_starts(codes: Ints) -> Ints:
    """Where runs of equal codes begin, for ascending codes."""
    new = np.ones(len(codes), dtype=np.bool_)
    np.not_equal(codes[1:], codes[:-1], out=new[1:])
    return np.flatnonzero(new)


def first_equal(codes: Ints) -> Ints:
    """Position of the first code equal to each code, for ascending codes."""
    starts = run_starts(codes)
    return np.repeat(starts, np.diff(starts, append=len(codes)))


def has_repetition(codes: Ints) -> bool:
    """Whether ascending codes hold one code twice."""
    return bool((codes[1:] == codes[:-1]).any())


def pair_equal(reference: Ints, predicted: Ints) -> tuple[Ints, Ints]:
    """Pairs of equal codes as multisets: the n-th of several on one side with the n-th on the other.

    Args:
        reference: (reference spans,) ascending codes.
        predicted: (predicted spans,) ascending codes, at least one.

    Returns:
        positions of the paired spans among the reference and the predicted spans, each (pairs,), ascending.
    """
    at = np.searchsorted(predicted, reference)
    if has_repetition(reference):
        at += np.arange(len(reference)) - first_equal(reference)
    inside = np.minimum(at, len(predicted) - 1)
    paired = (predicted[inside] == reference) & (inside == at)
    return np.flatnonzero(paired), at[paired]


def pair_whole_groups(reference: Ints, predicted: Ints) -> tuple[Ints, Ints]:
    """Pairs of equal codes, of those codes only that occur equally often on both sides.

    Args:
        reference: (reference spans,) ascending codes.
        predicted: (predicted spans,) ascending codes.

    Returns:
        positions of the paired spans among the reference and the predicted spans, each (pairs,), ascending.
    """
    starts = run_starts(reference)
    sizes = np.diff(starts, append=len(reference))  # (groups,)
    first = np.searchsorted(predicted, reference[starts])
    after = np.searchsorted(predicted, reference[starts], side="right")
    paired = np.repeat(after - first == sizes, sizes)
    at = np.arange(len(reference)) + np.repeat(first - starts, sizes)
    return np.flatnonzero(paired), at[paired]


def in_order(codes: tuple[Ints, Ints], reference: Ints, predicted: Ints) -> tuple[Ints, Ints]:
    """The same pairs of classes of equal spans, given to the members that come first.

    Args:
        codes: ascending codes of the reference and of the predicted spans, equal for equal spans.
        reference: (pairs,) for each pair a reference span; only its class counts.
        predicted: (pairs,) likewise.

    Returns:
        the pairs in ascending order of the reference span. Within a class of reference spans, partners ascend and
        unpaired spans come last; within a class of predicted spans, partners ascend and unpaired spans come last.
    """
    reference, predicted = first_equal(codes[0])[reference], first_equal(codes[1])[predicted]
    order = np.lexsort((predicted, reference))
    reference, predicted = reference[order], predicted[order]
    return _members(reference), _members(predicted)


def _members(classes: Ints) -> Ints:
    """The n-th member of a class for the n-th mention of it; a class is the position of its first member."""
    order = np.argsort(classes, kind="stable")
    mentioned = classes[order]
    members = np.empty_like(classes)
    members[order] = mentioned + np.arange(len(classes)) - first_equal(mentioned)
    return members
