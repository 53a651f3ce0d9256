"""Documents that a query names: by their files' names and titles, by the parties of a contract, by years.

    "the effective tax rate of Corning"                      a favour for CORNING_2022_10K.pdf, whatever others say of taxes
    "In the agreement between Arconic Inc. and …, when …?"    a scope: that contract alone is searched, by what is left of the query

A scope needs more than a favour: a name of its own that the query writes as a name does, in capitals or with a number, and no
other document that fits nearly as well.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath

from hierdoc.citations.grammar import without_zeros
from hierdoc.citations.vocabulary import IDENTIFIERS
from hierdoc.plugin.records import Record
from hierdoc.search.query import ANALYZER, citations_of
from hierdoc.structure.names import PARTY, YEAR
from hierdoc.text.analysis import Analyzer
from hierdoc.text.stemming import stop_words
from hierdoc.text.words import words


@dataclass(frozen=True, slots=True)
class Scope:
    """The documents that a query names for certain, and what it asks about them.

    Attributes:
        sources: Their names.
        rest: The query without the names; empty where nothing else is left.
        evidence: Words by which they are named, each with the number of chunks of all documents that are called so, where these may be
            common words that are part of a company's name: a name stands in hardly more chunks than these. Empty where none may be one.
    """

    sources: tuple[str, ...]
    rest: str
    evidence: Mapping[str, int]


class DocumentNames:
    """What the documents of an index are called.

    A word of a name says the more the fewer documents have it.

    Args:
        sources: The names of all documents.
        firsts: The records that documents begin with, as far as they are known.
    """

    def __init__(self, sources: Iterable[str] = (), firsts: Iterable[Record] = ()) -> None:
        self._holders: dict[str, set[str]] = {}
        self._sizes: dict[str, int] = {}
        self._names: dict[str, frozenset[str]] = {}
        self._folders: dict[str, set[str]] = {}
        known = list(sources)
        for source in known:
            self._names[source] = frozenset(_name_words(PurePosixPath(source).stem))
            for word in _written(" ".join(PurePosixPath(source).parent.parts).casefold()):
                self._folders.setdefault(word, set()).add(source)
            for word in self._names[source]:
                self._holders.setdefault(word, set()).add(source)
        self._weights = {
            word: math.log(len(known) / len(holders)) for word, holders in self._holders.items()
        }
        self._sorted = sorted(self._holders)
        self._count = len(known)
        self._called: dict[str, set[str]] = {}  # words of names as they are written -> documents
        self._parties: dict[str, set[str]] = {}
        # What files begin with whose names go on with a number: NIKE_2019_10K.
        self._leading: set[str] = set()
        # By which others cite a document: bgb, rfc_9110.
        self._keys: dict[str, set[str]] = {}
        for record in firsts:
            chunk = record.chunk
            self._sizes[chunk.source] = record.version.records
            stem = PurePosixPath(chunk.source).stem
            leading, *others = _written(stem) or [""]
            if any(map(str.isdigit, "".join(others))):
                self._leading.add(leading.casefold())
            names = f"{stem} {_CAMEL.sub(' ', stem)} {chunk.title}".casefold()
            words = set(_written(names))
            for key in {*chunk.ancestor_keys} & {*chunk.section_keys}:
                self._keys.setdefault(key, set()).add(chunk.source)
            for key in chunk.section_keys:
                if key.startswith(PARTY):
                    for word in _written(key.removeprefix(PARTY)):
                        self._parties.setdefault(word, set()).add(chunk.source)
                        words.add(word)
                elif key.startswith(YEAR):
                    words.add(key.removeprefix(YEAR))
            for word in words:
                self._called.setdefault(word, set()).add(chunk.source)

    def scope(self, query: str) -> Scope | None:
        """The documents that a query names for certain; None where that is none or not clear."""
        scores: defaultdict[str, float] = defaultdict(float)
        years: Counter[str] = Counter()
        whole = 0.0
        is_named = False
        evidence: dict[str, int] = {}
        for key, _ in self._cited(query):
            is_named = True
            for source in self._keys[key]:
                scores[source] += _CITED / len(self._keys[key])
            whole += _CITED
        runs = [*_runs(self._uncited(query), self._leading)]
        for run in runs:
            known = self._known(run)
            own = [word for word, held in known.items() if self._is_name(word, held)]
            if not own:
                continue
            is_named = True
            evidence |= {word: sum(self._sizes.get(one, 0) for one in known[word]) for word in own}
            for word, held in known.items():
                if _YEAR.fullmatch(word):
                    years.update(held)
                    continue
                if word.isdigit() and not held:  # of a section, `Article 120 GDPR`
                    continue
                weight = max(0.0, math.log((self._count + 1) / (len(held) + 0.5)))
                whole += weight
                for source in held:
                    scores[source] += weight
        best = max(scores.values(), default=0.0)
        if not is_named or best < _SHARE * whole:
            return None
        named = [source for source, score in scores.items() if score >= _AS_WELL * best]
        if len(named) > 1:
            for run in runs:
                for word in filter(_YEAR.fullmatch, run):
                    years.update(self._holders_of(word))
            latest = max(years[source] for source in named)
            named = [source for source in named if years[source] == latest]
        if len(named) > _FEW or len(named) == self._count:
            return None
        if self._cited(query) or any(map(self._is_no_common_word, evidence)):
            evidence = {}
        return Scope(tuple(sorted(named)), self._rest(query, named), evidence)

    def _is_no_common_word(self, word: str) -> bool:
        """Whether a word has a number, or is an abbreviation by which others cite a document."""
        is_short = sum(map(str.isupper, word)) > 1 and word.casefold() in self._keys
        return is_short or any(map(str.isdigit, word))

    def _holders_of(self, word: str) -> Collection[str]:
        """The documents that a word of a name may mean.

        It stands in their names or those of their folders or, of capitals such as `JPM`, at the beginning of one.
        """
        held = self._called.get(word.casefold())
        if folder := self._folders.get(word.casefold()):
            held = {*(held or ()), *folder}
        if sum(map(str.isupper, word)) > 1 and (short := self._keys.get(word.casefold())):
            return {*(held or ()), *short}
        if held is not None or not (word.isupper() and word.isalpha() and len(word) >= _SHORTEST):
            return held or ()
        found: set[str] = set()
        for name in self._beginning_with(word.casefold(), _SHORTEST):
            found |= self._holders[name]
        return found

    def _cited(self, query: str) -> list[tuple[str, str]]:
        """Documents of a series that a query cites, `RFC 9110`: their keys, and how they are written."""
        return [
            (one.key, one.text)
            for one in citations_of(query)
            if one.key in self._keys and one.key.partition("_")[0] in IDENTIFIERS
        ]

    def _uncited(self, query: str) -> str:
        for _, written in self._cited(query):
            query = query.replace(written, "; ")
        return query

    def _known(self, run: Sequence[str]) -> dict[str, Collection[str]]:
        """The documents that each word of a run may mean; of two words also those that are called by both as one, `GENERALMILLS`."""
        known = {word: self._holders_of(word) for word in run}
        for one, other in pairwise(run):
            joined = self._called.get(f"{one}{other}".casefold(), ())
            known[one], known[other] = {*known[one], *joined}, {*known[other], *joined}
        return known

    def _is_name(self, word: str, held: Collection[str]) -> bool:
        """Whether a word is a party's, or a company's for which files are called, and few documents share it."""
        folded = word.casefold()
        if word.isdigit() and len(word) < _LONG_NUMBER:
            return False
        is_own = (
            folded in self._parties
            or folded in self._keys
            or folded not in self._called
            or folded in self._leading
        )
        return is_own and 0 < len(held) <= max(_FEW, round(_RARE * self._count))

    def _rest(self, query: str, named: Collection[str]) -> str:
        """The query without the names of these documents."""

        def kept(token: re.Match[str]) -> str:
            words = _written(token[0])
            is_named = words and all(
                not set(self._holders_of(word)).isdisjoint(named) for word in words
            )
            written = _looks_like_name(token[0])
            return (
                "" if (is_named and written) or token[0].strip(".,") in _COMPANY_FORMS else token[0]
            )

        parts = []
        for part in _CLAUSE.split(self._uncited(query)):
            rest = " ".join(_TOKEN.sub(kept, part).split())
            said = {word.casefold() for word in _WORD.findall(rest)} - _IGNORED - _ASKING
            if said or rest == part.strip():  # not `Consider the … between … and …;`
                parts.append(rest)
        rest = " ".join(parts)
        return rest if any(_name_words(rest)) else ""

    def shares(self, query: str) -> Mapping[str, float]:
        """The documents with a word of the query in their names -> how well it names them, up to 1.

        That is the share of these words that they have, less where it leaves most of their names out, and 1 of a whole name. Words that all names have do not count. A word in capitals, `JPM`, and a long one may be the beginning of one in a name.
        """
        weights: dict[str, float] = {}
        held: dict[str, list[str]] = {}
        capitals = frozenset(_name_words(" ".join(filter(str.isupper, query.split()))))
        for word in dict.fromkeys(_name_words(query)):
            names = self._beginning_with(word, 3 if word in capitals else 5)
            weight = max((self._weights[name] for name in names), default=0.0)
            if weight <= 0:
                continue
            weights[word] = weight
            for source in set().union(*(self._holders[name] for name in names)):
                held.setdefault(source, []).append(word)
        whole = sum(weights.values())
        return {
            source: self._share(source, sum(weights[word] for word in words), whole)
            for source, words in held.items()
        }

    def _share(self, source: str, said: float, whole: float) -> float:
        own = sum(self._weights[word] for word in self._names[source])
        return 1.0 if said >= own else said / whole * math.sqrt(said / own)

    def _beginning_with(self, word: str, shortest: int) -> Sequence[str]:
        if len(word) < shortest or not word.isalpha():
            return [word] if word in self._holders else []
        first = last = bisect_left(self._sorted, word)
        while last < len(self._sorted) and self._sorted[last].startswith(word):
            last += 1
        return self._sorted[first:last]


def _looks_like_name(word: str) -> bool:
    """Whether a word is written as names are: with a capital or a number, and no common word at the beginning of a sentence."""
    if not (any(map(str.isupper, word)) or word[0].isdigit()):
        return False
    return word.casefold() not in _IGNORED and word.casefold() not in _ASKING


def _runs(query: str, own: Collection[str]) -> Iterator[list[str]]:
    """The words that stand together as a name does, `Acme Metals, Inc. and Zenith Bank of Ohio`.

    Args:
        query: What is asked.
        own: Words that count at the beginning of a sentence too.
    """
    run: list[str] = []
    behind = 0
    for token in _TOKEN.finditer(query):
        if not _looks_like_name(token[0]):
            continue
        if (
            token[0].istitle()
            and _begins_sentence(query, token.start())
            and token[0].casefold() not in own
        ):
            continue  # a common word may stand there
        if run and not _TOGETHER.fullmatch(query, behind, token.start()):
            yield run
            run = []
        run += _written(token[0])
        behind = token.end()
    if run:
        yield run


def _begins_sentence(query: str, place: int) -> bool:
    before = query[:place].rstrip(" \"'“‘(")
    return not before or before[-1] in ".?!;:"


def _written(text: str) -> list[str]:
    """The words of a name, years apart from what is joined to them: `2021Q1`, `FY2018`; numbers without zeros before them."""
    return [
        part
        for word in _WORD.findall(text)
        for one in _YEAR_WITHIN.sub(r" \1 ", word).split()
        for part in (without_zeros(one) if one.isdecimal() else one,)
        if len(part) > 1 and part.casefold() not in _IGNORED and part.casefold() not in _COMMON
    ]


def _name_words(text: str) -> Sequence[str]:
    return [
        word
        for word in ANALYZER.terms(_NO_LETTER.sub(" ", text))
        if len(word) > 1 and word not in _IGNORED
    ]


_CITED = 5.0
"""What a citation of a document counts beside the words of names, each of which counts the logarithm of its rarity."""

_LONG_NUMBER = 6
"""Digits of a number that is a company's name."""

