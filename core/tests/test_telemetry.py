"""What OpenTelemetry is told of ingests and searches."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from hierdoc import Index, telemetry

pytest.importorskip("opentelemetry.sdk", reason="the SDK of OpenTelemetry is not installed")

CONFIG = {"vector": "in-memory", "keyword": "in-memory"}


class Told:
    """The spans and metrics of a test."""

    def __init__(self) -> None:
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import InMemoryMetricReader
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

        self._exporter = InMemorySpanExporter()
        self._reader = InMemoryMetricReader()
        self.tracers = TracerProvider()
        self.tracers.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.meters = MeterProvider([self._reader])

    @property
    def spans(self) -> Sequence[Any]:
        return self._exporter.get_finished_spans()

    def named(self, name: str) -> Any:
        return next(one for one in self.spans if one.name == name)

    def below(self, parent: Any) -> set[str]:
        own = parent.context.span_id
        return {one.name for one in self.spans if one.parent and one.parent.span_id == own}

    def metrics(self) -> dict[str, list[Any]]:
        data = self._reader.get_metrics_data()
        assert data is not None
        return {
            metric.name: list(metric.data.data_points)
            for resource in data.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Iterator[Told]:
    told = Told()
    monkeypatch.setattr(telemetry, "_tracer", lambda: told.tracers.get_tracer("hierdoc"))
    monkeypatch.setattr(telemetry, "_meter", lambda: told.meters.get_meter("hierdoc"))
    for cached in (telemetry._histogram, telemetry._counter):
        cached.cache_clear()
    yield told
    for cached in (telemetry._histogram, telemetry._counter):
        cached.cache_clear()
    told.meters.shutdown()
    told.tracers.shutdown()


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    (tmp_path / "act.md").write_text("# Act\n\n## Section 1 Fees\n\nThe fee is 3 crowns.\n")
    with Index.open({"source": str(tmp_path), **CONFIG}) as index:
        yield index


def test_a_search_is_a_span_with_a_child_for_each_leg(told: Told, index: Index) -> None:
    index.ingest()
    found = index.search("what is the fee", top_k=5)
    span = told.named("retrieval in-memory")
    assert dict(span.attributes) == {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.data_source.id": "in-memory",
        "gen_ai.request.top_k": 5,
        "hierdoc.mode": "hybrid",
        "hierdoc.provider": "in-memory",
        "hierdoc.hits": len(found.hits),
        "hierdoc.low_confidence": found.low_confidence,
    }
    assert {"leg exact", "leg keyword", "leg semantic", "fuse"} <= told.below(span)
    semantic = told.named("leg semantic")
    assert "embeddings" in told.below(semantic)
    assert semantic.attributes["hierdoc.matches"] >= 1


def test_the_text_of_a_query_is_told_only_if_it_is_wanted(
    told: Told, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.ingest()
    index.search("secret matter")
    assert "secret" not in " ".join(span.to_json() for span in told.spans)
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")
    index.search("secret matter")
    assert told.spans[-1].attributes["gen_ai.retrieval.query.text"] == "secret matter"


def test_an_ingest_is_a_span_with_its_stages(told: Told, index: Index) -> None:
    index.ingest()
    span = told.named("ingest")
    assert {"convert", "chunk", "context", "embeddings", "store", "index keywords"} <= told.below(
        span
    )
    assert span.attributes["hierdoc.added"] == 1
    assert told.named("convert").attributes["hierdoc.document"].endswith("act.md")


def test_a_leg_that_fails_is_told_and_the_search_is_not_failed(
    told: Told, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.ingest()

    async def broken(*given: object) -> None:
        raise OSError("the wire is cut")

    keyword = index._index._components.keyword
    monkeypatch.setattr(keyword, "search", broken, raising=False)
    index.search("fee")
    leg, span = told.named("leg keyword"), told.named("retrieval in-memory")
    assert leg.status.status_code.name == "ERROR"
    assert span.status.status_code.name == "UNSET"
    assert span.attributes["hierdoc.degraded"] == ("keyword",)
    (counted,) = told.metrics()["hierdoc.search.degradations"]
    assert (counted.value, dict(counted.attributes)) == (1, {"hierdoc.leg": "keyword"})


def test_metrics_tell_how_long_and_how_many(told: Told, index: Index) -> None:
    index.ingest()
    index.search("fee")
    metrics = told.metrics()
    (took,) = metrics["hierdoc.search.duration"]
    assert (took.count, dict(took.attributes)) == (1, {"hierdoc.mode": "hybrid"})
    legs = {point.attributes["hierdoc.leg"] for point in metrics["hierdoc.search.leg.duration"]}
    assert legs == {"exact", "keyword", "semantic"}
    stages = {one.attributes["hierdoc.stage"] for one in metrics["hierdoc.ingest.stage.duration"]}
    assert {"convert", "chunk", "embeddings", "store"} <= stages
    (documents,) = metrics["hierdoc.ingest.documents"]
    assert (documents.value, documents.attributes["hierdoc.outcome"]) == (1, "added")
    (chunks,) = metrics["hierdoc.ingest.chunks"]
    assert (chunks.value, chunks.attributes["hierdoc.vector"]) == (index.count(), "embedded")


def test_vectors_that_are_kept_are_counted_apart(told: Told, index: Index, tmp_path: Path) -> None:
    index.ingest()
    file = tmp_path / "act.md"
    file.write_text(file.read_text() + "\n## Section 2 Terms\n\nPaid in May.\n")
    index.ingest()
    points = told.metrics()["hierdoc.ingest.chunks"]
    assert {one.attributes["hierdoc.vector"] for one in points} == {"embedded", "kept"}


def test_without_the_package_nothing_of_it_is_imported(tmp_path: Path) -> None:
    (tmp_path / "act.md").write_text("# Act\n\nThe fee is 3 crowns.\n")
    program = (
        "import sys; sys.modules['opentelemetry'] = None; sys.modules['opentelemetry.trace'] = None\n"
        "from hierdoc import Index\n"
        f"with Index.open({{'source': {str(tmp_path)!r}, 'vector': 'in-memory', 'keyword': 'in-memory'}}) as index:\n"
        "    index.ingest()\n"
        "    print(len(index.search('fee').hits), [one for one in sys.modules if one.startswith('opentelemetry.')])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "1 ['opentelemetry.trace']\n", done.stderr
