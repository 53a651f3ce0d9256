"""OpenDocument text: headings by their outline levels, with the numbers that the outline gives them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lxml import etree

from hierdoc import ConversionError
from hierdoc_html.blocks import Mark
from hierdoc_html.flow import numeral
from hierdoc_html.tree import Child, Node, element
from hierdoc_xml.archive import Archive
from hierdoc_xml.metadata import dublin_core

MOST_NESTED = 80
"""Elements that lie deeper are text and nothing else."""

MOST_COLUMNS = 200
"""Up to so many columns a cell that is said to repeat does so; a row never does."""


def read(archive: Archive) -> tuple[Node, dict[str, str]]:
    """The text as the children of one nameless element, and what it says of itself.

    Raises:
        ConversionError: It is no text, encrypted, or damaged.
    """
    manifest = "META-INF/manifest.xml"
    if manifest in archive and b"encryption-data" in archive.read(manifest):
        raise ConversionError(f"{archive.name}: is encrypted", hint="Save it without a password.")
    root = archive.parse("content.xml")
    body = root.find("{*}body/{*}text")
    if body is None:
        raise ConversionError(f"{archive.name}: holds no text document")
    styles = archive.parse("styles.xml") if "styles.xml" in archive else None
    metadata = dublin_core(archive.parse("meta.xml")) if "meta.xml" in archive else {}
    reader = _Reader(_Styles.of(root, styles))
    return element("", reader.children(body, 0)), metadata


@dataclass(frozen=True)
class _Styles:
    """What is looked up of a text's styles.

    Attributes:
        marks: Which of `strong` and `em` a style of words means.
        titles: Styles of the document's title.
        lists: For each style of lists the number formats of its levels, "" for bullets.
        numbers: For each outline level how headings are numbered: prefix, format, suffix, how many levels are shown.
    """

    marks: dict[str, tuple[str, ...]]
    titles: frozenset[str]
    lists: dict[str, tuple[str, ...]]
    numbers: dict[int, tuple[str, str, str, int]]

    @classmethod
    def of(cls, content: etree._Element, styles: etree._Element | None) -> _Styles:
        marks: dict[str, tuple[str, ...]] = {}
        titles = {"Title"}
        lists: dict[str, tuple[str, ...]] = {}
        numbers: dict[int, tuple[str, str, str, int]] = {}
        for root in filter(lambda one: one is not None, (styles, content)):
            for style in root.iter("{*}style"):
                name = _get(style, "name")
                if _get(style, "parent-style-name") == "Title":
                    titles.add(name)
                found = [
                    mark
                    for properties in style.iter("{*}text-properties")
                    for mark, key, value in _MARKS
                    if _get(properties, key) == value
                ]
                if found and _get(style, "family") == "text":
                    marks[name] = tuple(found)
            for style in root.iter("{*}list-style"):
                lists[_get(style, "name")] = tuple(_get(level, "num-format") for level in style)
            for level in root.iter("{*}outline-level-style"):
                if _get(level, "num-format"):
                    numbers[_whole(_get(level, "level"), 1)] = (
                        _get(level, "num-prefix"),
                        _get(level, "num-format"),
                        _get(level, "num-suffix"),
                        _whole(_get(level, "display-levels"), 1),
                    )
        return cls(marks, frozenset(titles), lists, numbers)


_MARKS = (("strong", "font-weight", "bold"), ("em", "font-style", "italic"))


class _Reader:
    """Reads the elements of one text.

    Args:
        styles: Its styles.
    """

    def __init__(self, styles: _Styles) -> None:
        self._styles = styles
        self._notes: list[Node] = []
        self._counts: dict[int, int] = {}
        self._list = ""
        self._list_depth = 0

    def children(self, one: etree._Element, depth: int) -> list[Child]:
        """What an element holds."""
        nodes: list[Child] = [one.text] if one.text else []
        for child in one:
            nodes += self._read(child, depth)
            if child.tail:
                nodes.append(child.tail)
        return nodes

    def _read(self, one: etree._Element, depth: int) -> Sequence[Child]:
        if not isinstance(one.tag, str):
            return []
        if depth > MOST_NESTED:
            return [element("p", [" ".join("".join(map(str, one.itertext())).split())])]
        name = etree.QName(one).localname
        special = {
            "h": self._heading,
            "p": self._paragraph,
            "span": self._span,
            "list": self._listed,
            "note": self._note,
            "table": self._table,
            "a": self._link,
            "s": self._spaces,
        }.get(name)
        if special:
            return special(one, depth + 1)
        if name in _LEFT_OUT:
            return []
        if name in ("line-break", "tab"):
            return [element("br") if name == "line-break" else " "]
        if name in ("title", "desc"):  # of a picture
            return [*self.children(one, depth + 1), " "]
        return self.children(one, depth + 1)

    def _heading(self, one: etree._Element, depth: int) -> list[Child]:
        level = min(max(_whole(_get(one, "outline-level"), 1), 1), 100)
        held = self.children(one, depth)
        number = "" if _get(one, "is-list-header") == "true" else self._number(level)
        if not element("", held).text().strip():
            return [*self._taken(), *held]
        node = element(f"h{min(level, 6)}", [f"{number} " if number else "", *held], Mark(level))
        return [node, *self._taken()]

    def _number(self, level: int) -> str:
        """The number of the next heading of a level; "" where the outline has none."""
        self._counts[level] = self._counts.get(level, 0) + 1
        for deeper in [one for one in self._counts if one > level]:
            del self._counts[deeper]
        if level not in self._styles.numbers:
            return ""
        prefix, _, suffix, shown = self._styles.numbers[level]
        parts = [
            numeral(self._counts.get(one, 1), self._styles.numbers[one][1])
            for one in range(max(1, level - shown + 1), level + 1)
            if one in self._styles.numbers
        ]
        return f"{prefix}{'.'.join(parts)}{suffix}".strip()

    def _paragraph(self, one: etree._Element, depth: int) -> list[Child]:
        held = self.children(one, depth)
        is_title = _get(one, "style-name") in self._styles.titles
        if is_title and element("", held).text().strip():
            return [element("h1", held, Mark(1)), *self._taken()]
        return [element("p", held), *self._taken()]

    def _span(self, one: etree._Element, depth: int) -> list[Child]:
        held = self.children(one, depth)
        for mark in self._styles.marks.get(_get(one, "style-name"), ()):
            held = [element(mark, held)]
        return held

    def _listed(self, one: etree._Element, depth: int) -> list[Child]:
        outer, depths = self._list, self._list_depth
        self._list = _get(one, "style-name") or outer
        formats = self._styles.lists.get(self._list, ())
        style = formats[depths] if depths < len(formats) else ""
        self._list_depth += 1
        items = []
        for item in one:
            held = self.children(item, depth + 1)
            start = _get(item, "start-value")
            number = {"value": start} if start else {}
            items.append(element("li", held, None, **number))
        self._list, self._list_depth = outer, depths
        if any(node.name in _HEADINGS for item in items for node in _held(item)):
            return [child for item in items for child in item.children]
        return [element("ol", items, None, type=style) if style else element("ul", items)]

    def _note(self, one: etree._Element, depth: int) -> list[Child]:
        citation = next(one.iter("{*}note-citation"), None)
        label = "".join(map(str, citation.itertext())).strip() if citation is not None else "*"
        outer, self._notes = self._notes, []
        held = [
            child
            for body in one.findall("{*}note-body")
            for child in self.children(body, depth)
            if isinstance(child, Node)
        ]
        if held and held[0].name == "p":
            held[0].children.insert(0, f"[{label}] ")
        else:
            held.insert(0, element("p", [f"[{label}]"]))
        self._notes = [*outer, *held, *self._notes]
        return [f"[{label}]"]

    def _taken(self) -> list[Node]:
        """The notes that were read since the last time."""
        notes, self._notes = self._notes, []
        return notes

    def _table(self, one: etree._Element, depth: int) -> list[Child]:
        waiting = [(part, False) for part in reversed(one)]
        head: list[Node] = []
        rows: list[Node] = []
        while waiting:
            part, in_head = waiting.pop()
            name = etree.QName(part).localname if isinstance(part.tag, str) else ""
            if name == "table-row":
                row = self._row(part, depth + 1, "th" if in_head else "td")
                (head if in_head else rows).append(row)
            elif name in ("table-header-rows", "table-rows", "table-row-group"):
                inner = in_head or name == "table-header-rows"
                waiting += [(inner_part, inner) for inner_part in reversed(part)]
        held = [*([element("thead", head)] if head else []), element("tbody", rows)]
        return [element("table", held), *self._taken()]

    def _row(self, one: etree._Element, depth: int, name: str) -> Node:
        cells: list[Node] = []
        for cell in one.findall("{*}table-cell"):
            repeated = _whole(_get(cell, "number-columns-repeated"), 1)
            times = max(min(repeated, MOST_COLUMNS - len(cells)), 1)
            spans = {
                "colspan": _get(cell, "number-columns-spanned") or "1",
                "rowspan": _get(cell, "number-rows-spanned") or "1",
            }
            notes, self._notes = self._notes, []
            held = self.children(cell, depth)
            self._notes = notes + self._notes
            cells += [element(name, held, None, **spans)] * times
        return element("tr", cells)

    def _link(self, one: etree._Element, depth: int) -> list[Child]:
        return [element("a", self.children(one, depth), None, href=_get(one, "href"))]

    def _spaces(self, one: etree._Element, depth: int) -> list[Child]:
        return [" "]


_LEFT_OUT = frozenset(
    (
        *("annotation", "annotation-end", "tracked-changes", "table-of-content", "forms"),
        *("sequence-decls", "variable-decls", "user-field-decls", "soft-page-break", "bookmark"),
        *("illustration-index", "table-index", "alphabetical-index", "note-citation"),
    )
)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


def _held(node: Node) -> list[Node]:
    return [part for part in node.parts() if isinstance(part, Node)]


def _get(one: etree._Element, name: str) -> str:
    """An attribute, whatever its namespace."""
    for key, value in one.attrib.items():
        if str(key).rpartition("}")[2] == name:
            return str(value)
    return ""


def _whole(text: str, default: int) -> int:
    return int(text) if re.fullmatch(r"[0-9]{1,4}", text) else default
