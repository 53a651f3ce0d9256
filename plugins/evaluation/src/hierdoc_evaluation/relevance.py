"""What counts as right: whether a chunk is what a question expects, and whether the place stated with it is.

An item of the ground truth is compared with a chunk like this:

- **source**: the chunk stands in this document.
- **text**: the chunk has the same words in the same order; case, punctuation, markup and white space do not count. Or
  of the distinct words (of four letters or more, or with a digit) the two share four fifths of those of the one that has
  fewer, which are eight at least, and a quarter of those of the text: chunks end elsewhere than evidence does, and tables
  are read in another order.
- **keywords**: the chunk has the words of each in the same order.
- **section**: text of this section, or of one within it, stands in the chunk. A citation that goes deeper than the
  headings of the document means the section that encloses it.
- **page**: the chunk begins on this page or before, and ends on it or after.

A chunk is *right* if source, text and keywords hold; where neither text nor keywords are given, section and page must
hold. Its *place* is right if page holds and the section that the hit states, its own or one around it, is the expected
one: a chunk that begins in the section before states another.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from hierdoc.citations import find_citations, heading_key, section_key, split_heading
from hierdoc.models import Chunk
from hierdoc_evaluation.truth import Expected, Question

SHARED = 0.8
"""Share of the distinct words of the shorter of text and chunk that both must have."""

OF_TEXT = 0.25
"""Share of the text's distinct words that the chunk must have, however short it is."""

FEWEST = 8
"""Fewer distinct words are compared in order only."""

