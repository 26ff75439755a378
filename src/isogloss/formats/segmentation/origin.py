"""Where the documents of a batch come from, and what their characters are in the text as the user gave it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from isogloss.batches import Passage, Side
from isogloss.formats.attributes import FILE
from isogloss.formats.segmentation.encoding import kept
from isogloss.formats.segmentation.segmented import Segmented

Sources = Mapping[int, Sequence[int]]


@dataclass(frozen=True, eq=False)
class SampleOrigin:
    """The samples that a batch was made of.

    Args:
        numbers: number of each document of the batch, from 0.
        rows: position in either side of each document.
        reference: the samples of the reference.
        predicted: those of the prediction.
        sources: per document that was brought to another form, which kept character of the reference each character is.
    """

    numbers: Sequence[int]
    rows: Sequence[int]
    reference: Segmented
    predicted: Segmented
    sources: Sources = field(default_factory=dict)

    def name(self, row: int) -> str:
        """The sample's number from 1."""
        return str(self.numbers[row] + 1)

    def where(self, row: int, position: int, side: Side) -> str:  # noqa: ARG002  a sample is one place
        """Place of the sample."""
        return (self.reference if side == "reference" else self.predicted).where(self.rows[row])

    def passage(self, row: int) -> Passage:
        """The text of the reference, and where its characters stand in it."""
        text = self.reference.given(self.rows[row])
        places = kept(text, self.reference.whitespace)
        if row in self.sources:
            places = [places[at] for at in self.sources[row]]
        return Passage(text, tuple(places), tuple(at + 1 for at in places))

    def value(self, row: int, column: str) -> str | None:
        """What a column of the reference has, or else of the prediction; the file of the prediction, if it has one."""
        return value_of(self.reference, self.rows[row], self.predicted, self.rows[row], column)


def value_of(reference: Segmented, row: int, predicted: Segmented, other: int, column: str) -> str | None:
    """What a column has for a sample of both sides.

    Args:
        reference: samples of the reference.
        row: which of them.
        predicted: samples of the prediction.
        other: which of them.
        column: the name of the column. A sample without a column `file` is from its file.
    """
    for side, at in ((reference, row), (predicted, other)):
        known = side.value(at, column)
        if known is not None:
            return known
    return predicted.file(other) or reference.file(row) if column == FILE else None
