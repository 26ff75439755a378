"""JSON to rows with the expected types, or an error with its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import msgspec

from isogloss.exceptions import FormatError
from isogloss.formats import json_lines, json_rows
from isogloss.formats.json_lines import Columns, value_of
from isogloss.formats.offsets import Marked
from isogloss.formats.span_pairing import LONGEST, Token, Triple
from isogloss.sources import Source

REMEDY = 'A row looks like {"id": "1", "text": "Ada met Bob", "entities": [{"start": 0, "end": 3, "label": "PER"}]}.'
TOKENS = (
    'With tags, a row has tokens such as {"start": 0, "end": 3}, as many as tags; both count code points of the text.'
)
DROPPED = (b'"reject"', b'"ignore"')  # answers in Prodigy
OF_PRODIGY = "Its first row does not look like Prodigy. --input-format prodigy leaves out such rows, and counts them."
PIECE = 1 << 10  # rows of an array


class Entity(msgspec.Struct, gc=False):
    """A span written as an object, which may say what text it covers."""

    start: int
    end: int
    label: str
    text: str | None = None


Item = Entity | tuple[int, int, str]


class Row(msgspec.Struct, gc=False, rename={"task_hash": "_task_hash"}):
    """What a line may hold. What is only looked at without `entities` is left as JSON: it may mean something else."""

    id: str | int | None = None
    text: str | None = None
    entities: list[Item] | msgspec.UnsetType = msgspec.UNSET
    spans: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    tokens: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    tags: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    answer: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    task_hash: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET

    @property
    def name(self) -> str | None:
        """The id as text."""
        return None if self.id is None else str(self.id)


Numbered = tuple[int | str, Row]  # line and row
_ROW = msgspec.json.Decoder(Row)
_SPANS = msgspec.json.Decoder(list[Item])
_TOKENS = msgspec.json.Decoder(list[Token])
_TAGS = msgspec.json.Decoder(list[str])


def pieces_of(source: Source, size: int, columns: Columns[Row] | None = None) -> Iterator[Iterable[Numbered]]:
    """The rows of a file in pieces, each row with its line.

    Args:
        source: JSON lines, or one array, which is in memory as a whole.
        size: bytes of lines that are read at once, about.
        columns: columns that are wanted beside.

    Raises:
        SourceError: the file cannot be read.
        FormatError: it is no JSON, a row is no object, or a value is not of the type that it should be.
    """
    decoder = _ROW if columns is None else columns.decoder
    if not json_rows.is_array(source):
        yield from (json_lines.rows_of(source, block, decoder, REMEDY) for block in source.blocks(size))
        return
    rows = json_rows.rows_of(source, decoder, REMEDY)
    while piece := list(islice(rows, PIECE)):
        yield piece


def items_of(row: Row, name: str, line: int | str) -> Sequence[Item] | None:
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


def check_kept(row: Row, name: str, line: int | str) -> None:
    """Refuse a row that its annotator did not keep, in a file of Prodigy whose first row does not look like one.

    Args:
        row: a row with an answer.
        name: of its file.
        line: its line.

    Raises:
        FormatError: it was rejected or ignored in Prodigy.
    """
    answer = b"" if row.answer is msgspec.UNSET else bytes(row.answer)
    if answer in DROPPED and row.task_hash is not msgspec.UNSET:
        message = f"the row has the answer {answer.decode()} of Prodigy, but the file is read as jsonl"
        raise FormatError(message, where=f"{name}:{line}", remedy=OF_PRODIGY)


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
