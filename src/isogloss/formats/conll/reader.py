"""CoNLL files in blocks of whole sentences.

A block has tokens, tag codes, and columns from comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from isogloss.errors import DataError
from isogloss.formats.conll.layout import (
    BLANK,
    DOCSTART,
    ConllLayout,
    detect_conll_layout,
    is_docstart,
    make_no_documents_error,
)
from isogloss.formats.conll.scan import FieldColumn, TextBuffer, TokenRows, scan_token_rows
from isogloss.formats.tag_table import TagTable
from isogloss.kernel.provenance import TextExcerpt
from isogloss.kernel.scores import Ints
from isogloss.records.attributes import Comments, Values
from isogloss.records.sources import Source
from isogloss.spans.batches import Codes

# Lines that may be comments or begin a document; each begins with the newline before it.
MARK_LINE = re.compile(rb"\n[ \t]*(#[^\n]*|" + re.escape(DOCSTART) + rb"[^\n]*)")


def read_sentence_columns(rows: TokenRows, offsets: Ints, comments: Comments) -> Sequence[Values]:
    """Return the columns of each sentence: (sentences,).

    Args:
        rows: the token lines of a text of whole sentences.
        offsets: (sentences + 1,) first token of each sentence.
        comments: state after the texts before; it is updated by this text.
    """
    buffer, tokens = rows.buffer, rows.before.take(rows.first) + 1  # (tokens,) where each begins
    columns: list[Values] = []
    for mark in MARK_LINE.finditer(buffer.padded):
        at = mark.start(1)
        token = int(np.searchsorted(tokens, at))  # the first token at or after the mark
        if token < len(tokens) and tokens[token] == at:
            continue  # a line that begins with # and is a token
        sentence = int(np.searchsorted(offsets, token, side="right")) - 1
        while len(columns) < min(sentence, len(offsets) - 1):
            columns.append(comments.finish_sentence())
        line = mark[1]
        if line.startswith(b"#") or is_docstart(line):
            comments.read_line(line.decode())
    while len(columns) < len(offsets) - 1:
        columns.append(comments.finish_sentence())
    return columns


BLOCK = 1 << 19  # bytes: intermediate results fit into the processor's cache


@dataclass(frozen=True, eq=False)
class TaggedBlock:
    """Consecutive sentences of a file with one or more tags per token.

    Args:
        name: the name of the file in messages.
        first_line: number in the file of the first line of the block.
        rows: the token lines.
        offsets: (sentences + 1,) first token of each sentence; the last is the number of tokens.
        token_column: the column of the words, from 0.
        tags: per tag column (tokens,) codes.
        text: the same lines as stored in the file, with the blanks and carriage returns that `rows` may lack.
        columns: (sentences,) the wanted values from comments; None if nothing is wanted.
    """

    name: str
    first_line: int
    rows: TokenRows
    offsets: Ints
    token_column: int
    tags: tuple[Codes, ...]
    text: TextBuffer
    columns: Sequence[Values] | None = None

    @property
    def sentences(self) -> int:
        """Number of sentences."""
        return len(self.offsets) - 1

    @cached_property
    def tokens(self) -> FieldColumn:
        """(tokens,) the words."""
        return self.rows.get_column(self.token_column)

    def get_line_number(self, token: int) -> int:
        """Return the line number in the file of a token."""
        return self.first_line + int(self._token_lines[token])

    def get_line_numbers(self, tokens: Ints) -> Ints:
        """Return the line number in the file of each token."""
        lines: Ints = self.first_line - 1 + np.searchsorted(self.rows.buffer.newlines, self.tokens.ends[tokens])
        return lines

    @cached_property
    def _token_lines(self) -> Ints:
        """(tokens,) the line of each token, from 0 within the block."""
        return np.searchsorted(self.rows.buffer.newlines, self.tokens.ends) - 1

    def get_lines(self, first: int, last: int) -> list[tuple[int, str]]:
        """Return number and text of the block's lines within a range.

        Args:
            first: number in the file of the first line.
            last: number of the last line.
        """
        low, stop = max(first - self.first_line, 0), min(last - self.first_line + 1, self.rows.line_count)
        texts = [self.rows.buffer.get_lines(line, line + 1).decode().rstrip("\n") for line in range(low, stop)]
        return list(enumerate(texts, self.first_line + low))


@dataclass(frozen=True, eq=False)
class SentenceRange:
    """Consecutive sentences of a block with one of its tag columns.

    Rows count from its first sentence.

    Args:
        block: the block.
        start: position in the block of the first sentence.
        stop: position after the last sentence.
        column: which of the tag columns of the block, from 0.
    """

    block: TaggedBlock
    start: int
    stop: int
    column: int = 0

    def __len__(self) -> int:
        """Return the number of sentences."""
        return self.stop - self.start

    def select_rows(self, start: int, stop: int) -> SentenceRange:
        """Return the sentences from `start` to before `stop`."""
        return replace(self, start=self.start + start, stop=self.start + stop)

    @property
    def sentences(self) -> int:
        """Number of sentences."""
        return len(self)

    @property
    def name(self) -> str:
        """The name of the file in messages."""
        return self.block.name

    @property
    def offsets(self) -> Ints:
        """(sentences + 1,) first token of each sentence, then the token count."""
        offsets = self.block.offsets[self.start : self.stop + 1]
        return offsets if self.start == 0 else offsets - offsets[0]

    @property
    def tags(self) -> Codes:
        """(tokens,) codes."""
        return self.block.tags[self.column][self.block.offsets[self.start] : self.block.offsets[self.stop]]

    def get_tokens(self, start: int, stop: int) -> FieldColumn:
        """Return the tokens of the rows from `start` to before `stop`."""
        bounds = self.block.offsets[self.start + start], self.block.offsets[self.start + stop]
        return self.block.tokens.slice_rows(int(bounds[0]), int(bounds[1]))

    def get_line_number(self, row: int, position: int) -> int:
        """Return the line number in the file of a token.

        Args:
            row: its sentence.
            position: its place in the sentence. The number of tokens stands for the line that ends the sentence, if
                any.
        """
        first, after = self.block.offsets[self.start + row : self.start + row + 2].tolist()
        if first + position < after:
            return self.block.get_line_number(first + position)
        end = self.block.get_line_number(after - 1) + 1
        return end if self.block.get_lines(end, end) else end - 1

    def list_token_places(self, rows: Ints, positions: Ints) -> list[str]:
        """Return file and line of each token.

        Args:
            rows: (tokens,) their sentences.
            positions: (tokens,) their places in the sentences, below the number of tokens.
        """
        lines = self.block.get_line_numbers(self.block.offsets[self.start + rows] + positions)
        name = self.name
        return [f"{name}:{line}" for line in lines.tolist()]

    def join_tokens(self, rows: Ints) -> list[TextExcerpt]:
        """Return the tokens of sentences, joined by spaces: (rows,)."""
        first, after = self.block.offsets[self.start + rows], self.block.offsets[self.start + rows + 1]
        begin = np.concatenate([[0], np.cumsum(after - first)])  # (rows + 1,)
        at = np.arange(begin[-1]) + np.repeat(first - begin[:-1], after - first)  # (tokens,)
        return self.block.tokens.take(at).join_rows(begin)

    def get_last_line(self) -> int:
        """Return the line number in the file of the last token."""
        return self.block.get_line_number(int(self.block.offsets[self.stop]) - 1)

    def get_value(self, row: int, column: str) -> str | None:
        """Return the value of a column in the comments of a sentence."""
        return None if self.block.columns is None else self.block.columns[self.start + row].get(column)


def read_tagged(  # noqa: PLR0913  all but source, columns and table are options
    source: Source,
    columns: Sequence[int | str] | None,
    table: TagTable,
    block_size: int = BLOCK,
    *,
    tags: int = 1,
    attributes: Sequence[str] = (),
    keep_empty: bool = False,
    layout: ConllLayout | None = None,
) -> Iterator[TaggedBlock]:
    """Read a file in blocks of whole sentences.

    Args:
        source: the file.
        columns: the column of the token, then those of tags, as for `detect_conll_layout`.
        table: the codes of tags, shared by all files that are compared.
        block_size: approximate bytes of a block; a sentence is never cut.
        tags: number of columns of tags if `columns` is None.
        attributes: names of the columns to keep from comments.
        keep_empty: whether to yield blocks without sentences too, so that the blocks hold the whole file.
        layout: the layout of the file, if it was detected before with the same columns and tags; else None.

    Yields:
        Blocks of at least one sentence, or of any number with `keep_empty`.

    Raises:
        SourceError: if the file cannot be read, is not text, or holds no token.
        FormatError: if a line does not have the columns of the file.
    """
    layout = layout or detect_conll_layout(source, columns, tags=tags)
    has_rows, comments = False, Comments(attributes)
    for buffer, first_line in _read_whole_sentences(source, layout, block_size):
        rows = scan_token_rows(buffer, layout, first_line)
        offsets = rows.compute_offsets()
        values = read_sentence_columns(rows, offsets, comments) if attributes else None
        has_rows = has_rows or len(rows.first) > 0
        if keep_empty or len(rows.first):
            codes = tuple(_encode_tags(rows.get_column(column), table) for column in layout.used_columns[1:])
            yield TaggedBlock(layout.name, first_line, rows, offsets, layout.used_columns[0], codes, buffer, values)
    if not has_rows:
        raise make_no_documents_error(source.name)


def _encode_tags(tags: FieldColumn, table: TagTable) -> Codes:
    """Return (tokens,) codes. Most tags are "O", which need no look-up."""
    others = np.flatnonzero(~tags.equals(b"O"))
    before = tags.before.take(others)
    tag_codes = table.encode_tags(tags.buffer.all_bytes, before + 1, tags.ends.take(others) - before - 1)
    codes = np.zeros(len(tags), tag_codes.dtype)
    codes[others] = tag_codes
    return codes


def _read_whole_sentences(source: Source, layout: ConllLayout, size: int) -> Iterator[tuple[TextBuffer, int]]:
    """Yield texts of whole sentences and the number of their first line."""
    pending: list[bytes] = []
    first_line = 1
    try:
        for block in source.blocks(size):
            cut = _find_sentence_end(block.data)
            if cut:
                yield TextBuffer.from_pieces([*pending, memoryview(block.data)[:cut]]), first_line
                first_line = block.first_line + block.lines - block.data.count(b"\n", cut)
                pending = []
            pending.append(block.data[cut:])
    except DataError:
        scan_token_rows(TextBuffer.from_pieces(pending), layout, first_line)  # report a fault further up first
        raise
    if any(pending):
        yield TextBuffer.from_pieces(pending), first_line


def _find_sentence_end(data: bytes) -> int:
    """Return the position after the last line that ends a sentence.

    Return 0 if there is no such line.
    """
    end = len(data)
    while end:
        begin = data.rfind(b"\n", 0, end - 1) + 1
        line = data[begin:end]
        if not line.strip(BLANK) or is_docstart(line):
            return end
        end = begin
    return 0
