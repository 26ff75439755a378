"""Tables recognised, read and written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import IO, Any

from isogloss.destinations import written
from isogloss.exceptions import FormatError, MissingExtraError
from isogloss.formats.annotation import AnnotationFormat, Annotations, Documents, Head, Options
from isogloss.formats.arrow.columns import LABELS, Table, table_of
from isogloss.formats.arrow.files import ARROW, PARQUET, STREAM, Row, rows_of, schema_of
from isogloss.formats.attributes import Values, as_text
from isogloss.formats.offsets import Marked, Offsets, placed
from isogloss.formats.span_pairing import SpanDocument, TaggedRow
from isogloss.formats.token_columns import row_of, tags_of
from isogloss.formats.token_writing import tagged
from isogloss.formats.writing import unwritable
from isogloss.sources import Source

WRITTEN = 1 << 10  # rows at once
IPC = (".arrow", ".feather", ".ipc")
HALF_OPEN = "A span has whole numbers `start` and `end`, which count code points of the text from 0, and a `label`."


def _recognises(head: Head) -> bool:
    return not head.is_folder and head.data.startswith((PARQUET, ARROW, STREAM))


def _read(source: Source, options: Options) -> Annotations:
    options.only("arrow", "columns", "repair_offsets")
    schema = schema_of(source)
    table = table_of(schema, options, source.name)
    columns = partial(_scalars, schema)
    if table.tags:
        options.only("arrow", "columns")
        return Annotations(tags=Documents(source.name, partial(_tagged, source, table)), columns=columns, words=True)
    return Annotations(
        spans=Documents(source.name, partial(_spanned, source, table, offsets=options.offsets)), columns=columns
    )


def _scalars(schema: Any) -> Iterable[str]:
    """The columns that a document can be sliced by."""
    import pyarrow as pa  # noqa: PLC0415 - an extra, which is there by now

    return [name for name in schema.names if not pa.types.is_nested(schema.field(name).type)]


def _tagged(source: Source, table: Table) -> Iterator[TaggedRow]:
    for number, row in _rows(source, table):
        where = f"{source.name}:row {number}"
        words, tags = _filled(row, table.units, where), _filled(row, table.marks, where)
        text = None if table.text is None else row[table.text]
        yield row_of(
            source.name,
            f"row {number}",
            words,
            tags_of(tags, table.names, table.marks, where),
            text,
            id=_id(row, table),
            columns=_attributes(row, table, where),
        )


def _spanned(source: Source, table: Table, *, offsets: Offsets) -> Iterator[SpanDocument]:
    for number, row in _rows(source, table):
        where = f"{source.name}:row {number}"
        text = row[table.units]
        marked = [_span(each, table, where) for each in _structs(_filled(row, table.marks, where), table, where)]
        if text is None:
            spans, notices = [(start, end, label) for start, end, label, _ in marked], ()
        else:
            spans, notices = placed(text, marked, where, offsets=offsets)  # type: ignore[assignment]
        columns = _attributes(row, table, where)
        yield SpanDocument(f"row {number}", _id(row, table), text, spans, notices, columns)


def _rows(source: Source, table: Table) -> Iterator[tuple[int, Row]]:
    return rows_of(source, table.columns)


def _filled(row: Row, column: str, where: str) -> Any:
    """What a column has in a row.

    Raises:
        FormatError: nothing.
    """
    if row[column] is None:
        message = f"`{column}` is null"
        raise FormatError(message, where=where, remedy="Write an empty list where there is nothing.")
    return row[column]


def _structs(value: Any, table: Table, where: str) -> Sequence[Mapping[str, Any]]:
    """The spans of a row, each with its fields: of a list of them, or of a struct of lists."""
    if isinstance(value, list):
        return value
    lists = {key: each if isinstance(each, list) else [] for key, each in value.items()}
    counts = {len(lists[key]) for key in lists if key in {"start", "end", *LABELS}}
    if len(counts) != 1:
        message = f"the lists of `{table.marks}` are not of the same length"
        raise FormatError(message, where=where, remedy=HALF_OPEN)
    return [{key: each[at] for key, each in lists.items() if at < len(each)} for at in range(counts.pop())]


def _span(value: Mapping[str, Any] | None, table: Table, where: str) -> Marked:
    value = value or {}
    start, end, surface = value.get("start"), value.get("end"), value.get("text")
    label = next((value[key] for key in LABELS if value.get(key) is not None), None)
    if isinstance(label, int) and table.names is not None and 0 <= label < len(table.names):
        label = table.names[label]
    if not (isinstance(start, int) and isinstance(end, int) and isinstance(label, str)):
        shown = {key: value.get(key) for key in ("start", "end", *LABELS) if key in value}
        message = f"`{table.marks}` has a span that is none: {shown}"
        raise FormatError(message, where=where, remedy=HALF_OPEN)
    return start, end, label, surface if isinstance(surface, str) else None


def _id(row: Row, table: Table) -> str | None:
    found = None if table.id is None else row[table.id]
    return None if found is None else str(found)


def _attributes(row: Row, table: Table, where: str) -> Values | None:
    if not table.attributes:
        return None
    texts = {name: as_text(row[name], name, where) for name in table.attributes}
    return {name: text for name, text in texts.items() if text is not None}


def _write(documents: Iterable[SpanDocument], path: str) -> None:
    """Texts with spans: what any document is."""
    _needs_pyarrow(path)
    import pyarrow as pa  # noqa: PLC0415 - an extra

    span = pa.struct([("start", pa.int64()), ("end", pa.int64()), ("label", pa.string())])
    schema = pa.schema([("id", pa.string()), ("text", pa.string()), ("entities", pa.list_(span))])
    _write_rows(map(_spans_row, documents), schema, path)


def _spans_row(document: SpanDocument) -> Row:
    if document.unlocated:
        raise unwritable(document, "has names that are not in its text", "Leave these names out.")
    spans = [{"start": start, "end": end, "label": label} for start, end, label in document.spans]
    return {"id": document.id, "text": document.text, "entities": spans}


def _write_tags(documents: Iterable[SpanDocument], path: str, scheme: str) -> None:
    """Tokens with tags, and the text, which tells where they stand."""
    _needs_pyarrow(path)
    import pyarrow as pa  # noqa: PLC0415 - an extra

    words = pa.list_(pa.string())
    schema = pa.schema([("id", pa.string()), ("text", pa.string()), ("tokens", words), ("ner_tags", words)])
    rows = (
        {"id": each.document.id, "text": each.document.text, "tokens": each.words, "ner_tags": each.tags}
        for each in tagged(documents, scheme)
    )
    _write_rows(rows, schema, path)


def _write_rows(rows: Iterable[Row], schema: Any, path: str) -> None:
    import pyarrow as pa  # noqa: PLC0415 - an extra

    rest = iter(rows)
    with written(path, text=False) as file, _writer(file, schema, path) as writer:
        while chunk := list(islice(rest, WRITTEN)):
            writer.write_batch(pa.RecordBatch.from_pylist(chunk, schema))


@contextmanager
def _writer(file: IO[bytes], schema: Any, path: str) -> Iterator[Any]:
    """What writes batches: an Arrow file where the name says so, else a Parquet file."""
    from pyarrow import ipc, parquet  # noqa: PLC0415 - an extra

    if path.lower().endswith(IPC):
        with ipc.new_file(file, schema) as writer:
            yield writer
    else:
        with parquet.ParquetWriter(file, schema) as writer:
            yield writer


def _needs_pyarrow(path: str) -> None:
    try:
        import pyarrow  # noqa: F401, ICN001, PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError(f"writing {path}, a Parquet or Arrow file,", "isogloss[arrow]") from error


FORMAT = AnnotationFormat("arrow", _recognises, _read, _write, both_sides=True, write_tags=_write_tags)
