"""The profile `spacy` of classification against spaCy's own scorer. Tested with 3.8.18."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from isogloss import classification

spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
Doc = pytest.importorskip("spacy.tokens").Doc
Example = pytest.importorskip("spacy.training").Example
Scorer = pytest.importorskip("spacy.scorer").Scorer

pytestmark = pytest.mark.parity

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "classification"
LABELS = ("d", "a", "c", "b")
VOCABULARY = spacy.blank("xx").vocab
Cats = Mapping[str, float]


def theirs(gold: Sequence[Cats], scores: Sequence[Cats], labels: list[str], **options: Any) -> dict[str, Any]:
    examples = []
    for own, given in zip(gold, scores, strict=True):
        reference, predicted = Doc(VOCABULARY, words=["x"]), Doc(VOCABULARY, words=["x"])
        reference.cats, predicted.cats = dict(own), dict(given)
        examples.append(Example(predicted, reference))
    result: dict[str, Any] = Scorer.score_cats(examples, "cats", labels=labels, **options)
    return result


def same(ours: Any, others: Any, place: str = "") -> None:
    """Keys in the same order, and the same values to rounding."""
    if isinstance(others, Mapping):
        assert list(ours) == list(others), place
        for key in others:
            same(ours[key], others[key], f"{place}.{key}")
    elif isinstance(others, float):
        assert ours == pytest.approx(others, rel=1e-13, abs=1e-15), place
    else:
        assert ours == others, place


def cats_of(gold: Any, scores: Any, **options: Any) -> dict[str, Any]:
    document = classification(gold, scores, profile="spacy", **options).to_dict()
    return {key: value for key, value in document.items() if key.startswith("cats_")}


@pytest.mark.parametrize("name", ["wisesight-sentiment", "goemotions"])
def test_real_files_have_keys_and_values_of_spacy(name: str) -> None:
    path = DATA / f"{name}.jsonl"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    labels = list(rows[0]["scores"])
    gold = [
        {label: float(label in ([g] if isinstance(g := row["gold"], str) else g)) for label in labels} for row in rows
    ]
    expected = theirs(gold, [row["scores"] for row in rows], labels, multi_label=isinstance(rows[0]["gold"], list))
    same(cats_of(path, None), expected)


def random_scores(generator: random.Random, labels: tuple[str, ...]) -> dict[str, float]:
    return {label: round(generator.random(), 1) for label in labels}


def test_exclusive_labels_with_ties_and_labels_without_documents() -> None:
    for seed in range(20):
        generator = random.Random(seed)
        scores = [random_scores(generator, LABELS) for _ in range(12)]
        gold = [generator.choice(LABELS[: generator.randint(1, 4)]) for _ in scores]
        expected = theirs([{label: 1.0} for label in gold], scores, list(LABELS), multi_label=False)
        same(cats_of(gold, scores), expected)


def test_labels_without_gold_or_score() -> None:
    for seed in range(20):
        generator = random.Random(seed)
        scores = [random_scores(generator, LABELS)]
        scores += [
            {label: score for label, score in random_scores(generator, LABELS).items() if generator.random() < 0.8}
            for _ in range(11)
        ]
        gold = [{k: float(generator.random() < 0.3) for k in LABELS if generator.random() < 0.9} for _ in scores]
        for threshold in (0.5, 0.3):
            expected = theirs(gold, scores, list(LABELS), multi_label=True, threshold=threshold)
            same(cats_of(gold, scores, threshold=threshold), expected)


@pytest.mark.parametrize("positive", ["yes", "no", None])
def test_the_score_of_two_labels_is_the_f_of_the_positive_one(positive: str | None) -> None:
    scores = [{"yes": 0.7, "no": 0.3}, {"yes": 0.6, "no": 0.4}, {"yes": 0.2, "no": 0.8}]
    gold = ["yes", "no", "no"]
    expected = theirs(
        [{label: 1.0} for label in gold], scores, ["yes", "no"], multi_label=False, positive_label=positive
    )
    same(cats_of(gold, scores, positive_label=positive), expected)


def test_labels_without_scores_are_left_out() -> None:
    scores = [{"a": 0.7, "b": 0.3}, {"a": 0.4, "b": 0.6}, {"a": 0.1, "b": 0.9}]
    gold = [{"a": 1.0, "x": 1.0}, {"a": 0.0, "b": 1.0}, {"b": 0.0, "x": 1.0}]
    same(cats_of(gold, scores), theirs(gold, scores, ["a", "b"], multi_label=True))
    assert cats_of(["a", "x", "b"], scores)["cats_f_per_type"].keys() == {"a", "b"}


def test_labels_without_documents_divide_as_in_spacy() -> None:
    scores = [{"a": 0.9, "b": 0.1}, {"a": 0.2, "b": 0.1}]
    gold = [{"a": 1.0, "b": 0.0}, {"a": 0.0, "b": 0.0}]
    assert theirs(gold, scores, ["a", "b"], multi_label=True)["cats_macro_auc"] == 0.5
    assert cats_of(gold, scores)["cats_macro_auc"] == 0.5
    assert classification(gold, scores).scores["roc_auc"].macro == 1.0


def test_spacy_fails_on_documents_without_scores() -> None:
    with pytest.raises(IndexError):
        theirs([{"a": 1.0}, {"b": 1.0}], [{"a": 0.9, "b": 0.1}, {}], ["a", "b"], multi_label=False)
    found = cats_of(["a", "b"], [{"a": 0.9, "b": 0.1}, {}])
    assert found["cats_f_per_type"] == {"a": {"p": 1.0, "r": 1.0, "f": 1.0}, "b": {"p": 0.0, "r": 0.0, "f": 0.0}}
    assert found["cats_micro_r"] == 0.5
