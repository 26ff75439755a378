from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from label_studio_export import TEXT, annotation, codes, file, found, one, region, task
from span_texts import content, read

import isogloss
from isogloss.errors import DataError, FormatError
from isogloss.formats.detection import detect_format
from isogloss.records.sources import Source

THAI = "🚒 อมรา ลินด์ควิสต์ บินไปเชียงใหม่"
ARABIC = "زارت منى حداد عمّان 🏛️ أمس"


ADA, BOB = region(0, 3, "PER", "Ada"), region(8, 11, "PER", "Bob")


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """Thai and Arabic with characters beyond U+FFFF, a task without a name, one nobody annotated, one cancelled."""
    gold = [annotation(found(THAI, "อมรา ลินด์ควิสต์", "PER"), found(THAI, "เชียงใหม่", "LOC"))]
    thai = [annotation(found(THAI, "อมรา", "PER"), found(THAI, "เชียงใหม่", "LOC"), model_version="a")]
    arabic = annotation(found(ARABIC, "منى حداد", "PER"), found(ARABIC, "عمّان", "LOC"))
    return file(
        tmp_path,
        task(THAI, *gold, predictions=thai, id=1),
        task(ARABIC, arabic, predictions=[annotation(found(ARABIC, "عمّان", "ORG"))], id=2),
        task("Nobody answered.", annotation(), id=3),
        task("Oslo", predictions=[annotation(region(0, 4, "LOC"))], id=4),
        task("Oslo", annotation(region(0, 4, "LOC"), was_cancelled=True), id=5),
    )


def test_one_file_has_reference_and_prediction(export: Path) -> None:
    run = isogloss.ner(export, findings=True)
    counts = ("correct", "incorrect", "missed", "spurious", "possible", "actual")
    assert [run.score(f"strict.{name}") for name in counts] == [1, 2, 1, 0, 4, 3]
    assert [(each.kind, each.document) for each in run.findings] == [
        ("wrong_boundary", "1"),
        ("missed", "2"),
        ("wrong_type", "2"),
    ]
    assert run.documents == 3
    assert {(each.code, each.count, each.where) for each in run.warnings} == {
        ("documents-unpredicted", 1, f"{export}:1, item 3"),
        ("documents-left-out", 1, f"{export}:1, item 4"),
        ("documents-left-out", 1, f"{export}:1, item 5"),
    }


@pytest.mark.parametrize("indent", [None, 2])
def test_json_min_has_the_same_annotations(tmp_path: Path, indent: int | None) -> None:
    # As the converter of label-studio-sdk 2.1.2 writes it: a task that nobody annotated has a row of its own.
    rows: list[dict[str, Any]] = [
        {
            "text": TEXT,
            "lang": "en",
            "id": 11,
            "label": [{"start": 0, "end": 3, "labels": ["PER"], "text": "Ada"}],
            "sentiment": "good",
            "annotator": 1,
            "annotation_id": 2,
            "created_at": "2026-02-01T00:00:00Z",
            "updated_at": "2026-02-01T00:00:00Z",
            "lead_time": None,
        },
        {"text": "x", "id": 13, "annotator": 1, "annotation_id": 13, "created_at": None, "updated_at": None},
        {"text": "y", "id": 14, "annotator": None, "annotation_id": None, "created_at": None, "updated_at": None},
    ]
    path = file(tmp_path, *rows, indent=indent)
    assert detect_format(Source(path)) == "label-studio"
    found = read(path, attributes=("lang", "sentiment"))
    assert [content(each) for each in found] == [("11", TEXT, [(0, 3, "PER")]), ("13", "x", []), ("14", "y", [])]
    assert ([each.left_out for each in found], found[0].columns) == (
        [False, False, True],
        {"lang": "en", "sentiment": "good"},
    )
    with pytest.raises(FormatError, match="stands for both sides, but has no predictions"):
        isogloss.ner(path)


def test_json_min_has_a_row_for_each_annotation_of_a_task(tmp_path: Path) -> None:
    row = {"text": TEXT, "id": 1, "annotator": 1, "annotation_id": 1, "updated_at": "2026-02-01T00:00:00Z"}
    bob = {"start": 8, "end": 11, "labels": ["PER"], "text": "Bob"}
    later = row | {"label": [bob], "annotator": 2, "annotation_id": 2, "updated_at": "2026-02-02T00:00:00Z"}
    first, second = read(file(tmp_path, later, row, row | {"id": 2}))
    assert (first.spans, codes(first), second.spans) == ([(8, 11, "PER")], ["several-annotations"], [])


