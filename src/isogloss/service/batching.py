"""Batches: one call of a model for the texts of several requests.

The requests of a batch arrive within a few milliseconds. Each model has one thread. It collects requests, calls the
model, and gives each request its part, so that two threads never call a model at a time. A batch has a limited number
of characters. A request with more is spread over several batches, and half of each batch is left for requests
with fewer texts, so that they do not wait for its end.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

BATCH_SECONDS = 0.003  # to wait for more texts
MAX_BATCH_CHARACTERS = 5_120  # unless one text is longer
LEAST_CHARACTERS = 20  # that a shorter text counts for
MAX_BATCH_TEXTS = MAX_BATCH_CHARACTERS // LEAST_CHARACTERS
CallModel = Callable[[Sequence[str]], list[Any]]  # returns the answer to each text, in order


@dataclass(eq=False)
class _BatchRequest:
    """The texts of one request, and the future of their answers."""

    texts: Sequence[str]
    answers: Future[list[Any]] = field(default_factory=Future)
    done: list[Any] = field(default_factory=list)

    @property
    def remaining(self) -> int:
        """Number of texts without an answer."""
        return len(self.texts) - len(self.done)


_Share = tuple[_BatchRequest, Sequence[str]]  # a request with its next texts


class BatchedModel:
    """A model that many threads share and one thread calls.

    Args:
        name: name of the model, as the user wrote it.
        call: calls the model.
        seconds: time to wait for more texts before a call.
        characters: number of characters after which a batch has no more texts.
    """

    def __init__(
        self, name: str, call: CallModel, seconds: float = BATCH_SECONDS, characters: int = MAX_BATCH_CHARACTERS
    ) -> None:
        self.name = name
        self._characters = characters
        self._call = call
        self._seconds = seconds
        self._requests: queue.SimpleQueue[_BatchRequest] = queue.SimpleQueue()
        threading.Thread(target=self._run_batches, name=f"batches of {name}", daemon=True).start()

    def annotate(self, texts: Sequence[str]) -> list[Any]:
        """Return the answer to each text, in order.

        The call returns when the last batch with its texts is done.

        Args:
            texts: texts of one request.

        Raises:
            Exception: if the model raises it for these texts.
        """
        if not texts:
            return []
        request = _BatchRequest(texts)
        self._requests.put(request)
        return request.answers.result()

    def _run_batches(self) -> None:
        waiting: list[_BatchRequest] = []  # the oldest first
        while True:
            self._collect_requests(waiting)
            shares = _divide_batch(waiting, self._characters)
            try:
                self._answer_batch(shares)
            except Exception:  # noqa: BLE001  one request must not fail the others of its batch
                for share in shares:
                    self._answer_alone(share)
            waiting = [request for request in waiting if not request.answers.done()]

    def _collect_requests(self, waiting: list[_BatchRequest]) -> None:
        """Add new requests until the batch is full or late."""
        until = time.monotonic() + self._seconds
        if not waiting:
            waiting.append(self._requests.get())
            until = time.monotonic() + self._seconds
        texts = sum(request.remaining for request in waiting)
        while texts < MAX_BATCH_TEXTS or not self._requests.empty():
            try:
                waiting.append(self._requests.get(timeout=max(0.0, until - time.monotonic())))
            except queue.Empty:
                break
            texts += waiting[-1].remaining

    def _answer_batch(self, shares: Sequence[_Share]) -> None:
        texts = [text for _, own in shares for text in own]
        answers = self._call(texts)
        if len(answers) != len(texts):
            raise ValueError(f"{self.name} gives {len(answers)} answers for {len(texts)} texts")
        first = 0
        for request, own in shares:
            request.done += answers[first : first + len(own)]
            first += len(own)
            if not request.remaining:
                request.answers.set_result(request.done)

    def _answer_alone(self, share: _Share) -> None:
        try:
            self._answer_batch([share])
        except Exception as error:  # noqa: BLE001  the thread that waits raises it
            share[0].answers.set_exception(error)


def _divide_batch(waiting: Sequence[_BatchRequest], characters: int) -> list[_Share]:
    """Choose the texts of the next batch.

    The oldest request gets half of the batch, so that it ends, and the shortest ones get the rest first.

    Args:
        waiting: requests with remaining texts, the oldest first.
        characters: number of characters of a full batch.
    """
    shares: dict[_BatchRequest, list[str]] = {}
    taken = 0  # characters
    half = waiting[0], characters // 2
    shortest = sorted(waiting, key=lambda each: each.remaining)
    for request, limit in (half, *((each, characters) for each in shortest)):
        own = shares.setdefault(request, [])
        while taken < limit and len(own) < request.remaining:
            text = request.texts[len(request.done) + len(own)]
            own.append(text)
            taken += max(LEAST_CHARACTERS, len(text))
    return [(request, own) for request, own in shares.items() if own]
