"""The built-in `static` embedder: one small vector per WordPiece token, no network and no native code beyond numpy.

A text's vector is the weighted sum of the vectors of its tokens, scaled to length one. The table is distilled from
all-MiniLM-L6-v2 by `scripts/make_static_model.py`; `data/NOTICE.md` says how and with which licence. Word order plays no part,
and a text of any length is read to its end.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hierdoc_static.wordpiece import MODEL, SEGMENT, WordPieceTokenizer, read_vocabulary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Part of the fingerprint: raise it when the same model file would give other vectors.
_METHOD = 1

_INLINE_CHARACTERS = 2_000  # shorter queries are cheaper to embed than to hand to a thread


class StaticEmbedder:
    """Embeds texts on the CPU at several megabytes a second.

    The same text always gets bitwise the same vector, alone or in a batch. A text without a known
    token (an empty one, or one in a script that the vocabulary lacks) gets the zero vector, which
    is similar to nothing.

    Attributes:
        fingerprint: Changes whenever the model file or the way texts are embedded does.
        dimensions: Length of the vectors.
        languages: English, the teacher's.

    Args:
        model: A file that `scripts/make_static_model.py` wrote; None for the one that ships.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: The file is not such a model.
    """

    languages: Mapping[str, float] = {"en": 1.0}

    def __init__(self, model: Path | None = None) -> None:
        import numpy as np

        model = model or MODEL
        with np.load(model, allow_pickle=False) as arrays:
            missing = {"table", "scales", "vocabulary", "metadata"} - set(arrays.files)
            if missing:
                raise ValueError(f"{model}: no static embedding model: lacks {sorted(missing)}")
            metadata: dict[str, Any] = json.loads(arrays["metadata"].tobytes())
            self._table: NDArray[np.int8] = arrays["table"]
            self._scales: NDArray[np.float32] = arrays["scales"].astype(np.float32)
        self._tokenizer = WordPieceTokenizer(read_vocabulary(model))
        self.dimensions = int(self._table.shape[1])
        self.fingerprint = (
            f"{metadata['name']}@{metadata['version']}.{_METHOD}:{metadata['digest'][:12]}"
        )

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts of any length, in a thread; shape [texts, dimensions], each row of length one or zero."""
        return await asyncio.to_thread(self.embed, list(texts))

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Embed one text the way a document is embedded; shape [dimensions], of length one or zero."""
        if len(text) <= _INLINE_CHARACTERS:
            return self._vector(text)
        return await asyncio.to_thread(self._vector, text)

    def count_tokens(self, text: str) -> int:
        """How many of the vocabulary's tokens a text has; an unknown word counts one, as in BERT."""
        return self._tokenizer.count(text)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Do what `embed_documents` does, in the calling thread."""
        import numpy as np

        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        unbroken = 0
        for row, text in enumerate(texts):
            vectors[row] = self._vector(text)
            unbroken += len(text)
            if unbroken >= SEGMENT:
                _let_others_run()
                unbroken = 0
        return vectors

    def _vector(self, text: str) -> NDArray[np.float32]:
        import numpy as np

        total = np.zeros(self.dimensions, dtype=np.float32)
        for number, bag in enumerate(self._tokenizer.bags(text)):
            if number:
                _let_others_run()
            if bag:
                # Sorted ids and a sum over the first axis fix the order of the additions; a BLAS product would not.
                tokens = sorted(bag)
                ids = np.array(tokens, dtype=np.intp)
                counts = np.array([bag[token] for token in tokens], dtype=np.float32)
                rows = self._table.take(ids, axis=0).astype(np.float32)
                rows *= (np.sqrt(counts) * self._scales[ids])[:, None]
                total += rows.sum(axis=0)
        length = np.sqrt(np.square(total, dtype=np.float64).sum())
        return (total / length).astype(np.float32) if length > 0 else total


def _let_others_run() -> None:
    """Give up the GIL for longer than a moment.

    numpy gives it up so briefly and so often that a waiting thread, the event loop's among them,
    starves: each release restarts the interval after which it may demand its turn.
    """
    time.sleep(0.0001)
