"""Documents written by hand in the layouts of many traditions, each with its truth; see `written/README.md` for their notation.

    for written in documents():
        for name, data, suffix, located in prints(written):
            ...

A document is printed as it is written, and through `printed_truth` and `word_print` as markdown, HTML, reStructuredText, PDF and Word.
"""

from __future__ import annotations

import html
import random
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import made_words as words
from printed_truth import (
    LOOKS,
    Block,
    Blocks,
    Mark,
    Part,
    Printed,
    as_markdown,
    as_pdf,
    first_letter,
    located,
)
from word_print import as_docx

FOLDER = Path(__file__).parent / "written"

LANGUAGES = {
    "en": words.ENGLISH, "de": words.GERMAN, "fr": words.FRENCH, "it": words.ITALIAN, "es": words.SPANISH, "pt": words.PORTUGUESE,
    "nl": words.DUTCH, "pl": words.POLISH, "technical": words.TECHNICAL, "filing": words.FILING,
    "bg": words.BULGARIAN, "ru": words.RUSSIAN, "zh": words.CHINESE, "ja": words.JAPANESE, "ko": words.KOREAN,
}  # fmt: skip


@dataclass
class Entry:
    """A heading or an enumerator.

    Attributes:
        kind: `section`, `item`, `aside` or `title`, as `Part` has them.
        depth: From 1; of an item, among items.
        number: What it is cited by; empty where nobody cites it.
        heading: As it is printed.
        run_in: Text on the heading's line.
        lines: What follows, up to the next entry.
        asked: Whether citations of it are made.
    """

    kind: str
    depth: int
    number: str
    heading: str
    run_in: str = ""
    lines: list[str] = field(default_factory=list)
    asked: bool = True
    parent: int = -1
    indent: str = ""


@dataclass
class Written:
    """A document and its truth.

    Attributes:
        name: Of its file, without suffix.
        tradition: For the table.
        unit: What a number alone is called, `section`.
        suffix: Of the print that looks as it is written.
        entries: In order; the first is the title.
        terms: What it defines.
        references: Texts that cite, and the numbers that they lead to.
        asks: Forms of citations that name the document.
        absent: Numbers that are not there.
        queries: Citations, and what they lead to: numbers from the outside in; None for nothing certain.
        prints: Which prints it has.
    """

    name: str
    tradition: str = ""
    suffix: str = "txt"
    preamble: list[str] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    terms: set[str] = field(default_factory=set)
    references: list[tuple[str, str]] = field(default_factory=list)
    asks: list[str] = field(default_factory=list)
    unit: str = ""
    queries: list[tuple[str, str | None]] = field(default_factory=list)
    prints: tuple[str, ...] = ("written", "markdown", "flat", "bold", "html", "pdf", "word")


def documents(folder: Path = FOLDER) -> list[Written]:
    """All that there are, in the order of their names."""
    return [read(file) for file in sorted(folder.glob("*.txt"))]


def read(file: Path) -> Written:
    """A document from its notation."""
    written = Written(file.stem)
    drawn = random.Random(file.stem)
    language, width = words.ENGLISH, 0
    for line in file.read_text(encoding="utf-8").split("\n"):
        if option := _OPTION.match(line):
            name, value = option.groups()
            if name == "tradition":
                written.tradition = value
            elif name == "language":
                language = LANGUAGES[value]
            elif name == "wrap":
                width = int(value)
            elif name == "unit":
                written.unit = value
            elif name == "suffix":
                written.suffix = value
            elif name == "as":
                written.prints = tuple(value.split())
            elif name == "ask":
                written.asks.append(value)
            elif name == "absent":
                written.queries.append((value, None))
            elif name == "query":
                query, _, target = value.partition(" => ")
                written.queries.append((query, None if target in ("-", "?") else target))
            continue
        filled = _filled(line, language, drawn)
        shown = _REFERENCE.sub(r"\1", _TERM.sub(r"\1", filled))
        written.terms |= {one[1] for one in _TERM.finditer(filled)}
        written.references += [(one[1], one[2]) for one in _REFERENCE.finditer(filled)]
        mark = _MARK.match(shown)
        if mark:
            _entry(written, mark)
            continue
        if width and len(shown) > width:
            indent = shown[: len(shown) - len(shown.lstrip())]
            shown = textwrap.fill(
                shown.strip(), width, initial_indent=indent, subsequent_indent=indent
            )
        lines = written.entries[-1].lines if written.entries else written.preamble
        lines += shown.split("\n")
    return written


