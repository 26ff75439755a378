from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from span_texts import content, documents, read, write

import isogloss
from isogloss.errors import DataError, FormatError
from isogloss.formats.annotation import AnnotationFile, FormatOptions
from isogloss.formats.detection import open_annotations
from isogloss.formats.documents import SpanDocument
from isogloss.records.sources import Source


def open_it(*rows: dict[str, Any], **options: Any) -> AnnotationFile:
    Path("file").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return open_annotations(Source("file"), "jsonl", FormatOptions(**options))


@pytest.mark.parametrize("answer", ["reject", "ignore"])
def test_a_row_that_was_not_kept_in_prodigy_is_refused(answer: str) -> None:
    """The first row, which was imported, does not look like Prodigy."""
    span = {"start": 0, "end": 3, "label": "PER"}
    hashes = {"_input_hash": 7, "_task_hash": -8}
    rows: list[dict[str, Any]] = [{"text": "Ada met", "spans": [span]}, {"text": "Bob", "spans": [span]} | hashes]
    assert len(list(open_it(*rows, rows[1] | {"answer": "accept"}).spans or ())) == 3
    plain: dict[str, Any] = {"text": "x", "spans": [], "answer": answer}  # a column of one's own
    documents = list(open_it(*rows, plain, attributes=["answer"]).spans or ())
    assert documents[-1].columns == {"answer": answer}
    file = open_it(*rows, rows[1] | {"answer": answer})
    with pytest.raises(FormatError, match=rf'file:3: the row has the answer "{answer}" of Prodigy.*\n.*format prodigy'):
        list(file.spans or ())
    assert [each.left_out for each in read("file", "prodigy")] == [False, False, True]


def test_rows_have_spans_or_tags() -> None:
    spans = open_it({"id": 7, "text": "Ada", "entities": [[0, 3, "P"]], "genre": "x"}, attributes=("genre",)).spans
    assert spans is not None
    (document,) = spans
    assert (*content(document), document.columns) == ("7", "Ada", [(0, 3, "P")], {"genre": "x"})
    file = open_it({"text": "Ada", "tokens": [{"start": 0, "end": 3}], "tags": ["B-P"]})
    assert file.tags is not None
    (row,) = file.tags
    assert (row.text, list(row.tags), row.joined, file.has_words) == ("Ada", ["B-P"], False, False)


@given(st.lists(documents(name=False), min_size=1, max_size=3))
def test_documents_without_ids_and_texts_are_written_without(corpus: list[SpanDocument]) -> None:
    write([SpanDocument(1, None, None, each.spans, file="f") for each in corpus], "jsonl", "out")
    assert [content(each) for each in read("out")] == [(None, None, list(each.spans)) for each in corpus]


def test_a_span_must_cover_the_text_that_it_says() -> None:
    rows = [
        {
            "text": "\U0001f600 Ada met Bob",
            "entities": [{"start": 3, "end": 6, "label": "P", "text": "Ada"}, [7, 10, "V"]],
        },
    ]
    file = open_it({"text": "x", "entities": []}, *rows)
    assert file.spans is not None
    with pytest.raises(
        DataError,
        match=r"(?s)file:2: .*covers 'da ', but its own text is 'Ada'.*These count UTF-16",
    ) as error:
        list(file.spans)
    assert error.value.where == "file:2"
    repaired = open_it(*rows, repair_offsets=True).spans
    assert repaired is not None
    (document,) = repaired
    assert list(document.spans) == [(2, 5, "P"), (6, 9, "V")]  # the whole document counts as the span with a text does
    assert [warning.code for warning in document.warnings] == ["offsets-repaired"]


def test_two_files_of_json_lines_are_checked_too() -> None:
    Path("gold").write_text(
        '{"text": "Ada met Bob", "entities": [{"start": 1, "end": 4, "label": "P", "text": "Ada"}]}\n',
    )
    Path("pred").write_text(
        '{"text": "Ada met Bob", "entities": [{"start": 0, "end": 3, "label": "P", "text": null}]}\n',
    )
    with pytest.raises(DataError, match="gold:1: the span"):
        isogloss.ner("gold", "pred")
    assert isogloss.ner("gold", "pred", repair_offsets=True).scores["strict"].f1 == 1
    Path("gold").write_text(
        '{"entities": [{"start": 1, "end": 4, "label": "P", "text": "Ada"}]}\n',
    )  # nothing to look at
    assert isogloss.ner("gold", "pred").scores["strict"].f1 == 0