@pytest.mark.parametrize(
    "annotations",
    [
        [annotation(BOB, updated_at="2026-03-10"), annotation(ADA, ground_truth=True)],
        [annotation(ADA, updated_at="2026-03-10"), annotation(BOB, updated_at="2026-03-09")],
        [
            annotation(BOB, updated_at=None, created_at=1609789589),
            annotation(ADA, updated_at=None, created_at=1609789590),
        ],
        [annotation(BOB), annotation(ADA)],
        [annotation(BOB, updated_at=5), annotation(ADA, updated_at="2024-01-01T00:00:00Z")],
        [annotation(ADA, updated_at=1704067201), annotation(BOB, updated_at="2024-01-01T00:00:00Z")],
        [annotation(ADA, updated_at="2024-01-01T00:00:00-01:00"), annotation(BOB, updated_at="2024-01-01T00:30:00Z")],
        [annotation(ADA, updated_at="2024-01-01"), annotation(BOB, updated_at="yesterday")],
    ],
)
def test_of_several_annotations_the_ground_truth_counts_or_else_the_latest(
    tmp_path: Path, annotations: list[Any]
) -> None:
    single = one(tmp_path, task(TEXT, *annotations))
    assert (single.spans, codes(single)) == ([(0, 3, "PER")], ["several-annotations"])


@pytest.mark.parametrize("reason", ["was_cancelled", "skipped"])
def test_cancelled_annotations_do_not_count(tmp_path: Path, reason: str) -> None:
    cancelled = annotation(BOB, updated_at="2027", **{reason: True})
    assert one(tmp_path, task(TEXT, annotation(ADA), cancelled)).spans == [(0, 3, "PER")]
    _, second = read(file(tmp_path, task(TEXT, annotation()), task(TEXT, cancelled)))
    assert (second.left_out, [each.message for each in second.warnings]) == (
        True,
        ["Documents whose annotations were all cancelled were left out."],
    )


def test_of_several_predictions_the_latest_counts(tmp_path: Path) -> None:
    predictions = [annotation(BOB, created_at="2026-01-01"), annotation(ADA, updated_at="2026-12-01")]
    single = one(tmp_path, task(TEXT, predictions=predictions), side="predicted")
    assert (single.spans, codes(single)) == ([(0, 3, "PER")], ["several-annotations"])


def test_exports_of_the_time_before_version_1_have_completions(tmp_path: Path) -> None:
    old = {"id": 0, "data": {"text": TEXT}, "completions": [annotation(ADA, created_at=1609789589, updated_at=None)]}
    assert one(tmp_path, old).spans == [(0, 3, "PER")]


def test_two_exports_are_compared_by_their_annotations(tmp_path: Path) -> None:
    gold = file(tmp_path, task(TEXT, annotation(ADA, BOB)))
    other = tmp_path / "other"
    other.mkdir()
    run = isogloss.ner(gold, file(other, task(TEXT, annotation(ADA))))
    assert (run.score("strict.correct"), run.score("strict.missed")) == (1, 1)
    assert [each.code for each in run.warnings] == ["other-side-taken"]


def test_ids_are_those_of_the_data_or_of_the_tasks(tmp_path: Path) -> None:
    own = task(TEXT, annotation(), data={"id": "ก1", "text": TEXT})
    assert [each.id for each in read(file(tmp_path, own, task(TEXT, annotation())))] == ["ก1", "7"]


def test_data_and_meta_are_columns(tmp_path: Path) -> None:
    given = task(TEXT, annotation(), data={"text": TEXT, "genre": "news"}, meta={"n": 2}, inner_id=5)
    assert one(tmp_path, given, attributes=("genre", "n", "inner_id")).columns == {
        "genre": "news",
        "n": "2",
        "inner_id": "5",
    }


def test_region_has_one_span_per_label_or_a_warning(tmp_path: Path) -> None:
    both = {"value": {"start": 0, "end": 3, "labels": ["PER", "ORG"]}}
    none = {"value": {"start": 4, "end": 7, "labels": []}}
    single = one(tmp_path, task(TEXT, annotation(both, none)))
    assert (single.spans, codes(single)) == ([(0, 3, "PER"), (0, 3, "ORG")], ["regions-without-label"])


def test_what_has_no_labels_is_ignored(tmp_path: Path) -> None:
    others: list[dict[str, Any]] = [
        {"type": "choices", "from_name": "mood", "to_name": "text", "value": {"choices": ["good"]}},
        {"type": "choices", "from_name": "sure", "value": {"start": 0, "end": 3, "choices": ["yes"]}},
        {"type": "textarea", "value": {"start": 0, "end": 3, "text": ["a note"]}},
        {"type": "relation", "from_id": "a", "to_id": "b", "direction": "right"},
    ]
    assert one(tmp_path, task(TEXT, annotation(ADA, *others))).spans == [(0, 3, "PER")]


