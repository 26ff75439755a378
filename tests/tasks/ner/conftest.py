"""Files with tags, opened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isogloss.records.sources import Source
from isogloss.tasks.ner.tag_files import TagFile, open_tag_file

Open = Callable[..., TagFile]


@pytest.fixture(scope="session")
def tag_file(tmp_path_factory: pytest.TempPathFactory) -> Open:
    """Writes bytes to a file and opens it, with the options of `opened`."""
    folder = tmp_path_factory.mktemp("tags")

    def open_(data: bytes | str, name: str = "tags.conll", **options: Any) -> TagFile:
        path = Path(folder) / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return open_tag_file(Source(path), **options)

    return open_
