"""Headings of CommonMark text, with their exact places.

Follows CommonMark 0.31: ATX and setext headings; fences, indented code, HTML blocks, comments and front matter hide what looks
like one. Only a paragraph of more than `LONGEST_SETEXT` characters is no heading, unless it is one line and the underline as long. Headings within list
items and block quotes are part of these, not sections of the document, and are left out. One regular expression leaps from one line that may matter to the next; lists and quotes are followed line by
line only where such a line may lie within them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hierdoc.quick import quick
from hierdoc.structure.blocks import (
    BLANK_LINE,
    FENCE,
    Containers,
    Leaf,
    html_end,
    html_start,
)
from hierdoc.structure.inline import normalised_label, plain_text


@dataclass(frozen=True, slots=True)
class Heading:
    r"""A heading of the document itself.

    Attributes:
        level: 1 to 6.
        title: Its text without markup, on one line; of a long one the first `LONGEST_TITLE` characters.
        markup: Its inline markdown; the lines of a setext heading are stripped and joined by `\n`.
        char_start: Where its first line begins.
        char_end: Where its last line ends, without the line ending.
        line: Its first line, from 1.
    """

    level: int
    title: str
    markup: str
    char_start: int
    char_end: int
    line: int


def find_headings(text: str) -> list[Heading]:
    """The headings of the document, in order. Time is linear in the length of the text."""
    return _Scan(text).headings()


def find_headings_and_blocks(text: str) -> tuple[list[Heading], list[tuple[int, int]]]:
    """The headings, and the spans of front matter, fences and HTML blocks, which hold none, in order."""
    scan = _Scan(text)
    headings = scan.headings()
    return headings, scan.blocks


def heading_end(text: str, start: int, end: int) -> int:
    """Where the heading that begins at `start` ends: after one line or, for a setext heading, after the underline.

    Args:
        text: The document.
        start: Where the section begins.
        end: Where it ends.
    """
    if _ATX_PREFIX.match(text, start, end):
        return _line_end(text, start, end)
    setext = _SETEXT.match(text, start, end)
    return setext.end() if setext else _line_end(text, start, end)


def front_matter_end(text: str) -> int:
    """Where the text behind YAML front matter begins; 0 where there is none.

    Front matter begins with a line `---` at the very start, ends with `---` or `...`, and every line between that is not
    indented is a key, an item, a comment or blank; so a thematic break above prose is not taken for it.
    """
    text = with_newlines(text)
    opening = _FRONT_MATTER.match(text)
    closing = _FRONT_MATTER_END.search(text, opening.end() - 1) if opening else None
    if not opening or not closing:
        return 0
    body = text[opening.end() : closing.start() + 1]
    if body.startswith("\n") or _NOT_YAML.search(body):
        return 0
    return closing.end()


def with_newlines(text: str) -> str:
    r"""The text with all line endings written `\n`, every offset unchanged."""
    if "\r" not in text:
        return text
    return text.replace("\r\n", " \n").replace("\r", "\n")


LONGEST_TITLE = 1000
"""Characters of a heading that become its section's title: every chunk of the section repeats them. Headings of laws have up to 300."""

LONGEST_SETEXT = 160
"""Characters that any underline makes a heading of; a longer paragraph has a rule below it, as authors mean it, or an underline of its own length."""

