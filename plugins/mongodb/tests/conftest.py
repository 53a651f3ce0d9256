"""A stand-in for a MongoDB with its search, on the loopback: it speaks the protocol that the SDK speaks, and takes what MongoDB documents.

Commands, stages, operators and definitions of indexes are checked: unknown ones and unknown options of known ones are refused with MongoDB's codes,
as are filters on what is not indexed for it, vectors of another length, and what is larger or more than MongoDB takes. Collections show writes at
once. Indexes of the search follow them in portions, in order, but the writes of one portion show the last first: who looks once sees some of it.
"""

from __future__ import annotations

import gc
import hashlib
import hmac
import itertools
import json
import math
import os
import socketserver
import ssl
import struct
import subprocess
import sys
import threading
from base64 import b64decode, b64encode
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import bson
import numpy as np
import pytest
from bson.binary import Binary
from bson.int64 import Int64

USER, PASSWORD = "tests", "one-of-the-tests"

Document = dict[str, Any]

_COMMON = {"$db", "lsid", "$clusterTime", "$readPreference", "txnNumber", "maxTimeMS", "writeConcern", "readConcern", "comment"}  # fmt: skip
_KNOWN = {
    "aggregate": {"pipeline", "cursor"},
    "buildInfo": set(),
    "create": set(),
    "createIndexes": {"indexes"},
    "createSearchIndexes": {"indexes"},
    "delete": {"deletes", "ordered"},
    "distinct": {"key", "query"},
    "drop": set(),
    "endSessions": set(),
    "find": {"filter", "projection", "sort", "limit", "batchSize", "singleBatch"},
    "findAndModify": {"query", "update", "new", "upsert"},
    "getMore": {"collection", "batchSize"},
    "killCursors": {"cursors"},
    "ping": set(),
    "update": {"updates", "ordered"},
}
_MOST_BYTES, _MOST_MESSAGE, _MOST_WRITES = 16_777_216, 48_000_000, 100_000
_OP_REPLY, _OP_QUERY, _OP_MSG = 1, 2004, 2013


