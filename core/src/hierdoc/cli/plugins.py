"""`hierdoc plugins`: what is installed, and a new one to start from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hierdoc.cli.options import json_option

if TYPE_CHECKING:
    from hierdoc.plugin.registry import RegisteredProvider, Registry

_KINDS = ("converter", "chunker", "context", "embedder", "vector", "keyword", "fuser", "reranker")


@click.group("plugins")
def command() -> None:
    """Show what is installed, or begin a new plugin."""


@command.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List all providers with their capabilities, and plugins that are broken.

    Capabilities are those of a backend with its default settings.
    """
    from hierdoc.cli.output import console, plain, print_json
    from hierdoc.plugin.registry import default_registry

    registry = default_registry()
    providers = []
    for one in registry.providers():
        capabilities, reason = _capabilities(registry, one)
        providers.append(
            {
                "kind": one.kind.value,
                "name": one.provider.name,
                "distribution": one.distribution,
                "version": one.version,
                "summary": one.provider.summary,
                "capabilities": capabilities,
                "reason": reason,
            }
        )
    broken = [
        {
            "name": plugin.name,
            "distribution": plugin.distribution,
            "version": plugin.version,
            "reason": plugin.reason,
        }
        for plugin in registry.broken
    ]
    if as_json:
        print_json({"providers": providers, "broken": broken})
        return
    rows: list[tuple[str, ...]] = [("kind", "name", "distribution", "version", "summary")]
    columns = rows[0]
    rows += [tuple(plain(str(provider[key])) for key in columns) for provider in providers]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    notes = [None, *(_note(one["capabilities"], one["reason"]) for one in providers)]
    for row, note in zip(rows, notes, strict=True):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo("  ".join(cells).rstrip())
        if note:
            click.echo(f"{' ' * (widths[0] + 2)}{plain(note)}")
    for plugin in broken:
        console(stderr=True).print(
            f"broken: {plugin['name']} ({plugin['distribution']} {plugin['version']}): {plain(plugin['reason'])}",
            style="red",
            soft_wrap=True,
        )


@command.command("new")
@click.argument("name")
@click.option("--kind", type=click.Choice(_KINDS), required=True, help="What it provides.")
@click.option(
    "--into",
    type=click.Path(path_type=Path, file_okay=False),
    default=".",
    help="Where the folder hierdoc-NAME is made; the current folder by default.",
)
def new(name: str, kind: str, into: Path) -> None:
    """Write a plugin to start from: package, configuration, a body that works, conformance tests.

    NAME is the provider's: what users write in their configuration.
    """
    from hierdoc.cli.templates import render
    from hierdoc.errors import ConfigError
    from hierdoc.plugin.provider import ComponentKind

    try:
        rendered = render(name, ComponentKind(kind))
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="NAME") from error
    folder = into / f"hierdoc-{name}"
    if folder.exists():
        raise ConfigError(f"{folder} is there already", hint="Choose another name, or --into.")
    try:
        for path, text in rendered.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{folder} cannot be written: {error.strerror}") from error
    click.echo(f"wrote {folder}; next: cd {folder}", err=True)
    click.echo("  pip install -e '.[test]' && python -m pytest -q", err=True)


def _capabilities(
    registry: Registry, one: RegisteredProvider
) -> tuple[list[str] | None, str | None]:
    """What a backend claims with its default settings.

    It is opened only if its plugin does not say. None for other kinds and, with the reason, where it does not open.
    """
    from pydantic import ValidationError

    from hierdoc.plugin.provider import ComponentKind

    if one.kind not in (ComponentKind.VECTOR, ComponentKind.KEYWORD):
        return None, None
    claimed = one.provider.capabilities
    try:
        claimed = claimed or one.provider.open(one.provider.config()).capabilities
    except ImportError as error:
        return None, f"needs a library: {error}"
    except Exception as error:  # reported: most need settings such as an address
        missing = error.errors() if isinstance(error, ValidationError) else []
        fields = ", ".join(".".join(map(str, each["loc"])) for each in missing if each["loc"])
        return None, f"needs settings: {fields}" if fields else f"{type(error).__name__}: {error}"
    return sorted(capability.value for capability in claimed), None


def _note(capabilities: object, reason: object) -> str | None:
    if isinstance(capabilities, list):
        filters = sorted(one for one in capabilities if one.startswith("filter_"))
        others = [one for one in capabilities if one not in filters]
        shown = "all filters" if len(filters) == 7 else ", ".join(filters)
        return f"capabilities: {', '.join([*others, shown] if shown else others)}"
    return f"capabilities unknown: {reason}" if reason else None
