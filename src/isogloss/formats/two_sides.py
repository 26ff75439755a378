"""Files in which a document has what a person annotated, what a model predicted, or both.

Where the file stands for both sides, the reference is what was annotated, the prediction what was predicted. As the
file of one side it gives what belongs to this side if any of its documents has that, else what it has.

- A document that nobody annotated has no reference. It is left out, on both sides, and counted.
- A document without a prediction counts as one in which the model found nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Literal

import msgspec

from isogloss.errors import FormatError
from isogloss.formats.annotation import Annotations, Documents, Options
from isogloss.formats.documents import SpanDocument, Triple
from isogloss.kernel.provenance import Notice, Side
from isogloss.records.json_rows import columns_of
from isogloss.records.sources import Source

LEFT_OUT = "documents-left-out"
UNPREDICTED = "documents-unpredicted"
OTHER_SIDE = "other-side-taken"
NOT_ANNOTATED = "Documents without an annotation were left out."
NOT_PREDICTED = "Documents without a prediction count as predicted without spans."

Kind = Literal["annotated", "predicted"]
Judged = tuple[Sequence[Triple], tuple[Notice, ...]]  # spans, and what was done about them
KINDS: Mapping[Side, Kind] = {"reference": "annotated", "predicted": "predicted"}
OTHER: Mapping[Kind, Kind] = {"annotated": "predicted", "predicted": "annotated"}
NAMES: Mapping[Kind, str] = {"annotated": "annotations", "predicted": "predictions"}


@dataclass(frozen=True)
class TwoSided:
    """A document of both sides.

    Args:
        document: without spans.
        annotated: gives the spans that a person annotated; None where nobody did.
        predicted: gives the spans that a model predicted; None where none did.
        why: why nobody did, for the notice.
    """

    document: SpanDocument
    annotated: Callable[[], Judged] | None = None
    predicted: Callable[[], Judged] | None = None
    why: str = NOT_ANNOTATED

    def has(self, kind: Kind) -> bool:
        """Whether it has this kind of spans."""
        return (self.annotated if kind == "annotated" else self.predicted) is not None

    def of(self, kind: Kind, where: str) -> SpanDocument:
        """The document with the spans of one kind.

        Args:
            kind: which.
            where: its place, for notices.
        """
        judge = self.annotated if kind == "annotated" else self.predicted
        if judge is None:
            return without(self.document, "reference" if kind == "annotated" else "predicted", where, self.why)
        spans, notices = judge()
        return msgspec.structs.replace(self.document, spans=spans, notices=notices)


def without(document: SpanDocument, side: Side, where: str, why: str = NOT_ANNOTATED) -> SpanDocument:
    """A document of which nothing was said: in the reference it is left out, in the prediction it has no spans.

    Args:
        document: without spans.
        side: whose it is.
        where: its place.
        why: why nobody annotated it, as a sentence.
    """
    if side == "reference":
        return left_out(document, why, where)
    return msgspec.structs.replace(document, notices=(Notice(UNPREDICTED, NOT_PREDICTED, 1, where),))


def left_out(document: SpanDocument, why: str, where: str) -> SpanDocument:
    """A document that is paired, but not scored.

    Args:
        document: the document.
        why: the reason, as a sentence.
        where: its place.
    """
    notices = (Notice(LEFT_OUT, why, 1, where),)
    return msgspec.structs.replace(document, spans=(), notices=notices, left_out=True)


def one_side(name: str, read: Callable[[], Iterator[TwoSided]], side: Side, *, alone: bool) -> Iterator[SpanDocument]:
    """The documents of one side.

    Args:
        name: of the file.
        read: its documents; they are kept up to the first that has what is wanted.
        side: which is wanted.
        alone: whether the file stands for both sides.

    Raises:
        FormatError: none of its documents has what is wanted.
    """
    kind = KINDS[side]
    notices: tuple[Notice, ...] = ()
    rest = read()
    begun = list(_up_to(kind, rest))
    if not (begun and begun[-1].has(kind)):
        if alone or not any(each.has(OTHER[kind]) for each in begun):
            raise _nothing(name, kind, alone=alone)
        message = f"As the {_word(side)} the {NAMES[OTHER[kind]]} of the file are taken: it has no {NAMES[kind]}."
        notices = (Notice(OTHER_SIDE, message, 1, name),)
        kind = OTHER[kind]
    for each in chain(begun, rest):
        if alone and not each.has("annotated") and kind == "predicted":
            document = msgspec.structs.replace(each.document, left_out=True)  # the other side says why
        else:
            document = each.of(kind, f"{name}:{each.document.line}")
        yield msgspec.structs.replace(document, notices=(*notices, *document.notices)) if notices else document
        notices = ()


def annotations_of(
    source: Source,
    read: Callable[[], Iterator[TwoSided]],
    options: Options,
    within: Collection[str],
) -> Annotations:
    """A file of JSON rows whose documents have two sides, opened.

    Args:
        source: the file.
        read: its documents, from the first at each call.
        options: which side is wanted.
        within: fields of a row that may hold columns.
    """
    documents = partial(one_side, source.name, read, options.side, alone=options.alone)
    return Annotations(spans=Documents(source.name, documents), columns=columns_of(source, within))


def _up_to(kind: Kind, documents: Iterator[TwoSided]) -> Iterator[TwoSided]:
    """The documents up to the first that has this kind of spans; all where none has."""
    for each in documents:
        yield each
        if each.has(kind):
            return


def _word(side: Side) -> str:
    return "reference" if side == "reference" else "prediction"


def _nothing(name: str, kind: Kind, *, alone: bool) -> FormatError:
    if not alone:
        return FormatError(
            "has neither annotations nor predictions",
            where=name,
            remedy="Export it with what was annotated.",
        )
    if kind == "annotated":
        remedy = "Name the file of the reference before it."
    else:
        remedy = "Name the file of the prediction after it, or export it with predictions."
    return FormatError(f"stands for both sides, but has no {NAMES[kind]}", where=name, remedy=remedy)
