"""The log and the metrics of the service.

They have paths, statuses and times, never a text, a query or a header.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from operator import attrgetter
from typing import Any

import msgspec
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from isogloss.service.process_pool import ProcessPool

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60)
GAUGES = {  # attribute of a pool -> name and description
    "waiting_jobs": ("isogloss_queue_length", "Requests that wait for their turn."),
    "place_count": ("isogloss_requests_open", "Requests read, waiting or worked on."),
    "is_ready": ("isogloss_ready", "Whether all processes are loaded."),
}


class ServiceLog:
    """The log: lines of JSON on standard error.

    Args:
        quiet: whether to log bugs only.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet

    def log_request(self, request_id: str, method: str, route: str, status: int, seconds: float) -> None:
        """Log a request that was answered."""
        if not self._quiet:
            line = {"method": method, "path": route, "status": status, "ms": round(1000 * seconds, 1)}
            _write_line(line | {"request_id": request_id})

    def log_bug(self, request_id: str, trace: Sequence[str]) -> None:
        """Log the places in the code that an unexpected exception went through."""
        _write_line({"bug": list(trace), "request_id": request_id})


def _write_line(line: dict[str, Any]) -> None:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    sys.stderr.write(msgspec.json.encode({"time": now} | line).decode() + "\n")
    sys.stderr.flush()


class ServiceMetrics:
    """The metrics: counts and durations of requests, and lengths of queues.

    Args:
        pools: pools with the queues to measure.
    """

    def __init__(self, pools: Sequence[ProcessPool]) -> None:
        self._registry = registry = CollectorRegistry()
        labels = ["route", "method", "status"]
        self._requests = Counter("isogloss_requests", "Requests answered.", labels, registry=registry)
        text = "Time from the head of a request to the end of its answer."
        labels = ["route", "status"]
        self._seconds = Histogram("isogloss_request_seconds", text, labels, buckets=BUCKETS, registry=registry)
        for attribute, (name, text) in GAUGES.items():
            gauge, read = Gauge(name, text, ["queue"], registry=registry), attrgetter(attribute)
            for pool in pools:
                gauge.labels(pool.name).set_function(partial(read, pool))

    def count_answer(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self._requests.labels(route, method, str(status)).inc()
        self._seconds.labels(route, str(status)).observe(seconds)

    def render(self) -> bytes:
        """Return all metrics in the text format of Prometheus."""
        return generate_latest(self._registry)