class RefusalError(Exception):
    """An answer that something is wrong."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


def from_search(reason: str) -> RefusalError:
    """What MongoDB makes of an error of its search."""
    return RefusalError(8, f"PlanExecutor error during aggregation :: caused by :: {reason}")


def require(condition: Any, code: int, reason: str) -> None:
    if not condition:
        raise RefusalError(code, reason)


def known(given: Any, needed: set[str], more: set[str] = frozenset(), code: int = 40415) -> None:  # type: ignore[assignment]
    if not isinstance(given, dict) or not needed <= given.keys() <= needed | more:
        raise RefusalError(code, f"unknown or missing fields: {sorted(given)}")


class Index:
    """An index of the search: what it shows of its collection."""

    def __init__(self, name: str, kind: str, definition: Document) -> None:
        self.name, self.kind, self.definition = name, kind, definition
        self.looks = 0
        self.shown: dict[Any, Document] = {}
        self.postings: dict[tuple[str, str], dict[Any, list[int]]] = defaultdict(dict)
        self.lengths: dict[str, dict[Any, int]] = defaultdict(dict)
        self.matrix: tuple[list[Any], Any] | None = None
        self._waiting: list[tuple[Any, Document | None]] = []
        self._portion: list[tuple[Any, Document | None]] = []
        self._rests = False

    def follow(self, key: Any, document: Document | None) -> None:
        self._waiting.append((key, document))

    def look(self) -> None:
        """Show more of what was written: the last write of the next portion, nothing, the rest of this one."""
        if not self._portion:
            self._portion, self._waiting = self._waiting, []
            self._rests = len(self._portion) > 1
            if self._rests:
                self._apply(*self._portion.pop())
                return
        elif self._rests:
            self._rests = False
            return
        for one in self._portion:
            self._apply(*one)
        self._portion = []

    def _apply(self, key: Any, document: Document | None) -> None:
        if key in self.shown:
            for path, words in self._texts(self.shown.pop(key)):
                self.lengths[path].pop(key, None)
                for word in set(words):
                    self.postings[path, word].pop(key, None)
        self.matrix = None
        if document is None:
            return
        self.shown[key] = {**document, "tags": frozenset(document.get("tags", ()))}
        for path, words in self._texts(document):
            self.lengths[path][key] = len(words)
            for place, word in enumerate(words):
                self.postings[path, word].setdefault(key, []).append(place)

    def _texts(self, document: Document) -> Iterator[tuple[str, list[str]]]:
        if self.kind == "search":
            for path, field in self.fields().items():
                if field["type"] == "string" and path in document:
                    yield path, document[path].split()

    def fields(self) -> dict[str, Document]:
        if self.kind == "search":
            fields: dict[str, Document] = self.definition["mappings"]["fields"]
            return fields
        return {one["path"]: one for one in self.definition["fields"]}

    def vectors(self) -> tuple[list[Any], Any]:
        if self.matrix is None:
            (path,) = (name for name, one in self.fields().items() if one["type"] == "vector")
            held = {key: one[path] for key, one in self.shown.items() if path in one}
            rows = [read_vector(one) for one in held.values()]
            self.matrix = list(held), np.array(rows, np.float32)
        return self.matrix


class Collection:
    """Documents, and the indexes that follow them."""

    def __init__(self) -> None:
        self.held: dict[Any, Document] = {}
        self.indexes: dict[str, Index] = {}

    def put(self, document: Document) -> None:
        self.held[document["_id"]] = document
        for index in self.indexes.values():
            index.follow(document["_id"], document)

    def remove(self, key: Any) -> None:
        del self.held[key]
        for index in self.indexes.values():
            index.follow(key, None)


class Server:
    """The deployment: its collections, how it is to fail, and what it was asked.

    Attributes:
        port: Where it listens.
        fields: Of a configuration that reaches it.
        commands: All commands after the handshake, as they came.
        failures: What to answer to the next commands of a name: the answer, or `cut` to end the connection.
        refused: A document that holds this word gets this code, once or, if negative, always.
        hidden: The search does not follow.
        searches: There is a search at all.
        fusion: `full`, `basic` (no scores), `off` (not allowed) or `none` (unknown).
        version: What it says of itself.
        tls: Makes connections secret; None for plain ones.
    """

    def __init__(self) -> None:
        self.commands: list[Document] = []
        self.failures: list[tuple[str, Document | str]] = []
        self.refused: tuple[str, int] | None = None
        self.hidden = False
        self.searches = True
        self.fusion = "full"
        self.version = "8.0.13"
        self.tls: ssl.SSLContext | None = None
        self.port = 0
        self.fields: Document = {}
        self.lock = threading.RLock()
        self.collections: dict[str, Collection] = {}
        self._cursors: dict[int, list[Document]] = {}
        self._numbers = itertools.count(1)

    def asked(self, name: str) -> list[Document]:
        """The commands of a name."""
        return [one for one in self.commands if name in one]

    def stages(self, name: str) -> list[Document]:
        """What was given to the stages of a name, in order."""
        return [
            stage[name]
            for one in self.asked("aggregate")
            for stage in one["pipeline"]
            if name in stage
        ]

    def answer(self, command: Document) -> Document | None:
        """The answer to a command of somebody who is known; None to end the connection."""
        name = next(iter(command))
        self.commands.append(command)
        for number, (wanted, made) in enumerate(self.failures):
            if wanted == name:
                del self.failures[number]
                return None if made == "cut" else dict(made)  # type: ignore[arg-type]
        try:
            require(name in _KNOWN, 59, f"no such command: '{name}'")
            extra = command.keys() - {name} - _COMMON - _KNOWN[name]
            require(
                not extra,
                40415,
                f"BSON field '{name}.{min(extra, default='')}' is an unknown field.",
            )
            return {**getattr(self, f"_{name}")(command[name], command), "ok": 1.0}
        except RefusalError as refusal:
            return failure(refusal.code, str(refusal))

    def _ping(self, _: Any, __: Document) -> Document:
        return {}

    _endSessions = _ping  # noqa: N815 - the command's name

    def _buildInfo(self, _: Any, __: Document) -> Document:  # noqa: N802
        return {"version": self.version, "versionArray": [*map(int, self.version.split(".")), 0]}

    def _create(self, name: str, _: Document) -> Document:
        require(name not in self.collections, 48, f"Collection hierdoc.{name} already exists.")
        require(
            name and not name.startswith("system.") and "$" not in name,
            73,
            "Invalid collection name",
        )
        self.collections[name] = Collection()
        return {}

    def _drop(self, name: str, _: Document) -> Document:
        require(name in self.collections, 26, "ns not found")
        del self.collections[name]
        return {}

    def _createIndexes(self, name: str, command: Document) -> Document:  # noqa: N802
        for one in command["indexes"]:
            known(one, {"key", "name"}, {"unique"})
            require(
                one["key"] and all(way in (1, -1) for way in one["key"].values()), 67, "bad key"
            )
        self._collection(name)
        return {}

    def _createSearchIndexes(self, name: str, command: Document) -> Document:  # noqa: N802
        require(self.searches, 31082, NO_SEARCH)
        require(name in self.collections, 26, f"Collection 'hierdoc.{name}' does not exist.")
        made = []
        for one in command["indexes"]:
            known(one, {"definition"}, {"name", "type"})
            kind, index_name = one.get("type", "search"), one.get("name", "default")
            require(kind in ("search", "vectorSearch"), 2, f"type {kind!r}")
            require(
                index_name not in self.collections[name].indexes,
                68,
                f"Index {index_name} already exists with a different definition.",
            )
            (check_search if kind == "search" else check_vectors)(one["definition"])
            index = Index(index_name, kind, one["definition"])
            for key, document in self.collections[name].held.items():
                index.follow(key, document)
            self.collections[name].indexes[index_name] = index
            made.append({"id": f"{next(self._numbers):024x}", "name": index_name})
        return {"indexesCreated": made}

    def _update(self, name: str, command: Document) -> Document:
        of = self._collection(name)
        require(
            len(command["updates"]) <= _MOST_WRITES,
            72,
            "Write batch sizes must be between 1 and 100000.",
        )
        count, errors, upserted = 0, [], []
        for number, one in enumerate(command["updates"]):
            known(one, {"q", "u"}, {"upsert", "multi", "hint", "collation"})
            try:
                found = next(iter(self._matching(of, one["q"])), None)
                changed = self._changed(found, one["u"], one["q"], bool(one.get("upsert")))
                if changed is not None:
                    if found is None:
                        upserted.append({"index": number, "_id": changed["_id"]})
                    self._store(of, changed)
                    count += 1
            except RefusalError as refusal:
                errors.append({"index": number, "code": refusal.code, "errmsg": str(refusal)})
                if command.get("ordered", True):
                    break
        answer: Document = {"n": count, "nModified": count - len(upserted)}
        return (
            answer
            | ({"upserted": upserted} if upserted else {})
            | ({"writeErrors": errors} if errors else {})
        )

    def _delete(self, name: str, command: Document) -> Document:
        count, of = 0, self._collection(name)
        for one in command["deletes"]:
            known(one, {"q", "limit"})
            for document in list(self._matching(of, one["q"]))[: one["limit"] or None]:
                of.remove(document["_id"])
                count += 1
        return {"n": count}

    def _findAndModify(self, name: str, command: Document) -> Document:  # noqa: N802
        of = self._collection(name)
        found = next(iter(self._matching(of, command["query"])), None)
        changed = self._changed(
            found, command["update"], command["query"], bool(command.get("upsert"))
        )
        if changed is not None:
            self._store(of, changed)
        return {"value": changed if command.get("new") else found}

    def _find(self, name: str, command: Document) -> Document:
        found = list(
            self._matching(self.collections.get(name, Collection()), command.get("filter", {}))
        )
        sort = command.get("sort", {})
        for field, way in reversed(sort.items()):
            found.sort(key=lambda one: order(one.get(field)), reverse=way < 0)
        found = found[: command.get("limit", 0) or None]
        fields = command.get("projection") or {}
        require(
            all(value == 1 for value in fields.values()), 31254, "only inclusions are known here"
        )
        if fields:
            found = [{key: one[key] for key in ("_id", *fields) if key in one} for one in found]
        return self._cursor(name, found, command.get("batchSize", 101))

    def _getMore(self, number: int, command: Document) -> Document:  # noqa: N802
        require(number in self._cursors, 43, f"cursor id {number} not found")
        return self._cursor(
            command["collection"],
            self._cursors.pop(number),
            command.get("batchSize", 0) or 10**9,
            "nextBatch",
        )

    def _killCursors(self, _: str, command: Document) -> Document:  # noqa: N802
        for one in command["cursors"]:
            self._cursors.pop(one, None)
        return {"cursorsKilled": command["cursors"]}

    def _distinct(self, name: str, command: Document) -> Document:
        found = self._matching(self.collections.get(name, Collection()), command.get("query", {}))
        return {
            "values": list(
                dict.fromkeys(one[command["key"]] for one in found if command["key"] in one)
            )
        }

    def _aggregate(self, name: str, command: Document) -> Document:
        require("cursor" in command, 9, "The 'cursor' option is required")
        stages = command["pipeline"]
        self._parse(stages)
        rows = [row for row, _ in self._pipeline(name, stages)]
        return self._cursor(name, rows, command["cursor"].get("batchSize", 101))

    def _parse(self, stages: Sequence[Document]) -> None:
        """What is refused before anything is looked at."""
        for number, stage in enumerate(stages):
            require(
                len(stage) == 1,
                40323,
                "A pipeline stage specification object must contain exactly one field.",
            )
            ((kind, given),) = stage.items()
            allowed = (
                "$match",
                "$group",
                "$limit",
                "$project",
                "$listSearchIndexes",
                "$search",
                "$vectorSearch",
            )
            if kind == "$rankFusion" and self.fusion != "none":
                require(
                    self.fusion != "off",
                    224,
                    "$rankFusion is not allowed in the current feature compatibility version.",
                )
                self._parse_fusion(given)
            else:
                require(kind in allowed, 40324, f"Unrecognized pipeline stage name: '{kind}'")
            if kind in ("$search", "$vectorSearch", "$listSearchIndexes", "$rankFusion"):
                require(not number, 40602, f"{kind} is only valid as the first stage in a pipeline")
                require(self.searches, 31082, NO_SEARCH)
            if kind == "$project" and self.fusion == "basic":
                metas = [one.get("$meta") for one in given.values() if isinstance(one, dict)]
                require("score" not in metas, 17308, "Unsupported argument to $meta: score")

    def _parse_fusion(self, given: Document) -> None:
        known(given, {"input"}, {"combination", "scoreDetails"})
        known(given["input"], {"pipelines"})
        pipelines = given["input"]["pipelines"]
        require(pipelines, 9834301, "$rankFusion needs an input pipeline")
        for name, stages in pipelines.items():
            require(name and "." not in name and not name.startswith("$"), 16410, "pipeline names")
            require(stages, 9834300, "$rankFusion input pipeline cannot be empty.")
            require(
                next(iter(stages[0])) in ("$search", "$vectorSearch"),
                9191100,
                "not a ranked pipeline",
            )
            selecting = (
                "$match",
                "$search",
                "$vectorSearch",
                "$sort",
                "$limit",
                "$skip",
                "$sample",
                "$geoNear",
            )
            require(
                all(next(iter(one)) in selecting for one in stages),
                9191103,
                "not a selection pipeline",
            )
            self._parse(stages)
        weights = given.get("combination", {}).get("weights", {})
        require(
            weights.keys() <= pipelines.keys(), 9967500, "a weight for a pipeline that is not there"
        )
        for weight in weights.values():
            require(
                is_number(weight) and weight >= 0, 9460300, "weights are numbers, and not negative"
            )

    def _pipeline(self, name: str, stages: Sequence[Document]) -> list[tuple[Document, Document]]:
        """Documents with what is told of each: its score, by the name of that."""
        of = self.collections.get(name, Collection())
        rows: list[tuple[Document, Document]] = []
        for number, stage in enumerate(stages):
            ((kind, given),) = stage.items()
            if not number and kind in ("$match", "$group", "$project", "$limit"):
                rows = [(one, {}) for one in of.held.values()]
            if kind == "$match":
                judge = condition(given)
                rows = [row for row in rows if judge(row[0])]
            elif kind == "$group":
                rows = [(one, {}) for one in grouped([document for document, _ in rows], given)]
            elif kind == "$limit":
                require(isinstance(given, int) and given > 0, 15958, "the limit must be positive")
                rows = rows[:given]
            elif kind == "$project":
                rows = [(projected(document, told, given), told) for document, told in rows]
            elif kind == "$listSearchIndexes":
                rows = [(self._state(one), {}) for one in of.indexes.values()]
            elif kind == "$rankFusion":
                rows = self._fused(name, given)
            else:
                scores = self._searched(of, kind, given)
                called = "searchScore" if kind == "$search" else "vectorSearchScore"
                best = sorted(scores, key=lambda key: (-scores[key], hash(key)))
                rows = [
                    (of.held[key], {called: scores[key], "score": scores[key]})
                    for key in best
                    if key in of.held
                ]
        return rows

    def _state(self, index: Index) -> Document:
        index.looks += 1
        status = ("PENDING", "BUILDING", "READY")[min(index.looks, 3) - 1]
        return {
            "id": "0" * 24,
            "name": index.name,
            "type": index.kind,
            "status": status,
            "queryable": status == "READY",
            "latestDefinition": index.definition,
        }

    def _searched(self, of: Collection, kind: str, given: Document) -> dict[Any, float]:
        index = of.indexes.get(given.get("index", "default"))
        if kind == "$search":
            more = {"index", "count", "highlight", "sort", "searchAfter", "searchBefore", "concurrent", "returnStoredSource", "scoreDetails", "tracking"}  # fmt: skip
            operators = {name: one for name, one in given.items() if name not in more}
            if len(operators) != 1:
                raise from_search("exactly one operator or collector must be present")
        else:
            check_nearest(given)
        if index is None:
            return {}
        if index.looks < 3:
            raise from_search(f"cannot query search index {index.name} while in state INITIAL_SYNC")
        if index.kind != ("search" if kind == "$search" else "vectorSearch"):
            raise from_search(f"index {index.name} is no index of this kind")
        if not self.hidden:
            index.look()
        return operated(index, operators) if kind == "$search" else by_vector(index, given)

    def _fused(self, name: str, given: Document) -> list[tuple[Document, Document]]:
        scores: Counter[Any] = Counter()
        documents: dict[Any, Document] = {}
        for leg, stages in given["input"]["pipelines"].items():
            weight = given.get("combination", {}).get("weights", {}).get(leg, 1)
            rank, last = 0, None
            for place, (document, told) in enumerate(self._pipeline(name, stages), start=1):
                rank, last = (rank, last) if told["score"] == last else (place, told["score"])
                documents[document["_id"]] = document
                scores[document["_id"]] += weight / (60 + rank)
        best = sorted(scores, key=lambda key: (-scores[key], order(key)))
        return [(documents[key], {"score": scores[key]}) for key in best]

    def _cursor(
        self, name: str, rows: list[Document], size: int, called: str = "firstBatch"
    ) -> Document:
        batch, filled = [], 0
        for row in rows[:size]:
            filled += len(bson.encode(row))
            if batch and filled > _MOST_BYTES:
                break
            batch.append(row)
        number = 0
        if len(batch) < len(rows):
            number = next(self._numbers)
            self._cursors[number] = rows[len(batch) :]
        return {"cursor": {"id": Int64(number), "ns": f"hierdoc.{name}", called: batch}}

    def _collection(self, name: str) -> Collection:
        return self.collections.setdefault(name, Collection())

    def _matching(self, of: Collection, given: Document) -> list[Document]:
        judge = condition(given)
        if isinstance(given.get("_id"), (str, int)):  # there is an index
            return [one for one in [of.held.get(given["_id"])] if one is not None and judge(one)]
        return [one for one in of.held.values() if judge(one)]

    def _changed(
        self, found: Document | None, change: Document, query: Document, upsert: bool
    ) -> Document | None:
        if found is None and not upsert:
            return None
        begun = {"_id": query["_id"]} if found is None else dict(found)
        if not any(key.startswith("$") for key in change):
            return {"_id": begun["_id"], **change}
        for operator, fields in change.items():
            require(
                operator in ("$set", "$setOnInsert", "$inc"), 9, f"Unknown modifier: {operator}"
            )
            for key, value in fields.items():
                if operator == "$inc":
                    begun[key] = begun.get(key, 0) + value
                elif operator == "$set" or found is None:
                    begun[key] = value
        return begun

    def _store(self, of: Collection, document: Document) -> None:
        size = len(bson.encode(document))
        require(size <= _MOST_BYTES, 10334, f"BSONObj size: {size} is invalid")
        if self.refused and self.refused[0] in str(document):
            code = self.refused[1]
            if code > 0:
                self.refused = None
            raise RefusalError(abs(code), "refused by the test")
        of.put(document)


NO_SEARCH = "Using Atlas Search Database Commands and the $listSearchIndexes aggregation stage requires additional configuration."


def failure(code: int, reason: str, *labels: str) -> Document:
    answer: Document = {"ok": 0.0, "code": code, "codeName": f"Code{code}", "errmsg": reason}
    return answer | ({"errorLabels": list(labels)} if labels else {})


def check_search(definition: Document) -> None:
    """The definition of an index of words."""
    known(
        definition,
        {"mappings"},
        {"analyzer", "searchAnalyzer", "storedSource", "synonyms", "numPartitions"},
        8,
    )
    known(definition["mappings"], set(), {"dynamic", "fields"}, 8)
    for field in definition["mappings"]["fields"].values():
        if field["type"] == "token":
            known(field, {"type"}, {"normalizer"}, 8)
        elif field["type"] == "number":
            known(field, {"type"}, {"representation", "indexIntegers", "indexDoubles"}, 8)
        else:
            require(field["type"] == "string", 8, f"type {field['type']}")
            known(
                field,
                {"type"},
                {
                    "analyzer",
                    "searchAnalyzer",
                    "indexOptions",
                    "store",
                    "ignoreAbove",
                    "multi",
                    "norms",
                    "similarity",
                },
                8,
            )
            require(
                field.get("analyzer") == "lucene.whitespace", 8, "no other analyzer is known here"
            )
            require(
                field.get("indexOptions", "offsets") in ("docs", "freqs", "positions", "offsets"),
                8,
                "indexOptions",
            )


def check_vectors(definition: Document) -> None:
    """The definition of an index of vectors."""
    known(definition, {"fields"}, {"storedSource", "numPartitions"}, 8)
    kinds = Counter(one["type"] for one in definition["fields"])
    require(
        kinds["vector"] == 1 and kinds.keys() <= {"vector", "filter"}, 8, "one vector, and filters"
    )
    for field in definition["fields"]:
        if field["type"] == "filter":
            known(field, {"type", "path"}, set(), 8)
            continue
        known(
            field,
            {"type", "path", "numDimensions", "similarity"},
            {"quantization", "hnswOptions"},
            8,
        )
        require(
            1 <= field["numDimensions"] <= 8192, 8, "numDimensions must be within bounds [1, 8192]"
        )
        require(field["similarity"] in ("cosine", "dotProduct", "euclidean"), 8, "similarity")
        graph = field.get("hnswOptions", {})
        known(graph, set(), {"maxEdges", "numEdgeCandidates"}, 8)
        require(16 <= graph.get("maxEdges", 16) <= 64, 8, "maxEdges must be within bounds [16, 64]")
        require(
            100 <= graph.get("numEdgeCandidates", 100) <= 3200,
            8,
            "numEdgeCandidates must be within bounds [100, 3200]",
        )


def check_nearest(given: Document) -> None:
    """What is given to `$vectorSearch`."""
    needed, more = {"index", "path", "queryVector", "limit"}, {"exact", "numCandidates", "filter"}
    if not needed <= given.keys() <= needed | more:
        raise from_search(f"unknown or missing fields: {sorted(given)}")
    limit, exact, candidates = given["limit"], given.get("exact", False), given.get("numCandidates")
    if type(limit) is not int or limit < 1:
        raise from_search('"limit" must be a positive integer')
    if type(exact) is not bool or exact == (candidates is not None):
        raise from_search('"numCandidates" must be given where "exact" is not, and only there')
    if candidates is not None and not limit <= candidates <= 10_000:
        raise from_search('"numCandidates" must be within bounds [limit, 10000]')


def by_vector(index: Index, given: Document) -> dict[Any, float]:
    """Cosines as MongoDB tells them: `(1 + cosine) / 2`, in single precision."""
    fields = index.fields()
    field = fields.get(given["path"])
    if field is None or field["type"] != "vector":
        raise from_search(f"Path '{given['path']}' needs to be indexed as vector")
    query = np.array(read_vector(given["queryVector"]), np.float64)
    if len(query) != field["numDimensions"]:
        raise from_search(
            f"vector field is indexed with {field['numDimensions']} dimensions but queried with {len(query)}"
        )
    if not query.any():
        raise from_search("Cosine similarity cannot be calculated against a zero vector.")
    paths = {name for name, one in fields.items() if one["type"] == "filter"}
    judge = condition(given.get("filter", {}), paths)
    keys, matrix = index.vectors()
    if not keys:
        return {}
    lengths = np.linalg.norm(matrix.astype(np.float64), axis=1) * np.linalg.norm(query)
    scores = ((1 + np.round(matrix @ query / lengths, 7)) / 2).astype(np.float32)
    chosen = {
        key: float(score)
        for key, score in zip(keys, scores, strict=True)
        if judge(index.shown[key])
    }
    best = sorted(chosen, key=lambda key: (-chosen[key], hash(key)))[: given["limit"]]
    return {key: chosen[key] for key in best}


def operated(index: Index, given: Document) -> dict[Any, float]:
    """The scores that an operator of `$search` gives to what it finds."""
    ((name, options),) = given.items()
    if name == "compound":
        return compounded(index, options)
    if name in ("text", "phrase"):
        return by_words(index, name, options)
    field = index.fields().get(options.get("path"), {"type": "none"})
    if name == "in":
        known_option(options, {"path", "value"})
        if field["type"] != "token":
            raise from_search(f"Path '{options['path']}' needs to be indexed as token")
        wanted = options["value"] if isinstance(options["value"], list) else [options["value"]]
        if not wanted or len({type(one) for one in wanted}) > 1:
            raise from_search('"value" cannot be empty, and must have elements of the same type')
        return {key: 1.0 for key, one in index.shown.items() if not one["tags"].isdisjoint(wanted)}
    if name == "range":
        known_option(options, {"path"}, {"gt", "gte", "lt", "lte"})
        if field["type"] != "number":
            raise from_search(f"Path '{options['path']}' needs to be indexed as number")
        judge = condition(
            {options["path"]: {f"${way}": value for way, value in options.items() if way != "path"}}
        )
        return {key: 1.0 for key, one in index.shown.items() if judge(one)}
    raise from_search(f'unrecognized operator "{name}"')


def compounded(index: Index, given: Document) -> dict[Any, float]:
    known_option(given, set(), {"must", "mustNot", "should", "filter", "minimumShouldMatch"})
    clauses = {
        name: [operated(index, one) for one in given.get(name, [])]
        for name in ("must", "mustNot", "should", "filter")
    }
    if not any(clauses.values()):
        raise from_search('"compound" must have at least one clause')
    if sum(map(len, clauses.values())) > 1024:
        raise from_search("maxClauseCount is set to 1024")
    least = given.get("minimumShouldMatch", 0)
    if least > len(clauses["should"]):
        raise from_search('"minimumShouldMatch" cannot be greater than number of should clauses')
    required = clauses["must"] + clauses["filter"]
    found = set(index.shown)
    for one in required:
        found &= one.keys()
    for one in clauses["mustNot"]:
        found -= one.keys()
    if clauses["should"] and (least or not required):
        number = Counter(itertools.chain.from_iterable(clauses["should"]))
        found = {key for key in found if number[key] >= max(least, 1)}
    counted = clauses["must"] + clauses["should"]
    return {key: sum(one.get(key, 0.0) for one in counted) for key in found}


def by_words(index: Index, name: str, given: Document) -> dict[Any, float]:
    """BM25 (Robertson and Zaragoza, 2009) as Lucene has it, over words or phrases."""
    more = {"slop", "synonyms"} if name == "phrase" else {"fuzzy", "matchCriteria", "synonyms"}
    known_option(given, {"query", "path"}, more)
    path, queries = (
        given["path"],
        given["query"] if isinstance(given["query"], list) else [given["query"]],
    )
    field = index.fields().get(path)
    if not queries or not all(isinstance(one, str) and one for one in queries):
        raise from_search('"query" cannot be empty')
    if field is None or field["type"] != "string":
        return {}
    if name == "phrase" and field.get("indexOptions", "offsets") not in ("positions", "offsets"):
        raise from_search(
            f"field '{path}' was indexed without position data; cannot run PhraseQuery"
        )
    clauses = [tuple(one.split()) for one in queries]
    if name == "text":
        clauses = [(word,) for word in dict.fromkeys(itertools.chain.from_iterable(clauses))]
    if len(clauses) > 1024:
        raise from_search("maxClauseCount is set to 1024")
    lengths = index.lengths[path]
    average = sum(lengths.values()) / max(1, len(lengths))
    scores: dict[Any, float] = defaultdict(float)
    for words in clauses:
        hits = occurrences(index, path, words)
        idf = math.log(1 + (len(lengths) - len(hits) + 0.5) / (len(hits) + 0.5))
        for key, count in hits.items():
            length = 0.25 + 0.75 * lengths[key] / average
            scores[key] += idf * count * 2.2 / (count + 1.2 * length)
    return {key: float(np.float32(score)) for key, score in scores.items()}


def occurrences(index: Index, path: str, words: Sequence[str]) -> dict[Any, int]:
    """How often words follow each other, by document."""
    first, *rest = (index.postings.get((path, word), {}) for word in words)
    found = {}
    for key, places in first.items():
        others = [set(one.get(key, ())) for one in rest]
        count = sum(
            all(place + n in one for n, one in enumerate(others, start=1)) for place in places
        )
        if count:
            found[key] = count
    return found


def known_option(given: Document, needed: set[str], more: set[str] = frozenset()) -> None:  # type: ignore[assignment]
    if not needed <= given.keys() <= needed | more | {"score"}:
        raise from_search(f"unrecognized or missing fields: {sorted(given)}")


Judge = Callable[[Mapping[str, Any]], bool]


def condition(given: Document, paths: set[str] | None = None, depth: int = 0) -> Judge:
    """MongoDB's query language; with `paths` as `$vectorSearch` takes it, by these paths only."""
    require(depth < 100, 9, "exceeded maximum depth of a query")
    judges: list[Judge] = []
    for name, value in given.items():
        if name in ("$and", "$or"):
            require(isinstance(value, list) and value, 2, f"{name} must be a nonempty array")
            parts = [condition(one, paths, depth + 1) for one in value]
            joined = all if name == "$and" else any
            judges.append(
                lambda one, parts=parts, joined=joined: joined(part(one) for part in parts)
            )  # type: ignore[misc]
            continue
        require(not name.startswith("$"), 2, f"unknown top level operator: {name}")
        if paths is not None and name not in paths:
            raise from_search(f"Path '{name}' needs to be indexed as filter")
        operators = value if isinstance(value, dict) else {"$eq": value}
        judges += [compared(name, *one, searching=paths is not None) for one in operators.items()]
    return lambda one: all(judge(one) for judge in judges)


