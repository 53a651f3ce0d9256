"""The exact leg: citations, headings and quoted phrases, looked up in the store.

    "Article I, Section 2"         the section that a citation names, within the others that it names
    "Rationale of EIP-1559"        a heading or defined term; see `named`
    "reasonable best efforts"      a phrase in double quotes, word for word
    Congress shall make no law     a query that stands word for word in a text

Nothing is scanned: sections and headings are fields of the records, phrases are the keyword backend's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

from hierdoc.citations import (
    find_query_citations,
    heading_key,
    meanings,
    section_key,
    split_heading,
)
from hierdoc.filters import And, Contains, Equals, Filter, Or
from hierdoc.models import Hit, LegScore
from hierdoc.plugin.capabilities import Capability
from hierdoc.plugin.protocols import KeywordBackend, SupportsPhrases, VectorBackend
from hierdoc.plugin.records import Record
from hierdoc.search.named import Named, named

_NAMED, _BEGINS, _GOES_ON, _ENCLOSES = 1.1, 1.0, 0.9, 0.5
"""Scores: the whole query names this; the cited section begins here, goes on here, or is not there but what encloses it is."""

_CITATIONS = 4
"""Citations of one query that are looked up."""

_INSIDE = 40
"""Numbers inside the ranges of a query, `Articles 15 to 22`, that are looked up."""

_WORD = re.compile(r"[^\W_]+")
_PHRASE = re.compile(r'["“”„«]([^"“”„«»]{2,400})["“”»]')
_SENTENCE, _LONGEST_SENTENCE = 5, 80
"""Words of a query without quotes that is looked for word for word."""

_END = " .,;:!?"
"""What a phrase may end with and the text may not."""

_SECTIONS = 20
"""Sections of one name, in different places, that `find_section` returns."""

_WHOLE_SECTION = 1000
"""Chunks of one section that `find_section` returns."""


@dataclass(frozen=True, slots=True)
class ExactMatch:
    """A record that the exact leg vouches for.

    Attributes:
        record: It.
        score: 1 for the very thing that was asked for, less for what belongs to it.
        why: In words, for people.
        section_id: The section that was named; None where it is not a section that was found.
        named: How many words of the query stand in the document's name, title or headings above: of equal matches, the one
            in the act that the query names is meant.
        likeness: Of several headings and terms that the query names those come first that it begins with ("Fees, Berths" asks for
            fees), then those of the kind that it asks for, then the longest and the one that is written alike.
    """

    record: Record
    score: float
    why: str
    section_id: str | None = None
    named: int = 0
    likeness: tuple[bool, bool, float] = (False, False, 0.0)
    document: str = ""

    @property
    def certain(self) -> bool:
        """Whether it is what was asked for, and not only what encloses that."""
        return self.score > _ENCLOSES


async def exact_leg(
    vector: VectorBackend,
    keyword: KeywordBackend | None,
    query: str,
    limit: int,
    filter: Filter | None = None,
) -> Sequence[ExactMatch]:
    """What can be found with certainty, best first, each record once.

    Args:
        vector: Holds the records; claims `FILTER_CONTAINS` and `FILTER_AND`.
        keyword: Asked for phrases if it can find them.
        query: As the user wrote it.
        limit: How many at most.
        filter: Which records to consider.
    """
    quoted = await _quoted(vector, keyword, query, limit, filter)
    rest = outside_quotes(query) if quoted else query
    found = await _cited(vector, rest, limit, filter)
    found += await _named_by(vector, keyword, rest, filter)
    found += quoted
    best: dict[str, ExactMatch] = {}
    for match in found:
        known = best.get(match.record.id)
        if known is None or known.score < match.score:
            best[match.record.id] = match
    matches = list(best.values())
    if len(matches) > 1:
        words = set(_WORD.findall(query.casefold())) - _cited_numbers(query)
        matches = [replace(match, named=_named(match.record, words)) for match in matches]
    matches.sort(
        key=lambda match: (
            -match.score,
            -match.named,
            tuple(-part for part in match.likeness),
            match.record.chunk.source,
            match.record.chunk.ordinal,
        )
    )
    return matches[:limit]


def quoted_phrases(query: str) -> list[str]:
    """What the query has in double quotes."""
    return [phrase for phrase in _PHRASE.findall(query) if _plain(phrase)]


def outside_quotes(query: str) -> str:
    """The query without its quoted phrases: what these cite or name is part of a text, and not asked for."""
    return _PHRASE.sub(" ", query)


def finds_phrases(keyword: KeywordBackend | None) -> TypeGuard[SupportsPhrases]:
    """Whether there is a keyword backend that claims to find phrases."""
    return keyword is not None and Capability.PHRASES in keyword.capabilities


async def named_sections(vector: VectorBackend, reference: str) -> Sequence[ExactMatch]:
    """Records of the sections that a citation, an id or a heading names."""
    name = reference.strip()
    found = await _look_up(vector, name, name, _SECTIONS, None)
    found = found or await _cited(vector, reference, _SECTIONS, None)
    return found or await _named_by(vector, None, reference, None)


async def find_section(vector: VectorBackend, reference: str) -> Sequence[Hit]:
    """The whole text of the sections that a citation, an id or a heading names, in document order."""
    found = await named_sections(vector, reference)
    hits: dict[str, Hit] = {}
    places = [(match.record.chunk.source, match.document or match.section_id) for match in found]
    for source, section_id in dict.fromkeys(places):
        if section_id is None:
            continue
        whole = And(Equals("source", source), _within(section_id))
        for record in await vector.find(whole, _WHOLE_SECTION):
            score = {"exact": LegScore(len(hits) + 1, _BEGINS)}
            chunk = record.chunk
            hits.setdefault(
                record.id,
                Hit(len(hits) + 1, _BEGINS, score, chunk, True, references=chunk.references),
            )
    return list(hits.values())


async def _cited(
    vector: VectorBackend, query: str, limit: int, filter: Filter | None
) -> list[ExactMatch]:
    """The sections that the query's citations name; several narrow each other down where sections lie within them."""
    citations = find_query_citations(query)
    units = {citation.key: citation.unit for citation in citations}
    keys = [key for key in units if not any(other.startswith(f"{key}_") for other in units)]
    keys = keys[:_CITATIONS]
    found: list[ExactMatch] = []
    for citation in citations[:_CITATIONS]:
        if citation.work and citation.work not in units:
            scope = _both(Contains("ancestor_keys", citation.work), filter)
            for key in citation.inside[:_INSIDE]:
                found += await _look_up(vector, key, key, limit, scope)
            found += await _look_up(vector, citation.key, citation.unit, limit, scope)
    if len(keys) > 1:
        for around in (_below, _within):
            for key in [] if found else keys:
                others = [around(other) for other in keys if other != key]
                scope = And(*others, *([filter] if filter else []))
                found += await _look_up(vector, key, units[key], limit, scope)
    if not found:
        inside = {key: key for citation in citations for key in citation.inside[:_INSIDE]}
        for key, unit in (*((key, units[key]) for key in keys), *inside.items()):
            found += await _look_up(vector, key, unit, limit, filter)
    return found


