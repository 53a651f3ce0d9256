"""Plugins whose module or configuration is wrong on purpose: the conformance kit fails every one."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from hierdoc_testing import PluginTests, PluginUnderTest, failing_tests

RIGHT = '''
"""A plugin."""
from typing import Literal
from pydantic import Field, SecretStr
from hierdoc.plugin import Operational, Provider, ProviderConfig, hookimpl


class Config(ProviderConfig):
    """A fuser."""

    provider: Literal["acme"] = "acme"
    api_key: Operational[SecretStr | None] = Field(None, description="The key.")
    size: int = Field(1, description="How many.")


class Fuser:
    def __init__(self, config):
        self.key = config.api_key

    def fuse(self, rankings, weights, limit, coverage=None):
        return []


def open_fuser(config):
    return Fuser(config)


@hookimpl
def hierdoc_fusers():
    yield Provider(Config, open_fuser)
'''

MUTANTS = {
    "an open key": ("Operational[SecretStr | None]", "Operational[str | None]"),
    "a key that decides": ("Operational[SecretStr | None]", "SecretStr | None"),
    "no description": ('size: int = Field(1, description="How many.")', "size: int = 1"),
    "heavy": ("from typing", "import numpy\nfrom typing"),
    "a thread at import": ("class Config", "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n\n\nclass Config"),
    "no summary": ('"""A fuser."""', '"""."""'),
    "a summary of several lines": ('"""A fuser."""', f'"""{"A fuser of " * 20}"""'),
    "claims without a backend": ('    """A fuser."""', '    """A fuser."""\n\n    capabilities = frozenset({"phrases"})'),
    "connects": ("    return Fuser(config)", "    import socket\n    try:\n        socket.create_connection(('127.0.0.1', 9))\n    except OSError:\n        pass\n    return Fuser(config)"),
    "takes any key": ('    """A fuser."""', '    """A fuser."""\n\n    model_config = {"extra": "ignore"}'),
    "can be changed": ('    """A fuser."""', '    """A fuser."""\n\n    model_config = {"frozen": False}'),
    "shows its key": ("    def fuse", "    def __repr__(self):\n        return str(self.key and self.key.get_secret_value())\n\n    def fuse"),
    "gives a coroutine": ("def open_fuser", "async def open_fuser"),
    "lacks the method": ("    def fuse(", "    def join("),
    "another name": ('Literal["acme"]', 'Literal["other"]'),
    "a name of two": ('Literal["acme"]', 'Literal["acme", "other"]'),
    "no mark": ("@hookimpl\n", ""),
    "a misspelled hook": ("def hierdoc_fusers", "def hierdoc_fuser"),
    "no docstring": ('    """A fuser."""\n', ""),
}  # fmt: skip

COUNTER = itertools.count()


def written(folder: Path, code: str, monkeypatch: pytest.MonkeyPatch) -> PluginUnderTest:
    module = f"hierdoc_mutant_{next(COUNTER)}"
    (folder / f"{module}.py").write_text(code)
    monkeypatch.syspath_prepend(str(folder))
    return PluginUnderTest(module, {"fuser": {"provider": "acme"}})


@pytest.mark.parametrize("mutant", MUTANTS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_kit_fails_it(mutant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right, wrong = MUTANTS[mutant]
    assert right in RIGHT
    plugin = written(tmp_path, RIGHT.replace(right, wrong), monkeypatch)
    assert failing_tests(PluginTests, lambda: plugin, at_most=1)


def test_the_kit_passes_what_is_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin = written(tmp_path, RIGHT, monkeypatch)
    assert failing_tests(PluginTests, lambda: plugin) == {}
