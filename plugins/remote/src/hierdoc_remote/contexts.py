"""Contextual retrieval: a model situates each chunk within its document, in a sentence or two that are indexed with it.

The document comes first in every request and the chunk last, so that servers which keep prefixes read the document once. The first
request of a document goes out alone, for what it makes the server keep serves the others.

The method is Anthropic's ("Introducing Contextual Retrieval", 2024).
"""

from __future__ import annotations

import asyncio
import logging
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hierdoc import Chunk, Document, HierdocError, Usage
from hierdoc.plugin import without_surrogates
from hierdoc.structure import ChunkMaker, Cutter, place_of
from hierdoc.text.language import estimate_tokens, fits
from hierdoc_remote import ContextConfig
from hierdoc_remote.account import Account
from hierdoc_remote.cache import DiskCache, cache_key
from hierdoc_remote.chat import ChatModel, Question, filled, without_thoughts
from hierdoc_remote.patience import AccessError

logger = logging.getLogger("hierdoc")

_VERSION = 1
"""Counts the changes to this module that change contexts."""

_FAILURES_IN_A_ROW = 10
"""After so many the server is asked only once for each document, until it answers again."""

_CHARACTERS_PER_TOKEN = 8
"""More of an answer than so many for each of its tokens is no language."""

_LONGEST_ANSWER = 100_000
"""Characters of an answer that are looked at, thoughts included."""

_OPENING, _OUTLINE = 32, 8
"""Of a large document's window, the shares that its opening and its outline may take: one of so many."""

_MARKUP = re.compile(r"<[|/!]?[A-Za-z][^<>]{0,200}>")
_LINK = re.compile(r"!?\[([^\[\]]{0,500})\]\([^()]{0,2000}\)")


class GeneratedContexts:
    """Context generator that asks a model behind an API.

    A chunk's context is its place in the document, as that of `structural`, and on the next line what the model says. Answers are kept
    on disk by model, prompts, document, headings and the chunk's text, each as soon as it comes. What else changes in a document does not make a
    chunk's context stale: a re-ingest asks about changed chunks alone.

    Args:
        config: What is asked.
        chat: Whom.
    """

    def __init__(self, config: ContextConfig, chat: ChatModel) -> None:
        self._config = config
        self._chat = chat
        self._cache = DiskCache(config.cache_path / "contexts.sqlite")
        self._failures = 0
        self.account = Account(config.provider, config.prices, config.max_cost)

    @property
    def usage(self) -> Usage:
        """What was asked for since the generator was opened."""
        return self.account.usage

    async def generate(self, document: Document, chunks: Sequence[Chunk]) -> Sequence[str | None]:
        """A context for each chunk; None where the model could not be asked this time.

        Raises:
            AccessError: The key, the address or the model is wrong.
            CostLimitError: The ingest has cost what it may.
        """
        keys = await asyncio.to_thread(self._keys, document, chunks)
        held = await self._cache.get(list(dict.fromkeys(keys)))
        said = {key: value.decode() for key, value in held.items()}
        missing = {key: one for key, one in zip(keys, chunks, strict=True) if key not in said}
        if missing:
            said |= await self.ask_about(document, missing)
        return [
            "\n".join(filter(None, [place_of(document, chunk), said[key]])) if key in said else None
            for key, chunk in zip(keys, chunks, strict=True)
        ]

    @property
    def max_cost(self) -> float | None:
        """What may be spent while it is open; None for anything."""
        return self._config.max_cost

    async def estimate(self, document: Document, chunks: Sequence[Chunk]) -> Usage:
        """What `generate` would ask for, if the server does with prefixes as it should and answers take all tokens that they may."""
        keys = await asyncio.to_thread(self._keys, document, chunks)
        held = await self._cache.get(list(dict.fromkeys(keys)))
        missing = {key: one for key, one in zip(keys, chunks, strict=True) if key not in held}
        windows = await self.windows(document, missing)
        usage = Usage()
        prompt = estimate_tokens(self._config.chunk_prompt)
        for prefix, group in windows:
            shared, requests = estimate_tokens(prefix), len(group)
            own = sum(prompt + estimate_tokens(chunk.text) for _, chunk in group)
            first, others = shared, (requests - 1) * shared
            written = first if self._chat.prefixes == "written" and requests > 1 else 0
            cached = 0 if self._chat.prefixes == "forgotten" else others
            read = own + first + others - written - cached
            usage += Usage(requests, read, written, cached, requests * self._config.max_tokens)
        return self.account.priced(usage)

    async def aclose(self) -> None:
        """Close connections and cache."""
        await self._chat.aclose()
        await self._cache.aclose()

    def _keys(self, document: Document, chunks: Sequence[Chunk]) -> list[str]:
        asked = cache_key(_VERSION, self._config.output_settings())
        place = [document.source, document.title]
        return [cache_key(asked, place, chunk.parent_chain, chunk.text) for chunk in chunks]

    async def ask_about(self, document: Document, missing: Mapping[str, Chunk]) -> dict[str, str]:
        """What the model says of these chunks, as far as it can be asked."""
        said: dict[str, str] = {}
        async with self._chat.turns.turn(len(missing)) as ended:
            for prefix, group in await self.windows(document, missing):
                said |= await self._one(prefix, *group[0], is_shared=len(group) > 1)
                ended()
                if self._failures < _FAILURES_IN_A_ROW:
                    said |= await self._all(prefix, group[1:], ended)
        return said

    async def windows(
        self, document: Document, missing: Mapping[str, Chunk]
    ) -> list[tuple[str, list[tuple[str, Chunk]]]]:
        """What requests begin with, each with the chunks that are asked about so, and their keys."""
        if not missing:
            return []
        limit = self._config.window_tokens
        starts, texts = await asyncio.to_thread(document_windows, document, limit)
        groups: dict[int, list[tuple[str, Chunk]]] = {}
        for key, chunk in missing.items():
            number = max(0, bisect_right(starts, chunk.char_start) - 1)
            groups.setdefault(number, []).append((key, chunk))
        prompt = self._config.document_prompt
        return [
            (filled(prompt, document=texts[number]), group)
            for number, group in sorted(groups.items())
        ]

    def question(self, prefix: str, chunk: Chunk, *, is_shared: bool) -> Question:
        """What is asked about a chunk, behind what requests of its window begin with."""
        return Question(prefix, filled(self._config.chunk_prompt, chunk=chunk.text), is_shared)

    async def take(self, key: str, answer: str, usage: Usage) -> str:
        """The context that an answer makes, kept on disk; what it took is counted."""
        self.account.add(usage)
        text = plain_context(answer, _CHARACTERS_PER_TOKEN * self._config.max_tokens)
        await self._cache.put({key: text.encode()})
        return text

    async def _all(
        self, prefix: str, group: Sequence[tuple[str, Chunk]], ended: Callable[[], None]
    ) -> dict[str, str]:
        said: dict[str, str] = {}
        left = iter(group)

        async def work() -> None:
            for key, chunk in left:
                if self._failures >= _FAILURES_IN_A_ROW:
                    return
                said.update(await self._one(prefix, key, chunk, is_shared=True))
                ended()

        tasks = [
            asyncio.create_task(work()) for _ in range(min(self._config.concurrency, len(group)))
        ]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return said

    async def _one(self, prefix: str, key: str, chunk: Chunk, *, is_shared: bool) -> dict[str, str]:
        """What the model says of a chunk, by its key; nothing where it could not be asked, which is logged."""
        self.account.require_budget()
        try:
            answer, usage = await self._chat.ask(self.question(prefix, chunk, is_shared=is_shared))
        except AccessError:
            raise
        except HierdocError as error:
            self._failures += 1
            logger.warning("%s: no context for a chunk: %s", chunk.source, error)
            return {}
        self._failures = 0
        return {key: await self.take(key, answer, usage)}