def test_the_text_is_named_by_its_key_by_being_alone_or_by_the_regions(tmp_path: Path) -> None:
    alone = task(data={"body": TEXT, "n": 3})["data"]
    assert one(tmp_path, task(TEXT, annotation(ADA), data=alone)).text == TEXT
    two = {"title": "x", "body": TEXT}
    assert one(tmp_path, task(TEXT, annotation(ADA | {"to_name": "body"}), data=two)).text == TEXT
    path = file(tmp_path, task(TEXT, annotation(ADA | {"to_name": "t"}), data=two))
    with pytest.raises(FormatError, match=r"export\.json:1: the task has several texts: title, body\nName one"):
        read(path)
    assert read(path, columns=("body",))[0].spans == [(0, 3, "PER")]
    with pytest.raises(FormatError, match="the task has no text 'nope', but 'title', 'body'"):
        read(path, columns=("nope",))


def test_regions_of_another_text_are_not_those_of_this_one(tmp_path: Path) -> None:
    of_title, of_body = ADA | {"to_name": "title", "from_name": "a"}, BOB | {"to_name": "body", "from_name": "b"}
    path = file(tmp_path, task(TEXT, annotation(of_title, of_body), data={"title": TEXT, "body": TEXT}))
    assert read(path, columns=("body",))[0].spans == [(8, 11, "PER")]
    named = [of_title | {"to_name": "t1"}, of_body | {"to_name": "t2"}]
    path = file(tmp_path, task(TEXT, annotation(*named), data={"title": TEXT, "body": TEXT}))
    with pytest.raises(
        FormatError, match=r"the regions are of several texts, which are called t1, t2\n.*FIELD,CONTROL"
    ):
        read(path, columns=("body",))
    assert read(path, columns=("body", "b"))[0].spans == [(8, 11, "PER")]
    with pytest.raises(FormatError, match=r"export\.json: has no labels 'c', but 'a', 'b'"):
        read(path, columns=("body", "c"))


def test_project_whose_labels_are_all_about_images_is_refused(tmp_path: Path) -> None:
    data = {"text": TEXT, "image": "a.jpg"}
    box = ADA | {"to_name": "image", "value": {"x": 1.0, "rectanglelabels": ["Car"]}}
    boxes = task(TEXT, annotation(box), data=data)
    with pytest.raises(FormatError, match=r"export\.json: no labelled region is about the text; they are about image"):
        read(file(tmp_path, boxes))
    mixed = read(file(tmp_path, boxes, task(TEXT, annotation(ADA), data=data)))
    assert [each.spans for each in mixed] == [[], [(0, 3, "PER")]]


def test_a_first_task_that_is_long_is_recognised(tmp_path: Path) -> None:
    long = task(TEXT * 100, annotation(*(region(0, 3, "PER", "Ada") for _ in range(2000))))
    path = file(tmp_path, long, task(), indent=2)
    assert path.stat().st_size > 1 << 18
    assert detect_format(Source(path)) == "label-studio"


@pytest.mark.parametrize(
    ("text", "start", "end", "surface"),
    [
        ("Text: Berlin,  Germany.", 6, 22, "Berlin, Germany"),  # issue 3078: the browser joins white space
        ("a\nb", 0, 3, "a\\nb"),  # the editor writes a line break as two characters
        ("a\r\nb", 0, 4, "a\\n\\nb"),
        ("a\nb", 0, 3, "a b"),
        (r"C:\new", 0, 6, r"C:\new"),
        ("Ada ", 0, 4, "Ada"),
    ],
)
def test_the_text_of_a_region_is_compared_white_space_aside(
    tmp_path: Path, text: str, start: int, end: int, surface: str
) -> None:
    assert one(tmp_path, task(text, annotation(region(start, end, "X", surface)))).spans == [(start, end, "X")]


def test_regions_in_code_units_are_refused_or_repaired(tmp_path: Path) -> None:
    # issue 1347: the word is [12, 22) in code points.
    text = "💩This is an annotation. "
    path = file(tmp_path, task(text, annotation(region(13, 23, "Annotation", "annotation"))))
    with pytest.raises(
        DataError, match=r"export\.json:1: the span \[13, 23\).*\n.*UTF-16 code units: --repair-offsets"
    ):
        read(path)
    (single,) = read(path, repair_offsets=True)
    assert (single.spans, codes(single)) == ([(12, 22, "Annotation")], ["offsets-repaired"])


