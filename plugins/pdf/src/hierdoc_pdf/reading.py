"""What pdfium knows of a page: segments of text with their places and fonts, and the outline.

pdfium is asked in bulk: the whole text of a page at once, then boxes of only the first and last character of each word, written
into one buffer. A loose box is about as high as the font size and stands on the font's descent.
"""

from __future__ import annotations

import ctypes
import math
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pypdfium2  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]
from numpy.typing import NDArray

from hierdoc_pdf.characters import normalised

PDFIUM: threading.Lock = vars(pypdfium2).setdefault("_hierdoc_lock", threading.Lock())
"""pdfium may not be called by two threads at once, not even for different files; all plugins of hierdoc share this lock."""

MOST_CHARACTERS = 1_000_000
"""Characters of one page; what is behind them is not read."""

MOST_OUTLINE_ENTRIES = 5_000


class Segment(NamedTuple):
    """A run of words on one line without a wide gap.

    Places are in points from the top left corner of the page as it is shown.

    Attributes:
        x0, x1: Left and right edge.
        top, bottom: Upper and lower edge, which letters that reach further than the font says move a little.
        text: With single spaces; a hyphen that pdfium takes for one of a broken word is `\ufffe`.
        bold, italic: Whether all of it is.
        upright: False for text that runs up or down the page.
        stated: The font size as the file states it, scaled as it is shown; 0 where it says nothing that can be.
    """

    x0: float
    x1: float
    top: float
    bottom: float
    text: str
    bold: bool = False
    italic: bool = False
    upright: bool = True
    stated: float = 0.0

    @property
    def size(self) -> float:
        """The font size."""
        return self.stated or self.bottom - self.top


