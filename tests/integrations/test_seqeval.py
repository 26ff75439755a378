from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

from isogloss.errors import DataError, MismatchError, TagError, UsageError
from isogloss.integrations import Seqeval

# The example of the metric's own page: its answers there are overall_f1 0.5, and 1.0 for PER.
PREDICTIONS = [["O", "O", "B-MISC", "I-MISC", "I-MISC", "I-MISC", "O"], ["B-PER", "I-PER", "O"]]
REFERENCES = [["O", "O", "O", "B-MISC", "I-MISC", "I-MISC", "O"], ["B-PER", "I-PER", "O"]]


def test_keys_and_numbers_are_those_of_the_metrics_own_example() -> None:
    found = Seqeval().compute(predictions=PREDICTIONS, references=REFERENCES)
    overall = ["overall_precision", "overall_recall", "overall_f1", "overall_accuracy"]
    assert list(found) == ["MISC", "PER", *overall]
    assert found["MISC"] == {"precision": 0, "recall": 0, "f1": 0, "number": 1}
    assert found["PER"] == {"precision": 1, "recall": 1, "f1": 1, "number": 1}
    assert [found[name] for name in overall] == [0.5, 0.5, 0.5, 0.8]


def test_values_are_pythons_own_numbers() -> None:
    found = Seqeval().compute(predictions=PREDICTIONS, references=REFERENCES)
    assert {type(found["overall_f1"]), type(found["overall_accuracy"]), type(found["PER"]["f1"])} == {float}
    assert type(found["PER"]["number"]) is int


def test_added_documents_and_batches_are_scored_together() -> None:
    metric = Seqeval()
    metric.add(prediction=PREDICTIONS[0], reference=REFERENCES[0])
    metric.add_batch(predictions=PREDICTIONS[1:], references=REFERENCES[1:])
    expected = Seqeval().compute(predictions=PREDICTIONS * 2, references=REFERENCES * 2)
    assert metric.compute(predictions=PREDICTIONS, references=REFERENCES) == expected


def test_what_was_scored_is_forgotten() -> None:
    metric = Seqeval()
    metric.compute(predictions=PREDICTIONS[:1], references=REFERENCES[:1])
    assert metric.compute(predictions=PREDICTIONS[1:], references=REFERENCES[1:])["overall_f1"] == 1


def test_a_call_that_fails_neither_adds_nor_forgets() -> None:
    metric = Seqeval()
    metric.add(prediction=PREDICTIONS[1], reference=REFERENCES[1])
    with pytest.raises(MismatchError, match=r"prediction\[1\]"):
        metric.compute(predictions=[["O"]], references=[["O", "O"]])
    with pytest.raises(UsageError):
        metric.compute(predictions=[["O"]], references=[["B-PER"]], mode="strict", scheme="IOE1")
    assert metric.compute()["overall_f1"] == 1


def test_a_list_changed_after_adding_has_no_effect() -> None:
    metric, prediction = Seqeval(), ["B-PER"]
    metric.add(prediction=prediction, reference=["B-PER"])
    prediction[0] = "O"
    assert metric.compute()["overall_f1"] == 1


def test_tags_in_arrays_tuples_and_generators_are_taken() -> None:
    found = Seqeval().compute(predictions=(np.array(tags) for tags in PREDICTIONS), references=tuple(REFERENCES))
    assert found["overall_f1"] == 0.5


def test_nothing_to_score_is_an_error() -> None:
    with pytest.raises(DataError, match="no document"):
        Seqeval().compute()


@pytest.mark.parametrize("zero_division", [0, 1])
def test_documents_without_tokens_are_nothing_divided_by_nothing(zero_division: int) -> None:
    found = Seqeval().compute(predictions=[[]], references=[[]], zero_division=zero_division)
    assert list(found.values()) == [zero_division] * 4


@pytest.mark.parametrize("given", [{"predictions": [["O"]]}, {"references": [["O"]]}])
def test_one_side_alone_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(DataError, match=r"0 predictions, but 1|1 predictions, but 0"):
        Seqeval().compute(**given)


def test_letters_at_the_end_are_read_as_such() -> None:
    found = Seqeval().compute(predictions=[["A-B-B", "A-B-I"]], references=[["A-B-B", "A-B-I"]], suffix=True)
    assert found["A-B"] == {"precision": 1, "recall": 1, "f1": 1, "number": 1}


def test_accuracy_compares_tags_as_written_with_suffix() -> None:
    # Read from the end, PERB and PER-B are the same, but they are not the same tag.
    found = Seqeval().compute(predictions=[["PERB", "O"]], references=[["PER-B", "O"]], suffix=True)
    assert (found["overall_f1"], found["overall_accuracy"]) == (1, 0.5)


def test_strict_mode_drops_what_does_not_fit_the_scheme() -> None:
    given: dict[str, Any] = {"predictions": [["I-PER", "O", "B-LOC"]], "references": [["B-PER", "O", "B-LOC"]]}
    assert Seqeval().compute(**given)["overall_recall"] == 1
    assert Seqeval().compute(**given, mode="strict", scheme="IOB2")["overall_recall"] == 0.5
    assert Seqeval().compute(**given, mode="strict")["overall_recall"] == 0.5


