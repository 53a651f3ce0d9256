"""Which of what the exact leg found is certain: the one place that the query names.

    "Article 17 of Decree 15688"    of all articles 17 the one in the document that is called so
    "Article 17"                    certain where one document has it; where several do, each is as good: ambiguous
    "§ 5 of the Harbour Act"        where no document is called so, another act's § 5 is not what was asked for

One idea decides: a name in the query demands words, numbers and kinds of a document, see `called.py`. A place is certain if its document
answers to the name, the place bears the number as it is cited, no other place does so as well, and nothing is left of the query that the
place knows nothing of. What no place answers is lacking. A citation within a title that the query contains is part of a name, and cites
nothing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from hierdoc.citations import Citation, enclosing_keys, heading_key, meanings, spelt_out
from hierdoc.plugin.records import Record
from hierdoc.search.called import ANOTHER, CALLED
from hierdoc.search.matches import (
    BEGINS,
    CODED,
    ENCLOSES,
    GOES_ON,
    ExactMatch,
    chain_above,
)
from hierdoc.search.named_works import NUMBERED_PARAGRAPH, NamedDocuments
from hierdoc.search.query import Query


def may_be_told_missing(one: Citation) -> bool:
    """Whether it is written as nothing but a citation: a code, a paragraph of a work that is named, a number in parts behind its kind."""
    if not one.is_guess or one.key.startswith(CODED):
        return True
    if one.key.startswith(NUMBERED_PARAGRAPH):
        return bool(one.work)
    return not one.work and "_" in one.unit.partition("_")[2]


def is_lacking(one: Citation, records: Collection[Record], held: Collection[str]) -> bool:
    """Whether nothing of what was found is what a query cites.

    A level that a section does not number may be there all the same; where it numbers its levels, one that is not among them is not.

    Args:
        one: What is cited.
        records: What was found, but for what other documents have of the same number.
        held: The keys of these, and of the documents that hold them.
    """
    if one.key.startswith(CODED):
        code = one.text.casefold()
        return not any(code in record.chunk.text.casefold() for record in records)
    named = meanings(one.key, one.unit)
    if any(key in held for key, _ in named):
        return False
    around = next((key for key in enclosing_keys(one.key, one.unit) if key in held), None)
    if around is None:
        return True
    level = next(key for key, unit in named if around.startswith(unit))[
        len(around) + 1 :
    ].partition("_")[0]
    numbered = {key[len(around) + 1 :] for key in held if key.startswith(f"{around}_")}
    written = re.compile(rf"(?im)(?<!\w){re.escape(level)}[).°º]|^[\W_]*{re.escape(level)}(?!\w)")
    return any(level.isdigit() == other[0].isdigit() for other in numbered) and not any(
        written.search(record.chunk.text) for record in records
    )


def judged(
    matches: Sequence[ExactMatch],
    query: Query,
    called: Mapping[str, Collection[str]] = MappingProxyType({}),
    openings: Mapping[str, str] = MappingProxyType({}),
) -> list[ExactMatch]:
    """The matches, best first, each with what can be said of its certainty.

    Where the place of a citation is certain, sections of the same number elsewhere are left out: the other legs may find them.

    Args:
        matches: All that was found, each record once.
        query: What is asked.
        called: By the keys of works that it names the documents that are called just so.
        openings: What documents begin with, as far as that is known: parties and dates of contracts, periods of reports.
    """
    chunks = {match.record.chunk.source: match.record.chunk for match in matches}
    names = NamedDocuments(query, chunks, called, openings)
    names.take_codes(matches)
    names.take_titles(matches)
    joined = {one for one in query.joined.values() if any(one == it.section_id for it in matches)}
    around = {
        one.key for one in query.citations if any(it.startswith(f"{one.key}_") for it in joined)
    }
    idle = names.parts_of_titles | around  # cite no place of their own
    matches = [
        names.placed(match) for match in matches if match.document or match.asked not in idle
    ]
    cited = {match.document: match.record.chunk.source for match in matches if match.document}
    if cited:
        works = {one.key for one in query.citations if one.work}
        matches = [
            match if match.asked in works else _unless_elsewhere(match, cited) for match in matches
        ]
    # A section is cited as a paragraph only where its document is named.
    matches = [
        one
        for one in matches
        if one.called == CALLED or one.is_marked_so or not one.asked.startswith(NUMBERED_PARAGRAPH)
    ]
    matches = likeliest(matches)
    above = _above_cited(matches, names.cited)
    matches = [one for one in matches if (one.record.chunk.source, one.name) not in above]
    matches = [_told_apart(one) for one in matches]
    matches.sort(key=_order)
    groups: dict[str, list[ExactMatch]] = defaultdict(list)
    for match in matches:
        if match.is_asked_for:
            groups[match.asked].append(match)
    certain: set[str] = set()
    ambiguous: set[str] = set()
    settled: set[str] = set()
    held = {key for group in groups.values() for match in group for key in _keys(match)}
    complete = names.cited - around <= groups.keys() | held
    for asked, group in sorted(groups.items()):  # names first
        if asked in names.works or (asked and _is_located_by(asked, groups.get("", ()))):
            continue
        places = _places(group)
        best = min(map(_claim, group))
        chosen = [place for place in places if min(map(_claim, place)) == best]
        ids = {match.record.id for place in chosen for match in place}
        if len(chosen) > 1:
            ambiguous |= ids
        elif chosen[0][0].document and names.cited - {asked}:
            continue  # what is asked for is a place in it
        elif (
            best[:2] == (-CALLED, False)
            and (complete or (asked and asked not in names.cited))
            and names.are_told(chosen[0])
        ):
            certain |= ids
            if asked in names.cited:
                settled.add(asked)
    return [
        replace(
            match,
            certain=match.record.id in certain and match.is_asked_for,
            ambiguous=match.record.id in ambiguous - certain and match.is_asked_for,
        )
        for match in matches
        if match.asked not in settled or match.record.id in certain
    ]


def likeliest(matches: Iterable[ExactMatch]) -> list[ExactMatch]:
    """The matches without those of a less likely meaning: `Clause 4` is what is called so, and else the section 4 of a contract.

    A document that answers better to the work which the query names counts more than the likelier meaning in another document.
    """
    matches = list(matches)
    best: dict[str, tuple[int, ...]] = {}
    for one in matches:
        best[one.asked] = max(best.get(one.asked, ()), _likelihood(one))
    return [one for one in matches if _likelihood(one) == best[one.asked] or not one.meaning]


def _likelihood(match: ExactMatch) -> tuple[int, ...]:
    return (match.score > ENCLOSES, match.called, -match.meaning)


def names_of_works(query: Query, matches: Iterable[ExactMatch]) -> frozenset[str]:
    """Keys of citations that are no more than a part of a work's name."""
    return NamedDocuments(
        query, {one.record.chunk.source: one.record.chunk for one in matches}
    ).parts_of_titles


