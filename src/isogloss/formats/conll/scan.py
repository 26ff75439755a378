"""A CoNLL text as an array of bytes.

The module finds token lines, and compares and replaces many fields at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from isogloss.formats.conll.layout import DOCSTART, ConllLayout, is_docstart, make_carriage_return_error
from isogloss.kernel.provenance import TextExcerpt
from isogloss.kernel.scores import Ints

WORD = 8  # bytes
PADDING = b"\n" * (2 * WORD)  # so that words may be read beyond the last field
COMPARED_BYTES = 16 * WORD  # bytes up to which fields are compared word by word
_MASKS = np.array([(1 << 8 * used) - 1 for used in range(WORD + 1)], np.uint64)  # (bytes used of a word + 1,)


@dataclass(frozen=True, eq=False)
class TextBuffer:
    """A text of whole lines.

    Args:
        padded: a newline, so that every field has a separator before it; the text in UTF-8, its last line ended by a
            newline; and `PADDING`.
    """

    padded: bytes

    @classmethod
    def from_pieces(cls, pieces: Iterable[bytes | memoryview]) -> TextBuffer:
        """Build a text from its pieces."""
        return cls(b"".join([b"\n", *pieces, PADDING]))

    @cached_property
    def all_bytes(self) -> NDArray[np.uint8]:
        """(bytes,) all bytes, with the padding."""
        return np.frombuffer(self.padded, np.uint8)

    @property
    def text_bytes(self) -> NDArray[np.uint8]:
        """(bytes,) the first newline and the text."""
        return self.all_bytes[: -len(PADDING)]

    @cached_property
    def newlines(self) -> Ints:
        """(lines + 1,) position of the newline before each line.

        The last item is the position of the newline after the last line.
        """
        return np.flatnonzero(self.text_bytes == ord("\n"))

    def get_line_index(self, at: int) -> int:
        """Return the line, from 0, that a position belongs to."""
        return int(np.searchsorted(self.newlines, at)) - 1

    def get_lines(self, first: int, stop: int) -> bytes:
        """Return the lines from `first`, counted from 0, to before `stop`."""
        return self.padded[self.newlines[first] + 1 : self.newlines[stop] + 1]

    @cached_property
    def _word_view(self) -> NDArray[np.uint64]:
        """The bytes as words at multiples of eight."""
        return np.frombuffer(self.padded, "<u8", len(self.padded) // WORD)

    def read_words(self, at: Ints) -> NDArray[np.uint64]:
        """Return the eight bytes from each position on, the first one lowest.

        They are combined from two aligned words each.

        Reading unaligned words takes numpy four times as long.

        Args:
            at: (positions,) within the text.
        """
        word = at >> 3
        shift = at.view(np.uint64) & np.uint64(7)
        shift <<= np.uint64(3)  # bits
        words = self._word_view.take(word)
        words >>= shift
        rest = self._word_view[1:].take(word)
        shift ^= np.uint64(63)
        rest <<= shift
        rest <<= np.uint64(1)
        words |= rest
        return words


@dataclass(frozen=True, eq=False)
class FieldColumn:
    """One field of each row of a text.

    Args:
        buffer: the text.
        before: (rows,) position of the separator before each field.
        ends: (rows,) position of the separator after it.
    """

    buffer: TextBuffer
    before: Ints
    ends: Ints

    def __len__(self) -> int:
        return len(self.ends)

    def get_field(self, row: int) -> bytes:
        """Return the bytes of one field."""
        return self.buffer.padded[self.before[row] + 1 : self.ends[row]]

    def decode_fields(self) -> list[str]:
        """Return (rows,) the fields as text."""
        bounds = zip(self.before.tolist(), self.ends.tolist(), strict=True)
        fields = b"\n".join([self.buffer.padded[before + 1 : end] for before, end in bounds])
        return fields.decode().split("\n") if len(self) else []

    def join_rows(self, begin: Ints) -> list[TextExcerpt]:
        """Join groups of fields by spaces.

        Args:
            begin: (groups + 1,) the first row of each group, then the number of rows.
        """
        lengths = self.ends - self.before  # (rows,) bytes of each field and the space after it
        starts = np.concatenate([[0], np.cumsum(lengths)])  # (rows + 1,) bytes
        at = np.arange(starts[-1]) + np.repeat(self.before + 1 - starts[:-1], lengths)  # (bytes,)
        joined = self.buffer.text_bytes.take(at)  # (bytes,)
        joined[starts[1:] - 1] = SPACE
        text = joined.tobytes().decode()
        if not text.isascii():
            starts = _count_code_points(joined)[starts]  # (rows + 1,) code points
        is_printable = bool((joined >= SPACE).all()) if text.isascii() else text.isprintable()
        are_words = is_printable and text.count(" ") == len(lengths) and bool((lengths > 1).all())
        groups = np.repeat(starts[begin[:-1]], np.diff(begin))  # (rows,) where the text of its group starts
        own_starts, own_ends = memoryview(starts[:-1] - groups), memoryview(starts[1:] - groups - 1)
        return [
            TextExcerpt(
                text[low : high - 1] if first < after else "",
                own_starts[first:after],
                own_ends[first:after],
                are_words=are_words,
            )
            for (first, after), (low, high) in zip(
                pairwise(begin.tolist()), pairwise(starts[begin].tolist()), strict=True
            )
        ]

    def slice_rows(self, start: int, stop: int) -> FieldColumn:
        """Return the rows from `start` to before `stop`."""
        return FieldColumn(self.buffer, self.before[start:stop], self.ends[start:stop])

    def take(self, rows: Ints) -> FieldColumn:
        """Return the rows at these positions."""
        return FieldColumn(self.buffer, self.before.take(rows), self.ends.take(rows))

    def equals(self, letter: bytes) -> NDArray[np.bool_]:
        """Return (rows,) whether a field is this one letter."""
        equal: NDArray[np.bool_] = self.buffer.text_bytes[1:].take(self.before) == ord(letter)  # (rows,)
        equal &= self.ends - self.before == len("\tO")
        return equal

    def find_difference(self, other: FieldColumn) -> int | None:
        """Return the first row that differs from another column; None if equal."""
        lengths = self.ends - self.before - 1  # (rows,)
        even = lengths == other.ends - other.before - 1  # (rows,)
        upto = len(even) if even.all() else int(even.argmin())  # rows of equal length
        rows = np.arange(upto)  # (rows compared,)
        one, two, first = self.slice_rows(0, upto), other.slice_rows(0, upto), upto
        for done in range(0, COMPARED_BYTES, WORD):
            left = one.ends - one.before - (1 + done)  # (rows compared,) bytes
            words = one.buffer.read_words(one.before + (1 + done)) ^ two.buffer.read_words(two.before + (1 + done))
            words &= _MASKS.take(left, mode="clip")
            if words.any():
                first = min(first, int(rows[words != 0][0]))
            longer = np.flatnonzero(left > WORD)
            one, two, rows = one.take(longer), two.take(longer), rows.take(longer)
            if not len(rows):
                break
        first = min([first, *(int(row) for at, row in enumerate(rows) if one.get_field(at) != two.get_field(at))])
        return None if first == len(even) else first


def _count_code_points(data: NDArray[np.uint8]) -> Ints:
    """Count the code points before each byte of UTF-8.

    The last of the (bytes + 1,) numbers counts all.
    """
    is_first = (data & 0xC0) != 0x80  # noqa: PLR2004  the bits of a continuation byte
    counts: Ints = np.concatenate([[0], np.cumsum(is_first)])
    return counts


Mask = NDArray[np.bool_]
NEWLINE, TAB, SPACE, HASH, CARRIAGE_RETURN = b"\n\t #\r"
_DOCSTART_BEGIN = np.frombuffer(DOCSTART, "<u8", 1)[0]


@dataclass(frozen=True, eq=False)
class TokenRows:
    """The token lines of a text.

    Args:
        buffer: the text, without carriage returns.
        before: (fields,) position of the separator before each field.
        ends: (fields,) position of the separator after it.
        first: (rows,) the field that is the first column of a row; the others follow it.
        sentence_breaks: (sentence ends,) rows before each line that ends a sentence, ascending.
        line_count: number of lines of the text.
    """

    buffer: TextBuffer
    before: Ints
    ends: Ints
    first: Ints
    sentence_breaks: Ints
    line_count: int

    def get_column(self, column: int) -> FieldColumn:
        """Return one column, counted from 0."""
        return FieldColumn(self.buffer, self.before[column:].take(self.first), self.ends[column:].take(self.first))

    def compute_offsets(self) -> Ints:
        """Return (sentences + 1,) each sentence's first row, then the row count."""
        bounds = np.concatenate(([0], self.sentence_breaks, [len(self.first)]))
        return bounds[np.concatenate(([True], bounds[1:] != bounds[:-1]))]