def compared(name: str, operator: str, wanted: Any, *, searching: bool) -> Judge:
    def values(one: Mapping[str, Any]) -> Any:
        value = one.get(name)
        return value if isinstance(value, (frozenset, list)) else () if value is None else (value,)

    if operator in ("$in", "$nin"):
        require(
            isinstance(wanted, list) and (wanted or not searching), 2, f"{operator} needs an array"
        )
        some = frozenset(wanted)
        if operator == "$in":
            return lambda one: not some.isdisjoint(values(one))
        return lambda one: some.isdisjoint(values(one))
    if operator == "$type" and not searching:
        require(wanted == "string", 2, "no other type is known here")
        return lambda one: any(isinstance(value, str) for value in values(one))
    if operator == "$eq":
        return lambda one: wanted in values(one)
    ways: dict[str, Callable[[Any], bool]] = {
        "$gt": lambda value: order(value) > order(wanted),
        "$gte": lambda value: order(value) >= order(wanted),
        "$lt": lambda value: order(value) < order(wanted),
        "$lte": lambda value: order(value) <= order(wanted),
    }
    require(operator in ways, 2, f"unknown operator: {operator}")
    return lambda one: any(
        isinstance(value, str) == isinstance(wanted, str) and ways[operator](value)
        for value in values(one)
    )


