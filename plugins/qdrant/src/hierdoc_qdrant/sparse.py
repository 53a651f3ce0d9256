"""BM25 as sparse vectors: the part that belongs to a text is worked out here, the idf is Qdrant's.

The score of a chunk is the sum over the query's terms of `idf(t) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average))`
(Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009). Qdrant multiplies by the idf of its collection
(`Modifier.IDF`); all else is the value of the term in the chunk's vector. The average length is a constant of the index.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b


@dataclass(frozen=True)
class SparseVector:
    """Values at dimensions, which ascend; all others are 0."""

    indices: Sequence[int]
    values: Sequence[float]


@dataclass(frozen=True)
class Bm25:
    """The parameters of BM25.

    Attributes:
        k1: How soon repetitions of a term stop counting.
        b: How much long texts are held back, from 0 to 1.
        average_length: Terms of a text that is neither long nor short.
    """

    k1: float = 1.2
    b: float = 0.75
    average_length: float = 256

    def document(self, terms: Counter[str]) -> SparseVector:
        """The vector of a text in which each term counts so often."""
        length = 1 - self.b + self.b * terms.total() / self.average_length
        counts = _by_dimension(terms)
        return _vector(
            {
                dimension: count * (self.k1 + 1) / (count + self.k1 * length)
                for dimension, count in counts.items()
            }
        )

    def query(self, terms: Iterable[str]) -> SparseVector:
        """The vector of a query, whose terms count as often as they occur."""
        return _vector(_by_dimension(Counter(terms)))


@lru_cache(maxsize=131_072)
def dimension(term: str) -> int:
    """The dimension of a term: 32 bits of its digest, so that no vocabulary has to be kept.

    Of 100,000 terms one pair shares a dimension, more or less.
    """
    digest = blake2b(term.encode("utf-8", "surrogatepass"), digest_size=4).digest()
    return int.from_bytes(digest, "big")


def _by_dimension(terms: Counter[str]) -> Mapping[int, int]:
    counts: Counter[int] = Counter()
    for term, count in terms.items():
        counts[dimension(term)] += count
    return counts


def _vector(values: Mapping[int, float]) -> SparseVector:
    indices = sorted(values)
    return SparseVector(indices, [float(values[index]) for index in indices])
