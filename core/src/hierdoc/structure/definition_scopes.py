"""What a definition governs: the section, chapter or title that its words name (`For purposes of this chapter`), or the whole document."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from hierdoc.citations import section_key
from hierdoc.citations.vocabulary import WORDS
from hierdoc.structure.sections import FlatSection, body_start, is_enumerated
from hierdoc.text.words import words


class Scopes:
    """Reads the scopes of a document's definitions.

    Args:
        text: The document's text.
        flat: All its sections, enumerated ones too.
    """

    def __init__(self, text: str, flat: Sequence[FlatSection]) -> None:
        self.text = text
        self.flat = flat
        self._starts = [entry.section.char_start for entry in flat]
        self._introductions: dict[int, re.Match[str] | None] = {}
        self._keys: dict[str, str] | None = None

    def of(self, term: str, start: int, end: int) -> str | None:
        """The id of the section that a definition governs; None for the whole document.

        Args:
            term: The defined term.
            start: Where its text begins.
            end: And where it ends.
        """
        text = self.text
        place = bisect_right(self._starts, start) - 1
        if place < 0:
            return None
        named = text.find(term, start, min(end, start + _LONGEST_LEAD))
        if named < 0:
            named = start
        elif text.rfind("(", start, named) > text.rfind(")", start, named):  # a name in brackets
            return None
        behind = _SENSE.match(text, named + len(term), min(end, named + len(term) + _LONGEST_SENSE))
        limit = _PURPOSE.search(text, start, named) or behind
        if limit is None and named - start <= _LONGEST_ARTICLE:
            limit = self._introduction(place, start)
        return self._section(limit, place) if limit else None

    def _introduction(self, place: int, before: int) -> re.Match[str] | None:
        """What leads to the definitions of a section or of one around it: `As used in this chapter:`."""
        while place >= 0:
            section = self.flat[place].section
            if place not in self._introductions:
                low = self._lead(place)
                high = min(section.char_end, low + _LONGEST_INTRODUCTION)
                self._introductions[place] = _LEADING.search(self.text, low, high)
            found = self._introductions[place]
            if found and found.end() <= before + 1:
                return found
            if not is_enumerated(self.text, section):
                return None
            place = self.flat[place].parent
        return None

    def _lead(self, place: int) -> int:
        section = self.flat[place].section
        enumerated = is_enumerated(self.text, section)
        return section.char_start if enumerated else body_start(self.text, section)

    def _section(self, limit: re.Match[str], place: int) -> str | None:
        part = limit.groupdict().get("part")
        label = "Vorschrift" if part else limit["label"]  # a part of the section that it stands in
        if label is None:
            key = section_key(limit["cited"])
            if key is None or _OF_ANOTHER_WORK.match(self.text, limit.end()):
                return None
            return self._by_key().get(key)
        word = WORDS.get(label.lower())
        prefix = word.prefix if word else ""
        if label.lower() in _SECTIONS:
            prefix = "sec"
        level = bool(word and word.level)
        if not prefix and not level:
            return None
        while place >= 0:
            section = self.flat[place].section
            enumerated = is_enumerated(self.text, section)
            kind = (section.key or "").partition("_")[0]
            if (level and enumerated) or (not enumerated and (level or kind == prefix)):
                return section.id
            if prefix in _INNERMOST and kind in _INNERMOST and not enumerated:
                return section.id
            place = self.flat[place].parent
        return None

    def _by_key(self) -> dict[str, str]:
        if self._keys is None:
            self._keys = {}
            for entry in self.flat:
                self._keys.setdefault(entry.section.key or entry.section.id, entry.section.id)
        return self._keys


_SECTIONS = words("vorschrift vorschriften paragraphen bestimmung provision")
"""Words that the law uses for a section without citing it."""

_INNERMOST = ("sec", "art", "rule", "cl")
"""Labels of what laws and contracts number throughout: any of them is meant by `this section`."""

_THIS = (
    r"(?:th(?:is|ese)|dies(?:e[rsmn]?)|(?:l[ae]s?\s)?présente?s?|(?:la|el|los|las)?\s?presentes?|est[ea]|dicha)"
    r"\s+(?P<label>[^\W\d_]+)"
)
_CITED = r"(?:des|der|von|de\sl['’]|d[eu]|of)?\s?(?P<cited>(?:§|[Ss]ection|[Aa]rticle|[Aa]rtikels?|Art\.|[Aa]rtículo)\s?[\w.-]{1,12})"
_FOR = (
    r"(?:in|under|within|for\s(?:the\s)?purposes?\sof|as\sused\sin|when\sused\sin|im\sSinne|für(?:\sdie\sZwecke)?|nach|au\ssens|aux\sfins|pour\sl['’]application|dans|"
    r"a\s(?:los\s)?efectos|para\s(?:los\s)?efectos|en)"
)
_PURPOSE = re.compile(
    rf"\b{_FOR}\s(?:de[rl]?\s|d[eu]\s|des\s|lo\sdispuesto\sen\s)?(?:{_THIS}|{_CITED})",
    re.IGNORECASE,
)
_LEADING = re.compile(
    rf"\b{_FOR}\s(?:de[rl]?\s|d[eu]\s|des\s|lo\sdispuesto\sen\s)?{_THIS}\b[^.]{{0,300}}?(?:[:—]|\n\s*\n(?=\s*(?:[(]|[0-9]|[-*“\"„«])))",
    re.IGNORECASE,
)
_SENSE = re.compile(
    rf"[\s\"”“»’',*]{{0,4}}(?:\([^()]{{1,80}}\)\s)?{_FOR}\s(?:de[rl]?\s|d[eu]\s|des\s|von\s)?(?:{_THIS}|{_CITED}|(?P<part>Absatz|Satz|Absätze|Sätze|Nummer))",
    re.IGNORECASE,
)
_OF_ANOTHER_WORK = re.compile(
    r"(?:\s(?:Abs(?:atz|ätze)?|Satz|Sätze|Nr|Nummern?|Buchstabe|und|oder|bis|[0-9]+[a-z]?|[a-z])\b[.,]?|\([0-9A-Za-z]{1,4}\)){0,12}\s(?:des|der|of|du|de\sla|de)\s"
)
"""What follows a citation that leads to another work: `§ 36 Absatz 1 Nummer 1 des Gesetzes über …`."""

_LONGEST_LEAD = 400
_LONGEST_SENSE = 180
_LONGEST_ARTICLE = 40
"""Characters before a term whose sentence begins with it, but for articles and `the term`."""

_LONGEST_INTRODUCTION = 600
