"""What comes with hits: definitions of the terms that a query uses, where references lead, more of a section, citations that lead nowhere.

All by look-up in the store: records declare the keys of their documents (in `ancestor_keys`), of what they cite
(`reference_keys`) and the terms that they define (`terms`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import lru_cache

from hierdoc.citations import GENERIC, Citation, find_citations, spelt_out
from hierdoc.errors import CapabilityError
from hierdoc.filters import And, Contains, Equals, Filter, Or, Under
from hierdoc.models import Chunk, Definition, Expand, Hit, LegScore, MissingCitation, Reference
from hierdoc.plugin.protocols import VectorBackend
from hierdoc.plugin.records import Record, cited_keys
from hierdoc.search.certainty import is_lacking, may_be_told_missing
from hierdoc.search.exact import named_sections
from hierdoc.search.lookup import Alternatives, LookUp
from hierdoc.search.matches import ExactMatch
from hierdoc.search.query import Query
from hierdoc.text.language import sentence_ends
from hierdoc.text.stemming import stop_words

# Definitions


def definition_lookup(query: Query, sources: Iterable[str] = ()) -> Alternatives:
    """How the definitions of terms that the query uses are looked up; see `used_terms`.

    Args:
        query: What is asked.
        sources: The documents whose definitions are wanted; of any document without.
    """
    terms = _candidates(query.text)
    if not terms:
        return []
    uses: Filter = Or(*(Contains("terms", term) for term in sorted(terms)))
    of_these = Or(*(Equals("source", source) for source in sorted(sources))) if sources else None
    return [LookUp(And(of_these, uses) if of_these else uses, DEFINING_RECORDS)]


def used_terms(query: Query, records: Iterable[Record]) -> tuple[Definition, ...]:
    """Definitions of terms that the query uses, of the longest terms first; `governing` chooses those of a hit.

    Args:
        query: What is asked.
        records: What `definition_lookup` finds.
    """
    terms = _candidates(query.text)
    found = dict.fromkeys(one for record in records for one in record.chunk.definitions)
    used = [one for one in found if one.term.casefold() in terms]
    used.sort(key=lambda one: (-len(one.term), one.term, one.source))
    return tuple(used)


def governing(
    definitions: Iterable[Definition], chunk: Chunk, most: int = 3
) -> tuple[Definition, ...]:
    """The definitions that govern a chunk: of its own document, and of a section around it where they are limited to one.

    Of each term those with the narrowest scope are kept, then those that stand nearest. None is longer than the chunk.

    Args:
        definitions: What to choose from.
        chunk: What they are to explain.
        most: How many at most.
    """
    own = [one for one in definitions if one.source == chunk.source]
    if not own:
        return ()
    around = {key: -place for place, key in enumerate(chunk.ancestor_keys)}
    around |= dict.fromkeys(chunk.section_keys, -len(around))
    if chunk.section_id:
        around[chunk.section_id] = -len(around)
    best: dict[str, list[tuple[tuple[int, int], Definition]]] = {}
    for one in own:
        if one.scope is None or one.scope in around:
            nearness = (around.get(one.scope or "", 1), around.get(one.section_id or "", 1))
            best.setdefault(one.term.casefold(), []).append((nearness, one))
    chosen = [
        found
        for candidates in best.values()
        for found in candidates
        if found[0] == min(nearness for nearness, _ in candidates)
    ]
    chosen.sort(key=lambda found: (found[0][0], -len(found[1].term), found[0][1]))
    return tuple(_within(one, len(chunk.text)) for _, one in chosen[:most])


def _within(definition: Definition, limit: int) -> Definition:
    """The definition, its text cut at the end of a sentence or else of a word where it is longer."""
    text = definition.text
    if len(text) <= limit:
        return definition
    ends = sentence_ends(text, 0, limit)
    end = ends[-1] if ends else max(text.rfind(" ", 0, limit), 0)
    return replace(definition, text=text[: end or limit].rstrip())


def spellings(term: str) -> list[str]:
    """How a document may write a term, itself first: in the singular, in the plural, with other endings or an article."""
    words = term.casefold().split()[:_LONGEST_TERM]
    found = {" ".join(term.casefold().split()): None}
    for word in reversed(range(len(words))):
        for known in list(found):
            parts = known.split()
            for other in _inflected(words[word]) if len(found) < _MOST_SPELLINGS else ():
                found[" ".join([*parts[:word], other, *parts[word + 1 :]])] = None
    return [*found, f"the {next(iter(found))}"]


def _inflected(word: str) -> Iterator[str]:
    for ending, others in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            for other in others:
                yield word[: len(word) - len(ending)] + other


def nearest_terms(term: str, terms: Iterable[str], most: int = 5) -> list[str]:
    """Defined terms that a term may have been meant for, the likeliest first: those that hold its words, and those written like it.

    Args:
        term: What was looked for.
        terms: All that are defined.
        most: How many at most.
    """
    wanted = term.casefold().split()
    known = {other for word in wanted for other in (word, *_inflected(word))}
    likeness = SequenceMatcher(b=" ".join(wanted), autojunk=False)
    scored = []
    for one in dict.fromkeys(terms):
        folded = one.casefold()
        likeness.set_seq1(folded)
        score = 0.0
        if likeness.real_quick_ratio() >= _LIKE and likeness.quick_ratio() >= _LIKE:
            score = likeness.ratio()
        parts = set(folded.split())
        shared = len(known & parts) / max(len(wanted), len(parts))
        if max(score, shared) >= _LIKE or shared >= 0.5:
            scored.append((-max(score, shared), one))
    return [one for _, one in sorted(scored)[:most]]


@lru_cache(maxsize=8)
def _candidates(query: str) -> frozenset[str]:
    """Runs of a query's words that may be defined terms, each also in the singular."""
    words = query.casefold().split()[:_QUERY_WORDS]
    words = [word.strip("\"'“”‘’„«».,;:!?()") for word in words]
    runs = {
        " ".join(words[start : start + length])
        for length in range(1, _LONGEST_TERM + 1)
        for start in range(len(words) - length + 1)
        if words[start] not in _FUNCTION_WORDS and words[start + length - 1] not in _FUNCTION_WORDS
    } - {""}
    return frozenset(runs).union(
        run[: -len(ending)] + other
        for run in runs
        for ending, other in _PLURALS
        if run.endswith(ending) and len(run) - len(ending) >= _SHORTEST_STEM
    )


