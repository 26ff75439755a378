"""Faults of annotations and their report, and the documents that are checked."""

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
from isogloss.formats.tagged_documents import TaggedRow, batch_file_tags, build_tag_batch
from isogloss.kernel.argument_checks import check_choice
from isogloss.kernel.provenance import RunWarning
from isogloss.kernel.scores import Ints
from isogloss.records.sources import format_place
from isogloss.spans.batches import TagPairs
from isogloss.spans.decoder import Decoder
from isogloss.spans.invalid_tags import UNKNOWN, InvalidTags
from isogloss.spans.scheme_detection import AUTO, SchemeDecision, decide_column_scheme
from isogloss.spans.tag_evidence import TagEvidence
from isogloss.text.display import format_count, make_visible

FAULT_KINDS = (
    "outside-text",
    "other-text",
    "unlocated",
    "misfit-tag",
    "cut-cluster",
    "cut-word",
    "edge-space",
    "edge-punctuation",
    "duplicate-span",
    "overlap",
    "empty-document",
    "duplicate-document",
    "conflicting-document",
    "label-conflict",
    "label-case",
)
ALL_KINDS = "all"


@dataclass(frozen=True)
class AnnotationFault:
    """An annotation that is wrong or suspicious.

    Args:
        kind: one of `FAULT_KINDS`.
        where: file and line.
        document: id of the document, or its number from 1; None for several documents.
        message: one sentence.
        more: more keys for the JSON.
    """

    kind: str
    where: str
    document: str | None
    message: str
    more: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the row of the JSON, without empty keys."""
        row: dict[str, Any] = {"kind": self.kind, "where": self.where}
        row |= {} if self.document is None else {"document": self.document}
        return row | {"message": self.message} | dict(self.more)


@dataclass
class LintReport:
    """The faults of a file.

    Args:
        file: name of the file.
        format: format of the file.
        max_faults: maximum number of faults kept of each kind, None for all.
        documents: number of documents.
        spans: number of spans.
        faults: the first faults of each kind, in the order found.
        counts: number of faults by kind.
        warnings: warnings about reading the file.
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
        """Count a fault; keep it up to the maximum of its kind."""
        self.counts[fault.kind] += 1
        if self.max_faults is None or self.counts[fault.kind] <= self.max_faults:
            self.faults.append(fault)

    def has_faults(self, kinds: Iterable[str]) -> bool:
        """Return whether there is a fault of one of some kinds.

        Args:
            kinds: kinds of `FAULT_KINDS`, or `all`.
        """
        return any(self.counts.total() if kind == ALL_KINDS else self.counts[kind] for kind in kinds)


def check_fault_kinds(kinds: Iterable[str]) -> None:
    """Check names of fault kinds.

    Args:
        kinds: names of kinds.

    Raises:
        UsageError: if a kind is unknown; the message suggests the closest one.
    """
    for kind in kinds:
        check_choice("kind of fault", kind, (ALL_KINDS, *FAULT_KINDS))


def format_lint_report(report: LintReport) -> str:
    """Format the report as text.

    The text has the faults by kind, the number of documents and spans, and the counts by kind.
    """
    lines = []
    for kind in FAULT_KINDS:
        of_kind = [fault for fault in report.faults if fault.kind == kind]
        lines += [f"{fault.where}: {kind}: {fault.message}" for fault in of_kind]
        rest = report.counts[kind] - len(of_kind)
        lines += [f"… {rest:,} more of {kind}"] if of_kind and rest else []
    size = f"{format_count(report.documents, 'document')}, {format_count(report.spans, 'span')}"
    counts = [f"{report.counts[kind]:>9,}  {kind}" for kind in FAULT_KINDS if report.counts[kind]] or [
        "No faults found."
    ]
    warnings = [warning.format_line() for warning in report.warnings]
    head = f"{report.file}: {size} ({report.format})"
    return "\n".join(map(make_visible, [*lines, *([""] if lines else []), head, *warnings, *counts])) + "\n"


