"""The keyword backend over `rank_bm25.BM25Okapi`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi

from hierdoc.plugin import Scorer, ScoringKeywordBackend


class RankBm25Backend(ScoringKeywordBackend):
    """Keeps records in memory and scores all of them at every search.

    Args:
        k1: How soon repetitions of a term stop counting.
        b: How much long chunks are held back, from 0 to 1.
        epsilon: Which share of the average idf a term gets whose own would be negative.
    """

    def __init__(self, k1: float = 1.5, b: float = 0.75, epsilon: float = 0.25) -> None:
        super().__init__()
        self._parameters = {"k1": k1, "b": b, "epsilon": epsilon}

    def scorer(self, corpus: Sequence[Sequence[str]]) -> Scorer:
        """The library's `get_scores`."""
        okapi = BM25Okapi(corpus, **self._parameters)

        def score(terms: Sequence[str]) -> NDArray[np.float64]:
            with np.errstate(invalid="ignore"):  # 0/0 for empty chunks where b is 1
                scores: NDArray[np.float64] = okapi.get_scores(terms)
            return scores

        return score
