"""`hierdoc tune`: find search settings that answer a ground truth better."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hierdoc.cli.options import configuration, index_options, require_folder, run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hierdoc.config.models import Config
    from hierdoc_evaluation.truth import Question
    from hierdoc_evaluation.tuning import Tuning


@click.command("tune")
@click.argument("truth", type=click.Path(path_type=Path, dir_okay=False), metavar="TRUTH")
@index_options
@click.option(
    "--trials", type=click.IntRange(min=2), default=200, show_default=True, help="Settings to try."
)
@click.option(
    "--folds",
    type=click.IntRange(min=2),
    default=5,
    show_default=True,
    help="Of the cross-validation.",
)
@click.option(
    "--sampler",
    type=click.Choice(["auto", "grid", "optuna"]),
    default="auto",
    show_default=True,
    help="What proposes settings: Optuna where it is installed, or a grid, drawn from at random where it is too large.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Of folds, proposals and bootstrap."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where the configuration with the best settings goes; NAME.tuned.yaml beside the present one by default.",
)
def command(
    truth: Path,
    config: Path | None,
    sources: tuple[str, ...],
    as_json: bool,
    trials: int,
    folds: int,
    sampler: str,
    seed: int,
    output: Path | None,
) -> None:
    """Find weights, a fuser and its settings, candidates, and k1 and b that answer TRUTH better.

    What is gained is measured on questions that the settings were not chosen by, with its 95 % interval. The best configuration is written to
    a new file; comments, other settings and ${VAR} stay as they are.
    """
    from hierdoc.cli.output import plain, print_json
    from hierdoc_evaluation.truth import load_ground_truth

    chosen = configuration(config, sources)
    questions = load_ground_truth(truth)
    target = output or _beside(chosen)
    require_folder(target)
    failed, found, changes = run(_tuned(chosen, questions, trials, folds, sampler, seed))
    _write(chosen, changes, target)
    if as_json:
        print_json({**found.to_dict(), "written": str(target)})
    else:
        click.echo(plain(_described(found)))
    for note in found.notes:
        click.echo(plain(f"note: {note}"), err=True)
    click.echo(plain(f"wrote {target}"), err=True)
    if chosen.file is not None and target.resolve().parent != chosen.base:
        click.echo(
            "note: it stands in another folder, so documents get other names and an index of their own",
            err=True,
        )
    if failed:
        raise SystemExit(1)


async def _tuned(
    config: Config,
    questions: Sequence[Question],
    trials: int,
    folds: int,
    sampler: str,
    seed: int,
) -> tuple[bool, Tuning, Mapping[str, Any]]:
    """Whether something could not be ingested, what was found, and what it changes in the configuration."""
    from hierdoc.cli.output import progress_bar
    from hierdoc.index import AsyncIndex
    from hierdoc.plugin.registry import default_registry
    from hierdoc_evaluation.commands.evaluate import ingested
    from hierdoc_evaluation.space import Space
    from hierdoc_evaluation.tuning import tune

    async with AsyncIndex.open(config) as index:
        failed = bool((await ingested(index)).failures)
        with progress_bar() as progress:
            found = await tune(
                index,
                questions,
                trials=trials,
                folds=folds,
                seed=seed,
                sampler=sampler,
                progress=progress,
            )
    return failed, found, Space.of(config, default_registry()).changes(found.winner)


def _described(found: Tuning) -> str:
    gain = found.gain
    lines = [
        f"{found.trials} settings tried on {found.questions} questions ({found.sampler})",
        "",
        *_side_by_side(found),
        "",
        f"gain on held-out questions: {gain.mean:+.3f} nDCG@10, 95 % interval {gain.low:+.3f} to {gain.high:+.3f}",
    ]
    if found.winner == found.baseline:
        lines.append("nothing beats the present settings")
    elif found.sure:
        lines.append("sure: the interval lies above 0")
    elif gain.high < 0:
        lines.append(
            "no gain: what is best on some of these questions is worse on the others; keep the present settings"
        )
    else:
        lines.append("not sure: the interval holds 0; more questions would narrow it")
    return "\n".join(lines)


def _side_by_side(found: Tuning) -> list[str]:
    names = list(dict.fromkeys((*found.baseline, *found.winner)))
    rows = [("", "present", "best", "chosen by folds")]
    rows.append(("nDCG@10 on all", f"{found.baseline_score:.3f}", f"{found.winner_score:.3f}", ""))
    for name in names:
        before, after = found.baseline.get(name, "-"), found.winner.get(name, "-")
        rows.append((name, str(before), str(after), _spread(found, name)))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return [
        f"{row[0].ljust(widths[0])}  {row[1].rjust(widths[1])}  {row[2].rjust(widths[2])}  {row[3]}".rstrip()
        for row in rows
    ]


def _spread(found: Tuning, name: str) -> str:
    """What the folds chose: one value where they agree, names, or the least and the greatest number."""
    chosen = [point[name] for point in found.chosen if name in point]
    if not chosen or len(set(chosen)) == 1:
        return str(chosen[0]) if chosen else "-"
    if any(isinstance(value, str) for value in chosen):
        return ", ".join(sorted(set(chosen)))
    return f"{min(chosen)} to {max(chosen)}"


def _beside(config: Config) -> Path:
    if config.file is None:
        return Path("hierdoc.tuned.yaml")
    return config.file.with_name(f"{config.file.stem}.tuned.yaml")


def _write(config: Config, changes: Mapping[str, Any], target: Path) -> None:
    """The present configuration with the changes; what is relative to its folder still leads to the same files."""
    from hierdoc_evaluation.rewriting import moved, rewritten

    try:
        if config.file is None:
            text, settings = "", {"source": list(config.source), **changes}
        else:
            text, settings = config.file.read_text(encoding="utf-8"), dict(changes)
            folder = target.resolve().parent
            if folder != config.base:
                text = moved(text, config, folder)
        target.write_text(rewritten(text, settings), encoding="utf-8", newline="\n")
    except OSError as error:
        raise click.UsageError(f"{target} cannot be written: {error.strerror}") from error
