"""Pages of PDF files as pictures."""

from __future__ import annotations

import asyncio
import io
from types import ModuleType

import pytest
from PIL import Image

from hierdoc import ConversionError, Source
from hierdoc_serve.pictures import WIDTH, Pictures, Sheet, draw


def test_a_page_is_drawn_as_wide_as_all(harbour: ModuleType) -> None:
    made = draw(Sheet("a.pdf", harbour.pdf(["Head", "line"], ["Second"]), None, 2))
    picture = Image.open(io.BytesIO(made.png))  # type: ignore[attr-defined]
    assert (picture.format, picture.width) == ("PNG", WIDTH)


@pytest.mark.parametrize("data", [b"", b"%PDF-1.4 broken", b"\0" * 1000])
def test_what_is_no_pdf_is_refused(data: bytes) -> None:
    with pytest.raises(ConversionError):
        draw(Sheet("a.pdf", data, None, 1))


def test_pages_are_drawn_in_a_process_and_kept(harbour: ModuleType) -> None:
    async def twice() -> tuple[bytes, bytes]:
        pictures = Pictures()
        try:
            source = Source("a.pdf", harbour.pdf(["Head"]))
            return await pictures.picture(source, 1), await pictures.picture(source, 1)
        finally:
            await pictures.aclose()

    first, second = asyncio.run(twice())
    assert first is second


def test_a_page_goes_on_being_drawn_when_nobody_waits_any_more(harbour: ModuleType) -> None:
    async def asked_again() -> bytes:
        pictures = Pictures()
        source = Source("a.pdf", harbour.pdf(["Head"]))
        try:
            asking = asyncio.create_task(pictures.picture(source, 1))
            while not pictures._drawing:  # noqa: ASYNC110 - there is no event
                await asyncio.sleep(0.01)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            assert pictures._drawing
            return await pictures.picture(source, 1)
        finally:
            await pictures.aclose()

    assert asyncio.run(asked_again()).startswith(b"\x89PNG")
