"""Which of what the exact leg found is certain: the one place that the query names.

    "Article 17 of Decree 15688"    of all articles 17 the one in the document that is called so
    "Article 17"                    certain where one document has it; where several do, each is as good: ambiguous
    "§ 5 of the Harbour Act"        where no document is called so, another act's § 5 is not what was asked for

A query names a document by the name of a work behind a citation, by a title that it contains, or by words of names and headings.
A citation within such a title is part of the name and cites nothing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise
from pathlib import PurePosixPath
from types import MappingProxyType

from hierdoc.citations import (
    CODE,
    GENERIC,
    PARAGRAPH,
    Citation,
    enclosing_keys,
    heading_key,
    meanings,
    section_key,
    spelt_out,
)
from hierdoc.citations.vocabulary import (
    COMMUNITIES,
    INWARD,
    LABELS,
    LEVELS,
    ORDINALS,
    UNNUMBERED,
    ordinal_value,
)
from hierdoc.citations.work_names import work_key
from hierdoc.citations.works import KINDS
from hierdoc.models import Chunk
from hierdoc.plugin.records import Record
from hierdoc.search.query import Query
from hierdoc.structure.names import FIRST_OF_DOCUMENT
from hierdoc.text.analysis import Analyzer
from hierdoc.text.stemming import fold, stop_words
from hierdoc.text.words import words

NAMED, BEGINS, GOES_ON, ENCLOSES = 1.1, 1.0, 0.9, 0.5
"""Scores: the whole query names this; the cited section begins here, goes on here, or is not there but what encloses it is."""

CODED = f"{CODE}_"
"""What the keys of codes begin with."""

CALLED, PERHAPS, ANOTHER = 2, 1, 0
"""How a document answers to the work that a query names: it is called so, may be, or is another."""


@dataclass(frozen=True, slots=True)
class ExactMatch:
    """A record that the exact leg found.

    Attributes:
        record: It.
        score: 1 for the very thing that was asked for, less for what belongs to it.
        why: In words, for people.
        section_id: The section that was named; None where it is not a section that was found.
        asked: What it answers: the key of a citation; empty for a name, the phrase itself for one.
        meaning: Which of the meanings of that citation, 0 the likeliest.
        name: The heading or term that the query names, where it does.
        is_term: Whether that is a term which it defines.
        named: How many words of the query stand in the document's name, title or headings above: of equal matches, the one
            in the act that the query names is meant.
        telling: How many of these say something, and are none of the name itself.
        likeness: Of several headings and terms that the query names those come first that it begins with ("Fees, Berths" asks for
            fees), then those of the kind that it asks for, then the longest and the one that is written alike.
        document: The key of the work that was cited, where it is the whole document that was.
        is_whole: Whether the query is that name and nothing else.
        is_marked_so: Whether its section bears the number in the form in which it is cited, or the whole name.
        is_appended: Whether it stands in a schedule or annex, and the query cites none.
        is_below: Whether all else that the query says is one heading above it; this tells the likelier place, and makes none certain.
        called: How its document answers to the work that the query names.
        certain: Whether it stands in the one place that the query names.
        ambiguous: Whether it stands in one of several places that the query may as well name.
    """

    record: Record
    score: float
    why: str
    section_id: str | None = None
    asked: str = ""
    meaning: int = 0
    name: str = ""
    is_term: bool = False
    named: int = 0
    telling: int = 0
    likeness: tuple[bool, bool, float] = (False, False, 0.0)
    document: str = ""
    is_whole: bool = False
    is_marked_so: bool = True
    is_appended: bool = False
    is_below: bool = False
    called: int = CALLED
    certain: bool = False
    ambiguous: bool = False

    @property
    def is_asked_for(self) -> bool:
        """Whether it is what was asked for, and not what encloses that or the same of another document."""
        return self.score > ENCLOSES and self.called != ANOTHER


def may_be_told_missing(one: Citation) -> bool:
    """Whether it is written as nothing but a citation: a code, a paragraph of a work that is named, a number in parts behind its kind."""
    if not one.is_guess or one.key.startswith(CODED):
        return True
    if one.key.startswith(_PARAGRAPH):
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
        return not any(one.text in record.chunk.text for record in records)
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
) -> list[ExactMatch]:
    """The matches, best first, each with what can be said of its certainty.

    Where the place of a citation is certain, sections of the same number elsewhere are left out: the other legs may find them.

    Args:
        matches: All that was found, each record once.
        query: What is asked.
        called: By the keys of works that it names the documents that are called just so.
    """
    names = _NamedDocuments(
        query, {match.record.chunk.source: match.record.chunk for match in matches}, called
    )
    names.take_codes(matches)
    matches = [names.placed(match) for match in matches if match.asked not in names.parts_of_titles]
    matches = [names.numbered(match) for match in _called_as_documents(matches)]
    cited = {match.document: match.record.chunk.source for match in matches if match.document}
    if cited:
        matches = [_unless_elsewhere(match, cited) for match in matches]
    guesses = {one.key for one in query.citations if one.is_guess and one.work}
    matches = [one for one in matches if one.asked not in guesses or one.called == CALLED]
    # A section is cited as a paragraph only where its document is named.
    matches = [
        one
        for one in matches
        if one.called == CALLED or one.is_marked_so or not one.asked.startswith(_PARAGRAPH)
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
    complete = names.cited <= groups.keys() | held
    for asked, group in sorted(groups.items()):  # names first
        if asked in names.works or (asked and _is_located_by(asked, groups.get("", ()))):
            continue
        places = _places(group)
        best = min(map(_claim, group))
        chosen = [place for place in places if min(map(_claim, place)) == best]
        chosen += [place for place in places if _defines_as_well(place, chosen)]
        ids = {match.record.id for place in chosen for match in place}
        if len(chosen) > 1:
            ambiguous |= ids
        elif chosen[0][0].document and names.cited - {asked}:
            continue  # what is asked for is a place in it
        elif (
            best[:2] == (-CALLED, False)
            and (complete or (asked and asked not in names.cited))
            and _is_bound(chosen[0], names.within.get(asked), groups)
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
    return _NamedDocuments(
        query, {one.record.chunk.source: one.record.chunk for one in matches}
    ).parts_of_titles


def _called_as_documents(matches: Sequence[ExactMatch]) -> list[ExactMatch]:
    """The matches; what a document's first chunk is called by its heading, all of the document is."""
    called = {
        match.record.chunk.source
        for match in matches
        if match.called == CALLED
        and match.asked
        and FIRST_OF_DOCUMENT in match.record.chunk.section_keys
    }
    return [
        replace(match, called=CALLED)
        if match.asked and match.record.chunk.source in called
        else match
        for match in matches
    ]


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
        for title in (match.record.chunk.title, *_around(match))
    )


