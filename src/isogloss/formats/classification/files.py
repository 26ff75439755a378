"""Files with the labels of documents to one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
import numpy as np

from isogloss.batches import Passage, Side
from isogloss.exceptions import DataError, FormatError, MismatchError
from isogloss.formats.attributes import FILE, Values
from isogloss.formats.classification.sheet import Read, Sheet
from isogloss.formats.json_lines import Columns, pieces_of
from isogloss.scores import Ints
from isogloss.sources import Block, Source

Progress = Callable[[int], object]
REMEDY = 'A row looks like {"id": "1", "gold": "pos", "scores": {"pos": 0.91, "neg": 0.09}}.'
SAME = "Reference and prediction must hold the same documents."
SHOWN = 3  # ids shown of those without a partner


class Row(msgspec.Struct, gc=False):
    """What a line may hold."""

    id: str | int | None = None
    gold: str | list[str] | dict[str, bool | float | None] | None = None
    scores: dict[str, float] | None = None
    text: str | None = None


_ROW = msgspec.json.Decoder(Row)


def scored(
    source: Source, *, texts: bool = False, progress: Progress | None = None, attributes: Sequence[str] = ()
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
        sheet.score(file.scores_of(rows))
        sheet.know(file.gold_of(rows), file.where_of(rows))
    file.check_ids()
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
        if other.is_json:
            sheet.score(other.scores_of(rows))
        else:
            sheet.choose(rows)
    for rows in own.pieces():
        sheet.know(own.gold_of(rows) if own.is_json else rows, own.where_of(rows))
    order = _order(own, other)
    return sheet.read(_Files(own, other, order), order)


class _File:
    """A file, read once: its rows are handed on, their places are kept.

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
        self._columns = Columns.beside(Row, attributes) if attributes and self.is_json else None
        self._keeps_texts = texts and self.is_json
        self._progress = progress

    @property
    def has_ids(self) -> bool:
        """Whether rows have ids: all of them, once they are checked."""
        return bool(self.ids) and self.ids[0] is not None

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
        return f"{self.name}:{self.lines[row]}"

    def where_of(self, rows: Sequence[Any]) -> Callable[[int], str]:
        """Places of the rows that were handed on last."""
        first = len(self.lines) - len(rows)
        return lambda position: self.where(first + position)

    def scores_of(self, rows: Sequence[Row]) -> list[dict[str, float]]:
        """The scores of the rows that were handed on last."""
        scores = [row.scores for row in rows]
        if None in scores:
            where = self.where_of(rows)(scores.index(None))
            raise FormatError("the row has no `scores`", where=where, remedy=REMEDY)
        return scores  # type: ignore[return-value]

    def gold_of(self, rows: Sequence[Row]) -> list[Any]:
        """The gold of the rows that were handed on last."""
        gold = [row.gold for row in rows]
        if None in gold:
            raise FormatError("the row has no `gold`", where=self.where_of(rows)(gold.index(None)), remedy=REMEDY)
        return gold

    def check_ids(self) -> None:
        """Fails unless all rows have an id of their own, or none has one.

        Raises:
            DataError: they do not; it shows the first row at fault.
        """
        if not self.has_ids and self.ids.count(None) == len(self.ids):
            return
        seen: dict[str | None, int] = {}
        for row, name in enumerate(self.ids):
            if (name is None) is self.has_ids:
                has, others = ("no `id`", "has one") if name is None else ("an `id`", "has none")
                remedy = "Give all rows an id, or none."
                raise DataError(f"the row has {has}, but the first {others}", where=self.where(row), remedy=remedy)
            if name in seen:
                message = f"the id {name!r} stands in line {self.lines[seen[name]]} already"
                raise DataError(message, where=self.where(row), remedy="Give each document an id of its own.")
            seen[name] = row

    def _json(self, block: Block) -> Iterator[tuple[Sequence[int], list[Row]]]:
        decoder = _ROW if self._columns is None else self._columns.decoder
        for lines, rows in pieces_of(self.source, block, decoder, REMEDY):
            self.ids.extend(None if row.id is None else str(row.id) for row in rows)
            if self._keeps_texts:
                self.texts.extend(row.text for row in rows)
            if self._columns is not None:
                read, name = self._columns.of, self.name
                self.values.extend(read(row, f"{name}:{line}") for line, row in zip(lines, rows, strict=True))
            yield lines, rows

    def _labels(self, block: Block) -> tuple[Sequence[int], list[str]]:
        labels = [line.strip() for line in block.data.decode().split("\n")[:-1]]
        if not all(labels):
            at = block.first_line + labels.index("")
            raise FormatError("the line is empty", where=f"{self.name}:{at}", remedy="Write one label in each line.")
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
        name = self._reference.ids[row] if self._reference.has_ids else None
        return str(row + 1) if name is None else name

    def where(self, row: int, position: int, side: Side) -> str:  # noqa: ARG002  a label is in no part of a line
        """File and line."""
        return self._reference.where(row) if side == "reference" else self._prediction.where(self._at(row))

    def passage(self, row: int) -> Passage | None:
        """The text of a document, where a row has one."""
        own = self._reference.texts[row] if self._reference.texts else None
        if own is None and self._prediction.texts:
            own = self._prediction.texts[self._at(row)]
        return Passage(own) if own else None

    def value(self, row: int, column: str) -> str | None:
        """What a column of the reference has, or else of the prediction; the file of the prediction."""
        for file, at in ((self._reference, row), (self._prediction, self._at(row))):
            if file.values and column in file.values[at]:
                return file.values[at][column]
        return self._prediction.name if column == FILE else None

    def _at(self, row: int) -> int:
        return row if self._order is None else int(self._order[row])


def _begins_an_object(source: Source) -> bool:
    """Whether the first line that is not blank begins a JSON object."""
    for block in source.blocks():
        text = block.data.lstrip()
        if text:
            return text.startswith(b"{")
    return False


def _order(own: _File, other: _File) -> Ints | None:
    """Which row of the prediction belongs to each row of the reference, None where it is the same.

    Raises:
        MismatchError: one has none.
        DataError: an id stands twice, or some rows of a file have none.
    """
    own.check_ids()
    other.check_ids()
    if own.has_ids and other.has_ids:
        return None if own.ids == other.ids else _by_id(own, other)
    if len(own.lines) != len(other.lines):
        raise MismatchError(
            f"the prediction has {len(other.lines)} documents, the reference ({own.name}) {len(own.lines)}",
            where=other.name,
            remedy=f"{SAME} Without ids they must stand in the same order.",
        )
    return None


def _by_id(own: _File, other: _File) -> Ints:
    place = {name: row for row, name in enumerate(other.ids)}
    missing = [name for name in own.ids if name not in place]
    known = set(own.ids)
    extra = [name for name in other.ids if name not in known]
    if missing or extra:
        file, names, side = (own, missing, "prediction") if missing else (other, extra, "reference")
        shown = ", ".join(map(repr, names[:SHOWN])) + (", …" if names[SHOWN:] else "")
        raise MismatchError(
            f"{len(names)} documents are not in the {side}: {shown}",
            where=file.where(file.ids.index(names[0])),
            remedy=f"{SAME} Look for rows that were left out, or ids that were changed.",
        )
    return np.array([place[name] for name in own.ids], np.int64)
