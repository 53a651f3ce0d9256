"""Finds the provider that a configuration names, and imports no more than that.

Components of core and of plugins register through the same hooks. An entry point of the group `hierdoc` has its provider's
name, so `provider: qdrant` imports one plugin; all are imported only to list them or where a name is not found. A
plugin that fails stops nobody else: it is listed as broken, and naming it raises `PluginLoadError`.

`HIERDOC_PLUGINS=a,b` allows only these entry points besides the components of core; `HIERDOC_PLUGINS=` allows none. Where two
distributions provide one name, `name@distribution` chooses; that of core is `hierdoc-core`.
"""

from __future__ import annotations

import difflib
import importlib.metadata
import inspect
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import EntryPoint
from itertools import chain
from typing import TYPE_CHECKING, Any

import pluggy

from hierdoc.errors import (
    HierdocError,
    PluginConflictError,
    PluginError,
    PluginLoadError,
    UnknownProviderError,
)
from hierdoc.plugin import hookspecs
from hierdoc.plugin.checking import PROTOCOLS, find_faults
from hierdoc.plugin.first_party import install_line, names_of
from hierdoc.plugin.provider import ComponentKind, Provider

if TYPE_CHECKING:
    from hierdoc.plugin.settings import ProviderConfig

GROUP = "hierdoc"
"""The entry-point group of plugins."""

_WITHOUT_PLUGIN = {
    "azure-cosmos-mongo": (
        "Azure Cosmos DB for MongoDB searches vectors only in its vCore form, now Azure DocumentDB, and by an operator of its own "
        "that hierdoc does not speak",
        "On Azure use `azure-ai-search`, or `postgres` with an Azure Database for PostgreSQL.",
    ),
    **dict.fromkeys(
        ("semantic-kernel", "semantic-kernel-navigator"),
        ("it comes with a distribution of its own", "pip install hierdoc-semantic-kernel"),
    ),
}
"""Names that no extra brings: the reason, and what to do instead."""


@dataclass(frozen=True)
class RegisteredProvider:
    """A provider and where it comes from."""

    kind: ComponentKind
    provider: Provider[Any, Any]
    distribution: str
    version: str

    def __str__(self) -> str:
        return f"the {self.kind.value} provider {self.provider.name!r} of {self.distribution}"

    def failure(self, error: Exception) -> PluginError:
        """What to raise from an error that the plugin did not mean to raise."""
        return PluginError(
            f"{self} failed: {type(error).__name__}: {error}",
            hint=f"`hierdoc --debug` shows where; tell the authors of {self.distribution}.",
        )


@dataclass(frozen=True)
class _Origin:
    name: str
    distribution: str
    version: str


@dataclass(frozen=True)
class BrokenPlugin(_Origin):
    """A plugin that could not be used, and why."""

    error: Exception

    @property
    def reason(self) -> str:
        """The error in one line."""
        text = str(self.error).strip().split("\n")[0]
        return f"{type(self.error).__name__}: {text}" if text else type(self.error).__name__


