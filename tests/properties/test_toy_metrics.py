"""Toy metrics get everything else from the kernel: one suite over all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from corpora import (
    Answers,
    Arrival,
    Corpus,
    Document,
    arrivals,
    batch_of,
    corpora,
    in_clusters,
    random_corpus,
    same,
    seeded,
    widen,
)
from hypothesis import given
from hypothesis import strategies as st
from toy_metrics import Gain, Quality, Share

from isogloss.kernel.counts import Counts
from isogloss.kernel.metric import Metric
from isogloss.kernel.scores import Ints, ScoreKey, Scores
from isogloss.kernel.slices import Attribute, split_by_attribute
from isogloss.kernel.tallied_documents import TalliedDocuments
from isogloss.kernel.tally import Tally
from isogloss.stats.bootstrap import Score, average_document_scores, bootstrap_scores, draw_weights, group_into_units
from isogloss.stats.intervals import compute_document_spreads, compute_percentile_intervals

Numbers = dict[ScoreKey, float]


def naive_share(documents: Corpus) -> Numbers:
    right = [answer.right for document in documents for answer in document.answers]
    share = sum(right) / len(right) if right else math.nan
    return {("overall", "share"): share, ("overall", "right"): sum(right), ("overall", "total"): len(right)}


def naive_quality(documents: Corpus) -> Numbers:
    kinds = sorted({answer.kind or "none" for document in documents for answer in document.answers})
    known = [document.fluency[0] for document in documents if not math.isnan(document.fluency[0])]
    numbers: Numbers = {("fluency", "mean"): math.fsum(known) / len(known) if known else math.nan}
    for place, wanted in [((), kinds), *((("by_label", kind), [kind]) for kind in kinds)]:
        right = [a.right for document in documents for a in document.answers if (a.kind or "none") in wanted]
        numbers[*place, "overall", "share"] = sum(right) / len(right) if right else math.nan
        numbers[*place, "overall", "total"] = len(right)
    return numbers


def naive_gain(naive: Callable[[Corpus], Numbers]) -> Callable[[Corpus], Numbers]:
    def gain(documents: Corpus) -> Numbers:
        baseline, other = naive(documents), naive([as_other(document) for document in documents])
        return {key: other[key] - baseline[key] for key in baseline}

    return gain


def as_other(document: Document) -> Document:
    answers = tuple(replace(answer, right=answer.other) for answer in document.answers)
    return replace(document, answers=answers, fluency=document.fluency[::-1])


@dataclass(frozen=True)
class Toy:
    metric: Metric[Answers]
    sliced: Metric[Answers]
    naive: Callable[[Corpus], Numbers]
    clustered: bool = False

    def units(self, corpus: Corpus) -> list[list[Document]]:
        """What is drawn when documents are resampled: single ones, or all of an author."""
        if not self.clustered:
            return [[document] for document in corpus]
        authors = sorted({document.author for document in corpus})
        return [[document for document in corpus if document.author == author] for author in authors]

    def counts(self, corpus: Corpus, batches: Sequence[Answers] | None = None, numbers: Ints | None = None) -> Counts:
        """Counts of the units of a corpus that arrives in batches."""
        merged = Counts.merge(map(self.metric.count, batches or [batch_of(corpus, numbers=numbers)]))
        return self.in_units(merged, corpus, numbers)

    def in_units(self, counts: Counts, corpus: Corpus, numbers: Ints | None = None) -> Counts:
        return (
            in_clusters(counts, attribute(corpus, "author", numbers).number_clusters(counts.documents))
            if self.clustered
            else counts
        )


TOYS = {
    "ratio": Toy(Share(), Share(sliced=True), naive_share),
    "measure": Toy(Quality(), Quality(sliced=True), naive_quality),
    "clusters": Toy(Quality(), Quality(sliced=True), naive_quality, clustered=True),
    "pair": Toy(Gain(Share()), Gain(Share(sliced=True)), naive_gain(naive_share)),
    "pair with measures": Toy(Gain(Quality()), Gain(Quality(sliced=True)), naive_gain(naive_quality)),
}
toys = pytest.mark.parametrize("toy", TOYS.values(), ids=TOYS)


def attribute(corpus: Corpus, name: str, numbers: Ints | None = None) -> Attribute:
    numbers = np.arange(len(corpus)) if numbers is None else numbers
    return Attribute.build(numbers, [getattr(document, name) for document in corpus])


def agree(scores: Scores, expected: Numbers, at: tuple[int, ...] = ()) -> None:
    """Equal keys and equal numbers, but for the rounding of float additions in another order."""
    assert scores.keys() == expected.keys()
    for key, value in expected.items():
        assert scores[key][at] == pytest.approx(value, rel=1e-12, abs=1e-11, nan_ok=True), key


def bits(scores: Scores) -> dict[ScoreKey, bytes]:
    return {key: value.tobytes() for key, value in scores.items()}


def padded(expected: Numbers, keys: Scores) -> Numbers:
    """Names that only the rest of the corpus has: counts of nothing, and undefined ratios."""
    return {key: expected.get(key, math.nan if value.dtype == np.float64 else 0) for key, value in keys.items()}


@toys
@given(corpus=corpora())
def test_the_total_is_that_of_a_naive_count(toy: Toy, corpus: list[Document]) -> None:
    agree(toy.metric.score(Tally.from_counts(toy.counts(corpus)).sum_all()), toy.naive(corpus))


@toys
@given(corpus=corpora(), arrival=arrivals)
def test_batches_in_any_order_are_the_same_counts(toy: Toy, corpus: list[Document], arrival: Arrival) -> None:
    assert same(toy.counts(corpus, seeded(corpus, arrival)).normalize(), toy.counts(corpus).normalize())


@toys
@given(corpus=corpora(), arrival=arrivals, data=st.data())
def test_neither_arrival_nor_numbers_of_documents_change_a_tally(
    toy: Toy, corpus: list[Document], arrival: Arrival, data: st.DataObject
) -> None:
    numbers = np.array(data.draw(st.permutations(range(len(corpus))))) * 7 - 30
    whole, arrived = (
        Tally.from_counts(toy.counts(corpus)),
        Tally.from_counts(toy.counts(corpus, seeded(corpus, arrival, numbers), numbers)),
    )
    assert same(arrived.rows, whole.rows)
    assert arrived.times.tolist() == whole.times.tolist()


@toys
@given(corpus=corpora(), arrival=arrivals)
def test_tallies_of_batches_merge_to_the_tally_of_the_whole(toy: Toy, corpus: list[Document], arrival: Arrival) -> None:
    counts = toy.counts(corpus)
    batches = [
        counts.select(np.isin(np.arange(len(counts.documents)), at)) for at in arrival.batches(len(counts.documents))
    ]
    merged, whole = Tally.merge(map(Tally.from_counts, batches)), Tally.from_counts(counts)
    assert same(merged.rows, whole.rows)
    assert merged.times.tolist() == whole.times.tolist()


@toys
@given(corpus=corpora(), arrival=arrivals, seed=st.integers(0, 99))
def test_order_of_documents_changes_no_bit_of_intervals(
    toy: Toy, corpus: list[Document], arrival: Arrival, seed: int
) -> None:
    whole, arrived = (Tally.from_counts(c) for c in (toy.counts(corpus), toy.counts(corpus, seeded(corpus, arrival))))
    one, two = (bootstrap_scores(tally, toy.metric.score, 20, seed) for tally in (whole, arrived))
    assert bits(one) == bits(two)
    assert repr(compute_percentile_intervals(one)) == repr(compute_percentile_intervals(two))


@toys
@given(corpus=corpora(min_size=0), arrival=arrivals)
def test_counts_of_no_document_change_nothing(toy: Toy, corpus: list[Document], arrival: Arrival) -> None:
    counts, empty = toy.counts(corpus), toy.counts([])
    assert same(Counts.merge([empty, counts, empty]).normalize(), counts.normalize())
    merged, whole = Tally.merge([Tally.from_counts(empty), Tally.from_counts(counts)]), Tally.from_counts(counts)
    assert same(merged.rows, whole.rows)
    assert merged.times.tolist() == whole.times.tolist()


@toys
def test_no_document_has_scores_but_no_resample(toy: Toy) -> None:
    tally = Tally.from_counts(toy.counts([]))
    agree(toy.metric.score(tally.sum_all()), toy.naive([]))
    assert {values.shape for values in bootstrap_scores(tally, toy.metric.score).values()} == {(0,)}
    assert {spread.documents for spread in compute_document_spreads(tally, toy.metric.overall).values()} == {0}


@toys
@given(corpus=corpora())
def test_a_resample_scores_the_documents_that_were_drawn(toy: Toy, corpus: list[Document]) -> None:
    counts, units = toy.counts(corpus).normalize(), toy.units(corpus)
    tally, kind = Tally.from_counts_with_positions(counts)
    samples = bootstrap_scores(tally, toy.metric.score, 8, seed=3)
    weights = np.concatenate(list(draw_weights(tally.times, 8, seed=3)))
    example = [int(np.flatnonzero(kind == k)[0]) for k in range(len(tally.times))]
    for draw, row in enumerate(weights.tolist()):
        drawn = [document for k, times in zip(example, row, strict=True) for document in units[k] * times]
        agree(samples, padded(toy.naive(drawn), samples), (draw,))


@toys
@given(corpus=corpora())
def test_every_unit_is_scored_by_itself(toy: Toy, corpus: list[Document]) -> None:
    tally, kind = Tally.from_counts_with_positions(toy.counts(corpus))
    (_, sums), *others = tally.iterate_sums()
    assert not others
    scores = toy.metric.score(sums)
    for unit, k in zip(toy.units(corpus), kind.tolist(), strict=True):
        agree(scores, padded(toy.naive(unit), scores), (k,))


@toys
@given(corpus=corpora())
def test_scores_of_single_documents_have_a_spread(toy: Toy, corpus: list[Document]) -> None:
    counts = toy.metric.count(batch_of(corpus))
    spreads_of = compute_document_spreads(Tally.from_counts(counts), toy.metric.overall)
    for key, found in spreads_of.items():
        alone = [toy.naive([document])[key] for document in corpus]
        values = np.array([value for value in alone if not math.isnan(value)])
        assert found.documents == len(values)
        mean, low, high = (values.mean(), values.min(), values.max()) if len(values) else (math.nan,) * 3
        std = values.std(ddof=1) if len(values) > 1 else math.nan
        assert [found.mean, found.std, found.min, found.max] == pytest.approx(
            [mean, std, low, high], rel=1e-9, abs=1e-9, nan_ok=True
        )


@toys
@given(corpus=corpora(), arrival=arrivals)
def test_means_over_documents_are_resampled_in_units(toy: Toy, corpus: list[Document], arrival: Arrival) -> None:
    keys = list(toy.metric.overall(Tally.from_counts(toy.metric.count(batch_of([]))).sum_all()))
    means = mean_of(keys)
    tallies = []
    for batches in ([batch_of(corpus)], seeded(corpus, arrival)):
        documents = TalliedDocuments.from_counts(Counts.merge(map(toy.metric.count, batches)))
        scored = group_into_units(documents, toy.metric.overall).expand()
        tallies.append(Tally.from_counts(toy.in_units(scored, corpus)))
    for key in keys:
        values = [v for document in corpus if not math.isnan(v := toy.naive([document])[key])]
        mean = math.fsum(values) / len(values) if values else math.nan
        found = means(tallies[0].sum_all())["per_document", *key, "mean"]
        assert found == pytest.approx(mean, rel=1e-12, abs=1e-11, nan_ok=True)
    assert bits(bootstrap_scores(tallies[0], means, 10)) == bits(bootstrap_scores(tallies[1], means, 10))


def mean_of(keys: list[ScoreKey]) -> Score:
    return lambda sums: average_document_scores(sums, keys)


@toys
@given(corpus=corpora(), arrival=arrivals)
def test_document_slices_are_corpora_of_their_own_and_add_up(
    toy: Toy, corpus: list[Document], arrival: Arrival
) -> None:
    order = np.concatenate(arrival.batches(len(corpus)))
    languages = Attribute.build(order, attribute(corpus, "language").look_up(order).tolist())
    whole = TalliedDocuments.from_counts(toy.metric.count(batch_of(corpus)))
    slices = split_by_attribute(whole, languages)
    assert sorted(slices) == sorted({document.language for document in corpus})
    for name, part in slices.items():
        chosen = [document for document in corpus if document.language == name]
        tally = Tally.from_counts(toy.in_units(widen(part.expand()), corpus))
        agree(toy.metric.score(tally.sum_all()), toy.naive(chosen))
        alone = Tally.from_counts(toy.counts(chosen))
        assert bits(bootstrap_scores(tally, toy.metric.score, 5)) == bits(bootstrap_scores(alone, toy.metric.score, 5))
        assert same(part.tally.rows, Tally.from_counts(part.expand()).rows)
    assert same(TalliedDocuments.merge([*slices.values()]).expand(), whole.expand())


@toys
@given(corpus=corpora())
def test_sums_split_by_a_part_add_up_to_the_whole(toy: Toy, corpus: list[Document]) -> None:
    sums = Tally.from_counts(toy.in_units(toy.sliced.count(batch_of(corpus)), corpus)).sum_all()
    whole = toy.sliced.score(sums.drop_part("length"))
    agree(whole, toy.naive(corpus))
    parts = {length: toy.sliced.score(part) for length, part in sums.split("length").items()}
    for length in {answer.length for document in corpus for answer in document.answers}:
        chosen = [replace(d, answers=tuple(a for a in d.answers if a.length == length)) for d in corpus]
        agree(parts[length], padded(toy.naive(chosen), whole))
    for key in [key for key, value in whole.items() if value.dtype == np.int64]:
        assert whole[key] == sum(scores[key] for scores in parts.values())


@toys
def test_order_of_documents_changes_no_bit_of_float_sums(toy: Toy) -> None:
    for seed in range(5):
        corpus = random_corpus(seed, 60)
        whole, arrived = (toy.counts(corpus), toy.counts(corpus, seeded(corpus, Arrival(seed))))
        assert same(whole.normalize(), arrived.normalize())
        one, two = (bootstrap_scores(Tally.from_counts(counts), toy.metric.score, 20) for counts in (whole, arrived))
        assert bits(one) == bits(two)
