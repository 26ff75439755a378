"""Tables as text: CSV, and with semicolons or tabs.

The first row names the columns. A file whose name ends in `.tsv` (before `.gz` or `.zst`) has tabs between them, others
what its header has most of: commas, semicolons or tabs. A text with such a character, a line break or a double quote is
in double quotes, and a double quote in it is written twice. Blank lines are skipped. An empty cell is an empty text, no
id, or no prompt. The place of a row is the line in which its text begins.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from isogloss.errors import FormatError
from isogloss.records.attributes import as_text
from isogloss.records.csv_rows import REMEDY, cells_of
from isogloss.records.sources import Progress, Source
from isogloss.tasks.code_switching.rows import Fields, Names, Row, blocks_of, position


@dataclass(frozen=True)
class Columns:
    """Where a table has what is read of it, from 0.

    Args:
        count: how many columns it has.
        text: the column of the text.
        id: that of the id, None where rows are numbered.
        prompt: that of the prompt, None where it is not wanted.
        others: those that are wanted beside, by name.
    """

    count: int
    text: int
    id: int | None
    prompt: int | None
    others: Mapping[str, int]


def rows(source: Source, fields: Fields, names: Names, progress: Progress | None) -> Iterator[list[Row]]:
    """The rows of a table, one by one.

    Args:
        source: the file.
        fields: which columns are read.
        names: what rows are called.
        progress: told the bytes read after each block.

    Raises:
        SourceError: the file cannot be read.
        FormatError: a column is missing, a row has another number of columns, or quotes are not in pairs.
        DataError: only some rows have an id.
    """
    blocks = blocks_of(source, progress)
    table = cells_of(source, chain.from_iterable(io.StringIO(block.text, newline="\n") for block in blocks))
    line, header = next((row for row in table if any(map(str.strip, row[1]))), (1, []))
    if not header:
        return
    columns = _columns(header, fields, f"{source.name}:{line}")
    for line, cells in table:
        if len(cells) != columns.count:
            message = f"the row has {len(cells)} columns, but the header {columns.count}"
            raise FormatError(message, where=f"{source.name}:{line}", remedy=REMEDY)
        yield [_row(line, cells, columns, names, source.name)]


def header_of(source: Source) -> Sequence[str]:
    """The columns of a table; none where it cannot be read."""
    for block in source.blocks():
        lines = io.StringIO(block.text, newline="\n")
        return next((cells for _, cells in cells_of(source, iter(lines)) if any(map(str.strip, cells))), ())
    return ()


def _row(line: int, cells: Sequence[str], columns: Columns, names: Names, file: str) -> Row:
    place = line + sum(cell.count("\n") for cell in cells[: columns.text])
    (name,) = names.of([None if columns.id is None else cells[columns.id] or None], [place])
    prompt = None if columns.prompt is None else cells[columns.prompt] or None
    values = None
    if columns.others:
        where = f"{file}:{line}"
        values = {key: as_text(cells[at], key, where) or "" for key, at in columns.others.items() if cells[at]}
    return Row(cells[columns.text], place, name, prompt=prompt, columns=values)


def _columns(header: Sequence[str], fields: Fields, where: str) -> Columns:
    numbered = fields.id is None or (fields.id == "id" and "id" not in header)
    return Columns(
        len(header),
        position(header, fields.text, "--text-field", where),
        None if numbered else position(header, str(fields.id), "--id-field", where),
        None if fields.prompt is None else position(header, fields.prompt, "--prompt-field", where),
        {name: list(header).index(name) for name in fields.columns if name in header},
    )