_WORD = re.compile(r"[^\W_]+")
_MARKUP = re.compile(r"(?<=\])\([^()\s]{0,500}\)|</?[a-zA-Z][^<>]{0,200}>|\u00ad")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a chunk is worth to a question.

    Attributes:
        right: Numbers of the expected items whose chunk it is.
        placed: Those of them whose place it states, too; items that name no place are never among them.
    """

    right: frozenset[int] = frozenset()
    placed: frozenset[int] = frozenset()


class Judge:
    """Judges chunks for one question.

    Args:
        question: Its sources under their full names (`resolve_sources`).
        keys: By document, the names of its sections (`section_names`): what a deep citation is cut down to.
    """

    def __init__(
        self, question: Question, keys: Mapping[str, frozenset[str]] | None = None
    ) -> None:
        self._items = [_Item(one, (keys or {}).get(one.source or "")) for one in question.expected]

    def __call__(self, chunk: Chunk, named: str | None = None) -> Verdict:
        """The items that this chunk satisfies.

        Args:
            chunk: The chunk.
            named: The section that its hit states instead of the chunk's own.
        """
        right = [number for number, item in enumerate(self._items) if item.is_right(chunk)]
        if not right:
            return Verdict()
        placed = [number for number in right if self._items[number].is_placed(chunk, named)]
        return Verdict(frozenset(right), frozenset(placed))


def section_names(chunks: Iterable[Chunk]) -> dict[str, frozenset[str]]:
    """By document, every name of its sections: ids, citations and headings."""
    names: dict[str, set[str]] = {}
    for chunk in chunks:
        held = names.setdefault(chunk.source, set())
        held.update(chunk.section_keys, chunk.ancestor_keys, chunk.headings)
    return {source: frozenset(held) for source, held in names.items()}


def names_place(expected: Expected) -> bool:
    """Whether an item says where its chunk stands, so that attribution can be judged."""
    return expected.section is not None or expected.page is not None


def holds_text(chunk: str, text: str) -> bool:
    """Whether a chunk says what a text says; see the module."""
    return _holds_words(chunk, text) or _shares_words(chunk, text)


class _Item:
    """One expected item with what needs to be worked out once."""

    def __init__(self, expected: Expected, keys: frozenset[str] | None) -> None:
        self._expected = expected
        self._by_content = bool(expected.text or expected.keywords)
        name = (expected.section or "").strip()
        self._names = {name, heading_key(name)} - {""}
        if not heading_key(split_heading(name)[1]) or heading_key(name) not in (keys or ()):
            self._cited = _cited(name, keys)
        else:  # the heading in full says more than its number
            self._cited = []

    def is_right(self, chunk: Chunk) -> bool:
        expected = self._expected
        if expected.source is not None and chunk.source != expected.source:
            return False
        if not self._by_content:
            return self._on_page(chunk) and self._in_section(chunk)
        return (expected.text is None or holds_text(chunk.text, expected.text)) and all(
            _holds_words(chunk.text, keyword) for keyword in expected.keywords
        )

    def is_placed(self, chunk: Chunk, named: str | None) -> bool:
        stated = {named, chunk.section_id, *chunk.ancestor_keys} - {None}
        if chunk.parent_chain:
            stated.add(section_key(chunk.parent_chain[-1]))
        return (
            names_place(self._expected)
            and self._on_page(chunk)
            and self._is_named(stated, _titles(chunk.parent_chain))
        )

    def _on_page(self, chunk: Chunk) -> bool:
        page, first, last = self._expected.page, chunk.page_start, chunk.page_end
        return page is None or (first is not None and first <= page <= (last or first))

    def _in_section(self, chunk: Chunk) -> bool:
        names: set[str | None] = {*chunk.section_keys, *chunk.ancestor_keys}
        return self._is_named(names, _titles(chunk.parent_chain) | set(chunk.headings))

    def _is_named(self, names: set[str | None], titles: set[str]) -> bool:
        if self._expected.section is None or self._names & names or self._names & titles:
            return True
        return bool(self._cited) and all(key in names for key in self._cited)


def _cited(name: str, keys: frozenset[str] | None) -> list[str]:
    """The keys that a citation must meet; a number alone is that of a section or an article."""
    cited = {one.key: one.unit for one in find_citations(name)}
    if not cited and (key := section_key(name)):
        cited = {key: key}
    if not cited:
        guesses = [find_citations(f"{label} {name}") for label in ("Section", "Article")]
        for found in guesses:
            narrowed = [_cut_down(one.key, one.unit, keys) for one in found]
            if len(narrowed) == 1 and (keys is None or narrowed[0] in keys):
                return narrowed
    return [_cut_down(key, unit, keys) for key, unit in cited.items()]


def _cut_down(key: str, unit: str, keys: frozenset[str] | None) -> str:
    """The deepest of `sec_203_a_1`, `sec_203_a`, `sec_203` that the document has; the key itself where it has none."""
    shorter = key
    while keys is not None and shorter not in keys and len(shorter) > len(unit):
        shorter = shorter.rpartition("_")[0]
    return shorter if keys is not None and shorter in keys else key


def _titles(parent_chain: Iterable[str]) -> set[str]:
    """Headings as they are compared, with and without their numbers."""
    titles = {heading_key(title) for title in parent_chain}
    titles |= {heading_key(split_heading(title)[1]) for title in parent_chain}
    return titles - {""}


def _holds_words(chunk: str, words: str) -> bool:
    wanted = plain_words(words)
    if not wanted:
        return False
    if _UNSPACED.search(wanted):  # no spaces to tell where a word begins
        return wanted.replace(" ", "") in plain_words(chunk).replace(" ", "")
    return f" {wanted} " in f" {plain_words(chunk)} "


def _shares_words(chunk: str, text: str) -> bool:
    held, wanted = _distinct_words(chunk), _distinct_words(text)
    fewer = min(len(held), len(wanted))
    shared = len(held & wanted)
    return fewer >= FEWEST and shared >= SHARED * fewer and shared >= OF_TEXT * len(wanted)


@lru_cache(maxsize=16_384)
def plain_words(text: str) -> str:
    """The words of a text in order, folded, one space between them: the form in which texts are compared."""
    plain = unicodedata.normalize("NFKC", _MARKUP.sub(_gap, text)).casefold()
    return " ".join(_WORD.findall(plain))


def _gap(found: re.Match[str]) -> str:
    return "" if found[0] == "\u00ad" else " "


@lru_cache(maxsize=16_384)
def _distinct_words(text: str) -> frozenset[str]:
    return frozenset(
        word
        for word in plain_words(text).split()
        if len(word) >= 4 or any(character.isdigit() for character in word)
    )
