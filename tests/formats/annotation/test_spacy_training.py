"""Training data of spaCy 2: a paragraph is a document, and tags are BILUO."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from span_texts import read_rows

import isogloss
from isogloss.errors import DataError


def put(*paragraphs: Any) -> Path:
    Path("train.json").write_text(json.dumps([{"id": 0, "paragraphs": list(paragraphs)}], indent=2))
    return Path("train.json")


def paragraph(*sentences: list[tuple[str, str | None]], raw: str | None = None) -> dict[str, Any]:
    found = [{"tokens": [{"orth": orth, "ner": ner} for orth, ner in tokens]} for tokens in sentences]
    return {"sentences": found} | ({} if raw is None else {"raw": raw})


def test_a_paragraph_is_a_document_with_the_tokens_of_its_sentences() -> None:
    path = put(
        paragraph([("Ada", "B-PER"), ("King", "L-PER")], [("ran", "O")], raw="Ada King\nran"),
        paragraph([("😀", "O"), ("Oslo", "U-LOC")]),
    )
    first, second = read_rows(path, "spacy-training")
    assert (first.text, first.get_words(), first.tags) == (
        "Ada King\nran",
        ["Ada", "King", "ran"],
        ["B-PER", "L-PER", "O"],
    )
    assert (second.text, second.joined) == ("😀 Oslo", True)
    assert isogloss.ner(path, path).scores["strict"].correct == 2


@pytest.mark.parametrize("tag", ["-", None])
def test_a_token_that_nobody_annotated_is_refused(tag: str | None) -> None:
    with pytest.raises(DataError, match=r"train\.json:2: the token 'ran' has no NER tag"):
        isogloss.ner(put(paragraph([("Ada", "U-PER"), ("ran", tag)])), Path("train.json"))