_SHORTEST = 3
"""Letters of an abbreviation that a name begins with."""

_FEW = 2
"""Documents that one query names at most, and that share a word which is a name."""

_RARE = 0.02
"""Likewise as a share of all documents."""

_SHARE = 0.6
"""Of what the names in a query say, how much a document must account for."""

_AS_WELL = 0.97
"""A document with so much of the best one's score is named as well as that."""

_TOKEN = re.compile(r"[^\W_][\w.&'’#-]*")
_WORD = re.compile(r"[^\W_]+")
_NO_LETTER = re.compile(r"[\W_]+")
_CLAUSE = re.compile(r"[;:]\s")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_TOGETHER = re.compile(r"[\s,.&'’-]*(?:s\s)?(?:(?:and|of|the|between|by|&|its|Affiliates)\s+)*")
"""What may stand within a name."""

_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_YEAR_WITHIN = re.compile(r"((?:19|20)[0-9]{2})")
_IGNORED = stop_words(tuple(Analyzer.LANGUAGES))
_COMPANY_FORMS = words(
    "Inc Incorporated INC INCORPORATED Corp CORP Corporation CORPORATION LLC L.L.C LLP L.P LP Ltd LTD Limited",
    "LIMITED PLC plc AG GmbH Co CO N.V B.V S.A",
)
_COMMON = frozenset(word.casefold() for word in _COMPANY_FORMS) | {"fy", "ex"}
_ASKING = words(
    "consider what which who whom whose when where why how does do did is are was were has have had can could will",
    "would should may must tell show find give explain describe list name please in on of for under according",
    "section article part chapter exhibit schedule based if answer round between among",
)
"""Words that a question begins with, and labels."""
