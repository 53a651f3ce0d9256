"""A tree of XML to the tree of HTML elements that says the same, with the divisions that begin in it."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hierdoc.citations import section_key
from hierdoc_html.blocks import Mark
from hierdoc_html.tree import Child, Node, element
from hierdoc_xml.vocabularies import Vocabulary

if TYPE_CHECKING:
    from lxml.etree import _Element

MOST_NESTED = 80
"""Elements that lie deeper are text and nothing else."""


def read(root: _Element, vocabulary: Vocabulary) -> Node:
    """The document as the children of one nameless element."""
    reader = _Reader(vocabulary)
    nodes = reader.read(root, _Place())
    return element("", [*nodes, *reader.take_notes()])


def local_name(one: _Element) -> str:
    """An element's name without namespace; "" for what is no element, such as a reference to an entity."""
    return one.tag.rpartition("}")[2] if isinstance(one.tag, str) else ""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an element lies.

    Attributes:
        level: How many divisions and items are around it.
        depth: How many elements are.
        inline: Whether it is part of a paragraph.
        mixed: Whether text stands beside it.
        quoted: Whether it belongs to another document.
    """

    level: int = 0
    depth: int = 0
    inline: bool = False
    mixed: bool = False
    quoted: bool = False


class _Reader:
    """Reads the elements of one document.

    Args:
        vocabulary: What they mean.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._roles = vocabulary.role_of()
        self._by_path = {path.partition("/")[2] for path in self._roles}
        self._numbered = vocabulary.numbered.split()
        self._by_class = {kind.partition(".")[0] for kind in self._roles if "." in kind}
        self._notes: list[Node] = []
        self._count = 0
        self._titled = False
        self._part = ""

    def take_notes(self) -> list[Node]:
        """The notes whose marks were read since the last time."""
        notes, self._notes = self._notes, []
        return notes

    def read(self, one: _Element, place: _Place) -> Sequence[Child]:
        """What one element becomes."""
        if not isinstance(one.tag, str):
            return [html.unescape(one.text or "")]  # an entity
        if place.depth > MOST_NESTED:
            return [element("p", [self._line(one)])]
        role = self._role(one)
        inner = replace(place, depth=place.depth + 1)
        if role == "division" and not place.quoted:
            return self._division(one, inner)
        if role in ("division", "item"):
            return self._item(one, inner)
        if role in ("out", "contents") and not (role == "contents" and place.quoted):
            return []
        special = {
            "quoted": self._quoted,
            "title": self._title,
            "note": self._note,
            "margin": self._margin,
            "terms": self._terms,
            "character": self._character,
            "heading": self._stray_heading,
            "pre": self._code,
        }.get(role)
        if special:
            return special(one, inner)
        if role in ("wrap", "heads", "contents"):
            return self._children(one, inner)
        if role == "number":
            return [self._line(one), " "]
        if role == "mark":
            return [f"[{self._line(one)}]"]
        if not role:
            role = "span" if place.inline or place.mixed else "div"
        if role == "p" and local_name(one) in self._numbered:
            return self._paragraph(one, inner)
        inline = inner.inline or role in _INLINE
        nodes = self._children(one, replace(inner, inline=inline))
        return [element(role, nodes, None, **_attributes(one, role))]

    def _children(
        self, one: _Element, place: _Place, without: Collection[_Element] = ()
    ) -> list[Child]:
        """What an element holds; notes follow the paragraph that they are made in."""
        nodes: list[Child] = [one.text] if one.text else []
        heads = frozenset(without)
        inner = replace(place, mixed=_is_mixed(one))
        for child in one:
            if child not in heads:
                role = self._role(child)
                if role in ("division", "item") and not place.inline:
                    nodes += self.take_notes()
                nodes += self.read(child, inner)
                if role not in ("note", "margin") and not place.inline:
                    nodes += self.take_notes()
            if child.tail:
                nodes.append(child.tail)
        return nodes

    def _division(self, one: _Element, place: _Place) -> list[Child]:
        if self._vocabulary.part:
            return self._of_part(one, place)
        return self._headed(one, place, self._heads(one), place.level + 1 + self._titled)

    def _headed(
        self, one: _Element, place: _Place, heads: Sequence[_Element], level: int
    ) -> list[Child]:
        """The heading of a division, which some of its heads make, and what it holds."""
        number, title = self._titles(heads)
        all_heads = self._heads(one)
        if not title:
            return self._children(one, place, all_heads)
        key = self._key(one, number)
        if key is None and not title.startswith(number):  # the heading stands before the number
            key = section_key(number)
        heading = element(f"h{min(level, 6)}", [title], Mark(level, key))
        inner = replace(place, level=level - self._titled)
        return [heading, *self._children(one, inner, all_heads)]

    def _of_part(self, one: _Element, place: _Place) -> list[Child]:
        """A division behind the heading of its part, where it is the first of it; one without a number is the document."""
        heads = self._heads(one)
        part = one.find("/".join(f"{{*}}{name}" for name in self._vocabulary.part.split("/")))
        code = ""
        nodes: list[Child] = []
        if part is not None:
            code = (part.findtext(f"{{*}}{self._vocabulary.depth}") or "").strip()
            code = code if code.strip("0") else ""
            heads = [child for head in heads for child in self._heads(head) if child is not part]
        level = 1 + len(code) // 3
        if part is not None and code and code != self._part:
            self._part = code
            title = self._titles(self._heads(part))[1]
            nodes.append(element(f"h{min(level, 6)}", [title], Mark(level)))
        if self._titles(heads)[0]:
            level += 1
        return [*nodes, *self._headed(one, replace(place, level=level), heads, level)]

    def _item(self, one: _Element, place: _Place) -> list[Child]:
        """An enumerated subsection, or what is quoted like one."""
        heads = self._heads(one)
        number, lead = self._titles(heads)
        enumerator = _enumerator(number)
        if number and not enumerator and not place.quoted and section_key(lead):
            return self._division(one, place)
        if not lead:
            return self._children(one, place, heads)
        return self._enumerated(one, place, lead, enumerator, heads)

    def _enumerated(
        self,
        one: _Element,
        place: _Place,
        lead: str,
        enumerator: str,
        heads: Collection[_Element] = (),
    ) -> list[Child]:
        """A paragraph that begins with a number, and all that lies in it."""
        mark = None
        inner = place
        if enumerator and not place.quoted:
            level = place.level + 1
            label = self._label(one)
            key = section_key(f"{label} {enumerator}") if label else None
            mark = Mark(level + self._titled, key, "" if key else enumerator, lead)
            inner = replace(place, level=level)
        rest = self._children(one, inner, heads)
        return [element("div", _joined(lead, rest), mark)]

    def _paragraph(self, one: _Element, place: _Place) -> list[Child]:
        """A paragraph that begins with its number, as the vocabulary has it."""
        found = _NUMBERED.match(one.text or "")
        if not found or place.quoted:
            return [element("p", self._children(one, replace(place, inline=True)))]
        one.text = (one.text or "")[found.end() :]
        lead = found[1]
        return self._enumerated(one, place, lead, _enumerator(lead))

    def _quoted(self, one: _Element, place: _Place) -> list[Child]:
        inner = replace(place, quoted=True)
        return [element("blockquote", self._children(one, inner))]

    def _title(self, one: _Element, place: _Place) -> list[Child]:
        """The document's title, the first time; what else is marked so is text."""
        line = self._line(one)
        if self._titled or place.quoted or not line:
            return [element("p", [line])]
        self._titled = True
        return [element("h1", [line], Mark(1))]

    def _note(self, one: _Element, place: _Place) -> list[Child]:
        label = next((child for child in one if local_name(child) in _NOTE_LABELS), None)
        stated = self._line(label) if label is not None else ""
        for name in ("marker", "label", "n"):
            stated = stated or (one.get(name) or "").strip()
        if not stated:
            self._count += 1
            stated = str(self._count)
        name = stated.strip("[]().")
        outer, self._notes = self._notes, []
        nodes = self._children(one, replace(place, inline=True), () if label is None else (label,))
        self._notes = [*outer, element("div", _joined(f"[{name}]", nodes)), *self._notes]
        return [f"[{name}]"] if place.inline or place.mixed else []

    def _margin(self, one: _Element, place: _Place) -> list[Child]:
        nodes = self._children(one, replace(place, inline=True, quoted=True))
        self._notes.append(element("p", nodes))
        return []

    def _terms(self, one: _Element, place: _Place) -> list[Child]:
        """A list of pairs: those with an enumerator are enumerated subsections."""
        nodes: list[Child] = []
        lead = ""
        for child in one:
            role = self._role(child)
            if role == "dt":
                if lead:
                    nodes.append(element("p", [lead]))
                lead = self._line(child)
            elif role == "dd" and lead:
                nodes += self._enumerated(child, place, lead, _enumerator(lead))
                lead = ""
            else:
                nodes += self.read(child, place)
        return [*nodes, element("p", [lead])] if lead else nodes

    def _character(self, one: _Element, place: _Place) -> list[Child]:
        code = one.get("CODE") or ""
        is_one = re.fullmatch(r"[0-9A-Fa-f]{2,5}", code) is not None
        return [chr(int(code, 16))] if is_one and int(code, 16) not in _SURROGATES else []

    def _stray_heading(self, one: _Element, place: _Place) -> list[Child]:
        """A heading of something that is no division, such as a figure."""
        nodes = self._children(one, replace(place, inline=True))
        return [element("p", [element("strong", nodes)])]

    def _code(self, one: _Element, place: _Place) -> list[Child]:
        text = "".join(map(str, one.itertext()))
        language = (one.get("language") or "").strip()
        attributes = {"language": language} if re.fullmatch(r"[\w+#-]{1,30}", language) else {}
        return [element("pre", [text], None, **attributes)]

    def _heads(self, one: _Element) -> list[_Element]:
        """The children that say what a division or item is called."""
        return [child for child in one if self._role(child) in ("number", "heading", "heads")]

    def _titles(self, heads: Sequence[_Element]) -> tuple[str, str]:
        """The number, and the whole of number and headings on one line."""
        number = ""
        parts: list[str] = []
        waiting = list(reversed(heads))
        while waiting:
            head = waiting.pop()
            role = self._role(head)
            if role == "heads" and len(head):
                waiting += reversed(self._heads(head))
                continue
            line = self._line(head)
            if role == "number" and not number:
                stated = (head.get("value") or "").strip()
                number = stated if _enumerator(stated) and _enumerator(line) else line
            parts.append(line)
        return number, _one_line(" ".join(filter(None, parts)))

    def _key(self, one: _Element, number: str) -> str | None:
        """The key of a number that does not say what it numbers; None where it does."""
        label = self._label(one)
        bare = number.strip(" \t\n\"“‘'()[].—–-:§")
        if label and _BARE_NUMBER.fullmatch(bare):
            return section_key(f"{label} {bare}")
        return None

    def _label(self, one: _Element) -> str:
        labels = self._vocabulary.labels
        return labels.get(_path(one)) or labels.get(local_name(one)) or ""

    def _role(self, one: _Element) -> str:
        name = local_name(one)
        if name in self._by_class:
            kind = f"{name}.{one.get('class')}"
            if kind in self._roles:
                return self._roles[kind]
        if name in self._by_path:
            path = _path(one)
            if path in self._roles:
                return self._roles[path]
        return self._roles.get(name, "")

    def _line(self, one: _Element) -> str:
        """The text of an element on one line, notes left for later."""
        parts = [one.text or ""]
        for child in one:
            role = self._role(child)
            if not isinstance(child.tag, str):
                parts.append(html.unescape(child.text or ""))
            elif role in ("note", "margin"):
                self._note(child, _Place()) if role == "note" else self._margin(child, _Place())
            elif role == "br":
                parts.append(" ")
            elif role not in ("out", "contents", "mark"):
                space = " " if role == "p" else ""
                parts += [space, self._line(child), space]
            parts.append(child.tail or "")
        return _one_line("".join(parts))


