"""Enumerated subsections: `(a)`, `(1)`, `(A)`, `(i)`, `1.`, `a)` at the beginning of a paragraph, and what lies in what.

An enumerator goes on with a level that is open where it is the next of its kind, else begins a level where it is the first
of its kind (`(1)`, `(a)`, `(i)`), else goes on with one where a few are left out, as repealed ones are; else it is text. So the
levels are those that the text itself uses, in its own order. `(i)` after `(h)` is a letter, after `(A)` a numeral; where
both are possible, what follows decides: `(ii)` or `(j)`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from hierdoc.citations.enclosed import NUMERALS, counted
from hierdoc.citations.grammar import LATIN, numeral
from hierdoc.citations.vocabulary import roman_value
from hierdoc.quick import quick
from hierdoc.structure.candidates import HeadingCandidate
from hierdoc.structure.domains import DECIMAL, DOMAINS, Domain
from hierdoc.structure.layout import Layout, Spans
from hierdoc.structure.lines import (
    DIGITS,
    LinePattern,
    begins_paragraph,
    heading_behind,
    line_end,
)
from hierdoc.structure.rendered import Token, is_over, rendered
from hierdoc.text.words import words


def find_items(
    layout: Layout,
    headings: Sequence[HeadingCandidate],
    domain: Domain,
    *,
    strict: Sequence[bool],
    once: Sequence[bool],
    depth: int | None,
) -> list[tuple[HeadingCandidate, int]]:
    """The enumerated subsections of a text, in order, each with the index of the one that it lies in; -1 for none.

    Args:
        layout: Of the text.
        headings: In order. What stands before the first and behind each holds items of its own.
        domain: Says which kinds of enumerators there are, and how they usually lie in each other.
        strict: For the part before the first heading and each after: whether it belongs to no numbered section. Only lists in
            parentheses of two items at least count there.
        once: For each part whether items count only if none of their numbers comes twice.
        depth: How many levels of items to keep; None for all.
    """
    text = layout.text
    places = [one.body for one in headings if not one.level and not one.bold]
    bounds = [one.start for one in headings]
    parts: dict[int, list[Token]] = {}
    titled = [one for one in headings if _ENDS_WITH_FIRST.search(one.title)]
    for token in _find_tokens(text, domain, places, layout.hidden, titled):
        part = bisect_right(bounds, token.start)
        if not part or token.chained or token.start >= headings[part - 1].body:
            parts.setdefault(part, []).append(token)
    items: list[tuple[HeadingCandidate, int]] = []
    for part, tokens in parts.items():
        run = _Run(text, rendered(text, tokens), domain)
        kept = run.items(loose=not strict[part], depth=depth, before=len(items))
        if not (once[part] and run.begun_anew):
            items += kept
    return items


_Style = tuple[str, str]
"""A shape, `(`, `.`, `)` or `°`, and a kind of number: `1`, `a`, `A`, `i`, `I`, `aa` or `AA`."""
_Value = tuple[int, str]
"""A number, and what follows it in an inserted one: (2, "a") of `(2a)`."""
_FIRST: _Value = (1, "")
_NUMBERED: _Style = (".", "1")
_SECOND_PARAGRAPH: _Value = (2, "")
_SECOND = {"1": "2", "a": "b", "A": "B", "i": "ii", "I": "II", "aa": "bb", "AA": "BB"}
"""What follows the first enumerator of a kind."""

_DOUBLE = frozenset(("aa", "AA"))

_MOST_LEFT_OUT = 3
_ROMAN = re.compile(r"x{0,4}(?:ix|iv|v?i{0,3})\Z")
_INSERTED = tuple(LATIN.split("|"))
"""What stands behind the number of one that was inserted, in order: `1bis`."""

_DIGITS = re.compile(rf"([0-9]{{1,4}})([a-zA-Z]{{0,2}}|{'|'.join(_INSERTED)}|-[0-9]{{1,2}})\Z")
_SAME_LETTER = re.compile(r"([a-zA-Z])\1+\Z")


def _style(sample: str) -> _Style:
    shape = _shape_of(sample)
    return shape, "1" if shape in _EASTERN else sample.removeprefix(_STK).strip("().°- §")


class _Level(NamedTuple):
    """A level that is open: its style, the number of its last item, that item's index and end, and the column of its first."""

    style: _Style
    value: _Value
    item: int
    end: int
    column: int


