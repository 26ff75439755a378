"""Pair sentences of one language with translations by id, in batches.

The translations are those of one system.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import DataError
from isogloss.kernel.provenance import RunWarning, Side, TextExcerpt
from isogloss.kernel.scores import Floats
from isogloss.records.attributes import FILE_COLUMN, Values
from isogloss.records.block_pairing import IdRows, RowMatcher
from isogloss.records.json_fields import ColumnDecoder
from isogloss.records.pairing import IdHashes, build_repeat_error, hash_ids
from isogloss.tasks.entity_translation.batches import TranslationBatch
from isogloss.tasks.entity_translation.comet import CometScores
from isogloss.tasks.entity_translation.inputs import LanguageInput
from isogloss.tasks.entity_translation.options import Rules
from isogloss.tasks.entity_translation.rows import (
    UNKNOWN,
    AnyReference,
    Prediction,
    Reference,
    RowBlock,
    Rows,
    list_ids,
)


class Sentences:
    """Select the sentences of the reference that are scored.

    The ids that were read are remembered.
    """

    def __init__(self, part: LanguageInput, rules: Rules) -> None:
        self._part = part
        self._rules = rules
        self._scored = IdHashes()
        self._left_out = IdHashes()
        self._warnings: list[RunWarning] = []

    def select(self, block: RowBlock[AnyReference], keys: Sequence[str]) -> list[int] | None:
        """Return the positions of the scored rows, and remove empty names.

        None stands for all rows.

        Args:
            block: consecutive rows.
            keys: ids of the rows.
        """
        rows = block.rows
        kept: list[int] | None = None
        if self._rules.types is not None or not block.sound:
            kept = [k for k, row in enumerate(rows) if self._is_scored(block.places[k], row)]
        hashes = hash_ids(keys)
        if kept is None or len(kept) == len(rows):
            self._scored.extend(hashes)
            return None
        scored = np.zeros(len(rows), np.bool_)
        scored[kept] = True
        self._scored.extend(hashes[scored])
        self._left_out.extend(hashes[~scored])
        return kept

    def take_warnings(self) -> list[RunWarning]:
        """Return the warnings since the last call."""
        warnings, self._warnings = self._warnings, []
        return warnings

    def contain(self, keys: Sequence[str]) -> NDArray[np.bool_]:
        """Return whether each id was read before: (keys,).

        Very rarely, an unknown id has the hash of a known one.
        """
        return self._scored.has_each(keys) | self._left_out.has_each(keys)

    def check_unique(self) -> None:
        """Check that no id occurs twice among the rows that are scored.

        Raises:
            DataError: if an id occurs twice.
        """
        references = self._part.references
        repeat = self._scored.find_repeat(
            (str(row.id), place)
            for block in references.read_blocks()
            for place, row in zip(block.places, block.rows, strict=True)
            if self._is_scored(place, row)
        )
        if repeat is not None:
            key, first, second = repeat
            remedy = "Each sentence of the reference has an id of its own. Remove the row, or rename it."
            raise build_repeat_error(key, references.where(first), references.where(second), remedy)

    def _is_scored(self, place: int, row: AnyReference) -> bool:
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
        self._warnings.append(RunWarning(code, message, where=self._part.references.where(place)))


PREFIX = re.compile(r"Q[0-9]+_[0-9]")


class PredictionMatcher:
    """Match predictions to the ids of the reference.

    Args:
        predictions: rows of the prediction; None if there are none.
        rules: how rows are read.
        sentences: the sentences of the reference so far.
        in_step: whether to read both sides in step as long as their ids agree.
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
        self._warnings: list[RunWarning] = []
        self._partners = RowMatcher(self._read_blocks(), sentences.contain, self._check_loaded, in_step=in_step)

    def match(self, keys: list[str]) -> tuple[Sequence[str | None], Sequence[int], list[RunWarning]]:
        """Return translation and place of each id, and warnings about them.

        An id without a prediction has None and -1.
        """
        if self._predictions is None:
            return [None] * len(keys), [-1] * len(keys), []
        rows, places = self._partners.match(keys)
        warnings, self._warnings = self._warnings, []
        if self._partners.is_in_step:  # no row is None: a tenth faster
            return [row.prediction for row in rows], places, warnings  # type: ignore[union-attr]
        return [None if row is None else row.prediction for row in rows], places, warnings

    def list_unused(self) -> list[RunWarning]:
        """Return the last warnings, with the number of predictions without a reference."""
        unused = self._partners.list_unused()
        if unused:
            self._note("extra-predictions", "predictions without a reference are ignored", unused[0], len(unused))
        return self._warnings

    def _read_blocks(self) -> Iterator[IdRows[Prediction]]:
        for block in () if self._predictions is None else self._predictions.read_blocks():
            yield IdRows(self._list_ids(block.rows, block.places), block.places, block.rows)

    def _list_ids(self, rows: Sequence[Prediction], places: Sequence[int]) -> Sequence[str | int]:
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
        self._warnings = [*RunWarning.merge([*self._warnings, RunWarning(code, message, count, where)])]


