"""What speaks against the sections of a document, in plain words: numbers that are missing, come twice or go back, entries of contents without a heading.

A document whose structure was read right has no doubts; one with doubts may still be right, for laws are repealed in parts and filings
number as they like. Where a heading or the text before the gap names what is missing, as `§§ 15 bis 20 (weggefallen)` does, nothing is
said of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hierdoc.citations import spelt_out
from hierdoc.models import Document, Section
from hierdoc.structure.contents import find_contents, folded_title
from hierdoc.structure.layout import lay_out
from hierdoc.structure.sections import FlatSection, body_start, flatten, is_enumerated


def find_doubts(document: Document) -> tuple[str, ...]:
    """Why the sections of a document may be wrong or incomplete, one sentence for each reason; empty for a sane one.

    Args:
        document: With its sections.
    """
    text = document.text
    headings = [one for one in flatten(document.sections) if not is_enumerated(text, one.section)]
    found = (_counted(text, place, one) for place, one in enumerate(headings))
    counted = [one for one in found if one]
    return (
        *_limited(_missing(text, headings, counted)),
        *_limited(_going_back(counted)),
        *_limited(_twice(counted)),
        *_unlisted(document, headings),
        *_flat(headings),
        *_unstructured(text, headings),
        *_unread(text, document.sections),
    )


@dataclass(frozen=True, slots=True)
class _Counted:
    """A heading with a number.

    Attributes:
        place: Among the headings.
        key: Of the heading.
        stem: The key without the last part of its number, and the section around: within it numbers count.
        value: That part.
        inserted: What follows its digits, as in 12a.
        parent: The section that it lies in, by its place among all sections.
        start: Where it begins.
        holds_text: Whether anything stands below it.
    """

    place: int
    key: str
    stem: str
    value: int
    inserted: str
    parent: int
    start: int
    holds_text: bool


def _counted(text: str, place: int, one: FlatSection) -> _Counted | None:
    section = one.section
    number = _LAST_NUMBER.match(section.key or "")
    if number is None:
        return None
    return _Counted(
        place, section.key or "", number[1], int(number[2]), number[3], one.parent, section.char_start,
        bool(text[body_start(text, section) : section.char_end].strip()),
    )  # fmt: skip


def _sequences(counted: Sequence[_Counted]) -> Iterator[list[list[_Counted]]]:
    """What counts alike, as sequences of numbers: those in one section or, where they go on from section to section, all of them."""
    stems: dict[str, list[_Counted]] = {}
    for one in counted:
        stems.setdefault(one.stem, []).append(one)
    kinds: dict[str, list[list[_Counted]]] = {}
    for stem, same in stems.items():
        across = [
            second.value == first.value + 1
            or (first.value == second.value and second.inserted != "")
            for first, second in pairwise(same)
            if first.parent != second.parent
        ]
        kind = kinds.setdefault(stem.partition("_")[0], [])
        if sum(across) >= _MOST * len(across):
            kind.append(same)
            continue
        inside: dict[int, list[_Counted]] = {}
        for one in same:
            inside.setdefault(one.parent, []).append(one)
        kind += inside.values()
    yield from kinds.values()


def _missing(
    text: str, headings: Sequence[FlatSection], counted: Sequence[_Counted]
) -> Iterator[str]:
    """Gaps in what otherwise counts one by one."""
    for kind in _sequences(counted):
        steps = [step for sequence in kind for step in pairwise(sequence)]
        regular = sum(0 <= second.value - first.value <= 1 for first, second in steps)
        if len(steps) < _FEWEST or regular < _REGULAR * len(steps):
            continue
        for first, second in steps:
            count = second.value - first.value - 1
            rounded = second.value % 100 in (0, 1)  # 201 behind 113: numbers by hundreds
            if count >= _GAP and not rounded and not _is_explained(text, headings, first, second):
                yield (
                    f"{count} numbers are missing between {spelt_out(first.key)} and {spelt_out(second.key)}"
                )


def _is_explained(
    text: str, headings: Sequence[FlatSection], first: _Counted, second: _Counted
) -> bool:
    """Whether a heading or a short line before the gap's end names its first or last number."""
    titles = " ".join(one.section.title for one in headings[first.place : second.place + 1])
    near = text[max(first.start, second.start - _NEAR) : second.start].split("\n")
    notes = " ".join(line for line in near if len(line) <= _SHORT)
    named = set(_NUMBER.findall(f"{titles} {notes}"))
    return bool(named & {str(first.value + 1), str(second.value - 1)})


