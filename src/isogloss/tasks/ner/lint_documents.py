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
from isogloss.formats.annotation import AnnotationFile
from isogloss.formats.documents import Mention, SpanDocument, format_document_place, make_no_text_error
from isogloss.formats.offsets import OTHER_TEXT
from isogloss.formats.tag_table import TagTable
from isogloss.formats.tagged_documents import TaggedRow, build_tag_batch
from isogloss.formats.token_pairing import batch_file_tags
from isogloss.kernel.provenance import RunWarning
from isogloss.kernel.scores import Ints
from isogloss.spans.batches import TagPairs
from isogloss.spans.decoder import Decoder
from isogloss.spans.invalid_tags import UNKNOWN, InvalidTags
from isogloss.spans.scheme_detection import AUTO, SchemeDecision, TagEvidence, decide_column_scheme
from isogloss.text.display import format_count

FAULT_KINDS = (
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
ALL_KINDS = "all"


@dataclass(frozen=True)
class AnnotationFault:
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
class LintReport:
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
    max_faults: int | None = None
    documents: int = 0
    spans: int = 0
    faults: list[AnnotationFault] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    warnings: Sequence[RunWarning] = ()

    def add(self, fault: AnnotationFault) -> None:
        """Count a fault, and keep it if it is among the first."""
        self.counts[fault.kind] += 1
        if self.max_faults is None or self.counts[fault.kind] <= self.max_faults:
            self.faults.append(fault)

    def has_faults(self, kinds: Iterable[str]) -> bool:
        """Whether there is a fault of one of these kinds.

        Args:
            kinds: of `KINDS`, or `all`.
        """
        return any(self.counts.total() if kind == ALL_KINDS else self.counts[kind] for kind in kinds)


def check_fault_kinds(kinds: Iterable[str]) -> None:
    """Refuse what is no kind.

    Raises:
        UsageError: it lists the kinds.
    """
    for kind in kinds:
        if kind not in {*FAULT_KINDS, ALL_KINDS}:
            raise UsageError(f"There is no kind of fault {kind!r}. There are {ALL_KINDS}, {', '.join(FAULT_KINDS)}.")


def format_lint_report(report: LintReport) -> str:
    """The report as lines for a person: the faults by kind, how many there are of each, and what was read."""
    lines = []
    for kind in FAULT_KINDS:
        of_kind = [fault for fault in report.faults if fault.kind == kind]
        lines += [f"{fault.where}: {kind}: {fault.message}" for fault in of_kind]
        rest = report.counts[kind] - len(of_kind)
        lines += [f"… {rest:,} more of {kind}"] if of_kind and rest else []
    read = f"{report.file}: {format_count(report.documents, 'document')}, {format_count(report.spans, 'span')} ({report.format})"
    counts = [f"{report.counts[kind]:>9,}  {kind}" for kind in FAULT_KINDS if report.counts[kind]] or [
        "No faults found."
    ]
    told = [notice.format_line() for notice in report.warnings]
    return "\n".join([*lines, *([""] if lines else []), read, *told, *counts]) + "\n"


def to_lint_json(report: LintReport) -> str:
    """The report as JSON: `file`, `format`, `documents`, `spans`, `faults`, `counts` of all kinds and `warnings`."""
    notices = [
        {"code": notice.code, "count": notice.count, "message": notice.message, "where": notice.where}
        for notice in report.warnings
    ]
    document = {
        "file": report.file,
        "format": report.format,
        "documents": report.documents,
        "spans": report.spans,
        "faults": [fault.to_dict() for fault in report.faults],
        "counts": {kind: report.counts[kind] for kind in FAULT_KINDS},
        "warnings": notices,
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


DECODED_ROWS = 1 << 10  # documents that are decoded at once


class LintSpan(NamedTuple):
    """A span: (start, end, label) in code points of the text, and its file and line."""

    start: int
    end: int
    label: str
    where: str


class LintInvalidTag(NamedTuple):
    """A tag that does not fit: the position of its token, its file and line, and why."""

    at: int
    where: str
    message: str


@dataclass(frozen=True, eq=False)
class LintDocument:
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
    spans: Sequence[LintSpan]
    invalid_tags: Sequence[LintInvalidTag] = ()
    unlocated: Sequence[Mention] = ()
    text_warnings: Sequence[RunWarning] = ()
    warnings: Sequence[RunWarning] = ()
    is_skipped: bool = False


def decide_file_scheme(file: AnnotationFile, name: str, scheme: str) -> SchemeDecision | None:
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
    evidence = sum(map(TagEvidence.from_batch, batch_file_tags(file.tags, "reference")), TagEvidence())
    return decide_column_scheme(evidence, scheme, f"the file {name}")


def read_lint_documents(file: AnnotationFile, name: str, decision: SchemeDecision | None) -> Iterator[LintDocument]:
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
                raise make_no_text_error(document, name)
            yield _from_span_document(document, number, name)
    elif file.tags is not None and decision is not None:
        yield from _TagDocuments(decision).decode_documents(file.tags)


def _from_span_document(document: SpanDocument, number: int, name: str) -> LintDocument:
    where, file = format_document_place(document, name), document.file or name
    places = [f"{file}:{line}" for line in document.lines] or [where] * len(document.spans)
    return LintDocument(
        document.id or str(number),
        document.id,
        where,
        document.text,
        [LintSpan(*span, place) for span, place in zip(document.spans, places, strict=True)],
        unlocated=document.unlocated,
        text_warnings=[notice for notice in document.warnings if notice.code == OTHER_TEXT],
        warnings=[notice for notice in document.warnings if notice.code != OTHER_TEXT],
        is_skipped=document.left_out,
    )


class _TagDocuments:
    """Documents with tags, decoded.

    Args:
        decision: how.
    """

    def __init__(self, decision: SchemeDecision) -> None:
        self._decision = decision
        self._decode = Decoder(decision)
        self._table = TagTable()

    def decode_documents(self, rows: Iterable[TaggedRow]) -> Iterator[LintDocument]:
        """The documents of these rows."""
        rest, first = iter(rows), 1
        while chunk := list(islice(rest, DECODED_ROWS)):
            yield from self._decode_rows(chunk, first)
            first += len(chunk)

    def _decode_rows(self, rows: Sequence[TaggedRow], first: int) -> Iterator[LintDocument]:
        batch = build_tag_batch(rows, first - 1, "reference", self._table)
        found = InvalidTags.from_batch(batch, self._decision)
        misfits = self._locate_invalid_tags(found, rows)
        unknown = found.positions[found.kind == UNKNOWN]  # (unknown tags,)
        pairs = self._decode(_set_outside(batch, unknown))
        spans: list[list[LintSpan]] = [[] for _ in rows]
        columns = pairs.reference.row, pairs.reference.start, pairs.reference.end, pairs.reference.label
        for at, start, end, label in zip(*(column.tolist() for column in columns), strict=True):
            row = rows[at]
            bounds = row.tokens[start].start, row.tokens[end - 1].end
            spans[at].append(LintSpan(*bounds, pairs.labels[label], row.format_place(start)))
        for number, (row, of_row, wrong) in enumerate(zip(rows, spans, misfits, strict=True), first):
            yield LintDocument(row.id or str(number), row.id, row.format_place(0), row.text, of_row, wrong)

    def _locate_invalid_tags(self, found: InvalidTags, rows: Sequence[TaggedRow]) -> list[list[LintInvalidTag]]:
        """The misfits of each row."""
        offsets = found.batch.offsets
        located: list[list[LintInvalidTag]] = [[] for _ in rows]
        at_rows = np.searchsorted(offsets, found.positions, side="right") - 1  # (misfits,)
        for number, (at, row) in enumerate(zip(found.positions.tolist(), at_rows.tolist(), strict=True)):
            position = at - int(offsets[row])
            located[row].append(
                LintInvalidTag(position, rows[row].format_place(position), found.format_message(number))
            )
        return located


def _set_outside(batch: TagPairs, at: Ints) -> TagPairs:
    """The same tags, but O at these positions."""
    codes = batch.reference.copy()
    codes[at] = 0
    return replace(batch, reference=codes)
