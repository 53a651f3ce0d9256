"""The exact leg: citations, headings, terms and quoted phrases, looked up in the store.

    "Article I, Section 2"           the section that a citation names, within the others that it names
    "Rationale of EIP-1559"          a heading, in the document that its name, title or headings account for
    "What does personal data mean?"  a defined term, where it is defined
    "reasonable best efforts"        a phrase in double quotes, word for word

Nothing is scanned: sections, headings and terms are fields of the records, phrases are the keyword backend's. All that a query may
mean is looked up at once, and of what is found the likeliest counts.
"""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import PurePosixPath
from typing import TypeGuard

from hierdoc.citations import (
    DIVISION,
    PARAGRAPH,
    Citation,
    heading_key,
    meanings,
    section_key,
    spelt_out,
    split_heading,
    without_gloss,
)
from hierdoc.citations.vocabulary import LABELS
from hierdoc.errors import CapabilityError
from hierdoc.filters import And, Contains, Equals, Filter, In, Or
from hierdoc.models import Chunk, Hit, LegScore, Section
from hierdoc.plugin.capabilities import Capability
from hierdoc.plugin.protocols import KeywordBackend, SupportsPhrases, VectorBackend
from hierdoc.plugin.records import Record
from hierdoc.search.called import CALLED, PERHAPS, UNTELLING, answers, is_cut_short
from hierdoc.search.certainty import judged, likeliest
from hierdoc.search.lookup import Alternatives, Found, LookUp, Stage, first_found
from hierdoc.search.matches import BEGINS, CODED, ENCLOSES, GOES_ON, NAMED, ExactMatch
from hierdoc.search.query import ANALYZER, Query
from hierdoc.structure.names import FIRST_OF_DOCUMENT
from hierdoc.text.analysis import Analyzer
from hierdoc.text.stemming import fold, stop_words
from hierdoc.text.words import words

_CITATIONS = 4
"""Citations of one query that are looked up."""

_INSIDE = 40
"""Numbers inside the ranges of a query, `Articles 15 to 22`, that are looked up."""

_SECTIONS = 20
"""Sections of one name, in different places, that `find_section` returns."""

_WHOLE_SECTION = 1000
"""Chunks of one section that `find_section` returns."""

_NAMES = 24
"""Records with a name from the query that are looked at."""

_OPENED = 64
"""Documents of which is looked up what they begin with."""

_LONGEST_OPENING = 3_000
"""Characters of that."""

_LONGEST_SUFFIX = 3
"""Capitals behind a number that may belong to it."""

_WORD = re.compile(r"[^\W_]+")


async def exact_leg(
    vector: VectorBackend,
    keyword: KeywordBackend | None,
    query: Query,
    limit: int,
    filter: Filter | None = None,
    *,
    sentences: bool = False,
    besides: Stage = (),
    gone: set[str] | None = None,
) -> tuple[Sequence[ExactMatch], Found]:
    """What can be found with certainty, best first, each record once.

    Args:
        vector: Holds the records; claims `FILTER_CONTAINS`, `FILTER_EQUALS` and `FILTER_AND`.
        keyword: Asked for phrases if it can find them.
        query: What is asked.
        limit: How many at most.
        filter: Which records to consider.
        sentences: Whether a query without quotes is looked for word for word, if it is long enough to be a sentence.
        besides: Look-ups of others, which are made in the same call.
        gone: Takes the ids that the keyword backend finds and the vector backend does not hold.

    Returns:
        The matches, and what was found besides.
    """
    gone = set() if gone is None else gone
    quoted = await _quoted(vector, keyword, query.phrases, limit, filter, gone)
    asked = query.unquoted if quoted and not asks_meaning(query.unquoted) else query
    if sentences and is_sentence(query):
        quoted = await _quoted(vector, keyword, (query.text,), limit, filter, gone)
        quoted = [replace(match, why=VERBATIM) for match in quoted]
    names = _Names(asked)
    questions = [_citing(asked, limit, filter), names.stages(filter), [besides]]
    if asked.citations:
        questions.append([_called(asked, filter)])
    cited, named, others, *works = await first_found(vector, questions)
    if keyword is not None:
        # Of hundreds of sections with one number the first by document were found: the named one may be behind them.
        full = [one for one, records in cited if len(records) >= one.limit]
        cited += [(one, await _closest(vector, keyword, query.text, one.filter)) for one in full]
    found = [_as_match(record, one, asked) for one, records in cited for record in records]
    if asked.citations:
        found += await _enclosing_at_least(vector, asked, found, limit, filter)
        found += await _numbered_alone(vector, asked, found, limit, filter)
        found += await _coded(vector, keyword, asked, limit, filter, gone)
    named_by = await _named_by(vector, keyword, names, named, filter)
    found += named_by
    terms = {one.name for one in named_by if one.is_term}
    if asks_meaning(query.unquoted) and terms.issuperset(map(heading_key, query.phrases)):
        quoted = []  # what is quoted is the term, which others use
    best: dict[str, ExactMatch] = {}
    for match in (*found, *quoted):
        known = best.get(match.record.id)
        if known is None or known.score < match.score:
            best[match.record.id] = match
    if not best:
        return [], others
    called = {
        one.key: {
            record.chunk.source for record in records if not is_cut_short(record.chunk, one.key)
        }
        for one, records in chain.from_iterable(works)
    }
    judgement = judged(list(best.values()), query, called)
    if asked.citations and asked.beside - UNTELLING and not any(one.certain for one in judgement):
        openings = await _openings(vector, judgement)
        judgement = judged(list(best.values()), query, called, openings)
    return judgement[:limit], others


