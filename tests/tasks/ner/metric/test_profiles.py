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
from isogloss.kernel.counting import count_batches
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


def test_the_registry_has_the_five_tools() -> None:
    assert set(NAMES) <= set(PROFILES.list_names())


@pytest.mark.parametrize("name", NAMES)
def test_a_profile_has_the_name_it_is_registered_by(name: str) -> None:
    assert PROFILES.load(name).name == name


# The table of inputs that tools disagree about: golden values seen from the tools themselves.


@pytest.mark.parametrize(
    ("way", "f1"), [(SEQEVAL, 1), (STRICT, 0), (CONLLEVAL, 1), (NERVALUATE, 1), (BEGIN, 1), (DISCARD, 0)]
)
def test_a_span_that_starts_with_i(way: Way, f1: float) -> None:
    assert scored(way, [["B-P", "I-P", "O"]], [["I-P", "I-P", "O"]])["strict", "f1"] == f1


def test_a_span_that_starts_with_i_is_refused_by_seqscore_without_repair() -> None:
    with pytest.raises(TagError):
        read(ERROR, [["B-P", "I-P", "O"]], [["I-P", "I-P", "O"]])


@pytest.mark.parametrize(("way", "spurious"), [(SEQEVAL, 2), (STRICT, 1), (CONLLEVAL, 2), (BEGIN, 2), (DISCARD, 1)])
def test_a_span_that_changes_its_label(way: Way, spurious: int) -> None:
    assert scored(way, [["B-P", "I-P", "I-P"]], [["B-P", "I-L", "I-L"]])["strict", "spurious"] == spurious


