"""HoloDeck from the package index, unchanged, loads hierdoc: as an MCP server through uvx, and as a function."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples" / "holodeck" / "run.py"
DISTRIBUTIONS = (".", "core", *(f"plugins/{name}" for name in "evaluation html in-memory mcp sqlite static tantivy tools".split()))  # fmt: skip


def done(*command: object, **options: object) -> subprocess.CompletedProcess[str]:
    settings = {"capture_output": True, "text": True, "timeout": 900, **options}
    return subprocess.run([str(one) for one in command], **settings)  # type: ignore[call-overload,no-any-return]


@pytest.fixture(scope="module")
def holodeck(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The variables for an environment with HoloDeck and hierdoc, in which `uvx` finds hierdoc as if it were published."""
    if not (uv := shutil.which("uv")) or not shutil.which("uvx"):
        pytest.skip("no uv and uvx here")
    folder = tmp_path_factory.mktemp("holodeck")
    wheels, home, place = folder / "wheels", folder / "home", folder / "env"
    for distribution in DISTRIBUTIONS:
        built = done(uv, "build", "--quiet", "--wheel", "--out-dir", wheels, ROOT / distribution)
        assert built.returncode == 0, built.stderr
    cache = done(uv, "cache", "dir").stdout.strip()
    settings = home / ".config" / "uv" / "uv.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'find-links = ["{wheels.as_posix()}"]\ncache-dir = "{cache}"\n')
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    made = done(uv, "venv", "--quiet", "--python", version, place)
    assert made.returncode == 0, made.stderr
    # exceptiongroup: HoloDeck 0.7.1 imports it without declaring it.
    wanted = ("holodeck-ai[openai-agents]>=0.7.1", "exceptiongroup", "hierdoc[mcp]")
    python = place / ("Scripts" if os.name == "nt" else "bin") / "python"
    installed = done(
        uv, "pip", "install", "--quiet", "--python", python, "--find-links", wheels, *wanted
    )
    if installed.returncode:
        pytest.skip(f"holodeck-ai cannot be installed: {installed.stderr[-500:]}")
    environment = {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache")}
    environment.pop("XDG_CONFIG_HOME", None)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    # What a user does once, because a client does not wait for the download.
    first = done("uvx", "--from", "hierdoc[mcp]", "hierdoc", "--version", env=environment)
    assert first.returncode == 0, first.stderr
    with settings.open("a") as more:  # a child process of a client does not get all variables
        more.write("offline = true\n")
    return {**environment, "HOLODECK_PYTHON": str(python)}


@pytest.mark.alone
@pytest.mark.nightly
def test_holodeck_loads_the_agent_starts_the_server_and_calls_search(
    holodeck: dict[str, str], ingested: Path
) -> None:
    command = (EXAMPLE, "fee for a berth", "--documents", ingested / "docs")
    ran = done(holodeck["HOLODECK_PYTHON"], *command, env=holodeck)
    print(ran.stdout)
    assert ran.returncode == 0, ran.stderr
    assert "tools: search, section, define, references" in ran.stdout
    for part in ("Claude bridge: first answer", "OpenAI bridge: first answer", "function: "):
        found = ran.stdout.partition(part)[2]
        assert "docs/act.md · Harbour Act > Section 3 Fees" in found, part
    waits = re.findall(r"OpenAI bridge: .* in ([0-9.]+) s", ran.stdout)
    assert len(waits) == 2
    assert max(map(float, waits)) < 5


@pytest.mark.alone  # HoloDeck gives a server five seconds to start
@pytest.mark.nightly
def test_holodeck_answers_over_real_laws(holodeck: dict[str, str], shared_data: Path) -> None:
    source = shared_data / "legal" / "gdpr.html"
    command = (EXAMPLE, "--documents", source)
    ran = done(holodeck["HOLODECK_PYTHON"], *command, env=holodeck)
    assert ran.returncode == 0, ran.stderr
    assert "Article 33 Notification of a personal data breach" in ran.stdout


def test_the_example_says_why_it_does_nothing_without_holodeck() -> None:
    ran = done(sys.executable, EXAMPLE)
    assert ran.returncode == 0, ran.stderr
    assert "skipped: holodeck-ai is not installed" in ran.stdout
