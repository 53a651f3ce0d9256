"""Reading citations at places where numbers stand: the label before, the list behind, and the work that they belong to."""

from __future__ import annotations

import re

from hierdoc.citations.grammar import Level, Number, following_number, level_list, number_at
from hierdoc.citations.holders import levels_around
from hierdoc.citations.labels import (
    COUNTED,
    IDENTIFIERS,
    NOT_IDENTIFIERS,
    UNNUMBERED,
    WHOLE_SECTIONS,
)
from hierdoc.citations.landmarks import (
    ACT_NUMBER,
    CODE,
    DOCUMENT_GAP,
    DOCUMENTS,
    ENDS_OF_INWARD,
    GAP,
    GOES_ON,
    INWARD_ENDS,
    LABEL_WORD,
    LAST_OUTWARD,
    LAST_WORD,
    LAW_NUMBER,
    LONGEST_GAP,
    MOST_ORDINALS,
    MOST_SHARED,
    NEXT_ORDINAL,
    NOT_BEFORE_WORD,
    OF_THIS,
    OF_TITLE,
    PUBLIC_LAW,
    REACH,
    THAT,
)
from hierdoc.citations.values import Citation, Mention
from hierdoc.citations.vocabulary import (
    CASED,
    CODE_WORD,
    COMMUNITY,
    SECTION,
    SECTIONS,
    WORDS,
    Word,
    cardinal_value,
    ordinal_value,
)
from hierdoc.citations.works import work_after
from hierdoc.quick import quick

_citation, _mention = quick(Citation), quick(Mention)


