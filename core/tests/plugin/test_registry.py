"""The registry: lazy, patient with broken plugins, strict about names."""

from __future__ import annotations

import itertools
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import click
import pytest

from hierdoc import load_config
from hierdoc.errors import (
    PluginConflictError,
    PluginError,
    PluginLoadError,
    StoreError,
    UnknownProviderError,
)
from hierdoc.plugin import (
    ALL_FILTERS,
    Capability,
    ComponentKind,
    Provider,
    ProviderConfig,
    Registry,
    hookimpl,
)

Install = Callable[..., None]

COUNTER = itertools.count()
"""Makes module names unique: a module stays imported after the test that imported it."""

PLUGIN = """
    from typing import Literal

    from hierdoc.plugin import Provider, ProviderConfig, hookimpl


    class Config(ProviderConfig):
        provider: Literal["{name}"] = "{name}"
        size: int = 1


    class Component:
        def __init__(self, config):
            self.size = config.size

        def fuse(self, rankings, weights, limit):
            return []

        async def rerank(self, query, hits, limit):
            return []


    @hookimpl
    def hierdoc_{kind}():
        yield Provider(Config, Component)
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install a distribution with one plugin module, as pip would."""
    monkeypatch.delenv("HIERDOC_PLUGINS", raising=False)

    def install(name: str, code: str, *, distribution: str | None = None) -> None:
        distribution = distribution or f"acme-{name}"
        folder = tmp_path / distribution
        module = f"plugin_{distribution}_{name}_{next(COUNTER)}".replace("-", "_")
        info = folder / f"{distribution.replace('-', '_')}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n"
        )
        (info / "entry_points.txt").write_text(f"[hierdoc]\n{name} = {module}\n")
        (folder / f"{module}.py").write_text(textwrap.dedent(code))
        monkeypatch.syspath_prepend(str(folder))

    return install


def acme(name: str = "acme", kind: str = "fusers") -> str:
    return PLUGIN.format(name=name, kind=kind)


def test_a_plugin_is_found_by_its_name(install: Install) -> None:
    install("acme", acme())
    config = load_config({"fuser": {"provider": "acme", "size": 3}}, registry=Registry())
    assert Registry().open(ComponentKind.FUSER, config.fuser).size == 3


def test_a_built_in_name_imports_no_plugin(install: Install) -> None:
    install("acme", "raise SystemExit('imported')")
    registry = Registry()
    load_config({}, registry=registry)
    assert registry.broken == []


def test_a_plugin_name_imports_that_plugin_only(install: Install) -> None:
    install("acme", acme())
    install("other", "raise RuntimeError('imported')")
    registry = Registry()
    load_config({"fuser": "acme"}, registry=registry)
    assert registry.broken == []


def test_a_provider_in_an_entry_point_of_another_name_is_found(install: Install) -> None:
    install("bundle", acme("acme"))
    assert Registry().find(ComponentKind.FUSER, "acme").name == "acme"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import no_such_module_anywhere", "ModuleNotFoundError"),
        ("raise ValueError('unlucky')", "ValueError: unlucky"),
        ("raise SystemExit(3)", "it exits: 3"),
        ("def broken(:", "SyntaxError"),
        (acme().replace("yield", "raise KeyError('late')\n        yield"), "KeyError"),
        (acme().replace("yield Provider(", "yield ("), "which is no Provider"),
        (acme().replace("hierdoc_fusers", "hierdoc_fuser"), "unknown hook 'hierdoc_fuser'"),
        (
            acme().replace("@hookimpl", ""),
            "hierdoc_fusers is not marked as a hook: forgot @hookimpl?",
        ),
        (acme().replace("yield ", ""), "hierdoc_fusers gives None"),
        (acme().replace('= "acme"', '= "other"'), 'Config lacks `provider: Literal["name"]'),
        (
            acme().replace("Provider(Config", "Provider(Component"),
            "no model derived from ProviderConfig",
        ),
    ],
)
def test_a_broken_plugin_is_listed_and_stops_nobody(
    install: Install, code: str, reason: str
) -> None:
    install("acme", code)
    install("good", acme("good"))
    registry = Registry()
    assert "good" in [one.provider.name for one in registry.providers(ComponentKind.FUSER)]
    (broken,) = registry.broken
    assert (broken.name, broken.distribution, broken.version) == ("acme", "acme-acme", "1.0")
    assert reason in broken.reason


def test_naming_a_broken_plugin_raises_from_its_error(install: Install) -> None:
    install("acme", "raise ValueError('unlucky')")
    with pytest.raises(PluginLoadError, match="'acme' of acme-acme is broken") as caught:
        load_config({"fuser": "acme"}, registry=Registry())
    assert isinstance(caught.value.__cause__, ValueError)
    assert "pip install --upgrade acme-acme" in str(caught.value.hint)


