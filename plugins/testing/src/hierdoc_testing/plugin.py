"""The conformance tests of a plugin as a package: its module, its configuration, what it says when its SDK is missing."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import inspect
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretBytes, SecretStr, ValidationError

from hierdoc import ConfigError, HierdocError, StoreError
from hierdoc.plugin import ComponentKind, Provider, ProviderConfig, Registry
from hierdoc_testing.base import Conformance, contract, require, trying
from hierdoc_testing.component import close
from hierdoc_testing.corpus import SPEC, direction, make_document_records
from hierdoc_testing.patience import LONG_QUIET

_SECRET = "s3cr3t-value-of-the-kit"  # noqa: S105 - that is what must not be shown
_SECRET_NAME = re.compile(
    r"^key$|(^|_)((api|access|account|admin|auth|master|private|secret|service|signing|subscription)_?key"
    r"|secret|token|password|passwd|passphrase|credentials?|dsn|connection_string|conninfo)$"
)
_LIGHT = (
    "hierdoc",
    "pydantic",
    "pydantic_core",
    "typing_extensions",
    "typing_inspection",
    "annotated_types",
    "pluggy",
)


@dataclass(frozen=True)
class PluginUnderTest:
    """A plugin, and configurations that open without a service.

    Attributes:
        module: Its import name, as the entry point has it.
        config: As in `hierdoc.yaml`: kind -> mapping with `provider:`, JSON-ready; one for each provider that is to be tested.
        sdk: Import names of the libraries that `open` needs; by default those of the distribution's dependencies.
    """

    module: str
    config: Mapping[str, Mapping[str, Any]]
    sdk: Sequence[str] | None = None

    def providers(self) -> Iterator[tuple[ComponentKind, Provider[Any, Any], dict[str, Any]]]:
        """Each configured provider with its kind and fields, from a registry that holds this plugin and the built-ins."""
        registry = self.registry()
        for key, fields in self.config.items():
            yield (
                ComponentKind(key),
                registry.find(ComponentKind(key), fields["provider"]),
                dict(fields),
            )

    def registry(self) -> Registry:
        """A registry that holds this plugin and the built-ins, and nothing else that is installed."""
        registry = Registry(allowed=frozenset())
        registry.register(import_module(self.module), self.module)
        return registry

    @property
    def distribution(self) -> importlib.metadata.Distribution | None:
        """What it was installed as; None for a module that was not."""
        for distribution in importlib.metadata.distributions():
            for point in distribution.entry_points:
                if point.group == "hierdoc" and point.value.partition(":")[0] == self.module:
                    return distribution
        return None

    @property
    def libraries(self) -> Sequence[str]:
        """Import names of what `open` needs."""
        if self.sdk is not None:
            return self.sdk
        distribution = self.distribution
        required = {_normal(one) for one in _required(distribution)} if distribution else set()
        required -= {"hierdoc", "hierdoc-core", "numpy", "pydantic"}
        return sorted({module for one in required for module in _modules(one)})


def _modules(distribution: str) -> Iterator[str]:
    """The modules and packages that a distribution brings; Python before 3.11 asks those alone that list them."""
    try:
        files = importlib.metadata.files(distribution) or []
    except importlib.metadata.PackageNotFoundError:
        return
    for file in files:
        name = file.parts[0] if len(file.parts) > 1 else file.name.partition(".")[0]
        if file.suffix in (".py", ".so", ".pyd") and name.isidentifier():
            yield name


class PluginTests(Conformance):
    """What a plugin's module and configuration promise: derive from it, supply `plugin`, and pytest does the rest."""

    @pytest.fixture
    def plugin(self) -> PluginUnderTest:
        """Supply this one: module and configurations."""
        raise NotImplementedError("supply the fixture `plugin`; see docs/plugins/testing.md")

    @contract
    def test_the_hooks_give_the_configured_providers(self, plugin: PluginUnderTest) -> None:
        """The module registers, and gives each provider under the name that its configuration has, with a line that describes it.

        When it fails: compare the hooks' names with `hierdoc.plugin.hookspecs`; the line is the first of the model's docstring. `open`
        and the async `check` take the configuration and nothing else.
        """
        assert plugin.config
        for _, provider, fields in plugin.providers():
            assert provider.name == fields["provider"]
            assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", provider.name)
            assert 0 < len(provider.summary) <= 100
            assert callable(provider.open)
            assert not inspect.iscoroutinefunction(provider.open)
            _takes_one(provider.open)
            if provider.check is not None:
                assert inspect.iscoroutinefunction(provider.check), "check is not async"
                _takes_one(provider.check)

    @contract
    def test_the_configuration_is_frozen_and_strict(self, plugin: PluginUnderTest) -> None:
        """The model fixes `provider` and refuses unknown keys and changes.

        When it fails: leave the `model_config` of `ProviderConfig` alone.
        """
        for _, provider, fields in plugin.providers():
            config = provider.config.model_validate(fields)
            with pytest.raises(ValidationError):
                provider.config.model_validate({**fields, "no_such_field": 1})
            with pytest.raises(ValidationError):
                provider.config.model_validate({**fields, "provider": "another"})
            with pytest.raises(ValidationError):
                setattr(config, "provider", "another")  # noqa: B010 - it is frozen for type checkers too

    @contract
    def test_the_configuration_survives_a_round_trip(self, plugin: PluginUnderTest) -> None:
        """What is dumped and read again is the same configuration; without secrets also by way of JSON.

        When it fails: use types that pydantic can write and read; do not change values in validators a second time.
        """
        for _, provider, fields in plugin.providers():
            config = provider.config.model_validate(fields)
            assert provider.config.model_validate(config.model_dump()) == config
            text = json.dumps(config.model_dump(mode="json"))
            if not any(_has_secret(getattr(config, name)) for name in type(config).model_fields):
                assert provider.config.model_validate(json.loads(text)) == config

    @contract
    def test_the_schema_describes_every_field(self, plugin: PluginUnderTest) -> None:
        """The JSON Schema can be made, and every field but `provider` has a description: editors show it.

        When it fails: `Field(default, description="...")`.
        """
        for _, provider, _ in plugin.providers():
            schema = provider.config.model_json_schema()
            json.dumps(schema)
            for name, field in schema["properties"].items():
                assert name == "provider" or field.get("description", "").strip(), name

    @contract
    def test_secrets_are_masked(self, plugin: PluginUnderTest) -> None:
        """Fields for keys, passwords and tokens are `SecretStr`: no dump, text or validation error shows their value.

        When it fails: declare them `SecretStr | None`, and call `get_secret_value()` where the client is made, not before.
        """
        for _, provider, fields in plugin.providers():
            for name, field in provider.config.model_fields.items():
                declared = str(field.annotation)
                if "Secret" not in declared:
                    open_text = _SECRET_NAME.search(name) and re.search(r"\bstr\b", declared)
                    assert not open_text, f"{name} is {declared}"
                    continue
                given, value = _with_secret(provider, fields, name)
                config = provider.config.model_validate(given)
                shown = [
                    repr(config),
                    str(config),
                    config.model_dump_json(),
                    str(config.model_dump()),
                ]
                with pytest.raises(ValidationError) as caught:
                    provider.config.model_validate({**given, "no_such_field": 1})
                assert all(value not in text for text in [*shown, str(caught.value)]), name

    @contract
    def test_secrets_are_operational(self, plugin: PluginUnderTest) -> None:
        """A new key or password ingests nothing again: fields for them are `Operational`, as is all that changes no output.

        When it fails: `api_key: Operational[SecretStr | None]`; look at paths, URLs, timeouts and batch sizes too.
        """
        for _, provider, fields in plugin.providers():
            config = provider.config.model_validate(fields)
            deciding = config.output_settings()
            assert "provider" in deciding
            assert not [name for name in deciding if _declared_secret(config, name)]

    @contract
    def test_an_opened_component_hides_its_secrets(self, plugin: PluginUnderTest) -> None:
        """Neither `repr` nor `str` of an opened component shows a secret.

        When it fails: keep secrets out of dataclass fields, or give them `field(repr=False)`.
        """
        secret = False
        for _, provider, fields in plugin.providers():
            config = provider.config.model_validate(fields)
            names = [name for name in type(config).model_fields if _declared_secret(config, name)]
            secret = secret or bool(names)
            for name in names:
                given, value = _with_secret(provider, fields, name)
                config = provider.config.model_validate(given)
                try:
                    component = provider.open(config)
                except HierdocError as error:
                    component, shown = None, f"{error} {error.hint}"
                else:
                    shown = f"{component!r} {component}"
                    asyncio.run(close(component))
                assert value not in shown
        require(secret, "has no secrets")

    @contract
    def test_the_module_is_light(self, plugin: PluginUnderTest) -> None:
        """Importing the plugin imports no library but pydantic, and starts nothing.

        When it fails: import the SDK, numpy and everything else within `open`, or in a module that `open` imports.
        """
        imported, threads = _looked_at(plugin)["imported"]
        package = plugin.module.partition(".")[0]
        heavy = [name for name in imported if name not in _LIGHT and name.lstrip("_") != package]
        # Modules of editable installs, and plugins that this one builds on: what they import counts by itself.
        heavy = [name for name in heavy if not name.startswith(("__", "hierdoc_"))]
        assert heavy == []
        assert threads == 1

    @contract
    def test_open_makes_the_component_without_a_network(
        self, plugin: PluginUnderTest, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """`open` gives an object with all that its protocol asks for, and neither resolves names nor connects.

        When it fails: make the client lazily, at the first call that needs it; give in the test a configuration that is complete.
        """
        attempts: list[Any] = []

        def refuse(*arguments: Any, **options: Any) -> Any:
            attempts.append(arguments)
            raise OSError("no network while a component is opened")

        for name in ("connect", "connect_ex"):
            monkeypatch.setattr(socket.socket, name, refuse)
        for name in ("getaddrinfo", "gethostbyname", "create_connection"):
            monkeypatch.setattr(socket, name, refuse)
        registry = plugin.registry()
        for kind, provider, fields in plugin.providers():
            component = registry.open(kind, provider.config.model_validate(fields))
            monkeypatch.undo()
            asyncio.run(close(component))
            assert attempts == []

    @contract
    def test_open_writes_nothing(
        self, plugin: PluginUnderTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """`open` leaves no file or folder behind: neither where the configuration leads to, nor in the working, home or cache folder.

        When it fails: make folders and files in `prepare`, or at the first call that needs them: `hierdoc plugins list` opens components too.
        """
        registry = plugin.registry()
        monkeypatch.chdir(tmp_path)
        for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "TMPDIR"):
            monkeypatch.setenv(name, str(tmp_path))
        monkeypatch.setattr(tempfile, "tempdir", None)
        for kind, provider, fields in plugin.providers():
            given = fields
            if "path" in provider.config.model_fields and kind in _STORES:
                given = {**fields, "path": str(tmp_path / "index")}
            try:
                config = provider.config.model_validate(given)
            except ValidationError:  # it takes a path or an address, not both
                config = provider.config.model_validate(fields)
            component = registry.open(kind, config)
            left = sorted(str(one.relative_to(tmp_path)) for one in tmp_path.rglob("*"))
            asyncio.run(close(component))
            assert left == []

    @contract(quiet=LONG_QUIET)
    def test_a_store_that_is_gone_says_so(self, plugin: PluginUnderTest, tmp_path: Path) -> None:
        """Where a store's server does not answer, or its folder cannot be made, `prepare` raises `StoreError`; so does `check` for a server.

        Neither message, hint nor cause shows a secret of the configuration.

        When it fails: surround calls with what turns the library's errors into `StoreError`, and pass their messages through
        `hierdoc.plugin.masked`; `raise ... from None` where the cause repeats a URL or header.
        """
        tried = False
        for kind, provider, fields in plugin.providers():
            for given, secrets in _unreachable(provider, fields, tmp_path):
                if kind not in _STORES:
                    continue
                tried = True
                config = provider.config.model_validate(given)
                with trying({name: given[name] for name in given if name in _PLACES}):
                    asyncio.run(_fails(provider, config, secrets, checked="path" not in given))
        require(tried, "is no store with a path or an address")

    @contract(quiet=LONG_QUIET)
    def test_a_folder_that_vanishes_is_a_store_error(
        self, plugin: PluginUnderTest, tmp_path: Path
    ) -> None:
        """Where the folder of an open store is deleted, calls raise `StoreError` or are answered, and nothing else comes of it.

        When it fails: whatever the library raises for files that are missing becomes a `StoreError`, a panic of native code too.
        """
        tried = False
        for kind, provider, fields in plugin.providers():
            kept = {name: value for name, value in fields.items() if name not in _PLACES}
            folder = tmp_path / kind.value
            if kind in _STORES and "path" in provider.config.model_fields:
                config = provider.config.model_validate({**kept, "path": str(folder)})
                tried |= asyncio.run(_vanishes(kind, provider.open(config), folder))
        require(tried, "is no store in a folder")

    @contract
    def test_the_fingerprint_follows_the_settings(self, plugin: PluginUnderTest) -> None:
        """An embedder's fingerprint changes with every setting that is not `Operational`, and with no other.

        When it fails: make it of `config.output_settings()`, beside the model's revision and your version; mark what changes no
        vector `Operational`.
        """
        tried = False
        for kind, provider, fields in plugin.providers():
            if kind is not ComponentKind.EMBEDDER:
                continue
            config = provider.config.model_validate(fields)
            deciding = config.output_settings()
            try:
                before = provider.open(config).fingerprint
            except HierdocError:  # it has to look at the model, which is not here
                continue
            for name in type(config).model_fields:
                for other in _others(provider, fields, name):
                    try:
                        after = provider.open(other).fingerprint
                    except HierdocError:
                        continue
                    tried = True
                    assert (after != before) == (name in deciding), name
        require(tried, "has no embedder with settings that can be varied without its model")

    @contract
    def test_declared_capabilities_are_those_of_the_backend(self, plugin: PluginUnderTest) -> None:
        """A backend's configuration says what the backend claims with default settings; that of another kind says nothing.

        When it fails: `capabilities = ALL_FILTERS | {...}` in the model, and the same in the backend.
        """
        for kind, provider, fields in plugin.providers():
            if kind not in (ComponentKind.VECTOR, ComponentKind.KEYWORD):
                assert not provider.config.capabilities
                continue
            try:
                config = provider.config()
            except ValueError:  # it has no defaults
                config = provider.config.model_validate(fields)
            component = provider.open(config)
            claimed = component.capabilities
            asyncio.run(close(component))
            assert claimed == provider.config.capabilities

    @contract
    def test_a_missing_sdk_gives_the_install_hint(self, plugin: PluginUnderTest) -> None:
        """Without the libraries that it needs, the plugin still imports, and opening says what to install.

        When it fails: import the SDK in `open` itself (or in a module that it imports) and let its `ImportError` out.
        """
        libraries = plugin.libraries
        require(bool(libraries), "needs no library of its own")
        for key, (message, hint) in _looked_at(plugin)["opened"].items():
            assert message is not None, f"{key} opens without {', '.join(libraries)}"
            assert "pip install" in (hint or ""), message

    @contract
    def test_the_distribution_declares_entry_points_and_range(
        self, plugin: PluginUnderTest
    ) -> None:
        """Each provider has an entry point of its name in the group `hierdoc`, and the versions of hierdoc are bounded.

        When it fails: `[project.entry-points.hierdoc]` with `name = "module"`, and a dependency such as `hierdoc-core>=0.1,<1`.
        """
        distribution = plugin.distribution
        require(distribution is not None, "is not installed as a distribution")
        assert distribution is not None
        points = {
            point.name: point.value.partition(":")[0]
            for point in distribution.entry_points
            if point.group == "hierdoc"
        }
        for fields in plugin.config.values():
            assert points.get(fields["provider"]) == plugin.module
        core = [
            one for one in _required(distribution) if _normal(one) in ("hierdoc", "hierdoc-core")
        ]
        assert core, "does not depend on hierdoc-core"
        assert any("<" in one and ">" in one for one in core), core


def _with_secret(
    provider: Provider[Any, Any], fields: Mapping[str, Any], name: str
) -> tuple[dict[str, Any], str]:
    """Fields in which this one holds a secret, and the secret: the kit's own or, where that is refused, the test's."""
    for given in (
        {**fields, name: _SECRET},
        {**fields, name: {"kit": _SECRET}},
        {"provider": provider.name, name: _SECRET},
    ):
        try:
            provider.config.model_validate(given)
        except ValidationError:
            continue
        return given, _SECRET
    if isinstance(fields.get(name), str):
        return dict(fields), fields[name]
    pytest.fail(
        f"{name} takes no value that the kit knows: give it one in the test's configuration"
    )


_STORES = (ComponentKind.VECTOR, ComponentKind.KEYWORD)
_NOWHERE = "127.0.0.1:9"
"""Where nobody answers: the port of a service that is not run any more."""

_PLACES = ("url", "dsn", "host", "path", "port")
"""What fields are called that say where a store is."""

_SCHEMES = {"url": ("http", "postgresql", "redis"), "dsn": ("postgresql", "mysql", "http")}


def _unreachable(
    provider: Provider[Any, Any], fields: Mapping[str, Any], folder: Path
) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Configurations whose store is not to be had, each with the secrets in it."""
    known = provider.config.model_fields
    file = folder / "a-file"
    file.write_text("no folder")
    ways: list[list[dict[str, Any]]] = [
        [{"path": str(file / "index")}],
        [{"host": "127.0.0.1", "port": 9}],
    ]
    for name, schemes in _SCHEMES.items():
        for user in ("", f"kit:{_SECRET}@"):
            ways += [[{name: f"{scheme}://{user}{_NOWHERE}/kit"} for scheme in schemes]]
    kept = {name: value for name, value in fields.items() if name not in _PLACES}
    soon = {name: value for name, value in {"timeout": 1, "retries": 0}.items() if name in known}
    for way in ways:
        places = [place for place in way if place.keys() <= known.keys()]
        for given in ({**kept, **place, **more} for place in places for more in (soon, {})):
            try:
                config = provider.config.model_validate(given)
            except ValidationError:
                continue
            secrets = [_SECRET]
            for name in known:
                if _declared_secret(config, name) and name not in _PLACES:
                    with contextlib.suppress(pytest.fail.Exception):  # it does not go with the rest
                        given, value = _with_secret(provider, given, name)
                        secrets.append(value)
            yield given, secrets
            break


async def _fails(
    provider: Provider[Any, Any],
    config: ProviderConfig,
    secrets: Sequence[str],
    *,
    checked: bool,
) -> None:
    """The store cannot be prepared, nor does it pass its check; each says so with a `StoreError` that hides the secrets."""
    backend = provider.open(config)
    attempts: list[Callable[[], Awaitable[object]]] = [lambda: backend.prepare(SPEC)]
    check = provider.check
    if check is not None and checked:
        attempts.append(lambda: check(config))
    try:
        for attempt in attempts:
            with pytest.raises((StoreError, ConfigError)) as caught:  # it may want another address
                await attempt()
            error = caught.value
            causes = traceback.TracebackException.from_exception(error)
            shown = f"{error!r} {error.hint} {''.join(_messages(causes))}"
            assert not [one for one in secrets if one in shown], "the error shows a secret"
    finally:
        await close(backend)


async def _vanishes(kind: ComponentKind, backend: Any, folder: Path) -> bool:
    """The store's folder is deleted under it; every call raises `StoreError` or is answered. Whether it could be opened at all."""
    first, second = make_document_records("docs/a.md", 300), make_document_records("docs/b.md", 3)
    query = "word" if kind is ComponentKind.KEYWORD else direction(1)
    calls: dict[str, Callable[[], Awaitable[Any]]] = {
        "search": lambda: backend.search(query, 10),
        "documents": backend.documents,
        "count": backend.count,
        "upsert": lambda: backend.upsert(second),
        "search, after a write": lambda: backend.search(query, 10),
        "delete_documents": lambda: backend.delete_documents(["docs/a.md"]),
        "prepare": lambda: backend.prepare(SPEC),
        "aclose": backend.aclose,
    }
    try:
        try:
            await backend.prepare(SPEC)
        except StoreError:  # a folder is not all that it needs
            return False
        await backend.upsert(first)
        shutil.rmtree(folder, ignore_errors=True)
        for name, call in calls.items():
            with trying(f"{name}, without the folder"), contextlib.suppress(StoreError):
                await call()
        return True
    finally:
        with contextlib.suppress(StoreError):
            await backend.aclose()


def _messages(error: traceback.TracebackException) -> Iterator[str]:
    """What a traceback would say of an error and of all that led to it, without lines of code."""
    yield from error.format_exception_only()
    if error.__cause__ is not None:
        yield from _messages(error.__cause__)
    if error.__context__ is not None and not error.__suppress_context__:
        yield from _messages(error.__context__)


def _others(
    provider: Provider[Any, Any], fields: Mapping[str, Any], name: str
) -> Iterator[ProviderConfig]:
    """The configuration with another value of one field: of the field's own choices, or of values that the kit knows."""
    config = provider.config.model_validate(fields)
    now = getattr(config, name)
    if name == "provider" or isinstance(now, (SecretStr, SecretBytes)):
        return
    choices = re.findall(r"'([^']*)'", str(provider.config.model_fields[name].annotation))
    # None stands for a resource more often than not: text in its place would name another.
    values: Sequence[Any] = [*choices, 7, 128, 0.5]
    if isinstance(now, (bool, str)):
        values = [not now] if isinstance(now, bool) else [*choices, "another"]
    for value in values:
        try:
            other = provider.config.model_validate({**fields, name: value})
        except ValidationError:
            continue
        if getattr(other, name) != now:
            yield other
            return


def _takes_one(function: Callable[..., Any]) -> None:
    """It can be called with a configuration, and with nothing else."""
    try:
        inspect.signature(function).bind(None)
    except TypeError as error:
        name = getattr(function, "__name__", repr(function))
        raise AssertionError(f"{name} takes the configuration and nothing else: {error}") from error


def _declared_secret(config: ProviderConfig, name: str) -> bool:
    declared = str(type(config).model_fields[name].annotation)
    return "SecretStr" in declared or "SecretBytes" in declared


def _has_secret(value: object) -> bool:
    """Whether a value is a secret, or a mapping or list that has one."""
    if isinstance(value, Mapping):
        return any(map(_has_secret, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_has_secret, value))
    return isinstance(value, (SecretStr, SecretBytes))


def _required(distribution: importlib.metadata.Distribution) -> Sequence[str]:
    """What the distribution needs, without what its extras add."""
    return [
        one
        for one in distribution.requires or []
        if not re.search(r"\bextra\s*==", one.partition(";")[2])
    ]


def _normal(requirement: str) -> str:
    """The distribution's name in a requirement, as package indexes compare it."""
    name = re.split(r"[^A-Za-z0-9._-]", requirement.strip(), maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


def _looked_at(plugin: PluginUnderTest) -> Any:
    """What an interpreter that lacks the plugin's libraries sees of it: what it imports, and what opening it says."""
    told = json.dumps([plugin.module, plugin.config, list(plugin.libraries)], sort_keys=True)
    return json.loads(_fresh(told))


@cache
def _fresh(told: str) -> str:
    """The same, and what it is told, as JSON; an interpreter takes a quarter of a second to start."""
    done = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", _LOOK, told],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().splitlines()[-1]


_LOOK = """
import importlib.abc, json, sys, threading, traceback
import hierdoc, pydantic
from hierdoc.plugin import Provider, ProviderConfig, hookimpl

module, config, libraries = json.loads(sys.argv[1])
wanted = set()

class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in libraries:
            wanted.add(top)
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
wanted.clear()
before = set(sys.modules)
opened = {}
try:
    __import__(module)
except ImportError:
    opened = {key: [traceback.format_exc(), None] for key in config}
new = {name.partition(".")[0] for name in set(sys.modules) - before} - sys.stdlib_module_names
imported = [sorted(new | wanted), threading.active_count()]

from hierdoc.errors import PluginLoadError
from hierdoc.plugin import ComponentKind, default_registry

for key, fields in config.items() if libraries and not opened else ():
    registry = default_registry()
    kind, name = ComponentKind(key), fields["provider"]
    try:
        registry.find(kind, name)
    except Exception:
        registry.register(sys.modules[module], "plugin")
    try:
        registry.open(kind, registry.find(kind, name).config.model_validate(fields))
    except PluginLoadError as error:
        opened[key] = [str(error), error.hint]
    except Exception:
        opened[key] = [traceback.format_exc(), None]
    else:
        opened[key] = [None, None]
print(json.dumps({"imported": imported, "opened": opened}))
"""
