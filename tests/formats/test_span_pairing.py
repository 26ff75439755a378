from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.errors import DataError, FormatError, MismatchError
from isogloss.formats import span_pairing as batch_module
from isogloss.formats.documents import LabelledSpan, SpanDocument
from isogloss.formats.span_pairing import batch_document_pairs
from isogloss.kernel.provenance import TextExcerpt
from isogloss.spans.batches import SpanPairs


@dataclass
class InMemory:
    """A file of documents that counts how far it was read."""

    name: str
    documents: Sequence[SpanDocument]
    given: int = 0

    def __iter__(self) -> Iterator[SpanDocument]:
        for document in self.documents:
            self.given += 1
            yield document


def document(
    line: int, name: str | None = None, text: str | None = None, spans: Sequence[LabelledSpan] = ()
) -> SpanDocument:
    return SpanDocument(line, name, text, spans)


def named(*names: str | None) -> list[SpanDocument]:
    return [document(line, name) for line, name in enumerate(names, 1)]


def pair(reference: Sequence[SpanDocument], prediction: Sequence[SpanDocument]) -> list[SpanPairs]:
    return list(batch_document_pairs(InMemory("gold.jsonl", reference), InMemory("pred.jsonl", prediction)))


Read = list[tuple[int, str, str, str, TextExcerpt | None, list[LabelledSpan], list[LabelledSpan]]]


def read_back(batches: Sequence[SpanPairs]) -> Read:
    """What batches say about each document: number, name, both places, text, and both sides' spans in their order."""
    rows: Read = []
    for batch in batches:
        for row, number in enumerate(batch.documents.tolist()):
            spans: list[list[LabelledSpan]] = []
            for side in (batch.reference, batch.predicted):
                at = np.flatnonzero(side.row == row)
                columns = side.start[at].tolist(), side.end[at].tolist(), side.label[at].tolist()
                spans.append([(start, end, batch.labels[label]) for start, end, label in zip(*columns, strict=True)])
            provenance = batch.provenance
            where = provenance.where(row, 0, "reference"), provenance.where(row, 0, "predicted")
            rows.append((number, provenance.name(row), *where, provenance.get_excerpt(row), spans[0], spans[1]))
    return rows


def naive(reference: Sequence[SpanDocument], prediction: Sequence[SpanDocument]) -> Read:
    """The same by looking for each document's partner in the whole prediction."""
    rows: Read = []
    for number, one in enumerate(reference):
        (other,) = [document for document in prediction if document.id == one.id] if one.id else [prediction[number]]
        text = one.text if one.text is not None else other.text
        rows.append(
            (
                number,
                one.id or str(number + 1),
                f"gold.jsonl:{one.line}",
                f"pred.jsonl:{other.line}",
                None if text is None else TextExcerpt(text),
                sorted(one.spans),
                sorted(other.spans),
            )
        )
    return rows


TEXTS = ["แม่น้ำเจ้าพระยา", "زار أحمد القاهرة أمس", "𐌲𐌿𐍄𐌰𐌽𐍃 𐌸𐌰𐌽𐌰", "Ada met Bob in Paris", "東京都に住む"]


@st.composite
def corpora(draw: st.DrawFn) -> tuple[list[SpanDocument], list[SpanDocument]]:
    """Both sides of documents in Thai, Arabic, astral and other letters; with ids in any order, or without."""
    with_ids = draw(st.booleans())
    has_text = draw(st.sampled_from([(True, True), (True, False), (False, True), (False, False)]))
    sides: tuple[list[SpanDocument], list[SpanDocument]] = ([], [])
    for number in range(draw(st.integers(1, 8))):
        text = draw(st.sampled_from(TEXTS))
        for side, has in zip(sides, has_text, strict=True):
            spans = draw(st.lists(st.tuples(bounds(text), st.sampled_from(["PER", "LOC", "地名"])), max_size=4))
            triples = [(*span, label) for span, label in spans]
            name = f"id {number}" if with_ids else None
            side.append(SpanDocument(3 * number + 1, name, text if has else None, triples))
    return sides[0], draw(st.permutations(sides[1])) if with_ids else sides[1]


def bounds(text: str) -> st.SearchStrategy[tuple[int, int]]:
    return st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted).filter(lambda of: of[0] < of[1])  # type: ignore[return-value]  # a sorted pair is a list of two


@settings(max_examples=100)
@given(corpora(), st.integers(1, 9))
def test_pairs_are_those_found_by_looking_through_the_whole_prediction(
    corpus: tuple[list[SpanDocument], list[SpanDocument]], size: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch_module, "BATCH_DOCUMENTS", size)
        batches = pair(*corpus)
    assert read_back(batches) == naive(*corpus)
    for batch in batches:
        assert len(batch.documents) <= size
        assert list(batch.labels) == sorted({*batch.labels})


