"""What is asked of the server, what is kept, and what is made of answers that cannot be used."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import SecretStr, ValidationError

from hierdoc import AsyncIndex, ConfigError, EmbeddingError, HierdocError, load_config
from hierdoc_openai import OpenAIEmbedderConfig
from hierdoc_openai.embedder import OpenAIEmbedder
from hierdoc_remote.loopback import Answer, Loopback, embeddings, failure, reply, serving


@pytest.fixture
def server() -> Iterator[Loopback]:
    with serving(embeddings) as loopback:
        yield loopback


@pytest.fixture
def settings(server: Loopback, tmp_path: Path) -> dict[str, Any]:
    return {
        "base_url": server.url,
        "model": "bag",
        "dimensions": 64,
        "cache_path": tmp_path / "cache",
        "timeout": 5,
        "retries": 2,
    }


pytestmark = pytest.mark.usefixtures("no_pauses")


def embed(settings: dict[str, Any], *texts: str) -> Any:
    async def call() -> Any:
        embedder = OpenAIEmbedder(OpenAIEmbedderConfig(**settings))
        try:
            return await embedder.embed_documents(texts)
        finally:
            await embedder.aclose()

    return asyncio.run(call())


def ask(settings: dict[str, Any], text: str) -> Any:
    async def call() -> Any:
        embedder = OpenAIEmbedder(OpenAIEmbedderConfig(**settings))
        try:
            return await embedder.embed_query(text)
        finally:
            await embedder.aclose()

    return asyncio.run(call())


class TestShapeOfRequests:
    def test_a_request_is_what_the_reference_says(
        self, server: Loopback, settings: dict[str, Any]
    ) -> None:
        embed({**settings, "api_key": SecretStr("sk-1")}, "a cat", "a dog")
        ((path, headers, body),) = server.requests
        assert path == "/v1/embeddings"
        assert headers["authorization"] == "Bearer sk-1"
        assert body == {"model": "bag", "input": ["a cat", "a dog"]}

    def test_without_a_key_none_is_sent(self, server: Loopback, settings: dict[str, Any]) -> None:
        embed(settings, "a cat")
        assert "authorization" not in server.requests[0][1]

    def test_queries_and_documents_have_prefixes_and_fields_of_their_own(
        self, server: Loopback, settings: dict[str, Any]
    ) -> None:
        settings |= {
            "query_prefix": "query: ",
            "document_prefix": "passage: ",
            "query_extra": {"input_type": "query"},
            "document_extra": {"input_type": "document"},
        }
        embed(settings, "cat")
        ask(settings, "cat")
        document, query = server.bodies
        assert (document["input"], document["input_type"]) == (["passage: cat"], "document")
        assert (query["input"], query["input_type"]) == (["query: cat"], "query")

    @pytest.mark.parametrize(("dimensions", "sent"), [(None, None), (1536, None), (256, 256)])
    def test_models_of_openais_are_asked_for_fewer_dimensions(
        self, server: Loopback, settings: dict[str, Any], dimensions: int | None, sent: int | None
    ) -> None:
        server.handle = lambda path, body: embeddings(path, body, 1536)
        settings |= {"model": "text-embedding-3-small", "dimensions": dimensions}
        assert embed(settings, "cat").shape == (1, dimensions or 1536)
        assert server.bodies[0].get("dimensions") == sent

    def test_requests_are_cut_by_number_and_by_tokens(
        self, server: Loopback, settings: dict[str, Any]
    ) -> None:
        texts = [f"text {number}" for number in range(20)]
        embed({**settings, "batch_size": 8}, *texts)
        assert sorted(len(body["input"]) for body in server.bodies) == [4, 8, 8]
        server.requests.clear()
        embed(
            {**settings, "batch_tokens": 30}, *(text + " of nine or ten tokens" for text in texts)
        )
        assert all(len(body["input"]) <= 5 for body in server.bodies)

    def test_no_more_requests_than_configured_at_once(
        self, server: Loopback, settings: dict[str, Any]
    ) -> None:
        server.latency = 0.05
        embed({**settings, "batch_size": 1, "concurrency": 3}, *map(str, range(12)))
        assert server.most_at_once == 3

    def test_long_texts_are_sent_in_windows_to_the_end(
        self, server: Loopback, settings: dict[str, Any]
    ) -> None:
        embed(
            {**settings, "max_tokens": 64}, "The committee shall meet in public. " * 40 + "Zebras."
        )
        sent = [text for body in server.bodies for text in body["input"]]
        assert len(sent) == 4
        assert sent[-1].endswith("Zebras.")
        assert all(len(text.split()) <= 64 for text in sent)

    def test_blank_texts_are_not_sent(self, server: Loopback, settings: dict[str, Any]) -> None:
        vectors = embed(settings, "", "cat", " \n\0")
        assert np.linalg.norm(vectors, axis=1) == pytest.approx([0, 1, 0])
        assert server.bodies[0]["input"] == ["cat"]

    def test_vectors_in_base64_are_read(self, server: Loopback, settings: dict[str, Any]) -> None:
        plain = embed(settings, "cat")

        def encoded(path: str, body: Any) -> Answer:
            made = json.loads(embeddings(path, body)[2])
            for one in made["data"]:
                raw = np.array(one["embedding"], "<f4").tobytes()
                one["embedding"] = base64.b64encode(raw).decode()
            return reply(made)

        server.handle = encoded
        extra = {"encoding_format": "base64"}
        assert embed({**settings, "document_extra": extra}, "cat") == pytest.approx(plain)

    def test_answers_in_another_order_are_put_in_order(
        self, server: Loopback, settings: dict[str, Any]
    ) -> None:
        straight = embed({**settings, "document_prefix": "x "}, "cat", "dog", "cow")

        def reverse(path: str, body: Any) -> Answer:
            made = json.loads(embeddings(path, body)[2])
            return reply({**made, "data": made["data"][::-1]})

        server.handle = reverse
        settings["cache_path"] = settings["cache_path"] / "other"
        again = embed({**settings, "document_prefix": "x "}, "cat", "dog", "cow")
        assert again == pytest.approx(straight)


class TestCache:
    def test_what_was_embedded_is_not_asked_for_again(
        self, server: Loopback, settings: dict[str, Any]
    ) -> None:
        first = embed(settings, "cat", "dog")
        again = embed(settings, "dog", "cat", "cow")
        assert [body["input"] for body in server.bodies] == [["cat", "dog"], ["cow"]]
        assert again[:2] == pytest.approx(first[::-1])

    def test_a_text_that_occurs_twice_is_sent_once(
        self, server: Loopback, settings: dict[str, Any]
    ) -> None:
        embed(settings, "cat", "dog", "cat")
        assert server.bodies[0]["input"] == ["cat", "dog"]

    def test_other_settings_have_other_vectors(
        self, server: Loopback, settings: dict[str, Any]
    ) -> None:
        embed(settings, "cat")
        embed({**settings, "document_extra": {"input_type": "document"}}, "cat")
        assert len(server.requests) == 2

    def test_what_came_before_a_failure_is_kept(
        self, server: Loopback, settings: dict[str, Any]
    ) -> None:
        settings |= {"batch_size": 1, "concurrency": 1, "retries": 0}

        def broken_dogs(path: str, body: Any) -> Answer:
            return failure(500, "no dogs") if body["input"] == ["dog"] else embeddings(path, body)

        server.handle = broken_dogs
        with pytest.raises(HierdocError, match="no dogs"):
            embed(settings, "cat", "dog")
        server.handle = embeddings
        server.requests.clear()
        embed(settings, "cat", "dog")
        assert [body["input"] for body in server.bodies] == [["dog"]]

    def test_queries_are_not_kept(self, server: Loopback, settings: dict[str, Any]) -> None:
        ask(settings, "my secret")
        assert not list(settings["cache_path"].glob("*"))

    def test_a_damaged_file_costs_the_cache_and_nothing_else(
        self, settings: dict[str, Any], caplog: pytest.LogCaptureFixture
    ) -> None:
        settings["cache_path"].mkdir()
        (settings["cache_path"] / "embeddings.sqlite").write_text("not a database" * 100)
        assert embed(settings, "cat").any()
        assert "nothing is kept" in caplog.text


class TestShapeOfFailures:
    @pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
    def test_a_server_that_is_busy_is_asked_again(
        self, server: Loopback, settings: dict[str, Any], status: int
    ) -> None:
        server.failures = [failure(status, "busy"), failure(status, "busy")]
        assert embed(settings, "cat").any()
        assert len(server.requests) == 3

    def test_a_connection_that_ends_is_made_anew(
        self, server: Loopback, settings: dict[str, Any]
    ) -> None:
        server.failures = [None]
        assert embed(settings, "cat").any()

    def test_the_server_says_how_long_to_wait(
        self,
        server: Loopback,
        settings: dict[str, Any],
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        caplog.set_level(logging.INFO, "hierdoc")
        server.failures = [failure(429, "slow down", retry_after="0.2")]
        embed(settings, "cat")
        assert "trying again in 0.2 s" in caplog.text

    def test_a_wait_of_hours_is_not_waited_for(
        self, server: Loopback, settings: dict[str, Any]
    ) -> None:
        server.failures = [failure(429, "daily limit reached", retry_after="7200")]
        with pytest.raises(HierdocError, match="daily limit reached"):
            embed(settings, "cat")

    def test_an_account_without_credit_is_not_asked_again(
        self, server: Loopback, settings: dict[str, Any]
    ) -> None:
        server.failures = [failure(429, "You exceeded your quota", "insufficient_quota")] * 3
        with pytest.raises(HierdocError, match="exceeded your quota") as caught:
            embed(settings, "cat")
        assert "credit" in str(caught.value.hint)
        assert len(server.requests) == 1

    def test_a_server_that_stays_busy_is_an_error(
        self, server: Loopback, settings: dict[str, Any]
    ) -> None:
        server.failures = [failure(503, "overloaded")] * 3
        with pytest.raises(HierdocError, match="status 503: overloaded"):
            embed(settings, "cat")

    def test_a_server_that_does_not_answer_in_time_is_an_error(
        self, server: Loopback, settings: dict[str, Any]
    ) -> None:
        server.latency = 0.3
        with pytest.raises(HierdocError, match=r"no answer within 0\.05 s") as caught:
            embed({**settings, "timeout": 0.05}, "cat")
        assert "timeout" in str(caught.value.hint)

    def test_a_server_that_is_not_there_is_an_error(self, settings: dict[str, Any]) -> None:
        with pytest.raises(HierdocError, match="cannot be asked"):
            embed({**settings, "base_url": "http://127.0.0.1:9/v1"}, "cat")

    @pytest.mark.parametrize(("status", "hint"), [(401, "api_key"), (404, "/v1")])
    def test_a_wrong_key_or_address_is_an_error_at_once(
        self, server: Loopback, settings: dict[str, Any], status: int, hint: str
    ) -> None:
        server.failures = [failure(status, "no: sk-secret-1")] * 3
        with pytest.raises(HierdocError, match=r"no: \*\*\*") as caught:
            embed({**settings, "api_key": SecretStr("sk-secret-1")}, "cat")
        assert hint in str(caught.value.hint)
        assert len(server.requests) == 1

    def test_a_text_that_the_server_refuses_is_named_as_such(
        self, server: Loopback, settings: dict[str, Any]
    ) -> None:
        server.failures = [failure(400, "maximum context length is 8192 tokens")]
        with pytest.raises(EmbeddingError, match="maximum context length"):
            embed(settings, "cat")

    @pytest.mark.parametrize(
        ("body", "error", "message"),
        [
            (b"<html>welcome</html>", HierdocError, "what is no JSON: <html>welcome"),
            ({"data": "?"}, HierdocError, "holds no vectors"),
            ({"object": "list"}, HierdocError, "holds no vectors"),
            ({"data": [{"embedding": [1, 2]}]}, ConfigError, "vectors of 2, not 64 dimensions"),
            ({"data": []}, HierdocError, "for 1 texts"),
            ({"data": [{"embedding": [0] * 64}]}, HierdocError, "0 or not finite"),
            ({"data": [{"embedding": [float("nan")] * 64}]}, HierdocError, "0 or not finite"),
            ({"data": [{"embedding": "?"}]}, HierdocError, "holds no vectors"),
        ],
    )
    def test_an_answer_without_usable_vectors_is_an_error(
        self,
        server: Loopback,
        settings: dict[str, Any],
        body: Any,
        error: type[Exception],
        message: str,
    ) -> None:
        server.handle = lambda *_: reply(body)
        with pytest.raises(error, match=message):
            embed(settings, "cat")


def test_shape_of_an_ingest_a_document_that_is_refused_fails_alone(
    server: Loopback, settings: dict[str, Any], tmp_path: Path
) -> None:
    def no_dogs(path: str, body: Any) -> Answer:
        if any("dogs" in text for text in body["input"]):
            return failure(400, "dogs are not allowed")
        return embeddings(path, body)

    server.handle = no_dogs
    docs = tmp_path / "docs"
    docs.mkdir()
    for animal in ("cats", "dogs", "cows"):
        (docs / f"{animal}.md").write_text(f"# On {animal}\n\nAll {animal} sleep.\n")
    embedder = {"provider": "openai", **settings, "cache_path": str(tmp_path / "cache")}
    config = {
        "source": str(docs),
        "vector": "in-memory",
        "keyword": "in-memory",
        "embedder": embedder,
    }

    async def scenario() -> None:
        async with AsyncIndex.open(config) as index:
            report = await index.ingest()
            assert sorted(report.added) == ["docs/cats.md", "docs/cows.md"]
            (failed,) = report.failures
            assert failed.source == "docs/dogs.md"
            assert "dogs are not allowed" in failed.error
            server.handle = embeddings
            assert (await index.ingest()).added == ["docs/dogs.md"]

    asyncio.run(scenario())


class TestConfiguration:
    def test_a_model_that_is_not_openais_needs_its_dimensions(self) -> None:
        with pytest.raises(ValidationError, match="give the `dimensions`"):
            OpenAIEmbedderConfig(model="bge-m3")
        assert OpenAIEmbedder(OpenAIEmbedderConfig()).dimensions == 1536

    def test_extra_fields_do_not_replace_ours(self) -> None:
        with pytest.raises(ValidationError, match="leave out input"):
            OpenAIEmbedderConfig(query_extra={"input": "x"})

    def test_a_prefix_without_room_for_a_text_is_an_error(self) -> None:
        config = OpenAIEmbedderConfig(max_tokens=32, query_prefix="much too long " * 9)
        with pytest.raises(ConfigError, match="leave no room"):
            OpenAIEmbedder(config)

    def test_the_key_is_read_from_the_environment_and_never_shown(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SOME_KEY", "sk-secret-2")
        config = load_config({"embedder": {"provider": "openai", "api_key": "${SOME_KEY}"}})
        assert "sk-secret-2" not in repr(config)
