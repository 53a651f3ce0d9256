"""The page for people: what each address shows. Everything is a link or a form, so it works without a mouse and without scripts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import jinja2
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from hierdoc.index import AsyncIndex
from hierdoc.models import SearchResult
from hierdoc_serve.api import STATUS
from hierdoc_serve.comparison import compared
from hierdoc_serve.pictures import Pictures
from hierdoc_serve.reading import Reading, read_span
from hierdoc_serve.rendering import PASSAGE, excerpt, rendered
from hierdoc_tools.arguments import Searching, ToolError, read_arguments
from hierdoc_tools.tools import Tools

if TYPE_CHECKING:
    from hierdoc_tools.corpus import Corpus

Work = Callable[[AsyncIndex], Awaitable[Reading | None]]

MODES = ("hybrid", "semantic", "keyword", "exact")
_SHOWN = 10
"""Hits of a search that does not say how many."""

_SEARCHED = ("query", "mode", "top_k", "in", "where", "as_of")
"""What a search takes from its address."""


class Page:
    """The page over one or more indexes.

    Args:
        tools: How each is asked, by the name of its configuration; the first is the one that is read and searched.
        corpora: The indexes, by the same names.
        pictures: Draws pages of PDF files.
        secured: Whether people sign in.
    """

    def __init__(
        self,
        tools: Mapping[str, Tools],
        corpora: Mapping[str, Corpus],
        pictures: Pictures,
        *,
        secured: bool,
    ) -> None:
        self._tools = tools
        self._corpora = corpora
        self._pictures = pictures
        self._first = next(iter(tools))
        self._secured = secured

    def routes(self) -> list[Route]:
        """The addresses."""
        shown = {
            "/": self._search,
            "/document": self._document,
            "/section": self._section,
            "/define": self._define,
            "/documents": self._documents,
            "/compare": self._compare,
        }
        return [
            *(Route(path, partial(self._shown, show), name=f"page {path}")
              for path, show in shown.items()),
            Route("/picture", self._picture, name="page /picture"),
            Route("/logout", self._logout, methods=["POST"], name="page /logout"),
            Route("/style.css", _style, name="page /style.css"),
            Route("/icon.svg", _icon, name="page /icon.svg"),
        ]  # fmt: skip

    @staticmethod
    def login(following: str, *, wrong: bool) -> Response:
        """The form that asks for the token."""
        shown = _written("login", title="Sign in", following=following, wrong=wrong)
        return HTMLResponse(shown, 403 if wrong else 200)

    async def _shown(
        self, show: Callable[[Mapping[str, str]], Awaitable[dict[str, Any]]], request: Request
    ) -> Response:
        """The page that `show` gives values for; of what cannot be answered the reason."""
        given = {name: value.strip() for name, value in request.query_params.items()}
        view = request.url.path.strip("/") or "search"
        status, failed = 200, None
        try:
            values = await show({name: value for name, value in given.items() if value})
        except ToolError as error:
            status, failed, values = STATUS[error.kind], error, {}
        common = {
            "asked": given,
            "failed": failed,
            "notes": self._corpora[self._first].notes(),
            "modes": MODES,
            "configurations": list(self._tools),
            "secured": self._secured,
            "passage": PASSAGE,
        }
        return HTMLResponse(await asyncio.to_thread(_written, view, **{**common, **values}), status)

    async def _search(self, given: Mapping[str, str]) -> dict[str, Any]:
        if "query" not in given:
            return {}
        tools = self._tools[self._first]
        result = await self._searched(self._first, given)
        values: dict[str, Any] = {"title": given["query"], "result": result, "excerpt": excerpt}
        chosen = _whole(given.get("hit"), 1, len(result.hits)) if result.hits else 0
        if chosen:
            chunk = result.hits[chosen - 1].chunk
            work = partial(read_span, chunk.source, chunk.char_start, chunk.char_end)
            values["chosen"] = chosen
            try:
                values["reading"] = await _reading(tools.look, work)
            except ToolError as error:  # an ingest has just replaced it: the hits stand
                values["unread"] = error
        return values

    async def _document(self, given: Mapping[str, str]) -> dict[str, Any]:
        source = given.get("source", "")
        start = _whole(given.get("from"), 0, 10**9, 0)
        end = _whole(given.get("to"), 0, 10**9, 0)
        work = partial(read_span, source, start, end)
        reading = await _reading(self._tools[self._first].ask, work)
        return {"title": reading.title or source, "reading": reading}

    async def _section(self, given: Mapping[str, str]) -> dict[str, Any]:
        if "reference" not in given:
            return {"title": "Sections"}
        call = partial(_called, self._tools[self._first])
        names = ("reference", "in", "cursor")
        asked = {name: given[name] for name in names if name in given}
        section = await call("section", {"budget_tokens": 8_000, **asked})
        asked.pop("cursor", None)
        references = await call("references", {"budget_tokens": 8_000, **asked})
        for one in section["sections"]:
            one["html"] = await asyncio.to_thread(rendered, one["text"])
        return {"title": given["reference"], "section": section, "references": references}

    async def _define(self, given: Mapping[str, str]) -> dict[str, Any]:
        if "term" not in given:
            return {"title": "Defined terms"}
        asked = {name: given[name] for name in ("term", "in", "cursor") if name in given}
        found = await _called(self._tools[self._first], "define", asked)
        return {"title": given["term"], "found": found}

    async def _documents(self, given: Mapping[str, str]) -> dict[str, Any]:
        asked = {name: given[name] for name in ("where", "as_of", "cursor") if name in given}
        listed = await _called(self._tools[self._first], "documents", asked)
        return {"title": "Documents", "listed": listed}

    async def _compare(self, given: Mapping[str, str]) -> dict[str, Any]:
        if "query" not in given:
            return {"title": "Compare"}
        sides = []
        for side in ("left", "right"):
            name = given.get(side, self._first)
            if name not in self._tools:
                raise ToolError(
                    f"There is no configuration called {name[:80]!r}.",
                    f"There are {', '.join(self._tools)}.",
                    where=side,
                    kind="missing",
                )
            asked = {key: given[key] for key in ("query", "top_k") if key in given}
            if mode := given.get(f"{side}_mode"):
                asked["mode"] = mode
            sides.append((name, await self._searched(name, asked)))
        (left, found), (right, other) = sides
        return {
            "title": given["query"],
            "sides": [
                (left, found, compared(found, other)),
                (right, other, compared(other, found)),
            ],
            "excerpt": excerpt,
        }

    async def _searched(self, name: str, given: Mapping[str, str]) -> SearchResult:
        """What a search finds, within the limits of the calls; unlike theirs with all that is known of each hit."""
        asked = {one: given[one] for one in _SEARCHED if one in given}
        wanted = read_arguments("search", Searching, {"top_k": _SHOWN, **asked})
        assert isinstance(wanted, Searching)

        async def work(index: AsyncIndex) -> SearchResult:
            return await index.search(
                wanted.query,
                top_k=wanted.top_k,
                mode=wanted.mode,
                filter=await index.within(documents=wanted.documents),
                where=wanted.where,
                as_of=wanted.as_of,
            )

        found = await self._tools[name].ask(work)
        scrub = self._corpora[name].scrub
        told = tuple(replace(one, reason=scrub(one.reason)) for one in found.degraded)
        return replace(found, degraded=told)

    async def _picture(self, request: Request) -> Response:
        source = request.query_params.get("source", "")
        page = _whole(request.query_params.get("page"), 1, 10**6)

        async def drawn(index: AsyncIndex) -> bytes:
            return await self._pictures.picture(await index.original(source), page)

        try:
            picture = await self._tools[self._first].ask(drawn)
        except ToolError as error:
            return HTMLResponse(_written("picture", failed=error), STATUS[error.kind])
        headers = {"cache-control": "private, max-age=300"}
        return Response(picture, media_type="image/png", headers=headers)

    async def _logout(self, request: Request) -> Response:
        response = RedirectResponse("/login", 303)
        response.delete_cookie("hierdoc_session")
        return response


async def _reading(ask: Callable[[Work], Awaitable[Reading | None]], work: Work) -> Reading:
    found = await ask(work)
    if found is None:
        raise ToolError(
            "There is no such place.", "Ask again: the document may have changed.", kind="missing"
        )
    return found


async def _called(tools: Tools, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    answer = await tools.call(name, given)
    if answer.error is not None:
        raise answer.error
    assert answer.data is not None
    return answer.data


def _whole(given: str | None, least: int, most: int, default: int = 1) -> int:
    """A whole number of an address, within bounds; the default for anything else."""
    number = (
        int(given) if given and given.isascii() and given.isdigit() and len(given) < 10 else default
    )
    return min(max(number, least), most)


# Files


def _written(view: str, **values: Any) -> str:
    return _template().render(view=view, **values)


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.ChainableUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals["link"] = _link
    return environment.from_string(_file("page.html"))


def _link(path: str, **given: Any) -> str:
    """An address with what is asked there; what is none or empty is left out, `in_` stands for `in`."""
    asked = {name.rstrip("_"): value for name, value in given.items() if value not in (None, "")}
    return f"{path}?{urlencode(asked)}" if asked else path


@cache
def _file(name: str) -> str:
    return files("hierdoc_serve").joinpath(name).read_text("utf-8")


async def _style(request: Request) -> Response:
    headers = {"cache-control": "max-age=3600"}
    return Response(_file("style.css"), media_type="text/css", headers=headers)


async def _icon(request: Request) -> Response:
    headers = {"cache-control": "max-age=3600"}
    return Response(_file("icon.svg"), media_type="image/svg+xml", headers=headers)
