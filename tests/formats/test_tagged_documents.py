from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import DataError, FormatError, MismatchError
from isogloss.formats import tagged_documents
from isogloss.formats.tagged_documents import DecodedFile, TaggedRow, TokenPosition, batch_file_tags, pair_tagged_files
from isogloss.kernel.provenance import RunWarning, Side
from isogloss.spans.batches import TagPairs
from isogloss.spans.decoder import Decoder
from isogloss.spans.scheme_detection import use_named_scheme

Words = Sequence[str]


@dataclass
class File:
    """A file of documents, which may end in a fault."""

    name: str
    rows: list[TaggedRow]
    fault: DataError | None = None
    passes: list[int] = field(default_factory=list)

    def __iter__(self) -> Iterator[TaggedRow]:
        self.passes.append(1)
        yield from self.rows
        if self.fault is not None:
            raise self.fault


def row(words: Words, tags: Words, file: str = "gold", line: int = 1, **more: Any) -> TaggedRow:
    return TaggedRow.from_words(file, line, words, tags, lines=[line + at for at in range(len(tags))], **more)


def file(name: str, *documents: tuple[Words, Words], **more: Any) -> File:
    """Documents of words and tags, a word a line and a blank line between."""
    rows, line = [], 1
    for words, tags in documents:
        rows.append(row(words, tags, name, line, **more))
        line += len(words) + 1
    return File(name, rows)


def tags_of(batch: TagPairs) -> list[list[tuple[str, str]]]:
    """Both tags of each token by document."""
    names = batch.vocabulary
    pairs = [(names[r], names[p]) for r, p in zip(batch.reference, batch.predicted, strict=True)]
    return [pairs[a:b] for a, b in zip(batch.offsets, batch.offsets[1:], strict=False)]


WORDS = st.lists(st.sampled_from(["Ada", "met", "é", "ก"]), max_size=4)
TAGS = st.sampled_from(["O", "B-PER", "I-PER", "B-LOC", "B-" + "x" * 20])
CORPORA = st.lists(WORDS, min_size=1, max_size=8).flatmap(
    lambda corpus: st.tuples(
        st.just(corpus),
        st.tuples(*[st.lists(TAGS, min_size=len(words), max_size=len(words)) for words in corpus]),
        st.tuples(*[st.lists(TAGS, min_size=len(words), max_size=len(words)) for words in corpus]),
    )
)


