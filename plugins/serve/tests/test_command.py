"""`hierdoc serve`: how it is started, and what it refuses."""

from __future__ import annotations

import json
import socket
import urllib.request
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

Run = Callable[..., Any]


def test_it_serves_a_source_without_a_configuration(harbour: ModuleType, tmp_path: Path) -> None:
    harbour.written(tmp_path)
    (tmp_path / "other.yaml").write_text("source: docs\nvector: in-memory\nkeyword: in-memory\n")
    given = ("serve", "--port", "0", "--source", "docs", "--compare", "other.yaml")
    with harbour.running(*given, cwd=tmp_path) as url:
        with urllib.request.urlopen(f"{url}health", timeout=30) as response:
            assert json.load(response)["status"] in ("ok", "building")
        with urllib.request.urlopen(f"{url}compare", timeout=30) as response:
            assert "<option>other</option>" in response.read().decode()


def test_beyond_this_machine_a_token_is_needed(run: Run, tmp_path: Path) -> None:
    done = run("serve", "--host", "0.0.0.0", "--source", "docs")
    assert done.returncode == 2
    assert "HIERDOC_SERVE_TOKEN" in done.stderr


def test_a_token_that_can_be_guessed_is_refused(run: Run, tmp_path: Path) -> None:
    done = run("serve", "--source", "docs", HIERDOC_SERVE_TOKEN="secret")
    assert done.returncode == 2
    assert "16 at least" in done.stderr


def test_without_a_source_it_does_not_start(run: Run, tmp_path: Path) -> None:
    done = run("serve")
    assert done.returncode == 2
    assert "--source" in done.stderr


def test_a_misspelled_source_is_refused_before_it_listens(run: Run) -> None:
    done = run("serve", "--source", "dosc", "--port", "0")
    assert done.returncode == 2
    assert "--source dosc: there is no such file or folder" in done.stderr
    assert "http" not in done.stderr


@pytest.mark.parametrize("name", ["missing.yaml", "."])
def test_a_configuration_to_compare_with_must_be_there(run: Run, name: str) -> None:
    assert run("serve", "--source", "docs", "--compare", name).returncode == 2


def test_a_port_in_use_is_said_with_a_way_out(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = run("serve", "--source", ".", "--port", port)
    assert done.returncode == 1
    assert (
        f"cannot listen at 127.0.0.1:{port}: Address already in use. Take another --port"
        in done.stderr
    )
