"""Tokens with tags in JSON: JSON Lines, or one array.

The rows are like those of Hugging Face datasets.

    {"tokens": ["Ada", "met", "Bob"], "ner_tags": ["B-PER", "O", "B-PER"]}

`tokens` may be called `words`, and `ner_tags` `tags` or `labels`, as in the first row. Tags may be numbers if the file
`dataset_info.json` in the same folder names them, in the `features` of the dataset, `label2id` or `id2label`.
`predicted_tags`, `predictions` or `predicted` are the tags of a prediction: a file may have both. `id` is a string or a
whole number. With `text`, tokens are located in it; without, they are joined by spaces. Other keys are ignored. JSON
Lines are read one after the other, an array is held in memory as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from isogloss.errors import FormatError
from isogloss.formats.annotation import (
    AnnotationFile,
    AnnotationFormat,
    DocumentReader,
    FormatOptions,
    get_id_field,
    matches_first_row,
)
from isogloss.formats.documents import SpanDocument
from isogloss.formats.tagged_documents import TaggedRow
from isogloss.formats.tokens import (
    PREDICTED,
    TAGS,
    WORDS,
    build_tagged_row,
    choose_columns,
    find_column_faults,
    find_label_names,
    list_tag_columns,
    tag_documents,
    to_tag_texts,
)
from isogloss.records.destinations import open_binary_output
from isogloss.records.json_fields import LazyRow, make_column_lister, read_lazy_rows
from isogloss.records.sources import Source

REMEDY = 'A row looks like {"tokens": ["Ada", "met"], "ner_tags": ["B-PER", "O"]}.'
INFO_FILE = "dataset_info.json"
_WORDS = msgspec.json.Decoder(list[str])
_TAGS = msgspec.json.Decoder(list[str | int])
_TEXT = msgspec.json.Decoder(str)


def _is_row(row: Mapping[str, Any]) -> bool:
    words = next((row[key] for key in WORDS if key in row), None)
    tags = next((row[key] for key in (*TAGS, *PREDICTED) if key in row), None)
    if not isinstance(words, list) or not isinstance(tags, list):
        return False
    return all(isinstance(word, str) for word in words) and all(isinstance(tag, str | int) for tag in tags)


def _read(source: Source, options: FormatOptions) -> AnnotationFile:
    return AnnotationFile(
        tags=DocumentReader(source.name, partial(_read_rows, source, options)),
        list_columns=make_column_lister(source),
        has_words=True,
    )


def _read_rows(source: Source, options: FormatOptions) -> Iterator[TaggedRow]:
    columns: _Columns | None = None
    for row in read_lazy_rows(source, REMEDY):
        if columns is None:
            columns = _choose_columns(source, options, row)
        words, tags = row.read(_find_key(row, columns.words), _WORDS), row.read(_find_key(row, columns.tags), _TAGS)
        yield build_tagged_row(
            source.name,
            row.line,
            words or (),
            to_tag_texts(tags or (), columns.label_names, columns.tags, row.where),
            row.read("text", _TEXT),
            id=row.read_id(),
            columns=row.read_columns(options.attributes),
        )


class _Columns(NamedTuple):
    """The keys of tokens and tags, and names of numeric tags.

    The names are given if they are known.
    """

    words: str
    tags: str
    label_names: Sequence[str] | None


def _choose_columns(source: Source, options: FormatOptions, first: LazyRow) -> _Columns:
    """Choose the keys of the tokens and their tags.

    They are those that the user named, or the usual ones that the first row has.
    """
    words, tags = choose_columns(options)
    words = words or _find_key(first, *WORDS)
    tags = tags or _find_key(first, *list_tag_columns(options))
    return _Columns(words, tags, _read_label_names(_read_dataset_info(source), tags))


def _find_key(row: LazyRow, *keys: str) -> str:
    """Return the first of some keys that a row has."""
    present = next((key for key in keys if row.has(key)), None)
    if present is not None:
        return present
    names = " or ".join(f"`{key}`" for key in keys)
    raise row.build_error(f"the row has no {names}", f"{REMEDY} Other names are given by --columns tokens,ner_tags.")


def _read_dataset_info(source: Source) -> Mapping[str, Any]:
    """Read `dataset_info.json` beside the file; empty if there is no such file."""
    path = Path(source.path).parent / INFO_FILE
    if source.path == "-" or not path.is_file():
        return {}
    try:
        info = msgspec.json.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        remedy = f"Correct it, or take it away: it names the numbers in {source.name}."
        raise FormatError(f"cannot be read: {error}", where=str(path), remedy=remedy) from error
    return info if isinstance(info, dict) else {}


def _read_label_names(info: Mapping[str, Any], key: str) -> Sequence[str] | None:
    """Return the names of the numeric tags of a column."""
    features = info.get("features")
    if isinstance(features, dict):
        label_names = next((find_label_names(features[name]) for name in (key, *TAGS) if name in features), None)
        if label_names is not None:
            return label_names
    given = [
        *_list_items(info.get("label2id")),
        *((label, number) for number, label in _list_items(info.get("id2label"))),
    ]
    by_number = {int(number): str(label) for label, number in given if str(number).isdecimal()}
    return [by_number.get(number, "") for number in range(max(by_number) + 1)] if by_number else None


def _list_items(mapping: Any) -> list[tuple[Any, Any]]:
    return list(mapping.items()) if isinstance(mapping, dict) else []


def _write_tags(documents: Iterable[SpanDocument], path: str, scheme: str) -> None:
    with open_binary_output(path) as file:
        for each in tag_documents(documents, scheme):
            text = each.document.text
            row = get_id_field(each.document) | ({} if text == " ".join(each.words) else {"text": text})
            file.write(msgspec.json.encode(row | {"tokens": each.words, "ner_tags": each.tags}) + b"\n")


FORMAT = AnnotationFormat(
    "token-tags",
    matches_first_row(_is_row),
    _read,
    has_both_sides=True,
    write_tags=_write_tags,
    options=("columns",),
    find_faults=find_column_faults,
)
