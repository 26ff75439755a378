"""How each tool reads tags and what it makes of odd input: values worked out by hand, quirk by quirk."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import TagError
from isogloss.formats.python_lists import batch_span_lists, batch_tag_lists
from isogloss.kernel.counting import count_batches
from isogloss.runs.evidence import TallyEvidence
from isogloss.spans.batches import SpanPairs
from isogloss.tasks.ner.chunks import JudgedSpanPairs
from isogloss.tasks.ner.options import PROFILES

Documents = list[list[str]]
Way = tuple[str, str | None, Any]
BEGIN, DISCARD, ERROR = (("seqscore", "iob2", repair) for repair in ("begin", "discard", "error"))
SEQEVAL, STRICT = ("seqeval", None, None), ("seqeval-strict", "iob2", None)
CONLLEVAL, NERVALUATE = ("conlleval", None, None), ("nervaluate", None, None)


def read(way: Way, reference: Documents, prediction: Documents) -> list[SpanPairs]:
    name, scheme, repair = way
    return list(map(PROFILES.load(name).build_decoder(scheme, repair), batch_tag_lists(reference, prediction)))


def numbers(name: str, batches: list[SpanPairs]) -> Any:
    metric = PROFILES.load(name).configure_metric()
    return TallyEvidence(metric, count_batches(batches, metric).tally).numbers


def scored(way: Way, reference: Documents, prediction: Documents) -> Any:
    return numbers(way[0], read(way, reference, prediction))


def spans_of(way: Way, tags: list[str]) -> list[tuple[int, int, str]]:
    batch = read(way, [tags], [["O"] * len(tags)])[0]
    spans = batch.reference
    return [
        (int(start), int(end), batch.labels[label])
        for start, end, label in zip(spans.start, spans.end, spans.label, strict=True)
    ]


def test_tags_are_read_as_the_tool_reads_them() -> None:
    for way, tags, spans in [
        (SEQEVAL, "ADJ O", [(0, 1, "DJ")]),
        (SEQEVAL, "B", [(0, 1, "_")]),
        (SEQEVAL, "BPER I-PER", [(0, 2, "PER")]),
        (SEQEVAL, "O X O", []),
        (SEQEVAL, "B-A-B", [(0, 1, "A-B")]),
        (SEQEVAL, "B-P E-P I-P", [(0, 2, "P"), (2, 3, "P")]),
        (SEQEVAL, "U-P U-P", [(0, 2, "P")]),
        (SEQEVAL, "O-P X-P O", [(0, 2, "P")]),
        (SEQEVAL, "B-Q O X B-P", [(0, 1, "Q"), (0, 3, "_"), (3, 4, "P")]),
        (STRICT, "B-A-B I-A-B", [(0, 2, "A-B")]),
        (STRICT, "B--A- OTHER O-A", [(0, 1, "A")]),
        (STRICT, "I-P I-P B-P I-Q", [(2, 3, "P")]),
        (("seqeval-strict", "iob1", None), "B-P I-P", [(1, 2, "P")]),
        (("seqeval-strict", "iob1", None), "I-P B-P B-Q", [(0, 1, "P")]),
        (("seqeval-strict", "iobes", None), "B-P I-P O S-P", [(3, 4, "P")]),
        (("seqeval-strict", "ioe2", None), "I-P O I-P E-P E-P", [(2, 4, "P"), (4, 5, "P")]),
        (CONLLEVAL, "S-P S-P", [(0, 2, "P")]),
        (CONLLEVAL, "ADJ B O B-0 B", [(3, 4, ""), (4, 5, "")]),
        (CONLLEVAL, "[-P ]-P I-P", [(0, 1, "P"), (1, 2, "P")]),
        (CONLLEVAL, "B-P E-P B-P", [(0, 3, "P")]),
        (NERVALUATE, "B-P E-P xyP B-P", [(0, 3, "P"), (3, 4, "P")]),
        (NERVALUATE, "I-A-B I-A", [(0, 1, "A-B"), (1, 2, "A")]),
        (BEGIN, "X-P I-P O I-P", [(0, 2, "P"), (3, 4, "P")]),
        (DISCARD, "B-P X-P I-P", [(0, 1, "P")]),
        (("seqscore", "iob1", "begin"), "B-P B-P B-Q", [(0, 1, "P"), (1, 2, "P"), (2, 3, "Q")]),
        (("seqscore", "bmewo", None), "B-P M-P E-P W-P", [(0, 3, "P"), (3, 4, "P")]),
        (("seqscore", "io", None), "I-P I-P I-Q", [(0, 2, "P"), (2, 3, "Q")]),
    ]:
        assert spans_of(way, tags.split()) == spans


def test_tags_are_refused_as_the_tool_refuses_them() -> None:
    for way, tags in [
        (STRICT, "ADJ"),
        (STRICT, "E-P"),
        (NERVALUATE, "ADJ"),
        (NERVALUATE, "S-P"),
        (NERVALUATE, "B-P B"),
        (ERROR, "I-P"),
        (BEGIN, "B"),
        (BEGIN, "O-P"),
        (BEGIN, "B-"),
        (("seqscore", "iob1", "error"), "O B-P"),
        (("seqscore", "iob1", "begin"), "BI-P"),
        (("seqscore", "iobes", "error"), "B-P I-P"),
    ]:
        with pytest.raises(TagError):
            spans_of(way, tags.split())


def test_a_b_that_does_not_fit_iob_is_located() -> None:
    with pytest.raises(TagError, match=r"prediction\[1\]\[2\]: 'B-P' does not follow"):
        read(("seqscore", "iob1", "error"), [["O"], ["O", "O", "O"]], [["O"], ["I-Q", "O", "B-P"]])


def test_conlleval_counts_equal_prefixes_and_labels_as_equal_tags() -> None:
    result = scored(CONLLEVAL, [["B-0", "B", "B-P"]], [["B", "B-", "I-P"]])
    assert (result["tokens", "correct"], result["tokens", "total"]) == (2, 3)


def test_conlleval_counts_one_correct_chunk_where_both_sides_begin_it_twice() -> None:
    result = scored(CONLLEVAL, [["I-P", "[-P"]], [["I-P", "[-P"]])
    assert [result["strict", name] for name in ("possible", "actual", "correct")] == [2, 2, 1]


def test_conlleval_counts_a_chunk_as_correct_that_one_side_begins_again() -> None:
    result = scored(CONLLEVAL, [["I-P", "[-P"]], [["I-P", "I-P"]])
    assert [result["strict", name] for name in ("possible", "actual", "correct")] == [2, 1, 1]


def test_seqeval_weighted_averages_need_reference_spans() -> None:
    metric = PROFILES.load("seqeval").configure_metric(zero_division=1.0)
    batches = read(SEQEVAL, [["O"]], [["B-P"]])
    result: Any = TallyEvidence(metric, count_batches(batches, metric).tally).numbers
    assert [result["weighted", "strict", name] for name in ("precision", "recall", "f1")] == [0, 1, 0]


def test_a_mean_over_labels_leaves_out_those_that_a_part_of_the_corpus_does_not_have() -> None:
    reference, prediction = [["B-P", "O"], ["B-Q", "O"]], [["B-P", "O"], ["O", "O"]]
    metric = PROFILES.load("seqeval").configure_metric()
    tally = count_batches(read(SEQEVAL, reference, prediction), metric).tally
    parts = [metric.score(sums) for _, sums in tally.iterate_sums()]
    assert sorted(parts[0]["macro", "strict", "f1"].tolist()) == [0, 1]
    assert parts[0]["macro", "strict", "labels"].tolist() == [1, 1]


def test_nervaluate_needs_one_per_cent_of_the_reference_span() -> None:
    result = numbers(
        "nervaluate",
        list(batch_span_lists([[(0, 100, "P"), (200, 301, "P")]], [[(0, 1, "P"), (200, 201, "P")]])),
    )
    assert [result["type", name] for name in ("correct", "missed", "spurious")] == [1, 1, 1]


def test_nervaluate_pairs_the_closest_of_several_spans_by_type() -> None:
    spans = [[(0, 2, "P"), (1, 6, "P")]], [[(1, 5, "P"), (0, 1, "P")]]
    result = numbers("nervaluate", list(batch_span_lists(*spans)))
    assert (result["type", "correct"], result["strict", "incorrect"]) == (2, 2)


SPAN = st.tuples(st.integers(0, 3), st.integers(1, 3), st.sampled_from("PQ")).map(lambda s: (s[0], s[0] + s[1], s[2]))
SIDE = st.lists(st.lists(SPAN, max_size=4), min_size=2, max_size=2)


@given(reference=SIDE, prediction=SIDE)
def test_exact_chunks_are_sets_of_spans(reference: Any, prediction: Any) -> None:
    result = numbers("seqscore", list(batch_span_lists(reference, prediction)))
    pairs = [(set(gold), set(found)) for gold, found in zip(reference, prediction, strict=True)]
    assert result["strict", "correct"] == sum(len(gold & found) for gold, found in pairs)
    assert result["strict", "possible"] == sum(len(gold) for gold, _ in pairs)
    assert result["strict", "actual"] == sum(len(found) for _, found in pairs)


def test_judged_spans_keep_their_labels_when_others_are_left_out() -> None:
    batch = read(CONLLEVAL, [["B-P", "B-Q"]], [["B-P", "B-Q"]])[0]
    assert isinstance(batch, JudgedSpanPairs)
    last = batch.reference.take(np.array([1]))
    only_q = replace(
        batch,
        labels=("Q",),
        reference=replace(last, label=last.label * 0),
        predicted=replace(last, label=last.label * 0),
    )
    result = numbers("conlleval", [only_q])
    assert [result["by_label", "Q", "strict", name] for name in ("possible", "actual", "correct_reference")] == [
        1,
        1,
        1,
    ]


def test_conlleval_leaves_a_chunk_open_that_nothing_ends() -> None:
    result = scored(CONLLEVAL, [["B-P", "S"]], [["B-P", "S"]])
    assert (result["strict", "possible"], result["strict", "correct"]) == (2, 1)
