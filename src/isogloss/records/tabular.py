"""Tables and JSON arrays as JSON lines, for all tasks' readers.

    source = open_rows(Source("gold.csv"), RowShape(needed=["label"], header="id,label", row='{"label": "pos"}'))

A CSV or TSV file with a header, a JSON array of objects, and a Parquet or Arrow file become a source of JSON lines with
one object for each row; the names of columns are the keys of JSON lines. Any other file stays as it is. A file that
looks like a table or like JSON, but cannot be read as one, is an error: its commas must not be scored as words.

Only the first block of a file decides. A file is a table if its name ends in `.csv` and its first line has a delimiter,
if its first line has two of the names that columns have in isogloss and the next lines have as many cells, or if the
name ends in `.tsv`, unless the task reads columns without a header from such files.

An object stands in the line in which its row begins, so that errors name the right line. Where several items of a JSON
array share a line, and in Parquet and Arrow files, the number of the item or row stands in place of the line.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import IO, Any, Literal

from isogloss.errors import FormatError, SourceError
from isogloss.records.csv_tables import DELIMITERS, detect_delimiter, has_suffix, is_tsv, open_csv, read_csv_rows
from isogloss.records.json_lines import HALF_SURROGATE
from isogloss.records.parquet import ARROW_MAGIC, STREAM_MAGIC, is_parquet, read_arrow_lists, read_arrow_schema
from isogloss.records.row_shape import (
    ROWS_AT_ONCE,
    TEXT_KINDS,
    NamedCells,
    NumberedRows,
    RowShape,
    convert_rows,
    looks_like_json,
    parse_json,
)
from isogloss.records.shards import Shards, check_same_format
from isogloss.records.sources import BLOCK, Block, Source

TableFormat = Literal["csv", "parquet", "json"]
ColumnBatches = Iterator[tuple[int, Mapping[str, Sequence[Any]]]]  # first row from 1, and the values of each column

TABLE_FORMATS: Mapping[str, TableFormat] = {"csv": "csv", "parquet": "parquet"}  # by the names that users give them
SNIFFED_BYTES = 1 << 16  # bytes that decide what a file is
COMPARED_LINES = 20  # lines that must have as many cells as the header
STRING_TYPE = "(?:large_)?string(?:_view)?"
PLAIN_TYPE = re.compile(rf"{STRING_TYPE}|dictionary<values={STRING_TYPE}, .*>|u?int\d+|bool|null")  # Arrow types
JSON_OBJECT = re.compile(r'\{\s*["}]')
JSON_BEGIN = re.compile(r'\{\s*"\w|"\s*:')  # not in a label
SEVERAL_CELLS = re.compile(rf'["{DELIMITERS}]')
JSON_ARRAY = re.compile(r'\[\s*\{\s*["}]')
ASCII_SPACE = " \t\n\r\x0b\x0c"
JSON_SUFFIXES = (".json", ".jsonl", ".ndjson")
MULTILINE_REMEDY = "Write one object in each line: jq -c . {path} > rows.jsonl"
COLUMN_NAMES = frozenset(  # names that headers are recognised by
    (
        *("id", "text", "words", "tokens", "spaces", "whitespace"),
        *("label", "labels", "gold", "scores", "prediction"),
        *("source", "targets", "mention", "translation", "target_locale", "wikidata_id", "entity_types"),
        *("entities", "spans", "tags", "ner_tags"),
    )
)
HEADER_LENGTH = 1 << 20  # a longer first line is no header, and may have as many cells
NAME_LENGTH = 1 + max(map(len, COLUMN_NAMES))  # of what is compared with them: a cell may be as long as its file


class RowsSource(Source):
    """Source of the rows of a file as JSON lines.

    Args:
        base: the file.
        table_format: its format.
        shape: shape of the rows of the task.
    """

    def __init__(self, base: Source, table_format: TableFormat, shape: RowShape) -> None:
        super().__init__(base.path)
        self.format = table_format
        self._base, self._shape = base, shape

    def locate(self, line: int | str) -> str:
        """Return file and line of a row.

        In Parquet files it is the number of the row.
        """
        return f"{self.name}:row {line}" if self.format == "parquet" else super().locate(line)

    def list_columns(self) -> Sequence[str]:
        """List the columns of a table, or an array's first keys."""
        if self.format == "parquet":
            return list(read_arrow_schema(self._base).names)
        if self.format == "csv":
            return next((cells for _, cells in read_csv_rows(self._base)), [])
        return [key for _, rows in islice(self._rows(), 1) for key in parse_json(bytes(rows[0]).decode())]

    @property
    def size(self) -> int | None:
        """Number of stored bytes of the file."""
        return self._base.size

    @contextmanager
    def open_stored(self) -> Iterator[IO[bytes]]:
        """Open the stored bytes of the file, which are not JSON lines."""
        with self._base.open_stored() as file:
            yield file

    def compute_digest(self) -> None:
        """Compute `sha256`."""
        self._base.compute_digest()
        self.sha256 = self._base.sha256

    def blocks(self, size: int = BLOCK, *, decode: bool = True) -> Iterator[Block]:  # noqa: ARG002  rows make blocks
        """Read rows as lines; blank lines follow rows of several lines.

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
            try:
                if count == len(rows):
                    data = encoder.encode_lines(rows)
                else:
                    objects = dict(zip(lines, map(encoder.encode, rows), strict=True))
                    data = b"".join(objects.get(line, b"") + b"\n" for line in range(lines[0], lines[-1] + 1))
            except UnicodeEncodeError as error:
                raise self._make_surrogate_error(encoder.encode, lines, rows) from error
            yield Block(data, lines[0], count)
        self.sha256, self.bytes_read = self._base.sha256, self._base.bytes_read

    def _make_surrogate_error(
        self, encode: Callable[[Any], bytes], lines: Sequence[int], rows: Sequence[Any]
    ) -> FormatError:
        """Return the error of the first row with half a surrogate pair."""
        for line, row in zip(lines, rows, strict=True):
            try:
                encode(row)
            except UnicodeEncodeError:
                return FormatError(f"a cell holds {HALF_SURROGATE}", where=self.locate(line))
        raise AssertionError("no row has half a surrogate pair")

    def read_columns(self) -> ColumnBatches | None:
        """Read a Parquet or Arrow file by columns.

        This is three times as fast as reading it by rows. An empty or missing cell is None, or an empty string if the
        column has the kind `text` or `nullable`.

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
        read = open_csv if self.format == "csv" else _open_arrow
        return convert_rows(*read(self._base, self._shape), self._shape, self.locate)


