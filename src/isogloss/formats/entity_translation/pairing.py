"""Sentences and their translations brought together by id.

The files of a language are read in step as long as their ids agree. From where they first do not, the rest of the
predictions is held in a dictionary: a system may leave sentences out, repeat them, or bring them in another order. Of
several predictions for an id the last one counts. Should the rest hold an id that was already handed on,
`OutOfStepError` says so, and the reader begins again with the dictionary.

An id of the reference stands once; repetitions are found by hashes of 8 bytes and then looked up exactly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.batches import Notice, Passage, Side, Translations
from isogloss.formats.attributes import FILE, Values
from isogloss.formats.entity_translation.comet import Comet
from isogloss.formats.entity_translation.languages import Part
from isogloss.formats.entity_translation.partners import Partners
from isogloss.formats.entity_translation.rows import AnyReference, Prediction, Reference, Rows, keys_of
from isogloss.formats.entity_translation.sentences import Rules, Sentences
from isogloss.formats.json_lines import Columns
from isogloss.scores import Floats

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
    columns: Columns[Reference] | None = None

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

    def where(self, row: int, position: int, side: Side) -> str:  # noqa: ARG002  as `Origin` asks
        """Place of the row; that of the reference where there is no prediction."""
        if side == "predicted" and self.predictions is not None and self.answer_places[row] >= 0:
            return self.predictions.where(self.answer_places[row])
        return self.references.where(self.places[row])

    def passage(self, row: int) -> Passage | None:
        """The translation."""
        answer = self.answers[row]
        return None if answer is None else Passage(answer)

    def value(self, row: int, column: str) -> str | None:
        """The entity, its first type, the language, another column of the reference, or the file of the prediction."""
        task = self.tasks[row]
        if column == "entity":
            return task.entity or entity_of(str(task.id))
        if column == "entity_type":
            return next(iter(task.entity_types), None)
        if column == "language":
            return self.language
        return self._own(row).get(column) or (self._file if column == FILE else None)

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
        return self.columns.of(task, self.references.where(self.places[row]))


def read(
    part: Part, rules: Rules, first: int, comet: Comet | None = None, *, in_step: bool = True
) -> Iterator[Translations]:
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
    partners = Partners(part.predictions, rules, sentences, in_step=in_step)
    position = 0
    for piece in part.references.pieces():
        rows = piece.rows
        keys = keys_of(rows)
        answers, answer_places, notices = partners.of(keys)
        kept = sentences.kept(piece, keys)
        origin = TranslationOrigin(
            part.references, part.predictions, piece.places, answer_places, rows, answers, part.language, part.columns
        )
        positions: Sequence[int] = range(position, position + len(rows))
        if kept is not None:
            origin, positions = origin.only(kept), [position + k for k in kept]
        notices += _unanswered(origin) + sentences.take_notices()
        scores = None
        if comet is not None:
            scores = comet.of(keys_of(origin.tasks), positions)
            notices += _without_comet(origin, scores)
            scores = np.where(np.isnan(scores), rules.missing_comet, scores)
        number = len(origin.tasks)
        documents = np.arange(first, first + number)
        yield Translations(
            documents, part.language, origin.tasks, origin.answers, origin, comet=scores, notices=tuple(notices)
        )
        first += number
        position += len(rows)
    notices = partners.rest()
    if comet is not None:
        comet.check(position)
    sentences.check_unique()
    yield _nothing(part, first, comet, notices)


def _nothing(part: Part, first: int, comet: Comet | None, notices: Sequence[Notice]) -> Translations:
    """What is known at the end, and no sentence."""
    origin = TranslationOrigin(part.references, part.predictions, (), (), (), (), part.language)
    none = np.arange(first, first)
    return Translations(none, part.language, (), (), origin, None if comet is None else np.zeros(0), tuple(notices))


def _unanswered(origin: TranslationOrigin) -> list[Notice]:
    """Sentences without a translation; a language without any has its own notice."""
    if None not in origin.answers or origin.predictions is None:
        return []
    unanswered = [k for k, answer in enumerate(origin.answers) if answer is None]
    missing = [k for k in unanswered if origin.answer_places[k] < 0]
    null = [k for k in unanswered if origin.answer_places[k] >= 0]
    notices = []
    if missing:
        message = "sentences without a prediction count as wrong"
        notices.append(Notice("missing-predictions", message, len(missing), origin.where(missing[0], 0, "reference")))
    if null:
        message = "predictions that are null count as wrong"
        notices.append(Notice("null-predictions", message, len(null), origin.where(null[0], 0, "predicted")))
    return notices


def _without_comet(origin: TranslationOrigin, scores: Floats) -> list[Notice]:
    missing = np.flatnonzero(np.isnan(scores)).tolist()
    if not missing:
        return []
    message = "sentences without a COMET score"
    return [Notice("missing-comet", message, len(missing), origin.where(missing[0], 0, "reference"))]


def entity_of(name: str) -> str | None:
    """The Wikidata item that an id such as `Q42_3` begins with; None where it begins with none."""
    item = ITEM.match(name)
    return None if item is None else item[0]
