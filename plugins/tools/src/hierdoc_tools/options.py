"""What the command lines of servers share."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from errno import EADDRINUSE
from typing import TYPE_CHECKING

import click

from hierdoc_tools import limits
from hierdoc_tools.access import AccessError, Token, listen, token_for

if TYPE_CHECKING:
    from socket import socket

ingest_option = click.option(
    "--ingest/--no-ingest",
    default=None,
    help="Whether to bring the index up to date first, while calls are already answered; by default with --source, or where the index is kept in memory.",
)

budget_option = click.option(
    "--budget",
    type=click.IntRange(limits.FEWEST_TOKENS, limits.MOST_TOKENS),
    default=limits.BUDGET,
    show_default=True,
    help="Tokens of a reply where a call does not say; what does not fit comes in further pages.",
)

rate_option = click.option(
    "--rate",
    type=click.IntRange(min=0),
    default=600,
    show_default=True,
    help="Calls that are answered in a minute; 0 for any number.",
)


def log_to_stderr(*loggers: str) -> None:
    """Write what servers log to standard error: warnings, and of these loggers also what is worth knowing."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(name)s: %(message)s")
    for name in ("hierdoc", "hierdoc_tools", *loggers):
        logging.getLogger(name).setLevel(logging.INFO)


def require_sources(sources: Sequence[str]) -> None:
    """Refuse what is misspelled before a server says that it is there.

    Raises:
        UsageError: A source that is no pattern does not exist.
    """
    for source in sources:
        is_pattern = any(sign in source for sign in "*?[")
        if not is_pattern and not os.path.lexists(os.path.expanduser(source)):
            raise click.UsageError(f"--source {source}: there is no such file or folder.")


def checked_token(host: str, variable: str) -> Token:
    """The token in an environment variable; see `token_for`.

    Raises:
        UsageError: It is missing or too short.
    """
    try:
        return token_for(host, os.environ.get(variable), variable)
    except AccessError as error:
        raise click.UsageError(str(error)) from None


def listening_at(host: str, port: int) -> socket:
    """A socket that listens there.

    Raises:
        ClickException: It cannot.
    """
    try:
        return listen(host, port)
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        way = (
            " Take another --port, or 0 for any that is free." if error.errno == EADDRINUSE else ""
        )
        raise click.ClickException(f"cannot listen at {host}:{port}: {why}.{way}") from error
