"""What every format of named entities offers: it is recognised, read and written.

A format is a module of `formats` with a `FORMAT`, whose name stands in the registry of `formats.opening`.

    FORMAT = AnnotationFormat("doccano", recognised, opened, written)

Formats with a tag for each token give `TaggedRow`s, all others `SpanDocument`s with spans in code points of the text.
Documents that are written are whole: their spans are within the text, their names are located, and `file` is set, so
that an error of a writer has its place. A writer refuses, with the place of the document, what its format cannot hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from isogloss.batches import Side
from isogloss.exceptions import UsageError
from isogloss.formats.offsets import Offsets
from isogloss.formats.span_pairing import SpanDocument, TaggedRow
from isogloss.sources import Source

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
class Head:
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
    row: Mapping[str, Any] | None = None
    names: Sequence[str] = ()


@dataclass(frozen=True)
class Options:
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
    alone: bool = False
    columns: Sequence[int | str] | None = None
    attributes: Sequence[str] = ()
    strict_spans: bool = False
    repair_offsets: bool = False
    check_offsets: bool = True
    answers: str | None = None

    @property
    def offsets(self) -> Offsets:
        """What is done about offsets that are off."""
        if self.repair_offsets:
            return "repaired"
        return "checked" if self.check_offsets else "unchecked"

    def only(self, name: str, *known: str) -> None:
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
        for option in given.keys() - {*known}:
            if given[option]:
                raise LackingOptionError(
                    option, f"The format {name} has no --{option.replace('_', '-')}: leave it out."
                )


@dataclass(frozen=True, eq=False)
class Documents(Generic[T_co]):
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
class Annotations:
    """A file, opened. It has spans or tags.

    Args:
        spans: its documents with spans; None where they have tags.
        tags: its documents with tags; None where they have spans.
        columns: names of what it has beside what is scored, as far as its first document tells.
        words: whether its tokens are words that the other side has too: then two such files are compared token by
            token, and others by characters.
    """

    spans: Documents[SpanDocument] | None = None
    tags: Documents[TaggedRow] | None = None
    columns: Callable[[], Iterable[str]] = tuple
    words: bool = False

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
    recognises: Callable[[Head], bool]
    read: Callable[[Source, Options], Annotations]
    write: Callable[[Iterable[SpanDocument], str], None] | None = None
    both_sides: bool = False
    write_tags: Callable[[Iterable[SpanDocument], str, str], None] | None = None
    holds_unlocated: bool = False
