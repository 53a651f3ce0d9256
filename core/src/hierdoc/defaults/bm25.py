"""BM25 over terms, in memory and always current: documents come and go, nothing is built ahead of a search.

Two formulas. `lucene` is Lucene's and Tantivy's, without their rounding of lengths to 256 steps:
idf(t) = ln(1 + (N - df + 0.5) / (df + 0.5)), which is never negative. `okapi` gives the scores of `rank_bm25.BM25Okapi`:
idf(t) = ln((N - df + 0.5) / (df + 0.5)), and a quarter of the average idf where that is negative. Both score a term by
idf · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / average length)).
"""

from __future__ import annotations

import math
import threading
from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Variant = Literal["lucene", "okapi"]
"""Which formula."""

_EPSILON = 0.25
_COMPACT_AT = 1024


class Bm25Index:
    """An inverted index with positions; its methods may be called from several threads.

    Args:
        k1: How soon repetitions of a term stop counting.
        b: How much long documents are held back, from 0 to 1.
        variant: The formula.
    """

    def __init__(self, k1: float = 1.5, b: float = 0.75, variant: Variant = "lucene") -> None:
        self._k1, self._b, self._variant = k1, b, variant
        self._lock = threading.RLock()
        self._row_of: dict[str, int] = {}
        self._ids: list[str] = []  # by row; rows of removed documents stay until `_compact`
        self._alive = bytearray()
        self._lengths = array("i")
        self._sequences: list[bytes] = []  # by row, the document's terms as native 4-byte numbers
        self._numbers: dict[str, int] = {}  # of terms
        self._postings: list[array[int]] = []  # by number: row, frequency, row, frequency, ...
        self._total_length = 0
        self._fresh = False  # whether the two below are of the present state
        self._norms = np.zeros(0)  # by row
        self._okapi_idfs = np.zeros(0)  # by number

    def __len__(self) -> int:
        return len(self._row_of)

    def __contains__(self, id: object) -> bool:
        return id in self._row_of

    def add(self, id: str, terms: Sequence[str], counts: Mapping[str, int] | None = None) -> None:
        """Hold a document; one of that id is replaced.

        Args:
            id: Its name.
            terms: In order; phrases are looked for in these.
            counts: How often each term counts, those of `terms` among them; None for as often as it is there.
        """
        counts = Counter(terms) if counts is None else counts
        with self._lock:
            self.remove(id)
            numbers, row = self._numbers, len(self._ids)
            weighted = [(numbers.setdefault(term, len(numbers)), n) for term, n in counts.items()]
            sequence = array("i", [numbers[term] for term in terms])
            self._postings.extend(array("i") for _ in range(len(numbers) - len(self._postings)))
            length = 0
            for number, frequency in weighted:
                self._postings[number].extend((row, frequency))
                length += frequency
            self._row_of[id] = row
            self._ids.append(id)
            self._alive.append(True)
            self._lengths.append(length)
            self._sequences.append(sequence.tobytes())
            self._total_length += length
            self._fresh = False

    def remove(self, id: str) -> None:
        """Forget a document; an unknown one is no error."""
        with self._lock:
            row = self._row_of.pop(id, None)
            if row is None:
                return
            self._alive[row] = False
            self._sequences[row] = b""
            self._total_length -= self._lengths[row]
            self._fresh = False
            if self._removed > max(_COMPACT_AT, len(self)):
                self._compact()

    def search(
        self, terms: Sequence[str], limit: int, allowed: Callable[[str], bool] | None = None
    ) -> list[tuple[str, float]]:
        """Ids and scores of the best documents that have any of the terms, ties by id.

        Args:
            terms: A term that is there twice counts twice.
            limit: How many; fewer come back only where fewer match.
            allowed: Says of an id whether it may be found; asked for the best ones only.
        """
        with self._lock:
            self._refresh()
            scores = np.zeros(len(self._ids))
            found = np.zeros(len(self._ids), dtype=bool)
            for term, count in Counter(terms).items():
                number = self._numbers.get(term)
                if number is not None:
                    rows, frequencies = self._occurrences(number)
                    weight = count * self._idf(number, len(rows))
                    scores[rows] += weight * self._saturated(rows, frequencies)
                    found[rows] = True
            rows = np.flatnonzero(found)
            return self._best(rows, scores[rows], limit, allowed)

    def search_phrase(
        self, terms: Sequence[str], limit: int, allowed: Callable[[str], bool] | None = None
    ) -> list[tuple[str, float]]:
        """The same for documents in which the terms follow each other; the phrase is scored like one term.

        Its idf is the sum of those of its terms, as in Lucene and Tantivy.
        """
        with self._lock:
            self._refresh()
            if not terms or any(term not in self._numbers for term in terms):
                return []
            numbers = [self._numbers[term] for term in terms]
            postings = {number: self._occurrences(number)[0] for number in set(numbers)}
            rarest_first = sorted(postings.values(), key=len)
            candidates = rarest_first[0]
            for rows in rarest_first[1:]:
                candidates = np.intersect1d(candidates, rows, assume_unique=True)
            phrase = array("i", numbers).tobytes()
            counts = [_count(self._sequences[row], phrase) for row in candidates.tolist()]
            frequencies = np.array(counts, dtype=np.float64)
            rows, frequencies = candidates[frequencies > 0], frequencies[frequencies > 0]
            idf = sum(self._idf(number, len(postings[number])) for number in numbers)
            return self._best(rows, idf * self._saturated(rows, frequencies), limit, allowed)

    @property
    def _removed(self) -> int:
        return len(self._ids) - len(self._row_of)

    def _occurrences(self, number: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Rows with the term, ascending, and how often it is in each."""
        pairs = np.frombuffer(self._postings[number], dtype=np.intc).reshape(-1, 2)
        if self._removed:
            pairs = pairs[np.frombuffer(self._alive, dtype=bool)[pairs[:, 0]]]
        # Copies: an array that somebody still looks at could not grow.
        return pairs[:, 0].astype(np.intp), pairs[:, 1].astype(np.float64)

    def _saturated(
        self, rows: NDArray[np.intp], frequencies: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        return frequencies * (self._k1 + 1) / (frequencies + self._norms[rows])

    def _idf(self, number: int, document_frequency: int) -> float:
        if self._variant == "okapi":
            return float(self._okapi_idfs[number])
        rest = len(self) - document_frequency
        return math.log1p((rest + 0.5) / (document_frequency + 0.5))

    def _refresh(self) -> None:
        """Work out what depends on all documents, once after any number of changes."""
        if self._fresh:
            return
        if self._variant == "okapi":
            if self._removed:
                self._compact()
            frequencies = np.array([len(pairs) // 2 for pairs in self._postings], dtype=np.float64)
            idfs = np.log(len(self) - frequencies + 0.5) - np.log(frequencies + 0.5)
            average = idfs[frequencies > 0].mean() if len(self) and frequencies.any() else 0.0
            self._okapi_idfs = np.where(idfs < 0, _EPSILON * average, idfs)
        lengths = np.array(self._lengths, dtype=np.float64)
        average_length = self._total_length / len(self) if self._total_length else 1.0
        self._norms = self._k1 * (1 - self._b + self._b * lengths / average_length)
        self._fresh = True

    def _best(
        self,
        rows: NDArray[np.intp],
        scores: NDArray[np.float64],
        limit: int,
        allowed: Callable[[str], bool] | None,
    ) -> list[tuple[str, float]]:
        wanted = limit if allowed is None else 4 * limit
        while limit > 0:
            best = self._top(rows, scores, wanted)
            found = best if allowed is None else [one for one in best if allowed(one[0])]
            if len(found) >= limit or wanted >= len(rows):
                return found[:limit]
            wanted *= 4
        return []

    def _top(
        self, rows: NDArray[np.intp], scores: NDArray[np.float64], limit: int
    ) -> list[tuple[str, float]]:
        if limit < len(rows):
            lowest = np.partition(scores, len(rows) - limit)[len(rows) - limit]
            rows, scores = rows[scores >= lowest], scores[scores >= lowest]
        found = [
            (self._ids[row], score)
            for row, score in zip(rows.tolist(), scores.tolist(), strict=True)
        ]
        return sorted(found, key=lambda one: (-one[1], one[0]))[:limit]

    def _compact(self) -> None:
        """Drop the rows of removed documents, of all terms in one go: there are many, with few rows each."""
        alive = np.array(self._alive, dtype=bool)
        sizes = [len(postings) // 2 for postings in self._postings]
        pairs = np.frombuffer(b"".join(self._postings), dtype=np.intc).reshape(-1, 2)
        stays = alive[pairs[:, 0]]
        owners = np.repeat(np.arange(len(sizes)), sizes)[stays]
        pairs = pairs[stays]
        pairs[:, 0] = (np.cumsum(alive, dtype=np.intc) - 1)[pairs[:, 0]]
        numbers, ends = pairs.tobytes(), np.cumsum(np.bincount(owners, minlength=len(sizes)))
        bounds = [0, *(ends * pairs.itemsize * 2).tolist()]
        self._postings = [array("i", numbers[start:end]) for start, end in pairwise(bounds)]
        kept = np.flatnonzero(alive).tolist()
        self._ids = [self._ids[row] for row in kept]
        self._sequences = [self._sequences[row] for row in kept]
        self._lengths = array("i", [self._lengths[row] for row in kept])
        self._alive = bytearray(b"\1" * len(kept))
        self._row_of = dict(zip(self._ids, range(len(kept)), strict=True))
        self._fresh = False


def _count(sequence: bytes, phrase: bytes) -> int:
    """How often the phrase is in the sequence, at the bounds of its numbers."""
    count, at = 0, sequence.find(phrase)
    while at >= 0:
        count += at % array("i").itemsize == 0
        at = sequence.find(phrase, at + 1)
    return count
