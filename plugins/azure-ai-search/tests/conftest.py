"""A stand-in for Azure AI Search on the loopback: it takes what its public REST reference documents, and nothing else.

Definitions of indexes, documents and filters are checked against the reference: unknown properties, fields that may not be filtered by, OData
that does not parse, batches and values beyond the limits. It is eventual, as the service is: the first search after a write does not show it yet.
"""

from __future__ import annotations

import json
import math
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import numpy as np
import pytest

KEY = "one-of-the-tests"

_STRING_TRAITS = {
    "name",
    "type",
    "key",
    "searchable",
    "filterable",
    "sortable",
    "facetable",
    "retrievable",
    "analyzer",
}
_VECTOR_TRAITS = {
    "name",
    "type",
    "searchable",
    "retrievable",
    "stored",
    "dimensions",
    "vectorSearchProfile",
}
_SEARCH = {
    "search", "count", "facets", "filter", "orderby", "queryType", "semanticQuery", "searchFields", "searchMode",
    "semanticConfiguration", "select", "top", "skip", "sessionId", "vectorQueries", "vectorFilterMode",
}  # fmt: skip


class RefusalError(Exception):
    """An answer with a status of failure."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Index:
    """Documents as lookups have them, and as searches show them."""

    def __init__(self, definition: Any) -> None:
        self.definition = definition
        self.fields = {one["name"]: one for one in definition["fields"]}
        self.held: dict[str, Any] = {}
        self._shown: dict[str, Any] = {}
        self._changed = False
        self._waited = False

    def change(self) -> None:
        self._changed, self._waited = True, False

    def shown(self) -> dict[str, Any]:
        if self._changed:
            if self._waited:
                self._shown, self._changed = dict(self.held), False
            self._waited = True
        return self._shown


class Server:
    """The service: its indexes, how it is to fail, and what it was asked.

    Attributes:
        url: Where it listens.
        fields: Of a configuration that reaches it.
        requests: Method, path and JSON body of every request.
        failures: What to answer to the next requests whose `METHOD path` matches: pattern, status, headers, body.
        refused: A document whose JSON holds this word gets this status, once or, if negative, always.
    """

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, Any]] = []
        self.failures: list[tuple[str, int, dict[str, str], str]] = []
        self.refused: tuple[str, int] | None = None
        self.hidden = False
        self.url = ""
        self.fields: dict[str, Any] = {}
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
        path = unquote(parts.path)
        body = json.loads(data) if data else None
        self.requests.append((method, path, body))
        for number, (pattern, status, extra, text) in enumerate(self.failures):
            if re.fullmatch(pattern, f"{method} {path}"):
                del self.failures[number]
                return status, extra, text
        try:
            if headers.get("api-key") != KEY:
                raise RefusalError(403, "Forbidden")
            query = parse_qs(parts.query)
            if not re.fullmatch(r"20\d\d-\d\d-\d\d", query.get("api-version", [""])[0]):
                raise RefusalError(400, "no stable api-version")
            if len(data) > 16_777_216:
                raise RefusalError(413, "Request Entity Too Large")
            status, result = self._route(method, path, query, body)
        except RefusalError as refusal:
            told = {"error": {"code": "", "message": str(refusal)}}
            return refusal.status, {}, json.dumps(told)
        return status, {}, "" if result is None else json.dumps(result)

    def _route(
        self, method: str, path: str, query: dict[str, list[str]], body: Any
    ) -> tuple[int, Any]:
        if path == "/indexes" and method == "GET":
            return 200, {"value": [{**one.definition} for one in self.indexes.values()]}
        if path == "/indexes" and method == "POST":
            return 201, self._create(body)
        found = re.fullmatch(r"/indexes\('([^']+)'\)(?:/docs(?:\('([^']+)'\)|/([a-z.]+)))?", path)
        if not found or found[1] not in self.indexes:
            raise RefusalError(404, f"no such index or path: {path}")
        index = self.indexes[found[1]]
        if found[3] == "search.index" and method == "POST":
            return self._write(index, body)
        if found[3] == "search.post.search" and method == "POST":
            return 200, self._search(index, body)
        if found[2] and method == "GET":
            if found[2] not in index.held:
                raise RefusalError(404, "no such document")
            return 200, visible(index, index.held[found[2]])
        if found[2] or found[3]:
            raise RefusalError(405, f"not documented: {method} {path}")
        if method == "DELETE":
            del self.indexes[found[1]]
            return 204, None
        return 200, index.definition

    def _create(self, body: Any) -> Any:
        known(body, {"name", "fields"}, {"similarity", "vectorSearch", "semantic"})
        if not re.fullmatch(r"[a-z0-9](?:[a-z0-9]|-(?!-)){0,126}[a-z0-9]", body["name"]):
            raise RefusalError(400, f"invalid name {body['name']!r}")
        if body["name"] in self.indexes:
            raise RefusalError(400, "Cannot create index because it already exists")
        profiles = {one["name"] for one in body.get("vectorSearch", {}).get("profiles", [])}
        keys = 0
        for field in body["fields"]:
            if field["type"] == "Collection(Edm.Single)":
                known(
                    field,
                    {"name", "type", "searchable", "dimensions", "vectorSearchProfile"},
                    _VECTOR_TRAITS,
                )
                if (
                    not 2 <= field["dimensions"] <= 4096
                    or field["vectorSearchProfile"] not in profiles
                ):
                    raise RefusalError(400, "invalid dimensions or profile")
                continue
            known(field, {"name", "type"}, _STRING_TRAITS)
            if field["type"] not in ("Edm.String", "Collection(Edm.String)"):
                raise RefusalError(400, f"type {field['type']}")
            if field["type"] != "Edm.String" and field.get("sortable"):
                raise RefusalError(400, "collections cannot be sorted by")
            if field.get("analyzer", "whitespace") not in ("whitespace", "standard.lucene"):
                raise RefusalError(400, "unknown analyzer")
            keys += bool(field.get("key"))
        if keys != 1:
            raise RefusalError(400, "an index has one key")
        for one in body.get("vectorSearch", {}).get("algorithms", []):
            graph = one.get("hnswParameters", {"m": 4, "efConstruction": 100, "efSearch": 100})
            if not (
                4 <= graph["m"] <= 10
                and 100 <= graph["efConstruction"] <= 1000
                and 100 <= graph["efSearch"] <= 1000
            ):
                raise RefusalError(400, "parameters of the graph")
        self.indexes[body["name"]] = Index(body)
        return body

    def _write(self, index: Index, body: Any) -> tuple[int, Any]:
        known(body, {"value"})
        if not 1 <= len(body["value"]) <= 1000:
            raise RefusalError(400, "The request is invalid: 1 to 1000 documents in a batch")
        told = [self._write_one(index, dict(one)) for one in body["value"]]
        index.change()
        return 207 if any(not one["status"] for one in told) else 200, {"value": told}

    def _write_one(self, index: Index, given: Any) -> Any:
        action = given.pop("@search.action")
        key = given["key"]
        if not re.fullmatch(r"[A-Za-z0-9_\-=]{1,1024}", key):
            raise RefusalError(400, f"Invalid document key: {key!r}")
        if action == "delete":
            index.held.pop(key, None)
            return told(key, 200)
        for name, value in given.items():
            field = index.fields.get(name)
            if field is None:
                raise RefusalError(400, f"The property {name!r} does not exist on the index")
            if field["type"] == "Collection(Edm.Single)":
                if len(value) != field["dimensions"] or not all(map(math.isfinite, value)):
                    return told(key, 400, f"The vector field {name!r} has the wrong dimension")
                continue
            texts = value if field["type"] == "Collection(Edm.String)" else [value]
            if not isinstance(texts, list) or not all(isinstance(one, str) for one in texts):
                raise RefusalError(400, f"{name!r} has the wrong type")
            exact = field.get("filterable") or field.get("facetable") or field.get("sortable")
            for one in texts:
                try:
                    size = len(one.encode())
                except UnicodeEncodeError as error:
                    raise RefusalError(400, "invalid UTF-8") from error
                if exact and size > 32_766:
                    return told(
                        key, 400, f"Field {name!r} contains a term that is too large to process"
                    )
        if self.refused and self.refused[0] in json.dumps(given):
            status = self.refused[1]
            if status > 0:
                self.refused = None
            return told(key, abs(status), "refused by the test")
        is_new = key not in index.held
        index.held[key] = given
        return told(key, 201 if is_new else 200)

    def _search(self, index: Index, body: Any) -> Any:
        known(body, set(), _SEARCH)
        top, skip = body.get("top", 50), body.get("skip", 0)
        if not 0 <= top <= 1000 or not 0 <= skip <= 100_000:
            raise RefusalError(400, "top or skip")
        shown = {} if self.hidden else index.shown()
        judge = Filter(index, body["filter"]).judge if body.get("filter") else lambda one: True
        chosen = {key: one for key, one in shown.items() if judge(one)}
        scores = self._scores(index, shown, chosen, body)
        found = sorted(scores, key=lambda key: (-scores[key], hash(key)))
        if body.get("orderby"):
            field, _, direction = body["orderby"].partition(" ")
            require(index, field, "sortable")
            found = sorted(
                chosen, key=lambda key: chosen[key].get(field) or "", reverse=direction == "desc"
            )
        answer: dict[str, Any] = {}
        if body.get("count"):
            answer["@odata.count"] = len(found)
        for facet in body.get("facets", []):
            field, _, option = facet.partition(",")
            require(index, field, "facetable")
            counts = Counter(one[field] for one in chosen.values() if one.get(field))
            most = int(option.removeprefix("count:") or 10) or None
            rows = [{"value": value, "count": count} for value, count in counts.most_common(most)]
            answer.setdefault("@search.facets", {})[field] = rows
        names = set(body["select"].split(",")) if body.get("select") else None
        semantic = body.get("queryType") == "semantic"
        if semantic:
            if not any(
                one["name"] == body.get("semanticConfiguration")
                for one in index.definition.get("semantic", {}).get("configurations", [])
            ):
                raise RefusalError(400, "no such semantic configuration")
            wanted = set((body.get("semanticQuery") or body["search"]).lower().split())
            read = {
                key: float(len(wanted & set(chosen[key].get("content", "").lower().split())))
                for key in found[:50]
            }
            found = [*sorted(read, key=lambda key: -read[key]), *found[50:]]
        rows = []
        for key in found[skip : skip + top]:
            row = {"@search.score": scores.get(key, 1.0), **visible(index, chosen[key], names)}
            if semantic:
                row["@search.rerankerScore"] = read.get(key)
            rows.append(row)
        answer["value"] = rows
        if len(json.dumps(rows)) > 16_777_216:
            raise RefusalError(400, "the answer is too large")
        return answer

    def _scores(self, index: Index, shown: Any, chosen: Any, body: Any) -> dict[str, float]:
        """The score of each document that is found: by words, by vector, or both fused."""
        text, vectors = body.get("search"), body.get("vectorQueries") or []
        if text in (None, "", "*") and not vectors:
            return dict.fromkeys(chosen, 1.0)
        legs: list[tuple[float, dict[str, float]]] = []
        if text not in (None, "", "*"):
            if body.get("queryType", "simple") not in ("simple", "semantic"):
                raise RefusalError(400, "query type")
            fields = body["searchFields"].split(",")
            for field in fields:
                require(index, field, "searchable")
            legs.append((1.0, by_words(index, shown, chosen, text, fields)))
        for one in vectors:
            known(one, {"kind", "vector", "fields", "k"}, {"exhaustive", "weight"})
            if (
                body.get("vectorFilterMode", "preFilter") != "preFilter"
                or not 1 <= one["k"] <= 10_000
            ):
                raise RefusalError(400, "vector query")
            if len(one["vector"]) != index.fields[one["fields"]]["dimensions"]:
                raise RefusalError(400, "the query's vector has the wrong dimension")
            if not one.get("weight", 1.0) > 0:
                raise RefusalError(400, "weights are above 0")
            legs.append((one.get("weight", 1.0), by_vector(chosen, one)))
        if len(legs) == 1:
            return legs[0][1]
        fused: Counter[str] = Counter()
        for weight, scores in legs:
            for rank, key in enumerate(sorted(scores, key=lambda key: -scores[key]), start=1):
                fused[key] += weight / (60 + rank)  # type: ignore[assignment]
        return dict(fused)


def by_words(
    index: Index, shown: Any, chosen: Any, text: str, fields: list[str]
) -> dict[str, float]:
    """BM25 (Robertson and Zaragoza, 2009) as Lucene has it, over the terms or phrases of a simple query."""
    clauses = re.findall(r'"([^"]*)"|([^\s"|]+)', text)
    if len(clauses) > 1024:
        raise RefusalError(400, "too many clauses")
    if re.search(r"[^\w\s\"|]", text):
        raise RefusalError(400, f"the plugin is not to send operators: {text[:80]!r}")
    formula = index.definition["similarity"]
    k1, b = formula["k1"], formula["b"]
    (field,) = fields
    texts = {key: one[field].split() for key, one in shown.items() if one.get(field)}
    average = sum(map(len, texts.values())) / max(1, len(texts))
    counted = {key: Counter(words) for key, words in texts.items()}
    scores: dict[str, float] = {}
    for phrase, word in clauses:
        if phrase:
            hits = {key: occurrences(words, phrase.split()) for key, words in texts.items()}
        else:
            hits = {key: counts[word] for key, counts in counted.items()}
        hits = {key: count for key, count in hits.items() if count}
        idf = math.log(1 + (len(texts) - len(hits) + 0.5) / (len(hits) + 0.5))
        for key, count in hits.items():
            if key in chosen:
                length = 1 - b + b * len(texts[key]) / average
                scores[key] = scores.get(key, 0.0) + idf * count * (k1 + 1) / (count + k1 * length)
    return {key: float(np.float32(score)) for key, score in scores.items()}


def occurrences(words: list[str], phrase: list[str]) -> int:
    if not phrase or phrase[0] not in words:
        return 0
    return sum(words[n : n + len(phrase)] == phrase for n in range(len(words)))


def by_vector(chosen: Any, asked: Any) -> dict[str, float]:
    held = {key: one[asked["fields"]] for key, one in chosen.items() if one.get(asked["fields"])}
    if not held:
        return {}
    matrix = np.array(list(held.values()), np.float64)
    query = np.array(asked["vector"], np.float64)
    cosines = matrix @ query / (np.linalg.norm(matrix, axis=1) * np.linalg.norm(query))
    scores = {
        key: float(np.float32(1 / (2 - round(one, 7))))
        for key, one in zip(held, cosines, strict=True)
    }
    best = sorted(scores, key=lambda key: (-scores[key], hash(key)))[: asked["k"]]
    return {key: scores[key] for key in best}


class Filter:
    """OData's grammar as far as Azure AI Search has it: comparisons, `search.in`, `any`, and, or, not, brackets."""

    _TOKEN = re.compile(r"\s*('(?:[^']|'')*'|search\.in|[A-Za-z_]\w*|[(),:/])")

    def __init__(self, index: Index, text: str) -> None:
        self._index = index
        self._tokens: list[str] = []
        place = 0
        while place < len(text.rstrip()):
            found = self._TOKEN.match(text, place)
            if not found:
                raise RefusalError(400, f"Invalid expression: {text[place : place + 60]!r}")
            self._tokens.append(found[1])
            place = found.end()
        self._place = 0
        self.judge = self._either({})
        if self._place != len(self._tokens):
            raise RefusalError(400, f"Invalid expression: unexpected {self._next()!r}")

    def _next(self) -> str:
        return self._tokens[self._place] if self._place < len(self._tokens) else ""

    def _take(self, wanted: str | None = None) -> str:
        token = self._next()
        if not token or wanted not in (None, token):
            raise RefusalError(400, f"Invalid expression: {token!r} in place of {wanted!r}")
        self._place += 1
        return token

    def _either(self, scope: dict[str, str]) -> Callable[[Any], bool]:
        parts = [self._both(scope)]
        while self._next() == "or":
            self._take()
            parts.append(self._both(scope))
        return parts[0] if len(parts) == 1 else lambda one: any(part(one) for part in parts)

    def _both(self, scope: dict[str, str]) -> Callable[[Any], bool]:
        parts = [self._one(scope)]
        while self._next() == "and":
            self._take()
            parts.append(self._one(scope))
        return parts[0] if len(parts) == 1 else lambda one: all(part(one) for part in parts)

    def _one(self, scope: dict[str, str]) -> Callable[[Any], bool]:
        token = self._take()
        if token == "not":
            negated = self._one(scope)
            return lambda one: not negated(one)
        if token == "(":
            inner = self._either(scope)
            self._take(")")
            return inner
        if token == "search.in":
            self._take("(")
            read = self._field(self._take(), scope)
            self._take(",")
            values = self._string()
            self._take(",")
            separators = self._string()
            self._take(")")
            wanted = set(re.split(f"[{re.escape(separators)}]", values))
            return lambda one: read(one) in wanted
        if self._next() == "/":
            require(self._index, token, "filterable")
            self._take("/")
            self._take("any")
            self._take("(")
            name = self._take()
            self._take(":")
            inner = self._either({**scope, name: token})
            self._take(")")
            return lambda one: any(inner({name: value}) for value in one.get(token) or ())
        read = self._field(token, scope)
        operator = self._take()
        if operator not in ("eq", "ne", "gt", "ge", "lt", "le"):
            raise RefusalError(400, f"unknown operator {operator!r}")
        wanted_text = None if self._next() == "null" and self._take() else self._string()
        compare: dict[str, Callable[[Any, Any], bool]] = {
            "eq": lambda a, b: a == b,
            "ne": lambda a, b: a != b,
            "gt": lambda a, b: a is not None and a > b,
            "ge": lambda a, b: a is not None and a >= b,
            "lt": lambda a, b: a is not None and a < b,
            "le": lambda a, b: a is not None and a <= b,
        }
        return lambda one: compare[operator](read(one), wanted_text)

    def _field(self, name: str, scope: dict[str, str]) -> Callable[[Any], Any]:
        if name not in scope:
            require(self._index, name, "filterable")
        return lambda one: one.get(name)

    def _string(self) -> str:
        token = self._take()
        if not token.startswith("'"):
            raise RefusalError(400, f"a string, not {token!r}")
        return token[1:-1].replace("''", "'")


def require(index: Index, name: str, trait: str) -> None:
    if not index.fields.get(name, {}).get(trait):
        raise RefusalError(400, f"The field {name!r} is not {trait}")


def known(body: Any, needed: set[str], more: set[str] = frozenset()) -> None:  # type: ignore[assignment]
    if not isinstance(body, dict) or not needed <= body.keys() <= needed | more:
        raise RefusalError(400, f"unknown or missing properties: {sorted(body)}")


def told(key: str, status: int, message: str | None = None) -> Any:
    return {"key": key, "status": status < 300, "errorMessage": message, "statusCode": status}


def visible(index: Index, document: Any, names: set[str] | None = None) -> Any:
    wanted = (
        names
        if names is not None
        else {n for n, one in index.fields.items() if one.get("retrievable", True)}
    )
    for name in wanted:
        if not index.fields.get(name, {}).get("retrievable", False):
            raise RefusalError(400, f"The field {name!r} is not retrievable")
    return {name: document.get(name) for name in wanted}


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
    served.fields = {"url": served.url, "api_key": KEY}
    yield served
    http.shutdown()
    http.server_close()
    thread.join()
