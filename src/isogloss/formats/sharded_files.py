"""Annotated files that consist of shards.

Each shard is opened as a file of its own; its documents name it as their file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain

import msgspec

from isogloss.formats.annotation import (
    AnnotationFile,
    AnnotationFormat,
    DocumentReader,
    FormatOptions,
    OptionReasons,
)
from isogloss.formats.documents import SpanDocument
from isogloss.formats.tagged_documents import TaggedRow
from isogloss.kernel.provenance import RunWarning
from isogloss.records.shards import Shards, check_same_format
from isogloss.records.sources import Source


def open_shards(format_: AnnotationFormat, source: Source, options: FormatOptions) -> AnnotationFile:
    """Open a file or its shards in a format.

    Args:
        format_: the format.
        source: the file, folder or shards.
        options: how each is read.

    Raises:
        UsageError: if the format does not support one of the options.
        SourceError: if a file cannot be read.
        FormatError: if shards do not have the same columns, or some have spans and others tags.
    """
    if not isinstance(source, Shards):
        return format_.open(source, options)
    return _join_files(source, [format_.open(shard, options) for shard in source.read_shards()])


def read_shards(format_: AnnotationFormat, source: Source, options: FormatOptions) -> AnnotationFile:
    """Open a file or its shards with options that the format supports.

    Arguments and errors are those of `open_shards`.
    """
    if not isinstance(source, Shards):
        return format_.read(source, options)
    return _join_files(source, [format_.read(shard, options) for shard in source.read_shards()])


def find_unsupported(format_: AnnotationFormat, source: Source, options: FormatOptions) -> OptionReasons:
    """Find options that cannot be applied to a file or its shards.

    Arguments and errors are those of `AnnotationFormat.find_unsupported`.
    """
    reasons: dict[str, str] = {}
    for shard in source.read_shards():
        reasons |= format_.find_unsupported(shard, options)
    return reasons


def _join_files(shards: Shards, files: Sequence[AnnotationFile]) -> AnnotationFile:
    """Join the opened files of all shards that are not empty."""
    sources = list(shards.read_shards())
    first = files[0]
    for source, file in zip(sources, files, strict=True):
        check_same_format((sources[0], _describe(first)), (source, _describe(file)))
    spans, tags = [file.spans for file in files], [file.tags for file in files]
    return AnnotationFile(
        None if first.spans is None else DocumentReader(shards.name, partial(_read_spans, shards, spans)),
        None if first.tags is None else DocumentReader(shards.name, partial(_read_tags, shards, tags)),
        first.list_columns,
        first.has_words,
        first.chosen_columns,
        RunWarning.merge(chain.from_iterable(file.warnings for file in files)),
    )


def _describe(file: AnnotationFile) -> str:
    """Describe what must be the same for all shards."""
    kind = "a file with spans" if file.tags is None else "a file with tags"
    words = " of words" if file.has_words else ""
    return f"{kind}{words}{file.chosen_columns and f' in the columns {file.chosen_columns}'}"


def _read_spans(shards: Shards, readers: Sequence[DocumentReader[SpanDocument] | None]) -> Iterator[SpanDocument]:
    for shard, documents in zip(shards.read_shards(), readers, strict=True):
        for document in documents or ():
            if document.file is None:
                msgspec.structs.force_setattr(document, "file", shard.name)
            yield document


def _read_tags(shards: Shards, readers: Sequence[DocumentReader[TaggedRow] | None]) -> Iterator[TaggedRow]:
    for _, documents in zip(shards.read_shards(), readers, strict=True):
        yield from documents or ()
