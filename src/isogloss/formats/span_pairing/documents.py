"""Documents of one side as readers hand them over, and the checks that one side needs by itself."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
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


class SpanDocument(msgspec.Struct, frozen=True, gc=False):
    """A document of one side.

    Args:
        line: its line in the file, from 1.
        id: what it is called, None where the file has no ids.
        text: its text, None where the file has none.
        spans: its spans (start, end, label) in code points of the text, unchecked.
        notices: what was done about it, or about a block of documents that it is the first of.
    """

    line: int
    id: str | None
    text: str | None
    spans: Sequence[Triple]
    notices: tuple[Notice, ...] = ()
    columns: Values | None = None


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
    _hashes: array[int] = field(default_factory=lambda: array("q"))

    def __post_init__(self) -> None:
        documents = iter(self.file)
        first = next(documents, None)
        if first is None:
            raise FormatError("holds no documents", where=self.file.name, remedy="Give a row for each document.")
        self.with_ids = first.id is not None
        self._documents = self._checked(chain([first], documents))

    def __iter__(self) -> Iterator[SpanDocument]:
        return self._documents

    def where(self, document: SpanDocument) -> str:
        """File and line of a document."""
        return f"{self.file.name}:{document.line}"

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
