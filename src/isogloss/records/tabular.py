"""Tables and JSON arrays as JSON lines, so that each task reads them with its reader of JSON lines.

    source = open_rows(Source("gold.csv"), CLASSIFICATION)

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
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, Literal

from isogloss.errors import DataError, FormatError, SourceError
from isogloss.records.csv_rows import REMEDY, cells_of
from isogloss.records.sources import BLOCK, Block, Source

Kind = Literal["json", "label", "words", "tokens", "types"]
NumberedRows = Iterator[tuple[int, bytes]]  # line, and one object without line breaks

LOOKED_AT = 1 << 16  # bytes that decide what a file is
FIRST_ROWS = 200  # rows that decide what stands between the words of a cell
COMPARED = 20  # lines that must have as many cells as the header
DELIMITERS = ",;\t"
QUOTED = re.compile(r'"[^"]*"?')
JSON_OBJECT = re.compile(r'\{\s*["}]')
JSON_ARRAY = re.compile(r'\[\s*\{\s*["}]')
JSON_NAMES = (".json", ".jsonl", ".ndjson")
COMPRESSED = (".gz", ".zst")
PARQUET, ARROW = b"PAR1", (b"ARROW1", b"\xff\xff\xff\xff")
MARK = "|"
KEPT_EMPTY = ("text", "source", "prediction")  # an empty cell is an empty text here, and no value elsewhere
SPREAD = "Write one object in each line: jq -c . {path} > rows.jsonl"
COLUMNS = frozenset(
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

    Args:
        needed: columns, one of which a row must have.
        header: a header that can be read, for errors.
        row: a row of JSON lines, for errors.
        kinds: how cells become JSON; other cells are strings.
        plain: what to do if a file is plain text, not a table; empty where the task reads no plain text.
        finish: changes a row of a table before it is written as JSON.
        reads_columns: whether the task reads tab-separated columns without a header.
        reads_json: whether the task has a reader for all JSON.
        reads_named_tables: whether the task has a reader for files that end in .csv and .tsv.
        reads_binary: how files begin for which the task has a reader.
        labels: whether a plain line is one label, so that a line with several cells is not plain.
    """

    needed: Sequence[str]
    header: str
    row: str
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    plain: str = ""
    finish: Callable[[dict[str, Any]], dict[str, Any]] = dict
    reads_columns: bool = False
    reads_json: bool = False
    reads_named_tables: bool = False
    reads_binary: tuple[bytes, ...] = ()
    labels: bool = False


def _add_targets(row: dict[str, Any]) -> dict[str, Any]:
    """Give a row with `mention` and `translation` its one target."""
    if "mention" in row and "targets" not in row:
        row["targets"] = [{"mention": row["mention"], "translation": row.get("translation", "")}]
    return row


SEGMENTATION = RowShape(
    needed=("words", "tokens"),
    header="id,text,words",
    row='A row looks like {"text": "Ada ran", "words": ["Ada", "ran"]}.',
    kinds={"words": "words", "tokens": "words", "spaces": "json", "whitespace": "json"},
    plain="If the file is plain text, name its format: --input-format pipe (or spaces, raw).",
    reads_columns=True,
)
CLASSIFICATION = RowShape(
    needed=("gold", "label", "scores"),
    header="id,label",
    row='A row looks like {"id": "1", "gold": "pos", "scores": {"pos": 0.91, "neg": 0.09}}.',
    kinds={"gold": "label", "label": "label", "scores": "json"},
    plain='If each line is one label, write it as JSON, such as {"label": "a, b"}.',
    labels=True,
)
ENTITY_TRANSLATION = RowShape(
    needed=("targets", "mention", "prediction"),
    header="id,mention,translation (references) or id,prediction (predictions)",
    row='A row looks like {"id": "Q1_0", "prediction": "Chi ha scritto Duna?"}.',
    kinds={"targets": "json", "entity_types": "types"},
    finish=_add_targets,
)
ENTITIES = RowShape(
    needed=("entities", "spans", "mentions", "tags", "ner_tags"),
    header="id,text,entities or id,tokens,ner_tags",
    row='A row looks like {"id": "1", "text": "Ada ran", "entities": [{"start": 0, "end": 3, "label": "PER"}]}.',
    kinds={
        "entities": "json",
        "spans": "json",
        "mentions": "json",
        "tokens": "tokens",
        "tags": "tokens",
        "ner_tags": "tokens",
    },
    plain="If the file has one token and its tag in each line, separate them by a tab: --input-format conll reads it.",
    reads_columns=True,
    reads_json=True,
    reads_binary=(PARQUET, *ARROW),
)


