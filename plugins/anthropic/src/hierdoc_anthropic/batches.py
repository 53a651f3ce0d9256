"""Contexts by Anthropic's Message Batches: requests handed in together, answered within a day, mostly within an hour, at half the price.

A batch that was handed in is paid for. Which one asks about a chunk is therefore kept on disk before anything else happens, so that an ingest
which ends early leaves its answers to the next.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from hierdoc import Chunk, Document, HierdocError
from hierdoc_anthropic import AnthropicContextConfig
from hierdoc_remote.cache import DiskCache
from hierdoc_remote.chat import AnthropicChat
from hierdoc_remote.contexts import GeneratedContexts
from hierdoc_remote.patience import AccessError, MissingError

logger = logging.getLogger("hierdoc")

_GATHERED = 2.0
"""Seconds in which further documents may join a batch."""

_MOST_REQUESTS, _MOST_BYTES = 10_000, 50_000_000
"""Of a batch; the API takes ten and five times as much."""

_FIRST_LOOK, _LONGEST_PAUSE = 5.0, 60.0
"""Seconds between looks whether a batch has ended; at first, doubling, and at most."""

_PATIENCE = 26 * 3600.0
"""Seconds after which a batch is given up, two hours after the API itself ends it."""

_PATH = "/messages/batches"


class BatchedContexts(GeneratedContexts):
    """Context generator that hands its requests in as batches; documents that wait at the same time share one.

    Args:
        config: What is asked.
        chat: Whose API it is.
    """

    def __init__(self, config: AnthropicContextConfig, chat: AnthropicChat) -> None:
        super().__init__(config, chat)
        self._batches = _Batches(chat, self._cache)
        self._planned = 0.0

    async def ask_about(self, document: Document, missing: Mapping[str, Chunk]) -> dict[str, str]:
        """What the model says of these chunks, as far as it answered.

        Raises:
            AccessError: The key, the address or the model is wrong.
            CostLimitError: The batch would cost more than is left.
        """
        pending = await self._batches.pending(list(missing))
        new = {key: chunk for key, chunk in missing.items() if key not in pending}
        planned = (await self.estimate(document, list(new.values()))).cost or 0.0
        if new:
            self.account.require_budget(self._planned + planned)
        self._planned += planned  # until the server says what it was
        try:
            if new:
                pending |= await self._handed_in(document, new)
            said: dict[str, str] = {}
            for batch in dict.fromkeys(pending.values()):
                keys = [key for key, one in pending.items() if one == batch]
                said |= await self._answers(batch, keys, document.source)
            return said
        finally:
            self._planned -= planned

    async def _handed_in(self, document: Document, new: Mapping[str, Chunk]) -> dict[str, str]:
        """By key the batch that asks; nothing where the API does not take it this time, which is logged."""
        try:
            return await self._batches.hand_in(await self._bodies(document, new))
        except AccessError:
            raise
        except HierdocError as error:
            logger.warning("%s: no contexts: %s", document.source, error)
            return {}

    async def _bodies(
        self, document: Document, missing: Mapping[str, Chunk]
    ) -> dict[str, dict[str, Any]]:
        """What is asked about each chunk."""
        return {
            key: self._batches.chat.body(self.question(prefix, chunk, is_shared=len(group) > 1))
            for prefix, group in await self.windows(document, missing)
            for key, chunk in group
        }

    async def _answers(self, batch: str, keys: list[str], source: str) -> dict[str, str]:
        """The contexts that a batch holds for these chunks; of the others the log says why not."""
        said: dict[str, str] = {}
        try:
            results = await self._batches.results(batch)
        except MissingError:
            logger.warning(
                "%s: batch %s is no more; its chunks are asked about anew", source, batch
            )
            await self._batches.forget(keys)
            return {}
        except AccessError:
            raise
        except HierdocError as error:
            logger.warning("%s: no contexts from batch %s: %s", source, batch, error)
            return {}
        for key in keys:
            result = results.get(key, {"type": "missing"})
            try:
                if result["type"] != "succeeded":
                    raise HierdocError(f"{result['type']}: {json.dumps(result.get('error'))[:300]}")
                said[key] = await self.take(key, *self._batches.chat.read(result["message"]))
            except (HierdocError, KeyError, TypeError) as error:
                logger.warning("%s: no context for a chunk from batch %s: %s", source, batch, error)
        await self._batches.forget(keys)
        return said


class _Batches:
    """Batches at the API, and which one asks about what.

    Args:
        chat: Whose they are.
        cache: Keeps the batch of each key.
    """

    def __init__(self, chat: AnthropicChat, cache: DiskCache) -> None:
        self.chat = chat
        self._cache = cache
        self._waiting: dict[str, dict[str, Any]] = {}
        self._of: dict[str, str] = {}
        self._results: dict[str, dict[str, Any]] = {}
        self._door = asyncio.Lock()
        self._looking: dict[str, asyncio.Lock] = {}

    async def pending(self, keys: list[str]) -> dict[str, str]:
        """The batches that were handed in earlier, of those keys that have one."""
        held = await self._cache.get([_mark(key) for key in keys])
        found = {key: held.get(_mark(key), b"").decode() for key in keys}
        return {key: batch for key, batch in found.items() if batch}

    async def forget(self, keys: list[str]) -> None:
        """Keys whose answers are read, or will never be."""
        await self._cache.put({_mark(key): b"" for key in keys})

    async def hand_in(self, bodies: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
        """Ask; by key the batch that does.

        Raises:
            HierdocError: The API does not take it.
        """
        self._waiting |= {key: dict(body) for key, body in bodies.items()}
        await asyncio.sleep(_GATHERED)
        async with self._door:
            while any(key in self._waiting for key in bodies):
                requests = self._next()
                created = await self.chat.endpoint.post(_PATH, {"requests": requests})
                batch = str(_field(created, "id"))
                keys = [request["custom_id"] for request in requests]
                await self._cache.put({_mark(key): batch.encode() for key in keys})
                self._of |= dict.fromkeys(keys, batch)
                logger.info("batch %s: %d requests handed in", batch, len(keys))
        return {key: self._of.pop(key) for key in bodies if key in self._of}

    async def results(self, batch: str) -> Mapping[str, Mapping[str, Any]]:
        """By key the results of a batch, once it has ended.

        Raises:
            HierdocError: The API does not tell, or the batch does not end.
        """
        async with self._looking.setdefault(batch, asyncio.Lock()):
            if batch not in self._results:
                await self._ended(batch)
                rows = await self.chat.endpoint.get_lines(
                    f"{_PATH}/{quote(batch, safe='')}/results"
                )
                self._results[batch] = {
                    str(_field(row, "custom_id")): _field(row, "result") for row in rows
                }
        return self._results[batch]

    def _next(self) -> list[dict[str, Any]]:
        """As many of the requests that wait as go into one batch; no longer waiting."""
        requests: list[dict[str, Any]] = []
        size = 0
        while self._waiting and len(requests) < _MOST_REQUESTS:
            key, body = next(iter(self._waiting.items()))
            size += len(json.dumps(body, ensure_ascii=False).encode())
            if requests and size > _MOST_BYTES:
                break
            requests.append({"custom_id": key, "params": self._waiting.pop(key)})
        return requests

    async def _ended(self, batch: str) -> None:
        pause, waited = _FIRST_LOOK, 0.0
        while True:
            told = await self.chat.endpoint.get(f"{_PATH}/{quote(batch, safe='')}")
            if _field(told, "processing_status") == "ended":
                return
            if waited > _PATIENCE:
                raise HierdocError(f"the batch has not ended after {waited / 3600:.0f} hours")
            logger.info("batch %s: %s", batch, json.dumps(told.get("request_counts")))
            await asyncio.sleep(pause)
            waited, pause = waited + pause, min(2 * pause, _LONGEST_PAUSE)


def _mark(key: str) -> str:
    return f"batch {key}"


def _field(said: Any, name: str) -> Any:
    """A field of an answer.

    Raises:
        HierdocError: It is not there.
    """
    if not isinstance(said, dict) or name not in said:
        raise HierdocError(
            f"anthropic: the server's answer holds no {name}",
            hint="Check `base_url`: does it have Message Batches? Else set `batches: false`.",
        )
    return said[name]
