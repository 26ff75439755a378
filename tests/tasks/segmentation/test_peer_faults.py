"""Each fault that other tools are known for, with an input that shows it, and what is done here instead."""

from __future__ import annotations

from pathlib import Path

import pytest

import isogloss
from isogloss.errors import MismatchError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def files(reference: str, predicted: str) -> tuple[Path, Path]:
    for name, content in (("gold", reference), ("pred", predicted)):
        Path(name).write_text(content, encoding="utf-8")
    return Path("gold"), Path("pred")


@pytest.mark.parametrize("profile", [None, "thai-benchmark", "pythainlp"])
def test_other_characters_of_the_same_number_do_not_score_1(profile: str | None) -> None:
    with pytest.raises(MismatchError, match="texts of sample 1 differ"):
        isogloss.segmentation([["ab", "c"]], [["xy", "z"]], profile=profile)


@pytest.mark.parametrize("profile", [None, "thai-benchmark", "pythainlp"])
def test_a_truncated_prediction_does_not_score_1(profile: str | None) -> None:
    sides = [["ab", "c", "d"]], [["ab"]]
    with pytest.raises(MismatchError, match="missing"):
        isogloss.segmentation(*sides, profile=profile)
    assert isogloss.segmentation(*sides, profile=profile, on_mismatch="zero").scores["word"].f1 == 0


def test_shorter_prediction_can_be_skipped() -> None:
    run = isogloss.segmentation([["ab", "c"], ["d"]], [["a"], ["d"]], on_mismatch="skip")
    assert (run.documents, run.scores["word"].f1) == (1, 1.0)
    assert [(n.code, n.count, n.where) for n in run.warnings] == [("text-mismatch", 1, "prediction[0]")]


@pytest.mark.parametrize("profile", [None, "thai-benchmark", "pythainlp"])
def test_tags_between_separators_do_not_end_the_run(profile: str | None) -> None:
    run = isogloss.segmentation(*files("ab|<AB>|</AB>|\n", "ab|\n"), profile=profile)
    assert (run.scores["word"].correct, run.scores["word"].reference) == (1, 1)


def test_a_tokenizer_that_fails_on_a_sample_does_not_gain() -> None:
    reference = [["a", "b"], ["c"]]
    fails = isogloss.segmentation(reference, [[], ["c"]])
    works = isogloss.segmentation(reference, [["ab"], ["c"]])
    assert fails.documents == works.documents == 2
    assert fails.per_document["word.f1"].mean <= works.per_document["word.f1"].mean
    assert [n.code for n in fails.warnings] == ["prediction-empty"]


def test_profiles_that_drop_failed_samples_say_so() -> None:
    run = isogloss.segmentation([["a", "b"], ["c"]], [[], ["c"]], profile="thai-benchmark")
    assert (run.documents, run.per_document["word.f1"].mean) == (1, 1.0)
    assert [(n.code, n.count) for n in run.warnings] == [("sample-dropped", 1)]


def test_lists_of_other_lengths_are_not_cut_silently() -> None:
    for profile in [None, "thai-benchmark", "pythainlp", "sighan", "spacy"]:
        with pytest.raises(MismatchError, match="ends after 1 sample, but the reference has 2"):
            isogloss.segmentation([["a"], ["b"]], [["a"]], profile=profile)


def test_lower_case_tags_do_not_stay() -> None:
    run = isogloss.segmentation(*files("<ne>กา</ne>|ดำ\n", "กา|ดำ\n"))
    assert run.scores["word"].f1 == 1


def test_a_zero_width_space_shifts_nothing() -> None:
    reference, predicted = ["กา", "ดำ", "บิน"], ["กา\u200b", "ดำ", "บิน"]
    with pytest.raises(MismatchError, match=r"character 3 is U\+200B, but U\+0E14"):
        isogloss.segmentation([reference], [predicted])
    assert isogloss.segmentation([reference], [predicted], align="thai").scores["word"].f1 == 1


def test_a_decomposed_sara_am_shifts_nothing() -> None:
    reference, predicted = ["น้ำ", "ใส"], ["น\u0e49\u0e4d\u0e32", "ใส"]
    with pytest.raises(MismatchError, match="differ"):
        isogloss.segmentation([reference], [predicted])
    assert isogloss.segmentation([reference], [predicted], align="thai").scores["word"].f1 == 1


def test_a_separator_can_be_a_character_of_the_text() -> None:
    run = isogloss.segmentation([["a", "|", "b|c"]], [["a", "|b|", "c"]])
    assert run.scores["character"].tp + run.scores["character"].fn == 3
    assert run.scores["word"].correct == 1
    Path("gold").write_text('{"tokens": ["a", "|", "b"]}\n', encoding="utf-8")
    assert isogloss.segmentation("gold", "gold").scores["word"].reference == 3


def test_a_repeated_word_at_another_place_is_not_right() -> None:
    # SIGHAN's score aligns `b` with `b` by diff; here its place in the text counts.
    reference, predicted = [["aab", "b", "c"]], [["aa", "b", "bc"]]
    assert isogloss.segmentation(reference, predicted).scores["word"].correct == 0
    assert isogloss.segmentation(reference, predicted, profile="sighan").scores["word"].correct == 1


def test_cutting_everything_up_is_not_rewarded() -> None:
    reference, predicted = [["abcd", "e"]], [["a", "b", "c", "d", "e"]]
    assert isogloss.segmentation(reference, predicted, profile="spacy").scores["tokens"].accuracy == 1
    assert isogloss.segmentation(reference, predicted).scores["word"].precision == pytest.approx(1 / 5)


@pytest.mark.parametrize("profile", [None, "conll18"])
def test_no_valid_tree_is_demanded(profile: str | None) -> None:
    row = "{0}\t{1}\t_\t_\t_\t_\t{2}\t_\t_\t_\n"
    cycle = row.format(1, "a", 2) + row.format(2, "b", 1) + "\n"
    rootless = row.format(1, "c", "_") + "\n"
    run = isogloss.segmentation(*files(cycle + rootless, cycle + rootless), profile=profile)
    assert run.scores["tokens" if profile else "word"].f1 == 1


def test_precision_and_recall_divide_by_their_own_side() -> None:
    word = isogloss.segmentation([["ab", "c"]], [["a", "b", "c"]]).scores["word"]
    assert (word.precision, word.recall) == (pytest.approx(1 / 3), pytest.approx(1 / 2))
