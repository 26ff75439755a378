from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from isogloss.service.batching import MAX_BATCH_CHARACTERS, MAX_BATCH_TEXTS, BatchedModel

Spans = list[list[int]]


class Model:
    """Answers each text with its length, and notes the batches; holds the first until it is let go."""

    name = "model"

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.let_go = threading.Event()
        self.asked = threading.Event()

    def annotate(self, texts: Sequence[str]) -> Spans:
        self.batches.append(list(texts))
        self.asked.set()
        assert self.let_go.wait(10)
        if "bad" in texts:
            raise ValueError(f"{len(texts)} texts")
        return [[len(text)] for text in texts]


def test_waiting_requests_share_a_batch() -> None:
    model = Model()
    batched = BatchedModel(model.name, model.annotate)
    with ThreadPoolExecutor() as threads:
        first = threads.submit(batched.annotate, ["one"])
        assert model.asked.wait(10)
        others = [threads.submit(batched.annotate, ["x" * number, "y"]) for number in range(1, 4)]
        while batched._requests.qsize() < 3:
            pass
        model.let_go.set()
        assert first.result(10) == [[3]]
        assert [other.result(10) for other in others] == [[[1], [1]], [[2], [1]], [[3], [1]]]
    assert len(model.batches) == 2
    assert len(model.batches[1]) == 6


def test_a_failing_text_fails_its_own_request_only() -> None:
    model = Model()
    batched = BatchedModel(model.name, model.annotate)
    with ThreadPoolExecutor() as threads:
        first = threads.submit(batched.annotate, ["one"])
        assert model.asked.wait(10)
        good, bad = threads.submit(batched.annotate, ["fine"]), threads.submit(batched.annotate, ["bad"])
        while batched._requests.qsize() < 2:
            pass
        model.let_go.set()
        first.result(10)
        assert good.result(10) == [[4]]
        with pytest.raises(ValueError, match="1 texts"):
            bad.result(10)


def test_short_request_does_not_wait_for_the_end_of_a_long_one() -> None:
    model = Model()
    batched = BatchedModel(model.name, model.annotate)
    with ThreadPoolExecutor() as threads:
        long = threads.submit(batched.annotate, [f"{number}" for number in range(10 * MAX_BATCH_TEXTS)])
        assert model.asked.wait(10)
        short = threads.submit(batched.annotate, ["short"])
        while batched._requests.qsize() < 1:
            pass
        model.let_go.set()
        assert short.result(10) == [[5]]
        assert long.result(10) == [[len(f"{number}")] for number in range(10 * MAX_BATCH_TEXTS)]
    assert "short" in model.batches[1]
    assert max(map(len, model.batches)) == MAX_BATCH_TEXTS


def test_no_text_asks_the_model_nothing() -> None:
    model = Model()
    assert BatchedModel(model.name, model.annotate).annotate([]) == []
    assert model.batches == []


def test_answers_that_are_not_as_many_as_the_texts_are_an_error() -> None:
    class Short(Model):
        def annotate(self, texts: Sequence[str]) -> Spans:
            return []

    with pytest.raises(ValueError, match="0 answers for 2 texts"):
        BatchedModel("short", Short().annotate).annotate(["a", "b"])


def test_batch_has_a_limited_number_of_characters() -> None:
    model = Model()
    model.let_go.set()
    texts = ["x" * (MAX_BATCH_CHARACTERS // 10)] * 25 + ["y" * 3 * MAX_BATCH_CHARACTERS]
    assert BatchedModel(model.name, model.annotate).annotate(texts) == [[len(text)] for text in texts]
    assert [len(batch) for batch in model.batches] == [10, 10, 6]
