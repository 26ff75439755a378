"""Findings as columns of numbers.

The numbers filter, count and join findings without reading them.

A column has one number for each finding, in the order of the findings:

- `kind`, `label` and `slice:COLUMN`: number of the value. A label is a pair (reference, predicted), see `LabelPair`;
  the value of a slice is None if the finding does not have the column.
- `document`: number of the document, in the order of the first findings.
- `surface`: number of the text under the first mark, in the normal form NFC; the most frequent text is 0. It is the
  empty text if the finding has no text.
- `key`: 64 bits of document, side, start, end and label of the first mark. Two runs on one reference have equal keys
  for the same span.

The column `document_key` has one number for each document: 64 bits of its name. Numbers of values are stored in as few
bytes as they need.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import count, islice
from typing import Any, Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.findings import Finding, Mark

Numbers = NDArray[np.unsignedinteger[Any]]
Positions = NDArray[np.int64]
LabelPair = tuple[str | None, str | None]  # (PER, None): missed or right; (None, PER): spurious; (PER, LOC): differ
Pattern = tuple[str | None, ...]  # side and label of each mark of a finding, one after the other
FindingGroup = tuple[str, str | None, str | None]  # kind, label, other label
Slice = tuple[str, str]  # column, value

SLICE = "slice:"  # before the name of a column of `--by`
KIND, LABEL, DOCUMENT, SURFACE, KEY = "kind", "label", "document", "surface", "key"
DOCUMENT_KEY = "document_key"
PATTERN = "pattern"  # while columns are built: number of the sides and labels of all marks
BLOCK_ROWS = 1000  # findings converted at a time
NO_MARK = Mark("reference", None, 0, 0)
NO_SLICES: Mapping[str, str] = {}
NO_VALUE = 0  # number of None in the column of a slice


@dataclass(frozen=True)
class FindingFilter:
    """Conditions on findings; None is no condition.

    Args:
        kind: kind of the finding.
        label: label in the reference or the prediction.
        document: name of the document.
        after: after this position; -1 for all.
        slices: values by column.
    """

    kind: str | None = None
    label: str | None = None
    document: str | None = None
    after: int = -1
    slices: Mapping[str, str] = field(default_factory=dict)


class ColumnSource(Protocol):
    """Findings whose columns can be read: in memory or in a store."""

    @property
    def count(self) -> int:
        """Number of findings."""
        ...

    @property
    def slice_columns(self) -> Sequence[str]:
        """Names of the columns of slices, without `slice:`."""
        ...

    def get_column(self, name: str) -> Numbers:
        """Return the numbers of a column."""
        ...

    def get_values(self, name: str) -> Sequence[Any]:
        """Return the values that the numbers of a column stand for."""
        ...


@dataclass(frozen=True, eq=False)
class FindingColumns:
    """Columns of findings in memory.

    Args:
        count: number of findings.
        columns: numbers by name of the column.
        values: values by name of the column.
    """

    count: int
    columns: Mapping[str, Numbers]
    values: Mapping[str, Sequence[Any]]

    @classmethod
    def from_findings(cls, findings: Iterable[Finding]) -> FindingColumns:
        """Build the columns of findings in one pass."""
        builder, rest = FindingColumnsBuilder(), iter(findings)
        while block := list(islice(rest, BLOCK_ROWS)):
            builder.add(block)
        return builder.build()

    @property
    def slice_columns(self) -> Sequence[str]:
        """Names of the columns of slices, without `slice:`."""
        return [name.removeprefix(SLICE) for name in self.columns if name.startswith(SLICE)]

    def get_column(self, name: str) -> Numbers:
        """Return the numbers of a column."""
        return self.columns[name]

    def get_values(self, name: str) -> Sequence[Any]:
        """Return the values that the numbers of a column stand for."""
        return self.values[name]


def _make_numbering() -> defaultdict[Any, int]:
    """Make a dictionary that numbers values by their first use."""
    return defaultdict(count().__next__)


class _SliceNumbering(dict[Any, int]):
    """Numbers of the values of a slice.

    Values that are not a text have the number of None.
    """

    def __init__(self) -> None:
        super().__init__({None: NO_VALUE})

    def __missing__(self, value: Any) -> int:
        if isinstance(value, str):
            self[value] = len(self)
        return self.get(value, NO_VALUE)


class FindingColumnsBuilder:
    """Builds columns from findings that arrive in blocks."""

    def __init__(self) -> None:
        self._count = 0
        self._kinds, self._patterns, self._documents, self._surfaces = (_make_numbering() for _ in range(4))
        self._slices: dict[str, _SliceNumbering] = {}
        self._blocks: dict[str, list[NDArray[Any]]] = {
            name: [] for name in (KIND, PATTERN, DOCUMENT, SURFACE, "start", "end")
        }

    def add(self, findings: Sequence[Finding]) -> None:
        """Add the next findings."""
        marks = [finding.marks[0] if finding.marks else NO_MARK for finding in findings]
        patterns = [
            (mark.side, mark.label) if len(finding.marks) == 1 else _get_pattern(finding.marks)
            for finding, mark in zip(findings, marks, strict=True)
        ]
        surfaces = [
            "" if finding.text is None or mark.text_start is None else finding.text[mark.text_start : mark.text_end]
            for finding, mark in zip(findings, marks, strict=True)
        ]
        self._add(KIND, [self._kinds[finding.kind] for finding in findings])
        self._add(PATTERN, [self._patterns[pattern] for pattern in patterns])
        self._add(DOCUMENT, [self._documents[finding.document] for finding in findings])
        self._add(SURFACE, [self._surfaces[surface] for surface in surfaces])
        self._add("start", [mark.start for mark in marks], np.int64)
        self._add("end", [mark.end for mark in marks], np.int64)
        self._add_slices([_get_text_slices(finding.extra) if finding.extra else NO_SLICES for finding in findings])
        self._count += len(findings)

    def _add(self, name: str, numbers: Sequence[int], dtype: type[np.integer[Any]] = np.uint32) -> None:
        self._blocks[name].append(np.array(numbers, dtype))

    def _add_slices(self, slices: Sequence[Mapping[str, str]]) -> None:
        if not any(slices) and not self._slices:
            return
        for column in sorted(set().union(*slices) - self._slices.keys()):  # findings before do not have it
            self._slices[column] = _SliceNumbering()
            self._blocks[SLICE + column] = [np.full(self._count, NO_VALUE, np.uint32)]
        for column, numbering in self._slices.items():
            self._add(SLICE + column, [numbering[own.get(column)] for own in slices])

    def build(self) -> FindingColumns:
        """Return the columns of all findings that were added."""
        by_facet = {
            name: np.concatenate(blocks) if blocks else np.zeros(0, np.uint32) for name, blocks in self._blocks.items()
        }
        by_facet[SURFACE], forms = _join_forms(by_facet[SURFACE], list(self._surfaces))
        surface, surfaces = _order_by_count(by_facet[SURFACE], forms)
        labels = _make_numbering()
        label_of = np.array([labels[_get_label_pair(pattern)] for pattern in self._patterns], np.uint32)
        by_facet[LABEL] = label_of[by_facet[PATTERN]]
        documents, facets = list(self._documents), dict[str, Mapping[Any, int]]({KIND: self._kinds, LABEL: labels})
        facets |= {SLICE + column: numbering for column, numbering in self._slices.items()}
        values: dict[str, Sequence[Any]] = {name: list(numbering) for name, numbering in facets.items()}
        columns = {name: _narrow(by_facet[name], len(numbering)) for name, numbering in facets.items()}
        document_key = np.array([_hash_text(name) for name in documents], np.uint64)
        key = _build_keys(document_key[by_facet[DOCUMENT]], self._patterns, by_facet)
        columns |= {DOCUMENT: by_facet[DOCUMENT], SURFACE: surface, KEY: key, DOCUMENT_KEY: document_key}
        values |= {DOCUMENT: documents, SURFACE: surfaces}
        return FindingColumns(self._count, columns, values)


def _get_pattern(marks: Sequence[Mark]) -> Pattern:
    """Return side and label of each mark, one after the other."""
    return tuple([part for mark in marks for part in (mark.side, mark.label)])


def _get_label_pair(pattern: Pattern) -> LabelPair:
    """Return the labels of marks with this pattern."""
    labels = pattern[1::2]
    known = [label for label in labels if label is not None]
    if not known:
        return None, None
    other = next((label for label in known if label != known[0]), None)
    if other is not None:
        return known[0], other
    return (known[0], None) if pattern[0] == "reference" and labels[0] is not None else (None, known[0])


def _get_text_slices(extra: Any) -> Mapping[str, str]:
    if not extra:
        return NO_SLICES
    slices = extra.get("slices") if _is_mapping(extra) else None
    if not slices or not _is_mapping(slices):
        return NO_SLICES
    for value in slices.values():
        if type(value) is not str:
            return {column: own for column, own in slices.items() if isinstance(own, str)}
    return slices


def _is_mapping(value: Any) -> TypeGuard[Mapping[Any, Any]]:
    return type(value) is dict or isinstance(value, Mapping)  # the latter alone is slow


def _narrow(numbers: Numbers, values: int) -> Numbers:
    return numbers.astype(np.min_scalar_type(max(values - 1, 0)))


def _join_forms(numbers: Numbers, texts: Sequence[str]) -> tuple[Numbers, Sequence[str]]:
    """Give texts of one normal form one number."""
    if all(map(str.isascii, texts)):
        return numbers, texts
    forms = _make_numbering()
    number_of = [forms[text if text.isascii() else unicodedata.normalize("NFC", text)] for text in texts]
    return np.array(number_of, np.uint32)[numbers], list(forms)


def _order_by_count(numbers: Numbers, values: Sequence[str]) -> tuple[Numbers, list[str]]:
    """Number values again, the most frequent first.

    Of equal counts, the first used comes first.
    """
    order = np.argsort(-np.bincount(numbers, minlength=len(values)), kind="stable")
    rank = np.empty(len(order), np.uint32)
    rank[order] = np.arange(len(order), dtype=np.uint32)
    return rank[numbers], [values[k] for k in order]


def _hash_text(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


def _build_keys(document_key: Numbers, patterns: Iterable[Pattern], columns: Mapping[str, NDArray[Any]]) -> Numbers:
    """Hash document, side, label, start and end: (findings,) -> (findings,)."""
    firsts = (pattern[:2] or (NO_MARK.side, NO_MARK.label) for pattern in patterns)
    texts = [str(side) if label is None else f"{side}\n{label}" for side, label in firsts]
    mark_key = np.array([_hash_text(text) for text in texts], np.uint64)
    key = _mix_bits(document_key ^ mark_key[columns[PATTERN]])
    key = _mix_bits(key + columns["start"].astype(np.uint64))
    return _mix_bits(key + columns["end"].astype(np.uint64))


def _mix_bits(numbers: NDArray[Any]) -> Numbers:
    """Mix the bits of numbers, one to one, as SplitMix64 does."""
    numbers = numbers + np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Numbers = numbers ^ (numbers >> np.uint64(31))
    return mixed


def select_positions(source: ColumnSource, conditions: FindingFilter, limit: int | None = None) -> Positions:
    """Find the findings that meet all conditions.

    Args:
        source: the findings.
        conditions: the conditions.
        limit: most positions to return; None for all.

    Returns:
        Their positions, ascending.
    """
    return select_numbers(source, find_numbers(source, conditions), conditions.after, limit)


def find_numbers(source: ColumnSource, conditions: FindingFilter) -> dict[str, list[int]]:
    """Find the numbers that a filter allows in its columns."""
    allowed: dict[str, list[int]] = {}
    if conditions.kind is not None:
        allowed[KIND] = [k for k, kind in enumerate(source.get_values(KIND)) if kind == conditions.kind]
    if conditions.label is not None:
        allowed[LABEL] = [k for k, pair in enumerate(source.get_values(LABEL)) if conditions.label in pair]
    if conditions.document is not None:
        allowed[DOCUMENT] = find_documents(source, conditions.document)
    for column, value in conditions.slices.items():
        values = source.get_values(SLICE + column) if column in source.slice_columns else ()
        allowed[SLICE + column] = [k for k, own in enumerate(values) if own == value]
    return allowed


def find_documents(source: ColumnSource, name: str) -> list[int]:
    """Find the number of a document by its name.

    The list is empty if the document has no findings.
    """
    try:
        hashed = np.uint64(_hash_text(name))
    except UnicodeEncodeError:
        return []
    return np.flatnonzero(source.get_column(DOCUMENT_KEY) == hashed).tolist()


def select_numbers(
    source: ColumnSource, allowed: Mapping[str, Sequence[int]], after: int = -1, limit: int | None = None
) -> Positions:
    """Find the findings whose numbers are allowed in all these columns.

    Args:
        source: the findings.
        allowed: numbers by name of the column.
        after: only positions after this one; -1 for all.
        limit: most positions to return; None for all.

    Returns:
        Their positions, ascending.
    """
    first = min(max(after + 1, 0), source.count)
    if not all(map(len, allowed.values())):
        return np.zeros(0, np.int64)
    if not allowed:
        stop = source.count if limit is None else min(first + max(limit, 0), source.count)
        return np.arange(first, stop)
    mask = np.ones(source.count - first, bool)
    for name, numbers in allowed.items():
        mask &= _is_among(source.get_column(name)[first:], numbers)
    return np.flatnonzero(mask)[:limit] + first


def _is_among(column: Numbers, numbers: Sequence[int]) -> NDArray[np.bool_]:
    if len(numbers) == 1 or column.itemsize > np.dtype(np.uint16).itemsize:
        return np.isin(column, np.array(numbers, column.dtype))
    is_allowed = np.zeros(np.iinfo(column.dtype).max + 1, bool)
    is_allowed[list(numbers)] = True
    is_among: NDArray[np.bool_] = is_allowed[column]
    return is_among


def count_numbers(source: ColumnSource, name: str) -> NDArray[np.int64]:
    """Count the findings with each number of a column: (values,)."""
    return np.bincount(source.get_column(name), minlength=len(source.get_values(name)))


def count_groups(source: ColumnSource) -> dict[FindingGroup, int]:
    """Count findings by kind and labels.

    Args:
        source: the findings.

    Returns:
        By (kind, label of the reference or else of the prediction, label of the prediction if it differs).
    """
    kinds, pairs = source.get_values(KIND), source.get_values(LABEL)
    if not source.count:
        return {}
    codes = source.get_column(KIND).astype(np.int64) * len(pairs) + source.get_column(LABEL)
    distinct, first, counts = np.unique(codes, return_index=True, return_counts=True)
    groups: dict[FindingGroup, int] = {}
    for k in np.argsort(first):
        kind, (label, other) = kinds[distinct[k] // len(pairs)], pairs[distinct[k] % len(pairs)]
        group = (kind, other, None) if label is None else (kind, label, other)
        groups[group] = groups.get(group, 0) + int(counts[k])
    return groups


def count_slices(source: ColumnSource) -> dict[Slice, int]:
    """Count the findings in each slice, by (column, value)."""
    slices: dict[Slice, int] = {}
    for column in source.slice_columns:
        name = SLICE + column
        counts = zip(source.get_values(name), count_numbers(source, name).tolist(), strict=True)
        slices |= {(column, value): count for value, count in counts if value is not None}
    return slices
