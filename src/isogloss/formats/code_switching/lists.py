"""Python lists: each item a string, or a dictionary with the fields of a row of JSON lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from isogloss.exceptions import DataError, FormatError, UsageError
from isogloss.formats.code_switching.fields import Fields
from isogloss.formats.code_switching.mappings import row_of
from isogloss.formats.code_switching.names import Names
from isogloss.formats.code_switching.rows import Row, of_columns

NAME = "texts"
PIECE = 1 << 10  # items


def items_of(texts: Any) -> Sequence[Any]:
    """The items of an argument; a list or tuple is not copied.

    Raises:
        UsageError: it is no collection of texts.
    """
    if isinstance(texts, bytes | Mapping) or not hasattr(texts, "__iter__"):
        raise UsageError(f"texts is of type {type(texts).__name__}; give a path, a list of strings or of dictionaries.")
    return texts if isinstance(texts, list | tuple) else list(texts)


def columns_of(items: Sequence[Any]) -> list[str]:
    """The keys of the first item whose value is a string, a number or a truth value; none of a string."""
    first = next(iter(items), None)
    return (
        [str(key) for key, value in first.items() if isinstance(value, str | int | float)]
        if isinstance(first, Mapping)
        else []
    )


def where(place: int, _line: int = 0) -> str:
    """What messages call an item: `texts[3]`."""
    return f"{NAME}[{place}]"


def rows(items: Sequence[Any], fields: Fields, names: Names) -> Iterator[list[Row]]:
    """The rows of a list, in lists.

    Args:
        items: strings and dictionaries.
        fields: which fields of dictionaries are read.
        names: what rows are called.

    Raises:
        FormatError: an item is neither, or a field is not what it should be.
        DataError: an id, a position or a character cannot be right.
    """
    for first in range(0, len(items), PIECE):
        piece = items[first : first + PIECE]
        if set(map(type, piece)) == {str} and _is_text("".join(piece)):
            places = range(first, first + len(piece))
            yield of_columns(piece, places, names.of([None] * len(piece), places))
        else:
            for place, item in enumerate(piece, first):
                yield [_row(item, place, fields, names)]


def _row(item: Any, place: int, fields: Fields, names: Names) -> Row:
    if isinstance(item, str):
        (name,) = names.of([None], [place])
        row = Row(str(item), place, name)
    elif isinstance(item, Mapping):
        row = row_of(item, place, fields, names, where(place))
    else:
        raise FormatError(
            f"{item!r:.40} is of type {type(item).__name__}, but a text is a string",
            where=where(place),
            remedy='Give a string, or a dictionary such as {"id": "1", "text": "Ada ran"}.',
        )
    if not (_is_text(row.text) and _is_text(row.prompt or "")):
        raise DataError(
            "the text holds half a surrogate pair, which is no character",
            where=where(place),
            remedy='Replace it: text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").',
        )
    return row


def _is_text(text: str) -> bool:
    """Whether all of it are characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
