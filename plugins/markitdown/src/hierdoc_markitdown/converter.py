"""Files to markdown by markitdown's converters for local documents, one for each suffix.

They are called one by one, not through `MarkItDown`, which guesses formats by content and has converters that use the
network, other programs or a language model. So a file is what its name says, or an error. markitdown and what it
brings, such as pandas and onnxruntime, is imported at the first conversion.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import logging
import warnings
import zipfile
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from hierdoc import ConversionError, Document, HierdocError, Source
from hierdoc.plugin import ConversionLimits, ConversionPool
from hierdoc.structure import find_headings
from hierdoc_markitdown.cells import count_cells
from hierdoc_markitdown.linked import without_linked_pictures
from hierdoc_markitdown.pdf import convert_pdf
from hierdoc_markitdown.tidy import joined, sheets, slides, tidied, word

if TYPE_CHECKING:
    from markitdown import DocumentConverter, StreamInfo

MOST_UNPACKED = 1 << 30
"""Bytes that an Office or EPub file may hold unpacked; one with more is refused."""

_CONVERTERS = {
    ".pdf": "PdfConverter",
    ".docx": "DocxConverter",
    ".pptx": "PptxConverter",
    ".xlsx": "XlsxConverter",
    ".xls": "XlsConverter",
    ".csv": "CsvConverter",
    ".epub": "EpubConverter",
    ".msg": "OutlookMsgConverter",
    ".ipynb": "IpynbConverter",
    ".rss": "RssConverter",
    ".atom": "RssConverter",
    ".xml": "PlainTextConverter",
    ".json": "PlainTextConverter",
    ".jsonl": "PlainTextConverter",
}
_TIDY = {".xlsx": sheets, ".xls": sheets, ".docx": word}
_WORD_STYLES = "p[style-name='Title'] => h1:fresh"
_ZIPPED = frozenset((".docx", ".pptx", ".xlsx", ".epub"))
_TEXT = frozenset((".csv", ".json", ".jsonl", ".xml"))
_BARE = {
    ".xml": ".xml is read as bare text; for its structure `pip install 'hierdoc[xml]'`, then `hierdoc ingest --force`",
    **{
        suffix: f"{suffix} is read as bare text; convert what has sections to markdown or HTML"
        for suffix in (".json", ".jsonl")
    },
}
_OLE = b"\xd0\xcf\x11\xe0"
_NOISY = ("pdfminer", "pdfplumber", "openpyxl", "bs4", "markitdown", "mammoth", "pptx", "magika")


class MarkitdownConverter(ConversionPool):
    """Converts by suffix; pages and slides are counted, images stand for their description.

    Args:
        limits: What a file may take, in processes of their own; without them it is converted here.
    """

    suffixes = tuple(_CONVERTERS)

    def __init__(self, limits: ConversionLimits | None = None) -> None:
        super().__init__(partial(convert, cells=limits.cells if limits else None), limits)


def convert(source: Source, *, cells: int | None = None) -> Document:
    """The document of a file.

    Args:
        source: The file.
        cells: How many a workbook may have; None for any number.

    Raises:
        ConversionError: The file is damaged, encrypted, too large unpacked, over a limit, without text, or not what its name says.
        MemoryError: There is not enough memory.
    """
    if source.suffix not in _CONVERTERS:
        raise ConversionError(
            f"{source.name}: is not of a format that markitdown is asked to read",
            hint=f"It reads {', '.join(_CONVERTERS)}.",
        )
    try:
        converter = _checked(source, cells)
        if source.suffix == ".pdf":
            return convert_pdf(converter, source)
        return _convert(converter, source)
    except (HierdocError, MemoryError):
        raise
    except Exception as error:  # whatever these libraries raise, it is this file that fails
        reason = " ".join(str(error).split())[:300]
        raise ConversionError(
            f"{source.name}: cannot be converted: {type(error).__name__}: {reason}"
        ) from error


def _checked(source: Source, cells: int | None) -> DocumentConverter:
    """The converter for a file; raises for one of Office or an EPub that is encrypted, broken or a bomb."""
    if source.suffix in _ZIPPED:
        _refuse(source, cells)
    _silence()
    if source.suffix == ".xml":
        feeds = _load("RssConverter")
        with contextlib.suppress(Exception):  # no XML at all; then it is text
            if feeds.accepts(io.BytesIO(source.data), _info(source)):
                return feeds
    return _load(_CONVERTERS[source.suffix])


def _load(name: str) -> DocumentConverter:
    from markitdown import converters

    converter: DocumentConverter = getattr(converters, name)()
    return converter


def _refuse(source: Source, cells: int | None) -> None:
    if source.data.startswith(_OLE):
        raise ConversionError(
            f"{source.name}: is encrypted, or in the format of Office before 2007",
            hint="Save it in the current format, without a password.",
        )
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except zipfile.BadZipFile as error:
        raise ConversionError(f"{source.name}: is damaged, or no {source.suffix} file") from error
    if unpacked > MOST_UNPACKED:
        raise ConversionError(
            f"{source.name}: would unpack to {unpacked >> 20:,} MiB, "
            f"the limit is {MOST_UNPACKED >> 20:,}"
        )
    if source.suffix == ".xlsx" and cells is not None:
        count = count_cells(source.data)
        if count > cells:
            raise ConversionError(
                f"{source.name}: has {count:,} cells, the empty ones up to the last included; the limit is {cells:,}",
                hint="Delete what stands far from the others, or raise `limits.cells` of the converter.",
            )


def _convert(converter: DocumentConverter, source: Source) -> Document:
    data = source.data.removeprefix(codecs.BOM_UTF8) if source.suffix in _TEXT else source.data
    options = {}
    if source.suffix == ".docx":
        data, options = without_linked_pictures(data), {"style_map": _WORD_STYLES}
    result = converter.convert(io.BytesIO(data), _info(source), **options)
    if source.suffix == ".pptx":
        text, starts = joined(slides(result.markdown))
    else:
        tidy = _TIDY.get(source.suffix, tidied)
        text, starts = tidy(result.markdown), ()
    title = " ".join((result.title or "").split()) or _first_heading(text)
    notes = (_BARE[source.suffix],) if isinstance(converter, _bare_converter()) else ()
    return Document(
        source.name, title or PurePosixPath(source.name).stem, text, starts, notes=notes
    )


def _bare_converter() -> type[DocumentConverter]:
    """What reads a file as text and nothing else."""
    from markitdown.converters import PlainTextConverter

    return PlainTextConverter


def _info(source: Source) -> StreamInfo:
    """What markitdown is told of a file; it guesses the encoding of text that is no UTF-8."""
    from markitdown import StreamInfo

    charset = "utf-8" if source.suffix in _TEXT and _is_utf8(source.data) else None
    return StreamInfo(extension=source.suffix, charset=charset)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _first_heading(text: str) -> str:
    """The first heading of level 1; "" where there is none. Sheets are of level 2."""
    headings = (heading.title for heading in find_headings(text) if heading.level == 1)
    return next(filter(None, headings), "")


def _silence() -> None:
    """Keep the libraries' warnings from users, who can do nothing about them; repeating this changes nothing."""
    for name in _NOISY:
        logging.getLogger(name).setLevel(logging.ERROR)
        warnings.filterwarnings("ignore", module=rf"{name}(?:\.|$)")
