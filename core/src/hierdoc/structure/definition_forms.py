"""The sentences in which laws define terms without quotes, and the abbreviations that stand in brackets, by language.

`SENTENCES` are data: each says what piece of text to look for, what stands before it in its sentence, and what behind. To teach
a language another way of defining, add a row. `LISTS` are what leads to a list of terms: `on entend par :`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hierdoc.structure.definition_places import (
    ITEM_LINE,
    LEADING_ARTICLE,
    MARKER,
    Mention,
    cleaned,
    marker_kind,
    places_of,
    sentence_around,
)
from hierdoc.text.language import detect_language
from hierdoc.text.words import words


@dataclass(frozen=True, slots=True)
class Sentence:
    """One way of defining a term in a sentence; the group `term` of either pattern is the term.

    Attributes:
        language: Its code.
        anchors: Pieces of text, one of which is in each such sentence.
        before: What stands between the beginning of the sentence and the anchor.
        behind: What stands from the anchor on.
        accepts: Whether a term may be one; looks at the term and the text behind what matched.
    """

    language: str
    anchors: tuple[str, ...]
    before: re.Pattern[str]
    behind: re.Pattern[str]
    accepts: Callable[[str, str], bool]


def stated(text: str) -> Iterator[Mention]:
    """Terms that a sentence defines in one of the ways of `SENTENCES`."""
    languages = languages_in(text)
    for form in SENTENCES:
        for anchor in form.anchors if form.language in languages else ():
            for place in places_of(text, anchor):
                behind = form.behind.match(text, place)
                begins = sentence_begin(text, place) if behind else None
                if behind is None or begins is None:
                    continue
                before = form.before.fullmatch(text, begins, place)
                if before is None:
                    continue
                groups = (*before.groupdict().values(), *behind.groupdict().values())
                term = cleaned(next(filter(None, groups), ""))
                rest = text[behind.end() : behind.end() + _REST]
                if len(term) > 1 and form.accepts(term, rest):
                    end = sentence_around(text, place, behind.end())[1]
                    closed = text[end - 1] in _CLOSED
                    name = LEADING_ARTICLE.sub("", term)
                    yield Mention(name, begins, begins, behind.end(), end if closed else 0)


def listed(text: str, headings: list[int]) -> Iterator[Mention]:
    """The items of lists that `LISTS` leads to, in their section: those of the first one's kind, as far as they count on."""
    languages = languages_in(text)
    for language, anchor, lead in LISTS:
        for place in places_of(text, anchor) if language in languages else ():
            introduction = lead.match(text, place)
            if introduction:
                yield from _items(text, introduction.end(), _next(headings, place, len(text)))


def abbreviations(text: str) -> Iterator[Mention]:
    """Abbreviations in brackets behind what they are short for: `Authenticator Assurance Level (AAL)`."""
    found: set[str] = set()
    for match in _ABBREVIATION.finditer(text):
        name = match[1]
        if name in found or not stands_for(
            name, text[max(0, match.start() - _LONG_FORM) : match.start()]
        ):
            continue
        line = text.rfind("\n", 0, match.start()) + 1
        if text[line : line + 1] in _NO_PROSE:
            continue
        found.add(name)
        start, end = sentence_around(text, match.start(), match.end())
        yield Mention(name, start, start, end=end)


def stands_for(name: str, before: str) -> bool:
    """Whether the words before an abbreviation begin with its letters, in order, and the first of them with its first.

    Function words and parts of compounds (`time-based`) may be left out.
    """
    letters = [one.casefold() for one in name if one.isalpha()]
    line = re.split(r"[.;:!?|()\[\]]\s|\n\s*\n", before)[-1]
    parts = [part for part in _PARTS.findall(line) if part]
    place = len(parts)
    skipped = 0
    for letter in reversed(letters):
        while True:
            place -= 1
            if place < 0 or skipped > 2 * len(letters):
                return False
            part = parts[place]
            if part[:1].casefold() == letter:
                break
            if part.casefold() not in _SMALL_WORDS and not _is_joined(line, part):
                return False
            skipped += 1
    first = parts[place]
    return first.casefold() not in _SMALL_WORDS or first[:1].isupper()


