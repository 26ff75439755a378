"""Search in the index of texts against a plain look at each text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.runs import text_index
from isogloss.runs.text_index import TextIndex

LETTERS = "aAk\u212asS\u00df\u017f\u0130i\u0307e\u0301\u00e9\ufb01 \u0631\u0e01\u0e33\0\uffff\U0001f600\ud800"
WORDS = st.text(LETTERS, max_size=6)


def has_words(text: str | None, words: str) -> bool:
    def fold(each: str) -> str:
        return unicodedata.normalize("NFC", each.casefold())

    return fold(words) in fold(text or "")


@given(st.lists(WORDS | st.none(), max_size=30), WORDS)
def test_index_finds_what_a_look_at_each_text_finds(texts: list[str | None], words: str) -> None:
    assert TextIndex(texts).search(words).tolist() == [has_words(text, words) for text in texts]


def test_texts_beyond_one_piece_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_index, "PIECE_BYTES", 50)
    monkeypatch.setattr(text_index, "BATCH", 3)
    texts = [f"text {number}" for number in range(100)]
    assert TextIndex(texts).search("T 7").tolist() == [has_words(text, "T 7") for text in texts]
