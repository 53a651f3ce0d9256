"""From what the legs found to an order: fusion, then stages that search and tuning share.

What the exact leg found is pinned, apart from what is ranked, so that no stage can move it. A stage is a pure function from one
ranking to the next; `STAGES` are all of them in their order.
"""

from __future__ import annotations

import asyncio
import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from hierdoc.citations.vocabulary import LABELS
from hierdoc.config.models import RerankSettings
from hierdoc.models import Chunk, Hit, Match
from hierdoc.plugin.protocols import Fuser, Reranker
from hierdoc.search.called import ANOTHER
from hierdoc.search.certainty import worth
from hierdoc.search.exact import VERBATIM, holding, is_sentence
from hierdoc.search.matches import ExactMatch
from hierdoc.search.query import Query, terms_of
from hierdoc.search.tables import longest_row_in


@dataclass(frozen=True, slots=True)
class Ranking:
    """Chunks in the order in which they answer a query.

    Attributes:
        pinned: What the exact leg found or a stage found to hold the query word for word, best first; it stays before all else.
        ranked: The others, best first.
        repeated: What says hardly anything that one before it does not say; it comes last.
        notes: What raised or lessened a score, in words, by chunk id.
    """

    pinned: tuple[Match, ...] = ()
    ranked: tuple[Match, ...] = ()
    repeated: tuple[Match, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)

    @property
    def order(self) -> tuple[Match, ...]:
        """All of it, best first, each chunk once."""
        return (*self.pinned, *self.ranked, *self.repeated)


@dataclass(frozen=True)
class View:
    """What stages may look at besides the ranking.

    Attributes:
        query: What is asked.
        chunks: Those of the ranking that were fetched, by id; what is not among them is left out.
        shares: Documents that the query names; see `DocumentNames.shares`.
        wanted: How many hits are to come out.
        by_keyword: The best by keyword: one in which the query stands word for word is among them, if not among the best of all.
        tables: Chunks that are tables of the kinds that the query asks for, and how fully; see `hierdoc.search.tables`.
    """

    query: Query
    chunks: Mapping[str, Chunk]
    shares: Mapping[str, float] = field(default_factory=dict)
    wanted: int = 10
    by_keyword: Sequence[str] = ()
    tables: Mapping[str, float] = field(default_factory=dict)


Stage = Callable[[Ranking, View], Ranking]


def fused(
    rankings: Mapping[str, Sequence[Match]],
    exact: Mapping[str, ExactMatch],
    fuser: Fuser,
    weights: Mapping[str, float],
    coverage: Mapping[str, float],
) -> Ranking:
    """One ranking of all legs, with what the exact leg found pinned.

    Args:
        rankings: By leg, best first.
        exact: The matches of the exact leg by chunk id.
        fuser: Asked where several legs found something.
        weights: By leg.
        coverage: See `Fuser.fuse`.
    """
    if list(rankings) == ["exact"]:
        return Ranking(pinned=tuple(rankings["exact"]))
    if len(rankings) == 1:
        ranked = next(iter(rankings.values()))
    else:
        limit = sum(len(ranking) for ranking in rankings.values())
        ranked = fuser.fuse(rankings, weights, limit, coverage)
    ceiling = max((match.score for match in ranked), default=0.0)
    scores = {match.chunk_id: match.score for match in ranked}
    pinned = [Match(chunk_id, ceiling + match.score) for chunk_id, match in exact.items()]
    pinned.sort(
        key=lambda match: (
            exact[match.chunk_id].called == ANOTHER,
            -match.score,
            worth(exact[match.chunk_id]),
            -scores.get(match.chunk_id, 0.0),
        )
    )
    return Ranking(tuple(pinned), tuple([one for one in ranked if one.chunk_id not in exact]))


def arranged(ranking: Ranking, view: View, stages: Iterable[Stage]) -> Ranking:
    """The ranking after these stages, one after the other; what was not fetched is left out."""
    fetched = [one for one in ranking.ranked if one.chunk_id in view.chunks]
    ranking = replace(ranking, ranked=tuple(fetched))
    for stage in stages:
        ranking = stage(ranking, view)
    return ranking


# Stages


