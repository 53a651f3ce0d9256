"""A retriever of LangChain's over an index of hierdoc."""

from __future__ import annotations

import asyncio
from datetime import date
from typing import Any

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from hierdoc import Filter, Index, SearchResult

__all__ = ["HierdocRetriever"]


class HierdocRetriever(BaseRetriever):
    """Finds chunks as LangChain's documents.

        retriever = HierdocRetriever(index=Index.open("hierdoc.yaml"), k=5)
        retriever.invoke("reporting duties")

    A document's `page_content` is the chunk's text, its `id` the chunk's, and its `metadata` what `Hit.to_dict` has besides: source, parent
    chain, section, lines, pages, what is certain or ambiguous, the legs' ranks and scores, definitions, references, and why it was found.
    """

    model_config = ConfigDict(extra="forbid")  # else a misspelled argument changes nothing, unsaid

    index: Index
    """The index; the program closes it."""
    k: int = Field(default=10, ge=1, le=100)
    """How many chunks; `invoke(query, k=3)` goes before it."""
    mode: str | None = None
    """As for `Index.search`, like what follows."""
    filter: Filter | None = None
    where: str | None = None
    as_of: str | date | None = None
    expand: str | None = None

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        k: int | None = None,
        **given: Any,
    ) -> list[Document]:
        return _documents(self.index.search(query, **self._arguments(k, given)))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        k: int | None = None,
        **given: Any,
    ) -> list[Document]:
        arguments = self._arguments(k, given)
        return _documents(await asyncio.to_thread(self.index.search, query, **arguments))

    def _arguments(self, k: int | None, given: dict[str, Any]) -> dict[str, Any]:
        configured = {name: getattr(self, name) for name in _ARGUMENTS}
        return {"top_k": self.k if k is None else k, **configured, **given}


_ARGUMENTS = ("mode", "filter", "where", "as_of", "expand")


def _documents(result: SearchResult) -> list[Document]:
    made = []
    for hit in result.hits:
        fields = hit.to_dict(explain=True)
        content = fields.pop("content")
        made.append(Document(id=hit.chunk.id, page_content=content, metadata=fields))
    return made
