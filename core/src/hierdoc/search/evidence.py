"""How much of a query a passage has: evidence that fusion does not hide."""

from __future__ import annotations

from collections.abc import Sequence

from hierdoc.plugin.records import Record
from hierdoc.text.analysis import Analyzer
from hierdoc.text.stemming import fold

_ANALYZER = Analyzer()

_WITHIN = 0.6
"""What a term counts that is part of a passage's word: "Asyl" of "Asylrecht"."""

_KINDRED = 0.4
"""What a term counts that begins like a passage's word: "Mörder" and "Mord", "nationality" and "national"."""

_SHORTEST = 4
"""Letters of the shortest term that is looked for inside words."""

_MOST_TERMS = 64
"""Terms that are looked for inside words; a query that lacks more of them is a text of its own."""


class Evidence:
    """Judges passages by the words of one query; what was judged once is remembered.

    Args:
        query: As the user wrote it.
    """

    def __init__(self, query: str) -> None:
        self._query = query
        self._wanted: dict[str | None, frozenset[str]] = {}
        self._held: dict[str, frozenset[str]] = {}

    def coverage(self, record: Record) -> float:
        """The share, from 0 to 1, of the query's terms in the record's text, name and context; stop words do not count."""
        wanted = self._terms(record.chunk.language)
        return len(self._terms_of(record)) / len(wanted) if wanted else 0.0

    def kinship(self, record: Record) -> float:
        """The same, where a term that is part of one of the record's words, or begins like one, counts in part."""
        wanted = self._terms(record.chunk.language)
        held = self._terms_of(record)
        missing = wanted - held
        if not missing or len(missing) > _MOST_TERMS:
            return len(held) / len(wanted) if wanted else 0.0
        text = " " + " ".join(fold(record.text.casefold()).split())
        parts = [_share(term, text) for term in missing if len(term) >= _SHORTEST]
        return (len(held) + sum(parts)) / len(wanted)

    def known(self, records: Sequence[Record]) -> float:
        """The share of the query's terms that one or the other of the records has."""
        if not records:
            return 0.0
        wanted = self._terms(records[0].chunk.language)
        held = frozenset().union(*map(self._terms_of, records))
        return len(held & wanted) / len(wanted) if wanted else 0.0

    def missing_words(self, records: Sequence[Record]) -> dict[str, float]:
        """The words of the query with terms that none of the records has, and the share of all terms that they make up."""
        language = records[0].chunk.language if records else None
        wanted = self._terms(language)
        left = set(wanted).difference(*map(self._terms_of, records))
        words: dict[str, float] = {}
        for word in self._query.split():
            own = left.intersection(_ANALYZER.query_terms(word, [language]))
            if own:
                words[word] = len(own) / len(wanted)
                left -= own
        return words

    def _terms(self, language: str | None) -> frozenset[str]:
        wanted = self._wanted.get(language)
        if wanted is None:
            wanted = frozenset(_ANALYZER.query_terms(self._query, [language]))
            self._wanted[language] = wanted
        return wanted

    def _terms_of(self, record: Record) -> frozenset[str]:
        held = self._held.get(record.id)
        if held is None:
            language = record.chunk.language
            wanted = self._terms(language)
            held = wanted.intersection(_ANALYZER.terms(record.text, language)) if wanted else wanted
            self._held[record.id] = held
        return held


def _share(term: str, text: str) -> float:
    """What a term that is none of the text's counts."""
    if term in text:
        return _WITHIN
    beginning = term[: max(5, -(-len(term) * 3 // 5))]
    return _KINDRED if len(beginning) < len(term) and f" {beginning}" in text else 0.0
