"""A small model that the library makes and saves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hierdoc_testing.embedder import TEXTS


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("model2vec") / "tiny")


def make_model(folder: Path, dimensions: int = 64) -> Path:
    """A model in which each word of the kit's texts has a direction of its own, and every other character one, too."""
    model2vec = pytest.importorskip("model2vec", reason="model2vec is not installed")
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    words = sorted({word.strip(".,").lower() for text in TEXTS for word in text.split()})
    letters = [chr(code) for code in (*range(33, 127), *range(0xC0, 0x180), *range(0x391, 0x3CA))]
    pieces = [f"##{one}" for one in letters]
    tokens = dict.fromkeys(["[PAD]", "[UNK]", *words, *letters, *pieces])
    vocabulary = {token: number for number, token in enumerate(tokens)}
    made = tokenizers.Tokenizer(tokenizers.models.WordPiece(vocab=vocabulary, unk_token="[UNK]"))
    made.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    vectors = np.random.default_rng(1).normal(size=(len(vocabulary), dimensions))
    vectors[2 + len(words) :] *= 0.1
    model2vec.StaticModel(vectors.astype(np.float32), made).save_pretrained(folder)
    return folder
