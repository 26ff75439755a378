"""Rows of CSV, also with semicolons or tabs, each with the line where it begins.

A file whose name ends in `.tsv` (before `.gz` or `.zst`) has tabs between its cells, others what their header has most of:
commas, semicolons or tabs. A cell with such a character, a line break or a double quote is in double quotes, and a double
quote in it is written twice. Blank lines are skipped.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain

from isogloss.errors import FormatError
from isogloss.records.sources import Source

DELIMITERS = ",;\t"
QUOTED = re.compile(r'"[^"]*"?')
LONGEST = 1 << 28  # code points of a cell; more, and a quote that is never closed holds the whole file
REMEDY = 'Put a text with a delimiter, a line break or a double quote in double quotes, and write "" for one inside.'
COMPRESSED = (".gz", ".zst")


def is_tabbed(name: str) -> bool | None:
    """Whether the name of a file says that it is a table with tabs; None where it names no table."""
    for ending in COMPRESSED:
        name = name.lower().removesuffix(ending)
    return name.endswith(".tsv") if name.endswith((".csv", ".tsv")) else None


def cells_of(source: Source, lines: Iterator[str]) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, each with the number of its first line."""
    start, lines = _to_header(lines)
    reader = csv.reader(lines, delimiter=_delimiter(source, start), strict=True)
    while True:
        line = reader.line_num + 1
        try:
            with _long_cells():
                cells = next(reader, None)
        except csv.Error as error:
            open_quote = reader.line_num > line or "end of data" in str(error)
            remedy = f"Is a quoted text that begins here never closed? {REMEDY}" if open_quote else REMEDY
            raise FormatError(f"broken CSV: {error}", where=f"{source.name}:{line}", remedy=remedy) from error
        if cells is None:
            return
        if cells:
            yield line, cells


@contextmanager
def _long_cells() -> Iterator[None]:
    """Lifts the limit of the csv module, which is the whole program's, while a row is read."""
    before = csv.field_size_limit(LONGEST)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _to_header(lines: Iterator[str]) -> tuple[str, Iterator[str]]:
    """The first line that is not blank, and all lines."""
    looked: list[str] = []
    for line in lines:
        looked.append(line)
        if line.strip():
            break
    return looked[-1] if looked else "", chain(looked, lines)


def _delimiter(source: Source, header: str) -> str:
    """What stands between columns."""
    if is_tabbed(source.path):
        return "\t"
    return max(DELIMITERS, key=QUOTED.sub("", header).count)
