from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from entities import LABELS, Entities, Event, corpora, events, span_pairs
from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel.counts import Counts
from isogloss.kernel.scores import ScoreKey
from isogloss.kernel.tally import Tally
from isogloss.runs.evidence import TallyEvidence
from isogloss.stats.bootstrap import bootstrap_scores
from isogloss.tasks.ner.metric import NamedEntities

NAN = math.nan
SCHEMAS = ("strict", "exact", "partial", "type")
OUTCOMES = {  # same bounds?, same label? of a pair: strict, exact, partial, type
    (True, True): ("correct", "correct", "correct", "correct"),
    (True, False): ("incorrect", "correct", "correct", "incorrect"),
    (False, True): ("incorrect", "incorrect", "partial", "correct"),
    (False, False): ("incorrect", "incorrect", "partial", "incorrect"),
}
KINDS = {
    (True, True): "correct",
    (True, False): "wrong_type",
    (False, True): "wrong_boundary",
    (False, False): "wrong_type_and_boundary",
}
Numbers = dict[ScoreKey, float]


def agreement(event: Event) -> tuple[bool, bool] | None:
    """Whether bounds and labels of a pair are the same; None for a span alone."""
    reference, predicted = event
    if reference is None or predicted is None:
        return None
    return reference[:2] == predicted[:2], reference[2] == predicted[2]


def outcome(event: Event, schema: str) -> str:
    pair = agreement(event)
    if pair is None:
        return "missed" if event[1] is None else "spurious"
    return OUTCOMES[pair][SCHEMAS.index(schema)]


def kind(event: Event) -> str:
    pair = agreement(event)
    return outcome(event, "strict") if pair is None else KINDS[pair]


class Naive:
    """All scores of a corpus, one event at a time."""

    def __init__(self, corpus: Sequence[Entities], metric: NamedEntities) -> None:
        self.metric = metric
        self.events = [event for document in corpus for event in events(document)]
        self.labels = sorted({span[2] for event in self.events for span in event if span is not None})
        self.f_name = "f1" if metric.beta == 1 else "f"

    def scores(self) -> Numbers:
        result: Numbers = {("findings", name): 0 for name in (*KINDS.values(), "missed", "spurious")}
        for event in self.events:
            result["findings", kind(event)] += 1
        for schema in SCHEMAS:
            result |= {(schema, name): value for name, value in self.overall(schema).items()}
            table = {label: self.of_label(label, schema) for label in self.labels}
            for label, figures in table.items():
                result |= {("by_label", label, schema, name): value for name, value in figures.items()}
            result |= self.means(schema, list(table.values()))
        return result

    def overall(self, schema: str) -> dict[str, float]:
        n = Counter(outcome(event, schema) for event in self.events)
        counts: dict[str, float] = {name: n[name] for name in ("correct", "incorrect", "partial", "missed", "spurious")}
        extra = {} if self.metric.beta == 1 else {"beta": self.metric.beta}
        return self.figures(n, n) | counts | extra

    def of_label(self, label: str, schema: str) -> dict[str, float]:
        reference = Counter(outcome(e, schema) for e in self.events if e[0] is not None and e[0][2] == label)
        predicted = Counter(outcome(e, schema) for e in self.events if e[1] is not None and e[1][2] == label)
        counts: dict[str, float] = {"missed": reference["missed"], "spurious": predicted["spurious"]}
        for name in ("correct", "incorrect", "partial"):
            counts |= {f"{name}_reference": reference[name], f"{name}_predicted": predicted[name]}
        return self.figures(reference, predicted) | counts

    def figures(self, reference: Counter[str], predicted: Counter[str]) -> dict[str, float]:
        possible = sum(reference[name] for name in ("correct", "incorrect", "partial", "missed"))
        actual = sum(predicted[name] for name in ("correct", "incorrect", "partial", "spurious"))
        precision = self.divided(predicted["correct"] + predicted["partial"] / 2, actual)
        recall = self.divided(reference["correct"] + reference["partial"] / 2, possible)
        square = self.metric.beta**2
        if possible + actual == 0:
            f = self.metric.zero_division
        elif min(possible, actual) == 0 or precision == 0 or recall == 0:
            f = 0.0
        else:
            f = (1 + square) * precision * recall / (square * precision + recall)
        return {"precision": precision, "recall": recall, self.f_name: f, "possible": possible, "actual": actual}

    def divided(self, part: float, whole: float) -> float:
        return part / whole if whole else self.metric.zero_division

    def means(self, schema: str, table: list[dict[str, float]]) -> Numbers:
        union = self.metric.macro_over == "union"
        seen = [row for row in table if row["possible"] or (union and row["actual"])]
        result: Numbers = {(group, schema, "labels"): len(seen) for group in ("macro", "weighted")}
        for name in ("precision", "recall", self.f_name):
            defined = [row for row in seen if not math.isnan(row[name])]
            weight = sum(row["possible"] for row in defined)
            total = sum(row[name] * row["possible"] for row in defined)
            result["macro", schema, name] = sum(r[name] for r in defined) / len(defined) if defined else NAN
            result["weighted", schema, name] = total / weight if weight else NAN
            result |= {(group, schema, f"{name}_labels"): len(defined) for group in ("macro", "weighted")}
        return result


