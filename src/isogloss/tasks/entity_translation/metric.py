"""Entity translation: m-ETA, and the scores that stand beside it.

Definition
    1. A sentence is correct when one of its accepted names is in its translation. Both are case-folded first, and
       normalised as `Judge.normalize` says; a name may stand anywhere, also inside a word. A sentence without a
       translation is wrong.
    2. m-ETA = correct / total (manual entity translation accuracy).
    3. A cell is (entity types, language): all types of a sentence in one name, none without any. The figures of a type
       are the sums over the cells that have it, so that the types need not add up to the whole. Languages do.
    4. `languages` is the mean of m-ETA over languages.
    5. COMET comes from outside, in 0 to 100. Its score for a language is the mean over the sentences that have one; the
       overall score is the mean over languages. chrF and BLEU are corpus scores of a language, and means over them.
    6. The harmonic mean is that of COMET and 100 m-ETA, of each language; it is 0 where one of the two is. Overall
       there are two: the mean over languages of harmonic means (the score of the shared task), and the harmonic mean of
       the two means over languages.

Source: Conia et al. (2024), "Towards Cross-Cultural Machine Translation with Retrieval-Augmented Generation from
Multilingual Knowledge Graphs"; SemEval-2025 Task 2.

Differences from the official scorer (profile `ea-mt`)
    1. Ids are compared as they are. The official scorer cuts ids of predictions to the form `Q1_0`, so that `Q1_12`
       becomes `Q1_1`, and fails on other ids.
    2. An empty name is left out. There it is in every translation.
    3. A prediction that is null counts as wrong. There it is a crash.
    4. Repeated ids of predictions, missing and extra ones are reported. As there, the last one counts.
    5. All entity types are scored. There are 14, which are all that its data has.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import CellName, Counts
from isogloss.kernel.metric import ScoreView
from isogloss.kernel.scores import (
    Floats,
    Ints,
    Proportion,
    Proportions,
    Scores,
    average_defined,
    divide,
    find_proportions,
)
from isogloss.kernel.sums import Sums
from isogloss.tasks.entity_translation.matching import BOUNDARIES
from isogloss.tasks.entity_translation.quality import QUALITY_COLUMNS, QualityStatistics, score_quality
from isogloss.tasks.entity_translation.verdicts import VERDICT_KINDS, JudgedTranslations

VERDICT_COLUMNS = ("correct", "total", "missing")
NEAR_MISS_COLUMNS = tuple(kind for kind in VERDICT_KINDS if kind not in VERDICT_COLUMNS)
BOUNDARY_COLUMNS = {f"boundary {name}": name for name in BOUNDARIES}  # columns of what stands beside a name
TYPE_SEPARATOR = "\x1f"  # of entity types, in the name of a cell
CountColumns = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class EntityTranslation:
    """The metric of entity translation.

    Args:
        types: the entity types that have scores of their own, None for all that occur.
        explained: whether verdicts are explained: near misses and boundaries are counted.
        languages: all languages, where there are COMET scores; else empty.
        statistics: chrF and BLEU, where asked for.
    """

    types: frozenset[str] | None = None
    explained: bool = False
    languages: tuple[str, ...] = ()
    statistics: tuple[QualityStatistics, ...] = ()
    clusters: ClassVar[str] = "entity"  # a system knows a name or does not, in all sentences about it

    def count(self, batch: JudgedTranslations) -> Counts:
        """Verdicts of each sentence and of each of its types, and what else is counted in it."""
        number = len(batch.documents)
        code, names = self._encode_types(batch.types)
        columns: CountColumns = {"correct": batch.correct, "total": np.ones(number, np.int64), "missing": batch.missing}
        columns |= self._count_extras(batch)
        return Counts(
            parts=("types", "language"),
            columns=tuple(columns),
            cells=tuple((name, batch.language) for name in names),
            documents=batch.documents,
            row=np.arange(number),
            cell=code,
            values=np.stack(list(columns.values()), axis=1).astype(np.int64),
            measures=tuple(map(_name_comet_measure, self.languages)),
            measured=self._measure_comet(batch),
        )

    def overall(self, sums: Sums) -> Scores:
        """m-ETA, and what was asked for beside it, over all languages."""
        return self._score_languages(sums, sums.split("language"), alone=False)

    def score(self, sums: Sums) -> Scores:
        """The overall scores, those of each language and of each entity type, and what became of the names."""
        by_language = sums.split("language")
        scores = self._score_languages(sums, by_language, alone=True)
        for language, own in by_language.items():
            place = ("slices", "language", str(language))
            figures = _score_m_eta(own)
            scores[(*place, "documents")] = figures["total"]
            scores |= {(*place, "m_eta", name): value for name, value in figures.items()}
            beside = self._score_quality(own, str(language))
            scores |= {(*place, name, "score"): value for name, value in beside.items()}
        for kind in sorted(set().union(*map(_split_types, sums.get_names("types")))):
            scores |= {("by_label", kind, "m_eta", name): value for name, value in _score_m_eta(sums, kind).items()}
        return scores | self._count_explanations(sums)

    def proportions(self, sums: Sums) -> Proportions:
        """m-ETA, overall, of each language and of each entity type."""
        return find_proportions(self.score(sums), (Proportion("accuracy", "correct", ("total",)),))

    def views(self) -> tuple[ScoreView, ...]:
        """The scores, for which it does not matter whether verdicts are explained."""
        return (
            ScoreView(
                replace(self, explained=False),
                frozenset((*NEAR_MISS_COLUMNS, *BOUNDARY_COLUMNS) if self.explained else ()),
            ),
        )

    def _score_languages(self, sums: Sums, by_language: dict[CellName, Sums], *, alone: bool) -> Scores:
        """Scores over all languages; `alone` adds those that mean nothing for one sentence."""
        scores: Scores = {("m_eta", name): value for name, value in _score_m_eta(sums).items()}
        accuracies = [_score_m_eta(own)["accuracy"] for own in by_language.values()]
        beside = [self._score_quality(own, str(language)) for language, own in by_language.items()]
        if alone and accuracies:
            mean, used = average_defined(np.stack(accuracies, axis=-1))
            scores |= {("languages", "accuracy"): mean, ("languages", "number"): used}
        for name in ("chrf", "bleu", "comet"):
            if beside and name in beside[0]:
                scores[name, "score"] = _average_defined(each[name] for each in beside)
        if alone and self.languages and beside:
            each = _average_defined(own["harmonic_mean"] for own in beside)
            scores[("harmonic_mean", "score")] = scores[("harmonic_mean", "mean_of_harmonic_means")] = each
            means = scores["comet", "score"], 100 * scores["languages", "accuracy"]
            scores[("harmonic_mean", "harmonic_mean_of_means")] = _harmonic_mean(*means)
        return scores

    def _score_quality(self, own: Sums, language: str) -> dict[str, Floats]:
        """What stands beside m-ETA for one language."""
        scores: dict[str, Floats] = {}
        for wanted in self.statistics:
            scores[wanted.quality] = score_quality(wanted.quality, own)
        if language in self.languages:
            scores["comet"] = own.average_measure(_name_comet_measure(language))
            scores["harmonic_mean"] = _harmonic_mean(scores["comet"], 100 * _score_m_eta(own)["accuracy"])
        return scores

    def _encode_types(self, types: Sequence[tuple[str, ...]]) -> tuple[Ints, tuple[CellName, ...]]:
        """The types of each sentence as one name, none for no type: codes (documents,), and the names."""
        combinations: defaultdict[tuple[str, ...], int] = defaultdict(count().__next__)
        combination = np.fromiter(map(combinations.__getitem__, types), np.int64, len(types))  # (documents,)
        joined = [TYPE_SEPARATOR.join(sorted(self._select_types(own))) or None for own in combinations]
        place = {name: k for k, name in enumerate(dict.fromkeys(joined))}
        return np.array([place[name] for name in joined], np.int64)[combination], tuple(place)

    def _select_types(self, types: Iterable[str]) -> set[str]:
        return set(types) if self.types is None else set(self.types.intersection(types))

    def _count_extras(self, batch: JudgedTranslations) -> CountColumns:
        """Columns (documents,) that are counted for the sentence itself."""
        columns: CountColumns = {}
        if self.explained:
            if batch.explanation is None:
                raise ValueError("verdicts that were not explained")
            kinds = batch.explanation.kinds
            columns |= {kind: kinds == VERDICT_KINDS.index(kind) for kind in NEAR_MISS_COLUMNS}
            beside = [None if match is None else match.boundary for match in batch.explanation.matches]
            columns |= {
                at: np.array([own == name for own in beside], np.bool_) for at, name in BOUNDARY_COLUMNS.items()
            }
        for wanted in self.statistics:
            if batch.batch is None:
                raise ValueError("sentences that are no longer there")
            columns |= dict(zip(QUALITY_COLUMNS[wanted.quality], wanted.count(batch.batch).T, strict=True))
        return columns

    def _measure_comet(self, batch: JudgedTranslations) -> Floats:
        """COMET as a measure of each language, because means are taken within languages: (documents, languages, 2)."""
        measured = np.zeros((len(batch.documents), len(self.languages), 2))
        if batch.comet is not None and batch.language in self.languages:
            known = ~np.isnan(batch.comet)
            score = np.where(known, batch.comet, 0) + 0.0  # no -0.0
            measured[:, self.languages.index(batch.language)] = np.stack([score, known], axis=1)
        return measured

    def _count_explanations(self, sums: Sums) -> Scores:
        """How many findings of each kind there are, and what stands beside the names that were found."""
        whole = _score_m_eta(sums)
        counts: Scores = {("findings", "correct"): whole["correct"], ("findings", "missing"): whole["missing"]}
        if not self.explained:
            return counts | {("findings", "wrong"): whole["total"] - whole["correct"] - whole["missing"]}
        counts |= {("findings", kind): sums.get_column(kind).sum(axis=-1) for kind in NEAR_MISS_COLUMNS}
        return counts | {("boundary", name): sums.get_column(at).sum(axis=-1) for at, name in BOUNDARY_COLUMNS.items()}


def _score_m_eta(sums: Sums, kind: str | None = None) -> dict[str, NDArray[Any]]:
    """Figures of an entity type, or of all sentences."""
    chosen = np.array([kind is None or kind in _split_types(name) for name in sums.get_names("types")], np.bool_)
    correct, total, missing = (sums.get_column(name)[..., chosen].sum(axis=-1) for name in VERDICT_COLUMNS)
    return {"accuracy": divide(correct, total), "correct": correct, "total": total, "missing": missing}


def _split_types(name: CellName) -> list[str]:
    return [] if name is None else name.split(TYPE_SEPARATOR)


def _name_comet_measure(language: str) -> str:
    return f"comet {language}"


def _average_defined(values: Iterable[Floats]) -> Floats:
    return average_defined(np.stack(list(values), axis=-1))[0]


def _harmonic_mean(one: Floats, two: Floats) -> Floats:
    """Harmonic mean, 0 where one of the two is; negative scores count as 0."""
    one, two = np.maximum(one, 0), np.maximum(two, 0)
    return divide(2 * one * two, one + two, 0.0)
