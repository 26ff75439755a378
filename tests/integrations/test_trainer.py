from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import DataError, TagError, UsageError
from isogloss.integrations import compute_metrics

TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
LABELS = np.array([[-100, 1, 2, 0], [-100, 3, -100, 0]])  # two words, a name of two; one word, of two pieces
PREDICTED = np.array([[0, 1, 2, 0], [0, 1, 2, 0]])  # the name; a PER on the LOC
EXPECTED = {"precision": 0.5, "recall": 0.5, "f1": 0.5, "accuracy": 4 / 5}


def logits_of(numbers: Any, labels: int = len(TAGS)) -> Any:
    """Logits whose largest is that of each number; of -100 none is."""
    return np.where(np.arange(labels) == np.asarray(numbers)[..., None], 2.5, -1.0)


def naive(tags: Sequence[str], predictions: Any, labels: Any) -> dict[str, float]:
    """The loop of every training script, and exact spans as sets."""
    found: set[Any] = set()
    expected: set[Any] = set()
    equal = total = 0
    for row, numbers in enumerate(labels):
        kept = [k for k, number in enumerate(numbers) if number != -100]
        reference, predicted = ([tags[side[row][k]] for k in kept] for side in (labels, predictions))
        equal += sum(a == b for a, b in zip(reference, predicted, strict=True))
        total += len(kept)
        expected |= {(row, *span) for span in spans(reference)}
        found |= {(row, *span) for span in spans(predicted)}
    right = len(found & expected)
    precision = right / len(found) if found else 0
    recall = right / len(expected) if expected else 0
    f1 = 2 * right / (len(found) + len(expected)) if found or expected else 0
    figures = {"precision": precision, "recall": recall, "f1": f1}
    return figures | ({"accuracy": equal / total} if total else {})


def spans(tags: Sequence[str]) -> list[tuple[int, int, str]]:
    """Spans of BIO where I after O, or after another label, begins one."""
    result: list[tuple[int, int, str]] = []
    for k, tag in enumerate(tags):
        if tag == "O":
            continue
        letter, label = tag.split("-")
        if letter == "I" and result and result[-1][1:] == (k, label):
            result[-1] = (result[-1][0], k + 1, label)
        else:
            result.append((k, k + 1, label))
    return result


def test_whatever_form_a_trainer_gives_is_scored() -> None:
    for predictions, labels in [
        (PREDICTED, LABELS),
        (logits_of(PREDICTED), LABELS),
        (logits_of(PREDICTED).astype(np.float16), LABELS.astype(np.int32)),
        ((logits_of(PREDICTED), np.zeros((2, 3))), LABELS),
        ((((PREDICTED,), np.zeros(2)), (np.zeros(2),)), (LABELS, np.zeros(2))),
        ([logits_of(PREDICTED[:1, 1:]), logits_of(PREDICTED[1:])], [LABELS[:1, 1:], LABELS[1:]]),
        ([(logits_of(PREDICTED[:1]), (np.zeros(1),)), (logits_of(PREDICTED[1:]),)], [LABELS[:1], LABELS[1:]]),
        (PREDICTED.tolist(), LABELS.tolist()),
        (logits_of(PREDICTED).tolist(), LABELS.tolist()),
    ]:
        assert compute_metrics(TAGS)((predictions, labels)) == EXPECTED


@given(st.integers(0, 6), st.integers(0, 7), st.randoms(use_true_random=False))
def test_arrays_have_the_scores_of_a_loop_over_tokens(sequences: int, length: int, draw: Any) -> None:
    labels = np.array([[draw.randint(-1, 4) for _ in range(length)] for _ in range(sequences)], np.int64)
    labels = np.where(labels < 0, -100, labels).reshape(sequences, length)
    predicted = np.array([[draw.randint(0, 4) for _ in range(length)] for _ in range(sequences)], np.int64)
    predicted = predicted.reshape(sequences, length)
    score = compute_metrics(TAGS)
    if not sequences:
        with pytest.raises(DataError, match="no document"):
            score((predicted, labels))
        return
    assert score((logits_of(predicted), labels)) == pytest.approx(naive(TAGS, predicted, labels), rel=1e-15)


def test_predictions_at_masked_labels_do_not_count() -> None:
    predicted = np.where(LABELS == -100, -100, PREDICTED)
    assert compute_metrics(TAGS)((predicted, LABELS)) == EXPECTED
    assert compute_metrics(TAGS)((np.where(LABELS == -100, 4, PREDICTED), LABELS)) == EXPECTED


def test_batches_counted_one_by_one_score_as_all() -> None:
    score = compute_metrics(TAGS)
    assert score((PREDICTED[:1], LABELS[:1]), compute_result=False) == {}
    assert score((PREDICTED[1:], LABELS[1:]), compute_result=True) == EXPECTED


def test_an_evaluation_knows_nothing_of_the_one_before() -> None:
    score = compute_metrics(TAGS)
    score((PREDICTED, LABELS), compute_result=False)
    with pytest.raises(DataError):
        score((PREDICTED, LABELS[:1]), compute_result=False)
    assert score((PREDICTED, LABELS)) == EXPECTED
    assert score((PREDICTED, LABELS)) == EXPECTED


