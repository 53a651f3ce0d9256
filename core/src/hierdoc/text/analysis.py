"""What a keyword is: the one analysis that documents and queries of hierdoc share.

Words are folded (NFKC, case, accents) and stemmed by Snowball (https://snowballstem.org) in the document's language.
Identifiers stand whole first and then in parts, one after the other, so that a phrase of their parts is found in them. Here
they are before stemming:

    getUserName      getusername get user name       203(a)(1)     203(a)(1) 203 a 1
    EIP-1559         eip-1559 eip 1559               § 4.2         section 4.2 4 2
    snake_case       snake_case snake case           1,234.56      1234.56 1234 56

So do German and Dutch compounds (`hierdoc.text.compounds`):

    Asylrecht        asylrecht asyl recht            huurprijs     huurprijs huur prijs

Han, Kana, Hangul, Thai, Lao, Khmer and Burmese have no spaces: their characters and overlapping pairs of them are the terms.
No term has white space in it or more than 100 characters: of a longer word the beginning counts.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import chain, pairwise

import Stemmer

from hierdoc.text.compounds import CONSTITUENTS, Splitter
from hierdoc.text.stemming import (
    DEFAULT,
    SNOWBALL,
    UNSTEMMED,
    fold,
    language_code,
    stemmer,
    stop_words,
)

_VERSION = 2
_LONGEST_TERM = 100
_LONGEST_REMEMBERED = 64
_LONGEST_QUERY_REMEMBERED = 1_000
_REMEMBERED = 131_072  # per language; about 30 MB when full
_STRETCH = 65_536
_MOST_PARTS = 8  # a word of more is a hash or encoded data, whose parts mean nothing


class Analyzer:
    """Turns text into terms; the same object may be used by several threads.

    Args:
        language: How words are stemmed: "auto" for each document by its own language, "none" for not at all, or
            always by one of `Analyzer.LANGUAGES`.

    Attributes:
        language: The same.
        fingerprint: Changes whenever the same text may get other terms; what was indexed with another one is stale.

    Raises:
        ValueError: There is no such language.
    """

    LANGUAGES = tuple(SNOWBALL)
    """ISO 639-1 codes of the languages that can be stemmed."""

    def __init__(self, language: str = "auto") -> None:
        if language not in ("auto", UNSTEMMED, *self.LANGUAGES):
            known = ", ".join(("auto", UNSTEMMED, *self.LANGUAGES))
            raise ValueError(f"no language {language!r} for the analyzer; it takes one of: {known}")
        self.language = language
        self.fingerprint = f"hierdoc/{_VERSION} {language} snowball/{Stemmer.version()}"

    def terms(self, text: str, language: str | None = None) -> list[str]:
        """The terms of a document, in order; nothing is dropped because it is frequent.

        Args:
            text: Of any kind and length; takes time in proportion to its length.
            language: The document's ISO 639-1 code, with or without a region; None where it is not known, which is
                analysed as English.
        """
        terms_of = _vocabulary(self.variant(language)).__getitem__
        terms: list[str] = []
        for stretch in _stretches(text):
            terms += chain.from_iterable(map(terms_of, _spaced(stretch)))
        return terms

    def phrase_terms(self, text: str, language: str | None = None) -> list[str]:
        """The terms of a phrase: where a document of that language has its words, they follow each other like this."""
        return self.terms(text, language)

    def query_terms(
        self, text: str, languages: Iterable[str | None] = (), *, compounds: bool = True
    ) -> list[str]:
        """The terms of a query, in order: stop words dropped unless nothing else is left.

        A word that is stemmed differently in several languages gives each stem once per occurrence.

        Args:
            text: What a user typed; no character has a special meaning.
            languages: Of the documents that are searched, or their variants; none is as good as unknown.
            compounds: Whether the parts of compounds are terms too; without them a word is only found as it is.
        """
        known = tuple(dict.fromkeys(map(language_code, languages))) or (DEFAULT,)
        of = _query_terms if len(text) <= _LONGEST_QUERY_REMEMBERED else _query_terms.__wrapped__
        return list(of(self.language, text, known, compounds))

    def variant(self, language: str | None) -> str:
        """Which of its languages this analyzer takes for documents of that one: a code, or "none" for no stemming.

        An index that keeps the variants of its documents knows what to pass to `query_terms`.
        """
        return language_code(language) if self.language == "auto" else self.language


class _Vocabulary(dict[str, tuple[str, ...]]):
    """What stands between white space -> terms for one language, worked out at first sight and remembered within bounds."""

    def __init__(self, variant: str) -> None:
        super().__init__()
        self._stem = stemmer(variant)
        self._splitter = Splitter(variant, _lower, self._stem) if variant in CONSTITUENTS else None
        self._lock = threading.Lock()  # Snowball's stemmers keep state between calls

    def __missing__(self, spaced: str) -> tuple[str, ...]:
        bare = spaced.strip(_AROUND)
        if bare and bare != spaced:
            terms = self[bare]
        elif _is_plain(word := bare.strip("()")):
            terms = self.stems(word.lower())
        else:
            words = _pattern(spaced).findall(spaced)
            terms = tuple(
                [term for word in words for part in _parts(word) for term in self.stems(part)]
            )
        if len(spaced) <= _LONGEST_REMEMBERED and not _NGRAM_RUN.match(spaced):
            if len(self) >= _REMEMBERED:
                self.clear()
            self[spaced] = terms
        return terms

    def of_query(self, term: str, compounds: bool) -> tuple[str, ...]:
        """What `stems`, or without compounds `stem`, gives; remembered of most words, which stand so in texts."""
        if term.islower() and _is_plain(term):
            return self[term] if compounds else self[term][:1]
        return self.stems(term) if compounds else self.stem(term)

    def stem(self, term: str) -> tuple[str, ...]:
        """The stem of a folded term."""
        with self._lock:
            return (self._stem(term),)

    def stems(self, term: str) -> tuple[str, ...]:
        """The same and, where the term is a compound, the stems of its parts."""
        stem = self.stem(term)
        return (*stem, *self._splitter.parts(term)) if self._splitter else stem


_vocabulary = cache(_Vocabulary)
"""One for each variant: what an index's writer has seen, its searches know."""


