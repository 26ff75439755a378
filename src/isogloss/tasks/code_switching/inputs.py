"""Open texts: plain text, JSON lines, tables, Parquet, and Python lists.

In plain text each line is a text, or the file is. Only a newline ends a line; a carriage return before it is dropped.
Lines of whitespace alone are skipped. A file that is one text loses its last line end; if it has whitespace alone, it
has no text.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, repeat
from typing import Any

import msgspec

from isogloss.errors import DataError, FormatError, UsageError
from isogloss.records.attributes import Values, as_text
from isogloss.records.json_fields import list_columns as list_jsonl_columns
from isogloss.records.json_lines import decode_block, read_block_rows
from isogloss.records.shards import open_source
from isogloss.records.sources import Source, is_path
from isogloss.records.tabular import ColumnBatches, RowsShards, RowsSource, open_rows
from isogloss.tasks.code_switching.given_segments import SEGMENT_KEYS
from isogloss.tasks.code_switching.options import FORMATS
from isogloss.tasks.code_switching.rows import RowNames, TextFields, TextRow, build_rows

BLOCK = 1 << 18  # bytes read at once, so that their rows stay in the processor's cache
GET_TEXT = operator.itemgetter(0)
ReadRows = Callable[[RowNames], Iterator[list[TextRow]]]


@dataclass(frozen=True, eq=False)
class TextRows:
    """The texts of a system, which can be read several times.

    Args:
        name: the path, or `texts` for a list.
        sources: the files; empty for a list.
        format: one of `FORMATS`, or `list`.
        read: yields all rows in order, in lists of any length; the argument names them.
        locate: returns the location of a character in a text, from the place of its row and the number of newlines
            before it in the text.
        id_field: field of the ids, None to number the rows.
        list_columns: returns the columns of the first row.
    """

    name: str
    sources: tuple[Source, ...]
    format: str
    read: ReadRows
    locate: Callable[[int, int], str]
    id_field: str | None
    list_columns: Callable[[], Iterable[str]] = tuple

    def read_batches(self, size: int) -> Iterator[list[TextRow]]:
        """Yield all rows in lists.

        Args:
            size: a list ends with the row with which it has so many code points, with `MAX_ROWS` rows, or before a row
                of so many code points.

        Raises:
            SourceError: if a file cannot be read.
            FormatError: if a row has a wrong type.
            DataError: if a span is outside its text, tokens do not fit their sentences, two rows have the same id, or
                only some rows have an id.
            MissingExtraError: if a package that reads the format is not installed.
        """
        names = self._make_names()
        batch: list[TextRow] = []
        length = 0
        for rows in self.read(names):
            total = sum(map(len, map(GET_TEXT, rows)))
            if length + total < size and len(batch) + len(rows) < MAX_ROWS:  # the usual case, without a loop
                batch += rows
                length += total
                continue
            for row in rows:
                if batch and len(row.text) >= size:  # a long text takes less memory by itself
                    yield batch
                    batch, length = [], 0
                batch.append(row)
                length += len(row.text)
                if length >= size or len(batch) >= MAX_ROWS:
                    yield batch
                    batch, length = [], 0
        if batch:
            yield batch
        names.check_repeats((row.name, row.place) for rows in self.read(self._make_names()) for row in rows)

    def _make_names(self) -> RowNames:
        return RowNames(self.id_field, lambda place: self.locate(place, 0))


MAX_ROWS = 1 << 13  # of a list; until they are counted, each takes some two kilobytes
PLAIN_FORMATS, TABLE_FORMATS = ("lines", "whole"), ("jsonl", "csv", "parquet")
TABLES = RowsSource, RowsShards
MULTILINE_FORMATS = ("whole", "csv")  # formats in which a text can have several lines of its file
JSON_BEGIN = re.compile(rb'(?:\[\s*)?\{\s*["}]')


def open_texts(  # noqa: PLR0913  the options of the command, by name
    texts: Any,
    *,
    input_format: str | None = None,
    text_field: str = "text",
    id_field: str | None = "id",
    prompt_field: str | None = None,
    whole: bool = False,
    attributes: Sequence[str] = (),
) -> TextRows:
    """Open the texts of one system.

    Args:
        texts: a path or source, `-` for standard input; or a list of strings or dictionaries.
        input_format: one of `FORMATS`, None to detect it.
        text_field: field or column of the text.
        id_field: field or column of the id; None or empty to number the texts.
        prompt_field: field or column of the prompt that a text answers, None to read no prompts.
        whole: whether a file is one text, as with `input_format="whole"`.
        attributes: further columns, to slice and cluster by.

    Raises:
        UsageError: if texts have a wrong type, the format is unknown, or options conflict.
        SourceError: if the format must be detected and the file cannot be read.
        FormatError: if the file looks like a table or like JSON, but cannot be read as one.
    """
    fields = TextFields(text_field, id_field, prompt_field, tuple(attributes))
    if input_format is not None and input_format not in FORMATS:
        raise UsageError(f"Unknown input_format {input_format!r}. Choose from {', '.join(FORMATS)}.")
    if whole and input_format not in {None, *PLAIN_FORMATS}:
        raise UsageError(f"A file of {input_format} holds texts in its rows; it cannot be read whole as one text.")
    kind = "whole" if whole else input_format
    if is_path(texts):
        return _open_file(open_source(texts), fields, kind)
    if kind is not None:
        raise UsageError(f"texts is a list, which is not in the format {kind}: it needs no format.")
    return _open_list(texts, fields)


def _open_file(source: Source, fields: TextFields, kind: str | None) -> TextRows:
    if kind is None or kind in TABLE_FORMATS:
        source = open_rows(source, fields.make_shape(), kind)
    kind = kind or _detect_format(source)
    list_columns: Callable[[], Iterable[str]] = tuple
    read: ReadRows
    if kind in PLAIN_FORMATS:
        _refuse_fields(source, fields)
        read = partial(_read_lines if kind == "lines" else _read_whole, source)
    else:
        read = partial(_read_objects, source, fields)
        list_columns = source.list_columns if isinstance(source, TABLES) else partial(list_jsonl_columns, source)
    locate = partial(_locate, source, by_line=kind in MULTILINE_FORMATS)
    return TextRows(source.name, (source,), kind, read, locate, fields.id, list_columns)


def _locate(source: Source, place: int, line: int, *, by_line: bool) -> str:
    return source.locate(place + line if by_line else place)


def _refuse_fields(source: Source, fields: TextFields) -> None:
    """Refuse names of fields, which plain text does not have."""
    for option, value, default in (
        ("text_field", fields.text, "text"),
        ("id_field", fields.id, "id"),
        ("prompt_field", fields.prompt, None),
    ):
        if value not in {default, None}:
            raise UsageError(
                f"{source.name} is read as plain text, which has no field {value!r}: leave out {option}, or name the "
                "format of the file with input_format.",
            )


def _detect_format(source: Source) -> str:
    """Return the format of an opened file.

    The first line with text decides.
    """
    if isinstance(source, TABLES):
        return source.format if source.format in TABLE_FORMATS else "jsonl"
    for block in source.blocks():
        text = block.data.lstrip()
        if text:
            return "jsonl" if JSON_BEGIN.match(text) else "lines"
    return "lines"


def _read_lines(source: Source, names: RowNames) -> Iterator[list[TextRow]]:
    for block in source.blocks(BLOCK):
        text = block.text.replace("\r\n", "\n") if b"\r" in block.data else block.text
        texts: Sequence[str] = text.split("\n")[:-1]
        places: Sequence[int] = range(block.first_line, block.first_line + len(texts))
        if not all(texts) or any(map(str.isspace, texts)):
            kept = [(line, place) for line, place in zip(texts, places, strict=True) if line and not line.isspace()]
            texts, places = [line for line, _ in kept], [place for _, place in kept]
        del block, text  # a line may be as long as its file
        while texts:
            rows = build_rows(texts[:MAX_ROWS], places[:MAX_ROWS], names.number_rows(len(texts[:MAX_ROWS])))
            texts, places = texts[MAX_ROWS:], places[MAX_ROWS:]
            yield rows


def _read_whole(source: Source, names: RowNames) -> Iterator[list[TextRow]]:
    for _, blocks in groupby(source.blocks(BLOCK), lambda block: source.get_file(block.first_line)):
        first, *others = blocks
        text = "".join([first.text, *(block.text for block in others)])
        place = first.first_line
        del first, others
        if not text.isspace():
            text = text.removesuffix("\n").removesuffix("\r")
            yield build_rows([text], [place], names.number_rows(1))


ROW_REMEDY = 'A row looks like {"id": "1", "text": "Ada ran"}.'
_OBJECT = msgspec.json.Decoder(dict[str, Any])


def _read_objects(source: Source, fields: TextFields, names: RowNames) -> Iterator[list[TextRow]]:
    """Yield the rows of JSON lines or of a table.

    They are read in blocks if possible.
    """
    columns = source.read_columns() if isinstance(source, TABLES) and not fields.is_nested else None
    if columns is not None:
        yield from _read_columns(source, columns, fields, names)
        return
    plain = None if fields.is_nested or fields.columns else _make_plain_decoder(fields)
    for block in source.blocks(BLOCK, decode=False):
        rows = decode_block(block, plain) if plain else None
        if rows is None:
            for line, mapping in read_block_rows(source, block, _OBJECT, ROW_REMEDY):
                yield [fields.build_row(mapping, line, names, source.locate(line))]
            continue
        places = range(block.first_line, block.first_line + len(rows))
        called = names.name_rows([row.id for row in rows], places) if fields.id else names.number_rows(len(rows))
        prompts = repeat(None) if fields.prompt is None else [row.prompt for row in rows]
        built = build_rows([row.text for row in rows], places, called, prompts)
        del block, rows  # a line may be as long as its file
        yield built


def _make_plain_decoder(fields: TextFields) -> msgspec.json.Decoder[Any]:
    """Return a decoder of rows without sentences, tokens or entities.

    It refuses rows that have them.
    """
    wanted: dict[str, tuple[str, Any]] = {"text": (fields.text, str)}
    if fields.id is not None:
        wanted["id"] = (fields.id, str | int | None)
    if fields.prompt is not None:
        wanted["prompt"] = (fields.prompt, str | None)
    wanted |= {key: (key, None) for key in SEGMENT_KEYS if key not in fields.names}
    optional = {"id", *SEGMENT_KEYS}
    row = msgspec.defstruct(
        "PlainRow",
        [(field, kind, None) if field in optional else (field, kind) for field, (_, kind) in wanted.items()],
        rename={field: name for field, (name, _) in wanted.items()},
        kw_only=True,
        gc=False,
    )
    return msgspec.json.Decoder(row)


def _read_columns(
    source: Source, batches: ColumnBatches, fields: TextFields, names: RowNames
) -> Iterator[list[TextRow]]:
    """Yield the rows of a Parquet file without lists."""
    for first, columns in batches:
        texts = columns[fields.text]
        prompts = None if fields.prompt is None else columns[fields.prompt]
        places = range(first, first + len(texts))
        if {*map(type, texts)} != {str} or not {*map(type, prompts or ())} <= {str, type(None)}:
            for place, *cells in zip(places, *columns.values(), strict=True):
                yield [fields.build_row(dict(zip(columns, cells, strict=True)), place, names, source.locate(place))]
            continue
        ids = columns.get(fields.id or "")
        called = names.number_rows(len(texts)) if ids is None else names.name_rows(ids, places)
        values = _list_column_values(source, columns, fields.columns, len(texts)) if fields.columns else repeat(None)
        yield build_rows(texts, places, called, prompts or repeat(None), values)


def _list_column_values(
    source: Source, columns: Mapping[str, Sequence[Any]], wanted: Iterable[str], count: int
) -> Iterable[Values]:
    """Return the values of each row to slice and cluster by."""
    known = [name for name in wanted if name in columns]
    texts = ({value: as_text(value, name, source.name) for value in {*columns[name]}} for name in known)
    cells = [map(text.__getitem__, columns[name]) for name, text in zip(known, texts, strict=True)]
    rows = zip(*cells, strict=True) if cells else repeat((), count)
    return ({name: text for name, text in zip(known, row, strict=True) if text is not None} for row in rows)


LIST_NAME = "texts"
BENCHMARK_TEXT_FIELD, PLAIN_TEXT_FIELD = "completion", "text"  # lists may have either in the profile language-confusion
LIST_PART = 1 << 10  # items of a list that become rows at once


def _open_list(texts: Any, fields: TextFields) -> TextRows:
    if isinstance(texts, bytes | Mapping) or not hasattr(texts, "__iter__"):
        raise UsageError(f"texts is of type {type(texts).__name__}; give a path, a list of strings or of dictionaries.")
    items = texts if isinstance(texts, list | tuple) else list(texts)
    first = items[0] if items and isinstance(items[0], Mapping) else {}
    if fields.text not in first and fields.text == BENCHMARK_TEXT_FIELD and PLAIN_TEXT_FIELD in first:
        fields = replace(fields, text=PLAIN_TEXT_FIELD)
    columns = [str(key) for key, value in first.items() if isinstance(value, str | int | float)]
    return TextRows(LIST_NAME, (), "list", partial(_read_list, items, fields), _locate_item, fields.id, lambda: columns)


def _locate_item(place: int, _line: int = 0) -> str:
    return f"{LIST_NAME}[{place}]"


def _read_list(items: Sequence[Any], fields: TextFields, names: RowNames) -> Iterator[list[TextRow]]:
    for first in range(0, len(items), LIST_PART):
        part = items[first : first + LIST_PART]
        places = range(first, first + len(part))
        if set(map(type, part)) == {str} and _is_encodable("".join(part)):
            yield build_rows(part, places, names.name_rows([None] * len(part), places))
        else:
            for place, item in zip(places, part, strict=True):
                yield [_build_item_row(item, place, fields, names)]


def _build_item_row(item: Any, place: int, fields: TextFields, names: RowNames) -> TextRow:
    where = _locate_item(place)
    if isinstance(item, str):
        (row,) = build_rows([str(item)], [place], names.name_rows([None], [place]))
    elif isinstance(item, Mapping):
        row = fields.build_row(item, place, names, where)
    else:
        raise FormatError(
            f"{item!r:.40} is of type {type(item).__name__}, but a text is a string",
            where=where,
            remedy='Give a string, or a dictionary such as {"id": "1", "text": "Ada ran"}.',
        )
    if not _is_encodable(row.text + (row.prompt or "")):
        raise DataError(
            "the text holds half a surrogate pair, which is not a character",
            where=where,
            remedy='Replace it: text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").',
        )
    return row


def _is_encodable(text: str) -> bool:
    """Return whether a text has no half of a surrogate pair."""
    try:
        text.encode("utf-16-le")  # faster than UTF-8
    except UnicodeEncodeError:
        return False
    return True
