"""Tables from Python as rows.

They are frames of pandas and polars, and Arrow tables, perhaps with one row for each token.

    to_row_list(frame)    # [{"id": "1", "tokens": ["Ada", "ran"], "ner_tags": ["B-PER", "O"]}, …]

A table with one token in each row needs a column with the sentence of the token. Rows of a sentence follow each other;
an empty cell means the sentence of the row before, as spreadsheets write it. No package is imported for this.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from isogloss.errors import DataError, UsageError
from isogloss.formats.tokens import PREDICTED, TAGS, WORDS, find_label_names

SENTENCE_COLUMNS = ("sentence_id", "sent_id", "sentence", "sentence_number", "document_id", "doc_id", "document", "id")
TOKEN_COLUMNS = ("token", "word", "form", *WORDS, "text")
TAG_COLUMNS = ("ner_tag", "tag", "ner", "label", *TAGS)
PREDICTED_COLUMNS = ("predicted_tag", "prediction", *PREDICTED)
Row = Mapping[str, Any]


def to_row_list(value: Any, name: str) -> Any:
    """Return a table as a list of rows; anything else unchanged.

    Args:
        value: an argument of the call.
        name: its name in messages.

    Raises:
        UsageError: if it has several splits, or is a query that was not run.
        DataError: if a sentence is in two places of a table of tokens, or a token has no sentence.
    """
    package = type(value).__module__.split(".", 1)[0]
    if package == "datasets" and isinstance(value, Mapping):
        splits = list(value)
        raise UsageError(
            f"{name} has the splits {', '.join(splits)}: give one of them, such as {name}[{splits[-1]!r}]."
        )
    rows = _list_rows(value, package, name)
    return value if rows is None else _join_tokens(rows, name)


def _list_rows(value: Any, package: str, name: str) -> list[Row] | None:
    """Return the rows of a table; None if it is not one."""
    if package == "pandas" and hasattr(value, "columns"):
        rows: list[Row] = value.to_dict("records")
        return [{key: None if _is_missing(cell) else cell for key, cell in row.items()} for row in rows]
    if package == "polars" and hasattr(value, "collect"):
        raise UsageError(f"{name} is a query that was not run: give {name}.collect().")
    if package == "polars" and hasattr(value, "to_dicts"):
        return list(value.to_dicts())
    if package == "pyarrow" and hasattr(value, "to_pylist") and hasattr(value, "schema"):
        names = _read_tag_names(value.schema.metadata)
        return [{key: _name_tags(cell, names.get(key)) for key, cell in row.items()} for row in value.to_pylist()]
    return None


def _is_missing(cell: Any) -> bool:
    """Return whether a cell of pandas is empty, hence NaN."""
    return isinstance(cell, float) and cell != cell  # noqa: PLR0124  only NaN differs from itself


def _read_tag_names(metadata: Mapping[bytes, bytes] | None) -> dict[str, Sequence[str]]:
    """Return the names of numeric tags by column.

    Hugging Face datasets write them beside a table.
    """
    try:
        features = json.loads((metadata or {})[b"huggingface"])["info"]["features"]
        names_by_key = {key: find_label_names(feature) for key, feature in features.items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
    return {key: names for key, names in names_by_key.items() if names is not None}


def _name_tags(cell: Any, names: Sequence[str] | None) -> Any:
    if names is None or not isinstance(cell, list):
        return cell
    return [names[tag] if type(tag) is int and 0 <= tag < len(names) else tag for tag in cell]


def _join_tokens(rows: Sequence[Row], name: str) -> Sequence[Row]:
    """Join rows with a token each to sentences.

    Other rows are returned as they are.
    """
    columns = {key: _simplify(key) for key in (rows[0] if rows else ()) if isinstance(key, str)}
    token = _find_column(columns, TOKEN_COLUMNS)
    if token is None or not isinstance(rows[0][token], str):
        return rows
    tags = {
        key: column
        for key, names in (("ner_tags", TAG_COLUMNS), ("predicted_tags", PREDICTED_COLUMNS))
        if (column := _find_column(columns, names)) is not None and _is_tag(rows[0][column])
    }
    if not tags:
        return rows
    sentence = _find_column({key: known for key, known in columns.items() if key != token}, SENTENCE_COLUMNS)
    if sentence is None:
        have = ", ".join(map(repr, rows[0]))
        remedy = f"Add a column `sentence_id`; it has {have}."
        raise DataError("has one token in each row, but no column with its sentence", where=name, remedy=remedy)
    return _build_sentences(rows, sentence, token, tags, name)


def _simplify(column: str) -> str:
    """Return a name in lower case with underscores.

    `Sentence #` becomes `sentence`.
    """
    return re.sub(r"[^a-z0-9]+", "_", column.lower()).strip("_")


def _find_column(columns: Mapping[str, str], names: Iterable[str]) -> str | None:
    """Return the column with the first of some names."""
    return next((key for name in names for key, known in columns.items() if known == name), None)


def _is_tag(cell: Any) -> bool:
    return isinstance(cell, str) or (hasattr(cell, "__index__") and not isinstance(cell, bool))


def _build_sentences(
    rows: Sequence[Row], sentence: str, token: str, tags: Mapping[str, str], name: str
) -> list[dict[str, Any]]:
    names: list[str] = []
    for number, row in enumerate(rows):
        own = row[sentence]
        if own is None and not names:
            raise DataError(f"`{sentence}` is empty in the first row", where=f"{name}[{number}]", remedy="Fill it.")
        names.append(names[-1] if own is None else str(own))
    sentences: dict[str, dict[str, Any]] = {}
    for key, group in groupby(range(len(rows)), names.__getitem__):
        places = list(group)
        if key in sentences:
            remedy = f"Sort the table by {sentence!r}, keeping the order of tokens."
            raise DataError(f"the sentence {key!r} is in two places", where=f"{name}[{places[0]}]", remedy=remedy)
        sentences[key] = {
            "id": key,
            "tokens": [rows[at][token] for at in places],
            **{field: [rows[at][column] for at in places] for field, column in tags.items()},
        }
    return list(sentences.values())
