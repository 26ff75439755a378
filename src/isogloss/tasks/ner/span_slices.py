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
from isogloss.kernel.counts import CellName, Counts
from isogloss.kernel.findings import Finding, Mark
from isogloss.kernel.metric import Metric, ScoreView
from isogloss.kernel.scores import Ints, Proportions, Scores
from isogloss.kernel.sums import Sums
from isogloss.spans.batches import SpanPairs, Spans
from isogloss.spans.scheme_detection import AUTO
from isogloss.tasks.document_columns import DocumentFacts, has_column
from isogloss.tasks.ner.events import SpanEvents
from isogloss.tasks.ner.inputs import ReadingOptions, SpanInput, open_ner_input
from isogloss.tasks.ner.metric import (
    NER_SCHEMAS,
    NamedEntities,
    count_event_kinds,
    name_by_side,
    select_span_proportions,
    sum_by_label,
    to_outcomes,
)
from isogloss.tasks.ner.reading import read_spans
from isogloss.tasks.reference_digest import has_own_file, hash_labels
from isogloss.tasks.scoring_options import ScoringOptions

LENGTH_COLUMN, FREQUENCY_COLUMN, SEEN_COLUMN = "entity_length", "label_frequency", "seen"
SPAN_COLUMNS = (LENGTH_COLUMN, FREQUENCY_COLUMN, SEEN_COLUMN)
TOKEN_CLASSES = (("1", 1), ("2", 2), ("3", 3), ("4", 4), ("5+", None))
CHARACTER_CLASSES = (("1-5", 5), ("6-10", 10), ("11-20", 20), ("21-50", 50), (">50", None))
FREQUENCY_CLASSES = (("0", 0), ("1-10", 10), ("11-100", 100), ("101-1000", 1000), (">1000", None))
SEEN_VALUES = ("seen", "other_label", "unseen")
SizeClasses = Sequence[tuple[str, int | None]]  # names, and the highest number of each


class SpanProperty(Protocol):
    """What tells the value that a span has in a column."""

    @property
    def names(self) -> Sequence[str]:
        """The values, in their order."""

    def classify_spans(self, batch: SpanPairs, spans: Spans) -> Ints:
        """(spans,) position of the value of each span in `names`."""

    def classify_mark(self, mark: Mark, text: str | None) -> str:
        """The value of a span of a finding with this text."""


@dataclass(frozen=True)
class SpanLength:
    """How long spans are.

    Args:
        classes: their names, and how long spans of each are at most.
    """

    classes: SizeClasses

    @property
    def names(self) -> Sequence[str]:
        """The classes."""
        return [name for name, _ in self.classes]

    def classify_spans(self, batch: SpanPairs, spans: Spans) -> Ints:  # noqa: ARG002  as `Property` asks
        """(spans,) the class of each."""
        return np.searchsorted(_list_limits(self.classes), spans.end - spans.start).astype(np.int64)

    def classify_mark(self, mark: Mark, text: str | None) -> str:  # noqa: ARG002  likewise
        """The class of a span."""
        return name_size_class(mark.end - mark.start, self.classes)


@dataclass(frozen=True)
class SeenInTraining:
    """Whether training data has spans.

    Args:
        labels_of: the labels that each text of its spans has.
    """

    labels_by_surface: Mapping[str, frozenset[str]]

    @classmethod
    def from_training(cls, training: Iterable[SpanPairs]) -> SeenInTraining:
        """What the reference spans of some documents say.

        Raises:
            UsageError: they have no text.
        """
        found: dict[str, set[str]] = defaultdict(set)
        for batch in training:
            for surface, label in zip(
                _read_surfaces(batch, batch.reference), batch.reference.label.tolist(), strict=True
            ):
                found[surface].add(batch.labels[label])
        return cls({surface: frozenset(labels) for surface, labels in found.items()})

    @property
    def names(self) -> Sequence[str]:
        """What there is to say."""
        return SEEN_VALUES

    def classify_spans(self, batch: SpanPairs, spans: Spans) -> Ints:
        """(spans,) what is to be said of each.

        Raises:
            UsageError: a document has no text.
        """
        labels = (batch.labels[label] for label in spans.label.tolist())
        pairs = zip(_read_surfaces(batch, spans), labels, strict=True)
        return np.array([self._classify_surface(surface, label) for surface, label in pairs], np.int64)

    def classify_mark(self, mark: Mark, text: str | None) -> str:
        """What is to be said of a span."""
        return SEEN_VALUES[
            self._classify_surface(_normalize_spaces((text or "")[mark.text_start : mark.text_end]), mark.label or "")
        ]

    def _classify_surface(self, surface: str, label: str) -> int:
        labels = self.labels_by_surface.get(surface)
        return 2 if labels is None else int(label not in labels)


def name_size_class(number: int, classes: SizeClasses) -> str:
    """The class that a number falls into."""
    return classes[bisect_left(_list_limits(classes), number)][0]