def scan_token_rows(buffer: TextBuffer, layout: ConllLayout, first_line: int) -> TokenRows:
    """Find the token lines of a text.

    Args:
        buffer: the text.
        layout: how its lines are split into columns.
        first_line: number of the first line in the file.

    Raises:
        FormatError: if a line has another number of columns, an empty one that is read, or a carriage return inside.
    """
    if b"\r" in buffer.padded:
        buffer = _remove_carriage_returns(buffer, layout, first_line)
    lines = _scan_tidy_lines(buffer, tabs=layout.tabs)
    if lines is None:
        squeezed = _squeeze_blanks(buffer, tabs=layout.tabs)
        lines = _scan_tidy_lines(squeezed, tabs=layout.tabs)
        buffer = buffer if lines is None else squeezed
    lines = lines or _scan_untidy_lines(buffer, tabs=layout.tabs)
    return _select_token_rows(buffer, layout, lines, first_line)


def _remove_carriage_returns(buffer: TextBuffer, layout: ConllLayout, first_line: int) -> TextBuffer:
    letters, after = buffer.text_bytes[:-1], buffer.text_bytes[1:]
    inside = (letters == CARRIAGE_RETURN) & (after != CARRIAGE_RETURN) & (after != NEWLINE)
    if inside.any():
        line = buffer.get_line_index(int(inside.argmax()))
        scan_token_rows(
            TextBuffer.from_pieces([buffer.get_lines(0, line)]), layout, first_line
        )  # report a fault further up first
        raise make_carriage_return_error(layout.name, buffer.get_lines(line, line + 1)[:-1], first_line + line)
    return TextBuffer(buffer.padded.translate(None, b"\r"))


