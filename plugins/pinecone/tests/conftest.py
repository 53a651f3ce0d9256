"""A stand-in for Pinecone on the loopback: it takes what its public API reference documents, and nothing else.

It is eventual, as the service is: of each kind, queries and lists of ids, the first answer after a write does not show it yet, and
writes show in their order. It speaks the versions 2025-04 and 2026-07 of the API, which the first and the
last of the SDKs that we take ask for.
"""

from __future__ import annotations

import json
import math
import re
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

KEY = "one-of-the-tests"
LAGS = {"query": 2, "list": 2}


class RefusalError(Exception):
    """An answer with a status of failure."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Namespace:
    """A log of writes, and what each kind of answer shows of it."""

    def __init__(self) -> None:
        self.log: list[tuple[str, Any]] = []
        self._shown: dict[str, dict[str, Any]] = {kind: {} for kind in LAGS}
        self._position = dict.fromkeys(LAGS, 0)
        self._waited = dict.fromkeys(LAGS, 0)
        self._matrix: tuple[list[str], Any] | None = None

    def shown(self, kind: str) -> dict[str, Any]:
        """The vectors by id, as far as answers of this kind show them yet."""
        if self._position[kind] < len(self.log):
            self._waited[kind] += 1
            if self._waited[kind] >= LAGS[kind]:
                self._waited[kind] = 0
                self._catch_up(kind)
        return self._shown[kind]

    def matrix(self) -> tuple[list[str], Any]:
        """Ids and vectors of length 1, as queries show them."""
        if self._matrix is None:
            held = self._shown["query"]
            vectors = np.array([one["values"] for one in held.values()], np.float64)
            vectors = (
                vectors / np.linalg.norm(vectors, axis=1, keepdims=True) if len(held) else vectors
            )
            self._matrix = list(held), vectors
        return self._matrix

    def _catch_up(self, kind: str) -> None:
        held = self._shown[kind]
        for what, given in self.log[self._position[kind] :]:
            if what == "upsert":
                held |= {one["id"]: one for one in given}
            elif what == "clear":
                held.clear()
            else:
                for one in given:
                    held.pop(one, None)
        self._position[kind] = len(self.log)
        if kind == "query":
            self._matrix = None


class Index:
    def __init__(self, name: str, dimension: int, place: Mapping[str, str]) -> None:
        self.name = name
        self.dimension = dimension
        self.place = dict(place)
        self.asked = 0
        self.namespaces: dict[str, Namespace] = {}

    @property
    def ready(self) -> bool:
        """It takes a while."""
        return self.asked > 2


class Server:
    """The service: its indexes, how it is to fail, and what it was asked.

    Attributes:
        url: Where it listens.
        base: What the hosts of indexes begin with.
        requests: Method, path and JSON body of every request.
        failures: What to answer to the next requests whose `METHOD path` matches: pattern, status, headers, body.
        refused: Vectors whose metadata holds this word are refused, and all others of their request with them.
        hidden: Nothing that is written from now on is ever shown.
    """

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, Any]] = []
        self.failures: list[tuple[str, int, dict[str, str], str]] = []
        self.refused: str | None = None
        self.url = self.base = ""
        self.hidden = False
        self.lock = threading.Lock()
        self.indexes: dict[str, Index] = {}

    def asked(self, pattern: str) -> list[Any]:
        """The bodies of the requests whose `METHOD path` matches."""
        return [
            body
            for method, path, body in self.requests
            if re.fullmatch(pattern, f"{method} {path}")
        ]

    def answer(
        self, method: str, target: str, headers: Mapping[str, str], data: bytes
    ) -> tuple[int, dict[str, str], str]:
        """Status, headers and body for a request."""
        parts = urlsplit(target)
        try:
            body = json.loads(data) if data else None
        except ValueError:
            return 400, {}, json.dumps({"code": 3, "message": "not JSON", "details": []})
        self.requests.append((method, parts.path, body))
        for number, (pattern, status, extra, text) in enumerate(self.failures):
            if re.fullmatch(pattern, f"{method} {parts.path}"):
                del self.failures[number]
                return status, extra, text
        try:
            if headers.get("api-key") != KEY:
                raise RefusalError(401, "Invalid API Key")
            version = headers.get("x-pinecone-api-version", "")
            if version not in ("2025-04", "2025-10", "2026-01", "2026-04", "2026-07"):
                raise RefusalError(400, f"unknown API version {version!r}")
            if len(data) > 2_000_000:
                raise RefusalError(413, "Request size exceeds the limit of 2MB")
            status, result = self._route(method, parts.path, parse_qs(parts.query), body, version)
        except RefusalError as refusal:
            told = {"code": 3, "message": str(refusal), "details": []}
            if parts.path.startswith("/indexes"):
                told = {
                    "status": refusal.status,
                    "error": {"code": "REFUSED", "message": str(refusal)},
                }
            return refusal.status, {}, json.dumps(told)
        return status, {}, "" if result is None else json.dumps(result)

    def _route(
        self, method: str, path: str, query: dict[str, list[str]], body: Any, version: str
    ) -> tuple[int, Any]:
        if path == "/indexes" and method == "GET":
            return 200, {
                "indexes": [self._described(one, version) for one in self.indexes.values()]
            }
        if path == "/indexes" and method == "POST":
            return 201, self._create(body, version)
        found = re.fullmatch(r"/index/([^/]+)(/.*)", path)
        if not found or found[1] not in self.indexes or not self.indexes[found[1]].ready:
            raise RefusalError(404, f"no such resource: {method} {path}")
        index = self.indexes[found[1]]
        handlers = {
            ("POST", "/vectors/upsert"): lambda: self._upsert(index, body),
            ("POST", "/vectors/delete"): lambda: self._delete(index, body),
            ("POST", "/query"): lambda: self._query(index, body),
            ("GET", "/vectors/list"): lambda: self._list(index, query),
        }
        if (method, found[2]) not in handlers:
            raise RefusalError(404, f"not documented: {method} {found[2]}")
        return 200, handlers[method, found[2]]()

    def _create(self, body: Any, version: str) -> Any:
        if version == "2026-07":
            known(
                body,
                {"name", "schema", "deployment"},
                {"tags", "deletion_protection", "read_capacity"},
            )
            known(body["schema"], {"fields"})
            known(body["schema"]["fields"], {"_values"})
            vectors = body["schema"]["fields"]["_values"]
            known(vectors, {"type", "dimension", "metric"})
            place = dict(body["deployment"])
            if place.pop("deployment_type") != "managed" or vectors["type"] != "dense_vector":
                raise RefusalError(400, "no such deployment or field")
        else:
            known(
                body,
                {"name", "dimension", "metric", "spec"},
                {"tags", "deletion_protection", "vector_type"},
            )
            known(body["spec"], {"serverless"})
            place, vectors = body["spec"]["serverless"], body
        known(place, {"cloud", "region"})
        name, dimension = body["name"], vectors["dimension"]
        if not re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,43}[a-z0-9])?", name):
            raise RefusalError(400, f"invalid name {name!r}")
        if not 1 <= dimension <= 20_000 or vectors["metric"] not in (
            "cosine",
            "dotproduct",
            "euclidean",
        ):
            raise RefusalError(400, "invalid dimension or metric")
        if name in self.indexes:
            raise RefusalError(409, f"Resource {name} already exists")
        self.indexes[name] = Index(name, dimension, place)
        return self._described(self.indexes[name], version)

    def _described(self, index: Index, version: str) -> Any:
        index.asked += 1
        told = {
            "name": index.name,
            "host": f"{self.base}/index/{index.name}",
            "status": {"ready": index.ready, "state": "Ready" if index.ready else "Initializing"},
            "deletion_protection": "disabled",
        }
        if version == "2026-07":
            field = {"type": "dense_vector", "dimension": index.dimension, "metric": "cosine"}
            place = {"deployment_type": "managed", **index.place, "environment": "stand-in"}
            return {
                **told,
                "tags": None,
                "schema": {"fields": {"_values": field}},
                "deployment": place,
            }
        more = {
            "dimension": index.dimension,
            "metric": "cosine",
            "vector_type": "dense",
            "tags": {},
        }
        return {**told, **more, "spec": {"serverless": index.place}}

    def _upsert(self, index: Index, body: Any) -> Any:
        known(body, {"vectors", "namespace"})
        vectors = body["vectors"]
        if not 1 <= len(vectors) <= 1000:
            raise RefusalError(400, f"{len(vectors)} vectors in a request")
        for one in vectors:
            require_vector(one, index.dimension)
            if self.refused and self.refused in json.dumps(one["metadata"]):
                raise RefusalError(400, "refused by the test")
        self._namespace(index, body["namespace"], make=True).log.append(("upsert", vectors))
        return {"upsertedCount": len(vectors)}

    def _delete(self, index: Index, body: Any) -> Any:
        known(body, {"namespace"}, {"ids", "deleteAll", "filter"})
        if "filter" in body:
            raise RefusalError(
                400,
                "Serverless and Starter indexes do not support deleting with metadata filtering",
            )
        if ("ids" in body) == bool(body.get("deleteAll")):
            raise RefusalError(400, "either ids or deleteAll")
        if body["namespace"] not in index.namespaces:
            raise RefusalError(404, "Namespace not found")
        log = self._namespace(index, body["namespace"]).log
        if "ids" not in body:
            log.append(("clear", None))
            return {}
        if not 1 <= len(body["ids"]) <= 1000:
            raise RefusalError(400, f"{len(body['ids'])} ids in a request")
        log.append(("delete", body["ids"]))
        return {}

    def _query(self, index: Index, body: Any) -> Any:
        known(body, {"topK", "vector", "namespace", "filter"}, {"includeValues", "includeMetadata"})
        require_values(body["vector"], index.dimension)
        if not 1 <= body["topK"] <= 10_000:
            raise RefusalError(400, f"topK {body['topK']}")
        judge = judged(body["filter"])
        space = self._namespace(index, body["namespace"])
        held = {} if self.hidden else space.shown("query")
        query = np.array(body["vector"], np.float64)
        query /= np.linalg.norm(query)
        ids, vectors = ([], None) if self.hidden else space.matrix()
        scores = vectors @ query if len(ids) else np.zeros(0)
        matches: list[Any] = []
        for place in np.argsort(-scores, kind="stable"):
            one = held[ids[place]]
            if not judge(one["metadata"]):
                continue
            match = {
                "id": one["id"],
                "score": float(np.float32(round(scores[place], 7))),
                "values": [],
            }
            if body.get("includeValues"):
                match["values"] = one["values"]
            if body.get("includeMetadata"):
                match["metadata"] = one["metadata"]
            matches.append(match)
            if len(matches) == body["topK"]:
                break
        answer = {"matches": matches, "namespace": body["namespace"], "usage": {"readUnits": 1}}
        if len(json.dumps(answer, ensure_ascii=False).encode("utf-8", "surrogatepass")) > 4_194_304:
            raise RefusalError(400, "the result exceeds the limit of 4MB")
        return answer

    def _list(self, index: Index, query: dict[str, list[str]]) -> Any:
        known(query, {"namespace"}, {"prefix", "limit", "paginationToken"})
        asked = {name: values[0] for name, values in query.items()}
        limit = int(asked.get("limit", 100))
        if not 1 <= limit <= 100:
            raise RefusalError(400, f"limit {limit}")
        held = {} if self.hidden else self._namespace(index, asked["namespace"]).shown("list")
        prefix, after = asked.get("prefix", ""), asked.get("paginationToken", "")
        ids = sorted(one for one in held if one.startswith(prefix) and one > after)
        answer: dict[str, Any] = {
            "vectors": [{"id": one} for one in ids[:limit]],
            "namespace": asked["namespace"],
            "usage": {"readUnits": 1},
        }
        if len(ids) > limit:
            answer["pagination"] = {"next": ids[limit - 1]}
        return answer

    def _namespace(self, index: Index, name: str, *, make: bool = False) -> Namespace:
        if len(name) > 512:
            raise RefusalError(400, "namespace too long")
        if make:
            return index.namespaces.setdefault(name, Namespace())
        return index.namespaces.get(name, Namespace())


def known(body: Any, needed: set[str], more: set[str] = frozenset()) -> None:  # type: ignore[assignment]
    if not isinstance(body, dict) or not needed <= body.keys() <= needed | more:
        raise RefusalError(400, f"unknown or missing fields: {sorted(body)}")


def require_vector(one: Any, dimension: int) -> None:
    known(one, {"id", "values", "metadata"})
    if not (1 <= len(one["id"]) <= 512 and one["id"].isascii()):
        raise RefusalError(400, f"invalid id {one['id']!r}")
    require_values(one["values"], dimension)
    if (
        len(json.dumps(one["metadata"], ensure_ascii=False).encode("utf-8", "surrogatepass"))
        > 40_960
    ):
        raise RefusalError(400, "Metadata size exceeds the limit of 40960 bytes per vector")
    for name, value in one["metadata"].items():
        texts = isinstance(value, list) and all(isinstance(part, str) for part in value)
        if name.startswith("$") or not (texts or isinstance(value, (str, int, float, bool))):
            raise RefusalError(400, f"invalid metadata {name!r}")
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str):
                require_text(text)


def require_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise RefusalError(400, "invalid UTF-8") from error


def require_values(values: Any, dimension: int) -> None:
    if len(values) != dimension:
        raise RefusalError(
            400,
            f"Vector dimension {len(values)} does not match the dimension of the index {dimension}",
        )
    if not all(isinstance(one, (int, float)) and math.isfinite(one) for one in values):
        raise RefusalError(400, "invalid values")
    if not any(values):
        raise RefusalError(400, "Dense vectors must contain at least one non-zero value")


def judged(filter: Any) -> Any:
    """A function of metadata that says whether the filter selects it."""
    if not isinstance(filter, dict) or not filter:
        raise RefusalError(400, f"invalid filter {filter!r}")
    parts = [_judged(name, value) for name, value in filter.items()]
    return parts[0] if len(parts) == 1 else lambda about: all(part(about) for part in parts)


def _judged(name: str, value: Any) -> Any:
    if name in ("$and", "$or"):
        if not isinstance(value, list) or not value:
            raise RefusalError(400, f"{name} wants a list")
        parts = [judged(one) for one in value]
        every = all if name == "$and" else any
        return lambda about: every(part(about) for part in parts)
    if name.startswith("$") or not isinstance(value, dict) or len(value) != 1:
        raise RefusalError(400, f"unknown operator {name}")
    ((operator, wanted),) = value.items()

    def held(about: Any) -> Any:
        found = about.get(name)
        return found if isinstance(found, list) else [] if found is None else [found]

    if operator in ("$in", "$nin"):
        if not isinstance(wanted, list) or not 1 <= len(wanted) <= 10_000:
            raise RefusalError(400, f"{operator} takes 1 to 10,000 values")
        values = set(wanted)
        negated = operator == "$nin"
        return lambda about: values.isdisjoint(held(about)) == negated
    if operator in ("$eq", "$ne"):
        negated = operator == "$ne"
        return lambda about: (wanted in held(about)) != negated
    compare = {"$gt": float.__gt__, "$gte": float.__ge__, "$lt": float.__lt__, "$lte": float.__le__}
    if operator not in compare or isinstance(wanted, (str, list, bool)):
        raise RefusalError(400, f"unknown operator {operator}, or no number")
    return lambda about: (
        isinstance(about.get(name), (int, float))
        and compare[operator](float(about[name]), float(wanted))
    )


@pytest.fixture
def server() -> Iterator[Server]:
    """A service of its own for each test, stopped at its end."""
    served = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def serve(self) -> None:
            data = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            with served.lock:
                status, extra, body = served.answer(self.command, self.path, headers, data)
            encoded = body.encode()
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
    served.base = served.url.removeprefix("http://")
    yield served
    http.shutdown()
    http.server_close()
    thread.join()
