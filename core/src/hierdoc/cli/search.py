"""`hierdoc search`: the chunks that answer a query."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hierdoc.cli.options import Asking, configuration, index_options, run, update

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hierdoc.config.models import Config
    from hierdoc.filters import Filter
    from hierdoc.ingest.report import IngestReport
    from hierdoc.models import SearchResult


@click.command("search", cls=Asking)
@click.argument("query")
@index_options
@click.option("--top-k", type=int, help="How many chunks, 1 to 100.")
@click.option(
    "--mode",
    type=click.Choice(["hybrid", "semantic", "keyword", "exact"]),
    help="Which legs take part.",
)
@click.option(
    "--expand",
    type=click.Choice(["none", "siblings", "parent"]),
    help="Show more of the section around each chunk.",
)
@click.option(
    "--in",
    "documents",
    multiple=True,
    metavar="FILE",
    help="Search these documents alone: names, their ends, or patterns such as '2024/*.pdf'.",
)
@click.option(
    "--under",
    multiple=True,
    metavar="SECTION",
    help="Search what lies in this section alone: a citation or a heading.",
)
@click.option(
    "--where",
    multiple=True,
    metavar="FILTER",
    help="Search documents with such metadata alone, as in 'date >= 2020 and tags contains energy'; several must all hold.",
)
@click.option(
    "--as-of",
    metavar="DAY",
    help="Search what was in force on this day alone, as in 2020-05-31.",
)
@click.option(
    "--scope/--no-scope",
    default=None,
    help="Whether a document that the query names for certain is searched alone.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["hits", "context"]),
    default="hits",
    help="How the result is written: hit by hit, or as one text for a language model.",
)
@click.option(
    "--budget",
    type=click.IntRange(min=1),
    default=4_000,
    show_default=True,
    help="Tokens that such a text may count.",
)
@click.option("--explain", is_flag=True, help="Say why each chunk is here.")
@click.option("--full", is_flag=True, help="Show long chunks to their end.")
def command(
    query: str,
    config: Path | None,
    sources: tuple[str, ...],
    as_json: bool,
    top_k: int | None,
    mode: str | None,
    expand: str | None,
    documents: tuple[str, ...],
    under: tuple[str, ...],
    where: tuple[str, ...],
    as_of: str | None,
    scope: bool | None,
    form: str,
    budget: int,
    explain: bool,
    full: bool,
) -> None:
    """Show the chunks that answer QUERY, best first.

    QUERY is a question, words, a citation ("Section 203(a)"), a heading, or a phrase in double quotes. With --source, what changed there
    is ingested first.
    """
    from hierdoc.cli.output import plain, print_json, show_ingest, show_result
    from hierdoc.errors import SourceError
    from hierdoc.expressions import read_filter
    from hierdoc.filters import And

    wanted = {"top_k": top_k, "mode": mode, "as_of": as_of}
    shown = {"expand": expand, "scope": scope}
    part: dict[str, Sequence[str]] = {"documents": documents, "under": under}
    asked = And(*map(read_filter, where)) if where else None
    loaded = configuration(config, sources)
    result, report = run(_search(loaded, query, wanted, shown, part, asked, changed=bool(sources)))
    if report and (
        report.failures or report.notes or report.counts["added"] or report.counts["updated"]
    ):
        show_ingest(report, stderr=True)
    if result is None:
        if report:
            raise SourceError("no document could be ingested", hint="The lines above say why.")
        raise SourceError("the index is empty", hint="Run `hierdoc ingest` first.")
    if form == "context":
        context = result.context(budget)
        if as_json:
            print_json(context.to_dict())
        else:
            click.echo(plain(context.text))
    elif as_json:
        print_json(result.to_dict(explain=explain))
    else:
        show_result(result, explain=explain, full=full)
    if report and report.failures:
        raise SystemExit(1)


async def _search(
    config: Config,
    query: str,
    wanted: dict[str, Any],
    shown: dict[str, Any],
    part: dict[str, Sequence[str]],
    asked: Filter | None,
    *,
    changed: bool,
) -> tuple[SearchResult | None, IngestReport | None]:
    """The result, None where the index is empty, and what was ingested before."""
    from hierdoc.filters import And
    from hierdoc.index import AsyncIndex

    async with AsyncIndex.open(config) as index:
        index.check(query, **wanted, filter=asked)  # before a long ingest
        report = await update(index, wanted=changed)
        within = await index.within(**part)
        both = And(within, asked) if within and asked else within or asked
        result = await index.search(query, **wanted, **shown, filter=both)
        if not result.hits and not await index.count():
            return None, report
        return result, report
