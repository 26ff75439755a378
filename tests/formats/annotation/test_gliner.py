from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from span_texts import document, documents, read, write

import isogloss
from isogloss.errors import MismatchError
from isogloss.formats.documents import LabelledSpan, SpanDocument

ROW = {"tokenized_text": ["Ada", "met", "Bob"], "ner": [[0, 0, "PER"], [0, 2, "GRP"]]}


def file(folder: Path, *rows: Any) -> Path:
    """Rows in a file."""
    path = folder / "a.json"
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    return path


def test_the_last_token_of_a_span_is_included(tmp_path: Path) -> None:
    first, second = read(file(tmp_path, ROW, {"tokenized_text": [], "ner": []}))
    assert (first.text, first.spans) == ("Ada met Bob", [(0, 3, "PER"), (0, 11, "GRP")])
    assert (first.tokens, first.joined, first.id) == ([(0, 3), (4, 7), (8, 11)], True, None)
    assert (second.text, second.spans) == ("", [])


def test_positions_become_code_points(tmp_path: Path) -> None:
    path = file(tmp_path, {"tokenized_text": ["𠀀", "ก้อย", "عمر"], "ner": [[1, 2, "X"], [0, 0, "X"], [0, 0, "X"]]})
    assert read(path)[0].spans == [(2, 10, "X"), (0, 1, "X"), (0, 1, "X")]


def test_what_follows_a_label_and_other_keys_are_not_read(tmp_path: Path) -> None:
    path = file(tmp_path, ROW | {"ner": [[0, 0, "PER", 0.75, "x"]], "label": ["PER"], "negatives": ["LOC"], "text": 3})
    assert read(path)[0].spans == [(0, 3, "PER")]


def test_ids_pair_documents(tmp_path: Path) -> None:
    rows = [ROW | {"id": 7}, ROW | {"id": "b", "ner": []}]
    path = file(tmp_path, *rows)
    assert [each.id for each in read(path)] == ["7", "b"]
    other = tmp_path / "other"
    other.write_text("".join(f"{json.dumps(row)}\n" for row in reversed(rows)), encoding="utf-8")
    assert isogloss.ner(path, other).scores["strict"]["correct"] == 2


def test_a_real_text_with_other_white_space_is_the_same(tmp_path: Path) -> None:
    gold = file(
        tmp_path,
        {"tokenized_text": ["Ada", ",", "Bob", "."], "ner": [[0, 0, "PER"], [2, 2, "PER"], [0, 2, "G"]]},
    )
    text = {"text": "Ada,\nBob.", "entities": [[0, 3, "PER"], [5, 8, "PER"], [0, 8, "G"]]}
    (tmp_path / "b").write_text(json.dumps(text), encoding="utf-8")
    assert isogloss.ner(gold, tmp_path / "b").scores["strict"]["correct"] == 3
    (tmp_path / "b").write_text(json.dumps(text | {"text": "Ada,\nRob."}), encoding="utf-8")
    with pytest.raises(MismatchError, match="the texts of document 1 differ"):
        isogloss.ner(gold, tmp_path / "b")


def test_tokens_of_both_sides_may_differ(tmp_path: Path) -> None:
    gold = file(tmp_path, {"tokenized_text": ["New", "York", "'s"], "ner": [[0, 1, "LOC"]]})
    (tmp_path / "b").write_text('{"tokenized_text": ["New", "York\'s"], "ner": [[0, 1, "LOC"]]}', encoding="utf-8")
    assert isogloss.ner(gold, tmp_path / "b").scores["partial"]["partial"] == 1


def trimmed(each: SpanDocument) -> list[LabelledSpan]:
    """The spans that neither begin nor end with white space."""
    names = [((each.text or "")[span[0] : span[1]], span) for span in each.spans]
    return [span for name, span in names if name == name.strip()]


@settings(max_examples=50, deadline=None)
@given(documents(letters="aกé.", name=False))
def test_what_was_read_is_written_as_it_was(tmp_path_factory: pytest.TempPathFactory, first: SpanDocument) -> None:
    spans = trimmed(first)
    paths = [tmp_path_factory.mktemp("gliner") / name for name in ("once", "twice")]
    write([document(first.text, *spans)], "gliner", paths[0])
    write(read(paths[0]), "gliner", paths[1])
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_own_tokens_are_kept_and_cut_at_spans(tmp_path: Path) -> None:
    own = document("don't go.", (0, 2, "X"), (4, 8, "Y"), tokens=[(0, 5), (6, 8)], id="d")
    write([own], "gliner", tmp_path / "a")
    assert json.loads((tmp_path / "a").read_text(encoding="utf-8")) == {
        "id": "d",
        "tokenized_text": ["do", "n'", "t", "go", "."],
        "ner": [[0, 0, "X"], [2, 3, "Y"]],
    }
