"""The fastembed embedder: against the model itself, with texts of any length, and with what goes wrong."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import ValidationError

from hierdoc import ConfigError, HierdocError
from hierdoc.plugin import ComponentKind, Embedder, Registry
from hierdoc_fastembed import FastembedConfig
from hierdoc_fastembed.embedder import FastembedEmbedder
from hierdoc_fastembed.files import model_folder

TEXTS = ["Each agency shall report.", "", "Über § 5 hinaus gilt nichts.", "one two three " * 30]
LONG = "The committee shall meet twice a year in public. " * 100


@pytest.fixture(scope="module")
def minilm(shared_data: Path) -> Path:
    folder = shared_data / "models" / "all-MiniLM-L6-v2-onnx"
    if not folder.is_dir():
        pytest.skip("no model in the shared data")
    return folder


@pytest.fixture(scope="module")
def embedder(minilm: Path) -> Iterator[FastembedEmbedder]:
    opened = FastembedEmbedder(FastembedConfig(path=minilm, threads=2))
    yield opened
    asyncio.run(opened.aclose())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that looks like a model's, small enough to change."""
    files = {
        "model.onnx": "not a model",
        "tokenizer.json": json.dumps({"truncation": {"max_length": 128}}),
        "tokenizer_config.json": json.dumps({"model_max_length": 512}),
        "config.json": json.dumps({"hidden_size": 384, "max_position_embeddings": 512}),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def embed(embedder: Embedder, *texts: str) -> NDArray[np.float32]:
    return asyncio.run(embedder.embed_documents(texts))


def by_onnxruntime(folder: Path, texts: Sequence[str]) -> NDArray[np.float32]:
    """Mean pooling as the model's authors do it, one text at a time."""
    import onnxruntime
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"))
    vectors = []
    for text in texts:
        ids = np.array([tokenizer.encode(text).ids])
        inputs = {"input_ids": ids, "attention_mask": ids * 0 + 1, "token_type_ids": ids * 0}
        mean = session.run(None, inputs)[0][0].mean(axis=0)
        vectors.append(mean / np.linalg.norm(mean))
    return np.stack(vectors)


class TestWithAModel:
    def test_vectors_are_those_of_the_model(
        self, embedder: FastembedEmbedder, minilm: Path
    ) -> None:
        texts = [text for text in TEXTS if text]
        cosines = (embed(embedder, *texts) * by_onnxruntime(minilm, texts)).sum(axis=1)
        assert cosines == pytest.approx(np.ones(len(texts)), abs=1e-4)

    def test_shape_type_and_length(self, embedder: FastembedEmbedder) -> None:
        vectors = embed(embedder, *TEXTS)
        assert (vectors.shape, vectors.dtype) == ((4, embedder.dimensions), np.float32)
        assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 1, 1], abs=1e-5)
        assert embed(embedder).shape == (0, 384)

    def test_a_query_is_embedded_like_a_document(self, embedder: FastembedEmbedder) -> None:
        query = asyncio.run(embedder.embed_query(TEXTS[0]))
        assert (query.shape, query.dtype) == ((384,), np.float32)
        assert query == pytest.approx(embed(embedder, TEXTS[0])[0], abs=1e-5)

    def test_the_end_of_a_long_text_counts(self, embedder: FastembedEmbedder) -> None:
        plain, other = embed(embedder, LONG, LONG + "Zebras sleep in caves near the equator.")
        assert 0.5 < plain @ other < 0.9999

    def test_a_long_text_is_like_what_it_repeats(self, embedder: FastembedEmbedder) -> None:
        short, long = embed(embedder, LONG[:300], LONG)
        assert short @ long > 0.9

    def test_the_order_of_texts_of_different_length_is_kept(
        self, embedder: FastembedEmbedder
    ) -> None:
        texts = ["a cat", LONG, "a dog", "", "x " * 400, "a cat"]
        together = embed(embedder, *texts)
        alone = np.concatenate([embed(embedder, text) for text in texts])
        assert together == pytest.approx(alone, abs=1e-4)

    @pytest.mark.parametrize(
        "text", ["\ud800 lone", "a" * 5000, "漢字" * 2000, "[SEP] [MASK]", "\0"]
    )
    def test_any_text_has_a_vector(self, embedder: FastembedEmbedder, text: str) -> None:
        assert np.linalg.norm(embed(embedder, text)) <= 1 + 1e-5

    def test_calls_at_once_do_not_mix(self, embedder: FastembedEmbedder) -> None:
        async def both() -> list[Any]:
            calls = (embedder.embed_query(text) for text in ("a cat", "a law", "a cat"))
            return await asyncio.gather(*calls)

        cat, law, again = asyncio.run(both())
        assert cat == pytest.approx(again, abs=1e-5)
        assert cat @ law < 0.9

    def test_prefixes_are_put_before_every_window(self, minilm: Path) -> None:
        plain = FastembedEmbedder(FastembedConfig(path=minilm))
        prefixed = FastembedEmbedder(
            FastembedConfig(path=minilm, query_prefix="q: ", document_prefix="d: ")
        )
        query = asyncio.run(prefixed.embed_query("cat"))
        assert query == pytest.approx(embed(plain, "q: cat")[0], abs=1e-5)
        assert embed(prefixed, "cat") == pytest.approx(embed(plain, "d: cat"), abs=1e-5)
        assert plain.fingerprint != prefixed.fingerprint

    def test_a_model_by_name_is_taken_from_the_cache(self, minilm: Path, tmp_path: Path) -> None:
        known = "sentence-transformers/all-MiniLM-L6-v2"
        cached = tmp_path / "models--qdrant--all-MiniLM-L6-v2-onnx"
        shutil.copytree(minilm, cached / "snapshots" / "0")
        (cached / "refs").mkdir()
        (cached / "refs" / "main").write_text("0")
        by_name = FastembedEmbedder(FastembedConfig(model=known, cache_dir=tmp_path))
        by_path = FastembedEmbedder(FastembedConfig(path=minilm))
        assert by_name.dimensions == 384
        assert embed(by_name, "a cat") == pytest.approx(embed(by_path, "a cat"), abs=1e-5)

    def test_a_prefix_without_room_for_text_is_an_error(self, minilm: Path) -> None:
        config = FastembedConfig(path=minilm, max_tokens=16, document_prefix="much too long " * 9)
        with pytest.raises(ConfigError, match="leave no room for a text"):
            embed(FastembedEmbedder(config), "a")


