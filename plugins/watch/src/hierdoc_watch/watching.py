"""What is watched, which changes matter, and the ingests that follow them."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hierdoc.errors import HierdocError
from hierdoc.index import AsyncIndex
from hierdoc.ingest.report import IngestReport
from hierdoc.plugin import ComponentKind

if TYPE_CHECKING:
    from hierdoc.config.models import Config

_WILDCARD = re.compile(r"[*?\[]")
_LEFT_OUT = ("__pycache__", "node_modules")

_LONGEST = 60_000
"""Milliseconds after which an ingest begins though changes go on."""


class Watcher:
    """Ingests of one configuration, the first at once and the others after changes; use it with `async with`.

    Args:
        config: Whose source is watched.
        progress: As for `Index.ingest`.
        quiet: Milliseconds without a change after which an ingest begins: editors save in several steps.
    """

    def __init__(
        self,
        config: Config,
        progress: Callable[[int, int, str], None] | None = None,
        quiet: int = 500,
    ) -> None:
        self._config = config
        self._progress = progress
        self._quiet = quiet
        self._index = AsyncIndex.open(config)

    async def reports(self) -> AsyncGenerator[IngestReport | HierdocError, None]:
        """What each ingest did; of later ones only those that changed something or failed.

        An ingest that fails as a whole is no end: the source may be back with the next change, and another process done with the index.

        Raises:
            HierdocError: Already the first ingest failed.
        """
        from watchfiles import awatch

        roots = watched(self._config.source, self._config.base)
        matters = Relevance(roots, stores(self._config))
        changes = awatch(
            *(one for one in roots if one.exists()),
            watch_filter=lambda change, path: matters(path),
            debounce=_LONGEST,
            step=self._quiet,
        )
        # It watches from now on, so that no change falls between an ingest and the wait for the next.
        following = asyncio.ensure_future(changes.__anext__())
        await asyncio.sleep(0)
        try:
            yield await self._index.ingest(progress=self._progress)
            while await _came(following):
                following = asyncio.ensure_future(changes.__anext__())
                try:
                    report = await self._index.ingest(progress=self._progress)
                except HierdocError as error:
                    yield error
                    continue
                if report.added or report.updated or report.removed or report.failures:
                    yield report
        finally:
            following.cancel()
            with suppress(asyncio.CancelledError, StopAsyncIteration):
                await following

    async def __aenter__(self) -> Watcher:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._index.aclose()


async def _came(changes: asyncio.Future[Any]) -> bool:
    """Whether there was a change; the watch may also end."""
    try:
        await changes
    except StopAsyncIteration:
        return False
    return True


class Relevance:
    """Whether a change may concern a document.

    Args:
        roots: What is watched.
        own: Folders and files of the index: an ingest changes them itself.
    """

    def __init__(self, roots: Collection[Path], own: Collection[Path]) -> None:
        self._roots = sorted((str(one) for one in roots), key=len, reverse=True)
        self._own = [str(one) for one in own]

    def __call__(self, path: str) -> bool:
        """Whether the change of this path counts."""
        if any(_within(path, one) for one in self._own):
            return False
        root = next((one for one in self._roots if _within(path, one)), None)
        below = () if root is None else Path(path).relative_to(root).parts
        return not any(part.startswith(".") or part in _LEFT_OUT for part in below)


def watched(sources: Sequence[str], base: Path) -> list[Path]:
    """The folders that hold the sources: of a glob what stands before its first wildcard, of a file its folder, since editors replace files."""
    found: dict[Path, None] = {}
    for source in sources:
        path = base / Path(source).expanduser()
        if not path.exists():
            parts = path.parts
            wild = next((i for i, part in enumerate(parts) if _WILDCARD.search(part)), len(parts))
            path = Path(*parts[:wild])
        found[path.resolve() if path.is_dir() else path.resolve().parent] = None
    return [one for one in found if not any(one != other and _within(str(one), str(other)) for other in found)]  # fmt: skip


def stores(config: Config) -> list[Path]:
    """The paths that components of a configuration name, such as the folder of the index."""
    named: list[Any] = []
    for kind in ComponentKind:
        component = config.component(kind)
        if component is not None:
            named += [getattr(component, name) for name in type(component).model_fields]
    return [one.resolve() for one in named if isinstance(one, Path)]


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
