"""Opens the backend under test: prepared, in a collection of its own, closed when the test ends."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from hierdoc.plugin import ComponentKind, IndexSpec
from hierdoc_testing.base import opening, require_complete
from hierdoc_testing.corpus import SPEC

OpenBackend = Callable[[str], Any]
"""Gives a new backend, not yet prepared, on the collection of this name."""


class Stores:
    """The backends that one test opens.

    Args:
        open_backend: The author's fixture.
        kind: What it opens.

    Attributes:
        collection: Where backends are opened unless another one is named; no other test uses it.
        spec: What they are prepared for.
    """

    def __init__(self, open_backend: OpenBackend, kind: ComponentKind | None = None) -> None:
        self.open_backend = open_backend
        self._kind = kind
        self._opened: list[Any] = []
        self.collection = new_collection()
        self.spec = SPEC

    def unprepared(self, collection: str | None = None) -> Any:
        """A new backend; the test prepares it."""
        with opening():
            backend = self.open_backend(collection or self.collection)
        self._opened.append(require_complete(backend, self._kind))
        return backend

    async def open(self, collection: str | None = None, spec: IndexSpec = SPEC) -> Any:
        """A new backend, prepared."""
        backend = self.unprepared(collection)
        with opening():
            await backend.prepare(spec)
        return backend

    async def reopen(self, backend: Any) -> Any:
        """Close a backend and open its collection again."""
        await backend.aclose()
        return await self.open()

    async def finish(self) -> None:
        """Close all that was opened."""
        for backend in self._opened:
            await backend.aclose()


def new_collection() -> str:
    """A name that no other test uses: lower-case letters, digits and underscores, 26 characters."""
    return f"hierdoc_test_{uuid.uuid4().hex[:13]}"
