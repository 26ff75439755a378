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
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import UsageError
from isogloss.kernel.counts import Counts, Name
from isogloss.kernel.findings import Finding, Mark
from isogloss.kernel.metric import Metric, View
from isogloss.kernel.scores import Ints, Proportions, Scores
from isogloss.kernel.sums import Sums
from isogloss.spans.batches import SpanPairs, Spans
from isogloss.spans.scheme_detection import AUTO
from isogloss.tasks.document_columns import Known, has_column
from isogloss.tasks.ner.events import Events
from isogloss.tasks.ner.inputs import Layout, Pairs, opened
from isogloss.tasks.ner.metric import SCHEMAS, NamedEntities, by_code, kinds_of, of_spans, outcomes_of, sided
from isogloss.tasks.ner.reading import read
from isogloss.tasks.reference_digest import hash_labels, held_alone
from isogloss.tasks.scoring_options import Wanted

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


SIDES = ("reference", "predicted")


@dataclass(frozen=True)
class SlicedEntities:
    """Named entities by properties of their spans.

    Args:
        base: the metric.
        columns: per column its values, in their order.
        properties: what tells the values of spans, for the columns that are parts of cells; needed to count only.
        frequency: the class of each label, where labels are sliced by their frequency; others are in the first one.
        whole: whether the figures over all spans are among the scores.
    """

    base: NamedEntities
    columns: Mapping[str, Sequence[str]]
    properties: Mapping[str, Property] = field(default_factory=dict)
    frequency: Mapping[str, str] = field(default_factory=dict)
    whole: bool = True

    def count(self, batch: SpanPairs) -> Counts:
        """The events of a batch with the values of both sides, and its tokens where it has tags."""
        events = Events.of(batch)
        more = {}
        for column, own in self.properties.items():
            sides = (batch.reference, events.reference), (batch.predicted, events.predicted)
            for side, (spans, of_event) in zip(SIDES, sides, strict=True):
                codes = np.append(own.of_spans(batch, spans), -1)  # (spans + 1,) the last is what -1 stands for
                more[f"{side}_{column}"] = (codes[of_event], own.names)
        return self.base.counted(batch, events, more)

    def with_frequency(self, sums: Sums) -> SlicedEntities:
        """The same, where the classes of labels are those of these sums."""
        if FREQUENCY not in self.columns:
            return self
        spans = kinds_of(sums).sum(axis=-1).tolist()
        total: dict[str, int] = {}
        for name, number in zip(sums.names("reference"), spans, strict=True):
            if name is not None:
                total[name] = total.get(name, 0) + number
        return replace(self, frequency={name: class_of(number, SPANS) for name, number in sorted(total.items())})

    def ingredients(self) -> dict[str, Any]:
        """What JSON keeps of it, to score what was counted without the texts."""
        return {
            "columns": {column: list(values) for column, values in self.columns.items()},
            "frequency": dict(self.frequency),
        }

    def overall(self, sums: Sums) -> Scores:
        """Those of the metric."""
        return self.base.overall(self._whole(sums)) if self.whole else {}

    def score(self, sums: Sums) -> Scores:
        """The scores of the metric, and as `slices.COLUMN.VALUE.…` those of spans with a value."""
        scores = self.base.score(self._whole(sums)) if self.whole else {}
        kinds = kinds_of(sums)  # (..., cells, kinds)
        for column, values, codes in self._sliced(sums):
            reference, predicted = (by_code(kinds, code, len(values)) for code in codes)  # (..., values, kinds)
            for schema in SCHEMAS:
                sides = outcomes_of(reference, schema), outcomes_of(predicted, schema)
                figures = self.base.figures(*sides) | sided(*sides)
                for k, value in enumerate(values):
                    place = ("slices", column, value, schema)
                    scores |= {(*place, name): figure[..., k] for name, figure in figures.items()}
        return scores

    def confusion(self, sums: Sums) -> dict[tuple[Name, Name], int]:
        """That of the metric."""
        return self.base.confusion(self._whole(sums))

    def proportions(self, sums: Sums) -> Proportions:
        """Those of the metric, and precision and recall of spans with a value."""
        return of_spans(self.score(sums))

    def cells_of_slices(self, sums: Sums) -> dict[tuple[str, str], NDArray[np.bool_]]:
        """(cells,) which cells have a span with a value, by column and value."""
        return {
            (column, value): (codes[0] == k) | (codes[1] == k)
            for column, values, codes in self._sliced(sums)
            for k, value in enumerate(values)
        }

    def views(self) -> tuple[View, ...]:
        """All spans, and those by each property: neither needs the parts of the others."""
        parts = {column: {f"{side}_{column}" for side in SIDES} for column in self.columns if column != FREQUENCY}
        every = frozenset[str]().union(*parts.values())
        return (
            View(self.base, every),
            *(
                View(replace(self, columns={column: values}, whole=False), every - parts.get(column, set()))
                for column, values in self.columns.items()
            ),
        )

    def told(self, finding: Finding) -> dict[str, str]:
        """The values of a finding by column: those of its reference span, or where there is none of the predicted."""
        mark = finding.marks[0]
        values = {column: own.of_mark(mark, finding.text) for column, own in self.properties.items()}
        if FREQUENCY in self.columns:
            values[FREQUENCY] = self._frequency(mark.label) or SPANS[0][0]
        return {column: values[column] for column in self.columns}

    def _whole(self, sums: Sums) -> Sums:
        for part in sums.parts:
            if part not in SIDES:
                sums = sums.without(part)
        return sums

    def _sliced(self, sums: Sums) -> Iterator[tuple[str, list[str], tuple[Ints, Ints]]]:
        """Columns, the values that occur, and per side each cell's place among them, -1 for none: (cells,)."""
        for column, order in self.columns.items():
            if column == FREQUENCY:
                names = [[self._frequency(name) for name in sums.names(side)] for side in SIDES]
            else:
                names = [list(sums.names(f"{side}_{column}")) for side in SIDES]
            values = [value for value in order if any(value in side for side in names)]
            place: dict[Name, int] = {None: -1} | {value: k for k, value in enumerate(values)}
            reference, predicted = (np.array([place[name] for name in side], np.int64) for side in names)
            yield column, values, (reference, predicted)

    def _frequency(self, label: Name) -> Name:
        return None if label is None else self.frequency.get(label, SPANS[0][0])


