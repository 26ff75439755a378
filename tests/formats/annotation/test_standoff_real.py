"""Real gold standards and systems have the same scores in each of these formats as in the files that they come from."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from libraries import library
from span_texts import read, write

import isogloss
from isogloss.runs.run import Run

DATA = Path(__file__).parents[4] / "shared" / "data" / "ner"
SIDES = ("gold.test.jsonl", "crf.test.jsonl")
pytestmark = pytest.mark.skipif(not DATA.exists(), reason=f"{DATA} is not there")


def figures(run: Run) -> dict[str, object]:
    """All figures of a run that no format may change."""
    written = run.to_dict()
    return {key: written[key] for key in ("scores", "by_label", "confusion", "documents")}


@pytest.mark.parametrize("corpus", ["uner_sr_set", "uner_zh_gsdsimp"])
@pytest.mark.parametrize("name", ["brat", "pubtator", "docbin", "gliner"])
def test_scores_stay_the_same_in_another_format(tmp_path: Path, name: str, corpus: str) -> None:
    if name == "docbin":
        library("spacy")
    paths = [DATA / corpus / side for side in SIDES]
    for path in paths:
        documents = [
            msgspec.structs.replace(each, file=str(path), text=(each.text or "").replace("\n", " "))
            for each in read(path)
        ]
        write(documents, name, tmp_path / path.name)
    expected = figures(isogloss.ner(*paths))
    assert figures(isogloss.ner(*(tmp_path / side for side in SIDES))) == expected
    assert figures(isogloss.ner(paths[0], tmp_path / SIDES[1])) == expected
