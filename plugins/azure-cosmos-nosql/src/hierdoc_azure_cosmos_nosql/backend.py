"""The vector backend `azure-cosmos-nosql`: items written in transactional batches, one for each document at a time."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from hierdoc import Analyzer, Filter, Match, StoreError
from hierdoc.errors import PartialWriteError
from hierdoc.plugin import (
    DocumentState,
    IndexSpec,
    Record,
    best_matches_async,
    document_states,
    from_store_text,
    make_manifest,
    read_state_key,
    require_manifest,
    require_weights,
    unique_records,
    unit_query,
    unit_vectors,
)
from hierdoc_azure_cosmos_nosql import CosmosConfig
from hierdoc_azure_cosmos_nosql import items as kept
from hierdoc_azure_cosmos_nosql.service import NotThereError, RefusedError, Service

if TYPE_CHECKING:
    from azure.cosmos.aio import ContainerProxy
    from numpy.typing import NDArray

T = TypeVar("T")

_BATCH = 100
"""Operations in a transactional batch, at most."""

_BATCH_BYTES = 900_000
"""Of them, unless one alone has more; Cosmos DB takes 2 MB."""

_LOOKED_UP = 100
"""Ids in one query."""

_PAGE = 200
"""Records in a page of `scan`."""

_MOST_FUSED, _MOST = 1000, 40_000
"""Results of a query that fuses, and of any other, as the SDK has it."""

_FLAT = 505
"""Dimensions that the index `flat` takes."""

_RANK = 60
"""Added to ranks, in the scores that the service does not tell."""


class CosmosBackend:
    """One container.

    Attributes:
        capabilities: All filters, native hybrid search and persistence.
    """

    capabilities = CosmosConfig.capabilities

    def __init__(self, config: CosmosConfig) -> None:
        self._config = config
        self._service = Service(config)
        self._analyzer = Analyzer(config.language)
        self._spec: IndexSpec | None = None
        self._closed = False
        self._variants: set[str] | None = None

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """Open the container, or make it.

        Raises:
            IndexMismatchError: It was made for another spec or analysis, and `reset` is false.
            StoreError: The account does not answer or refuses, or somebody else made the container.
        """
        if self._closed:
            raise StoreError("the index is closed", hint="Open it again.")
        if self._config.index == "flat" and spec.dimensions > _FLAT:
            raise StoreError(
                f"azure-cosmos-nosql: vectors of {spec.dimensions} dimensions are too long for the index `flat`",
                hint=f"It takes {_FLAT}. Set `index: quantized-flat` or `index: diskann`.",
            )
        self._spec = None
        manifest = make_manifest(kept.SCHEMA, spec, analyzer=self._analyzer.fingerprint)
        there = await self._service.exists()
        found = await self._manifest() if there else None
        if there and found is None and await self._service.query(kept.ANY):
            raise StoreError(
                f"{self._service.place} was not made by hierdoc",
                hint="Choose another name for `collection`.",
            )
        if found is not None and not reset:
            require_manifest(found, manifest, self._service.place)
        else:
            if there:
                await self._service.drop()
            await self._service.make(spec.dimensions)
            item = kept.make_manifest_item(manifest)
            await self._service.ask(lambda one: one.upsert_item(item))
        self._variants = None
        self._spec = spec

    async def upsert(self, records: Sequence[Record]) -> None:
        """Write records in batches; one with a known id replaces it whole.

        Raises:
            PartialWriteError: The service would not take some, or failed after it had taken others.
            StoreError: A vector is missing or wrong, or the service failed; nothing was written.
        """
        dimensions = self._prepared.dimensions
        last = unique_records(records)
        vectors = unit_vectors(last, dimensions)
        if not last:
            return
        made = await asyncio.to_thread(
            lambda: [
                (record.id, kept.make_items(record, vector, self._analyzer))
                for record, vector in zip(last, vectors, strict=True)
            ]
        )
        names = {item["id"]: chunk_id for chunk_id, items in made for item in items}
        documents: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for _, items in made:
            documents[items[0]["document"]] += items
        written: set[str] = set()
        failed: dict[str, str] = {}
        limit = asyncio.Semaphore(self._config.concurrency)

        async def write(document: list[dict[str, Any]]) -> None:
            async with limit:
                for batch in _batches(document):
                    await self._drop_strays(batch)
                    await self._write(batch, written, failed)

        outcomes = await asyncio.gather(*map(write, documents.values()), return_exceptions=True)
        self._variants = None
        for outcome in outcomes:
            if isinstance(outcome, StoreError):
                if not written and not failed:
                    raise outcome
                lost = names.keys() - written - failed.keys()
                failed |= dict.fromkeys(lost, str(outcome))
            elif isinstance(outcome, BaseException):
                raise outcome
        if failed:
            reason = next(iter(failed.values()))
            lost_records = {names[key]: told for key, told in failed.items()}
            raise PartialWriteError(
                f"{self._service.place}: {len(lost_records)} of {len(last)} records were not written; the first: {reason}",
                failed=lost_records,
                hint="See the limits in the plugin's README, then ingest again.",
            )

    async def delete_documents(self, sources: Sequence[str]) -> None:
        """Delete all records of these documents; unknown ones are no error."""
        assert self._prepared
        limit = asyncio.Semaphore(self._config.concurrency)

        async def delete(partition: str) -> None:
            async with limit:
                keys = await self._service.query(kept.OF_PARTITION, partition=partition)
                await self._delete(partition, keys)

        await asyncio.gather(*(delete(kept.partition_of(one)) for one in dict.fromkeys(sources)))
        self._variants = None

    async def search(
        self, vector: NDArray[np.float32], limit: int, filter: Filter | None = None
    ) -> Sequence[Match]:
        """Up to `limit` matches by cosine similarity, best first, ties by chunk id; 40,000 at most.

        Raises:
            QueryError: The vector is not of the index's dimensions, or the filter is too large for the service.
        """
        query = unit_query(vector, self._prepared.dimensions)
        if limit < 1:
            return []

        async def found(wanted: int) -> list[Match]:
            rows = await self._service.query(kept.nearest(query, wanted, filter))
            return [
                Match(from_store_text(row["name"]), max(-1.0, min(1.0, float(row["score"]))))
                for row in rows
            ]

        return await best_matches_async(found, min(limit, _MOST), _MOST)

    async def hybrid_search(
        self,
        text: str,
        vector: NDArray[np.float32],
        limit: int,
        weights: Mapping[str, float],
        filter: Filter | None = None,
    ) -> Sequence[Match]:
        """The text by BM25 and the vector by cosine in one query, fused by the service by reciprocal ranks; 1,000 at most.

        A leg with no weight or nothing to look for takes no part. The service does not tell its scores: those of the matches stand for their
        ranks.

        Raises:
            QueryError: The vector is not of the index's dimensions, or the filter is too large for the service.
            ValueError: `weights` has none for `semantic` or `keyword`, or a negative one.
        """
        query = unit_query(vector, self._prepared.dimensions)
        require_weights(weights)
        terms = kept.distinct(self._analyzer.query_terms(text, await self._known_variants()))
        semantic = float(weights["semantic"]) if query.any() else 0.0
        keyword = float(weights["keyword"]) if terms else 0.0
        if limit < 1:
            return []
        matching = len(await self._service.query(kept.matching(terms, filter))) if keyword else 0
        if not matching:
            return await self.search(query, limit, filter)
        pair = (semantic, keyword * _gain(matching))
        asked = min(limit, _MOST_FUSED)
        rows = await self._service.query(kept.fused(query, terms, pair, asked, filter))
        return [
            Match(from_store_text(row["name"]), 1 / (_RANK + rank))
            for rank, row in enumerate(rows, start=1)
        ]

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Sequence[Record]:
        """Records by id, in the order asked for, unknown ids left out; with their vectors if asked."""
        assert self._prepared
        columns = kept.COLUMNS + (kept.AND_VECTOR if vectors else "")
        found: dict[str, Record] = {}
        keys = [kept.key_of(one) for one in dict.fromkeys(ids)]
        for some in _portions(keys, _LOOKED_UP):
            rows = await self._service.query(kept.among(some, columns))
            read = await self._read(rows)
            found |= {row["id"]: record for row, record in zip(rows, read, strict=True)}
        return [found[key] for key in map(kept.key_of, ids) if key in found]

    async def find(self, filter: Filter, limit: int) -> Sequence[Record]:
        """Up to `limit` records that the filter selects, by source and position in the document.

        Raises:
            QueryError: The filter is too large for the service.
        """
        assert self._prepared
        if limit < 1:
            return []
        rows = await self._service.query(kept.in_order(filter, min(limit, _MOST)))
        return await self._read(rows)

    async def scan(self, *, vectors: bool = False) -> AsyncIterator[Sequence[Record]]:
        """Every record once, in pages."""
        assert self._prepared
        text = kept.ALL.format(vector=kept.AND_VECTOR if vectors else "")
        token: str | None = None

        async def page(container: ContainerProxy) -> tuple[list[Any], str | None]:
            pages = container.query_items(text, max_item_count=_PAGE).by_page(token)
            async for one in pages:
                rows = [row async for row in one]
                return rows, pages.continuation_token  # type: ignore[attr-defined]
            return [], None

        while True:
            rows, token = await self._service.ask(page)
            if rows:
                yield await self._read(rows)
            if token is None:
                return

    async def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""
        assert self._prepared
        counts = Counter(await self._service.query(kept.STATES))
        return document_states((*read_state_key(one), held) for one, held in counts.items())

    async def count(self) -> int:
        """The number of records."""
        assert self._prepared
        return len(await self._service.query(kept.STATES))

    async def aclose(self) -> None:
        """Close the connections; calling it again does nothing."""
        self._spec = None
        self._closed = True
        await self._service.close()

    @property
    def _prepared(self) -> IndexSpec:
        if self._spec is None:
            raise StoreError("the index is not open", hint="Call `prepare` first.")
        return self._spec

    async def _manifest(self) -> Any:
        try:
            item = await self._service.ask(
                lambda one: one.read_item(kept.MANIFEST, partition_key=kept.MANIFEST)
            )
        except NotThereError:
            return None
        return json.loads(item["made_for"])

    async def _known_variants(self) -> set[str]:
        """How the words of the records are analysed."""
        if self._variants is None:
            self._variants = set(await self._service.query(kept.VARIANTS))
        return self._variants

    async def _read(self, rows: Sequence[Mapping[str, Any]]) -> list[Record]:
        """The records of rows, those of very long ones put together."""
        keys = [key for row in rows for key in kept.part_keys(row["id"], row["parts"])]
        rest: dict[str, str] = {}
        for some in _portions(keys, _LOOKED_UP):
            found = await self._service.query(kept.among(some, kept.COLUMNS))
            rest |= {one["id"]: one["record"] for one in found}
        return [_record(row, rest) for row in rows]

    async def _drop_strays(self, batch: Sequence[Mapping[str, Any]]) -> None:
        """Delete what other documents hold under the ids of these items."""
        keys = [item["id"] for item in batch]
        strays: dict[str, list[str]] = defaultdict(list)
        for row in await self._service.query(kept.among(keys, "c.id, c.document, c.parts")):
            if row["document"] != batch[0]["document"]:
                strays[row["document"]] += [
                    row["id"],
                    *kept.part_keys(row["id"], row.get("parts", 0)),
                ]
        for partition, some in strays.items():
            await self._delete(partition, some)

    async def _write(
        self, batch: list[dict[str, Any]], written: set[str], failed: dict[str, str]
    ) -> None:
        """Write items of one document in a transaction; where the service finds fault with it, in smaller ones."""
        operations = [("upsert", (item,)) for item in batch]
        try:
            if len(batch) == 1:  # of which the service says more
                await self._service.ask(lambda one: one.upsert_item(batch[0]))
            else:
                await self._execute(batch[0]["document"], operations)
        except RefusedError as error:
            if len(batch) == 1:
                failed[batch[0]["id"]] = str(error)
                return
            middle = len(batch) // 2
            await self._write(batch[:middle], written, failed)
            await self._write(batch[middle:], written, failed)
        else:
            written |= {item["id"] for item in batch}

    async def _delete(self, partition: str, keys: Sequence[str]) -> None:
        for some in _portions(keys, _BATCH):
            try:
                await self._execute(partition, [("delete", (key,)) for key in some])
            except NotThereError:  # another attempt was there before, at some of them
                for key in some:
                    await self._delete_one(partition, key)

    async def _delete_one(self, partition: str, key: str) -> None:
        try:
            await self._service.ask(lambda one: one.delete_item(key, partition_key=partition))
        except NotThereError:
            return

    async def _execute(self, partition: str, operations: Sequence[tuple[str, Any]]) -> None:
        await self._service.ask(
            lambda one: one.execute_item_batch(list(operations), partition_key=partition)
        )


def _gain(matching: int) -> float:
    """What the words' weight is multiplied by.

    Items without a word of the query share the rank behind the last that has one, and get as much for it; in reciprocal rank fusion as
    everybody else knows it they get nothing. With this, the first is as far ahead of them as there.

    Args:
        matching: How many items have a word of the query.
    """
    first, behind = 1 / (_RANK + 1), 1 / (_RANK + 1 + matching)
    return first / (first - behind)


def _batches(items: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Items of one document, for one transaction each."""
    batch: list[dict[str, Any]] = []
    size = 0
    for item in items:
        more = len(json.dumps(item))
        if batch and (len(batch) == _BATCH or size + more > _BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += more
    if batch:
        yield batch


def _record(row: Mapping[str, Any], rest: Mapping[str, str]) -> Record:
    vector = row.get("vector")
    try:
        parts = [rest[key] for key in kept.part_keys(row["id"], row["parts"])]
    except KeyError as error:
        raise StoreError(
            "a part of a record is missing in the index",
            hint="Ingest again: another process may have been writing it.",
        ) from error
    text = "".join([row["record"], *parts])
    return Record.from_json(text, None if vector is None else np.array(vector, np.float32))


def _portions(values: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(values), size):
        yield values[start : start + size]