class RowsShards(Shards):
    """Shards that are all tables, or all JSON arrays."""

    @property
    def format(self) -> TableFormat:
        """The format of all shards."""
        return self._tables[0].format

    @property
    def _tables(self) -> Sequence[RowsSource]:
        return [shard for shard in self.shards if isinstance(shard, RowsSource)]

    def list_columns(self) -> Sequence[str]:
        """List the columns of the first shard."""
        return self._tables[0].list_columns()

    def read_columns(self) -> ColumnBatches | None:
        """Read Parquet or Arrow files by columns, rows numbered through.

        The result is None if one of the shards cannot be read so, see `RowsSource.read_columns`.
        """
        if any(shard.read_columns() is None for shard in self._tables):
            return None
        return self._read_column_batches()

    def _read_column_batches(self) -> ColumnBatches:
        parts = self.read_numbered(_read_shard_columns, lambda part: part[0] + len(next(iter(part[1].values()))) - 1)
        for before, (first, columns) in parts:
            yield before + first, columns


def _read_shard_columns(shard: Source) -> ColumnBatches:
    return (isinstance(shard, RowsSource) and shard.read_columns()) or iter(())


def open_rows(source: Source, shape: RowShape, input_format: str | None = None) -> Source:
    """Open a table or a JSON array as JSON lines.

    Any other file is returned as it is.

    Args:
        source: the file or folder.
        shape: shape of the rows of the task.
        input_format: the format that the user names; None to recognise the file.

    Raises:
        SourceError: if the file cannot be read.
        FormatError: if the file looks like a table or like JSON, but cannot be read as one.
    """
    if isinstance(source, Shards):
        return _open_shards(source, shape, input_format)
    table_format = TABLE_FORMATS.get(input_format or "")
    if table_format is not None:
        return RowsSource(source, table_format, shape)
    return _recognise_rows(source, shape, input_format)


def _recognise_rows(source: Source, shape: RowShape, input_format: str | None) -> Source:
    if isinstance(source, RowsSource) or _is_folder(source) or input_format not in (None, "jsonl"):
        return source
    with source.open_stored() as file:
        file.seek(0)
        begin = file.read(len(ARROW_MAGIC))
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


def _open_shards(shards: Shards, shape: RowShape, input_format: str | None) -> Source:
    """Open all shards as JSON lines, or none."""
    opened = {id(shard): open_rows(shard, shape, input_format) for shard in shards.shards}
    first, *others = [(file, _name_format(file)) for file in opened.values()]
    for other in others:
        check_same_format(first, other)
    return RowsShards.convert(shards, lambda shard: opened[id(shard)]) if isinstance(first[0], RowsSource) else shards