OF_TOKENS = 2  # columns of a file with one side: of the token and the tag


def columns_of_spans(
    batches: Iterable[SpanPairs],
    wanted: Wanted,
) -> tuple[Iterable[SpanPairs], tuple[str, ...], Wanted]:
    """Which columns are properties of spans, and not of documents: a column of the data comes first.

    Args:
        batches: documents.
        wanted: what is wanted.

    Returns:
        The same batches, these columns, and what is wanted of documents.
    """
    names = [name for name in wanted.by if name in COLUMNS and name not in wanted.given]
    if not names:
        return batches, (), wanted
    rest = iter(batches)
    first = next(rest, None)
    if first is None:
        return (), (), wanted
    of_spans = tuple(name for name in names if not has_column(first, name))
    others = tuple(name for name in wanted.by if name not in of_spans)
    return chain((first,), rest), of_spans, replace(wanted, by=others)


def sliced(
    metric: Metric[SpanPairs],
    columns: Sequence[str],
    pairs: Pairs,
    training: Iterable[SpanPairs] | None,
) -> SlicedEntities:
    """The metric by properties of spans.

    Args:
        metric: the default one.
        columns: the properties.
        pairs: the input.
        training: the training data.

    Raises:
        UsageError: it is the metric of a profile; or seen names are meant, and there is no training data, or no text.
    """
    if not isinstance(metric, NamedEntities):
        raise UsageError(f"A profile counts spans in its own way, and not by {', '.join(columns)}: leave one out.")
    properties: dict[str, Property] = {}
    if LENGTH in columns:
        properties[LENGTH] = Length(CHARACTERS if pairs.characters else TOKENS)
    if SEEN in columns:
        if training is None or not pairs.has_text:
            missing = "the training data: --training FILE (training=...)" if training is None else "texts: give files"
            raise UsageError(f"Which names are seen is told by {missing}.")
        properties[SEEN] = Seen.of(training)
    values = {name: own.names for name, own in properties.items()} | {FREQUENCY: [name for name, _ in SPANS]}
    return SlicedEntities(metric, {name: values[name] for name in columns}, properties)


def trained_on(training: Any, layout: Layout) -> Pairs:
    """The training data, read like the reference.

    Args:
        training: its path.
        layout: how the reference is read.

    Raises:
        UsageError: it is no path.
    """
    columns = None if layout.columns is None else layout.columns[:OF_TOKENS]
    return opened(
        training,
        training,
        replace(layout, columns=columns, prediction_format=None, progress=None, attributes=()),
    )


def spans_of(training: Pairs, scheme: str) -> Iterable[SpanPairs]:
    """The spans of the training data.

    Raises:
        DataError: it cannot be read.
    """
    return read(training, scheme if training.tags is not None else AUTO, None, None).spans


def known_of(pairs: Pairs) -> Known[SpanPairs]:
    """What is known of documents with spans."""

    def columns() -> Iterable[str]:
        return (*pairs.columns(), *COLUMNS)

    def lengths(batch: SpanPairs) -> Sequence[int | None]:
        if batch.tokens is not None:
            return [*batch.tokens.total.tolist()]
        return [None if text is None else len(text) for text in texts(batch)]

    def texts(batch: SpanPairs) -> Sequence[str | None]:
        passages = (batch.origin.passage(row) if pairs.has_text else None for row in range(len(batch.documents)))
        return [None if passage is None else passage.text for passage in passages]

    return Known(columns, texts, lengths, reference=None if held_alone(pairs.sources) else digest_spans)


def digest_spans(batch: SpanPairs) -> bytes:
    """Document, bounds and label of each span of the reference."""
    spans = batch.reference
    rows = (batch.documents[spans.row], spans.start, spans.end, hash_labels(batch.labels)[spans.label])
    return np.column_stack(rows).tobytes()