async def named_sections(
    vector: VectorBackend, reference: str, filter: Filter | None = None
) -> Sequence[ExactMatch]:
    """Records of the sections that a citation, an id or a heading names, among those that a filter selects."""
    query, name = Query.parse(reference), reference.strip()
    names = _Names(query)
    by_key = _both(Contains("section_keys", name), filter)
    whole = LookUp(by_key, _SECTIONS, name, name, name)
    by_id, cited, named = await first_found(
        vector, [[[[whole]]], _citing(query, _SECTIONS, filter), names.stages(filter)]
    )
    found = [_as_match(record, one, query) for one, records in by_id or cited for record in records]
    found = likeliest(found)
    return found or await _named_by(vector, None, names, named, filter)


async def find_section(
    vector: VectorBackend, reference: str, filter: Filter | None = None
) -> Sequence[Hit]:
    """The whole text of the sections that a citation, an id or a heading names, in document order.

    `named` and `why` of the hit in which a section begins say which it is and how the reference leads to it.
    """
    found = await named_sections(vector, reference, filter)
    hits: dict[str, Hit] = {}
    places = {(one.record.chunk.source, one.document or one.section_id): one for one in found[::-1]}
    for (source, section_id), match in reversed(places.items()):
        if section_id is None:
            continue
        whole = And(Equals("source", source), _within(section_id))
        for record in await vector.find(whole, _WHOLE_SECTION):
            score = {"exact": LegScore(len(hits) + 1, BEGINS)}
            chunk = record.chunk
            certain = match.score != ENCLOSES
            hit = Hit(len(hits) + 1, BEGINS, score, chunk, certain, references=chunk.references)
            if any(one.id == section_id for one in chunk.sections):
                hit = replace(hit, named=section_id, why=match.why)
            hits.setdefault(record.id, hit)
    return list(hits.values())


async def within_section(vector: VectorBackend, reference: str) -> Filter | None:
    """What selects all that lies in the sections that a citation, an id or a heading names; None where there is none."""
    found = await named_sections(vector, reference)
    places = dict.fromkeys(
        (match.record.chunk.source, match.document or match.section_id) for match in found
    )
    parts = [And(Equals("source", source), _within(key)) for source, key in places if key]
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else Or(*parts)


# Citations


def _citing(query: Query, limit: int, filter: Filter | None) -> Sequence[Stage]:
    """How the sections that the citations name are looked up: within the works that are named, then within each other, then anywhere."""
    citations = query.citations
    units = {citation.key: citation.unit for citation in citations}
    keys = [key for key in units if not any(other.startswith(f"{key}_") for other in units)]
    keys = keys[:_CITATIONS]
    in_works: list[Alternatives] = []
    for citation in citations[:_CITATIONS]:
        if citation.work and citation.work not in units:
            scope = _both(Contains("ancestor_keys", citation.work), filter)
            named = {key: key for key in citation.inside[:_INSIDE]} | {citation.key: citation.unit}
            for key, unit in named.items():
                in_works += _narrowing(key, unit, limit, scope)
            if len(citation.work) <= _LONGEST_SUFFIX:  # `Article 46 AGD`, which may be its number
                key = f"{citation.key}-{citation.work}"
                scope = _both(Contains("section_keys", key), filter)
                in_works.append([LookUp(scope, limit, key, key, citation.key)])
    stages: list[Stage] = [in_works]
    works = {one.key: one.work for one in citations}
    for key, whole in query.joined.items():
        by_key = _both(Contains("section_keys", whole), filter)
        if works[key]:
            by_key = And(Contains("ancestor_keys", works[key]), by_key)
        in_works.append([LookUp(by_key, limit, whole, whole, key)])
    if len(keys) > 1:
        for around in (_below, _within):
            stage: list[Alternatives] = []
            for key in keys:
                others = [around(other) for other in keys if other != key]
                scope = And(*others, *([filter] if filter else []))
                stage += _narrowing(key, units[key], limit, scope)
            stages.append(stage)
    inside = {key: key for citation in citations for key in citation.inside[:_INSIDE]}
    anywhere = [(key, units[key]) for key in keys] + list(inside.items())
    last = [one for key, unit in anywhere for one in _narrowing(key, unit, limit, filter)]
    return [*stages, last]


def _called(query: Query, filter: Filter | None) -> Stage:
    """How the documents are looked up that are called just as the works which the query names."""
    works = dict.fromkeys(one.work for one in query.citations[:_CITATIONS] if one.work)
    first = Contains("section_keys", FIRST_OF_DOCUMENT)
    return [
        [LookUp(_both(And(first, Contains("ancestor_keys", work)), filter), _NAMES, work)]
        for work in works
    ]


