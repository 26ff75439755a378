"""Requests that come together share a batch: a model is asked once for the texts of all of them.

A model has one thread, which collects what is asked for in a few milliseconds, asks the model, and hands each its part.
So a model is never asked twice at a time, whatever it thinks of threads.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Protocol

PATIENCE = 0.003  # seconds for more texts to come
TEXTS = 256  # of a batch, unless a single request has more


class Annotator(Protocol):
    """What is asked: a recogniser of names, a splitter or a tokenizer."""

    @property
    def name(self) -> str:
        """As the user wrote it."""

    def annotate(self, texts: Sequence[str]) -> list[list[Any]]:
        """The spans of each text, in order."""


@dataclass(frozen=True, eq=False)
class _Asked:
    """What one request asks for.

    Args:
        texts: its texts.
        answer: the spans of each.
    """

    texts: Sequence[str]
    answer: Future[list[list[Any]]] = field(default_factory=Future)


class Batched:
    """A model that many threads ask and that is asked by one. It is used as the model itself.

    Args:
        model: the model.
    """

    def __init__(self, model: Annotator) -> None:
        self._model = model
        self._asked: queue.SimpleQueue[_Asked] = queue.SimpleQueue()
        threading.Thread(target=self._run, name=f"batches of {model.name}", daemon=True).start()

    @property
    def name(self) -> str:
        """As the user wrote it."""
        return self._model.name

    def annotate(self, texts: Sequence[str]) -> list[list[Any]]:
        """The spans of each text, in order; waits for them.

        Raises:
            Exception: what the model raises for these texts.
        """
        if not texts:
            return []
        asked = _Asked(texts)
        self._asked.put(asked)
        return asked.answer.result()

    def _run(self) -> None:
        while True:
            batch = self._collected(self._asked.get())
            try:
                self._answer(batch)
            except Exception as error:  # noqa: BLE001  each of the batch has to hear of it
                self._apart(batch, error)

    def _collected(self, first: _Asked) -> list[_Asked]:
        """What is asked for within the patience."""
        batch, texts = [first], len(first.texts)
        until = time.monotonic() + PATIENCE
        while texts < TEXTS:
            try:
                batch.append(self._asked.get(timeout=max(0.0, until - time.monotonic())))
            except queue.Empty:
                break
            texts += len(batch[-1].texts)
        return batch

    def _answer(self, batch: Sequence[_Asked]) -> None:
        texts = [text for asked in batch for text in asked.texts]
        spans = self._model.annotate(texts)
        if len(spans) != len(texts):
            raise ValueError(f"{self.name} gives {len(spans)} answers for {len(texts)} texts")
        first = 0
        for asked in batch:
            asked.answer.set_result(spans[first : first + len(asked.texts)])
            first += len(asked.texts)

    def _apart(self, batch: Sequence[_Asked], error: Exception) -> None:
        """Each by itself, so that the texts of one do not fail the others."""
        if len(batch) == 1:
            batch[0].answer.set_exception(error)
            return
        for asked in batch:
            try:
                self._answer([asked])
            except Exception as own:  # noqa: BLE001  this request's, and no other's
                asked.answer.set_exception(own)
