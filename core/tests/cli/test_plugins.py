"""`hierdoc plugins`: the list with capabilities, and new plugins that pass their conformance tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from hierdoc.cli import cli
from hierdoc.plugin import ComponentKind


def hierdoc(*arguments: str) -> str:
    done = CliRunner().invoke(cli, ["plugins", *arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_list_shows_what_backends_can_do() -> None:
    listed = {
        (one["kind"], one["name"]): one
        for one in json.loads(hierdoc("list", "--json"))["providers"]
    }
    assert "persistent" in listed["vector", "sqlite"]["capabilities"]
    assert "phrases" in listed["keyword", "tantivy"]["capabilities"]
    assert listed["fuser", "rrf"]["capabilities"] is None
    assert "capabilities: atomic_replace, all filters" in hierdoc("list")


@pytest.mark.nightly
@pytest.mark.alone
def test_new_plugins_of_all_kinds_are_conformant(tmp_path: Path) -> None:
    for kind in ComponentKind:
        hierdoc("new", f"my-{kind.value}", "--kind", kind.value, "--into", str(tmp_path))
    sources = [str(folder) for folder in tmp_path.glob("*/src")]
    assert len(sources) == len(ComponentKind)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--import-mode=importlib", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sources)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]


@pytest.mark.parametrize("name", ["Acme", "acme_db", "-acme", "a b", "../acme", "1acme", ""])
def test_a_name_that_cannot_be_a_provider_is_refused(tmp_path: Path, name: str) -> None:
    arguments = ["plugins", "new", "--kind", "fuser", "--into", str(tmp_path), "--", name]
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 2
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "hierdoc-acme").mkdir()
    done = CliRunner().invoke(
        cli, ["plugins", "new", "acme", "--kind", "fuser", "--into", str(tmp_path)]
    )
    assert "is there already" in str(done.exception)


def test_the_traceback_is_shown_when_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from hierdoc.cli import main

    (tmp_path / "hierdoc.yaml").write_text("fuser: nobody's\n")
    monkeypatch.chdir(tmp_path)
    for options, shown in ([], False), (["--debug"], True):
        monkeypatch.setattr(sys, "argv", ["hierdoc", *options, "search", "harbour"])
        with pytest.raises(SystemExit) as caught:
            main()
        assert caught.value.code == 2
        assert ("Traceback" in capsys.readouterr().err) is shown


def test_naming_a_plugin_that_cannot_be_used_is_a_matter_of_the_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from hierdoc.cli import main
    from hierdoc.errors import PluginLoadError

    def fail(*arguments: object, **options: object) -> None:
        raise PluginLoadError("the plugin 'acme' is broken", hint="pip install acme")

    monkeypatch.setattr(cli, "main", fail)
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 2
    assert "pip install acme" in capsys.readouterr().err
