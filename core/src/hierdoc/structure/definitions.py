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
from itertools import chain

from hierdoc.citations import split_heading
from hierdoc.models import Definition, Section
from hierdoc.structure.definition_forms import abbreviations, defined_in_brackets, listed, stated
from hierdoc.structure.definition_places import (
    CLAUSES,
    ITEM_LINE,
    LEADING_ARTICLE,
    MARKER,
    Mention,
    beginning_of,
    cleaned,
    definition_end,
    places_of,
    sentence_around,
)
from hierdoc.structure.definition_scopes import Scopes
from hierdoc.structure.sections import FlatSection, body_start, flatten, is_enumerated
from hierdoc.text.words import words


def find_definitions(text: str, source: str, sections: Sequence[Section]) -> tuple[Definition, ...]:
    """The definitions of a document, in order; each text is a piece of the document's, word for word.

    Args:
        text: The document's text.
        source: Its name.
        sections: Its outermost sections.
    """
    every = flatten(sections)
    flat = [entry for entry in every if not is_enumerated(text, entry.section)]
    starts = [entry.section.char_start for entry in flat]
    headings = [
        start
        for start in starts
        if not (marker := ITEM_LINE.match(text, start)) or _DECIMAL.match(marker[2])
    ]
    glossary = _glossary_spans(text, flat)
    found = {
        (one.start, one.term): one
        for one in chain(
            _quoted(text),
            _named(text),
            _bold(text),
            _parenthesised(text),
            _hereinafter(text),
            _glossed(text, glossary),
            _tabulated(text),
            stated(text),
            listed(text, [start for start in starts if not ITEM_LINE.match(text, start)]),
            defined_in_brackets(text),
            abbreviations(text),
        )
        if any(map(str.isalnum, one.term))
    }
    ordered = sorted([*found.values(), *_headed(text, flat, sorted(found))], key=Mention.place)
    scopes = Scopes(text, every)
    definitions = []
    item = start = end = len(text)  # of the mention behind
    for mention in reversed(ordered):
        place = bisect_right(starts, mention.start)
        section_id = flat[place - 1].section.id if place else None
        low, high = mention.start, mention.end
        if not high:
            if mention.start < start:
                limit = item if item > mention.start else start
                below = bisect_right(headings, mention.start)
                end = definition_end(text, mention, min([limit, *headings[below : below + 1]]))
                item, start = mention.item, mention.start
            low, high = start, end
        scope = scopes.of(mention.term, low, high)
        definitions.append(Definition(mention.term, text[low:high], source, section_id, scope))
    return tuple(reversed(definitions))


def _quoted(text: str) -> Iterator[Mention]:
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
        beginning = beginning_of(text, match.start(), of_item=verb[1] is not None)
        if beginning:
            position = verb.end()
            for term in terms:
                yield Mention(cleaned(term[1] or term[2]), *beginning, verb.end())


def _named(text: str) -> Iterator[Mention]:
    """Terms without quotes that are called so: `The term child means …`."""
    for call in _CALLS:
        for place in places_of(text, call):
            match = _CALLED_TERM.match(text, place + len(call))
            beginning = beginning_of(text, match.start(1), of_item=False) if match else None
            if match and beginning:
                yield Mention(cleaned(match[1]), *beginning)


def _parenthesised(text: str) -> Iterator[Mention]:
    """Names in parentheses behind what they stand for; their text is the sentence."""
    for found in _CLOSING.finditer(text):
        closing = found.start()
        opening = text.rfind("(", max(0, closing - _LONGEST_PARENTHESES), closing)
        if opening <= 0 or not text[opening - 1].isspace() or _VERB.match(text, found.end()):
            continue
        names = _names_within(text, opening, closing)
        if names:
            start, end = sentence_around(text, opening, found.end())
            for name in names:
                yield Mention(name, start, start, end=end)


def _names_within(text: str, opening: int, closing: int) -> list[str]:
    """The names in quotes or bold that parentheses consist of, but for words like `each a` before them; none where they say more."""
    names = []
    behind = opening + 1
    sure = False
    for term in _NAME.finditer(text, opening + 1, closing):
        gap = text[behind : term.start()]
        if gap and not (_INTRODUCED if behind == opening + 1 else _JOINED).match(gap):
            return []
        sure = sure or bool(gap)
        behind = term.end()
        name = LEADING_ARTICLE.sub("", cleaned(next(filter(None, term.groups()))))
        if name[:1].isupper() or (sure and name[:1].isdigit()) or name in _PRONOUN_NAMES:
            names.append(name)
    if text[behind:closing].strip(" *_.,") not in ("", "respectively", "genannt"):
        return []
    if sure or _follows_a_name(text, opening):
        return names
    before = text[max(0, opening - 60) : opening].split()[-1:] or [""]
    word = before[0].strip("*_,.'’”\"[]").rstrip(")")
    is_prose = (
        word.isalpha()
        or (not word.isalpha() and len(word) > 3 and "`" not in word)
        or before[0][-1] in "])"
    )
    return names if is_prose and all(map(_is_capitalised, names)) else []


