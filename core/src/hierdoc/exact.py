"""The exact leg: citations, headings and quoted phrases, looked up in the store.

    "Article I, Section 2"      the section that a citation names, within the others that it names
    "Rationale"                 a query that is a heading
    "reasonable best efforts"   a phrase in double quotes, word for word

Nothing is scanned: sections and headings are fields of the records, phrases are the keyword backend's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

from hierdoc.filters import And, Contains, Equals, Filter, Or
from hierdoc.models import Hit, LegScore
from hierdoc.protocols import Capability, KeywordBackend, SupportsPhrases, VectorBackend
from hierdoc.records import Record
from hierdoc.structure.numbering import find_citations, heading_key, section_key

_BEGINS, _GOES_ON, _ENCLOSES = 1.0, 0.9, 0.5
"""Scores: the cited section begins here, goes on here, or is not there but what encloses it is."""

_CITATIONS = 4
"""Citations of one query that are looked up."""

_WORD = re.compile(r"[^\W_]+")
_PHRASE = re.compile(r'["“”„«]([^"“”„«»]{2,400})["“”»]')
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
    """

    record: Record
    score: float
    why: str
    section_id: str | None = None
    named: int = 0

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
    found = await _cited(vector, query, limit, filter)
    found += await _headed(vector, query, limit, filter)
    found += await _quoted(vector, keyword, query, limit, filter)
    best: dict[str, ExactMatch] = {}
    for match in found:
        if match.record.id not in best or best[match.record.id].score < match.score:
            best[match.record.id] = match
    matches = list(best.values())
    if len(matches) > 1:
        words = set(_WORD.findall(query.casefold()))
        matches = [replace(match, named=_named(match.record, words)) for match in matches]
    matches.sort(
        key=lambda match: (
            -match.score,
            -match.named,
            match.record.chunk.source,
            match.record.chunk.ordinal,
        )
    )
    return matches[:limit]


def quoted_phrases(query: str) -> list[str]:
    """What the query has in double quotes."""
    return [phrase for phrase in _PHRASE.findall(query) if _plain(phrase)]


def finds_phrases(keyword: KeywordBackend | None) -> TypeGuard[SupportsPhrases]:
    """Whether there is a keyword backend that claims to find phrases."""
    return keyword is not None and Capability.PHRASES in keyword.capabilities


async def find_section(vector: VectorBackend, reference: str) -> Sequence[Hit]:
    """The whole text of the sections that a citation, an id or a heading names, in document order."""
    name = reference.strip()
    found = await _look_up(vector, name, name, _SECTIONS, None)
    found = found or await _cited(vector, reference, _SECTIONS, None)
    found = found or await _headed(vector, reference, _SECTIONS, None)
    hits: dict[str, Hit] = {}
    for named in dict.fromkeys((match.record.chunk.source, match.section_id) for match in found):
        source, section_id = named
        if section_id is None:
            continue
        within = Or(Contains("section_keys", section_id), Contains("ancestor_keys", section_id))
        for record in await vector.find(And(Equals("source", source), within), _WHOLE_SECTION):
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
    units = {citation.key: citation.unit for citation in find_citations(query)}
    keys = list(units)[:_CITATIONS]
    found: list[ExactMatch] = []
    if len(keys) > 1:
        for key in keys:
            around = [Contains("ancestor_keys", other) for other in keys if other != key]
            scope = And(*around, *([filter] if filter else []))
            found += await _look_up(vector, key, units[key], limit, scope)
    for key in [] if found else keys:
        found += await _look_up(vector, key, units[key], limit, filter)
    return found


async def _look_up(
    vector: VectorBackend, key: str, unit: str, limit: int, filter: Filter | None
) -> list[ExactMatch]:
    """Records of the section with this key or, where there is none, of the nearest around it, up to its unit."""
    for narrowed in _enclosing(key, unit):
        records = await vector.find(_both(Contains("section_keys", narrowed), filter), limit)
        if records:
            return [_as_match(record, key, narrowed) for record in records]
    return []


def _as_match(record: Record, key: str, narrowed: str) -> ExactMatch:
    begun = [
        section.id
        for section in record.chunk.sections
        if narrowed in (section.id, section_key(section.title))
    ]
    section_id = begun[0] if begun else record.chunk.section_id
    if narrowed != key:
        return ExactMatch(record, _ENCLOSES, f"{narrowed} encloses the cited {key}", section_id)
    if begun:
        return ExactMatch(record, _BEGINS, f"the cited {key} begins here", section_id)
    return ExactMatch(record, _GOES_ON, f"the cited {key} goes on here", section_id)


def _enclosing(key: str, unit: str) -> Iterable[str]:
    """`sec_203_a_1`, `sec_203_a`, and last the unit, `sec_203`."""
    while len(key) > len(unit):
        yield key
        key = key.rpartition("_")[0]
    yield unit


async def _headed(
    vector: VectorBackend, query: str, limit: int, filter: Filter | None
) -> list[ExactMatch]:
    heading = heading_key(query)
    if not heading:
        return []
    records = await vector.find(_both(Contains("headings", heading), filter), limit)
    return [
        ExactMatch(record, _BEGINS, "the query is its heading", _headed_section(record, heading))
        for record in records
    ]


def _headed_section(record: Record, heading: str) -> str | None:
    named = [
        section.id
        for section in record.chunk.sections
        if heading_key(section.title).endswith(heading)
    ]
    return named[0] if named else record.chunk.section_id


async def _quoted(
    vector: VectorBackend,
    keyword: KeywordBackend | None,
    query: str,
    limit: int,
    filter: Filter | None,
) -> list[ExactMatch]:
    """Records whose text holds every quoted phrase, word for word but for case, white space, quotes and dashes."""
    phrases = quoted_phrases(query)
    if not phrases or not finds_phrases(keyword):
        return []
    held: list[set[str]] = []
    for phrase in phrases:
        matches = await keyword.search_phrase(phrase, limit, filter)
        held.append({match.chunk_id for match in matches})
    records = await vector.get(sorted(set.intersection(*held)))
    quoted = [
        record
        for record in records
        if all(_plain(phrase) in _plain(record.chunk.text) for phrase in phrases)
    ]
    return [ExactMatch(record, _BEGINS, "it holds the quoted words") for record in quoted]


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
