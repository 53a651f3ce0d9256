"""Qdrant through its client: a server over REST, or the client's own local mode in memory."""

from __future__ import annotations

import asyncio
import json
import ssl
import warnings
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import urlsplit

import httpx
from qdrant_client import AsyncQdrantClient, QdrantClient, models
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from hierdoc import Filter, StoreError
from hierdoc.plugin import masked, require_manifest
from hierdoc_qdrant import QdrantConfig
from hierdoc_qdrant.points import KEYWORDS, Point, selection
from hierdoc_qdrant.sparse import SparseVector
from hierdoc_qdrant.store import DENSE, RRF_K, SPARSE, Found, Leg, Manifest, RefusedError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")

_OLDEST = (1, 16)
"""The first server that keeps metadata with a collection and takes a constant for its rank fusion."""

_FIRST_PAUSE = 0.2
"""Seconds before the second attempt; each further one waits twice as long."""

_MOST_VALUES = 1_000_000
"""Values of a field that are told apart."""

_BUSY = (429, 502, 503, 504)
_REFUSED = (400, 413, 422)


class ClientStore:
    """A collection of a server.

    Args:
        config: Where it is and how to reach it.
    """

    def __init__(self, config: QdrantConfig) -> None:
        self._config = config
        self._url = config.url or "http://localhost:6333"
        self._collection = config.collection
        self._client: AsyncQdrantClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False

    @property
    def place(self) -> str:
        """The collection, in words for messages."""
        return f"collection {self._collection!r} at {urlsplit(self._url).netloc}"

    async def prepare(self, manifest: Manifest, dimensions: int, *, reset: bool) -> None:
        """Open the collection or make it; see `Store`."""
        await self._require_version()
        exists = await self._call("collection_exists")
        if exists:
            info = await self._call("get_collection")
            found = (info.config.metadata or {}).get("hierdoc")
            if found is None:
                raise StoreError(
                    f"{self.place} was not made by hierdoc",
                    hint="Choose another name for `collection`.",
                )
            if reset:
                await self._call("delete_collection")
                exists = False
            else:
                require_manifest(found, manifest, self.place)
        if not exists:
            await self._create(manifest, dimensions)
        await self._create_indexes()

    async def write(self, points: Sequence[Point]) -> None:
        """Write points; see `Store`."""
        made = await asyncio.to_thread(lambda: [_point(one) for one in points])
        await self._call("upsert", points=made, wait=True)

    async def delete(self, filter: Filter) -> None:
        """Delete what the filter selects."""
        chosen = models.FilterSelector(filter=selection(filter, models))
        await self._call("delete", points_selector=chosen, wait=True)

    async def nearest(
        self, vector: NDArray[np.float32], limit: int, filter: Filter | None
    ) -> Sequence[Found]:
        """The best by dot product; see `Store`."""
        answer = await self._call(
            "query_points",
            query=vector.tolist(),
            using=DENSE,
            limit=limit,
            query_filter=selection(filter, models),
            search_params=models.SearchParams(exact=self._config.exact),
            with_payload=["chunk_id"],
        )
        return [_found(one) for one in answer.points]

    async def fused(
        self, legs: Sequence[Leg], depth: int, filter: Filter | None
    ) -> Sequence[Found]:
        """Weighted reciprocal rank fusion by the server; see `Store`."""
        names = [f"$score[{number}]" for number in range(len(legs))]
        weighted = [
            models.MultExpression(mult=[leg.weight, name])
            for leg, name in zip(legs, names, strict=True)
        ]
        formula = models.FormulaQuery(
            formula=models.SumExpression(sum=list(weighted)), defaults=dict.fromkeys(names, 0.0)
        )
        answer = await self._call(
            "query_points",
            prefetch=[self._prefetch(leg, depth, filter) for leg in legs],
            query=formula,
            limit=depth * len(legs),
            with_payload=["chunk_id"],
        )
        return [_found(one) for one in answer.points]

    async def read(self, ids: Sequence[str], *, vectors: bool) -> Sequence[Found]:
        """Points by id; see `Store`."""
        found = await self._call(
            "retrieve",
            ids=list(ids),
            with_payload=["record"],
            with_vectors=[DENSE] if vectors else False,
        )
        return [_found(one) for one in found]

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
        found, following = await self._call(
            "scroll",
            scroll_filter=selection(filter, models),
            limit=limit,
            offset=after,
            with_payload=list(fields),
            with_vectors=[DENSE] if vectors else False,
        )
        return [_found(one) for one in found], following

    async def tally(self, field: str) -> Mapping[str, int]:
        """How many points have each value of a keyword field."""
        answer = await self._call("facet", key=field, limit=_MOST_VALUES, exact=True)
        return {str(hit.value): hit.count for hit in answer.hits if hit.count}

    async def count(self) -> int:
        """The number of points."""
        return int((await self._call("count", exact=True)).count)

    async def check(self) -> None:
        """Ask the server for its version and the collections that the key may see."""
        await self._require_version()
        await self._call("collection_exists")

    async def aclose(self) -> None:
        """Close the connections."""
        self._closed = True
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _create(self, manifest: Manifest, dimensions: int) -> None:
        await self._call(
            "create_collection",
            vectors_config={
                DENSE: models.VectorParams(size=dimensions, distance=models.Distance.DOT)
            },
            sparse_vectors_config={SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
            metadata={"hierdoc": dict(manifest)},
        )

    async def _create_indexes(self) -> None:
        """Those that are missing: all of a new collection, some where a process was killed."""
        known = (await self._call("get_collection")).payload_schema
        for field in KEYWORDS:
            if field not in known:
                schema = models.PayloadSchemaType.KEYWORD
                await self._call("create_payload_index", field_name=field, field_schema=schema)

    async def _require_version(self) -> None:
        version = (await self._call("info", collection=False)).version
        numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
        if len(numbers) == 2 and numbers < _OLDEST:
            oldest = ".".join(map(str, _OLDEST))
            raise StoreError(
                f"the Qdrant at {urlsplit(self._url).netloc} is version {version}; it must be {oldest} or later",
                hint="Update the server.",
            )

    def _prefetch(self, leg: Leg, depth: int, filter: Filter | None) -> models.Prefetch:
        """The leg's ranking, each point scored by its rank."""
        if isinstance(leg.vector, SparseVector):
            query: Any = _sparse(leg.vector)
            using = SPARSE
        else:
            query, using = leg.vector.tolist(), DENSE
        ranking = models.Prefetch(
            query=query,
            using=using,
            filter=selection(filter, models),
            params=models.SearchParams(exact=self._config.exact),
            limit=depth,
        )
        # Qdrant counts ranks from 0: its score is 1 / (rank - 1 + k).
        by_rank = models.RrfQuery(rrf=models.Rrf(k=RRF_K + 1))
        return models.Prefetch(prefetch=[ranking], query=by_rank, limit=depth)

    async def _call(self, method: str, *, collection: bool = True, **arguments: Any) -> Any:
        """What the client's method returns; busy servers are asked again.

        Raises:
            RefusedError: The server finds fault with the request.
            StoreError: It does not answer, or not with success.
        """
        if collection:
            arguments["collection_name"] = self._collection
        pause = _FIRST_PAUSE
        for left in range(self._config.retries, -1, -1):
            try:
                return await self._ask(method, arguments)
            except ResourceExhaustedResponse as error:
                failure, again = self._report(error, 429, str(error)), True
                pause = max(pause, min(float(error.retry_after_s), self._config.timeout))
            except UnexpectedResponse as error:
                again = error.status_code in _BUSY
                failure = self._report(error, error.status_code, _reason(error))
            except ResponseHandlingException as error:
                again = isinstance(error.source, httpx.TransportError)
                failure = self._no_answer(error.source)
            if not again or not left:
                raise failure from failure.__cause__
            await asyncio.sleep(pause)
            pause *= 2
        raise AssertionError("the last attempt returns or raises")

    async def _ask(self, method: str, arguments: Mapping[str, Any]) -> Any:
        if self._closed:
            raise StoreError("the index is closed", hint="Open it again.")
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:  # connections belong to a loop
            self._client, self._loop = self._connect(), loop
        ask: Callable[..., Awaitable[Any]] = getattr(self._client, method)
        return await ask(**arguments)

    def _connect(self) -> AsyncQdrantClient:
        key = self._config.api_key
        options: dict[str, Any] = {}
        if self._config.ca_certs is not None:
            options["verify"] = ssl.create_default_context(cafile=str(self._config.ca_certs))
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", UserWarning
            )  # a key without TLS: the README warns of it
            return AsyncQdrantClient(
                url=self._url,
                api_key=key.get_secret_value() if key else None,
                timeout=max(1, round(self._config.timeout)),
                check_compatibility=False,
                **options,
            )

    def _report(self, cause: Exception, status: int | None, reason: str) -> StoreError:
        text = f"{self.place}: the server answers {status}: {self._without_secrets(reason)}"
        if status in _REFUSED:
            error: StoreError = RefusedError(text, hint="Check the server's limits and its log.")
        elif status in (401, 403):
            error = StoreError(text, hint="Check `api_key` and what it allows.")
        elif status == 404:
            error = StoreError(text, hint="Check `url` and `collection`.")
        else:
            error = StoreError(text, hint="Look into the server's log, and try again.")
        error.__cause__ = cause
        return error

    def _no_answer(self, cause: Exception) -> StoreError:
        if isinstance(cause, httpx.TimeoutException):
            reason, hint = (
                f"no answer within {self._config.timeout:g} seconds",
                "Raise `timeout`, or see what keeps the server busy.",
            )
        elif isinstance(cause, httpx.TransportError):
            reason = f"it cannot be reached: {cause}" if str(cause) else "it cannot be reached"
            hint = "Start the server, or check `url`."
        else:
            reason = f"what answers is no Qdrant ({type(cause).__name__})"
            hint = "Check `url`: it takes the port of the REST interface, 6333 by default."
        error = StoreError(f"{self.place}: {self._without_secrets(reason)}", hint=hint)
        error.__cause__ = cause
        return error

    def _without_secrets(self, text: str) -> str:
        return masked(text, [self._config.api_key])


