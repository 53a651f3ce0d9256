"""The faiss index: vectors by row, in memory, and its file, which is named after the state of the store that it is of."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import faiss
import numpy as np

from hierdoc_faiss.store import RecordStore, State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hierdoc_faiss import FaissConfig

_EXACT_UNTIL = 10_000
"""So many vectors are compared one by one, whatever the configuration says."""

_MOST_DEAD = 0.25
"""The share of deleted vectors in an HNSW index, which cannot delete, before it is built anew."""


_CHECKSUM = 4
"""Bytes of a CRC-32 that stand behind the index in its file: faiss itself would take altered vectors."""


class FaissIndex:
    """Unit vectors compared by inner product, which is their cosine; used by one thread.

    Args:
        folder: Of the file.
        config: Which kind of index.
        dimensions: Length of a vector.
    """

    def __init__(self, folder: Path, config: FaissConfig, dimensions: int) -> None:
        self._folder = folder
        self._config = config
        self._dimensions = dimensions
        self._state: State | None = None
        self._saved: State | None = None
        self._index: Any = None
        self._kind = "flat"
        self._dead: set[int] = set()

    def follow(self, store: RecordStore) -> None:
        """Make it of the store's present state: from the file, or else from the store's vectors."""
        state = store.state()
        if self._state == state:
            return
        if not self._load(store, state):
            self._build(store)
        self._state = state

    def change(
        self,
        store: RecordStore,
        before: State | None,
        after: State,
        gone: list[int],
        rows: list[int],
        vectors: NDArray[np.float32],
    ) -> None:
        """Take over one write; one that nobody else's write came between, or the index is made anew when it is next needed."""
        if self._index is None or before != self._state or before is None:
            self._state = None
            return
        if after != State(before.store, before.generation + 1):
            self._state = None
            return
        if gone and self._kind == "flat":
            self._index.remove_ids(np.array(gone, np.int64))
        elif gone:
            self._dead.update(gone)
        if rows:
            self._index.add_with_ids(vectors, np.array(rows, np.int64))
        self._state = after
        live = self._index.ntotal - len(self._dead)
        if self._kind != self._wanted(live) or len(self._dead) > _MOST_DEAD * self._index.ntotal:
            self._build(store)

    def search(
        self, query: NDArray[np.float32], limit: int, rows: NDArray[np.int64] | None
    ) -> list[tuple[float, int]]:
        """Scores and rows of the best `limit` and all that tie with the last of them.

        Args:
            query: float32 of shape [dimensions].
            limit: At least 1.
            rows: Search only these; None for all.
        """
        live = self._index.ntotal - len(self._dead) if rows is None else len(rows)
        if not live:
            return []
        selector = None
        if rows is not None:
            selector = faiss.IDSelectorBatch(rows)
        elif self._dead:
            dead = faiss.IDSelectorBatch(np.array(sorted(self._dead), np.int64))
            selector = faiss.IDSelectorNot(dead)
        wanted = limit + 1
        while True:
            asked = min(wanted, live)
            scores, found = self._index.search(
                query[None], asked, params=self._params(selector, asked)
            )
            pairs = [
                (score, row)
                for score, row in zip(scores[0].tolist(), found[0].tolist(), strict=True)
                if row >= 0
            ]
            if len(pairs) < min(asked, live) and self._kind == "hnsw":
                return self._all(query, rows)
            if len(pairs) < wanted or pairs[-1][0] < pairs[limit - 1][0]:
                return pairs
            wanted *= 4

    def save(self) -> None:
        """Write the file beside its final name, bring it to the disk, and rename it; files of other states are removed."""
        if self._state is None or self._state == self._saved:
            return
        path = self._file(self._state)
        aside = path.with_suffix(f".{os.getpid()}.tmp")
        with aside.open("wb") as file:
            data = faiss.serialize_index(self._index).tobytes()
            file.write(data)
            file.write(crc32(data).to_bytes(_CHECKSUM, "little"))
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
        with suppress(OSError):  # not every system lets folders be opened
            folder = os.open(self._folder, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        for old in self._folder.glob("index-*"):
            if old != path:
                old.unlink(missing_ok=True)
        self._saved = self._state

    def _file(self, state: State) -> Path:
        return self._folder / f"index-{state.store[:12]}-{state.generation}.faiss"

    def _load(self, store: RecordStore, state: State) -> bool:
        """Whether the file of this state was there, whole, and of the kind that is wanted."""
        try:
            data = np.fromfile(self._file(state), np.uint8)
            if crc32(data[:-_CHECKSUM].data) != int.from_bytes(
                data[-_CHECKSUM:].tobytes(), "little"
            ):
                return False
            index = faiss.deserialize_index(data[:-_CHECKSUM])
        except (OSError, RuntimeError):  # not there, or damaged: it is built from the store
            return False
        held, rows = faiss.vector_to_array(index.id_map), store.rows(None)
        dead = np.setdiff1d(held, rows)
        kind = "hnsw" if isinstance(faiss.downcast_index(index.index), faiss.IndexHNSW) else "flat"
        if len(held) - len(dead) != len(rows) or index.d != self._dimensions:
            return False
        if kind != self._wanted(len(rows)) or (kind == "flat" and len(dead)):
            return False
        self._index, self._kind, self._dead, self._saved = index, kind, set(dead.tolist()), state
        return True

    def _build(self, store: RecordStore) -> None:
        self._kind, self._dead = self._wanted(store.count()), set()
        if self._kind == "hnsw":
            inner = faiss.IndexHNSWFlat(
                self._dimensions, self._config.m, faiss.METRIC_INNER_PRODUCT
            )
            inner.hnsw.efConstruction = self._config.ef_construction
        else:
            inner = faiss.IndexFlatIP(self._dimensions)
        self._index = faiss.IndexIDMap2(inner)
        with store.reported():
            for rows, vectors in store.vectors():
                self._index.add_with_ids(vectors, rows)

    def _wanted(self, count: int) -> str:
        return "hnsw" if self._config.index == "hnsw" and count > _EXACT_UNTIL else "flat"

    def _params(self, selector: Any, asked: int) -> Any:
        if self._kind == "hnsw":
            return faiss.SearchParametersHNSW(
                sel=selector, efSearch=max(self._config.ef_search, asked)
            )
        return None if selector is None else faiss.SearchParameters(sel=selector)

    def _all(
        self, query: NDArray[np.float32], rows: NDArray[np.int64] | None
    ) -> list[tuple[float, int]]:
        """Every vector compared: for a filter that selects what the approximate index does not come across."""
        if rows is None:
            held = faiss.vector_to_array(self._index.id_map)
            rows = np.array([row for row in held.tolist() if row not in self._dead], np.int64)
        scores = self._index.reconstruct_batch(rows) @ query
        return sorted(zip(scores.tolist(), rows.tolist(), strict=True), key=lambda pair: -pair[0])
