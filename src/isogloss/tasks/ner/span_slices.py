"""Slices of named entities by properties of spans.

The properties are length, label frequency, and occurrence in training data.

Definition
    1. `entity_length` is the number of tokens of a span: 1, 2, 3, 4 or 5+. If offsets count code points of a text, it
       is the number of code points: 1-5, 6-10, 11-20, 21-50 or >50.
    2. `label_frequency` is the number of reference spans with the label of a span: 0, 1-10, 11-100, 101-1000 or >1000.
       It is counted over the whole corpus, and resamples keep it.
    3. `seen` tells whether the training data has the text of the span with the same label (`seen`), with other labels
       only (`other_label`), or not as a name (`unseen`). Texts are compared as they are, except for the kind of white
       space.
    4. Each side of a pair has its own values: precision is over the predicted spans with a value, recall over the
       reference spans with a value. Over the values of a column, the spans of each side add up to all spans.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import UsageError
from isogloss.kernel.counts import CellName, Counts
from isogloss.kernel.findings import Finding, Mark
from isogloss.kernel.metric import Metric, ScoreView
from isogloss.kernel.scores import Ints, Scores
from isogloss.kernel.sums import Sums
from isogloss.spans.batches import SpanPairs, Spans
from isogloss.spans.label_map import LabelMap
from isogloss.spans.scheme_detection import AUTO
from isogloss.tasks.document_columns import (
    DocumentFacts,
    add_slices,
    has_column,
    has_own_file,
    hash_labels,
    read_document_texts,
)
from isogloss.tasks.ner.inputs import ReadingOptions, SpanInput, open_ner_input
from isogloss.tasks.ner.levels import LeveledMetric
from isogloss.tasks.ner.metric import (
    HALF_POINT_GROUPS,
    NER_SCHEMAS,
    NamedEntities,
    count_event_kinds,
    name_by_side,
    name_figures,
    sum_by_label,
    to_outcomes,
)
from isogloss.tasks.ner.reading import read_spans
from isogloss.tasks.scoring_options import ScoringOptions

LENGTH_COLUMN, FREQUENCY_COLUMN, SEEN_COLUMN = "entity_length", "label_frequency", "seen"
SPAN_COLUMNS = (LENGTH_COLUMN, FREQUENCY_COLUMN, SEEN_COLUMN)
TOKEN_CLASSES = (("1", 1), ("2", 2), ("3", 3), ("4", 4), ("5+", None))
CHARACTER_CLASSES = (("1-5", 5), ("6-10", 10), ("11-20", 20), ("21-50", 50), (">50", None))
FREQUENCY_CLASSES = (("0", 0), ("1-10", 10), ("11-100", 100), ("101-1000", 1000), (">1000", None))
SEEN_VALUES = ("seen", "other_label", "unseen")
SizeClasses = Sequence[tuple[str, int | None]]  # name and highest number of each class


@dataclass(frozen=True)
class SpanLength:
    """The length of spans in classes.

    Args:
        classes: name and maximum length of each class.
    """

    classes: SizeClasses

    @property
    def names(self) -> Sequence[str]:
        """The names of the classes."""
        return [name for name, _ in self.classes]

    def classify_spans(self, batch: SpanPairs, spans: Spans) -> Ints:  # noqa: ARG002  the signature of `SeenInTraining`
        """Return the class of each span: (spans,)."""
        return np.searchsorted(_list_limits(self.classes), spans.end - spans.start).astype(np.int64)

    def classify_mark(self, mark: Mark, text: str | None) -> str:  # noqa: ARG002  the signature of `SeenInTraining`
        """Return the class of a span of a finding."""
        return name_size_class(mark.end - mark.start, self.classes)


@dataclass(frozen=True)
class SeenInTraining:
    """Whether the training data has a span.

    Args:
        labels_by_surface: the labels of each span text in the training data.
    """

    labels_by_surface: Mapping[str, frozenset[str]]

    @classmethod
    def from_training(cls, training: Iterable[SpanPairs]) -> SeenInTraining:
        """Collect the reference spans of training data.

        Args:
            training: spans of the training data, in batches.

        Raises:
            UsageError: if a document has no text.
        """
        labels_by_surface: dict[str, set[str]] = defaultdict(set)
        for batch in training:
            for surface, label in zip(
                _read_surfaces(batch, batch.reference), batch.reference.label.tolist(), strict=True
            ):
                labels_by_surface[surface].add(batch.labels[label])
        return cls({surface: frozenset(labels) for surface, labels in labels_by_surface.items()})

    @property
    def names(self) -> Sequence[str]:
        """The values `seen`, `other_label` and `unseen`."""
        return SEEN_VALUES

    def classify_spans(self, batch: SpanPairs, spans: Spans) -> Ints:
        """Return the value of each span: (spans,).

        Args:
            batch: documents with texts.
            spans: spans of one side of the batch.

        Raises:
            UsageError: if a document has no text.
        """
        labels = (batch.labels[label] for label in spans.label.tolist())
        pairs = zip(_read_surfaces(batch, spans), labels, strict=True)
        return np.array([self._classify_surface(surface, label) for surface, label in pairs], np.int64)

    def classify_mark(self, mark: Mark, text: str | None) -> str:
        """Return the value of a span of a finding."""
        return SEEN_VALUES[
            self._classify_surface(_normalize_spaces((text or "")[mark.text_start : mark.text_end]), mark.label or "")
        ]

    def _classify_surface(self, surface: str, label: str) -> int:
        labels = self.labels_by_surface.get(surface)
        return 2 if labels is None else int(label not in labels)


SpanProperty = SpanLength | SeenInTraining  # its values are those of a slice column


def name_size_class(number: int, classes: SizeClasses) -> str:
    """Return the name of the class of a number."""
    return classes[bisect_left(_list_limits(classes), number)][0]


def _list_limits(classes: SizeClasses) -> list[int]:
    return [highest for _, highest in classes if highest is not None]


def _read_surfaces(batch: SpanPairs, spans: Spans) -> Iterator[str]:
    """Yield the text of each span with normalized spaces."""
    latest, excerpt = -1, None
    for row, start, end in zip(spans.row.tolist(), spans.start.tolist(), spans.end.tolist(), strict=True):
        if row != latest:
            latest, excerpt = row, batch.provenance.get_excerpt(row)
        if excerpt is None:
            where = batch.provenance.where(row, start, "reference")
            raise UsageError(f"{where}: --by seen needs texts, and the document has no text. Add texts to the file.")
        yield _normalize_spaces(excerpt.text[slice(*excerpt.locate_span(start, end))])


def _normalize_spaces(text: str) -> str:
    return " ".join(text.split())


CELL_SIDES = ("reference", "predicted")


@dataclass(frozen=True)
class SlicedEntities:
    """The metric of named entities, sliced by properties of spans.

    Args:
        base: the metric without slices.
        columns: the values of each column, in order.
        properties: properties for the columns that are parts of cells; needed for counting only.
        frequency: the class of each label for `label_frequency`; other labels have the first class.
        whole: whether the scores over all spans are included.
    """

    base: NamedEntities
    columns: Mapping[str, Sequence[str]]
    properties: Mapping[str, SpanProperty] = field(default_factory=dict)
    frequency: Mapping[str, str] = field(default_factory=dict)
    whole: bool = True
    half_point_groups: ClassVar[frozenset[str]] = HALF_POINT_GROUPS

    def count(self, batch: SpanPairs) -> Counts:
        """Count the events of a batch by slice values, and tokens.

        Events have the values of both sides. Tokens are counted if the batch has tags.
        """
        events = self.base.align(batch)
        more = {}
        for column, own in self.properties.items():
            sides = (batch.reference, events.reference), (batch.predicted, events.predicted)
            for side, (spans, of_event) in zip(CELL_SIDES, sides, strict=True):
                codes = np.append(own.classify_spans(batch, spans), -1)  # (spans + 1,) the last is the code of index -1
                more[f"{side}_{column}"] = (codes[of_event], own.names)
        return self.base.count_events(batch, events, more)

    def with_frequency(self, sums: Sums) -> SlicedEntities:
        """Return the metric with the frequency classes of labels in sums."""
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

    def add_frequency(self, finding: Finding) -> Finding:
        """Return a finding with the frequency class of its label.

        It stays as it is if the metric does not have the column.
        """
        if FREQUENCY_COLUMN not in self.columns:
            return finding
        return add_slices(
            finding,
            {FREQUENCY_COLUMN: self._classify_frequency(finding.marks[0].label) or FREQUENCY_CLASSES[0][0]},
        )

    def to_metric_arguments(self) -> dict[str, Any]:
        """Return JSON arguments that build a metric for scoring stored counts."""
        return {
            "columns": {column: list(values) for column, values in self.columns.items()},
            "frequency": dict(self.frequency),
        }

    def overall(self, sums: Sums) -> Scores:
        """Return the overall scores of the base metric."""
        return self.base.overall(self._sum_without_slices(sums)) if self.whole else {}

    def score(self, sums: Sums) -> Scores:
        """Return the scores of the base metric and of each slice.

        Slices have the names `slices.COLUMN.VALUE.…`.
        """
        scores = self.base.score(self._sum_without_slices(sums)) if self.whole else {}
        kinds = count_event_kinds(sums)  # (..., cells, kinds)
        for column, values, codes in self._list_slices(sums):
            reference, predicted = (sum_by_label(kinds, code, len(values)) for code in codes)  # (..., values, kinds)
            for schema in NER_SCHEMAS:
                sides = to_outcomes(reference, schema), to_outcomes(predicted, schema)
                figures = self.base.compute_figures(*sides) | name_by_side(*sides)
                scores |= name_figures(("slices", column), values, schema, figures)
        return scores

    def confusion(self, sums: Sums) -> dict[tuple[CellName, CellName], int]:
        """Return the confusion matrix of the base metric."""
        return self.base.confusion(self._sum_without_slices(sums))

    def cells_of_slices(self, sums: Sums) -> dict[tuple[str, str], NDArray[np.bool_]]:
        """Mark the cells with a span in each slice: (cells,) each.

        The marks are by column and value.
        """
        return {
            (column, value): (codes[0] == k) | (codes[1] == k)
            for column, values, codes in self._list_slices(sums)
            for k, value in enumerate(values)
        }

    def views(self) -> tuple[ScoreView, ...]:
        """Return one view over all spans and one per column.

        No view needs the cell parts of another.
        """
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
        """List the slice values of a finding.

        They are those of its reference span, if any.
        """
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
        """Yield each column, its values that occur, and the cells' values.

        The values of cells are (cells,) per side, and -1 for none.
        """
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


ONE_SIDE_COLUMNS = 2  # the token and the tag in a file with one side


def split_span_columns(
    batches: Iterable[SpanPairs],
    options: ScoringOptions,
) -> tuple[Iterable[SpanPairs], tuple[str, ...], ScoringOptions]:
    """Separate slice columns of spans from those of documents.

    A column of the data has precedence.

    Args:
        batches: documents.
        options: the requested slices.

    Returns:
        The same batches, the columns of spans, and the options with the columns of documents only.
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
    """Build the metric sliced by properties of spans.

    Args:
        metric: the default metric.
        columns: the span columns.
        span_input: the input to score.
        training: spans of the training data, None without.

    Raises:
        UsageError: if the metric is that of a profile or has levels, or `seen` is requested without training data or
            texts.
    """
    if isinstance(metric, LeveledMetric):
        raise UsageError(f"--by {', '.join(columns)} cannot be combined with parents in --labels: remove one of them.")
    if not isinstance(metric, NamedEntities):
        raise UsageError(f"--by {', '.join(columns)} cannot be combined with --profile: leave one of them out.")
    properties: dict[str, SpanProperty] = {}
    if LENGTH_COLUMN in columns:
        properties[LENGTH_COLUMN] = SpanLength(CHARACTER_CLASSES if span_input.by_characters else TOKEN_CLASSES)
    if SEEN_COLUMN in columns:
        if training is None or not span_input.has_text:
            missing = "training data: add --training FILE (training=…)" if training is None else "texts: give files"
            raise UsageError(f"--by seen needs {missing}.")
        properties[SEEN_COLUMN] = SeenInTraining.from_training(training)
    values = {name: own.names for name, own in properties.items()} | {
        FREQUENCY_COLUMN: [name for name, _ in FREQUENCY_CLASSES]
    }
    return SlicedEntities(metric, {name: values[name] for name in columns}, properties)


