from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from flat_spans import flat
from hypothesis import given
from hypothesis import strategies as st
from span_texts import documents
from tagged import LETTERS, read_spans

from isogloss.errors import DataError, UsageError
from isogloss.formats import tokens
from isogloss.formats.documents import LabelledSpan, SpanDocument
from isogloss.formats.tokens import check_one_line, tag_documents

SCHEMES = [name for name in LETTERS if name != "io"]


def document(text: str | None, *spans: LabelledSpan, **more: Any) -> SpanDocument:
    return SpanDocument(**{"line": 7, "id": None, "text": text, "spans": spans, "file": "f"} | more)


def written(whole: SpanDocument, scheme: str = "iob2") -> list[tuple[str, str]]:
    (found,) = tag_documents([whole], scheme)
    return list(zip(found.words, found.tags, strict=True))


@pytest.mark.parametrize("scheme", SCHEMES)
@given(whole=documents().map(flat))
def test_tokens_with_tags_say_the_same_spans(scheme: str, whole: SpanDocument) -> None:
    text = whole.text or ""
    (found,) = tag_documents([whole], scheme)
    assert found.words == [text[start:end] for start, end in found.bounds]
    assert all(before[1] <= after[0] for before, after in pairwise(found.bounds))
    spans = [(found.bounds[a][0], found.bounds[b - 1][1], label) for a, b, label in read_spans(found.tags)]
    assert spans == list(whole.spans)


@given(documents().map(flat))
def test_tokens_hold_all_but_white_space_and_none_at_their_ends(whole: SpanDocument) -> None:
    (found,) = tag_documents([whole], "iob2")
    assert "".join(found.words).split() == ["".join((whole.text or "").split())] or not found.words
    assert all(word == word.strip() != "" for word in found.words)
    assert not any(blank in word for word in found.words for blank in "\t\n\r\u2028")


def test_words_and_tags_by_hand() -> None:
    whole = document("Zoë met 𠀀𠀁, twice!", (0, 3, "PER"), (8, 10, "LOC"))
    words = [("Zoë", "B-PER"), ("met", "O"), ("𠀀", "B-LOC"), ("𠀁", "I-LOC"), (",", "O"), ("twice", "O"), ("!", "O")]
    assert written(whole) == words


def test_own_tokens_stay_and_are_cut_where_a_span_begins_or_ends() -> None:
    whole = document("New York's mayor", (0, 8, "LOC"), tokens=[(0, 10), (11, 16)])
    assert written(whole) == [("New York", "B-LOC"), ("'s", "O"), ("mayor", "O")]


def test_own_tokens_lose_white_space_at_their_ends_and_are_cut_at_line_breaks() -> None:
    whole = document("a \n b\tc d ", tokens=[(0, 4), (4, 10)])
    assert [word for word, _ in written(whole)] == ["a", "b", "c d"]


def test_many_documents_keep_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "CHUNK_DOCUMENTS", 2)
    corpus = [document("x " * number, (0, 1, f"L{number}")) for number in range(1, 6)] + [document("")]
    found = list(tag_documents(corpus, "bilou"))
    assert [each.document for each in found] == corpus
    assert [list(each.tags) for each in found] == [[f"U-L{n}", *["O"] * (n - 1)] for n in range(1, 6)] + [[]]


def test_a_label_without_a_name_is_a_letter_alone() -> None:
    assert written(document("a b", (0, 3, "_"))) == [("a", "B"), ("b", "I")]


def test_what_tags_cannot_say_is_refused_with_its_place() -> None:
    for whole, scheme, says in [
        (document("a b", (0, 3, "A"), (2, 3, "B")), "iob2", r"overlapping spans, \[0, 3\) 'A' and \[2, 3\) 'B'"),
        (document("a b", (0, 1, "A"), (0, 1, "A")), "iob2", "overlapping spans"),
        (document("a b", (0, 2, "A")), "iob2", r"begins or ends with white space, \[0, 2\) 'A'"),
        (document("a b", (1, 2, "A")), "iob2", "begins or ends with white space"),
        (document("a b", (0, 1, "")), "iob2", "a span without a label"),
        (document("ab", (0, 1, "A"), (1, 2, "A")), "io", "spans of one label that touch"),
        (document("ab", tokens=[(0, 2), (1, 2)]), "iob2", "tokens that overlap"),
        (document("ab", (0, 3, "A")), "iob2", "reaches beyond its text"),
        (document(None), "iob2", "has no text"),
    ]:
        with pytest.raises(DataError, match=says) as error:
            list(tag_documents([document("x", (0, 1, "A")), whole], scheme))
        assert error.value.where == "f:7"
        assert error.value.remedy


def test_touching_spans_of_two_labels_can_be_said_in_io() -> None:
    assert written(document("ab", (0, 1, "A"), (1, 2, "B")), "io") == [("a", "I-A"), ("b", "I-B")]


def test_an_unknown_scheme_is_refused() -> None:
    with pytest.raises(UsageError, match="Unknown tag scheme 'iob3'"):
        list(tag_documents([], "iob3"))


def test_a_field_of_a_line_is_given_back() -> None:
    for text in ["", "a b", "é\u00a0x", "|"]:
        assert check_one_line(document("x"), "tag", text) == text


def test_what_no_line_can_hold_is_refused() -> None:
    for text, says in [
        ("a\tb", r"the character '\\t' in the tag 'a\\tb'"),
        ("a\nb", "character"),
        ("\0", "character"),
        (" a", "white space at its ends"),
        ("a|b", r"the character '\|'"),
    ]:
        with pytest.raises(DataError, match=says) as error:
            check_one_line(document("x"), "tag", text, "|")
        assert error.value.where == "f:7"


@given(st.sampled_from(SCHEMES), st.lists(st.sampled_from(["A", "B", ""]), min_size=1, max_size=6))
def test_touching_spans_are_told_apart_in_every_scheme(scheme: str, labels: list[str]) -> None:
    spans = [(at, at + 1, label) for at, label in enumerate(labels) if label]
    (found,) = tag_documents(
        [document("x" * len(labels), *spans, tokens=[(at, at + 1) for at in range(len(labels))])], scheme
    )
    assert read_spans(found.tags) == spans
