"""A text as an array of bytes, and its fields compared many at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from isogloss.formats.conll.layout import DOCSTART, Layout, carriage_return, is_docstart
from isogloss.kernel.scores import Ints

WORD = 8  # bytes
PADDING = b"\n" * (2 * WORD)  # so that words may be read beyond the last field
BY_WORDS = 16 * WORD  # bytes up to which fields are compared word by word
_MASKS = np.array([(1 << 8 * used) - 1 for used in range(WORD + 1)], np.uint64)  # (bytes used of a word + 1,)


@dataclass(frozen=True, eq=False)
class Buffer:
    """A text of whole lines.

    Args:
        padded: a newline, so that every field has a separator before it; the text in UTF-8, its last line ended by a
            newline; and `PADDING`.
    """

    padded: bytes

    @classmethod
    def of(cls, pieces: Iterable[bytes | memoryview]) -> Buffer:
        """A text from its pieces."""
        return cls(b"".join([b"\n", *pieces, PADDING]))

    @cached_property
    def everything(self) -> NDArray[np.uint8]:
        """(bytes,) all bytes, with the padding."""
        return np.frombuffer(self.padded, np.uint8)

    @property
    def letters(self) -> NDArray[np.uint8]:
        """(bytes,) the newline in front and the text."""
        return self.everything[: -len(PADDING)]

    @cached_property
    def newlines(self) -> Ints:
        """(lines + 1,) position of the newline before each line, and of that after the last."""
        return np.flatnonzero(self.letters == ord("\n"))

    def line(self, at: int) -> int:
        """The line, from 0, that a position belongs to."""
        return int(np.searchsorted(self.newlines, at)) - 1

    def text(self, first: int, stop: int) -> bytes:
        """The lines from `first` to before `stop`, with their newlines; lines count from 0."""
        return self.padded[self.newlines[first] + 1 : self.newlines[stop] + 1]

    @cached_property
    def _aligned(self) -> NDArray[np.uint64]:
        """The bytes in words at multiples of eight."""
        return np.frombuffer(self.padded, "<u8", len(self.padded) // WORD)

    def words(self, at: Ints) -> NDArray[np.uint64]:
        """The eight bytes from each position on, the first one lowest: put together from two aligned words.

        Reading unaligned words takes numpy four times as long.

        Args:
            at: (positions,) within the text.
        """
        word = at >> 3
        shift = at.view(np.uint64) & np.uint64(7)
        shift <<= np.uint64(3)  # bits
        words = self._aligned.take(word)
        words >>= shift
        rest = self._aligned[1:].take(word)
        shift ^= np.uint64(63)
        rest <<= shift
        rest <<= np.uint64(1)
        words |= rest
        return words


@dataclass(frozen=True, eq=False)
class Column:
    """One field of each row of a text.

    Args:
        buffer: the text.
        before: (rows,) position of the separator before each field.
        ends: (rows,) position of the separator after it.
    """

    buffer: Buffer
    before: Ints
    ends: Ints

    def __len__(self) -> int:
        return len(self.ends)

    def field(self, row: int) -> bytes:
        """The bytes of one field."""
        return self.buffer.padded[self.before[row] + 1 : self.ends[row]]

    def texts(self) -> list[str]:
        """(rows,) the fields."""
        return [self.field(row).decode() for row in range(len(self))]

    def rows(self, start: int, stop: int) -> Column:
        """The rows from `start` to before `stop`."""
        return Column(self.buffer, self.before[start:stop], self.ends[start:stop])

    def take(self, rows: Ints) -> Column:
        """The rows at these positions."""
        return Column(self.buffer, self.before.take(rows), self.ends.take(rows))

    def equals(self, letter: bytes) -> NDArray[np.bool_]:
        """(rows,) whether a field is this one letter."""
        equal: NDArray[np.bool_] = self.buffer.letters[1:].take(self.before) == ord(letter)  # (rows,)
        equal &= self.ends - self.before == len("\tO")
        return equal

    def first_difference(self, other: Column) -> int | None:
        """The first row whose fields have other bytes in another column of as many rows; None where all are equal."""
        lengths = self.ends - self.before - 1  # (rows,)
        even = lengths == other.ends - other.before - 1  # (rows,)
        upto = len(even) if even.all() else int(even.argmin())  # rows of equal length
        rows = np.arange(upto)  # (rows compared,)
        one, two, first = self.rows(0, upto), other.rows(0, upto), upto
        for done in range(0, BY_WORDS, WORD):
            left = one.ends - one.before - (1 + done)  # (rows compared,) bytes
            words = one.buffer.words(one.before + (1 + done)) ^ two.buffer.words(two.before + (1 + done))
            words &= _MASKS.take(left, mode="clip")
            if words.any():
                first = min(first, int(rows[words != 0][0]))
            longer = np.flatnonzero(left > WORD)
            one, two, rows = one.take(longer), two.take(longer), rows.take(longer)
            if not len(rows):
                break
        first = min([first, *(int(row) for at, row in enumerate(rows) if one.field(at) != two.field(at))])
        return None if first == len(even) else first


Mask = NDArray[np.bool_]
NEWLINE, TAB, SPACE, HASH, CARRIAGE_RETURN = b"\n\t #\r"
_DOCSTART_BEGIN = np.frombuffer(DOCSTART, "<u8", 1)[0]


@dataclass(frozen=True, eq=False)
class Rows:
    """The token lines of a text.

    Args:
        buffer: the text, without carriage returns.
        before: (fields,) position of the separator before each field.
        ends: (fields,) position of the separator after it.
        first: (rows,) the field that is a row's first column; the others follow it.
        breaks: (sentence ends,) rows before each line that ends a sentence, ascending.
        lines: lines of the text.
    """

    buffer: Buffer
    before: Ints
    ends: Ints
    first: Ints
    breaks: Ints
    lines: int

    def column(self, column: int) -> Column:
        """One column.

        Args:
            column: from 0.
        """
        return Column(self.buffer, self.before[column:].take(self.first), self.ends[column:].take(self.first))

    def offsets(self) -> Ints:
        """(sentences + 1,) first row of each sentence; the last is the number of rows. No sentence is empty."""
        bounds = np.concatenate(([0], self.breaks, [len(self.first)]))
        return bounds[np.concatenate(([True], bounds[1:] != bounds[:-1]))]


def scan(buffer: Buffer, layout: Layout, first_line: int) -> Rows:
    """Finds the token lines of a text.

    Args:
        buffer: the text.
        layout: how its lines are divided into columns.
        first_line: number of the first one in the file.

    Raises:
        FormatError: a line has another number of columns, an empty one that is used, or a carriage return inside.
    """
    if b"\r" in buffer.padded:
        buffer = _without_carriage_returns(buffer, layout, first_line)
    lines = _tidy_lines(buffer, tabs=layout.tabs)
    if lines is None:
        squeezed = _squeezed(buffer, tabs=layout.tabs)
        lines = _tidy_lines(squeezed, tabs=layout.tabs)
        buffer = buffer if lines is None else squeezed
    lines = lines or _untidy_lines(buffer, tabs=layout.tabs)
    return _rows(buffer, layout, lines, first_line)


def _without_carriage_returns(buffer: Buffer, layout: Layout, first_line: int) -> Buffer:
    letters, after = buffer.letters[:-1], buffer.letters[1:]
    inside = (letters == CARRIAGE_RETURN) & (after != CARRIAGE_RETURN) & (after != NEWLINE)
    if inside.any():
        line = buffer.line(int(inside.argmax()))
        scan(Buffer.of([buffer.text(0, line)]), layout, first_line)  # a fault further up comes first
        raise carriage_return(layout.name, buffer.text(line, line + 1)[:-1], first_line + line)
    return Buffer(buffer.padded.translate(None, b"\r"))


@dataclass(frozen=True, eq=False)
class _Lines:
    """All lines of a text and their fields.

    Args:
        before: (fields,) position of the separator before each field.
        ends: (fields,) position of the separator after it.
        first: (lines,) the line's first field.
        columns: (lines,) fields of each line, 0 for a blank one.
        holds_empty: whether some fields are empty.
    """

    before: Ints
    ends: Ints
    first: Ints
    columns: Ints
    holds_empty: bool = False


def _tidy_lines(buffer: Buffer, *, tabs: bool) -> _Lines | None:
    """The lines of a tidy text; None where it is not tidy."""
    separating, newline = _separating(buffer.letters, tabs=tabs), buffer.letters == NEWLINE
    blank = np.count_nonzero(newline[1:] & newline[:-1])  # lines without a byte
    if np.count_nonzero(separating[1:] & separating[:-1]) != blank:
        return None
    if tabs and b" " in buffer.padded:
        space = buffer.letters == SPACE
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


def _squeezed(buffer: Buffer, *, tabs: bool) -> Buffer:
    """The text without blanks before newlines and, where columns are not separated by tabs, without repeated ones."""
    blank = buffer.letters == SPACE
    blank |= buffer.letters == TAB
    follows = _separating(buffer.letters, tabs=tabs) if not tabs else buffer.letters == NEWLINE
    keep = np.ones(len(buffer.everything), np.bool_)
    keep[: len(blank) - 1] = ~(blank[:-1] & follows[1:])
    return Buffer(buffer.everything[keep].tobytes())


def _untidy_lines(buffer: Buffer, *, tabs: bool) -> _Lines:
    """The lines of any text."""
    separating = _separating(buffer.letters, tabs=tabs)
    if tabs:
        _add_spaces_at_tabs(separating, buffer.letters)
    before = np.flatnonzero(separating[:-1] & ~separating[1:])  # (fields,)
    ends = np.flatnonzero(separating[1:] & ~separating[:-1])  # (fields,)
    ends += 1
    newlines = np.cumsum(buffer.letters == NEWLINE, dtype=np.int32)  # (bytes,) up to each
    columns = np.bincount(newlines.take(before) - 1, minlength=int(newlines[-1]) - 1)  # (lines,)
    lines = _Lines(before, ends, np.cumsum(columns) - columns, columns)
    return _with_empty_fields(lines, buffer) if tabs else lines


def _separating(letters: NDArray[np.uint8], *, tabs: bool) -> Mask:
    """(bytes,) whether a byte separates fields: newlines and tabs, and spaces if not only `tabs` do."""
    separating: Mask = letters == NEWLINE
    separating |= letters == TAB
    if not tabs:
        separating |= letters == SPACE
    return separating


def _add_spaces_at_tabs(separating: Mask, letters: NDArray[np.uint8]) -> None:
    """Marks the spaces next to tabs and newlines; all others are inside fields."""
    spaces = np.flatnonzero(letters == SPACE)
    if not len(spaces):
        return
    begins = np.flatnonzero(np.diff(spaces, prepend=-1) > 1)  # (runs of spaces,) among the spaces
    ends = np.append(begins[1:], len(spaces)) - 1  # (runs of spaces,)
    outside = separating[spaces[begins] - 1] | separating[spaces[ends] + 1]  # (runs of spaces,)
    separating[spaces[np.repeat(outside, ends - begins + 1)]] = True


def _with_empty_fields(lines: _Lines, buffer: Buffer) -> _Lines:
    """The fields with the empty ones between two tabs."""
    is_tab = buffer.letters == TAB
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
    return _Lines(before, ends, moved, columns, holds_empty=True)


def _rows(buffer: Buffer, layout: Layout, lines: _Lines, first_line: int) -> Rows:
    """The lines that are tokens, once every other line was found to be blank, a comment, or a `-DOCSTART-`."""
    token = lines.columns == layout.columns  # (lines,)
    other = np.flatnonzero(~token)  # (lines that are no token,)
    first = np.delete(lines.first, other)  # (rows,)
    docstart = _docstarts(buffer, lines.before.take(first))  # (rows,)
    if docstart.any():
        token[np.flatnonzero(token)[docstart]] = False
        other, first = np.flatnonzero(~token), first[~docstart]
    filled = lines.columns.take(other) > 0  # (lines that are no token,)
    before = lines.before.take(lines.first.take(other[filled]))
    docstart = _docstarts(buffer, before)
    comment = buffer.letters[1:].take(before) == HASH
    faults = [*other[filled][~docstart & ~comment][:1], *_with_empty_column(layout, lines, token)[:1]]
    if faults:
        line = int(min(faults))
        raise layout.fault(buffer.text(line, line + 1)[:-1], first_line + line)
    ends_sentence = ~filled  # (lines that are no token,)
    ends_sentence[filled] = docstart
    rows_before = other - np.arange(len(other))  # (lines that are no token,)
    return Rows(buffer, lines.before, lines.ends, first, rows_before[ends_sentence], len(token))


def _with_empty_column(layout: Layout, lines: _Lines, token: Mask) -> Ints:
    """Tokens whose columns that are read are not all filled: (lines,) their lines, ascending."""
    if not lines.holds_empty:
        return np.zeros(0, np.int64)
    rows = np.flatnonzero(token)
    empty = np.zeros(len(rows), np.bool_)  # (rows,)
    for column in layout.used:
        field = lines.first.take(rows) + column
        empty |= lines.ends.take(field) - lines.before.take(field) == 1
    return rows[empty]


def _docstarts(buffer: Buffer, before: Ints) -> Mask:
    """Which of the fields after these separators begin with the word `-DOCSTART-`."""
    found: Mask = buffer.letters[1:].take(before) == DOCSTART[0]
    if found.any():
        found &= buffer.words(before + 1) == _DOCSTART_BEGIN
    for field in np.flatnonzero(found):
        start = int(before[field]) + 1
        found[field] = is_docstart(buffer.padded[start : start + len(DOCSTART) + 1])
    return found
