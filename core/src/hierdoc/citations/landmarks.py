"""Patterns of what stands around the numbers of citations, for `hierdoc.citations.reading`."""

from __future__ import annotations

import re

from hierdoc.citations.labels import COMMUNITIES, IDENTIFIERS, INWARD
from hierdoc.citations.vocabulary import CAPITAL_ORDINALS

REACH = 32
"""Characters before a number within which its label stands."""

GAP = re.compile(
    r"(?:[.:]?[ \t\xa0\u202f\u2009]{0,3}(?:\r?\n[ \t]{0,8})?)(§{1,2}[ \xa0\u202f\u2009]{0,2})?\Z"
)
LAST_WORD = re.compile(r"(?:[^\W\d_]+)\Z")
NOT_BEFORE_WORD = frozenset("_/\\")
CODE = re.compile(
    r"(?<![\w.])([0-9]{1,2}) (?:(U) {0,2}S {0,2}C(?: {0,2}A)?|C {0,2}F {0,2}R) *(?:Part |Sec |Section |section )?\Z"
)
PUBLIC_LAW = re.compile(r"(?:Public +Law|Pub +L|P +L) *\Z")
LAW_NUMBER = re.compile(r"([0-9]{2,3})[-–]([0-9]{1,4})(?!\w)")
ACT_NUMBER = re.compile(
    rf"([0-9]{{1,4}})/([0-9]{{1,4}})(?:/(?:{'|'.join(sorted(COMMUNITIES))}))?(?!\w|/[0-9])"
)
OF_TITLE = re.compile(
    r",?\s(?:of\s(?:the\s)?)?(?:(United\s{1,3}States\sCode|U\.\s?S\.\s?C\.?(?:ode)?)|Code\s{1,3}of\s{1,3}Federal\s{1,3}Regulations|C\.\s?F\.\s?R\.)"
)
OUTWARD = re.compile(
    rf",?\s{{1,2}}(?:{INWARD}|de l['’]|dell['’])(?:(?<=['’])|\s{{1,2}})(?:the\s|la\s|that\s)?"
)
LABEL_HERE = re.compile(r"([^\W\d_]{2,20}|§§?)\.?[ \xa0\u202f\n]{0,2}(?=[0-9IVXLCDM(ivx])")
ORDINAL_LEVEL = re.compile(r"([^\W\d_]{4,14})\s([^\W\d_-]{4,14}|sub-paragraph)(?!\w)")
THAT = re.compile(r"\s(?:of|in)\s(?:that|such)\s|\sthereof\b")
BEFORE_OUTWARD = frozenset(" ,\n")
LAST_OUTWARD = re.compile(
    rf"(?<!\w)(\w+)\s(\w+)\s(?:{INWARD}|de l['’]|dell['’])(?:(?<=['’])|\s)(?:the\s|la\s)?\Z",
    re.IGNORECASE,
)
INWARD_ENDS = frozenset(f" {word}"[-2:] for word in (*INWARD.split("|"), "the", "la", "l")) | {
    " l",
    "'",
    "’",
}
ENDS_OF_INWARD = (*(f"{word} " for word in INWARD.split("|")), "the ", "la ", "'", "’")
LABEL_WORD = re.compile(r"\s([^\W\d_]{2,20})(?!\w)")
MOST_ORDINALS = 20
NEXT_ORDINAL = re.compile(
    rf"(?:,\s|,?\s(?:and|or|und|oder)\s)({CAPITAL_ORDINALS}|[0-9]{{1,3}}(?:st|nd|rd|th))(?!\w)"
)
DOCUMENTS = frozenset((*IDENTIFIERS, "reg", "dir", "dec", "usc", "cfr", "publ"))
"""What the keys of whole documents begin with."""

GOES_ON = re.compile(r"(?:,|\s(?:and|or|und|oder|et|ou|to|bis))\s[0-9]")
OF_THIS = re.compile(r"\s(?:of|in)\sthis\s|\sdieses\s")
MOST_SHARED = 50
LONGEST_GAP = 60
DOCUMENT_GAP = re.compile(
    r",?\s{1,13}(?:of|under|in|to|der|des|de la|de|du|del|della|van|av)\s{1,13}(?:the\s)?(?:[A-Z][a-z]+\s{1,3}){0,3}"
)
