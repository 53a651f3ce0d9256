"""Other libraries' retrieval on the documents that hierdoc indexed, judged by the same rule; as far as they can be imported.

Each gets the documents' markdown, cuts it its own way (or takes hierdoc's chunks), and embeds with hierdoc's vectors where it
embeds. A passage is located in its document by its characters other than white space. It then gets the sections of hierdoc's
outline that it overlaps, with all that are around them, and goes before the judge that judges hierdoc's own: nobody needs
section ids.
"""

from __future__ import annotations

import importlib
import os
import re
from bisect import bisect_left
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hierdoc import Chunk, Document, reciprocal_rank_fusion
from hierdoc.structure import ChunkMaker, Piece

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

CANDIDATES = 50
"""Passages that each of two rankings contributes, as in hierdoc's defaults."""

TOP_K = 10

FIXED = (200, 20)
"""Words of a passage of fixed size, and how many of them the next one repeats."""

Vectors = NDArray[np.float32]
Embed = Callable[[Sequence[str]], Awaitable[Vectors]]
Ask = Callable[[str, Vectors], Sequence[int]]
"""A query and its vector, of shape [d], to the numbers of the best passages."""

_WORD = re.compile(r"\w+")
_LANGUAGES = {"en": "english", "de": "german"}


@dataclass(frozen=True)
class Peer:
    """A library that has been given the documents.

    Attributes:
        passages: What it retrieves, as the judge takes it.
        ask: Searches; numbers of passages.
        lost: Passages whose text was not found in their document, which can never be right.
    """

    passages: Sequence[Chunk]
    ask: Ask
    lost: int = 0


async def peers(
    documents: Sequence[Document], chunks: Sequence[Chunk], embed: Embed, language: str
) -> tuple[dict[str, Peer], list[str]]:
    """All that can be imported, by what they are called in tables, and what is missing.

    Args:
        documents: Understood.
        chunks: hierdoc's.
        embed: Makes vectors of texts.
        language: `en` or `de`, for stop words and stemmers.
    """
    found: dict[str, Peer] = {}
    missing: list[str] = []
    places = {one.source: ChunkMaker(one, references=False) for one in documents}
    fixed = [(one.source, text) for one in documents for text in _fixed(one.text)]
    for name, ranker in (("rank_bm25", _rank_bm25), ("bm25s", _bm25s)):
        try:
            importlib.import_module(name)
        except ImportError:
            missing.append(name)
            continue
        cut, lost = _placed(places, fixed)
        ask = ranker([text for _, text in fixed], language)
        found[f"{name}, fixed size"] = Peer(cut, ask, lost)
        ask = ranker([one.text for one in chunks], language)
        found[f"{name}, hierdoc's chunks"] = Peer(chunks, ask)
    for name, module, make in (
        ("Haystack", "haystack", _haystack),
        ("LlamaIndex", "llama_index.retrievers.bm25", _llama_index),
    ):
        try:
            importlib.import_module(module)
        except ImportError:
            missing.append(name)
            continue
        parts, ask = await make(documents, embed, language)
        cut, lost = _placed(places, parts)
        found[f"{name}, hybrid"] = Peer(cut, ask, lost)
    return found, missing


def _fixed(text: str) -> list[str]:
    words = [word.span() for word in re.finditer(r"\S+", text)]
    length, overlap = FIXED
    starts = range(0, max(1, len(words) - overlap), length - overlap)
    spans = [(words[at][0], words[min(at + length, len(words)) - 1][1]) for at in starts if words]
    return [text[start:end] for start, end in spans]


def _rank_bm25(texts: Sequence[str], language: str) -> Ask:
    """BM25Okapi over lower-case words, as its own page shows it."""
    from rank_bm25 import BM25Okapi

    held = BM25Okapi([_WORD.findall(text.lower()) for text in texts])

    def ask(query: str, vector: Vectors) -> Sequence[int]:
        scores = held.get_scores(_WORD.findall(query.lower()))
        return np.argsort(-scores, kind="stable")[:TOP_K].tolist()  # type: ignore[no-any-return]

    return ask


def _bm25s(texts: Sequence[str], language: str) -> Ask:
    """bm25s with stop words and a Snowball stemmer, as its own page shows it."""
    import bm25s
    import Stemmer

    options = {
        "stopwords": language,
        "stemmer": Stemmer.Stemmer(_LANGUAGES[language]),
        "show_progress": False,
    }
    held = bm25s.BM25()
    held.index(bm25s.tokenize(list(texts), **options), show_progress=False)

    def ask(query: str, vector: Vectors) -> Sequence[int]:
        tokens = bm25s.tokenize(query, return_ids=False, **options)
        found, _ = held.retrieve(tokens, k=min(TOP_K, len(texts)), show_progress=False)
        return found[0].tolist()  # type: ignore[no-any-return]

    return ask