def shape_of_texts(text_field: str = "text") -> RowShape:
    """The rows of code-switching, whose text may stand in a column of another name."""
    return RowShape(
        needed=(text_field,),
        header=f"id,{text_field}",
        row='A row looks like {"id": "1", "text": "Ada ran"}. If the text has another name, say --text-field NAME.',
        kinds={"sentences": "json", "tokens": "json", "entities": "json"},
        plain="If the file has one text in each line, say --input-format lines.",
        reads_named_tables=True,
        reads_binary=(PARQUET,),
    )


class RowsSource(Source):
    """The rows of a file as JSON lines.

    Args:
        base: the file.
        read: gives its rows, from the first at each call.
    """

    def __init__(self, base: Source, read: Callable[[], NumberedRows]) -> None:
        super().__init__(base.path)
        self._base, self._rows = base, read

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

    def blocks(self, size: int = BLOCK, *, decode: bool = True) -> Iterator[Block]:  # noqa: ARG002  all is text
        """Rows as lines, blank lines between them where a row has several lines in the file.

        Args:
            size: bytes of a block, about.
            decode: has no effect.

        Raises:
            DataError: the file cannot be read, after the rows before the fault.
        """
        lines: list[bytes] = []
        first, held = 1, 0
        rows = self._rows()
        fault: DataError | None = None
        while True:
            try:
                found = next(rows, None)
            except DataError as error:
                found, fault = None, error
            self.bytes_read = self._base.bytes_read
            if lines and (found is None or held >= size):
                yield _block(lines, first)
                lines, held = [], 0
            if found is None:
                break
            number, row = found
            first = first if lines else number
            lines += [b""] * (number - first - len(lines))
            lines.append(row)
            held += len(row)
        if fault is not None:
            raise fault
        self.sha256 = self._base.sha256


def _block(lines: Sequence[bytes], first: int) -> Block:
    return Block(b"\n".join(lines) + b"\n", first, len(lines))


def open_rows(source: Source, shape: RowShape, input_format: str | None = None) -> Source:
    """A table or a JSON array as JSON lines; any other file as it is.

    Args:
        source: the file or folder.
        shape: what rows of the task look like.
        input_format: the format that the user names; None to recognise the file.

    Raises:
        SourceError: the file cannot be read.
        FormatError: the file looks like a table or like JSON, but cannot be read as one.
    """
    if input_format not in (None, "jsonl") or isinstance(source, RowsSource) or _is_folder(source):
        return source
    begin = _first_bytes(source)
    if begin.startswith((PARQUET, *ARROW)):
        is_left = begin.startswith(shape.reads_binary) or input_format is not None
        return source if is_left else RowsSource(source, lambda: _arrow_rows(source, shape))
    try:
        block = next(source.blocks(LOOKED_AT), None)
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
        return RowsSource(source, lambda: _array_rows(source, shape))
    if recognise and head.is_table():
        head.check_header()
        return RowsSource(source, lambda: _table_rows(source, shape))
    if recognise and shape.plain:
        head.check_plain()
    return source


def open_texts(texts: Any, text_field: str = "text", input_format: str | None = None) -> Any:
    """Texts of code-switching: a file as `open_rows` opens it, or a list as it is.

    Args:
        texts: a path or source, or a list.
        text_field: column of the text.
        input_format: the format that the user names; None to recognise the file.

    Raises:
        SourceError: the file cannot be read.
        FormatError: the file looks like a table or like JSON, but cannot be read as one.
    """
    if not isinstance(texts, str | os.PathLike | Source):
        return texts
    source = texts if isinstance(texts, Source) else Source(texts)
    return open_rows(source, shape_of_texts(text_field), input_format)


def _is_folder(source: Source) -> bool:
    return source.path != "-" and Path(source.path).is_dir()