class MemoryStore(ClientStore):
    """A collection of the client's local mode, which computes in Python and numpy: in a thread, not on the event loop."""

    def __init__(self, config: QdrantConfig) -> None:
        super().__init__(config)
        self._thread = ThreadPoolExecutor(1, "hierdoc-qdrant")
        self._local = QdrantClient(":memory:")

    @property
    def place(self) -> str:
        """The collection, in words for messages."""
        return f"collection {self._collection!r} in memory"

    async def nearest(
        self, vector: NDArray[np.float32], limit: int, filter: Filter | None
    ) -> Sequence[Found]:
        """The best by dot product, rounded: numpy's sums depend on where a row stands, by a hair."""
        found = await super().nearest(vector, limit, filter)
        return [Found(one.payload, round(one.score, 6), one.vector) for one in found]

    async def check(self) -> None:
        """Nothing can be wrong."""

    async def aclose(self) -> None:
        """Forget everything and end the thread."""
        if not self._closed:
            self._closed = True
            self._thread.shutdown(wait=True)
            self._local.close()

    async def _require_version(self) -> None:
        """It is the client's."""

    async def _create_indexes(self) -> None:
        """The local mode has none."""

    async def _ask(self, method: str, arguments: Mapping[str, Any]) -> Any:
        if self._closed:
            raise StoreError("the index is closed", hint="Open it again.")
        work = partial(getattr(self._local, method), **arguments)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except ValueError as error:  # the local mode's word for a request that it refuses
            raise RefusedError(f"{self.place}: {error}") from error


def _point(point: Point) -> models.PointStruct:
    vectors = {DENSE: point.dense.tolist(), SPARSE: _sparse(point.sparse)}
    return models.PointStruct(id=point.id, vector=cast(Any, vectors), payload=dict(point.payload))


def _sparse(vector: SparseVector) -> models.SparseVector:
    return models.SparseVector(indices=list(vector.indices), values=list(vector.values))


def _found(point: Any) -> Found:
    vector = point.vector[DENSE] if point.vector else None
    return Found(point.payload or {}, float(getattr(point, "score", 0.0)), vector)


def _reason(error: UnexpectedResponse) -> str:
    """What the server says is wrong, in a line."""
    try:
        reason = json.loads(error.content)["status"]["error"]
    except (ValueError, KeyError, TypeError):
        reason = error.content.decode("utf-8", "replace") or error.reason_phrase
    return " ".join(str(reason).split())[:300]
