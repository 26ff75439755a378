"""Batches that come one by one, in one process or several, score as one corpus."""

from __future__ import annotations

import multiprocessing
import pickle
import random
from functools import reduce
from itertools import pairwise, permutations
from typing import Any

import pytest
from accumulator_processes import count_documents
from hypothesis import given
from hypothesis import strategies as st

import isogloss
from isogloss import Accumulator
from isogloss.errors import DataError, MismatchError, TagError, UsageError
from isogloss.runs.run import Run
from isogloss.tasks.scoring import score

Tags = list[list[str]]
TAGS = ("O", "O", "B-PER", "I-PER", "B-LOC", "I-LOC")
EVIDENCE: dict[str, Any] = {"confidence": 0.9, "resamples": 50, "seed": 3}


def make_tags(draw: random.Random, documents: int) -> tuple[Tags, Tags]:
    sizes = [draw.randint(0, 6) for _ in range(documents)]
    first, second = ([draw.choices(TAGS, k=size) for size in sizes] for _ in range(2))
    return first, second


def make_spans(draw: random.Random, documents: int) -> tuple[Any, Any]:
    starts = [[[draw.randint(0, 4) for _ in range(draw.randint(1, 3))] for _ in range(documents)] for _ in range(2)]
    first, second = ([[(s, s + 2, draw.choice(["PER", "LOC"])) for s in own] for own in side] for side in starts)
    return first, second


def make_words(draw: random.Random, documents: int) -> tuple[Any, Any]:
    texts = ["".join(draw.choices("abc", k=6)) for _ in range(documents)]
    first, second = ([[text[:at], text[at:]] for text in texts for at in [draw.randint(1, 5)]] for _ in range(2))
    return first, second


def make_translations(draw: random.Random, documents: int) -> tuple[Any, Any]:
    target = {"translation": "Wer schrieb Faust?", "mention": "Faust"}
    gold = [
        {"id": f"Q{k}_0", "source": "?", "targets": [target], "target_locale": "de", "entity_types": ["Book"]}
        for k in range(documents)
    ]
    return gold, [{"id": row["id"], "prediction": draw.choice(["Faust", "Fist"])} for row in gold]


def make_labels(draw: random.Random, documents: int) -> tuple[Any, Any]:
    first, second = (draw.choices(["pos", "neg", "neutral"], k=documents) for _ in range(2))
    return first, second


def make_texts(draw: random.Random, documents: int) -> tuple[Any]:
    return ([" ".join(draw.choices(["слово", "і", "translate", "London."], k=5)) for _ in range(documents)],)


def make_languages(draw: random.Random, documents: int) -> tuple[Any]:
    return ([{"languages": draw.choices(["en", "es", None], k=3)} for _ in range(documents)],)


CASES: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "tags": ("ner", make_tags, {"scheme": "iob2"}),
    "tags of seqeval": ("ner", make_tags, {"profile": "seqeval", "zero_division": 1}),
    "tags of nervaluate": ("ner", make_tags, {"profile": "nervaluate", "labels": ["PER", "LOC"]}),
    "spans": ("ner", make_spans, {"labels": ["PER", "LOC"]}),
    "words": ("segmentation", make_words, {}),
    "translations": ("entity-translation", make_translations, {"unit": "document"}),
    "labels": ("classification", make_labels, {}),
    "texts": ("code-switching", make_texts, {"language": "uk"}),
    "languages": ("code-mixing", make_languages, {}),
}


def figures(run: Run) -> dict[str, Any]:
    """All that is in the JSON of a run, without the places of warnings, which are those in a batch."""
    found = run.to_dict()
    return {**found, "warnings": [{**each, "where": None} for each in found.get("warnings", ())]}


