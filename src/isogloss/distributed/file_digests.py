"""Digests of files that are read in part.

They are computed beside other work.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from threading import Thread

from isogloss.distributed.partials import Partial
from isogloss.tasks.counted_system import CountedSystem


class FileDigests:
    """The SHA-256 of files, computed beside other work.

    Args:
        paths: the files.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._found: dict[str, str] = {}
        self._threads = [Thread(target=self._digest, args=(path,), daemon=True) for path in paths]
        for thread in self._threads:
            thread.start()

    def get(self) -> Mapping[str, str]:
        """Wait for the digests, and return them by path."""
        for thread in self._threads:
            thread.join()
        return self._found

    def _digest(self, path: str) -> None:
        with Path(path).open("rb", buffering=0) as file:
            self._found[path] = hashlib.file_digest(file, "sha256").hexdigest()


def add_digests(partial: Partial, digests: Mapping[str, str]) -> Partial:
    """Return a partial with the digests of files read in part."""
    if not digests:
        return partial
    return replace(partial, systems=tuple(_add_system_digests(system, digests) for system in partial.systems))


def _add_system_digests(system: CountedSystem, digests: Mapping[str, str]) -> CountedSystem:
    files = []
    for file in system.files:
        shards = tuple((path, own or digests.get(path, "")) for path, own in file.shards)
        files.append(type(file)(file.role, file.path, shards, file.files))
    return replace(system, files=tuple(files))