def open_training_data(training: Any, options: ReadingOptions) -> SpanInput:
    """Open the training data with the reading options of the reference.

    Args:
        training: path of the training data.
        options: how the reference is read.

    Raises:
        UsageError: if `training` is not a path.
    """
    columns = None if options.columns is None else options.columns[:ONE_SIDE_COLUMNS]
    return open_ner_input(
        training,
        training,
        replace(options, columns=columns, prediction_format=None, progress=None, attributes=()),
    )


def read_training_spans(training: SpanInput, scheme: str, label_map: LabelMap | None = None) -> Iterable[SpanPairs]:
    """Read the spans of the training data.

    Args:
        training: the training data.
        scheme: a tag scheme, or `auto`.
        label_map: rules for labels, those of the reference; None for none.

    Raises:
        DataError: if the training data cannot be read.
    """
    return read_spans(training, scheme if training.read_tags is not None else AUTO, None, None, label_map).spans


def build_span_facts(span_input: SpanInput) -> DocumentFacts[SpanPairs]:
    """Build how columns, lengths and texts of documents with spans are read."""

    def columns() -> Iterable[str]:
        return (*span_input.columns(), *SPAN_COLUMNS)

    def lengths(batch: SpanPairs) -> Sequence[int | None]:
        if batch.tokens is not None:
            return [*batch.tokens.total.tolist()]
        if batch.lengths is not None:
            return [*batch.lengths.tolist()]
        return [None if text is None else len(text) for text in texts(batch)]

    def texts(batch: SpanPairs) -> Sequence[str | None]:
        return read_document_texts(batch) if span_input.has_text else [None] * len(batch.documents)

    return DocumentFacts(
        columns, texts, lengths, digest_reference=None if has_own_file(span_input.sources) else digest_spans
    )


def digest_spans(batch: SpanPairs) -> bytes:
    """Return document, bounds and label of each reference span as bytes."""
    spans = batch.reference
    rows = (batch.documents[spans.row], spans.start, spans.end, hash_labels(batch.labels)[spans.label])
    return np.column_stack(rows).tobytes()
