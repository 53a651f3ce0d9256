"""Headings that are no markdown: lines that begin with a label and a number, or are bold as a whole.

A line counts only where it can hardly be anything else: it begins with a capital label, what stands before it is over, and
behind the number comes a heading, a full stop or nothing (`SEC. 203. REPORTS.`, `Section 6. Quorum. A majority …`, `§ 4.2`), not
the rest of a sentence (`Section 5 applies where …`). Lines of tables of contents and what stands within fences are none.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hierdoc.structure.domains import DIVISIONS
from hierdoc.structure.labels import LABELS, LEVELS, PLURALS
from hierdoc.structure.numbering import section_key


@dataclass(slots=True)
class Mark:
    """A heading, markdown's or implied.

    Attributes:
        start: Where it begins.
        body: Where the text behind it begins.
        title: On one line, without markup.
        level: 1 to 6 for markdown's, 0 for an implied one.
        key: Of a numbered heading.
        label: The first part of the key, or `number` for a heading that begins with its number alone; None without a number.
        number: The parts of the number, as in the key.
        enumerator: Of an enumerated subsection, as a part of a key: `a`, `1`, `iv`.
    """

    start: int
    body: int
    title: str
    level: int = 0
    key: str | None = None
    label: str | None = None
    number: tuple[str, ...] = ()
    enumerator: str = ""

    @property
    def bold(self) -> bool:
        """Whether it is a heading only by being bold."""
        return not self.level and self.label is None and not self.enumerator


def heading_mark(start: int, body: int, title: str, level: int) -> Mark:
    """The mark of a markdown heading."""
    key = section_key(title)
    if key is None:
        step = _STEP.match(title)
        if step:
            return Mark(start, body, title, level, f"step_{step[1]}", "step", (step[1],))
        return Mark(start, body, title, level)
    label, *number = key.split("_")
    bare = title.lstrip()[:1].isdigit()
    return Mark(start, body, title, level, key, "number" if bare else label, tuple(number))


def find_labelled(text: str, hidden: Hidden, *, numbered: bool) -> list[Mark]:
    """Lines that begin with a label and a number, or with a number alone, in order.

    Args:
        text: The document.
        hidden: What of it holds no headings.
        numbered: Whether to look for `1. Scope` too; lists of ordinary documents look the same.
    """
    found: list[Mark] = []
    line_before = -1
    for line in (_LINE_OR_ITEM if numbered else _LINE).finditer(text):
        read = _labelled if line[2] else _numbered
        mark = read(text, line, line_before)
        if mark and not hidden.holds(mark.start):
            found.append(mark)
            line_before = line_end(text, mark.start)
    return found


def find_bold(text: str, hidden: Hidden) -> list[Mark]:
    """Paragraphs that are bold as a whole and read like a heading."""
    found = []
    for line in _BOLD.finditer(text):
        start, title = line.start(1), line[2].strip()
        before = text[max(0, start - _REACH) : start].rstrip(" ").removesuffix("\n")
        before = before[before.rfind("\n") + 1 :].strip()
        if (
            (not before or before.startswith("#"))
            and len(title) <= _LONGEST_HEADING
            and title[-1] not in ":,;?"
            and "**" not in title
            and any(map(str.isalpha, title))
            and not (title[-1] == "." and _VERB.search(title))
            and not hidden.holds(start)
        ):
            found.append(Mark(start, line.end(1), " ".join(title.split())))
    return found


def find_recitals(text: str) -> list[Mark]:
    """The line behind which numbered recitals stand, if there is one."""
    line = _RECITALS.search(text)
    return [Mark(line.start(1), line.end(1), line[1])] if line else []


class LinePattern:
    """A regular expression for the beginnings of lines; one that begins with a line ending is found much faster."""

    def __init__(self, pattern: str) -> None:
        self._first = re.compile("\ufeff?" + pattern)
        self._others = re.compile("\n" + pattern)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All lines that begin so, in order."""
        first = self._first.match(text)
        if first:
            yield first
        yield from self._others.finditer(text)


