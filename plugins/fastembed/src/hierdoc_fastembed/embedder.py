"""The embedder: fastembed's models and those of folders, by their own tokenizers."""

from __future__ import annotations

import difflib
import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hierdoc import ConfigError, HierdocError
from hierdoc.plugin import LocalEmbedder, cut_windows, without_surrogates
from hierdoc_fastembed import FastembedConfig
from hierdoc_fastembed.files import ModelFolder, model_folder

if TYPE_CHECKING:
    from fastembed import TextEmbedding
    from tokenizers import Tokenizer

logger = logging.getLogger("hierdoc")

_VERSION = 1
"""Counts the changes to this plugin that change vectors."""

_FEWEST_TOKENS = 8


class FastembedEmbedder(LocalEmbedder["_Model"]):
    """Embeds by a model of fastembed or from a folder.

    Args:
        config: Which, and how.

    Raises:
        ConfigError: The folder does not hold a model.
    """

    def __init__(self, config: FastembedConfig) -> None:
        super().__init__("hierdoc-fastembed", config.batch_size, config.batch_tokens)
        self._config = config
        pooling = None if config.pooling == "auto" else config.pooling
        self._folder = (
            model_folder(config.path, config.model_file, pooling) if config.path else None
        )

    @cached_property
    def fingerprint(self) -> str:
        """Of the model's files or, for one by name, of where fastembed has it from; and of all settings that count.

        Raises:
            ConfigError: fastembed does not know the model.
        """
        config, folder = self._config, self._folder
        if folder:
            model: tuple[object, ...] = (folder.fingerprint, folder.pooling)
        else:
            known = _known(config.model)
            pooling = () if config.pooling == "auto" else (config.pooling,)
            model = (known["model"], known["sources"], known["model_file"], *pooling)
        settings = (self._limit, config.query_prefix, config.document_prefix)
        text = json.dumps([_VERSION, *model, *settings], sort_keys=True)
        return f"fastembed:{hashlib.sha256(text.encode()).hexdigest()[:16]}"

    @cached_property
    def dimensions(self) -> int:
        """Length of a vector.

        Raises:
            ConfigError: fastembed does not know the model.
        """
        return self._folder.dimensions if self._folder else int(_known(self._config.model)["dim"])

    def count_tokens(self, text: str) -> int:
        """How many tokens the model makes of a text.

        Of a model in a folder only the tokenizer is loaded; one by name is loaded whole, as for embedding.

        Raises:
            HierdocError: It cannot be loaded.
        """
        return len(self._counting.encode(without_surrogates(text), add_special_tokens=False))

    def load(self) -> _Model:
        """The model with its tokenizer.

        Raises:
            HierdocError: It cannot be loaded.
        """
        config = self._config
        embedding = _load(config, self._folder)
        return _Model(embedding, self._limit, config.query_prefix, config.document_prefix)

    @property
    def _limit(self) -> int | None:
        return self._config.max_tokens or (self._folder.max_tokens if self._folder else None)

    @cached_property
    def _counting(self) -> Tokenizer:
        """A tokenizer that cuts nothing off."""
        if not self._folder:
            return self.in_thread(lambda: self.model.tokenizer)
        from tokenizers import Tokenizer

        file = self._folder.path / "tokenizer.json"
        try:
            tokenizer = Tokenizer.from_file(str(file))
        except Exception as error:  # the library's own are plain exceptions
            raise HierdocError(f"embedder: {file} cannot be read: {error}") from error
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer


