"""Levels of headings: the same style has the same level everywhere.

Headings with labels that divide a document (`PART II`, `Item 7.`, `SEC. 203.`), or else decimal numbers, are its frame.
Others go below the frame by size, place, case and weight, unless they plainly hold parts of the frame.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from hierdoc_pdf.marks import DECIMAL, LABEL
from hierdoc_pdf.values import Block, Style

DEEPEST = 6

_FRAME = {
    "volume": 0.0, "book": 1.0, "division": 2.0, "title": 3.0, "subtitle": 4.0, "part": 5.0, "subpart": 6.0,
    "chapter": 7.0, "subchapter": 8.0, "article": 9.0, "item": 9.5, "sec": 10.0, "rule": 10.0,
}  # fmt: skip
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_MINOR = "other"
_SEQUENCES = ("note", "decimal 1")
_LEAST_SEQUENCE = 4
_RARE = 0.35
_SHORT = 400


class _Tier(NamedTuple):
    """What orders styles: a group (outer 0, frame 1, inner 2), then the place within it."""

    group: int
    place: tuple[float, ...]


def assign_levels(headings: Sequence[Block], between: Sequence[int], first: int = 1) -> int:
    """Give each heading its level.

    Args:
        headings: In document order; each has a style.
        between: For each heading how many characters of text stand between it and the next one.
        first: The outermost level.

    Returns:
        The level of the outermost headings of the frame; `first` without a frame.
    """
    styles = [block.style for block in headings if block.style]
    framing = _framing(headings)
    styles = [
        style if not style.kind or style.kind in framing or style.kind.startswith((*_SEQUENCES, "decimal"))
        else replace(style, kind=_MINOR)
        for style in styles
    ]  # fmt: skip
    tiers = _tiers(styles, between, framing)
    levels = _levels(tiers, Counter(styles), first)
    for block, style in zip(headings, styles, strict=True):
        block.level = levels[tiers[style]]
    frame = {style for style, tier in tiers.items() if tier.group < 2}
    _lower_sequences(headings, [style in frame for style in styles], between)
    return min((level for tier, level in levels.items() if tier.group == 1), default=first)


def _lower_sequences(
    headings: Sequence[Block], framing: Sequence[bool], between: Sequence[int]
) -> None:
    """Put numbered headings within a part of the frame, such as notes, below the one that introduces them.

    Up to the end of that part, other headings go below the numbered ones: they divide these.
    """
    for start, stop in _parts(framing):
        kinds = Counter(block.style.kind for block in headings[start:stop] if block.style)
        kind = max(_SEQUENCES, key=lambda one: kinds[one])
        numbered = [
            i
            for i in range(start, stop)
            if headings[i].style and headings[i].style.kind == kind  # type: ignore[union-attr]
        ]
        numbers = [ordinal_of(headings[i].text) for i in numbered]
        if len(numbered) < _LEAST_SEQUENCE or numbers[0] != 1 or not _counts_up(numbers):
            continue
        first, above = numbered[0], numbered[0] - 1
        introduced = above >= start and between[above] < 4 * _SHORT
        outside = headings[above if introduced else start - 1].level if above >= 0 else 0
        level = min(outside + 1, DEEPEST)
        inner = sorted({headings[i].level for i in range(first, stop) if i not in numbered})
        for i in range(first, stop):
            below = 0 if i in numbered else 1 + inner.index(headings[i].level)
            headings[i].level = min(level + below, DEEPEST)


def _parts(framing: Sequence[bool]) -> list[tuple[int, int]]:
    """Runs of headings that are not of the frame."""
    parts: list[tuple[int, int]] = []
    start = 0
    for i, framed in enumerate([*framing, True]):
        if framed:
            if i > start:
                parts.append((start, i))
            start = i + 1
    return parts


def _levels(tiers: dict[Style, _Tier], counts: Counter[Style], first: int) -> dict[_Tier, int]:
    """Levels up to 6 for tiers in order; the least different neighbours share one where there are too many."""
    used: Counter[_Tier] = Counter()
    for style, tier in tiers.items():
        used[tier] += counts[style]
    groups = [[tier] for tier in sorted(used)]
    outside = sum(tier.group < 2 for tier in used)
    room = max(DEEPEST - first + 1 - outside, 1) + outside
    while len(groups) > room:
        joints = [
            (_difference(groups[i][-1], groups[i + 1][0], used), i)
            for i in range(len(groups) - 1)
            if groups[i + 1][0].group == 2 and groups[i][-1].group == 2
        ]
        if not joints:
            break
        _, i = min(joints)
        groups[i : i + 2] = [groups[i] + groups[i + 1]]
    return {
        tier: min(level, DEEPEST)
        for level, group in enumerate(groups, start=first)
        for tier in group
    }


def _difference(one: _Tier, other: _Tier, used: Counter[_Tier]) -> float:
    """How much two inner tiers look apart, rare ones less."""
    weights = (1.0, 2.0, 2.0, 1.0, 0.5, 1.0, 1.5)
    apart = sum(
        weight * abs(a - b) for weight, a, b in zip(weights, one.place, other.place, strict=True)
    )
    return apart * min(1.0, min(used[one], used[other]) / 4)


def _tiers(
    styles: Sequence[Style], between: Sequence[int], framing: frozenset[str]
) -> dict[Style, _Tier]:
    counts = Counter(style.kind for style in styles)
    ranks = _frame_ranks(counts, framing)
    usual = {kind: _usual_look(styles, kind) for kind in ranks}
    largest = max((look[0] for look in usual.values()), default=0)
    tiers: dict[Style, _Tier] = {}
    looks = Counter(_look(style) for style in styles if style.kind not in ranks)
    for style in set(styles):
        if style.kind in ranks:
            tiers[style] = _Tier(1, (ranks[style.kind],))
            continue
        look = _look(style)
        same = [
            kind
            for kind in ranks
            if usual[kind] == look
            and (kind.startswith("decimal") or looks[look] <= _RARE * counts[kind])
        ]
        if same and not style.kind:
            outermost = kind_of_most(same, counts)
            tiers[style] = _Tier(1, (ranks[outermost],))
        elif style.size > largest > 0 and _holds_frame(style, styles, between, ranks):
            tiers[style] = _Tier(0, _place(style))
        else:
            tiers[style] = _Tier(2, _place(style))
    return tiers


def kind_of_most(kinds: Sequence[str], counts: Counter[str]) -> str:
    """The kind of frame that a style without label joins: the outermost decimal one, else the commonest."""
    decimal = [kind for kind in kinds if kind.startswith("decimal")]
    return min(decimal) if decimal else max(kinds, key=lambda kind: counts[kind])


def _framing(headings: Sequence[Block]) -> frozenset[str]:
    """The kinds of label whose numbers count up through the document, so that they divide it."""
    numbers: dict[str, list[int]] = defaultdict(list)
    for block in headings:
        if block.style and block.style.kind in _FRAME:
            numbers[block.style.kind].append(ordinal_of(block.text))
    most = max(map(len, numbers.values()), default=0)
    return frozenset(
        kind
        for kind, counted in numbers.items()
        if len(counted) >= max(2, 0.05 * most) and _counts_up(counted)
    )


def _counts_up(numbers: Sequence[int]) -> bool:
    steps = [after - before for before, after in itertools.pairwise(numbers)]
    restarts = sum(after == 1 for after in numbers[1:])
    return sum(0 <= step <= 10 for step in steps) + restarts >= 0.6 * len(steps)


def ordinal_of(text: str) -> int:
    """The number in a label, whole part only: 7 for `Item 7A.`, 2 for `PART II`; 0 where there is none."""
    label = LABEL.match(text) or DECIMAL.match(text)
    if not label:
        return 0
    number = label["number"]
    digits = re.match(r"\d+", number)
    if digits:
        return int(digits[0])
    values = [_ROMAN_VALUES.get(letter, 0) for letter in number.split("-")[0].upper()]
    if all(values):
        return sum(
            -value if value < following else value
            for value, following in zip(values, [*values[1:], 0], strict=True)
        )
    return ord(number[0].upper()) - 64


def _frame_ranks(counts: Counter[str], framing: frozenset[str]) -> dict[str, float]:
    """The kinds that frame this document, with their rank; where kinds nest either way, the rarer one is outside."""
    ranks = {kind: rank for kind, rank in _FRAME.items() if kind in framing}
    if sum(counts[kind] for kind in ranks) < 3:
        decimals = [kind for kind in counts if kind.startswith("decimal")]
        if sum(counts[kind] for kind in decimals) >= 3:
            return {kind: float(kind.split()[1]) for kind in decimals}
        return ranks
    if "part" in ranks and counts["part"] > counts["chapter"] > 0:
        ranks["part"] = 8.4
        ranks["subpart"] = 8.5
    if "sec" in ranks and 0 < counts["sec"] < counts["article"]:
        ranks["sec"] = 8.8
    return {kind: rank for kind, rank in ranks.items() if counts[kind]}


def _holds_frame(
    style: Style, styles: Sequence[Style], between: Sequence[int], ranks: dict[str, float]
) -> bool:
    """Whether headings of a style stand above parts of the frame: directly before them, or once, as the title."""
    first = next(i for i, other in enumerate(styles) if other.kind in ranks)
    places = [i for i, other in enumerate(styles) if other == style]
    later = [i for i in places if i > first]
    if not later:
        return len(places) == 1 and style.size == max(other.size for other in styles)
    directly = sum(
        i + 1 < len(styles) and styles[i + 1].kind in ranks and between[i] < _SHORT for i in later
    )
    return directly >= 0.8 * len(later)


def _usual_look(styles: Sequence[Style], kind: str) -> tuple[int, bool, bool, bool]:
    return Counter(_look(style) for style in styles if style.kind == kind).most_common(1)[0][0]


def _look(style: Style) -> tuple[int, bool, bool, bool]:
    return style.size, style.bold, style.italic, style.caps


def _place(style: Style) -> tuple[float, ...]:
    """What orders styles without a frame: larger, in capitals, bold, upright, centred ones are outside."""
    depth = float(style.kind.split()[1]) if style.kind.startswith("decimal") else 0.0
    return (
        -style.size, not style.caps, not style.bold, style.italic, not style.centred,
        bool(style.kind), depth,
    )  # fmt: skip
