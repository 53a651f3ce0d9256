"""PDF page by page, so that every passage knows its page.

markitdown joins the pages of a PDF without a mark between them, so the file is taken apart into single pages first, by pdfium.
"""

from __future__ import annotations

import io
import logging
import re
import threading
from contextlib import closing
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from hierdoc import ConversionError, Document, Source
from hierdoc_markitdown.tidy import joined, tidied

if TYPE_CHECKING:
    from markitdown import DocumentConverter
    from pypdfium2 import PdfDocument  # type: ignore[import-untyped]

logger = logging.getLogger("hierdoc")

_NO_TITLE = re.compile(r"\(.*\)|untitled.*|.*\.\w{2,5}", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{3,}")


def convert_pdf(converter: DocumentConverter, source: Source) -> Document:
    """The document with `page_starts`.

    Args:
        converter: markitdown's converter for PDF.
        source: The file.

    Raises:
        ConversionError: The file is encrypted or damaged, or holds no text.
    """
    pdf = _open(source)
    try:
        title = _title(pdf, source.name)
        pages = [_page(converter, pdf, number, source.name) for number in range(len(pdf))]
    finally:
        with _pdfium():
            pdf.close()
    if not any(pages):
        raise ConversionError(
            f"{source.name}: holds no text, only pictures of pages",
            hint="Run text recognition (OCR) over it first, for example with ocrmypdf.",
        )
    text, starts = joined(pages)
    return Document(source.name, title, text, starts)


def _pdfium() -> threading.Lock:
    """What all plugins of hierdoc share: pdfium may not be called by two threads at once, not even for different files."""
    import pypdfium2

    lock: threading.Lock = vars(pypdfium2).setdefault("_hierdoc_lock", threading.Lock())
    return lock


def _open(source: Source) -> PdfDocument:
    import pypdfium2

    try:
        with _pdfium():
            return pypdfium2.PdfDocument(source.data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise ConversionError(
                f"{source.name}: is encrypted", hint="Save it without a password."
            ) from error
        raise ConversionError(f"{source.name}: is damaged, or no PDF file") from error


def _title(pdf: PdfDocument, name: str) -> str:
    """The title in the file's metadata if it is one for readers, else the file's name."""
    with _pdfium():
        title = " ".join(pdf.get_metadata_value("Title").split())
    is_title = " " in title and _WORD.search(title) and not _NO_TITLE.fullmatch(title)
    return title if is_title else PurePosixPath(name).stem


def _page(converter: DocumentConverter, pdf: PdfDocument, number: int, name: str) -> str:
    """The markdown of one page; where markitdown fails, its bare text."""
    from markitdown import StreamInfo

    page = _alone(pdf, number)
    try:
        return tidied(converter.convert(page, StreamInfo(extension=".pdf")).markdown)
    except MemoryError:
        raise
    except Exception as error:  # reported; the other pages are not affected
        logger.warning("%s: page %d is read without its layout: %s", name, number + 1, error)
        return tidied(_bare_text(pdf, number))


def _alone(pdf: PdfDocument, number: int) -> io.BytesIO:
    """A PDF file of one page."""
    import pypdfium2

    stream = io.BytesIO()
    with _pdfium(), closing(pypdfium2.PdfDocument.new()) as single:
        single.import_pages(pdf, [number])
        single.save(stream)
    stream.seek(0)
    return stream


def _bare_text(pdf: PdfDocument, number: int) -> str:
    with _pdfium(), closing(pdf[number]) as page, closing(page.get_textpage()) as text:
        return str(text.get_text_range())
