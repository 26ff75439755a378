"""What of a document can be written, and documents as a JSON array."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec
import numpy as np

from isogloss.errors import DataError, UsageError
from isogloss.formats.documents import SpanColumns, SpanDocument
from isogloss.formats.offsets import OffsetMode
from isogloss.formats.tagged_documents import TaggedRow
from isogloss.kernel.provenance import Side
from isogloss.records.destinations import written
from isogloss.records.sources import Source


def write_json_array(documents: Iterable[SpanDocument], path: str, row: Callable[[SpanDocument], Any]) -> None:
    """Documents as one JSON array, with a line each.

    Args:
        documents: the documents.
        path: where they go, as for `written`.
        row: gives the object of a document.

    Raises:
        SourceError: it cannot be written.
        DataError: the format cannot hold a document.
    """
    with written(path) as file:
        file.write(b"[")
        for number, document in enumerate(documents):
            file.write((b",\n" if number else b"\n") + msgspec.json.encode(row(document)))
        file.write(b"\n]\n")


def get_writable_text(document: SpanDocument) -> str:
    """The text of a document, which holds all its spans.

    Raises:
        DataError: it has no text, one that is no Unicode, names that are not in it, or a span that is not within it.
    """
    text = document.text
    if text is None:
        raise make_unwritable_error(document, "has no text", "Write it as JSON lines, which need none.")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        why = "has half a surrogate pair, which is no character"
        raise make_unwritable_error(document, why, "Decode its text as UTF-8.") from error
    if document.unlocated:
        raise make_unwritable_error(
            document, "has names that are not in its text", "Write it as mentions, or leave them out."
        )
    columns = SpanColumns.from_documents([document.spans], lambda *_: _format_place(document))
    columns.check(lambda *_: _format_place(document), np.array([len(text)]))
    return text


def make_unwritable_error(document: SpanDocument, why: str, remedy: str) -> DataError:
    """The error for a document that a format cannot hold.

    Args:
        document: which one; its file is known.
        why: what it is or has.
        remedy: what to do about it.
    """
    return DataError(f"the document {why}", where=_format_place(document), remedy=remedy)


def _format_place(document: SpanDocument) -> str:
    return f"{document.file}:{document.line}"


T_co = TypeVar("T_co", covariant=True)


class LackingOptionError(UsageError):
    """A format does not have an option that was given, or not with this value: it may be meant for another file.

    Args:
        option: the field of `Options`.
        message: what is wrong.
    """

    def __init__(self, option: str, message: str) -> None:
        super().__init__(message)
        self.option = option


@dataclass(frozen=True)
class FileHead:
    """What a format is recognised by.

    Args:
        path: the path as given.
        is_folder: whether it is a folder.
        data: the first bytes: of the decompressed text from its first character that is no white space, or of a binary
            file as it stands; empty for a folder.
        row: the JSON object that the file begins with: its first line, or the first item of its array; None where it
            begins with none.
        names: of the files in the folder.
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
        side: which side of a file with both is wanted, or whose the file is.
        alone: whether the file stands for both sides, so that it must have both.
        columns: numbers or names of its columns; None for the usual ones.
        attributes: what is wanted of documents beside what is scored.
        strict_spans: whether what is no single span (discontinuous ones) is refused, and not counted as its hull.
        repair_offsets: whether offsets that are off by a known slip are put right.
        check_offsets: whether offsets that are off are an error, if they are not put right.
        answers: the field with what a model answered; None for `mentions`.
    """

    side: Side = "reference"
    single_file: bool = False
    columns: Sequence[int | str] | None = None
    attributes: Sequence[str] = ()
    strict_spans: bool = False
    repair_offsets: bool = False
    check_offsets: bool = True
    answers: str | None = None

    @property
    def offsets(self) -> OffsetMode:
        """What is done about offsets that are off."""
        if self.repair_offsets:
            return "repaired"
        return "checked" if self.check_offsets else "unchecked"

    def check_supported(self, name: str, *supported: str) -> None:
        """Refuse an option that a format does not have.

        Args:
            name: of the format.
            known: those of columns, strict_spans, repair_offsets and answers that it has.

        Raises:
            LackingOptionError: another one is given.
        """
        given = {
            "columns": self.columns is not None,
            "strict_spans": self.strict_spans,
            "repair_offsets": self.repair_offsets,
            "answers": bool(self.answers),
        }
        for option in given.keys() - {*supported}:
            if given[option]:
                raise LackingOptionError(
                    option,
                    f"The format {name} has no --{option.replace('_', '-')}: leave it out.",
                )


@dataclass(frozen=True, eq=False)
class DocumentReader(Generic[T_co]):
    """Documents that can be read any number of times: a `SpanFile` or a `TaggedFile`.

    Args:
        name: what messages call the file.
        read: its documents, from the beginning at each call.
    """

    name: str
    read: Callable[[], Iterator[T_co]]

    def __iter__(self) -> Iterator[T_co]:
        """Its documents, from the beginning at each call."""
        return self.read()


@dataclass(frozen=True, eq=False)
class AnnotationFile:
    """A file, opened. It has spans or tags.

    Args:
        spans: its documents with spans; None where they have tags.
        tags: its documents with tags; None where they have spans.
        columns: names of what it has beside what is scored, as far as its first document tells.
        words: whether its tokens are words that the other side has too: then two such files are compared token by
            token, and others by characters.
    """

    spans: DocumentReader[SpanDocument] | None = None
    tags: DocumentReader[TaggedRow] | None = None
    list_columns: Callable[[], Iterable[str]] = tuple
    has_words: bool = False

    def __post_init__(self) -> None:
        if (self.spans is None) is (self.tags is None):
            raise ValueError("a file has spans or tags")


@dataclass(frozen=True)
class AnnotationFormat:
    """A format of named entities.

    Args:
        name: what `--input-format` calls it.
        recognises: whether a file is in it, by how it begins.
        read: opens a file; reads of it no more than it must.
        write: writes documents to a path, `-` for standard output; None where it is not written.
        both_sides: whether one file may hold reference and prediction.
        write_tags: writes documents with a tag for each token in the scheme of this name; None where it has no tags.
        holds_unlocated: whether it can hold names that are not in their text.
    """

    name: str
    can_read: Callable[[FileHead], bool]
    read: Callable[[Source, FormatOptions], AnnotationFile]
    write: Callable[[Iterable[SpanDocument], str], None] | None = None
    has_both_sides: bool = False
    write_tags: Callable[[Iterable[SpanDocument], str, str], None] | None = None
    can_write_unlocated: bool = False
