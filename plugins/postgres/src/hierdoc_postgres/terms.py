"""Words in tables: what is written of a text, and BM25 over it in SQL.

A posting says how often a chunk has a term and how many terms the chunk has, so that BM25 reads one index and nothing else:

    idf(t) = ln(1 + (N - df + 0.5) / (df + 0.5))
    score  = sum of idf(t) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean length))

A term is known by 64 bits of its digest. Phrases need the places of words: for these the keyword backend keeps a tsvector too.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

from psycopg import sql

_LAST_PLACE = 16_383
_MOST_PLACES = 255
_LARGEST = 900_000
"""Bytes: PostgreSQL takes no tsvector of a megabyte or more."""

SCORED = """
    stats AS (
        SELECT chunks::float8 AS total, greatest(words, 1)::float8 / greatest(chunks, 1) AS mean FROM {manifest}
    ),
    weighted AS MATERIALIZED (
        SELECT wanted.term, wanted.weight * ln(1 + (total - df + 0.5) / (df + 0.5)) AS weight
        FROM stats, unnest(%s::bigint[], %s::float8[]) AS wanted (term, weight),
             LATERAL (SELECT count(*) AS df FROM {postings} AS one WHERE one.term = wanted.term) AS counted
        WHERE df > 0
    ),
    scored AS (
        SELECT one.row, sum(
            weight * frequency * (%s::float8 + 1)
            / (frequency + %s::float8 * (1 - %s::float8 + %s::float8 * length / mean))
        )::float4 AS score
        FROM stats, weighted JOIN {postings} AS one USING (term)
        GROUP BY one.row
    )
"""
"""Parts of a WITH clause: `scored` has rows and scores; as float4, so that the order of adding does not part equal chunks."""


@lru_cache(maxsize=262_144)
def number(term: str) -> int:
    """The 64 bits that stand for a term."""
    key = term.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(key, digest_size=8).digest(), "big", signed=True)


def scored(names: dict[str, sql.Composable]) -> sql.Composed:
    """`SCORED` over these tables; its parameters are those of `scored_parameters`."""
    return sql.SQL(SCORED).format(**names)


def scored_parameters(terms: Sequence[str], k1: float, b: float) -> list[object]:
    """What `SCORED` takes for the terms of a query; a term that is there twice counts twice."""
    counts = Counter(map(number, terms))
    return [list(counts), [float(count) for count in counts.values()], k1, k1, b, b]


def postings(row: int, counts: Counter[str]) -> str:
    """Lines for COPY: term, row, frequency, length."""
    length = counts.total()
    return "".join(f"{number(term)}\t{row}\t{count}\t{length}\n" for term, count in counts.items())


def lexemes(terms: Sequence[str]) -> bytes:
    """A tsvector in the binary form that COPY takes; without places, and last without terms, where it would be too large."""
    places: dict[str, list[int]] = {}
    for place, term in enumerate(terms, start=1):
        places.setdefault(term, []).append(place)
    parts, size = [], 0
    for term, at in places.items():
        kept = [place for place in at[:_MOST_PLACES] if place <= _LAST_PLACE]
        word = term.encode("utf-8", "replace")
        size += len(word) + 2 * len(kept) + 8
        if size > _LARGEST:
            break
        parts.append(word + b"\0" + struct.pack(f">H{len(kept)}H", len(kept), *kept))
    return struct.pack(">i", len(parts)) + b"".join(parts)


def phrase_query(terms: Sequence[str]) -> str:
    """A tsquery for terms that follow each other, as text for a parameter."""
    quoted = [term.replace("\\", "\\\\").replace("'", "''") for term in terms]
    return " <-> ".join(f"'{term}'" for term in quoted)
