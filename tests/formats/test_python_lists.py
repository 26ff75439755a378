import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.errors import DataError, IsoglossError, MismatchError, UsageError
from isogloss.formats import python_arguments, python_lists
from isogloss.formats.python_arguments import detect_argument_kind, detect_common_kind
from isogloss.formats.python_lists import batch_span_lists, batch_tag_lists
from isogloss.spans.batches import SpanPairs, TagPairs

Tags = Sequence[Sequence[str]]
TAGS = st.one_of(
    st.sampled_from(["O", "O", "O", "B-PER", "I-PER", "S", "OO", "B-organization/company", "Б-ЛИЦ", "𐌰", "B\nI", "\n"]),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12),
)
CORPORA = st.lists(st.lists(st.tuples(TAGS, TAGS), max_size=6), max_size=12)


def read_back(batches: Sequence[TagPairs]) -> tuple[list[list[str]], list[list[str]]]:
    """The tag lists that batches stand for, code by code."""
    sides: tuple[list[list[str]], list[list[str]]] = ([], [])
    for batch in batches:
        for begin, end in zip(batch.offsets[:-1], batch.offsets[1:], strict=True):
            for side, codes in zip(sides, (batch.reference, batch.predicted), strict=True):
                side.append([batch.vocabulary[code] for code in codes[begin:end]])
    return sides


@settings(max_examples=100)
@given(CORPORA, st.integers(1, 5), st.integers(1, 9))
def test_batches_hold_the_tags_of_the_lists(corpus: list[list[tuple[str, str]]], documents: int, tokens: int) -> None:
    reference = [[tag for tag, _ in document] for document in corpus]
    prediction = [[tag for _, tag in document] for document in corpus]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(python_lists, "TAG_BATCH_DOCUMENTS", documents)
        patch.setattr(python_lists, "TAG_BATCH_TOKENS", tokens)
        batches = list(batch_tag_lists(reference, prediction))
    assert read_back(batches) == (reference, prediction)
    assert [number for batch in batches for number in batch.documents] == list(range(len(corpus)))


def test_codes_equal_those_of_a_dictionary_on_a_corpus_of_many_batches() -> None:
    rng = random.Random(3)
    names = ["O"] * 8 + ["B-PER", "I-PER", "B-ORG", "I-a-long-name-of-a-type"]
    corpus = [[rng.choice(names) for _ in range(rng.randrange(12))] for _ in range(20_000)]
    batches = list(batch_tag_lists(corpus, corpus))
    codes = {tag: code for code, tag in enumerate(batches[-1].vocabulary)}
    expected = bytes(map(codes.__getitem__, chain.from_iterable(corpus)))
    assert len(batches) > 1
    assert b"".join(batch.reference.astype(np.uint8).tobytes() for batch in batches) == expected


