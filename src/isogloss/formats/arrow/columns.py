"""Which columns of a table hold documents with tags or spans."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from isogloss.exceptions import FormatError
from isogloss.formats.annotation import Options
from isogloss.formats.token_columns import WORDS, chosen, names_of, usual

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
