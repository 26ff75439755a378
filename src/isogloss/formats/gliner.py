"""Training data of GLiNER: JSON Lines or one JSON array.

Spans count tokens and include their last token.

    {"tokenized_text": ["Ada", "met", "Bob", "."], "ner": [[0, 0, "PER"], [2, 2, "PER"]]}

The text of a document is its tokens joined by spaces, and may differ in white space from the other side. A row may have
an `id`, a string or a whole number; either all rows have one or none. Other keys are ignored. An array is held in
memory as a whole, lines are read one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from isogloss.errors import FormatError
from isogloss.formats.annotation import (
    AnnotationFormat,
    FormatOptions,
    get_writable_text,
    matches_first_row,
    read_spans,
    write_json_lines,
)
from isogloss.formats.documents import SpanDocument
from isogloss.formats.tokens import find_token_range, tokenize_text
from isogloss.kernel.provenance import TextExcerpt
from isogloss.records.json_fields import ColumnDecoder, make_column_lister
from isogloss.records.json_lines import read_rows
from isogloss.records.sources import Source
from isogloss.text.display import format_count

REMEDY = 'A row looks like {"tokenized_text": ["Ada", "met", "Bob"], "ner": [[0, 0, "PER"], [2, 2, "PER"]]}.'
POSITION_REMEDY = "Both positions count tokens from 0, and the second is that of the last token."


class GlinerEntity(msgspec.Struct, gc=False, array_like=True):
    """A span; a score may follow."""

    first: int
    last: int
    label: str


class GlinerRow(msgspec.Struct, gc=False):
    """The required fields of a row, and its id."""

    tokenized_text: list[str]
    ner: list[GlinerEntity]
    id: str | int | None = None


_ROW = msgspec.json.Decoder(GlinerRow)


def _read_documents(source: Source, options: FormatOptions) -> Iterator[SpanDocument]:
    columns = ColumnDecoder.build(GlinerRow, options.attributes) if options.attributes else None
    for line, row in read_rows(source, _ROW if columns is None else columns.decoder, REMEDY):
        where = source.locate(line)
        tokens = row.tokenized_text
        if not all(tokens):
            message = f"`tokenized_text[{tokens.index('')}]` is empty"
            raise FormatError(message, where=where, remedy="Leave out empty tokens, and count the others again.")
        passage = TextExcerpt.from_words(tokens)
        bounds = list(zip(passage.starts or (), passage.ends or (), strict=True))
        for at, entity in enumerate(row.ner):
            if not 0 <= entity.first <= entity.last < len(tokens):
                message = (
                    f"`ner[{at}]`, [{entity.first}, {entity.last}], is not within {format_count(len(tokens), 'token')}"
                )
                raise FormatError(message, where=where, remedy=POSITION_REMEDY)
        yield SpanDocument(
            line,
            None if row.id is None else str(row.id),
            passage.text,
            [(bounds[entity.first][0], bounds[entity.last][1], entity.label) for entity in row.ner],
            columns=None if columns is None else columns.read_columns(row, where),
            joined=True,
            tokens=bounds,
        )


def _build_row(document: SpanDocument) -> dict[str, Any]:
    text = get_writable_text(document)
    tokens = tokenize_text(text, document.tokens, document.spans)
    spans = [[*find_token_range(document, span, tokens), span[2]] for span in document.spans]
    return {"tokenized_text": [text[a:b] for a, b in tokens], "ner": spans}


FORMAT = AnnotationFormat(
    "gliner",
    matches_first_row(lambda row: "tokenized_text" in row),
    read_spans(_read_documents, make_column_lister),
    write_json_lines(_build_row),
    options=(),
)
