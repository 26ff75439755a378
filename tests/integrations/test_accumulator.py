from __future__ import annotations

import math
import multiprocessing
import pickle
import random
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise, permutations
from typing import Any

import pytest
from accumulator_processes import count_documents
from hypothesis import assume, given
from hypothesis import strategies as st

import isogloss
from isogloss.errors import DataError, MismatchError, TagError, UsageError
from isogloss.integrations import NamedEntityAccumulator
from isogloss.runs.run import Run

Tags = list[list[str]]
Spans = list[list[tuple[int, int, str]]]
TAGS = ("O", "O", "B-PER", "I-PER", "B-LOC", "I-LOC")
OF_TAGS: dict[str, dict[str, Any]] = {
    "the default": {"scheme": "iob2"},
    "discarding": {"scheme": "iob2", "repair": "discard", "beta": 2.0, "macro_over": "reference"},
    "labels": {"scheme": "iob2", "labels": ["PER", "ABSENT"], "zero_division": 0},
    "seqeval": {"profile": "seqeval", "zero_division": 1},
    "seqeval-strict": {"profile": "seqeval-strict", "scheme": "iob2"},
    "conlleval": {"profile": "conlleval"},
    "seqscore": {"profile": "seqscore", "scheme": "iob2", "repair": "begin"},
    "nervaluate": {"profile": "nervaluate", "labels": ["PER", "LOC"]},
}
OF_SPANS: dict[str, dict[str, Any]] = {
    "the default": {},
    "seqeval": {"profile": "seqeval"},
    "spacy": {"profile": "spacy"},
    "nervaluate": {"profile": "nervaluate", "labels": ["PER"]},
}


def tags_of(draw: random.Random, documents: int) -> tuple[Tags, Tags]:
    sizes = [draw.randint(0, 6) for _ in range(documents)]
    first, second = ([draw.choices(TAGS, k=size) for size in sizes] for _ in range(2))
    return first, second


def spans_of(draw: random.Random, documents: int) -> tuple[Spans, Spans]:
    def side() -> Spans:
        starts = [[draw.randint(0, 4) for _ in range(draw.randint(0, 3))] for _ in range(documents)]
        return [[(s, s + draw.randint(1, 3), draw.choice(["PER", "LOC"])) for s in own] for own in starts]

    return side(), side()


def parts_of(draw: random.Random, predictions: Any, references: Any, **options: Any) -> list[NamedEntityAccumulator]:
    """The documents, cut into batches anywhere and given to three accumulators."""
    parts = [NamedEntityAccumulator(**options) for _ in range(3)]
    number = len(references)
    edges = sorted({0, number, *(draw.randint(0, number) for _ in range(4))})
    for low, high in pairwise(edges):
        draw.choice(parts).update(predictions[low:high], references[low:high])
    return parts


def figures(run: Run) -> dict[str, Any]:
    """All that is in the JSON of a run, but for warnings, which have no places in an accumulator."""
    return {name: value for name, value in run.to_dict().items() if name != "warnings"}


def warnings_of(run: Run) -> list[tuple[str, str, int]]:
    return sorted((warning.code, warning.message, warning.count) for warning in run.warnings)


@given(st.randoms(use_true_random=False), st.sampled_from(sorted(OF_TAGS)))
def test_merged_batches_of_tags_score_as_one_corpus(
    draw: random.Random,
    name: str,
) -> None:
    predictions, references = tags_of(draw, draw.randint(1, 12))
    parts = parts_of(draw, predictions, references, **OF_TAGS[name])
    draw.shuffle(parts)
    how: dict[str, Any] = {"confidence": 0.9, "resamples": 50, "seed": 3}
    whole = isogloss.ner(references, predictions, **OF_TAGS[name], **how)
    together = reduce(NamedEntityAccumulator.merge, parts).compute(**how)
    assert figures(together) == figures(whole)
    assert warnings_of(together) == warnings_of(whole)