def test_two_distributions_with_one_name_are_both_named(install: Install) -> None:
    install("acme", acme(), distribution="first")
    install("acme", acme(), distribution="second")
    with pytest.raises(PluginConflictError, match="first and second"):
        Registry().find(ComponentKind.FUSER, "acme")


def test_one_name_for_two_kinds_is_no_conflict(install: Install) -> None:
    install("acme", acme() + textwrap.indent(acme(kind="rerankers"), ""))
    registry = Registry()
    assert registry.find(ComponentKind.FUSER, "acme") is not registry.find(
        ComponentKind.RERANKER, "acme"
    )


@pytest.mark.parametrize("listed", [False, True])
def test_a_plugin_that_takes_the_name_of_a_component_of_core_is_told(
    install: Install, listed: bool
) -> None:
    install("rrf", acme("rrf"))
    registry = Registry()
    if listed:
        registry.load_all()
    with pytest.raises(PluginConflictError, match="acme-rrf and hierdoc") as caught:
        registry.find(ComponentKind.FUSER, "rrf")
    assert "rrf@acme-rrf or rrf@hierdoc-core" in str(caught.value.hint)


@pytest.mark.parametrize("listed", [False, True])
def test_an_entry_point_of_another_name_takes_no_name_from_others(
    install: Install, listed: bool
) -> None:
    install("bundle", acme("rrf"))
    registry = Registry()
    if listed:
        registry.load_all()
    assert registry.registered(ComponentKind.FUSER, "rrf").distribution == "hierdoc-core"


@pytest.mark.parametrize(
    ("name", "chosen"),
    [("acme", "first"), ("acme", "Sec_Ond"), ("rrf", "first"), ("rrf", "hierdoc-core")],
)
def test_the_environment_chooses_between_distributions(
    install: Install, monkeypatch: pytest.MonkeyPatch, name: str, chosen: str
) -> None:
    install(name, acme(name), distribution="first")
    install(name, acme(name), distribution="sec-ond")
    monkeypatch.setenv("HIERDOC_PLUGINS", f"other, {name}@{chosen}")
    registered = Registry().registered(ComponentKind.FUSER, name)
    assert registered.distribution == chosen.lower().replace("_", "-")


def test_a_name_that_the_environment_leaves_out_is_told(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("acme", acme())
    monkeypatch.setenv("HIERDOC_PLUGINS", "other,acme@another")
    with pytest.raises(UnknownProviderError) as caught:
        Registry().find(ComponentKind.FUSER, "acme")
    assert caught.value.hint == "acme-acme has it, but HIERDOC_PLUGINS leaves that out."


def test_the_environment_can_leave_out_the_default_providers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HIERDOC_PLUGINS", "")
    assert {one.distribution for one in Registry().providers()} == {"hierdoc-core"}


@pytest.mark.parametrize(("allowed", "found"), [("acme", True), ("other, acme", True), ("", False)])
def test_the_environment_limits_plugins(
    install: Install, monkeypatch: pytest.MonkeyPatch, allowed: str, found: bool
) -> None:
    install("acme", acme())
    monkeypatch.setenv("HIERDOC_PLUGINS", allowed)
    assert ("acme" in [one.provider.name for one in Registry().providers()]) is found


def test_a_first_party_name_gets_the_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **wanted: ())
    with pytest.raises(UnknownProviderError) as caught:
        Registry(allowed=frozenset()).find(ComponentKind.EMBEDDER, "fastembed")
    assert "pip install 'hierdoc[fastembed]'" in str(caught.value.hint)


def test_a_store_that_is_not_supported_gets_the_reason_and_another() -> None:
    with pytest.raises(UnknownProviderError, match="an operator of its own") as caught:
        Registry().find(ComponentKind.VECTOR, "azure-cosmos-mongo")
    assert "azure-ai-search" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (ComponentKind.CONTEXT, "semantic-kernel"),
        (ComponentKind.EMBEDDER, "semantic-kernel"),
        (ComponentKind.RERANKER, "semantic-kernel-navigator"),
        (ComponentKind.VECTOR, "semantic-kernel"),
    ],
)
def test_a_distribution_that_no_extra_brings_is_named(kind: ComponentKind, name: str) -> None:
    with pytest.raises(UnknownProviderError) as caught:
        Registry().find(kind, name)
    assert caught.value.hint == "pip install hierdoc-semantic-kernel"


def test_a_provider_of_another_kind_is_told_as_such() -> None:
    with pytest.raises(UnknownProviderError) as caught:
        Registry().find(ComponentKind.EMBEDDER, "qdrant")
    assert "It is a provider for `vector`." in str(caught.value.hint)


