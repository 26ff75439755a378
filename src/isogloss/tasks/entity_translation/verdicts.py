"""The verdict on each translation: whether an accepted name is in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby, islice

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.findings import Finding, Mark, add_context
from isogloss.kernel.provenance import Provenance, RunWarning
from isogloss.kernel.scores import Floats, Ints, ScoreKey
from isogloss.tasks.entity_translation.batches import AcceptedTranslation, ReferenceSentence, TranslationBatch
from isogloss.tasks.entity_translation.matching import CASEFOLD, Fold, Match, find_first_match, make_fold
from isogloss.tasks.entity_translation.near_misses import NEAR_MISSES, classify_near_miss
from isogloss.tasks.entity_translation.options import Normalisation

LONG_TRANSLATION, LONG_FACTOR = (
    200,
    3,
)  # a translation is much too long beyond so many characters and times the longest reference
MIN_BATCH_SENTENCES = 1 << 13  # sentences
VERDICT_KINDS = ("correct", *NEAR_MISSES)
Aliases = Mapping[tuple[str, str], frozenset[str]]


@dataclass(frozen=True, eq=False)
class Explanation:
    """What is to be said of each verdict.

    Args:
        kinds: (documents,) position in `KINDS`.
        matches: (documents,) the name that was found, None where there is none.
    """

    kinds: Ints
    matches: Sequence[Match | None]


@dataclass(frozen=True, eq=False)
class JudgedTranslations:
    """Sentences of one language with the verdicts on their translations.

    Args:
        documents: (documents,) number of each sentence.
        language: the target language.
        types: (documents,) the entity types of each.
        correct: (documents,) whether an accepted name is there.
        missing: (documents,) whether there is no translation, or a blank one, and the name is not there.
        comet: (documents,) COMET scores, nan for none; None where none were asked for.
        notices: what was done about the input, and translations that are much too long.
        batch: the sentences themselves; None where they are no longer needed.
        explanation: what is to be said of each, None where that was not asked for.
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
    def origin(self) -> Provenance:
        """Where the sentences come from.

        Raises:
            ValueError: the sentences are no longer there.
        """
        if self.batch is None:
            raise ValueError("verdicts without their sentences have no origin")
        return self.batch.origin


def merge_verdicts(
    batches: Iterable[JudgedTranslations], least: int = MIN_BATCH_SENTENCES
) -> Iterator[JudgedTranslations]:
    """Verdicts in larger batches without the sentences, because each batch costs something to count.

    Args:
        batches: verdicts.
        least: sentences of a batch, but for the last one of a language.
    """
    for _, of_language in groupby(batches, key=lambda batch: batch.language):
        held: list[JudgedTranslations] = []
        number = 0
        for batch in of_language:
            held.append(replace(batch, batch=None))
            number += len(batch.documents)
            if number >= least:
                yield _merge_batches(held)
                held, number = [], 0
        if held:
            yield _merge_batches(held)


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


