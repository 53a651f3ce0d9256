"""A tree of HTML elements to blocks of text: what each element means to a reader.

Scripts, navigation and what is hidden are left out; links are kept where they lead to another site, images stand for their
description.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from hierdoc_html.blocks import LINE_BREAK, Block, Mark, Piece, heading, paragraph
from hierdoc_html.tables import Cell, Table, table_blocks
from hierdoc_html.tree import BLOCKS, CELLS, HEADINGS, LISTS, Child, Node


def blocks_of(root: Node) -> list[Block]:
    """The blocks of everything below an element."""
    flow = _Flow()
    flow.read(root, _Style())
    return flow.end()


def numeral(number: int, style: str) -> str:
    """The number as a list of `type="a"`, `"A"`, `"i"` or `"I"` has it."""
    if style.lower() == "a" and 1 <= number <= 26:
        return chr(ord(style) + number - 1)
    if style.lower() == "i" and 1 <= number < 400:
        roman = ""
        for value, letters in _ROMAN:
            roman += number // value * letters
            number %= value
        return roman.upper() if style == "I" else roman
    return str(number)


@dataclass(frozen=True, slots=True)
class _Style:
    """What a text inherits from the elements around it.

    Attributes:
        marks: See `Piece`.
        in_link: See `Piece`.
        depth: How many lists and quotes it lies in.
        unmarked: Whether it lies in a heading, where nothing is marked.
    """

    marks: tuple[str, ...] = ()
    in_link: bool = False
    depth: int = 0
    unmarked: bool = False

    def marked(self, mark: str) -> _Style:
        if self.unmarked or mark in self.marks:
            return self
        return replace(self, marks=(*self.marks, mark))

    def linked(self, target: str) -> _Style:
        """In a link; only one to another site leaves a mark."""
        absolute = _ABSOLUTE.match(target.strip())
        mark = f"]({target.strip().translate(_UNSAFE_IN_TARGET)})"
        is_marked = absolute and not self.in_link and not self.unmarked
        marks = (mark, *self.marks) if is_marked else self.marks
        return replace(self, marks=marks, in_link=True)


class _Flow:
    """Blocks one after the other, and the paragraph that is not yet at its end."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._pieces: list[Piece] = []
        self._mark: Mark | None = None

    def read(self, node: Node, style: _Style) -> None:
        """Add all below an element."""
        before: Child = ""
        for child in node.children:
            if isinstance(child, str):
                self._pieces.append(Piece(child, style.marks, style.in_link))
            elif not _is_left_out(child):
                if _is_number_before(before, child):
                    self._pieces.append(Piece(" "))
                self._element(child, style)
            before = child

    def end(self) -> list[Block]:
        """End the paragraph; all blocks."""
        if self._pieces:
            block = paragraph(self._pieces)
            self._pieces = []
            if block:
                self._blocks.append(replace(block, mark=self._mark) if self._mark else block)
                self._mark = None
        return self._blocks

    def _element(self, node: Node, style: _Style) -> None:
        if node.name in BLOCKS:
            self.end()
            before = len(self._blocks)
            self._block(node, style)
            self.end()
            if node.mark and len(self._blocks) > before:
                self._blocks[before] = replace(self._blocks[before], mark=node.mark)
        else:
            self._mark = self._mark or node.mark
            self._inline(node, style)

    def _block(self, node: Node, style: _Style) -> None:
        name = node.name
        if name in HEADINGS:
            self._blocks += _heading(node, style)
        elif name in LISTS:
            self._list(node, style)
        elif name == "blockquote":
            self._contained(node, style, "> ", "> ")
        elif name == "dd":
            self._contained(node, style, ":   ", "    ")
        elif name == "table":
            self._blocks += table_blocks(_table(node, style))
        elif name == "pre":
            self._blocks += _code(node)
        elif name == "hr":
            self._blocks.append(Block("rule"))
        else:
            self.read(node, self._emphasised(node, style))

    def _inline(self, node: Node, style: _Style) -> None:
        name = node.name
        if name == "br":
            self._break()
        elif name == "img":
            self._add(node.get("alt") or "", style)
        elif name == "a":
            target = node.get("href")
            if target is None:
                self.read(node, style)
            elif not (target.startswith("#") and node.text().strip() in _PERMALINKS):
                self.read(node, style.linked(target))
        elif name in ("sup", "sub"):
            text = node.text().strip()
            self._add(_superscript(text) if name == "sup" else _subscript(text), style)
        elif name == "q":
            self._add("“", style)
            self.read(node, style)
            self._add("”", style)
        elif name in _MARKS:
            self.read(node, style.marked(_MARKS[name]))
        else:
            self.read(node, self._emphasised(node, style))

    def _add(self, text: str, style: _Style) -> None:
        self._pieces.append(Piece(text, style.marks, style.in_link))

    def _emphasised(self, node: Node, style: _Style) -> _Style:
        return style.marked("**") if _BOLD.search(node.get("style") or "") else style

    def _break(self) -> None:
        """A line break; the second in a row ends the paragraph."""
        for piece in reversed(self._pieces):
            if piece.text == LINE_BREAK:
                self.end()
                return
            if piece.text.strip():
                break
        self._pieces.append(Piece(LINE_BREAK))

    def _list(self, node: Node, style: _Style) -> None:
        """Each item with its marker; what stands between items as it is."""
        marker = _markers(node)
        for child in node.children:
            if isinstance(child, Node) and child.name == "li":
                self.end()
                first = marker(child)
                self._contained(child, style, first, " " * len(first))
            elif (
                isinstance(child, Node) and child.name in LISTS
            ):  # not within an item, as it should be
                self._contained(Node("", children=[child]), style, "  ", "  ")
            else:
                self.read(Node("", children=[child]), style)

    def _contained(self, node: Node, style: _Style, first: str, rest: str) -> None:
        """The blocks of an item, description or quote; from a heading in it on, they stand on their own."""
        inner = _Flow()
        inner.read(node, replace(style, depth=style.depth + 1))
        for block in inner.end():
            if block.kind == "heading" or style.depth >= _MOST_PREFIXES:
                first = rest = ""
            self._blocks.append(block.within(first, rest) if rest else block)
            first = rest


