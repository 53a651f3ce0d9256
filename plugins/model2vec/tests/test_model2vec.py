"""What a model in a folder makes of texts, and what goes wrong with folders."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hierdoc import ConfigError, HierdocError
from hierdoc_model2vec import Model2VecConfig, open_embedder
from hierdoc_testing.embedder import TEXTS


def embed(path: Path, *texts: str) -> NDArray[np.float32]:
    async def call() -> Any:
        embedder = open_embedder(Model2VecConfig(path=path))
        try:
            return await embedder.embed_documents(texts)
        finally:
            await embedder.aclose()

    return np.asarray(asyncio.run(call()))


@pytest.fixture
def copied(model: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(model, tmp_path / "copied"))


def test_vectors_are_those_of_the_library(model: Path) -> None:
    from model2vec import StaticModel

    theirs = StaticModel.from_pretrained(str(model)).encode(TEXTS)
    theirs = theirs / np.linalg.norm(theirs, axis=1, keepdims=True)
    assert np.allclose(embed(model, *TEXTS), theirs, atol=1e-5)


def test_the_end_of_a_long_text_counts(model: Path) -> None:
    long = f"{TEXTS[0]} " * 400
    plain, other = embed(model, long, f"{long} {TEXTS[1] * 400}")
    assert plain @ other < 0.95


def test_a_text_without_known_tokens_has_no_vector(model: Path) -> None:
    vectors = embed(model, "", "\u4e00\u4e01", TEXTS[0])
    assert vectors.any(axis=1).tolist() == [False, False, True]


def test_the_fingerprint_is_that_of_the_files(model: Path, copied: Path) -> None:
    def fingerprint() -> str:
        return str(open_embedder(Model2VecConfig(path=copied)).fingerprint)

    before = fingerprint()
    assert before == open_embedder(Model2VecConfig(path=model)).fingerprint
    config = copied / "config.json"
    config.write_text(config.read_text().replace("}", ', "mine": 1}'))
    assert fingerprint() != before


def test_a_missing_file_is_named(copied: Path) -> None:
    (copied / "tokenizer.json").unlink()
    with pytest.raises(ConfigError, match=r"lacks tokenizer\.json"):
        embed(copied, "a")


@pytest.mark.parametrize(
    "content", [b"", b"\xff" * 9, b"\x02\0\0\0\0\0\0\0{}", b"\x02\0\0\0\0\0\0\0[]"]
)
def test_another_file_of_tensors_is_refused(copied: Path, content: bytes) -> None:
    (copied / "model.safetensors").write_bytes(content)
    with pytest.raises(ConfigError, match="holds no static embeddings"):
        embed(copied, "a")


def test_a_damaged_model_is_said(copied: Path) -> None:
    file = copied / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(HierdocError, match="cannot be loaded"):
        embed(copied, "a")


def test_the_plugin_itself_imports_nothing_heavy() -> None:
    program = (
        "import sys, hierdoc_model2vec\nprint(sorted({'model2vec', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
