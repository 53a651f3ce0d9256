"""By what names a query calls documents, and what these say of a match: whether its document is meant, and whether all that is asked is told.

"Section 2 of the Lease with Orpin Cycles"   its document is called a lease, and its first page says with whom
"Marlow v Esk [2031] HSC 14 at [4]"          the number in the title is no section's
"§ 5 Abs. 9 of the Ferry Act"                a level is left over that no match has
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import PurePosixPath
from types import MappingProxyType

from hierdoc.citations import PARAGRAPH, Citation, is_of_series, section_key
from hierdoc.citations.vocabulary import LABELS, LEVELS, RESTARTING, UNNUMBERED, ordinal_value
from hierdoc.citations.work_names import work_key
from hierdoc.citations.works import KINDS
from hierdoc.models import Chunk
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
from hierdoc.search.dates import DATE, dates, is_dated
from hierdoc.search.matches import BEGINS, CODED, ENCLOSES, ExactMatch, chain_above
from hierdoc.search.query import Query
from hierdoc.text.words import words


class NamedDocuments:
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
        openings: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._query = query
        self._exactly = called
        self._openings = openings
        self._numbers = NameNumbers(query.text, query.citations)
        self._dates = dates(query.text)
        self._text = f" {_telling(query.text)} "
        self._whole = {source: f" {_telling(chunk.title)} " for source, chunk in chunks.items()}
        self._titled: Collection[str] = ()
        self._titles = {source: self._title_in_query(chunk) for source, chunk in chunks.items()}
        self._title = max(self._titles.values(), key=len, default="")
        self.parts_of_titles = self._within(self._title) if self._title else frozenset()
        keys = {one.key for one in query.citations}
        self.works = {one.work for one in query.citations} & keys
        self._series = {one.key for one in query.citations if is_of_series(one)}
        guesses = {one.key for one in query.citations if one.is_guess and one.work} | self._series
        self.cited = {
            key
            for key in keys - self.works - self.parts_of_titles - guesses
            if not any(f"_{key}_" in f"_{one.work}_" for one in query.citations)
            and not any(other.startswith(f"{key}_") for other in keys)
        }
        self._cites_appended = any(key.partition("_")[0] in RESTARTING for key in keys)
        self._words = query.words - UNTELLING - SMALL
        self._works = {
            one.key: one.work for one in query.citations if one.work and not is_generic(one.work)
        }

    @cached_property
    def _parties(self) -> Mapping[str, Sequence[str]]:
        """By the keys of citations with whom the contract was made that they are said to be of, `with Tavi Bakers`."""
        found: dict[str, list[str]] = {}
        for one in self._query.citations:
            behind = PAUSE.split(self._query.text[one.end : one.end + _LONGEST_TAIL])[0]
            led = _PARTIES.search(behind) if one.work else None
            between = work_key(behind[: led.start()]).split("_") if led else [""]
            is_led = not {*between} - SMALL - {"", *one.work.split("_")}
            names = _WORD.findall(behind[led.end() :]) if led and is_led else []
            found[one.key] = [
                name
                for name in names
                if name[0].isupper() and name.casefold() not in _FORMS | UNTELLING | SMALL
            ]
        return found

    def take_codes(self, matches: Iterable[ExactMatch]) -> None:
        """Codes with which no entry begins are names of products: `E1042 on the P200`."""
        begun = {match.asked for match in matches if match.score == BEGINS}
        self._products = {key for key in self.cited if key.startswith(CODED)} - begun
        if any(key.startswith(CODED) for key in begun):
            self.cited -= self._products

    def take_titles(self, matches: Iterable[ExactMatch]) -> None:
        """What is cited, begins nowhere and is in titles, is a work: `Regulation 5131, section 1` of the `Dress Regulation 5131`."""
        begun = {match.asked for match in matches if match.score > ENCLOSES}
        open_ones = {one.key: f" {_telling(one.text)} " for one in self._query.citations}
        for key in self.cited - begun:
            titled = {source for source, title in self._whole.items() if open_ones[key] in title}
            if titled and begun:
                self._titled = titled
                self.cited -= {key}

    def placed(self, match: ExactMatch) -> ExactMatch:
        """The match with what its document's names say."""
        chunk = match.record.chunk
        opening = self._openings.get(chunk.source, "")
        called = CALLED
        asked = match.asked not in self._series and match.asked
        if asked and match.score <= BEGINS and not match.document:
            work = next(
                (self._works[key] for key in (match.asked, *self._works) if key in self._works), ""
            )
            if self._titled:
                called = CALLED if chunk.source in self._titled else ANOTHER
            elif match.asked.startswith(CODED):
                products = " ".join(key.removeprefix(CODED) for key in self._products)
                called = answers(chunk, products, self._query) if products else CALLED
            elif any(
                one.key == match.asked and _MARKED.match(one.text) for one in self._query.citations
            ):
                called = CALLED if any(map(_MARKED.match, chunk.parent_chain)) else ANOTHER
            elif self._title and self._is_in_title(self._works.get(match.asked, "")):
                called = CALLED if self._titles[chunk.source] == self._title else ANOTHER
            elif work:
                called = answers(chunk, work, self._query, opening)
                if self._exactly.get(work) and chunk.source not in self._exactly[work]:
                    called = ANOTHER
                # What looks like a work may be a number's letters: `Article 313 BA of …`.
                titled = self._title and self._titles[chunk.source] == self._title
                title = filter(str.isalpha, self._title.split())
                if titled and not set(work.split("_")).issuperset(title):
                    called = max(PERHAPS, called)
            elif match.asked.startswith(NUMBERED_PARAGRAPH):
                called = PERHAPS  # subsections are called paragraphs too
            parties = self._parties.get(match.asked, ())
            if (
                opening
                and parties
                and not any(map(Known((all_names(chunk), opening)).has, parties))
            ):
                called = ANOTHER
            if match.meaning and ":" in match.asked:
                called = answers_as_book(chunk, match.asked, work, called)
        if called == CALLED and match.asked and self._dates:
            said = dates(f"{opening} {chunk.title} {' '.join(chunk.parent_chain)}")
            if not self._dates <= said:
                called = ANOTHER if said and is_dated(self._works.get(match.asked, "")) else PERHAPS
        if called == CALLED and (match.asked or match.name):
            called = self._numbers.answered(chunk, match.name)
            called = called if match.asked else max(PERHAPS, called)  # a heading is no work
        around = " ".join((chunk.source, chunk.title, *chain_above(match))).casefold()
        words = self._query.words.intersection(LETTERS.findall(around))
        words |= self._query.beside.intersection(LETTERS.findall(opening.casefold()))
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
            for part in (
                all_names(chunk),
                *chunk.parent_chain,
                *chunk.section_keys,
                chunk.text,
                self._openings.get(chunk.source, ""),
            )
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
            behind = DATE.sub("", self._query.text[one.end : one.end + _LONGEST_TAIL])
            behind = _QUARTER.sub(_as_quarter, PAUSE.split(behind)[0])
            if (one.work and is_generic(one.work)) or not self._query.text[: one.start].strip():
                tails += _WORD.findall(behind)
            text = text.replace(one.text, " ; ")
        text = DATE.sub("", text)
        first = next(iter(_WORD.findall(self._query.text)), "")
        named = [
            word
            for word in _WORD.findall(text)
            if word.casefold() in _STATES
            or any(map(str.isdigit, word))
            or (word.lower() != word and word != first)
        ]
        works = "_".join(one.work for one in self._query.citations).split("_")
        ignored = UNTELLING | SMALL | _FORMS | KINDS.intersection(works)
        title = set(self._title.split())
        return [
            word
            for word in (*tails, *named)
            if len(word) > 1
            and word not in self._numbers.written
            and (word.casefold() not in ignored or word.isupper())
            and not self._is_number_of_work(word)
            and title.isdisjoint(plain(word).split())
        ]

    def _is_number_of_work(self, word: str) -> bool:
        """Whether a number in parts is that of a work which is named: `14.990/2031`."""
        return _IN_PARTS.match(word) is not None and any(
            f"_{work_key(word)}_" in f"_{one.work}_" for one in self._query.citations
        )

    def _title_in_query(self, chunk: Chunk) -> str:
        """The longest title of the document that the query contains."""
        found = [one for one in _titles(chunk) if f" {one} " in self._text]
        return max(found, key=len, default="")

    def _is_in_title(self, work: str) -> bool:
        """Whether the title that the query contains has all of a work's name: `GitHub` is more than `Terms of Service`."""
        return not work or set(self._title.split()).issuperset(work.split("_"))

    def _within(self, title: str) -> frozenset[str]:
        """Keys of the citations that the query has within the title alone."""
        written = [(one.key, f" {_telling(one.text)} ") for one in self._query.citations]
        return frozenset(
            key
            for key, text in written
            if text in f" {title} " and self._text.count(text) <= f" {title} ".count(text)
        )