@lru_cache(maxsize=256)
def _query_terms(
    language: str, text: str, known: tuple[str, ...], compounds: bool
) -> tuple[str, ...]:
    """What `Analyzer.query_terms` gives: one search asks for the terms of the same words in several places."""
    variants = known if language == "auto" else (language,)
    dropped = stop_words(known if language in ("auto", UNSTEMMED) else variants)
    words = [
        term
        for stretch in _stretches(text)
        for word in _words(stretch)
        for term in _query_parts(word)
    ]
    kept = [word for word in words if word not in dropped] or words
    vocabularies = [_vocabulary(variant) for variant in variants]
    if len(vocabularies) == 1:
        (only,) = vocabularies
        return tuple(
            [term for word in kept for term in dict.fromkeys(only.of_query(word, compounds))]
        )
    return tuple(
        [
            term
            for word in kept
            for term in dict.fromkeys(
                [stem for one in vocabularies for stem in one.of_query(word, compounds)]
            )
        ]
    )


# Finding words

_AROUND = "\"'`*_.,;:!?[]{}<>|~=/\\-"
"""Characters that begin or end no word, so that words are the same without them."""

_NGRAM_CHARACTERS = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u1049\u1050-\u109f\u1780-\u17d3"  # Thai, Lao, Burmese, Khmer
    "\u1100-\u11ff\u3130-\u318f\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"  # Hangul
    "\u3005-\u3007\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # Kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
_MARKS = (  # combining characters that are part of words
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u0900-\u0963\u0966-\u0df3"
    "\u0f18\u0f19\u0f35\u0f37\u0f39\u0f71-\u0f84\u1ab0-\u1aff\u1dc0-\u1dff"
)


def _word_pattern(letter: str, word: str) -> str:
    """A word with its joints (`10b-5`, `a.b`, `R&D`), then its ending: possessive, citation groups, or that of C++ and C#.

    What may repeat without bound begins with a character that cannot belong to what stands before it: matching is linear.
    """
    return (
        rf"{word}(?:(?:[-.&]|_{{1,3}}|(?<=\d),(?=\d)){word}){{0,15}}"
        rf"(?:'[sS](?!{letter})|(?:\([0-9A-Za-z]{{1,5}}\)){{1,8}}|\+\+|\#(?!{letter}))?"
        r"|(?:\([0-9A-Za-z]{1,3}\)){2,8}|§+"
    )


_WORD = re.compile(_word_pattern(r"[^\W_]", r"[^\W_]+"))
_LETTER = rf"[^\W_{_NGRAM_CHARACTERS}]"
_WORD_OR_RUN = re.compile(
    f"[{_NGRAM_CHARACTERS}]+|"
    + _word_pattern(_LETTER, f"{_LETTER}+(?:[{_MARKS}]+{_LETTER}*){{0,50}}")
)
_NEEDS_CARE = re.compile(f"[{_NGRAM_CHARACTERS}{_MARKS}]")
_SPACE = re.compile(r"\s")
_NGRAM_RUN = re.compile(f"[{_NGRAM_CHARACTERS}]")
_INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]"
)
_LOOK_ALIKES = (
    ("’", "'"),
    ("‘", "'"),
    ("\u02bc", "'"),
    ("\u00b4", "'"),
    ("\u2010", "-"),
    ("\u2011", "-"),
)