def _list_limits(classes: SizeClasses) -> list[int]:
    return [highest for _, highest in classes if highest is not None]


def _read_surfaces(batch: SpanPairs, spans: Spans) -> Iterator[str]:
    """The text of each span."""
    shown, passage = -1, None
    for row, start, end in zip(spans.row.tolist(), spans.start.tolist(), spans.end.tolist(), strict=True):
        if row != shown:
            shown, passage = row, batch.origin.passage(row)
        if passage is None:
            where = batch.origin.where(row, start, "reference")
            raise UsageError(f"{where}: the document has no text, so that nobody can say whether its names are seen.")
        yield _normalize_spaces(passage.text[slice(*passage.locate_span(start, end))])


def _normalize_spaces(text: str) -> str:
    return " ".join(text.split())


CELL_SIDES = ("reference", "predicted")


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
    properties: Mapping[str, SpanProperty] = field(default_factory=dict)
    frequency: Mapping[str, str] = field(default_factory=dict)
    whole: bool = True

    def count(self, batch: SpanPairs) -> Counts:
        """The events of a batch with the values of both sides, and its tokens where it has tags."""
        events = SpanEvents.from_batch(batch)
        more = {}
        for column, own in self.properties.items():
            sides = (batch.reference, events.reference), (batch.predicted, events.predicted)
            for side, (spans, of_event) in zip(CELL_SIDES, sides, strict=True):
                codes = np.append(own.classify_spans(batch, spans), -1)  # (spans + 1,) the last is what -1 stands for
                more[f"{side}_{column}"] = (codes[of_event], own.names)
        return self.base.count_events(batch, events, more)

    def with_frequency(self, sums: Sums) -> SlicedEntities:
        """The same, where the classes of labels are those of these sums."""
        if FREQUENCY_COLUMN not in self.columns:
            return self
        spans = count_event_kinds(sums).sum(axis=-1).tolist()
        total: dict[str, int] = {}
        for name, number in zip(sums.get_names("reference"), spans, strict=True):
            if name is not None:
                total[name] = total.get(name, 0) + number
        return replace(
            self, frequency={name: name_size_class(number, FREQUENCY_CLASSES) for name, number in sorted(total.items())}
        )

    def to_metric_arguments(self) -> dict[str, Any]:
        """What JSON keeps of it, to score what was counted without the texts."""
        return {
            "columns": {column: list(values) for column, values in self.columns.items()},
            "frequency": dict(self.frequency),
        }

    def overall(self, sums: Sums) -> Scores:
        """Those of the metric."""
        return self.base.overall(self._sum_without_slices(sums)) if self.whole else {}

    def score(self, sums: Sums) -> Scores:
        """The scores of the metric, and as `slices.COLUMN.VALUE.…` those of spans with a value."""
        scores = self.base.score(self._sum_without_slices(sums)) if self.whole else {}
        kinds = count_event_kinds(sums)  # (..., cells, kinds)
        for column, values, codes in self._list_slices(sums):
            reference, predicted = (sum_by_label(kinds, code, len(values)) for code in codes)  # (..., values, kinds)
            for schema in NER_SCHEMAS:
                sides = to_outcomes(reference, schema), to_outcomes(predicted, schema)
                figures = self.base.compute_figures(*sides) | name_by_side(*sides)
                for k, value in enumerate(values):
                    place = ("slices", column, value, schema)
                    scores |= {(*place, name): figure[..., k] for name, figure in figures.items()}
        return scores

    def confusion(self, sums: Sums) -> dict[tuple[CellName, CellName], int]:
        """That of the metric."""
        return self.base.confusion(self._sum_without_slices(sums))

    def proportions(self, sums: Sums) -> Proportions:
        """Those of the metric, and precision and recall of spans with a value."""
        return select_span_proportions(self.score(sums))

    def cells_of_slices(self, sums: Sums) -> dict[tuple[str, str], NDArray[np.bool_]]:
        """(cells,) which cells have a span with a value, by column and value."""
        return {
            (column, value): (codes[0] == k) | (codes[1] == k)
            for column, values, codes in self._list_slices(sums)
            for k, value in enumerate(values)
        }

    def views(self) -> tuple[ScoreView, ...]:
        """All spans, and those by each property: neither needs the parts of the others."""
        parts = {
            column: {f"{side}_{column}" for side in CELL_SIDES} for column in self.columns if column != FREQUENCY_COLUMN
        }
        every = frozenset[str]().union(*parts.values())
        return (
            ScoreView(self.base, every),
            *(
                ScoreView(replace(self, columns={column: values}, whole=False), every - parts.get(column, set()))
                for column, values in self.columns.items()
            ),
        )

    def list_slice_values(self, finding: Finding) -> dict[str, str]:
        """The values of a finding by column: those of its reference span, or where there is none of the predicted."""
        mark = finding.marks[0]
        values = {column: own.classify_mark(mark, finding.text) for column, own in self.properties.items()}
        if FREQUENCY_COLUMN in self.columns:
            values[FREQUENCY_COLUMN] = self._classify_frequency(mark.label) or FREQUENCY_CLASSES[0][0]
        return {column: values[column] for column in self.columns}

    def _sum_without_slices(self, sums: Sums) -> Sums:
        for part in sums.parts:
            if part not in CELL_SIDES:
                sums = sums.drop_part(part)
        return sums

    def _list_slices(self, sums: Sums) -> Iterator[tuple[str, list[str], tuple[Ints, Ints]]]:
        """Columns, the values that occur, and per side each cell's place among them, -1 for none: (cells,)."""
        for column, order in self.columns.items():
            if column == FREQUENCY_COLUMN:
                names = [[self._classify_frequency(name) for name in sums.get_names(side)] for side in CELL_SIDES]
            else:
                names = [list(sums.get_names(f"{side}_{column}")) for side in CELL_SIDES]
            values = [value for value in order if any(value in side for side in names)]
            place: dict[CellName, int] = {None: -1} | {value: k for k, value in enumerate(values)}
            reference, predicted = (np.array([place[name] for name in side], np.int64) for side in names)
            yield column, values, (reference, predicted)

    def _classify_frequency(self, label: CellName) -> CellName:
        return None if label is None else self.frequency.get(label, FREQUENCY_CLASSES[0][0])


