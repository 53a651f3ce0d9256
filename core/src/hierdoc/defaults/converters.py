"""Markdown and plain text as they are, and the converter that chooses among all that are installed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NoReturn

from pydantic import ValidationError

from hierdoc import Document, Source
from hierdoc.errors import UnsupportedFormatError
from hierdoc.plugin import (
    ComponentKind,
    ConversionLimits,
    Converter,
    Registry,
    SupportsClose,
    default_registry,
)
from hierdoc.plugin.decoding import decode, find_plain_title, find_title, front_matter, is_text

_MARKITDOWN = "pdf docx pptx xlsx xls csv json jsonl xml epub msg ipynb rss atom"

MARKITDOWN_SUFFIXES = frozenset(f".{name}" for name in _MARKITDOWN.split())
"""What the extra `markitdown` brings; for the hint where it is missing."""

SPECIALISTS = {
    ".pdf": "pdf",
    ".xml": "xml",
    ".rst": "rst",
    ".rest": "rst",
    ".docx": "docx",
    ".epub": "ebook",
    ".odt": "ebook",
}
"""The extra that reads a suffix best; for hints where it is missing."""

_READABLE = frozenset((".rst", ".rest"))
"""Formats with an extra that are read as plain text without it: their markup is meant for people too."""


class MarkdownConverter:
    """Markdown as it is; its front matter stays in the text and becomes metadata too."""

    suffixes = (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd")

    async def convert(self, source: Source) -> Document:
        """The document.

        Raises:
            ConversionError: The file is no text.
        """
        return await asyncio.to_thread(_convert_markdown, source)


class TextConverter:
    """Plain text as it is; its document says so, and what looks like markdown in it is taken for that only with care."""

    suffixes = (".txt", ".text", ".org")

    async def convert(self, source: Source) -> Document:
        """The document.

        Raises:
            ConversionError: The file is no text.
        """
        return await asyncio.to_thread(_convert_text, source)


_READ_AS_TEXT = (".org",)
"""Suffixes of formats with marks of their own, which a plugin may know better than the converter of plain text does."""


class AutoConverter:
    """Chooses by the file's suffix: what comes with hierdoc, else the installed plugin that claims the fewest suffixes.

    Org mode is read as text, unless a plugin claims it.
    Plugins are opened with their default settings, those with `limits` with these, and not before a file needs one. A file that nobody claims is
    converted as plain text if it is clearly text, and its format is not one of `EXTRAS` that means little as bare text;
    its document says so in `notes`.

    Args:
        registry: Where plugins are looked up; this process's by default.
        limits: What the conversion of one file may take; by default what each plugin says.
    """

    def __init__(
        self, registry: Registry | None = None, limits: ConversionLimits | None = None
    ) -> None:
        self._registry = registry
        self._limits = limits
        self._lock = threading.Lock()

    @property
    def suffixes(self) -> Collection[str]:
        """All that can be read; the plugins are only asked about suffixes that hierdoc does not read itself."""
        return _Suffixes(self)

    async def convert(self, source: Source) -> Document:
        """The document.

        Raises:
            UnsupportedFormatError: No installed converter reads the file's format.
            ConversionError: The file is damaged, encrypted or not what its name says.
        """
        converter = self.built_in.get(source.suffix)
        if converter is None or source.suffix in _READ_AS_TEXT:
            plugins = await asyncio.to_thread(self.plugins)
            converter = plugins.get(source.suffix, converter)
        if converter is None:
            return await self._as_text(source)
        return await converter.convert(source)

    async def aclose(self) -> None:
        """Close the plugins' converters that were opened."""
        if "_plugins" in vars(self):
            for converter in self._plugins.opened:
                if isinstance(converter, SupportsClose):
                    await converter.aclose()

    @cached_property
    def built_in(self) -> Mapping[str, Converter]:
        """What comes with hierdoc, by suffix."""
        return _by_suffix([MarkdownConverter(), TextConverter()])

    def plugins(self) -> Mapping[str, Converter]:
        """What the installed plugins bring, by suffix; imports them at the first call."""
        with self._lock:
            return self._plugins.by_suffix

    @cached_property
    def _plugins(self) -> _Plugins:
        registry = self._registry or default_registry()
        opened: list[Converter] = []
        problems: list[str] = []
        for registered in registry.providers(ComponentKind.CONVERTER):
            provider = registered.provider
            if registered.distribution == "hierdoc-core":
                continue
            try:
                limited = self._limits and "limits" in provider.config.model_fields
                config = provider.config(**({"limits": self._limits} if limited else {}))
                opened.append(registry.open(ComponentKind.CONVERTER, config))
            except ValidationError as error:
                fields = ", ".join(".".join(map(str, one["loc"])) for one in error.errors())
                problems.append(f"{provider.name}: needs settings: {fields}")
            except Exception as error:  # reported where a format finds no converter
                problems.append(f"{provider.name}: {error}")
        problems += [f"{plugin.name}: {plugin.reason}" for plugin in registry.broken]
        return _Plugins(opened, _by_suffix(opened), problems)

    async def _as_text(self, source: Source) -> Document:
        """A file that no converter claims, as bare text with a note that says so."""
        suffix = source.suffix
        has_extra = suffix in MARKITDOWN_SUFFIXES or suffix in SPECIALISTS
        if (has_extra and suffix not in _READABLE) or not is_text(source.data):
            self._refuse(suffix, source.name)
        document = await TextConverter().convert(source)
        return replace(document, notes=(_bare(suffix),))

    def _refuse(self, suffix: str, name: str) -> NoReturn:
        what = f"reads {suffix} files" if suffix else "reads it: it has no suffix and is not text"
        problems = "; ".join(self._plugins.problems)
        raise UnsupportedFormatError(
            f"{name}: no installed converter {what}"
            + (f" (plugins that cannot be used: {problems})" if problems else ""),
            hint=self._hint(suffix),
        )

    def _hint(self, suffix: str) -> str:
        extra = _extra(suffix)
        if extra:
            return f"pip install 'hierdoc[{extra}]'"
        readable = ", ".join(sorted(self.suffixes))
        return f"Convert it to a format that can be read: {readable}."


