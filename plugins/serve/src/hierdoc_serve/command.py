"""`hierdoc serve`: the index for people and programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hierdoc.cli.options import config_option, configuration, source_option
from hierdoc.cli.options import run as run_async
from hierdoc_tools import limits
from hierdoc_tools.options import (
    budget_option,
    checked_token,
    ingest_option,
    listening_at,
    log_to_stderr,
    rate_option,
    require_sources,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hierdoc.config.models import Config

TOKEN = "HIERDOC_SERVE_TOKEN"  # noqa: S105 - the name of the variable
MOST_COMPARED = 4


@click.command("serve")
@config_option
@source_option
@ingest_option
@click.option(
    "--compare",
    "others",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Another configuration that the page can compare with the first, side by side; may be repeated.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help=f"Where to listen. Beyond this machine only with a token in {TOKEN}.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=8_766,
    show_default=True,
    help="The port; 0 for any that is free.",
)
@budget_option
@rate_option
def command(
    config: Path | None,
    sources: tuple[str, ...],
    ingest: bool | None,
    others: tuple[Path, ...],
    host: str,
    port: int,
    budget: int,
    rate: int,
) -> None:
    """Offer the index to people and programs: a page to ask and read on, and a JSON API.

    Both read the index of the configured source, and nothing else. The API is described at /api/openapi.json.
    """
    log_to_stderr("hierdoc_serve")
    token = checked_token(host, TOKEN)
    first = configuration(config, sources)
    wanted = True if ingest is None and sources else ingest
    if wanted:
        require_sources(sources)
    configs = _named(first, others)
    listening = listening_at(host, port)

    from hierdoc_serve.server import run
    from hierdoc_tools.access import is_loopback, url

    click.echo(f"hierdoc serve: {url(listening)}", err=True)
    work = run(
        configs,
        wanted,
        listening,
        token=token,
        only_loopback=token.secret is None and is_loopback(listening.getsockname()[0]),
        budget=budget,
        rate=limits.Rate(rate),
    )
    try:
        run_async(work)
    except KeyboardInterrupt:
        click.echo("hierdoc serve: stopped", err=True)


def _named(first: Config, others: Sequence[Path]) -> list[tuple[str, Config]]:
    """The configurations under short names: their files', without the folder.

    Raises:
        UsageError: There are too many.
    """
    if len(others) > MOST_COMPARED:
        raise click.UsageError(f"--compare takes {MOST_COMPARED} configurations at most.")
    named = {first.file.stem if first.file else "this": first}
    for path in others:
        name, number = path.stem, 2
        while name in named:
            name, number = f"{path.stem} ({number})", number + 1
        named[name] = configuration(path, ())
    return list(named.items())
