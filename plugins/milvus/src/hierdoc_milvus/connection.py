"""How a Milvus is reached: a Milvus Lite that all backends of this process on its folder share, or a server."""

from __future__ import annotations

import logging
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import grpc
from pymilvus import MilvusClient
from pymilvus.exceptions import MilvusException

from hierdoc import IndexLockedError, StoreError
from hierdoc.errors import PluginLoadError
from hierdoc.plugin import make_private_folder, masked
from hierdoc_milvus import MilvusConfig, lite

_OLDEST = (2, 5)
"""The first version with the BM25 function."""

_FOLDER = "milvus.db"

_ENDS_WITHIN = 20
"""Seconds that a Milvus Lite may take to write what it has in memory."""

_CHANNEL = {
    # A server that comes back is found soon: otherwise all channels of the process wait for up to two minutes.
    "grpc.use_local_subchannel_pool": 1,
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.min_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 1000,
}

logging.getLogger("pymilvus").setLevel(
    logging.CRITICAL
)  # it logs each error that it raises, with a traceback


class LiteServers:
    """The Milvus Lites of this process, each started for the first that needs it and stopped after the last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[Path, tuple[subprocess.Popen[str], str, int]] = {}

    def start(self, folder: Path) -> str:
        """The URI of the one on a folder.

        Raises:
            PluginLoadError: Milvus Lite is not installed.
            IndexLockedError: Another process has the folder open.
            StoreError: It does not start.
        """
        if find_spec("milvus_lite") is None:
            raise PluginLoadError(
                "a Milvus in a folder needs Milvus Lite, which is not installed",
                hint="pip install 'hierdoc-milvus[lite]'",
            )
        with self._lock:
            if folder in self._running:
                process, uri, users = self._running[folder]
                self._running[folder] = (process, uri, users + 1)
                return uri
            make_private_folder(folder)
            process, said = _started(folder)
            if not said.isdigit():
                _ended(process)
                if said == lite.LOCKED:
                    raise IndexLockedError(
                        f"another process has {folder} open", hint="Wait until it is done."
                    )
                raise StoreError(
                    f"Milvus Lite does not start on {folder}: {said or 'it ended'}",
                    hint="See to the folder's permissions and free space.",
                )
            uri = f"http://127.0.0.1:{said}"
            self._running[folder] = (process, uri, 1)
            return uri

    def stop(self, folder: Path) -> None:
        """Need the one on a folder no more."""
        with self._lock:
            process, uri, users = self._running.pop(folder)
            if users > 1:
                self._running[folder] = (process, uri, users - 1)
            else:
                _ended(process)


def _started(folder: Path) -> tuple[subprocess.Popen[str], str]:
    """The process, and the first line that it says."""
    command = [sys.executable, "-m", lite.__name__, str(folder)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(  # noqa: S603 - ourselves
        command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, cwd=folder
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def _ended(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    try:
        process.wait(_ENDS_WITHIN)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()


_LITE = LiteServers()


class Connection:
    """A client of a Milvus, for one thread; opened at the first use.

    Args:
        config: Where the Milvus is.
    """

    def __init__(self, config: MilvusConfig) -> None:
        self._config = config
        self._client: MilvusClient | None = None
        self._folder: Path | None = None

    @property
    def place(self) -> str:
        """The folder, or host and port, for messages."""
        if self._config.path is not None:
            return str(self._config.path)
        return urlsplit(self._uri).netloc

    @property
    def client(self) -> MilvusClient:
        """The client.

        Raises:
            StoreError: The server does not answer, or refuses.
        """
        if self._client is None:
            self._client = self._open()
        return self._client

    def close(self) -> None:
        """Close it; calling it again does nothing."""
        client, self._client = self._client, None
        if client is not None:
            client.close()
        folder, self._folder = self._folder, None
        if folder is not None:
            _LITE.stop(folder)

    @contextmanager
    def reported(self) -> Iterator[None]:
        """Say it in hierdoc's terms when the client or the server fails."""
        try:
            yield
        except (MilvusException, grpc.RpcError, OSError, ValueError) as error:
            raise self._failure(error) from error

    def is_damaged(self, collection: str) -> bool:
        """Whether the files of a Milvus Lite's collection are not what was written; nothing may ask it for that one then."""
        return self._folder is not None and lite.seal_of(self._folder, collection).exists()

    def drop_damaged(self, collection: str) -> None:
        """Remove a collection that is damaged."""
        assert self._folder is not None
        self.client.drop_collection(collection, timeout=self._config.timeout)
        # Milvus Lite knows no collection whose schema is gone.
        shutil.rmtree(lite.files_of(self._folder, collection), ignore_errors=True)
        lite.seal_of(self._folder, collection).unlink()

    def require_version(self) -> None:
        """Raise `StoreError` where the server is too old."""
        number = str(self.client.get_server_version(timeout=self._config.timeout))
        if self._config.path is not None:
            return
        parts = tuple(
            int(part) for part in number.lstrip("v").split("-")[0].split(".")[:2] if part.isdigit()
        )
        if parts and parts < _OLDEST:
            oldest = ".".join(map(str, _OLDEST))
            raise StoreError(
                f"the Milvus at {self.place} is version {number}; it must be {oldest} or later",
                hint="Update the server.",
            )

    @property
    def _uri(self) -> str:
        return self._config.uri or "http://localhost:19530"

    def _open(self) -> MilvusClient:
        config = self._config
        options: dict[str, Any] = {
            "timeout": config.timeout,
            "dedicated": True,
            "grpc_options": _CHANNEL,
        }
        if config.path is not None:
            folder = (config.path / _FOLDER).absolute()
            uri = _LITE.start(folder)
            self._folder = folder
            return MilvusClient(uri, **options)
        if config.database != "default":
            options["db_name"] = config.database
        if config.token is not None:
            options["token"] = config.token.get_secret_value()
        if config.ca_certs is not None:
            options |= {"secure": True, "server_pem_path": str(config.ca_certs)}
        return MilvusClient(self._uri, **options)

    def _failure(self, error: Exception) -> StoreError:
        text = str(getattr(error, "message", "") or error)
        if isinstance(error, grpc.RpcError):
            text = f"{error.code().name}: {error.details()}"
        text = masked(" ".join(text.split())[:400], [self._config.token])
        said = text.lower()
        hint = "Look into the server's log."
        if any(word in said for word in ("connect", "unavailable", "deadline", "timeout", "retry")):
            token = " and `token`" if self._config.token else ""  # the client hides which it was
            hint = f"Start the server, check `uri`{token}, or raise `timeout`."
        if "auth" in said or "permission" in said or "privilege" in said:
            hint = "Check `token`, and what it allows."
        elif "certificate" in said or "ssl" in said:
            hint = "Give the certificate that vouches for the server in `ca_certs`, and check whether `uri` needs https."
        elif "exhausted" in said or "limit" in said:
            hint = "The server is busy: try again later, or raise `timeout`."
        elif self._config.path is not None:
            hint = "See to the folder's permissions and free space."
        return StoreError(f"Milvus at {self.place}: {text}", hint=hint)


def check(config: MilvusConfig) -> None:
    """Raise `StoreError` where a backend of this configuration would not work."""
    connection = Connection(config)
    try:
        with connection.reported():
            connection.require_version()
            if (
                config.path is None
            ):  # a Milvus Lite would open them, and may hang over one that is damaged
                connection.client.list_collections(timeout=config.timeout)
    finally:
        connection.close()
