# the texts are in many scripts
from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from isogloss.providers.models import split_units
from isogloss.text.display import split_graphemes

MIXED = st.text(st.sampled_from("ab Жж'’\u0301_1ก\u0e32\u0e49東タ한हि\u094d\u200d👩🔬\n.\u1793\u17d2"), max_size=20)


def words(text: str) -> list[str]:
    return [text[start:end] for _, start, end in split_units(text)]


def test_words_and_what_stands_between_them() -> None:
    assert words("П'ять, l'eau_2 x!") == ["П'ять", ",", "l", "'", "eau", "_", "2", "x", "!"]


def test_scripts_without_spaces_give_a_unit_a_cluster() -> None:
    assert words("ที่นี่ 東京タワー") == ["ที่", "นี่", "東", "京", "タワー"]


def test_scripts_that_meet_are_apart() -> None:
    assert words("AI의APIキーは") == ["AI", "의", "API", "キー", "は"]


@given(MIXED | st.text())
def test_units_are_in_order_and_leave_only_whitespace_out(text: str) -> None:
    at = 0
    for unit, start, end in split_units(text):
        assert start < end
        assert not text[at:start].strip()
        assert unit == unicodedata.normalize("NFC", text[start:end])
        at = end
    assert not text[at:].strip()


@given(st.text("กา\u0e49ที่ស្រី東កខ្មမြန်မာ", max_size=20))
def test_no_unit_of_a_script_without_spaces_cuts_a_cluster(text: str) -> None:
    edges = {edge for cluster in split_graphemes(text) for edge in cluster}
    assert all(start in edges and end in edges for _, start, end in split_units(text))
