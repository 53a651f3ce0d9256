"""Requests to an OpenSearch cluster: who asks, how often, and what a failure is called."""

from __future__ import annotations

import asyncio
import gzip
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from opensearchpy import AsyncOpenSearch
from opensearchpy.exceptions import ConnectionError as NoConnectionError
from opensearchpy.exceptions import ConnectionTimeout, SerializationError, SSLError, TransportError

from hierdoc import StoreError
from hierdoc.plugin import masked
from hierdoc_opensearch import OpenSearchConfig
from hierdoc_opensearch.cluster import OLDEST, Cluster, cluster_of

_FIRST_PAUSE = 0.2
"""Seconds before the second attempt; each further one waits twice as long."""

BUSY = (429, 502, 503, 504)
"""Statuses of a cluster, and of a record in a bulk request, that another attempt may change."""


class AnswerError(StoreError):
    """The cluster answers that it will not.

    Args:
        message: What happened and where.
        status: The HTTP status.
        kind: OpenSearch's name for the error, as in `index_not_found_exception`; empty where it gives none.
        reason: OpenSearch's words.
        hint: What to do next.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int,
        kind: str = "",
        reason: str = "",
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.kind = kind
        self.reason = reason


class Connection:
    """A cluster.

    Args:
        config: Where it is and how to reach it.
    """

    def __init__(self, config: OpenSearchConfig) -> None:
        self._config = config
        self._nodes: list[AsyncOpenSearch] = []
        self._chosen = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False

    @property
    def place(self) -> str:
        """Hosts and ports, for messages."""
        return ", ".join(urlsplit(url).netloc for url in self._config.urls)

    async def ask(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        **parameters: str,
    ) -> Any:
        """What the cluster answers, from JSON.

        Args:
            method: Of HTTP.
            path: Below the cluster's URL.
            body: Sent as JSON.
            parameters: Of the query string.

        Raises:
            AnswerError: The cluster answers with a status of failure, also when asked again.
            StoreError: It does not answer, or is no OpenSearch.
        """
        return await self._ask(method, path, body, parameters, {})

    async def ask_lines(self, path: str, lines: str) -> Any:
        """The same with a POST of newline-delimited JSON, compressed: aiohttp writes a large body in one go."""
        data = await asyncio.to_thread(gzip.compress, lines.encode(), 4)
        headers = {"content-type": "application/x-ndjson", "content-encoding": "gzip"}
        return await self._ask("POST", path, data, {}, headers)

    async def pause(self, attempt: int) -> None:
        """Wait before asking again; attempts count from 0."""
        await asyncio.sleep(_FIRST_PAUSE * 2**attempt)

    async def cluster(self) -> Cluster:
        """What the cluster can do.

        Raises:
            StoreError: It does not answer, is none of OpenSearch, or too old.
        """
        version = (await self.ask("GET", "/")).get("version", {})
        if version.get("distribution") != "opensearch":
            found = version.get("distribution") or "Elasticsearch or another store"
            raise StoreError(
                f"what answers at {self.place} is no OpenSearch but {found}", hint="Check `url`."
            )
        found = cluster_of(version, await self._plugins())
        if found.version < OLDEST:
            oldest = ".".join(map(str, OLDEST))
            raise StoreError(
                f"the OpenSearch at {self.place} is version {found.number}; it must be {oldest} or later",
                hint="Update the cluster.",
            )
        return found

    async def cluster_with_vectors(self) -> Cluster:
        """The same; raises `StoreError` also where it holds no vectors."""
        found = await self.cluster()
        if not found.vectors:
            raise StoreError(
                f"the OpenSearch at {self.place} holds no vectors: it has no plugin k-NN",
                hint="Install opensearch-knn, or use the cluster as `keyword` beside another vector backend.",
            )
        return found

    async def aclose(self) -> None:
        """Close the connections; calling it again does nothing."""
        self._closed = True
        nodes, self._nodes = self._nodes, []
        for node in nodes:
            await node.close()

    async def _plugins(self) -> Mapping[str, Any] | None:
        """The plugins of each node; None where the user may not know, or a service hides its nodes."""
        try:
            asked = await self.ask(
                "GET", "/_nodes/plugins", filter_path="nodes.*.plugins.classname"
            )
        except AnswerError as error:
            if error.status in (400, 401, 403, 404, 405):
                return None
            raise
        plugins: Mapping[str, Any] = asked
        return plugins

    async def _ask(
        self,
        method: str,
        path: str,
        body: Any,
        parameters: Mapping[str, str],
        headers: Mapping[str, str],
    ) -> Any:
        for attempt in range(self._config.retries + 1):
            nodes, chosen = self._connected(), self._chosen
            try:
                return await nodes[chosen].transport.perform_request(
                    method, path, params=dict(parameters), body=body, headers=dict(headers)
                )
            except ConnectionTimeout as error:
                failure, again = self._no_answer(error), True
            except NoConnectionError as error:
                failure, again = self._no_answer(error), not isinstance(error, SSLError)
            except TransportError as error:
                failure, again = self._refusal(error), error.status_code in BUSY
            except SerializationError as error:
                failure, again = self._not_opensearch(error), False
            if again and chosen == self._chosen:  # else another request has found it out
                self._chosen = (chosen + 1) % len(nodes)
            if not again or attempt == self._config.retries:
                raise failure from failure.__cause__
            await self.pause(attempt)
        raise AssertionError("the last attempt returns or raises")

    def _connected(self) -> Sequence[AsyncOpenSearch]:
        """A client for each node."""
        if self._closed:
            raise StoreError("the index is closed", hint="Open it again.")
        loop = asyncio.get_running_loop()
        if not self._nodes or self._loop is not loop:  # connections belong to a loop
            self._nodes = [self._connect(url) for url in self._config.urls]
            self._loop = loop
        return self._nodes

    def _connect(self, url: str) -> AsyncOpenSearch:
        config = self._config
        options: dict[str, Any] = {}
        if config.username is not None and config.password is not None:
            identity = (
                f"{config.username}:{config.password.get_secret_value()}".encode()
            )  # RFC 7617
            options["headers"] = {"authorization": f"Basic {b64encode(identity).decode()}"}
        if config.api_key is not None:
            options["headers"] = {"authorization": f"ApiKey {config.api_key.get_secret_value()}"}
        if url.startswith("https:"):
            options["verify_certs"] = config.verify_certs
            options["ssl_show_warn"] = False  # the README warns
            options["ssl_assert_hostname"] = config.verify_certs
            if config.ca_certs is not None:
                options["ca_certs"] = str(config.ca_certs)
        return AsyncOpenSearch(
            hosts=[url],
            timeout=config.timeout,
            max_retries=0,  # we wait between attempts
            **options,
        )

    def _refusal(self, error: TransportError) -> AnswerError:
        kind, reason = _told(error)
        status = int(error.status_code)
        text = f"OpenSearch at {self.place} answers {status}"
        text += f" {kind}: {reason}" if kind else f": {reason}" if reason else ""
        if status in (401, 403):
            hint = "Check `username` and `password` or `api_key`, and what they allow."
        elif status in BUSY:
            hint = "The cluster is busy: try again later, or raise `retries`."
        else:
            hint = "Look into the cluster's log."
        failure = AnswerError(
            self._without_secrets(text), status=status, kind=kind, reason=reason, hint=hint
        )
        failure.__cause__ = error
        return failure

    def _no_answer(self, error: NoConnectionError) -> StoreError:
        if isinstance(error, ConnectionTimeout):
            text = f"no answer within {self._config.timeout:g} seconds"
            hint = "Raise `timeout`, or see what keeps the cluster busy."
        else:
            text = f"it cannot be reached: {error.error}"
            hint = "Start the cluster, or check `url`."
            if isinstance(error, SSLError) or "certificate" in text.lower():
                hint = "Give the authority that vouches for it in `ca_certs`, and check whether `url` needs https."
        failure = StoreError(
            self._without_secrets(f"OpenSearch at {self.place}: {text}"), hint=hint
        )
        failure.__cause__ = error
        return failure

    def _not_opensearch(self, error: SerializationError) -> StoreError:
        failure = StoreError(
            f"what answers at {self.place} is no OpenSearch: it does not speak JSON",
            hint="Check `url`: it takes the port of the REST interface, 9200 by default.",
        )
        failure.__cause__ = error
        return failure

    def _without_secrets(self, text: str) -> str:
        return masked(text, [self._config.password, self._config.api_key])


def _told(error: TransportError) -> tuple[str, str]:
    """OpenSearch's name of an error and its reason in a line, as far as the answer has them."""
    told = error.info
    if not isinstance(told, Mapping):
        return "", " ".join(str(error.error or "").split())[:300]
    cause = told.get("error", {})
    if not isinstance(cause, Mapping):
        return "", " ".join(str(cause).split())[:300]
    roots = cause.get("root_cause") or [{}]
    kind = str(cause.get("type") or roots[0].get("type") or "")
    reason = str(roots[0].get("reason") or cause.get("reason") or "")
    return kind, " ".join(reason.split())[:300]
