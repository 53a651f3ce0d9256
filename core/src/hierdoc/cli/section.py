"""`hierdoc section`: the text of a section."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hierdoc.cli.options import Asking, configuration, index_options, run, update

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hierdoc.config.models import Config
    from hierdoc.models import Hit


@click.command("section", cls=Asking)
@click.argument("reference")
@index_options
def command(reference: str, config: Path | None, sources: tuple[str, ...], as_json: bool) -> None:
    """Show the text of the section that REFERENCE names.

    REFERENCE is a citation ("Article I, Section 2"), a section id or a heading. What cites the section is listed below it. With --source, what changed there is ingested first. The exit
    status is 1 where there is no such section.
    """
    from hierdoc.cli.output import console, print_json, show_citing, show_hit

    hits, citing = run(_section(configuration(config, sources), reference, bool(sources)))
    if as_json:
        cited_by = [hit.to_dict() for hit in citing]
        print_json({"matches": [hit.to_dict() for hit in hits], "cited_by": cited_by})
    else:
        screen = console()
        for hit in hits:
            show_hit(screen, hit, scores=False)
        show_citing(screen, citing)
    if not hits:
        click.echo(f"hierdoc: no section is called {reference!r}", err=True)
        raise SystemExit(1)


async def _section(
    config: Config, reference: str, changed: bool
) -> tuple[Sequence[Hit], Sequence[Hit]]:
    from hierdoc.index import AsyncIndex

    async with AsyncIndex.open(config) as index:
        await update(index, wanted=changed)
        hits = await index.section(reference)
        return hits, await index.citing(reference) if hits else ()