class Reader:
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
        low = max(self.behind, number - REACH)
        gap = text[end]
        if gap == "-" or flat[end - 1 : end] in (" ", "") or gap in "§\n":
            label_end = len(flat[low:number].rstrip(" ")) + low
            gap = text[label_end:number]
            if gap == "-":
                self.read_identifier(number, end)
                return
            matched = GAP.match(gap)
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
        while len(counted) < MOST_ORDINALS and (
            more := NEXT_ORDINAL.match(self.text, counted[-1][1])
        ):
            counted.append((more.start(1), more.end(), more[1]))
        label = LABEL_WORD.match(self.text, counted[-1][1])
        known = CASED.get(label[1]) if label else None
        if label is None or known is None or known.prefix not in COUNTED:
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
        found = self._word(max(self.behind, number - REACH), end)
        if found and found[0].prefix in COUNTED and not found[0].several:
            prefix, value = found[0].prefix, str(cardinal_value(word))
            parsed = Number(prefix, value, [], number + len(word))
            self._add(found[1], parsed, parsed.unit)

    def read_identifier(self, number: int, end: int) -> None:
        """Read a label that a hyphen joins to its number: `EIP-1559`."""
        found = self._last_word(max(self.behind, number - REACH), end)
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
            self._add(start, parsed, parsed.unit)

    def _word(self, low: int, end: int) -> tuple[Word, int] | None:
        """What the vocabulary says of the word that ends here, and where it begins."""
        start = self.flat.rfind(" ", low, end) + 1 or low
        word = self.flat[start:end]
        known = CASED.get(word)
        if known is not None and (
            start > low or low == 0 or self.flat[low - 1] == " " or not self.flat[low - 1].isalnum()
        ):
            return known, start
        if word.isalpha():
            return None
        found = self._last_word(low, end)
        if found is None:
            return None
        known = CASED.get(found[0])
        return (known, found[1]) if known else None

    def _last_word(self, low: int, end: int) -> tuple[str, int] | None:
        found = LAST_WORD.search(self.text[low:end])
        if found is None:
            return None
        start = low + found.start()
        before = self.text[start - 1 : start]
        return (
            None
            if before.isalnum() or (before in NOT_BEFORE_WORD and before)
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
        code = CODE.search(self.flat, max(self.behind, label_end - 16), number)
        start = self.text.index("§", label_end)
        if code:
            self._read_code(code, number, several="§§" in gap)
        else:
            self._read_label(SECTIONS if "§§" in gap else SECTION, start, number)

    def _read_behind(self, word: Word, start: int, end: int, number: int) -> None:
        if word is CODE_WORD:
            code = CODE.search(self.flat, max(self.behind, end - 20), number)
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
                and (code := CODE.search(self.flat, max(self.behind, start - 20), number))
            ):
                self._read_code(code, number, several=word.several)
            else:
                self._read_label(word, start, number)

    def _read_label(self, word: Word, start: int, number: int, work: str = "") -> None:
        parsed = number_at(self.text, number, word.prefix, in_list=word.several)
        if parsed is None:
            return
        if start > 8 and self.text[start - 3 : start - 1] in INWARD_ENDS:
            start = self._ordinal_level_before(start, parsed)
        if parsed.prefix == "title" and (code := OF_TITLE.match(self.text, parsed.end)):
            prefix = "usc" if code[1] else "cfr"
            self._add(
                start, Number(prefix, parsed.number, [], code.end()), f"{prefix}_{parsed.number}"
            )
            return
        self._add_list(start, parsed, word.several, work)

    def _read_code(self, code: re.Match[str], number: int, *, several: bool) -> None:
        parsed = number_at(self.text, number, "sec", in_list=several)
        if parsed:
            self._add_list(
                code.start(), parsed, several, f"{'usc' if code[2] else 'cfr'}_{code[1]}"
            )

    def _read_public_law(self, end: int, number: int) -> None:
        named = PUBLIC_LAW.search(self.flat, max(self.behind, end - 12), end)
        found = LAW_NUMBER.match(self.text, number) if named else None
        if named and found:
            self._add(
                named.start(),
                Number("publ", f"{found[1]}_{found[2]}", [], found.end()),
                f"publ_{found[1]}_{found[2]}",
            )

    def _read_act(self, prefix: str, start: int, number: int) -> bool:
        found = ACT_NUMBER.match(self.text, number)
        if found is None:
            return False
        key = f"{prefix}_{found[1]}_{found[2]}"
        self._add(start, Number(prefix, f"{found[1]}_{found[2]}", [], found.end()), key)
        return True

    def _read_levels(self, word: Word, start: int, number: int) -> None:
        """Read levels, `points (a) and (b)`, and the number that they belong to if it follows."""
        text = self.text
        if text[number].isdigit():
            name = LAST_WORD.search(self.flat[max(0, start) : number].rstrip(" "))
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
        starts = [start, *(place for place, _ in found[1:])]
        ends = [*(one.end for _, one in found[:-1]), end]
        if holder is None:
            elsewhere = THAT.match(text, end) is not None
            for (_, one), chain, begin, stop in zip(found, chains, starts, ends, strict=True):
                inside = tuple(key.rpartition("_")[2] for key in one.inside)
                self.mentions.append(_mention(begin, stop, (*above, *chain), inside, elsewhere))
            self.behind = end
            return
        stem = "_".join((holder.key, *above)).lower()
        for (_, one), chain, begin, stop in zip(found, chains, starts, ends, strict=True):
            key = "_".join((stem, *chain)).lower()
            inside = tuple(
                "_".join((stem, *chain[:-1], name.rpartition("_")[2])).lower()
                for name in one.inside
            )
            self.citations.append(
                _citation(text[begin:stop], key, holder.unit, begin, stop, inside)
            )
        self._finish(len(found), end)

    def _ordinal_level_before(self, start: int, number: Number) -> int:
        """Take `second paragraph of` before a citation into it; where the citation then begins."""
        window = self.text[max(self.behind, start - 48) : start]
        if not window.endswith(ENDS_OF_INWARD):
            return start
        found = LAST_OUTWARD.search(window)
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
        if not several and count == 1 and GOES_ON.match(self.text, number.end):
            self._add_shared(number, work)
        else:
            self._finish(count, number.end)

    def _add_shared(self, number: Number, work: str) -> None:
        """Add what follows `Section 2` in `Section 2, 3 and 4 of the Banking Act`: numbers whose work is named behind them."""
        following = following_number(self.text, number, several=True)
        others: list[tuple[int, Number]] = []
        while following and len(others) < MOST_SHARED:
            others.append(following)
            following = following_number(self.text, following[1], several=True)
        end = others[-1][1].end if others else number.end
        if others and (work_after(self.text, end) or OF_THIS.match(self.text, end)):
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
        near = self._last_list and self.behind < start <= self.behind + LONGEST_GAP
        if (
            near
            and not self.citations[-1].work
            and DOCUMENT_GAP.fullmatch(self.text, self.behind, start)
        ):
            self._belongs(document)

    def _add(self, start: int, number: Number, key: str) -> None:
        """Add a citation without levels; where it is a document, what was cited of it belongs to it."""
        document = number.prefix in DOCUMENTS
        if document:
            self._scope(start, key)
        self.citations.append(_citation(self.text[start : number.end], key, key, start, number.end))
        self.behind = number.end
        self._last_list = 0
        if not document:
            self._finish(1, number.end)
