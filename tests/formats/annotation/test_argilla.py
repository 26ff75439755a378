from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from span_texts import content, read

import isogloss
from isogloss.errors import DataError, FormatError
from isogloss.formats.detection import detect_format
from isogloss.records.sources import Source

TEXT = "Ada met Bob"
ADA = {"start": 0, "end": 3, "label": "PER"}
BOB = {"start": 8, "end": 11, "label": "PER"}
USER = "ed1cb15b-37d4-482a-aae6-388baae4165d"

# What Argilla 2.8.0 (`records.to_json`, `to_list(flatten=True)`) and 1.29.1 (`DatasetForTokenClassification`, as pandas
# and by its records, and `FeedbackRecord.json`) write of one annotated record and one that nobody has touched.
NESTED: list[dict[str, Any]] = [
    {
        "id": "d1",
        "fields": {"text": TEXT},
        "metadata": {"src": "a"},
        "suggestions": {"spans": {"value": [ADA], "score": [0.9], "agent": "m"}},
        "responses": {"spans": [{"value": [ADA, BOB], "user_id": USER}]},
        "vectors": {},
        "status": "pending",
        "_server_id": None,
    },
    {
        "id": "d2",
        "fields": {"text": "x"},
        "metadata": {},
        "suggestions": {},
        "responses": {},
        "vectors": {},
        "status": "pending",
        "_server_id": None,
    },
]
FLAT: list[dict[str, Any]] = [
    {
        "id": "d1",
        "status": "pending",
        "_server_id": None,
        "text": TEXT,
        "src": "a",
        "spans.responses": [[ADA, BOB]],
        "spans.responses.users": [USER],
        "spans.responses.status": ["submitted"],
        "spans.suggestion": [ADA],
        "spans.suggestion.score": [0.9],
        "spans.suggestion.agent": "m",
    },
    {
        "id": "d2",
        "status": "pending",
        "_server_id": None,
        "text": "x",
        "spans.responses.status": None,
        "spans.responses.users": None,
        "spans.responses": None,
        "src": None,
        "spans.suggestion.score": None,
        "spans.suggestion": None,
        "spans.suggestion.agent": None,
    },
]
TOKENS: list[dict[str, Any]] = [
    {
        "text": TEXT,
        "tokens": ["Ada", "met", "Bob"],
        "prediction": [["PER", 0, 3, 0.9]],
        "prediction_agent": "m",
        "annotation": [["PER", 0, 3], ["PER", 8, 11]],
        "annotation_agent": "h",
        "vectors": None,
        "id": "d1",
        "metadata": {"src": "a"},
        "status": "Validated",
        "event_timestamp": 1795251185146,
        "metrics": None,
        "search_keywords": None,
    },
    {
        "text": "x",
        "tokens": ["x"],
        "prediction": None,
        "prediction_agent": None,
        "annotation": None,
        "annotation_agent": None,
        "vectors": None,
        "id": "d2",
        "metadata": {},
        "status": "Default",
        "event_timestamp": 1795251185146,
        "metrics": None,
        "search_keywords": None,
    },
]
FEEDBACK: list[dict[str, Any]] = [
    {
        "id": None,
        "fields": {"text": TEXT},
        "metadata": {"src": "a"},
        "responses": [{"user_id": None, "values": {"spans": {"value": [ADA, BOB]}}, "status": "submitted"}],
        "suggestions": [
            {"question_name": "spans", "value": [ADA | {"score": 0.5}], "score": None, "type": None, "agent": "m"}
        ],
        "external_id": "d1",
    },
    {"fields": {"text": "x"}, "metadata": {}, "responses": [], "suggestions": [], "external_id": "d2"},
]
VERSIONS = [NESTED, FLAT, TOKENS, FEEDBACK]


def file(folder: Path, records: list[Any], *, lines: bool = False) -> Path:
    path = folder / "f.json"
    path.write_text("\n".join(map(json.dumps, records)) if lines else json.dumps(records), encoding="utf-8")
    return path


def nested(**more: Any) -> dict[str, Any]:
    return {"id": "d1", "fields": {"text": TEXT}, "suggestions": {}, "responses": {}, **more}


@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize("records", VERSIONS)
def test_one_file_has_both_sides_in_every_version(tmp_path: Path, records: list[Any], lines: bool) -> None:  # noqa: FBT001
    path = file(tmp_path, records, lines=lines)
    assert detect_format(Source(path)) == "argilla"
    run = isogloss.ner(path)
    assert (run.documents, run.score("strict.correct"), run.score("strict.missed"), run.score("strict.actual")) == (
        1,
        1,
        1,
        1,
    )
    assert [(each.code, each.count) for each in run.warnings] == [("documents-left-out", 1)]


@pytest.mark.parametrize("records", VERSIONS)
def test_ids_texts_and_metadata_are_read(tmp_path: Path, records: list[Any]) -> None:
    first, second = read(file(tmp_path, records), attributes=("src",))
    assert content(first) == ("d1", TEXT, [(0, 3, "PER"), (8, 11, "PER")])
    assert (first.columns, second.columns, second.id, second.left_out) == ({"src": "a"}, {}, "d2", True)


