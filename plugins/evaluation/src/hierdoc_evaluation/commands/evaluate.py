"""`hierdoc eval`: how good the answers are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hierdoc.cli.options import configuration, json_option, require_folder, run, source_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hierdoc.config.models import Config
    from hierdoc.index import AsyncIndex
    from hierdoc.ingest.report import IngestReport
    from hierdoc.models import Mode
    from hierdoc_evaluation.running import Evaluation
    from hierdoc_evaluation.truth import Question

_MODES = ("hybrid", "semantic", "keyword", "exact")
_SHOWN = 20
"""Failures that are shown of a run."""


@click.command("eval")
@click.argument(
    "truth", type=click.Path(path_type=Path, dir_okay=False), required=False, metavar="TRUTH"
)
@click.option(
    "--config",
    "configs",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Configuration file; repeat it to compare several. By default hierdoc.yaml, looked for upward from here.",
)
@source_option
@click.option(
    "--mode", "modes", multiple=True, type=click.Choice(_MODES), help="Mode; repeat it for several."
)
@click.option("--modes", "all_modes", type=click.Choice(["all"]), help="Every mode side by side.")
@click.option("--top-k", type=int, help="How many chunks count, 1 to 100.")
@click.option("--failures", is_flag=True, help="Show the questions that were not answered.")
@json_option
@click.option(
    "--plot",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Draw the result to an SVG file.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Of the bootstrap and of --make."
)
@click.option(
    "--make",
    type=click.IntRange(min=1),
    metavar="N",
    help="Write N questions made from the corpus instead.",
)
@click.option(
    "--kinds",
    help="Of which kinds --make makes them, separated by commas: citations, phrases, headings, definitions, off-corpus.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where --make writes to; stdout by default.",
)
def command(
    truth: Path | None,
    configs: tuple[Path, ...],
    sources: tuple[str, ...],
    modes: tuple[str, ...],
    all_modes: str | None,
    top_k: int | None,
    failures: bool,
    as_json: bool,
    plot: Path | None,
    seed: int,
    make: int | None,
    kinds: str | None,
    output: Path | None,
) -> None:
    """Measure how well the questions of TRUTH are answered.

    TRUTH has one JSON object per line: a question and what is expected. What changed in the sources is ingested first. With several
    configurations or modes, the differences are shown with their 95 % intervals.
    """
    from hierdoc_evaluation.truth import load_ground_truth

    chosen = [configuration(config, sources) for config in configs or (None,)]
    require_folder(plot)
    require_folder(output)
    if make is not None:
        if truth is not None:
            raise click.UsageError("--make writes a ground truth: name it with -o, not as TRUTH.")
        _make(chosen, make, seed, kinds, output)
        return
    if truth is None:
        raise click.UsageError("Missing argument 'TRUTH'; `--make N -o FILE` writes one.")
    for name, value in (("--kinds", kinds), ("--output", output)):
        if value is not None:
            raise click.UsageError(f"{name} goes with --make.")
    if plot is not None and plot.suffix.lower() != ".svg":
        raise click.UsageError(f"--plot writes SVG; name the file {plot.stem}.svg.")
    wanted: list[Mode | None] = [mode for mode in _MODES if all_modes or mode in modes]  # type: ignore[misc]
    questions = load_ground_truth(truth)
    top_k = chosen[0].search.top_k if top_k is None else top_k
    failed, evaluations = run(_evaluations(chosen, questions, wanted or [None], top_k))
    _show(evaluations, questions, as_json=as_json, seed=seed, failures=failures)
    if plot is not None:
        from hierdoc_evaluation.plot import svg

        _write(plot, svg(evaluations, seed=seed))
    if failed:
        raise SystemExit(1)


async def _evaluations(
    configs: Sequence[Config],
    questions: Sequence[Question],
    modes: Sequence[Mode | None],
    top_k: int | None,
) -> tuple[bool, list[Evaluation]]:
    """Whether something could not be ingested, and an evaluation for every configuration and mode."""
    from hierdoc.cli.output import progress_bar
    from hierdoc.index import AsyncIndex
    from hierdoc_evaluation.running import evaluate

    failed = False
    evaluations = []
    for name, config in zip(_names(configs), configs, strict=True):
        async with AsyncIndex.open(config) as index:
            for mode in modes:
                index.check("question", top_k=top_k, mode=mode)  # before a long ingest
            failed |= bool((await ingested(index)).failures)
            for mode in modes:
                with progress_bar() as progress:
                    evaluations.append(
                        await evaluate(
                            index, questions, name=name, mode=mode, top_k=top_k, progress=progress
                        )
                    )
    return failed, evaluations


async def ingested(index: AsyncIndex) -> IngestReport:
    """Bring the index up to date, and say what that did unless it was nothing."""
    from hierdoc.cli.options import update
    from hierdoc.cli.output import show_ingest

    report = await update(index, wanted=True)
    assert report is not None
    counts = report.counts
    if report.failures or report.notes or counts["added"] or counts["updated"] or counts["removed"]:
        show_ingest(report, stderr=True)
    return report


def _names(configs: Sequence[Config]) -> list[str]:
    """Short names of configurations, told apart by their folders where files are called alike."""
    files = [config.file for config in configs]
    names = [file.stem if file else "defaults" for file in files]
    if len(set(names)) == len(names):
        return names
    return [file.with_suffix("").as_posix() if file else "defaults" for file in files]


def _show(
    evaluations: Sequence[Evaluation],
    questions: Sequence[Question],
    *,
    as_json: bool,
    seed: int,
    failures: bool,
) -> None:
    from hierdoc.cli.output import plain, print_json
    from hierdoc_evaluation.report import as_dict, tables

    if as_json:
        print_json(as_dict(evaluations, seed=seed))
    else:
        click.echo(plain(tables(evaluations, seed=seed)))
        if failures:
            _show_failures(evaluations)
    unsatisfied = evaluations[0].unsatisfied
    if unsatisfied:
        shown = ", ".join(question.id for question in unsatisfied[:5])
        click.echo(
            plain(
                f"note: what {len(unsatisfied)} of {len(questions)} questions expect is not in any one chunk: {shown}"
                + (", ..." if len(unsatisfied) > 5 else "")
            ),
            err=True,
        )
    for one in evaluations:
        degraded = sum(bool(answer.degraded) for answer in one.answers)
        if degraded:
            click.echo(
                plain(f"degraded: {one.name} {one.mode}: {degraded} searches lacked a leg"),
                err=True,
            )


def _show_failures(evaluations: Sequence[Evaluation]) -> None:
    from hierdoc.cli.output import place, plain
    from hierdoc_evaluation.report import label, misses

    for one in evaluations:
        missed = misses(one)
        click.echo(f"\n{len(missed)} not answered by {plain(label(one))}")
        for answer in missed[:_SHOWN]:
            question = answer.question
            click.echo(plain(f"  {question.id}  {question.question}"))
            for item in question.expected:
                wanted = ", ".join(f"{name} {value!r}" for name, value in item.to_dict().items())
                click.echo(plain(f"     expected {wanted[:300]}"))
            if not question.expected:
                click.echo("     expected low confidence")
            rank = f"; right chunk at {answer.rank}" if answer.rank else ""
            got = place(answer.hits[0].chunk) if answer.hits else "nothing"
            where = answer.hits[0].chunk.section_id or "" if answer.hits else ""
            click.echo(plain(f"     got {got} {where}{rank}"))
        if len(missed) > _SHOWN:
            click.echo(f"  ... and {len(missed) - _SHOWN} more; --json has all")


def _make(
    configs: Sequence[Config], count: int, seed: int, kinds: str | None, output: Path | None
) -> None:
    from hierdoc_evaluation.truth import dump_ground_truth

    if len(configs) > 1:
        raise click.UsageError("--make takes one configuration.")
    names = [name.strip() for name in kinds.split(",") if name.strip()] if kinds else None
    failed, questions = run(_made(configs[0], count, seed, names))
    text = dump_ground_truth(questions)
    if output is None:
        click.echo(text, nl=False)
    else:
        _write(output, text)
    made = {
        kind: sum(one.kind == kind for one in questions) for kind in {q.kind for q in questions}
    }
    shown = ", ".join(f"{number} {kind}" for kind, number in sorted(made.items()))
    where = f" to {output}" if output else ""
    fewer = "" if len(questions) == count else f"; the corpus gives no more than {len(questions)}"
    click.echo(f"wrote {len(questions)} questions{where}: {shown}{fewer}", err=True)
    if failed:
        raise SystemExit(1)


async def _made(
    config: Config, count: int, seed: int, kinds: Sequence[str] | None
) -> tuple[bool, tuple[Question, ...]]:
    from hierdoc.index import AsyncIndex
    from hierdoc_evaluation.making import make_ground_truth

    async with AsyncIndex.open(config) as index:
        report = await ingested(index)
        return bool(report.failures), await make_ground_truth(index, count, seed=seed, kinds=kinds)


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise click.UsageError(f"{file} cannot be written: {error.strerror}") from error