@dataclass(frozen=True, eq=False)
class _Lines:
    """All lines of a text and their fields.

    Args:
        before: (fields,) position of the separator before each field.
        ends: (fields,) position of the separator after it.
        first: (lines,) the first field of the line.
        columns: (lines,) number of fields of each line, 0 for a blank one.
        has_empty: whether some fields are empty.
    """

    before: Ints
    ends: Ints
    first: Ints
    columns: Ints
    has_empty: bool = False


def _scan_tidy_lines(buffer: TextBuffer, *, tabs: bool) -> _Lines | None:
    """Return the lines of a tidy text, else None."""
    separating, newline = _mask_separators(buffer.text_bytes, tabs=tabs), buffer.text_bytes == NEWLINE
    blank = np.count_nonzero(newline[1:] & newline[:-1])  # lines without a byte
    if np.count_nonzero(separating[1:] & separating[:-1]) != blank:
        return None
    if tabs and b" " in buffer.padded:
        space = buffer.text_bytes == SPACE
        if (space[1:] & separating[:-1]).any() or (space[:-1] & separating[1:]).any():
            return None
    marks = np.flatnonzero(separating)  # (separators,)
    last = np.flatnonzero(newline.take(marks))  # (lines + 1,) newlines among them, and that in front
    columns = last[1:] - last[:-1]  # (lines,)
    if blank:
        single = np.flatnonzero(columns == 1)
        ends = marks.take(last[1:].take(single))
        columns[single[newline.take(ends - 1)]] = 0
    return _Lines(marks[:-1], marks[1:], last[:-1], columns)


def _squeeze_blanks(buffer: TextBuffer, *, tabs: bool) -> TextBuffer:
    """Remove blanks before newlines and, unless tabs separate columns, repeated blanks."""
    blank = buffer.text_bytes == SPACE
    blank |= buffer.text_bytes == TAB
    follows = _mask_separators(buffer.text_bytes, tabs=tabs) if not tabs else buffer.text_bytes == NEWLINE
    keep = np.ones(len(buffer.all_bytes), np.bool_)
    keep[: len(blank) - 1] = ~(blank[:-1] & follows[1:])
    return TextBuffer(buffer.all_bytes[keep].tobytes())


