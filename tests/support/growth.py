"""How the cost of some work grows with its size. Costs are compared within one run: no machine is too slow for them."""

from __future__ import annotations

import time
from collections.abc import Callable

LARGER = 10
MOST = 4.0  # times what is proportional to the size; what grows with its square costs ten times as much
NOISE = 0.05  # seconds


def cost(work: Callable[[], object]) -> float:
    """CPU seconds, the least of three: others use the machine as well."""
    least = float("inf")
    for _ in range(3):
        began = time.process_time()
        work()
        least = min(least, time.process_time() - began)
    return least


def is_linear(work: Callable[[int], object], size: int) -> bool:
    """Whether ten times the size costs about ten times as much, or less."""
    work(size)
    return cost(lambda: work(LARGER * size)) < MOST * LARGER * cost(lambda: work(size)) + NOISE