def test_a_span_that_changes_its_label_is_half_right_by_type_in_nervaluate() -> None:
    batches = read(NERVALUATE, [["B-P", "I-P", "I-P"]], [["B-P", "I-L", "I-L"]])
    assert score_batches("nervaluate", batches)["type", "f1"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("way", ALL)
def test_no_entities_at_all_give_0(way: Way) -> None:
    assert scored(way, [["O", "O"]], [["O", "O"]])["strict", "f1"] == 0


@pytest.mark.parametrize("way", [SEQEVAL, STRICT])
def test_no_entities_at_all_have_no_macro_average_in_seqeval(way: Way) -> None:
    assert math.isnan(scored(way, [["O", "O"]], [["O", "O"]])["macro", "strict", "f1"])


@pytest.mark.parametrize("way", ALL)
def test_spans_of_different_documents_do_not_meet(way: Way) -> None:
    result = scored(way, [["O", "O"], ["B-P", "O"]], [["B-P", "O"], ["O", "O"]])
    assert result["strict", "f1"] == 0


@pytest.mark.parametrize("way", ALL)
def test_two_spans_predicted_as_one(way: Way) -> None:
    assert scored(way, [["B-P", "B-P"]], [["B-P", "I-P"]])["strict", "f1"] == 0


def test_two_spans_predicted_as_one_are_incorrect_and_missed_in_nervaluate() -> None:
    result = scored(NERVALUATE, [["B-P", "B-P"]], [["B-P", "I-P"]])
    assert (result["strict", "incorrect"], result["strict", "missed"], result["strict", "spurious"]) == (1, 1, 0)


def test_nervaluate_takes_the_first_overlap_overall_and_the_exact_span_by_label() -> None:
    batches = list(batch_span_lists([[(0, 2, "P")]], [[(0, 1, "L"), (0, 2, "P")]]))
    result = score_batches("nervaluate", batches)
    assert result["strict", "f1"] == 0
    assert result["by_label", "P", "strict", "f1"] == 1


@pytest.mark.parametrize("name", ["seqscore", "seqeval", "seqeval-strict", "conlleval"])
def test_exact_chunks_find_the_exact_span_beside_an_overlap(name: str) -> None:
    batches = list(batch_span_lists([[(0, 2, "P")]], [[(0, 1, "L"), (0, 2, "P")]]))
    assert score_batches(name, batches)["strict", "f1"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(("name", "f1"), [("nervaluate", 2 / 3), ("seqscore", 1), ("seqeval", 1), ("conlleval", 1)])
def test_a_prediction_listed_twice(name: str, f1: float) -> None:
    batches = list(batch_span_lists([[(0, 2, "P")]], [[(0, 2, "P"), (0, 2, "P")]]))
    assert score_batches(name, batches)["strict", "f1"] == pytest.approx(f1)


@pytest.mark.parametrize("way", [SEQEVAL, STRICT, CONLLEVAL, BEGIN, DISCARD])
def test_a_label_of_the_prediction_alone_counts(way: Way) -> None:
    assert scored(way, [["B-P", "O"]], [["B-P", "B-L"]])["strict", "f1"] == pytest.approx(2 / 3)


def test_a_label_of_the_prediction_alone_is_not_among_those_of_the_reference() -> None:
    assert list_reference_labels(read(NERVALUATE, [["B-P", "O"]], [["B-P", "B-L"]])) == ("P",)
    assert PROFILES.load("nervaluate").scored_labels == "reference"


# What is refused.


@pytest.mark.parametrize("name", ["seqeval", "conlleval", "nervaluate"])
def test_a_tool_with_one_rule_takes_no_scheme(name: str) -> None:
    with pytest.raises(UsageError, match="Leave the scheme out"):
        PROFILES.load(name).build_decoder("iob2")


@pytest.mark.parametrize("scheme", ["ioe1", "bmes", None])
def test_seqeval_strict_takes_the_schemes_it_reads_rightly(scheme: str | None) -> None:
    with pytest.raises(UsageError, match="iob1, iob2, ioe2, iobes, bilou"):
        PROFILES.load("seqeval-strict").build_decoder(scheme)


@pytest.mark.parametrize("name", ["seqeval", "seqeval-strict", "conlleval", "nervaluate"])
def test_a_tool_with_its_own_way_takes_no_repair(name: str) -> None:
    profile = PROFILES.load(name)
    with pytest.raises(UsageError, match="repair"):
        profile.build_decoder(next(iter(profile.schemes), None), "begin")


def test_seqscore_repairs_nothing_unless_asked() -> None:
    assert PROFILES.load("seqscore").repairs[0] == "error"


@pytest.mark.parametrize(("scheme", "repair"), [("iobes", "begin"), ("io", "discard"), ("iob1", "discard")])
def test_seqscore_has_few_repairs(scheme: str, repair: Any) -> None:
    with pytest.raises(UsageError, match="does not support --repair"):
        PROFILES.load("seqscore").build_decoder(scheme, repair)


@pytest.mark.parametrize("name", ["conlleval", "nervaluate", "seqscore"])
def test_options_that_a_tool_does_not_have_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="does not support beta"):
        PROFILES.load(name).configure_metric(beta=2.0)


def test_options_that_a_tool_has_are_named_when_others_are_refused() -> None:
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
def test_on_any_bio_the_lenient_tools_agree_and_so_do_the_strict_ones(pair: tuple[Documents, Documents]) -> None:
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


def test_a_profile_is_a_value() -> None:
    assert isinstance(PROFILES.load("seqeval"), NerProfile)
    with pytest.raises(AttributeError):
        PROFILES.load("seqeval").name = "other"


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
        (("seqscore", "iob1", "error"), "O B-P"),
        (("seqscore", "iob1", "begin"), "BI-P"),
        (("seqscore", "iobes", "error"), "B-P I-P"),
    ]:
        with pytest.raises(TagError):
            list_reference_spans(way, tags.split())


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
    result = score_batches("seqeval", read(SEQEVAL, [["O"]], [["B-P"]]), zero_division=1.0)
    assert [result["weighted", "strict", name] for name in ("precision", "recall", "f1")] == [0, 1, 0]


def test_a_mean_over_labels_leaves_out_those_that_a_part_of_the_corpus_does_not_have() -> None:
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
