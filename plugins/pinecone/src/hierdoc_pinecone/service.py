"""Pinecone through its SDK: indexes are listed and made, and requests are repeated while the service is busy.

The SDK was rewritten with version 9; what the versions do not share is here.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar
from urllib.parse import urlsplit

import pinecone
from pinecone import Pinecone, ServerlessSpec
from pinecone.exceptions import PineconeException

from hierdoc import StoreError
from hierdoc.plugin import masked
from hierdoc_pinecone import PineconeConfig

_FAILURES: tuple[type[Exception], ...] = (PineconeException, OSError)
with suppress(ImportError):  # newer versions of the SDK do without
    from urllib3.exceptions import HTTPError

    _FAILURES += (HTTPError,)

T = TypeVar("T")

_FIRST_PAUSE = 0.2
"""Seconds before the second attempt; each further one waits twice as long."""

_LONGEST_PAUSE = 60.0
"""Seconds that the service can make us wait before an attempt."""

_MADE_WITHIN = 300.0
"""Seconds that a new index may take until it is ready."""

_BUSY = (408, 429, 500, 502, 503, 504)
_REFUSED = (400, 413, 422)

_NEW = hasattr(pinecone, "RetryConfig")
"""Whether the SDK takes settings for retries and times."""


_ONCE = pinecone.RetryConfig(max_retries=0) if _NEW else None


class RefusedError(StoreError):
    """The service finds fault with a request: a part of it may be good."""


class NotThereError(StoreError):
    """The service does not know what is asked for."""


class Service:
    """A project of Pinecone. All of it is synchronous, and may be used by several threads.

    Args:
        config: Where it is, and by which key.
    """

    def __init__(self, config: PineconeConfig) -> None:
        self._config = config
        options: dict[str, Any] = {}
        if config.ca_certs is not None:
            options["ssl_ca_certs"] = str(config.ca_certs)
        if _NEW:
            options["timeout"] = config.timeout
            options["retry_config"] = _ONCE
        self._made: list[Any] = []
        self._client: Any = self._report(
            lambda: Pinecone(api_key=config.api_key.get_secret_value(), host=config.url, **options)
        )
        if not _NEW:  # its own attempts would come on top of ours
            vars(self._client)["_openapi_config"].retries = False

    @property
    def place(self) -> str:
        """The service, in words for messages."""
        return f"Pinecone at {urlsplit(self._config.url).netloc}"

    def indexes(self) -> dict[int, str]:
        """The hosts of the indexes that belong together, by the length of their vectors; "" of one that is not ready yet."""
        found = {}
        for one in self.ask(self._listed):
            base, _, dimensions = str(one.name).rpartition("-")
            if base == self._config.index and dimensions.isdigit():
                ready = bool(one.status.ready) and one.host
                found[int(dimensions)] = self._address(str(one.host)) if ready else ""
        return found

    def make_index(self, dimensions: int, *, known: bool) -> str:
        """Make an index, and wait until it is ready.

        Args:
            dimensions: Of its vectors.
            known: It is being made already.

        Returns:
            Its host.
        """
        name = f"{self._config.index}-{dimensions}"
        if not known:
            spec = ServerlessSpec(cloud=self._config.cloud, region=self._config.region)
            with suppress(AlreadyThereError):  # by another process or attempt
                self.ask(
                    lambda: self._client.create_index(
                        name=name, dimension=dimensions, metric="cosine", spec=spec, timeout=-1
                    )
                )
        pause, end = _FIRST_PAUSE, time.monotonic() + _MADE_WITHIN
        while True:
            host = self.indexes().get(dimensions)
            if host:
                return host
            if time.monotonic() > end:
                raise StoreError(
                    f"{self.place}: index {name!r} is not ready after {_MADE_WITHIN:g} seconds",
                    hint="Look at it in Pinecone's console, and try again.",
                )
            time.sleep(pause)
            pause = min(2 * pause, 5.0)

    def open_index(self, host: str) -> Callable[..., Any]:
        """A function that asks an index: a method of the SDK's, and what it takes by name."""
        index = self._client.Index(host=host)
        if _NEW:
            with suppress(AttributeError):  # without it, the SDK's own attempts come on top of ours
                index._http._client._transport._config = _ONCE
        self._made.append(index)
        timing = {"timeout" if _NEW else "_request_timeout": self._config.timeout}

        def ask(method: str, **arguments: Any) -> Any:
            return self.ask(lambda: getattr(index, method)(**arguments, **timing))

        return ask

    def ask(self, request: Callable[[], T]) -> T:
        """What a request gives, asked again while the service is busy or does not answer.

        Raises:
            RefusedError: The service finds fault with it.
            StoreError: It refuses or does not answer, also when asked again.
        """
        for attempt in range(self._config.retries + 1):
            try:
                return request()
            except _FAILURES as error:
                failure, again, after = self._judge(error)
                if not again or attempt == self._config.retries:
                    raise failure from error
                time.sleep(min(max(_FIRST_PAUSE * 2**attempt, after), _LONGEST_PAUSE))
        raise AssertionError("the last attempt returns or raises")

    def _listed(self) -> list[Any]:
        try:
            return list(self._client.list_indexes())
        except AttributeError as error:  # SDK 7 takes for an answer what is no JSON
            place = urlsplit(self._config.url).netloc
            raise StoreError(
                f"what answers at {place} is no Pinecone", hint="Check `url`."
            ) from error

    def close(self) -> None:
        """Close the connections."""
        for one in (*self._made, self._client):
            if hasattr(one, "close"):
                one.close()
        self._made.clear()

    def _address(self, host: str) -> str:
        """With the scheme of `url` where the service gives none: its emulator speaks plain HTTP."""
        scheme = urlsplit(self._config.url).scheme
        return f"{scheme}://{host.rpartition('://')[2]}"

    def _report(self, make: Callable[[], T]) -> T:
        try:
            return make()
        except _FAILURES as error:
            raise self._judge(error)[0] from error

    def _judge(self, error: Exception) -> tuple[StoreError, bool, float]:
        """What to call a failure, whether another attempt may help, and how many seconds the service asks to wait."""
        status = getattr(error, "status_code", None) or getattr(error, "status", None)
        if not status:
            return self._no_answer(error)
        headers = {
            str(name).lower(): value
            for name, value in (getattr(error, "headers", None) or {}).items()
        }
        text = self._without_secrets(f"{self.place} answers {status}: {_told(error)}")
        kind: type[StoreError] = StoreError
        hint = "Look at the index in Pinecone's console, and try again."
        if status in (401, 403):
            hint = "Check `api_key`, and what it allows."
        elif status == 404:
            kind, hint = NotThereError, "Check `url` and `index`."
        elif status == 409:
            kind, hint = AlreadyThereError, "Try again."
        elif status in _REFUSED:
            kind, hint = RefusedError, "Check the project's limits and quotas."
        elif status == 429:
            hint = "A limit is reached: try again later, or raise `retries`."
        return kind(text, hint=hint), status in _BUSY, _seconds(headers.get("retry-after"))

    def _no_answer(self, error: Exception) -> tuple[StoreError, bool, float]:
        said = " ".join(str(getattr(error, "reason", None) or error).split())[:300]
        kind = type(error).__name__
        if "certificate" in said.lower() or "SSL" in said + kind:
            hint = "Give the authority that vouches for it in `ca_certs`, and check whether `url` needs https."
            text = f"{self.place}: it cannot be reached: {said}"
            return StoreError(self._without_secrets(text), hint=hint), False, 0.0
        if "Timeout" in kind or "timed out" in said.lower():
            text = f"{self.place}: no answer within {self._config.timeout:g} seconds"
            return StoreError(text, hint="Raise `timeout`, or try again later."), True, 0.0
        if "Parsing" in kind or "ApiType" in kind or "ApiValue" in kind:
            text = f"what answers at {urlsplit(self._config.url).netloc} is no Pinecone: {said}"
            return StoreError(self._without_secrets(text), hint="Check `url`."), False, 0.0
        text = f"{self.place}: it cannot be reached: {said or kind}"
        hint = "Check the network, and `url`."
        return StoreError(self._without_secrets(text), hint=hint), True, 0.0

    def _without_secrets(self, text: str) -> str:
        return masked(text, [self._config.api_key])


class AlreadyThereError(StoreError):
    """What is to be made is there."""


def check(config: PineconeConfig) -> str:
    """Raise `StoreError` where Pinecone does not answer or refuses the key; else name the indexes."""
    service = Service(config)
    try:
        found = service.indexes()
    finally:
        service.close()
    names = [f"{config.index}-{dimensions}" for dimensions in sorted(found)]
    return f"indexes: {', '.join(names)}" if names else "no index yet: the first ingest makes one"


def _told(error: Exception) -> str:
    """The service's reason in a line."""
    body = getattr(error, "body", None)
    if isinstance(body, (str, bytes)):
        try:
            body = json.loads(body)
        except ValueError:
            body = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    if isinstance(body, Mapping):
        inner = body.get("error")
        said = inner.get("message") if isinstance(inner, Mapping) else inner
        body = body.get("message") or said
    return " ".join(str(body or getattr(error, "reason", None) or error).split())[:300]


def _seconds(value: Any) -> float:
    """What `retry-after` asks for, where it is a number of seconds (RFC 9110)."""
    try:
        return max(float(value), 0.0)
    except (TypeError, ValueError):
        return 0.0
