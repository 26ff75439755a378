from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest
import worker_jobs
from waiting import wait_until

from isogloss.errors import MissingExtraError
from isogloss.service.jobs import Job, Reply, WorkFunction
from isogloss.service.problems import Problem, RefusedError
from isogloss.service.process_pool import EndedError, ProcessPool, WorkerProcess
from isogloss.service.settings import ServiceLimits

LIMITS = ServiceLimits(body=100, queue=3, of_client=2)
T = TypeVar("T")


@contextmanager
def running(
    load: Callable[[], WorkFunction] = worker_jobs.load,
    *,
    lanes: int = 1,
    seconds: float | None = None,
) -> Iterator[ProcessPool]:
    pool = ProcessPool("test", [WorkerProcess(load, lanes, seconds)], LIMITS)
    pool.start()
    try:
        wait_until(lambda: pool.is_ready or pool.failure is not None)
        yield pool
    finally:
        pool.close()


async def both(first: Awaitable[T], second: Awaitable[T]) -> tuple[T, T]:
    return await asyncio.wait_for(asyncio.gather(first, second), 120)


def job(name: str) -> Job:
    return Job(name, 0, 10)


def done(pool: ProcessPool, name: str, body: bytes = b"") -> Reply:
    return asyncio.run(pool.run_job(job(name), body))


def test_a_large_body_comes_back_as_it_was() -> None:
    body = bytes(range(256)) * 20_000
    with running() as pool:
        assert done(pool, "echo", body).body.partition(b" ")[2] == body


def test_lanes_of_a_process_work_at_a_time() -> None:
    with running(lanes=2) as pool:
        first, second = asyncio.run(both(pool.run_job(job("meet"), b""), pool.run_job(job("meet"), b"")))
        assert first.body == second.body


def test_a_process_that_ends_is_replaced() -> None:
    with running() as pool:
        before = done(pool, "echo").body
        reply = done(pool, "die")
        assert reply.problem is not None
        assert reply.problem.kind == "bug"
        assert reply.trace == ("the process ended unexpectedly: out of memory?",)
        assert done(pool, "echo").body != before


def test_a_job_that_takes_too_long_is_ended_and_the_next_is_done() -> None:
    with running(seconds=0.3) as pool:
        reply = done(pool, "hang")
        assert reply.problem is not None
        assert reply.problem.kind == "took-too-long"
        assert done(pool, "echo", b"x").body.endswith(b" x")


def test_a_job_that_is_cancelled_before_its_turn_is_not_done(tmp_path: Path) -> None:
    gate = tmp_path / "gate"

    async def cancelled(pool: ProcessPool) -> Reply:
        first = asyncio.ensure_future(pool.run_job(job("await"), str(gate).encode()))
        second = asyncio.ensure_future(pool.run_job(job("hang"), bytes(1000)))  # longer, so it is second
        await asyncio.sleep(0)  # both are given to the pool
        second.cancel()
        gate.touch()
        await first
        return await asyncio.wait_for(pool.run_job(job("echo"), b"x"), 60)

    with running() as pool:
        assert asyncio.run(cancelled(pool)).body.endswith(b" x")


def test_what_loading_raises_is_kept_with_its_type() -> None:
    with running(worker_jobs.load_without_package) as pool:
        assert isinstance(pool.failure, MissingExtraError)
        assert "pip install 'isogloss[spacy]'" in str(pool.failure)
    with running(worker_jobs.load_and_die) as pool:
        assert isinstance(pool.failure, EndedError)


def test_closing_ends_a_process_that_still_loads() -> None:
    process = WorkerProcess(worker_jobs.load_for_ever)
    pool = ProcessPool("test", [process], LIMITS)
    pool.start()
    wait_until(lambda: process._latest is not None)
    pool.close()
    with pytest.raises(ProcessLookupError):  # unlike `is_alive`, the system knows at once
        os.kill(process._latest.pid, 0)
    with pytest.raises(EndedError):
        process.start()
    assert pool.failure is None


def test_requests_are_refused_until_it_is_loaded() -> None:
    with (
        pytest.raises(RefusedError) as refused,
        ProcessPool("test", [WorkerProcess(worker_jobs.load)], LIMITS).reserve_place("a"),
    ):
        pass
    assert refused.value.problem.kind == "not-ready"


def refusal(pool: ProcessPool, client: str) -> Problem | None:
    try:
        with pool.reserve_place(client):
            return None
    except RefusedError as refused:
        return refused.problem


def full(pool: ProcessPool, client: str) -> bool:
    problem = refusal(pool, client)
    assert problem is None or (problem.status == 429 and int(problem.headers["Retry-After"]) >= 1)
    return problem is not None


def test_places_are_limited_in_all_and_by_address() -> None:
    with running() as pool:
        with pool.reserve_place("a"), pool.reserve_place("a"):
            assert full(pool, "a")
            with pool.reserve_place("b"):
                assert full(pool, "c")
            assert not full(pool, "c")
        assert not full(pool, "a")
        assert pool.place_count == 0


def test_bytes_that_are_held_are_bounded_and_given_back() -> None:
    with running() as pool:
        with pool.reserve_place("a") as first, pool.reserve_place("b") as second:
            first(LIMITS.max_held_bytes - 10)
            second(10)
            with pytest.raises(RefusedError) as refused:
                second(1)
            assert refused.value.problem.kind == "queue-full"
        with pool.reserve_place("a") as third:
            third(LIMITS.max_held_bytes)