def sentence_begin(text: str, place: int) -> int | None:
    """Where the sentence or item begins that goes on at a place, behind its marker; None where that is too far off."""
    low = max(0, place - _LONGEST_BEGINNING)
    start = 0 if low == 0 else -1
    for ending in _ENDINGS:
        found = text.rfind(ending, low, place)
        if found >= 0:
            start = max(start, found + len(ending))
    line = text.rfind("\n", max(low, start), place)
    while line >= 0:
        if text.startswith("#", line + 1):
            following = text.find("\n", line + 1, place)
            start = following + 1 if following >= 0 else -1
            break
        if _MARKED_LINE.match(text, line + 1, place):
            start = line + 1
            break
        line = text.rfind("\n", max(low, start), line)
    if start < 0:
        return None
    lead = _LEAD.match(text, start, place)
    return lead.end() if lead else start


def defined_in_brackets(text: str) -> Iterator[Mention]:
    """Legal definitions in brackets, as German laws write them: `… zugerechnet werden kann (Unternehmer)`."""
    if detect_language(text) != "de":
        return
    for opening in places_of(text, "("):
        match = _IN_BRACKETS.match(text, opening)
        if match and _is_bracketed_term(text, match, opening):
            start, end = sentence_around(text, opening, match.end())
            yield Mention(" ".join(match[1].split()), start, start, end=end)


def languages_in(text: str) -> frozenset[str]:
    """The languages whose forms to look for: of a long text those that its beginning or middle shows a word of."""
    middle = len(text) // 2
    sample = text[:_SAMPLE] + text[middle : middle + _SAMPLE]
    short = len(text) <= 2 * _SAMPLE
    return frozenset(one for one, sign in _SIGNS.items() if short or sign in sample)


def _is_bracketed_term(text: str, match: re.Match[str], opening: int) -> bool:
    """Whether the brackets follow a clause, or a noun phrase that they name: no other word for the noun before them."""
    term = match[1].split()
    line = text[text.rfind("\n", 0, opening) + 1 : opening].lstrip()
    before = [one.strip("*_") for one in text[max(0, opening - 80) : opening].split()[-2:]]
    if line[:1] in ("|", "*", "#") or len(before) < 2 or not text[opening - 1].isspace():
        return False
    ahead, word = before
    if not line and text[max(0, opening - 2) : opening] == "\n\n":  # nothing stands before
        return False
    if term[0].casefold() in _NOT_IN_BRACKETS or term[0] in (f"{word}in", f"{word}innen"):
        return False
    if word.islower():
        return word.isalpha() and word not in _GERMAN_ARTICLES
    if (word.isdigit() and ahead.strip("s.") in _COUNTED_PARTS) or term[-1].casefold().endswith(
        word.casefold().rstrip("nse") or word
    ):
        return True
    if _ENDS_ITEM.match(text, match.end()) and ahead[:1].isalpha():
        start = text.rfind("\n\n", max(0, opening - 2 * _LONG_ITEM), opening)
        return word.isalpha() and opening - start > _LONG_ITEM
    if (
        term[0].startswith(word) or ahead.casefold() in _DETERMINERS
    ):  # a part or an instance of what is named
        return word.isalpha()
    stem = term[-1][:-2]
    used = text.find(stem, match.end()) >= 0 or text.find(stem, 0, opening) >= 0
    adjective = ahead.islower() or ahead.endswith(("e", "en", "er", "es"))
    return used and word.isalpha() and adjective and ahead.casefold() not in _BEFORE_SYNONYMS


