"""The decoder against a plain one: one tag at a time, no arrays, no tables."""

import pickle
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tag_batches import decode_tags, list_spans, make_batch
from tagged import ALPHABET, Span, find_invalid_tags, read_spans

from isogloss.errors import TagError, UsageError
from isogloss.kernel.provenance import SIDES, RunWarning
from isogloss.spans.batches import SpanPairs
from isogloss.spans.decoder import Decoder
from isogloss.spans.scheme_detection import use_named_scheme
from isogloss.spans.schemes import SCHEMES, TagRepair

LABELS = ("PER", "LOC", "A-B")
REPAIRS: tuple[TagRepair, ...] = ("begin", "discard", "error")


def find_wrong_tags(tags: list[str], scheme: str) -> set[int]:
    return {at for at, kind in find_invalid_tags(tags, scheme) if kind != "needless"}


def decode_plainly(tags: list[str], scheme: str, repair: str) -> tuple[list[Span], int]:
    """Return the spans of one document and the number of tags repaired or discarded, one tag at a time."""
    wrong = find_wrong_tags(tags, scheme)
    if repair == "begin":
        return read_spans(tags), len(wrong)
    kept = [span for span in read_spans(tags) if wrong.isdisjoint((span[0], span[1] - 1))]
    return kept, sum(end - start for start, end, _ in read_spans(tags)) - sum(end - start for start, end, _ in kept)


def random_documents(scheme: str, generator: random.Random, count: int) -> list[list[str]]:
    tags = [f"{letter}-{label}" for letter in ALPHABET[scheme] for label in LABELS]

    def document() -> list[str]:
        outside = generator.choice((0.1, 0.5, 0.9))
        length = generator.choice((0, 1, 2, 3, 5, 8, 13))
        return ["O" if generator.random() < outside else generator.choice(tags) for _ in range(length)]

    return [document() for _ in range(count)]


def counts(result: SpanPairs) -> dict[str, int]:
    return {notice.message.split(" of the ")[1].split()[0]: notice.count for notice in result.warnings}


