from collections.abc import Callable
from typing import get_args

import pytest

from isogloss.errors import TagError
from isogloss.kernel.provenance import RunWarning
from isogloss.spans.batches import TagPairs
from isogloss.spans.decoder import Decoder
from isogloss.spans.scheme_detection import use_named_scheme
from isogloss.spans.schemes import TagRepair, TagRule

Batches = Callable[..., TagPairs]
Spans = Callable[..., list[list[tuple[int, int, str]]]]


def test_begin_counts_repaired_tags_for_each_side_with_the_first_place(batch: Batches) -> None:
    reference = [["O", "O"], ["B-PER", "I-LOC"]]
    predicted = [["O", "I-PER"], ["I-PER", "I-PER"]]
    assert Decoder(use_named_scheme("iob2"))(batch(reference, predicted)).warnings == (
        RunWarning(
            "tags-repaired",
            "tags of the reference do not fit IOB2 and were read as the begin of a span",
            1,
            "reference[1][1]",
        ),
        RunWarning(
            "tags-repaired",
            "tags of the prediction do not fit IOB2 and were read as the begin of a span",
            2,
            "predicted[0][1]",
        ),
    )


def test_discard_counts_every_tag_of_dropped_spans_with_the_first_place(batch: Batches) -> None:
    result = Decoder(use_named_scheme("iob2"), "discard")(
        batch([["B-PER", "I-LOC", "I-LOC"], ["I-PER"]], [["O"] * 3, ["O"]])
    )
    assert result.warnings == (
        RunWarning(
            "tags-discarded",
            "tags of the reference are in spans that do not fit IOB2 and were discarded",
            3,
            "reference[0][1]",
        ),
    )


@pytest.mark.parametrize(
    ("scheme", "tags", "read_as"),
    [
        ("iob2", ["I-PER"], "the begin of a span"),
        ("ioe2", ["I-PER"], "the end of a span"),
        ("iobes", ["I-PER", "I-PER"], "the begin or end of a span"),
    ],
)
def test_the_notice_says_what_tags_were_read_as(batch: Batches, scheme: str, tags: list[str], read_as: str) -> None:
    (_, notice) = Decoder(use_named_scheme(scheme))(batch([tags])).warnings
    assert notice.message.endswith(f"were read as {read_as}")


def test_the_message_does_not_depend_on_which_end_was_repaired(batch: Batches) -> None:
    decode = Decoder(use_named_scheme("iobes"))
    messages = {decode(batch([tags])).warnings[0].message for tags in (["I-P", "E-P"], ["B-P", "I-P"], ["B-P"])}
    assert len(messages) == 1


def test_a_lone_inside_tag_counts_once_where_both_its_ends_are_wrong(batch: Batches) -> None:
    assert [
        notice.count
        for notice in Decoder(use_named_scheme("iobes"))(batch([["I-PER", "O", "I-PER", "I-PER"]])).warnings
    ] == [
        3,
        3,
    ]


def test_the_first_place_is_that_of_the_first_tag_wrong_at_either_end(batch: Batches) -> None:
    closes_wrongly_first = [["B-PER", "I-PER", "O", "I-PER", "E-PER"]]
    (_, notice) = Decoder(use_named_scheme("iobes"))(batch(closes_wrongly_first)).warnings
    assert notice.where == "predicted[0][1]"


def test_valid_tags_leave_no_notice(batch: Batches) -> None:
    for repair in get_args(TagRepair):
        assert Decoder(use_named_scheme("bilou"), repair)(batch([["B-PER", "L-PER", "U-PER", "O"]])).warnings == ()


def test_error_shows_tag_neighbour_place_and_remedy_at_a_wrong_begin(batch: Batches) -> None:
    with pytest.raises(TagError) as error:
        Decoder(use_named_scheme("iob2"), "error")(batch([["O"], ["B-PER", "I-LOC"]], [["O"], ["B-PER", "I-PER"]]))
    assert error.value.message == ("'I-LOC' after 'B-PER' in the reference does not fit IOB2: a span begins with B")
    assert error.value.where == "reference[1][1]"
    assert "--repair begin" in error.value.remedy


def test_error_shows_the_tag_after_a_wrong_end(batch: Batches) -> None:
    with pytest.raises(TagError) as error:
        Decoder(use_named_scheme("iobes"), "error")(batch([["O", "O"]], [["B-PER", "O"]]))
    assert error.value.message == "'B-PER' before 'O' in the prediction does not fit IOBES: a span ends with E or S"
    assert error.value.where == "predicted[0][0]"


@pytest.mark.parametrize(
    ("scheme", "expected"),
    [("iob2", "at the start of its document"), ("ioe2", "at the end of its document")],
)
def test_error_names_the_edge_of_the_document(batch: Batches, scheme: str, expected: str) -> None:
    other_documents = [["O"], ["I-PER"], ["O"]]
    with pytest.raises(TagError, match=f"'I-PER' {expected} in the reference"):
        Decoder(use_named_scheme(scheme), "error")(batch(other_documents))


@pytest.mark.parametrize("repair", get_args(TagRepair))
def test_a_tag_that_the_scheme_does_not_know_is_an_error_where_it_is_used(batch: Batches, repair: TagRepair) -> None:
    with pytest.raises(TagError) as error:
        Decoder(use_named_scheme("iob2"), repair)(batch([["O", "B-PER"], ["B-PER", "O"]], [["O", "O"], ["O", "S-PER"]]))
    assert error.value.message == "unknown tag 'S-PER' in the prediction: IOB2 has B-, I-"
    assert error.value.where == "predicted[1][1]"
    assert "--scheme" in error.value.remedy


def test_an_unknown_tag_of_suffix_notation_names_suffixes(batch: Batches) -> None:
    tags = ["PER-B", "PER-S"]
    with pytest.raises(TagError, match="unknown tag 'PER-S' in the reference: IOB2 has -B, -I"):
        Decoder(use_named_scheme("iob2", tags))(batch([tags]))


def test_what_is_not_a_tag_is_an_error(batch: Batches) -> None:
    for tag in ["", "PER", "b-PER", "B_PER", "O-PER", "BI-PER", "-B", "#"]:
        with pytest.raises(TagError, match="unknown tag"):
            Decoder(use_named_scheme("iob2"))(batch([["B-PER", tag]]))


def test_a_vocabulary_may_hold_unknown_tags_that_no_document_uses(batch: Batches, spans: Spans) -> None:
    vocabulary = ("O", "X-PER", "B-PER", "", "junk")
    assert spans(Decoder(use_named_scheme("iob2"), "error")(batch([["B-PER"]], vocabulary=vocabulary))) == [
        [(0, 1, "PER")]
    ]


def test_a_rule_of_its_own_names_itself_where_it_does_not_know_a_tag(batch: Batches) -> None:
    rule = TagRule("Brackets", {"O": ("O", ""), "[": ("[", "x")}.get, lambda *_, **__: True, lambda *_, **__: True)
    with pytest.raises(TagError, match=r"unknown tag 'B-PER' in the reference: not a tag of Brackets"):
        Decoder(rule)(batch([["[", "B-PER"]]))
