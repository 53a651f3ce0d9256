"""`hierdoc init`: write a configuration to start from."""

from __future__ import annotations

from pathlib import Path

import click

_TEMPLATE = """\
# What hierdoc reads, and how. `hierdoc schema > hierdoc.schema.json` gives editors completion.
source: {source}                     # file, folder or glob; a list of them works too
chunker: {{provider: structure, max_chunk_tokens: 800, chunk_overlap: 50}}
embedder: static                     # offline; others: `hierdoc plugins list`
vector: sqlite                       # the index lives in .hierdoc beside this file
keyword: tantivy
metadata: {{}}                         # fields of the documents' own to filter by, such as {{date: date, tags: list}}
search: {{mode: hybrid, top_k: 10, weights: {{semantic: 0.5, keyword: 0.3, exact: 0.2}}}}
"""


@click.command("init")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=".")
@click.option("--source", default="./docs", show_default=True, help="What to ingest.")
@click.option("--force", is_flag=True, help="Replace a configuration that is there.")
def command(folder: Path, source: str, force: bool) -> None:
    """Write hierdoc.yaml to FOLDER, the current one by default."""
    from hierdoc.config.loading import FILE_NAME
    from hierdoc.errors import ConfigError

    file = folder / FILE_NAME
    if file.exists() and not force:
        raise ConfigError(f"{file} is there already", hint="Edit it, or replace it with --force.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        import json

        file.write_text(
            _TEMPLATE.format(source=json.dumps(source, ensure_ascii=False)), encoding="utf-8"
        )
    except OSError as error:
        raise ConfigError(f"{file} cannot be written: {error.strerror}") from error
    option = "" if folder.resolve() == Path.cwd() else f" --config {file}"
    click.echo(f"wrote {file}; next: hierdoc ingest{option}", err=True)