class TestFolder:
    def test_says_what_it_holds_without_loading(self, folder: Path) -> None:
        found = model_folder(folder, None, None)
        assert (found.model_file, found.pooling, found.dimensions) == ("model.onnx", "mean", 384)

    def test_the_shortest_length_that_a_file_names_counts(self, folder: Path) -> None:
        assert model_folder(folder, None, None).max_tokens == 128
        (folder / "tokenizer.json").write_text("{}")
        assert model_folder(folder, None, None).max_tokens == 512
        (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 256}')
        assert model_folder(folder, None, None).max_tokens == 256

    def test_pooling_is_what_the_folder_says_unless_configured(self, folder: Path) -> None:
        (folder / "1_Pooling").mkdir()
        (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
        assert model_folder(folder, None, None).pooling == "cls"
        assert model_folder(folder, None, "mean").pooling == "mean"

    @pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "config.json"])
    def test_a_missing_file_is_named(self, folder: Path, name: str) -> None:
        (folder / name).unlink()
        with pytest.raises(ConfigError, match=f"lacks {name}") as raised:
            FastembedEmbedder(FastembedConfig(path=folder))
        assert raised.value.hint

    def test_a_missing_folder_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigError, match=r"does not exist: .*nowhere"):
            FastembedEmbedder(FastembedConfig(path=tmp_path / "nowhere"))

    def test_a_broken_file_is_named(self, folder: Path) -> None:
        (folder / "config.json").write_text("{")
        with pytest.raises(ConfigError, match=r"config\.json cannot be read"):
            FastembedEmbedder(FastembedConfig(path=folder))

    def test_what_is_no_model_is_an_error_at_first_use(self, folder: Path) -> None:
        with pytest.raises(HierdocError, match="cannot be loaded"):
            embed(FastembedEmbedder(FastembedConfig(path=folder)), "a")