ITEM = re.compile(r"Q\d+(?=_)")
ReadTexts = Callable[[], Sequence[AnyReference]]


@dataclass(frozen=True, eq=False)
class TranslationProvenance:
    """The rows of both sides, as the provenance of a batch.

    Args:
        references: rows of the reference.
        predictions: rows of the prediction; None if there are none.
        places: (documents,) place of each reference.
        answer_places: (documents,) place of each prediction, -1 for no prediction.
        tasks: (documents,) the sentences.
        answers: (documents,) the translations.
        language: the target language.
        columns: reads additional columns of the reference; None for no columns.
    """

    references: Rows[AnyReference]
    predictions: Rows[Prediction] | None
    places: Sequence[int]
    answer_places: Sequence[int]
    tasks: Sequence[AnyReference]
    answers: Sequence[str | None]
    language: str
    columns: ColumnDecoder[Reference] | None = None

    def select(self, rows: Sequence[int]) -> TranslationProvenance:
        """Select sentences by their positions."""
        return TranslationProvenance(
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
        """Return the id of a sentence."""
        return str(self.tasks[row].id)

    def where(self, row: int, position: int, side: Side) -> str:  # noqa: ARG002  the signature of `Provenance`
        """Return the place of the prediction, or else of the reference.

        The reference serves if there is no prediction.
        """
        if side == "predicted" and self.predictions is not None and self.answer_places[row] >= 0:
            return self.predictions.where(self.answer_places[row])
        return self.references.where(self.places[row])

    def get_excerpt(self, row: int) -> TextExcerpt | None:
        """Return the translation."""
        answer = self.answers[row]
        return None if answer is None else TextExcerpt(answer)

    def value(self, row: int, column: str) -> str | None:
        """Return the value of a column.

        The columns are entity, its first type, language, file, and columns of the reference.
        """
        task = self.tasks[row]
        if column == "entity":
            return task.entity or parse_entity(str(task.id))
        if column == "entity_type":
            return next(iter(task.entity_types), None)
        if column == "language":
            return self.language
        return self._read_columns(row).get(column) or (self._get_file(row) if column == FILE_COLUMN else None)

    def _get_file(self, row: int) -> str | None:
        """Return the file of the predictions, or else of the reference.

        The reference serves if there are no predictions.
        """
        has_answers = self.predictions is not None
        source = (self.references if self.predictions is None else self.predictions).source
        place = (self.answer_places if has_answers else self.places)[row]
        if source is None or place < 0:
            return None if source is None else source.name
        return source.get_file(place)

    def _read_columns(self, row: int) -> Values:
        if self.columns is None:
            return {}
        task: Any = self.tasks[row]
        return self.columns.read_columns(task, self.references.where(self.places[row]))


def read_language(
    part: LanguageInput,
    rules: Rules,
    first: int,
    comet: CometScores | None = None,
    *,
    in_step: bool = True,
) -> Iterator[TranslationBatch]:
    """Read the sentences of one language in batches.

    Args:
        part: both sides of the language.
        rules: how rows are read.
        first: number of the first sentence.
        comet: COMET scores of the language.
        in_step: whether to read both sides in step as long as their ids agree.

    Raises:
        OutOfStepError: if `in_step` is set, but a later prediction repeats an id that was already matched.
        SourceError: if a file cannot be read.
        DataError: if a row is malformed, an id of the reference occurs twice, or does not suit the profile.
    """
    sentences = Sentences(part, rules)
    partners = PredictionMatcher(part.predictions, rules, sentences, in_step=in_step)
    position = 0
    for block in part.references.read_blocks():
        rows = block.rows
        keys = list_ids(rows)
        answers, answer_places, warnings = partners.match(keys)
        kept = sentences.select(block, keys)
        provenance = TranslationProvenance(
            part.references,
            part.predictions,
            block.places,
            answer_places,
            rows,
            answers,
            part.language,
            part.columns,
        )
        positions: Sequence[int] = range(position, position + len(rows))
        read_texts = block.read_texts
        if kept is not None:
            read_texts = None if read_texts is None else partial(_read_selected, read_texts, kept)
            provenance, positions = provenance.select(kept), [position + k for k in kept]
        warnings += _find_missing_predictions(provenance) + sentences.take_warnings()
        scores = None
        if comet is not None:
            scores = comet.get_scores(list_ids(provenance.tasks), positions)
            warnings += _find_missing_comet(provenance, scores)
            scores = np.where(np.isnan(scores), rules.missing_comet, scores)
        yield _build_batch(provenance, first, scores, warnings, read_texts)
        first += len(provenance.tasks)
        position += len(rows)
    warnings = partners.list_unused()
    if comet is not None:
        comet.check_row_count(position)
    sentences.check_unique()
    provenance = TranslationProvenance(part.references, part.predictions, (), (), (), (), part.language)
    yield _build_batch(provenance, first, None if comet is None else np.zeros(0), warnings)  # the last warnings


def _read_selected(read_texts: ReadTexts, rows: Sequence[int]) -> list[AnyReference]:
    texts = read_texts()
    return [texts[k] for k in rows]


def _build_batch(
    provenance: TranslationProvenance,
    first: int,
    comet: Floats | None,
    warnings: Sequence[RunWarning],
    read_texts: ReadTexts | None = None,
) -> TranslationBatch:
    documents = np.arange(first, first + len(provenance.tasks))
    return TranslationBatch(
        documents,
        provenance.language,
        provenance.tasks,
        provenance.answers,
        provenance,
        comet=comet,
        warnings=tuple(warnings),
        read_texts=read_texts,
    )


def _find_missing_predictions(provenance: TranslationProvenance) -> list[RunWarning]:
    """Warn of sentences without a translation.

    A language without any translation has its own warning.
    """
    if None not in provenance.answers or provenance.predictions is None:
        return []
    unanswered = [k for k, answer in enumerate(provenance.answers) if answer is None]
    missing = [k for k in unanswered if provenance.answer_places[k] < 0]
    null = [k for k in unanswered if provenance.answer_places[k] >= 0]
    warnings = []
    if missing:
        message = "sentences without a prediction count as wrong"
        warnings.append(
            RunWarning("missing-predictions", message, len(missing), provenance.where(missing[0], 0, "reference"))
        )
    if null:
        message = "predictions that are null count as wrong"
        warnings.append(RunWarning("null-predictions", message, len(null), provenance.where(null[0], 0, "predicted")))
    return warnings


def _find_missing_comet(provenance: TranslationProvenance, scores: Floats) -> list[RunWarning]:
    missing = np.flatnonzero(np.isnan(scores)).tolist()
    if not missing:
        return []
    message = "sentences without a COMET score"
    return [RunWarning("missing-comet", message, len(missing), provenance.where(missing[0], 0, "reference"))]


def parse_entity(name: str) -> str | None:
    """Return the Wikidata item at the start of an id.

    The item of `Q42_3` is `Q42`. The result is None if the id has no item.
    """
    item = ITEM.match(name)
    return None if item is None else item[0]
