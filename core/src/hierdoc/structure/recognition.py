"""Which domain a text is of, told from its candidates for headings and from its words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from hierdoc.structure.candidates import Candidates, HeadingCandidate, is_of_code
from hierdoc.structure.contents import APPENDED, Witness
from hierdoc.structure.domains import DIVISIONS, DOMAINS, Domain
from hierdoc.structure.selection import counted
from hierdoc.text.language import detect_language
from hierdoc.text.words import words


def recognise(candidates: Candidates) -> Domain | None:
    """The domain that a text shows itself to be of; None where it is divided by headings alone.

    The candidates are counted as two domains would count them, and by what each would take the text is judged.
    """
    evidence = _evidence(candidates)
    found = _judged(candidates.layout.text, evidence) if evidence else None
    return found or (DOMAINS["technical"] if candidates.outline else None)


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What the candidates of a text say of its domain.

    Attributes:
        labels: Of the numbered headings and of the lines that look like some, in order.
        decimals: How many lines count as the sections of a report do, or headings have numbers such as `2.1`.
        pointed: How many of these have a full stop in or behind their number.
        plain: How many lines count as the sections of an Australian act do, with or without text below at once.
        listed: Whether the document's own table of contents lists sections by their numbers alone, for the most part.
        whole: Whether it lists divisions too, and no number of several parts.
        coded: Whether it lists sections of a code, `5.04.010`, or is divided into them.
        statute: Whether sections begin as those of statutes do, `3. Fees.—(1) A fee`.
    """

    labels: Sequence[str]
    decimals: int
    pointed: int
    plain: int
    listed: bool = False
    whole: bool = False
    coded: bool = False
    statute: bool = False


def _evidence(candidates: Candidates) -> _Evidence | None:
    numbered = candidates.numbered
    if not any(one.label for one in numbered):
        return None
    agreement = _is_agreement(candidates.layout.text)
    as_report = counted(candidates, DOMAINS["legal_contract" if agreement else "technical"])
    run_in = any(one.unlikely for one in numbered)
    as_law = counted(candidates, DOMAINS["us_legislative"]) if run_in else []
    plain = any(one.label == "plain" for one in numbered)
    as_act = counted(candidates, DOMAINS["au_legislative"]) if plain else []
    labels = {one.start: one.label for one in as_report}
    runs = {one.start for one in as_law}
    names = [
        labels.get(one.start, one.label)
        for one in numbered
        if not one.unlikely or one.start in labels or one.start in runs
    ]
    kept = [label for label in names if label and label not in ("plain", "number", "code")]
    headings = [one for one in candidates.headings if one.label == "number"]
    parted = sum(len(one.number) > 1 for one in headings)
    lines = {one.start for one in as_report if one.label == "number" and not one.level}
    return _Evidence(
        [*kept, *("number" for _ in headings)],
        len(lines) + parted,
        sum(one.label == "number" and one.start in lines for one in numbered) + parted,
        sum(one.label == "plain" for one in as_act),
        _lists_numbers(candidates.witness),
        _lists_whole_numbers(candidates.witness),
        _lists_code(candidates.witness) or _has_code(as_report) or _counts_in_chapters(numbered),
        candidates.of_statute,
    )


def _lists_numbers(witness: Witness | None) -> bool:
    return witness is not None and 2 * sum(not one.labelled for one in witness.listed) > len(
        witness.listed
    )


def _lists_whole_numbers(witness: Witness | None) -> bool:
    return (
        witness is not None
        and bool(witness.labels - APPENDED)
        and not any(len(one.number) > 1 for one in witness.listed if not one.labelled)
    )


def _lists_code(witness: Witness | None) -> bool:
    numbers = [one.number for one in witness.listed if not one.labelled] if witness else []
    return len(numbers) >= _FEWEST_SECTIONS and all(map(is_of_code, numbers))


def _has_code(headings: Sequence[HeadingCandidate]) -> bool:
    return sum(is_of_code(one.number) for one in headings) >= _FEWEST_SECTIONS


def _counts_in_chapters(numbered: Sequence[HeadingCandidate]) -> bool:
    """Whether a hyphen joins the numbers of sections to those of their chapters, `2-1.` in Chapter 2, as in codes of states."""
    chapter, found = "", 0
    for one in numbered:
        if one.label in ("ch", "title"):
            chapter = "".join(one.number[:1])
        elif one.label == "code" and "-" in (one.key or "") and not one.unlikely:
            found += one.number[0] == chapter
    return found >= _FEWEST_SECTIONS


