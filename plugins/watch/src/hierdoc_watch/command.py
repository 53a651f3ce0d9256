"""`hierdoc watch`: ingest, wait for changes, ingest again."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hierdoc.cli.options import (
    config_option,
    configuration,
    pattern_options,
    run,
    source_option,
)

if TYPE_CHECKING:
    from hierdoc.config.models import Config
    from hierdoc.ingest.report import IngestReport


@click.command("watch")
@config_option
@source_option
@pattern_options
def command(
    config: Path | None,
    sources: tuple[str, ...],
    include: tuple[str, ...],
    exclude: tuple[str, ...],
) -> None:
    """Keep the index up to date while documents change, until Ctrl-C.

    Each ingest that changes something prints a line. The configuration is read once. Changes on network drives may go unnoticed: with
    WATCHFILES_FORCE_POLLING=true in the environment files are compared instead.
    """
    loaded = configuration(config, sources, include, exclude)
    try:
        run(_watch(loaded))
    except KeyboardInterrupt:
        click.echo("hierdoc watch: stopped", err=True)


async def _watch(config: Config) -> None:
    from hierdoc.cli.output import progress_bar
    from hierdoc_watch.watching import Watcher

    with progress_bar() as progress:
        async with Watcher(config, progress) as watcher, aclosing(watcher.reports()) as reports:
            async for report in reports:
                _show(report)


def _show(report: IngestReport | Exception) -> None:
    import time

    from hierdoc.cli.output import plain

    clock = time.strftime("%H:%M:%S")
    if isinstance(report, Exception):
        hint = getattr(report, "hint", None)
        click.echo(f"{clock}  {plain(str(report))}{f' {plain(hint)}' if hint else ''}", err=True)
        return
    changes = {name: number for name, number in report.counts.items() if name != "unchanged"}
    told = ", ".join(f"{number} {name}" for name, number in changes.items() if number)
    click.echo(f"{clock}  {told or 'up to date'}; {report.chunks} chunks in the index")
    for failure in report.failures:
        click.echo(f"failed: {plain(failure.source)}: {plain(failure.error)}", err=True)
