"""Makes a ground truth from the corpus in an index: citations, phrases, headings and definitions that mean one place.

Everything is drawn by a seeded generator from chunks in a fixed order, so the same index and seed give the same
questions. What would have two answers is left out.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from hierdoc.citations import find_citations, heading_key, split_heading
from hierdoc.errors import GroundTruthError
from hierdoc.index import AsyncIndex
from hierdoc.models import Chunk, Definition, Section
from hierdoc_evaluation.relevance import plain_words
from hierdoc_evaluation.templates import (
    CITATION,
    DEFINITION,
    DEFINITION_SCOPED,
    HEADING,
    LANGUAGES,
    OFF_CORPUS,
    PHRASE,
    SCOPED,
)
from hierdoc_evaluation.truth import Expected, Question

_T = TypeVar("_T")

_PHRASE_WORDS = (5, 9)
_HEADING_WORDS = 12
_DEFINING_WORDS = 20
_SECTION_WORD = {"en": "Section", "de": "Abschnitt"}
_WORD = r"[^\W\d_][\w'’-]*[,;]?"
_SPACE = r"(?: |\n(?![\n#>|*+`0-9-]))"
_RUN = re.compile(
    rf"(?<![\w'’*`\[(-]){_WORD}(?:{_SPACE}{_WORD}){{{_PHRASE_WORDS[0] - 1},199}}(?![\w'’-])"
)
"""Running words, a single space or line break between them, long enough for a phrase."""

_RUN_WORD = re.compile(rf"{_WORD}\s?")
_RARE = re.compile(r"\*(.+?)\*")


async def make_ground_truth(
    index: AsyncIndex, count: int, *, seed: int = 0, kinds: Sequence[str] | None = None
) -> tuple[Question, ...]:
    """Questions that the corpus in an index answers in one place, or for `off-corpus` nowhere.

    Args:
        index: Ingested.
        count: How many; the kinds take turns, and there are fewer where the corpus gives no more.
        seed: The same one gives the same questions.
        kinds: Of `KINDS`; all by default.

    Raises:
        GroundTruthError: A kind is unknown, or the corpus gives not one question.
    """
    chosen = list(dict.fromkeys(kinds or KINDS))
    for kind in chosen:
        if kind not in KINDS:
            raise GroundTruthError(
                f"no kind of question is called {kind!r}", hint=f"Known: {', '.join(KINDS)}."
            )
    corpus = _Corpus(await index.chunks())
    waiting = {
        kind: KINDS[kind](corpus, random.Random(f"{seed} {kind}"))  # noqa: S311 - no secret
        for kind in chosen
    }
    questions: dict[str, Question] = {}
    while waiting and len(questions) < count:
        for kind in list(waiting):
            question = next(waiting[kind], None)
            if question is None:
                del waiting[kind]
            elif len(questions) < count and question.question not in questions:
                name = f"{question.kind}-{len(questions) + 1}"
                questions[question.question] = replace(question, id=name)
    if not questions:
        raise GroundTruthError(
            "the index holds nothing to make such questions of", hint="Ask for other kinds."
        )
    return tuple(questions.values())


@dataclass(frozen=True, slots=True)
class _Place:
    """A section, the chunk that it begins in, and the headings around it, from the innermost outwards."""

    section: Section
    chunk: Chunk
    around: tuple[Section, ...]

    @property
    def key(self) -> str | None:
        return self.section.key or split_heading(self.section.title)[0]

    @property
    def keys_around(self) -> list[str]:
        keys = (one.key or split_heading(one.title)[0] for one in self.around)
        return [key for key in keys if key]


class _Corpus:
    """What is asked about, and what is unique in it."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self.chunks = chunks
        self.places = list(_places(chunks))
        self.by_key = Counter(place.key for place in self.places)
        self.sources: dict[str, set[str]] = {}
        for chunk in chunks:
            for key in chunk.section_keys:
                self.sources.setdefault(key, set()).add(chunk.source)
        self.by_heading = Counter(
            heading for place in self.places for heading in _headings(place.section)
        )
        self.terms: dict[str, set[tuple[str, str | None]]] = {}
        for chunk in chunks:
            for one in chunk.definitions:
                held = self.terms.setdefault(one.term.casefold(), set())
                held.add((one.source, one.section_id))
        titles = {chunk.source: chunk.title for chunk in chunks}
        self.titles = Counter(heading_key(title) for title in titles.values())

    @cached_property
    def words(self) -> list[str]:
        """Every chunk's words, for looking things up."""
        return [f" {plain_words(chunk.text)} " for chunk in self.chunks]

    @cached_property
    def everything(self) -> str:
        """Everything that is indexed, in lower case."""
        return "\n".join(chunk.indexed_text.casefold() for chunk in self.chunks)

    def holders(self, words: str) -> int:
        """How many chunks hold these words in this order."""
        wanted = f" {plain_words(words)} "
        return sum(wanted in held for held in self.words)

    def is_unique(self, key: str | None) -> bool:
        """Whether a citation alone leads to one section, and to no document of that name either."""
        return self.by_key[key] == 1 and len(self.sources.get(key or "", ())) <= 1

    def is_title(self, title: str) -> bool:
        """Whether a title tells its document from all others."""
        key = heading_key(title)
        return len(key) > 3 and self.titles[key] == 1 and self.by_heading[key] <= 1


