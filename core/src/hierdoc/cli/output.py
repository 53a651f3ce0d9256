"""How things are shown: JSON for programs, text for people; what documents contain never reaches the terminal as control codes."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console

    from hierdoc.ingest.report import IngestReport
    from hierdoc.models import Chunk, Definition, Hit, SearchResult, Section, Usage

_LINES = 12
"""Lines of a chunk that a search shows."""

_LONGEST_VALUE = 60
"""Characters of a value of metadata that a search shows."""

_FIRST_LINE = 5.0
"""Seconds after which an ingest without a terminal says how far it is."""

_LONGEST_PAUSE = 600.0
"""Seconds between two such lines, at most."""

_LACKING = {leg: f"no {leg} leg" for leg in ("semantic", "keyword", "exact")}

_STEERING = re.compile(r"[\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What JSON leaves as it is and a terminal obeys."""

_CONTROL = re.compile(rf"[\x00-\x08\x0b-\x1f]|{_STEERING.pattern}")


def plain(text: str) -> str:
    """The text without control characters, which could steer a terminal."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


def print_json(value: Any) -> None:
    """One JSON object on stdout, control characters escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    click.echo(_STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def console(stderr: bool = False) -> Console:
    """A console that takes text as it is: no markup, no emoji codes, no highlighting."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


@contextmanager
def progress_bar() -> Iterator[Callable[[int, int, str], None]]:
    """A callback for `Index.ingest` that draws a bar on a terminal; elsewhere, as in a log, it writes a line now and then."""
    screen = console(stderr=True)
    if not screen.is_terminal:
        yield _lines_of_progress()
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=screen, transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def advance(done: int, total: int, name: str) -> None:
            bar.update(task, completed=done, total=total, description=plain(name))

        yield advance


def _lines_of_progress() -> Callable[[int, int, str], None]:
    """A line on stderr after some seconds, the next ones after longer and longer: an ingest of an hour writes about a dozen."""
    due, pause = time.monotonic() + _FIRST_LINE, _FIRST_LINE

    def advance(done: int, total: int, name: str) -> None:
        nonlocal due, pause
        now = time.monotonic()
        if now >= due and done < total:
            pause = min(2 * pause, _LONGEST_PAUSE)
            due = now + pause
            click.echo(f"{done:,} of {total:,} files read, the last one {plain(name)}", err=True)

    return advance


def show_ingest(report: IngestReport, *, stderr: bool = False) -> None:
    """What an ingest did, in a line, and every failure in its own."""
    screen = console(stderr)
    counts = ", ".join(f"{number} {what}" for what, number in report.counts.items() if number)
    where = "chunks to make" if report.planned else "chunks in the index"
    screen.print(
        f"{counts or 'nothing to do'}; {report.chunks} {where}; {report.seconds:.1f} s",
        soft_wrap=True,
    )
    for what, usage in (("contexts", report.usage), ("embeddings", report.embedding_usage)):
        if usage and (usage.requests or report.planned):
            screen.print(f"{what}: {_told(usage)}", soft_wrap=True)
    if report.search_usage:
        screen.print(f"each search, at most: {_told(report.search_usage)}", soft_wrap=True)
    warnings = console(stderr=True)
    for what in report.over_limit:
        warnings.print(f"over the limit: {plain(what)}", style="yellow", soft_wrap=True)
    for note in report.notes:
        warnings.print(f"note: {plain(note)}", style="dim", soft_wrap=True)
    for failure in report.failures:
        warnings.print(
            f"failed: {plain(failure.source)}: {plain(failure.error)}", style="red", soft_wrap=True
        )


def _told(usage: Usage) -> str:
    read = {"in full": usage.uncached, "to keep": usage.written, "from what is kept": usage.cached}
    ways = ", ".join(f"{tokens:,} {how}" for how, tokens in read.items() if tokens)
    cost = "" if usage.cost is None else f"; {usage.cost:,.4f} by the configured prices"
    generated = f"; generated: {usage.output:,}" if usage.output else ""
    requests = "1 request" if usage.requests == 1 else f"{usage.requests:,} requests"
    return f"{requests}; tokens read: {ways or 'none'}{generated}{cost}"


def show_result(result: SearchResult, *, explain: bool, full: bool) -> None:
    """Hits, each with its place, its scores and its text, long ones cut off unless `full`."""
    screen = console()
    for hit in result.hits:
        show_hit(screen, hit, explain=explain, lines=None if full else _LINES)
    if not result.hits:
        screen.print("nothing found")
    warnings = console(stderr=True)
    if result.low_confidence:
        lacking = "what the query cites" if result.missing else "most of what the query asks about"
        warnings.print(f"low confidence: the chunks lack {lacking}", style="yellow")
    if result.ambiguous:
        documents = ", ".join(map(plain, result.ambiguous))
        warnings.print(
            f"ambiguous: the query may mean places in {documents}", style="yellow", soft_wrap=True
        )
    if result.scope:
        named = ", ".join(map(plain, result.scope))
        warnings.print(
            f"searched in {named} alone, which the query names", style="dim", soft_wrap=True
        )
    for one in result.missing:
        nearest = ", ".join(map(plain, one.nearest))
        near = f"; the nearest are {nearest}" if nearest else ""
        warnings.print(f"not in the index: {plain(one.text)}{near}", style="yellow", soft_wrap=True)
    for degradation in result.degraded:
        warnings.print(
            f"degraded: {_LACKING.get(degradation.leg, degradation.leg)}: {plain(degradation.reason)}",
            style="yellow",
            soft_wrap=True,
        )
    if explain:
        for leg, share in result.coverage.items():
            told = f"the best match of the {leg} leg has {share:.0%} of the query's words"
            screen.print(
                f"{told}; the more it has, the more the leg counts", style="dim", soft_wrap=True
            )
        times = "  ".join(f"{step} {value:.1f}" for step, value in result.timings_ms.items())
        screen.print(f"milliseconds: {times}", style="dim", soft_wrap=True)


def show_hit(
    screen: Console,
    hit: Hit,
    *,
    scores: bool = True,
    explain: bool = False,
    lines: int | None = None,
) -> None:
    """One hit for people, with so many lines of its text; None for all."""
    from rich.text import Text

    chunk = hit.chunk
    standing = "  certain" if hit.certain else "  ambiguous" if hit.ambiguous else ""
    screen.print(
        Text.assemble(
            (f"{hit.rank}  ", "bold"),
            (place(chunk), "bold cyan"),
            (standing if scores else "", "green"),
        ),
        soft_wrap=True,
    )
    chain = [title for title in (chunk.title, *chunk.parent_chain) if title]
    chain = [
        title for number, title in enumerate(chain) if number == 0 or title != chain[number - 1]
    ]
    screen.print(f"   {plain(' > '.join(chain))}", style="green", soft_wrap=True)
    if chunk.metadata:
        screen.print(f"   {plain(_metadata(chunk))}", style="dim", soft_wrap=True)
    if scores:
        legs = " · ".join(f"{leg} #{one.rank} ({one.score:.3f})" for leg, one in hit.scores.items())
        screen.print(f"   score {hit.score:.4f} · {legs}", style="dim", soft_wrap=True)
    if explain:
        _explain(screen, hit)
    screen.print(_indented(chunk.text, lines), soft_wrap=True)
    for one in hit.more:
        screen.print(f"   {place(one)}", style="dim cyan", soft_wrap=True)
        screen.print(_indented(one.text, lines), soft_wrap=True)
    for definition in hit.definitions if hit.rank == 1 else ():
        screen.print(
            f"   {plain(definition.term)}: {plain(' '.join(definition.text.split()))}",
            style="italic",
            soft_wrap=True,
        )
    screen.print()


def _metadata(chunk: Chunk) -> str:
    """`date 2020-05-31 · tags energy, law`, of long values the beginning."""
    shown = {
        name: str(value).lower()
        if isinstance(value, bool)
        else ", ".join(value)
        if isinstance(value, tuple)
        else str(value)
        for name, value in chunk.metadata.items()
    }
    return " · ".join(
        f"{name} {value if len(value) <= _LONGEST_VALUE else value[:_LONGEST_VALUE] + '...'}"
        for name, value in shown.items()
    )


def show_definitions(definitions: Sequence[Definition]) -> None:
    """Definitions with their sources."""
    screen = console()
    for one in definitions:
        where = f"{one.source} · {one.section_id}" if one.section_id else one.source
        screen.print(f"{plain(one.term)}  ({plain(where)})", style="bold", soft_wrap=True)
        screen.print(_indented(one.text), soft_wrap=True)
        screen.print()


def show_citing(screen: Console, hits: Sequence[Hit]) -> None:
    """Where the chunks stand that cite a section, a line each."""
    for hit in hits:
        chain = " › ".join(map(plain, hit.chunk.parent_chain))
        screen.print(f"cited by  {place(hit.chunk)}  {chain}".rstrip(), style="dim", soft_wrap=True)


def show_outline(sections: Sequence[Section], *, depth: int = 0) -> None:
    """A tree of sections with ids and lines."""
    screen = console()
    waiting = [(section, depth) for section in reversed(sections)]
    while waiting:
        section, level = waiting.pop()
        pages = f" · p. {section.page_start}" if section.page_start else ""
        screen.print(
            f"{'  ' * level}{plain(section.title) or '(untitled)'}  [{section.id} · line {section.line_start}{pages}]",
            soft_wrap=True,
        )
        waiting += [(child, level + 1) for child in reversed(section.children)]


def place(chunk: Chunk) -> str:
    """`docs/act.md:12-30 · p. 4`."""
    lines = _span(chunk.line_start, chunk.line_end)
    pages = ""
    if chunk.page_start is not None:
        pages = f" · p. {_span(chunk.page_start, chunk.page_end or chunk.page_start)}"
    return f"{plain(chunk.source)}:{lines}{pages}"


def _span(start: int, end: int) -> str:
    return str(start) if start == end else f"{start}-{end}"


def _indented(text: str, most: int | None = None) -> str:
    lines = plain(text).strip("\n").split("\n")
    if most is not None:
        lines = [line for line in lines if line.strip()]
        rest = len(lines) - most
        if rest > 1:
            lines = [*lines[:most], f"… {rest} more lines; --full shows them"]
    return "\n".join(f"   │ {line}" for line in lines)


def _explain(screen: Console, hit: Hit) -> None:
    reasons = [hit.why] if hit.why else []
    reasons += [
        f"{leg} leg ranks it {one.rank}" for leg, one in hit.scores.items() if leg != "exact"
    ]
    screen.print(f"   why: {'; '.join(reasons)}", style="dim", soft_wrap=True)
    if hit.chunk.context:
        context = " ".join(hit.chunk.context.split())
        screen.print(f"   indexed with: {plain(context)}", style="dim", soft_wrap=True)
    for reference in hit.references:
        target = (
            reference.section_id if reference.resolved else f"{reference.section_id}, not found"
        )
        if reference.source:
            target = f"{plain(reference.source)}, {target}"
        screen.print(
            f"   refers to: {plain(reference.text)} ({target})", style="dim", soft_wrap=True
        )
