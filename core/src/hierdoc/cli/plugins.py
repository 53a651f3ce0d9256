"""`hierdoc plugins`: what is installed."""

from __future__ import annotations

import click

from hierdoc.cli.options import json_option


@click.group("plugins")
def command() -> None:
    """Show what is installed."""


@command.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List all providers, and plugins that are broken."""
    from hierdoc.cli.output import console, plain, print_json
    from hierdoc.registry import default_registry

    registry = default_registry()
    providers = [
        {
            "kind": one.kind.value,
            "name": one.provider.name,
            "distribution": one.distribution,
            "version": one.version,
            "summary": one.provider.summary,
        }
        for one in registry.providers()
    ]
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
    rows += [tuple(map(plain, provider.values())) for provider in providers]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo("  ".join(cells).rstrip())
    for plugin in broken:
        console(stderr=True).print(
            f"broken: {plugin['name']} ({plugin['distribution']} {plugin['version']}): {plain(plugin['reason'])}",
            style="red",
            soft_wrap=True,
        )