class Registry:
    """The providers of one process.

    Args:
        allowed: The entry points that may be used, as `name` or `name@distribution`; those of `HIERDOC_PLUGINS`, or all, by default.
    """

    def __init__(self, allowed: frozenset[str] | None = None) -> None:
        self._manager = pluggy.PluginManager("hierdoc")
        self._manager.add_hookspecs(hookspecs)
        given = _allowed_from_environment() if allowed is None else allowed
        self._allowed = None if given is None else frozenset(map(_normal, given))
        self._origins: dict[str, _Origin] = {}
        self._found: dict[tuple[ComponentKind, str], list[RegisteredProvider]] = {}
        self._broken: dict[tuple[str, str], BrokenPlugin] = {}
        self._loaded: set[tuple[str, str]] = set()

        defaults = import_module("hierdoc.defaults")
        self.register(defaults, "defaults", "hierdoc-core", _version("hierdoc-core"))

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
        self._load(name)
        if (kind, name) not in self._found and not self._broken_named(name):
            self.load_all()
        found = self._candidates(kind, name)
        if len(found) > 1:
            owners = sorted(registered.distribution for registered in found)
            raise PluginConflictError(
                f"the {kind.value} provider {name!r} is brought by {' and '.join(owners)}",
                hint="Uninstall one of them, or name the plugins to use in HIERDOC_PLUGINS, this one as "
                + " or ".join(f"{name}@{owner}" for owner in owners)
                + ".",
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
        """The component that a validated configuration describes; it has all that its protocol asks for.

        Raises:
            PluginLoadError: The library behind it is not installed or fails to import.
            PluginError: The plugin fails, or what it gives lacks a method.
        """
        registered = self.registered(kind, config.provider)
        try:
            component = registered.provider.open(config)
        except HierdocError:
            raise
        except ImportError as error:
            raise PluginLoadError(
                f"{registered} needs a library that does not import: {error}",
                hint=install_line(kind, config.provider) or _reinstall_line(registered, error),
            ) from error
        except Exception as error:
            raise registered.failure(error) from error
        faults = find_faults(kind, component)
        if faults:
            raise PluginError(
                f"{registered} opens {type(component).__name__}: {', '.join(faults)}",
                hint=f"`hierdoc.plugin.{PROTOCOLS[kind].__name__}` says what is needed.",
            )
        return component

    def load_all(self) -> None:
        """Import every allowed plugin; broken ones are noted, not raised."""
        for name in sorted({point.name for point, _ in self._entry_points}):
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
        for name, loaded in self._manager.list_name_plugin():
            try:
                self._call(loaded, "hierdoc_register_commands", cli=cli)
            except Exception as error:  # reported: listed as broken
                self._note_broken(self._origins[name], error)

    @cached_property
    def _entry_points(self) -> Sequence[tuple[EntryPoint, str]]:
        return [(point, owner) for point, owner in _installed() if self._allows(point, owner)]

    def _allows(self, point: EntryPoint, owner: str) -> bool:
        names = {point.name, _normal(f"{point.name}@{owner}")}
        return self._allowed is None or bool(names & self._allowed)

    def _candidates(self, kind: ComponentKind, name: str) -> Sequence[RegisteredProvider]:
        """Who provides it: those that HIERDOC_PLUGINS names with their distribution, if any.

        An entry point of another name counts only where none has the provider's, whichever was imported first.
        """
        found = self._found.get((kind, name), [])
        named = {owner for point, owner in self._entry_points if point.name == name}
        others = {owner for _, owner in self._entry_points} - named
        found = [one for one in found if one.distribution not in others] or found
        chosen = self._allowed or ()
        return [one for one in found if _normal(f"{name}@{one.distribution}") in chosen] or found

    def _load(self, name: str) -> None:
        for point, distribution in self._entry_points:
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
        name = f"{origin.name}@{origin.distribution}"
        self._origins[name] = origin
        try:
            self._manager.register(plugin, name)
            self._manager.check_pending()
            _require_marks(plugin)
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
            given = self._call(plugin, kind.hook)
            if not given and hasattr(plugin, kind.hook):
                raise TypeError(f"{kind.hook} gives None; yield or return providers")
            for provider in chain.from_iterable(given):
                if not isinstance(provider, Provider):
                    raise TypeError(f"{kind.hook} gave {provider!r}, which is no Provider")
                found.append(
                    RegisteredProvider(kind, provider, origin.distribution, origin.version)
                )
        return found

    def _call(self, plugin: object, hook: str, **arguments: Any) -> list[Any]:
        """Call the hook of this plugin alone, so that one that raises stops no other."""
        others = [one for one in self._manager.get_plugins() if one is not plugin]
        given: list[Any] = self._manager.subset_hook_caller(hook, others)(**arguments)
        return given

    def _note_broken(self, origin: _Origin, error: BaseException) -> None:
        cause = error if isinstance(error, Exception) else RuntimeError(f"it exits: {error}")
        broken = BrokenPlugin(origin.name, origin.distribution, origin.version, cause)
        self._broken[origin.name, origin.distribution] = broken

    def _broken_named(self, name: str) -> Sequence[BrokenPlugin]:
        return [plugin for plugin in self.broken if plugin.name == name]

    def _unknown(self, kind: ComponentKind, name: str) -> UnknownProviderError:
        hint, told = install_line(kind, name), f"no {kind.value} provider is called {name!r}"
        left_out = [
            owner
            for point, owner in _installed()
            if point.name == name and not self._allows(point, owner)
        ]
        if left_out:
            hint = f"{' and '.join(left_out)} has it, but HIERDOC_PLUGINS leaves that out."
        elif name in _WITHOUT_PLUGIN:
            reason, hint = _WITHOUT_PLUGIN[name]
            told += f": {reason}"
        elif hint is None:
            known = [one.provider.name for one in self.providers(kind)]
            others = [f"`{one.value}`" for one in ComponentKind if name in names_of(one)]
            near = difflib.get_close_matches(name, {*known, *names_of(kind)}, n=3)
            hint = f"It is a provider for {' and '.join(others)}. " if others else ""
            hint += f"Did you mean {' or '.join(near)}? " if near else ""
            hint += f"Installed: {', '.join(known) or 'none'}."
        return UnknownProviderError(told, hint=hint)


@cache
def default_registry() -> Registry:
    """The registry of this process."""
    return Registry()


def _reinstall_line(registered: RegisteredProvider, error: ImportError) -> str:
    if registered.version and registered.distribution != "hierdoc-core":
        return f"pip install --upgrade {registered.distribution}"
    return f"`pip install` the library that has the module {error.name or 'it needs'}."


def _require_marks(plugin: object) -> None:
    """Raise for what is named like a hook and that pluggy would pass over."""
    for name in dir(plugin):
        function = getattr(plugin, name) if name.startswith("hierdoc_") else None
        if inspect.isroutine(function) and not hasattr(function, "hierdoc_impl"):
            raise TypeError(f"{name} is not marked as a hook: forgot @hookimpl?")


def _installed() -> Sequence[tuple[EntryPoint, str]]:
    """Entry points with their distributions, whose names are read once: each time means a file to parse."""
    points = importlib.metadata.entry_points(group=GROUP)
    return [(point, point.dist.name if point.dist else "unknown") for point in points]


def _normal(plugin: str) -> str:
    """`name` or `name@distribution`, the distribution as package indexes compare it."""
    name, at, distribution = plugin.partition("@")
    return name + at + re.sub(r"[-_.]+", "-", distribution).lower()


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
