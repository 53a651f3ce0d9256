"""Truth by construction: an outline that is known, printed as text, markdown or PDF, beside what hierdoc reads off the print.

    parts = (Part("SEC. 1. SHORT TITLE.", body=("This Act may be cited as …",)),)
    printed = as_text(parts, title="A BILL")
    score = agreement(printed, understand(Document("a", "a", printed.text)))

Each part begins at a place that its printer knows. A section is found where one of hierdoc's begins at that place; its chain is
right if it lies in the parts that it lies in, and in nothing else but the document's title.
"""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from hierdoc import Document
from hierdoc.structure import flatten

Kind = Literal["division", "section", "item", "title", "aside"]


@dataclass(frozen=True)
class Part:
    """A part of a document and what lies in it.

    Attributes:
        heading: As it is printed, on one line; of an enumerated subsection the enumerator alone, `(a)`.
        body: Paragraphs and parts, in order. A paragraph of several lines is printed as it is.
        below: What is printed in the line below the heading, `Subject matter` below `Article 1`.
        kind: An `aside` need not be found, as a preface, but nothing lies in it that does not belong there. A `title` may hold anything.
        run_in: Whether the first paragraph follows the heading on its line, where headings have no marks.
        lead: What an enumerator's heading says, `In general.—`.
    """

    heading: str
    body: tuple[str | Part, ...] = ()
    below: str = ""
    kind: Kind = "section"
    run_in: bool = False
    lead: str = ""


@dataclass(frozen=True)
class Mark:
    """Where a part begins in the print, and the index of the mark of the part that it lies in, or -1."""

    place: int
    parent: int
    kind: Kind


@dataclass(frozen=True)
class Printed:
    """A print and the parts in it, in order."""

    text: str
    marks: tuple[Mark, ...]


@dataclass
class Score:
    """How much of an outline is found; scores can be added up.

    Attributes:
        sections: Of the outline.
        found: Those of them that begin a section of hierdoc's.
        right: Those whose chain is right.
        foreign: Those that lie in something that is not theirs.
        made: hierdoc's sections.
        false: Those of them that are no part of the outline.
        wrong: Places in the print, of what is not right, for those who mend it.
    """

    sections: int = 0
    found: int = 0
    right: int = 0
    foreign: int = 0
    made: int = 0
    false: int = 0
    wrong: list[tuple[str, int]] = field(default_factory=list)

    def __add__(self, other: Score) -> Score:
        return Score(
            self.sections + other.sections, self.found + other.found, self.right + other.right,
            self.foreign + other.foreign, self.made + other.made, self.false + other.false,
        )  # fmt: skip

    def row(self) -> dict[str, object]:
        """As the columns of a table."""
        return {
            "sections": self.sections,
            "found %": 100 * self.found / max(1, self.sections),
            "right chain %": 100 * self.right / max(1, self.sections),
            "foreign %": 100 * self.foreign / max(1, self.sections),
            "false %": 100 * self.false / max(1, self.made),
        }


def agreement(printed: Printed, document: Document) -> Score:
    """The outline of a document beside that of the print which it was read from."""
    places = {mark.place: index for index, mark in enumerate(printed.marks) if mark.place >= 0}
    score = Score(sections=sum(one.kind not in _OPTIONAL for one in printed.marks))
    seen: set[int] = set()
    chains: list[tuple[int, ...]] = []  # of marks, the innermost last; -1 for what is none
    for one in flatten(document.sections):
        around = chains[one.parent] if one.parent >= 0 else ()
        index = places.get(first_letter(document.text, one.section.char_start), _FALSE)
        kind = printed.marks[index].kind if index >= 0 else "section"
        if index in seen:
            index = _FALSE
        chains.append(around if kind == "title" else (*around, index))
        score.made += kind not in _OPTIONAL
        if index < 0:
            score.false += 1
            score.wrong.append(("false", one.section.char_start))
        if index < 0 or kind in _OPTIONAL:
            continue
        seen.add(index)
        wanted = _chain(printed.marks, index)
        score.found += 1
        score.right += around == wanted
        score.foreign += not set(around) <= set(wanted)
        if around != wanted:
            score.wrong.append(("chain", one.section.char_start))
    score.wrong += [
        ("absent", mark.place)
        for index, mark in enumerate(printed.marks)
        if index not in seen and mark.kind not in _OPTIONAL
    ]
    return score


def first_letter(text: str, place: int) -> int:
    """The first letter, digit or § at or behind a place."""
    while place < len(text) and not (text[place].isalnum() or text[place] == "§"):
        place += 1
    return place


