from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from isogloss.text.utf8 import find_invalid_byte, try_decode


def naive(data: bytes) -> int | None:
    """The first byte that is a NUL or that the decoder refuses."""
    faults = [position for position, byte in enumerate(data) if byte == 0]
    try:
        data.decode()
    except UnicodeDecodeError as error:
        faults.append(error.start)
    return min(faults, default=None)


# Where the ranges of table 3-7 of the Unicode standard begin and end.
edges = st.sampled_from([0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1])
more_edges = st.sampled_from([0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF])
anything = st.lists(edges | more_edges | st.integers(0, 255), max_size=12).map(bytes)


@given(data=anything)
def test_a_fault_is_where_the_decoder_has_it(data: bytes) -> None:
    assert find_invalid_byte(data) == naive(data)


@given(before=st.text(max_size=6), data=anything, after=st.text(max_size=6))
@example(before="ab", data=b"\xe0\x80\x80", after="\n")
@example(before="ab", data=b"\xed\xa0\x80", after="\n")
@example(before="ab", data=b"\xc0A", after="\n")
@example(before="ab", data=b"\xe4\xb8", after="")
@example(before="abé", data=b"\x80", after="")
def test_a_fault_is_found_inside_of_text(before: str, data: bytes, after: str) -> None:
    whole = before.encode() + data + after.encode()
    assert find_invalid_byte(whole) == naive(whole)


@given(text=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_text_has_no_fault(text: str) -> None:
    assert find_invalid_byte(text.encode()) is None


def test_text_is_decoded() -> None:
    for text in ["naïve", "ดูน", "한국어", "北京", "😀", "\u0800\ud7ff\ue000\uffff"]:
        assert try_decode(text.encode()) == (text, None)


def test_ascii_needs_no_decoding() -> None:
    assert try_decode(b"ascii") == (None, None)
