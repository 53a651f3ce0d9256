"""The plugin keeps what every embedder and every plugin promises; `nox -s torch` runs it with sentence-transformers."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import ValidationError

from hierdoc import ConfigError, HierdocError
from hierdoc_sentence_transformers import SentenceTransformersConfig, open_embedder
from hierdoc_testing import EmbedderTests, OpenComponent, PluginTests, PluginUnderTest
from hierdoc_testing.embedder import TEXTS

REASON = "torch has an environment of its own"


def make_tokenizer(tokens: Iterable[str]) -> Any:
    """A tokenizer of these tokens, made in the way that all versions of transformers take."""
    from tokenizers import BertWordPieceTokenizer
    from transformers import PreTrainedTokenizerFast

    made = BertWordPieceTokenizer({token: number for number, token in enumerate(tokens)})
    names = ("pad", "unk", "cls", "sep", "mask")
    specials: dict[str, Any] = {f"{name}_token": f"[{name.upper()}]" for name in names}
    return PreTrainedTokenizerFast(
        tokenizer_object=made._tokenizer, model_max_length=64, **specials
    )


def make_model(folder: Path) -> Path:
    """A sentence transformer of one small layer, in which each word has nearly its own direction."""
    pytest.importorskip("sentence_transformers", reason=REASON)
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers import BertConfig, BertModel

    torch.manual_seed(1)
    words = sorted({word.strip(".,").lower() for text in TEXTS for word in text.split()})
    letters = [chr(code) for code in (*range(33, 127), *range(0xC0, 0x180), *range(0x391, 0x3CA))]
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokens = dict.fromkeys([*specials, *words, *letters, *(f"##{one}" for one in letters)])
    parts = folder.parent / "parts"
    parts.mkdir()
    config = BertConfig(
        vocab_size=len(tokens),
        hidden_size=64,
        num_hidden_layers=1,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=64,
    )
    model = BertModel(config)
    # Words decide, and little else: the model has learnt nothing.
    torch.nn.init.normal_(model.embeddings.word_embeddings.weight, std=1.0)
    model.save_pretrained(parts)
    make_tokenizer(tokens).save_pretrained(parts)
    SentenceTransformer(str(parts), device="cpu").save(str(folder))  # pooled by the mean
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("model") / "tiny")


def opened(model: Path, **settings: Any) -> Any:
    return open_embedder(SentenceTransformersConfig(model=str(model), device="cpu", **settings))


def embed(model: Path, *texts: str, **settings: Any) -> NDArray[np.float32]:
    async def call() -> Any:
        embedder = opened(model, **settings)
        try:
            return await embedder.embed_documents(texts)
        finally:
            await embedder.aclose()

    return np.asarray(asyncio.run(call()))


class TestSentenceTransformers(EmbedderTests):
    alike = 1 - 1e-5

    @pytest.fixture
    def open_embedder(self, model: Path) -> OpenComponent:
        return lambda: opened(model)


class TestModels:
    def test_vectors_are_those_of_the_library(self, model: Path) -> None:
        from sentence_transformers import SentenceTransformer

        theirs = SentenceTransformer(str(model), device="cpu").encode(
            TEXTS, normalize_embeddings=True
        )
        assert np.allclose(embed(model, *TEXTS), theirs, atol=1e-5)

    def test_a_prefix_counts(self, model: Path) -> None:
        plain, other = embed(model, TEXTS[0]), embed(model, TEXTS[0], document_prefix="volcanoes ")
        assert 0.5 < float(plain[0] @ other[0]) < 0.999

    def test_a_prefix_that_leaves_no_room_is_said(self, model: Path) -> None:
        with pytest.raises(ConfigError, match="leave no room"):
            embed(model, "a", document_prefix="light " * 60)

    def test_the_fingerprint_is_that_of_the_files(self, model: Path, tmp_path: Path) -> None:
        copied = Path(shutil.copytree(model, tmp_path / "copied"))
        assert opened(copied).fingerprint == opened(model).fingerprint
        assert opened(copied, query_prefix="q ").fingerprint != opened(model).fingerprint
        config = copied / "config.json"
        config.write_text(config.read_text() + "\n")
        assert opened(copied).fingerprint != opened(model).fingerprint

    def test_a_damaged_model_is_said(self, model: Path, tmp_path: Path) -> None:
        copied = Path(shutil.copytree(model, tmp_path / "copied"))
        weights = copied / "model.safetensors"
        weights.write_bytes(weights.read_bytes()[:-100])
        with pytest.raises(HierdocError, match="cannot be loaded"):
            embed(copied, "a")

    def test_other_dimensions_than_given_are_said(self, model: Path) -> None:
        with pytest.raises(ConfigError, match="64, not 32 dimensions"):
            embed(model, "a", dimensions=32)


def test_a_model_by_name_needs_a_revision() -> None:
    with pytest.raises(ValidationError, match=r"no folder acme/model.*`revision` and `dimensions`"):
        SentenceTransformersConfig(model="acme/model")
    given = SentenceTransformersConfig(model="acme/model", revision="1a2b", dimensions=8)
    assert given.dimensions == 8


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        pytest.importorskip("sentence_transformers", reason=REASON)
        embedder = {"model": "acme/model", "revision": "1a2b", "dimensions": 8}
        return PluginUnderTest(
            "hierdoc_sentence_transformers",
            {"embedder": {"provider": "sentence-transformers", **embedder}},
        )
