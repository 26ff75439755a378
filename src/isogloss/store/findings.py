"""Save findings as rows, and load pages of them by kind, label, document and slice.

Findings of the same kind and labels form a group. A run has few groups, so a page by kind or label merges the next few
findings of each group: as fast for rare kinds as for frequent ones. A page by slice reads the positions of that slice.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeGuard

from sqlalchemy import Connection, Row, Select, exists, select, union_all

from isogloss.kernel.findings import Finding, Mark
from isogloss.store.database import add_rows, encode_json
from isogloss.store.schema import finding_groups, finding_slices, findings, sliced_findings

CHUNK_ROWS = 10_000  # findings handed to the database at a time
MAX_MERGED_GROUPS = 200  # with more groups a page is read in the order of all findings

FindingGroup = tuple[str, str | None, str | None]  # kind, label, other label
Slice = tuple[str, str]  # column, value
FindingRow = tuple[FindingGroup, str, str, str, Sequence[Slice]]  # group, document, place, payload as JSON, slices


@dataclass(frozen=True)
class StoredFinding:
    """A finding and its position.

    Args:
        position: among the findings of its run, from 0; the next page begins after it.
        finding: the finding.
    """

    position: int
    finding: Finding

    def to_dict(self) -> dict[str, Any]:
        """Return its row in JSON."""
        return {"position": self.position} | self.finding.to_dict()


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


class _Numbering:
    """Groups or slices of a run, numbered in the order of their first finding and counted."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str | None, ...], int] = {}
        self._counts: list[int] = []

    def count_finding(self, key: tuple[str | None, ...]) -> int:
        """Count one more finding, and return the number of its group or slice."""
        number = self._numbers.setdefault(key, len(self._counts))
        if number == len(self._counts):
            self._counts.append(0)
        self._counts[number] += 1
        return number

    def to_rows(self, run: int) -> list[tuple[Any, ...]]:
        """Return rows of run, number, key and count."""
        return [(run, number, *key, self._counts[number]) for key, number in self._numbers.items()]


def to_finding_rows(found: Iterable[Finding]) -> Iterator[FindingRow]:
    """Convert findings to rows."""
    for finding in found:
        marks = [
            (mark.side, mark.label, mark.start, mark.end, mark.text_start, mark.text_end) for mark in finding.marks
        ]
        payload: dict[str, Any] = {"marks": marks}
        if finding.text is not None:
            payload |= {"text": finding.text, "before": finding.before, "after": finding.after}
        if finding.extra:
            payload["more"] = dict(finding.extra)
        yield _get_group(finding), finding.document, finding.where, encode_json(payload), get_slices(finding.extra)


def to_finding(row: Row[*tuple[Any, ...]]) -> Finding:
    """Convert a row with kind, document, place and payload to a finding."""
    payload: Mapping[str, Any] = row.payload
    return Finding(
        kind=row.kind,
        document=row.document,
        where=row.place,
        marks=tuple(Mark(*mark) for mark in payload["marks"]),
        text=payload.get("text"),
        before=payload.get("before", False),
        after=payload.get("after", False),
        extra=payload.get("more", {}),
    )


def get_slices(more: Any) -> list[Slice]:
    """Return the columns and values of a finding from its `more`."""
    slices = more.get("slices") if _is_mapping(more) else None
    if not _is_mapping(slices):
        return []
    return [(column, value) for column, value in slices.items() if isinstance(value, str)]


def _is_mapping(value: Any) -> TypeGuard[Mapping[Any, Any]]:
    return type(value) is dict or isinstance(value, Mapping)  # the latter alone is slow


def _get_group(finding: Finding) -> FindingGroup:
    first = other = None
    for mark in finding.marks:
        if first is None:
            first = mark.label
        elif other is None and mark.label != first:
            other = mark.label
    return finding.kind, first, other


def add_findings(connection: Connection, run: int, rows: Iterable[FindingRow]) -> None:
    """Write the findings of a run.

    Args:
        connection: connection in a transaction that writes.
        run: number of the run.
        rows: all its findings, in their order.
    """
    groups, slices = _Numbering(), _Numbering()
    numbered = enumerate(rows)
    with _pause_garbage_collection():
        while chunk := list(islice(numbered, CHUNK_ROWS)):
            found: list[tuple[Any, ...]] = []
            sliced: list[tuple[Any, ...]] = []
            for position, (group, document, place, payload, own_slices) in chunk:
                number = groups.count_finding(group)
                found.append((run, position, number, document, place, payload))
                sliced += [(run, slices.count_finding(one), position, number) for one in own_slices]
            add_rows(connection, findings, ("run", "position", "finding_group", "document", "place", "payload"), found)
            add_rows(connection, sliced_findings, ("run", "slice", "position", "finding_group"), sliced)
    group_columns = ("run", "number", "kind", "label", "other_label", "count")
    add_rows(connection, finding_groups, group_columns, groups.to_rows(run))
    add_rows(connection, finding_slices, ("run", "number", "slice_column", "value", "count"), slices.to_rows(run))