def _hereinafter(text: str) -> Iterator[Mention]:
    """Names that something is called from there on, in brackets without quotes or between commas: `, im Folgenden „Käufer“ genannt,`."""
    for anchor in _FROM_HERE:
        for place in places_of(text, anchor):
            match = _CALLED.match(text, place + len(anchor))
            if match is None:
                continue
            ahead = text[max(0, place - 3) : place].rstrip(" hHnN\n")
            if not match[1] and ahead[-1:] not in _WORD_ENDS:
                continue
            name = LEADING_ARTICLE.sub("", cleaned(match[1] or match[2]))
            start, end = sentence_around(text, place, match.end())
            if name:
                yield Mention(name, start, start, end=end)


def _is_capitalised(name: str) -> bool:
    """Whether all longer words of a name begin with capitals, as those of `Preferred Stock` do."""
    return all(one[:1].isupper() for one in name.split() if len(one) > 3)


def _follows_a_name(text: str, place: int) -> bool:
    """Whether a name stands before this place: `Acme Corporation ("Acme")`."""
    return _NAME_BEFORE.search(text, max(0, place - 40), place) is not None


def _bold(text: str) -> Iterator[Mention]:
    """Terms in bold with a defining verb behind them, at the beginning of a paragraph or item."""
    for match in _BOLD_TERM.finditer(text):
        beginning = beginning_of(text, match.start(), of_item=True)
        if beginning:
            yield Mention(cleaned(match[1]), *beginning)


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


