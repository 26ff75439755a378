"""What holds of the classification of any documents."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss import classification
from isogloss.runs.run import Run

LABELS = ("a", "b", "c")
label = st.sampled_from(LABELS)
score = st.integers(0, 5).map(lambda k: k / 5)


@dataclass(frozen=True)
class Corpus:
    """Documents: what they are, and what a system says."""

    gold: list[Any]
    scores: list[dict[str, float]]

    def at(self, order: list[int]) -> Corpus:
        return Corpus([self.gold[k] for k in order], [self.scores[k] for k in order])

    def run(self, **options: Any) -> Run:
        return classification(self.gold, self.scores, **options)


full = st.fixed_dictionaries(dict.fromkeys(LABELS, score))
some = st.dictionaries(label, score)


@st.composite
def corpora(draw: st.DrawFn, *, several: bool | None = None) -> Corpus:
    """Up to a dozen documents of one kind of gold, with scores of all labels or of some."""
    several = draw(st.booleans()) if several is None else several
    gold = st.lists(label, max_size=3, unique=True) if several else label
    rows = draw(st.lists(st.tuples(gold, st.one_of(full, some)), min_size=1, max_size=12))
    return Corpus([own for own, _ in rows], [dict(given) for _, given in rows])


def numbers(run: Run) -> dict[str, Any]:
    document = run.to_dict()
    return {key: document.get(key) for key in ("scores", "by_label", "macro", "weighted", "confusion", "findings")}


@given(corpora(), st.randoms(use_true_random=False))
def test_order_of_documents_changes_no_number(corpus: Corpus, random: Any) -> None:
    order = list(range(len(corpus.gold)))
    random.shuffle(order)
    one, two = corpus.run(), corpus.at(order).run()
    assert close(numbers(two), numbers(one))


@given(corpora(), st.randoms(use_true_random=False))
def test_the_order_of_labels_in_a_row_changes_nothing(corpus: Corpus, random: Any) -> None:
    shuffled = [dict(random.sample(sorted(row.items()), len(row))) for row in corpus.scores]
    assert close(numbers(Corpus(corpus.gold, shuffled).run()), numbers(corpus.run()))


@given(corpora(), st.integers(1, 5))
def test_blocks_of_any_size_give_the_same_numbers(corpus: Corpus, size: int) -> None:
    expected = numbers(corpus.run())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("isogloss.tasks.classification.inputs.BLOCK", size)
        patch.setattr("isogloss.tasks.classification.reading.BLOCK", size)
        assert numbers(corpus.run()) == expected


@given(corpora())
def test_counts_of_a_label_add_up_to_the_documents(corpus: Corpus) -> None:
    run = corpus.run()
    for of_label in run.by_label.values():
        own = of_label["label"]
        assert own.tp + own.fp + own.fn + own.tn == len(corpus.gold)
        assert own.support == own.tp + own.fn


@given(corpora())
def test_every_defined_ratio_is_between_0_and_1(corpus: Corpus) -> None:
    rows = corpus.run().to_rows()
    ratios = [row["value"] for row in rows if isinstance(row["value"], float)]
    assert all(0 <= value <= 1 for value in ratios)


@given(corpora(several=True))
def test_the_micro_counts_are_those_of_all_labels(corpus: Corpus) -> None:
    run = corpus.run()
    tp, fp, fn = (sum(of["label"][name] for of in run.by_label.values()) for name in ("tp", "fp", "fn"))
    assert run.kinds == {"correct": tp, "missed": fn, "spurious": fp}


@given(corpora(several=False))
def test_confusion_of_exclusive_labels_counts_documents_once(corpus: Corpus) -> None:
    run = corpus.run()
    assert sum(run.confusion.values()) == len(corpus.gold)
    for own in set(corpus.gold):
        support = run.by_label[own]["label"].support
        assert sum(n for (reference, _), n in run.confusion.items() if reference == own) == support


@given(st.lists(label, min_size=1, max_size=12))
def test_a_perfect_prediction_scores_1(gold: list[str]) -> None:
    run = classification(gold, [{name: float(name == own) for name in LABELS} for own in gold])
    defined = [row["value"] for row in run.to_rows() if row["score"].endswith(("f1", "accuracy", "roc_auc.macro"))]
    assert set(defined) <= {1.0, None}
    assert run.scores["overall"].accuracy == 1


@given(st.lists(st.tuples(label, label), min_size=1, max_size=12))
def test_swapping_the_sides_swaps_precision_and_recall(pairs: list[tuple[str, str]]) -> None:
    gold, given_labels = [own for own, _ in pairs], [other for _, other in pairs]
    one, two = classification(gold, given_labels), classification(given_labels, gold)
    for name in one.by_label:
        here, there = one.by_label[name]["label"], two.by_label[name]["label"]
        assert [here.precision, here.f1] == pytest.approx([there.recall, there.f1], nan_ok=True)
    assert one.confusion == {(b, a): n for (a, b), n in two.confusion.items()}


@given(corpora(several=True))
def test_negative_scores_turn_the_areas_around(corpus: Corpus) -> None:
    gold, scores = corpus.gold, [{name: row.get(name, 0.5) for name in LABELS} for row in corpus.scores]
    one = classification(gold, scores)
    two = classification(gold, [{name: -value for name, value in row.items()} for row in scores])
    assert two.scores["roc_auc"].macro == pytest.approx(1 - one.scores["roc_auc"].macro, nan_ok=True)
    assert two.scores["roc_auc"].micro == pytest.approx(1 - one.scores["roc_auc"].micro, nan_ok=True)


@settings(max_examples=25)
@given(corpora(several=True))
def test_the_areas_depend_on_the_order_of_scores_alone(corpus: Corpus) -> None:
    stretched = [{name: math.exp(9 * value) for name, value in row.items()} for row in corpus.scores]
    one, two = corpus.run(), Corpus(corpus.gold, stretched).run()
    assert {name: of["ranking"] for name, of in two.by_label.items()}.keys() == set(one.by_label)
    assert close(two.to_dict()["scores"]["roc_auc"], one.to_dict()["scores"]["roc_auc"])


def close(one: Any, two: Any) -> bool:
    """Equal keys in any order and equal numbers but for rounding; lists in their order."""
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(close(one[key], two[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(two) and all(map(close, one, two))
    if isinstance(one, float) and isinstance(two, float):
        return bool(np.isclose(one, two, rtol=1e-12, atol=1e-12))
    return bool(one == two)
