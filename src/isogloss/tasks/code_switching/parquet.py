"""A column of a Parquet file, read batch by batch.

The column holds strings, plain or as a dictionary; none is null. `id`, where there is such a column, holds strings or
whole numbers, and the column of prompts strings or null. The place of a row is its number from 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from isogloss.errors import FormatError, MissingExtraError
from isogloss.records.attributes import as_text
from isogloss.records.sources import Progress, Source
from isogloss.tasks.code_switching.rows import BLOCK, DEFAULT, Fields, Names, Row, of_columns, position

BATCH = 1 << 10  # rows
MAGIC = b"PAR1"  # begins and ends a file
LEAST = 12  # bytes of a file: both, and the length of the footer
T = TypeVar("T")


def rows(source: Source, fields: Fields, names: Names, progress: Progress | None) -> Iterator[list[Row]]:
    """The rows of a file, in lists.

    Args:
        source: the file.
        fields: which columns are read.
        names: what rows are called.
        progress: told after each batch how many of the file's bytes its rows so far amount to.

    Raises:
        MissingExtraError: pyarrow is not installed.
        SourceError: the file cannot be read.
        FormatError: it is no Parquet file or damaged, a column is missing or not of strings, or a text is null.
        DataError: only some rows have an id.
    """
    source.digest()
    first, size = 1, source.size or 0
    with _opened(source) as file:
        wanted = _checked(file.schema_arrow, fields, source.name)
        others = [name for name in fields.columns if name in file.schema_arrow.names]
        for batch in _batches(source, file, [*dict.fromkeys((*(name for _, name in wanted), *others))]):
            rows = _rows(source, batch, first, wanted, names)
            yield _with_values(source, rows, batch, others) if others else rows
            first += batch.num_rows
            if progress is not None:
                progress(size * (first - 1) // file.metadata.num_rows)


def columns_of(source: Source) -> Sequence[str]:
    """The columns of a file.

    Raises:
        MissingExtraError: pyarrow is not installed.
        SourceError: the file cannot be read.
        FormatError: it is no Parquet file or damaged.
    """
    with _opened(source) as file:
        names: Sequence[str] = file.schema_arrow.names
        return names


def is_parquet(source: Source) -> bool:
    """Whether a file begins and ends as Parquet files do.

    Raises:
        SourceError: it cannot be read.
    """
    with source.opened() as file:
        file.seek(0)
        begins = file.read(len(MAGIC))
        if begins != MAGIC or file.seek(0, 2) < LEAST:
            return False
        file.seek(-len(MAGIC), 2)
        return file.read(len(MAGIC)) == MAGIC


@contextmanager
def _opened(source: Source) -> Iterator[Any]:
    """The file as pyarrow has it."""
    try:
        from pyarrow import parquet  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError(f"reading {source.name}, a Parquet file,", "isogloss[arrow]") from error
    with source.opened() as stored:
        yield _sound(source, lambda: parquet.ParquetFile(stored, buffer_size=BLOCK, pre_buffer=False))


def _sound(source: Source, read: Callable[[], T]) -> T:
    """What is read, or an error that says that the file is damaged."""
    import pyarrow as pa  # noqa: PLC0415 - an extra, which is there by now

    try:
        return read()
    except (pa.ArrowException, OSError) as error:
        remedy = "Copy or download it again, or write it again."
        message = f"is damaged, or no Parquet file: {str(error).splitlines()[0]}"
        raise FormatError(message, where=source.name, remedy=remedy) from error


def _checked(schema: Any, fields: Fields, where: str) -> list[tuple[str, str]]:
    """What is read of the file: each column, with what it is to a row.

    Raises:
        FormatError: a column is missing, or does not hold what it should.
    """
    wanted = [("text", fields.text)]
    if fields.id is not None and (fields.id != DEFAULT or DEFAULT in schema.names):
        wanted.append(("id", fields.id))
    if fields.prompt is not None:
        wanted.append(("prompt", fields.prompt))
    for role, name in wanted:
        kind = schema.field(position(schema.names, name, f"--{role}-field", where)).type
        if not _fits(kind, role):
            what = "strings or whole numbers" if role == "id" else "strings"
            raise FormatError(
                f"the column {name!r} holds {kind}, not {what}",
                where=where,
                remedy=f"Name another column with --{role}-field, or write this one as {what}.",
            )
    return wanted


def _fits(kind: Any, role: str) -> bool:
    import pyarrow as pa  # noqa: PLC0415 - an extra, which is there by now

    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    is_string = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    return is_string or (role == "id" and pa.types.is_integer(kind)) or (role == "prompt" and pa.types.is_null(kind))


def _batches(source: Source, file: Any, columns: Sequence[str]) -> Iterator[Any]:
    batches = _sound(source, lambda: file.iter_batches(batch_size=BATCH, columns=columns, use_threads=False))
    while (batch := _sound(source, lambda: next(batches, None))) is not None:
        yield batch


def _rows(source: Source, batch: Any, first: int, wanted: Sequence[tuple[str, str]], names: Names) -> list[Row]:
    columns = {role: _values(source, batch.column(name), first, name) for role, name in wanted}
    texts, places = columns["text"], range(first, first + batch.num_rows)
    if None in texts:
        raise FormatError(
            f"`{wanted[0][1]}` is null, but a text is a string",
            where=f"{source.name}:row {first + texts.index(None)}",
            remedy="Leave the row out, or write an empty text. Name another column with --text-field.",
        )
    called = names.of(columns["id"], places) if "id" in columns else names.numbered(len(texts))
    return (
        of_columns(texts, places, called, columns["prompt"])
        if "prompt" in columns
        else of_columns(texts, places, called)
    )


def _with_values(source: Source, rows: list[Row], batch: Any, columns: Sequence[str]) -> list[Row]:
    """Rows with what is wanted of them beside."""
    given = {name: _values(source, batch.column(name), rows[0].place, name) for name in columns}
    found = []
    for at, row in enumerate(rows):
        where = f"{source.name}:row {row.place}"
        texts = {name: as_text(values[at], name, where) for name, values in given.items()}
        found.append(row._replace(columns={name: text for name, text in texts.items() if text is not None}))
    return found


def _values(source: Source, column: Any, first: int, name: str) -> list[Any]:
    try:
        values: list[Any] = column.to_pylist()
    except UnicodeDecodeError as error:
        row = next(at for at in range(len(column)) if not _is_text(column[at]))
        raise FormatError(
            f"`{name}` is not UTF-8",
            where=f"{source.name}:row {first + row}",
            remedy="Write the column again from text.",
        ) from error
    return values


def _is_text(scalar: Any) -> bool:
    try:
        scalar.as_py()
    except UnicodeDecodeError:
        return False
    return True
