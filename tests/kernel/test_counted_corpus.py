from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from corpora import Answers, Arrival, Document, arrivals, batch_of, corpora, random_corpus, same, seeded, widen
from hypothesis import given
from hypothesis import strategies as st
from toy_metrics import Quality

from isogloss.errors import DataError
from isogloss.kernel import counted_corpus
from isogloss.kernel.counted_corpus import BatchDescription, count_batches
from isogloss.kernel.counts import Counts
from isogloss.kernel.findings import Finding, Mark
from isogloss.kernel.provenance import RunWarning
from isogloss.kernel.tally import Tally


@pytest.mark.parametrize("held", [1, 3, 2**16])
@given(corpus=corpora(), arrival=arrivals)
def test_batches_of_any_size_give_the_same_tally(
    held: int,
    corpus: list[Document],
    arrival: Arrival,
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counted_corpus, "MAX_HELD_VALUES", held)
        collected = count_batches(iter(seeded(corpus, arrival)), Quality())
    whole = Tally.from_counts(Quality().count(batch_of(corpus)))
    assert same(collected.tally.rows, whole.rows)
    assert collected.tally.times.tolist() == whole.times.tolist()


@pytest.mark.parametrize("held", [1, 40, 2**16])
@given(corpus=corpora(), cuts=st.lists(st.integers(0, 8), max_size=4), named_from=st.integers(0, 9))
def test_kept_documents_are_those_of_all_batches(
    held: int, corpus: list[Document], cuts: list[int], named_from: int
) -> None:
    names = [str(k + 1) if k < named_from else f"id{k}" for k in range(len(corpus))]

    def describe(batch: Answers) -> BatchDescription:
        own = batch.documents.tolist()
        return BatchDescription([names[k] for k in own], {"parity": ["odd" if k % 2 else "even" for k in own]})

    batches = [batch_of(corpus, at) for at in np.split(np.arange(len(corpus)), sorted(cuts))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counted_corpus, "MAX_HELD_VALUES", held)
        patch.setattr(counted_corpus, "NAMES_AT_ONCE", 3)
        kept = count_batches(batches, Quality(), describe=describe).kept_documents
    assert kept is not None
    whole = Quality().count(batch_of(corpus)).normalize()
    assert same(widen(kept.tallied.expand()), whole)
    assert same(kept.tallied.tally.rows, Tally.from_counts(whole).rows)
    assert [name for _, own in kept.iterate_names() for name in own] == names
    assert ("document" in kept.attributes) == (named_from < len(corpus))
    parity = kept.attributes["parity"].look_up(kept.documents).tolist()
    assert parity == ["odd" if k % 2 else "even" for k in range(len(corpus))]


def test_documents_that_do_not_ascend_are_refused_where_they_are_kept() -> None:
    batches = [batch_of(random_corpus(1, 2), np.array([k])) for k in (1, 0)]
    with pytest.raises(ValueError, match="must ascend"):
        count_batches(batches, Quality(), describe=lambda batch: BatchDescription([*map(str, batch.documents)], {}))


@dataclass
class Watched:
    """Count like `Quality` and record the number of documents in each batch."""

    batches: list[int] = field(default_factory=list)

    def count(self, batch: Answers) -> Counts:
        self.batches.append(len(batch.documents))
        return Quality().count(batch)

    score = overall = Quality().score


def test_batches_are_counted_lazily(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, metric, counted_before = random_corpus(1, 6), Watched(), []

    def arriving() -> Iterator[Answers]:
        for k in range(6):
            counted_before.append(len(metric.batches))
            yield batch_of(corpus, np.array([k]))

    count_batches(arriving(), metric)
    assert counted_before == [0, 1, 2, 3, 4, 5]


def test_held_counts_are_bounded_by_distinct_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, held = [random_corpus(1, 1)[0]] * 40, []
    merge = Counts.merge

    def watched(batches: list[Counts]) -> Counts:
        batches = list(batches)
        held.append(sum(len(counts.documents) for counts in batches))
        return merge(batches)

    one = Quality().count(batch_of(corpus, np.array([0])))
    monkeypatch.setattr(counted_corpus, "MAX_HELD_VALUES", 4 * (1 + 2 * len(one.row) + one.values.size))
    monkeypatch.setattr(Counts, "merge", watched)
    collected = count_batches([batch_of(corpus, np.array([k])) for k in range(40)], Quality())
    assert collected.tally.times.tolist() == [40]
    assert max(held) == 4
    assert held.count(4) == 10  # each document is collapsed once, however many batches there are


def test_warnings_of_all_batches_are_merged() -> None:
    corpus = random_corpus(1, 2)
    notices = [RunWarning("a", "Read as another.", 2, "x:1"), RunWarning("a", "Read as another.", 3, "x:7")]
    batches = [replace(batch_of(corpus, np.array([k])), warnings=(notices[k],)) for k in range(2)]
    assert count_batches(batches, Quality()).warnings == (RunWarning("a", "Read as another.", 5, "x:1"),)


def found(batch: Answers, limit: int) -> list[Finding]:
    """Return two findings per document, at most `limit`."""
    numbers = [number for number in batch.documents.tolist() for _ in range(2)]
    marks = (Mark("reference", None, 0, 1),)
    return [Finding("k", str(number), "x:1", marks) for number in numbers[:limit]]


def test_findings_are_the_first_ones_up_to_the_limit() -> None:
    for limit, expected in [
        (None, ["0", "0", "1", "1", "2", "2"]),
        (0, []),
        (1, ["0"]),
        (3, ["0", "0", "1"]),
        (9, list("001122")),
    ]:
        corpus = random_corpus(1, 3)
        batches = [batch_of(corpus, np.array([k])) for k in range(3)]
        collected = count_batches(batches, Quality(), found, limit)
        assert [finding.document for finding in collected.findings] == expected


def test_no_finding_is_searched_beyond_the_limit() -> None:
    asked: list[int] = []

    def finder(batch: Answers, limit: int) -> list[Finding]:
        asked.append(limit)
        return found(batch, limit)

    corpus = random_corpus(1, 3)
    count_batches([batch_of(corpus, np.array([k])) for k in range(3)], Quality(), finder, limit=3)
    assert asked == [3, 1]


def test_no_finding_is_searched_without_a_finder() -> None:
    assert count_batches([batch_of(random_corpus(1, 2))], Quality()).findings == []


@pytest.mark.parametrize("empty", [0, 1, 2])
def test_a_corpus_without_documents_is_an_error(empty: int) -> None:
    with pytest.raises(DataError, match="There is no document to score"):
        count_batches([batch_of([])] * empty, Quality())


def test_an_empty_batch_changes_no_tally() -> None:
    corpus = random_corpus(1, 2)
    collected = count_batches([batch_of([]), batch_of(corpus), batch_of([])], Quality())
    assert collected.tally.documents == 2
