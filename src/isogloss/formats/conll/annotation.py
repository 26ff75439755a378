"""CoNLL columns as an annotation format.

A sentence is a document, and its text is its tokens joined by spaces.

A document is written with a line for each token, token and tag separated by a tab, and a blank line at its end. Ids and
other columns are not written, because many programs take comments for tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from isogloss.errors import UsageError
from isogloss.formats.annotation import (
    AnnotationFile,
    AnnotationFormat,
    DocumentReader,
    FormatOptions,
    OptionReasons,
    make_unwritable_error,
)
from isogloss.formats.conll.columns import check_columns
from isogloss.formats.conll.layout import ConllLayout, detect_conll_layout, is_docstart
from isogloss.formats.conll.reader import SentenceRange, read_tagged
from isogloss.formats.documents import SpanDocument
from isogloss.formats.tag_table import TagTable
from isogloss.formats.tagged_documents import TaggedRow
from isogloss.formats.tokens import TaggedDocument, check_one_line, tag_documents
from isogloss.records.attributes import read_comment_columns
from isogloss.records.destinations import open_binary_output
from isogloss.records.sources import Source


def _read(source: Source, options: FormatOptions) -> AnnotationFile:
    layout = _detect_layout(source, options)
    token, *tag_columns = layout.used_columns
    columns = token + 1, tag_columns[-1 if options.side == "predicted" else 0] + 1
    return AnnotationFile(
        tags=DocumentReader(source.name, partial(_read_rows, source, columns, options)),
        list_columns=lambda: read_comment_columns(source),
        has_words=True,
        chosen_columns=layout.choice,
        warnings=layout.warnings,
    )


def _find_faults(source: Source, options: FormatOptions) -> OptionReasons:
    """Refuse columns of another number, or that the file does not have."""
    try:
        _detect_layout(source, options)
    except UsageError as error:
        return {"columns": str(error)}
    return {}


def _detect_layout(source: Source, options: FormatOptions) -> ConllLayout:
    tags = 2 if options.single_file else 1
    check_columns(options.columns, tags)
    return detect_conll_layout(source, options.columns, tags=tags)


def _read_rows(source: Source, columns: tuple[int, int], options: FormatOptions) -> Iterator[TaggedRow]:
    table = TagTable()
    for block in read_tagged(source, columns, table, attributes=options.attributes):
        part = SentenceRange(block, 0, block.sentences)
        codes, vocabulary = part.tags.tolist(), table.vocabulary
        for row in range(part.sentences):
            first, last = block.offsets[row : row + 2].tolist()
            yield TaggedRow.from_words(
                part.name,
                part.get_line_number(row, 0),
                part.get_tokens(row, row + 1).decode_fields(),
                [vocabulary[code] for code in codes[first:last]],
                columns=None if block.columns is None else block.columns[row],
                lines=_list_token_lines(part, row, last - first),
            )


def _list_token_lines(part: SentenceRange, row: int, tokens: int) -> Sequence[int]:
    """Return the line of each token of a sentence.

    The lines are nearly always consecutive.
    """
    first, last = part.get_line_number(row, 0), part.get_line_number(row, tokens - 1)
    if last - first == tokens - 1:
        return range(first, last + 1)
    return [part.get_line_number(row, position) for position in range(tokens)]


def _write_tags(documents: Iterable[SpanDocument], path: str, scheme: str) -> None:
    with open_binary_output(path) as file:
        for each in tag_documents(documents, scheme):
            lines = [
                f"{_format_token(each, word)}\t{check_one_line(each.document, 'tag', tag)}\n"
                for word, tag in zip(each.words, each.tags, strict=True)
            ]
            if not lines:
                raise make_unwritable_error(
                    each.document, "has no tokens", "Leave it out, or write a format with texts."
                )
            file.write(("".join(lines) + "\n").encode())


def _format_token(each: TaggedDocument, word: str) -> str:
    if is_docstart(f"{word}\n".encode()):
        raise make_unwritable_error(
            each.document, f"has the token {word!r}, which ends a sentence", "Rename the token."
        )
    return check_one_line(each.document, "token", word)


FORMAT = AnnotationFormat(
    "conll",
    lambda head: not head.is_folder and head.first_row is None,  # any text that no other format recognises
    _read,
    has_both_sides=True,
    write_tags=_write_tags,
    options=("columns",),
    find_faults=_find_faults,
)
