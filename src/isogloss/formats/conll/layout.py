"""Columns of a CoNLL file, decided once by its first token line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from isogloss.errors import FormatError, SourceError
from isogloss.records.sources import Source
from isogloss.text.display import format_count

DOCSTART = b"-DOCSTART-"
BLANK = b" \t\r\n"
LOOK_AHEAD = 1 << 16  # bytes to search for the first token line at once
SHOWN = 80  # characters of a line in a message
SEPARATOR = {True: "tabs", False: "spaces"}


@dataclass(frozen=True)
class ConllLayout:
    """How lines are split into columns.

    Args:
        name: the name of the file in messages.
        tabs: whether a tab separates columns; otherwise any run of spaces and tabs does.
        columns: number of columns of every token line.
        line: number of the line that decided the layout.
        used_columns: the columns that are read, from 0: the token, then the tags.
    """

    name: str
    tabs: bool
    columns: int
    line: int
    used_columns: tuple[int, ...]

    def split_line(self, line: bytes) -> list[bytes]:
        """Split a line into its fields; a blank line has no fields."""
        return split_fields(line, tabs=self.tabs)

    def make_error(self, line: bytes, number: int) -> FormatError:
        """Return the error for a line that cannot be read.

        Args:
            line: the line, without carriage return and newline.
            number: its number in the file.
        """
        fields = self.split_line(line)
        where = f"{self.name}:{number}"
        if len(fields) == self.columns:
            empty = next(column for column in self.used_columns if not fields[column])
            remedy = "Write a tag in it (O for no entity), or choose other columns with --columns."
            return FormatError(f"column {empty + 1} is empty", where=where, detail=_shorten_line(line), remedy=remedy)
        remedy = "Write a token a line, all lines with the same columns, and a blank line after each sentence."
        if self.tabs and b"\t" not in line:
            remedy = "Separate the columns by tabs, as in the lines before."
        elif not self.tabs and len(fields) > self.columns:
            remedy = "If tokens hold spaces, separate the columns of the whole file by tabs."
        return FormatError(
            f"{format_count(len(fields), 'column')}, but line {self.line} has {self.columns}, "
            f"separated by {SEPARATOR[self.tabs]}",
            where=where,
            detail=_shorten_line(line),
            remedy=remedy,
        )


def detect_conll_layout(source: Source, columns: Sequence[int], column_names: str = "") -> ConllLayout:
    """Detect the layout by the first token line.

    That line is not blank, not `-DOCSTART-`, and does not start with `#`.

    If every line starts with `#`, the first of them with two columns or more is the first token line.

    Args:
        source: the file.
        columns: the columns to read, from 1, or from -1 at the end backwards.
        column_names: what is read from them, for messages; empty for the columns of reference and prediction.

    Raises:
        SourceError: if the file holds no token line.
        FormatError: if the line does not have all these columns.
    """
    marked: tuple[int, bytes] | None = None
    for number, line in _read_lines(source):
        if not line.strip(BLANK) or is_docstart(line):
            continue
        if not line.lstrip(BLANK).startswith(b"#"):
            return _build_layout(source.name, number, line, columns, column_names)
        if marked is None and len(split_fields(line, tabs=b"\t" in line.strip(BLANK))) > 1:
            marked = number, line
    if marked is None:
        raise make_no_documents_error(source.name)
    return _build_layout(source.name, *marked, columns, column_names)


def make_no_documents_error(name: str) -> SourceError:
    """Return the error for a file without tokens."""
    remedy = "Check that it is the right file: a token and its tag a line, a blank line after each sentence."
    return SourceError("holds no documents", where=name, remedy=remedy)


def make_carriage_return_error(name: str, line: bytes, number: int) -> FormatError:
    """Return the error for a carriage return inside a line."""
    return FormatError(
        "a carriage return inside the line",
        where=f"{name}:{number}",
        detail=_shorten_line(line),
        remedy="If lines end in carriage returns alone, convert them: tr '\\r' '\\n'. If not, remove it.",
    )


def is_docstart(line: bytes) -> bool:
    """Return whether the first word of a line is `-DOCSTART-`."""
    line = line.lstrip(BLANK)
    return line.startswith(DOCSTART) and line[len(DOCSTART) : len(DOCSTART) + 1] in b" \t\r\n"


def split_fields(line: bytes, *, tabs: bool) -> list[bytes]:
    """Split a line into fields without surrounding blanks.

    Between tabs, fields may hold spaces.
    """
    line = line.strip(BLANK)
    if tabs:
        return [field.strip(b" ") for field in line.split(b"\t")] if line else []
    return [field for field in line.replace(b"\t", b" ").split(b" ") if field]


def _read_lines(source: Source) -> Iterator[tuple[int, bytes]]:
    for block in source.blocks(LOOK_AHEAD):
        for number, line in enumerate(block.data.split(b"\n")[:-1], block.first_line):
            if b"\r" in line.rstrip(b"\r"):
                raise make_carriage_return_error(source.name, line, number)
            yield number, line


def _build_layout(name: str, number: int, line: bytes, columns: Sequence[int], column_names: str) -> ConllLayout:
    tabs = b"\t" in line.strip(BLANK)
    found = len(split_fields(line, tabs=tabs))
    used = tuple(column - 1 if column > 0 else found + column for column in columns)
    where = f"{name}:{number}"
    if all(0 <= column < found for column in used):
        if len(set(used)) == len(used):
            return ConllLayout(name, tabs, found, number, used)
        if found >= len(used):
            raise _make_same_columns_error(columns, used, found, where)
    two_files = bool(column_names) or len(columns) == len(("token", "tag"))
    column_names = column_names or ("token and tag" if two_files else "token, reference tag and predicted tag")
    other = "" if two_files else " If the prediction is in a file of its own, name that too."
    raise FormatError(
        f"{format_count(found, 'column')}, but {column_names} are read from columns {', '.join(map(str, columns))}",
        where=where,
        detail=_shorten_line(line),
        remedy=f"Separate token and tags by tabs or spaces, or say with --columns where they are.{other}",
    )


def _make_same_columns_error(columns: Sequence[int], used: Sequence[int], found: int, where: str) -> FormatError:
    same = next(column for column in used if used.count(column) > 1)
    names = " and ".join(str(name) for name, column in zip(columns, used, strict=True) if column == same)
    return FormatError(
        f"{format_count(found, 'column')}, of which {names} are the same",
        where=where,
        remedy="Name each column once with --columns.",
    )


def _shorten_line(line: bytes) -> str:
    text = line.decode().rstrip("\r")
    return "    " + (text if len(text) <= SHOWN else text[:SHOWN] + " …")
