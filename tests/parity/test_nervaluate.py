"""The profile `nervaluate` against nervaluate itself, from tags and from spans."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from peer_comparison import (
    LABELS,
    SPAN_FILES,
    SYSTEMS,
    Documents,
    Span,
    add_prefixes,
    compare_all,
    corpora,
    load_pairs,
    load_spans,
    load_tags,
    needs_systems,
    read_tags,
    report_documents,
    score_batches,
)

from isogloss.errors import TagError
from isogloss.formats.python_lists import batch_span_lists
from isogloss.spans.batches import SpanPairs
from isogloss.tasks.ner.profiles import list_reference_labels
from isogloss.tasks.ner.reading import filter_labels

nervaluate = pytest.importorskip("nervaluate", reason="nervaluate is not installed")

pytestmark = pytest.mark.parity

OWN_LABELS = (*LABELS[:2], ["A-B", "A", "B", "-", "a_b", ""], LABELS[3])
SCHEMAS = {"strict": "strict", "exact": "exact", "partial": "partial", "type": "ent_type"}
COUNTS = ("correct", "incorrect", "partial")


def scored(batches: Sequence[SpanPairs], tags: Sequence[str], **options: float) -> Any:
    return score_batches("nervaluate", filter_labels(batches, tuple(tags)), **options)


def read(reference: Documents, prediction: Documents) -> list[SpanPairs]:
    return read_tags("nervaluate", reference, prediction)


def compare(batches: Sequence[SpanPairs], theirs: Any, tags: Sequence[str], **options: float) -> None:
    """All counts and ratios, overall and of every label."""
    ours = scored(batches, tags, **options)
    assert {key[1] for key in ours if key[0] == "by_label"} == set(theirs["entities"])
    for own, name in SCHEMAS.items():
        overall = theirs["overall"][name]
        assert [ours[own, outcome] for outcome in COUNTS] == [getattr(overall, outcome) for outcome in COUNTS]
        compare_row(ours, (own,), overall)
        for label, schemas in theirs["entities"].items():
            for side in ("reference", "predicted"):
                sided = [ours["by_label", label, own, f"{outcome}_{side}"] for outcome in COUNTS]
                assert sided == [getattr(schemas[name], outcome) for outcome in COUNTS]
            compare_row(ours, ("by_label", label, own), schemas[name])


def compare_row(ours: Any, key: tuple[str, ...], theirs: Any) -> None:
    for name in ("missed", "spurious", "possible", "actual"):
        assert ours[(*key, name)] == getattr(theirs, name), (key, name)
    for name in ("precision", "recall", "f1"):
        assert math.isclose(ours[(*key, name)], getattr(theirs, name), rel_tol=0, abs_tol=1e-12), (key, name)


def choices(labels: list[str], seed: int) -> Iterator[list[str] | None]:
    """What users pass as `tags=`: the labels of the reference (None), all, some, and some that do not occur."""
    draw = random.Random(seed)
    while True:
        yield draw.choice([None, None, labels, draw.sample(labels, draw.randint(0, len(labels))), [*labels, "absent"]])


@pytest.mark.parametrize("labels", OWN_LABELS, ids=lambda labels: labels[0])
@pytest.mark.parametrize("letters", ["BI", "I"])
def test_random_tags_give_the_same(letters: str, labels: list[str]) -> None:
    documents = 0
    pairs = corpora(add_prefixes(letters, labels), 1, 24, 120)
    for (reference, prediction), chosen in zip(pairs, choices(labels, 1), strict=False):
        batches = read(reference, prediction)
        used = list(list_reference_labels(batches)) if chosen is None else chosen
        theirs = nervaluate.Evaluator(reference, prediction, tags=used, loader="list").evaluate()
        compare(batches, theirs, used)
        documents += len(reference)
    report_documents(f"nervaluate, {letters} {labels}", documents)


def test_same_documents_are_refused_and_others_read_the_same() -> None:
    draw = random.Random(2)
    tags = (
        ["O"] * 6 + ["B-P", "I-P", "B-Q", "I-Q"] * 8 + ["E-P", "S-P", "X-P", "xyP", "B", "ADJ", "BxP", "I", "b-P", "B-"]
    )
    refused, number = 0, 2000
    for _ in range(number):
        reference, prediction = ([[draw.choice(tags) for _ in range(3)]] for _ in range(2))
        try:
            evaluator = nervaluate.Evaluator(reference, prediction, tags=["P", "Q", ""], loader="list")
        except ValueError:
            refused += 1
            with pytest.raises(TagError):
                read(reference, prediction)
        else:
            compare(read(reference, prediction), evaluator.evaluate(), ["P", "Q", ""])
    report_documents(f"nervaluate, {refused} of them refused by both", number)
    assert 0 < refused < number


@pytest.mark.parametrize("longest", [3, 8, 400])
def test_random_spans_in_order_give_the_same(longest: int) -> None:
    documents = 0
    draw = random.Random(longest)
    labels = ["PER", "LOC", "ORG"]
    for chosen, _ in zip(choices(labels, 3), range(40), strict=False):
        sides: list[list[list[Span]]] = [[], []]
        for _ in range(draw.randint(1, 100)):
            reference = spans(draw, longest, labels)
            change = [span for span in reference if draw.random() < 0.6] + spans(draw, longest, labels)
            sides[0].append(reference)
            sides[1].append(sorted(change[: draw.randint(0, 6)]))
        batches = list(batch_span_lists(*sides))
        used = list(list_reference_labels(batches)) if chosen is None else chosen
        theirs = nervaluate.Evaluator(*map(inclusive, sides), tags=used, loader="dict").evaluate()
        compare(batches, theirs, used)
        documents += len(sides[0])
    report_documents(f"nervaluate, spans of up to {longest} tokens", documents)


def test_barely_covered_reference_spans_give_the_same() -> None:
    draw = random.Random(5)
    sides: list[list[list[Span]]] = [[], []]
    for _ in range(1000):
        start, length = draw.randint(0, 9), draw.randint(80, 350)
        cover = max(0, start + draw.choice([0, length]) - draw.randint(0, 4))
        sides[0].append([(start, start + length, draw.choice("PQ"))])
        sides[1].append([(cover, cover + 4, draw.choice("PQ"))])
    theirs = nervaluate.Evaluator(*map(inclusive, sides), tags=["P", "Q"], loader="dict").evaluate()
    assert theirs["overall"]["ent_type"].spurious > 100
    compare(list(batch_span_lists(*sides)), theirs, ["P", "Q"])
    report_documents("nervaluate, long reference spans", len(sides[0]))


PERCENTAGES = [1.0, 7.0, 20.0, 25.0, 29.0, 33.3, 50.0, 55.0, 57.0, 58.0, 75.0, 99.9, 100.0]


@pytest.mark.parametrize("longest", [3, 8, 100])
def test_a_smallest_overlap_gives_the_same(longest: int) -> None:
    draw = random.Random(longest)
    sides: list[list[list[Span]]] = [[], []]
    for _ in range(900):
        reference = spans(draw, longest, ["P", "Q"])
        change = [span for span in reference if draw.random() < 0.3] + spans(draw, longest, ["P", "Q"])
        sides[0].append(reference)
        sides[1].append(sorted(change[: draw.randint(0, 6)]))
    for percentage in PERCENTAGES:
        evaluator = nervaluate.Evaluator(
            *map(inclusive, sides), tags=["P", "Q"], loader="dict", min_overlap_percentage=percentage
        )
        share = float(f"{percentage / 100:.6g}")  # what a user types for it
        compare(list(batch_span_lists(*sides)), evaluator.evaluate(), ["P", "Q"], min_overlap=share)
    report_documents(f"nervaluate, smallest overlaps of spans of up to {longest}", len(sides[0]) * len(PERCENTAGES))


def test_each_overlap_of_exactly_the_smallest_gives_the_same() -> None:
    cases = [(length, part) for length in range(1, 101) for part in range(1, length + 1) if 100 * part % length == 0]
    for length, part in cases:
        share = float(f"{part / length:.2f}")
        sides: list[list[list[Span]]] = [[[(0, length, "P"), (200, 201, "P")]], [[(0, part, "P"), (200, 202, "P")]]]
        evaluator = nervaluate.Evaluator(
            *map(inclusive, sides), tags=["P"], loader="dict", min_overlap_percentage=100 * part // length
        )
        compare(list(batch_span_lists(*sides)), evaluator.evaluate(), ["P"], min_overlap=share)
    report_documents("nervaluate, overlaps of exactly the smallest", len(cases))


@needs_systems
@pytest.mark.parametrize("percentage", [20.0, 50.0, 75.0])
def test_a_smallest_overlap_in_real_files_gives_the_same(percentage: float) -> None:
    def compare_files(*sides: list[list[Span]]) -> None:
        batches = list(batch_span_lists(*sides))
        used = list(list_reference_labels(batches))
        how = {"tags": used, "loader": "dict", "min_overlap_percentage": percentage}
        theirs = nervaluate.Evaluator(*map(inclusive, sides), **how).evaluate()
        compare(batches, theirs, used, min_overlap=percentage / 100)

    compare_all(f"nervaluate, real spans, {percentage}%", load_pairs(SPAN_FILES, load_spans), compare_files)


def spans(draw: random.Random, longest: int, labels: list[str]) -> list[Span]:
    """Spans that nest, overlap and repeat, in order."""
    starts = [draw.randint(0, 2 * longest) for _ in range(draw.choice([0, 1, 2, 3, 6]))]
    return sorted((start, start + draw.randint(1, longest), draw.choice(labels)) for start in starts)


def inclusive(side: list[list[Span]]) -> list[list[dict[str, Any]]]:
    return [[{"start": a, "end": b - 1, "label": label} for a, b, label in document] for document in side]


def compare_tags(reference: Documents, prediction: Documents) -> None:
    batches = read(reference, prediction)
    used = list(list_reference_labels(batches))
    compare(batches, nervaluate.Evaluator(reference, prediction, tags=used, loader="list").evaluate(), used)


def compare_spans(*sides: list[list[Span]]) -> None:
    batches = list(batch_span_lists(*sides))
    used = list(list_reference_labels(batches))
    compare(batches, nervaluate.Evaluator(*map(inclusive, sides), tags=used, loader="dict").evaluate(), used)


@needs_systems
def test_real_files_give_the_same() -> None:
    compare_all("nervaluate, real files", load_pairs(SYSTEMS, load_tags), compare_tags)
    compare_all("nervaluate, real spans", load_pairs(SPAN_FILES, load_spans), compare_spans)