async def _openings(vector: VectorBackend, matches: Iterable[ExactMatch]) -> Mapping[str, str]:
    """What the documents of the best matches begin with, where the store can tell."""
    sources = list(dict.fromkeys(one.record.chunk.source for one in matches))[:_OPENED]
    if Capability.FILTER_IN not in vector.capabilities:
        return {}
    first = And(Contains("section_keys", FIRST_OF_DOCUMENT), In("source", tuple(sources)))
    found = await vector.find(first, len(sources))
    return {one.chunk.source: one.chunk.text[:_LONGEST_OPENING] for one in found}


def _narrowing(key: str, unit: str, limit: int, filter: Filter | None) -> Sequence[Alternatives]:
    """For each meaning of a key the section that has it or, where there is none, the nearest around it, up to its unit."""
    return [
        [
            LookUp(by_key, limit, narrowed, meant, key, meaning)
            for narrowed in (*_enclosing(meant, around), *_division(around))
            for by_key in (_both(Contains("section_keys", narrowed), filter),)
        ]
        for meaning, (meant, around) in enumerate(meanings(key, unit))
    ]


def _division(unit: str) -> Iterable[str]:
    """Of `sec_8` the name of a division with sections such as 8.1, which is looked up last."""
    label, _, number = unit.partition("_")
    return [f"{DIVISION}{number}"] if label == "sec" and "_" not in number else []


async def _enclosing_at_least(
    vector: VectorBackend,
    query: Query,
    found: Sequence[ExactMatch],
    limit: int,
    filter: Filter | None,
) -> list[ExactMatch]:
    """The sections around levels that were found in other works alone: in the one that is named they bear no keys."""
    open_ones = [
        one
        for one in query.citations[:_CITATIONS]
        if one.work
        and one.key != one.unit
        and any(match.asked == one.key for match in found)
        and not any(match.asked == one.key and _may_be_of(match, one, query) for match in found)
    ]
    if not open_ones:
        return []
    stage = [
        [LookUp(_both(Contains("section_keys", around), filter), limit, around, meant, one.key, at)]
        for one in open_ones
        for at, (meant, around) in enumerate(meanings(one.key, one.unit))
    ]
    (around,) = await first_found(vector, [[stage]])
    return [_as_match(record, one, query) for one, records in around for record in records]


async def _numbered_alone(
    vector: VectorBackend,
    query: Query,
    found: Sequence[ExactMatch],
    limit: int,
    filter: Filter | None,
) -> list[ExactMatch]:
    """Sections with a number alone, in a document without the label by which it is cited: `Article 2` of a charter that writes `2. Fares`.

    They are shown and never certain: of a work that is named, or where one document alone has the number.
    """
    alone: list[ExactMatch] = []
    for one in query.citations[:_CITATIONS]:
        label, _, number = one.key.partition("_")
        known = any(
            match.asked == one.key and match.score > ENCLOSES and _may_be_of(match, one, query)
            for match in found
        )
        if label not in _UNLABELLED or known or Capability.FILTER_IN not in vector.capabilities:
            continue
        meant = f"sec_{number}"
        wanted: list[Filter] = [Contains("section_keys", meant)]
        if one.work:
            wanted.insert(0, And(Contains("ancestor_keys", one.work), wanted[0]))
        stages = [[[LookUp(_both(it, filter), limit, meant, meant, one.key, 1)]] for it in wanted]
        (numbered,) = await first_found(vector, [stages])
        matches = [_as_match(record, it, query) for it, records in numbered for record in records]
        matches = [it for it in matches if _is_bare(it) and _may_be_of(it, one, query, CALLED)]
        sources = {it.record.chunk.source for it in matches}
        if not sources or (not one.work and len(sources) > 1):
            continue
        labelled = And(In("source", tuple(sources)), Contains("section_keys", f"{label}_1"))
        others = {record.chunk.source for record in await vector.find(labelled, limit)}
        why = f"{one.text}: numbers stand alone here"
        alone += [
            replace(it, why=why, is_marked_so=False)
            for it in matches
            if it.record.chunk.source not in others
        ]
    return alone


def _may_be_of(match: ExactMatch, one: Citation, query: Query, least: int = PERHAPS) -> bool:
    """Whether the document of a match answers to the work of a citation, or the citation has none."""
    return not one.work or answers(match.record.chunk, one.work, query) >= least


def _is_bare(match: ExactMatch) -> bool:
    """Whether a section begins whose heading begins with its number."""
    begun = (one for one in match.record.chunk.sections if one.id == match.section_id)
    return any(one.title[:1].isdigit() for one in begun)


_UNLABELLED = ("art", "ch", "item")
"""Labels by which people cite what has none."""


