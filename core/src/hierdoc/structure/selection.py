"""Which candidates are headings: those whose numbers go on as the domain's numberings count, and what stands beside them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hierdoc.citations import PARAGRAPH, heading_key
from hierdoc.citations.vocabulary import RESTARTING
from hierdoc.structure.candidates import (
    Candidates,
    HeadingCandidate,
    find_bold,
    find_capitals,
    find_recitals,
    find_titles,
    is_of_code,
    merged,
)
from hierdoc.structure.captions import find_captions, with_captions, with_outline
from hierdoc.structure.charters import as_clauses, is_charter, with_cited_items
from hierdoc.structure.contents import Witness
from hierdoc.structure.domains import (
    AGREEMENT,
    CODE,
    CONTROL,
    DECIMAL,
    DOMAINS,
    PLAIN,
    Count,
    Domain,
    Numbering,
)
from hierdoc.structure.judgments import is_judgment, leveled, with_opinions
from hierdoc.structure.layout import Layout
from hierdoc.structure.paragraphs import find_controls, find_paragraphs
from hierdoc.structure.several import parts_of


@dataclass(frozen=True, slots=True)
class Selection:
    """The headings of a text, markdown's and others.

    Attributes:
        layout: Of the text.
        domain: How it is divided; None where it is divided by markdown's headings alone, or by bold ones.
        headings: In order.
    """

    layout: Layout
    domain: Domain | None
    headings: tuple[HeadingCandidate, ...]


def select(candidates: Candidates, domain: Domain | None, *, named: bool = False) -> Selection:
    """The headings among the candidates.

    Args:
        candidates: They.
        domain: How such texts are divided; None where nothing but markdown's headings or bold paragraphs divides this one.
        named: Whether the domain was named, not recognised.
    """
    layout, markdown = candidates.layout, candidates.headings
    titled = len(markdown) <= 1  # none of markdown's but a title
    judged = titled and not (named or candidates.witness) and is_judgment(layout.text)
    if domain is None:
        counts = judged and bool(find_paragraphs(layout, (), brief=True))
        headings = (
            _without_numbers(layout, markdown, titles=not counts) if titled else list(markdown)
        )
    else:
        headings = merged(counted(candidates, domain, named=named), candidates.outline)
        headings = _without_contents(layout.text, headings, domain)
        if candidates.outline:
            domain = with_outline(domain, candidates.outline, headings)
    below = bool(headings) and all(one.label in (None, "plain", "number") for one in headings)
    paragraphs = [
        *find_paragraphs(layout, headings, below=below, brief=judged),
        *find_controls(layout, headings),
    ]
    if paragraphs:
        if domain is None and is_charter(layout.text):
            headings, paragraphs = as_clauses(layout.text, headings, paragraphs)
        headings, domain = merged(headings, paragraphs), domain or DOMAINS["technical"]
    if judged:
        headings = with_opinions(layout, headings)
    if domain and not (named or domain.enumerators):
        domain = with_cited_items(layout.text, headings, domain)
    if domain is None:
        return Selection(layout, None, _told_apart(headings))
    captions = find_captions(layout, headings) if titled and not candidates.witness else []
    if captions and judged and all(one.label in (None, PARAGRAPH) for one in headings):
        headings = merged(headings, leveled(layout, captions, headings))
    elif captions:
        headings, domain = merged(headings, captions), with_captions(domain, headings)
    if domain.bold == "always" or named or titled:
        headings = merged(headings, find_bold(layout))
    headings = merged(headings, find_recitals(layout))
    return Selection(layout, domain, _told_apart(headings))


def _without_numbers(
    layout: Layout, markdown: Sequence[HeadingCandidate], *, titles: bool
) -> list[HeadingCandidate]:
    """The headings of a text that no numbers divide: bold paragraphs below its title, or lines in capitals and capitalised ones.

    Args:
        layout: Of the text.
        markdown: The headings of markdown, one at most.
        titles: Whether to look for capitalised ones; above numbered paragraphs lines are captions, capitalised or not.
    """
    found = merged(markdown, find_bold(layout))
    if not found:
        found = [replace(one, level=1) for one in find_capitals(layout)]
        others = find_titles(layout) if titles else []
        found = merged(found, [replace(one, level=2) for one in others])
    return found if len(found) > 1 else list(markdown)


def _told_apart(headings: Sequence[HeadingCandidate]) -> tuple[HeadingCandidate, ...]:
    """The headings; among sections that are called so, `§ 2`, a heading `2.` is no section: its key begins with `no`."""
    called = sum(one.label == "sec" for one in headings)
    alone = [one for one in headings if one.label == "number" and len(one.number) == 1]
    if not alone or called < len(alone):
        return tuple(headings)
    numbers = {one.start for one in alone}
    return tuple(
        [
            replace(one, key=f"no_{one.number[0]}") if one.start in numbers else one
            for one in headings
        ]
    )


def counted(
    candidates: Candidates, domain: Domain, *, named: bool = False
) -> list[HeadingCandidate]:
    """The numbered candidates without lines that are not the next of their numbering, or not of this domain."""
    if not any(one.label == AGREEMENT for one in candidates.lines):
        return _Counting(candidates, domain, named).headings()
    kept: list[HeadingCandidate] = []
    for title, part in parts_of(candidates):  # each counts for itself
        kept += [title] if title else []
        kept += _Counting(part, domain, named).headings() if part.numbered else []
    return kept


def contains(outer: HeadingCandidate, inner: HeadingCandidate, domain: Domain) -> bool:
    """Whether the one lies in the other by what they are called, where both are numbered."""
    if outer.label == inner.label:
        parted = outer.label in domain.parted or DECIMAL in domain.numberings
        same = outer.number == inner.number[: len(outer.number)]
        if counts_hundreds(outer.number, inner.number):
            return parted
        return parted and same and len(outer.number) < len(inner.number)
    first, second = family_of(outer, domain), family_of(inner, domain)
    return first is None or second is None or first < second


def counts_hundreds(outer: Sequence[str], inner: Sequence[str]) -> bool:
    """Whether a number counts the hundred that another belongs to: 1 holds 100 and 101.2."""
    if len(outer) != 1 or not 3 <= len(inner[0] if inner else "") <= 4:
        return False
    return inner[0].isdigit() and inner[0][:-2] == outer[0]


def family_of(heading: HeadingCandidate, domain: Domain) -> int | None:
    """How far in a heading stands by its label; None for one that says nothing about it."""
    if heading.label in (PARAGRAPH, CONTROL):
        return len(domain.divisions) + 1
    label = "number" if heading.label == "plain" else heading.label
    rank = domain.rank(label)
    return len(domain.divisions) if rank is None and label == "number" else rank


class _Counting:
    """Reads the candidates of one text in order."""

    def __init__(self, candidates: Candidates, domain: Domain, named: bool) -> None:
        self._text = candidates.layout.text
        self._witness = candidates.witness
        self._all = _with_appendices(candidates.numbered, self._witness)
        if DECIMAL in domain.numberings:
            self._all = _with_decimals(self._all)
        self._domain = domain
        titled = [one.label for one in self._all if one.level] == [None] and self._all[0].level
        parted = any(one.number[1:] for one in self._all)
        self._strict = bool(candidates.headings) and not (named or domain.run_in)
        self._strict = self._strict and not (titled and parted)  # a title, and `4.1` in plain text
        self._unbroken = self._is_unbroken()
        self._strict = self._strict and not self._unbroken
        self._count = Count()
        self._refused: HeadingCandidate | None = None
        self._appended = False  # within a schedule, whose paragraphs are numbered alone
        self._stems: set[tuple[str, ...]] = set()  # whose parts have been counted
        self._number: tuple[str, ...] = ()  # of the last heading that counts
        self._labels: dict[str | None, tuple[str, ...]] = {}  # the last number behind each label
        self._divisions: dict[int, tuple[str, ...]] = {}  # numbers of those around, by rank
        self._labels_of: dict[tuple[str, ...], str] = {}  # of the sections of a code, by stem
        self._columns: dict[int, int] = {}  # where headings with so many parts begin
        self._first_parts: dict[str, int] = {}  # where the first 3.1 is, by its 3
        self._wholes = {
            one.number for one in self._all if one.label in DECIMAL.reads and len(one.number) == 1
        }
        self._parted: list[int] = []  # where all numbers with parts are
        for index, one in enumerate(self._all):
            if one.label == "number" and one.number[1:]:
                self._first_parts.setdefault(one.number[0], index)
                self._parted.append(index)
        self._next_whole: list[tuple[str, ...]] = []  # the next number without parts, behind each
        following: tuple[str, ...] = ()
        for one in reversed(self._all):
            self._next_whole.append(following)
            following = following if one.number[1:] else one.number
        self._next_whole.reverse()
        self._paragraphs = domain.run_in and self._are_numbered_paragraphs()
        plain = dict.fromkeys(_value(one) for one in self._all if one.label == "plain")
        self._items = self._find_items()
        # An excerpt of an act begins with any number, but then goes on with the next.
        self._first_plain = (1, next((value for value in plain if value + 1 in plain), 1))

    def headings(self) -> list[HeadingCandidate]:
        """The candidates that are headings."""
        kept: list[HeadingCandidate] = []
        lonely: list[int] = []  # decimal numbers without parts, of which few are none
        codes: dict[str, list[int]] = {}
        anchored = False
        for index, one in enumerate(self._all):
            if one.label in RESTARTING or self._begins_another(index):
                self._count.restart()
                self._stems.clear()
                self._appended = self._domain.run_in and one.label in RESTARTING
            numbering = self._domain.numbering(one.label)
            if self._witness and self._witness.names(one.start):
                if _counts(one):
                    self._take(one)
                    anchored = True
                self._refused = None
                kept.append(one)
                continue
            if one.level or not _counts(one):
                if not (one.level or self._divides(one)):
                    continue
                if one.unlikely and one.label not in DECIMAL.reads and not self._continues(index):
                    continue
                self._labels[one.label] = one.number
                if one.level and _counts(one) and DECIMAL in self._domain.numberings:
                    self._take(one)
                self._refused = None
                self._enter(one)
                kept.append(one)
                continue
            if self._counts_in_division(one):
                label = "sec" if one.label == "code" and not self._is_leaf(one) else "number"
                if one.number[:-1] in self._labels_of:
                    label = self._labels_of[one.number[:-1]]
                    codes.setdefault(one.number[0], []).append(len(kept))
                anchored = True
                self._refused = None
                self._take(one)
                kept.append(one.called(label))
                continue
            if numbering is None or not self._follows(index, numbering):
                if not one.number[1:]:
                    self._refused = one
                continue
            if numbering is CODE:
                codes.setdefault(one.number[0], []).append(len(kept))
            elif numbering is DECIMAL and not one.number[1:] and not self._has_parts(index):
                lonely.append(len(kept))
            else:
                anchored = anchored or not one.number[1:]
            if numbering is not CODE:
                self._refused = None
            self._take(one)
            within = numbering is CODE and self._domain.rank("sec") in self._divisions
            label = "number" if within else numbering.label
            if numbering is CODE:
                self._labels_of[one.number[:-1]] = label
            kept.append(one.called(label))
        dropped = {place for few in codes.values() if len(few) < CODE.fewest for place in few}
        if len(lonely) < _FEWEST_LONELY and not anchored:
            dropped |= set(lonely)
        return [one for place, one in enumerate(kept) if place not in dropped]

    def _are_numbered_paragraphs(self) -> bool:
        """Whether the sections of an agreement have no headings: numbers from 1 on stand before paragraphs, and nothing else counts."""
        if any(one.label and one.label not in ("number", *RESTARTING) for one in self._all):
            return False
        singles = [one for one in self._all if _counts(one) and one.label == "number"]
        if any(one.number[1:] or one.level or not _is_bare(one) for one in singles):
            return False
        values = [_value(one) for one in singles]
        if len(values) < _FEWEST_LONELY or values[0] not in (0, 1):
            return False
        if values != list(range(values[0], values[0] + len(values))):
            return False
        if len({_column(self._text, one) for one in singles}) > 1:
            return False
        length = singles[-1].start - singles[0].start
        return length >= _SHORTEST_PARAGRAPH * (len(singles) - 1)

    def _is_unbroken(self) -> bool:
        """Whether all numbers count from 1 on through headings of markdown and lines, as where only some are underlined or framed."""
        counts = [one for one in self._all if _counts(one) and not one.number[1:]]
        marked = any(one.level for one in counts)
        values = [_value(one) for one in counts]
        few = len(values) < _FEWEST_LONELY
        return marked and not few and values == list(range(1, len(values) + 1))

    def _find_items(self) -> set[int]:
        """Items of lists, by their indices: numbers without parts that others are the headings of."""
        singles = [
            index
            for index, one in enumerate(self._all)
            if not (one.level or one.number[1:])
            and _counts(one)
            and not (self._witness and self._witness.names(one.start))
        ]
        return self._rivals(singles) | self._shorter_runs(singles)

    def _rivals(self, singles: Sequence[int]) -> set[int]:
        """Of the numbers that have parts, `3.` before `3.1`, all but the one that looks most like their heading."""
        alike: dict[str, list[int]] = {}
        for index in singles:
            if self._has_parts(index):
                alike.setdefault(self._all[index].number[0], []).append(index)
        rivals: set[int] = set()
        for same in alike.values():
            if len(same) > 1:
                rivals |= set(same) - {min(same, key=self._unlikeness)}
        return rivals

    def _unlikeness(self, index: int) -> tuple[bool, bool, bool, int, bool, int]:
        one = self._all[index]
        return (
            not self._holds_part(index),
            not self._is_headed(index),
            self._is_listed_with(index, index - 1) or self._is_listed_with(index, index + 1),
            _column(self._text, one),
            one.title.endswith("."),
            index,
        )

    def _holds_text(self, index: int) -> bool:
        """Whether text or its own part follows a number, before the next."""
        return self._holds_part(index) or self._is_headed(index)

    def _holds_part(self, index: int) -> bool:
        """Whether its own part follows a number at once, as 3.1 does 3."""
        following = self._all[index + 1].number if index + 1 < len(self._all) else ()
        return len(following) > 1 and following[:1] == self._all[index].number

    def _is_listed_with(self, index: int, other: int) -> bool:
        """Whether two numbers count on in one column, with nothing between them."""
        if not 0 <= other < len(self._all) or self._all[other].label != self._all[index].label:
            return False
        first, second = (self._all[place] for place in sorted((index, other)))
        return (
            not (first.number[1:] or second.number[1:])
            and _value(first) + 1 == _value(second)
            and _column(self._text, first) == _column(self._text, second)
            and not self._holds_text(min(index, other))
        )

    def _shorter_runs(self, singles: Sequence[int]) -> set[int]:
        """Runs of numbers from 1 on that stand before a longer one, which begins no further in: lists of an introduction."""
        runs: list[list[int]] = []
        last: HeadingCandidate | None = None
        for index in singles:
            one = self._all[index]
            if not self._holds_text(index):
                continue
            if _value(one) == 0 or (_value(one) == 1 and not (last and _value(last) == 0)):
                runs.append([index])
            elif runs and last is not None and _value(one) == _value(last) + 1:
                runs[-1].append(index)
            else:
                continue
            last = one
        shorter: set[int] = set()
        longest: list[int] = []
        for run in reversed(runs):
            if len(longest) > len(run) and self._introduces(run, longest):
                shorter |= set(run)
            else:
                longest = run
        return shorter

    def _introduces(self, run: Sequence[int], longer: Sequence[int]) -> bool:
        """Whether a run of short items, none of which has parts, stands before a longer one of the same text."""
        first, other = self._all[run[0]], self._all[longer[0]]
        ends = [*(self._all[index].start for index in run[1:]), other.start]
        short = all(
            end - self._all[index].start <= _LONGEST_ITEM
            for index, end in zip(run, ends, strict=True)
        )
        return (
            short
            and not any(map(self._has_parts, run))
            and _column(self._text, other) <= _column(self._text, first)
            and not any(one.label in RESTARTING for one in self._all[run[0] : longer[0]])
        )

    def _take(self, one: HeadingCandidate) -> None:
        """Go on to the number of a heading, and to those around it: where 13.1.1 follows 13, there is no 13.1."""
        for depth in range(2, len(one.number)):
            stem, part = one.number[: depth - 1], one.number[depth - 1]
            if stem not in self._stems and part.isdigit():
                self._stems.add(stem)
                self._count.take(stem, int(part))
        self._stems.add(one.number[:-1])
        self._count.take(one.number[:-1], _value(one))
        self._number = one.number
        self._columns[len(one.number)] = _column(self._text, one)

    def _enter(self, one: HeadingCandidate) -> None:
        """Note the number of a division that begins, and forget those that end there."""
        rank = self._domain.rank(one.label)
        if rank is None or one.label == "number":
            return
        self._divisions = {
            inner: number for inner, number in self._divisions.items() if inner < rank
        }
        self._divisions[rank] = one.number

    def _counts_in_division(self, one: HeadingCandidate) -> bool:
        """Whether a number goes on from that of a division around it, in texts that count otherwise: 12.03 in Article 12."""
        stem, value = one.number[:-1], _value(one)
        if not stem or one.label == "plain" or DECIMAL in self._domain.numberings:
            return False
        around = self._divisions.values()
        inserted = PLAIN in self._domain.numberings and stem == self._number[:1]  # 4.1 behind 4
        if not (inserted or stem[:1] in around or stem in around):
            return False
        begun = self._count.has_begun(stem) or self._number[: len(stem)] == stem
        if not begun and len(stem) > 1 and "-" not in (one.key or ""):
            return False  # 102.4.1 stands in 102.4
        return self._count.is_next(
            stem, value, _OF_DIVISION, None if one.label == "code" else (0, 1)
        )

    def _is_leaf(self, one: HeadingCandidate) -> bool:
        """Whether a number stands below a section, as 101.1 does below Section 101, and is no section of a code itself."""
        leaf = self._domain.rank("sec")
        sections = [number for rank, number in self._divisions.items() if rank == leaf]
        inserted = "-" in (one.key or "").partition("_")[2].partition("_")[0]  # `12-303.01`
        return (len(one.number) > 2 and not inserted) or bool(sections)

    def _divides(self, one: HeadingCandidate) -> bool:
        """Whether lines with this label divide texts of the domain; `A.1` does within an appendix A."""
        if one.label == "number":
            return PLAIN not in self._domain.numberings
        return self._domain.rank(one.label) is not None

    def _follows(self, index: int, numbering: Numbering) -> bool:
        """Whether a line with a number alone is the next of its numbering, and reads like a heading."""
        one = self._all[index]
        stem, value = one.number[:-1], _value(one)
        if numbering is PLAIN and one.unlikely:
            return self._count.follows_at_once(stem, value) and (
                self._count.has_begun(stem) or self._is_followed(index)
            )
        if numbering is PLAIN:
            return self._count.is_next(stem, value, numbering, self._first_plain)
        if numbering is CODE:
            sure = is_of_code(one.number) and not one.unlikely
            sure = sure and (stem in self._labels_of or not self._count.has_begun(stem))
            apart = sure or _BLANK_LINE.match(self._text, one.body)
            return bool(apart) and self._count.is_next(stem, value, numbering, None)
        if one.unlikely:
            return self._goes_on_strictly(index)
        if stem and not self._count.has_begun(stem) and self._stands_in_list(index):
            return False
        if not stem:
            if self._heads_hundreds(index):
                return True
            if self._appended and self._count.follows_at_once(stem, value):
                return value > 1 or self._is_followed(index)
            if index in self._items:
                return False
            if self._has_parts(index):
                return not _is_bare(one) and self._count.is_next(stem, value, _PARTED, None)
            if self._strict or not self._is_headed(index) or self._goes_on_with_list(one):
                return False
            column = _column(self._text, one)
            further = column > self._columns.get(1, column) and not self._unbroken
            if not self._domain.run_in and further:
                return False  # an item, further in than the sections
            if value == 0:
                return not self._count.has_begun(stem) and self._is_followed(index)
        return self._count.is_next(stem, value, numbering)

    def _stands_in_list(self, index: int) -> bool:
        """Whether a number with parts stands in a list, as those of exhibits do, `31.1`: nothing has its first part, and the next line goes on."""
        one = self._all[index]
        if len(one.number) > 2 or one.number[0] == "1" or one.number[:1] in self._wholes:
            return False
        near = (place for place in (index - 1, index + 1) if 0 <= place < len(self._all))
        return any(
            len(self._all[place].number) == len(one.number)
            and not self._between(place, index).strip()
            for place in near
        )

    def _between(self, first: int, second: int) -> str:
        """What stands between two candidates."""
        first, second = sorted((first, second))
        return self._text[self._all[first].body : self._all[second].start]

    def _continues(self, index: int) -> bool:
        """Whether a label and number go on from the last ones, or begin a series: `Article 5 The …` behind Article 4."""
        one = self._all[index]
        last = self._labels.get(one.label)
        if last is None:
            return _value(one) == 1 and not one.number[1:] and self._is_followed(index)
        before, here = (_DIGITS.match(number[0]) for number in (last, one.number))
        if not (before and here):
            return False
        if here[0] == before[0]:  # `4-2` behind 4, `4 bis`
            return one.number > last
        return int(here[0]) == int(before[0]) + 1 and not one.number[1:]

    def _is_followed(self, index: int) -> bool:
        """Whether the next number of its kind comes behind it."""
        one = self._all[index]
        following = (other for other in self._all[index + 1 :] if other.label == one.label)
        other = next(following, None)
        return other is not None and _value(other) == _value(one) + 1

    def _goes_on_strictly(self, index: int) -> bool:
        """Whether a number is just the next, or the first below the last one, and begins where its siblings do."""
        one, last = self._all[index], self._number
        stem, value, depth = one.number[:-1], _value(one), len(one.number)
        if last[: depth - 1] != stem or not (
            stem or self._has_parts(index) or self._stands_out(index)
        ):
            return False
        before = last[depth - 1 : depth]
        if value != 1 + (_counted(before[0]) if before else 0):
            return False
        column = self._columns.get(depth, self._columns.get(depth - 1))
        return column is None or column == _column(self._text, one)

    def _has_parts(self, index: int) -> bool:
        """Whether `3.1` is the first of its kind that comes behind this `3.`, with hardly another such number between."""
        first = self._first_parts.get(self._all[index].number[0])
        if first is None or first < index:
            return False
        return bisect_left(self._parted, first) - bisect_right(self._parted, index) <= _STRAY

    def _begins_another(self, index: int) -> bool:
        """Whether another agreement begins behind a schedule, in the same text: its first section has parts."""
        one = self._all[index]
        return (
            self._appended and one.number == ("1",) and not _is_bare(one) and self._has_parts(index)
        )

    def _heads_hundreds(self, index: int) -> bool:
        """Whether the next number without parts is of the hundred that this one counts, as 100 is below 1."""
        return counts_hundreds(self._all[index].number, self._next_whole[index])

    def _stands_out(self, index: int) -> bool:
        """Whether the text below a line is indented, and the line is not."""
        one = self._all[index]
        below = _INDENT_BELOW.match(self._text, one.body)
        return below is not None and len(below[1]) + 1 > _column(self._text, one)

    def _is_headed(self, index: int) -> bool:
        one, following = self._all[index], self._all[index + 1 : index + 2]
        end = following[0].start if following else len(self._text)
        if (_is_bare(one) and not self._paragraphs) or not self._text[one.body : end].strip():
            return False
        return self._domain.run_in or _BLANK_LINE.match(self._text, one.body) is not None

    def _goes_on_with_list(self, one: HeadingCandidate) -> bool:
        """Whether the number before it, in the same column, was none of a heading."""
        refused = self._refused
        return (
            refused is not None
            and _value(refused) + 1 == _value(one)
            and _column(self._text, refused) == _column(self._text, one)
        )


def _with_decimals(candidates: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
    """The candidates; `100.1` is no section of a code where `100` is a heading, but the first part of that."""
    whole = {one.number for one in candidates if one.label in DECIMAL.reads and not one.number[1:]}
    return [
        one.called("number") if one.label == "code" and one.number[:1] in whole else one
        for one in candidates
    ]


def _with_appendices(
    candidates: Sequence[HeadingCandidate], witness: Witness | None = None
) -> list[HeadingCandidate]:
    """The candidates, `A.1` only within appendix A, or where a table of contents lists it."""
    kept: list[HeadingCandidate] = []
    around: HeadingCandidate | None = None
    for one in candidates:
        if one.label in RESTARTING:
            around = one
        if not one.level and one.label == "number" and one.number[0].isalpha():
            if around is not None and around.number == one.number[:1]:
                kept.append(replace(one, key="_".join((around.key or "", *one.number[1:]))))
            elif witness and witness.names(one.start):
                kept.append(one)
        else:
            kept.append(one)
    return kept


def _counts(one: HeadingCandidate) -> bool:
    """Whether it begins with a number alone, and that is none of an appendix (`A.1`)."""
    return one.label == "code" or (one.label in DECIMAL.reads and not one.number[0].isalpha())


def _is_bare(one: HeadingCandidate) -> bool:
    """Whether it has no title."""
    return one.title.strip(" .").isdigit()


def _value(one: HeadingCandidate) -> int:
    return _counted(one.number[-1])


def _counted(part: str) -> int:
    """What a part of a number counts: digits, or the letter of `100.1a`."""
    if part.isdecimal():
        return int(part)
    digits = _DIGITS.match(part)
    if digits:
        return int(digits[0])
    return ord(part) - ord("a") + 1 if len(part) == 1 else 0


def _column(text: str, one: HeadingCandidate) -> int:
    return one.start - text.rfind("\n", 0, one.start)


_OF_DIVISION = replace(DECIMAL, skips=None)
"""Numbers that begin with that of their division: gaps are what was repealed."""

_PARTED = replace(DECIMAL, skips=None)
"""A number whose parts show that it is a heading, whatever was left out before it."""

_INDENT_BELOW = re.compile(r"(?:[ \t\r]*\n){1,9}([ \t]*)(?=\S)")
_LONGEST_ITEM = 500
"""Characters that an item of a list in an introduction has at most."""

_STRAY = 1
"""Numbers with other parts between a heading and its first part: a citation at the beginning of a line, perhaps."""

_SHORTEST_PARAGRAPH = 200
"""Characters of a numbered paragraph, on an average, that is no item of a list."""

_FEWEST_LONELY = 3
_DIGITS = re.compile("[0-9]+")
_BLANK_LINE = re.compile(r"[ \t\r*_]*\n[ \t\r]*\n")


# Tables of contents


def _without_contents(
    text: str, headings: Sequence[HeadingCandidate], domain: Domain
) -> list[HeadingCandidate]:
    """The headings without implied ones of a table of contents: three and more with nothing under them that come again."""
    signs = [_without_page(heading_key(one.title)) for one in headings]
    again: list[int | None] = [None] * len(headings)  # where each comes the next time
    places: dict[str, int] = {}
    for index in reversed(range(len(headings))):
        again[index] = places.get(signs[index])
        places[signs[index]] = index
    dropped: set[int] = set()
    first = 0
    while first < len(headings):
        last = first
        while last < len(headings) and _has_nothing_below(text, headings, last):
            last += 1
        repeated = [index for index in range(first, last) if again[index] is not None]
        leaves = sum(
            not contains(headings[index], headings[index + 1], domain)
            for index in range(first, min(last, len(headings) - 1))
        )
        if leaves >= 3 and len(repeated) >= 3:
            begin = repeated[0]
            end = min(again[begin] or last, last)
            inside = [index for index in repeated if index < end]
            dropped.update(range(begin, end) if end < last else range(begin, inside[-1] + 1))
        first = max(last, first + 1)
    return [one for index, one in enumerate(headings) if index not in dropped]


def _without_page(sign: str) -> str:
    return _PAGE_NUMBER.sub("", sign) if sign[-1:].isdigit() else sign


def _has_nothing_below(text: str, headings: Sequence[HeadingCandidate], index: int) -> bool:
    """Whether an implied heading has nothing under it but the next, page numbers aside."""
    one = headings[index]
    if one.level or one.bold or index + 1 == len(headings):
        return False
    between = text[one.body : min(headings[index + 1].start, one.body + _LONGEST_GAP)]
    return not between.strip(" \t\r\n\xa0.…0123456789")


_LONGEST_GAP = 400
_PAGE_NUMBER = re.compile(r"[\s.…·_]*[0-9]{1,4}\Z")
