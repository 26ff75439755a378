from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import isogloss
from isogloss.kernel.findings import Finding, Mark
from isogloss.runs.finding_view import TextPiece
from isogloss.tasks.segmentation.finding_view import VIEW, SampleWords, build_sample_lanes, find_sample

THAI = SampleWords("แมวชอบนอนตากลม", [(0, 3), (3, 6), (6, 9), (9, 12), (12, 14)], [(0, 3), (3, 9), (9, 11), (11, 14)])


def pieces(sample: SampleWords) -> list[list[tuple[str, str]]]:
    return [[(piece.text, piece.role) for piece in lane.pieces] for lane in build_sample_lanes(sample)]


def test_differing_words_are_marked_on_each_side() -> None:
    wrong = "word word-reference"
    assert pieces(THAI) == [
        [("แมว", "cut"), ("ชอบ", wrong), ("นอน", wrong), ("ตาก", wrong), ("ลม", wrong)],
        [("แมว", "cut"), *((text, "word word-predicted") for text in ("ชอบนอน", "ตา", "กลม"))],
    ]


def test_separate_correct_words_have_no_cut() -> None:
    sample = SampleWords("one two three", [(0, 3), (4, 7), (8, 13)], [(0, 3), (4, 7), (8, 11), (11, 13)])
    assert pieces(sample) == [
        [("one two ", "plain"), ("three", "word word-reference")],
        [("one two ", "plain"), ("thr", "word word-predicted"), ("ee", "word word-predicted")],
    ]


def test_touching_correct_words_have_a_cut_between() -> None:
    words = [(0, 1), (1, 2), (3, 4)]
    assert pieces(SampleWords("ab c", words, words))[0] == [("a", "cut"), ("b", "cut"), (" c", "plain")]


def test_words_are_not_cut_inside_a_cluster() -> None:
    sample = SampleWords("กี่", [(0, 3)], [(0, 1), (1, 3)])
    reference, predicted = build_sample_lanes(sample)
    assert [piece.text for piece in predicted.pieces] == ["กี่"]
    assert predicted.remarks == (
        "ends inside a character, before U+0E35 THAI CHARACTER SARA II",
        "begins inside a character, at U+0E35 THAI CHARACTER SARA II",
    )
    assert reference.remarks == ()


word = st.text("กาเม ab", min_size=1, max_size=4)


@given(st.lists(word, min_size=1, max_size=6), st.data())
def test_lanes_keep_the_text_and_mark_one_sided_words(words: list[str], data: Any) -> None:
    text = "".join(words)
    sides = []
    for _ in range(2):
        cuts = sorted(data.draw(st.sets(st.integers(0, len(text)))) | {0, len(text)})
        sides.append([*pairwise(cuts)])
    sample = SampleWords(text, *sides)
    for lane, own, other in zip(build_sample_lanes(sample), sides, reversed(sides), strict=True):
        assert "".join(piece.text for piece in lane.pieces) == text
        marked = [piece for piece in lane.pieces if piece.role.startswith("word")]
        assert bool(marked) == bool(set(own) - set(other))
        assert {piece.role for piece in lane.pieces} <= {"plain", "cut", f"word word-{lane.side}"}


def finding(**more: Any) -> Finding:
    return Finding("split", "1", "f:1", (Mark("reference", "ab", 0, 2, 0, 2),), "abc", extra=more)


SAMPLE = {"text": "abc", "reference": [[0, 2], [2, 3]], "predicted": [[0, 1], [1, 2], [2, 3]]}


def test_sample_is_found_in_any_finding_of_a_document() -> None:
    found = find_sample([finding(), finding(sample=SAMPLE)])
    assert found == SampleWords("abc", [(0, 2), (2, 3)], [(0, 1), (1, 2), (2, 3)])
    assert find_sample([finding()]) is None


def test_invalid_sample_is_shown_as_an_excerpt() -> None:
    for changed in [
        "abc",
        None,
        SAMPLE | {"text": 3},
        SAMPLE | {"text": "ab"},
        SAMPLE | {"reference": [[0, 2], [1, 3]]},
        SAMPLE | {"reference": [[2, 1]]},
        SAMPLE | {"predicted": [[-1, 2]]},
        SAMPLE | {"predicted": [[0, "x"]]},
        {"text": "abc"},
    ]:
        (context,) = VIEW.build_contexts([finding(sample=changed, reference_words=["ab"])])
        assert context.lanes[0].pieces == (TextPiece("ab", "word word-reference"), TextPiece("c"))


def test_sample_is_one_context_with_all_kinds() -> None:
    run = isogloss.segmentation([["ab", "c", "de", "f"]], [["a", "b", "cd", "e", "f"]], findings=True)
    (context,) = VIEW.build_contexts(run.findings)
    assert [(kind.name, kind.count) for kind in context.kinds] == [("split", 1), ("shift", 1)]
    texts = [[piece.text for piece in lane.pieces if piece.role.startswith("word")] for lane in context.lanes]
    assert texts == [["ab", "c", "de"], ["a", "b", "cd", "e"]]
    assert context.facts == ()
