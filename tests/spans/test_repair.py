"""Warnings and errors about invalid tags, by repair."""

from typing import get_args

import pytest
from tag_batches import Documents, decode_tags, list_spans, make_batch

from isogloss.errors import TagError
from isogloss.spans.decoder import Decoder
from isogloss.spans.schemes import TagRepair, TagRule


@pytest.mark.parametrize(
    ("scheme", "repair", "tags", "warned"),
    [
        ("iob2", "begin", ["O O", "B-P I-Q"], (1, "1 1", "IOB2 and were read as the begin of a span")),
        ("iob2", "begin", ["O I-P", "I-P I-P"], (2, "0 1", "IOB2 and were read as the begin of a span")),
        ("ioe2", "begin", ["I-P"], (1, "0 0", "IOE2 and were read as the end of a span")),
        ("iobes", "begin", ["I-P I-P"], (2, "0 0", "IOBES and were read as the begin or end of a span")),
        ("iobes", "begin", ["I-P E-P"], (1, "0 0", "IOBES and were read as the begin or end of a span")),
        ("iobes", "begin", ["B-P"], (1, "0 0", "IOBES and were read as the begin or end of a span")),
        ("iobes", "begin", ["I-P O I-P I-P"], (3, "0 0", "IOBES and were read as the begin or end of a span")),
        ("iobes", "begin", ["B-P I-P O I-P E-P"], (2, "0 1", "IOBES and were read as the begin or end of a span")),
        ("iob2", "discard", ["B-P I-Q I-Q", "I-P"], (3, "0 1", "IOB2 and were discarded")),
    ],
)
def test_warning_has_count_first_place_and_repair(
    scheme: str, repair: TagRepair, tags: list[str], warned: tuple[int, str, str]
) -> None:
    documents = [document.split() for document in tags]
    valid = [["O"] * len(document) for document in documents]
    for side, word, sides in (
        ("reference", "reference", (documents, valid)),
        ("predicted", "prediction", (valid, documents)),
    ):
        (warning,) = decode_tags(scheme, *sides, repair=repair).warnings
        row, position = warned[1].split()
        assert (warning.count, warning.where) == (warned[0], f"{side}[{row}][{position}]")
        assert warning.message.startswith(f"tags of the {word} ")
        assert warning.message.endswith(f"do not fit {warned[2]}")


def test_warnings_list_the_reference_first() -> None:
    warnings = decode_tags("iob2", [["I-P"]], [["I-P"]]).warnings
    assert [warning.where for warning in warnings] == ["reference[0][0]", "predicted[0][0]"]


@pytest.mark.parametrize("repair", get_args(TagRepair))
def test_valid_tags_give_no_warning(repair: TagRepair) -> None:
    assert decode_tags("bilou", [["B-PER", "L-PER", "U-PER", "O"]], repair=repair).warnings == ()


@pytest.mark.parametrize(
    ("scheme", "reference", "predicted", "where", "tag", "rule"),
    [
        ("iob2", "B-P I-Q", "B-P I-P", "reference[1][1]", "'I-Q' after 'B-P' in the reference", "begins with B"),
        ("iobes", "O O", "B-P O", "predicted[1][0]", "'B-P' before 'O' in the prediction", "ends with E or S"),
        ("iob2", "I-P", "O", "reference[1][0]", "'I-P' at the start of its document in the reference", "begins with B"),
        ("ioe2", "I-P", "O", "reference[1][0]", "'I-P' at the end of its document in the reference", "ends with E"),
    ],
)
def test_error_shows_tag_neighbour_and_place(
    scheme: str, reference: str, predicted: str, where: str, tag: str, rule: str
) -> None:
    sides: list[Documents] = [[["O"], side.split(), ["O"]] for side in (reference, predicted)]
    with pytest.raises(TagError) as error:
        decode_tags(scheme, *sides, repair="error")
    message = f"{tag} does not fit {scheme.upper()}: a span {rule}"
    assert (error.value.where, error.value.message) == (where, message)
    assert "--repair begin" in error.value.remedy


@pytest.mark.parametrize("repair", get_args(TagRepair))
def test_unknown_tag_is_an_error_where_used(repair: TagRepair) -> None:
    with pytest.raises(TagError) as error:
        decode_tags("iob2", [["O", "B-P"], ["B-P", "O"]], [["O", "O"], ["O", "S-P"]], repair=repair)
    assert error.value.message == "unknown tag 'S-P' in the prediction: IOB2 has B-, I-"
    assert error.value.where == "predicted[1][1]"
    assert "--scheme" in error.value.remedy
    used = decode_tags("iob2", [["B-P"]], vocabulary=("O", "X-P", "B-P", "", "junk"), repair=repair)
    assert list_spans(used) == [[(0, 1, "P")]]


@pytest.mark.parametrize("tag", ["", "PER", "b-PER", "B_PER", "O-PER", "BI-PER", "-B", "#"])
def test_text_that_is_not_a_tag_is_unknown(tag: str) -> None:
    with pytest.raises(TagError, match="unknown tag"):
        decode_tags("iob2", [["B-PER", tag]])


def test_unknown_tag_names_letters_in_its_notation() -> None:
    tags = ["PER-B", "PER-S"]
    with pytest.raises(TagError, match="unknown tag 'PER-S' in the reference: IOB2 has -B, -I"):
        decode_tags("iob2", [tags], tags=tags)
    rule = TagRule("Brackets", {"O": ("O", ""), "[": ("[", "x")}.get)
    with pytest.raises(TagError, match=r"unknown tag 'B-PER' in the reference: not a tag of Brackets"):
        Decoder(rule)(make_batch([["[", "B-PER"]]))
