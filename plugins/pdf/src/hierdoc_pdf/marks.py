"""What lines begin with: bullets, numbers and labels."""

from __future__ import annotations

import re

from hierdoc.citations import LABELS

BULLET = re.compile(r"[•▪◦●○■□▸►‣⁃∙·✓✔➢➤❖◆★*\uf06e\uf0a8]|[–—-](?=\s)|o(?=\s\s|$)")
"""A mark before an item of a list."""

_ROMAN = r"(?=[IVXLC])(?:C{0,3}(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3}))"

NUMBERED = re.compile(
    r"\(?(?:\d{1,3}|[A-Za-z]{1,2}|[ivxl]{1,6}|[IVXL]{1,6})[.)](?:\([a-z0-9]{1,4}\))*"
)
"""The number of an item or paragraph: `(a)`, `1.`, `iv)`; to be matched fully or before a space."""

_SHORTEST_WORD = 4
"""Letters; shorter words name a part of a document in one language and something else in the next."""

KINDS: dict[str, str] = {
    word: kind
    for kind in [
        "book",
        "part",
        "subpart",
        "div",
        "title",
        "subtitle",
        "ch",
        "subch",
        "abschn",
        "sec",
        "subsec",
        "par",
        "art",
        "rule",
        "item",
        "note",
        "app",
        "annex",
        "exhibit",
        "sched",
        "amend",
    ]
    for word in LABELS[kind].split()
    if len(word) >= _SHORTEST_WORD
} | {"sec": "sec", "§": "sec", "§§": "sec", "volume": "volume"}
"""The words that name a part of a document, in every language, and the kind of each."""

WORDS = "|".join(sorted((word for word in KINDS if word[0] != "§"), key=len, reverse=True))

LABEL = re.compile(
    rf"(?:(?P<word>{WORDS})(?:\.\s*|\s+)|(?P<sign>§{{1,2}})\s*)"
    rf"(?P<number>\d{{1,4}}(?:[.-]\d{{1,3}})*[A-Za-z]?(?!\w)|(?-i:{_ROMAN}(?:-?[A-Z])?(?!\w)|[A-Z](?:-?\d+)?(?!\w)))"
    r"(?:\([0-9a-z]{1,3}\))*\s*(?P<mark>[.:)—–-]*)",
    re.IGNORECASE,
)
"""`Item 1A.`, `SEC. 203.`, `PART II`, `§ 4`: a word that names a part of a document, and its number."""

LABEL_WORD = re.compile(WORDS, re.IGNORECASE)
"""The word of a label alone; to be matched fully."""

_DECIMAL = r"\d{1,2}(?:\.\d{1,2}){0,4}"

DECIMAL = re.compile(rf"(?P<number>{_DECIMAL})\.?(?=\s+\S)")
"""`2.1 Methods`: a number before a title."""

DECIMAL_NUMBER = re.compile(rf"(?:[A-Z]\.)?{_DECIMAL}\.?|[A-Z]")
"""The number alone, `2.1` or that of an appendix, `A.1` or `A`; to be matched fully."""

ENUMERATION = re.compile(
    r"(?:\((?:\d{1,3}|[A-Za-z]{1,2}|[ivxl]{1,6}|[IVXL]{1,6})\)(?:\s?\((?:\d{1,3}|[A-Za-z]{1,2}|[ivxl]{1,6})\))*"
    r"|(?:\d{1,3}|[A-Za-z]|[ivxl]{1,5})[.)])(?=\s|$)"
)
"""What begins a numbered paragraph: `(a)`, `(1)(A)`, `2.`, `b)`."""

LEADERS = re.compile(r"(?:\.\s?){4,}|(?:…\s?){2,}|_{4,}")
"""Dots that lead to a page number, or a line to write on."""

PAGE_NUMBER = re.compile(r"(?:[A-Z]{1,2}-)?\d{1,4}|[ivxl]{1,6}")

_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
)
_DAY = rf"{_MONTH}\s+\d{{1,2}}(?:,\s*\d{{4}})?"

CAPTION = re.compile(
    r"(?:for\s+)?(?:the\s+)?(?:(?:fiscal|three|six|nine|twelve|\d{1,2})\s+)*(?:months?|weeks?|quarters?|quarterly periods?|years?)"
    r"\s+(?:then\s+)?ended\b[^\d]{0,20}\d.{0,60}"
    rf"|(?:(?:as\s+)?(?:of|at)\s+)?{_DAY}(?:\s*(?:,|and|to|through)\s*(?:{_DAY}|\d{{4}}))*"
    r"|(?:/s/|(?:by|date|dated|signature):).{0,120}",
    re.IGNORECASE | re.DOTALL,
)
"""The whole of a line that says of which time a table is, or that is to be signed."""

ADMONITION = re.compile(
    "(?:note|tip|hint|important|caution|warning|attention|danger|see also"
    "|hinweis|tipp|wichtig|vorsicht|warnung|achtung|anmerkung"
    "|remarque|astuce|important|avertissement|mise en garde"
    "|nota|consejo|sugerencia|importante|precaución|advertencia|aviso|atención"
    "|suggerimento|attenzione|avvertenza|avviso|dica|cuidado|atenção"
    "|opmerking|waarschuwing|belangrijk|let op|uwaga|ostrzeżenie|wskazówka)[ :.!]*",
    re.IGNORECASE,
)
"""The whole of a line that says how to take the paragraph below it; what follows that one stands where it stood."""

LARGER = 1.08
"""A font so much larger than the usual one sets a line apart."""
