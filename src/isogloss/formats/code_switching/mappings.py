"""An object with fields to a row: a line of JSON, or a Python dictionary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isogloss.formats.code_switching.fields import MISSING, Fields, found, prompt_of, text_of
from isogloss.formats.code_switching.names import Names
from isogloss.formats.code_switching.rows import Row
from isogloss.formats.code_switching.segments import KEYS, segments_of


def row_of(mapping: Mapping[str, Any], place: int, fields: Fields, names: Names, where: str) -> Row:
    """The row that an object stands for.

    Args:
        mapping: its fields.
        place: where it is.
        fields: which of them are read.
        names: what rows are called.
        where: what messages call its place.

    Raises:
        FormatError: a field is missing, or not of the type that it should be.
        DataError: sentences, tokens or entities do not fit the text or each other.
    """
    text = text_of(mapping, fields.text, where)
    given_id = None if fields.id is None else found(mapping, fields.id)
    (name,) = names.of([None if given_id is MISSING else given_id], [place])
    prompt = prompt_of(mapping, fields.prompt, where)
    taken = {field.partition(".")[0] for field in fields.named}
    given = {key: mapping[key] for key in KEYS if key in mapping and key not in taken}
    columns = fields.values(mapping, where)
    return (
        Row(text, place, name, *segments_of(given, text, where), prompt, columns)
        if given
        else Row(text, place, name, prompt=prompt, columns=columns)
    )
