"""Shape of a table's rows, and conversion of their cells to JSON."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal

from isogloss.errors import DataError, FormatError

Kind = Literal["text", "nullable", "optional", "json", "list", "label", "words", "tokens", "types"]
NumberedRows = Iterator[tuple[Sequence[int], list[Any]]]  # lines in ascending order, and the object of each
NamedCells = tuple[Sequence[str], Iterator[tuple[int, Sequence[Any]]]]  # names of columns; line and cells of each row
ROWS_AT_ONCE = 1 << 9
FIRST_ROWS = 200  # rows that decide what separates the words of a cell
WORD_MARK = "|"
BROKEN_JSON = re.compile(
    r'[\[{\s]*(?:\{\s*"|\[\s*"\w)|(?:.{0,16}|\S{0,400})\{"(?:\w|"\s*:)'
    r'|[\[{\s]*\w{0,16}"\s*:\s*["[{\d]|[\[\]\s]*\{.{0,400}?\w"\s*:|.{0,32}?\S":\s?["\[{]|[^"]{0,32}\w"\s*:$'
)  # how a line begins that is JSON, perhaps after more brackets
JSON_KEY = re.compile(r'"[^\w"\s]?\w[\w.-]*[^\w"\s]?"\s*:\s*\W{0,4}(?:["\[{\d-]|(?:true|false|null)\b|$)')
JUNCTIONS = {r'\{\s*"': 2, r'"\s*:': 2, r'"\s*\}': 2, r':\s*"': 1, r'"\s*,': 1, r',\s*"': 1, r'\[\s*"': 1, r'"\s*\]': 1}
# Patterns of a quotation mark beside another sign of JSON, each with its weight: texts rarely have those of weight 2.
MIN_WEIGHT = 5  # of the kinds of junctions in a line that was JSON
MAX_DAMAGE = 32  # characters before the first key or brace of a damaged line
INVISIBLE = "\ufeff\u200b"  # a second byte order mark, and a space without width


@dataclass(frozen=True)
class RowShape:
    """Shape of the rows of a task.

    The shape says which columns rows have, and how cells become JSON.

    The kinds of cells:

    - `text` is a string and may be empty; `nullable` may also be null; `optional` is null if it is empty.
    - `json` is any JSON; `list` is a JSON list, and the task ignores any other cell.
    - `label` is a string, or JSON if it begins and ends as a list or object does.
    - `words`, `tokens` and `types` are lists, written as JSON or with a separator.

    Any other cell is a string, or no value if it is empty.

    Args:
        needed: columns, one of which a row must have.
        header: a header that can be read, for errors.
        row: a row of JSON lines, for errors.
        kinds: how cells become JSON.
        plain: what to do if a file is plain text, not a table; empty if the task reads no plain text.
        finish: changes a row of a table before it is written as JSON; None to leave it.
        check_columns: raises an error for names of columns at a place that the task cannot read; None to need one of
            `needed`.
        columns: the columns that are read; None for all.
        line_of: the column whose text begins in the line that a row has; None for the first.
        reads_columns: whether the task reads tab-separated columns without a header.
        reads_json: whether the task has a reader for all JSON.
        reads_binary: how files begin for which the task has a reader.
        every_csv: whether every file that ends in .csv or .tsv is a table.
        labels: whether a plain line is one label, so that a line with several cells is not plain.
    """

    needed: Sequence[str]
    header: str
    row: str
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    plain: str = ""
    finish: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    check_columns: Callable[[Sequence[str], str], None] | None = None
    columns: Collection[str] | None = None
    line_of: str | None = None
    reads_columns: bool = False
    reads_json: bool = False
    reads_binary: tuple[bytes, ...] = ()
    every_csv: bool = False
    labels: bool = False

    def check_header(self, names: Sequence[str], where: str) -> None:
        """Check that the task can read these columns.

        Args:
            names: columns of the table.
            where: file and line of the header.

        Raises:
            FormatError: if a column is missing, or two have the same name.
        """
        if self.check_columns is not None:
            self.check_columns(names, where)
            return
        twice = next((name for name in names if names.count(name) > 1), None)
        message = f"no column is called {_quote(self.needed, ' or ')}"
        if twice is not None:
            message = f"two columns are called `{twice}`"
        elif not {*names}.isdisjoint(self.needed):
            return
        raise FormatError(
            f"the file looks like a table, but {message}",
            where=where,
            detail=f"The columns are {_quote(names)}.",
            remedy=f"Name the columns, for example: {self.header}. {self.plain}".strip(),
        )


def _quote(names: Iterable[str], between: str = ", ") -> str:
    return between.join(f"`{name}`" for name in names)


def parse_json(text: str) -> Any:
    """Parse JSON; None if it is broken."""
    import json  # noqa: PLC0415  most files are recognised without it

    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def looks_like_json(line: str) -> bool:
    """Check whether a line is JSON, or was before it was damaged.

    Such a line begins like an object or a list, or it has a key with a value near its begin, or between brackets, or
    several kinds of junctions.
    """
    line = line.strip().strip(INVISIBLE).strip()
    is_ink = (at for at, character in enumerate(line) if unicodedata.category(character)[0] not in "MZC")
    line = line[next(is_ink, len(line)) :]  # without marks, separators and control characters
    if BROKEN_JSON.match(line):
        return True
    key = JSON_KEY.search(line)
    is_framed = line.startswith(("[", "{", '"', ",")) or line.rstrip(",").endswith(("]", "}"))
    if key is not None and (is_framed or key.start() <= MAX_DAMAGE):
        return True
    return sum(weight for junction, weight in JUNCTIONS.items() if re.search(junction, line)) >= MIN_WEIGHT


def convert_rows(
    names: Sequence[str],
    rows: Iterator[tuple[int, Sequence[Any]]],
    shape: RowShape,
    locate: Callable[[int], str],
) -> NumberedRows:
    """Convert rows to objects.

    The first rows decide whether `|` or spaces separate the words of a cell.

    Args:
        names: columns of the table.
        rows: line and cells of each row.
        shape: shape of the rows of the task.
        locate: returns the place of a line, for errors.

    Raises:
        DataError: if rows cannot be read or converted, after the rows before the fault.
    """
    convert: Callable[[Sequence[Any]], dict[str, Any]] | None = None
    fault: DataError | None = None
    while fault is None:
        chunk: list[tuple[int, Sequence[Any]]] = []
        objects: list[dict[str, Any]] = []
        try:
            chunk.extend(islice(rows, ROWS_AT_ONCE))
        except DataError as error:
            fault = error
        convert = convert or _make_converter(names, shape, [cells for _, cells in chunk[:FIRST_ROWS]])
        try:
            objects.extend(convert(cells) for _, cells in chunk)
        except _CellError as error:
            where = locate(chunk[len(objects)][0])
            fault = FormatError(str(error), where=where, remedy=CELL_REMEDY)
        if objects:
            yield [line for line, _ in chunk[: len(objects)]], objects
        if not chunk:
            break
    if fault is not None:
        raise fault


def _make_converter(
    names: Sequence[str],
    shape: RowShape,
    first: Sequence[Sequence[Any]],
) -> Callable[[Sequence[Any]], dict[str, Any]]:
    """Return a function that converts a row's cells to its object."""
    kinds = [(at, name, shape.kinds[name]) for at, name in enumerate(names) if name in shape.kinds]
    marked = [at for at, _, kind in kinds if kind == "words"]
    between = WORD_MARK if any(WORD_MARK in str(cells[at] or "") for cells in first for at in marked) else None
    texts = [(at, name, *TEXT_KINDS[kind]) for at, name, kind in kinds if kind in TEXT_KINDS]
    others = [(at, name, kind) for at, name, kind in kinds if kind not in TEXT_KINDS]
    finish = shape.finish

    def convert(cells: Sequence[Any]) -> dict[str, Any]:
        if not others and finish is None and all(cells):  # twice as fast
            return dict(zip(names, cells, strict=True))
        row = {name: cell for name, cell in zip(names, cells, strict=True) if cell is not None and cell != ""}
        if len(row) < len(names):
            row |= {name: null if cells[at] is None else empty for at, name, empty, null in texts if name not in row}
        for at, name, kind in others:
            row[name] = _convert_cell(cells[at], kind, name, between)
        if others or len(row) < len(names):
            row = {name: value for name, value in row.items() if value is not _ABSENT}
        return row if finish is None else finish(row)

    return convert