def test_detail_adds_the_scores_of_each_label_as_floats() -> None:
    found = compute_metrics(TAGS, detail=True)((PREDICTED, LABELS))
    assert {name: found[name] for name in EXPECTED} == EXPECTED
    assert {type(found[name]) for name in EXPECTED} == {float}
    assert {name: value for name, value in found.items() if name.startswith("PER_")} == {
        "PER_precision": 0.5,
        "PER_recall": 1,
        "PER_f1": 2 / 3,
        "PER_number": 1,
    }
    assert found["LOC_recall"] == 0


def test_labels_may_be_those_of_a_models_configuration() -> None:
    assert compute_metrics({1: "B-PER", 0: "O", 2: "I-PER", 3: "B-LOC"})((PREDICTED, LABELS)) == EXPECTED


def test_o_need_not_be_the_first_label_nor_be_one() -> None:
    turned = [*TAGS[1:], "O"]
    number = {tag: k for k, tag in enumerate(turned)}
    labels, predicted = (
        np.array([[number[TAGS[n]] if n >= 0 else n for n in row] for row in side]) for side in (LABELS, PREDICTED)
    )
    assert compute_metrics(turned)((predicted, labels)) == EXPECTED
    found = compute_metrics(["B-PER", "B-LOC"])((np.array([[0, 1]]), np.array([[0, 0]])))
    assert (found["recall"], found["accuracy"]) == (0.5, 0.5)


def test_the_definition_may_be_another() -> None:
    labels, predicted = np.array([[1, 2, 0]]), np.array([[0, 2, 0]])
    assert compute_metrics(TAGS)((predicted, labels))["f1"] == 0
    ours = compute_metrics(TAGS, profile=None, scheme="iob2", labels=["PER"])((predicted, labels))
    assert ours["f1"] == 0
    strict = compute_metrics(TAGS, profile="seqeval-strict", scheme="iob2")((predicted, labels))
    assert strict == {"precision": 0, "recall": 0, "f1": 0, "accuracy": 2 / 3}
    without_accuracy = compute_metrics(TAGS, profile="nervaluate", labels=["PER"])((predicted, labels))
    assert set(without_accuracy) == {"precision", "recall", "f1"}


def test_it_can_be_pickled() -> None:
    score = pickle.loads(pickle.dumps(compute_metrics(TAGS, detail=True)))
    assert score((PREDICTED, LABELS))["f1"] == 0.5


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("O", "got 'O'"),
        ([], "list of different tags"),
        (["O", "O"], "list of different tags"),
        (["O", ""], "list of different tags"),
        (["O", 1], "list of different tags"),
        ({0: "O", 2: "B-PER"}, r"numbers \[0, 2\], but they run from 0"),
    ],
)
def test_what_is_no_list_of_labels_is_refused(labels: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        compute_metrics(labels)


def test_tags_of_a_definition_with_schemes_need_one() -> None:
    with pytest.raises(UsageError, match="name it, such as scheme='iob2'"):
        compute_metrics(TAGS, profile=None)((PREDICTED, LABELS))


@pytest.mark.parametrize("prediction", [None, (PREDICTED,), 3])
def test_what_is_no_prediction_is_refused(prediction: Any) -> None:
    with pytest.raises(UsageError, match="an EvalPrediction or a pair, not"):
        compute_metrics(TAGS)(prediction)


@pytest.mark.parametrize(
    ("predictions", "labels", "message"),
    [
        (PREDICTED, LABELS[:1], r"shape \(2, 4\), but label_ids of \(1, 4\)"),
        (PREDICTED[0], LABELS[0], r"of the shape \(4,\)"),
        (PREDICTED.astype(float), LABELS, r"predictions is an array of float64 of the shape \(2, 4\)"),
        (None, LABELS, "predictions is an array of object"),
        ([PREDICTED], [LABELS, LABELS], "1 batches of predictions, but 2 of labels"),
        (PREDICTED, np.where(LABELS == 3, 5, LABELS), r"label_ids\[1\]\[1\]: 5 is not a label number.*5 labels"),
        (np.where(PREDICTED == 2, -100, PREDICTED), LABELS, r"predictions\[0\]\[2\]: -100 is not a label number"),
        (logits_of(PREDICTED + 5, 9), LABELS, r"predictions\[0\]\[1\]: 6 is not a label number"),
    ],
)
def test_arrays_that_cannot_be_scored_are_refused_with_the_place(predictions: Any, labels: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        compute_metrics(TAGS)((predictions, labels))


def test_invalid_tags_are_located_counting_masked_tokens() -> None:
    score = compute_metrics(TAGS, profile="seqscore", scheme="iob2")
    with pytest.raises(TagError, match=r"predictions\[1\]\[2\]: 'I-LOC' after 'O'"):
        score((np.array([[0, 0, 0], [0, 4, 4]]), np.array([[0, 0, 0], [0, -100, 0]])))
