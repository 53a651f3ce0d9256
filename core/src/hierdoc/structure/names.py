"""By what people call a document: its parties, short titles and years, read from its opening.

    by and between ARCONIC INC. ("Licensee") and ARCONIC ROLLED PRODUCTS CORP.       arconic, arconic rolled products
    For the fiscal year ended December 31, 2018                                        2018

They are kept with the document's first chunk, as keys that begin with `@`, and never meet a citation's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hierdoc.models import Document
from hierdoc.text.words import words

FIRST_OF_DOCUMENT = "@document"
"""The key of the chunk that a document begins with."""

PARTY, YEAR = "@party:", "@year:"
"""What the keys of parties and years begin with."""


def name_keys(document: Document) -> tuple[str, ...]:
    """The keys by which the first chunk tells what people call its document."""
    opening = document.text[:_OPENING]
    parties = dict.fromkeys(f"{PARTY}{one}" for one in _parties(opening))
    years = dict.fromkeys(f"{YEAR}{one}" for one in _YEAR_ENDED.findall(opening))
    return (FIRST_OF_DOCUMENT, *list(parties)[:_MOST_PARTIES], *years)


def _parties(opening: str) -> Iterator[str]:
    """The names of companies, and of those between whom a contract is made, in lower case."""
    flat = " ".join(opening.split())
    for found in _COMPANY.finditer(flat):
        yield _plain(found["name"])
    if not _AGREEMENT.search(flat):  # others speak of what lies between Member States
        return
    for found in _BETWEEN.finditer(flat):
        for one in found.group("first", "second"):
            if one and len(one.split()) <= _LONGEST_PARTY:
                yield _plain(one)
    for short in _CALLED.findall(flat):
        if short.casefold() not in _ROLES:
            yield _plain(short)


def _plain(name: str) -> str:
    words = _WORD.findall(name.casefold())
    while words and words[-1] in _SUFFIXES:
        words.pop()
    return " ".join(words)


_OPENING = 6_000
"""Characters at the beginning of a document in which its parties are named."""

_MOST_PARTIES = 40
_LONGEST_PARTY = 8
_WORD = re.compile(r"[^\W_]+")
_CAPITALISED = r"[A-Z0-9][\w.&'’-]*"
_SUFFIX = (
    r"(?:Inc|INC|Incorporated|INCORPORATED|Corp|CORP|Corporation|CORPORATION|L\.?L\.?C|L\.?L\.?P|L\.?P|Ltd|LTD|Limited|LIMITED|PLC|plc|AG|GmbH"
    r"|SE|KG|N\.?V|B\.?V|S\.?A|S\.?p\.?A|AB|Oy|Co|CO|Company|COMPANY|Trust|TRUST|AKTIENGESELLSCHAFT|Aktiengesellschaft|Fund|FUND|Bank|BANK)"
)
_COMPANY = re.compile(
    rf"(?P<name>(?:{_CAPITALISED} (?:(?:of|and|&|the|de) )?){{1,6}}?(?:{_CAPITALISED})?),? ?(?<=[ \w.)]){_SUFFIX}\b"
)
_NAME = rf"(?:[Tt]he )?{_CAPITALISED}(?: (?:of|and|&|the|de|{_CAPITALISED})){{0,6}}?"
_BETWEEN = re.compile(
    rf"(?:[Bb]etween|BETWEEN|[Aa]mong)(?: and among)?:? (?:\(?[1iA]\)?\.? )?(?P<first>{_NAME})(?=,| \(|;| AND| and )"
    rf"(?:.{{0,400}}?(?:\band|AND):? (?:\(?[2B]\)?\.? )?(?P<second>{_NAME})(?=,| \(|;|\.))?"
)
_CALLED = re.compile(
    r"\((?:the |hereinafter |collectively, )?[“\"'‘]([A-Z][\w.&' -]{1,40})[”\"'’]\)"
)
_AGREEMENT = re.compile(
    r"\b(?:AGREEMENT|Agreement|CONTRACT|LEASE|Lease|ADDENDUM|Addendum|AMENDMENT #?[0-9]|DEED|Deed)\b"
)
_YEAR_ENDED = re.compile(
    r"(?i:fiscal\s+year|year|period|quarter|quarterly\s+period)\s+ended:?\s+[^\n]{0,30}?(20[0-9]{2}|19[0-9]{2})\b"
)
_SUFFIXES = words(
    "inc incorporated corp corporation llc l c llp lp p ltd limited plc ag gmbh se kg nv n v bv b sa s a spa ab oy",
    "co company trust aktiengesellschaft fund bank",
)
_ROLES = words(
    "agreement company licensor licensee supplier buyer seller customer distributor reseller consultant effective",
    "date parties party lender borrower landlord tenant term lessor lessee contractor owner client vendor employee",
    "employer purchaser",
)
