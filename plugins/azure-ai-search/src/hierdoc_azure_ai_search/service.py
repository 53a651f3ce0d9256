"""Requests to a search service through its SDK: repeated while it is busy, and named when they fail."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit

from azure.core.credentials import AzureKeyCredential
from azure.core.exceptions import AzureError, HttpResponseError
from azure.search.documents import SearchClient
from azure.search.documents.indexes import SearchIndexClient

from hierdoc import StoreError
from hierdoc.plugin import masked
from hierdoc_azure_ai_search import AzureConfig

T = TypeVar("T")

_FIRST_PAUSE = 0.2
"""Seconds before the second attempt; each further one waits twice as long."""

_LONGEST_PAUSE = 60.0
"""Seconds that the service can make us wait before an attempt."""

BUSY = (408, 409, 422, 429, 500, 502, 503, 504)
"""Statuses of the service, and of a document in a batch, that another attempt may change; 409 and 422 of an index that is being changed."""


class NotThereError(StoreError):
    """The service does not know what is asked for."""


class RefusedError(StoreError):
    """The service finds fault with a request: a part of it may be good."""


class Service:
    """A search service. All of it is synchronous, and may be used by several threads.

    Args:
        config: Where it is, and by which key.
        index: The name of the index whose documents are asked for.
    """

    def __init__(self, config: AzureConfig, index: str) -> None:
        self._config = config
        options: dict[str, Any] = {
            "retry_total": 0,  # we wait between attempts
            "connection_timeout": config.timeout,
            "read_timeout": config.timeout,
        }
        if config.ca_certs is not None:
            options["connection_verify"] = str(config.ca_certs)
        key = AzureKeyCredential(config.api_key.get_secret_value())
        try:
            self.indexes = SearchIndexClient(config.url, key, **options)
            self.documents = SearchClient(config.url, index, key, **options)
        except ValueError as error:
            text = masked(str(error), [config.api_key])
            raise StoreError(
                f"{self.place}: {text}", hint="Check `url`: it takes https."
            ) from error

    @property
    def place(self) -> str:
        """The service, in words for messages."""
        return f"Azure AI Search at {urlsplit(self._config.url).netloc}"

    def ask(self, request: Callable[[], T]) -> T:
        """What a request gives, asked again while the service is busy or does not answer.

        Raises:
            NotThereError: The service does not know what is asked for.
            StoreError: It refuses or does not answer, also when asked again.
        """
        for attempt in range(self._config.retries + 1):
            try:
                return request()
            except (AzureError, OSError, ValueError) as error:  # the SDK reads JSON as it comes
                failure, again, after = self._judge(error)
                if not again or attempt == self._config.retries:
                    raise failure from error
            self.pause(attempt, after)
        raise AssertionError("the last attempt returns or raises")

    def pause(self, attempt: int, after: float = 0.0) -> None:
        """Wait before asking again; attempts count from 0."""
        time.sleep(min(max(_FIRST_PAUSE * 2**attempt, after), _LONGEST_PAUSE))

    def close(self) -> None:
        """Close the connections."""
        self.indexes.close()
        self.documents.close()

    def _judge(self, error: Exception) -> tuple[StoreError, bool, float]:
        """What to call a failure, whether another attempt may help, and how many seconds the service asks to wait."""
        status = getattr(error, "status_code", None)
        if not isinstance(error, HttpResponseError) or not status:
            return self._no_answer(error)
        told = " ".join(str(getattr(error.error, "message", None) or error.message).split())[:300]
        text = masked(f"{self.place} answers {status}: {told}", [self._config.api_key])
        if status < 300:
            failure = StoreError(
                f"{self.place}: its answer cannot be read: {told}",
                hint="Try again, and check `url`.",
            )
            return failure, True, 0.0
        kind: type[StoreError] = StoreError
        hint = "Look at the service in Azure's portal, and try again."
        if status in (401, 403):
            hint = "Check `api_key`, which must be an admin key, and the service's network rules."
        elif status == 404:
            kind, hint = NotThereError, "Check `url` and `collection`."
        elif status in (400, 413):
            kind, hint = RefusedError, "Check the limits of the service's tier."
        elif status in (429, 503):
            hint = "The service is busy: try again later, add replicas, or raise `retries`."
        headers = getattr(error.response, "headers", None) or {}
        return kind(text, hint=hint), status in BUSY, _seconds(headers.get("retry-after"))

    def _no_answer(self, error: Exception) -> tuple[StoreError, bool, float]:
        said = " ".join(str(error).split())[:300]
        kind = type(error).__name__
        if "certificate" in said.lower() or "ssl" in said.lower():
            text = f"{self.place}: it cannot be reached: {said}"
            hint = "Give the authority that vouches for it in `ca_certs`, and check whether `url` needs https."
            return StoreError(masked(text, [self._config.api_key]), hint=hint), False, 0.0
        if isinstance(error, ValueError):
            text = f"{self.place}: its answer is no JSON, or was cut off: {said}"
            return (
                StoreError(
                    masked(text, [self._config.api_key]), hint="Try again, and check `url`."
                ),
                True,
                0.0,
            )
        if "Decode" in kind or "Deserialization" in kind:
            text = f"what answers at {urlsplit(self._config.url).netloc} is no Azure AI Search"
            return StoreError(text, hint="Check `url`."), False, 0.0
        if "timed out" in said.lower() or "Timeout" in kind:
            text = f"{self.place}: no answer within {self._config.timeout:g} seconds"
            return StoreError(text, hint="Raise `timeout`, or try again later."), True, 0.0
        text = f"{self.place}: it cannot be reached: {said or kind}"
        hint = "Check the network, and `url`."
        return StoreError(masked(text, [self._config.api_key]), hint=hint), True, 0.0


def check(config: AzureConfig) -> str:
    """Raise `StoreError` where the service does not answer or refuses the key; else name the indexes."""
    service = Service(config, config.collection)
    try:
        found = service.ask(lambda: list(service.indexes.list_index_names()))
    finally:
        service.close()
    names = sorted(
        name
        for name in found
        if name in (f"{config.collection}-{one}" for one in ("vector", "keyword"))
    )
    return f"indexes: {', '.join(names)}" if names else "no index yet: the first ingest makes one"


def _seconds(value: Any) -> float:
    """What `retry-after` asks for, where it is a number of seconds (RFC 9110)."""
    try:
        return max(float(value), 0.0)
    except (TypeError, ValueError):
        return 0.0
