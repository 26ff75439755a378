"""Parquet and Arrow files with the columns of Hugging Face datasets.

They hold tokens with tags, or texts with spans.

The columns are recognised by name and type: `tokens` or `words` with `ner_tags`, `tags` or `labels`; `text` with
`entities` or `spans`. Tags may be numbers if the metadata of the dataset names them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from isogloss.errors import FormatError
from isogloss.formats.annotation import (
    AnnotationFile,
    AnnotationFormat,
    DocumentReader,
    FormatOptions,
    OptionReasons,
    check_located,
    list_span_objects,
    refuse_option,
)
from isogloss.formats.documents import SpanDocument
from isogloss.formats.offsets import MarkedSpan, OffsetMode, place_spans
from isogloss.formats.tagged_documents import TaggedRow
from isogloss.formats.tokens import (
    WORDS,
    build_tagged_row,
    choose_columns,
    find_column_faults,
    find_label_names,
    list_tag_columns,
    tag_documents,
    to_tag_texts,
)
from isogloss.records.attributes import Values, as_text
from isogloss.records.destinations import open_binary_output
from isogloss.records.parquet import (
    ARROW_MAGIC,
    PARQUET_MAGIC,
    STREAM_MAGIC,
    ParquetRow,
    import_arrow,
    name_writing,
    open_arrow_writer,
    read_arrow_rows,
    read_arrow_schema,
)
from isogloss.records.sources import Source

TEXT = ("text",)
SPANS = ("entities", "spans")
PREDICTED_SPANS = ("predicted_entities", "predicted_spans", "predictions")
LABELS = ("label", "type")
PREDICTION_REMEDY = "Name the file of the prediction too, or its column: --columns tokens,ner_tags,predicted_tags."
COLUMNS_REMEDY = "Name the columns, such as --columns tokens,ner_tags or --columns text,entities."


@dataclass(frozen=True)
class ArrowColumns:
    """The columns of a file that are read.

    Args:
        content_column: the column of the tokens or of the text.
        annotation_column: the column of the tags or of the spans.
        has_tags: whether the file has tokens and tags; otherwise it has texts and spans.
        label_names: the names of numeric tags or labels; None if the file does not name them.
        text: the column of the text beside the tokens, None if there is no such column.
        id: the column of the ids, None if there is no such column.
        attributes: further columns to keep.
    """

    content_column: str
    annotation_column: str
    has_tags: bool
    label_names: Sequence[str] | None
    text: str | None
    id: str | None
    attributes: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns to read."""
        names = (self.content_column, self.annotation_column, self.text, self.id, *self.attributes)
        return tuple(dict.fromkeys(name for name in names if name is not None))


def choose_arrow_columns(schema: Any, options: FormatOptions, name: str) -> ArrowColumns:
    """Choose the columns of a file for one side.

    Args:
        schema: the pyarrow schema of the file.
        options: the side, and the columns that the user named.
        name: the name of the file in messages.

    Raises:
        FormatError: if a column is missing, or the columns hold neither tokens and tags nor texts and spans.
    """
    content, annotation = choose_columns(options)
    units = _find_column(schema, (*WORDS, *TEXT) if content is None else (content,), name, _is_unit)
    tags = _is_words(schema.field(units).type)
    marks = _list_annotation_columns(options, tags=tags) if annotation is None else (annotation,)
    both = options.single_file and options.side == "predicted" and annotation is None
    remedy = PREDICTION_REMEDY if both else COLUMNS_REMEDY
    annotation_name = _find_column(schema, marks, name, _is_tags if tags else _is_spans, remedy)
    kinds = {field: schema.field(field).type for field in schema.names}
    return ArrowColumns(
        units,
        annotation_name,
        tags,
        _read_label_names(schema, annotation_name, tags=tags),
        "text" if tags and "text" in kinds and _is_text(kinds["text"]) else None,
        "id" if "id" in kinds and _is_id(kinds["id"]) else None,
        tuple(each for each in options.attributes if each in kinds),
    )


def _list_annotation_columns(options: FormatOptions, *, tags: bool) -> Sequence[str]:
    """List possible names of the column of tags or spans.

    The preferred name comes first.
    """
    if tags:
        return list_tag_columns(options)
    if options.side == "reference":
        return SPANS
    return PREDICTED_SPANS if options.single_file else (*PREDICTED_SPANS, *SPANS)


def _find_column(
    schema: Any, names: Sequence[str], name: str, fits: Callable[[Any], bool], remedy: str = COLUMNS_REMEDY
) -> str:
    """Return the first existing column that has a fitting type."""
    there = [each for each in names if each in schema.names]
    for each in there:
        if schema.names.count(each) > 1:
            raise FormatError(f"has two columns named {each!r}", where=name, remedy="Rename or remove one of them.")
        if fits(schema.field(each).type):
            return each
    if there:
        message = f"the column {there[0]!r} holds {schema.field(there[0]).type}, which does not fit"
    else:
        message = f"has no column {' or '.join(map(repr, names))}"
    have = f"It has {', '.join(map(repr, schema.names))}."
    raise FormatError(message, where=name, detail=have, remedy=remedy)


