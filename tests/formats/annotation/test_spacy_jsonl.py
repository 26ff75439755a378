from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from libraries import library
from span_texts import content, document, read, write

from isogloss.errors import FormatError
from isogloss.formats.detection import detect_format
from isogloss.records.sources import Source

ADA = {"start": 0, "end": 3, "label": "PER"}
TEXT = "Ada met Bob"


def file(folder: Path, *lines: str) -> Path:
    path = folder / "f.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def rows(folder: Path, *values: Any) -> Path:
    return file(folder, *map(json.dumps, values))


@pytest.fixture(scope="module")
def spacy() -> Any:
    return library("spacy")


@pytest.fixture(scope="module")
def docs(spacy: Any) -> list[Any]:
    nlp, span = spacy.blank("xx"), spacy.tokens.Span
    thai, arabic = nlp("🚒 อมรา ไป เชียงใหม่"), nlp("زارت منى حداد عمّان 🏛️ أمس")
    thai.ents = [span(thai, 1, 2, "PER"), span(thai, 3, 4, "LOC")]
    arabic.ents = [span(arabic, 1, 3, "PER")]
    arabic.spans["sc"] = [span(arabic, 1, 3, "PER"), span(arabic, 2, 3, "PER"), span(arabic, 3, 4, "LOC")]
    return [thai, arabic]


@pytest.mark.extra
@pytest.mark.parametrize("indent", [None, 1])
def test_what_spacy_writes_is_read(tmp_path: Path, docs: list[Any], indent: int | None) -> None:
    path = tmp_path / "f.json"
    path.write_text(json.dumps([doc.to_json() for doc in docs], indent=indent), encoding="utf-8")
    assert detect_format(Source(path)) == "spacy"
    found = read(path)
    assert [each.text for each in found] == [doc.text for doc in docs]
    assert [each.spans for each in found] == [
        [(ent.start_char, ent.end_char, ent.label_) for ent in doc.ents] for doc in docs
    ]
    assert [each.tokens for each in found] == [[(token.idx, token.idx + len(token)) for token in doc] for doc in docs]


@pytest.mark.extra
def test_tokens_of_white_space_are_written_as_they_were_read(tmp_path: Path, spacy: Any) -> None:
    doc = spacy.blank("xx")("  Ada   met\n\nBob ")
    path = tmp_path / "written.jsonl"
    write(read(rows(tmp_path, doc.to_json() | {"ents": []})), "spacy", path)
    assert json.loads(path.read_text(encoding="utf-8"))["tokens"] == doc.to_json()["tokens"]


@pytest.mark.extra
def test_a_group_is_read_if_it_is_named(tmp_path: Path, docs: list[Any]) -> None:
    first, second = read(rows(tmp_path, *(doc.to_json() for doc in docs)), columns=("sc",))
    text = docs[1].text
    assert (first.spans, [(text[start:end], label) for start, end, label in second.spans]) == (
        [],
        [("منى حداد", "PER"), ("حداد", "PER"), ("عمّان", "LOC")],
    )


def test_examples_are_freed_of_white_space(tmp_path: Path) -> None:
    (found,) = read(rows(tmp_path, [TEXT, {"entities": [[0, 4, "PER"]]}]), repair_offsets=True)
    assert (found.spans, found.warnings[0].count) == ([(0, 3, "PER")], 1)


def test_the_only_group_is_read_where_there_are_no_ents(tmp_path: Path) -> None:
    found = read(rows(tmp_path, {"text": TEXT, "spans": {"x": [ADA]}}, {"text": TEXT, "spans": {}}))
    assert [each.spans for each in found] == [[(0, 3, "PER")], []]


@pytest.mark.extra
def test_a_document_without_annotation_is_left_out_or_has_no_spans(tmp_path: Path, spacy: Any) -> None:
    bare = spacy.blank("xx")("Ada").to_json()
    path = rows(tmp_path, {"text": TEXT, "ents": [ADA]}, bare)
    (_, reference), (_, predicted) = read(path), read(path, side="predicted")
    assert (reference.left_out, predicted.left_out, predicted.spans) == (True, False, [])
    assert [each.code for side in (reference, predicted) for each in side.warnings] == [
        "documents-left-out",
        "documents-unpredicted",
    ]


@pytest.mark.parametrize("spans", [[ADA], [[0, 3, "PER"]]])
@pytest.mark.parametrize("key", ["ents", "spans"])
def test_spans_may_be_objects_or_triples(tmp_path: Path, key: str, spans: list[Any]) -> None:
    assert read(rows(tmp_path, {"text": TEXT, key: spans}), "spacy")[0].spans == [(0, 3, "PER")]


@pytest.mark.parametrize(
    "text",
    [
        '["Ada met Bob", {"entities": [[0, 3, "PER"]]}]\n["Bob", {"entities": []}]\n',
        '[["Ada met Bob", {"entities": [[0, 3, "PER"]]}],\n["Bob", {"cats": {}}]]',
        '\ufeff\n [\n [ "Ada met Bob", {"entities": [[0, 3, "PER"]]}], ["Bob", {"entities": []}]]',
    ],
)
def test_examples_of_spacy_2_are_read(tmp_path: Path, text: str) -> None:
    path = file(tmp_path, text)
    assert detect_format(Source(path)) == "spacy"
    assert [content(each) for each in read(path)] == [(None, TEXT, [(0, 3, "PER")]), (None, "Bob", [])]


@pytest.mark.parametrize(
    "second", ['["x", {"entities": [[0, 1]]}]', '["x"]', '{"text": "x"}', '["x", {"entities": [[0, 1, null]]}]']
)
def test_malformed_example_error_names_the_line(tmp_path: Path, second: str) -> None:
    path = file(tmp_path, '["Ada", {"entities": [[0, 3, "PER"]]}]', second)
    with pytest.raises(FormatError) as error:
        read(path)
    assert error.value.where == f"{path}:2"


def test_a_group_that_no_row_has_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"f\.jsonl: has no spans 'sd', but 'sc'"):
        read(rows(tmp_path, {"text": "x", "spans": {"sc": []}}), columns=("sd",))


@pytest.mark.extra
@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("", []),
        (" \n ", []),
        ("  Ada  met\n\nBob \t", [(2, 5, "PER"), (12, 15, "PER")]),
        ("🚒 อมรา ไปเชียงใหม่", [(2, 6, "PER"), (9, 18, "LOC")]),
        ("نجيب محفوظ.", [(0, 4, "A"), (5, 10, "B"), (10, 11, "C")]),
        ("Ada met Bob", [(0, 7, "A"), (4, 11, "B"), (4, 7, "C"), (4, 7, "C")]),
    ],
)
def test_spacy_reads_what_is_written(tmp_path: Path, spacy: Any, text: str, spans: list[tuple[int, int, str]]) -> None:
    path = tmp_path / "f.jsonl"
    write([document(text, *spans)], "spacy", path)
    doc = spacy.tokens.Doc(spacy.blank("xx").vocab).from_json(
        json.loads(path.read_text(encoding="utf-8")), validate=True
    )
    assert doc.text == text
    found = [*doc.ents, *doc.spans.get("sc", [])]
    assert [(each.start_char, each.end_char, each.label_) for each in found] == spans
