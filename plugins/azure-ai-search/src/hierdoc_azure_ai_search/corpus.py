"""One index of a search service: made, written, emptied, searched, and waited for. All of it is synchronous; backends call it in threads.

Azure AI Search shows writes some time after it has taken them. So whoever reads waits first until searches show all that was written:
each write has a stamp, and as many documents must have it as were written with it.
"""

from __future__ import annotations

import json
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from azure.search.documents.models import VectorizedQuery

from hierdoc import Analyzer, Match, StoreError
from hierdoc.errors import PartialWriteError
from hierdoc.plugin import (
    DocumentState,
    Record,
    best_matches,
    document_states,
    read_state_key,
    record_terms,
    require_manifest,
    tag,
)
from hierdoc_azure_ai_search import AzureConfig, AzureVectorConfig
from hierdoc_azure_ai_search.fields import (
    EVERYTHING,
    MANIFEST,
    has_any,
    literal,
    make_document,
    make_index,
    one_of,
    selection,
)
from hierdoc_azure_ai_search.service import BUSY, NotThereError, RefusedError, Service

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hierdoc import Filter

MOST_HITS = 10_000
"""Nearest vectors that one search gives, at most."""

PAGE = 500
"""Documents in one answer."""

_ANSWER = 1000
"""Hits in one answer; Azure gives no more."""

_BATCH_BYTES = 8_000_000
"""Of a request that writes; Azure takes 16 MB."""

_MOST_KEYS = 1000
"""Documents deleted or looked up in one request."""

MOST_TERMS = 1000
"""Terms in one search; Azure takes 1,024 clauses."""

_VARIANTS_FOR = 60.0
"""Seconds for which it is remembered which languages other processes have added."""

_FIRST_LOOK, _LAST_LOOK = 0.05, 2.0
"""Seconds between two looks whether a write has arrived, at first and at last."""


