"""Rows as one text, so that a table lookup sees all their characters at once; and the way back."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from isogloss.annotate.cleaning import Cleaned, cleaned
from isogloss.batches import Passage, Side
from isogloss.formats.code_switching import Row
from isogloss.rules.characters import code_points
from isogloss.scores import Ints

Where = Callable[[int, int], str]


@dataclass(frozen=True, eq=False)
class Joined:
    """Texts, one after the other, with a space after each.

    Args:
        rows: the texts as they are cut, with what is given about them.
        text: of all rows.
        points: (characters,) its code points.
        offsets: (rows + 1,) first character of each row; the last is the number of characters.
        origin: the texts as the user gave them.
    """

    rows: Sequence[Row]
    text: str
    points: NDArray[np.uint32]
    offsets: Ints
    origin: TextOrigin

    @classmethod
    def of(cls, rows: Sequence[Row], where: Where, *, clean: bool = False) -> Joined:
        """Rows joined.

        Args:
            rows: texts.
            where: place of a row, given what it keeps as its place, and the number of newlines before the spot.
            clean: whether tags and marks are taken out first, as PNaCoS does.
        """
        changed = [cleaned(row.text) for row in rows] if clean else None
        used = rows if changed is None else list(map(_moved, rows, changed))
        text = "".join([part for row in used for part in (row.text, " ")])
        offsets = np.fromiter(accumulate((len(row.text) + 1 for row in used), initial=0), np.int64, len(used) + 1)
        return cls(used, text, code_points(text), offsets, TextOrigin(rows, where, changed))

    def strings(self, start: Ints, end: Ints) -> list[str]:
        """The texts of spans."""
        text = self.text
        return [text[a:b] for a, b in zip(start.tolist(), end.tolist(), strict=True)]


@dataclass(frozen=True, eq=False)
class TextOrigin:
    """Where texts come from.

    Args:
        rows: the texts as the user gave them.
        where: place of a row.
        changed: per row what was made of it, None where nothing was.
        passages: of changed rows, kept as many findings are in one row.
    """

    rows: Sequence[Row]
    where_of: Where
    changed: Sequence[Cleaned] | None = None
    passages: dict[int, Passage] = field(default_factory=dict, repr=False)

    def name(self, row: int) -> str:
        """Id of a text, or its number from 1."""
        return self.rows[row].name

    def where(self, row: int, position: int, side: Side) -> str:  # noqa: ARG002  a text has one side
        """Place of a character of a text as the user gave it."""
        given = self.rows[row]
        return self.where_of(given.place, given.text.count("\n", 0, position))

    def value(self, row: int, column: str) -> str | None:
        """What a column of the row has, as far as columns were asked for."""
        columns = self.rows[row].columns
        return None if columns is None else columns.get(column)

    def passage(self, row: int) -> Passage:
        """The text as the user gave it, and where the characters that were looked at stand in it."""
        text = self.rows[row].text
        if self.changed is None:
            return Passage(text)
        if row not in self.passages:
            places = self.changed[row].places
            self.passages[row] = Passage(text, places, tuple(_after_marks(text, place) for place in places))
        return self.passages[row]


def _after_marks(text: str, place: int) -> int:
    """The place after a character and the marks on it."""
    end = place + 1
    while end < len(text) and unicodedata.category(text[end]) == "Mn":
        end += 1
    return end


def _moved(row: Row, changed: Cleaned) -> Row:
    """A row with its text changed, and the spans that are given with it moved along; what is left empty is left out."""
    sentences, tokens = (_mapped(spans, changed) for spans in (row.sentences, row.tokens))
    entities = row.entities
    if entities is not None:
        places = _mapped([(start, end) for start, end, _ in entities], changed)
        labels = (label for _, _, label in entities)
        entities = tuple((*span, label) for span, label in zip(places or (), labels, strict=True) if span[0] < span[1])
    return row._replace(
        text=changed.text,
        sentences=None if sentences is None else tuple(span for span in sentences if span[0] < span[1]),
        tokens=None if tokens is None else tuple(span for span in tokens if span[0] < span[1]),
        entities=entities,
    )


def _mapped(spans: Sequence[tuple[int, int]] | None, changed: Cleaned) -> list[tuple[int, int]] | None:
    """Where spans of the original begin and end in the changed text."""
    if spans is None:
        return None
    return [(bisect_left(changed.places, start), bisect_left(changed.places, end)) for start, end in spans]
