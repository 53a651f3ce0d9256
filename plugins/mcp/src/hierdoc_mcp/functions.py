"""The tools as plain functions that give text, for programs that take a Python function for a tool.

The configuration is the one that `hierdoc mcp` would find: `MCP_CONFIG`, `HIERDOC_CONFIG`, or `hierdoc.yaml` here or above. The index must
be there already: `hierdoc ingest` makes it. What cannot be answered is answered with the reason.
"""

from __future__ import annotations

import asyncio
import threading
from functools import cache
from typing import Any

from hierdoc_mcp.command import find_configuration
from hierdoc_tools.corpus import Corpus
from hierdoc_tools.tools import Tools


def search(query: str, document: str = "", top_k: int = 5) -> str:
    """Chunks of the documents that answer a question, each with its place.

    Args:
        query: A question, words, a citation, or a phrase in double quotes.
        document: The name of a document to search alone, or its end.
        top_k: How many chunks, 1 to 50.
    """
    return _call("search", query=query, documents=document, top_k=top_k)


def section(reference: str, document: str = "") -> str:
    """The text of a section.

    Args:
        reference: A citation, a section id or a heading.
        document: The name of the document that it stands in, or its end.
    """
    return _call("section", reference=reference, documents=document)


def outline(document: str) -> str:
    """The headings of a document with the ids of their sections.

    Args:
        document: Its name, or its end.
    """
    return _call("outline", document=document)


def define(term: str, document: str = "") -> str:
    """What documents say that a term means.

    Args:
        term: It.
        document: The name of a document to ask alone, or its end.
    """
    return _call("define", term=term, documents=document)


def references(reference: str, document: str = "") -> str:
    """What a section cites, and what cites it.

    Args:
        reference: A citation, a section id or a heading.
        document: The name of the document that it stands in, or its end.
    """
    return _call("references", reference=reference, documents=document)


def documents() -> str:
    """The documents that can be searched."""
    return _call("documents")


def _call(tool: str, documents: str = "", **arguments: Any) -> str:
    given = {**arguments, "in": [documents]} if documents else arguments
    tools, loop = _opened()
    return asyncio.run_coroutine_threadsafe(tools.call(tool, given), loop).result().text


@cache
def _opened() -> tuple[Tools, asyncio.AbstractEventLoop]:
    """The tools, on an event loop of their own: whoever calls may be on another."""
    config, _ = find_configuration(None, ())
    corpus = Corpus(config)
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="hierdoc-tools", daemon=True).start()
    asyncio.run_coroutine_threadsafe(corpus.__aenter__(), loop).result()
    return Tools(corpus), loop