def _items(text: str, low: int, high: int) -> Iterator[Mention]:
    first: tuple[str, str] | None = None
    last: tuple[int, ...] = ()
    behind = low
    for item in ITEM_LINE.finditer(text, low, min(high, low + _LONGEST_LIST)):
        kind = marker_kind(item[2])[:1] + str(len(item[1]))
        counts = _counted(item[2])
        if first is None:
            if text[low : item.start()].strip():
                return
            first = kind, item[1]
        elif not counts:
            if len(item[1]) > len(first[1]) or marker_kind(item[2])[:1] != first[0][:1]:
                continue
            if _interrupted(text, behind, item.start(), first[1]):
                return
        elif kind != first[0] or counts <= last:
            continue
        last = counts
        behind = item.end()
        match = _LISTED_TERM.match(text, item.end())
        if match:
            yield Mention(
                LEADING_ARTICLE.sub("", cleaned(match["term"])), item.start(), match.start("item")
            )


def _interrupted(text: str, low: int, high: int, indent: str) -> bool:
    """Whether a paragraph that belongs to no item stands between two items."""
    blank = text.find("\n\n", low, high)
    while blank >= 0:
        begins = _FIRST.search(text, blank + 2, high)
        column = begins.start() - text.rfind("\n", 0, begins.start()) - 1 if begins else 0
        if begins and begins[0].isupper() and column <= len(indent) + 1:
            return True
        blank = text.find("\n\n", blank + 1, high)
    return False


def _counted(marker: str) -> tuple[int, ...]:
    """What a marker counts: `1.2` as (1, 2), `b)` as (2,), nothing for a bullet."""
    numbers = re.findall(r"[0-9]+", marker)
    if numbers:
        letter = re.search(r"[0-9]([a-z])", marker)
        return (*map(int, numbers), *([ord(letter[1])] if letter else []))
    letters = re.sub(r"\W", "", marker).lower()
    return (len(letters), *map(ord, letters)) if letters else ()


def _next(places: list[int], place: int, end: int) -> int:
    at = bisect_right(places, place)
    return places[at] if at < len(places) else end


def _is_joined(line: str, part: str) -> bool:
    """Whether a part of a compound follows a hyphen: `based` in `time-based`."""
    return f"-{part}" in line or f"‑{part}" in line


def _accept_any(term: str, rest: str) -> bool:
    return _NO_BEGINNINGS.isdisjoint(term.casefold().split())


def _accept_noun(term: str, rest: str) -> bool:
    """In Romance languages: no pronoun and no mere reference."""
    parts = term.casefold().split()
    if any(one.startswith(("qu'", "qu’")) for one in parts):
        return False
    return _NO_ROMANCE_TERMS.isdisjoint(parts) and parts[0] not in _NO_ROMANCE_BEGINNINGS


def _accept_deemed(term: str, rest: str) -> bool:
    """Nor a participle: `est considérée comme abandonnée`."""
    return _accept_noun(term, rest) and not _PARTICIPLE.fullmatch(term.split()[0])


def _accept_german_noun(term: str, rest: str) -> bool:
    """A noun phrase; adjectives that open a sentence without a noun are no terms."""
    first = term.split()[0]
    if _PREDICATIVE.fullmatch(first.lower()) and not (" " in term and first[-1:] in "enr"):
        return False
    return _is_german_phrase(term) and not _LONE_ADJECTIVE.fullmatch(term)


def _is_german_phrase(term: str) -> bool:
    first, *others = term.split()
    if first.casefold() in _NO_BEGINNINGS or first.casefold() in _NO_GERMAN_TERMS:
        return False
    return len(others) < _MOST_WORDS and _NO_GERMAN_PARTS.isdisjoint(others)


def _accept_german_sense(term: str, rest: str) -> bool:
    """Whatever has a sense of its own, adjectives too, if the sentence does not say what is to be done with it."""
    return _is_german_phrase(term) and not _GERMAN_DUTY.match(rest)


def _accept_german_being(term: str, rest: str) -> bool:
    """Nothing but a noun phrase or a clause may follow: a main clause that ends with a verb or adjective defines nothing."""
    if not _accept_german_noun(term, rest):
        return False
    main = _MAIN_CLAUSE.match(rest)
    assert main
    last = main[0].split()[-1:] or [""]
    return not last[0][:1].islower() or last[0] in _GERMAN_PRONOUNS


_REST = 300
"""Characters behind a verb that are looked at."""

