"""Pages of PDF files as pictures, drawn in a process of their own: a damaged file can end that, and not the server."""

from __future__ import annotations

import asyncio
import hashlib
import io
from collections import OrderedDict
from dataclasses import dataclass

from hierdoc.errors import ConversionError
from hierdoc.models import Document, Source
from hierdoc.plugin import ConversionLimits, ConversionPool

WIDTH = 1_000
"""Pixels that a picture is wide."""

_TALLEST = 4_000
_MOST_BYTES = 200_000_000
_MOST_KEPT = 64
_MOST_WAITING = 50

SECONDS = 30
"""That a page may take to be drawn."""

_Key = tuple[str, int]
"""A digest of the file, and the page."""


@dataclass(frozen=True)
class Sheet(Source):
    """A page of a file that is to be drawn, from 1."""

    page: int = 1


@dataclass(frozen=True)
class Drawing(Document):
    """A drawn page, as PNG."""

    png: bytes = b""


def draw(source: Source) -> Document:
    """The picture of a page.

    Raises:
        ConversionError: The file has no such page, or it cannot be drawn.
    """
    import pypdfium2  # type: ignore[import-untyped]

    assert isinstance(source, Sheet)
    try:
        opened = pypdfium2.PdfDocument(source.data)
        if not 1 <= source.page <= len(opened):
            raise ConversionError(
                f"{source.name}: has {len(opened):,} pages, and not {source.page:,}"
            )
        page = opened[source.page - 1]
        width, height = page.get_size()
        scale = min(WIDTH / max(width, 1.0), _TALLEST / max(height, 1.0))
        stream = io.BytesIO()
        page.render(scale=scale).to_pil().save(stream, "PNG")
    except pypdfium2.PdfiumError as error:
        raise ConversionError(
            f"{source.name}: page {source.page} cannot be drawn: {error}"
        ) from None
    return Drawing(source.name, "", "", png=stream.getvalue())


class Pictures:
    """Draws pages, each once however many ask for it, and remembers the last of them."""

    def __init__(self) -> None:
        self._pool = ConversionPool(
            draw, ConversionLimits(processes=1, seconds=SECONDS, memory_mib=1_024)
        )
        self._kept: OrderedDict[_Key, bytes] = OrderedDict()
        self._drawing: dict[_Key, asyncio.Task[bytes]] = {}

    async def picture(self, source: Source, page: int) -> bytes:
        """A page of a file, as PNG; who waits no longer finds it when asking again.

        Args:
            source: The file.
            page: Which page, from 1.

        Raises:
            ConversionError: It cannot be drawn.
        """
        if len(source.data) > _MOST_BYTES:
            raise ConversionError(f"{source.name}: is too large to be shown page by page")
        digest = await asyncio.to_thread(lambda: hashlib.sha256(source.data).hexdigest())
        key = (digest, page)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        if key not in self._drawing:
            if len(self._drawing) >= _MOST_WAITING:
                raise ConversionError(f"{source.name}: too many pages are being drawn already")
            task = asyncio.create_task(self._draw(key, source))
            task.add_done_callback(_looked_at)
            self._drawing[key] = task
        return await asyncio.shield(self._drawing[key])

    async def _draw(self, key: _Key, source: Source) -> bytes:
        try:
            drawn = await self._pool.convert(Sheet(source.name, source.data, None, key[1]))
        finally:
            del self._drawing[key]
        assert isinstance(drawn, Drawing)
        self._kept[key] = drawn.png
        while len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return drawn.png

    async def aclose(self) -> None:
        """End the process, and what is being drawn."""
        for task in (drawing := list(self._drawing.values())):
            task.cancel()
        await asyncio.gather(*drawing, return_exceptions=True)
        await self._pool.aclose()


def _looked_at(task: asyncio.Task[bytes]) -> None:
    """Those who asked may all have gone: then nobody else takes its error."""
    if not task.cancelled():
        task.exception()
