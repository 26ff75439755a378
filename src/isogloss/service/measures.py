"""What is counted of requests, as Prometheus reads it: routes, statuses, durations and queues, never a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from isogloss.service.pool import Pool

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
            "isogloss_requests", "Requests answered.", ["route", "method", "status"], registry=self._registry
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
