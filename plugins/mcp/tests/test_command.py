"""`hierdoc mcp`: how it is configured, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hierdoc.errors import ConfigError
from hierdoc_mcp.command import find_configuration

Run = Callable[..., Any]


def configured(monkeypatch: pytest.MonkeyPatch, given: Any, *sources: str) -> Any:
    monkeypatch.setenv("MCP_CONFIG", given if isinstance(given, str) else json.dumps(given))
    return find_configuration(None, sources)


def test_the_configuration_may_be_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    config, allowed = configured(monkeypatch, {"source": "docs", "search": {"top_k": 3}})
    assert (config.source, config.search.top_k) == (("docs",), 3)
    assert not allowed


def test_the_environment_may_allow_some_tools_alone(
    monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    monkeypatch.chdir(folder)
    config, allowed = configured(monkeypatch, {"allowed_tools": ["search", "section"]})
    assert config.file is not None
    assert allowed == ["search", "section"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("not json", "MCP_CONFIG is not JSON"),
        ("[1]", "MCP_CONFIG is no JSON object"),
        ({"sauce": "docs"}, "sauce"),
        ({"search": {"top_k": 3}}, "`source` is missing"),
        ({"allowed_tools": ["delete"]}, "`allowed_tools` names other tools"),
    ],
)
def test_a_wrong_configuration_in_the_environment_is_refused(
    monkeypatch: pytest.MonkeyPatch, given: Any, expected: str
) -> None:
    with pytest.raises(ConfigError, match=expected):
        configured(monkeypatch, given)


def test_two_configurations_are_one_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="names another"):
        configured(monkeypatch, {"source": "docs"}, "other")


def test_beyond_this_machine_a_token_is_needed(run: Run, folder: Path) -> None:
    done = run("mcp", "--http", "--host", "0.0.0.0", "--source", "docs")
    assert done.returncode == 2
    assert "HIERDOC_MCP_TOKEN" in done.stderr


def test_a_token_that_can_be_guessed_is_refused(run: Run, folder: Path) -> None:
    done = run("mcp", "--http", "--source", "docs", HIERDOC_MCP_TOKEN="secret")
    assert done.returncode == 2
    assert "16 at least" in done.stderr
    assert "secret" not in done.stderr.replace("HIERDOC_MCP_TOKEN", "")


def test_without_a_source_it_does_not_start(run: Run, tmp_path: Path) -> None:
    done = run("mcp")
    assert done.returncode == 2
    assert "--source" in done.stderr