def pin_verbatim(ranking: Ranking, view: View) -> Ranking:
    """Pin the best chunks in which a query of one sentence, or a little less, stands word for word."""
    if not is_sentence(view.query):
        return ranking
    best = dict.fromkeys([*view.by_keyword, *(one.chunk_id for one in ranking.ranked[:_VERBATIM])])
    texts = {name: view.chunks[name].text for name in best if name in view.chunks}
    found = holding(texts, [view.query.text]).difference(one.chunk_id for one in ranking.pinned)
    if not found:
        return ranking
    ceiling = max(match.score for match in (*ranking.pinned[-1:], *ranking.ranked[:1]))
    pinned = [
        Match(one.chunk_id, max(ceiling, one.score))
        for one in ranking.ranked
        if one.chunk_id in found
    ]
    return replace(
        ranking,
        pinned=(*ranking.pinned, *pinned),
        ranked=tuple([one for one in ranking.ranked if one.chunk_id not in found]),
        notes={**ranking.notes, **dict.fromkeys(found, VERBATIM)},
    )


def boost_tables(ranking: Ranking, view: View) -> Ranking:
    """Raise the tables of the kinds that the query asks for, found by a leg or not, by up to `_TABLE` of the best score."""
    if not view.tables:
        return ranking
    best = max((match.score for match in ranking.ranked), default=0.0)
    pinned = {match.chunk_id for match in ranking.pinned}
    scores = {match.chunk_id: match.score for match in ranking.ranked}
    notes = dict(ranking.notes)
    for name, share in view.tables.items():
        if name not in pinned:
            scores[name] = scores.get(name, 0.0) + _TABLE * best * share
            notes[name] = "it is a table that was asked for"
    boosted = [Match(name, score) for name, score in scores.items()]
    boosted.sort(key=lambda match: -match.score)
    return replace(ranking, ranked=tuple(boosted), notes=notes)


def boost_rows(ranking: Ranking, view: View) -> Ranking:
    """Raise tables with a row whose whole label the query has, by `_ROW` of the best score; the longer label by more."""
    tables = [
        (match, chunk)
        for match in ranking.ranked
        if (chunk := view.chunks.get(match.chunk_id)) is not None and chunk.kind == "table"
    ]
    if not tables:
        return ranking
    asked = view.query.spaced
    held = {match.chunk_id: longest_row_in(asked, chunk.text) for match, chunk in tables}
    most = max(held.values())
    if most < _FEWEST_WORDS:
        return ranking
    best = max(match.score for match in ranking.ranked)
    notes = dict(ranking.notes)
    boosted = []
    for match in ranking.ranked:
        words = held.get(match.chunk_id, 0)
        if words >= _FEWEST_WORDS:
            match = Match(match.chunk_id, match.score + _ROW * best * words / most)
            known, why = notes.get(match.chunk_id), "a row of it is named"
            notes[match.chunk_id] = f"{known}; {why}" if known else why
        boosted.append(match)
    boosted.sort(key=lambda match: -match.score)
    return replace(ranking, ranked=tuple(boosted), notes=notes)


def boost_named_documents(ranking: Ranking, view: View) -> Ranking:
    """Raise what stands in a document that the query names.

    Scores are not negative; a document with all words of the query that are in names gets `_BOOST` of the best score.
    """
    if not view.shares:
        return ranking
    best = max((match.score for match in ranking.ranked), default=0.0)
    notes = dict(ranking.notes)
    boosted = []
    for match in ranking.ranked:
        chunk = view.chunks.get(match.chunk_id)
        share = view.shares.get(chunk.source, 0.0) if chunk else 0.0
        if share:
            match = Match(match.chunk_id, match.score + _BOOST * best * share)
            known = notes.get(match.chunk_id)
            why = "its document is named"
            notes[match.chunk_id] = f"{known}; {why}" if known else why
        boosted.append(match)
    boosted.sort(key=lambda match: -match.score)
    return replace(ranking, ranked=tuple(boosted), notes=notes)


def lessen_bare(ranking: Ranking, view: View) -> Ranking:
    """Lessen the scores of short chunks without a word of the query, which their context alone brings up.

    `Copyright` of a proposal whose title holds every word of the query is as near to it as a title can be, and says nothing.
    """
    notes = dict(ranking.notes)
    lessened = []
    for match in ranking.ranked:
        chunk = view.chunks.get(match.chunk_id)
        if chunk and len(chunk.text) <= _SHORT and _is_bare(chunk, view.query):
            match = Match(match.chunk_id, match.score * _BARE)
            notes[match.chunk_id] = (
                f"its context alone has words of the query, so {_BARE} of its score"
            )
        lessened.append(match)
    lessened.sort(key=lambda match: -match.score)
    return replace(ranking, ranked=tuple(lessened), notes=notes)


