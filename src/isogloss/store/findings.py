"""Save findings as rows, and load pages of them.

A page is chosen by kind, label, document and slice.

Findings of the same kind and labels form a group. A run has few groups, so a page by kind or label merges the next few
findings of each group: as fast for rare kinds as for frequent ones. A page by slice reads the positions of that slice.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import Any, TypeGuard
from zlib import crc32

from msgspec.structs import astuple
from sqlalchemy import Connection, Row, Select, exists, func, select, union_all

from isogloss.kernel.findings import Finding, Mark
from isogloss.store.database import add_rows, encode_json
from isogloss.store.digests import (
    RowDigest,
    check_part,
    digest_rows,
    encode_row,
    raise_corrupt,
    report_corrupt_part,
    seed_checksum,
)
from isogloss.store.schema import finding_groups, finding_slices, findings, sliced_findings

FINDING_COLUMNS = ("run", "position", "finding_group", "document", "place", "payload", "checksum")
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


class _Numbering(dict[tuple[str | None, ...], int]):
    """Numbers of groups or slices of a run, with counts.

    They are numbered in the order of their first finding; the counts say how many findings each has.
    """

    def __init__(self) -> None:
        super().__init__()
        self._counts: Counter[int] = Counter()

    def __missing__(self, key: tuple[str | None, ...]) -> int:
        self[key] = len(self)
        return self[key]

    def count_findings(self, numbers: Iterable[int]) -> None:
        """Count one more finding for each of these numbers."""
        self._counts.update(numbers)

    def to_rows(self, run: int) -> list[tuple[Any, ...]]:
        """Return rows of run, number, key and count."""
        return [(run, number, *key, self._counts[number]) for key, number in self.items()]


def to_finding_rows(found: Iterable[Finding]) -> Iterator[FindingRow]:
    """Convert findings to rows."""
    for finding in found:
        marks, text, more = finding.marks, finding.text, finding.extra
        payload: dict[str, Any] = {"marks": [astuple(mark) for mark in marks]}
        if text is not None:
            payload["text"], payload["before"], payload["after"] = text, finding.before, finding.after
        if more:
            payload["more"] = more if type(more) is dict else dict(more)
        own_slices = get_slices(more) if more else ()
        yield _get_group(finding), finding.document, finding.where, encode_json(payload), own_slices


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


def add_findings(connection: Connection, run: int, rows: Iterable[FindingRow]) -> dict[str, bytes]:
    """Write the findings of a run.

    Args:
        connection: connection in a transaction that writes.
        run: number of the run.
        rows: all its findings, in their order.

    Returns:
        The digests of the findings, their groups and their slices.
    """
    groups, slices, digest = _Numbering(), _Numbering(), RowDigest()
    numbered, seed = enumerate(rows), seed_checksum(run)
    with _pause_garbage_collection():
        while chunk := list(islice(numbered, CHUNK_ROWS)):
            found: list[tuple[Any, ...]] = []
            encoded: list[bytes] = []
            sliced: list[tuple[int, int, int, int]] = []
            for position, (group, document, place, payload, own_slices) in chunk:
                number = groups[group]
                data = encode_row((position, number, document, place, payload))
                encoded.append(data)
                found.append((run, position, number, document, place, payload, crc32(data, seed)))
                for one in own_slices:
                    sliced.append((run, slices[one], position, number))  # noqa: PERF401  two lists would take longer
            groups.count_findings([row[2] for row in found])
            slices.count_findings([row[1] for row in sliced])
            digest.add(b"".join(encoded))
            add_rows(connection, findings, FINDING_COLUMNS, found)
            sliced.sort()  # in the order of the key, in which rows are added faster
            add_rows(connection, sliced_findings, ("run", "slice", "position", "finding_group"), sliced)
    group_columns = ("run", "number", "kind", "label", "other_label", "count")
    add_rows(connection, finding_groups, group_columns, groups.to_rows(run))
    add_rows(connection, finding_slices, ("run", "number", "slice_column", "value", "count"), slices.to_rows(run))
    return {
        "findings": digest.to_bytes(),
        "finding_groups": digest_rows(row[1:] for row in groups.to_rows(run)),
        "finding_slices": digest_rows(row[1:] for row in slices.to_rows(run)),
    }


@contextmanager
def _pause_garbage_collection() -> Iterator[None]:
    """Pause the search for reference cycles.

    Rows have no cycles, and among a million rows the search takes a third of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def load_group_counts(connection: Connection, run: int) -> dict[int, tuple[FindingGroup, int]]:
    """Return the groups of a run and their numbers of findings.

    The groups are by number.

    Args:
        connection: connection in a transaction.
        run: number of the run.

    Raises:
        StoreError: if they are corrupt.
    """
    group = finding_groups.c
    query = select(group.number, group.kind, group.label, group.other_label, group.count).where(group.run == run)
    rows = _load_part(connection, run, "finding_groups", query.order_by(group.number))
    return {number: ((kind, label, other), n) for number, kind, label, other, n in rows}


