"""A document's own table of contents as a witness: which lines of the body are headings, and which only look like some.

`find_contents` reads the entries of each table, in plain text or as a list of links: a run of lines that begin with a number
or a label and end with dots and a page number, or that stand under a line such as `Table of Contents`. `Contents.witness`
looks for each entry in the body, as a line that begins with its number and title, whatever else it looks like:
indented, begun with a digit or a small letter, wrapped over two lines. A table most of whose entries the body does
not have is no witness.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from string import ascii_lowercase

from hierdoc.citations import section_key
from hierdoc.structure.layout import Spans
from hierdoc.structure.lines import (
    DIGITS,
    LABELLED,
    LinePattern,
    forms_of,
    labelled_by,
    line_end,
)
from hierdoc.text.words import words


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a table of contents.

    Attributes:
        key: Of its number: `sec_3_2`, `app_a`, `app_a_1`.
        number: The parts of the number.
        labelled: Whether a label stands before the number.
        titles: Its title, folded; where it may end with a page number, also without that.
    """

    key: str
    number: tuple[str, ...]
    labelled: bool
    titles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Listed:
    """A line of the body that an entry names.

    Attributes:
        start: Where it begins, behind its indentation.
        end: Where its title ends.
        key: Of its number.
        number: The parts of the number.
        labelled: Whether a label stands before the number, `Appendix A`, or the number is that of an appendix, `A`.
    """

    start: int
    end: int
    key: str
    number: tuple[str, ...]
    labelled: bool


@dataclass(frozen=True)
class Contents:
    """The tables of contents of one text.

    Attributes:
        entries: In order.
        spans: Where the tables stand.
        titled: Whether each stands below its title or is announced.
    """

    entries: tuple[Entry, ...]
    spans: Spans
    titled: bool = False

    def witness(self, text: str) -> Witness | None:
        """What the tables say of the body; None where the body has hardly anything of what they list.

        Where it has less than most, as an excerpt has, they say what their own lines are and which lines they name, but deny no number.
        """
        found = _in_order(self.entries, _places(text, self))
        if len(found) < _FEWEST:
            return None
        listed = tuple(found[index] for index in sorted(found))
        most = len(found) >= _MOST * len(self.entries)
        if not most and not self.titled:
            return None
        numbers = frozenset(one.number for one in self.entries) if most else frozenset()
        names = frozenset((one.number, title) for one in self.entries for title in one.titles)
        marked = 2 * sum(text[one.start - 2 : one.start - 1] == "#" for one in listed) > len(listed)
        missing = Counter(map(_named, self.entries)) - Counter(map(_named, listed))
        return Witness(self.spans, listed, numbers, names, frozenset(missing), marked=marked)