def test_documents_in_one_order_are_paired_without_reading_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_module, "BATCH_DOCUMENTS", 3)
    names = [f"n{number}" for number in range(100)]
    reference, prediction = InMemory("gold", named(*names)), InMemory("pred", named(*names))
    first = next(batch_document_pairs(reference, prediction))
    assert len(first.documents) == 3
    assert reference.given <= 4
    assert prediction.given <= 4


def test_a_batch_of_long_texts_holds_fewer_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_module, "BATCH_SIZE", 100)
    documents = [document(line, text="x" * size) for line, size in enumerate([60, 60, 500, 10, 10], 1)]
    assert [len(batch.documents) for batch in pair(documents, documents)] == [2, 1, 2]


def test_ids_with_equal_hashes_are_different_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    class Name(str):
        __slots__ = ()

        def __hash__(self) -> int:
            return 7

    documents = named(Name("a"), Name("b"), Name("c"))
    assert [row[1] for row in read_back(pair(documents, documents[::-1]))] == ["a", "b", "c"]
    with pytest.raises(DataError, match="'b' stands twice"):
        pair(named(Name("a"), Name("b"), Name("b")), named(Name("a"), Name("b"), Name("b")))


def spans(*triples: LabelledSpan, text: str | None = None) -> list[SpanDocument]:
    return [document(1, "a", text), document(2, "b", text, triples)]


