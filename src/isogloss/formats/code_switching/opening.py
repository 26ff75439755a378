"""What a caller gives as texts, opened in its format."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from isogloss.exceptions import UsageError
from isogloss.formats.code_switching import parquet, plain, table
from isogloss.formats.code_switching.fields import Fields
from isogloss.formats.code_switching.names import Names
from isogloss.formats.code_switching.rows import Progress, Readable, Row, Rows
from isogloss.sources import Source

FORMATS = ("lines", "whole", "jsonl", "csv", "parquet")
JSON_OBJECT = re.compile(rb'(?:\[\s*)?\{\s*["}]')
SEVERAL_LINES = ("whole", "csv")  # formats in which a text can have several lines of its file
PLAIN = ("lines", "whole")


def opened(  # noqa: PLR0913  all but the first are options, by name
    texts: Any,
    *,
    input_format: str | None = None,
    text_field: str = "text",
    id_field: str | None = "id",
    prompt_field: str | None = None,
    whole: bool = False,
    progress: Progress | None = None,
    attributes: Sequence[str] = (),
) -> Rows:
    """The texts that an argument stands for.

    Args:
        texts: a path or source, `-` for standard input; or a list of strings, or of dictionaries.
        input_format: one of `FORMATS`, None to recognise it: Parquet by its first and last bytes, JSON lines by the
            first line that is not blank, tables by the ending `.csv` or `.tsv` before `.gz` and `.zst`; else lines.
        text_field: field or column of the text.
        id_field: likewise of the id; without a field called `id`, or with None or an empty name, texts are numbered.
        prompt_field: likewise of what a text answers, None where it is not wanted.
        whole: whether a file is one text: `input_format="whole"` says the same.
        progress: called now and then with the bytes read in this pass.
        attributes: columns of rows that are wanted beside, to slice and cluster by.

    Raises:
        UsageError: texts or a format that is none, or options that do not go together.
        SourceError: the format is to be recognised, and the file cannot be read.
    """
    fields = Fields(text_field, id_field, prompt_field, tuple(attributes))
    if input_format is not None and input_format not in FORMATS:
        raise UsageError(f"input_format is {input_format!r}, but it is one of: {', '.join(FORMATS)}.")
    if whole and input_format not in {None, *PLAIN}:
        raise UsageError(f"A file of {input_format} holds texts in its rows; it cannot be read whole as one text.")
    if not isinstance(texts, str | os.PathLike | Source):
        return _of_list(texts, fields, input_format or ("whole" if whole else None))
    source = texts if isinstance(texts, Source) else Source(texts)
    name = "whole" if whole else input_format or _recognised(source)
    if name in PLAIN:
        _refuse_fields(source, fields)
    return Readable(
        source.name,
        (source,),
        name,
        _reader(name, source, fields, progress),
        _spots(name, source),
        fields.id,
        partial(_columns, name, source),
    )


def _columns(name: str, source: Source) -> Iterable[str]:
    """The columns of a file in a format."""
    if name == "jsonl":
        from isogloss.formats.json_lines import columns_of  # noqa: PLC0415  msgspec, which it needs, takes 25 ms

        return columns_of(source)
    tables: Mapping[str, Callable[[Source], Sequence[str]]] = {"csv": table.header_of, "parquet": parquet.columns_of}
    return tables[name](source) if name in tables else ()


def _of_list(texts: Any, fields: Fields, kind: str | None) -> Rows:
    if kind is not None:
        raise UsageError(f"texts is a list, which is not in the format {kind}: it needs no format.")
    from isogloss.formats.code_switching import lists  # noqa: PLC0415  msgspec, which it needs, takes 25 ms

    items = lists.items_of(texts)
    return Readable(
        lists.NAME,
        (),
        "list",
        lambda names: lists.rows(items, fields, names),
        lists.where,
        fields.id,
        lambda: lists.columns_of(items),
    )


def _reader(
    name: str, source: Source, fields: Fields, progress: Progress | None
) -> Callable[[Names], Iterator[list[Row]]]:
    if name in PLAIN:
        read = plain.lines if name == "lines" else plain.whole
        return lambda names: read(source, names, progress)
    rows = {"jsonl": _json_rows, "csv": table.rows, "parquet": parquet.rows}[name]
    return lambda names: rows(source, fields, names, progress)


def _json_rows(source: Source, fields: Fields, names: Names, progress: Progress | None) -> Iterator[list[Row]]:
    from isogloss.formats.code_switching import jsonl  # noqa: PLC0415  likewise

    return jsonl.rows(source, fields, names, progress)


def _spots(name: str, source: Source) -> Callable[[int, int], str]:
    if name == "parquet":
        return lambda place, _: f"{source.name}:row {place}"
    return partial(_line, source.name, several=name in SEVERAL_LINES)


def _line(name: str, place: int, line: int, *, several: bool) -> str:
    return f"{name}:{place + line if several else place}"


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
                "format of the file with input_format."
            )


def _recognised(source: Source) -> str:
    """The format of a file."""
    if parquet.is_parquet(source):
        return "parquet"
    for block in source.blocks():
        text = block.data.lstrip()
        if text:
            if JSON_OBJECT.match(text):
                return "jsonl"
            break
    return "lines" if table.is_tabbed(source.path) is None else "csv"
