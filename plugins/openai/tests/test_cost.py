"""What embedding costs: told before, counted after, and ended where it is too much."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from pydantic import ValidationError

from hierdoc import AsyncIndex, EmbeddingError, IngestReport, Usage
from hierdoc.cli import cli
from hierdoc.plugin import SupportsEmbeddingUsage
from hierdoc_openai import OpenAIEmbedderConfig
from hierdoc_openai.embedder import OpenAIEmbedder
from hierdoc_remote.loopback import Loopback, chat, embeddings, reply, serving

ANIMALS = ("cats", "cows", "dogs")

PRICES = {"input": 2.0}


@pytest.fixture
def server() -> Iterator[Loopback]:
    def handle(path: str, body: Any) -> Any:
        return chat(path, body) if "messages" in body else embeddings(path, body)

    with serving(handle) as loopback:
        yield loopback


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for animal in ANIMALS:
        (folder / f"{animal}.md").write_text(f"# On {animal}\n\nAll {animal} sleep a lot.\n")
    return folder


@pytest.fixture
def config(server: Loopback, docs: Path, tmp_path: Path) -> dict[str, Any]:
    embedder = {
        "provider": "openai",
        "base_url": server.url,
        "model": "bag",
        "dimensions": 64,
        "cache_path": str(tmp_path / "cache"),
        "batch_size": 2,
        "prices": PRICES,
    }
    return {
        "source": str(docs),
        "vector": {"provider": "sqlite", "path": str(tmp_path / "index")},
        "keyword": "in-memory",
        "embedder": embedder,
    }


def ingest(config: dict[str, Any], **options: Any) -> IngestReport:
    async def call() -> IngestReport:
        async with AsyncIndex.open(config) as index:
            return await index.ingest(**options)

    return asyncio.run(call())


def estimate(config: dict[str, Any], *texts: str) -> Usage:
    async def call() -> Usage:
        given = {name: value for name, value in config["embedder"].items() if name != "provider"}
        embedder = OpenAIEmbedder(OpenAIEmbedderConfig.model_validate(given))
        assert isinstance(embedder, SupportsEmbeddingUsage)
        try:
            return await embedder.estimate(texts)
        finally:
            await embedder.aclose()

    return asyncio.run(call())


class TestEstimate:
    def test_as_many_requests_as_are_sent_and_no_fewer_tokens(
        self, server: Loopback, config: dict[str, Any]
    ) -> None:
        foreseen = ingest(config, dry=True).embedding_usage
        assert not server.requests
        done = ingest(config).embedding_usage
        assert foreseen
        assert done
        assert foreseen.requests == done.requests == len(server.requests) == 2
        assert done.uncached <= foreseen.uncached <= 2 * done.uncached
        assert foreseen.cost == pytest.approx(foreseen.uncached * 2 / 1e6)

    def test_what_did_not_change_is_not_counted(self, config: dict[str, Any], docs: Path) -> None:
        ingest(config)
        (docs / "cats.md").write_text("# On cats\n\nAll cats sleep a lot.\n\n# Food\n\nMice.\n")
        report = ingest(config, dry=True)
        assert report.updated == ["docs/cats.md"]
        assert report.embedding_usage
        assert report.embedding_usage.requests == 1
        assert report.embedding_usage.uncached < 15

    def test_what_was_paid_for_is_not_counted(self, config: dict[str, Any]) -> None:
        ingest(config)
        report = ingest(config, dry=True, force=True)
        assert len(report.updated) == 3
        assert report.embedding_usage == Usage(cost=0.0)

    def test_prefixes_and_windows_count(self, config: dict[str, Any]) -> None:
        plain = estimate(config, "a b c")
        config["embedder"]["document_prefix"] = "search_document: "
        assert estimate(config, "a b c").uncached > plain.uncached
        config["embedder"] |= {"document_prefix": "", "max_tokens": 32}
        assert estimate(config, " ".join(f"word{n}" for n in range(99))).requests > 1

    def test_contexts_that_are_not_there_yet_count_as_long_as_they_may_be(
        self, server: Loopback, config: dict[str, Any], tmp_path: Path
    ) -> None:
        plain = ingest(config, dry=True).embedding_usage
        config["context"] = {
            "provider": "openai",
            "base_url": server.url,
            "model": "small",
            "max_tokens": 50,
            "cache_path": str(tmp_path / "cache"),
        }
        report = ingest(config, dry=True)
        assert plain
        assert report.usage
        assert report.embedding_usage
        assert report.usage.requests == 3
        assert report.embedding_usage.uncached >= plain.uncached + 3 * 50
        assert not server.requests
        done = ingest(config).embedding_usage
        assert done
        assert done.uncached < report.embedding_usage.uncached


class TestUsage:
    def test_the_report_has_what_the_server_counted(
        self, server: Loopback, config: dict[str, Any]
    ) -> None:
        report = ingest(config)
        words = sum(len(text.split()) for body in server.bodies for text in body["input"])
        assert report.embedding_usage
        assert report.embedding_usage.uncached == words
        assert report.to_dict()["embedding_usage"]["cost"] == pytest.approx(words * 2 / 1e6)

    def test_queries_are_not_counted(self, config: dict[str, Any], docs: Path) -> None:
        async def scenario() -> Usage | None:
            async with AsyncIndex.open(config) as index:
                await index.ingest()
                await index.search("cats", mode="semantic")
                return (await index.ingest()).embedding_usage

        assert asyncio.run(scenario()) == Usage(cost=0.0)

    @pytest.mark.parametrize("said", [None, {}, {"prompt_tokens": 0, "total_tokens": 0}])
    def test_where_the_server_counts_nothing_the_estimate_stands(
        self, server: Loopback, config: dict[str, Any], said: Any
    ) -> None:
        def silent(path: str, body: Any) -> Any:
            _, _, content = embeddings(path, body)
            return reply({**json.loads(content), "usage": said})

        server.handle = silent
        foreseen = ingest(config, dry=True).embedding_usage
        assert ingest(config).embedding_usage == foreseen

    def test_a_total_alone_is_taken(self, server: Loopback, config: dict[str, Any]) -> None:
        vector = [1.0] * 64
        server.handle = lambda _, body: reply(
            {
                "data": [{"index": n, "embedding": vector} for n, _ in enumerate(body["input"])],
                "usage": {"total_tokens": 7},
            }
        )
        report = ingest(config)
        assert report.embedding_usage
        assert report.embedding_usage.uncached == 14


class TestLimit:
    def test_documents_that_would_cost_more_fail_and_the_next_ingest_takes_them(
        self, server: Loopback, config: dict[str, Any], docs: Path
    ) -> None:
        (docs / "dogs.md").write_text(f"# On dogs\n\n{'All dogs sleep a lot. ' * 20}\n")
        config["embedder"]["max_cost"] = 100e-6  # fifty tokens
        report = ingest(config)
        assert sorted(report.added) == ["docs/cats.md", "docs/cows.md"]
        (failed,) = report.failures
        assert failed.source == "docs/dogs.md"
        assert "`max_cost` is" in failed.error
        config["embedder"]["max_cost"] = 1
        assert ingest(config).added == ["docs/dogs.md"]

    def test_what_was_paid_for_is_always_given(self, config: dict[str, Any]) -> None:
        ingest(config)
        config["embedder"]["max_cost"] = 1e-9
        assert not ingest(config, force=True).failures

    def test_a_dry_run_says_what_exceeds_it(self, config: dict[str, Any]) -> None:
        config["embedder"] |= {"prices": {"input": 2_000.0}, "max_cost": 0.001}
        report = ingest(config, dry=True)
        (said,) = report.over_limit
        assert re.fullmatch(r"embeddings would cost 0\.0\d+, and `max_cost` is 0\.0010", said)
        assert report.to_dict()["over_limit"] == [said]
        config["embedder"]["max_cost"] = 1
        assert not ingest(config, dry=True).over_limit

    def test_a_limit_needs_prices(self) -> None:
        with pytest.raises(ValidationError, match="give `prices`"):
            OpenAIEmbedderConfig(max_cost=1)

    def test_an_embedder_by_itself_refuses(self, config: dict[str, Any]) -> None:
        given = {name: value for name, value in config["embedder"].items() if name != "provider"}

        async def call() -> None:
            embedder = OpenAIEmbedder(
                OpenAIEmbedderConfig.model_validate({**given, "max_cost": 1e-9})
            )
            try:
                await embedder.embed_documents(["cats"])
            finally:
                await embedder.aclose()

        with pytest.raises(EmbeddingError, match="would cost"):
            asyncio.run(call())


class TestAsking:
    """What `hierdoc ingest` does on a terminal."""

    @pytest.fixture
    def run(
        self, config: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> Callable[..., Result]:
        monkeypatch.setattr("hierdoc.cli.ingest.can_ask", lambda: True)
        file = tmp_path / "hierdoc.yaml"

        def run(*options: str, answer: str = "", max_cost: float = 1e-6) -> Result:
            limited = {**config, "embedder": {**config["embedder"], "max_cost": max_cost}}
            file.write_text(json.dumps(limited))
            given = ["ingest", "--config", str(file), *options]
            return CliRunner().invoke(cli, given, input=answer)

        return run

    def test_who_says_no_pays_nothing(self, server: Loopback, run: Callable[..., Result]) -> None:
        done = run(answer="n\n")
        assert done.exit_code == 1
        assert "over the limit: embeddings would cost" in done.output
        assert "Begin?" in done.output
        assert server.requests == []

    def test_who_says_yes_spends_up_to_the_limit(
        self, server: Loopback, run: Callable[..., Result]
    ) -> None:
        done = run(answer="y\n")
        assert "`max_cost` is" in done.output
        assert done.exit_code == 1
        assert run("--yes").exit_code == 1

    def test_nobody_is_asked_about_what_is_within_it(
        self, server: Loopback, run: Callable[..., Result]
    ) -> None:
        done = run(max_cost=1)
        assert (done.exit_code, "Begin?" in done.output) == (0, False)
        assert server.requests

    def test_nobody_is_asked_who_said_yes_before_or_where_there_is_no_terminal(
        self, run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert "Begin?" not in run("--yes").output
        monkeypatch.undo()
        assert "Begin?" not in run().output