class _Placed(NamedTuple):
    """A token that is an item: how deep it lies and in which, and the first of its level and of the outermost around it."""

    token: Token
    depth: int
    parent: int
    first: int
    outermost: int


class _Run:
    """The enumerators of one section."""

    def __init__(self, text: str, tokens: Sequence[Token], domain: Domain) -> None:
        self.text = text
        self.tokens = tokens
        self.headings = domain.item_headings
        self.enumerators = domain.enumerators
        self.order = _order(domain.enumerators)
        # Where `1.` begins sections it begins items within items alone, but in a charter, which is laid out as a report is.
        self.within = DECIMAL in domain.numberings and bool(DOMAINS[domain.name].enumerators)
        self.begun_anew = False
        self.places: dict[str, list[int]] = {}
        for index, token in enumerate(tokens):
            self.places.setdefault(token.name, []).append(index)

    def items(
        self, *, loose: bool, depth: int | None, before: int
    ) -> list[tuple[HeadingCandidate, int]]:
        """The items of the section, behind as many that stand before it."""
        levels: list[_Level] = []
        placed: list[_Placed] = []
        members: Counter[int] = Counter()  # how many items share a level, by the index of its first
        refused = -1
        for index, token in enumerate(self.tokens):
            if not loose and token.shape != "(":
                continue
            if token.chained and token.start <= refused:
                refused = token.end + 2
                continue
            place = self._place(levels, index)
            if place is None:
                refused = token.end + 2
                continue
            count, style, value, begins = place
            first = len(placed) if begins else placed[levels[count].item].first
            column = token.column if begins else levels[count].column
            del levels[count:]
            parent = levels[-1].item if levels else -1
            levels.append(_Level(style, value, len(placed), token.end, column))
            outermost = placed[parent].outermost if count else first
            placed.append(_Placed(token, count, parent, first, outermost))
            members[first] += 1
        items: list[tuple[HeadingCandidate, int]] = []
        renamed = {-1: -1}
        for index, one in enumerate(placed):
            if (depth is None or one.depth < depth) and (loose or members[one.outermost] > 1):
                renamed[index] = before + len(items)
                items.append((self._item(one.token), renamed[one.parent]))
        return items

    def _item(self, token: Token) -> HeadingCandidate:
        text = self.text
        body = _heading_end(text, token.end) if self.headings and token.shape == "(" else token.end
        title = text[token.start : body].replace("*", "").replace("\\", "")
        if token.counted:
            title = f"{token.name}{token.shape}"
        if body > token.end:
            title = " ".join(title.split()).rstrip(" —–-")
        return _candidate(token.start, body, title, enumerator=token.name.lower())

    def _place(
        self, levels: Sequence[_Level], index: int
    ) -> tuple[int, _Style, _Value, bool] | None:
        """The depth of an enumerator, its style and number, and whether it begins a level; None for text."""
        token = self.tokens[index]
        readings = _readings(token.shape, token.name, self.enumerators)
        next_of = None
        if not token.chained:
            next_of = self._successor(levels, readings, index)
        opening = self._opening(levels, readings, token)
        if next_of and opening and self._prefers_opening(levels, next_of, opening, index):
            next_of = None
        if next_of or opening:
            return next_of or opening
        if token.chained:
            return None
        for depth in _nearest(levels, token, reversed(range(len(levels)))):
            level = levels[depth]
            for style, value in readings:
                if style == level.style and 0 < value[0] - level.value[0] <= _MOST_LEFT_OUT:
                    return depth, style, value, False
        for depth in _nearest(levels, token, range(len(levels))):  # the level begins anew
            level = levels[depth]
            for style, value in readings:
                if style == level.style and value == _FIRST:
                    self.begun_anew = True
                    return depth, style, value, True
        return None

    def _successor(
        self, levels: Sequence[_Level], readings: Sequence[tuple[_Style, _Value]], index: int
    ) -> tuple[int, _Style, _Value, bool] | None:
        """The level that an enumerator goes on with: of several, that which goes on first behind it, else the innermost."""
        found = [
            (depth, style, value, False)
            for depth in _nearest(levels, self.tokens[index], reversed(range(len(levels))))
            for style, value in readings
            if style == levels[depth].style and _follows(levels[depth].value, value)
        ]
        if len(found) < 2 or found[0][1] == found[1][1]:
            return found[0] if found else None
        plain = [one for one in found if not one[2][1]] or found[:1]
        return min(plain, key=lambda one: self._goes_on(one[1], one[2], index))

    def _goes_on(self, style: _Style, value: _Value, index: int) -> int:
        """Where a level goes on behind an enumerator that it is read as, before one begins anew that counts as it does."""
        kind = style[1]
        roman = kind in ("i", "I")
        following = numeral(value[0] + 1) if roman else chr(ord("a") + value[0])
        first = "i" if roman else self.tokens[index].name  # the same again is the letter
        if kind.isupper():
            following, first = following.upper(), first.upper()
        place, anew = self._next(following, index), self._next(first, index)
        if roman and anew == index + 1:  # what begins here holds numerals, and so is none
            return len(self.tokens) + 1
        return len(self.tokens) if anew < place else place

    def _opening(
        self, levels: Sequence[_Level], readings: Sequence[tuple[_Style, _Value]], token: Token
    ) -> tuple[int, _Style, _Value, bool] | None:
        new = [
            one
            for one in readings
            if one[1] == (_SECOND_PARAGRAPH if one[0][0] in _FROM_SECOND else _FIRST)
        ]
        if new and new[0][0][0] in _OUTERMOST:
            return 0, *new[0], True
        taken = [level.style for level in levels]
        doubtful = [one for one in new if one[0] in taken or (self.within and one[0] == _NUMBERED)]
        if doubtful and not self._lies_in(levels, token):
            new = [one for one in new if one not in doubtful]
        if not new:
            return None
        style, value = min(new, key=lambda one: self.order[one[0]]) if not levels else new[-1]
        return len(levels), style, value, True

    def _lies_in(self, levels: Sequence[_Level], token: Token) -> bool:
        """Whether an enumerator is indented further than the item before it, and nothing but what lies in that stands between."""
        if not levels or not 0 <= levels[-1].column < token.column - 1:
            return False
        return not is_over(self.text, levels[-1].end, token.start, levels[-1].column)

    def _prefers_opening(
        self,
        levels: Sequence[_Level],
        next_of: tuple[int, _Style, _Value, bool],
        opening: tuple[int, _Style, _Value, bool],
        index: int,
    ) -> bool:
        """Whether an enumerator that may go on with a level rather begins one, as `(i)` may behind `(h)`."""
        if opening[1][1] in _DOUBLE and not next_of[2][1]:  # (aa) behind (z)
            return False
        name = self.tokens[index].name
        following = _SECOND[opening[1][1]]
        letter = chr(ord(name[0]) + 1)
        after = {one: self._next(one, index) for one in (following, letter, name)}
        nearest = min(after, key=lambda one: after[one])
        if after[nearest] < len(self.tokens):
            return nearest == following
        if next_of[0] == len(levels) - 1:
            return False
        innermost = levels[-1].style
        return self.order.get(opening[1], 0) - self.order.get(innermost, 0) == 1

    def _next(self, name: str, index: int) -> int:
        places = self.places.get(name, [])
        place = bisect_right(places, index)
        return places[place] if place < len(places) else len(self.tokens)