@dataclass(frozen=True)
class Witness:
    """What tables of contents say of a text.

    Attributes:
        spans: Where they stand.
        listed: The lines that they name, in order.
        numbers: All that they list, also what the body does not have.
        names_of: The numbers with their titles, folded.
        missing: The labels and numbers of entries that name no line.
        marked: Whether most of these lines are headings of markdown, which need no witness.
        labels: Of those that have one, first parts of their keys.
    """

    spans: Spans
    listed: tuple[Listed, ...]
    numbers: Collection[tuple[str, ...]]
    names_of: Collection[tuple[tuple[str, ...], str]] = frozenset()
    missing: Collection[tuple[str, tuple[str, ...]]] = frozenset()
    marked: bool = False
    labels: frozenset[str] = field(init=False)
    _starts: frozenset[int] = field(init=False)
    _found: frozenset[tuple[str, tuple[str, ...]]] = field(init=False)
    _stems: frozenset[tuple[str, ...]] = field(init=False)
    _last: int = field(init=False)

    def __post_init__(self) -> None:
        labels = frozenset(one.key.partition("_")[0] for one in self.listed if one.labelled)
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "_starts", frozenset(one.start for one in self.listed))
        found = frozenset(map(_named, self.listed))
        object.__setattr__(self, "_found", found)
        object.__setattr__(self, "_stems", frozenset(one[:-1] for one in self.numbers))
        whole = (int(one[0]) for one in self.numbers if len(one) == 1 and one[0].isdigit())
        object.__setattr__(self, "_last", max(whole, default=0))

    def names(self, start: int) -> bool:
        """Whether the line that begins here is listed."""
        return start in self._starts

    def calls(self, number: tuple[str, ...], title: str) -> bool:
        """Whether a heading has the number and title of an entry, though its label is none of theirs: `Chapter 1. Scope` for `1. Scope`."""
        folded = folded_title(title)
        return any((number, folded[place:]) in self.names_of for place in range(4, len(folded) - 2))

    def has_read(self, start: int, number: str | None) -> bool:
        """Whether a line needs no closer look: it stands in a table, is listed, or has a number that is denied."""
        if start in self._starts or self.spans.holds(start):
            return True
        return number is not None and self.denies(start, tuple(number.lower().split(".")))

    def denies(self, start: int, number: tuple[str, ...], *, label: str = "") -> bool:
        """Whether a line with this number, which is not listed, is none of a heading.

        So it is in a table of contents, where the number is listed and found elsewhere, and where its siblings are listed: all
        of them or, behind a label, up to its number, unless they are its parts, `SECTION 1` above 1.1. An `Item 1` is found by
        itself or by 1 alone, not by `PART I`.
        """
        if self.spans.holds(start) or self._has_found(number, label):
            return True
        whole = bool(label) and len(number) == 1 and number[0].isdigit()
        if whole and (int(number[0]) > self._last or number in self._stems):
            return False
        return number not in self.numbers and number[:-1] in self._stems

    def _has_found(self, number: tuple[str, ...], label: str) -> bool:
        """Whether a number has been found: where the table lists others with its label, with this or without any."""
        if label not in self.labels:
            return any((one, number) in self._found for one in ("", *self.labels))
        if (label, number) in self.missing:  # `Item 1` of another part
            return False
        return ("", number) in self._found or (label, number) in self._found


def _named(one: Entry | Listed) -> tuple[str, tuple[str, ...]]:
    """The label and number of an entry or of what it names."""
    return one.key.partition("_")[0] if one.labelled else "", one.number


APPENDED = frozenset(("app", "annex"))
"""Labels of what stands behind the numbered sections."""


def find_contents(text: str, hidden: Spans, *, by_leaders: bool = True) -> Contents | None:
    r"""The tables of contents of a text; None where it has none that numbers its entries.

    Args:
        text: With all line endings written `\n`.
        hidden: What of it holds no structure.
        by_leaders: Whether to look everywhere for tables without a title, too; else only in the opening.
    """
    entries: list[Entry] = []
    spans: list[tuple[int, int]] = []
    lists = frozenset(min(line.end() + 1, len(text)) for line in _LISTS.finditer(text))
    titled = sorted([*_titles(text), *lists])
    leaders = _Leaders(text, len(text) if by_leaders else min(_OPENING, len(text)))
    behind = 0
    while True:
        starts = [
            start for start in (_next(titled, behind), leaders.next(behind)) if start is not None
        ]
        if not starts:
            break
        start = min(starts)
        alike = start in lists
        table = _Table(text, start, alike=alike) if not hidden.holds(start) else None
        if table and table.entries:
            entries += () if alike else table.entries
            spans.append((start, table.end))
        behind = max(table.end if table else start, line_end(text, start) + 1)
    if len(entries) < _FEWEST or sum(map(_is_outline, entries)) > 1:
        return None
    return Contents(tuple(entries), Spans(spans), all(start in titled for start, _ in spans))


def _next(places: Sequence[int], behind: int) -> int | None:
    """The first of these places that is not before another."""
    index = bisect_left(places, behind)
    return places[index] if index < len(places) else None


def _titles(text: str) -> Iterator[int]:
    """Where the lines behind `Table of Contents` begin, or behind a sentence that announces it."""
    lines = list(_TITLE.finditer(text))
    count = Counter(line[0].strip().casefold() for line in lines)
    seen: set[str] = set()
    for line in lines:
        title = line[0].strip().casefold()
        if count[title] < _FEWEST_PAGES or title not in seen:  # above each page, as a link back
            seen.add(title)
            yield min(line.end() + 1, len(text))
    for phrase in _PHRASES:
        place = text.find(phrase, 0, _OPENING)
        while place >= 0:
            announced = _ANNOUNCED.match(text, place)
            if announced:
                yield min(announced.end() + 1, len(text))
            place = text.find(phrase, place + 1, _OPENING)


