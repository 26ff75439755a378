"""Files whose documents hold human annotations, model predictions, or both.

If the file stands for both sides, the reference is the annotation and the prediction is the model's. As the file of one
side, it gives the kind that belongs to this side if any document has it, else the other kind.

- A document that nobody annotated has no reference. It is left out on both sides, and counted.
- A document without a prediction counts as one in which the model found nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

import msgspec

from isogloss.errors import FormatError
from isogloss.formats.annotation import AnnotationFile, DocumentReader, FormatOptions
from isogloss.formats.documents import SIDE_WORDS, LabelledSpan, SpanDocument, format_document_place
from isogloss.kernel.provenance import RunWarning, Side
from isogloss.records.json_fields import make_column_lister
from isogloss.records.sources import Source

LEFT_OUT = "documents-left-out"
UNPREDICTED = "documents-unpredicted"
OTHER_SIDE = "other-side-taken"
NOT_ANNOTATED = "Documents without an annotation were left out."
NOT_PREDICTED = "Documents without a prediction count as predicted without spans."

AnnotatedSpans = tuple[Sequence[LabelledSpan], tuple[RunWarning, ...]]  # spans and warnings
OTHER: Mapping[Side, Side] = {"reference": "predicted", "predicted": "reference"}
SIDE_CONTENTS: Mapping[Side, str] = {"reference": "annotations", "predicted": "predictions"}


@dataclass(frozen=True)
class TwoSidedDocument:
    """A document of both sides.

    Args:
        document: the document without spans.
        read_annotated: reads the spans that a person annotated; None if nobody did.
        read_predicted: reads the spans that a model predicted; None if there is no prediction.
        left_out_message: why nobody annotated it, for the warning.
    """

    document: SpanDocument
    read_annotated: Callable[[], AnnotatedSpans] | None = None
    read_predicted: Callable[[], AnnotatedSpans] | None = None
    left_out_message: str = NOT_ANNOTATED

    def get_reader(self, side: Side) -> Callable[[], AnnotatedSpans] | None:
        """Return what reads the spans for a side, None without such spans."""
        return self.read_annotated if side == "reference" else self.read_predicted

    def to_document(self, side: Side, where: str) -> SpanDocument:
        """Return the document with the spans for a side.

        Args:
            side: the side.
            where: its place, for warnings.
        """
        read = self.get_reader(side)
        if read is None:
            return mark_unannotated(self.document, side, where, self.left_out_message)
        spans, warnings = read()
        return msgspec.structs.replace(self.document, spans=spans, warnings=warnings)


def mark_unannotated(document: SpanDocument, side: Side, where: str, why: str = NOT_ANNOTATED) -> SpanDocument:
    """Return a document without annotation as its side handles it.

    It is left out of the reference, and has no spans in the prediction.

    Args:
        document: the document without spans.
        side: its side.
        where: its place.
        why: why nobody annotated it, as a sentence.
    """
    if side == "reference":
        return leave_out(document, why, where)
    return msgspec.structs.replace(document, warnings=(RunWarning(UNPREDICTED, NOT_PREDICTED, 1, where),))


def leave_out(document: SpanDocument, why: str, where: str) -> SpanDocument:
    """Return a document that is paired, but not scored.

    Args:
        document: the document.
        why: the reason, as a sentence.
        where: its place.
    """
    warnings = (RunWarning(LEFT_OUT, why, 1, where),)
    return msgspec.structs.replace(document, spans=(), warnings=warnings, left_out=True)


def read_side(
    name: str, read: Callable[[], Iterator[TwoSidedDocument]], side: Side, *, single_file: bool
) -> Iterator[SpanDocument]:
    """Read the documents of one side.

    Args:
        name: the name of the file.
        read: reads its documents; they are held up to the first that has spans for the side.
        side: the side.
        single_file: whether the file stands for both sides.

    Raises:
        FormatError: if no document has spans that can stand for this side.
    """
    taken = side
    warnings: tuple[RunWarning, ...] = ()
    rest = read()
    begun = list(_take_until(side, rest))
    if not (begun and begun[-1].get_reader(side)):
        if single_file or not any(each.get_reader(OTHER[side]) for each in begun):
            raise _make_missing_error(name, side, single_file=single_file)
        taken = OTHER[side]
        message = (
            f"As the {SIDE_WORDS[side]} the {SIDE_CONTENTS[taken]} of the file are taken: "
            f"it has no {SIDE_CONTENTS[side]}."
        )
        warnings = (RunWarning(OTHER_SIDE, message, 1, name),)
    for each in chain(begun, rest):
        if single_file and each.read_annotated is None and taken == "predicted":
            document = msgspec.structs.replace(each.document, left_out=True)  # the other side has the warning
        else:
            document = each.to_document(taken, format_document_place(each.document, name))
        yield msgspec.structs.replace(document, warnings=(*warnings, *document.warnings)) if warnings else document
        warnings = ()


def open_two_sided(
    source: Source,
    read: Callable[[], Iterator[TwoSidedDocument]],
    options: FormatOptions,
    within: Collection[str],
    list_columns: Callable[[], Iterable[str]] | None = None,
) -> AnnotationFile:
    """Open a file of JSON rows whose documents have two sides.

    Args:
        source: the file.
        read: reads its documents from the beginning at each call.
        options: the side, and how the file is read.
        within: the fields of a row that may hold columns.
        list_columns: lists the columns of the file; None if its rows are JSON lines or one array.
    """
    documents = partial(read_side, source.name, read, options.side, single_file=options.single_file)
    return AnnotationFile(
        spans=DocumentReader(source.name, documents), list_columns=list_columns or make_column_lister(source, within)
    )


def _take_until(side: Side, documents: Iterator[TwoSidedDocument]) -> Iterator[TwoSidedDocument]:
    """Yield the documents up to the first with spans for a side."""
    for each in documents:
        yield each
        if each.get_reader(side):
            return


def _make_missing_error(name: str, side: Side, *, single_file: bool) -> FormatError:
    if not single_file:
        return FormatError(
            "has neither annotations nor predictions", where=name, remedy="Export it with what was annotated."
        )
    if side == "reference":
        remedy = "Name the file of the reference before it."
    else:
        remedy = "Name the file of the prediction after it, or export it with predictions."
    return FormatError(f"stands for both sides, but has no {SIDE_CONTENTS[side]}", where=name, remedy=remedy)
