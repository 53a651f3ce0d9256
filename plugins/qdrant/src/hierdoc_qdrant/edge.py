"""An embedded Qdrant: a shard of qdrant-edge in a folder, used from one thread of one process.

PATH/qdrant/COLLECTION/shard/           Qdrant's files; its write-ahead log outlives a kill and locks out other processes
PATH/qdrant/COLLECTION/hierdoc.json     what the collection was made for
PATH/qdrant/COLLECTION/sealed.json      checksums of the files, while nobody has them open
"""

from __future__ import annotations

import asyncio
import json
import shutil
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import qdrant_edge as edge

from hierdoc import Filter, IndexLockedError, StoreError
from hierdoc.plugin import REBUILD, make_private_folder, require_manifest, seal, unseal
from hierdoc_qdrant.points import KEYWORDS, Point, selection
from hierdoc_qdrant.sparse import SparseVector
from hierdoc_qdrant.store import DENSE, RRF_K, SPARSE, Found, Leg, Manifest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")

_HNSW_FROM = 200_000
"""Kilobytes of vectors in a segment from which on Qdrant builds an approximate index: 130,000 vectors of 384 dimensions."""

_TIDY_AFTER = 1000
"""So many records written or documents deleted, and the segments are merged and vacuumed when the store is closed."""

_MOST_VALUES = 1_000_000
"""Values of a field that are told apart."""


