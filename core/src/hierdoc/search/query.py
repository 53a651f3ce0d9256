"""What is asked and how it is done: a query, parsed once, and the plan of its search. Pure: no store is looked at."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise

from hierdoc.citations import Citation, find_query_citations, heading_key
from hierdoc.config.models import RerankSettings, SearchSettings
from hierdoc.errors import CapabilityError, QueryError
from hierdoc.models import Degradation, Expand, Leg, Mode
from hierdoc.plugin.capabilities import Capability
from hierdoc.search.terminology import (
    NOTHING,
    Reading,
    TableKind,
    Terminology,
    Wording,
    terminology_of,
)
from hierdoc.text.analysis import Analyzer

ANALYZER = Analyzer()
"""Takes queries and chunks apart alike; each keyword backend has its own."""


@lru_cache(maxsize=2048)
def terms_of(text: str, language: str | None) -> frozenset[str]:
    """The terms of a chunk's text in its language; searches for other things find the same chunks."""
    return frozenset(ANALYZER.terms(text, language))


_PHRASE = re.compile(r'["“”„«]([^"“”„«»]{2,400})["“”»]')
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Query:
    """A query, taken apart once; every leg and stage gets this.

    Attributes:
        text: As the user wrote it.
        rewritten: What the semantic leg searches for, see `rewrite`; the keyword leg searches for `keywords`.
        spelt_out: Whether `rewritten` has words that texts use for what was asked.
        tables: The kinds of tables that it asks for.
        wordings: Its everyday words, and what texts have instead.
    """

    text: str
    rewritten: str
    spelt_out: bool = False
    tables: tuple[TableKind, ...] = ()
    wordings: tuple[Wording, ...] = ()
    _terms: dict[str | None, frozenset[str]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @classmethod
    def parse(cls, text: str, terminology: Terminology | None = None) -> Query:
        """The query that a user wrote.

        Args:
            text: Not empty.
            terminology: The terms that are spelt out for the legs that search by words and meaning; None to leave it as it is.
        """
        if terminology is None:
            return cls(text, text)
        rewritten, reading = rewrite(text, terminology)
        # Who uses terms of a field speaks its language.
        wordings = () if reading.words else terminology.wordings(_PHRASE.sub(" ", text))
        return cls(text, rewritten, bool(reading.words), reading.tables, wordings)

    @cached_property
    def keywords(self) -> str:
        """What the keyword leg searches for: the rewritten query and, for its everyday words, those of texts."""
        written = " ".join(one.written for one in self.wordings).split()
        return " ".join([self.rewritten, *dict.fromkeys(written)])

    @cached_property
    def phrases(self) -> tuple[str, ...]:
        """What it has in double quotes."""
        return tuple(one for one in _PHRASE.findall(self.text) if one.strip())

    @cached_property
    def unquoted(self) -> Query:
        """Itself without what is quoted: what a phrase cites or names is part of a text, and not asked for."""
        text = _PHRASE.sub(" ", self.text) if self.phrases else self.text
        return self if text == self.text else Query(text, text)

    @cached_property
    def citations(self) -> tuple[Citation, ...]:
        """The sections and works that it cites, in order."""
        return citations_of(self.text)

    @cached_property
    def joined(self) -> Mapping[str, str]:
        """Of an article with a paragraph that a sign marks, `art. 7, § 2`, the key of the one -> that of both, `art_7_2`.

        In some countries it is a section of the article, `art. I, § 8`, and stands in the index by its own key.
        """
        return {
            other.key: f"{one.key}{other.key.removeprefix('sec')}"
            for one, other in pairwise(self.citations)
            if one.unit.startswith("art_")
            and other.text.startswith("§")
            and other.unit.startswith("sec_")
            and not self.text[one.end : other.start].strip(" ,")
        }

    @cached_property
    def mostly_cites(self) -> bool:
        """Whether it is little more than citations: a text with its words cites the same, and is not what it asks for."""
        return 2 * sum(len(one.text) for one in self.citations) >= len(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words in lower case, without the numbers and letters of its citations: the 1 of `Section 3.1` names no `PART 1`."""
        cited = _WORD.findall(" ".join(one.text for one in self.citations).casefold())
        numbers = {word for word in cited if len(word) == 1 or not word.isalpha()}
        return frozenset(_WORD.findall(self.text.casefold())) - numbers

    @cached_property
    def beside(self) -> frozenset[str]:
        """Its words of two letters and more beside what it cites, and those of the works that it names, in lower case."""
        text = self.text
        for one in self.citations:
            text = text.replace(one.text, " ; ")
        works = "_".join(one.work for one in self.citations)
        said = (*_WORD.findall(text.casefold()), *works.split("_"))
        return frozenset(word for word in said if len(word) > 1)

    @cached_property
    def spaced(self) -> str:
        """Its words in lower case with one space around each."""
        return f" {' '.join(_WORD.findall(self.text.casefold()))} "

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """Its words in the form in which headings and terms are compared."""
        return tuple(heading_key(self.text).split())

    def terms(self, language: str | None) -> frozenset[str]:
        """The terms that a chunk in this language may have of it; a compound counts once, as a whole."""
        found = self._terms.get(language)
        if found is None:
            terms = ANALYZER.query_terms(self.text, [language], compounds=False)
            found = self._terms[language] = frozenset(terms)
        return found


@lru_cache(maxsize=64)
def citations_of(query: str) -> tuple[Citation, ...]:
    """The sections and works that a query cites, in order; several stages of one search ask for them."""
    return find_query_citations(query)


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """How one search is done.

    Attributes:
        mode: What was asked for.
        legs: The legs that take part.
        native: Whether the vector backend fuses semantic and keyword legs itself.
        top_k: How many hits to return.
        candidates: How many chunks each leg fetches.
        weights: By leg; `hybrid` stands for what the store fused.
        degraded: Legs that the mode calls for and that are not there.
        expand: What comes with each hit.
        rerank: How the reranker is asked, where there is one.
        terminology: By which the query is rewritten for the semantic and the keyword leg; None to leave it as it is.
        on_degraded: Whether a leg that fails is noted (`warn`) or raised (`raise`).
        scope: Whether a document that the query names for certain is searched alone.
    """

    mode: Mode
    legs: tuple[Leg, ...]
    native: bool
    top_k: int
    candidates: int
    weights: Mapping[str, float]
    degraded: tuple[Degradation, ...] = ()
    expand: Expand = "none"
    rerank: RerankSettings = field(default_factory=RerankSettings)
    terminology: Terminology | None = None
    on_degraded: str = "warn"
    scope: bool = False


MODES: tuple[Mode, ...] = ("hybrid", "semantic", "keyword", "exact")
EXPANSIONS: tuple[Expand, ...] = ("none", "parent", "siblings")


def plan(
    settings: SearchSettings,
    vector: frozenset[Capability],
    keyword: frozenset[Capability] | None,
    *,
    mode: str | None = None,
    top_k: int | None = None,
    expand: str | None = None,
    scope: bool | None = None,
) -> SearchPlan:
    """The plan for a search.

    Args:
        settings: The configured ones.
        vector: What the vector backend claims.
        keyword: What the keyword backend claims; None where there is none.
        mode: Instead of the configured mode.
        top_k: Instead of the configured number.
        expand: Instead of the configured one.
        scope: Instead of the configured one.

    Raises:
        QueryError: The mode or `expand` is unknown, the mode cannot be had, or `top_k` is not within 1 to 100.
        CapabilityError: Native hybrid search is demanded of a backend that does not claim it.
    """
    chosen = _mode(mode or settings.mode)
    wanted = settings.top_k if top_k is None else top_k
    if not 1 <= wanted <= 100:
        raise QueryError(f"top_k is {wanted}", hint="It goes from 1 to 100.")
    native = chosen == "hybrid" and _native(settings, vector)
    if chosen == "keyword" and keyword is None:
        raise QueryError(
            "mode `keyword`: no keyword backend is configured",
            hint="Set `keyword:` in the configuration, as in `keyword: tantivy`.",
        )
    degraded: tuple[Degradation, ...] = ()
    legs: tuple[Leg, ...] = ("semantic", "keyword", "exact") if chosen == "hybrid" else (chosen,)
    if chosen == "hybrid" and keyword is None and not native:
        legs = ("semantic", "exact")
        degraded = (Degradation("keyword", "no keyword backend is configured"),)
    needed = {Capability.FILTER_CONTAINS, Capability.FILTER_EQUALS, Capability.FILTER_AND}
    if "exact" in legs and not needed <= vector:
        reason = "the vector backend does not claim the look-ups that it needs"
        if chosen == "exact":
            raise CapabilityError(f"mode `exact`: {reason}")
        legs = tuple(leg for leg in legs if leg != "exact")
        degraded += (Degradation("exact", reason),)
    weights = settings.weights.model_dump()
    weights["hybrid"] = weights["semantic"] + weights["keyword"]
    return SearchPlan(
        mode=chosen,
        legs=legs,
        native=native,
        top_k=wanted,
        candidates=settings.candidates_for(wanted),
        weights=weights,
        degraded=degraded,
        expand=_expand(expand, settings),
        rerank=settings.rerank,
        terminology=terminology_of(settings),
        on_degraded=settings.on_degraded,
        scope=settings.scope if scope is None else scope,
    )


def _mode(mode: str) -> Mode:
    for known in MODES:
        if mode == known:
            return known
    raise QueryError(f"unknown mode {mode!r}", hint=f"It is one of: {', '.join(MODES)}.")


def _expand(expand: str | None, settings: SearchSettings) -> Expand:
    for known in EXPANSIONS:
        if known == (expand or settings.expand):
            return known
    raise QueryError(f"unknown expand {expand!r}", hint=f"It is one of: {', '.join(EXPANSIONS)}.")


def _native(settings: SearchSettings, vector: frozenset[Capability]) -> bool:
    claimed = Capability.NATIVE_HYBRID in vector
    if settings.hybrid == "native" and not claimed:
        raise CapabilityError(
            "search.hybrid is `native`, but the vector backend does not claim native hybrid search",
            hint="Set it to `auto` or `fallback`, or use a backend that claims it (`hierdoc plugins list`).",
        )
    return claimed and settings.hybrid != "fallback"


def rewrite(query: str, terminology: Terminology) -> tuple[str, Reading]:
    """How a question says what the text says otherwise: the form of the answer left out, terms spelt out.

        "What is the capex of Acme? Answer in USD millions."    also searched for as capital expenditures, cash flows
        "Is its working capital positive?"                      also as current assets, current liabilities, balance sheet

    Args:
        query: As the user wrote it; one without such sentences and terms comes back unchanged.
        terminology: The terms that are known.

    Returns:
        The query to search for, and what its terms say.
    """
    sentences = _SENTENCE.split(query.strip())
    kept = [one for one in sentences if not _FORM.match(one) or terminology.read(one) != NOTHING]
    kept = [one for one in kept if not _ABSENT.match(one)]
    asked = " ".join(kept or sentences)
    if kept == sentences:
        asked = query
    reading = terminology.read(asked)
    return (f"{asked} {reading.words}" if reading.words else asked, reading)


_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z])")

_FORM = re.compile(
    r"(?i)(?:please\s+)?(?:round|answer|respond|reply|express|format|give|provide|state|report|show|keep)\b"
    r"(?=.*\b(?:answers?|responses?|respond|decimals?|places?|units?|millions?|billions?|thousands?|percents?|format|sentences?|perspective)\b)"
)
"""A sentence about the form of the answer; one that names a statement to look at is kept."""

_ABSENT = re.compile(
    r"(?i)if\b.{3,160}?\b(?:then\s+|please\s+)+(?:state|say|explain|answer|return)\b"
)
"""What to say where there is no answer."""