async def _look_up(
    vector: VectorBackend, key: str, unit: str, limit: int, filter: Filter | None
) -> list[ExactMatch]:
    """Records of the section with this key or, where there is none, of the nearest around it, up to its unit."""
    for meant, around in meanings(key, unit):
        for narrowed in _enclosing(meant, around):
            records = await vector.find(_both(Contains("section_keys", narrowed), filter), limit)
            if records:
                return [_as_match(record, meant, narrowed) for record in records]
    return []


def _as_match(record: Record, key: str, narrowed: str) -> ExactMatch:
    begun = [
        section.id
        for section in record.chunk.sections
        if narrowed in (section.id, section.key or section_key(section.title))
    ]
    section_id = begun[0] if begun else record.chunk.section_id
    if not begun and record.chunk.ordinal == 0 and narrowed in record.chunk.ancestor_keys:
        return ExactMatch(
            record, _BEGINS, f"the cited {key} is this document", section_id, document=narrowed
        )
    if narrowed != key:
        return ExactMatch(record, _ENCLOSES, f"{narrowed} encloses the cited {key}", section_id)
    if begun:
        return ExactMatch(record, _BEGINS, f"the cited {key} begins here", section_id)
    return ExactMatch(record, _GOES_ON, f"the cited {key} goes on here", section_id)


def _below(key: str) -> Filter:
    return Contains("ancestor_keys", key)


