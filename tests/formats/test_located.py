from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from isogloss.formats.tokens import find_word_bounds

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
