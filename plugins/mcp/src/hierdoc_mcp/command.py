"""`hierdoc mcp`: the index for language models."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hierdoc.cli.options import config_option, configuration, run, source_option
from hierdoc_tools import limits
from hierdoc_tools.access import Token
from hierdoc_tools.options import (
    budget_option,
    checked_token,
    ingest_option,
    listening_at,
    log_to_stderr,
    rate_option,
)
from hierdoc_tools.tools import TOOLS, Tools

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from socket import socket

    from hierdoc.config.models import Config
    from hierdoc_tools.corpus import Corpus


@click.command("mcp")
@config_option
@source_option
@ingest_option
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
@budget_option
@rate_option
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
    log_to_stderr("hierdoc_mcp")
    token = checked_token(host, "HIERDOC_MCP_TOKEN") if http else Token()
    loaded, allowed = find_configuration(config, sources)
    wanted = True if ingest is None and sources else ingest
    listening = listening_at(host, port) if http else None

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
    token: Token,
) -> None:
    from hierdoc_mcp.server import build
    from hierdoc_mcp.transports import serve_http, serve_stdio
    from hierdoc_tools.access import url
    from hierdoc_tools.corpus import Corpus
    from hierdoc_tools.tools import instructions

    async with Corpus(config, ingest=ingest, apart=True) as corpus:
        server = build(offered(corpus), instructions(config))
        if listening:
            click.echo(f"hierdoc mcp: {url(listening, '/mcp')}", err=True)
            await serve_http(server, listening, token)
        else:
            if sys.stdin.isatty():
                click.echo(
                    "hierdoc mcp: a client starts this and talks to it here; Ctrl-C ends it",
                    err=True,
                )
            await serve_stdio(server)


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