_heading = quick(Heading)
_INDENTED = (
    r" {0,3}(?:(#{1,6})(?=[ \t\n]|\Z)|(`{3,}|~{3,})|(<)(?=[A-Za-z/!?])|(=+|-+)[ \t]*(?=\n|\Z))"
)
_CANDIDATE = re.compile(r"\n" + _INDENTED)
_FIRST_LINE = re.compile(r"\ufeff?" + _INDENTED)
_ATX_GROUP, _FENCE_GROUP, _HTML_GROUP, _UNDERLINE_GROUP = 1, 2, 3, 4
_FENCE_LINE = re.compile(r"\n {0,3}(`{3,}|~{3,})[ \t]*(?=\n|\Z)")
_ATX_PREFIX = re.compile(r"\ufeff? {0,3}#{1,6}(?=[ \t\r\n]|\Z)")
_SETEXT = re.compile(
    r"(?:[ \t]*[^ \t\r\n][^\r\n]*(?:\r\n?|\n))+? {0,3}(?:=+|-+)[ \t]*(?=[\r\n]|\Z)"
)
_ATTRIBUTES = re.compile(r"\{[ \t]*(?:[#.][^\s{}][^{}\n]*|-[ \t]*)\}\Z")
_FRONT_MATTER = re.compile(r"\ufeff?---[ \t]*\n")
_FRONT_MATTER_END = re.compile(r"\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_NOT_YAML = re.compile(r"^(?![ \t#\-\]}\n]|[^\s:][^:\n]*:(?:[ \t\n]|\Z)|\Z)", re.MULTILINE)
_LINK_DEFINITION = re.compile(
    r"(?:^|\n)[ \t>]*\[((?:[^\[\]\\]|\\.){1,999})\]:[ \t]*\n?[ \t]*[^\s]", re.DOTALL
)


def _is_underlined(markup: str, rule: str) -> bool:
    """Whether a long line has an underline of its own length: a rule below a paragraph is of any length but that."""
    one_line = "\n" not in markup and len(markup) <= LONGEST_TITLE
    return one_line and abs(len(rule.rstrip()) - len(markup)) <= _TOLERANCE


_TOLERANCE = 2
"""Characters by which an underline is longer or shorter than its title."""


class _Scan:
    """One pass over one document."""

    def __init__(self, text: str) -> None:
        self.text = with_newlines(text)
        self.containers = Containers()
        self.origin = 0
        self.read_to = 0
        self.found: list[tuple[int, int, int, str]] = []
        self.blocks: list[tuple[int, int]] = []
        self.labels: frozenset[str] | None = None

    def headings(self) -> list[Heading]:
        begin = front_matter_end(self.text)
        if begin:
            self.blocks.append((0, begin))
        self._find(begin)
        text, headings = self.text, []
        line, counted = 1, 0
        for level, start, end, markup in self.found:
            line += text.count("\n", counted, start)
            counted = start
            shown = _without_attributes(markup) if markup.endswith("}") else markup
            title = plain_text(shown[: 4 * LONGEST_TITLE], self._is_defined)[:LONGEST_TITLE]
            headings.append(_heading(level, title.rstrip(), markup, start, end, line))
        return headings

    def _find(self, position: int) -> None:
        """Collect headings from a line start on at which no block is open."""
        text = self.text
        self.origin = self.read_to = position
        while position < len(text):
            if position:
                candidate = _CANDIDATE.search(text, position - 1)
            else:
                candidate = _FIRST_LINE.match(text) or _CANDIDATE.search(text)
            if not candidate:
                return
            start = candidate.start() + (text[candidate.start()] == "\n")
            group = candidate.lastindex or 0
            place = candidate.start(group)
            sure = group == _ATX_GROUP and place - start <= 1
            leaf = Leaf.ATX if sure else self._leaf(group, start, place)
            if leaf is Leaf.OTHER:
                position = _next_line(text, candidate.end())
                continue
            if leaf is Leaf.ATX:
                behind = candidate.end()
                end = text.find("\n", behind)
                end = len(text) if end < 0 else end
                self.found.append((behind - place, start, end, _atx_content(text[behind:end])))
            elif leaf is Leaf.SETEXT:
                end = _line_end(text, place, len(text))
                first = self.containers.paragraph_start
                lines = text[first : start - 1].split("\n")
                markup = "\n".join(line.strip(" \t") for line in lines)
                if len(markup) <= LONGEST_SETEXT or _is_underlined(markup, text[place:end]):
                    self.found.append((1 if candidate[group][0] == "=" else 2, first, end, markup))
            elif leaf is Leaf.FENCE:
                end = _fence_end(text, place, candidate[group])
                self.blocks.append((start, end))
            else:
                end = _html_block_end(text, start, place)
                self.blocks.append((start, end))
            position = _next_line(text, end)
            self.containers.reset()
            self.origin = self.read_to = position

    def _leaf(self, group: int, start: int, place: int) -> Leaf:
        """What the candidate line is to the document itself.

        Indented by less than two spaces it lies in no list item; a heading, fence or HTML block then always begins,
        except that a lone tag does not interrupt a paragraph.
        """
        text = self.text
        kind = html_start(text, place) if group == _HTML_GROUP else ""
        if kind is None or (group == _FENCE_GROUP and not FENCE.match(text, place)):
            return Leaf.OTHER
        after_blank = start == self.origin or text.endswith("\n\n", 0, start)
        if group == _UNDERLINE_GROUP:
            return Leaf.OTHER if after_blank else self._read_through(start, place)
        if place - start > 1 or (kind == "tag" and not after_blank):
            return self._read_through(start, place)
        return {_ATX_GROUP: Leaf.ATX, _FENCE_GROUP: Leaf.FENCE, _HTML_GROUP: Leaf.HTML}[group]

    def _read_through(self, start: int, place: int) -> Leaf:
        """Follow containers up to the candidate line, from the last line that surely stands in none."""
        text = self.text
        fresh = _fresh_line(text, self.read_to, start)
        if fresh > self.read_to:
            self.containers.reset()
        line, leaf = fresh, Leaf.OTHER
        while line <= start:
            end = _line_end(text, line, len(text))
            leaf = self.containers.read(text, line, end)
            line = end + 1
        self.read_to = line
        return leaf

    def _is_defined(self, label: str) -> bool:
        if self.labels is None:
            found = _LINK_DEFINITION.findall(self.text)
            self.labels = frozenset(normalised_label(label) for label in found)
        return label in self.labels


def _line_end(text: str, position: int, end: int) -> int:
    """Where the line ends that holds `position`, without its line ending."""
    newline = text.find("\n", position, end)
    newline = end if newline < 0 else newline
    carriage = text.find("\r", position, newline)
    return newline if carriage < 0 else carriage


def _next_line(text: str, position: int) -> int:
    newline = text.find("\n", position)
    return len(text) if newline < 0 else newline + 1


def _fresh_line(text: str, low: int, start: int) -> int:
    """The last line in [low, start] that follows an empty one and is indented by less than two spaces; else `low`.

    The empty line ended every paragraph, and no list item has content so far left.
    """
    end = start
    while True:
        empty = text.rfind("\n\n", low, end)
        if empty < 0:
            return low
        line = empty + 2
        if text[line] == " ":
            line += 1
        if line < len(text) and text[line] not in " \t\n":
            return empty + 2
        end = empty + 1


def _atx_content(rest: str) -> str:
    """What stands behind the opening sequence, without the closing one."""
    content = rest.strip(" \t")
    if not content.endswith("#"):
        return content
    without = content.rstrip("#")
    return without.rstrip(" \t") if not without or without[-1] in " \t" else content


def _without_attributes(markup: str) -> str:
    """The markup without a trailing `{#id .class}`."""
    opening = markup.rfind("{")
    return markup[:opening] if opening >= 0 and _ATTRIBUTES.match(markup, opening) else markup


def _fence_end(text: str, place: int, fence: str) -> int:
    """Where the closing fence's line ends; the end of the text for one that is not closed."""
    position = _line_end(text, place, len(text))
    while True:
        closing = _FENCE_LINE.search(text, position)
        if not closing:
            return len(text)
        if closing[1].startswith(fence):
            return closing.end()
        position = closing.end()


def _html_block_end(text: str, start: int, place: int) -> int:
    """Where the last line of an HTML block ends."""
    ending = html_end(html_start(text, place) or "").search(text, place)
    if not ending:
        return len(text)
    if ending.re is BLANK_LINE:
        return ending.start()
    return _line_end(text, ending.end(), len(text))