_LONGEST_TERM = 4
"""Words of a defined term that the query is searched for."""

_QUERY_WORDS = 24
"""Words of the query in which defined terms are looked for."""

DEFINING_RECORDS = 40
"""Records with definitions of terms in the query that are looked at; where there are more, those of the hits' documents are."""

_PLURALS = (("ies", "y"), ("s", ""))
"""Endings of words in the query, and those of the terms they may stand for."""

_ENDINGS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("ies", ("y",)), ("es", ("", "e")), ("s", ("",)), ("aux", ("al",)), ("en", ("", "e")), ("er", ("", "e")), ("n", ("",)),
    ("e", ("", "er", "en", "es")), ("y", ("ies",)), ("al", ("aux",)), ("", ("s", "es", "e", "n", "en", "er")),
)  # fmt: skip
"""Endings in the languages of laws, and what stands in their place in another number or case."""

_SHORTEST_STEM = 3
_MOST_SPELLINGS = 120
_LIKE = 0.72
"""How alike a term must be to be suggested, of 1."""

_FUNCTION_WORDS = stop_words(("en",))
"""No defined term begins or ends with one, or they would outnumber the others."""


# References

_MOST_LINKS = 60
"""References of one result that are looked up in other documents."""

_FEWEST_RECORDS, _RECORDS_EACH = 24, 4
"""Records that are looked at, at least, and for each reference."""

_Target = tuple[str, str]
"""The key of a work, and that of a section in it; the work's own again where it is meant as a whole."""


async def with_links(vector: VectorBackend, hits: Sequence[Hit]) -> list[Hit]:
    """The hits, their references to other ingested documents resolved; unresolved where no document has such a section."""
    wanted: dict[_Target, None] = {}
    for hit in hits:
        for reference in hit.references:
            if _leads_elsewhere(reference) and len(wanted) < _MOST_LINKS:
                wanted[_target(reference)] = None
    if not wanted:
        return list(hits)
    try:
        limit = max(_FEWEST_RECORDS, _RECORDS_EACH * len(wanted))
        records = await vector.find(_any_of(wanted), limit)
    except CapabilityError:
        return list(hits)
    found = {target: _begins(target, records) for target in wanted}
    return [
        replace(hit, references=tuple([_linked(one, found) for one in hit.references]))
        if any(map(_leads_elsewhere, hit.references))
        else hit
        for hit in hits
    ]


