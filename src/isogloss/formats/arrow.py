"""Which columns of a table hold documents with tags or spans."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import IO, Any

from isogloss.errors import FormatError, MissingExtraError
from isogloss.formats.annotation import AnnotationFormat, Annotations, Documents, Head, Options, unwritable
from isogloss.formats.documents import SpanDocument
from isogloss.formats.offsets import Marked, Offsets, placed
from isogloss.formats.tagged import TaggedRow
from isogloss.formats.tokens import WORDS, chosen, names_of, row_of, tagged, tags_of, usual
from isogloss.records.attributes import Values, as_text
from isogloss.records.destinations import written
from isogloss.records.parquet import ARROW, PARQUET, STREAM, Row, rows_of, schema_of
from isogloss.records.sources import Source

TEXT = ("text",)
SPANS = ("entities", "spans")
PREDICTED_SPANS = ("predicted_entities", "predicted_spans", "predictions")
LABELS = ("label", "type")
OTHER_FILE = "Name the file of the prediction too, or its column: --columns tokens,ner_tags,predicted_tags."
CHOOSE = "Name the columns, such as --columns tokens,ner_tags or --columns text,entities."


@dataclass(frozen=True)
class Table:
    """The columns of a file.

    Args:
        units: that of the tokens, or of the text.
        marks: that of the tags, or of the spans.
        tags: whether it has tokens and tags.
        names: what numbers among the tags or labels stand for, None where nothing says so.
        text: the column of the text beside the tokens, None where there is none.
        id: the column of the ids, None where there is none.
        attributes: columns that are wanted beside.
    """

    units: str
    marks: str
    tags: bool
    names: Sequence[str] | None
    text: str | None
    id: str | None
    attributes: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """All that are read."""
        found = (self.units, self.marks, self.text, self.id, *self.attributes)
        return tuple(dict.fromkeys(name for name in found if name is not None))


def table_of(schema: Any, options: Options, name: str) -> Table:
    """The columns of a file for one side.

    Args:
        schema: of the file, as pyarrow has it.
        options: whose side it is, and the columns that were named.
        name: of the file.

    Raises:
        UsageError: the columns cannot be meant.
        FormatError: a column is missing, or the columns do not hold tokens and tags, or texts and spans.
    """
    named = chosen(options)
    units = _one(schema, (*WORDS, *TEXT) if named.units is None else (named.units,), name, _is_unit)
    tags = _is_words(schema.field(units).type)
    marks = _marks(options, tags=tags) if named.marks is None else (named.marks,)
    both = options.alone and options.side == "predicted" and named.marks is None
    found = _one(schema, marks, name, _is_tags if tags else _is_spans, OTHER_FILE if both else CHOOSE)
    kinds = {field: schema.field(field).type for field in schema.names}
    return Table(
        units,
        found,
        tags,
        _names(schema, found, tags=tags),
        "text" if tags and "text" in kinds and _is_text(kinds["text"]) else None,
        "id" if "id" in kinds and _is_id(kinds["id"]) else None,
        tuple(each for each in options.attributes if each in kinds),
    )


def _marks(options: Options, *, tags: bool) -> Sequence[str]:
    """What the column of tags or spans may be called."""
    if tags:
        return usual(options)
    if options.side == "reference":
        return SPANS
    return PREDICTED_SPANS if options.alone else (*PREDICTED_SPANS, *SPANS)


def _one(schema: Any, names: Sequence[str], name: str, fits: Callable[[Any], bool], remedy: str = CHOOSE) -> str:
    """The first of some columns that there is, and that holds what it should."""
    there = [each for each in names if each in schema.names]
    for each in there:
        if fits(schema.field(each).type):
            return each
    if there:
        message = f"the column {there[0]!r} holds {schema.field(there[0]).type}, which is not what is meant"
    else:
        message = f"has no column {' or '.join(map(repr, names))}"
    have = f"It has {', '.join(map(repr, schema.names))}."
    raise FormatError(message, where=name, detail=have, remedy=remedy)


def _names(schema: Any, column: str, *, tags: bool) -> Sequence[str] | None:
    """The names of the labels, as a Hugging Face dataset writes them into the metadata of its files."""
    try:
        told = json.loads((schema.metadata or {}).get(b"huggingface", b"{}"))
        feature = told["info"]["features"][column]
    except (ValueError, KeyError, TypeError):
        return None
    if tags:
        return names_of(feature)
    while isinstance(feature, list | dict):  # of spans it is the feature of one field
        if isinstance(feature, list):
            feature = feature[0] if feature else None
        elif any(label in feature for label in LABELS):
            return names_of(next(feature[label] for label in LABELS if label in feature))
        else:
            feature = feature.get("feature")
    return None


def _plain(kind: Any) -> Any:
    """The type of the values of a dictionary, or the type itself."""
    import pyarrow as pa  # noqa: PLC0415 - an extra, which is there by now

    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_text(kind: Any) -> bool:
    import pyarrow as pa  # noqa: PLC0415 - an extra, which is there by now

    plain = _plain(kind)
    return any(is_it(plain) for is_it in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))


def _item(kind: Any) -> Any | None:
    """The type of the items of a list; None of anything else."""
    import pyarrow as pa  # noqa: PLC0415 - an extra, which is there by now

    lists = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list, pa.types.is_list_view)
    is_list = any(is_it(kind) for is_it in (*lists, pa.types.is_large_list_view))
    return kind.value_type if is_list else None


def _is_words(kind: Any) -> bool:
    item = _item(kind)
    return item is not None and _is_text(item)


def _is_unit(kind: Any) -> bool:
    return _is_words(kind) or _is_text(kind)


def _is_id(kind: Any) -> bool:
    import pyarrow as pa  # noqa: PLC0415 - an extra, which is there by now

    return _is_text(kind) or pa.types.is_integer(kind) or pa.types.is_null(kind)


def _is_tags(kind: Any) -> bool:
    import pyarrow as pa  # noqa: PLC0415 - an extra, which is there by now

    item = _item(kind)
    return item is not None and (_is_text(item) or pa.types.is_integer(item) or pa.types.is_null(item))


def _is_spans(kind: Any) -> bool:
    """Whether it is a list of structs, or a struct of lists."""
    import pyarrow as pa  # noqa: PLC0415 - an extra, which is there by now

    item = _item(kind)
    struct = kind if item is None else item
    if pa.types.is_null(struct):
        return item is not None
    if not pa.types.is_struct(struct):
        return False
    names = [struct.field(at).name for at in range(struct.num_fields)]
    return {"start", "end"} <= {*names} and any(label in names for label in LABELS)


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
        spans=Documents(source.name, partial(_spanned, source, table, offsets=options.offsets)),
        columns=columns,
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
    import pyarrow as pa  # noqa: PLC0415 - an extra, which is there by now

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
    import pyarrow as pa  # noqa: PLC0415 - an extra, which is there by now

    words = pa.list_(pa.string())
    schema = pa.schema([("id", pa.string()), ("text", pa.string()), ("tokens", words), ("ner_tags", words)])
    rows = (
        {"id": each.document.id, "text": each.document.text, "tokens": each.words, "ner_tags": each.tags}
        for each in tagged(documents, scheme)
    )
    _write_rows(rows, schema, path)


def _write_rows(rows: Iterable[Row], schema: Any, path: str) -> None:
    import pyarrow as pa  # noqa: PLC0415 - an extra, which is there by now

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
        import pyarrow  # noqa: F401 - an extra
    except ImportError as error:
        raise MissingExtraError(f"writing {path}, a Parquet or Arrow file,", "isogloss[arrow]") from error


FORMAT = AnnotationFormat("arrow", _recognises, _read, _write, both_sides=True, write_tags=_write_tags)
