"""`hierdoc mcp`: the index for language models."""

from __future__ import annotations

import json
import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hierdoc.cli.options import config_option, configuration, run, source_option
from hierdoc_mcp import limits
from hierdoc_mcp.tools import TOOLS, Tools

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from socket import socket

    from hierdoc.config.models import Config
    from hierdoc_mcp.corpus import Corpus

_SHORTEST_TOKEN = 16


@click.command("mcp")
@config_option
@source_option
@click.option(
    "--ingest/--no-ingest",
    default=None,
    help="Whether to bring the index up to date first, while the tools already answer; by default with --source, or where the index is kept in memory.",
)
@click.option("--http", is_flag=True, help="Serve over HTTP instead of standard input and output.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="With --http: where to listen. Beyond this machine only with a token in HIERDOC_MCP_TOKEN.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=8_765,
    show_default=True,
    help="With --http: the port; 0 for any that is free.",
)
@click.option(
    "--tool",
    "tools",
    multiple=True,
    type=click.Choice(TOOLS),
    help="Offer this tool alone; may be repeated.",
)
@click.option(
    "--budget",
    type=click.IntRange(limits.FEWEST_TOKENS, limits.MOST_TOKENS),
    default=limits.BUDGET,
    show_default=True,
    help="Tokens of a reply where a call does not say; what does not fit comes in further pages.",
)
@click.option(
    "--rate",
    type=click.IntRange(min=0),
    default=600,
    show_default=True,
    help="Calls that are answered in a minute; 0 for any number.",
)
def command(
    config: Path | None,
    sources: tuple[str, ...],
    ingest: bool | None,
    http: bool,
    host: str,
    port: int,
    tools: tuple[str, ...],
    budget: int,
    rate: int,
) -> None:
    """Offer the index to language models, over the Model Context Protocol.

    A client starts it and talks to it over standard input and output; with --http it runs on its own. The tools read the index of the
    configured source, and nothing else. Without --config and --source the configuration may be JSON in the variable MCP_CONFIG.
    """
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(name)s: %(message)s")
    for name in ("hierdoc", "hierdoc_mcp"):
        logging.getLogger(name).setLevel(logging.INFO)
    token = os.environ.get("HIERDOC_MCP_TOKEN") or None
    if http:
        _require_token(host, token)
    loaded, allowed = find_configuration(config, sources)
    wanted = True if ingest is None and sources else ingest
    listening = _listen(host, port) if http else None

    def offered(corpus: Corpus) -> Tools:
        return Tools(corpus, only=tools or allowed, budget=budget, rate=limits.Rate(rate))

    try:
        run(_serve(loaded, offered, wanted, listening, token))
    except KeyboardInterrupt:
        click.echo("hierdoc mcp: stopped", err=True)


async def _serve(
    config: Config,
    offered: Callable[[Corpus], Tools],
    ingest: bool | None,
    listening: socket | None,
    token: str | None,
) -> None:
    from hierdoc_mcp.corpus import Corpus
    from hierdoc_mcp.server import build
    from hierdoc_mcp.tools import instructions
    from hierdoc_mcp.transports import serve_http, serve_stdio, url

    async with Corpus(config, ingest=ingest) as corpus:
        server = build(offered(corpus), instructions(config))
        if listening:
            click.echo(f"hierdoc mcp: {url(listening)}", err=True)
            await serve_http(server, listening, token)
        else:
            if sys.stdin.isatty():
                click.echo(
                    "hierdoc mcp: a client starts this and talks to it here; Ctrl-C ends it",
                    err=True,
                )
            await serve_stdio(server)


def _listen(host: str, port: int) -> socket:
    from hierdoc_mcp.transports import listen

    try:
        return listen(host, port)
    except OSError as error:
        raise click.ClickException(f"cannot listen at {host}:{port}: {error.strerror}") from error


def _require_token(host: str, token: str | None) -> None:
    """Refuse to be reached from elsewhere by anybody.

    Raises:
        UsageError: There is no token, or one that can be guessed.
    """
    from hierdoc_mcp.transports import is_loopback

    if token is not None and len(token) < _SHORTEST_TOKEN:
        raise click.UsageError(
            f"The token in HIERDOC_MCP_TOKEN has {len(token)} characters; {_SHORTEST_TOKEN} at least."
        )
    if token is None and not is_loopback(host):
        raise click.UsageError(
            f"--host {host} can be reached from elsewhere: put a token in HIERDOC_MCP_TOKEN, which clients then show as `Authorization: Bearer`."
        )


def find_configuration(
    config: Path | None, sources: tuple[str, ...]
) -> tuple[Config, Sequence[str]]:
    """The configuration, and the tools that `MCP_CONFIG` allows; none for all.

    Raises:
        ConfigError: It is wrong or, in `MCP_CONFIG`, given twice.
    """
    from hierdoc.config.loading import load_config
    from hierdoc.errors import ConfigError

    given = _from_environment()
    allowed = given.pop("allowed_tools", None) or ()
    if isinstance(allowed, str) or not set(allowed) <= set(TOOLS):
        raise ConfigError(f"MCP_CONFIG: `allowed_tools` names other tools than {', '.join(TOOLS)}")
    if not given:
        return configuration(config, sources), allowed
    if config is not None or sources:
        raise ConfigError(
            "MCP_CONFIG holds a configuration, and --config or --source names another",
            hint="Keep one of them.",
        )
    loaded = load_config(given)
    if not loaded.source:
        raise ConfigError("MCP_CONFIG: `source` is missing")
    return loaded, allowed


def _from_environment() -> dict[str, Any]:
    """The mapping that a client passes in `MCP_CONFIG`, as HoloDeck does."""
    from hierdoc.errors import ConfigError

    text = os.environ.get("MCP_CONFIG", "")
    if not text.strip():
        return {}
    try:
        given = json.loads(text)
    except ValueError as error:
        raise ConfigError(f"MCP_CONFIG is not JSON: {error}") from None
    if not isinstance(given, dict):
        raise ConfigError("MCP_CONFIG is no JSON object of keys and values")
    return given
