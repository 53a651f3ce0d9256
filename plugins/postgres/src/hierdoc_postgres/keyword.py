"""The keyword backend: BM25 over postings, and phrases by tsvector."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from psycopg import sql

from hierdoc import Filter, Match
from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    IndexSpec,
    Record,
    from_store_text,
    make_manifest,
)
from hierdoc_postgres import PostgresKeywordConfig
from hierdoc_postgres import terms as words
from hierdoc_postgres.backend import PostgresBackend, Written
from hierdoc_postgres.database import Database
from hierdoc_postgres.filters import condition
from hierdoc_postgres.tables import SCHEMA_VERSION, Tables

_SEARCH = """
    WITH {scored}
    SELECT id, score FROM (
        SELECT row, id, score FROM scored JOIN {chunks} USING (row) WHERE {where}
        ORDER BY score DESC FETCH FIRST %s ROWS WITH TIES
    ) AS best ORDER BY score DESC, id LIMIT %s
"""

_PHRASE = """
    SELECT id, (%s::float8 * count * (%s + 1) / (count + %s * (1 - %s + %s * length / mean)))::float4 AS score
    FROM (
        SELECT id, length, mean, ts_rank_cd('{{1, 1, 1, 1}}', lexemes, %s::tsquery)::float8 AS count
        FROM {chunks}, (
            SELECT greatest(words, 1)::float8 / greatest(chunks, 1) AS mean FROM {manifest}
        ) AS stats
        WHERE lexemes @@ %s::tsquery AND {where}
    ) AS counted ORDER BY score DESC, id LIMIT %s
"""
"""With all weights 1, `ts_rank_cd` of a phrase is how often it occurs."""


class PostgresKeywordBackend(PostgresBackend):
    """Terms in tables of their own, beside or without the vector backend of the same collection."""

    kind = "keyword"
    own_columns = (("lexemes", "bytea"),)  # COPY takes a tsvector's own bytes
    capabilities = ALL_FILTERS | {
        Capability.ATOMIC_REPLACE,
        Capability.PHRASES,
        Capability.PERSISTENT,
        Capability.MULTI_PROCESS,
    }

    def __init__(self, config: PostgresKeywordConfig) -> None:
        super().__init__(Database.of(config), config.collection, config.language)
        self._k1, self._b = config.k1, config.b

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Sequence[Match]:
        """Up to `limit` matches by BM25; a filter does not change their scores."""
        found = await self._query_terms(text)
        where, filtered = condition(filter)
        if not found or limit < 1:
            return []
        statement = self._open.sql(
            _SEARCH,
            scored=words.scored(self._open.names),
            where=sql.SQL(where),
        )
        return await self._matches(
            statement,
            [*words.scored_parameters(found, self._k1, self._b), *filtered, limit, limit],
        )

    async def search_phrase(
        self, phrase: str, limit: int, filter: Filter | None = None
    ) -> Sequence[Match]:
        """Chunks in which the phrase's words follow each other, scored by BM25 as one term whose idf is the sum of theirs."""
        ((variants, total),) = await self._fetch(
            self._open.sql("SELECT variants, chunks FROM {manifest}")
        )
        where, filtered = condition(filter)
        best: dict[str, float] = {}
        for terms in sorted({tuple(self._analyzer.phrase_terms(phrase, one)) for one in variants}):
            if not terms or limit < 1:
                continue
            query = words.phrase_query(terms)
            statement = self._open.sql(_PHRASE, where=sql.SQL(where))
            k1, b = self._k1, self._b
            idf = await self._idf(terms, total)
            parameters = [idf, k1, k1, b, b, query, query, *filtered, limit]
            for match in await self._matches(statement, parameters):
                best[match.chunk_id] = max(match.score, best.get(match.chunk_id, 0.0))
        found = sorted(best.items(), key=lambda one: (-one[1], one[0]))
        return [Match(chunk_id, score) for chunk_id, score in found[:limit]]

    async def _idf(self, terms: Sequence[str], total: int) -> float:
        statement = self._open.sql(
            "SELECT term, count(*) FROM {postings} WHERE term = ANY(%s::bigint[]) GROUP BY term"
        )
        numbers = [words.number(term) for term in terms]
        counts = dict(await self._fetch(statement, (list(set(numbers)),)))
        return sum(
            math.log1p((total - counts.get(one, 0) + 0.5) / (counts.get(one, 0) + 0.5))
            for one in numbers
        )

    async def _matches(self, statement: Any, parameters: Sequence[Any]) -> list[Match]:
        rows = await self._fetch(statement, parameters)
        found = [Match(from_store_text(chunk_id), float(score)) for chunk_id, score in rows]
        return sorted(found, key=lambda match: (-match.score, match.chunk_id))

    def _tables_for(self, spec: IndexSpec) -> Tables:
        return Tables(
            self._collection,
            self.kind,
            sql.SQL("lexemes tsvector NOT NULL"),
            ("CREATE INDEX ON {chunks} USING gin (lexemes)",),
            make_manifest(SCHEMA_VERSION, words=self._analyzer.fingerprint),
        )

    def _written(self, records: Sequence[Record]) -> Sequence[Written]:
        analysed = [(record, self._terms(record)) for record in records]
        return [
            Written(record, terms.counts, (words.lexemes(terms.text),))
            for record, terms in analysed
        ]
