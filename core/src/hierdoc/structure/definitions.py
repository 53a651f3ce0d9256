"""Defined terms: where a document says what its words mean, and where that text ends.

Anywhere in a document a term in quotes or bold counts where a sentence or list item begins with it and a defining verb
follows (`‘personal data’ means …`, `The term "child" means …`, `„Daten“ bezeichnet …`). In sections that are
headed as definitions or a glossary also what their items begin with: `- **epoch**: …`, `„Daten“ alle …`, definition lists.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from hierdoc.models import Definition, Section
from hierdoc.structure.labels import words
from hierdoc.structure.language import sentence_ends
from hierdoc.structure.numbering import split_heading
from hierdoc.structure.sections import FlatSection, body_start, flatten, is_enumerated


def find_definitions(text: str, source: str, sections: Sequence[Section]) -> tuple[Definition, ...]:
    """The definitions of a document, in order; each text is a piece of the document's, word for word.

    Args:
        text: The document's text.
        source: Its name.
        sections: Its outermost sections.
    """
    flat = [entry for entry in flatten(sections) if not is_enumerated(text, entry.section)]
    starts = [entry.section.char_start for entry in flat]
    glossary = _glossary_spans(text, flat)
    found = {
        (one.start, one.term): one
        for one in chain(_quoted(text), _bold(text), _glossed(text, glossary))
    }
    ordered = sorted(found.values(), key=lambda one: one.start)
    definitions = []
    item = start = end = len(text)  # of the mention behind
    for mention in reversed(ordered):
        place = bisect_right(starts, mention.start)
        if mention.start < start:
            limit = item if item > mention.start else start
            end = _definition_end(text, mention, min([limit, *starts[place : place + 1]]))
            item, start = mention.item, mention.start
        section_id = flat[place - 1].section.id if place else None
        definitions.append(Definition(mention.term, text[start:end], source, section_id))
    return tuple(reversed(definitions))


@dataclass(frozen=True, slots=True)
class _Mention:
    """A term, where the item or sentence that defines it begins, and where its text begins behind the item's marker."""

    term: str
    item: int
    start: int


_VERBS = (
    "means|mean|shall mean|shall have the|has the(?: same)? meaning|have the(?: same)? meanings?|is defined|are defined"
    "|shall be construed|refers? to|denotes?|bezeichnet|bezeichnen|bedeutet|bedeuten|désigne|désignent|s'entend|signifie"
    "|significa|se entiende|se entenderá|si intende|indica|entende-se|betyder|avses|forstås|wordt verstaan|betekent|tarkoittaa"
    "|tarkoitetaan|înseamnă|означает"
)
_WEAK_VERBS = "includes?|shall include|umfasst|umfassen"
"""Verbs that define only where the term opens a paragraph or item."""

_TERM_WORDS = (
    "terms?|words?|expressions?|phrases?|begriffe?|ausdruck|ausdrücke|wort|termes?|mots?|términos?|termine|termini|termos?"
    "|begrepet|begreppet|begrebet|termen|uitdrukking|termului"
)
_CLAUSES = (
    "in|for|as|when|im|für|nach|pour|aux fins|au sens|dans|a efectos|ai fini|para|i|vid|ved|voor"
)
"""How a clause begins that may stand before a defined term: `For the purposes of this Act, …`."""

_GLOSSARY_NAMES = (
    "definitions?|glossary|terminology|defined terms|begriffsbestimmung(?:en)?|definition(?:en)?|glossar|définitions?"
    "|glossaire|definiciones|glosario|definizioni|glossario|definições|definities|definitioner|definisjoner|määritelmät"
    "|definiții|определения"
)
_DEFINITIONS = re.compile(
    rf"\b(?:{_GLOSSARY_NAMES})\b|\A(?:terms|key terms|begriffe)\W*\Z", re.IGNORECASE
)
_ONLY_DEFINITIONS = re.compile(
    rf"\W*(?:\w+\s)?(?:terms and )?(?:{_GLOSSARY_NAMES})(?:\s(?:and|of|und)\s(?:terms|abbreviations|acronyms))?\W*|\W*(?:key )?terms\W*",
    re.IGNORECASE,
)
_NO_TERMS = words(
    "definition definitions note notes example examples warning caution important tip hint see source sources where hinweis beispiel anmerkung",
    "remarque exemple nota ejemplo esempio opmerking",
)


_MARKER = r"(?:[-*+•]|\(?[0-9]{1,4}[.)]|\(?[a-zA-Z]{1,5}\)|[a-zA-Z]\.)"
"""What stands before a list item."""

