"""Terms in sections of definitions: what their items, paragraphs and headings begin with, and tables of terms."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from hierdoc.citations.numbering import split_heading
from hierdoc.structure.mentions import Mention, beginning_of, cleaned, places_of
from hierdoc.structure.sections import FlatSection, body_start, is_enumerated
from hierdoc.structure.terms import (
    DEFINITION_LIST,
    DEFINITIONS,
    GLOSSARY_ITEM,
    NO_TERMS,
    ONLY_DEFINITIONS,
    PLAIN_TERM,
    TABLE_OF_TERMS,
    TABLE_ROW,
)


def glossary_spans(text: str, flat: Sequence[FlatSection]) -> list[tuple[int, int]]:
    """The text of sections whose heading speaks of definitions; with what lies within them if it speaks of nothing else."""
    spans: list[tuple[int, int]] = []
    for number, entry in enumerate(flat):
        section = entry.section
        if not DEFINITIONS.search(section.title) and not section.title[
            -9:
        ].lower().rstrip().endswith(("terms", "begriffe")):
            continue
        heading = split_heading(section.title)[1]
        if not DEFINITIONS.search(heading) or (spans and section.char_start < spans[-1][1]):
            continue
        end = section.char_end
        if not ONLY_DEFINITIONS.fullmatch(heading) and number + 1 < len(flat):
            end = min(end, flat[number + 1].section.char_start)
        spans.append((body_start(text, section), end))
    return spans


def glossed(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[Mention]:
    """What paragraphs and items begin with in sections of definitions."""
    for low, high in spans:
        for match in PLAIN_TERM.finditer(text, low, high):
            beginning = beginning_of(text, match.start(1), of_item=True)
            if beginning:
                yield Mention(cleaned(match[1]), *beginning)
            elif text[max(low, match.start() - 10) : match.start()].rstrip()[-1:] in _LINE_ENDS:
                yield Mention(cleaned(match[1]), match.start(), match.start(1))
        for match in GLOSSARY_ITEM.finditer(text, low, high):
            term = cleaned(next(group for group in match.groups()[1:] if group))
            if term.casefold() in NO_TERMS:
                continue
            if match["lead"].strip(" \t>") or _opens_paragraph(text, low, match.start()):
                yield Mention(term, match.start(), match.end("lead"))
        for match in DEFINITION_LIST.finditer(text, low, high):
            yield Mention(cleaned(match[1]), match.start(), match.start())


def headed(
    text: str, flat: Sequence[FlatSection], others: Sequence[tuple[int, str]]
) -> Iterator[Mention]:
    """The headings within sections of definitions, as in standards (`3.2 interested party`), with what stands under them.

    Headings under which `others` are defined only sort these.
    """
    for entry in flat:
        if not ONLY_DEFINITIONS.fullmatch(split_heading(entry.section.title)[1]):
            continue
        for inner in entry.section.children:
            if is_enumerated(text, inner):
                continue
            key, name = split_heading(inner.title)
            term = cleaned(_NOTE_BEHIND_TERM.sub("", name))
            start, end = inner.char_start, inner.char_end
            lead = name.lstrip(_BEFORE_TERM)[:1]
            if (key and not lead.islower()) or len(term) < 2 or term.casefold() in NO_TERMS:
                continue
            below = bisect_right(others, (start,))
            sorts = below < len(others) and others[below][0] < end
            if not sorts and text[body_start(text, inner) : end].strip():
                whole = text[start:end].rstrip()
                yield Mention(term, start, start, end=start + len(whole))


def tabulated(text: str) -> Iterator[Mention]:
    """The rows of tables whose header names a column of terms and one of meanings."""
    for delimiter in places_of(text, "\n|") if "---" in text else ():
        if text[delimiter + 2 : delimiter + 5].strip(" -:|"):
            continue
        header = TABLE_OF_TERMS.match(text, text.rfind("\n", 0, delimiter) + 1)
        if header is None:
            continue
        position = header.end()
        row = TABLE_ROW.match(text, position)
        while row:
            term = cleaned(row[1])
            if term and row[2].strip():
                yield Mention(term, row.start(), row.start(), end=row.end())
            row = TABLE_ROW.match(text, row.end() + 1)


def _opens_paragraph(text: str, low: int, start: int) -> bool:
    line = text.rfind("\n", low, max(low, start - 1))
    return not text[line + 1 if line >= 0 else low : start].strip()


_LINE_ENDS = frozenset(".:;")
_BEFORE_TERM = " *_`'\"“‘„«"
_NOTE_BEHIND_TERM = re.compile(r"\s\((?:[a-z]+ )?terms?\)|\s<[^>]*>")
