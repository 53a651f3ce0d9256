"""The built-in `static` embedder: one small vector per WordPiece token, no network and no native code beyond numpy.

A text's vector is the weighted sum of the vectors of its tokens, scaled to length one. The table is distilled from
all-MiniLM-L6-v2 by `scripts/make_static_model.py`; `data/NOTICE.md` says how and with which licence. Word order plays no part,
and a text of any length is read to its end.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")

# Part of the fingerprint: raise it when the same model file would give other vectors.
_METHOD = 1

_CJK = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002ceaf\U0002f800-\U0002fa1f"
_SPACE = "\t\n\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_PUNCTUATION = (
    r"!-/:-@\[-`{-~\u2010-\u2027\u2030-\u203e\u3001-\u3003\u3008-\u3011"  # the common part
)
# A first cut, at places where BERT's tokenizer certainly cuts too.
_ROUGH_WORD = re.compile(rf"[^{_SPACE}{_PUNCTUATION}{_CJK}]+|[{_PUNCTUATION}{_CJK}]")
_CJK_CHARACTER = re.compile(f"([{_CJK}])")

_INVISIBLE = frozenset({"Cc", "Cf", "Co", "Cs"})  # control, format, private use, surrogate

_LONGEST_WORD = 100  # BERT gives up on longer words
_SEGMENT = 65_536  # characters counted at once: bounds memory, and lets other threads run
_CACHED_WORDS = 50_000
_INLINE_CHARACTERS = 2_000  # shorter queries are cheaper to embed than to hand to a thread


class _Memory(dict[str, T]):
    """What a function makes of words, worked out at first sight and remembered within bounds."""

    def __init__(self, work: Callable[[str], T]) -> None:
        super().__init__()
        self._work = work

    def __missing__(self, word: str) -> T:
        made = self._work(word)
        if len(word) <= _LONGEST_WORD:
            if len(self) >= _CACHED_WORDS:
                self.clear()
            self[word] = made
        return made


class WordPieceTokenizer:
    """BERT's uncased tokenizer for bags of tokens: order is not kept, unknown words are left out.

    It gives the ids that the `tokenizers` package gives, except that the literal texts `[CLS]`, `[SEP]` and so on are
    ordinary text here, and that more than 65,536 characters without a space or line end are read in parts.
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        """Take the tokens in the order of their ids; those that continue a word start with `##`."""
        ids = dict(zip(vocabulary, range(len(vocabulary)), strict=True))
        self._ids = ids
        self._others = {
            token[2:]: number for token, number in ids.items() if token.startswith("##")
        }
        self._longest = max(map(len, vocabulary), default=0)
        self._ids_of = _Memory(self._cut)
        self._lengths = _Memory(self._length)

    def bags(self, text: str) -> Iterator[dict[int, int]]:
        """Yield how often each token id occurs, for one stretch of at most 65,536 characters after the other."""
        for start, end in _segments(text):
            words = _ROUGH_WORD.findall(text, start, end)
            yield Counter(chain.from_iterable(map(self._ids_of.__getitem__, words)))

    def count(self, text: str) -> int:
        """How many tokens a text has, words that are not known as one each."""
        return sum(
            sum(map(self._lengths.__getitem__, _ROUGH_WORD.findall(text, start, end)))
            for start, end in _segments(text)
        )

    def _cut(self, word: str) -> tuple[int, ...]:
        return tuple(piece for part in _normalised_words(word) for piece in self._pieces(part))

    def _length(self, word: str) -> int:
        return len(self._ids_of[word]) or any(_normalised_words(word))

    def _pieces(self, word: str) -> list[int]:
        """Cut greedily into the longest known pieces; a word with an unknown part has none at all."""
        if len(word) > _LONGEST_WORD:
            return []
        pieces: list[int] = []
        known: Mapping[str, int] = self._ids
        start, length = 0, len(word)
        while start < length:
            for end in range(min(length, start + self._longest), start, -1):
                identifier = known.get(word[start:end])
                if identifier is not None:
                    pieces.append(identifier)
                    start = end
                    break
            else:
                return []
            known = self._others
        return pieces


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

        model = model or Path(__file__).parent / "data" / "static-minilm.npz"
        with np.load(model, allow_pickle=False) as arrays:
            missing = {"table", "scales", "vocabulary", "metadata"} - set(arrays.files)
            if missing:
                raise ValueError(f"{model}: no static embedding model: lacks {sorted(missing)}")
            metadata: dict[str, Any] = json.loads(arrays["metadata"].tobytes())
            self._table: NDArray[np.int8] = arrays["table"]
            self._scales: NDArray[np.float32] = arrays["scales"].astype(np.float32)
            vocabulary = arrays["vocabulary"].tobytes().decode().split("\n")
        self._tokenizer = WordPieceTokenizer(vocabulary)
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
            if unbroken >= _SEGMENT:
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


def _segments(text: str) -> Iterator[tuple[int, int]]:
    """Cut a long text into stretches, at a space or line end where there is one."""
    start = 0
    while len(text) - start > _SEGMENT:
        limit = start + _SEGMENT
        end = max(text.rfind(" ", start + 1, limit), text.rfind("\n", start + 1, limit))
        end = end if end > 0 else limit
        yield start, end
        start = end
    yield start, len(text)


def _normalised_words(word: str) -> list[str]:
    """Lower-case, take accents and control characters off, and cut at punctuation and CJK characters, as BERT does."""
    if word.isascii() and word.isprintable():
        return [word.lower()]
    visible = "".join(
        c for c in word if c != "\ufffd" and unicodedata.category(c) not in _INVISIBLE
    )
    decomposed = unicodedata.normalize("NFD", _CJK_CHARACTER.sub(r" \1 ", visible))
    characters: list[str] = []
    for character in decomposed:
        category = unicodedata.category(character)
        if category == "Mn":
            continue
        # One at a time, as BERT does it: no special case for a sigma at the end of a word.
        lowered = character.lower()
        characters.append(f" {lowered} " if _is_punctuation(character, category) else lowered)
    return "".join(characters).split(" ") if characters else []


def _is_punctuation(character: str, category: str) -> bool:
    return category[0] == "P" or (
        character.isascii()
        and character.isprintable()
        and not character.isalnum()
        and character != " "
    )
