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
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from types import MappingProxyType

from hierdoc.citations import (
    CODE,
    PARAGRAPH,
    Citation,
    enclosing_keys,
    heading_key,
    meanings,
    section_key,
    spelt_out,
)
from hierdoc.citations.vocabulary import LABELS, LEVELS, UNNUMBERED, ordinal_value
from hierdoc.models import Chunk
from hierdoc.plugin.records import Record
from hierdoc.search.called import (
    ANOTHER,
    CALLED,
    LETTERS,
    PARENTHESES,
    PAUSE,
    PERHAPS,
    SMALL,
    UNTELLING,
    Known,
    NameNumbers,
    all_names,
    answers,
    answers_as_book,
    is_generic,
    plain,
)
from hierdoc.search.query import Query
from hierdoc.text.words import words

NAMED, BEGINS, GOES_ON, ENCLOSES = 1.1, 1.0, 0.9, 0.5
"""Scores: the whole query names this; the cited section begins here, goes on here, or is not there but what encloses it is."""

CODED = f"{CODE}_"
"""What the keys of codes begin with."""


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
    cited = {match.document: match.record.chunk.source for match in matches if match.document}
    if cited:
        matches = [_unless_elsewhere(match, cited) for match in matches]
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
    return _NamedDocuments(
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


class _NamedDocuments:
    """By what names a query calls documents.

    Args:
        query: What is asked.
        chunks: One of each document in question, by its source.

    Attributes:
        parts_of_titles: Keys of citations that stand within a title only.
        works: Keys of documents that are cited only as what holds a section.
        cited: Keys of all other citations but those that enclose another.
    """

    def __init__(
        self,
        query: Query,
        chunks: dict[str, Chunk],
        called: Mapping[str, Collection[str]] = MappingProxyType({}),
    ) -> None:
        self._query = query
        self._exactly = called
        self._numbers = NameNumbers(query.text, query.citations)
        self._text = f" {plain(query.text)} "
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
        self._cites_appended = any(key.startswith(_APPENDED_KEYS) for key in keys)
        self._words = query.words - UNTELLING - SMALL
        self._works = {
            one.key: one.work for one in query.citations if one.work and not is_generic(one.work)
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
            if match.asked.startswith(CODED):
                products = " ".join(key.removeprefix(CODED) for key in self._products)
                called = answers(chunk, products, self._query) if products else CALLED
            elif any(
                one.key == match.asked and _MARKED.match(one.text) for one in self._query.citations
            ):
                called = CALLED if any(map(_MARKED.match, chunk.parent_chain)) else ANOTHER
            elif self._title and self._is_in_title(self._works.get(match.asked, "")):
                called = CALLED if self._titles[chunk.source] == self._title else ANOTHER
            elif work:
                called = answers(chunk, work, self._query)
                if self._exactly.get(work) and chunk.source not in self._exactly[work]:
                    called = ANOTHER
                # What looks like a work may be a number's letters: `Article 313 BA of …`.
                titled = self._title and self._titles[chunk.source] == self._title
                title = filter(str.isalpha, self._title.split())
                if titled and not set(work.split("_")).issuperset(title):
                    called = max(PERHAPS, called)
            elif match.asked.startswith(_PARAGRAPH):
                called = PERHAPS  # subsections are called paragraphs too
            if match.meaning and ":" in match.asked:
                called = answers_as_book(chunk, match.asked, work, called)
        if called == CALLED and (match.asked or match.name):
            called = self._numbers.answered(chunk, match.name)
            called = called if match.asked else max(PERHAPS, called)  # a heading is no work
        around = " ".join((chunk.source, chunk.title, *_chain_above(match))).casefold()
        words = self._query.words.intersection(LETTERS.findall(around))
        telling = (words & self._words).difference(LETTERS.findall(match.name))
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
        guessed = [
            one for one in self._query.citations if one.is_guess and not one.key.startswith(CODED)
        ]
        if guessed and not self._query.mostly_cites:
            return False
        if place[0].document:
            words = plain(" ".join(self._words)).split()
            return set(plain(all_names(place[0].record.chunk)).split()).issuperset(words)
        told = self._left
        if not told:
            return True
        known = Known(
            part
            for match in place[:_READ]
            for chunk in (match.record.chunk,)
            for part in (all_names(chunk), *chunk.parent_chain, *chunk.section_keys, chunk.text)
        )
        return all(map(known.has, told))

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

    @property
    def _left(self) -> list[str]:
        """Words of the query that are no citation's, and may be a name's: with capitals or digits, of another state, behind what a citation opens."""
        text = self._query.text
        tails: list[str] = []
        for one in self._query.citations:
            behind = PAUSE.split(self._query.text[one.end : one.end + _LONGEST_TAIL])[0]
            if (one.work and is_generic(one.work)) or not self._query.text[: one.start].strip():
                tails += _WORD.findall(behind)
            text = text.replace(one.text, " ; ")
        first = next(iter(_WORD.findall(self._query.text)), "")
        named = [
            word
            for word in _WORD.findall(text)
            if word.casefold() in _STATES
            or any(map(str.isdigit, word))
            or (word.lower() != word and word != first)
        ]
        ignored = UNTELLING | SMALL | _FORMS
        title = set(self._title.split())
        return [
            word
            for word in (*tails, *named)
            if len(word) > 1
            and word not in self._numbers.written
            and (word.casefold() not in ignored or word.isupper())
            and title.isdisjoint(plain(word).split())
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
        written = [(one.key, f" {plain(one.text)} ") for one in self._query.citations]
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
            for one in dict.fromkeys((name, PARENTHESES.sub("", name))):
                title = plain(one)
                if " " in title:
                    yield title


_WORD = re.compile(r"[^\W_](?:[\w/-]|[.&'’](?=[^\W_]))*")
_READ = 4
"""Chunks of a place that are searched for what else a query says; a section may go on for hundreds."""

_LONGEST_TAIL = 100


_MARKED = re.compile(r"[Vv][0-9]")
"""A number with the mark of a standard whose chapters bear it too: the `V6.2.4` under `V6 Authentication`."""

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


_FORMS = words(
    "eg ev e.v gmbh ag kg ohg ltd llc llp lp inc plc corp co sa sas sarl srl spa bv nv ab oy"
)
"""Legal forms: a club's statutes say its name with or without."""
