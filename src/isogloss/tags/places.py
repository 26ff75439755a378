"""Where a rewritten file goes: in place of itself, or to another file. Whole, or not at all.

What is written stands in a temporary file in the same folder until all of it is there, and then takes the place of the
old one, with its permissions. A symbolic link stays one. An interrupt or an error leaves everything as it was.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from isogloss.exceptions import MissingExtraError, SourceError, UsageError
from isogloss.formats.writing import written
from isogloss.sources import GZIP, ZSTD, Source
from isogloss.tags.rewriting import Rewritten, Write

Produce = Callable[[Write], tuple[Rewritten, ...]]
SUFFIXES = {".gz": GZIP, ".zst": ZSTD}


class _UnchangedError(Exception):
    """Nothing is to be replaced. It carries what was done."""

    def __init__(self, done: tuple[Rewritten, ...]) -> None:
        super().__init__(done)
        self.done = done


def in_place(source: Source, produce: Produce) -> tuple[Rewritten, ...]:
    """Replace a file by what is made of it, compressed as it was. A file in which nothing changes is not touched.

    Args:
        source: the file.
        produce: writes the new text and says what was done.

    Raises:
        UsageError: it is standard input.
        SourceError: it cannot be replaced.
    """
    if source.path == "-":
        raise UsageError("Standard input (-) cannot be changed in place: leave out --in-place, or name a file.")
    path = Path(source.path)
    if not path.is_file():
        raise SourceError("is no regular file and cannot be changed in place", where=source.name, remedy="Use -o.")
    if not os.access(path, os.W_OK):
        remedy = f"Allow it: chmod u+w {source.path}, or write another file with -o."
        raise SourceError("no permission to change it", where=source.name, remedy=remedy)
    with source.opened() as file:
        file.seek(0)
        magic = file.read(len(ZSTD))
    try:
        return _replaced(path, magic, produce)
    except _UnchangedError as unchanged:
        return unchanged.done


def to_file(source: Source, path: Path, produce: Produce) -> tuple[Rewritten, ...]:
    """Write what is made of a file to another one, compressed if its name ends with `.gz` or `.zst`.

    Args:
        source: the file.
        path: the other one; what is no regular file, such as a named pipe, is written to as it is.
        produce: writes the new text and says what was done.

    Raises:
        UsageError: both are the same.
        SourceError: it cannot be written.
    """
    if source.path != "-" and path.exists() and Path(source.path).exists() and path.samefile(source.path):
        raise UsageError(f"-o {path} is the file that is read: use --in-place to change it.")
    with written(str(path), text=False) as file, _packed(file, SUFFIXES.get(path.suffix, b""), str(path)) as write:
        return produce(write)


def _replaced(path: Path, magic: bytes, produce: Produce) -> tuple[Rewritten, ...]:
    with written(str(path), text=False) as file:
        Path(file.name).chmod(path.stat().st_mode & 0o7777)  # what is private stays so while it is written
        with _packed(file, magic, str(path)) as write:
            done = produce(write)
        if not any(each.changed for each in done):
            raise _UnchangedError(done)
        file.flush()
        os.fsync(file.fileno())  # a power cut must not leave an empty file
    return done


@contextmanager
def _packed(file: IO[bytes], magic: bytes, name: str) -> Iterator[Write]:
    """Compressed as what begins with these bytes."""
    if magic.startswith(GZIP):
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
            yield packed.write
    elif magic.startswith(ZSTD):
        try:
            import zstandard  # noqa: PLC0415  an extra
        except ImportError as error:
            raise MissingExtraError(f"writing {name}, compressed with zstd,", "isogloss[zstd]") from error
        with zstandard.ZstdCompressor().stream_writer(file, closefd=False) as stream:
            yield stream.write
    else:
        yield file.write
