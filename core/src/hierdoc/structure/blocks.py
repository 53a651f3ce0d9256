r"""Leaf blocks and containers of CommonMark: what a line begins, and which list items and quotes it lies in.

CommonMark 0.31, chapters 4 and 5, as far as a heading's place depends on it. Lines end with `\n` here, whatever the
document had.
"""

from __future__ import annotations

import re
from enum import Enum

MOST_NESTED = 100
"""Containers within each other; what is nested deeper is read as text. Keeps the work per line bounded."""


class Leaf(Enum):
    """What a line is to the document itself, outside of all containers."""

    OTHER = "other"
    """Text, or a line within a list item or block quote."""
    ATX = "atx"
    SETEXT = "setext"
    FENCE = "fence"
    HTML = "html"


ATX = re.compile(r"(#{1,6})(?=[ \t\n]|\Z)")
FENCE = re.compile(r"(`{3,})(?=[^`\n]*(?:\n|\Z))|(~{3,})")
UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*(?=\n|\Z)")

_HTML_START = re.compile(
    r"""<(?:
        (?P<raw>(?:script|pre|style|textarea)(?=[ \t>\n]|\Z))
      | (?P<comment>!--)
      | (?P<instruction>\?)
      | (?P<cdata>(?-i:!\[CDATA\[))
      | (?P<declaration>![a-z])
      | (?P<block>/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details
            |dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html
            |iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary
            |table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?=[ \t\n]|/?>|\Z))
      | (?P<tag>(?:/[a-z][a-z0-9-]*[ \t]*
            |[a-z][a-z0-9-]*(?:[ \t]+[a-z_:][a-z0-9_.:-]*(?:[ \t]*=[ \t]*(?:[^\s"'=<>`]+|'[^'\n]*'|"[^"\n]*"))?)*[ \t]*/?
            )>[ \t]*(?=\n|\Z))
    )""",
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_HTML_ENDS = {
    "raw": re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE | re.ASCII),
    "comment": re.compile(r"-->"),
    "instruction": re.compile(r"\?>"),
    "cdata": re.compile(r"\]\]>"),
    "declaration": re.compile(r">"),
}
BLANK_LINE = re.compile(r"\n[ \t]*(?=\n|\Z)")
"""The end of a line that a blank one follows: where HTML blocks without an end of their own end."""

_DEFINITION = re.compile(
    r"""[ \t]*\[(?!\s*\])(?:[^\[\]\\]|\\.){1,999}\]:   # the label
        [ \t]*\n?[ \t]*
        (?:<(?:[^<>\n\\]|\\.)*>|[^<\s]\S*)             # the destination
        (?:(?:[ \t]+|[ \t]*\n[ \t]*)
           (?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\))
           [ \t]*(?=\n|\Z))?                           # the title
        [ \t]*(?:\n|\Z)""",
    re.VERBOSE | re.DOTALL,
)
_WHOLE_DEFINITION = re.compile(
    r"""\[(?!\s*\])(?:[^\[\]\\]|\\.){1,999}\]:[ ]*(?:<(?:[^<>\\]|\\.)*>|[^<\s]\S*)
        (?:[ ]+(?P<title>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\)))?[ ]*\Z""",
    re.VERBOSE,
)
"""A link reference definition that one line holds whole: no paragraph, so nothing goes on with it but its title."""

