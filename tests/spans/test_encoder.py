from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tag_batches import list_spans, make_batch
from tagged import LETTERS, Span, flat_spans, join_touching, write_tags

from isogloss.errors import DataError, TagError
from isogloss.spans.batches import Spans
from isogloss.spans.decoder import Decoder
from isogloss.spans.encoder import assign_letters, encode_spans, find_role_letters, find_touching_spans
from isogloss.spans.scheme_detection import SchemeDecision, use_named_scheme
from isogloss.spans.schemes import SCHEMES, TagNotation, split_tag

Documents = list[tuple[list[Span], int]]


def arrays(documents: Documents) -> tuple[Spans, np.ndarray, tuple[str, ...]]:
    """Spans, offsets and labels of documents."""
    labels = tuple(sorted({label for spans, _ in documents for *_, label in spans}))
    table = [(row, s, e, labels.index(n)) for row, (spans, _) in enumerate(documents) for s, e, n in spans]
    offsets = np.cumsum([0, *(tokens for _, tokens in documents)])
    return Spans.from_unsorted(*np.array(table, np.int64).reshape(-1, 4).T), offsets, labels


def tags_of(documents: Documents, scheme: str, notation: TagNotation = "prefix") -> list[list[str]]:
    spans, offsets, labels = arrays(documents)
    vocabulary, codes = encode_spans(spans, offsets, labels, SCHEMES[scheme], notation)
    tags = [vocabulary[code] for code in codes]
    return [tags[start:end] for start, end in pairwise(offsets)]


def test_roles_have_the_letters_of_the_table() -> None:
    for scheme in SCHEMES:
        roles = find_role_letters(SCHEMES[scheme])
        assert roles.alone + roles.first + roles.inside + roles.last == LETTERS[scheme]


@pytest.mark.parametrize("scheme", SCHEMES)
@given(documents=st.lists(flat_spans(), max_size=5))
def test_tags_are_those_of_one_token_after_the_other(scheme: str, documents: Documents) -> None:
    assert tags_of(documents, scheme) == [write_tags(spans, tokens, scheme) for spans, tokens in documents]


@pytest.mark.parametrize("notation", ["prefix", "suffix"])
@pytest.mark.parametrize("scheme", SCHEMES)
@given(documents=st.lists(flat_spans(), min_size=1, max_size=5))
def test_decoding_what_was_encoded_gives_the_same_spans(
    scheme: str, notation: TagNotation, documents: Documents
) -> None:
    decision = SchemeDecision(SCHEMES[scheme], SCHEMES[scheme], notation)
    found = list_spans(Decoder(decision, "error")(make_batch(tags_of(documents, scheme, notation))))
    assert found == [join_touching(meant) if scheme == "io" else meant for meant, _ in documents]


@given(documents=st.lists(flat_spans(), min_size=1, max_size=5))
def test_bare_labels_are_read_as_they_were_meant(documents: Documents) -> None:
    decision = SchemeDecision(SCHEMES["io"], SCHEMES["io"], "bare")
    found = list_spans(Decoder(decision, "error")(make_batch(tags_of(documents, "io", "bare"))))
    assert found == [join_touching(meant) for meant, _ in documents]


def test_iob1_marks_second_and_ioe1_first_of_touching_spans() -> None:
    documents: Documents = [([(0, 2, "PER"), (2, 3, "PER"), (3, 5, "PER"), (5, 6, "LOC")], 6)]
    assert tags_of(documents, "iob1") == [["I-PER", "I-PER", "B-PER", "B-PER", "I-PER", "I-LOC"]]
    assert tags_of(documents, "ioe1") == [["I-PER", "E-PER", "E-PER", "I-PER", "I-PER", "I-LOC"]]


def test_spans_of_neighbouring_documents_do_not_touch() -> None:
    documents: Documents = [([(0, 1, "PER")], 1), ([(0, 1, "PER")], 1)]
    assert tags_of(documents, "iob1") == [["I-PER"], ["I-PER"]]
    assert not find_touching_spans(arrays(documents)[0]).any()


def test_the_label_of_a_letter_alone_is_written_as_one() -> None:
    assert tags_of([([(0, 2, "_")], 2)], "iobes") == [["B", "E"]]


def test_many_labels_have_codes_of_their_own() -> None:
    documents: Documents = [([(at, at + 1, f"L{at}") for at in range(300)], 300)]
    assert tags_of(documents, "iob2") == [[f"B-L{at}" for at in range(300)]]


def test_what_tags_cannot_say_is_refused() -> None:
    for spans, message in [
        ([(0, 2, "A"), (1, 3, "A")], r"the span \[0, 2\) and the span \[1, 3\) of document 1 overlap"),
        ([(0, 1, "A"), (0, 1, "A")], r"\[0, 1\) and the span \[0, 1\) of document 1 overlap"),
        ([(2, 4, "A")], r"the span \[2, 4\) of document 1 is empty or reaches beyond its tokens"),
        ([(1, 1, "A")], "is empty"),
    ]:
        found, offsets, _ = arrays([(list(spans), 3)])
        with pytest.raises(DataError, match=message):
            assign_letters(found, offsets, SCHEMES["iob2"])


def test_a_bare_label_o_is_refused_for_it_would_be_outside() -> None:
    with pytest.raises(TagError, match="'O' cannot stand alone"):
        tags_of([([(0, 1, "O")], 1)], "io", "bare")


def test_bare_labels_are_for_io_only() -> None:
    with pytest.raises(ValueError, match="bare labels need the scheme IO, got IOB2"):
        tags_of([([(0, 1, "PER")], 1)], "iob2", "bare")


def test_no_span_gives_tags_that_are_all_o() -> None:
    assert tags_of([([], 2), ([], 0)], "bilou") == [["O", "O"], []]


@pytest.mark.parametrize("notation", ["prefix", "suffix"])
@pytest.mark.parametrize("label", ["PER", "B", "I-O", "-", "_", "O"])
def test_every_tag_is_split_into_what_it_was_made_of(notation: TagNotation, label: str) -> None:
    (tags,) = tags_of([([(0, 1, label)], 1)], "iob2", notation)
    assert split_tag(tags[0], notation) == ("B", label)


def test_names_of_schemes_are_those_of_the_table() -> None:
    assert {use_named_scheme(name).reference.name for name in LETTERS} == set(SCHEMES)
