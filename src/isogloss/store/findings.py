"""Findings as rows, in pages.

Each finding belongs to a group, that of all findings of its run with its kind and labels. There are few groups, so a
filter is a choice of groups, and a page is the merge of the next few findings of each: as fast for what is rare as for
what is frequent, wherever it stands. A filter by slices looks up positions in `isogloss.store.slicing` instead.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Row, Select, select, union_all

from isogloss.kernel.findings import Finding, Mark
from isogloss.store import slicing
from isogloss.store.connection import add_rows, encoded
from isogloss.store.slicing import Slice, slices_of
from isogloss.store.tables import finding_groups, findings, sliced_findings

CHUNK = 10_000  # rows handed to the database at a time
MERGED = 200  # groups of which a page is merged; of more it is looked for in the order of all findings
COLUMNS = ("run", "position", "finding_group", "document", "place", "payload")

Verdict = tuple[str, str | None, str | None]  # kind, label, other label
FindingRow = tuple[Verdict, str, str, str, Sequence[Slice]]  # of what group, document, place, payload as JSON, slices


@dataclass(frozen=True)
class StoredFinding:
    """A finding and where it stands.

    Args:
        position: among the findings of its run, from 0: what a page goes on after.
        finding: the finding.
    """

    position: int
    finding: Finding

    def to_dict(self) -> dict[str, Any]:
        """Its row in JSON."""
        return {"position": self.position} | self.finding.to_dict()


@dataclass(frozen=True)
class Sought:
    """Which findings are meant; None is no condition.

    Args:
        kind: of this kind.
        label: of which either side has this label.
        document: in the document of this name.
        after: those after this position; -1 for all.
        slices: that have these values in these columns.
    """

    kind: str | None = None
    label: str | None = None
    document: str | None = None
    after: int = -1
    slices: Mapping[str, str] = field(default_factory=dict)

    def holds_for(self, verdict: Verdict) -> bool:
        """Whether findings of a group are meant."""
        kind, *labels = verdict
        return self.kind in (None, kind) and (self.label is None or self.label in labels)


@dataclass
class Groups:
    """The groups of a run, numbered as they come.

    Args:
        counts: how many findings each has.
    """

    counts: dict[Verdict, int] = field(default_factory=dict)
    _numbers: dict[Verdict, int] = field(default_factory=dict)

    def number(self, verdict: Verdict) -> int:
        """The number of the group of one more finding."""
        self.counts[verdict] = self.counts.get(verdict, 0) + 1
        return self._numbers.setdefault(verdict, len(self._numbers))

    def rows(self, run: int) -> list[tuple[Any, ...]]:
        """As rows of their table."""
        return [(run, number, *verdict, self.counts[verdict]) for verdict, number in self._numbers.items()]


def rows_of(found: Iterable[Finding]) -> Iterator[FindingRow]:
    """Findings as rows."""
    for finding in found:
        marks = [
            (mark.side, mark.label, mark.start, mark.end, mark.text_start, mark.text_end) for mark in finding.marks
        ]
        payload: dict[str, Any] = {"marks": marks}
        if finding.text is not None:
            payload |= {"text": finding.text, "before": finding.before, "after": finding.after}
        if finding.extra:
            payload["more"] = dict(finding.extra)
        yield _verdict(finding), finding.document, finding.where, encoded(payload), slices_of(finding.extra)


def add_findings(connection: Connection, run: int, rows: Iterable[FindingRow]) -> None:
    """Write the findings of a run.

    Args:
        connection: of a transaction that writes.
        run: number of the run.
        rows: all its findings, in their order.
    """
    groups, packing = Groups(), slicing.Packing(run)
    rows, first = iter(rows), 0
    with _uncollected():
        while chunk := list(islice(rows, CHUNK)):
            numbers = [groups.number(row[0]) for row in chunk]
            numbered = zip(range(first, first + len(chunk)), numbers, chunk, strict=True)
            add_rows(connection, findings, COLUMNS, [(run, at, number, *row[1:4]) for at, number, row in numbered])
            pieces = packing.pieces(first, numbers, (row[4] for row in chunk))
            if pieces:
                add_rows(connection, sliced_findings, slicing.PIECES, pieces)
            first += len(chunk)
    if groups.counts:
        add_rows(
            connection,
            finding_groups,
            ("run", "number", "kind", "label", "other_label", "count"),
            groups.rows(run),
        )
    slicing.write(connection, packing)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the search for cycles, of which rows have none: among a million findings it takes a third of the time."""
    searches = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searches:
            gc.enable()


