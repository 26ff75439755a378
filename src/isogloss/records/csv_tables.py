"""Tables of CSV and TSV files: their rows, each with its line.

Cells of CSV are separated by commas, semicolons or tabs: by tabs if the name ends in `.tsv` (before `.gz` or `.zst`),
else by what its header has most of. A cell with such a character, a line break or a double quote is in double quotes,
and a double quote in it is written twice. Lines without anything but white space and delimiters are skipped.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain

from isogloss.errors import DataError, FormatError
from isogloss.records.row_shape import ROWS_AT_ONCE, NamedCells, RowShape
from isogloss.records.sources import Source

DELIMITERS = ",;\t"
QUOTED_CELL = re.compile(r'"[^"]*"?')
MAX_CELL_LENGTH = 1 << 28  # code points; a longer cell means a quote that is never closed
CSV_REMEDY = (
    'Put a text with a delimiter, a line break or a double quote in double quotes, and write "" for one inside.'
)
COMPRESSED_SUFFIXES = (".gz", ".zst")


def open_csv(source: Source, shape: RowShape) -> NamedCells:
    """Open header and rows of a CSV table.

    Both are empty for an empty file. A row has the line in which its cell of the column `shape.line_of` begins.

    Args:
        source: a CSV or TSV file.
        shape: shape of the rows of the task.

    Raises:
        SourceError: if the file cannot be read.
        FormatError: if the header does not suit the task; rows raise it if they are malformed.
    """
    rows = read_csv_rows(source)
    line, names = next(rows, (0, []))
    if names:
        shape.check_header(names, source.locate(line))
    return names, _check_widths(source, rows, names, names.index(shape.line_of) if shape.line_of in names else 0)


def has_suffix(name: str, suffixes: tuple[str, ...]) -> bool:
    """Check whether a file name ends in a suffix.

    The suffix may stand before `.gz` and `.zst`.
    """
    name = name.lower()
    for suffix in COMPRESSED_SUFFIXES:
        name = name.removesuffix(suffix)
    return name.endswith(suffixes)


def is_tsv(name: str) -> bool | None:
    """Check whether a file name ends in `.tsv`.

    The result is None if it does not end in `.csv` either.
    """
    return has_suffix(name, (".tsv",)) if has_suffix(name, (".csv", ".tsv")) else None


def detect_delimiter(name: str, header: str) -> str:
    """Return the delimiter of a table.

    Args:
        name: the name of its file.
        header: its first line.
    """
    return "\t" if is_tsv(name) else max(DELIMITERS, key=QUOTED_CELL.sub("", header).count)


def read_csv_rows(source: Source) -> Iterator[tuple[int, list[str]]]:
    """Read the rows that are not blank.

    Each comes with the number of its first line.

    Args:
        source: a CSV or TSV file.

    Raises:
        SourceError: if the file cannot be read.
        FormatError: if quotes are not in pairs.
    """
    blocks = (io.StringIO(block.text, newline="\n") for block in source.blocks())
    header, lines = _skip_to_header(chain.from_iterable(blocks))
    reader = csv.reader(lines, delimiter=detect_delimiter(source.path, header), strict=True)
    end: Exception | None = None
    while end is None:
        rows: list[tuple[int, list[str]]] = []
        line = reader.line_num + 1
        try:
            with _allow_long_cells():
                while len(rows) < ROWS_AT_ONCE:
                    line = reader.line_num + 1
                    rows.append((line, next(reader)))
        except (StopIteration, DataError, csv.Error) as error:
            end = error
        yield from (row for row in rows if any(map(str.strip, row[1])) or row[1] == [""])
    if isinstance(end, csv.Error):
        open_quote = reader.line_num > line or "end of data" in str(end)
        remedy = f"Is a quoted text that begins here never closed? {CSV_REMEDY}" if open_quote else CSV_REMEDY
        raise FormatError(f"broken CSV: {end}", where=source.locate(line), remedy=remedy) from end
    if isinstance(end, DataError):
        raise end


def _check_widths(
    source: Source,
    rows: Iterator[tuple[int, list[str]]],
    names: Sequence[str],
    first: int,
) -> Iterator[tuple[int, list[str]]]:
    """Check that rows are as wide as the header.

    Each row comes with the line in which its cell number `first` begins.
    """
    for line, cells in rows:
        if len(cells) != len(names):
            message = f"the row has {len(cells)} cells, but the header has {len(names)}"
            raise FormatError(message, where=source.locate(line), remedy=CSV_REMEDY)
        yield line + sum(cell.count("\n") for cell in cells[:first]), cells


@contextmanager
def _allow_long_cells() -> Iterator[None]:
    """Lift the cell limit of the csv module while rows are read.

    The limit is global.
    """
    before = csv.field_size_limit(MAX_CELL_LENGTH)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _skip_to_header(lines: Iterator[str]) -> tuple[str, Iterator[str]]:
    """Return the first line that is not blank, and all lines."""
    skipped: list[str] = []
    for line in lines:
        skipped.append(line)
        if line.strip():
            break
    return skipped[-1] if skipped else "", chain(skipped, lines)
