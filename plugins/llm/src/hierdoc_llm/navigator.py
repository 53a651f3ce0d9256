"""The reranker that reads the outline: a chat model names the entries that lead to an answer, level by level.

The outline is that of the sections in which the hits stand, which hierdoc knows without a model; each hit is an entry by its first words. What the model
names makes one more ranking, joined to the fusion's by reciprocal ranks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any

from hierdoc import Hit, Usage
from hierdoc.text.language import estimate_tokens
from hierdoc_llm import OutlineConfig
from hierdoc_llm.asking import ModelReranker, shortened
from hierdoc_remote.chat import ChatModel, filled
from hierdoc_remote.contexts import plain_context

_K = 60
"""Of reciprocal rank fusion."""

_TITLE, _WORDS, _NUMBER, _REASON = 60, 24, 6, 200
"""Tokens of a title, of a hit's first words, of a number with its indent, and characters of a reason."""


@dataclass
class _Entry:
    """A document, a section, or a hit.

    Attributes:
        line: What is shown.
        ordinal: Of its first chunk.
        places: The places in the ranking of the hits in it, best first.
        inner: The entries in it by title.
    """

    line: str
    ordinal: int
    places: list[int] = field(default_factory=list)
    inner: dict[str, _Entry] = field(default_factory=dict)


@dataclass(frozen=True)
class _Line:
    """An entry as it is shown.

    Attributes:
        entry: It.
        level: How deep it stands, from 0.
        is_folded: Whether more stands in it than is shown.
    """

    entry: _Entry
    level: int
    is_folded: bool


class Navigator(ModelReranker):
    """Asks which parts of the outline lead to an answer.

    Args:
        config: What is shown, and how.
        chat: Whom.
    """

    def __init__(self, config: OutlineConfig, chat: ChatModel) -> None:
        super().__init__(config, chat)
        self._prompt, self._weight = config.prompt, config.weight
        self._tokens, self._requests = config.outline_tokens, config.requests

    async def rerank(self, query: str, hits: Sequence[Hit], limit: int) -> Sequence[Hit]:
        """The best `limit` of these hits; `why` says where the outline led to one.

        Raises:
            HierdocError: The model cannot be asked, or its answer is none.
        """
        if not hits:
            return []
        found = await self._found(query, outline(hits))
        scored = []
        for place, hit in enumerate(hits):
            score = 1 / (_K + 1 + place)
            if place in found:
                rank, reason = found[place]
                score += self._weight / (_K + 1 + rank)
                why = f"the outline leads here: {reason}" if reason else "the outline leads here"
                hit = replace(hit, why=f"{hit.why}; {why}" if hit.why else why)
            scored.append(replace(hit, score=score))
        return sorted(scored, key=lambda hit: -hit.score)[:limit]

    def estimate(self, hits: int, hit_tokens: int) -> Usage:
        """What one call with so many hits asks for, at most, however long they are."""
        asked = self._requests if hits else 0
        one = self._of_request(self._prompt, self._tokens)
        return sum((one for _ in range(asked)), Usage())

    async def _found(self, query: str, entries: Sequence[_Entry]) -> dict[int, tuple[int, str]]:
        """By place in the ranking, the rank that the outline gives a hit, and why."""
        found: dict[int, tuple[int, str]] = {}
        for left in reversed(range(self._requests)):
            lines = _shown(entries, self._tokens)
            named, entries = await self._named(query, lines, may_open=left > 0)
            for entry, reason in named:
                for place in entry.places:
                    found.setdefault(place, (len(found), reason))
            if not entries:
                break
        return found

    async def _named(
        self, query: str, lines: Sequence[_Line], *, may_open: bool
    ) -> tuple[list[tuple[_Entry, str]], list[_Entry]]:
        """The entries that the model names, with its reasons, and those that it opens."""
        can_open = {number for number, line in enumerate(lines, 1) if line.is_folded and may_open}
        shown = [
            f"{'  ' * line.level}{number} {'+ ' if number in can_open else ''}{line.entry.line}"
            for number, line in enumerate(lines, 1)
        ]
        prompt = filled(self._prompt, query=query, outline="\n".join(shown))
        number = {"type": "integer", "enum": list(range(1, len(lines) + 1))}
        section = _object(id=number, reason={"type": "string"})
        schema = _object(
            sections={"type": "array", "items": section}, open={"type": "array", "items": number}
        )
        entries = {number: line.entry for number, line in enumerate(lines, 1)}

        def read(answer: Mapping[str, Any]) -> tuple[list[tuple[_Entry, str]], list[_Entry]]:
            named = [
                (entries[one["id"]], plain_context(str(one.get("reason") or ""), _REASON))
                for one in answer["sections"]
            ]
            opened = {number: entries[number] for number in answer.get("open") or ()}
            return named, [entry for number, entry in opened.items() if number in can_open]

        return await self._ask(prompt, schema, read)


def outline(hits: Sequence[Hit]) -> Sequence[_Entry]:
    """The documents in which hits stand, the best first, with the sections around the hits."""
    documents: dict[str, _Entry] = {}
    for place, hit in enumerate(hits):
        chunk = hit.chunk
        pages = f" (p. {chunk.page_start})" if chunk.page_start else ""
        path = {
            chunk.source: chunk.title or chunk.source,
            **{f"{level} {title}": title for level, title in enumerate(chunk.parent_chain)},
        }
        inner = documents
        for key, title in path.items():
            entry = inner.setdefault(key, _Entry(shortened(title, _TITLE), chunk.ordinal))
            entry.ordinal = min(entry.ordinal, chunk.ordinal)
            entry.places.append(place)
            inner = entry.inner
        words = f"{shortened(chunk.text, _WORDS)}{pages}"
        inner[f"hit {place}"] = _Entry(words, chunk.ordinal, [place])
    return list(documents.values())


def _shown(entries: Sequence[_Entry], most: int) -> Sequence[_Line]:
    """Entries and what stands in them, as far as it fits in so many tokens: outer levels first and, of one level, where the best hits are."""
    kept: dict[int, list[_Entry]] = {}
    top = level = _fitting(sorted(entries, key=_best), most)
    room = most - _tokens(top)
    while level:
        inner: list[_Entry] = []
        for entry in sorted(level, key=_best):
            some = _fitting(sorted(entry.inner.values(), key=_best), room)
            kept[id(entry)] = sorted(some, key=lambda one: one.ordinal)
            room -= _tokens(some)
            inner += some
        level = inner
    lines = []
    left = [(entry, 0) for entry in reversed(top)]
    while left:
        entry, depth = left.pop()
        inside = kept[id(entry)]
        lines.append(_Line(entry, depth, len(inside) < len(entry.inner)))
        left += [(one, depth + 1) for one in reversed(inside)]
    return lines


def _fitting(entries: Sequence[_Entry], most: int) -> list[_Entry]:
    """The first of these whose lines fit."""
    sums = accumulate(_tokens([entry]) for entry in entries)
    return [entry for entry, tokens in zip(entries, sums, strict=True) if tokens <= most]


def _tokens(entries: Iterable[_Entry]) -> int:
    return sum(_NUMBER + estimate_tokens(entry.line) for entry in entries)


def _best(entry: _Entry) -> int:
    return entry.places[0]


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
