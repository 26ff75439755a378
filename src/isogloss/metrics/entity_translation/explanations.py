"""What is said about single sentences and entities: findings, and how consistent a system is about an entity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from isogloss.batches import Translations, TranslationTask
from isogloss.findings import Finding, Mark, in_context
from isogloss.metrics.entity_translation.verdicts import KINDS, Explanation, Judged
from isogloss.scores import Key


@dataclass
class Consistency:
    """How often each entity was right, in each language.

    Args:
        seen: per (language, entity) right answers and sentences.
    """

    seen: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def watched(self, batches: Iterable[Judged]) -> Iterator[Judged]:
        """The same batches, whose verdicts are noted."""
        for batch in batches:
            tasks = () if batch.batch is None else batch.batch.tasks
            for task, correct in zip(tasks, batch.correct.tolist(), strict=True):
                if task.entity:
                    counts = self.seen.setdefault((batch.language, task.entity), [0, 0])
                    counts[0] += correct
                    counts[1] += 1
            yield batch

    def numbers(self) -> dict[Key, int]:
        """Entities, once for each language, whose sentences are all right, all wrong, or neither."""
        right = sum(correct == total for correct, total in self.seen.values())
        wrong = sum(not correct for correct, _ in self.seen.values())
        numbers = {
            "all_right": right,
            "mixed": len(self.seen) - right - wrong,
            "all_wrong": wrong,
            "entities": len(self.seen),
        }
        return {("consistency", name): number for name, number in numbers.items()}


def findings(batch: Judged, limit: int, context: int, *, hits: bool) -> list[Finding]:
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
    return [_finding(batch.batch, batch.explanation, k, context) for k in islice(wanted, limit)]


def _finding(batch: Translations, explanation: Explanation, row: int, context: int) -> Finding:
    """A verdict: the name that was found in its context, or the whole translation."""
    origin, match, answer = batch.origin, explanation.matches[row], batch.answers[row] or ""
    more = _more(batch.language, batch.tasks[row])
    start, end = 0, len(answer)
    if match is not None:
        start, end = match.start, match.end
        more |= {"mention": match.mention, "boundary": match.boundary}
    finding = Finding(
        kind=KINDS[explanation.kinds[row]],
        document=origin.name(row),
        where=origin.where(row, start, "predicted"),
        marks=(Mark("predicted", None, start, end, start, end),),
        text=answer if match is None else None,
        more=more,
    )
    return finding if match is None else in_context(finding, origin.passage(row), context)


def _more(language: str, task: TranslationTask) -> dict[str, object]:
    """What a row of JSON has beside the place; keys without content are left out."""
    row = {
        "language": language,
        "entity": task.entity,
        "entity_types": list(task.entity_types),
        "source": task.source,
        "accepted": list(dict.fromkeys(target.mention for target in task.targets)),
    }
    return {name: value for name, value in row.items() if value}
