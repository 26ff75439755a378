from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from text_rows import read_rows

from isogloss.errors import DataError
from isogloss.tasks.code_switching.rows import TextRow

TEXT = "Ada ran. Bob sat."


def only(text: str = TEXT, **segments: Any) -> TextRow:
    [row] = read_rows([{"text": text, **segments}])
    return row


def test_segments_that_are_not_given_are_none() -> None:
    assert only() == only(sentences=None, tokens=None, entities=None) == TextRow(TEXT, 0, "1")


def test_spans_are_lists_or_objects() -> None:
    row = only(
        sentences=[[0, 8], {"start": 9, "end": 17}],
        tokens=[[0, 3], {"start": 13, "end": 16, "text": "sat"}],
        entities=[[9, 12, "PER"], [0, 3], {"start": 0, "end": 8, "label": None}, {"start": 9, "end": 12, "label": "X"}],
    )
    assert row.sentences == ((0, 8), (9, 17))
    assert row.tokens == ((0, 3), (13, 16))
    assert row.entities == ((9, 12, "PER"), (0, 3, None), (0, 8, None), (9, 12, "X"))


def test_a_token_may_begin_and_end_with_its_sentence() -> None:
    row = only(sentences=[[0, 3], [3, 8]], tokens=[[0, 3], [3, 4], [4, 8]])
    assert row.tokens == ((0, 3), (3, 4), (4, 8))


def test_sentences_alone_give_no_tokens() -> None:
    assert only(sentences=[(0, 8)])[3:7] == (((0, 8),), None, None, None)


def test_entities_alone_give_no_sentences_and_tokens() -> None:
    assert only(entities=[(0, 3)])[3:7] == (None, None, ((0, 3, None),), None)


def test_segments_may_be_empty_lists() -> None:
    assert only(sentences=[], tokens=[], entities=[])[3:7] == ((), (), (), None)


def test_string_tokens_are_searched_in_order() -> None:
    row = only("a b ab a", tokens=["a", "ab", [7, 8]])
    assert row.tokens == ((0, 1), (4, 6), (7, 8))


def test_tokens_without_sentences_make_the_text_one_sentence() -> None:
    for text, tokens, sentences in [
        ("  ab c\n", [(2, 4)], ((2, 6),)),
        ("  ab c\n", [], ((2, 6),)),
        ("  ab c\n", [(0, 4), (5, 7)], ((0, 7),)),
        (" \n ", [], ()),
        ("   ", [(1, 2)], ((1, 2),)),
        ("", [], ()),
    ]:
        row = only(text, tokens=tokens)
        assert row.sentences == sentences
        assert row.tokens == tuple(tokens)


ANY = st.lists(st.tuples(st.integers(-1, 9), st.integers(-1, 9)), max_size=3)
CUTS = st.lists(st.integers(0, 8), unique=True, max_size=9).map(sorted)
SPANS = st.one_of(
    ANY,
    CUTS.map(lambda cuts: list(pairwise(cuts))),
    CUTS.map(lambda cuts: list(zip(cuts[::2], cuts[1::2], strict=False))),
)


def are_sound(spans: list[tuple[int, int]], length: int) -> bool:
    covered = [at for start, end in spans for at in range(start, end)]
    return (
        all(0 <= start < end <= length for start, end in spans)
        and spans == sorted(spans)
        and len(covered) == len(set(covered))
    )


@given(sentences=SPANS, tokens=SPANS)
def test_spans_are_accepted_if_they_fit_text_and_each_other(
    sentences: list[tuple[int, int]],
    tokens: list[tuple[int, int]],
) -> None:
    fit = are_sound(sentences, 8) and are_sound(tokens, 8)
    fit = fit and all(any(a <= start and end <= b for a, b in sentences) for start, end in tokens)
    row = {"text": "aжcd efg", "sentences": sentences, "tokens": tokens}
    if fit:
        [found] = read_rows([row])
        assert (found.sentences, found.tokens) == (tuple(sentences), tuple(tokens))
    else:
        with pytest.raises(DataError, match=r"^texts\[0\]: `(sentences|tokens)\["):
            read_rows([row])


@given(st.lists(st.text("abж \n", min_size=1, max_size=4), max_size=6), st.text("abж \n", max_size=3))
def test_tokens_of_a_text_are_found_in_it(words: list[str], gap: str) -> None:
    text = gap.join(words)
    row = only(text, tokens=words)
    assert [text[start:end] for start, end in row.tokens or ()] == words
