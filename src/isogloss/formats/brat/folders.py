"""Folders of pairs of files, and their digest."""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path, PurePosixPath

from isogloss.exceptions import SourceError
from isogloss.sources import Source

TEXT, ANNOTATIONS = ".txt", ".ann"


def is_of_pairs(folder: str) -> bool:
    """Whether a folder holds annotations, or texts and nothing else that shows.

    Raises:
        SourceError: it cannot be read.
    """
    endings = {PurePosixPath(name).suffix for name in files_in(folder)}
    return ANNOTATIONS in endings or endings == {TEXT}


def pairs_of(source: Source) -> Iterator[tuple[str, Source, Source]]:
    """The pairs of a folder in the order of their names: name without ending, annotations, text.

    Raises:
        SourceError: a folder cannot be read, there are no pairs, or one of a pair is missing.
    """
    names = {name for name in files_in(source.path) if name.endswith((TEXT, ANNOTATIONS))}
    if not names:
        raise SourceError("holds no .txt and .ann files", where=source.name, remedy="Name the folder that holds them.")
    for stem in sorted({name[: -len(TEXT)] for name in names}, key=lambda name: name.split("/")):
        text, annotations = (Source(Path(source.path, stem + ending)) for ending in (TEXT, ANNOTATIONS))
        if stem + ANNOTATIONS not in names:
            remedy = "A text without names has an empty one. Keep files that are no documents out of the folder."
            raise _alone(text, annotations, remedy)
        if stem + TEXT not in names:
            raise _alone(annotations, text, "Copy the text that is annotated there.")
        yield os.fsencode(stem).decode("utf-8", "backslashreplace"), annotations, text


def files_in(folder: str) -> Iterator[str]:
    """The paths of all files in a folder and its subfolders; names that begin with a dot are left out.

    Raises:
        SourceError: one of the folders cannot be read.
    """

    def fail(error: OSError) -> None:
        raise SourceError(f"cannot be read: {error.strerror}", where=str(error.filename))

    for root, folders, names in os.walk(folder, onerror=fail, followlinks=True):
        here = os.path.realpath(root)
        folders[:] = [name for name in folders if not name.startswith(".") and not _leads_back(here, Path(root, name))]
        for name in names:
            if not name.startswith("."):
                yield Path(root, name).relative_to(folder).as_posix()


class Digest:
    """Digest and size of a folder: of its files' digests as sha256sum prints them, one a line.

    Args:
        source: the folder, which is told.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._digest = sha256()
        self._size = 0

    def take(self, name: str, annotations: Source, text: Source) -> None:
        """Count a pair whose files have been read."""
        for file, ending in ((annotations, ANNOTATIONS), (text, TEXT)):
            self._digest.update(f"{file.sha256}  {name}{ending}\n".encode())
            self._size += file.bytes_read
        self._source.bytes_read = self._size

    def end(self) -> None:
        """All pairs have been read."""
        self._source.sha256 = self._digest.hexdigest()


def _leads_back(here: str, folder: Path) -> bool:
    """Whether a folder is a link to one that it is in."""
    target = os.path.realpath(folder)
    return os.path.commonpath([here, target]) == target


def _alone(has: Source, lacks: Source, remedy: str) -> SourceError:
    return SourceError(f"there is no {PurePosixPath(lacks.name).name} beside it", where=has.name, remedy=remedy)
