"""Parquet and Arrow files as rows, batch by batch.

An error names the row from which a file is damaged.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any, TypeVar

from isogloss.errors import FormatError, import_extra
from isogloss.records.sources import Source

BATCH_ROWS = 1 << 11
BUFFER_SIZE = 1 << 20  # bytes of a column of a Parquet file
PARQUET_MAGIC, ARROW_MAGIC, STREAM_MAGIC = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"  # how files begin
MIN_PARQUET_SIZE = 12  # bytes: the magic at both ends, and the length of the footer
EXTRA = "arrow"
ARROW_SUFFIXES = (".arrow", ".feather", ".ipc")
T = TypeVar("T")
ParquetRow = dict[str, Any]
ReadBatches = Callable[[Sequence[str]], Iterator[Any]]


def import_arrow(purpose: str, part: str = "") -> Any:
    """Import pyarrow, or a part of it such as `types`.

    Args:
        purpose: what needs pyarrow, for the message.
        part: name of a submodule; empty for the package.

    Raises:
        MissingExtraError: if pyarrow is not installed.
    """
    return import_extra(f"pyarrow.{part}" if part else "pyarrow", purpose, EXTRA)


class SharedFileView(io.RawIOBase):
    """View of a file that several passes share, with its own position.

    Reads are limited to the size of the file, because a damaged file may request more bytes than there is memory.

    Args:
        file: the file.
    """

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__()
        self._file, self._at = file, 0
        self._size = file.seek(0, io.SEEK_END)

    def readable(self) -> bool:
        """Return true."""
        return True

    def seekable(self) -> bool:
        """Return true."""
        return True

    def tell(self) -> int:
        """Return the position."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move the position, and return it."""
        if whence == io.SEEK_SET:
            self._at = offset
        elif whence == io.SEEK_CUR:
            self._at += offset
        else:
            self._at = self._size + offset
        return self._at

    def read(self, size: int = -1) -> bytes:
        """Read so many bytes, or all."""
        left = max(self._size - self._at, 0)
        self._file.seek(self._at)
        data = self._file.read(left if size < 0 else min(size, left))
        self._at += len(data)
        return data


def is_parquet(source: Source) -> bool:
    """Check whether a file begins and ends like a Parquet file.

    Args:
        source: a file.

    Raises:
        SourceError: if the file cannot be read.
    """
    with source.open_stored() as file:
        file.seek(0)
        if file.read(len(PARQUET_MAGIC)) != PARQUET_MAGIC or file.seek(0, io.SEEK_END) < MIN_PARQUET_SIZE:
            return False
        file.seek(-len(PARQUET_MAGIC), io.SEEK_END)
        return file.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC


def read_arrow_schema(source: Source) -> Any:
    """Read the schema of a file, a `pyarrow.Schema`.

    Args:
        source: a Parquet file.

    Raises:
        MissingExtraError: if pyarrow is not installed.
        SourceError: if the file cannot be read.
        FormatError: if the file is damaged.
    """
    with _open_batches(source) as (schema, _, _):
        return schema


def read_arrow_rows(source: Source, columns: Sequence[str]) -> Iterator[tuple[int, ParquetRow]]:
    """Read the rows of a file with their numbers, from 1.

    Args:
        source: the file.
        columns: the columns that are read.

    Raises:
        MissingExtraError: if pyarrow is not installed.
        SourceError: if the file cannot be read.
        FormatError: if the file is damaged, or a text is not UTF-8.
    """
    for first, lists in read_arrow_lists(source, columns):
        for number, cells in enumerate(zip(*lists, strict=True), first):
            yield number, dict(zip(columns, cells, strict=True))


def read_arrow_lists(source: Source, columns: Sequence[str]) -> Iterator[tuple[int, list[list[Any]]]]:
    """Read some rows at a time as lists.

    Each item is the number of the first row, from 1, and the values of each column.

    Args:
        source: the file.
        columns: the columns that are read.

    Raises:
        MissingExtraError: if pyarrow is not installed.
        SourceError: if the file cannot be read.
        FormatError: if the file is damaged, or a text is not UTF-8.
    """
    source.compute_digest()
    with _open_batches(source) as (_, read_batches, is_parquet_file):
        first, batches = 1, read_batches(columns)
        while (batch := _read_checked(source, lambda: next(batches, None), first)) is not None:
            _read_checked(
                source, batch.validate, first
            )  # pyarrow ends the process if it slices a column that is too short
            for begin in range(0, batch.num_rows, BATCH_ROWS):
                part = batch.slice(begin, BATCH_ROWS)
                yield (
                    first + begin,
                    _convert_columns(source, part, columns, first + begin, validate=not is_parquet_file),
                )
            first += batch.num_rows


@contextmanager
def open_arrow_writer(file: IO[bytes], path: str, schema: Any) -> Iterator[Callable[[list[ParquetRow]], object]]:
    """Open a function that writes rows to a Parquet or Arrow file.

    The suffix of the path decides between them; the default is Parquet.

    Args:
        file: file to write bytes.
        path: its name.
        schema: `pyarrow.Schema` of the rows.

    Raises:
        MissingExtraError: if pyarrow is not installed.
    """
    purpose = name_writing(path)
    pa = import_arrow(purpose)
    if path.lower().endswith(ARROW_SUFFIXES):
        opened = import_arrow(purpose, "ipc").new_file(file, schema)
    else:
        opened = import_arrow(purpose, "parquet").ParquetWriter(file, schema)
    with opened as writer:
        yield lambda rows: writer.write_batch(pa.RecordBatch.from_pylist(rows, schema))


