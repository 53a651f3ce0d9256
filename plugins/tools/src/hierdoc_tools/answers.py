"""What the tools do: each takes an index and arguments, and gives a reply that fits its budget.

Nothing here changes an index or reads a file.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote

from hierdoc.errors import CapabilityError, QueryError
from hierdoc.filters import Filter, In
from hierdoc.models import Chunk, Hit, Section
from hierdoc_tools import limits
from hierdoc_tools.arguments import (
    Arguments,
    Defining,
    Listing,
    Outlining,
    Reading,
    Referring,
    Searching,
    ToolError,
    sentence,
)
from hierdoc_tools.limits import cut, tokens
from hierdoc_tools.replies import (
    SCHEME,
    Cited,
    Citing,
    DefinedTerm,
    DefineReply,
    DocumentEntry,
    DocumentsReply,
    FoundChunk,
    MissingCitation,
    OutlineEntry,
    OutlineReply,
    ReferencesReply,
    SearchReply,
    SectionReply,
    SectionText,
    document_uri,
    fenced,
    place_fields,
    section_uri,
)
from hierdoc_tools.sections import SMALLEST_PART, NamedSection, citing, named_sections

if TYPE_CHECKING:
    from hierdoc.index import AsyncIndex

logger = logging.getLogger("hierdoc_tools")

T = TypeVar("T")

_OVERHEAD = 60
"""Tokens of a reply kept for what stands around its entries."""

_PLACE = 40
"""Tokens of the line that says where a text stands."""

_MOST_CITING = 200
"""Places that cite a section and are looked at."""

_MOST_LEVELS = 20
_DEEPEST = 1_000


async def search(index: AsyncIndex, given: Searching) -> SearchReply:
    """The chunks that answer a query."""
    place = await _within(index, given.documents, given.under)
    result = await index.search(
        given.query,
        top_k=given.top_k or min(index.config.search.top_k, limits.TOP_K),
        mode=given.mode,
        filter=place,
        where=given.where,
        as_of=given.as_of,
    )
    first = _number(given.cursor, len(result.hits))
    left = given.budget_tokens - _OVERHEAD
    hits: list[FoundChunk] = []
    for hit in result.hits[first:]:
        found = _found(hit, details=given.details)
        around = tokens(found.line()) + tokens(fenced(""))
        if hits and around + tokens(found.text) > left:
            break
        text = cut(found.text, max(left - around, SMALLEST_PART))
        if len(text) < len(found.text.rstrip()):
            found = found.model_copy(update={"text": text, "truncated": True})
        hits.append(found)
        left -= around + tokens(text)
    end = first + len(hits)
    return SearchReply(
        hits=hits,
        found=len(result.hits),
        next_cursor=str(end) if end < len(result.hits) else None,
        low_confidence=result.low_confidence,
        ambiguous=list(result.ambiguous),
        scope=list(result.scope),
        missing=[
            MissingCitation(text=one.text, nearest=list(one.nearest)) for one in result.missing
        ],
        definitions=list(_used(result.hits, hits, left)) if not first else [],
        notes=[f"Searched without the {one.leg} leg: {one.reason}" for one in result.degraded],
    )


def _found(hit: Hit, *, details: bool) -> FoundChunk:
    further: dict[str, Any] = {}
    if details:
        scores = {leg: asdict(one) for leg, one in hit.scores.items()}
        boxes = [asdict(one) for one in hit.chunk.boxes]
        further = {"scores": scores, "why": hit.why, "boxes": boxes or None}
    return FoundChunk(
        **place_fields(hit.chunk, hit.section_id),
        rank=hit.rank,
        score=round(hit.score, 4),
        certain=hit.certain,
        ambiguous=hit.ambiguous,
        kind=hit.chunk.kind,
        metadata=hit.to_dict()["metadata"],
        text=hit.chunk.text,
        **further,
    )


def _used(hits: Sequence[Hit], shown: Sequence[FoundChunk], room: int) -> Iterator[DefinedTerm]:
    """Definitions that come with hits, each once, unless a text that is shown has it; as far as there is room."""
    for one in dict.fromkeys(one for hit in hits for one in hit.definitions):
        cost = tokens(one.text) + _PLACE
        if cost <= room and not any(one.text in found.text for found in shown):
            room -= cost
            yield DefinedTerm.of(one)


async def section(index: AsyncIndex, given: Reading) -> SectionReply:
    """The text of the sections that a reference names."""
    named = await _sections(index, given.reference, given.documents)
    first, offset = _section_and_offset(given.cursor, len(named))
    others = [one.place() for one in named[1:]] if given.cursor is None else []
    left = given.budget_tokens - _OVERHEAD
    others = _fitting(others, left // 3, lambda one: tokens(one.line()) + 5)
    left -= sum(tokens(one.line()) + 5 for one in others)
    shown: list[SectionText] = []
    cursor = None
    start, end = named[first].span
    if offset and not start <= offset < end:
        raise ToolError(*_BAD_CURSOR, where="cursor", kind="arguments")
    for number, one in enumerate(named[first:], start=first):
        if shown and left < SMALLEST_PART + _PLACE:
            cursor = f"{number}:0"
            break
        text = one.read(offset, left - _PLACE)
        offset = 0
        shown.append(text)
        left -= tokens(text.text) + _PLACE
        if text.truncated:
            cursor = f"{number}:{text.char_end}"
            break
    return SectionReply(sections=shown, others=others[len(shown) - 1 :], next_cursor=cursor)


async def outline(index: AsyncIndex, given: Outlining) -> OutlineReply:
    """The section tree of a document, or what of it lies in a section."""
    source = await _one_document(index, given.document)
    tree = await index.outline(source)
    if given.under is not None:
        named = await _sections(index, given.under, [source])
        wanted = {one.section.id for one in named if one.section}
        if wanted:
            tree = tuple(one for one, _ in _walk(tree, _DEEPEST) if one.id in wanted)
    depth = given.depth or _fitting_depth(tree, given.budget_tokens - _OVERHEAD)
    entries = list(_entries(tree, depth))
    beginning = await index.beginnings(filter=In("source", [source]))
    shown, cursor = _page(entries, given, lambda one: _cost(one.title, one.section_id, one.depth))
    return OutlineReply(
        source=source,
        title=beginning[0].title if beginning else "",
        depth=depth,
        sections=shown,
        found=len(entries),
        next_cursor=cursor,
    )


def _entries(tree: Sequence[Section], depth: int) -> Iterator[OutlineEntry]:
    for one, level in _walk(tree, depth):
        yield OutlineEntry(
            section_id=one.id,
            title=one.title,
            level=one.level,
            depth=level,
            line_start=one.line_start,
            page_start=one.page_start,
            below=sum(1 for _ in _walk(one.children, _DEEPEST)),
        )


def _fitting_depth(tree: Sequence[Section], room: int) -> int:
    """How many levels fit, at least one."""
    costs: Counter[int] = Counter()
    for one, level in _walk(tree, _MOST_LEVELS):
        costs[level] += _cost(one.title, one.id, level)
    totals = accumulate(costs[level] for level in sorted(costs))
    return max(sum(1 for _ in takewhile(lambda total: total <= room, totals)), 1)


def _cost(title: str, section_id: str, depth: int) -> int:
    """Tokens of an entry of an outline."""
    return tokens(title) + tokens(section_id) + 8 + depth


def _walk(sections: Sequence[Section], depth: int) -> Iterator[tuple[Section, int]]:
    """Sections in document order with how deep they lie, down to a depth."""
    waiting = [(one, 0) for one in reversed(sections)]
    while waiting:
        one, level = waiting.pop()
        yield one, level
        if level + 1 < depth:
            waiting += [(child, level + 1) for child in reversed(one.children)]


async def define(index: AsyncIndex, given: Defining) -> DefineReply:
    """What documents say that a term means."""
    with _naming_tools(_DOCUMENTS_HINT):
        found = await index.define(given.term, documents=given.documents)
    if not found:
        return DefineReply(nearest=list(await index.terms_like(given.term)))
    room = given.budget_tokens - _OVERHEAD - _PLACE
    terms = [DefinedTerm.of(one) for one in found]
    short = [one.model_copy(update={"text": cut(one.text, room)}) for one in terms]
    shown, cursor = _page(short, given, lambda one: tokens(one.line()) + 5)
    return DefineReply(definitions=shown, next_cursor=cursor)


async def references(index: AsyncIndex, given: Referring) -> ReferencesReply:
    """What a section cites, and what cites it."""
    named = await _sections(index, given.reference, given.documents)
    entries: list[Cited | Citing] = []
    found: dict[str, int] = {}
    notes: list[str] = []
    if len(named) > 1:
        notes.append(f"{len(named)} sections are called so; name the document with `in` for one.")
    if given.direction != "cited_by":
        entries += list(
            {one.model_dump_json(): one for each in named for one in each.cites()}.values()
        )
        found["cites"] = len(entries)
    if given.direction != "cites":
        hits = await index.citing(given.reference, _MOST_CITING, documents=given.documents)
        places = [one for hit in hits for one in citing(hit, named)]
        entries += places
        found["cited_by"] = len(places)
        if len(hits) == _MOST_CITING:
            notes.append(f"{_MOST_CITING} places or more cite it; these are the first.")
    shown, cursor = _page(entries, given, _cost_of_reference)
    return ReferencesReply(
        section=named[0].place() if len(named) == 1 else None,
        cites=[one for one in shown if isinstance(one, Cited)],
        cited_by=[one for one in shown if isinstance(one, Citing)],
        found=found,
        next_cursor=cursor,
        notes=notes,
    )


def _cost_of_reference(one: Cited | Citing) -> int:
    if isinstance(one, Cited):
        return tokens(f"{one.text}{one.source}{one.section_id}") + 8
    return tokens(f"{one.line()}{one.excerpt}") + 8


async def documents(index: AsyncIndex, given: Listing) -> DocumentsReply:
    """The documents of the index."""
    held = await index.documents()
    place = await _within(index, given.documents)
    names = sorted(place.values if isinstance(place, In) else held)
    if given.where is not None or given.as_of is not None:
        fitting = await index.beginnings(filter=place, where=given.where, as_of=given.as_of)
        names = [chunk.source for chunk in fitting]
    first = _number(given.cursor, len(names))
    page = names[first : first + limits.PAGE]
    begins: dict[str, Chunk] = {}
    try:
        found = await index.beginnings(filter=In("source", page)) if page else ()
        begins = {chunk.source: chunk for chunk in found}
    except CapabilityError:
        logger.info("the store cannot look up titles", exc_info=True)
    left = given.budget_tokens - _OVERHEAD
    shown: list[DocumentEntry] = []
    for name in page:
        entry = _entry(name, begins.get(name), held[name].records if name in held else 0)
        left -= tokens(entry.line()) + 5
        if shown and left < 0:
            break
        shown.append(entry)
    end = first + len(shown)
    cursor = str(end) if end < len(names) else None
    return DocumentsReply(documents=shown, found=len(names), next_cursor=cursor)


def _entry(name: str, begins: Chunk | None, chunks: int) -> DocumentEntry:
    entry = DocumentEntry(source=name, chunks=chunks, uri=document_uri(name))
    if begins:
        entry.title, entry.language = begins.title, begins.language
        entry.metadata = Hit(1, 0.0, {}, begins).to_dict()["metadata"]
    return entry


async def resource(index: AsyncIndex, uri: str) -> str:
    """The text of a section, or the outline of a document with the resources of its sections.

    Raises:
        ToolError: There is none of this URI.
    """
    if not uri.startswith(SCHEME):
        raise ToolError(f"There is no resource {uri[:200]!r}.", kind="missing")
    source, separator, wanted = uri.removeprefix(SCHEME).partition("/sections/")
    source, wanted = unquote(source), unquote(wanted)
    if source not in await index.documents():
        raise ToolError(f"The index holds no document called {source[:200]!r}.", kind="missing")
    if separator:
        (first, *_) = await _sections(index, wanted, [source])
        part = first.read(0, limits.MOST_TOKENS)
        rest = f"\n\n[Cut after {limits.MOST_TOKENS:,} tokens: the tool `section` reads on.]"
        return part.text + (rest if part.truncated else "")
    shown = await outline(index, Outlining(document=source, budget_tokens=limits.MOST_TOKENS))
    lines = [
        f"{'  ' * one.depth}- {one.title or one.section_id} <{section_uri(source, one.section_id)}>"
        for one in shown.sections
    ]
    if shown.next_cursor:
        lines += ["", "[More sections: the tool `outline` goes on.]"]
    return "\n".join([f"# {shown.title or source}", "", *lines])


# Names


async def _sections(
    index: AsyncIndex, reference: str, documents: Sequence[str]
) -> list[NamedSection]:
    """The sections that a reference names in these documents, or in all.

    Raises:
        ToolError: There is none.
    """
    with _naming_tools(_DOCUMENTS_HINT):
        named = named_sections(await index.section(reference, documents=documents))
    if not named:
        shown = reference if len(reference) <= 80 else f"{reference[:80]}..."
        where = " in these documents" if documents else ""
        raise ToolError(f"No section is called {shown!r}{where}.", _SECTIONS_HINT, kind="missing")
    return named


async def _within(
    index: AsyncIndex, documents: Sequence[str], under: Sequence[str] = ()
) -> Filter | None:
    """What `AsyncIndex.within` gives."""
    with _naming_tools(_DOCUMENTS_HINT):
        place = await index.within(documents=documents)
    if not under:
        return place
    with _naming_tools(_SECTIONS_HINT):
        return await index.within(documents=documents, under=under)


@contextmanager
def _naming_tools(hint: str) -> Iterator[None]:
    """Let an error about names lead to a tool where it leads to a command."""
    try:
        yield
    except QueryError as error:
        own = error.hint if error.hint and "`hierdoc " not in error.hint else hint
        raise ToolError(sentence(str(error)), own, kind="missing") from None


_DOCUMENTS_HINT = "`documents` lists the names."
_SECTIONS_HINT = "`outline` shows the sections of a document, `search` finds text."


async def _one_document(index: AsyncIndex, name: str) -> str:
    place = await _within(index, [name])
    assert isinstance(place, In)
    sources = list(place.values)
    if len(sources) > 1:
        some = ", ".join(sources[:5])
        raise ToolError(
            f"{len(sources)} documents are called so ({some}, ...).", "Name one of them."
        )
    return sources[0]


# Pages


def _page(
    entries: Sequence[T], given: Arguments, cost: Callable[[T], int]
) -> tuple[list[T], str | None]:
    """The entries from the cursor on that fit, at least one, and where to go on."""
    first = _number(given.cursor, len(entries))
    rest = entries[first:]
    shown = _fitting(rest, given.budget_tokens - _OVERHEAD, cost) or list(rest[:1])
    end = first + len(shown)
    return shown, str(end) if end < len(entries) else None


def _fitting(entries: Sequence[T], room: int, cost: Callable[[T], int]) -> list[T]:
    """The first entries, as many as fit."""
    totals = accumulate(map(cost, entries))
    return [one for one, total in zip(entries, totals, strict=True) if total <= room]


def _number(cursor: str | None, end: int) -> int:
    """Which entry a cursor means.

    Raises:
        ToolError: None of them.
    """
    if cursor is None:
        return 0
    if not re.fullmatch("[0-9]{1,9}", cursor) or int(cursor) >= end:
        raise ToolError(*_BAD_CURSOR, where="cursor", kind="arguments")
    return int(cursor)


def _section_and_offset(cursor: str | None, end: int) -> tuple[int, int]:
    """Which section a cursor means, and where in its document to go on."""
    number, _, offset = (cursor or "0:0").partition(":")
    if not re.fullmatch("[0-9]{1,12}", offset):
        raise ToolError(*_BAD_CURSOR, where="cursor", kind="arguments")
    return _number(number, end), int(offset)


_BAD_CURSOR = (
    "`cursor` is not of this call.",
    "Give `next_cursor` of the reply before as it is, and the same arguments otherwise.",
)
