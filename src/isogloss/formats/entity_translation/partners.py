"""The predictions, handed out by the ids of the reference."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

from isogloss.batches import Notice
from isogloss.exceptions import DataError
from isogloss.formats.entity_translation.rows import Prediction, Rows, keys_of
from isogloss.formats.entity_translation.sentences import Rules, Sentences

PREFIX = re.compile(r"Q[0-9]+_[0-9]")


class OutOfStepError(Exception):
    """A prediction for an id that was already handed on: the files cannot be read in step."""


@dataclass
class _Rest:
    """Predictions by id.

    Args:
        at: id to position.
        texts: their translations, the last one of each id.
        places: where these stand.
        used: (predictions,) 1 where the reference has the id.
    """

    at: dict[str, int] = field(default_factory=dict)
    texts: list[str | None] = field(default_factory=list)
    places: array[int] = field(default_factory=lambda: array("q"))
    used: bytearray = field(default_factory=bytearray)


class Partners:
    """The predictions, handed out by the ids of the reference."""

    def __init__(
        self, predictions: Rows[Prediction] | None, rules: Rules, sentences: Sentences, *, in_step: bool
    ) -> None:
        self._predictions = predictions
        self._pieces = iter(()) if predictions is None else predictions.pieces()
        self._rules = rules
        self._sentences = sentences
        self._places: Sequence[int] = ()
        self._rows: Sequence[Prediction] = ()
        self._looked_up: _Rest | None = None if in_step else _Rest()
        self._notices: list[Notice] = []
        if not in_step:
            self._load()

    def of(self, keys: Sequence[str]) -> tuple[Sequence[str | None], Sequence[int], list[Notice]]:
        """Translation and place of each row, None and -1 where there is none; and what was done about them."""
        if self._predictions is None:
            return [None] * len(keys), [-1] * len(keys), []
        if self._looked_up is None:
            self._fill(len(keys))
            if self._agree(keys):
                return self._in_step(len(keys))
            self._looked_up = _Rest()
            self._load()
        rest = self._looked_up
        at = [rest.at.get(key, -1) for key in keys]
        for k in at:
            if k >= 0:
                rest.used[k] = 1
        notices, self._notices = self._notices, []
        return [None if k < 0 else rest.texts[k] for k in at], [-1 if k < 0 else rest.places[k] for k in at], notices

    def rest(self) -> list[Notice]:
        """What is known when all references have been read: predictions that none of them asks for."""
        if self._predictions is None:
            return []
        if self._looked_up is None:
            self._looked_up = _Rest()
            self._load()
        rest = self._looked_up
        extra = [k for k, used in enumerate(rest.used) if not used]
        if extra:
            where = self._predictions.where(rest.places[extra[0]])
            message = "predictions without a reference are ignored"
            self._notices.append(Notice("extra-predictions", message, len(extra), where))
        return self._notices

    def _in_step(self, number: int) -> tuple[Sequence[str | None], Sequence[int], list[Notice]]:
        answers = [row.prediction for row in self._rows[:number]]
        places = self._places[:number]
        self._rows, self._places = self._rows[number:], self._places[number:]
        return answers, places, []

    def _agree(self, keys: Sequence[str]) -> bool:
        """Whether the next predictions are for these ids."""
        rows = self._rows[: len(keys)]
        if not self._rules.prefix_ids and [row.id for row in rows] == keys:
            return True
        return self._keys(rows, self._places) == keys

    def _fill(self, number: int) -> None:
        """Hold at least so many rows, if there are."""
        while len(self._rows) < number:
            piece = next(self._pieces, None)
            if piece is None:
                return
            joined = [*self._places, *piece.places] if self._rows else piece.places
            self._rows, self._places = [*self._rows, *piece.rows] if self._rows else piece.rows, joined

    def _keys(self, rows: Sequence[Prediction], places: Sequence[int]) -> list[str]:
        """The ids, cut where the rules say so."""
        if not self._rules.prefix_ids:
            return keys_of(rows)
        return [self._cut(str(row.id), place) for row, place in zip(rows, places, strict=False)]

    def _cut(self, key: str, place: int) -> str:
        prefix = PREFIX.match(key)
        if prefix is None:
            raise DataError(
                f"the id {key!r} does not begin as Q1_0, which the profile ea-mt needs",
                where=self._predictions.where(place) if self._predictions else None,
                remedy="Leave out the profile: by default ids are compared as they are.",
            )
        return prefix[0]

    def _load(self) -> None:
        """Hold all predictions that are left by their ids.

        Raises:
            OutOfStepError: one has an id that was already handed on.
        """
        rest = self._looked_up or _Rest()
        original: dict[str, str] = {}  # the full id, where it was cut
        self._add(rest, original, self._places, self._rows)
        self._rows, self._places = (), ()
        for piece in self._pieces:
            self._add(rest, original, piece.places, piece.rows)
        keys = list(rest.at)
        if keys and self._sentences.has_had(keys).any():
            raise OutOfStepError
        rest.used = bytearray(len(keys))

    def _add(self, rest: _Rest, original: dict[str, str], places: Sequence[int], rows: Sequence[Prediction]) -> None:
        for place, row, key in zip(places, rows, self._keys(rows, places), strict=True):
            if not key:
                self._note("empty-ids", "predictions with an empty id", place)
            at = rest.at.setdefault(key, len(rest.texts))
            if at == len(rest.texts):
                rest.texts.append(row.prediction)
                rest.places.append(place)
            else:
                self._repeated(rest, at, row, collides=original.get(key, key) != str(row.id), place=place)
            if key != str(row.id) or key in original:
                original[key] = str(row.id)

    def _repeated(self, rest: _Rest, at: int, row: Prediction, *, collides: bool, place: int) -> None:
        """Let a later prediction for the same id count."""
        if collides:
            self._note("id-collisions", "different ids that are cut to the same one: the last prediction counts", place)
        elif rest.texts[at] != row.prediction:
            self._note("duplicate-ids", "repeated ids with another prediction: the last one counts", place)
        else:
            self._note("duplicate-ids", "repeated ids with the same prediction", place)
        rest.texts[at], rest.places[at] = row.prediction, place

    def _note(self, code: str, message: str, place: int) -> None:
        where = None if self._predictions is None else self._predictions.where(place)
        self._notices = [*Notice.merge([*self._notices, Notice(code, message, where=where)])]