A_B = named("a", "b")
TEXT = "Zoë met Bob"
FAULTS: dict[str, tuple[list[SpanDocument], list[SpanDocument], type[DataError], str, str, str]] = {
    # reference, prediction: the error, where, a part of the message or the detail, a part of the remedy
    "reference empty": ([], A_B, FormatError, "gold.jsonl", "holds no documents", "a row for each"),
    "prediction empty": (A_B, [], FormatError, "pred.jsonl", "holds no documents", "a row for each"),
    "ids only in the reference": (
        A_B,
        named(None, None),
        MismatchError,
        "pred.jsonl:1",
        "of the reference have ids, those of the prediction have none\ngold.jsonl begins with the ids 'a', 'b'",
        "Give both files ids",
    ),
    "ids only in the prediction": (
        named(None, None),
        A_B,
        MismatchError,
        "gold.jsonl:1",
        "documents of the prediction have ids, those of the reference have none",
        "or neither to pair them by order",
    ),
    "a document without an id": (
        A_B,
        named("a", None),
        FormatError,
        "pred.jsonl:2",
        "has no id, but the 1 before it have one",
        "every document of the file an id",
    ),
    "a document with an id": (
        named(None, None, "c"),
        named(None, None, None),
        FormatError,
        "gold.jsonl:3",
        "has an id, but the 2 before it have none",
        "or none",
    ),
    "ids missing in the prediction": (
        named(*"abcdefgh"),
        named("c"),
        MismatchError,
        "gold.jsonl:1",
        "7 of 8 ids of the reference are not in the prediction\nonly in gold.jsonl: 'a', 'b', 'd', 'e', 'f', …",
        "Predict each document",
    ),
    "ids missing in the reference": (
        A_B,
        named("x", "a", "b", "y"),
        MismatchError,
        "pred.jsonl:1",
        "2 of 4 ids of the prediction are not in the reference\nonly in pred.jsonl: 'x', 'y'",
        "and no others",
    ),
    "ids missing at the end of the reference": (
        A_B,
        named("a", "b", "y"),
        MismatchError,
        "pred.jsonl:3",
        "1 of 3 ids of the prediction are not in the reference\nonly in pred.jsonl: 'y'",
        "and no others",
    ),
    "ids missing on both sides": (
        named("a", "b", "c"),
        named("c", "x"),
        MismatchError,
        "gold.jsonl:1",
        "2 of 3 ids of the reference are not in the prediction, and 1 of 2 ids of the prediction are not",
        "Predict each document",
    ),
    "an id twice in the reference": (
        named("a", "b", "a"),
        A_B,
        DataError,
        "gold.jsonl:3",
        "'a' stands twice in the reference\nIt first stands at gold.jsonl:1",
        "an id of its own",
    ),
    "an id twice in the prediction": (
        named("a", "b", "c"),
        named("a", "b", "b"),
        DataError,
        "pred.jsonl:3",
        "'b' stands twice in the prediction\nIt first stands at pred.jsonl:2",
        "an id of its own",
    ),
    "an id twice before its turn": (
        named("a", "b"),
        named("b", "b", "a"),
        DataError,
        "pred.jsonl:2",
        "'b' stands twice in the prediction\nIt first stands at pred.jsonl:1",
        "an id of its own",
    ),
    "an id twice on both sides": (
        named("a", "b", "a"),
        named("a", "b", "a"),
        DataError,
        "gold.jsonl:3",
        "'a' stands twice in the reference\nIt first stands at gold.jsonl:1",
        "or leave out all ids",
    ),
    "too few documents": (
        [document(4), document(7, text="Bob")],
        named(None),
        MismatchError,
        "gold.jsonl:7",
        "the reference has 2 documents, the prediction 1\ndocument 2 of the reference has no partner: 'Bob'",
        "or an id in every row",
    ),
    "too many documents": (
        named(None),
        named(None, None, None),
        MismatchError,
        "pred.jsonl:2",
        "the reference has 1 document, the prediction 3\ndocument 2 of the prediction has no partner",
        "in the same order",
    ),
    "end before start": (A_B, spans((5, 3, "X")), DataError, "pred.jsonl:2", "[5, 3) 'X' has no extent", "`end`"),
    "end equals start": (spans((5, 5, "X")), A_B, DataError, "gold.jsonl:2", "[5, 5) 'X' has no extent", "`end`"),
    "negative start": (A_B, spans((-1, 3, "X")), DataError, "pred.jsonl:2", "begins before its text", "count from 0"),
    "huge end": (A_B, spans((1, 2**80, "X")), DataError, "pred.jsonl:2", "no text is long enough", "count from 0"),
    "far end": (A_B, spans((1, 2**40 + 1, "X")), DataError, "pred.jsonl:2", "no text is long enough", "count from 0"),
    "beyond its own text": (
        A_B,
        spans((8, 12, "X"), text=TEXT),
        DataError,
        "pred.jsonl:2",
        "[8, 12) 'X' reaches beyond its text, which has 11 code points",
        "not bytes or UTF-16 units",
    ),
    "beyond the reference's text": (
        spans(text="𐌲𐌿𐍄"),
        spans((0, 4, "X")),
        DataError,
        "pred.jsonl:2",
        "which has 3 code points",
        "not bytes or UTF-16 units",
    ),
    "reference beyond the prediction's text": (
        spans((0, 4, "X")),
        spans(text="𐌲𐌿𐍄"),
        DataError,
        "gold.jsonl:2",
        "which has 3 code points",
        "not bytes or UTF-16 units",
    ),
    "any span in an empty text": (
        spans((0, 1, "X"), text=""),
        A_B,
        DataError,
        "gold.jsonl:2",
        "which has 0 code points",
        "count from 0",
    ),
    "other texts": (
        [document(1, text="Ada met Bob")],
        [document(9, text="Ada met Rob")],
        MismatchError,
        "pred.jsonl:9",
        "the texts of document 1 differ from code point 8 on",
        "predict on the text of the reference",
    ),
    "a shorter text": (
        [document(1, "a", "Ada met Bob")],
        [document(2, "a", "Ada met")],
        MismatchError,
        "pred.jsonl:2",
        "reference   'Ada met Bob', U+0020 SPACE at 7\nprediction  'Ada met', ends after 7 code points",
        "predict on the text of the reference",
    ),
    "texts that look alike": (
        [document(1, "a", "Zo\u00eb met Bob")],
        [document(2, "a", "Zoe\u0308 met Bob")],
        MismatchError,
        "pred.jsonl:2",
        "E WITH DIAERESIS at 2\nprediction  'Zoe\u0308 met Bob', U+0065 LATIN SMALL LETTER E at 2",
        "equal after normalisation to NFC",
    ),
    "texts of compatible letters": (
        [document(1, "a", "ｱ")],
        [document(2, "a", "ア")],
        MismatchError,
        "pred.jsonl:2",
        "U+FF71 HALFWIDTH KATAKANA LETTER A",
        "equal after normalisation to NFKC",
    ),
    "texts with other spaces": (
        [document(1, "a", "Ada\u00a0met")],
        [document(2, "a", "Ada\n met")],
        MismatchError,
        "pred.jsonl:2",
        "U+00A0 NO-BREAK SPACE at 3\nprediction  'Ada\\n met', U+000A without a name at 3",
        "white space only",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_an_error_with_its_place_and_a_remedy(fault: str) -> None:
    reference, prediction, kind, where, message, remedy = FAULTS[fault]
    with pytest.raises(DataError) as caught:
        pair(reference, prediction)
    assert type(caught.value) is kind
    assert caught.value.where == where
    assert message in f"{caught.value.message}\n{caught.value.detail}"
    assert remedy in caught.value.remedy


def test_the_texts_are_shown_around_their_first_difference() -> None:
    text = "".join(chr(ord("a") + at % 26) for at in range(100))
    with pytest.raises(MismatchError) as caught:
        pair([document(1, text=text)], [document(1, text=text[:50] + "!" + text[51:])])
    around = text[30:50], text[51:70]
    assert caught.value.detail == (
        f"reference   '…{text[30:70]}…', U+0079 LATIN SMALL LETTER Y at 50\n"
        f"prediction  '…{around[0]}!{around[1]}…', U+0021 EXCLAMATION MARK at 50"
    )
