"""Evidence against counting tag by tag."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tag_batches import decode_tags, make_batch

from isogloss.kernel.provenance import SIDES
from isogloss.spans.schemes import LETTERS, SCHEMES, SEPARATED_NOTATIONS
from isogloss.spans.tag_evidence import TagEvidence

TAGS = ["O", "B", "X-PER", "PER", *(f"{x}-{label}" for x in "BIE" for label in ("PER", "A-B")), "PER-B", "PER-I"]
documents_of = st.lists(st.lists(st.sampled_from(TAGS), max_size=7), max_size=6)


def shown(evidence: TagEvidence) -> object:
    """All that evidence holds, comparable."""
    neighbours = {
        (side, notation): (found.pairs.tolist(), found.alone.tolist())
        for side in SIDES
        for notation in SEPARATED_NOTATIONS
        for found in [evidence.get_neighbours(side, notation)]
        if found.list_letters()
    }
    places = {side: {tag: seen[:2] for tag, seen in evidence.sightings[side].items()} for side in SIDES}
    return neighbours, places, evidence.outside


@pytest.mark.parametrize("scheme", [name for name in SCHEMES if name not in ("iob1", "ioe1")])
def test_counted_invalid_tags_equal_repaired_tags(scheme: str) -> None:
    generator = random.Random(scheme)
    tags = ["O", *(f"{letter}-{label}" for letter in SCHEMES[scheme].letters for label in ("PER", "LOC"))]
    documents = [[generator.choice(tags) for _ in range(generator.randint(0, 9))] for _ in range(500)]
    found = TagEvidence.from_batch(make_batch(documents, [["O"] * len(tags) for tags in documents])).get_neighbours(
        "reference", "prefix"
    )
    result = decode_tags(scheme, documents)
    repaired = [notice.count for notice in result.warnings] or [0]
    assert found.count_invalid_tags(SCHEMES[scheme]) == repaired[0]
    assert found.count_spans() == len(result.reference)


def test_needless_marks_between_spans_speak_against_a_scheme() -> None:
    for scheme, tags, expected in [
        ("iob1", ["I-PER", "B-PER"], 0),
        ("iob1", ["B-PER", "B-PER"], 1),
        ("iob1", ["O", "B-PER", "I-PER"], 1),
        ("iob1", ["I-LOC", "B-PER"], 1),
        ("iob1", ["I-PER", "O", "B-PER"], 1),
        ("ioe1", ["E-PER", "I-PER"], 0),
        ("ioe1", ["E-PER", "E-PER"], 1),
        ("ioe1", ["I-PER", "E-PER", "O"], 1),
        ("ioe1", ["E-PER", "I-LOC"], 1),
    ]:
        assert (
            TagEvidence.from_batch(make_batch([tags]))
            .get_neighbours("reference", "prefix")
            .count_invalid_tags(SCHEMES[scheme])
            == expected
        )


@given(
    st.lists(st.lists(st.sampled_from([tag for tag in TAGS if tag[1:2] == "-" or tag == "O"]), max_size=8), max_size=5)
)
def test_spans_begin_as_often_as_they_end(documents: list[list[str]]) -> None:
    found = TagEvidence.from_batch(make_batch(documents)).get_neighbours("predicted", "prefix")
    assert found.count_spans() == sum(found.count_ends(letter) for letter in LETTERS)


@given(documents_of, st.data())
def test_evidence_adds_up_over_any_cut_in_any_order(documents: list[list[str]], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(documents)))
    head, tail = make_batch(documents[:cut]), make_batch(documents[cut:], first=cut)
    whole = shown(TagEvidence.from_batch(make_batch(documents)))
    assert shown(TagEvidence.from_batch(head) + TagEvidence.from_batch(tail)) == whole
    assert shown(TagEvidence.from_batch(tail) + TagEvidence.from_batch(head)) == whole
    assert shown(TagEvidence() + TagEvidence.from_batch(make_batch(documents)) + TagEvidence()) == whole


@given(documents_of, st.data())
def test_the_order_and_number_of_codes_do_not_show(documents: list[list[str]], data: st.DataObject) -> None:
    used = sorted({tag for document in documents for tag in document} - {"O"})
    vocabulary = ("O", *data.draw(st.permutations([*used, "unused", "U-unused"])))
    renamed = TagEvidence.from_batch(make_batch(documents, vocabulary=vocabulary))
    assert shown(renamed) == shown(TagEvidence.from_batch(make_batch(documents)))


@given(documents_of, documents_of)
def test_sighting_is_the_first_place_of_a_tag(reference: list[list[str]], predicted: list[list[str]]) -> None:
    predicted = [(predicted[at] if at < len(predicted) else [])[: len(one)] for at, one in enumerate(reference)]
    predicted = [two + ["O"] * (len(one) - len(two)) for one, two in zip(reference, predicted, strict=True)]
    evidence = TagEvidence.from_batch(make_batch(reference, predicted))
    for side, documents in zip(SIDES, (reference, predicted), strict=True):
        places = [(tag, row, at) for row, tags in enumerate(documents) for at, tag in enumerate(tags) if tag != "O"]
        first = {tag: (row, at) for tag, row, at in reversed(places)}
        assert {tag: seen[:2] for tag, seen in evidence.sightings[side].items()} == first
    assert evidence.outside == sum(tags.count("O") for tags in [*reference, *predicted])


def test_tags_are_those_in_use_on_either_side() -> None:
    evidence = TagEvidence.from_batch(
        make_batch([["B-PER", "O"]], [["O", "I-PER"]], vocabulary=("O", "junk", "I-PER", "B-PER"))
    )
    assert evidence.list_tags() == ("B-PER", "I-PER")
