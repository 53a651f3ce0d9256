"""What people call things that texts call otherwise, and the tables in which they stand: data by domain.

    "What is the capex of Acme?"        also searched for as capital expenditures; the statement of cash flows is asked for
    "Is there a non-compete?"           also searched for as covenant, competing business
    "accounts payable of Acme"          a row of balance sheets
    "Can I be fired?"                   by keyword also searched for as dismissal, termination

Names are compared by their words: case, hyphens, ampersands and a plural's `s` do not count. Everyday words are compared by their
stems.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain

from hierdoc.config.models import DomainOfTerms, SearchSettings, TableSettings, TermSettings
from hierdoc.text.analysis import Analyzer
from hierdoc.text.stemming import stop_words

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Term:
    """A thing with several names.

    Attributes:
        names: What people call it.
        also: The words that texts have for it, or for the lines from which it is worked out.
        tables: Names of the kinds of tables in which these lines stand.
        alone: Whether its names mean this wherever they stand; otherwise only beside another term of the domain, or a title of
            one of its tables: a DPO may be an officer.
    """

    names: tuple[str, ...]
    also: str = ""
    tables: tuple[str, ...] = ()
    alone: bool = True


@dataclass(frozen=True)
class TableKind:
    """A kind of table that is known by its rows or, where these may be anything, by a column.

    Attributes:
        name: By which terms refer to it.
        titles: What it is called.
        rows: What its rows are called, or begin with.
        columns: What one of its columns is called.
        also: The words by which it is searched for as well.
    """

    name: str
    titles: tuple[str, ...]
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    also: str = ""

    @cached_property
    def labels(self) -> frozenset[tuple[str, ...]]:
        """The rows in the form in which they are compared."""
        return frozenset(map(compared, self.rows))

    @cached_property
    def headers(self) -> frozenset[tuple[str, ...]]:
        """The columns in the form in which they are compared."""
        return frozenset(map(compared, self.columns))


@dataclass(frozen=True, slots=True)
class Domain:
    """What is known of one field."""

    terms: tuple[Term, ...] = ()
    tables: tuple[TableKind, ...] = ()
    everyday: Mapping[str, str] = field(default_factory=dict)
    """By language, lines of everyday words and the words of texts; see `hierdoc.search.terminology.everyday`."""


@dataclass(frozen=True, slots=True)
class Wording:
    """Everyday words of a query, and the words that texts have instead."""

    said: str
    written: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text says in terms that are known.

    Attributes:
        words: Further words to search for, each once.
        tables: The kinds of tables that it asks for, those that it names first.
    """

    words: str = ""
    tables: tuple[TableKind, ...] = ()


class Terminology:
    """The terms of some domains, found by their names.

    Args:
        domains: What is known; a name that several give means all that they say.
    """

    def __init__(self, domains: Iterable[Domain]) -> None:
        self._tables: dict[str, TableKind] = {}
        self._names: dict[tuple[str, ...], list[tuple[int, Term]]] = {}
        self._longest = 0
        self._everyday: list[_Everyday] = []
        for number, domain in enumerate(domains):
            self._everyday += [_Everyday(*one) for one in domain.everyday.items()]
            self._tables |= {table.name: table for table in domain.tables}
            titles = [Term(one.titles, one.also, (one.name,)) for one in domain.tables]
            for term in (*domain.terms, *titles):
                for name in term.names:
                    self._names.setdefault(compared(name), []).append((number, term))
        self._longest = max(map(len, self._names), default=0)

    def read(self, text: str) -> Reading:
        """What a text says in these terms."""
        found = [*self._found(compared(text))]
        if not found:
            return NOTHING
        sure = {number for number, term in found if term.alone}
        terms = [term for number, term in found if term.alone or number in sure]
        words = dict.fromkeys(" ".join(term.also for term in terms).split())
        tables = dict.fromkeys(name for term in terms for name in term.tables)
        kinds = [self._tables[name] for name in tables if name in self._tables]
        return Reading(" ".join(words), tuple(kinds))

    def wordings(self, text: str) -> tuple[Wording, ...]:
        """The everyday words of a text, in the language that most of its stop words are of; none of a long text."""
        words = _WORD.findall(text)
        if len(words) > _MOST_WORDS:
            return ()
        folded = {word.casefold() for word in words}
        shared = [len(folded & one.stop_words) for one in self._everyday]
        spoken = [
            one for one, count in zip(self._everyday, shared, strict=True) if count == max(shared)
        ]
        return tuple(dict.fromkeys(chain.from_iterable(one.wordings(words) for one in spoken)))

    def _found(self, words: Sequence[str]) -> Iterator[tuple[int, Term]]:
        for start in range(len(words)):
            for end in range(min(len(words), start + self._longest), start, -1):
                if known := self._names.get(tuple(words[start:end])):
                    yield from known
                    break


