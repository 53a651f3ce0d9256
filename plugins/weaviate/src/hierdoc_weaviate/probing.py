"""Whether a Weaviate finds by BM25 what was just written.

While words are in its memory, versions before the one that mends it leave out documents that would be the best once so many others are
found as are asked for (pull request 11780 of Weaviate). No interface tells how long words stay there, so it is tried.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from uuid import uuid4

from hierdoc import StoreError
from hierdoc.plugin import make_manifest
from hierdoc_weaviate import WeaviateConfig
from hierdoc_weaviate.connection import Connection
from hierdoc_weaviate.corpus import Corpus
from hierdoc_weaviate.objects import SCHEMA, WORDS, chunk_id_of
from hierdoc_weaviate.protocol import base_search_pb2, batch_pb2

PATIENCE = 5.0
"""Seconds after which words are said to stay in memory."""

_OTHERS = 300
"""Documents that have one of the two words: so many that Weaviate leaves out what it takes for worse."""

_PAUSE = 0.25


async def find_fault(connection: Connection, config: WeaviateConfig) -> str | None:
    """What to know about searches soon after an ingest, in a sentence; None where they find the best.

    A collection is made, with a name that begins with that of the configuration, and dropped.
    """
    name = f"{config.collection[:60]}_probe{uuid4().hex[:8]}"
    corpus = Corpus(
        connection, config.model_copy(update={"collection": name, "tenant": None}), "keyword"
    )
    try:
        try:
            nothing = {"vectorizer": "none", "vectorIndexConfig": {"skip": True}}
            await corpus.prepare(make_manifest(SCHEMA), nothing, reset=False)
            await corpus.write([_object(best=not place) for place in range(_OTHERS + 1)])
            end = time.monotonic() + PATIENCE
            while not await _finds_best(corpus):
                if time.monotonic() > end:
                    return (
                        "BM25 leaves the best matches out while their words are in the server's memory; set "
                        "PERSISTENCE_MEMTABLES_FLUSH_DIRTY_AFTER_SECONDS=1 on the server, or search a minute after an ingest"
                    )
                await asyncio.sleep(_PAUSE)
        finally:
            with suppress(StoreError):
                await corpus.drop()
    except StoreError as error:
        return f"whether BM25 finds what was just written could not be tried: {error}"
    return None


def _object(*, best: bool) -> batch_pb2.BatchObject:
    made = batch_pb2.BatchObject(uuid=str(uuid4()))
    words = ["common", *(["rare"] * 5 if best else ["other"])]
    made.properties.non_ref_properties.update(
        {"chunk_id": "best" if best else "other", WORDS: " ".join(words)}
    )
    return made


async def _finds_best(corpus: Corpus) -> bool:
    query = base_search_pb2.BM25(query="common rare", properties=[WORDS])
    hits = await corpus.search(["chunk_id"], 1, bm25_search=query)
    return [chunk_id_of(hit) for hit in hits] == ["best"]
