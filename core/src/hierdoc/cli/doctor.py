"""`hierdoc doctor`: is everything in order?"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from hierdoc.cli.options import config_option, json_option, run, source_option

if TYPE_CHECKING:
    from hierdoc.config.models import Config
    from hierdoc.ingest.sources import SourceFile
    from hierdoc.plugin.protocols import Converter


MOST_FILES, MOST_BYTES = 100, 10_000_000
"""Of the source, files and bytes whose structure is looked at."""


class Finding(NamedTuple):
    """What one check found: all is well, or what is not."""

    check: str
    ok: bool
    detail: str


@click.command("doctor")
@config_option
@source_option
@json_option
def command(config: Path | None, sources: tuple[str, ...], as_json: bool) -> None:
    """Check the installation, the configuration and the index; the exit status is 1 where something is wrong."""
    from hierdoc.cli.output import console, plain, print_json

    findings = run(_collect(config, sources))
    if as_json:
        print_json({"checks": [finding._asdict() for finding in findings]})
    else:
        screen = console()
        for finding in findings:
            mark, style = ("ok   ", "green") if finding.ok else ("WRONG", "red")
            screen.print(
                f"{mark} {finding.check}: {plain(finding.detail)}", style=style, soft_wrap=True
            )
    if not all(finding.ok for finding in findings):
        raise SystemExit(1)


async def _collect(config: Path | None, sources: tuple[str, ...]) -> list[Finding]:
    from hierdoc.config.loading import load_config
    from hierdoc.errors import HierdocError

    findings = [_python(), *_plugins()]
    try:
        loaded = load_config(config, source=sources or None)
    except HierdocError as error:
        return [*findings, _wrong("configuration", error)]
    where = str(loaded.file) if loaded.file else "defaults"
    findings.append(Finding("configuration", True, where))
    findings += [finding async for finding in _components(loaded)]
    if loaded.source:
        findings += [finding async for finding in _corpus(loaded)]
    return findings


def _python() -> Finding:
    import platform
    import sqlite3

    return Finding("python", True, f"{platform.python_version()}, SQLite {sqlite3.sqlite_version}")


def _plugins() -> list[Finding]:
    from hierdoc.plugin.registry import default_registry

    registry = default_registry()
    registry.load_all()
    broken = [Finding(f"plugin {one.name}", False, one.reason) for one in registry.broken]
    return broken or [Finding("plugins", True, f"{len(registry.providers())} providers")]


async def _components(config: Config) -> AsyncIterator[Finding]:
    """Open each configured component, and let its provider check it."""
    from hierdoc.plugin.protocols import SupportsClose
    from hierdoc.plugin.provider import ComponentKind
    from hierdoc.plugin.registry import default_registry

    registry = default_registry()
    for kind in ComponentKind:
        chosen = config.component(kind)
        if chosen is None:
            continue
        name = f"{kind.value} {chosen.provider}"
        try:
            opened = registry.open(kind, chosen)
            if isinstance(opened, SupportsClose):
                await opened.aclose()
            check = registry.find(kind, chosen.provider).check
            found = await check(chosen) if check else None
        except Exception as error:  # reported: that is what this command is for
            yield _wrong(name, error)
        else:
            works = f"works: {found}" if found else "works"
            yield Finding(name, True, works if check else "opens")


async def _corpus(config: Config) -> AsyncIterator[Finding]:
    """The source, and whether what the index holds is whole and what was written."""
    from hierdoc.errors import HierdocError
    from hierdoc.index import AsyncIndex
    from hierdoc.ingest.sources import discover
    from hierdoc.plugin.provider import ComponentKind
    from hierdoc.plugin.registry import default_registry

    try:
        converter: Converter = default_registry().open(ComponentKind.CONVERTER, config.converter)
        found = discover(
            config.source,
            config.base,
            converter.suffixes,
            include=config.include,
            exclude=config.exclude,
        )
    except HierdocError as error:
        yield _wrong("source", error)
    else:
        yield Finding("source", not found.failures, f"{len(found.files)} files")
        yield await _structure(config, converter, found.files)
    try:
        async with AsyncIndex.open(config) as index:
            held = await index.documents()
            await index.verify()
            languages = await index.language_note()
            probe = await index.search("document") if held else None
    except HierdocError as error:
        yield _wrong("index", error)
        return
    for one in probe.degraded if probe else ():
        yield Finding(f"search, {one.leg}", False, one.reason)
    if languages:
        yield Finding("languages", True, languages)
    partial = [name for name, state in held.items() if not state.complete]
    chunks = sum(state.records for state in held.values())
    detail = f"{len(held)} documents, {chunks} chunks"
    yield Finding(
        "index", not partial, f"{detail}; incomplete: {', '.join(partial)}" if partial else detail
    )


async def _structure(config: Config, converter: Converter, files: Sequence[SourceFile]) -> Finding:
    """Which of the first files have doubtful sections: no error, for the fault may be the document's own."""
    from hierdoc.errors import HierdocError
    from hierdoc.ingest.sources import read
    from hierdoc.structure import find_doubts, understand

    settings = config.structure
    doubtful, looked, left = [], 0, MOST_BYTES
    for file in files[:MOST_FILES]:
        try:
            source = read(file)
            left -= len(source.data)
            if left < 0:
                break
            document = await converter.convert(source)
        except HierdocError:  # ingest reports it
            continue
        looked += 1
        understood = understand(
            document, settings.domain, settings.max_subsection_depth, definitions=False
        )
        if doubts := find_doubts(understood):
            doubtful.append(f"{document.source} ({doubts[0]})")
    detail = f"{len(doubtful)} of {looked} documents are doubtful"
    if doubtful:
        detail += f": {'; '.join(doubtful)}; `hierdoc outline FILE` says more"
    return Finding("structure", True, detail)


def _wrong(check: str, error: Exception) -> Finding:
    hint = getattr(error, "hint", None)
    text = str(error) or type(error).__name__
    return Finding(check, False, f"{text}. {hint}" if hint else text)
