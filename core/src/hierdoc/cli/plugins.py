"""`hierdoc plugins`: what is installed, and a new one to start from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from hierdoc.cli.options import json_option

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
    from hierdoc.plugin.provider import ComponentKind
    from hierdoc.plugin.registry import default_registry

    registry = default_registry()
    providers = [
        {
            "kind": one.kind.value,
            "name": one.provider.name,
            "distribution": one.distribution,
            "version": one.version,
            "summary": one.provider.summary,
            "capabilities": sorted(claim.value for claim in one.provider.config.capabilities)
            if one.kind in (ComponentKind.VECTOR, ComponentKind.KEYWORD)
            else None,
        }
        for one in registry.providers()
    ]
    keys = ("name", "distribution", "version", "reason")
    broken = [{key: getattr(plugin, key) for key in keys} for plugin in registry.broken]
    if as_json:
        print_json({"providers": providers, "broken": broken})
        return
    rows: list[tuple[str, ...]] = [("kind", "name", "distribution", "version", "summary")]
    columns = rows[0]
    rows += [tuple(plain(str(provider[key])) for key in columns) for provider in providers]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    claims = [None, *(one["capabilities"] for one in providers)]
    for row, claimed in zip(rows, claims, strict=True):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo("  ".join(cells).rstrip())
        if claimed:
            click.echo(f"{' ' * (widths[0] + 2)}{_note(claimed)}")
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


def _note(capabilities: Sequence[str]) -> str:
    filters = [one for one in capabilities if one.startswith("filter_")]
    shown = [one for one in capabilities if one not in filters]
    shown += ["all filters"] if len(filters) == 7 else filters
    return f"capabilities: {', '.join(shown)}"
