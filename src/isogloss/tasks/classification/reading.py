"""Read labelled documents from Python lists, arrays and files."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np

from isogloss.errors import DataError, FormatError, MismatchError, UsageError
from isogloss.kernel.provenance import RunWarning, Side, TextExcerpt
from isogloss.kernel.scores import Floats, Ints
from isogloss.records.attributes import FILE_COLUMN, Values
from isogloss.records.json_fields import ColumnDecoder
from isogloss.records.json_lines import read_block_lists
from isogloss.records.pairing import IdColumn, align_rows
from isogloss.records.row_shape import RowShape
from isogloss.records.sources import Block, Progress, Source
from isogloss.tasks.classification.label_matrix import GoldTable, LabelMatrixBuilder, is_collection

BLOCK = 1 << 14  # documents
BLOCK_BYTES = 1 << 18
TABLE = 2  # axes: documents and labels


def read_lists(gold: Any, scores: Any, labels: Sequence[str] | None = None) -> GoldTable:
    """Read the documents of two lists or arrays.

    Args:
        gold: for each document its label, a collection of its labels, or a mapping of labels to 0, 1 or None; or an
            array (documents, labels) of 0 and 1.
        scores: for each document a mapping of labels to numbers, its label, or a collection of its labels; or an array
            (documents, labels) of numbers, or a data frame of them.
        labels: labels of the columns of arrays; a data frame has its own.

    Raises:
        UsageError: if an argument is of another type, or `labels` do not fit.
        MismatchError: if the numbers of documents differ.
        DataError: if a value is malformed.
    """
    if labels is None and hasattr(scores, "columns"):
        labels = [str(name) for name in scores.columns]
    own, other = _convert_documents(gold, "gold"), _convert_documents(scores, "scores")
    if len(own) != len(other):
        raise MismatchError(
            f"gold has {len(own)} documents, scores has {len(other)}",
            where=f"scores[{min(len(own), len(other))}]",
            remedy="Give the scores of each document, in the same order.",
        )
    builder = LabelMatrixBuilder()
    if _is_table(other):
        builder.add_score_columns(_check_labels(labels, other), _convert_numbers(other))
    else:
        _add_scores(builder, other)
    if labels is not None and not _is_table(other) and not isinstance(own, np.ndarray):
        raise UsageError(
            "labels are the names of an array's columns, but neither side is an array (documents, labels).",
        )
    if isinstance(own, np.ndarray):
        own = _to_mappings(own, _check_labels(labels, own))
    for first in range(0, len(own), BLOCK):
        builder.add_gold(own[first : first + BLOCK], lambda position, first=first: f"gold[{first + position}]")  # type: ignore[misc]
    return builder.build(_ListProvenance())


@dataclass(frozen=True)
class _ListProvenance:
    """Provenance of the documents of lists."""

    def name(self, row: int) -> str:
        """Return the number of a document, from 1."""
        return str(row + 1)

    def where(self, row: int, position: int, side: Side) -> str:  # noqa: ARG002  the signature of `Provenance`
        """Return argument and index: `scores[3]`."""
        return f"{'gold' if side == 'reference' else 'scores'}[{row}]"

    def get_excerpt(self, row: int) -> TextExcerpt | None:  # noqa: ARG002  the signature of `Provenance`
        """Return None: lists have no texts."""
        return None


def _convert_documents(value: Any, name: str) -> Any:
    """Convert a value to a list of documents, or an array.

    The array is (documents, labels).
    """
    if hasattr(value, "to_numpy"):
        value = value.to_numpy()
    if isinstance(value, str | bytes | Mapping) or not hasattr(value, "__len__") or not hasattr(value, "__iter__"):
        raise UsageError(f"{name} is of type {type(value).__name__}, but a path or a list of documents is expected.")
    if isinstance(value, np.ndarray):
        return value if value.ndim == TABLE else value.tolist()
    return value if isinstance(value, list | tuple) else list(value)


def _is_table(documents: Any) -> bool:
    """Return whether documents are rows of numbers."""
    if isinstance(documents, np.ndarray):
        return True
    first = documents[0] if documents else None
    return isinstance(first, list | tuple | np.ndarray) and bool(len(first)) and not isinstance(first[0], str)


def _convert_numbers(rows: Any) -> Floats:
    """Convert rows to an array of numbers: (documents, labels)."""
    try:
        numbers = (
            np.array(rows, np.float64) if not isinstance(rows, np.ndarray) else rows.astype(np.float64, copy=False)
        )
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if numbers.ndim != TABLE:
        raise UsageError("scores is not an array of numbers (documents, labels): its rows differ in length or kind.")
    return numbers


def _check_labels(labels: Sequence[str] | None, rows: Any) -> Sequence[str]:
    width = len(rows[0]) if len(rows) else len(labels or ())
    if labels is None or isinstance(labels, str) or len(labels) != width or len(set(labels)) != width:
        given = "" if labels is None else f", not {len(labels)}"
        raise UsageError(f"An array with {width} columns needs labels=[...]: {width} different names{given}.")
    return labels


def _to_mappings(gold: Any, labels: Sequence[str]) -> list[Mapping[str, Any]]:
    """Convert rows of 0 and 1 to mappings by label."""
    return [dict(zip(labels, row, strict=True)) for row in gold.tolist()]


def _add_scores(builder: LabelMatrixBuilder, documents: Sequence[Any]) -> None:
    first_document = documents[0] if len(documents) else {}
    mapped = isinstance(first_document, Mapping)
    kind = dict if mapped else str if isinstance(first_document, str) else list
    for first in range(0, len(documents), BLOCK):
        block = documents[first : first + BLOCK]
        for row, document in enumerate(block, first):
            _check_prediction(document, f"scores[{row}]", kind)
        if mapped:
            builder.add_scores(block)
        else:
            builder.add_labels(block)


def _check_prediction(document: Any, where: str, kind: type) -> None:
    """Check that a document has scores or labels, like the first."""
    if kind is dict:
        good = isinstance(document, Mapping) and set(map(type, document.values())) <= NUMBERS
        expected = "a mapping of labels to numbers"
    else:
        good = isinstance(document, str) if kind is str else is_collection(document)
        expected = "a label" if kind is str else "a list of labels"
    if not good:
        raise DataError(
            f"{document!r} is not {expected}",
            where=where,
            remedy="Give all documents scores of labels, or all of them labels.",
        )


NUMBERS = {float, int, np.float64, np.float32, np.float16, np.int64, np.int32}

GOLD_PREDICTED = "gold-predicted"
REMEDY = 'A row looks like {"id": "1", "gold": "pos", "scores": {"pos": 0.91, "neg": 0.09}}.'
LABEL_SHAPE = RowShape(
    needed=("gold", "label", "scores"),
    header="id,label",
    row=REMEDY,
    kinds={"text": "text", "gold": "label", "label": "label", "scores": "json"},
    plain='If each line is one label, write it as JSON, such as {"label": "a, b"}.',
    labels=True,
)


class LabelRow(msgspec.Struct, gc=False):
    """A row of JSON lines."""

    id: str | int | None = None
    gold: str | list[str] | dict[str, bool | float | None] | None = None
    label: str | list[str] | None = None
    scores: dict[str, float] | None = None
    text: str | None = None


_ROW = msgspec.json.Decoder(LabelRow)


def read_one_file(
    source: Source,
    *,
    texts: bool = False,
    progress: Progress | None = None,
    attributes: Sequence[str] = (),
) -> GoldTable:
    """Read the documents of one file of JSON lines.

    Args:
        source: rows with gold and scores.
        texts: whether to keep the texts of documents.
        progress: called with the number of bytes read.
        attributes: additional columns of the documents to read.

    Raises:
        SourceError: if the file cannot be read.
        FormatError: if a line is malformed.
        DataError: if an id occurs twice, the gold is of several kinds, or a score is not a number.
    """
    file, builder = _LabelFile(source, attributes, texts=texts, progress=progress), LabelMatrixBuilder()
    if not file.is_json:
        raise FormatError(
            "the file has a label in each line, which is one side",
            where=source.name,
            remedy=f"Name the file of the prediction too, or give JSON lines. {REMEDY}",
        )
    for rows in file.read_blocks():
        file.add_prediction(rows, builder)
        builder.add_gold(file.get_gold(rows, alone=True), file.make_locator(rows))
    file.build_id_column().check()
    return builder.build(_FileProvenance(file, file, None))


def read_two_files(
    reference: Source,
    prediction: Source,
    *,
    texts: bool = False,
    progress: Progress | None = None,
    attributes: Sequence[str] = (),
) -> GoldTable:
    """Read the documents of two files.

    Each file has JSON lines or one label per line. If the reference is given as a system too, and has no prediction,
    its gold is the prediction.

    Args:
        reference: rows with gold, or labels.
        prediction: rows with scores, or labels.
        texts: whether to keep the texts of documents.
        progress: called with the number of bytes read.
        attributes: additional columns of the documents to read.

    Raises:
        SourceError: if a file cannot be read.
        FormatError: if a line is malformed.
        MismatchError: if the files do not have the same documents.
        DataError: if an id occurs twice, the gold is of several kinds, or a score is not a number.
    """
    own = _LabelFile(reference, attributes, texts=texts, progress=progress)
    other = _LabelFile(prediction, attributes, texts=texts, progress=progress)
    other.may_predict_gold = prediction.name == reference.name
    builder = LabelMatrixBuilder()
    for rows in other.read_blocks():
        other.add_prediction(rows, builder)
    builder.end_predictions()
    for rows in own.read_blocks():
        builder.add_gold(own.get_gold(rows) if own.is_json else rows, own.make_locator(rows))
    order = align_rows(own.build_id_column(), other.build_id_column())
    table = builder.build(_FileProvenance(own, other, order), order)
    if not other.predicts_gold:
        return table
    note = RunWarning(GOLD_PREDICTED, "the file has no prediction, so its gold is scored", where=other.name)
    return replace(table, documents=replace(table.documents, warnings=(*table.documents.warnings, note)))


class _LabelFile:
    """A file of one side, read once.

    It keeps the ids and places of its rows.

    Args:
        source: the file.
        attributes: additional columns of the documents to read.
        texts: whether to keep the texts of documents.
        progress: called with the number of bytes read.

    Attributes:
        lines: the line of each row.
        ids: the id of each row, None for no id; empty if rows are labels.
        texts: the text of each row; empty if not kept.
        values: the additional columns of each row; empty if there are none.
        may_predict_gold: whether rows without a prediction have their gold as prediction.
    """

    def __init__(self, source: Source, attributes: Sequence[str], *, texts: bool, progress: Progress | None) -> None:
        self.source = source
        self.name = source.name
        self.lines = array("I")  # a tenth of the bytes of a list
        self.ids: list[str | None] = []
        self.texts: list[str | None] = []
        self.is_json = _starts_with_object(source)
        self.values: list[Values] = []
        self.may_predict_gold = False
        self._columns = ColumnDecoder.build(LabelRow, attributes) if attributes and self.is_json else None
        self._keeps_texts = texts and self.is_json
        self._progress = progress
        self._key: str | None = None

    def read_blocks(self) -> Iterator[list[Any]]:
        """Yield the rows, or labels, of one block after the other."""
        for block in self.source.blocks(BLOCK_BYTES):
            for lines, rows in self._read_json(block) if self.is_json else [self._read_labels(block)]:
                self.lines.extend(lines)
                yield rows
            if self._progress is not None:
                self._progress(self.source.bytes_read)

    def where(self, row: int) -> str:
        """Return file and line of a row."""
        return self.source.locate(self.lines[row])

    def get_file(self, row: int) -> str:
        """Return the file of a row."""
        return self.source.get_file(self.lines[row])

    def make_locator(self, rows: Sequence[Any]) -> Callable[[int], str]:
        """Make a function that returns the places of the rows read last."""
        first = len(self.lines) - len(rows)
        return lambda position: self.where(first + position)

    def add_prediction(self, rows: Sequence[Any], builder: LabelMatrixBuilder) -> None:
        """Add the scores or labels of the rows read last.

        The first row decides between scores, labels and gold.
        """
        if not self.is_json:
            builder.add_labels(rows)
            return
        if self._key is None:
            self._key = self._choose_key(rows)
        values: list[Any] = [getattr(row, self._key) for row in rows]
        if self.predicts_gold:
            values = [None if row.scores or row.label else _list_labels(row.gold) for row in rows]
        if None in values:
            where = self.make_locator(rows)(values.index(None))
            raise FormatError(f"the row has no `{self._key}`", where=where, remedy=REMEDY)
        if self._key == "scores":
            builder.add_scores(values)
        elif set(map(type, values)) == {str}:
            builder.add_labels(values)
        else:
            builder.add_labels([[value] if isinstance(value, str) else value for value in values])

    @property
    def predicts_gold(self) -> bool:
        """Whether the gold of the file is the prediction."""
        return self._key == "gold"

    def _choose_key(self, rows: Sequence[LabelRow]) -> str:
        first = rows[0] if rows else LabelRow()
        if first.scores is not None or first.label is not None:
            return "label" if first.scores is None else "scores"
        return "gold" if self.may_predict_gold and first.gold is not None else "scores"

    def get_gold(self, rows: Sequence[LabelRow], *, alone: bool = False) -> list[Any]:
        """Return the gold of the rows read last.

        Args:
            rows: the rows.
            alone: whether the file also has the prediction, so that `label` is not the gold.
        """
        gold: list[Any] = [row.label if row.gold is None and not alone else row.gold for row in rows]
        if None in gold:
            raise FormatError("the row has no `gold`", where=self.make_locator(rows)(gold.index(None)), remedy=REMEDY)
        return gold

    def build_id_column(self) -> IdColumn:
        """Build the column of ids after the file was read."""
        return IdColumn(self.name, self.ids if self.is_json else [None] * len(self.lines), self.where)

    def _read_json(self, block: Block) -> Iterator[tuple[Sequence[int], list[LabelRow]]]:
        decoder = _ROW if self._columns is None else self._columns.decoder
        for lines, rows in read_block_lists(self.source, block, decoder, REMEDY):
            self.ids.extend(None if row.id is None else str(row.id) for row in rows)
            if self._keeps_texts:
                self.texts.extend(row.text for row in rows)
            if self._columns is not None:
                read, locate = self._columns.read_columns, self.source.locate
                self.values.extend(read(row, locate(line)) for line, row in zip(lines, rows, strict=True))
            yield lines, rows

    def _read_labels(self, block: Block) -> tuple[Sequence[int], list[str]]:
        labels = [line.strip() for line in block.data.decode().split("\n")[:-1]]
        if not all(labels):
            at = block.first_line + labels.index("")
            raise FormatError("the line is empty", where=self.source.locate(at), remedy="Write one label in each line.")
        return range(block.first_line, block.first_line + len(labels)), labels


def _list_labels(gold: Any) -> Any:
    """Return the labels of a document from its gold."""
    return [label for label, has in gold.items() if has] if isinstance(gold, dict) else gold


class _FileProvenance:
    """Provenance of documents of files: the lines of both sides.

    A document has a line of the reference, and a line of the prediction.

    Args:
        reference: file of the reference.
        prediction: file of the prediction; possibly the same.
        order: (documents,) row of the prediction for each row of the reference; None for the same order.
    """

    def __init__(self, reference: _LabelFile, prediction: _LabelFile, order: Ints | None) -> None:
        self._reference, self._prediction, self._order = reference, prediction, order

    def name(self, row: int) -> str:
        """Return the id of a document, or its number from 1."""
        name = self._reference.ids[row] if self._reference.is_json else None
        return str(row + 1) if name is None else name

    def where(self, row: int, position: int, side: Side) -> str:  # noqa: ARG002  the signature of `Provenance`
        """Return file and line."""
        return self._reference.where(row) if side == "reference" else self._prediction.where(self._at(row))

    def get_excerpt(self, row: int) -> TextExcerpt | None:
        """Return the text of a document; None if it has none."""
        own = self._reference.texts[row] if self._reference.texts else None
        if own is None and self._prediction.texts:
            own = self._prediction.texts[self._at(row)]
        return TextExcerpt(own) if own else None

    def value(self, row: int, column: str) -> str | None:
        """Return a column's value from the reference, or else the prediction."""
        for file, at in ((self._reference, row), (self._prediction, self._at(row))):
            if file.values and column in file.values[at]:
                return file.values[at][column]
        return self._prediction.get_file(self._at(row)) if column == FILE_COLUMN else None

    def _at(self, row: int) -> int:
        return row if self._order is None else int(self._order[row])


def _starts_with_object(source: Source) -> bool:
    """Return whether the first non-blank line starts a JSON object."""
    for block in source.blocks():
        text = block.data.lstrip()
        if text:
            return text.startswith(b"{")
    return False