ONE_SIDE_COLUMNS = 2  # columns of a file with one side: of the token and the tag


def split_span_columns(
    batches: Iterable[SpanPairs],
    options: ScoringOptions,
) -> tuple[Iterable[SpanPairs], tuple[str, ...], ScoringOptions]:
    """Which columns are properties of spans, and not of documents: a column of the data comes first.

    Args:
        batches: documents.
        wanted: what is wanted.

    Returns:
        The same batches, these columns, and what is wanted of documents.
    """
    names = [name for name in options.by if name in SPAN_COLUMNS and name not in options.caller_columns]
    if not names:
        return batches, (), options
    rest = iter(batches)
    first = next(rest, None)
    if first is None:
        return (), (), options
    of_spans = tuple(name for name in names if not has_column(first, name))
    others = tuple(name for name in options.by if name not in of_spans)
    return chain((first,), rest), of_spans, replace(options, by=others)


def make_sliced_metric(
    metric: Metric[SpanPairs],
    columns: Sequence[str],
    span_input: SpanInput,
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
    properties: dict[str, SpanProperty] = {}
    if LENGTH_COLUMN in columns:
        properties[LENGTH_COLUMN] = SpanLength(CHARACTER_CLASSES if span_input.by_characters else TOKEN_CLASSES)
    if SEEN_COLUMN in columns:
        if training is None or not span_input.has_text:
            missing = "the training data: --training FILE (training=...)" if training is None else "texts: give files"
            raise UsageError(f"Which names are seen is told by {missing}.")
        properties[SEEN_COLUMN] = SeenInTraining.from_training(training)
    values = {name: own.names for name, own in properties.items()} | {
        FREQUENCY_COLUMN: [name for name, _ in FREQUENCY_CLASSES]
    }
    return SlicedEntities(metric, {name: values[name] for name in columns}, properties)


def open_training_data(training: Any, options: ReadingOptions) -> SpanInput:
    """The training data, read like the reference.

    Args:
        training: its path.
        layout: how the reference is read.

    Raises:
        UsageError: it is no path.
    """
    columns = None if options.columns is None else options.columns[:ONE_SIDE_COLUMNS]
    return open_ner_input(
        training,
        training,
        replace(options, columns=columns, prediction_format=None, progress=None, attributes=()),
    )


def read_training_spans(training: SpanInput, scheme: str) -> Iterable[SpanPairs]:
    """The spans of the training data.

    Raises:
        DataError: it cannot be read.
    """
    return read_spans(training, scheme if training.read_tags is not None else AUTO, None, None).spans


def build_span_facts(span_input: SpanInput) -> DocumentFacts[SpanPairs]:
    """What is known of documents with spans."""

    def columns() -> Iterable[str]:
        return (*span_input.columns(), *SPAN_COLUMNS)

    def lengths(batch: SpanPairs) -> Sequence[int | None]:
        if batch.tokens is not None:
            return [*batch.tokens.total.tolist()]
        return [None if text is None else len(text) for text in texts(batch)]

    def texts(batch: SpanPairs) -> Sequence[str | None]:
        passages = (batch.origin.passage(row) if span_input.has_text else None for row in range(len(batch.documents)))
        return [None if passage is None else passage.text for passage in passages]

    return DocumentFacts(
        columns, texts, lengths, digest_reference=None if has_own_file(span_input.sources) else digest_spans
    )


def digest_spans(batch: SpanPairs) -> bytes:
    """Document, bounds and label of each span of the reference."""
    spans = batch.reference
    rows = (batch.documents[spans.row], spans.start, spans.end, hash_labels(batch.labels)[spans.label])
    return np.column_stack(rows).tobytes()
