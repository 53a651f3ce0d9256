"""Lines that may begin a section: where they can begin one, and where a heading on them ends."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain

from hierdoc.citations.grammar import LATIN
from hierdoc.citations.vocabulary import (
    CARDINALS,
    COUNTED_BEFORE,
    LABELS,
    ONE_OR_SEVERAL,
    ORDINALS,
    PLURALS,
)
from hierdoc.structure.domains import DIVISIONS
from hierdoc.text.words import words


class LinePattern:
    """A regular expression for the beginnings of lines, tried only where a line begins with one of a few words or signs.

    Args:
        pattern: For a line from its beginning on, blanks included.
        first: What such lines begin with behind their blanks and the marks of headings and bold: words or names, whose first words count, and
            signs and digits; nothing where they may begin with anything.
        words: A regular expression for other first words of seven letters at most, such as numerals.
        apart: Whether a blank line must stand above.
    """

    def __init__(
        self, pattern: str, first: Iterable[str] = (), words: str = "", *, apart: bool = False
    ) -> None:
        self._opening = re.compile("\ufeff?" + pattern)
        self._others = re.compile("\n" + pattern)
        self._first = frozenset(_first_of(form) for form in first)
        self._words = re.compile(words) if words else None
        self._apart = apart

    def finditer(self, text: str, since: int = 0) -> Iterator[re.Match[str]]:
        """All lines that begin so, in order; only those behind the place `since`, if one is given."""
        found = self._opening.match(text) if not (since or self._apart) else None
        if found:
            yield found
            since = found.end()
        if not (self._first or self._words):
            yield from self._others.finditer(text, since)
            return
        for place in self._places(text):
            if place < since or (self._apart and not _is_blank_above(text, place)):
                continue
            if found := self._others.match(text, place):
                since = found.end()
                yield found

    def search(self, text: str) -> bool:
        """Whether there is such a line."""
        return next(self.finditer(text), None) is not None

    def _places(self, text: str) -> list[int]:
        """Where the lines end, in order, behind which one may begin so."""
        places = _places_by_word(text)
        words = places.keys() & self._first
        if self._words:
            words |= {word for word in _short(text) if self._words.fullmatch(word)}
        return sorted(chain.from_iterable(places[word] for word in words))


def _is_blank_above(text: str, place: int) -> bool:
    """Whether the line is blank that ends here, and not the first."""
    above = text.rfind("\n", 0, place)
    return above >= 0 and not text[above:place].strip(" \t\r\n")


@lru_cache(maxsize=4)
def _places_by_word(text: str) -> dict[str, list[int]]:
    """By their first word or sign, where the lines of a text begin: each at the line ending before it."""
    places: dict[str, list[int]] = {}
    for line in _FIRST_WORD.finditer(text):
        places.setdefault(line[1], []).append(line.start())
    return places


@lru_cache(maxsize=4)
def _short(text: str) -> list[str]:
    """The first words of lines that may be numerals or letters."""
    return [word for word in _places_by_word(text) if len(word) <= _SHORT and word.isalpha()]


def _first_of(form: str) -> str:
    """The first word of a form, or the sign that it begins with."""
    found = _FIRST_WORD.match(f"\n{form}")
    assert found is not None, form
    return found[1]


_FIRST_WORD = re.compile(
    r"\n[ \t\xa0\f\r]*(?![a-z]{6})(?:#{1,6}[ \t]+)?[*_]{0,3}([^\W\d_\xb2\xb3\xb9\u2070-\u24ff\u2e80-\U0010ffff]+|\S)"
)
"""What a line begins with: a word, or one sign of others and of scripts without spaces; most lines go on with a sentence and count as none."""

_SHORT = 7
DIGITS = "0123456789"
CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


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
    low = max(0, start - REACH)
    gap = text[low:start]
    before = gap.rstrip(_BLANK)
    if not before:
        return True
    end = low + len(before)
    known = end == line_before or (0 <= line_before - end < 80 and text[end:line_before].isspace())
    ending = gap[len(before) :]
    if ending.count("\n") == 1 and _ABBREVIATED.search(before[-8:]):
        return False
    if _is_dangling(before) and not (
        _ATX_HEADING.match(before, before.rfind("\n") + 1)
        or (known and ending.count("\n") > 1)  # `Part 52 - Contract Clauses`
        or (before[-1] == ")" and (known or (ending.count("\n") > 1 and _ALONE.search(before))))
    ):
        return False
    if ending.count("\n") > 1 or "\f" in ending:
        return True
    if text[start] == "(" and _CONJUNCTION.search(before[-10:]):
        return item and bool(_JOINED.search(before[-10:]))
    if known and (not item or len(before) - before.rfind("\n") <= 60):
        return True
    noted = _NOTE_MARK.sub("", before[-8:]) if before[-1] == "]" else before
    bare = noted.rstrip("\"'”’»)]*_")
    last = bare[-1:]
    if last in _ENDING or (item and last == ","):
        return True
    if item:
        begun = bool(_JOINED.search(before[-10:]))
        return begun or _ATX_HEADING.match(before, before.rfind("\n") + 1) is not None
    line = before[before.rfind("\n") + 1 :].strip()
    return line.startswith("#") or (line.isupper() and len(line) <= LONGEST_HEADING)


def _is_dangling(before: str) -> bool:
    """Whether a text ends with a word or sign that leads on: `under Section`, `3 and`."""
    last = before[-1]
    if last not in _DANGLING_ENDS or (last == "." and before[-3:] not in _DANGLING_STOPS):
        return False
    return _DANGLING.search(before[-_LONGEST_DANGLING:]) is not None


def is_capital(letter: str) -> bool:
    """Whether a heading may begin with this letter: a capital, or one of a script that has none."""
    return letter.isupper() or (letter >= _CASELESS and letter.isalpha() and not letter.islower())


def is_outdented(text: str, start: int) -> bool:
    """Whether a line begins further out than the one before it, behind a blank line: so no sentence goes on."""
    gap = text[max(0, start - REACH) : start]
    before = gap.rstrip(_BLANK)
    line, blank = before.rfind("\n") + 1, gap[len(before) :]
    if not line or blank.count("\n") < 2:
        return False
    indent = len(before) - line - len(before[line:].lstrip(" "))
    return len(blank) - blank.rfind("\n") - 1 < indent


def text_behind_anchors(text: str, start: int, end: int) -> int:
    """Where the text of a span begins behind lines that are anchors and no more, such as `[[scope]]`; `end` if there is none."""
    anchors = _ANCHORS.match(text, start, end)
    found = _TEXT.search(text, anchors.end() if anchors else start, end)
    return found.start() if found else end


def is_anchor(text: str, start: int, end: int) -> bool:
    """Whether the last line of a span is an anchor and no more; white space at its end does not count."""
    before = text[max(start, end - _LONGEST_ANCHOR) : end].rstrip()
    line = before[before.rfind("\n") + 1 :]
    return line[-1:] in _ANCHOR_ENDS and _ANCHORS.fullmatch(line) is not None


def heading_behind(text: str, position: int, *, item: bool = False) -> int:
    """Where a run-in heading ends that begins here, behind a number; `position` where there is none.

    `IN GENERAL.—The …`, `Quorum. A majority …`, or the whole line where it reads like a heading.
    """
    lead = text[position : position + 1]
    if not (lead in _BEFORE_HEADING or is_capital(lead)):  # said of most enumerators
        return position
    end = min(line_end(text, position), position + 2 * LONGEST_HEADING)
    line = text[position:end]
    if not is_capital(line.lstrip(_BEFORE_HEADING)[:1]):
        return position
    dashed = "—" in line or "–" in line or "--" in line
    if dashed and (dash := _DASHED.match(line)):
        return position + dash.end(1)
    sentence = SENTENCE.match(line)
    if sentence and is_title(sentence[1]):
        return position + sentence.end()
    return whole_line(text, position, item=item)


def whole_line(text: str, position: int, *, item: bool) -> int:
    """Where the line ends if all of it reads like a heading, else `position`; a line of capitals may go on in the next.

    Args:
        text: The document.
        position: Where the heading may begin, in the midst of the line.
        item: Whether it stands behind an enumerator, where it is shorter and text follows.
    """
    end = line_end(text, position)
    line = text[position:end].rstrip(" \t\r*_")
    capitals = line.isupper()
    if not 0 < len(line) <= (_LONGEST_ITEM_HEADING if item else LONGEST_HEADING):
        return position
    if not capitals:
        if line[-1] in ",;:、" or "。" in line or (line[-1] == "." and (item or VERB.search(line))):
            return position
        if SENTENCE.match(line) or (item and (";" in line or VERB.search(line))):
            return position
    following = NEXT_LINE.match(text, end)
    if not following or not following[2]:
        return position if item and not capitals else position + len(line)
    blank, first = following[1], following[2]
    if blank:
        return position if item and first.islower() else position + len(line)
    goes_on = first.islower() and not ITEM_BELOW.match(text, following.start(2))
    if goes_on or first in ",;" or (item and not (first.isupper() or first in '("“‘[')):
        return position
    next_line = (first + following[3]).rstrip()
    if capitals and line[-1] != "." and first.isalpha() and next_line.isupper():
        numbered = _NUMBERED_LINE.match(text, following.start(2))
        return position + len(line) if numbered else following.start(2) + len(next_line)
    return position + len(line)


def is_capitalised(listed: Sequence[str]) -> bool:
    """Whether all words but small ones begin with a capital, as those of many headings do."""
    return all(
        word[:1].isupper() or word.lower().strip("(),") in _SMALL_WORDS or not word[:1].isalpha()
        for word in listed
    )


LONGEST_HEADING = 160
_CASELESS = "\u0590"
"""The first letter of scripts without capitals, from Hebrew and Arabic to Chinese and Korean; those before have both cases."""

_LONGEST_ANCHOR = 400
_ANCHOR_ENDS = "]}>=:"
_ANCHORS = re.compile(
    r"(?:\s*(?:r\[[\w.:-]{1,200}\]|\[\[[^\[\]\n]{1,200}\]\]|(?:\[\])?(?:\(\))?\{:?[ ]?#[^{}\n]{1,200}\}"
    r"|<a[ ](?:id|name)=[^<>\n]{1,200}>(?:[ ]?</a>)?|\([\w-]{1,100}\)=|\.\.[ ]_[^:\n]{1,100}:)[ \t\r]*(?=\n|\Z))+"
)
"""Of the Rust reference, AsciiDoc, kramdown and Pandoc, HTML, MyST and reStructuredText."""

_TEXT = re.compile(r"\S")
_BEFORE_HEADING = " \t*_\"'“‘"
VERB = re.compile(
    r"\b(?:shall|may|must|will|is|are|was|were|has|have|had|means|applies|apply|provides?|requires?|ist|sind|gilt|gelten|findet"
    r"|finden|wird|werden|kann|können|hat|haben|bleib(?:t|en)|can|should|ensures?|est|sont|peut|peuvent|doit|doivent|demeur(?:e|ent)"
    r"|s['’]appliqu(?:e|ent)|será|serán|podrá|podrán|deberá|deberán|aplicarán?|è|può|possono|deve|devono|si applicano?|é|são|pode|podem"
    r"|aplicam?-se|wordt|worden|geldt|gelden|jest|są|stosuj[eą])\b"
)
SENTENCE = re.compile(
    r"(?=[^.:!?\n]{2,100}\.)([^.;:!?\n]*(?:;(?= [A-Z])[^.;:!?\n]*)*)\.[*_]{0,2}[ \t]+(?=[A-Z(\"“‘À-Þ])"
)
ITEM_BELOW = re.compile(r"[a-z]{1,4}[.)][ \t]")
NEXT_LINE = re.compile(r"[ \t\r]*\n((?:[ \t\r]*\n){0,9})[ \t\xa0]*(?:\*\*)?(\S?)([^\n]{0,200})")


def _any_of(forms: Iterable[str]) -> str:
    """A regular expression for these words that looks at each letter once."""
    letters: dict[str, list[str]] = {}
    whole = False
    for word in forms:
        if word:
            letters.setdefault(word[0], []).append(word[1:])
        else:
            whole = True
    branches = "|".join(re.escape(first) + _any_of(rest) for first, rest in letters.items())
    if not branches:
        return ""
    return f"(?:{branches})?" if whole else f"(?:{branches})"


_PREFIXES = {
    word: label for label, listed in LABELS.items() if label in DIVISIONS for word in listed.split()
} | {"step": "step", "schritt": "step"}
_NAMES = words(
    "législative réglementaire préliminaire préliminaires preliminar preliminare general generale speciale especial geral"
)
"""What a division may be called behind its label, instead of a number: `Partie législative`."""

_NAMES_BEFORE = "allgemeiner besonderer"
_CASED_NAMES = _any_of(
    form for word in sorted(_NAMES) for form in (word, word.upper(), word.capitalize())
)
NAME = re.compile(_CASED_NAMES)
_COUNTING = [word for line in (*CARDINALS, *ORDINALS) for word in line.split()]
_NUMBER = (
    rf"[0-9]{{1,6}}(?:[а-яА-Я](?!\w)|[A-Za-z]{{0,2}})(?:[.:\-–][0-9]{{1,6}}[A-Za-z]{{0,2}}){{0,6}}(?:[ -](?i:{LATIN})\b)?(?:\.?[ºª°](?:-[A-Z]{{1,2}})?)?(?![\w-])"
    rf"|{_any_of(form for word in _COUNTING for form in dict.fromkeys((word.upper(), word.capitalize(), word.title())))}(?![\w-])"
    rf"|{_any_of(word for word in _COUNTING if word[0] >= 'а')}(?![\w-])"  # `Глава първа`
    r"|(?:L\.?O|[LRDA])\.? ?\*{0,2}[0-9]{1,4}(?:-[0-9]{1,3}){0,4}(?!\w)|[IVXLCDM]{1,9}(?:-?[A-Z]|er|re)?(?!\w)"
    rf"|[Α-ΜΣΤ]{{1,3}}[΄'’′]|[A-Z]{{1,2}}(?:[.-][0-9]{{1,4}}){{0,3}}(?!\w)|{_CASED_NAMES}(?!\w)"
    r"|(?:premi(?:er|ère)|unique|[úu]nic[oa]|primer[oa])(?!\w)"  # `Article premier`
)


def labelled_by(labels: Collection[str] | None = None) -> str:
    """A regular expression for a label, in capitals or with one, and the number behind it, in a group each.

    Args:
        labels: First parts of keys, such as `app`; None for those of all divisions.
    """
    forms = LABEL_FORMS if labels is None else forms_of(labels)
    return (
        rf"({_any_of(forms)})(?![^\W\d_])(?:\.?[ \xa0\t]{{1,4}}|(?<=§)|(?<=[Aa]rt)\.)"
        rf"(?:\*\*[ ]?)?(?:(?<=[ا-ي][ ])\()?({_NUMBER})"  # `المادة (3)`
    )


def forms_of(labels: Collection[str]) -> list[str]:
    """The words for these labels, first parts of keys, in capitals and with one."""
    words = [
        word
        for word, label in _PREFIXES.items()
        if label in labels and (word not in PLURALS or word in ONE_OR_SEVERAL)
    ]
    return sorted({form for word in words for form in (word.upper(), word.capitalize())})


LABEL_FORMS = forms_of(frozenset(_PREFIXES.values()))
COUNTED_WORDS = _any_of(
    form for word in sorted(COUNTED_BEFORE) for form in (word.upper(), word.capitalize())
)
"""Likewise for those that stand behind their number, `1. Abschnitt`."""

DIVISION_WORDS = _any_of(word for word in LABEL_FORMS if word.isalpha())
"""A regular expression for the labels of divisions, in capitals or with one."""

ORDINAL_FORMS = [
    form
    for line in (*ORDINALS, _NAMES_BEFORE)
    for word in line.split()
    for form in dict.fromkeys((word.upper(), word.capitalize(), word.title()))
]
ORDINAL_WORDS = _any_of(ORDINAL_FORMS)
ROMANCE_FORMS = [
    form
    for line in ORDINALS
    for word in line.split()
    if word[-1] in "oa"
    for form in (word.upper(), word.capitalize())
]
ROMANCE_ORDINALS = _any_of(ROMANCE_FORMS)
"""Likewise those that count clauses without a label, `PRIMERA.- OBJETO`."""

LABELLED = labelled_by()
LABEL_LINE = re.compile(r"(?:\*\*|__)?" + LABELLED)
_LONGEST_ITEM_HEADING = 80
REACH = 220
_LONGEST_DANGLING = 20
"""Characters at the end of a line that show that it goes on."""
_BLANK = " \t\xa0\r\n\f\ufeff"
_ENDING = frozenset(".;:!?—–…。")
_DANGLING = re.compile(
    r"(?:\b(?:[Ss]ections?|[Ss]ubsections?|[Pp]aragraphs?|[Ss]ubparagraphs?|[Cc]lauses?|[Aa]rticles?|[Cc]hapters?|[Pp]oints?"
    r"|§+|Absatz|Absätze|Abs\.|Nummer|Nr\.|Artikels?|under|of|see|See|vgl\.|gemäß|nach)"
    r"|[0-9)] ?(?:,|(?:,? ?(?:and|or|to|through|und|oder|bis)))|\))\Z(?<!\.\))(?<!\)\))",
)
_DANGLING_ENDS = frozenset("snehtrf§zlßdo,).")
_DANGLING_STOPS = frozenset(("bs.", "Nr.", "gl."))
"""With what such an end of a line ends: most lines are dismissed by this."""

_ABBREVIATED = re.compile(
    r"\b(?:[Aa]rts?|[Nn]rn|Nos?|[Ss]ecs?|[Pp]aras?|[Cc]h|[Nn]úms?|ust|pkt|poz|lit)\.\Z"
)
"""An abbreviation before a number; before a blank line it may end a sentence, as `verwandter Art.` does."""

_ALONE = re.compile(r"(?:\A|\n[ \t\r]*\n)[^\n]{1,160}\Z|\n[ \t]*\([^()\n]{1,160}\)\Z")
"""A short line that is a paragraph of its own, `§§ 18 bis 20 (weggefallen)`."""

_ATX_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_NOTE_MARK = re.compile(r"\[[0-9]{1,3}\]\Z")
_CONJUNCTION = re.compile(r"\s(?:and|or|und|oder|et|ou|and/or)\Z")
_JOINED = re.compile(r"[,;:]\s(?:and|or|und|oder|et|ou|and/or)\Z")
_DASHED = re.compile(r"((?:[^.;:—–\n]|\.(?=\w)){1,160}?[.:]?[ ]?\*{0,2}[ ]?(?:[—–]|--))(?=\s?\S)")
_SMALL_WORDS = words(
    "a an and as at by for from in into of on or per the to under upon with without within between etc"
)
_NO_TITLE = words("the each no any this if all in a an for upon subject such these every")
_NUMBERED_LINE = re.compile(rf"(?:\*\*|__)?(?:{LABELLED}|[A-Z]?\.?[0-9]|\()")


def is_title(sentence: str, *, labelled: bool = False) -> bool:
    """Whether a short sentence is a heading: few words, most of them capital or no verb among them.

    Args:
        sentence: It.
        labelled: Whether it stands behind a label and number, where `The Loan` is a title, too.
    """
    listed = sentence.split()
    if len(listed) > 14:
        return False
    capitalised = is_capitalised([word.rstrip(";,") for word in listed])
    if ";" in sentence:  # `Notices; Waiver`, and no list of clauses
        return capitalised
    if listed[0].lower() in _NO_TITLE and not sentence.isupper():
        return capitalised and len(listed) > (1 if labelled or listed[0] == "Each" else 2)
    return capitalised or (len(listed) <= 6 and not VERB.search(sentence))
