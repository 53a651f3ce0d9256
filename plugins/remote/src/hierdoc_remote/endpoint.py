"""Requests to an API that takes and gives JSON: patient where trying again helps, and quick to say what is wrong where it does not."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Mapping
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


@dataclass(frozen=True)
class _Opened:
    loop: asyncio.AbstractEventLoop
    client: httpx.AsyncClient
    slots: asyncio.Semaphore


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

    async def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """What the server answers.

        Args:
            path: Behind the base URL, such as /embeddings.
            body: Anything that JSON can say.

        Raises:
            RequestRefusedError: The request is wrong.
            AccessError: The key, the address or the model is.
            HierdocError: The server stays busy, fails or cannot be reached; the key is not shown.
        """
        async with self._open().slots:
            return await self._patiently(self._config.base_url + path, body)

    async def aclose(self) -> None:
        """Close all connections."""
        opened, self._opened = self._opened, None
        if opened is not None:
            await opened.client.aclose()

    async def _patiently(self, url: str, body: Mapping[str, Any]) -> Any:
        pause = _FIRST_PAUSE
        for left in reversed(range(self._config.retries + 1)):
            response, problem = await self._attempt(url, body)
            if response is not None and response.is_success:
                return self._read(response, url)
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

    async def _attempt(
        self, url: str, body: Mapping[str, Any]
    ) -> tuple[httpx.Response | None, str]:
        """The response and its status or, where there is none, why."""
        try:
            response = await self._open().client.post(url, json=body, headers=self._headers)
            return response, f"status {response.status_code}"
        except httpx.TimeoutException:
            return None, f"no answer within {self._config.timeout:g} s"
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return None, self._masked(f"{type(error).__name__}: {error}")

    def _open(self) -> _Opened:
        """What belongs to the running loop: connections cannot be used from another."""
        loop = asyncio.get_running_loop()
        if self._opened is None or self._opened.loop is not loop:
            limits = httpx.Limits(max_connections=None, max_keepalive_connections=self._concurrency)
            client = httpx.AsyncClient(timeout=self._config.timeout, limits=limits)
            self._opened = _Opened(loop, client, asyncio.Semaphore(self._concurrency))
        return self._opened

    def _read(self, response: httpx.Response, url: str) -> Any:
        try:
            return response.json()
        except ValueError as error:
            raise HierdocError(
                f"{self._owner} {url} answers what is no JSON: {_excerpt(response)}",
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
        if status in (401, 403, 404) or response.is_redirect:
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
    return " ".join(str(said).split())[:300] or "nothing"


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
