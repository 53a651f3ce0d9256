"""What the server counts, as Prometheus reads it."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """Counts requests and what comes of searches.

    Args:
        building: Whether an ingest is under way, asked whenever the metrics are read.
    """

    def __init__(self, building: Callable[[], bool]) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "hierdoc_requests", "Requests by what was asked and how it ended.",
            ["call", "status"], registry=self._registry,
        )  # fmt: skip
        self._seconds = Histogram(
            "hierdoc_request_seconds", "Seconds that requests took, by what was asked.",
            ["call"], registry=self._registry, buckets=_SECONDS,
        )  # fmt: skip
        self._chunks = Gauge(
            "hierdoc_chunks", "Chunks in the index when they were counted last.",
            registry=self._registry,
        )  # fmt: skip
        Gauge(
            "hierdoc_ingest_running", "1 while the index is brought up to date.",
            registry=self._registry,
        ).set_function(lambda: float(building()))  # fmt: skip

    def count(self, call: str, status: int, seconds: float) -> None:
        """Count an answered request.

        Args:
            call: What was asked: the name of a route, never what a client wrote.
            status: Of HTTP.
            seconds: How long it took.
        """
        self._requests.labels(call, str(status)).inc()
        self._seconds.labels(call).observe(seconds)

    def written(self, chunks: int | None) -> bytes:
        """All that was counted, in Prometheus' text format.

        Args:
            chunks: How many the index holds; None where that cannot be told now.
        """
        if chunks is not None:
            self._chunks.set(chunks)
        return generate_latest(self._registry)