_CLOSED = frozenset('.;,!?)»”"')
"""What a sentence ends with that no list goes on with."""

_LONGEST_BEGINNING = 500
_LONGEST_LIST = 100_000
_LONG_FORM = 100
_MOST_WORDS = 8

_ENDINGS = ("\n\n", ". ", ".\n", "; ", ";\n", ": ", ":\n", "\n \n", "? ", "! ")
_MARKED_LINE = re.compile(rf"[ \t>]*{MARKER}[ \t]")
_LEAD = re.compile(
    rf"[\s>]*(?:{MARKER}[ \t\n]+)*(?:(?:[IVXLC]{{1,5}}|[A-Z]|[0-9]{{1,2}})(?:[ \xa0]?[°.)]+)?[ \xa0]?[.–—−-]{{1,2}}[ \xa0]?|[0-9]{{1,2}}[ ]+)?[*_]{{0,2}}"
)
"""What opens a sentence of a law before its first word: markers, `III.-`, the number of a sentence."""
_FIRST = re.compile(r"\S")

_SAMPLE = 4_000
_SIGNS = {"de": " der ", "fr": " les ", "es": " los ", "en": " the "}
"""A common word of each language, by which a text is seen to have some of it."""

_DE = r"[A-ZÄÖÜ][\w/-]*(?:\s(?:\([^()\n]{1,40}\)\s)?[A-ZÄÖÜa-zäöüß][\w/-]*){0,9}?"
"""A German noun phrase at the beginning of a sentence."""
_DE_ARTICLE = r"(?:(?:[Ee]ine?|[Dd]er|[Dd]ie|[Dd]as|[Ee]ine[mr]|[Dd]em|[Dd]en)\s)?"
_DE_KIND = r"(?:nur\s|auch\s|insbesondere\s|ferner\s)?(?:jede[rs]?|eine?|der|die|das|wer|alle|derjenige|diejenigen?|dasjenige|solche)\b"
_DE_PLACE = r"(?:[^.;:]|(?<=Abs)\.|(?<=Nr)\.|(?<=Art)\.){0,90}?"

_ROMANCE = r"[^\W\d_][\w’'-]*(?:\s[\w’'/-]+){0,9}?"
_AFTER_TERM = r"\s?(?:[,:]\s?|\s(?<!\bde\s)(?<!\bà\s)(?<!\bet\s)(?<!\bou\s)(?<!\bpar\s)(?<!\bsur\s)(?<!\bdans\s)(?<!\bpour\s)(?<!\ben\s)(?<!\by\s)(?<!\bo\s)(?<!\bpor\s)(?<!\bcon\s))"
_QUOTED = r"[«“\"]\s?(?P<term>[^«»“”\"\n]{1,100}?)\s?[»”\"]"
_FR_KIND = r"(?:l[ae]s?\s|l[’']|une?\s|des\s|du\s|d[’']une?\s|toute?s?\s|tous\s|ceux\s|celles?\s|celui\s|ce\s|tant\s|non\s)"
_FR_CLAUSE = r"(?:(?:Pour|Aux?|Dans|En|Lorsque|Lorsqu['’]\w+|Si)\b[^.;:]{0,200}?,\s)?"
_FR_SENSE = r"(?:(?:Pour|Aux?|Dans|En)\b[^.;:]{0,200}?,?\s)?"
_ES_KIND = r"(?:el\s|las?\s|los?\s|una?\s|unos\s|aquel\w*\s|tod[oa]s?\s|cualquier\w*\s|quien\w*\s|al?\s|cada\s)"
_ES_CLAUSE = r"(?:(?:A|Para|En|Con)\b[^.;:]{0,200}?,?\s)?"

_FR_GENUS = (
    "actes?|accord|contrat|convention|droit|faits?|opération|affectation|mode|part|disposition|extinction|détention|fiction|individu|pacte|société|union"
    "|transport|agissements|manifestations|dépôt|sûreté|mesure"
)
"""What French codes say that something is, where they define it: `Le testament est un acte par lequel …`."""

