"""What the backend needs of a Qdrant, wherever that is: a server, the memory, a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from hierdoc import Filter, StoreError
from hierdoc_qdrant.points import Point
from hierdoc_qdrant.sparse import SparseVector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DENSE, SPARSE = "dense", "text"
"""The names of a point's two vectors."""

RRF_K = 60
"""The constant of reciprocal rank fusion."""

Manifest = Mapping[str, Any]
"""What a collection is made for; kept with it."""


class RefusedError(StoreError):
    """The store says that what it was sent is not right: another part of it may be."""


@dataclass(frozen=True)
class Leg:
    """One ranking of a hybrid search.

    Attributes:
        vector: What to search by: dense or sparse.
        weight: Above 0.
    """

    vector: NDArray[np.float32] | SparseVector
    weight: float


@dataclass(frozen=True)
class Found:
    """A point, as far as it was asked for."""

    payload: Mapping[str, Any]
    score: float = 0.0
    vector: Sequence[float] | None = None


class Store(Protocol):
    """A collection of points in some Qdrant; all methods raise `StoreError` where it fails."""

    async def prepare(self, manifest: Manifest, dimensions: int, *, reset: bool) -> None:
        """Open the collection or make it.

        Raises:
            IndexMismatchError: It has another manifest, and `reset` is false.
        """
        ...

    async def write(self, points: Sequence[Point]) -> None:
        """Write points, in the place of those with their ids.

        Raises:
            RefusedError: A point is not acceptable; none was written.
        """
        ...

    async def delete(self, filter: Filter) -> None:
        """Delete what the filter selects."""
        ...

    async def nearest(
        self, vector: NDArray[np.float32], limit: int, filter: Filter | None
    ) -> Sequence[Found]:
        """The best by dot product, in any order of equals, with `chunk_id` in their payloads."""
        ...

    async def fused(
        self, legs: Sequence[Leg], depth: int, filter: Filter | None
    ) -> Sequence[Found]:
        """All that is among the best `depth` of a leg, with Σ weight / (RRF_K + rank) for a score and `chunk_id`."""
        ...

    async def read(self, ids: Sequence[str], *, vectors: bool) -> Sequence[Found]:
        """Points by id, in any order, unknown ones left out, with `record` and the dense vector if asked."""
        ...

    async def page(
        self,
        filter: Filter | None,
        limit: int,
        after: Any = None,
        *,
        fields: Sequence[str],
        vectors: bool = False,
    ) -> tuple[Sequence[Found], Any]:
        """Points that the filter selects, with these fields; and what to pass as `after` for more, None at the end."""
        ...

    async def tally(self, field: str) -> Mapping[str, int]:
        """How many points have each value of a keyword field."""
        ...

    async def count(self) -> int:
        """The number of points."""
        ...

    async def check(self) -> None:
        """Raise where the store would not work."""
        ...

    async def aclose(self) -> None:
        """Let go of it; calling it again does nothing."""
        ...