@dataclass(frozen=True, slots=True)
class Page:
    """One page as it was read.

    Attributes:
        width, height: In points, as shown.
        segments: In the order of the file.
        characters: How many, white space aside.
        pictured: Whether pictures cover most of it; only looked at where there is little text.
    """

    width: float
    height: float
    segments: Sequence[Segment]
    characters: int
    pictured: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the outline: its level from 1, its title, the page from 0, how far down the page if it says so."""

    level: int
    title: str
    page: int
    top: float | None


FEW_CHARACTERS = 50
"""Up to so many, a page may be a picture with a stamp on it."""

_WIDE = 0.8
"""A gap wider than this times the font size parts segments; spaces of justified text are narrower, mostly."""


class Reader:
    """Reads the pages of one open document; every call needs the lock `PDFIUM`.

    Args:
        document: An open document.
    """

    def __init__(self, document: Any) -> None:
        self._document = document
        self._fonts: dict[bytes, tuple[bool, bool]] = {}
        self._grow(4096)

    def page(self, number: int) -> Page:
        """A page, from 0; one that pdfium cannot load is empty."""
        with _loaded(
            pdfium.FPDF_LoadPage(self._document.raw, number), pdfium.FPDF_ClosePage
        ) as page:
            if not page:
                return Page(0.0, 0.0, (), 0)
            frame = _Frame(page)
            with _loaded(pdfium.FPDFText_LoadPage(page), pdfium.FPDFText_ClosePage) as text_page:
                segments, characters = self._read(text_page, frame) if text_page else ([], 0)
            pictured = characters <= FEW_CHARACTERS and _is_pictured(page, frame)
            return Page(frame.width, frame.height, segments, characters, pictured)

    def outline(self) -> list[Entry]:
        """The outline without entries that lead nowhere; places are the file's own, not rotated."""
        entries: list[Entry] = []
        for bookmark in self._document.get_toc(max_depth=12):
            destination = bookmark.get_dest()
            page = destination.get_index() if destination else None
            title = " ".join(normalised(bookmark.get_title()).split())
            if page is None or not 0 <= page < len(self._document) or not title:
                continue
            entries.append(Entry(bookmark.level + 1, title, page, self._top(destination, page)))
            if len(entries) >= MOST_OUTLINE_ENTRIES:
                break
        return entries

    def _top(self, destination: Any, page: int) -> float | None:
        mode, view = destination.get_view()
        place = {pdfium.PDFDEST_VIEW_XYZ: 1, pdfium.PDFDEST_VIEW_FITH: 0}.get(mode)
        if place is None or len(view) <= place or not view[place]:
            return None
        return float(self._document.get_page_size(page)[1]) - float(view[place])

    def _grow(self, words: int) -> None:
        """Room for the boxes of so many words, two for each."""
        self._boxes: NDArray[np.float32] = np.zeros((2 * words, 4), np.float32)
        held = (pdfium.FS_RECTF * (2 * words)).from_buffer(self._boxes)
        self._slots = [ctypes.byref(held, 16 * i) for i in range(2 * words)]

    def _read(self, text_page: Any, frame: _Frame) -> tuple[list[Segment], int]:
        handle = ctypes.cast(text_page, ctypes.c_void_p).value
        text = _text(text_page)
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        inked = (
            (codes > 32)
            & (codes != 0xA0)
            & (codes != 0x3000)
            & ~((codes >= 0x2000) & (codes <= 0x200B))
        )
        begins = inked.copy()
        begins[1:] &= ~inked[:-1] | (codes[:-1] == _BROKEN)
        ends = inked.copy()
        ends[:-1] &= ~inked[1:] | (codes[:-1] == _BROKEN)
        first, last = np.flatnonzero(begins), np.flatnonzero(ends)
        count = len(first)
        if not count:
            return [], 0
        if 2 * count > len(self._slots):
            self._grow(count + count // 2)
        boxes = self._boxes[: 2 * count]
        boxes.fill(0)
        places = np.stack((first, last), axis=1).ravel().tolist()
        for place, slot in zip(places, self._slots):  # noqa: B905 - there are more slots than places
            _LOOSE_BOX(handle, place, slot)
        self._page_fonts: dict[bytes, tuple[bool, bool]] = {}
        shown = frame.shown(np.nan_to_num(boxes.astype(np.float64)).clip(-_FAR, _FAR))
        return self._segments(handle, text, first, last, shown, frame), int(inked.sum())

    def _segments(
        self,
        handle: int | None,
        text: str,
        first: NDArray[np.intp],
        last: NDArray[np.intp],
        boxes: tuple[NDArray[np.float64], ...],
        frame: _Frame,
    ) -> list[Segment]:
        """Words of one line without a wide gap between them, as one."""
        x0, top, x1, bottom = boxes
        left = np.minimum(x0[::2], x0[1::2])
        right = np.maximum(x1[::2], x1[1::2])
        above, below = top[::2], bottom[::2]
        size = below - above
        upright = np.abs(below - bottom[1::2]) <= 0.8 * size
        gap = left[1:] - right[:-1]
        apart = (
            (gap > _WIDE * np.maximum(size[1:], size[:-1]))
            | (gap < -0.6 * size[1:])
            | (np.abs(below[1:] - below[:-1]) > 0.2 * size[1:])
            | (np.abs(size[1:] - size[:-1]) > 0.15 * size[1:])
            | (upright[1:] != upright[:-1])
        )
        starts = np.concatenate(([0], np.flatnonzero(apart) + 1))
        stops = np.concatenate((starts[1:], [len(left)])) - 1
        rows = zip(
            starts.tolist(), stops.tolist(), left[starts].tolist(), right[stops].tolist(),
            above[starts].tolist(), below[starts].tolist(),
            first[starts].tolist(), (last[stops] + 1).tolist(), upright[starts].tolist(),
            strict=True,
        )  # fmt: skip
        first_list = first
        segments = []
        for start, stop, x_left, x_right, y_top, y_bottom, begin, end, is_upright in rows:
            if x_right < 0 or x_left > frame.width or y_bottom < 0 or y_top > frame.height:
                continue
            bold, italic = self._font(handle, begin)
            if stop > start and (bold or italic):
                bold_end, italic_end = self._font(handle, int(first_list[stop]))
                bold, italic = bold and bold_end, italic and italic_end
                if stop > start + 1 and (bold or italic):
                    middle = self._font(handle, int(first_list[(start + stop) // 2]))
                    bold, italic = bold and middle[0], italic and middle[1]
            words = normalised(text[begin:end])
            if stop > start:
                words = " ".join(words.split())
            if not words:
                continue
            stated = _stated_size(handle, begin, y_bottom - y_top)
            segments.append(
                Segment(x_left, x_right, y_top, y_bottom, words, bold, italic, is_upright, stated)
            )
        return segments

    def _font(self, handle: int | None, place: int) -> tuple[bool, bool]:
        """Whether the font of a character is bold, and whether it is italic."""
        _FONT_INFO(handle, place, _NAME, len(_NAME), _FLAGS_REFERENCE)
        name = _NAME.value
        key = name + b"\0%d" % _FLAGS.value
        known = self._fonts.get(key) or self._page_fonts.get(key)
        if known is None:
            known = style_of(name.decode("utf-8", "replace"), _FLAGS.value)
            if any(known) or _SPEAKING.search(name.rpartition(b"+")[2]):
                self._fonts[key] = known
            else:  # such names may stand for another font on the next page
                known = self._page_fonts[key] = self._style_of_file(handle, place, key)
        return known

    def _style_of_file(self, handle: int | None, place: int, key: bytes) -> tuple[bool, bool]:
        """The style of a font whose name says nothing, by its embedded file."""
        thing = _TEXT_OBJECT(handle, place)
        font = _FONT(thing) if thing else None
        length = ctypes.c_size_t()
        if not font or not _FONT_DATA(font, None, 0, ctypes.byref(length)):
            return False, False
        size = length.value
        if not 0 < size <= _LARGEST_FONT:
            return False, False
        key += b"\0%d" % size
        known = self._fonts.get(key)
        if known is None:
            data = ctypes.create_string_buffer(size)
            _FONT_DATA(font, data, size, ctypes.byref(length))
            known = self._fonts[key] = style_of_file(data.raw)
        return known


def _stated_size(handle: int | None, place: int, height: float) -> float:
    """The font size of a character: that of its font, scaled as the text is; 0 if its height on the page belies it.

    A loose box says less: pdfium stretches it to letters that are higher than the font's own figures, so `Offences` and `Interpretation`
    in one font would have two sizes.
    """
    if not _MATRIX_OF(handle, place, _MATRIX_REFERENCE):
        return 0.0
    size = _FONT_SIZE(handle, place) * math.hypot(_MATRIX.c, _MATRIX.d)
    return size if _LEAST_HEIGHT * size <= height <= _MOST_HEIGHT * size else 0.0


_LEAST_HEIGHT, _MOST_HEIGHT = 0.5, 2.0
"""How high a loose box may be, in font sizes."""


def style_of(name: str, flags: int) -> tuple[bool, bool]:
    """Bold and italic, by the font's name and the flags of its descriptor."""
    lower = name.lower()
    bold = bool(flags & 1 << 18) or any(word in lower for word in _BOLD_NAMES)
    italic = bool(flags & 1 << 6) or any(word in lower for word in _ITALIC_NAMES)
    return bold, italic


def style_of_file(data: bytes) -> tuple[bool, bool]:
    """Bold and italic, by a font file: the `head` table of TrueType and OpenType, the names in others."""
    if data[:4] in (b"\0\1\0\0", b"true", b"OTTO"):
        for number in range(min(int.from_bytes(data[4:6], "big"), 64)):
            entry = data[12 + 16 * number : 28 + 16 * number]
            if entry[:4] == b"head":
                start = int.from_bytes(entry[8:12], "big") + 44
                style = int.from_bytes(data[start : start + 2], "big")
                return bool(style & 1), bool(style & 2)
    return style_of(data[:2048].decode("latin-1"), 0)


_LARGEST_FONT = 1 << 24
_FAR = 20_000.0
_SPEAKING = re.compile(rb"[A-Za-z]{4}")
_BOLD_NAMES = ("bold", "black", "heavy", "demi", "-bd", "cmbx", "semibd")
_ITALIC_NAMES = ("italic", "oblique", "cmti", "-it")
_BROKEN = 0xFFFE
_NAME = ctypes.create_string_buffer(128)
_FLAGS = ctypes.c_int()
_FLAGS_REFERENCE = ctypes.byref(_FLAGS)


def _untyped(function: Any, *arguments: Any, result: Any = ctypes.c_int) -> Any:
    """The same function of the library with plain addresses for arguments, which ctypes calls twice as fast."""
    address = ctypes.cast(function, ctypes.c_void_p).value
    return ctypes.CFUNCTYPE(result, *arguments)(address or 0)


_LOOSE_BOX = _untyped(
    pdfium.FPDFText_GetLooseCharBox, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p
)
_FONT_INFO = _untyped(
    pdfium.FPDFText_GetFontInfo,
    ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_void_p,
)  # fmt: skip
_FONT_SIZE = _untyped(
    pdfium.FPDFText_GetFontSize, ctypes.c_void_p, ctypes.c_int, result=ctypes.c_double
)
_MATRIX_OF = _untyped(pdfium.FPDFText_GetMatrix, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
_MATRIX = pdfium.FS_MATRIX()
_MATRIX_REFERENCE = ctypes.byref(_MATRIX)
_TEXT_OBJECT = _untyped(
    pdfium.FPDFText_GetTextObject, ctypes.c_void_p, ctypes.c_int, result=ctypes.c_void_p
)
_FONT = _untyped(pdfium.FPDFTextObj_GetFont, ctypes.c_void_p, result=ctypes.c_void_p)
_FONT_DATA = _untyped(
    pdfium.FPDFFont_GetFontData,
    ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p,
)  # fmt: skip


@contextmanager
def _loaded(handle: Any, close: Any) -> Iterator[Any]:
    """A handle that is closed again; None where pdfium gave none."""
    try:
        yield handle or None
    finally:
        if handle:
            close(handle)


def _text(text_page: Any) -> str:
    """The text with exactly one character for each that pdfium counts."""
    count = min(pdfium.FPDFText_CountChars(text_page), MOST_CHARACTERS)
    if count <= 0:
        return ""
    buffer = (ctypes.c_ushort * (count + 1))()
    written = pdfium.FPDFText_GetText(text_page, 0, count, buffer)
    text = bytes(buffer)[: 2 * max(written - 1, 0)].decode("utf-16-le", "surrogatepass")
    if len(text) == count:
        return text
    codes = (pdfium.FPDFText_GetUnicode(text_page, i) for i in range(count))
    return "".join(chr(code) if 0 < code < 0x110000 else " " for code in codes)


class _Frame:
    """From a page's own coordinates, which may be moved and rotated, to points from its top left corner as shown."""

    def __init__(self, page: Any) -> None:
        box = pdfium.FS_RECTF()
        pdfium.FPDF_GetPageBoundingBox(page, box)
        self._box = box.left, box.top, box.right, box.bottom
        self._turns = pdfium.FPDFPage_GetRotation(page) % 4
        width, height = abs(box.right - box.left), abs(box.top - box.bottom)
        self.width, self.height = (height, width) if self._turns % 2 else (width, height)

    def shown(self, boxes: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        """x0, top, x1, bottom of boxes that are rows of left, top, right, bottom."""
        left, top, right, bottom = self._box
        a, b, c, d = boxes.T
        if self._turns == 0:
            return a - left, top - b, c - left, top - d
        if self._turns == 1:
            return d - bottom, a - left, b - bottom, c - left
        if self._turns == 2:
            return right - c, d - bottom, right - a, b - bottom
        return top - b, right - c, top - d, right - a


def _is_pictured(page: Any, frame: _Frame) -> bool:
    """Whether pictures cover half of the page."""
    covered = 0.0
    edges = [ctypes.c_float() for _ in range(4)]
    for number in range(min(pdfium.FPDFPage_CountObjects(page), 2000)):
        thing = pdfium.FPDFPage_GetObject(page, number)
        kind = pdfium.FPDFPageObj_GetType(thing)
        if kind == pdfium.FPDF_PAGEOBJ_FORM and _holds_picture(thing):
            kind = pdfium.FPDF_PAGEOBJ_IMAGE
        if kind == pdfium.FPDF_PAGEOBJ_IMAGE and pdfium.FPDFPageObj_GetBounds(
            thing, *map(ctypes.byref, edges)
        ):
            left, bottom, right, top = (edge.value for edge in edges)
            covered += abs(right - left) * abs(top - bottom)
    return bool(covered >= 0.5 * frame.width * frame.height > 0)


def _holds_picture(form: Any) -> bool:
    count = min(pdfium.FPDFFormObj_CountObjects(form), 50)
    things = (pdfium.FPDFFormObj_GetObject(form, i) for i in range(count))
    return any(pdfium.FPDFPageObj_GetType(thing) == pdfium.FPDF_PAGEOBJ_IMAGE for thing in things)
