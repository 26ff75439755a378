"""Documents of one side as readers hand them over, and the checks that one side needs by itself."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Protocol

import msgspec
import numpy as np

from isogloss.batches import Notice, Side
from isogloss.exceptions import DataError, FormatError
from isogloss.formats.attributes import Values
from isogloss.formats.span_pairing.columns import Triple

WORDS: dict[Side, str] = {"reference": "reference", "predicted": "prediction"}


Mention = tuple[str, str]  # a name as it is written, and its label
Bounds = tuple[Sequence[int], Sequence[int]]  # where each unit of a text starts, and where it ends


class SpanDocument(msgspec.Struct, frozen=True, gc=False):
    """A document of one side.

    Args:
        line: its line in the file, from 1, or its place in words where the file has no lines: `row 3`.
        id: what it is called, None where the file has no ids.
        text: its text, None where the file has none.
        spans: its spans (start, end, label) in code points of the text, unchecked.
        notices: what was done about it, or about a block of documents that it is the first of.
        columns: what is wanted of it beside, None where nothing is.
        file: the file that it is in, where it is one of a folder; None for the file that is read.
        joined: whether its text is made of its tokens, so that the other side's may have other white space.
        unlocated: names that are not in its text. They are spans of their own, which no other span overlaps.
        locate: for a document without a text, finds its names in the text of the other side; None if it has no names.
        units: what spans count where it is not code points of the text.
        tokens: start and end of each token in the text, where the file has tokens; for formats that need them.
        left_out: whether it is paired, but not scored, such as one that nobody annotated; its notices say why.
        padded: whether white space at the end of its text, such as a last line break, may be missing on the other side.
        lines: the line of each span, where these have lines of their own; empty where all stand in `line`.
    """

    line: int | str
    id: str | None
    text: str | None
    spans: Sequence[Triple]
    notices: tuple[Notice, ...] = ()
    columns: Values | None = None
    file: str | None = None
    joined: bool = False
    unlocated: Sequence[Mention] = ()
    locate: Callable[[str], Located] | None = None
    units: Bounds | None = None
    tokens: Sequence[tuple[int, int]] | None = None
    left_out: bool = False
    lines: Sequence[int] = ()
    padded: bool = False


class Located(msgspec.Struct, frozen=True, gc=False):
    """Names of a document, looked for in a text.

    Args:
        spans: those that were found, in code points.
        unlocated: those that were not.
        notices: what was done about them.
    """

    spans: Sequence[Triple]
    unlocated: Sequence[Mention] = ()
    notices: tuple[Notice, ...] = ()


class SpanFile(Protocol):
    """A file of documents that can be read any number of times."""

    @property
    def name(self) -> str:
        """What messages call it."""

    def __iter__(self) -> Iterator[SpanDocument]:
        """Its documents in their order, from the beginning at each call."""


@dataclass
class Reading:
    """One pass over the documents of a side: counts them and remembers which ids it met.

    Args:
        file: the documents.
        side: whose they are.
    """

    file: SpanFile
    side: Side
    count: int = 0
    with_ids: bool = False
    with_text: bool = False
    _hashes: array[int] = field(default_factory=lambda: array("q"))

    def __post_init__(self) -> None:
        documents = iter(self.file)
        first = next(documents, None)
        if first is None:
            raise FormatError("holds no documents", where=self.file.name, remedy="Give a row for each document.")
        self.with_ids, self.with_text = first.id is not None, first.text is not None
        self._documents = self._checked(chain([first], documents))

    def __iter__(self) -> Iterator[SpanDocument]:
        return self._documents

    def where(self, document: SpanDocument) -> str:
        """File and line of a document."""
        return place_of(document, self.file.name)

    def check_ids(self) -> None:
        """Fails if an id that was met stands twice. The pass must be over.

        Raises:
            DataError: it names both lines.
        """
        hashes = np.sort(np.array(self._hashes, np.int64))  # (documents,)
        suspicious = set(hashes[1:][hashes[1:] == hashes[:-1]].tolist())
        if not suspicious:
            return
        first: dict[str | None, SpanDocument] = {}
        for document in self.file:  # equal hashes prove nothing, and only a second pass knows the lines
            if hash(document.id) in suspicious and document is not first.setdefault(document.id, document):
                raise self.twice(first[document.id], document)

    def twice(self, first: SpanDocument, second: SpanDocument) -> DataError:
        """The error for two documents with one id."""
        return DataError(
            f"the id {second.id!r} stands twice in the {WORDS[self.side]}",
            where=self.where(second),
            detail=f"It first stands at {self.where(first)}.",
            remedy="Give every document an id of its own, or leave out all ids to pair the files by order.",
        )

    def _checked(self, documents: Iterator[SpanDocument]) -> Iterator[SpanDocument]:
        with_ids, remember = self.with_ids, self._hashes.append
        for document in documents:
            if (document.id is None) is with_ids:
                raise self._mixed(document)
            if with_ids:
                remember(hash(document.id))
            self.count += 1
            yield document

    def _mixed(self, document: SpanDocument) -> FormatError:
        now, before = ("no id", "have one") if self.with_ids else ("an id", "have none")
        return FormatError(
            f"the document has {now}, but the {self.count} before it {before}",
            where=self.where(document),
            remedy="Give every document of the file an id, or none.",
        )


def without_text(document: SpanDocument, name: str, remedy: str = "Give its `text`.") -> FormatError:
    """The error for a document whose names nothing can be found in.

    Args:
        document: of a file or folder.
        name: of that file or folder.
        remedy: what to do about it.
    """
    message = "the document has names without positions, and no text to find them in"
    return FormatError(message, where=place_of(document, name), remedy=remedy)


def place_of(document: SpanDocument, name: str) -> str:
    """File and line of a document.

    Args:
        document: of a file or folder.
        name: of that file or folder.
    """
    return f"{document.file or name}:{document.line}"


def place_of_span(document: SpanDocument, start: int, name: str) -> str:
    """File and line of the first span that starts at a unit; of the document where none does.

    Args:
        document: of a file or folder.
        start: the unit.
        name: of that file or folder.
    """
    starts = (line for line, span in zip(document.lines, document.spans, strict=False) if span[0] == start)
    line = next(starts, None)
    return place_of(document, name) if line is None else f"{document.file or name}:{line}"
