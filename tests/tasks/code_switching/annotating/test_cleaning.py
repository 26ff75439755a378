from __future__ import annotations

import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from isogloss.tasks.code_switching.batches import clean_text


def test_tags_and_marks_are_taken_out() -> None:
    for text, expected in [
        ("а<b>б</b>в", "абв"),
        ("a < b", "a < b"),
        ("<<b>а", "<а"),
        ("<>а", "<>а"),
        ("<a\nb>а", "а"),
        ("їжак й є ю Ї Й", "їжак й є ю Ї Й"),
        ("ёлка ўсё", "елка усе"),
        ("за\u0301мок", "замок"),
        ("и\u0306", "и"),
        ("naïve", "naive"),
        ("한", "한"),
        ("हिन्दी", "हिनदी"),
        ("", ""),
    ]:
        assert clean_text(text).text == expected


def naive(text: str) -> str:
    """The first two steps of PNaCoS as they are described: tags, then marks character by character."""
    bare = []
    for letter in re.sub("<[^<]+?>", "", text):
        apart = unicodedata.normalize("NFD", letter)
        kept = "".join(part for part in apart if unicodedata.category(part) != "Mn")
        bare.append(letter if letter in "йєюїЙЄЮЇ" else unicodedata.normalize("NFC", kept))
    return "".join(bare)


texts = st.text("абйїєёўéñ한がहि<>/b \u0301\u0306") | st.text()


@given(texts)
def test_the_text_is_that_of_the_plain_equivalent(text: str) -> None:
    assert clean_text(text).text == naive(text)


@given(texts)
def test_every_character_comes_from_a_place_whose_own_form_holds_it(text: str) -> None:
    result = clean_text(text)
    assert len(result.places) == len(result.text)
    assert list(result.places) == sorted(result.places)
    for letter, place in zip(result.text, result.places, strict=True):
        assert letter in naive(text[place])