def plain_context(answer: str, most: int) -> str:
    """What a model says, as one line of plain text: it read a document that anyone may have written.

    Thoughts, markup, links, and characters that do not show or turn the direction of text are left out.

    Args:
        answer: The model's.
        most: Characters.
    """
    plain = without_thoughts(without_surrogates(answer[:_LONGEST_ANSWER]))
    text = _LINK.sub(r"\1", _MARKUP.sub(" ", plain))
    shown = "".join(
        " " if category == "Cc" else character
        for character in text
        if (category := unicodedata.category(character)) not in ("Cf", "Co", "Cn", "Cs")
    )
    line = " ".join(shown.split())
    return line if len(line) <= most else line[:most].rpartition(" ")[0] or line[:most]


def document_windows(document: Document, limit: int) -> tuple[Sequence[int], Sequence[str]]:
    """The document in texts that a model can read: where each begins, and itself.

    One that fits is one text. Of a larger one each text has the title, the outline, the opening, and sections that follow each other; a
    section is cut only where it is too long by itself, at blank lines where possible.

    Args:
        document: With its sections.
        limit: Tokens of a text, at most, by estimate.
    """
    if fits(document.text, limit):
        return [0], [document.text]
    opening = _first_part(document.text, limit // _OPENING)
    outline = _outline(document, limit // _OUTLINE)
    head = f"{document.title}\n\n{outline}\n\n{opening}\n\n[...]\n\n"
    room = max(limit // 2, limit - estimate_tokens(head))
    starts: list[int] = []
    ends: list[int] = []
    tokens = 0
    for start, end in _pieces(document, room):
        more = estimate_tokens(document.text[start:end])
        if starts and tokens + more <= room:
            ends[-1], tokens = end, tokens + more
        else:
            starts.append(start)
            ends.append(end)
            tokens = more
    texts = [head + document.text[start:end] for start, end in zip(starts, ends, strict=True)]
    return starts, texts


def _pieces(document: Document, limit: int) -> list[tuple[int, int]]:
    """Sections and parts of sections that do not exceed the limit, in order."""
    cutter = Cutter(document.text, limit, 0)
    maker = ChunkMaker(document, references=False)
    return [
        (piece.start, piece.end)
        for span in maker.packed(cutter, limit, limit)
        for piece in cutter.cut(span.start, span.end, span.body)
    ]


def _first_part(text: str, limit: int) -> str:
    """What a text begins with, up to a blank line where there is one."""
    part = text[: 2 * limit]
    if len(part) < len(text):
        part = part.rpartition("\n\n")[0] or part
    return part.rstrip()


def _outline(document: Document, limit: int) -> str:
    """The titles of the sections, those of inner levels left out until it fits, and those at the end if it still does not."""
    sections = [(level, section.title) for level, section in _leveled(document)]
    for deepest in range(max((level for level, _ in sections), default=0), -1, -1):
        lines = [f"{'  ' * level}- {title[:120]}" for level, title in sections if level <= deepest]
        outline = "\n".join(lines)
        if fits(outline, limit):
            return outline
    return _first_part(outline, limit)


def _leveled(document: Document) -> list[tuple[int, Any]]:
    found: list[tuple[int, Any]] = []
    pending = [(0, section) for section in reversed(document.sections)]
    while pending:
        level, section = pending.pop()
        found.append((level, section))
        pending += [(level + 1, child) for child in reversed(section.children)]
    return found
