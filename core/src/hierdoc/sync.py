"""A synchronous face: the same `Index`, without `await`.

All indexes share one thread with one event loop, so a program without asyncio pays for it once, and one with asyncio may still call this
from other threads.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from hierdoc import index as asynchronous
from hierdoc.config import Config
from hierdoc.filters import Filter
from hierdoc.models import Chunk, Definition, Hit, SearchResult, Section
from hierdoc.protocols import KeywordBackend
from hierdoc.records import DocumentState
from hierdoc.registry import Registry
from hierdoc.reports import IngestReport
from hierdoc.search import LegResults

T = TypeVar("T")


class Index:
    """`hierdoc.Index` for programs without asyncio; see there for what each method does and raises."""

    def __init__(self, index: asynchronous.Index) -> None:
        self._index = index

    @classmethod
    def open(
        cls,
        config: str | Path | Mapping[str, Any] | Config | None = None,
        *,
        source: str | Path | Sequence[str | Path] | None = None,
        registry: Registry | None = None,
    ) -> Index:
        """The index of a configuration; use it with `with`, or call `close`."""
        return cls(asynchronous.Index.open(config, source=source, registry=registry))

    @property
    def config(self) -> Config:
        """The configuration it was opened with."""
        return self._index.config

    @property
    def persistent(self) -> bool:
        """Whether what is ingested outlives this process."""
        return self._index.persistent

    def check(self, query: str, *, top_k: int | None = None, mode: str | None = None) -> None:
        """Raise as `search` would for these arguments, before anything is read."""
        self._index.check(query, top_k=top_k, mode=mode)

    def ingest(
        self, *, force: bool = False, progress: Callable[[int, int, str], None] | None = None
    ) -> IngestReport:
        """Bring the index up to date with the source."""
        return _run(self._index.ingest(force=force, progress=progress))

    def search(
        self,
        query: str,
        *,
        top_k: int | None = None,
        mode: str | None = None,
        filter: Filter | None = None,
        expand: str | None = None,
    ) -> SearchResult:
        """The passages that answer a query, best first."""
        return _run(self._index.search(query, top_k=top_k, mode=mode, filter=filter, expand=expand))

    def search_legs(self, query: str, *, candidates: int) -> LegResults:
        """What each leg of a hybrid search finds, before fusion."""
        return _run(self._index.search_legs(query, candidates=candidates))

    def chunks(self) -> Sequence[Chunk]:
        """Every passage that the index holds."""
        return _run(self._index.chunks())

    def fill(self, keyword: KeywordBackend) -> None:
        """Make another keyword backend hold what this index holds."""
        _run(self._index.fill(keyword))

    def remove(self, *sources: str) -> None:
        """Remove documents from the index."""
        _run(self._index.remove(*sources))

    def outline(self, source: str) -> tuple[Section, ...]:
        """The section tree of an ingested document."""
        return _run(self._index.outline(source))

    def section(self, reference: str) -> Sequence[Hit]:
        """The text of a section, by citation or heading."""
        return _run(self._index.section(reference))

    def citing(self, reference: str, limit: int = 50) -> Sequence[Hit]:
        """The passages that cite a section or a document."""
        return _run(self._index.citing(reference, limit))

    def define(self, term: str) -> Sequence[Definition]:
        """What the documents say that a term means."""
        return _run(self._index.define(term))

    def documents(self) -> Mapping[str, DocumentState]:
        """What the index holds of every document, by name."""
        return _run(self._index.documents())

    def count(self) -> int:
        """How many chunks the index holds."""
        return _run(self._index.count())

    def close(self) -> None:
        """Let go of all that the index holds; calling it again does nothing."""
        _run(self._index.aclose())

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _run(work: Coroutine[Any, Any, T]) -> T:
    future = asyncio.run_coroutine_threadsafe(work, _loop())
    try:
        return future.result()
    except BaseException:  # Ctrl-C reaches this thread only: stop the work, and wait until it has
        if future.cancel():
            _settle()
        raise


def _settle() -> None:
    """Wait until tasks cancelled just now have ended."""

    async def others() -> None:
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        await asyncio.wait(tasks, timeout=10) if tasks else None

    asyncio.run_coroutine_threadsafe(others(), _loop()).result()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="hierdoc", daemon=True).start()
    return loop
