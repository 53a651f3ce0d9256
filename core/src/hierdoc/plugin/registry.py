"""Finds the provider that a configuration names, and imports no more than that.

Built-in components and plugins register through the same hooks. An entry point of the group `hierdoc` has its provider's
name, so `provider: qdrant` imports one plugin; all are imported only to list them or where a name is not found. A
plugin that fails stops nobody else: it is listed as broken, and naming it raises `PluginLoadError`.

`HIERDOC_PLUGINS=a,b` allows only these entry points; `HIERDOC_PLUGINS=` allows none.
"""

from __future__ import annotations

import difflib
import importlib.metadata
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Any

import pluggy

from hierdoc.errors import (
    PluginConflictError,
    PluginLoadError,
    UnknownProviderError,
)
from hierdoc.plugin import hookspecs
from hierdoc.plugin.provider import ComponentKind, Provider

if TYPE_CHECKING:
    from hierdoc.plugin.settings import ProviderConfig

GROUP = "hierdoc"
"""The entry-point group of plugins."""


@dataclass(frozen=True)
class RegisteredProvider:
    """A provider and where it comes from."""

    kind: ComponentKind
    provider: Provider[Any, Any]
    distribution: str
    version: str


@dataclass(frozen=True)
class BrokenPlugin:
    """A plugin that could not be used, and why."""

    name: str
    distribution: str
    version: str
    error: Exception

    @property
    def reason(self) -> str:
        """The error in one line."""
        text = str(self.error).strip().split("\n")[0]
        return f"{type(self.error).__name__}: {text}" if text else type(self.error).__name__


@dataclass(frozen=True)
class _Origin:
    plugin: str
    distribution: str
    version: str