def _judged(text: str, evidence: _Evidence) -> Domain | None:
    labels, decimals, plain = evidence.labels, evidence.decimals, evidence.plain
    count = Counter(labels)
    opening, sample = text[:_OPENING], text[:_SAMPLE]
    if evidence.listed:
        if evidence.coded:
            return DOMAINS["us_legislative"]
        if evidence.statute and not _is_agreement(opening):
            return DOMAINS["au_legislative"]
        if evidence.whole and _COMMONWEALTH.search(opening) and not _is_agreement(opening):
            return DOMAINS["au_legislative"]
        if _is_agreement(opening) or count["art"] > 1:
            return DOMAINS["legal_contract"]
        return DOMAINS["academic" if _is_paper(sample) else "technical"]
    if _by_items(labels):
        return DOMAINS["technical"]
    if evidence.coded and not _is_agreement(opening):
        return DOMAINS["us_legislative"]
    laws = sum(count[label] for label in _LAWS)
    if decimals > _FEW_LAWS * laws:
        laws = 0  # lines that cite sections, in a text whose own are numbered otherwise
    divided = sum(count[label] for label in DIVISIONS) - count["number"]
    if laws and ("第" in text or "제" in text) and _ENCLOSED.search(text):
        return DOMAINS["civil_legislative"]
    if laws or (divided >= 2 and count["number"]):
        if laws and detect_language(text) == "de":
            return DOMAINS["de_legislative"]
        if laws and divided and detect_language(text) in _CENTRAL:
            return DOMAINS["civil_legislative"]
        told = opening if _is_code(count) else sample
        if count["art"] and len(_EUROPEAN.findall(told)) >= 2:
            return DOMAINS["eu_legislative"]
        if count["art"] and detect_language(text) in _CIVIL:
            return DOMAINS["civil_legislative"]
        if not _STATUTE.search(opening) and _is_agreement(opening):
            return DOMAINS["legal_contract"]
    if max(plain, count["number"]) >= 2 and (
        (decimals < 2 and not _is_agreement(text) and _COMMONWEALTH.search(opening))
        or (plain >= 3 and plain > evidence.pointed and count["part"] + count["div"] >= 1)
        or (plain >= 3 and plain > evidence.pointed and count["ch"] and _STATUTE.search(opening))
        or (plain >= 3 and evidence.statute and decimals < 2)
    ):
        return DOMAINS["au_legislative"]
    if laws:
        binding = _STATUTE.search(sample) or _BINDING.search(sample)
        if count["art"] and not binding and detect_language(text) != "en":
            return DOMAINS["civil_legislative"]
        if binding or divided >= 2:
            return DOMAINS["us_legislative" if binding or count["art"] else "technical"]
    if count["number"] >= _FEWEST_SECTIONS and not _is_agreement(opening):
        if count["subpart"] and count["part"]:
            return DOMAINS["us_legislative"]
        if decimals < 2 and _ENACTED.search(opening):
            return DOMAINS["au_legislative"]
    if count["rule"] >= _ITEMS and 2 * count["rule"] > len(labels):
        return DOMAINS["us_legislative"]
    if decimals >= 2 or count["number"] >= 2:
        if _is_agreement(opening):
            return DOMAINS["legal_contract"]
        return DOMAINS["academic" if _is_paper(sample) else "technical"]
    if sum(count[label] for label in _BOOKS) >= 2:
        return DOMAINS["civil_legislative" if count["title"] > 1 else "technical"]
    return None


def _by_items(labels: Sequence[str]) -> bool:
    """Whether items divide a text before any section or article does: a report, whatever laws and contracts it encloses."""
    first = next((place for place, label in enumerate(labels) if label in _LAWS), len(labels))
    return labels[:first].count("item") >= _ITEMS


def _is_agreement(text: str) -> bool:
    """Whether a text shows in its opening that it is a contract between parties."""
    return _opens_as_agreement(text[:_OPENING])


@lru_cache(maxsize=8)
def _opens_as_agreement(opening: str) -> bool:
    if _TERMS.search(opening, 0, _HEAD):
        return True
    opening = opening.lower()
    if not _AGREEMENT.search(opening):
        return False
    return len(list(islice(_PARTIES.finditer(opening), _FEWEST_PARTIES))) == _FEWEST_PARTIES


def _is_paper(sample: str) -> bool:
    """Whether a text has what papers have: an abstract, or references at its end."""
    return any(word in sample for word in _OF_PAPERS) and _PAPER.search(sample) is not None


