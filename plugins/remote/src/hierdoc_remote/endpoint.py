"""Requests to an API that takes and gives JSON: patient where trying again helps, and quick to say what is wrong where it does not."""

from __future__ import annotations

import asyncio
import json
import logging
import random
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from hierdoc import HierdocError
from hierdoc.plugin import masked
from hierdoc_remote import RemoteConfig

logger = logging.getLogger("hierdoc")

_BUSY = frozenset({408, 429, 500, 502, 503, 504, 529})
"""Statuses after which the same request may succeed."""

_IN_JSON = {"content-type": "application/json"}

_REFUSED = frozenset({400, 413, 422})

_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 60.0
"""Seconds before the second attempt, and before any."""

_HINTS = {
    401: "Check `api_key`.",
    403: "Check `api_key`, and what it may be used for.",
    404: "Check `base_url`, which ends with the version, such as /v1, and `model`.",
    429: "Wait, or lower `concurrency`; see the limits and the credit of the account.",
}


class RequestRefusedError(HierdocError):
    """The server takes this request for wrong, such as a text that is too long; others may succeed."""


class AccessError(HierdocError):
    """The key, the address or the model is wrong: no request will succeed."""


class MissingError(AccessError):
    """The server knows no such address."""


@dataclass(frozen=True)
class _Opened:
    """What belongs to one event loop, and cannot be used from another.

    Attributes:
        loop: It.
        client: The connections.
        slots: One for each request at the same time.
        room: For turns; one less than twice the slots, so that one turn which fills all of them leaves no room for another like it.
        door: Where turns wait in line.
    """

    loop: asyncio.AbstractEventLoop
    client: httpx.AsyncClient
    slots: asyncio.Semaphore
    room: asyncio.Semaphore
    door: asyncio.Lock


