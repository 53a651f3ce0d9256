"""What a cluster can do, by its version and plugins."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

OLDEST = (2, 10)
"""The first version that is supported."""

_WEIGHTED_RANKS = (3, 1)
"""The first version whose score-ranker processor takes weights."""

_VECTORS = "org.opensearch.knn."
_HYBRID = "org.opensearch.neuralsearch."
"""What the names of the plugins' classes start with; a plugin's own name depends on how it was installed."""


@dataclass(frozen=True)
class Cluster:
    """What a cluster can do.

    Attributes:
        number: Its version, as it writes it.
        vectors: Whether it holds vectors: that is the work of its plugin k-NN.
        hybrid: Whether it fuses text and vectors: that is the work of its plugin neural-search.
    """

    number: str
    vectors: bool
    hybrid: bool

    @property
    def version(self) -> tuple[int, ...]:
        """Its version, major and minor."""
        return tuple(int(part) for part in self.number.split(".")[:2] if part.isdigit())

    def fuses(self, fusion: str) -> bool:
        """Whether it fuses in this way, with weights."""
        return self.hybrid and (fusion != "rrf" or self.version >= _WEIGHTED_RANKS)

    def __str__(self) -> str:
        plugins = [("k-NN", self.vectors), ("neural-search", self.hybrid)]
        told = ", ".join(f"{'with' if there else 'without'} {name}" for name, there in plugins)
        return f"OpenSearch {self.number} {told}"


def cluster_of(version: Mapping[str, Any], plugins: Mapping[str, Any] | None) -> Cluster:
    """The cluster that answers so.

    Args:
        version: What `GET /` tells of it.
        plugins: What `GET /_nodes/plugins` tells, of each node; None where the user may not know: all are taken to be there.
    """
    classes: Collection[str] = [_VECTORS, _HYBRID]
    if plugins is not None:
        nodes = plugins.get("nodes", {}).values()
        classes = [str(one.get("classname")) for node in nodes for one in node.get("plugins", [])]
    vectors, hybrid = (any(one.startswith(name) for one in classes) for name in (_VECTORS, _HYBRID))
    return Cluster(str(version.get("number", "")), vectors, hybrid and vectors)
