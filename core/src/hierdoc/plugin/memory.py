"""Optional bases of keyword backends that keep everything in memory: an author writes how texts are scored, and no more.

class MyBackend(ScoringKeywordBackend):
    def scorer(self, corpus):
        return MyLibrary(corpus).get_scores      # terms of a query -> a score for each chunk
"""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hierdoc.filters import Filter
from hierdoc.models import Match
from hierdoc.plugin.capabilities import ALL_FILTERS, Capability
from hierdoc.plugin.filtering import judge
from hierdoc.plugin.protocols import IndexSpec
from hierdoc.plugin.records import DocumentState, DocumentVersion, Record
from hierdoc.plugin.terms import RecordTerms, record_terms
from hierdoc.text.analysis import Analyzer

Scorer = Callable[[Sequence[str]], Iterable[float]]
"""From the terms of a query to a score for each text, in their order."""


class InMemoryKeywordBase(ABC):
    """Keeps the books of a keyword backend in memory: what filters ask for, and what is held of every document.

    An author writes `search`, and `put`, `drop` and `clear` for an index that follows each change.

    Attributes:
        capabilities: All filters.
    """

    capabilities: frozenset[Capability] = ALL_FILTERS

    def __init__(self) -> None:
        self._writing = threading.Lock()
        self._fields: dict[str, dict[str, Any]] = {}  # by chunk id
        self._versions: dict[str, dict[str, DocumentVersion]] = {}  # by source, then by chunk id

    @abstractmethod
    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Sequence[Match]:
        """See `KeywordBackend.search`; `allows` serves the filter."""

    @abstractmethod
    def put(self, record: Record) -> None:
        """Index a record, in the place of one with its id; called in a thread, for one record at a time."""

    @abstractmethod
    def drop(self, id: str) -> None:
        """Forget a record, which is there; called as `put` is."""

    @abstractmethod
    def clear(self) -> None:
        """Forget all records."""

    def allows(self, filter: Filter | None) -> Callable[[str], bool] | None:
        """Whether a filter selects the record of an id that is held; None where everything is selected."""
        if filter is None:
            return None
        fields, selects = self._fields, judge(filter)
        return lambda one: selects(fields[one])

    async def prepare(self, spec: IndexSpec, *, reset: bool = False) -> None:
        """Forget everything, if asked to."""
        if reset:
            self._fields, self._versions = {}, {}
            self.clear()

    async def upsert(self, records: Sequence[Record]) -> None:
        """Write records; one with a known id replaces it whole."""
        await asyncio.to_thread(self._upsert, records)

    async def delete_documents(self, sources: Sequence[str]) -> None:
        """Delete all records of these documents."""
        await asyncio.to_thread(self._delete, sources)

    async def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""
        return await asyncio.to_thread(self._documents)

    async def count(self) -> int:
        """The number of records."""
        return len(self._fields)

    async def aclose(self) -> None:  # noqa: B027 - most have nothing to close
        """Nothing to let go of."""

    def _upsert(self, records: Sequence[Record]) -> None:
        with self._writing:
            for record in records:
                self._forget_place(record.id)
                # The index comes last: what a search in another thread finds there has its fields.
                self._fields[record.id] = record.fields()
                self._versions.setdefault(record.chunk.source, {})[record.id] = record.version
                self.put(record)

    def _delete(self, sources: Sequence[str]) -> None:
        with self._writing:
            for source in sources:
                for chunk_id in self._versions.pop(source, {}):
                    self.drop(chunk_id)
                    del self._fields[chunk_id]

    def _forget_place(self, id: str) -> None:
        """A chunk may come back as another document's."""
        if id in self._fields:
            source = self._fields[id]["source"]
            del self._versions[source][id]
            if not self._versions[source]:
                del self._versions[source]

    def _documents(self) -> dict[str, DocumentState]:
        with self._writing:
            return {
                source: DocumentState.of(versions.values())
                for source, versions in self._versions.items()
            }


@dataclass(frozen=True)
class _Built:
    """A scorer, and the terms and fields of the records that it scores, in its order."""

    score: Scorer
    ids: Sequence[str]
    terms: Sequence[RecordTerms]
    fields: Sequence[Mapping[str, Any]]


class ScoringKeywordBackend(InMemoryKeywordBase):
    """A keyword backend over a function that scores all texts; built anew at the first search after a change.

    A text matches if it has any term of the query, whatever its score.

    Args:
        language: How words are stemmed; see `Analyzer`.
    """

    def __init__(self, language: str = "auto") -> None:
        super().__init__()
        self._analyzer = Analyzer(language)
        self._terms: dict[str, RecordTerms] = {}
        self._built: _Built | None = None

    @abstractmethod
    def scorer(self, corpus: Sequence[Sequence[str]]) -> Scorer:
        """The function that scores these texts; called in a thread, as is what it returns.

        Args:
            corpus: The terms of each text, one or more; a term is there as often as it counts. Some texts, but not all, may have none.
        """

    async def search(self, text: str, limit: int, filter: Filter | None = None) -> Sequence[Match]:
        """Up to `limit` matches, best first, ties by chunk id."""
        return await asyncio.to_thread(self._search, text, limit, filter)

    def put(self, record: Record) -> None:
        """Take its terms."""
        self._terms[record.id], self._built = record_terms(record, self._analyzer), None

    def drop(self, id: str) -> None:
        """Forget its terms."""
        del self._terms[id]
        self._built = None

    def clear(self) -> None:
        """Forget all terms."""
        self._terms, self._built = {}, None

    def _search(self, text: str, limit: int, filter: Filter | None) -> list[Match]:
        built = self._build()
        if built is None or limit < 1:
            return []
        query = self._analyzer.query_terms(text, {one.variant for one in built.terms})
        wanted: Collection[str] = set(query)
        rows = [
            row for row, one in enumerate(built.terms) if not one.counts.keys().isdisjoint(wanted)
        ]
        if filter is not None:
            selects = judge(filter)
            rows = [row for row in rows if selects(built.fields[row])]
        if not rows:
            return []
        scores = [float(score) for score in built.score(query)]
        found = [Match(built.ids[row], scores[row]) for row in rows]
        return sorted(found, key=lambda match: (-match.score, match.chunk_id))[:limit]

    def _build(self) -> _Built | None:
        """The present scorer; None where there is no term in any text."""
        with self._writing:
            if self._built is None and any(one.counts for one in self._terms.values()):
                terms = list(self._terms.values())
                score = self.scorer([one.repeated() for one in terms])
                fields = [self._fields[one] for one in self._terms]
                self._built = _Built(score, list(self._terms), terms, fields)
            return self._built
