"""Texts whose clauses and items are cited, however they look: licences, contracts and constitutions of associations, policies and regulations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from hierdoc.citations import PARAGRAPH
from hierdoc.structure.candidates import HeadingCandidate
from hierdoc.structure.domains import Domain
from hierdoc.structure.lines import is_capitalised


def is_charter(text: str) -> bool:
    """Whether a text calls itself a licence, a contract, a constitution or the like, in a short line among its first."""
    return _calls_itself(text, _NAMES)


def names_charter(line: str) -> bool:
    """Whether a title says that what it heads is a licence, a contract, a constitution or the like."""
    return _NAMES.search(line) is not None


def with_cited_items(text: str, headings: Sequence[HeadingCandidate], domain: Domain) -> Domain:
    """The domain of a report, with the enumerators that its text cites as laws do.

    A charter cites `(1)`, `(a)`, `a)` and even `1.`; a policy, and any text whose sections begin with them, what stands in parentheses.
    """
    if is_charter(text):
        return replace(domain, enumerators=_ENUMERATORS)
    if _calls_itself(text, _RULES) or _begins_sections(text, headings):
        return replace(domain, enumerators=_IN_PARENTHESES)
    return domain


def as_clauses(
    text: str, headings: Sequence[HeadingCandidate], paragraphs: Sequence[HeadingCandidate]
) -> tuple[list[HeadingCandidate], list[HeadingCandidate]]:
    """The headings, and the numbered paragraphs of a charter as its sections: nothing else divides it, so `section 3` cites them.

    A heading without a number holds the clauses below it; one with text of its own before the first clause, as a preamble has, holds none.
    """
    if any(one.label for one in headings) or any(one.label != PARAGRAPH for one in paragraphs):
        return list(headings), list(paragraphs)
    first = paragraphs[0].start
    level = 1 + max((one.level for one in headings if one.level), default=0)
    around = [
        replace(one, level=0)
        if one.start < first and text[one.start] != "#" and text[one.body : min(end, first)].strip()
        else replace(one, level=one.level or level)
        for one, end in zip(
            headings, [*(other.start for other in headings[1:]), len(text)], strict=False
        )
    ]
    clauses = [replace(one, key=f"sec_{one.number[0]}", label="number") for one in paragraphs]
    return around, clauses


def _calls_itself(text: str, names: re.Pattern[str]) -> bool:
    return any(
        names.search(line)
        and line[-1] not in ",;:"
        and (line.isupper() or is_capitalised(_words(line)))
        for line in _opening_lines(text)
    )


def _begins_sections(text: str, headings: Sequence[HeadingCandidate]) -> bool:
    """Whether paragraphs such as `(1)` and `(2)` make up several sections from their first line on: lists follow on a sentence."""
    ends = [*(one.start for one in headings[1:]), len(text)]
    found = (
        _FIRST_BELOW.match(text, one.body, end) is not None
        and _SECOND_BELOW.search(text, one.body, end) is not None
        for one, end in zip(headings, ends, strict=False)
        if one.key
    )
    return len(list(islice(filter(None, found), _FEWEST_SECTIONS))) == _FEWEST_SECTIONS


def _opening_lines(text: str) -> list[str]:
    shown = (line.strip(_MARKS) for line in text[:_OPENING].split("\n"))
    return [line for line in shown if _SHORTEST <= len(line) <= _LONGEST][:_FIRST]


def _words(line: str) -> list[str]:
    words = (word.strip("\"'“”‘’()[],") for word in line.split())
    return [word for word in words if not any(map(str.isdigit, word))]  # `(v1.9)`


_OPENING, _FIRST = 1_500, 12
"""Characters of a text in which it says what it is, and short lines among these."""

_SHORTEST, _LONGEST = 5, 100
_MARKS = " \t\r\xa0\f#*_=-\"“”'"
_ENUMERATORS = ("1.", "(1)", "(a)", "(i)", "(A)", "1)", "a)", "i)", "(I)")
_IN_PARENTHESES = ("(1)", "(a)", "(i)", "(A)", "(I)")
_FEWEST_SECTIONS = 2
_FIRST_BELOW = re.compile(
    r"[ \t\r]*(?:\n[ \t\r]*){1,4}(?:[-*+][ \t]{1,4})?(?:\*\*)?\([1aA]\)[ \t\xa0*]"
)
_SECOND_BELOW = re.compile(r"\n[ \t]{0,8}(?:[-*+][ \t]{1,4})?(?:\*\*)?\([2bB]\)[ \t\xa0*]")
_NAMES = re.compile(
    r"\b(?:licen[cs]e|agreement|contract|lease|deed|constitution|by-?laws|charter|covenants|articles of (?:association|incorporation)"
    r"|general regulations|legal code|terms (?:of (?:service|use|sale)|and conditions)|\w*satzung|statuten|geschäftsordnung|\w*vertrag|statuts|contrat"
    r"|règlement intérieur|estatutos|contrato|statuto|contratto|statut|umowa|\w*overeenkomst|stadgar|vedtægter|vedtekter)\b",
    re.IGNORECASE,
)
_RULES = re.compile(
    r"\b(?:policy|regulations?|rules|rulebook|procedures?|codes? of (?:conduct|ethics|practice)|terms of reference|standing orders|\w*ordnung|\w*richtlinien?"
    r"|reglement|règlement|reglamento|regolamento|regulamento|regulamin|política|politique)\b",
    re.IGNORECASE,
)
