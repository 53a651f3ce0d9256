"""PDF files to documents: opened, read page by page, refused with a reason where they hold no text."""

from __future__ import annotations

import asyncio
import re
import threading
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from hierdoc import ConversionError, Document, HierdocError, Source
from hierdoc.plugin import ConversionLimits, ConversionPool, find_plain_title

if TYPE_CHECKING:
    from hierdoc_pdf.reading import Entry, Page

MOST_PAGES = 20_000
"""Pages that a file may have; one with more is refused."""

MOST_CHARACTERS = 100_000_000
"""Characters that a file may have; one with more is refused."""

_NO_TITLE = re.compile(
    r"\(.*\)|untitled.*|.*\.\w{2,5}|microsoft word - .*|\W*\d[\d\W]*", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]{3,}")


class PdfConverter:
    """Converts PDF files by their layout; every character knows its page.

    Args:
        password: Opens encrypted files.
        tables: Whether tables become markdown tables.
        outline: Whether headings come from the file's outline where it has one.
        limits: What a file may take, in processes of their own; without them it is converted in a thread of this one.
    """

    suffixes = (".pdf",)

    def __init__(
        self,
        *,
        password: str | None = None,
        tables: bool = True,
        outline: bool = True,
        limits: ConversionLimits | None = None,
    ) -> None:
        self._password = password
        self._tables = tables
        self._outline = outline
        conversion = partial(convert, password=password, tables=tables, outline=outline)
        self._pool = (
            ConversionPool(conversion, limits) if limits and limits.processes != 0 else None
        )

    async def convert(self, source: Source) -> Document:
        """The document with `page_starts` and `boxes`.

        Raises:
            ConversionError: The file is encrypted, damaged or too large, or has no pages or no text layer.
        """
        if self._pool is not None:
            return await self._pool.convert(source)
        stopped = threading.Event()
        try:
            return await asyncio.to_thread(self._convert, source, stopped)
        except HierdocError:
            raise
        except Exception as error:  # whatever a broken file leads to, it is this file that fails
            reason = " ".join(str(error).split())[:300]
            raise ConversionError(
                f"{source.name}: cannot be converted: {type(error).__name__}: {reason}"
            ) from error
        finally:
            stopped.set()

    async def aclose(self) -> None:
        """End the processes."""
        if self._pool is not None:
            await self._pool.aclose()

    def _convert(self, source: Source, stopped: threading.Event) -> Document:
        """The document; between two pages `stopped` ends the conversion."""
        from hierdoc_pdf.assembly import Options, assemble

        title, pages, entries = self._read(source, stopped)
        _refuse_pictures(source.name, pages)
        text, starts, boxes = assemble(pages, entries, Options(tables=self._tables))
        return Document(
            source.name,
            title or _first_heading(text, source.name),
            text,
            starts,
            boxes=boxes,
            levels_by_look=not entries,
        )

    def _read(
        self, source: Source, stopped: threading.Event
    ) -> tuple[str, list[Page], list[Entry]]:
        """Title, pages and outline; the lock is free between pages, so that several files are read in turns."""
        from hierdoc_pdf.reading import PDFIUM, Reader

        with PDFIUM:
            document = _open(source, self._password)
        try:
            with PDFIUM:
                count = len(document)
                title = _title(document)
                reader = Reader(document)
                entries = reader.outline() if self._outline else []
            _refuse_count(source.name, count)
            pages: list[Page] = []
            characters = 0
            for number in range(count):
                if stopped.is_set():
                    break
                with PDFIUM:
                    pages.append(reader.page(number))
                characters += pages[-1].characters
                if characters > MOST_CHARACTERS:
                    raise ConversionError(
                        f"{source.name}: holds more than {MOST_CHARACTERS:,} characters",
                        hint="Split it.",
                    )
            return title, pages, entries
        finally:
            with PDFIUM:
                document.close()


def convert(source: Source, *, password: str | None, tables: bool, outline: bool) -> Document:
    """The document of a file; see `PdfConverter`."""
    converter = PdfConverter(password=password, tables=tables, outline=outline)
    return converter._convert(source, threading.Event())


def _open(source: Source, password: str | None) -> Any:
    import pypdfium2  # type: ignore[import-untyped]
    import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

    if b"%PDF-" not in source.data[:2048]:
        raise ConversionError(
            f"{source.name}: is damaged, or no PDF file: it does not begin as one"
        )
    try:
        return pypdfium2.PdfDocument(source.data, password=password)
    except pypdfium2.PdfiumError as error:
        # PDFium's code may be that of an earlier file: one without pages sets none.
        code = getattr(error, "err_code", None) if b"/Encrypt" in source.data else None
        if code == pdfium.FPDF_ERR_PASSWORD:
            raise ConversionError(
                f"{source.name}: is encrypted"
                + (", and the password is wrong" if password else ""),
                hint="Set `password` of the converter `pdf`, or save it without a password.",
            ) from None
        if code == pdfium.FPDF_ERR_SECURITY:
            raise ConversionError(
                f"{source.name}: is encrypted in a way that is not supported",
                hint="Save it without encryption.",
            ) from None
        raise ConversionError(
            f"{source.name}: is damaged, or cut off, or no PDF file",
            hint="Get it anew, or open and save it in a PDF viewer.",
        ) from error


def _refuse_count(name: str, count: int) -> None:
    if count <= 0:
        raise ConversionError(f"{name}: is damaged: it has no pages", hint="Get it anew.")
    if count > MOST_PAGES:
        raise ConversionError(
            f"{name}: has {count:,} pages, the limit is {MOST_PAGES:,}", hint="Split it."
        )


def _refuse_pictures(name: str, pages: list[Page]) -> None:
    """Raise if the file is a scan: no text, or next to none beside pictures of pages."""
    characters = sum(page.characters for page in pages)
    pictured = sum(page.pictured for page in pages)
    if not characters or (pictured > 0.8 * len(pages) and characters < 50 * len(pages)):
        what = "pictures of pages" if pictured else "no text at all"
        raise ConversionError(
            f"{name}: has no text layer: its {len(pages):,} pages hold {what}",
            hint="Run text recognition (OCR) over it first, for example with ocrmypdf.",
        )


def _title(document: Any) -> str:
    """The title in the file's metadata if it is one for readers."""
    title = " ".join(document.get_metadata_value("Title").split())
    is_title = " " in title and _WORD.search(title) and not _NO_TITLE.fullmatch(title)
    return title if is_title else ""


def _first_heading(text: str, name: str) -> str:
    """The only heading of level 1; where there are several, the file's name says more, and a typed document has its first words."""
    from hierdoc.structure import find_headings

    headings = find_headings(text)
    if not headings:
        return find_plain_title(text, name)
    titles = [heading.title for heading in headings if heading.level == 1]
    return titles[0] if len(titles) == 1 else PurePosixPath(name).stem
