"""Servers for tests: prepared once, watched, ended however their user ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="servers are started on POSIX systems")

DESCRIBED = """
import sys
from pathlib import Path

VERSION, TOOLS, PORTS, READY = "1", (), 1, "/"

def prepare(folder):
    (folder / "page").write_text("prepared")
    with Path(__file__).with_name("times").open("a") as times:
        times.write("x")

def command(prepared, data, ports):
    return [sys.executable, "-m", "http.server", str(ports[0]), "--bind", "127.0.0.1", "-d", str(prepared)], {}
"""

USES = """
import runpy, sys, time
from pathlib import Path

server = runpy.run_path(sys.argv[1])["Server"](sys.argv[2], Path(sys.argv[3]))
server.start()
print(server.url, flush=True)
time.sleep(600)
"""


@pytest.fixture
def describe(
    tmp_path: Path, servers: Any, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Path]:
    """Write a description of a server, with further lines; what is prepared goes to a folder of the test's."""
    monkeypatch.setattr(servers, "CACHE", tmp_path / "cache")

    def write(more: str = "") -> Path:
        file = tmp_path / "mine.py"
        file.write_text(DESCRIBED + more)
        return file

    return write


def answers(url: str) -> bool:
    try:
        return bool(urlopen(f"{url}/page", timeout=5).read() == b"prepared")
    except (URLError, ConnectionError):
        return False


def test_a_server_is_prepared_once_and_keeps_its_address(
    start_server: Callable[..., Any], describe: Callable[[str], Path], tmp_path: Path
) -> None:
    server = start_server(str(describe("")))
    url = server.url
    assert answers(url)
    server.stop()
    assert not answers(url)
    server.start()
    assert (server.url, answers(url)) == (url, True)
    server.kill()
    assert not answers(url)
    assert (tmp_path / "times").read_text() == "x"


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_server_ends_with_the_process_that_uses_it(
    how: signal.Signals, describe: Callable[[str], Path], servers: Any, tmp_path: Path
) -> None:
    given = [servers.__file__, str(describe("")), str(tmp_path / "server")]
    user = subprocess.Popen(
        [sys.executable, "-c", USES, *given], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "HIERDOC_SERVERS": str(servers.CACHE)},
    )  # fmt: skip
    assert user.stdout is not None
    url = user.stdout.readline().strip()
    assert answers(url)
    user.send_signal(how)
    user.communicate()
    until = time.monotonic() + 20
    while answers(url):
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ('TOOLS = ("no-such-tool",)', "no no-such-tool here"),
        ("def prepare(folder): raise OSError('no network')", "cannot be prepared here: no network"),
    ],
    ids=["tool", "network"],
)
def test_a_server_that_is_not_to_be_had_says_why(
    more: str, told: str, describe: Callable[[str], Path], servers: Any, tmp_path: Path
) -> None:
    server = servers.Server(str(describe(more)), tmp_path / "server")
    with pytest.raises(servers.UnavailableError, match=told):
        server.start()


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ('DIGEST = "another"', "mine-1 is not what was pinned: its digest is "),
        (
            "def command(*given): return [sys.executable, '-c', 'exit(\"ill\")'], {}",
            "ill\n{sys.executable}: it ended with status 1",
        ),
    ],
    ids=["another digest", "ended"],
)
def test_a_server_that_does_not_start_shows_what_it_said(
    more: str,
    told: str,
    describe: Callable[[str], Path],
    servers: Any,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    server = servers.Server(str(describe(more)), tmp_path / "server")
    with pytest.raises(RuntimeError, match="did not start"):
        server.start()
    assert told.format(sys=sys) in capfd.readouterr().err
