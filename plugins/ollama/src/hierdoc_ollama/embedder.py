"""The embedder: Ollama's own route, which refuses what is too long instead of cutting it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hierdoc_ollama import OllamaConfig
from hierdoc_remote.chat import bearer
from hierdoc_remote.embedders import RemoteEmbedder
from hierdoc_remote.endpoint import Endpoint


class OllamaEmbedder(RemoteEmbedder):
    """Embeds by a model that Ollama runs.

    Args:
        config: Which, and how.
    """

    def __init__(self, config: OllamaConfig) -> None:
        self._endpoint = Endpoint(config, bearer(config), config.concurrency)
        super().__init__(config, self._endpoint, config.dimensions)
        self._body: dict[str, Any] = {"model": config.model, "truncate": False}
        if config.options:
            self._body["options"] = config.options
        if config.keep_alive is not None:
            self._body["keep_alive"] = config.keep_alive

    async def request(self, texts: Sequence[str], *, is_query: bool) -> Any:
        """What the route for embeddings answers.

        Raises:
            HierdocError: It cannot be asked.
        """
        return await self._endpoint.post("/api/embed", {**self._body, "input": texts})

    def read(self, answer: Any) -> NDArray[np.float32]:
        """The vectors."""
        return np.array(answer["embeddings"], np.float32)

    def tokens(self, answer: Any) -> int | None:
        """The tokens that the model read."""
        return cast("int | None", answer.get("prompt_eval_count"))
