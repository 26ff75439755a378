from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isogloss.errors import DataError, FormatError, UsageError
from isogloss.formats.annotation import FormatOptions
from isogloss.formats.detection import open_annotations, read_head
from isogloss.formats.documents import LabelledSpan, Mention, SpanDocument
from isogloss.formats.mentions import FORMAT
from isogloss.records.sources import Source
from isogloss.text.display import split_graphemes

TEXT = "Ada met Bob"
SPANS = [(0, 3, "PER"), (8, 11, "PER")]
PREDICTED = FormatOptions(side="predicted")


def file(folder: Path, *rows: Any) -> Source:
    path = folder / "pred.jsonl"
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    return Source(path)


def documents(source: Source, options: FormatOptions = PREDICTED) -> list[SpanDocument]:
    return list(open_annotations(source, "mentions", options).spans or ())


def told(document: SpanDocument) -> dict[str, int]:
    return {warning.code: warning.count for warning in document.warnings}


def test_names_are_spans_of_the_text(tmp_path: Path) -> None:
    [document] = documents(file(tmp_path, {"id": 7, "text": TEXT, "mentions": [["Ada", "PER"], ["Bob", "PER"]]}))
    assert (document.id, document.text, document.spans, document.warnings) == ("7", TEXT, SPANS, ())


def test_names_are_read_from_entities_whose_offsets_are_wrong(tmp_path: Path) -> None:
    row = {"text": TEXT, "entities": [{"text": "Bob", "label": "PER", "start": 0, "end": 3}]}
    assert documents(file(tmp_path, row))[0].spans == [(8, 11, "PER")]


def test_names_without_a_text_are_looked_for_in_another(tmp_path: Path) -> None:
    [document] = documents(file(tmp_path, {"id": "7", "mentions": {"PER": ["ada", "Eve"]}}))
    assert document.text is None
    assert document.locate is not None
    located = document.locate(TEXT)
    assert (located.spans, located.unlocated) == ([(0, 3, "PER")], [("Eve", "PER")])
    assert [(warning.code, warning.count) for warning in located.warnings] == [("normalised", 1), ("unlocated", 1)]


def test_location_warnings_name_the_line(tmp_path: Path) -> None:
    source = file(
        tmp_path, {"text": TEXT, "mentions": []}, {"text": "New York", "mentions": [["NewYork", "L"], ["X", "L"]]}
    )
    document = documents(source)[1]
    assert told(document) == {"spaces": 1, "unlocated": 1}
    assert {warning.where for warning in document.warnings} == {f"{source.name}:2"}
    assert document.unlocated == [("X", "L")]


def test_warning_about_a_reference_names_the_reference(tmp_path: Path) -> None:
    [document] = documents(
        file(tmp_path, {"text": TEXT, "mentions": [["Eve", "PER"]]}), FormatOptions(side="reference")
    )
    assert "the reference" in document.warnings[0].message
    assert "missed" in document.warnings[0].message


def test_answers_are_read_and_none_is_dropped(tmp_path: Path) -> None:
    answers = ['[["Ada", "PER"], ["Bob", "PER"]]', "Sorry.", None, [["Ada", "PER"]], '[["Ada", "PER"], ["Bo']
    source = file(tmp_path, *({"text": TEXT, "answer": answer} for answer in answers))
    found = documents(source, FormatOptions(side="predicted", answers="answer"))
    assert [list(document.spans) for document in found] == [SPANS, [], [], SPANS[:1], SPANS[:1]]
    undecodable, truncated = {"undecodable-answers": 1}, {"truncated-answers": 1}
    assert [told(document) for document in found] == [{}, undecodable, undecodable, {}, truncated]


def test_an_answer_may_have_several_lists_and_strange_items(tmp_path: Path) -> None:
    row = {"text": TEXT, "answer": 'First [["Eve", "PER"]], no, [["Ada", "PER"], ["Bob"]].'}
    [document] = documents(file(tmp_path, row), FormatOptions(side="predicted", answers="answer"))
    assert told(document) == {"several-answers": 1, "unusable-items": 1}


def test_null_mentions_are_an_answer_that_could_not_be_read(tmp_path: Path) -> None:
    [document] = documents(file(tmp_path, {"text": TEXT, "mentions": None}))
    assert told(document) == {"undecodable-answers": 1}


def test_row_without_the_answers_field_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"pred\.jsonl:1: the row has no `answr`"):
        documents(file(tmp_path, {"answer": "[]"}), FormatOptions(side="predicted", answers="answr"))


def test_a_reference_has_no_answers(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        open_annotations(file(tmp_path, {"mentions": []}), "mentions", FormatOptions(answers="x", side="reference"))


def test_files_without_an_object_are_not_recognised(tmp_path: Path) -> None:
    path = tmp_path / "mentions"
    path.write_text("mentions O\n", encoding="utf-8")
    assert not FORMAT.can_read(read_head(Source(path)))


def written(folder: Path, *given_documents: SpanDocument) -> Source:
    assert FORMAT.write is not None
    path = folder / "written.jsonl"
    FORMAT.write(given_documents, str(path))
    return Source(path)


def of(text: str | None, *spans: LabelledSpan, unlocated: tuple[Mention, ...] = ()) -> SpanDocument:
    return SpanDocument(3, "1", text, spans, unlocated=unlocated, file="in.jsonl")


@given(st.lists(st.tuples(st.text(), st.data()), max_size=3))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_can_be_written_is_read_back(tmp_path: Path, cases: list[tuple[str, st.DataObject]]) -> None:
    sent = []
    for number, (text, data) in enumerate(cases):
        edges = [0, *(end for _, end in split_graphemes(text))]
        bounds = st.tuples(st.sampled_from(edges), st.sampled_from(edges)).filter(lambda pair: pair[0] < pair[1])
        triples = st.tuples(bounds, st.sampled_from(("PER", "a label"))).map(lambda pair: (*pair[0], pair[1]))
        spans = data.draw(st.lists(triples, max_size=3)) if text else []
        document = SpanDocument(1, str(number), text, spans, file="in.jsonl")
        try:
            written(tmp_path, document)
        except DataError:
            continue
        sent.append(document)
    if sent:
        read = documents(written(tmp_path, *sent))
        assert [(each.id, each.text) for each in read] == [(each.id, each.text) for each in sent]
        assert [[*each.spans] for each in read] == [sorted(each.spans) for each in sent]
        assert all(not each.warnings for each in read)


def test_nested_spans_two_labels_and_names_that_are_nowhere_are_written(tmp_path: Path) -> None:
    nested = [(0, 8, "LOC"), (0, 8, "ORG"), (4, 8, "LOC")]
    [read] = documents(written(tmp_path, of("New York", *nested, unlocated=(("Eve", "PER"),))))
    assert read.spans == nested
    assert read.unlocated == [("Eve", "PER")]