@pytest.mark.parametrize("repair", ["begin", "discard"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_random_documents_decode_as_the_plain_decoder_does(scheme: str, repair: TagRepair) -> None:
    generator = random.Random(f"{scheme} {repair}")
    reference = random_documents(scheme, generator, 3000)
    predicted = [["O" if generator.random() < 0.3 else tag for tag in document] for document in reference]
    result = decode_tags(scheme, reference, predicted, repair=repair)
    for side, word, documents in zip(SIDES, ("reference", "prediction"), (reference, predicted), strict=True):
        expected = [decode_plainly(document, scheme, repair) for document in documents]
        assert list_spans(result, side) == [found for found, _ in expected]
        assert counts(result).get(word, 0) == sum(count for _, count in expected)


def test_error_stops_where_the_plain_decoder_first_repairs() -> None:
    for scheme in SCHEMES:
        stopped = 0
        for document in random_documents(scheme, random.Random(scheme), 400):
            wrong = find_wrong_tags(document, scheme)
            if not wrong:
                decode_tags(scheme, [document], repair="error")
            else:
                stopped += 1
                with pytest.raises(TagError) as error:
                    decode_tags(scheme, [["O"], document], repair="error")
                assert error.value.where == f"reference[1][{min(wrong)}]"
        assert (stopped > 100) == (scheme not in ("io", "iob1", "ioe1"))


@pytest.mark.parametrize("repair", REPAIRS)
def test_documents_do_not_touch(repair: TagRepair) -> None:
    result = decode_tags("ioe1", [["I-PER"], [], ["I-PER", "I-PER"], ["I-PER"]], repair=repair)
    assert list_spans(result) == [[(0, 1, "PER")], [], [(0, 2, "PER")], [(0, 1, "PER")]]


@pytest.mark.parametrize("documents", [[], [[]], [[], []], [["O", "O"]], [["O"], []]])
def test_without_tags_there_are_no_spans(documents: list[list[str]]) -> None:
    result = decode_tags("iob2", documents)
    assert list_spans(result) == [[] for _ in documents]
    assert result.tokens is not None
    assert result.tokens.total.tolist() == [len(document) for document in documents]
    assert result.tokens.correct.tolist() == result.tokens.total.tolist()


def test_tokens_count_as_correct_where_their_tags_are_equal() -> None:
    reference = [["B-PER", "I-PER", "O"], [], ["O", "O"], ["O"]]
    predicted = [["B-PER", "B-PER", "O"], [], ["O", "B-LOC"], ["O"]]
    tokens = decode_tags("iob2", reference, predicted).tokens
    assert tokens is not None
    assert tokens.correct.tolist() == [2, 0, 1, 1]
    assert tokens.total.tolist() == [3, 0, 2, 1]


def test_labels_ascend_whatever_the_order_of_the_vocabulary() -> None:
    vocabulary = ("O", "I-PER", "B-ORG", "B-PER", "B-LOC", "I-ORG")
    result = decode_tags("iob2", [["B-PER", "O", "B-ORG"]], vocabulary=vocabulary)
    assert result.labels == ("LOC", "ORG", "PER")
    assert result.reference.label.tolist() == [2, 1]


def test_documents_and_origin_are_passed_on() -> None:
    given_batch = make_batch([["B-PER"], ["O"]], first=7)
    result = Decoder(use_named_scheme("iob2"))(given_batch)
    assert result.documents.tolist() == [7, 8]
    assert result.provenance is given_batch.provenance


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
def test_codes_of_any_width_decode_alike(dtype: type) -> None:
    result = decode_tags("iob2", [["B-PER", "I-PER", "B-LOC"]], dtype=dtype)
    assert list_spans(result) == [[(0, 2, "PER"), (2, 3, "LOC")]]
    assert {array.dtype for array in vars(result.predicted).values()} == {np.dtype(np.int64)}


def test_thousands_of_tags_decode_as_few_do() -> None:
    vocabulary = ("O", *(f"{letter}-L{label}" for label in range(5000) for letter in "BI"))
    document = ["B-L4999", "I-L4999", "I-L0", "B-L255", "I-L256", "O", "I-L4999"]
    result = decode_tags("iob2", [document], vocabulary=vocabulary, dtype=np.uint16)
    assert list_spans(result) == [[(0, 2, "L4999"), (2, 3, "L0"), (3, 4, "L255"), (4, 5, "L256"), (6, 7, "L4999")]]


def test_one_decoder_reads_vocabularies_that_grow() -> None:
    decode = Decoder(use_named_scheme("iob2"))
    small = decode(make_batch([["B-PER", "I-PER"]]))
    grown = decode(make_batch([["B-PER", "I-PER", "B-ACT"]], vocabulary=("O", "B-PER", "I-PER", "B-ACT")))
    assert list_spans(small) == [[(0, 2, "PER")]]
    assert list_spans(grown) == [[(0, 2, "PER"), (2, 3, "ACT")]]


def test_suffix_notation_reads_the_label_before_the_last_hyphen() -> None:
    document = ["PER-B", "PER-I", "A-B-B", "A-B-I"]
    result = decode_tags("iob2", [document], tags=document)
    assert list_spans(result) == [[(0, 2, "PER"), (2, 4, "A-B")]]


def test_untyped_tags_have_the_label_underscore() -> None:
    result = decode_tags("iob2", [["B", "I", "O", "B", "B-"]])
    assert list_spans(result) == [[(0, 2, "_"), (3, 4, "_"), (4, 5, "_")]]


def test_bare_labels_are_spans_of_equal_neighbours() -> None:
    document = ["person-actor", "person-actor", "person-other", "O", "building"]
    result = decode_tags("io", [document], tags=document)
    assert list_spans(result) == [[(0, 2, "person-actor"), (2, 3, "person-other"), (4, 5, "building")]]


def test_a_decoder_survives_pickling() -> None:
    decode = pickle.loads(pickle.dumps(Decoder(use_named_scheme("iobes"), "discard")))
    assert list_spans(decode(make_batch([["B-PER", "E-PER", "B-PER"]]))) == [[(0, 2, "PER")]]


def test_an_unknown_repair_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match=r"Unknown repair 'guess'. Choose from begin, discard, error"):
        Decoder(use_named_scheme("iob2"), "guess")  # type: ignore[arg-type] # a word that users may type


def any_documents(scheme: str) -> st.SearchStrategy[list[list[str]]]:
    tags = ["O", *(f"{letter}-{label}" for letter in ALPHABET[scheme] for label in LABELS)]
    return st.lists(st.lists(st.sampled_from(tags), max_size=8), max_size=6)


@given(st.data(), st.sampled_from(sorted(SCHEMES)), st.sampled_from(REPAIRS[:2]))
def test_batches_cut_anywhere_give_the_same_spans_and_notices(
    data: st.DataObject, scheme: str, repair: TagRepair
) -> None:
    documents = data.draw(any_documents(scheme))
    cut = data.draw(st.integers(0, len(documents)))
    decode = Decoder(use_named_scheme(scheme), repair)
    whole = decode(make_batch(documents))
    head, tail = decode(make_batch(documents[:cut])), decode(make_batch(documents[cut:], first=cut))
    assert list_spans(head) + list_spans(tail) == list_spans(whole)
    merged = RunWarning.merge(head.warnings + tail.warnings)
    assert sorted(merged, key=lambda notice: notice.message) == sorted(
        whole.warnings, key=lambda notice: notice.message
    )


@given(st.data(), st.sampled_from(sorted(SCHEMES)), st.sampled_from(REPAIRS[:2]))
def test_renaming_codes_changes_nothing(data: st.DataObject, scheme: str, repair: TagRepair) -> None:
    documents = data.draw(any_documents(scheme))
    tags = sorted({tag for document in documents for tag in document} - {"O"})
    renamed = ("O", *data.draw(st.permutations([*tags, "X-unused", "unused"])))
    decode = Decoder(use_named_scheme(scheme), repair)
    one, other = decode(make_batch(documents)), decode(make_batch(documents, vocabulary=renamed, dtype=np.uint16))
    assert list_spans(one) == list_spans(other)
    assert one.warnings == other.warnings


@given(st.data(), st.sampled_from(sorted(SCHEMES)), st.sampled_from(REPAIRS[:2]))
def test_spans_come_out_in_order(data: st.DataObject, scheme: str, repair: TagRepair) -> None:
    result = decode_tags(scheme, data.draw(any_documents(scheme)), repair=repair)
    keys = list(zip(result.reference.row, result.reference.start, result.reference.end, strict=True))
    assert keys == sorted(keys)
    assert (result.reference.end > result.reference.start).all()
