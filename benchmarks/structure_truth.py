"""What is true of real documents, told without hierdoc: a bill's own table of contents, a PDF's outline, a filing's items."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hierdoc import Chunk, Document, Section

_FOLD = re.compile(r"[^a-z0-9]+")


def folded(text: str) -> str:
    """Letters and digits alone, in lower case."""
    return _FOLD.sub("", text.lower())


@dataclass(frozen=True)
class Share:
    """How many of how many."""

    right: int
    all: int

    @property
    def percent(self) -> float | None:
        """None of nothing."""
        return 100 * self.right / self.all if self.all else None


def bill_places(text: str) -> list[tuple[int, str, str]]:
    """Where each section of a bill begins, and the TITLE and CHAPTER that its table of contents puts it under.

    A line of the body counts as TITLE or CHAPTER only if the table of contents has it.
    """
    contents, body = _contents(text)
    title = chapter = ""
    places = []
    for line in re.finditer(r"[^\n]+", text[body:]):
        key = folded(line[0])
        if key.startswith("title") and key in contents:
            title, chapter = key, ""
        elif key.startswith("chapter") and key in contents:
            chapter = key
        elif re.match(r"[#*\s]*SEC(?:TION|\.)\s*[0-9]+\s*\.", line[0]):
            places.append((body + line.start(), title, chapter))
    return places


def bill_chains(document: Document, chunks: Sequence[Chunk]) -> Share:
    """Of how many sections of a bill the chunk in which they begin names TITLE and CHAPTER in its parent chain."""
    places = bill_places(document.text)
    right = 0
    for place, title, chapter in places:
        chain = [folded(one) for one in _chunk_at(chunks, place).parent_chain]
        right += title in chain and (not chapter or chapter in chain)
    return Share(right, len(places))


def filing_chains(chunks: Sequence[Chunk], text: str) -> tuple[Share, Share]:
    """How many chunks of a filing name their item in the parent chain, and how many their financial statement too.

    An item begins at the last line `Item N.` of that number that has its words behind it; a statement at a line that is
    the name of one and nothing else, and ends with the item. Chunks before the first item are left aside.
    """
    items = _last_of_each(_ITEM, text)
    statements = [(match.start(), folded(match[1])) for match in _STATEMENT.finditer(text)]
    starts, named = [start for start, _ in items], [start for start, _ in statements]
    item_right = statement_right = statement_all = counted = 0
    for chunk in chunks:
        at = bisect_right(starts, chunk.char_start) - 1
        if at < 0:
            continue
        counted += 1
        chain = [folded(one) for one in chunk.parent_chain]
        own = any(one.startswith(items[at][1]) for one in chain)
        item_right += own
        stated = bisect_right(named, chunk.char_start) - 1
        if stated >= 0 and statements[stated][0] >= starts[at]:
            statement_all += 1
            statement_right += own and any(statements[stated][1] in one for one in chain)
    return Share(item_right, counted), Share(statement_right, statement_all)


def pdf_outline(path: Path) -> list[tuple[int, str]]:
    """Level and title of each entry of a PDF's outline; empty where it has none."""
    from pdfminer.pdfdocument import PDFDocument, PDFNoOutlines
    from pdfminer.pdfparser import PDFParser

    with path.open("rb") as stream:
        try:
            return [
                (int(level), str(title))
                for level, title, *_ in PDFDocument(PDFParser(stream)).get_outlines()
            ]
        except PDFNoOutlines:
            return []


def outline_agreement(
    outline: Sequence[tuple[int, str]], sections: Iterable[Section]
) -> tuple[Share, Share, Share]:
    """Recall and precision of headings held against an outline, and of those in both how many stand at its depth.

    Titles are compared by letters and digits; either may be the beginning of the other. Sections deeper than the outline
    goes do not count as false.
    """
    found = list(walk(sections))
    deepest = max((level for level, _ in outline), default=0)
    wanted = [(level, folded(title)) for level, title in outline if folded(title)]
    held = [(depth, folded(section.title)) for depth, section in found]
    matched = [next((depth for depth, own in held if _same(own, key)), None) for _, key in wanted]
    recall = sum(depth is not None for depth in matched)
    shallow = [own for depth, own in held if depth <= deepest]
    precise = sum(any(_same(own, key) for _, key in wanted) for own in shallow)
    level = sum(depth == said for depth, (said, _) in zip(matched, wanted, strict=True))
    return Share(recall, len(wanted)), Share(precise, len(shallow)), Share(level, recall)


def walk(sections: Iterable[Section], depth: int = 1) -> Iterator[tuple[int, Section]]:
    """All sections with their depth, from 1."""
    for section in sections:
        yield depth, section
        yield from walk(section.children, depth + 1)


_ITEM = re.compile(r"(?im)^[#*|\s]{0,8}(item\s+[0-9]{1,2}[AB]?)\s*[.:—–-]\s*[|*\s]*[A-Z][^\n]{3,}$")
_STATEMENT = re.compile(
    r"(?im)^[#*\s]{0,6}(consolidated (?:statements? of [a-z' ’()]{4,60}|balance sheets?))[*\s]{0,4}$"
)


def _contents(text: str) -> tuple[set[str], int]:
    """The folded lines of the table of contents, and where the body begins: where its first TITLE comes again."""
    begins = re.search(r"(?i)table of contents", text)
    if not begins:
        return set(), 0
    first = re.search(r"(?m)^[#*\s]*TITLE[^\n]+", text[begins.end() :])
    if not first:
        return set(), 0
    low = begins.end() + first.end()
    again = next(
        match.start()
        for match in re.finditer(r"[^\n]+", text[low:])
        if folded(match[0]) == folded(first[0])
    )
    return {folded(line) for line in text[begins.end() : low + again].split("\n")}, low + again


def _last_of_each(pattern: re.Pattern[str], text: str) -> list[tuple[int, str]]:
    last = {folded(match[1]): match.start() for match in pattern.finditer(text)}
    return sorted((start, key) for key, start in last.items())


def _chunk_at(chunks: Sequence[Chunk], place: int) -> Chunk:
    return next(chunk for chunk in reversed(chunks) if chunk.char_start <= place)


def _same(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return bool(short) and (short == long or (len(short) >= 8 and long.startswith(short)))
