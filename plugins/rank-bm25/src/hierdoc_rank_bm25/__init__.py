"""BM25 by the rank_bm25 library, for hierdoc."""