def _going_back(counted: Sequence[_Counted]) -> Iterator[str]:
    """Numbers that are less than the one before, and begin nothing anew."""
    for kind in _sequences(counted):
        steps = [
            (first, second, sequence[0].value)
            for sequence in kind
            for first, second in pairwise(sequence)
        ]
        back = [
            (first, second)
            for first, second, begun in steps
            if second.value < first.value and (second.value > 1 or begun > 1)
        ]
        if len(steps) >= _FEWEST and len(back) <= _FEW * len(steps):
            for first, second in back:
                yield f"{spelt_out(second.key)} stands behind {spelt_out(first.key)}"


def _twice(counted: Sequence[_Counted]) -> Iterator[str]:
    """Numbers that two sections beside each other have, both with text."""
    found = Counter((one.parent, one.key) for one in counted if one.holds_text)
    sizes = Counter((one.parent, one.stem) for one in counted)
    stems = {(one.parent, one.key): one.stem for one in counted}
    for (parent, key), count in found.items():
        if count > 1 and sizes[parent, stems[parent, key]] >= _FEWEST:
            yield f"{count} sections beside each other are called {spelt_out(key)}"


def _unlisted(document: Document, headings: Sequence[FlatSection]) -> Iterator[str]:
    """Entries of the document's own table of contents that no heading has."""
    layout = lay_out(document.text, plain=document.plain_text)
    contents = find_contents(layout.text, layout.hidden, by_leaders=len(layout.headings) <= 1)
    if not contents:
        return
    keys = {one.section.key for one in headings}
    titles = [folded_title(one.section.title) for one in headings]
    joined = "\n".join(titles)
    absent = [
        entry
        for entry in contents.entries
        if entry.key not in keys
        and not any(len(title) >= _TELLING and title in joined for title in entry.titles)
    ]
    if len(absent) >= max(_FEWEST_ABSENT, _ABSENT * len(contents.entries)):
        yield f"{len(absent)} of {len(contents.entries)} entries of its table of contents have no heading"


def _flat(headings: Sequence[FlatSection]) -> Iterator[str]:
    """Many headings of which none holds another and none has a number."""
    inner = [one for one in headings if one.parent >= 0]
    beside = inner if len(headings) - len(inner) == 1 else headings
    parents = {one.parent for one in beside}
    if len(beside) >= _MANY and len(parents) == 1 and not any(one.section.key for one in beside):
        yield f"all {len(beside)} headings have one level and no numbers"


def _unstructured(text: str, headings: Sequence[FlatSection]) -> Iterator[str]:
    """A long text without headings."""
    if len(text) >= _LONG and len(headings) < 2:
        yield f"no headings are found in {len(text):,} characters"


def _unread(text: str, sections: Sequence[Section]) -> Iterator[str]:
    """Many lines that begin with numbers which go on, of which hardly any begins a section."""
    if 2 * len(sections) >= _MANY_NUMBERED:
        return
    last, longest = 0, 0
    for line in _NUMBERED_LINE.finditer(text):
        number = int(line[1])
        if number == last + 1:
            longest = max(longest, number)
        last = number if number in (1, last + 1) else last
    found = len(flatten(sections))
    if longest >= _MANY_NUMBERED and found < _HARDLY * longest:
        shown = f"{found or 'no'} section{'s' * (found != 1)}"
        yield f"lines are numbered from 1 to {longest}, but {shown} found"


def _limited(doubts: Iterator[str]) -> Iterator[str]:
    """The first few, and how many more there are."""
    found = list(doubts)
    yield from found[:_SHOWN]
    if len(found) > _SHOWN:
        yield f"and {len(found) - _SHOWN} more of this kind"


_LAST_NUMBER = re.compile(r"([a-z]+_.*?)([0-9]{1,6})((?:[a-z]{1,3})?(?:-[a-z][\w-]*)?)\Z")
"""The label and what stands before the last number of a key, that number, and what follows it where it is inserted."""

_NUMBER = re.compile(r"(?<![\w.])[0-9]{1,6}")
_FEWEST = 5
"""Steps from number to number that there are at least where one says something."""

_MOST = 0.8
"""The share of steps that go on by one in what counts one by one."""

_REGULAR = 0.95
"""The same where a gap is worth a word: other documents leave numbers out as they go."""

_GAP = 4
_NEAR = 400
"""Characters before the end of a gap in which it may be explained."""

_SHORT = 60
_FEW = 0.1
_FEWEST_ABSENT = 3
_ABSENT = 0.02
_TELLING = 8
"""Letters of a title by which a heading is known without its number."""

_MANY_NUMBERED = 10
_HARDLY = 0.3
_NUMBERED_LINE = re.compile(
    r"\n[ \t]{0,12}(?:\*\*)?(?:§[ ]?)?([0-9]{1,3})[.):]?(?:\*\*)?[ \t\xa0]{1,4}[^\W\d_]"
)
"""Lines that look numbered, whatever stands behind the number."""

_MANY = 40
_LONG = 30_000
_SHOWN = 5