class _Everyday:
    """The everyday words of one language, known by their stems.

    Args:
        language: Its code.
        lines: See `hierdoc.search.terminology.everyday`.
    """

    def __init__(self, language: str, lines: str) -> None:
        self._language = language
        self.stop_words = stop_words((language,))
        self._written: dict[tuple[str, ...], str] = {}
        for line in filter(None, map(str.strip, lines.splitlines())):
            names, _, written = line.partition(":")
            for stems in {self._key(name) for name in names.split(",")}:
                self._written[stems] = self._written.get(stems, "") + written
        self._longest = max(map(len, self._written), default=0)

    def wordings(self, words: Sequence[str]) -> Iterator[Wording]:
        """What these words, or else the parts of a compound, are in texts; of several phrases that begin alike the longest."""
        stems = [self._stems(word) for word in words]
        for start in range(len(words)):
            for end in range(min(len(words), start + self._longest), start, -1):
                phrase = tuple([one[0] for one in stems[start:end]])
                if written := self._written.get(phrase):
                    yield Wording(" ".join(words[start:end]), written.strip())
                    break
            else:
                for part in stems[start][1:]:
                    if written := self._written.get((part,)):
                        yield Wording(words[start], written.strip())

    def _key(self, name: str) -> tuple[str, ...]:
        return tuple([self._stems(word)[0] for word in _WORD.findall(name)])

    def _stems(self, word: str) -> Sequence[str]:
        return _stems(word, self._language)


@lru_cache(maxsize=8192)
def _stems(word: str, language: str) -> Sequence[str]:
    """The stem of a word and those of its parts; questions consist of the same words."""
    return tuple(_ANALYZER.terms(word, language)) or (word,)


_ANALYZER = Analyzer()

_MOST_WORDS = 40
"""Words of a query in everyday language; one of more is a text of its own."""

NOTHING = Reading()


def compared(text: str) -> tuple[str, ...]:
    """The words of a name as they are compared."""
    return tuple([_singular(word) for word in _WORD.findall(text.casefold())])


def _singular(word: str) -> str:
    if len(word) < 4 or word[-1] != "s" or word[-2] in "su":
        return word
    return f"{word[:-3]}y" if word.endswith("ies") and len(word) > 4 else word[:-1]


def terminology_of(settings: SearchSettings) -> Terminology | None:
    """The terms of the configured domains and those that the configuration adds; None where queries are left as they are."""
    if not settings.reword:
        return None
    return _terminology(settings.domains, settings.terms, settings.tables)


@lru_cache(maxsize=8)
def _terminology(
    names: Sequence[DomainOfTerms],
    terms: Sequence[TermSettings],
    tables: Sequence[TableSettings],
) -> Terminology:
    domains = [_BUILT_IN[name]() for name in names]
    own = Domain(
        tuple(Term(one.names, one.also, one.tables, one.alone) for one in terms),
        tuple(
            TableKind(one.name, (one.name, *one.titles), one.rows, one.columns) for one in tables
        ),
    )
    return Terminology([*domains, own])


def _accounting() -> Domain:
    from hierdoc.search.terminology.accounting import ACCOUNTING

    return ACCOUNTING


def _law() -> Domain:
    from hierdoc.search.terminology.law import LAW

    return LAW


def _everyday() -> Domain:
    from hierdoc.search.terminology.everyday import EVERYDAY

    return Domain(everyday=EVERYDAY)


_BUILT_IN: Mapping[DomainOfTerms, Callable[[], Domain]] = {
    "accounting": _accounting,
    "law": _law,
    "everyday": _everyday,
}