SENTENCES: tuple[Sentence, ...] = (
    # Arbeitszeit im Sinne dieses Gesetzes ist …
    Sentence(
        "de",
        ("Sinne ", "Sinne\n"),
        re.compile(rf"(?:Eine?\s)?(?P<term>{_DE})(?:\s\([^()]{{1,80}}\))?\s(?:im|in\sdiesem)\s+"),
        re.compile(rf"Sinne\s+(?:dies|de[rs]|von)\w*\b{_DE_PLACE}\s(?:ist|sind|bedeutet)\b(?=[\s,:])"),
        _accept_german_sense,
    ),
    # Im Sinne dieses Gesetzes ist Verbraucher, wer …
    Sentence(
        "de",
        ("Sinne dies",),
        re.compile(r"Im\s"),
        re.compile(rf"Sinne\sdies\w+\s\w+\s(?:ist|sind|gilt als|gelten als)\s(?P<term>{_DE})(?:,\swer\b|\s(?={_DE_KIND}))"),
        _accept_german_noun,
    ),
    # Verbraucher ist jede natürliche Person, die …
    Sentence(
        "de",
        (" ist", "\nist", " sind", "\nsind"),
        re.compile(rf"(?P<term>{_DE})"),
        re.compile(rf"\s(?:ist|sind)(?:,\s(?=wer\b|was\b)|\s(?={_DE_KIND}))"),
        _accept_german_being,
    ),
    # Die Aktiengesellschaft ist eine Gesellschaft mit eigener Rechtspersönlichkeit.
    Sentence(
        "de",
        (" ist eine ", " ist ein ", " sind "),
        re.compile(rf"(?:Der|Die|Das)\s(?P<term>{_DE})"),
        re.compile(r"\s(?:ist\seine?|sind)\s(?=(?:[a-zäöüß]+e[nrs]?\s)?[A-ZÄÖÜ][\wäöüß-]+(?:,\s(?:der|die|das|bei|in|mit|deren|dessen|auf)\b|\smit\seigene))"),
        _accept_german_being,
    ),
    # Als Leistung gilt auch …
    Sentence(
        "de",
        (" gilt", "\ngilt", " gelten", "\ngelten"),
        re.compile(rf"Als\s(?:eine?\s)?(?P<term>(?:[a-zäöüß]+e[nrs]?\s){{0,2}}{_DE})(?:\sim\sSinne\s[^.;:]{{3,60}})?"),
        re.compile(r"\s(?:gilt|gelten)\b(?!\s§)"),
        _accept_german_noun,
    ),
    # Unter Betriebsstätte ist … zu verstehen
    Sentence(
        "de",
        ("Unter ",),
        re.compile(""),
        re.compile(rf"Unter\s{_DE_ARTICLE}(?P<term>(?:[a-zäöüß]+e[nrs]?\s){{0,2}}{_DE})(?:\sim\sSinne\s[^.;:]{{3,60}})?\s(?:versteh(?:t|en)\b|(?:ist|sind|wird|werden)\b(?=[^.;]{{0,300}}?\bverst))"),
        _accept_german_noun,
    ),
    # On entend par résidence normale le lieu où …
    Sentence(
        "fr",
        ("n entend par ", "n entend par\xa0", "n entendra par "),
        re.compile(rf"{_FR_SENSE}[Oo]"),
        re.compile(rf"n\sentend(?:ra)?\spar\s(?:{_QUOTED}|(?:le\sterme\s|la\snotion\sde\s)?(?P<plain>{_ROMANCE}){_AFTER_TERM}(?={_FR_KIND}))"),
        _accept_noun,
    ),
    # Par navire, on entend tout bâtiment
    Sentence(
        "fr",
        (" on entend ", " il faut entendre "),
        re.compile(rf"Par\s(?:{_QUOTED}|(?P<plain>{_ROMANCE})),?"),
        re.compile(r"\s(?:on\sentend|il\sfaut\sentendre)\s(?!par\b)"),
        _accept_noun,
    ),
    # Les titres cotés s'entendent des valeurs inscrites
    Sentence(
        "fr",
        ("s'entend", "s’entend"),
        re.compile(rf"{_FR_CLAUSE}(?:(?:(?:[Ll]es?|[Ll]a|[Uu]ne?|[Dd]es)\s|[Ll][’'])(?:notion\s(?:de\s|d[’']))?)?(?P<term>{_ROMANCE})(?:,?\s(?:mentionné|visé|prévu|défini|désigné|pour\sl|au\ssens|afférent|entrant|pris|retenu|constaté|figurant|dû|dues?\s|provenant|résultant|relati[fv]|qui\s|situé|soumis|compris|ouvrant|ayant|servant|détenu|versé|effectué|réalisé|soumis|bénéficiant|constitu)[^.;:]{{1,300}}?|,[^.;:,]{{1,120}},)?\s"),
        re.compile(r"s[’']entend(?:ent)?(?:\s(?:de|des|du|comme|par|au)\b|\sd[’']|\s?:|,\s)"),
        _accept_noun,
    ),
    # La transaction est un contrat par lequel …
    Sentence(
        "fr",
        (" est un ", " est une ", " est le ", " est la ", " est l'", " est l’", " sont des "),
        re.compile(rf"(?:(?:Les?|La|Une?)\s|L[’'])(?P<term>{_ROMANCE})(?:,[^.,;:]{{1,40}},)?"),
        re.compile(rf"\s(?:est|sont)\s(?:(?:une?|le|la|des)\s|l['’])(?=(?:{_FR_GENUS})\b|[^.,;:]{{3,60}}?\spar\s(?:lequel|laquelle)\b)"),
        _accept_noun,
    ),
    # Sont considérés comme fruits les revenus …
    Sentence(
        "fr",
        ("considéré", "réputé"),
        re.compile(rf"{_FR_CLAUSE}(?:Est|Sont|est|sont)\s(?:également\s|aussi\s|notamment\s)?"),
        re.compile(rf"(?:considéré|réputé)e?s?\scomme\s(?:une?\s|des\s)?(?P<term>{_ROMANCE})(?:\spour\sl[’'][^.;:,]{{1,120}}?)?(?:{_AFTER_TERM}(?={_FR_KIND})|\s?(?=:))"),
        _accept_deemed,
    ),
    # Se entiende por consumidor la persona que …
    Sentence(
        "es",
        ("entiende por ", "entienden por ", "entenderá por ", "entenderán por "),
        re.compile(rf"{_ES_CLAUSE}[Ss]e\s"),
        re.compile(rf"ent(?:ienden?|enderán?)\spor\s(?:{_QUOTED}|(?P<plain>{_ROMANCE}){_AFTER_TERM}(?={_ES_KIND}))"),
        _accept_noun,
    ),
    # Por empresa se entenderá toda actividad
    Sentence(
        "es",
        (" se entiende", " se entender"),
        re.compile(rf"{_ES_CLAUSE}[Pp]or\s(?:{_QUOTED}|(?P<plain>{_ROMANCE})),?"),
        re.compile(r"\sse\sent(?:ienden?|enderán?)\s(?!por\b)"),
        _accept_noun,
    ),
    # Se considera consumidor a la persona que …
    Sentence(
        "es",
        ("considera", "la consideración de "),
        re.compile(rf"{_ES_CLAUSE}(?:[Ss]e\s|(?:[Tt]ienen?|[Tt]endrán?)\s(?:también\s)?)"),
        re.compile(rf"(?:considera(?:n|rán?)?\s(?:como\s)?|la\sconsideración\sde\s)(?P<term>{_ROMANCE}){_AFTER_TERM}(?={_ES_KIND})"),
        _accept_deemed,
    ),
    # As used in this chapter, municipality means …
    Sentence(
        "en",
        (" means ", " shall mean ", " mean "),
        re.compile(r"(?:As\sused\sin|For\s(?:the\s)?purposes?\sof|In|Under)\sth(?:is|ese)\s\w+,\s(?:the\s(?:term|word)s?\s|an?\s|the\s)?(?P<term>[^\W\d_][\w’'-]*(?:\s[\w’'-]+){0,5})"),
        re.compile(r"\s(?:shall\s)?means?\s"),
        _accept_any,
    ),
)  # fmt: skip

