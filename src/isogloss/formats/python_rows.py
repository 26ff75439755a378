"""Documents as Python rows, without a file.

Rows are the objects of any JSON format of annotations.

    [{"tokens": ["Ada", "met", "Bob"], "ner_tags": ["B-PER", "O", "B-PER"]}]
    [{"text": "Ada met Bob", "spans": [{"start": 0, "end": 3, "label": "PER"}]}]

Rows are read as JSON lines by the readers of files, so that formats, ids, checks and columns are the same. If one side
has rows and the other has a list of tag lists or span lists, the other side gets the words and ids of the rows.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, Any

import msgspec

from isogloss.errors import DataError, MismatchError, UsageError
from isogloss.formats.detection import make_folder_check
from isogloss.formats.python_arguments import ARGUMENT_NAMES, is_row, is_span, to_document_list, to_unit_list
from isogloss.formats.python_lists import convert_span
from isogloss.formats.tokens import PREDICTED, TAGS, WORDS
from isogloss.kernel.provenance import Side
from isogloss.records.shards import open_source
from isogloss.records.sources import ArgumentName, Source, is_path
from isogloss.text.display import format_count

NUMBERS_REMEDY = "Give their names: label_names=['O', 'B-PER', 'I-PER'], in the order of the numbers."


class RowListSource(Source):
    """A list of rows as a source of JSON lines.

    Args:
        rows: the rows.
        name: name of the list in messages.

    Raises:
        DataError: if a row holds a value that JSON does not have.
    """

    def __init__(self, rows: Sequence[Any], name: str) -> None:
        super().__init__(f"<{name}>")
        self.name = ArgumentName(name)
        self._data = b"".join(encode_row(row, f"{name}[{number}]") + b"\n" for number, row in enumerate(rows))

    @property
    def size(self) -> int:
        """Number of bytes."""
        return len(self._data)

    @contextmanager
    def open_stored(self) -> Iterator[IO[bytes]]:
        """Open the JSON lines."""
        with io.BytesIO(self._data) as file:
            yield file


def encode_row(row: Any, where: str) -> bytes:
    """Encode a row as JSON.

    Args:
        row: the row.
        where: its place, for messages.

    Raises:
        DataError: if it is not a row, or holds a value that JSON does not have.
    """
    if not isinstance(row, Mapping):
        message = f"a row is a dict, but {row!r} is of type {type(row).__name__}"
        raise DataError(message, where=where, remedy="Give rows for all documents of a side, or for none.")
    try:
        return msgspec.json.encode(row if type(row) is dict else dict(row), enc_hook=to_plain)
    except (TypeError, UnicodeEncodeError, msgspec.MsgspecError) as error:
        remedy = "A row holds strings, numbers, lists and dicts."
        raise DataError(f"the row cannot be written as JSON: {error}", where=where, remedy=remedy) from error


def to_plain(value: Any) -> Any:
    """Convert values of other packages: arrays and numbers of numpy, mappings, dates.

    Args:
        value: a value that JSON does not have.
    """
    if hasattr(value, "tolist"):
        return value.tolist()
    return dict(value) if isinstance(value, Mapping) else str(value)


def is_row_list(value: Any) -> bool:
    """Return whether an argument looks like a list of rows.

    The first item decides.

    Args:
        value: the argument.
    """
    if value is None or is_path(value) or not hasattr(value, "__len__") or isinstance(value, Mapping):
        return False
    return is_row(next(iter(value), None))


def open_row_lists(reference: Any, prediction: Any, label_names: Sequence[str] | None) -> tuple[Source, Source | None]:
    """Open both sides as sources.

    At least one of them is a list of rows.

    Args:
        reference: rows, tag lists, span lists, or a path.
        prediction: the same; None if the rows of the reference have both sides.
        label_names: names of tags that are numbers; None for the names that a dataset knows.

    Raises:
        UsageError: if a side has tags or spans, and the rows of the other do not have the words for them.
        MismatchError: if the numbers of documents differ.
        DataError: if a row cannot be read.
    """
    names = label_names or find_dataset_names(reference) or find_dataset_names(prediction)
    opened = _open_side(reference, "reference", prediction, names)
    return opened, None if prediction is None else _open_side(prediction, "predicted", reference, names)


def _open_side(value: Any, side: Side, other: Any, names: Sequence[str] | None) -> Source:
    """Open a side as a source.

    `other` is the value of the other side.
    """
    if is_path(value):
        return open_source(value, make_folder_check(None))
    if is_row_list(value):
        rows = _name_row_tags(value, names, side)
    else:
        rows = _build_partner_rows(value, side, list(other), names)
    return RowListSource(rows, ARGUMENT_NAMES[side])


def find_dataset_names(value: Any) -> Sequence[str] | None:
    """Return the tag names of a Hugging Face dataset, else None.

    Args:
        value: an argument of the call.
    """
    features = getattr(value, "features", None)
    if not isinstance(features, Mapping):
        return None
    for key in (*TAGS, *PREDICTED):
        feature = features.get(key)
        while feature is not None and not hasattr(feature, "names"):
            feature = getattr(feature, "feature", None)
        if feature is not None:
            names: Sequence[str] = feature.names
            return names
    return None


def name_tags(tags: Any, names: Sequence[str], where: str) -> list[Any]:
    """Return the tags of a document, with names for numbers.

    Args:
        tags: names or numbers of tags.
        names: names of the numbers.
        where: place of the document.

    Raises:
        DataError: if a number has no name.
    """
    return [tag if isinstance(tag, str) else _name_tag(tag, names, f"{where}[{at}]") for at, tag in enumerate(tags)]


def _name_tag(tag: Any, names: Sequence[str], where: str) -> str:
    try:
        number = int(tag)
    except (TypeError, ValueError):
        number = -1
    if 0 <= number < len(names):
        return names[number]
    raise DataError(
        f"{tag!r} is not the number of a tag: label_names has {format_count(len(names), 'name')}, from 0",
        where=where,
        remedy="Leave out tokens that are not scored, such as -100, on both sides, or name all tags.",
    )


def name_tag_lists(documents: Any, names: Sequence[str], side: Side) -> Any:
    """Return tag lists with names for numbers.

    Args:
        documents: per document a list of tags.
        names: names of the numbers.
        side: the side of the tags.

    Raises:
        DataError: if a number has no name.
    """
    numbered = enumerate(to_document_list(documents, side))
    return [name_tags(to_unit_list(tags, at, side), names, f"{ARGUMENT_NAMES[side]}[{at}]") for at, tags in numbered]


def _name_row_tags(rows: Any, names: Sequence[str] | None, side: Side) -> Sequence[Any]:
    """Return a side's rows with names for numeric tags.

    Only numbers in the columns that have tags get names.
    """
    if names is None:
        return [_refuse_numbers(row, f"{ARGUMENT_NAMES[side]}[{at}]") for at, row in enumerate(rows)]
    return [
        dict(row) | {key: name_tags(row[key], names, f"{ARGUMENT_NAMES[side]}[{at}]") for key in _find_tag_keys(row)}
        if isinstance(row, Mapping)
        else row
        for at, row in enumerate(rows)
    ]


def _refuse_numbers(row: Any, where: str) -> Any:
    keys = _find_tag_keys(row) if isinstance(row, Mapping) else []
    if not keys:
        return row
    message = f"the tags of {keys[0]!r} are numbers, such as {row[keys[0]][0]!r}"
    raise DataError(message, where=where, remedy=NUMBERS_REMEDY)


def _find_tag_keys(row: Mapping[str, Any]) -> list[str]:
    keys = (key for key in (*TAGS, *PREDICTED) if hasattr(row.get(key), "__len__") and len(row[key]))
    return [key for key in keys if not isinstance(row[key], (str, Mapping)) and hasattr(row[key][0], "__index__")]


def _build_partner_rows(
    value: Any, side: Side, rows: Sequence[Mapping[str, Any]], names: Sequence[str] | None
) -> list[dict[str, Any]]:
    """Build rows from tag lists or span lists.

    The words and ids come from the rows of the other side.
    """
    documents = to_document_list(value, side)
    if len(documents) != len(rows):
        raise MismatchError(
            f"{ARGUMENT_NAMES[side]} has {format_count(len(documents), 'document')}, the other side {len(rows)} rows",
            remedy="Give one list of tags or spans for each row, in the same order.",
        )
    partners = []
    for number, (document, row) in enumerate(zip(documents, rows, strict=True)):
        units = to_unit_list(document, number, side)
        partners.append(_build_partner_row(units, row, names, f"{ARGUMENT_NAMES[side]}[{number}]"))
    return partners


def _build_partner_row(
    units: Sequence[Any], row: Mapping[str, Any], names: Sequence[str] | None, where: str
) -> dict[str, Any]:
    key = next((key for key in WORDS if isinstance(row.get(key), (list, tuple))), None)
    kept = {"id": row["id"]} if row.get("id") is not None else {}
    if key is not None and _has_strings(row[key]) and not (units and is_span(units[0])):
        return {**kept, "tokens": row[key], "tags": name_tags(units, names, where) if names else units}
    if isinstance(row.get("text"), str) and all(map(is_span, units)):
        spans = [convert_span(span, f"{where}[{at}]") for at, span in enumerate(units)]
        return {**kept, "text": row["text"], "entities": spans}
    has = "tokens" if key is not None else f"the fields {', '.join(map(repr, row))}"
    raise UsageError(
        f"{where} cannot be compared with rows that have {has}. "
        "Tags go with rows that have tokens, spans with rows that have a text; or give rows on both sides."
    )


def _has_strings(words: Sequence[Any]) -> bool:
    return all(isinstance(word, str) for word in words)