class Hidden:
    """Spans of a text in which no structure is looked for, in any order."""

    def __init__(self, spans: Sequence[tuple[int, int]]) -> None:
        self._ends: list[int] = []
        self._starts: list[int] = []
        for start, end in sorted(spans):
            if not self._ends or end > self._ends[-1]:
                self._starts.append(start)
                self._ends.append(end)

    def holds(self, position: int) -> bool:
        """Whether a place lies within one of them."""
        place = bisect_right(self._starts, position) - 1
        return place >= 0 and position < self._ends[place]


def line_end(text: str, position: int) -> int:
    """Where the line ends that holds a place, without its line ending."""
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def begins_paragraph(text: str, start: int, line_before: int, *, item: bool = False) -> bool:
    """Whether what stands before a line is over, so that the line does not go on with it.

    Args:
        text: The document.
        start: Where the line's text begins.
        line_before: Where a line ends that is known to be a heading or item of its own.
        item: Whether the line is an item, before which a comma or a short item may stand.
    """
    low = max(0, start - _REACH)
    gap = text[low:start]
    before = gap.rstrip(_BLANK)
    if not before:
        return True
    if _DANGLING.search(before[-_LONGEST_DANGLING:]):
        return False
    ending = gap[len(before) :]
    if ending.count("\n") > 1 or "\f" in ending:
        return True
    if text[start] == "(" and _CONJUNCTION.search(before[-10:]):
        return item and bool(_JOINED.search(before[-10:]))
    if low + len(before) == line_before and (not item or len(before) - before.rfind("\n") <= 60):
        return True
    bare = before.rstrip("\"'”’»)]*_")
    last = bare[-1:]
    if last in _ENDING or (item and last == ","):
        return True
    if item:
        return bool(_JOINED.search(before[-10:]))
    line = before[before.rfind("\n") + 1 :].strip()
    return line.startswith("#") or (line.isupper() and len(line) <= _LONGEST_HEADING)


def heading_behind(text: str, position: int, *, item: bool = False) -> int:
    """Where a run-in heading ends that begins here, behind a number; `position` where there is none.

    `IN GENERAL.—The …`, `Quorum. A majority …`, or the whole line where it reads like a heading.
    """
    end = min(line_end(text, position), position + 2 * _LONGEST_HEADING)
    line = text[position:end]
    first = line.lstrip(" \t*_\"'“‘")[:1]
    if not first.isupper():
        return position
    dash = _DASHED.match(line)
    if dash:
        return position + dash.end(1)
    sentence = _SENTENCE.match(line)
    if sentence and _is_title(sentence[1]):
        return position + sentence.end()
    return _whole_line(text, position, item=item)


_PREFIXES = {
    word: label for label, listed in LABELS.items() if label in DIVISIONS for word in listed.split()
}
_LONGEST_HEADING = 160
_LONGEST_ITEM_HEADING = 80
_REACH = 220
_LONGEST_DANGLING = 20
"""Characters at the end of a line that show that it goes on."""

_BLANK = " \t\xa0\r\n\f\ufeff"
_ENDING = frozenset(".;:!?—–…")

_NUMBER = (
    r"[0-9]{1,6}[A-Za-z]{0,2}(?:[.\-–][0-9]{1,6}[A-Za-z]{0,2}){0,6}(?![\w-])"
    r"|[IVXLCDM]{1,9}(?:-?[A-Z])?(?!\w)|[A-Z]{1,2}(?:[.-][0-9]{1,4}){0,3}(?!\w)"
)
_LINE_START = r"[ \t\xa0\f\r]{0,80}((?:\*\*|__)?(?:"


def _any_of(words: Iterable[str]) -> str:
    """A regular expression for these words that looks at each letter once."""
    letters: dict[str, list[str]] = {}
    whole = False
    for word in words:
        if word:
            letters.setdefault(word[0], []).append(word[1:])
        else:
            whole = True
    branches = "|".join(re.escape(first) + _any_of(rest) for first, rest in letters.items())
    if not branches:
        return ""
    return f"(?:{branches})?" if whole else f"(?:{branches})"


