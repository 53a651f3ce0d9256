"""The index for language models: the command `mcp`, a server of the Model Context Protocol.

What the tools are called, take and do is in `hierdoc_tools`.

server.py      the tools as a server of the SDK, version 1 or 2
transports.py  standard input and output, and HTTP
command.py     `hierdoc mcp`
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hierdoc.plugin import hookimpl

if TYPE_CHECKING:
    import click


@hookimpl
def hierdoc_register_commands(cli: click.Group) -> None:
    """The command `mcp`."""
    from hierdoc_mcp.command import command

    cli.add_command(command)