@given(CORPORA, st.integers(1, 6))
def test_two_files_are_paired_token_by_token_wherever_batches_end(corpus: Any, size: int) -> None:
    words, gold, system = corpus
    one = file("gold", *zip(words, gold, strict=True))
    other = file("pred", *zip(words, system, strict=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tagged_documents, "CHUNK_TOKENS", size)
        patch.setattr(tagged_documents, "CHUNK_DOCUMENTS", size)
        batches = list(pair_tagged_files(one, other))
    assert [number for batch in batches for number in batch.documents.tolist()] == list(range(len(words)))
    found = [pairs for batch in batches for pairs in tags_of(batch)]
    assert found == [list(zip(*both, strict=True)) for both in zip(gold, system, strict=True)]
    assert all(len(batch.documents) <= size for batch in batches)
    names = [batch.provenance.name(at) for batch in batches for at in range(len(batch.documents))]
    assert names == [str(number) for number in range(1, len(words) + 1)]


def test_places_are_those_of_the_side_and_the_passage_is_that_of_the_reference() -> None:
    one = file("gold", (["a"], ["O"]), (["New", "York"], ["B-LOC", "I-LOC"]))
    other = file("pred", (["a"], ["O"]), (["New", "York"], ["O", "O"]))
    (batch,) = pair_tagged_files(one, other)
    assert batch.provenance.where(1, 1, "reference") == "gold:4"
    assert batch.provenance.where(1, 0, "predicted") == "pred:3"
    passage = batch.provenance.get_excerpt(1)
    assert passage is not None
    assert (passage.text, passage.locate_span(0, 2), passage.locate_span(1, 2)) == ("New York", (0, 8), (4, 8))


def test_a_document_without_a_text_has_no_passage() -> None:
    bare = TaggedRow("gold", 1, None, None, [TokenPosition(0, 1)], ["O"])
    (batch,) = pair_tagged_files(File("gold", [bare]), File("pred", [bare]))
    assert batch.provenance.get_excerpt(0) is None


def test_a_document_is_called_by_its_id() -> None:
    (batch,) = pair_tagged_files(file("gold", (["a"], ["O"]), id="x"), file("pred", (["a"], ["O"])))
    assert batch.provenance.name(0) == "x"


def test_columns_are_those_of_the_reference_then_of_the_prediction_and_the_file_is_that_of_the_prediction() -> None:
    (batch,) = pair_tagged_files(
        file("gold", (["a"], ["O"]), columns={"genre": "news"}),
        file("pred", (["a"], ["O"]), columns={"genre": "blog", "year": "7"}),
    )
    values = [batch.provenance.value(0, column) for column in ("genre", "year", "file", "other")]  # type: ignore[attr-defined]
    assert values == ["news", "7", "pred", None]


ONE = (["Ada", "met"], ["B-PER", "O"])
TWO = (["Bob"], ["B-PER"])
FAULTS: dict[str, tuple[File, File, str, str]] = {
    "another token": (
        file("gold", ONE, TWO),
        file("pred", ONE, (["Rob"], ["O"])),
        "pred:4",
        "token 1 is 'Rob', but 'Bob' in the reference (gold:4)",
    ),
    "fewer tokens": (
        file("gold", ONE),
        file("pred", (["Ada"], ["O"])),
        "pred:1",
        "the document has 1 token, but 2 in the reference (gold:1)",
    ),
    "more tokens": (
        file("gold", TWO),
        file("pred", (["Bob", "!"], ["O", "O"])),
        "pred:1",
        "the document has 2 tokens, but 1 in the reference (gold:1)",
    ),
    "another token before another number": (
        file("gold", ONE),
        file("pred", (["Eve"], ["O"])),
        "pred:1",
        "token 1 is 'Eve', but 'Ada' in the reference (gold:1)",
    ),
    "fewer documents": (
        file("gold", ONE, TWO, TWO),
        file("pred", ONE),
        "gold:4",
        "the reference has 3 documents, the prediction 1",
    ),
    "more documents": (
        file("gold", ONE),
        file("pred", ONE, TWO),
        "pred:4",
        "the reference has 1 document, the prediction 2",
    ),
    "no prediction": (file("gold", ONE), file("pred"), "gold:1", "the reference has 1 document, the prediction 0"),
    "another id": (
        file("gold", ONE, id="a"),
        file("pred", ONE, id="b"),
        "pred:1",
        "the document is 'b', but 'a' in the reference (gold:1)",
    ),
}


@pytest.mark.parametrize(("gold", "pred", "where", "says"), FAULTS.values(), ids=FAULTS)
def test_what_does_not_belong_together_is_refused_at_its_first_place(
    gold: File, pred: File, where: str, says: str
) -> None:
    with pytest.raises(MismatchError) as error:
        list(pair_tagged_files(gold, pred))
    assert (error.value.where, error.value.message) == (where, says)
    assert "token by token, in the same order" in error.value.remedy


def test_mismatch_counts_the_documents_before_an_error() -> None:
    gold = file("gold", ONE, TWO, TWO)
    gold.fault = FormatError("broken", where="gold:9")
    with pytest.raises(MismatchError, match="the reference has 3 or more documents, the prediction 1"):
        list(pair_tagged_files(gold, file("pred", ONE)))


def test_ids_may_differ_where_they_are_ignored() -> None:
    (batch,) = pair_tagged_files(file("gold", ONE, id="a"), file("pred", ONE, id="b"), ignore_ids=True)
    assert batch.provenance.name(0) == "a"


def test_tokens_may_be_spelled_otherwise_where_that_is_ignored_but_not_be_another_number() -> None:
    spelled = file("pred", (["Ada", "MET"], ["B-PER", "O"]))
    assert len(list(pair_tagged_files(file("gold", ONE), spelled, ignore_tokens=True))) == 1
    with pytest.raises(MismatchError, match="has 1 token, but 2"):
        list(pair_tagged_files(file("gold", ONE), file("pred", (["Eve"], ["O"])), ignore_tokens=True))
    with pytest.raises(MismatchError, match="add --ignore-tokens"):
        list(pair_tagged_files(file("gold", ONE), spelled))


def test_words_that_are_no_parts_of_the_text_are_compared_as_words() -> None:
    fused = [TaggedRow("f", 1, None, "du", [TokenPosition(0, 2)] * 2, ["O", "B-L"], forms=["de", "le"])]
    assert len(list(pair_tagged_files(File("gold", fused), file("pred", (["de", "le"], ["O", "O"]))))) == 1
    with pytest.raises(MismatchError, match="token 1 is 'du', but 'de'"):
        list(pair_tagged_files(File("gold", fused), file("pred", (["du", "le"], ["O", "O"]))))


def test_two_empty_files_hold_no_documents() -> None:
    with pytest.raises(FormatError, match="gold: holds no documents"):
        list(pair_tagged_files(file("gold"), file("pred")))


def test_documents_before_a_fault_come_first() -> None:
    gold = file("gold", ONE, TWO)
    gold.fault = FormatError("broken", where="gold:9")
    batches = pair_tagged_files(gold, file("pred", ONE, TWO, TWO))
    assert len(next(batches).documents) == 2
    with pytest.raises(FormatError, match="gold:9"):
        next(batches)


@pytest.mark.parametrize("side", ["reference", "predicted"])
def test_the_tags_of_a_file_are_evidence_of_one_side(side: Side) -> None:
    (batch,) = batch_file_tags(file("gold", ONE, TWO), side)
    assert batch.sides == (side,)
    codes = batch.reference if side == "reference" else batch.predicted
    none = batch.predicted if side == "reference" else batch.reference
    assert [batch.vocabulary[code] for code in codes] == ["B-PER", "O", "B-PER"]
    assert not np.any(none)


def test_documents_of_tags_are_documents_of_spans_in_code_points() -> None:
    decoder = Decoder(use_named_scheme("iob2"))
    source = file("gold", (["Ada", "met", "New", "York"], ["B-PER", "O", "B-LOC", "I-LOC"]), ([], []), TWO)
    found = list(DecodedFile(source, "predicted", decoder, keep_tokens=True))
    assert [(each.text, list(each.spans), each.joined) for each in found] == [
        ("Ada met New York", [(0, 3, "PER"), (8, 16, "LOC")], True),
        ("", [], True),
        ("Bob", [(0, 3, "PER")], True),
    ]
    assert [list(each.tokens or ()) for each in found] == [[(0, 3), (4, 7), (8, 11), (12, 16)], [], [(0, 3)]]
    assert [(each.line, each.file) for each in found] == [(1, "gold"), (6, "gold"), (7, "gold")]
    assert [list(each.lines) for each in found] == [[1, 3], [], [7]]


def test_words_in_one_place_are_one_token() -> None:
    fused = [
        TaggedRow(
            "f", 1, None, "du Nil", [TokenPosition(0, 2), TokenPosition(0, 2), TokenPosition(3, 6)], ["O", "B-L", "I-L"]
        )
    ]
    (document,) = DecodedFile(File("f", fused), "reference", Decoder(use_named_scheme("iob2")), keep_tokens=True)
    assert document.tokens == [(0, 2), (3, 6)]
    assert document.spans == [(0, 6, "L")]
    assert list(document.lines) == []


def test_a_span_that_begins_within_words_of_one_place_has_the_line_of_the_first() -> None:
    fused = [TaggedRow("f", 3, None, "du", [TokenPosition(0, 2), TokenPosition(0, 2)], ["O", "B-L"], lines=[3, 4])]
    (document,) = DecodedFile(File("f", fused), "reference", Decoder(use_named_scheme("iob2")))
    assert list(document.lines) == [3]


def test_tag_repairs_are_merged_into_one_warning() -> None:
    source = file("gold", (["a"], ["I-PER"]), (["b"], ["I-PER"]))
    found = list(DecodedFile(source, "reference", Decoder(use_named_scheme("iob2"))))
    warnings = RunWarning.merge(warning for each in found for warning in each.warnings)
    assert [(warning.code, warning.count, warning.where) for warning in warnings] == [("tags-repaired", 2, "gold:1")]


def test_a_file_is_read_anew_at_each_pass() -> None:
    source = file("gold", ONE)
    decoded = DecodedFile(source, "reference", Decoder(use_named_scheme("iob2")))
    assert [each.spans for each in decoded] == [each.spans for each in decoded]
    assert len(source.passes) == 2