_ITEM = rf"(?=[ \t>]*{MARKER}[ \t\n])"
_GOES_ON = r"(?:[^.;:\n]|\n(?!\s*\n)){0,200}"
_COLON = re.compile(rf"{_GOES_ON}:\s*\n")
_GERMAN_LIST = re.compile(
    r"Sinne\sdies\w+\s\w+\s?(?:ist|sind|bedeutet|bedeuten|gelten|gilt)?(?:\sals)?(?:\sdie\sBegriffe)?\s?:?\s*\n"
)

LISTS: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    *(("en", anchor, _COLON) for anchor in (
        "following definitions", "following terms", "following words", "following meanings", "definitions apply",
        "meanings ascribed", "meanings set forth",
    )),
    *(("fr", anchor, _COLON) for anchor in ("entend par", "ont le sens", "ont la signification", "définitions suivantes")),
    *(("es", anchor, _COLON) for anchor in (
        "entiende por", "entienden por", "entenderá por", "entenderán por", "siguientes definiciones",
        "definiciones siguientes", "los efectos de", "A efectos de",
    )),
    *(("de", anchor, _COLON) for anchor in ("folgende Begriffsbestimmungen", "nachfolgende Begriffe", "folgenden Begriffe")),
    ("de", "Sinne dies", _GERMAN_LIST),
)  # fmt: skip
"""What leads to a list of terms: its language, a piece of it, and what matches from there to the end of its line."""

