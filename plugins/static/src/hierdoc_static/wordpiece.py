"""BERT's uncased tokenizer in plain Python, with the vocabulary that the package carries."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

MODEL = Path(__file__).parent / "data" / "static-minilm.npz"
"""The file that ships."""

UNKNOWN = -1
"""Stands for a word that the vocabulary does not make."""

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
SEGMENT = 65_536
"""Characters that are counted at once: bounds memory, and lets other threads run."""

_CACHED_WORDS = 50_000


class _Memory(dict[str, tuple[int, ...]]):
    """What a function makes of words, worked out at first sight and remembered within bounds."""

    def __init__(self, work: Callable[[str], tuple[int, ...]]) -> None:
        super().__init__()
        self._work = work

    def __missing__(self, word: str) -> tuple[int, ...]:
        made = self._work(word)
        if len(word) <= _LONGEST_WORD:
            if len(self) >= _CACHED_WORDS:
                self.clear()
            self[word] = made
        return made


def read_vocabulary(model: Path = MODEL) -> list[str]:
    """The tokens of a file that `scripts/make_static_model.py` wrote: BERT's in their order, without the special and unused ones."""
    import numpy as np

    with np.load(model, allow_pickle=False) as arrays:
        return str(arrays["vocabulary"].tobytes().decode()).split("\n")


class WordPieceTokenizer:
    """BERT's uncased tokenizer.

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

    def words(self, text: str) -> Iterator[tuple[int, ...]]:
        """Yield the ids of one word after the other, `UNKNOWN` for what the vocabulary does not make."""
        for start, end in _segments(text):
            yield from map(self._ids_of.__getitem__, _ROUGH_WORD.findall(text, start, end))

    def bags(self, text: str) -> Iterator[dict[int, int]]:
        """Yield how often each known id occurs, for one stretch of at most 65,536 characters after the other."""
        for start, end in _segments(text):
            words = _ROUGH_WORD.findall(text, start, end)
            bag = Counter(chain.from_iterable(map(self._ids_of.__getitem__, words)))
            bag.pop(UNKNOWN, None)
            yield bag

    def count(self, text: str) -> int:
        """How many tokens a text has, an unknown word counted as one."""
        return sum(map(len, self.words(text)))

    def _cut(self, word: str) -> tuple[int, ...]:
        return tuple(piece for part in _normalised_words(word) for piece in self._pieces(part))

    def _pieces(self, word: str) -> list[int]:
        """Cut greedily into the longest known pieces; a word with an unknown part is unknown as a whole."""
        if len(word) > _LONGEST_WORD:
            return [UNKNOWN]
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
                return [UNKNOWN]
            known = self._others
        return pieces


def _segments(text: str) -> Iterator[tuple[int, int]]:
    """Cut a long text into stretches, at a space or line end where there is one."""
    start = 0
    while len(text) - start > SEGMENT:
        limit = start + SEGMENT
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
