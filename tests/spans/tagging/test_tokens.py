from collections.abc import Callable

import numpy as np

from isogloss.spans.batches import TagPairs
from isogloss.spans.schemes import SCHEMES, build_tag_rule
from isogloss.spans.tag_reading import CompressedSpans, TaggedTokens, compile_rules

Batches = Callable[..., TagPairs]


def test_tokens_that_only_one_side_tags_are_kept_for_both(batch: Batches) -> None:
    reference = [["O", "B-PER", "O", "O"], [], ["O", "O"], ["O"]]
    predicted = [["O", "O", "B-PER", "O"], [], ["O", "O"], ["B-PER"]]
    tokens = TaggedTokens.from_batch(batch(reference, predicted))
    assert tokens.positions.tolist() == [1, 2, 6]
    assert tokens.row.tolist() == [0, 0, 3]
    assert tokens.apart.tolist() == [True, False, True, True]
    assert tokens.reference.tolist() == [0, 1, 0, 0, 0]
    assert tokens.predicted.tolist() == [0, 0, 1, 1, 0]


def test_neighbours_across_documents_are_apart(batch: Batches) -> None:
    tokens = TaggedTokens.from_batch(batch([["B-PER"], ["I-PER", "I-PER"]]))
    assert tokens.apart.tolist() == [True, True, False, True]


def test_without_tags_there_is_one_edge(batch: Batches) -> None:
    tokens = TaggedTokens.from_batch(batch([["O"], []]))
    assert tokens.apart.tolist() == [True]
    assert len(tokens.positions) == 0


def test_runs_are_in_compressed_positions(batch: Batches) -> None:
    documents = batch([["O", "B-PER", "I-PER", "O", "O", "B-LOC"]])
    _, (table,) = compile_rules(documents.vocabulary, (build_tag_rule(SCHEMES["iob2"], "prefix"),))
    runs = CompressedSpans.from_tokens(TaggedTokens.from_batch(documents), "reference", table)
    assert (runs.first.tolist(), runs.last.tolist()) == ([0, 2], [1, 2])
    assert [documents.vocabulary[code] for code in runs.last_code] == ["I-PER", "B-LOC"]
    assert runs.take(np.array([False, True])).first.tolist() == [2]
