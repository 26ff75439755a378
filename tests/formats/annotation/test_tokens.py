from __future__ import annotations

from hypothesis import given
from span_texts import LETTERS, documents

from isogloss.formats.documents import SpanDocument
from isogloss.formats.tokens import tokenize_text
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
def test_in_scripts_without_spaces_tokens_are_the_same_whatever_the_spans(document: SpanDocument) -> None:
    text = "".join(character for character in document.text or "" if character in "漢字かなカナ𠀀ไปกรุงแม่ທ່ານ 。")
    edges = {edge for cluster in split_graphemes(text) for edge in cluster}
    spans = [span for span in document.spans if {*span[:2]} <= edges]
    assert [piece for piece in tokenize_text(text, None, spans) if text[slice(*piece)].strip()] == tokenize_text(
        text, None, ()
    )


def test_own_tokens_stay_and_what_they_leave_out_is_added() -> None:
    assert words("don't go, Ada", own=[(0, 2), (2, 5), (10, 13)]) == ["do", "n't", "go", ",", "Ada"]
    assert words("New York", (4, 8, "X"), own=[(0, 8)]) == ["New ", "York"]


@given(documents(LETTERS))
def test_tokens_cover_all_but_white_space_and_every_span(document: SpanDocument) -> None:
    text = document.text or ""
    found = tokenize_text(text, None, document.spans)
    assert found == sorted(found)
    covered = [at for start, end in found for at in range(start, end)]
    assert covered == [at for at, character in enumerate(text) if not character.isspace()]
    for start, end, _ in document.spans:
        assert not any(first < edge < last for first, last in found for edge in (start, end))


@given(documents(LETTERS))
def test_without_spans_no_cluster_is_cut(document: SpanDocument) -> None:
    text = document.text or ""
    edges = {edge for cluster in split_graphemes(text) for edge in cluster}
    for start, end in tokenize_text(text, None, ()):
        assert end in edges
        assert start in edges or text[start - 1].isspace()
