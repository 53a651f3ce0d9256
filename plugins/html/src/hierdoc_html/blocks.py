"""The blocks that HTML becomes on its way to markdown, and how they are written down."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from hierdoc import Division

LINE_BREAK = "\u2028"
"""The text of a piece that is a line break; all other white space is a space."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a paragraph's text.

    Attributes:
        text: Its characters, white space not yet collapsed.
        marks: What it is marked with, outermost first: for a link `](target)`, then `**`, `*`, `~~`, `` ` ``.
        in_link: Whether it lies in a link, wherever that leads.
    """

    text: str
    marks: tuple[str, ...] = ()
    in_link: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """The beginning of a division that a format states; see `hierdoc.Division`.

    Attributes:
        level: From 1.
        key: See there.
        enumerator: See there.
        lead: Of a numbered paragraph, what it begins with: the number as written, and the heading behind it.
    """

    level: int
    key: str | None = None
    enumerator: str = ""
    lead: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, code block or the like.

    Attributes:
        kind: What it is; a `table` is written already, a `rule` has no text.
        text: Its inline markdown or, for code, the lines.
        level: Of a heading.
        first: What its first line begins with, such as the marker of a list item.
        rest: What its other lines begin with.
        strong: Whether the whole paragraph is bold.
        linked: Whether the whole paragraph is a link.
        info: The language of code.
        mark: The division that begins with it.
    """

    kind: Literal["paragraph", "heading", "code", "table", "rule"]
    text: str = ""
    level: int = 0
    first: str = ""
    rest: str = ""
    strong: bool = False
    linked: bool = False
    info: str = ""
    mark: Mark | None = None

    def within(self, first: str, rest: str) -> Block:
        """The block inside one more container; headings stay outside of all."""
        if self.kind == "heading":
            return self
        return replace(self, first=first + self.first, rest=rest + self.rest)


def paragraph(pieces: Sequence[Piece]) -> Block | None:
    """The paragraph that these pieces make; None where they hold no text.

    Bold or italics that cover all of it are left out: they say what kind of paragraph it is, and `strong` keeps that.
    """
    visible = [piece for piece in pieces if not _is_blank(piece)]
    if not visible:
        return None
    common = {mark for mark in ("**", "*") if all(mark in piece.marks for piece in visible)}
    text = _LINE_START.sub(r"\\\g<0>", _written(pieces, common))
    if not text:
        return None
    linked = all(piece.in_link for piece in visible)
    return Block("paragraph", text, strong="**" in common, linked=linked)


def heading(text: str, level: int) -> Block:
    """The heading of this inline markdown without marks, on one line."""
    return Block("heading", " ".join(_HEADING_SPECIAL.sub(r"\\\g<0>", text).split()), level)


def write(blocks: Sequence[Block]) -> str:
    """The blocks as markdown: one empty line between them, none before list items that follow each other."""
    return write_outlined(blocks)[0]


def write_outlined(blocks: Sequence[Block]) -> tuple[str, tuple[Division, ...]]:
    """The blocks as markdown, and the divisions that begin with those that are marked."""
    lines: list[str] = []
    outline: list[Division] = []
    length = 0
    for i, block in enumerate(blocks):
        if i and not _follows_closely(blocks[i - 1], block):
            lines.append("\n")
            length += 1
        prefix, start = block.first, length
        for line in _lines(block):
            lines.append(f"{prefix}{line}".rstrip() + "\n")
            length += len(lines[-1])
            prefix = block.rest
        if block.mark and length > start:
            outline.append(_division(block, block.mark, start, length - 1))
    return "".join(lines), tuple(outline)


def _division(block: Block, mark: Mark, start: int, end: int) -> Division:
    """What begins with a marked block, which stands from `start` to `end`."""
    if not mark.lead:
        title = _ESCAPE.sub("", " ".join(block.text.split()))
        return Division(start, end, mark.level, title, mark.key)
    lead = mark.lead if block.text.startswith(mark.lead) else block.text.partition(" ")[0]
    body = min(start + len(block.first) + len(lead), end)
    return Division(start, body, mark.level, lead.rstrip(" —–-"), mark.key, mark.enumerator)


_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")
_TAG_LIKE = re.compile(r"<(?=[A-Za-z/!?])")
_LINE_START = re.compile(r"^(?:#{1,6}(?=\s|$)|>|`{3,}|~{3,}|(?:=+|--+)$)", re.MULTILINE)
"""What would begin another kind of block, or make a heading of the line before."""

_HEADING_SPECIAL = re.compile(r"[*`]|#+\s*$")
_ESCAPE = re.compile(r"\\(?=[*`<#>~=-])")
_BARE_LINK = re.compile(r"\[(https?://[^\]\s]+)\]\(\1\)")
_ITEM = re.compile(r"\s*(?:>\s*)*(?:-|\d+\.|:) ")
_TICKS = re.compile(r"`+")


def _is_blank(piece: Piece) -> bool:
    return not piece.text or piece.text.isspace()


def _written(pieces: Sequence[Piece], dropped: set[str]) -> str:
    """Inline markdown: white space collapsed and moved out of the marks, soft hyphens and the like left out."""
    parts: list[str] = []
    open_marks: tuple[str, ...] = ()
    space = False
    for piece in pieces:
        if piece.text == LINE_BREAK:
            parts += [*_closing(open_marks), "\n"]
            open_marks, space = (), False
            continue
        words = _INVISIBLE.sub("", piece.text)
        text = " ".join(words.split())
        if not text:
            space = space or bool(words)
            continue
        text = _code_span(text) if "`" in piece.marks else _TAG_LIKE.sub(r"\\<", text)
        marks = tuple(mark for mark in piece.marks if mark != "`" and mark not in dropped)
        if marks != open_marks:
            shared = _shared(open_marks, marks)
            parts += _closing(open_marks[shared:])
        if (space or words[0].isspace()) and parts and parts[-1] != "\n":
            parts.append(" ")
        if marks != open_marks:
            parts += ["[" if mark.startswith("]") else mark for mark in marks[shared:]]
            open_marks = marks
        parts.append(text)
        space = words[-1].isspace()
    written = "".join([*parts, *_closing(open_marks)]).strip()
    return _BARE_LINK.sub(r"\1", written) if "](" in written else written


def _closing(marks: Sequence[str]) -> list[str]:
    return list(reversed(marks))


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many marks both begin with."""
    count = 0
    while count < min(len(one), len(other)) and one[count] == other[count]:
        count += 1
    return count


def _code_span(text: str) -> str:
    ticks = "`" * (1 + max((len(run) for run in _TICKS.findall(text)), default=0))
    pad = " " if len(ticks) > 1 else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _follows_closely(before: Block, block: Block) -> bool:
    if block.kind != "paragraph" or before.kind != "paragraph" or not _ITEM.match(block.first):
        return False
    return bool(before.rest) or block.first.strip() == ":"


def _lines(block: Block) -> list[str]:
    if block.kind == "heading":
        return [f"{'#' * block.level} {block.text}"]
    if block.kind == "rule":
        return ["***"]
    lines = block.text.split("\n")
    if block.kind != "code":
        return lines
    ticks = max((len(run) for run in _TICKS.findall(block.text)), default=0)
    fence = "`" * max(3, ticks + 1)
    return [f"{fence}{block.info}", *lines, fence]