class _Leaders:
    """Finds lines in which dots or the like lead to a page number, in order."""

    def __init__(self, text: str, until: int) -> None:
        self._text, self._until = text, until
        self._places = dict.fromkeys(_SIGNS, -1)

    def next(self, behind: int) -> int | None:
        """Where the first entry begins that ends with such a line, behind a place."""
        text = self._text
        while True:
            for sign, place in list(self._places.items()):
                if place < behind:
                    place = text.find(sign, behind, self._until)
                    if place < 0:
                        del self._places[sign]
                    else:
                        self._places[sign] = place
            if not self._places:
                return None
            place = min(self._places.values())
            end = line_end(text, place)
            if end - place <= _LONGEST_LINE and leaders_of(text[place:end], paged=True) is not None:
                line = text.rfind("\n", max(0, place - _LONGEST_LINE), place) + 1
                return max(behind, _first_line(text, line))
            behind = end


def _first_line(text: str, start: int) -> int:
    """Where an entry begins whose last line begins here."""
    line = start
    for _ in range(_MOST_LINES):
        if _ENTRY.match(text, line):
            return line
        above = text.rfind("\n", max(0, line - _LONGEST_LINE), max(0, line - 1)) + 1
        if not text[above:line].strip():
            break
        line = above
    return start


class _Table:
    """Reads one table from the line on at which it begins.

    Attributes:
        entries: Those with a number.
        end: Where its last entry ends; where it begins if it has none.
    """

    def __init__(self, text: str, start: int, *, alike: bool = False) -> None:
        self.entries: list[Entry] = []
        self.end = start
        self._end_before = start
        self._alike = alike  # all entries are labelled, or none is
        self._open: tuple[str, tuple[str, ...], bool, list[str], int] | None = None
        self._led = 0
        self._keys: set[str] = set()
        self._outer: set[str] = (
            set()
        )  # keys of what holds the others: these may come again in the next
        self._inner: set[str] = set()
        self._levels: list[tuple[int, tuple[str, ...] | None]] = [(-1, None)]
        self._column: int | None = None  # of the first number without a label
        self._kept, self._kept_end = 0, start
        strays, blank = 0, False
        position = start
        while position < len(text) and strays <= _MOST_STRAYS:
            end = line_end(text, position)
            line = text[position : min(end, position + _LONGEST_LINE)]
            if not line.strip():
                blank = True
            else:
                read = self._read(line, blank, end)
                if read is None:
                    break
                strays = 0 if read else strays + 1
                blank = False
            position = end + 1
        self._close()
        self._leave_body()
        if self._led * 2 >= len(self.entries):  # behind the last page number the body begins
            del self.entries[self._kept :]
            self.end = self._kept_end

    def _leave_body(self) -> None:
        """Give back the last entry if only that has a label: with it, `ARTICLE ONE`, the body begins."""
        labels = [one.key.partition("_")[0] for one in self.entries if one.labelled]
        alone = bool(labels) and self.entries[-1].labelled and labels.count(labels[-1]) == 1
        if alone and labels[-1] in _DIVIDING and len(self.entries) >= _FEWEST and not self._led:
            self.entries.pop()
            self.end = self._end_before

    def _read(self, line: str, blank: bool, end: int) -> bool | None:
        """Whether a line is of the table; None where the body begins with it."""
        shown = _LINK.sub(r"\1", line) if "](" in line else line
        shown = shown.replace("**", "").rstrip(" \t\r*_|\\")
        if shown[:1] == "#":  # a heading: of the body, if it is listed
            return None if self._is_listed(shown.lstrip("# ")) else False
        leaders = leaders_of(shown)
        entry = _ENTRY.match(shown)
        if entry:
            self._close()
            word, number = entry[1] or "", entry[2] or entry[3]
            rest = shown[entry.end() : leaders]
            key, parts, _ = numbering(word, number)
            if key is None:
                return False
            indent = len(entry[0]) - len(entry[0].lstrip())
            if self._alike and self.entries and self.entries[0].labelled != bool(word):
                return None
            if not word:
                self._enter(indent, parts, blank)
            if leaders is None and not self._goes_on(key, parts, labelled=bool(word)):
                return None
            self._open = key, parts, bool(word), [rest], indent
            self._end_before = self.end
        elif self._open is None:
            if leaders is not None:
                self._keep(end)
            return leaders is not None or _FURNITURE.search(shown) is not None
        else:
            indent = len(shown) - len(shown.lstrip(" \t"))
            nameless = self._open[2] and not "".join(self._open[3]).strip()
            wraps = leaders is not None or indent > self._open[4] or nameless
            if blank or not wraps or _FURNITURE.search(shown):
                self._close()
                if leaders is not None:
                    self._keep(end)
                return leaders is not None or _FURNITURE.search(shown) is not None
            self._open[3].append(shown[:leaders])
        self.end = end
        if leaders is not None or _SPACED_PAGE.search(self._open[3][-1]):
            self._close()
            if leaders is not None:
                self._led += 1
                self._keep(end)
        return True

    def _is_listed(self, heading: str) -> bool:
        entry = _ENTRY.match(heading)
        number = numbering(entry[1] or "", entry[2] or entry[3]) if entry else None
        return number is not None and number[0] in self._keys

    def _goes_on(self, key: str, number: tuple[str, ...], *, labelled: bool) -> bool:
        """Whether a number can stand behind the others: it is new or, without a label, greater than the last."""
        if labelled:
            return key not in self._outer and key not in self._inner
        last = self._levels[-1][1]
        if last is None or _order(last) < _order(number):
            return True
        hundred = last[0][:-2] if last[0].isdigit() else ""
        return hundred.isdigit() and number[0].isdigit() and int(hundred) < int(number[0])

    def _enter(self, indent: int, number: tuple[str, ...], blank: bool) -> None:
        """Go in to a list that is indented and counts from 1 anew, `2.` and below it `  1.`, or back to what is around it.

        What stood further in than the first chapter belongs to a preface, which has no number.
        """
        if self._column is None or (number == ("1",) and indent < self._column and not blank):
            self._levels, self._column = [(-1, None)], indent
        while len(self._levels) > 1 and indent <= self._levels[-2][0]:
            self._levels.pop()
        around, last = self._levels[-1]
        if number == ("1",) and last is not None and indent > around >= 0 and not blank:
            self._levels.append((indent, None))
        elif len(self._levels) == 1:
            self._levels[0] = (indent, last)

    def _keep(self, end: int) -> None:
        self._kept, self._kept_end = len(self.entries), end

    def _close(self) -> None:
        """Take in the entry that is open."""
        if self._open is None:
            return
        key, parts, labelled, pieces, _ = self._open
        self._open = None
        title = " ".join(piece.strip() for piece in pieces)
        titles = [folded_title(title)]
        if title[-1:].isdigit():
            titles.append(folded_title(_BARE_PAGE.sub("", title)))
        shown = tuple(dict.fromkeys(one for one in titles if one and one not in _COLUMN))
        if shown or labelled:
            self.entries.append(Entry(key, parts, labelled, shown))
            self._keys.add(key)
            if key.partition("_")[0] == self.entries[0].key.partition("_")[0]:
                self._outer.add(key)
                self._inner.clear()
            else:
                self._inner.add(key)
            if not labelled:
                self._levels[-1] = (self._levels[-1][0], parts)


