"""How much of a query the best chunks hold: for fusers that weigh a leg by it, and for whether a search has found anything.

Two things speak for an answer: how much of the query the best chunk holds, kindred words and parts of compounds counted in part,
and how much of it is known at all, to any chunk of the index. Every word of a question may be known and no chunk hold two of them;
a question about something else has words that stand nowhere. The more chunks there are, the more of any question some chunk
holds by chance, so the more is asked for. Fusion hides none of this: it is counted in words.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Sequence

from hierdoc.filters import Filter
from hierdoc.plugin.protocols import KeywordBackend, SupportsTermStatistics
from hierdoc.plugin.records import Record
from hierdoc.search.query import ANALYZER, Query, terms_of
from hierdoc.text.stemming import fold

logger = logging.getLogger("hierdoc")

_WITHIN = 0.6
"""What a term counts that is part of a chunk's word: "Asyl" of "Asylrecht"."""

_KINDRED = 0.4
"""What a term counts that begins like a chunk's word: "Mörder" and "Mord", "nationality" and "national"."""

_SHORTEST = 4
"""Letters of the shortest term that is looked for inside words."""

_MOST_TERMS = 64
"""Terms that are looked for inside words; a query that lacks more of them is a text of its own."""

_KNOWN = 0.5
"""What a word counts that is known anywhere, beside 1 for one that the best chunk has: see the page on search quality."""

_ENOUGH, _MORE, _MOST = 0.54, 0.1, 0.75
"""What is asked for of an index of 100 chunks, for each tenfold more, and of the largest."""

_MOST_WORDS = 16
"""Words that are looked up; a query that lacks more of them in its best chunks is a text of its own."""


class Coverage:
    """Judges chunks by the words of one query; what was judged once is remembered.

    Args:
        query: What is asked.
    """

    def __init__(self, query: Query) -> None:
        self._query = query
        self._held: dict[str, frozenset[str]] = {}

    def share(self, record: Record) -> float:
        """The share, from 0 to 1, of the query's terms in the record's text, name and context; stop words do not count.

        An everyday word is there if one is that texts have instead.
        """
        wanted = self._query.terms(record.chunk.language)
        return len(self._terms_of(record)) / len(wanted) if wanted else 0.0

    def kinship(self, record: Record) -> float:
        """The same, where a term that is part of one of the record's words, or begins like one, counts in part."""
        wanted = self._query.terms(record.chunk.language)
        held = self._terms_of(record)
        missing = wanted - held
        if not missing or len(missing) > _MOST_TERMS:
            return len(held) / len(wanted) if wanted else 0.0
        text = " " + " ".join(fold(record.text.casefold()).split())
        parts = [_counts(term, text) for term in missing if len(term) >= _SHORTEST]
        return (len(held) + sum(parts)) / len(wanted)

    def known(self, records: Sequence[Record]) -> float:
        """The share of the query's terms that one or the other of the records has."""
        if not records:
            return 0.0
        wanted = self._query.terms(records[0].chunk.language)
        held = frozenset().union(*map(self._terms_of, records))
        return len(held & wanted) / len(wanted) if wanted else 0.0

    def missing_words(self, records: Sequence[Record]) -> dict[str, float]:
        """The words of the query with terms that none of the records has, and the share of all terms that they make up."""
        language = records[0].chunk.language if records else None
        wanted = self._query.terms(language)
        left = set(wanted).difference(*map(self._terms_of, records))
        words: dict[str, float] = {}
        for word in self._query.text.split():
            own = left.intersection(ANALYZER.query_terms(word, [language], compounds=False))
            if own:
                words[word] = len(own) / len(wanted)
                left -= own
        return words

    async def is_low(
        self,
        examined: Sequence[Record],
        count: Callable[[], Awaitable[int]],
        keyword: KeywordBackend | None,
        filter: Filter | None,
    ) -> bool:
        """Whether the evidence is thin, as far as words can tell.

        Args:
            examined: The best records, fused and by keyword.
            count: Tells how many records there are.
            keyword: Tells of words whether any record has them; without it the examined ones alone do.
            filter: Of the search.
        """
        known = self.known(examined)
        held = max(map(self.share, examined), default=0.0)
        if held + _KNOWN * known >= _MOST:
            return False
        held = max(map(self.kinship, examined), default=0.0)
        if not held:
            return True
        try:
            enough = wanted_of(await count())
            if held + _KNOWN * known >= enough or held + _KNOWN < enough:
                return held + _KNOWN * known < enough
            words = self.missing_words(examined)
            if keyword is None or len(words) > _MOST_WORDS:
                return True
            there = await _known_words(keyword, list(words), filter)
        except Exception as error:  # of any backend, after its leg has answered: the hits stand
            logger.warning("whether the words are known cannot be told: %s", error)
            return True
        known += sum(share for share, some in zip(words.values(), there, strict=True) if some)
        return held + _KNOWN * known < enough

    def _terms_of(self, record: Record) -> frozenset[str]:
        held = self._held.get(record.id)
        if held is None:
            language = record.chunk.language
            wanted = self._query.terms(language)
            there = terms_of(record.text, language) if wanted else wanted
            held = wanted & there
            for one in self._query.wordings if held != wanted else ():
                if not there.isdisjoint(ANALYZER.query_terms(one.written, [language])):
                    said = ANALYZER.query_terms(one.said, [language], compounds=False)
                    held |= wanted.intersection(said)
            self._held[record.id] = held
        return held


def wanted_of(chunks: int) -> float:
    """What the words of a query have to come to in an index of so many chunks."""
    return min(_MOST, _ENOUGH + _MORE * (math.log10(max(chunks, 1)) - 2))


async def _known_words(
    keyword: KeywordBackend, words: Sequence[str], filter: Filter | None
) -> Sequence[bool]:
    """Of each word whether any record has it."""
    if filter is None and isinstance(keyword, SupportsTermStatistics):
        return [count > 0 for count in await keyword.document_frequencies(words)]
    found = await asyncio.gather(*(keyword.search(word, 1, filter) for word in words))
    return [bool(some) for some in found]


def _counts(term: str, text: str) -> float:
    """What a term counts that is none of the text's."""
    if term in text:
        return _WITHIN
    beginning = term[: max(5, -(-len(term) * 3 // 5))]
    return _KINDRED if len(beginning) < len(term) and f" {beginning}" in text else 0.0
