from __future__ import annotations

import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss import convert_tags, spans_to_tags, tags_to_spans
from isogloss.errors import DataError, MismatchError, UsageError
from isogloss.spans.schemes import SCHEMES

TAGS = ["B-PER", "I-PER", "O", "B-LOC", "B-LOC"]
SPANS = [(0, 2, "PER"), (3, 4, "LOC"), (4, 5, "LOC")]
VALID_TAGS = st.lists(st.sampled_from(["O", "B-PER", "B-LOC", "I"]), max_size=12)


def make_valid(letters: list[str]) -> list[str]:
    """Give each I the label of the span before it, and O where there is none."""
    tags: list[str] = []
    for letter in letters:
        before = tags[-1] if tags else "O"
        tags.append(letter if letter != "I" else "O" if before == "O" else f"I-{before[2:]}")
    return tags


def find_spans_plainly(tags: list[str]) -> list[tuple[int, int, str]]:
    spans: list[tuple[int, int, str]] = []
    for at, tag in enumerate(tags):
        if tag.startswith("I-"):
            start, _, label = spans.pop()
            spans.append((start, at + 1, label))
        elif tag != "O":
            spans.append((at, at + 1, tag[2:]))
    return spans


def test_one_document_gives_one_list() -> None:
    assert tags_to_spans(TAGS) == SPANS
    assert spans_to_tags(SPANS, 5) == TAGS
    assert spans_to_tags(SPANS, ["a", "b", "c", "d", "e"]) == TAGS
    assert convert_tags(TAGS, "iobes") == ["B-PER", "E-PER", "O", "S-LOC", "S-LOC"]


def test_several_documents_give_a_list_for_each() -> None:
    assert tags_to_spans([TAGS, [], ["O"]]) == [SPANS, [], []]
    assert spans_to_tags([SPANS, []], [5, ["x"]]) == [TAGS, ["O"]]
    assert convert_tags([["O"], ["B-PER"]], "bmewo") == [["O"], ["W-PER"]]


@pytest.mark.parametrize("convert", [tags_to_spans, lambda tags: convert_tags(tags, "bilou")])
def test_document_without_tokens_has_no_spans_and_tags(convert: Any) -> None:
    assert convert([]) == []


@given(letters=st.lists(VALID_TAGS, min_size=1, max_size=4))
def test_spans_are_those_of_a_plain_loop(letters: list[list[str]]) -> None:
    documents = [make_valid(one) for one in letters]
    assert tags_to_spans(documents, "iob2") == [find_spans_plainly(tags) for tags in documents]


@given(letters=VALID_TAGS, scheme=st.sampled_from(sorted(set(SCHEMES) - {"io"})))
def test_tags_of_any_scheme_come_back(letters: list[str], scheme: str) -> None:
    tags = make_valid(letters)
    other = convert_tags(tags, scheme, "iob2")
    assert other == spans_to_tags(tags_to_spans(tags, "iob2"), len(tags), scheme)
    assert convert_tags(other, "iob2", scheme) == tags


@pytest.mark.parity
def test_spans_are_those_of_get_entities() -> None:
    labeling = pytest.importorskip("seqeval.metrics.sequence_labeling")
    found = [(start, end + 1, label) for label, start, end in labeling.get_entities(TAGS)]
    assert tags_to_spans(TAGS) == found


def test_suffix_notation_is_kept() -> None:
    assert convert_tags(["PER-B", "PER-I", "O"], "bilou") == ["PER-B", "PER-L", "O"]
    assert spans_to_tags([(0, 1, "PER")], 2, notation="suffix") == ["PER-B", "O"]


def test_invalid_tag_is_repaired_with_a_warning() -> None:
    with pytest.warns(UserWarning, match=r"Tags do not fit IOB2 .*: 1 \(tags\[0\]\[1\]\)") as caught:
        assert tags_to_spans(["O", "I-PER"], "iob2") == [(1, 2, "PER")]
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert tags_to_spans(["O", "I-PER"], "iob2", repair="discard") == []


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(UsageError, match="tags must be a list"):
        tags_to_spans("B-PER")
    with pytest.raises(MismatchError, match="spans of 1 document, but 2 lengths"):
        spans_to_tags([SPANS], [5, 5])
    with pytest.raises(DataError, match="overlap"):
        spans_to_tags([(0, 2, "A"), (1, 3, "B")], 3)
    with pytest.raises(UsageError, match="did you mean"):
        convert_tags(TAGS, "bilo")
