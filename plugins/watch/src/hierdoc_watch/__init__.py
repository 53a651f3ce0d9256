"""The index kept up to date while its documents change: the command `watch`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hierdoc.plugin import hookimpl

if TYPE_CHECKING:
    import click


@hookimpl
def hierdoc_register_commands(cli: click.Group) -> None:
    """The command `watch`."""
    from hierdoc_watch.command import command

    cli.add_command(command)
