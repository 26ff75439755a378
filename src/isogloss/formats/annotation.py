"""Declaration of an annotation format: recognising, reading and writing its files.

A format is one module with a `FORMAT = AnnotationFormat(...)`:

    FORMAT = AnnotationFormat(
        "doccano",
        matches_first_row(_is_doccano_row),
        read_spans(_read_documents, columns_of),
        write_json_lines(_build_row),
        options=("repair_offsets",),
    )
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, TypeVar

import msgspec
import numpy as np

from isogloss.errors import DataError, UsageError
from isogloss.formats.documents import SpanColumns, SpanDocument, SpanFile
from isogloss.formats.offsets import OffsetMode
from isogloss.formats.tagged_documents import DecodedFile, TagDecoder, TaggedRow
from isogloss.kernel.provenance import RunWarning, Side
from isogloss.records.destinations import open_binary_output
from isogloss.records.parquet import ARROW_MAGIC, PARQUET_MAGIC, STREAM_MAGIC
from isogloss.records.row_shape import RowShape
from isogloss.records.sources import Source, format_place

ENTITY_SHAPE = RowShape(
    needed=("entities", "spans", "mentions", "tags", "ner_tags"),
    header="id,text,entities or id,tokens,ner_tags",
    row='A row looks like {"id": "1", "text": "Ada ran", "entities": [{"start": 0, "end": 3, "label": "PER"}]}.',
    kinds={
        "text": "text",
        **dict.fromkeys(("entities", "spans", "mentions"), "json"),
        **dict.fromkeys(("tokens", "tags", "ner_tags"), "tokens"),
    },
    plain="If the file has one token and its tag in each line, separate them by a tab: --input-format conll reads it.",
    reads_columns=True,
    reads_json=True,
    reads_binary=(PARQUET_MAGIC, ARROW_MAGIC, STREAM_MAGIC),
)

LABEL_OF_TAG = re.compile(r"^[A-Z][-_]|[-_][A-Z]$")
T_co = TypeVar("T_co", covariant=True)
RowBuilder = Callable[[SpanDocument], dict[str, Any]]
DocumentWriter = Callable[[Iterable[SpanDocument], str], None]
TagWriter = Callable[[Iterable[SpanDocument], str, str], None]


OPTIONS = (
    "columns",
    "strict_spans",
    "repair_offsets",
    "offset_unit",
    "split",
    "answers",
)  # fields of `FormatOptions` that a format may lack
OptionReasons = Mapping[str, str]  # for each option that a format cannot apply, the reason


def refuse_option(name: str, option: str) -> str:
    """Write why a format cannot apply an option it lacks.

    Args:
        name: the name of the format.
        option: a field of `FormatOptions`.
    """
    return f"The format {name} has no --{option.replace('_', '-')}: leave it out."


@dataclass(frozen=True)
class FileHead:
    """The beginning of a file, by which its format is recognised.

    Args:
        path: the path as the user gave it.
        is_folder: whether the path is a folder.
        data: the first bytes: of the decompressed text from its first character that is not white space, or of a
            binary file as stored; empty for a folder.
        first_row: the first JSON object, from the first line or the first item of an array; None if the file does not
            begin with one.
        file_names: the names of the files in the folder.
    """

    path: str
    is_folder: bool = False
    data: bytes = b""
    first_row: Mapping[str, Any] | None = None
    file_names: Sequence[str] = ()


@dataclass(frozen=True)
class FormatOptions:
    """How a file is read.

    Args:
        side: which side the file stands for, or which side to read from a file that holds both.
        single_file: whether the file stands for both sides, so that it must hold both.
        columns: numbers or names of its columns; None for the usual ones.
        attributes: names of the columns to keep of each document beside its annotation.
        strict_spans: whether a discontinuous span is an error; otherwise it counts from its first to its last
            character.
        repair_offsets: whether to correct offsets that are off by a known slip.
        check_offsets: whether offsets that are off and not corrected are an error.
        offset_unit: what offsets count; None to find out.
        split: the split of a folder that has several; None if it has one.
        answers: the field that holds the answer of a language model; None to read the field `mentions`.
        list_labels: lists the labels of the reference, to distinguish labels and names in an answer; empty if unknown.
    """

    side: Side = "reference"
    single_file: bool = False
    columns: Sequence[int | str] | None = None
    attributes: Sequence[str] = ()
    strict_spans: bool = False
    repair_offsets: bool = False
    check_offsets: bool = True
    offset_unit: str | None = None
    split: str | None = None
    answers: str | None = None
    list_labels: Callable[[], frozenset[str]] = frozenset

    @property
    def offsets(self) -> OffsetMode:
        """How offsets that are off are handled."""
        if self.repair_offsets:
            return "repaired"
        return "checked" if self.check_offsets else "unchecked"

    def list_given(self) -> list[str]:
        """List the options that are given, out of `OPTIONS`."""
        return [option for option in OPTIONS if getattr(self, option) not in (None, False, "")]

    def leave_out(self, options: Iterable[str]) -> FormatOptions:
        """Return the options without some, which get their defaults."""
        return replace(self, **{option: getattr(FormatOptions, option) for option in options})


@dataclass(frozen=True, eq=False)
class DocumentReader(Generic[T_co]):
    """Documents that can be read any number of times.

    It is a `SpanFile` or a `TaggedFile`.

    Args:
        name: the name of the file in messages.
        read: reads its documents from the beginning at each call.
    """

    name: str
    read: Callable[[], Iterator[T_co]]

    def __iter__(self) -> Iterator[T_co]:
        """Read the documents from the beginning."""
        return self.read()


@dataclass(frozen=True, eq=False)
class AnnotationFile:
    """An opened file, whose documents have either spans or tags.

    Args:
        spans: its documents with spans; None if they have tags.
        tags: its documents with tags; None if they have spans.
        list_columns: lists the names of its other columns, as far as its first document shows them.
        has_words: whether its tokens are words. Two files with words are compared token by token, all others by
            characters.
        chosen_columns: the columns for the signature, if isogloss chose others than the usual ones; else empty.
        warnings: what was found out about the file when it was opened.
        follows_texts: whether its documents are results for a list of texts. They may lack ids and texts, and are then
            paired by order.
    """

    spans: DocumentReader[SpanDocument] | None = None
    tags: DocumentReader[TaggedRow] | None = None
    list_columns: Callable[[], Iterable[str]] = tuple
    has_words: bool = False
    chosen_columns: str = ""
    warnings: tuple[RunWarning, ...] = ()
    follows_texts: bool = False

    def __post_init__(self) -> None:
        if (self.spans is None) is (self.tags is None):
            raise ValueError("a file has spans or tags")

    def list_labels(self) -> frozenset[str]:
        """Read the file, and return the labels of its spans or tags."""
        if self.spans is not None:
            return frozenset(label for document in self.spans for _, _, label in document.spans)
        return frozenset(LABEL_OF_TAG.sub("", tag) for row in self.tags or () for tag in row.tags) - {"", "O"}

    def as_spans(self, side: Side, decode: TagDecoder, *, keep_tokens: bool = False) -> SpanFile:
        """Return the documents with spans, decoded if the file has tags.

        Args:
            side: which side they belong to.
            decode: converts tags to spans.
            keep_tokens: whether decoded documents keep their tokens.
        """
        if self.tags is not None:
            return DecodedFile(self.tags, side, decode, keep_tokens)
        if self.spans is None:
            raise ValueError("a file has spans or tags")
        return self.spans


FileOpener = Callable[[Source, FormatOptions], AnnotationFile]


@dataclass(frozen=True)
class AnnotationFormat:
    """A format of named entities.

    Args:
        name: its name for `--input-format`.
        can_read: whether a file is in this format, by its beginning.
        read: opens a file without reading more of it than it must.
        write: writes documents to a path, `-` for standard output. If None, documents are written with IOB2 tags;
            without `write_tags` the format is read only.
        has_both_sides: whether one file may hold reference and prediction.
        write_tags: writes documents with a tag for each token, in the tag scheme of this name; None if the format has
            no tags.
        can_write_unlocated: whether it can hold names that are not in their text.
        options: the options that it has, out of `OPTIONS`.
        find_faults: gives the options that it has, but cannot apply to this file or with this value, and why. It is
            asked with the options of the format only; None if it can always apply them.
    """

    name: str
    can_read: Callable[[FileHead], bool]
    read: FileOpener
    write: DocumentWriter | None = None
    has_both_sides: bool = False
    write_tags: TagWriter | None = None
    can_write_unlocated: bool = False
    options: Sequence[str] = ()
    find_faults: Callable[[Source, FormatOptions], OptionReasons] | None = None

    def __post_init__(self) -> None:
        if self.write is None and self.write_tags is not None:
            object.__setattr__(self, "write", partial(_write_iob2, self.write_tags))

    def find_unsupported(self, source: Source, options: FormatOptions) -> OptionReasons:
        """Find given options that cannot be applied to a file, with reasons.

        Args:
            source: the file or folder.
            options: how it is to be read.

        Raises:
            SourceError: if the file cannot be read.
        """
        lacking = [option for option in options.list_given() if option not in self.options]
        reasons = {option: refuse_option(self.name, option) for option in lacking}
        if self.find_faults is None or len(lacking) == len(options.list_given()):
            return reasons
        return {**reasons, **self.find_faults(source, options.leave_out(lacking))}

    def open(self, source: Source, options: FormatOptions) -> AnnotationFile:
        """Open a file in this format.

        Args:
            source: the file or folder.
            options: how it is read.

        Raises:
            UsageError: if the format does not support one of the options.
            SourceError: if the file cannot be read.
        """
        for reason in self.find_unsupported(source, options).values():
            raise UsageError(reason)
        return self.read(source, options)


def _write_iob2(write_tags: TagWriter, documents: Iterable[SpanDocument], path: str) -> None:
    write_tags(documents, path, "iob2")


def matches_first_row(is_row: Callable[[Mapping[str, Any]], bool]) -> Callable[[FileHead], bool]:
    """Return a `can_read` that checks the first JSON object of a file.

    Args:
        is_row: whether an object is a row of the format.
    """
    return lambda head: head.first_row is not None and is_row(head.first_row)


def read_spans(
    read_documents: Callable[[Source, FormatOptions], Iterator[SpanDocument]],
    columns_of: Callable[[Source], Callable[[], Iterable[str]]] | None = None,
) -> FileOpener:
    """Return a `read` for a format whose documents have spans.

    Args:
        read_documents: reads the documents of a file from the beginning.
        columns_of: gives a function that lists the other columns of a file; None if the format has no other columns.
    """

    def read(source: Source, options: FormatOptions) -> AnnotationFile:
        documents = DocumentReader(source.name, partial(read_documents, source, options))
        return AnnotationFile(spans=documents, list_columns=tuple if columns_of is None else columns_of(source))

    return read


def read_lines(source: Source) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a text file without line ends.

    Args:
        source: the file.

    Raises:
        SourceError: if the file cannot be read.
    """
    for block in source.blocks():
        for number, line in enumerate(block.text.split("\n")[:-1], block.first_line):
            yield number, line.rstrip("\r")


