"""The plugin keeps what every reranker and every plugin promises; `nox -s torch` runs it with sentence-transformers."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from hierdoc import HierdocError
from hierdoc_cross_encoder import CrossEncoderConfig, open_reranker
from hierdoc_testing import (
    OpenComponent,
    PluginTests,
    PluginUnderTest,
    RerankerTests,
    make_hits,
    make_text,
)
from hierdoc_testing.embedder import TEXTS

WORDS = sorted(
    {word for text in TEXTS for word in text.lower().replace(".", "").replace(",", "").split()}
)


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


def make_model(folder: Path, labels: int = 1, steps: int = 400) -> Path:
    """A cross-encoder of two small layers that has learnt which of the kit's sentences are the same."""
    pytest.importorskip("sentence_transformers", reason="torch has an environment of its own")
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    torch.manual_seed(1)
    folder.mkdir()
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", ",", *WORDS]
    tokenizer = make_tokenizer(vocabulary)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=64,
        num_labels=labels,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    model = BertForSequenceClassification(config)
    if labels == 1:
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        chance = random.Random(1)
        others = [*TEXTS, "Nothing harbour berth tide.", "x", ""]
        for _ in range(steps):
            pairs = [
                (text, text if chance.random() < 0.4 else chance.choice(others))
                for text in TEXTS * 2
            ]
            read = tokenizer(
                *map(list, zip(*pairs, strict=True)), padding=True, return_tensors="pt"
            )
            wanted = torch.tensor([float(first == second) for first, second in pairs])
            given = model(**read).logits[:, 0]
            loss = torch.nn.functional.binary_cross_entropy_with_logits(given, wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("model") / "tiny")


class TestCrossEncoder(RerankerTests):
    @pytest.fixture
    def open_reranker(self, model: Path) -> OpenComponent:
        config = CrossEncoderConfig(model=str(model), device="cpu")
        return lambda: open_reranker(config)


def rerank(config: CrossEncoderConfig, texts: list[str]) -> Any:
    async def call() -> Any:
        reranker = open_reranker(config)
        try:
            return await reranker.rerank(TEXTS[0], make_hits(texts), 10)
        finally:
            await reranker.aclose()

    return asyncio.run(call())


class TestModels:
    def test_what_answers_at_the_end_of_a_long_text_is_read(self, model: Path) -> None:
        texts = [make_text(200), f"{make_text(200)} {TEXTS[0]}"]
        config = CrossEncoderConfig(model=str(model), device="cpu", max_tokens=48)
        ranked = rerank(config, texts)
        assert ranked[0].chunk.text == texts[1]

    def test_one_with_several_labels_is_no_reranker(self, tmp_path: Path) -> None:
        folder = make_model(tmp_path / "two", labels=2)
        with pytest.raises(HierdocError, match="gives 2 scores"):
            rerank(CrossEncoderConfig(model=str(folder), device="cpu"), ["Bees."])

    def test_a_folder_without_one_is_said(self, model: Path, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        with pytest.raises(HierdocError, match="cannot be loaded"):
            rerank(CrossEncoderConfig(model=str(tmp_path / "empty")), ["Bees."])


class TestPlugin(PluginTests):
    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        pytest.importorskip("sentence_transformers", reason="torch has an environment of its own")
        reranker = {"provider": "cross-encoder", "model": "/models/tiny"}
        return PluginUnderTest("hierdoc_cross_encoder", {"reranker": reranker})
