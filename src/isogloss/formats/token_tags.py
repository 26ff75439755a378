"""Tokens with tags in JSON, as Hugging Face datasets have them: JSON lines, or one array.

    {"tokens": ["Ada", "met", "Bob"], "ner_tags": ["B-PER", "O", "B-PER"]}

`tokens` may be called `words`, and `ner_tags` `tags` or `labels`, as in the first row. Tags may be numbers where the
file `dataset_info.json` in the same folder names them, by the `features` of the dataset, by `label2id` or by
`id2label`. `predicted_tags`, `predictions` or `predicted` are tags of a prediction: a file may have both. `id` is a
string or a whole number; with `text`, tokens stand in it, and else are joined by spaces. Other keys are ignored. JSON
lines are read one after the other, an array is in memory as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from isogloss.errors import FormatError
from isogloss.formats.annotation import AnnotationFormat, Annotations, Documents, Head, Options
from isogloss.formats.documents import SpanDocument
from isogloss.formats.tagged import TaggedRow
from isogloss.formats.tokens import PREDICTED, TAGS, WORDS, chosen, names_of, row_of, tagged, tags_of, usual
from isogloss.records.destinations import written
from isogloss.records.json_rows import Fields, columns_of, read_lazy_rows
from isogloss.records.sources import Source

REMEDY = 'A row looks like {"tokens": ["Ada", "met"], "ner_tags": ["B-PER", "O"]}.'
INFO = "dataset_info.json"
_WORDS = msgspec.json.Decoder(list[str])
_TAGS = msgspec.json.Decoder(list[str | int])
_TEXT = msgspec.json.Decoder(str)


def _recognises(head: Head) -> bool:
    row = head.row
    if row is None:
        return False
    words = next((row[key] for key in WORDS if key in row), None)
    tags = next((row[key] for key in (*TAGS, *PREDICTED) if key in row), None)
    if not isinstance(words, list) or not isinstance(tags, list):
        return False
    return all(isinstance(word, str) for word in words) and all(isinstance(tag, str | int) for tag in tags)


def _read(source: Source, options: Options) -> Annotations:
    options.only("token-tags", "columns")
    chosen(options)
    return Annotations(
        tags=Documents(source.name, partial(_documents, source, options)),
        columns=columns_of(source),
        words=True,
    )


def _documents(source: Source, options: Options) -> Iterator[TaggedRow]:
    columns: _Columns | None = None
    for row in read_lazy_rows(source, REMEDY):
        if columns is None:
            columns = _columns(source, options, row)
        words, tags = row.read(_key(row, columns.words), _WORDS), row.read(_key(row, columns.tags), _TAGS)
        yield row_of(
            source.name,
            row.line,
            words or (),
            tags_of(tags or (), columns.names, columns.tags, row.where),
            row.read("text", _TEXT),
            id=row.id(),
            columns=row.columns(options.attributes),
        )


class _Columns(NamedTuple):
    """Which keys hold the tokens and their tags, and what numbers stand for, if that is known."""

    words: str
    tags: str
    names: Sequence[str] | None


def _columns(source: Source, options: Options, first: Fields) -> _Columns:
    """The keys that were named, or the first of the usual ones that the first row has."""
    named = chosen(options)
    words = named.units or _key(first, *WORDS)
    tags = named.marks or _key(first, *usual(options))
    return _Columns(words, tags, _names(_info(source), tags))


def _key(row: Fields, *keys: str) -> str:
    """The first of some keys that a row has."""
    found = next((key for key in keys if row.has(key)), None)
    if found is not None:
        return found
    names = " or ".join(f"`{key}`" for key in keys)
    raise row.fault(f"the row has no {names}", f"{REMEDY} Other names are given by --columns tokens,ner_tags.")


def _info(source: Source) -> Mapping[str, Any]:
    """What stands beside the file about its dataset; nothing where there is no such file."""
    path = Path(source.path).parent / INFO
    if source.path == "-" or not path.is_file():
        return {}
    try:
        info = msgspec.json.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        remedy = f"Correct it, or take it away: it names the numbers in {source.name}."
        raise FormatError(f"cannot be read: {error}", where=str(path), remedy=remedy) from error
    return info if isinstance(info, dict) else {}


def _names(info: Mapping[str, Any], key: str) -> Sequence[str] | None:
    """The names of the numbers of a column."""
    features = info.get("features")
    if isinstance(features, dict):
        found = next((names_of(features[name]) for name in (key, *TAGS) if name in features), None)
        if found is not None:
            return found
    given = [*_pairs(info.get("label2id")), *((label, number) for number, label in _pairs(info.get("id2label")))]
    by_number = {int(number): str(label) for label, number in given if str(number).isdecimal()}
    return [by_number.get(number, "") for number in range(max(by_number) + 1)] if by_number else None


def _pairs(mapping: Any) -> list[tuple[Any, Any]]:
    return list(mapping.items()) if isinstance(mapping, dict) else []


def _write_tags(documents: Iterable[SpanDocument], path: str, scheme: str) -> None:
    with written(path) as file:
        for each in tagged(documents, scheme):
            file.write(msgspec.json.encode(_row(each.document, each.words, each.tags)) + b"\n")


def _row(document: SpanDocument, words: Sequence[str], tags: Sequence[str]) -> dict[str, object]:
    row: dict[str, object] = {} if document.id is None else {"id": document.id}
    row |= {} if document.text == " ".join(words) else {"text": document.text}
    return row | {"tokens": words, "ner_tags": tags}


def _write(documents: Iterable[SpanDocument], path: str) -> None:
    _write_tags(documents, path, "iob2")


FORMAT = AnnotationFormat("token-tags", _recognises, _read, _write, both_sides=True, write_tags=_write_tags)
