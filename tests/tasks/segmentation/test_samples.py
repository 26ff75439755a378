"""Every way to encode marked text beside a plain reading of it, a character at a time."""

from __future__ import annotations

from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.tasks.segmentation.options import Whitespace
from isogloss.tasks.segmentation.samples import (
    LINE_SEPARATORS,
    SPACE_SEPARATORS,
    EncodedSamples,
    Separators,
    encode_samples,
    encode_three_byte_utf8,
)

LETTERS = "กำ漢字あ。“"  # of three bytes


ASCII = "|| \t\x1f~}{aZ0"


MARKED = st.lists(st.text(LETTERS + ASCII, max_size=9), min_size=1, max_size=4)


ANY = st.lists(st.text(LETTERS + ASCII + "\u3000\u2003\u1680\x85\xa0é\uffff😀", max_size=9), min_size=1, max_size=4)


every_way = pytest.mark.parametrize("whitespace", get_args(Whitespace))


both_marks = pytest.mark.parametrize("marks", [LINE_SEPARATORS, SPACE_SEPARATORS], ids=["lines", "spaced"])


def plainly(lines: list[str], marks: Separators, whitespace: Whitespace) -> list[list[str]]:
    """The words of each line."""
    result = []
    for line in lines:
        words: list[str] = []
        begins = True
        for character in line:
            if character == marks.word:
                begins = True
            elif whitespace != "keep" and character.isspace():
                begins |= whitespace == "separate"
            else:
                words += [""] if begins else []
                words[-1] += character
                begins = False
        result.append(words)
    return result


def words(found: EncodedSamples) -> list[list[str]]:
    result = []
    for low, high in pairwise(found.offsets.tolist()):
        own: list[str] = []
        for code, start in zip(found.text[low:high].tolist(), found.starts[low:high].tolist(), strict=True):
            own += [""] if start else []
            own[-1] += chr(code)
        result.append(own)
    return result


def joined(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


@every_way
@both_marks
@given(lines=ANY)
def test_text_is_cut_like_a_plain_reading_of_it(lines: list[str], marks: Separators, whitespace: Whitespace) -> None:
    found = encode_samples(joined(lines), marks, whitespace)
    assert words(found) == plainly(lines, marks, whitespace)
    assert found.between == (0 if marks.word is None else sum(line.count(marks.word) for line in lines))


@every_way
@both_marks
@given(lines=MARKED)
def test_three_byte_characters_need_no_decoding(
    lines: list[str],
    marks: Separators,
    whitespace: Whitespace,
) -> None:
    text = joined(["ก" * 40, *lines])  # most bytes are not ASCII
    found = encode_three_byte_utf8(text.encode(), marks, whitespace)
    assert found is not None
    assert words(found) == plainly(["ก" * 40, *lines], marks, whitespace)


@every_way
@given(lines=ANY)
def test_bytes_are_encoded_like_their_text_or_not_at_all(lines: list[str], whitespace: Whitespace) -> None:
    found = encode_three_byte_utf8(joined(lines).encode(), LINE_SEPARATORS, whitespace)
    if found is not None:
        assert words(found) == plainly(lines, LINE_SEPARATORS, whitespace)


def test_other_text_is_left_to_be_decoded() -> None:
    for other in ["é", "😀", "\u3000", "a" * 20]:
        assert encode_three_byte_utf8(f"กขค\n{other}\n".encode(), LINE_SEPARATORS, "ignore") is None


def test_whitespace_of_three_bytes_is_text_where_it_is_kept() -> None:
    found = encode_three_byte_utf8("กข|\u3000|ค\n".encode(), LINE_SEPARATORS, "keep")
    assert found is not None
    assert words(found) == [["กข", "\u3000", "ค"]]
