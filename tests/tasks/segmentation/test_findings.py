from __future__ import annotations

import msgspec
import pytest

import isogloss
from isogloss.kernel.findings import Finding
from isogloss.tasks.segmentation.metric import MAX_SAMPLE_LENGTH


def findings(reference: list[list[str]], predicted: list[list[str]], **options: object) -> tuple[Finding, ...]:
    return isogloss.segmentation(reference, predicted, findings=True, **options).findings  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reference", "predicted", "kind"),
    [
        (["กินผัก"], ["กิน", "ผัก"], "split"),
        (["กิน", "ผัก"], ["กินผัก"], "merge"),
        (["ตา", "กลม"], ["ตาก", "ลม"], "shift"),
    ],
)
def test_each_kind_is_found(reference: list[str], predicted: list[str], kind: str) -> None:
    (finding,) = findings([reference], [predicted])
    assert finding.kind == kind
    assert [mark.label for mark in finding.marks] == ["|".join(reference), "|".join(predicted)]
    assert (finding.extra["reference_words"], finding.extra["predicted_words"]) == (reference, predicted)


def test_finding_is_the_smallest_region_between_shared_starts() -> None:
    found = findings([["a", "bc", "d", "ef", "g"]], [["a", "b", "c", "d", "e", "fg"]])
    assert [(f.kind, f.extra["reference_words"]) for f in found] == [("split", ["bc"]), ("shift", ["ef", "g"])]


def test_correct_words_of_a_document_are_those_of_both_sides() -> None:
    found = findings([["a", "bc", " ", "d", "ef", "g"]], [["a", "b", "c", " ", "d", "e", "fg"]])
    assert [one.correct for one in found] == [((0, 1, None), (4, 5, None))] * 2


def test_positions_are_code_points_of_the_text_as_it_was_given() -> None:
    (finding,) = findings([["a", " ", "b c", "d"]], [["a", "b", "c", "d"]])
    mark = finding.marks[0]
    assert (mark.start, mark.end) == (2, 5)
    assert finding.text == "a b cd"
    assert (mark.text_start, mark.text_end) == (2, 5)
    assert finding.extra["reference_words"] == ["b c"]
    assert finding.extra["predicted_words"] == ["b", "c"]


def test_positions_of_aligned_texts_are_in_the_reference() -> None:
    (finding,) = findings([["กา\u200b", "ดีมาก"]], [["กา", "ดี", "มาก"]], align="thai")
    assert (finding.marks[0].start, finding.marks[0].end) == (3, 8)


def test_place_and_document_are_those_of_the_prediction() -> None:
    found = findings([["a"], ["bc"]], [["a"], ["b", "c"]])
    assert [(f.document, f.where) for f in found] == [("2", "prediction[1]")]


def test_uncompared_samples_have_no_findings() -> None:
    found = findings([["ab"], ["c", "d"], ["ef"]], [["a", "b"], ["xy"], ["e", "f"]], on_mismatch="zero")
    assert [(f.document, f.kind) for f in found] == [("1", "split"), ("3", "split")]


def test_context_option_sets_the_length_of_the_context() -> None:
    reference, predicted = [["one ", "two ", "three", " four"]], [["one ", "two ", "th", "ree", " four"]]
    (finding,) = findings(reference, predicted, context=1)
    assert (finding.text, finding.before, finding.after) == ("two three four", True, False)


def test_findings_of_sentence_pairs_have_their_sentence_as_place() -> None:
    (finding,) = findings([["a"], ["bc", "d"]], [["a", "b", "c", "d"]], profile="conll18")
    assert (finding.kind, finding.where) == ("split", "prediction[0]")


def test_the_first_error_of_a_sample_has_the_whole_sample() -> None:
    found = findings([["ab", "c", "de"], ["fg"]], [["a", "b", "c", "d", "e"], ["f", "g"]])
    assert [f.document for f in found] == ["1", "1", "2"]
    assert found[0].extra["sample"] == {
        "text": "abcde",
        "reference": [[0, 2], [2, 3], [3, 5]],
        "predicted": [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]],
    }
    assert "sample" not in found[1].extra
    assert found[2].extra["sample"]["text"] == "fg"


def test_whitespace_that_is_ignored_is_in_no_word_of_a_sample() -> None:
    (finding,) = findings([["a", " ", "b c", "d"]], [["a", "b", "c", "d"]])
    assert finding.extra["sample"] == {
        "text": "a b cd",
        "reference": [[0, 1], [2, 5], [5, 6]],
        "predicted": [[0, 1], [2, 3], [4, 5], [5, 6]],
    }


def test_aligned_samples_have_word_positions_of_the_reference() -> None:
    (finding,) = findings([["กา\u200b", "ดีมาก"]], [["กา", "ดี", "มาก"]], align="thai")
    sample = finding.extra["sample"]
    assert [sample["text"][low:high] for low, high in sample["reference"]] == ["กา", "ดีมาก"]
    assert [sample["text"][low:high] for low, high in sample["predicted"]] == ["กา", "ดี", "มาก"]


@pytest.mark.parametrize(("length", "kept"), [(MAX_SAMPLE_LENGTH, True), (MAX_SAMPLE_LENGTH + 1, False)])
def test_a_long_sample_is_not_kept_whole(length: int, *, kept: bool) -> None:
    (finding,) = findings([["ab", "c" * (length - 2)]], [["a", "b", "c" * (length - 2)]])
    assert ("sample" in finding.extra) == kept


@pytest.mark.parametrize("align", ["none", "thai"])
def test_equal_samples_have_the_findings_that_each_has_by_itself(align: str) -> None:
    """They share the parts of their findings, but not their places; a text that is cut otherwise is another sample."""
    reference = [["กา", "ดีมาก"], ["กา\u200b", "ดีมาก"], ["กา", "ดี", "มาก"], ["กา", "ดีมาก"], ["กา\u200b", "ดีมาก"]] * 2
    predicted = [["กา", "ดี", "มาก"], ["กา\u200b", "ดี", "มาก"], ["กาดีมาก"], ["กาดี", "มาก"], ["กา\u200bดีมาก"]] * 2
    found = findings(reference, predicted, align=align)
    alone = [findings([one], [two], align=align) for one, two in zip(reference, predicted, strict=True)]
    assert len(found) == sum(map(len, alone))
    numbered = [(k, finding) for k, own in enumerate(alone) for finding in own]
    for (k, expected), finding in zip(numbered, found, strict=True):
        assert (finding.document, finding.where) == (str(k + 1), f"prediction[{k}]")
        place = {"document": expected.document, "where": expected.where}
        assert msgspec.structs.astuple(msgspec.structs.replace(finding, **place)) == msgspec.structs.astuple(expected)