def _stretches(text: str) -> Iterator[str]:
    """The text in pieces that begin at white space; between them other threads have their turn."""
    start = 0
    while len(text) - start > _STRETCH and (space := _SPACE.search(text, start + _STRETCH)):
        yield text[start : space.start()]
        start = space.start()
    yield text[start:]


def _words(text: str) -> list[str]:
    """Words, identifiers and runs of scripts without spaces, as they are written but for NFKC and look-alikes."""
    text = _plain_characters(text)
    return _pattern(text).findall(text)


def _spaced(text: str) -> list[str]:
    """What stands between white space, or the words themselves; no word has white space in it, so both hold the same words.

    Splitting takes a third of the time of finding words, and most of what it gives has been seen before.
    """
    text = _plain_characters(text)
    if not text.isascii() and _NEEDS_CARE.search(text):
        return _WORD_OR_RUN.findall(text)
    return text.split()


def _plain_characters(text: str) -> str:
    if text.isascii():
        return text
    for character, usual in _LOOK_ALIKES:
        text = text.replace(character, usual)
    return unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))


def _pattern(text: str) -> re.Pattern[str]:
    return _WORD_OR_RUN if not text.isascii() and _NEEDS_CARE.search(text) else _WORD


# Taking words apart

_PIECE = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LETTERS_OR_DIGITS = re.compile(r"\D+|\d+")
_HEXADECIMAL = re.compile(r"0[xX][0-9A-Fa-f]+")
_INITIALS = re.compile(r"[^\W\d_](?:\.[^\W\d_])+")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_JOINT = re.compile(r"[-.&,_]+")
_GROUP = re.compile(r"[0-9A-Za-z]+")


def _is_plain(word: str) -> bool:
    """Whether a word has no parts and nothing to fold: most have not, and are spared the search for them."""
    return (
        word.isascii()
        and word.isalpha()
        and (word.islower() or word.istitle())
        and len(word) <= _LONGEST_REMEMBERED
    )


def _parts(word: str) -> Iterator[str]:
    """The folded terms of a word before stemming: whole, then in parts."""
    if _NGRAM_RUN.match(word):
        yield from chain.from_iterable(zip(word, _pairs(word)))  # noqa: B905 - the last one has no pair
        yield word[-1]
    elif word[0] == "§":
        yield "section"
    elif word[-1] == ")":
        head, _, groups = word.partition("(")
        if not head or any(character.isdigit() for character in head):
            yield _lower(word)
        if head:
            yield from _identifier_parts(head)
        yield from (group.casefold() for group in _GROUP.findall(groups))
    elif word[-1] in "+#":
        yield _lower(word)
        yield from _identifier_parts(word.rstrip("+#"))
    else:
        yield from _identifier_parts(word[:-2] if word[-2:] in ("'s", "'S") else word)


def _query_parts(word: str) -> Iterable[str]:
    """The same for queries, where pairs say all about a run of two characters and more."""
    if _is_plain(word):
        return (word.lower(),)
    return _pairs(word) if _NGRAM_RUN.match(word) and len(word) > 1 else _parts(word)


def _pairs(run: str) -> Iterator[str]:
    return map("".join, pairwise(run))


def _identifier_parts(word: str) -> Iterator[str]:
    word = fold(word)
    if _THOUSANDS.fullmatch(word):
        word = word.replace(",", "")
    if _INITIALS.fullmatch(word):
        yield _lower(word.replace(".", ""))
        return
    if len(joined := _JOINT.split(word)) == 1:
        yield from _simple_parts(word)
        return
    yield _lower(word)
    for part in joined:
        yield from _simple_parts(part)


def _simple_parts(word: str) -> Iterator[str]:
    """A word without joints: whole and, where case changes or digits begin, in pieces."""
    yield _lower(word)
    if len(word) > _LONGEST_TERM or _HEXADECIMAL.fullmatch(word):
        return
    pieces = (_PIECE if word.isascii() else _LETTERS_OR_DIGITS).findall(word)
    if 1 < len(pieces) <= _MOST_PARTS:
        yield from map(_lower, pieces)


def _lower(word: str) -> str:
    return fold(word[:_LONGEST_TERM].casefold())[:_LONGEST_TERM]
