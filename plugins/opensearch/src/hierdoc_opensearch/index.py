"""One index of a cluster behind an alias: made, filled, emptied, counted, paged through.

hierdoc-keyword                 the alias, which all requests name
hierdoc-keyword-000001          the index; a reset makes the next one, moves the alias in one step and drops the old one
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from hierdoc import Filter, StoreError
from hierdoc.plugin import DocumentState, DocumentVersion, document_states, require_manifest
from hierdoc_opensearch import OpenSearchConfig
from hierdoc_opensearch.connection import BUSY, AnswerError, Connection
from hierdoc_opensearch.fields import WORDS, selection, state_of

PAGE = 1000
"""Hits, identifiers or buckets in one answer."""

MOST_HITS = 10_000
"""What a cluster returns of one search, by default."""

_BATCH_BYTES = 1_500_000
"""Of a bulk request, before it is compressed; aiohttp warns of more than 1 MB, which it writes in one go."""

Body = Mapping[str, Any]


class CorpusIndex:
    """The index of one backend for one corpus.

    Args:
        connection: To the cluster.
        config: How it is made and written.
        kind: `keyword` or `vector`; ends the alias.
    """

    def __init__(self, connection: Connection, config: OpenSearchConfig, kind: str) -> None:
        self._connection = connection
        self._config = config
        self._alias = f"{config.collection}-{kind}"
        self._open = False

    @property
    def place(self) -> str:
        """The index, in words for messages."""
        return f"index {self._alias!r} at {self._connection.place}"

    async def prepare(self, mappings: Body, settings: Body, *, reset: bool) -> None:
        """Open the index or make it.

        Args:
            mappings: Of the index; `_meta` tells what it is made for.
            settings: Further ones, besides shards, replicas and the similarity.
            reset: Make it anew.

        Raises:
            IndexMismatchError: Its `_meta` is another, and `reset` is false.
            StoreError: The name belongs to somebody else's index.
        """
        self._open = False
        body = {"settings": {"index": {**self._settings(), **settings}}, "mappings": mappings}
        current, meta = await self._current()
        if current is None:
            await self._create(f"{self._alias}-000001", {**body, "aliases": {self._alias: {}}})
        elif reset:
            await self._replace(current, body)
        else:
            require_manifest(meta["hierdoc"], mappings["_meta"]["hierdoc"], self.place)
        self._open = True

    async def write(self, documents: Sequence[tuple[str, Body]]) -> dict[int, str]:
        """Write documents, each in the place of the one with its id.

        Args:
            documents: Their ids and fields.

        Returns:
            The places of those that the cluster would not take, and its reasons.

        Raises:
            StoreError: The cluster failed; nothing was written.
        """
        self.require_open()
        failed: dict[int, str] = {}
        lines = await asyncio.to_thread(lambda: [_line(*one) for one in documents])
        for number, batch in enumerate(self._batches(lines)):
            try:
                failed |= await self._bulk({place: lines[place] for place in batch})
            except StoreError as error:
                if not number:
                    raise
                return failed | dict.fromkeys(range(min(batch), len(lines)), str(error))
        return failed

    async def refresh(self, *, always: bool = False) -> None:
        """Make what was written visible to searches, unless that is left to the index."""
        if always or self._config.refresh:
            await self._ask_all("/_refresh")

    async def delete(self, query: Body) -> None:
        """Delete what a query finds, also what was written just now."""
        await self.refresh(always=True)
        for attempt in range(self._config.retries + 1):
            answer = await self._ask(
                "POST", "/_delete_by_query", {"query": query}, conflicts="proceed", refresh="true"
            )
            failures = answer.get("failures", [])
            if not failures and not answer.get("version_conflicts"):
                return
            await self._connection.pause(attempt)
        reason = failures[0].get("cause", {}).get("reason", "") if failures else "others wrote too"
        raise StoreError(
            f"{self.place}: not everything was deleted: {reason}",
            hint="Try again when nobody else writes to the index.",
        )

    async def search(self, body: Body) -> Sequence[Body]:
        """The hits of one search."""
        answer = await self._ask_all("/_search", body)
        hits: Sequence[Body] = answer["hits"]["hits"]
        return hits

    async def pages(
        self, body: Body, limit: int | None = None, *, page: int = PAGE
    ) -> AsyncIterator[Sequence[Body]]:
        """The hits of a search with a `sort` in which no two are equal, page by page.

        Args:
            body: The search.
            limit: How many hits at most; None for all.
            page: How many in one answer.
        """
        left, after = limit, None
        while left is None or left > 0:
            size = page if left is None else min(page, left)
            start: dict[str, Any] = {} if after is None else {"search_after": after}
            hits = await self.search({**body, **start, "size": size, "track_total_hits": False})
            if hits:
                yield hits
                after = hits[-1]["sort"]
            if len(hits) < size:
                return
            left = None if left is None else left - len(hits)

    async def get(self, ids: Sequence[str], fields: Sequence[str]) -> Sequence[Body]:
        """The fields of documents by id, unknown ones left out."""
        if not ids:
            return []
        answer = await self._ask_all(
            "/_mget", {"ids": list(ids)}, _source_includes=",".join(fields)
        )
        return [one["_source"] for one in answer["docs"] if one.get("found")]

    async def documents(self) -> Mapping[str, DocumentState]:
        """What is held of every document, by source."""
        held: list[tuple[str, DocumentVersion, int]] = []
        async for bucket in self._buckets("state_key", ["state"]):
            hit = bucket["one"]["hits"]["hits"][0]
            held.append((*state_of(hit["_source"]), int(bucket["doc_count"])))
        return document_states(held)

    async def variants(self) -> frozenset[str]:
        """By which variants of the analysis the texts were analysed."""
        by_variant = {"terms": {"field": "variant", "size": 100}}
        answer = await self._ask_all("/_search", {"size": 0, "aggs": {"variants": by_variant}})
        buckets = answer["aggregations"]["variants"]["buckets"]
        return frozenset(bucket["key"] for bucket in buckets)

    async def best_terms(self, terms: Sequence[str], count: int) -> frozenset[str]:
        """Of these terms those that say most, of all that texts of the index have."""
        body = {
            "doc": {WORDS: " ".join(terms)},
            "fields": [WORDS],
            "term_statistics": True,
            "positions": False,
            "offsets": False,
            "filter": {"max_num_terms": count, "min_doc_freq": 1},
        }
        answer = await self._ask("POST", "/_termvectors", body)
        return frozenset(answer["term_vectors"].get(WORDS, {}).get("terms", {}))

    async def count(self) -> int:
        """The number of documents."""
        return int((await self._ask_all("/_count", {"query": {"match_all": {}}}))["count"])

    def require_open(self) -> None:
        """Raise where the index was not prepared."""
        if not self._open:
            raise StoreError("the index is not open", hint="Call `prepare` first.")

    async def _ask(
        self, method: str, path: str, body: Body | None = None, **parameters: str
    ) -> Any:
        """Ask the index."""
        self.require_open()
        return await self._connection.ask(method, f"/{self._alias}{path}", body, **parameters)

    async def _ask_all(self, path: str, body: Body | None = None, **parameters: str) -> Any:
        """Ask all shards of the index, again where some do not answer: while a node is away, another takes over its shards."""
        problem = ""
        for attempt in range(self._config.retries + 1):
            answer = await self._ask("POST", path, body, **parameters)
            problem = _lacking(answer)
            if not problem:
                return answer
            if attempt < self._config.retries:
                await self._connection.pause(attempt)
        raise StoreError(f"{self.place}: {problem}", hint="Look into the cluster's log.")

    async def _current(self) -> tuple[str | None, Body]:
        """The index behind the alias and its `_meta`; None where there is none."""
        try:
            found = await self._connection.ask("GET", f"/{self._alias}")
        except AnswerError as error:
            if error.status == 404:
                return None, {}
            raise
        if len(found) != 1 or self._alias in found:
            raise StoreError(
                f"{self.place} was not made by hierdoc: the name stands for {', '.join(sorted(found))}",
                hint="Choose another name for `collection`.",
            )
        ((name, index),) = found.items()
        meta: Body = index.get("mappings", {}).get("_meta", {})
        if "hierdoc" not in meta:
            raise StoreError(
                f"{self.place} was not made by hierdoc",
                hint="Choose another name for `collection`.",
            )
        return str(name), meta

    async def _create(self, name: str, body: Body) -> None:
        try:
            await self._connection.ask("PUT", f"/{name}", body)
        except AnswerError as error:
            if error.kind != "resource_already_exists_exception":  # by another process or attempt
                raise

    async def _replace(self, old: str, body: Body) -> None:
        """Make the next index and let the alias stand for it, in one step with dropping the old one."""
        number = old.rpartition("-")[2]
        new = f"{self._alias}-{int(number) + 1 if number.isdigit() else 1:06d}"
        try:
            await self._connection.ask("DELETE", f"/{new}")  # left over where a process was killed
        except AnswerError as error:
            if error.status != 404:
                raise
        await self._create(new, body)
        actions = [
            {"add": {"index": new, "alias": self._alias}},
            {"remove_index": {"index": old}},
        ]
        await self._connection.ask("POST", "/_aliases", {"actions": actions})

    def _settings(self) -> dict[str, Any]:
        config = self._config
        similarity = {"hierdoc": {"type": "BM25", "k1": config.k1, "b": config.b}}
        settings = {"number_of_shards": config.shards, "similarity": similarity}
        if config.replicas is not None:
            settings["number_of_replicas"] = config.replicas
        return settings

    async def _bulk(self, waiting: Mapping[int, str]) -> dict[int, str]:
        """Write lines in one request; those that the cluster was too busy for, in further ones.

        Raises:
            StoreError: The cluster failed; nothing was written.
        """
        failed: dict[int, str] = {}
        busy: dict[int, str] = {}
        for attempt in range(self._config.retries + 1):
            try:
                path, lines = f"/{self._alias}/_bulk", "".join(waiting.values())
                answer = await self._connection.ask_lines(path, lines)
            except StoreError as error:
                if attempt:
                    return failed | dict.fromkeys(waiting, str(error))
                if isinstance(error, AnswerError) and error.status == 413 and len(waiting) > 1:
                    return await self._halves(waiting)
                raise
            busy = {}
            for place, item in zip(waiting, answer["items"], strict=True):
                outcome = item["index"]
                if outcome["status"] in BUSY:
                    busy[place] = _reason(outcome)
                elif outcome["status"] >= 300:
                    failed[place] = _reason(outcome)
            if not busy:
                break
            waiting = {place: waiting[place] for place in busy}
            if attempt < self._config.retries:
                await self._connection.pause(attempt)
        return failed | busy

    async def _halves(self, waiting: Mapping[int, str]) -> dict[int, str]:
        """Write in two requests what is too large for one."""
        places = list(waiting)
        middle = len(places) // 2
        failed = await self._bulk({place: waiting[place] for place in places[:middle]})
        rest = {place: waiting[place] for place in places[middle:]}
        try:
            return failed | await self._bulk(rest)
        except StoreError as error:
            return failed | dict.fromkeys(rest, str(error))

    def _batches(self, lines: Sequence[str]) -> Sequence[Sequence[int]]:
        """Places of lines that fit in one request."""
        batches: list[list[int]] = [[]]
        size = 0
        for place, line in enumerate(lines):
            full = len(batches[-1]) >= self._config.batch_size or size + len(line) > _BATCH_BYTES
            if batches[-1] and full:
                batches.append([])
                size = 0
            batches[-1].append(place)
            size += len(line)
        return [batch for batch in batches if batch]

    async def _buckets(self, field: str, fields: Sequence[str]) -> AsyncIterator[Body]:
        """Every value of a keyword field with its number of documents, and these fields of one of them as `one`."""
        one = {"top_hits": {"size": 1, "_source": {"includes": list(fields)}}}
        after: Body | None = None
        while True:
            values: dict[str, Any] = {
                "size": PAGE,
                "sources": [{"value": {"terms": {"field": field}}}],
            }
            if after is not None:
                values["after"] = after
            aggregation = {"composite": values, "aggs": {"one": one}}
            answer = await self._ask_all("/_search", {"size": 0, "aggs": {"all": aggregation}})
            for bucket in answer["aggregations"]["all"]["buckets"]:
                yield bucket
            after = answer["aggregations"]["all"].get("after_key")
            if after is None:
                return


def selecting(filter: Filter | None, fields: Sequence[str]) -> dict[str, Any]:
    """The part of a search that says which fields to return; with a filter, what to find."""
    query = {"match_all": {}} if filter is None else selection(filter)
    return {"query": query, "_source": {"includes": list(fields)}}


def _line(id: str, source: Body) -> str:
    """The two lines of a bulk request that index a document."""
    return f"{json.dumps({'index': {'_id': id}})}\n{json.dumps(source)}\n"


def _reason(outcome: Body) -> str:
    error = outcome.get("error", {})
    cause = error.get("caused_by", {}).get("reason", "")
    reason = f"{outcome['status']} {error.get('type', '')}: {error.get('reason', '')}"
    return " ".join(f"{reason} {cause}".split())[:300]


def _lacking(answer: Body) -> str:
    """What an answer lacks that is cut short, or to which some shards did not contribute; empty if nothing."""
    shards = answer.get("_shards", {})
    if shards.get("failed"):
        return f"{shards['failed']} shards failed {_first_reason(shards.get('failures', []))}"
    refused = [one for one in answer.get("docs", []) if "error" in one]
    if refused:
        return f"{len(refused)} records cannot be read {_first_reason(refused)}"
    return "the search was cut off" if answer.get("timed_out") else ""


def _first_reason(failures: Sequence[Body]) -> str:
    cause = next((one.get("reason") or one.get("error") for one in failures), None)
    if not isinstance(cause, Mapping):
        return "without a reason"
    return " ".join(f"because of {cause.get('type')}: {cause.get('reason')}".split())[:300]