def _name_format(source: Source) -> str:
    """Name the format of an opened file for messages."""
    titles = {"csv": "a table", "parquet": "Parquet or Arrow", "json": "a JSON array"}
    return titles[source.format] if isinstance(source, RowsSource) else "JSON lines or another text"


def _open_text(head: _Head, *, recognise: bool) -> Source:
    """Open a text file as a source of rows.

    If its format is named, check only for an array.
    """
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


class _Head:
    """Beginning of a file, from which its format is recognised.

    Args:
        source: the file.
        shape: shape of the rows of the task.
        block: its first lines.
    """

    def __init__(self, source: Source, shape: RowShape, block: Block) -> None:
        self.source, self.shape, self.block = source, shape, block
        self.text = block.text.lstrip()
        skipped = block.text[: len(block.text) - len(self.text)].count("\n")
        self.lines = [line.rstrip("\r") for line in self.text.split("\n", 1 + COMPARED_LINES)[: 1 + COMPARED_LINES]]
        self.first_line = 1 + skipped
        self.where = source.locate(self.first_line)
        self.is_tsv = is_tsv(source.path)
        self.delimiter = detect_delimiter(source.path, self.lines[0])
        self.cells = self._split(self.lines[0][:HEADER_LENGTH])
        self.known = [
            cell for cell in self.cells if cell[:NAME_LENGTH].casefold() in COLUMN_NAMES or cell in shape.needed
        ]

    def is_array(self) -> bool:
        """Check whether the file is a JSON array of objects or lists."""
        if JSON_ARRAY.match(self.text) or has_suffix(self.source.path, JSON_SUFFIXES[:1]):
            return True
        value = parse_json(self.text) if len(self.block.data) < SNIFFED_BYTES else None
        return isinstance(value, list) and all(isinstance(item, dict | list) for item in value)

    def is_table(self) -> bool:
        """Check whether the first line is a header."""
        if self.text[0] in "[{" and (self.is_tsv is None or looks_like_json(self.lines[0])):
            return False
        if self.is_tsv is not None and not (self.is_tsv and self.shape.reads_columns):
            has_delimiter = any(mark in self.lines[0] for mark in DELIMITERS)  # also within quotes, which may be broken
            return self.shape.every_csv or has_delimiter or bool(self.known)
        has_needed = not {*self.cells}.isdisjoint(self.shape.needed)
        if self.is_tsv:
            return has_needed or len(self.known) > 1
        if len(self.known) < 2 or (self.shape.reads_json and self.delimiter == "\t" and not has_needed):  # noqa: PLR2004
            return False
        return len(self.known) == len(self.cells) or all(
            len(self._split(line)) == len(self.cells) for line in self.lines[1:-1] if line
        )

    def check_header(self) -> None:
        """Check that a table has the columns that the task needs.

        Raises:
            FormatError: if it has no column that the task needs, or two columns have the same name.
        """
        is_surely_table = self.is_tsv is not None and self.shape.every_csv
        if not is_surely_table:
            replace(self.shape, check_columns=None).check_header(self.cells, self.where)

    def check_plain(self) -> None:
        """Check that a file is plain text.

        It is not checked for what the task reads itself as JSON.

        Raises:
            FormatError: if it looks like JSON, or like a table without a header.
        """
        if not self.shape.reads_json:
            self._check_multiline_object()
            self._check_list_lines()
        is_left = self.shape.reads_json and self.text[0] in "[{"  # the task's readers of JSON name the fault
        if not is_left and not JSON_OBJECT.match(self.block.text.lstrip(ASCII_SPACE)):  # as readers of JSON see it
            if looks_like_json(self.lines[0]):
                raise self._make_line_error("the line looks like JSON, but is not one JSON object")
            self._check_corrupt_line()
        if self.text[0] == "{" and (self.is_tsv is None or JSON_OBJECT.match(self.text)):
            return
        if self.is_tsv is not None and not (self.is_tsv and self.shape.reads_columns):
            self._check_single_cells()
        if self.shape.labels:
            self._check_labels()

    def _check_multiline_object(self) -> None:
        if self.text[0] == "{" and self.lines[0].strip() == "{" and JSON_OBJECT.match(self.text):
            message = "the file looks like a JSON object that reaches over several lines"
            raise FormatError(message, where=self.where, remedy=MULTILINE_REMEDY.format(path=self.source.path))

    def _check_list_lines(self) -> None:
        if self.text[0] != "[":
            return
        values = [parse_json(line) for line in self.lines[:5] if line.strip()]
        if all(isinstance(value, list) and any(isinstance(item, str) for item in value) for value in values):
            message = "the line is a JSON list, but JSON lines hold one object in each line"
            raise FormatError(message, where=self.where, remedy=f"{self.shape.row} {self.shape.plain}".strip())

    def _check_corrupt_line(self) -> None:
        """Raise an error for JSON lines whose first line is corrupt."""
        others = [line for line in self.lines[1:-1] if line.strip()]
        objects = sum(map(looks_like_json, others))
        if others and isinstance(parse_json(others[0]), dict):  # the second line, whatever follows
            objects = len(others)
        named = has_suffix(self.source.path, JSON_SUFFIXES) and not self.shape.reads_json
        if not named and objects * 2 < max(len(others), 1):
            return
        why = "its name ends like that of a JSON file" if not objects else "the next lines are JSON objects"
        raise self._make_line_error(f"the line is not JSON, but {why}")

    def _make_line_error(self, message: str) -> FormatError:
        return FormatError(
            message,
            where=self.where,
            detail=f"The line begins with {self.lines[0][:40]!r}.",
            remedy=f"Repair the line, or remove it. {self.shape.row} {self.shape.plain}".strip(),
        )

    def _check_labels(self) -> None:
        """Check that labels are not JSON or a table without a header."""
        if JSON_BEGIN.search(self.lines[0]):
            raise self._make_line_error("the line holds JSON, but is not one JSON object")
        delimiter = max(DELIMITERS, key=self.lines[0].count)
        rows = [line.strip().split(delimiter) for line in self.lines[:-1] if line]
        widths, firsts = {len(row) for row in rows}, {row[0] for row in rows}
        is_wide = len(widths) == 1 and len(rows) > 1 and len(firsts) == len(rows)
        if len(rows[0]) > 1 and (is_wide or delimiter == "\t"):
            raise self._make_header_error(f"the line has {len(rows[0])} cells", 0)

    def _check_single_cells(self) -> None:
        """Check that no line has several cells, as the first has one."""
        lines = self.text.split("\n")
        at = next((at for at, line in enumerate(lines) if SEVERAL_CELLS.search(line)), None)
        if at is not None:
            raise self._make_header_error("the line has several cells or a quote", at)

    def _make_header_error(self, why: str, at: int) -> FormatError:
        """Return the error of a table without a header.

        The reason is in line `at` after the first.
        """
        header = f"Put the names of the columns in the first line, for example: {self.shape.header}."
        return FormatError(
            f"the file looks like a table without a header: {why}",
            where=self.source.locate(self.first_line + at),
            remedy=f"{header} {self.shape.plain}",
        )

    def _split(self, line: str) -> list[str]:
        try:
            return next(csv.reader([line], delimiter=self.delimiter), [])
        except csv.Error:
            return [line]