def _scan_untidy_lines(buffer: TextBuffer, *, tabs: bool) -> _Lines:
    """Return the lines of any text."""
    separating = _mask_separators(buffer.text_bytes, tabs=tabs)
    if tabs:
        _mask_spaces_at_tabs(separating, buffer)
    before = np.flatnonzero(separating[:-1] & ~separating[1:])  # (fields,)
    ends = np.flatnonzero(separating[1:] & ~separating[:-1])  # (fields,)
    ends += 1
    newlines = np.cumsum(buffer.text_bytes == NEWLINE, dtype=np.int32)  # (bytes,) up to each
    columns = np.bincount(newlines.take(before) - 1, minlength=int(newlines[-1]) - 1)  # (lines,)
    lines = _Lines(before, ends, np.cumsum(columns) - columns, columns)
    return _add_empty_fields(lines, buffer) if tabs else lines


def _mask_separators(letters: NDArray[np.uint8], *, tabs: bool) -> Mask:
    """Return (bytes,) which bytes separate fields: newlines, tabs and, without `tabs`, spaces."""
    separating: Mask = letters == NEWLINE
    separating |= letters == TAB
    if not tabs:
        separating |= letters == SPACE
    return separating


def _mask_spaces_at_tabs(separating: Mask, buffer: TextBuffer) -> None:
    """Mark the spaces next to tabs and newlines as separators.

    Spaces that are a token are not marked.
    """
    spaces = np.flatnonzero(buffer.text_bytes == SPACE)
    if not len(spaces):
        return
    begins = np.flatnonzero(np.diff(spaces, prepend=-1) > 1)  # (runs of spaces,) among the spaces
    ends = np.append(begins[1:], len(spaces)) - 1  # (runs of spaces,)
    before, after = spaces[begins] - 1, spaces[ends] + 1  # (runs of spaces,)
    outside = separating[before] | separating[after]  # (runs of spaces,)
    separating[spaces[np.repeat(outside, ends - begins + 1)]] = True
    field = (buffer.text_bytes[before] == NEWLINE) & (buffer.text_bytes[after] == TAB)  # (runs of spaces,)
    if field.any():
        field[field] = _find_token_lines(buffer, separating, after[field])
        separating[spaces[np.repeat(field, ends - begins + 1)]] = False


def _find_token_lines(buffer: TextBuffer, separating: Mask, at: Ints) -> Mask:
    """Return (positions,) whether the rest of the line is a token line.

    Such a rest is not blank, not a comment and not `-DOCSTART-`.
    """
    letters = np.append(np.flatnonzero(~separating), len(separating) - 1)  # (letters + 1,)
    first = letters[np.searchsorted(letters, at)]  # (positions,) the first letter after each
    is_token: Mask = first < buffer.newlines[np.searchsorted(buffer.newlines, at)]
    is_token &= buffer.all_bytes[first] != HASH
    return is_token & ~_find_docstarts(buffer, first - 1)


def _add_empty_fields(lines: _Lines, buffer: TextBuffer) -> _Lines:
    """Add the empty fields between two tabs."""
    is_tab = buffer.text_bytes == TAB
    filled = np.flatnonzero(lines.columns)
    if np.count_nonzero(is_tab) == int(lines.columns.sum()) - len(filled):
        return lines
    tabs = np.cumsum(is_tab, dtype=np.int32).take(lines.before).astype(np.int64)  # (fields,) before each field
    first = lines.first[filled]  # (lines that are not blank,)
    columns = np.zeros_like(lines.columns)  # (lines,)
    columns[filled] = tabs[first + lines.columns[filled] - 1] - tabs[first] + 1
    moved = np.cumsum(columns) - columns  # (lines,) the line's first field, the empty ones counted
    place = tabs + np.repeat(moved[filled] - tabs[first], lines.columns[filled])  # (fields,)
    before = np.zeros(int(columns.sum()), np.int64)  # (fields, the empty ones counted)
    ends = np.ones_like(before)
    before[place], ends[place] = lines.before, lines.ends
    return _Lines(before, ends, moved, columns, has_empty=True)


