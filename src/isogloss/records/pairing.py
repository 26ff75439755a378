"""Pairing of the rows of two sides, and repeated ids.

Rows are paired by id or by order.

`pair_rows` pairs rows that all need a partner: documents with spans or tags, samples, classified documents. If both
sides have ids, a row belongs to the row of the other side with its id; otherwise rows are paired by order. Rows are
read once, side by side: those that come too early are held until their partner comes, and of all others only the hash
of the id is kept. `align_rows` does the same with columns of ids, and returns positions.

`records.block_pairing` is for rows that may be missing, and for blocks that are not taken apart into rows.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count, islice
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import DataError, FormatError, MismatchError

IDS_IGNORED = "ids-ignored"  # code of the warning that rows are paired by order
MAX_SHOWN_IDS = 5  # ids that a message names
MAX_SHOWN_TEXT = 60  # code points of a text that a message shows
MISSING_REMEDY = "Predict each document of the reference, and no others. Look for ids that were changed."
ORDER_REMEDY = "Give one row for each document on both sides, in the same order, or an id in every row."
Place = TypeVar("Place")
Row = TypeVar("Row")


def hash_ids(ids: Sequence[str]) -> NDArray[np.int64]:
    """Hash each id: (ids,)."""
    return np.fromiter(map(hash, ids), np.int64, len(ids))


class IdHashes:
    """Hashes of ids, eight bytes each."""

    def __init__(self) -> None:
        self._hashes = array("q")

    def append(self, row_id: str | None) -> None:
        """Add an id."""
        self._hashes.append(hash(row_id))

    def extend(self, hashes: NDArray[np.int64]) -> None:
        """Add ids by their hashes."""
        self._hashes.frombytes(hashes.tobytes())

    def has_each(self, ids: Sequence[str]) -> NDArray[np.bool_]:
        """Check whether each id was added: (ids,).

        Very rarely, another id has the same hash.
        """
        return np.isin(hash_ids(ids), np.array(self._hashes, np.int64))

    def find_repeat(self, rows: Iterable[tuple[str | None, Place]]) -> tuple[str | None, Place, Place] | None:
        """Find the first repeated id, and both its places.

        Args:
            rows: id and place of all rows, from a second pass. It is read only if two hashes are equal.
        """
        hashes = np.sort(np.array(self._hashes, np.int64))  # (ids,)
        repeated = frozenset(hashes[1:][hashes[1:] == hashes[:-1]].tolist())
        first: dict[str | None, Place] = {}
        for row_id, place in rows if repeated else ():
            if hash(row_id) in repeated:
                if row_id in first:
                    return row_id, first[row_id], place
                first[row_id] = place
        return None


def build_repeat_error(row_id: str | None, first: str, second: str, remedy: str, side: str = "") -> DataError:
    """Build the error for a repeated id.

    Args:
        row_id: the id.
        first: its first place.
        second: its second place.
        remedy: what to do about it.
        side: side of both, such as " in the reference".
    """
    detail = f"It first stands at {first}."
    return DataError(f"the id {row_id!r} stands twice{side}", where=second, detail=detail, remedy=remedy)


class RowWithId(Protocol):
    """Row that may have an id."""

    @property
    def id(self) -> str | None:
        """Id of the row; None for a row without one."""


Document = TypeVar("Document", bound=RowWithId)
Document_co = TypeVar("Document_co", bound=RowWithId, covariant=True)


class RowFile(Protocol[Document_co]):
    """File of rows that can be read any number of times."""

    @property
    def name(self) -> str:
        """Name of the file in messages."""

    def __iter__(self) -> Iterator[Document_co]:
        """Read its rows in order, from the beginning."""


@dataclass(eq=False)
class RowPass(Generic[Document]):
    """One pass over the rows of a side.

    The pass counts the rows, and remembers their ids.

    Args:
        file: the rows.
        side: what messages call it: `reference` or `prediction`.
        locate: returns file and line of a row.
        uses_ids: whether rows are paired by id, if they have ids: then all of them need one.
        get_text: returns the text of a row, if it has one, for messages.

    Attributes:
        first: the first row; None if there are no rows.
        has_ids: whether the first row has an id.
        count: how many rows were read.

    Raises:
        FormatError: while reading, if only some rows have an id.
    """

    file: RowFile[Document]
    side: str
    locate: Callable[[Document], str]
    uses_ids: bool = True
    get_text: Callable[[Document], str | None] = lambda _: None
    first: Document | None = field(init=False)
    has_ids: bool = field(init=False)
    count: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        rows = iter(self.file)
        self.first = next(rows, None)
        self.has_ids = self.uses_ids and self.first is not None and self.first.id is not None
        self._ids = IdHashes()
        self._rows = self._read_rows(rows if self.first is None else chain([self.first], rows))

    def __iter__(self) -> Iterator[Document]:
        return self._rows

    def check_ids(self) -> None:
        """Check after the pass that no id occurs twice.

        Raises:
            DataError: if an id occurs twice; it names both lines.
        """
        repeat = self._ids.find_repeat((row.id, row) for row in self.file)
        if repeat is not None:
            raise self.make_repeat_error(*repeat[1:])

    def make_repeat_error(self, first: Document, second: Document) -> DataError:
        """Return the error for two rows with one id."""
        remedy = "Give every document an id of its own, or leave out all ids to pair the files by order."
        return build_repeat_error(second.id, self.locate(first), self.locate(second), remedy, f" in the {self.side}")

    def _read_rows(self, rows: Iterator[Document]) -> Iterator[Document]:
        with_ids, remember = self.has_ids, self._ids.append
        for row in rows:
            if (row.id is None) is with_ids and self.uses_ids:
                raise self._make_mixed_error(row)
            if with_ids:
                remember(row.id)
            self.count += 1
            yield row

    def _make_mixed_error(self, row: Document) -> FormatError:
        now, before = ("no id", "have one") if self.has_ids else ("an id", "have none")
        return FormatError(
            f"the document has {now}, but the {self.count} before it {before}",
            where=self.locate(row),
            remedy="Give every document of the file an id, or none.",
        )


def pair_rows(
    reference: RowPass[Document],
    predicted: RowPass[Document],
    *,
    may_lack_ids: bool = False,
    on_ids_ignored: Callable[[], object] | None = None,
    remedy: str = MISSING_REMEDY,
) -> Iterator[tuple[Document, Document]]:
    """Yield the rows of the reference, each with its partner.

    The order is that of the reference. Rows of the prediction are held only from their place to that of their partner.

    Args:
        reference: a pass over the reference.
        predicted: a pass over the prediction.
        may_lack_ids: whether rows are paired by order if only one side has ids.
        on_ids_ignored: called if no id is on both sides. Then both files are read again, and paired by order; so it is
            for rows whose texts show whether they belong together. None to refuse such files.
        remedy: what to do about documents without a partner, if they have ids or never use them.

    Raises:
        MismatchError: if only one side has ids, an id is on one side only, or without ids the numbers of rows differ.
        DataError: if an id occurs twice on a side, or only some rows of a side have one.
    """
    if reference.has_ids is not predicted.has_ids and not may_lack_ids:
        raise _make_missing_ids_error(reference, predicted)
    if reference.has_ids and predicted.has_ids:
        return _pair_by_id(reference, predicted, on_ids_ignored, remedy)
    return _pair_by_order(reference, predicted, ORDER_REMEDY if reference.uses_ids else remedy)


def _pair_by_order(
    reference: RowPass[Document], predicted: RowPass[Document], remedy: str
) -> Iterator[tuple[Document, Document]]:
    others = iter(predicted)
    for row in reference:
        other = next(others, None)
        if other is None:
            raise _make_count_error(reference, predicted, row, remedy)
        yield row, other
    for other in others:
        raise _make_count_error(reference, predicted, other, remedy)


def _pair_by_id(
    reference: RowPass[Document], predicted: RowPass[Document], on_ids_ignored: Callable[[], object] | None, remedy: str
) -> Iterator[tuple[Document, Document]]:
    others = iter(predicted)
    held: dict[str | None, Document] = {}
    for row in reference:
        other = held.pop(row.id, None) or _find_partner(row, others, held, predicted)
        if other is None:
            rest = (later for later in reference if held.pop(later.id, None) is None)
            missing = _Unpaired.from_rows(chain([row], rest), reference, predicted)
            extra = _Unpaired.from_rows(held.values(), predicted, reference)
            if on_ids_ignored is not None and all(side.count == side.own.count for side in (missing, extra)):
                held.clear()
                on_ids_ignored()
                yield from _pair_by_order(replace(reference), replace(predicted), ORDER_REMEDY)
                return
            raise _make_unpaired_error(missing, extra, remedy=remedy)
        yield row, other
    extra = _Unpaired.from_rows(chain(held.values(), others), predicted, reference)
    if extra.count:
        raise _make_unpaired_error(extra, remedy=remedy)
    reference.check_ids()
    predicted.check_ids()


def _find_partner(
    row: Document, others: Iterable[Document], held: dict[str | None, Document], predicted: RowPass[Document]
) -> Document | None:
    """Find the partner of a row among the rows still to come.

    The rows before the partner are held.
    """
    for other in others:
        if other.id == row.id:
            return other
        if held.setdefault(other.id, other) is not other:
            raise predicted.make_repeat_error(held[other.id], other)
    return None


@dataclass(frozen=True)
class _Unpaired(Generic[Document]):
    """Rows whose id the other side lacks.

    They are described by their number, and the first of them.
    """

    own: RowPass[Document]
    other: RowPass[Document]
    count: int
    first: list[Document]

    @classmethod
    def from_rows(
        cls, rows: Iterable[Document], own: RowPass[Document], other: RowPass[Document]
    ) -> _Unpaired[Document]:
        rows = iter(rows)
        first = list(islice(rows, MAX_SHOWN_IDS + 1))
        return cls(own, other, len(first) + sum(1 for _ in rows), first)


def _make_unpaired_error(*sides: _Unpaired[Document], remedy: str) -> MismatchError:
    """Return the error for rows without partners.

    If the reason is an id that occurs twice, that error is raised instead.
    """
    for side in sides[0].own, sides[0].other:
        side.check_ids()
    lacking = [side for side in sides if side.count]
    return MismatchError(
        ", and ".join(
            f"{side.count} of {side.own.count} ids of the {side.own.side} are not in the {side.other.side}"
            for side in lacking
        ),
        where=lacking[0].own.locate(lacking[0].first[0]),
        detail="\n".join(f"only in {side.own.file.name}: {_format_ids(side.first)}" for side in lacking),
        remedy=remedy,
    )


def _format_ids(rows: Iterable[RowWithId]) -> str:
    ids = [repr(row.id) for row in islice(rows, MAX_SHOWN_IDS + 1)]
    return ", ".join(ids[:MAX_SHOWN_IDS]) + (", …" if len(ids) > MAX_SHOWN_IDS else "")


def _make_count_error(
    reference: RowPass[Document], predicted: RowPass[Document], extra: Document, remedy: str
) -> MismatchError:
    """Return the error for `extra`, which has no partner.

    The remaining rows are counted first.
    """
    longer = reference if reference.count > predicted.count else predicted
    number, more, text = longer.count, "", longer.get_text(extra)
    try:
        for _ in longer:
            pass
    except DataError:  # an unreadable row further down
        more = " or more"
    total = f"{longer.count}{more}"
    counts = (total, predicted.count) if longer is reference else (reference.count, total)
    return MismatchError(
        f"the reference has {counts[0]} document{'' if str(counts[0]) == '1' else 's'}, the prediction {counts[1]}",
        where=longer.locate(extra),
        detail=f"document {number} of the {longer.side} has no partner"
        + ("" if text is None else f": {text[:MAX_SHOWN_TEXT]!r}"),
        remedy=remedy,
    )


def _make_missing_ids_error(reference: RowPass[Document], predicted: RowPass[Document]) -> MismatchError:
    having, lacking = (reference, predicted) if reference.has_ids else (predicted, reference)
    return MismatchError(
        f"the documents of the {having.side} have ids, those of the {lacking.side} have none",
        where=lacking.locate(next(iter(lacking))),
        detail=f"{having.file.name} begins with the ids {_format_ids(having)}",
        remedy="Give both files ids to pair documents by id, or neither to pair them by order.",
    )


class NumberedId(NamedTuple):
    """Id and position of a row."""

    id: str | None
    position: int


@dataclass(frozen=True)
class IdColumn:
    """Ids of all rows of a file.

    Args:
        name: name of the file.
        ids: (rows,) ids; None for a row without one.
        where: returns file and line of a row.
    """

    name: str
    ids: Sequence[str | None]
    where: Callable[[int], str]

    def __iter__(self) -> Iterator[NumberedId]:
        """Yield the ids with their positions."""
        return map(NumberedId, self.ids, count())

    @property
    def is_sound(self) -> bool:
        """Whether all rows have different ids, or no row has one."""
        distinct = {*self.ids}
        return distinct <= {None} or (len(distinct) == len(self.ids) and None not in distinct)

    def start_pass(self, side: str) -> RowPass[NumberedId]:
        """Start a pass over the rows; the side is for messages."""
        return RowPass(self, side, lambda row: self.where(row.position))

    def check(self) -> None:
        """Check that all rows have different ids, or no row has one.

        Raises:
            DataError: if they do not.
        """
        if not self.is_sound:
            rows = self.start_pass("file")
            deque(rows, maxlen=0)
            rows.check_ids()


def align_rows(
    reference: IdColumn, prediction: IdColumn, on_ids_ignored: Callable[[], object] | None = None
) -> NDArray[np.int64] | None:
    """Return each reference row's partner row in the prediction: (rows,).

    It is None if both sides have the same order. If a side has no ids, rows are paired by order.

    Args:
        reference: ids of the reference.
        prediction: ids of the prediction.
        on_ids_ignored: called if no id is on both sides, and rows are paired by order; None to refuse such files.

    Raises:
        MismatchError: if a row has no partner.
        DataError: if an id is repeated, or only some rows of a file have one.
    """
    if reference.is_sound and prediction.is_sound:  # much faster than row by row, which explains what does not fit
        if reference.ids == prediction.ids:
            return None
        positions = {row_id: row for row, row_id in enumerate(prediction.ids)}
        places = np.array([positions.get(row_id, -1) for row_id in reference.ids], np.int64)  # (rows,)
        if len(places) == len(prediction.ids) and (places >= 0).all():
            return places
    sides = reference.start_pass("reference"), prediction.start_pass("prediction")
    pairs = pair_rows(*sides, may_lack_ids=True, on_ids_ignored=on_ids_ignored)
    order = np.fromiter((other.position for _, other in pairs), np.int64)  # (rows,)
    return None if np.array_equal(order, np.arange(len(order))) else order
