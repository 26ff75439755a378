"""JSON lines: a sample a row, with its words in `tokens` (or `words`).

    {"tokens": ["Ada", "ran"], "text": "Ada ran"}
    {"tokens": ["Ada", "ran"], "spaces": [true, false]}
    {"tokens": [{"text": "Ada", "ws": true}, {"text": "ran", "ws": false}]}
    {"tokens": [{"start": 0, "end": 3}, {"start": 4, "end": 7}], "text": "Ada ran"}

Words stand in their order in `text`, which has only whitespace between them. `spaces` (or `whitespace`) says of each
word whether a space follows. Positions are half-open and count code points. Other keys are ignored, unless they are
wanted as columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from isogloss.exceptions import FormatError
from isogloss.formats.json_lines import Columns, rows_of
from isogloss.formats.segmentation.pieces import SPACE, Sample, located, spaced
from isogloss.sources import Source

REMEDY = 'A row looks like {"text": "Ada ran", "tokens": ["Ada", "ran"]}.'


class Token(msgspec.Struct, gc=False):
    """A word written as an object."""

    text: str | None = None
    start: int | None = None
    end: int | None = None
    ws: bool = False


class Row(msgspec.Struct, gc=False):
    """What a line may hold."""

    text: str | None = None
    tokens: list[str | Token] | None = None
    words: list[str | Token] | None = None
    spaces: list[bool] | None = None
    whitespace: list[bool] | None = None


_ROW = msgspec.json.Decoder(Row)


def samples(source: Source, attributes: Sequence[str] = ()) -> Iterator[Sample]:
    """The rows of a file.

    Args:
        source: the file.
        attributes: columns that are wanted beside.

    Raises:
        FormatError: a row is no JSON, has no tokens, or tokens that do not stand in its text.
        UsageError: a wanted column holds a list or an object.
    """
    columns = Columns.beside(Row, attributes) if attributes else None
    for block in source.blocks():
        for line, row in rows_of(source, block, _ROW if columns is None else columns.decoder, REMEDY):
            tokens = row.words if row.tokens is None else row.tokens
            if tokens is None:
                raise FormatError("the row has no `tokens`", where=f"{source.name}:{line}", remedy=REMEDY)
            try:
                pieces = _pieces(row, tokens)
            except ValueError as error:
                raise FormatError(str(error), where=f"{source.name}:{line}", remedy=REMEDY) from error
            values = None if columns is None else columns.of(row, f"{source.name}:{line}")
            yield Sample(line, pieces, columns=values)


def _pieces(row: Row, tokens: Sequence[str | Token]) -> list[str]:
    if any(isinstance(token, Token) and token.start is not None for token in tokens):
        return _placed(tokens, row.text)
    words = [token.text if isinstance(token, Token) else token for token in tokens]
    if None in words:
        raise ValueError(f"`tokens[{words.index(None)}]` has neither `text` nor `start` and `end`")
    known = [word for word in words if word is not None]
    if row.text is not None:
        found = located(known, row.text)
        if found is None:
            raise ValueError("`tokens` do not stand in `text` in this order with only whitespace between them")
        return found
    flags = row.whitespace if row.spaces is None else row.spaces
    after = [isinstance(token, Token) and token.ws for token in tokens] if flags is None else flags
    if len(after) != len(known):
        raise ValueError(f"the row has {len(known)} tokens, but {len(after)} flags of whitespace")
    return spaced(known, after)


def _placed(tokens: Sequence[str | Token], text: str | None) -> list[str]:
    """The pieces of words that have positions."""
    pieces, at = [], 0
    for number, token in enumerate(tokens):
        if isinstance(token, str) or token.start is None or token.end is None:
            raise ValueError(f"`tokens[{number}]` has no `start` and `end`, but others have")
        if not at <= token.start <= token.end <= (token.end if text is None else len(text)):
            raise ValueError(f"`tokens[{number}]`, [{token.start}, {token.end}), does not follow in the text")
        word = token.text if text is None else text[token.start : token.end]
        if word is None:
            raise ValueError(f"`tokens[{number}]` has no `text`, nor has the row")
        gap = SPACE * (token.start - at) if text is None else text[at : token.start]
        if gap.strip():
            raise ValueError(f"{gap.strip()[:40]!r} before `tokens[{number}]` belongs to no token")
        pieces += [gap, word]
        at = token.end
    rest = "" if text is None else text[at:]
    if rest.strip():
        raise ValueError(f"{rest.strip()[:40]!r} after the last token belongs to no token")
    return [piece for piece in (*pieces, rest) if piece]