@given(st.randoms(use_true_random=False), st.sampled_from(sorted(OF_SPANS)))
def test_merged_batches_of_spans_score_as_one_corpus(
    draw: random.Random,
    name: str,
) -> None:
    predictions, references = spans_of(draw, draw.randint(1, 12))
    assume(any(predictions) or any(references))  # without any span nobody can tell spans from tags
    parts = parts_of(draw, predictions, references, **OF_SPANS[name])
    draw.shuffle(parts)
    how: dict[str, Any] = {"confidence": 0.9, "resamples": 50}
    together = reduce(NamedEntityAccumulator.merge, parts).compute(**how)
    assert figures(together) == figures(isogloss.ner(references, predictions, **OF_SPANS[name], **how))


def test_what_was_counted_is_scored() -> None:
    accumulator = NamedEntityAccumulator(scheme="iob2")
    accumulator.update(predictions=[["B-PER", "O", "O"]], references=[["B-PER", "I-PER", "O"]])
    accumulator.update(predictions=[["B-LOC"], ["O"]], references=[["B-LOC"], ["B-PER"]])
    run = accumulator.compute()
    # Two predicted spans and three reference spans: one is right, one overlaps, one is missed.
    assert run.documents == accumulator.documents == 3
    assert run.scores["strict"].precision == 1 / 2
    assert run.scores["partial"].recall == 1.5 / 3
    assert run.by_label["PER"]["strict"].missed == 1
    assert run.scores["tokens"].accuracy == 3 / 5


def test_compute_applies_the_interval_options() -> None:
    references, predictions = [["B-PER", "O", "B-LOC"]] * 9, [["B-PER", "O", "O"]] * 9
    accumulator = NamedEntityAccumulator(scheme="iob2")
    accumulator.update(predictions, references)
    how: dict[str, Any] = {"confidence": 0.9, "interval": "wilson"}
    run = accumulator.compute(**how)
    assert run.intervals["strict.recall"].method == "wilson"
    assert figures(run) == figures(isogloss.ner(references, predictions, scheme="iob2", **how))


def test_counting_goes_on_after_scoring() -> None:
    accumulator = NamedEntityAccumulator(scheme="iob2")
    accumulator.update([["B-PER"]], [["O"]])
    assert accumulator.compute().scores["strict"].precision == 0
    accumulator.update([["B-PER"]], [["B-PER"]])
    assert accumulator.compute().scores["strict"].precision == 0.5


def test_after_a_reset_nothing_is_left_but_the_options() -> None:
    accumulator = NamedEntityAccumulator(zero_division=1)
    accumulator.update([[(0, 1, "PER")]], [[(0, 2, "PER")]])
    accumulator.reset()
    accumulator.update([[]], [[]])
    run = accumulator.compute()
    assert (run.documents, run.scores["strict"].possible, run.scores["strict"].f1) == (1, 0, 1)


def test_nothing_counted_is_no_score() -> None:
    accumulator = NamedEntityAccumulator(scheme="iob2")
    accumulator.update([], [])
    with pytest.raises(DataError, match=r"update\(predictions, references\)"):
        accumulator.compute()


def test_documents_without_tags_count_as_documents() -> None:
    accumulator = NamedEntityAccumulator()
    accumulator.update([[], []], [[], []])
    assert math.isnan(accumulator.compute().scores["strict"].f1)
    assert accumulator.documents == 2


def test_a_batch_that_fails_leaves_everything_as_it_was() -> None:
    accumulator = NamedEntityAccumulator(scheme="iob2", repair="error")
    accumulator.update([["B-PER"]], [["B-PER"]])
    before = figures(accumulator.compute())
    with pytest.raises(TagError, match=r"prediction\[1\]\[0\].*does not fit IOB2"):
        accumulator.update([["B-PER"], ["I-PER"]], [["O"], ["O"]])
    with pytest.raises(MismatchError, match="the reference has 1 document, the prediction 2"):
        accumulator.update([["O"], ["O"]], [["O"]])
    with pytest.raises(UsageError):
        accumulator.update([[(0, 1, "PER")]], [[(0, 1, "PER")]])
    assert figures(accumulator.compute()) == before