def _citations(corpus: _Corpus, generator: random.Random) -> Iterator[Question]:
    """Citations alone, within questions, and together with what they stand in."""
    numbered = [place for place in corpus.places if place.key]
    for place in _shuffled(numbered, generator):
        language = _language(place.chunk)
        citation = _cited(place.section, language) or _cited_within(place, language)
        if citation is None:
            continue
        expected = (Expected(place.chunk.source, place.section.id),)
        part = "" if _cited(place.section, language) else "-of-part"
        scope = generator.choice(_scopes(corpus, place, citation) or [None])
        shapes = ["citation", "citation-in-question"] if corpus.is_unique(place.key) else []
        shapes += ["citation-scoped"] if scope else []
        if not shapes:
            continue
        kind = generator.choice(shapes)
        text = citation
        if kind == "citation-in-question":
            text = generator.choice(CITATION[language]).format(citation)
        elif kind == "citation-scoped":
            text = generator.choice(SCOPED[language]).format(citation, scope)
        yield Question(text, expected, kind=kind + part)


def _phrases(corpus: _Corpus, generator: random.Random) -> Iterator[Question]:
    """Runs of five to nine words that one chunk holds, some of them across a line break."""
    for number, chunk in enumerate(_shuffled(corpus.chunks, generator)):
        runs = _RUN.findall(chunk.text)
        if number % 2:  # every other one across a line break, where there is one
            runs = [run for run in runs if "\n" in run] or runs
        if not runs:
            continue
        run = generator.choice(runs)
        words = _RUN_WORD.findall(run)
        length = min(generator.randint(*_PHRASE_WORDS), len(words))
        starts = list(range(len(words) - length + 1))
        across = [
            start
            for start in starts
            if any(word.endswith("\n") for word in words[start : start + length - 1])
        ]
        start = generator.choice(across if number % 2 and across else starts)
        raw = "".join(words[start : start + length]).strip().strip(",;")
        phrase = " ".join(raw.split())
        if corpus.holders(phrase) != 1:
            continue
        question = generator.choice(PHRASE[_language(chunk)]).format(phrase)
        page = chunk.page_start if chunk.page_start == chunk.page_end else None
        expected = Expected(chunk.source, chunk.section_id, page, phrase)
        yield Question(
            question, (expected,), kind="phrase-across-lines" if "\n" in raw else "phrase"
        )


def _heading_questions(corpus: _Corpus, generator: random.Random) -> Iterator[Question]:
    """Headings that are unique, alone, and others with a heading around them: "Fees, small business"."""
    pairs = Counter(
        (heading, _bare(above))
        for place in corpus.places
        for heading in _headings(place.section)
        for above in place.around
    )
    for place in _shuffled(corpus.places, generator):
        heading = _bare(place.section)
        if len(heading) <= 3 or len(heading.split()) > _HEADING_WORDS or heading[0] == "(":
            continue
        shown = _shown(place.section)
        above = [
            one
            for one in place.around
            if len(_bare(one)) > 3 and pairs[heading, _bare(one)] == 1 and _bare(one) != heading
        ]
        expected = (Expected(place.chunk.source, place.section.id),)
        if corpus.by_heading[heading] == 1 and (not above or generator.random() < 0.5):
            text = generator.choice(HEADING[_language(place.chunk)]).format(shown)
            yield Question(text, expected, kind="heading")
        elif above:
            yield Question(
                f"{shown}, {_shown(generator.choice(above))}",
                expected,
                kind="heading-with-ancestor",
            )


