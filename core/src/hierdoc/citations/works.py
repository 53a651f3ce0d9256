"""Other works that citations belong to: the names by which texts call them, and the keys of these names.

    section 4 of the Clean Water Act        clean_water_act
    § 823 Abs. 1 BGB                        bgb
    § 1 des Bundesdatenschutzgesetzes       bundesdatenschutzgesetz

A document answers to the keys that `document_keys` gives, so that the two can be brought together.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from hierdoc.citations.vocabulary import LABELS, LEVELS, UNNUMBERED
from hierdoc.text.words import words

GENERIC = words(
    "act code law statute regulation directive treaty charter convention constitution rules order agreement"
)
"""Works that are named by their kind alone: `section 5 of the Act`."""


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
    if group == "short" and (
        named["short"] in _NO_SHORT_NAMES
        or named["short"].casefold() in _PARTS
        or _CAPITALS.match(text, named.end())
    ):
        return None
    return work_key(named[group]), named.end()


def work_key(name: str) -> str:
    """The form in which names of works are compared: words in lower case, without the year and German genitives."""
    name = _YEAR.sub("", unicodedata.normalize("NFC", name).casefold())
    name = _GENITIVE.sub(r"\1", name)
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return "_".join(_WORD.findall(plain) or _LETTERS.findall(name))


def short_titles(text: str) -> Iterator[str]:
    """What a document says it may be cited as, if that stands near its beginning."""
    if "be cited as" not in text[:_BEGINNING]:
        return
    for found in _MAY_BE_CITED.finditer(text, 0, _BEGINNING):
        yield next(group for group in found.groups() if group)


def names_itself(work: str, own: Collection[str]) -> bool:
    """Whether the key of a work's name means the document that these keys belong to.

    A name that says no more than the kind (`the Constitution`) means a document of that kind.
    """
    if work in own:
        return True
    if work == "agreement":
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
    ("of", "un", "in", "to", "fr", "de", "vo", "zu", "du", "da", "do", "  ")
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

_YEAR = re.compile(
    r"(?:[\s,]+(?:of|vom|von|de)?\s*(?:\d{1,2}\.?\s\w+\s|[a-z]+\s\d{1,2},\s)?\(?(?:1[5-9]|20)\d\d\)?)\s*\Z"
)
_GENITIVE = re.compile(r"(gesetz|buch|vertrag|abkommen|übereinkommen)e?s\b")
_WORD = re.compile(r"[a-z0-9]+")
_LETTERS = re.compile(r"[^\W_]+")
_CAPITALS = re.compile(r"\s[A-Z]{2,}\b")
_NO_SHORT_NAMES = words(
    "THE OF AND IS TO NOT OR IN SHALL US EU UK USA BY AS AT IF ON BE NO FOR ANY ALL WITH FROM MAY ARE WAS UND ODER DER",
    "DIE DAS DES IST EIP ERC RFC MUST",
)
_PARTS = words(*LABELS.values(), *LEVELS.values()) | UNNUMBERED
"""What parts are called: `TITLE VII, SEC. 702` goes on with a section, and names no work."""

_KINDS = (
    "Act|Code|Law|Statutes?|Regulations?|Directive|Treaty|Charter|Convention|Agreement|Rules|Order|Constitution|Indenture"
    "|Ordinance|Covenant|Protocol|Guidelines|Plan|Lease|Contract"
)
_CAPITALISED = r"[A-Z](?:\.(?:[A-Z]\.)*|[\w'’&-]*)"
_WORK = re.compile(
    rf"""
    ,?\s{{1,13}}(?:
      (?:of|under|in|to|from)\s{{1,3}}(?:(?:the|that|such|said|an?)\s{{1,3}})?[*_“"‘']{{0,3}}
        (?P<name>{_CAPITALISED},?\s{{1,3}}(?:(?:{_CAPITALISED},?|and|for|of|on|the|to|in|or|by|against)\s{{1,3}}){{0,14}}?(?:{_KINDS})\b(?!\s(?:\((?:E|U|C)[A-Z]|No\b|[0-9]+/))
          (?:\sof\s(?:the\s)?(?:[A-Z]\w+)(?:\s(?:of\s)?[A-Z]\w+){{0,4}})?
          (?:\s(?:of\s)?(?:[A-Z][a-z]+\s\d{{1,2}},\s)?(?:1[5-9]|20)\d\d)?)
    | (?:of|under|in|to)\s{{1,3}}(?:the|that|such|said)\s{{1,3}}(?P<kind>(?:{_KINDS})\b(?!\s(?:\((?:E|U|C)[A-Z]|No\b|[0-9]+/))(?:\sof\s(?:the\s)?[A-Z]\w+(?:\s[A-Z]\w+){{0,3}})?)
    | (?<=,\s)(?P<listed>(?:[A-Z]\w+\s){{0,4}}(?:Code|Act|Statutes|Laws)\b(?:\sof\s[A-Z]\w+)?(?:\s(?:of\s)?(?:1[5-9]|20)\d\d)?)
    | (?:des|der|dem|vom|zum)\s{{1,13}}(?:[a-zäöüß]+\s{{1,3}}|[A-ZÄÖÜ][a-zäöüß]+en\s{{1,13}}(?=Gesetz)){{0,2}}
        (?P<law>[A-ZÄÖÜ][\wäöüß-]*(?:gesetz(?:e?s|buch(?:e?s)?)?|ordnung|vertrag(?:e?s)|abkommens|richtlinie|konvention)\b(?!\s{{1,13}}(?:\((?:EU|EG|EWG)|Nr|[0-9]+/))
          |(?:Gesetz(?:es|buche?s|buch)|Verordnung|Richtlinie|Vertrag(?:e?s)|Abkommens|Übereinkommens|Beschlusses|Rahmenbeschlusses)(?!\s{{1,13}}(?:\((?:EU|EG|EWG)|Nr|[0-9]+/))(?:\s(?:über|zur|zum|vom|für)\s[^\W\d_]+(?:\s[^\W\d_]+){{0,3}})?(?!\w))
    | (?:du|de\sla|de\sl['’])\s?
        (?P<loi>(?:code|loi|traité|charte|convention|constitution|ordonnance|décret)\b(?:\s(?:n[o°º]\s?)?(?:d[eu]s?\s(?:la\s)?|d['’])?[\w-]+)?)
    | (?:del|de\sla|de\slos|della|dello|dell['’]|da|do)\s?
        (?P<ley>(?:[Ll]ey(?:\sOrgánica)?|[Cc]ódigo|[Cc]odice|[Ll]egge|[Dd]ecreto(?:\slegislativo)?|[Cc]onstitución|[Cc]ostituzione|[Tt]ratado|[Tt]rattato
          |[Cc]onstituição|Lei)\b(?:\s(?:n\.?[º°]?\s?)?(?:[\d/-]+|[A-Z]\w+|civile?|penale?))?)
    | (?:(?:of|under)\s(?:the\s)?|de[rs]\s|du\s|del?\s)?
        (?P<short>[A-ZÄÖÜ]{{2,8}}|[A-ZÄÖÜ][a-zäöü]{{0,4}}[A-ZÄÖÜ][A-Za-z]{{0,5}})(?![\w-]|\.\w)(?:\s[XVI]{{1,4}}\b)?
    )
    """,
    re.VERBOSE,
)
_MAY_BE_CITED = re.compile(
    r"cited(?:(?<=may\sbe\scited)|(?<=shall\sbe\scited))\sas(?:\sthe)?\s"
    r"(?:“([^”\n]{3,200})”|\"([^\"\n]{3,200})\"|[‘'`]{1,2}([^’'\n]{3,200})['’]{1,2}"
    r"|[*_]{1,3}([^*_\n]{3,200})[*_]{1,3}|((?:[A-Z][\w'’-]*\s(?:(?:of|and|for|the|on)\s){0,2}){1,10}(?:\d{4})?))"
)