def lessen_recitals(ranking: Ranking, view: View) -> Ranking:
    """Lessen the scores of recitals, which say in more words why an act says what its articles do; a query that speaks of them finds them."""
    if _ASKS_FOR_RECITALS.search(view.query.text):
        return ranking
    notes = dict(ranking.notes)
    lessened = []
    for match in ranking.ranked:
        chunk = view.chunks.get(match.chunk_id)
        if chunk and any(key.startswith(_RECITALS) for key in chunk.section_keys):
            match = Match(match.chunk_id, match.score * _RECITED)
            notes[match.chunk_id] = f"it is a recital, so {_RECITED} of its score"
        lessened.append(match)
    lessened.sort(key=lambda match: -match.score)
    return replace(ranking, ranked=tuple(lessened), notes=notes)


def _is_bare(chunk: Chunk, query: Query) -> bool:
    wanted = query.terms(chunk.language)
    return wanted.isdisjoint(terms_of(chunk.text, chunk.language)) and not wanted.isdisjoint(
        terms_of(chunk.context, chunk.language)
    )


def deduplicate(ranking: Ranking, view: View) -> Ranking:
    """Put last what says hardly anything that one before it does not say: nine tenths of the words of both are the same.

    As many are kept as are wanted; what was not fetched is left out.
    """
    chunks = view.chunks
    kept: list[Match] = []
    repeated: list[Match] = []
    seen = _Seen()
    for match in ranking.pinned:
        if match.chunk_id in chunks:
            seen.add(chunks[match.chunk_id].text)
    room = view.wanted - len(ranking.pinned)
    for match in ranking.ranked:
        if len(kept) >= room:
            break
        chunk = chunks.get(match.chunk_id)
        if chunk is not None:
            (kept if seen.add(chunk.text) else repeated).append(match)
    return replace(ranking, ranked=tuple(kept), repeated=tuple(repeated))


def diversify(ranking: Ranking, view: View) -> Ranking:
    """Lessen the scores of what others from the same page or section come before.

    Of one section cut in five the best chunk answers the question as well as all; the other four would hide four sections. The idea
    is that of maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998), with places in the document for similarity.
    """
    before: Counter[tuple[str, int | str | None]] = Counter()
    places = {}
    for match in (*ranking.pinned, *ranking.ranked):
        chunk = view.chunks.get(match.chunk_id)
        if chunk is not None:
            places[match.chunk_id] = chunk.source, chunk.page_start or chunk.section_id
    for match in ranking.pinned:
        if match.chunk_id in places:
            before[places[match.chunk_id]] += 1
    notes = dict(ranking.notes)
    spread = []
    for match in ranking.ranked:
        place = places.get(match.chunk_id)
        if place is None:
            continue
        earlier = before[place]
        if earlier and match.score > 0:
            what = f"page {place[1]}" if isinstance(place[1], int) else "section"
            why = f"{earlier} of this {what} before it, so {_AGAIN**earlier:.2f} of its score"
            known = notes.get(match.chunk_id)
            notes[match.chunk_id] = f"{known}; {why}" if known else why
            match = Match(match.chunk_id, match.score * _AGAIN**earlier)
        spread.append(match)
        before[place] += 1
    spread.sort(key=lambda match: -match.score)
    return replace(ranking, ranked=tuple(spread), notes=notes)


STAGES: tuple[Stage, ...] = (
    pin_verbatim,
    lessen_bare,
    lessen_recitals,
    boost_tables,
    boost_rows,
    boost_named_documents,
    deduplicate,
    diversify,
)
"""What a hybrid ranking goes through after fusion, in search and in tuning alike."""

_VERBATIM = 10
"""Best chunks that are checked for the words of the query as they are, besides the best by keyword."""

_SHORT, _BARE = 400, 0.6
"""Characters of a short chunk, and what it has of its score if only its context has words of the query."""

_RECITALS, _RECITED = "recital_", 0.8
"""What the keys of recitals begin with, and what such a chunk has of its score."""

_ASKS_FOR_RECITALS = re.compile(
    rf"\b(?:{'|'.join(LABELS['recital'].split())}|why|reasons?|warum|weshalb|pourquoi|motifs?|por qué|perché|waarom)\b",
    re.IGNORECASE,
)

_BOOST = 0.4
"""Of the best score, what a document gets that has all words of the query that are in names: see the page on search quality."""

