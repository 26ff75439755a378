"""Labelled documents as input: where they come from, in pieces that can be counted, and what is to be said of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from isogloss.errors import DataError, UsageError
from isogloss.kernel.provenance import ColumnProvenance, Provenance, RunWarning, Side, TextExcerpt
from isogloss.records.json_fields import list_columns
from isogloss.records.sources import Progress, Source, is_path
from isogloss.records.tabular import open_rows
from isogloss.runs.run_json import InputFile
from isogloss.tasks.classification import metric
from isogloss.tasks.classification.label_matrix import LabelledDocuments, Read
from isogloss.tasks.classification.reading import LABEL_SHAPE, listed, paired, scored

UNSAID = "gold-unsaid"
TIED = "scores-tied"
UNDEFINED = "ranking-undefined"
BLOCK = 1 << 16  # documents that are counted at a time


@dataclass(frozen=True, eq=False)
class Documents:
    """An input that is read when it is scored.

    Args:
        system: what is scored: the prediction's path as given, or `scores`.
        read: gives its table; with the texts of documents where they are wanted.
        sources: the files, by role.
        columns: the columns of its documents, as far as the first rows tell.
    """

    system: str
    read: Callable[[bool], Read]
    sources: tuple[tuple[str, Source], ...] = ()
    columns: Callable[[], Iterable[str]] = tuple

    def inputs(self) -> tuple[InputFile, ...]:
        """The files with the digests that the pass over them has left."""
        return tuple(InputFile(role, source.name, source.sha256 or "") for role, source in self.sources)


def opened(
    gold: Any,
    scores: Any,
    labels: Sequence[str] | None = None,
    progress: Progress | None = None,
    attributes: Sequence[str] = (),
) -> Documents:
    """The input that the arguments stand for.

    Args:
        gold: a path or source, or a list of documents.
        scores: likewise; None when the file has the scores too.
        labels: what the columns of arrays stand for.
        progress: called now and then with the bytes read.
        attributes: columns of documents that are wanted beside.

    Raises:
        UsageError: a path and a list, or names of columns where there are none.
        DataError: a file cannot be read, or is a table or JSON that cannot be read as one.
    """
    if not is_path(gold) and not is_path(scores):
        if scores is None:
            raise UsageError("Give the scores beside the gold, or one path to JSON lines with both.")
        return Documents("scores", lambda _: listed(gold, scores, labels))
    if labels is not None:
        raise UsageError("labels are the names of an array's columns; files name their labels themselves.")
    if not is_path(gold) or not (scores is None or is_path(scores)):
        raise UsageError("Give two paths or two lists: a path and a list cannot be compared.")
    own = open_rows(gold if isinstance(gold, Source) else Source(gold), LABEL_SHAPE)
    how: dict[str, Any] = {"progress": progress, "attributes": attributes}
    if scores is None:
        both = (("reference", own), ("prediction", own))
        return Documents(own.name, lambda texts: scored(own, texts=texts, **how), both, lambda: list_columns(own))
    other = open_rows(scores if isinstance(scores, Source) else Source(scores), LABEL_SHAPE)
    sides = (("reference", own), ("prediction", other))
    return Documents(
        other.name,
        lambda texts: paired(own, other, texts=texts, **how),
        sides,
        lambda: (name for source in (own, other) for name in list_columns(source)),
    )


def one_label_each(table: LabelledDocuments) -> LabelledDocuments:
    """Documents with one label or none.

    Args:
        table: documents with their labels.

    Raises:
        DataError: one has several.
    """
    several = np.flatnonzero(np.count_nonzero(table.gold == 1, axis=1) > 1)
    if len(several):
        row = int(several[0])
        raise DataError(
            f"{len(several)} documents have several labels, but labels exclude each other",
            where=table.origin.where(row, 0, "reference"),
            remedy="Say --multi-label (multi_label=True) where a document may have several.",
        )
    if (table.gold < 0).any():
        return replace(table, gold=np.maximum(table.gold, 0))
    return table


def blocks(table: LabelledDocuments) -> Iterable[LabelledDocuments]:
    """The same documents in pieces that fit the processor's cache."""
    for first in range(0, len(table.documents), BLOCK):
        at = slice(first, first + BLOCK)
        yield replace(
            table,
            documents=table.documents[at],
            gold=table.gold[at],
            scores=None if table.scores is None else table.scores[at],
            chosen=None if table.chosen is None else table.chosen[at],
            origin=_Later(table.origin, first),
            warnings=table.warnings if first == 0 else (),
        )


@dataclass(frozen=True)
class _Later:
    """Where the documents of a piece come from.

    Args:
        origin: of all documents.
        first: position of the first of the piece.
    """

    origin: Provenance
    first: int

    def name(self, row: int) -> str:
        """What the user calls the document."""
        return self.origin.name(self.first + row)

    def where(self, row: int, position: int, side: Side) -> str:
        """Its place."""
        return self.origin.where(self.first + row, position, side)

    def get_excerpt(self, row: int) -> TextExcerpt | None:
        """Its text."""
        return self.origin.get_excerpt(self.first + row)

    def value(self, row: int, column: str) -> str | None:
        """What a column has for it."""
        return self.origin.value(self.first + row, column) if isinstance(self.origin, ColumnProvenance) else None


def remarks(table: LabelledDocuments, *, multi_label: bool) -> Iterable[RunWarning]:
    """What could not be told from the input."""
    unsaid = table.gold < 0
    if unsaid.any():
        first = table.origin.where(int(unsaid.any(axis=1).argmax()), 0, "reference")
        message = "labels of documents have no gold value and are left out for these documents."
        yield RunWarning(UNSAID, message, int(np.count_nonzero(unsaid)), first)
    if table.scores is None:
        return
    equal = np.zeros(0, np.bool_) if multi_label else metric.find_ties(table)
    if equal.any():
        message = "documents have several labels with the highest score; the first by name is taken."
        first = table.origin.where(int(equal.argmax()), 0, "predicted")
        yield RunWarning(TIED, message, int(np.count_nonzero(equal)), first)
    undefined = _one_sided(table)
    if undefined:
        message = f"ROC-AUC is undefined for labels that all documents have, or none: {', '.join(undefined)}."
        yield RunWarning(UNDEFINED, message)


def _one_sided(table: LabelledDocuments) -> list[str]:
    """Labels that all documents have, or none."""
    one_sided = []
    for label, gold in zip(table.labels, table.gold.T, strict=True):
        had, without = np.count_nonzero(gold == 1), np.count_nonzero(gold == 0)
        if not had or not without:
            one_sided.append(label)
    return sorted(one_sided)
