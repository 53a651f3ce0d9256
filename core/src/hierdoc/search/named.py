"""What a query names besides citations: headings and defined terms, told apart by what stands above them.

    "Rationale of EIP-1559"            a heading, in the document that the other words name
    "Fees, small business"             a heading, and the one above it
    "What does personal data mean?"    a defined term, where it is defined

Every run of words in the query is looked up as a heading and as a term. A record that has it counts where its document's
name, title and headings account for all other words: then nothing that was asked for is left over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hierdoc.citations import find_citations, find_query_citations, heading_key
from hierdoc.errors import CapabilityError
from hierdoc.filters import And, Contains, Filter, Or
from hierdoc.plugin.protocols import KeywordBackend, VectorBackend
from hierdoc.plugin.records import Record
from hierdoc.text.analysis import Analyzer
from hierdoc.text.stemming import fold, stop_words
from hierdoc.text.words import words


@dataclass(frozen=True, slots=True)
class Named:
    """A record with a heading or term that the query names.

    Attributes:
        record: It.
        name: The heading or term.
        is_term: Whether it is a term that is defined there.
        fits: Whether it is of the kind that the query asks for: a term if it asks what something means, else a heading.
        begins: Whether the query begins with it: what follows is what it stands in.
    """

    record: Record
    name: str
    is_term: bool
    fits: bool
    begins: bool


async def named(
    vector: VectorBackend, keyword: KeywordBackend | None, query: str, filter: Filter | None
) -> list[Named]:
    """The records that the whole query names, of the longest names first.

    Args:
        vector: Holds the records; claims `FILTER_CONTAINS`, `FILTER_OR` and `FILTER_AND`.
        keyword: Asked which records to look at where many have a name from the query; it must be able to filter.
        query: As the user wrote it.
        filter: Which records to consider.
    """
    runs = _runs(query)
    if not runs:
        return []
    fields = ("headings", "terms")
    asked: Filter = Or(*(Contains(name, run) for name in fields for run in runs))
    asked = asked if filter is None else And(asked, filter)
    keys = [citation.key for citation in find_query_citations(query)]
    records: Sequence[Record] = []
    if keys:
        # Or the query itself is a heading, one that cites.
        within = [Contains("ancestor_keys", key) for key in keys]
        within += [Contains(name, list(runs)[-1]) for name in fields]
        records = await vector.find(And(asked, Or(*within)), _LOOKED_AT)
    records = records or await vector.find(asked, _LOOKED_AT)
    if len(records) == _LOOKED_AT and keyword is not None:
        records = await _closest(vector, keyword, query, asked) or records
    rest_of = _Rests(query)
    found = [one for record in records for one in _names_of(record, runs, rest_of)]
    found.sort(key=lambda one: -len(one.name))
    return found


_LONGEST_RUN = 16
"""Words of a heading or term that is looked up."""

_MOST_WORDS = 16
"""Words that mean something in a query that names a thing; a longer one asks about it, or names what has a long name."""

_PAUSES = ",;:"
"""What parts a name from the next one."""

_LOOKED_AT = 24
"""Records with a name from the query that are looked at."""

_ANALYZER = Analyzer()
_LANGUAGES = tuple(Analyzer.LANGUAGES)
_AROUND = " \t\"'.,;:!?()[]*_`"
_WORD = re.compile(r"[^\W_]+")

_DEFINING = words(
    "define defined defines definition definitions mean means meaning meant term terms word called",
    "begriff begriffe bedeutet bedeutung bezeichnet definiert definition heißt heisst versteht verstehen verstanden",
    "définition définir signifie terme définit definición define definido significa término definizione termine",
)
"""Words of a query that ask what something means."""

_CUES = _DEFINING | words(
    "tell show find give explain describe say says read look please know information regarding concerning something anything",
    "etwas alles zeige zeig erkläre beschreibe nenne sagt steht suche finde bitte",
    "section chapter article part document text provision abschnitt kapitel artikel teil",
)
"""Words of a query that ask for what it names, and name nothing."""


def _runs(query: str) -> dict[str, tuple[int, int]]:
    """Runs of the query's words as headings and terms are compared -> the first and last word, all of them last; none of a long question.

    Of a query with many words only those that begin it or follow a comma: a name before the long title of an act.
    """
    parts = heading_key(query).split()
    ignored = stop_words(_LANGUAGES)
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


async def _closest(
    vector: VectorBackend, keyword: KeywordBackend, query: str, asked: Filter
) -> Sequence[Record]:
    """Of many records those that have most of the query's words in title, headings and text."""
    try:
        matches = await keyword.search(query, _LOOKED_AT, asked)
    except CapabilityError:
        return []
    return await vector.get([match.chunk_id for match in matches])


def _names_of(
    record: Record, runs: Mapping[str, tuple[int, int]], rest_of: _Rests
) -> Iterator[Named]:
    """The longest of the record's names that leaves nothing of the query over; of equals one of the kind that is asked for."""
    chunk = record.chunk
    held = [(run, False) for run in chunk.headings if run in runs]
    terms = {definition.term.casefold() for definition in chunk.definitions}
    held += [(run, True) for run in sorted(terms) if run in runs]
    held.sort(key=lambda one: (-len(one[0]), one[1] != rest_of.asks_meaning))
    around: set[str] | None = None
    for run, is_term in held:
        rest = rest_of[runs[run], chunk.language]
        wanted = rest.terms
        for key, cited in rest.citations:
            if key in chunk.ancestor_keys or key in chunk.section_keys:
                wanted = wanted - cited
        if wanted and around is None:
            above = " \n".join((chunk.source, chunk.title, *chunk.parent_chain))
            around = set(_ANALYZER.terms(above, chunk.language))
        if not wanted or (around and wanted <= around):
            fits = is_term == rest_of.asks_meaning
            yield Named(record, run, is_term, fits, begins=runs[run][0] == 0)
            return


@dataclass(frozen=True, slots=True)
class _Rest:
    """What a query says besides a name: its terms, and of each citation the key and the terms."""

    terms: frozenset[str]
    citations: tuple[tuple[str, frozenset[str]], ...]


class _Rests(dict[tuple[tuple[int, int], "str | None"], _Rest]):
    """By the name's first and last word and the language of who reads it, worked out once."""

    def __init__(self, query: str) -> None:
        super().__init__()
        self._words = query.split()
        self.asks_meaning = not _DEFINING.isdisjoint(_WORD.findall(query.casefold()))

    def __missing__(self, at: tuple[tuple[int, int], str | None]) -> _Rest:
        (start, end), language = at
        rest = " ; ".join(" ".join(part) for part in (self._words[:start], self._words[end:]))
        cited = [(one.key, _terms(one.text, language)) for one in find_citations(rest)]
        self[at] = _Rest(_terms(rest, language), tuple(cited))
        return self[at]


def _terms(text: str, language: str | None) -> frozenset[str]:
    """The terms of a text without words that ask for something or hold sentences together."""
    ignored = stop_words((language or "en",)) | _CUES
    kept = [word for word in _WORD.findall(text) if fold(word.casefold()) not in ignored]
    return frozenset(_ANALYZER.query_terms(" ".join(kept), [language])) if kept else frozenset()