def to_lint_json(report: LintReport) -> str:
    """Format the report as JSON.

    Its keys are `file`, `format`, `documents`, `spans`, `faults`, `counts` and `warnings`.
    """
    warnings = [
        {"code": warning.code, "count": warning.count, "message": warning.message, "where": warning.where}
        for warning in report.warnings
    ]
    document = {
        "file": report.file,
        "format": report.format,
        "documents": report.documents,
        "spans": report.spans,
        "faults": [fault.to_dict() for fault in report.faults],
        "counts": {kind: report.counts[kind] for kind in FAULT_KINDS},
        "warnings": warnings,
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


DECODED_ROWS = 1 << 10  # documents decoded at once


class LintSpan(NamedTuple):
    """A span (start, end, label), and its file and line.

    Offsets are in code points of the text.
    """

    start: int
    end: int
    label: str
    where: str


class LintInvalidTag(NamedTuple):
    """An invalid tag, with its place and a message.

    The place is the position of its token in the document, and the file and line.
    """

    at: int
    where: str
    message: str


@dataclass(frozen=True, eq=False)
class LintDocument:
    """A document to check.

    Args:
        name: id of the document, or its number from 1.
        id: id of the document, None without.
        where: file and line.
        text: the text, None if the file has none.
        spans: the spans of the document.
        invalid_tags: the invalid tags of the document.
        unlocated: names that are not in the text.
        text_warnings: warnings about spans whose own text differs from the text at their offsets.
        warnings: other warnings.
        is_skipped: whether scoring skips the document, because it is not annotated.
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
    """Detect the tag scheme of a file; None if it has spans.

    Args:
        file: the opened file.
        name: name of the file in messages.
        scheme: a tag scheme, or `auto` to detect it from all tags.

    Raises:
        UsageError: if the scheme is unknown, or the file has spans.
        TagError: if no scheme has all letters of the tags.
    """
    if file.tags is None:
        if scheme != AUTO:
            raise UsageError(f"--scheme {scheme} has no effect: {name} has spans and no tags. Leave it out.")
        return None
    evidence = sum(map(TagEvidence.from_batch, batch_file_tags(file.tags, "reference")), TagEvidence())
    return decide_column_scheme(evidence, scheme, f"the file {name}")


def read_lint_documents(file: AnnotationFile, name: str, decision: SchemeDecision | None) -> Iterator[LintDocument]:
    """Read the documents of a file.

    Args:
        file: the opened file.
        name: name of the file in messages.
        decision: the tag scheme, None for a file with spans.

    Raises:
        DataError: if the file cannot be read.
    """
    if file.spans is not None:
        for number, document in enumerate(file.spans, 1):
            if document.locate is not None and not document.has_offsets:
                raise make_no_text_error(document, name)
            yield _from_span_document(document, number, name)
    elif file.tags is not None and decision is not None:
        yield from _TagDocuments(decision).decode_documents(file.tags)


def _from_span_document(document: SpanDocument, number: int, name: str) -> LintDocument:
    where, file = format_document_place(document, name), document.file or name
    places = [format_place(file, line) for line in document.lines] or [where] * len(document.spans)
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
    """Decodes rows of tags into documents.

    Args:
        decision: the tag scheme.
    """

    def __init__(self, decision: SchemeDecision) -> None:
        self._decision = decision
        self._decode = Decoder(decision)
        self._table = TagTable()

    def decode_documents(self, rows: Iterable[TaggedRow]) -> Iterator[LintDocument]:
        """Decode rows into documents."""
        rest, first = iter(rows), 1
        while chunk := list(islice(rest, DECODED_ROWS)):
            yield from self._decode_rows(chunk, first)
            first += len(chunk)

    def _decode_rows(self, rows: Sequence[TaggedRow], first: int) -> Iterator[LintDocument]:
        batch = build_tag_batch(rows, first - 1, "reference", self._table)
        tags = InvalidTags.from_batch(batch, self._decision)
        invalid_tags = self._locate_invalid_tags(tags, rows)
        unknown = tags.positions[tags.kind == UNKNOWN]  # (unknown tags,)
        pairs = self._decode(_set_outside(batch, unknown))
        spans: list[list[LintSpan]] = [[] for _ in rows]
        columns = pairs.reference.row, pairs.reference.start, pairs.reference.end, pairs.reference.label
        for at, start, end, label in zip(*(column.tolist() for column in columns), strict=True):
            row = rows[at]
            bounds = row.tokens[start].start, row.tokens[end - 1].end
            spans[at].append(LintSpan(*bounds, pairs.labels[label], row.format_place(start)))
        for number, (row, of_row, wrong) in enumerate(zip(rows, spans, invalid_tags, strict=True), first):
            yield LintDocument(row.id or str(number), row.id, row.format_place(0), row.text, of_row, wrong)

    def _locate_invalid_tags(self, tags: InvalidTags, rows: Sequence[TaggedRow]) -> list[list[LintInvalidTag]]:
        """Return the invalid tags of each row."""
        offsets = tags.batch.offsets
        located: list[list[LintInvalidTag]] = [[] for _ in rows]
        at_rows = np.searchsorted(offsets, tags.positions, side="right") - 1  # (invalid tags,)
        for number, (at, row) in enumerate(zip(tags.positions.tolist(), at_rows.tolist(), strict=True)):
            position = at - int(offsets[row])
            located[row].append(LintInvalidTag(position, rows[row].format_place(position), tags.format_message(number)))
        return located


def _set_outside(batch: TagPairs, at: Ints) -> TagPairs:
    """Return the tags with O at some positions."""
    codes = batch.reference.copy()
    codes[at] = 0
    return replace(batch, reference=codes)