_LABEL_LINE = re.compile(r"[ \t]*\[(?!\s*\])(?:[^\[\]\\\n]|\\.){1,999}\]:[ \t]*\n\Z")
_TITLE_LINE = re.compile(r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\))[ ]*\Z""")
_MARKER = re.compile(r"(?:[*+-]|([0-9]{1,9})[.)])(?= |\Z)")
_SPACES = re.compile(r" *")
_QUOTE = 0
"""Stands for a block quote among the widths of list items, which are 2 at least."""


def html_start(text: str, position: int) -> str | None:
    """The kind of HTML block that may begin here; None for none. A `tag` cannot interrupt a paragraph."""
    start = _HTML_START.match(text, position)
    return start.lastgroup if start else None


def html_end(kind: str) -> re.Pattern[str]:
    """What the last line of such a block holds, or for kinds without an end what follows it."""
    return _HTML_ENDS.get(kind, BLANK_LINE)


def after_definitions(text: str, start: int, end: int) -> int:
    """Where the text of a paragraph begins behind the link reference definitions at its start."""
    definition = _DEFINITION.match(text, start, end)
    while definition and start < end:
        start = definition.end()
        definition = _DEFINITION.match(text, start, end)
    return start


class Containers:
    """The open list items and block quotes, line by line, and the leaf that is open within the innermost.

    Attributes:
        paragraph_start: Where the open paragraph begins, or the one that a setext underline has just ended.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget everything: the next line stands in no container and continues nothing."""
        self._open: list[int] = []
        self._leaf: tuple[str, str] | None = None
        self._in_paragraph = False
        self._untitled = False
        self._empty_item = False
        self.paragraph_start = 0

    def read(self, text: str, start: int, end: int) -> Leaf:
        """Take in the line `text[start:end]`, which follows the last one; what it is to the document itself.

        After `FENCE` and `HTML` the caller skips the block and resets.
        """
        line = text[start:end].expandtabs(4)
        column, depth = self._continued(line)
        self._empty_item = False
        if self._leaf and depth == len(self._open):
            self._read_on(line, column)
            return Leaf.OTHER
        self._leaf = None
        return self._begin(line, column, depth, text, start)

    def _continued(self, line: str) -> tuple[int, int]:
        """How far the line's prefix reaches, and how many of the open containers it continues."""
        column = 0
        for depth, width in enumerate(self._open):
            indent = _indent(line, column)
            if width == _QUOTE:
                if indent > 3 or not line.startswith(">", column + indent):
                    return column, depth
                column += indent + 1
                column += line.startswith(" ", column)
            elif column + indent == len(line):  # blank
                if self._empty_item and depth == len(self._open) - 1:
                    return column, depth
                column = min(column + width, len(line))
            elif indent >= width:
                column += width
            else:
                return column, depth
        return column, len(self._open)

    def _read_on(self, line: str, column: int) -> None:
        """Within a fence or HTML block: see whether it ends here."""
        assert self._leaf is not None
        kind, fence = self._leaf
        rest = line[column:].strip(" ")
        if kind == "fence":
            if _indent(line, column) <= 3 and len(rest) >= len(fence) and not rest.strip(fence[0]):
                self._leaf = None
        elif _HTML_ENDS[kind].search(rest) if kind in _HTML_ENDS else not rest:
            self._leaf = None

    def _begin(self, line: str, column: int, depth: int, text: str, start: int) -> Leaf:
        """What begins behind the prefix: containers, then a leaf or text."""
        lazy = self._in_paragraph
        while True:
            place = column + _indent(line, column)
            if place == len(line):
                self._close(depth)
                return Leaf.OTHER
            if place - column > 3:  # indented code, unless a paragraph goes on
                if not lazy:
                    self._close(depth)
                return Leaf.OTHER
            same = lazy and depth == len(self._open)
            leaf = self._leaf_at(line, place, text, start, lazy=lazy, same=same)
            if leaf is not None:
                self._close(depth)
                return leaf if depth == 0 else Leaf.OTHER
            after = self._container_at(line, column, place, depth, same=same)
            if after is None:
                break
            column, lazy = after, False
            depth += 1
        if not lazy:
            untitled = self._untitled and depth == len(self._open)
            self._close(depth)
            if line[place] in "\"'(" and untitled and _TITLE_LINE.match(line, place):
                return Leaf.OTHER
            definition = _WHOLE_DEFINITION.match(line, place) if line[place] == "[" else None
            self._untitled = definition is not None and definition["title"] is None
            self._in_paragraph = definition is None
            self.paragraph_start = start
        return Leaf.OTHER

    def _leaf_at(
        self, line: str, place: int, text: str, start: int, *, lazy: bool, same: bool
    ) -> Leaf | None:
        """The leaf that begins at this place, if it is not text.

        Args:
            line: The line, tabs expanded.
            place: Its first character behind the prefix.
            text: The document.
            start: Where the line begins in it.
            lazy: Whether text would continue a paragraph.
            same: Whether that paragraph stands in the same container.
        """
        if ATX.match(line, place):
            return Leaf.ATX
        fence = FENCE.match(line, place)
        if fence:
            self._leaf = "fence", fence[0]
            return Leaf.FENCE
        kind = html_start(line, place) if line[place] == "<" else None
        if kind and not (kind == "tag" and lazy):
            if kind not in _HTML_ENDS or not _HTML_ENDS[kind].search(line, place):
                self._leaf = kind, ""
            return Leaf.HTML
        if same and UNDERLINE.match(line, place):
            if not self._open:
                if _LABEL_LINE.match(text, self.paragraph_start, start) and not (
                    line[place] == "-" and len(line.strip()) != 2  # a break, or an item
                ):
                    return Leaf.OTHER  # the underline is what the label stands for
                self.paragraph_start = after_definitions(text, self.paragraph_start, start)
            if self.paragraph_start < start:
                return Leaf.SETEXT
        return Leaf.OTHER if _is_break(line, place) else None

    def _container_at(
        self, line: str, column: int, place: int, depth: int, *, same: bool
    ) -> int | None:
        """Open the container that begins at this place; the column behind its prefix, None where there is none."""
        if depth >= MOST_NESTED:
            return None
        if line[place] == ">":
            self._close(depth)
            self._open.append(_QUOTE)
            return place + 1 + line.startswith(" ", place + 1)
        marker = _MARKER.match(line, place)
        if not marker:
            return None
        spaces = _indent(line, marker.end())
        empty = marker.end() + spaces == len(line)
        if same and (empty or (marker[1] and int(marker[1]) != 1)):  # would interrupt a paragraph
            return None
        self._empty_item = empty
        padding = 1 if empty or spaces > 4 else spaces
        self._close(depth)
        self._open.append(marker.end() - column + padding)
        return min(marker.end() + padding, len(line))

    def _close(self, depth: int) -> None:
        """Close the containers from this depth on, and the paragraph."""
        del self._open[depth:]
        self._in_paragraph = self._untitled = False


def _indent(line: str, column: int) -> int:
    spaces = _SPACES.match(line, column)
    assert spaces is not None
    return spaces.end() - column


def _is_break(line: str, place: int) -> bool:
    """Whether a thematic break begins here."""
    character = line[place]
    return (
        character in "*-_"
        and len(line.rstrip(character + " ")) <= place
        and line.count(character, place) >= 3
    )