def numbering(word: str, number: str) -> tuple[str | None, tuple[str, ...], bool]:
    """The key and the parts of a number behind a label, and whether it is labelled: the letter of an appendix is, too."""
    if word:
        key = section_key(f"{word} {number.replace('–', '-')}")
        return key, tuple(key.split("_")[1:]) if key else (), True
    parts = tuple(number.lower().split("."))
    if parts[0][0].isdigit():
        return "_".join(("sec", *parts)), parts, False
    return "_".join(("app", *parts)), parts, len(parts) == 1


def leaders_of(line: str, *, paged: bool = False) -> int | None:
    """Where in a line the dots begin that lead to the page number at its end; None where there are none.

    Args:
        line: Of the text.
        paged: Whether there must be a page number behind them.
    """
    end = line.rstrip()
    lead = end.rstrip("0123456789") if end[-1:].isdigit() else end.rstrip("ivxlcIVXLC")
    digits = len(end) - len(lead)
    title = lead.rstrip(_DOTS)
    dots = lead[len(title) :].rstrip(" \t")
    if digits > 8 or (paged and not digits) or (digits and lead[-1:] not in _DOTS):
        return None
    signs = len(dots) - dots.count(" ") - dots.count("\t") + 2 * dots.count("…")
    few = 5 if not digits else 3 if paged else 1 if dots[:1] in (" ", "\t") else 2
    return len(title) if signs >= few else None


