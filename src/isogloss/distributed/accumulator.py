"""Count batches as they come, and merge what several processes counted."""

from __future__ import annotations

import sys
from copy import copy
from typing import Any, Self

from isogloss.distributed.counting import check_partials, count, merge, merge_partials
from isogloss.distributed.partials import Partial
from isogloss.errors import DataError, UsageError
from isogloss.runs.evidence import ResamplingMethod
from isogloss.runs.run import Run
from isogloss.tasks.registry import get_task
from isogloss.tasks.scoring import parse_call

MIN_MERGED_ROWS = 2**12  # distinct documents below which a merge is not worthwhile


class Accumulator:
    """A counter of batches of documents, in any task.

    It keeps a partial, never the input. It can be pickled, and so sent between processes.

    Args:
        task: name of the task, such as `ner`.
        options: options of `isogloss.count`.

    Raises:
        UsageError: if the task or an option is unknown, or a value is not allowed.

    Examples:
        >>> counted = Accumulator("ner", scheme="iob2")
        >>> counted.update([["B-PER", "I-PER"]], [["B-PER", "O"]])
        >>> counted.update([["B-LOC"]], [["B-LOC"]])
        >>> counted.compute().scores["partial"].f1
        0.75
    """

    def __init__(self, task: str, **options: Any) -> None:
        parse_call(get_task(task), {name: value for name, value in options.items() if name != "keep_documents"})
        self._task, self._options = task, options
        self.reset()

    @property
    def documents(self) -> int:
        """Number of documents that were counted."""
        return sum(partial.documents for partial in self._partials)

    def update(self, *data: Any, **named_data: Any) -> None:
        """Count a batch of documents.

        If this fails, no document of the batch is counted.

        Args:
            data: reference and prediction, or texts, as in the task's own call.
            named_data: the same by name.

        Raises:
            UsageError: if the data have a wrong type, or an option needs the whole corpus.
            DataError: if the batch cannot be counted, or does not fit those before; its places are indices of this
                batch.
        """
        self.add(count(self._task, *data, **named_data, **self._options))

    def add(self, partial: Partial) -> None:
        """Add a partial of other documents.

        Args:
            partial: a partial of this task; it stays unchanged.

        Raises:
            DataError: if it was counted with other options.
        """
        check_partials(get_task(self._task), [*self._partials[:1], partial])
        self._partials.append(partial)
        self._unmerged_rows += _count_rows(partial)
        if self._unmerged_rows >= max(MIN_MERGED_ROWS, _count_rows(self._partials[0])):
            self._merge_partials()

    def compute(
        self,
        *,
        confidence: float | None = None,
        resamples: int = 1000,
        seed: int = 12345,
        interval: ResamplingMethod = "auto",
    ) -> Run:
        """Score all documents that were counted. Counting can continue afterwards.

        Args:
            confidence: level of the intervals in (0, 1); None for those of the options.
            resamples: number of bootstrap resamples, 1 or more.
            seed: seed of the resamples, 0 or more.
            interval: method of the intervals: `auto`, `bootstrap` or `wilson`.

        Returns:
            The run, as of scoring all documents at once.

        Raises:
            DataError: if no document was counted.
            UsageError: if options are invalid.
        """
        if not self._partials:
            raise DataError("There is no document to score.", remedy="Call update with a batch of documents first.")
        self._merge_partials()
        return merge(self._partials, confidence=confidence, resamples=resamples, seed=seed, interval=interval)

    def reset(self) -> None:
        """Forget all counts."""
        self._partials: list[Partial] = []  # the first has all documents before the others
        self._unmerged_rows = 0  # distinct documents that are not merged yet

    def merge(self, other: Accumulator) -> Self:
        """Add the counts of another accumulator of other documents.

        Args:
            other: an accumulator with the same options; it stays unchanged.

        Returns:
            This accumulator, so that `functools.reduce(Accumulator.merge, parts)` adds all to the first.

        Raises:
            UsageError: if it is not an accumulator.
            DataError: if its task or options differ.
        """
        if not isinstance(other, Accumulator):
            raise UsageError(f"An accumulator can be merged with an accumulator only, got {other!r}.")
        for partial in other._partials:
            self.add(partial)
        return self

    merge_state = merge  # its name in torchmetrics

    def gather(self) -> Self:
        """Add the counts of all processes of `torch.distributed`.

        All of them must call it.

        Returns:
            A new accumulator: the sum, or a copy of this one without a process group.
        """
        total = copy(self)
        total.reset()
        for part in _gather_processes(self):
            total.merge(part)
        return total

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self._options.items())
        return f"<{type(self).__name__} {self._task!r}{options}: documents={self.documents}>"

    def _merge_partials(self) -> None:
        if len(self._partials) > 1:
            self._partials = [merge_partials(self._partials)]
        self._unmerged_rows = 0


def _count_rows(partial: Partial) -> int:
    corpus = partial.systems[0].corpus
    return partial.documents if corpus is None else len(corpus.tally.times)


def _gather_processes(own: Accumulator) -> list[Accumulator]:
    torch: Any = sys.modules.get("torch")  # a process group requires that torch was imported
    if torch is None or not torch.distributed.is_available() or not torch.distributed.is_initialized():
        return [own]
    gathered: list[Any] = [None] * torch.distributed.get_world_size()
    torch.distributed.all_gather_object(gathered, own)
    return gathered