def _glossed(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[Mention]:
    """What paragraphs and items begin with in sections of definitions."""
    for low, high in spans:
        for match in _PLAIN_TERM.finditer(text, low, high):
            beginning = beginning_of(text, match.start(1), of_item=True)
            if beginning:
                yield Mention(cleaned(match[1]), *beginning)
            elif text[max(low, match.start() - 10) : match.start()].rstrip()[-1:] in _LINE_ENDS:
                yield Mention(cleaned(match[1]), match.start(), match.start(1))
        for match in _GLOSSARY_ITEM.finditer(text, low, high):
            term = cleaned(next(group for group in match.groups()[1:] if group))
            if term.casefold() in _NO_TERMS:
                continue
            if match["lead"].strip(" \t>") or _opens_paragraph(text, low, match.start()):
                yield Mention(term, match.start(), match.end("lead"))
        for match in _DEFINITION_LIST.finditer(text, low, high):
            yield Mention(cleaned(match[1]), match.start(), match.start())


def _headed(
    text: str, flat: Sequence[FlatSection], others: Sequence[tuple[int, str]]
) -> Iterator[Mention]:
    """The headings within sections of definitions, as in standards (`3.2 interested party`), with what stands under them.

    Headings under which `others` are defined only sort these.
    """
    for entry in flat:
        if not _ONLY_DEFINITIONS.fullmatch(split_heading(entry.section.title)[1]):
            continue
        for inner in entry.section.children:
            if is_enumerated(text, inner):
                continue
            named = _HEADED_TERM.match(split_heading(inner.title)[1])
            start, end = inner.char_start, inner.char_end
            if named is None:
                continue
            terms = [term for term in map(cleaned, filter(None, named.groups())) if len(term) > 1]
            if not terms or terms[0].casefold() in _NO_TERMS | _NO_HEADED_TERMS:
                continue
            below = bisect_right(others, (start,))
            sorts = below < len(others) and others[below][0] < end
            if not sorts and text[body_start(text, inner) : end].strip():
                whole = text[start:end].rstrip()
                for term in terms:
                    yield Mention(term, start, start, end=start + len(whole))


def _tabulated(text: str) -> Iterator[Mention]:
    """The rows of tables whose header names a column of terms and one of meanings."""
    for delimiter in places_of(text, "\n|") if "---" in text else ():
        if text[delimiter + 2 : delimiter + 5].strip(" -:|"):
            continue
        header = _TABLE_OF_TERMS.match(text, text.rfind("\n", 0, delimiter) + 1)
        if header is None:
            continue
        position = header.end()
        row = _TABLE_ROW.match(text, position)
        while row:
            term = cleaned(row[1])
            if term and row[2].strip():
                yield Mention(term, row.start(), row.start(), end=row.end())
            row = _TABLE_ROW.match(text, row.end() + 1)


def _opens_paragraph(text: str, low: int, start: int) -> bool:
    line = text.rfind("\n", low, max(low, start - 1))
    return not text[line + 1 if line >= 0 else low : start].strip()


_VERBS = (
    "means|mean|shall means?|will mean|is agreed to mean|are agreed to mean|shall have the|has the(?: same)? meaning|have the(?: same)? meanings?|is defined|are defined"
    "|shall be construed|refers? to|denotes?|bezeichnet|bezeichnen|bedeutet|bedeuten|désigne|désignent|s['’]entend(?:ent)?|signifie"
    "|significa|designa|se refiere a|se entiende|se entenderá|si intende|indica|entende-se|betyder|avses|forstås|wordt verstaan|betekent|tarkoittaa"
    "|tarkoitetaan|înseamnă|означает"
)
_WEAK_VERBS = "includes?|shall include|umfasst|umfassen"
"""Verbs that define only where the term opens a paragraph or item."""

_GLOSSARY_NAMES = (
    "definitions?|glossary|terminology|defined terms|begriffsbestimmung(?:en)?|definition(?:en)?|glossar|définitions?"
    "|glossaire|definiciones|glosario|definizioni|glossario|definições|definities|definitioner|definisjoner|määritelmät"
    "|definiții|определения|interpretation|dictionary|begriffserklärung(?:en)?|begriffserläuterung(?:en)?|interpretación|interpretazione"
)
_DEFINITIONS = re.compile(
    rf"\b(?:{_GLOSSARY_NAMES})\b|\A(?:terms|key terms|begriffe)\W*(?:\Z|(?:und|and)\b)",
    re.IGNORECASE,
)
_ONLY_DEFINITIONS = re.compile(
    rf"(?:[A-Z](?:\.[0-9]+)*)?\W*(?:\w+\s)?(?:(?:terms and|términos y|termes et|begriffe und) )?(?:{_GLOSSARY_NAMES}|begriffe)(?:\s(?:and|of|und|et|y|e|de)\s"
    r"(?:terms|abbreviations|acronyms|symbols|abkürzungen|abréviations|acronymes|abreviaturas|términos|symbole))?\W*|\W*(?:key )?terms\W*",
    re.IGNORECASE,
)
_NO_TERMS = words(
    "definition definitions note notes example examples warning caution important tip hint see source sources where hinweis beispiel anmerkung",
    "remarque exemple nota ejemplo esempio opmerking",
)


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

_GLOSSARY_ITEM = re.compile(
    rf"(?m)^(?P<lead>[ \t>]{{0,12}}(?:{MARKER}[ \t]+)?)(?:"
    r"(?:\*\*|__)([^*\n]{1,100}?):?(?:\*\*|__)[ \t]*[:–—-]?[ \t]*(?=\S)"
    r"|`([^`\n]{1,100})`[ \t]*(?::|[–—-])[ \t]+(?=\S)"
    rf"|(?:(?:An?|The)[ ])?{_QUOTED_TERM}(?=[ \t\n,(])"
    rf"|(?!(?i:{CLAUSES})\b)([^\W\d_][\w/'’()-]{{0,39}}(?:[ \t][\w/'’()-]{{1,39}}){{0,4}}?)(?::|[ \t][–—-])[ \t]+(?=\S))"
)
_DEFINITION_LIST = re.compile(r"(?m)^([^\s:#][^\n]{0,99})\n(?:[ \t]*\n)?:[ \t]+(?=\S)")

_CALLS = (
    "he term ", "he terms ", "he word ", "he expression ", "he phrase ", "er Begriff ", "e terme ", "e mot ", "’expression ",
    "'expression ", "l término ", "a expresión ",
)  # fmt: skip
_CALLED_TERM = re.compile(
    rf"((?!of |in |and |or |to )\w[\w’'-]{{1,39}}(?:[ ][\w’'-]{{1,40}}){{0,4}}?)\s(?:{_VERBS})\b"
)
"""Its words are named without quotes."""

_INTRODUCTION = (
    r"the|an?|each|in\seach\scase|this|such|these|those|any|all|both|together|collectively|individually|jointly|hereinafter|hereafter|herein|in\sthis|also|referred\sto"
    r"|or|im\sFolgenden|im\sfolgenden|nachfolgend|nachstehend|folgend|kurz|ci-après|ci-dessous|en\sadelante|en\slo\ssucesivo|di\sseguito|hierna|doravante|i\sdet\sfølgende|nedan"
)
_CLOSING = re.compile(
    r"\)(?:(?<=[\"”“»’']\))|(?<=\*\*\))|(?<=[\"”“»][.,]\))|(?<=respectively\))|(?<=genannt\)))"
)
_LONGEST_PARENTHESES = 300
_NAME = re.compile(
    r"[*_]{0,3}(?:\"([^\"()]{2,60})\"|“([^”()]{2,60})”|„([^“”()]{2,60})[“”]|«([^»()]{2,60})»|(?<=[a-z,] )[‘']([^’'()]{2,60})[’']|(?<!\w)\*\*([^*()\n]{2,60})\*\*)[*_]{0,3}"
)
_INTRODUCED = re.compile(
    rf"\s*(?:{_INTRODUCTION})\b[^\"“”„«‘]{{0,60}}\s\Z"
    r"|[^\"“”„«‘]{0,200},\s(?:and\s)?(?:(?:each|collectively|together|individually|any)[\s,]{1,2}){0,2}(?:the|an?)\s\Z"
)
_JOINED = re.compile(
    rf"[^\"“”„«‘]{{0,60}}?(?:,|;|/|\b(?:or|and|und|oder|et|ou|y|o|e|{_INTRODUCTION})\b)[^\"“”„«‘]{{0,40}}\Z"
)

_FROM_HERE = ("ereinafter", "ereafter", "im Folgenden", "im folgenden", "achfolgend", "achstehend", "ci-après", "en adelante", "en lo sucesivo")  # fmt: skip
_CALLED = re.compile(
    r"[,:]?\s(?:(?:is|are|sometimes|individually|taken|together|referred\sto(?:\sherein)?|called|termed|known|designated|named|collectively|jointly|dénommée?s?|désignée?s?|appelée?s?|denominad[oa]s?|auch|kurz|gemeinsam|as|the|an?|der|die|das|le|la|les|el|los|las),?\s){0,7}(?:l[’'])?"
    r"(?:[\"“„«*]{1,3}\s?(?:l[’'])?([^\"“”„«»*()\n]{2,60}?)\s?[\"”“»*]{1,3}|([A-ZÄÖÜÉ][\w’'&-]{1,39}(?:\s[A-ZÄÖÜÉ][\w’'&-]{1,39}){0,4}))(?:\s(?:genannt|bezeichnet))?\s?[),;.]"
)
_WORD_ENDS = frozenset("(,")
_PRONOUN_NAMES = words("you your we us our You Your We Us Our")
"""What parties of a contract are called in the place of a name."""

_NAME_BEFORE = re.compile(
    r"(?:[A-ZÄÖÜ][\w.&’'-]*[,.]?|\b(?:corporation|company|partnership|association|cooperative|trust|bank|agency|authority|individual"
    r"|person|university|municipality|foundation|society|Gesellschaft|société),?)\s(?:[A-Z][\w.&’'-]*[,.]?\s)*\Z"
)
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
    rf"(?m)^[ \t>]{{0,12}}(?:{MARKER}[ \t]+)?((?!(?i:{_PRONOUNS}|{CLAUSES})\b)[^\W\d_][\w/’'-]{{0,39}}(?:[ ][\w/’'()-]{{1,39}}){{0,5}}?)(?:,[^.;:\n]{{1,80}},)?\s(?:{_VERBS})\b"
)
"""A term that opens a paragraph of a section of definitions, with its verb."""

_LINE_ENDS = frozenset(".:;")

_HEADED_TERM = re.compile(
    r"(?:[A-Z](?:\.[0-9]{1,3}){1,4}\.?\s)?([^()<]{1,100}?)(?:\s\(([A-Z][\w&/-]{1,9})\))?(?:\s\([^()]{1,60}\)|\s?<[^>]{0,200}>){0,2}\s*\Z"
)
_NO_HEADED_TERMS = words(
    "general generally scope overview introduction purpose application applicability interpretation construction background references abbreviations acronyms terms requirements",
    "allgemeines geltungsbereich anwendungsbereich einleitung abkürzungen généralités objet champ introduction abréviations generalidades objeto ámbito introducción abreviaturas",
)
