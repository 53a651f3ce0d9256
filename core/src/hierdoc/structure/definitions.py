"""Defined terms: where a document says what its words mean, and where that text ends.

Anywhere in a document a term in quotes or bold counts where a sentence or list item begins with it and a defining verb
follows (`‘personal data’ means …`, `The term "child" means …`, `„Daten“ bezeichnet …`), a name in parentheses behind what it
stands for (`Acme Corporation (the "Company")`, `(im Folgenden „Verkäufer“)`), and tables of terms. In sections that are headed
as definitions, interpretation or a glossary also what their items begin with: `- **epoch**: …`, `„Daten“ alle …`,
`Business Day means …`, definition lists.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from hierdoc.citations import split_heading
from hierdoc.models import Definition, Section
from hierdoc.structure.sections import FlatSection, body_start, flatten, is_enumerated
from hierdoc.text.language import sentence_ends
from hierdoc.text.words import words


def find_definitions(text: str, source: str, sections: Sequence[Section]) -> tuple[Definition, ...]:
    """The definitions of a document, in order; each text is a piece of the document's, word for word.

    Args:
        text: The document's text.
        source: Its name.
        sections: Its outermost sections.
    """
    flat = [entry for entry in flatten(sections) if not is_enumerated(text, entry.section)]
    starts = [entry.section.char_start for entry in flat]
    headings = [
        start
        for start in starts
        if not (marker := _ITEM_LINE.match(text, start)) or _DECIMAL.match(marker[2])
    ]
    glossary = _glossary_spans(text, flat)
    found = {
        (one.start, one.term): one
        for one in chain(
            _quoted(text),
            _named(text),
            _bold(text),
            _parenthesised(text),
            _glossed(text, glossary),
            _tabulated(text),
        )
        if any(map(str.isalnum, one.term))
    }
    ordered = sorted([*found.values(), *_headed(text, flat, sorted(found))], key=_Mention.place)
    definitions = []
    item = start = end = len(text)  # of the mention behind
    for mention in reversed(ordered):
        place = bisect_right(starts, mention.start)
        section_id = flat[place - 1].section.id if place else None
        if mention.end:
            definitions.append(
                Definition(mention.term, text[mention.start : mention.end], source, section_id)
            )
            continue
        if mention.start < start:
            limit = item if item > mention.start else start
            below = bisect_right(headings, mention.start)
            end = _definition_end(text, mention, min([limit, *headings[below : below + 1]]))
            item, start = mention.item, mention.start
        definitions.append(Definition(mention.term, text[start:end], source, section_id))
    return tuple(reversed(definitions))


@dataclass(frozen=True, slots=True)
class _Mention:
    """A term, where the item or sentence that defines it begins, and where its text begins behind the item's marker.

    `verb` is where the text surely goes on to. Where the end of the text is known, `end` says so; it is 0 elsewhere.
    """

    term: str
    item: int
    start: int
    verb: int = 0
    end: int = 0

    def place(self) -> tuple[int, str]:
        """What mentions are ordered by."""
        return self.start, self.term


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
        beginning = _beginning_of(text, match.start(), of_item=verb[1] is not None)
        if beginning:
            position = verb.end()
            for term in terms:
                yield _Mention(_cleaned(term[1] or term[2]), *beginning, verb.end())


def _named(text: str) -> Iterator[_Mention]:
    """Terms without quotes that are called so: `The term child means …`."""
    for call in _CALLS:
        for place in _places_of(text, call):
            match = _CALLED_TERM.match(text, place + len(call))
            beginning = _beginning_of(text, match.start(1), of_item=False) if match else None
            if match and beginning:
                yield _Mention(_cleaned(match[1]), *beginning)


def _parenthesised(text: str) -> Iterator[_Mention]:
    """Names in parentheses behind what they stand for; their text is the sentence."""
    for found in _CLOSING.finditer(text):
        closing = found.start() - (2 if text[found.start() - 1] == "*" else 1)
        opening = text.rfind("(", max(0, closing - _LONGEST_PARENTHESES), closing)
        match = (
            _PARENTHESES.match(text, opening)
            if opening > 0 and text[opening - 1].isspace()
            else None
        )
        if match is None or not (match["lead"] or _follows_a_name(text, opening)):
            continue
        terms = [term[1] or term[2] for term in _TERM.finditer(match[0])]
        if not terms or _VERB.match(text, match.end()):
            continue
        start, end = _sentence_around(text, match.start(), match.end())
        for term in terms:
            name = _cleaned(term)
            if name[:1].isupper():
                yield _Mention(name, start, start, end=end)


def _follows_a_name(text: str, place: int) -> bool:
    """Whether a name stands before this place: `Acme Corporation ("Acme")`."""
    return _NAME_BEFORE.search(text, max(0, place - 40), place) is not None


def _sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    """The sentence that holds a span, at most some hundred characters to either side."""
    low, high = max(0, start - _LONGEST_SENTENCE), min(len(text), end + _LONGEST_SENTENCE)
    block = _last_end(_PARAGRAPH_OR_ITEM, text, low, start)
    if block is not None:
        lead = _ITEM_LEAD.match(text, block, start)
        low = lead.end() if lead else block
    elif low:
        low = text.find(" ", low, start) + 1 or low
    low = max([low, *sentence_ends(text, low, start)[-1:]])
    blank = _BLANK.search(text, end, high)
    high = blank.start() if blank else high
    high = min([high, *sentence_ends(text, end, high)[:1]])
    item = _ITEM_LINE.search(text, end, high)
    whole = text[low : item.start() if item else high]
    return low + len(whole) - len(whole.lstrip()), low + len(whole.rstrip())


def _bold(text: str) -> Iterator[_Mention]:
    """Terms in bold with a defining verb behind them, at the beginning of a paragraph or item."""
    for match in _BOLD_TERM.finditer(text):
        beginning = _beginning_of(text, match.start(), of_item=True)
        if beginning:
            yield _Mention(_cleaned(match[1]), *beginning)


def _definition_end(text: str, mention: _Mention, limit: int) -> int:
    """Where the definition ends: with its item or paragraph, and what that goes on with behind a blank line.

    It goes on with paragraphs indented under its item and, after a colon, comma, semicolon or conjunction, with items of
    another kind than its own: the (a), (b), (c) of an item (1).
    """
    own = _ITEM_LINE.match(text, mention.item)
    start = mention.start
    position = max(start, mention.verb)
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
        if _EXCEPTION.match(text, item.end()):
            continue
        if _kind(item[2]) == _kind(own[2]) and len(item[1]) <= len(own[1]) and item.start() > low:
            return item.start()
    return None


def _goes_on(text: str, start: int, end: int, following: int, own: re.Match[str] | None) -> bool:
    if _LONE_MARKER.search(text[max(start, end - 20) : end].rstrip()):
        return True
    item = _ITEM_LINE.match(text, following)
    if own and text.startswith(own[1] + "  ", following):
        return True
    if _EXCEPTION.match(text, item.end() if item else following):
        return True
    if item is None and _is_cut_off(text, start, end, following):
        return True
    if item is None or (own and _kind(item[2]) == _kind(own[2])):
        return False
    return _GOES_ON.search(text[max(start, end - 12) : end].rstrip()) is not None


def _is_cut_off(text: str, start: int, end: int, following: int) -> bool:
    """Whether a sentence goes on behind a blank line, as where a page ends: nothing closes it, and no heading follows."""
    if _ENDS.search(text[max(start, end - 8) : end].rstrip()):
        return False
    begins = text[following : following + 1]
    line = end - max(start, text.rfind("\n", start, end))
    return (line >= _FULL_LINE // 2 and begins.islower()) or (
        line >= _FULL_LINE and (begins.isalnum() or begins in "'‘“\"(")
    )


def _kind(marker: str) -> str:
    """What markers of one list have in common."""
    return re.sub(r"[a-z]+", "a", re.sub(r"[A-Z]+", "A", re.sub(r"[0-9]+", "1", marker)))


def _glossary_spans(text: str, flat: Sequence[FlatSection]) -> list[tuple[int, int]]:
    """The text of sections whose heading speaks of definitions; with what lies within them if it speaks of nothing else."""
    spans: list[tuple[int, int]] = []
    for number, entry in enumerate(flat):
        section = entry.section
        if not _DEFINITIONS.search(section.title) and not section.title[
            -9:
        ].lower().rstrip().endswith(("terms", "begriffe")):
            continue
        heading = split_heading(section.title)[1]
        if not _DEFINITIONS.search(heading) or (spans and section.char_start < spans[-1][1]):
            continue
        end = section.char_end
        if not _ONLY_DEFINITIONS.fullmatch(heading) and number + 1 < len(flat):
            end = min(end, flat[number + 1].section.char_start)
        spans.append((body_start(text, section), end))
    return spans


def _glossed(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[_Mention]:
    """What paragraphs and items begin with in sections of definitions."""
    for low, high in spans:
        for match in _PLAIN_TERM.finditer(text, low, high):
            beginning = _beginning_of(text, match.start(1), of_item=True)
            if beginning:
                yield _Mention(_cleaned(match[1]), *beginning)
            elif text[max(low, match.start() - 10) : match.start()].rstrip()[-1:] in _LINE_ENDS:
                yield _Mention(_cleaned(match[1]), match.start(), match.start(1))
        for match in _GLOSSARY_ITEM.finditer(text, low, high):
            term = _cleaned(next(group for group in match.groups()[1:] if group))
            if term.casefold() in _NO_TERMS:
                continue
            if match["lead"].strip(" \t>") or _opens_paragraph(text, low, match.start()):
                yield _Mention(term, match.start(), match.end("lead"))
        for match in _DEFINITION_LIST.finditer(text, low, high):
            yield _Mention(_cleaned(match[1]), match.start(), match.start())


def _headed(
    text: str, flat: Sequence[FlatSection], others: Sequence[tuple[int, str]]
) -> Iterator[_Mention]:
    """The headings within sections of definitions, as in standards (`3.2 interested party`), with what stands under them.

    Headings under which `others` are defined only sort these.
    """
    for entry in flat:
        if not _ONLY_DEFINITIONS.fullmatch(split_heading(entry.section.title)[1]):
            continue
        for inner in entry.section.children:
            if is_enumerated(text, inner):
                continue
            key, name = split_heading(inner.title)
            term = _cleaned(_NOTE_BEHIND_TERM.sub("", name))
            start, end = inner.char_start, inner.char_end
            lead = name.lstrip(_BEFORE_TERM)[:1]
            if (key and not lead.islower()) or len(term) < 2 or term.casefold() in _NO_TERMS:
                continue
            below = bisect_right(others, (start,))
            sorts = below < len(others) and others[below][0] < end
            if not sorts and text[body_start(text, inner) : end].strip():
                whole = text[start:end].rstrip()
                yield _Mention(term, start, start, end=start + len(whole))


def _tabulated(text: str) -> Iterator[_Mention]:
    """The rows of tables whose header names a column of terms and one of meanings."""
    for delimiter in _places_of(text, "\n|") if "---" in text else ():
        if text[delimiter + 2 : delimiter + 5].strip(" -:|"):
            continue
        header = _TABLE_OF_TERMS.match(text, text.rfind("\n", 0, delimiter) + 1)
        if header is None:
            continue
        position = header.end()
        row = _TABLE_ROW.match(text, position)
        while row:
            term = _cleaned(row[1])
            if term and row[2].strip():
                yield _Mention(term, row.start(), row.start(), end=row.end())
            row = _TABLE_ROW.match(text, row.end() + 1)


def _opens_paragraph(text: str, low: int, start: int) -> bool:
    line = text.rfind("\n", low, max(low, start - 1))
    return not text[line + 1 if line >= 0 else low : start].strip()


def _beginning_of(text: str, place: int, *, of_item: bool) -> tuple[int, int] | None:
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


def _places_of(text: str, piece: str) -> Iterator[int]:
    """Where a piece of text stands: many times as fast as a regular expression."""
    place = text.find(piece)
    while place >= 0:
        yield place
        place = text.find(piece, place + 1)


def _last_end(pattern: re.Pattern[str], text: str, low: int, high: int) -> int | None:
    """Where the last match of a pattern between two places ends."""
    end = None
    for match in pattern.finditer(text, low, high):
        end = match.end()
    return end


def _cleaned(term: str) -> str:
    """The term without quotes, markup and punctuation around it, on one line."""
    return " ".join(term.split()).strip(" *_`\"“”„«»'‘’‚,.;:")


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
    "|definiții|определения|interpretation|dictionary|begriffserklärung(?:en)?|begriffserläuterung(?:en)?|interpretación|interpretazione"
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


_MARKER = (
    r"(?:[-*+•]|\(?[0-9]{1,4}[.)]|[0-9]{1,3}(?:\.[0-9]{1,3}){1,5}\.?|\(?[a-zA-Z]{1,5}\)|[a-zA-Z]\.)"
)
"""What stands before a list item."""

_DECIMAL = re.compile(r"[0-9]+\.[0-9]")
"""A marker that may also number a section."""

_QUOTED_TERM = (
    r"[\"“”„«'‘‚](?:(?<=[\"“”„«])([^\"“”„«»]{1,120})[\"“”»]"
    r"|(?<=['‘‚])(?<!\w['‘‚])['‘]?((?!\s)[^'’‘“”\"]{1,100}(?:['’](?=\w)[^'’‘“”\"]{1,60}){0,3})['’‘]{1,2}(?!\w))"
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
    rf"\*(?<![*\\\w]\*)\*{{0,2}}(?=[^\s*])([^*\n]{{1,80}})\*{{1,3}}{_ASIDE}(?:{_VERBS}|{_WEAK_VERBS})\b",
    re.IGNORECASE,
)
_MOST_TERMS = 8

_LOOK_BACK = 240
"""Characters before a term within which its sentence begins."""

_PARAGRAPH_OR_ITEM = re.compile(
    rf"\n[ \t\r]*\n|\n(?=[ \t>|]*{_MARKER}[ \t\n])|(?m:^) {{0,3}}#{{1,6}}[ \t][^\n]*\n"
)
_CLAUSE = re.compile(r"[:;][\"”’»)*_]{0,3}\s+|[—–]\s*")
_ITEM_LEAD = re.compile(rf"[ \t>|\n\r]*(?:{_MARKER}(?:[ \t]+|[ \t\r]*\n[ \t]*))*")
_SENTENCE_LEAD = re.compile(
    rf"(?:(?:{_CLAUSES})\b[^.;:\"“”]{{0,140}},\s+)?(?:(?:the|an?|der|die|das|eine?|le|la|une?|el|una|il|uno)\s+)?(?:(?:{_TERM_WORDS})\s+)?[*_]{{0,3}}\Z",
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
    rf"|(?:(?:An?|The)[ ])?{_QUOTED_TERM}(?=[ \t\n,(])"
    rf"|(?!(?i:{_CLAUSES})\b)([^\W\d_][\w/'’()-]{{0,39}}(?:[ \t][\w/'’()-]{{1,39}}){{0,4}}?)(?::|[ \t][–—-])[ \t]+(?=\S))"
)
_DEFINITION_LIST = re.compile(r"(?m)^([^\s:#][^\n]{0,99})\n(?:[ \t]*\n)?:[ \t]+(?=\S)")

_BLANK = re.compile(r"\n[ \t\r]*(?:\n|\Z)")
_ITEM_LINE = re.compile(rf"(?m)^([ \t]*)({_MARKER})(?=[ \t\r\n]|\Z)")
_TEXT = re.compile(r"\S")
_GOES_ON = re.compile(r"(?:[:;,—–]|\b(?:or|and|oder|und|ou|et))[*_]{0,2}\Z")
_LONE_MARKER = re.compile(rf"\n[ \t]*{_MARKER}[ \t]*\Z")

_CALLS = ("he term ", "he terms ", "he word ", "he expression ", "he phrase ")
_CALLED_TERM = re.compile(
    rf"((?!of |in |and |or |to )\w[\w’'-]{{1,39}}(?:[ ][\w’'-]{{1,40}}){{0,4}}?)\s(?:{_VERBS})\b"
)
"""Its words are named without quotes."""

_INTRODUCTION = (
    r"the|an?|each|this|such|these|those|any|all|both|together|collectively|individually|jointly|hereinafter|hereafter|herein|in\sthis|also|referred\sto"
    r"|or|im\sFolgenden|im\sfolgenden|nachfolgend|nachstehend|folgend|kurz|ci-après|ci-dessous|en\sadelante|en\slo\ssucesivo|di\sseguito|hierna|doravante|i\sdet\sfølgende|nedan"
)
_CLOSING = re.compile(r"\)(?:(?<=[\"”“»’']\))|(?<=\*\*\)))")
_LONGEST_PARENTHESES = 200
_PARENTHESES = re.compile(
    rf"\((?:(?P<lead>{_INTRODUCTION})\b[^()\"“”„«\n‘]{{0,60}})?[*_]{{0,3}}"
    r"(?:\"[^\"\n()]{2,60}\"|“[^”\n()]{2,60}”|„[^“”\n()]{2,60}[“”]|«[^»\n()]{2,60}»|(?<=[a-z,] )‘[^’\n()]{2,60}’|(?<=[a-z,] )'[^'\n()]{2,60}')"
    r"(?:[^()\n]{0,60}?(?:or|and|und|oder|et|ou|y|o|e)\s(?:[a-z]+\s){0,2}[\"“„«][^\"“”»\n()]{2,60}[\"“”»])*[*_]{0,3}[^()\n\"“”]{0,40}\)"
)
_NAME_BEFORE = re.compile(
    r"(?:[A-ZÄÖÜ][\w.&’'-]*[,.]?|\b(?:corporation|company|partnership|association|cooperative|trust|bank|agency|authority|individual"
    r"|person|university|municipality|foundation|society|Gesellschaft|société),?)\s(?:[A-Z][\w.&’'-]*[,.]?\s)*\Z"
)
_LONGEST_SENTENCE = 1_000

_TABLE_OF_TERMS = re.compile(
    r"[ \t]*\|?[ \t*_]*(?:(?:defined |key )?terms?|abbreviations?|acronyms?|words?|expressions?|begriffe?|abkürzung|ausdruck|terme|término|termine|termo|begrip)[ \t*_]*"
    r"\|[ \t*_]*(?:definitions?|meanings?|descriptions?|explanation|stands for|expansion|bedeutung|definition|erläuterung|erklärung|beschreibung|définition|signification"
    r"|definición|significado|definizione|significato|definição|betekenis)[ \t*_]*(?:\|[^\n]*)?\n[ \t]*\|?[ \t:|-]+\n",
    re.IGNORECASE,
)
_TABLE_ROW = re.compile(r"[ \t]*\|?[ \t]*([^|\n]{1,120}?)[ \t]*\|([^\n]*)")

_PRONOUNS = (
    "it|this|that|these|those|they|he|she|we|which|what|who|nothing|if|where|references?|words|singular|es|dies|diese[rs]?|sie|er|als|"
    "il|elle|on|ce|cette|esto|este|esta|se|questo|si|det|den|het|dit"
)
_PLAIN_TERM = re.compile(
    rf"(?m)^[ \t>]{{0,12}}(?:{_MARKER}[ \t]+)?((?!(?i:{_PRONOUNS}|{_CLAUSES})\b)[^\W\d_][\w/’'-]{{0,39}}(?:[ ][\w/’'()-]{{1,39}}){{0,5}}?)(?:,[^.;:\n]{{1,80}},)?\s(?:{_VERBS})\b"
)
"""A term that opens a paragraph of a section of definitions, with its verb."""

_EXCEPTION = re.compile(
    r"\s*(?:[A-Z][A-Za-z ]{2,40}\.(?:—|–|--?)\s*)?(?:(?:The|Such|This|That|These)\s(?:terms?|expression|definition|word|phrase)(?:\s[\"“‘'][^\"”’'\n]{1,80}[\"”’']{1,2})?|It)\s"
    r"(?:does|do|shall|also|may|is|will)\s(?:not\s|also\s)?(?:be\s)?(?:includes?|extends?|appl(?:y|ies)|limited)\b"
    r"|\s*(?:EXCEPTIONS?|EXCLUSIONS?|INCLUSIONS?|SPECIAL RULES?|LIMITATIONS?)\.?(?:—|–|--?)",
)
"""What belongs to the definition before it: `The term does not include …`."""

_ENDS = re.compile(r"[.;:!?”\"»’…—–|][)\]*_]{0,3}\Z")
_FULL_LINE = 60
"""Characters of a line that ends because it is full."""
_LINE_ENDS = frozenset(".:;")
_BEFORE_TERM = " *_`'\"“‘„«"
_NOTE_BEHIND_TERM = re.compile(r"\s\((?:[a-z]+ )?terms?\)|\s<[^>]*>")
