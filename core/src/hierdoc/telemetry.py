"""OpenTelemetry spans and metrics after the GenAI conventions; nothing at all where nobody records them.

The text of a query is sensitive: it is recorded only where `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` is true.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from importlib import import_module
from types import TracebackType
from typing import Any

Attributes = Mapping[str, Any]
"""By name; those with the value None are left out."""


class Span:
    """A span under way; one that nobody records, used with `with`, only takes the time.

    Attributes:
        seconds: How long it took, once it has ended.
    """

    def __init__(self, current: Any = None) -> None:
        self._current = current
        self._started = 0.0
        self.seconds = 0.0
        self.measured: dict[str, Any] = {}

    def __enter__(self) -> Span:
        self._started = time.perf_counter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.seconds = time.perf_counter() - self._started

    def set(self, **attributes: Any) -> None:
        """Add attributes of hierdoc's own, whose names begin with `hierdoc.`."""
        if self._current is not None:
            own = {f"hierdoc.{name}": value for name, value in attributes.items()}
            self._current.set_attributes(_known(own))

    def fail(self, error: BaseException) -> None:
        """Say that what it stands for failed, although what is around goes on."""
        self.measured["error.type"] = type(error).__name__
        if self._current is not None:
            self._current.record_exception(error)
            trace = import_module("opentelemetry.trace")
            self._current.set_status(trace.Status(trace.StatusCode.ERROR))


def span(
    name: str, attributes: Attributes | None = None, *, metric: str = "", **measured: str
) -> AbstractContextManager[Span]:
    """A span around a block.

    Args:
        name: As the conventions have it, such as `retrieval docs`.
        attributes: What is known at the beginning.
        metric: Of which histogram its seconds are a value; of none without.
        measured: Attributes of that value, whose names begin with `hierdoc.`; few values each.
    """
    tracer = _tracer()
    return Span() if tracer is None else _recorded(tracer, name, attributes or {}, metric, measured)


@contextmanager
def _recorded(
    tracer: Any, name: str, attributes: Attributes, metric: str, measured: Mapping[str, str]
) -> Iterator[Span]:
    started = time.perf_counter()
    with tracer.start_as_current_span(name, attributes=_known(attributes)) as current:
        made = Span(current)
        try:
            yield made
        except BaseException as error:
            made.measured["error.type"] = type(error).__name__
            raise
        finally:
            made.seconds = time.perf_counter() - started
            if metric:
                own = {f"hierdoc.{key}": value for key, value in measured.items()}
                _histogram(metric).record(made.seconds, {**own, **made.measured})


def count(metric: str, number: int, **attributes: str) -> None:
    """Add to a counter.

    Args:
        metric: Its name.
        number: How many.
        attributes: Whose names begin with `hierdoc.`; few values each.
    """
    if number and _tracer() is not None:
        own = {f"hierdoc.{key}": value for key, value in attributes.items()}
        _counter(metric).add(number, own)


def sensitive(text: str) -> str | None:
    """The text where the user has opted in to recording content, else None."""
    opted = os.environ.get("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "")
    return text if opted.lower() == "true" else None


def _known(attributes: Attributes) -> dict[str, Any]:
    return {key: value for key, value in attributes.items() if value is not None}


def _tracer() -> Any:
    """What makes spans; None where no program has said who is to record spans or metrics."""
    api = _api()
    if api is None:
        return None
    tracer, providers = api
    return tracer if any(map(_records, (provider() for provider in providers))) else None


def _records(provider: object) -> bool:
    """Whether a provider is more than what the API itself has until a program sets one."""
    return not type(provider).__module__.startswith(
        ("opentelemetry.trace", "opentelemetry.metrics")
    )


@cache
def _api() -> Any:
    """The tracer, and what tells of the providers; None where OpenTelemetry is not installed."""
    try:
        trace, metrics = map(import_module, ("opentelemetry.trace", "opentelemetry.metrics"))
    except ImportError:
        return None
    return trace.get_tracer("hierdoc"), (trace.get_tracer_provider, metrics.get_meter_provider)


@cache
def _meter() -> Any:
    return import_module("opentelemetry.metrics").get_meter("hierdoc")


@cache
def _histogram(name: str) -> Any:
    return _meter().create_histogram(name, unit="s")


@cache
def _counter(name: str) -> Any:
    return _meter().create_counter(name)
