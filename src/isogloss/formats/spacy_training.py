"""Training data of spaCy 2: paragraphs of tokens with BILUO tags.

    [{"id": 0, "paragraphs": [{"raw": "Ada ran", "sentences": [{"tokens": [{"orth": "Ada", "ner": "U-PER"}, …]}]}]}]

A paragraph is a document, as it is for spaCy. Its text is `raw`, or else its tokens joined by spaces. Ids number files
rather than paragraphs, so they are not read. The tag `-` says that nobody annotated a token, which is an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain

import msgspec

from isogloss.errors import FormatError
from isogloss.formats.annotation import (
    AnnotationFile,
    AnnotationFormat,
    DocumentReader,
    FormatOptions,
    matches_first_row,
)
from isogloss.formats.tagged_documents import TaggedRow
from isogloss.formats.tokens import build_tagged_row
from isogloss.records.json_fields import LazyRow, make_column_lister, read_lazy_rows
from isogloss.records.sources import Source

REMEDY = (
    'A document looks like {"id": 0, "paragraphs": [{"raw": "Ada ran", "sentences": [{"tokens": [{"orth": "Ada", '
    '"ner": "U-PER"}, {"orth": "ran", "ner": "O"}]}]}]}.'
)
MISSING = "-"


class _Token(msgspec.Struct, gc=False):
    orth: str
    ner: str | None = None


class _Sentence(msgspec.Struct, gc=False):
    tokens: list[_Token]


class _Paragraph(msgspec.Struct, gc=False):
    sentences: list[_Sentence]
    raw: str | None = None


_PARAGRAPHS = msgspec.json.Decoder(list[_Paragraph])


def _read(source: Source, options: FormatOptions) -> AnnotationFile:
    tags = DocumentReader(source.name, partial(_read_paragraphs, source, options))
    return AnnotationFile(tags=tags, list_columns=make_column_lister(source), has_words=True)


def _read_paragraphs(source: Source, options: FormatOptions) -> Iterator[TaggedRow]:
    for row in read_lazy_rows(source, REMEDY):
        paragraphs = row.read("paragraphs", _PARAGRAPHS)
        if paragraphs is None:
            raise row.build_error("the row has no `paragraphs`")
        columns = row.read_columns(options.attributes)
        for paragraph in paragraphs:
            tokens = list(chain.from_iterable(sentence.tokens for sentence in paragraph.sentences))
            tags = [_get_tag(token, row) for token in tokens]
            words = [token.orth for token in tokens]
            yield build_tagged_row(source.name, row.line, words, tags, paragraph.raw, columns=columns)


def _get_tag(token: _Token, row: LazyRow) -> str:
    if token.ner in {None, "", MISSING}:
        message = f"the token {token.orth!r} has no NER tag: nobody annotated it"
        raise FormatError(message, where=row.where, remedy="Leave out texts that are not annotated; O is no entity.")
    return str(token.ner)


FORMAT = AnnotationFormat(
    "spacy-training", matches_first_row(lambda row: isinstance(row.get("paragraphs"), list)), _read
)
