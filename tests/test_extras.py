"""What `pip install 'hierdoc[NAME]'` promises: the defaults, an extra for every plugin, and every distribution complete."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from hierdoc import cli as commands
from hierdoc.defaults.converters import SPECIALISTS
from hierdoc.errors import UnknownProviderError
from hierdoc.plugin import ComponentKind, Registry
from hierdoc.plugin.first_party import FIRST_PARTY, install_line, names_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
PLUGINS = sorted(file.parent for file in ROOT.glob("plugins/*/pyproject.toml"))
DISTRIBUTIONS = [
    ROOT / "core",
    *PLUGINS,
    *sorted(file.parent for file in ROOT.glob("contrib/*/pyproject.toml")),
]

each_plugin = pytest.mark.parametrize("plugin", PLUGINS, ids=lambda folder: folder.name)
each_distribution = pytest.mark.parametrize(
    "distribution", DISTRIBUTIONS, ids=lambda folder: folder.name
)


def project(folder: Path) -> dict[str, Any]:
    """The `[project]` table of a distribution."""
    table: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    return table


def requirements(lines: list[str]) -> dict[str, Requirement]:
    return {one.name: one for one in map(Requirement, lines)}


CORE = project(ROOT / "core")
EXTRAS = CORE["optional-dependencies"]
DEFAULTS = {"evaluation", "html", "in-memory", "sqlite", "static", "tantivy"}
TOOLS = {"evaluation", "mcp", "remote", "serve", "testing", "tools", "watch"}
"""Plugins without a provider."""
OF_TOOLS = {"tune"}
"""Extras that bring a tool with a library that it can do without."""


def test_the_extras_are_the_plugins_and_what_tools_can_do_without() -> None:
    assert set(EXTRAS) == {plugin.name for plugin in PLUGINS} | OF_TOOLS


def test_hierdoc_is_core_with_the_default_plugins_and_has_no_code() -> None:
    wanted = requirements(project(ROOT)["dependencies"])
    assert set(wanted) == {"hierdoc-core", *(f"hierdoc-{name}" for name in DEFAULTS)}
    for name, requirement in wanted.items():
        folder = ROOT / "plugins" / name.removeprefix("hierdoc-")
        version = project(folder)["version"] if folder.is_dir() else CORE["version"]
        assert requirement.specifier.contains(version)
    assert not list(ROOT.glob("src/*"))


def test_hierdoc_has_the_extras_and_the_version_of_core() -> None:
    assert project(ROOT)["optional-dependencies"] == EXTRAS
    assert project(ROOT)["version"] == CORE["version"]


@each_plugin
def test_a_plugin_is_called_like_its_folder(plugin: Path) -> None:
    assert project(plugin)["name"] == f"hierdoc-{plugin.name}"


@each_plugin
def test_an_extra_brings_its_plugin_at_its_version(plugin: Path) -> None:
    wanted = requirements(EXTRAS[plugin.name])
    assert list(wanted) == [f"hierdoc-{plugin.name}"]
    assert wanted[f"hierdoc-{plugin.name}"].specifier.contains(project(plugin)["version"])


@each_plugin
def test_a_plugin_takes_this_version_of_core(plugin: Path) -> None:
    wanted = requirements(project(plugin)["dependencies"])
    assert "hierdoc" not in wanted, "a plugin must not bring the defaults"
    assert wanted["hierdoc-core"].specifier.contains(CORE["version"])
    assert not wanted["hierdoc-core"].specifier.contains("999")


@each_plugin
def test_entry_points_are_called_like_the_providers(plugin: Path) -> None:
    entry_points = project(plugin).get("entry-points", {}).get("hierdoc", {})
    registry = Registry(allowed=frozenset())
    for module in sorted(set(entry_points.values())):
        registry.register(import_module(module), module, distribution="the plugin")
    provided = {
        one.provider.name for one in registry.providers() if one.distribution == "the plugin"
    }
    assert provided == set(entry_points) - TOOLS
    assert bool(provided) == (plugin.name not in TOOLS)


@each_plugin
def test_core_knows_the_providers_of_a_plugin_and_what_installs_them(plugin: Path) -> None:
    entry_points = project(plugin).get("entry-points", {}).get("hierdoc", {})
    registry, none = Registry(allowed=frozenset()), Registry(allowed=frozenset())
    for module in sorted(set(entry_points.values())):
        registry.register(import_module(module), module, distribution="the plugin")
    provided = [one for one in registry.providers() if one.distribution == "the plugin"]
    for one in provided:
        name = one.provider.name
        assert install_line(one.kind, name) == f"pip install 'hierdoc[{plugin.name}]'"
        with pytest.raises(UnknownProviderError) as caught:
            none.find(one.kind, name)
        left_out = f"hierdoc-{plugin.name} has it, but HIERDOC_PLUGINS leaves that out."
        assert caught.value.hint == left_out  # it is installed here


def test_every_provider_that_core_knows_is_there() -> None:
    installed = {
        (one.kind, one.provider.name)
        for one in Registry().providers()
        if one.distribution not in ("hierdoc-core", "hierdoc-example")
    }
    assert {(kind, name) for kind, names in FIRST_PARTY.items() for name in names} == installed


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind in ComponentKind for name in sorted(names_of(kind))]
)
def test_what_is_not_installed_names_an_extra_that_exists(
    kind: ComponentKind, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hierdoc.plugin.registry._installed", list)
    with pytest.raises(UnknownProviderError) as caught:
        Registry().find(kind, name)
    found = re.fullmatch(r"pip install 'hierdoc\[([\w-]+)\]'", caught.value.hint or "")
    assert found
    assert found[1] in EXTRAS


def test_commands_and_formats_name_extras_that_exist() -> None:
    assert {extra for extra, _ in commands._BY_PLUGIN.values()} <= set(EXTRAS)
    assert set(SPECIALISTS.values()) | {"markitdown"} <= set(EXTRAS)


@pytest.mark.parametrize(
    "distribution", [ROOT, *DISTRIBUTIONS], ids=["hierdoc", *(one.name for one in DISTRIBUTIONS)]
)
@pytest.mark.parametrize("name", ["LICENSE", "README.md"])
def test_a_distribution_has(distribution: Path, name: str) -> None:
    assert (distribution / name).read_text(encoding="utf-8").strip()


@each_distribution
def test_every_distribution_has_the_same_licence(distribution: Path) -> None:
    assert (distribution / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert project(distribution)["license"] == "MIT"


@each_distribution
def test_a_distribution_is_typed(distribution: Path) -> None:
    packages = [file.parent for file in distribution.glob("src/*/__init__.py")]
    assert packages
    assert all((package / "py.typed").is_file() for package in packages)


@each_distribution
def test_a_distribution_runs_on_python_3_10_and_later(distribution: Path) -> None:
    versions = SpecifierSet(project(distribution)["requires-python"])
    assert versions.contains("3.10")
    assert not versions.contains("3.9")
