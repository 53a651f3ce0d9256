"""Candidates for headings: markdown's, and lines that begin with a label or a number, or are bold as a whole.

A line counts only where it can hardly be anything else: it begins with a capital label, what stands before it is over, and
behind the number comes a heading, a full stop or nothing (`SEC. 203. REPORTS.`, `Section 6. Quorum. A majority …`, `§ 4.2`), not
the rest of a sentence (`Section 5 applies where …`). Lines of tables of contents and what stands within fences are none.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import islice, zip_longest

from hierdoc.citations import PARAGRAPH, section_key
from hierdoc.citations.enclosed import NUMERALS, WITHIN, counted, enclosed_heading
from hierdoc.citations.grammar import COLON_CODE, NUMBER_THEN_LABEL, numeral
from hierdoc.citations.vocabulary import (
    CASED,
    LABELS,
    RESTARTING,
    UNNUMBERED,
    WORDS,
    ordinal_value,
    roman_value,
)
from hierdoc.quick import quick
from hierdoc.structure.contents import APPENDED, Listed, Witness, find_contents
from hierdoc.structure.domains import CONTROL, OUTLINE, Count
from hierdoc.structure.layout import Layout, Spans
from hierdoc.structure.lines import (
    CAPITALS,
    COUNTED_WORDS,
    DIGITS,
    DIVISION_WORDS,
    ITEM_BELOW,
    LABEL_FORMS,
    LABEL_LINE,
    LABELLED,
    LONGEST_HEADING,
    NAME,
    NEXT_LINE,
    ORDINAL_FORMS,
    ORDINAL_WORDS,
    REACH,
    ROMANCE_FORMS,
    ROMANCE_ORDINALS,
    SENTENCE,
    VERB,
    LinePattern,
    begins_paragraph,
    heading_behind,
    is_capital,
    is_capitalised,
    is_outdented,
    is_title,
    line_end,
    whole_line,
)
from hierdoc.text.words import words


@dataclass(frozen=True, slots=True)
class HeadingCandidate:
    """What may be a heading.

    Attributes:
        start: Where it begins.
        body: Where the text behind it begins.
        title: On one line, without markup.
        level: 1 to 6 for markdown's, 0 for an implied one.
        key: Of a numbered heading.
        label: The first part of the key or, for a heading that begins with its number alone, how that looks: `number`, `plain`
            or `code`; None without a number.
        number: The parts of the number, as in the key.
        enumerator: Of an enumerated subsection, as a part of a key: `a`, `1`, `iv`.
        unlikely: Whether only its number speaks for it: its title begins as no heading's does, with a digit or a small letter, or a
            sentence stands behind the number.
    """

    start: int
    body: int
    title: str
    level: int = 0
    key: str | None = None
    label: str | None = None
    number: tuple[str, ...] = ()
    enumerator: str = ""
    unlikely: bool = False

    def called(self, label: str | None) -> HeadingCandidate:
        """The same with another label; `dataclasses.replace` takes five times as long."""
        return _candidate(
            self.start,
            self.body,
            self.title,
            self.level,
            self.key,
            label,
            self.number,
            self.enumerator,
            self.unlikely,
        )

    @property
    def bold(self) -> bool:
        """Whether it is a heading only by being bold."""
        return not self.level and self.label is None and not self.enumerator


@dataclass(frozen=True)
class Candidates:
    """All that may be a heading of one text, as it was found.

    Attributes:
        layout: Of the text.
        headings: Markdown's, which are headings for sure.
        outline: Lines that go on with an outline of Roman numerals, letters and numbers.
        lines: Other lines that begin with a label or a number.
        witness: What the document's own table of contents says of them; None where it has none to rely on.
        of_statute: Whether sections begin as those of statutes do.
    """

    layout: Layout
    headings: tuple[HeadingCandidate, ...]
    outline: tuple[HeadingCandidate, ...] = ()
    lines: tuple[HeadingCandidate, ...] = ()
    witness: Witness | None = None
    of_statute: bool = False

    @cached_property
    def numbered(self) -> list[HeadingCandidate]:
        """Markdown's headings and the lines, in order."""
        return merged(self.headings, self.lines)


def of_markdown(layout: Layout) -> Candidates:
    """Markdown's headings alone."""
    found = []
    last = 0
    for one in layout.headings:
        key, label, number = _numbering(one.title)
        following = _FOLLOWING.match(one.title) if key is None else None
        if following and int(following[1]) - last in ((0,) if following[2] else _NEXT):
            number = (f"{following[1]}{following[2].lower()}",)
            key, label = f"sec_{number[0]}", "number"
        if label == "number" and (digits := _DIGITS.match(number[0])):
            last = int(digits[0])
        found.append(
            _candidate(one.char_start, one.char_end, one.title, one.level, key, label, number)
        )
    return Candidates(layout, tuple(_with_lettered(_with_parents(found))))


