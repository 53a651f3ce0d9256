"""Documents that a query names: `the effective tax rate of Corning` asks `CORNING_2022_10K.pdf`, whatever others say of taxes.

A word of a name says the more the fewer documents have it. Words of texts are the keyword leg's; there a name that every passage
of a long document has counts for little, as it is frequent.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from hierdoc.models import Match
from hierdoc.text.analysis import Analyzer
from hierdoc.text.stemming import stop_words


class DocumentNames:
    """The words in the names of an index's documents.

    Args:
        sources: The names.
    """

    def __init__(self, sources: Iterable[str] = ()) -> None:
        self._holders: dict[str, set[str]] = {}
        known = list(sources)
        for source in known:
            for word in _words(PurePosixPath(source).stem):
                self._holders.setdefault(word, set()).add(source)
        self._weights = {
            word: math.log(len(known) / len(holders)) for word, holders in self._holders.items()
        }
        self._sorted = sorted(self._holders)

    def shares(self, query: str) -> Mapping[str, float]:
        """The documents with a word of the query in their names -> the share, up to 1, of these words that they have.

        Words that all names have do not count. A word in capitals, `JPM`, and a long one may be the beginning of one in a name.
        """
        weights: dict[str, float] = {}
        held: dict[str, list[str]] = {}
        capitals = frozenset(_words(" ".join(filter(str.isupper, query.split()))))
        for word in dict.fromkeys(_words(query)):
            names = self._beginning_with(word, 3 if word in capitals else 5)
            weight = max((self._weights[name] for name in names), default=0.0)
            if weight <= 0:
                continue
            weights[word] = weight
            for source in set().union(*(self._holders[name] for name in names)):
                held.setdefault(source, []).append(word)
        whole = sum(weights.values())
        return {
            source: sum(weights[word] for word in words) / whole for source, words in held.items()
        }

    def _beginning_with(self, word: str, shortest: int) -> Sequence[str]:
        if len(word) < shortest or not word.isalpha():
            return [word] if word in self._holders else []
        first = last = bisect_left(self._sorted, word)
        while last < len(self._sorted) and self._sorted[last].startswith(word):
            last += 1
        return self._sorted[first:last]


def in_favour(
    ranking: Sequence[Match],
    shares: Mapping[str, float],
    sources: Mapping[str, str],
    kept: Container[str] = (),
) -> Sequence[Match]:
    """A ranking with the scores of what stands in named documents raised, in the new order.

    Args:
        ranking: Best first; of scores that are not negative.
        shares: See `DocumentNames.shares`.
        sources: The document of each chunk that is known; the others keep their scores.
        kept: Chunks at the beginning that stay there.
    """
    first = [match for match in ranking if match.chunk_id in kept]
    rest = [match for match in ranking if match.chunk_id not in kept]
    best = max((match.score for match in rest), default=0.0)
    raised = [
        Match(
            match.chunk_id,
            match.score + _FAVOUR * best * shares.get(sources.get(match.chunk_id, ""), 0.0),
        )
        for match in rest
    ]
    return [*first, *sorted(raised, key=lambda match: -match.score)]


def _words(text: str) -> Sequence[str]:
    spaced = "".join(one if one.isalnum() else " " for one in text)
    return [word for word in _ANALYZER.terms(spaced) if len(word) > 1 and word not in _IGNORED]


_ANALYZER = Analyzer()
_IGNORED = stop_words(tuple(Analyzer.LANGUAGES))
_FAVOUR = 0.4
"""Of the best score, what a document gets that has all words of the query that are in names: see the page on search quality."""