def _order(number: tuple[str, ...]) -> tuple[tuple[int, int, str], ...]:
    """Numbers in their order, an inserted 4a behind 4, appendices behind all."""
    parts = (one.rstrip(ascii_lowercase) for one in number)
    return tuple(
        (0, int(value), one[len(value) :]) if value else (1, len(one), one)
        for value, one in zip(parts, number, strict=True)
    )


def _is_outline(entry: Entry) -> bool:
    """Whether it begins with a Roman numeral of several letters, as entries of outlines do."""
    return not entry.labelled and len(entry.number[0]) > 1 and not entry.number[0][0].isdigit()


# The entries in the body


@dataclass(frozen=True, slots=True)
class _Place:
    """A line that may be what an entry names; `rank` is the lower the surer it is."""

    rank: int
    listed: Listed


def _places(text: str, contents: Contents) -> dict[int, list[_Place]]:
    """For each entry, by its index, the lines that it may name, in order."""
    by_number: dict[str, list[int]] = {}
    for index, entry in enumerate(contents.entries):
        same = by_number.setdefault(".".join(entry.number), [])
        if len(same) < _MOST_SAME:
            same.append(index)
    places: dict[int, list[_Place]] = {}
    for line in _body_lines(contents.entries).finditer(text):
        word, shown = line[2] or "", line[3] or line[4]
        own = shown.lower() if not word else ".".join(numbering(word, shown)[1])
        start = line.start(1)
        if own not in by_number or contents.spans.holds(start):
            continue
        key, parts, labelled = numbering(word, shown)
        for index in by_number[own]:
            entry = contents.entries[index]
            known = places.setdefault(index, [])
            if not key or _comparable(key) != _comparable(entry.key) or len(known) >= _MOST_PLACES:
                continue
            found = _agreement(text, line.end(1), entry, labelled=bool(word))
            if found is not None:
                rank, end = found
                rank += 2 * (not _is_apart(text, line.start()))
                known.append(_Place(rank, Listed(start, end, key, parts, labelled)))
    return places


def _body_lines(entries: Sequence[Entry]) -> LinePattern:
    """Lines that may begin with the number of an entry: a label only where entries have it."""
    labels = {entry.key.partition("_")[0] for entry in entries if entry.labelled}
    if labels & APPENDED:
        labels |= APPENDED
    return _lines_with(frozenset(labels), any(not one.number[0].isdigit() for one in entries))


@lru_cache(maxsize=64)
def _lines_with(labels: Collection[str], letters: bool) -> LinePattern:
    begins = "*_0-9" + "".join({form[0] for form in forms_of(labels)}) + ("A-Z" if letters else "")
    number = f"{_DECIMAL}|[A-Z]{{1,4}}" if letters else _DIGITS
    return LinePattern(
        rf"(?=[ \t\xa0\r#{begins}])[ \t\xa0\r]{{0,80}}(?:#{{1,6}}[ \t]+)?(?=[{begins}])((?:\*\*|__)?"
        rf"(?:{labelled_by(labels) if labels else '(?!)()()'}|({number})(?=\.?(?:[ \t\xa0]|\r?\n))))",
        (*forms_of(labels), *DIGITS, "#"),
        "[A-Z]{1,4}" if letters else "",
    )


def _is_apart(text: str, line_before: int) -> bool:
    """Whether the line that ends here is blank, or the text begins."""
    begin = text.rfind("\n", max(0, line_before - _LONGEST_LINE), line_before) + 1
    return not text[begin:line_before].strip()


def _comparable(key: str) -> str:
    """Appendices may be called annexes in one place, and have a letter alone in another."""
    return key.replace("annex_", "app_", 1) if key.startswith("annex_") else key