def _select_token_rows(buffer: TextBuffer, layout: ConllLayout, lines: _Lines, first_line: int) -> TokenRows:
    """Select the token lines after checking the other lines.

    The other lines must be blank, comments or `-DOCSTART-`.
    """
    token = lines.columns == layout.columns  # (lines,)
    header = -1 if layout.header_line is None else layout.header_line - first_line
    if 0 <= header < len(token):
        token[header] = False
    other = np.flatnonzero(~token)  # (lines that are no token,)
    first = np.delete(lines.first, other)  # (rows,)
    docstart = _find_docstarts(buffer, lines.before.take(first))  # (rows,)
    if docstart.any():
        token[np.flatnonzero(token)[docstart]] = False
        other, first = np.flatnonzero(~token), first[~docstart]
    filled = lines.columns.take(other) > 0  # (lines that are no token,)
    before = lines.before.take(lines.first.take(other[filled]))
    docstart = _find_docstarts(buffer, before)
    comment = (buffer.text_bytes[1:].take(before) == HASH) | (other[filled] == header)
    faults = [*other[filled][~docstart & ~comment][:1], *_find_empty_columns(layout, lines, token)[:1]]
    if faults:
        line = int(min(faults))
        raise layout.make_error(buffer.get_lines(line, line + 1)[:-1], first_line + line)
    ends_sentence = ~filled  # (lines that are no token,)
    ends_sentence[filled] = docstart
    rows_before = other - np.arange(len(other))  # (lines that are no token,)
    return TokenRows(buffer, lines.before, lines.ends, first, rows_before[ends_sentence], len(token))


def _find_empty_columns(layout: ConllLayout, lines: _Lines, token: Mask) -> Ints:
    """Return the ascending token lines with an empty column that is read."""
    if not lines.has_empty:
        return np.zeros(0, np.int64)
    rows = np.flatnonzero(token)
    empty = np.zeros(len(rows), np.bool_)  # (rows,)
    for column in layout.used_columns:
        field = lines.first.take(rows) + column
        empty |= lines.ends.take(field) - lines.before.take(field) == 1
    return rows[empty]


def _find_docstarts(buffer: TextBuffer, before: Ints) -> Mask:
    """Return which fields after these separators begin with the word `-DOCSTART-`."""
    is_docstart_line: Mask = buffer.text_bytes[1:].take(before) == DOCSTART[0]
    if is_docstart_line.any():
        is_docstart_line &= buffer.read_words(before + 1) == _DOCSTART_BEGIN
    for field in np.flatnonzero(is_docstart_line):
        start = int(before[field]) + 1
        is_docstart_line[field] = is_docstart(buffer.padded[start : start + len(DOCSTART) + 1])
    return is_docstart_line


_BLANK = np.zeros(256, np.bool_)  # (bytes,)
_BLANK[list(b"\t\r ")] = True


def replace_fields(text: TextBuffer, changes: Sequence[tuple[FieldColumn, Sequence[bytes]]]) -> bytes:
    """Return the lines of a text with other words in some fields.

    Everything else stays byte for byte.

    Fields are located in the text that was scanned, which may lack carriage returns and blanks of the stored text. It
    lacks nothing else, so the n-th other byte of the one is the n-th of the other.

    Args:
        text: the text as stored in the file.
        changes: columns of fields that were found in it, and the replacement of each field; no field twice.
    """
    places = [_locate_fields(text, column) for column, _ in changes]
    starts = np.concatenate([np.zeros(0, np.int64), *places])  # (changed fields,)
    lengths = np.concatenate([np.zeros(0, np.int64), *(column.ends - column.before - 1 for column, _ in changes)])
    words = [word for _, words in changes for word in words]
    order = np.argsort(starts, kind="stable")
    view, at = memoryview(text.padded), 1
    pieces: list[bytes | memoryview] = []
    ends = starts + lengths  # (changed fields,)
    for field, start, end in zip(order.tolist(), starts[order].tolist(), ends[order].tolist(), strict=True):
        pieces += (view[at:start], words[field])
        at = end
    return b"".join((*pieces, view[at : len(text.text_bytes)]))


def _locate_fields(text: TextBuffer, column: FieldColumn) -> Ints:
    """Return (fields,) the position of each field's first byte in the text."""
    starts = column.before + 1
    if len(column.buffer.padded) == len(text.padded):
        return starts
    nth = np.cumsum(_find_nonblank(column.buffer)).take(starts) - 1  # (fields,)
    return np.flatnonzero(_find_nonblank(text)).take(nth)


def _find_nonblank(buffer: TextBuffer) -> NDArray[np.bool_]:
    """Return (bytes,) which bytes are not blanks."""
    return ~_BLANK.take(buffer.text_bytes)