def write_json_lines(build_row: RowBuilder) -> DocumentWriter:
    """Return a `write` that writes one JSON object a line.

    Args:
        build_row: gives the object of a document, without its id.
    """

    def write(documents: Iterable[SpanDocument], path: str) -> None:
        with open_binary_output(path) as file:
            for document in documents:
                file.write(msgspec.json.encode(get_id_field(document) | build_row(document)) + b"\n")

    return write


def write_json_array(build_row: RowBuilder) -> DocumentWriter:
    """Return a `write` that writes documents as one JSON array.

    Each document is on a line of its own.

    Args:
        build_row: gives the object of a document.
    """

    def write(documents: Iterable[SpanDocument], path: str) -> None:
        with open_binary_output(path) as file:
            file.write(b"[")
            for number, document in enumerate(documents):
                file.write((b",\n" if number else b"\n") + msgspec.json.encode(build_row(document)))
            file.write(b"\n]\n")

    return write


def get_id_field(document: SpanDocument) -> dict[str, Any]:
    """Return the id of a document as a JSON field, if any."""
    return {} if document.id is None else {"id": document.id}


def list_span_objects(document: SpanDocument) -> list[dict[str, Any]]:
    """Return spans as JSON objects with `start`, `end` and `label`."""
    return [{"start": start, "end": end, "label": label} for start, end, label in document.spans]