_ABSENT = object()
CELL_REMEDY = 'Write lists and objects of a cell as JSON, such as ["a", "b"] or {"a": 0.5}.'


class _CellError(Exception):
    """Cell that is not of its kind."""


def _convert_cell(cell: Any, kind: Kind, name: str, between: str | None) -> Any:
    """Convert a cell to its value.

    Args:
        cell: the cell: a string, or any value of a Parquet file.
        kind: its kind.
        name: the name of its column.
        between: what separates words; None for spaces.
    """
    separators = {"words": between, "tokens": None, "types": WORD_MARK}
    if not isinstance(cell, str):
        return _convert_value(kind, cell)
    if not cell and kind not in separators:
        return _ABSENT
    if kind == "json" or (cell[:1] + cell[-1:] in ("[]", "{}") and len(cell) > 1):
        value = parse_json(cell)
        if value is None and cell.strip() != "null":
            raise _CellError(f"the cell of `{name}` is not JSON: {cell[:40]!r}")
        return value
    if kind in separators:
        return [part for part in cell.split(separators[kind]) if part]
    return _ABSENT if kind == "list" else cell


TEXT_KINDS: Mapping[str, tuple[Any, Any]] = {  # values of an empty cell and of null
    "text": ("", _ABSENT),
    "nullable": ("", None),
    "optional": (None, None),
}


def _convert_value(kind: Kind, value: Any) -> Any:
    """Convert a cell of a Parquet file.

    Empty fields of a struct are dropped.
    """
    if value is None or (kind == "list" and not isinstance(value, list)):
        return _ABSENT
    return {key: each for key, each in value.items() if each is not None} if isinstance(value, dict) else value
