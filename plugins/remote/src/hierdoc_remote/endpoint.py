"""Requests to an API that takes and gives JSON: patient where trying again helps, and quick to say what is wrong where it does not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import httpx

from hierdoc import HierdocError
from hierdoc.plugin import masked
from hierdoc_remote import RemoteConfig
from hierdoc_remote.patience import BusyError, Turns, failure_of, patiently, retry_after

_IN_JSON = {"content-type": "application/json"}

_HINTS = {
    401: "Check `api_key`.",
    403: "Check `api_key`, and what it may be used for.",
    404: "Check `base_url`, which ends with the version, such as /v1, and `model`.",
    429: "Wait, or lower `concurrency`; see the limits and the credit of the account.",
}


class Endpoint:
    """An API as configured.

    Args:
        config: Where it is, and how patiently it is asked.
        headers: Sent with each request; secrets in them are those of the configuration.
        concurrency: Requests at the same time, at most.

    Attributes:
        turns: Who may ask, and when.
    """

    def __init__(self, config: RemoteConfig, headers: Mapping[str, str], concurrency: int) -> None:
        self._config = config
        self._headers = dict(headers)
        self._concurrency = concurrency
        self._client: tuple[asyncio.AbstractEventLoop, httpx.AsyncClient] | None = None
        self.turns = Turns(concurrency)

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
        # Before there is a slot, which is then used at once.
        content = json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
        url = self._config.base_url + path
        if parameters:
            url = f"{url}?{httpx.QueryParams(parameters)}"
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
        url = self._config.base_url + path
        response = await self._patiently(url, None)
        return [self._read(part, url) for part in parts(response.text)]

    async def aclose(self) -> None:
        """Close all connections."""
        opened, self._client = self._client, None
        if opened is not None:
            await opened[1].aclose()

    async def _patiently(self, url: str, content: bytes | None) -> httpx.Response:
        """The response to content that is posted or, without any, to a plain request."""
        client = await self._open()
        async with self.turns.slot:
            return await patiently(
                lambda: self._attempt(client, url, content), self._config.retries, url
            )

    async def _attempt(
        self, client: httpx.AsyncClient, url: str, content: bytes | None
    ) -> httpx.Response:
        method, kind = ("GET", {}) if content is None else ("POST", _IN_JSON)
        try:
            response = await client.request(
                method, url, content=content, headers={**kind, **self._headers}
            )
        except httpx.TimeoutException:
            problem = f"no answer within {self._config.timeout:g} s"
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            problem = self._masked(f"{type(error).__name__}: {error}")
        else:
            if response.is_success:
                return response
            raise self._error(response, url)
        message = f"{self._owner} {url} cannot be asked: {problem}"
        hint = "See that the server runs, and raise `timeout` where it is slow."
        raise BusyError(HierdocError(message, hint=hint), problem)

    async def _open(self) -> httpx.AsyncClient:
        """The connections of the running loop."""
        loop = asyncio.get_running_loop()
        if self._client is not None and self._client[0] is loop:
            return self._client[1]
        encrypts = not self._config.base_url.startswith("http:")
        # Certificates take long to read, so a thread does it, and nobody where there is nothing to verify.
        verify = await asyncio.to_thread(httpx.create_ssl_context) if encrypts else False
        if self._client is None or self._client[0] is not loop:  # unless another call has
            limits = httpx.Limits(max_connections=None, max_keepalive_connections=self._concurrency)
            client = httpx.AsyncClient(timeout=self._config.timeout, limits=limits, verify=verify)
            self._client = loop, client
        return self._client[1]

    def _read(self, text: str, url: str) -> Any:
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise HierdocError(
                f"{self._owner} {url} answers what is no JSON: {_line(text)}",
                hint="Check `base_url`, which ends with the version, such as /v1.",
            ) from error

    def _error(self, response: httpx.Response, url: str) -> HierdocError | BusyError:
        status = response.status_code
        said = f"{self._owner} {url} answers with status {status}: {_excerpt(response)}"
        hint = _HINTS.get(404 if response.is_redirect else status)
        if "insufficient_quota" in response.text:  # no busy server, though its status is the same
            return HierdocError(self._masked(said), hint=hint)
        return failure_of(status, self._masked(said), hint, retry_after(response.headers))

    @property
    def _owner(self) -> str:
        return f"{self._config.provider}:"

    def _masked(self, text: str) -> str:
        return masked(text, [self._config.api_key])


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
