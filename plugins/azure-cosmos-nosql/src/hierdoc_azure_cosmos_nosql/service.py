"""Requests to an account through its SDK: repeated while it is busy, and named when they fail."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar
from urllib.parse import urlsplit

from aiohttp import ClientError
from azure.core.exceptions import AzureError, HttpResponseError
from azure.cosmos import PartitionKey
from azure.cosmos.aio import ContainerProxy, CosmosClient

from hierdoc import HierdocError, QueryError, StoreError
from hierdoc.plugin import masked
from hierdoc_azure_cosmos_nosql import CosmosConfig
from hierdoc_azure_cosmos_nosql.items import (
    FULL_TEXT_POLICY,
    PARTITION,
    indexing_policy,
    vector_policy,
)

T = TypeVar("T")

_FIRST_PAUSE = 0.2
"""Seconds before the second attempt; each further one waits twice as long."""

_LONGEST_PAUSE = 60.0
"""Seconds that the service can make us wait before an attempt."""

_BUSY = (408, 410, 424, 429, 449, 500, 502, 503, 504)

_RETRY_AFTER = "x-ms-retry-after-ms"


class NotThereError(StoreError):
    """The service does not know what is asked for."""


class RefusedError(StoreError):
    """The service finds fault with a request: a part of it may be good."""


class Service:
    """A container of an account. Belongs to the event loop that it is first used in, and makes itself anew in another.

    Args:
        config: Where it is, and by which key.
    """

    def __init__(self, config: CosmosConfig) -> None:
        self._config = config
        self._client: CosmosClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._opening = asyncio.Lock()

    @property
    def place(self) -> str:
        """The container, in words for messages."""
        config = self._config
        account = urlsplit(config.url).netloc
        return f"container {config.collection!r} of {config.database!r} at {account}"

    async def container(self) -> ContainerProxy:
        """The container, whether it exists or not."""
        database = (await self._opened()).get_database_client(self._config.database)
        return database.get_container_client(self._config.collection)

    async def exists(self) -> bool:
        """Whether the container does."""
        try:
            await self.ask(lambda one: one.read())
        except NotThereError:
            return False
        return True

    async def make(self, dimensions: int) -> None:
        """Make the container, and the database that it is in."""
        config = self._config
        options: dict[str, Any] = {}
        if config.throughput is not None:
            options["offer_throughput"] = config.throughput

        async def work(container: ContainerProxy) -> None:
            client = await self._opened()
            database = await client.create_database_if_not_exists(config.database)
            await database.create_container_if_not_exists(
                config.collection,
                PartitionKey(PARTITION),
                indexing_policy=indexing_policy(config.index),
                vector_embedding_policy=vector_policy(dimensions),
                full_text_policy=FULL_TEXT_POLICY,
                **options,
            )

        await self.ask(work)

    async def drop(self) -> None:
        """Delete the container."""

        async def work(container: ContainerProxy) -> None:
            client = await self._opened()
            database = client.get_database_client(self._config.database)
            await database.delete_container(self._config.collection)

        with suppress(NotThereError):  # an attempt that seemed to fail
            await self.ask(work)

    async def query(self, text: str, *, partition: str | None = None) -> list[Any]:
        """All that a query gives.

        Args:
            text: The query.
            partition: The logical partition that it is asked of; all where None.
        """

        async def work(container: ContainerProxy) -> list[Any]:
            where: dict[str, Any] = {} if partition is None else {"partition_key": partition}
            return [one async for one in container.query_items(text, **where)]

        return await self.ask(work)

    async def ask(self, request: Callable[[ContainerProxy], Awaitable[T]]) -> T:
        """What a request gives, asked again while the service is busy or does not answer.

        Raises:
            NotThereError: The service does not know what is asked for.
            RefusedError: It finds fault with the request.
            StoreError: It refuses or does not answer, also when asked again.
        """
        for attempt in range(self._config.retries + 1):
            try:
                return await request(await self.container())
            except (AzureError, ClientError, OSError, asyncio.TimeoutError, ValueError) as error:
                failure, again, after = self._judge(error)
                if not again or attempt == self._config.retries:
                    raise failure from error
            await asyncio.sleep(min(max(_FIRST_PAUSE * 2**attempt, after), _LONGEST_PAUSE))
        raise AssertionError("the last attempt returns or raises")

    async def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.close()

    async def _opened(self) -> CosmosClient:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._client, self._opening = loop, None, asyncio.Lock()
        async with self._opening:
            if self._client is None:
                self._client = await self._connected()
            return self._client

    async def _connected(self) -> CosmosClient:
        config = self._config
        client = CosmosClient(
            config.url,
            config.api_key.get_secret_value(),
            connection_timeout=config.timeout,
            read_timeout=config.timeout,
            # We wait between attempts, as long as the service asks for.
            retry_throttle_total=1,
            retry_throttle_backoff_max=_LONGEST_PAUSE,
            retry_total=0,
            retry_connect=0,
            retry_read=0,
            retry_status=0,
        )
        try:
            await client.__aenter__()
        except BaseException:
            await client.close()
            raise
        return client

    def _judge(self, error: Exception) -> tuple[HierdocError, bool, float]:
        """What to call a failure, whether another attempt may help, and how many seconds the service asks to wait."""
        status = getattr(error, "status_code", None)
        said = " ".join(str(getattr(error, "http_error_message", None) or error).split())[:300]
        told = masked(said or type(error).__name__, [self._config.api_key])
        if not isinstance(error, HttpResponseError) or not status:
            return self._no_answer(error, told)
        text = f"{self.place}: the service answers {status}: {told}"
        kind: type[HierdocError] = StoreError
        hint = "Look at the account in Azure's portal, and try again."
        if status in (401, 403):
            hint = (
                "Check `api_key`, which must be a read-write key, and the account's network rules."
            )
        elif status == 404:
            kind, hint = NotThereError, "Check `url`, `database` and `collection`."
        elif status in (400, 413):
            kind, hint = RefusedError, "See the limits in the plugin's README."
            if "query text" in told.lower() or "sql query" in told.lower():
                kind, hint = QueryError, "Ask with several smaller filters."
        elif status == 429:
            hint = "The container's request units are used up: raise its throughput or `retries`, or lower `concurrency`."
        headers = {
            str(name).lower(): value
            for name, value in (getattr(error, "headers", None) or {}).items()
        }
        return kind(text, hint=hint), status in _BUSY, _seconds(headers.get(_RETRY_AFTER))

    def _no_answer(self, error: Exception, told: str) -> tuple[HierdocError, bool, float]:
        account = urlsplit(self._config.url).netloc
        kind = type(error).__name__
        if "certificate" in told.lower() or "ssl" in told.lower():
            text = f"Cosmos DB at {account}: it cannot be reached: {told}"
            hint = "Name the authority that vouches for it in the environment variable SSL_CERT_FILE, and check `url`."
            return StoreError(text, hint=hint), False, 0.0
        if "Timeout" in kind or "timeout" in told.lower() or "timed out" in told.lower():
            text = f"Cosmos DB at {account}: no answer within {self._config.timeout:g} seconds"
            return StoreError(text, hint="Raise `timeout`, or try again later."), True, 0.0
        if isinstance(error, ValueError) or "Decode" in kind:
            text = f"Cosmos DB at {account}: its answer cannot be read: {told}"
            return StoreError(text, hint="Check `url` and `api_key`, and try again."), True, 0.0
        text = f"Cosmos DB at {account}: it cannot be reached: {told}"
        return StoreError(text, hint="Check the network, and `url`."), True, 0.0


async def check(config: CosmosConfig) -> str:
    """Raise `StoreError` where the account does not answer or refuses the key; else say whether there is a container."""
    service = Service(config)
    try:
        there = await service.exists()
    finally:
        await service.close()
    if there:
        return f"container {config.collection!r} in database {config.database!r}"
    return "no container yet: the first ingest makes one"


def _seconds(milliseconds: Any) -> float:
    try:
        return max(float(milliseconds), 0.0) / 1000
    except (TypeError, ValueError):
        return 0.0
