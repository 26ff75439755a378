"""Properties of single spans by which named entities are sliced.

Definition
    1. `entity_length` is the number of a span's tokens: 1, 2, 3, 4 or 5+; where spans count code points of a text, the
       number of these: 1-5, 6-10, 11-20, 21-50 or >50.
    2. `label_frequency` is the number of reference spans with a span's label: 0, 1-10, 11-100, 101-1000 or >1000. It
       is that of the whole corpus, also in resamples of it.
    3. `seen` says whether the training data has the span's text with its label (`seen`), with others only
       (`other_label`), or not as a name (`unseen`). Texts are compared as they are, but for the kind of white space.
    4. Either side of a pair has its own values: precision looks at the predicted spans with a value, recall at the
       reference spans. Over the values of a column, the spans of either side add up to all of them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from isogloss.batches import SpanPairs, Spans
from isogloss.exceptions import UsageError
from isogloss.findings import Mark
from isogloss.scores import Ints

LENGTH, FREQUENCY, SEEN = "entity_length", "label_frequency", "seen"
COLUMNS = (LENGTH, FREQUENCY, SEEN)
TOKENS = (("1", 1), ("2", 2), ("3", 3), ("4", 4), ("5+", None))
CHARACTERS = (("1-5", 5), ("6-10", 10), ("11-20", 20), ("21-50", 50), (">50", None))
SPANS = (("0", 0), ("1-10", 10), ("11-100", 100), ("101-1000", 1000), (">1000", None))
KNOWN = ("seen", "other_label", "unseen")
Classes = Sequence[tuple[str, int | None]]  # names, and the highest number of each


class Property(Protocol):
    """What tells the value that a span has in a column."""

    @property
    def names(self) -> Sequence[str]:
        """The values, in their order."""

    def of_spans(self, batch: SpanPairs, spans: Spans) -> Ints:
        """(spans,) position of the value of each span in `names`."""

    def of_mark(self, mark: Mark, text: str | None) -> str:
        """The value of a span of a finding with this text."""


@dataclass(frozen=True)
class Length:
    """How long spans are.

    Args:
        classes: their names, and how long spans of each are at most.
    """

    classes: Classes

    @property
    def names(self) -> Sequence[str]:
        """The classes."""
        return [name for name, _ in self.classes]

    def of_spans(self, batch: SpanPairs, spans: Spans) -> Ints:  # noqa: ARG002  as `Property` asks
        """(spans,) the class of each."""
        return np.searchsorted(_limits(self.classes), spans.end - spans.start).astype(np.int64)

    def of_mark(self, mark: Mark, text: str | None) -> str:  # noqa: ARG002  likewise
        """The class of a span."""
        return class_of(mark.end - mark.start, self.classes)


@dataclass(frozen=True)
class Seen:
    """Whether training data has spans.

    Args:
        labels_of: the labels that each text of its spans has.
    """

    labels_of: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, training: Iterable[SpanPairs]) -> Seen:
        """What the reference spans of some documents say.

        Raises:
            UsageError: they have no text.
        """
        found: dict[str, set[str]] = defaultdict(set)
        for batch in training:
            for surface, label in zip(_surfaces(batch, batch.reference), batch.reference.label.tolist(), strict=True):
                found[surface].add(batch.labels[label])
        return cls({surface: frozenset(labels) for surface, labels in found.items()})

    @property
    def names(self) -> Sequence[str]:
        """What there is to say."""
        return KNOWN

    def of_spans(self, batch: SpanPairs, spans: Spans) -> Ints:
        """(spans,) what is to be said of each.

        Raises:
            UsageError: a document has no text.
        """
        labels = (batch.labels[label] for label in spans.label.tolist())
        pairs = zip(_surfaces(batch, spans), labels, strict=True)
        return np.array([self._code(surface, label) for surface, label in pairs], np.int64)

    def of_mark(self, mark: Mark, text: str | None) -> str:
        """What is to be said of a span."""
        return KNOWN[self._code(_spaced((text or "")[mark.begin : mark.stop]), mark.label or "")]

    def _code(self, surface: str, label: str) -> int:
        labels = self.labels_of.get(surface)
        return 2 if labels is None else int(label not in labels)


def class_of(number: int, classes: Classes) -> str:
    """The class that a number falls into."""
    return classes[bisect_left(_limits(classes), number)][0]


def _limits(classes: Classes) -> list[int]:
    return [highest for _, highest in classes if highest is not None]


def _surfaces(batch: SpanPairs, spans: Spans) -> Iterator[str]:
    """The text of each span."""
    shown, passage = -1, None
    for row, start, end in zip(spans.row.tolist(), spans.start.tolist(), spans.end.tolist(), strict=True):
        if row != shown:
            shown, passage = row, batch.origin.passage(row)
        if passage is None:
            where = batch.origin.where(row, start, "reference")
            raise UsageError(f"{where}: the document has no text, so that nobody can say whether its names are seen.")
        yield _spaced(passage.text[slice(*passage.span(start, end))])


def _spaced(text: str) -> str:
    return " ".join(text.split())