def _as_match(record: Record, found: LookUp, query: Query) -> ExactMatch:
    """What a look-up for a citation found."""
    narrowed = found.key
    citation = next((one for one in query.citations if one.key == found.cited), None)
    cited = citation.text if citation else spelt_out(found.cited)
    begun = [one for one in record.chunk.sections if narrowed in (one.id, one.key)]
    # `§§ 5 bis 7 (repealed)` has no key of its own where it is not known for a section.
    begun = begun or [one for one in record.chunk.sections if narrowed == section_key(one.title)]
    section_id = begun[0].id if begun else record.chunk.section_id
    match = ExactMatch(
        record, BEGINS, f"{cited} begins here", section_id, found.cited, meaning=found.meaning
    )
    if not begun and record.chunk.ordinal == 0 and narrowed in record.chunk.ancestor_keys:
        return replace(match, why=f"{cited} is this document", document=narrowed)
    if narrowed.startswith(DIVISION):
        return _as_division(match, narrowed.removeprefix(DIVISION))
    if narrowed != found.meant:
        return replace(match, score=ENCLOSES, why=f"{spelt_out(narrowed)} encloses {cited}")
    if not begun:
        return replace(match, score=GOES_ON, why=f"{cited} goes on here")
    so = _is_marked_so(begun[0], narrowed, citation) and _is_called_so(record.chunk, citation)
    return replace(match, is_marked_so=so)


def _as_division(match: ExactMatch, number: str) -> ExactMatch:
    """A match for the division whose sections begin with a number, which no section has alone."""
    sections = match.record.chunk.sections
    begun = next((one for one in sections if one.key and one.key.endswith(f"_{number}")), None)
    title = begun.title if begun else (match.record.chunk.parent_chain or (number,))[-1]
    return replace(
        match,
        score=ENCLOSES,
        why=f"{title} has the sections of that number",
        section_id=begun.id if begun else match.section_id,
    )


def _is_marked_so(section: Section, begun: str, citation: Citation | None) -> bool:
    """Whether a section bears its number as it is cited: `2.1` is a heading's, the `(1)` of `2(1)` stands before a paragraph.

    Of an article either is a paragraph: `artículo 5.2`.
    """
    if citation and citation.key.startswith(f"{PARAGRAPH}_") and begun.startswith("sec_"):
        return False  # `paragraph 3` is no section 3
    if citation and citation.key.startswith("rule_") and begun.startswith("sec_"):
        return (
            section.title.lstrip()[:1] in _NUMBERED_ALONE
        )  # nor is `Rule 4` what is called `SEC. 4.`
    if citation is None or "_" not in citation.key.partition("_")[2] or begun.startswith("art_"):
        return True
    other = _ENUMERATOR if citation.unit == citation.key else _DECIMAL
    return other.match(section.title) is None


def _is_called_so(chunk: Chunk, citation: Citation | None) -> bool:
    """Whether the headings say what a number alone is cited as: the third chapter of a report is not its `recommendation 3`."""
    if citation is None or not citation.is_guess or not _SIMPLE_SECTION.match(citation.unit):
        return True
    word = _FIRST_WORD.match(citation.text)
    if word is None or word[0].lower() in (*_NUMBER_WORDS, citation.work):
        return True
    said = " ".join((chunk.title, *chunk.parent_chain)).casefold()
    return word[0].casefold()[:_STEM] in said


_SIMPLE_SECTION = re.compile(r"sec_[0-9]+\Z")
_FIRST_WORD = re.compile(r"[^\W\d_][\w-]*")
_NUMBER_WORDS = words("s ss ziffer ziff nummer nr no")
"""Words before a number that do not say what it counts."""

_STEM = 6
"""Letters that the singular and plural of such a word have in common."""

_NUMBERED_ALONE = frozenset("0123456789(")
_ENUMERATOR = re.compile(r"\(?\w{1,6}[.)](?!\w)")
_DECIMAL = re.compile(r"\D{0,12}[0-9]+\.[0-9]")


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


def _both(filter: Filter, other: Filter | None) -> Filter:
    return filter if other is None else And(filter, other)


# Codes


async def _coded(
    vector: VectorBackend,
    keyword: KeywordBackend | None,
    query: Query,
    limit: int,
    filter: Filter | None,
    gone: set[str],
) -> list[ExactMatch]:
    """Where the codes of a query stand: a heading, row or entry that begins with one says what it means."""
    codes = [one for one in query.citations if one.key.startswith(CODED)]
    found: list[ExactMatch] = []
    for one in codes:
        for match in await _quoted(vector, keyword, (one.text,), limit, filter, gone):
            chunk = match.record.chunk
            begun = re.search(
                rf"(?m)^(?:#+[ ](?:[^\W\d_]+[ ]){{0,2}}|[\W_]*){re.escape(one.text)}(?![\w-])",
                chunk.text,
            )
            if begun is None or begun[0].strip("#* \n") in chunk.title:
                why = f"{one.text} is mentioned here"
                found.append(replace(match, score=ENCLOSES, why=why, asked=one.key))
                continue
            place = chunk.char_start + begun.start()
            headed = [
                part.id
                for part in chunk.sections
                if place <= part.char_start < chunk.char_start + begun.end()
            ]
            section = headed[0] if headed else None
            why = f"{one.text} begins here"
            found.append(replace(match, why=why, asked=one.key, section_id=section))
    return found


# Phrases

VERBATIM = "it holds the words of the query as they are"
"""Why a chunk is certain that was not cited, named or quoted."""

_SENTENCE, _LONGEST_SENTENCE = 5, 80
"""Words of a query without quotes that is looked for word for word."""

_ASCII_WORD = re.compile(r"(?<!\w)[a-z]+(?!\w)")

