"""How much of a query a passage has: evidence that fusion does not hide."""

from __future__ import annotations

from hierdoc.analysis import Analyzer
from hierdoc.records import Record

_ANALYZER = Analyzer()


class Evidence:
    """Judges passages by the words of one query; what was judged once is remembered.

    Args:
        query: As the user wrote it.
    """

    def __init__(self, query: str) -> None:
        self._query = query
        self._wanted: dict[str | None, frozenset[str]] = {}
        self._coverage: dict[str, float] = {}

    def coverage(self, record: Record) -> float:
        """The share, from 0 to 1, of the query's terms in the record's text, name and context; stop words do not count."""
        known = self._coverage.get(record.id)
        if known is None:
            language = record.chunk.language
            wanted = self._wanted.get(language)
            if wanted is None:
                wanted = frozenset(_ANALYZER.query_terms(self._query, [language]))
                self._wanted[language] = wanted
            held = wanted.intersection(_ANALYZER.terms(record.text, language)) if wanted else ()
            known = self._coverage[record.id] = len(held) / len(wanted) if wanted else 0.0
        return known
