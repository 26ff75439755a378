"""What the profiles say of the inputs that tools disagree about, what they refuse, and what must not change them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from peer_comparison import Documents, read_tags, score_batches
from tag_batches import list_spans

from isogloss.errors import TagError, UsageError
from isogloss.formats.python_lists import batch_span_lists
from isogloss.kernel.counted_corpus import count_batches
from isogloss.spans.batches import SpanPairs
from isogloss.tasks.ner.options import PROFILES
from isogloss.tasks.ner.profiles import NerProfile, list_reference_labels
from isogloss.tasks.ner.profiles.exact_chunks import JudgedSpanPairs

Way = tuple[str, str | None, Any]  # profile, scheme, repair
BEGIN, DISCARD, ERROR = (("seqscore", "iob2", repair) for repair in ("begin", "discard", "error"))
SEQEVAL, STRICT = ("seqeval", None, None), ("seqeval-strict", "iob2", None)
CONLLEVAL, NERVALUATE = ("conlleval", None, None), ("nervaluate", None, None)
ALL = (SEQEVAL, STRICT, CONLLEVAL, NERVALUATE, BEGIN, DISCARD)
NAMES = ("conlleval", "nervaluate", "seqeval", "seqeval-strict", "seqscore")
TAGS = ("O", "B-P", "I-P", "B-Q", "I-Q")
ODD_TAGS = (*TAGS, "X", "X-P", "S", "E-P", ".-P", "O-P", "[-P")


def read(way: Way, *sides: Documents) -> list[SpanPairs]:
    return read_tags(way[0], *sides, scheme=way[1], repair=way[2])


def scored(way: Way, *sides: Documents) -> Any:
    return score_batches(way[0], read(way, *sides))


def list_reference_spans(way: Way, tags: list[str]) -> list[tuple[int, int, str]]:
    return list_spans(read(way, [tags], [["O"] * len(tags)])[0], "reference")[0]


@pytest.mark.parametrize("name", NAMES)
def test_profile_is_registered_by_its_name(name: str) -> None:
    profile = PROFILES.load(name)
    assert isinstance(profile, NerProfile)
    assert profile.name == name


# Inputs that tools disagree about: golden values seen from the tools themselves.

LENIENT, EXACT = (SEQEVAL, CONLLEVAL, BEGIN), (SEQEVAL, STRICT, CONLLEVAL, BEGIN, DISCARD)
DISAGREEMENTS: list[tuple[str, str, str, str, tuple[Way, ...], float]] = [
    ("B-P I-P O", "I-P I-P O", "strict", "f1", (*LENIENT, NERVALUATE), 1),
    ("B-P I-P O", "I-P I-P O", "strict", "f1", (STRICT, DISCARD), 0),
    ("B-P I-P I-P", "B-P I-L I-L", "strict", "spurious", LENIENT, 2),
    ("B-P I-P I-P", "B-P I-L I-L", "strict", "spurious", (STRICT, DISCARD), 1),
    ("B-P I-P I-P", "B-P I-L I-L", "type", "f1", (NERVALUATE,), 2 / 3),
    ("O O", "O O", "strict", "f1", ALL, 0),
    ("O O | B-P O", "B-P O | O O", "strict", "f1", ALL, 0),
    ("B-P B-P", "B-P I-P", "strict", "f1", ALL, 0),
    ("B-P B-P", "B-P I-P", "strict", "incorrect", (NERVALUATE,), 1),
    ("B-P B-P", "B-P I-P", "strict", "missed", (NERVALUATE,), 1),
    ("B-P O", "B-P B-L", "strict", "f1", EXACT, 2 / 3),
]


@pytest.mark.parametrize(("reference", "prediction", "group", "name", "ways", "expected"), DISAGREEMENTS)
def test_tags_score_as_by_the_tool(
    reference: str, prediction: str, group: str, name: str, ways: tuple[Way, ...], expected: float
) -> None:
    sides = [[document.split() for document in side.split(" | ")] for side in (reference, prediction)]
    assert [scored(way, *sides)[group, name] for way in ways] == pytest.approx([expected] * len(ways))


SHORT_AND_EXACT, TWICE = [(0, 1, "L"), (0, 2, "P")], [(0, 2, "P"), (0, 2, "P")]


@pytest.mark.parametrize(
    ("name", "predicted", "f1"),
    [
        ("nervaluate", SHORT_AND_EXACT, 0),  # takes the first overlap
        *((name, SHORT_AND_EXACT, 2 / 3) for name in ("seqscore", "seqeval", "seqeval-strict", "conlleval")),
        ("nervaluate", TWICE, 2 / 3),
        *((name, TWICE, 1) for name in ("seqscore", "seqeval", "conlleval")),
    ],
)
def test_spans_score_as_by_the_tool(name: str, predicted: list[Any], f1: float) -> None:
    result = score_batches(name, batch_span_lists([[(0, 2, "P")]], [predicted]))
    assert result["strict", "f1"] == pytest.approx(f1)
    assert result["by_label", "P", "strict", "f1"] == pytest.approx(f1 if predicted is TWICE else 1)


def test_seqeval_has_no_macro_average_without_entities() -> None:
    for way in (SEQEVAL, STRICT):
        assert math.isnan(scored(way, [["O", "O"]], [["O", "O"]])["macro", "strict", "f1"])


def test_nervaluate_scores_the_labels_of_the_reference() -> None:
    assert list_reference_labels(read(NERVALUATE, [["B-P", "O"]], [["B-P", "B-L"]])) == ("P",)
    assert PROFILES.load("nervaluate").scored_labels == "reference"


# What is refused.


@pytest.mark.parametrize(
    ("name", "scheme", "repair", "message"),
    [
        *((name, "iob2", None, "Leave the scheme out") for name in ("seqeval", "conlleval", "nervaluate")),
        *(("seqeval-strict", scheme, None, "iob1, iob2, ioe2, iobes, bilou") for scheme in ("ioe1", "bmes", None)),
        *((name, None, "begin", "repair") for name in ("seqeval", "conlleval", "nervaluate")),
        ("seqeval-strict", "iob2", "begin", "repair"),
        ("seqscore", "iobes", "begin", "does not support --repair"),
        ("seqscore", "io", "discard", "does not support --repair"),
        ("seqscore", "iob1", "discard", "does not support --repair"),
    ],
)
def test_scheme_or_repair_is_refused(name: str, scheme: str | None, repair: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        PROFILES.load(name).build_decoder(scheme, repair)


def test_seqscore_refuses_invalid_tags_by_default() -> None:
    assert PROFILES.load("seqscore").repairs[0] == "error"


def test_unsupported_metric_options_are_refused() -> None:
    for name in ("conlleval", "nervaluate", "seqscore"):
        with pytest.raises(UsageError, match="does not support beta"):
            PROFILES.load(name).configure_metric(beta=2.0)
    with pytest.raises(UsageError, match=r"does not support macro_over\. Choose from beta, zero_division"):
        PROFILES.load("seqeval").configure_metric(macro_over="reference")


# Properties.


@st.composite
def corpora(draw: st.DrawFn, tags: tuple[str, ...]) -> tuple[Documents, Documents]:
    lengths = draw(st.lists(st.integers(0, 5), min_size=2, max_size=6))
    sides = [[draw(st.lists(st.sampled_from(tags), min_size=n, max_size=n)) for n in lengths] for _ in range(2)]
    return sides[0], sides[1]


def equal(one: Any, other: Any) -> bool:
    return one.keys() == other.keys() and np.array_equal(list(one.values()), list(other.values()), equal_nan=True)


@pytest.mark.parametrize("way", ALL)
@given(data=st.data(), at=st.integers(1, 5))
def test_cutting_a_corpus_into_batches_changes_nothing(way: Way, data: st.DataObject, at: int) -> None:
    pair = data.draw(corpora(ODD_TAGS if way in (SEQEVAL, CONLLEVAL) else TAGS))
    parts = [read(way, *(side[part] for side in pair)) for part in (slice(0, at), slice(at, None))]
    moved = [replace(b, documents=b.documents + at * k) for k, batches in enumerate(parts) for b in batches]
    assert equal(score_batches(way[0], moved), scored(way, *pair))


@given(pair=corpora(TAGS))
def test_lenient_tools_agree_and_strict_tools_agree_on_bio(pair: tuple[Documents, Documents]) -> None:
    key = [("strict", name) for name in ("correct", "possible", "actual")]
    for group in ((SEQEVAL, CONLLEVAL, BEGIN, NERVALUATE), (STRICT, DISCARD)):
        results = [scored(way, *pair) for way in group]
        assert all([result[k] for k in key[1:]] == [results[0][k] for k in key[1:]] for result in results)
        exact = [result["strict", "correct"] for way, result in zip(group, results, strict=True) if way != NERVALUATE]
        assert len(set(exact)) == 1


@pytest.mark.parametrize("way", [SEQEVAL, STRICT, CONLLEVAL, BEGIN, DISCARD])
@given(pair=corpora(TAGS))
def test_swapping_the_sides_swaps_precision_and_recall(way: Way, pair: tuple[Documents, Documents]) -> None:
    one, other = scored(way, *pair), scored(way, *reversed(pair))
    assert one["strict", "precision"] == other["strict", "recall"]
    assert one["strict", "f1"] == other["strict", "f1"]


@pytest.mark.parametrize("way", ALL)
@given(pair=corpora(TAGS))
def test_a_perfect_prediction_has_only_correct_spans(way: Way, pair: tuple[Documents, Documents]) -> None:
    result = scored(way, pair[0], pair[0])
    assert result["strict", "correct"] == result["strict", "possible"] == result["strict", "actual"]
    assert result["strict", "missed"] == result["strict", "spurious"] == 0


# How each tool reads tags, and what it makes of odd input.


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
        assert list_reference_spans(way, tags.split()) == spans


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
        (ERROR, "I-P I-P O"),
        (("seqscore", "iob1", "error"), "O B-P"),
        (("seqscore", "iob1", "begin"), "BI-P"),
        (("seqscore", "iobes", "error"), "B-P I-P"),
    ]:
        with pytest.raises(TagError):
            list_reference_spans(way, tags.split())


def test_a_b_that_does_not_fit_iob_is_located() -> None:
    with pytest.raises(TagError, match=r"prediction\[1\]\[2\]: 'B-P' does not follow"):
        read(("seqscore", "iob1", "error"), [["O"], ["O", "O", "O"]], [["O"], ["I-Q", "O", "B-P"]])


def test_conlleval_compares_prefixes_and_labels_of_tags() -> None:
    result = scored(CONLLEVAL, [["B-0", "B", "B-P"]], [["B", "B-", "I-P"]])
    assert (result["tokens", "correct"], result["tokens", "total"]) == (2, 3)


def test_conlleval_chunk_begun_twice_by_both_is_correct_once() -> None:
    result = scored(CONLLEVAL, [["I-P", "[-P"]], [["I-P", "[-P"]])
    assert [result["strict", name] for name in ("possible", "actual", "correct")] == [2, 2, 1]


def test_conlleval_chunk_begun_twice_on_one_side_is_correct() -> None:
    result = scored(CONLLEVAL, [["I-P", "[-P"]], [["I-P", "I-P"]])
    assert [result["strict", name] for name in ("possible", "actual", "correct")] == [2, 1, 1]


def test_seqeval_weighted_averages_need_reference_spans() -> None:
    result = score_batches("seqeval", read(SEQEVAL, [["O"]], [["B-P"]]), zero_division=1.0)
    assert [result["weighted", "strict", name] for name in ("precision", "recall", "f1")] == [0, 1, 0]


def test_macro_mean_skips_labels_that_a_document_lacks() -> None:
    reference, prediction = [["B-P", "O"], ["B-Q", "O"]], [["B-P", "O"], ["O", "O"]]
    metric = PROFILES.load("seqeval").configure_metric()
    tally = count_batches(read(SEQEVAL, reference, prediction), metric).tally
    parts = [metric.score(sums) for _, sums in tally.iterate_sums()]
    assert sorted(parts[0]["macro", "strict", "f1"].tolist()) == [0, 1]
    assert parts[0]["macro", "strict", "labels"].tolist() == [1, 1]


def test_nervaluate_needs_one_per_cent_of_the_reference_span() -> None:
    result = score_batches(
        "nervaluate", list(batch_span_lists([[(0, 100, "P"), (200, 301, "P")]], [[(0, 1, "P"), (200, 201, "P")]]))
    )
    assert [result["type", name] for name in ("correct", "missed", "spurious")] == [1, 1, 1]


def test_nervaluate_pairs_the_closest_of_several_spans_by_type() -> None:
    spans = [[(0, 2, "P"), (1, 6, "P")]], [[(1, 5, "P"), (0, 1, "P")]]
    result = score_batches("nervaluate", list(batch_span_lists(*spans)))
    assert (result["type", "correct"], result["strict", "incorrect"]) == (2, 2)


SPAN = st.tuples(st.integers(0, 3), st.integers(1, 3), st.sampled_from("PQ")).map(lambda s: (s[0], s[0] + s[1], s[2]))
SIDE = st.lists(st.lists(SPAN, max_size=4), min_size=2, max_size=2)


@given(reference=SIDE, prediction=SIDE)
def test_exact_chunks_are_sets_of_spans(reference: Any, prediction: Any) -> None:
    result = score_batches("seqscore", list(batch_span_lists(reference, prediction)))
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
    result = score_batches("conlleval", [only_q])
    assert [result["by_label", "Q", "strict", name] for name in ("possible", "actual", "correct_reference")] == [
        1,
        1,
        1,
    ]


def test_conlleval_leaves_a_chunk_open_that_nothing_ends() -> None:
    result = scored(CONLLEVAL, [["B-P", "S"]], [["B-P", "S"]])
    assert (result["strict", "possible"], result["strict", "correct"]) == (2, 1)
