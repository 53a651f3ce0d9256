"""The vector backend: records and vectors in PostgreSQL, found by pgvector, and natively fused with BM25."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from psycopg import sql

from hierdoc import CapabilityError, Filter, Match, StoreError
from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    IndexSpec,
    Record,
    from_store_text,
    make_manifest,
    to_store_text,
    unit_query,
    unit_vectors,
)
from hierdoc_postgres import PostgresVectorConfig
from hierdoc_postgres import terms as words
from hierdoc_postgres.backend import PostgresBackend, Written
from hierdoc_postgres.database import Connection, Database
from hierdoc_postgres.filters import condition, digest
from hierdoc_postgres.tables import SCHEMA_VERSION, Tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PAGE = 256
"""Records in a page of `scan`; more where a document has more, but never more than the next."""

_LARGEST_PAGE = 5_000

_LOOKED_UP = 1_000
"""Ids that are asked for at a time."""

_AT_ONCE = 50
"""So many records are read on the event loop; more in a thread."""

_EXACT_UNTIL = 10_000
"""So many records are compared one by one, whatever index there is: it takes some 10 ms and misses nothing."""

_MOST_INDEXED = 2_000
"""Dimensions that pgvector's HNSW takes."""

_HNSW = "hierdoc_vector_hnsw"

_NEAREST = """
    SELECT row, id, distance FROM (
        SELECT row, id, {distance} AS distance FROM {chunks} WHERE {where}
        ORDER BY {distance} FETCH FIRST %s ROWS WITH TIES
    ) AS near ORDER BY distance, id LIMIT %s
"""

_HYBRID = """
    WITH {scored},
    semantic AS (
        SELECT row, id, row_number() OVER (ORDER BY distance, id) AS rank FROM ({nearest}) AS nearest
    ),
    keyword AS (
        SELECT row, id, row_number() OVER (ORDER BY score DESC, id) AS rank FROM (
            SELECT row, id, score FROM scored JOIN {chunks} USING (row) WHERE {where}
            ORDER BY score DESC FETCH FIRST %s ROWS WITH TIES
        ) AS best ORDER BY score DESC, id LIMIT %s
    )
    SELECT coalesce(semantic.id, keyword.id) AS found,
           coalesce(%s::float8 / (%s + semantic.rank), 0) + coalesce(%s::float8 / (%s + keyword.rank), 0) AS score
    FROM semantic FULL JOIN keyword USING (row) ORDER BY score DESC, found LIMIT %s
"""


