"""What texts are called: their ids, or their numbers from 1.

Either all rows of an input have an id, or none has one, and no id stands twice: results of two systems are compared by
it. Of the ids of a pass only hashes are kept, eight bytes each; equal ones are looked for when the pass is over.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from isogloss.exceptions import DataError, FormatError

DEFAULT = "id"  # a field of this name is looked for, but need not be there
NUMBERED = "or have them numbered with an empty --id-field."
ABSENT = {type(None)}


class Names:
    """What the rows of one pass are called.

    Args:
        field: where their ids are looked for; None to number them.
        where: what messages call a place.
    """

    def __init__(self, field: str | None, where: Callable[[int], str]) -> None:
        self._field = field
        self._where = where
        self._count = 0
        self._with_ids: bool | None = None
        self._hashes = array("q")

    def numbered(self, count: int) -> Iterable[str]:
        """The numbers of the next rows."""
        first = self._count + 1
        self._count += count
        return map(str, range(first, first + count))

    def of(self, ids: Sequence[Any], places: Sequence[int]) -> Iterable[str]:
        """What the next rows are called.

        Args:
            ids: (rows,) their ids; None where they have none.
            places: (rows,) where they are.

        Raises:
            FormatError: an id is neither a string nor a whole number.
            DataError: some rows have an id and others do not.
        """
        if self._field is None or not ids:
            return self.numbered(len(ids))
        kinds = set(map(type, ids))
        if self._with_ids is None:
            self._with_ids = ids[0] is not None
        if not kinds <= ({str, int} if self._with_ids else ABSENT):
            raise self._fault(ids, places)
        if not self._with_ids:
            if self._field != DEFAULT:
                raise self._no_id(places[0])
            return self.numbered(len(ids))
        names = list(map(str, ids))
        self._hashes.extend(map(hash, names))
        return names

    def may_repeat(self) -> bool:
        """Whether two ids have equal hashes, which nearly always means that one stands twice."""
        return bool(self._repeated())

    def check(self, again: Iterable[tuple[str, int]]) -> None:
        """Fails if an id stands twice. The pass must be over.

        Args:
            again: names and places of all rows, from a second pass.

        Raises:
            DataError: it names both places.
        """
        suspicious = self._repeated()
        first: dict[str, int] = {}
        for name, place in again:
            if hash(name) not in suspicious:
                continue
            if name in first:
                raise DataError(
                    f"the id {name!r} stands twice",
                    where=self._where(place),
                    detail=f"It first stands at {self._where(first[name])}.",
                    remedy=f"Give every text an id of its own, name another field with --id-field, {NUMBERED}",
                )
            first[name] = place

    def _repeated(self) -> set[int]:
        hashes = np.sort(np.array(self._hashes, np.int64))  # (rows,)
        return set(hashes[1:][hashes[1:] == hashes[:-1]].tolist())

    def _fault(self, ids: Sequence[Any], places: Sequence[int]) -> DataError:
        """What is wrong with the first id that is not like those before it."""
        for value, place in zip(ids, places, strict=True):
            absent = value is None
            if not absent and type(value) not in {str, int}:
                return FormatError(
                    f"`{self._field}` is {value!r}",
                    where=self._where(place),
                    remedy="An id is a string or a whole number.",
                )
            if absent is self._with_ids:
                has, others = ("no id", "has one") if absent else ("an id", "has none")
                return DataError(
                    f"the row has {has} in `{self._field}`, but the first {others}",
                    where=self._where(place),
                    remedy=f"Give all rows an id, or none, {NUMBERED}",
                )
        raise AssertionError("all ids are alike")

    def _no_id(self, place: int) -> FormatError:
        return FormatError(
            f"the row has no `{self._field}`",
            where=self._where(place),
            remedy="Name the field with the ids with --id-field, or leave the option out to number the texts.",
        )