class Endpoint:
    """An API as configured.

    Args:
        config: Where it is, and how patiently it is asked.
        headers: Sent with each request; secrets in them are those of the configuration.
        concurrency: Requests at the same time, at most.
    """

    def __init__(self, config: RemoteConfig, headers: Mapping[str, str], concurrency: int) -> None:
        self._config = config
        self._headers = dict(headers)
        self._concurrency = concurrency
        self._opened: _Opened | None = None

    async def post(
        self, path: str, body: Mapping[str, Any], parameters: Mapping[str, str] | None = None
    ) -> Any:
        """What the server answers.

        Args:
            path: Behind the base URL, such as /embeddings.
            body: Anything that JSON can say.
            parameters: Of the URL.

        Raises:
            RequestRefusedError: The request is wrong.
            AccessError: The key, the address or the model is.
            HierdocError: The server stays busy, fails or cannot be reached; the key is not shown.
        """
        opened = await self._open()
        # Before there is a slot, which is then used at once.
        content = json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
        url = self._config.base_url + path
        if parameters:
            url = f"{url}?{httpx.QueryParams(parameters)}"
        async with opened.slots:
            response = await self._patiently(url, content)
        return self._read(response.text, url)

    async def get(self, path: str) -> Any:
        """What is found at a path; raises as `post` does."""
        (found,) = await self._got(path, lambda text: [text])
        return found

    async def get_lines(self, path: str) -> list[Any]:
        """What is found at a path, each line a value in JSON; raises as `post` does."""
        return await self._got(
            path, lambda text: [line for line in text.split("\n") if line.strip()]
        )

    async def _got(self, path: str, parts: Callable[[str], list[str]]) -> list[Any]:
        opened = await self._open()
        url = self._config.base_url + path
        async with opened.slots:
            response = await self._patiently(url, None)
        return [self._read(part, url) for part in parts(response.text)]

    @asynccontextmanager
    async def turn(self, requests: int) -> AsyncIterator[Callable[[], None]]:
        """Wait until those whose turn it is leave slots idle; what is called for each of so many requests that has ended.

        Several small documents share the slots; two large ones follow each other, so that the server keeps what it has read of the first.
        """
        opened, most = await self._open(), self._concurrency
        left, held = requests, 0

        def ended() -> None:
            nonlocal left, held
            left -= 1
            if left < held:
                held -= 1
                opened.room.release()

        try:
            async with opened.door:
                while held < min(requests, most):
                    await opened.room.acquire()
                    held += 1
            yield ended
        finally:
            for _ in range(held):
                opened.room.release()

    async def aclose(self) -> None:
        """Close all connections."""
        opened, self._opened = self._opened, None
        if opened is not None:
            await opened.client.aclose()

    async def _patiently(self, url: str, content: bytes | None) -> httpx.Response:
        """The response to content that is posted or, without any, to a plain request."""
        pause = _FIRST_PAUSE
        for left in reversed(range(self._config.retries + 1)):
            response, problem = await self._attempt(url, content)
            if response is not None and response.is_success:
                return response
            if response is not None and not _worth_another(response):
                raise self._error(response, url)
            asked = _retry_after(response) if response is not None else None
            if not left or (asked or 0) > _LONGEST_PAUSE:
                if response is not None:
                    raise self._error(response, url)
                raise HierdocError(
                    f"{self._owner} {url} cannot be asked: {problem}",
                    hint="See that the server runs, and raise `timeout` where it is slow.",
                )
            seconds = asked or pause * random.uniform(0.75, 1.25)  # noqa: S311 - spreads requests
            logger.info("%s: %s, trying again in %.1f s", url, problem, seconds)
            await asyncio.sleep(seconds)
            pause = min(2 * pause, _LONGEST_PAUSE)
        raise AssertionError("the last attempt returns or raises")

    async def _attempt(self, url: str, content: bytes | None) -> tuple[httpx.Response | None, str]:
        """The response and its status or, where there is none, why."""
        method, kind = ("GET", {}) if content is None else ("POST", _IN_JSON)
        try:
            client = (await self._open()).client
            response = await client.request(
                method, url, content=content, headers={**kind, **self._headers}
            )
            return response, f"status {response.status_code}"
        except httpx.TimeoutException:
            return None, f"no answer within {self._config.timeout:g} s"
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return None, self._masked(f"{type(error).__name__}: {error}")

    async def _open(self) -> _Opened:
        """What belongs to the running loop."""
        loop = asyncio.get_running_loop()
        if self._opened is not None and self._opened.loop is loop:
            return self._opened
        encrypts = not self._config.base_url.startswith("http:")
        # Certificates take long to read, so a thread does it, and nobody where there is nothing to verify.
        verify = await asyncio.to_thread(httpx.create_ssl_context) if encrypts else False
        if self._opened is None or self._opened.loop is not loop:  # unless another call has
            most = self._concurrency
            limits = httpx.Limits(max_connections=None, max_keepalive_connections=most)
            client = httpx.AsyncClient(timeout=self._config.timeout, limits=limits, verify=verify)
            slots, room = asyncio.Semaphore(most), asyncio.Semaphore(2 * most - 1)
            self._opened = _Opened(loop, client, slots, room, asyncio.Lock())
        return self._opened

    def _read(self, text: str, url: str) -> Any:
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise HierdocError(
                f"{self._owner} {url} answers what is no JSON: {_line(text)}",
                hint="Check `base_url`, which ends with the version, such as /v1.",
            ) from error

    def _error(self, response: httpx.Response, url: str) -> HierdocError:
        status = response.status_code
        message = self._masked(
            f"{self._owner} {url} answers with status {status}: {_excerpt(response)}"
        )
        hint = _HINTS.get(status)
        if status in _REFUSED:
            return RequestRefusedError(message, hint=hint)
        if status == 404:
            return MissingError(message, hint=hint)
        if status in (401, 403) or response.is_redirect:
            return AccessError(message, hint=hint or _HINTS[404])
        return HierdocError(message, hint=hint)

    @property
    def _owner(self) -> str:
        return f"{self._config.provider}:"

    def _masked(self, text: str) -> str:
        return masked(text, [self._config.api_key])


def _worth_another(response: httpx.Response) -> bool:
    """Whether the same request may succeed; an account without credit is no busy server, though its status is the same."""
    return response.status_code in _BUSY and "insufficient_quota" not in response.text


def _excerpt(response: httpx.Response) -> str:
    """What the server says, in a line: the message of the error, wherever the various APIs put it, or the beginning of the body."""
    said: Any = response.text
    try:
        body = response.json()
    except ValueError:
        body = None
    if isinstance(body, Mapping):
        error = body.get("error", body)
        if isinstance(error, Mapping):
            error = error.get("message") or error.get("detail")
        said = error or said
    return _line(str(said))


def _line(text: str) -> str:
    return " ".join(text.split())[:300] or "nothing"


def _retry_after(response: httpx.Response) -> float | None:
    """The seconds that the server asks for, whether it gives a number or a date."""
    value = response.headers.get("retry-after", "")
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
