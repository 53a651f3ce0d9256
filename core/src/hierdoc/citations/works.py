"""Other works that citations belong to: where a text names them, and whether a name means the document itself.

    section 4 of the Clean Water Act        clean_water_act
    § 823 Abs. 1 BGB                        bgb
    the Clean Water Act, section 4          clean_water_act

A document answers to the keys that `document_keys` gives, so that the two can be brought together.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from hierdoc.citations import work_names as names
from hierdoc.citations.vocabulary import LABELS, LEVELS, UNNUMBERED
from hierdoc.citations.work_names import work_key
from hierdoc.text.stemming import fold
from hierdoc.text.words import words

GENERIC = words(
    "act code law statute regulation directive treaty charter convention constitution rules order agreement"
)
"""Works that are named by their kind alone: `section 5 of the Act`."""

KINDS = GENERIC | words(
    "acts laws statutes regulations rule terms policy handbook manual guide guideline guidelines standard byelaw bylaw byelaws bylaws ordinance bill contract plan lease",
    "protocol resolution judgment judgement opinion indenture covenant licence license tariff circular bulletin instructions conditions statutes articles notice form",
    "loi lois ley leyes lei leis legge gesetz gesetzes gesetzbuch verordnung richtlinie satzung ordnung decreto décret decret codigo código codice contrat vertrag",
    "constitucion constitución costituzione constituição ordonnance reglement règlement reglamento regolamento regulamento arrete arrêté traité traite tratado statuts",
    "urteil beschluss arrêt arret sentencia sentenza wet besluit ustawa ustawy statut statutu regulamin regulaminu kodeks kodeksu",
    "закон закона законът кодекс кодекса наредба наредбата правилник правилника постановление указ приказ положение",
    "νόμος νόμου νομος νομου ν κώδικας κώδικα διάταγμα διατάγματος κανονισμός κανονισμού kanun kanunu kanununun yönetmelik yönetmeliği tüzük tüzüğü tebliğ tebliği",
)
KINDS |= {fold(word.casefold()) for word in KINDS}
"""Words that say of what kind a work is, and not which it is."""

KIND_ENDINGS = tuple(
    words(
        "gesetz gesetzes gesetzbuch gesetzbuchs verordnung satzung ordnung wet besluit lov loven lag lagen forskrift förordning laki asetus",
        "法 令 条例 條例 規則 规则 规定 規程 办法 법 령 규칙 조례",
    )
)
"""What compounds end with that say of what kind a work is: `Marktsatzung`, `港湾料金法`."""


def is_kind(word: str) -> bool:
    """Whether a word says of what kind a work is, `Rules`, or ends with what does, `Marktsatzung`."""
    folded = word.casefold()
    return folded in KINDS or folded.endswith(KIND_ENDINGS)


def work_after(text: str, end: int) -> tuple[str, int] | None:
    """The key of the work that is named behind a citation which ends here, and where its name ends."""
    before = text[end : end + 1]
    if before not in _BEFORE_WORK:
        return None
    if (
        before == " "
        and text[end + 1 : end + 3] not in _WORK_BEGINNINGS
        and not text[end + 1 : end + 2].isupper()
    ):
        return None
    named = _WORK.match(text, end)
    if named is None:
        return None
    group = named.lastgroup or "name"
    if group == "short" and not _is_short_name(text, end, named):
        return None
    return work_key(named[group]), named.end()


def nordic_work_after(text: str, end: int) -> tuple[str, int] | None:
    """The same where the name stands behind a section sign at once: `1 § hamnlagen`."""
    named = _NORDIC.match(text, end)
    return (work_key(named[1]), named.end()) if named else None


def work_before(text: str, start: int, low: int) -> tuple[str, int] | None:
    """The key of the work that is named before a citation which begins here, and where its name begins.

    Args:
        text: The document.
        start: Where the citation begins.
        low: Where its name begins at the earliest.
    """
    low = max(low, start - _LONGEST_BEFORE)
    if text[start - 1 : start] not in _BEHIND_WORK:
        return None
    word_start = text.rfind(" ", low, start - 1) + 1
    if word_start and text[word_start : word_start + 1].islower():
        return None
    last = _LAST_WORD.search(text, max(low, start - _LONGEST_LAST_WORD), start)
    if last is None:
        return None
    word = last[1]
    if word[-1].isdigit() and (named := STANDARD_BEFORE.search(text, low, start)):
        return work_key(named["name"]), named.start("name")
    if word.isdigit() or _KIND_BEFORE.match(word):
        found = _WORK_BEFORE.search(text, low, start)
        return (work_key(found["name"]), found.start("name")) if found else None
    if word.islower() or word.istitle() or word in _NO_SHORT_NAMES or word.casefold() in _PARTS:
        return None
    found = _SHORT_BEFORE.search(text, low, start)
    if found is None or _CAPITALS_BEFORE.search(text, low, found.start()):
        return None
    return work_key(word), found.start()


def cited_as(text: str) -> Iterator[str]:
    """What a document says it may be cited as, if that stands near its beginning."""
    if "be cited as" not in text[:_BEGINNING]:
        return
    for found in _MAY_BE_CITED.finditer(text, 0, _BEGINNING):
        yield next(group for group in found.groups() if group)


def short_titles(text: str) -> Iterator[str]:
    """What a document says it is called: what it may be cited as and, in its head, its number and version."""
    yield from cited_as(text)
    head = text[:_HEAD]
    for found in _OWN_NUMBER.finditer(head):
        if any(map(str.isdigit, found[1])) and not _IS_DATE.match(found[1]):
            yield found[1]
    for pattern, *written in _DESIGNATIONS:
        if own := pattern.search(head):
            yield from (one.format(*own.groups()) for one in written)
    for found in islice(_OWN_VERSION.finditer(head), 1):
        yield f"{found[1]}-{found[2]}"  # a year behind a space would be the date of a work


def names_itself(work: str, own: Collection[str]) -> bool:
    """Whether the key of a work's name means the document that these keys belong to.

    A name that says no more than the kind (`the Constitution`) means a document of that kind.
    """
    if work in own:
        return True
    if work == "agreement" or (
        work.endswith("_agreement") and any(key.endswith(f"_{work}") for key in own)
    ):  # the names of contracts' files begin with their parties
        return True
    kinds = {part for key in own for part in key.split("_")}
    if work in GENERIC:
        return work in kinds
    parts = work.split("_")
    return "constitution" in parts and any(
        set(parts) - {"of", "the", "state"} <= set(key.split("_")) for key in own
    )


def names_in(metadata: Mapping[str, Any]) -> Iterable[str]:
    """Names and short names that front matter gives."""
    for field in _NAME_FIELDS:
        value = metadata.get(field)
        if isinstance(value, str) and 1 < len(value) <= _LONGEST_NAME:
            yield value


_BEFORE_WORK = frozenset(" ,\n\xa0")
_WORK_BEGINNINGS = frozenset(
    ("of", "un", "in", "to", "fr", "de", "vo", "zu", "du", "da", "do", "au", "va", "i ", "  ", "d.")
)
_BEGINNING = 20_000
_LONGEST_NAME = 300
_NAME_FIELDS = (
    "title",
    "short_title",
    "shorttitle",
    "short",
    "abbreviation",
    "jurabk",
    "slug",
    "name",
    "citation",
)
_CAPITALS = re.compile(r"\s[A-Z]{2,}\b")
_NO_SHORT_NAMES = words(
    "THE OF AND IS TO NOT OR IN SHALL US EU UK USA BY AS AT IF ON BE NO FOR ANY ALL WITH FROM MAY ARE WAS UND ODER DER",
    "DIE DAS DES IST EIP ERC RFC MUST SEE",
)
_PARTS = words(*LABELS.values(), *LEVELS.values()) | UNNUMBERED
"""What parts are called: `TITLE VII, SEC. 702` goes on with a section, and names no work."""

_WORK = re.compile(
    rf"""
    ,?\s{{1,13}}(?:
      (?:of|under|in|to|from)\s{{1,3}}(?:the\s{{1,3}})?(?P<dated>{names.ENGLISH_DATED})
    | (?:of|under|in|to|from)\s{{1,3}}(?:(?:the|that|such|said|an?)\s{{1,3}})?[*_“"‘']{{0,3}}(?P<name>{names.ENGLISH_NAME})
    | (?:(?:of|under|in|to|from)\s{{1,3}})?(?P<bill>{names.BILL})
    | (?:(?:of|under|in|to|from|der|von|nach|de)\s{{1,3}})?(?:the\s)?(?P<standard>{names.STANDARD})
    | (?:of|under|in|to)\s{{1,3}}(?:the|that|such|said)\s{{1,3}}(?P<kind>{names.ENGLISH_KIND})
    | (?<=,\s)(?P<listed>{names.ENGLISH_LISTED})
    | (?:des|der|dem|vom|zum)\s{{1,13}}(?:[a-zäöüß]+\s{{1,3}}){{0,2}}(?P<german>{names.GERMAN})
    | (?:du|dudit|de\sla|de\sl['’]|au|à\sla|à\sl['’]|de\sladite)\s?(?:même\s)?(?P<french>{names.FRENCH})
    | (?:del|de\sla|de\slos|dicha|dicho)\s(?:misma?o?\s)?(?P<spanish>{names.SPANISH})
    | (?:della|dello|dell['’]|del|di\s?cui\salla)\s?(?P<italian>{names.ITALIAN})
    | (?P<numbered>{names.ROMANCE_NUMBERED})
    | (?:da|do)\s(?P<portuguese>{names.PORTUGUESE})
    | (?:van|in)\s(?:de|het)\s(?P<dutch>{names.DUTCH})
    | (?:i|enligt|efter|jf\.?)\s(?P<nordic>{names.NORDIC})
    | (?:ustawy\s[-–—]\s)?(?P<polish>{names.POLISH})
    | (?:(?:of|under)\s(?:the\s)?|de[rs]\s|du\s|del?\s)?(?:(?P<dotted>{names.DOTTED})|(?P<short>(?:{names.SHORT})(?![\w-]|\.\w)(?:\s[XVI]{{1,4}}\b)?))
    )
    """,
    re.VERBOSE,
)

_NORDIC = re.compile(rf"[ ]({names.NORDIC})")
_LONGEST_BEFORE = 120
_BEHIND_WORK = frozenset(" (\n\xa0")
_KIND_BEFORE = re.compile(rf"(?:{names.ENGLISH_KINDS})\Z")
_NO_BEGINNING = "See|Under|In|Of|Per|Cf|Compare|Unlike|By|For|As|And|But|If|When|Pursuant|To|With"
"""Words that stand in capitals before a name because a sentence begins with them."""

_WORK_BEFORE = re.compile(
    rf"(?<![\w-])(?:(?:The|{_NO_BEGINNING})[ \n])?(?!(?:This|That|Such|Each|Any|An?|No|Said|The|{_NO_BEGINNING})\s)"
    r"(?P<name>[A-Z][\w'’&.-]*[ \n\xa0](?:(?:[A-Z][\w'’&.-]*|and|for|of|on|the|to|in)[ \n\xa0]){0,10}?"
    rf"(?:{names.ENGLISH_KINDS})(?:\s(?:of\s)?(?:1[5-9]|20)\d\d)?)(?:,?\s{{1,2}}\(?|\s?\()\Z"
)
STANDARD_BEFORE = re.compile(rf"(?<![\w-])(?P<name>{names.STANDARD})(?:,?\s{{1,2}}\(?|\s?\()\Z")
_SHORT_BEFORE = re.compile(rf"(?<![\w.&/-])(?P<short>{names.SHORT})(?P<gap>,?\s{{1,2}}\(?)\Z")
_LONGEST_LAST_WORD = 18
_CAPITALS_BEFORE = re.compile(r"\b[A-Z]{2,}[ .,]{1,2}\Z")
_LAST_WORD = re.compile(r"([^\W_]{2,12})(?:,?\s{1,2}\(?|\s?\()\Z")
_LONGEST_LABEL = 24
_CAPITAL_LABEL = re.compile(r"\b[A-Z]{4,}[ \t][IVXLC0-9.]{1,9}\Z")
"""`ARTICLE III`, behind which a title in capitals stands."""

_SENTENCE_GOES_ON = re.compile(r"\s+[a-z]")
_MAY_BE_CITED = re.compile(
    r"cited(?:(?<=may\sbe\scited)|(?<=shall\sbe\scited))\sas(?:\sthe)?\s"
    r"(?:“([^”\n]{3,200})”|\"([^\"\n]{3,200})\"|[‘'`]{1,2}([^’'\n]{3,200})['’]{1,2}"
    r"|[*_]{1,3}([^*_\n]{3,200})[*_]{1,3}|((?:\(?[A-Z][\w'’-]*\)?\s(?:(?:of|and|for|the|on)\s){0,2}){0,10}[A-Z][\w'’-]*(?:,?\s\d{4})?))"
)


_HEAD = 2_000
"""Characters at the beginning of a document in which lines say its number and version."""

_LINE_BEGINS, _LINE_SAYS = r"(?im)^[ \t*_|>-]{0,8}", r"[*_]{0,3}[ \t]?[:|][ \t*_]{0,6}"
_OWN_NUMBER = re.compile(
    rf"{_LINE_BEGINS}(?:(?:document|doc\.?|policy|procedure|standard|sop|control|form|product|part|report|publication|file|manual|instruction|circular|specification|reference"
    r"|dokument|dokumenten|richtlinien|teile|document[oe]?|política|politique|procédure|norme|norma)[ -]?"
    r"(?:number|no\.?|nr\.?|num\.?|id|identifier|code|ref\.?|reference|nummer|kennung|número|numéro|n[º°]|código)|identifier|kennung|referencia|référence|reference|aktenzeichen)"
    rf"{_LINE_SAYS}((?:[A-Z]{{1,8}}[-/. ]?)?[A-Z0-9]{{1,8}}(?:[-/.][A-Z0-9]{{1,8}}){{0,4}})(?=[ \t*_|]*$)"
)
_OWN_VERSION = re.compile(
    rf"{_LINE_BEGINS}(version|versión|versão|versione|fassung|revision|révision|revisión|rev\.?|issue|edition|ausgabe)(?:[ ](?:number|no\.?|nr\.?))?"
    rf"{_LINE_SAYS}v?([0-9]{{1,4}}(?:\.[0-9]{{1,3}}){{0,3}}|[A-Z])(?=[ \t*_|]*$)"
)
_DESIGNATIONS = (
    (
        re.compile(rf"{_LINE_BEGINS}act\s+no\.?\s?([0-9]{{1,3}})\s+of\s+([0-9]{{4}})[ .]*$"),
        "Act {0} of {1}",
        "Act {0}-{1}",
    ),
    (
        re.compile(rf"{_LINE_BEGINS}([0-9]{{4}})[ ](asp|anaw|asc)[ ]([0-9]{{1,3}})[ ]*$"),
        "{0} {1} {2}",
    ),
    (re.compile(rf"{_LINE_BEGINS}([0-9]{{4}})[ ]no\.[ ]([0-9]{{1,4}})[ ]*$"), "SI {0}/{1}"),
    (
        re.compile(rf"{_LINE_BEGINS}kanun\s(?:numarası|no){_LINE_SAYS}([0-9]{{3,5}})[ ]*$"),
        "{0} sayılı Kanun",
    ),
)
"""Lines by which acts of several countries say how they are cited, and how that is written; a year behind `of` would be no part of the key."""

_IS_DATE = re.compile(r"[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}\Z|[0-9]{1,3}\Z")


def _is_short_name(text: str, end: int, named: re.Match[str]) -> bool:
    """Whether capitals behind a citation name a work: no common word, no heading in capitals, no party that does something."""
    name, behind = named["short"].partition(" ")[0], named.end()
    if name in _NO_SHORT_NAMES or name.casefold() in _PARTS or _CAPITALS.match(text, behind):
        return False
    if text[end] == "," and _SENTENCE_GOES_ON.match(text, behind):
        return False  # `Under Section 3.2, NCM shall …`
    return not _CAPITAL_LABEL.search(text, max(0, end - _LONGEST_LABEL), end)