def _filled(line: str, language: words.Language, drawn: random.Random) -> str:
    """A line with made sentences where it leaves some to be made."""
    return _FILLER.sub(lambda _: language.paragraph(drawn), line)


def _entry(written: Written, mark: re.Match[str]) -> None:
    sign, flag, indent, rest = mark.groups()
    heading, bar, run_in = rest.partition("||") if "||" in rest else (rest, "", "")
    number, bar, title = heading.partition("|")
    heading = (number + title).rstrip()
    kind, depth = "section", 0
    if sign.isdigit():
        depth = int(sign)
        kind = "section" if depth else "title"
    elif sign in "abcdi":
        kind, depth = "item", 1 if sign == "i" else " abcd".index(sign)
        heading, run_in = number, title
    elif sign == "~":
        kind = "aside"
    elif sign == "^":
        kind = "above"
    parent = -1
    for index in reversed(range(len(written.entries))):
        one = written.entries[index]
        if kind == "section" and one.kind in ("section", "title") and one.depth < depth:
            parent = index
            break
        if kind == "item" and (
            one.kind in ("section", "aside", "title") or (one.kind == "item" and one.depth < depth)
        ):
            parent = index
            break
        if kind in ("aside", "above") and one.kind in ("section", "title"):
            parent = index
            break
    own = _PUNCTUATION.sub("", number.strip()) if bar and kind == "section" else ""
    written.entries.append(
        Entry(
            kind,
            depth,
            own,
            heading.strip(),
            run_in.strip(),
            asked=not flag,
            parent=parent,
            indent=indent,
        )
    )


_OPTION = re.compile(r":([a-z]+) (.*)")
_MARK = re.compile(r"@([0-9abcdi~^])(!?) ([ ]*)(.*)")
_TERM = re.compile(r"\{\{(.+?)\}\}")
_REFERENCE = re.compile(r"<<(.+?)=>(.+?)>>")
_FILLER = re.compile(r"(?<!@)~(?=\s|$)")
_PUNCTUATION = re.compile(r"[\s.:|–—-]+\Z")


# Prints


def prints(written: Written) -> Iterator[tuple[str, bytes, str, Callable[[str], Printed]]]:
    """Each print: its name, its bytes, the suffix of its file, and what finds the entries in the text that is read from it."""
    for name in written.prints:
        if name == "written":
            printed = as_written(written)
            yield name, printed.text.encode(), written.suffix, lambda _, printed=printed: printed
            continue
        parts = as_parts(written)
        if name == "pdf":
            for look in LOOKS:
                try:
                    data, blocks = as_pdf(parts, look=look)
                except ImportError:
                    break
                yield (
                    f"pdf-{look}",
                    data,
                    "pdf",
                    lambda text, blocks=blocks: _all(written, located(text, blocks)),
                )
        elif name == "word":
            blocks = Blocks(parts)
            for way in ("word", "word-bold", "office"):
                yield (
                    way,
                    as_docx(blocks.blocks, styled=way == "word"),
                    "docx",
                    lambda text, blocks=blocks: _all(written, located(text, blocks)),
                )
        elif name in ("html", "rst"):
            blocks = Blocks(parts)
            text = {"html": as_html, "rst": as_rst}[name](blocks.blocks)
            yield (
                name,
                text.encode(),
                name,
                lambda text, blocks=blocks: _all(written, located(text, blocks)),
            )
        else:
            printed = as_markdown(
                parts, {"markdown": "levels", "flat": "flat", "bold": "bold"}[name]
            )  # type: ignore[arg-type]
            whole = _all(written, printed)
            yield name, printed.text.encode(), "md", lambda _, whole=whole: whole


def _all(written: Written, printed: Printed) -> Printed:
    """The print with a mark for each entry, those too that are paragraphs in it."""
    places = [number for number, one in enumerate(written.entries) if one.kind != "above"]
    marks = [Mark(-1, one.parent, "title") for one in written.entries]
    for number, mark in zip(places, printed.marks, strict=True):
        marks[number] = Mark(mark.place, places[mark.parent] if mark.parent >= 0 else -1, mark.kind)
    for number, one in reversed(list(enumerate(written.entries[:-1]))):
        if one.kind == "above" and (below := marks[number + 1].place) >= 0:
            place = printed.text.rfind(one.heading, 0, below)
            marks[number] = Mark(place, one.parent, "title")
    return Printed(printed.text, tuple(marks))