_TELLING = 8
"""The longest words of phrases that are looked for before all else."""

_APOSTROPHES = re.compile(r"(?<=\w)'(?=\w)")
_END = " .,;:!?"
"""What a phrase may end with and the text may not."""


def finds_phrases(keyword: KeywordBackend | None) -> TypeGuard[SupportsPhrases]:
    """Whether there is a keyword backend that claims to find phrases."""
    return keyword is not None and Capability.PHRASES in keyword.capabilities


def is_sentence(query: Query) -> bool:
    """Whether a query without quotes is long enough to be looked for word for word."""
    long_enough = _SENTENCE <= len(query.text.split()) <= _LONGEST_SENTENCE
    return not query.phrases and long_enough and not query.mostly_cites


def holding(texts: Mapping[str, str], phrases: Iterable[str], *, loosely: bool = False) -> set[str]:
    """The names of the texts that have every phrase word for word, but for case, white space, quotes and dashes.

    Args:
        texts: By name.
        phrases: What is looked for.
        loosely: Whether no punctuation counts: `on-site` is `on site`, `commission's` is `commissions`.
    """
    if loosely:
        bare = [f" {_bare(phrase)} " for phrase in phrases]
        return {
            name
            for name, text in texts.items()
            if all(phrase.strip() and phrase in f" {_bare(text)} " for phrase in bare)
        }
    wanted = [_plain(phrase).rstrip(_END) for phrase in phrases]
    # Most texts lack one of the long words, which is quicker to see than to bring a text into plain form.
    telling = sorted(set(_ASCII_WORD.findall(" ".join(wanted))), key=len, reverse=True)[:_TELLING]
    held: set[str] = set()
    for name, text in texts.items():
        folded = text.casefold()
        if any(word not in folded for word in telling) and not _hides(text):
            continue
        plain = _plain(text)
        if all(phrase in plain for phrase in wanted):
            held.add(name)
    return held


def _hides(text: str) -> bool:
    """Whether a word may be in a text and not be seen as it is: with soft hyphens, ligatures or wide letters."""
    return not text.isascii() and ("\u00ad" in text or not unicodedata.is_normalized("NFKC", text))


async def _quoted(
    vector: VectorBackend,
    keyword: KeywordBackend | None,
    phrases: Sequence[str],
    limit: int,
    filter: Filter | None,
    gone: set[str],
) -> list[ExactMatch]:
    """Records whose text holds every phrase."""
    words = keyword
    if not phrases or words is None or not finds_phrases(keyword):
        return []
    found = [
        {match.chunk_id for match in await keyword.search_phrase(phrase, limit, filter)}
        for phrase in phrases
    ]
    records = await _held_by_all(vector, found)
    texts = {record.id: record.chunk.text for record in records}
    gone |= set.intersection(*found).difference(texts)
    held, loosely = holding(texts, phrases), False
    if not held:
        found = [
            like | await _like_phrase(words, keyword, phrase, limit, filter)
            for like, phrase in zip(found, phrases, strict=True)
        ]
        records = await _held_by_all(vector, found)
        texts = {record.id: record.chunk.text for record in records}
        held, loosely = holding(texts, phrases, loosely=True), True
    why = "it holds the quoted words" + (", with other punctuation" if loosely else "")
    asked = " ".join(phrases)
    return [ExactMatch(record, BEGINS, why, asked=asked) for record in records if record.id in held]


async def _held_by_all(vector: VectorBackend, found: Sequence[set[str]]) -> Sequence[Record]:
    ids = sorted(set.intersection(*found))
    return await vector.get(ids) if ids else []


async def _like_phrase(
    words: KeywordBackend,
    runs: SupportsPhrases,
    phrase: str,
    limit: int,
    filter: Filter | None,
) -> set[str]:
    """Records that may hold a phrase with other punctuation: they hold one half of it, or most of its words.

    A word with a hyphen is indexed whole and in parts, so a phrase that has the parts alone does not run on over it.
    """
    parts = _bare(phrase).split()
    middle = len(parts) // 2
    halves = [" ".join(parts[:middle]), " ".join(parts[middle:])] if middle > 1 else []
    halved = [runs.search_phrase(half, limit, filter) for half in halves]
    pages = [await words.search(phrase, limit, filter), *await asyncio.gather(*halved)]
    return {match.chunk_id for page in pages for match in page}


def _bare(text: str) -> str:
    """The words of a text alone; what an apostrophe joins is one."""
    return " ".join(_WORD.findall(_APOSTROPHES.sub("", _plain(text))))


def _plain(text: str) -> str:
    """The text as a person compares it: one case, one kind of space, quote, dash and ligature."""
    if text.isascii():
        return " ".join(text.casefold().split())
    folded = unicodedata.normalize("NFKC", text).casefold().replace("\u00ad", "")
    folded = re.sub(r"[‐-―−]", "-", re.sub(r"[‘’‚‛′]", "'", re.sub(r"[“”„‟«»″]", '"', folded)))
    return " ".join(folded.split())


# Headings and terms

_LONGEST_RUN = 16
"""Words of a heading or term that is looked up."""

_MOST_WORDS = 16
"""Words that mean something in a query that names a thing; a longer one asks about it, or names what has a long name."""

