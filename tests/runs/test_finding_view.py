from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel.findings import Finding, Mark
from isogloss.runs.finding_view import (
    TextPiece,
    build_lane,
    describe_cut_clusters,
    find_words,
    has_place,
    merge_excerpts,
    split_marked_text,
)
from isogloss.text.display import split_graphemes

TEXTS = st.text(st.sampled_from("ab ก่ำكتاबक्ष👩\u200d🚀é́\n"), max_size=12)


@given(TEXTS, st.lists(st.integers(0, 12), max_size=8))
def test_marked_pieces_join_to_the_text_at_cluster_breaks(text: str, edges: list[int]) -> None:
    inside = sorted(min(edge, len(text)) for edge in edges)
    spans = [(begin, stop, "x") for begin, stop in zip(inside[::2], inside[1::2], strict=False)]
    pieces = split_marked_text(text, spans)
    assert "".join(piece.text for piece in pieces) == text
    ends, at = set(), 0
    for piece in pieces:
        at += len(piece.text)
        ends.add(at)
    assert ends <= {0, *(end for _, end in split_graphemes(text))}


def test_mark_inside_a_cluster_is_widened_with_a_remark() -> None:
    text = "กำ่ป"
    assert split_marked_text(text, [(0, 1, "x")])[0] == TextPiece("กำ่", "x")
    assert describe_cut_clusters(text, 0, 1) == ("ends inside a character, before U+0E33 THAI CHARACTER SARA AM",)


def test_marks_sharing_a_cluster_do_not_repeat_it() -> None:
    assert "".join(piece.text for piece in split_marked_text("กำ่ป", [(0, 1, "x"), (1, 4, "y")])) == "กำ่ป"


def test_lane_has_ellipses_where_the_document_continues() -> None:
    finding = Finding("missed", "1", "f:1", (), "b c", before=True, after=True)
    found = build_lane(finding, Mark("reference", "PER", 1, 2, 2, 3), "r")
    assert [piece.text for piece in found.pieces] == ["…", "b ", "c", "…"]
    assert [piece.role for piece in found.pieces] == ["more", "plain", "r", "more"]


def test_lane_without_text_shows_offsets() -> None:
    finding = Finding("missed", "1", "f:1", ())
    assert build_lane(finding, Mark("reference", "PER", 1, 2), "r").pieces == (TextPiece("[1, 2)"),)
    assert build_lane(finding, Mark("reference", "PER", 0, 0), "r").pieces == ()


def test_words_are_found_in_order() -> None:
    assert find_words("aa b a", 1, 6, ["a", "b", "a"]) == [(1, 2), (3, 4), (5, 6)]


def test_missing_words_are_not_found() -> None:
    assert find_words("abc", 0, 2, ["c"]) is None
    assert find_words("abc", 0, 3, [""]) is None


DOCUMENT = "abcdefghijklmnopqrstuvwxyz"


def finding(start: int, end: int, context: int = 2) -> Finding:
    low, high = max(start - context, 0), min(end + context, len(DOCUMENT))
    mark = Mark("predicted", None, start, end, start - low, end - low)
    return Finding("split", "1", "f:1", (mark,), DOCUMENT[low:high], low > 0, high < len(DOCUMENT))


@given(st.lists(st.tuples(st.integers(0, 25), st.integers(1, 5), st.integers(0, 6)), min_size=1, max_size=8))
def test_merged_excerpts_keep_every_mark_in_place(spans: list[tuple[int, int, int]]) -> None:
    findings = [finding(start, min(start + length, 26), context) for start, length, context in spans]
    found = merge_excerpts(findings)
    assert sum(len(one.findings) for one in found) == len(findings)
    for one in found:
        assert DOCUMENT[one.offset : one.offset + len(one.text)] == one.text
        assert one.before == (one.offset > 0)
        assert one.after == (one.offset + len(one.text) < 26)
        for own in one.findings:
            mark = own.marks[0]
            begin, stop = (one.to_excerpt_position(own, at or 0) for at in (mark.text_start, mark.text_end))
            assert one.text[begin:stop] == DOCUMENT[mark.start : mark.end]
    for one, two in pairwise(found):
        assert one.offset + len(one.text) < two.offset


def test_overlapping_excerpts_are_merged() -> None:
    assert [one.text for one in merge_excerpts([finding(3, 5), finding(7, 8)])] == ["bcdefghij"]


def test_distant_excerpts_stay_separate() -> None:
    assert [one.text for one in merge_excerpts([finding(20, 22), finding(3, 5)])] == ["bcdefg", "stuvwx"]


def test_contradicting_excerpts_stay_separate() -> None:
    other = Finding("split", "1", "f:1", (Mark("predicted", None, 5, 6, 2, 3),), "XXXXX")
    assert len(merge_excerpts([finding(3, 5), other])) == 2


def test_token_marks_have_no_place_in_the_text() -> None:
    assert has_place(finding(3, 5))
    assert not has_place(Finding("missed", "1", "f:1", (Mark("reference", "PER", 0, 2, 0, 15),), "Amara Lindqvist"))
    assert not has_place(Finding("missed", "1", "f:1", (Mark("reference", "PER", 0, 2),)))