_QUOTED_TERM = (
    r"[\"“”„«'‘‚](?:(?<=[\"“”„«])([^\"“”„«»]{1,120})[\"“”»]"
    r"|(?<=['‘‚])(?<!\w['‘‚])['‘]?((?:[^\s'’‘“”\"]|['’](?=\w))(?:[^'’‘“”\"]|['’](?=\w)){0,119})['’‘]{1,2}(?!\w))"
)
_ASIDE = (
    r"[*_]{0,2}(?:\s{0,2}\([^()\n]{1,80}\))?"
    r"(?:,[^.;:\"“”‘’\n]{1,120},|,|\s(?:of|in|for|des|der|von)\s[^.,;:\"“”‘’\n]{1,60}?)?\s{1,3}"
)
"""What may stand between a term and its verb: `, in relation to a bank,`."""
_TERM = re.compile(_QUOTED_TERM)
_ANOTHER_TERM = re.compile(
    r"\s{0,2},?\s{0,2}(?:(?:or|and|oder|und|ou|et|o|y|e)\s{1,2})?" + _QUOTED_TERM
)
_VERB = re.compile(rf"{_ASIDE}(?:(?:{_VERBS})|({_WEAK_VERBS}))\b", re.IGNORECASE)
_BOLD_TERM = re.compile(
    rf"\*\*([^*\n]{{1,80}})\*\*{_ASIDE}(?:{_VERBS}|{_WEAK_VERBS})\b", re.IGNORECASE
)
_MOST_TERMS = 8

_LOOK_BACK = 240
"""Characters before a term within which its sentence begins."""

_PARAGRAPH_OR_ITEM = re.compile(
    rf"\n[ \t\r]*\n|\n(?=[ \t>|]*{_MARKER}[ \t])|(?m:^) {{0,3}}#{{1,6}}[ \t][^\n]*\n"
)
_CLAUSE = re.compile(r"[:;][\"”’»)*_]{0,3}\s+|[—–]\s*")
_ITEM_LEAD = re.compile(rf"[ \t>|\n\r]*(?:{_MARKER}[ \t]+)*")
_SENTENCE_LEAD = re.compile(
    rf"(?:(?:{_CLAUSES})\b[^.;:\"“”]{{0,140}},\s+)?(?:(?:the|der|die|das|le|la|el|il)\s+)?(?:(?:{_TERM_WORDS})\s+)?[*_]{{0,3}}\Z",
    re.IGNORECASE,
)
_TERM_LEAD = re.compile(
    rf"\b(?:the|der|die|das|le|la|el|il)\s+(?:{_TERM_WORDS})\s+[*_]{{0,3}}\Z", re.IGNORECASE
)
_CATCH_LINE = re.compile(rf"[ \t]*{_MARKER}[ \t][^\n]{{0,120}}—\Z")

_GLOSSARY_ITEM = re.compile(
    rf"(?m)^(?P<lead>[ \t>]{{0,12}}(?:{_MARKER}[ \t]+)?)(?:"
    r"(?:\*\*|__)([^*\n]{1,100}?):?(?:\*\*|__)[ \t]*[:–—-]?[ \t]*(?=\S)"
    r"|`([^`\n]{1,100})`[ \t]*(?::|[–—-])[ \t]+(?=\S)"
    rf"|{_QUOTED_TERM}(?=[ \t\n,(])"
    rf"|(?!(?i:{_CLAUSES})\b)([^\W\d_][\w/'’()-]{{0,39}}(?:[ \t][\w/'’()-]{{1,39}}){{0,4}}?)(?::|[ \t][–—-])[ \t]+(?=\S))"
)
_DEFINITION_LIST = re.compile(r"(?m)^([^\s:#][^\n]{0,99})\n(?:[ \t]*\n)?:[ \t]+(?=\S)")

_BLANK = re.compile(r"\n[ \t\r]*(?:\n|\Z)")
_ITEM_LINE = re.compile(rf"(?m)^([ \t]*)({_MARKER})(?=[ \t\r\n]|\Z)")
_TEXT = re.compile(r"\S")
_GOES_ON = re.compile(r"(?:[:;,—–]|\b(?:or|and|oder|und|ou|et))[*_]{0,2}\Z")
_LONE_MARKER = re.compile(rf"\n[ \t]*{_MARKER}[ \t]*\Z")


def _quoted(text: str) -> Iterator[_Mention]:
    """Terms in quotes with a defining verb behind them."""
    position = 0
    while True:
        match = _TERM.search(text, position)
        if not match:
            return
        position = match.start() + 1
        terms = [match]
        verb = _VERB.match(text, match.end())
        while not verb and len(terms) < _MOST_TERMS:
            another = _ANOTHER_TERM.match(text, terms[-1].end())
            if not another:
                break
            terms.append(another)
            verb = _VERB.match(text, another.end())
        if not verb:
            continue
        beginning = _beginning(text, match.start(), of_item=verb[1] is not None)
        if beginning:
            position = verb.end()
            for term in terms:
                yield _Mention(_clean(term[1] or term[2]), *beginning)


def _bold(text: str) -> Iterator[_Mention]:
    """Terms in bold with a defining verb behind them, at the beginning of a paragraph or item."""
    for match in _BOLD_TERM.finditer(text):
        beginning = _beginning(text, match.start(), of_item=True)
        if beginning:
            yield _Mention(_clean(match[1]), *beginning)