def test_code_units_and_joined_white_space_are_repaired_together(tmp_path: Path) -> None:
    text = "🚒 ไป  เชียงใหม่\nวันนี้"
    start, end = text.index("ไป"), len(text)
    results = region(start + 1, end + 1, "X", "ไป เชียงใหม่\\nวันนี้"), region(start + 1, start + 3, "Y", "ไป")
    assert one(tmp_path, task(text, annotation(*results)), repair_offsets=True).spans == [(2, end, "X"), (2, 4, "Y")]


def test_a_resized_region_alone_counts_code_units(tmp_path: Path) -> None:
    text = "🚒 Ada met Bob"
    results = region(2, 5, "PER", "Ada"), region(11, 14, "PER", "Bob")
    single = one(tmp_path, task(text, annotation(*results)), repair_offsets=True)
    assert (single.spans, codes(single)) == ([(2, 5, "PER"), (10, 13, "PER")], ["offsets-repaired"])


@pytest.mark.parametrize("emoji", [0, 30])
def test_white_space_hides_no_code_units(tmp_path: Path, emoji: int) -> None:
    # In code units each emoji is two: the first is [0, 2), which in code points is the emoji and a space.
    text = "😀 😀😀😀" + "😀" * emoji + " no no no no"
    first = text.index("no")
    results = region(0, 2, "X", "😀"), region(first + 4 + emoji, first + 6 + emoji, "Y", "no")
    single = one(tmp_path, task(text, annotation(*results)), repair_offsets=True)
    assert single.spans == [(0, 1, "X"), (first, first + 2, "Y")]
    assert [warning.message for warning in single.warnings] == [
        "Offsets that count UTF-16 code units were turned into code points."
    ]


def test_regions_without_text_use_code_units_only_with_repair(tmp_path: Path) -> None:
    tasks = task("🚒 Ada ", annotation(region(3, 6, "PER")))
    single = one(tmp_path, tasks)
    assert (single.spans, codes(single)) == ([(3, 6, "PER")], ["offsets-uncertain"])
    single = one(tmp_path, tasks, repair_offsets=True)
    assert (single.spans, codes(single)) == ([(2, 5, "PER")], ["offsets-repaired"])


def test_regions_without_texts_count_what_those_with_texts_count(tmp_path: Path) -> None:
    results = region(3, 6, "PER", "Ada"), region(11, 14, "PER")
    single = one(tmp_path, task("🚒 Ada met Bob", annotation(*results)), repair_offsets=True)
    assert single.spans == [(2, 5, "PER"), (10, 13, "PER")]


@pytest.mark.parametrize("repair", [False, True])
def test_predictions_without_texts_count_code_points(tmp_path: Path, *, repair: bool) -> None:
    tasks = task("🚒 Ada", predictions=[annotation(region(2, 5, "PER"))])
    single = one(tmp_path, tasks, side="predicted", repair_offsets=repair)
    assert (single.spans, codes(single)) == ([(2, 5, "PER")], [])


def store(folder: Path, number: int, text: str, **more: object) -> None:
    """An annotation as the cloud storage of Label Studio holds it: a file named by its number, with its task."""
    own = annotation(found(text, "Ada", "PER"), **more)
    stored = {"id": number, **own, "task": {"id": 70, "data": {"text": text}, "meta": {}}}
    (folder / str(number)).write_text(json.dumps(stored, indent=4), encoding="utf-8")


def test_a_folder_of_cloud_storage_has_the_annotations_of_each_task(tmp_path: Path) -> None:
    store(tmp_path, 9, "😀 Ada", updated_at="2026-01-02T00:00:00Z")
    store(tmp_path, 10, "😀 Ada", updated_at="2026-01-01T00:00:00Z")
    store(tmp_path, 11, "😀 Ada", was_cancelled=True)
    assert detect_format(Source(tmp_path)) == "label-studio"
    (document,) = read(tmp_path)
    assert content(document) == ("70", "😀 Ada", [(2, 5, "PER")])
    assert (document.file, codes(document)) == (str(tmp_path / "9"), ["several-annotations"])


def test_one_object_over_several_lines_is_a_task_or_an_annotation(tmp_path: Path) -> None:
    store(tmp_path, 1, "Ada ran")
    assert content(read(tmp_path / "1")[0]) == ("70", "Ada ran", [(0, 3, "PER")])
    path = tmp_path / "task.json"
    path.write_text(json.dumps(task("Ada", annotation(region(0, 3, "PER")), id=3), indent=2))
    assert content(read(path)[0]) == ("3", "Ada", [(0, 3, "PER")])


def test_an_annotation_without_its_task_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"id": 1, "result": [], "task": 70}))
    with pytest.raises(FormatError, match="only the number of its task"):
        read(path, "label-studio")