_WORDS = sorted(
    {
        form
        for word in (*_PREFIXES, "step", "schritt")
        if word not in PLURALS
        for form in (word.upper(), word.capitalize())
    }
)
_LABELLED = rf"({_any_of(_WORDS)})(?![^\W\d_])(?:\.?[ \xa0\t]{{1,4}}|(?<=§)|(?<=[Aa]rt)\.)(?:\*\*[ ]?)?({_NUMBER})"
_LINE = LinePattern(
    rf"{_LINE_START}{_LABELLED}"
    r"|([0-9]{1,3}(?:\.[0-9]{1,3}){1,6}|[A-Z](?:\.[0-9]{1,3}){1,4})\.?[ \t\xa0]|([0-9]{1,4}[A-Z]{0,3})[ \t\xa0]{1,8}(?=[A-Z‘“]))"
    r")"
)
_LINE_OR_ITEM = LinePattern(
    rf"{_LINE_START}{_LABELLED}"
    r"|([0-9]{1,3}(?:\.[0-9]{1,3}){1,6}|[A-Z](?:\.[0-9]{1,3}){1,4}|[0-9]{1,3}(?=\.))\.?[ \t\xa0]|([0-9]{1,4}[A-Z]{0,3})[ \t\xa0]{1,8}(?=[A-Z‘“]))"
    r")"
)
_BOLD = LinePattern(
    r" {0,3}((?:\*\*|__)(?=\S)([^\n]{2,400}?)(?:\*\*|__))[ \t\r]*(?=\n[ \t\r]*(?:\n|\Z)|\Z)"
)
_STEP = re.compile(r"(?:Step|STEP|Schritt)[ \xa0]([0-9]{1,3})\b")
_SEPARATOR = re.compile(
    r"\*{0,2}[ \t\xa0]{0,4}(?:\.[ \t\xa0]?[—–-]{1,2}|[.:]|[—–]|-{1,2}(?=[ \t\xa0]))\*{0,2}[ \t\xa0]*\*{0,2}"
)
_SPACE = re.compile(r"\*{0,2}[ \t\xa0]+")
_PARENTHESISED = re.compile(r"[ \xa0]?\((?:1|a)\)[ \xa0][^\W\d_a-zß-ÿ]")
_LEADERS = re.compile(r"\.{4,}|(?:[.·] ){4,}|…{2,}|·{4,}|_{4,}|(?:\t| {3,})[0-9ivx]{1,5}[ \t]*\Z")
_DANGLING = re.compile(
    r"(?:\b(?:[Ss]ections?|[Ss]ubsections?|[Pp]aragraphs?|[Ss]ubparagraphs?|[Cc]lauses?|[Aa]rticles?|[Cc]hapters?|[Pp]oints?"
    r"|§+|Absatz|Absätze|Abs\.|Nummer|Nr\.|Artikels?|under|of|see|See|vgl\.|gemäß|nach)"
    r"|[0-9)] ?(?:,|(?:,? ?(?:and|or|to|through|und|oder|bis)))|\))\Z(?<!\.\))(?<!\)\))",
)
_CONJUNCTION = re.compile(r"\s(?:and|or|und|oder|et|ou|and/or)\Z")
_JOINED = re.compile(r"[,;:]\s(?:and|or|und|oder|et|ou|and/or)\Z")
_VERB = re.compile(
    r"\b(?:shall|may|must|will|is|are|was|were|has|have|had|means|applies|apply|provides?|requires?|ist|sind|gilt|gelten|findet"
    r"|finden|wird|werden|kann|können|hat|haben|can|should|ensures?)\b"
)
_DASHED = re.compile(r"((?:[^.;:—–\n]|\.(?=\w)){1,160}?[.:]?[ ]?\*{0,2}[ ]?(?:[—–]|--))(?=\s?\S)")
_SENTENCE = re.compile(r"([^.;:!?\n]{2,100})\.[*_]{0,2}[ \t]+(?=[A-Z(\"“‘À-Þ])")
_SMALL_WORDS = frozenset(
    [
        "a",
        "an",
        "and",
        "as",
        "at",
        "by",
        "for",
        "from",
        "in",
        "into",
        "of",
        "on",
        "or",
        "per",
        "the",
        "to",
        "under",
        "upon",
        "with",
        "without",
        "within",
        "between",
        "etc",
    ]
)
_NO_TITLE = frozenset(
    [
        "the",
        "each",
        "no",
        "any",
        "this",
        "if",
        "all",
        "in",
        "a",
        "an",
        "for",
        "upon",
        "subject",
        "such",
        "these",
        "every",
    ]
)
_RECITALS = re.compile(
    r"\n[ \t\xa0]{0,80}((?:Whereas|WHEREAS|in Erwägung nachstehender Gründe|considérant ce qui suit) ?:?)"
    r"(?=[ \t\r]*\n\s*\(1\))"
)
_NEXT_LINE = re.compile(r"[ \t\r]*\n([ \t\r]*\n)?[ \t\xa0]*(?:\*\*)?(\S?)([^\n]{0,200})")


