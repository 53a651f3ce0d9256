"""The tools: what HoloDeck's have, over an index of hierdoc."""

from __future__ import annotations

import asyncio
import glob
import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hierdoc import (
    ConfigError,
    Definition,
    DegradedError,
    Hit,
    Index,
    IndexDamagedError,
    IndexLockedError,
    IndexMismatchError,
    IngestReport,
    PluginError,
    QueryError,
    Reference,
    SearchResult,
    SourceError,
    StoreError,
)
from hierdoc.errors import HierdocError
from hierdoc.plugin import ComponentKind, Embedder, default_registry
from hierdoc_holodeck.loading import Surroundings
from hierdoc_holodeck.models import HierarchicalDocument, Vectorstore
from hierdoc_holodeck.translation import OnDegraded, Translation, translate

logger = logging.getLogger("hierdoc_holodeck")

T = TypeVar("T")
Vector = NDArray[np.float32]

_KEPT_VECTORS = 4096
"""Vectors of chunks that are kept for the next search."""

_SHOWN = 100
"""Characters of a definition under a result."""


class ValidationError(HierdocError, ValueError):
    """The source holds nothing that can be searched."""


@dataclass(frozen=True)
class Found:
    """A result of a search.

    Attributes:
        chunk_id: Of the chunk.
        content: Its text.
        fused_score: How similar query and chunk are, from 0 to 1: the cosine of their vectors, whatever the mode. It is 1 for the place
            that the query names for certain. None where the embedder cannot be asked.
        source_path: The document's name.
        parent_chain: Headings from the outermost to the section's own.
        section_id: The section; empty before the first heading.
        subsection_ids: Sections that begin in the chunk.
        semantic_score: The cosine from the semantic leg, if that saw the chunk.
        keyword_score: The keyword leg's score, if that saw the chunk.
        exact_match: Whether it stands in the one place that the query names.
        ambiguous: Whether it stands in one of several places that the query may as well name.
        definitions_context: Definitions of terms that the query uses.
        references: What the chunk refers to, resolved as far as the index has it.
        page_start, page_end: Pages, from 1; None where the format has none.
        why: What speaks for this result, in words.
    """

    chunk_id: str
    content: str
    fused_score: float | None
    source_path: str
    parent_chain: Sequence[str]
    section_id: str
    subsection_ids: Sequence[str] = ()
    semantic_score: float | None = None
    keyword_score: float | None = None
    exact_match: bool = False
    ambiguous: bool = False
    definitions_context: Sequence[Definition] = ()
    references: Sequence[Reference] = ()
    page_start: int | None = None
    page_end: int | None = None
    why: str = ""

    def format(self) -> str:
        """The result as HoloDeck hands it to a language model."""
        score = "unknown" if self.fused_score is None else f"{self.fused_score:.3f}"
        lines = [
            f"Score: {score} | Source: {self.source_path}",
            f"Location: {' > '.join(self.parent_chain) or 'Root'}",
        ]
        if self.section_id:
            lines.append(f"Section: {self.section_id}")
        lines += ["", self.content]
        if self.definitions_context:
            lines += ["", "Relevant definitions:"]
        for definition in self.definitions_context:
            text = definition.text
            shown = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
            lines.append(f"  - {definition.term}: {shown}")
        return "\n".join(lines)


