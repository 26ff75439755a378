"""Token lines, fields and sentences of a text, found for all lines at once.

`scan` first takes the text to be regular: every line is blank without a space in it, or has all the columns with one
separator between two. That needs a few passes over the separators. A text in which one line is otherwise is looked at
again in full: fields are what lies between separators, and every line is a token, a comment, a `-DOCSTART-`, blank, or
a fault. Both give the same rows for a regular text.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from isogloss.batches import Ints
from isogloss.formats.conll.buffer import Buffer, Column
from isogloss.formats.conll.layout import DOCSTART, Layout, carriage_return, is_docstart

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
    return _regular(buffer, layout) or _any(buffer, layout, first_line)


def _without_carriage_returns(buffer: Buffer, layout: Layout, first_line: int) -> Buffer:
    letters, after = buffer.letters[:-1], buffer.letters[1:]
    inside = (letters == CARRIAGE_RETURN) & (after != CARRIAGE_RETURN) & (after != NEWLINE)
    if inside.any():
        line = buffer.line(int(inside.argmax()))
        scan(Buffer.of([buffer.text(0, line)]), layout, first_line)  # a fault further up comes first
        raise carriage_return(layout.name, buffer.text(line, line + 1)[:-1], first_line + line)
    return Buffer(buffer.padded.translate(None, b"\r"))


def _regular(buffer: Buffer, layout: Layout) -> Rows | None:
    """The rows of a text that is regular; None where it is not."""
    if layout.tabs and b" " in buffer.padded:
        return None
    separating, newline = _separating(buffer.letters, tabs=layout.tabs), buffer.letters == NEWLINE
    blank = np.count_nonzero(newline[1:] & newline[:-1])  # lines without a byte
    if np.count_nonzero(separating[1:] & separating[:-1]) != blank:
        return None
    marks = np.flatnonzero(separating)  # (separators,)
    last = np.flatnonzero(newline.take(marks))  # (lines + 1,) newlines among them, and that in front
    columns = last[1:] - last[:-1]  # (lines,)
    other = np.flatnonzero(columns != layout.columns)  # (lines that are no token,)
    if len(other) != blank:
        return None
    first = np.delete(last[:-1], other)  # (rows,)
    before = marks[:-1]
    if _docstarts(buffer, before.take(first)).any():
        return None
    return Rows(buffer, before, marks[1:], first, other - np.arange(len(other)), len(columns))


def _separating(letters: NDArray[np.uint8], *, tabs: bool) -> Mask:
    """(bytes,) whether a byte separates fields: newlines and tabs, and spaces if not only `tabs` do."""
    separating = letters == NEWLINE
    separating |= letters == TAB
    if not tabs:
        separating |= letters == SPACE
    return separating


def _docstarts(buffer: Buffer, before: Ints) -> Mask:
    """Which of the fields after these separators begin with the word `-DOCSTART-`."""
    found = buffer.letters[1:].take(before) == DOCSTART[0]
    if found.any():
        found &= buffer.words(before + 1) == _DOCSTART_BEGIN
    for field in np.flatnonzero(found):
        start = int(before[field]) + 1
        found[field] = is_docstart(buffer.padded[start : start + len(DOCSTART) + 1])
    return found


@dataclass(frozen=True, eq=False)
class _Lines:
    """All lines of a text and their fields.

    Args:
        before: (fields,) position of the separator before each field.
        ends: (fields,) position of the separator after it.
        columns: (lines,) fields of each line, 0 for a blank one.
    """

    before: Ints
    ends: Ints
    columns: Ints

    @cached_property
    def first(self) -> Ints:
        """(lines,) the line's first field."""
        return np.cumsum(self.columns) - self.columns


def _any(buffer: Buffer, layout: Layout, first_line: int) -> Rows:
    """The rows of any text."""
    lines = _lines(buffer, layout)
    filled = np.flatnonzero(lines.columns)  # (lines that are not blank,)
    first = lines.first.take(filled)  # (lines that are not blank,)
    before = lines.before.take(first)  # (lines that are not blank,)
    docstart = _docstarts(buffer, before)
    token = (lines.columns.take(filled) == layout.columns) & ~docstart
    fault = ~token & ~docstart & (buffer.letters[1:].take(before) != HASH)
    for column in layout.used:
        field = first[token] + column  # (rows,)
        fault[token] |= lines.ends.take(field) - lines.before.take(field) == 1
    if fault.any():
        line = int(filled[fault.argmax()])
        raise layout.fault(buffer.text(line, line + 1)[:-1], first_line + line)
    is_row = np.zeros(len(lines.columns), np.bool_)  # (lines,)
    is_row[filled[token]] = True
    breaks = lines.columns == 0  # (lines,)
    breaks[filled[docstart]] = True
    return Rows(buffer, lines.before, lines.ends, first[token], np.cumsum(is_row)[breaks], len(is_row))


def _lines(buffer: Buffer, layout: Layout) -> _Lines:
    separating = _separating(buffer.letters, tabs=layout.tabs)
    if layout.tabs:
        _add_spaces_at_tabs(separating, buffer.letters)
    before = np.flatnonzero(separating[:-1] & ~separating[1:])  # (fields,)
    ends = np.flatnonzero(separating[1:] & ~separating[:-1])  # (fields,)
    ends += 1
    newlines = np.cumsum(buffer.letters == NEWLINE, dtype=np.int32)  # (bytes,) up to each
    columns = np.bincount(newlines.take(before) - 1, minlength=int(newlines[-1]) - 1)  # (lines,)
    lines = _Lines(before, ends, columns)
    return _with_empty_fields(lines, buffer) if layout.tabs else lines


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
    moved = (np.cumsum(columns) - columns)[filled]  # (lines that are not blank,) first field, the empty ones counted
    place = tabs + np.repeat(moved - tabs[first], lines.columns[filled])  # (fields,)
    before = np.zeros(int(columns.sum()), np.int64)  # (fields, the empty ones counted)
    ends = np.ones_like(before)
    before[place], ends[place] = lines.before, lines.ends
    return _Lines(before, ends, columns)
