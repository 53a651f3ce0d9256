"""Plugins whose module or configuration is wrong on purpose: the conformance kit fails every one."""

from __future__ import annotations

import itertools
from collections.abc import Callable
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

STORE = '''
"""A store at an address."""
import asyncio
from pathlib import Path
from typing import Literal
from pydantic import Field, SecretStr
from hierdoc import StoreError
from hierdoc.plugin import IndexPath, Operational, Provider, ProviderConfig, hookimpl


class Config(ProviderConfig):
    """A store."""

    provider: Literal["acme"] = "acme"
    path: IndexPath = Field(None, validate_default=True, description="Where notes are kept.")
    url: Operational[str] = Field("http://127.0.0.1:9", description="Where it is.")
    api_key: Operational[SecretStr | None] = Field(None, description="The key.")


class Store:
    capabilities = frozenset()

    def __init__(self, config):
        self.config = config

    async def prepare(self, spec, *, reset=False):
        try:
            self.config.path.mkdir(parents=True, exist_ok=True)
            host, _, port = self.config.url.rpartition("@")[2].rpartition("/")[2].rpartition(":")
            await asyncio.open_connection(host, int(port))
        except (OSError, ValueError) as error:
            raise StoreError("the store does not answer", hint="Start it.") from error

    async def upsert(self, records): ...
    async def delete_documents(self, sources): ...
    async def documents(self): ...
    async def count(self): ...
    async def search(self, text, limit, filter=None): ...
    async def aclose(self): ...


def open_store(config):
    return Store(config)


async def check(config):
    await Store(config).prepare(None)


@hookimpl
def hierdoc_keyword_backends():
    yield Provider(Config, open_store, check)
'''

FOLDER = '''
"""A store in a folder."""
from typing import Literal
from pydantic import Field
from hierdoc import StoreError
from hierdoc.plugin import IndexPath, Provider, ProviderConfig, hookimpl


class Config(ProviderConfig):
    """A store."""

    provider: Literal["acme"] = "acme"
    path: IndexPath = Field(None, validate_default=True, description="Where it is.")


class Store:
    capabilities = frozenset()

    def __init__(self, config):
        self.file = config.path / "ids"

    async def prepare(self, spec, *, reset=False):
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self.file.touch()
        except OSError as error:
            raise StoreError(f"{self.file} cannot be written", hint="Look at its folder.") from error

    async def upsert(self, records):
        try:
            self.file.write_text("".join(f"{one.id}\\n" for one in records))
        except OSError as error:
            raise StoreError(f"{self.file} cannot be written", hint="Look at its folder.") from error

    def ids(self):
        try:
            return self.file.read_text().split()
        except OSError as error:
            raise StoreError(f"{self.file} cannot be read", hint="Look at its folder.") from error

    async def delete_documents(self, sources):
        self.ids()

    async def documents(self):
        return self.ids()

    async def count(self):
        return len(self.ids())

    async def search(self, text, limit, filter=None):
        return self.ids()

    async def aclose(self): ...


@hookimpl
def hierdoc_keyword_backends():
    yield Provider(Config, Store)
'''

