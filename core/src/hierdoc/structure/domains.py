"""The kinds of implicit structure that are known, as data: what may lie within what, and how a text shows its kind.

To teach another tradition of numbering, add a `Domain` here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from hierdoc.text.language import detect_language
from hierdoc.text.words import words


@dataclass(frozen=True, slots=True)
class Domain:
    """How texts of one tradition are divided.

    Attributes:
        name: As in a configuration.
        divisions: Labels (the first part of a key), the outermost first; those in one string stand beside each other. `number` is a
            heading that begins with its number alone (`2.1 Scope`).
        enumerators: A sample of each kind of enumerator, the outermost first, as is usual; a text that uses them in another
            order is read in its own.
        item_headings: Whether headings stand behind enumerators (`(a) IN GENERAL.—The …`).
        recitals: Whether numbered recitals stand before the rest, behind a line such as `Whereas:`.
        bold: Whether a paragraph that is bold as a whole is a heading.
        numbers: How headings look that begin with their number alone: as `decimal` ones (`2.1 Scope`), as `plain` ones without a
            full stop (`12  Meaning of small business`), or not at all.
    """

    name: str
    divisions: tuple[str, ...]
    enumerators: tuple[str, ...] = ()
    item_headings: bool = False
    recitals: bool = False
    bold: bool = False
    numbers: Literal["decimal", "plain", ""] = ""

    def rank(self, label: str) -> int | None:
        """How far in a label stands, from 0; None for one that divides nothing."""
        return _ranks(self.divisions).get(label)


@cache
def _ranks(divisions: tuple[str, ...]) -> dict[str, int]:
    ranks: dict[str, int] = {}
    for rank, names in enumerate(divisions):
        for label in names.split():
            ranks.setdefault(label, rank)
    return ranks


DOMAINS: dict[str, Domain] = {
    domain.name: domain
    for domain in (
        Domain(
            "us_legislative",
            (
                "div sched annex app exhibit",
                "title",
                "subtitle",
                "ch",
                "subch",
                "part",
                "subpart",
                "art amend",
                "sec rule item",
                "cl",
            ),
            ("(a)", "(1)", "(A)", "(i)", "(I)", "(aa)", "(AA)"),
            item_headings=True,
            bold=True,
        ),
        Domain(
            "au_legislative",
            ("sched", "ch", "part", "div", "subdiv", "sec art rule", "number", "cl"),
            ("(1)", "(a)", "(i)", "(A)", "(I)"),
            bold=True,
            numbers="plain",
        ),
        Domain(
            "eu_legislative",
            ("annex app", "part", "title", "ch", "sec", "abschn", "art rule"),
            ("1.", "(1)", "(a)", "a)", "(i)", "(A)"),
            recitals=True,
            bold=True,
        ),
        Domain(
            "de_legislative",
            ("annex app", "book", "part", "ch", "abschn", "title", "subch subpart", "sec art"),
            ("(1)", "1.", "a)", "aa)"),
            bold=True,
        ),
        Domain(
            "legal_contract",
            (
                "exhibit sched annex app",
                "part title",
                "ch",
                "art",
                "sec",
                "number",
                "cl item",
            ),
            ("(a)", "(i)", "(A)", "(1)", "(I)", "(aa)"),
            item_headings=True,
            bold=True,
            numbers="decimal",
        ),
        Domain(
            "academic",
            ("book", "part", "app annex", "ch", "sec", "number"),
            bold=True,
            numbers="decimal",
        ),
        Domain(
            "technical",
            ("book", "part", "app annex", "ch", "sec item rule", "number", "step"),
            bold=True,
            numbers="decimal",
        ),
    )
}

_ANY = Domain(
    "none",
    tuple(dict.fromkeys(label for domain in DOMAINS.values() for label in domain.divisions)),
)

DIVISIONS = frozenset(label for names in _ANY.divisions for label in names.split())
"""Labels that divide texts of some domain."""

_LAWS = words("sec art amend")
_BOOKS = words("ch part item app annex title rule sched step")
_EUROPEAN = re.compile(
    r"\b(?:Regulation|Directive|Decision) \((?:EU|EC|EEC|Euratom)|Member States?\b|European (?:Union|Parliament)"
    r"|Official Journal|Verordnung \(E[UGW]|Mitgliedstaat|Règlement \((?:UE|CE)|États? membres|Reglamento \((?:UE|CE)"
    r"|Estados? miembros|Regolamento \((?:UE|CE)|Stat[oi] membr"
)
_AGREEMENT = re.compile(
    r"\b(?:agreement|contract|lease|licen[cs]e|deed|terms|vertrag|contrat)\b", re.IGNORECASE
)
_PARTIES = re.compile(
    r"\b(?:part(?:y|ies)|hereinafter|witnesseth|whereas|undersigned|landlord|tenant|licen[cs]or|licensee|lessor|lessee"
    r"|by and between|effective date|vertragspart\w+)\b",
    re.IGNORECASE,
)
_STATUTE = re.compile(
    r"\b(?:Be it enacted|An Act|Congress|Legislature|Constitution|Parliament|U\.\s?S\.\s?C|Statutes?|Public Law|A BILL|AN ACT)\b"
)
_COMMONWEALTH = re.compile(
    r"\b(?:Australian?|New South Wales|Queensland|Tasmania|Victoria|Governor-General|Commonwealth|United Kingdom|Scotland|Wales"
    r"|Northern Ireland|Secretary of State|New Zealand|Majesty|[A-Z][a-z]+ Act (?:1[89]|20)[0-9]{2})\b"
)
_BINDING = re.compile(r"\bshall\b|§|\bSEC\.|\b(?:Article|ARTICLE) [IVX]")
_PAPER = re.compile(r"\b(?:Abstract|ABSTRACT|et al\.|Bibliography|REFERENCES)\b|\nReferences\b")
_ITEMS = 4
_OPENING = 6_000
_SAMPLE = 100_000
"""Characters at the beginning of a text that are searched for its parties, and for what it says of itself."""


def recognise(text: str, labels: Sequence[str], decimals: int, plain: int) -> Domain | None:
    """The domain that a text shows itself to be of; None where it is divided by headings alone.

    Args:
        text: It.
        labels: Of the numbered headings and of the lines that look like some.
        decimals: How many lines or headings have numbers such as `2.1` or `1.2.3`.
        plain: How many lines look like the sections of an Australian act, their numbers rising.
    """
    count = Counter(labels)
    opening, sample = text[:_OPENING], text[:_SAMPLE]
    if _by_items(labels):
        return DOMAINS["technical"]
    laws = sum(count[label] for label in _LAWS)
    divided = sum(count[label] for label in DIVISIONS) - count["number"]
    if laws or (divided >= 2 and count["number"]):
        if laws and detect_language(text) == "de":
            return DOMAINS["de_legislative"]
        if count["art"] and len(_EUROPEAN.findall(sample)) >= 2:
            return DOMAINS["eu_legislative"]
        if not _STATUTE.search(opening) and is_agreement(opening):
            return DOMAINS["legal_contract"]
    if max(plain, count["number"]) >= 2 and (
        (decimals < 2 and not is_agreement(text) and _COMMONWEALTH.search(opening))
        or (plain >= 3 and count["part"] + count["div"] >= 1)
    ):
        return DOMAINS["au_legislative"]
    if laws:
        binding = _STATUTE.search(sample) or _BINDING.search(sample)
        if binding or divided >= 2:
            return DOMAINS["us_legislative" if binding else "technical"]
    if decimals >= 2 or count["number"] >= 2:
        if is_agreement(opening):
            return DOMAINS["legal_contract"]
        return DOMAINS["academic" if _PAPER.search(sample) else "technical"]
    if sum(count[label] for label in _BOOKS) >= 2:
        return DOMAINS["technical"]
    return None


def _by_items(labels: Sequence[str]) -> bool:
    """Whether items divide a text before any section or article does: a report, whatever laws and contracts it encloses."""
    first = next((place for place, label in enumerate(labels) if label in _LAWS), len(labels))
    return labels[:first].count("item") >= _ITEMS


def is_agreement(text: str) -> bool:
    """Whether a text shows in its opening that it is a contract between parties."""
    opening = text[:_OPENING]
    return bool(_AGREEMENT.search(opening)) and len(_PARTIES.findall(opening)) >= 2