@cache
def _order(enumerators: tuple[str, ...]) -> dict[_Style, int]:
    return {_style(sample): rank for rank, sample in enumerate(enumerators)}


@lru_cache(maxsize=4096)
def _readings(
    shape: str, name: str, enumerators: tuple[str, ...]
) -> tuple[tuple[_Style, _Value], ...]:
    """What an enumerator may be, letters before numerals."""
    found: list[tuple[_Style, _Value]] = []
    digits = _DIGITS.match(name)
    if digits:
        found.append(((shape, "1"), (int(digits[1]), digits[2].lower())))
    else:
        lower, upper = name.lower(), name.isupper()
        letter, numeral, double = ("A", "I", "AA") if upper else ("a", "i", "aa")
        if len(name) == 1:
            found.append(((shape, letter), (ord(lower) - 96, "")))
        elif len(name) == 2:
            if _SAME_LETTER.match(name):
                found.append(((shape, double), (ord(lower[0]) - 96, "")))
                found.append(((shape, letter), (26 + ord(lower[0]) - 96, "")))
            found.append(((shape, letter), (ord(lower[0]) - 96, lower[1])))
        elif _SAME_LETTER.match(name):
            found.append(((shape, letter), (26 * (len(name) - 1) + ord(lower[0]) - 96, "")))
        if _ROMAN.match(lower) and len(lower) <= 6:
            found.append(((shape, numeral), (roman_value(lower), "")))
    order = _order(enumerators)
    return tuple(one for one in found if one[0] in order)


