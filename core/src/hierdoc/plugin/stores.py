"""What makers of backends need again and again, beside the vectors' and the worker's helpers: strings that any store takes."""

from __future__ import annotations

import re

_UNSAFE = re.compile("[\0\1\ud7ff-\udfff]")
_WRITTEN = re.compile("[\1\ud7ff](.)", re.DOTALL)


def to_store_text(text: str) -> str:
    """A string for stores that take valid Unicode without zero characters; other strings, nearly all, stay as they are.

    Different strings stay different, and they sort by code point as the originals do. `from_store_text` gives them back.
    File names may hold lone surrogates, texts zero characters.
    """
    return _UNSAFE.sub(_write, text) if _UNSAFE.search(text) else text


def from_store_text(text: str) -> str:
    """The string that `to_store_text` made this of."""
    return _WRITTEN.sub(_read, text) if _WRITTEN.search(text) else text


def _write(found: re.Match[str]) -> str:
    """A surrogate becomes the last character before all surrogates and a character of the same order."""
    code = ord(found[0])
    if code < 2:
        return "\1" + chr(code + 1)
    return "\ud7ff" + chr(code - 0xD7FF + 1)


def _read(found: re.Match[str]) -> str:
    code = ord(found[1])
    return chr(code - 1) if found[0][0] == "\1" else chr(code + 0xD7FF - 1)
