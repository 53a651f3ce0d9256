"""The command line: one file per command, imported when it is called.

Results go to stdout, everything else to stderr. Exit status: 0 done, 1 the work failed or part of it did, 2 wrong usage or
configuration.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

_COMMANDS = (
    "init",
    "ingest",
    "search",
    "outline",
    "section",
    "define",
    "eval",
    "tune",
    "plugins",
    "doctor",
    "schema",
)


class _Commands(click.Group):
    """Imports a command when it is named, and asks plugins only for commands that are not our own."""

    def list_commands(self, context: click.Context) -> list[str]:
        return [*_COMMANDS, *sorted(set(super().list_commands(context)) - set(_COMMANDS))]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name in _COMMANDS:
            command: click.Command = import_module(f"hierdoc.cli.{name}").command
            return command
        if name not in self.commands:
            from hierdoc.registry import default_registry

            default_registry().register_commands(self)
        return super().get_command(context, name)


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Plugins may bring further commands; `hierdoc plugins list` shows what is installed.",
)
@click.version_option(package_name="hierdoc")
def cli() -> None:
    """Retrieval over structured documents: the right passage first, and where it stands."""


def main() -> None:
    """Run the command line; the entry point of the `hierdoc` script."""
    try:
        status = cli.main(standalone_mode=False)
    except click.exceptions.Abort:
        _complain("interrupted; run the same command again to carry on")
        status = 130
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    except KeyboardInterrupt:
        _complain("interrupted; run the same command again to carry on")
        status = 130
    except Exception as error:
        from hierdoc.errors import (
            ConfigError,
            GroundTruthError,
            HierdocError,
            PluginError,
            QueryError,
        )

        if not isinstance(error, HierdocError):
            raise
        _complain(str(error), error.hint)
        # A plugin that is named and cannot be used is a matter of the configuration too.
        wrong_use = (ConfigError, GroundTruthError, PluginError, QueryError)
        status = 2 if isinstance(error, wrong_use) else 1
    sys.exit(status if isinstance(status, int) else 0)


def _complain(message: str, hint: str | None = None) -> None:
    from hierdoc.cli.output import plain

    click.echo(f"hierdoc: {plain(message)}", err=True)
    if hint:
        click.echo(f"  {plain(hint)}", err=True)
