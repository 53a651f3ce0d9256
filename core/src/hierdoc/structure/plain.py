"""What plain text has for headings: underlined lines, those of manual pages and wikis, and `#` only where it is meant.

Markdown's headings are found in plain text too, for much of it is written so. But `# default; deny access` in an example of a manual
is a comment, `*****` below a line underlines it, and the sections of a manual page are lines that are not indented. What is found here
is as sure as an author's headings of markdown.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter

from hierdoc.structure.manual_pages import manual_headings, manual_name
from hierdoc.structure.markdown import Heading, find_headings_and_blocks
from hierdoc.structure.org import read_org
from hierdoc.structure.spans import Spans


@dataclass(frozen=True, slots=True)
class Plain:
    """A plain text as it is read.

    Attributes:
        text: Of the same length as the text, with rules written as markdown writes them.
        headings: In order.
        blocks: Spans of front matter, fences and HTML, in order.
    """

    text: str
    headings: tuple[Heading, ...]
    blocks: tuple[tuple[int, int], ...]


def read_plain(text: str) -> Plain:
    r"""A plain text as it is read.

    Args:
        text: With all line endings written `\n`.
    """
    if manual_name(text):
        return Plain(text, tuple(manual_headings(text)), ())
    if org := read_org(text):
        return Plain(text, tuple(org[0]), org[1])
    text = _without_boxes(text)
    bare, underlined = _without_rules(_without_subjects(text))
    found, blocks = find_headings_and_blocks(bare)
    within = Spans(blocks)
    own = [*underlined, *_between_signs(text)]
    ruled = [one for one in own if not within.holds(one.char_start)]
    others = [one for one in found if not _is_header(text, one)]
    headings = sorted([*_without_comments(text, others, len(ruled)), *ruled], key=_start)
    return Plain(bare, tuple(headings), tuple(blocks))


# Comments


def _without_comments(text: str, headings: Sequence[Heading], ruled: int) -> list[Heading]:
    """The headings; lines with `#` only where the text is written as markdown is, and none that may be a comment.

    Args:
        text: Plain text.
        headings: All that markdown takes for headings.
        ruled: How many others there are.
    """
    hashed = [one for one in headings if _is_hashed(text, one)]
    if not hashed:
        return list(headings)
    ends = {one.char_end for one in headings}
    alone: list[Heading] = []
    leading: list[Heading] = []
    for one in hashed:
        above = text[: one.char_start].rstrip()
        apart = text.count("\n", len(above), one.char_start) > 1 or not above or len(above) in ends
        if not apart or not one.title:
            continue
        below = _BELOW.match(text, one.char_end)
        (alone if below else leading).append(one)
    ruled += len(headings) - len(hashed)
    meant = () if ruled > len(hashed) else _meant(text, hashed, alone, leading)
    kept = {one.char_start for one in meant}
    return [one for one in headings if one.char_start in kept or not _is_hashed(text, one)]


def _meant(
    text: str,
    hashed: Sequence[Heading],
    alone: Sequence[Heading],
    leading: Sequence[Heading],
) -> Sequence[Heading]:
    """Those of the lines with `#` that are headings: the text opens with one, or they have several levels, or divide it and nothing else does.

    Args:
        text: Plain text.
        hashed: All of them.
        alone: Those of these between blank lines.
        leading: Those with a blank line above and text right below.
    """
    marks = sorted([*alone, *leading], key=_start)
    others = len(hashed) - len(marks)
    if not marks or others >= len(marks):
        return ()
    first = marks[0].char_start
    several = len({one.level for one in marks}) > 1
    opens = not text[:first].strip()
    divides = (
        len(alone) >= _FEWEST
        and not leading
        and not others
        and first <= _OPENING
        and not _NUMBERED.search(text, 0, first)
    )
    if not (several or opens or divides):
        return ()
    return alone if len(alone) >= len(leading) else marks


def _is_hashed(text: str, heading: Heading) -> bool:
    return _HASH.match(text, heading.char_start) is not None


_start = attrgetter("char_start")
_HASH = re.compile(r"\ufeff? {0,3}#")
_BELOW = re.compile(r"[ \t]*(?:\n[ \t]*(?=\n|\Z| {0,3}#{1,6}[ \t])|\Z)")
_NUMBERED = re.compile(r"\n[ \t]*\n[ \t]*[0-9]{1,3}(?:\.[0-9]{1,3})*\.?[ \t]+[^\W\d_]")
_FEWEST = 2
_OPENING = 2_000
"""Characters before the first heading at most, where all have one level."""


# Rules


def _without_rules(text: str) -> tuple[str, list[Heading]]:
    """The text with spaces for the rules that underline headings, and these headings.

    Where there are others than those of markdown, kinds of rules have levels in the order in which they come, as in reStructuredText.
    """
    rules = [(rule, title) for rule in _RULE.finditer(text) if (title := _title_above(text, rule))]
    kinds = [(rule[1], _overlines(text, title)) for rule, title in rules]
    order = list(dict.fromkeys(kinds))
    if all(kind in _OF_MARKDOWN for kind in order):
        order = list(_OF_MARKDOWN)
    headings: list[Heading] = []
    pieces: list[str] = []
    behind = line = counted = 0
    for (rule, title), kind in zip(rules, kinds, strict=True):
        start = title.start()
        line += text.count("\n", counted, start)
        counted = start
        level = min(order.index(kind) + 1, _DEEPEST)
        headings.append(
            Heading(level, " ".join(title[1].split()), title[1], start, rule.end(2), line + 1)
        )
        if kind[1]:
            above = text.rfind("\n", 0, title.start() - 1) + 1
            pieces += [text[behind:above], " " * (title.start() - 1 - above)]
            behind = title.start() - 1
        pieces += [text[behind : rule.start(2)], " " * len(rule[2])]
        behind = rule.end(2)
    pieces.append(text[behind:])
    return "".join(pieces), headings


def _title_above(text: str, rule: re.Match[str]) -> re.Match[str] | None:
    """The line above a rule that is about as long, below a blank line or the same rule; None where it is no heading."""
    start = text.rfind("\n", 0, rule.start()) + 1
    title = _TITLE.match(text, start, rule.start())
    if (
        not title
        or title[1][0] == rule[1]
        or title[1][-1] in ",;:"
        or _COLUMNS.search(title[1])
        or not any(map(str.isalpha, title[1]))
        or not len(title[1]) - _TOLERANCE <= len(rule[2]) <= _longest_rule(title[1])
    ):
        return None
    above = _line_above(text, start)
    return title if not above or above == rule[2] else None


def _longest_rule(title: str) -> int:
    """How long a rule is at most that underlines a title: hardly longer than it, unless a number shows what it is."""
    return _width(title) * (2 if _COUNTED.match(title) else 1) + _TOLERANCE


def _overlines(text: str, title: re.Match[str]) -> bool:
    """Whether a rule stands above a heading, too."""
    return bool(_line_above(text, title.start()))


def _line_above(text: str, start: int) -> str:
    return text[text.rfind("\n", 0, max(0, start - 1)) + 1 : max(0, start - 1)].strip()


def _is_header(text: str, heading: Heading) -> bool:
    """Whether a line above a rule has columns, as the header of a table has."""
    return not _is_hashed(text, heading) and _COLUMNS.search(heading.markup) is not None


# Boxes


def _without_boxes(text: str) -> str:
    """The text with spaces for what frames a part of it: rules above and below, and signs before, or around, each line between."""
    rules = list(_FRAME.finditer(text)) if any(sign in text for sign in _FRAMES) else []
    pieces: list[str] = []
    behind = 0
    for above, below in pairwise(rules):
        start, end = above.end(), below.start()
        if above.start() < behind or above[1] != below[1] or not 0 < end - start <= _LARGEST_BOX:
            continue
        framed = _unframed(text[start:end], above[1])
        if framed is not None:
            blank = " " * len(above[0])
            pieces += [text[behind : above.start()], blank, framed, " " * len(below[0])]
            behind = below.end()
    pieces.append(text[behind:])
    return "".join(pieces)


def _unframed(inner: str, sign: str) -> str | None:
    """Lines without the signs at their sides; None where one has none, or has columns, as rows of tables have."""
    side = "|" if sign == "+" else sign
    lines: list[str] = []
    for line in inner.split("\n")[1:-1]:
        shown = line.strip()
        if shown[:1] != side or (side == "|" and shown.count("|") != _SIDES):
            return None
        place = line.index(side)
        line = f"{line[:place]} {line[place + 1 :]}"
        if len(shown) > 1 and shown[-1] == side:
            place = line.rindex(side)
            line = f"{line[:place]} {line[place + 1 :]}"
        lines.append(line)
    return "\n".join(["", *lines, ""]) if lines else None


# Wikis and frequently asked questions


def _between_signs(text: str) -> list[Heading]:
    """Headings as wikis have them, `== Filling ==`; two at least."""
    lines = list(_BETWEEN.finditer(text)) if "\n==" in text or text.startswith("==") else []
    if len(lines) < _FEWEST:
        return []
    headings = []
    line = counted = 0
    for found in lines:
        line += text.count("\n", counted, found.start())
        counted = found.start()
        title = " ".join(found[2].split())
        headings.append(
            Heading(len(found[1]), title, found[2], found.start(), found.end(), line + 1)
        )
    return headings


def _without_subjects(text: str) -> str:
    """The text with spaces for the `Subject:` that stands before each question of a list of them."""
    if text.count("\nSubject: ") < _FEWEST_QUESTIONS:
        return text
    return _SUBJECT.sub(lambda found: " " * len(found[0]), text)


def _width(title: str) -> int:
    """In columns: letters of Chinese, Japanese and Korean take two."""
    if title.isascii():
        return len(title)
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in title)


_RULE = re.compile(r"\n[ ]{0,3}(?=([=*~^\"+#.`-]))(\1{3,})[ \t]*(?=\n|\Z)")
_TITLE = re.compile(r"[ ]{0,3}([^\s](?:[^\n]{0,298}[^\s])?)[ \t]*\Z")
_COUNTED = re.compile(r"[0-9]{1,2}(?:\.[0-9]{1,2}){0,3}\.?[ \t]+[A-Z]")
_COLUMNS = re.compile(r"\S(?:[ ]{3,}|\t)\S")
_FRAME = re.compile(r"(?m)^[ \t]{0,20}(?=([*#+|]))(?:([*#|])\2{29,}|\+-{28,}\+)(?=[ \t]*$)")
_FRAMES = ("*" * 30, "#" * 30, "-" * 28 + "+")
_LARGEST_BOX = 8_000
_SIDES = 2
_BETWEEN = re.compile(
    r"^(={2,6})[ \t]*([^=\s](?:[^=\n]{0,150}[^=\s])?)[ \t]*\1[ \t]*$", re.MULTILINE
)
_SUBJECT = re.compile(r"^Subject:(?=[ ]+[0-9]{1,3}(?:\.[0-9]{1,3})*\.?[ ]+\S)", re.MULTILINE)
_FEWEST_QUESTIONS = 3
_OF_MARKDOWN = (("=", False), ("-", False))
_TOLERANCE = 2
_DEEPEST = 6