@given(CORPORA)
def test_a_tag_has_one_code_on_both_sides_and_in_all_batches(corpus: list[list[tuple[str, str]]]) -> None:
    sides = [[[pair[side] for pair in document] for document in corpus] for side in (0, 1)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(python_lists, "TAG_BATCH_DOCUMENTS", 1)
        batches = list(batch_tag_lists(*sides))
    for before, after in pairwise(batches):
        assert after.vocabulary[: len(before.vocabulary)] == before.vocabulary
        assert len(set(after.vocabulary)) == len(after.vocabulary)


def test_more_than_256_tags_need_wider_codes_on_both_sides() -> None:
    prediction = [[f"B-{number}" for number in range(300)]]
    (batch,) = batch_tag_lists([["O"] * 300], prediction)
    assert batch.reference.dtype == batch.predicted.dtype == np.uint16
    assert read_back([batch])[1] == prediction


def test_blocks_end_before_they_hold_too_many_tokens_but_never_inside_a_document(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(python_lists, "TAG_BATCH_TOKENS", 5)
    corpus = [["O"] * size for size in (2, 3, 1, 9, 0, 5)]
    assert [np.diff(batch.offsets).tolist() for batch in batch_tag_lists(corpus, corpus)] == [[2, 3], [1], [9], [0, 5]]


def test_empty_documents_are_documents() -> None:
    (batch,) = batch_tag_lists([[], ["O"], []], [[], ["B-PER"], []])
    assert batch.offsets.tolist() == [0, 0, 1, 1]


def test_no_documents_make_no_batches() -> None:
    assert list(batch_tag_lists([], [])) == []


def as_series(corpus: Tags) -> Any:
    return pytest.importorskip("pandas").Series([list(tags) for tags in corpus], index=[7] * len(corpus))


@pytest.mark.parametrize(
    "convert",
    [
        tuple,
        lambda corpus: tuple(map(tuple, corpus)),
        lambda corpus: [np.array(tags) for tags in corpus],
        lambda corpus: [np.array(tags, object) for tags in corpus],
        np.array,
        as_series,
    ],
    ids=["tuple", "tuples", "arrays", "object arrays", "one array", "Series"],
)
def test_other_collections_are_read_like_lists(convert: Callable[[Tags], Any]) -> None:
    corpus = [["B-PER", "O"], ["O", "I-PER"], ["O", "O"]]
    assert read_back(list(batch_tag_lists(convert(corpus), corpus))) == (corpus, corpus)


def test_the_origin_names_documents_from_1_and_places_by_their_indices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python_lists, "TAG_BATCH_DOCUMENTS", 2)
    _, batch = batch_tag_lists([["O"], ["O"], ["B-PER", "I-PER"]], [["O"], ["O"], ["O", "O"]])
    passage = batch.provenance.get_excerpt(0)
    assert batch.provenance.name(0) == "3"
    assert batch.provenance.where(0, 1, "predicted") == "prediction[2][1]"
    assert batch.provenance.where(0, 1, "reference") == "reference[2][1]"
    assert passage is not None
    assert passage.text == "B-PER I-PER"
    assert passage.locate_span(1, 2) == (6, 11)


@dataclass
class Mention:
    start: int
    end: int
    label: Any


@dataclass
class Numbered(Mention):
    label_: str


class Triple(NamedTuple):
    label: str
    start: int
    end: int


GOOD = [["B-PER", "O"], ["O"]]
FAULTS: dict[str, tuple[Any, type[IsoglossError], str | None, str, str]] = {
    # predicted against GOOD: the error, where, a part of the message, a part of the remedy
    "a flat list": (["B-PER", "O"], UsageError, None, "flat list of strings", "wrap it in a list: [prediction]"),
    "a string": ("B-PER", UsageError, None, "got str", "must be a list of documents"),
    "None": (None, UsageError, None, "got NoneType", "must be a list of documents"),
    "a generator": ((tags for tags in GOOD), UsageError, None, "got generator", "must be a list of documents"),
    "a string among lists": ([["O", "O"], "O"], DataError, "prediction[1]", "'O' is of type str", "wrap it in a list"),
    "a number among lists": ([["O", "O"], 3], DataError, "prediction[1]", "3 is of type int", "empty list"),
    "a generator among lists": (
        [["O", "O"], (tag for tag in "O")],
        DataError,
        "prediction[1]",
        "is of type generator",
        "empty list",
    ),
    "too few documents": (GOOD[:1], MismatchError, "prediction[1]", "has 2 documents, the prediction 1", "[] where"),
    "too many documents": ([*GOOD, []], MismatchError, "prediction[2]", "2 documents, the prediction 3", "same order"),
    "too few tags": ([["O", "O"], []], MismatchError, "prediction[1]", "1 reference tags, but 0", "one predicted tag"),
    "too many tags": ([["O"] * 3, ["O"]], MismatchError, "prediction[0]", "2 reference tags, but 3", "one predicted"),
    "None as a tag": ([["O", None], ["O"]], DataError, "prediction[0][1]", "None is of type NoneType", "'O'"),
    "a number as a tag": ([["O", "O"], [7]], DataError, "prediction[1][0]", "7 is of type int", "'O'"),
    "an empty tag": ([["O", ""], ["O"]], DataError, "prediction[0][1]", "the tag is empty", "'O'"),
    "half a surrogate": ([["O", "\ud800"], ["O"]], DataError, "prediction[0][1]", "surrogate", "UTF-8"),
    "an empty tag after a newline": ([["O\n", ""], ["O"]], DataError, "prediction[0][1]", "the tag is empty", "'O'"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_tag_list_is_an_error_with_its_place_and_a_remedy(fault: str) -> None:
    prediction, kind, where, message, remedy = FAULTS[fault]
    with pytest.raises(kind) as caught:
        list(batch_tag_lists(GOOD, prediction))
    assert getattr(caught.value, "where", None) == where
    assert message in str(caught.value)
    assert remedy in str(caught.value)


def test_a_fault_of_the_reference_is_placed_in_the_reference() -> None:
    with pytest.raises(DataError) as caught:
        list(batch_tag_lists([["O"], ["O", ""]], [["O"], ["O", "O"]]))
    assert caught.value.where == "reference[1][1]"


def test_a_document_of_the_reference_that_has_no_length_is_placed_in_the_reference() -> None:
    with pytest.raises(DataError, match="3 is of type int") as caught:
        list(batch_tag_lists([["O"], 3], [["O"], ["O"]]))
    assert caught.value.where == "reference[1]"


def test_a_mismatch_of_lengths_shows_both_sides_where_the_shorter_ends() -> None:
    reference = [f"B-{number}" for number in range(12)]
    with pytest.raises(MismatchError) as caught:
        list(batch_tag_lists([["O"], reference], [["O"], ["O"] * 10]))
    assert caught.value.detail == (
        "reference   … B-6 B-7 B-8 B-9 B-10 B-11 (end)\nprediction  … O O O O (end)"  # four before the shorter's end
    )


SPANS = st.tuples(st.integers(0, 9), st.integers(1, 5), st.sampled_from(["PER", "ORG", "人名", ""])).map(
    lambda span: (span[0], span[0] + span[1], span[2])
)
SPAN_CORPORA = st.lists(st.tuples(st.lists(SPANS, max_size=5), st.lists(SPANS, max_size=5)), max_size=8)


def spans_of(batches: Sequence[SpanPairs]) -> tuple[list[list[tuple[int, int, str]]], list[list[tuple[int, int, str]]]]:
    """The span lists that batches stand for, in the order of the batch."""
    sides: tuple[list[list[tuple[int, int, str]]], list[list[tuple[int, int, str]]]] = ([], [])
    for batch in batches:
        for side, spans in zip(sides, (batch.reference, batch.predicted), strict=True):
            documents: list[list[tuple[int, int, str]]] = [[] for _ in batch.documents]
            for at in range(len(spans)):
                span = int(spans.start[at]), int(spans.end[at]), batch.labels[spans.label[at]]
                documents[spans.row[at]].append(span)
            side.extend(documents)
    return sides


FORMS: dict[str, Callable[[int, int, str], Any]] = {
    "tuple": lambda *span: span,
    "list": lambda *span: list(span),
    "dict": lambda start, end, label: {"label": label, "start": start, "end": end, "score": 1},
    "object": Mention,
    "object with a numbered label": lambda start, end, label: Numbered(start, end, 17, label),
    "named tuple": lambda start, end, label: Triple(label, start, end),
    "numpy integers": lambda start, end, label: (np.int64(start), np.uint8(end), np.str_(label)),
}


@settings(max_examples=100)
@given(SPAN_CORPORA, st.lists(st.sampled_from(sorted(FORMS)), min_size=1, max_size=2), st.integers(1, 4))
def test_batches_hold_the_spans_of_the_lists_in_order(
    corpus: list[tuple[list[tuple[int, int, str]], list[tuple[int, int, str]]]], forms: list[str], documents: int
) -> None:
    makers = [FORMS[form] for form in forms]
    sides = [
        [[makers[at % len(makers)](*span) for at, span in enumerate(pair[side])] for pair in corpus] for side in (0, 1)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(python_lists, "SPAN_BATCH_DOCUMENTS", documents)
        batches = list(batch_span_lists(*sides))
    assert spans_of(batches) == ([sorted(pair[0]) for pair in corpus], [sorted(pair[1]) for pair in corpus])
    assert [number for batch in batches for number in batch.documents] == list(range(len(corpus)))
    for batch in batches:
        assert list(batch.labels) == sorted(set(batch.labels))


def test_duplicate_nested_and_overlapping_spans_are_kept() -> None:
    spans = [(0, 4, "B"), (0, 4, "A"), (1, 2, "A"), (0, 4, "A"), (3, 6, "A")]
    assert spans_of(list(batch_span_lists([spans], [[]]))) == (
        [[(0, 4, "A"), (0, 4, "A"), (0, 4, "B"), (1, 2, "A"), (3, 6, "A")]],
        [[]],
    )


def test_the_origin_of_a_span_list_places_a_span_by_its_indices_and_has_no_text() -> None:
    (batch,) = batch_span_lists([[], [(5, 6, "A"), (2, 3, "A")]], [[], [{"start": 4, "end": 5, "label": "A"}]])
    assert batch.provenance.name(1) == "2"
    assert batch.provenance.where(1, 2, "reference") == "reference[1][1]"
    assert batch.provenance.where(1, 4, "predicted") == "prediction[1][0]"
    assert batch.provenance.where(1, 9, "predicted") == "prediction[1]"
    assert batch.provenance.get_excerpt(1) is None


SPAN_FAULTS: dict[str, tuple[Any, str, str, str]] = {
    # a span among good ones: its place, a part of the message, a part of the remedy
    "end before start": ((5, 3, "A"), "prediction[1][2]", "[5, 3) 'A' has no extent", "ends before `end`"),
    "end equals start": ((5, 5, "A"), "prediction[1][2]", "[5, 5) 'A' has no extent", "ends before `end`"),
    "negative start": ((-1, 5, "A"), "prediction[1][2]", "begins before its text", "count from 0"),
    "start of text": (("0", 5, "A"), "prediction[1][2]", "'0' is of type str", "(start, end, label)"),
    "fraction": ((0, 5.0, "A"), "prediction[1][2]", "5.0 is of type float", "(start, end, label)"),
    "truth value": ((False, 5, "A"), "prediction[1][2]", "False is of type bool", "(start, end, label)"),
    "huge": ((0, 2**70, "A"), "prediction[1][2]", "no text is long enough", "count from 0"),
    "far": ((0, 2**62, "A"), "prediction[1][2]", "no text is long enough", "count from 0"),
    "label None": ((0, 5, None), "prediction[1][2]", "is not a span", "(start, end, label)"),
    "label a number": ((0, 5, 3), "prediction[1][2]", "3 is of type int", "(start, end, label)"),
    "two values": ((0, 5), "prediction[1][2]", "(0, 5) is not a span", "(start, end, label)"),
    "four values": ((0, 5, "A", 1), "prediction[1][2]", "(0, 5, 'A', 1) is not a span", "(start, end, label)"),
    "dict without a label": ({"start": 0, "end": 5}, "prediction[1][2]", "is not a span", "a dict with these keys"),
    "a tag": ("B-PER", "prediction[1][2]", "'B-PER' is not a span", "(start, end, label)"),
}


@pytest.mark.parametrize("fault", SPAN_FAULTS)
@pytest.mark.parametrize("mixed", [False, True], ids=["one kind", "mixed kinds"])
def test_a_faulty_span_is_an_error_with_its_place_and_a_remedy(fault: str, mixed: bool) -> None:  # noqa: FBT001 - a parameter of the test
    span, where, message, remedy = SPAN_FAULTS[fault]
    other = {"start": 0, "end": 1, "label": "A"} if mixed else (0, 1, "A")
    prediction = [[other], [(0, 1, "A"), other, span, (7, 8, "A")]]
    with pytest.raises(DataError) as caught:
        list(batch_span_lists([[], []], prediction))
    assert caught.value.where == where
    assert message in caught.value.message
    assert remedy in caught.value.remedy


def test_another_number_of_span_lists_is_an_error_that_shows_the_first_without_a_partner() -> None:
    with pytest.raises(MismatchError, match=r"the reference has 1 document, the prediction 2") as caught:
        list(batch_span_lists([[]], [[], [(0, 1, "PER")]]))
    assert "(0, 1, 'PER')" in caught.value.detail


@pytest.mark.parametrize("value", [[(0, 2, "PER")], [{"start": 0, "end": 2, "label": "PER"}], [Mention(0, 2, "PER")]])
def test_a_flat_list_of_spans_is_to_be_wrapped(value: Any) -> None:
    for read in (batch_span_lists, batch_tag_lists):
        with pytest.raises(UsageError, match=r"flat list of spans.*wrap it in a list"):
            list(read(value, value))


KINDS: dict[str, tuple[Any, str]] = {
    "a path": ("gold.conll", "path"),
    "tags": ([["O"]], "tags"),
    "tags after empty documents": ([[], (), ["O"]], "tags"),
    "three tags in a tuple": ([("B-PER", "I-PER", "O")], "tags"),
    "an array": (np.array([["O"]]), "tags"),
    "tuples": ([[(0, 2, "PER")]], "spans"),
    "numpy positions": ([[(np.int32(0), np.int32(2), "PER")]], "spans"),
    "dicts": ([[{"start": 0, "end": 2, "label": "PER"}]], "spans"),
    "objects": ([[], [Mention(0, 2, "PER")]], "spans"),
    "empty documents": ([[], []], "empty"),
    "no documents": ([], "empty"),
}


@pytest.mark.parametrize("name", KINDS)
def test_the_first_document_that_is_not_empty_tells_the_kind(name: str) -> None:
    value, kind = KINDS[name]
    assert detect_argument_kind(value, "reference") == kind


def test_a_path_object_is_a_path(tmp_path: Any) -> None:
    assert detect_argument_kind(tmp_path / "gold.conll", "reference") == "path"


@pytest.mark.parametrize(
    ("value", "message"),
    [([[3, 0]], "Replace the numbers by the names"), ([[None]], "None is neither a tag nor a span")],
)
def test_what_is_neither_tag_nor_span_is_an_error_with_its_place(value: Any, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        detect_argument_kind(value, "predicted")
    assert caught.value.where == "prediction[0][0]"


def test_empty_documents_go_with_tags_and_with_spans() -> None:
    assert detect_common_kind([["O"]], [[]]) == "tags"
    assert detect_common_kind([[]], [[(0, 1, "A")]]) == "spans"
    assert detect_common_kind([[]], [[]]) == "empty"


@pytest.mark.parametrize(
    ("reference", "prediction"), [([["O"]], [[(0, 1, "A")]]), ("gold.conll", [["O"]]), ([[]], "pred.conll")]
)
def test_arguments_of_two_kinds_are_an_error_that_names_both(reference: Any, prediction: Any) -> None:
    with pytest.raises(UsageError, match=r"reference is a .*, but prediction is a .*must be of one kind"):
        detect_common_kind(reference, prediction)


def test_arrays_are_converted_once_however_many_batches_they_make(monkeypatch: pytest.MonkeyPatch) -> None:
    converted = []
    original = python_arguments.to_unit_list

    def counting(value: Any, number: int, side: Any) -> Any:
        converted.append(number)
        return original(value, number, side)

    monkeypatch.setattr(python_arguments, "to_unit_list", counting)
    monkeypatch.setattr(python_lists, "TAG_BATCH_TOKENS", 4)
    corpus = [np.array(["O"] * 3) for _ in range(10)]
    assert len(list(batch_tag_lists(corpus, corpus))) == 10
    assert sorted(converted) == sorted([*range(10), *range(10)])