def scored(corpus: Sequence[Entities], metric: NamedEntities | None = None, **options: Any) -> dict[ScoreKey, Any]:
    metric = metric or NamedEntities()
    return metric.score(Tally.from_counts(metric.count(span_pairs(corpus, **options))).sum_all())


metrics = st.builds(
    NamedEntities,
    beta=st.sampled_from([1.0, 0.5, 2.0]),
    zero_division=st.sampled_from([NAN, 0.0, 1.0]),
    macro_over=st.sampled_from(["union", "reference"]),
)


@given(corpora, metrics)
def test_all_scores_are_those_of_counting_events_one_at_a_time(corpus: list[Entities], metric: NamedEntities) -> None:
    found, expected = scored(corpus, metric), Naive(corpus, metric).scores()
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, rel=1e-12, nan_ok=True), key


@given(corpora, st.data())
def test_batches_with_own_vocabularies_give_the_same_counts(corpus: list[Entities], data: st.DataObject) -> None:
    order = np.array(data.draw(st.permutations(range(len(corpus)))))
    batches = np.split(order, sorted(data.draw(st.lists(st.integers(0, len(corpus)), max_size=3))))
    unused = data.draw(st.lists(st.sampled_from((*LABELS, "A", "Z")), min_size=len(batches), max_size=len(batches)))
    count = NamedEntities().count
    merged = Counts.merge(
        count(span_pairs(corpus, at, tokens=True, unused=[label])) for at, label in zip(batches, unused, strict=True)
    )
    whole, arrived = Tally.from_counts(count(span_pairs(corpus, tokens=True))), Tally.from_counts(merged)
    one, two = (bootstrap_scores(tally, NamedEntities().score, 10) for tally in (whole, arrived))
    assert {key: value.tobytes() for key, value in one.items()} == {key: v.tobytes() for key, v in two.items()}


@given(corpora, metrics)
def test_a_resample_has_leading_axes_and_nothing_else(corpus: list[Entities], metric: NamedEntities) -> None:
    tally = Tally.from_counts(metric.count(span_pairs(corpus, tokens=True)))
    single = metric.score(tally.sum_all())
    stacked = metric.score(tally.build_summer().sum_documents(np.stack([tally.times, 0 * tally.times, tally.times])))
    assert stacked.keys() == single.keys()
    for key, value in single.items():
        assert stacked[key].shape == (3,)
        assert stacked[key].dtype == value.dtype
        np.testing.assert_array_equal(stacked[key][[0, 2]], [value, value])


@given(corpora)
def test_possible_counts_reference_and_actual_predicted_spans(corpus: list[Entities]) -> None:
    found = scored(corpus)
    for schema in SCHEMAS:
        assert found[schema, "possible"] == sum(len(document.reference) for document in corpus)
        assert found[schema, "actual"] == sum(len(document.predicted) for document in corpus)


@given(corpora)
@pytest.mark.parametrize(
    ("overall", "of_label"),
    [
        ("possible", "possible"),
        ("actual", "actual"),
        ("missed", "missed"),
        ("spurious", "spurious"),
        *(
            (name, f"{name}_{side}")
            for name in ("correct", "incorrect", "partial")
            for side in ("reference", "predicted")
        ),
    ],
)
def test_label_counts_of_a_side_add_up_to_overall_counts(overall: str, of_label: str, corpus: list[Entities]) -> None:
    found = scored(corpus)
    for schema in SCHEMAS:
        of_labels = [value for key, value in found.items() if key[0] == "by_label" and key[2:] == (schema, of_label)]
        assert found[schema, overall] == sum(of_labels)


@given(corpora)
def test_confusion_rows_sum_to_possible_and_columns_to_actual(corpus: list[Entities]) -> None:
    metric = NamedEntities()
    table = metric.confusion(Tally.from_counts(metric.count(span_pairs(corpus, tokens=True))).sum_all())
    pairs = [(e[0] and e[0][2], e[1] and e[1][2]) for document in corpus for e in events(document)]
    assert table == Counter(pairs)
    found = scored(corpus)
    for label in {name for pair in pairs for name in pair if name is not None}:
        row = sum(number for (reference, _), number in table.items() if reference == label)
        column = sum(number for (_, predicted), number in table.items() if predicted == label)
        assert (row, column) == tuple(found["by_label", label, "strict", name] for name in ("possible", "actual"))


@given(corpora)
def test_swapping_sides_swaps_precision_and_recall(corpus: list[Entities]) -> None:
    there, back = scored(corpus), scored([document.swapped() for document in corpus])
    for schema in SCHEMAS:
        for one, two in (("precision", "recall"), ("f1", "f1"), ("possible", "actual"), ("missed", "spurious")):
            np.testing.assert_array_equal(there[schema, one], back[schema, two])


@given(corpora)
def test_a_perfect_prediction_scores_1(corpus: list[Entities]) -> None:
    found = scored([Entities(document.reference, document.reference) for document in corpus])
    expected = 1.0 if any(document.reference for document in corpus) else NAN
    for key, value in found.items():
        if key[-1] in ("precision", "recall", "f1"):
            np.testing.assert_array_equal(value, expected, err_msg=str(key))


