"""Acts of Congress in USLM XML as `Part`s: what the markup says, read without hierdoc."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lxml import etree
from printed_truth import Part, with_title

_DIVISIONS = frozenset(
    ("division", "title", "subtitle", "chapter", "subchapter", "part", "subpart", "article")
)
_ITEMS = frozenset(
    ("subsection", "paragraph", "subparagraph", "clause", "subclause", "item", "subitem")
)
_LEFT_OUT = frozenset(("footnote", "sidenote", "page", "editorialNote", "sup"))
_QUOTED = frozenset(("quotedContent",))


def read(path: Path) -> tuple[Part, ...]:
    """The parts of an act below its title."""
    root = etree.parse(path).getroot()
    names = [one for one in root.iter() if _name(one) in ("officialTitle", "docTitle")]
    title = " ".join(
        _text(one) for one in sorted(names, key=lambda one: _name(one) == "officialTitle")
    )
    main = next(one for one in root.iter() if _name(one) == "main")
    opening = [
        "116th CONGRESS, 1st Session",
        "Be it enacted by the Senate and House of Representatives of the United States of America in Congress assembled,",
    ]
    return with_title(title or path.stem, [*opening, *_body(main)])  # type: ignore[list-item]


def _body(element: Any) -> Iterator[str | Part]:
    """Paragraphs and parts of an element."""
    loose = ""
    for one in element:
        name = _name(one)
        numbered = any(_name(two) == "num" for two in one)
        if name == "level" or (name == "section" and not numbered):
            yield from _body(one)
        elif name in _DIVISIONS or name == "section" or name in _ITEMS:
            if loose.strip():
                yield loose
            loose = ""
            yield _part(one, name)
        elif name == "appropriations" and any(_name(two) == "heading" for two in one):
            heading = next(_text(two) for two in one if _name(two) == "heading")
            yield Part(heading.strip(), kind="aside")
            yield from _body(one)
        elif (
            name in ("num", "heading", "subheading", "longTitle", "enactingFormula")
            or name in _LEFT_OUT
        ):
            continue
        else:
            yield from _paragraphs(one)
    if loose.strip():
        yield loose


def _paragraphs(element: Any) -> Iterator[str | Part]:
    """The text of a chapeau or content; tables of contents and quoted text print their lines."""
    name = _name(element)
    if name == "toc":
        entries = [
            " ".join(_text(one) for one in item)
            for item in element.iter()
            if _name(item) == "referenceItem"
        ]
        yield "\n".join(one.replace("— ", "—") for one in entries)
        return
    if name in _QUOTED:
        yield from _quoted(element)
        return
    inner = [one for one in element.iter() if _name(one) in ("toc", "quotedContent", *_ITEMS)]
    words = " ".join(_text(element, leave=(*_QUOTED, "toc", *_ITEMS)).split())
    if words:
        yield words
    seen: set[Any] = set()
    for one in inner:
        if not any(above in seen for above in one.iterancestors()):
            seen.add(one)
            if _name(one) in _ITEMS:
                yield _part(one, _name(one))
            else:
                yield from _paragraphs(one)


def _quoted(element: Any) -> Iterator[str]:
    """Quoted law, each of its paragraphs begun with a quotation mark, as it is printed."""
    for one in element.iter():
        if _name(one) in ("num",):
            holder = one.getparent()
            heading = next((_text(two) for two in holder if _name(two) == "heading"), "")
            content = next(
                (_text(two) for two in holder if _name(two) in ("content", "chapeau")), ""
            )
            words = " ".join(f"{_text(one)} {heading} {content}".split()).lstrip("“")
            yield f"“{words}"


def _part(element: Any, name: str) -> Part:
    number = next((_text(one) for one in element if _name(one) == "num"), "").strip(" “")
    heading = next((_text(one) for one in element if _name(one) == "heading"), "")
    if heading[:1].islower():  # printed in small capitals
        heading = heading.upper()
    body = tuple(_body(element))
    if name in _ITEMS:
        return Part(number, body, kind="item", lead=heading)
    glue = "" if number.endswith("—") else " "
    if name in _DIVISIONS:
        return Part(f"{number}{glue}{heading}".strip(), body, kind="division")
    return Part(f"{number} {heading}".strip(), body, run_in=not heading)


def _text(element: Any, leave: tuple[str, ...] = ()) -> str:
    """All text of an element but that of notes and page numbers, on one line."""
    pieces = [element.text or ""]
    for one in element:
        if _name(one) not in ("", *_LEFT_OUT, *leave):
            pieces.append(_text(one, leave))
        pieces.append(one.tail or "")
    return re.sub(r"\s+", " ", "".join(pieces))


def _name(element: Any) -> str:
    return etree.QName(element).localname if isinstance(element.tag, str) else ""