def _within(key: str) -> Filter:
    return Or(Contains("ancestor_keys", key), Contains("section_keys", key))


def _enclosing(key: str, unit: str) -> Iterable[str]:
    """`sec_203_a_1`, `sec_203_a`, and last the unit, `sec_203`."""
    while len(key) > len(unit):
        yield key
        key = key.rpartition("_")[0]
    yield unit


async def _named_by(
    vector: VectorBackend, keyword: KeywordBackend | None, query: str, filter: Filter | None
) -> list[ExactMatch]:
    """Records with a heading or term that the query names, but for headings that are a number alone: these are cited.

    One that a citation locates (`Trustee, Amendment 543`) is more than what the citation alone leads to.
    """
    cites = bool(find_query_citations(query))
    return [
        ExactMatch(
            one.record,
            _NAMED if one.fits or one.begins or cites else _BEGINS,
            f"it defines {one.name!r}" if one.is_term else f"its heading is {one.name!r}",
            _named_section(one),
            likeness=_likeness(one, query),
        )
        for one in await named(vector, keyword, query, filter)
        if any(map(str.isalpha, split_heading(one.name)[1]))
    ]


def _likeness(found: Named, query: str) -> tuple[bool, bool, float]:
    if not found.is_term:
        return found.begins, found.fits, 0.0
    written = {one.term for one in found.record.chunk.definitions}
    alike = any(one.casefold() == found.name and one in query for one in written)
    return found.begins, found.fits, len(found.name.split()) + alike / 2


def _named_section(found: Named) -> str | None:
    chunk = found.record.chunk
    if found.is_term:
        places = [one.section_id for one in chunk.definitions if one.term.casefold() == found.name]
    else:
        places = [
            section.id
            for section in chunk.sections
            if heading_key(section.title).endswith(found.name)
        ]
    return places[0] if places else chunk.section_id


async def _quoted(
    vector: VectorBackend,
    keyword: KeywordBackend | None,
    query: str,
    limit: int,
    filter: Filter | None,
) -> list[ExactMatch]:
    """Records whose text holds every quoted phrase, word for word but for case, white space, quotes and dashes.

    Without quotes the whole query is the phrase, if it is long enough to be a sentence.
    """
    if not finds_phrases(keyword):
        return []
    phrases = quoted_phrases(query)
    why = "it holds the quoted words"
    if not phrases:
        if not _SENTENCE <= len(query.split()) <= _LONGEST_SENTENCE or _mostly_cites(query):
            return []
        phrases, why = [query], "it holds the words of the query as they are"
    held: list[set[str]] = []
    for phrase in phrases:
        matches = await keyword.search_phrase(phrase, limit, filter)
        held.append({match.chunk_id for match in matches})
    ids = sorted(set.intersection(*held))
    records = await vector.get(ids) if ids else []
    wanted = [_plain(phrase).rstrip(_END) for phrase in phrases]
    texts = [(record, _plain(record.chunk.text)) for record in records]
    return [
        ExactMatch(record, _BEGINS, why)
        for record, text in texts
        if all(phrase in text for phrase in wanted)
    ]


def _mostly_cites(query: str) -> bool:
    """Whether a query is little more than citations: what holds its words then cites the same, and is not what it asks for."""
    return 2 * sum(len(one.text) for one in find_query_citations(query)) >= len(query)


def _cited_numbers(query: str) -> set[str]:
    """The numbers and letters of a query's citations: the 1 of `Section 3.1` does not name what stands in `PART 1`."""
    cited = " ".join(one.text for one in find_query_citations(query)).casefold()
    return {word for word in _WORD.findall(cited) if len(word) == 1 or not word.isalpha()}


def _named(record: Record, words: set[str]) -> int:
    chunk = record.chunk
    around = " ".join((chunk.source, chunk.title, *chunk.parent_chain[:-1])).casefold()
    return len(words.intersection(_WORD.findall(around)))


def _plain(text: str) -> str:
    """The text as a person compares it: one case, one kind of space, quote, dash and ligature."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("\u00ad", "")
    folded = re.sub(r"[‐-―−]", "-", re.sub(r"[‘’‚‛′]", "'", re.sub(r"[“”„‟«»″]", '"', folded)))
    return " ".join(folded.split())


def _both(filter: Filter, other: Filter | None) -> Filter:
    return filter if other is None else And(filter, other)