async def _haystack(
    documents: Sequence[Document], embed: Embed, language: str
) -> tuple[list[tuple[str, str]], Ask]:
    """Its splitter at headings, then words; BM25 and vectors of its in-memory store, joined by reciprocal ranks."""
    from haystack import Document as HaystackDocument
    from haystack.components.joiners import DocumentJoiner
    from haystack.components.preprocessors import MarkdownHeaderSplitter
    from haystack.components.retrievers.in_memory import (
        InMemoryBM25Retriever,
        InMemoryEmbeddingRetriever,
    )
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    splitter = MarkdownHeaderSplitter(secondary_split="word", split_length=FIXED[0])
    whole = [HaystackDocument(content=one.text, meta={"source": one.source}) for one in documents]
    parts = [one for one in splitter.run(documents=whole)["documents"] if one.content.strip()]
    vectors = await embed([one.content for one in parts])
    store = InMemoryDocumentStore()
    store.write_documents(
        [
            replace(part, id=str(number), embedding=vector.tolist())
            for number, (part, vector) in enumerate(zip(parts, vectors, strict=True))
        ]
    )
    words = InMemoryBM25Retriever(store, top_k=CANDIDATES)
    meaning = InMemoryEmbeddingRetriever(store, top_k=CANDIDATES)
    joiner = DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=TOP_K)

    def ask(query: str, vector: Vectors) -> Sequence[int]:
        found = [
            words.run(query=query)["documents"],
            meaning.run(query_embedding=vector.tolist())["documents"],
        ]
        return [int(one.id) for one in joiner.run(documents=found)["documents"]]

    return [(one.meta["source"], one.content) for one in parts], ask


async def _llama_index(
    documents: Sequence[Document], embed: Embed, language: str
) -> tuple[list[tuple[str, str]], Ask]:
    """Its parser at headings, then sentences; its BM25 retriever and simple vector store, fused by reciprocal ranks."""
    import Stemmer
    from llama_index.core import Document as LlamaDocument
    from llama_index.core.node_parser import MarkdownNodeParser, SentenceSplitter
    from llama_index.core.schema import MetadataMode
    from llama_index.core.vector_stores import SimpleVectorStore, VectorStoreQuery
    from llama_index.retrievers.bm25 import BM25Retriever

    whole = [LlamaDocument(text=one.text, metadata={"source": one.source}) for one in documents]
    nodes: list[Any] = MarkdownNodeParser().get_nodes_from_documents(whole)
    nodes = [one for one in SentenceSplitter().get_nodes_from_documents(nodes) if one.text.strip()]
    vectors = await embed([one.get_content(MetadataMode.EMBED) for one in nodes])
    for number, (node, vector) in enumerate(zip(nodes, vectors, strict=True)):
        node.id_, node.embedding = str(number), vector.tolist()
    store = SimpleVectorStore()
    store.add(nodes)
    words = BM25Retriever.from_defaults(
        nodes=nodes,
        stemmer=Stemmer.Stemmer(_LANGUAGES[language]),
        language=language,
        similarity_top_k=min(CANDIDATES, len(nodes)),
    )

    def ask(query: str, vector: Vectors) -> Sequence[int]:
        near = VectorStoreQuery(query_embedding=vector.tolist(), similarity_top_k=CANDIDATES)
        found = [
            [one.node.node_id for one in words.retrieve(query)],
            store.query(near).ids or [],
        ]
        return [int(name) for name, _ in reciprocal_rank_fusion(found)[:TOP_K]]

    return [(one.metadata["source"], one.text) for one in nodes], ask


def _placed(
    places: Mapping[str, ChunkMaker], parts: Sequence[tuple[str, str]]
) -> tuple[list[Chunk], int]:
    """Passages as chunks with the names of the sections they overlap, and how many were not found."""
    made: list[Chunk] = []
    lost = 0
    finders = {source: _Finder(held.document.text) for source, held in places.items()}
    for source, text in parts:
        span = finders[source].find(text)
        if span is None:
            lost += 1
            made.append(Chunk(source, text, 0, 0, 1, 1))
        else:
            made.append(_chunk(places[source], *span))
    return made, lost


def _chunk(held: ChunkMaker, start: int, end: int) -> Chunk:
    chunk = held.chunk(Piece(start, end, start), held.common_section(start, end), 1)
    names = set(chunk.section_keys)
    last = bisect_left(held.starts, end)
    for index in {held.section_at(start), *range(bisect_left(held.starts, start), last)}:
        while index >= 0:
            names |= {held.sections[index].id, held.keys[index] or held.sections[index].id}
            index = held.parents[index]
    return replace(chunk, section_keys=tuple(sorted(names)))


class _Finder:
    """Finds passages of a text in turn, whatever became of its white space."""

    def __init__(self, text: str) -> None:
        self._offsets = [found.start() for found in re.finditer(r"\S", text)]
        self._solid = "".join(text.split())
        self._next = 0

    def find(self, passage: str) -> tuple[int, int] | None:
        """Where it begins and ends: at or after the one before, else anywhere."""
        solid = "".join(passage.split())
        at = self._solid.find(solid, self._next)
        if at < 0:
            at = self._solid.find(solid)
        if at < 0 or not solid:
            return None
        self._next = at + 1
        return self._offsets[at], self._offsets[at + len(solid) - 1] + 1
