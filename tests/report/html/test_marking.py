from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel.findings import Finding, Mark
from isogloss.runs.finding_view import TextPiece, build_lane, describe_cut_clusters, find_words, split_marked_text
from isogloss.text.display import split_graphemes

TEXTS = st.text(st.sampled_from("ab ก่ำكتاबक्ष👩\u200d🚀é́\n"), max_size=12)


@given(TEXTS, st.lists(st.integers(0, 12), max_size=8))
def test_the_pieces_are_the_text_and_break_between_clusters_only(text: str, edges: list[int]) -> None:
    inside = sorted(min(edge, len(text)) for edge in edges)
    spans = [(begin, stop, "x") for begin, stop in zip(inside[::2], inside[1::2], strict=False)]
    pieces = split_marked_text(text, spans)
    assert "".join(piece.text for piece in pieces) == text
    ends, at = set(), 0
    for piece in pieces:
        at += len(piece.text)
        ends.add(at)
    assert ends <= {0, *(end for _, end in split_graphemes(text))}


def test_a_mark_that_ends_inside_a_character_takes_all_of_it_and_says_so() -> None:
    text = "กำ่ป"
    assert split_marked_text(text, [(0, 1, "x")])[0] == TextPiece("กำ่", "x")
    assert describe_cut_clusters(text, 0, 1) == ("ends inside a character, before U+0E33 THAI CHARACTER SARA AM",)


def test_marks_that_share_a_character_do_not_repeat_it() -> None:
    assert "".join(piece.text for piece in split_marked_text("กำ่ป", [(0, 1, "x"), (1, 4, "y")])) == "กำ่ป"


def test_a_lane_has_signs_that_the_document_goes_on() -> None:
    finding = Finding("missed", "1", "f:1", (), "b c", before=True, after=True)
    found = build_lane(finding, Mark("reference", "PER", 1, 2, 2, 3), "r")
    assert [piece.text for piece in found.pieces] == ["…", "b ", "c", "…"]
    assert [piece.role for piece in found.pieces] == ["more", "plain", "r", "more"]


def test_without_a_text_a_lane_has_the_place() -> None:
    finding = Finding("missed", "1", "f:1", ())
    assert build_lane(finding, Mark("reference", "PER", 1, 2), "r").pieces == (TextPiece("[1, 2)"),)
    assert build_lane(finding, Mark("reference", "PER", 0, 0), "r").pieces == ()


def test_words_are_found_one_after_the_other() -> None:
    assert find_words("aa b a", 1, 6, ["a", "b", "a"]) == [(1, 2), (3, 4), (5, 6)]


def test_words_that_are_not_there_are_not_found() -> None:
    assert find_words("abc", 0, 2, ["c"]) is None
    assert find_words("abc", 0, 3, [""]) is None