class TestFingerprint:
    def test_stays_the_same_for_the_same_model(self, folder: Path, tmp_path: Path) -> None:
        moved = shutil.copytree(folder, tmp_path / "moved")
        config = FastembedConfig(path=folder)
        again = FastembedConfig(path=moved, threads=3, batch_size=2)
        assert FastembedEmbedder(config).fingerprint == FastembedEmbedder(again).fingerprint

    @pytest.mark.parametrize(
        "changed",
        [{"max_tokens": 64}, {"pooling": "cls"}, {"query_prefix": "q"}, {"document_prefix": "d"}],
    )
    def test_changes_with_the_settings(self, folder: Path, changed: dict[str, Any]) -> None:
        before = FastembedEmbedder(FastembedConfig(path=folder))
        after = FastembedEmbedder(FastembedConfig(path=folder, **changed))
        assert before.fingerprint != after.fingerprint

    @pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
    def test_changes_with_the_files(self, folder: Path, name: str) -> None:
        before = FastembedEmbedder(FastembedConfig(path=folder)).fingerprint
        (folder / name).write_text('{"truncation": {"max_length": 128}} ')
        assert FastembedEmbedder(FastembedConfig(path=folder)).fingerprint != before

    def test_of_models_by_name_differ_without_a_download(self) -> None:
        small = FastembedEmbedder(FastembedConfig())
        base = FastembedEmbedder(FastembedConfig(model="BAAI/bge-base-en-v1.5"))
        assert (small.dimensions, base.dimensions) == (384, 768)
        assert small.fingerprint != base.fingerprint


class TestErrors:
    def test_an_unknown_model_names_the_nearest(self) -> None:
        embedder = FastembedEmbedder(FastembedConfig(model="BAAI/bge-smal-en-v1.5"))
        with pytest.raises(ConfigError, match="no model called") as raised:
            _ = embedder.dimensions
        assert "BAAI/bge-small-en-v1.5" in str(raised.value.hint)

    def test_a_download_that_fails_says_what_to_do(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        def refuse(*args: object, **options: object) -> None:
            raise ValueError("Could not load model from any source.")

        monkeypatch.setattr("fastembed.TextEmbedding.__init__", refuse)
        with pytest.raises(HierdocError, match="cannot be loaded") as raised:
            embed(FastembedEmbedder(FastembedConfig()), "a")
        assert "name that as `path`" in str(raised.value.hint)
        assert "downloading the model" in caplog.text

    def test_name_and_folder_together_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(ValidationError, match="give `model` or `path`, not both"):
            FastembedConfig(model="BAAI/bge-small-en-v1.5", path=tmp_path)


def test_is_found_by_name() -> None:
    provider = Registry().find(ComponentKind.EMBEDDER, "fastembed")
    assert provider.config is FastembedConfig


def test_the_plugin_itself_imports_nothing_heavy() -> None:
    program = (
        "import sys, hierdoc_fastembed\n"
        "print(sorted({'fastembed', 'onnxruntime', 'tokenizers', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_tokens_are_counted_by_the_models_tokenizer_without_loading_the_model(minilm: Path) -> None:
    embedder = FastembedEmbedder(FastembedConfig(path=minilm))
    try:
        assert embedder.count_tokens("Each agency shall report.") == 5
        assert embedder.count_tokens(LONG) > 512
        assert embedder.count_tokens("\ud800") >= 1
        assert "model" not in vars(embedder)
    finally:
        asyncio.run(embedder.aclose())


def test_a_tokenizer_that_cannot_be_read_is_an_error(folder: Path) -> None:
    embedder = FastembedEmbedder(FastembedConfig(path=folder))
    with pytest.raises(HierdocError, match=r"tokenizer\.json cannot be read"):
        embedder.count_tokens("word")
    asyncio.run(embedder.aclose())
