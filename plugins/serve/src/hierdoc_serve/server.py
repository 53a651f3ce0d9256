"""The API and the page as one application: who may call, what every response says, and how errors look."""

from __future__ import annotations

import hashlib
import hmac
import logging
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, urlsplit

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Match, Route

from hierdoc_serve import api
from hierdoc_serve.metrics import CONTENT_TYPE, Metrics
from hierdoc_serve.page import Page
from hierdoc_serve.pictures import Pictures
from hierdoc_tools import limits
from hierdoc_tools.access import (
    CONNECTIONS,
    LOOPBACK_NAMES,
    Message,
    Token,
    bounded,
    stated_length,
)
from hierdoc_tools.arguments import ToolError
from hierdoc_tools.tools import Tools

if TYPE_CHECKING:
    import socket

    from hierdoc.config.models import Config
    from hierdoc_tools.corpus import Corpus

logger = logging.getLogger("hierdoc_serve")

_COOKIE = "hierdoc_session"
_SESSION = 12 * 3_600
"""Seconds that a person stays signed in."""

_OPEN_TO_ALL = frozenset(("/health", "/login", "/style.css", "/icon.svg"))
"""What is answered without a token: nothing here tells of the documents."""

_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


@dataclass(frozen=True)
class Served:
    """What the application is about.

    Attributes:
        corpora: The indexes by the name of their configuration; the first is the one that is asked, the others are compared with it.
        token: What callers show.
        only_loopback: Whether requests under other names than this machine's own are refused.
        budget: Tokens of a reply where a call does not say.
        rate: How many calls a minute are answered, all together.
    """

    corpora: Mapping[str, Corpus]
    token: Token = field(default_factory=Token)
    only_loopback: bool = True
    budget: int = limits.BUDGET
    rate: limits.Rate = field(default_factory=lambda: limits.Rate(0))


class Server:
    """The application, for as long as it is used with `async with`.

    Args:
        served: What it is about.
    """

    def __init__(self, served: Served) -> None:
        self._served = served
        self.tools = {
            name: Tools(corpus, budget=served.budget, rate=served.rate)
            for name, corpus in served.corpora.items()
        }
        self._first = next(iter(self.tools.values()))
        self._corpus = next(iter(served.corpora.values()))
        self._metrics = Metrics(lambda: self._corpus.building)
        self._pictures = Pictures()
        self._sessions = _Sessions(served.token)
        self._starlette = Starlette(
            routes=self._routes(),
            exception_handlers={404: _not_found, 405: _not_found, Exception: _failed},
        )

    async def __aenter__(self) -> Server:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._pictures.aclose()

    def _routes(self) -> list[Route]:
        page = Page(
            self.tools,
            self._served.corpora,
            self._pictures,
            secured=self._served.token.secret is not None,
        )
        described = api.openapi(self._first, secured=self._served.token.secret is not None)

        async def openapi(request: Request) -> Response:
            return JSONResponse(described)

        calls = [
            Route(
                f"/api/{name}", api.endpoint(self._first, tool),
                methods=["GET", "POST"], name=name,
            )
            for name, tool in self._first.offered.items()
        ]  # fmt: skip
        return [
            *calls,
            Route("/api/openapi.json", openapi, name="openapi"),
            Route("/health", self._health, name="health"),
            Route("/metrics", self._measured, name="metrics"),
            Route("/login", self._login, methods=["GET", "POST"], name="login"),
            *page.routes(),
        ]

    async def _health(self, request: Request) -> Response:
        return JSONResponse({"status": "building" if self._corpus.building else "ok"})

    async def _measured(self, request: Request) -> Response:
        chunks = None
        with suppress(Exception):  # an index that cannot be counted is no reason to hide the rest
            chunks = await (await self._corpus.index()).count()
        return Response(self._metrics.written(chunks), media_type=CONTENT_TYPE)

    async def _login(self, request: Request) -> Response:
        wrong = False
        if request.method == "POST":
            given = parse_qs((await request.body()).decode("utf-8", "replace"))
            if self._served.token.is_shown(given.get("token", [""])[0]):
                response: Response = RedirectResponse(
                    _within_site(given.get("next", ["/"])[0]), 303
                )
                response.set_cookie(
                    _COOKIE, self._sessions.new(), _SESSION,
                    httponly=True, samesite="strict", secure=request.url.scheme == "https",
                )  # fmt: skip
                return response
            wrong = True
        following = _within_site(request.query_params.get("next", "/"))
        return Page.login(following, wrong=wrong)

    # The guard around it all

    async def __call__(self, scope: Message, receive: Any, send: Any) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            return
        begun = time.perf_counter()
        status = 500

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = self._refusal(scope)
        try:
            if refusal is not None:
                await refusal(scope, receive, sending)
            else:
                await self._starlette(scope, bounded(receive), sending)
        finally:
            self._metrics.count(self._call(scope), status, time.perf_counter() - begun)

    def _refusal(self, scope: Message) -> Response | None:
        headers = Headers(scope=scope)
        if self._served.only_loopback and not _is_loopback_name(headers.get("host", "")):
            what = "This server answers only under the names of this machine's loopback."
            hint = "Put a token in HIERDOC_SERVE_TOKEN to have it answer under other names."
            return api.error_response(ToolError(what, hint, where="Host", kind="arguments"), 421)
        if stated_length(dict(scope["headers"])) > limits.BODY:
            what = f"A request may have {limits.BODY:,} bytes."
            return api.error_response(ToolError(what, where="body", kind="arguments"), 413)
        if scope["path"] in _OPEN_TO_ALL or self._is_known(scope, headers):
            return None
        if scope["path"].startswith("/api/") or scope["path"] == "/metrics":
            error = ToolError(
                "A token is needed.",
                "Send it as `Authorization: Bearer TOKEN`.",
                where="Authorization",
            )
            response = api.error_response(error, 401)
            response.headers["www-authenticate"] = 'Bearer realm="hierdoc"'
            return response
        wanted = scope["path"] + ("?" + scope["query_string"].decode("latin-1")).rstrip("?")
        return RedirectResponse(f"/login?next={quote(wanted, safe='')}", 303)

    def _is_known(self, scope: Message, headers: Headers) -> bool:
        if self._served.token.secret is None:
            return True
        if borne := headers.get("authorization"):
            return self._served.token.is_borne(borne.encode("latin-1", "replace"))
        return self._sessions.is_one(Request(scope).cookies.get(_COOKIE, ""))

    def _call(self, scope: Message) -> str:
        """What was asked, as the metrics name it."""
        for route in self._starlette.routes:
            if isinstance(route, Route) and route.matches(scope)[0] is not Match.NONE:
                return route.name
        return "other"


