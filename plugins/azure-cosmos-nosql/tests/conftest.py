"""A stand-in for Azure Cosmos DB on the loopback: it takes what its public REST reference documents, and nothing else.

Requests must be signed; containers, items, transactional batches and queries are checked against the reference and the published limits. Queries are parsed here, in
the part of the language that the plugin's are in. As the service does, it leaves it to the SDK to merge what two ranges of partitions give: for queries that
order, fuse or drop repetitions it gives plans, whose rewritten queries are its own.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import math
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest

KEY = base64.b64encode(b"one of the tests").decode()

_RANGES = {"0": ("", "80"), "1": ("80", "FF")}
_LARGEST = 2_097_152
_PLAN = "PLAN:"


class RefusalError(Exception):
    """An answer with a status of failure."""

    def __init__(self, status: int, reason: str, substatus: int = 0) -> None:
        super().__init__(reason)
        self.status, self.substatus = status, substatus


@dataclass
class Container:
    """A container: its definition, and its items by partition and id, in the order of their creation."""

    definition: Any
    items: dict[tuple[str, str], Any] = field(default_factory=dict)
    created: int = 0

    def put(self, partition: str, item: Any) -> int:
        key = partition, item["id"]
        before = self.items.get(key)
        self.created += before is None
        rid = before["_rid"] if before else f"{self.created:08d}"
        self.items[key] = {**item, "_rid": rid}
        return 200 if before else 201


class Server:
    """The account: its databases, how it is to fail, and what it was asked.

    Attributes:
        url: Where it listens.
        fields: Of a configuration that reaches it.
        requests: Method, path and JSON body of every request.
        failures: What to answer to the next requests whose `METHOD path` matches: pattern, status, headers, body.
        refused: Items whose JSON holds this word are refused.
    """

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, Any]] = []
        self.failures: list[tuple[str, int, dict[str, str], str]] = []
        self.refused = ""
        self.url = ""
        self.base = ""
        self.fields: dict[str, Any] = {}
        self.lock = threading.Lock()
        self.databases: dict[str, dict[str, Container]] = {}

    def asked(self, pattern: str) -> list[Any]:
        """The bodies of the requests whose `METHOD path` matches."""
        return [
            body
            for method, path, body in self.requests
            if re.fullmatch(pattern, f"{method} {path}")
        ]

    def queries(self) -> list[str]:
        """The texts of the queries, but for those that the service itself made up."""
        texts = [
            body["query"]
            for body in self.asked("POST .*/docs")
            if isinstance(body, dict) and "query" in body
        ]
        return [one for one in texts if not one.startswith(_PLAN)]

    def answer(
        self, method: str, target: str, headers: Mapping[str, str], data: bytes
    ) -> tuple[int, dict[str, str], str]:
        """Status, headers and body for a request."""
        path = unquote(urlsplit(target).path).rstrip("/")
        body = json.loads(data) if data else None
        self.requests.append((method, path, body))
        for number, (pattern, status, extra, text) in enumerate(self.failures):
            if re.fullmatch(pattern, f"{method} {path}"):
                del self.failures[number]
                return status, extra, text
        try:
            self._authorize(method, path, headers)
            if len(data) > _LARGEST:
                raise RefusalError(413, "Request size is too large")
            status, result, extra = self._route(method, path, headers, body)
        except RefusalError as refusal:
            told = {"code": str(refusal.status), "message": str(refusal)}
            return refusal.status, {"x-ms-substatus": str(refusal.substatus)}, json.dumps(told)
        return (
            status,
            {"x-ms-session-token": "0:-1#1", "x-ms-request-charge": "1", **extra},
            json.dumps(result),
        )

    def _authorize(self, method: str, path: str, headers: Mapping[str, str]) -> None:
        parts = path.strip("/").split("/") if path else []
        kind = parts[-1] if len(parts) % 2 else (parts[-2] if parts else "")
        link = "/".join(parts[:-1] if len(parts) % 2 else parts)
        date = headers.get("x-ms-date", "")
        text = f"{method.lower()}\n{kind}\n{link}\n{date.lower()}\n\n"
        digest = hmac.new(base64.b64decode(KEY), text.encode(), hashlib.sha256).digest()
        wanted = f"type=master&ver=1.0&sig={base64.b64encode(digest).decode()}"
        if unquote(headers.get("authorization", "")) != wanted:
            raise RefusalError(401, "The input authorization token can't serve the request.")

    def _route(
        self, method: str, path: str, headers: Mapping[str, str], body: Any
    ) -> tuple[int, Any, dict[str, str]]:
        if not path:
            place = {"name": "Test", "databaseAccountEndpoint": self.base or self.url}
            return 200, {
                "id": "test", "_rid": "test", "writableLocations": [place], "readableLocations": [place],
                "enableMultipleWriteLocations": False, "userConsistencyPolicy": {"defaultConsistencyLevel": "Session"},
            }, {}  # fmt: skip
        if path == "/dbs" and method == "POST":
            if body["id"] in self.databases:
                raise RefusalError(409, "it exists")
            self.databases[body["id"]] = {}
            return 201, {"id": body["id"], "_rid": body["id"]}, {}
        found = re.fullmatch(
            r"/dbs/([^/]+)(?:/colls(?:/([^/]+)(/pkranges|/docs(?:/([^/]+))?)?)?)?", path
        )
        if not found or found[1] not in self.databases:
            raise RefusalError(404, "Resource Not Found")
        containers = self.databases[found[1]]
        if not found[2]:
            if method == "GET":
                return 200, {"id": found[1], "_rid": found[1]}, {}
            return 201, self._create(containers, body), {}
        if found[2] not in containers:
            raise RefusalError(404, "Owner resource does not exist", 1003 if found[3] else 0)
        container = containers[found[2]]
        if not found[3]:
            if method == "DELETE":
                del containers[found[2]]
                return 204, None, {}
            return 200, container.definition, {}
        if found[3] == "/pkranges" and headers.get("if-none-match") == '"1"':
            return 304, None, {"etag": '"1"'}
        if found[3] == "/pkranges":
            rows = [
                {"id": one, "minInclusive": low, "maxExclusive": high, "parents": []}
                for one, (low, high) in _RANGES.items()
            ]
            return 200, {"PartitionKeyRanges": rows, "_count": 2}, {"etag": '"1"'}
        if found[4]:
            return self._item(container, method, headers, found[4])
        if headers.get("x-ms-cosmos-is-batch-request", "").lower() == "true":
            return self._batch(container, headers, body)
        if headers.get("x-ms-cosmos-is-query-plan-request", "").lower() == "true":
            return 200, plan(container, body["query"], headers), {}
        if headers.get("x-ms-documentdb-isquery", "").lower() == "true":
            return self._query(container, headers, body)
        if headers.get("x-ms-documentdb-is-upsert", "").lower() != "true":
            raise RefusalError(400, "items are upserted")
        partition = key_of(headers)
        status = self._put(container, partition, body)
        return status, container.items[partition, body["id"]], {}

    def _create(self, containers: dict[str, Container], body: Any) -> Any:
        known = {"id", "partitionKey", "indexingPolicy", "vectorEmbeddingPolicy", "fullTextPolicy"}
        if not body.keys() <= known or body["partitionKey"]["paths"] != ["/document"]:
            raise RefusalError(400, f"unknown properties: {sorted(body)}")
        if body["id"] in containers:
            raise RefusalError(409, "it exists")
        policy = body["indexingPolicy"]
        (vectors,) = body["vectorEmbeddingPolicy"]["vectorEmbeddings"]
        (index,) = policy["vectorIndexes"]
        most = {"flat": 505, "quantizedFlat": 4096, "diskANN": 4096}[index["type"]]
        if index["path"] != vectors["path"] or not 1 <= vectors["dimensions"] <= most:
            raise RefusalError(400, "vector policy")
        if vectors["distanceFunction"] not in ("cosine", "dotproduct", "euclidean"):
            raise RefusalError(400, "distance function")
        texts = {one["path"] for one in body["fullTextPolicy"]["fullTextPaths"]}
        if {one["path"] for one in policy["fullTextIndexes"]} != texts:
            raise RefusalError(400, "full text policy")
        containers[body["id"]] = Container({**body, "_rid": f"rid-{body['id']}", "_self": "x"})
        return containers[body["id"]].definition

    def _item(
        self, container: Container, method: str, headers: Mapping[str, str], name: str
    ) -> tuple[int, Any, dict[str, str]]:
        key = key_of(headers), name
        if key not in container.items:
            raise RefusalError(404, "Resource Not Found")
        if method == "DELETE":
            del container.items[key]
            return 204, None, {}
        return 200, container.items[key], {}

    def _put(self, container: Container, partition: str, item: Any) -> int:
        text = json.dumps(item)
        if not isinstance(item.get("id"), str) or not 1 <= len(item["id"].encode()) <= 1023:
            raise RefusalError(400, "invalid id")
        if item["document"] != partition:
            raise RefusalError(
                400,
                "PartitionKey extracted from document doesn't match the one specified in the header",
                1001,
            )
        if len(text.encode()) > _LARGEST:
            raise RefusalError(413, "Request size is too large")
        if self.refused and self.refused in text:
            raise RefusalError(400, "refused by the test")
        return container.put(partition, item)

    def _batch(
        self, container: Container, headers: Mapping[str, str], body: Any
    ) -> tuple[int, Any, dict[str, str]]:
        if not 1 <= len(body) <= 100:
            raise RefusalError(400, "Batch request has more operations than what is supported.")
        partition = key_of(headers)
        before = dict(container.items)
        results: list[dict[str, Any]] = []
        for number, one in enumerate(body):
            try:
                if one["operationType"] == "Upsert":
                    status = self._put(container, partition, one["resourceBody"])
                elif one["operationType"] == "Delete":
                    if container.items.pop((partition, one["id"]), None) is None:
                        raise RefusalError(404, "Resource Not Found")
                    status = 204
                else:
                    raise RefusalError(400, f"unknown operation {one['operationType']}")
                results.append({"statusCode": status, "requestCharge": 1})
            except RefusalError as refusal:
                container.items = before
                failed = [{"statusCode": 424, "requestCharge": 0}] * len(body)
                failed[number] = {
                    "statusCode": refusal.status,
                    "requestCharge": 0,
                    "message": str(refusal),
                }
                return 207, failed, {}
        return 200, results, {}

    def _query(
        self, container: Container, headers: Mapping[str, str], body: Any
    ) -> tuple[int, Any, dict[str, str]]:
        text = body["query"]
        chosen = headers.get("x-ms-documentdb-partitionkeyrangeid")
        partition = key_of(headers) if "x-ms-documentdb-partitionkey" in headers else None
        items = [
            one
            for key, one in container.items.items()
            if (partition is None or key[0] == partition)
            and (chosen is None or range_of(key[0]) == chosen)
        ]
        if text.startswith(_PLAN):
            if chosen is None:
                raise RefusalError(400, "a rewritten query is asked of a range")
            rows = rewritten(json.loads(text.removeprefix(_PLAN)), container, items)
            return 200, {"_rid": "x", "Documents": rows, "_count": len(rows)}, {}
        query = parse(text, container)
        if query.needs_plan and chosen is None:
            raise RefusalError(
                400, "Cross partition query can not be directly served by the gateway.", 1004
            )
        rows = sorted((one for one in items if query.where(one)), key=lambda one: one["_rid"])
        after = headers.get("x-ms-continuation")
        rows = [one for one in rows if not after or one["_rid"] > after]
        size = max(1, int(headers.get("x-ms-max-item-count") or 1000))
        size = 1000 if size < 1 else min(size, 1000)
        page, rest = rows[:size], rows[size:]
        extra = {"x-ms-continuation": page[-1]["_rid"]} if rest else {}
        shown = [one for one in map(query.select, page) if one is not _NOTHING]
        return 200, {"_rid": "x", "Documents": shown[: query.top], "_count": len(shown)}, extra


def key_of(headers: Mapping[str, str]) -> str:
    (key,) = json.loads(headers["x-ms-documentdb-partitionkey"])
    return str(key)


def range_of(partition: str) -> str:
    return "0" if hashlib.md5(partition.encode()).digest()[0] < 128 else "1"


def plan(container: Container, text: str, headers: Mapping[str, str]) -> Any:
    """How the SDK is to ask a query of all ranges."""
    query = parse(text, container)
    features = headers.get("x-ms-cosmos-supported-query-features", "")
    ranges = [{"min": "", "max": "FF", "isMinInclusive": True, "isMaxInclusive": False}]
    info: dict[str, Any] = {
        "distinctType": "Unordered" if query.distinct else "None", "top": query.top, "offset": None, "limit": None,
        "orderBy": [], "orderByExpressions": [], "groupByExpressions": [], "groupByAliases": [], "aggregates": [],
        "groupByAliasToAggregateType": {}, "rewrittenQuery": "", "hasSelectValue": query.is_value, "hasNonStreamingOrderBy": False,
    }  # fmt: skip
    whole = {"partitionedQueryExecutionInfoVersion": 2, "queryInfo": info, "queryRanges": ranges}
    if query.rank:
        if "HybridSearch" not in features or (
            query.weights and "WeightedRankFusion" not in features
        ):
            raise RefusalError(400, "the client is too old for this query")
        if query.top is None:
            raise RefusalError(400, "ORDER BY RANK needs TOP")
        components = [
            {
                **info, "orderBy": ["Descending"], "orderByExpressions": ["x"], "hasNonStreamingOrderBy": True,
                "rewrittenQuery": _PLAN + json.dumps([text, number]),
            }
            for number in range(len(query.rank))
        ]  # fmt: skip
        return {
            **whole, "queryInfo": None,
            "hybridSearchQueryInfo": {
                "globalStatisticsQuery": _PLAN + json.dumps([text, "statistics"]), "componentQueryInfos": components,
                "componentWeights": query.weights, "skip": None, "take": query.top, "requiresGlobalStatistics": query.has_text,
            },
        }  # fmt: skip
    if query.order:
        info["orderBy"] = ["Ascending" if query.order_up else "Descending"] * len(query.order)
        info["orderByExpressions"] = ["x"] * len(query.order)
        info["hasNonStreamingOrderBy"] = not query.order_up
        info["rewrittenQuery"] = _PLAN + json.dumps([text, "ordered"])
    return whole


def rewritten(asked: list[Any], container: Container, items: list[Any]) -> list[Any]:
    """What a range gives for one of the queries of a plan."""
    text, part = asked
    query = parse(text, container)
    chosen = [one for one in items if query.where(one)]
    if part == "statistics":
        texts = [one for one in items if "words" in one]
        hits = [sum(term in one["words"].split() for one in texts) for term in query.terms]
        total = sum(len(one["words"].split()) for one in texts)
        return [
            {
                "documentCount": len(texts),
                "fullTextStatistics": [{"totalWordCount": total, "hitCounts": hits}],
            }
        ]
    if part == "ordered":
        rows = [
            {
                "_rid": one["_rid"],
                "orderByItems": [{"item": by(one)} for by in query.order],
                "payload": query.select(one),
            }
            for one in chosen
        ]
        rows.sort(
            key=lambda row: [item["item"] for item in row["orderByItems"]],
            reverse=not query.order_up,
        )
        return rows[: query.top]
    statistics = Counter(
        term for one in container.items.values() for term in set(one.get("words", "").split())
    )
    count = sum("words" in one for one in container.items.values())
    rows = [
        {
            "_rid": one["_rid"],
            "payload": {
                "componentScores": [score(one, statistics, count) for score in query.rank],
                "payload": query.select(one),
            },
        }
        for one in chosen
    ]
    rows.sort(key=lambda row: -row["payload"]["componentScores"][part])
    return rows[: max(query.top or 0, 100)]


_NOTHING: Any = object()
_TOKEN = re.compile(
    r'\s*("[^"\\]*"|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[A-Za-z_]+(?:\.[A-Za-z_]+)*|[(),\[\]=])'
)


class Query:
    """A query that was parsed.

    Attributes:
        select: What is shown of an item.
        where: Whether it is chosen.
        order: What items are ordered by, from the smallest or, of similarities, from the largest.
        rank: The scores that are fused.
    """

    def __init__(self, text: str, container: Container) -> None:
        if len(text.encode()) > 524_288:
            raise RefusalError(400, "The SQL query text exceeded the maximum limit")
        self._dimensions = container.definition["vectorEmbeddingPolicy"]["vectorEmbeddings"][0][
            "dimensions"
        ]
        self._tokens: list[str] = []
        place = 0
        while place < len(text.rstrip()):
            token = _TOKEN.match(text, place)
            if not token:
                raise RefusalError(400, f"Syntax error at {text[place : place + 20]!r}")
            self._tokens.append(token[1])
            place = token.end()
        self._at = 0
        self.top: int | None = None
        self.order: list[Callable[[Any], Any]] = []
        self.rank: list[Callable[[Any, Any, int], float]] = []
        self.weights: list[float] = []
        self.terms: list[str] = []
        self.order_up, self.has_text = True, False
        self._take("SELECT")
        self.distinct = self._has("DISTINCT")
        if self._has("TOP"):
            self.top = int(self._next())
        self.is_value = self._has("VALUE")
        self.select = self._columns()
        self._take("FROM")
        self._take("c")
        self.where: Callable[[Any], bool] = (
            self._either() if self._has("WHERE") else lambda one: True
        )
        if self._has("ORDER"):
            self._take("BY")
            self._order()
        if self._at != len(self._tokens):
            raise RefusalError(400, f"Syntax error at {self._tokens[self._at]!r}")

    @property
    def needs_plan(self) -> bool:
        return bool(self.order or self.rank or self.distinct)

    def _order(self) -> None:
        if not self._has("RANK"):
            self.order = [self._value()]
            while self._has(","):
                self.order.append(self._value())
            return
        if self._has("RRF"):
            self._take("(")
            self.rank.append(self._score())
            while self._has(","):
                if self._peek() == "[":
                    self.weights = self._numbers()
                else:
                    self.rank.append(self._score())
            self._take(")")
            if len(self.rank) < 2 or (self.weights and len(self.weights) != len(self.rank)):
                raise RefusalError(400, "RRF takes two scores and as many weights")
        else:
            self.rank.append(self._score())

    def _score(self) -> Callable[[Any, Any, int], float]:
        if self._peek() == "VectorDistance":
            value = self._value()
            return lambda one, statistics, count: value(one)
        self._take("FullTextScore")
        self._take("(")
        self._take("c.words")
        terms = []
        while self._has(","):
            terms.append(self._string())
        self._take(")")
        if not terms:
            raise RefusalError(400, "FullTextScore needs a term")
        self.has_text, self.terms = True, terms

        def score(one: Any, statistics: Any, count: int) -> float:
            words = Counter(one.get("words", "").split())
            return sum(
                math.log(1 + (count - statistics[term] + 0.5) / (statistics[term] + 0.5))
                * words[term]
                * 2.2
                / (words[term] + 1.2)
                for term in terms
            )

        return score

    def _columns(self) -> Callable[[Any], Any]:
        if self.is_value:
            return self._value()
        columns: dict[str, Callable[[Any], Any]] = {}
        while True:
            name = self._peek().rpartition(".")[2]
            value = self._value()
            columns[self._next() if self._has("AS") else name] = value
            if not self._has(","):
                break

        def select(one: Any) -> Any:
            shown = {name: value(one) for name, value in columns.items()}
            return {name: value for name, value in shown.items() if value is not _NOTHING}

        return select

    def _value(self) -> Callable[[Any], Any]:
        token = self._next()
        if token == "VectorDistance":
            self._take("(")
            self._take("c.vector")
            self._take(",")
            vector = np.array(self._numbers(), np.float32)
            self._take(")")
            if len(vector) != self._dimensions:
                raise RefusalError(400, "the vector has other dimensions than the policy says")
            self.order_up = False
            return lambda one: float(np.array(one["vector"], np.float32) @ vector)
        if not token.startswith("c."):
            raise RefusalError(400, f"Syntax error at {token!r}")
        name = token[2:]
        return lambda one: one.get(name, _NOTHING)

    def _either(self) -> Callable[[Any], bool]:
        parts = [self._both()]
        while self._has("OR"):
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else lambda one: any(part(one) for part in parts)

    def _both(self) -> Callable[[Any], bool]:
        parts = [self._one()]
        while self._has("AND"):
            parts.append(self._one())
        return parts[0] if len(parts) == 1 else lambda one: all(part(one) for part in parts)

    def _one(self) -> Callable[[Any], bool]:
        token = self._next()
        if token == "NOT":
            negated = self._one()
            return lambda one: not negated(one)
        if token == "(":
            inner = self._either()
            self._take(")")
            return inner
        if token in ("true", "false"):
            return lambda one: token == "true"
        if token == "IS_DEFINED":
            self._take("(")
            name = self._next().removeprefix("c.")
            self._take(")")
            return lambda one: name in one
        if token == "ARRAY_CONTAINS":
            self._take("(")
            name = self._next().removeprefix("c.")
            self._take(",")
            wanted = self._string()
            self._take(")")
            return lambda one: wanted in one.get(name, ())
        if token == "FullTextContainsAny":
            self._take("(")
            self._take("c.words")
            terms = set()
            while self._has(","):
                terms.add(self._string())
            self._take(")")
            return lambda one: bool(terms & set(one.get("words", "").split()))
        if token == "EXISTS":
            for expected in (
                "(",
                "SELECT",
                "VALUE",
                "t",
                "FROM",
                "t",
                "IN",
                "c.tags",
                "WHERE",
                "t",
                "IN",
            ):
                self._take(expected)
            values = self._list()
            self._take(")")
            return lambda one: bool(values & set(one.get("tags", ())))
        if token.startswith("c.") and self._has("IN"):
            values = self._list()
            return lambda one: one.get(token[2:]) in values
        raise RefusalError(400, f"Syntax error at {token!r}")

    def _list(self) -> set[str]:
        self._take("(")
        values = {self._string()}
        while self._has(","):
            values.add(self._string())
        self._take(")")
        return values

    def _numbers(self) -> list[float]:
        self._take("[")
        numbers = [float(self._next())]
        while self._has(","):
            numbers.append(float(self._next()))
        self._take("]")
        return numbers

    def _string(self) -> str:
        token = self._next()
        if not token.startswith('"'):
            raise RefusalError(400, f"a string, not {token!r}")
        return token[1:-1]

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        self._at += 1
        return token

    def _has(self, token: str) -> bool:
        if self._peek() != token:
            return False
        self._at += 1
        return True

    def _take(self, token: str) -> None:
        if not self._has(token):
            raise RefusalError(400, f"Syntax error: {token!r} expected, not {self._peek()!r}")


def parse(text: str, container: Container) -> Query:
    return Query(text, container)


@pytest.fixture
def server() -> Iterator[Server]:
    """An account of its own for each test, stopped at its end."""
    served = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def serve(self) -> None:
            data = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            with served.lock:
                status, extra, body = served.answer(self.command, self.path, headers, data)
            encoded = b"" if status in (204, 304) else body.encode()
            self.send_response(status)
            for name, value in {"content-type": "application/json", **extra}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(encoded)))
            self.end_headers()
            self.wfile.write(encoded)

        do_GET = do_POST = do_DELETE = serve  # noqa: N815 - the library's names

        def log_message(self, format: str, *arguments: Any) -> None:
            """Say nothing."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    http.block_on_close = False
    thread = threading.Thread(target=http.serve_forever, args=(0.01,), name="server")
    thread.start()
    served.url = f"http://127.0.0.1:{http.server_port}"
    served.fields = {"url": served.url, "api_key": KEY}
    yield served
    http.shutdown()
    http.server_close()
    thread.join()
