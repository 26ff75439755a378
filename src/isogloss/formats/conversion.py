"""Convert named entities between the formats that isogloss reads and writes.

    convert("gold.conllu", to="jsonl", output="gold.jsonl")

The output holds the same documents in the same order, except those that are not scored, such as tasks that nobody
annotated. Tags become spans as everywhere (`scheme`, `repair`); spans become tags on the tokens of their document, or
on words and other characters if it has no tokens. A document that the format cannot hold is an error with its place;
only names that are not in their text are left out with a warning. Other columns are not written, nor ids if the format
has no ids. The output file is written completely or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from isogloss.errors import FormatError, UsageError
from isogloss.formats.annotation import ENTITY_SHAPE, AnnotationFile, FormatOptions
from isogloss.formats.detection import (
    detect_format,
    load_format,
    load_writable_format,
    make_folder_check,
    open_annotations,
)
from isogloss.formats.documents import (
    MAX_TEXT_LENGTH,
    SpanColumns,
    SpanDocument,
    format_document_place,
    make_no_text_error,
)
from isogloss.formats.registry import OFFSET_UNITS
from isogloss.formats.tagged_documents import batch_file_tags
from isogloss.kernel.argument_checks import check_choice
from isogloss.kernel.provenance import RunWarning, Side
from isogloss.records.shards import open_source
from isogloss.records.sources import Source
from isogloss.records.tabular import open_rows
from isogloss.spans.decoder import Decoder
from isogloss.spans.scheme_detection import AUTO, decide_column_scheme, find_scheme
from isogloss.spans.schemes import TagRepair
from isogloss.spans.tag_evidence import TagEvidence

UNLOCATED, LEFT_OUT = "unlocated", "names-left-out"
NOT_IN_TEXT = "Names that are not in their text were left out."


@dataclass(frozen=True)
class Conversion:
    """The result of a conversion.

    Args:
        source_format: the format that was read.
        documents: number of documents that were written.
        spans: number of their spans.
        warnings: what was decided and changed while reading.
    """

    source_format: str
    documents: int
    spans: int
    warnings: tuple[RunWarning, ...]


def convert(  # noqa: PLR0913  a command's options are its arguments
    source: str | os.PathLike[str] | Source,
    to: str,
    output: str | os.PathLike[str] = "-",
    *,
    input_format: str | None = None,
    side: Side = "reference",
    columns: Sequence[int | str] | None = None,
    scheme: str = AUTO,
    repair: TagRepair | None = None,
    to_scheme: str | None = None,
    strict_spans: bool = False,
    repair_offsets: bool = False,
    offset_unit: str | None = None,
    split: str | None = None,
    answers: str | None = None,
) -> Conversion:
    """Write the documents of a file in another format.

    Args:
        source: the file or folder, or shards.
        to: the format to write.
        output: the path, `-` for standard output; text is compressed if the name ends with `.gz` or `.zst`.
        input_format: the format of the file; None to recognise it.
        side: which side to read from a file with both: `reference` or `predicted`.
        columns: columns of the file, as for `ner`.
        scheme: tag scheme of the input, or `auto` to detect it.
        repair: how invalid tags are handled: `begin` a span there (the default), `discard` the span, or `error`.
        to_scheme: tag scheme of the output; None for IOB2. If the format has both tags and spans, a scheme selects
            tags.
        strict_spans: whether a discontinuous span is an error; otherwise it counts from its first to its last
            character.
        repair_offsets: whether to correct offsets that are off by a known slip.
        offset_unit: what offsets of recognisers count: `code-points`, `utf-16`, `utf-8` (bytes), `graphemes` or
            `text-elements` (of .NET); None to find out by the texts of their spans.
        split: the split of a folder of Hugging Face datasets; None if it has one.
        answers: the field with the answer of a language model, to read as mentions of a prediction.

    Returns:
        How much was written, and warnings.

    Raises:
        UsageError: if a format or an option is unknown, not supported, or the format cannot be written.
        DataError: if the input cannot be read, or the format cannot hold it.
    """
    if offset_unit is not None:
        check_choice("offset_unit", offset_unit, OFFSET_UNITS)
    file = open_source(source, make_folder_check(input_format))
    target = load_writable_format(to)
    if to_scheme is not None:
        if target.write_tags is None:
            raise UsageError(f"The format {to} has spans and no tags: leave out {to_scheme!r}.")
        find_scheme(to_scheme)
    file = open_rows(file, ENTITY_SHAPE, input_format)
    name = detect_format(file, answers) if input_format is None else load_format(input_format).name
    options = FormatOptions(
        side=side if answers is None else "predicted",
        columns=columns,
        strict_spans=strict_spans,
        repair_offsets=repair_offsets,
        offset_unit=offset_unit,
        split=split,
        answers=answers,
    )
    opened = open_annotations(file, name, options)
    documents = _ConvertedDocuments(
        file.name,
        opened,
        scheme,
        repair,
        keep_unlocated=target.can_write_unlocated,
        warnings=opened.warnings,
    )
    if to_scheme is not None and target.write_tags is not None:
        target.write_tags(documents, os.fspath(output), to_scheme)
    elif target.write is not None:
        target.write(documents, os.fspath(output))
    return Conversion(name, documents.count, documents.spans, documents.warnings)


@dataclass
class _ConvertedDocuments:
    """The documents of a file to write, counted on the way.

    Args:
        name: the name of the file.
        file: its documents.
        scheme: the tag scheme of the file, or `auto` to detect it.
        repair: how invalid tags are handled; None for `begin`.
        keep_unlocated: whether names that are not in their text are written.
    """

    name: str
    file: AnnotationFile
    scheme: str
    repair: TagRepair | None
    keep_unlocated: bool
    count: int = 0
    spans: int = 0
    warnings: tuple[RunWarning, ...] = ()

    def __iter__(self) -> Iterator[SpanDocument]:
        for document in self._read_documents():
            self._add_warnings(document.warnings)
            if document.left_out:
                continue
            whole = self._check_document(document)
            self.count += 1
            self.spans += len(whole.spans)
            yield whole
        if not self.count:
            detail = "\n".join(f"{warning.message} ({warning.count})" for warning in self.warnings)
            remedy = "Check that it is the right file."
            raise FormatError("holds no documents to write", where=self.name, detail=detail, remedy=remedy)

    def _read_documents(self) -> Iterable[SpanDocument]:
        if self.file.tags is None:
            if self.scheme != AUTO or self.repair is not None:
                given = self.repair if self.scheme == AUTO else self.scheme
                raise UsageError(f"{self.name} has spans, which have no tag scheme: leave out {given!r}.")
            return self.file.spans or ()
        evidence = sum(map(TagEvidence.from_batch, batch_file_tags(self.file.tags, "reference")), TagEvidence())
        decision = decide_column_scheme(evidence, self.scheme, "the file")
        self._add_warnings(decision.warnings)
        return self.file.as_spans("reference", Decoder(decision, self.repair or "begin"), keep_tokens=True)

    def _check_document(self, document: SpanDocument) -> SpanDocument:
        """Return the document with its file name after checking its spans.

        The spans must lie within the text of the document.
        """
        place = format_document_place(document, self.name)
        if document.locate is not None and not document.has_offsets:
            raise make_no_text_error(document, self.name)
        length = -1 if document.text is None else len(document.text)
        last = MAX_TEXT_LENGTH if length < 0 else length
        if any(not 0 <= start < end <= last for start, end, _ in document.spans):
            SpanColumns.from_documents([document.spans], lambda *_: place).check(lambda *_: place, np.array([length]))
        unlocated = document.unlocated
        if unlocated and not self.keep_unlocated:
            self._add_warnings([RunWarning(LEFT_OUT, NOT_IN_TEXT, len(unlocated), place)])
            unlocated = ()
        return msgspec.structs.replace(
            document, file=document.file or self.name, warnings=(), unlocated=unlocated, locate=None
        )

    def _add_warnings(self, warnings: Iterable[RunWarning]) -> None:
        """Add up warnings, except those about unlocated names.

        Unlocated names have a warning of their own here.
        """
        new = [warning for warning in warnings if warning.code != UNLOCATED]
        if new:
            self.warnings = RunWarning.merge((*self.warnings, *new))