class _Tool:
    """What both tools have: an index that is made ready once, and similarities on one scale."""

    _title: str

    def __init__(
        self,
        config: HierarchicalDocument | Vectorstore,
        around: Surroundings,
        on_degraded: OnDegraded,
    ) -> None:
        self.name = config.name
        self.description = config.description
        self.defer_loading = config.defer_loading
        self.is_initialized = False
        self.document_count = 0
        self._settings = config
        self._around = around
        self._on_degraded = on_degraded
        self._translation = translate(config, around, on_degraded=on_degraded)
        self._warnings: list[str] = []
        self._index: Index | None = None
        self._similarities: _Similarities | None = None
        for text in self._translation.warnings:
            self._warn(text)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the YAML asks for and is not there, has no effect, or was left out; each was logged too."""
        return tuple(self._warnings)

    def definition(self) -> dict[str, Any]:
        """What a language model is told of the tool."""
        return {
            "name": self.name,
            "description": self.description,
            "parameters": {
                "type": "object",
                "properties": {
                    "query": {"type": "string", "description": "Natural language search query"}
                },
                "required": ["query"],
            },
        }

    async def initialize(
        self,
        force_ingest: bool = False,
        progress_callback: Callable[[int, int | None], None] | None = None,
    ) -> None:
        """Bring the index up to date with the source: changed files are read again, vanished ones forgotten.

        Args:
            force_ingest: Read every file again, whether it changed or not.
            progress_callback: Called with the number of files done and of all files.

        Raises:
            FileNotFoundError: The source is not there.
            ValidationError: It holds no document that can be read.
            ConfigError: The index was made with another embedding model: `force_ingest` makes it anew.
            RuntimeError: Texts cannot be embedded.
            StoreError: The store cannot be reached, and the tool is not to go on in memory.
        """
        self._require_source()
        try:
            report = await self._ingested(self._translation, force_ingest, progress_callback)
        except IndexMismatchError as error:
            raise ConfigError(
                f"{self.name}: {error}", hint="Call initialize(force_ingest=True)."
            ) from error
        except (IndexDamagedError, IndexLockedError):
            raise
        except StoreError as error:
            may_fall_back = isinstance(self._settings, Vectorstore) or self._on_degraded == "warn"
            if self._translation.in_memory or not may_fall_back:
                raise
            provider = self._translation.config.vector.provider
            self._warn(
                f"Failed to connect to {provider}: {error}. Falling back to in-memory storage."
            )
            self._translation = translate(
                self._settings, self._around, on_degraded=self._on_degraded, in_memory=True
            )
            report = await self._ingested(self._translation, False, progress_callback)
        self._judge(report)
        self.document_count = report.chunks
        self.is_initialized = True

    async def aclose(self) -> None:
        """Let go of the index."""
        index, self._index = self._index, None
        self.is_initialized = False
        if index is not None:
            await asyncio.to_thread(index.close)

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()

    async def _ingested(
        self,
        translation: Translation,
        force: bool,
        progress: Callable[[int, int | None], None] | None,
    ) -> IngestReport:
        if self._index is None or self._index.config is not translation.config:
            await self.aclose()
            self._index = Index.open(translation.config)
            self._similarities = _Similarities(translation.config)
        loop = asyncio.get_running_loop()

        def told(done: int, total: int, name: str) -> None:
            if progress is not None:
                loop.call_soon_threadsafe(progress, done, total)

        try:
            return await asyncio.to_thread(self._index.ingest, force=force, progress=told)
        except SourceError as error:
            raise ValidationError(f"{self.name}: {error}", hint=error.hint) from error
        except (ConfigError, PluginError, StoreError):
            raise
        except HierdocError as error:
            raise RuntimeError(f"Failed to generate embeddings: {error}") from error

    def _judge(self, report: IngestReport) -> None:
        """Log what was left out; raise where nothing is left.

        Raises:
            RuntimeError: No document could be ingested.
        """
        for failure in report.failures:
            self._warn(f"skipped {failure.source}: {failure.error}")
        for note in report.notes:
            self._warn(note)
        if report.failures and not report.chunks:
            raise RuntimeError(f"no document could be ingested: {report.failures[0].error}")

    async def _found(self, query: str, top_k: int | None = None) -> SearchResult:
        """Search.

        Raises:
            RuntimeError: The tool is not ready, or no leg of the search could be run.
            ValueError: The query is empty, or `top_k` is not from 1 to 100.
        """
        if not self.is_initialized or self._index is None:
            raise RuntimeError(
                f"{self._title} must be initialized before search. Call initialize() first."
            )
        if not query or not query.strip():
            raise ValueError("Search query cannot be empty")
        try:
            result = await asyncio.to_thread(self._index.search, query, top_k=top_k)
        except QueryError as error:
            raise ValueError(str(error)) from error
        except DegradedError as error:
            raise RuntimeError(f"Failed to generate query embedding: {error}") from error
        for one in result.degraded:
            logger.warning("%s: searched without %s: %s", self.name, one.leg, one.reason)
        return result

    async def _scores(self, result: SearchResult) -> Sequence[float | None]:
        assert self._similarities is not None
        return await self._similarities.of(result)

    def _warn(self, text: str) -> None:
        logger.warning("%s: %s", self.name, text)
        if text not in self._warnings:
            self._warnings.append(text)

    def _require_source(self) -> None:
        source = self._translation.config.source[0]
        path = self._around.base / Path(source).expanduser()
        if not path.exists() and not glob.has_magic(source):
            raise FileNotFoundError(
                f"Source path does not exist: {path} (configured as: {self._settings.source})"
            )


class HierarchicalDocumentTool(_Tool):
    """A tool of `type: hierarchical_document`.

        tool = load_tool({"type": "hierarchical_document", "name": "laws", "description": "The laws", "source": "laws"})
        await tool.initialize()
        for result in await tool.search("Section 4(b)"):
            print(result.format())

    Attributes:
        name, description, defer_loading: As the YAML says.
        is_initialized: Whether it can be searched.
        document_count: How many chunks the index holds.
    """

    _title = "HierarchicalDocumentTool"

    def __init__(
        self,
        config: HierarchicalDocument,
        around: Surroundings,
        on_degraded: OnDegraded = "warn",
    ) -> None:
        super().__init__(config, around, on_degraded)
        self.config = config

    async def search(self, query: str, top_k: int | None = None) -> list[Found]:
        """The chunks that answer a query, best first; those below `min_score` left out.

        Args:
            query: A question, words, a citation, or a phrase in double quotes.
            top_k: How many, 1 to 100; as configured by default.

        Raises:
            RuntimeError: The tool is not ready, or no leg of the search could be run.
            ValueError: The query is empty, or `top_k` out of range.
        """
        result = await self._found(query, top_k or self.config.top_k)
        scores = await self._scores(result)
        least = self.config.min_score
        return [
            _found(hit, score)
            for hit, score in zip(result.hits, scores, strict=True)
            if least is None or score is None or score >= least
        ]

    async def get_context(self, query: str, max_tokens: int | None = None) -> str:
        """The results as one text for a language model.

        Args:
            query: As for `search`.
            max_tokens: How many tokens the text may have, a token taken to be three bytes: what does not fit is left out.

        Raises:
            RuntimeError, ValueError: As `search`.
        """
        results = await self.search(query)
        text = f"Context for query: {query}"
        written = 0
        for result in results:
            longer = f"{text}\n\n[{written + 1}] {result.format()}"
            if max_tokens is None or len(longer.encode()) <= 3 * max_tokens:
                text, written = longer, written + 1
        return text if written else f"No relevant context found for: {query}"

    def get_definition(self, term: str) -> dict[str, str] | None:
        """What the documents say that a term means, in any of its forms; None where they do not.

        Where documents define it differently, all of their texts, each with its document.
        """
        if self._index is None or not term.strip():
            return None
        found = self._index.define(term)
        texts = {one.text: one for one in found}
        if not texts:
            return None
        several = "\n".join(f"{text} ({one.source})" for text, one in texts.items())
        return {
            "term": found[0].term,
            "definition": found[0].text if len(texts) == 1 else several,
        }


class VectorStoreTool(_Tool):
    """A tool of `type: vectorstore`.

    Attributes:
        name, description, defer_loading: As the YAML says.
        is_initialized: Whether it can be searched.
        document_count: How many chunks the index holds.
    """

    _title = "VectorStoreTool"

    def __init__(
        self,
        config: Vectorstore,
        around: Surroundings,
        on_degraded: OnDegraded = "warn",
    ) -> None:
        super().__init__(config, around, on_degraded)
        self.config = config

    async def search(self, query: str) -> str:
        """The chunks that are nearest to a query in meaning, as a text.

        Raises:
            RuntimeError: The tool is not ready, or the query cannot be embedded.
            ValueError: The query is empty.
        """
        result = await self._found(query)
        scored = [
            (score or 0.0, hit)
            for hit, score in zip(result.hits, await self._scores(result), strict=True)
        ]
        scored.sort(key=lambda one: -one[0])
        if not scored:
            return f"No relevant results found for query: {query}"
        least = self.config.min_similarity_score
        near = [one for one in scored if least is None or one[0] >= least]
        if not near:
            return f"No results above similarity threshold {least}"
        return written(near)


def written(results: Sequence[tuple[float, Hit]]) -> str:
    """Scores and hits as HoloDeck's vectorstore writes them down."""
    lines = [f"Found {len(results)} result(s):", ""]
    for rank, (score, hit) in enumerate(results, start=1):
        lines += [
            f"[{rank}] Score: {score:.2f} | Source: {hit.chunk.source}",
            hit.chunk.text,
            "",
        ]
    return "\n".join(lines).rstrip()