def _read_label_names(schema: Any, column: str, *, tags: bool) -> Sequence[str] | None:
    """Read the label names in the metadata of a file.

    Hugging Face datasets write them there.
    """
    try:
        metadata = json.loads((schema.metadata or {}).get(b"huggingface", b"{}"))
        feature = metadata["info"]["features"][column]
    except (ValueError, KeyError, TypeError):
        return None
    if tags:
        return find_label_names(feature)
    while isinstance(feature, list | dict):  # the names of span labels belong to one field of the spans
        if isinstance(feature, list):
            feature = feature[0] if feature else None
        elif any(label in feature for label in LABELS):
            return find_label_names(next(feature[label] for label in LABELS if label in feature))
        else:
            feature = feature.get("feature")
    return None


def _unwrap_dictionary_type(kind: Any) -> Any:
    """Return the value type of a dictionary type; any other type unchanged."""
    types = import_arrow("reading a Parquet or Arrow file", "types")
    return kind.value_type if types.is_dictionary(kind) else kind


def _is_text(kind: Any) -> bool:
    types = import_arrow("reading a Parquet or Arrow file", "types")
    plain = _unwrap_dictionary_type(kind)
    return any(is_it(plain) for is_it in (types.is_string, types.is_large_string, types.is_string_view))


def _get_item_type(kind: Any) -> Any | None:
    """Return the item type of a list type, else None."""
    types = import_arrow("reading a Parquet or Arrow file", "types")
    lists = (types.is_list, types.is_large_list, types.is_fixed_size_list, types.is_list_view)
    is_list = any(is_it(kind) for is_it in (*lists, types.is_large_list_view))
    return kind.value_type if is_list else None


def _is_words(kind: Any) -> bool:
    item = _get_item_type(kind)
    return item is not None and _is_text(item)


def _is_unit(kind: Any) -> bool:
    return _is_words(kind) or _is_text(kind)


def _is_id(kind: Any) -> bool:
    types = import_arrow("reading a Parquet or Arrow file", "types")
    return _is_text(kind) or types.is_integer(kind) or types.is_null(kind)


def _is_tags(kind: Any) -> bool:
    types = import_arrow("reading a Parquet or Arrow file", "types")
    item = _get_item_type(kind)
    return item is not None and (_is_text(item) or types.is_integer(item) or types.is_null(item))


def _is_spans(kind: Any) -> bool:
    """Return whether a type holds spans.

    Spans are a list of structs, or a struct of lists, with `start`, `end` and a label.
    """
    types = import_arrow("reading a Parquet or Arrow file", "types")
    item = _get_item_type(kind)
    struct = kind if item is None else item
    if types.is_null(struct):
        return item is not None
    if not types.is_struct(struct):
        return False
    names = [struct.field(at).name for at in range(struct.num_fields)]
    return {"start", "end"} <= {*names} and any(label in names for label in LABELS)


ROWS_PER_BATCH = 1 << 10  # rows at once
SPAN_REMEDY = "A span has whole numbers `start` and `end`, which count code points of the text from 0, and a `label`."


def _find_faults(source: Source, options: FormatOptions) -> OptionReasons:
    """Find given options that an Arrow file does not support.

    Columns that are not names are refused, and so is repairing the offsets of rows with tags.
    """
    faults = {**find_column_faults(source, options)}
    if options.repair_offsets:
        table = choose_arrow_columns(read_arrow_schema(source), options.leave_out(faults), source.name)
        faults |= {"repair_offsets": refuse_option("arrow", "repair_offsets")} if table.has_tags else {}
    return faults


def _read(source: Source, options: FormatOptions) -> AnnotationFile:
    schema = read_arrow_schema(source)
    table = choose_arrow_columns(schema, options, source.name)
    columns = partial(_list_scalar_columns, schema)
    if table.has_tags:
        return AnnotationFile(
            tags=DocumentReader(source.name, partial(_read_tagged, source, table)), list_columns=columns, has_words=True
        )
    return AnnotationFile(
        spans=DocumentReader(source.name, partial(_read_spans, source, table, offsets=options.offsets)),
        list_columns=columns,
    )


def _list_scalar_columns(schema: Any) -> Iterable[str]:
    """List the columns by which documents can be sliced."""
    types = import_arrow("reading a Parquet or Arrow file", "types")
    return [name for name in schema.names if not types.is_nested(schema.field(name).type)]


def _read_tagged(source: Source, table: ArrowColumns) -> Iterator[TaggedRow]:
    for number, row in read_arrow_rows(source, table.columns):
        where = f"{source.name}:row {number}"
        words, tags = _get_filled(row, table.content_column, where), _get_filled(row, table.annotation_column, where)
        text = None if table.text is None else row[table.text]
        yield build_tagged_row(
            source.name,
            f"row {number}",
            words,
            to_tag_texts(tags, table.label_names, table.annotation_column, where),
            text,
            id=_get_id(row, table),
            columns=_get_attributes(row, table, where),
        )