_TABLE = 0.6
"""Of the best score, what a table gets that has most rows of a kind that the query asks for."""

_ROW, _FEWEST_WORDS = 0.3, 2
"""Likewise what a table gets that has a row which the query names, and the words that such a row has at least."""

_AGAIN = 0.85
"""What each further hit from one place has of its score."""

_SHARED = 0.9
"""Of the words of both, what near-duplicates have in common at least."""

_LENGTH = 10
"""One part in so many by which the lengths of near-duplicates differ at most."""


class _Seen:
    """Texts so far, and whether one more repeats one of them.

    Of two sets that share nine tenths of their union each lacks at most a tenth of its own words in the other. So of the long words of
    a text, which few texts have, a near-duplicate lacks no more than that either; the idea is prefix filtering (Chaudhuri, Ganti and
    Kaushik, ICDE 2006).
    """

    def __init__(self) -> None:
        self._lengths: list[int] = []
        self._texts: list[_Words] = []

    def add(self, text: str) -> bool:
        """Whether the text says more than those before it; if so it is one of them from now on."""
        length, own = len(text), _words(text)
        first = bisect_left(self._lengths, length - length // _LENGTH)
        last = bisect_right(self._lengths, length + length // _LENGTH)
        some = own.some
        for other in self._texts[first:last]:
            if (not some or not other.long.isdisjoint(some)) and own.repeats(other):
                return False
        place = bisect_left(self._lengths, length)
        self._lengths.insert(place, length)
        self._texts.insert(place, own)
        return True


class _Words:
    """What tells the words of a text from those of another.

    Attributes:
        long: The longest, more than a tenth of all, with all others of their length.
        some: So many of the long ones that a near-duplicate has one of them; empty where that cannot be said.
    """

    __slots__ = ("_all", "_count", "_shared", "_text", "long", "some")

    def __init__(self, text: str) -> None:
        words = set(text.casefold().split())
        long = [word for word in words if len(word) >= _LONG]
        lacking = math.floor((1 - _SHARED) * len(words) + 1e-9)
        if len(long) <= lacking < len(words):
            shortest = sorted(map(len, words))[-lacking - 1]
            long = [word for word in words if len(word) >= shortest]
        self.long = frozenset(long)
        self.some = tuple(sorted(long, key=len, reverse=True)[: lacking + 1])
        self._shared = len(long) - lacking  # so many of the long ones a near-duplicate has at least
        self._count = len(words)
        self._text = text
        self._all: frozenset[str] | None = None  # found where enough of the long ones are another's

    def repeats(self, other: _Words) -> bool:
        """Whether they share nine tenths of the words of both."""
        fewer, more = sorted((self._count, other._count))
        if fewer < _SHARED * more or len(self.long & other.long) < self._shared:
            return False
        both = len(self._words() & other._words())
        return both >= _SHARED * (self._count + other._count - both)

    def _words(self) -> frozenset[str]:
        if self._all is None:
            self._all = frozenset(self._text.casefold().split())
        return self._all


_words = lru_cache(maxsize=8192)(_Words)

_LONG = 9
"""Letters of a long word; a text with too few of them has other long ones."""


# Reranking


async def reranked(
    reranker: Reranker, query: str, hits: Sequence[Hit], limit: int, settings: RerankSettings
) -> list[Hit]:
    """The best `limit` hits in the reranker's order.

    Args:
        reranker: Asked once for each batch; the scores of several batches are compared with each other.
        query: As the user wrote it.
        hits: Best first, without what is pinned.
        limit: How many to return.
        settings: Size of a batch, and patience.

    Raises:
        TimeoutError: It took longer than `settings.timeout` seconds.
    """
    try:
        return await asyncio.wait_for(
            _in_batches(reranker, query, hits, limit, settings.batch_size), settings.timeout
        )
    except asyncio.TimeoutError as error:  # another class before Python 3.11
        raise TimeoutError(f"it took longer than {settings.timeout:g} seconds") from error


async def _in_batches(
    reranker: Reranker, query: str, hits: Sequence[Hit], limit: int, size: int | None
) -> list[Hit]:
    if size is None or len(hits) <= size:
        return list(await reranker.rerank(query, hits, limit))
    ordered: list[Hit] = []
    for start in range(0, len(hits), size):
        ordered += await reranker.rerank(query, hits[start : start + size], limit)
    return sorted(ordered, key=lambda hit: (-hit.score, hit.chunk.id))[:limit]