def _title_lines(text: str, position: int, *, labelled: bool) -> Iterator[tuple[str, int, bool]]:
    """The rest of a line and the lines below it that may go on with its title: text folded, end, whether a blank line follows."""
    count = 0
    while count < _MOST_LINES and position < len(text):
        end = line_end(text, position)
        piece = text[position : min(end, position + _LONGEST_LINE)]
        blank = end == len(text) or _BLANK_BELOW.match(text, end) is not None
        folded = folded_title(piece)
        if folded or not count:
            count += 1
            yield folded, position + len(piece.rstrip()), blank
        if blank and folded and not labelled:
            return
        position = end + 1


def _agreement(text: str, position: int, entry: Entry, *, labelled: bool) -> tuple[int, int] | None:
    """How sure a line is what an entry names, 0 for most, and where the title ends; None where it is not.

    Args:
        text: The document.
        position: Where the line goes on behind the number.
        entry: It.
        labelled: Whether a label stands before the number, so that the title may stand below.
    """
    if not entry.titles:
        folded, end, _ = next(_title_lines(text, position, labelled=labelled), ("", position, True))
        return None if folded else (0, end)
    first = _FIRST_LETTER.match(text, position, position + _LONGEST_LINE)
    if not first or first[1].casefold()[0] != entry.titles[0][0]:  # of most lines all that is read
        return None
    best: tuple[int, int] | None = None
    for title in entry.titles:
        found = _compared(text, position, title, labelled=labelled)
        if found and (best is None or found < best):
            best = found
    if best is None:
        end = line_end(text, position)
        own = folded_title(text[position : min(end, position + _SHORT)])
        least = max(_ALIKE, (len(own) + 1) // 2, (len(entry.titles[0]) + 1) // 2)
        if len(own) >= least and own[:least] == entry.titles[0][:least]:
            return _LIKE, position + len(text[position:end].rstrip())
    return best


def _compared(text: str, position: int, title: str, *, labelled: bool) -> tuple[int, int] | None:
    held = ""
    shorter: tuple[int, int] | None = None
    lines = _title_lines(text, position, labelled=labelled)
    for folded, end, blank in lines:
        before, held = held, held + folded
        if held == title:
            return (0 if blank else 1), end
        if held.startswith(title):
            longer = _run_in(text, end, folded, title[len(before) :], blank=blank)
            if longer or len(title) < _LONG:
                return longer
            shorter = 3, end
            break
        if not title.startswith(held):
            return shorter
        enough = min(_LONG, _SHORTENED * len(title))
        shorter = (2, end) if blank and len(held) >= enough else None
    else:
        return shorter
    for _, end, blank in lines:  # what the table cut short goes on
        if blank:
            return 3, end
    return shorter


def _run_in(text: str, end: int, folded: str, title: str, *, blank: bool) -> tuple[int, int] | None:
    """Where a title ends in the midst of a line, if a full stop, a colon or a dash ends it; the whole of a short line."""
    line = text.rfind("\n", max(0, end - _LONGEST_LINE), end) + 1
    left = len(folded) - len(title)
    place = end
    while left and place > line:
        place -= 1
        left -= len(folded_title(text[place]))
    stop = _STOP.search(text, max(line, place - 5), place)
    if stop:
        return 1, stop.start() + len(stop[1].rstrip())
    words_apart = place > line and not text[place - 1].isalnum()
    return (2, end) if blank and words_apart and end - line <= _SHORT else None


def _in_order(entries: Sequence[Entry], places: dict[int, list[_Place]]) -> dict[int, Listed]:
    """The lines that entries name, of which the surest come in the entries' order; others only between these."""
    surest: list[tuple[int, _Place]] = []
    for index in sorted(places):
        rank = min((place.rank for place in places[index]), default=_LIKE)
        if rank < _LIKE:
            same = [place for place in places[index] if place.rank == rank]
            surest += ((index, place) for place in reversed(same))
    found = {index: place.listed for index, place in _longest_rise(surest)}
    behind = -1
    following = [len(entries)] * (len(entries) + 1)
    for index in reversed(range(len(entries))):
        following[index] = index if index in found else following[index + 1]
    for index in range(len(entries)):
        if index not in found:
            until = following[index]
            last = found[until].start if until < len(entries) else None
            inside = [
                place
                for place in places.get(index, ())
                if place.listed.start > behind and (last is None or place.listed.start < last)
            ]
            if inside:
                found[index] = min(inside, key=lambda place: place.rank).listed
        if index in found:
            behind = found[index].start
    return found


def _longest_rise(places: Iterable[tuple[int, _Place]]) -> list[tuple[int, _Place]]:
    """The longest part of a sequence whose places rise, earlier ones first among equals."""
    tails: list[int] = []
    ends: list[int] = []
    kept: list[tuple[int, _Place]] = []
    before: list[int] = []
    for index, place in places:
        at = bisect_left(tails, place.listed.start)
        before.append(ends[at - 1] if at else -1)
        kept.append((index, place))
        tails[at : at + 1] = [place.listed.start]
        ends[at : at + 1] = [len(kept) - 1]
    chosen = []
    last = ends[-1] if ends else -1
    while last >= 0:
        chosen.append(kept[last])
        last = before[last]
    return chosen[::-1]


def folded_title(text: str) -> str:
    """The letters and digits of a title alone, in lower case: how titles are compared."""
    return "".join(filter(str.isalnum, text.casefold()))


_FEWEST = 3
"""Entries that a table has at least."""

_FEWEST_PAGES = 3
"""Pages that such a title stands above, each with a link back to the table."""

_MOST = 0.5
"""The share of its entries that the body must have."""

_MOST_STRAYS = 4
"""Lines within a table that are no entries, between two that are: headers and footers of pages."""

_MOST_SAME = 40
"""Entries with one number."""

_MOST_PLACES = 100
"""Lines of the body that are compared with one entry."""

_MOST_LINES = 4
"""Lines that a title may have, in the body."""

_LONGEST_LINE = 400
_OPENING = 100_000
_SHORT = 100
_LIKE = 9
"""The rank of a line whose title only begins as the entry's does: it counts between the entry's neighbours alone."""

_ALIKE = 4
"""Letters that such a title has at least in common with the entry's, and half of each."""

_LONG = 30
"""Letters of a title that are enough to know it by."""

_SHORTENED = 0.6
"""How much of an entry's title a heading has at least where it is the shorter of both."""

_DIVIDING = frozenset(("art", "ch", "part", "sec", "title"))
_SIGNS = ("...", ". . .", "…", "···", "____")
_NAMES = (
    r"(?:A(?:rrangement|RRANGEMENT) (?:of|OF) (?:[Ss]ections|SECTIONS|[Aa]rticles|ARTICLES|[Rr]ules|RULES|[Rr]egulations|REGULATIONS|[Cc]lauses|CLAUSES|[Pp]rovisions|PROVISIONS|[Pp]aragraphs|PARAGRAPHS)"
    r"|S(?:ections|ECTIONS)(?=:))|(?:[Tt]able [Oo]f |TABLE OF )?(?:[Cc]ontents|CONTENTS)|[Ii]nhalt(?:sverzeichnis|sübersicht)?|INHALT(?:SVERZEICHNIS)?"
    r"|[Tt]able des [Mm]ati[èe]res|TABLE DES MATI[ÈE]RES|[Ss]ommaire|SOMMAIRE|[ÍIíi]ndice(?: [Gg]eneral)?|[ÍI]NDICE|[Cc]ontenidos?"
    r"|CONTENIDO|[Ss]ommario|SOMMARIO|[Ss]um[áa]rio|SUM[ÁA]RIO|[Ii]nhoud(?:sopgave)?|INHOUD|[Ii]nnehåll|[Ii]ndhold|[Ss]isällys"
    r"|[Ss]pis treści|[Cc]uprins|[Оо]главление|[Сс]одержание|INDEX"
    r"|[Ss]umari|[Oo]bsah|OBSAH|[Ii]ndholdsfortegnelse|[Ii]nnehållsförteckning|[Ii]nnholdsfortegnelse|[Ss]isällysluettelo|[Tt]artalomjegyzék"
    r"|[Tt]abla de [Cc]ontenidos?|TABLA DE CONTENIDOS?|[Tt]abela de [Cc]onteúdos?|[Ss]adržaj|[Kk]azalo|[Tt]urinys|İçindekiler|[Dd]aftar [Ii]si"
    r"|[Mm]ục lục|Π(?:ίνακας|ΙΝΑΚΑΣ) (?:[Ππ]εριεχομένων|ΠΕΡΙΕΧΟΜΕΝΩΝ)|Περιεχόμενα|Зміст|ЗМІСТ|Съдържание|СЪДЪРЖАНИЕ|目[ ]?[次录錄]|[목차][ ]?[차례]"
)
_FIRST_OF_NAMES = [
    form
    for word in words(
        "arrangement sections table contents inhalt inhaltsverzeichnis inhaltsübersicht sommaire índice indice contenido contenidos",
        "sommario sumário sumario inhoud inhoudsopgave innehåll indhold sisällys spis cuprins оглавление содержание index",
        "sumari obsah indholdsfortegnelse innehållsförteckning innholdsfortegnelse sisällysluettelo tartalomjegyzék tabla tabela",
        "sadržaj kazalo turinys İçindekiler daftar mục πίνακας περιεχόμενα зміст съдържание 目 목 차",
    )
    for form in (word.upper(), word.capitalize())
]
_TITLE = LinePattern(
    rf"[ \t\xa0]{{0,80}}(?=[#*_0-9A-ZÍİΠА-Я目목차])(?:#{{1,6}}[ \t]+)?(?:[*_]{{2}})?(?:[0-9.]{{1,4}}[ \t]+)?(?:{_NAMES})[ \t]*[:.]?(?:[*_]{{2}})?"
    r"(?:[ \t]{2,}(?:Page|PAGE|Seite))?[ \t\r]*(?=\n|\Z)",
    (*_FIRST_OF_NAMES, *DIGITS, "#"),
)
_LISTS = LinePattern(
    r"[ \t\xa0]{0,80}(?:L(?:ist|IST) (?:of|OF) (?:[Tt]ables|TABLES|[Ff]igures|FIGURES|[Ee]xamples|EXAMPLES|[Ii]llustrations|ILLUSTRATIONS|[Ee]quations)"
    r"|Liste des (?:tableaux|figures|exemples)|Tabellenverzeichnis|Abbildungsverzeichnis|Liste der (?:Tabellen|Abbildungen|Beispiele))[ \t\r]*(?=\n)",
    ("List", "LIST", "Liste", "Tabellenverzeichnis", "Abbildungsverzeichnis"),
)
"""What lists of tables and figures stand under: their entries look like those of contents, and are no headings."""

_PHRASES = ("able of contents", "able of Contents", "TABLE OF CONTENTS.")
_ANNOUNCED = re.compile(
    r"able of [Cc]ontents[^\n.]{0,80}(?:\n[^\n.]{0,60})?\bfollows ?[:.—][ \t]*(?=\n)"
    r"|(?<=[.;] )TABLE OF CONTENTS\.[ \t*]*(?=\n)"
)
_DOTS = ". \t…·_"
_SPACED_PAGE = re.compile(r"(?:\t| {2})[ \t]*[0-9]{1,4}\Z")
_BARE_PAGE = re.compile(r"[ \t]+[0-9]{1,4}\Z")
_DIGITS = r"[0-9]{1,4}(?:\.[0-9]{1,4}){0,6}(?:(?<=[0-9])[A-Z]{1,2}(?![A-Za-z]))?"
_DECIMAL = rf"{_DIGITS}|[A-Z](?:\.[0-9]{{1,3}}){{1,6}}"
_BEFORE_ENTRY = r"[ \t\xa0>|]{0,80}(?:[-*+][ \t]{1,4})?"
_ENTRY = re.compile(
    rf"{_BEFORE_ENTRY}(?:{LABELLED}|((?:{_DECIMAL})(?=\.?[ \t\xa0])|[A-Z]{{1,4}}(?=\.[ \t\xa0])|[A-Z](?=[ \t\xa0]{{2}})))[ .:—–-]*"
)
_LINK = re.compile(r"\[([^\[\]\n]{1,300})\]\([^()\n]{0,300}\)")
_COLUMN = frozenset(("page", "pageno", "pages", "seite"))
"""What stands above the page numbers, folded."""

_FURNITURE = re.compile(r"\[?\b(?:Page|PAGE|Seite) [0-9ivxlc]{1,6}\]?\s*\Z")
_FIRST_LETTER = re.compile(r"[\W_]*([^\W_])")
_STOP = re.compile(r"((?:\.[ \t]?[—–-]|[.:—–])[ \t]*)\(?\Z")
_BLANK_BELOW = re.compile(r"[ \t\r]*\n[ \t\r]*(?:\n|\Z)")