_LINE = " \n"
"""Between what stands above a section."""

_PAUSES = ",;:"
"""What parts a name from the next one."""

_AROUND = " \t\"'.,;:!?()[]*_`"
_FIELDS = ("headings", "terms")

_DEFINING = words(
    "define defined defines definition definitions mean means meaning meant term terms word called",
    "begriff begriffe bedeutet bedeutung bezeichnet definiert definition heißt heisst versteht verstehen verstanden",
    "définition définir défini définie définis définies signifie terme définit entend entendre veut definición define definido significa",
    "entiende término definizione termine intende",
)
"""Words of a query that ask what something means."""

_WHAT_IS = re.compile(
    r"\s*(?:what(?:\s(?:is|are)|['’]s)|was\s(?:ist|sind)|qu['’]est-ce\squ[e'’]|qué\s(?:es|son)|(?:che\s)?cos(?:['’]|a\s)è|wat\s(?:is|zijn))\s"
)
"""How a question about the meaning of what follows begins, if nothing else follows."""

_CUES = frozenset(
    map(
        fold,
        _DEFINING
        | words(
            "tell show find give explain describe say says read look please know information regarding concerning something anything",
            "etwas alles zeige zeig erkläre beschreibe nenne sagt steht suche finde bitte",
            "comment qu on par dire cómo come wie how man unter",
            "section chapter article part document text provision abschnitt kapitel artikel teil",
        ),
    )
)
"""Words of a query that ask for what it names, and name nothing."""


def asks_meaning(query: Query) -> bool:
    """Whether a query asks what something means."""
    text = query.text.casefold()
    return bool(_WHAT_IS.match(text)) or not _DEFINING.isdisjoint(_WORD.findall(text))


@dataclass(frozen=True, slots=True)
class _Name:
    """A heading or term that a record has and the query names.

    Attributes:
        record: It.
        name: The heading or term.
        is_term: Whether it is a term that is defined there.
        fits: Whether it is of the kind that the query asks for: a term if it asks what something means, else a heading.
        begins: Whether the query begins with it: what follows is what it stands in.
        beside: Whether the query cites another place, so that this at most says in which document that is.
        is_below: Whether all else that the query says is one heading above it: "Sanctions", not "Liability and Sanctions".
    """

    record: Record
    name: str
    is_term: bool
    fits: bool
    begins: bool
    beside: bool
    is_below: bool


@dataclass(frozen=True, slots=True)
class _Rest:
    """What a query says besides a name.

    Attributes:
        terms: Of its words.
        citations: Of each the key, the words and their terms.
        is_cited: Whether the name is a part of a citation.
        numbers: Those that are no citations.
        said: Its words as headings are compared.
    """

    terms: frozenset[str]
    citations: tuple[tuple[str, str, frozenset[str]], ...]
    is_cited: bool
    numbers: frozenset[str]
    said: str


class _Names:
    """What a query may name: every run of its words is looked up as a heading and as a term.

    A record that has it counts where its document's name, title and headings account for all other words: then nothing that was
    asked for is left over.

    Args:
        query: What is asked, without what is quoted.
    """

    def __init__(self, query: Query) -> None:
        self.query = query
        self.asks_meaning = asks_meaning(query)
        self._words = list(re.finditer(r"\S+", query.text))
        self._runs = _runs(query.parts)
        self._rests: dict[tuple[tuple[int, int], str | None], _Rest] = {}

    @property
    def asked(self) -> Filter:
        """What selects the records with any of the names."""
        return Or(*[Contains(field, run) for field in _FIELDS for run in self._runs])

    def stages(self, filter: Filter | None) -> Sequence[Stage]:
        """How they are looked up: within what the query cites, or as a heading that cites, then anywhere."""
        if not self._runs:
            return []
        asked = _both(self.asked, filter)
        stages: list[Stage] = []
        if self.query.citations:
            within: list[Filter] = [
                Contains("ancestor_keys", citation.key) for citation in self.query.citations
            ]
            within += [Contains(field, list(self._runs)[-1]) for field in _FIELDS]
            stages.append([[LookUp(And(asked, Or(*within)), _NAMES)]])
        return [*stages, [[LookUp(asked, _NAMES)]]]

    def of(self, record: Record) -> Iterator[_Name]:
        """The longest of the record's names that leaves nothing of the query over; of equals one of the kind that is asked for."""
        chunk = record.chunk
        held = [(run, False) for run in chunk.headings if run in self._runs]
        terms = {definition.term.casefold() for definition in chunk.definitions}
        held += [(run, True) for run in sorted(terms) if run in self._runs]
        held.sort(key=lambda one: (-len(one[0]), one[1] != self.asks_meaning))
        for run, is_term in held:
            rest = self._rest(self._runs[run], chunk.language)
            wanted = rest.terms
            beside = rest.is_cited
            if rest.citations:
                place = _place_of(chunk, run, is_term=is_term)
                beside = beside or not all(
                    _is_located(chunk, place, key, text) for key, text, _ in rest.citations
                )
                wanted = wanted.difference(*(cited for _, _, cited in rest.citations))
            above = _above(chunk, run) if wanted or rest.numbers else ""
            if not all(_has_number(chunk, above, number) for number in rest.numbers):
                continue
            if not wanted or wanted <= _terms_of(above, chunk.language):
                fits = is_term == self.asks_meaning
                begins = self._runs[run][0] == 0
                is_below = bool(rest.said) and any(
                    _is_called(title, rest.said) for title in above.split(_LINE)
                )
                yield _Name(record, run, is_term, fits, begins, beside, is_below)
                if not beside:
                    return

    def _rest(self, at: tuple[int, int], language: str | None) -> _Rest:
        known = self._rests.get((at, language))
        if known is None:
            before, behind = self._words[: at[0]], self._words[at[1] :]
            start = behind[0].start() if behind else len(self.query.text)
            end = before[-1].end() if before else 0
            rest = " ; ".join(" ".join(word[0] for word in part) for part in (before, behind))
            cited = [
                (one.key, one.text, _telling_terms(one.text, language))
                for one in self.query.citations
                if (one.end <= end or one.start >= start) and not one.key.startswith(CODED)
            ]
            first, last = self._words[at[0]].start(), self._words[at[1] - 1].end()
            is_cited = any(
                not one.is_guess
                and one.start < last
                and one.end > first
                and not (first <= one.start and one.end <= last)
                for one in self.query.citations
            )
            bare = rest
            for _, text, _ in cited:
                bare = bare.replace(text, " ; ")
            bare = _FORM.sub("", bare)
            numbers = frozenset(_NUMBER.findall(bare))
            known = _Rest(
                _telling_terms(rest, language, asking=self.asks_meaning),
                tuple(cited),
                is_cited,
                numbers,
                heading_key(rest.strip(_AROUND)),
            )
            self._rests[at, language] = known
        return known


