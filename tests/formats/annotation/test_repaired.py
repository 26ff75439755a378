"""White space at the ends of spans is left out on request in every format with offsets; others have no such option."""

from __future__ import annotations

from pathlib import Path

import pytest
from libraries import library
from span_texts import document, read, write

from isogloss.formats.annotation import LackingOptionError, Options
from isogloss.formats.detection import FORMATS, opened
from isogloss.records.sources import Source

NEEDS = {"arrow": "pyarrow", "docbin": "spacy"}
WITH_OFFSETS = (
    "argilla", "arrow", "brat", "doccano", "docbin", "jsonl", "label-studio", "prodigy", "pubtator", "spacy",
)  # fmt: skip
WITHOUT = ("conll", "conllu", "gliner", "mentions", "token-tags")
REPAIRED = "offsets-repaired"
TEXT = "Ada met Bob"
LOOSE = [(0, 4, "PER"), (7, 11, "PER")]
TIGHT = [(0, 3, "PER"), (8, 11, "PER")]


def test_every_format_is_of_one_kind() -> None:
    assert sorted((*WITH_OFFSETS, *WITHOUT)) == sorted(FORMATS.builtin)


@pytest.mark.extra
@pytest.mark.parametrize("name", WITH_OFFSETS)
def test_spans_are_freed_of_white_space_and_counted(name: str, tmp_path: Path) -> None:
    if name in NEEDS:
        library(NEEDS[name])
    path = tmp_path / "written"
    write([document(TEXT, *LOOSE, id="1")], name, path)
    (plain,), (repaired,) = read(path, name), read(path, name, repair_offsets=True)
    assert [sorted(each.spans) for each in (plain, repaired)] == [LOOSE, TIGHT]
    counted = [[each.count for each in found.notices if each.code == REPAIRED] for found in (plain, repaired)]
    assert counted == [[], [2]]


@pytest.mark.parametrize("name", WITHOUT)
def test_formats_without_offsets_refuse_the_option(name: str, tmp_path: Path) -> None:
    path = tmp_path / "written"
    write([document(TEXT, *TIGHT)], name, path)
    with pytest.raises(LackingOptionError, match=rf"^The format {name} has no --repair-offsets"):
        opened(Source(path), name, Options(repair_offsets=True))