def load_slice_counts(connection: Connection, run: int) -> dict[Slice, int]:
    """Return the number of findings of a run in each slice.

    Args:
        connection: connection in a transaction.
        run: number of the run.

    Raises:
        StoreError: if they are corrupt.
    """
    return {(column, value): n for _, column, value, n in _load_slices(connection, run)}


def _load_slices(connection: Connection, run: int) -> list[tuple[Any, ...]]:
    """Load number, column, value and count of the slices of a run."""
    part = finding_slices.c
    query = select(part.number, part.slice_column, part.value, part.count).where(part.run == run)
    return _load_part(connection, run, "finding_slices", query.order_by(part.number))


def _load_part(connection: Connection, run: int, part: str, query: Select[Any]) -> list[tuple[Any, ...]]:
    with report_corrupt_part(connection, run, part):
        rows = [tuple(row) for row in connection.execute(query)]
    check_part(connection, run, part, digest_rows(rows))
    return rows


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

    Raises:
        StoreError: if what was read is corrupt.
    """
    column, group = findings.c, finding_groups.c
    known = load_group_counts(connection, run)
    query = (
        select(
            column.position,
            group.kind,
            group.label,
            group.other_label,
            column.document,
            column.place,
            column.payload,
            column.finding_group,
            column.checksum,
        )
        .join(finding_groups, (group.run == column.run) & (group.number == column.finding_group))
        .where(column.run == run, column.position > finding_filter.after)
        .order_by(column.position)
        .limit(limit)
    )
    groups = _select_groups(known, finding_filter)
    _check_indexes(connection, run, known, finding_filter, groups)
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
    with report_corrupt_part(connection, run, "findings"):
        rows = connection.execute(query).all()
        is_whole = _is_page(run, rows, finding_filter, known, limit)
    if not is_whole or not _is_whole_slice(connection, run, rows, finding_filter, limit):
        raise_corrupt(connection, run, "findings")
    if finding_filter.document is not None and not finding_filter.slices:
        _check_document(connection, run, len(rows), finding_filter, groups, limit)
    return rows


def _check_document(
    connection: Connection,
    run: int,
    loaded: int,
    finding_filter: FindingFilter,
    groups: Sequence[int] | None,
    limit: int | None,
) -> None:
    """Check that the table has all findings that the index names."""
    column = findings.c
    named = select(func.count()).where(
        column.run == run, column.document == finding_filter.document, column.position > finding_filter.after
    )
    if groups is not None:
        named = named.where(column.finding_group.in_(groups))
    number = connection.scalar(named) or 0
    if loaded != (number if limit is None else min(limit, number)):
        raise_corrupt(connection, run, "findings")


def _check_indexes(
    connection: Connection,
    run: int,
    known: Mapping[int, tuple[FindingGroup, int]],
    finding_filter: FindingFilter,
    groups: Sequence[int] | None,
) -> None:
    """Check that the indexes of a page hide no findings.

    The indexes that find the page must have as many findings as were saved.
    """
    column, sliced = findings.c, sliced_findings.c
    counts: list[tuple[Select[Any], int]] = []
    if groups:
        count = select(func.count()).where(column.run == run, column.finding_group.in_(groups))
        counts.append((count, sum(known[number][1] for number in groups)))
    if finding_filter.document is not None:
        count = select(func.count()).where(column.run == run, column.document >= "")
        counts.append((count, sum(n for _, n in known.values())))
    for number, *own, n in _load_slices(connection, run) if finding_filter.slices else ():
        if finding_filter.slices.get(own[0]) == own[1]:
            counts.append((select(func.count()).where(sliced.run == run, sliced.slice == number), n))
    if connection.dialect.name == "sqlite" and any(connection.scalar(count) != n for count, n in counts):
        raise_corrupt(connection, run, "findings")


def encode_stored_finding(row: Row[*tuple[Any, ...]]) -> bytes:
    """Encode a loaded finding as when it was saved."""
    return encode_row((row.position, row.finding_group, row.document, row.place, encode_json(row.payload)))


def _is_page(
    run: int,
    rows: Sequence[Row[*tuple[Any, ...]]],
    finding_filter: FindingFilter,
    known: Mapping[int, tuple[FindingGroup, int]],
    limit: int | None,
) -> bool:
    """Return whether rows are the page that was asked for.

    They must be as saved, match, be in order, and be as many as the run has, if that is known.
    """
    positions = [row.position for row in rows]
    if any(low >= high for low, high in pairwise([finding_filter.after, *positions])):
        return False
    seed = seed_checksum(run)
    if any(crc32(encode_stored_finding(row), seed) != row.checksum for row in rows):
        return False
    matching = {number for number, (group, _) in known.items() if _matches_group(group, finding_filter)}
    if not all(row.finding_group in matching and _matches_row(row, finding_filter) for row in rows):
        return False
    if finding_filter.document is not None or finding_filter.slices:
        return True
    total = sum(known[number][1] for number in matching)
    if len(matching) == len(known):  # no condition leaves out a finding: positions have no gaps
        first = max(finding_filter.after, -1) + 1
        total = max(total - first, 0) if positions == list(range(first, first + len(rows))) else -1
    elif finding_filter.after >= 0:
        return True
    return len(rows) == (total if limit is None or limit < 0 else min(limit, total))


def _is_whole_slice(
    connection: Connection,
    run: int,
    rows: Sequence[Row[*tuple[Any, ...]]],
    finding_filter: FindingFilter,
    limit: int | None,
) -> bool:
    """Return whether a first page has all findings of one slice.

    The page must have as many findings as the slice. A page with other conditions is not checked.
    """
    if finding_filter != FindingFilter(slices=finding_filter.slices) or len(finding_filter.slices) != 1:
        return True
    ((column, value),) = finding_filter.slices.items()
    total = load_slice_counts(connection, run).get((column, value), 0)
    return len(rows) == (total if limit is None or limit < 0 else min(limit, total))


def _matches_row(row: Row[*tuple[Any, ...]], finding_filter: FindingFilter) -> bool:
    if finding_filter.document not in (None, row.document):
        return False
    conditions = finding_filter.slices.items()
    return not conditions or conditions <= dict(get_slices(row.payload.get("more"))).items()


def _matches_group(group: FindingGroup, finding_filter: FindingFilter) -> bool:
    kind, *labels = group
    return finding_filter.kind in (None, kind) and (finding_filter.label is None or finding_filter.label in labels)


def load_findings(
    connection: Connection,
    run: int,
    finding_filter: FindingFilter,
    limit: int | None,
) -> list[StoredFinding]:
    """Load the next findings of a run that match, as `load_finding_rows` does."""
    rows = load_finding_rows(connection, run, finding_filter, limit)
    return [StoredFinding(row.position, to_finding(row)) for row in rows]


def _select_groups(
    known: Mapping[int, tuple[FindingGroup, int]],
    finding_filter: FindingFilter,
) -> list[int] | None:
    """Return the numbers of the groups with the kind and label.

    None stands for all groups.
    """
    if finding_filter.kind is None and finding_filter.label is None:
        return None
    return [number for number, (group, _) in known.items() if _matches_group(group, finding_filter)]


def _find_sliced_positions(
    connection: Connection,
    run: int,
    finding_filter: FindingFilter,
    groups: list[int] | None,
) -> Select[tuple[int]]:
    """Select positions of the findings that are in every slice.

    The query starts from the smallest slice.
    """
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
    """Return the numbers of the slices, the smallest slice first.

    The number is -1 for a slice that the run does not have.
    """
    known = {(column, value): (count, number) for number, column, value, count in _load_slices(connection, run)}
    return [number for _, number in sorted(known.get(one, (0, -1)) for one in slices.items())]


def _merge_groups(run: int, groups: Sequence[int], after: int, limit: int) -> Any:
    """Select the first positions of all groups together."""
    column = findings.c
    query = select(column.position).where(column.run == run, column.position > after)
    query = query.order_by(column.position).limit(limit)
    arms = [select(query.where(column.finding_group == number).subquery().c.position) for number in groups]
    merged = union_all(*arms).subquery().c.position
    return select(merged).order_by(merged).limit(limit).subquery()
