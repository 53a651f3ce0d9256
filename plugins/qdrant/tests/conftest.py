"""A stand-in for a Qdrant server on the loopback: it takes what the REST interface documents, and nothing else.

Requests are read with the models of Qdrant's OpenAPI description, which refuse unknown keys; the client's own local mode works out
the answers. As a server in strict mode does, it refuses filters and facets over fields without an index.
"""

from __future__ import annotations

import json
import re
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from qdrant_client import QdrantClient, models


class RefusalError(Exception):
    """An answer with a status of failure."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Server:
    """The server: its collections, how it is to fail, and what it was asked.

    Attributes:
        url: Where it listens.
        requests: Method, path and JSON body of every request.
        version: What it says of itself.
        api_key: What it asks for; None for nothing.
        failures: What to answer to the next requests whose `METHOD path` matches: pattern, status, headers, body.
        refused: Points whose payload holds this word are refused, and all others of their request with them.
    """

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, Any]] = []
        self.version = "1.17.0"
        self.api_key: str | None = None
        self.failures: list[tuple[str, int, dict[str, str], str]] = []
        self.refused: str | None = None
        self.url = ""
        self.lock = threading.Lock()
        self._local = QdrantClient(":memory:")
        self._indexes: dict[str, dict[str, Any]] = {}

    def asked(self, pattern: str) -> list[Any]:
        """The bodies of the requests whose `METHOD path` matches."""
        return [
            body
            for method, path, body in self.requests
            if re.fullmatch(pattern, f"{method} {path}")
        ]

    def close(self) -> None:
        self._local.close()

    def answer(
        self, method: str, target: str, headers: Mapping[str, str], data: bytes
    ) -> tuple[int, dict[str, str], str]:
        """Status, headers and body for a request."""
        parts = urlsplit(target)
        body = json.loads(data) if data else None
        self.requests.append((method, parts.path, body))
        for number, (pattern, status, extra, text) in enumerate(self.failures):
            if re.fullmatch(pattern, f"{method} {parts.path}"):
                del self.failures[number]
                return status, extra, text
        try:
            if self.api_key is not None and headers.get("api-key") != self.api_key:
                raise RefusalError(403, "Forbidden: invalid api-key")
            if parts.path == "/":
                info = {"title": "qdrant - vector search engine", "version": self.version}
                return 200, {}, json.dumps(info)
            result = self._route(method, parts.path, dict(parse_qsl(parts.query)), body)
        except RefusalError as refusal:
            status = {"error": str(refusal)}
            return refusal.status, {}, json.dumps({"status": status, "time": 0.0})
        except (ValueError, KeyError) as error:  # what the models or the local mode refuse
            status = {"error": f"Wrong input: {error}"}
            return 400, {}, json.dumps({"status": status, "time": 0.0})
        return 200, {}, json.dumps({"result": result, "status": "ok", "time": 0.0})

    def _route(self, method: str, path: str, parameters: dict[str, str], body: Any) -> Any:
        found = re.fullmatch(r"/collections/([^/]+)(?:/(.*))?", path)
        if not found:
            raise RefusalError(404, f"no such path: {path}")
        name, action = found.group(1), found.group(2) or ""
        handlers: dict[tuple[str, str], Callable[[str, Any], Any]] = {
            ("GET", "exists"): lambda name, _: {"exists": self._local.collection_exists(name)},
            ("GET", ""): lambda name, _: self._describe(name),
            ("PUT", ""): self._create,
            ("DELETE", ""): lambda name, _: self._drop(name),
            ("PUT", "index"): self._create_index,
            ("PUT", "points"): self._upsert,
            ("POST", "points/delete"): self._delete,
            ("POST", "points"): self._retrieve,
            ("POST", "points/query"): self._query,
            ("POST", "points/scroll"): self._scroll,
            ("POST", "points/count"): self._count,
            ("POST", "facet"): self._facet,
        }
        if (method, action) not in handlers:
            raise RefusalError(405, f"{method} {path} is not documented")
        waits = (method, action) in {("PUT", "points"), ("PUT", "index"), ("POST", "points/delete")}
        if set(parameters) - ({"wait", "ordering"} if waits else {"consistency", "timeout"}):
            raise RefusalError(400, f"unknown parameters: {parameters}")
        if waits and action != "index" and parameters.get("wait") != "true":
            raise RefusalError(400, "the plugin is to wait for its writes")
        if action != "exists" and (method, action) != ("PUT", ""):
            self._require(name)
        return handlers[method, action](name, body)

    def _require(self, name: str) -> None:
        if not self._local.collection_exists(name):
            raise RefusalError(404, f"Not found: Collection `{name}` doesn't exist!")

    def _describe(self, name: str) -> Any:
        info = self._local.get_collection(name).model_dump(mode="json", exclude_none=True)
        schema = {
            field: {"data_type": kind, "points": 0} for field, kind in self._indexes[name].items()
        }
        return {**info, "payload_schema": schema}

    def _create(self, name: str, body: Any) -> Any:
        wanted = models.CreateCollection.model_validate(body)
        if self._local.collection_exists(name):
            raise RefusalError(409, f"Wrong input: Collection `{name}` already exists!")
        self._indexes[name] = {}
        return self._local.create_collection(
            name,
            vectors_config=wanted.vectors,
            sparse_vectors_config=wanted.sparse_vectors,
            metadata=wanted.metadata,
        )

    def _drop(self, name: str) -> Any:
        del self._indexes[name]
        return self._local.delete_collection(name)

    def _create_index(self, name: str, body: Any) -> Any:
        wanted = models.CreateFieldIndex.model_validate(body)
        self._indexes[name][wanted.field_name] = wanted.field_schema
        return DONE

    def _upsert(self, name: str, body: Any) -> Any:
        points = models.PointsList.model_validate(body).points
        if self.refused and any(self.refused in json.dumps(one.payload) for one in points):
            raise RefusalError(422, "Validation error: refused by the test")
        self._local.upsert(name, points)
        return DONE

    def _delete(self, name: str, body: Any) -> Any:
        selector = models.FilterSelector.model_validate(body)
        self._require_indexes(name, body)
        self._local.delete(name, selector)
        return DONE

    def _retrieve(self, name: str, body: Any) -> Any:
        wanted = models.PointRequest.model_validate(body)
        found = self._local.retrieve(
            name, wanted.ids, with_payload=wanted.with_payload, with_vectors=wanted.with_vector
        )
        return [dumped(one) for one in found]

    def _query(self, name: str, body: Any) -> Any:
        wanted = models.QueryRequest.model_validate(body)
        self._require_indexes(name, body)
        found = self._local.query_points(
            name,
            query=wanted.query,
            using=wanted.using,
            prefetch=wanted.prefetch,
            query_filter=wanted.filter,
            search_params=wanted.params,
            limit=wanted.limit,
            with_payload=wanted.with_payload,
        )
        for one in found.points:
            one.score = round(one.score, 6)  # the server's sums do not depend on where a row stands
        return {"points": [dumped(one) for one in found.points]}

    def _scroll(self, name: str, body: Any) -> Any:
        wanted = models.ScrollRequest.model_validate(body)
        self._require_indexes(name, body)
        found, following = self._local.scroll(
            name,
            scroll_filter=wanted.filter,
            limit=wanted.limit or 10,
            offset=wanted.offset,
            with_payload=wanted.with_payload,
            with_vectors=wanted.with_vector,
        )
        return {"points": [dumped(one) for one in found], "next_page_offset": following}

    def _count(self, name: str, body: Any) -> Any:
        wanted = models.CountRequest.model_validate(body)
        return {"count": self._local.count(name, count_filter=wanted.filter).count}

    def _facet(self, name: str, body: Any) -> Any:
        wanted = models.FacetRequest.model_validate(body)
        if wanted.key not in self._indexes[name]:
            raise RefusalError(400, f"Bad request: Index required but not found for `{wanted.key}`")
        return dumped(self._local.facet(name, wanted.key, limit=wanted.limit or 10))

    def _require_indexes(self, name: str, body: Any) -> None:
        for key in re.findall(r'"key": "([^"]*)"', json.dumps(body)):
            if key not in self._indexes[name]:
                raise RefusalError(400, f"Bad request: Index required but not found for `{key}`")


DONE = {"operation_id": 0, "status": "completed"}


def dumped(model: Any) -> Any:
    return model.model_dump(mode="json", exclude_none=True)


@pytest.fixture
def server() -> Iterator[Server]:
    """A server of its own for each test, stopped at its end."""
    served = Server()

    class Handler(BaseHTTPRequestHandler):
        def serve(self) -> None:
            data = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            with served.lock, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                status, extra, body = served.answer(self.command, self.path, headers, data)
            encoded = body.encode()
            self.send_response(status)
            for name, value in {"content-type": "application/json", **extra}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(encoded)))
            self.end_headers()
            self.wfile.write(encoded)

        do_GET = do_POST = do_PUT = do_DELETE = serve  # noqa: N815 - the library's names

        def log_message(self, format: str, *arguments: Any) -> None:
            """Say nothing."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    thread = threading.Thread(target=http.serve_forever, args=(0.01,), name="server")
    thread.start()
    served.url = f"http://127.0.0.1:{http.server_port}"
    yield served
    http.shutdown()
    http.server_close()
    thread.join()
    served.close()
