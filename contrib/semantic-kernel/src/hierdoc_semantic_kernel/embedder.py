"""The embedder: any embedding service of Semantic Kernel's, its vectors checked, kept and of length 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from semantic_kernel.connectors.ai.embedding_generator_base import EmbeddingGeneratorBase

from hierdoc import HierdocError
from hierdoc.plugin import masked
from hierdoc_remote.embedders import RemoteEmbedder
from hierdoc_remote.patience import Turns
from hierdoc_semantic_kernel import ServiceConfig
from hierdoc_semantic_kernel.named import close_made, made


class ServiceEmbedder(RemoteEmbedder):
    """Embeds by a service.

    Semantic Kernel tells neither how many tokens a model reads nor how many it has read: `max_tokens` says the one, an estimate the other.

    Args:
        config: Which, and how.
    """

    def __init__(self, config: ServiceConfig) -> None:
        super().__init__(config, None, config.dimensions)
        self._path = config.service
        self._secrets = list(config.secrets.values())
        base: type[EmbeddingGeneratorBase] = EmbeddingGeneratorBase
        self._service = made(config.service, base, config.arguments, config.secrets)
        self._turns = Turns(config.concurrency)

    async def aclose(self) -> None:
        """Close the client and the cache."""
        await close_made(self._path, self._service)
        await super().aclose()

    async def request(self, texts: Sequence[str], *, is_query: bool) -> Any:
        """The vectors that the service gives.

        Raises:
            HierdocError: It fails.
        """
        async with self._turns.slot:
            try:
                return await self._service.generate_embeddings(list(texts))
            except Exception as error:
                said = masked(f"{type(error).__name__}: {error}", self._secrets)
                raise HierdocError(f"semantic-kernel: the service fails: {said}") from None

    def read(self, answer: Any) -> NDArray[np.float32]:
        """The vectors."""
        return np.array(answer, np.float32)

    def tokens(self, answer: Any) -> int | None:
        """Nothing: services do not say."""
        return None