def test_thai_and_arabic_labels_are_merged_by_name() -> None:
    one, other = NamedEntityAccumulator(scheme="iob2"), NamedEntityAccumulator(scheme="iob2")
    one.update([["B-บุคคล"]], [["B-บุคคล"]])
    other.update([["B-مكان", "B-บุคคล"]], [["B-مكان", "O"]])
    by_label = one.merge(other).compute().by_label
    assert {label: by_label[label]["strict"].precision for label in by_label} == {"บุคคล": 0.5, "مكان": 1}


def test_merging_leaves_the_other_as_it_was() -> None:
    one, other = NamedEntityAccumulator(scheme="iob2"), NamedEntityAccumulator(scheme="iob2")
    one.update([["B-PER"]], [["B-PER"]])
    other.update([["B-LOC"]], [["O"]])
    before = figures(other.compute())
    assert one.merge_state(other) is one
    one.update([["O"]], [["B-LOC"]])
    assert figures(other.compute()) == before
    assert (one.documents, other.documents) == (3, 1)


def test_an_accumulator_that_was_pickled_goes_on() -> None:
    accumulator = NamedEntityAccumulator(profile="seqeval-strict", scheme="bilou")
    accumulator.update([["U-PER", "O"]], [["U-PER", "O"]])
    copy = pickle.loads(pickle.dumps(accumulator))
    copy.update([["O", "U-PER"]], [["U-PER", "O"]])
    assert copy.compute().scores["strict"].f1 == 0.5
    assert accumulator.compute().scores["strict"].f1 == 1


def test_two_processes_have_the_scores_and_intervals_of_one() -> None:
    draw = random.Random(7)
    predictions, references = tags_of(draw, 60)
    options: dict[str, Any] = {"scheme": "iob2"}
    with multiprocessing.get_context("spawn").Pool(2, maxtasksperchild=1) as pool:
        results = [
            pool.apply_async(count_documents, (predictions[part], references[part]), options)
            for part in (slice(0, 20), slice(20, 45), slice(45, 60))
        ]
        found = [result.get(timeout=60) for result in results]
    assert len({process for process, _ in found}) > 1
    how: dict[str, Any] = {"confidence": 0.95, "resamples": 200}
    whole = figures(isogloss.ner(references, predictions, **options, **how))
    for parts in permutations(pickle.dumps(part) for _, part in found):
        merged = reduce(NamedEntityAccumulator.merge, map(pickle.loads, parts))
        assert figures(merged.compute(**how)) == whole


def test_documents_that_were_counted_before_take_no_more_memory() -> None:
    draw = random.Random(1)
    predictions, references = tags_of(draw, 300)
    accumulator = NamedEntityAccumulator(scheme="iob2")

    def size() -> int:
        return len(pickle.dumps(accumulator))

    def count(times: int) -> None:
        for _ in range(times):
            accumulator.update(predictions, references)
            accumulator.compute()

    count(1)
    once = size()
    count(20)
    assert accumulator.documents == 21 * 300
    assert size() < once + 300  # bytes: one for each document of a batch would be more


