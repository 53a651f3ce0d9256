"""The index for people and programs: the command `serve`, a page and a JSON API.

api.py        the calls over HTTP, and their OpenAPI description
page.py       what the page shows
rendering.py  documents as safe HTML with a part of them marked
pictures.py   pages of PDF files as pictures
server.py     all of it as one application: who may call, headers, errors, metrics
command.py    `hierdoc serve`
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hierdoc.plugin import hookimpl

if TYPE_CHECKING:
    import click


@hookimpl
def hierdoc_register_commands(cli: click.Group) -> None:
    """The command `serve`."""
    from hierdoc_serve.command import command

    cli.add_command(command)
