"""Rows of CSV, also with semicolons or tabs, each with the line where it begins.

A file whose name ends in `.tsv` (before `.gz` or `.zst`) has tabs between its cells, others what their header has most
of: commas, semicolons or tabs. A cell with such a character, a line break or a double quote is in double quotes, and a
double quote in it is written twice. Lines without anything but white space and delimiters are skipped.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain

from isogloss.errors import DataError, FormatError
from isogloss.records.sources import Source

DELIMITERS = ",;\t"
QUOTED_CELL = re.compile(r'"[^"]*"?')
MAX_CELL_LENGTH = 1 << 28  # code points; a longer cell means a quote that is never closed
ROWS_AT_ONCE = 1 << 8
CSV_REMEDY = (
    'Put a text with a delimiter, a line break or a double quote in double quotes, and write "" for one inside.'
)
COMPRESSED_SUFFIXES = (".gz", ".zst")


def has_suffix(name: str, suffixes: tuple[str, ...]) -> bool:
    """Whether a file name ends in a suffix, in any case, before `.gz` and `.zst`."""
    name = name.lower()
    for suffix in COMPRESSED_SUFFIXES:
        name = name.removesuffix(suffix)
    return name.endswith(suffixes)


def is_tsv(name: str) -> bool | None:
    """Whether the name of a file ends in `.tsv`; None if it ends neither in `.tsv` nor in `.csv`."""
    return has_suffix(name, (".tsv",)) if has_suffix(name, (".csv", ".tsv")) else None


def detect_delimiter(name: str, header: str) -> str:
    """The delimiter of a table.

    Args:
        name: the name of its file.
        header: its first line.
    """
    return "\t" if is_tsv(name) else max(DELIMITERS, key=QUOTED_CELL.sub("", header).count)


def read_csv_rows(source: Source) -> Iterator[tuple[int, list[str]]]:
    """Read the rows that are not blank, each with the number of its first line.

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


@contextmanager
def _allow_long_cells() -> Iterator[None]:
    """Lift the limit of the csv module, which holds for the whole program, while rows are read."""
    before = csv.field_size_limit(MAX_CELL_LENGTH)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _skip_to_header(lines: Iterator[str]) -> tuple[str, Iterator[str]]:
    """The first line that is not blank, and all lines."""
    skipped: list[str] = []
    for line in lines:
        skipped.append(line)
        if line.strip():
            break
    return skipped[-1] if skipped else "", chain(skipped, lines)