def test_small_batches_are_merged_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.integrations.accumulator.MIN_MERGED_ROWS", 16)
    accumulator = NamedEntityAccumulator()
    for k in range(200):
        accumulator.update([[(0, 1, f"L{k % 7}")]], [[(0, 1, "L0")]])
        assert len(accumulator._tallies) <= 17
    assert accumulator.documents == 200
    assert accumulator.compute().scores["strict"].correct == 29  # of 200 numbers from 0 those that 7 divides


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scheme": "auto"}, "requires a whole corpus"),
        ({"scheme": "iob"}, "Unknown scheme 'iob'"),
        ({"scheme": "iob2", "repair": "mend"}, "Unknown repair 'mend'"),
        ({"scheme": "iob2", "notation": "infix"}, "Unknown notation 'infix'"),
        ({"notation": "suffix"}, "requires a scheme"),
        ({"profile": "seqeval", "notation": "suffix"}, "no profile"),
        ({"profile": "seqeval", "scheme": "iob2"}, "does not support --scheme"),
        ({"profile": "seqeval", "repair": "begin"}, "does not support --repair"),
        ({"profile": "nervaluate"}, "labels of the whole reference"),
        ({"profile": "seqscore", "beta": 2.0}, "does not support beta"),
        ({"profile": "seqval"}, "Unknown profile 'seqval'; did you mean seqeval"),
        ({"zero_division": 2}, "zero_division must be 0, 1 or left out, got 2"),
        ({"labels": "PER"}, "labels must be a list of strings"),
    ],
)
def test_options_that_cannot_be_meant_are_refused_at_once(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        NamedEntityAccumulator(**options)


@pytest.mark.parametrize("options", [{}, {"profile": "seqeval-strict"}])
def test_tags_without_a_scheme_are_refused_with_what_to_do(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="name it, such as scheme='iob2'"):
        NamedEntityAccumulator(**options).update([["B-PER"]], [["B-PER"]])


def test_what_is_counted_in_different_ways_is_not_merged() -> None:
    one = NamedEntityAccumulator(scheme="iob2")
    for other in (
        NamedEntityAccumulator(scheme="bilou"),
        NamedEntityAccumulator(scheme="iob2", zero_division=0),
        {"documents": 3},
    ):
        with pytest.raises(UsageError, match=r"scheme='iob2', repair='begin', .*documents=0> and "):
            one.merge(other)  # type: ignore[arg-type]


def test_tags_and_spans_are_not_counted_together() -> None:
    tags, spans = (NamedEntityAccumulator(profile="seqeval") for _ in range(2))
    tags.update([["B-PER"]], [["B-PER"]])
    spans.update([[(0, 1, "PER")]], [[(0, 1, "PER")]])
    with pytest.raises(UsageError, match="spans cannot be counted together with tags"):
        tags.update([[(0, 1, "PER")]], [[(0, 1, "PER")]])
    with pytest.raises(UsageError, match="tags cannot be counted together with spans"):
        spans.merge(tags)
    assert (tags.documents, spans.documents) == (1, 1)


def test_spans_have_no_scheme() -> None:
    with pytest.raises(UsageError, match="create the accumulator without 'iob2'"):
        NamedEntityAccumulator(scheme="iob2").update([[(0, 1, "PER")]], [[(0, 1, "PER")]])


def test_files_are_not_counted() -> None:
    with pytest.raises(UsageError, match=r"isogloss\.ner reads files"):
        NamedEntityAccumulator(scheme="iob2").update("system.conll", "gold.conll")


@pytest.mark.parametrize(
    ("options", "predicted", "reference"),
    [
        ({"scheme": "iob2", "notation": "suffix"}, ["PER-B", "O"], ["PER-B", "PER-I"]),
        ({"scheme": "io", "notation": "bare"}, ["PER", "O"], ["PER", "PER"]),
        ({"scheme": "bmes"}, ["S-PER", "O"], ["B-PER", "E-PER"]),
    ],
)
def test_tags_are_read_in_the_given_scheme_and_notation(
    options: dict[str, Any],
    predicted: Sequence[str],
    reference: Sequence[str],
) -> None:
    accumulator = NamedEntityAccumulator(**options)
    accumulator.update([predicted], [reference])
    assert accumulator.compute().scores["partial"].f1 == 0.5


def test_tags_in_another_notation_are_refused() -> None:
    accumulator = NamedEntityAccumulator(scheme="iob2")
    with pytest.raises(TagError, match=r"reference\[0\]\[0\]: unknown tag 'PER-B'"):
        accumulator.update([["O"]], [["PER-B"]])


def test_without_a_process_group_what_is_gathered_is_a_copy() -> None:
    accumulator = NamedEntityAccumulator(scheme="iob2")
    accumulator.update([["B-PER"]], [["B-PER"]])
    gathered = accumulator.gather()
    gathered.update([["B-PER"]], [["O"]])
    assert (gathered.documents, accumulator.documents) == (2, 1)
    assert figures(accumulator.gather().compute()) == figures(accumulator.compute())


def test_it_shows_its_options_and_how_much_it_has_counted() -> None:
    accumulator = NamedEntityAccumulator(profile="seqscore", scheme="iob1")
    accumulator.update([["I-PER"]], [["I-PER"]])
    assert repr(accumulator) == (
        "<NamedEntityAccumulator scheme='iob1', repair='error', profile='seqscore', notation='prefix', documents=1>"
    )
