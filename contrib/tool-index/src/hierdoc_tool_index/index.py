"""The index over tool definitions: the keyword search, embedder and fusion of documents, all in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from hierdoc import Analyzer, Match, load_config
from hierdoc.plugin import ComponentKind, Embedder, Fuser, SupportsClose, default_registry
from hierdoc.plugin.vectors import VectorMatrix, require_weights, unit_query
from hierdoc_in_memory.keyword import KeywordIndex
from hierdoc_tool_index.definitions import Definition, read_definition

Mode = Literal["hybrid", "semantic", "keyword"]

_WEIGHTS = {"semantic": 0.5, "keyword": 0.3}
"""Those of documents."""


@dataclass(frozen=True)
class FoundTool:
    """A tool that fits a request.

    Attributes:
        name: Of the tool.
        definition: As it was added.
        score: From 0 to 1, the best tool's being 1: comparable only within one search.
        scores: What each leg gave: cosine similarity (`semantic`), BM25 (`keyword`).
    """

    name: str
    definition: Any
    score: float
    scores: Mapping[str, float]


class ToolIndex:
    """The tools of an agent, searched by what a user asks for.

        index = ToolIndex()
        await index.add([{"name": "read_file", "description": "Read a file as text", "input_schema": {}}])
        await index.search("what is in notes.txt?")

    It may be changed at any time; a search sees whole changes. Its methods belong to one event loop.

    Args:
        embedder: What turns texts into vectors: a provider's name, or a mapping with its settings; None for words alone.
        fuser: What makes one ranking of two, likewise.
        weights: How much each leg counts in hybrid search, `semantic` and `keyword`.
        language: How words are stemmed: by the language of each definition, or always by one.

    Raises:
        ConfigError: There is no such embedder or fuser, or its settings are wrong.
        ValueError: A weight is missing or negative.
    """

    def __init__(
        self,
        *,
        embedder: str | Mapping[str, Any] | None = "static",
        fuser: str | Mapping[str, Any] = "adaptive",
        weights: Mapping[str, float] = _WEIGHTS,
        language: str = "auto",
    ) -> None:
        require_weights(weights)
        config = load_config({"fuser": fuser, **({"embedder": embedder} if embedder else {})})
        registry = default_registry()
        self._weights = weights
        self._fuser: Fuser = registry.open(ComponentKind.FUSER, config.fuser)
        self._embedder: Embedder | None = (
            registry.open(ComponentKind.EMBEDDER, config.embedder) if embedder else None
        )
        self._analyzer = Analyzer(language)
        self._keyword = KeywordIndex(language=language)
        self._matrix: VectorMatrix | None = None
        self._tools: dict[str, Definition] = {}
        self._rows: dict[str, int] = {}
        self._free: list[int] = []

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    @property
    def names(self) -> Collection[str]:
        """The names of all tools, as they were added."""
        return self._tools.keys()

    async def add(self, tools: Iterable[Any]) -> None:
        """Hold these tools; one of a name that is there is replaced.

        Args:
            tools: Definitions as OpenAI, Anthropic or MCP write them, mixed as you like.

        Raises:
            ValueError: One is no definition; nothing was added.
        """
        read = {one.name: one for one in map(read_definition, tools)}
        new = list(read.values())
        if self._embedder is not None and new:
            vectors = await self._embedder.embed_documents([one.text for one in new])
            if self._matrix is None:
                self._matrix = VectorMatrix(vectors.shape[1])
            for one, vector in zip(new, vectors, strict=True):
                unit = unit_query(vector, vectors.shape[1])
                self._matrix.put([self._row(one.name)], [one.name], unit[None])
        for one in new:
            self._keyword.add(one.name, one.text)
            self._tools[one.name] = one

    def remove(self, *names: str) -> None:
        """Forget tools; unknown names are no error."""
        for name in names:
            self._tools.pop(name, None)
            self._keyword.remove(name)
            row = self._rows.pop(name, None)
            if row is not None and self._matrix is not None:
                self._matrix.drop([row])
                self._free.append(row)

    async def search(
        self,
        request: str,
        *,
        top_k: int = 5,
        mode: Mode = "hybrid",
        threshold: float = 0.0,
        always: Collection[str] = (),
    ) -> list[FoundTool]:
        """The tools that a request needs, best first.

        Args:
            request: What the user asks for.
            top_k: How many at most, besides those that always come.
            mode: By meaning (`semantic`), by words (`keyword`), or both.
            threshold: From 0 to 1: leave out tools whose score is below this share of the best one's.
            always: Names of tools that come in any case, after the others, with what score they have; unknown ones are left out.

        Raises:
            ValueError: `top_k` is below 1, `threshold` outside 0 to 1, the mode unknown, or without an embedder not `keyword`.
        """
        if top_k < 1:
            raise ValueError(f"top_k is {top_k}; it is 1 at least")
        if not 0 <= threshold <= 1:
            raise ValueError(f"threshold is {threshold}; it is from 0 to 1")
        rankings = await self._rankings(request, mode)
        fused = self._fused(request, rankings, mode)
        best = fused[0].score if fused else 0.0
        kept = [one for one in fused[:top_k] if one.score > 0 and one.score >= threshold * best]
        names = {one.chunk_id for one in kept}
        kept += [one for one in fused if one.chunk_id in always and one.chunk_id not in names]
        names |= {one.chunk_id for one in kept}
        kept += [Match(one, 0.0) for one in self._tools if one in always and one not in names]
        by_leg = {
            leg: {one.chunk_id: one.score for one in ranking} for leg, ranking in rankings.items()
        }
        return [
            FoundTool(
                one.chunk_id,
                self._tools[one.chunk_id].given,
                max(0.0, one.score) / best if best > 0 else 0.0,
                {leg: scores[one.chunk_id] for leg, scores in by_leg.items() if one.chunk_id in scores},
            )
            for one in kept
        ]  # fmt: skip

    async def aclose(self) -> None:
        """Let go of the embedder."""
        if isinstance(self._embedder, SupportsClose):
            await self._embedder.aclose()

    async def _rankings(self, request: str, mode: str) -> dict[str, Sequence[Match]]:
        if mode not in ("hybrid", "semantic", "keyword"):
            raise ValueError(f"mode {mode!r} is none of hybrid, semantic, keyword")
        if self._embedder is None and mode != "keyword":
            raise ValueError(f"mode {mode!r} needs an embedder; without one there is `keyword`")
        rankings: dict[str, Sequence[Match]] = {}
        if not request.strip() or not self._tools:
            return rankings
        if mode != "keyword" and self._embedder is not None and self._matrix is not None:
            vector = await self._embedder.embed_query(request)
            unit = unit_query(vector, self._matrix.dimensions)
            rankings["semantic"] = self._matrix.search(unit, len(self._tools))
        if mode != "semantic":
            rankings["keyword"] = self._keyword.search(request, len(self._tools))
        return rankings

    def _fused(
        self, request: str, rankings: Mapping[str, Sequence[Match]], mode: str
    ) -> Sequence[Match]:
        if mode != "hybrid":
            return next(iter(rankings.values()), ())
        found = rankings.get("keyword")
        coverage = {"keyword": self._coverage(request, found[0].chunk_id)} if found else {}
        return self._fuser.fuse(rankings, self._weights, len(self._tools), coverage)

    def _coverage(self, request: str, name: str) -> float:
        """The share of the request's words that a definition has."""
        asked = set(self._analyzer.query_terms(request))
        held = set(self._analyzer.terms(self._tools[name].text))
        return len(asked & held) / len(asked) if asked else 0.0

    def _row(self, name: str) -> int:
        if name not in self._rows:
            self._rows[name] = self._free.pop() if self._free else len(self._rows)
        return self._rows[name]
