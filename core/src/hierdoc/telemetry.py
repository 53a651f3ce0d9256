"""OpenTelemetry spans after the GenAI conventions; nothing at all where the API package is not installed.

The text of a query is sensitive: it is recorded only where `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` is true.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any


@contextmanager
def span(name: str, attributes: dict[str, Any] | None = None) -> Iterator[Any]:
    """A span around a block; yields it, or None without OpenTelemetry.

    Args:
        name: As the conventions have it, such as `retrieval docs`.
        attributes: Those with the value None are left out.
    """
    tracer = _tracer()
    if tracer is None:
        yield None
        return
    known = {key: value for key, value in (attributes or {}).items() if value is not None}
    with tracer.start_as_current_span(name, attributes=known) as current:
        yield current


def sensitive(text: str) -> str | None:
    """The text where the user has opted in to recording content, else None."""
    opted = os.environ.get("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "")
    return text if opted.lower() == "true" else None


@cache
def _tracer() -> Any:
    try:
        trace = import_module("opentelemetry.trace")
    except ImportError:
        return None
    return trace.get_tracer("hierdoc")