class Corpus:
    """An index.

    Args:
        config: How it is reached, made and written.
        kind: `keyword` or `vector`; ends its name.
    """

    def __init__(self, config: AzureConfig, kind: str) -> None:
        self.analyzer = Analyzer(config.language)
        self.name = f"{config.collection}-{kind}"
        self._config = config
        self._readable = isinstance(config, AzureVectorConfig) and config.semantic_ranker
        self._service: Service | None = None
        self._session = uuid.uuid4().hex
        self._expected: dict[str, tuple[str, str | None]] = {}
        self._variants: frozenset[str] = frozenset()
        self._variants_until = 0.0

    @property
    def place(self) -> str:
        """The index, in words for messages."""
        return f"index {self.name!r} of Azure AI Search"

    @property
    def settled(self) -> bool:
        """Whether searches show all that was written."""
        return not self._expected

    def prepare(self, manifest: Mapping[str, Any], dimensions: int | None, *, reset: bool) -> None:
        """Open the index, or make it.

        Args:
            manifest: What it is made for.
            dimensions: Of its vectors; None for words alone.
            reset: Make it anew.

        Raises:
            IndexMismatchError: It is made for something else, and `reset` is false.
            StoreError: The name belongs to somebody else's index.
        """
        if self._service is None:
            self._service = Service(self._config, self.name)
        service = self._service
        self._variants, self._variants_until = frozenset(), 0.0
        wanted = make_index(self.name, self._config, dimensions)
        try:
            held = service.ask(lambda: service.indexes.get_index(self.name))
        except NotThereError:
            held = None
        if held is not None:
            own = {"key", "place", "stamp", "about"} <= {one.name for one in held.fields}
            found = self._manifest() if own else None
            if found is None and not (own and self._empty()):
                raise StoreError(
                    f"{self.place} was not made by hierdoc",
                    hint="Choose another name for `collection`.",
                )
            if found is not None and not reset:
                require_manifest(found, manifest, self.place)
                return
            if reset:
                service.ask(lambda: service.indexes.delete_index(self.name))
        if held is None or reset:
            service.ask(lambda: service.indexes.create_index(wanted))
        self._expected.clear()
        about = {"key": MANIFEST, "about": json.dumps(manifest)}
        failed = self._upload([about])
        if failed:
            raise StoreError(f"{self.place}: {next(iter(failed.values()))}")

    def write(self, records: Sequence[Record], vectors: NDArray[np.float32] | None = None) -> None:
        """Write records, each with an id of its own, in the place of those with their ids.

        Raises:
            PartialWriteError: The service would not take some, or failed after it had taken others.
            StoreError: It failed; nothing was written.
        """
        failed: dict[str, str] = {}
        sent: set[str] = set()
        for batch in self._batches(records, vectors, failed):
            stamp = uuid.uuid4().hex
            documents = [{**document, "stamp": stamp} for _, document in batch]
            try:
                refused = self._upload(documents)
            except StoreError as error:
                if not sent:
                    raise
                failed |= {one.id: str(error) for one in records if one.id not in sent}
                break
            for record, document in batch:
                if document["key"] in refused:
                    failed[record.id] = refused[document["key"]]
                else:
                    self._expected[document["key"]] = (record.chunk.source, stamp)
            sent.update(record.id for record, _ in batch)
        if failed:
            reason = next(iter(failed.values()))
            raise PartialWriteError(
                f"{self.place}: {len(failed)} of {len(records)} records were not written; the first: {reason}",
                failed=failed,
                hint="Run `hierdoc ingest` again once the reason is out of the way.",
            )

    def delete(self, sources: Sequence[str]) -> None:
        """Delete all records of documents, also those that searches do not show yet."""
        wanted = frozenset(sources)
        keys = {key for key, (source, _) in self._expected.items() if source in wanted}
        condition = has_any([tag("source", one) for one in sources])
        keys.update(one["key"] for one in self.in_order(condition, ["key"]))
        left = sorted(keys)
        for start in range(0, len(left), _MOST_KEYS):
            some = left[start : start + _MOST_KEYS]
            documents = self._open.documents
            self._open.ask(lambda: documents.delete_documents([{"key": one} for one in some]))  # noqa: B023 - asked at once
            self._expected |= dict.fromkeys(some, ("", None))

    def settle(self) -> None:
        """Wait until searches show all that was written.

        Raises:
            StoreError: It takes too long.
        """
        stamps = Counter(stamp for _, stamp in self._expected.values() if stamp)
        gone = [key for key, (_, stamp) in self._expected.items() if stamp is None]
        waiting = [(f"stamp eq '{stamp}'", number) for stamp, number in stamps.items()]
        waiting += [
            (one_of("key", gone[start : start + _MOST_KEYS]), 0)
            for start in range(0, len(gone), _MOST_KEYS)
        ]
        end, pause = time.monotonic() + self._config.visible_within, _FIRST_LOOK
        while waiting := [one for one in waiting if self.tally(one[0]) != one[1]]:
            if time.monotonic() > end:
                raise StoreError(
                    f"{self.place} does not show what was written within {self._config.visible_within:g} seconds",
                    hint="The service is behind: try again later, add replicas, or raise `visible_within`.",
                )
            time.sleep(pause)
            pause = min(1.5 * pause, _LAST_LOOK)
        self._expected.clear()

    def hits(self, wanted: int, **asked: Any) -> list[Any]:
        """The best hits of a search, in as many answers as it takes."""
        found: list[Any] = []
        while len(found) < wanted:
            top = min(_ANSWER, wanted - len(found))
            page = self._page(top=top, skip=len(found), **asked)
            found += page
            if len(page) < top:
                break
        return found

    def best(self, limit: int, read: Callable[[Any], Match], **asked: Any) -> list[Match]:
        """The best matches of a search, ties by chunk id: Azure orders equals by chance, so all that tie with the last are asked for."""

        def search(wanted: int) -> list[Match]:
            if "vector_queries" in asked:
                asked["vector_queries"][0].k_nearest_neighbors = wanted
            return [read(one) for one in self.hits(wanted, **asked)]

        return best_matches(search, limit, MOST_HITS)

    def in_order(
        self, condition: str, fields: Sequence[str], limit: int | None = None, page: int = PAGE
    ) -> Iterator[Any]:
        """Documents by source and position."""
        after, left = "", limit
        while left is None or left > 0:
            top = page if left is None else min(page, left)
            found = self._page(
                filter=f"{condition} and place gt {literal(after)}",
                select=[*fields, "place"],
                order_by=["place asc"],
                top=top,
            )
            yield from found
            if len(found) < top:
                return
            after = found[-1]["place"]
            left = None if left is None else left - len(found)

    def read(self, keys: Sequence[str], fields: Sequence[str], page: int = PAGE) -> Iterator[Any]:
        """Documents by key, in no order."""
        for start in range(0, len(keys), page):
            some = keys[start : start + page]
            yield from self._page(filter=one_of("key", some), select=list(fields), top=len(some))

    def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""
        counts = self._facets("state")
        return document_states((*read_state_key(state), held) for state, held in counts.items())

    def tally(self, condition: str = EVERYTHING) -> int:
        """The number of documents that a condition selects."""
        asked = {"filter": condition, "top": 0, "include_total_count": True}
        return int(self._ask_search(lambda found: found.get_count() or 0, **asked))

    def terms(self, text: str) -> list[str]:
        """The terms of a query."""
        return self.analyzer.query_terms(text, self.variants())

    def variants(self) -> frozenset[str]:
        """The variants of the analyzer that the texts were analysed with."""
        if time.monotonic() >= self._variants_until:
            self._variants |= frozenset(self._facets("variant"))
            self._variants_until = time.monotonic() + _VARIANTS_FOR
        return self._variants

    def close(self) -> None:
        """Close the connections; calling it again does nothing."""
        service, self._service = self._service, None
        if service is not None:
            service.close()

    @property
    def _open(self) -> Service:
        if self._service is None:
            raise StoreError("the index is closed", hint="Open it again.")
        return self._service

    def _page(self, **asked: Any) -> list[Any]:
        def first(found: Any) -> list[Any]:
            return list(next(found.by_page(), ()))

        page: list[Any] = self._ask_search(first, **asked)
        return page

    def _ask_search(self, read: Callable[[Any], Any], **asked: Any) -> Any:
        """What is read of the answer to a search; all go to the same replica, as far as that is up."""
        given: dict[str, Any] = {"search_text": "*", "session_id": self._session, **asked}
        service = self._open
        return service.ask(lambda: read(service.documents.search(**given)))

    def _facets(self, field: str) -> dict[str, int]:
        """All values of a field, and how many records have each."""
        asked = {"filter": EVERYTHING, "top": 0, "facets": [f"{field},count:0"]}
        found = self._ask_search(lambda answer: answer.get_facets() or {}, **asked)
        return {one["value"]: one["count"] for one in found.get(field, ())}

    def _manifest(self) -> Any:
        """What the index is made for; None where it does not say."""
        service = self._open
        try:
            found = service.ask(lambda: service.documents.get_document(MANIFEST))
            return json.loads(found["about"])
        except NotThereError:
            return None
        except (ValueError, KeyError, TypeError):
            return {}

    def _empty(self) -> bool:
        """Whether nothing is held: a process was killed between making the index and saying what for."""
        return not self._page(filter=EVERYTHING, select=["key"], top=1)

    def _batches(
        self,
        records: Sequence[Record],
        vectors: NDArray[np.float32] | None,
        failed: dict[str, str],
    ) -> Iterator[list[tuple[Record, dict[str, Any]]]]:
        """Records with their documents, as many as fit in a request; those that cannot be made are noted as failed."""
        batch: list[tuple[Record, dict[str, Any]]] = []
        size = 0
        for row, record in enumerate(records):
            terms = record_terms(record, self.analyzer)
            vector = None if vectors is None else vectors[row]
            try:
                document = make_document(record, terms, vector, readable=self._readable)
            except StoreError as error:
                failed[record.id] = str(error)
                continue
            self._variants |= {terms.variant}
            length = len(json.dumps(document))
            if batch and (len(batch) >= self._config.batch_size or size + length > _BATCH_BYTES):
                yield batch
                batch, size = [], 0
            batch.append((record, document))
            size += length
        if batch:
            yield batch

    def _upload(self, documents: Sequence[dict[str, Any]]) -> dict[str, str]:
        """Write documents; those for which the service is too busy in further requests.

        Returns:
            The keys of those that it would not take, and its reasons.

        Raises:
            StoreError: It failed; nothing was written.
        """
        service, waiting = self._open, list(documents)
        failed: dict[str, str] = {}
        busy: dict[str, str] = {}
        for attempt in range(self._config.retries + 1):
            try:
                answer = service.ask(lambda: service.documents.upload_documents(waiting))  # noqa: B023 - asked at once
            except RefusedError as error:
                if len(waiting) == 1:
                    return failed | {waiting[0]["key"]: str(error)}
                middle = len(waiting) // 2
                return failed | self._upload(waiting[:middle]) | self._upload(waiting[middle:])
            except StoreError as error:
                if not attempt:
                    raise
                return failed | {one["key"]: str(error) for one in waiting}
            busy = {}
            for one in answer:
                if not one.succeeded:
                    reason = f"{one.status_code}: {' '.join(str(one.error_message).split())[:300]}"
                    (busy if one.status_code in BUSY else failed)[str(one.key)] = reason
            waiting = [one for one in waiting if one["key"] in busy]
            if not waiting:
                return failed
            if attempt < self._config.retries:
                service.pause(attempt)
        return failed | busy


def nearest(
    query: NDArray[np.float32], wanted: int, weight: float | None = None
) -> VectorizedQuery:
    """The part of a search that looks for vectors."""
    asked = VectorizedQuery(
        vector=[float(f"{one:.9g}") for one in query.tolist()],
        k_nearest_neighbors=wanted,
        fields="vector",
    )
    if weight is not None:
        asked.weight = weight
    return asked


def within(filter: Filter | None) -> dict[str, Any]:
    """The part of a search that says what to search: before the vectors are compared."""
    return {"filter": selection(filter), "vector_filter_mode": "preFilter"}