def as_written(written: Written) -> Printed:
    """The document as it stands in its file, without the notation."""
    pieces = ["\n".join(written.preamble)]
    places = []
    length = len(pieces[0])
    for number, one in enumerate(written.entries):
        lead = "\n" if number or written.preamble else ""
        line = f"{lead}{one.indent}{one.heading} {one.run_in}".rstrip()
        text = "\n".join([line, *one.lines])
        places.append(length + len(lead) + len(one.indent))
        pieces.append(text)
        length += len(text)
    whole = "".join(pieces)
    marks = [
        Mark(first_letter(whole, place), one.parent, _KINDS.get(one.kind, one.kind))  # type: ignore[arg-type]
        for place, one in zip(places, written.entries, strict=True)
    ]
    return Printed(whole, tuple(marks))


_KINDS = {"above": "title"}


def as_parts(written: Written) -> tuple[Part, ...]:
    """The document as parts, for the printers; titles above their sections are paragraphs."""
    inner: dict[int, list[str | Part]] = {-1: []}
    for index, one in reversed(list(enumerate(written.entries))):
        paragraphs = [*([one.run_in] if one.run_in else []), *_paragraphs(one)]
        below = ""
        if one.kind == "section" and not one.run_in and one.lines and one.lines[0].strip():
            below = " ".join(line.strip() for line in _block(one.lines))
            paragraphs = paragraphs[1:]
        body = (*paragraphs, *reversed(inner.pop(index, [])))
        kind = one.kind
        if kind == "above":
            inner.setdefault(one.parent, []).append(one.heading)
            continue
        part = Part(one.heading, tuple(body), below, kind, bool(one.run_in) and kind == "section")  # type: ignore[arg-type]
        inner.setdefault(one.parent, []).append(part)
    return tuple(one for one in reversed(inner[-1]) if isinstance(one, Part))


def _block(lines: Sequence[str]) -> list[str]:
    found: list[str] = []
    for line in lines:
        if not line.strip():
            break
        found.append(line)
    return found


def _paragraphs(entry: Entry) -> list[str]:
    """Its paragraphs, each on one line, but lists, tables and code as they are."""
    found = []
    for block in "\n".join(entry.lines).split("\n\n"):
        lines = block.strip("\n").split("\n")
        if not "".join(lines).strip():
            continue
        as_is = entry.kind == "aside" or any(
            re.match(r"\s*(?:[-|`\[]|[0-9a-z]{1,2}[.)]\s)|.*  \S.*  \S", line) for line in lines[1:]
        )
        found.append(
            "\n".join(line.strip() for line in lines)
            if as_is
            else " ".join(line.strip() for line in lines)
        )
    return found


def as_html(blocks: Sequence[Block]) -> str:
    """Blocks as a page: divisions and sections as headings, the rest as paragraphs."""
    lines = ["<!DOCTYPE html>", "<html><head><title>Page</title></head><body>"]
    for block in blocks:
        text, _, below = block.text.partition("\n")
        if block.style in ("text", "item"):
            lines.append(f"<p>{html.escape(block.text).replace(chr(10), '<br>')}</p>")
            continue
        depth = 1 if block.style == "title" else min(6, 2 + block.depth)
        lines.append(f"<h{depth}>{html.escape(text)}</h{depth}>")
        lines += [f"<p>{html.escape(one)}</p>" for one in (below, block.run_in) if one]
    return "\n".join([*lines, "</body></html>"])


def as_rst(blocks: Sequence[Block]) -> str:
    """Blocks as reStructuredText, headings underlined."""
    lines: list[str] = []
    for block in blocks:
        text, _, below = block.text.partition("\n")
        if block.style in ("text", "item"):
            lines += [
                block.text
                if "\n" not in block.text
                else "::\n\n" + textwrap.indent(block.text, "   "),
                "",
            ]
            continue
        depth = 0 if block.style == "title" else 1 + block.depth
        lines += [text, "=-~^\"'"[depth] * max(4, len(text)), ""]
        lines += [line for one in (below, block.run_in) if one for line in (one, "")]
    return "\n".join(lines)


def target(written: Written, where: str) -> int:
    """The entry that numbers lead to, from the outside in: `ARTICLE IV/Section 2.`."""
    found = -1
    for step in where.split("/"):
        number = _PUNCTUATION.sub("", step)
        found = next(
            (
                index
                for index, one in enumerate(written.entries)
                if index > found
                and (one.number == number or (one.number == "" and one.heading.startswith(step)))
                and (found < 0 or _within(written, index, found))
            ),
            -2,
        )
        if found == -2:
            raise ValueError(f"{written.name}: nothing is called {where!r}")
    return found


def _within(written: Written, index: int, outer: int) -> bool:
    while index >= 0 and index != outer:
        index = written.entries[index].parent
    return index == outer