def test_strict_mode_detects_the_scheme_of_the_reference() -> None:
    # In IOB1 all of these fit, and that is what they are; but seqeval takes B and I for IOB2.
    tags = [["I-PER", "B-PER", "I-PER"]]
    assert Seqeval().compute(predictions=tags, references=tags, mode="strict")["PER"]["number"] == 1
    assert Seqeval().compute(predictions=tags, references=tags, mode="strict", scheme="IOB1")["PER"]["number"] == 2


def test_letters_of_no_scheme_are_refused_in_strict_mode() -> None:
    with pytest.raises(UsageError, match="by the letters I: name it"):
        Seqeval().compute(predictions=[["I-PER"]], references=[["I-PER"]], mode="strict")
    with pytest.raises(UsageError, match="by the letters O: name it"):
        Seqeval().compute(predictions=[["B-PER"]], references=[["O"]], mode="strict")


def test_a_scheme_without_strict_mode_gives_a_warning() -> None:
    given: dict[str, Any] = {"predictions": [["I-PER", "O"]], "references": [["B-PER", "O"]]}
    with pytest.warns(UserWarning, match="has no effect without mode='strict'") as caught:
        found = Seqeval().compute(**given, scheme="IOB2")
    assert found["overall_f1"] == 1
    assert caught[0].filename == __file__


@pytest.mark.parametrize(("zero_division", "expected"), [("warn", 0), (0, 0), (1, 1)])
def test_zero_division_option_sets_undefined_scores(zero_division: Any, expected: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = Seqeval().compute(predictions=[["O"]], references=[["O"]], zero_division=zero_division)
    assert found == {
        "overall_precision": expected,
        "overall_recall": expected,
        "overall_f1": expected,
        "overall_accuracy": 1,
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "strickt"}, "Unknown mode 'strickt'; did you mean strict"),
        ({"mode": "strict", "scheme": "iob2"}, "Unknown scheme 'iob2'; did you mean IOB2\\? Choose from .*IOB2"),
        ({"mode": "strict", "scheme": "IOE1"}, "ioe1"),
        ({"sample_weight": [1, 2]}, "sample_weight has no effect"),
        ({"zero_division": 0.5}, "zero_division must be .*got 0.5"),
        ({"zero_division": math.nan}, "zero_division must be .*got nan"),
        ({"zero_division": True}, "zero_division must be .*got True"),
    ],
)
def test_options_that_the_metric_does_not_have_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Seqeval().compute(predictions=PREDICTIONS, references=REFERENCES, **options)


@pytest.mark.parametrize(
    ("prediction", "reference", "message"),
    [
        (["B-PER"], ["B-PER"], "prediction is a flat list of strings"),
        ("B-PER", [["B-PER"]], "prediction must be a list of documents, got str"),
        ([["B-PER"], "B-PER"], [["B-PER"], ["B-PER"]], r"prediction\[1\]: 'B-PER' is of type str"),
        ([["B-PER"]], [None], r"reference\[0\]: None is of type NoneType"),
    ],
)
def test_tags_where_documents_should_be_are_not_taken_apart(prediction: Any, reference: Any, message: str) -> None:
    metric = Seqeval()
    with pytest.raises((UsageError, DataError), match=message):
        metric.add_batch(predictions=prediction, references=reference)
    assert metric.compute(predictions=PREDICTIONS, references=REFERENCES)["overall_f1"] == 0.5


def test_errors_say_where_and_what() -> None:
    with pytest.raises(MismatchError, match=r"prediction\[0\].*\n.*\n.*\n.*one predicted tag for each"):
        Seqeval().compute(predictions=[["O"]], references=[["O", "O"]])
    with pytest.raises(DataError, match=r"prediction\[0\]\[1\]: a tag is a string, but 3"):
        Seqeval().compute(predictions=[["O", 3]], references=[["O", "O"]])  # type: ignore[list-item]
    with pytest.raises(TagError, match=r"reference\[0\]\[0\]: unknown tag 'ADJ'"):
        Seqeval().compute(predictions=[["O"]], references=[["ADJ"]], mode="strict", scheme="IOB2")


def test_evaluate_combines_it_with_other_metrics() -> None:
    evaluate = pytest.importorskip("evaluate")
    expected = Seqeval().compute(predictions=PREDICTIONS, references=REFERENCES)
    combined = evaluate.combine([Seqeval()])
    assert combined.compute(predictions=PREDICTIONS, references=REFERENCES) == expected
    for predicted, reference in zip(PREDICTIONS, REFERENCES, strict=True):
        combined.add(prediction=predicted, reference=reference)
    assert combined.compute() == expected
    prefixed = evaluate.combine([Seqeval()], force_prefix=True)
    prefixed.add_batch(predictions=PREDICTIONS, references=REFERENCES)
    assert prefixed.compute() == {f"seqeval_{name}": value for name, value in expected.items()}


def test_document_is_added_by_the_names_that_combine_uses() -> None:
    metric = Seqeval()
    assert metric.name == "seqeval"
    both = dict(zip(metric._feature_names(), (PREDICTIONS[0], REFERENCES[0]), strict=True))
    metric.add(**both)
    assert metric.compute() == Seqeval().compute(predictions=PREDICTIONS[:1], references=REFERENCES[:1])
    with pytest.raises(UsageError, match="add needs prediction and reference"):
        metric.add(predictions=PREDICTIONS[0])
