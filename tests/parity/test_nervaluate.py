"""The profile `nervaluate` against nervaluate itself, from tags and from spans."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compared import compared, tags_of

from isogloss.errors import TagError
from isogloss.formats.python_lists import batch_span_lists, batch_tag_lists
from isogloss.kernel.counting import count_batches
from isogloss.runs.evidence import TallyEvidence
from isogloss.spans.batches import SpanPairs, Spans
from isogloss.tasks.ner.options import PROFILES
from isogloss.tasks.ner.profiles import list_reference_labels

nervaluate = pytest.importorskip("nervaluate", reason="nervaluate is not installed")

pytestmark = pytest.mark.parity

Documents = list[list[str]]
Span = tuple[int, int, str]
DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "ner"
SYSTEMS = sorted(DATA.glob("*/*.test.conll")) if DATA.is_dir() else []
SPAN_FILES = sorted(path for path in DATA.glob("*/*.jsonl") if not path.name.startswith("gold"))
LABELS = (["P"], ["PER", "LOC", "ORG"], ["A-B", "A", "B", "-", "a_b", ""], ["é", "人", "0", "U.S."])
SCHEMAS = {"strict": "strict", "exact": "exact", "partial": "partial", "type": "ent_type"}
COUNTS = ("correct", "incorrect", "partial")


def scored(batches: Sequence[SpanPairs], tags: Sequence[str]) -> Any:
    metric = PROFILES.load("nervaluate").configure_metric()
    return TallyEvidence(metric, count_batches((only(batch, tags) for batch in batches), metric).tally).numbers


def only(batch: SpanPairs, tags: Sequence[str]) -> SpanPairs:
    wanted = np.array([label in tags for label in batch.labels], np.bool_)

    def kept(spans: Spans) -> Spans:
        return spans.take(np.flatnonzero(wanted[spans.label]) if len(spans) else np.zeros(0, np.int64))

    return replace(batch, reference=kept(batch.reference), predicted=kept(batch.predicted))


def read(reference: Documents, prediction: Documents) -> list[SpanPairs]:
    return list(map(PROFILES.load("nervaluate").build_decoder(), batch_tag_lists(reference, prediction)))


def compare(batches: Sequence[SpanPairs], theirs: Any, tags: Sequence[str]) -> None:
    """All counts and ratios, overall and of every label."""
    ours = scored(batches, tags)
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


def corpora(tags: list[str], seed: int, number: int, size: int) -> Iterator[tuple[Documents, Documents]]:
    """Pairs of corpora: predictions are references with changes, some documents are empty, some all O."""
    draw = random.Random(seed)
    for _ in range(number):
        quiet, change = draw.choice([0.0, 0.3, 0.7, 1.0]), draw.choice([0.0, 0.1, 0.4, 1.0])

        def tag(quiet: float = quiet) -> str:
            return "O" if draw.random() < quiet else draw.choice(tags)

        reference = [[tag() for _ in range(draw.choice([0, 1, 2, 5, 9, 14]))] for _ in range(draw.randint(1, size))]
        prediction = [[tag(0.5) if draw.random() < change else t for t in document] for document in reference]
        yield reference, prediction


def choices(labels: list[str], seed: int) -> Iterator[list[str] | None]:
    """What users pass as `tags=`: the labels of the reference (None), all, some, and some that do not occur."""
    draw = random.Random(seed)
    while True:
        yield draw.choice([None, None, labels, draw.sample(labels, draw.randint(0, len(labels))), [*labels, "absent"]])


@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: labels[0])
@pytest.mark.parametrize("letters", ["BI", "I"])
def test_random_tags_give_the_same(letters: str, labels: list[str]) -> None:
    documents = 0
    tags = ["O", *(f"{letter}-{label}" for letter in letters for label in labels)]
    for (reference, prediction), chosen in zip(corpora(tags, 1, 24, 120), choices(labels, 1), strict=False):
        batches = read(reference, prediction)
        used = list(list_reference_labels(batches)) if chosen is None else chosen
        theirs = nervaluate.Evaluator(reference, prediction, tags=used, loader="list").evaluate()
        compare(batches, theirs, used)
        documents += len(reference)
    compared(f"nervaluate, {letters} {labels}", documents)


def test_the_same_documents_are_refused_and_the_others_read_the_same() -> None:
    draw = random.Random(2)
    tags = (
        ["O"] * 6 + ["B-P", "I-P", "B-Q", "I-Q"] * 8 + ["E-P", "S-P", "X-P", "xyP", "B", "ADJ", "BxP", "I", "b-P", "B-"]
    )
    refused, number = 0, 4000
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
    compared(f"nervaluate, {refused} of them refused by both", number)
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
    compared(f"nervaluate, spans of up to {longest} tokens", documents)


def test_long_reference_spans_that_are_barely_covered_give_the_same() -> None:
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
    compared("nervaluate, long reference spans", len(sides[0]))


def spans(draw: random.Random, longest: int, labels: list[str]) -> list[Span]:
    """Spans that nest, overlap and repeat, in order."""
    starts = [draw.randint(0, 2 * longest) for _ in range(draw.choice([0, 1, 2, 3, 6]))]
    return sorted((start, start + draw.randint(1, longest), draw.choice(labels)) for start in starts)


def inclusive(side: list[list[Span]]) -> list[list[dict[str, Any]]]:
    return [[{"start": a, "end": b - 1, "label": label} for a, b, label in document] for document in side]


@pytest.mark.skipif(not SYSTEMS, reason="the corpora of ../shared/data/ner are not here")
def test_real_files_give_the_same() -> None:
    documents = 0
    for path in SYSTEMS:
        reference, prediction = tags_of(path.parent / f"gold.{path.name.split('.', 1)[1]}"), tags_of(path)
        batches = read(reference, prediction)
        used = list(list_reference_labels(batches))
        theirs = nervaluate.Evaluator(reference, prediction, tags=used, loader="list").evaluate()
        compare(batches, theirs, used)
        documents += len(reference)
    compared("nervaluate, real files", documents)


@pytest.mark.skipif(not SPAN_FILES, reason="the corpora of ../shared/data/ner are not here")
def test_real_character_spans_give_the_same() -> None:
    documents = 0
    for path in SPAN_FILES:
        sides = [spans_in(path.with_name(f"gold.{path.name.split('.', 1)[1]}")), spans_in(path)]
        batches = list(batch_span_lists(*sides))
        used = list(list_reference_labels(batches))
        theirs = nervaluate.Evaluator(*map(inclusive, sides), tags=used, loader="dict").evaluate()
        compare(batches, theirs, used)
        documents += len(sides[0])
    compared("nervaluate, real spans", documents)


def spans_in(path: Path) -> list[list[Span]]:
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return [sorted((e["start"], e["end"], e["label"]) for e in row["entities"]) for row in rows]
