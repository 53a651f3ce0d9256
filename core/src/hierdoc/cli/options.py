"""Options that several commands share, and the index that they lead to."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from hierdoc.config.models import Config
    from hierdoc.index import AsyncIndex
    from hierdoc.ingest.report import IngestReport

T = TypeVar("T")


class Asking(click.Command):
    """A command that is asked one thing: what stands behind it may be its other words, or documents."""

    allow_extra_args = True

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """What stands behind the one argument: nothing, or an error that says where it belongs."""
        further = super().parse_args(context, args)
        if further:
            (asked,) = (one.name or "" for one in self.params if isinstance(one, click.Argument))
            what = f"{further[0]} is one argument too many."
            if any(Path(one).exists() for one in further):
                raise click.UsageError(f"{what} Name documents with --source PATH.", context)
            raise click.UsageError(f"{what} Put the {asked} into quotes.", context)
        return further


config_option = click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Configuration file; by default hierdoc.yaml, looked for upward from here.",
)
source_option = click.option(
    "--source",
    "sources",
    multiple=True,
    metavar="PATH",
    help="File, folder or glob instead of the configured source; may be repeated. Needs no configuration.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


def index_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Which index a command works on, and how it prints."""
    return config_option(source_option(json_option(command)))


def pattern_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Which documents of the source an ingest takes."""
    for name, what in (("--exclude", "Leave out"), ("--include", "Take only")):
        command = click.option(
            name,
            multiple=True,
            metavar="PATTERN",
            help=f"{what} documents that match a pattern as in a .gitignore, instead of the configured ones; may be repeated.",
        )(command)
    return command


def configuration(
    config: Path | None,
    sources: tuple[str, ...],
    include: tuple[str, ...] = (),
    exclude: tuple[str, ...] = (),
) -> Config:
    """The configuration that the options lead to.

    Raises:
        ConfigError: There is neither a configuration nor a source.
    """
    from hierdoc.config.loading import load_config
    from hierdoc.errors import ConfigError

    loaded = load_config(
        config, source=sources or None, include=include or None, exclude=exclude or None
    )
    if not loaded.source:
        where = f"{loaded.file}: `source` is missing" if loaded.file else "no source is given"
        raise ConfigError(
            where, hint="Name one with --source PATH, or write a configuration with `hierdoc init`."
        )
    return loaded


def require_folder(file: Path | None) -> None:
    """Refuse a file that cannot be written, before long work.

    Raises:
        UsageError: Its folder is not there.
    """
    if file is not None and not file.parent.is_dir():
        raise click.UsageError(f"{file} cannot be written: there is no folder {file.parent}.")


async def update(index: AsyncIndex, *, wanted: bool) -> IngestReport | None:
    """Bring the index up to date if that is wanted, or if it keeps nothing between two runs; what that did.

    Without a configuration file the index is hierdoc's own, in the user's cache: what another version left there is made anew.
    """
    from hierdoc.cli.output import progress_bar
    from hierdoc.errors import IndexMismatchError

    if not wanted and index.persistent:
        return None
    with progress_bar() as progress:
        try:
            return await index.ingest(progress=progress)
        except IndexMismatchError:
            if index.config.file is not None:
                raise
            return await index.ingest(progress=progress, force=True)


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run it to its end; asyncio is imported only now, so that `--help` stays fast."""
    import asyncio

    return asyncio.run(work)
