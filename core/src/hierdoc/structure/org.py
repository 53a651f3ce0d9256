"""Org mode: headings are lines that begin with asterisks, `** Ports`, which lists of other texts look like.

A text is written so if it says it, by `#+TITLE:` or a drawer of properties, or if such lines have levels and text below.
"""

from __future__ import annotations

import re
from itertools import pairwise

from hierdoc.structure.lines import LinePattern
from hierdoc.structure.markdown import Heading
from hierdoc.structure.spans import Spans


def read_org(text: str) -> tuple[list[Heading], tuple[tuple[int, int], ...]] | None:
    r"""The headings of a text of org mode and the spans that hold none, in order; None for any other text.

    Args:
        text: With all line endings written `\n`.
    """
    if not text.startswith("*") and "\n*" not in text:
        return None
    blocks = tuple(block.span() for block in _BLOCK.finditer(text))
    hidden = Spans(blocks)
    lines = [line for line in _HEADING.finditer(text) if not hidden.holds(line.start(1))]
    if not lines or not (_KEYWORD.search(text) or _has_levels(text, lines)):
        return None
    headings: list[Heading] = []
    line, counted = 1, 0
    for found in lines:
        start = found.start(1)
        line += text.count("\n", counted, start)
        counted = start
        level = min(len(found[1]), _DEEPEST)
        title = " ".join(_STATE.sub("", found[2]).split())
        headings.append(Heading(level, title, found[2], start, found.end(), line))
    return headings, blocks


def _has_levels(text: str, lines: list[re.Match[str]]) -> bool:
    """Whether lines with asterisks have several levels, each entered from the one above, and stand apart with text below: items follow each other, or go on."""
    levels = [len(line[1]) for line in lines]
    entered = levels[0] == 1 and all(level <= before + 1 for before, level in pairwise(levels))
    ends = [*(line.start(1) for line in lines[1:]), len(text)]
    empty = sum(
        level >= following and not text[line.end() : end].strip()
        for line, end, level, following in zip(lines, ends, levels, [*levels[1:], 0], strict=True)
    )
    apart = sum(_BLANK_BELOW.match(text, line.end()) is not None for line in lines)
    return (
        2 * apart >= len(lines)
        and entered
        and max(levels) > 1
        and len(lines) >= _FEWEST
        and _TO_ONE_EMPTY * empty <= len(lines)
    )


_HEADING = LinePattern(
    r"(\*{1,12})[ \t]+(\S[^\n]{0,200}?)(?:[ \t]+:[\w@#%:]{1,80}:)?[ \t]*(?=\n|\Z)", "*"
)
_STATE = re.compile(r"\A(?:TODO|DONE|NEXT|WAITING|CANCELLED)[ \t]+(?:\[#[A-Z]\][ \t]+)?")
_BLOCK = re.compile(
    r"(?mi)^[ \t]*(?:#\+begin_(\w+)[^\n]*\n(?:[^\n]*\n)*?[ \t]*#\+end_\1[^\n]*$|:properties:[ \t]*\n(?:[ \t]*:[^\n]*\n)*?[ \t]*:end:[ \t]*$)"
)
_KEYWORD = re.compile(
    r"(?mi)^(?:#\+(?:title|author|startup|options|date|language|filetags|email|todo|setupfile):|[ \t]*:properties:[ \t]*$)"
)
_BLANK_BELOW = re.compile(r"[ \t]*\n[ \t]*(?:\n|\Z)")
_DEEPEST = 6
_FEWEST = 3
_TO_ONE_EMPTY = 5
"""Lines to one below which nothing stands."""
