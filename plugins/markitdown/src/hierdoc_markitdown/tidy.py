"""What markitdown gives to what a document holds."""

from __future__ import annotations

import re
from collections.abc import Sequence

_IMAGE = re.compile(r"!\[([^\]]*)\]\([^)\s]*(?:\s+\"[^\"]*\")?\)")
_EMPTY_CELL = re.compile(r"(?<=\| )(?:NaN|Unnamed: \d+) (?=\|)")
_NOTE_MARK = re.compile(r"\[\[(\d+)\]\]\(#(?:foot|end)note-[\w-]+\)")
_NOTE_RETURN = re.compile(r" ?\[↑\]\(#(?:foot|end)note-ref-[\w-]+\)")
_NO_HEAD = re.compile(r"^(\|(?: +\|)+\n)(\|(?: -{3,} \|)+\n)(\|.*\n?)", re.MULTILINE)
_SLIDE = re.compile(r"<!-- Slide number: \d+ -->")


def tidied(markdown: str) -> str:
    """The text without trailing white space and runs of empty lines; images stand for their description."""
    text = markdown.encode("utf-8", "replace").decode().replace("\0", "\ufffd").lstrip("\ufeff")
    text = _IMAGE.sub(r"\1", text)
    text = "\n".join(line.rstrip() for line in text.splitlines())
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n")


def sheets(markdown: str) -> str:
    """A workbook's tables with empty cells where markitdown writes `NaN` and `Unnamed: 1`."""
    return _EMPTY_CELL.sub("", tidied(markdown))


def word(markdown: str) -> str:
    """A Word file's text with plain footnote marks, and tables headed by their first row if they have no other head."""
    text = _NOTE_MARK.sub(r"[\1]", _NOTE_RETURN.sub("", tidied(markdown)))
    return _NO_HEAD.sub(lambda match: f"{match[3].rstrip()}\n{match[2]}", text).rstrip("\n")


def joined(pages: Sequence[str]) -> tuple[str, tuple[int, ...]]:
    """The pages as one text, and for each the offset at which it begins; a page may be empty."""
    starts: list[int] = []
    parts: list[str] = []
    length = 0
    for page in pages:
        starts.append(length)
        if page:
            parts.append(f"{page}\n\n")
            length += len(parts[-1])
    return "".join(parts), tuple(starts)


def slides(markdown: str) -> list[str]:
    """The slides of a presentation, which markitdown sets apart by comments."""
    return [tidied(slide) for slide in _SLIDE.split(markdown)[1:]]
