"""The vector backend over a LanceDB table; every write is one commit and a new version, and old versions are cleaned up."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lancedb
import pyarrow as pa
from lancedb.query import MatchQuery

from hierdoc import (
    Analyzer,
    CapabilityError,
    Filter,
    IndexDamagedError,
    IndexLockedError,
    Match,
    StoreError,
)
from hierdoc.plugin import (
    ALL_FILTERS,
    REBUILD,
    Capability,
    DocumentState,
    IndexSpec,
    Record,
    Worker,
    from_store_text,
    make_manifest,
    make_private_folder,
    record_terms,
    require_manifest,
    states_from_rows,
    tag,
    unique_records,
    unit_query,
    unit_vectors,
)
from hierdoc_lancedb import LancedbConfig, rows, tables
from hierdoc_lancedb.fusion import WeightedFusion
from hierdoc_lancedb.sealing import Seal, is_derived

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

logger = logging.getLogger(__name__)

_PAGE = 1_000
"""Records in a page of `scan`, and ids that are asked for at a time."""

_TIDY_AFTER = 16
"""Commits after which fragments are merged, indexes brought up to date and old versions dropped."""

_EVERYTHING = 1_000_000_000


class LancedbBackend:
    """One table.

    Several processes may search while one writes; each read sees the newest version. A write is one commit: all of it is
    there or nothing.
    """

    def __init__(self, config: LancedbConfig) -> None:
        self._config = config
        self._uri = str((config.path / "lancedb").absolute())
        self._analyzer = Analyzer(config.language)
        self._place = Path(self._uri) / f"{config.collection}.lance"
        self._seal = Seal(self._place)
        self._worker = Worker("hierdoc-lancedb")
        self._writing = asyncio.Lock()
        self._connection: Any = None
        self._table: Any = None
        self._spec = IndexSpec("", 0)
        self._commits = 0
        self._variants: tuple[int, Sequence[str]] = (-1, ())
        self._closed = False
        self.capabilities = ALL_FILTERS | {
            Capability.ATOMIC_REPLACE,
            Capability.PERSISTENT,
            Capability.MULTI_PROCESS,
            *([Capability.NATIVE_HYBRID] if config.hybrid else []),
        }

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """Open the table, or make it; indexes of LanceDB's that are damaged are made anew from its rows.

        Raises:
            IndexMismatchError: It was made for something else, and `reset` is false.
            IndexDamagedError: Its rows are not what was written, and `reset` is false.
            StoreError: The folder cannot be used, or the table is not of hierdoc.
        """
        if self._closed:
            raise StoreError("lancedb: the index is closed", hint="Open it again.")
        name, about = self._config.collection, self._about(spec)
        with self._reported():
            if self._connection is None:
                make_private_folder(Path(self._uri))
                self._connection = await lancedb.connect_async(
                    self._uri, read_consistency_interval=timedelta(0)
                )
            # What was noted is of hierdoc, and may be too damaged to be opened.
            if reset and await self._worker.run(self._seal.forget):
                await self._connection.drop_table(name, ignore_missing=True)
            damaged = await self._worker.run(self._seal.altered)
            if lost := [path for path in damaged if not is_derived(path)]:
                raise IndexDamagedError(
                    f"lancedb, {self._uri}: {lost[0]} is not what was written", hint=REBUILD
                )
            table = await self._existing(about, reset)
            if table is None:
                table = await tables.create(self._connection, name, about)
                await self._note()
            elif damaged:
                logger.warning("indexes in %s are damaged and made anew", self._uri)
                await tables.make_indexes(table, words=self._config.hybrid)
                await self._note(damaged)
            self._table, self._spec, self._variants = table, spec, (-1, ())

    async def upsert(self, records: Sequence[Record]) -> None:
        """Write records in one commit; one with a known id replaces it whole.

        Raises:
            StoreError: A vector is missing or wrong, or the disk is full; nothing was written.
        """
        await self._write(records, ())

    async def replace_documents(self, records: Sequence[Record]) -> None:
        """Make these the only records of their documents, in one commit.

        Raises:
            StoreError: A vector is missing or wrong, or the disk is full; nothing was written.
        """
        await self._write(records, {record.chunk.source for record in records})

    async def delete_documents(self, sources: Sequence[str]) -> None:
        """Delete all records of these documents in one commit; unknown ones are no error."""
        table = self._open
        if sources:
            documents = [tag("source", source) for source in sources]
            async with self._commit():
                await table.delete(rows.one_of("document", documents))

    async def search(
        self, vector: NDArray[np.float32], limit: int, filter: Filter | None = None
    ) -> Sequence[Match]:
        """Up to `limit` matches by cosine similarity, best first, ties by chunk id.

        Raises:
            QueryError: The vector is not of the index's dimensions.
        """
        table = self._open
        query = unit_query(vector, self._spec.dimensions)
        where = await self._predicate(filter)

        async def nearest(wanted: int) -> list[tuple[float, str]]:
            asked = table.query().nearest_to(query.tolist()).distance_type("dot").limit(wanted)
            asked = asked.where(where) if where else asked
            found = await asked.select(["id", "_distance"]).to_arrow()
            return list(zip(found["_distance"].to_pylist(), found["id"].to_pylist(), strict=True))

        with self._reported():
            found = await tables.with_ties(nearest, limit)
        ranked = sorted((-max(-1.0, min(1.0, 1 - far)), from_store_text(one)) for far, one in found)
        return [Match(chunk_id, -negated) for negated, chunk_id in ranked[: max(limit, 0)]]

    async def hybrid_search(
        self,
        text: str,
        vector: NDArray[np.float32],
        limit: int,
        weights: Mapping[str, float],
        filter: Filter | None = None,
    ) -> Sequence[Match]:
        """A hybrid query of LanceDB, fused by its reranking step: the sum of weight / (rrf_k + rank).

        Args:
            text: For LanceDB's BM25.
            vector: float32 of shape [dimensions]; of length 0, the text decides alone.
            limit: How many, and how many each leg contributes.
            weights: Of `semantic` and `keyword`.
            filter: Which records to consider, in both legs.

        Raises:
            CapabilityError: The configuration says `hybrid: false`.
            ValueError: A leg has no weight.
        """
        if Capability.NATIVE_HYBRID not in self.capabilities:
            raise CapabilityError(
                "lancedb: native hybrid search is switched off", hint="Set `hybrid: true`."
            )
        if missing := {"semantic", "keyword"} - set(weights):
            raise ValueError(f"no weight for: {', '.join(sorted(missing))}")
        table, query = self._open, unit_query(vector, self._spec.dimensions)
        if limit < 1:
            return []
        where = await self._predicate(filter)
        terms = " ".join(await self._query_terms(text))
        words = MatchQuery(terms, "terms")  # type: ignore[call-arg]
        fusion = WeightedFusion(weights["semantic"], weights["keyword"], self._config.rrf_k)
        with self._reported():
            asked = table.query()
            columns = ["id"]
            if query.any():
                asked = asked.nearest_to(query.tolist()).distance_type("dot")
                columns = ["id", "_distance"]
            if terms:
                asked = asked.nearest_to_text(words)
                columns = ["id", "_score"] if not query.any() else ["id"]
            both = query.any() and terms
            if not (query.any() or terms):
                return []
            asked = asked.rerank(fusion) if both else asked.select(columns)
            asked = asked.where(where) if where else asked
            found = await asked.limit(limit).to_arrow()
        if both:
            scores = found["_relevance_score"].to_pylist()
            pairs = list(zip(scores, found["id"].to_pylist(), strict=True))
        else:
            sign, column, leg = (
                (-1, "_distance", "semantic") if query.any() else (1, "_score", "keyword")
            )
            ranked = sorted(
                (-sign * value, one)
                for value, one in zip(
                    found[column].to_pylist(), found["id"].to_pylist(), strict=True
                )
            )
            pairs = [
                (weights[leg] / (self._config.rrf_k + rank), one)
                for rank, (_, one) in enumerate(ranked, start=1)
            ]
        matches = [Match(from_store_text(one), score) for score, one in pairs]
        return sorted(matches, key=lambda match: (-match.score, match.chunk_id))

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Sequence[Record]:
        """Records by id, in the order asked for, unknown ids left out; with their vectors if asked."""
        keys = await self._worker.run(lambda: [tag("id", one) for one in dict.fromkeys(ids)])
        found = {one.id: one for one in await self._by_key(keys, vectors=vectors)}
        return [found[one] for one in ids if one in found]

    async def find(self, filter: Filter, limit: int) -> Sequence[Record]:
        """Up to `limit` records that the filter selects, by source and position in the document."""
        where = await self._predicate(filter)
        if limit < 1:
            return []
        with self._reported():
            asked = self._open.query().select(list(rows.PLACE)).limit(_EVERYTHING)
            places = await (asked.where(where) if where else asked).to_arrow()

        def first() -> list[str]:
            order = places.sort_by([(name, "ascending") for name in ("source", "ordinal", "id")])
            keys: list[str] = order["key"].slice(0, limit).to_pylist()
            return keys

        keys = await self._worker.run(first)
        found = {tag("id", one.id): one for one in await self._by_key(keys)}
        return [found[key] for key in keys if key in found]

    async def scan(self, *, vectors: bool = False) -> AsyncIterator[Sequence[Record]]:
        """Every record once, in pages; all of one version of the table."""
        columns = ["payload", *(["vector"] if vectors else [])]
        with self._reported():
            batches = await self._open.query().select(columns).to_batches(max_batch_length=_PAGE)
        async for batch in batches:
            if batch.num_rows:
                yield await self._worker.run(partial(rows.read, pa.Table.from_batches([batch])))

    async def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""
        with self._reported():
            found = (
                await self._open.query()
                .select(list(rows.DOCUMENT_VERSION))
                .limit(_EVERYTHING)
                .to_arrow()
            )

        def count() -> dict[str, DocumentState]:
            grouped = found.group_by(list(rows.DOCUMENT_VERSION)).aggregate([([], "count_all")])
            return states_from_rows(tuple(row.values()) for row in grouped.to_pylist())

        return await self._worker.run(count)

    async def count(self) -> int:
        """The number of records."""
        with self._reported():
            return int(await self._open.count_rows())

    async def aclose(self) -> None:
        """Tidy up after writes and let go of the table; calling it again does nothing."""
        if self._closed:
            return
        self._closed = True
        with self._reported():
            await self._tidy() if self._table is not None and self._commits else None
        for one in (self._table, self._connection):
            if one is not None:
                one.close()
        self._table = self._connection = None
        await self._worker.aclose(lambda: None)

    async def _existing(self, about: Mapping[str, Any], reset: bool) -> Any:
        """The table, or None if there is none, or was one that is to be made anew."""
        name = self._config.collection
        try:
            table = await self._connection.open_table(name)
        except ValueError as error:
            if "not found" not in str(error):
                raise
            return None
        found = ((await table.schema()).metadata or {}).get(b"hierdoc")
        if found is None:
            raise StoreError(
                f"lancedb: the table {name!r} in {self._uri} is not of hierdoc",
                hint="Choose another `collection`.",
            )
        if reset:
            await self._connection.drop_table(name)
            return None
        place = f"lancedb: the table {name!r}"
        require_manifest(json.loads(found), about, place, or_else="name another `collection`")
        return table

    @property
    def _open(self) -> Any:
        if self._closed:
            raise StoreError("lancedb: the index is closed", hint="Open it again.")
        if self._table is None:
            raise StoreError("lancedb: the index is not open", hint="Call `prepare` first.")
        return self._table

    def _about(self, spec: IndexSpec) -> dict[str, Any]:
        words = self._analyzer.fingerprint if self._config.hybrid else None
        return make_manifest(tables.SCHEMA_VERSION, spec, words=words)

    async def _write(self, records: Sequence[Record], replaced: Collection[str]) -> None:
        table = self._open
        if not records:
            return
        last = unique_records(records)
        data = await self._worker.run(partial(self._as_rows, last))
        merge = table.merge_insert("key").when_matched_update_all().when_not_matched_insert_all()
        if replaced:
            documents = [tag("source", source) for source in replaced]
            merge = merge.when_not_matched_by_source_delete(rows.one_of("document", documents))
        async with self._commit():
            await merge.execute(data)

    def _as_rows(self, records: Sequence[Record]) -> pa.Table:
        schema = rows.schema(self._spec.dimensions, json.dumps(self._about(self._spec)))
        vectors = unit_vectors(records, self._spec.dimensions)
        terms = [""] * len(records)
        if self._config.hybrid:
            terms = [" ".join(record_terms(one, self._analyzer).repeated()) for one in records]
        variants = [self._analyzer.variant(record.chunk.language) for record in records]
        return rows.table(records, vectors, terms, variants, schema)

    @asynccontextmanager
    async def _commit(self) -> AsyncIterator[None]:
        """One write at a time within this process, tidied up after every so many."""
        with self._reported():
            async with self._writing:
                yield
                await self._note()
                self._commits += 1
                if self._commits >= _TIDY_AFTER:
                    await self._tidy()

    async def _tidy(self) -> None:
        self._commits = 0
        kept = timedelta(seconds=max(self._config.retention, 0.001))
        await self._table.optimize(cleanup_older_than=kept)
        await self._note()

    async def _note(self, anew: Collection[str] = ()) -> None:
        """Note the checksums of new files, or else say why not: what was written is written all the same."""
        try:
            await self._worker.run(partial(self._seal.note, anew))
        except OSError as error:
            logger.warning("damage to new files of %s would not be noticed: %s", self._uri, error)

    async def _predicate(self, filter: Filter | None) -> str:
        return "" if filter is None else await self._worker.run(partial(rows.predicate, filter))

    async def _query_terms(self, text: str) -> Sequence[str]:
        with self._reported():
            version = await self._open.version()
            if self._variants[0] != version:
                found = await self._open.query().select(["variant"]).limit(_EVERYTHING).to_arrow()
                self._variants = (version, sorted(found["variant"].unique().to_pylist()))
        work = partial(self._analyzer.query_terms, text, self._variants[1])
        return await self._worker.run(work) if len(text) > 10_000 else work()

    async def _by_key(self, keys: Sequence[str], *, vectors: bool = False) -> list[Record]:
        columns = ["payload", *(["vector"] if vectors else [])]
        records: list[Record] = []
        for start in range(0, len(keys), _PAGE):
            some = rows.one_of("key", keys[start : start + _PAGE])
            with self._reported():
                asked = self._open.query().where(some).select(columns).limit(_PAGE)
                found = await asked.to_arrow()
            records += await self._worker.run(partial(rows.read, found))
        return records

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """Say it in hierdoc's terms when LanceDB or the file system fails."""
        try:
            yield
        except (OSError, RuntimeError, ValueError, pa.ArrowException) as error:
            text = str(error).strip().split("\n")[0][:300]
            if "conflict" in text.lower():
                raise IndexLockedError(
                    f"lancedb, {self._uri}: another process is writing to the table: {text}",
                    hint="Try again when it is done.",
                ) from error
            if self._table is not None and not self._place.exists():
                raise IndexDamagedError(
                    f"{self._place} is gone", hint="`hierdoc ingest` makes it anew."
                ) from error
            raise StoreError(
                f"lancedb, {self._uri}: {text}",
                hint=f"See to the folder's permissions and free space. {REBUILD}",
            ) from error
