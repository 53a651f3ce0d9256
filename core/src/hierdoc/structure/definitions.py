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
from collections.abc import Collection, Iterator, Sequence
from itertools import chain

from hierdoc.citations import split_heading
from hierdoc.models import Definition, Section
from hierdoc.structure.definition_brackets import in_brackets
from hierdoc.structure.definition_places import (
    ASIDE,
    CLAUSES,
    ITEM_LINE,
    MARKER,
    VERB,
    VERB_IN_ITEM,
    VERBS,
    WEAK_VERBS,
    Mention,
    beginning_of,
    cleaned,
    definition_end,
    languages_in,
    places_of,
    places_of_any,
)
from hierdoc.structure.definition_scopes import Scopes
from hierdoc.structure.definition_sentences import listed, stated
from hierdoc.structure.sections import FlatSection, body_start, flatten, is_enumerated
from hierdoc.text.words import words

LONGEST_DEFINITION = 100_000
"""Characters of a definition; the chunk in which it begins holds it whole."""


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
    markers = [ITEM_LINE.match(text, start) for start in starts]
    unmarked = [start for start, marker in zip(starts, markers, strict=True) if not marker]
    headings = [
        start
        for start, marker in zip(starts, markers, strict=True)
        if not marker or _DECIMAL.match(marker[2])
    ]
    titled = _titled_like_definitions(flat)
    glossary = _glossary_spans(text, flat, titled)
    languages = languages_in(text)
    found = {
        (one.start, one.term): one
        for one in chain(
            _quoted(text),
            _named(text, languages),
            _bold(text),
            _glossed(text, glossary),
            _tabulated(text),
            stated(text, languages),
            listed(text, unmarked, languages),
            in_brackets(text, languages),
        )
        if any(map(str.isalnum, one.term))
    }
    ordered = sorted(
        [*found.values(), *_headed(text, [flat[number] for number in titled], sorted(found))],
        key=Mention.place,
    )
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
        high = min(high, low + LONGEST_DEFINITION)
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
        verb = VERB.match(text, match.end())
        while not verb and len(terms) < _MOST_TERMS:
            another = _ANOTHER_TERM.match(text, terms[-1].end())
            if not another:
                break
            terms.append(another)
            verb = VERB.match(text, another.end())
        verb = verb or VERB_IN_ITEM.match(text, terms[-1].end())
        if not verb:
            continue
        called = _CALLED_SO.search(text, max(0, match.start() - _LONGEST_CALL), match.start())
        weak = verb.re is VERB and verb[1] is not None and not called
        beginning = beginning_of(text, match.start(), of_item=weak)
        if beginning:
            position = verb.end()
            for term in terms:
                yield Mention(cleaned(term[1] or term[2]), *beginning, verb.end())


def _named(text: str, languages: Collection[str]) -> Iterator[Mention]:
    """Terms without quotes that are called so: `The term child means …`."""
    calls = tuple(call for language, call in _CALLS if language in languages)
    for place, call in places_of_any(text, calls):
        match = _CALLED_TERM.match(text, place + len(call))
        beginning = beginning_of(text, match.start(1), of_item=False) if match else None
        if match and beginning:
            yield Mention(cleaned(match[1]), *beginning)


def _bold(text: str) -> Iterator[Mention]:
    """Terms in bold with a defining verb behind them, at the beginning of a paragraph or item."""
    for match in _BOLD_TERM.finditer(text):
        beginning = beginning_of(text, match.start(), of_item=True)
        if beginning:
            yield Mention(cleaned(match[1]), *beginning)


def _titled_like_definitions(flat: Sequence[FlatSection]) -> list[int]:
    """The sections whose titles hold a part of a word for definitions: all others are dismissed at one look."""
    titles = [entry.section.title.lower() for entry in flat]
    together = "\n".join(titles)
    parts = [part for part in _PARTS_OF_GLOSSARY_NAMES if part in together]
    return [number for number, title in enumerate(titles) if any(part in title for part in parts)]


def _glossary_spans(
    text: str, flat: Sequence[FlatSection], titled: Sequence[int]
) -> list[tuple[int, int]]:
    """The text of sections whose heading speaks of definitions; with what lies within them if it speaks of nothing else."""
    spans: list[tuple[int, int]] = []
    for number in titled:
        section = flat[number].section
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
            is_number = (
                match[2] and split_heading(term)[0] is not None
            )  # `**1.1** The contractor …`
            if is_number or term.casefold() in _NO_TERMS:
                continue
            if match["lead"].strip(" \t>") or _opens_paragraph(text, low, match.start()):
                short = _SHORT_FORM.match(text, match.end()) or _SHORT_FORM.search(match[0])
                term = term.removesuffix(f" ({short[1]})") if short else term
                for one in (term, short[1]) if short else (term,):
                    yield Mention(one, match.start(), match.end("lead"))
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


