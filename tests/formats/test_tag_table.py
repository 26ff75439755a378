import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isogloss.formats.tag_table import TagTable
from isogloss.kernel.scores import Ints

TAGS = st.one_of(
    st.sampled_from(["O", "B-PER", "I-PER", "ABCDEFG", "ABCDEFGH", "ABCDEFGHI", "A" * 16, "A" * 17, "ш" * 9, "𐌰-𐌱"]),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20),
)


def in_buffer(tags: list[str], after: int = 0) -> tuple[np.ndarray[tuple[int], np.dtype[np.uint8]], Ints, Ints]:
    words = [tag.encode() for tag in tags]
    lengths = np.array([len(word) for word in words], np.int64)
    buffer = np.frombuffer(b"\n".join(words) + b"\n" * after, np.uint8)
    return buffer, np.cumsum(lengths + 1) - lengths - 1, lengths


@given(st.lists(st.lists(TAGS, max_size=30), max_size=4), st.integers(0, 9))
def test_codes_stand_for_the_tags_in_the_buffer(calls: list[list[str]], after: int) -> None:
    table = TagTable()
    answers = [table.encode_tags(*in_buffer(tags, after)) for tags in calls]
    assert [[table.vocabulary[code] for code in codes] for codes in answers] == calls


def test_the_first_code_is_that_of_o() -> None:
    assert TagTable().vocabulary == ("O",)
    assert TagTable().encode_tags(*in_buffer(["O"])).tolist() == [0]


def test_tags_are_numbered_as_they_are_met_whatever_their_length() -> None:
    table = TagTable()
    tags = ["B-Z", "a tag of many words", "B-A", "B-Z", "a tag of many verbs"]
    assert table.encode_tags(*in_buffer(tags)).tolist() == [1, 2, 3, 1, 4]


def test_tags_that_differ_only_in_nul_bytes_at_their_end_have_different_codes() -> None:
    table = TagTable()
    tags = ["A", "A\0", "A\0\0", "ABCDEFG", "ABCDEFG\0", "ABCDEFG\0\0"]
    assert [table.vocabulary[code] for code in table.encode_tags(*in_buffer(tags))] == tags


MIX = 0x9E3779B97F4A7C15
LAST = int.from_bytes(b"C" + b"\xff" * 7, "little")


def with_hash(begin: bytes, target: int) -> bytes:
    """Bytes that begin with these words and whose hash is the target: a word is chosen so, and "C" follows."""
    value = int.from_bytes(begin[:8], "little")
    for at in range(8, len(begin), 8):
        value = value * MIX ^ int.from_bytes(begin[at : at + 8], "little")
    chosen = ((target ^ LAST) * pow(MIX, -1, 2**64) ^ value * MIX) % 2**64
    return begin + chosen.to_bytes(8, "little") + b"C"


# Found by solving the hash for one word: such bytes need not be UTF-8, and no user will have them.
COLLISIONS = {
    "two longer tags": [with_hash(b"AAAAAAAA", 12345), with_hash(b"BBBBBBBB", 12345)],
    "tags that begin with the same word": [with_hash(b"AAAAAAAABBBBBBBB", 12345), with_hash(b"AAAAAAAA", 12345)],
    "a longer tag and a short one": [with_hash(b"AAAAAAAA", int.from_bytes(b"B-PER\xff\xff\xff", "little")), b"B-PER"],
    "a tag and one that continues it": [
        b"AAAAAAAA",
        with_hash(b"AAAAAAAABBBBBBBB", int.from_bytes(b"AAAAAAAA", "little") * MIX ^ (2**64 - 1)),
    ],
}


def test_tags_whose_hashes_are_equal_have_different_codes() -> None:
    for name in COLLISIONS:
        for order in [1, -1]:
            tags = COLLISIONS[name][::order]
            buffer = np.frombuffer(b"".join(tags), np.uint8)
            starts, lengths = np.array([0, len(tags[0]), 0]), np.array([len(tags[0]), len(tags[1]), len(tags[0])])
            table = TagTable()
            for _ in range(2):
                assert table.encode_tags(buffer, starts, lengths).tolist() == [1, 2, 1]


def test_codes_take_the_smallest_type_that_holds_the_vocabulary() -> None:
    table = TagTable()
    names = [f"B-{number}" for number in range(70_000)]
    assert table.encode_tags(*in_buffer(names[:255])).dtype == np.uint8
    assert table.encode_tags(*in_buffer(names[:256])).dtype == np.uint16
    assert table.encode_tags(*in_buffer(names)).dtype == np.uint32
    assert table.encode_tags(*in_buffer(names)).tolist() == list(range(1, 70_001))


def test_a_tag_coded_by_itself_has_the_same_code_in_a_buffer() -> None:
    table = TagTable()
    assert table.encode_tag(b"B-LOC") == 1
    assert table.encode_tags(*in_buffer(["B-PER", "B-LOC"])).tolist() == [2, 1]


def test_no_tags_have_no_codes() -> None:
    empty = np.zeros(0, np.int64)
    assert len(TagTable().encode_tags(np.zeros(0, np.uint8), empty, empty)) == 0