def _around(match: ExactMatch) -> Iterator[str]:
    """The headings above the section of a match."""
    own = {
        section.title for section in match.record.chunk.sections if section.id == match.section_id
    }
    return (one for one in match.record.chunk.parent_chain if one not in own)


def _chain_above(match: ExactMatch) -> tuple[str, ...]:
    """The headings around the section of a match, the outermost first; its passage may have more, of what lies in it."""
    chunk = match.record.chunk
    own = next((one.title for one in chunk.sections if one.id == match.section_id), None)
    end = chunk.parent_chain.index(own) if own in chunk.parent_chain else -1
    return chunk.parent_chain[:end]


def _is_appended(match: ExactMatch) -> bool:
    """Whether the section of a match lies in a schedule or annex, by the headings above it and the sections before it in its chunk."""
    before: list[str] = []
    for one in match.record.chunk.sections:
        if one.id == match.section_id:
            break
        before.append(one.title)
    return any(map(_APPENDED.match, (*_around(match), *before)))


def _is_bound(
    place: Sequence[ExactMatch], other: str | None, groups: Mapping[str, Sequence[ExactMatch]]
) -> bool:
    """Whether a place has within it, or around it, the section that is cited together with it: `art. 7, § 2`."""
    if other is None:
        return True
    own = place[0]
    return other in _keys(own) or any(
        own.asked in _keys(match)
        for match in groups.get(other, ())
        if match.record.chunk.source == own.record.chunk.source
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


def _defines_as_well(place: Sequence[ExactMatch], chosen: Sequence[Sequence[ExactMatch]]) -> bool:
    """Whether a place defines, in another document, what the only place that is chosen has for a heading."""
    if len(chosen) != 1:
        return False
    one, other = place[0], chosen[0][0]
    if not (one.is_term and one.name == other.name and not other.is_term):
        return False
    return one.record.chunk.source != other.record.chunk.source and one.telling >= other.telling


def _position(match: ExactMatch) -> tuple[str, int]:
    return match.record.chunk.source, match.record.chunk.ordinal


class _NamedDocuments:
    """By what names a query calls documents.

    Args:
        query: What is asked.
        chunks: One of each document in question, by its source.

    Attributes:
        parts_of_titles: Keys of citations that stand within a title only.
        works: Keys of documents that are cited only as what holds a section.
        cited: Keys of all other citations but those that enclose another.
        within: Of citations with no more than a comma between them, each with its neighbour: one lies within the other.
    """

    def __init__(
        self,
        query: Query,
        chunks: dict[str, Chunk],
        called: Mapping[str, Collection[str]] = MappingProxyType({}),
    ) -> None:
        self._query = query
        self._exactly = called
        self._text = f" {_plain(query.text)} "
        self._titles = {source: self._title_in_query(chunk) for source, chunk in chunks.items()}
        self._title = max(self._titles.values(), key=len, default="")
        self.parts_of_titles = self._within(self._title) if self._title else frozenset()
        keys = {one.key for one in query.citations}
        self.works = {one.work for one in query.citations} & keys
        guesses = {one.key for one in query.citations if one.is_guess and one.work}
        self.cited = {
            key
            for key in keys - self.works - self.parts_of_titles - guesses
            if not any(f"_{key}_" in f"_{one.work}_" for one in query.citations)
            and not any(other.startswith(f"{key}_") for other in keys)
        }
        self.within: dict[str, str] = {}
        places = [one for one in query.citations if one.key not in self.parts_of_titles]
        for one, other in pairwise(sorted(places, key=lambda cited: cited.start)):
            if one.end <= other.start and not query.text[one.end : other.start].strip(" ,"):
                self.within[one.key], self.within[other.key] = other.key, one.key
        self._cites_appended = any(key.startswith(_APPENDED_KEYS) for key in keys)
        self._words = query.words - _UNTELLING - _SMALL
        self._works = {
            one.key: one.work for one in query.citations if one.work and not _is_generic(one.work)
        }

    def take_codes(self, matches: Iterable[ExactMatch]) -> None:
        """Codes with which no entry begins are names of products: `E1042 on the P200`."""
        begun = {match.asked for match in matches if match.score == BEGINS}
        self._products = {key for key in self.cited if key.startswith(CODED)} - begun
        if any(key.startswith(CODED) for key in begun):
            self.cited -= self._products

    def placed(self, match: ExactMatch) -> ExactMatch:
        """The match with what its document's names say."""
        chunk = match.record.chunk
        called = CALLED
        if match.asked and match.score <= BEGINS and not match.document:
            work = next(
                (self._works[key] for key in (match.asked, *self._works) if key in self._works), ""
            )
            cited = next((one.text for one in self._query.citations if one.key == match.asked), "")
            if match.asked.startswith(CODED):
                products = " ".join(key.removeprefix(CODED) for key in self._products)
                called = answers(chunk, products, self._query) if products else CALLED
            elif _MARKED.match(cited):
                called = CALLED if any(map(_MARKED.match, chunk.parent_chain)) else ANOTHER
            elif self._title and self._is_in_title(self._works.get(match.asked, "")):
                called = CALLED if self._titles[chunk.source] == self._title else ANOTHER
            elif work:
                called = answers(chunk, work, self._query)
                if self._exactly.get(work) and chunk.source not in self._exactly[work]:
                    called = ANOTHER
            elif match.asked.startswith(_PARAGRAPH):
                called = PERHAPS  # subsections are called paragraphs too
            if match.meaning and ":" in match.asked:
                called = _answers_as_book(chunk, match.asked, work, called)
        around = " ".join((chunk.source, chunk.title, *_chain_above(match))).casefold()
        words = self._query.words.intersection(_LETTERS.findall(around))
        telling = (words & self._words).difference(_LETTERS.findall(match.name))
        appended = not self._cites_appended and _is_appended(match)
        return replace(
            match, named=len(words), telling=len(telling), called=called, is_appended=appended
        )

    def are_told(self, place: Sequence[ExactMatch]) -> bool:
        """Whether nothing that looks like a name or number is left of the query that the place knows nothing of."""
        if not self._query.citations or place[0].asked in self._query.phrases:
            return True
        if any(map(self._goes_on, self._query.citations)):
            return False
        if not place[0].asked:
            return True
        if not self._query.mostly_cites and any(one.is_guess for one in self._query.citations):
            return False
        if self._other_state(place[0].record.chunk):
            return False
        if place[0].document:
            words = _plain(" ".join(self._words)).split()
            return set(_plain(_names(place[0].record.chunk)).split()).issuperset(words)
        names = _Known(_names(match.record.chunk) for match in place[:_READ])
        if not all(map(names.has, self._called)):
            return False
        told = [*self._rest, *self._tail]
        if not told:
            return True
        known = _Known(
            part
            for match in place[:_READ]
            for chunk in (match.record.chunk,)
            for part in (_names(chunk), *chunk.parent_chain, *chunk.section_keys, chunk.text)
        )
        return all(map(known.has, told))

    def _other_state(self, chunk: Chunk) -> bool:
        """Whether the query asks for what a text was, or may become, and the document is not called that."""
        asked = self._query.words & _STATES
        return bool(asked) and not asked <= set(_plain(_names(chunk)).split())

    def _goes_on(self, one: Citation) -> bool:
        """Whether what stands behind a citation may belong to it and was not read: a letter, a level that a language has."""
        text = self._query.text
        if _SUFFIX.match(text, one.end) or _GLUED.match(text, one.end):
            return True
        level = _LEVEL_BEHIND.match(text, one.end)
        if level is None or any(
            other.start < level.end() <= other.end for other in self._query.citations
        ):
            return False
        if level["count"]:
            counts = level["count"][0].isdigit() or ordinal_value(level["count"])
            return bool(counts) and level["counted"].lower() in _LEVEL_WORDS
        return not level["word"] or level["word"].lower() in _LEVEL_WORDS

    def numbered(self, match: ExactMatch) -> ExactMatch:
        """The match, which is perhaps another's where the query gives a name a number that it does not have: `MPL 2.0` is not `MPL 1.1`."""
        if match.called != CALLED or not (match.asked or match.name) or not self._numbers:
            return match
        chunk = match.record.chunk
        names = (PurePosixPath(chunk.source).stem, chunk.title, *chunk.ancestor_keys)
        called = [_tokens(one) for one in names if section_key(one.replace("_", " ")) is None]
        headed = [_tokens(one) for one in (match.name, *chunk.parent_chain)]
        unfit = [one for one in self._numbers if not _fits(*one, called, headed)]
        dated = any(map(_YEAR.fullmatch, chain.from_iterable((*called, *headed))))
        if not unfit:
            return match
        is_told_by_text = not dated and all(_YEAR.fullmatch(one[2]) for one in unfit)
        return replace(match, called=PERHAPS if is_told_by_text else ANOTHER)

    @cached_property
    def _numbered(self) -> list[re.Match[str]]:
        """Numbers and letters behind names and markers, outside of citations but for the years of their works."""
        return [
            found
            for found in _NUMBERED.finditer(self._query.text)
            if not any(_is_cited_within(one, found) for one in self._query.citations)
            and not (found["year"] and _DAY_BEFORE.search(self._query.text, 0, found.start("year")))
        ]

    @cached_property
    def _compared(self) -> frozenset[str]:
        """Words of the query that are numbers of names, `2.0` and `v2`: these are compared with names."""
        numbers = [found[found.lastgroup or 0] for found in self._numbered]
        return frozenset(f"{mark}{number}" for number in numbers for mark in ("", "v", "V"))

    @cached_property
    def _numbers(self) -> list[tuple[frozenset[str], str, str]]:
        """Numbers and letters that belong to a name, `Order Form No. 7` or `revision B`, each with the words of that name and the marker before it."""
        text = self._query.text
        found = []
        for one in self._numbered:
            place = one.start(one.lastgroup or "number")
            low = max(
                (other.end for other in self._query.citations if other.end <= place), default=0
            )
            before = _PAUSE.split(text[low:place])[-1]
            words = [word for word in _tokens(before) if word.isalpha()][-_LONGEST_NUMBERED:]
            marker = words[-1] if words and words[-1] in _MARKERS.values() else ""
            telling = frozenset(words) - _UNTELLING - _SMALL
            found.append((telling, marker, _tokens(one[one.lastgroup or 0])[-1]))
        for one in _COUNTED_MARKER.finditer(text):
            marker, *number = _tokens(one[0])
            if number and number[0].isdigit():
                found.append((frozenset((marker,)), marker, number[0]))
        return found

    @property
    def _called(self) -> list[str]:
        """Words that name the work, before the citation or led to behind it; by many writers names have no capitals."""
        cited = self._query.citations
        guessed = [_BEFORE_NUMBER.match(one.text) for one in cited if one.is_guess and one.work]
        parts = [self._before(), *map(self._led, cited), *(one[0] for one in guessed if one)]
        return self._telling(parts)

    @property
    def _tail(self) -> list[str]:
        """Words right behind a citation that opens the query: in many languages no word leads to the name of a work."""
        return self._telling(self._behind(one) for one in self._query.citations if self._opens(one))

    def _telling(self, parts: Iterable[str]) -> list[str]:
        """The words that say which work is meant and are not of the title that the query has."""
        kinds = _KINDS | _FORMS
        ignored = _UNTELLING | _SMALL  # `havens` are no `haven't`
        title = set(self._title.split())
        return [
            word
            for part in parts
            for word in _WORD.findall(part)
            if len(word) > 1
            and word not in self._compared
            and word.casefold() not in ignored
            and kinds.isdisjoint((word.casefold(), word.casefold().removesuffix("s")))
            and title.isdisjoint(_plain(word).split())
        ]

    def _before(self) -> str:
        """What stands before the citation that ends the query, where that is no question: `noris.solar Satzung § 3`."""
        last = max(self._query.citations, key=lambda one: one.end)
        before = self._query.text[: last.start]
        if self._query.text[last.end :].strip(_PUNCTUATION) or _ASKS.search(before):
            return ""
        for other in self._query.citations:
            before = before.replace(other.text, " ")
        return before

    def _behind(self, one: Citation) -> str:
        """What stands behind a citation up to a pause."""
        return _PAUSE.split(self._query.text[one.end : one.end + _LONGEST_TAIL])[0]

    def _led(self, one: Citation) -> str:
        """The name behind a citation that a word leads to, or what goes on behind one that was read."""
        behind = self._behind(one)
        return _SAYS.split(behind)[0] if one.work or _LEADS.match(behind) else ""

    def _opens(self, one: Citation) -> bool:
        """Whether nothing but other citations stands before one."""
        before = self._query.text[: one.start]
        for other in self._query.citations:
            before = before.replace(other.text, "")
        return not before.strip()

    @property
    def _rest(self) -> list[str]:
        """Words of the query outside its citations that have digits or begin with a capital."""
        text = self._query.text
        tails: list[str] = []
        for one in self._query.citations:
            if one.work and _is_generic(one.work):  # "the code of": what follows says which
                tails += _LETTERS.findall(_TAIL_END.split(text[one.end : one.end + 200])[0])
            text = text.replace(one.text, " ; ")
        title = set(self._title.split())
        first = next(iter(_WORD.findall(self._query.text)), "")
        return [word for word in tails if len(word) > 1 and word.casefold() not in _UNTELLING] + [
            word
            for word in _WORD.findall(text)
            if len(word) > 1
            and word not in self._compared
            and (any(map(str.isdigit, word)) or (word.lower() != word and word != first))
            and word.casefold() not in _FORMS
            and (word.casefold() not in _UNTELLING or word.isupper())
            and title.isdisjoint(_plain(word).split())
        ]

    def _title_in_query(self, chunk: Chunk) -> str:
        """The longest title of the document that the query contains."""
        found = [one for one in _titles(chunk) if f" {one} " in self._text]
        return max(found, key=len, default="")

    def _is_in_title(self, work: str) -> bool:
        """Whether the title that the query contains has all of a work's name: `GitHub` is more than `Terms of Service`."""
        return not work or set(self._title.split()).issuperset(work.split("_"))

    def _within(self, title: str) -> frozenset[str]:
        """Keys of the citations that the query has within the title alone."""
        written = [(one.key, f" {_plain(one.text)} ") for one in self._query.citations]
        return frozenset(
            key
            for key, text in written
            if text in f" {title} " and self._text.count(text) <= f" {title} ".count(text)
        )


def _titles(chunk: Chunk) -> Iterator[str]:
    """Titles of a document as they are compared, of two words and more; a heading with a number is none."""
    names = (chunk.title, *chunk.parent_chain[:1], PurePosixPath(chunk.source).stem)
    for name in names:
        if section_key(name) is None:
            for one in dict.fromkeys((name, _PARENTHESES.sub("", name))):
                title = _plain(one)
                if " " in title:
                    yield title


def _names(chunk: Chunk) -> str:
    """All by which a document is called, in one text."""
    return " ".join((chunk.source, chunk.title, *chunk.parent_chain[:1], *chunk.ancestor_keys))


def _plain(text: str) -> str:
    return " ".join(_LETTERS.findall(fold(text.casefold())))


def answers(chunk: Chunk, work: str, query: Query) -> int:
    """How a document answers to the key of a work's name: it is called so, words of its text make it possible, or it is another."""
    if work in chunk.ancestor_keys or work in chunk.section_keys:
        return PERHAPS if is_cut_short(chunk, work) else CALLED
    asked = _tokens(work)
    names = _Known((*_called_names(chunk), PurePosixPath(chunk.source).parent.name))
    held = {token for name in _called_names(chunk) for token in _tokens(name)}
    held |= {part for one in held for part in one.split(".")}
    if any(one[0].isdigit() and not held.issuperset(one.split(".")) for one in asked):
        return ANOTHER
    words = [one for one in asked if len(one) > 1 and not one[0].isdigit() and one not in _SAID]
    telling = [one for one in words if one not in KINDS]
    unknown = [one for one in telling if not names.has(one)]
    if not unknown:
        kinds = {one[:_KIND_STEM] for one in KINDS & held}
        of_kind = all(one[:_KIND_STEM] in kinds or names.has(one) for one in words) or (
            len(words) < len(asked) and not KINDS & held
        )
        return CALLED if of_kind or len(telling) > 1 else PERHAPS
    if len(asked) == 1 and _is_short_for(work, chunk):
        return PERHAPS
    if len(unknown) == len(telling):
        return ANOTHER
    capitals = {
        fold(word.casefold()) for word in _LETTERS.findall(query.text) if not word.islower()
    }
    text = _Known((chunk.text,))
    return ANOTHER if any(one in capitals and not text.has(one) for one in unknown) else PERHAPS


def is_cut_short(chunk: Chunk, work: str) -> bool:
    """Whether a document's key leaves out what stands in parentheses within its title: the `Ports (Amendment) Act` is no `Ports Act`."""
    within = " ".join(
        one for one in _WITHIN_TITLE.findall(chunk.title) if one.upper() not in COMMUNITIES
    )
    parts = set(work.split("_"))
    outside = set(work_key(_PARENTHESES.sub("", chunk.title)).split("_")) - _SMALL
    return bool(within) and parts.isdisjoint(_tokens(within)) and parts - _SMALL == outside


def _called_names(chunk: Chunk) -> tuple[str, ...]:
    keys = (one for one in chunk.ancestor_keys if one.partition("_")[0] not in LABELS)
    return (PurePosixPath(chunk.source).stem, chunk.title, *chunk.parent_chain[:1], *keys)


def _is_short_for(work: str, chunk: Chunk) -> bool:
    """Whether a short name may stand for the one of a document, by its initials or as `kschg` for `kündigungsschutzgesetz`."""
    plain = [_plain(name) for name in _called_names(chunk)]
    return any(
        work == "".join(word[0] for word in name.split())
        or any(_abbreviates(work, word) for word in (*name.split(), name.replace(" ", "")))
        for name in plain
    )


_KIND_STEM = 3
"""Letters that the forms of a word for a kind have in common: `Act` and `Acts`, `закон` and `закона`."""

_WITHIN_TITLE = re.compile(r"\(([^()]{2,80})\)(?=\s\w)")


def _answers_as_book(chunk: Chunk, asked: str, work: str, called: int) -> int:
    """The same of a citation such as `art. 6:162 BW`, where the article bears no number of its book."""
    names = _names(chunk).casefold()
    number = asked.removeprefix("art_").partition(":")[0]
    in_book = f"book_{number}" in chunk.ancestor_keys or re.search(
        rf"\b(?:{'|'.join(LABELS['book'].split())})[ _]{number}(?![0-9])", names
    )
    initials = "".join(one[0] for one in _plain(chunk.title).split())
    if not in_book:
        return ANOTHER
    return CALLED if not work or called == CALLED or initials.startswith(work) else called


def _abbreviates(short: str, word: str) -> bool:
    """Whether a short name may stand for a word: `kschg` for `kündigungsschutzgesetz`."""
    if len(short) < 3 or len(word) < 2 * len(short) or short[0] != word[0]:
        return False
    letters = iter(word)
    return all(letter in letters for letter in short)


def _is_generic(work: str) -> bool:
    """Whether a name says of what kind a work is and no more: `lease agreement` says more than `agreement`."""
    parts = [part for part in work.split("_") if part not in _SMALL]
    return work in GENERIC or (len(parts) < 2 and _KINDS.issuperset(parts))


def _tokens(text: str) -> list[str]:
    """Words and numbers of a name, those that mark a number as one kind has it, and `2` for `2.0`."""
    found = []
    text = _COUNTED_MARKER.sub(_counted_behind, text)
    for one in _TOKEN.findall(fold(text.casefold())):
        number = re.sub(r"(?:_0|\.0)+\Z", "", one).replace("_", ".")
        found.append(number if one[0].isdigit() else _MARKERS.get(one, one))
    return found


def _counted_behind(found: re.Match[str]) -> str:
    value = int(found[1]) if found[1].isdigit() else ordinal_value(found[1])
    return f"{found[2]} {value}" if value else found[0]


def _is_cited_within(one: Citation, number: re.Match[str]) -> bool:
    """Whether a number belongs to a citation's own, and is no year at the end of its work's name."""
    place = number.start(number.lastgroup or 0)
    if not one.start <= place < one.end:
        return False
    is_year = (
        one.work and number.end() == one.end and _YEAR.fullmatch(number[number.lastgroup or 0])
    )
    return not is_year or number[number.lastgroup or 0] in one.work.split("_")


_DAY_BEFORE = re.compile(
    r"(?<![0-9])[0-9]{1,2}\.?\s(?:de\s)?[^\W\d_]{3,10}\s\Z|(?<=\s)[^\W\d_]{3,10}\s[0-9]{1,2},\s\Z"
)
"""Before the year of a date, which stands in a text and not in its name."""

_YEAR = re.compile(r"(?:1[5-9]|20)[0-9]{2}")
_TOKEN = re.compile(r"(?<![0-9])[0-9]{1,3}(?:[._][0-9]{1,3})+(?![0-9])|[0-9]+|[^\W\d_]+")


def _fits(
    words: Collection[str],
    marker: str,
    number: str,
    names: Sequence[Sequence[str]],
    headings: Sequence[Sequence[str]],
) -> bool:
    """Whether the number that a query gives to a name is its own.

    Args:
        words: Of the name in the query, before the number.
        marker: That which says what the number counts, if one does.
        number: It.
        names: What the document is called.
        headings: Those around a place: their own numbers are no names'.
    """
    differs = False
    for name in (*names, *headings):
        numbers = [_number_behind(name, at) for at, word in enumerate(name) if word in words]
        if number in numbers or (_YEAR.fullmatch(number) and number in name):
            return True
        differs = differs or bool(numbers and numbers[-1])
    if differs or (marker and marker != "number"):
        return False
    return any(number in name for name in names)


def _number_behind(name: Sequence[str], at: int) -> str:
    """The first number or letter behind a word of a name; empty where there is none."""
    behind = (
        one for one in name[at + 1 :] if one[0].isdigit() or len(one) == 1 or one in _NUMERALS
    )
    return next(behind, "")


class _Known:
    """What a place knows of: the words of its names and of its text.

    Args:
        parts: Names and texts.
    """

    def __init__(self, parts: Iterable[str]) -> None:
        self._text = f" {_plain(' '.join(parts))} "

    def has(self, word: str) -> bool:
        """Whether a word is there, in whatever form or compound; a short one, or one with a point or `&` in it, only as it is."""
        plain = _plain(_POSSESSIVE.sub("", word))
        if any(map(str.isdigit, plain)) and " " in plain and self.has_word(plain.replace(" ", "")):
            return True  # `10-K` of `10k`
        if len(plain.rpartition(" ")[2]) < _INFLECTED or any(map(str.isdigit, plain)):
            return self.has_word(plain) or (" " in plain and self.has_word(f"{plain}s"))
        stem = plain[: max(_INFLECTED, len(plain) - _ENDING)]
        return f" {stem}" in self._text or (len(plain) >= _COMPOUND and plain in self._text)

    def has_word(self, word: str) -> bool:
        """Whether it is there as it is written."""
        return f" {_plain(word)} " in self._text


_POSSESSIVE = re.compile(r"['’]s?\Z")
_INFLECTED, _ENDING, _COMPOUND = 5, 3, 6
"""Letters of a word from which it may be inflected, those that change then, and those from which it may be part of another."""

_WORD = re.compile(r"[^\W_](?:[\w/-]|[.&'’](?=[^\W_]))*")
_LETTERS = re.compile(r"[^\W_]+")
_READ = 4
"""Chunks of a place that are searched for what else a query says; a section may go on for hundreds."""

_PAUSE = re.compile(r"[,;:?!]|\.(?=\s|\Z)")
_LONGEST_TAIL = 100
_LEADS = re.compile(rf",?\s(?:{INWARD}|from|den|zum|zur)\s")
"""Words that lead from a citation to the name of its work."""

_SAYS = re.compile(
    r"\b(?:says?|said|means?|appl(?:y|ies)|requires?|covers?|provides?|deals?|allows?|permits?|prohibits?|regelt|sagt|gilt|bestimmt|lautet|verlangt|erlaubt"
    r"|dit|prévoit|dispose|exige|dice|establece|regula|prevé|stabilisce|prevede|diz|estabelece|zegt|bepaalt)\b"
)
"""Verbs behind which a question goes on."""

_PUNCTUATION = " .,;:?!"
_ASKS = re.compile(
    r"\b(?:what|which|where|when|who|why|how|does|is|are|can|must|shall|show|find|explain|tell|see|per|was|wie|wo|wer|wann|welche[rsmn]?|gilt|nach|gemäß|siehe|zeige"
    r"|que|quoi|quel(?:le)?s?|comment|où|selon|voir|dit|qué|cuál|cómo|dónde|según|che|cosa|quale|secondo)\b",
    re.IGNORECASE,
)
"""Words of a question, or of a sentence that leads to a citation."""

_BEFORE_NUMBER = re.compile(r"[^\W\d_]+\s(?:[^\W\d_]+\.?\s)+(?=\[?[0-9])")
"""Several words before a number that is cited alone: `Debian policy 3.10`."""

_MARKERS = {
    **dict.fromkeys(words("v ver version versión versão versione fassung release"), "version"),
    **dict.fromkeys(words("rev revision révision revisión revisão revisione"), "revision"),
    **dict.fromkeys(words("ed edition édition edición edizione edição ausgabe auflage"), "edition"),
    **dict.fromkeys(words("no nr num number nummer numéro número numero n"), "number"),
    **dict.fromkeys(words("issue"), "issue"),
    **dict.fromkeys(words("vol volume band"), "volume"),
}
"""Words before the number of a name, and one for each kind."""

_NUMBERED = re.compile(
    r"(?:\b[A-Z][\w-]*[^\W\d_]\s?[-–(]?\s?(?=[0-9])|\b[A-Z](?=[0-9]+\.[0-9])"
    r"|\b(?i:versión|versão|version[e]?|release|r[eé]vision|rev\.|rev|v\.|v|edition|edición|issue|fassung|ausgabe|no\.|nr\.|n[º°]|number|nummer)\s?|#)"
    r"(?:(?i:no|nr)\.?\s?|n[º°]\s?)?(?:[vV]\.?\s?(?=[0-9]))?"
    r"(?P<number>[0-9]{1,4}(?:\.[0-9]{1,3}){0,3}(?![\w/:°º]|[.:-]\w)|(?<=[a-z.]\s)[A-Z](?![\w'’.-]))"
    r"|(?<=[^\W\d_]\s)(?:(?P<numeral>I{2,3}|IV|VI{1,3}|IX)|(?P<year>(?:1[5-9]|20)[0-9]{2}))(?![\w.])"
)
"""A number behind a name or a marker: `MPL 2.0`, `Policy 2024`, `Order Form No. 7`, `version 2.0`; a letter behind a marker: `revision B`."""

_COUNTED_MARKER = re.compile(
    r"(?<!\w)([0-9]{1,2}(?=st|nd|rd|th|\.)|[^\W\d_]{4,12}(?=\s))(?:st|nd|rd|th|\.)?\s(edition|version|revision|issue|ausgabe|auflage|fassung|édition|edición|release)(?!\w)",
    re.IGNORECASE,
)
"""`second edition`, `3rd edition`."""

_NUMERALS = words("ii iii iv vi vii viii ix")
"""Numerals that are no words or letters."""

_LONGEST_NUMBERED = 6
"""Words of a name before its number that are compared."""

_APPENDED_KEYS = ("sched_", "annex_", "app_", "exhibit_")
_APPENDED = re.compile(
    rf"[\W_]*(?:[^\W\d_]+\s)?(?:{'|'.join(word for key in _APPENDED_KEYS for word in LABELS[key[:-1]].split())})\b",
    re.IGNORECASE,
)
"""The heading of what stands behind a document, `FIRST SCHEDULE`: its paragraphs are cited with it."""

_PARAGRAPH = f"{PARAGRAPH}_"
_SUFFIX = re.compile(r"\s(?:[a-zB-HJ-Z]|bis|ter|quater|quinquies|[a-z]+(?:ies|cies))(?!\w)")
"""What may belong to a number and was not read with it."""
_GLUED = re.compile(r"(?<=\w)[-–/.]?\w|[-–/.]\w|\(\w{1,4}\)")
"""What follows a citation without a space, and belongs to it."""

_STATES = words(
    "former repealed superseded draft proposed ehemaliger ehemalige entwurf ancien ancienne abrogé projet derogado antiguo abrogato"
)
"""Words that ask for another state of a text than that in force."""

_LEVEL_WORDS = words(*LEVELS.values()) - UNNUMBERED | words(
    "footnote line column row box cell figure st stycke stycket mom momentti kohta tiret indent dash trattino guión streepje spiegelstrich bod fıkra fıkrası bent bet"
)
"""Levels of a section, those too that are not read as such."""

_LEVEL_BEHIND = re.compile(
    r",?\s(?:[IVX]{1,6}(?!\w)|[0-9]{1,3}°|[a-z]\)(?!\w)"
    r"|(?P<word>[^\W\d_]{1,14})(?:\.?\s|\.|(?=\())\(?(?:[0-9]{1,3}[a-z]?|[a-z]{1,2}|[ivxIVX]{1,5})\)?(?!\w)"
    r"|(?P<count>[0-9]{1,3}|[^\W\d_]{3,14})\.?(?:st|nd|rd|th)?\s(?P<counted>[^\W\d_]{2,14})(?!\w))"
)
"""`onder b`, `andra stycket`, `II`, `2°`: what may be a level behind a citation."""

_TAIL_END = re.compile(r"[.,;:?!]")
_MARKED = re.compile(r"[Vv][0-9]")
"""A number with the mark of a standard whose chapters bear it too: the `V6.2.4` under `V6 Authentication`."""
_PARENTHESES = re.compile(r"\s*\([^()]{1,80}\)")
_SMALL = words(
    "of the and for de la le les des du del della los las el l d und der die das dem den zur zum vom über y e et da do dos",
    "van het op een voor met en i og och om av af na o w z dla oraz il lo gli al alla dei delle por para con sur aux",
)
_KINDS = GENERIC | words(
    "loi lois ley leyes lei leis legge gesetz gesetzes gesetzbuch verordnung richtlinie decreto décret decret codigo código codice",
    "constitucion constitución costituzione constituição ordonnance reglement règlement arrete arrêté traité traite tratado statuts",
    "resolution judgment judgement opinion order urteil beschluss arrêt arret sentencia sentenza",
    "contrat vertrag bill chapter title part contract plan lease protocol guidelines ordinance indenture covenant rule",
)
"""Words that say of what kind a work is, and not which it is."""

_SAID = (
    _SMALL
    | words(*ORDINALS)
    | {
        "number",
        "version",
        "revision",
        "edition",
        "issue",
        "volume",
        "as",
        "its",
        "reg",
        "dir",
        "dec",
        "о",
        "об",
        "за",
        "от",
        "на",
        "για",
        "τα",
        "του",
        "της",
        "sayili",
    }
)

_FORMS = words(
    "eg ev e.v gmbh ag kg ohg ltd llc llp lp inc plc corp co sa sas sarl srl spa bv nv ab oy"
)
"""Legal forms: a club's statutes say its name with or without."""

_UNTELLING = stop_words(tuple(Analyzer.LANGUAGES)) | words(
    "what which where when who why how does is are was were do did can may must shall should tell show find explain",
    "section sections article articles part chapter title paragraph clause rule act law code statute regulation agreement contract",
    "was wo wann wer warum wie gilt regelt steht abschnitt artikel absatz satz nummer gesetz verordnung",
    "que quel quelle quels où quand qui comment dit article loi code alinéa artículo ley código qué cuál dónde cuándo quién cómo",
)
"""Words that may begin with a capital and name nothing."""
