"""A folder with an ONNX model: what is in it, without loading it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from hierdoc import ConfigError

Pooling = Literal["mean", "cls"]

_MODEL_FILES = ("model.onnx", "onnx/model.onnx", "model_optimized.onnx")
_NEEDED = ("tokenizer.json", "tokenizer_config.json", "config.json")
_DIMENSIONS = ("hidden_size", "dim", "d_model")


@dataclass(frozen=True)
class ModelFolder:
    """A model on disk.

    Attributes:
        path: The folder.
        model_file: The ONNX file, relative to it.
        pooling: How token vectors become one.
        dimensions: Length of a vector.
        max_tokens: The shortest length, special tokens included, that one of its files names; None where none does.
    """

    path: Path
    model_file: str
    pooling: Pooling
    dimensions: int
    max_tokens: int | None

    @property
    def fingerprint(self) -> str:
        """Of the model and its tokenizer."""
        files = [self.path / self.model_file, self.path / "tokenizer.json"]
        return "-".join(_digest(file, *_version(file)) for file in files)


def model_folder(path: Path, model_file: str | None, pooling: Pooling | None) -> ModelFolder:
    """What a folder holds.

    Args:
        path: The folder.
        model_file: The ONNX file, relative to it; None to look for it.
        pooling: None for what the folder says, else mean.

    Raises:
        ConfigError: A file is missing or cannot be read.
    """
    if not path.is_dir():
        raise ConfigError(
            f"embedder: the model folder does not exist: {path}",
            hint="`path` is a folder with model.onnx, tokenizer.json and config.json.",
        )
    candidates = (model_file,) if model_file else _MODEL_FILES
    found = next((name for name in candidates if (path / name).is_file()), None)
    missing = [name for name in _NEEDED if not (path / name).is_file()]
    if found is None or missing:
        names = ", ".join([*([] if found else [candidates[0]]), *missing])
        raise ConfigError(
            f"embedder: the model folder {path} lacks {names}",
            hint="Download all files of the model's ONNX export; name another ONNX file in `model_file`.",
        )
    config = _read(path / "config.json")
    dimensions = next((config[key] for key in _DIMENSIONS if isinstance(config.get(key), int)), 0)
    if not dimensions:
        raise ConfigError(
            f"embedder: {path / 'config.json'} does not say how long vectors are",
            hint="Add `hidden_size` to it.",
        )
    modes = _read(path / "1_Pooling" / "config.json")
    said: Pooling = "cls" if modes.get("pooling_mode_cls_token") else "mean"
    return ModelFolder(path, found, pooling or said, dimensions, _max_tokens(path, config))


def _max_tokens(path: Path, config: dict[str, Any]) -> int | None:
    tokenizer = _read(path / "tokenizer.json")
    named = (
        (tokenizer.get("truncation") or {}).get("max_length"),
        _read(path / "tokenizer_config.json").get("model_max_length"),
        _read(path / "sentence_bert_config.json").get("max_seq_length"),
        config.get("max_position_embeddings"),
    )
    return min((n for n in named if isinstance(n, int) and 0 < n < 1_000_000), default=None)


def _read(file: Path) -> dict[str, Any]:
    """A JSON file; empty where there is none."""
    if not file.is_file():
        return {}
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"embedder: {file} cannot be read: {error}") from error
    return values if isinstance(values, dict) else {}


def _version(file: Path) -> tuple[int, int]:
    status = file.stat()
    return status.st_size, status.st_mtime_ns


@cache
def _digest(file: Path, size: int, modified: int) -> str:
    """The start of the file's SHA-256, computed once per version of it."""
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()[:16]
