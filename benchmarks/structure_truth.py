"""What is true of real documents, told without hierdoc: a bill's or standard's own table of contents, a PDF's outline, a filing's items."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
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


def listed_numbers(text: str) -> list[str]:
    """The section numbers that a text's own table of contents lists with dots and page numbers, as keys: `3.2.1`, `a.1`."""
    return [(match[1] or match[2]).lower().rstrip(".") for match in _LISTED.finditer(text)]


def numbers_agreement(text: str, sections: Iterable[Section]) -> tuple[Share, Share]:
    """Section numbers held against a text's own table of contents.

    Returns:
        How many of the listed ones are found; how many of those found are false: not listed though their siblings are, or
        found again.
    """
    listed = set(listed_numbers(text))
    stems = {number.rpartition(".")[0] for number in listed}
    found = [".".join(section.key.split("_")[1:]) for _, section in walk(sections) if section.key]
    known = set(found)
    false = sum(one not in listed and one.rpartition(".")[0] in stems for one in known)
    return Share(len(listed & known), len(listed)), Share(
        false + len(found) - len(known), len(found)
    )


def filing_chains(
    chunks: Sequence[Chunk], text: str, pages: Mapping[int, Sequence[str]]
) -> tuple[Share, Share]:
    """How many chunks of a filing's items name their item in the parent chain, and of its statements their statement.

    An item begins at the last line `Item N.` of that number and PART that has its words behind it and ends with the next, a line
    `PART N`, `SIGNATURES` or `INDEX TO EXHIBITS`; a chunk belongs to that in which its middle lies, and what lies in none, such as the cover and exhibits, is
    left aside. A chunk that lies on a page of a statement (`statement_pages`) must name one that this page has, and its item
    if it lies in one.

    Returns:
        Of the chunks outside of statements, and of those in statements.
    """
    items = _items(text)
    first = min((start for start, _ in items), default=len(text))
    ends = [(match.start(), "") for match in _END_OF_ITEM.finditer(text) if match.start() > first]
    bounds = sorted([*items, *ends])
    starts = [start for start, _ in bounds]
    right = counted = stated_right = stated = 0
    for chunk in chunks:
        at = bisect_right(starts, (chunk.char_start + chunk.char_end) // 2) - 1
        item = bounds[at][1] if at >= 0 else ""
        chain = [folded(one) for one in chunk.parent_chain]
        own = any(one.startswith(item) for one in chain)
        names = pages.get(chunk.page_start or 0, ())
        if names and chunk.page_start == chunk.page_end:
            stated += 1
            stated_right += own and any(name in one for name in names for one in chain)
        elif item:
            counted += 1
            right += own
    return Share(right, counted), Share(stated_right, stated)


def statement_pages(path: Path) -> dict[int, list[str]]:
    """The pages of a PDF, from 1, that hold a financial statement, with the folded names of those on it.

    Told from pdfium's plain text: one of the first lines begins with the name of a statement and says little more, and a dozen
    lines have amounts.
    """
    import pypdfium2

    document = pypdfium2.PdfDocument(path)
    found: dict[int, list[str]] = {}
    for number, page in enumerate(document, start=1):
        text = page.get_textpage().get_text_range()
        lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
        names = [match[0] for line in lines[:8] if (match := _STATEMENT.match(line))]
        if len(_AMOUNT.findall(text)) < _AMOUNTS or not names:
            continue
        names += [match[0] for line in lines[8:] if (match := _STATEMENT.fullmatch(line))]
        found[number] = [folded(name) for name in names]
    document.close()
    return found


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
) -> tuple[Share, Share, Share, Share]:
    """Headings held against an outline: recall, precision, same depth, same heading above.

    Titles are compared by letters and digits, in order, each section once; either may be the beginning of the other. Sections
    deeper than the outline goes do not count as false. The heading above is the nearest around a section that is in the
    outline too.
    """
    found = list(walk(sections))
    held = [(depth, folded(section.title)) for depth, section in found]
    wanted = [(level, folded(title)) for level, title in outline if folded(title)]
    deepest = max((level for level, _ in wanted), default=0)
    matched: dict[int, int] = {}  # entry -> section
    behind = 0
    for entry, (_, key) in enumerate(wanted):
        order = [*range(behind, len(held)), *range(behind)]
        free = (i for i in order if _same(held[i][1], key) and i not in matched.values())
        place = next(free, None)
        if place is not None:
            matched[entry] = place
            behind = place + 1 if place >= behind else behind
    entries = {place: entry for entry, place in matched.items()}
    shallow = [i for i, (depth, _) in enumerate(held) if depth <= deepest]
    precise = sum(i in entries for i in shallow)
    level = sum(held[place][0] == wanted[entry][0] for entry, place in matched.items())
    below = sum(
        _above([depth for depth, _ in held], place, entries)
        == _above([one for one, _ in wanted], entry, {one: one for one in matched})
        for entry, place in matched.items()
    )
    return (
        Share(len(matched), len(wanted)),
        Share(precise, len(shallow)),
        Share(level, len(matched)),
        Share(below, len(matched)),
    )


