from __future__ import annotations

from itertools import pairwise

import pytest
from flat_spans import flat
from hypothesis import given
from hypothesis import strategies as st
from span_texts import LETTERS, document, documents
from tagged import LETTERS as SCHEME_LETTERS
from tagged import read_spans

from isogloss.errors import DataError, UsageError
from isogloss.formats import tokens as tokens_module
from isogloss.formats.documents import SpanDocument
from isogloss.formats.tokens import check_one_line, find_word_bounds, tag_documents, tokenize_text
from isogloss.text.display import split_graphemes


def words(text: str, *spans: tuple[int, int, str], own: list[tuple[int, int]] | None = None) -> list[str]:
    return [text[start:end] for start, end in tokenize_text(text, own, spans)]


def test_words_and_single_other_characters_are_tokens() -> None:
    for text, expected in [
        ("", []),
        (" \n", []),
        ("Ada met Bob.", ["Ada", "met", "Bob", "."]),
        ("don't x2-y", ["don", "'", "t", "x2", "-", "y"]),
        ("e\u0301te\u0301 !!", ["e\u0301te\u0301", "!", "!"]),
        ("ไปก้อย กิน", ["ไ", "ป", "ก้", "อ", "ย", "กิ", "น"]),
        ("2019年カナダwest", ["2019", "年", "カ", "ナ", "ダ", "west"]),
        ("서울은 ខ្ញុំ", ["서울은", "ខ្ញុំ"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("قال عُمَر.", ["قال", "عُمَر", "."]),
        ("👩\u200d👧ok", ["👩\u200d👧", "ok"]),
        ("a \u0301b", ["a", "\u0301", "b"]),
        ("𠀀\r\n𠀁", ["𠀀", "𠀁"]),
    ]:
        assert words(text) == expected


def test_tokens_are_cut_where_a_span_begins_or_ends() -> None:
    assert words("Bobby's", (0, 3, "X"), (4, 7, "Y")) == ["Bob", "b", "y", "'", "s"]


@given(documents("漢字かなカナ𠀀ไปกรุงแม่ທ່ານ 。x1"))
def test_in_scripts_without_spaces_tokens_are_the_same_whatever_the_spans(whole: SpanDocument) -> None:
    text = "".join(character for character in whole.text or "" if character in "漢字かなカナ𠀀ไปกรุงแม่ທ່ານ 。")
    edges = {edge for cluster in split_graphemes(text) for edge in cluster}
    spans = [span for span in whole.spans if {*span[:2]} <= edges]
    assert [piece for piece in tokenize_text(text, None, spans) if text[slice(*piece)].strip()] == tokenize_text(
        text, None, ()
    )


def test_own_tokens_stay_and_what_they_leave_out_is_added() -> None:
    assert words("don't go, Ada", own=[(0, 2), (2, 5), (10, 13)]) == ["do", "n't", "go", ",", "Ada"]
    assert words("New York", (4, 8, "X"), own=[(0, 8)]) == ["New ", "York"]


@given(documents(LETTERS))
def test_tokens_cover_all_but_white_space_and_every_span(whole: SpanDocument) -> None:
    text = whole.text or ""
    found = tokenize_text(text, None, whole.spans)
    assert found == sorted(found)
    covered = [at for start, end in found for at in range(start, end)]
    assert covered == [at for at, character in enumerate(text) if not character.isspace()]
    for start, end, _ in whole.spans:
        assert not any(first < edge < last for first, last in found for edge in (start, end))


@given(documents(LETTERS))
def test_without_spans_no_cluster_is_cut(whole: SpanDocument) -> None:
    text = whole.text or ""
    edges = {edge for cluster in split_graphemes(text) for edge in cluster}
    for start, end in tokenize_text(text, None, ()):
        assert end in edges
        assert start in edges or text[start - 1].isspace()


WORDS = st.lists(st.text(st.sampled_from("abé\u0301ก𠀀."), min_size=1, max_size=3), max_size=5)
BLANKS = st.text(st.sampled_from(" \n\t\u00a0"), max_size=2)


@given(WORDS, st.lists(BLANKS, min_size=6, max_size=6))
def test_words_with_white_space_between_are_found_where_they_stand(words: list[str], blanks: list[str]) -> None:
    text, expected = blanks[0], []
    for word, blank in zip(words, blanks[1:], strict=False):
        expected.append((len(text), len(text) + len(word)))
        text += word + blank
    assert find_word_bounds(words, text) == expected


def test_other_characters_between_or_around_words_are_none_of_them() -> None:
    for words, text, found in [
        (["a"], "b", None),
        (["a"], "ab", None),
        (["a", "b"], "a c b", None),
        (["a", "b"], "b a", None),
        (["a b"], "a b", [(0, 3)]),
        ([" a"], " a", [(0, 2)]),
        ([], " \n", []),
        ([], "a", None),
        (["a"], "", None),
    ]:
        assert find_word_bounds(words, text) == found


SCHEMES = [name for name in SCHEME_LETTERS if name != "io"]


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
    monkeypatch.setattr(tokens_module, "CHUNK_DOCUMENTS", 2)
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
        assert error.value.where == "source.jsonl:7"
        assert error.value.remedy


def test_io_can_write_touching_spans_of_two_labels() -> None:
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
        assert error.value.where == "source.jsonl:7"


@given(st.sampled_from(SCHEMES), st.lists(st.sampled_from(["A", "B", ""]), min_size=1, max_size=6))
def test_touching_spans_stay_separate_in_every_scheme(scheme: str, labels: list[str]) -> None:
    spans = [(at, at + 1, label) for at, label in enumerate(labels) if label]
    (found,) = tag_documents(
        [document("x" * len(labels), *spans, tokens=[(at, at + 1) for at in range(len(labels))])], scheme
    )
    assert read_spans(found.tags) == spans
