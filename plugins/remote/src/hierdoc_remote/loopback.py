"""For tests: a small server on the loopback that speaks as the public API references say, and fails as it is told."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

Answer = tuple[int, Mapping[str, str], bytes]

_CUSTOM_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def reply(body: Any, status: int = 200, **headers: str) -> Answer:
    """An answer in JSON; `retry_after` becomes the header `retry-after`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return status, named, body if isinstance(body, bytes) else json.dumps(body).encode()


def failure(status: int, message: str, code: str | None = None, **headers: str) -> Answer:
    """An error as the API reference has it."""
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
    return reply({"error": error}, status, **headers)


@dataclass
class Loopback:
    """What the server saw, and what it is to do.

    Attributes:
        handle: Makes the answer to a path and a body.
        failures: Answers to give first, one for each request; None to close the connection without any.
        latency: Seconds before each answer.
        requests: Path, headers and body of each.
        most_at_once: Requests at the same time, at most.
        alone_first: Whether the first request was answered before the second came.
    """

    handle: Callable[[str, Any], Answer]
    url: str = ""
    failures: list[Answer | None] = field(default_factory=list)
    latency: float = 0.0
    requests: list[tuple[str, Mapping[str, str], Any]] = field(default_factory=list)
    most_at_once: int = 0
    alone_first: bool = True
    _at_once: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def bodies(self) -> list[Any]:
        """The bodies of all requests, in order."""
        return [body for _, _, body in self.requests]

    def answer(self, path: str, headers: Mapping[str, str], body: Any) -> Answer | None:
        """Note a request and answer it."""
        with self._lock:
            self.requests.append((path, headers, body))
            self._at_once += 1
            self.alone_first &= len(self.requests) != 2 or self._at_once == 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            fails = bool(self.failures)
            told = self.failures.pop(0) if fails else None
        try:
            time.sleep(self.latency)
            return told if fails else self.handle(path, body)
        finally:
            with self._lock:
                self._at_once -= 1