def _above(depths: Sequence[int], place: int, known: Mapping[int, int]) -> int | None:
    """The entry of the nearest heading around one that is known."""
    depth = depths[place]
    for i in reversed(range(place)):
        if depths[i] < depth:
            if i in known:
                return known[i]
            depth = depths[i]
    return None


def walk(sections: Iterable[Section], depth: int = 1) -> Iterator[tuple[int, Section]]:
    """All sections with their depth, from 1."""
    for section in sections:
        yield depth, section
        yield from walk(section.children, depth + 1)


_LISTED = re.compile(
    r"(?m)^[ \t]*(?:([0-9]+(?:\.[0-9]+)*|[A-Z](?:\.[0-9]+)+)\.?|Appendix[ ]([A-Z])\.)[ \t]+\S.*?(?:(?:\.[ ]?){2,}[ ]*|(?<=[a-z])\.)[0-9]+$"
)
_ITEM = re.compile(r"(?im)^[#*|\s]{0,8}(item\s+[0-9]{1,2}[AB]?)\s*[.:—–-]\s*[|*\s]*[A-Z][^\n]{3,}$")
_PART = re.compile(r"(?im)^[#*|\s]{0,8}PART\s+([IVX]+)\b[^\n]{0,60}$")
_END_OF_ITEM = re.compile(
    r"(?m)^[#*\s]{0,8}(?i:PART\s+[IVX]+|signatures?|index to exhibits|exhibit index)\b[^\n]{0,40}$"
)
_STATEMENT = re.compile(
    r"(?i)(?:condensed )?consolidated (?:condensed )?"
    r"(?:statements? of (?:comprehensive )?(?:income|earnings|operations|cash flows?|financial position|changes|equity|shareholders|stockholders)"
    r"|balance sheets?)"
)
_AMOUNT = re.compile(r"\b[0-9]{1,3}(?:,[0-9]{3})+\b")
_AMOUNTS = 15
"""Amounts from a thousand on that a page of a statement has at least."""


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


def _items(text: str) -> list[tuple[int, str]]:
    """Where each item begins, and its folded number."""
    parts = [(match.start(), match[1].upper()) for match in _PART.finditer(text)]
    starts = [start for start, _ in parts]
    last = {}
    for match in _ITEM.finditer(text):
        place = bisect_right(starts, match.start()) - 1
        last[parts[place][1] if place >= 0 else "", folded(match[1])] = match.start()
    return sorted((start, number) for (_, number), start in last.items())


def _chunk_at(chunks: Sequence[Chunk], place: int) -> Chunk:
    return next(chunk for chunk in reversed(chunks) if chunk.char_start <= place)


def _same(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return bool(short) and (short == long or (len(short) >= 8 and long.startswith(short)))
