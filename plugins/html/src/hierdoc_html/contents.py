"""Headings from a page's own table of contents: a list of links to places in the page, found again in its text.

Such a list is a witness for what the headings are and how they nest. It is believed where most of its entries are found, in order.
Where the page has no headings of its own, paragraphs that it lists become headings; where it has, but all that are listed are at one
level, they get the levels of the list. Levels that tell headings apart are the author's, and stay.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hierdoc_html.blocks import Block, heading
from hierdoc_html.tree import LISTS, Node

FEWEST_ENTRIES = 3
"""With fewer, a list of links is no table of contents."""

FOUND = 0.7
"""The share of entries that are found in the text where a list is believed."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A link of a table of contents: its text without white space and punctuation, and how deep it stands in the list."""

    letters: str
    depth: int


def with_listed_headings(root: Node, blocks: Sequence[Block]) -> list[Block]:
    """The blocks with headings as the page's table of contents lists them; unchanged where it has none, or none to rely on."""
    for entries in _lists(root):
        found = _found(entries, blocks)
        if len(found) >= max(FEWEST_ENTRIES, FOUND * len(entries)):
            return _levelled(blocks, found, {entry: one.depth for entry, one in enumerate(entries)})
    return list(blocks)


def _lists(root: Node) -> Iterator[list[Entry]]:
    """Runs of links to places in the page with next to nothing between them, the longest first."""
    runs: list[list[Entry]] = [[]]
    targets: set[str] = set()
    between = 0

    def read(node: Node, depth: int, said: str) -> None:
        nonlocal between
        for child in node.children:
            if isinstance(child, str):
                between += len(child.strip(_LEADERS))
                continue
            target = child.get("href") or "" if child.name == "a" else ""
            letters = _letters(child.text()) if len(target) > 1 and target[0] == "#" else ""
            if letters:
                if between > _MOST_BETWEEN:
                    runs.append([])
                between = 0
                if target in targets and runs[-1] and runs[-1][-1].letters != letters:
                    continue
                targets.add(target)
                stated = _DEPTH.search(f"{child.get('class') or ''} {said}")
                runs[-1].append(Entry(letters, int(stated[1]) if stated else depth))
                continue
            within = f"{child.get('class') or ''} {said}"[:_LONGEST_CLASS]
            read(child, depth + (child.name in LISTS or child.name == "dl"), within)

    read(root, 0, "")
    yield from sorted((run for run in runs if len(run) >= FEWEST_ENTRIES), key=len, reverse=True)


def _found(entries: Sequence[Entry], blocks: Sequence[Block]) -> dict[int, tuple[int, int]]:
    """For each block that an entry names: the entry, and how many blocks its heading takes; all in the order of the list."""
    letters = [
        "" if one.linked or one.kind not in ("paragraph", "heading") else _letters(one.text)
        for one in blocks
    ]
    places: dict[str, list[int]] = {}
    for place, text in enumerate(letters):
        if 0 < len(text) <= _LONGEST_TITLE:
            places.setdefault(text[:_SHORTEST], []).append(place)
    found: dict[int, tuple[int, int]] = {}
    behind = -1
    for number, entry in enumerate(entries):
        near = places.get(entry.letters[:_SHORTEST], [])
        for place in near[bisect_left(near, behind + 1) :]:
            count = _agree(entry.letters, letters, place)
            if count:
                found[place] = number, count
                behind = place + count - 1
                break
    return found


def _agree(wanted: str, letters: Sequence[str], place: int) -> int:
    """How many blocks the heading of an entry takes that begins here: `Article 5` and `Penalties` below it may be two; 0 for none."""
    shown = letters[place]
    if shown == wanted:
        return 1
    below = letters[place + 1] if place + 1 < len(letters) else ""
    return 2 if below and shown + below == wanted else 0


def _levelled(
    blocks: Sequence[Block], found: Mapping[int, tuple[int, int]], depths: Mapping[int, int]
) -> list[Block]:
    """The blocks, those that are listed as headings."""
    listed = {place: depths[entry] for place, (entry, _) in found.items()}
    ranks = {depth: rank for rank, depth in enumerate(sorted(set(listed.values())))}
    own = {place: blocks[place].level for place in listed if blocks[place].kind == "heading"}
    others = [
        one.level for place, one in enumerate(blocks) if one.kind == "heading" and place not in own
    ]
    levels = set(own.values())
    if len(levels) > 1 or (len(levels) == 1 and len(ranks) == 1):
        base = _levels_of(own, listed)
    else:
        first = min(levels, default=1 + (min(others, default=9) == 1))
        base = {depth: min(first + rank, 6) for depth, rank in ranks.items()}
        own = {}
    result: list[Block] = []
    place = 0
    while place < len(blocks):
        block = blocks[place]
        if place in found and place not in own:
            count = found[place][1]
            text = " ".join(one.text for one in blocks[place : place + count])
            result.append(
                heading(_UNESCAPED.sub("", text), base.get(listed[place], max(base.values())))
            )
            place += count
            continue
        result.append(block)
        place += 1
    return result


def _levels_of(own: Mapping[int, int], listed: Mapping[int, int]) -> dict[int, int]:
    """The level that most of the page's own headings have which are listed at each depth."""
    seen: dict[int, list[int]] = {}
    for place, level in own.items():
        seen.setdefault(listed[place], []).append(level)
    return {depth: max(set(levels), key=levels.count) for depth, levels in seen.items()}


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


_LEADERS = " \t\r\n\xa0.·…•|-–—0123456789"
_MOST_BETWEEN = 40
_LONGEST_TITLE = 300
_LONGEST_CLASS = 200
_SHORTEST = 4
_DEPTH = re.compile(r"(?:\btoc|toctree|level|lvl)[-_]?(?:level|l)?[-_]?([1-6])\b", re.IGNORECASE)
_UNESCAPED = re.compile(r"\\(?=[^\w\s])")