def _first_bytes(source: Source) -> bytes:
    with source.opened() as file:
        file.seek(0)
        return file.read(len(ARROW[0]))


def _has_ending(path: str, endings: tuple[str, ...]) -> bool:
    name = path.lower()
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    return name.endswith(endings)


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
        self.lines = [line.rstrip("\r") for line in self.text.split("\n", 1 + COMPARED)[: 1 + COMPARED]]
        self.where = f"{source.name}:{1 + skipped}"
        is_named = _has_ending(source.path, (".csv", ".tsv"))
        self.is_tsv = _has_ending(source.path, (".tsv",)) if is_named else None
        unquoted = QUOTED.sub("", self.lines[0])
        self.delimiter = "\t" if self.is_tsv else max(DELIMITERS, key=unquoted.count)
        self.cells = self._split(self.lines[0])
        self.known = [cell for cell in self.cells if cell.casefold() in COLUMNS or cell in shape.needed]

    def is_array(self) -> bool:
        """Whether the file is a JSON array of objects, or of lists."""
        if JSON_ARRAY.match(self.text) or _has_ending(self.source.path, JSON_NAMES[:1]):
            return True
        value = _json_of(self.text) if self._is_whole_file() else None
        return isinstance(value, list) and all(isinstance(item, dict | list) for item in value)

    def is_table(self) -> bool:
        """Whether the first line is a header."""
        if self.text[0] in "[{" or (self.shape.reads_named_tables and self.is_tsv is not None):
            return False
        if self.is_tsv is not None and not (self.is_tsv and self.shape.reads_columns):
            return len(self.cells) > 1 or bool(self.known)
        has_needed = not {*self.cells}.isdisjoint(self.shape.needed)
        if self.is_tsv:
            return has_needed or len(self.known) > 1
        if len(self.known) < 2 or (self.shape.reads_json and self.delimiter == "\t" and not has_needed):  # noqa: PLR2004
            return False
        return len(self.known) == len(self.cells) or all(
            len(self._split(line)) == len(self.cells) for line in self.lines[1:-1] if line
        )

    def check_header(self) -> None:
        """Refuse a table without a column that the task needs.

        Raises:
            FormatError: it has none, or two columns have the same name.
        """
        names = _quoted(self.cells)
        twice = [name for name in self.cells if self.cells.count(name) > 1]
        if not twice and not {*self.cells}.isdisjoint(self.shape.needed):
            return
        message = f"the file looks like a table, but no column is called {_quoted(self.shape.needed, ' or ')}"
        if twice:
            message = f"the file looks like a table, but two columns are called `{twice[0]}`"
        raise FormatError(
            message,
            where=self.where,
            detail=f"The first line has {names}.",
            remedy=f"Name the columns in the first line, for example: {self.shape.header}. {self.shape.plain}".strip(),
        )

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
            raise FormatError(message, where=self.where, remedy=SPREAD.format(path=self.source.path))

    def _check_lists(self) -> None:
        if self.text[0] != "[":
            return
        values = [_json_of(line) for line in self.lines[:5] if line.strip()]
        if all(isinstance(value, list) and any(isinstance(item, str) for item in value) for value in values):
            message = "the line is a JSON list, but JSON lines hold one object in each line"
            raise FormatError(message, where=self.where, remedy=f"{self.shape.row} {self.shape.plain}".strip())

    def _check_damaged(self) -> None:
        """Refuse JSON lines whose first line is damaged."""
        others = [line for line in self.lines[1:-1] if line.strip()]
        objects = sum(JSON_OBJECT.match(line.lstrip()) is not None and _json_of(line) is not None for line in others)
        named = _has_ending(self.source.path, JSON_NAMES) and not self.shape.reads_json
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
        return len(self.block.data) < LOOKED_AT


def _json_of(text: str) -> Any:
    """What a text stands for in JSON, None where it is broken."""
    import json  # noqa: PLC0415  most files are recognised without it

    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _quoted(names: Iterable[str], between: str = ", ") -> str:
    return between.join(f"`{name}`" for name in names)


