"""Count correct names in translations, and score entity translation.

The scores are m-ETA, COMET, chrF, BLEU and their means over languages.

Definition
    1. A sentence is correct if its translation contains one of its accepted names. Both are case-folded first, and
       normalised by `TranslationJudge.normalize`. A name may occur anywhere, even inside a word. A sentence without a
       translation is wrong.
    2. m-ETA = correct / total (manual entity translation accuracy).
    3. A cell is (entity types, language). All types of a sentence are one name; a sentence without types has none. The
       scores of a type are sums over the cells that have it, so types need not add up to the whole. Languages do.
    4. `languages` is the mean of m-ETA over languages.
    5. COMET comes from outside, between 0 and 100. The score of a language is the mean over its sentences with a score;
       the overall score is the mean over languages. chrF and BLEU are corpus scores of a language, and means over them.
    6. The harmonic mean of a language is that of COMET and 100 m-ETA; it is 0 if one of the two is 0. There are two
       overall values: the mean over languages of harmonic means (the score of the shared task), and the harmonic mean
       of the two means over languages.

Source: Conia et al. (2024), "Towards Cross-Cultural Machine Translation with Retrieval-Augmented Generation from
Multilingual Knowledge Graphs"; SemEval-2025 Task 2.

Differences from the official scorer (profile `ea-mt`)
    1. Ids are compared as they are. The official scorer cuts ids of predictions to the form `Q1_0`, so that `Q1_12`
       becomes `Q1_1`, and fails on other ids.
    2. An empty name is ignored. In the official scorer every translation contains it.
    3. A null prediction counts as wrong. The official scorer crashes.
    4. Repeated, missing and extra ids of predictions are reported. Of repeated ids the last counts in both.
    5. All entity types are scored. The official scorer has a list of 14, which are all types of its data.
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
    ScoreKey,
    Scores,
    average_defined,
    divide,
)
from isogloss.kernel.sums import Sums
from isogloss.tasks.entity_translation.matching import BOUNDARIES
from isogloss.tasks.entity_translation.quality import QUALITY_COLUMNS, QualityStatistics, score_quality
from isogloss.tasks.entity_translation.verdicts import VERDICT_KINDS, JudgedTranslations

VERDICT_COLUMNS = ("correct", "total", "missing")
NEAR_MISS_COLUMNS = tuple(kind for kind in VERDICT_KINDS if kind not in VERDICT_COLUMNS)
BOUNDARY_COLUMNS = {f"boundary {name}": name for name in BOUNDARIES}  # counts of names by boundary
TYPE_SEPARATOR = "\x1f"  # separates entity types in the name of a cell
CountColumns = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class EntityTranslation:
    """The metric of entity translation.

    Args:
        types: the entity types with scores of their own, None for all.
        explained: whether to count near misses and boundaries, which needs explained verdicts.
        languages: all languages, if there are COMET scores; else empty.
        statistics: statistics of chrF and BLEU to count.
    """

    types: frozenset[str] | None = None
    explained: bool = False
    languages: tuple[str, ...] = ()
    statistics: tuple[QualityStatistics, ...] = ()
    clusters: ClassVar[str] = "entity"  # sentences about one entity depend on each other

    def count(self, batch: JudgedTranslations) -> Counts:
        """Count verdicts, explanations, and the statistics of chrF and BLEU.

        Each sentence has its own counts.
        """
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
        """Return m-ETA and the quality scores over all languages."""
        return self._score_languages(sums, sums.split("language"), whole=False)

    def score(self, sums: Sums) -> Scores:
        """Return all scores: overall, by language and by entity type.

        They include the number of findings by kind.
        """
        by_language = sums.split("language")
        scores = self._score_languages(sums, by_language, whole=True)
        for language, own in by_language.items():
            place = ("slices", "language", str(language))
            m_eta = _score_m_eta(own)
            scores[(*place, "documents")] = m_eta["total"]
            scores |= {(*place, "m_eta", name): value for name, value in m_eta.items()}
            quality = self._score_quality(own, str(language))
            scores |= {(*place, name, "score"): value for name, value in quality.items()}
        for kind in sorted(set().union(*map(_split_types, sums.get_names("types")))):
            scores |= {("by_label", kind, "m_eta", name): value for name, value in _score_m_eta(sums, kind).items()}
        return scores | self._count_explanations(sums)

    def views(self) -> tuple[ScoreView, ...]:
        """Return the scores without explanations, so that explaining verdicts changes no interval."""
        return (
            ScoreView(
                replace(self, explained=False),
                frozenset((*NEAR_MISS_COLUMNS, *BOUNDARY_COLUMNS) if self.explained else ()),
            ),
        )

    def averaged_scores(self, scores: Scores) -> dict[ScoreKey, tuple[ScoreKey, ...]]:
        """Return the m-ETA of each language, whose mean is `languages.accuracy`."""
        own = tuple(key for key in scores if key[:2] == ("slices", "language") and key[3:] == ("m_eta", "accuracy"))
        return {("languages", "accuracy"): own} if own else {}

    def _score_languages(self, sums: Sums, by_language: dict[CellName, Sums], *, whole: bool) -> Scores:
        """Return the scores over all languages.

        `whole` adds scores that have no meaning for one document.
        """
        scores: Scores = {("m_eta", name): value for name, value in _score_m_eta(sums).items()}
        accuracies = [_score_m_eta(own)["accuracy"] for own in by_language.values()]
        qualities = [self._score_quality(own, str(language)) for language, own in by_language.items()]
        if whole and accuracies:
            mean, used = average_defined(np.stack(accuracies, axis=-1))
            scores |= {("languages", "accuracy"): mean, ("languages", "number"): used}
        for name in ("chrf", "bleu", "comet"):
            if qualities and name in qualities[0]:
                scores[name, "score"] = _average_defined(quality[name] for quality in qualities)
        if whole and self.languages and qualities:
            mean = _average_defined(quality["harmonic_mean"] for quality in qualities)
            scores[("harmonic_mean", "score")] = scores[("harmonic_mean", "mean_of_harmonic_means")] = mean
            of_means = _harmonic_mean(scores["comet", "score"], 100 * scores["languages", "accuracy"])
            scores[("harmonic_mean", "harmonic_mean_of_means")] = of_means
        return scores

    def _score_quality(self, own: Sums, language: str) -> dict[str, Floats]:
        """Return chrF, BLEU, COMET and the harmonic mean of one language."""
        scores: dict[str, Floats] = {}
        for statistics in self.statistics:
            scores[statistics.quality] = score_quality(statistics.quality, own)
        if language in self.languages:
            scores["comet"] = own.average_measure(_name_comet_measure(language))
            scores["harmonic_mean"] = _harmonic_mean(scores["comet"], 100 * _score_m_eta(own)["accuracy"])
        return scores

    def _encode_types(self, types: Sequence[tuple[str, ...]]) -> tuple[Ints, tuple[CellName, ...]]:
        """Encode the types of each sentence as one name.

        The result is positions, (documents,), and the names, with None for no type.
        """
        combinations: defaultdict[tuple[str, ...], int] = defaultdict(count().__next__)
        combination = np.fromiter(map(combinations.__getitem__, types), np.int64, len(types))  # (documents,)
        joined = [TYPE_SEPARATOR.join(sorted(self._select_types(own))) or None for own in combinations]
        place = {name: k for k, name in enumerate(dict.fromkeys(joined))}
        return np.array([place[name] for name in joined], np.int64)[combination], tuple(place)

    def _select_types(self, types: Iterable[str]) -> set[str]:
        return set(types) if self.types is None else set(self.types.intersection(types))

    def _count_extras(self, batch: JudgedTranslations) -> CountColumns:
        """Count explanations and the statistics of chrF and BLEU: (documents,) each."""
        columns: CountColumns = {}
        if self.explained:
            if batch.explanation is None:
                raise ValueError("the verdicts are not explained: give the judge the aliases of entities")
            kinds = batch.explanation.kinds
            columns |= {kind: kinds == VERDICT_KINDS.index(kind) for kind in NEAR_MISS_COLUMNS}
            boundaries = [None if match is None else match.boundary for match in batch.explanation.matches]
            columns |= {
                column: np.array([own == name for own in boundaries], np.bool_)
                for column, name in BOUNDARY_COLUMNS.items()
            }
        for statistics in self.statistics:
            if batch.batch is None:
                raise ValueError("merged verdicts have no sentences, so chrF and BLEU cannot be counted")
            columns |= dict(zip(QUALITY_COLUMNS[statistics.quality], statistics.count(batch.batch).T, strict=True))
        return columns

    def _measure_comet(self, batch: JudgedTranslations) -> Floats:
        """Return COMET as a measure per language: (documents, languages, 2).

        The measures serve means within languages.
        """
        measured = np.zeros((len(batch.documents), len(self.languages), 2))
        if batch.comet is not None and batch.language in self.languages:
            known = ~np.isnan(batch.comet)
            score = np.where(known, batch.comet, 0) + 0.0  # no -0.0
            measured[:, self.languages.index(batch.language)] = np.stack([score, known], axis=1)
        return measured

    def _count_explanations(self, sums: Sums) -> Scores:
        """Return numbers of findings by kind, and found names by boundary."""
        whole = _score_m_eta(sums)
        counts: Scores = {("findings", "correct"): whole["correct"], ("findings", "missing"): whole["missing"]}
        if not self.explained:
            return counts | {("findings", "wrong"): whole["total"] - whole["correct"] - whole["missing"]}
        counts |= {("findings", kind): sums.get_column(kind).sum(axis=-1) for kind in NEAR_MISS_COLUMNS}
        boundaries = {name: sums.get_column(column).sum(axis=-1) for column, name in BOUNDARY_COLUMNS.items()}
        return counts | {("boundary", name): number for name, number in boundaries.items()}


def _score_m_eta(sums: Sums, kind: str | None = None) -> dict[str, NDArray[Any]]:
    """Return m-ETA and its counts.

    They are of one entity type, or of all sentences.
    """
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
    """Return the harmonic mean, 0 if one of the two is 0.

    Negative scores count as 0.
    """
    one, two = np.maximum(one, 0), np.maximum(two, 0)
    return divide(2 * one * two, one + two, 0.0)
