"""The names of works, by language: how they are written behind a citation, and the key that all spellings of one share.

    the Securities Exchange Act of 1934          securities_exchange_act
    the Act of July 2, 1862                      act_of_july_2_1862
    des Bürgerlichen Gesetzbuchs                 burgerlich_gesetzbuch
    des Fünften Buches Sozialgesetzbuch, SGB V   sozialgesetzbuch_5, sgb_5
    du code de procédure pénale                  code_de_procedure_penale
    la loi n° 78-17 du 6 janvier 1978            loi_78_17
    de la Ley 39/2015, de 1 de octubre           ley_39_2015
    del decreto legislativo 30 giugno 2003, n. 196   decreto_legislativo_196_2003

To teach the grammar a name, add it to the pattern of its language: the patterns are data, and what they match is brought to
its key by `work_key` alone.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from hierdoc.citations.vocabulary import ordinal_value, roman_value
from hierdoc.text.words import words


@lru_cache(maxsize=4096)  # a text names the same works again and again
def work_key(name: str) -> str:
    """The form in which names of works are compared: words in lower case, without years, dates, zeros before numbers and the endings of cases."""
    if bill := bill_key(name):
        return bill
    folded = unicodedata.normalize("NFC", name).casefold().replace("—", " ").replace("–", "-")
    folded = _ITALIAN_NUMBER.sub(r"\1 \3/\2", folded)
    folded = _NUMBER_SIGN.sub(" ", folded)
    folded = _OF_YEAR.sub(r"\1/\2", folded)
    folded = _THOUSANDS.sub("", folded)
    folded = _LGS.sub("decreto legislativo ", folded)
    if numbered := _NUMBERED.match(folded):
        folded = numbered[0]
    dateless = _DATE.sub("", folded)
    if dateless.strip() not in _KINDS_ALONE:
        folded = dateless
    folded = _GENITIVE.sub(r"\1", folded)
    folded = _DEFINITE.sub(r"\1", folded)
    folded = _ADJECTIVE.sub(r"\1 ", folded)
    folded = _BOOK_BEFORE.sub(_counted_book, folded)
    folded = _BOOK_BEHIND.sub(_counted_book, folded)
    folded = _ROMAN_BEHIND.sub(lambda found: f"{found[1]} {roman_value(found[2])}", folded)
    plain = unicodedata.normalize("NFKD", folded).encode("ascii", "ignore").decode()
    if _OTHER_SCRIPT.search(folded):
        return "_".join(_LETTERS.findall(_ARTICLE_BEHIND.sub(r"\1", folded.replace("№", " "))))
    return "_".join(_WORD.findall(without_filling(plain)))


def without_filling(text: str) -> str:
    """A text in small letters without the zeros before whole numbers, `rfc 0793`; 1.05 is another version than 1.5."""
    return _FILLED.sub("", text) if "0" in text else text


def bill_key(name: str) -> str | None:
    """The key of a bill that its number names, `hr_8847` of `H. R. 8847`; None for another name."""
    if not name[-1:].isdigit() or not _BILL.match(name):
        return None
    number = _LAST_NUMBER.search(name)
    assert number
    letters = "".join(filter(str.isalpha, name[: number.start()])).lower().removesuffix("no")
    return f"{letters}_{int(number[0])}"


def numbered_act(title: str) -> tuple[str, ...]:
    """The keys of an act whose title begins with its kind and number, `Ley 39/2015, de 1 de octubre, del …`; none for another.

    `Lei nº 8.078, de 11 de setembro de 1990` is cited as `Lei 8.078` and as `Lei 8.078/1990`.
    """
    found = _NUMBERED_TITLE.match(title)
    if not found:
        return ()
    key = work_key(found[0])
    year = _YEAR_BEHIND.match(title, found.end())
    return (key, f"{key}_{year[1]}") if year and "/" not in found[0] else (key,)


_CAPITALISED = r"[A-Z](?:\.(?:[A-Z]\.)*|[\w'’&-]*)"
ENGLISH_KINDS = (
    "Act|Code|Law|Statutes?|Regulations?|Directive|Treaty|Charter|Convention|Agreement|Rules|Order|Constitution|Indenture"
    "|Ordinance|Covenant|Protocol|Guidelines|Plan|Lease|Contract"
)
_NO_NUMBER = r"(?!\s(?:\((?:E|U|C)[A-Z]|No\b|[0-9]+[/–-]))"
_SINCE = r"(?:\s(?:of\s)?(?:[A-Z][a-z]+\s\d{1,2},\s)?(?:1[5-9]|20)\d\d)?"

ENGLISH_NAME = (
    rf"(?!Public\s{{1,3}}Law\b){_CAPITALISED},?\s{{1,3}}"
    rf"(?:(?:{_CAPITALISED},?|\([A-Z][\w'’-]*(?:\s[A-Za-z]\w*){{0,4}}\)|and|for|of|on|the|to|in|or|by|against)\s{{1,3}}){{0,14}}?(?:{ENGLISH_KINDS})\b{_NO_NUMBER}"
    rf"(?:\sof\s(?:the\s)?(?:[A-Z]\w+)(?:\s(?:of\s)?[A-Z]\w+){{0,4}})?{_SINCE}"
)
"""A name of several words with its kind at the end: `Clean Water Act`, `Internal Revenue Code of 1986`."""

ENGLISH_DATED = (
    r"(?:Act|Law|Joint\sResolution|Ordinance|Decree)\sof\s[A-Z][a-z]+\s\d{1,2},\s(?:1[5-9]|20)\d\d"
)
ENGLISH_KIND = (
    rf"(?:{ENGLISH_KINDS})\b{_NO_NUMBER}(?:\sof\s(?:the\s)?[A-Z]\w+(?:\s[A-Z]\w+){{0,3}})?"
)
ENGLISH_LISTED = r"(?:[A-Z]\w+\s){0,4}(?:Code|Act|Statutes|Laws)\b(?:\sof\s[A-Z]\w+)?(?:\s(?:of\s)?(?:1[5-9]|20)\d\d)?"

_NO_NUMBER_DE = r"(?!\s{1,13}(?:\((?:EU|EG|EWG)|Nr|[0-9]+/))"
_ADJECTIVES_DE = r"(?:[A-ZÄÖÜ][a-zäöüß]+en\s{1,13}){0,2}"
GERMAN = (
    rf"[A-ZÄÖÜ][a-zäöü]+(?:en|tes|ter)\s{{1,13}}Buch(?:e?s)?\s{{1,13}}Sozialgesetzbuch(?:e?s)?"
    rf"|{_ADJECTIVES_DE}(?:(?:Einführungsgesetz(?:e?s)?\s{{1,13}}zu[mr]\s{{1,13}}{_ADJECTIVES_DE})?"
    rf"(?:Gesetzbuch(?:e?s|e)?|[A-ZÄÖÜ][\wäöüß-]*(?:gesetz(?:e?s|buch(?:e?s|e)?)?|ordnung|vertrag(?:e?s)|abkommens|richtlinie|konvention))\b{_NO_NUMBER_DE}"
    rf"|(?:Gesetz(?:es)|Verordnung|Richtlinie|Vertrag(?:e?s)|Abkommens|Übereinkommens|Beschlusses|Rahmenbeschlusses){_NO_NUMBER_DE}"
    r"(?:\s(?:über|zur|zum|vom|für)\s[^\W\d_]+(?:\s[^\W\d_]+){0,3})?(?!\w))"
)

_FRENCH_ADJECTIVE = (
    r"[a-zéèêàç]+(?:al|aux|ale|ales|el|els|elle|elles|ique|iques|ier|iers|ière|ières|if|ifs|ive|ives|aire|aires|il|ils|ile|iles"
    r"|ien|iens|ienne|iennes|isé|isée|eux|euse|ain|ains|aine|aines|ime|imes|oral|ral)(?!\w)"
)
_FRENCH_NOUN = (
    r"(?:de\sla\s|de\sl['’]|des\s|du\s|de\s|d['’]|la\s|le\s|les\s|l['’])[a-zéèêëàâîïôûùçœ-]+"
)
_FRENCH_DATE = r"(?:\sdu\s\d{1,2}(?:er)?\s[a-zéû]{3,9}\s(?:1[5-9]|20)\d\d)?"
FRENCH = (
    rf"[Cc]ode(?:\s{_FRENCH_ADJECTIVE}){{0,2}}(?:\s(?:(?:et|entre|ou)\s)?(?:{_FRENCH_NOUN}|(?<=et\s){_FRENCH_ADJECTIVE})(?:\s{_FRENCH_ADJECTIVE}){{0,2}}){{0,4}}"
    r"|livre\sdes\sprocédures\sfiscales"
    rf"|(?:[Ll]oi(?:\s(?:organique|constitutionnelle))?|[Oo]rdonnance|[Dd]écret|[Aa]rrêté)\s(?:n[o°º]\s?)?[0-9]{{2,4}}-[0-9]{{1,5}}(?![0-9]){_FRENCH_DATE}"
    rf"|(?:[Ll]oi|[Oo]rdonnance|[Dd]écret|[Aa]rrêté|[Cc]onstitution|[Tt]raité|[Cc]onvention|[Cc]harte)\sdu\s\d{{1,2}}(?:er)?\s[a-zéû]{{3,9}}\s(?:1[5-9]|20)\d\d"
    r"|(?:[Tt]raité|[Cc]onvention|[Cc]harte)(?:\s(?:sur|de|du|des|relative?|pour)\s[\w’'-]+(?:\s(?:de|du|des|à|la|l[’'])?\s?[\w’'-]+){0,4}?(?=[ ,.;)]))?"
    r"|(?:loi|constitution|ordonnance|décret)\b"
)

_ROMANCE_NUMBER = r"(?:n?\.?[ºo°]?\s?)?[0-9][0-9./-]{0,12}(?<![./-])(?![0-9])"
_NOUN_ES = r"(?:\s(?:de\s(?:la\s|los\s|las\s)?|del\s|y\s(?:de\s(?:la\s|los\s|las\s)?|del\s)?)?[A-ZÁÉÍÓÚ][a-záéíóúñü]+)"
SPANISH = (
    rf"(?:[Ll]ey(?:\s[Oo]rgánica)?|[Rr]eal\s[Dd]ecreto(?:[ -][Ll]ey|\s[Ll]egislativo)?|[Dd]ecreto(?:[ -][Ll]ey)?)\s(?:[Nn]\.?[º°]\s?)?{_ROMANCE_NUMBER}"
    rf"|(?:[Cc]ódigo|[Cc]onstitución|[Tt]ratado|[Ll]ey|[Ee]statuto){_NOUN_ES}{{0,5}}"
)
ITALIAN = (
    r"(?:[Ll]egge|[Dd]ecreto(?:[ -]legge|\slegislativo)?|d\.\s?lgs\.|[Dd]\.\s?[Ll]gs\.|d\.P\.R\.|D\.P\.R\.)\s"
    r"(?:\d{1,2}°?\s[a-z]{4,10}\s(?:1[89]|20)\d\d,?\s)?(?:n\.\s?)?[0-9]{1,4}(?:/(?:1[89]|20)\d\d)?"
    r"|(?:[Cc]odice|[Cc]ostituzione|[Tt]rattato)(?:\s(?:di\s[a-z]+\s)?(?:civile|penale|amministrativo|(?:della|del|dei|delle)\s[a-z]+))?"
)
ROMANCE_NUMBERED = (
    r"(?:[dD]\.\s?[lL]gs\.|[dD]\.P\.R\.|[Ll]egge|[Ll]ey(?:\s[Oo]rgánica)?|Lei(?:\s[Cc]omplementar)?|[Ll]oi)\s(?:[nN]\.?[º°o]?\s?)?[0-9]{1,3}(?:\.?[0-9]{3})?"
    r"(?:[/-][0-9]{2,4}|\sdel\s(?:1[89]|20)[0-9]{2})(?![0-9])"
)
"""Acts that their kind, number and year name so plainly that no word need lead to them: `art. 3, d.lgs. 44/2031`."""

PORTUGUESE = (
    rf"(?:Lei(?:\s[Cc]omplementar)?|Decreto(?:-[Ll]ei)?)\s(?:[nN]\.?[º°]\s?)?{_ROMANCE_NUMBER}"
    r"|(?:Código|Constituição|Consolidação)(?:\s(?:d[aeo]s?\s)?[A-ZÁÉÍÓÚÂÊÔÃÕ][a-záéíóúâêôãõç]+){0,5}|Lei\b"
)
DUTCH = (
    r"(?:Burgerlijk\sWetboek|Wetboek\s(?:van\s)?[A-Z][a-z]+(?:vordering|recht|handel)?|Algemene\s[Ww]et\s[a-z]+|Grondwet"
    r"|[A-Z][a-z]+wet(?:boek)?(?!\w)|Wet\s(?:op\s(?:de\s|het\s)?)?[a-z]+(?:\s[a-z]+){0,3}(?=[,.;)]|\s\d{4}|\s*\Z))"
)
POLISH = r"(?:[Kk]odeksu?\s(?:postępowania\s)?[a-ząęłńóśżź]+(?:\si\s[a-ząęłńóśżź]+)?|Konstytucji(?:\sRP)?)"

NORDIC = r"[a-zåäöæøA-ZÅÄÖÆØ][a-zåäöæø]{2,30}(?:lov(?:en|a)|lagen|balken|forskriften|förordningen|bekendtgørelsen)(?!\w)"
"""Names that end with their kind and its article: `havneloven`, `hamnlagen`."""

DOTTED = r"(?:[A-Z]\.\s?){2,6}(?!\w)|C\.\s(?:civ|com|pén|trav|rur)\.|[A-Z][a-z]{1,6}\.\s(?:[A-Z][a-z]{1,6}\.\s)?(?:Code|Stat\.|Ann\.)"
"""Abbreviations with full stops: `C.R.S.`, `C. civ.`, `Cal. Civ. Code`."""

STANDARD = (
    r"(?:ISO|IEC|EN|DIN|BS|ANSI|ASTM|IEEE|NFPA|SAE|ITU|ETSI|CEN|API|ASME|AS|NZS|CSA|UL|JIS|GB|VDE|ÖNORM|SIA|NF|UNE|UNI|NEN|NIST)"
    r"(?:[ /-](?:ISO|IEC|IEEE|EN|TS|TR|SP|FIPS|BS|NZS|STD))*[ -][A-Z]{0,2}[0-9]{2,6}(?:[.-][0-9]{1,4}[A-Z]?)*(?::(?:19|20)[0-9]{2})?(?!\w)"
)
"""Standards are named by who issues them and a number: `ISO/IEC 27001:2022`, `DIN EN 1090-2`."""

BILL = (
    r"(?:H\.?\s?(?:J\.?\s?|Con\.?\s?)?R(?:es)?\.?|S\.(?:\s?(?:J\.?\s?|Con\.?\s?)?Res\.?)?|[HSA]\.?\s?B\.?|L\.?\s?D\.?)"
    r"\s?(?:No\.\s?)?[0-9]{1,5}(?![\w/-]|\.[0-9])"
)
"""Bills by the house that they began in: `H.R. 8847`, `H.J. Res. 7`, `S. 3874`, `HB 1020`."""

SHORT = r"[A-Z]-[A-Z]{2,4}|[A-ZÄÖÜ]{2,8}|[A-ZÄÖÜ][a-zäöü]{0,4}[A-ZÄÖÜ][A-Za-z]{0,5}"
"""Short names: `BGB`, `StGB`, `GDPR`, `EStG`, `B-VG`."""

_LAST_NUMBER = re.compile(r"[0-9]+\Z")
_BILL = re.compile(rf"\s*({BILL})\s*\Z", re.IGNORECASE)
_NUMBERED_TITLE = re.compile(
    r"\s*(?:loi|ley|lei|legge|ordonnance|décret|decreto|real\sdecreto|arrêté|d\.\s?lgs\.)(?:[ -](?:organique|constitutionnelle|orgánica|legislativo|complementar|ley|lei|legge))?"
    r"\s(?:\d{1,2}°?\s[a-z]{4,10}\s(?:1[89]|20)\d\d,?\s)?(?:n\.?[o°º]?\s?)?[0-9][0-9./-]{0,12}(?<![./-])(?![0-9])",
    re.IGNORECASE,
)
_YEAR_BEHIND = re.compile(
    r",?\s(?:de|del|du)\s\d{1,2}(?:er|º|°)?\s(?:de\s)?[^\W\d_]{3,10}\s(?:de\s|del\s)?((?:1[5-9]|20)\d\d)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"\s*(?:loi|ley|lei|legge|ordonnance|décret|decreto|real decreto|arrêté|d\. ?lgs\.)(?:[ -](?:organique|constitutionnelle|orgánica|legislativo|complementar|ley|lei|legge))?"
    r" +[0-9][0-9/-]{1,11}(?<![/-])"
)
"""An act that its kind and number name; what follows is its date and subject."""

_ITALIAN_NUMBER = re.compile(
    r"((?:legge|decreto(?:[ -]legge| legislativo)?|d\. ?lgs\.))\s\d{1,2}°?\s[a-z]{4,10}\s((?:1[89]|20)\d\d),?\sn\.\s?(\d{1,4})"
)
_OF_YEAR = re.compile(r"(?<=\s)(\d{1,4})\sdel\s((?:1[89]|20)\d\d)\Z")
"""`44 del 2031`, which is `44/2031`."""
_LGS = re.compile(r"\bd\. ?lgs\.\s")
_FILLED = re.compile(r"(?<![0-9][./:_-])(?<![0-9a-z])0+(?=[1-9])")
_NUMBER_SIGN = re.compile(r"(?<=\s)(?:n[o°º]\.?|n\.(?:[ºo°]|(?=\s?\d))|nr\.?)\s?(?=\d)")
_THOUSANDS = re.compile(r"(?<=\d)\.(?=\d{3}(?!\d))")
_KINDS_ALONE = words(
    "act law code decree ordinance loi ley lei legge constitution constitución gesetz verordnung decreto ordonnance décret arrêté traité",
    "convention charte resolution",
) | {"joint resolution"}
"""Kinds that name nothing without their date."""

_DATE = re.compile(
    r"[\s,]+(?:of|vom|von|du|de|del|di)?\s*(?:\d{1,2}(?:er|°|º|\.)?\s(?:de\s)?[^\W\d_]{3,10}\s(?:de\s|del\s)?|[a-z]{3,9}\s\d{1,2},\s)?"
    r"\(?(?:1[5-9]|20)\d\d\)?\s*\Z"
)
_GENITIVE = re.compile(r"(gesetz|buch|vertrag|abkommen|übereinkommen|kodeks)(?:e?s|e|u)\b")
_DEFINITE = re.compile(r"(?<=\w)(lov|lag|balk|forskrift|förordning|bekendtgørelse)(?:en|a|n)s?\b")
_ADJECTIVE = re.compile(
    r"\b([^\W\d_]{4,}?)e[nrs]\s+(?=(?:[^\W\d_]+e[nrs]\s+)?[^\W\d_-]*(?:gesetz|gesetzbuch|ordnung|vertrag)\b)"
)
_BOOK_BEFORE = re.compile(r"\b(?P<ordinal>[^\W\d_]+)\sbuch\s(?P<name>[^\W\d_]*gesetzbuch)\b")
_BOOK_BEHIND = re.compile(
    r"\b(?P<name>[^\W\d_]*gesetzbuch)\s(?:\(\w+\)\s)?[-–(]*\s?(?P<ordinal>[^\W\d_]+)\sbuch\b(?:\s\([ivx]+\))?"
)
_ROMAN_BEHIND = re.compile(r"\b(sgb)\s([ivx]{1,4})\b")
_WORD = re.compile(r"[a-z0-9]+")
_OTHER_SCRIPT = re.compile(r"[\u0370-\u1fff\u3040-\ud7ff]")
"""Letters of scripts that are not written in Latin ones."""

_ARTICLE_BEHIND = re.compile(r"\b(закон|кодекс|правилник|наредба)(?:а|ът|ат|та)\b")
"""Bulgarian names with the article behind them: `Закона за …`."""
_LETTERS = re.compile(r"[^\W_]+")


def _counted_book(found: re.Match[str]) -> str:
    value = ordinal_value(found["ordinal"])
    return f"{found['name']} {value}" if value else found[0]