def order(value: Any) -> tuple[int, Any]:
    """The order of BSON: nothing, numbers, strings by their bytes."""
    if value is None:
        return 0, 0
    return (2, value.encode()) if isinstance(value, str) else (1, value)


def grouped(rows: Sequence[Document], given: Document) -> list[Document]:
    ((called, counting),) = ((name, one) for name, one in given.items() if name != "_id")
    require(counting == {"$sum": 1}, 15951, "no other accumulator is known here")
    by = given["_id"]
    field = by[1:] if isinstance(by, str) and by.startswith("$") else None
    counted = Counter(by if field is None else row.get(field) for row in rows)
    return [{"_id": value, called: count} for value, count in counted.items()]


def projected(document: Document, told: Document, given: Document) -> Document:
    made = {"_id": document["_id"]} if given.get("_id", 1) else {}
    for name, value in given.items():
        if isinstance(value, dict):
            known(value, {"$meta"}, code=16420)
            require(
                value["$meta"] in told,
                40218,
                f"query requires {value['$meta']} metadata, but it is not available",
            )
            made[name] = told[value["$meta"]]
        else:
            require(value in (0, 1), 31254, "only inclusions are known here")
            if value and name in document:
                made[name] = document[name]
    return made


def read_vector(value: Any) -> Any:
    """The numbers of a vector: BSON's binary vector of float32, or an array."""
    if isinstance(value, Binary):
        require(value.subtype == 9 and value[:2] == b"\x27\x00", 2, "no vector of float32")
        return np.frombuffer(value, "<f4", offset=2)
    require(isinstance(value, list) and value and all(map(is_number, value)), 2, "no vector")
    return value


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