@dataclass(frozen=True)
class TranslationJudge:
    """Gives the verdicts.

    Args:
        normalize: the form in which names and translations are compared.
        empty: whether an empty name counts as one: it is in every translation.
        aliases: names accepted for each (language, entity); None: verdicts are not explained.
    """

    normalize: Normalisation = "none"
    empty_mentions: bool = False
    aliases: Aliases | None = field(default=None, repr=False)
    _interned_types: dict[tuple[str, ...], tuple[str, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __call__(self, batch: TranslationBatch) -> JudgedTranslations:
        """The verdicts on a batch."""
        fold = make_fold(self.normalize)
        answers = batch.translations
        found, blank = _judge_translations(batch.sentences, answers, fold, empty=self.empty_mentions)
        correct, missing = np.array(found, np.bool_), np.zeros(len(found), np.bool_)
        missing[blank] = True
        notices = batch.warnings
        if long := _find_too_long(batch.sentences, answers):
            message = "predictions much longer than the references: a list of all names would always be right"
            notices += (
                RunWarning("long-predictions", message, len(long), batch.origin.where(long[0], 0, "predicted")),
            )
        explanation = None if self.aliases is None else self._explain(batch, correct, fold, self.aliases)
        return JudgedTranslations(
            documents=batch.documents,
            language=batch.language,
            types=self._intern_types([task.entity_types for task in batch.sentences]),
            correct=correct,
            missing=missing,
            comet=batch.comet,
            warnings=notices,
            batch=batch,
            explanation=explanation,
        )

    def _intern_types(self, types: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
        """The same object for equal types: a few combinations occur over and over, and verdicts outlive their rows."""
        return list(map(self._interned_types.setdefault, types, types))

    def _explain(
        self, batch: TranslationBatch, correct: NDArray[np.bool_], fold: Fold, aliases: Aliases
    ) -> Explanation:
        kinds = np.zeros(len(correct), np.int64)
        matches: list[Match | None] = [None] * len(correct)
        for k, (task, answer) in enumerate(zip(batch.sentences, batch.translations, strict=True)):
            if correct[k]:
                matches[k] = find_first_match(task.targets, answer or "", fold, empty=self.empty_mentions)
            else:
                siblings = aliases.get((batch.language, task.entity or ""), frozenset())
                kinds[k] = VERDICT_KINDS.index(classify_near_miss(task, answer, siblings, fold))
        return Explanation(kinds, matches)


def _judge_translations(
    tasks: Sequence[ReferenceSentence],
    answers: Sequence[str | None],
    fold: Fold,
    *,
    empty: bool,
) -> tuple[list[bool], list[int]]:
    """Whether each translation holds an accepted name, and where there is no translation, or a blank one.

    Case folding maps each character by itself, so that a name that is there as it stands is there when both are folded;
    to fold them takes longer than all else.
    """
    found = [False] * len(answers)
    if fold is CASEFOLD:
        found = [
            answer is not None and (name := task.targets[0].mention) in answer and (empty or name.strip() != "")
            for task, answer in zip(tasks, answers, strict=True)
        ]
    missing = []
    for k in [k for k, right in enumerate(found) if not right]:
        answer = answers[k]
        if answer is not None and _has_accepted_name(fold(answer), tasks[k].targets, fold, empty):
            found[k] = True
        elif not answer or answer.isspace():
            missing.append(k)
    return found, missing


def _has_accepted_name(folded: str, targets: Sequence[AcceptedTranslation], fold: Fold, empty: bool) -> bool:  # noqa: FBT001  called for each sentence
    """Whether a translation that was folded holds an accepted name. Several targets often have the same one."""
    last = None
    for target in targets:
        mention = target.mention
        if mention != last:
            name = fold(mention)
            if name in folded and (empty or name.strip() != ""):
                return True
            last = mention
    return False


def _find_too_long(tasks: Sequence[ReferenceSentence], answers: Sequence[str | None]) -> list[int]:
    """Which translations are much longer than the references."""
    return [
        k
        for k, answer in enumerate(answers)
        if answer and len(answer) > LONG_TRANSLATION and _is_long(tasks[k].targets, answer)
    ]


def _is_long(targets: Sequence[AcceptedTranslation], answer: str) -> bool:
    longest = max(len(target.translation) for target in targets)
    return longest > 0 and len(answer) > LONG_FACTOR * longest


@dataclass
class ConsistencyCounter:
    """How often each entity was right, in each language.

    Args:
        seen: per (language, entity) right answers and sentences.
    """

    outcomes: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def count_batches(self, batches: Iterable[JudgedTranslations]) -> Iterator[JudgedTranslations]:
        """The same batches, whose verdicts are noted."""
        for batch in batches:
            tasks = () if batch.batch is None else batch.batch.sentences
            for task, correct in zip(tasks, batch.correct.tolist(), strict=True):
                if task.entity:
                    counts = self.outcomes.setdefault((batch.language, task.entity), [0, 0])
                    counts[0] += correct
                    counts[1] += 1
            yield batch

    def to_scores(self) -> dict[ScoreKey, int]:
        """Entities, once for each language, whose sentences are all right, all wrong, or neither."""
        right = sum(correct == total for correct, total in self.outcomes.values())
        wrong = sum(not correct for correct, _ in self.outcomes.values())
        numbers = {
            "all_right": right,
            "mixed": len(self.outcomes) - right - wrong,
            "all_wrong": wrong,
            "entities": len(self.outcomes),
        }
        return {("consistency", name): number for name, number in numbers.items()}


def build_translation_findings(batch: JudgedTranslations, limit: int, context: int, *, hits: bool) -> list[Finding]:
    """Findings of a batch in their order.

    Args:
        batch: verdicts that were explained.
        limit: at most so many.
        context: words on each side of a name that was found.
        hits: whether right translations are findings too.
    """
    if batch.explanation is None or batch.batch is None:
        raise ValueError("verdicts that were not explained")
    wanted = (k for k, correct in enumerate(batch.correct.tolist()) if hits or not correct)
    return [_build_finding(batch.batch, batch.explanation, k, context) for k in islice(wanted, limit)]


def _build_finding(batch: TranslationBatch, explanation: Explanation, row: int, context: int) -> Finding:
    """A verdict: the name that was found in its context, or the whole translation."""
    origin, match, answer = batch.origin, explanation.matches[row], batch.translations[row] or ""
    more = _describe_sentence(batch.language, batch.sentences[row])
    start, end = 0, len(answer)
    if match is not None:
        start, end = match.start, match.end
        more |= {"mention": match.mention, "boundary": match.boundary}
    finding = Finding(
        kind=VERDICT_KINDS[explanation.kinds[row]],
        document=origin.name(row),
        where=origin.where(row, start, "predicted"),
        marks=(Mark("predicted", None, start, end, start, end),),
        text=answer if match is None else None,
        extra=more,
    )
    return finding if match is None else add_context(finding, origin.passage(row), context)


def _describe_sentence(language: str, task: ReferenceSentence) -> dict[str, object]:
    """What a row of JSON has beside the place; keys without content are left out."""
    row = {
        "language": language,
        "entity": task.entity,
        "entity_types": list(task.entity_types),
        "source": task.source,
        "accepted": list(dict.fromkeys(target.mention for target in task.targets)),
    }
    return {name: value for name, value in row.items() if value}