def get_writable_text(document: SpanDocument) -> str:
    """Return the text of a document after checking its spans.

    Args:
        document: the document.

    Raises:
        DataError: if the document has no text, a text that is not Unicode, names that are not in it, or a span that is
            not within it.
    """
    text = document.text
    if text is None:
        raise make_unwritable_error(document, "has no text", "Write it as JSON lines, which need none.")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        why = "has half a surrogate pair, which is not a character"
        raise make_unwritable_error(document, why, "Decode its text as UTF-8.") from error
    check_located(document)
    columns = SpanColumns.from_documents([document.spans], lambda *_: _format_place(document))
    columns.check(lambda *_: _format_place(document), np.array([len(text)]))
    return text


def check_located(document: SpanDocument) -> None:
    """Refuse a document with names that are not in its text.

    Args:
        document: the document.

    Raises:
        DataError: if it has such names.
    """
    if document.unlocated:
        raise make_unwritable_error(
            document, "has names that are not in its text", "Write it as mentions, or leave these names out."
        )


def make_unwritable_error(document: SpanDocument, why: str, remedy: str) -> DataError:
    """Return the error for a document that a format cannot hold.

    Args:
        document: the document; its file is known.
        why: what it is or has, as a predicate ("has no text").
        remedy: what to do about it.
    """
    return DataError(f"the document {why}", where=_format_place(document), remedy=remedy)


def _format_place(document: SpanDocument) -> str:
    return format_place(document.file or "", document.line)
