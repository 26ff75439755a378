"""Parquet and Arrow files as rows, batch by batch; a damaged file is an error with the row from which it is felt."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any, TypeVar

from isogloss.errors import FormatError, MissingExtraError
from isogloss.records.sources import Source

BATCH = 1 << 11  # rows
BUFFER = 1 << 20  # bytes of a column of a Parquet file
PARQUET, ARROW, STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"  # how files begin
T = TypeVar("T")
Row = dict[str, Any]


class View(io.RawIOBase):
    """A file that several passes share, with a position of its own.

    A damaged file may ask for more bytes than there is memory: no more are made room for than it has.

    Args:
        file: the file.
    """

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__()
        self._file, self._at = file, 0
        self._size = file.seek(0, io.SEEK_END)

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def tell(self) -> int:
        """The position."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Moves the position, and says where it is then."""
        if whence == io.SEEK_SET:
            self._at = offset
        elif whence == io.SEEK_CUR:
            self._at += offset
        else:
            self._at = self._size + offset
        return self._at

    def read(self, size: int = -1) -> bytes:
        """Reads so many bytes, or all there are."""
        left = max(self._size - self._at, 0)
        self._file.seek(self._at)
        data = self._file.read(left if size < 0 else min(size, left))
        self._at += len(data)
        return data


def schema_of(source: Source) -> Any:
    """The schema of a file, as pyarrow has it.

    Raises:
        MissingExtraError: pyarrow is not installed.
        SourceError: the file cannot be read.
        FormatError: it is damaged.
    """
    with _opened(source) as (schema, _):
        return schema


def rows_of(source: Source, columns: Sequence[str]) -> Iterator[tuple[int, Row]]:
    """The rows of a file with their numbers, from 1.

    Args:
        source: the file.
        columns: those that are read.

    Raises:
        MissingExtraError: pyarrow is not installed.
        SourceError: the file cannot be read.
        FormatError: it is damaged, or a text is not UTF-8.
    """
    source.digest()
    with _opened(source) as (_, batches):
        first, read = 1, batches(columns)
        while (batch := _sound(source, lambda: next(read, None), first)) is not None:
            for begin in range(0, batch.num_rows, BATCH):
                part = batch.slice(begin, BATCH)
                yield from enumerate(_values(source, part, columns, first + begin), first + begin)
            first += batch.num_rows


def _values(source: Source, part: Any, columns: Sequence[str], first: int) -> list[Row]:
    def values() -> list[Row]:
        part.validate(full=True)
        lists = [part.column(name).to_pylist() for name in columns]
        return [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]

    return _sound(source, values, first)


@contextmanager
def _opened(source: Source) -> Iterator[tuple[Any, Callable[[Sequence[str]], Iterator[Any]]]]:
    """The schema of a file, and what reads some of its columns."""
    try:
        import pyarrow  # noqa: F401 - an extra
    except ImportError as error:
        raise MissingExtraError(f"reading {source.name}, a Parquet or Arrow file,", "isogloss[arrow]") from error
    with source.opened() as stored:
        stored.seek(0)
        begin = stored.read(len(ARROW))
        open_it = _parquet if begin.startswith(PARQUET) else (_file if begin == ARROW else _stream)
        opened = _sound(source, lambda: open_it(View(stored)), 0)
        _sound(source, lambda: _check_names(opened[0]), 0)
        yield opened


def _check_names(schema: Any) -> None:
    """Fails where a name of a column, or within one, is no text."""
    fields = [schema.field(at) for at in range(len(schema))]
    while fields:
        field = fields.pop()
        field.name.encode()
        fields += [field.type.field(at) for at in range(field.type.num_fields)]


def _parquet(stored: View) -> tuple[Any, Callable[[Sequence[str]], Iterator[Any]]]:
    from pyarrow import parquet  # noqa: PLC0415 - an extra

    file = parquet.ParquetFile(stored, buffer_size=BUFFER, pre_buffer=False)
    return file.schema_arrow, lambda names: file.iter_batches(BATCH, columns=[*names], use_threads=False)


def _file(stored: View) -> tuple[Any, Callable[[Sequence[str]], Iterator[Any]]]:
    from pyarrow import ipc  # noqa: PLC0415 - an extra

    schema = ipc.open_file(stored).schema

    def batches(names: Sequence[str]) -> Iterator[Any]:
        chosen = ipc.IpcReadOptions(use_threads=False, included_fields=[schema.get_field_index(name) for name in names])
        file = ipc.open_file(stored, options=chosen)
        return (file.get_batch(number) for number in range(file.num_record_batches))

    return schema, batches


def _stream(stored: View) -> tuple[Any, Callable[[Sequence[str]], Iterator[Any]]]:
    from pyarrow import ipc  # noqa: PLC0415 - an extra

    schema = ipc.open_stream(stored).schema

    def batches(names: Sequence[str]) -> Iterator[Any]:
        chosen = ipc.IpcReadOptions(use_threads=False, included_fields=[schema.get_field_index(name) for name in names])
        stored.seek(0)
        return iter(ipc.open_stream(stored, options=chosen))

    return schema, batches


def _sound(source: Source, read: Callable[[], T], row: int) -> T:
    """What is read, or an error that says from which row on the file is damaged."""
    import pyarrow as pa  # noqa: PLC0415 - an extra, which is there by now

    try:
        return read()
    except (pa.ArrowException, OSError, UnicodeDecodeError, ValueError, OverflowError) as error:
        what = "is damaged from this row on" if row else "is damaged, or no Parquet or Arrow file"
        raise FormatError(
            f"{what}: {(str(error).splitlines() or [''])[0]}",
            where=f"{source.name}:row {row}" if row else source.name,
            remedy="Copy or download it again, or write it again.",
        ) from error