_LISTED_TERM = re.compile(
    r"\s+(?P<item>[*_«“\"]{0,3}(?P<term>[^\W\d_][^.;:\n«»“”\"*]{0,99}?)[*_»”\"]{0,3}[ \xa0]?(?::(?=\s)|\s(?=(?:jede[rs]?|wer|alle|diejenigen?|solche)\b)))"
)

_ABBREVIATION = re.compile(r"\((?<=\s\()([A-Z][A-Za-z0-9&/-]{0,8}?[A-Za-z0-9])s?\)")
_PARTS = re.compile(r"[A-Z]?[a-zà-ÿß]+|[A-Z]+(?![a-zà-ÿ])|[^\W\d_]+")
_NO_PROSE = frozenset("#<[")
"""What headings and entries of a list of works begin with."""
_SMALL_WORDS = words(
    "a an the of for and to in on at by with or der die das des dem den und für von zur zum im in de du des la le les l d et à sur au aux en pour el los las del y o para por con"
)

_IN_BRACKETS = re.compile(
    r"\(((?:[a-zäöüß]{2,30}(?:e|en|er|es)\s){0,2}[A-ZÄÖÜ][a-zäöüß]{3,40}(?:-?[A-Za-zäöüß]{1,40}){0,3}(?:\s(?:der|des|von|mit|ohne|für|und)\s[A-ZÄÖÜ][a-zäöüß]{1,40})?)\)(?!\w)"
)
_NOT_IN_BRACKETS = words(
    "weggefallen inkrafttreten anlage anlagen artikel anhang abschnitt kapitel teil satz absatz nummer buchstabe aufgehoben gegenstandslos fundstelle siehe muster bundesgesetzblatt"
)
_BEFORE_SYNONYMS = words("der die das dem den zum zur vom im am beim und in an von nach vor")
"""Words before a noun alone, whose brackets hold another word for it: `der Finanzämter (Hauptzollämter)`."""
_ENDS_ITEM = re.compile(r"[.,;][ \t]*(?:\n[ \t]*(?:\n|\Z)|\Z)")
_LONG_ITEM = 60
"""Characters of a paragraph that says something before the brackets at its end name it."""

_DETERMINERS = words(
    "ein eine einen eines einer einem kein keine keinen keiner keines keinem jeder jede jedes jeden mehrere mehreren zweite zweiten ihr ihrem ihren seinem seinen"
)
"""Words before a noun that its brackets give a name to."""

