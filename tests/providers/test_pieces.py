from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from isogloss.providers.models import Span, annotate_in_pieces, split_pieces

TEXT = st.text("ab \n.。", max_size=60)


def cut(text: str, longest: int) -> list[str]:
    return [text[start:end] for start, end in split_pieces(text, longest)]


def test_a_short_text_is_one_piece() -> None:
    assert cut("a b\nc", 5) == ["a b\nc"]


def test_a_piece_ends_after_a_newline_before_anything_else() -> None:
    assert cut("aaaa bb\nc. d eeeeeee", 12) == ["aaaa bb\n", "c. d eeeeeee"]


def test_a_piece_ends_after_a_sentence_before_a_word() -> None:
    assert cut("aaaaaa. b ccccccc", 12) == ["aaaaaa. ", "b ccccccc"]
    assert cut("東東東東東東。東東東東東東", 10) == ["東東東東東東。", "東東東東東東"]


def test_a_piece_ends_after_a_word_if_it_can() -> None:
    assert cut("aaaaaaa bbb ccc", 10) == ["aaaaaaa ", "bbb ccc"]
    assert cut("aaaaaaaaaaa", 5) == ["aaaaa", "aaaaa", "a"]


@given(TEXT, st.integers(2, 20))
def test_pieces_are_the_text_and_none_is_too_long(text: str, longest: int) -> None:
    found = cut(text, longest)
    assert "".join(found) == text
    assert all(len(piece) <= longest for piece in found)
    assert len(found) == 1 or all(found)


@given(st.lists(TEXT, max_size=5), st.integers(2, 20))
def test_spans_have_the_offsets_of_the_whole_text(texts: list[str], longest: int) -> None:
    def letters(given_pieces: list[str]) -> list[list[Span]]:
        assert all(piece.strip() for piece in given_pieces)
        return [[Span(at, at + 1, c) for at, c in enumerate(piece) if c in "ab"] for piece in given_pieces]

    expected = [[Span(at, at + 1, c) for at, c in enumerate(text) if c in "ab"] for text in texts]
    assert annotate_in_pieces(texts, longest, letters) == expected
