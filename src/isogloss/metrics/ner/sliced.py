"""The default metric of named entities, also by properties of their spans (`isogloss.metrics.ner.spans`).

A cell has, beside its two labels, the value of either side in each column: `reference_entity_length` and
`predicted_entity_length`. The figures over all spans are those of the metric without these parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.batches import SpanPairs
from isogloss.counts import Counts, Name, Sums
from isogloss.findings import Finding
from isogloss.metric import View
from isogloss.metrics.ner.definition import SCHEMAS, NamedEntities, by_code, kinds_of, outcomes_of, sided
from isogloss.metrics.ner.events import Events
from isogloss.metrics.ner.proportions import of_spans
from isogloss.metrics.ner.spans import FREQUENCY, SPANS, Property, class_of
from isogloss.scores import Ints, Proportions, Scores

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
