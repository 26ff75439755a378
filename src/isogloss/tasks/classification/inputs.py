"""Open labelled documents, split them into batches, and warn about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from isogloss.errors import DataError, UsageError
from isogloss.kernel.provenance import ColumnProvenance, Provenance, RunWarning, Side, TextExcerpt
from isogloss.records.json_fields import list_columns
from isogloss.records.shards import open_sides, open_source
from isogloss.records.sources import Progress, Source, is_path
from isogloss.records.tabular import open_rows
from isogloss.runs.run_json import InputFile
from isogloss.tasks.classification import metric
from isogloss.tasks.classification.label_matrix import GoldTable, LabelledDocuments
from isogloss.tasks.classification.reading import LABEL_SHAPE, read_lists, read_one_file, read_two_files
from isogloss.tasks.document_columns import list_input_files

UNSAID = "gold-unsaid"
TIED = "scores-tied"
UNDEFINED = "ranking-undefined"
BLOCK = 1 << 16  # documents that are counted at a time


@dataclass(frozen=True, eq=False)
class ClassificationInput:
    """Input of one system, which is read when it is scored.

    Args:
        system: name of the system: the path of the prediction as given, or `scores`.
        read: reads the documents; the argument is whether to keep their texts.
        sources: the files, by role.
        columns: returns the columns of the documents, judged by the first rows.
    """

    system: str
    read: Callable[[bool], GoldTable]
    sources: tuple[tuple[str, Source], ...] = ()
    columns: Callable[[], Iterable[str]] = tuple

    def list_input_files(self) -> tuple[InputFile, ...]:
        """Return the input files; those already read have a digest."""
        return list_input_files(self.sources)


def open_classification_input(
    gold: Any,
    scores: Any,
    labels: Sequence[str] | None = None,
    progress: Progress | None = None,
    attributes: Sequence[str] = (),
) -> ClassificationInput:
    """Open the reference and the prediction of one system.

    Args:
        gold: a path or source, or a list of documents.
        scores: a path or source, or a list of documents; None if the file of the reference has the scores too.
        labels: labels of the columns of arrays.
        progress: called with the number of bytes read.
        attributes: additional columns of the documents to read.

    Raises:
        UsageError: if one side is a path and the other a list, or `labels` are given for files.
        DataError: if a file cannot be read, or is a malformed table or JSON.
    """
    if not is_path(gold) and not is_path(scores):
        if scores is None:
            raise UsageError("Give the scores beside the gold, or one path to JSON lines with both.")
        return ClassificationInput("scores", lambda _: read_lists(gold, scores, labels))
    if labels is not None:
        raise UsageError("labels are the names of an array's columns; files name their labels themselves.")
    if not is_path(gold) or not (scores is None or is_path(scores)):
        raise UsageError("Give two paths or two lists: a path and a list cannot be compared.")
    sides = (open_source(gold),) if scores is None else open_sides(gold, scores)
    own, *others = (open_rows(side, LABEL_SHAPE) for side in sides)
    how: dict[str, Any] = {"progress": progress, "attributes": attributes}
    if not others:
        both = (("reference", own), ("prediction", own))
        return ClassificationInput(
            own.name, lambda texts: read_one_file(own, texts=texts, **how), both, lambda: list_columns(own)
        )
    (other,) = others
    files = (("reference", own), ("prediction", other))
    return ClassificationInput(
        other.name,
        lambda texts: read_two_files(own, other, texts=texts, **how),
        files,
        lambda: (name for source in (own, other) for name in list_columns(source)),
    )


def check_single_labels(table: LabelledDocuments) -> LabelledDocuments:
    """Check that each document has at most one label.

    Unknown labels are taken as absent.

    Args:
        table: documents with their labels.

    Raises:
        DataError: if a document has several labels.
    """
    several = np.flatnonzero(np.count_nonzero(table.gold == 1, axis=1) > 1)
    if len(several):
        row = int(several[0])
        raise DataError(
            f"{len(several)} documents have several labels, but labels exclude each other",
            where=table.provenance.where(row, 0, "reference"),
            remedy="Say --multi-label (multi_label=True) where a document may have several.",
        )
    if (table.gold < 0).any():
        return replace(table, gold=np.maximum(table.gold, 0))
    return table


def split_documents(table: LabelledDocuments) -> Iterable[LabelledDocuments]:
    """Split documents into batches that fit the processor's cache."""
    for first in range(0, len(table.documents), BLOCK):
        at = slice(first, first + BLOCK)
        yield replace(
            table,
            documents=table.documents[at],
            gold=table.gold[at],
            scores=None if table.scores is None else table.scores[at],
            chosen=None if table.chosen is None else table.chosen[at],
            provenance=_ShiftedProvenance(table.provenance, first),
            warnings=table.warnings if first == 0 else (),
        )


@dataclass(frozen=True)
class _ShiftedProvenance:
    """Provenance of the documents of a batch.

    Args:
        provenance: provenance of all documents.
        first: position of the first document of the batch.
    """

    provenance: Provenance
    first: int

    def name(self, row: int) -> str:
        """Return the name of a document."""
        return self.provenance.name(self.first + row)

    def where(self, row: int, position: int, side: Side) -> str:
        """Return the place of a document."""
        return self.provenance.where(self.first + row, position, side)

    def get_excerpt(self, row: int) -> TextExcerpt | None:
        """Return the text of a document."""
        return self.provenance.get_excerpt(self.first + row)

    def value(self, row: int, column: str) -> str | None:
        """Return the value of a column."""
        return (
            self.provenance.value(self.first + row, column) if isinstance(self.provenance, ColumnProvenance) else None
        )


def find_input_warnings(table: LabelledDocuments, *, multi_label: bool) -> Iterable[RunWarning]:
    """Yield warnings about unknown labels, tied scores and undefined areas."""
    unsaid = table.gold < 0
    if unsaid.any():
        first = table.provenance.where(int(unsaid.any(axis=1).argmax()), 0, "reference")
        message = "labels of documents have no gold value and are left out for these documents."
        yield RunWarning(UNSAID, message, int(np.count_nonzero(unsaid)), first)
    if table.scores is None:
        return
    equal = np.zeros(0, np.bool_) if multi_label else metric.find_ties(table)
    if equal.any():
        message = "documents have several labels with the highest score; the first by name is taken."
        first = table.provenance.where(int(equal.argmax()), 0, "predicted")
        yield RunWarning(TIED, message, int(np.count_nonzero(equal)), first)
    undefined = _list_one_sided_labels(table)
    if undefined:
        message = f"ROC-AUC is undefined for labels that all documents have, or none: {', '.join(undefined)}."
        yield RunWarning(UNDEFINED, message)


def _list_one_sided_labels(table: LabelledDocuments) -> list[str]:
    """List the labels that all documents have, or none has."""
    one_sided = []
    for label, gold in zip(table.labels, table.gold.T, strict=True):
        had, without = np.count_nonzero(gold == 1), np.count_nonzero(gold == 0)
        if not had or not without:
            one_sided.append(label)
    return sorted(one_sided)