def _chain(marks: Sequence[Mark], index: int) -> tuple[int, ...]:
    chain: list[int] = []
    index = marks[index].parent
    while index >= 0:
        if marks[index].kind != "title":
            chain.append(index)
        index = marks[index].parent
    return tuple(reversed(chain))


_FALSE = -1
_OPTIONAL = ("title", "aside")


# Blocks: what is printed, paragraph by paragraph


@dataclass(frozen=True)
class Block:
    """A paragraph or heading of a print.

    Attributes:
        text: On one line, unless it is printed as it is.
        begins: The parts that begin in it, by their numbers, and how many characters in.
        style: What it is: a heading of a part, or `text`.
        depth: How many headings lie around it; of an item, how many items.
        as_is: Whether its lines stay as they are.
        run_in: Text that follows on a heading's line.
    """

    text: str
    begins: tuple[tuple[int, int], ...] = ()
    style: Literal["text", "division", "section", "item", "title", "aside"] = "text"
    depth: int = 0
    as_is: bool = False
    run_in: str = ""


class Blocks:
    """All blocks of a document, and for each part its parent and kind."""

    def __init__(self, parts: Iterable[Part]) -> None:
        self.blocks: list[Block] = []
        self.parents: list[int] = []
        self.kinds: list[Kind] = []
        for part in parts:
            self._add(part, -1, 0)

    def _add(self, part: Part, parent: int, depth: int) -> None:
        if part.kind == "item":
            self._add_item(part, parent, depth, "", ())
            return
        number = self._number(part, parent)
        rest, run_in = part.body, ""
        if part.run_in and rest and isinstance(first := rest[0], str):
            run_in, rest = first, rest[1:]
        heading = f"{part.heading}\n{part.below}" if part.below else part.heading
        self.blocks.append(Block(heading, ((0, number),), part.kind, depth, run_in=run_in))
        inner = depth if part.kind == "title" else depth + 1
        for one in rest:
            if isinstance(one, str):
                self.blocks.append(Block(one, as_is="\n" in one, depth=0))
            elif one.kind == "item":
                self._add_item(one, number, 0, "", ())
            else:
                self._add(one, number, inner)

    def _add_item(
        self, part: Part, parent: int, depth: int, lead: str, begun: tuple[tuple[int, int], ...]
    ) -> None:
        """An enumerated subsection; where nothing but another follows on it, both stand on one line."""
        number = self._number(part, parent)
        begun = (*begun, (len(lead), number))
        lead = f"{lead}{part.heading}"
        rest = list(part.body)
        words = part.lead
        if rest and isinstance(first := rest[0], str) and "\n" not in first:
            words = f"{words}{first}"
            del rest[0]
        if words or not rest or isinstance(rest[0], str):
            self.blocks.append(Block(f"{lead} {words}".rstrip(), begun, "item", depth))
        elif len(begun) < _MOST_CHAINED:
            first = rest.pop(0)
            assert isinstance(first, Part)
            self._add_item(first, number, depth + 1, lead, begun)
        for one in rest:
            if isinstance(one, str):
                self.blocks.append(Block(one, as_is="\n" in one, depth=depth))
            else:
                self._add_item(one, number, depth + 1, "", ())

    def _number(self, part: Part, parent: int) -> int:
        self.parents.append(parent)
        self.kinds.append(part.kind)
        return len(self.parents) - 1

    def printed(self, text: str, places: Mapping[int, int]) -> Printed:
        """The print with its marks, in the order of parts."""
        return Printed(
            text,
            tuple(
                Mark(first_letter(text, places[number]) if number in places else -1, parent, kind)
                for number, (parent, kind) in enumerate(zip(self.parents, self.kinds, strict=True))
            ),
        )


_MOST_CHAINED = 4


