"""Worker processes and their queue.

This module decides for how long requests wait, and when a process is replaced; `job_queue` decides their order.

A process has lanes. A lane is a pipe and two threads: one in the server takes jobs from the queue and sends them, one
in the process runs them. A process that ends, or whose job takes too long, is replaced.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from isogloss.errors import IsoglossError
from isogloss.service.job_queue import JobQueue
from isogloss.service.jobs import Job, Progress, Reply, WorkFunction
from isogloss.service.problems import BUG, Problem, RefusedError, build_retry_header
from isogloss.service.settings import ServiceLimits

MAX_WAIT_SECONDS = 60  # that a client is told to wait
CANCEL_SECONDS = 0.1  # between two looks at whether a job is cancelled
SMOOTHING = 0.1  # weight of the latest job in the mean duration
SWITCH_SECONDS = 0.0005  # that a lane may keep another one of its process from running
SPAWN = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang
LoadFunction = Callable[[], WorkFunction]


class EndedError(Exception):
    """Worker process that ended unexpectedly."""


class TooLateError(Exception):
    """Job that exceeds its timeout."""


class CancelledJobError(Exception):
    """Job that was cancelled while it ran."""


@dataclass(eq=False)
class JobControl:
    """Progress of a job, and the way to cancel it.

    Args:
        share: share of the input that is read; None if unknown.
        is_started: whether a process runs it.
        is_cancelled: whether it is to end.
    """

    share: float | None = None
    is_started: bool = False
    is_cancelled: bool = False

    def cancel(self) -> None:
        """End the job soon, also while it runs."""
        self.is_cancelled = True


@dataclass(frozen=True, eq=False)
class _ChildProcess:
    """A running process with a pipe for each lane."""

    process: Any
    pipes: Sequence[Connection]

    def kill(self) -> None:
        self.process.kill()
        self.process.join()


class WorkerProcess:
    """A process with lanes, started again when it ends.

    Args:
        load: returns the function that runs jobs; called in the process.
        lanes: number of jobs at a time.
        seconds: timeout of a job, after which the process is replaced; None for no timeout. With several lanes the
            jobs of the other lanes end, too.
    """

    def __init__(self, load: LoadFunction, lanes: int = 1, seconds: float | None = None) -> None:
        self.lanes = lanes
        self.is_closed = False  # ended on purpose
        self._load = load
        self._seconds = seconds
        self._lock = threading.Lock()
        self._child: _ChildProcess | None = None
        self._latest: Any = None  # the latest process, from before it has loaded

    @property
    def is_loaded(self) -> bool:
        """Whether the process is loaded."""
        return self._child is not None

    def start(self) -> None:
        """Start it and wait until it has loaded.

        Raises:
            IsoglossError: if loading fails.
            EndedError: if the process ends before it has loaded.
        """
        self._replace_child(None)

    def run_job(self, lane: int, job: Job, body: bytes, control: JobControl | None = None) -> Reply:
        """Run a job in a lane that no other thread uses.

        Args:
            lane: number of the lane, from 0.
            job: kind of job.
            body: body of the request.
            control: takes the progress of the job, and cancels it; None for neither.

        Raises:
            CancelledJobError: if the job is cancelled; its process ends.
            IsoglossError: if the process had ended, and cannot be loaded again.
            EndedError: if the process ends during the job.
            TooLateError: if the job exceeds the timeout.
        """
        child = self._child
        if child is None or not child.process.is_alive() or child.pipes[lane].poll():  # without a job, only its end
            child = self._replace_child(child)
        pipe = child.pipes[lane]
        try:
            pipe.send(job)
            pipe.send_bytes(body)
            reply = self._receive_reply(child, pipe, control)
            return reply._replace(body=pipe.recv_bytes())
        except (EOFError, OSError) as error:
            child.kill()
            raise EndedError from error

    def _receive_reply(self, child: _ChildProcess, pipe: Connection, control: JobControl | None) -> Reply:
        """Receive the progress of a job until its reply comes."""
        end = None if self._seconds is None else time.monotonic() + self._seconds
        while True:
            left = None if end is None else max(0.0, end - time.monotonic())
            if not pipe.poll(
                left if control is None else min(CANCEL_SECONDS, CANCEL_SECONDS if left is None else left)
            ):
                if control is not None and control.is_cancelled:
                    child.kill()
                    raise CancelledJobError
                if end is not None and time.monotonic() >= end:
                    child.kill()
                    raise TooLateError
                continue
            message = pipe.recv()
            if not isinstance(message, Progress):
                reply: Reply = message
                return reply
            if control is not None:
                control.share = message.share

    def close(self) -> None:
        """End the process at once, also while it loads."""
        self.is_closed = True
        process = self._latest
        if process is not None:
            process.kill()
            process.join()

    def _replace_child(self, old: _ChildProcess | None) -> _ChildProcess:
        """Start a process in place of the old one.

        Nothing is started if another thread has done so.
        """
        with self._lock:
            if self.is_closed:
                raise EndedError
            if self._child is old:
                self._child = None
                self._child = self._start_child()
            if self._child is None:
                raise EndedError
            return self._child

    def _start_child(self) -> _ChildProcess:
        pairs = [SPAWN.Pipe() for _ in range(self.lanes)]
        pipes = [theirs for _, theirs in pairs]
        process = SPAWN.Process(target=_run_worker, args=(pipes, self._load), name="isogloss worker")
        process.start()
        self._latest = process
        for pipe in pipes:
            pipe.close()
        if self.is_closed:  # just now: nobody else would end it
            process.kill()
        try:
            first = pairs[0][0].recv()
        except (EOFError, OSError) as error:
            process.join()
            raise EndedError from error
        if first is not None:
            process.join()
            raise first
        return _ChildProcess(process, [ours for ours, _ in pairs])


def _run_worker(pipes: Sequence[Connection], load: LoadFunction) -> None:
    """Run jobs until the pipes are closed.

    The server handles signals, and closes the pipes.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        work = load()
    except IsoglossError as error:
        pipes[0].send(error)
        return
    pipes[0].send(None)  # it is loaded
    threads = [threading.Thread(target=_run_lane, args=(pipe, work)) for pipe in pipes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _run_lane(pipe: Connection, work: WorkFunction) -> None:
    try:
        while True:
            job = pipe.recv()
            reply = work(job, pipe.recv_bytes(), lambda share: pipe.send(Progress(share)))
            pipe.send(reply._replace(body=b""))
            pipe.send_bytes(reply.body)
    except (EOFError, OSError):  # the server has closed it, or is gone
        return


@dataclass(frozen=True, eq=False)
class _WaitingJob:
    """A job that waits for its turn."""

    job: Job
    body: bytes
    control: JobControl | None = None
    reply: Future[Reply] = field(default_factory=Future)


class ProcessPool:
    """Processes that run jobs of one kind.

    Args:
        name: name of the kind, for the metrics.
        processes: the processes, not started yet.
        limits: limits of the queue and of the bytes that it holds.
        long_jobs: largest number of long jobs that run at a time; None for all lanes but one.
    """

    def __init__(
        self, name: str, processes: Sequence[WorkerProcess], limits: ServiceLimits, long_jobs: int | None = None
    ) -> None:
        self.name = name
        self.failure: Exception | None = None
        self.place_count = 0
        self._was_ready = False  # a process that is replaced later only makes requests wait
        self._processes = processes
        self._limits = limits
        self._client_places: Counter[str] = Counter()
        self._held_bytes = 0
        self._mean_seconds = 0.1  # that a job takes
        self._lanes = sum(process.lanes for process in processes)
        self._jobs: JobQueue[_WaitingJob] = JobQueue(self._lanes, long_jobs=long_jobs)

    @property
    def is_ready(self) -> bool:
        """Whether all processes are loaded."""
        return all(process.is_loaded for process in self._processes)

    @property
    def waiting_jobs(self) -> int:
        """Number of waiting jobs."""
        return len(self._jobs)

    def start(self) -> None:
        """Start the processes, without waiting for them."""
        for process in self._processes:
            threading.Thread(target=self._start_process, args=(process,), daemon=True).start()

    def close(self) -> None:
        """End all processes at once."""
        for process in self._processes:
            process.close()
        self._jobs.close()

    @contextmanager
    def reserve_place(self, client: str) -> Iterator[Callable[[int], None]]:
        """Reserve a place for a request.

        The place is held from before the body is read until the request is answered.

        Args:
            client: address of the client.

        Yields:
            A function that counts bytes held for the request, and raises RefusedError if all requests hold too many.

        Raises:
            RefusedError: if there is no place, or the processes are not loaded.
        """
        self._was_ready = self._was_ready or self.is_ready
        if not self._was_ready:
            detail = "What the request needs is being loaded." if self.failure is None else "Loading has failed."
            raise RefusedError(
                Problem("not-ready", detail, "Try again, or ask /readyz.", headers=build_retry_header(2))
            )
        if self.place_count >= self._limits.queue:
            raise self._make_full_error(f"{self.place_count:,} requests are waiting or worked on")
        if self._client_places[client] >= (self._limits.of_client or self._limits.queue):
            raise self._make_full_error(f"{self._client_places[client]:,} of them are of this address")
        held_bytes = 0

        def hold_bytes(more: int) -> None:
            nonlocal held_bytes
            if self._held_bytes + more > self._limits.max_held_bytes:
                raise self._make_full_error(f"{self._held_bytes:,} bytes are held for them")
            self._held_bytes += more
            held_bytes += more

        self.place_count += 1
        self._client_places[client] += 1
        try:
            yield hold_bytes
        finally:
            self.place_count -= 1
            self._held_bytes -= held_bytes
            self._client_places -= Counter({client: 1})  # drops what is 0

    async def run_job(self, job: Job, body: bytes, control: JobControl | None = None) -> Reply:
        """Wait for the reply to a job.

        A job that is cancelled before its turn is not run.
        """
        waiting = _WaitingJob(job, body, control)
        self._jobs.put(waiting, len(body))
        return await asyncio.wrap_future(waiting.reply)

    def _make_full_error(self, detail: str) -> RefusedError:
        jobs = self.waiting_jobs / max(1, self._lanes)
        wait = min(MAX_WAIT_SECONDS, max(1, round(jobs * self._mean_seconds)))
        headers = build_retry_header(wait)
        return RefusedError(Problem("queue-full", f"{detail}.", f"Try again in {wait} s.", headers=headers))

    def _start_process(self, process: WorkerProcess) -> None:
        try:
            process.start()
        except (IsoglossError, EndedError) as error:
            if not process.is_closed:  # else that is why
                self.failure = error
            return
        for lane in range(process.lanes):
            threading.Thread(target=self._feed_lane, args=(process, lane), daemon=True).start()

    def _feed_lane(self, process: WorkerProcess, lane: int) -> None:
        is_open = True
        while is_open:
            with self._jobs.take() as waiting:
                is_open = waiting is not None
                if waiting is not None and waiting.reply.set_running_or_notify_cancel():
                    start_time = time.monotonic()
                    waiting.reply.set_result(_run_waiting_job(process, lane, waiting))
                    self._mean_seconds += SMOOTHING * (time.monotonic() - start_time - self._mean_seconds)


def _run_waiting_job(process: WorkerProcess, lane: int, waiting: _WaitingJob) -> Reply:
    """Run a job, twice if its process ends.

    Another job may be the cause of the end.
    """
    if waiting.control is not None:
        waiting.control.is_started = True
    try:
        try:
            return process.run_job(lane, waiting.job, waiting.body, waiting.control)
        except EndedError:
            return process.run_job(lane, waiting.job, waiting.body, waiting.control)
    except CancelledJobError:
        return Reply(problem=Problem("shutting-down", "The job was cancelled."))
    except TooLateError:
        remedy = "Send fewer documents at a time, or raise --time-limit."
        return Reply(problem=Problem("took-too-long", "Scoring took longer than the service allows.", remedy))
    except EndedError:
        return Reply(problem=BUG, trace=("the process ended unexpectedly: out of memory?",))
    except IsoglossError:
        headers = build_retry_header(MAX_WAIT_SECONDS)
        return Reply(problem=Problem("not-ready", "Loading has failed.", headers=headers))
