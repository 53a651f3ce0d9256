"""Embeddings by ONNX models through fastembed, for hierdoc."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any, Literal

from pydantic import Field, model_validator

from hierdoc.plugin import (
    LocalPath,
    Operational,
    Provider,
    ProviderConfig,
    check_embedder,
    hookimpl,
)


class FastembedConfig(ProviderConfig):
    """ONNX models by name, downloaded at first use, or from a folder."""

    provider: Literal["fastembed"] = "fastembed"
    model: str = Field(
        "BAAI/bge-small-en-v1.5",
        description="A model that fastembed knows by name; downloaded at first use.",
    )
    path: LocalPath | None = Field(
        None, description="A folder with an ONNX model and its tokenizer, in place of `model`."
    )
    model_file: str | None = Field(
        None, description="The ONNX file in `path`; null for model.onnx or onnx/model.onnx."
    )
    pooling: Literal["auto", "mean", "cls"] = Field(
        "auto",
        description="How a model in `path` makes one vector of many; auto for what its "
        "1_Pooling/config.json says, else mean.",
    )
    max_tokens: int | None = Field(
        None,
        ge=16,
        description="Tokens that are embedded at once; longer texts are embedded in windows. "
        "Null for what the model's files say.",
    )
    query_prefix: str = Field("", description="Put before queries, as some models ask for it.")
    document_prefix: str = Field("", description="Put before documents.")
    batch_size: Operational[int] = Field(
        64, ge=1, le=1024, description="Windows embedded together, at most."
    )
    batch_tokens: Operational[int] = Field(
        1024,
        ge=1,
        description="Tokens embedded together, at most: what processors are fastest with.",
    )
    threads: Operational[int | None] = Field(
        None, ge=1, description="Threads to use; null for all cores."
    )
    cache_dir: Operational[LocalPath | None] = Field(
        None,
        description="Where downloaded models are kept; null for fastembed's own choice: "
        "FASTEMBED_CACHE_PATH, else the system's folder for temporary files.",
    )

    @model_validator(mode="after")
    def _one_model(self) -> FastembedConfig:
        if self.path is not None and "model" in self.model_fields_set:
            raise ValueError("give `model` or `path`, not both")
        return self


def _open(config: FastembedConfig) -> Any:
    from hierdoc_fastembed.embedder import FastembedEmbedder

    if find_spec("fastembed") is None:  # it is imported later, as that takes its time
        raise ModuleNotFoundError("No module named 'fastembed'", name="fastembed")
    return FastembedEmbedder(config)


@hookimpl
def hierdoc_embedders() -> Iterable[Provider[Any, Any]]:
    """One embedder for all models."""
    yield Provider(FastembedConfig, _open, check_embedder(_open))
