"""`hierdoc define`: what the documents say that a term means."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hierdoc.cli.options import Asking, configuration, index_options, run, update

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hierdoc.config.models import Config
    from hierdoc.models import Definition


@click.command("define", cls=Asking)
@click.argument("term")
@index_options
def command(term: str, config: Path | None, sources: tuple[str, ...], as_json: bool) -> None:
    """Show what the documents say that TERM means.

    With --source, what changed there is ingested first. The exit status is 1 where no document defines it; then the
    nearest terms are named that a document does define.
    """
    from hierdoc.cli.output import print_json, show_definitions

    definitions, nearest = run(_define(configuration(config, sources), term, bool(sources)))
    if as_json:
        print_json({"matches": [asdict(definition) for definition in definitions]})
    else:
        show_definitions(definitions)
    if not definitions:
        click.echo(f"hierdoc: no document defines {term!r}", err=True)
        if nearest:
            click.echo(f"  nearest: {', '.join(nearest)}", err=True)
        raise SystemExit(1)


async def _define(
    config: Config, term: str, changed: bool
) -> tuple[Sequence[Definition], Sequence[str]]:
    from hierdoc.index import AsyncIndex

    async with AsyncIndex.open(config) as index:
        await update(index, wanted=changed)
        found = await index.define(term)
        return found, () if found else await index.terms_like(term)
