"""Headings from the file's outline: its entries found again in the text, which takes their levels."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from hierdoc.citations import split_heading
from hierdoc_pdf.headings import kind_of
from hierdoc_pdf.levels import DEEPEST
from hierdoc_pdf.reading import Entry
from hierdoc_pdf.values import Block, Style

LEAST_FOUND = 3
"""Entries whose titles are found in the text; with fewer, the outline says too little and is not used."""

_LONGEST = 600
_SHORTEST_RUN_IN = 4
_STOP = re.compile(r"[.:—–](?=\s|$)|$")
"""What a title ends with that stands in one line with the text below it."""

_MOST_INSERTED = 500


def apply_outline(blocks: list[Block], entries: Sequence[Entry]) -> bool:
    """Give what the outline names its level there, and put other headings below; False if the outline is not used.

    A title with which a paragraph begins becomes a heading above the rest of it. An entry that has entries below it, or a
    numbered label, and whose title is not on its page becomes a heading of its own at the place to which it leads.

    Args:
        blocks: In document order, with levels by typography; changed in place.
        entries: Of the outline, in order.
    """
    by_page: dict[int, list[int]] = defaultdict(list)
    for i, block in enumerate(blocks):
        if block.table is None:
            by_page[block.page].append(i)
    found: dict[int, int] = {}
    begun: dict[int, tuple[Entry, int]] = {}
    missing: list[Entry] = []
    shown = {i: _said(blocks[i]) for several in by_page.values() for i in several}
    for number, entry in enumerate(entries):
        place = _find(entry, blocks, by_page, found, shown)
        if place is not None:
            found[place] = entry.level
        elif (run_in := _find_run_in(entry, blocks, by_page, begun)) is not None:
            begun[run_in[0]] = entry, run_in[1]
        elif kind_of(entry.title) or _has_children(entries, number):
            missing.append(entry)
    count = len(found) + len(begun)
    if count < min(LEAST_FOUND, len(entries)) or count < 0.3 * len(entries):
        return False
    deepest = max([*found.values(), *(entry.level for entry, _ in begun.values())])
    others = sorted(
        {block.level for i, block in enumerate(blocks) if block.style and i not in found}
    )
    for i, block in enumerate(blocks):
        if i in found:
            block.level = min(found[i], DEEPEST)
            block.style = block.style or Style(
                "", round(block.size * 2), False, False, False, False
            )
            block.listed, block.open_end = False, False
        elif block.style:
            block.level = min(deepest + 1 + others.index(block.level), DEEPEST)
    for i in sorted(begun, reverse=True):
        entry, end = begun[i]
        blocks[i : i + 1] = _parted(blocks[i], end, entry)
    for entry in reversed(missing[:_MOST_INSERTED]):
        _insert(blocks, entry)
    return True


def _find_run_in(
    entry: Entry,
    blocks: Sequence[Block],
    by_page: dict[int, list[int]],
    taken: dict[int, tuple[Entry, int]],
) -> tuple[int, int] | None:
    """The paragraph on an entry's page that begins with its title as a sentence, and where the title ends in its first line."""
    wanted = _letters(entry.title)
    if len(wanted) < _SHORTEST_RUN_IN:
        return None
    for i in by_page.get(entry.page, ()):
        block = blocks[i]
        if i in taken or block.style:
            continue
        line = block.parts[0][1][0]
        for stop in _STOP.finditer(line):
            said = _letters(line[: stop.start()])
            if len(said) >= len(wanted):
                if said == wanted:
                    return i, stop.end()
                break
    return None


def _parted(block: Block, end: int, entry: Entry) -> list[Block]:
    """The title that a paragraph begins with as a heading, and the rest of the paragraph."""
    page, lines = block.parts[0]
    level = min(entry.level, DEEPEST)
    style = Style(kind_of(entry.title), round(block.size * 2), False, False, False, False)
    title = replace(
        block,
        parts=[(page, [lines[0][:end].rstrip()])],
        style=style,
        level=level,
        listed=False,
        open_end=False,
        places=block.places[:1],
    )
    rest = lines[0][end:].strip()
    if rest:
        return [title, replace(block, parts=[(page, [rest, *lines[1:]]), *block.parts[1:]])]
    parts = [(page, lines[1:])] if lines[1:] else []
    parts += block.parts[1:]
    return [title, replace(block, parts=parts, places=block.places[1:])] if parts else [title]


def _find(
    entry: Entry,
    blocks: Sequence[Block],
    by_page: dict[int, list[int]],
    taken: dict[int, int],
    letters: dict[int, tuple[str, str]],
) -> int | None:
    """The block that an entry names: the nearest to where it leads with the same letters."""
    wanted = _letters(entry.title)
    if not wanted:
        return None
    top = entry.top or 0.0
    best: tuple[float, int] | None = None
    for page in (entry.page, entry.page + 1, entry.page - 1):
        for i in by_page.get(page, ()):
            block = blocks[i]
            whole, title = letters[i]
            if i in taken or len(whole) > 2 * len(wanted) + 80:
                continue
            heading = block.style is not None
            if title != wanted and not _agree(whole, wanted, heading=heading):
                continue
            cost = abs(block.top - top) + (0 if page == entry.page else 2000)
            cost += 0 if wanted in (whole, title) else 100
            if best is None or cost < best[0]:
                best = cost, i
        if best:
            return best[1]
    return None


def _agree(shown: str, wanted: str, *, heading: bool) -> bool:
    if shown == wanted:
        return True
    if len(shown) < 4 or len(wanted) < 4:
        return False
    short, long = sorted((shown, wanted), key=len)
    return (
        heading
        and (long.startswith(short) or long.endswith(short))
        and len(short) >= 0.5 * len(long)
    )


def _said(block: Block) -> tuple[str, str]:
    """What a block says, and what a heading or line says behind its label: outlines have either."""
    text = block.text[:_LONGEST]
    whole = _letters(text)
    is_line = len(block.parts) == 1 and len(block.parts[0][1]) == 1
    return whole, _letters(split_heading(text)[1]) if block.style or is_line else whole


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _has_children(entries: Sequence[Entry], number: int) -> bool:
    return number + 1 < len(entries) and entries[number + 1].level > entries[number].level


def _insert(blocks: list[Block], entry: Entry) -> None:
    """A heading for an entry, before the first block at or below the place to which it leads."""
    top = entry.top if entry.top is not None else 0.0
    place = next(
        (
            i
            for i, block in enumerate(blocks)
            if block.page > entry.page or (block.page == entry.page and block.top >= top - 20)
        ),
        len(blocks),
    )
    style = Style(kind_of(entry.title), 0, False, False, False, False)
    level = min(entry.level, DEEPEST)
    while (
        place > 0
        and blocks[place - 1].style
        and blocks[place - 1].page == entry.page
        and blocks[place - 1].level > level
    ):
        place -= 1
    blocks.insert(
        place,
        Block(
            [(entry.page, [entry.title])],
            entry.page,
            top,
            0.0,
            style=style,
            level=level,
            places=[None],
        ),
    )