def _is_code(count: Counter[str]) -> bool:
    """Whether a text has the divisions of a code of civil law, which may well speak of regulations of the Union."""
    return count["art"] >= _ARTICLES and sum(count[label] for label in _CODES) >= _ITEMS


_LAWS = words("sec art amend")
_CODES = words("book title ch")
_CIVIL = words("fr es it pt nl pl ro")
"""Languages of codes that are divided into books, titles, chapters, sections and articles."""

_CENTRAL = words("cs sk hu")
"""Languages of laws whose parts hold titles, these chapters, and these sections or articles."""

_ARTICLES = 100
_BOOKS = words("ch part item app annex title rule sched step")
_EUROPEAN = re.compile(
    r"\b(?:Regulation|Directive|Decision) \((?:EU|EC|EEC|Euratom)|Member States?\b|European (?:Union|Parliament)"
    r"|Official Journal|(?:REGULATION|DIRECTIVE|DECISION) \((?:EU|EC|EEC)|EUROPEAN (?:UNION|PARLIAMENT)|Verordnung \(E[UGW]|Mitgliedstaat|Règlement \((?:UE|CE)|États? membres|Reglamento \((?:UE|CE)"
    r"|Estados? miembros|Regolamento \((?:UE|CE)|Stat[oi] membr"
)
_TERMS = re.compile(
    r"\b(?:terms (?:of (?:service|use|sale)|and conditions)|end[ -]user licen[cs]e|allgemeine geschäftsbedingungen|conditions générales"
    r"|condiciones generales|condizioni generali)\b",
    re.IGNORECASE,
)
_HEAD = 300
_FEWEST_PARTIES = 2
_AGREEMENT = re.compile(
    r"\b(?:agreement|contract|lease|licen[cs]e|deed|terms|contrat|contrato|contratto|umowa)\b|(?:vertrag|overeenkomst)\b"
)
_PARTIES = re.compile(
    r"\b(?:part(?:y|ies)|hereinafter|witnesseth|whereas|undersigned|landlord|tenant|licen[cs]or|licensee|lessor|lessee"
    r"|by and between|effective date|vertragspart\w+|parteien|nachfolgend|nachstehend|auftrag(?:nehmer|geber)|(?:ver)?mieter"
    r"|(?:ver)?käufer|lizenz(?:geber|nehmer)|soussignés?|reunidos|de una parte|en adelante|di seguito|tra le parti|contratante|doravante|ci-après|locataire|bailleur|prestataire|las partes|le parti|partijen|strony)\b"
)
_STATUTE = re.compile(
    r"\b(?:Be it enacted|An Act|Congress|Legislature|Constitution|Parliament|U\.\s?S\.\s?C|Statutes?|Public Law|A BILL|AN ACT)\b"
)
_ENACTED = re.compile(
    r"\b(?:An Act (?:to|for|respecting)|AN ACT (?:TO|FOR|to|for)|B[Ee] [Ii][Tt] [Ee][Nn][Aa][Cc][Tt][Ee][Dd]|enacts? as follows|(?:ACT|Act) (?:NO|No)\.)"
)
_FEWEST_SECTIONS = 3
_ENCLOSED = re.compile(
    r"(?:\A|\n)[ \t#*]{0,40}[第제][ ]?[0-9一二三四五六七八九十百]{1,6}[ ]?[条條조]"
)
_COMMONWEALTH = re.compile(
    r"\b(?:Australian?|New South Wales|Queensland|Tasmania|Victoria|Governor-General|Commonwealth|United Kingdom|Scotland|Wales"
    r"|Northern Ireland|Secretary of State|New Zealand|Majesty|[A-Z][a-z]+ Act (?:1[89]|20)[0-9]{2})\b"
)
_BINDING = re.compile(r"\bshall\b|§|\bSEC\.|\b(?:Article|ARTICLE) [IVX]")
_OF_PAPERS = ("Abstract", "ABSTRACT", "et al.", "Bibliography", "REFERENCES", "\nReferences")
_PAPER = re.compile(r"\b(?:Abstract|ABSTRACT|et al\.|Bibliography|REFERENCES)\b|\nReferences\b")
_ITEMS = 4
_FEW_LAWS = 10
"""Decimal numbers to one section or article, beyond which these divide nothing."""

_OPENING = 6_000
_SAMPLE = 100_000
"""Characters at the beginning of a text that are searched for its parties, and for what it says of itself."""
