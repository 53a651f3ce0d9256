"""The keys by which other documents cite a document: of its number, its title, its short titles and its file name.

REGULATION (EU) 2016/679 …                      reg_2016_679
This Act may be cited as the "Clean Water Act"  clean_water_act
front matter with `eip: 1559`, eip-1559.md      eip_1559
bgb.md                                          bgb
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from hierdoc.citations import section_key
from hierdoc.citations.reading import scan
from hierdoc.citations.vocabulary import COMMUNITIES, IDENTIFIERS, NOT_IDENTIFIERS, roman_value
from hierdoc.citations.work_names import BILL, STANDARD, bill_key, numbered_act, work_key
from hierdoc.citations.works import GENERIC, names_in, short_titles
from hierdoc.models import Document
from hierdoc.structure.lines import line_end
from hierdoc.structure.references import is_document


def document_keys(document: Document) -> tuple[str, ...]:
    """The keys of a document, the surest first."""
    numbered = _numbered_title(document.text)
    found = dict.fromkeys(_numbers(document))
    if numbered:
        found[numbered[0]] = None
    found |= dict.fromkeys(numbered_act(document.title))
    stem = PurePosixPath(document.source).stem
    for name in dict.fromkeys(_names(document, numbered[1] if numbered else None)):
        key = work_key(name)
        if key and key not in GENERIC:
            found[key] = None
            if name != stem:
                found |= dict.fromkeys(_initials(name))
    return tuple(found)


_SERIES = sorted(IDENTIFIERS)
_SERIES_FILE = re.compile(rf"({'|'.join(_SERIES)})[-_ ]?0*([0-9]{{1,6}})\Z", re.IGNORECASE)
_ENTRY_FILE = re.compile(r"([A-Za-z]{2,10})[-_ ]?0{1,5}([1-9][0-9]{0,5})(?=[-_ .]|\Z)")
_ENTRY_TITLE = re.compile(r"([A-Z]{2,10})-([0-9]{1,6})(?=[:.]?\s|\Z)")
"""What files and titles of other series begin with: zeros, or capitals and a hyphen, show that a number is an entry's, `adr-0012`."""

_HEADER = re.compile(
    rf"(?m)^[ \t]{{0,8}}(?:({'|'.join(one.upper() for one in _SERIES)})|Request for Comments): {{0,8}}0*([0-9]{{1,6}})(?!\w)"
)
"""The line by which a document of a series says its number: `PEP: 484`, `Request for Comments: 7234`."""
_BILL_FILE = re.compile(
    r"(?:.*[^a-z])?(h|hr|s|[hs](?:j|con)?res|[hsa]b|ld)[-_ ]?([0-9]{2,5})(?:[-_ ]?(?:[ir][hs]|e[hs]|enr|p[ac][hs]|rf[hs]|cp[hs]))?\Z",
    re.IGNORECASE,
)
"""A bill's file, `BILLS-118hr8847ih`, behind its number the stage that it has reached."""
_BILL_TITLE = re.compile(rf"(?:[0-9]{{2,3}}\s)?({BILL})(?=(?:\s[A-Z]{{2,3}})?(?::|\Z))")
_BILL_LINE = re.compile(rf"(?m)^[\s#*_\[•]{{0,8}}({BILL})[\s*_\]]{{0,8}}$")
_STANDARD_TITLE = re.compile(rf"\W{{0,4}}({STANDARD})")
_EDITION = re.compile(r":(?:19|20)[0-9]{2}\Z")
_LONGEST_NAME = 120
_LONGEST_TITLE = 800
_HEAD = 4_000
_TITLE_LINE = re.compile(r"(?m)[#*_ ]{0,5}(?=[A-Z])[^\n]{8,600}$")
_SUBTITLE = re.compile(r"\s[-–]\s|\s?—\s?|:\s")
_OF_A_CODE = re.compile(r"title\s[0-9]{1,3}\Z", re.IGNORECASE)
"""What only a file of a code is called; another part's number is no name of a document."""
_TITLE_MARKS = re.compile(r"[#*_]")
_DIGIT = re.compile(r"[0-9]")
_ACT_NUMBER = re.compile(r"[0-9]/[0-9]")
_IN_PARENTHESES = re.compile(r"\(([^()]{2,80})\)")
_WITHIN_NAME = re.compile(r"\)\s[A-Z]")
_CAPITALISED = re.compile(r"\b[A-ZÄÖÜ](?=[a-zäöü])")


