"""One line of JSON to a row with the expected types, or an error with its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from isogloss.exceptions import FormatError
from isogloss.formats import json_lines
from isogloss.formats.json_lines import Columns, value_of
from isogloss.formats.offsets import Marked
from isogloss.formats.span_pairing import LONGEST, Token, Triple
from isogloss.sources import Block, Source

REMEDY = 'A row looks like {"id": "1", "text": "Ada met Bob", "entities": [{"start": 0, "end": 3, "label": "PER"}]}.'
TOKENS = (
    'With tags, a row has tokens such as {"start": 0, "end": 3}, as many as tags; both count code points of the text.'
)


class Entity(msgspec.Struct, gc=False):
    """A span written as an object, which may say what text it covers."""

    start: int
    end: int
    label: str
    text: str | None = None


Item = Entity | tuple[int, int, str]


class Row(msgspec.Struct, gc=False):
    """What a line may hold. What is only looked at without `entities` is left as JSON: it may mean something else."""

    id: str | int | None = None
    text: str | None = None
    entities: list[Item] | msgspec.UnsetType = msgspec.UNSET
    spans: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    tokens: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    tags: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET

    @property
    def name(self) -> str | None:
        """The id as text."""
        return None if self.id is None else str(self.id)


_ROW = msgspec.json.Decoder(Row)
_SPANS = msgspec.json.Decoder(list[Item])
_TOKENS = msgspec.json.Decoder(list[Token])
_TAGS = msgspec.json.Decoder(list[str])


def rows_of(source: Source, block: Block, columns: Columns[Row] | None = None) -> Iterator[tuple[int, Row]]:
    """The rows of a block, each with the number of its line.

    Args:
        source: what the block is of.
        block: whole lines.
        columns: columns that are wanted beside.

    Raises:
        FormatError: a line is no JSON, no object, or a value is not of the type that it should be.
    """
    return json_lines.rows_of(source, block, _ROW if columns is None else columns.decoder, REMEDY)


def items_of(row: Row, name: str, line: int) -> Sequence[Item] | None:
    """The spans of a row as they stand, None where it has tags instead.

    Args:
        row: a row.
        name: of its file.
        line: its line.

    Raises:
        FormatError: `spans` are not of the types that they should be, or it has neither spans nor tags.
    """
    if row.entities is not msgspec.UNSET:
        return row.entities
    if row.spans is not msgspec.UNSET:
        return value_of(_SPANS, row.spans, "spans", f"{name}:{line}", REMEDY)
    if row.tags is not msgspec.UNSET:
        return None
    raise FormatError("the row has neither `entities` nor `tags`", where=f"{name}:{line}", remedy=REMEDY)


def triples_of(items: Sequence[Item]) -> Sequence[Triple]:
    """Start, end and label of spans."""
    if not items:
        return ()
    return [(item.start, item.end, item.label) if isinstance(item, Entity) else item for item in items]


def marked_of(items: Sequence[Item]) -> list[Marked] | None:
    """Spans with the texts that they say they cover; None where none says so."""
    if all(getattr(item, "text", None) is None for item in items):
        return None
    return [
        (item.start, item.end, item.label, item.text) if isinstance(item, Entity) else (*item, None) for item in items
    ]


def tags_of(row: Row, where: str) -> tuple[list[Token], list[str]]:
    """The tokens of a row and their tags.

    Args:
        row: a row with `tags`.
        where: its file and line.

    Raises:
        FormatError: tokens or tags are missing or not what they should be, or there are not as many of both.
    """
    if row.tokens is msgspec.UNSET or row.tags is msgspec.UNSET:
        raise FormatError("the row has `tags`, but no `tokens`", where=where, remedy=TOKENS)
    tokens = value_of(_TOKENS, row.tokens, "tokens", where, TOKENS)
    tags = value_of(_TAGS, row.tags, "tags", where, REMEDY)
    if len(tokens) != len(tags):
        raise FormatError(f"the row has {len(tokens)} tokens, but {len(tags)} tags", where=where, remedy=TOKENS)
    if not all(tags):
        message = f"`tags[{tags.index('')}]` is empty"
        raise FormatError(message, where=where, remedy="The tag of a token without a name is 'O'.")
    _check_order(tokens, where)
    return tokens, tags


def _check_order(tokens: list[Token], where: str) -> None:
    end = 0
    for at, token in enumerate(tokens):
        if not end <= token.start < token.end <= LONGEST:
            message = f"`tokens[{at}]`, [{token.start}, {token.end}), is empty or does not begin at {end} or later"
            raise FormatError(message, where=where, remedy="List the tokens in the order of the text.")
        end = token.end