class PostgresVectorBackend(PostgresBackend):
    """Records as JSON beside their vectors, compared by inner product of unit vectors, which is the cosine."""

    kind = "vector"
    own_columns = (("payload", "text"), ("vector", "bytea"))  # COPY takes a vector's own bytes

    def __init__(self, config: PostgresVectorConfig) -> None:
        settings = {
            "hnsw.ef_search": str(config.ef_search),
            "hnsw.iterative_scan": "strict_order",
        }
        super().__init__(Database.of(config, **settings), config.collection, config.language)
        self._config = config
        self._dimensions = 0
        self.capabilities = ALL_FILTERS | {
            Capability.ATOMIC_REPLACE,
            Capability.PERSISTENT,
            Capability.MULTI_PROCESS,
            *([Capability.NATIVE_HYBRID] if config.hybrid else []),
        }

    async def search(
        self, vector: NDArray[np.float32], limit: int, filter: Filter | None = None
    ) -> Sequence[Match]:
        """Up to `limit` matches by cosine similarity, best first, ties by chunk id.

        Where the approximate index gives fewer than `limit`, all vectors that the filter selects are compared.

        Raises:
            QueryError: The vector is not of the index's dimensions.
        """
        query = unit_query(vector, self._opened_dimensions)
        if limit < 1:
            return []
        exact = await self._is_exact(query)
        rows = await self._fetch(*self._nearest(query, limit, filter, exact=exact))
        if len(rows) < limit and not exact:
            rows = await self._fetch(*self._nearest(query, limit, filter, exact=True))
        found = [
            Match(from_store_text(chunk_id), min(1.0, max(-1.0, -distance)))
            for _, chunk_id, distance in rows
        ]
        return sorted(found, key=lambda match: (-match.score, match.chunk_id))

    async def hybrid_search(
        self,
        text: str,
        vector: NDArray[np.float32],
        limit: int,
        weights: Mapping[str, float],
        filter: Filter | None = None,
    ) -> Sequence[Match]:
        """Both legs in one statement, fused by reciprocal rank: the sum of weight / (rrf_k + rank).

        Args:
            text: For BM25.
            vector: float32 of shape [dimensions]; of length 0, the semantic leg finds nothing.
            limit: How many, and how many each leg contributes.
            weights: Of `semantic` and `keyword`.
            filter: Which records to consider.

        Raises:
            CapabilityError: The configuration says `hybrid: false`.
            ValueError: A leg has no weight.
        """
        if Capability.NATIVE_HYBRID not in self.capabilities:
            raise CapabilityError(
                "postgres: native hybrid search is switched off", hint="Set `hybrid: true`."
            )
        missing = {"semantic", "keyword"} - set(weights)
        if missing:
            raise ValueError(f"no weight for: {', '.join(sorted(missing))}")
        query = unit_query(vector, self._opened_dimensions)
        if limit < 1:
            return []
        found = await self._query_terms(text)
        where, filtered = condition(filter)
        near, near_parameters = self._nearest(
            query, limit if query.any() else 0, filter, exact=await self._is_exact(query)
        )
        statement = self._open.sql(
            _HYBRID,
            scored=words.scored(self._open.names),
            nearest=near,
            where=sql.SQL(where),
        )
        k = self._config.rrf_k
        rows = await self._fetch(
            statement,
            [
                *words.scored_parameters(found, self._config.k1, self._config.b),
                *near_parameters,
                *filtered,
                limit,
                limit,
                weights["semantic"],
                k,
                weights["keyword"],
                k,
                limit,
            ],
        )
        matches = [Match(from_store_text(chunk_id), score) for chunk_id, score in rows]
        return sorted(matches, key=lambda match: (-match.score, match.chunk_id))

    async def get(self, ids: Sequence[str], *, vectors: bool = False) -> Sequence[Record]:
        """Records by id, in the order asked for, unknown ids left out; with their vectors if asked."""
        found: dict[str, Record] = {}
        wanted = list(dict.fromkeys(ids))
        for start in range(0, len(wanted), _LOOKED_UP):
            keys = [digest("id", one) for one in wanted[start : start + _LOOKED_UP]]
            records = await self._records("key = ANY(%s::uuid[])", [keys], vectors=vectors)
            found |= {record.id: record for record in records}
        return [found[one] for one in ids if one in found]

    async def find(self, filter: Filter, limit: int) -> Sequence[Record]:
        """Up to `limit` records that the filter selects, by source and position in the document."""
        where, parameters = condition(filter)
        return await self._records(where, parameters, limit=max(limit, 0))

    async def scan(self, *, vectors: bool = False) -> AsyncIterator[Sequence[Record]]:
        """Every record once, in pages of whole documents, by source."""
        sizes = {source: state.records for source, state in (await self.documents()).items()}
        page: list[str] = []
        held = 0
        for number, source in enumerate(sorted(sizes), start=1):
            page.append(source)
            held += sizes[source]
            if held >= _PAGE or number == len(sizes):
                documents = [digest("source", one) for one in page]
                page, held = [], 0
                records = await self._records(
                    "document = ANY(%s::uuid[])", [documents], vectors=vectors
                )
                for start in range(0, len(records), _LARGEST_PAGE):
                    yield records[start : start + _LARGEST_PAGE]

    @property
    def _opened_dimensions(self) -> int:
        self._open  # noqa: B018 - raises where it is not open
        return self._dimensions

    def _tables_for(self, spec: IndexSpec) -> Tables:
        if self._config.index == "hnsw" and spec.dimensions > _MOST_INDEXED:
            raise StoreError(
                f"postgres: vectors of {spec.dimensions} dimensions are too long for an HNSW index",
                hint=f"It takes {_MOST_INDEXED}. Set `index: exact`, or use a smaller embedder.",
            )
        self._dimensions = spec.dimensions
        own = sql.SQL("payload text NOT NULL, vector vector({}) NOT NULL").format(
            sql.Literal(spec.dimensions)
        )
        words = {"words": self._analyzer.fingerprint} if self._config.hybrid else {}
        storable = IndexSpec(to_store_text(spec.embedder), spec.dimensions)
        made_for = make_manifest(SCHEMA_VERSION, storable, **words)
        return Tables(self._collection, self.kind, own, (), made_for)

    async def _after_prepare(self, connection: Connection, tables: Tables) -> None:
        """Make or drop the approximate index, as the configuration says now."""
        index = sql.Identifier(self._collection, _HNSW)
        cursor = await connection.execute(
            "SELECT 1 FROM pg_indexes WHERE schemaname = %s AND indexname = %s",
            (self._collection, _HNSW),
        )
        there = await cursor.fetchone() is not None
        async with connection.transaction():
            await connection.execute("SET LOCAL statement_timeout = 0")
            if there and self._config.index == "exact":
                await connection.execute(sql.SQL("DROP INDEX {}").format(index))
            elif not there and self._config.index == "hnsw":
                statement = """
                    CREATE INDEX IF NOT EXISTS {name} ON {chunks} USING hnsw (vector vector_ip_ops)
                    WITH (m = {m}, ef_construction = {ef})
                """
                connection.patience = math.inf  # of a large index it takes as long as it takes
                await connection.execute(
                    tables.sql(
                        statement,
                        name=sql.Identifier(_HNSW),
                        m=sql.Literal(self._config.m),
                        ef=sql.Literal(max(self._config.ef_construction, 2 * self._config.m)),
                    )
                )

    def _require_usable(self, records: Sequence[Record]) -> None:
        if records:
            unit_vectors(records, self._dimensions)

    def _written(self, records: Sequence[Record]) -> Sequence[Written]:
        vectors = unit_vectors(records, self._dimensions)
        return [
            Written(
                record,
                self._terms(record).counts if self._config.hybrid else Counter(),
                (record.to_json(), _packed(vector)),
            )
            for record, vector in zip(records, vectors, strict=True)
        ]

    async def _is_exact(self, query: NDArray[np.float32]) -> bool:
        """Whether all vectors are compared; an index has no way to the nearest of no direction."""
        if self._config.index == "exact" or not query.any():
            return True
        return await self.count() <= _EXACT_UNTIL

    def _nearest(
        self, query: NDArray[np.float32], limit: int, filter: Filter | None, *, exact: bool
    ) -> tuple[sql.Composed, list[Any]]:
        """The statement for the nearest, and its parameters; `exact` so that no index can serve it."""
        where, filtered = condition(filter)
        literal = sql.Literal("[" + ",".join(map(repr, query.tolist())) + "]")
        distance = sql.SQL("(vector <#> {}::vector)").format(literal)
        if exact:
            distance = sql.SQL("({} + 0)").format(distance)
        statement = self._open.sql(_NEAREST, distance=distance, where=sql.SQL(where))
        return statement, [*filtered, limit, limit]

    async def _records(
        self,
        where: str,
        parameters: Sequence[Any],
        *,
        limit: int | None = None,
        vectors: bool = False,
    ) -> list[Record]:
        statement = self._open.sql(
            "SELECT payload{vector} FROM {chunks} WHERE {where} ORDER BY source, ordinal, id LIMIT %s",
            vector=sql.SQL(", vector_send(vector)" if vectors else ""),
            where=sql.SQL(where),
        )
        rows = await self._fetch(statement, [*parameters, limit], binary=True)
        if len(rows) <= _AT_ONCE:
            return [_record(*row) for row in rows]
        return await self._worker.run(lambda: [_record(*row) for row in rows])


def _record(payload: str, vector: bytes | None = None) -> Record:
    if vector is None:
        return Record.from_json(payload)
    return Record.from_json(payload, np.frombuffer(vector, ">f4", offset=4).astype(np.float32))


def _packed(vector: NDArray[np.float32]) -> bytes:
    """Pgvector's binary form: dimensions and zero as 16 bits each, then the numbers, the largest byte first."""
    return len(vector).to_bytes(2, "big") + b"\0\0" + vector.astype(">f4").tobytes()
