"""HTML text to a tree: one pass over its tags, whatever their order.

End tags that are missing are implied and those that match nothing are ignored, as in chapter 13.2.6 of the HTML standard, as
far as that decides where a paragraph, list item or table cell ends. Nesting ends at `MOST_NESTED` levels: deeper
elements lose their tags, not their text, so that a walk over the tree may be recursive.

lexbor (selectolax), which follows the standard to the letter, is no substitute. The standard repeats every open `<b class=...>` in
each new paragraph and searches all open elements for one to end, so small hostile files take gigabytes or minutes. It also drops text that a reader of documents must keep: CDATA, a tag that never ends, all that follows
`<script/>` in XHTML; and its tree does not tell whether a `nav`, which is left out, was ever closed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Union

from hierdoc_html.blocks import Mark
from hierdoc_html.tokens import Token, attributes, tokens

MOST_NESTED = 120

HEADINGS = {f"h{level}": level for level in range(1, 7)}
LISTS = frozenset(("ul", "ol", "menu", "dir"))
CELLS = frozenset(("td", "th"))
TABLE_PARTS = CELLS | {"table", "caption", "thead", "tbody", "tfoot", "tr"}
BLOCKS = frozenset(
    (
        *("address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog"),
        *("div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header"),
        *("hgroup", "hr", "html", "legend", "li", "main", "nav", "p", "pre", "search", "section"),
        *("summary", *HEADINGS, *LISTS, *TABLE_PARTS),
    )
)
"""Elements that begin on a line of their own."""


@dataclass(slots=True)
class Node:
    """An element.

    Attributes:
        name: Lower case, without namespace prefix.
        children: Elements and text, in order.
        markup: The attributes in its start tag, as written.
        ended: Whether its end was marked, by its end tag or where the standard lets that be omitted.
        mark: The division that begins with it, where a converter knows of one.
    """

    name: str
    children: list[Child] = field(default_factory=list)
    markup: str = ""
    ended: bool = False
    mark: Mark | None = None
    _attributes: dict[str, str] | None = None

    def get(self, name: str) -> str | None:
        """The value of an attribute, "" for one without value; None for one that is not there."""
        if self._attributes is None:
            if not self.markup:
                return None
            self._attributes = attributes(self.markup)
        return self._attributes.get(name)

    def text(self) -> str:
        """All text in it."""
        return "".join(part for part in self.parts() if isinstance(part, str))

    def parts(self) -> Iterator[Child]:
        """All elements and text in it, in document order."""
        pending: list[Child] = list(reversed(self.children))
        while pending:
            part = pending.pop()
            yield part
            if isinstance(part, Node):
                pending += reversed(part.children)


Child = Union[Node, str]


def element(
    name: str, children: Iterable[Child] = (), mark: Mark | None = None, **attributes: str
) -> Node:
    """An element that a converter of another format makes; `language` stands for the class of code in a language.

    A tree of them must not be nested deeper than `MOST_NESTED`.
    """
    if "language" in attributes:
        attributes["class"] = f"language-{attributes.pop('language')}"
    return Node(name, list(children), ended=True, mark=mark, _attributes=attributes)


def parse(markup: str) -> Node:
    """The document as the children of one nameless element."""
    builder = _Builder()
    for token in tokens(markup):
        builder.read(token)
    return builder.root


_VOID = frozenset(
    (
        *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param"),
        *("source", "track", "wbr"),
    )
)
_ENDS_PARAGRAPH = BLOCKS - {"html", "body", *TABLE_PARTS} | {"table"}
_ROW_GROUPS = frozenset(("thead", "tbody", "tfoot"))
_TABLE = frozenset(("table",))
_IMPLIED_BY = {
    "li": (frozenset(("li",)), LISTS | TABLE_PARTS),
    **dict.fromkeys(("dt", "dd"), (frozenset(("dt", "dd")), TABLE_PARTS | {"dl"})),
    **dict.fromkeys(_ROW_GROUPS, (_ROW_GROUPS | {"caption"}, _TABLE)),
    "tr": (frozenset(("tr", "caption")), _TABLE),
    **dict.fromkeys(CELLS, (CELLS, _TABLE | {"tr"})),
    **dict.fromkeys(HEADINGS, (frozenset(HEADINGS), TABLE_PARTS | LISTS)),
    "a": (frozenset(("a",)), CELLS | {"p", "div", "li", "section"}),
    "option": (frozenset(("option",)), frozenset(("select",))),
}
"""For a start tag: which open elements it ends, and within which other ones it does not."""

_END_MAY_BE_OMITTED = frozenset(
    ("p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "option")
)


class _Builder:
    """The tree so far, and the path to the place where it grows."""

    def __init__(self) -> None:
        self.root = Node("")
        self._path = [self.root]
        self._depths: defaultdict[str, list[int]] = defaultdict(list)
        self._innermost_block = [0]
        self._innermost_cell = [0]

    def read(self, token: Token) -> None:
        """Let the tree grow by one tag or text."""
        if token.kind == "text":
            self._path[-1].children.append(token.value)
        elif token.kind == "start":
            self._start(token)
        else:
            self._end(token.value)

    def _start(self, token: Token) -> None:
        name = token.value
        if name in _ENDS_PARAGRAPH and self._depth("p") > self._innermost_cell[-1]:
            self._close(self._depth("p"))
        if name in _IMPLIED_BY:
            self._imply_end(*_IMPLIED_BY[name])
        node = Node(name, markup=token.markup)
        if name in _VOID:
            self._path[-1].children.append(node)
        elif len(self._path) <= MOST_NESTED:
            self._path[-1].children.append(node)
            self._depths[name].append(len(self._path))
            self._innermost_block.append(self._depth_if(name in BLOCKS, self._innermost_block))
            self._innermost_cell.append(self._depth_if(name in TABLE_PARTS, self._innermost_cell))
            self._path.append(node)
        elif name in BLOCKS:
            self._path[-1].children.append(Node("p"))

    def _depth_if(self, is_one: bool, innermost: list[int]) -> int:
        return len(self._path) if is_one else innermost[-1]

    def _imply_end(self, names: frozenset[str], barriers: frozenset[str]) -> None:
        """End the innermost open element of these names, unless it lies outside of a barrier."""
        depth = max(map(self._depth, names))
        if depth and depth > max(map(self._depth, barriers)):
            self._close(depth)

    def _end(self, name: str) -> None:
        if name == "br":  # browsers take it for a line break
            self._path[-1].children.append(Node("br"))
            return
        depth = self._depth(name)
        if name in HEADINGS:
            depth = max(map(self._depth, HEADINGS))
        if name in TABLE_PARTS:
            reachable = depth >= self._depth("table")
        elif name in BLOCKS:
            reachable = depth > self._innermost_cell[-1]
        else:
            reachable = depth > self._innermost_block[-1]
        if depth and reachable:
            self._close(depth)
        elif name in BLOCKS and len(self._path) > MOST_NESTED:
            self._path[-1].children.append(Node("p"))

    def _depth(self, name: str) -> int:
        """How deep the innermost open element of this name lies; 0 where there is none."""
        depths = self._depths[name]
        return depths[-1] if depths else 0

    def _close(self, depth: int) -> None:
        """End the element at this depth and all within it."""
        for node in self._path[depth:]:
            self._depths[node.name].pop()
            node.ended = node.name in _END_MAY_BE_OMITTED
        self._path[depth].ended = True
        del self._path[depth:]
        del self._innermost_block[depth:]
        del self._innermost_cell[depth:]
