"""Files of a folder, read one after another as one source."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path, PurePath
from typing import TypeVar

from isogloss.errors import SourceError
from isogloss.records.sources import Source

T = TypeVar("T")
NUMBER = re.compile(r"([0-9]+)")


def list_folder_files(folder: Source) -> list[Source]:
    """List the files of a folder by name, numbers by value.

    Folders, and files whose names begin with a dot, are left out.

    Args:
        folder: the folder.

    Raises:
        SourceError: if it cannot be read.
    """
    try:
        paths = [path for path in Path(folder.path).iterdir() if path.is_file() and not path.name.startswith(".")]
    except OSError as error:
        raise SourceError(f"cannot be read: {error.strerror}", where=folder.name) from error
    return [Source(path) for path in sorted(paths, key=_split_numbers)]


def _split_numbers(path: Path) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in NUMBER.split(path.name)]


def chain_files(folder: Source, files: Sequence[Source], read: Callable[[Source], Iterator[T]]) -> Iterator[T]:
    """Yield what is read from each file, and set the digest.

    It is the digest of the lines that `sha256sum` prints for the files.

    Args:
        folder: the folder.
        files: its files in order.
        read: reads a file from the beginning.
    """
    digest, size = sha256(), 0
    for file in files:
        yield from read(file)
        file.compute_digest()
        digest.update(f"{file.sha256}  {PurePath(file.path).name}\n".encode())
        size += file.size or 0
        folder.bytes_read = size
    folder.sha256 = digest.hexdigest()