def _with_parents(headings: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
    """The headings; `9 vi on a Mac` and `A Files` have the numbers that `9.1` and `A.1`, the next ones, go on from.

    Letters behind numbers are those of appendices.
    """
    counted = (place for place, one in enumerate(headings) if "".join(one.number[:1]).isdigit())
    first = next(counted, len(headings))
    kept: list[HeadingCandidate] = []
    below: tuple[str, ...] = ()
    for place, one in reversed([*enumerate(headings)]):
        before = _BEFORE_TITLE.match(one.title) if one.label is None and below else None
        if before and below == (part := before[1].lower(), "1"):
            appended = part.isalpha() and place > first
            prefix, label = ("app", "app") if appended else ("sec", "number")
            one = replace(one, key=f"{prefix}_{part}", label=label, number=(part,))
        if one.label:
            below = one.number if one.label == "number" else ()
        kept.append(one)
    return kept[::-1]


def _with_lettered(headings: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
    """The headings; `A. Index` and `B. References` behind the last numbered chapter are appendices, and so is `References`."""
    chapters = [
        place
        for place, one in enumerate(headings)
        if one.label in ("number", "plain") and one.number[0].isdigit()
    ]
    lettered = {
        place: written[1]
        for place, one in enumerate(headings)
        if one.label is None and (written := _LETTERED_TITLE.match(one.title))
    }
    found = (
        len(chapters) >= _FEWEST_CHAPTERS
        and min(lettered, default=0) > chapters[-1]
        and _LETTERS.startswith("".join(lettered.values()))
    )
    kept: list[HeadingCandidate] = []
    for place, one in enumerate(headings):
        letter = lettered.get(place, "").lower() if found else ""
        if letter:
            one = replace(one, key=f"app_{letter}", label="app", number=(letter,))
        elif len(chapters) >= _FEWEST_CHAPTERS and place > chapters[-1] and one.label is None:
            one = one.called("annex") if _CLOSING.fullmatch(one.title) else one
        kept.append(one)
    return kept


def find_candidates(layout: Layout, *, named: bool) -> Candidates:
    """All that may be a heading.

    Args:
        layout: Of the text.
        named: Whether the domain is known: numbers alone are looked for in a text with headings of its own, too.
    """
    text, hidden = layout.text, layout.hidden
    markdown = tuple(one for one in of_markdown(layout).headings if not _QUOTED.match(one.title))
    if markdown and _is_indented(text, markdown):
        markdown = ()
    contents = find_contents(text, hidden, by_leaders=len(markdown) <= 1 or named)
    witness = contents.witness(text) if contents else None
    if contents and contents.titled:
        markdown = _without_listed(markdown, contents.spans)
    if witness and witness.marked:
        hidden, witness = hidden.joined(witness.spans), None
    if witness:
        markdown = tuple(one for one in markdown if not _is_of_plain_text(text, witness, one))
        hidden = hidden.without(one.start for one in witness.listed)
    of_statute = _begins_as_statute(text)
    dividing = [one.label for one in markdown if one.label not in RESTARTING]
    bare = len(dividing) <= 1 or (of_statute and not any(label in _LEAVES for label in dividing))
    numbered = bare or named or witness is not None
    labelled = _labelled_lines(text, hidden, witness, numbered=numbered)
    if witness:
        ordinal = [] if witness.labels <= APPENDED else _ordinal_lines(text, hidden)
        lines = _witnessed(text, witness, merged(ordinal, labelled))
        return Candidates(layout, markdown, (), tuple(lines), witness, of_statute)
    headings, outline = _in_outline(text, markdown, hidden)
    outlined = {one.start for one in outline}
    if of_statute:
        labelled = [
            one.called("plain") if one.label == "number" and not one.number[1:] else one
            for one in labelled
        ]
    lines = merged(_ordinal_lines(text, hidden), labelled)
    lines = merged(lines, _closing_lines(text, hidden, lines))
    if not outline and _LETTERED_LINE.search(text):
        lettered = [one for letter, one in _outline_lines(text, hidden) if letter in _LETTERS]
        lines = [one for one in _with_lettered(merged(lines, lettered)) if one.label]
    return Candidates(
        layout,
        headings,
        outline,
        tuple(one for one in lines if one.start not in outlined),
        of_statute=of_statute,
    )


def _begins_as_statute(text: str) -> bool:
    """Whether several numbers without parts begin sections as those of statutes do."""
    found = islice(_OF_STATUTE.finditer(text), _FEWEST_OF_STATUTE)
    return sum(1 for _ in found) == _FEWEST_OF_STATUTE


def _without_listed(
    headings: Sequence[HeadingCandidate], contents: Spans
) -> tuple[HeadingCandidate, ...]:
    """The headings without those that stand in a table of contents and come again outside of it."""
    outside = {one.key for one in headings if one.key and not contents.holds(one.start)}
    return tuple(one for one in headings if one.key not in outside or not contents.holds(one.start))


def _is_indented(text: str, headings: Sequence[HeadingCandidate]) -> bool:
    """Whether a text is indented for the most part, as plain text is that was typed or printed, and its headings of markdown too."""
    if any(text[one.start] != " " for one in headings):
        return False
    lines = text.count("\n") - text.count("\n\n")
    return text.count("\n ") > max(_INDENTED * lines, _FEWEST_INDENTED)


def _witnessed(
    text: str, witness: Witness, lines: Iterable[HeadingCandidate]
) -> list[HeadingCandidate]:
    """The lines that a table of contents lists, and others that it does not deny."""
    listed = [_listed(text, one) for one in witness.listed]
    lines = list(lines)
    numbered = witness.labels <= APPENDED and not _counts_articles(witness, lines)
    others = (
        one
        for one in lines
        if (
            not witness.denies(
                one.start, one.number, label="" if one.label in _BARE else one.label or ""
            )
            or _is_called(witness, one)
            or _heads_table(text, witness, one)
        )
        and not (numbered and one.label in _OF_SECTIONS)  # `Section 3.1` cites what is called 3.1
    )
    return merged(listed, others)


def _counts_articles(witness: Witness, lines: Iterable[HeadingCandidate]) -> bool:
    """Whether articles hold what a table lists, `ARTICLE ONE` 1.1 and 1.2: their numbers are the first parts of these."""
    held = list(dict.fromkeys(one.number[0] for one in witness.listed if not one.labelled))
    articles = [one.number for one in lines if one.label == "art"]
    return len(held) > 1 and articles == [(one,) for one in held]


def _is_called(witness: Witness, one: HeadingCandidate) -> bool:
    """Whether a table lists a chapter by its number and title alone."""
    return (
        one.label in _CHAPTERS
        and one.label not in witness.labels
        and not witness.spans.holds(one.start)
        and witness.calls(one.number, one.title)
    )


def _heads_table(text: str, witness: Witness, one: HeadingCandidate) -> bool:
    """Whether a line begins a chapter that has a table of its own right below, whose sections have other numbers."""
    below = _NEXT_TEXT.match(text, one.body)
    in_table = witness.spans.holds(one.start)
    return below is not None and not in_table and witness.spans.holds(below.end())


def _listed(text: str, one: Listed) -> HeadingCandidate:
    label = one.key.partition("_")[0] if one.labelled else "number"
    title = _plain_title(text[one.start : one.end])
    return _candidate(one.start, one.end, title, 0, one.key, label, one.number)


def _is_of_plain_text(text: str, witness: Witness, heading: HeadingCandidate) -> bool:
    """Whether what markdown takes for a heading is part of plain text, whose headings have no marks.

    It is indented, as comments in examples and what stands above the rule of a table are.
    """
    return text[heading.start] in " \t" and not witness.names(heading.start)


def merged(
    headings: Sequence[HeadingCandidate], others: Iterable[HeadingCandidate]
) -> list[HeadingCandidate]:
    """All in order, without others that begin within a heading or are one already."""
    starts = [one.start for one in headings]
    new = []
    for other in others:
        place = bisect_right(starts, other.start) - 1
        if place < 0 or other.start >= max(headings[place].body, headings[place].start + 1):
            new.append(other)
    return sorted([*headings, *new], key=lambda one: one.start) if new else list(headings)


def find_bold(layout: Layout) -> list[HeadingCandidate]:
    """Paragraphs that are bold as a whole and read like a heading."""
    text, found = layout.text, []
    for line in _BOLD.finditer(text) if "**" in text or "__" in text else ():
        start, title = line.start(1), line[2].strip()
        before = text[max(0, start - REACH) : start].rstrip(" ").removesuffix("\n")
        before = before[before.rfind("\n") + 1 :].strip()
        if (
            (not before or before.startswith("#"))
            and len(title) <= LONGEST_HEADING
            and title[-1] not in ":,;?"
            and "**" not in title
            and any(map(str.isalpha, title))
            and not (title[-1] == "." and VERB.search(title))
            and not layout.hidden.holds(start)
        ):
            found.append(_candidate(start, line.end(1), " ".join(title.split())))
    return found


def find_capitals(layout: Layout) -> list[HeadingCandidate]:
    """Lines in capitals between blank lines, with text below, as plain text has them for headings; what comes again runs above pages."""
    text = layout.text
    lines = [
        line
        for line in _CAPITALS.finditer(text)
        if line[2].isupper()
        and _NAME.search(line[2])
        and _BLANK_ABOVE.search(text, max(0, line.start(1) - REACH), line.start(1))
        and not layout.hidden.holds(line.start(1))
    ]
    count = Counter(line[2] for line in lines)
    found = []
    for line, following in zip_longest(lines, lines[1:]):
        end = following.start(1) if following else len(text)
        if count[line[2]] == 1 and text[line.end(1) : end].strip():
            found.append(_candidate(line.start(1), line.end(1), " ".join(line[2].split())))
    return found


def find_titles(layout: Layout) -> list[HeadingCandidate]:
    """Lines between blank lines whose words begin with capitals, with text below, as reports and handbooks have them for headings."""
    text = layout.text
    lines = [line for line in _ALONE.finditer(text) if not layout.hidden.holds(line.start(1))]
    lines = once(lines)
    found = [
        _candidate(line.start(1), line.end(1), " ".join(line[1].split()))
        for line in lines
        if line[1][0].isupper()
        and _NAME.search(line[1])
        and len(words_of := line[1].split()) <= _LONGEST_TITLE
        and ":" not in line[1]
        and not line[1][-1].isdigit()  # `Page 3`
        and is_capitalised(words_of)
        and _TEXT_BELOW.match(text, line.end(1))
    ]
    return found if len(found) >= _FEWEST_TITLES and 2 * len(found) >= len(lines) else []


def once(lines: Sequence[re.Match[str]]) -> list[re.Match[str]]:
    """The lines without those that come again but for their digits, as headers and footers of pages do."""
    shown = [_DIGITS.sub("0", line[1]) for line in lines]
    count = Counter(shown)
    return [line for line, one in zip(lines, shown, strict=True) if count[one] == 1]


def find_recitals(layout: Layout) -> list[HeadingCandidate]:
    """The line behind which numbered recitals stand, `Whereas:`, if there is one."""
    text = layout.text
    line = _RECITALS.search(text) if any(word in text for word in _OF_RECITALS) else None
    return [_candidate(line.start(1), line.end(1), line[1])] if line else []


_candidate = quick(HeadingCandidate)


_QUOTED = re.compile(rf"[“„«]\s?{LABELLED}")
"""A heading of law that is quoted, as amendments are: no section of the document's own."""

_LEAVES = words("sec art rule number code")
"""Labels of headings in which text stands: where there are some of markdown's, numbers alone are none."""

_LETTERED_LINE = LinePattern(r"[ \t]{0,20}(?:\*\*)?A\.[ \t]{1,8}[A-Z]", ("A",))
_NEXT_TEXT = re.compile(r"[ \t\r]*(?:\n[ \t\r]*)+(?=\S)")
_BEFORE_TITLE = re.compile(r"([A-Z]|[0-9]{1,2})[ \xa0\t]{1,4}(?=\S)")
_LETTERED_TITLE = re.compile(r"([A-Z])\.?[ \xa0][A-Z]")
_FEWEST_CHAPTERS = 3
_FEWEST_OF_STATUTE = 2
_BARE = words("number plain code")
_OF_SECTIONS = words("sec art rule item cl")
_CHAPTERS = words("ch part art app annex")
_FEWEST_INDENTED = 50
"""Lines that are indented at least: fewer tell nothing."""
_INDENTED = 0.6
"""How many lines of such a text are indented."""


# Outlines: `III. RECOMMENDATIONS`, below it `A. General`, below that `1. Labels`. Such a letter or number alone says
# nothing; where it stands among the others does. `Section III.A.1` cites `sec_3_a_1`.


def _in_outline(
    text: str, headings: Sequence[HeadingCandidate], hidden: Spans
) -> tuple[tuple[HeadingCandidate, ...], tuple[HeadingCandidate, ...]]:
    """The headings, with keys where they are those of an outline, and the lines that are headings of it.

    There are two Roman numerals at least.
    """
    found = [
        (_enumerator(match), one)
        for one in headings
        if (match := _OUTLINE_ENUMERATOR.match(one.title)) and not _COUNTED_FIRST.match(one.title)
    ]
    if not found and not (_SECOND_NUMERAL.search(text) or _SECOND_ALONE.search(text)):
        return tuple(headings), ()
    if len(found) < 2:
        found += _outline_lines(text, hidden)
        found.sort(key=lambda one: one[1].start)
    numbered = _outline_numbers(found)
    if sum(len(one.number) == 1 for one in numbered) < 2:
        return tuple(headings), ()
    keyed = {one.start: one for one in numbered if one.level}
    return (
        tuple(keyed.get(one.start, one) for one in headings),
        tuple(one for one in numbered if not one.level),
    )


def _outline_lines(text: str, hidden: Spans) -> Iterable[tuple[str, HeadingCandidate]]:
    yield from _outline_alone(text, hidden)
    for line in _OUTLINE_LINE.finditer(text):
        start, position = line.start(1), line.end()
        body = whole_line(text, position, item=False)
        title = text[position:body]
        apart = _BLANK_BELOW.match(text, body) or title.isupper() or not line[2]
        if body == position or not apart or _is_said(title) or _has_leaders(title):
            continue
        if _COUNTED_FIRST.match(text, start):  # `III. FEJEZET`
            continue
        following = None if line[2] else _OUTLINE_BELOW.match(text, body)
        if following and bool(following[1]) == bool(line[3]):  # items that follow each other
            continue
        if begins_paragraph(text, start, -1) and not hidden.holds(start):
            yield _enumerator(line, 2), _candidate(start, body, _plain_title(text[start:body]))


def _is_said(title: str) -> bool:
    """Whether a line is a sentence; a question may be a heading."""
    return VERB.search(title) is not None and not title.rstrip(" *_").endswith("?")


def _enumerator(match: re.Match[str], first: int = 1) -> str:
    """The enumerator of an outline: a numeral, a letter or a number; `二、` counts as `II`, and `（二）` as `B`.

    Args:
        match: Of `_OUTLINE_ENUMERATOR` or `_OUTLINE_LINE`.
        first: The first of the groups that it may stand in.
    """
    written, outer, inner = match.group(first, first + 1, first + 2)
    if outer:
        return numeral(counted(outer)).upper()
    return _LETTERS[min(counted(inner), len(_LETTERS)) - 1] if inner else written


def _outline_alone(text: str, hidden: Spans) -> Iterator[tuple[str, HeadingCandidate]]:
    """Numerals, letters and numbers alone on their lines, in the middle or between blank lines, as opinions of courts have them."""
    if not _SECOND_ALONE.search(text):
        return
    for line in _OUTLINE_ALONE.finditer(text):
        start, end = line.span(1)
        apart = _BLANK_ABOVE.search(text, max(0, start - REACH), start)
        centred = _column_of(text, start) >= _CENTRED
        if (apart and _BLANK_BELOW.match(text, end)) or centred:
            below = NEXT_LINE.match(text, end)
            name = (below[2] + below[3]).strip() if below else ""
            titled = name.isupper() and _NAME.search(name) and len(name) <= _LONGEST_NAME
            body = below.start(2) + len(name) if below and titled else end
            if not hidden.holds(start):
                yield line[2], _candidate(start, body, _plain_title(text[start:body]))


def _column_of(text: str, start: int) -> int:
    return start - text.rfind("\n", 0, start) - 1


def _outline_numbers(found: Iterable[tuple[str, HeadingCandidate]]) -> list[HeadingCandidate]:
    """Those that are the next of their kind, with their numbers."""
    numbered = []
    count = Count()
    numeral = letter = 0
    stem: tuple[str, ...]
    for enumerator, one in found:
        if enumerator[-1].islower():  # `IV a.`, inserted behind `IV.`
            if numeral and roman_value(enumerator[:-1].rstrip()) == numeral:
                own = f"{numeral}{enumerator[-1]}"
                numbered.append(replace(one, key=f"sec_{own}", label="number", number=(own,)))
            continue
        as_numeral = roman_value(enumerator)
        as_letter = _LETTERS.find(enumerator) + 1 if len(enumerator) == 1 else 0
        is_next_numeral = bool(as_numeral) and count.is_next((), as_numeral, OUTLINE)
        if enumerator.isdigit():
            stem, value = (str(numeral), str(letter)), int(enumerator)
            if not numeral or not count.is_next(stem, value, OUTLINE):
                continue
            own = enumerator
        elif (
            numeral
            and not is_next_numeral
            and as_letter
            and count.is_next((str(numeral),), as_letter, OUTLINE)
        ):
            stem, value, letter, own = (str(numeral),), as_letter, as_letter, ""
        elif is_next_numeral or as_numeral == 1:
            if not is_next_numeral:
                count.restart()
            stem, value, numeral, letter, own = (), as_numeral, as_numeral, 0, ""
        else:
            continue
        count.take(stem, value)
        letters = _LETTERS[letter - 1].lower() if letter else ""
        number = tuple(part for part in (str(numeral), letters, own) if part)
        numbered.append(replace(one, key="_".join(("sec", *number)), label="number", number=number))
    return numbered


_FOLLOWING = re.compile(
    r"([0-9]{1,4})([A-Z]{0,2})(?:[ \xa0\t]{1,4}(?=[A-Z])|(?:\.?[—–-])?[ \xa0]?(?:\((?:1|a)\))?\s*\Z)"
)
"""A number that counts only behind the one before: `12A Fees` behind `12 Records`, or nothing but a number, `13`, `14.—(1)`."""

_NEXT = range(1, 5)
_DIGITS = re.compile(r"[0-9]{1,4}")
_LETTERS = CAPITALS
_EASTERN = (
    rf"([{NUMERALS}]{{1,3}})(?:、|\.(?=\S))[ \u3000]?|[(（]([{NUMERALS}]{{1,3}})[)）][ \u3000]?"
)
_OUTLINE_ENUMERATOR = re.compile(
    rf"(?:([IVX]{{1,6}}(?: ?[a-z])?|[A-Z]|[0-9]{{1,2}})\.[ \t\xa0]+(?=[^\W\d_])|{_EASTERN}(?=\S))"
)
_OUTLINE_LINE = LinePattern(
    r"[ \t\xa0]{0,40}((?:\*\*)?(?:([IVX]{1,6}|[A-Z]|[0-9]{1,2})\.[ \t\xa0]{1,8}(?=[A-ZÀ-ÞΆ-ΩА-Я\"“‘])"
    rf"|{_EASTERN}(?=[^\s\d])))",
    (*DIGITS, *CAPITALS, *NUMERALS, *"(（"),
    "[IVX]{2,6}",
)
_OUTLINE_BELOW = re.compile(
    rf"\s{{1,20}}(?:\*\*)?(?:([{NUMERALS}]{{1,3}})(?:、|\.)|\([{NUMERALS}]{{1,3}}\))"
)
_SECOND_NUMERAL = LinePattern(
    r"[ \t\xa0]{0,40}(?:\*\*)?(?:II\.[ \t\xa0]{1,8}[A-ZÀ-ÞΆ-ΩА-Я\"“‘]|二(?:、|\.(?=\S)))",
    ("II", "二"),
)
_SECOND_ALONE = LinePattern(r"[ \t]{0,60}II\.?[ \t]*\n", ("II",))
_OUTLINE_ALONE = LinePattern(
    r"[ \t]{0,60}(([IVX]{1,6}|[A-Z]|[0-9]{1,2})\.?)(?=[ \t\r]*\n)",
    (*DIGITS, *CAPITALS),
    "[IVX]{2,6}",
)
_CENTRED = 16
"""Columns before a numeral at least that stands in the middle of its line."""

_BLANK_BELOW = re.compile(r"[ \t\r*]*\n[ \t\r]*\n")


# Lines that begin with a label and a number, or with a number alone


def _labelled_lines(
    text: str, hidden: Spans, witness: Witness | None = None, *, numbered: bool
) -> list[HeadingCandidate]:
    """Lines that begin with a label and a number, or with a number alone, in order.

    Args:
        text: The document.
        hidden: What of it holds no headings.
        witness: What a table of contents says of them.
        numbered: Whether to look for `1. Scope` too; lists of ordinary documents look the same.
    """
    found: list[HeadingCandidate] = []
    line_before = -1
    for line in (_LINE_OR_ITEM if numbered else _LINE).finditer(text):
        if witness and witness.has_read(line.start(1), line[4] or line[5]):
            if witness.names(line.start(1)):
                line_before = line_end(text, line.start(1))
            continue
        read = _labelled if line[2] else _numbered
        one = read(text, line, line_before)
        if one and found and _is_reference_of(text, one, found[-1]):
            continue
        if one and not hidden.holds(one.start):
            found.append(one)
            line_before = line_end(text, max(one.start, one.body))
    return found


def _ordinal_lines(text: str, hidden: Spans) -> list[HeadingCandidate]:
    """Lines that begin with an ordinal and a label (`Erster Teil`, `FIRST SCHEDULE`, `1. Abschnitt: Zweck`), in order."""
    found = []
    for line in _COUNTED_LINE.finditer(text):
        start, last = line.start(1), line_end(text, line.start(1))
        title = text[start:last]
        key = section_key(title.lstrip("*"))
        if (
            key
            and last - start <= LONGEST_HEADING
            and begins_paragraph(text, start, -1)
            and not hidden.holds(start)
            and not _has_leaders(title)
        ):
            body = _title_below(text, last) if line.end(1) == last else last
            label, *number = key.split("_")
            shown = _plain_title(text[start:body])
            found.append(_candidate(start, body, shown, 0, key, label, tuple(number)))
    found += _clauses(text, hidden)
    for line in _REPEALED_LINE.finditer(text):
        key = section_key(line[1].lstrip("*")) if _SEVERAL.search(line[1]) else None
        if key and not hidden.holds(line.start(1)):
            label, *number = key.split("_")
            shown = _plain_title(line[1])
            found.append(
                _candidate(line.start(1), line.end(1), shown, 0, key, label, tuple(number))
            )
    for line in _NUMBER_FIRST_LINE.finditer(text):
        one = _counted_first(text, line)
        if one and not hidden.holds(one.start):
            found.append(one)
    found += _enclosed_lines(text, hidden)
    for line in _ORDINAL_LINE.finditer(text):
        start, end = line.start(1), line.end(1)
        key = section_key(f"{line[2]} {line[3]}")
        if begins_paragraph(text, start, -1) and not hidden.holds(start):
            body = _title_below(text, line_end(text, end)) if key else end
            label, *number = key.split("_") if key else (CASED[line[3]].prefix,)
            found.append(
                _candidate(
                    start, body, _plain_title(text[start:body]), 0, key, label, tuple(number)
                )
            )
    for line in _APPENDED_LINE.finditer(text):
        start, last = line.start(1), line_end(text, line.start(1))
        apart = _BLANK_ABOVE.search(text, max(0, start - REACH), start)
        if apart and last - start <= LONGEST_HEADING and not hidden.holds(start):
            body = _title_below(text, last)
            shown = _plain_title(text[start:body])
            found.append(_candidate(start, body, shown, 0, None, "annex"))
    return sorted(found, key=lambda one: one.start)


def _enclosed_lines(text: str, hidden: Spans) -> Iterator[HeadingCandidate]:
    """Lines that begin with a number within its label: `第一章 総則`, `제1조(목적) 이 법은 …`."""
    if not ("第" in text or "제" in text):
        return
    line_before = -1
    listed = _listed_in_contents(text)
    for line in _ENCLOSED_LINE.finditer(text):
        start, end = line.start(1), line.end(1)
        if start < listed[1] and start >= listed[0]:
            continue
        number = enclosed_heading(text[start : end + 1].lstrip("*"))
        last = line_end(text, end)
        if number is None or hidden.holds(start) or not begins_paragraph(text, start, line_before):
            continue
        captioned = _CAPTION_BEHIND.match(text, end, last)
        rest = text[end:last]
        body = captioned.end() if captioned else end
        if not rest.strip():
            body = _title_below(text, last) if number.prefix != "art" else end
        elif number.prefix != "art" or not (captioned or _is_sentence(rest)):
            body = end + len(rest.rstrip())
        line_before = last
        title = _plain_title(text[start:body])
        own = tuple(number.unit.split("_")[1:])
        yield _candidate(start, body, title, 0, number.unit, number.prefix, own)


def _is_sentence(rest: str) -> bool:
    """Whether text stands behind the number of an article, and no title."""
    shown = rest.rstrip()
    return "。" in shown or shown[-1] in ".,;:" or len(shown) > _LONGEST_NAME


def _listed_in_contents(text: str) -> tuple[int, int]:
    """Where a list of such lines stands that is a table of contents: from its title to where its first entry comes again."""
    title = next(_CONTENTS_TITLE.finditer(text), None)
    first = title and next(_ENCLOSED_LINE.finditer(text, title.end()), None)
    if title is None or first is None or text[title.end() : first.start(1)].strip():
        return -1, -1
    entry = text[first.start(1) : line_end(text, first.start(1))].partition("(")[0].split()
    for line in _ENCLOSED_LINE.finditer(text):
        place = line.start(1)
        if place > first.start(1) and text[place : line_end(text, place)].split() == entry:
            return title.start(), place
    return -1, -1


def _closing_lines(
    text: str, hidden: Spans, lines: Sequence[HeadingCandidate]
) -> list[HeadingCandidate]:
    """Headings without a number that close a document, behind its last numbered section: `References`, `Acknowledgements`."""
    last = max((one.start for one in lines if one.label in _BARE), default=-1)
    if last < 0:
        return []
    return [
        _candidate(line.start(1), line.end(1), _plain_title(line[1]), 0, None, "annex")
        for line in _CLOSING_LINE.finditer(text)
        if line.start(1) > last and not hidden.holds(line.start(1))
    ]


def _clauses(text: str, hidden: Spans) -> list[HeadingCandidate]:
    """The clauses of a contract that ordinals count, `PRIMERA.- Objeto`, or of transitional provisions: two at least, from the first on."""
    found: list[HeadingCandidate] = []
    for line in _CLAUSE_LINE.finditer(text):
        start, number = line.start(1), ordinal_value(line[2])
        if hidden.holds(start) or not _BLANK_ABOVE.search(text, max(0, start - REACH), start):
            continue
        if number != 1 and not (found and number == int(found[-1].number[0]) + 1):
            continue
        last = line_end(text, line.end(1))
        body = whole_line(text, line.end(1), item=False)
        body = body if line.end(1) < body <= last else line.end(1)
        shown = _plain_title(text[start:body])
        found.append(_candidate(start, body, shown, 0, f"cl_{number}", "art", (str(number),)))
    counted = {one.number[0] for one in found}
    return found if {"1", "2"} <= counted else []


def _counted_first(text: str, line: re.Match[str]) -> HeadingCandidate | None:
    """What a line begins that has its label behind its number: `2 kap. Tillstånd`, `3 § Den som …`, `III. FEJEZET`."""
    start, end = line.start(1), line.end(1)
    last = line_end(text, end)
    rest = text[end:last].strip(" \t\r*_.:—–-")
    key = section_key(text[start:end])
    if key is None or not begins_paragraph(text, start, -1) or _has_leaders(text[end:last]):
        return None
    if rest and not (rest[0].isupper() or rest[0] in '(“„"[1'):
        return None
    label, *number = key.split("_")
    body = end
    if not rest:
        body = _title_below(text, last)
    elif label not in ("sec", "art") or (
        len(rest) <= LONGEST_HEADING and not _STOP.search(text, end, last)
    ):
        body = end + len(text[end:last].rstrip())
    shown = _plain_title(text[start:body])
    return _candidate(start, body, shown, 0, key, label, tuple(number))


def _is_reference_of(text: str, one: HeadingCandidate, before: HeadingCandidate) -> bool:
    """Whether the line says to which section the schedule belongs that it stands in the head of."""
    return (
        before.label in ("sched", "annex", "app")
        and one.label in ("sec", "art", "rule")
        and _BARE_LABEL.match(text, one.start) is not None
        and _BARE_LABEL.match(text, before.start) is not None
        and not text[before.body : one.start].strip()
    )


_LINE_START = (
    r"(?=[ \t\xa0\f\r§*_0-9A-ZÀ-ÞĀ-ŽΆ-ΩԱ-ՖА-Яא-תا-يअ-हก-ฮა-ჰ])[ \t\xa0\f\r]{0,80}((?:[*_]{1,3})?(?:"
)
_PARTS = r"[0-9]{1,5}(?:\.[0-9]{1,5}){1,6}(?:-[0-9]{1,3}|[a-z](?![\w.]))?|[0-9]{1,3}[-–][0-9]{1,3}(?:[a-z]|\.[0-9]{1,3})?(?=\.[ \t\xa0][A-Z])"
"""`4.2`, `1798.105`, `52.209-3`; `2–3.`, the third paragraph of chapter 2."""

_BEHIND_NUMBER = r"\.?(?:\\?\*(?!\*)|\*(?=\*\*))?(?:\*\*|__)?(?:[ \t\xa0]|(?=\r?\n[A-Za-z])|(?=[぀-ヿ一-鿿가-힣]))"
_PLAIN = (
    r"([0-9]{1,4}[A-Z]{0,3})"
    r"(?:\.(?:\*\*)?—[ ]?(?=\(1\)|[A-Z])|(?:\*\*)?[ \t\xa0]{1,8}(?=[A-Z‘“぀-ヿ一-鿿가-힣]|\((?:1|a)\)(?:\*\*)?[ \t\xa0][A-Z]))"
)
_OF_STATUTE = LinePattern(
    r"[ \t]{0,20}(?:(?:\*\*)?[0-9]{1,3}[A-Z]?\.(?:\*\*)?"
    r"(?:[ ]?—[ ]?\(1\)|[ ]\(1\)[ ][A-Z]|[ ][A-Z][^\n.]{2,120}\.?(?:\*\*)?[ ]?[—–](?:\*\*)?[ ]?(?:\(1\)|[A-Z]))"
    r"|\*\*[0-9]{1,3}(?:\.[0-9]{1,2})?\*\*[ ]\(1\)[ ][A-Z])",
    DIGITS,
)
"""What statutes begin sections with: `3.—(1) A fee …`, `3. (1) A fee …`, `3. Fees.—A fee …`, `**3** (1) A fee …`.

Others of theirs have text behind `4.` at once.
"""
_NUMBERED_OR_LABELLED = (*LABEL_FORMS, *DIGITS, *CAPITALS)
_LINE = LinePattern(
    rf"{_LINE_START}{LABELLED}"
    rf"|({COLON_CODE}|{_PARTS}|[A-Z](?:\.[0-9]{{1,3}}){{1,4}}){_BEHIND_NUMBER}|{_PLAIN})"
    r")",
    _NUMBERED_OR_LABELLED,
)
_LINE_OR_ITEM = LinePattern(
    rf"{_LINE_START}{LABELLED}"
    rf"|({COLON_CODE}|{_PARTS}|[A-Z](?:\.[0-9]{{1,3}}){{1,4}}|[0-9]{{1,3}}(?=\.(?:\*\*)?(?:[ \t\xa0぀-ヿ一-鿿가-힣]|\n[A-Z]))){_BEHIND_NUMBER}|{_PLAIN})"
    r")",
    _NUMBERED_OR_LABELLED,
)
_BOLD = LinePattern(
    r" {0,3}((?:\*\*|__)(?=\S)([^\n]{2,400}?)(?:\*\*|__))[ \t\r]*(?=\n[ \t\r]*(?:\n|\Z)|\Z)",
)
_CAPITALS = LinePattern(
    r"[ \t\xa0]{0,80}(([A-ZÀ-Þ][A-ZÀ-Þ0-9 ,.&'’()/–—-]{2,98}[A-ZÀ-Þ0-9)]))(?=[ \t\r]*\n[ \t\r]*\n)"
)
_ALONE = re.compile(
    r"(?<=\n)[ \t\r]*\n[ \t\xa0]{0,80}([^\s#>|*+-][^\n]{1,98}[^\s.,;:!])(?=[ \t\r]*\n[ \t\r]*\n)"
)
_PROSE = r"\S(?:[^\n]{60}|[^\n]{18,59}(?<=[.:;!?])[ \t\r\"”)]*(?:\n|\Z)|[^\n]{24,59}\n[ \t]*\S)"
_TEXT_BELOW = re.compile(rf"\s{{1,20}}{_PROSE}|\s{{1,20}}[^\n]{{3,100}}\n[ \t\r]*\n[ \t]*{_PROSE}")
"""A paragraph, or a heading and one: a long line, a sentence, or several lines together."""

_LONGEST_TITLE = 10
_FEWEST_TITLES = 3
_ORDINAL_LINE = LinePattern(
    rf"[ \t\xa0]{{0,80}}((?:\*\*)?({ORDINAL_WORDS})[ \xa0]({DIVISION_WORDS})[.:]?(?:\*\*)?)(?=[ \t\r]*(?:\n|\Z))",
    ORDINAL_FORMS,
)
_COUNTED_LINE = LinePattern(
    rf"[ \t\xa0]{{0,80}}((?:\*\*)?[0-9]{{1,3}}\.[ \xa0](?:{COUNTED_WORDS})(?:\*\*)?)(?=[ \t\r]*(?:\n|\Z)|[ ]?[:–—-][ ])",
    DIGITS,
)
_NUMBER_FIRST_LINE = LinePattern(
    rf"[ \t\xa0]{{0,80}}((?:\*\*)?(?:{NUMBER_THEN_LABEL})\.?(?:\*\*)?)(?=[ \t\r]|\n|\Z)",
    DIGITS,
    "[IVXLC]{1,7}",
)
_ENCLOSED_LINE = LinePattern(
    rf"(?=[ \t\xa0第제*])[ \t\xa0]{{0,40}}((?:\*\*)?(?=[第제]){WITHIN})(?=(?:\*\*)?(?:[ \t\r\xa0:.(《「【<]|\n|\Z))",
    "第제",
)
_CONTENTS_TITLE = LinePattern(
    r"[ \t]{0,40}(?:目[ ]{0,4}[录錄次]|목[ ]{0,4}차|차[ ]{0,4}례)[ \t\r]*(?=\n)",
    "目목차",
)
_CAPTION_BEHIND = re.compile(r"(?:\*\*)?[ ]?\([^()\n]{1,80}\)(?:\*\*)?")
_CLAUSE_LINE = LinePattern(
    rf"[ \t\xa0]{{0,80}}((?:\*\*)?({ROMANCE_ORDINALS})(?:\.[ ]?[-–—:]{{0,2}}|[ ]?[-–—:])(?:\*\*)?[ \t\xa0]{{1,4}})(?=[\*A-ZÀ-Þ“\"«])",
    ROMANCE_FORMS,
)
_REPEALED_LINE = LinePattern(
    r"[ \t\xa0]{0,80}((?:\*\*)?(?:§§|Secs?\.|SECS?\.|Sections|SECTIONS|Arts?\.|Articles|Artikel|Artículos|Articoli|Rules|Regs\.)[ \xa0][0-9]"
    r"[^\n]{2,80}(?:[wW]eggefallen|[aA]ufgehoben|[rR]eserved|RESERVED|[rR]epealed|REPEALED|[aA]brog[ée]+s?|[dD]erogad[oa]s|[aA]brogati|[oO]mitted|[rR]evoked)"
    r"[\])]?\.?(?:\*\*)?)(?=[ \t\r]*(?:\n|\Z))",
    (
        *("§", "Sec", "Secs", "SEC", "SECS", "Sections", "SECTIONS", "Art", "Arts"),
        *("Articles", "Artikel", "Artículos", "Articoli", "Rules", "Regs"),
    ),
)
"""Sections that are not there any more: `§§ 5 bis 7 (weggefallen)`, `Secs. 6-3—6-30. - Reserved.`"""
_SEVERAL = re.compile(
    r"[0-9][a-zA-Z]{0,2}(?:[ \xa0]?[–—,-][ \xa0]?|[ \xa0](?:bis|to|through|thru|and|und|et|y|e|à|a)[ \xa0])[0-9]"
)
_COUNTED_FIRST = re.compile(rf"(?:\*\*)?{NUMBER_THEN_LABEL}")
_STOP = re.compile(r"[.;:,][*_]{0,3}[ \t\r]*(?=\n|\Z)|[.;:][ ]")
_LONGEST_NAME = 80
_BLANK_ABOVE = re.compile(r"(?:\A|\n[ \t\r]*\n)[ \t\xa0\r]*\Z")
_NAME = re.compile(r"[^\W\d_]{2}")
_HUNG = re.compile(r"[ \t\r]*\n([ \t]{2,40})(\S+)[^\n]{0,100}(?=\n[ \t\r]*(?:\n|\Z)|\Z)")
_LEVEL = re.compile(r"([^\W\d_]{1,14})\.?[ \xa0\n](?:[0-9(]|[a-z][ ,.)])")
_BROKEN = re.compile(r"[ \t\r]*\n[ \t]{0,80}([^\s][^\n]{0,100})(?=\n[ \t\r]*(?:\n|\Z))")
_WIDTH = 100
_FULL = 64
"""Characters that a line has at least where a word that comes next had no room in it."""
_APPENDED_NAMES = (
    r"(?:(?i:disposici[óo]n(?:es)?\s(?:adicional|transitoria|derogatoria|final)(?:es|s)?)\b[^\n]{0,140}"
    r"|(?i:(?:art[ií]culos\s)?transitorios|bibliograph(?:y|ie)|bibliograf[ií]a|literaturverzeichnis)"
    r"|(?i:(?:допълнителн[аи]|преходн[аи]|заключителн[аи]|преходни и заключителни) разпоредб[аи])"
    r"|附[ ]{0,4}[则則]|부[ ]{0,4}칙(?:[ ]?<[^<>\n]{0,80}>)?"
    r"|SCHEDULE|ANNEX|ANNEXE|APPENDIX|ANEXO|ALLEGATO)"
)
"""Headings without a number that stand behind all divisions of a document, as appendices do."""

_FIRST_OF_APPENDED = (
    *("SCHEDULE", "ANNEX", "ANNEXE", "APPENDIX", "ANEXO", "ALLEGATO", "附", "부"),
    *(
        form
        for word in words(
            "disposición disposicion disposiciones artículos articulos transitorios bibliography bibliographie bibliografía bibliografia",
            "literaturverzeichnis допълнителни допълнителна преходни преходна заключителни заключителна",
        )
        for form in (word.upper(), word.capitalize())
    ),
)
"""The first words of these."""

_APPENDED = re.compile(rf"{_APPENDED_NAMES}[\s.:]*")
_APPENDED_LINE = LinePattern(
    rf"[ \t\xa0]{{0,80}}((?:\*\*)?(?=[A-ZА-Я附부]){_APPENDED_NAMES}[.:]?(?:\*\*)?)(?=[ \t\r]*(?:\n|\Z))",
    _FIRST_OF_APPENDED,
)

_DATED = re.compile(r"[0-9/-][ \t\r]*\n[ \t]*\Z")
"""The end of a note, `Amended by Ord. 24-2023 on 12/12/2023`, which has no full stop."""

_LETTER_BEHIND = re.compile(r"([0-9]{1,5})-?([a-z]|(?<=-)[0-9]{1,3})")
_OF_CODE = re.compile(r"\w+(?::|-[0-9]{3})")
"""The numbers of sections of a code, `40A:9-165`, `12-301`."""
_NUMBERED_FIRST = re.compile(r"[0-9]|[A-Z]\.[0-9]")
_PARAGRAPH = re.compile(r"\[([1-9][0-9]{0,3})\]")
_CLOSING_NAMES = (
    r"(?i:references|acknowledge?ments?|authors?['’]? address(?:es)?|contributors|glossary|endnotes|index"
    r"|danksagung|literatur|quellen|remerciements|références|bibliographie|agradecimientos|referencias|riferimenti|ringraziamenti|referências)"
)
_CLOSING = re.compile(rf"{_CLOSING_NAMES}[.:]?")
_CLOSING_LINE = re.compile(
    rf"\n[ \t\r]*\n[ \t\xa0]{{0,80}}((?:\*\*)?(?=[A-Z]){_CLOSING_NAMES}[.:]?(?:\*\*)?)(?=[ \t\r]*\n[ \t\r]*\n)"
)
_STEP = re.compile(r"(?:Step|STEP|Schritt)[ \xa0]([0-9]{1,3})\b")
_SEPARATOR = re.compile(
    r"\*{0,2}[ \t\xa0]{0,4}(?:\.[ \t\xa0]?[—–-]{1,2}|[.:]|[—–]|-{1,2}(?=[ \t\xa0]))\*{0,2}[ \t\xa0]*\*{0,2}"
)
_SPACE = re.compile(r"\*{0,2}[ \t\xa0]+")
_PARENTHESISED = re.compile(r"(?:\*\*)?[ \xa0]?\((?:1|a)\)(?:\*\*)?[ \xa0][^\W\d_a-zß-ÿ]")
_FIRST_PARAGRAPH = re.compile(r"1\.?[ \xa0][A-ZÀ-ÞŚŻŹĆŁ„«“\"]")
"""Of an article that begins with its first paragraph: `Art. 3. 1. Działalność …`."""
_IN_ORDINALS = re.compile(r"[0-9]\.?[ºª](?:-[A-Z]{1,2})?\Z")
"""Articles that count in ordinals have text behind their number: `Art. 2º Para os fins desta Lei …`."""
_CAPTION = re.compile(r"\([A-Z][^()\n]{2,100}\)(?=[ \t]+(?:[A-Z“\"]|\(1\)|①))")
"""`Article 2 (Definitions) The terms …`."""
_CAPTIONED = re.compile(r"\([A-ZÀ-Þ][^\W\d][^()\n]{1,100}\)")
"""`(Definizioni)`, below `Art. 2`."""
_LONGEST_ARTICLE = 20_000
_RUN_IN = words("art sec")
_RUN_IN_SENTENCE = re.compile(r"\*{0,2}[ \t\xa0]{1,4}(?=[A-ZÀ-Þ“\"‘])[^\n]{20}")
_OF_A_PART = re.compile(r"to (?:Part|Subpart|§|PART|SUBPART)[ \xa0][0-9A-Z]")
_BARE_LABEL = re.compile(rf"{LABELLED}[ \t\r]*(?:\n|\Z)")
_LONGEST_TITLE_ABOVE = 100
_CITES = re.compile(
    r"(?:§|\b(?:Abs|Absatz|Satz|Nr|Artikel|Section|Article|die|das|dem|den|und|oder|gemäß|von|mit|under))\Z"
)
"""What a line ends with that a citation goes on below."""

_LEADS_ON = re.compile(
    r"\b(?:of|in|under|to|and|or|by|the|this|see|with|from|for|that|which|per|de|der|des|nach|im)\n\Z",
    re.IGNORECASE,
)
_LEADERS = re.compile(r"\.{4,}|(?:[.·] ){4,}|…{2,}|·{4,}|_{4,}|(?:\t| {3,})[0-9ivx]{1,5}[ \t]*\Z")
_OF_RECITALS = ("Whereas", "WHEREAS", "in Erwägung nach", "considérant ce qui")
_RECITALS = re.compile(
    r"\n[ \t\xa0]{0,80}(?:\*\*|#{1,6} )?((?:Whereas|WHEREAS|in Erwägung nachstehender Gründe|considérant ce qui suit) ?:?)"
    r"(?=(?:\*\*)?[ \t\r]*\n\s*\(1\))"
)


def _has_leaders(line: str) -> bool:
    """Whether a line is of a table of contents: dots or a gap lead to the number of a page."""
    told = "   " in line or "...." in line or ". . " in line or "\t" in line or "· " in line
    told = told or "____" in line or "……" in line or "····" in line  # most lines are dismissed here
    return told and _LEADERS.search(line) is not None


@lru_cache(maxsize=4096)  # documents of one kind have the same headings
def _numbering(title: str) -> tuple[str | None, str | None, tuple[str, ...]]:
    """The key, label and number of a heading."""
    key = section_key(title)
    if key is not None:
        label, *number = key.split("_")
        start = title.lstrip()
        digit = _NUMBERED_FIRST.match(start) and not _COUNTED_FIRST.match(start)
        bare = label == "sec" and digit and not _OF_CODE.match(number[0])
        if label not in LABELS:  # `AC-2(1) Account Management`
            label = CONTROL
        return key, "number" if bare else label, _parts(number)
    if _APPENDED.fullmatch(title):
        return None, "annex", ()
    paragraph = _PARAGRAPH.fullmatch(title)
    if paragraph:
        return f"{PARAGRAPH}_{paragraph[1]}", PARAGRAPH, (paragraph[1],)
    step = _STEP.match(title)
    return (f"step_{step[1]}", "step", (step[1],)) if step else (None, None, ())


def _labelled(text: str, line: re.Match[str], line_before: int) -> HeadingCandidate | None:
    word, start, end = line[2], line.start(1), line.end(1)
    if word[0] == "§" and _is_paragraph_of_article(text, start, line[3]):
        return None
    step = word.lower() in ("step", "schritt")
    if text[end : end + 1] == ")" and text[line.start(3) - 1] == "(":
        end += 1
    last = line_end(text, end)
    rest = text[end : min(last, end + 2 * LONGEST_HEADING)]
    if _has_leaders(rest):
        return None
    body = _body_behind(text, end, rest)
    run_in = body is None and _is_run_in(text, start, end, word)
    body = end if run_in else body
    if body is None or not (
        begins_paragraph(text, start, line_before)
        or (word.isupper() and not rest.strip() and _is_led_to_by_none(text, start))
        or _stands_below_title(text, start, sign=word[0] == "§")
    ):
        return None
    number = line[3].replace("–", "-")
    key = f"step_{number}" if step else section_key(f"{word} {number}")
    if (
        key is None and NAME.fullmatch(number) and not rest.strip(" \t\r*_.:")
    ):  # `Partie législative`
        return _candidate(start, body, _plain_title(text[start:body]), 0, None, CASED[word].prefix)
    if key is None or (step and not number.isdigit()):
        return None
    parts = tuple(key.split("_")[1:])
    if not rest.strip(" \t\r*_.:—–-"):
        body = _title_below(text, last)
    title = _plain_title(text[start:body])
    label = "step" if step else key.partition("_")[0]
    return _candidate(start, body, title, 0, key, label, parts, unlikely=run_in)


def _is_paragraph_of_article(text: str, start: int, number: str) -> bool:
    """Whether a section sign marks a paragraph of an article, `§ 2º`; they are cardinal from 10 on."""
    later = len(number) == 2 and number.isdigit() and number >= "10"
    if not later:
        return _IN_ORDINALS.search(number) is not None
    return text.rfind("§ 9º", max(0, start - _LONGEST_ARTICLE), start) >= 0


def _is_run_in(text: str, start: int, end: int, word: str) -> bool:
    """Whether a sentence stands behind a label and number that begin a paragraph: `Article 4 The State …`, which may cite or begin."""
    label = CASED.get(word)
    return (
        (label is not None and label.prefix in _RUN_IN)
        and _RUN_IN_SENTENCE.match(text, end) is not None
        and _BLANK_ABOVE.search(text, max(0, start - REACH), start) is not None
    )


def _is_led_to_by_none(text: str, start: int) -> bool:
    """Whether the line before ends with a word that does not go on here; the line must show by itself that it begins something."""
    before = text[max(0, start - REACH) : start].rstrip(" \t")
    return before[-1:] == "\n" and before[-2:-1].isalpha() and not _LEADS_ON.search(before)


def _stands_below_title(text: str, start: int, *, sign: bool) -> bool:
    """Whether the line above is the text's first, its title, or names the section that the sign `§` begins: no sentence goes on there."""
    line = text.rfind("\n", 0, max(0, start - 1)) + 1
    title = text[line:start].strip()
    if not title or text[line:start].count("\n") != 1 or len(title) > _LONGEST_TITLE_ABOVE:
        return False
    if not is_capital(title[0]) or title[-1] in ".,;:-" or VERB.search(title):
        return False
    if _LEADS_ON.search(f"{title}\n") or _CITES.search(title):
        return False
    return not text[:line].strip() or (sign and begins_paragraph(text, line, -1))


def _body_behind(text: str, end: int, rest: str) -> int | None:
    """Where the text behind a label and number begins, behind a heading if there is one; None where they are no heading."""
    if not rest.strip(" \t\r*_.:—–-"):
        following = NEXT_LINE.match(text, end + len(rest))
        goes_on = following and not following[1] and (following[2].islower() or following[2] == ",")
        if (
            following
            and goes_on
            and (rest.rstrip().endswith("**") or ITEM_BELOW.match(text, following.start(2)))
        ):
            goes_on = False
        return None if goes_on else end + len(rest)
    separator = _SEPARATOR.match(text, end)
    if separator and separator.end() < end + len(rest):
        first = text[separator.end()]
        if first.isdigit() and _FIRST_PARAGRAPH.match(text, separator.end()):
            return _separated(text, end, separator)
        if first.islower() or first.isdigit() or first in ",;)":
            return None
        behind = heading_behind(text, separator.end())
        return behind if behind > separator.end() else _separated(text, end, separator)
    if _PARENTHESISED.match(text, end):
        return end
    space = _SPACE.match(text, end)
    if not space or space.end() >= end + len(rest) or _goes_deeper(text, space.end()):
        return None
    captioned = _CAPTION.match(text, space.end())
    if captioned:
        return captioned.end()
    if _OF_A_PART.match(text, space.end()):  # `Appendix A to Part 410—Tables`
        return end + len(rest.rstrip())
    if not (is_capital(text[space.end()]) or text[space.end()] in "\"'“‘„[("):
        return None
    sentence = SENTENCE.match(text, space.end(), end + len(rest))
    if sentence and sentence[1][0].isupper() and is_title(sentence[1], labelled=True):
        return sentence.end()
    run_in = end if _IN_ORDINALS.search(text, max(0, end - 8), end) else None
    if rest.rstrip(" \t\r*_").endswith(".") and not rest.isupper() and VERB.search(rest):
        return run_in
    whole = whole_line(text, space.end(), item=False)
    if whole > space.end():
        return whole
    return _broken(text, space.end(), end + len(rest)) or run_in


def _goes_deeper(text: str, position: int) -> bool:
    """Whether a level stands behind a number, `§ 63 Nummer 3`, `Article 5 Abs. 2`: so it is cited."""
    level = _LEVEL.match(text, position)
    known = WORDS.get(level[1].lower()) if level else None
    return known is not None and bool(known.level or (level and level[1].lower() in UNNUMBERED))


def _broken(text: str, start: int, last: int) -> int | None:
    """Where a title ends that goes on in the next line, all its words capital but small ones; None where it does not."""
    below = _BROKEN.match(text, last)
    title = text[start : below.end(1)].split() if below else []
    if not below or len(" ".join(title)) > LONGEST_HEADING or below[1].rstrip()[-1] in ".,;:":
        return None
    return below.start(1) + len(below[1].rstrip()) if is_capitalised(title) else None


def _separated(text: str, end: int, separator: re.Match[str]) -> int:
    """Where a heading ends that consists of label and number, its full stop included."""
    return end + len(separator[0].rstrip()) if separator[0].strip() else end


def _numbered(text: str, line: re.Match[str], line_before: int) -> HeadingCandidate | None:
    start, end = line.start(1), line.end(1)
    number, plain = line[4], line[5]
    if number and number.isdigit() and _PARENTHESISED.match(text, end - 1):  # `3. (1) A person …`
        number, plain = None, number
    last = line_end(text, end)
    rest = text[end : min(last, end + 2 * LONGEST_HEADING)]
    below = not rest.strip()
    first = rest.lstrip(" \t\xa0*_\"'“‘„([")[:1]
    dashed = text[end - 1] == "—" or text[end - 2 : end] == "— "
    levels = plain and (dashed or _PARENTHESISED.match(text, end - 1))
    if _has_leaders(rest):
        return None
    if not (is_capital(first) or below or levels):
        return None if plain else _unlikely(text, start, end, number)
    if not (
        begins_paragraph(text, start, line_before, item=not plain)
        or is_outdented(text, start)
        or (number and is_of_code(number.split(".")) and _is_led_to_by_none(text, start))
        or (
            number
            and is_of_code(number.split("."))
            and _DATED.search(text, max(0, start - 9), start)
        )
        or (levels and _is_led_to_by_none(text, start))
    ):
        return None
    position = end + len(rest) - len(rest.lstrip(" \t\xa0"))
    if plain:
        body = end if levels else _hung(text, start, end) or whole_line(text, position, item=False)
        own = plain.lower()
        run_in = not levels and (body == position or VERB.search(rest))
        if run_in and not _BLANK_ABOVE.search(text, max(0, start - REACH), start):
            return None
        body = end if run_in else body
        title = _plain_title(text[start:body])
        key = f"sec_{own}"
        return _candidate(start, body, title, 0, key, "plain", (own,), unlikely=bool(run_in))
    if below:
        body = _name_below(text, last)
    else:
        body = _hung(text, start, end) or heading_behind(text, position)
    stem, dash, last_part = number.lower().replace("–", "-").rpartition("-")
    behind = last_part.split(".")
    parts = (*_stem_parts(stem), *behind) if dash else _parts(number.lower().split("."))
    label = "code" if len(parts) > 1 and (dash or max(map(len, parts)) > 2) else "number"
    if body == position or (below and body == last):
        if below or (dash and label == "code"):
            return None
        unlikely = None if parts[1:] else _unlikely(text, start, end, number)
        if unlikely:
            return unlikely
        body = end
    whole = ("sec", *number.lower().split("."))
    key = "_".join(("sec", *stem.split("."))) + f"-{'_'.join(behind)}" if dash else "_".join(whole)
    run_in = label == "code" and body == end
    return _candidate(
        start, body, _plain_title(text[start:body]), 0, key, label, parts, unlikely=run_in
    )


def is_of_code(number: Sequence[str]) -> bool:
    """Whether a number is that of a section of a municipal code, `5.04.010`, which nothing else looks like."""
    return len(number) > 2 and len(number[-1]) == 3 and number[-1].isdigit()


def _parts(parts: Sequence[str]) -> tuple[str, ...]:
    """The parts of a decimal number: the letter of `100.1a` is one of its own, and lies in 100.1; `3.0` holds 3.1, as 3 would."""
    if len(parts) == 2 and parts[1] == "0" and parts[0].isdigit():
        return (parts[0],)
    if len(parts) < 2 or parts[-1].isdigit():
        return tuple(parts)
    lettered = _LETTER_BEHIND.fullmatch(parts[-1])
    return (*parts[:-1], *lettered.groups()) if lettered else tuple(parts)


def _stem_parts(stem: str) -> tuple[str, ...]:
    """The parts of what stands before a dash; title and chapter of a code, `40A:9`, are one."""
    return (stem,) if ":" in stem else tuple(stem.split("."))


def _unlikely(text: str, start: int, end: int, number: str) -> HeadingCandidate | None:
    """A line of its own that begins with a number, and then as no heading does: `3.2 max-age`, `6.5.4 404 Not Found`."""
    line = line_end(text, end)
    body = _hung(text, start, end) or line
    title = text[end:body].strip(" \t\r.")
    if not 0 < body - end <= LONGEST_HEADING or text[end:body].rstrip()[-1:] in ".,;:":
        return None
    if not _BLANK_BELOW.match(text, body) and body < len(text):
        return None
    if not _BLANK_ABOVE.search(text, max(0, start - REACH), start):
        return None
    if not _NAME.search(title) or VERB.search(title) or SENTENCE.match(title):
        return None
    parts = tuple(number.lower().split("."))
    title = _plain_title(text[start:body])
    return _candidate(
        start, body, title, 0, "_".join(("sec", *parts)), "number", parts, unlikely=True
    )


def _hung(text: str, start: int, end: int) -> int | None:
    """Where a heading ends that goes on in the next line, indented below its title; None where it does not.

    The line was full: the next word had no room in it. What goes on reads like a heading, and a blank line follows.
    """
    last = line_end(text, end)
    if last - end > _WIDTH or text[last + 1 : last + 2] not in (" ", "\t"):
        return None
    below = _HUNG.match(text, last)
    begin = text.rfind("\n", max(0, start - _WIDTH), start) + 1
    if not below or len(below[1]) < start - begin + 2 or last - begin + len(below[2]) < _FULL:
        return None
    words = text[end : below.end()].rstrip()
    return None if words[-1] in ".,;:" or VERB.search(words) else end + len(words)


def _name_below(text: str, last: int) -> int:
    """Where the name ends that stands in the line below a number alone, as terms do in standards; `last` if there is none."""
    below = NEXT_LINE.match(text, last)
    if not below or below[1] or not below[2].isalpha():
        return last
    name = (below[2] + below[3]).rstrip()
    return last if len(name) > _LONGEST_NAME or name[-1] in ".,;:" else below.start(2) + len(name)


def _title_below(text: str, last: int) -> int:
    """Where the heading ends that stands in the line below a bare label (`Article 5`); the label's own end if there is none."""
    below = NEXT_LINE.match(text, last)
    if not below:
        return last
    start = below.start(2)
    line = (below[2] + below[3]).rstrip()
    if _CAPTIONED.fullmatch(line):
        return start + len(line)
    if not is_capital(below[2]) or line[-1] == "。":
        return last
    if text.startswith("**", start - 2) or LABEL_LINE.match(text, start) or len(line) > 120:
        return last
    if not line.isupper() and (line[-1] in ".,;:" or VERB.search(line)):
        return last
    end = start + len(line)
    after = NEXT_LINE.match(text, end)
    if not after or not after[2] or after[1]:
        return end
    opens = after[2] in '("“§' or after[2].isdigit() or LABEL_LINE.match(text, after.start(2))
    short = after[2].isupper() and len(line) <= 60
    return end if opens or short or line.isupper() else last


def _plain_title(markup: str) -> str:
    """A heading on one line, without the marks of bold and the dash behind it."""
    words = " ".join(markup.replace("**", "").replace("__", "").split())
    return words.rstrip(" —–-")
