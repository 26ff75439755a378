"""Python values with the labels of documents to one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from isogloss.errors import DataError, FormatError, MismatchError, UsageError
from isogloss.kernel.provenance import Side, TextExcerpt
from isogloss.kernel.scores import Floats, Ints
from isogloss.records.attributes import FILE_COLUMN, Values
from isogloss.records.json_fields import ColumnDecoder
from isogloss.records.json_lines import read_block_lists
from isogloss.records.pairing import IdColumn, align_rows
from isogloss.records.row_shape import RowShape
from isogloss.records.sources import Block, Progress, Source
from isogloss.tasks.classification.label_matrix import Read, Sheet, is_collection

BLOCK = 1 << 14  # documents
TABLE = 2  # axes: documents and labels


def listed(gold: Any, scores: Any, labels: Sequence[str] | None = None) -> Read:
    """The documents of two lists.

    Args:
        gold: per document its label, a collection of its labels, or a mapping of labels to 0, 1 or None; or an array
            (documents, labels) of 0 and 1.
        scores: per document a mapping of labels to numbers, its label, or a collection of its labels; or an array
            (documents, labels) of numbers, or a data frame of them.
        labels: what the columns of arrays stand for; a data frame knows it.

    Raises:
        UsageError: arguments that cannot be meant.
        MismatchError: there are not as many of both.
        DataError: a value is not what it should be.
    """
    if labels is None and hasattr(scores, "columns"):
        labels = [str(name) for name in scores.columns]
    own, other = _documents(gold, "gold"), _documents(scores, "scores")
    if len(own) != len(other):
        raise MismatchError(
            f"gold has {len(own)} documents, scores has {len(other)}",
            where=f"scores[{min(len(own), len(other))}]",
            remedy="Give the scores of each document, in the same order.",
        )
    sheet = Sheet()
    if _is_table(other):
        sheet.score_columns(_names(labels, other), _numbers(other))
    else:
        _add_scores(sheet, other)
    if labels is not None and not _is_table(other) and not isinstance(own, np.ndarray):
        raise UsageError(
            "labels are the names of an array's columns, but neither side is an array (documents, labels).",
        )
    if isinstance(own, np.ndarray):
        own = _of_columns(own, _names(labels, own))
    for first in range(0, len(own), BLOCK):
        sheet.know(own[first : first + BLOCK], lambda position, first=first: f"gold[{first + position}]")  # type: ignore[misc]
    return sheet.read(_Lists())


@dataclass(frozen=True)
class _Lists:
    """Lists have indices."""

    def name(self, row: int) -> str:
        """The number of a document, from 1."""
        return str(row + 1)

    def where(self, row: int, position: int, side: Side) -> str:  # noqa: ARG002 - as `Origin` asks
        """Its index: `scores[3]`."""
        return f"{'gold' if side == 'reference' else 'scores'}[{row}]"

    def get_excerpt(self, row: int) -> TextExcerpt | None:  # noqa: ARG002  lists have no texts
        """None."""
        return None


def _documents(value: Any, name: str) -> Any:
    """A list of documents, or an array (documents, labels)."""
    if hasattr(value, "to_numpy"):
        value = value.to_numpy()
    if isinstance(value, str | bytes | Mapping) or not hasattr(value, "__len__") or not hasattr(value, "__iter__"):
        raise UsageError(f"{name} is of type {type(value).__name__}, but a path or a list of documents is expected.")
    if isinstance(value, np.ndarray):
        return value if value.ndim == TABLE else value.tolist()
    return value if isinstance(value, list | tuple) else list(value)


def _is_table(documents: Any) -> bool:
    """Whether documents are rows of numbers."""
    if isinstance(documents, np.ndarray):
        return True
    first = documents[0] if documents else None
    return isinstance(first, list | tuple | np.ndarray) and bool(len(first)) and not isinstance(first[0], str)


def _numbers(rows: Any) -> Floats:
    """An array of numbers (documents, labels)."""
    try:
        numbers = (
            np.array(rows, np.float64) if not isinstance(rows, np.ndarray) else rows.astype(np.float64, copy=False)
        )
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if numbers.ndim != TABLE:
        raise UsageError("scores is no array of numbers (documents, labels): its rows differ in length or kind.")
    return numbers


def _names(labels: Sequence[str] | None, rows: Any) -> Sequence[str]:
    width = len(rows[0]) if len(rows) else len(labels or ())
    if labels is None or isinstance(labels, str) or len(labels) != width or len(set(labels)) != width:
        given = "" if labels is None else f", not {len(labels)}"
        raise UsageError(f"An array with {width} columns needs labels=[...]: {width} different names{given}.")
    return labels


def _of_columns(gold: Any, labels: Sequence[str]) -> list[Mapping[str, Any]]:
    """Rows of 0 and 1 as mappings."""
    return [dict(zip(labels, row, strict=True)) for row in gold.tolist()]


def _add_scores(sheet: Sheet, documents: Sequence[Any]) -> None:
    first_document = documents[0] if len(documents) else {}
    mapped = isinstance(first_document, Mapping)
    kind = dict if mapped else str if isinstance(first_document, str) else list
    for first in range(0, len(documents), BLOCK):
        block = documents[first : first + BLOCK]
        for row, document in enumerate(block, first):
            _check(document, f"scores[{row}]", kind)
        if mapped:
            sheet.score(block)
        else:
            sheet.choose(block)


def _check(document: Any, where: str, kind: type) -> None:
    """Fails unless a document has scores of labels, or names labels, as the first does."""
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

REMEDY = 'A row looks like {"id": "1", "gold": "pos", "scores": {"pos": 0.91, "neg": 0.09}}.'
LABEL_SHAPE = RowShape(
    needed=("gold", "label", "scores"),
    header="id,label",
    row=REMEDY,
    kinds={"text": "text", "gold": "label", "label": "label", "scores": "json"},
    plain='If each line is one label, write it as JSON, such as {"label": "a, b"}.',
    labels=True,
)


class Row(msgspec.Struct, gc=False):
    """What a line may hold."""

    id: str | int | None = None
    gold: str | list[str] | dict[str, bool | float | None] | None = None
    label: str | list[str] | None = None
    scores: dict[str, float] | None = None
    text: str | None = None


_ROW = msgspec.json.Decoder(Row)


def scored(
    source: Source,
    *,
    texts: bool = False,
    progress: Progress | None = None,
    attributes: Sequence[str] = (),
) -> Read:
    """The documents of one file of JSON lines.

    Args:
        source: rows with gold and scores.
        texts: whether to keep the texts of documents.
        progress: called now and then with the bytes read.
        attributes: columns of documents that are wanted beside.

    Raises:
        SourceError: the file cannot be read.
        FormatError: a line is not what it should be.
        DataError: an id stands twice, the rows have gold of several kinds, or a score is not a number.
    """
    file, sheet = _File(source, attributes, texts=texts, progress=progress), Sheet()
    if not file.is_json:
        raise FormatError(
            "the file has a label in each line, which is one side",
            where=source.name,
            remedy=f"Name the file of the prediction too, or give JSON lines. {REMEDY}",
        )
    for rows in file.pieces():
        file.add_prediction(rows, sheet)
        sheet.know(file.gold_of(rows, alone=True), file.where_of(rows))
    file.id_column().check()
    return sheet.read(_Files(file, file, None))


def paired(
    reference: Source,
    prediction: Source,
    *,
    texts: bool = False,
    progress: Progress | None = None,
    attributes: Sequence[str] = (),
) -> Read:
    """The documents of two files, each of JSON lines or with a label in each line.

    Args:
        reference: rows with gold, or labels.
        prediction: rows with scores, or labels.
        texts: whether to keep the texts of documents.
        progress: called now and then with the bytes read.
        attributes: columns of documents that are wanted beside.

    Raises:
        SourceError: a file cannot be read.
        FormatError: a line is not what it should be.
        MismatchError: the files do not have the same documents.
        DataError: an id stands twice, the rows have gold of several kinds, or a score is not a number.
    """
    own = _File(reference, attributes, texts=texts, progress=progress)
    other = _File(prediction, attributes, texts=texts, progress=progress)
    sheet = Sheet()
    for rows in other.pieces():
        other.add_prediction(rows, sheet)
    for rows in own.pieces():
        sheet.know(own.gold_of(rows) if own.is_json else rows, own.where_of(rows))
    order = align_rows(own.id_column(), other.id_column())
    return sheet.read(_Files(own, other, order), order)


class _File:
    """A file, read once: its rows are handed on, their places are kept.

    Args:
        source: the file.
        attributes: columns of documents that are wanted beside.
        texts: whether to keep the texts of documents.
        progress: called now and then with the bytes read.

    Attributes:
        lines: the line of each row.
        ids: the id of each row, None where it has none.
        texts: the text of each row, where they are kept.
        values: the columns of each row, where they are wanted.
    """

    def __init__(self, source: Source, attributes: Sequence[str], *, texts: bool, progress: Progress | None) -> None:
        self.source = source
        self.name = source.name
        self.lines: list[int] = []
        self.ids: list[str | None] = []
        self.texts: list[str | None] = []
        self.is_json = _begins_an_object(source)
        self.values: list[Values] = []
        self._columns = ColumnDecoder.build(Row, attributes) if attributes and self.is_json else None
        self._keeps_texts = texts and self.is_json
        self._progress = progress
        self._key: str | None = None

    def pieces(self) -> Iterator[list[Any]]:
        """Rows, or labels, a block at a time."""
        for block in self.source.blocks():
            for lines, rows in self._json(block) if self.is_json else [self._labels(block)]:
                self.lines.extend(lines)
                yield rows
            if self._progress is not None:
                self._progress(self.source.bytes_read)

    def where(self, row: int) -> str:
        """File and line of a row."""
        return self.source.locate(self.lines[row])

    def where_of(self, rows: Sequence[Any]) -> Callable[[int], str]:
        """Places of the rows that were handed on last."""
        first = len(self.lines) - len(rows)
        return lambda position: self.where(first + position)

    def add_prediction(self, rows: Sequence[Any], sheet: Sheet) -> None:
        """Add the scores or labels of the rows that were handed on last, as the first row of the file has them."""
        if not self.is_json:
            sheet.choose(rows)
            return
        if self._key is None:
            self._key = "label" if rows and rows[0].scores is None and rows[0].label is not None else "scores"
        values: list[Any] = [getattr(row, self._key) for row in rows]
        if None in values:
            where = self.where_of(rows)(values.index(None))
            raise FormatError(f"the row has no `{self._key}`", where=where, remedy=REMEDY)
        if self._key == "scores":
            sheet.score(values)
        elif set(map(type, values)) == {str}:
            sheet.choose(values)
        else:
            sheet.choose([[value] if isinstance(value, str) else value for value in values])

    def gold_of(self, rows: Sequence[Row], *, alone: bool = False) -> list[Any]:
        """The gold of the rows that were handed on last.

        Args:
            rows: the rows.
            alone: whether the file also has the prediction, so that `label` is not the gold.
        """
        gold: list[Any] = [row.label if row.gold is None and not alone else row.gold for row in rows]
        if None in gold:
            raise FormatError("the row has no `gold`", where=self.where_of(rows)(gold.index(None)), remedy=REMEDY)
        return gold

    def id_column(self) -> IdColumn:
        """The ids of all rows, when the file is read."""
        return IdColumn(self.name, self.ids, self.where)

    def _json(self, block: Block) -> Iterator[tuple[Sequence[int], list[Row]]]:
        decoder = _ROW if self._columns is None else self._columns.decoder
        for lines, rows in read_block_lists(self.source, block, decoder, REMEDY):
            self.ids.extend(None if row.id is None else str(row.id) for row in rows)
            if self._keeps_texts:
                self.texts.extend(row.text for row in rows)
            if self._columns is not None:
                read, locate = self._columns.read_columns, self.source.locate
                self.values.extend(read(row, locate(line)) for line, row in zip(lines, rows, strict=True))
            yield lines, rows

    def _labels(self, block: Block) -> tuple[Sequence[int], list[str]]:
        labels = [line.strip() for line in block.data.decode().split("\n")[:-1]]
        if not all(labels):
            at = block.first_line + labels.index("")
            raise FormatError("the line is empty", where=self.source.locate(at), remedy="Write one label in each line.")
        self.ids.extend([None] * len(labels))
        return range(block.first_line, block.first_line + len(labels)), labels


class _Files:
    """Where documents come from: a line of the reference, and one of the prediction.

    Args:
        reference: the file with the gold.
        prediction: the file with what a system says, or the same.
        order: (documents,) row of the prediction that belongs to each row of the reference; None for the same.
    """

    def __init__(self, reference: _File, prediction: _File, order: Ints | None) -> None:
        self._reference, self._prediction, self._order = reference, prediction, order

    def name(self, row: int) -> str:
        """The id of a document, or its number from 1."""
        name = self._reference.ids[row]
        return str(row + 1) if name is None else name

    def where(self, row: int, position: int, side: Side) -> str:  # noqa: ARG002 - as `Origin` asks
        """File and line."""
        return self._reference.where(row) if side == "reference" else self._prediction.where(self._at(row))

    def get_excerpt(self, row: int) -> TextExcerpt | None:
        """The text of a document, where a row has one."""
        own = self._reference.texts[row] if self._reference.texts else None
        if own is None and self._prediction.texts:
            own = self._prediction.texts[self._at(row)]
        return TextExcerpt(own) if own else None

    def value(self, row: int, column: str) -> str | None:
        """What a column of the reference has, or else of the prediction; the file of the prediction."""
        for file, at in ((self._reference, row), (self._prediction, self._at(row))):
            if file.values and column in file.values[at]:
                return file.values[at][column]
        return self._prediction.name if column == FILE_COLUMN else None

    def _at(self, row: int) -> int:
        return row if self._order is None else int(self._order[row])


def _begins_an_object(source: Source) -> bool:
    """Whether the first line that is not blank begins a JSON object."""
    for block in source.blocks():
        text = block.data.lstrip()
        if text:
            return text.startswith(b"{")
    return False