class _Model:
    """A loaded model, and its tokenizer for counting.

    Args:
        embedding: fastembed's model.
        limit: Tokens to embed at once, special ones included; None for all that the model reads.
        query_prefix: Put before every window of a query.
        document_prefix: Put before every window of a document.
    """

    def __init__(
        self, embedding: TextEmbedding, limit: int | None, query_prefix: str, document_prefix: str
    ) -> None:
        self._embedding = embedding
        self.tokenizer, reads = _tokenizer(embedding)
        self._limit = min(limit or reads, reads)
        self._prefixes = {True: query_prefix, False: document_prefix}

    def windows(self, text: str, is_query: bool) -> Sequence[tuple[str, int]]:
        """The text in pieces that can be embedded, and how many tokens each has; white space alone gives none.

        What a piece becomes with other text cut off may have more tokens than it had there, so pieces are counted again.
        """
        size = self._size(self._prefixes[is_query])
        found: list[tuple[str, int]] = []
        pending = [text]
        while pending:
            part = pending.pop()
            encoding = self.tokenizer.encode(part, add_special_tokens=False)
            if len(encoding) > size:
                ranges = cut_windows(encoding.word_ids, size, size // 8)
                spans = [(encoding.offsets[r[0]][0], encoding.offsets[r[-1]][1]) for r in ranges]
                pending += reversed([part[start:end] for start, end in spans])
            elif len(encoding):
                found.append((part, len(encoding)))
        return found

    def embed(self, windows: Sequence[str], is_query: bool) -> NDArray[np.float32]:
        """float32 of shape [len(windows), dimensions]."""
        texts = [self._prefixes[is_query] + window for window in windows]
        return np.asarray(list(self._embedding.embed(texts, batch_size=len(texts))), np.float32)

    def _size(self, prefix: str) -> int:
        """How many tokens of a text fit behind the prefix."""
        size = self._limit - len(self.tokenizer.encode(prefix))
        if size < _FEWEST_TOKENS:
            raise ConfigError(
                f"embedder: {self._limit} tokens leave no room for a text behind the prefix {prefix!r}",
                hint="Raise `max_tokens` or shorten the prefix.",
            )
        return size


def _load(config: FastembedConfig, folder: ModelFolder | None) -> TextEmbedding:
    from fastembed import TextEmbedding
    from loguru import logger as fastembeds_logger

    fastembeds_logger.disable("fastembed")  # its retries; what counts is in the error
    try:
        if folder:
            name, where = _registered(folder), str(folder.path)
            return TextEmbedding(name, specific_model_path=where, threads=config.threads)
        return _load_by_name(config)
    except Exception as error:
        what = f"in {folder.path}" if folder else config.model
        reason = " ".join(str(error).split())[:300]
        by_name = (
            "Its first use downloads it. Without a network, bring a folder with its files along "
            "and name that as `path`."
        )
        raise HierdocError(
            f"embedder: the model {what} cannot be loaded: {reason}",
            hint="Check its files." if folder else by_name,
        ) from error


def _load_by_name(config: FastembedConfig) -> TextEmbedding:
    """The model from the cache, else from the network, which may take minutes and is said."""
    from fastembed import TextEmbedding

    cache_dir = str(config.cache_dir) if config.cache_dir else None
    options: dict[str, Any] = {"cache_dir": cache_dir, "threads": config.threads}
    try:
        return TextEmbedding(config.model, local_files_only=True, **options)
    except Exception as error:  # reported; what is wrong with the cache, the download mends
        logger.debug("%s is not in the cache: %s", config.model, error)
    logger.warning("downloading the model %s; this happens once", config.model)
    return TextEmbedding(config.model, **options)


def _registered(folder: ModelFolder) -> str:
    """The name under which fastembed knows the folder's model."""
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    name = f"hierdoc/{folder.fingerprint}-{folder.pooling}-{folder.model_file}"
    if name.lower() not in _all_known():
        TextEmbedding.add_custom_model(
            model=name,
            pooling=PoolingType(folder.pooling.upper()),
            normalization=True,
            sources=ModelSource(url="file:"),  # one is required; the files are here already
            dim=folder.dimensions,
            model_file=folder.model_file,
        )
    return name


def _known(name: str) -> Mapping[str, Any]:
    """What fastembed says of a model."""
    known = _all_known()
    if name.lower() not in known:
        near = difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.4)
        names = " or ".join(str(known[one]["model"]) for one in near)
        raise ConfigError(
            f"embedder: fastembed has no model called {name!r}",
            hint=f"Did you mean {names}?" if near else "Name a folder as `path`.",
        )
    return known[name.lower()]


def _all_known() -> Mapping[str, Mapping[str, Any]]:
    """What fastembed says of its models, by lower-case name."""
    from fastembed import TextEmbedding

    return {str(model["model"]).lower(): model for model in TextEmbedding.list_supported_models()}


def _tokenizer(embedding: TextEmbedding) -> tuple[Tokenizer, int]:
    """A tokenizer that cuts nothing off, and how many tokens the model reads."""
    from tokenizers import Tokenizer

    own: Tokenizer = embedding.model.tokenizer  # type: ignore[attr-defined]
    reads = (own.truncation or {}).get("max_length", 1 << 30)
    copy = Tokenizer.from_str(own.to_str())
    copy.no_truncation()
    copy.no_padding()
    return copy, reads
