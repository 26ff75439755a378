"""Slices of spans, beside a second implementation that looks at one event at a time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
import pytest
from entities import Entities, Event, Span, corpora, events, span_pairs
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import UsageError
from isogloss.kernel.counts import Counts
from isogloss.kernel.findings import Mark
from isogloss.kernel.scores import ScoreKey
from isogloss.kernel.sums import Sums
from isogloss.kernel.tally import Tally
from isogloss.runs.evidence import TallyEvidence
from isogloss.spans.batches import SpanPairs
from isogloss.tasks.ner.metric import NamedEntities
from isogloss.tasks.ner.span_slices import (
    CHARACTER_CLASSES,
    FREQUENCY_CLASSES,
    TOKEN_CLASSES,
    SeenInTraining,
    SlicedEntities,
    SpanLength,
    name_size_class,
)

WORDS = 12
TRAINED = Entities(((0, 1, "PER"), (1, 3, "LOC"), (1, 3, "ORG"), (4, 5, "U.S.")))
COLUMNS = ("entity_length", "label_frequency", "seen")
CREDIT = {  # schema: what a pair with (same bounds, same label) is worth
    "strict": {(True, True): 1.0},
    "exact": {(True, True): 1.0, (True, False): 1.0},
    "partial": {(True, True): 1.0, (True, False): 1.0, (False, True): 0.5, (False, False): 0.5},
    "type": {(True, True): 1.0, (False, True): 1.0},
}


def training() -> list[SpanPairs]:
    return [span_pairs([TRAINED], words=WORDS)]


def metric() -> SlicedEntities:
    length, seen = SpanLength(TOKEN_CLASSES), SeenInTraining.from_training(training())
    columns = {
        "entity_length": length.names,
        "label_frequency": [name for name, _ in FREQUENCY_CLASSES],
        "seen": seen.names,
    }
    return SlicedEntities(NamedEntities(), columns, {"entity_length": length, "seen": seen})


def value(span: Span, column: str, frequency: Counter[str]) -> str:
    """The value of a span, by looking."""
    start, end, label = span
    if column == "entity_length":
        return str(end - start) if end - start < 5 else "5+"
    if column == "label_frequency":
        return "0" if frequency[label] == 0 else "1-10" if frequency[label] <= 10 else "11-100"
    labels = {other for low, high, other in TRAINED.reference if (low, high) == (start, end)}
    return "unseen" if not labels else "seen" if label in labels else "other_label"


def naive(corpus: Sequence[Entities]) -> dict[ScoreKey, float]:
    """Credit, spans and documents of every slice."""
    frequency = Counter(label for document in corpus for *_, label in document.reference)
    found: dict[ScoreKey, float] = defaultdict(float)
    for document in corpus:
        for column in COLUMNS:
            seen = set()
            for event in events(document):
                for side, span in zip(("recall", "precision"), event, strict=True):
                    if span is not None:
                        own = value(span, column, frequency)
                        seen.add(own)
                        for schema in CREDIT:
                            found[column, own, schema, side, "spans"] += 1
                            found[column, own, schema, side, "credit"] += credit(event, schema)
            for own in seen:
                found[column, own, "documents"] += 1
    return dict(found)


def credit(event: Event, schema: str) -> float:
    reference, predicted = event
    if reference is None or predicted is None:
        return 0.0
    return CREDIT[schema].get((reference[:2] == predicted[:2], reference[2] == predicted[2]), 0.0)


def counted(own: SlicedEntities, batches: Sequence[SpanPairs]) -> tuple[SlicedEntities, Tally]:
    tally = Tally.from_counts(Counts.merge([own.count(batch) for batch in batches]))
    return own.with_frequency(tally.sum_all()), tally


def numbers_of(batches: Sequence[SpanPairs]) -> dict[ScoreKey, float]:
    own, tally = counted(metric(), batches)
    return {key: float(number) for key, number in TallyEvidence(own, tally).numbers.items()}


@given(corpora)
def test_slices_are_those_of_looking_at_single_events(corpus: Sequence[Entities]) -> None:
    numbers = numbers_of([span_pairs(corpus, words=WORDS, tokens=True)])
    expected = naive(corpus)
    sliced = {key[1:3] for key in numbers if key[0] == "slices"}
    assert sliced == {key[:2] for key in expected}
    for column, own in sliced:
        assert numbers["slices", column, own, "documents"] == expected[column, own, "documents"]
        for schema in CREDIT:
            place = ("slices", column, own, schema)
            for side, name in (("recall", "possible"), ("precision", "actual")):
                spans = expected.get((column, own, schema, side, "spans"), 0)
                right = expected.get((column, own, schema, side, "credit"), 0)
                assert numbers[(*place, name)] == spans
                assert np.array_equal(numbers[(*place, side)], right / spans if spans else np.nan, equal_nan=True)


@given(corpora)
def test_the_slices_of_a_column_add_up_to_the_whole(corpus: Sequence[Entities]) -> None:
    numbers = numbers_of([span_pairs(corpus, words=WORDS)])
    for column in COLUMNS:
        values = {key[2] for key in numbers if key[:2] == ("slices", column)}
        for schema in CREDIT:
            for name in ("possible", "actual", "missed", "spurious"):
                parts = sum(numbers["slices", column, own, schema, name] for own in values)
                assert parts == numbers[schema, name]
            for side in ("reference", "predicted"):
                parts = sum(numbers["slices", column, own, schema, f"correct_{side}"] for own in values)
                assert parts == numbers[schema, "correct"]


@given(corpora)
def test_what_is_no_slice_is_scored_as_without_them(corpus: Sequence[Entities]) -> None:
    batch = span_pairs(corpus, words=WORDS, tokens=True)
    plain, sums = NamedEntities(), Tally.from_counts(NamedEntities().count(batch)).sum_all()
    own, tally = counted(metric(), [batch])
    scores = {key: number for key, number in own.score(tally.sum_all()).items() if key[0] != "slices"}
    assert {key: float(v) for key, v in scores.items() if not np.isnan(v)} == {
        key: float(v) for key, v in plain.score(sums).items() if not np.isnan(v)
    }
    assert own.confusion(tally.sum_all()) == plain.confusion(sums)


@given(corpora, st.randoms(use_true_random=False), st.integers(1, 4))
def test_order_and_batches_change_no_slice(corpus: Sequence[Entities], random: object, size: int) -> None:
    order = list(range(len(corpus)))
    random.shuffle(order)  # type: ignore[attr-defined]
    pieces = [np.array(order[low : low + size]) for low in range(0, len(order), size)] or [np.zeros(0, np.int64)]
    whole = numbers_of([span_pairs(corpus, words=WORDS)])
    pieced = numbers_of([span_pairs(corpus, piece, words=WORDS) for piece in pieces])
    assert whole.keys() == pieced.keys()
    assert all(np.array_equal(whole[key], pieced[key], equal_nan=True) for key in whole)


@given(corpora)
def test_scores_of_several_sums_are_those_of_each(corpus: Sequence[Entities]) -> None:
    own, tally = counted(metric(), [span_pairs(corpus, words=WORDS)])
    total = tally.sum_all()
    twice = Sums(
        total.parts,
        total.columns,
        total.cells,
        np.stack([total.values, 3 * total.values]),
        total.measures,
        np.stack([total.measured, total.measured]),
    )
    once = own.score(total)
    both = own.score(twice)
    assert once.keys() == both.keys()
    assert all(np.array_equal(both[key][0], once[key], equal_nan=True) for key in once)
    assert all(both[key][1] == 3 * once[key] for key in once if key[-1] in {"possible", "actual", "missed"})


def test_lengths_have_classes_in_tokens_and_in_characters() -> None:
    for length, tokens, characters in [
        (1, "1", "1-5"),
        (4, "4", "1-5"),
        (5, "5+", "1-5"),
        (6, "5+", "6-10"),
        (50, "5+", "21-50"),
        (51, "5+", ">50"),
    ]:
        mark = Mark("reference", "PER", 3, 3 + length)
        assert SpanLength(TOKEN_CLASSES).classify_mark(mark, None) == tokens
        assert SpanLength(CHARACTER_CLASSES).classify_mark(mark, None) == characters


def test_frequencies_have_classes() -> None:
    for number, name in [(0, "0"), (1, "1-10"), (10, "1-10"), (11, "11-100"), (1000, "101-1000"), (1001, ">1000")]:
        assert name_size_class(number, FREQUENCY_CLASSES) == name


def test_seen_slice_refuses_spans_without_a_text() -> None:
    with pytest.raises(UsageError, match="has no text"):
        SeenInTraining.from_training([span_pairs([TRAINED])])


def test_names_are_compared_but_for_the_kind_of_white_space() -> None:
    seen = SeenInTraining({"New York": frozenset({"LOC"})})
    said = [seen.classify_mark(Mark("reference", label, 0, 2, 4, 14), "the New \n York") for label in ("LOC", "ORG")]
    assert said == ["seen", "other_label"]
