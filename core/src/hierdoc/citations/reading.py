"""Reading the citations of a text in one pass: each number, the label before it, the list and the work behind it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

from hierdoc.citations.enclosed import find_enclosed
from hierdoc.citations.grammar import (
    MOST_LEVELS,
    NUMBER_THEN_LABEL,
    Level,
    Number,
    following_number,
    key_of,
    level_list,
    levels_around,
    number_at,
    number_before,
)
from hierdoc.citations.vocabulary import (
    CAPITAL_ORDINALS,
    CAPITALISED,
    CASED,
    CODE_WORD,
    COMMUNITIES,
    COMMUNITY,
    COUNTED,
    DECIMAL_SECTIONS,
    IDENTIFIERS,
    INWARD,
    NOT_IDENTIFIERS,
    SECTION,
    SECTIONS,
    SHORT_TAILS,
    TAILS,
    UNNUMBERED,
    WHOLE_SECTIONS,
    WORDS,
    Word,
    cardinal_value,
    ordinal_value,
)
from hierdoc.citations.works import nordic_work_after, work_after
from hierdoc.quick import quick


@dataclass(frozen=True, slots=True)
class Citation:
    """A mention of a part of a document.

    Attributes:
        text: As written: `text[start:end]` of what was searched.
        key: The normalised form.
        unit: The key without the levels below the number itself: `sec_203` of `sec_203_a_1`, `sec_4_2` of `sec_4_2`.
        start: Where it begins.
        end: Where it ends.
        inside: The keys between the one before and this one, where the two are the ends of a range; of ranges over more
            than 200 numbers none.
        work: The key of the other work that it belongs to, if the text names one: `clean_water_act`.
        is_guess: Whether it is written as something else may be too; only in queries.
    """

    text: str
    key: str
    unit: str
    start: int
    end: int
    inside: tuple[str, ...] = ()
    work: str = ""
    is_guess: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """All that it stands for: its key and, at the end of a range, those inside before it."""
        return (*self.inside, self.key)


@dataclass(frozen=True, slots=True)
class Mention:
    """Levels without the number that they belong to: `paragraph (2)`, `points (a) and (b) of paragraph 1`.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        levels: From the outermost.
        inside: Levels that a range which ends here passes over.
        elsewhere: Whether it speaks of what was cited before (`paragraph 2 of that Article`) and not of its own place.
    """

    start: int
    end: int
    levels: tuple[str, ...]
    inside: tuple[str, ...] = ()
    elsewhere: bool = False


def scan(text: str) -> tuple[list[Citation], list[Mention]]:
    """The citations and mentions of a text, each in order, none within another."""
    flat = _flattened(text)
    reader = _Reader(text, flat)
    first = _FIRST.match(text)
    if first:
        reader.read_ordinal(0, first[1])
    for candidate in _START.finditer(flat):
        number = candidate.start() + 1
        if number <= reader.behind:
            continue
        end = number - 1
        if candidate.lastindex:
            word = text[number : candidate.end()]
            if not cardinal_value(word):
                reader.read_ordinal(number, word)
            elif text[candidate.end() : candidate.end() + 1] != "-":  # no `Part Two-thirds`
                reader.read_cardinal(number, end, word)
            continue
        tail = flat[end - 3 : end]
        if tail in TAILS:
            if tail != "   " or any(mark in text[end - 3 : number] for mark in "§\n"):
                reader.read(number, end)
            continue
        separator = text[end]
        if tail[1:] == "  " and end > 4:
            if "§" in text[end - 2 : number] or f"{flat[end - 4 : end - 2]} " in TAILS:
                reader.read(number, end)
        elif tail[1:] in SHORT_TAILS or end < 4 or "§" in text[end - 1 : end + 1]:  # `(§ 5`
            reader.read(number, end)
        elif separator == "-":
            if text[end - 1].isupper():
                reader.read_identifier(number, end)
        elif separator in "CP":
            reader.read_identifier(number, end + 1)
    counted = sorted(
        [*(_counted_first(text) or _inward_first(text)), *_enclosed(text)],
        key=lambda one: one.start,
    )
    if not counted:
        return reader.citations, reader.mentions
    spans = [(one.start, one.end) for one in counted]
    return (
        sorted([*_outside(reader.citations, spans), *counted], key=lambda one: one.start),
        _outside(reader.mentions, spans),
    )


def _counted_first(text: str) -> list[Citation]:
    """What is cited by a number and the label behind it: `2 kap. 3 §`, `12. § (3)`."""
    found: list[Citation] = []
    places = sorted(chain.from_iterable(_labels_behind(text, mark) for mark in _MARKS_BEHIND))
    for place in places:
        low = max(place - _LONGEST_NUMBER_FIRST, found[-1].end if found else 0)
        match = _COUNTED_FIRST.search(text, low, place + _LONGEST_NUMBER_FIRST)
        number = number_before(match) if match and match.start(4) == place else None
        if match is None or number is None:
            continue
        levels = match[5] or ""
        key = number.unit + (f"_{levels.lower()}" if levels else "")
        end = match.end()
        work, end = work_after(text, end) or nordic_work_after(text, end) or ("", end)
        found.append(
            _citation(text[match.start() : end], key, number.unit, match.start(), end, (), work)
        )
    return found


def _enclosed(text: str) -> Iterator[Citation]:
    """What is cited by a number within its label: `第五条第二款`, `제3조`."""
    for start, number, work in find_enclosed(text):
        yield _citation(
            text[start : number.end], number.key, number.unit, start, number.end, (), work
        )


def _inward_first(text: str) -> list[Citation]:
    """What is cited by levels that stand before their article with no word between: `пункт 2 части 1 статьи 3`."""
    if not any(sign in text for sign in _GENITIVE_SIGNS):
        return []
    found: list[Citation] = []
    for match in _GENITIVE.finditer(text):
        number = number_at(text, match.end(), "art")
        if number is None:
            continue
        above = [one[2] for one in _GENITIVE_LEVEL.finditer(match[0]) if one[1] not in UNNUMBERED]
        key = key_of(number.key, (*reversed(above),))
        written = text[match.start() : number.end]
        found.append(_citation(written, key, number.unit, match.start(), number.end, ()))
    return found


def _labels_behind(text: str, mark: str) -> Iterator[int]:
    """Where a label stands that may belong to the number before it."""
    place = text.find(mark)
    while place >= 0:
        before = text[max(0, place - 3) : place].rstrip(" \xa0")
        if before[-1:] in _ENDS_OF_NUMBER or (before[-2:-1].isspace() and before[-1:].isalpha()):
            yield place
        place = text.find(mark, place + 1)


def _outside(cited: list[_Spanned], spans: Sequence[tuple[int, int]]) -> list[_Spanned]:
    """Those that overlap none of the spans, which are in order."""
    starts = [start for start, _ in spans]
    kept = []
    for one in cited:
        place = bisect_left(starts, one.end) - 1
        if place < 0 or spans[place][1] <= one.start:
            kept.append(one)
    return kept


_Spanned = TypeVar("_Spanned", Citation, Mention)
_GENITIVE_SIGNS = ("стат", "ст.")
_ONE_GENITIVE = r"((?:под)?пункт(?:а|у|ом|е|і)?|част(?:ь|и|ью)|частин(?:а|и|і|ою)|абзац(?:а|у|е)?|пп?|ч|абз)\.?[ \xa0]?[«\"]?([0-9]{1,3}(?:[.-][0-9]{1,3})?|[а-яі])[»\"]?\)?"
_GENITIVE_LEVEL = re.compile(rf"(?<!\w){_ONE_GENITIVE}")
_GENITIVE = re.compile(
    rf"(?<!\w)(?:{_ONE_GENITIVE},?[ \xa0]){{1,4}}(?:стать[иеёя]|статт[іяи]|ст\.)[ \xa0](?=[0-9])"
)
_MARKS_BEHIND = ("§", "kap", "luku", "člen", "pant", "straipsn", "cikk")
_ENDS_OF_NUMBER = frozenset("0123456789.")
_LONGEST_NUMBER_FIRST = 24
_COUNTED_FIRST = re.compile(
    rf"(?<![\w.,/§-])(?<!§ ){NUMBER_THEN_LABEL}(?:\.(?=\s[0-9]))?(?![ \xa0]?[0-9]+(?:[ \xa0]?[a-z])?(?![\w ]*§))(?: \(([0-9]{{1,2}})\))?"
)
_citation, _mention = quick(Citation), quick(Mention)


class _Reader:
    """What has been read of a text so far."""

    __slots__ = ("_last_list", "behind", "citations", "flat", "mentions", "text")

    def __init__(self, text: str, flat: str) -> None:
        self.text = text
        self.flat = flat
        self.behind = 0
        self._last_list = 0
        self.citations: list[Citation] = []
        self.mentions: list[Mention] = []

    def read(self, number: int, end: int) -> None:
        """Read what begins with a label and this number, if it does."""
        text, flat = self.text, self.flat
        low = max(self.behind, number - _REACH)
        gap = text[end]
        if gap == "-" or flat[end - 1 : end] in (" ", "") or gap in "§\n":
            label_end = len(flat[low:number].rstrip(" ")) + low
            gap = text[label_end:number]
            if gap == "-":
                self.read_identifier(number, end)
                return
            matched = _GAP.match(gap)
            if matched is None:
                return
            if matched[1]:
                self._read_section_sign(number, label_end, gap)
                return
            end = label_end
        found = self._word(low, end)
        if found is None:
            return
        word, start = found
        if word.aside:
            beyond = self._beyond(low, start, word)
            if beyond is None and not word.level:
                return
            word, start = beyond or (word, start)
        self._read_behind(word, start, end, number)

    def read_ordinal(self, start: int, word: str) -> None:
        """Read ordinals and the label behind them, `Fifth and Fourteenth Amendments`, if one is."""
        counted = [(start, start + len(word), word)]
        while len(counted) < _MOST_ORDINALS and (
            more := _NEXT_ORDINAL.match(self.text, counted[-1][1])
        ):
            counted.append((more.start(1), more.end(), more[1]))
        label = _LABEL_WORD.match(self.text, counted[-1][1])
        known = CASED.get(label[1]) if label else None
        if label is None or known is None or known.prefix not in COUNTED:
            return
        if known.several and len(counted) == 1:  # `Third Parties`
            return
        for begin, end, one in counted:
            value = int(one[:-2]) if one[0].isdigit() else ordinal_value(one)
            end = label.end() if begin == counted[-1][0] else end
            if value:
                self._add(
                    begin, Number(known.prefix, str(value), [], end), f"{known.prefix}_{value}"
                )

    def read_cardinal(self, number: int, end: int, word: str) -> None:
        """Read a label and the number word behind it, `Chapter Three`."""
        found = self._word(max(self.behind, number - _REACH), end)
        if found and found[0].prefix in COUNTED and not found[0].several:
            prefix, value = found[0].prefix, str(cardinal_value(word))
            parsed = Number(prefix, value, [], number + len(word))
            self._add(found[1], parsed, parsed.unit)

    def read_identifier(self, number: int, end: int) -> None:
        """Read a label that a hyphen joins to its number: `EIP-1559`."""
        found = self._last_word(max(self.behind, number - _REACH), end)
        if found is None:
            return
        word, start = found
        known = CASED.get(word)
        prefix = known.prefix if known else ""
        if prefix not in IDENTIFIERS:
            capitals = word.isascii() and word.isupper() and 2 <= len(word) <= 10
            if known or not capitals or word in NOT_IDENTIFIERS:
                return
            prefix = word.lower()
        parsed = number_at(self.text, number, prefix)
        if parsed:
            self._add(start, parsed, parsed.key)

    def _word(self, low: int, end: int) -> tuple[Word, int] | None:
        """What the vocabulary says of the word that ends here, and where it begins."""
        start = self.flat.rfind(" ", low, end) + 1 or low
        word = self.flat[start:end]
        known = CASED.get(word)
        if known is not None and (
            start > low or low == 0 or self.flat[low - 1] == " " or not self.flat[low - 1].isalnum()
        ):
            if start > 4 and self.text[start - 1] == "-":
                return self._hyphenated(known, start, word)
            return known, start
        if word.isalpha():
            return None
        found = self._last_word(low, end)
        if found is None:
            return None
        known = CASED.get(found[0])
        return (known, found[1]) if known else None

    def _hyphenated(self, known: Word, start: int, word: str) -> tuple[Word, int]:
        """The label that a hyphen makes of two words, `sous-section`; of others the second alone."""
        before = self.text[start - 5 : start]
        whole = CASED.get(before + word) if before.lower() == "sous-" else None
        return (whole, start - 5) if whole else (known, start)

    def _last_word(self, low: int, end: int) -> tuple[str, int] | None:
        found = _LAST_WORD.search(self.text[low:end])
        if found is None:
            return None
        start = low + found.start()
        before = self.text[start - 1 : start]
        return (
            None
            if before.isalnum() or (before in _NOT_BEFORE_WORD and before)
            else (found[0], start)
        )

    def _beyond(self, low: int, start: int, word: Word) -> tuple[Word, int] | None:
        """The label before `No` or `(EU)`."""
        for _ in range(3):
            end = len(self.flat[low:start].rstrip(" ")) + low
            if self.text[end:start].strip(" ."):
                return None
            found = self._word(low, end)
            if found is None:
                return None
            if not found[0].aside or (found[0].prefix and found[0] is not COMMUNITY):
                return found if found[0].prefix or found[0].act else None
            start = found[1]
        return None

    def _read_section_sign(self, number: int, label_end: int, gap: str) -> None:
        code = self._code_before(label_end - 16, number)
        start = self.text.index("§", label_end)
        if code:
            self._read_code(code, number, several="§§" in gap)
        else:
            self._read_label(SECTIONS if "§§" in gap else SECTION, start, number)

    def _read_behind(self, word: Word, start: int, end: int, number: int) -> None:
        if word is CODE_WORD:
            code = self._code_before(end - 20, number)
            if code:
                self._read_code(code, number, several=False)
            return
        if word.prefix == "publ":
            self._read_public_law(end, number)
            return
        if word.act and self._read_act(word.act, start, number):
            return
        if word.level and not (word.prefix and self.text[number] != "("):
            self._read_levels(word, start, number)
        elif word.prefix and word is not COMMUNITY:
            if (
                word.prefix == "sec"
                and start > 2
                and self.flat[start - 2] in "CR "
                and (code := self._code_before(start - 20, number))
            ):
                self._read_code(code, number, several=word.several)
            else:
                self._read_label(word, start, number)

    def _read_label(self, word: Word, start: int, number: int, work: str = "") -> None:
        parsed = number_at(self.text, number, word.prefix, in_list=word.several)
        if parsed is None or self._names_year(start, number, parsed):
            return
        if start > 8 and self.text[start - 3 : start - 1] in _INWARD_ENDS:
            start = self._ordinal_level_before(start, parsed)
        if parsed.prefix == "title" and (code := _OF_TITLE.match(self.text, parsed.end)):
            prefix = "usc" if code[1] else "cfr"
            self._add(
                start, Number(prefix, parsed.number, [], code.end()), f"{prefix}_{parsed.number}"
            )
            return
        self._add_list(start, parsed, word.several, work)

    def _names_year(self, start: int, place: int, number: Number) -> bool:
        """Whether what looks like a citation ends the name of a work: the `Rules 1999` of `the Prison Rules 1999`."""
        if (
            number.levels
            or self.text[place - 2 : place] != "s "
            or not _YEAR.fullmatch(number.number)
        ):
            return False
        before = _LAST_WORD.search(self.text[max(0, start - _REACH) : start].rstrip(" "))
        return before is not None and before[0][0].isupper() and self.text[start].isupper()

    def _code_before(self, low: int, number: int) -> re.Match[str] | None:
        """The code that is named before a number, `42 U.S.C.`, no further back than `low`."""
        low = max(self.behind, low)
        return _CODE.search(self.flat, low, number) if "C" in self.flat[low:number] else None

    def _read_code(self, code: re.Match[str], number: int, *, several: bool) -> None:
        parsed = number_at(self.text, number, "sec", in_list=several)
        if parsed:
            self._add_list(
                code.start(), parsed, several, f"{'usc' if code[2] else 'cfr'}_{code[1]}"
            )

    def _read_public_law(self, end: int, number: int) -> None:
        named = _PUBLIC_LAW.search(self.flat, max(self.behind, end - 12), end)
        found = _LAW_NUMBER.match(self.text, number) if named else None
        if named and found:
            self._add(
                named.start(),
                Number("publ", f"{found[1]}_{found[2]}", [], found.end()),
                f"publ_{found[1]}_{found[2]}",
            )

    def _read_act(self, prefix: str, start: int, number: int) -> bool:
        found = _ACT_NUMBER.match(self.text, number)
        if found is None:
            return False
        key = f"{prefix}_{found[1]}_{found[2]}"
        self._add(start, Number(prefix, f"{found[1]}_{found[2]}", [], found.end()), key)
        return True

    def _read_levels(self, word: Word, start: int, number: int) -> None:
        """Read levels, `points (a) and (b)`, and the number that they belong to if it follows."""
        text = self.text
        if text[number].isdigit():
            name = _LAST_WORD.search(self.flat[max(0, start) : number].rstrip(" ."))
            if name and name[0].lower() in DECIMAL_SECTIONS:
                dashed = _DASHED.match(text, number) if name[0][-1] != "s" else None
                decimal = number_at(text, number, "sec") if _DECIMAL.match(text, number) else None
                if dashed:
                    levels = [Level("", dashed[3])] if dashed[3] else []
                    decimal = Number("sec", f"{dashed[1]}-{dashed[2]}", levels, dashed.end())
                if decimal:
                    self._add_list(start, decimal, False, "")
                    return
            whole = WHOLE_SECTIONS.get(name[0].lower()) if name else None
            parsed = number_at(text, number, whole) if whole else None
            if (
                parsed
                and len(parsed.levels) > 0
                and text[parsed.end - 1] == ")"
                and (
                    parsed.levels[0].value[0].isdigit()
                    or (name and name[0].lower().startswith("subs"))
                )
            ):
                self._add_list(start, parsed, False, "")
                return
        found = level_list(text, number, word.level)
        if not found:
            return
        chains = [[level.value for level in one.levels] for _, one in found]
        end = found[-1][1].end
        above, end, holder = levels_around(text, end)
        del above[MOST_LEVELS:]
        starts = [start, *(place for place, _ in found[1:])]
        ends = [*(one.end for _, one in found[:-1]), end]
        if holder is None:
            elsewhere = _THAT.match(text, end) is not None
            for (_, one), chain, begin, stop in zip(found, chains, starts, ends, strict=True):
                inside = tuple(key.rpartition("_")[2] for key in one.inside)
                self.mentions.append(_mention(begin, stop, (*above, *chain), inside, elsewhere))
            self.behind = end
            return
        stem = key_of(holder.key, above)
        for (_, one), chain, begin, stop in zip(found, chains, starts, ends, strict=True):
            key = key_of(stem, chain)
            inside = tuple(
                key_of(stem, (*chain[:-1], name.rpartition("_")[2])) for name in one.inside
            )
            self.citations.append(
                _citation(text[begin:stop], key, holder.unit, begin, stop, inside)
            )
        self._finish(len(found), end)

    def _ordinal_level_before(self, start: int, number: Number) -> int:
        """Take `second paragraph of` before a citation into it; where the citation then begins."""
        window = self.text[max(self.behind, start - 48) : start]
        if not window.endswith(_ENDS_OF_INWARD):
            return start
        french = window.endswith(_ENDS_OF_FRENCH_LEVELS)
        if french and (levels := _FRENCH_LEVELS.search(window)):
            values = _FRENCH_LEVEL.findall(levels[0])
            number.levels[:0] = [Level("", value) for value in reversed(values)]
            return start - len(window) + levels.start()
        found = _LAST_OUTWARD.search(window)
        value = ordinal_value(found[1]) if found else 0
        name = found[2].lower() if found else ""
        kind = WORDS.get(name)
        if found is None or not value or kind is None or not (kind.level or name in UNNUMBERED):
            return start
        if kind.level == "para" and name not in UNNUMBERED:
            number.levels.append(Level(kind.level, str(value)))
        return start - len(window) + found.start()

    def _add_list(self, start: int, number: Number, several: bool, work: str) -> None:
        """Add a citation and those that follow it in a list."""
        first = len(self.citations)
        place = start
        if number.prefix in IDENTIFIERS:
            self._scope(start, number.unit)
        while True:
            unit = number.unit
            key = number.key if number.levels else unit
            written = self.text[place : number.end]
            self.citations.append(
                _citation(written, key, unit, place, number.end, number.inside, work)
            )
            following = following_number(self.text, number, several=several)
            if following is None:
                break
            place, number = following
        count = len(self.citations) - first
        if not several and count == 1 and _GOES_ON.match(self.text, number.end):
            self._add_shared(number, work)
        else:
            self._finish(count, number.end)

    def _add_shared(self, number: Number, work: str) -> None:
        """Add what follows `Section 2` in `Section 2, 3 and 4 of the Banking Act`: numbers whose work is named behind them."""
        following = following_number(self.text, number, several=True)
        others: list[tuple[int, Number]] = []
        while following and len(others) < _MOST_SHARED:
            others.append(following)
            following = following_number(self.text, following[1], several=True)
        end = others[-1][1].end if others else number.end
        if others and (work_after(self.text, end) or _OF_THIS.match(self.text, end)):
            for place, one in others:
                written = self.text[place : one.end]
                self.citations.append(
                    _citation(written, one.key, one.unit, place, one.end, one.inside, work)
                )
            self._finish(1 + len(others), end)
        else:
            self._finish(1, number.end)

    def _finish(self, count: int, end: int) -> None:
        """Note how long the last list is, and the work that it is said to belong to."""
        self.behind = end
        self._last_list = count
        named = None if self.citations[-1].work else work_after(self.text, end)
        if named:
            self.behind = named[1]
            last = self.citations[-1]
            written = self.text[last.start : named[1]]
            self.citations[-1] = _citation(
                written, last.key, last.unit, last.start, named[1], last.inside
            )
            self._belongs(named[0])

    def _belongs(self, work: str) -> None:
        for place in range(len(self.citations) - self._last_list, len(self.citations)):
            one = self.citations[place]
            self.citations[place] = _citation(
                one.text, one.key, one.unit, one.start, one.end, one.inside, work
            )

    def _scope(self, start: int, document: str) -> None:
        """Say of the last list that it belongs to the document named here, if its name follows at once."""
        near = self._last_list and self.behind < start <= self.behind + _LONGEST_GAP
        if (
            near
            and not self.citations[-1].work
            and _DOCUMENT_GAP.fullmatch(self.text, self.behind, start)
        ):
            self._belongs(document)

    def _add(self, start: int, number: Number, key: str) -> None:
        """Add a citation without levels; where it is a document, what was cited of it belongs to it."""
        document = number.prefix in _DOCUMENTS
        if document:
            self._scope(start, key)
        unit = number.unit if number.levels else key
        written = self.text[start : number.end]
        self.citations.append(_citation(written, key, unit, start, number.end))
        self.behind = number.end
        self._last_list = 0
        if not document:
            self._finish(1, number.end)


def _flattened(text: str) -> str:
    """The text with a space for whatever may stand between a label and its number, so that one search finds all."""
    flat = text
    for mark in _SEPARATORS:
        flat = flat.replace(mark, " ")
    for name in _GLUED:
        pieces: list[str] = []
        behind = 0
        place = text.find(name)
        while place >= 0:
            end = place + len(name)
            if text[end : end + 1].isdigit():
                pieces += (flat[behind : end - 1], " ")
                behind = end
            place = text.find(name, end)
        if pieces:
            flat = "".join((*pieces, flat[behind:]))
    return flat


_YEAR = re.compile(r"(?:1[5-9]|20)[0-9]{2}")
_REACH = 32
"""Characters before a number within which its label stands."""
_GAP = re.compile(
    r"(?:[.:]?[ \t\xa0\u202f\u2009]{0,3}(?:\r?\n[ \t]{0,8})?)(§{1,2}[ \xa0\u202f\u2009]{0,2})?\Z"
)
_LAST_WORD = re.compile(r"(?:[^\W\d_]+)\Z")
_NOT_BEFORE_WORD = frozenset("_/\\")
_CODE = re.compile(
    r"(?<![\w.])([0-9]{1,2}) (?:(U) {0,2}S {0,2}C(?: {0,2}A)?|C {0,2}F {0,2}R) *(?:Part |Sec |Section |section )?\Z"
)
_DECIMAL = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){1,4}(?![\w]|\.[0-9])")
_DASHED = re.compile(r"([0-9]{1,3})[-–]([0-9]{1,3})([a-z]?)(?=[^\w.,–-]|[.,]?(?:\s|\Z))")
"""Chapter and paragraph of a manual: `paragraph 2-3`; behind `paragraphs` it is a range."""
_PUBLIC_LAW = re.compile(r"(?:Public +Law|Pub +L|P +L) *\Z")
_LAW_NUMBER = re.compile(r"([0-9]{2,3})[-–]([0-9]{1,4})(?!\w)")
_ACT_NUMBER = re.compile(
    rf"([0-9]{{1,4}})/([0-9]{{1,4}})(?:/(?:{'|'.join(sorted(COMMUNITIES))}))?(?!\w|/[0-9])"
)
_OF_TITLE = re.compile(
    r",?\s(?:of\s(?:the\s)?)?(?:(United\s{1,3}States\sCode|U\.\s?S\.\s?C\.?(?:ode)?)|Code\s{1,3}of\s{1,3}Federal\s{1,3}Regulations|C\.\s?F\.\s?R\.)"
)
_THAT = re.compile(r"\s(?:of|in)\s(?:that|such)\s|\sthereof\b")
_LAST_OUTWARD = re.compile(
    rf"(?<!\w)(\w+)\s(\w+)\s(?:{INWARD}|de l['’]|dell['’])(?:(?<=['’])|\s)(?:the\s|la\s)?\Z",
    re.IGNORECASE,
)
_FRENCH_LEVELS = re.compile(
    r"(?<![\w°])(?:(?:[0-9]{1,2}°|[IVX]{1,5}|[A-Z]|[a-z]\))(?:\s(?:bis|ter))?\s(?:du\s|de\sl['’]|des\s)){1,4}\Z"
)
"""`2° du I de l'article 200`: levels that their signs alone name."""
_ENDS_OF_FRENCH_LEVELS = ("du ", "des ", "'", "’")
_FRENCH_LEVEL = re.compile(r"(?<!['’\w])([0-9]{1,2}|[IVX]{1,5}|[A-Z]|[a-z](?=\)))(?=[°)\s])")
_INWARD_ENDS = frozenset(f" {word}"[-2:] for word in (*INWARD.split("|"), "the", "la", "l")) | {
    " l",
    "'",
    "’",
}
_ENDS_OF_INWARD = (*(f"{word} " for word in INWARD.split("|")), "the ", "la ", "'", "’")
_LABEL_WORD = re.compile(r"\s([^\W\d_]{2,20})(?!\w)")
_MOST_ORDINALS = 20
_NEXT_ORDINAL = re.compile(
    rf"(?:,\s|,?\s(?:and|or|und|oder)\s)({CAPITAL_ORDINALS}|[0-9]{{1,3}}(?:st|nd|rd|th))(?!\w)"
)
_DOCUMENTS = frozenset((*IDENTIFIERS, "reg", "dir", "dec", "usc", "cfr", "publ"))
"""What the keys of whole documents begin with."""
_GOES_ON = re.compile(r"(?:,|\s(?:and|or|und|oder|et|ou|to|bis))\s[0-9]")
_OF_THIS = re.compile(r"\s(?:of|in)\sthis\s|\sdieses\s")
_MOST_SHARED = 50
_LONGEST_GAP = 60
_DOCUMENT_GAP = re.compile(
    r"\)?,?\s{1,13}(?:of|under|in|to|der|des|de la|de|du|del|della|van|av)\s{1,13}(?:the\s)?(?:[A-Z][a-z]+\s{1,3}){0,3}"
)

_SEPARATORS = "\n\t\r\xa0\u202f\u2009.-§"
"""What may stand between a label and its number."""

_ORDINAL_ENDINGS = "|".join(
    f"(?<={first})(?:{'|'.join(word[1:].replace('-', ' ') for word in CAPITALISED if word[0] == first)})"
    for first in sorted({word[0] for word in CAPITALISED})
)
_ORDINAL_INITIALS = "".join(sorted({word[0] for word in CAPITALISED}))
_START = re.compile(
    r" [0-9(A-ZÉivx](?:(?<=[0-9])([0-9]{0,2}(?:st|nd|rd|th)\b)?|(?<=[ivx])[ivx]{1,6}\b|(?<=\()(?=[0-9a-zA-Z]{1,5}\))"
    r"|(?<=[A-Z])(?:(?<=[IVXLCDM])[IVXLCDM]{0,8})?(?![A-Za-z])|(?<=L)O(?=[ .]?[0-9])"
    rf"|(?<=[{_ORDINAL_INITIALS}])({_ORDINAL_ENDINGS})\b)"
)
"""What may begin a number. Its literal first character makes the search fast."""

_FIRST = re.compile(rf"({CAPITAL_ORDINALS}|[0-9]{{1,3}}(?:st|nd|rd|th))(?!\w)")
"""An ordinal that a text begins with, which no space precedes."""

_GLUED = tuple(sorted(name.upper() for name in IDENTIFIERS))
"""Labels joined to their number without anything between, `RFC7231`; their last letter is made a space to be found."""
