"""Static embeddings by models of model2vec, for hierdoc."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any, Literal

from pydantic import Field

from hierdoc.plugin import LocalPath, Provider, ProviderConfig, check_embedder, hookimpl


class Model2VecConfig(ProviderConfig):
    """Static models of model2vec from a folder."""

    provider: Literal["model2vec"] = "model2vec"
    path: LocalPath = Field(
        description="A folder with model.safetensors, tokenizer.json and config.json."
    )


def open_embedder(config: Model2VecConfig) -> Any:
    """The embedder."""
    from hierdoc_model2vec.embedder import Model2VecEmbedder

    if find_spec("model2vec") is None:  # it is imported later, with the model
        raise ModuleNotFoundError("No module named 'model2vec'", name="model2vec")
    return Model2VecEmbedder(config)


@hookimpl
def hierdoc_embedders() -> Iterable[Provider[Any, Any]]:
    """One for all models."""
    yield Provider(Model2VecConfig, open_embedder, check_embedder(open_embedder))
