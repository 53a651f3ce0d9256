"""`hierdoc ingest`: bring the index up to date."""

from __future__ import annotations

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
@click.argument("paths", nargs=-1, metavar="")
def command(
    config: Path | None,
    sources: tuple[str, ...],
    as_json: bool,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    force: bool,
    dry: bool,
    paths: tuple[str, ...],
) -> None:
    """Bring the index up to date with its source.

    Unchanged documents are skipped, changed ones replaced, vanished ones removed, and so are those that patterns leave out. A file that
    cannot be read is reported, and the exit status is 1.
    """
    from hierdoc.cli.output import print_json, show_ingest

    if paths:  # what the index holds beside them would be removed
        raise click.UsageError(
            f"It takes no argument; to read a file or folder: --source {paths[0]}"
        )
    report = run(_ingest(configuration(config, sources, include, exclude), force, dry))
    if as_json:
        print_json(report.to_dict())
    else:
        show_ingest(report)
    if report.failures:
        raise SystemExit(1)


async def _ingest(config: Config, force: bool, dry: bool) -> IngestReport:
    from hierdoc.cli.output import progress_bar
    from hierdoc.index import AsyncIndex

    async with AsyncIndex.open(config) as index:
        with progress_bar() as progress:
            return await index.ingest(force=force, dry=dry, progress=progress)