def _nearest(levels: Sequence[_Level], token: Token, depths: Iterable[int]) -> Iterable[int]:
    """The depths; where levels look alike, those first that begin in a column near that of the token."""
    if token.column < 0 or len({level.style for level in levels}) == len(levels):
        return depths
    return sorted(depths, key=lambda depth: abs(levels[depth].column - token.column))


def _follows(last: _Value, value: _Value) -> bool:
    """Whether a number is the next one: `(b)` or `(aa)` after `(a)`."""
    if value[1]:
        return value[0] == last[0] and _rank(value[1]) > _rank(last[1])
    return value[0] == last[0] + 1


def _rank(inserted: str) -> tuple[int, str]:
    """In what order those that were inserted behind one number stand."""
    return (_INSERTED.index(inserted) + 1, "") if inserted in _INSERTED else (0, inserted)


# What may be an enumerator

_token_of, _candidate = quick(Token), quick(HeadingCandidate)


def _find_tokens(
    text: str,
    domain: Domain,
    places: Collection[int],
    hidden: Spans,
    headings: Sequence[HeadingCandidate] = (),
) -> list[Token]:
    """What may be enumerators, in order.

    Args:
        text: The document.
        domain: Says which kinds there are.
        places: Where the text of headings begins: an enumerator may stand there within a line (`Section 5. (a) The …`).
        hidden: What of the text holds none.
        headings: Those whose titles end with the first enumerator, `3 (1)`.
    """
    shapes = {_shape_of(sample) for sample in domain.enumerators}
    tokens: list[Token] = []
    ends = frozenset((*places, *(_end_before(text, place) for place in places)))
    line_before = -1
    for line in _line_pattern(domain.enumerators).finditer(text):
        token = _token(line, column=_column(line))
        if hidden.holds(token.start) or not _opens(text, token, line_before, ends):
            continue
        tokens.append(token)
        tokens += _chained(text, token, headings=domain.item_headings)
        line_before = line_end(text, tokens[-1].end)
    tokens += _in_headings(text, headings)
    for place in places:
        inline = _INLINE.match(text, place)
        if not inline and "." in shapes:
            inline = _FIRST_PARAGRAPH.match(text, place)
        if inline and not hidden.holds(place) and _shape_of(inline[1]) in shapes:
            token = _token(inline, chained=True)
            tokens.append(token)
            tokens += _chained(text, token, headings=domain.item_headings)
    tokens.sort(key=lambda token: token.start)
    return [
        token
        for place, token in enumerate(tokens)
        if not place or token.start != tokens[place - 1].start
    ]