def _definitions(corpus: _Corpus, generator: random.Random) -> Iterator[Question]:
    """Terms that one place defines, and others with their document's title."""
    defined = [(one, chunk) for chunk in corpus.chunks for one in chunk.definitions]
    for one, chunk in _shuffled(defined, generator):
        places = corpus.terms[one.term.casefold()]
        here = [place for place in places if place[0] == one.source]
        language = _language(chunk)
        expected = (Expected(one.source, one.section_id, None, _beginning(one)),)
        if len(places) == 1:
            text = generator.choice(DEFINITION[language]).format(one.term)
            yield Question(text, expected, kind="definition")
        elif len(here) == 1 and corpus.is_title(chunk.title):
            text = generator.choice(DEFINITION_SCOPED[language]).format(one.term, chunk.title)
            yield Question(text, expected, kind="definition-scoped")


def _off_corpus(corpus: _Corpus, generator: random.Random) -> Iterator[Question]:
    """Questions of everyday life, none of whose rare words stand in the corpus."""
    spoken = {_language(chunk) for chunk in corpus.chunks}
    offered = [
        text for language in LANGUAGES if language in spoken for text in OFF_CORPUS[language]
    ]
    for text in _shuffled(offered, generator):
        rare = [word.casefold() for word in _RARE.findall(text)]
        if not any(word in corpus.everything for word in rare):
            yield Question(text.replace("*", ""), (), kind="off-corpus")


KINDS: Mapping[str, Callable[[_Corpus, random.Random], Iterator[Question]]] = {
    "citations": _citations,
    "phrases": _phrases,
    "headings": _heading_questions,
    "definitions": _definitions,
    "off-corpus": _off_corpus,
}
"""What questions can be made of."""


def _places(chunks: Sequence[Chunk]) -> Iterator[_Place]:
    """Every section of every document with the sections around it."""
    source, path = "", list[Section]()
    for chunk in chunks:
        if chunk.source != source:
            source, path = chunk.source, []
        for section in chunk.sections:
            while path and path[-1].level >= section.level:
                path.pop()
            yield _Place(section, chunk, tuple(reversed(path)))
            path.append(section)


def _shuffled(items: Sequence[_T], generator: random.Random) -> list[_T]:
    order = list(items)
    generator.shuffle(order)
    return order


def _language(chunk: Chunk) -> str:
    return chunk.language if chunk.language in LANGUAGES else LANGUAGES[0]


def _cited(section: Section, language: str) -> str | None:
    """The section's number as one would cite it; None where that would not be read as its key."""
    key, rest = split_heading(section.title)
    if section.key not in (None, key):
        return None  # an enumerated part, which its own title does not number
    number = section.title[: len(section.title) - len(rest)].strip(" \t\xa0.:;,–—-#*")
    if key and key.startswith("sec_") and number[:1].isdigit():
        number = f"{_SECTION_WORD[language]} {number}"
    found = find_citations(number)
    return number if [one.key for one in found] == [key] else None


def _cited_within(place: _Place, language: str) -> str | None:
    """An enumerated part as one would cite it, by the number of its section; None where that is not read as its key."""
    for above in place.around:
        cited, key = _cited(above, language), above.key or split_heading(above.title)[0]
        if cited and key and place.key and place.key.startswith(f"{key}_"):
            levels = place.key[len(key) + 1 :].split("_")
            if language == "de":
                words = zip(("Abs.", "Nr."), levels, strict=False)
                text = " ".join([cited, *(f"{word} {level}" for word, level in words)])
            else:
                text = cited + "".join(f"({level})" for level in levels)
            found = find_citations(text)
            return text if [one.key for one in found] == [place.key] else None
    return None


def _scopes(corpus: _Corpus, place: _Place, citation: str) -> list[str]:
    """What to name with a citation that does not hold it already, so that one section is meant: the numbered sections around it, and its document."""
    scopes = []
    alike = [other for other in corpus.places if other.key == place.key]
    for above in place.around:
        cited = _cited(above, _language(place.chunk))
        key = above.key or split_heading(above.title)[0]
        if (
            cited
            and cited not in citation
            and sum(key in other.keys_around for other in alike) == 1
        ):
            scopes.append(cited)
    within = [other for other in alike if other.chunk.source == place.chunk.source]
    if len(within) == 1 and corpus.is_title(place.chunk.title):
        scopes.append(place.chunk.title)
    return scopes


def _headings(section: Section) -> set[str]:
    """A heading as it is compared, with and without its number."""
    return {heading_key(section.title), _bare(section)} - {""}


def _bare(section: Section) -> str:
    return heading_key(split_heading(section.title)[1])


def _shown(section: Section) -> str:
    """A heading without its number, as it is written."""
    return split_heading(section.title)[1].strip(" .:;,#*")


def _beginning(definition: Definition) -> str:
    return " ".join(definition.text.split()[:_DEFINING_WORDS])