def _unless_elsewhere(match: ExactMatch, cited: Mapping[str, str]) -> ExactMatch:
    """The match, which is another's where its section is not in one of the documents that are cited: `RFC 7234 section 18`.

    Args:
        match: Of a section or of something else.
        cited: The documents by their keys.
    """
    is_section = match.asked and match.score <= BEGINS and match.asked not in cited
    elsewhere = is_section and match.record.chunk.source not in cited.values()
    return replace(match, called=ANOTHER) if elsewhere else match


def _told_apart(match: ExactMatch) -> ExactMatch:
    """The match, with a reason that does not call another document's section the one that was cited."""
    if match.called != ANOTHER:
        return match
    return replace(match, why=f"another document has {spelt_out(match.asked)} here")


def _order(match: ExactMatch) -> tuple[object, ...]:
    chunk = match.record.chunk
    return (match.called == ANOTHER, -match.score, *worth(match), chunk.source, chunk.ordinal)


def worth(match: ExactMatch) -> tuple[float, ...]:
    """By how well the query's words fit, the best first."""
    likeness = (-part for part in match.likeness)
    exact = (-match.called, not match.is_marked_so, match.is_appended, not match.is_whole)
    return (*exact, -match.named, *likeness, not match.is_below)


def _claim(match: ExactMatch) -> tuple[float, ...]:
    """The same, by what tells one place from another."""
    likeness = (-part for part in match.likeness)
    exact = (-match.called, not match.is_marked_so, match.is_appended, not match.is_whole)
    return (*exact, -match.score, *likeness, -match.telling)


def _above_cited(
    matches: Iterable[ExactMatch], cited: Collection[str]
) -> frozenset[tuple[str, str]]:
    """Titles and headings above sections that are cited, each with its document.

    A query that has one only says where the section stands: `Section 3 of the Harbour Act`.
    """
    begun = [
        match
        for match in matches
        if match.asked in cited and match.score == BEGINS and match.called == CALLED
    ]
    return frozenset(
        (match.record.chunk.source, heading_key(title))
        for match in begun
        for title in (match.record.chunk.title, *chain_above(match))
    )


def _is_located_by(citation: str, named: Iterable[ExactMatch]) -> bool:
    """Whether a citation only says where the headings or terms stand that the query names."""
    return any(citation in _keys(match) for match in named)


def _keys(match: ExactMatch) -> tuple[str, ...]:
    """Of the sections that the match stands in, and of its document."""
    return (*match.record.chunk.ancestor_keys, *match.record.chunk.section_keys)


def _places(group: Sequence[ExactMatch]) -> list[list[ExactMatch]]:
    """The matches by the place that they belong to: a section that goes on in the chunks behind is one place."""
    places: list[list[ExactMatch]] = []
    last: ExactMatch | None = None
    for match in sorted(group, key=_position):
        follows = last is not None and match.record.chunk.source == last.record.chunk.source
        if not follows or (match.score > GOES_ON and not match.document):
            places.append([])
        places[-1].append(match)
        last = match
    return places


def _position(match: ExactMatch) -> tuple[str, int]:
    return match.record.chunk.source, match.record.chunk.ordinal
