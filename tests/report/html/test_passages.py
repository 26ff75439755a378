from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel.findings import Finding, Mark
from isogloss.runs.finding_view import has_place, merge_excerpts

DOCUMENT = "abcdefghijklmnopqrstuvwxyz"


def finding(start: int, end: int, context: int = 2) -> Finding:
    low, high = max(start - context, 0), min(end + context, len(DOCUMENT))
    mark = Mark("predicted", None, start, end, start - low, end - low)
    return Finding("split", "1", "f:1", (mark,), DOCUMENT[low:high], low > 0, high < len(DOCUMENT))


@given(st.lists(st.tuples(st.integers(0, 25), st.integers(1, 5), st.integers(0, 6)), min_size=1, max_size=8))
def test_passages_are_parts_of_the_document_that_keep_every_mark(spans: list[tuple[int, int, int]]) -> None:
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


def test_excerpts_that_overlap_are_one_passage() -> None:
    assert [one.text for one in merge_excerpts([finding(3, 5), finding(7, 8)])] == ["bcdefghij"]


def test_excerpts_that_are_apart_stay_apart() -> None:
    assert [one.text for one in merge_excerpts([finding(20, 22), finding(3, 5)])] == ["bcdefg", "stuvwx"]


def test_excerpts_that_do_not_agree_stay_apart() -> None:
    other = Finding("split", "1", "f:1", (Mark("predicted", None, 5, 6, 2, 3),), "XXXXX")
    assert len(merge_excerpts([finding(3, 5), other])) == 2


def test_marks_that_count_tokens_have_no_place_in_the_text() -> None:
    assert has_place(finding(3, 5))
    assert not has_place(Finding("missed", "1", "f:1", (Mark("reference", "PER", 0, 2, 0, 15),), "Amara Lindqvist"))
    assert not has_place(Finding("missed", "1", "f:1", (Mark("reference", "PER", 0, 2),)))
