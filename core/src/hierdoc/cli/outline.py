"""`hierdoc outline`: the section tree of a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hierdoc.cli.options import json_option, run

if TYPE_CHECKING:
    from hierdoc.models import Document, Section
    from hierdoc.protocols import Converter


@click.command("outline")
@click.argument("file", type=click.Path(path_type=Path))
@json_option
def command(file: Path, as_json: bool) -> None:
    """Show the section tree of FILE; needs no index."""
    from hierdoc.cli.output import plain, print_json, show_outline

    document = run(_understood(file))
    if as_json:
        sections = [as_dict(section) for section in document.sections]
        print_json({"source": file.as_posix(), "title": document.title, "sections": sections})
        return
    roots = document.sections
    if len(roots) == 1 and roots[0].title == document.title:
        show_outline(roots)
    else:
        click.echo(plain(document.title))
        show_outline(roots, depth=1)


def as_dict(section: Section) -> dict[str, Any]:
    """A section and all below it as the command line prints them with `--json`."""
    names = [name for name in type(section).__slots__ if name not in ("key", "body_start")]
    fields = {name: getattr(section, name) for name in names}
    return {**fields, "children": [as_dict(child) for child in section.children]}


async def _understood(file: Path) -> Document:
    from hierdoc.registry import Kind, default_registry
    from hierdoc.settings import load_config
    from hierdoc.sources import discover, read
    from hierdoc.structure import understand

    config = load_config(source=file)
    converter: Converter = default_registry().open(Kind.CONVERTER, config.converter)
    found = discover(config.source, config.base)
    document = await converter.convert(read(found.files[0]))
    settings = config.structure
    return understand(document, settings.domain, settings.max_subsection_depth, definitions=False)
