"""The glossary says where each word is defined, and each word has one row."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "glossary.md"
ROWS = re.findall(r"^\| (.+?) \| (.+) \| `(isogloss\.[\w.]+)` \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def test_every_row_is_read() -> None:
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    assert len(ROWS) == sum(not line.startswith("| word |") for line in lines) >= 20


def test_every_word_has_one_row() -> None:
    words = [word for word, _, _ in ROWS]
    assert sorted(words) == sorted(set(words))


@pytest.mark.parametrize("place", sorted({place for _, _, place in ROWS}))
def test_every_place_exists(place: str) -> None:
    module, _, name = place.rpartition(".")
    if name[0].isupper():
        assert hasattr(import_module(module), name)
    else:
        assert import_module(place)