@pytest.mark.parametrize("records", VERSIONS)
def test_as_the_prediction_suggestions_are_taken(tmp_path: Path, records: list[Any]) -> None:
    first, second = read(file(tmp_path, records), side="predicted")
    assert (first.spans, second.spans, second.left_out) == ([(0, 3, "PER")], (), False)
    assert [each.code for each in second.warnings] == ["documents-unpredicted"]


@pytest.mark.parametrize(
    "records",
    [
        [nested(responses={"spans": [{"value": [ADA], "user_id": "a"}, {"value": [BOB], "user_id": "b"}]})],
        [{"id": "d1", "text": TEXT, "spans.responses": [[ADA], [BOB]], "spans.responses.status": ["submitted"] * 2}],
        [
            {
                "id": "d1",
                "text": TEXT,
                "spans.responses": [[BOB], [ADA], [BOB], [BOB]],
                "spans.responses.status": ["draft", "submitted", "discarded", "submitted"],
            }
        ],
    ],
)
def test_of_several_responses_the_first_that_was_submitted_counts(tmp_path: Path, records: list[Any]) -> None:
    (found,) = read(file(tmp_path, records))
    assert found.spans == [(0, 3, "PER")]
    assert [each.code for each in found.warnings] == ["several-annotations"]


@pytest.mark.parametrize(
    "record",
    [
        {**TOKENS[0], "status": "Discarded"},
        FLAT[0] | {"spans.responses.status": ["discarded"]},
        FEEDBACK[0] | {"responses": [{"values": {}, "status": "discarded"}]},
    ],
)
def test_discarded_records_are_left_out(tmp_path: Path, record: dict[str, Any]) -> None:
    version = next(each for each in VERSIONS if each[0].keys() == record.keys())
    first, second = read(file(tmp_path, [version[0] | {"id": "d0"}, record]))
    assert (first.left_out, second.left_out) == (False, True)
    assert [each.message for each in second.warnings] == ["Documents that were discarded were left out."]


def test_an_empty_response_says_that_there_is_no_name(tmp_path: Path) -> None:
    empty = nested(id="d0", responses={"spans": [{"value": []}], "mood": [{"value": "good"}]})
    first, _ = read(file(tmp_path, [empty, NESTED[0]]))
    assert (first.spans, first.left_out) == ([], False)


def test_several_questions_with_spans_need_a_name(tmp_path: Path) -> None:
    both = nested(responses={"names": [{"value": [ADA]}], "verbs": [{"value": [BOB]}], "tags": [{"value": ["a"]}]})
    path = file(tmp_path, [both])
    with pytest.raises(FormatError, match=r"f\.json: several questions have spans: names, verbs\nName one"):
        read(path)
    assert read(path, columns=("text", "verbs"))[0].spans == [(8, 11, "PER")]
    with pytest.raises(FormatError, match=r"f\.json: has no spans 'nouns', but 'names', 'verbs'"):
        read(path, columns=("text", "nouns"))


def test_the_only_field_is_the_text_and_of_several_one_is_named(tmp_path: Path) -> None:
    given = {"spans": [{"value": [ADA]}]}
    assert read(file(tmp_path, [nested(fields={"body": TEXT}, responses=given)]))[0].text == TEXT
    path = file(tmp_path, [nested(fields={"a": "x", "body": TEXT}, responses=given)])
    with pytest.raises(FormatError, match=r"f\.json:1: the record has several texts: a, body\nName one of them"):
        read(path)
    assert read(path, columns=("body",))[0].text == TEXT
    with pytest.raises(FormatError, match=r"f\.json:1: the record has no text 'title', but 'a', 'body'"):
        read(path, columns=("title",))


def test_what_a_person_drew_counts_code_units_and_what_was_taken_over_does_not(tmp_path: Path) -> None:
    # issue 5729: of `Some text yeah 🚀 rocket` the pages of Argilla give the word [18, 24), where Python has [17, 23).
    text = "Some text yeah 🚀 rocket"
    taken, drawn = {"start": 17, "end": 23, "label": "A"}, {"start": 18, "end": 24, "label": "B"}
    suggestions = {"spans": {"value": [taken]}}
    path = file(
        tmp_path,
        [nested(fields={"text": text}, suggestions=suggestions, responses={"spans": [{"value": [taken, drawn]}]})],
    )
    with pytest.raises(
        DataError, match=r"f\.json:1: the span \[18, 24\) 'B' reaches beyond its text.*\n.*--repair-offsets"
    ):
        read(path)
    (found,) = read(path, repair_offsets=True)
    assert found.spans == [(17, 23, "A"), (17, 23, "B")]
    assert [(each.code, each.count) for each in found.warnings] == [("offsets-repaired", 1)]
    assert read(path, repair_offsets=True, side="predicted")[0].spans == [(17, 23, "A")]
