"""The plugin keeps what every reranker and every plugin promises; `nox -s torch` runs it with sentence-transformers."""

from __future__ import annotations

import asyncio
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
    specials["model_input_names"] = ["input_ids", "token_type_ids", "attention_mask"]
    return PreTrainedTokenizerFast(
        tokenizer_object=made._tokenizer, model_max_length=64, **specials
    )


def make_model(folder: Path, labels: int = 1) -> Path:
    """A cross-encoder whose weights are set by hand: its score is the share of the query's words that the text has.

    In the first layer each token looks at those that are the same word, and notes how many of them are the text's; in the second `[CLS]` averages
    these notes over the query.
    """
    pytest.importorskip("sentence_transformers", reason="torch has an environment of its own")
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    folder.mkdir()
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", ",", *WORDS]
    tokenizer = make_tokenizer(vocabulary)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=1,
        intermediate_size=64,
        max_position_embeddings=64,
        num_labels=labels,
    )
    model = BertForSequenceClassification(config)
    words, query, text, special, same, found = slice(48), 48, 49, 50, 51, 52
    with torch.no_grad():
        for name, weights in model.named_parameters():
            weights.fill_(float(name.endswith("LayerNorm.weight")))
        embeddings = model.bert.embeddings
        directions = torch.randn(len(vocabulary), 48, generator=torch.Generator().manual_seed(1))
        vectors = embeddings.word_embeddings.weight
        vectors[:, words] = torch.nn.functional.normalize(directions, dim=1)
        for token in ("[PAD]", "[CLS]", "[SEP]"):
            vectors[vocabulary.index(token)] = torch.eye(64)[special]
        embeddings.token_type_embeddings.weight[0, query] = 1
        embeddings.token_type_embeddings.weight[1, text] = 1
        first, second = (layer.attention for layer in model.bert.encoder.layer)
        for part in (first.self.query, first.self.key):
            part.weight[words, words] = 2 * torch.eye(48)
        first.self.value.weight[same, text] = 1
        second.self.query.bias[0] = 16
        second.self.key.weight[0, query] = 1
        second.self.key.weight[0, special] = -1
        second.self.value.weight[found, same] = 1
        for attention in (first, second):
            attention.output.dense.weight.copy_(torch.eye(64))
        model.bert.pooler.dense.weight[0, found] = 0.3
        model.classifier.weight[0, 0] = 5
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
