"""Terms in brackets behind what they stand for: names of contracts, legal definitions of German laws, abbreviations."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from hierdoc.structure.definition_places import (
    LEADING_ARTICLE,
    VERB,
    Mention,
    cleaned,
    places_of,
    places_of_any,
    sentence_around,
)
from hierdoc.text.language import detect_language
from hierdoc.text.words import words


def in_brackets(text: str, languages: Collection[str]) -> Iterator[Mention]:
    """All terms in brackets, and names between commas; their text is the sentence."""
    yield from _names(text)
    yield from _names_from_here(text, languages)
    yield from _legal_terms(text)
    yield from _abbreviations(text)


def _names(text: str) -> Iterator[Mention]:
    """Names in parentheses behind what they stand for; their text is the sentence."""
    for found in _CLOSING.finditer(text):
        closing = found.start()
        opening = text.rfind("(", max(0, closing - _LONGEST_PARENTHESES), closing)
        if opening <= 0 or not text[opening - 1].isspace() or VERB.match(text, found.end()):
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
        if (
            name[:1].isupper()
            or term["alone"]
            or (sure and name[:1].isdigit())
            or name in _PRONOUN_NAMES
        ):
            names.append(name)
    if text[behind:closing].strip(" *_.,") not in ("", "respectively", "genannt"):
        return []
    if sure or _follows_a_name(text, opening) or text[opening + 1] == "‘":
        return names
    before = text[max(0, opening - 60) : opening].split()[-1:] or [""]
    word = before[0].strip("*_,.'’”\"[]").rstrip(")")
    is_prose = (
        word.isalpha()
        or (not word.isalpha() and len(word) > 3 and "`" not in word)
        or before[0][-1] in "])"
    )
    return names if is_prose and all(map(_is_capitalised, names)) else []


def _names_from_here(text: str, languages: Collection[str]) -> Iterator[Mention]:
    """Names that something is called from there on, in brackets without quotes or between commas: `, im Folgenden „Käufer“ genannt,`."""
    anchors = tuple(anchor for language, anchor in _FROM_HERE if language in languages)
    for place, anchor in places_of_any(text, anchors):
        match = _CALLED.match(text, place + len(anchor))
        if match is None and anchor in _LEADING_TO_SMALL:
            match = _CALLED_SMALL.match(text, place + len(anchor))
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


def _legal_terms(text: str) -> Iterator[Mention]:
    """Legal definitions in brackets, as German laws write them: `… zugerechnet werden kann (Unternehmer)`."""
    if detect_language(text) != "de":
        return
    for opening in places_of(text, "("):
        match = _LEGAL_TERM.match(text, opening)
        if match and _is_legal_term(text, match, opening):
            start, end = sentence_around(text, opening, match.end())
            yield Mention(" ".join(match[1].split()), start, start, end=end)


def _is_legal_term(text: str, match: re.Match[str], opening: int) -> bool:
    """Whether the brackets follow a clause, or a noun phrase that they name: no other word for the noun before them."""
    term = match[1].split()
    line = text[text.rfind("\n", 0, opening) + 1 : opening].lstrip()
    before = [one.strip("*_") for one in text[max(0, opening - 80) : opening].split()[-2:]]
    if len(before) < 2 or not text[opening - 1].isspace() or line[:1] in ("|", "*", "#"):
        return False
    ahead, word = before
    if term[0].casefold() in _NO_LEGAL_TERMS or term[0] in (f"{word}in", f"{word}innen"):
        return False
    if "innen und " in match[1]:
        return False
    if not line and text[max(0, opening - 2) : opening] == "\n\n":  # nothing stands before
        return False
    if word.isdigit():
        return ahead.strip("s.") in _COUNTED_PARTS
    if not word.isalpha():
        return False
    if word.islower():
        return word not in _ARTICLES
    return _names_noun(text, match, opening, ahead, word)


def _names_noun(text: str, match: re.Match[str], opening: int, ahead: str, word: str) -> bool:
    """Whether brackets behind a noun name it: its kind or part, one of several, all that an item says, or what is used elsewhere."""
    term = match[1].split()
    noun = word.casefold().rstrip("nse") or word
    if term[-1].casefold().endswith(noun) or term[0].startswith(word):
        return True
    if (
        ahead.casefold() in _DETERMINERS
        or ahead[:_SHORTEST_ROOT] == term[0][:_SHORTEST_ROOT].lower()
    ):
        return True
    root = term[0][:_SHORTEST_ROOT]
    if len(term) == 1 and word.startswith(root) and word[-1:] == "n" and ahead in _ARTICLES:
        return False  # der Gemeinden (Gemeindeverbände)
    if (ahead in _CONTRACTED or ahead.isdigit()) and _ENDS_SENTENCE.match(text, match.end()):
        again = re.compile(rf"\b[Dd](?:as|er|ie|em|en|es)\s{re.escape(match[1])}")
        return again.search(text, match.end(), match.end() + _NEAR) is not None
    if _ENDS_ITEM.match(text, match.end()) and ahead[:1].isalpha():
        return opening - text.rfind("\n\n", max(0, opening - 2 * _LONG_ITEM), opening) > _LONG_ITEM
    if ahead == "oder" and term[0].startswith(
        word.rstrip("n")
    ):  # Ländern oder Gemeinden (Gemeindeverbänden)
        return False
    if ahead.casefold() in _BEFORE_SYNONYMS or not ahead.endswith(
        ("e", "en", "er", "es", "em", "s")
    ):
        return False
    stem, near = term[-1][:-2], max(0, opening - _NEAR)
    return text.find(stem, match.end(), opening + _NEAR) >= 0 or text.find(stem, near, opening) >= 0


def _abbreviations(text: str) -> Iterator[Mention]:
    """Abbreviations in brackets behind what they are short for: `Authenticator Assurance Level (AAL)`."""
    found: set[str] = set()
    for match in _ABBREVIATION.finditer(text):
        name = match[1]
        if name in found or not _stands_for(
            name, text[max(0, match.start() - _LONG_FORM) : match.start()]
        ):
            continue
        line = text.rfind("\n", 0, match.start()) + 1
        if text[line : line + 1] in _NO_PROSE:
            continue
        found.add(name)
        start, end = sentence_around(text, match.start(), match.end())
        yield Mention(name, start, start, end=end)


def _stands_for(name: str, before: str) -> bool:
    """Whether the words before an abbreviation begin with its letters, in order, and the first of them with its first.

    Function words and parts of compounds (`time-based`) may be left out.
    """
    capitals = [one for one in name if one.isupper()]
    letters = [one.casefold() for one in (capitals if len(capitals) > 1 else name) if one.isalpha()]
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


def _is_joined(line: str, part: str) -> bool:
    """Whether a part of a compound follows a hyphen: `based` in `time-based`."""
    return f"-{part}" in line or f"‑{part}" in line


_INTRODUCTION = (
    r"the|an?|each|in\seach\scase|which|this|such|these|those|any|all|both|together|collectively|individually|jointly|hereinafter|hereafter|herein|in\sthis|also|referred\sto"
    r"|or|im\sFolgenden|im\sfolgenden|nachfolgend|nachstehend|folgend|kurz|ci-après|ci-dessous|en\sadelante|en\slo\ssucesivo|di\sseguito|hierna|doravante|i\sdet\sfølgende|nedan"
    r"|die|der|das|gemeinsam|zusammen|les?|la|el|los|il|lo|de|het|jeweils"
)
_CLOSING = re.compile(
    r"\)(?:(?<=[\"”“»’']\))|(?<=\*\*\))|(?<=[\"”“»][.,]\))|(?<=respectively\))|(?<=genannt\)))"
)
_LONGEST_PARENTHESES = 300
_NAME = re.compile(
    r"[*_]{0,3}(?:\"([^\"()]{2,60})\"|“([^”()]{2,60})”|„([^“”()]{2,60})[“”]|«([^»()]{2,60})»|(?<=[a-z,] )[‘']([^’'()]{2,60})[’']|(?<!\w)\*\*([^*()\n]{2,60})\*\*|(?<=\()(?P<alone>‘[^‘’()]{2,80}’)\Z)[*_]{0,3}"
)
_INTRODUCED = re.compile(
    rf"\s*(?:{_INTRODUCTION})\b[^\"“”„«‘]{{0,60}}\s\Z"
    r"|[^\"“”„«‘]{0,200}\b(?:gemeinsam|zusammen|together|collectively|jointly|ensemble|conjuntamente)\s(?:(?:the|die|les|los)\s)?\Z"
    r"|[^\"“”„«‘]{0,200},\s(?:and\s)?(?:(?:each|collectively|together|individually|any)[\s,]{1,2}){0,2}(?:the|an?)\s\Z"
)
_JOINED = re.compile(
    rf"[^\"“”„«‘]{{0,60}}?(?:,|;|/|\b(?:or|and|und|oder|et|ou|y|o|e|{_INTRODUCTION})\b)[^\"“”„«‘]{{0,40}}\Z"
)

_PRONOUN_NAMES = words("you your we us our You Your We Us Our")
"""What parties of a contract are called in the place of a name."""

_FROM_HERE = (
    ("en", "ereinafter"), ("en", "ereafter"), ("en", "eferred to collectively"), ("en", "ollectively referred to"), ("en", "eferred to herein"),
    ("de", "im Folgenden"), ("de", "im folgenden"), ("de", "achfolgend"),
    ("de", "achstehend"), ("fr", "ci-après"), ("es", "en adelante"), ("es", "en lo sucesivo"),
    ("pt", "doravante"), ("it", "di seguito"), ("nl", "hierna"),
)  # fmt: skip
_CALLED = re.compile(
    r"[,:]?\s(?:(?:is|are|sometimes|individually|taken|together|referred\sto(?:\sherein)?|called|termed|known|designated|named|collectively|jointly|dénommée?s?|désignée?s?|appelée?s?|denominad[oa]s?|designad[oa]s?|denominat[aoie]|genaamd|te\snoemen|auch|kurz|gemeinsam|as|the|an?|der|die|das|le|la|les|el|los|las|a|o|il|lo|de|het),?\s){0,7}(?:l[’'])?"
    r"(?:[\"“„«*]{1,3}\s?(?:l[’'])?([^\"“”„«»*()\n]{2,60}?)\s?[\"”“»*]{1,3}|([A-ZÄÖÜÉ][\w’'&-]{1,39}(?:\s[A-ZÄÖÜÉ][\w’'&-]{1,39}){0,4}))(?:\s(?:genannt|bezeichnet))?(?:\s?[),;.]|(?<=[.,][\"”»]))"
)
_LEADING_TO_SMALL = words("ereinafter ereafter")
_CALLED_SMALL = re.compile(
    r"()\s(?:referred\sto\sas|called|known\sas|designated(?:\sas)?)\s(?:the|an?)\s([a-z][\w’'-]{2,30}(?:\s[a-z][\w’'-]{1,30}){0,3}?)\s?[,);.]"
)
"""What laws call something without quotes: `a fee, hereinafter referred to as a docket fee,`."""

_WORD_ENDS = frozenset("(,")
_NAME_BEFORE = re.compile(
    r"(?:[A-ZÄÖÜ][\w.&’'-]*[,.]?|\b(?:corporation|company|partnership|association|cooperative|trust|bank|agency|authority|individual"
    r"|person|university|municipality|foundation|society|Gesellschaft|société),?)\s(?:[A-Z][\w.&’'-]*[,.]?\s)*\Z"
)
_LEGAL_TERM = re.compile(
    r"\(((?:[a-zäöüß]{2,30}(?:e|en|er|es)\s){0,2}[A-ZÄÖÜ][a-zäöüß]{3,40}(?:-?[A-Za-zäöüß]{1,40}){0,3}(?:\s(?:der|des|von|mit|ohne|für|und)\s[A-ZÄÖÜ][a-zäöüß]{1,40})?)\)(?!\w)"
)
_NO_LEGAL_TERMS = words(
    "weggefallen inkrafttreten anlage anlagen artikel anhang abschnitt kapitel teil satz absatz nummer buchstabe aufgehoben gegenstandslos fundstelle siehe muster bundesgesetzblatt"
)
_BEFORE_SYNONYMS = words("der die das dem den zum zur vom im am beim und in an von nach vor")
"""Words before a noun alone, whose brackets hold another word for it: `der Finanzämter (Hauptzollämter)`."""
_ENDS_ITEM = re.compile(r"[.;][ \t]*(?:\n|\Z)|,[ \t]*\n[ \t]*(?:\n|\Z)")
_ENDS_SENTENCE = re.compile(r"[.;](?:\s|\Z)")
_CONTRACTED = words("im am zum zur vom beim")
_NEAR = 50_000
"""Characters to either side within which a term is used again."""
_SHORTEST_ROOT = 6
_LONG_ITEM = 40
"""Characters of a paragraph that says something before the brackets at its end name it."""

_DETERMINERS = words(
    "ein eine einen eines einer einem kein keine keinen keiner keines keinem jeder jede jedes jeden mehrere mehreren zweite zweiten ihr ihrem ihren seinem seinen"
)
"""Words before a noun that its brackets give a name to."""

_COUNTED_PARTS = words("Absatz Absatze Satz Satze Nummer Nr Abs § Buchstabe")
_ARTICLES = words("der die das des dem den ein eine eines einer einem einen und oder")

_ABBREVIATION = re.compile(r"\((?<=\s\()([A-Z][A-Za-z0-9&/-]{0,8}?[A-Za-z0-9])s?\)")
_LONG_FORM = 100
_PARTS = re.compile(r"[A-Z]?[a-zà-ÿß]+|[A-Z]+(?![a-zà-ÿ])|[^\W\d_]+")
_NO_PROSE = frozenset("#<[")
"""What headings and entries of a list of works begin with."""
_SMALL_WORDS = words(
    "a an the of for and to in on at by with or der die das des dem den und für von zur zum im in de du des la le les l d et à sur au aux en pour el los las del y o para por con"
)