def _glossed(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[_Mention]:
    """What paragraphs and items begin with in sections of definitions."""
    for low, high in spans:
        for match in _GLOSSARY_ITEM.finditer(text, low, high):
            term = _clean(next(group for group in match.groups()[1:] if group))
            if term.casefold() in _NO_TERMS:
                continue
            if match["lead"].strip(" \t>") or _opens_paragraph(text, low, match.start()):
                yield _Mention(term, match.start(), match.end("lead"))
        for match in _DEFINITION_LIST.finditer(text, low, high):
            yield _Mention(_clean(match[1]), match.start(), match.start())


def _glossary_spans(text: str, flat: Sequence[FlatSection]) -> list[tuple[int, int]]:
    """The text of sections whose heading speaks of definitions; with what lies within them if it speaks of nothing else."""
    spans: list[tuple[int, int]] = []
    for number, entry in enumerate(flat):
        section = entry.section
        heading = split_heading(section.title)[1]
        if not _DEFINITIONS.search(heading) or (spans and section.char_start < spans[-1][1]):
            continue
        end = section.char_end
        if section.children and not _ONLY_DEFINITIONS.fullmatch(heading):
            end = flat[number + 1].section.char_start
        spans.append((body_start(text, section), end))
    return spans


def _beginning(text: str, place: int, *, of_item: bool) -> tuple[int, int] | None:
    """Where the sentence that defines the term at `place` begins, with and without its marker.

    None where the term stands in the midst of a sentence or, if that is asked for, of an item.
    """
    low = max(0, place - _LOOK_BACK)
    block = _last_end(_PARAGRAPH_OR_ITEM, text, low, place)
    if block is None and low == 0:
        block = 0
    behind = low
    if block is not None:
        lead = _ITEM_LEAD.match(text, block, place)
        behind = lead.end() if lead else block
        if _SENTENCE_LEAD.match(text[behind:place]):
            return block, behind
    if of_item:
        return None
    clause = _last_end(_CLAUSE, text, behind, place)
    ends = [*sentence_ends(text, behind, place)[-1:], *([] if clause is None else [clause])]
    if not ends:
        opens = block is not None and _TERM_LEAD.search(text, behind, place)
        return (block, behind) if opens and block is not None else None
    start = max(ends)
    if not _SENTENCE_LEAD.match(text[start:place]) and not _TERM_LEAD.search(text, start, place):
        return None
    line = text.rfind("\n", 0, start) + 1
    return (line if _CATCH_LINE.match(text, line, start) else start), start


def _last_end(pattern: re.Pattern[str], text: str, low: int, high: int) -> int | None:
    end = None
    for match in pattern.finditer(text, low, high):
        end = match.end()
    return end


def _opens_paragraph(text: str, low: int, start: int) -> bool:
    line = text.rfind("\n", low, max(low, start - 1))
    return not text[line + 1 if line >= 0 else low : start].strip()


def _definition_end(text: str, mention: _Mention, limit: int) -> int:
    """Where the definition ends: with its item or paragraph, and what that goes on with behind a blank line.

    It goes on with paragraphs indented under its item and, after a colon, comma, semicolon or conjunction, with items of
    another kind than its own: the (a), (b), (c) of an item (1).
    """
    own = _ITEM_LINE.match(text, mention.item)
    start = position = mention.start
    while True:
        blank = _BLANK.search(text, position, limit)
        end = blank.start() if blank else limit
        sibling = _sibling(text, position, end, own)
        if sibling is not None:
            end = sibling
            break
        if not blank:
            break
        following = _TEXT.search(text, blank.end(), limit)
        if not following:
            break
        position = text.rfind("\n", 0, following.start()) + 1
        if not _goes_on(text, start, end, position, own):
            break
    whole = text[start:end].rstrip()
    lone = _LONE_MARKER.search(whole, max(0, len(whole) - 20))
    return start + len(whole[: lone.start()].rstrip() if lone else whole)


def _sibling(text: str, low: int, high: int, own: re.Match[str] | None) -> int | None:
    """Where the next item of the same kind begins."""
    if own is None:
        return None
    for item in _ITEM_LINE.finditer(text, low, high):
        if _kind(item[2]) == _kind(own[2]) and len(item[1]) <= len(own[1]) and item.start() > low:
            return item.start()
    return None


def _goes_on(text: str, start: int, end: int, following: int, own: re.Match[str] | None) -> bool:
    if _LONE_MARKER.search(text[max(start, end - 20) : end].rstrip()):
        return True
    item = _ITEM_LINE.match(text, following)
    if own and text.startswith(own[1] + "  ", following):
        return True
    if item is None or (own and _kind(item[2]) == _kind(own[2])):
        return False
    return _GOES_ON.search(text[max(start, end - 12) : end].rstrip()) is not None


def _kind(marker: str) -> str:
    """What markers of one list have in common."""
    return re.sub(r"[a-z]+", "a", re.sub(r"[A-Z]+", "A", re.sub(r"[0-9]+", "1", marker)))


def _clean(term: str) -> str:
    """The term without quotes, markup and punctuation around it, on one line."""
    return " ".join(term.split()).strip(" *_`\"“”„«»'‘’‚,.;:")