class Handler(socketserver.BaseRequestHandler):
    """One connection: messages in, messages out (MongoDB wire protocol), the user known by SCRAM-SHA-256 (RFC 7677)."""

    server: Listener

    def setup(self) -> None:
        self._known = False
        self._exchange: Document = {}

    def handle(self) -> None:
        with suppress(OSError, EOFError):
            if self.server.served.tls is not None:
                self.request = self.server.served.tls.wrap_socket(self.request, server_side=True)
            while True:
                length, number, _, kind = struct.unpack("<iiii", self._read(16))
                if not 16 <= length <= _MOST_MESSAGE:
                    return
                data = self._read(length - 16)
                command = read_message(data) if kind == _OP_MSG else read_query(data)
                answer = self._answer(command)
                if answer is None:
                    return
                self._send(number, kind, answer)

    def finish(self) -> None:
        self.request.close()

    def _answer(self, command: Document) -> Document | None:
        name = next(iter(command))
        if name in ("hello", "ismaster", "isMaster"):
            return self._hello(command)
        if name in ("saslStart", "saslContinue"):
            return self._identify(command)
        if not self._known:
            return failure(13, f"Command {name} requires authentication")
        with self.server.served.lock:
            return self.server.served.answer(command)

    def _hello(self, command: Document) -> Document:
        address = f"127.0.0.1:{self.server.served.port}"
        answer: Document = {
            "ismaster": True, "isWritablePrimary": True, "helloOk": True, "secondary": False, "readOnly": False,
            "setName": "rs0", "setVersion": 1, "hosts": [address], "me": address, "primary": address,
            "maxBsonObjectSize": _MOST_BYTES, "maxMessageSizeBytes": _MOST_MESSAGE, "maxWriteBatchSize": _MOST_WRITES,
            "logicalSessionTimeoutMinutes": 30, "minWireVersion": 0, "maxWireVersion": 25, "ok": 1.0,
        }  # fmt: skip
        if "saslSupportedMechs" in command:
            answer["saslSupportedMechs"] = ["SCRAM-SHA-256"]
        if "speculativeAuthenticate" in command:
            answer["speculativeAuthenticate"] = self._identify(command["speculativeAuthenticate"])
        return answer

    def _identify(self, command: Document) -> Document:
        try:
            given = bytes(command["payload"]).decode()
            if "saslStart" in command:
                require(command["mechanism"] == "SCRAM-SHA-256", 334, "unsupported mechanism")
                return self._begin(given)
            return self._prove(given)
        except RefusalError as refusal:
            return failure(refusal.code, str(refusal))

    def _begin(self, given: str) -> Document:
        first = given.removeprefix("n,,")
        fields = dict(one.split("=", 1) for one in first.split(","))
        salt = os.urandom(16)
        said = f"r={fields['r']}{b64encode(os.urandom(12)).decode()},s={b64encode(salt).decode()},i=4096"
        self._exchange = {"user": fields["n"], "salt": salt, "said": f"{first},{said}"}
        return {"conversationId": 1, "done": False, "payload": said.encode(), "ok": 1.0}

    def _prove(self, given: str) -> Document:
        bare, _, proof = given.rpartition(",p=")
        salted = hashlib.pbkdf2_hmac("sha256", PASSWORD.encode(), self._exchange["salt"], 4096)
        key = hmac.digest(salted, b"Client Key", "sha256")
        stored = hashlib.sha256(key).digest()
        said = f"{self._exchange['said']},{bare}".encode()
        signature = hmac.digest(stored, said, "sha256")
        expected = bytes(one ^ other for one, other in zip(key, signature, strict=True))
        right = self._exchange["user"] == USER and hmac.compare_digest(expected, b64decode(proof))
        require(right, 18, "Authentication failed.")
        self._known = True
        final = hmac.digest(hmac.digest(salted, b"Server Key", "sha256"), said, "sha256")
        return {
            "conversationId": 1,
            "done": True,
            "payload": f"v={b64encode(final).decode()}".encode(),
            "ok": 1.0,
        }

    def _read(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            some = self.request.recv(min(1 << 20, size - len(data)))
            if not some:
                raise EOFError
            data += some
        return bytes(data)

    def _send(self, number: int, kind: int, answer: Document) -> None:
        body = bson.encode(answer)
        if kind == _OP_MSG:
            body, code = struct.pack("<IB", 0, 0) + body, _OP_MSG
        else:
            body, code = struct.pack("<iqii", 8, 0, 0, 1) + body, _OP_REPLY
        self.request.sendall(struct.pack("<iiii", 16 + len(body), 0, number, code) + body)


def read_message(data: bytes) -> Document:
    """The command of an OP_MSG, with the sequences of documents that stand beside it."""
    place, command = 4, {}
    while place < len(data):
        kind, place = data[place], place + 1
        (size,) = struct.unpack_from("<i", data, place)
        if kind == 0:
            command |= bson.decode(data[place : place + size])
        else:
            end = data.index(b"\0", place + 4)
            command[data[place + 4 : end].decode()] = bson.decode_all(data[end + 1 : place + size])
        place += size
    # What names the command stands first.
    body = next(iter(name for name in command if name in _KNOWN), None)
    return command if body is None else {body: command[body], **command}


def read_query(data: bytes) -> Document:
    """The command of an OP_QUERY, with which a client introduces itself."""
    place = data.index(b"\0", 4) + 1 + 8
    command: Document = bson.decode(data[place:])
    return command


class Listener(socketserver.ThreadingTCPServer):
    """Listens on the loopback, and has a thread for each connection."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, served: Server) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.served = served


@pytest.fixture
def server() -> Iterator[Server]:
    """A deployment of its own for each test, stopped at its end."""
    served, listener = make_server()
    thread = threading.Thread(target=listener.serve_forever, args=(0.01,), name="server")
    thread.start()
    yield served
    listener.shutdown()
    listener.server_close()
    thread.join()


@pytest.fixture(scope="module")
def process() -> Iterator[Document]:
    """The fields of a configuration that reaches a deployment in a process of its own."""
    command = [sys.executable, __file__]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as started:
        assert started.stdout is not None
        yield json.loads(started.stdout.readline())
        started.communicate()


@pytest.fixture
def swept() -> Iterator[None]:
    """For tests that ignore the warning about it: the SDK drops a socket where it is closed while it connects again."""
    yield
    gc.collect()


@pytest.fixture(autouse=True)
def haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks and attempts follow each other quickly."""
    monkeypatch.setattr("hierdoc_mongodb.connection._FIRST_PAUSE", 0.01)
    monkeypatch.setattr("hierdoc_mongodb.corpus._FIRST_LOOK", 0.001)
    monkeypatch.setattr("pymongo.common.MIN_HEARTBEAT_INTERVAL", 0.01)


def make_server() -> tuple[Server, Listener]:
    """A deployment, and what is to listen for it."""
    served = Server()
    listener = Listener(served)
    served.port = listener.server_address[1]
    url = f"mongodb://127.0.0.1:{served.port}/?directConnection=true"
    served.fields = {"url": url, "username": USER, "password": PASSWORD}
    return served, listener


if __name__ == "__main__":  # until nobody reads what it says any more
    served, listener = make_server()
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    print(json.dumps(served.fields), flush=True)
    sys.stdin.read()