@dataclass(frozen=True)
class _Plugins:
    """The installed plugins' converters, and why some cannot be used."""

    opened: Sequence[Converter]
    by_suffix: Mapping[str, Converter]
    problems: Sequence[str]


class _Suffixes:
    """The suffixes that an `AutoConverter` reads; a collection that imports plugins as late as it can."""

    def __init__(self, auto: AutoConverter) -> None:
        self._auto = auto

    def __contains__(self, suffix: object) -> bool:
        return suffix in self._auto.built_in or suffix in self._auto.plugins()

    def __iter__(self) -> Iterator[str]:
        return iter({**self._auto.built_in, **self._auto.plugins()})

    def __len__(self) -> int:
        return len({**self._auto.built_in, **self._auto.plugins()})


def _extra(suffix: str) -> str | None:
    """What to install for files of this suffix."""
    return SPECIALISTS.get(suffix) or ("markitdown" if suffix in MARKITDOWN_SUFFIXES else None)


def _bare(suffix: str) -> str:
    """The note on a file that was read as bare text."""
    extra = _extra(suffix)
    way = (
        f"`pip install 'hierdoc[{extra}]'`, then `hierdoc ingest --force`"
        if extra
        else "convert it to markdown or HTML"
    )
    return f"{suffix or 'a file without a suffix'} is read as bare text; for its structure {way}"


def _by_suffix(converters: Collection[Converter]) -> dict[str, Converter]:
    """For each suffix the converter that claims the fewest, the specialist."""
    found: dict[str, Converter] = {}
    for converter in sorted(converters, key=lambda one: len(one.suffixes)):
        for suffix in converter.suffixes:
            found.setdefault(suffix, converter)
    return found


def _convert_markdown(source: Source) -> Document:
    text = decode(source.data, source.name)
    metadata = front_matter(text)
    title = find_title(text, metadata, source.name)
    return Document(source.name, title, text, metadata=metadata)


def _convert_text(source: Source) -> Document:
    text = decode(source.data, source.name)
    return Document(source.name, find_plain_title(text, source.name), text, plain_text=True)
