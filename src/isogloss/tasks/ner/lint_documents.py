"""Faults as they are found, counted and printed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from isogloss.errors import UsageError
from isogloss.formats.annotation import Annotations
from isogloss.formats.documents import Mention, SpanDocument, place_of, without_text
from isogloss.formats.offsets import OTHER_TEXT
from isogloss.formats.tag_table import TagTable
from isogloss.formats.tagged import TaggedRow, batch_of
from isogloss.formats.token_pairing import tag_batches
from isogloss.kernel.provenance import Notice
from isogloss.kernel.scores import Ints
from isogloss.spans.batches import TagPairs
from isogloss.spans.decoder import Decoder
from isogloss.spans.invalid_tags import UNKNOWN, Misfits
from isogloss.spans.scheme_detection import AUTO, Decision, Evidence, decided
from isogloss.text.display import counted

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


ROWS = 1 << 10  # documents that are decoded at once


class Span(NamedTuple):
    """A span: (start, end, label) in code points of the text, and its file and line."""

    start: int
    end: int
    label: str
    where: str


class Misfit(NamedTuple):
    """A tag that does not fit: the position of its token, its file and line, and why."""

    at: int
    where: str
    message: str


@dataclass(frozen=True, eq=False)
class Document:
    """A document as it is looked at.

    Args:
        name: its id, or its number from 1.
        id: its id, None where it has none.
        where: file and line.
        text: None where the file has none.
        spans: its spans.
        misfits: its tags that do not fit.
        unlocated: its names that are not in its text.
        other_texts: spans whose own text is elsewhere.
        notices: what was done about it.
        left_out: whether it is not scored, as one that nobody annotated.
    """

    name: str
    id: str | None
    where: str
    text: str | None
    spans: Sequence[Span]
    misfits: Sequence[Misfit] = ()
    unlocated: Sequence[Mention] = ()
    other_texts: Sequence[Notice] = ()
    notices: Sequence[Notice] = ()
    left_out: bool = False


def decision_of(file: Annotations, name: str, scheme: str) -> Decision | None:
    """How the tags of a file are read, None where it has spans.

    Args:
        file: the file, opened.
        name: what messages call it.
        scheme: a tag scheme, or `auto` to decide by all of its tags.

    Raises:
        UsageError: there is no such scheme, or the file has spans, which have none.
        TagError: no scheme has all of its letters.
    """
    if file.tags is None:
        if scheme != AUTO:
            raise UsageError(f"{name} has spans, which have no tag scheme: leave out --scheme {scheme}.")
        return None
    evidence = sum(map(Evidence.of, tag_batches(file.tags, "reference")), Evidence())
    return decided(evidence, scheme, f"the file {name}")


def documents(file: Annotations, name: str, decision: Decision | None) -> Iterator[Document]:
    """The documents of a file.

    Args:
        file: the file, opened.
        name: what messages call it.
        decision: how its tags are read, where it has tags.

    Raises:
        DataError: the file cannot be read.
    """
    if file.spans is not None:
        for number, document in enumerate(file.spans, 1):
            if document.locate is not None:
                raise without_text(document, name)
            yield _with_spans(document, number, name)
    elif file.tags is not None and decision is not None:
        yield from _Tags(decision).documents(file.tags)


def _with_spans(document: SpanDocument, number: int, name: str) -> Document:
    where, file = place_of(document, name), document.file or name
    places = [f"{file}:{line}" for line in document.lines] or [where] * len(document.spans)
    return Document(
        document.id or str(number),
        document.id,
        where,
        document.text,
        [Span(*span, place) for span, place in zip(document.spans, places, strict=True)],
        unlocated=document.unlocated,
        other_texts=[notice for notice in document.notices if notice.code == OTHER_TEXT],
        notices=[notice for notice in document.notices if notice.code != OTHER_TEXT],
        left_out=document.left_out,
    )


class _Tags:
    """Documents with tags, decoded.

    Args:
        decision: how.
    """

    def __init__(self, decision: Decision) -> None:
        self._decision = decision
        self._decode = Decoder(decision)
        self._table = TagTable()

    def documents(self, rows: Iterable[TaggedRow]) -> Iterator[Document]:
        """The documents of these rows."""
        rest, first = iter(rows), 1
        while chunk := list(islice(rest, ROWS)):
            yield from self._decoded(chunk, first)
            first += len(chunk)

    def _decoded(self, rows: Sequence[TaggedRow], first: int) -> Iterator[Document]:
        batch = batch_of(rows, first - 1, "reference", self._table)
        found = Misfits.of(batch, self._decision)
        misfits = self._located(found, rows)
        unknown = found.at[found.kind == UNKNOWN]  # (unknown tags,)
        pairs = self._decode(_without(batch, unknown))
        spans: list[list[Span]] = [[] for _ in rows]
        columns = pairs.reference.row, pairs.reference.start, pairs.reference.end, pairs.reference.label
        for at, start, end, label in zip(*(column.tolist() for column in columns), strict=True):
            row = rows[at]
            bounds = row.tokens[start].start, row.tokens[end - 1].end
            spans[at].append(Span(*bounds, pairs.labels[label], row.place(start)))
        for number, (row, of_row, wrong) in enumerate(zip(rows, spans, misfits, strict=True), first):
            yield Document(row.id or str(number), row.id, row.place(0), row.text, of_row, wrong)

    def _located(self, found: Misfits, rows: Sequence[TaggedRow]) -> list[list[Misfit]]:
        """The misfits of each row."""
        offsets = found.batch.offsets
        located: list[list[Misfit]] = [[] for _ in rows]
        at_rows = np.searchsorted(offsets, found.at, side="right") - 1  # (misfits,)
        for number, (at, row) in enumerate(zip(found.at.tolist(), at_rows.tolist(), strict=True)):
            position = at - int(offsets[row])
            located[row].append(Misfit(position, rows[row].place(position), found.message(number)))
        return located


def _without(batch: TagPairs, at: Ints) -> TagPairs:
    """The same tags, but O at these positions."""
    codes = batch.reference.copy()
    codes[at] = 0
    return replace(batch, reference=codes)
