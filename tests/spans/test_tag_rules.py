"""Rules of other tools run on the same tables: seqeval's, written down here as a test of the interface."""

import random

import pytest
from tag_batches import list_spans, make_batch

from isogloss.spans.decoder import Decoder
from isogloss.spans.schemes import TagRule

labeling = pytest.importorskip("seqeval.metrics.sequence_labeling", reason="seqeval is not installed")
end_of_chunk, get_entities, start_of_chunk = labeling.end_of_chunk, labeling.get_entities, labeling.start_of_chunk


def seqeval_split(tag: str) -> tuple[str, str]:
    """Seqeval takes the first character for the prefix, and what follows the first hyphen after it for the type."""
    return tag[:1], tag[1:].split("-", maxsplit=1)[-1] or "_"


SEQEVAL = TagRule(
    title="seqeval",
    split_tag=seqeval_split,
    is_span_begin=lambda previous, current, *, same_label: start_of_chunk(
        previous, current, "", "" if same_label else "x"
    ),
    is_span_end=lambda previous, current, *, same_label: end_of_chunk(previous, current, "", "" if same_label else "x"),
)


@pytest.mark.parity
@pytest.mark.filterwarnings("ignore:.*seems not to be NE tag")
def test_seqeval_as_a_rule_finds_what_seqeval_finds() -> None:
    for tags in [
        [f"{letter}-{label}" for letter in "BIES" for label in ("PER", "A-B")],
        [f"{letter}-{label}" for letter in "BILU" for label in ("PER", "A-B")],
        [f"{letter}-{label}" for letter in "BSX." for label in ("PER", "LOC")],
        ["B", "I", "E", "S", "B-PER", "I-PER", "ADJ", "PER", "O-PER"],
    ]:
        generator = random.Random(7)
        documents = [
            ["O" if generator.random() < 0.3 else generator.choice(tags) for _ in range(generator.randint(0, 10))]
            for _ in range(10_000)
        ]
        expected = [[(start, end + 1, label) for label, start, end in get_entities(document)] for document in documents]
        assert list_spans(Decoder(SEQEVAL)(make_batch(documents))) == expected


def test_rule_ignores_begins_of_earlier_sentences() -> None:
    """It takes an untyped tag of a prefix that seqeval does not know, which seqeval itself warns of."""
    documents = [["B-PER"], ["B-PER"], ["O", "X", "B-LOC"]]
    with pytest.warns(UserWarning, match="X seems not to be NE tag"):
        flat = get_entities(documents)  # one O after each sentence, all in one line
    assert ("_", 2, 5) in flat
    assert list_spans(Decoder(SEQEVAL)(make_batch(documents)))[2] == [(0, 2, "_"), (2, 3, "LOC")]


def bracket_split(tag: str) -> tuple[str, str]:
    return tag, ""


BRACKETS = TagRule(
    title="brackets",
    split_tag=bracket_split,
    is_span_begin=lambda _, current, **__: current == "(",
    is_span_end=lambda previous, _, **__: previous == ")",
)


def test_each_end_takes_the_last_begin_before_it() -> None:
    for tags, expected in [
        (["(", "x", ")"], [(0, 3)]),
        (["(", ")", "x", ")"], [(0, 2), (0, 4)]),
        (["(", "(", ")"], [(1, 3)]),
        (["(", "O", ")"], [(0, 3)]),
        (["O", "x", ")"], [(0, 3)]),
        (["(", "x"], []),
    ]:
        found = list_spans(Decoder(BRACKETS)(make_batch([tags])))
        assert [(start, end) for start, end, _ in found[0]] == expected


def test_end_without_begin_reaches_to_the_document_start() -> None:
    found = list_spans(Decoder(BRACKETS)(make_batch([["(", "x"], ["O", "O", ")"]])))
    assert found == [[], [(0, 3, "")]]


def test_a_span_has_the_label_of_its_last_tag() -> None:
    rule = TagRule(
        title="label of the last",
        split_tag=lambda tag: (tag[0], tag[2:]),
        is_span_begin=lambda previous, _, **__: previous == "O",
        is_span_end=lambda _, current, **__: current == "O",
    )
    assert list_spans(Decoder(rule)(make_batch([["B-PER", "I-LOC", "O"]]))) == [[(0, 2, "LOC")]]


def test_rule_compares_a_label_with_the_label_of_o() -> None:
    rule = TagRule(
        title="like O",
        split_tag=lambda tag: (tag[0], tag[2:] or "_"),
        is_span_begin=lambda previous, _, *, same_label: previous == "O" and not same_label,
        is_span_end=lambda previous, current, **__: (previous, current) == ("B", "O"),
    )
    documents = [["B-PER"], ["O", "B-PER", "O"], ["B-PER", "O", "B"]]
    # The B without a label has that of O: it begins nothing, and its end closes what B-PER began.
    assert list_spans(Decoder(rule)(make_batch(documents))) == [
        [(0, 1, "PER")],
        [(1, 2, "PER")],
        [(0, 1, "PER"), (0, 3, "_")],
    ]


def test_a_rule_may_restrict_which_prefixes_open_spans() -> None:
    rule = TagRule(
        "brackets", bracket_split, BRACKETS.is_span_begin, BRACKETS.is_span_end, first_prefixes=frozenset("[")
    )
    result = Decoder(rule, "discard")(make_batch([["(", ")"]]))
    assert list_spans(result) == [[]]
    assert [notice.count for notice in result.warnings] == [2, 2]