EMBEDDER = '''
"""An embedder with settings."""
import json
from typing import Literal
from pydantic import Field
from hierdoc.plugin import Operational, Provider, ProviderConfig, hookimpl


class Config(ProviderConfig):
    """An embedder."""

    provider: Literal["acme"] = "acme"
    pooling: Literal["mean", "cls"] = Field("mean", description="How.")
    prefix: str = Field("", description="Before each text.")
    most: int | None = Field(None, description="Tokens.")
    batch_size: Operational[int] = Field(64, description="Texts at once.")


class Embedder:
    dimensions = 4

    def __init__(self, config):
        self.fingerprint = json.dumps(config.output_settings())

    async def embed_documents(self, texts): ...
    async def embed_query(self, text): ...


@hookimpl
def hierdoc_embedders():
    yield Provider(Config, Embedder)
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
    "a check of two arguments": ("test_the_hooks_give_the_configured_providers", "async def check(config)", "async def check(config, registry)"),
    "a check that blocks": ("test_the_hooks_give_the_configured_providers", "async def check(config):\n    await Store(config).prepare(None)", "def check(config):\n    asyncio.run(Store(config).prepare(None))"),
    "open takes two": ("test_the_hooks_give_the_configured_providers", "def open_store(config):", "def open_store(config, registry):"),
    "open makes its folder": ("test_open_writes_nothing", "    return Store(config)", "    config.path.mkdir(parents=True, exist_ok=True)\n    return Store(config)"),
    "open writes a file": ("test_open_writes_nothing", "    return Store(config)", "    Path('acme.log').write_text('opened')\n    return Store(config)"),
    "open fills a cache": ("test_open_writes_nothing", "    return Store(config)", "    (Path.home() / '.acme').mkdir()\n    return Store(config)"),
    "gone with any error": ("test_a_store_that_is_gone_says_so", "except (OSError, ValueError) as error:", "except ZeroDivisionError as error:"),
    "gone without a word": ("test_a_store_that_is_gone_says_so", '            raise StoreError("the store does not answer", hint="Start it.") from error', "            pass"),
    "a check without a word": ("test_a_store_that_is_gone_says_so", "    await Store(config).prepare(None)", "    pass"),
    "a folder that is gone": ("test_a_folder_that_vanishes_is_a_store_error", "        return len(self.ids())", "        return len(self.file.read_text().split())"),
    "a write into a folder that is gone": ("test_a_folder_that_vanishes_is_a_store_error", 'except OSError as error:\n            raise StoreError(f"{self.file} cannot be written"', 'except ZeroDivisionError as error:\n            raise StoreError(f"{self.file} cannot be written"'),
    "a folder that cannot be made": ("test_a_store_that_is_gone_says_so", "            self.file.parent.mkdir(parents=True, exist_ok=True)\n            self.file.touch()\n        except OSError", "            self.file.parent.mkdir(parents=True, exist_ok=True)\n            self.file.touch()\n        except ZeroDivisionError"),
    "the error shows the URL": ("test_a_store_that_is_gone_says_so", '"the store does not answer"', 'f"{self.config.url} does not answer"'),
    "the hint shows the key": ("test_a_store_that_is_gone_says_so", 'hint="Start it."', 'hint=f"Is {self.config.api_key and self.config.api_key.get_secret_value()} the key?"'),
    "the cause shows the URL": ("test_a_store_that_is_gone_says_so", "from error", "from OSError(self.config.url)"),
    "a fingerprint of the name alone": ("test_the_fingerprint_follows_the_settings", "json.dumps(config.output_settings())", "config.provider"),
    "a setting left out": ("test_the_fingerprint_follows_the_settings", "json.dumps(config.output_settings())", "config.provider + config.pooling + str(config.most)"),
    "a number left out": ("test_the_fingerprint_follows_the_settings", "json.dumps(config.output_settings())", "config.provider + config.pooling + config.prefix"),
    "a fingerprint of everything": ("test_the_fingerprint_follows_the_settings", "json.dumps(config.output_settings())", "config.model_dump_json()"),
}  # fmt: skip

COUNTER = itertools.count()


def written(folder: Path, code: str, monkeypatch: pytest.MonkeyPatch) -> PluginUnderTest:
    module = f"hierdoc_mutant_{next(COUNTER)}"
    (folder / f"{module}.py").write_text(code)
    monkeypatch.syspath_prepend(str(folder))
    begin = {STORE[:20]: "keyword", FOLDER[:20]: "keyword", EMBEDDER[:20]: "embedder"}
    kind = begin.get(code[:20], "fuser")
    return PluginUnderTest(module, {kind: {"provider": "acme"}})


@pytest.mark.parametrize("mutant", MUTANTS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_kit_fails_it(
    mutant: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    caught_by, right, wrong = MUTANTS[mutant]
    record_property("caught by", caught_by)
    code = next(one for one in (RIGHT, STORE, FOLDER, EMBEDDER) if right in one)
    plugin = written(tmp_path, code.replace(right, wrong), monkeypatch)
    assert list(failing_tests(PluginTests, lambda: plugin, only=[caught_by])) == [caught_by]


@pytest.mark.parametrize(
    "right", [RIGHT, STORE, FOLDER, EMBEDDER], ids=["fuser", "store", "folder", "embedder"]
)
def test_the_kit_passes_what_is_right(
    right: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin = written(tmp_path, right, monkeypatch)
    assert failing_tests(PluginTests, lambda: plugin) == {}