def name_writing(path: str) -> str:
    """Return what needs pyarrow, for errors."""
    return f"writing {path}, a Parquet or Arrow file,"


def _name_reading(source: Source) -> str:
    return f"reading {source.name}, a Parquet or Arrow file,"


def _convert_columns(
    source: Source, part: Any, columns: Sequence[str], first: int, *, validate: bool
) -> list[list[Any]]:
    def convert() -> list[list[Any]]:
        part.validate(full=validate)  # the reader of Parquet checks positions itself
        return [part.column(name).to_pylist() for name in columns]

    try:
        return _read_checked(source, convert, first)
    except FormatError as error:
        # Positions within lists are sound only if nothing but a text was at fault: else pyarrow may end the process.
        types = import_arrow(_name_reading(source), "types")
        is_text_fault = isinstance(error.__cause__, UnicodeDecodeError)
        read = [
            name
            for name in columns
            if is_text_fault
            or (types.is_string(part.schema.field(name).type) and _has_sound_positions(source, part, name))
        ]
        raise _find_bad_text(source, part, read, first) or error from error


def _has_sound_positions(source: Source, part: Any, name: str) -> bool:
    """Check the positions of a column's strings, whatever bytes they hold."""
    pa, column = import_arrow(_name_reading(source)), part.column(name)
    try:
        pa.Array.from_buffers(pa.binary(), len(column), column.buffers(), offset=column.offset).validate(full=True)
    except pa.ArrowException:
        return False
    return True


def _find_bad_text(source: Source, part: Any, columns: Sequence[str], first: int) -> FormatError | None:
    """Return the error for the first string that is not UTF-8.

    The string is in a cell of the part; the result is None if all strings are UTF-8.
    """
    arrow_error = import_arrow(_name_reading(source)).ArrowException
    for row in range(part.num_rows):
        for name in columns:
            try:
                part.column(name)[row].as_py()
            except UnicodeDecodeError:
                where, remedy = f"{source.name}:row {first + row}", "Write the column again from text."
                return FormatError(f"`{name}` is not UTF-8", where=where, remedy=remedy)
            except (arrow_error, ValueError, OverflowError):  # the caller reports what else is damaged
                return None
    return None


@contextmanager
def _open_batches(source: Source) -> Iterator[tuple[Any, ReadBatches, bool]]:
    """Open a Parquet or Arrow file.

    The result is its schema, a reader of columns, and whether it is Parquet.
    """
    import_arrow(_name_reading(source))
    with source.open_stored() as stored:
        stored.seek(0)
        begin = stored.read(len(ARROW_MAGIC))
        if begin.startswith(PARQUET_MAGIC):
            open_file = _open_parquet
        else:
            open_file = _open_arrow_file if begin == ARROW_MAGIC else _open_arrow_stream
        opened = _read_checked(source, lambda: open_file(SharedFileView(stored)), 0)
        _read_checked(source, lambda: _check_names(opened[0]), 0)
        yield *opened, open_file is _open_parquet


def _check_names(schema: Any) -> None:
    """Check that all names of columns and of their fields are text."""
    fields = [schema.field(at) for at in range(len(schema))]
    while fields:
        field = fields.pop()
        field.name.encode()
        fields += [field.type.field(at) for at in range(field.type.num_fields)]


def _open_parquet(stored: SharedFileView) -> tuple[Any, ReadBatches]:
    parquet = import_arrow("reading Parquet", "parquet")
    file = parquet.ParquetFile(stored, buffer_size=BUFFER_SIZE, pre_buffer=False)
    return file.schema_arrow, lambda names: file.iter_batches(BATCH_ROWS, columns=[*names], use_threads=False)


def _open_arrow_file(stored: SharedFileView) -> tuple[Any, ReadBatches]:
    ipc = import_arrow("reading Arrow", "ipc")
    schema = ipc.open_file(stored).schema

    def read_batches(names: Sequence[str]) -> Iterator[Any]:
        file = ipc.open_file(stored, options=_choose_columns(ipc, schema, names))
        return (file.get_batch(number) for number in range(file.num_record_batches))

    return schema, read_batches


def _open_arrow_stream(stored: SharedFileView) -> tuple[Any, ReadBatches]:
    ipc = import_arrow("reading Arrow", "ipc")
    schema = ipc.open_stream(stored).schema

    def read_batches(names: Sequence[str]) -> Iterator[Any]:
        stored.seek(0)
        return iter(ipc.open_stream(stored, options=_choose_columns(ipc, schema, names)))

    return schema, read_batches


def _choose_columns(ipc: Any, schema: Any, names: Sequence[str]) -> Any:
    return ipc.IpcReadOptions(use_threads=False, included_fields=[schema.get_field_index(name) for name in names])


def _read_checked(source: Source, read: Callable[[], T], row: int) -> T:
    """Return what a function reads.

    Raises:
        FormatError: if it fails; the error names the row from which the file is damaged.
    """
    arrow_error = import_arrow(_name_reading(source)).ArrowException
    try:
        return read()
    except (arrow_error, OSError, UnicodeDecodeError, ValueError, OverflowError) as error:
        what = "is damaged from this row on" if row else "is damaged, or not a Parquet or Arrow file"
        raise FormatError(
            f"{what}: {(str(error).splitlines() or [''])[0]}",
            where=f"{source.name}:row {row}" if row else source.name,
            remedy="Copy or download it again, or write it again.",
        ) from error