class Registry:
    """The providers of one process.

    Args:
        allowed: Names of the entry points that may be used; None for all, read from `HIERDOC_PLUGINS` by default.
    """

    def __init__(self, allowed: frozenset[str] | None = None) -> None:
        self._manager = pluggy.PluginManager("hierdoc")
        self._manager.add_hookspecs(hookspecs)
        self._allowed = _allowed_from_environment() if allowed is None else allowed
        self._found: dict[tuple[ComponentKind, str], list[RegisteredProvider]] = {}
        self._broken: dict[tuple[str, str], BrokenPlugin] = {}
        self._loaded: set[tuple[str, str]] = set()

        defaults = EntryPoint("builtin", "hierdoc.defaults", GROUP)
        self.register(defaults.load(), "builtin", "hierdoc-core", _version("hierdoc-core"))

    def register(
        self, plugin: object, name: str, distribution: str = "this program", version: str = ""
    ) -> None:
        """Add a module or object with hook implementations, as an entry point would.

        Raises:
            PluginLoadError: It misspells a hook, or a hook raises.
        """
        origin = _Origin(name, distribution, version)
        try:
            self._register(plugin, origin)
        except Exception as error:
            raise PluginLoadError(f"plugin {name!r} of {distribution}: {error}") from error

    def find(self, kind: ComponentKind, name: str) -> Provider[Any, Any]:
        """The provider of this kind and name; raises as `registered` does."""
        return self.registered(kind, name).provider

    def registered(self, kind: ComponentKind, name: str) -> RegisteredProvider:
        """The provider and where it comes from; imports at most the plugin of that name, unless there is none.

        Raises:
            UnknownProviderError: Nobody provides it.
            PluginLoadError: The plugin that should provide it is broken.
            PluginConflictError: Several distributions provide it.
        """
        if (kind, name) not in self._found:
            self._load(name)
        if (kind, name) not in self._found and not self._broken_named(name):
            self.load_all()
        found = self._found.get((kind, name), [])
        if len(found) > 1:
            owners = " and ".join(sorted(registered.distribution for registered in found))
            raise PluginConflictError(
                f"the {kind.value} provider {name!r} is brought by {owners}",
                hint="Uninstall one of them, or name the plugins to use in HIERDOC_PLUGINS.",
            )
        if found:
            return found[0]
        for broken in self._broken_named(name):
            raise PluginLoadError(
                f"the plugin {name!r} of {broken.distribution} is broken: {broken.reason}",
                hint=f"Reinstall or update it: pip install --upgrade {broken.distribution}",
            ) from broken.error
        raise self._unknown(kind, name)

    def open(self, kind: ComponentKind, config: ProviderConfig) -> Any:
        """The component that a validated configuration describes.

        Raises:
            PluginLoadError: The library behind it is not installed or fails to import.
        """
        name = str(getattr(config, "provider"))  # noqa: B009 - declared by each provider's own model
        registered = self.registered(kind, name)
        try:
            return registered.provider.open(config)
        except ImportError as error:
            raise PluginLoadError(
                f"the {kind.value} provider {name!r} needs a library that does not import: {error}",
                hint=self._install_line(name) or _reinstall_line(registered, error),
            ) from error

    def load_all(self) -> None:
        """Import every allowed plugin; broken ones are noted, not raised."""
        for name in sorted({entry_point.name for entry_point in self._entry_points}):
            self._load(name)

    def providers(self, kind: ComponentKind | None = None) -> Sequence[RegisteredProvider]:
        """All installed providers, by kind and name."""
        self.load_all()
        order = list(ComponentKind)
        found = [one for several in self._found.values() for one in several]
        return sorted(
            (one for one in found if kind is None or one.kind is kind),
            key=lambda one: (order.index(one.kind), one.provider.name, one.distribution),
        )

    @property
    def broken(self) -> Sequence[BrokenPlugin]:
        """Plugins that failed, of those that were loaded so far."""
        return sorted(self._broken.values(), key=lambda plugin: (plugin.name, plugin.distribution))

    def register_commands(self, cli: Any, plugin: str | None = None) -> None:
        """Let the named plugin add commands, or all; one that raises is noted as broken."""
        if plugin is None:
            self.load_all()
        else:
            self._load(plugin)
        for implementation in self._manager.hook.hierdoc_register_commands.get_hookimpls():
            try:
                implementation.function(cli)
            except Exception as error:  # reported: listed as broken
                name = implementation.plugin_name.rpartition("@")[0]
                self._note_broken(_Origin(name, implementation.plugin_name, ""), error)

    @cached_property
    def _entry_points(self) -> Sequence[importlib.metadata.EntryPoint]:
        points = importlib.metadata.entry_points(group=GROUP)
        return [point for point in points if self._allowed is None or point.name in self._allowed]

    def _load(self, name: str) -> None:
        for point in self._entry_points:
            distribution = point.dist.name if point.dist else "unknown"
            if point.name != name or (name, distribution) in self._loaded:
                continue
            self._loaded.add((name, distribution))
            origin = _Origin(name, distribution, point.dist.version if point.dist else "")
            try:
                self._register(point.load(), origin)
            except (Exception, SystemExit) as error:  # reported: listed as broken
                self._note_broken(origin, error)

    def _register(self, plugin: object, origin: _Origin) -> None:
        if self._manager.is_registered(plugin):  # several entry points may name one module
            return
        try:
            self._manager.register(plugin, f"{origin.plugin}@{origin.distribution}")
            self._manager.check_pending()
            found = list(self._collect(plugin, origin))
        except BaseException:
            if self._manager.is_registered(plugin):
                self._manager.unregister(plugin)
            raise
        for registered in found:
            key = (registered.kind, registered.provider.name)
            self._found.setdefault(key, []).append(registered)

    def _collect(self, plugin: object, origin: _Origin) -> Sequence[RegisteredProvider]:
        found = []
        for kind in ComponentKind:
            for implementation in getattr(self._manager.hook, kind.hook).get_hookimpls():
                if implementation.plugin is not plugin:
                    continue
                for provider in implementation.function():
                    if not isinstance(provider, Provider):
                        raise TypeError(f"{kind.hook} gave {provider!r}, which is no Provider")
                    found.append(
                        RegisteredProvider(kind, provider, origin.distribution, origin.version)
                    )
        return found

    def _note_broken(self, origin: _Origin, error: BaseException) -> None:
        cause = error if isinstance(error, Exception) else RuntimeError(f"it exits: {error}")
        self._broken[origin.plugin, origin.distribution] = BrokenPlugin(
            origin.plugin, origin.distribution, origin.version, cause
        )

    def _broken_named(self, name: str) -> Sequence[BrokenPlugin]:
        return [plugin for plugin in self.broken if plugin.name == name]

    def _unknown(self, kind: ComponentKind, name: str) -> UnknownProviderError:
        hint = self._install_line(name)
        if hint is None:
            known = [one.provider.name for one in self.providers(kind)]
            near = difflib.get_close_matches(name, {*known, *_extras()}, n=3)
            hint = f"Did you mean {' or '.join(near)}? " if near else ""
            hint += f"Installed: {', '.join(known) or 'none'}."
        elif self._allowed is not None and name not in self._allowed:
            hint += " (HIERDOC_PLUGINS may also leave it out.)"
        return UnknownProviderError(f"no {kind.value} provider is called {name!r}", hint=hint)

    def _install_line(self, name: str) -> str | None:
        return f"pip install 'hierdoc[{name}]'" if name in _extras() else None


@cache
def default_registry() -> Registry:
    """The registry of this process."""
    return Registry()


@cache
def _extras() -> Sequence[str]:
    """The extras of core, each of which brings the plugin of its name."""
    try:
        return importlib.metadata.metadata("hierdoc-core").get_all("Provides-Extra") or []
    except importlib.metadata.PackageNotFoundError:
        return []


def _reinstall_line(registered: RegisteredProvider, error: ImportError) -> str:
    if registered.version and registered.distribution != "hierdoc-core":
        return f"pip install --upgrade {registered.distribution}"
    return (
        f"Install the library that has the module {error.name or 'it needs'}, with `pip install`."
    )


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _allowed_from_environment() -> frozenset[str] | None:
    value = os.environ.get("HIERDOC_PLUGINS")
    if value is None:
        return None
    return frozenset(name.strip() for name in value.split(",") if name.strip())


__all__ = [
    "BrokenPlugin",
    "ComponentKind",
    "Provider",
    "RegisteredProvider",
    "Registry",
    "default_registry",
]
