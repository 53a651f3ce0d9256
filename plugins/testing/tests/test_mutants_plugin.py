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
    # what is wrong: the test that must catch it, what is right, what is written instead
    "an open key": ("test_secrets_are_masked", "Operational[SecretStr | None]", "Operational[str | None]"),
    "a key that decides": ("test_secrets_are_operational", "Operational[SecretStr | None]", "SecretStr | None"),
    "no description": ("test_the_schema_describes_every_field", 'size: int = Field(1, description="How many.")', "size: int = 1"),
    "heavy": ("test_the_module_is_light", "from typing", "import numpy\nfrom typing"),
    "a thread at import": ("test_the_module_is_light", "class Config", "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n\n\nclass Config"),
    "no summary": ("test_the_hooks_give_the_configured_providers", '"""A fuser."""', '"""."""'),
    "a summary of several lines": ("test_the_hooks_give_the_configured_providers", '"""A fuser."""', f'"""{"A fuser of " * 20}"""'),
    "claims without a backend": ("test_declared_capabilities_are_those_of_the_backend", '    """A fuser."""', '    """A fuser."""\n\n    capabilities = frozenset({"phrases"})'),
    "connects": ("test_open_makes_the_component_without_a_network", "    return Fuser(config)", "    import socket\n    try:\n        socket.create_connection(('127.0.0.1', 9))\n    except OSError:\n        pass\n    return Fuser(config)"),
    "takes any key": ("test_the_configuration_is_frozen_and_strict", '    """A fuser."""', '    """A fuser."""\n\n    model_config = {"extra": "ignore"}'),
    "can be changed": ("test_the_configuration_is_frozen_and_strict", '    """A fuser."""', '    """A fuser."""\n\n    model_config = {"frozen": False}'),
    "shows its key": ("test_an_opened_component_hides_its_secrets", "    def fuse", "    def __repr__(self):\n        return str(self.key and self.key.get_secret_value())\n\n    def fuse"),
    "gives a coroutine": ("test_the_hooks_give_the_configured_providers", "def open_fuser", "async def open_fuser"),
    "lacks the method": ("test_open_makes_the_component_without_a_network", "    def fuse(", "    def join("),
    "another name": ("test_the_hooks_give_the_configured_providers", 'Literal["acme"]', 'Literal["other"]'),
    "a name of two": ("test_the_hooks_give_the_configured_providers", 'Literal["acme"]', 'Literal["acme", "other"]'),
    "no mark": ("test_the_hooks_give_the_configured_providers", "@hookimpl\n", ""),
    "a misspelled hook": ("test_the_hooks_give_the_configured_providers", "def hierdoc_fusers", "def hierdoc_fuser"),
    "no docstring": ("test_the_hooks_give_the_configured_providers", '    """A fuser."""\n', ""),
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
    caught_by, right, wrong = MUTANTS[mutant]
    assert right in RIGHT
    plugin = written(tmp_path, RIGHT.replace(right, wrong), monkeypatch)
    assert list(failing_tests(PluginTests, lambda: plugin, only=[caught_by])) == [caught_by]


def test_the_kit_passes_what_is_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin = written(tmp_path, RIGHT, monkeypatch)
    assert failing_tests(PluginTests, lambda: plugin) == {}