def _in_headings(text: str, headings: Sequence[HeadingCandidate]) -> Iterator[Token]:
    """The first enumerators that stand in headings."""
    for one in headings:
        written = _ENDS_WITH_FIRST.search(one.title)
        place = text.find(written[1], one.start, one.body) if written else -1
        if written and place >= 0:
            yield _token_of(place, place + len(written[1]), "(", written[2], chained=True)


def _heading_end(text: str, position: int) -> int:
    """Where the heading behind an enumerator ends; `position` for none."""
    start = _after_blank(text, position)
    end = heading_behind(text, start, item=True)
    return end if end > start else position


_CHAIN = re.compile(
    r"(?:\*\*)?[ \xa0]?\(([0-9]{1,4}[a-zA-Z]{0,2}|[a-z]{1,5}|[A-Z]{1,5})\)(?=[ \t\xa0\r\n(*]|\Z)"
)
_INLINE = re.compile(
    r"[ \t\xa0*]{0,4}(?:[—–-][ \t\xa0]?)?(\(([0-9]{1,4}|[a-z]{1,5}|[A-Z]{1,5})\)(?=(?:\*\*)?[ \t\xa0(])|①)"
)
_ENDS_WITH_FIRST = re.compile(r"(\((1|a)\))\Z")
_FIRST_PARAGRAPH = re.compile(r"[ \t\xa0]{1,4}(1\.)(?=[ \t\xa0][A-ZÀ-ÞŁŚŹŻ„])")
"""The first paragraph of an article, on its line: `Art. 3. 1. Działalność …`."""

_GLANCE = 40
_SIGNS_BEHIND = ",;.)"
_FIRST_OF_NOT_BEHIND = "oatOAT"
_NOT_BEHIND = re.compile(
    r"[,;.)]|\s*(?:of|and|or|to|through)\s(?:(?:this|that|the|such|any|each)\s)?"
    r"(?:section|subsection|paragraph|subparagraph|clause|article|title|chapter|act\b|regulation|directive|\()",
    re.IGNORECASE,
)


_BULLETS = frozenset(("- ", "* ", "+ ", "• "))


@cache
def _line_pattern(enumerators: tuple[str, ...]) -> LinePattern:
    styles = [_style(sample) for sample in enumerators]
    shapes = {shape for shape, _ in styles}
    forms = [r"#\.(?=[ \t])"] if "." in shapes else []
    if _BARE in shapes:
        inserted = rf"(?:{'|'.join(_INSERTED)})?"
        forms.append(
            rf"(?:[0-9]{{1,2}}{inserted}(?=[ \xa0])|[¹²³⁴-⁹⁰]{{1,2}}{inserted})(?=[ \xa0]?[A-ZÀ-Þ«„])"
        )
    forms += [form for shape, form in _EASTERN.items() if shape in shapes]
    if "§" in shapes:
        forms.append(r"§[ \xa0][0-9]{1,2}(?:[ºª°])?\.?(?=\*{0,2}[ \t\xa0])")
        forms.append(rf"{_SOLE}\.?(?=\*{{0,2}}[ \t\xa0])")
    if _STK in shapes:
        forms.append(r"Stk\.[ \xa0][0-9]{1,2}\.(?=[ \t\xa0][A-ZÆØÅ])")
    if "(" in shapes:
        forms.append(r"\((?:[0-9]{1,4}[a-zA-Z]{0,2}|[a-z]{1,5}|[A-Z]{1,5})\)(?=[ \t\xa0\r\n(*]|\Z)")
    for shape in sorted(shapes - {"(", "§", _BARE, _STK, *_EASTERN}):
        kinds = {kind for written, kind in styles if written == shape}
        numbers = [r"[0-9]{1,3}(?:[a-z]{0,2}|-[0-9]{1,2})"] if "1" in kinds else []
        letters = [r"[a-z]{1,3}"] if kinds & {"a", "aa", "i"} else []
        letters += [r"[A-Z]"] if "A" in kinds else []
        numerals = [r"[IVX]{1,6}"] if "I" in kinds else []
        sign = r"[ \xa0][-–]" if shape == "-" else rf"\\?{re.escape(shape)}"
        forms.append(
            rf"(?:{'|'.join(numbers + letters + numerals)}){sign}(?=[ \t\xa0\r\n぀-ヿ一-鿿])"
        )
    return LinePattern(
        rf"[ \t\xa0\f\r]{{0,80}}(?:[-*+•][ \t]{{1,4}})?(?:\*\*|__)?({'|'.join(forms)})",
        (*DIGITS, *_SIGNS, *_SYLLABLES, *NUMERALS, *_CIRCLED, *_WORDS),
        "[a-z]{1,5}|[IVX]{1,6}|[A-Z]",
    )