_GLOSSARY_NAMES = (
    "definitions?|glossary|terminology|defined terms|begriffsbestimmung(?:en)?|definition(?:en)?|glossar|définitions?"
    "|glossaire|definiciones|glosario|definizioni|glossario|definições|definities|definitioner|definisjoner|määritelmät"
    "|definiții|определения|interpretation|dictionary|begriffserklärung(?:en)?|begriffserläuterung(?:en)?|interpretación|interpretazione"
)
_PARTS_OF_GLOSSARY_NAMES = ("def", "déf", "glo", "term", "onary", "begr", "määr", "опред", "terp")
"""One of them is in each of these names, and in `key terms`; none has a letter whose case may be written in several ways."""


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
_TERM = re.compile(_QUOTED_TERM)
_CALLED_SO = re.compile(r"\b[Tt]he\s(?:terms?|words?|expressions?|phrases?)\s\Z")
_LONGEST_CALL = 20
_ANOTHER_TERM = re.compile(
    r"\s{0,2},?\s{0,2}(?:(?:or|and|oder|und|ou|et|o|y|e)\s{1,2})?" + _QUOTED_TERM
)
_BOLD_TERM = re.compile(
    rf"\*(?<![*\\\w]\*)\*{{0,2}}(?=[^\s*])([^*\n]{{1,80}})\*{{1,3}}{ASIDE}(?:{VERBS}|{WEAK_VERBS})\b",
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
_SHORT_FORM = re.compile(r"\s?\(([A-Z][\w&/-]{1,11})\)")
_DEFINITION_LIST = re.compile(r"(?m)^([^\s:#][^\n]{0,99})\n(?:[ \t]*\n)?:[ \t]+(?=\S)")

_CALLS = (
    ("en", "he term "), ("en", "he terms "), ("en", "he word "), ("en", "he expression "), ("en", "he phrase "),
    ("de", "er Begriff "), ("fr", "e terme "), ("fr", "e mot "), ("fr", "’expression "), ("fr", "'expression "),
    ("es", "l término "), ("es", "a expresión "),
)  # fmt: skip
_CALLED_TERM = re.compile(
    rf"((?!of |in |and |or |to )\w[\w’'-]{{1,39}}(?:[ ][\w’'-]{{1,40}}){{0,4}}?)\s(?:{VERBS})\b"
)
"""Its words are named without quotes."""

_TABLE_OF_TERMS = re.compile(
    r"[ \t]*\|?[ \t*_]*(?:(?:defined |key )?terms?|abbreviations?|acronyms?|words?|expressions?|begriffe?|abkürzung|ausdruck|terme|término|termine|termo|begrip)[ \t*_]*"
    r"\|[ \t*_]*(?:definitions?|meanings?|descriptions?|explanation|stands for|expansion|bedeutung|definition|erläuterung|erklärung|beschreibung|définition|signification"
    r"|definición|significado|definizione|significato|definição|betekenis)[ \t*_]*(?:\|[^\n]*)?\n[ \t]*\|?[ \t:|-]+\n",
    re.IGNORECASE,
)
_TABLE_ROW = re.compile(r"[ \t]*\|?[ \t]*([^|\n]{1,120}?)[ \t]*\|([^\n]*)")

_PRONOUNS = (
    "the following|following|it|this|that|these|those|they|he|she|we|which|what|who|nothing|if|where|references?|words|singular|es|dies|diese[rs]?|sie|er|als|"
    "il|elle|on|ce|cette|esto|este|esta|se|questo|si|det|den|het|dit|tässä|tällä|denna|denne"
)
_PLAIN_TERM = re.compile(
    rf"(?m)^[ \t>]{{0,12}}(?:{MARKER}[ \t]+)?((?!(?i:{_PRONOUNS}|{CLAUSES})\b)[^\W\d_][\w/’'-]{{0,39}}(?:[ ][\w/’'()-]{{1,39}}){{0,5}}?)(?:,[^.;:\n]{{1,80}},)?\s(?:{VERBS})\b"
)
"""A term that opens a paragraph of a section of definitions, with its verb."""

_LINE_ENDS = frozenset(".:;")

_HEADED_TERM = re.compile(
    r"(?:[A-Z](?:\.[0-9]{1,3}){1,4}\.?\s)?([^()<]{1,100}?)(?:\s\(([A-Z][\w&/-]{1,9})\))?(?:\s\([^()]{1,60}\)|\s?<[^>]{0,200}>){0,2}\s*\Z"
)
_NO_HEADED_TERMS = words(
    "general generally scope overview introduction purpose application applicability interpretation construction background references abbreviations acronyms terms requirements",
    "allgemeines geltungsbereich anwendungsbereich einleitung abkürzungen généralités objet champ introduction abréviations generalidades objeto ámbito introducción abreviaturas",
) | {
    "defined terms", "certain defined terms", "terms generally", "accounting terms", "rules of construction", "rules of interpretation",
    "other definitional provisions", "construction of terms", "use of defined terms",
}  # fmt: skip
