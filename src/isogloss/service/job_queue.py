"""Queue of jobs in which short jobs overtake long ones.

Long jobs never take every lane. A job of n bytes is ordered as if it had arrived n / `BYTES_PER_SECOND` seconds later.
So a long job waits for the short ones that arrive within that time, and for no others: nothing waits forever.
"""

from __future__ import annotations

import heapq
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

BYTES_PER_SECOND = 100_000
LONG_BYTES = 100_000  # a job with more is long
Item = TypeVar("Item")


class JobQueue(Generic[Item]):
    """Jobs that wait for a lane.

    Args:
        lanes: number of jobs that run at a time.
        clock: returns the time in seconds.
        long_jobs: largest number of long jobs that run at a time; None for one less than lanes, and at least one.
    """

    def __init__(self, lanes: int, clock: Callable[[], float] = time.monotonic, long_jobs: int | None = None) -> None:
        self._free_long = max(1, lanes - 1) if long_jobs is None else long_jobs  # long jobs that may start
        self._clock = clock
        self._short: list[tuple[float, int, Item]] = []
        self._long: list[tuple[float, int, Item]] = []
        self._numbers = itertools.count()  # jobs of equal rank keep their order
        self._is_closed = False
        self._changed = threading.Condition()

    def __len__(self) -> int:
        return len(self._short) + len(self._long)

    def put(self, item: Item, size: int) -> None:
        """Add a job.

        Args:
            item: the job.
            size: its size in bytes.
        """
        with self._changed:
            entry = self._clock() + size / BYTES_PER_SECOND, next(self._numbers), item
            heapq.heappush(self._long if size > LONG_BYTES else self._short, entry)
            self._changed.notify()

    def close(self) -> None:
        """End the wait of every lane."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    @contextmanager
    def take(self) -> Iterator[Item | None]:
        """Wait for the next job and hold its place while it runs.

        Yields:
            The job; None if the queue is closed.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or self._find_next() is not None)
            heap = None if self._is_closed else self._find_next()
            item = None if heap is None else heapq.heappop(heap)[2]
            is_long = heap is self._long
            self._free_long -= is_long
        try:
            yield item
        finally:
            with self._changed:
                self._free_long += is_long
                if is_long:
                    self._changed.notify()

    def _find_next(self) -> list[tuple[float, int, Item]] | None:
        """Return the heap with the next job; None without one."""
        allowed = [heap for heap in (self._short, self._long if self._free_long else []) if heap]
        return min(allowed, key=lambda heap: heap[0][:2], default=None)
