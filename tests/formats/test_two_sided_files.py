from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from isogloss.errors import FormatError
from isogloss.formats.annotation import DocumentReader
from isogloss.formats.documents import LabelledSpan, SpanDocument, SpanFile
from isogloss.formats.span_pairing import batch_document_pairs
from isogloss.formats.two_sided_files import AnnotatedSpans, TwoSidedDocument, read_side
from isogloss.kernel.provenance import RunWarning, Side

Row = tuple[Sequence[LabelledSpan] | None, Sequence[LabelledSpan] | None]  # what was annotated, what was predicted
ADA, BOB = [(0, 3, "PER")], [(8, 11, "PER")]


def rows(given: Sequence[Row]) -> Iterator[TwoSidedDocument]:
    def judged(spans: Sequence[LabelledSpan]) -> AnnotatedSpans:
        return spans, ()

    for line, (annotated, predicted) in enumerate(given, 1):
        yield TwoSidedDocument(
            SpanDocument(line, str(line), "Ada met Bob", ()),
            None if annotated is None else lambda spans=annotated: judged(spans),  # type: ignore[misc]
            None if predicted is None else lambda spans=predicted: judged(spans),  # type: ignore[misc]
        )


def side(given: Sequence[Row], side: Side, *, single_file: bool) -> list[SpanDocument]:
    return list(read_side("f", lambda: rows(given), side, single_file=single_file))


def test_one_file_gives_what_was_annotated_and_what_was_predicted() -> None:
    given: list[Row] = [(ADA, BOB), ([], ADA)]
    assert [each.spans for each in side(given, "reference", single_file=True)] == [ADA, []]
    assert [each.spans for each in side(given, "predicted", single_file=True)] == [BOB, ADA]


def test_unannotated_document_is_left_out_with_one_warning() -> None:
    given: list[Row] = [(ADA, ADA), (None, BOB)]
    reference, predicted = side(given, "reference", single_file=True), side(given, "predicted", single_file=True)
    assert [each.left_out for each in reference] == [each.left_out for each in predicted] == [False, True]
    why = "Documents without an annotation were left out."
    assert reference[1].warnings == (RunWarning("documents-left-out", why, 1, "f:2"),)
    assert predicted[1].warnings == ()


def test_unpredicted_document_has_no_spans_and_a_warning() -> None:
    _, second = side([(ADA, ADA), (BOB, None)], "predicted", single_file=True)
    assert (second.spans, second.left_out, [each.code for each in second.warnings]) == (
        (),
        False,
        ["documents-unpredicted"],
    )


@pytest.mark.parametrize(
    ("given", "whose", "message"),
    [
        ((ADA, None), "predicted", "stands for both sides, but has no predictions"),
        ((None, ADA), "reference", "stands for both sides, but has no annotations"),
    ],
)
def test_a_file_for_both_sides_needs_both(given: Row, whose: Side, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        side([given], whose, single_file=True)


@pytest.mark.parametrize(("given", "whose"), [((ADA, None), "predicted"), ((None, ADA), "reference")])
def test_a_file_of_one_side_gives_what_it_has_and_says_so(given: Row, whose: Side) -> None:
    first, second = side([given, given], whose, single_file=False)
    assert (first.spans, second.spans, second.warnings) == (ADA, ADA, ())
    assert [(each.code, each.where) for each in first.warnings] == [("other-side-taken", "f")]


def test_a_file_with_neither_is_refused() -> None:
    with pytest.raises(FormatError, match="neither annotations nor predictions"):
        side([(None, None)], "reference", single_file=False)


def both(*documents: tuple[Sequence[LabelledSpan], bool]) -> SpanFile:
    found = [
        SpanDocument(line, None, "Ada met Bob", spans, (RunWarning("n", "N.", 1, f"f:{line}"),), left_out=left_out)
        for line, (spans, left_out) in enumerate(documents, 1)
    ]
    return DocumentReader("f", lambda: iter(found))


def test_documents_that_are_left_out_are_paired_and_not_scored() -> None:
    reference = both((ADA, False), ([], True), (BOB, False), ([], True))
    prediction = both((ADA, False), (BOB, False), (BOB, False), (ADA, False))
    (batch,) = batch_document_pairs(reference, prediction)
    assert (len(batch.documents), len(batch.reference.start), len(batch.predicted.start)) == (2, 2, 2)
    assert batch.warnings == (RunWarning("n", "N.", 6, "f:1"),)


def test_document_left_out_on_either_side_is_reported_once() -> None:
    (batch,) = batch_document_pairs(both((ADA, False), ([], True)), both((ADA, False), ([], True)))
    assert batch.warnings == (RunWarning("n", "N.", 3, "f:1"),)


def test_nothing_left_is_an_error_that_says_why() -> None:
    with pytest.raises(FormatError, match=r"all documents were left out: 2 documents\nN\. \(2, first f:1\)"):
        list(batch_document_pairs(both((ADA, True), (ADA, True)), both((ADA, False), (ADA, False))))


def test_pairs_before_a_fault_are_scored_first() -> None:
    def faulty() -> Iterator[SpanDocument]:
        yield from both((ADA, False), (ADA, False))
        raise FormatError("broken", where="f:3")

    batches = batch_document_pairs(both((ADA, False), (ADA, False), (ADA, False)), DocumentReader("g", faulty))
    assert len(next(batches).documents) == 2
    with pytest.raises(FormatError, match="broken"):
        next(batches)