def _numbers(document: Document) -> Iterator[str]:
    """Numbers by which documents of a series are called."""
    for field in _SERIES:
        number = document.metadata.get(field)
        if isinstance(number, int) or (isinstance(number, str) and number.isdigit()):
            yield f"{field}_{int(number)}"
    stem = PurePosixPath(document.source).stem
    numbered = _SERIES_FILE.match(stem)
    if numbered:
        yield f"{numbered[1].lower()}_{int(numbered[2])}"
    for entry in (_ENTRY_FILE.match(stem), _ENTRY_TITLE.match(document.title)):
        if entry and entry[1].upper() not in NOT_IDENTIFIERS:
            yield f"{entry[1].lower()}_{int(entry[2])}"
    if bill := _BILL_FILE.match(stem):
        yield f"{'hr' if bill[1].lower() == 'h' else bill[1].lower()}_{int(bill[2])}"
    for bill in (_BILL_TITLE.match(document.title), *_BILL_LINE.finditer(document.text, 0, _HEAD)):
        if bill and (key := bill_key(bill[1])):
            yield key
    opening = document.text[:_LONGEST_NAME].lstrip("#*_ \n")
    for name in (document.title, opening, re.sub("[-_]+", " ", stem).upper()):
        if standard := _STANDARD_TITLE.match(name):
            yield work_key(standard[1])
            yield work_key(_EDITION.sub("", standard[1]))
    for line in _HEADER.finditer(document.text, 0, _HEAD):
        yield f"{(line[1] or 'rfc').lower()}_{int(line[2])}"
    for name in (stem.replace("_", "-"), document.title.strip()):
        for citation in scan(name[:_LONGEST_NAME])[0][:1] if _DIGIT.search(name) else ():
            if citation.start == 0 and is_document(citation):
                yield citation.key


def _names(document: Document, title_end: int | None) -> Iterator[str]:
    """Names by which the document may be called; others may stand behind a title that ends at `title_end`."""
    title = document.title.strip()
    stem = PurePosixPath(document.source).stem
    for name in (title, stem, *names_in(document.metadata), *short_titles(document.text)):
        if len(name) <= _LONGEST_NAME:
            yield _IN_PARENTHESES.sub("", name)
            if _WITHIN_NAME.search(name):  # `Ferries (Safety) Act 2026`
                yield name
        before = _SUBTITLE.split(name, maxsplit=1)[0]
        if before != name and (
            _OF_A_CODE.match(before) or (" " in before and not section_key(before))
        ):
            yield before
        yield from (
            inner[1]
            for inner in _IN_PARENTHESES.finditer(name)
            if _is_short_name(inner[1]) and not _WITHIN_NAME.match(name, inner.end() - 1)
        )
    if title_end is not None:
        behind = document.text[title_end : title_end + _LONGEST_TITLE]
        yield from (
            name for name in _IN_PARENTHESES.findall(behind) if name.istitle() and " " in name
        )


def _numbered_title(text: str) -> tuple[str, int] | None:
    """The key of an act whose number stands in its title, `COUNCIL DIRECTIVE 93/13/EEC`, and where that line ends."""
    slash = text.find("/", 0, _HEAD)
    while slash >= 0:
        line = _TITLE_LINE.match(text, text.rfind("\n", 0, slash) + 1, _HEAD)
        slash = text.find("/", line_end(text, slash), _HEAD)
        if line is None or not _begins_block(text, line.start()):
            continue
        name = line[0][:_LONGEST_NAME].lstrip("#*_ ")
        for citation in scan(name)[0][:1] if _ACT_NUMBER.search(name) else ():
            before = name[: citation.start]
            label = citation.text.split(None, 1)[0]
            is_title = label.isupper() and (not before or before.isupper())
            is_title = is_title or (not before and _TITLE_MARKS.match(line[0]) is not None)
            if "/" in citation.text and is_document(citation) and is_title:
                return citation.key, line.end()
    return None


def _is_short_name(inner: str) -> bool:
    """Whether what stands in the parentheses of a title is a name: `(BGB)`, and not `(EU)`, `(1)` or `(IV)`."""
    return inner not in COMMUNITIES and not inner.isdigit() and not roman_value(inner)


def _begins_block(text: str, start: int) -> bool:
    """Whether the line before is empty, so that what begins here is no line within a footnote."""
    return not start or not text[text.rfind("\n", 0, start - 1) + 1 : start].strip()


def _initials(name: str) -> Iterator[str]:
    """`gdpr` of `General Data Protection Regulation`."""
    letters = "".join(_CAPITALISED.findall(name)).lower()
    if 3 <= len(letters) <= 6 and len(name.split()) <= len(letters) + 2:
        yield letters
