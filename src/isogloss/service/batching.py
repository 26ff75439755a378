"""Batches: one call of a model for the texts of several requests.

The requests of a batch arrive within a few milliseconds. Each model has one thread. It collects requests, calls the
model, and gives each request its part, so that two threads never call a model at a time. A request with many texts is
spread over several batches, and half of each batch is left for requests with fewer texts, so that they do not wait for
its end.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Protocol

BATCH_SECONDS = 0.003  # to wait for more texts
MAX_BATCH_TEXTS = 256


class TextAnnotator(Protocol):
    """Recogniser of names, splitter or tokenizer."""

    @property
    def name(self) -> str:
        """The name, as the user wrote it."""

    def annotate(self, texts: Sequence[str]) -> list[list[Any]]:
        """Return the spans of each text, in order."""


@dataclass(eq=False)
class _BatchRequest:
    """The texts of one request, and the future of their spans."""

    texts: Sequence[str]
    spans: Future[list[list[Any]]] = field(default_factory=Future)
    done: list[list[Any]] = field(default_factory=list)

    @property
    def remaining(self) -> int:
        """Number of texts without spans."""
        return len(self.texts) - len(self.done)


_Share = tuple[_BatchRequest, Sequence[str]]  # a request with its next texts


class BatchedModel:
    """A model that many threads share and one thread calls.

    Args:
        model: the model.
    """

    def __init__(self, model: TextAnnotator) -> None:
        self._model = model
        self._requests: queue.SimpleQueue[_BatchRequest] = queue.SimpleQueue()
        threading.Thread(target=self._run_batches, name=f"batches of {model.name}", daemon=True).start()

    @property
    def name(self) -> str:
        """The name, as the user wrote it."""
        return self._model.name

    def annotate(self, texts: Sequence[str]) -> list[list[Any]]:
        """Return the spans of each text, in order.

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
        return request.spans.result()

    def _run_batches(self) -> None:
        waiting: list[_BatchRequest] = []  # the oldest first
        while True:
            self._collect_requests(waiting)
            shares = _divide_batch(waiting)
            try:
                self._answer_batch(shares)
            except Exception:  # noqa: BLE001  one request must not fail the others of its batch
                for share in shares:
                    self._answer_alone(share)
            waiting = [request for request in waiting if not request.spans.done()]

    def _collect_requests(self, waiting: list[_BatchRequest]) -> None:
        """Add new requests until the batch is full or late."""
        until = time.monotonic() + BATCH_SECONDS
        if not waiting:
            waiting.append(self._requests.get())
            until = time.monotonic() + BATCH_SECONDS
        texts = sum(request.remaining for request in waiting)
        while texts < MAX_BATCH_TEXTS or not self._requests.empty():
            try:
                waiting.append(self._requests.get(timeout=max(0.0, until - time.monotonic())))
            except queue.Empty:
                break
            texts += waiting[-1].remaining

    def _answer_batch(self, shares: Sequence[_Share]) -> None:
        texts = [text for _, own in shares for text in own]
        spans = self._model.annotate(texts)
        if len(spans) != len(texts):
            raise ValueError(f"{self.name} gives {len(spans)} answers for {len(texts)} texts")
        first = 0
        for request, own in shares:
            request.done += spans[first : first + len(own)]
            first += len(own)
            if not request.remaining:
                request.spans.set_result(request.done)

    def _answer_alone(self, share: _Share) -> None:
        try:
            self._answer_batch([share])
        except Exception as error:  # noqa: BLE001  the thread that waits raises it
            share[0].spans.set_exception(error)


def _divide_batch(waiting: Sequence[_BatchRequest]) -> list[_Share]:
    """Choose the texts of the next batch.

    The oldest request gets half of the batch, so that it ends, and the shortest ones get the rest first.

    Args:
        waiting: requests with remaining texts, the oldest first.
    """
    counts = dict.fromkeys(waiting, 0)
    counts[waiting[0]] = min(waiting[0].remaining, MAX_BATCH_TEXTS // 2)
    left = MAX_BATCH_TEXTS - counts[waiting[0]]
    for request in sorted(waiting, key=lambda each: each.remaining):
        more = min(request.remaining - counts[request], left)
        counts[request] += more
        left -= more
    return [
        (request, request.texts[len(request.done) : len(request.done) + count])
        for request, count in counts.items()
        if count
    ]
