from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel.findings import MAX_CONTEXT, Finding, Mark, add_context
from isogloss.kernel.provenance import TextExcerpt
from isogloss.text.display import split_graphemes

WORDS = ["The", "old", "city", "of", "Rio", "de", "Janeiro", "lies", "by", "the", "sea"]
PASSAGE = TextExcerpt.from_words(WORDS)


def finding(*marks: Mark) -> Finding:
    return Finding("wrong_boundary", "d1", "pred.conll:9", marks)


BOTH = finding(Mark("reference", "LOC", 4, 7), Mark("predicted", "PER", 6, 7))


def test_context_is_words_around_the_marks() -> None:
    shown = add_context(BOTH, PASSAGE, 2)
    assert (shown.text, shown.before, shown.after) == ("city of Rio de Janeiro lies by", True, True)


def test_marks_have_their_place_in_the_text() -> None:
    shown = add_context(BOTH, PASSAGE, 2)
    assert shown.text is not None
    assert [shown.text[mark.text_start : mark.text_end] for mark in shown.marks] == ["Rio de Janeiro", "Janeiro"]


def test_a_text_shown_whole_has_nothing_around_it() -> None:
    shown = add_context(BOTH, PASSAGE, 100)
    assert (shown.text, shown.before, shown.after) == (" ".join(WORDS), False, False)


def test_zero_context_shows_only_the_marks() -> None:
    assert add_context(BOTH, PASSAGE, 0).text == "Rio de Janeiro"


def test_a_finding_without_a_text_is_unchanged() -> None:
    assert add_context(BOTH, None, 3) is BOTH


def test_context_without_spaces_is_bounded() -> None:
    shown = add_context(finding(Mark("reference", "LOC", 100, 102)), TextExcerpt("字" * 200), 3)
    assert shown.text == "字" * (MAX_CONTEXT + 2 + MAX_CONTEXT)
    assert (shown.before, shown.after) == (True, True)


@given(st.text("a \n字", min_size=1, max_size=30), st.integers(0, 4), st.data())
def test_context_does_not_change_the_marked_text(text: str, context: int, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    shown = add_context(finding(Mark("predicted", None, start, end)), TextExcerpt(text), context)
    (mark,) = shown.marks
    assert shown.text is not None
    assert shown.text[mark.text_start : mark.text_end] == text[start:end]
    assert shown.text in text
    assert (mark.text_start, mark.text_end) != (None, None)


@given(
    st.text("a \n\r\u00a0字ก้😀\u200d", min_size=1, max_size=120),
    st.sampled_from([0, 1, 3, 40, 41, 90]),
    st.lists(st.tuples(st.integers(0, 119), st.integers(1, 5)), min_size=1, max_size=2),
)
def test_context_equals_that_of_a_search_word_by_word(text: str, words: int, places: list[tuple[int, int]]) -> None:
    spans = [(min(start, len(text) - 1), min(start + size, len(text))) for start, size in places]
    spans = [(start, max(end, start + 1)) for start, end in spans]
    shown = add_context(finding(*(Mark("predicted", None, *span) for span in spans)), TextExcerpt(text), words)
    low, high = min(start for start, _ in spans), max(end for _, end in spans)
    low -= count_context(text[max(low - MAX_CONTEXT, 0) : low][::-1], words)
    high += count_context(text[high : high + MAX_CONTEXT], words)
    clusters = split_graphemes(text)
    low = max(start for start, _ in [*clusters, (len(text), 0)] if start <= low)
    high = min(end for _, end in [(0, 0), *clusters] if end >= high)
    assert (shown.text, shown.before, shown.after) == (text[low:high], low > 0, high < len(text))
    assert [(mark.text_start, mark.text_end) for mark in shown.marks] == [(a - low, b - low) for a, b in spans]


@given(
    st.lists(st.text("aé字\u0e33\u0301", min_size=1, max_size=30), min_size=1, max_size=12),
    st.integers(0, 4),
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), min_size=1, max_size=3),
)
def test_context_of_known_words_equals_that_of_unknown_ones(
    words: list[str], context: int, places: list[tuple[int, int]]
) -> None:
    last = len(words) - 1
    spans = [(min(first, last, second), min(max(first, second), last) + 1) for first, second in places]
    excerpt = TextExcerpt.from_words(words)
    known = msgspec.structs.replace(excerpt, are_words=True)
    found = finding(*(Mark("predicted", None, *span) for span in spans))
    assert add_context(found, known, context) == add_context(found, excerpt, context)


def count_context(text: str, words: int) -> int:
    """Count the code points of the first words, one after the other."""
    at = 0
    for _ in range(words):
        while at < len(text) and text[at].isspace():
            at += 1
        while at < len(text) and not text[at].isspace():
            at += 1
    return at


def test_marks_are_found_by_side() -> None:
    alone = finding(Mark("predicted", "PER", 6, 7))
    assert alone.get_mark("predicted") == Mark("predicted", "PER", 6, 7)
    assert alone.get_mark("reference") is None


def test_a_row_has_spans_in_units_and_in_the_shown_text() -> None:
    assert add_context(BOTH, PASSAGE, 1).to_dict() == {
        "kind": "wrong_boundary",
        "document": "d1",
        "where": "pred.conll:9",
        "reference": {"start": 4, "end": 7, "label": "LOC", "in_text": [3, 17]},
        "predicted": {"start": 6, "end": 7, "label": "PER", "in_text": [10, 17]},
        "text": "of Rio de Janeiro lies",
        "before": True,
        "after": True,
    }


@pytest.mark.parametrize(("more", "keys"), [({}, []), ({"length": 2}, ["length"])])
def test_a_finding_without_text_leaves_out_its_keys(more: dict[str, int], keys: list[str]) -> None:
    plain = Finding("missed", "3", "x:1", (Mark("reference", "LOC", 0, 1),), extra=more)
    assert list(plain.to_dict()) == ["kind", "document", "where", "reference", *keys]


def test_context_is_not_cut_inside_a_grapheme() -> None:
    word = "น้ำ" * 40  # no spaces, and no cluster of one code point
    found = Finding("missed", "1", "f:1", (Mark("reference", "X", 60, 63),))
    shown = add_context(found, TextExcerpt(word), context=1)
    assert shown.text is not None
    assert len(shown.text) % 3 == 0
    assert shown.text.startswith("น")
