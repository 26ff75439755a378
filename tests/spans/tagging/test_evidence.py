"""Evidence against counting tag by tag."""

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel.provenance import SIDES
from isogloss.spans.batches import TagPairs
from isogloss.spans.decoder import Decoder
from isogloss.spans.scheme_detection import COUNTED, Evidence, named
from isogloss.spans.schemes import LETTERS, SCHEMES

Batches = Callable[..., TagPairs]

TAGS = ["O", "B", "X-PER", "PER", *(f"{x}-{label}" for x in "BIE" for label in ("PER", "A-B")), "PER-B", "PER-I"]
documents_of = st.lists(st.lists(st.sampled_from(TAGS), max_size=7), max_size=6)


def shown(evidence: Evidence) -> object:
    """All that evidence holds, comparable."""
    neighbours = {
        (side, notation): (found.pairs.tolist(), found.alone.tolist())
        for side in SIDES
        for notation in COUNTED
        for found in [evidence.of_side(side, notation)]
        if found.letters()
    }
    places = {side: {tag: seen[:2] for tag, seen in evidence.sightings[side].items()} for side in SIDES}
    return neighbours, places, evidence.outside


@pytest.mark.parametrize("scheme", [name for name in SCHEMES if name not in ("iob1", "ioe1")])
def test_misfits_are_the_tags_that_the_decoder_repairs(batch: Batches, scheme: str) -> None:
    generator = random.Random(scheme)
    tags = ["O", *(f"{letter}-{label}" for letter in SCHEMES[scheme].letters for label in ("PER", "LOC"))]
    documents = [[generator.choice(tags) for _ in range(generator.randint(0, 9))] for _ in range(500)]
    found = Evidence.of(batch(documents, [["O"] * len(tags) for tags in documents])).of_side("reference", "prefix")
    result = Decoder(named(scheme))(batch(documents))
    repaired = [notice.count for notice in result.notices] or [0]
    assert found.misfits(SCHEMES[scheme]) == repaired[0]
    assert found.spans() == len(result.reference)


def test_needless_marks_between_spans_speak_against_a_scheme(batch: Batches) -> None:
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
        assert Evidence.of(batch([tags])).of_side("reference", "prefix").misfits(SCHEMES[scheme]) == expected


@given(
    st.lists(st.lists(st.sampled_from([tag for tag in TAGS if tag[1:2] == "-" or tag == "O"]), max_size=8), max_size=5),
)
def test_spans_begin_as_often_as_they_end(batch: Batches, documents: list[list[str]]) -> None:
    found = Evidence.of(batch(documents)).of_side("predicted", "prefix")
    assert found.spans() == sum(found.ends(letter) for letter in LETTERS)


@given(documents_of, st.data())
def test_evidence_adds_up_over_any_cut_in_any_order(
    batch: Batches,
    documents: list[list[str]],
    data: st.DataObject,
) -> None:
    cut = data.draw(st.integers(0, len(documents)))
    head, tail = batch(documents[:cut]), batch(documents[cut:], first=cut)
    whole = shown(Evidence.of(batch(documents)))
    assert shown(Evidence.of(head) + Evidence.of(tail)) == whole
    assert shown(Evidence.of(tail) + Evidence.of(head)) == whole
    assert shown(Evidence() + Evidence.of(batch(documents)) + Evidence()) == whole


@given(documents_of, st.data())
def test_the_order_and_number_of_codes_do_not_show(
    batch: Batches,
    documents: list[list[str]],
    data: st.DataObject,
) -> None:
    used = sorted({tag for document in documents for tag in document} - {"O"})
    vocabulary = ("O", *data.draw(st.permutations([*used, "unused", "U-unused"])))
    renamed = Evidence.of(batch(documents, vocabulary=vocabulary))
    assert shown(renamed) == shown(Evidence.of(batch(documents)))


@given(documents_of, documents_of)
def test_a_tag_is_sighted_where_it_first_stands(
    batch: Batches,
    reference: list[list[str]],
    predicted: list[list[str]],
) -> None:
    predicted = [(predicted[at] if at < len(predicted) else [])[: len(one)] for at, one in enumerate(reference)]
    predicted = [two + ["O"] * (len(one) - len(two)) for one, two in zip(reference, predicted, strict=True)]
    evidence = Evidence.of(batch(reference, predicted))
    for side, documents in zip(SIDES, (reference, predicted), strict=True):
        places = [(tag, row, at) for row, tags in enumerate(documents) for at, tag in enumerate(tags) if tag != "O"]
        first = {tag: (row, at) for tag, row, at in reversed(places)}
        assert {tag: seen[:2] for tag, seen in evidence.sightings[side].items()} == first
    assert evidence.outside == sum(tags.count("O") for tags in [*reference, *predicted])


def test_tags_are_those_in_use_on_either_side(batch: Batches) -> None:
    evidence = Evidence.of(batch([["B-PER", "O"]], [["O", "I-PER"]], vocabulary=("O", "junk", "I-PER", "B-PER")))
    assert evidence.tags() == ("B-PER", "I-PER")
