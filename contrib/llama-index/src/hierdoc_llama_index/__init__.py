"""A retriever of LlamaIndex's over an index of hierdoc."""

from __future__ import annotations

import asyncio
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import (
    NodeRelationship,
    NodeWithScore,
    QueryBundle,
    RelatedNodeInfo,
    TextNode,
)

from hierdoc import Index, SearchResult

__all__ = ["HierdocRetriever"]

_FOR_A_MODEL = ("source", "parent_chain", "section_id", "page_start", "page_end")
"""Metadata that a language model gets with a text; the rest is for programs."""


class HierdocRetriever(BaseRetriever):
    """Finds chunks as LlamaIndex's nodes.

        retriever = HierdocRetriever(Index.open("hierdoc.yaml"), top_k=5)
        retriever.retrieve("reporting duties")

    A node's text is the chunk's, its `node_id` the chunk's id, its score the hit's, and its `metadata` what `Hit.to_dict` has besides: source,
    parent chain, section, lines, pages, what is certain or ambiguous, the legs' ranks and scores, definitions, references, and why it was found. A model gets
    of these the place.

    Args:
        index: The index; the program closes it.
        top_k: How many chunks.
        search: Further arguments of `Index.search`, such as `mode` or `where`.
        options: Arguments of LlamaIndex's base class, such as `callback_manager`.

    Raises:
        TypeError: `index` is something else, such as the path of a configuration.
    """

    def __init__(
        self,
        index: Index,
        *,
        top_k: int = 10,
        search: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        if not isinstance(index, Index):
            raise TypeError(f"an open index is needed, as `Index.open` gives it, not {index!r}")
        super().__init__(**options)
        self._index = index
        self._arguments = {**(search or {}), "top_k": top_k}

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return _nodes(self._index.search(query_bundle.query_str, **self._arguments))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        query = query_bundle.query_str
        return _nodes(await asyncio.to_thread(self._index.search, query, **self._arguments))


def _nodes(result: SearchResult) -> list[NodeWithScore]:
    made = []
    for hit in result.hits:
        fields = hit.to_dict(explain=True)
        content = fields.pop("content")
        hidden = [name for name in fields if name not in _FOR_A_MODEL]
        node = TextNode(
            id_=hit.chunk.id,
            text=content,
            metadata=fields,
            start_char_idx=hit.chunk.char_start,
            end_char_idx=hit.chunk.char_end,
            excluded_llm_metadata_keys=hidden,
            excluded_embed_metadata_keys=hidden,
            relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=hit.chunk.source)},
        )
        made.append(NodeWithScore(node=node, score=hit.score))
    return made
