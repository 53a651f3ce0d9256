"""Objects that a configuration names: classes of Semantic Kernel's kinds, and nothing else that could be called."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from inspect import isawaitable
from typing import Any, TypeVar

from pydantic import SecretStr

from hierdoc import ConfigError
from hierdoc.plugin import masked

T = TypeVar("T")


def made(
    path: str,
    base: type[T],
    arguments: Mapping[str, Any],
    secrets: Mapping[str, SecretStr],
    **ours: Any,
) -> T:
    """An instance of what is named.

    Args:
        path: Of a subclass of `base`, which is called, or of an instance, as `module:name`.
        base: What it has to be: a configuration must not be able to call anything.
        arguments: What the class is called with.
        secrets: The same; not shown.
        ours: The same.

    Raises:
        ConfigError: There is no such class, or it refuses the arguments.
        ImportError: A library that its module needs is not installed.
    """
    module_name, _, name = path.partition(":")
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name and module_name.startswith(error.name):
            raise ConfigError(f"semantic-kernel: no module is called {module_name}") from error
        raise
    found = getattr(module, name, None)
    if isinstance(found, base):
        if arguments or secrets or ours:
            raise ConfigError(f"semantic-kernel: {path} is there already and takes no arguments")
        return found
    if not (isinstance(found, type) and issubclass(found, base)):
        raise ConfigError(f"semantic-kernel: {path} is no {base.__name__}")
    hidden = {key: value.get_secret_value() for key, value in secrets.items()}
    try:
        return found(**arguments, **hidden, **ours)
    except ImportError:
        raise
    except Exception as error:
        said = masked(f"{type(error).__name__}: {error}", list(secrets.values()))
        raise ConfigError(
            f"semantic-kernel: {path} cannot be made: {said}",
            hint="See which arguments it takes, and give them in `arguments` or `secrets`.",
        ) from None


async def close_made(path: str, service: Any) -> None:
    """Close the client of a service that `made` has called a class for: services themselves never do.

    Args:
        path: What was named; an instance stays open, for it is somebody else's.
        service: What `made` gave.
    """
    module_name, _, name = path.partition(":")
    if getattr(import_module(module_name), name, None) is service:
        return
    for attribute in ("client", "async_client"):
        client = getattr(service, attribute, None)
        close = getattr(client, "close", None) or getattr(client, "aclose", None)
        closing = close() if callable(close) else None
        if isawaitable(closing):
            await closing