def _labelled(text: str, line: re.Match[str], line_before: int) -> Mark | None:
    word, start, end = line[2], line.start(1), line.end(1)
    step = word.lower() in ("step", "schritt")
    last = line_end(text, end)
    rest = text[end : min(last, end + 2 * _LONGEST_HEADING)]
    if _LEADERS.search(rest):
        return None
    body = _body_behind(text, end, rest)
    if body is None or not begins_paragraph(text, start, line_before):
        return None
    number = line[3].replace("–", "-")
    key = f"step_{number}" if step else section_key(f"{word} {number}")
    if key is None or (step and not number.isdigit()):
        return None
    parts = tuple(key.split("_")[1:])
    if not rest.strip(" \t\r*_.:—–-"):
        body = _title_below(text, last)
    title = _plain(text[start:body])
    return Mark(start, body, title, 0, key, "step" if step else key.partition("_")[0], parts)


def _body_behind(text: str, end: int, rest: str) -> int | None:
    """Where the text behind a label and number begins, behind a heading if there is one; None where they are no heading."""
    if not rest.strip(" \t\r*_.:—–-"):
        following = _NEXT_LINE.match(text, end + len(rest))
        goes_on = following and not following[1] and (following[2].islower() or following[2] == ",")
        return None if goes_on else end + len(rest)
    separator = _SEPARATOR.match(text, end)
    if separator and separator.end() < end + len(rest):
        first = text[separator.end()]
        if first.islower() or first.isdigit() or first in ",;)":
            return None
        behind = heading_behind(text, separator.end())
        return behind if behind > separator.end() else _separated(text, end, separator)
    if _PARENTHESISED.match(text, end):
        return end
    space = _SPACE.match(text, end)
    if not space or rest[space.end() - end :].split(None, 1)[0].lower() in LEVELS:
        return None
    if not (text[space.end()].isupper() or text[space.end()] in "\"'“‘„[("):
        return None
    sentence = _SENTENCE.match(text, space.end(), end + len(rest))
    if sentence and sentence[1][0].isupper() and _is_capitalised(sentence[1].split()):
        return sentence.end()
    if rest.rstrip(" \t\r*_").endswith(".") and not rest.isupper():
        return None
    whole = _whole_line(text, space.end(), item=False)
    return whole if whole > space.end() else None


def _separated(text: str, end: int, separator: re.Match[str]) -> int:
    """Where a heading ends that consists of label and number, its full stop included."""
    return end + len(separator[0].rstrip()) if separator[0].strip() else end


