"""Judge translations: whether each contains an accepted name, and why not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, groupby

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.provenance import Provenance, RunWarning
from isogloss.kernel.scores import Floats, Ints, ScoreKey
from isogloss.tasks.entity_translation.batches import ReferenceSentence, TranslationBatch
from isogloss.tasks.entity_translation.matching import (
    CASEFOLD,
    Fold,
    Match,
    find_first_match,
    is_caseless,
    make_fold,
)
from isogloss.tasks.entity_translation.near_misses import NEAR_MISSES, classify_near_miss
from isogloss.tasks.entity_translation.options import Normalisation

LONG_TRANSLATION, LONG_FACTOR = 200, 3  # too long: more characters than this, and times those of the longest reference
MIN_BATCH_SENTENCES = 1 << 13
MAX_CACHED_NAMES = 1 << 12
VERDICT_KINDS = ("correct", *NEAR_MISSES)
Aliases = Mapping[tuple[str, str], frozenset[str]]


@dataclass(frozen=True, eq=False)
class Explanation:
    """The explanation of each verdict.

    Args:
        kinds: (documents,) position in `VERDICT_KINDS`.
        matches: (documents,) the found name, None for no name.
    """

    kinds: Ints
    matches: Sequence[Match | None]


@dataclass(frozen=True, eq=False)
class JudgedTranslations:
    """Sentences of one language with the verdicts on their translations.

    Args:
        documents: (documents,) number of each sentence.
        language: the target language.
        types: (documents,) the entity types of each sentence.
        correct: (documents,) whether the translation contains an accepted name.
        missing: (documents,) whether it does not, and is missing or blank.
        comet: (documents,) COMET scores, nan for no score; None if COMET is not scored.
        warnings: what was done about the input, and translations that are too long.
        batch: the sentences; None if they are no longer needed.
        explanation: explanations of the verdicts; None if these are not explained.
    """

    documents: Ints
    language: str
    types: Sequence[tuple[str, ...]]
    correct: NDArray[np.bool_]
    missing: NDArray[np.bool_]
    comet: Floats | None = None
    warnings: tuple[RunWarning, ...] = ()
    batch: TranslationBatch | None = None
    explanation: Explanation | None = None

    @property
    def provenance(self) -> Provenance:
        """Where the sentences come from.

        Raises:
            ValueError: if the sentences were dropped.
        """
        if self.batch is None:
            raise ValueError("merged verdicts have no sentences, so their provenance is unknown")
        return self.batch.provenance


def merge_verdicts(
    batches: Iterable[JudgedTranslations], min_sentences: int = MIN_BATCH_SENTENCES
) -> Iterator[JudgedTranslations]:
    """Merge batches into larger ones without sentences.

    Merging saves time, because counting a batch has a fixed cost.

    Args:
        batches: verdicts.
        min_sentences: least number of sentences of a batch, except the last one of a language.
    """
    for _, of_language in groupby(batches, key=lambda batch: batch.language):
        pending: list[JudgedTranslations] = []
        number = 0
        for batch in of_language:
            pending.append(batch)
            number += len(batch.documents)
            if number >= min_sentences:
                yield _merge_batches(pending)
                pending, number = [], 0
        if pending:
            yield _merge_batches(pending)


def _merge_batches(batches: Sequence[JudgedTranslations]) -> JudgedTranslations:
    comet = [batch.comet for batch in batches if batch.comet is not None]
    return JudgedTranslations(
        documents=np.concatenate([batch.documents for batch in batches]),
        language=batches[0].language,
        types=list(chain.from_iterable(batch.types for batch in batches)),
        correct=np.concatenate([batch.correct for batch in batches]),
        missing=np.concatenate([batch.missing for batch in batches]),
        comet=np.concatenate(comet) if comet else None,
        warnings=RunWarning.merge(chain.from_iterable(batch.warnings for batch in batches)),
    )


class _NameCache(dict[str, str | None]):
    """A cache of normalised names.

    The value is None if a text contains the name only where it does so before folding. Sentences about one entity stand
    together and share names, so a small cache is enough.
    """

    def __init__(self, fold: Fold) -> None:
        super().__init__()
        self._fold = fold

    def __missing__(self, name: str) -> str | None:
        if len(self) >= MAX_CACHED_NAMES:
            self.clear()
        folded = self[name] = None if self._fold is CASEFOLD and is_caseless(name) else self._fold(name)
        return folded


@dataclass(frozen=True)
class TranslationJudge:
    """The rules by which translations are judged.

    Args:
        normalize: normalisation of names and translations before they are compared.
        empty_mentions: whether an empty name counts as a name; every translation contains it.
        aliases: accepted names by (language, entity), to explain verdicts; None to explain none.
        keep_sentences: whether verdicts keep their sentences.
    """

    normalize: Normalisation = "none"
    empty_mentions: bool = False
    aliases: Aliases | None = field(default=None, repr=False)
    keep_sentences: bool = True
    _interned_types: dict[tuple[str, ...], tuple[str, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @cached_property
    def _fold(self) -> Fold:
        return make_fold(self.normalize)

    @cached_property
    def _names(self) -> _NameCache:
        return _NameCache(self._fold)

    def __call__(self, batch: TranslationBatch) -> JudgedTranslations:
        """Judge a batch."""
        correct, missing = self._judge(batch.sentences, batch.translations)
        warnings = batch.warnings
        if long := _find_too_long(batch):
            message = "predictions are much longer than the references; a list of all names would always be correct"
            warnings += (
                RunWarning("long-predictions", message, len(long), batch.provenance.where(long[0], 0, "predicted")),
            )
        return JudgedTranslations(
            documents=batch.documents,
            language=batch.language,
            types=self._intern_types([sentence.entity_types for sentence in batch.sentences]),
            correct=correct,
            missing=missing,
            comet=batch.comet,
            warnings=warnings,
            batch=batch if self.keep_sentences else None,
            explanation=None if self.aliases is None else self._explain(batch, correct, self.aliases),
        )

    def _judge(
        self, sentences: Sequence[ReferenceSentence], translations: Sequence[str | None]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return whether each translation is correct, and whether it is missing.

        A correct translation contains an accepted name; a missing one may also be blank. Case folding maps single
        characters, so a name that occurs before folding also occurs after it. The first test relies on this, because
        folding takes longer than everything else.
        """
        fold, names, empty = self._fold, self._names, self.empty_mentions
        is_case_fold = fold is CASEFOLD
        correct, missing = bytearray(len(translations)), bytearray(len(translations))
        for k, (sentence, translation) in enumerate(zip(sentences, translations, strict=True)):
            text, last, folded = translation or "", None, None
            for target in () if translation is None else sentence.targets:
                name = target.mention
                if name == last:  # adjacent targets often have the same name
                    continue
                last = name
                if not (is_case_fold and name in text):
                    folded_name = names[name]
                    if folded_name is None:
                        continue
                    folded = folded or fold(text)
                    if folded_name not in folded:
                        continue
                    name = folded_name
                if empty or name.strip():
                    correct[k] = True
                    break
            else:
                missing[k] = not text.strip()
        return np.frombuffer(correct, np.bool_), np.frombuffer(missing, np.bool_)

    def _intern_types(self, types: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
        """Replace equal types by one object, to save memory.

        Verdicts outlive their rows and have few combinations of types.
        """
        return list(map(self._interned_types.setdefault, types, types))

    def _explain(self, batch: TranslationBatch, correct: NDArray[np.bool_], aliases: Aliases) -> Explanation:
        kinds = np.zeros(len(correct), np.int64)
        matches: list[Match | None] = [None] * len(correct)
        for k, (sentence, translation) in enumerate(zip(batch.sentences, batch.translations, strict=True)):
            if correct[k]:
                matches[k] = find_first_match(
                    sentence.targets, translation or "", self._fold, empty=self.empty_mentions
                )
            else:
                siblings = aliases.get((batch.language, sentence.entity or ""), frozenset())
                kinds[k] = VERDICT_KINDS.index(classify_near_miss(sentence, translation, siblings, self._fold))
        return Explanation(kinds, matches)


def _find_too_long(batch: TranslationBatch) -> list[int]:
    """Return the positions of translations that are much longer than their references."""
    if max(map(len, filter(None, batch.translations)), default=0) <= LONG_TRANSLATION:
        return []
    sentences = batch.sentences if batch.read_texts is None else batch.read_texts()
    too_long = []
    for k, text in enumerate(batch.translations):
        if text and len(text) > LONG_TRANSLATION:
            longest = max(len(target.translation) for target in sentences[k].targets)
            if 0 < LONG_FACTOR * longest < len(text):
                too_long.append(k)
    return too_long


@dataclass
class ConsistencyCounter:
    """The number of correct translations of each entity in each language.

    Args:
        outcomes: correct sentences and all sentences, by (language, entity).
    """

    outcomes: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def count_batches(self, batches: Iterable[JudgedTranslations]) -> Iterator[JudgedTranslations]:
        """Count the verdicts of batches while passing the batches on.

        Args:
            batches: verdicts with their sentences.
        """
        for batch in batches:
            sentences = () if batch.batch is None else batch.batch.sentences
            for sentence, correct in zip(sentences, batch.correct.tolist(), strict=True):
                if sentence.entity:
                    counts = self.outcomes.setdefault((batch.language, sentence.entity), [0, 0])
                    counts[0] += correct
                    counts[1] += 1
            yield batch

    def to_scores(self) -> dict[ScoreKey, int]:
        """Return the number of entities by consistency of their sentences.

        The sentences of an entity in one language are all correct, all wrong, or mixed.
        """
        right = sum(correct == total for correct, total in self.outcomes.values())
        wrong = sum(not correct for correct, _ in self.outcomes.values())
        numbers = {
            "all_right": right,
            "mixed": len(self.outcomes) - right - wrong,
            "all_wrong": wrong,
            "entities": len(self.outcomes),
        }
        return {("consistency", name): number for name, number in numbers.items()}
