"""Draws evaluations as an SVG: a group of bars for each metric, a bar for each run, its 95 % interval on it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from hierdoc_evaluation.report import label, metric_names
from hierdoc_evaluation.running import Evaluation

_COLOURS = (
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#555555",
)  # fmt: skip
"""Told apart by colour-blind readers too: Okabe and Ito, "Color Universal Design", 2008."""

_HEIGHT, _TOP, _LEFT, _BOTTOM = 260, 20, 46, 34
_BAR, _GAP = 22, 26
_LABEL = 82  # the widest name of a metric
_LINE = 18


def svg(evaluations: Sequence[Evaluation], *, seed: int = 0) -> str:
    """The drawing as text.

    Args:
        evaluations: One for each bar of a group, at least one.
        seed: Of the bootstrap.
    """
    names = [name for name in metric_names(evaluations[0].top_k) if name in evaluations[0].metrics]
    bars = _BAR * len(evaluations)
    group = max(bars + _GAP, _LABEL)
    width = max(_LEFT + group * len(names) + _GAP, 420)
    height = _TOP + _HEIGHT + _BOTTOM + _LINE * len(evaluations) + 8
    parts = [*_axis(width)]
    for number, name in enumerate(names):
        left = _LEFT + number * group + (group - bars) / 2
        parts += _group(evaluations, name, left, seed)
    for number, one in enumerate(evaluations):
        y = _TOP + _HEIGHT + _BOTTOM + _LINE * number
        colour = _COLOURS[number % len(_COLOURS)]
        parts.append(f'<rect x="{_LEFT}" y="{y}" width="12" height="12" fill="{colour}"/>')
        text = f"{label(one)} ({len(one.answers)} questions)"
        parts.append(f'<text x="{_LEFT + 18}" y="{y + 10}">{escape(_plain(text))}</text>')
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">\n'
        f"<title>hierdoc eval</title>\n"
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n{body}\n</svg>\n'
    )


def _axis(width: int) -> list[str]:
    lines = []
    for step in range(6):
        value = step / 5
        y = _y(value)
        lines.append(
            f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{width - 8}" y2="{y:.1f}" stroke="#dddddd"/>'
        )
        lines.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:.1f}</text>')
    return lines


def _group(evaluations: Sequence[Evaluation], name: str, left: float, seed: int) -> list[str]:
    parts = []
    for number, one in enumerate(evaluations):
        interval = one.interval(name, seed=seed)
        if interval is None:
            continue
        x, y = left + number * _BAR, _y(interval.mean)
        bottom, middle = _y(0), left + number * _BAR + (_BAR - 4) / 2
        colour = _COLOURS[number % len(_COLOURS)]
        what = (
            f"{label(one)}, {name}: {interval.mean:.3f} ({interval.low:.3f} to {interval.high:.3f})"
        )
        parts += [
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{_BAR - 4}" height="{bottom - y:.1f}" fill="{colour}">'
            f"<title>{escape(_plain(what))}</title></rect>",
            f'<line x1="{middle:.1f}" y1="{_y(interval.high):.1f}" x2="{middle:.1f}" '
            f'y2="{_y(interval.low):.1f}" stroke="#222222" stroke-width="1.5"/>',
        ]
    middle = left + _BAR * len(evaluations) / 2
    short = name.replace("_accuracy", "").replace("_", " ")
    parts.append(
        f'<text x="{middle:.1f}" y="{_TOP + _HEIGHT + 16}" text-anchor="middle" font-size="10">{escape(short)}</text>'
    )
    return parts


def _y(value: float) -> float:
    return _TOP + _HEIGHT * (1 - value)


def _plain(text: str) -> str:
    """Without the control characters that XML forbids."""
    return "".join(character for character in text if character >= " ")
