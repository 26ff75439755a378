"""JSON lines: a text a row.

    {"id": "1", "text": "Ada met Bob", "prompt": "Whom did Ada meet?"}

The fields may have other names, and may be fields of fields: `response.text`. `id` is a string or a whole number; all
rows have one of their own, or none has one. A prompt is read where its field is named. Where sentences, tokens and
entities are given, see `segments`. Other fields are ignored, blank lines skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from isogloss.formats.code_switching.fields import Fields
from isogloss.formats.code_switching.mappings import row_of
from isogloss.formats.code_switching.names import Names
from isogloss.formats.code_switching.rows import Progress, Row, blocks_of, of_columns
from isogloss.formats.code_switching.segments import KEYS
from isogloss.formats.json_lines import rows_at_once, rows_of
from isogloss.sources import Block, Source

REMEDY = 'A row looks like {"id": "1", "text": "Ada ran"}.'
_OBJECT = msgspec.json.Decoder(dict[str, Any])


def rows(source: Source, fields: Fields, names: Names, progress: Progress | None) -> Iterator[list[Row]]:
    """The rows of a file, in lists.

    Args:
        source: the file.
        fields: which fields are read.
        names: what rows are called.
        progress: told the bytes read after each block.

    Raises:
        SourceError: the file cannot be read.
        FormatError: a line is no JSON object, or a field is not what it should be.
        DataError: an id or a position cannot be right.
    """
    plain = _plain(fields) if fields.are_plain else None
    for block in blocks_of(source, progress, decode=False):
        found = rows_at_once(block, plain) if plain else None
        if found is not None:
            yield _of_plain(block, found, fields, names)
            continue
        for line, mapping in rows_of(source, block, _OBJECT, REMEDY):
            yield [row_of(mapping, line, fields, names, f"{source.name}:{line}")]


def _plain(fields: Fields) -> msgspec.json.Decoder[Any]:
    """Decodes rows with a text and no sentences, tokens and entities; others it refuses."""
    wanted: dict[str, tuple[str, Any]] = {"text": (fields.text, str)}
    if fields.id is not None:
        wanted["id"] = (fields.id, str | int | None)
    if fields.prompt is not None:
        wanted["prompt"] = (fields.prompt, str | None)
    wanted |= {key: (key, None) for key in KEYS if key not in fields.named}
    optional = {"id", *KEYS}
    row = msgspec.defstruct(
        "PlainRow",
        [(field, kind, None) if field in optional else (field, kind) for field, (_, kind) in wanted.items()],
        rename={field: name for field, (name, _) in wanted.items()},
        kw_only=True,
        gc=False,
    )
    return msgspec.json.Decoder(row)


def _of_plain(block: Block, found: list[Any], fields: Fields, names: Names) -> list[Row]:
    places = range(block.first_line, block.first_line + len(found))
    called = names.of([row.id for row in found], places) if fields.id else names.numbered(len(found))
    texts = [row.text for row in found]
    if fields.prompt is None:
        return of_columns(texts, places, called)
    return of_columns(texts, places, called, [row.prompt for row in found])
