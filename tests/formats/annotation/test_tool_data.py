"""Real documents and a real system, written in the format of each tool, have the scores that they had before."""

from __future__ import annotations

from pathlib import Path

import pytest
from span_texts import content, read, write

import isogloss

DATA = Path(__file__).parents[4] / "shared" / "data" / "ner"
CORPORA = {"uner_en_ewt": "spacy", "uner_sr_set": "crf", "uner_zh_gsdsimp": "crf"}
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"the data of {DATA} is not there")


@pytest.mark.parametrize("name", ["argilla", "doccano", "label-studio", "prodigy", "spacy"])
@pytest.mark.parametrize("corpus", CORPORA)
def test_scores_are_those_of_the_json_lines(tmp_path: Path, corpus: str, name: str) -> None:
    gold, system = DATA / corpus / "gold.test.jsonl", DATA / corpus / f"{CORPORA[corpus]}.test.jsonl"
    for path in (gold, system):
        write(read(path), name, tmp_path / path.name)
        written, before = map(read, (tmp_path / path.name, path))
        assert [content(each) for each in written] == [content(each) for each in before]
    found, expected = isogloss.ner(tmp_path / gold.name, tmp_path / system.name), isogloss.ner(gold, system)
    assert found.documents == expected.documents
    assert {each.code for each in found.warnings} <= {"other-side-taken"}
    assert found.to_dict()["scores"] == expected.to_dict()["scores"]
