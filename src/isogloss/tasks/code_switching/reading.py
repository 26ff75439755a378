"""Plain text: a text a line, or a text a file.

Lines end with a newline and nothing else; a carriage return before it is left out. Lines with nothing but whitespace
are skipped. A file that is one text is that without its last line end; with nothing but whitespace it holds no text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from isogloss.errors import DataError, FormatError, UsageError
from isogloss.records.json_fields import list_columns as list_jsonl_columns
from isogloss.records.json_lines import decode_block, read_block_rows
from isogloss.records.sources import Block, Source, is_path
from isogloss.records.tabular import RowsSource, open_rows
from isogloss.tasks.code_switching.given_segments import KEYS, segments_of
from isogloss.tasks.code_switching.rows import (
    BLOCK,
    MISSING,
    Fields,
    Names,
    Readable,
    Row,
    Rows,
    found,
    of_columns,
    prompt_of,
    text_of,
)


def lines(source: Source, names: Names) -> Iterator[list[Row]]:
    """The lines of a file, in lists.

    Args:
        source: the file.
        names: numbers them.

    Raises:
        SourceError: the file cannot be read.
    """
    for block in source.blocks(BLOCK):
        text = block.text.replace("\r\n", "\n") if b"\r" in block.data else block.text
        texts = text.split("\n")[:-1]
        places = range(block.first_line, block.first_line + len(texts))
        if all(texts) and not any(map(str.isspace, texts)):
            yield of_columns(texts, places, names.numbered(len(texts)))
            continue
        kept = [(line, place) for line, place in zip(texts, places, strict=True) if line and not line.isspace()]
        yield of_columns([line for line, _ in kept], [place for _, place in kept], names.numbered(len(kept)))


def whole(source: Source, names: Names) -> Iterator[list[Row]]:
    """A file as one text.

    Args:
        source: the file.
        names: numbers it.

    Raises:
        SourceError: the file cannot be read.
    """
    text = "".join([block.text for block in source.blocks(BLOCK)])
    if text and not text.isspace():
        yield of_columns([text.removesuffix("\n").removesuffix("\r")], [1], names.numbered(1))


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


REMEDY = 'A row looks like {"id": "1", "text": "Ada ran"}.'
_OBJECT = msgspec.json.Decoder(dict[str, Any])


def read_jsonl(source: Source, fields: Fields, names: Names) -> Iterator[list[Row]]:
    """The rows of JSON lines, or of a table as JSON lines, in lists.

    Args:
        source: the file.
        fields: which fields are read.
        names: what rows are called.

    Raises:
        SourceError: the file cannot be read.
        FormatError: a line is no JSON object, or a field is not what it should be.
        DataError: an id or a position cannot be right.
    """
    plain = _plain(fields) if fields.are_plain else None
    for block in source.blocks(BLOCK, decode=False):
        found = decode_block(block, plain) if plain else None
        if found is not None:
            yield _of_plain(block, found, fields, names)
            continue
        for line, mapping in read_block_rows(source, block, _OBJECT, REMEDY):
            yield [row_of(mapping, line, fields, names, source.locate(line))]


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


NAME = "texts"
PIECE = 1 << 10  # items


def items_of(texts: Any) -> Sequence[Any]:
    """The items of an argument; a list or tuple is not copied.

    Args:
        texts: argument of the caller.

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


def read_list(items: Sequence[Any], fields: Fields, names: Names) -> Iterator[list[Row]]:
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
            "the text holds half a surrogate pair, which is not a character",
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


FORMATS = ("lines", "whole", "jsonl", "csv", "parquet")
JSON_OBJECT = re.compile(rb'(?:\[\s*)?\{\s*["}]')
SEVERAL_LINES = ("whole", "csv")  # formats in which a text can have several lines of its file
PLAIN, TABLES = ("lines", "whole"), ("jsonl", "csv", "parquet")


def opened(  # noqa: PLR0913  all but the first are options, by name
    texts: Any,
    *,
    input_format: str | None = None,
    text_field: str = "text",
    id_field: str | None = "id",
    prompt_field: str | None = None,
    whole: bool = False,
    attributes: Sequence[str] = (),
) -> Rows:
    """The texts that an argument stands for.

    Args:
        texts: a path or source, `-` for standard input; or a list of strings, or of dictionaries.
        input_format: one of `FORMATS`, None to recognise it: a table or an array as `open_rows` does, JSON lines by the
            first line that is not blank; otherwise lines.
        text_field: field or column of the text.
        id_field: field or column of the id; texts are numbered without a field called `id`, or with None or an empty
            name.
        prompt_field: field or column of the prompt that a text answers, None to read no prompts.
        whole: whether a file is one text: `input_format="whole"` says the same.
        attributes: further columns of rows, to slice and cluster by.

    Raises:
        UsageError: if texts are not texts, if there is no such format, or if options do not go together.
        SourceError: if the format must be recognised and the file cannot be read.
        FormatError: if the file looks like a table or like JSON, but cannot be read as one.
    """
    fields = Fields(text_field, id_field, prompt_field, tuple(attributes))
    if input_format is not None and input_format not in FORMATS:
        raise UsageError(f"Unknown input_format {input_format!r}. Choose from {', '.join(FORMATS)}.")
    if whole and input_format not in {None, *PLAIN}:
        raise UsageError(f"A file of {input_format} holds texts in its rows; it cannot be read whole as one text.")
    if not is_path(texts):
        return _of_list(texts, fields, input_format or ("whole" if whole else None))
    source = texts if isinstance(texts, Source) else Source(texts)
    name = "whole" if whole else input_format
    if name is None or name in TABLES:
        source = open_rows(source, fields.shape(), name)
    return _of_file(source, fields, name or _recognised(source))


def _of_list(texts: Any, fields: Fields, kind: str | None) -> Rows:
    if kind is not None:
        raise UsageError(f"texts is a list, which is not in the format {kind}: it needs no format.")
    items = items_of(texts)
    return Readable(
        NAME,
        (),
        "list",
        lambda names: read_list(items, fields, names),
        where,
        fields.id,
        lambda: columns_of(items),
    )


def _of_file(source: Source, fields: Fields, name: str) -> Rows:
    """The rows of a file in a format."""
    if name in PLAIN:
        _refuse_fields(source, fields)
        read = partial(lines if name == "lines" else whole, source)
        columns: Callable[[], Iterable[str]] = tuple
    else:
        read = partial(read_jsonl, source, fields)
        columns = source.list_columns if isinstance(source, RowsSource) else partial(list_jsonl_columns, source)
    spot = partial(_locate, source, several=name in SEVERAL_LINES)
    return Readable(source.name, (source,), name, read, spot, fields.id, columns)


def _locate(source: Source, place: int, line: int, *, several: bool) -> str:
    return source.locate(place + line if several else place)


def _refuse_fields(source: Source, fields: Fields) -> None:
    """An option that nothing would read is refused."""
    given = Fields()
    for option, value, default in (
        ("text_field", fields.text, given.text),
        ("id_field", fields.id, given.id),
        ("prompt_field", fields.prompt, given.prompt),
    ):
        if value not in {default, None}:
            raise UsageError(
                f"{source.name} is read as plain text, which has no field {value!r}: leave out {option}, or name the "
                "format of the file with input_format.",
            )


def _recognised(source: Source) -> str:
    """The format of a file that `open_rows` has opened."""
    if isinstance(source, RowsSource):
        return source.format if source.format in TABLES else "jsonl"
    for block in source.blocks():
        text = block.data.lstrip()
        if text:
            return "jsonl" if JSON_OBJECT.match(text) else "lines"
    return "lines"