def _array_rows(source: Source, shape: RowShape) -> NumberedRows:
    """The items of a JSON array; where several stand in one line, the number of the item is its line."""
    from isogloss.records.json_rows import items_of  # noqa: PLC0415  msgspec, which it needs, takes 25 ms

    items = list(items_of(source, shape.row))
    share_lines = any(isinstance(line, str) for line, _ in items)
    for number, (line, item) in enumerate(items, 1):
        data = bytes(item)
        if not data.startswith(b"{"):
            message = f"item {number} of the array is not an object"
            raise FormatError(message, where=f"{source.name}:{line}", remedy=shape.row)
        yield (number if share_lines else int(line)), data.replace(b"\n", b" ").replace(b"\r", b" ")


def _table_rows(source: Source, shape: RowShape) -> NumberedRows:
    """The rows of a table with a header."""
    lines = chain.from_iterable(io.StringIO(block.text, newline="\n") for block in source.blocks())
    rows = ((line, cells) for line, cells in cells_of(source, lines) if any(map(str.strip, cells)))
    _, names = next(rows)

    def named() -> Iterator[tuple[int, dict[str, Any]]]:
        for line, cells in rows:
            if len(cells) != len(names):
                message = f"the row has {len(cells)} cells, but the header has {len(names)}"
                raise FormatError(message, where=f"{source.name}:{line}", remedy=REMEDY)
            yield line, dict(zip(names, cells, strict=True))

    yield from _encode(named(), source, shape)


def _arrow_rows(source: Source, shape: RowShape) -> NumberedRows:
    """The rows of a Parquet or Arrow file; the number of a row is its line."""
    from isogloss.records.parquet import rows_of, schema_of  # noqa: PLC0415  an extra

    names = list(schema_of(source).names)
    if {*names}.isdisjoint(shape.needed):
        raise FormatError(
            f"no column is called {_quoted(shape.needed, ' or ')}",
            where=f"{source.name}:1",
            detail=f"The columns are {_quoted(names)}.",
            remedy=f"Rename the columns, for example: {shape.header}.",
        )
    yield from _encode(rows_of(source, names), source, shape)


def _encode(rows: Iterator[tuple[int, dict[str, Any]]], source: Source, shape: RowShape) -> NumberedRows:
    """Rows as JSON. The first rows decide whether the words of a cell stand between `|` or between spaces."""
    from msgspec.json import Encoder  # noqa: PLC0415  it takes 25 ms

    encoder = Encoder(enc_hook=str)
    first: list[tuple[int, dict[str, Any]]] = []
    fault: DataError | None = None
    try:
        first.extend(islice(rows, FIRST_ROWS))
    except DataError as error:
        fault = error
    words = [name for name, kind in shape.kinds.items() if kind == "words"]
    between = MARK if any(MARK in str(row.get(name) or "") for _, row in first for name in words) else None
    for line, row in chain(first, rows):
        where = f"{source.name}:{line}"
        values = ((name, _value(shape.kinds.get(name), name, cell, between, where)) for name, cell in row.items())
        yield line, encoder.encode(shape.finish({name: value for name, value in values if value is not _ABSENT}))
    if fault is not None:
        raise fault


_ABSENT = object()


def _value(kind: Kind | None, name: str, cell: Any, between: str | None, where: str) -> Any:
    """What a cell stands for."""
    if cell is None:
        return None if name == "prediction" else _ABSENT
    if not isinstance(cell, str):  # of Parquet: a struct has all its fields in all rows
        return {key: value for key, value in cell.items() if value is not None} if name == "scores" else cell
    listed = {"words": between, "tokens": None, "types": MARK}
    if kind is None or (not cell and kind not in listed):
        return cell if cell or name in KEPT_EMPTY else _ABSENT
    if kind == "json" or (cell[:1] + cell[-1:] in ("[]", "{}") and len(cell) > 1):
        return _parsed(cell, name, where)
    return cell if kind == "label" else [part for part in cell.split(listed[kind]) if part]


def _parsed(cell: str, name: str, where: str) -> Any:
    """A cell that holds JSON."""
    value = _json_of(cell)
    if value is None and cell.strip() != "null":
        raise FormatError(
            f"the cell of `{name}` is not JSON: {cell[:40]!r}",
            where=where,
            remedy='Write lists and objects of a cell as JSON, such as ["a", "b"] or {"a": 0.5}.',
        )
    return value
