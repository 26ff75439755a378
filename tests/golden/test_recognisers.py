"""Results of recognisers and web services hold the names of `gold.jsonl`, on either side; see recognisers/README.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.formats.detection import detect_format
from isogloss.records.sources import Source

FOLDER = Path(__file__).parent / "recognisers"
GOLD = FOLDER / "gold.jsonl"
NAMES = 10  # in gold.jsonl
FORMAT_OF = {"cloud-storage": "label-studio", "spacy-training.json": "spacy-training"}
FILES = sorted(path.name for path in FOLDER.iterdir() if path.name not in {"README.md", "gold.jsonl"})
CONVERTED = {  # spans of the documents in which the units differ from code points
    "azure-graphemes.json": 3,
    "azure-utf-16.json": 3,
    "google-nl-utf-16.jsonl": 3,
    "google-nl-utf-8.jsonl": 10,
}


def read_figures(run: Any) -> list[float]:
    strict = run.scores["strict"]
    return [run.documents, strict.correct, strict.actual, strict.possible]


@pytest.mark.parametrize("name", FILES)
def test_every_name_is_read_on_either_side(name: str) -> None:
    expected = FORMAT_OF.get(name) or name.removesuffix(".jsonl").removesuffix(".json")
    assert expected.startswith(detect_format(Source(FOLDER / name)))
    for sides in ((GOLD, FOLDER / name), (FOLDER / name, GOLD)):
        run = isogloss.ner(*sides)
        assert read_figures(run) == [5, NAMES, NAMES, NAMES]
        harmless = {"scheme-detected", "ids-ignored", "offsets-converted", "other-side-taken"}
        assert {warning.code for warning in run.warnings} <= harmless


@pytest.mark.parametrize("name", [name for name in FILES if not name.startswith(("azure", "google"))])
def test_results_are_compared_with_themselves_and_converted_without_texts(name: str, tmp_path: Path) -> None:
    assert read_figures(isogloss.ner(FOLDER / name, FOLDER / name)) == [5, NAMES, NAMES, NAMES]
    done = isogloss.convert(FOLDER / name, to="jsonl", output=tmp_path / "out.jsonl")
    assert (done.documents, done.spans) == (5, NAMES)
    assert read_figures(isogloss.ner(FOLDER / name, tmp_path / "out.jsonl")) == [5, NAMES, NAMES, NAMES]


@pytest.mark.parametrize("name", CONVERTED)
def test_offsets_in_other_units_are_converted_and_counted(name: str) -> None:
    run = isogloss.ner(GOLD, FOLDER / name)
    assert [each.count for each in run.warnings if each.code == "offsets-converted"] == [CONVERTED[name]]
