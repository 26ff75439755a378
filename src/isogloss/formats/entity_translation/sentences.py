"""The rows of the reference: which of them are scored, and which ids there have been."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.batches import Notice
from isogloss.exceptions import DataError
from isogloss.formats.entity_translation.languages import UNKNOWN, Part
from isogloss.formats.entity_translation.rows import AnyReference, Piece, Reference


@dataclass(frozen=True)
class Rules:
    """How rows are read.

    Args:
        types: only sentences with one of these entity types, None for all.
        prefix_ids: whether ids of predictions are cut to `Q1_0`.
        empty_mentions: whether an empty name counts as one; it is in every translation.
        missing_comet: the score of a sentence that has none, nan to leave it out.
    """

    types: frozenset[str] | None = None
    prefix_ids: bool = False
    empty_mentions: bool = False
    missing_comet: float = np.nan


class Sentences:
    """The rows of the reference: which of them are scored, and which ids there have been."""

    def __init__(self, part: Part, rules: Rules) -> None:
        self._part = part
        self._rules = rules
        self._scored = array("q")  # hashes of ids
        self._left_out = array("q")
        self._notices: list[Notice] = []

    def kept(self, piece: Piece[AnyReference], keys: Sequence[str]) -> list[int] | None:
        """Positions of the rows that are scored, None for all of them. Empty names are taken out.

        Args:
            piece: consecutive rows.
            keys: their ids.
        """
        rows = piece.rows
        kept: list[int] | None = None
        if self._rules.types is not None or not piece.sound:
            kept = [k for k, row in enumerate(rows) if self._scores(piece.places[k], row)]
        hashes = np.fromiter(map(hash, keys), np.int64, len(keys))
        if kept is None or len(kept) == len(rows):
            self._scored.frombytes(hashes.tobytes())
            return None
        scored = np.zeros(len(rows), np.bool_)
        scored[kept] = True
        self._scored.frombytes(hashes[scored].tobytes())
        self._left_out.frombytes(hashes[~scored].tobytes())
        return kept

    def take_notices(self) -> list[Notice]:
        """What was done about the rows since the last call."""
        notices, self._notices = self._notices, []
        return notices

    def has_had(self, keys: Sequence[str]) -> NDArray[np.bool_]:
        """Which ids have been in the rows so far: (keys,). Hashes may, very rarely, say yes to another id."""
        known = np.array([*self._scored, *self._left_out], np.int64)
        return np.isin(np.fromiter(map(hash, keys), np.int64, len(keys)), known)

    def check_unique(self) -> None:
        """Fail if an id stands twice among the rows that are scored.

        Raises:
            DataError: it does.
        """
        hashes = np.frombuffer(self._scored, np.int64)
        hashes.sort()
        twice = set(hashes[1:][hashes[1:] == hashes[:-1]].tolist())
        if not twice:
            return
        first: dict[str, int] = {}
        for piece in self._part.references.pieces():
            for place, row in zip(piece.places, piece.rows, strict=True):
                key = str(row.id)
                if hash(key) in twice and self._scores(place, row):
                    self._unlike(first, key, place)

    def _unlike(self, first: dict[str, int], key: str, place: int) -> None:
        where = self._part.references.where
        if key in first:
            raise DataError(
                f"the id {key!r} stands a second time, after {where(first[key])}",
                where=where(place),
                remedy="Each sentence of the reference has an id of its own. Remove the row, or rename it.",
            )
        first[key] = place

    def _scores(self, place: int, row: AnyReference) -> bool:
        """Whether a row is scored."""
        if isinstance(row, Reference):
            where = self._part.references.where
            if self._part.by_rows and (row.target_locale or UNKNOWN) != self._part.language:
                raise DataError(
                    f"the target language is {row.target_locale}, but {self._part.language} in the first row",
                    where=where(place),
                    remedy="Put each language into a file of its own, in one folder: it_IT.jsonl, ar_AE.jsonl.",
                )
            if row.id == "":
                self._note("empty-ids", "sentences of the reference with an empty id", place)
            if not self._rules.empty_mentions and not all(target.mention for target in row.targets):
                self._note("empty-mentions", "sentences of the reference with an empty name, which is left out", place)
                row.targets = tuple(target for target in row.targets if target.mention)
            if not row.targets:
                self._note("no-targets", "sentences of the reference without an accepted name are not scored", place)
                return False
        return self._rules.types is None or not self._rules.types.isdisjoint(row.entity_types)

    def _note(self, code: str, message: str, place: int) -> None:
        self._notices.append(Notice(code, message, where=self._part.references.where(place)))