@contextmanager
def _pause_garbage_collection() -> Iterator[None]:
    """Do not search for reference cycles: rows have none, and among a million the search takes a third of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def load_group_counts(connection: Connection, run: int) -> dict[int, tuple[FindingGroup, int]]:
    """Return the groups of a run by number, each with its number of findings."""
    group = finding_groups.c
    query = select(group.number, group.kind, group.label, group.other_label, group.count).where(group.run == run)
    return {number: ((kind, label, other), n) for number, kind, label, other, n in connection.execute(query)}


def load_slice_counts(connection: Connection, run: int) -> dict[Slice, int]:
    """Return the number of findings of a run in each slice."""
    part = finding_slices.c
    query = select(part.slice_column, part.value, part.count).where(part.run == run).order_by(part.number)
    return {(column, value): n for column, value, n in connection.execute(query)}


def load_finding_rows(
    connection: Connection,
    run: int,
    finding_filter: FindingFilter,
    limit: int | None,
) -> Sequence[Row[*tuple[Any, ...]]]:
    """Load the next findings of a run that match, in their order.

    Args:
        connection: connection in a transaction.
        run: number of the run.
        finding_filter: the conditions.
        limit: most findings to load; None for all.
    """
    column, group = findings.c, finding_groups.c
    query = (
        select(
            column.position,
            group.kind,
            group.label,
            group.other_label,
            column.document,
            column.place,
            column.payload,
        )
        .join(finding_groups, (group.run == column.run) & (group.number == column.finding_group))
        .where(column.run == run, column.position > finding_filter.after)
        .order_by(column.position)
        .limit(limit)
    )
    groups = _select_groups(connection, run, finding_filter)
    if finding_filter.document is not None:
        query = query.where(column.document == finding_filter.document)
    if finding_filter.slices:
        positions = _find_sliced_positions(connection, run, finding_filter, groups).limit(limit).subquery()
        query = query.join(positions, positions.c.position == column.position)
    elif groups is not None:
        if finding_filter.document is None and limit is not None and 0 < len(groups) <= MAX_MERGED_GROUPS:
            merged = _merge_groups(run, groups, finding_filter.after, limit)
            query = query.join(merged, merged.c.position == column.position)
        else:
            query = query.where(column.finding_group.in_(groups))
    return connection.execute(query).all()


def load_findings(
    connection: Connection,
    run: int,
    finding_filter: FindingFilter,
    limit: int | None,
) -> list[StoredFinding]:
    """Load the next findings of a run that match, as `load_finding_rows` does."""
    rows = load_finding_rows(connection, run, finding_filter, limit)
    return [StoredFinding(row.position, to_finding(row)) for row in rows]


def _select_groups(connection: Connection, run: int, finding_filter: FindingFilter) -> list[int] | None:
    """Return the numbers of the groups with the kind and label, None for all groups."""
    if finding_filter.kind is None and finding_filter.label is None:
        return None
    return [
        number
        for number, ((kind, *labels), _) in load_group_counts(connection, run).items()
        if finding_filter.kind in (None, kind) and (finding_filter.label is None or finding_filter.label in labels)
    ]


def _find_sliced_positions(
    connection: Connection,
    run: int,
    finding_filter: FindingFilter,
    groups: list[int] | None,
) -> Select[tuple[int]]:
    """Select positions of the findings that are in every slice, starting from the smallest slice."""
    smallest, *others = _find_slice_numbers(connection, run, finding_filter.slices)
    column = sliced_findings.c
    query = select(column.position).where(column.run == run, column.slice == smallest)
    query = query.where(column.position > finding_filter.after).order_by(column.position)
    for number in others:
        other = sliced_findings.alias().c
        query = query.where(exists().where(other.run == run, other.slice == number, other.position == column.position))
    if groups is not None:
        query = query.where(column.finding_group.in_(groups))
    if finding_filter.document is not None:
        in_document = select(findings.c.position).where(findings.c.run == run)
        query = query.where(column.position.in_(in_document.where(findings.c.document == finding_filter.document)))
    return query


def _find_slice_numbers(connection: Connection, run: int, slices: Mapping[str, str]) -> list[int]:
    """Return the numbers of the slices, the smallest slice first; -1 for a slice that the run does not have."""
    part, found = finding_slices.c, []
    for column, value in slices.items():
        query = select(part.count, part.number).where(part.run == run, part.slice_column == column, part.value == value)
        found.append(tuple(connection.execute(query).one_or_none() or (0, -1)))
    return [number for _, number in sorted(found)]


def _merge_groups(run: int, groups: Sequence[int], after: int, limit: int) -> Any:
    """Select the first positions of all groups together."""
    column = findings.c
    query = select(column.position).where(column.run == run, column.position > after)
    query = query.order_by(column.position).limit(limit)
    arms = [select(query.where(column.finding_group == number).subquery().c.position) for number in groups]
    merged = union_all(*arms).subquery().c.position
    return select(merged).order_by(merged).limit(limit).subquery()
