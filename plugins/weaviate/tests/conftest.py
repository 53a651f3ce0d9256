"""A Weaviate for the tests where one runs, and a stand-in that fails as it is told where it matters how a server fails."""

from __future__ import annotations

import json
import os
import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import grpc
import httpx
import pytest

from hierdoc_weaviate.protocol import (
    METHODS,
    batch_delete_pb2,
    batch_pb2,
    health_weaviate_pb2,
    search_get_pb2,
)

VARIABLE = "HIERDOC_TEST_WEAVIATE_URL"


@pytest.fixture
def weaviate() -> Iterator[Weaviate]:
    """The server that the environment names, and a part of it that no other test uses, dropped at the end."""
    if not os.environ.get(VARIABLE):
        pytest.skip(f"no Weaviate: {VARIABLE} is not set")
    server = Weaviate(os.environ[VARIABLE])
    yield server
    server.drop()


@pytest.fixture
def make_node() -> Iterator[Callable[..., Node]]:
    """Makes servers that hold nothing and fail as they are told."""
    made: list[Node] = []

    def make(*arguments: Any) -> Node:
        made.append(Node(*arguments))
        return made[-1]

    yield make
    for one in made:
        one.stop()


@pytest.fixture
def node(make_node: Callable[..., Node]) -> Node:
    """One of these."""
    return make_node()


class Weaviate:
    """A server.

    Args:
        addresses: Its REST and its gRPC interface, with a space between.
    """

    def __init__(self, addresses: str) -> None:
        self.url, self.grpc_url = addresses.split()
        self.prefix = f"T{uuid.uuid4().hex[:12]}"

    def fields(self, collection: str = "kit", **more: Any) -> dict[str, Any]:
        """A configuration of a backend on a collection of this test."""
        return {
            "provider": "weaviate",
            "url": self.url,
            "grpc_url": self.grpc_url,
            "collection": f"{self.prefix}_{collection}",
            **more,
        }

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """What another client is answered."""
        with httpx.Client(base_url=f"{self.url}/v1", timeout=30) as client:
            answer = client.request(method, path, json=body)
            answer.raise_for_status()
            return answer.json() if answer.content else None

    def drop(self) -> None:
        """Drop the collections of this test."""
        for one in self.ask("GET", "/schema")["classes"]:
            if one["class"].startswith(self.prefix):
                self.ask("DELETE", f"/schema/{one['class']}")


REQUESTS = {
    "Search": search_get_pb2.SearchRequest,
    "BatchObjects": batch_pb2.BatchObjectsRequest,
    "BatchDelete": batch_delete_pb2.BatchDeleteRequest,
    "Check": health_weaviate_pb2.WeaviateHealthCheckRequest,
}


class Node:
    """Answers REST and gRPC as an empty Weaviate does.

    Args:
        credentials: For TLS on the gRPC interface.
        context: For TLS on the REST interface.

    Attributes:
        version: What it says that it is.
        requests: What it was asked: the method and its body or message, in order.
        failures: What to answer instead: a method, such as `Search` or `GET /v1/meta`, and the code with its trailers or the status
            with its headers; each is used once.
        replies: Messages to answer with, by method; each is used once.
        identities: The `authorization` of each request.
    """

    def __init__(self, credentials: Any = None, context: Any = None) -> None:
        self.version = "1.35.2"
        self.requests: list[tuple[str, Any]] = []
        self.failures: list[tuple[str, Any, dict[str, str]]] = []
        self.replies: dict[str, list[Any]] = {}
        self.identities: list[str | None] = []
        scheme = "http" if context is None else "https"
        self._rest = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        if context is not None:
            self._rest.socket = context.wrap_socket(self._rest.socket, server_side=True)
        threading.Thread(target=self._rest.serve_forever, args=(0.02,), daemon=True).start()
        self._pool = ThreadPoolExecutor(4)
        self._grpc = grpc.server(self._pool)
        self._grpc.add_generic_rpc_handlers([_Service(self)])
        port = (
            self._grpc.add_insecure_port("127.0.0.1:0")
            if credentials is None
            else self._grpc.add_secure_port("127.0.0.1:0", credentials)
        )
        self._grpc.start()
        self.url = f"{scheme}://127.0.0.1:{self._rest.server_port}"
        self.grpc_url = f"{scheme}://127.0.0.1:{port}"

    def fields(self, **more: Any) -> dict[str, Any]:
        """A configuration of a backend on this server."""
        return {"provider": "weaviate", "url": self.url, "grpc_url": self.grpc_url, **more}

    def asked(self, method: str) -> list[Any]:
        """The bodies or messages of all requests of a method."""
        return [body for name, body in self.requests if name == method]

    def due(self, method: str) -> tuple[Any, dict[str, str]] | None:
        """How the request that begins is to fail."""
        for place, (wanted, what, more) in enumerate(self.failures):
            if wanted == method:
                del self.failures[place]
                return what, more
        return None

    def stop(self) -> None:
        """End it."""
        self._rest.shutdown()
        self._rest.server_close()
        self._grpc.stop(None).wait()
        self._pool.shutdown()


class _Service(grpc.GenericRpcHandler):
    def __init__(self, node: Node) -> None:
        self._node = node

    def service(self, details: Any) -> Any:
        name = details.method.rpartition("/")[2]
        path, reply = METHODS[name]
        assert path == details.method
        identity = dict(details.invocation_metadata).get("authorization")

        def answer(message: Any, context: Any) -> Any:
            self._node.requests.append((name, message))
            self._node.identities.append(identity)
            failure = self._node.due(name)
            if failure is not None:
                code, trailers = failure
                if code == "hang":
                    threading.Event().wait(1)
                    return reply()
                context.set_trailing_metadata(tuple(trailers.items()))
                context.abort(code, "as the test says")
            waiting = self._node.replies.get(name)
            return waiting.pop(0) if waiting else reply()

        return grpc.unary_unary_rpc_method_handler(
            answer, REQUESTS[name].FromString, reply.SerializeToString
        )


def _handler(node: Node) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            name = f"{self.command} {self.path}"
            node.requests.append((name, json.loads(body) if body else None))
            node.identities.append(self.headers.get("authorization"))
            status, headers, told = 200, {}, {}
            failure = node.due(name)
            if failure is not None:
                status, headers = failure
                told = {"error": [{"message": "as the test says"}]}
            elif self.path == "/v1/meta":
                told = {"version": node.version}
            elif self.command == "GET" and self.path.startswith("/v1/schema/"):
                status = 404
            data = json.dumps(told).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(data)))
            for key, value in headers.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_DELETE = _answer  # noqa: N815

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    return Handler