class _Sessions:
    """What the cookie of a person who has signed in says: until when, and that it is ours."""

    def __init__(self, token: Token) -> None:
        self._key = hashlib.sha256(b"hierdoc session\0" + (token.secret or "").encode()).digest()

    def new(self) -> str:
        expires = str(int(time.time()) + _SESSION)
        return f"{expires}.{self._signature(expires)}"

    def is_one(self, cookie: str) -> bool:
        expires, _, signature = cookie.partition(".")
        ours = hmac.compare_digest(signature.encode(), self._signature(expires).encode())
        return ours and int(expires) > time.time()

    def _signature(self, expires: str) -> str:
        return hmac.new(self._key, expires.encode(), hashlib.sha256).hexdigest()


def _within_site(address: str) -> str:
    """An address of this site; of others the page to begin with."""
    parts = urlsplit(address)
    foreign = parts.scheme or parts.netloc or not address.startswith("/") or "\\" in address
    return "/" if foreign or address.startswith("//") else address


def _is_loopback_name(host: str) -> bool:
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    return name.lower() in LOOPBACK_NAMES


async def _not_found(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    if request.url.path.startswith("/api/"):
        hint = "/api/openapi.json describes what there is."
        said = "There is no such call." if status == 404 else "This is not asked for in this way."
        return api.error_response(ToolError(said, hint, where="path", kind="missing"), status)
    return PlainTextResponse("There is no such page.", status)


async def _failed(request: Request, error: Exception) -> Response:
    """Reported: to the log in full, to the client by its kind."""
    what = f"Internal error ({type(error).__name__}); the server's log says more."
    return api.error_response(ToolError(what, kind="internal"))


async def run(
    configs: Sequence[tuple[str, Config]],
    ingest: bool | None,
    listening: socket.socket,
    **options: Any,
) -> None:
    """Serve these configurations until the process is told to stop.

    Args:
        configs: By name, that which is asked first.
        ingest: Whether to bring the indexes up to date first; None for only those that keep nothing.
        listening: Where.
        options: Of `Served`.
    """
    import uvicorn

    from hierdoc_tools.corpus import Corpus

    async with AsyncExitStack() as stack:
        corpora = {
            name: await stack.enter_async_context(Corpus(config, ingest=ingest, apart=True))
            for name, config in configs
        }
        server = await stack.enter_async_context(Server(Served(corpora, **options)))
        settings = uvicorn.Config(
            server, lifespan="off", log_config=None, access_log=False, server_header=False,
            limit_concurrency=CONNECTIONS, timeout_graceful_shutdown=3, timeout_keep_alive=limits.KEPT,
        )  # fmt: skip
        await uvicorn.Server(settings).serve(sockets=[listening])
