"""Faults as they are found, counted and printed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from isogloss.batches import Notice
from isogloss.exceptions import UsageError
from isogloss.text import counted

KINDS = (
    *(
        "outside-text",
        "other-text",
        "unlocated",
        "misfit-tag",
        "cut-cluster",
        "cut-word",
        "edge-space",
        "edge-punctuation",
    ),
    *("duplicate-span", "overlap", "empty-document", "duplicate-document", "conflicting-document"),
    *("label-conflict", "label-case"),
)
ALL = "all"


@dataclass(frozen=True)
class Fault:
    """Something that is wrong, or worth a look.

    Args:
        kind: one of `KINDS`.
        where: file and line.
        document: its id, or its number from 1; None where several are meant.
        message: what is wrong, in one sentence.
        more: what else programs may want to know.
    """

    kind: str
    where: str
    document: str | None
    message: str
    more: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The row of the JSON. Keys without content are left out."""
        row: dict[str, Any] = {"kind": self.kind, "where": self.where}
        row |= {} if self.document is None else {"document": self.document}
        return row | {"message": self.message} | dict(self.more)


@dataclass
class Report:
    """What was found in a file.

    Args:
        file: its name.
        format: its format.
        most: how many faults of each kind are kept, None for all.
        documents: how many documents it has.
        spans: how many spans they have.
        faults: the first of each kind, in the order in which they were found.
        counts: how many there are, by kind.
        notices: what was done about the file to read it.
    """

    file: str
    format: str
    most: int | None = None
    documents: int = 0
    spans: int = 0
    faults: list[Fault] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    notices: Sequence[Notice] = ()

    def add(self, fault: Fault) -> None:
        """Count a fault, and keep it if it is among the first."""
        self.counts[fault.kind] += 1
        if self.most is None or self.counts[fault.kind] <= self.most:
            self.faults.append(fault)

    def fails(self, kinds: Iterable[str]) -> bool:
        """Whether there is a fault of one of these kinds.

        Args:
            kinds: of `KINDS`, or `all`.
        """
        return any(self.counts.total() if kind == ALL else self.counts[kind] for kind in kinds)


def check_kinds(kinds: Iterable[str]) -> None:
    """Refuse what is no kind.

    Raises:
        UsageError: it lists the kinds.
    """
    for kind in kinds:
        if kind not in {*KINDS, ALL}:
            raise UsageError(f"There is no kind of fault {kind!r}. There are {ALL}, {', '.join(KINDS)}.")


def drawn(report: Report) -> str:
    """The report as lines for a person: the faults by kind, how many there are of each, and what was read."""
    lines = []
    for kind in KINDS:
        of_kind = [fault for fault in report.faults if fault.kind == kind]
        lines += [f"{fault.where}: {kind}: {fault.message}" for fault in of_kind]
        rest = report.counts[kind] - len(of_kind)
        lines += [f"… {rest:,} more of {kind}"] if of_kind and rest else []
    read = f"{report.file}: {counted(report.documents, 'document')}, {counted(report.spans, 'span')} ({report.format})"
    counts = [f"{report.counts[kind]:>9,}  {kind}" for kind in KINDS if report.counts[kind]] or ["No faults found."]
    told = [notice.line() for notice in report.notices]
    return "\n".join([*lines, *([""] if lines else []), read, *told, *counts]) + "\n"


def to_json(report: Report) -> str:
    """The report as JSON: `file`, `format`, `documents`, `spans`, `faults`, `counts` of all kinds and `warnings`."""
    notices = [
        {"code": notice.code, "count": notice.count, "message": notice.message, "where": notice.where}
        for notice in report.notices
    ]
    document = {
        "file": report.file,
        "format": report.format,
        "documents": report.documents,
        "spans": report.spans,
        "faults": [fault.to_dict() for fault in report.faults],
        "counts": {kind: report.counts[kind] for kind in KINDS},
        "warnings": notices,
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