def _is_appended(match: ExactMatch) -> bool:
    """Whether the section of a match lies in a schedule or annex, by the headings above it and the sections before it in its chunk."""
    before: list[str] = []
    for one in match.record.chunk.sections:
        if one.id == match.section_id:
            break
        before.append(one.title)
    return any(map(_APPENDED.match, (*chain_above(match), *before)))


def _titles(chunk: Chunk) -> Iterator[str]:
    """Titles of a document as they are compared, of two words and more; a heading with a number is none."""
    names = (chunk.title, *chunk.parent_chain[:1], PurePosixPath(chunk.source).stem)
    for name in names:
        if section_key(name) is None:
            for one in dict.fromkeys((name, PARENTHESES.sub("", name))):
                title = _telling(one)
                if " " in title:
                    yield title


def _telling(text: str) -> str:
    """Its words as they are compared, without those that titles have at will: `the First Amendment to the Credit Agreement`."""
    return " ".join(word for word in plain(text).split() if word not in SMALL)


_WORD = re.compile(r"[^\W_](?:[\w/-]|[.&'’](?=[^\W_]))*")
_READ = 4
"""Chunks of a place that are searched for what else a query says; a section may go on for hundreds."""

_LONGEST_TAIL = 100

_PARTIES = re.compile(
    r"\s(?:with|between|among|mit|zwischen|con|entre|avec|tra|fra|met|tussen|med|mellan|mellem)\s"
)
"""With whom a contract was made, behind its name."""

_IN_PARTS = re.compile(r"[0-9][0-9.]*[./][0-9]+\Z")

_QUARTER = re.compile(r"(?i)([^\W\d_]{4,12})\s(?:quarter|quartal|trimest|kwarta)[^\W\d_]*")


def _as_quarter(found: re.Match[str]) -> str:
    """`first quarter` as files are called, `Q1`."""
    value = ordinal_value(found[1])
    return f"Q{value}" if value else found[0]


_MARKED = re.compile(r"[Vv][0-9]")
"""A number with the mark of a standard whose chapters bear it too: the `V6.2.4` under `V6 Authentication`."""

_APPENDED = re.compile(
    rf"[\W_]*(?:[^\W\d_]+\s)?(?:{'|'.join(word for label in sorted(RESTARTING) for word in LABELS[label].split())})\b",
    re.IGNORECASE,
)
"""The heading of what stands behind a document, `FIRST SCHEDULE`: its paragraphs are cited with it."""

NUMBERED_PARAGRAPH = f"{PARAGRAPH}_"
_SUFFIX = re.compile(r"\s(?:[a-zB-HJ-Z]|bis|ter|quater|quinquies|[a-z]+(?:ies|cies))(?![\w'’])")
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
