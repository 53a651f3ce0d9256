"""The tree of sections that headings make, and the ids of its nodes."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hierdoc.models import Section
from hierdoc.structure.markdown import find_headings
from hierdoc.structure.numbering import section_key

NO_PARENT = -1
"""Stands for the parent of an outermost section."""


@dataclass(frozen=True, slots=True)
class FlatSection:
    """A section, and where its parent stands among all sections in document order."""

    section: Section
    parent: int


def section_tree(text: str, page_starts: Sequence[int] = ()) -> tuple[Section, ...]:
    """The outermost sections of a markdown text, each with those within it.

    A section lies in the nearest one before it with a smaller level, whatever levels are skipped. A numbered heading's id is its
    key (`sec_203`), any other's a slug of its words; where several sections share one, each is told apart by its
    nearest distinguishing ancestors (`art_1_sec_2`), and only what is equal still gets a number at the end (`sec_1_2`).

    Args:
        text: Markdown.
        page_starts: For each page the offset at which it begins.
    """
    headings = find_headings(text)
    parents = _parents([heading.level for heading in headings])
    ids = section_ids([heading.title for heading in headings], parents)
    children: list[list[Section]] = [[] for _ in range(len(headings) + 1)]
    ends = [
        (len(text), _count_lines(text))
    ] * 7  # by level: where the sections end that go on, and their last lines
    for index in reversed(range(len(headings))):  # children come before their parents
        heading = headings[index]
        char_end, line_end = ends[heading.level]
        ends[heading.level :] = [(heading.char_start, heading.line - 1)] * (7 - heading.level)
        section = Section(
            id=ids[index],
            title=heading.title,
            level=heading.level,
            char_start=heading.char_start,
            char_end=char_end,
            line_start=heading.line,
            line_end=line_end,
            page_start=page_at(page_starts, heading.char_start),
            page_end=page_at(page_starts, _last_character(text, heading.char_start, char_end)),
            children=tuple(reversed(children[index])),
        )
        children[parents[index]].append(section)
    return tuple(reversed(children[NO_PARENT]))


def flatten(sections: Iterable[Section]) -> list[FlatSection]:
    """All sections in document order, each with the index of its parent in this list."""
    flat: list[FlatSection] = []
    waiting = [(section, NO_PARENT) for section in reversed(tuple(sections))]
    while waiting:
        section, parent = waiting.pop()
        waiting += [(child, len(flat)) for child in reversed(section.children)]
        flat.append(FlatSection(section, parent))
    return flat


def section_ids(titles: Sequence[str], parents: Sequence[int]) -> list[str]:
    """An id for each section, unique among them.

    Args:
        titles: Of all sections, in document order.
        parents: For each the index of its parent, before its own, or `NO_PARENT`.
    """
    names = [section_key(title) or slug(title) for title in titles]
    ids = list(names)
    ancestors = list(parents)
    ambiguous = _sharing(ids, range(len(ids)))
    while ambiguous:
        for group in ambiguous:
            around = {
                index: names[ancestors[index]] if ancestors[index] >= 0 else "" for index in group
            }
            if len(set(around.values())) > 1:
                for index, name in around.items():
                    ids[index] = f"{name}_{ids[index]}" if name else ids[index]
        for group in ambiguous:
            for index in group:
                ancestors[index] = parents[ancestors[index]] if ancestors[index] >= 0 else NO_PARENT
        undecided = [index for group in ambiguous for index in group]
        ambiguous = [
            group
            for group in _sharing(ids, undecided)
            if any(ancestors[index] >= 0 for index in group)
        ]
    return _numbered(ids)


def slug(title: str) -> str:
    """The words of a heading as an identifier: ASCII where that leaves something, else its own letters."""
    ascii_only = unicodedata.normalize("NFKD", title.casefold()).encode("ascii", "ignore").decode()
    words = _ASCII_WORD.findall(ascii_only) or _WORD.findall(title.casefold())
    return _shortened("_".join(words)) or "section"


def page_at(page_starts: Sequence[int], position: int) -> int | None:
    """The page, from 1, on which a character stands; None where the format has no pages."""
    return max(1, bisect_right(page_starts, position)) if page_starts else None


_ASCII_WORD = re.compile(r"[a-z0-9]+")
_WORD = re.compile(r"[^\W_]+")
_LONGEST_SLUG = 80


def _parents(levels: Sequence[int]) -> list[int]:
    parents: list[int] = []
    around: list[int] = []
    for index, level in enumerate(levels):
        while around and levels[around[-1]] >= level:
            around.pop()
        parents.append(around[-1] if around else NO_PARENT)
        around.append(index)
    return parents


def _sharing(ids: Sequence[str], indices: Iterable[int]) -> list[list[int]]:
    """Those of the given sections that share an id, grouped."""
    groups: dict[str, list[int]] = {}
    for index in indices:
        groups.setdefault(ids[index], []).append(index)
    return [group for group in groups.values() if len(group) > 1]


def _numbered(ids: Sequence[str]) -> list[str]:
    """The ids, each made unique by a number at its end where another section has it already."""
    taken = set(ids)
    used: set[str] = set()
    count: dict[str, int] = {}
    unique = []
    for name in ids:
        candidate = name
        while candidate in used or (candidate != name and candidate in taken):
            count[name] = count.get(name, 1) + 1
            candidate = f"{name}_{count[name]}"
        used.add(candidate)
        unique.append(candidate)
    return unique


def _shortened(words: str) -> str:
    if len(words) <= _LONGEST_SLUG:
        return words
    cut = words.rfind("_", 0, _LONGEST_SLUG + 1)
    return words[: cut if cut > 0 else _LONGEST_SLUG]


def _count_lines(text: str) -> int:
    endings = text.count("\n")
    if "\r" in text:
        endings += text.count("\r") - text.count("\r\n")
    return endings + (not text.endswith(("\n", "\r")))


def _last_character(text: str, start: int, end: int) -> int:
    """Where the last character stands that is not white space, or the heading's first."""
    end -= 1
    while end > start and text[end].isspace():
        end -= 1
    return end