_MARKS = {
    **dict.fromkeys(("b", "strong"), "**"),
    **dict.fromkeys(("em", "i", "cite", "dfn", "var"), "*"),
    **dict.fromkeys(("del", "s", "strike"), "~~"),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), "`"),
}
_LEFT_OUT = frozenset(
    (
        *("annotation", "audio", "button", "canvas", "datalist", "iframe", "nav", "noscript"),
        *("object", "rp", "script", "select", "style", "svg", "template", "textarea", "title"),
        *("video",),
    )
)
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_BOLD = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)", re.IGNORECASE)
_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|brush|highlight-source)[-:]([\w+#-]+)")
_ABSOLUTE = re.compile(r"(?:https?|ftp|mailto):", re.IGNORECASE)
_UNSAFE_IN_TARGET = str.maketrans({"(": "%28", ")": "%29", " ": "%20", "<": "%3C", ">": "%3E"})
_PERMALINKS = ("¶", "#", "🔗", "⚓")
_ORDINAL_OR_MARK = re.compile(r"[^\W\d_]{2,}\.?|[ªº®©™]|\W.*", re.DOTALL)
_RAISED = str.maketrans("0123456789+-=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ")
_ROMAN = (
    *((100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv")),
    (1, "i"),
)
_MOST_PREFIXES = 20
_LONGEST_HEADING = 300


def _is_left_out(node: Node) -> bool:
    """Whether an element is not for readers; one whose end is missing is kept, as it may hold the whole document."""
    if not node.ended:
        return node.name in ("script", "style")
    return (
        node.name in _LEFT_OUT
        or node.get("hidden") is not None
        or _HIDDEN.search(node.get("style") or "") is not None
    )


def _is_number_before(before: Child, node: Node) -> bool:
    """Whether two elements without white space between are a number and its text, which only a style sheet sets apart."""
    if isinstance(before, str) or before.name != "span" or node.name != "span":
        return False
    return bool(_NUMBER.fullmatch(before.text().strip())) and node.text()[:1].isalpha()


def _heading(node: Node, style: _Style) -> list[Block]:
    """A heading; where its end is missing, only its first paragraph."""
    flow = _Flow()
    flow.read(node, replace(style, marks=(), unmarked=True))
    blocks = flow.end()
    level = HEADINGS[node.name]
    texts = [block.text for block in blocks]
    whole = node.ended and all(block.kind == "paragraph" for block in blocks)
    count = len(blocks) if whole and sum(map(len, texts)) <= _LONGEST_HEADING else 1
    if not texts:
        return []
    mark = next((block.mark for block in blocks[:count] if block.mark), None)
    return [replace(heading(" ".join(texts[:count]), level), mark=mark), *blocks[count:]]


def _markers(node: Node) -> Callable[[Node], str]:
    """Gives each item of a list what its first line begins with."""
    if node.name != "ol":
        return lambda item: "- "
    number = _whole(node.get("start"), 1) - 1

    def numbered(item: Node) -> str:
        nonlocal number
        number = _whole(item.get("value"), number + 1)
        return f"{numeral(number, node.get('type') or '')}. "

    return numbered


def _table(node: Node, style: _Style) -> Table:
    """A table's rows, cells and caption; what else it holds is read as a caption, so that nothing is lost."""
    rows: list[list[Cell]] = []
    others: list[Child] = []
    has_head = False
    pending: list[Child] = list(reversed(node.children))
    while pending:
        part = pending.pop()
        if isinstance(part, Node) and part.name in ("thead", "tbody", "tfoot"):
            has_head = has_head or part.name == "thead"
            pending += reversed(part.children)
        elif isinstance(part, Node) and part.name in ("tr", *CELLS):
            if not _is_left_out(part):
                cells = part.children if part.name == "tr" else [part]
                rows.append([_cell(cell, style) for cell in cells if _is_content(cell)])
        elif isinstance(part, str) or part.name not in ("col", "colgroup"):
            others.append(part)
    caption = _Flow()
    caption.read(Node("", children=others), style)
    has_caption = any(isinstance(part, Node) and part.name == "caption" for part in others)
    has_headers = any(cell.is_header for row in rows for cell in row)
    role = (node.get("role") or "").strip().lower()
    return Table(
        rows,
        caption.end(),
        says_data=has_head or has_headers or has_caption or bool(node.get("summary")),
        says_layout=role in ("presentation", "none"),
    )


def _is_content(child: Child) -> bool:
    return not _is_left_out(child) if isinstance(child, Node) else bool(child.strip())


def _cell(child: Child, style: _Style) -> Cell:
    flow = _Flow()
    if isinstance(child, str) or child.name not in CELLS:
        flow.read(Node("", children=[child]), style)
        return Cell(flow.end())
    flow.read(child, style)
    columns, rows = (_whole(child.get(name), 1) for name in ("colspan", "rowspan"))
    return Cell(flow.end(), child.name == "th", columns, rows)


def _code(node: Node) -> list[Block]:
    """Preformatted text, line by line."""
    parts = [part for part in node.parts() if isinstance(part, str) or part.name == "br"]
    text = "".join(part if isinstance(part, str) else "\n" for part in parts)
    lines = [line.rstrip() for line in text.expandtabs(4).split("\n")]
    while lines and not lines[0]:
        del lines[0]
    while lines and not lines[-1]:
        del lines[-1]
    inner = next((part for part in node.parts() if isinstance(part, Node)), node)
    classes = f"{node.get('class')} {inner.get('class')}"
    language = _LANGUAGE.search(classes)
    return [Block("code", "\n".join(lines), info=language[1] if language else "")] if lines else []


def _superscript(text: str) -> str:
    """A raised text that does not run into the one before: digits raised, `1st` and `[2]` as they are, else `^`."""
    if not text or _ORDINAL_OR_MARK.fullmatch(text):
        return text
    if text == "o":  # `Art. 1<sup>o</sup>`
        return "º"
    raised = text.translate(_RAISED)
    if not any(character in text for character in raised):
        return raised
    return f"^{text}" if len(text) == 1 else f"^({text})"


def _subscript(text: str) -> str:
    """A lowered text: digits as they are, as in `CO2`; else `_`."""
    if text.isdigit() or not text:
        return text
    return f"_{text}" if len(text) == 1 else f"_({text})"


_NUMBER = re.compile(r"[0-9]{1,4}[A-Z]{0,2}\.?|\([0-9a-zA-Z]{1,5}\)")


def _whole(text: str | None, default: int) -> int:
    """A small whole number in an attribute."""
    digits = re.match(r"\s*(-?\d{1,6})", text or "")
    return int(digits[1]) if digits else default
