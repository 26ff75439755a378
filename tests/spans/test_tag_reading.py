import numpy as np
import pytest
from tag_batches import make_batch

from isogloss.spans.schemes import SCHEMES, TagRule, build_tag_rule
from isogloss.spans.tag_reading import CompressedSpans, TaggedTokens, compile_rules

IOB2 = build_tag_rule(SCHEMES["iob2"], "prefix")
IOBES = build_tag_rule(SCHEMES["iobes"], "prefix")


def test_tokens_that_only_one_side_tags_are_kept_for_both() -> None:
    reference = [["O", "B-PER", "O", "O"], [], ["O", "O"], ["O"]]
    predicted = [["O", "O", "B-PER", "O"], [], ["O", "O"], ["B-PER"]]
    tokens = TaggedTokens.from_batch(make_batch(reference, predicted))
    assert tokens.positions.tolist() == [1, 2, 6]
    assert tokens.row.tolist() == [0, 0, 3]
    assert tokens.apart.tolist() == [True, False, True, True]
    assert tokens.reference.tolist() == [0, 1, 0, 0, 0]
    assert tokens.predicted.tolist() == [0, 0, 1, 1, 0]


def test_neighbours_across_documents_are_apart() -> None:
    tokens = TaggedTokens.from_batch(make_batch([["B-PER"], ["I-PER", "I-PER"]]))
    assert tokens.apart.tolist() == [True, True, False, True]


def test_without_tags_there_is_one_edge() -> None:
    tokens = TaggedTokens.from_batch(make_batch([["O"], []]))
    assert tokens.apart.tolist() == [True]
    assert len(tokens.positions) == 0


def test_runs_are_in_compressed_positions() -> None:
    documents = make_batch([["O", "B-PER", "I-PER", "O", "O", "B-LOC"]])
    _, (table,) = compile_rules(documents.vocabulary, (build_tag_rule(SCHEMES["iob2"], "prefix"),))
    runs = CompressedSpans.from_tokens(TaggedTokens.from_batch(documents), "reference", table)
    assert (runs.first.tolist(), runs.last.tolist()) == ([0, 2], [1, 2])
    assert [documents.vocabulary[code] for code in runs.last_code] == ["I-PER", "B-LOC"]
    assert runs.take(np.array([False, True])).first.tolist() == [2]


def test_compiled_rules_share_their_labels() -> None:
    labels, (narrow, wide) = compile_rules(("O", "B-PER", "S-LOC"), (IOB2, IOBES))
    assert labels == ("LOC", "PER")
    assert narrow.label.tolist()[1] == wide.label.tolist()[1] == 1
    assert narrow.known is not None
    assert narrow.known.tolist() == [True, True, False]
    assert wide.known is None


def test_a_vocabulary_is_compiled_once() -> None:
    assert compile_rules(("O", "B-X"), (IOB2, IOB2)) is compile_rules(("O", "B-X"), (IOB2, IOB2))


def test_the_table_does_not_grow_with_the_number_of_labels() -> None:
    tags = ("O", *(f"{letter}-{label}" for label in range(500) for letter in "BI"))
    _, (table,) = compile_rules(tags, (IOB2,))
    assert len(table.boundaries) == 2 * 2 * 3 * 3


def test_neighbours_know_kinds_labels_and_distance() -> None:
    _, (table,) = compile_rules(("O", "B-X", "I-X", "I-Y"), (IOB2,))
    begins = [
        (table.boundaries[at] & 1)
        for at in table.index_neighbours(np.array([1, 2, 3, 3, 0], np.uint8), np.zeros(4, bool))
    ]
    assert begins == [0, 1, 0, 0]
    apart = table.boundaries.take(table.index_neighbours(np.array([1, 2], np.uint8), np.array([True])))
    assert apart.tolist() == [3]


def test_a_rule_must_know_o() -> None:
    with pytest.raises(ValueError, match="does not split the tag O"):
        compile_rules(("O",), (TagRule("odd", lambda _: None),))
