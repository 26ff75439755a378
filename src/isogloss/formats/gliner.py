"""Training data of GLiNER: JSON lines or one JSON array, with spans that count tokens and include the last one.

    {"tokenized_text": ["Ada", "met", "Bob", "."], "ner": [[0, 0, "PER"], [2, 2, "PER"]]}

The text of a document is its tokens joined by spaces, and one with other white space is the same. It may have an `id`,
a string or a whole number; all have one, or none has. Other keys are ignored. An array is in memory as a whole, lines
are read one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from isogloss.errors import FormatError
from isogloss.formats.annotation import AnnotationFormat, Annotations, Documents, Head, Options, writable_text
from isogloss.formats.documents import SpanDocument
from isogloss.formats.tokens import first_and_last, tokens_of
from isogloss.kernel.provenance import Passage
from isogloss.records.destinations import written
from isogloss.records.json_lines import Columns
from isogloss.records.json_rows import columns_of, read_rows
from isogloss.records.sources import Source
from isogloss.text.display import counted

REMEDY = 'A row looks like {"tokenized_text": ["Ada", "met", "Bob"], "ner": [[0, 0, "PER"], [2, 2, "PER"]]}.'
INCLUSIVE = "Both positions count tokens from 0, and the second is that of the last token."


class Entity(msgspec.Struct, gc=False, array_like=True):
    """A span; a score may follow."""

    first: int
    last: int
    label: str


class Row(msgspec.Struct, gc=False):
    """What a row must hold, and its id."""

    tokenized_text: list[str]
    ner: list[Entity]
    id: str | int | None = None


_ROW = msgspec.json.Decoder(Row)


def _recognises(head: Head) -> bool:
    return head.row is not None and "tokenized_text" in head.row


def _read(source: Source, options: Options) -> Annotations:
    options.only("gliner")
    return Annotations(spans=Documents(source.name, partial(_documents, source, options)), columns=columns_of(source))


def _documents(source: Source, options: Options) -> Iterator[SpanDocument]:
    columns = Columns.beside(Row, options.attributes) if options.attributes else None
    for line, row in read_rows(source, _ROW if columns is None else columns.decoder, REMEDY):
        where = f"{source.name}:{line}"
        tokens = row.tokenized_text
        if not all(tokens):
            message = f"`tokenized_text[{tokens.index('')}]` is empty"
            raise FormatError(message, where=where, remedy="Leave out empty tokens, and count the others again.")
        passage = Passage.of_words(tokens)
        bounds = list(zip(passage.starts or (), passage.ends or (), strict=True))
        for at, entity in enumerate(row.ner):
            if not 0 <= entity.first <= entity.last < len(tokens):
                message = f"`ner[{at}]`, [{entity.first}, {entity.last}], is not within {counted(len(tokens), 'token')}"
                raise FormatError(message, where=where, remedy=INCLUSIVE)
        yield SpanDocument(
            line,
            None if row.id is None else str(row.id),
            passage.text,
            [(bounds[entity.first][0], bounds[entity.last][1], entity.label) for entity in row.ner],
            columns=None if columns is None else columns.of(row, where),
            joined=True,
            tokens=bounds,
        )


def _write(documents: Iterable[SpanDocument], path: str) -> None:
    with written(path) as file:
        for document in documents:
            file.write(msgspec.json.encode(_written(document)) + b"\n")


def _written(document: SpanDocument) -> dict[str, object]:
    """The row of a document, its spans as tokens."""
    text = writable_text(document)
    tokens = tokens_of(text, document.tokens, document.spans)
    spans = [[*first_and_last(document, span, tokens), span[2]] for span in document.spans]
    row: dict[str, object] = {} if document.id is None else {"id": document.id}
    return row | {"tokenized_text": [text[a:b] for a, b in tokens], "ner": spans}


FORMAT = AnnotationFormat("gliner", _recognises, _read, _write)