class EdgeStore:
    """A collection in a folder.

    Args:
        path: The folder of the index.
        collection: The collection's name.
        exact: Compare every vector, also where there is an approximate index.
    """

    def __init__(self, path: Path, collection: str, *, exact: bool = False) -> None:
        self._folder = path / "qdrant" / collection
        self._exact = exact
        self._thread = ThreadPoolExecutor(1, "hierdoc-qdrant")
        self._shard: edge.EdgeShard | None = None
        self._changes = 0
        self._closed = False

    async def prepare(self, manifest: Manifest, dimensions: int, *, reset: bool) -> None:
        """Open the shard or make it; see `Store`."""
        await self._run(partial(self._prepare, dict(manifest), dimensions, reset))

    async def write(self, points: Sequence[Point]) -> None:
        """Write points; see `Store`."""

        def work() -> None:
            self._open.update(edge.UpdateOperation.upsert_points([_point(one) for one in points]))
            self._changes += len(points)

        await self._run(work)

    async def delete(self, filter: Filter) -> None:
        """Delete what the filter selects."""

        def work() -> None:
            chosen = selection(filter, edge)
            self._open.update(edge.UpdateOperation.delete_points_by_filter(chosen))
            self._changes += 1

        await self._run(work)

    async def nearest(
        self, vector: NDArray[np.float32], limit: int, filter: Filter | None
    ) -> Sequence[Found]:
        """The best by dot product; see `Store`."""
        request = edge.QueryRequest(
            limit=limit,
            query=edge.Query.Nearest(vector.tolist(), DENSE),
            filter=selection(filter, edge),
            params=edge.SearchParams(exact=self._exact),
            with_payload=["chunk_id"],
        )
        return await self._run(lambda: [_found(one) for one in self._open.query(request)])

    async def fused(
        self, legs: Sequence[Leg], depth: int, filter: Filter | None
    ) -> Sequence[Found]:
        """Weighted reciprocal rank fusion by the shard; see `Store`."""
        expression = edge.Expression
        terms = [
            expression.Mult([expression.Constant(leg.weight), expression.Variable(name)])
            for name, leg in _named(legs).items()
        ]
        request = edge.QueryRequest(
            limit=depth * len(legs),
            query=edge.Formula(expression.Sum(terms), dict.fromkeys(_named(legs), 0.0)),
            prefetches=[self._prefetch(leg, depth, filter) for leg in legs],
            with_payload=["chunk_id"],
        )
        return await self._run(lambda: [_found(one) for one in self._open.query(request)])

    async def read(self, ids: Sequence[str], *, vectors: bool) -> Sequence[Found]:
        """Points by id; see `Store`."""
        wanted = [DENSE] if vectors else False

        def work() -> Sequence[Found]:
            return [_found(one) for one in self._open.retrieve(list(ids), ["record"], wanted)]

        return await self._run(work)

    async def page(
        self,
        filter: Filter | None,
        limit: int,
        after: Any = None,
        *,
        fields: Sequence[str],
        vectors: bool = False,
    ) -> tuple[Sequence[Found], Any]:
        """A page of what the filter selects; see `Store`."""
        request = edge.ScrollRequest(
            offset=after,
            limit=limit,
            filter=selection(filter, edge),
            with_payload=list(fields),
            with_vector=[DENSE] if vectors else False,
        )

        def work() -> tuple[Sequence[Found], Any]:
            found, following = self._open.scroll(request)
            return [_found(one) for one in found], following

        return await self._run(work)

    async def tally(self, field: str) -> Mapping[str, int]:
        """How many points have each value of a keyword field."""
        request = edge.FacetRequest(field, limit=_MOST_VALUES, exact=True)

        def work() -> Mapping[str, int]:
            hits = self._open.facet(request).hits  # values of deleted points among them
            return {str(hit.value): hit.count for hit in hits if hit.count}

        return await self._run(work)

    async def count(self) -> int:
        """The number of points."""
        return await self._run(lambda: self._open.count(edge.CountRequest(exact=True)))

    async def check(self) -> None:
        """Open the collection, if there is one, and read its manifest."""

        def work() -> None:
            if self._shard is None and self._folder.exists():
                self._read_manifest()
                self._load()

        await self._run(work)

    async def aclose(self) -> None:
        """Tidy up after many changes, and let go of the files."""
        if self._closed:
            return
        try:
            await self._run(self._close)
        finally:
            self._closed = True
            self._thread.shutdown(wait=True)

    async def _run(self, work: Callable[[], T]) -> T:
        if self._closed:
            raise StoreError("the index is closed", hint="Open it again.")

        def reported() -> T:
            try:
                return work()
            except (StoreError, MemoryError):
                raise
            except Exception as error:  # qdrant-edge raises no class of its own; re-raised
                raise self._error(error) from error

        return await asyncio.get_running_loop().run_in_executor(self._thread, reported)

    @property
    def _open(self) -> edge.EdgeShard:
        if self._shard is None:
            raise StoreError("the index is not open", hint="Call `prepare` first.")
        return self._shard

    def _prefetch(self, leg: Leg, depth: int, filter: Filter | None) -> edge.Prefetch:
        """The leg's ranking, each point scored by its rank."""
        if isinstance(leg.vector, SparseVector):
            values = edge.SparseVector(list(leg.vector.indices), list(leg.vector.values))
            query = edge.Query.Nearest(values, SPARSE)
        else:
            query = edge.Query.Nearest(leg.vector.tolist(), DENSE)
        ranking = edge.Prefetch(
            depth,
            query=query,
            filter=selection(filter, edge),
            params=edge.SearchParams(exact=self._exact),
        )
        # Qdrant counts ranks from 0: its score is 1 / (rank - 1 + k).
        by_rank: Any = edge.Fusion.Rrf(RRF_K + 1)
        return edge.Prefetch(depth, query=by_rank, prefetches=[ranking])

    def _prepare(self, manifest: Manifest, dimensions: int, reset: bool) -> None:
        mine = self._shard is not None
        self._close(tidy=False)
        if not self._folder.exists():
            self._create(manifest, dimensions)
        elif reset:
            if not mine:
                self._require_free()
            self._replace(manifest, dimensions)
        else:
            require_manifest(self._read_manifest(), manifest, str(self._folder))
        self._load()
        self._sweep()

    def _create(self, manifest: Manifest, dimensions: int) -> None:
        """Make an empty collection aside and rename it: it is there whole or not at all."""
        aside = self._aside()
        make_private_folder(aside)
        (aside / "shard").mkdir()
        vectors = {DENSE: edge.EdgeVectorParams(size=dimensions, distance=edge.Distance.Dot)}
        sparse = {SPARSE: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)}
        optimizers = edge.EdgeOptimizersConfig(indexing_threshold=_HNSW_FROM)
        config = edge.EdgeConfig(vectors=vectors, sparse_vectors=sparse, optimizers=optimizers)
        shard = edge.EdgeShard.create(str(aside / "shard"), config)
        for field in KEYWORDS:
            keyword = edge.PayloadSchemaType.Keyword
            shard.update(edge.UpdateOperation.create_field_index(field, keyword))
        shard.flush()
        shard.close()
        (aside / "hierdoc.json").write_text(json.dumps(manifest), "utf-8")
        try:
            aside.rename(self._folder)
        except OSError:
            shutil.rmtree(aside, ignore_errors=True)
            if not self._folder.exists():  # otherwise another process was faster
                raise

    def _sweep(self) -> None:
        """Remove what processes that were killed left aside: the collection is open here, so nobody is about to replace it."""
        digits = "[0-9a-f]" * 32
        for left in self._folder.parent.glob(f".{self._folder.name}-{digits}"):
            shutil.rmtree(left, ignore_errors=True)

    def _require_free(self) -> None:
        """Raise where the collection is somebody else's or another process has it open, not where it is damaged."""
        if any(self._folder.iterdir()) and not (self._folder / "hierdoc.json").exists():
            self._read_manifest()  # raises: it is somebody else's
        try:
            self._load()
        except IndexLockedError:
            raise
        except StoreError:
            return  # what is damaged is about to be thrown away
        self._close()

    def _replace(self, manifest: Manifest, dimensions: int) -> None:
        """Put an empty collection in the place of this one."""
        old = self._aside()
        self._folder.rename(old)
        self._create(manifest, dimensions)
        shutil.rmtree(old, ignore_errors=True)

    @property
    def _sealed(self) -> Path:
        return self._folder / "sealed.json"

    def _load(self) -> None:
        unseal(self._folder / "shard", self._sealed)
        try:
            self._shard = edge.EdgeShard.load(str(self._folder / "shard"))
        except Exception as error:  # qdrant-edge raises no class of its own; re-raised
            raise self._error(error) from error

    def _read_manifest(self) -> Any:
        try:
            return json.loads((self._folder / "hierdoc.json").read_bytes())
        except (OSError, ValueError) as error:
            raise StoreError(
                f"{self._folder} is damaged or not a collection of hierdoc: {error}",
                hint="Choose another `path` or `collection`, or move the folder away.",
            ) from error

    def _close(self, *, tidy: bool = True) -> None:
        shard, self._shard = self._shard, None
        if shard is None:
            return
        if tidy and self._changes >= _TIDY_AFTER:
            shard.optimize()
        self._changes = 0
        shard.flush()
        shard.close()
        with suppress(OSError):  # a full disk; nothing is compared then
            seal(self._folder / "shard", self._sealed)

    def _aside(self) -> Path:
        return self._folder.with_name(f".{self._folder.name}-{uuid.uuid4().hex}")

    def _error(self, error: Exception) -> StoreError:
        text = str(error)
        if "WouldBlock" in text:
            return IndexLockedError(
                f"{self._folder}: another process has the index open",
                hint="An embedded Qdrant belongs to one process at a time: end the other one, or run a server.",
            )
        hint = "See to the folder's permissions and free space." if _is_system(text) else REBUILD
        return StoreError(f"{self._folder}: {text}", hint=hint)


def _point(point: Point) -> edge.Point:
    sparse = edge.SparseVector(list(point.sparse.indices), list(point.sparse.values))
    vectors = {DENSE: point.dense.tolist(), SPARSE: sparse}
    return edge.Point(point.id, vectors, dict(point.payload))


def _found(point: Any) -> Found:
    vector = point.vector[DENSE] if point.vector else None
    return Found(point.payload or {}, float(getattr(point, "score", 0.0)), vector)


def _named(legs: Sequence[Leg]) -> dict[str, Leg]:
    """The legs by the variable that stands for their score in a formula."""
    return {f"$score[{number}]": leg for number, leg in enumerate(legs)}


def _is_system(text: str) -> bool:
    return any(word in text for word in ("os error", "Permission denied", "No space"))
