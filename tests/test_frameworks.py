"""The adapters' own tests, each with its framework in an environment of its own: frameworks pin too much for one they could share."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DISTRIBUTIONS = ("core", *(f"plugins/{name}" for name in ["html", "in-memory", "llm", "remote", "sqlite", "static", "tantivy", "testing"]))  # fmt: skip


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["langchain", "llama-index", "haystack", "semantic-kernel"])
def test_an_adapter_works_with_its_framework(name: str, tmp_path: Path) -> None:
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("no uv here, which installs the framework")
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    place = tmp_path / "env"
    subprocess.run([uv, "venv", "--quiet", "--python", version, place], check=True)
    python = place / ("Scripts" if os.name == "nt" else "bin") / "python"
    ours = [part for one in DISTRIBUTIONS for part in ("-e", ROOT / one)]
    adapter = ROOT / "contrib" / name
    install = [uv, "pip", "install", "--quiet", "--python", python, "--no-sources", *ours]
    installed = subprocess.run([*install, "-e", f"{adapter}[test]"], capture_output=True, text=True)
    if installed.returncode:
        pytest.skip(f"{name} cannot be installed: {installed.stderr[-500:]}")
    options = ["-q", "-rs", "-W", "default", "-p", "no:cacheprovider"]
    options += ["--asyncio-mode=auto"] if name == "langchain" else []
    done = subprocess.run(
        [python, "-m", "pytest", *options, adapter / "tests"],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    # The conformance kit leaves out what a component does not claim; the adapter's own tests leave out nothing.
    assert not re.search(r"^SKIPPED .*\bcontrib\b", done.stdout, re.MULTILINE), done.stdout
