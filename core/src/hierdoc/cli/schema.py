"""`hierdoc schema`: the JSON Schema of the configuration."""

from __future__ import annotations

import click


@click.command("schema")
def command() -> None:
    """Print the JSON Schema of hierdoc.yaml, with all providers installed here."""
    from hierdoc.cli.output import print_json
    from hierdoc.config.models import json_schema

    print_json(json_schema())
