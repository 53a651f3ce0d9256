"""What hierdoc is compared with: Haystack's in-memory store, and rank_bm25 with numpy put together by hand."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from common import skip
from numpy.typing import NDArray

from hierdoc import reciprocal_rank_fusion
from hierdoc.plugin import Record

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

try:
    from haystack import Document
    from haystack.components.joiners import DocumentJoiner
    from haystack.components.preprocessors import MarkdownHeaderSplitter
    from haystack.components.retrievers.in_memory import (
        InMemoryBM25Retriever,
        InMemoryEmbeddingRetriever,
    )
    from haystack.document_stores.in_memory import InMemoryDocumentStore
    from haystack.document_stores.types import DuplicatePolicy
    from rank_bm25 import BM25Okapi
except ImportError as error:
    skip(f"{error}; the dependency group `bench` brings what peers need")

CANDIDATES = 50
"""Chunks that each leg fetches, as hierdoc does by default."""

TOP_K = 10

_WORD = re.compile(r"\w+")


class Haystack:
    """BM25 and embedding retrievers over one in-memory store, joined by reciprocal rank fusion.

    Its components are called directly, which is a little faster than through a pipeline.
    """

    def __init__(self, records: Sequence[Record]) -> None:
        self._store = InMemoryDocumentStore()
        documents = [
            Document(id=one.id, content=one.text, embedding=_floats(one), meta=_meta(one))
            for one in records
        ]
        self._store.write_documents(documents)
        self._words = InMemoryBM25Retriever(self._store, top_k=CANDIDATES)
        self._vectors = InMemoryEmbeddingRetriever(self._store, top_k=CANDIDATES)
        self._joiner = DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=TOP_K)

    def hybrid(self, query: str, vector: NDArray[np.float32]) -> Sequence[str]:
        """Ids of the best chunks."""
        found = [
            self._words.run(query=query)["documents"],
            self._vectors.run(query_embedding=vector.tolist())["documents"],
        ]
        return [document.id for document in self._joiner.run(documents=found)["documents"]]

    def keyword(self, query: str) -> Sequence[str]:
        """Ids of the best chunks by BM25 alone."""
        found = self._words.run(query=query, top_k=TOP_K)["documents"]
        return [document.id for document in found]

    def semantic(self, vector: NDArray[np.float32]) -> Sequence[str]:
        """Ids of the best chunks by vector alone."""
        found = self._vectors.run(query_embedding=vector.tolist(), top_k=TOP_K)["documents"]
        return [document.id for document in found]


class RankBm25AndNumpy:
    """What a script of 20 lines does: rank_bm25 over split words, one matrix product, reciprocal rank fusion."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._ids = [record.id for record in records]
        self._words = BM25Okapi([words(record.text) for record in records])
        self._vectors = np.stack([_vector(record) for record in records])

    def hybrid(self, query: str, vector: NDArray[np.float32]) -> Sequence[str]:
        """Ids of the best chunks."""
        scores = [self._words.get_scores(words(query)), self._vectors @ vector]
        rankings = [
            [self._ids[i] for i in np.argsort(-one, kind="stable")[:CANDIDATES]] for one in scores
        ]
        return [chunk_id for chunk_id, _ in reciprocal_rank_fusion(rankings)[:TOP_K]]


def haystack_ingest(texts: Sequence[tuple[str, str]], vectors: NDArray[np.float32]) -> int:
    """Split markdown by headings, then by 500 words, and write it to an in-memory store; the number of chunks.

    Args:
        texts: Names and texts of documents.
        vectors: float32 of shape [n, d]: the chunks' embeddings, used in turn.
    """
    splitter = MarkdownHeaderSplitter(secondary_split="word", split_length=500)
    documents = [Document(content=text, meta={"source": name}) for name, text in texts]
    chunks = splitter.run(documents=documents)["documents"]
    lists = vectors.tolist()
    embedded = [replace(chunk, embedding=lists[i % len(lists)]) for i, chunk in enumerate(chunks)]
    store = InMemoryDocumentStore()
    written: int = store.write_documents(embedded, policy=DuplicatePolicy.OVERWRITE)
    return written


def words(text: str) -> list[str]:
    """Lower-case runs of word characters."""
    return _WORD.findall(text.lower())


def _vector(record: Record) -> NDArray[np.float32]:
    assert record.vector is not None
    return record.vector


def _floats(record: Record) -> list[float]:
    floats: list[float] = _vector(record).tolist()
    return floats


def _meta(record: Record) -> dict[str, Any]:
    return {"source": record.chunk.source, "headings": list(record.chunk.parent_chain)}
