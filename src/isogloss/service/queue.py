"""Jobs that wait, the threads that hand them to processes, and how many may wait at all."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field

from isogloss.errors import IsoglossError
from isogloss.service.jobs import Job, Reply
from isogloss.service.problems import Problem, RefusedError, bug
from isogloss.service.settings import Limits
from isogloss.service.worker_process import EndedError, Process, TooLateError

LONGEST_WAIT = 60  # seconds that a client is told to wait
MEMORY = 0.1  # weight of the latest job in the mean duration


@dataclass(frozen=True, eq=False)
class _Waiting:
    """A job that waits for its turn.

    Args:
        job: what to do.
        body: to what.
        reply: what comes of it.
    """

    job: Job
    body: bytes
    reply: Future[Reply] = field(default_factory=Future)


class Place:
    """A place in the queue, and the bytes that are held for it.

    Args:
        hold: is told of more bytes.
    """

    def __init__(self, hold: Callable[[int], None]) -> None:
        self.held = 0
        self._hold = hold

    def hold(self, more: int) -> None:
        """Hold more bytes.

        Args:
            more: how many.

        Raises:
            RefusedError: all requests together hold too many.
        """
        self._hold(more)
        self.held += more


class Pool:
    """Processes that do jobs of one kind.

    Args:
        name: of the kind, for the metrics.
        processes: not started yet.
        limits: how many requests may wait, and what they may hold.
    """

    def __init__(self, name: str, processes: Sequence[Process], limits: Limits) -> None:
        self.name = name
        self.failure: Exception | None = None
        self.places = 0
        self._processes = processes
        self._limits = limits
        self._jobs: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._of_client: Counter[str] = Counter()
        self._held = 0
        self._seconds = 0.1  # that a job takes, in the mean
        self._lanes = sum(process.lanes for process in processes)

    @property
    def ready(self) -> bool:
        """Whether all processes are loaded."""
        return all(process.loaded for process in self._processes)

    @property
    def waiting(self) -> int:
        """How many jobs wait for their turn."""
        return self._jobs.qsize()

    def start(self) -> None:
        """Start the processes, without waiting for them."""
        for process in self._processes:
            threading.Thread(target=self._start, args=(process,), daemon=True).start()

    def close(self) -> None:
        """End all, whatever they do."""
        for process in self._processes:
            process.close()
        for _ in range(self._lanes):
            self._jobs.put(None)

    @contextmanager
    def place(self, client: str) -> Iterator[Place]:
        """A place for a request, from before its body is read until it is answered.

        Args:
            client: its address.

        Raises:
            RefusedError: there is none, or nobody to do the job.
        """
        if not self.ready:
            detail = "What the request needs is being loaded." if self.failure is None else "Loading has failed."
            raise RefusedError(Problem("not-ready", detail, "Try again, or ask /readyz.", headers=_after(2)))
        if self.places >= self._limits.queue:
            raise self._full(f"{self.places:,} requests are waiting or worked on")
        if self._of_client[client] >= (self._limits.of_client or self._limits.queue):
            raise self._full(f"{self._of_client[client]:,} of them are of this address")
        place = Place(self._hold)
        self.places += 1
        self._of_client[client] += 1
        try:
            yield place
        finally:
            self.places -= 1
            self._held -= place.held
            self._of_client -= Counter({client: 1})  # drops what is 0

    async def do(self, job: Job, body: bytes) -> Reply:
        """What comes of a job. One that is cancelled before its turn is not done.

        Args:
            job: what to do.
            body: to what.
        """
        waiting = _Waiting(job, body)
        self._jobs.put(waiting)
        return await asyncio.wrap_future(waiting.reply)

    def _hold(self, more: int) -> None:
        if self._held + more > self._limits.held:
            raise self._full(f"{self._held:,} bytes are held for them")
        self._held += more

    def _full(self, detail: str) -> RefusedError:
        jobs = self.waiting / max(1, self._lanes)
        wait = min(LONGEST_WAIT, max(1, round(jobs * self._seconds)))
        return RefusedError(Problem("queue-full", f"{detail}.", f"Try again in {wait} s.", headers=_after(wait)))

    def _start(self, process: Process) -> None:
        try:
            process.start()
        except (IsoglossError, EndedError) as error:
            if not process.closed:  # else that is why
                self.failure = error
            return
        for lane in range(process.lanes):
            threading.Thread(target=self._run, args=(process, lane), daemon=True).start()

    def _run(self, process: Process, lane: int) -> None:
        while (waiting := self._jobs.get()) is not None:
            if waiting.reply.set_running_or_notify_cancel():
                began = time.monotonic()
                waiting.reply.set_result(_done(process, lane, waiting))
                self._seconds += MEMORY * (time.monotonic() - began - self._seconds)


def _done(process: Process, lane: int, waiting: _Waiting) -> Reply:
    """What comes of a job. If its process ends under it that may be the fault of another's, so it is tried twice."""
    try:
        try:
            return process.do(lane, waiting.job, waiting.body)
        except EndedError:
            return process.do(lane, waiting.job, waiting.body)
    except TooLateError:
        remedy = "Send fewer documents at a time, or raise --time-limit."
        return Reply(problem=Problem("took-too-long", "Scoring took longer than the service allows.", remedy))
    except EndedError:
        return Reply(problem=bug(), trace=("the process ended unexpectedly: out of memory?",))
    except IsoglossError:
        return Reply(problem=Problem("not-ready", "Loading has failed.", headers=_after(LONGEST_WAIT)))


def _after(seconds: int) -> dict[str, str]:
    return {"Retry-After": str(seconds)}
