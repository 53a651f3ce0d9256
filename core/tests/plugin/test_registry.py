"""The registry: lazy, patient with broken plugins, strict about names."""

from __future__ import annotations

import itertools
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from hierdoc import load_config
from hierdoc.errors import PluginConflictError, PluginLoadError, UnknownProviderError
from hierdoc.plugin import ComponentKind, Registry, hookimpl

Install = Callable[..., None]

COUNTER = itertools.count()
"""Makes module names unique: a module stays imported after the test that imported it."""

PLUGIN = """
    from typing import Literal

    from hierdoc.plugin import Provider, ProviderConfig, hookimpl


    class Config(ProviderConfig):
        provider: Literal["{name}"] = "{name}"
        size: int = 1


    @hookimpl
    def hierdoc_{kind}():
        yield Provider("{name}", Config, lambda config: config.size, "A test")
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
    assert Registry().open(ComponentKind.FUSER, config.fuser) == 3


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
        (acme().replace('yield Provider("acme"', 'yield ("acme"'), "which is no Provider"),
        (acme().replace("hierdoc_fusers", "hierdoc_fuser"), "unknown hook 'hierdoc_fuser'"),
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


def test_a_plugin_that_takes_a_built_in_name_is_told_when_listed(install: Install) -> None:
    install("rrf", acme("rrf"))
    registry = Registry()
    registry.load_all()
    with pytest.raises(PluginConflictError, match="acme-rrf and hierdoc"):
        registry.find(ComponentKind.FUSER, "rrf")


@pytest.mark.parametrize(("allowed", "found"), [("acme", True), ("other, acme", True), ("", False)])
def test_the_environment_limits_plugins(
    install: Install, monkeypatch: pytest.MonkeyPatch, allowed: str, found: bool
) -> None:
    install("acme", acme())
    monkeypatch.setenv("HIERDOC_PLUGINS", allowed)
    assert ("acme" in [one.provider.name for one in Registry().providers()]) is found


def test_a_first_party_name_gets_the_install_line() -> None:
    with pytest.raises(UnknownProviderError) as caught:
        Registry(allowed=frozenset()).find(ComponentKind.EMBEDDER, "fastembed")
    assert "pip install 'hierdoc[fastembed]'" in str(caught.value.hint)


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
