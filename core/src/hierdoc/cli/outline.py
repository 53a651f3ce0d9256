"""`hierdoc outline`: the section tree of a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hierdoc.cli.options import config_option, json_option, run

if TYPE_CHECKING:
    from hierdoc.models import Document, Section
    from hierdoc.plugin.protocols import Converter


@click.command("outline")
@click.argument("file", type=click.Path(path_type=Path))
@config_option
@json_option
def command(file: Path, config: Path | None, as_json: bool) -> None:
    """Show the section tree of FILE as the configuration has it read; needs neither an index nor a configuration.

    What is doubtful about it is said on standard error, or in `doubts`.
    """
    from hierdoc.cli.output import plain, print_json, show_outline
    from hierdoc.structure import find_doubts

    document = run(_understood(file, config))
    doubts = find_doubts(document)
    if as_json:
        sections = [as_dict(section) for section in document.sections]
        print_json(
            {
                "source": file.as_posix(),
                "title": document.title,
                "sections": sections,
                "doubts": doubts,
            }
        )
        return
    roots = document.sections
    if len(roots) == 1 and roots[0].title == document.title:
        show_outline(roots)
    else:
        click.echo(plain(document.title))
        show_outline(roots, depth=1)
    for doubt in doubts:
        click.echo(f"doubtful: {plain(doubt)}", err=True)


def as_dict(section: Section) -> dict[str, Any]:
    """A section and all below it as the command line prints them with `--json`."""
    names = [name for name in type(section).__slots__ if name not in ("key", "body_start")]
    fields = {name: getattr(section, name) for name in names}
    return {**fields, "children": [as_dict(child) for child in section.children]}


async def _understood(file: Path, config_file: Path | None) -> Document:
    from hierdoc.config.loading import find_config, load_config
    from hierdoc.ingest.sources import discover, read
    from hierdoc.plugin.provider import ComponentKind
    from hierdoc.plugin.registry import default_registry
    from hierdoc.plugin.settings import StructureSettings
    from hierdoc.structure import understand

    registry, settings = default_registry(), StructureSettings()
    chosen = registry.find(ComponentKind.CONVERTER, "auto").config()
    if config_file or find_config():
        config = load_config(config_file)
        chosen, settings = config.converter, config.structure
    converter: Converter = registry.open(ComponentKind.CONVERTER, chosen)
    found = discover([str(file)], Path.cwd())
    document = await converter.convert(read(found.files[0]))
    return understand(document, settings.domain, settings.max_subsection_depth, definitions=False)
