"""The numbers that Word gives to paragraphs: computed as Word does when it shows them, for no file holds them.

A list (`num`) is an instance of a definition (`abstractNum`) of up to nine levels. All lists of one definition count on
together; a list that states a start of its own begins there when it is first used. See part 1, 17.9 of ECMA-376.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from lxml import etree

from hierdoc_docx.numerals import numeral
from hierdoc_docx.styles import Numbered, Styles
from hierdoc_docx.values import child, get, is_on, whole

_LEGAL = frozenset(("bullet", "decimalZero", "none"))
"""Formats that a level keeps where all numbers in it are digits: `Article I` has the section `1.01`."""

_PLACE = re.compile(r"%([1-9])")


@dataclass(frozen=True)
class Level:
    """How one level of a list is numbered.

    Attributes:
        start: Its first number.
        format: How a number is written; see `numerals`.
        text: What stands before the paragraph, `%1` for the number of the first level.
        is_legal: Whether all numbers in it are written as digits.
        restart: It begins anew behind a paragraph of a level up to this one, from 1; 0 for never, None for any level above it.
        style: The style of paragraphs that it numbers.
    """

    start: int
    format: str
    text: str
    is_legal: bool
    restart: int | None
    style: str

    @property
    def is_bullet(self) -> bool:
        """Whether it has signs in place of numbers."""
        return self.format == "bullet"

    @property
    def is_combined(self) -> bool:
        """Whether it shows the numbers of several levels, as `%1.%2` does."""
        return len(_PLACE.findall(self.text)) > 1


@dataclass(frozen=True)
class Label:
    """What stands before a numbered paragraph.

    Attributes:
        text: As shown; "" for a bullet.
        level: The level in its list, from 0.
        number: The number of this level.
        definition: Which definition its list is of; lists of one definition belong together.
        numbering: How its level is numbered.
    """

    text: str
    level: int
    number: int
    definition: int
    numbering: Level


class Numbering:
    """The lists of a file, and how far each of them has counted.

    Args:
        root: The root of its part; None where it has none.
        styles: The styles of the file.
    """

    def __init__(self, root: etree._Element | None, styles: Styles) -> None:
        self._styles = styles
        self._definitions = _by_number(root, "abstractNum", "abstractNumId")
        self._lists = _by_number(root, "num", "numId")
        self._levels: dict[int, tuple[int, Mapping[int, Level], Mapping[int, int]] | None] = {}
        self._counts: dict[int, dict[int, int]] = {}
        self._begun: set[tuple[int, int]] = set()

    def place(self, numbered: Numbered | None) -> tuple[int, int, Level] | None:
        """Definition, level from 0 and numbering of a paragraph; None for one without. Counts nothing."""
        known = self._known(numbered.list) if numbered else None
        if numbered is None or known is None:
            return None
        definition, levels, _ = known
        level = numbered.level
        if level is None:
            tied = (
                one for one, held in levels.items() if held.style and held.style == numbered.style
            )
            level = next(tied, 0)
        return (definition, level, levels[level]) if level in levels else None

    def next(self, numbered: Numbered | None) -> Label | None:
        """The label of the next paragraph of a list; None for a paragraph without."""
        placed = self.place(numbered)
        known = self._known(numbered.list) if numbered else None
        if numbered is None or placed is None or known is None:
            return None
        definition, level, numbering = placed
        _, levels, starts = known
        counts = self._counts.setdefault(definition, {})
        for above in range(level):
            counts.setdefault(above, levels[above].start if above in levels else 1)
        if level in starts and (numbered.list, level) not in self._begun:
            counts[level] = starts[level]
        else:
            counts[level] = counts[level] + 1 if level in counts else numbering.start
        self._begun.add((numbered.list, level))
        for deeper in [one for one in counts if one > level]:
            restart = levels[deeper].restart if deeper in levels else None
            if restart is None or level < restart:
                del counts[deeper]

        def shown(place: re.Match[str]) -> str:
            one = int(place[1]) - 1
            style = levels[one].format if one in levels else "decimal"
            is_other = numbering.is_legal and style not in _LEGAL
            return numeral(counts.get(one, 1), "decimal" if is_other else style)

        text = "" if numbering.is_bullet else " ".join(_PLACE.sub(shown, numbering.text).split())
        return Label(text, level, counts[level], definition, numbering)

    def _known(self, number: int) -> tuple[int, Mapping[int, Level], Mapping[int, int]] | None:
        """The definition of a list, its levels, and where they start by the list's own word."""
        if number not in self._levels:
            self._levels[number] = self._resolved(number)
        return self._levels[number]

    def _resolved(self, number: int) -> tuple[int, Mapping[int, Level], Mapping[int, int]] | None:
        one = self._lists.get(number)
        definition = whole(child(one, "abstractNumId"), -1)
        held = self._definitions.get(definition)
        if one is None or held is None:
            return None
        linked = get(child(held, "numStyleLink"))
        if linked:
            other = self._lists.get(self._styles.list_of(linked))
            definition = whole(child(other, "abstractNumId"), definition)
            held = self._definitions.get(definition, held)
        levels = {whole(level, 0, "ilvl"): _level(level) for level in held.findall("{*}lvl")}
        starts: dict[int, int] = {}
        for override in one.findall("{*}lvlOverride"):
            place = whole(override, 0, "ilvl")
            own, start = child(override, "lvl"), child(override, "startOverride")
            if own is not None:
                levels[place] = _level(own)
            if start is not None:
                starts[place] = whole(start, 1)
                if place in levels:
                    levels[place] = replace(levels[place], start=starts[place])
        return definition, levels, starts


def _level(one: etree._Element) -> Level:
    restart = child(one, "lvlRestart")
    return Level(
        whole(child(one, "start"), 0),
        get(child(one, "numFmt")) or "decimal",
        get(child(one, "lvlText")),
        bool(is_on(child(one, "isLgl"))),
        None if restart is None else whole(restart, 0),
        get(child(one, "pStyle")),
    )


def _by_number(root: etree._Element | None, name: str, key: str) -> dict[int, etree._Element]:
    found = [] if root is None else root.findall(f"{{*}}{name}")
    return {whole(one, -1, key): one for one in found}