def count_in_parts(draw: random.Random, name: str, data: tuple[Any, ...]) -> list[Accumulator]:
    """Count batches of any size in order, in three accumulators."""
    task, _, options = CASES[name]
    parts = [Accumulator(task, **options) for _ in range(3)]
    number = len(data[0])
    edges = sorted({0, number, *(draw.randint(0, number) for _ in range(6))})
    for at, (low, high) in enumerate(pairwise(edges)):
        parts[at * 3 // (len(edges) - 1)].update(*(side[low:high] for side in data))
    return parts


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("seed", range(5))
def test_merged_batches_score_as_one_corpus(name: str, seed: int) -> None:
    draw = random.Random(seed)
    task, make, options = CASES[name]
    data = make(draw, draw.randint(8, 16))
    merged = reduce(Accumulator.merge, count_in_parts(draw, name, data))
    whole = score(task, *data, **options, **EVIDENCE)
    assert merged.documents == whole.documents
    assert figures(merged.compute(**EVIDENCE)) == figures(whole)


@given(st.randoms(use_true_random=False))
def test_the_order_of_merging_changes_no_score(draw: random.Random) -> None:
    data = make_tags(draw, 12)
    parts = [pickle.dumps(part) for part in count_in_parts(draw, "tags", data)]
    draw.shuffle(parts)
    merged = reduce(Accumulator.merge, map(pickle.loads, parts)).compute(**EVIDENCE)
    assert figures(merged) == figures(isogloss.ner(*data, scheme="iob2", **EVIDENCE))


def test_counting_goes_on_after_scoring() -> None:
    accumulator = Accumulator("ner", scheme="iob2")
    accumulator.update(reference=[["O"]], prediction=[["B-PER"]])
    assert accumulator.compute().scores["strict"].precision == 0
    accumulator.update([["B-PER"]], [["B-PER"]])
    assert accumulator.compute().scores["strict"].precision == 0.5
    accumulator.reset()
    accumulator.update([["B-PER"]], [["B-PER"]])
    assert accumulator.compute().scores["strict"].precision == 1


def test_nothing_counted_is_no_score() -> None:
    with pytest.raises(DataError, match="Call update"):
        Accumulator("ner", scheme="iob2").compute()


def test_a_batch_that_fails_leaves_everything_as_it_was() -> None:
    accumulator = Accumulator("ner", scheme="iob2", repair="error")
    accumulator.update([["B-PER"]], [["B-PER"]])
    before = figures(accumulator.compute())
    with pytest.raises(TagError, match=r"prediction\[1\]\[0\].*does not fit IOB2"):
        accumulator.update([["O"], ["O"]], [["B-PER"], ["I-PER"]])
    with pytest.raises(MismatchError, match="the reference has 1 document, the prediction 2"):
        accumulator.update([["O"]], [["O"], ["O"]])
    assert figures(accumulator.compute()) == before


def test_merging_leaves_the_other_as_it_was() -> None:
    one, other = Accumulator("ner", scheme="iob2"), Accumulator("ner", scheme="iob2")
    one.update([["B-บุคคล"]], [["B-บุคคล"]])
    other.update([["B-مكان", "O"]], [["B-مكان", "B-บุคคล"]])
    before = figures(other.compute())
    assert one.merge_state(other) is one
    one.update([["B-مكان"]], [["O"]])
    assert figures(other.compute()) == before
    assert (one.documents, other.documents) == (3, 1)
    by_label = one.compute().by_label
    assert {label: by_label[label]["strict"].precision for label in by_label} == {"บุคคล": 0.5, "مكان": 1}


def test_two_processes_have_the_scores_and_intervals_of_one() -> None:
    references, predictions = make_tags(random.Random(7), 60)
    options: dict[str, Any] = {"scheme": "iob2"}
    with multiprocessing.get_context("spawn").Pool(2, maxtasksperchild=1) as pool:
        results = [
            pool.apply_async(count_documents, (predictions[part], references[part]), options)
            for part in (slice(0, 20), slice(20, 45), slice(45, 60))
        ]
        found = [result.get(timeout=60) for result in results]
    assert len({process for process, _ in found}) > 1
    whole = figures(isogloss.ner(references, predictions, **options, **EVIDENCE))
    for parts in permutations(pickle.dumps(part) for _, part in found):
        merged = reduce(Accumulator.merge, map(pickle.loads, parts))
        assert figures(merged.compute(**EVIDENCE)) == whole


def test_documents_that_were_counted_before_take_no_more_memory() -> None:
    references, predictions = make_tags(random.Random(1), 300)
    accumulator = Accumulator("ner", scheme="iob2")
    sizes = []
    for _ in range(21):
        accumulator.update(references, predictions)
        accumulator.compute()
        sizes.append(len(pickle.dumps(accumulator)))
    assert accumulator.documents == 21 * 300
    assert sizes[-1] < sizes[0] + 300  # bytes: one for each document of a batch would be more


def test_small_batches_are_merged_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.distributed.accumulator.MIN_MERGED_ROWS", 16)
    accumulator = Accumulator("ner")
    for k in range(200):
        accumulator.update([[(0, 1, "L0")]], [[(0, 1, f"L{k % 7}")]])
        assert len(accumulator._partials) <= 17
    assert accumulator.documents == 200
    assert accumulator.compute().scores["strict"].correct == 29  # of 200 numbers from 0 those that 7 divides


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scheme": "iob2", "repair": "mend"}, "Unknown repair 'mend'"),
        ({"profile": "seqval"}, "Unknown profile 'seqval'; did you mean seqeval"),
        ({"zero_division": 2}, "zero_division must be 0, 1 or left out, got 2"),
        ({"shceme": "iob2"}, "Unknown option 'shceme'; did you mean scheme"),
    ],
)
def test_options_that_are_not_allowed_are_refused_at_once(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Accumulator("ner", **options)


def test_what_is_counted_in_different_ways_is_not_added() -> None:
    one, bilou, spans = Accumulator("ner", scheme="iob2"), Accumulator("ner", scheme="bilou"), Accumulator("ner")
    one.update([["B-PER"]], [["B-PER"]])
    bilou.update([["U-PER"]], [["U-PER"]])
    spans.update([[(0, 1, "PER")]], [[(0, 1, "PER")]])
    for other in (bilou, spans):
        with pytest.raises(DataError, match="another signature"):
            one.merge(other)
    with pytest.raises(DataError, match="another signature"):
        spans.update([["B-PER"]], [["B-PER"]])
    with pytest.raises(UsageError, match="with an accumulator only"):
        one.merge({"documents": 3})  # type: ignore[arg-type]
    assert (one.documents, spans.documents) == (1, 1)


def test_without_a_process_group_what_is_gathered_is_a_copy() -> None:
    accumulator = Accumulator("ner", scheme="iob2")
    accumulator.update([["B-PER"]], [["B-PER"]])
    gathered = accumulator.gather()
    gathered.update([["O"]], [["B-PER"]])
    assert (gathered.documents, accumulator.documents) == (2, 1)
    assert repr(gathered) == "<Accumulator 'ner', scheme='iob2': documents=2>"
