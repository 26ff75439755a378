from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.errors import DataError, FormatError, MismatchError, UsageError
from isogloss.tasks.scoring import score_system
from isogloss.tasks.scoring_options import ScoringOptions
from isogloss.tasks.segmentation.inputs import load_vocabulary, open_input
from isogloss.tasks.segmentation.options import SegmentationOptions
from isogloss.tasks.segmentation.task import TASK

GOLD, SYSTEM = "ab|c\nd|e\n", "a|b|c\nde\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold").write_text(GOLD, encoding="utf-8")
    Path("system").write_text(SYSTEM, encoding="utf-8")


def test_files_and_lists_have_the_same_scores() -> None:
    lists = [[line.split("|") for line in content.splitlines()] for content in (GOLD, SYSTEM)]
    from_files, from_lists = isogloss.segmentation("gold", "system"), isogloss.segmentation(*lists)
    assert from_files.scores == from_lists.scores
    assert from_files.to_dict()["per_document"] == from_lists.to_dict()["per_document"]


def test_a_file_can_be_compared_with_a_list() -> None:
    run = isogloss.segmentation("gold", [["ab", "c"], ["de"]])
    assert (run.system, run.scores["word"].correct) == ("prediction", 2)
    assert [entry.role for entry in run.inputs] == ["reference"]


def test_detected_formats_give_warnings() -> None:
    Path("system").write_text('{"tokens": ["ab", "c"]}\n{"tokens": ["de"]}\n', encoding="utf-8")
    run = isogloss.segmentation("gold", "system")
    assert [(n.code, n.message) for n in run.warnings] == [
        ("format-detected", "The reference is read as words between | (pipe)."),
        ("format-detected", "The prediction is read as JSON lines (jsonl)."),
    ]


def test_named_formats_give_no_warning() -> None:
    Path("system").write_text("ab c\nde\n", encoding="utf-8")
    run = isogloss.segmentation("gold", "system", input_format="pipe", prediction_format="spaces")
    assert run.warnings == ()
    assert run.scores["word"].correct == 2


def test_the_signature_says_what_the_scores_rest_on() -> None:
    signature = str(isogloss.segmentation("gold", "system", vocabulary=["ab"], confidence=0.9, resamples=5).signature)
    assert signature.startswith(
        "segmentation|whitespace:ignore|on-mismatch:error|align:none|zero-division:undefined|vocabulary:1|unit:document",
    )


def test_a_vocabulary_is_a_file_or_a_collection() -> None:
    Path("words").write_text("ab\t17\n\nc d\n", encoding="utf-8")
    assert load_vocabulary("words") == {"ab", "c d"}
    assert load_vocabulary(["ab"]) == {"ab"}
    in_file = isogloss.segmentation("gold", "system", vocabulary="words").scores["oov"]
    assert (in_file.total, in_file.correct) == (3, 1)


def test_vocabulary_words_are_compared_like_words_of_the_text() -> None:
    run = isogloss.segmentation([["c d"]], [["c d"]], vocabulary=["c d"])
    assert run.scores["iv"].total == 1
    kept = isogloss.segmentation([["c d"]], [["c d"]], vocabulary=["cd"], whitespace="keep")
    assert kept.scores["oov"].total == 1


def test_a_vocabulary_without_words_is_refused() -> None:
    Path("words").write_text("\n", encoding="utf-8")
    with pytest.raises(FormatError, match="words: the vocabulary has no word"):
        isogloss.segmentation("gold", "system", vocabulary="words")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"on_mismatch": "ignore"}, "Unknown on_mismatch 'ignore'. Choose from error, skip, zero"),
        ({"align": "nfkc"}, "Unknown align 'nfkc'; did you mean nfc\\? Choose from none, nfc, thai"),
        ({"whitespace": "drop"}, "Unknown whitespace 'drop'. Choose from ignore, separate, keep"),
        ({"zero_division": 2}, "zero_division must be 0, 1 or left out, got 2"),
        ({"profile": "pythanlp"}, "Unknown profile 'pythanlp'; did you mean pythainlp"),
        ({"input_format": "conll"}, "Unknown input_format 'conll'; did you mean conllu"),
        ({"vocabulary": 3}, "vocabulary is a path"),
        ({"vocabulary": [3]}, "vocabulary is a path"),
    ],
)
def test_what_cannot_be_meant_is_a_wrong_call(options: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        isogloss.segmentation("gold", "system", **options)


def test_texts_that_differ_are_an_error_with_place_and_remedy() -> None:
    Path("system").write_text("ab|c\nd|x\n", encoding="utf-8")
    with pytest.raises(MismatchError) as raised:
        isogloss.segmentation("gold", "system")
    assert raised.value.where == "system:2"
    assert "(gold:2)" in raised.value.message
    assert "--on-mismatch skip" in raised.value.remedy


def test_nothing_to_score_is_an_error() -> None:
    with pytest.raises(DataError, match="no document to score"):
        isogloss.segmentation([], [])


def test_findings_option_limits_the_findings_kept() -> None:
    run = score_system(TASK, open_input("gold", "system"), SegmentationOptions(), ScoringOptions(findings=1))
    assert len(run.findings) == 1
    assert run.kinds["split"] + run.kinds["merge"] == 2


def test_the_json_is_that_of_every_run() -> None:
    document = json.loads(isogloss.segmentation("gold", "system", findings=True).to_json())
    assert document["task"] == "segmentation"
    assert document["findings"]["counts"] == {"correct": 1, "split": 1, "merge": 1, "shift": 0}
    assert document["findings"]["rows"][0] | {"where": ""} == {
        "kind": "split",
        "document": "1",
        "where": "",
        "reference": {"start": 0, "end": 2, "label": "ab", "in_text": [0, 2]},
        "predicted": {"start": 0, "end": 2, "label": "a|b", "in_text": [0, 2]},
        "text": "abc",
        "before": False,
        "after": False,
        "reference_words": ["ab"],
        "predicted_words": ["a", "b"],
        "sample": {"text": "abc", "reference": [[0, 2], [2, 3]], "predicted": [[0, 1], [1, 2], [2, 3]]},
    }


@pytest.mark.extra
def test_a_frame_has_the_indicators_of_both_sides() -> None:
    pytest.importorskip("pandas")
    frame = isogloss.segmentation_frame("gold", "system", profile=None)
    assert frame["reference_indicators"].tolist() == ["01", "00"]
    assert frame["predicted_indicators"].tolist() == ["001", "0"]
    assert frame["actual"].tolist() == ["a|b|c", "de"]
    assert frame["where"].tolist() == ["system:1", "system:2"]


@pytest.mark.extra
def test_a_profile_without_samples_has_no_frame() -> None:
    pytest.importorskip("pandas")
    with pytest.raises(UsageError, match="conll18 has no figures of single samples"):
        isogloss.segmentation_frame("gold", "system", profile="conll18")
