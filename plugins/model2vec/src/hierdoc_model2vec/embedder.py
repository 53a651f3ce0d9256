"""The embedder: the mean of the vectors of a text's tokens, as the library makes it; a text of any length is read to its end."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hierdoc import ConfigError, HierdocError
from hierdoc.plugin import checked_vectors, without_surrogates
from hierdoc_model2vec import Model2VecConfig

if TYPE_CHECKING:
    from model2vec import StaticModel

_VERSION = 1
"""Counts the changes to this plugin that change vectors."""

_FILES = ("model.safetensors", "tokenizer.json", "config.json")

_TEXTS_AT_ONCE = 64
"""Between so many texts an embedding can be cancelled, and others have their turn."""

_LONGEST_HEADER = 1_000_000
"""Bytes of what a file of tensors says of itself; a static model's has some hundred."""


class Model2VecEmbedder:
    """Embeds by a static model. One thread of its own loads it at the first call, and does one thing at a time.

    Args:
        config: Which.

    Raises:
        ConfigError: The folder does not hold a model.
    """

    def __init__(self, config: Model2VecConfig) -> None:
        self._path = config.path
        missing = [name for name in _FILES if not (self._path / name).is_file()]
        if missing:
            raise ConfigError(
                f"embedder: the model folder {self._path} lacks {', '.join(missing)}",
                hint="Download all files of the model; `path` is the folder in which they are.",
            )
        self.dimensions = _dimensions(self._path / _FILES[0])
        self._executor = ThreadPoolExecutor(1, "hierdoc-model2vec")

    @cached_property
    def fingerprint(self) -> str:
        """Of the model's files."""
        digest = hashlib.sha256()
        for name in _FILES:
            digest.update(hashlib.sha256((self._path / name).read_bytes()).digest())
        return f"model2vec:{digest.hexdigest()[:16]}.{_VERSION}"

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32 of shape [len(texts), dimensions]; a row is 0 where the model knows no token of a text.

        Raises:
            HierdocError: The model cannot be loaded, or fails.
        """
        loop = asyncio.get_running_loop()
        vectors = [np.zeros((0, self.dimensions), np.float32)]
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            some = [without_surrogates(text) for text in texts[start : start + _TEXTS_AT_ONCE]]
            vectors.append(await loop.run_in_executor(self._executor, self._embed, some))
        return np.concatenate(vectors)

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """float32 of shape [dimensions], embedded as a document is."""
        return (await self.embed_documents([text])).reshape(-1)

    def count_tokens(self, text: str) -> int:
        """How many tokens of its vocabulary the model finds in a text.

        Raises:
            HierdocError: The model cannot be loaded.
        """
        work = self._executor.submit(
            lambda: len(self._model.tokenize([without_surrogates(text)])[0])
        )
        return work.result()

    async def aclose(self) -> None:
        """Let the thread end once it is done."""
        self._executor.shutdown(wait=False)

    @cached_property
    def _model(self) -> StaticModel:
        try:
            from model2vec import StaticModel

            return StaticModel.from_pretrained(str(self._path))
        except Exception as error:  # the library's own are of many kinds
            raise HierdocError(
                f"embedder: the model in {self._path} cannot be loaded: {' '.join(str(error).split())[:300]}",
                hint="Check its files.",
            ) from error

    def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        model = self._model
        try:
            # One process: this one has threads, and nothing here takes long.
            made = model.encode(list(texts), max_length=None, use_multiprocessing=False)
        except Exception as error:  # the library's own are of many kinds
            raise HierdocError(f"embedder: the model fails: {error}") from error
        vectors = np.array(made, np.float32)
        found = vectors.any(axis=-1)
        some = checked_vectors(vectors[found], int(found.sum()), self.dimensions)
        vectors[found] = some / np.linalg.norm(some, axis=1, keepdims=True)
        return vectors


def _dimensions(file: Path) -> int:
    """Length of the vectors, from the header of the file of tensors.

    Raises:
        ConfigError: It is none, or of another kind of model.
    """
    try:
        with file.open("rb") as stream:
            size = int.from_bytes(stream.read(8), "little")
            header: Any = json.loads(stream.read(size)) if size <= _LONGEST_HEADER else {}
        return int(header["embeddings"]["shape"][1])
    except (OSError, ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
        raise ConfigError(
            f"embedder: {file} holds no static embeddings: {type(error).__name__}: {error}",
            hint="Take a model of model2vec; for others there are `fastembed` and `sentence-transformers`.",
        ) from error
