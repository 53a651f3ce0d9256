"""The embedder: windows that the model reads, cut by its own tokenizer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierdoc import ConfigError, HierdocError
from hierdoc.plugin import LocalEmbedder, cut_windows, without_surrogates
from hierdoc_sentence_transformers import SentenceTransformersConfig

_VERSION = 1
"""Counts the changes to this plugin that change vectors."""

_MOST = 512
"""Tokens for a model that does not say how many it reads."""

_FEWEST_TOKENS = 8

_COUNTED = frozenset({".safetensors", ".bin", ".json", ".txt", ".model"})
"""Suffixes of files that decide what a model does."""

_LENGTHS = ("out_features", "word_embedding_dimension", "embedding_dimension", "hidden_size")
"""What configurations of a model's modules call the length of its vectors, those first that come last in a model."""


class SentenceTransformersEmbedder(LocalEmbedder["_Model"]):
    """Embeds by a sentence transformer.

    Args:
        config: Which, and how.

    Raises:
        ConfigError: The folder does not say how long the vectors are.
    """

    def __init__(self, config: SentenceTransformersConfig) -> None:
        super().__init__("hierdoc-sentence-transformers", config.batch_size)
        self._config = config
        self._dimensions = config.dimensions or _dimensions(Path(config.model))

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._dimensions

    @cached_property
    def fingerprint(self) -> str:
        """Of the files in a folder or, for a model by name, of name and revision; and of all settings that count."""
        config, folder = self._config, Path(self._config.model)
        model = _digest(folder) if folder.is_dir() else f"{config.model}@{config.revision}"
        settings = (config.max_tokens, config.query_prefix, config.document_prefix)
        text = json.dumps([_VERSION, model, self._dimensions, *settings])
        return f"sentence-transformers:{hashlib.sha256(text.encode()).hexdigest()[:16]}"

    def count_tokens(self, text: str) -> int:
        """How many tokens the model makes of a text.

        Raises:
            HierdocError: The model cannot be loaded.
        """
        return self.in_thread(
            lambda: len(self.model.encoded(without_surrogates(text))["input_ids"])
        )

    def load(self) -> _Model:
        """The model with its tokenizer.

        Raises:
            HierdocError: It cannot be loaded.
        """
        return _Model(self._config)


class _Model:
    """The loaded model.

    Args:
        config: Which, and how.

    Raises:
        HierdocError: It cannot be loaded.
    """

    def __init__(self, config: SentenceTransformersConfig) -> None:
        try:
            from sentence_transformers import SentenceTransformer

            self._model = SentenceTransformer(
                config.model, revision=config.revision, device=config.device
            )
        except Exception as error:  # the library's own are of many kinds
            raise HierdocError(
                f"embedder: {config.model} cannot be loaded: {' '.join(str(error).split())[:300]}",
                hint="`model` is a folder, or a name on the hub, which needs the network at the first use.",
            ) from error
        self._tokenizer: Any = self._model.tokenizer
        if not getattr(self._tokenizer, "is_fast", False):
            raise HierdocError(
                f"embedder: the tokenizer of {config.model} does not tell where tokens stand",
                hint="Save the model with a fast tokenizer, as `AutoTokenizer` makes it.",
            )
        reads = self._model.max_seq_length or _MOST
        self._limit = min(config.max_tokens or reads, reads)
        self._prefixes = {True: config.query_prefix, False: config.document_prefix}

    def encoded(self, text: str) -> Any:
        """The tokens of a text, without special ones."""
        return self._tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )

    def windows(self, text: str, is_query: bool) -> Sequence[tuple[str, int]]:
        """The text in pieces that can be embedded, and how many tokens each has; white space alone gives none.

        What a piece becomes with other text cut off may have more tokens than it had there, so pieces are counted again.
        """
        size = self._size(self._prefixes[is_query])
        found: list[tuple[str, int]] = []
        pending = [text]
        while pending:
            part = pending.pop()
            encoded = self.encoded(part)
            spans = encoded["offset_mapping"]
            if len(spans) > size:
                ranges = cut_windows(encoded.word_ids(), size, size // 8)
                pending += reversed([part[spans[r[0]][0] : spans[r[-1]][1]] for r in ranges])
            elif spans:
                found.append((part, len(spans)))
        return found

    def embed(self, windows: Sequence[str], is_query: bool) -> NDArray[np.float32]:
        """float32 of shape [len(windows), dimensions]."""
        texts = [self._prefixes[is_query] + window for window in windows]
        made = self._model.encode(texts, batch_size=len(texts), show_progress_bar=False)
        return np.asarray(made, np.float32)

    def _size(self, prefix: str) -> int:
        """How many tokens of a text fit behind the prefix."""
        size = self._limit - len(self._tokenizer(prefix)["input_ids"])
        if size < _FEWEST_TOKENS:
            raise ConfigError(
                f"embedder: {self._limit} tokens leave no room for a text behind the prefix {prefix!r}",
                hint="Raise `max_tokens` or shorten the prefix.",
            )
        return size


def _dimensions(folder: Path) -> int:
    found = {name: one[name] for one in _configurations(folder) for name in _LENGTHS if name in one}
    for name in _LENGTHS:
        if isinstance(found.get(name), int):
            return int(found[name])
    raise ConfigError(
        f"embedder: the model folder {folder} does not say how long vectors are",
        hint="Give `dimensions`.",
    )


def _configurations(folder: Path) -> Iterator[dict[str, Any]]:
    """What the modules of a model say of themselves."""
    for file in sorted([*folder.glob("config.json"), *folder.glob("*/config.json")]):
        try:
            said = json.loads(file.read_text("utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise ConfigError(f"embedder: {file} cannot be read: {error}") from error
        if isinstance(said, dict):
            yield said


def _digest(folder: Path) -> str:
    whole = hashlib.sha256()
    for file in sorted(one for one in folder.rglob("*") if one.suffix in _COUNTED):
        with file.open("rb") as stream:
            part = hashlib.sha256()
            while block := stream.read(1 << 20):
                part.update(block)
        whole.update(f"{file.relative_to(folder).as_posix()} {part.hexdigest()}\n".encode())
    return whole.hexdigest()
