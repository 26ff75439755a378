"""Tables and JSON arrays as JSON lines, so that each task reads them with its reader of JSON lines.

    source = open_rows(Source("gold.csv"), RowShape(needed=["label"], header="id,label", row='{"label": "pos"}'))

A CSV or TSV file with a header, a JSON array of objects, and a Parquet or Arrow file become a source of JSON lines with
one object for each row; the names of columns are the keys of JSON lines. Any other file stays as it is. A file that
looks like a table or like JSON, but cannot be read as one, is an error: nobody wants its commas scored as words.

Only the first block of a file decides. A file is a table if its name ends in `.csv` and its first line has a delimiter,
if its first line has two of the names that columns have in isogloss and the next lines have as many cells, or if the
name ends in `.tsv`, unless the task reads columns without a header from such files.

An object stands in the line in which its row begins, so that errors name the right line. Where several items of a JSON
array share a line, and in Parquet and Arrow files, the number of the item or row stands in place of the line.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import IO, Any, Literal

from isogloss.errors import DataError, FormatError, SourceError
from isogloss.records.csv_rows import CSV_REMEDY, DELIMITERS, detect_delimiter, has_suffix, is_tsv, read_csv_rows
from isogloss.records.parquet import ARROW_MAGIC, STREAM_MAGIC, is_parquet, read_arrow_lists, read_arrow_schema
from isogloss.records.sources import BLOCK, Block, Source

Kind = Literal["text", "nullable", "optional", "json", "list", "label", "words", "tokens", "types"]
TableFormat = Literal["csv", "parquet", "json"]
NumberedRows = Iterator[tuple[Sequence[int], list[Any]]]  # lines in ascending order, and the object of each
ColumnBatches = Iterator[tuple[int, Mapping[str, Sequence[Any]]]]  # first row from 1, and the values of each column
NamedCells = tuple[Sequence[str], Iterator[tuple[int, Sequence[Any]]]]  # names of columns; line and cells of each row

TABLE_FORMATS: Mapping[str, TableFormat] = {"csv": "csv", "parquet": "parquet"}  # by the names that users give them
SNIFFED_BYTES = 1 << 16  # bytes that decide what a file is
ROWS_AT_ONCE = 1 << 9
FIRST_ROWS = 200  # rows that decide what separates the words of a cell
COMPARED_LINES = 20  # lines that must have as many cells as the header
STRING_TYPE = "(?:large_)?string(?:_view)?"
PLAIN_TYPE = re.compile(rf"{STRING_TYPE}|dictionary<values={STRING_TYPE}, .*>|u?int\d+|bool|null")  # Arrow types
JSON_OBJECT = re.compile(r'\{\s*["}]')
JSON_ARRAY = re.compile(r'\[\s*\{\s*["}]')
JSON_SUFFIXES = (".json", ".jsonl", ".ndjson")
WORD_MARK = "|"
MULTILINE_REMEDY = "Write one object in each line: jq -c . {path} > rows.jsonl"
COLUMN_NAMES = frozenset(  # that a header is known by
    (
        *("id", "text", "words", "tokens", "spaces", "whitespace"),
        *("label", "labels", "gold", "scores", "prediction"),
        *("source", "targets", "mention", "translation", "target_locale", "wikidata_id", "entity_types"),
        *("entities", "spans", "tags", "ner_tags"),
    )
)


@dataclass(frozen=True)
class RowShape:
    """What the rows of a task look like.

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

    def check(self, names: Sequence[str], where: str) -> None:
        """Refuse columns that the task cannot read.

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


class RowsSource(Source):
    """The rows of a file as JSON lines.

    Args:
        base: the file.
        table_format: its format.
        shape: what rows of the task look like.
    """

    def __init__(self, base: Source, table_format: TableFormat, shape: RowShape) -> None:
        super().__init__(base.path)
        self.format = table_format
        self._base, self._shape = base, shape

    def locate(self, line: int | str) -> str:
        """File and line, or number of the row in Parquet and Arrow files."""
        return f"{self.name}:row {line}" if self.format == "parquet" else super().locate(line)

    def list_columns(self) -> Sequence[str]:
        """The names of the columns of a table; of an array, those of its first object."""
        if self.format == "parquet":
            return list(read_arrow_schema(self._base).names)
        if self.format == "csv":
            return next((cells for _, cells in read_csv_rows(self._base)), [])
        return [key for _, rows in islice(self._rows(), 1) for key in _parse_json(bytes(rows[0]).decode())]

    @property
    def size(self) -> int | None:
        """Bytes of the file as stored."""
        return self._base.size

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """The bytes of the file as stored, which are not JSON lines."""
        with self._base.opened() as file:
            yield file

    def digest(self) -> None:
        """See to it that `sha256` is known."""
        self._base.digest()
        self.sha256 = self._base.sha256

    def blocks(self, size: int = BLOCK, *, decode: bool = True) -> Iterator[Block]:  # noqa: ARG002  rows make blocks
        """Rows as lines, blank lines between them where a row has several lines in the file.

        Args:
            size: has no effect.
            decode: has no effect.

        Raises:
            DataError: if the file cannot be read, after the rows before the fault.
        """
        from msgspec.json import Encoder  # noqa: PLC0415  it takes 25 ms

        encoder = Encoder(enc_hook=str)
        for lines, rows in self._rows():
            self.bytes_read = self._base.bytes_read
            count = lines[-1] - lines[0] + 1
            if count == len(rows):
                data = encoder.encode_lines(rows)
            else:
                objects = dict(zip(lines, map(encoder.encode, rows), strict=True))
                data = b"".join(objects.get(line, b"") + b"\n" for line in range(lines[0], lines[-1] + 1))
            yield Block(data, lines[0], count)
        self.sha256, self.bytes_read = self._base.sha256, self._base.bytes_read

    def read_columns(self) -> ColumnBatches | None:
        """Read a Parquet or Arrow file by columns, three times as fast as by rows.

        An empty or missing cell is None, or an empty string if the column has the kind `text` or `nullable`.

        Returns:
            The number of the first row of each batch, from 1, and the values of each column by name. None if the file
            has another format, if a column has other values than strings, whole numbers and truth values, or if the
            task converts cells or rows.

        Raises:
            DataError: if the file cannot be read; batches raise it, too.
        """
        if self.format != "parquet" or self._shape.finish is not None:
            return None
        types, kinds = _choose_arrow_columns(self._base, self._shape), self._shape.kinds
        if not all(PLAIN_TYPE.fullmatch(types[name]) and kinds.get(name, "text") in TEXT_KINDS for name in types):
            return None
        return self._read_column_batches(list(types))

    def _read_column_batches(self, names: list[str]) -> ColumnBatches:
        emptied = {name for name in names if self._shape.kinds.get(name) not in ("text", "nullable")}
        for first, lists in read_arrow_lists(self._base, names):
            self.bytes_read = self._base.bytes_read
            columns = dict(zip(names, lists, strict=True))
            for name in emptied:
                if "" in columns[name]:
                    columns[name] = [None if value == "" else value for value in columns[name]]
            yield first, columns
        self.sha256, self.bytes_read = self._base.sha256, self._base.bytes_read

    def _rows(self) -> NumberedRows:
        if self.format == "json":
            return _read_array(self._base, self._shape)
        read = _open_csv if self.format == "csv" else _open_arrow
        return _convert_rows(*read(self._base, self._shape), self._shape, self.locate)


def open_rows(source: Source, shape: RowShape, input_format: str | None = None) -> Source:
    """A table or a JSON array as JSON lines; any other file as it is.

    Args:
        source: the file or folder.
        shape: what rows of the task look like.
        input_format: the format that the user names; None to recognise the file.

    Raises:
        SourceError: if the file cannot be read.
        FormatError: if the file looks like a table or like JSON, but cannot be read as one.
    """
    table_format = TABLE_FORMATS.get(input_format or "")
    if table_format is not None:
        return RowsSource(source, table_format, shape)
    if isinstance(source, RowsSource) or _is_folder(source) or input_format not in (None, "jsonl"):
        return source
    begin = _read_first_bytes(source)
    if begin.startswith((ARROW_MAGIC, STREAM_MAGIC)) or is_parquet(source):
        is_left = begin.startswith(shape.reads_binary) or input_format is not None
        return source if is_left else RowsSource(source, "parquet", shape)
    try:
        block = next(source.blocks(SNIFFED_BYTES), None)
    except SourceError:
        if shape.reads_json:  # such as a DocBin, which is not text
            return source
        raise
    if block is None or not block.text.strip():
        return source
    return _open_text(_Head(source, shape, block), recognise=input_format is None)


def _open_text(head: _Head, *, recognise: bool) -> Source:
    """A file that is text. If its format is named, only a JSON array is looked for."""
    source, shape = head.source, head.shape
    if head.text[0] == "[" and not shape.reads_json and head.is_array():
        return RowsSource(source, "json", shape)
    if recognise and head.is_table():
        head.check_header()
        return RowsSource(source, "csv", shape)
    if recognise and shape.plain:
        head.check_plain()
    return source


def _is_folder(source: Source) -> bool:
    return source.path != "-" and Path(source.path).is_dir()


def _read_first_bytes(source: Source) -> bytes:
    with source.opened() as file:
        file.seek(0)
        return file.read(len(ARROW_MAGIC))


class _Head:
    """The beginning of a file.

    Args:
        source: the file.
        shape: what rows of the task look like.
        block: its first lines.
    """

    def __init__(self, source: Source, shape: RowShape, block: Block) -> None:
        self.source, self.shape, self.block = source, shape, block
        self.text = block.text.lstrip()
        skipped = block.text[: len(block.text) - len(self.text)].count("\n")
        self.lines = [line.rstrip("\r") for line in self.text.split("\n", 1 + COMPARED_LINES)[: 1 + COMPARED_LINES]]
        self.where = source.locate(1 + skipped)
        self.is_tsv = is_tsv(source.path)
        self.delimiter = detect_delimiter(source.path, self.lines[0])
        self.cells = self._split(self.lines[0])
        self.known = [cell for cell in self.cells if cell.casefold() in COLUMN_NAMES or cell in shape.needed]

    def is_array(self) -> bool:
        """Whether the file is a JSON array of objects, or of lists."""
        if JSON_ARRAY.match(self.text) or has_suffix(self.source.path, JSON_SUFFIXES[:1]):
            return True
        value = _parse_json(self.text) if self._is_whole_file() else None
        return isinstance(value, list) and all(isinstance(item, dict | list) for item in value)

    def is_table(self) -> bool:
        """Whether the first line is a header."""
        if self.text[0] in "[{":
            return False
        if self.is_tsv is not None and not (self.is_tsv and self.shape.reads_columns):
            return self.shape.every_csv or len(self.cells) > 1 or bool(self.known)
        has_needed = not {*self.cells}.isdisjoint(self.shape.needed)
        if self.is_tsv:
            return has_needed or len(self.known) > 1
        if len(self.known) < 2 or (self.shape.reads_json and self.delimiter == "\t" and not has_needed):  # noqa: PLR2004
            return False
        return len(self.known) == len(self.cells) or all(
            len(self._split(line)) == len(self.cells) for line in self.lines[1:-1] if line
        )

    def check_header(self) -> None:
        """Refuse a table that only looks like one of the task.

        Raises:
            FormatError: if it has no column that the task needs, or two columns have the same name.
        """
        is_surely_table = self.is_tsv is not None and self.shape.every_csv
        if not is_surely_table:
            replace(self.shape, check_columns=None).check(self.cells, self.where)

    def check_plain(self) -> None:
        """Refuse a file that is not plain text, and that no reader of the task would take for JSON or a table.

        Raises:
            FormatError: it looks like JSON, or like a table without a header.
        """
        if not self.shape.reads_json:
            self._check_spread()
            self._check_lists()
        if not JSON_OBJECT.match(self.text):
            self._check_damaged()
        if self.shape.labels:
            self._check_labels()

    def _check_spread(self) -> None:
        if self.text[0] == "{" and self.lines[0].strip() == "{" and JSON_OBJECT.match(self.text):
            message = "the file looks like a JSON object that reaches over several lines"
            raise FormatError(message, where=self.where, remedy=MULTILINE_REMEDY.format(path=self.source.path))

    def _check_lists(self) -> None:
        if self.text[0] != "[":
            return
        values = [_parse_json(line) for line in self.lines[:5] if line.strip()]
        if all(isinstance(value, list) and any(isinstance(item, str) for item in value) for value in values):
            message = "the line is a JSON list, but JSON lines hold one object in each line"
            raise FormatError(message, where=self.where, remedy=f"{self.shape.row} {self.shape.plain}".strip())

    def _check_damaged(self) -> None:
        """Refuse JSON lines whose first line is damaged."""
        others = [line for line in self.lines[1:-1] if line.strip()]
        objects = sum(JSON_OBJECT.match(line.lstrip()) is not None and _parse_json(line) is not None for line in others)
        named = has_suffix(self.source.path, JSON_SUFFIXES) and not self.shape.reads_json
        if not named and objects * 2 <= len(others):
            return
        why = "its name ends like that of a JSON file" if not objects else "the next lines are JSON objects"
        raise FormatError(
            f"the line is not JSON, but {why}",
            where=self.where,
            detail=f"The line begins with {self.lines[0][:40]!r}.",
            remedy=f"Repair the line, or remove it. {self.shape.row} {self.shape.plain}".strip(),
        )

    def _check_labels(self) -> None:
        """Refuse a table without a header, whose rows are no labels."""
        delimiter = max(DELIMITERS, key=self.lines[0].count)
        rows = [line.strip().split(delimiter) for line in self.lines[:-1] if line]
        if self.text[0] == "{" or len(rows[0]) == 1:
            return
        widths, firsts = {len(row) for row in rows}, {row[0] for row in rows}
        if delimiter == "\t" or (len(widths) == 1 and len(rows) > 1 and len(firsts) == len(rows)):
            raise FormatError(
                f"the file looks like a table without a header: the line has {len(rows[0])} cells",
                where=self.where,
                remedy=f"Put the names of the columns in the first line, for example: {self.shape.header}. "
                f"{self.shape.plain}",
            )

    def _split(self, line: str) -> list[str]:
        try:
            return next(csv.reader([line], delimiter=self.delimiter), [])
        except csv.Error:
            return [line]

    def _is_whole_file(self) -> bool:
        return len(self.block.data) < SNIFFED_BYTES


def _parse_json(text: str) -> Any:
    """The value of a JSON text; None if it is broken."""
    import json  # noqa: PLC0415  most files are recognised without it

    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _quote(names: Iterable[str], between: str = ", ") -> str:
    return between.join(f"`{name}`" for name in names)


def _read_array(source: Source, shape: RowShape) -> NumberedRows:
    """The items of a JSON array; where several stand in one line, the number of the item is its line."""
    from msgspec import Raw  # noqa: PLC0415  it takes 25 ms

    from isogloss.records.json_rows import items_of  # noqa: PLC0415  it needs msgspec

    items = list(items_of(source, shape.row))
    bad = next((number for number, (_, item) in enumerate(items) if not bytes(item).startswith(b"{")), None)
    share_lines = any(isinstance(line, str) for line, _ in items)
    sound = items[:bad]
    lines = range(1, len(sound) + 1) if share_lines else [int(line) for line, _ in sound]
    for begin in range(0, len(sound), ROWS_AT_ONCE):
        chunk = slice(begin, begin + ROWS_AT_ONCE)
        yield lines[chunk], [Raw(bytes(item).replace(b"\n", b" ").replace(b"\r", b" ")) for _, item in sound[chunk]]
    if bad is not None:
        message = f"item {bad + 1} of the array is not an object"
        raise FormatError(message, where=source.locate(items[bad][0]), remedy=shape.row)


def _open_csv(source: Source, shape: RowShape) -> NamedCells:
    """The header and the rows of a table; nothing of a file without a line."""
    rows = read_csv_rows(source)
    line, names = next(rows, (0, []))
    if names:
        shape.check(names, source.locate(line))
    return names, _check_widths(source, rows, names, names.index(shape.line_of) if shape.line_of in names else 0)


def _check_widths(
    source: Source,
    rows: Iterator[tuple[int, list[str]]],
    names: Sequence[str],
    first: int,
) -> Iterator[tuple[int, list[str]]]:
    """Rows with as many cells as the header, each with the line in which its cell number `first` begins."""
    for line, cells in rows:
        if len(cells) != len(names):
            message = f"the row has {len(cells)} cells, but the header has {len(names)}"
            raise FormatError(message, where=source.locate(line), remedy=CSV_REMEDY)
        yield line + sum(cell.count("\n") for cell in cells[:first]), cells


def _open_arrow(source: Source, shape: RowShape) -> NamedCells:
    """The columns and the rows of a Parquet or Arrow file; the number of a row is its line."""
    names = list(_choose_arrow_columns(source, shape))
    lists = read_arrow_lists(source, names)
    return names, (row for first, columns in lists for row in enumerate(zip(*columns, strict=True), first))


def _choose_arrow_columns(source: Source, shape: RowShape) -> dict[str, str]:
    """Return the columns of a Parquet or Arrow file that the task reads, with their Arrow types."""
    schema = read_arrow_schema(source)
    shape.check(list(schema.names), source.name)
    names = [name for name in schema.names if shape.columns is None or name in shape.columns]
    kinds = {name: str(schema.field(name).type) for name in names}
    binary = next((name for name in names if "binary" in kinds[name] and name in (*shape.needed, *shape.kinds)), None)
    if binary is not None:
        message = f"the column {binary!r} holds {kinds[binary]}, not text"
        raise FormatError(message, where=source.name, remedy="Write the column again from text.")
    return {name: kinds[name] for name in names if "binary" not in kinds[name]}  # no task reads images


def _convert_rows(
    names: Sequence[str],
    rows: Iterator[tuple[int, Sequence[Any]]],
    shape: RowShape,
    locate: Callable[[int], str],
) -> NumberedRows:
    """Rows as objects. The first rows decide whether the words of a cell stand between `|` or between spaces."""
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
    """A function from the cells of a row to its object."""
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
    """A cell that is not of its kind."""


def _convert_cell(cell: Any, kind: Kind, name: str, between: str | None) -> Any:
    """The value of a cell.

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
        value = _parse_json(cell)
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
    """The value of a cell of a Parquet file, in which a struct has all its fields in all rows."""
    if value is None or (kind == "list" and not isinstance(value, list)):
        return _ABSENT
    return {key: each for key, each in value.items() if each is not None} if isinstance(value, dict) else value
