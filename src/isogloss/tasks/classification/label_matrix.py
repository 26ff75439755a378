"""Documents with labels, and scores or named labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import DataError
from isogloss.kernel.provenance import Provenance, RunWarning
from isogloss.kernel.scores import Floats, Ints
from isogloss.records.limits import read_limit


@dataclass(frozen=True, eq=False)
class LabelledDocuments:
    """Documents with their labels, and the prediction for each label.

    The prediction has scores, or predicted labels.

    Args:
        documents: (documents,) number of each document.
        labels: labels of the columns, each once, in any order.
        gold: (documents, labels) 1 if a document has a label, 0 if it does not, -1 if unknown.
        scores: (documents, labels) scores, -inf for no score; None if the prediction has labels.
        chosen: (documents, labels) whether the label is predicted; None if the prediction has scores.
        provenance: provenance of the documents.
        warnings: warnings about the input.
    """

    documents: Ints
    labels: tuple[str, ...]
    gold: NDArray[np.int8]
    scores: NDArray[np.float64] | None
    chosen: NDArray[np.bool_] | None
    provenance: Provenance
    warnings: tuple[RunWarning, ...] = field(default=())

    def __post_init__(self) -> None:
        shape = (len(self.documents), len(self.labels))
        shapes = [array.shape for array in (self.scores, self.chosen) if array is not None]
        if self.gold.shape != shape or shapes != [shape]:
            raise ValueError(f"{shape[0]} documents have gold and scores, or named labels, for {shape[1]} labels each")


GoldKind = Literal["label", "labels", "values"]
Where = Callable[[int], str]
KINDS: dict[GoldKind, str] = {"label": "one label", "labels": "a list of labels", "values": "a value for each label"}
GOLD_VALUES = {0: 0, 1: 1, None: -1}  # also False, True, 0.0 and 1.0
SCORES_MISSING = "scores-missing"
LABEL_UNSCORED = "label-unscored"


@dataclass(frozen=True, eq=False)
class GoldTable:
    """Documents, and the kind of their gold labels.

    Args:
        documents: the documents.
        kind: one label, a list of labels, or a value for each label.
        predicted_labels: number of labels whose columns come first because the predictions were read first.
    """

    documents: LabelledDocuments
    kind: GoldKind
    predicted_labels: int = 0


MAX_MATRIX_NAME, MAX_MATRIX = "ISOGLOSS_MAX_MATRIX", 400_000_000  # bytes of the labels and scores of all documents
BYTES_PER_VALUE = 400  # more for each score or label, so that no corpus with few labels is too large
SCORE_BYTES = 8  # of a score; 1 of a label


class LabelMatrixBuilder:
    """Build the matrix of labels, one block of documents after another.

    Labels get columns in order of occurrence.
    """

    def __init__(self) -> None:
        self.kind: GoldKind | None = None
        self._predicted_labels = 0
        self._column: dict[str, int] = {}
        self._gold: list[NDArray[np.int8]] = []
        self._scores: list[Floats] = []
        self._chosen: list[NDArray[np.bool_]] = []
        self._max_bytes = read_limit(MAX_MATRIX_NAME, MAX_MATRIX)
        self._bytes = 0  # of one column, of both sides
        self._given = 0  # scores and labels that documents give

    def add_scores(self, rows: Sequence[Mapping[str, float]]) -> None:
        """Add the scores of documents, by label."""
        if not rows:
            return
        names = tuple(rows[0])
        self._check_size(SCORE_BYTES * len(rows), sum(map(len, rows)), {name for row in rows for name in row})
        if all(tuple(row) == names for row in rows):
            columns = [self._get_column(name) for name in names]
            block = np.full((len(rows), len(self._column)), -np.inf)
            values = np.fromiter(chain.from_iterable(row.values() for row in rows), np.float64, len(rows) * len(names))
            block[:, columns] = values.reshape(len(rows), len(names))
        else:
            codes = [[self._get_column(name) for name in row] for row in rows]
            block = np.full((len(rows), len(self._column)), -np.inf)
            for own, columns, row in zip(block, codes, rows, strict=True):
                own[columns] = list(row.values())
        self._scores.append(block)

    def add_score_columns(self, labels: Sequence[str], scores: Floats) -> None:
        """Add an array of scores: (documents, labels)."""
        columns = [self._get_column(name) for name in labels]
        if columns == list(range(len(self._column))):
            self._scores.append(scores)
            return
        block = np.full((len(scores), len(self._column)), -np.inf)
        block[:, columns] = scores
        self._scores.append(block)

    def add_labels(self, rows: Sequence[str] | Sequence[Sequence[str]]) -> None:
        """Add the predicted labels of documents: one each, or any number."""
        self._chosen.append(self._mark_labels(rows) == 1)

    def add_gold(self, rows: Sequence[Any], where: Where) -> None:
        """Add the gold of documents.

        Args:
            rows: for each document its label, a collection of its labels, or a mapping of labels to 0, 1 or None.
            where: returns the place of a document of this block, by its position.

        Raises:
            DataError: if the gold of a document is of another type, or of another kind than in earlier documents.
        """
        for position, row in enumerate(rows[:1] if set(map(type, rows)) == {str} else rows):
            self._check_kind(row, where, position)
        self._gold.append(self._mark_values(rows, where) if self.kind == "values" else self._mark_labels(rows))

    def build(self, provenance: Provenance, order: Ints | None = None) -> GoldTable:
        """Build the documents from all blocks.

        Args:
            provenance: provenance of the documents.
            order: (documents,) number of the prediction for each reference; None for the same order.

        Raises:
            DataError: if a score is nan.
        """

        def where(row: int) -> str:
            return provenance.where(row, 0, "predicted")

        missing = -1 if self.kind == "values" else 0
        gold = _stack_blocks(self._gold, len(self._column), missing)
        scores = _stack_blocks(self._scores, len(self._column), -np.inf) if self._scores else None
        chosen = _stack_blocks(self._chosen, len(self._column), fill=False) if self._chosen else None
        if order is not None:
            scores, chosen = (None if each is None else each[order] for each in (scores, chosen))
        labels, warnings = tuple(self._column), []
        if scores is None and chosen is None:
            chosen = np.zeros(gold.shape, np.bool_)
        if scores is not None:
            warnings = find_missing_scores(scores, labels, where)
        documents = np.arange(len(gold))
        table = LabelledDocuments(documents, labels, gold, scores, chosen, provenance, tuple(warnings))
        return GoldTable(table, self.kind or "label", self._predicted_labels)

    def end_predictions(self) -> None:
        """Note that all predictions are added, before any gold."""
        self._predicted_labels = len(self._column)

    def _check_size(self, column: int, given: int, labels: set[str]) -> None:
        """Refuse documents that would make a large, mostly empty matrix.

        Args:
            column: bytes of one column of the documents to add.
            given: number of their scores or labels.
            labels: their labels.
        """
        self._given += given
        self._bytes += column
        width = len(self._column) + len(labels - self._column.keys())
        size = self._bytes * width
        if size > self._max_bytes + BYTES_PER_VALUE * self._given:
            raise DataError(
                f"the matrix of documents and {width:,} labels needs {size // 10**6:,} MB, "
                f"but only {self._given:,} labels and scores are given",
                remedy="Check that labels are labels, not ids or texts. To score them all the same, raise the limit: "
                f"{MAX_MATRIX_NAME}={2 * size} isogloss ...",
            )

    def _get_column(self, label: str) -> int:
        return self._column.setdefault(label, len(self._column))

    def _check_kind(self, row: Any, where: Where, position: int) -> None:
        kind = _get_gold_kind(row, where(position))
        if self.kind not in (None, kind):
            raise DataError(
                f"the gold of this document is {KINDS[kind]}, but that of those before is {KINDS[self.kind or kind]}",
                where=where(position),
                remedy="Write the gold of all documents as a label, or of all as lists, or of all as values of labels.",
            )
        self.kind = kind

    def _mark_labels(self, rows: Sequence[str] | Sequence[Sequence[str]]) -> NDArray[np.int8]:
        """Return 1 for each label of a document, else 0.

        The result is (documents, labels so far).
        """
        if set(map(type, rows)) == {str}:
            row_of, labels = np.arange(len(rows)), rows
        else:
            row_of, labels = np.repeat(np.arange(len(rows)), [len(row) for row in rows]), [*chain.from_iterable(rows)]
        self._check_size(len(rows), len(labels), set(map(str, labels)))
        for label in dict.fromkeys(labels):
            self._get_column(str(label))
        codes = np.fromiter(map(self._column.__getitem__, labels), np.int64, len(labels))  # type: ignore[arg-type]
        block = np.zeros((len(rows), len(self._column)), np.int8)
        block[row_of, codes] = 1
        return block

    def _mark_values(self, rows: Sequence[Mapping[str, Any]], where: Where) -> NDArray[np.int8]:
        codes = [[self._get_column(label) for label in row] for row in rows]
        block = np.full((len(rows), len(self._column)), -1, np.int8)
        for position, (columns, row) in enumerate(zip(codes, rows, strict=True)):
            for column, (label, value) in zip(columns, row.items(), strict=True):
                if value not in GOLD_VALUES:
                    raise DataError(
                        f"the gold value of {label!r} is {value!r}, but 0, 1 or nothing is expected",
                        where=where(position),
                        remedy="Decide from which value on a document has a label, and write 1 or 0.",
                    )
                block[position, column] = GOLD_VALUES[value]
        return block


def is_collection(row: Any) -> bool:
    """Return whether a value is a collection of labels."""
    if isinstance(row, str) or not isinstance(row, Sequence | set | frozenset | np.ndarray):
        return False
    return all(isinstance(label, str) for label in row)


def _get_gold_kind(row: Any, where: str) -> GoldKind:
    if isinstance(row, str):
        return "label"
    if isinstance(row, Mapping):
        return "values"
    if is_collection(row):
        return "labels"
    raise DataError(
        f"the gold of this document is {row!r}, but a label, a list of labels or values of labels are expected",
        where=where,
        remedy="A label is a string: write the names of labels in place of their numbers.",
    )


def _stack_blocks(blocks: Sequence[NDArray[Any]], labels: int, fill: float) -> NDArray[Any]:
    """Stack blocks, each filled up to all labels."""
    if len(blocks) == 1 and blocks[0].shape[1] == labels:
        return blocks[0]
    result = np.full((sum(map(len, blocks)), labels), fill, blocks[0].dtype if blocks else np.int8)
    first = 0
    for block in blocks:
        result[first : first + len(block), : block.shape[1]] = block
        first += len(block)
    return result


def find_missing_scores(scores: Floats, labels: Sequence[str], where: Where) -> list[RunWarning]:
    """Warn of missing scores.

    There are warnings of labels without scores, and of documents without the scores of some labels.

    Args:
        scores: (documents, labels) scores, -inf for no score.
        labels: labels of the columns.
        where: returns the place of a document.

    Raises:
        DataError: if a score is nan.
    """
    least = scores.min(initial=np.inf)  # one look at all is enough for nearly all
    if np.isnan(least):
        row, column = np.argwhere(np.isnan(scores))[0].tolist()
        raise DataError(
            f"the score of {labels[column]!r} is not a number",
            where=where(row),
            remedy="Leave the label out of the document's scores if it has none.",
        )
    if not np.isneginf(least):
        return []
    absent = np.isneginf(scores)
    never = absent.all(axis=0)
    warnings = [
        RunWarning(LABEL_UNSCORED, f"The label {label!r} has no scores: it is never given, and not ranked.")
        for label in (labels[k] for k in np.flatnonzero(never).tolist())
    ]
    some = absent & ~never
    if some.any():
        message = "scores are missing: they are taken as lower than all others of their label."
        first = int(some.any(axis=1).argmax())
        warnings.append(RunWarning(SCORES_MISSING, message, int(np.count_nonzero(some)), where(first)))
    return warnings