async def citing(
    vector: VectorBackend, reference: str, limit: int, filter: Filter | None = None
) -> list[Hit]:
    """The chunks that cite a section or a document, in the order of the store's documents; of their references those that do.

    Args:
        vector: Holds the records.
        reference: A citation, a section id or a heading.
        limit: How many chunks at most.
        filter: Where the cited section stands; anywhere without.
    """
    wanted: dict[_Cited, None] = {}
    for match in await named_sections(vector, reference, filter):
        wanted |= dict.fromkeys(_citing(match))
    if not wanted:
        return []
    records = await vector.find(Or(*map(_cites, wanted)), limit)
    records = sorted(records, key=lambda record: (record.chunk.source, record.chunk.ordinal))
    return [
        Hit(
            rank,
            1.0,
            {"exact": LegScore(rank, 1.0)},
            record.chunk,
            True,
            references=tuple(_those_citing(wanted, record)),
        )
        for rank, record in enumerate(records, start=1)
    ]


_Cited = tuple[str | None, str]
"""By which entry of `reference_keys` a section is cited, and in which document; in any without one."""


def _cites(cited: _Cited) -> Filter:
    source, key = cited
    holds = Contains("reference_keys", key)
    return And(Equals("source", source), holds) if source else holds


def _those_citing(wanted: Iterable[_Cited], record: Record) -> Iterator[Reference]:
    keys = {key for source, key in wanted if source in (None, record.chunk.source)}
    for reference in record.chunk.references:
        if not keys.isdisjoint(cited_keys((reference,))):
            yield reference


def _citing(match: ExactMatch) -> Iterable[_Cited]:
    """How a record cites this section: one of its own document, or one that names its document."""
    chunk = match.record.chunk
    works = [key for key in chunk.ancestor_keys if key not in GENERIC]
    if match.document:
        return [(None, f"{match.document}:")]
    if match.section_id is None:
        return []
    keys = {match.section_id}
    keys |= {
        key for section in chunk.sections if section.id == match.section_id and (key := section.key)
    }
    others = [(None, f"{work}:{key}") for work in works for key in sorted(keys)]
    return [(chunk.source, match.section_id), *others]


def _leads_elsewhere(reference: Reference) -> bool:
    return bool(reference.work) and not reference.resolved and reference.work not in GENERIC


def _target(reference: Reference) -> _Target:
    return reference.work, reference.keys[-1] if reference.keys else reference.work


def _any_of(targets: Iterable[_Target]) -> Filter:
    whole: list[Filter] = []
    inside: dict[str, dict[str, None]] = {}
    for work, key in targets:
        if work == key:
            whole.append(Contains("section_keys", work))
        else:
            inside.setdefault(work, {}).update(dict.fromkeys(_enclosing(key)))
    parts = [
        And(
            Contains("ancestor_keys", work),
            Or(*(Contains("section_keys", key) for key in keys)),
        )
        for work, keys in inside.items()
    ]
    return Or(*whole, *parts)


def _enclosing(key: str) -> list[str]:
    """`sec_203_a_1`, `sec_203_a`, `sec_203`."""
    parts = key.split("_")
    return ["_".join(parts[:count]) for count in range(len(parts), 1, -1)]


def _begins(target: _Target, records: Sequence[Record]) -> Record | None:
    """The record in which the section begins, or the nearest around it that there is; None where several documents have it."""
    work, key = target
    for wanted in [key] if key == work else _enclosing(key):
        held = [
            record
            for record in records
            if wanted in record.chunk.section_keys and (work in record.chunk.ancestor_keys)
        ]
        if held:
            several = len({record.chunk.source for record in held}) > 1
            return None if several else min(held, key=lambda record: record.chunk.ordinal)
    return None


def _linked(reference: Reference, found: dict[_Target, Record | None]) -> Reference:
    target = _target(reference)
    record = found.get(target) if _leads_elsewhere(reference) else None
    if record is None:
        return reference
    chunk = record.chunk
    keys = set(_enclosing(target[1]))
    held = [section.id for section in chunk.sections if {section.id, section.key} & keys]
    section_id = held[0] if held else (chunk.section_id or target[1])
    if target[0] == target[1]:
        section_id = target[0]
    return replace(
        reference, section_id=section_id, resolved=True, chunk_ids=(record.id,), source=chunk.source
    )


# More of a section