async def _named_by(
    vector: VectorBackend,
    keyword: KeywordBackend | None,
    names: _Names,
    looked_up: Found,
    filter: Filter | None,
) -> list[ExactMatch]:
    """Records with a heading or term that the query names, but for headings that are a number alone: these are cited.

    One that a citation locates (`Trustee, Amendment 543`) is more than what the citation alone leads to.
    """
    records = [record for _, found in looked_up for record in found]
    if len(records) == _NAMES and keyword is not None:
        # Hundreds share the name: those are looked at that have most of the query's words.
        asked = _both(names.asked, filter)
        records = await _closest(vector, keyword, names.query.text, asked) or records
    found = [one for record in records for one in names.of(record)]
    found.sort(key=lambda one: -len(one.name))
    cites = bool(names.query.citations)
    whole = " ".join(names.query.parts)
    located = [match for one in found if one.beside for match in _within_title(one, names.query)]
    return located + [
        ExactMatch(
            one.record,
            ENCLOSES if one.beside else NAMED if one.fits or one.begins or cites else BEGINS,
            f"it defines {one.name!r}" if one.is_term else f"its heading is {one.name!r}",
            _named_section(one),
            name=one.name,
            is_term=one.is_term,
            is_whole=one.name == whole,
            is_marked_so=not _is_cut_short(one),
            is_below=one.is_below,
            likeness=_likeness(one, names.query.text),
        )
        for one in found
        if any(map(str.isalpha, split_heading(one.name.upper())[1]))  # `Title V`, not `title v`
    ]


def _within_title(name: _Name, query: Query) -> Iterator[ExactMatch]:
    """What the query cites, where the name is its document's title and the cited section begins in the same chunk."""
    chunk = name.record.chunk
    if heading_key(chunk.title) != name.name:
        return
    for section in chunk.sections:
        for one in query.citations:
            if section.key == one.key and heading_key(section.title) != name.name:
                why = f"{one.text} begins here"
                yield ExactMatch(name.record, BEGINS, why, section.id, one.key)


async def _closest(
    vector: VectorBackend, keyword: KeywordBackend, text: str, filter: Filter
) -> list[Record]:
    """Of the records that a filter selects those that have most of a query's words, those of their names among them."""
    try:
        matches = await keyword.search(text, _NAMES, filter)
    except CapabilityError:
        return []
    return list(await vector.get([match.chunk_id for match in matches]))


def _likeness(found: _Name, query: str) -> tuple[bool, bool, float]:
    if not found.is_term:
        return found.begins, found.fits, 0.0
    written = {one.term for one in found.record.chunk.definitions}
    alike = any(one.casefold() == found.name and one in query for one in written)
    return found.begins, found.fits, len(found.name.split()) + alike / 2


def _named_section(found: _Name) -> str | None:
    """The section that bears the name; none where a term is defined in what the title alone stands above."""
    chunk = found.record.chunk
    place = _place_of(chunk, found.name, is_term=found.is_term)
    whole = next((one for one in chunk.sections if one.id == place and one.key is None), None)
    is_title = whole is not None and heading_key(whole.title) == heading_key(chunk.title)
    return None if found.is_term and is_title else place


def _place_of(chunk: Chunk, name: str, *, is_term: bool) -> str | None:
    """The section that bears a heading, or in which a term is defined."""
    if is_term:
        places = [one.section_id for one in chunk.definitions if one.term.casefold() == name]
    else:
        places = [one.id for one in chunk.sections if _is_called(one.title, name)]
    return places[0] if places else chunk.section_id


