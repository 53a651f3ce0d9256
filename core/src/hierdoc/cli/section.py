"""`hierdoc section`: the text of a section."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hierdoc.cli.options import configuration, index_options, run, update

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hierdoc.config import Config
    from hierdoc.models import Hit


@click.command("section")
@click.argument("reference")
@index_options
def command(reference: str, config: Path | None, sources: tuple[str, ...], as_json: bool) -> None:
    """Show the text of the section that REFERENCE names.

    REFERENCE is a citation ("Article I, Section 2"), a section id or a heading. With --source, what changed there is ingested first. The exit
    status is 1 where there is no such section.
    """
    from hierdoc.cli.output import console, print_json, show_hit

    hits = run(_section(configuration(config, sources), reference, bool(sources)))
    if as_json:
        print_json({"matches": [hit.to_dict() for hit in hits]})
    else:
        screen = console()
        for hit in hits:
            show_hit(screen, hit, scores=False)
    if not hits:
        click.echo(f"hierdoc: no section is called {reference!r}", err=True)
        raise SystemExit(1)


async def _section(config: Config, reference: str, changed: bool) -> Sequence[Hit]:
    from hierdoc.index import Index

    async with Index.open(config) as index:
        await update(index, wanted=changed)
        return await index.section(reference)