def _read_spans(source: Source, table: ArrowColumns, *, offsets: OffsetMode) -> Iterator[SpanDocument]:
    for number, row in read_arrow_rows(source, table.columns):
        where = f"{source.name}:row {number}"
        text = row[table.content_column]
        marked = [
            _read_span(each, table, where)
            for each in _list_spans(_get_filled(row, table.annotation_column, where), table, where)
        ]
        if text is None:
            spans, warnings = [(start, end, label) for start, end, label, _ in marked], ()
        else:
            spans, warnings = place_spans(text, marked, where, offsets=offsets)  # type: ignore[assignment]
        columns = _get_attributes(row, table, where)
        yield SpanDocument(f"row {number}", _get_id(row, table), text, spans, warnings, columns)


def _get_filled(row: ParquetRow, column: str, where: str) -> Any:
    """Return the value of a column in a row."""
    if row[column] is None:
        message = f"`{column}` is null"
        raise FormatError(message, where=where, remedy="Write an empty list where there is nothing.")
    return row[column]


def _list_spans(value: Any, table: ArrowColumns, where: str) -> Sequence[Mapping[str, Any]]:
    """List the spans of a row as mappings.

    The row has a list of structs or a struct of lists.
    """
    if isinstance(value, list):
        return value
    lists = {key: each if isinstance(each, list) else [] for key, each in value.items()}
    counts = {len(lists[key]) for key in lists if key in {"start", "end", *LABELS}}
    if len(counts) != 1:
        message = f"the lists of `{table.annotation_column}` are not of the same length"
        raise FormatError(message, where=where, remedy=SPAN_REMEDY)
    return [{key: each[at] for key, each in lists.items() if at < len(each)} for at in range(counts.pop())]


def _read_span(value: Mapping[str, Any] | None, table: ArrowColumns, where: str) -> MarkedSpan:
    value = value or {}
    start, end, surface = value.get("start"), value.get("end"), value.get("text")
    label = next((value[key] for key in LABELS if value.get(key) is not None), None)
    if isinstance(label, int) and table.label_names is not None and 0 <= label < len(table.label_names):
        label = table.label_names[label]
    if not (isinstance(start, int) and isinstance(end, int) and isinstance(label, str)):
        shown = {key: value.get(key) for key in ("start", "end", *LABELS) if key in value}
        message = f"`{table.annotation_column}` has a malformed span: {shown}"
        raise FormatError(message, where=where, remedy=SPAN_REMEDY)
    return start, end, label, surface if isinstance(surface, str) else None


def _get_id(row: ParquetRow, table: ArrowColumns) -> str | None:
    value = None if table.id is None else row[table.id]
    return None if value is None else str(value)


def _get_attributes(row: ParquetRow, table: ArrowColumns, where: str) -> Values | None:
    if not table.attributes:
        return None
    texts = {name: as_text(row[name], name, where) for name in table.attributes}
    return {name: text for name, text in texts.items() if text is not None}


def _write(documents: Iterable[SpanDocument], path: str) -> None:
    """Write texts with spans, which any document can be written as."""
    pa = import_arrow(name_writing(path))
    span = pa.struct([("start", pa.int64()), ("end", pa.int64()), ("label", pa.string())])
    schema = pa.schema([("id", pa.string()), ("text", pa.string()), ("entities", pa.list_(span))])
    _write_rows(map(_build_row, documents), schema, path)


def _build_row(document: SpanDocument) -> ParquetRow:
    check_located(document)
    return {"id": document.id, "text": document.text, "entities": list_span_objects(document)}


def _write_tags(documents: Iterable[SpanDocument], path: str, scheme: str) -> None:
    """Write tokens with tags, and the text that holds the tokens."""
    pa = import_arrow(name_writing(path))
    words = pa.list_(pa.string())
    schema = pa.schema([("id", pa.string()), ("text", pa.string()), ("tokens", words), ("ner_tags", words)])
    rows = (
        {"id": each.document.id, "text": each.document.text, "tokens": each.words, "ner_tags": each.tags}
        for each in tag_documents(documents, scheme)
    )
    _write_rows(rows, schema, path)


def _write_rows(rows: Iterable[ParquetRow], schema: Any, path: str) -> None:
    rest = iter(rows)
    with open_binary_output(path, text=False) as file, open_arrow_writer(file, path, schema) as write:
        while chunk := list(islice(rest, ROWS_PER_BATCH)):
            write(chunk)


FORMAT = AnnotationFormat(
    "arrow",
    lambda head: not head.is_folder and head.data.startswith((PARQUET_MAGIC, ARROW_MAGIC, STREAM_MAGIC)),
    _read,
    _write,
    has_both_sides=True,
    write_tags=_write_tags,
    options=("columns", "repair_offsets"),
    find_faults=_find_faults,
)