def _is_called(title: str, name: str) -> bool:
    """Whether a heading is that name, with its number or without, and with what explains it in brackets or without."""
    whole, behind = heading_key(title), heading_key(split_heading(title)[1])
    return name in (whole, behind, without_gloss(behind))


def _is_cut_short(found: _Name) -> bool:
    """Whether a name is a heading's but for what explains it in brackets."""
    chunk = found.record.chunk
    titles = () if found.is_term else (*chunk.parent_chain, *(one.title for one in chunk.sections))
    called = [title for title in titles if _is_called(title, found.name)]
    return (
        bool(called)
        and all(heading_key(title)[-1:] == ")" for title in called)
        and found.name[-1:] != ")"
    )


def _above(chunk: Chunk, name: str) -> str:
    """What stands above the section that bears a heading: names of its document and headings around it.

    A chunk may hold several sections, and its chain is that of one of them: what begins in the chunk lies around another only if it
    reaches beyond its heading.
    """
    chain = chunk.parent_chain
    own = [at for at, title in enumerate(chain) if _is_called(title, name)]
    above = chain[: own[-1]] if own else chain
    named = next((one for one in chunk.sections if _is_called(one.title, name)), None)
    if named and not own:
        inner = {one.title for one in chunk.sections if not one.char_start < named.char_start < one.char_end}  # fmt: skip
        above = tuple(title for title in chain if title not in inner)
    names = [key.replace("_", " ") for key in chunk.ancestor_keys if _LABEL.match(key) is None]
    return _LINE.join((chunk.source, chunk.title, *above, *names))


_LABEL = re.compile(rf"(?:{'|'.join(LABELS)})_")
"""What keys begin with that are no document's."""


def _is_located(chunk: Chunk, place: str | None, key: str, text: str) -> bool:
    """Whether a section lies in what is cited, or the citation is a part of the document's title.

    A chunk may hold several sections: the heading of one says nothing about the number of another.
    """
    begun = {one.id: one for one in chunk.sections}
    named = begun.get(place or "")
    cited = [one for one in chunk.sections if key in (one.key, one.id)]
    if named and cited:
        return any(one.char_start <= named.char_start < one.char_end for one in cited)
    if key in chunk.ancestor_keys or (key in chunk.section_keys and not cited):
        return True
    names = " \n".join((chunk.title, *chunk.parent_chain[:1])).casefold()
    return re.search(rf"(?<!\w){re.escape(text.casefold())}(?!\w)", names) is not None


def _runs(parts: Sequence[str]) -> Mapping[str, tuple[int, int]]:
    """Runs of words -> the first and last word, all of them last; none of a long question.

    Of a query with many words only those that begin it or follow a comma: a name before the long title of an act.
    """
    ignored = stop_words(tuple(Analyzer.LANGUAGES))
    telling = [part.strip(_AROUND) not in ignored for part in parts]
    if not any(telling) or len(parts) > 3 * _MOST_WORDS:
        return {}
    starts = list(range(len(parts)))
    if sum(telling) > _MOST_WORDS:
        starts = [at for at in starts if at == 0 or parts[at - 1][-1] in _PAUSES]
        if len(starts) == 1:
            return {}
    runs: dict[str, tuple[int, int]] = {}
    for start in starts:
        for end in range(start + 1, min(start + _LONGEST_RUN, len(parts)) + 1):
            run = " ".join(parts[start:end]).strip(_AROUND)
            if run and any(telling[start:end]):
                runs.setdefault(run, (start, end))
    whole = " ".join(parts)
    runs.pop(whole, None)
    runs[whole] = (0, len(parts))
    return runs


def _telling_terms(text: str, language: str | None, *, asking: bool = False) -> frozenset[str]:
    """The terms of a text without words that ask for something or hold sentences together, of any language where it asks."""
    spoken = tuple(Analyzer.LANGUAGES) if asking else (language or "en",)
    ignored = stop_words(spoken) | _CUES
    kept = [
        word for word in _WORD.findall(_FORM.sub("", text)) if fold(word.casefold()) not in ignored
    ]
    return _terms_of(" ".join(kept), language)


def _has_number(chunk: Chunk, names: str, number: str) -> bool:
    """Whether a number is part of a document's names; of its folders only a long one is, such as a year."""
    if len(number) < _YEAR_DIGITS:
        names = names.replace(chunk.source, PurePosixPath(chunk.source).stem)
    parts = r"[._ ]".join(number.removesuffix(".0").split("."))
    return re.search(rf"(?<![^\W_v]){parts}(?![^\W_])", names) is not None


_YEAR_DIGITS = 4
_NUMBER = re.compile(r"(?<![^\W_])[0-9]+(?:\.[0-9]+)*(?![^\W_])")

_FORM = re.compile(r"(?<=[0-9])-(?=[A-Za-z](?!\w))")
"""Within the name of a form, `10-K`, which files write as one word."""


def _terms_of(text: str, language: str | None) -> frozenset[str]:
    if not text:
        return frozenset()
    text = _FORM.sub("", text)
    return frozenset(ANALYZER.query_terms(text, [language], compounds=False))
