"""Rerankers behind an HTTP API, for hierdoc: Cohere's, Jina's, Voyage's, and servers that speak like one of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import BaseModel, Field, JsonValue, field_validator, model_validator

from hierdoc import Chunk, Hit, Usage
from hierdoc.plugin import Operational, Provider, hookimpl, server_url
from hierdoc_remote import RemoteConfig

SERVERS = {
    "cohere": "https://api.cohere.com/v2",
    "jina": "https://api.jina.ai/v1",
    "voyage": "https://api.voyageai.com/v1",
}


class RerankPrices(BaseModel, frozen=True, extra="forbid"):
    """Of a reranking API, in any currency."""

    input: float = Field(
        0.0, ge=0, description="Of a million tokens, as Jina and Voyage count them."
    )
    searches: float = Field(
        0.0,
        ge=0,
        description="Of a thousand searches, as Cohere counts them: one for each hundred texts.",
    )

    def cost(self, usage: Usage, searches: int) -> float:
        """What so many tokens, and so many searches as Cohere counts them, cost."""
        return usage.uncached * self.input / 1e6 + searches * self.searches / 1e3


class CohereConfig(RemoteConfig):
    """A reranker behind an API as Cohere's, Jina's, Voyage's or TEI's."""

    provider: Literal["cohere"] = "cohere"
    api: Literal["cohere", "jina", "voyage", "tei"] = Field(
        "cohere",
        description="Whose requests the server takes; vLLM, llama.cpp and Infinity take Jina's, text-embeddings-inference its own.",
    )
    base_url: Operational[str] = Field(
        "",
        description="The API, with its version if it has one, as in http://localhost:8000/v1; empty for that of Cohere, Jina or Voyage itself.",
    )
    model: str = Field(
        "", description="The model's name at the server; TEI, which has one model, takes none."
    )
    batch_size: Operational[int | None] = Field(
        None,
        ge=1,
        le=1_000,
        description="Texts in one request, at most; null for 32 with TEI and 100 elsewhere.",
    )
    concurrency: Operational[int] = Field(
        4, ge=1, le=256, description="Requests at the same time, at most."
    )
    extra: dict[str, JsonValue] = Field(
        {}, description="Further fields of requests, such as `max_tokens_per_doc`."
    )
    timeout: Operational[float] = Field(
        10, gt=0, description="Seconds that the server may take for one request."
    )
    retries: Operational[int] = Field(
        1,
        ge=0,
        le=20,
        description="Further attempts where the server is busy, fails or does not answer.",
    )
    prices: Operational[RerankPrices | None] = Field(
        None,
        description="What it costs, as in `{searches: 2.00}` or `{input: 0.05}`, for `hierdoc ingest --dry-run` and `hierdoc doctor`.",
    )

    @field_validator("base_url")
    @classmethod
    def _plain_url(cls, url: str) -> str:
        return server_url(url).rstrip("/") if url else ""

    @model_validator(mode="after")
    def _is_whole(self) -> CohereConfig:
        if self.api == "tei" and not self.base_url:
            raise ValueError("give the `base_url` of the server")
        if self.api != "tei" and not self.model:
            raise ValueError("give the `model`")
        return self


def open_reranker(config: CohereConfig) -> Any:
    """The reranker."""
    from hierdoc_cohere.reranker import CohereReranker

    return CohereReranker(config)


async def _check(config: CohereConfig) -> str:
    """Let the server order a hit, and say what that took."""
    from hierdoc_remote.account import in_words

    reranker = open_reranker(config)
    text = "Ships pay ten crowns."
    try:
        await reranker.rerank("fee", [Hit(1, 1.0, {}, Chunk("a.md", text, 0, len(text), 1, 1))], 1)
        return in_words(reranker.usage)
    finally:
        await reranker.aclose()


@hookimpl
def hierdoc_rerankers() -> Iterable[Provider[Any, Any]]:
    """One for all compatible APIs."""
    yield Provider(CohereConfig, open_reranker, _check)