def test_an_unknown_name_gets_the_nearest_also_of_plugins(install: Install) -> None:
    install("acme", acme("acmefuser"))
    with pytest.raises(UnknownProviderError) as caught:
        Registry().find(ComponentKind.FUSER, "acmefuse")
    assert "Did you mean acmefuser" in str(caught.value.hint)


def test_a_registered_object_is_a_plugin_too() -> None:
    class Plugin:
        @staticmethod
        @hookimpl
        def hierdoc_fuser() -> list[Any]:
            return []

    with pytest.raises(PluginLoadError, match="hierdoc_fuser"):
        Registry().register(Plugin, "mine")


def opening(component: Any, kind: ComponentKind = ComponentKind.FUSER) -> Any:
    """What a registry opens of a provider that gives this component, or raises this error."""

    class Config(ProviderConfig):
        provider: Literal["acme"] = "acme"

    def open_it(config: Config) -> Any:
        if isinstance(component, Exception):
            raise component
        return component

    plugin: Any = type("Plugin", (), {})()
    setattr(plugin, kind.hook, hookimpl(lambda: [Provider(Config, open_it)]))
    registry = Registry(frozenset())
    registry.register(plugin, "acme", "acme-distribution")
    return registry.open(kind, Config())


def test_what_open_raises_names_provider_and_distribution() -> None:
    with pytest.raises(
        PluginError, match="fuser provider 'acme' of acme-distribution failed: KeyError: 'size'"
    ) as caught:
        opening(KeyError("size"))
    assert isinstance(caught.value.__cause__, KeyError)
    assert "--debug" in str(caught.value.hint)


def test_what_open_raises_on_purpose_stays_what_it_is() -> None:
    error = StoreError("the folder is read-only")
    with pytest.raises(StoreError) as caught:
        opening(error)
    assert caught.value is error


class Component:
    """As a keyword backend, all but `count` and `search_phrase`, and `upsert` is not async."""

    capabilities: Any = ALL_FILTERS | {Capability.PHRASES}

    async def prepare(self) -> None: ...

    def upsert(self) -> None: ...

    search = delete_documents = documents = aclose = prepare


class Listing(Component):
    capabilities: Any = tuple(ALL_FILTERS)


@pytest.mark.parametrize(
    ("kind", "component", "fault"),
    [
        (ComponentKind.FUSER, None, "opens NoneType: `fuse` is missing"),
        (ComponentKind.EMBEDDER, None, "`fingerprint` is missing, `dimensions` is missing"),
        (ComponentKind.RERANKER, type("R", (), {"rerank": lambda self: 0})(), "`rerank` must be async"),
        (ComponentKind.FUSER, type("F", (), {"fuse": Component.prepare})(), "`fuse` must not be async"),
        (
            ComponentKind.KEYWORD,
            Component(),
            "Component: `upsert` must be async, `count` is missing, `search_phrase` is missing",
        ),
        (ComponentKind.KEYWORD, Listing(), "`capabilities` must be a frozenset"),
    ],
)  # fmt: skip
def test_what_open_gives_has_all_that_its_protocol_asks_for(
    kind: ComponentKind, component: Any, fault: str
) -> None:
    with pytest.raises(PluginError, match="'acme' of acme-distribution") as caught:
        opening(component, kind)
    assert fault in str(caught.value)


def test_a_hook_declares_only_the_arguments_that_it_uses(install: Install) -> None:
    install(
        "acme",
        """
        from hierdoc.plugin import hookimpl

        @hookimpl
        def hierdoc_register_commands():
            raise RuntimeError("called")
        """,
    )
    registry = Registry()
    registry.register_commands(click.Group())
    assert [plugin.reason for plugin in registry.broken] == ["RuntimeError: called"]


def test_plugins_bring_commands(install: Install) -> None:
    install(
        "acme",
        """
        import click
        from hierdoc.plugin import hookimpl

        @hookimpl
        def hierdoc_register_commands(cli):
            @cli.command("shout")
            def shout():
                click.echo("HELLO")
        """,
    )
    group = click.Group()
    Registry().register_commands(group)
    assert "shout" in group.commands


def test_a_plugin_whose_command_fails_is_listed_as_broken(install: Install) -> None:
    install(
        "acme",
        """
        from hierdoc.plugin import hookimpl

        @hookimpl
        def hierdoc_register_commands(cli):
            raise RuntimeError("no")
        """,
    )
    registry = Registry()
    registry.register_commands(click.Group())
    assert [plugin.reason for plugin in registry.broken] == ["RuntimeError: no"]


def test_the_schema_holds_third_party_providers(install: Install) -> None:
    install("acme", acme())
    folder = next(entry for entry in sys.path if entry.endswith("acme-acme"))
    code = (
        f"import sys; sys.path.insert(0, {folder!r})\nfrom hierdoc.cli import cli; cli(['schema'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert '"const": "acme"' in done.stdout