_COUNTED_PARTS = words("Absatz Absatze Satz Satze Nummer Nr Abs § Buchstabe")
_GERMAN_ARTICLES = words("der die das des dem den ein eine eines einer einem einen und oder")

_NO_BEGINNINGS = words(
    "in im bei beim auf an am für dem den des diese dieser dieses diesem diesen er sie es wir ihr hierbei dabei auch ferner zudem wer was wenn soweit sofern ob dass daß",
    "nach nicht mit von vom zum zur zu aus ohne um unter über vor während wegen gegen durch bis ab seit je jeder jede jedes alle allein nur dies das der die solche insbesondere hierzu hierfür",
    "dazu darüber davon daneben daher danach dann damit so sonst sonstige ebenso entsprechend gleiches dasselbe deren dessen anstelle sind ist wird werden kann hat haben liegt besteht hierunter andere wie jedoch außerdem darüber überdies schließlich dagegen dort hier jetzt zunächst doch nun weder vielmehr lediglich hingegen indes gleichwohl bereits",
    "he she it they we you this that these those there which what who nothing any all each such by no not where if shall",
)
_NO_GERMAN_TERMS = words(
    "voraussetzung voraussetzungen ziel ziele zweck aufgabe aufgaben gegenstand grundlage ausnahme folge grund inhalt maßstab ausgangspunkt bestandteil beginn ende strafe mitglied",
    "mitglieder vorsitzender vorsitzende vorsitzende gerichtsstand stichtag anlass ausgenommen betroffen unberührt einzelheiten satz absatz nummer gleichzeitig zugleich grundsatz",
    "wichtigster wichtigste wichtiger kennzeichnend entscheidend leiter stellvertreter adressat empfänger ergebnis",
)
_NO_GERMAN_PARTS = words(
    "Absatz Absatzes Absätze Satz Satzes Sätze Nummer Nr dem den diesem diesen Artikel Paragraph Sinne ist sind wird werden nicht sich wenn dass"
)
_PREDICATIVE = re.compile(
    r"\w+(?:ig|lich|bar|isch|sam|(?<!sc)haft|end|los|tigt|tet|iert|nommen|schlossen|fugt|laubt|fallen)"
    r"|(?:an|auf|aus|bei|ein|vor|nach|zu|ab|mit|um|fest|dar|hin|mitzu|zurück|fort)(?:zu|ge)\w+(?:en|t)"
)
_LONE_ADJECTIVE = re.compile(r"\w+(?:lich|ig|isch)e[nrs]?")
_GERMAN_DUTY = re.compile(
    r"(?:\s(?:zu|bei|nach|um|auf|mit|vom|von)\b|[^.;:,]{0,200}?\s(?:zu\s\w+en|\w+zu\w+en|anzuwenden|zulässig|unzulässig|steuerfrei|steuerpflichtig|verpflichtet|berechtigt|ausgeschlossen"
    r"|zuständig|möglich|erforderlich|beizufügen|vorzunehmen|abzuziehen|gegeben|worden|abziehbar|beihilfefähig|nichtig|unwirksam|wirksam|strafbar|entsprechend|maßgebend|maßgeblich)\s?[.;:,])"
)
_MAIN_CLAUSE = re.compile(r"(?:[^.,;:]|(?<=Abs)\.|(?<=Nr)\.|(?<=Art)\.|(?<=[0-9])\.(?!\s*\Z))*")
_GERMAN_PRONOUNS = words(
    "derjenige diejenigen diejenige dasjenige solche alle jeder jede jedes das der die wer was insbesondere dieselbe dieselben"
)

_NO_ROMANCE_BEGINNINGS = words(
    "au aux à pour dans en par sur avec sans si a ante con de des du para por sobre"
)
_NO_ROMANCE_TERMS = words(
    "ne qui que il elle on ce cette référence références mot mots n' quien no lo cuando si"
) | {"n’"}
_PARTICIPLE = re.compile(r"\w+(?:(?<!t)ée?s?|ant|ad[oa]s?|id[oa]s?)")