_INLINE = frozenset(("p", "span", "em", "strong", "code", "sup", "sub", "a", "q", "caption", "dt"))
_NOTE_LABELS = ("sup", "label", "num", "SUP")
_NUMBERED = re.compile(r"\s*(\([0-9]{1,4}[a-z]{0,3}\))\s")
_BARE_NUMBER = re.compile(
    r"[0-9]{1,5}[A-Za-z]{0,3}(?:[.-][0-9A-Za-z]{1,4}){0,5}|[A-Z]|[IVXLC]{1,8}"
)
_ENUMERATOR = re.compile(r"[0-9]{1,4}[a-zA-Z]{0,3}|[a-zA-Z]{1,5}")
_SURROGATES = range(0xD800, 0xE000)


def _path(one: _Element) -> str:
    """An element's name behind that of its parent."""
    parent = one.getparent()
    return f"{local_name(parent)}/{local_name(one)}" if parent is not None else local_name(one)


def _is_mixed(one: _Element) -> bool:
    """Whether an element holds text beside elements."""
    texts = [one.text, *(child.tail for child in one)]
    return any(text and not text.isspace() for text in texts)


def _attributes(one: _Element, role: str) -> dict[str, str]:
    """The attributes that a table's cell or a link has."""
    if role in ("td", "th"):
        rows = (one.get("rowspan") or one.get("ROWSPAN") or "").strip()
        more = (one.get("morerows") or "").strip()
        columns = one.get("colspan") or one.get("COLSPAN") or "1"
        return {
            "rowspan": rows or (str(int(more) + 1) if re.fullmatch(r"[0-9]{1,4}", more) else "1"),
            "colspan": columns,
        }
    return {}


def _joined(lead: str, rest: Sequence[Child]) -> list[Child]:
    """A lead and what follows it, its first paragraph in the same one."""
    nodes = list(rest)
    while nodes:
        first = nodes[0]
        if isinstance(first, str):
            if first.strip():
                break
            del nodes[0]
        elif first.name != "p" or first.mark:
            break
        elif first.children:
            nodes[:1] = [*first.children, element("p")]
        else:
            del nodes[0]
    return [lead if lead.endswith("—") else f"{lead} ", *nodes]


def _enumerator(number: str) -> str:
    """`a` of `(a)`, `1` of `1.`; "" of what is no enumerator."""
    bare = number.strip(" \t\n\"“‘'()[].—–-:°")
    return bare.lower() if _ENUMERATOR.fullmatch(bare) else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())
