"""Markdown splitters of other libraries behind one function each, as far as they can be imported."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hierdoc import Document
from hierdoc.defaults.chunkers import StructureChunker


@dataclass(frozen=True)
class Part:
    """A piece that a splitter made.

    Attributes:
        text: It.
        headings: Those above it and its own, as the splitter says; None where it says none.
        start: Where it begins in the document, as the splitter says; None where it does not.
    """

    text: str
    headings: tuple[str, ...] | None
    start: int | None


Split = Callable[[str], Sequence[Part]]

CHARACTERS = 3200
"""What splitters without a tokenizer get for 800 tokens."""


def splitters() -> tuple[dict[str, Split], list[str]]:
    """All that can be imported, hierdoc first, and the names of those that cannot."""
    found: dict[str, Split] = {"hierdoc": hierdoc()}
    missing = []
    for name, module, make in _PEERS:
        try:
            importlib.import_module(module)
            found[name] = make()
        except ImportError:
            missing.append(name)
    return found, missing


def hierdoc(**options: Any) -> Split:
    """The structure chunker with its defaults, definitions and references aside unless they are asked for."""
    chosen: dict[str, Any] = {"extract_definitions": False, "extract_references": False, **options}
    chunker = StructureChunker(**chosen)

    def split(text: str) -> list[Part]:
        chunks = chunker.chunk(Document("a.md", "a", text))
        return [
            Part(
                one.text,
                (*one.parent_chain, *(section.title for section in one.sections)),
                one.char_start,
            )
            for one in chunks
        ]

    return split


def _haystack() -> Split:
    from haystack import Document
    from haystack.components.preprocessors import MarkdownHeaderSplitter

    splitter = MarkdownHeaderSplitter()

    def split(text: str) -> list[Part]:
        made = splitter.run(documents=[Document(content=text)])["documents"]
        return [
            Part(
                one.content,
                (*one.meta.get("parent_headers", ()), one.meta.get("header") or ""),
                one.meta.get("split_idx_start"),
            )
            for one in made
        ]

    return split


def _langchain() -> Split:
    from langchain_text_splitters import MarkdownHeaderTextSplitter

    splitter = MarkdownHeaderTextSplitter([("#" * level, str(level)) for level in range(1, 7)])

    def split(text: str) -> list[Part]:
        return [
            Part(one.page_content, tuple(map(str, one.metadata.values())), None)
            for one in splitter.split_text(text)
        ]

    return split


def _llama_index() -> Split:
    from llama_index.core.node_parser import MarkdownNodeParser
    from llama_index.core.schema import Document

    parser = MarkdownNodeParser()

    def split(text: str) -> list[Part]:
        return [
            Part(
                one.get_content(),
                (
                    *filter(None, str(one.metadata.get("header_path", "")).split("/")),
                    *_own_heading(one.get_content()),
                ),
                getattr(one, "start_char_idx", None),
            )
            for one in parser.get_nodes_from_documents([Document(text=text)])
        ]

    return split


def _own_heading(text: str) -> tuple[str, ...]:
    line = text.lstrip().partition("\n")[0]
    return (line.lstrip("# "),) if line.startswith("#") else ()


def _semantic_text_splitter() -> Split:
    from semantic_text_splitter import MarkdownSplitter

    splitter = MarkdownSplitter(CHARACTERS)
    return lambda text: [Part(part, None, start) for start, part in splitter.chunk_indices(text)]


def _chonkie() -> Split:
    from chonkie import RecursiveChunker

    chunker = RecursiveChunker(tokenizer="character", chunk_size=CHARACTERS)
    return lambda text: [Part(one.text, None, one.start_index) for one in chunker.chunk(text)]


_PEERS: tuple[tuple[str, str, Callable[[], Split]], ...] = (
    ("haystack", "haystack.components.preprocessors", _haystack),
    ("langchain", "langchain_text_splitters", _langchain),
    ("llama-index", "llama_index.core.node_parser", _llama_index),
    ("semantic-text-splitter", "semantic_text_splitter", _semantic_text_splitter),
    ("chonkie", "chonkie", _chonkie),
)