def _column(line: re.Match[str]) -> int:
    """How far in the enumerator of a line stands; tabs are four wide."""
    before = line[0][: line.start(1) - line.start()].lstrip("\n")
    if not before or before.isspace():
        return len(before.expandtabs(4)) if "\t" in before else len(before)
    return len(before.replace("*", "").replace("_", "").expandtabs(4))


def _token(match: re.Match[str], *, chained: bool = False, column: int = -1) -> Token:
    written = match[1]
    shape = _shape_of(written)
    end = match.end(1)
    if shape == _BARE and match.string[end : end + 3].lstrip(" \xa0")[:1] >= "぀":
        shape = _KOU
    if shape in _EASTERN:
        name = str(_counted_in_the_east(written.strip("(). 、")))
        return _token_of(match.start(1), match.end(1), shape, name, chained, column)
    if written[0] in "PS":  # `Parágrafo único` is § 1, and `Stk. 2` paragraph 2
        name = written[4:].strip(". \xa0") if written[0] == "S" else "1"
        return _token_of(match.start(1), match.end(1), _shape_of(written), name, chained)
    name = written.strip("().°\\-– \xa0§ºª").translate(_SUPERSCRIPTS)
    return _token_of(match.start(1), match.end(1), _shape_of(written), name, chained, column)


def _chained(text: str, token: Token, *, headings: bool) -> list[Token]:
    """The enumerators that follow one at once: `(a)(1) The …`."""
    tokens: list[Token] = []
    position = token.end
    behind = _heading_end(text, position) if headings else position
    while len(tokens) < 6:
        link = _CHAIN.match(text, position)
        if not link and behind > position:
            link = _INLINE.match(text, behind)
        if not link:
            break
        start = text.index("(", link.start())
        end = text.index(")", start) + 1
        tokens.append(_token_of(start, end, "(", text[start + 1 : end - 1], chained=True))
        position, behind = end, end
    return tokens


def _opens(text: str, token: Token, line_before: int, headings: frozenset[int]) -> bool:
    if _goes_on(text, token.end):
        return False
    if _end_before(text, token.start) in headings:
        return True
    start = token.start
    if token.shape in _OUTERMOST and text[start - 2 : start] in ("**", "__"):
        start -= 2
    if text[start - 2 : start] in _BULLETS:
        start = text.rindex(text[start - 2], 0, start)
    return begins_paragraph(text, start, line_before, item=True) or (
        token.name in _FIRST_NAMES
        and _LEADS_LIST.search(text, max(0, start - 30), start) is not None
        and not _MONTH.match(text, token.end)
    )