def _read_array(source: Source, shape: RowShape) -> NumberedRows:
    """Read the items of a JSON array with their lines.

    If several items share a line, the number of the item stands for its line.
    """
    from msgspec import Raw  # noqa: PLC0415  it takes 25 ms

    from isogloss.records.json_lines import read_items  # noqa: PLC0415  it needs msgspec

    items = list(read_items(source, shape.row))
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


def _open_arrow(source: Source, shape: RowShape) -> NamedCells:
    """Open the columns and numbered rows of Parquet or Arrow files."""
    names = list(_choose_arrow_columns(source, shape))
    lists = read_arrow_lists(source, names)
    return names, (row for first, columns in lists for row in enumerate(zip(*columns, strict=True), first))


def _choose_arrow_columns(source: Source, shape: RowShape) -> dict[str, str]:
    """Return the columns that the task reads, with their Arrow types.

    The file is a Parquet or Arrow file.
    """
    schema = read_arrow_schema(source)
    shape.check_header(list(schema.names), source.name)
    names = [name for name in schema.names if shape.columns is None or name in shape.columns]
    kinds = {name: str(schema.field(name).type) for name in names}
    binary = next((name for name in names if "binary" in kinds[name] and name in (*shape.needed, *shape.kinds)), None)
    if binary is not None:
        message = f"the column {binary!r} holds {kinds[binary]}, not text"
        raise FormatError(message, where=source.name, remedy="Write the column again from text.")
    return {name: kinds[name] for name in names if "binary" not in kinds[name]}  # no task reads images
