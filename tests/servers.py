"""Servers that tests need and no package brings: prepared once, started on free ports, watched, ended.

    python tests/servers.py opensearch prepare          download or build it, once for each version
    python tests/servers.py opensearch run [FOLDER]     print its address when it answers; Ctrl-C ends it

A plugin describes its server in `plugins/NAME/tests/server.py`, which needs the standard library alone:

    VERSION = "2.0"                                     pinned here and nowhere else
    TOOLS = ("go",)                                     commands that must be there
    PORTS = 2                                           how many it listens on
    READY = "/ready"                                    on the first port, answers 200 when it is ready
    DIGEST = "..."                                      of what `prepare` fetched, where that is the same everywhere; optional
    def prepare(folder): ...                            fill the folder, which is renamed afterwards
    def command(prepared, data, ports): ...             the command line, and variables of its environment
    def url(ports): ...                                 what tests are told; http://127.0.0.1:FIRST by default

What was prepared is kept in the folder that HIERDOC_SERVERS names, the user's cache by default. FOLDER holds the server's data,
its log and its ports: started in it again, a server finds what it had. Without FOLDER all that is gone at the end.
Exit status: 69 where the server is not to be had on this machine, with the reason as the only line of the output.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from contextlib import suppress
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

CACHE = Path(
    os.environ.get("HIERDOC_SERVERS")
    or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hierdoc" / "servers"
)
"""What was prepared, in a folder for each server and version."""

UNAVAILABLE = 69
"""The exit status where a server is not to be had, as `EX_UNAVAILABLE` in sysexits.h."""

_READY_WITHIN = 180.0
_ENDS_WITHIN = 20.0
"""Seconds that a server may take to answer, and to end when it is asked to."""

_TAIL = 30
"""Lines of a log that are shown."""


class UnavailableError(Exception):
    """The server is not to be had on this machine."""


class Server:
    """A server that ends with this process, however that ends.

    Args:
        name: The plugin that describes it, or the file that does.
        folder: For its data, log and ports; made by the first start.
        environment: Variables that its description knows.

    Attributes:
        url: What `url` of its description says, after a start.
    """

    def __init__(self, name: str, folder: Path, **environment: str) -> None:
        self._name = name
        self._folder = folder
        self._environment = environment
        self._watcher: subprocess.Popen[str] | None = None
        self.url = ""

    def start(self) -> None:
        """Start it, prepared if need be, and wait until it answers; after an end with what it had, at the address that it had.

        Raises:
            UnavailableError: It is not to be had on this machine.
            RuntimeError: It ended, or does not answer; its log was written to this process's error stream.
        """
        command = [sys.executable, __file__, self._name, "run", str(self._folder)]
        environment = {**os.environ, "HIERDOC_SERVERS": str(CACHE), **self._environment}
        pipe = subprocess.PIPE
        # The watcher ends the server when its standard input ends, as it does when this process is killed.
        self._watcher = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, text=True, env=environment, start_new_session=True
        )
        assert self._watcher.stdout is not None
        said = self._watcher.stdout.readline().strip()
        if said.startswith("http"):
            self.url = said
            return
        status = self._watcher.wait()
        self.stop()
        if status == UNAVAILABLE:
            raise UnavailableError(said)
        raise RuntimeError(f"the server {self._name} did not start")

    def kill(self) -> None:
        """End all its processes with SIGKILL."""
        assert self._watcher is not None
        self._watcher.kill()  # it would show the log
        self.stop()
        os.killpg(int((self._folder / "pid").read_text()), signal.SIGKILL)

    def stop(self) -> None:
        """Let it end; doing so again does nothing."""
        watcher, self._watcher = self._watcher, None
        if watcher is None:
            return
        assert watcher.stdin is not None
        assert watcher.stdout is not None
        watcher.stdin.close()
        watcher.wait()
        watcher.stdout.close()


def main() -> None:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description="Servers for tests.")
    parser.add_argument("name", help="the plugin whose server it is, or the file that describes it")
    parser.add_argument("work", choices=["prepare", "run"])
    parser.add_argument("folder", nargs="?", type=Path, help="for data, log and ports")
    asked = parser.parse_args()
    try:
        description = _described(asked.name)
        prepared = _prepared(asked.name, description)
    except UnavailableError as error:
        print(error)
        sys.exit(UNAVAILABLE)
    if asked.work == "prepare":
        print(prepared)
    elif asked.folder:
        _run(description, prepared, asked.folder)
    else:
        with tempfile.TemporaryDirectory(prefix="hierdoc-server-") as folder:
            _run(description, prepared, Path(folder))


def _described(name: str) -> Any:
    path = Path(name) if name.endswith(".py") else ROOT / "plugins" / name / "tests" / "server.py"
    if not path.exists():
        raise UnavailableError(f"no {path}")
    spec = spec_from_file_location("server", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _prepared(name: str, description: Any) -> Path:
    """The folder that `prepare` filled, now or earlier."""
    if os.name != "posix":
        raise UnavailableError("servers are started on POSIX systems only")
    for tool in description.TOOLS:
        if not shutil.which(tool):
            raise UnavailableError(f"no {tool} here")
    folder = CACHE / f"{Path(name).stem}-{description.VERSION}"
    if folder.is_dir():
        return folder
    CACHE.mkdir(parents=True, exist_ok=True)
    print(f"preparing {folder.name} in {CACHE}", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=CACHE) as made:
        place = Path(made) / "made"
        place.mkdir()
        try:
            description.prepare(place)
        except (OSError, subprocess.SubprocessError) as error:
            raise UnavailableError(f"it cannot be prepared here: {_told(error)}") from error
        wanted, found = getattr(description, "DIGEST", None), digest(place)
        if wanted not in (None, found):
            raise SystemExit(f"{folder.name} is not what was pinned: its digest is {found}")
        with suppress(OSError):  # another process was faster
            place.rename(folder)
    return folder


def digest(folder: Path) -> str:
    """SHA-256 over names and contents of all files."""
    whole = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = file.relative_to(folder).as_posix()
        whole.update(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {name}\n".encode())
    return whole.hexdigest()


def _told(error: Exception) -> str:
    """An error in one line, with what a command said of it."""
    said = f"{getattr(error, 'stdout', '') or ''}\n{getattr(error, 'stderr', '') or ''}".strip()
    lines = said.splitlines() or [""]
    last = next((line for line in lines if "error" in line.lower()), lines[-1])
    command = getattr(error, "cmd", None)
    text = f"{command[0]} failed" if isinstance(command, list) else str(error)
    return " ".join(f"{text}: {last}".split())[:300] if last else text


def _run(description: Any, prepared: Path, folder: Path) -> None:
    """Start the server, print its address, and stay until it ends or this process is told to."""
    given = ports(folder, description.PORTS)
    data = folder / "data"
    data.mkdir(exist_ok=True)
    line, variables = description.command(prepared, data, given)
    _end_when_told()
    log = folder / "log"
    with log.open("ab") as output:
        server = subprocess.Popen(
            line, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=data,
            env={**os.environ, **variables}, start_new_session=True,
        )  # fmt: skip
    (folder / "pid").write_text(str(server.pid))
    try:
        problem = _waited(server, f"http://127.0.0.1:{given[0]}{description.READY}")
        if not problem:
            url = getattr(description, "url", lambda ports: f"http://127.0.0.1:{ports[0]}")
            print(url(given), flush=True)
            problem = f"it ended with status {server.wait()}"
        lines = log.read_text("utf-8", "replace").splitlines()[-_TAIL:]
        print("\n".join([*lines, f"{' '.join(line[:1])}: {problem}"]), file=sys.stderr)
        sys.exit(1)
    finally:
        _end(server)


def ports(folder: Path, count: int) -> list[int]:
    """Free ports for the server in this folder; always the same ones for one folder."""
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / "ports"
    if kept.exists():
        return [int(port) for port in json.loads(kept.read_text())]
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    found = [int(one.getsockname()[1]) for one in sockets]
    for one in sockets:
        one.close()
    kept.write_text(json.dumps(found))
    return found


def _waited(server: subprocess.Popen[bytes], address: str) -> str:
    """Wait until it answers; what is wrong, or nothing."""
    until = time.monotonic() + _READY_WITHIN
    while time.monotonic() < until:
        if server.poll() is not None:
            return f"it ended with status {server.returncode}"
        with suppress(OSError), urllib.request.urlopen(address, timeout=5) as answer:
            if answer.status == 200:
                return ""
        time.sleep(0.2)
    return f"no answer within {_READY_WITHIN:g} seconds"


def _end_when_told() -> None:
    """Exit at a signal, or when the process that started this one is gone: its end of a pipe is then closed."""

    def end(signum: int, frame: FrameType | None) -> None:
        sys.exit(0)

    for signum in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(signum, end)
    if stat.S_ISFIFO(os.fstat(0).st_mode):

        def watch() -> None:
            while os.read(0, 4096):
                pass
            os.kill(os.getpid(), signal.SIGTERM)

        threading.Thread(target=watch, daemon=True).start()


def _end(server: subprocess.Popen[bytes]) -> None:
    """End all processes of a server."""
    with suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        server.wait(_ENDS_WITHIN)
    with suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)
    server.wait()


if __name__ == "__main__":
    main()
