"""A component of Haystack's over an index of hierdoc."""

from __future__ import annotations

import asyncio
from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict

from hierdoc import Index, SearchResult

__all__ = ["HierdocRetriever"]


@component
class HierdocRetriever:
    """Finds chunks as Haystack's documents, in pipelines with and without asyncio.

        pipeline.add_component("retriever", HierdocRetriever("hierdoc.yaml", top_k=5))

    A document's `content` is the chunk's text, its `id` the chunk's, its `score` the hit's, and its `meta` what `Hit.to_dict` has besides: source, parent chain,
    section, lines, pages, what is certain or ambiguous, the legs' ranks and scores, definitions, references, and why it was found. `degraded` says what the search
    had to do without, and `low_confidence` whether there is little evidence.

    Args:
        index: A configuration as `Index.open` takes it, by which the component can be saved with its pipeline; or an open index, which the program closes.
        top_k: How many chunks.
        mode: As for `Index.search`, like what follows.
        where: A filter as an expression over metadata.
        expand: What comes with each chunk.
    """

    def __init__(
        self,
        index: Index | str | dict[str, Any],
        top_k: int = 10,
        mode: str | None = None,
        where: str | None = None,
        expand: str | None = None,
    ) -> None:
        self.index = index
        self.top_k = top_k
        self.mode = mode
        self.where = where
        self.expand = expand
        self._opened: Index | None = index if isinstance(index, Index) else None

    def warm_up(self) -> None:
        """Open the index."""
        if self._opened is None and not isinstance(self.index, Index):
            self._opened = Index.open(self.index)

    def close(self) -> None:
        """Let go of the index, if the component has opened it."""
        if self._opened is not None and not isinstance(self.index, Index):
            self._opened.close()
            self._opened = None

    @component.output_types(documents=list[Document], degraded=list[str], low_confidence=bool)
    def run(self, query: str, top_k: int | None = None, where: str | None = None) -> dict[str, Any]:
        """Search.

        Args:
            query: A question, words, a citation or a phrase in double quotes.
            top_k: In place of the component's.
            where: In place of the component's.
        """
        return _outputs(self._index().search(query, **self._arguments(top_k, where)))

    @component.output_types(documents=list[Document], degraded=list[str], low_confidence=bool)
    async def run_async(
        self, query: str, top_k: int | None = None, where: str | None = None
    ) -> dict[str, Any]:
        """Search, without holding up the event loop; see `run`."""
        index, arguments = self._index(), self._arguments(top_k, where)
        return _outputs(await asyncio.to_thread(index.search, query, **arguments))

    def to_dict(self) -> dict[str, Any]:
        """The component as a pipeline saves it.

        Raises:
            ValueError: It was given an open index, which cannot be saved.
        """
        if isinstance(self.index, Index):
            raise ValueError("an open index cannot be saved: give HierdocRetriever a configuration")
        saved: dict[str, Any] = default_to_dict(
            self,
            index=self.index,
            top_k=self.top_k,
            mode=self.mode,
            where=self.where,
            expand=self.expand,
        )
        return saved

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> HierdocRetriever:
        """The component that was saved."""
        made: HierdocRetriever = default_from_dict(cls, data)
        return made

    def _index(self) -> Index:
        self.warm_up()
        assert self._opened is not None
        return self._opened

    def _arguments(self, top_k: int | None, where: str | None) -> dict[str, Any]:
        return {
            "top_k": self.top_k if top_k is None else top_k,
            "where": self.where if where is None else where,
            "mode": self.mode,
            "expand": self.expand,
        }


def _outputs(result: SearchResult) -> dict[str, Any]:
    made = []
    for hit in result.hits:
        fields = hit.to_dict(explain=True)
        content = fields.pop("content")
        made.append(Document(id=hit.chunk.id, content=content, meta=fields, score=hit.score))
    return {
        "documents": made,
        "degraded": [f"{one.leg}: {one.reason}" for one in result.degraded],
        "low_confidence": result.low_confidence,
    }