class _Similarities:
    """The cosine of a query's vector and those of hits, whichever legs found them.

    The semantic leg's scores are such cosines. Of what it did not see, the texts are embedded again, as the index embedded them.
    """

    def __init__(self, config: Any) -> None:
        self._config = config.embedder
        self._embedder: Embedder | None = None
        self._vectors: OrderedDict[str, Vector] = OrderedDict()

    async def of(self, result: SearchResult) -> Sequence[float | None]:
        """From 0 to 1, hit by hit; 1 for one that is certain, None where the embedder fails."""
        known: dict[int, float | None] = {}
        for place, hit in enumerate(result.hits):
            if hit.certain:
                known[place] = 1.0
            elif "semantic" in hit.scores:
                known[place] = _bounded(hit.scores["semantic"].score)
        if any(one.leg == "semantic" for one in result.degraded):  # it has just been asked
            return [known.get(place) for place in range(len(result.hits))]
        lacking = [place for place in range(len(result.hits)) if place not in known]
        if lacking:
            try:
                cosines = await asyncio.to_thread(
                    asyncio.run, self._cosines(result.query, [result.hits[one] for one in lacking])
                )
            except (
                Exception
            ) as error:  # whatever the embedder raises: the search itself has done its work
                logger.warning("similarities are not known: %s", error)
                cosines = [None] * len(lacking)
            known.update(zip(lacking, cosines, strict=True))
        return [known[place] for place in range(len(result.hits))]

    async def _cosines(self, query: str, hits: Sequence[Hit]) -> Sequence[float | None]:
        embedder: Embedder = default_registry().open(ComponentKind.EMBEDDER, self._config)
        try:
            asked = await embedder.embed_query(query)
            new = [hit.chunk for hit in hits if hit.chunk.id not in self._vectors]
            if new:
                made = await embedder.embed_documents([chunk.indexed_text for chunk in new])
                self._vectors.update(zip((chunk.id for chunk in new), made, strict=True))
        finally:
            close = getattr(embedder, "aclose", None)
            if close is not None:
                await close()
        found = [_cosine(asked, self._vectors[hit.chunk.id]) for hit in hits]
        while len(self._vectors) > _KEPT_VECTORS:
            self._vectors.popitem(last=False)
        return found


def _cosine(one: Vector, other: Vector) -> float:
    lengths = float(np.linalg.norm(one)) * float(np.linalg.norm(other))
    return _bounded(float(one @ other) / lengths) if lengths else 0.0


def _bounded(score: float) -> float:
    return max(0.0, min(1.0, float(score)))


def _found(hit: Hit, score: float | None) -> Found:
    chunk = hit.chunk
    scores: Mapping[str, float] = {leg: one.score for leg, one in hit.scores.items()}
    return Found(
        chunk_id=chunk.id,
        content=chunk.text,
        fused_score=score,
        source_path=chunk.source,
        parent_chain=chunk.parent_chain,
        section_id=hit.section_id or "",
        subsection_ids=[section.id for section in chunk.sections],
        semantic_score=scores.get("semantic"),
        keyword_score=scores.get("keyword"),
        exact_match=hit.certain,
        ambiguous=hit.ambiguous,
        definitions_context=hit.definitions,
        references=hit.references,
        page_start=chunk.page_start,
        page_end=chunk.page_end,
        why=hit.why,
    )
