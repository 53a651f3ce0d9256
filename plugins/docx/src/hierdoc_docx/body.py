"""The body of a Word file as a tree of HTML elements: headings, numbered paragraphs, lists, tables, notes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lxml import etree

from hierdoc_docx.numbering import Label, Numbering
from hierdoc_docx.package import Package
from hierdoc_docx.styles import Numbered, Style, Styles, numbered, outline_level
from hierdoc_docx.values import child, get, is_on, name_of, whole
from hierdoc_html.tree import Child, Node, element

MOST_NESTED = 60
"""Elements that lie deeper are left out but for their text."""

WIDEST_CELL = 100
"""Columns that one cell of a table may span."""

DEEPEST_HEADING = 6
"""Headings that lie deeper are written at this level; their numbers still say where they belong."""

LONGEST_HEADING = 160
"""Characters; a longer paragraph is text, whatever its style: contracts set whole clauses in the style of a heading."""

_LONG_SENTENCE = 12
_FEWEST_WORDS = 5
_PROSE_END = re.compile(r"[.;:,][”’\"')\]]*$|[;,] (?:and|or|und|oder|et|ou|y|o)$")


def read(package: Package) -> Node:
    """The document as the children of one nameless element."""
    return _Reader(package).document()


@dataclass
class _List:
    """A list that is not yet ended.

    Attributes:
        level: Of its items.
        node: The list.
        last: Its last item, which holds the lists inside of it.
    """

    level: int
    node: Node
    last: Node


@dataclass
class _Cell:
    """A cell of a table.

    Attributes:
        held: What is in it.
        columns: How many it is wide.
        rows: How many it is high.
    """

    held: list[Child]
    columns: int
    rows: int = 1


@dataclass
class _Gathered:
    """What a paragraph holds beside its words.

    Attributes:
        notes: Its footnotes and endnotes.
        boxes: Its text boxes.
    """

    notes: list[Node] = field(default_factory=list)
    boxes: list[etree._Element] = field(default_factory=list)


class _Reader:
    """Reads the elements of one file.

    Args:
        package: The file.
    """

    def __init__(self, package: Package) -> None:
        self._package = package
        self._styles = Styles(package.parts.get("styles"))
        self._numbering = Numbering(package.parts.get("numbering"), self._styles)
        self._notes = {
            kind: _notes(package.parts.get(f"{kind}s")) for kind in ("footnote", "endnote")
        }
        self._marks: dict[tuple[str, str], str] = {}
        self._gathered = _Gathered()
        self._depth = 0
        self._titled = False
        self._outlines: set[int] = set()
        self._clauses: frozenset[int] = frozenset()
        self._has_headings = self._has_title = False
        self._survey()

    def document(self) -> Node:
        """All of it."""
        return element("", self._blocks(self._package.body))

    # What the whole document is like

    def _survey(self) -> None:
        """Find out which lists number the document's sections, and which headings are clauses set in the style of one.

        Contracts often number whole clauses by `Heading 2`: where most headings of a level are sentences, those that are stay text.
        """
        sentences: Counter[int] = Counter()
        headings: Counter[int] = Counter()
        for one in self._package.body.iter("{*}p"):
            properties = child(one, "pPr")
            style = self._styles.of_paragraph(properties)
            level = self._heading_level(properties, style)
            self._has_headings = self._has_headings or level > 0
            self._has_title = self._has_title or style.name == "title"
            placed = self._numbering.place(_list_of(properties, style))
            if placed and (level or placed[2].is_combined):
                self._outlines.add(placed[0])
            if placed and level:
                headings[level] += 1
                sentences[level] += _is_sentence("".join(map(str, one.itertext("{*}t"))))
        self._clauses = frozenset(
            level for level, count in headings.items() if 2 * sentences[level] > count
        )

    def _heading_level(self, properties: etree._Element | None, style: Style) -> int:
        stated = outline_level(properties)
        return (style.level or 0) if stated is None else stated

    # Blocks

    def _blocks(self, parent: etree._Element) -> list[Child]:
        """What the paragraphs and tables below an element become; items of lists that follow each other make one list."""
        found: list[Child] = []
        lists: list[_List] = []
        for one in _members(parent):
            nodes, item = self._block(one)
            if item is not None:
                found += _with_item(lists, element("li", nodes, None, value=str(item.number)), item)
            elif nodes:
                lists.clear()
                found += nodes
        return found

    def _block(self, one: etree._Element) -> tuple[list[Child], Label | None]:
        """What a paragraph or table becomes, and its label where it is an item of a list."""
        if name_of(one) == "tbl":
            return self._table(one), None
        properties = child(one, "pPr")
        style = self._styles.of_paragraph(properties)
        if _is_contents(style):
            return [], None
        outer, self._gathered = self._gathered, _Gathered()
        held = self._inline(one, style)
        gathered, self._gathered = self._gathered, outer
        text = " ".join(element("", held).text().split())
        label = None
        if text or not _is_deleted(properties):
            label = self._numbering.next(_list_of(properties, style))
        behind: list[Child] = [*gathered.notes]
        for box in gathered.boxes:
            behind += self._nested(box)
        if not text:
            return behind, None
        nodes, item = self._paragraph(
            held, text, label, self._heading_level(properties, style), style
        )
        return [*nodes, *behind], item

    def _paragraph(
        self, held: list[Child], text: str, label: Label | None, level: int, style: Style
    ) -> tuple[list[Child], Label | None]:
        if style.name == "title" and not self._titled:
            self._titled = True
            return [element("h1", held)], None
        printed = label.text if label else ""
        shown: list[Child] = [f"{printed} ", *held] if printed else held
        is_clause = bool(printed) and level in self._clauses and _is_sentence(text)
        if level and not self._depth and not is_clause and not _is_prose(text, bool(printed)):
            deep = min(level + self._has_title, DEEPEST_HEADING)
            return [element(f"h{deep}", shown)], None
        if label and self._is_item(label):
            return [element("p", held)], label
        is_bold = style.bold and not level
        return [element("p", [element("strong", shown)] if is_bold else shown)], None

    def _is_item(self, label: Label) -> bool:
        """Whether a numbered paragraph is an item of a plain list, not a part of the document that its number names."""
        if label.numbering.is_bullet:
            return True
        simple = label.text[-1:] == "." and label.text[:-1].isalnum()
        return simple and self._has_headings and label.definition not in self._outlines

    def _nested(self, parent: etree._Element) -> list[Child]:
        """Blocks inside a table or a text box; what lies too deep is one paragraph."""
        if self._depth >= MOST_NESTED // 4:
            return [element("p", [" ".join("".join(map(str, parent.itertext("{*}t"))).split())])]
        self._depth += 1
        found = self._blocks(parent)
        self._depth -= 1
        return found

    def _table(self, one: etree._Element) -> list[Child]:
        head: list[list[_Cell]] = []
        rows: list[list[_Cell]] = []
        above: dict[int, _Cell] = {}
        for row in _members(one, "tr"):
            properties = child(row, "trPr")
            if child(properties, "del") is not None:
                continue
            in_head = bool(is_on(child(properties, "tblHeader"))) and not rows
            (head if in_head else rows).append(self._cells(row, above))
        parts = [element("thead", [_row(one, "th") for one in head])] if head else []
        return [element("table", [*parts, element("tbody", [_row(one, "td") for one in rows])])]

    def _cells(self, row: etree._Element, above: dict[int, _Cell]) -> list[_Cell]:
        """The cells that begin in a row; one that continues the cell above it, by column, makes that one longer."""
        cells: list[_Cell] = []
        column = whole(child(row, "trPr", "gridBefore"), 0)
        for cell in _members(row, "tc"):
            properties = child(cell, "tcPr")
            width = min(max(whole(child(properties, "gridSpan"), 1), 1), WIDEST_CELL)
            merged = child(properties, "vMerge")
            if merged is not None and get(merged) != "restart" and column in above:
                above[column].rows += 1
            else:
                above[column] = _Cell(self._nested(cell), width)
                cells.append(above[column])
            column += width
        return cells

    # Words

    def _inline(self, one: etree._Element, style: Style, depth: int = 0) -> list[Child]:
        """The words of a paragraph, or of what groups them in it."""
        found: list[Child] = []
        for part in one:
            name = name_of(part)
            if name == "r":
                found += self._run(part, style)
            elif name == "hyperlink":
                inner = self._inline(part, style, depth + 1)
                target = self._package.links.get(get(part, "id"))
                found += [element("a", inner, None, href=target)] if target else inner
            elif name == "oMath":
                found.append("".join(map(str, part.itertext("{*}t"))))
            elif name not in _LEFT_OUT and depth < MOST_NESTED:
                found += self._inline(part, style, depth + 1)
            elif name not in _LEFT_OUT:
                found.append("".join(map(str, part.itertext("{*}t"))))
        return found

    def _run(self, one: etree._Element, style: Style) -> list[Child]:
        properties = child(one, "rPr")
        own = self._styles.of(get(child(properties, "rStyle")))
        if _says(properties, "vanish", own.hidden or style.hidden):
            return []
        found = [part for inner in one for part in self._piece(inner)]
        if not found:
            return []
        for name, on in (
            ("strong", _says(properties, "b", own.bold)),
            ("em", _says(properties, "i", own.italic)),
            ("del", _says(properties, "strike", False) or _says(properties, "dstrike", False)),
        ):
            if on:
                found = [element(name, found)]
        raised = {"superscript": "sup", "subscript": "sub"}.get(get(child(properties, "vertAlign")))
        return [element(raised, found)] if raised else found

    def _piece(self, one: etree._Element) -> Iterator[Child]:
        name = name_of(one)
        if name == "t":
            yield one.text or ""
        elif name in _CHARACTERS:
            yield _CHARACTERS[name]
        elif name in ("br", "cr"):
            yield element("br") if get(one, "type") in ("", "textWrapping") else " "
        elif name in ("footnoteReference", "endnoteReference"):
            yield self._note(one, name.removesuffix("Reference"))
        elif name == "AlternateContent":
            chosen = child(one, "Choice")
            for inner in () if chosen is None else chosen:
                yield from self._piece(inner)
        elif name in ("drawing", "pict", "object"):
            self._gathered.boxes += _outermost(one, "txbxContent")
            described = (get(inner, "descr") for inner in one.iter("{*}docPr"))
            yield from (f"{text} " for text in described if text.strip())
        elif name == "ruby":
            base = child(one, "rubyBase")
            yield from () if base is None else map(str, base.itertext("{*}t"))

    def _note(self, one: etree._Element, kind: str) -> str:
        """The mark of a note, whose text follows the paragraph that has it first."""
        key = kind, get(one, "id")
        held = self._notes[kind].get(key[1])
        if held is None or key in self._marks:
            return self._marks.get(key, "")
        mark = self._marks[key] = f"[{len(self._marks) + 1}]"
        outer, self._gathered = self._gathered, _Gathered()
        nodes = [node for node in self._nested(held) if isinstance(node, Node)]
        self._gathered = outer
        if nodes and nodes[0].name == "p":
            nodes[0].children.insert(0, f"{mark} ")
        else:
            nodes.insert(0, element("p", [mark]))
        self._gathered.notes += nodes
        return mark


_CHARACTERS: Mapping[str, str] = {"tab": " ", "ptab": " ", "noBreakHyphen": "-", "softHyphen": ""}
_LEFT_OUT = frozenset(("pPr", "del", "moveFrom", "sdtPr", "sdtEndPr", "rPr"))
_GROUPS = frozenset(("sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag"))
"""Elements that stand around paragraphs, rows or cells and change nothing in them."""


def _row(cells: Sequence[_Cell], name: str) -> Node:
    """A row of a table, its cells by their HTML name."""
    return element(
        "tr",
        [
            element(name, one.held, None, colspan=str(one.columns), rowspan=str(one.rows))
            for one in cells
        ],
    )


def _with_item(lists: list[_List], item: Node, label: Label) -> list[Node]:
    """Put an item into the open lists, innermost last; the list that begins with it, where it lies in no other."""
    name = "ul" if label.numbering.is_bullet else "ol"
    while lists and (
        lists[-1].level > label.level
        or (lists[-1].level == label.level and lists[-1].node.name != name)
    ):
        lists.pop()
    begun: list[Node] = []
    if not lists or lists[-1].level < label.level:
        node = element(name, (), None, type=_type_of(label))
        if lists:
            lists[-1].last.children.append(node)
        else:
            begun.append(node)
        lists.append(_List(label.level, node, item))
    lists[-1].last = item
    lists[-1].node.children.append(item)
    return begun


def _members(parent: etree._Element, *names: str) -> Iterator[etree._Element]:
    """The paragraphs and tables, or what is named, right in an element, without tables of contents."""
    wanted = names or ("p", "tbl")
    waiting = list(reversed(parent))
    while waiting:
        one = waiting.pop()
        name = name_of(one)
        if name in wanted:
            yield one
        elif name in _GROUPS and not _is_contents_control(one):
            waiting += reversed(one)


def _outermost(one: etree._Element, name: str) -> Iterator[etree._Element]:
    """The elements of a name below an element, without those that lie in another of them."""
    waiting = list(reversed(one))
    while waiting:
        inner = waiting.pop()
        if name_of(inner) == name:
            yield inner
        else:
            waiting += reversed(inner)


def _is_contents_control(one: etree._Element) -> bool:
    gallery = get(child(one, "sdtPr", "docPartObj", "docPartGallery"))
    return gallery.startswith("Table of ")


def _is_contents(style: Style) -> bool:
    """Whether paragraphs of a style are entries of a table of contents, or its heading."""
    return style.name.startswith("toc ") or style.name == "table of figures"


def _list_of(properties: etree._Element | None, style: Style) -> Numbered | None:
    return numbered(properties) or style.numbered


def _is_deleted(properties: etree._Element | None) -> bool:
    """Whether a paragraph's end is deleted, with changes tracked."""
    return child(properties, "rPr", "del") is not None


def _says(properties: etree._Element | None, name: str, otherwise: bool) -> bool:
    on = is_on(child(properties, name))
    return otherwise if on is None else on


def _is_prose(text: str, is_numbered: bool) -> bool:
    """Whether a paragraph is too long for a heading, or, numbered, a sentence that no heading would be."""
    return len(text) > LONGEST_HEADING or (is_numbered and _is_sentence(text, _LONG_SENTENCE))


def _is_sentence(text: str, fewest: int = _FEWEST_WORDS) -> bool:
    """Whether a text ends as sentences and clauses do, with so many words at least."""
    return len(text.split()) >= fewest and bool(_PROSE_END.search(text.rstrip()))


def _type_of(label: Label) -> str:
    styles = {"lowerLetter": "a", "upperLetter": "A", "lowerRoman": "i", "upperRoman": "I"}
    return styles.get(label.numbering.format, "")


def _notes(root: etree._Element | None) -> dict[str, etree._Element]:
    """The notes of a part by their ids, without the lines that separate them from the text."""
    found: Sequence[etree._Element] = () if root is None else list(root)
    return {get(one, "id"): one for one in found if get(one, "type") in ("", "normal")}
