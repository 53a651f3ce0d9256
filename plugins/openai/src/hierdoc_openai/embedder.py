"""The embedder: the embeddings route of an endpoint that speaks as OpenAI's."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierdoc_openai import OpenAIEmbedderConfig
from hierdoc_remote.chat import bearer
from hierdoc_remote.embedders import RemoteEmbedder
from hierdoc_remote.endpoint import Endpoint


class OpenAIEmbedder(RemoteEmbedder):
    """Embeds by an endpoint that speaks as OpenAI's.

    Args:
        config: Which, and how.
        headers: Of each request; the configured key as a bearer token by default.
        parameters: Of the URL.
    """

    def __init__(
        self,
        config: OpenAIEmbedderConfig,
        headers: Mapping[str, str] | None = None,
        parameters: Mapping[str, str] | None = None,
    ) -> None:
        headers = bearer(config) if headers is None else headers
        self._endpoint = Endpoint(config, headers, config.concurrency)
        super().__init__(config, self._endpoint, config.dimensions or config.own_dimensions or 0)
        self._extra = {True: config.query_extra, False: config.document_extra}
        self._body: dict[str, Any] = {"model": config.model}
        if config.own_dimensions not in (None, self.dimensions):
            self._body["dimensions"] = self.dimensions
        self._parameters = parameters

    async def request(self, texts: Sequence[str], *, is_query: bool) -> Any:
        """What the embeddings route answers.

        Raises:
            HierdocError: It cannot be asked.
        """
        body = {**self._extra[is_query], **self._body, "input": texts}
        return await self._endpoint.post("/embeddings", body, self._parameters)

    def read(self, answer: Any) -> NDArray[np.float32]:
        """The vectors, as numbers or in base64."""
        data = sorted(answer["data"], key=lambda one: one.get("index", 0))
        rows = [one["embedding"] for one in data]
        if rows and isinstance(rows[0], str):
            rows = [np.frombuffer(base64.b64decode(row, validate=True), "<f4") for row in rows]
        return np.array(rows, np.float32)

    def tokens(self, answer: Any) -> int | None:
        """The tokens that the model read; some servers have only the total."""
        said = answer.get("usage") or {}
        return said.get("prompt_tokens") or said.get("total_tokens")
