from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.service.job_queue import BYTES_PER_SECOND, LONG_BYTES, JobQueue

LONG = LONG_BYTES + 1


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def take(queue: JobQueue[str]) -> str | None:
    with queue.take() as item:
        return item


def test_short_job_overtakes_long_one() -> None:
    queue: JobQueue[str] = JobQueue(1, Clock())
    queue.put("long", 1_300_000)
    queue.put("short", 100)
    assert len(queue) == 2
    assert [take(queue), take(queue)] == ["short", "long"]


def test_jobs_of_one_size_keep_their_order() -> None:
    queue: JobQueue[str] = JobQueue(1, Clock())
    for name in "abc":
        queue.put(name, 10)
    assert [take(queue) for _ in range(3)] == ["a", "b", "c"]


def test_long_job_is_not_overtaken_after_its_time() -> None:
    clock = Clock()
    queue: JobQueue[str] = JobQueue(1, clock)
    queue.put("long", 10 * BYTES_PER_SECOND)
    clock.now = 9.0
    queue.put("early", 1)
    clock.now = 10.1
    queue.put("late", 1)
    assert [take(queue) for _ in range(3)] == ["early", "long", "late"]


@pytest.mark.parametrize(("lanes", "long_jobs"), [(2, None), (16, 1)])
def test_long_jobs_leave_a_lane_for_short_ones(lanes: int, long_jobs: int | None) -> None:
    queue: JobQueue[str] = JobQueue(lanes, Clock(), long_jobs)
    for name in ("first", "second"):
        queue.put(name, LONG)
    with ThreadPoolExecutor() as threads, ExitStack() as first:
        assert first.enter_context(queue.take()) == "first"
        waiting = threads.submit(take, queue)
        queue.put("short", 1)
        assert waiting.result(10) == "short"
        waiting = threads.submit(take, queue)
        assert not waiting.done()
        first.close()
        assert waiting.result(10) == "second"


@given(st.lists(st.integers(0, 10 * LONG), max_size=30), st.integers(1, 4))
def test_every_job_is_taken_once_and_lanes_end_at_close(sizes: list[int], lanes: int) -> None:
    queue: JobQueue[int] = JobQueue(lanes)
    taken: list[int] = []

    def run_lane() -> None:
        while True:
            with queue.take() as item:
                if item is None:
                    return
                taken.append(item)

    threads = [threading.Thread(target=run_lane) for _ in range(lanes)]
    for thread in threads:
        thread.start()
    for number, size in enumerate(sizes):
        queue.put(number, size)
    while len(taken) < len(sizes):
        pass
    queue.close()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()
    assert sorted(taken) == [*range(len(sizes))]
