"""What paragraphs and words take from their styles, each of which is based on another."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from lxml import etree

from hierdoc_docx.values import child, get, is_on, whole

BODY_LEVEL = 9
"""The outline level, counted from 0, that says: not a heading."""

_HEADING = re.compile(r"heading ([1-9])")
_DEEPEST = 40
"""Styles that are based on more than so many others, or on themselves, are cut off there."""


@dataclass(frozen=True)
class Numbered:
    """Which list a paragraph is numbered by.

    Attributes:
        list: The number of the list; 0 takes the numbers of a style away.
        level: From 0; None where the list knows it from the style.
        style: The style that says so; "" for the paragraph itself.
    """

    list: int
    level: int | None
    style: str = ""


@dataclass(frozen=True)
class Style:
    """What a style comes to, with all that it is based on.

    Attributes:
        name: In lower case; those of Word's own styles are English in every file.
        level: Of headings, from 1.
        numbered: The list that numbers its paragraphs.
        bold: Whether words are bold.
        italic: Whether words are italic.
        hidden: Whether words are hidden.
    """

    name: str = ""
    level: int | None = None
    numbered: Numbered | None = None
    bold: bool = False
    italic: bool = False
    hidden: bool = False


class Styles:
    """The styles of a file.

    Args:
        root: The root of its part; None where it has none.
    """

    def __init__(self, root: etree._Element | None) -> None:
        found = [] if root is None else root.findall("{*}style")
        self._elements = {get(one, "styleId"): one for one in found}
        self._default = next(
            (
                get(one, "styleId")
                for one in found
                if get(one, "type") == "paragraph" and get(one, "default") in ("1", "true")
            ),
            "",
        )
        self.of: Callable[[str], Style] = cache(self._resolved)

    def of_paragraph(self, properties: etree._Element | None) -> Style:
        """The style of a paragraph with these properties."""
        return self.of(get(child(properties, "pStyle")) or self._default)

    def list_of(self, name: str) -> int:
        """The list that a style of lists stands for; 0 for none."""
        return whole(child(self._elements.get(name), "pPr", "numPr", "numId"), 0)

    def _resolved(self, name: str) -> Style:
        if name not in self._elements:
            return Style()
        chain = list(self._chain(name))
        words = [child(one, "rPr") for one in chain]
        return Style(
            get(child(chain[0], "name")).lower(),
            next((level for one in chain if (level := _level(one)) is not None), 0) or None,
            next((found for one in chain if (found := numbered(child(one, "pPr"), one))), None),
            _switch(words, "b"),
            _switch(words, "i"),
            _switch(words, "vanish"),
        )

    def _chain(self, name: str) -> Iterator[etree._Element]:
        """The style and those that it is based on."""
        for _ in range(_DEEPEST):
            if name not in self._elements:
                return
            yield self._elements[name]
            name = get(child(self._elements[name], "basedOn"))


def numbered(
    properties: etree._Element | None, style: etree._Element | None = None
) -> Numbered | None:
    """What the properties of a paragraph, or of this style, say of its list; None for nothing."""
    found = child(properties, "numPr")
    stated = child(found, "numId")
    if stated is None:
        return None
    level = child(found, "ilvl")
    return Numbered(
        whole(stated, 0),
        None if level is None else min(max(whole(level, 0), 0), 8),
        get(style, "styleId"),
    )


def outline_level(properties: etree._Element | None) -> int | None:
    """The level of a heading, from 1, that the properties of a paragraph state: 0 for none, None where they say nothing."""
    stated = child(properties, "outlineLvl")
    if stated is None:
        return None
    level = whole(stated, BODY_LEVEL)
    return level + 1 if 0 <= level < BODY_LEVEL else 0


def _level(style: etree._Element) -> int | None:
    stated = outline_level(child(style, "pPr"))
    heading = _HEADING.fullmatch(get(child(style, "name")).lower())
    return int(heading[1]) if stated is None and heading else stated


def _switch(words: list[etree._Element | None], name: str) -> bool:
    return next((on for one in words if (on := is_on(child(one, name))) is not None), False)