async def expanded(vector: VectorBackend, hits: Sequence[Hit], expand: Expand) -> list[Hit]:
    """The hits, each with other chunks of its section.

    `parent` gives the chunks of the section that the hit's own lies in, its own included, up to 12 and those nearest to the
    hit; `siblings` the one before and the one after it within that section.

    Args:
        vector: Holds the records; claims `FILTER_PREFIX`, `FILTER_EQUALS` and `FILTER_AND`.
        hits: Of one search.
        expand: How far.

    Raises:
        CapabilityError: The backend does not claim these.
    """
    if expand == "none":
        return list(hits)
    return [replace(hit, more=await _around(vector, hit.chunk, expand)) for hit in hits]


_MOST_AROUND = 12
"""Chunks that a hit is given at most."""

_SECTION = 1_000
"""Chunks of one section that are looked at."""


async def _around(vector: VectorBackend, chunk: Chunk, expand: Expand) -> tuple[Chunk, ...]:
    parent = chunk.parent_chain[:-1]
    place: Filter = Equals("source", chunk.source)
    if parent:
        place = And(place, Under(parent))
    records = await vector.find(place, _SECTION)
    others = [one.chunk for one in records if one.chunk.id != chunk.id]
    others.sort(key=lambda one: (abs(one.ordinal - chunk.ordinal), one.ordinal))
    if expand == "siblings":
        others = [one for one in others if abs(one.ordinal - chunk.ordinal) == 1]
    return tuple(sorted(others[:_MOST_AROUND], key=lambda one: one.ordinal))

    # Citations that lead nowhere


async def missing_citations(
    vector: VectorBackend,
    query: Query,
    matches: Iterable[ExactMatch],
    filter: Filter | None,
    titles: Iterable[str] = (),
) -> tuple[MissingCitation, ...]:
    """The citations of a query that nothing which the exact leg found belongs to.

    Args:
        vector: Holds the records; claims `FILTER_CONTAINS`, `FILTER_OR` and `FILTER_AND`.
        query: What is asked.
        matches: What the exact leg found.
        filter: Which records to consider.
        titles: Of the documents that other legs found.
    """
    matches = list(matches)
    answered = {one.asked for one in matches if one.is_asked_for}
    citations = [
        one for one in query.citations if may_be_told_missing(one) and one.key not in answered
    ][:_CITATIONS]
    if not citations:
        return ()
    found = [one.record for one in matches]
    held = {
        key for record in found for key in (*record.chunk.section_keys, *record.chunk.ancestor_keys)
    }
    for title in {*titles, *(record.chunk.title for record in found)}:  # `PART 410—SNOW LOADS`
        held |= {one.key for one in find_citations(title)}
    held |= {key for key, whole in query.joined.items() if whole in held}
    lacking = {one.key: one for one in citations if is_lacking(one, found, held)}
    return tuple(
        [
            MissingCitation(one.text, one.key, await _nearest(vector, one, filter))
            for one in lacking.values()
            if one.work not in lacking  # without the work, it goes without saying
        ]
    )


_CITATIONS = 4
"""Citations of one query that are looked at."""

_REACH = 20
"""How far off a number may be that counts as near."""

_MOST_NEAR = 3
"""Nearest ones that are named."""

_RECORDS_NEAR = 100
_LAST_NUMBER = re.compile(r"[0-9]{1,6}(?=[a-z]?\Z)")


async def _nearest(
    vector: VectorBackend, citation: Citation, filter: Filter | None
) -> tuple[str, ...]:
    unit = citation.unit
    number = _LAST_NUMBER.search(unit)
    if not number:
        return ()
    own = int(number[0])
    near = {
        f"{unit[: number.start()]}{other}": abs(other - own)
        for other in range(max(0, own - _REACH), own + _REACH + 1)
        if other != own
    }
    asked: Filter = Or(*(Contains("section_keys", key) for key in near))
    try:
        records: Sequence[Record] = await vector.find(
            asked if filter is None else And(asked, filter), _RECORDS_NEAR
        )
    except CapabilityError:
        return ()
    there = {key for record in records for key in record.chunk.section_keys if key in near}
    nearest = sorted(there, key=lambda key: (near[key], key))[:_MOST_NEAR]
    label, *others = re.split(rf"(?<![0-9]){number[0]}(?![0-9])", citation.text)
    if len(others) != 1:
        return tuple(map(spelt_out, nearest))
    return tuple(f"{label}{key[number.start() :]}" for key in nearest)
