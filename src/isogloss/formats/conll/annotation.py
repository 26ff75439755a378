"""CoNLL columns beside the other formats of named entities: a sentence is a document, its tokens joined by spaces.

A document is written as a line a token, token and tag with a tab between, and a blank line. Ids and other columns are
not written: many programs take comments for tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from isogloss.formats.annotation import (
    AnnotationFormat,
    Annotations,
    Documents,
    Head,
    LackingOptionError,
    Options,
    unwritable,
)
from isogloss.formats.conll.layout import is_docstart
from isogloss.formats.conll.reader import Part, read_tagged
from isogloss.formats.documents import SpanDocument
from isogloss.formats.tag_table import TagTable
from isogloss.formats.tagged import TaggedRow
from isogloss.formats.tokens import Tagged, in_one_line, tagged
from isogloss.records.attributes import columns_of_comments
from isogloss.records.destinations import written
from isogloss.records.sources import Source


def _recognises(head: Head) -> bool:
    return not head.is_folder and head.row is None  # what nothing else is


def _read(source: Source, options: Options) -> Annotations:
    options.only("conll", "columns")
    columns = _columns(options)
    return Annotations(
        tags=Documents(source.name, partial(_rows, source, columns, options)),
        columns=lambda: columns_of_comments(source),
        words=True,
    )


def _columns(options: Options) -> tuple[int, int]:
    """The columns of token and tag."""
    numbers = [column for column in options.columns or () if isinstance(column, int)]
    wanted = 3 if options.alone else 2
    if options.columns is not None and (len(numbers) != len(options.columns) or len(numbers) != wanted):
        given = ",".join(map(str, options.columns))
        message = f"columns {given} cannot be read: CoNLL columns are {wanted} numbers, the first of the token."
        raise LackingOptionError("columns", message)
    token, *tags = numbers or ((1, -2, -1) if options.alone else (1, -1))
    return token, tags[-1 if options.side == "predicted" else 0]


def _rows(source: Source, columns: tuple[int, int], options: Options) -> Iterator[TaggedRow]:
    table = TagTable()
    for block in read_tagged(source, columns, table, attributes=options.attributes):
        part = Part(block, 0, block.sentences)
        codes, vocabulary = part.tags.tolist(), table.vocabulary
        for row in range(part.sentences):
            first, last = block.offsets[row : row + 2].tolist()
            yield TaggedRow.of_words(
                part.name,
                part.line(row, 0),
                part.tokens(row, row + 1).texts(),
                [vocabulary[code] for code in codes[first:last]],
                columns=None if block.columns is None else block.columns[row],
                lines=_lines(part, row, last - first),
            )


def _lines(part: Part, row: int, tokens: int) -> Sequence[int]:
    """The line of each token of a sentence, most of which stand in lines that follow each other."""
    first, last = part.line(row, 0), part.line(row, tokens - 1)
    if last - first == tokens - 1:
        return range(first, last + 1)
    return [part.line(row, position) for position in range(tokens)]


def _write_tags(documents: Iterable[SpanDocument], path: str, scheme: str) -> None:
    with written(path) as file:
        for each in tagged(documents, scheme):
            lines = [f"{_token(each, word)}\t{tag}\n" for word, tag in zip(each.words, _tags(each), strict=True)]
            if not lines:
                raise unwritable(each.document, "has no tokens", "Leave it out, or write a format with texts.")
            file.write(("".join(lines) + "\n").encode())


def _token(each: Tagged, word: str) -> str:
    if is_docstart(f"{word}\n".encode()):
        raise unwritable(each.document, f"has the token {word!r}, which ends a sentence", "Write it another way.")
    return in_one_line(each.document, "token", word)


def _tags(each: Tagged) -> Iterator[str]:
    return (in_one_line(each.document, "tag", tag) for tag in each.tags)


def _write(documents: Iterable[SpanDocument], path: str) -> None:
    _write_tags(documents, path, "iob2")


FORMAT = AnnotationFormat("conll", _recognises, _read, _write, both_sides=True, write_tags=_write_tags)