@contextmanager
def serving(handle: Callable[[str, Any], Answer]) -> Iterator[Loopback]:
    """A server that answers so, until the end."""
    loopback = Loopback(handle)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = (
            -1
        )  # head and body in one packet: the second would wait for what acknowledges the first

        def do_GET(self) -> None:
            """Answer a request without a body."""
            self._answer(None)

        def do_POST(self) -> None:
            """Answer a request."""
            length = int(self.headers["content-length"])
            self._answer(json.loads(self.rfile.read(length)))

        def _answer(self, asked: Any) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            answer = loopback.answer(self.path, headers, asked)
            if answer is None:
                self.close_connection = True
                return
            status, more, body = answer
            self.send_response(status)
            for name, value in {**more, "content-length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    loopback.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield loopback
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def embeddings(path: str, body: Any, dimensions: int = 64) -> Answer:
    """The embeddings route: of each text a bag of its words, each word a random direction of its own."""
    assert path == "/v1/embeddings"
    length = body.get("dimensions", dimensions)
    data = [
        {"object": "embedding", "index": number, "embedding": _vector(text, length).tolist()}
        for number, text in enumerate(body["input"])
    ]
    words = _words(body["input"])
    usage = {"prompt_tokens": words, "total_tokens": words}
    return reply({"object": "list", "data": data, "model": body["model"], "usage": usage})


def ollama(path: str, body: Any, dimensions: int = 64) -> Answer:
    """Ollama's route for embeddings, of the same vectors."""
    assert path == "/v1/api/embed"
    vectors = [_vector(text, dimensions).tolist() for text in body["input"]]
    return reply(
        {"model": body["model"], "embeddings": vectors, "prompt_eval_count": _words(body["input"])}
    )


def chat(path: str, body: Any) -> Answer:
    """The chat route: says which words the excerpt begins with."""
    assert path == "/v1/chat/completions"
    (message,) = body["messages"]
    details = {"prompt_tokens": 1000, "prompt_tokens_details": {"cached_tokens": 900}}
    choice = {"index": 0, "finish_reason": "stop", "message": _assistant(_said(message["content"]))}
    usage = {**details, "completion_tokens": 9, "total_tokens": 1009}
    return reply({**_completion(body), "choices": [choice], "usage": usage})


def chat_in_json(answer: Callable[[str], Any]) -> Callable[[str, Any], Answer]:
    """The chat and the messages route, answered in JSON: by a schema or by a tool, whichever is asked for.

    Args:
        answer: Makes it of the prompt.
    """

    def handle(path: str, body: Any) -> Answer:
        content = body["messages"][0]["content"]
        if path == "/v1/messages":
            said = answer("".join(part["text"] for part in content))
            name = body["tool_choice"]["name"]
            use = [{"type": "tool_use", "id": "toolu_1", "name": name, "input": said}]
            usage = {"input_tokens": 100, "output_tokens": 9}
            return reply({"type": "message", **_assistant(use), "usage": usage})
        assert path == "/v1/chat/completions"
        message = _assistant(json.dumps(answer(content)))
        usage = {"prompt_tokens": 100, "completion_tokens": 9, "total_tokens": 109}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        return reply({**_completion(body), "choices": [choice], "usage": usage})

    return handle


def shared_words(query: str, text: str) -> float:
    """The share of the query's words that a text has: how servers for tests judge."""
    words = set(query.lower().split())
    return len(words.intersection(text.lower().split())) / max(1, len(words))


def reranks(path: str, body: Any) -> Answer:
    """The route of rerankers, in the form of whoever's request it is: Cohere's, Jina's, Voyage's or TEI's."""
    texts = body["texts"] if "texts" in body else body["documents"]
    scores = [shared_words(body["query"], text) for text in texts]
    order = sorted(range(len(texts)), key=lambda number: -scores[number])
    if path == "/v1/rerank" and "texts" in body:
        return reply([{"index": number, "score": scores[number]} for number in order])
    rows = [{"index": number, "relevance_score": scores[number]} for number in order]
    usage = {"total_tokens": _words([body["query"]]) * len(texts) + _words(texts)}
    if body["model"].startswith("jina"):
        return reply({"model": body["model"], "results": rows, "usage": usage})
    # Voyage's names begin so, and its answers are called data.
    if body["model"].startswith("rerank-2"):
        return reply({"object": "list", "data": rows, "model": body["model"], "usage": usage})
    return reply({"id": "1", "results": rows, "meta": {"billed_units": {"search_units": 1}}})


class Messages:
    """Anthropic's messages route, with its cache: what is marked is written by the first request that ends, and read by later ones.

    Attributes:
        cached: The texts that the cache holds.
        usage: Of all answers.
    """

    def __init__(self) -> None:
        self.cached: set[str] = set()
        self.usage: Counter[str] = Counter()

    def __call__(self, path: str, body: Any) -> Answer:
        """Say which words the excerpt begins with."""
        assert path == "/v1/messages"
        (message,) = body["messages"]
        document, chunk = message["content"]
        usage = {"input_tokens": len(chunk["text"]) // 4, "output_tokens": 9}
        tokens = len(document["text"]) // 4
        if "cache_control" not in document:
            usage["input_tokens"] += tokens
        elif document["text"] in self.cached:
            usage["cache_read_input_tokens"] = tokens
        else:
            usage["cache_creation_input_tokens"] = tokens
            self.cached.add(document["text"])
        self.usage.update(usage)
        content = [{"type": "text", "text": _said(chunk["text"])}]
        named = {
            "id": "msg_1",
            "type": "message",
            "model": body["model"],
            "stop_reason": "end_turn",
        }
        return reply({**named, **_assistant(content), "usage": usage})


class MessageBatches:
    """Anthropic's routes for batches: a batch ends at the look after those that it takes, and lists its results in another order.

    Args:
        messages: Answers each request.
        looks: How often a batch is still in progress.

    Attributes:
        batches: The requests of each batch by its id.
        results: In place of an answer, by the place of a request in its batch.
    """

    def __init__(self, messages: Messages, looks: int = 1) -> None:
        self._messages = messages
        self._looks = looks
        self.batches: dict[str, list[Any]] = {}
        self.results: dict[int, Any] = {}
        self._left: dict[str, int] = {}

    def __call__(self, path: str, body: Any) -> Answer:
        """Take a batch, tell how far one is, or give its results."""
        parts = path.removeprefix("/v1/messages/batches").strip("/").split("/")
        if body is not None:
            assert path == "/v1/messages/batches"
            ids = [request["custom_id"] for request in body["requests"]]
            if not ids or len(set(ids)) < len(ids) or not all(map(_CUSTOM_ID.fullmatch, ids)):
                return failure(400, "requests: custom_id must be unique, of 1 to 64 characters")
            name = f"msgbatch_{len(self.batches) + 1:02}"
            self.batches[name], self._left[name] = body["requests"], self._looks
            return self._told(name)
        if parts[0] not in self.batches:
            return failure(404, "batch not found")
        if len(parts) == 1:
            self._left[parts[0]] -= 1
            return self._told(parts[0])
        assert parts[1] == "results"
        lines = [self._line(*one) for one in enumerate(self.batches[parts[0]])]
        return reply("\n".join(map(json.dumps, reversed(lines))).encode())

    def _line(self, place: int, request: Any) -> Any:
        result = self.results.get(place)
        if result is None:
            status, _, message = self._messages("/v1/messages", request["params"])
            assert status == 200
            result = {"type": "succeeded", "message": json.loads(message)}
        return {"custom_id": request["custom_id"], "result": result}

    def _told(self, name: str) -> Answer:
        ended = self._left[name] < 0
        counts = {"processing": 0 if ended else len(self.batches[name])}
        status = "ended" if ended else "in_progress"
        told = {"id": name, "type": "message_batch", "processing_status": status}
        return reply({**told, "request_counts": counts})


def _assistant(content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content}


def _completion(body: Any) -> dict[str, Any]:
    named = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1}
    return {**named, "model": body["model"]}


def _said(prompt: str) -> str:
    excerpt = prompt.rpartition("<excerpt>")[2].partition("</excerpt>")[0]
    digest = hashlib.blake2b(excerpt.encode(), digest_size=4).hexdigest()
    return f"It is about {' '.join(excerpt.split()[:4])} and has the mark {digest}."


def _words(texts: Sequence[str]) -> int:
    return sum(len(text.split()) for text in texts)


def _vector(text: str, length: int) -> Any:
    total = np.full(length, 1e-3)
    for word in text.lower().split():
        seed = int.from_bytes(
            hashlib.blake2b(word.strip(".,").encode(), digest_size=4).digest(), "big"
        )
        total += np.random.default_rng(seed).normal(size=length)
    return total
