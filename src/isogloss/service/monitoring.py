"""What is logged, as lines of JSON on standard error: paths, statuses and times; never a text, a query or a header."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from isogloss.service.queue import Pool


class Log:
    """Lines of JSON on standard error.

    Args:
        quiet: whether requests are left out; bugs never are.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet

    def request(self, request_id: str, method: str, route: str, status: int, seconds: float) -> None:
        """A request that was answered.

        Args:
            request_id: its id.
            method: one that is known, or `other`.
            route: its path as it is declared, or `other`.
            status: of the answer.
            seconds: how long it took.
        """
        if not self._quiet:
            line = {"method": method, "path": route, "status": status, "ms": round(1000 * seconds, 1)}
            _write(line | {"request_id": request_id})

    def bug(self, request_id: str, trace: Sequence[str]) -> None:
        """A failure of ours.

        Args:
            request_id: of the request that met it.
            trace: the places in the code.
        """
        _write({"bug": list(trace), "request_id": request_id})


def _write(line: dict[str, Any]) -> None:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    sys.stderr.write(msgspec.json.encode({"time": now} | line).decode() + "\n")
    sys.stderr.flush()


MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60)


class _Queues(Collector):
    """How long the queues are, when somebody asks."""

    def __init__(self, pools: Sequence[Pool]) -> None:
        self._pools = pools

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """The gauges."""
        waiting = GaugeMetricFamily("isogloss_queue_length", "Requests that wait for their turn.", labels=["queue"])
        places = GaugeMetricFamily("isogloss_requests_open", "Requests read, waiting or worked on.", labels=["queue"])
        ready = GaugeMetricFamily("isogloss_ready", "Whether all processes are loaded.", labels=["queue"])
        for pool in self._pools:
            waiting.add_metric([pool.name], pool.waiting)
            places.add_metric([pool.name], pool.places)
            ready.add_metric([pool.name], pool.ready)
        yield from (waiting, places, ready)


class Measures:
    """Counts and durations.

    Args:
        pools: whose queues are looked at.
    """

    def __init__(self, pools: Sequence[Pool]) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "isogloss_requests",
            "Requests answered.",
            ["route", "method", "status"],
            registry=self._registry,
        )
        self._seconds = Histogram(
            "isogloss_request_seconds",
            "Time from the head of a request to the end of its answer.",
            ["route", "status"],
            buckets=BUCKETS,
            registry=self._registry,
        )
        self._registry.register(_Queues(pools))

    def answered(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count an answer.

        Args:
            route: its path as it is declared.
            method: of the request.
            status: of the answer.
            seconds: how long it took.
        """
        self._requests.labels(route, method, str(status)).inc()
        self._seconds.labels(route, str(status)).observe(seconds)

    def page(self) -> bytes:
        """All of it."""
        return generate_latest(self._registry)