@given(corpora)
def test_tokens_with_equal_tags_are_counted_beside_the_spans(corpus: list[Entities]) -> None:
    with_tags, without = scored(corpus, tokens=True), scored(corpus)
    correct, total = sum(document.correct for document in corpus), sum(document.total for document in corpus)
    tokens = {key: value.item() for key, value in with_tags.items() if key[0] == "tokens"}
    expected = {("tokens", "accuracy"): correct / total if total else NAN}
    expected |= {("tokens", "correct"): correct, ("tokens", "total"): total}
    assert tokens == (expected if total else {})
    others = {key: value for key, value in with_tags.items() if key[0] != "tokens"}
    assert others.keys() == without.keys()
    for key, value in without.items():
        np.testing.assert_array_equal(others[key], value)


ONE = Entities(((0, 2, "PER"), (3, 5, "ORG")), ((0, 2, "PER"), (3, 4, "ORG"), (6, 7, "LOC")))


def test_an_example_by_hand() -> None:
    found = {key: value.item() for key, value in scored([ONE]).items()}
    assert (found["strict", "precision"], found["strict", "recall"], found["strict", "f1"]) == (1 / 3, 1 / 2, 2 / 5)
    assert (found["partial", "precision"], found["partial", "recall"], found["partial", "f1"]) == (1 / 2, 3 / 4, 3 / 5)
    assert (found["type", "precision"], found["type", "recall"]) == (2 / 3, 1.0)
    assert (found["by_label", "ORG", "strict", "f1"], found["by_label", "ORG", "type", "f1"]) == (0.0, 1.0)
    assert math.isnan(found["by_label", "LOC", "strict", "recall"])
    assert (found["macro", "strict", "recall"], found["macro", "strict", "recall_labels"]) == (1 / 2, 2)
    assert (found["macro", "strict", "precision"], found["macro", "strict", "precision_labels"]) == (1 / 3, 3)
    assert found["macro", "strict", "labels"] == 3
    assert (found["weighted", "strict", "f1"], found["weighted", "strict", "labels"]) == (1 / 2, 3)


def test_labels_of_the_prediction_alone_may_be_left_out_of_means() -> None:
    found = scored([ONE], NamedEntities(macro_over="reference"))
    assert found["macro", "strict", "precision"] == 1 / 2
    assert found["macro", "strict", "labels"] == 2


def test_zero_division_fills_values_and_decides_no_mean() -> None:
    found = scored([ONE], NamedEntities(zero_division=0.0))
    assert found["by_label", "LOC", "strict", "recall"] == 0.0
    assert (found["macro", "strict", "recall"], found["macro", "strict", "labels"]) == (1 / 3, 3)


@pytest.mark.parametrize(("zero_division", "expected"), [(NAN, NAN), (0.0, 0.0), (1.0, 1.0)])
def test_without_spans_all_ratios_are_what_zero_division_says(zero_division: float, expected: float) -> None:
    found = scored([Entities()], NamedEntities(zero_division=zero_division))
    for schema in SCHEMAS:
        for name in ("precision", "recall", "f1"):
            np.testing.assert_array_equal(found[schema, name], expected)
        assert (found[schema, "possible"], found[schema, "actual"]) == (0, 0)
    assert not [key for key in found if key[0] == "by_label"]


def test_a_span_that_is_predicted_twice_is_two_predictions() -> None:
    found = scored([Entities(((0, 1, "PER"),), ((0, 1, "PER"), (0, 1, "PER")))])
    assert (found["strict", "correct"], found["strict", "spurious"], found["strict", "actual"]) == (1, 1, 2)


def test_f_is_named_with_its_beta_unless_that_is_1() -> None:
    found = scored([ONE], NamedEntities(beta=2.0))
    assert ("strict", "f1") not in found
    assert found["strict", "beta"] == 2.0
    assert found["strict", "f"] == pytest.approx(5 * (1 / 3) * (1 / 2) / (4 / 3 + 1 / 2))


def test_neither_beta_nor_counts_have_spreads_or_intervals() -> None:
    metric = NamedEntities(beta=2.0)
    tagged = replace(ONE, correct=5, total=8)
    known = TallyEvidence(metric, Tally.from_counts(metric.count(span_pairs([tagged], tokens=True))))
    ratios = {f"{schema}.{name}" for schema in SCHEMAS for name in ("precision", "recall", "f")}
    assert set(known.per_document) == ratios | {"tokens.accuracy"}


def test_scores_of_single_documents_are_those_of_a_corpus_of_one() -> None:
    corpus = [ONE, ONE.swapped(), Entities(), Entities(predicted=((0, 1, "PER"),))]
    metric = NamedEntities()
    found = TallyEvidence(metric, Tally.from_counts(metric.count(span_pairs(corpus)))).per_document["strict.f1"]
    assert (found.documents, found.min, found.max) == (3, 0.0, 2 / 5)
    assert found.mean == pytest.approx((2 / 5 + 2 / 5 + 0) / 3)
