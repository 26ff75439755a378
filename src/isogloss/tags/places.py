"""Where a rewritten file goes: in place of itself, or to another file. Whole, or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from isogloss.destinations import Packing, check, replaced, written
from isogloss.exceptions import SourceError, UsageError
from isogloss.sources import GZIP, ZSTD, Source
from isogloss.tags.rewriting import Rewritten, Write

Produce = Callable[[Write], tuple[Rewritten, ...]]
PACKINGS: dict[bytes, Packing] = {GZIP: "gzip", ZSTD: "zstd"}


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
    packing = next((packing for first, packing in PACKINGS.items() if magic.startswith(first)), None)
    try:
        return _replaced(source.path, packing, produce)
    except _UnchangedError as unchanged:
        return unchanged.done


def to_file(source: Source, path: Path, produce: Produce) -> tuple[Rewritten, ...]:
    """Write what is made of a file to another one.

    Args:
        source: the file.
        path: the other one, `-` for standard output.
        produce: writes the new text and says what was done.

    Raises:
        UsageError: both are the same.
        SourceError: it cannot be written.
    """
    check(path, [source.path], otherwise="use --in-place to change it")
    with written(path, remedy="Name a file that can be written, with -o.") as file:
        return produce(file.write)


def _replaced(path: str, packing: Packing | None, produce: Produce) -> tuple[Rewritten, ...]:
    with replaced(path, packing) as file:
        done = produce(file.write)
        if not any(each.changed for each in done):
            raise _UnchangedError(done)
    return done
