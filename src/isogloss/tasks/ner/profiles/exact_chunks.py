"""The metric of exact chunks.

A span is correct if the other side has the same bounds and label.

Definition
    1. The spans of a document are a set on either side: (start, end, label) counts once, however often it is listed.
    2. A span is right when it is on both sides. correct = right spans, possible = reference spans, actual = predicted
       spans, missed = possible - correct, spurious = actual - correct.
    3. precision = correct / actual, recall = correct / possible, F = their weighted harmonic mean. 0/0 is 0 unless
       `zero_division` says otherwise.
    4. Macro and weighted means run over the labels of either side, undefined without any; weighted by the reference
       spans, the means of a corpus without reference spans are `zero_division`.
    5. Token accuracy is that of whole tags, O included.

Source: Tjong Kim Sang and Buchholz (2000), CoNLL-2000 shared task, and the tools that followed it.

Differences from the default definition
    1. Sets, not multisets.
    2. There is no alignment, hence no confusion of labels: a wrong span is missed and spurious.
    3. By label both sides have the same hits: `correct_reference` and `correct_predicted` are equal.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import Counts, find_run_starts
from isogloss.kernel.scores import Floats, Ints, Scores, average_defined, compute_f_measure, divide
from isogloss.kernel.sums import Sums
from isogloss.spans.batches import SpanPairs, Spans
from isogloss.spans.overlaps import encode_rows_jointly
from isogloss.tasks.ner.metric import SchemaFigures, name_figures, score_tokens

CHUNK_COLUMNS = ("correct", "reference", "predicted", "tokens_correct", "tokens_total")
NO_SPANS = Spans(*(np.zeros(0, np.int64) for _ in range(4)))


@dataclass(frozen=True, eq=False)
class JudgedSpanPairs(SpanPairs):
    """Spans of a tool that decides while reading which spans are correct.

    Args:
        correct: the spans that the tool counts as correct on both sides.
        correct_labels: the labels of the codes of `correct`; labels that are not in `labels` are not counted.
    """

    correct: Spans = field(default=NO_SPANS)
    correct_labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExactChunks:
    """The metric of exact chunks.

    Args:
        with_means: whether to compute macro and weighted means.
        beta: weight of recall in the F-measure, above 0.
        zero_division: value of 0/0.
    """

    with_means: bool = False
    beta: float = 1.0
    zero_division: float = 0.0

    def count(self, batch: SpanPairs) -> Counts:
        """Count correct, reference and predicted spans by label, and tokens.

        Tokens are counted if the batch has tags.
        """
        sides = select_distinct_spans(batch)
        blocks = [_build_rows(spans.row, spans.label, **{column: 1}) for column, spans in sides.items()]
        if batch.tokens is not None:
            none = np.full(len(batch.documents), -1)
            correct, total = batch.tokens.correct, batch.tokens.total
            blocks.append(_build_rows(np.arange(len(none)), none, tokens_correct=correct, tokens_total=total))
        row, label, values = (np.concatenate(arrays) for arrays in zip(*blocks, strict=True))
        columns = dict(zip(CHUNK_COLUMNS, values.T, strict=True))
        return Counts.build(batch.documents, columns, row=row, parts={"label": (label, batch.labels)})

    def overall(self, sums: Sums) -> Scores:
        """Return the figures over all labels, and token accuracy."""
        counted = [sums.get_column(name).sum(axis=-1) for name in CHUNK_COLUMNS]
        figures = self._compute_figures(*counted[:3]) | {"correct": counted[0]}
        scores: Scores = {("strict", name): value for name, value in figures.items()}
        if (None,) in sums.cells:
            correct, total = counted[3:]
            scores |= score_tokens(correct, total, self.zero_division)
        return scores

    def score(self, sums: Sums) -> Scores:
        """Return the overall figures, those of each label, and their means."""
        labels, at = find_label_cells(sums)
        counted = [sums.get_column(name)[..., at] for name in CHUNK_COLUMNS[:3]]  # (..., labels) each
        figures = self._compute_figures(*counted)
        named = figures | {"correct_reference": counted[0], "correct_predicted": counted[0]}
        scores = self.overall(sums) | name_figures(("by_label",), labels, "strict", named)
        return scores | (self._average_labels(figures) if self.with_means else {})

    def _compute_figures(self, correct: Ints, possible: Ints, actual: Ints) -> SchemaFigures:
        zero = self.zero_division
        figures: SchemaFigures = {
            "precision": divide(correct, actual, zero),
            "recall": divide(correct, possible, zero),
            "f1" if self.beta == 1 else "f": compute_f_measure(correct, actual, correct, possible, self.beta, zero),
            "possible": possible,
            "actual": actual,
            "missed": possible - correct,
            "spurious": actual - correct,
        }
        return figures | ({} if self.beta == 1 else {"beta": np.full(possible.shape, self.beta)})

    def _average_labels(self, figures: SchemaFigures) -> Scores:
        """Average figures (..., labels) over the labels, plainly and weighted by `possible`."""
        possible, actual = figures["possible"], figures["actual"]
        seen = possible + actual > 0
        labels = seen.sum(axis=-1)
        scores: Scores = {(group, "strict", "labels"): labels for group in ("macro", "weighted")}
        for name in list(figures)[:3]:
            values = np.where(seen, figures[name], np.nan)
            scores["macro", "strict", name] = average_defined(values, 1)[0]
            weighted = average_defined(values, possible)[0]
            scores["weighted", "strict", name] = np.where(
                possible.sum(axis=-1) > 0,
                weighted,
                self._average_without_weights(name, actual.sum(axis=-1)),
            )
        return scores

    def _average_without_weights(self, name: str, actual: Ints) -> Floats:
        """Return the weighted means of a corpus without reference spans: (...)."""
        if name == "recall":
            return np.full(actual.shape, self.zero_division)
        return np.where(actual == 0, self.zero_division, 0.0)


def find_label_cells(sums: Sums) -> tuple[list[str], list[int]]:
    """Return the labels of sums, and the positions of their cells.

    The cells of these sums are labels. The labels are ascending.
    """
    labels = sorted(name for name in sums.get_names("label") if name is not None)
    return labels, [sums.cells.index((label,)) for label in labels]


def select_distinct_spans(batch: SpanPairs) -> dict[str, Spans]:
    """Return the distinct correct, reference and predicted spans, by column."""
    codes = encode_rows_jointly(*((s.row, s.start, s.end, s.label) for s in (batch.reference, batch.predicted)))
    first = [find_run_starts(code) for code in codes]
    reference, predicted = (spans.take(at) for spans, at in zip((batch.reference, batch.predicted), first, strict=True))
    if isinstance(batch, JudgedSpanPairs):
        right = _select_correct_spans(batch)
    else:
        right = reference.take(_find_members(codes[0][first[0]], codes[1][first[1]]))
    return {"correct": right, "reference": reference, "predicted": predicted}


def _select_correct_spans(batch: JudgedSpanPairs) -> Spans:
    """Return the spans judged correct, with the label codes of the batch."""
    place = {name: code for code, name in enumerate(batch.labels)}
    code = np.array([place.get(name, -1) for name in batch.correct_labels], np.int64)[batch.correct.label]
    return replace(batch.correct, label=code).take(code >= 0)


def _find_members(values: Ints, among: Ints) -> NDArray[np.bool_]:
    """Return whether each value is among other values: (values,).

    Both arrays are ascending.
    """
    at = np.searchsorted(among, values)
    members: NDArray[np.bool_] = np.append(among, -1)[at] == values
    return members


def _build_rows(row: Ints, label: Ints, **counted: Ints | int) -> tuple[Ints, Ints, Ints]:
    """Build rows of documents, labels and counts.

    The results are (rows,), (rows,) and (rows, columns). Counts are 0 in columns not given.
    """
    values = np.zeros((len(row), len(CHUNK_COLUMNS)), np.int64)
    for column, number in counted.items():
        values[:, CHUNK_COLUMNS.index(column)] = number
    return row, label, values
