"""The profile `fair`: what Ortmann's evaluation makes of small documents, by hand, and what must always hold."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from entities import Entities, corpora, entities, span_pairs
from fair import KINDS, figures, traditional, types_of
from hypothesis import given
from hypothesis import strategies as st

from isogloss import ner
from isogloss.errors import UsageError
from isogloss.kernel.counted_corpus import count_batches
from isogloss.runs.evidence import TallyEvidence
from isogloss.runs.run import Run
from isogloss.tasks.ner.options import PROFILES
from isogloss.tasks.ner.profiles.fair import FairSpans


def spans(text: str) -> list[tuple[int, int, str]]:
    """Spans written as `P[0,2) Q[3,4)`."""
    parts = [part.rstrip(")").partition("[") for part in text.split()]
    return [(*map(int, bounds.split(",")), label) for label, _, bounds in parts]  # type: ignore[misc]


def scored(reference: str, predicted: str) -> Run:
    return ner([spans(reference)], [spans(predicted)], profile="fair")


def kinds(reference: str, predicted: str) -> dict[str, int]:
    group = scored(reference, predicted).scores["fair"]
    return {kind: group[kind] for kind in KINDS if group[kind]}


def test_there_are_six_kinds() -> None:
    for reference, predicted, expected in [
        ("P[0,2)", "P[0,2)", {"correct": 1}),
        ("P[0,2)", "Q[0,2)", {"wrong_type": 1}),
        ("P[0,2)", "P[0,1)", {"wrong_boundary": 1}),
        ("P[0,2)", "Q[1,3)", {"wrong_type_and_boundary": 1}),
        ("P[0,2)", "", {"missed": 1}),
        ("", "P[0,2)", {"spurious": 1}),
        ("P[0,2)", "P[2,4)", {"missed": 1, "spurious": 1}),
        ("P[0,100000000000)", "P[0,6) P[5,100000000001)", {"wrong_boundary": 2}),
    ]:
        assert kinds(reference, predicted) == expected


def test_who_makes_up_an_error_with_whom() -> None:
    for reference, predicted, expected in [
        # The same place comes before an overlap, whatever the labels.
        ("P[0,2)", "Q[0,2) P[0,1)", {"wrong_type": 1, "spurious": 1}),
        ("P[0,2) P[1,3)", "P[1,3)", {"correct": 1, "missed": 1}),
        # A span that is cut in two, or two that are one: an error for each piece.
        ("P[0,4)", "P[0,2) P[2,4)", {"wrong_boundary": 2}),
        ("P[0,2) P[2,4)", "P[0,4)", {"wrong_boundary": 2}),
        ("P[0,6)", "P[0,2) P[2,4) Q[4,6)", {"wrong_boundary": 2, "wrong_type_and_boundary": 1}),
        # The same label comes first, although the other span shares more.
        ("P[0,4)", "Q[0,3) P[3,4)", {"wrong_boundary": 1, "wrong_type_and_boundary": 1}),
        ("P[0,4) Q[4,5)", "P[3,5)", {"wrong_boundary": 1, "wrong_type_and_boundary": 1}),
        # What is shared is used up: P[2,4) shares only the third unit, which P[0,3) has taken.
        ("P[1,3)", "P[0,3) P[2,4)", {"wrong_boundary": 1, "spurious": 1}),
        ("P[1,3)", "P[0,3) P[0,4)", {"wrong_boundary": 1, "spurious": 1}),
        # Shorter reference spans choose first.
        ("P[0,4) P[0,3)", "P[0,2)", {"wrong_boundary": 1, "missed": 1}),
    ]:
        assert kinds(reference, predicted) == expected


def test_boundary_errors_have_a_form() -> None:
    for predicted, form in [("P[2,3)", "smaller"), ("P[2,6)", "larger"), ("P[1,4)", "larger"), ("P[3,6)", "crossing")]:
        group = scored("P[2,4)", predicted).scores["fair_weighted"]
        assert [name for name in ("smaller", "larger", "crossing") if group[name]] == [form]


def test_figures_of_a_document_with_one_error_of_each_kind() -> None:
    """TP, LE, BE (smaller), LBE, FN and FP once each: 1 + ½ · 3 + 1 = 3.5 on either side."""
    run = scored("P[0,2) P[3,5) P[6,8) P[9,11) P[12,14)", "P[0,2) Q[3,5) P[6,7) Q[9,10) P[15,16)")
    assert [run.scores["fair"][name] for name in ("precision", "recall", "f1")] == [1 / 3.5] * 3
    assert run.scores["fair_weighted"].precision == 1.5 / 3.5  # 1 + ½ of BE; FP 1, LE ½, LBE ½
    assert run.scores["fair_weighted"].recall == 1.5 / 4  # and ½ of BE is missing
    assert run.scores["fair_weighted"].f1 == pytest.approx(2 * 1.5 / 7.5)
    strict = run.scores["strict"]
    assert (strict.correct, strict.missed, strict.spurious, strict.precision, strict.recall) == (1, 4, 4, 0.2, 0.2)


def test_by_label_an_error_counts_for_the_label_of_the_reference() -> None:
    run = scored("P[0,2) P[3,5) Q[6,7)", "P[0,2) Q[3,5) Q[6,7) Q[8,9)")
    p, q = (run.by_label[label]["fair"] for label in "PQ")
    assert {name: n for name, n in p.items() if n and name in KINDS} == {"correct": 1, "wrong_type": 1}
    assert {name: n for name, n in q.items() if n and name in KINDS} == {"correct": 1, "spurious": 1}
    assert (p.precision, p.recall) == (1 / 1.5, 1 / 1.5)
    assert (q.precision, q.recall) == (1 / 2, 1)
    assert run.by_label["P"]["strict"].missed == 1
    assert run.by_label["Q"]["strict"].spurious == 2


def test_nothing_divided_by_nothing_is_0() -> None:
    groups = scored("", "").scores
    assert {groups[group][name] for group in groups for name in ("precision", "recall", "f1")} == {0}


def test_repetitions_are_traditional_members_and_fair_errors() -> None:
    run = scored("P[0,2)", "P[0,2) P[0,2)")
    assert run.scores["strict"].precision == 1
    assert run.scores["fair"].precision == 0.5
    assert scored("P[0,2) P[0,2)", "P[0,2)").scores["strict"].recall == 1


def test_the_confusion_has_all_pairs() -> None:
    run = scored("P[0,4) Q[5,6)", "P[0,2) P[2,4) Q[5,6) R[7,8)")
    assert run.confusion == {("P", "P"): 2, ("Q", "Q"): 1, (None, "R"): 1}


def test_fair_findings_are_the_errors_of_the_profile() -> None:
    both = [spans("P[0,4)")], [spans("P[0,2) P[2,4)")]
    run = ner(*both, profile="fair", findings=True)
    assert [finding.kind for finding in run.findings] == ["wrong_boundary", "wrong_boundary"]
    assert run.kinds["wrong_boundary"] == 2
    assert [finding.kind for finding in ner(*both, findings=True).findings] == ["wrong_boundary", "spurious"]


def test_tags_are_read_as_without_a_profile() -> None:
    tags = [["O", "I-P", "I-P"]], [["O", "B-P", "I-P"]]
    for repair, correct in (("begin", 1), ("discard", 0)):
        options: dict[str, Any] = {"scheme": "iob2", "repair": repair}
        fair, own = ner(*tags, profile="fair", **options), ner(*tags, **options)
        assert fair.scores["fair"].correct == own.scores["strict"].correct == correct
        assert fair.warnings == own.warnings


def test_options_that_it_does_not_have_are_refused() -> None:
    with pytest.raises(UsageError, match="does not support beta"):
        ner([["O"]], [["O"]], profile="fair", beta=2)
    with pytest.raises(UsageError, match="has no tag decoder"):
        PROFILES.load("fair").build_decoder("iob2")


def numbers(batches: Any) -> Any:
    return TallyEvidence(FairSpans(), count_batches(batches, FairSpans()).tally).numbers


@given(corpus=corpora)
def test_fair_scores_equal_the_plain_implementation(corpus: list[Entities]) -> None:
    got = numbers([span_pairs(corpus)])
    errors = Counter[Any]()
    members = Counter[Any]()
    for document in corpus:
        errors += types_of(document.reference, document.predicted)
        members += traditional(document.reference, document.predicted)
    labels = {label for _, *pair in errors for label in pair if label is not None}
    assert {key[1] for key in got if key[0] == "by_label"} == labels
    for label in (None, *sorted(labels)):
        place = () if label is None else ("by_label", label)
        counts = Counter[str]()
        for (kind, reference, predicted), number in errors.items():
            counts[kind] += number * (label in (None, reference or predicted))
        for kind in KINDS:
            assert got[(*place, "fair", kind)] == counts[kind]
        for form in ("smaller", "larger", "crossing"):
            assert got[(*place, "fair_weighted", form)] == counts[form]
        for group, (precision, recall) in figures(counts).items():
            assert got[(*place, group, "precision")] == pytest.approx(precision)
            assert got[(*place, group, "recall")] == pytest.approx(recall)
        for kind, name in (
            ("correct", "correct_reference" if label else "correct"),
            ("missed",) * 2,
            ("spurious",) * 2,
        ):
            expected = sum(n for (k, r, p), n in members.items() if k == kind and label in (None, r or p))
            assert got[(*place, "strict", name)] == expected


@given(corpus=corpora)
def test_the_unit_that_is_counted_changes_nothing(corpus: list[Entities]) -> None:
    def stretched(spans: Any) -> Any:
        return tuple((start * 2**36, end * 2**36, label) for start, end, label in spans)

    longer = [Entities(stretched(each.reference), stretched(each.predicted)) for each in corpus]
    assert numbers([span_pairs(longer)]) == numbers([span_pairs(corpus)])


@given(corpus=corpora, at=st.integers(0, 6))
def test_cutting_a_corpus_into_batches_changes_nothing(corpus: list[Entities], at: int) -> None:
    parts = [part for part in np.split(np.arange(len(corpus)), [min(at, len(corpus))]) if len(part)]
    cut = numbers([span_pairs(corpus, part, unused=("AAA",)) for part in parts])
    whole = numbers([span_pairs(corpus)])
    assert cut.keys() == whole.keys()
    assert np.array_equal(list(cut.values()), list(whole.values()), equal_nan=True)


@given(document=entities, order=st.randoms())
def test_the_order_of_spans_changes_nothing(document: Entities, order: Any) -> None:
    shuffled = [order.sample(side, len(side)) for side in (document.reference, document.predicted)]
    other = Entities(tuple(shuffled[0]), tuple(shuffled[1]))
    assert numbers([span_pairs([document])]) == numbers([span_pairs([other])])


@given(corpus=corpora)
def test_a_perfect_prediction_has_only_correct_spans(corpus: list[Entities]) -> None:
    same = [Entities(document.reference, document.reference) for document in corpus]
    got = numbers([span_pairs(same)])
    number = sum(len(document.reference) for document in corpus)
    assert [got["fair", kind] for kind in KINDS] == [number, 0, 0, 0, 0, 0]


@given(corpus=corpora)
def test_errors_of_the_labels_add_up(corpus: list[Entities]) -> None:
    got = numbers([span_pairs(corpus)])
    labels = {key[1] for key in got if key[0] == "by_label"}
    for kind in KINDS:
        assert got["fair", kind] == got["findings", kind]
        assert got["fair", kind] == sum(got["by_label", label, "fair", kind] for label in labels)


@given(corpus=corpora)
def test_no_unit_of_a_span_is_in_two_errors(corpus: list[Entities]) -> None:
    """A span is in as many errors as it has units, at the most; and it is missed or spurious, or in one."""
    got = numbers([span_pairs(corpus)])
    pairs = sum(got["fair", kind] for kind in KINDS[:4])
    for side, alone in (("reference", "missed"), ("predicted", "spurious")):
        own = [span for document in corpus for span in getattr(document, side)]
        assert len(own) - got["fair", alone] <= pairs <= sum(end - start for start, end, _ in own)