def _goes_on(text: str, end: int) -> bool:
    """Whether a citation goes on behind an enumerator, `(a) of this section`, so that it begins nothing."""
    behind = text[end : end + _GLANCE]
    first = behind.lstrip()[:1]
    if first and first not in _FIRST_OF_NOT_BEHIND:
        return behind[0] in _SIGNS_BEHIND
    return _NOT_BEHIND.match(text, end) is not None


_SOLE = r"(?:Parágrafo|PARÁGRAFO)[ \xa0](?:único|ÚNICO)"
"""What an article has whose only paragraph bears no number."""

_STK = "Stk"
"""The shape of the paragraphs of Danish law, `Stk. 2.`: the first bears no number."""

_KOU = "項"
"""The shape of the paragraphs of Japanese articles, `２ 前項の …`: the first bears no number."""

_FROM_SECOND = (_STK, _KOU)
_SYLLABLES = "가나다라마바사아자차카타파하"
_EASTERN = {
    "（": rf"\([{NUMERALS}]{{1,4}}\)",
    "①": r"[①-⑳]",
    "가": rf"[{_SYLLABLES}]\.(?=[ ])",
    "一": rf"[{NUMERALS}]{{1,4}}(?:、|(?=[ ]))",
    _KOU: r"[0-9]{1,2}(?=[ ]{1,2}[぀-ヿ一-鿿])",
}
"""Shapes of enumerators in Chinese, Japanese and Korean, each with the form of such a one; all of them count numbers."""

_CIRCLED = tuple(map(chr, range(ord("①"), ord("⑳") + 1)))
_SIGNS = "-*+•#(§¹²³⁴⁵⁶⁷⁸⁹⁰"
_WORDS = words("Parágrafo PARÁGRAFO Stk")
"""With what lines begin that begin with an enumerator, besides digits, letters and numerals."""

_OUTERMOST = ("§", *_FROM_SECOND, "①")
"""Shapes of the paragraphs of an article or section, whatever lists stand before them."""

_BARE = ""
"""The shape of a number with nothing around it, as the paragraphs of Swiss articles have: `1 Die Kantone …`, `² Sie …`."""
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_FIRST_NAMES = frozenset(("1", "a"))
_LEADS_LIST = re.compile(
    r"\b(?:wenn|dass|daß|soweit|sofern|sind|ist|bedeutet|bedeuten|gelten|gilt|handelt|wer|durch|für|auf|aus|bei|von|mit|hat|haben|darf|dürfen|oder|und|nicht|der|die|das)[ \t\r]*\n[ \t]*\Z"
)
"""What German lists follow on without a colon: `zu versagen, wenn`."""
_MONTH = re.compile(r"[ \xa0](?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sept|Okt|Nov|Dez)(?:[a-zä]{0,7})\b")


def _end_before(text: str, position: int) -> int:
    """Where the text before a place ends, without white space, bullets and marks of bold."""
    low = max(0, position - 100)
    return low + len(text[low:position].rstrip(" \t\xa0\r\n*-+•"))


def _shape_of(written: str) -> str:
    """What stands around an enumerator's number: `(`, `§`, `.`, `)`, `°`, `-` for a dash of any kind, or nothing."""
    if written[0] in "(（" and written[1] in NUMERALS:
        return "（"
    if written[0] in "(§":
        return written[0]
    if written[0] >= "①":
        return (
            "①"
            if written[0] <= "⑳"
            else "一"
            if written[0] in NUMERALS
            else written
            if written == _KOU
            else "가"
        )
    if len(written) > 4 and written[0] in "PS":
        return _STK if written[0] == "S" else "§"
    if written[-1].isdigit() or written[-1].isalpha():
        return _BARE
    return "-" if written[-1] == "–" else written[-1]


def _counted_in_the_east(name: str) -> int:
    """What an enumerator counts that is a circled number, a syllable, a numeral or digits."""
    if "①" <= name <= "⑳":
        return ord(name) - ord("①") + 1
    return _SYLLABLES.find(name) + 1 or counted(name)


def _after_blank(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\xa0*":
        position += 1
    return position
