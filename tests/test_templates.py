"""Plugins as their authors meet them: generated, installed with `.[test]` into a clean environment, their tests green."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from hierdoc.cli import cli
from hierdoc.plugin import ComponentKind

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.nightly


def run(*command: object, cwd: Path | None = None) -> str:
    """What a command prints; it must succeed."""
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
    return done.stdout


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the generated plugins, the example, and `.venv`, which holds these, core and the kit."""
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("no uv on the path, which installs the plugins")
    folder = tmp_path_factory.mktemp("plugins")
    for kind in ComponentKind:
        arguments = ["plugins", "new", f"my-{kind.value}", "--kind", kind.value]
        done = CliRunner().invoke(cli, [*arguments, "--into", str(folder)])
        assert done.exit_code == 0, done.output
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(
        ROOT / "contrib" / "hierdoc-example", folder / "hierdoc-example", ignore=ignored
    )
    run(uv, "venv", "--quiet", folder / ".venv")
    plugins = [f"{plugin}[test]" for plugin in sorted(folder.glob("hierdoc-my-*"))]
    run(
        uv, "pip", "install", "--quiet", "--no-sources", "--python", folder / ".venv",
        ROOT / "core", ROOT / "plugins" / "testing", *plugins, folder / "hierdoc-example",
    )  # fmt: skip
    return folder


@pytest.mark.parametrize("name", [*(f"my-{kind.value}" for kind in ComponentKind), "example"])
def test_its_own_tests_pass(environment: Path, name: str) -> None:
    python = environment / ".venv" / "bin" / "python"
    shown = run(python, "-m", "pytest", "-q", "-rs", cwd=environment / f"hierdoc-{name}")
    assert "is not installed as a distribution" not in shown


def test_the_command_line_lists_all_of_them(environment: Path) -> None:
    shown = run(environment / ".venv" / "bin" / "hierdoc", "plugins", "list")
    for kind in ComponentKind:
        assert f"The {kind.value} my-{kind.value}" in shown
    assert "broken" not in shown
