"""What the profile `spacy` of named entities counts, reads and refuses, by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss import ner
from isogloss.errors import TagError, UsageError

SPAN = st.tuples(st.integers(0, 3), st.integers(1, 3), st.sampled_from("PQ")).map(lambda s: (s[0], s[0] + s[1], s[2]))
CORPUS = st.lists(st.tuples(st.lists(SPAN, max_size=4), st.lists(SPAN, max_size=4)), min_size=1, max_size=4)


def scored(reference: Any, prediction: Any, **options: Any) -> dict[str, Any]:
    return ner(reference, prediction, profile="spacy", **options).to_dict()


def test_keys_and_values_stand_at_the_top_of_the_json() -> None:
    found = scored([["B-P", "I-P", "O", "B-Q"]], [["B-P", "I-P", "B-P", "O"]])
    right_p, no_q = {"p": 0.5, "r": 1.0, "f": 2 / 3}, {"p": 0.0, "r": 0.0, "f": 0.0}
    for key in ("ents", "spans_sc"):
        assert [found[f"{key}_{part}"] for part in "prf"] == [0.5, 0.5, 0.5]
        assert found[f"{key}_per_type"] == {"P": pytest.approx(right_p), "Q": no_q}


def test_other_profiles_have_no_such_keys() -> None:
    names = ner([["B-P"]], [["B-P"]], profile="seqeval").to_dict()
    assert not any(name.startswith(("ents", "spans")) for name in names)


def test_repeated_span_is_spurious_as_entity_not_as_span() -> None:
    found = scored([[(0, 2, "P")]], [[(0, 2, "P"), (0, 2, "P")]])
    assert (found["ents_p"], found["spans_sc_p"]) == (0.5, 1.0)
    assert found["scores"]["strict"]["actual"] == 2
    assert found["scores"]["spans"]["actual"] == 1


def test_a_reference_span_listed_twice_is_expected_once() -> None:
    assert scored([[(0, 2, "P"), (0, 2, "P")]], [[(0, 2, "P")]])["ents_r"] == 1


def test_without_a_span_everything_is_undefined() -> None:
    found = scored([["O"]], [["O"]])
    assert [found[f"{key}_{part}"] for key in ("ents", "spans_sc") for part in ("p", "r", "f", "per_type")] == [
        None
    ] * 8


def test_with_spans_on_one_side_nothing_divided_by_nothing_is_0() -> None:
    assert scored([["O"]], [["B-P"]])["ents_r"] == 0
    assert scored([["B-P"]], [["O"]])["ents_p"] == 0


@given(corpus=CORPUS)
def test_counts_are_those_of_taking_spans_out_one_by_one(corpus: list[tuple[Any, Any]]) -> None:
    right = wrong = missed = 0
    for reference, prediction in corpus:
        left = set(reference)
        for span in prediction:
            right, wrong = (right + 1, wrong) if span in left else (right, wrong + 1)
            left.discard(span)
        missed += len(left)
    run = ner([gold for gold, _ in corpus], [found for _, found in corpus], profile="spacy")
    strict = run.scores["strict"]
    assert (strict.correct, strict.spurious, strict.missed) == (right, wrong, missed)
    assert sum(label["strict"].spurious for label in run.by_label.values()) == wrong


@pytest.mark.parametrize("scheme", ["iob1", "iob2", "io"])
def test_i_after_another_label_begins_a_span(scheme: str) -> None:
    strict = scored([["B-P", "I-P", "I-Q"]], [["B-P", "I-P", "O"]], scheme=scheme)["scores"]["strict"]
    assert (strict["possible"], strict["correct"]) == (2, 1)


def test_i_that_begins_a_span_in_iob2_is_warned() -> None:
    run = ner([["O", "I-P"]], [["O", "B-P"]], profile="spacy", scheme="iob2")
    assert run.scores["strict"].correct == 1
    assert [(notice.code, notice.count) for notice in run.warnings if notice.code != "scheme-detected"] == [
        ("tags-repaired", 1)
    ]


@pytest.mark.parametrize("side", [0, 1])
def test_i_at_the_start_of_a_document_is_refused_with_its_place(side: int) -> None:
    sides = [[["O"], [], ["B-P", "I-P"]], [["O"], [], ["B-P", "I-P"]]]
    sides[side][2][0] = "I-P"
    place = rf"{('reference', 'prediction')[side]}\[2\]\[0\]: 'I-P' at the start"
    with pytest.raises(TagError, match=place):
        scored(*sides, scheme="iob2")


def test_tags_that_are_no_b_i_or_o_with_a_label_are_refused() -> None:
    for tag in ["B", "B-", "ADJ", "U-P"]:
        with pytest.raises(TagError, match="IOB2 of spaCy has B-, I-"):
            scored([["B-P"]], [[tag]], scheme="iob2")


def test_o_with_a_label_is_outside() -> None:
    assert scored([["B-P", "O-P", "I-P"]], [["B-P", "O", "B-P"]], scheme="iob2")["ents_f"] == 1


def test_bilou_is_read_as_spans() -> None:
    found = scored([["B-P", "I-P", "L-P", "U-P"]], [["B-P", "I-P", "L-P", "O"]], scheme="bilou")
    assert (found["ents_p"], found["ents_r"]) == (1, 0.5)


def test_bilou_tags_that_do_not_fit_are_refused() -> None:
    for tags in [["I-P", "L-P"], ["B-P", "O"], ["B-P", "I-Q", "L-P"], ["E-P", "O"]]:
        with pytest.raises(TagError):
            scored([["O"] * len(tags)], [tags], scheme="bilou")


@pytest.mark.parametrize("options", [{"beta": 2.0}, {"zero_division": 0}, {"repair": "begin"}, {"scheme": "iobes"}])
def test_options_that_spacy_does_not_have_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="spacy"):
        scored([["B-P"]], [["B-P"]], **options)
