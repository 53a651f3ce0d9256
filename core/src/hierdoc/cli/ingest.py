"""`hierdoc ingest`: bring the index up to date."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hierdoc.cli.options import configuration, index_options, pattern_options, run

if TYPE_CHECKING:
    from hierdoc.config.models import Config
    from hierdoc.ingest.report import IngestReport


@click.command("ingest")
@index_options
@pattern_options
@click.option("--force", is_flag=True, help="Drop the index and begin anew.")
@click.option(
    "--dry-run",
    "dry",
    is_flag=True,
    help="Do nothing; say what would be done, and what it would cost.",
)
@click.option(
    "--yes", is_flag=True, help="Do not ask before what would cost more than `max_cost` allows."
)
@click.argument("paths", nargs=-1, metavar="")
def command(
    config: Path | None,
    sources: tuple[str, ...],
    as_json: bool,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    force: bool,
    dry: bool,
    yes: bool,
    paths: tuple[str, ...],
) -> None:
    """Bring the index up to date with its source.

    Unchanged documents are skipped, changed ones replaced, vanished ones removed, and so are those that patterns leave out. A file that
    cannot be read is reported, and the exit status is 1. On a terminal you are asked before it begins what would cost more than `max_cost` allows.
    """
    from hierdoc.cli.output import print_json, show_ingest

    if paths:  # what the index holds beside them would be removed
        raise click.UsageError(
            f"It takes no argument; to read a file or folder: --source {paths[0]}"
        )
    asks = not (dry or yes) and can_ask()
    report = run(_ingest(configuration(config, sources, include, exclude), force, dry, asks))
    if as_json:
        print_json(report.to_dict())
    else:
        show_ingest(report)
    if report.failures:
        raise SystemExit(1)


async def _ingest(config: Config, force: bool, dry: bool, asks: bool) -> IngestReport:
    from hierdoc.cli.output import progress_bar, show_ingest
    from hierdoc.index import AsyncIndex

    async with AsyncIndex.open(config) as index:
        if asks and index.is_cost_limited:
            with progress_bar() as progress:
                planned = await index.ingest(force=force, dry=True, progress=progress)
            if planned.over_limit:
                show_ingest(planned, stderr=True)
                if not click.confirm(_QUESTION, err=True):
                    raise SystemExit(1)
        with progress_bar() as progress:
            return await index.ingest(force=force, dry=dry, progress=progress)


_QUESTION = "It would end at the limit, and the next ingest would go on. Begin?"


def can_ask() -> bool:
    """Whether somebody sits at a terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()
