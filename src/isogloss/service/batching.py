"""Batches: one call of a model for the texts of several requests.

The requests of a batch arrive within a few milliseconds. Each model has one thread. It collects requests, calls the
model, and gives each request its part, so that two threads never call a model at a time.
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
MAX_BATCH_TEXTS = 256  # unless a single request has more


class TextAnnotator(Protocol):
    """Recogniser of names, splitter or tokenizer."""

    @property
    def name(self) -> str:
        """The name, as the user wrote it."""

    def annotate(self, texts: Sequence[str]) -> list[list[Any]]:
        """Return the spans of each text, in order."""


@dataclass(frozen=True, eq=False)
class _BatchRequest:
    """The texts of one request, and the future of their spans."""

    texts: Sequence[str]
    spans: Future[list[list[Any]]] = field(default_factory=Future)


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

        The call returns when the batch is done.

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
        while True:
            batch = self._collect_batch(self._requests.get())
            try:
                self._answer_batch(batch)
            except Exception:  # noqa: BLE001  one request must not fail the others of its batch
                for request in batch:
                    self._answer_alone(request)

    def _collect_batch(self, first: _BatchRequest) -> list[_BatchRequest]:
        batch, texts = [first], len(first.texts)
        until = time.monotonic() + BATCH_SECONDS
        while texts < MAX_BATCH_TEXTS:
            try:
                batch.append(self._requests.get(timeout=max(0.0, until - time.monotonic())))
            except queue.Empty:
                break
            texts += len(batch[-1].texts)
        return batch

    def _answer_batch(self, batch: Sequence[_BatchRequest]) -> None:
        texts = [text for request in batch for text in request.texts]
        spans = self._model.annotate(texts)
        if len(spans) != len(texts):
            raise ValueError(f"{self.name} gives {len(spans)} answers for {len(texts)} texts")
        first = 0
        for request in batch:
            request.spans.set_result(spans[first : first + len(request.texts)])
            first += len(request.texts)

    def _answer_alone(self, request: _BatchRequest) -> None:
        try:
            self._answer_batch([request])
        except Exception as error:  # noqa: BLE001  the thread that waits raises it
            request.spans.set_exception(error)
