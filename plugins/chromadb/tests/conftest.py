"""A Chroma server for the tests, on a free port of this machine, started once and stopped at the end."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def chroma_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the server answers; tests are skipped where Chroma is not installed."""
    beside = Path(sys.executable).with_name("chroma")
    command = str(beside) if beside.exists() else shutil.which("chroma")
    if command is None:
        pytest.skip("the command `chroma` is not installed")
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    folder = tmp_path_factory.mktemp("chroma-server")
    url = f"http://127.0.0.1:{port}"
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [command, "run", "--path", str(folder / "data"), "--host", "127.0.0.1", "--port", str(port)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            _wait_for(f"{url}/api/v2/heartbeat", server, folder / "log")
            yield url
        finally:
            server.terminate()
            server.wait(20)


def _wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    pytest.fail(f"the Chroma server does not answer: {log.read_text(errors='replace')}")
