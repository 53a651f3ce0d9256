"""How LanceDB's hybrid query makes one ranking of its two: weighted reciprocal rank fusion, as a reranker of LanceDB."""

from __future__ import annotations

import pyarrow as pa
from lancedb.rerankers.base import Reranker


class WeightedFusion(Reranker):
    """The sum of weight / (k + rank) over both legs, ties within a leg by id.

    Args:
        semantic: Weight of the vectors' ranking.
        keyword: Weight of the words' ranking.
        k: Higher values flatten the differences between ranks.
    """

    def __init__(self, semantic: float, keyword: float, k: int) -> None:
        super().__init__("relevance")
        self._semantic, self._keyword, self._k = semantic, keyword, k

    def rerank_hybrid(
        self, query: str, vector_results: pa.Table, fts_results: pa.Table
    ) -> pa.Table:
        """Called by LanceDB with what each leg found."""
        scores: dict[str, float] = {}
        for weight, found, column, sign in (
            (self._semantic, vector_results, "_distance", 1),
            (self._keyword, fts_results, "_score", -1),
        ):
            if not found.num_rows:
                continue
            values, ids = found[column].to_pylist(), found["id"].to_pylist()
            ranked = sorted((sign * value, one) for value, one in zip(values, ids, strict=True))
            for rank, (_, one) in enumerate(ranked, start=1):
                scores[one] = scores.get(one, 0.0) + weight / (self._k + rank)
        merged = self.merge_results(vector_results, fts_results)
        found_scores = [scores[one] for one in merged["id"].to_pylist()]
        merged = merged.append_column("_relevance_score", pa.array(found_scores, pa.float64()))
        merged = merged.sort_by([("_relevance_score", "descending"), ("id", "ascending")])
        return self._keep_relevance_score(merged)