def page(connection: Connection, run: int, sought: Sought, limit: int | None) -> list[StoredFinding]:
    """The next findings of a run that are meant, in their order.

    Args:
        connection: of a transaction.
        run: number of the run.
        sought: which.
        limit: at most so many, None for all.
    """
    column, group = findings.c, finding_groups.c
    query = (
        select(column.position, group.kind, column.document, column.place, column.payload)
        .join(finding_groups, (group.run == column.run) & (group.number == column.finding_group))
        .where(column.run == run)
        .order_by(column.position)
    )
    if sought == Sought() and limit is None:
        return _found(connection, query)
    positions = _positions(connection, run, sought, limit)
    if isinstance(positions, list):  # no database takes any number of them at once
        parts = (positions[low : low + CHUNK] for low in range(0, len(positions), CHUNK))
        return [found for part in parts for found in _found(connection, query.where(column.position.in_(part)))]
    return _found(connection, query.where(column.position.in_(positions)))


def _found(connection: Connection, query: Select[Any]) -> list[StoredFinding]:
    return [StoredFinding(row.position, finding_of(row)) for row in connection.execute(query)]


def verdicts(connection: Connection, run: int) -> dict[int, tuple[Verdict, int]]:
    """The groups of a run by their number, each with how many findings it has."""
    group = finding_groups.c
    found = connection.execute(
        select(group.number, group.kind, group.label, group.other_label, group.count).where(group.run == run),
    )
    return {number: ((kind, label, other), count) for number, kind, label, other, count in found}


def finding_of(row: Row[*tuple[Any, ...]]) -> Finding:
    """The finding of a row with kind, document, place and payload."""
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


def _positions(connection: Connection, run: int, sought: Sought, limit: int | None) -> list[int] | Select[Any]:
    """Positions of the next findings that are meant, from indices that have all that it takes."""
    if sought.slices:
        return _sliced(connection, run, sought, limit)
    column = findings.c
    query = select(column.position).where(column.run == run, column.position > sought.after)
    query = query.order_by(column.position).limit(limit)
    if sought.document is not None:
        query = query.where(column.document == sought.document)
    chosen = _groups(connection, run, sought)
    if chosen is not None:
        if sought.document is None and limit is not None and 0 < len(chosen) <= MERGED:
            query = _merged(query, chosen).limit(limit)
        else:
            query = query.where(column.finding_group.in_(chosen))
    return list(connection.scalars(query)) if limit is not None else query


def _groups(connection: Connection, run: int, sought: Sought) -> list[int] | None:
    """The groups that are meant, None for all."""
    if sought.kind is None and sought.label is None:
        return None
    groups = verdicts(connection, run)
    return [number for number, (verdict, _) in groups.items() if sought.holds_for(verdict)]


def _sliced(connection: Connection, run: int, sought: Sought, limit: int | None) -> list[int]:
    """Positions of the next findings that are meant and in slices."""
    slices, groups = slicing.numbers(connection, run, sought.slices), _groups(connection, run, sought)
    if sought.document is None:
        stretch = slicing.Stretch(sought.after)
        return slicing.positions(connection, run, slices, groups=groups, stretch=stretch, limit=limit)
    column = findings.c
    query = select(column.position).where(column.run == run, column.document == sought.document)
    own = sorted(connection.scalars(query.where(column.position > sought.after)))
    if not own:
        return []
    stretch = slicing.Stretch(own[0] - 1, own[-1])
    found = slicing.positions(connection, run, slices, groups=groups, stretch=stretch, limit=None)
    return sorted(set(own).intersection(found))[:limit]


def _merged(query: Select[Any], chosen: Sequence[int]) -> Select[Any]:
    """Positions of the next findings of each group, in one order."""
    arms = [select(query.where(findings.c.finding_group == number).subquery().c.position) for number in chosen]
    merged = union_all(*arms).subquery().c.position
    return select(merged).order_by(merged)


def _verdict(finding: Finding) -> Verdict:
    first = other = None
    for mark in finding.marks:
        if first is None:
            first = mark.label
        elif other is None and mark.label != first:
            other = mark.label
    return finding.kind, first, other
