"""The command line: one file per command, imported when it is called.

Results go to stdout, everything else to stderr. Exit status: 0 done, 1 the work failed or part of it did, 2 wrong usage or
configuration.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from importlib import import_module
from types import FrameType

import click

_COMMANDS = (
    "init",
    "ingest",
    "search",
    "outline",
    "section",
    "define",
    "plugins",
    "doctor",
    "schema",
)

_BEFORE_PLUGINS = _COMMANDS.index("plugins")
"""Where commands of first-party plugins stand in the help."""

_BY_PLUGIN = {
    "eval": ("evaluation", "Measure how good the answers are."),
    "tune": ("evaluation", "Find search settings that answer a ground truth better."),
    "serve": ("serve", "Offer the index to people and programs: a page and a JSON API."),
    "mcp": ("mcp", "Offer the index to language models, over the Model Context Protocol."),
    "watch": ("watch", "Keep the index up to date while documents change, until Ctrl-C."),
}
"""Commands of first-party plugins: the plugin, and what the help says while it is not imported."""


class _Commands(click.Group):
    """Imports a command when it is named, and asks plugins only for commands that are not our own."""

    def list_commands(self, context: click.Context) -> list[str]:
        known = (*_COMMANDS[:_BEFORE_PLUGINS], *_BY_PLUGIN, *_COMMANDS[_BEFORE_PLUGINS:])
        return [*known, *sorted(set(super().list_commands(context)) - set(known))]

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands; those of first-party plugins without importing them."""
        rows = []
        for name in self.list_commands(context):
            known = self.commands.get(name) or (
                name in _COMMANDS and self.get_command(context, name)
            )
            rows.append((name, known.get_short_help_str() if known else _BY_PLUGIN[name][1]))
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name in _COMMANDS:
            command: click.Command = import_module(f"hierdoc.cli.{name}").command
            return command
        if name not in self.commands:
            from hierdoc.plugin.registry import default_registry

            plugin = _BY_PLUGIN.get(name)
            default_registry().register_commands(self, plugin[0] if plugin else None)
        return super().get_command(context, name)

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command, or an error that says which extra brings it or what may have been meant."""
        try:
            return super().resolve_command(context, args)
        except click.UsageError as error:
            if args and args[0] in _BY_PLUGIN:
                line = f"pip install 'hierdoc[{_BY_PLUGIN[args[0]][0]}]'"
                raise click.UsageError(
                    f"{error.message} It comes with a plugin: {line}", context
                ) from None
            from difflib import get_close_matches

            known = [*_COMMANDS, *_BY_PLUGIN, *self.commands]
            near = get_close_matches(args[0], known, n=1) if args else []
            if near and "Did you mean" not in error.message:  # as Click itself says from 8.4 on
                raise click.UsageError(
                    f"{error.message} Did you mean '{near[0]}'?", context
                ) from None
            raise


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Plugins may bring further commands; `hierdoc plugins list` shows what is installed.",
)
@click.version_option(package_name="hierdoc-core")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.pass_context
def cli(context: click.Context, debug: bool) -> None:
    """Retrieval over structured documents: the right passage first, and where it stands."""
    context.ensure_object(dict)["debug"] = debug


def main() -> None:
    """Run the command line; the entry point of the `hierdoc` script."""
    options: dict[str, bool] = {}
    signal.signal(signal.SIGTERM, _end_as_by_interrupt)
    try:
        status = cli.main(standalone_mode=False, obj=options)
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
        from hierdoc import errors

        if not isinstance(error, errors.HierdocError):
            raise
        if options.get("debug"):
            traceback.print_exception(error)
        _complain(str(error), error.hint)
        # A plugin that is named and cannot be used is a matter of the configuration too.
        unusable = (errors.PluginConflictError, errors.PluginLoadError)
        wrong_use = (errors.ConfigError, errors.GroundTruthError, errors.QueryError, *unusable)
        status = 2 if isinstance(error, wrong_use) else 1
    sys.exit(status if isinstance(status, int) else 0)


def _end_as_by_interrupt(number: int, frame: FrameType | None) -> None:
    """Do what Ctrl-C would: asyncio's own handler stops its work in order."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):
        raise KeyboardInterrupt
    handler(number, frame)


def _complain(message: str, hint: str | None = None) -> None:
    from hierdoc.cli.output import plain

    click.echo(f"hierdoc: {plain(message)}", err=True)
    if hint:
        click.echo(f"  {plain(hint)}", err=True)
