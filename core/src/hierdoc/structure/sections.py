"""The tree of sections that headings make, and the ids of its nodes."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from hierdoc.citations import section_key
from hierdoc.citations.grammar import key_of
from hierdoc.models import Document, DomainName, Section
from hierdoc.quick import quick
from hierdoc.structure.candidates import HeadingCandidate, find_candidates, of_markdown
from hierdoc.structure.domains import DOMAINS
from hierdoc.structure.joined import unjoined
from hierdoc.structure.judgments import without_quoted
from hierdoc.structure.layout import Lines, lay_out
from hierdoc.structure.markdown import heading_end
from hierdoc.structure.nesting import NO_PARENT as NO_PARENT
from hierdoc.structure.nesting import Nesting, nest, shallow
from hierdoc.structure.paragraphs import without_paragraphs
from hierdoc.structure.recognition import recognise
from hierdoc.structure.selection import select
from hierdoc.structure.series import with_series
from hierdoc.structure.several import with_agreements
from hierdoc.structure.small_contents import without_small_contents
from hierdoc.structure.stated import stated_nesting
from hierdoc.structure.statutes import with_run_in_sections, with_sections_of_codes


@dataclass(frozen=True, slots=True)
class FlatSection:
    """A section, and where its parent stands among all sections in document order."""

    section: Section
    parent: int


def section_tree(
    text: str,
    page_starts: Sequence[int] = (),
    domain: DomainName = "none",
    max_subsection_depth: int | None = None,
) -> tuple[Section, ...]:
    """The outermost sections of a markdown text, each with those within it.

    Sections are what markdown headings begin and, where the text is of a domain, implied headings and enumerated subsections;
    see `hierdoc.structure.nesting`. A numbered heading's id is its key (`sec_203`), any other's a slug of its words; where several
    sections share one, each is told apart by its nearest distinguishing ancestors (`art_1_sec_2`), and only what is equal still
    gets a number at the end (`sec_1_2`). An enumerated subsection's id begins with that of its section (`sec_203_a_1`).

    Args:
        text: Markdown.
        page_starts: For each page the offset at which it begins.
        domain: How the text is divided besides headings, one of `DomainName`: `auto` recognises it, `none` sees headings alone.
        max_subsection_depth: How many levels of enumerated subsections to keep; None for all.
    """
    return _tree(text, page_starts, find_nesting(text, domain, max_subsection_depth))


def document_tree(
    document: Document, domain: DomainName = "auto", max_subsection_depth: int | None = None
) -> tuple[Section, ...]:
    """The outermost sections of a document: those that its outline states or, without one, those that `section_tree` finds.

    Args:
        document: As a converter made it.
        domain: How its text is divided besides headings, where there is no outline.
        max_subsection_depth: How many levels of enumerated subsections to keep; None for all.

    Raises:
        ConversionError: The outline does not fit the text.
    """
    if document.outline:
        nesting = stated_nesting(document, max_subsection_depth)
    else:
        nesting = find_nesting(
            document.text,
            domain,
            max_subsection_depth,
            by_look=document.levels_by_look,
            plain=document.plain_text,
        )
    return _tree(document.text, document.page_starts, nesting)


def find_nesting(
    text: str,
    domain: DomainName = "auto",
    max_subsection_depth: int | None = None,
    *,
    by_look: bool = False,
    plain: bool = False,
) -> Nesting:
    """What begins the sections of a text, and which lies in which: each step takes what the one before it found."""
    layout = lay_out(text if domain == "none" else unjoined(text), plain=plain)
    if domain == "none":
        return nest(select(of_markdown(layout), None))
    candidates = without_small_contents(find_candidates(layout, named=domain != "auto"))
    candidates = without_paragraphs(candidates)
    candidates = with_sections_of_codes(with_run_in_sections(candidates))
    if domain == "auto":
        candidates = without_quoted(candidates)
    candidates = with_series(candidates)
    recognised = recognise(candidates) if domain == "auto" else DOMAINS[domain]
    if recognised is DOMAINS["legal_contract"]:
        candidates = with_agreements(candidates)
    selection = select(candidates, recognised, named=domain != "auto")
    return nest(selection, max_subsection_depth, by_look=by_look)


def flatten(sections: Iterable[Section]) -> list[FlatSection]:
    """All sections in document order, each with the index of its parent in this list."""
    flat: list[FlatSection] = []
    waiting = [(section, NO_PARENT) for section in reversed(tuple(sections))]
    while waiting:
        section, parent = waiting.pop()
        if section.children:
            waiting += [(child, len(flat)) for child in reversed(section.children)]
        flat.append(_flat_section(section, parent))
    return flat


def body_start(text: str, section: Section) -> int:
    """Where the text of a section begins behind its heading."""
    if section.body_start is not None:
        return section.body_start
    return heading_end(text, section.char_start, section.char_end)


def is_enumerated(text: str, section: Section) -> bool:
    """Whether a section is an enumerated subsection, begun by `(a)`, `1.` or the like and not by a heading."""
    title = section.title
    if (title >= "①" and _EASTERN.fullmatch(title)) or "０" <= text[section.char_start] <= "９":
        return True
    if (title[:1] != "(" and title[-1:] not in _ITEM_ENDS) or not _ENUMERATED.match(title):
        return False
    lead = text[section.char_start : section.char_start + _LEAD].lstrip(" \t\xa0\u3000*_+•-")
    lead = lead.replace("（", "(", 1)
    return lead[:1] == title[:1] or lead.startswith(_COUNTED)


def section_ids(
    titles: Sequence[str], parents: Sequence[int], keys: Sequence[str | None] | None = None
) -> list[str]:
    """An id for each section, unique among them.

    Args:
        titles: Of all sections, in document order.
        parents: For each the index of its parent, before its own, or `NO_PARENT`.
        keys: For each the key of its heading, None where it has none; by default found in the title.
    """
    if keys is None:
        keys = [section_key(title) for title in titles]
    names = [key or slug(title) for key, title in zip(keys, titles, strict=True)]
    numbered: list[int] = []  # for each the nearest with a number around it
    for parent in parents:
        numbered.append(parent if parent < 0 or keys[parent] else numbered[parent])
    ids = list(names)
    _tell_apart(ids, names, numbered, [i for i, key in enumerate(keys) if key])
    _tell_apart(ids, names, parents, range(len(ids)))
    return _numbered(ids, [key is not None for key in keys])


def _tell_apart(
    ids: list[str], names: Sequence[str], parents: Sequence[int], indices: Sequence[int]
) -> None:
    """Put the names of what lies around them before the ids that sections share, from the inside out."""
    ancestors = list(parents)
    ambiguous = _sharing(ids, indices)
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


@lru_cache(maxsize=4096)
def slug(title: str) -> str:
    """The words of a heading as an identifier: ASCII where that leaves something, else its own letters."""
    if title.isascii():
        ascii_only = title.lower()
    else:
        folded = unicodedata.normalize("NFKD", title.casefold())
        ascii_only = folded.encode("ascii", "ignore").decode()
    words = _ASCII_WORD.findall(ascii_only) or _WORD.findall(title.casefold())
    return _shortened("_".join(words)) or "section"


def page_at(page_starts: Sequence[int], position: int) -> int | None:
    """The page, from 1, on which a character stands; None where the format has no pages."""
    return max(1, bisect_right(page_starts, position)) if page_starts else None


_section, _flat_section = quick(Section), quick(FlatSection)
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_WORD = re.compile(r"[^\W_]+")
_LONGEST_SLUG = 80


_LEAD = 80
"""Characters before an enumerator at most: its indentation and markup."""

_ITEM_ENDS = (".", ")", "°", "-", "–")
_COUNTED = ("1.", "1)", "#.")
"""How lists are written whose numbers are counted."""

_ENUMERATED = re.compile(
    r"\(\w{1,6}\)|\w{1,5}(?:[.)°]| [-–])\Z|Stk\. [0-9]{1,2}\.\Z|(?i:parágrafo único)\.\Z"
)
_EASTERN = re.compile(r"[①-⑳]|[零〇一二三四五六七八九十百千]{1,4}、?")
_RECITALS = re.compile(r"(?:whereas|in erwägung nachstehender gründe|considérant)\b", re.IGNORECASE)


def _tree(text: str, page_starts: Sequence[int], nesting: Nesting) -> tuple[Section, ...]:
    """The outermost of the sections, each with those within it."""
    marks, parents = nesting.headings, shallow(nesting).parents
    if not marks:
        return ()
    ids, keys = _names(marks, parents)
    starts = [mark.start for mark in marks]
    ends = _ends(parents, starts, len(text))
    counter = Lines(text)
    lines = {place: counter.at(place) for place in (*starts, len(text))}
    children: dict[int, list[Section]] = {}
    levels = _levels(marks, parents)
    for index in reversed(range(len(marks))):  # children come before their parents
        mark, end = marks[index], ends[index]
        section = _section(
            id=ids[index],
            title=mark.title,
            level=levels[index],
            char_start=mark.start,
            char_end=end,
            line_start=lines[mark.start],
            line_end=lines[end] - (text[end - 1] in "\r\n"),
            page_start=page_at(page_starts, mark.start) if page_starts else None,
            page_end=_last_page(text, page_starts, mark.start, end) if page_starts else None,
            children=tuple(reversed(children.pop(index))) if index in children else (),
            key=keys[index],
            body_start=min(mark.body, end),  # a form feed may part the title that it has read
        )
        children.setdefault(parents[index], []).append(section)
    return tuple(reversed(children[NO_PARENT]))


def _names(
    marks: Sequence[HeadingCandidate], parents: Sequence[int]
) -> tuple[list[str], list[str | None]]:
    """An id and a key for each section; those of enumerated subsections begin with those of their section."""
    headed = [index for index, mark in enumerate(marks) if not mark.enumerator]
    if len(headed) == len(marks):
        all_keys = [mark.key for mark in marks]
        return section_ids([mark.title for mark in marks], parents, all_keys), all_keys
    places = {index: place for place, index in enumerate(headed)}
    own_ids = section_ids(
        [marks[index].title for index in headed],
        [places.get(parents[index], NO_PARENT) for index in headed],
        [marks[index].key for index in headed],
    )
    ids: list[str] = []
    keys: list[str | None] = []
    bases: list[tuple[str, str | None]] = []  # what the names of items in a section begin with
    for index, mark in enumerate(marks):
        parent = parents[index]
        around = bases[parent] if parent >= 0 else None
        if mark.enumerator:
            base, key = around or ("", None)
            ids.append(f"{base}_{mark.enumerator}" if base else slug(mark.title))
            keys.append(key_of(key, (mark.enumerator,)) if key else None)
            bases.append((ids[-1], keys[-1]))
            continue
        ids.append(own_ids[places[index]])
        keys.append(mark.key)
        if mark.key is None and _RECITALS.match(mark.title):
            bases.append(("recital", "recital"))
        elif mark.key is None and around and around[1]:
            bases.append(around)
        else:
            bases.append((ids[-1], mark.key))
    return _numbered(ids, [key is not None for key in keys]), keys


def _ends(parents: Sequence[int], starts: Sequence[int], length: int) -> list[int]:
    """Where each section ends: where the next begins that does not lie in it."""
    ends = [length] * len(starts)
    around: list[int] = []
    for index, parent in enumerate(parents):
        while around and around[-1] != parent:
            ends[around.pop()] = starts[index]
        around.append(index)
    return ends


def _levels(marks: Sequence[HeadingCandidate], parents: Sequence[int]) -> list[int]:
    """A level for each section, by which alone the tree can be made again: above its parent's and at most its sibling's before."""
    levels: list[int] = []
    before: dict[int, int] = {}
    for mark, parent in zip(marks, parents, strict=True):
        least = levels[parent] + 1 if parent >= 0 else 1
        level = max(least, mark.level)
        level = min(level, before.get(parent, level))
        before[parent] = level
        levels.append(level)
    return levels


def _sharing(ids: Sequence[str], indices: Sequence[int]) -> list[list[int]]:
    """Those of the given sections that share an id, grouped."""
    if len({ids[index] for index in indices}) == len(indices):
        return []
    groups: dict[str, list[int]] = {}
    for index in indices:
        groups.setdefault(ids[index], []).append(index)
    return [group for group in groups.values() if len(group) > 1]


def _numbered(ids: Sequence[str], cited: Sequence[bool]) -> list[str]:
    """The ids, each made unique by a number at its end where another section has it already.

    Two underscores stand before it where sections are cited: `art_3_2` is paragraph 2 of Article 3, `art_3__2` the second Article 3.
    """
    taken = set(ids)
    if len(taken) == len(ids):
        return list(ids)
    used: set[str] = set()
    count: dict[str, int] = {}
    unique = []
    for name, is_cited in zip(ids, cited, strict=True):
        candidate = name
        joint = "__" if is_cited else "_"
        while candidate in used or (candidate != name and candidate in taken):
            count[name] = count.get(name, 1) + 1
            candidate = f"{name}{joint}{count[name]}"
        used.add(candidate)
        unique.append(candidate)
    return unique


def _shortened(words: str) -> str:
    if len(words) <= _LONGEST_SLUG:
        return words
    cut = words.rfind("_", 0, _LONGEST_SLUG + 1)
    return words[: cut if cut > 0 else _LONGEST_SLUG]


def _last_page(text: str, page_starts: Sequence[int], start: int, end: int) -> int | None:
    """The page of the last character that is not white space, or of the heading's first."""
    end -= 1
    while end > start and text[end].isspace():
        end -= 1
    return page_at(page_starts, end)
