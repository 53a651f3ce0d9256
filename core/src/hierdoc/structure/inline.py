"""Inline markdown to plain text: what a reader sees of a heading.

Follows CommonMark 0.31, chapter 6: code spans, escapes, entities, links, images, autolinks, raw HTML and emphasis with
its delimiter runs. Linear in the length of the markup, however many brackets, backticks and asterisks stay open.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass


def plain_text(markup: str, is_defined: Callable[[str], bool] = lambda label: False) -> str:
    r"""The text of inline markup: emphasis, ticks, tags and link targets gone, images replaced by their description.

    Args:
        markup: Inline markdown of one block; line endings are `\n`.
        is_defined: Whether the document defines a link reference of this (normalised) label.

    Returns:
        One line, its white space collapsed.
    """
    if _SPECIAL.search(markup):
        markup = _Reader(markup, is_defined).read()
    return " ".join(markup.split())


def normalised_label(label: str) -> str:
    """The form in which CommonMark compares labels of link references."""
    return " ".join(label.split()).casefold()


_SPECIAL = re.compile(r"[\\`*_\[\]!<&]")
_ORDINARY = re.compile(r"[^\\`*_\[\]!<&]+")
_TICKS = re.compile(r"`+")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_AUTOLINK = re.compile(
    r"<([A-Za-z][A-Za-z0-9+.\-]{1,31}:[^\s<>\x00-\x20]*|[A-Za-z0-9.!#$%&'*+/=?^_`{|}~\-]+@[A-Za-z0-9.\-]+)>"
)
_TAG = re.compile(
    r"</[A-Za-z][A-Za-z0-9\-]*\s*>"
    r"|<[A-Za-z][A-Za-z0-9\-]*(?:\s+[A-Za-z_:][A-Za-z0-9_.:\-]*(?:\s*=\s*(?:[^\s\"'=<>`]+|'[^']*'|\"[^\"]*\"))?)*\s*/?>"
)
_MARKED_SECTIONS = (("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>"), ("<!", ">"))
_DESTINATION = re.compile(r"\(\s*(?:<(?:[^<>\n\\]|\\.)*>)?")
_BARE = re.compile(r"(?:[^\x00-\x20\x7f\\()]|\\[!-/:-@\[-`{-~]?)+")
_TITLE = re.compile(
    r"(?:\s+(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\)))?\s*\)", re.DOTALL
)
_LETTER = re.compile(r"[A-Za-z]")
_LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.){0,999})\]", re.DOTALL)
_MOST_NESTED_PARENTHESES = 32


@dataclass(slots=True)
class _Run:
    """A delimiter run: `count` characters of `character`, of which emphasis takes some away."""

    part: int
    character: str
    count: int
    length: int
    opens: bool
    closes: bool


@dataclass(slots=True)
class _Bracket:
    """An opening bracket: the part it is, the place behind it, and how many runs stood before it."""

    part: int
    after: int
    runs: int
    image: bool
    active: bool = True


class _Reader:
    """One reading of one piece of markup; `parts` grows into its text."""

    def __init__(self, markup: str, is_defined: Callable[[str], bool]) -> None:
        self.markup = markup
        self.is_defined = is_defined
        self.parts: list[str] = []
        self.runs: list[_Run] = []
        self.brackets: list[_Bracket] = []
        self.ticks = _tick_runs(markup)
        self.absent: set[str] = set()

    def read(self) -> str:
        markup, position = self.markup, 0
        while position < len(markup):
            ordinary = _ORDINARY.match(markup, position)
            if ordinary:
                self.parts.append(ordinary[0])
                position = ordinary.end()
            else:
                position = self._special(markup[position], position)
        _pair_emphasis(self.runs, 0)
        for run in self.runs:
            self.parts[run.part] = run.character * run.count
        return "".join(self.parts)

    def _special(self, character: str, position: int) -> int:
        """Read what begins with a special character; where it ends."""
        markup = self.markup
        if character == "\\":
            following = markup[position + 1 : position + 2]
            return (
                self._take(following, position + 2)
                if _is_escapable(following)
                else self._literal(position)
            )
        if character == "`":
            return self._code(position)
        if character == "&":
            entity = _ENTITY.match(markup, position)
            return (
                self._take(html.unescape(entity[0]), entity.end())
                if entity
                else self._literal(position)
            )
        if character == "<":
            return self._angle(position)
        if character in "*_":
            return self._run(character, position)
        if character == "[":
            return self._open(position, position + 1, image=False)
        if character == "!" and markup.startswith("[", position + 1):
            return self._open(position, position + 2, image=True)
        return self._close(position) if character == "]" else self._literal(position)

    def _take(self, text: str, end: int) -> int:
        self.parts.append(text)
        return end

    def _literal(self, position: int) -> int:
        return self._take(self.markup[position], position + 1)

    def _code(self, position: int) -> int:
        opening = _TICKS.match(self.markup, position)
        assert opening is not None
        starts = self.ticks.get(len(opening[0]), [])
        while starts and starts[-1] <= position:
            starts.pop()
        if not starts:
            return self._take(opening[0], opening.end())
        code = self.markup[opening.end() : starts[-1]].replace("\n", " ")
        if code[0] == code[-1] == " " and code.strip(" "):
            code = code[1:-1]
        return self._take(code, starts[-1] + len(opening[0]))

    def _angle(self, position: int) -> int:
        autolink = _AUTOLINK.match(self.markup, position)
        if autolink:
            return self._take(autolink[1], autolink.end())
        tag = _TAG.match(self.markup, position)
        if tag:
            return tag.end()
        for opening, closing in _MARKED_SECTIONS:
            if self.markup.startswith(opening, position):
                return self._marked_section(opening, closing, position)
        return self._literal(position)

    def _marked_section(self, opening: str, closing: str, position: int) -> int:
        """A comment, instruction, CDATA section or declaration; its end is not sought again once it is absent."""
        markup = self.markup
        if opening == "<!--" and markup.startswith((">", "->"), position + 4):
            return markup.index(">", position) + 1
        if opening == "<!" and not _LETTER.match(markup, position + 2):
            return self._literal(position)
        end = -1 if closing in self.absent else markup.find(closing, position + len(opening))
        if end < 0:
            self.absent.add(closing)
            return self._literal(position)
        return end + len(closing)

    def _run(self, character: str, position: int) -> int:
        markup, end = self.markup, position
        while end < len(markup) and markup[end] == character:
            end += 1
        opens, closes = _flanking(character, markup[position - 1 : position], markup[end : end + 1])
        length = end - position
        self.runs.append(_Run(len(self.parts), character, length, length, opens, closes))
        return self._take("", end)

    def _open(self, position: int, after: int, *, image: bool) -> int:
        self.brackets.append(_Bracket(len(self.parts), after, len(self.runs), image))
        return self._take(self.markup[position:after], after)

    def _close(self, position: int) -> int:
        if not self.brackets:
            return self._literal(position)
        bracket = self.brackets.pop()
        end = self._link_end(bracket, position) if bracket.active else -1
        if end < 0:
            return self._literal(position)
        self.parts[bracket.part] = ""
        _pair_emphasis(self.runs, bracket.runs)
        for run in self.runs[bracket.runs :]:
            self.parts[run.part] = run.character * run.count
        del self.runs[bracket.runs :]
        if not bracket.image:  # links do not hold links
            for outer in reversed(self.brackets):
                if not outer.active and not outer.image:
                    break
                outer.active = outer.active and outer.image
        return end

    def _link_end(self, bracket: _Bracket, position: int) -> int:
        """Where the target of the link whose text ends at `position` ends; -1 where there is none."""
        after = position + 1
        end = _target_end(self.markup, after)
        if end >= 0:
            return end
        own = self.markup[bracket.after : position] if position - bracket.after <= 999 else ""
        label = _LABEL.match(self.markup, after)
        if label and label[1].strip():
            return label.end() if self.is_defined(normalised_label(label[1])) else -1
        if own.strip() and self.is_defined(normalised_label(own)):
            return label.end() if label else after
        return -1


def _tick_runs(markup: str) -> dict[int, list[int]]:
    """For each length of backtick runs where they begin, the last first."""
    runs: dict[int, list[int]] = {}
    for run in reversed(list(_TICKS.finditer(markup))):
        runs.setdefault(len(run[0]), []).append(run.start())
    return runs


def _target_end(markup: str, position: int) -> int:
    """Where `(destination "title")` at this position ends; -1 where there is none."""
    opening = _DESTINATION.match(markup, position)
    if not opening:
        return -1
    end = opening.end()
    if not opening[0].endswith(">"):
        if markup.startswith("<", end):
            return -1
        end = _bare_destination_end(markup, end)
        if end < 0:
            return -1
    closing = _TITLE.match(markup, end)
    return closing.end() if closing else -1


def _bare_destination_end(markup: str, position: int) -> int:
    """Where a destination without angle brackets ends, before white space or the closing parenthesis; -1 if unbalanced."""
    depth = 0
    while position < len(markup):
        bare = _BARE.match(markup, position)
        if bare:
            position = bare.end()
        elif markup[position] == "(" and depth < _MOST_NESTED_PARENTHESES:
            depth += 1
            position += 1
        elif markup[position] == ")" and depth:
            depth -= 1
            position += 1
        else:
            break
    return -1 if depth else position


def _flanking(character: str, before: str, after: str) -> tuple[bool, bool]:
    """Whether a delimiter run may open and close emphasis, by the characters around it ("" at the ends)."""
    space_before, space_after = not before or before.isspace(), not after or after.isspace()
    punctuation_before, punctuation_after = _is_punctuation(before), _is_punctuation(after)
    left = not space_after and (not punctuation_after or space_before or punctuation_before)
    right = not space_before and (not punctuation_before or space_after or punctuation_after)
    if character == "*":
        return left, right
    return left and (not right or punctuation_before), right and (not left or punctuation_after)


def _pair_emphasis(runs: list[_Run], bottom: int) -> None:
    """Take away the delimiters that make emphasis, from `runs[bottom]` on: CommonMark's `process emphasis`."""
    floor: dict[tuple[str, bool, int], int] = {}
    openers: list[int] = []
    for index in range(bottom, len(runs)):
        closer = runs[index]
        while closer.closes and closer.count:
            key = (closer.character, closer.opens, closer.length % 3)
            depth = len(openers) - 1
            while depth >= floor.get(key, 0) and not _matches(runs[openers[depth]], closer):
                depth -= 1
            if depth < floor.get(key, 0):
                floor[key] = len(openers)
                break
            opener = runs[openers[depth]]
            used = 2 if opener.count >= 2 and closer.count >= 2 else 1
            opener.count -= used
            closer.count -= used
            del openers[depth + (opener.count > 0) :]
            floor = {key: min(low, len(openers)) for key, low in floor.items()}
        if closer.opens and closer.count:
            openers.append(index)


def _matches(opener: _Run, closer: _Run) -> bool:
    if opener.character != closer.character:
        return False
    both = opener.closes or closer.opens
    multiple = (opener.length + closer.length) % 3 == 0
    return not (both and multiple and (opener.length % 3 or closer.length % 3))


def _is_escapable(character: str) -> bool:
    return character != "" and character in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


def _is_punctuation(character: str) -> bool:
    return character != "" and unicodedata.category(character)[0] in "PS"