def _numbered(text: str, line: re.Match[str], line_before: int) -> Mark | None:
    start = line.start(1)
    number, plain = line[4], line[5]
    end = line.end(1)
    last = line_end(text, end)
    rest = text[end : min(last, end + 2 * _LONGEST_HEADING)]
    first = rest.lstrip(" \t\xa0*_\"'“‘„([")[:1]
    if not first.isupper() or _LEADERS.search(rest):
        return None
    if not begins_paragraph(text, start, line_before, item=not plain):
        return None
    position = end + len(rest) - len(rest.lstrip(" \t\xa0"))
    body = heading_behind(text, position)
    if plain:
        whole = _whole_line(text, position, item=False)
        if whole == position or _VERB.search(rest):
            return None
        return Mark(
            start,
            whole,
            _plain(text[start:whole]),
            0,
            f"sec_{plain.lower()}",
            "plain",
            (plain.lower(),),
        )
    parts = tuple(number.lower().split("."))
    if body == position:
        body = end
    return Mark(
        start, body, _plain(text[start:body]), 0, "_".join(("sec", *parts)), "number", parts
    )


def _whole_line(text: str, position: int, *, item: bool) -> int:
    """Where the line ends if all of it reads like a heading, else `position`; a line of capitals may go on in the next.

    Args:
        text: The document.
        position: Where the heading may begin, in the midst of the line.
        item: Whether it stands behind an enumerator, where it is shorter and text follows.
    """
    end = line_end(text, position)
    line = text[position:end].rstrip(" \t\r*_")
    capitals = line.isupper()
    if not 0 < len(line) <= (_LONGEST_ITEM_HEADING if item else _LONGEST_HEADING):
        return position
    if not capitals:
        if line[-1] in ",;:" or (line[-1] == "." and (item or _VERB.search(line))):
            return position
        if _SENTENCE.match(line) or (item and (";" in line or _VERB.search(line))):
            return position
    following = _NEXT_LINE.match(text, end)
    if not following or not following[2]:
        return position if item and not capitals else position + len(line)
    blank, first = following[1], following[2]
    if blank:
        return position if item and first.islower() else position + len(line)
    if first.islower() or first in ",;" or (item and not (first.isupper() or first in '("“‘[')):
        return position
    goes_on = (first + following[3]).rstrip()
    if capitals and line[-1] != "." and first.isalpha() and goes_on.isupper():
        numbered = _NUMBERED_LINE.match(text, following.start(2))
        return position + len(line) if numbered else following.start(2) + len(goes_on)
    return position + len(line)


_LABEL_LINE = re.compile(r"(?:\*\*|__)?" + _LABELLED)
_NUMBERED_LINE = re.compile(rf"(?:\*\*|__)?(?:{_LABELLED}|[A-Z]?\.?[0-9]|\()")


def _title_below(text: str, last: int) -> int:
    """Where the heading ends that stands in the line below a bare label (`Article 5`); the label's own end if there is none."""
    below = _NEXT_LINE.match(text, last)
    if not below or not below[2].isupper():
        return last
    start = below.start(2)
    line = (below[2] + below[3]).rstrip()
    if text.startswith("**", start - 2) or _LABEL_LINE.match(text, start) or len(line) > 120:
        return last
    if not line.isupper() and (line[-1] in ".,;:" or _VERB.search(line)):
        return last
    end = start + len(line)
    after = _NEXT_LINE.match(text, end)
    if not after or not after[2] or after[1]:
        return end
    opens = after[2] in '("“§' or after[2].isdigit() or _LABEL_LINE.match(text, after.start(2))
    short = after[2].isupper() and len(line) <= 60
    return end if opens or short or line.isupper() else last


def _is_title(sentence: str) -> bool:
    """Whether a short sentence is a heading: few words, most of them capital or no verb among them."""
    listed = sentence.split()
    if len(listed) > 14 or (listed[0].lower() in _NO_TITLE and not sentence.isupper()):
        return False
    return _is_capitalised(listed) or (len(listed) <= 6 and not _VERB.search(sentence))


def _is_capitalised(listed: Sequence[str]) -> bool:
    return all(
        word[:1].isupper() or word.lower().strip("(),") in _SMALL_WORDS or not word[:1].isalpha()
        for word in listed
    )


def _plain(markup: str) -> str:
    """A heading on one line, without the marks of bold and the dash behind it."""
    words = " ".join(markup.replace("**", "").replace("__", "").split())
    return words.rstrip(" —–-")
