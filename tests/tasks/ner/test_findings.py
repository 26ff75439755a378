from __future__ import annotations

from collections import Counter

import entities
import numpy as np
from entities import Entities, Event, Span, corpora, span_pairs
from hypothesis import given

from isogloss.kernel.findings import Finding, Mark
from isogloss.spans.batches import SpanPairs, Spans
from isogloss.tasks.ner.findings import EVENT_KINDS, SpanEvents, find_span_errors

SIX = Entities(
    reference=((0, 2, "PER"), (3, 5, "ORG"), (6, 8, "LOC"), (9, 11, "PER"), (12, 13, "ORG")),
    predicted=((0, 2, "PER"), (3, 5, "LOC"), (6, 7, "LOC"), (10, 12, "LOC"), (14, 15, "PER")),
)
KINDS_OF_SIX = ["correct", "wrong_type", "wrong_boundary", "wrong_type_and_boundary", "missed", "spurious"]


def span(batch: SpanPairs, side: Spans, at: int) -> Span | None:
    return None if at < 0 else (int(side.start[at]), int(side.end[at]), batch.labels[side.label[at]])


def listed(batch: SpanPairs) -> list[tuple[int, Event, str]]:
    """Document, spans and kind of each event."""
    found = SpanEvents.from_batch(batch)
    rows = zip(
        found.row.tolist(), found.reference.tolist(), found.predicted.tolist(), found.classify().tolist(), strict=True
    )
    return [
        (row, (span(batch, batch.reference, r), span(batch, batch.predicted, p)), EVENT_KINDS[k])
        for row, r, p, k in rows
    ]


def naive_kind(event: Event) -> str:
    reference, predicted = event
    if predicted is None:
        return "missed"
    if reference is None:
        return "spurious"
    if reference[:2] == predicted[:2]:
        return "correct" if reference[2] == predicted[2] else "wrong_type"
    return "wrong_boundary" if reference[2] == predicted[2] else "wrong_type_and_boundary"


def test_the_six_kinds_are_the_six_scenarios_of_semeval_2013() -> None:
    assert [kind for _, _, kind in listed(span_pairs([SIX]))] == KINDS_OF_SIX


@given(corpora)
def test_events_are_those_of_the_best_pairing_of_each_document(corpus: list[Entities]) -> None:
    expected = [(row, e, naive_kind(e)) for row, document in enumerate(corpus) for e in entities.events(document)]
    assert Counter(listed(span_pairs(corpus))) == Counter(expected)


@given(corpora)
def test_every_span_is_in_one_event(corpus: list[Entities]) -> None:
    batch = span_pairs(corpus)
    found = SpanEvents.from_batch(batch)
    for side, taken in ((batch.reference, found.reference), (batch.predicted, found.predicted)):
        assert sorted(taken[taken >= 0].tolist()) == list(range(len(side)))


@given(corpora)
def test_labels_of_events_are_those_of_their_spans(corpus: list[Entities]) -> None:
    batch = span_pairs(corpus)
    found = SpanEvents.from_batch(batch)
    for at, label, side in (
        (found.reference, found.reference_label, batch.reference),
        (found.predicted, found.predicted_label, batch.predicted),
    ):
        expected = [int(side.label[k]) if k >= 0 else -1 for k in at.tolist()]
        assert label.tolist() == expected


def test_no_span_is_no_event() -> None:
    assert listed(span_pairs([Entities(), Entities()])) == []


def test_findings_are_incorrect_events_in_order_of_place() -> None:
    backwards = [Entities(reference=((3, 4, "PER"),), predicted=((5, 6, "PER"), (1, 2, "PER"))), SIX]
    found = find_span_errors(span_pairs(backwards), context=0)
    assert [(finding.document, finding.kind) for finding in found] == [
        ("1", "spurious"),
        ("1", "missed"),
        ("1", "spurious"),
        *(("2", kind) for kind in KINDS_OF_SIX[1:]),
    ]
    assert [finding.marks[0].start for finding in found] == [1, 3, 5, 3, 6, 9, 12, 14]


def test_finding_has_both_spans_and_place_of_predicted_span() -> None:
    found = {finding.kind: finding for finding in find_span_errors(span_pairs([SIX]), context=0)}
    assert found["wrong_boundary"] == Finding(
        "wrong_boundary",
        document="1",
        where="predicted:0:6",
        marks=(Mark("reference", "LOC", 6, 8), Mark("predicted", "LOC", 6, 7)),
    )
    assert (found["missed"].where, found["missed"].marks) == ("reference:0:12", (Mark("reference", "ORG", 12, 13),))
    assert (found["spurious"].where, found["spurious"].marks) == ("predicted:0:14", (Mark("predicted", "PER", 14, 15),))


def test_errors_show_the_words_around_them_where_there_is_a_text() -> None:
    found = {finding.kind: finding for finding in find_span_errors(span_pairs([SIX], words=20), context=1)}
    assert found["wrong_type_and_boundary"].text == "w8 w9 w10 w11 w12"
    assert found["spurious"].text == "w13 w14 w15"


def test_limit_bounds_the_number_of_findings() -> None:
    for limit, number in [(None, 5), (0, 0), (2, 2), (9, 5)]:
        whole = find_span_errors(span_pairs([SIX]), context=0)
        assert find_span_errors(span_pairs([SIX]), context=0, limit=limit) == whole[:number]


@given(corpora)
def test_there_is_one_finding_per_event_that_is_not_correct(corpus: list[Entities]) -> None:
    expected = Counter(naive_kind(event) for document in corpus for event in entities.events(document))
    del expected["correct"]
    assert Counter(finding.kind for finding in find_span_errors(span_pairs(corpus), context=1)) == expected


def test_the_numbers_of_documents_are_not_their_positions() -> None:
    found = find_span_errors(span_pairs([Entities(), SIX, SIX], np.array([2])), context=0, limit=1)
    assert found[0].document == "3"