class _Sheet:
    """Text that grows, and where parts begin in it."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.length = 0
        self.places: dict[int, int] = {}

    def add(self, text: str, block: Block | None = None) -> None:
        """Print a piece; the parts that begin in its block begin where their enumerators stand in it."""
        lead = 0
        for offset, number in block.begins if block else ():
            behind = len(block.text[:offset].strip()) if block else 0
            lead = text.find(block.text[offset : offset + 2], lead + bool(behind)) if block else 0
            self.places[number] = self.length + max(lead, 0)
        self.pieces.append(text)
        self.length += len(text)


# Printers


def as_markdown(
    parts: Iterable[Part], levels: Literal["levels", "flat", "skips", "bold", "setext"] = "levels"
) -> Printed:
    """The parts as markdown, paragraphs on one line each.

    Args:
        parts: They.
        levels: How headings show theirs: as deep as they are; all at one level; every other level left out; not at all, as bold lines;
            the two outermost underlined.
    """
    blocks, sheet = Blocks(parts), _Sheet()
    for block in blocks.blocks:
        if block.style in ("text", "item"):
            sheet.add(f"{block.text}\n\n", block)
            continue
        heading, _, below = block.text.partition("\n")
        if block.style == "title":
            sheet.add(f"# {heading}\n\n", block)
        elif levels == "bold":
            sheet.add(f"**{heading}** {block.run_in}".rstrip() + "\n\n", block)
            if below:
                sheet.add(f"{below}\n\n")
            continue
        elif levels == "setext" and block.depth < 2:
            shown = _LIST.sub(r"\1\\.", heading)  # no item of a list
            sheet.add(f"{shown}\n{'=-'[block.depth] * max(3, len(heading))}\n\n", block)
        else:
            depth = {"flat": 2, "skips": min(6, 2 + 2 * block.depth)}.get(
                levels, min(6, 2 + block.depth)
            )
            sheet.add(f"{'#' * depth} {heading}\n\n", block)
        for more in filter(None, (below, block.run_in)):
            sheet.add(f"{more}\n\n")
    return blocks.printed("".join(sheet.pieces), sheet.places)


_LIST = re.compile(r"\A([0-9]{1,9})\.(?=\s)")


def as_text(
    parts: Iterable[Part], *, width: int = 72, paged: bool = False, plain: bool = False
) -> Printed:
    """The parts as plain text, wrapped, divisions centred, items indented.

    Args:
        parts: They.
        width: Columns.
        paged: Whether pages have running headers, numbers and form feeds between them.
        plain: Whether every line begins at the margin.
    """
    blocks, sheet = Blocks(parts), _Sheet()
    running = next((one.text for one in blocks.blocks if one.style == "title"), "Document")[:40]
    lines = page = 0
    for block in blocks.blocks:
        shown = _wrapped(block, width)
        if plain and not block.as_is:
            shown = "\n".join(line.strip() for line in shown.split("\n"))
        height = shown.count("\n") + 1
        if paged and lines + height > _PAGE and lines:
            page += 1
            sheet.add(
                f"\n{f'[Page {page}]':>{width}}\n\f\n{running:<{width - 12}}{'May 2019':>12}\n\n\n"
            )
            lines = 0
        sheet.add(f"{shown}\n\n", block)
        lines += height + 1
    return blocks.printed("".join(sheet.pieces), sheet.places)


def _wrapped(block: Block, width: int) -> str:
    if block.as_is:
        return block.text
    heading, _, below = block.text.partition("\n")
    if block.style in ("division", "title"):
        shown = [line for one in (heading, below) if one for line in textwrap.wrap(one, width - 10)]
        return "\n".join(line.center(width).rstrip() for line in shown)
    indent = " " * (4 * (block.depth + 1) if block.style == "item" else 0)
    hang = indent if block.style != "section" else "   "
    if block.style == "text":
        indent = hang = "   " + "    " * block.depth
    heading = f"{heading} {block.run_in}".rstrip()
    shown = [textwrap.fill(heading, width, initial_indent=indent, subsequent_indent=hang)]
    return "\n".join([*shown, below] if below else shown)


_PAGE = 52


def as_pdf(
    parts: Iterable[Part], *, look: str = "bold", bookmarks: bool = False
) -> tuple[bytes, Blocks]:
    """The parts as a PDF with running headers and page numbers, and what `located` needs to find them again.

    Args:
        parts: They.
        look: How headings are set, one of `LOOKS`.
        bookmarks: Whether the file has an outline of its divisions and sections.
    """
    from reportlab.lib.pagesizes import letter
    from reportlab.lib.utils import simpleSplit
    from reportlab.pdfgen.canvas import Canvas

    blocks = Blocks(parts)
    faces = _faces("".join(block.text + block.run_in for block in blocks.blocks))
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=letter, invariant=1)
    canvas.setTitle("Printed")
    right, top = letter[0] - 72, letter[1] - 90
    running = next((one.text for one in blocks.blocks if one.style == "title"), "Document")[:60]
    y, page = top, 0

    def turn() -> None:
        nonlocal y, page
        if page:
            canvas.showPage()
        page += 1
        canvas.setFont(faces["italic"], 9)
        canvas.drawString(72, letter[1] - 50, running)
        canvas.drawCentredString(letter[0] / 2, 40, str(page))
        y = top

    turn()
    for block in blocks.blocks:
        face, size, left, centred = _face(block, look)
        font = faces[face]
        shown = [
            line
            for one in f"{block.text} {block.run_in}".replace("**", "").rstrip().split("\n")
            for line in simpleSplit(one, font, size, right - left)
        ]
        kept = len(shown) if block.style in ("division", "section", "title") else 1
        if y - (kept + 1) * size * 1.25 < 72:
            turn()
        if bookmarks and block.style in ("division", "section"):
            canvas.bookmarkPage(str(block.begins[0][1]), fit="XYZ", top=y + size)
            title = block.text.split("\n")[0][:90]
            canvas.addOutlineEntry(title, str(block.begins[0][1]), level=block.depth)
        for line in shown:
            if y < 72:
                turn()
            canvas.setFont(font, size)
            if centred:
                canvas.drawCentredString(letter[0] / 2, y, line)
            else:
                canvas.drawString(left, y, line)
            y -= size * 1.25
        y -= size * (0.9 if block.style == "text" else 0.7)
    canvas.save()
    return stream.getvalue(), blocks


_TIMES = {"roman": "Times-Roman", "bold": "Times-Bold", "italic": "Times-Italic"}

_DEJAVU = {"roman": "DejaVuSerif", "bold": "DejaVuSerif-Bold", "italic": "DejaVuSerif-Italic"}


def _faces(text: str) -> dict[str, str]:
    """The names of fonts that have all letters of a text.

    Raises:
        ImportError: DejaVu is not installed, and the text has letters that PDF's own fonts lack.
    """
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFError, TTFont

    try:
        text.encode("cp1252")
    except UnicodeEncodeError:
        pass
    else:
        return _TIMES
    for name in _DEJAVU.values():
        try:
            pdfmetrics.registerFont(TTFont(name, f"{name}.ttf"))
        except TTFError as error:
            raise ImportError(f"no font {name}") from error
    return _DEJAVU


LOOKS = {
    "bold": {"title": ("bold", 13, True), "division": ("bold", 13, True), "section": ("bold", 11, False)},
    "sized": {"title": ("roman", 20, False), "division": ("roman", 16, False), "section": ("roman", 13, False)},
    "mixed": {"title": ("bold", 18, True), "division": ("roman", 12, True), "section": ("italic", 10.5, False)},
    "plain": {"title": ("roman", 10.5, True), "division": ("roman", 10.5, True), "section": ("roman", 10.5, False)},
}  # fmt: skip
"""Ways to set headings, by name: face, size in points, and whether it is centred; text is in roman of 10.5."""


def _face(block: Block, look: str) -> tuple[str, float, float, bool]:
    """Face, size, left margin, and whether lines are centred."""
    if block.style in LOOKS[look]:
        face, size, centred = LOOKS[look][block.style]
        return face, size, 72, centred
    indent = 18 * (block.depth + 1) if block.style == "item" else 18 * block.depth
    return "roman", 10.5, 72 + indent, False


def located(text: str, blocks: Blocks) -> Printed:
    """The blocks found again in a text that was read from their print: by their letters and digits, in order."""
    held: list[str] = []
    origin: list[int] = []
    for place, character in enumerate(text):
        if character.isalnum():
            held.append(character.casefold()[:1])
            origin.append(place)
    folded = "".join(held)
    behind = 0
    places: dict[int, int] = {}
    for block in blocks.blocks:
        sign = "".join(one.casefold()[:1] for one in block.text if one.isalnum())
        at = next(
            (
                at
                for size in (40, 20, 12)
                if (at := folded.find(sign[:size], behind, behind + 9000)) >= 0
            ),
            -1,
        )
        if at < 0 or not sign:
            continue
        for offset, number in block.begins:
            before = sum(map(str.isalnum, block.text[:offset]))
            place = origin[at + before]
            places[number] = place - len(_SIGNS.search(text[max(0, place - 4) : place])[0])  # type: ignore[index]
        behind = at + min(len(sign), 40)
    return blocks.printed(text, places)


_SIGNS = re.compile(r"(?:§{1,2}[ \xa0]?)?\Z")


def with_title(title: str, parts: Iterable[Part]) -> tuple[Part, ...]:
    """The parts below the title of their document."""
    return (Part(title, tuple(parts), kind="title"),)


def walk(parts: Iterable[Part]) -> Iterator[Part]:
    """All parts, in order."""
    for part in parts:
        yield part
        yield from walk(one for one in part.body if isinstance(one, Part))


def without_asides(part: Part) -> Part:
    """The part as it is, its asides made sections."""
    body = tuple(one if isinstance(one, str) else without_asides(one) for one in part.body)
    return replace(part, body=body, kind="section" if part.kind == "aside" else part.kind)
