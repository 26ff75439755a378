"""The rows of the reference: which of them are scored, and which ids there have been."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import DataError
from isogloss.kernel.provenance import RunWarning, Side, TextExcerpt
from isogloss.kernel.scores import Floats
from isogloss.records.attributes import FILE_COLUMN, Values
from isogloss.records.json_fields import ColumnDecoder
from isogloss.records.pairing import IdHashes, IdRows, RowMatcher, build_repeat_error, hash_ids
from isogloss.tasks.entity_translation.batches import TranslationBatch
from isogloss.tasks.entity_translation.comet import CometScores
from isogloss.tasks.entity_translation.languages import Part
from isogloss.tasks.entity_translation.options import Rules
from isogloss.tasks.entity_translation.rows import UNKNOWN, AnyReference, Piece, Prediction, Reference, Rows, keys_of


class Sentences:
    """The rows of the reference: which of them are scored, and which ids there have been."""

    def __init__(self, part: Part, rules: Rules) -> None:
        self._part = part
        self._rules = rules
        self._scored = IdHashes()
        self._left_out = IdHashes()
        self._notices: list[RunWarning] = []

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
        hashes = hash_ids(keys)
        if kept is None or len(kept) == len(rows):
            self._scored.extend(hashes)
            return None
        scored = np.zeros(len(rows), np.bool_)
        scored[kept] = True
        self._scored.extend(hashes[scored])
        self._left_out.extend(hashes[~scored])
        return kept

    def take_notices(self) -> list[RunWarning]:
        """What was done about the rows since the last call."""
        notices, self._notices = self._notices, []
        return notices

    def has_had(self, keys: Sequence[str]) -> NDArray[np.bool_]:
        """Which ids have been in the rows so far: (keys,). Hashes may, very rarely, say yes to another id."""
        return self._scored.has_each(keys) | self._left_out.has_each(keys)

    def check_unique(self) -> None:
        """Fail if an id stands twice among the rows that are scored.

        Raises:
            DataError: it does.
        """
        references = self._part.references
        repeat = self._scored.find_repeat(
            (str(row.id), place)
            for piece in references.pieces()
            for place, row in zip(piece.places, piece.rows, strict=True)
            if self._scores(place, row)
        )
        if repeat is not None:
            key, first, second = repeat
            remedy = "Each sentence of the reference has an id of its own. Remove the row, or rename it."
            raise build_repeat_error(key, references.where(first), references.where(second), remedy)

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
        self._notices.append(RunWarning(code, message, where=self._part.references.where(place)))


PREFIX = re.compile(r"Q[0-9]+_[0-9]")


class PredictionMatcher:
    """The predictions, handed out by the ids of the reference.

    Args:
        predictions: the rows of the prediction; None if there are none.
        rules: how rows are read.
        sentences: the rows of the reference so far.
        in_step: whether to read in step as long as ids agree.
    """

    def __init__(
        self,
        predictions: Rows[Prediction] | None,
        rules: Rules,
        sentences: Sentences,
        *,
        in_step: bool,
    ) -> None:
        self._predictions, self._rules = predictions, rules
        self._notices: list[RunWarning] = []
        self._partners = RowMatcher(self._read_blocks(), sentences.has_had, self._check_loaded, in_step=in_step)

    def match(self, keys: list[str]) -> tuple[Sequence[str | None], Sequence[int], list[RunWarning]]:
        """Translation and place of each row, None and -1 where there is none; and what was done about them."""
        if self._predictions is None:
            return [None] * len(keys), [-1] * len(keys), []
        rows, places = self._partners.match(keys)
        notices, self._notices = self._notices, []
        if self._partners.is_in_step:  # no row is None: a tenth faster
            return [row.prediction for row in rows], places, notices  # type: ignore[union-attr]
        return [None if row is None else row.prediction for row in rows], places, notices

    def list_unused(self) -> list[RunWarning]:
        """What is known when all references have been read: predictions that none of them asks for."""
        unused = self._partners.list_unused()
        if unused:
            self._note("extra-predictions", "predictions without a reference are ignored", unused[0], len(unused))
        return self._notices

    def _read_blocks(self) -> Iterator[IdRows[Prediction]]:
        for piece in () if self._predictions is None else self._predictions.pieces():
            yield IdRows(self._list_ids(piece.rows, piece.places), piece.places, piece.rows)

    def _list_ids(self, rows: Sequence[Prediction], places: Sequence[int]) -> Sequence[str | int]:
        """The ids, cut where the rules say so."""
        if not self._rules.prefix_ids:
            return [row.id for row in rows]
        return [self._cut(str(row.id), place) for row, place in zip(rows, places, strict=True)]

    def _cut(self, key: str, place: int) -> str:
        prefix = PREFIX.match(key)
        if prefix is None:
            raise DataError(
                f"the id {key!r} does not begin as Q1_0, which the profile ea-mt needs",
                where=self._predictions.where(place) if self._predictions else None,
                remedy="Leave out the profile: by default ids are compared as they are.",
            )
        return prefix[0]

    def _check_loaded(self, key: str, place: int, row: Prediction, earlier: Prediction | None) -> None:
        """Warn about an empty id, and about an id that stands twice."""
        if not key:
            self._note("empty-ids", "predictions with an empty id", place)
        if earlier is None:
            return
        if str(earlier.id) != str(row.id):
            self._note("id-collisions", "different ids that are cut to the same one: the last prediction counts", place)
        elif earlier.prediction != row.prediction:
            self._note("duplicate-ids", "repeated ids with another prediction: the last one counts", place)
        else:
            self._note("duplicate-ids", "repeated ids with the same prediction", place)

    def _note(self, code: str, message: str, place: int, count: int = 1) -> None:
        where = None if self._predictions is None else self._predictions.where(place)
        self._notices = [*RunWarning.merge([*self._notices, RunWarning(code, message, count, where)])]


ITEM = re.compile(r"Q\d+(?=_)")


@dataclass(frozen=True, eq=False)
class TranslationOrigin:
    """Rows of both sides.

    Args:
        references: the rows of the reference.
        predictions: those of the prediction, None where there are none.
        places: (documents,) place of each reference.
        answer_places: (documents,) place of each prediction, -1 for none.
        tasks: (documents,) the sentences.
        answers: (documents,) their translations.
        language: the target language.
        columns: what reads columns of the reference beside.
    """

    references: Rows[AnyReference]
    predictions: Rows[Prediction] | None
    places: Sequence[int]
    answer_places: Sequence[int]
    tasks: Sequence[AnyReference]
    answers: Sequence[str | None]
    language: str
    columns: ColumnDecoder[Reference] | None = None

    def only(self, rows: Sequence[int]) -> TranslationOrigin:
        """Some of the sentences, by their positions."""
        return TranslationOrigin(
            self.references,
            self.predictions,
            [self.places[k] for k in rows],
            [self.answer_places[k] for k in rows],
            [self.tasks[k] for k in rows],
            [self.answers[k] for k in rows],
            self.language,
            self.columns,
        )

    def name(self, row: int) -> str:
        """The id."""
        return str(self.tasks[row].id)

    def where(self, row: int, position: int, side: Side) -> str:  # noqa: ARG002 - as `Origin` asks
        """Place of the row; that of the reference where there is no prediction."""
        if side == "predicted" and self.predictions is not None and self.answer_places[row] >= 0:
            return self.predictions.where(self.answer_places[row])
        return self.references.where(self.places[row])

    def get_excerpt(self, row: int) -> TextExcerpt | None:
        """The translation."""
        answer = self.answers[row]
        return None if answer is None else TextExcerpt(answer)

    def value(self, row: int, column: str) -> str | None:
        """The entity, its first type, the language, another column of the reference, or the file of the prediction."""
        task = self.tasks[row]
        if column == "entity":
            return task.entity or entity_of(str(task.id))
        if column == "entity_type":
            return next(iter(task.entity_types), None)
        if column == "language":
            return self.language
        return self._own(row).get(column) or (self._file if column == FILE_COLUMN else None)

    @property
    def _file(self) -> str | None:
        """The file of the prediction, or of the reference where there is none."""
        rows = (self.references if self.predictions is None else self.predictions).source
        return None if rows is None else rows.name

    def _own(self, row: int) -> Values:
        """The columns that were asked for."""
        if self.columns is None:
            return {}
        task: Any = self.tasks[row]
        return self.columns.read_columns(task, self.references.where(self.places[row]))


def read(
    part: Part,
    rules: Rules,
    first: int,
    comet: CometScores | None = None,
    *,
    in_step: bool = True,
) -> Iterator[TranslationBatch]:
    """The sentences of one language in batches.

    Args:
        part: the language.
        rules: how rows are read.
        first: number of its first sentence.
        comet: its COMET scores.
        in_step: whether to read in step as long as ids agree.

    Raises:
        OutOfStepError: in step, where it cannot be.
        SourceError: a file cannot be read.
        DataError: a row is not what it should be, an id of the reference stands twice, or is not of the profile's form.
    """
    sentences = Sentences(part, rules)
    partners = PredictionMatcher(part.predictions, rules, sentences, in_step=in_step)
    position = 0
    for piece in part.references.pieces():
        rows = piece.rows
        keys = keys_of(rows)
        answers, answer_places, notices = partners.match(keys)
        kept = sentences.kept(piece, keys)
        origin = TranslationOrigin(
            part.references,
            part.predictions,
            piece.places,
            answer_places,
            rows,
            answers,
            part.language,
            part.columns,
        )
        positions: Sequence[int] = range(position, position + len(rows))
        if kept is not None:
            origin, positions = origin.only(kept), [position + k for k in kept]
        notices += _unanswered(origin) + sentences.take_notices()
        scores = None
        if comet is not None:
            scores = comet.get_scores(keys_of(origin.tasks), positions)
            notices += _without_comet(origin, scores)
            scores = np.where(np.isnan(scores), rules.missing_comet, scores)
        number = len(origin.tasks)
        documents = np.arange(first, first + number)
        yield TranslationBatch(
            documents,
            part.language,
            origin.tasks,
            origin.answers,
            origin,
            comet=scores,
            warnings=tuple(notices),
        )
        first += number
        position += len(rows)
    notices = partners.list_unused()
    if comet is not None:
        comet.check_row_count(position)
    sentences.check_unique()
    yield _nothing(part, first, comet, notices)


def _nothing(part: Part, first: int, comet: CometScores | None, notices: Sequence[RunWarning]) -> TranslationBatch:
    """What is known at the end, and no sentence."""
    origin = TranslationOrigin(part.references, part.predictions, (), (), (), (), part.language)
    none = np.arange(first, first)
    return TranslationBatch(none, part.language, (), (), origin, None if comet is None else np.zeros(0), tuple(notices))


def _unanswered(origin: TranslationOrigin) -> list[RunWarning]:
    """Sentences without a translation; a language without any has its own notice."""
    if None not in origin.answers or origin.predictions is None:
        return []
    unanswered = [k for k, answer in enumerate(origin.answers) if answer is None]
    missing = [k for k in unanswered if origin.answer_places[k] < 0]
    null = [k for k in unanswered if origin.answer_places[k] >= 0]
    notices = []
    if missing:
        message = "sentences without a prediction count as wrong"
        notices.append(
            RunWarning("missing-predictions", message, len(missing), origin.where(missing[0], 0, "reference"))
        )
    if null:
        message = "predictions that are null count as wrong"
        notices.append(RunWarning("null-predictions", message, len(null), origin.where(null[0], 0, "predicted")))
    return notices


def _without_comet(origin: TranslationOrigin, scores: Floats) -> list[RunWarning]:
    missing = np.flatnonzero(np.isnan(scores)).tolist()
    if not missing:
        return []
    message = "sentences without a COMET score"
    return [RunWarning("missing-comet", message, len(missing), origin.where(missing[0], 0, "reference"))]


def entity_of(name: str) -> str | None:
    """The Wikidata item that an id such as `Q42_3` begins with; None where it begins with none."""
    item = ITEM.match(name)
    return None if item is None else item[0]
