"""How a document answers to the name that a query gives a work: it is called so, it may be, or it is another.

    "Article 17 of Decree 15688"       words    every word that says which work is meant is in the document's names
    "clause 4.2 of the MPL 2.0"        numbers  a number that a name has is the document's own: versions, years, editions, letters
    "rule 3 of the Inland Ferries …"   kinds    a word that says of what kind a work is tells two works apart, and names none alone

    "the Ferry Agreement with Ilmen"   opening  who made a contract, when, and for which period a report is, its first page says

That is what a name demands of a document. A capitalised word or a number that no name of the document has makes it another; words that
its text alone knows, or names have but for one letter, leave the matter open. A document that is called just so leaves all others out,
whether it has the place or not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from itertools import chain
from pathlib import PurePosixPath

from hierdoc.citations import GENERIC, Citation, section_key
from hierdoc.citations.vocabulary import COMMUNITIES, LABELS, ORDINALS, ordinal_value
from hierdoc.citations.work_names import without_filling, work_key
from hierdoc.citations.works import KINDS
from hierdoc.models import Chunk
from hierdoc.search.dates import DATE, is_dated
from hierdoc.search.query import Query
from hierdoc.text.analysis import Analyzer
from hierdoc.text.stemming import fold, stop_words
from hierdoc.text.words import words

CALLED, PERHAPS, ANOTHER = 2, 1, 0
"""How a document answers to the work that a query names: it is called so, may be, or is another."""


def answers(chunk: Chunk, work: str, query: Query, opening: str = "") -> int:
    """How a document answers to the key of a work's name: it is called so, words of its text make it possible, or it is another.

    Args:
        chunk: Of the document.
        work: The key.
        query: In which it is named.
        opening: What the document begins with, where that is known: it says the rest of a name of which a word is the document's.
    """
    if work in chunk.ancestor_keys or work in chunk.section_keys:
        return PERHAPS if is_cut_short(chunk, work) else CALLED
    asked = _tokens(DATE.sub("", work.replace("_", " ")) if is_dated(work) else work)
    called = _called_names(chunk)
    if not _AMENDS.search(query.text):
        called = tuple(_AMENDS.split(name)[0] for name in called)
    names = Known((*called, PurePosixPath(chunk.source).parent.name))
    held = {token for name in called for token in _tokens(name)}
    held |= {part for one in held for part in one.split(".")}
    begun = Known((opening,))
    numbers = [
        one
        for one in asked
        if one[0].isdigit()
        and not held.issuperset(one.split("."))
        and not (one[-1].isalpha() and begun.has_word(f"{one[:-1]} {one[-1]}"))
    ]
    if numbers:
        return PERHAPS if _are_undated(numbers, held) else ANOTHER
    counted = _ordinals(asked) - _ordinals(held) - {int(one) for one in held if one.isdecimal()}
    if counted and _ordinals(held):
        return ANOTHER
    words = [one for one in asked if len(one) > 1 and not one[0].isdigit() and one not in _SAID]
    telling = [one for one in words if one not in KINDS]
    begun = begun if any(map(names.has, telling)) else names
    unknown = [one for one in telling if not (names.has(one) or begun.has(one))]
    if not unknown:
        kinds = {one[:_KIND_STEM] for one in KINDS & held}
        of_kind = all(one[:_KIND_STEM] in kinds or names.has(one) for one in words if one in KINDS)
        if kinds and not telling and not of_kind:
            return ANOTHER
        is_named = of_kind or (not kinds and (len(telling) > 1 or len(words) < len(asked)))
        return CALLED if is_named and not counted else PERHAPS
    unknown = [one for one in unknown if not names.has_like(one)]
    if not unknown:
        return PERHAPS
    if len(unknown) == len(telling):
        return ANOTHER
    capitals = {fold(word.casefold()) for word in LETTERS.findall(query.text) if not word.islower()}
    text = Known((chunk.text,))
    return ANOTHER if any(one in capitals and not text.has(one) for one in unknown) else PERHAPS


def is_cut_short(chunk: Chunk, work: str) -> bool:
    """Whether a document's key leaves out what stands in parentheses within its title: the `Ports (Amendment) Act` is no `Ports Act`."""
    within = " ".join(
        one for one in _WITHIN_TITLE.findall(chunk.title) if one.upper() not in COMMUNITIES
    )
    parts = set(work.split("_"))
    outside = set(work_key(PARENTHESES.sub("", chunk.title)).split("_")) - SMALL
    return bool(within) and parts.isdisjoint(_tokens(within)) and parts - SMALL == outside


def answers_as_book(chunk: Chunk, asked: str, work: str, called: int) -> int:
    """The same of a citation such as `art. 6:162 BW`, where the article bears no number of its book."""
    names = all_names(chunk).casefold()
    number = asked.removeprefix("art_").partition(":")[0]
    in_book = f"book_{number}" in chunk.ancestor_keys or re.search(
        rf"\b(?:{'|'.join(LABELS['book'].split())})[ _]{number}(?![0-9])", names
    )
    initials = "".join(one[0] for one in plain(chunk.title).split())
    if not in_book:
        return ANOTHER
    return CALLED if not work or called == CALLED or initials.startswith(work) else called


def is_generic(work: str) -> bool:
    """Whether a name says of what kind a work is and no more: `lease agreement` says more than `agreement`."""
    parts = [part for part in work.split("_") if part not in SMALL]
    return work in GENERIC or (len(parts) < 2 and KINDS.issuperset(parts))


def _are_undated(numbers: Iterable[str], held: Iterable[str]) -> bool:
    """Whether all that is asked for are years, and names that have none: the text may be of that year."""
    return all(map(_YEAR.fullmatch, numbers)) and not any(map(_YEAR.fullmatch, held))


class NameNumbers:
    """The numbers and letters that a query gives to names, `MPL 2.0`, `Order Form No. 7`, `revision B`.

    Args:
        text: The query.
        citations: What it cites.
    """

    def __init__(self, text: str, citations: Sequence[Citation]) -> None:
        self._text = text
        self._citations = citations

    def answered(self, chunk: Chunk, heading: str) -> int:
        """How a document answers to them.

        Args:
            chunk: Of the place.
            heading: The heading or term that the query names, where it does.
        """
        if not self._numbers:
            return CALLED
        names = (PurePosixPath(chunk.source).stem, chunk.title, *chunk.ancestor_keys)
        called = [_tokens(one) for one in names if section_key(one.replace("_", " ")) is None]
        headed = [_tokens(one) for one in (heading, *chunk.parent_chain)]
        unfit = [one[2] for one in self._numbers if not _fits(*one, called, headed)]
        if not unfit:
            return CALLED
        held = chain.from_iterable((*called, *headed))
        return PERHAPS if _are_undated(unfit, held) else ANOTHER

    @cached_property
    def written(self) -> frozenset[str]:
        """Words of the query that are numbers of names, `2.0` and `v2`: these are compared with names."""
        numbers = [found[found.lastgroup or 0] for found in self._numbered]
        return frozenset(
            f"{mark}{number}" for number in numbers for mark in ("", "v", "V", "FY", "fy")
        )

    @cached_property
    def _numbered(self) -> list[re.Match[str]]:
        """Numbers and letters behind names and markers, outside of citations but for the years of their works."""
        return [
            found
            for found in _NUMBERED.finditer(DATE.sub(lambda date: "·" * len(date[0]), self._text))
            if not any(_is_cited_within(one, found) for one in self._citations)
        ]

    @cached_property
    def _numbers(self) -> list[tuple[frozenset[str], str, str]]:
        """Numbers and letters that belong to a name, `Order Form No. 7` or `revision B`, each with the words of that name and the marker before it."""
        text = self._text
        found = []
        for one in self._numbered:
            place = one.start(one.lastgroup or "number")
            low = max((other.end for other in self._citations if other.end <= place), default=0)
            before = PAUSE.split(text[low:place])[-1]
            words = [word for word in _tokens(before) if word.isalpha()][-_LONGEST_NUMBERED:]
            marker = words[-1] if words and words[-1] in _MARKERS.values() else ""
            telling = frozenset(words) - UNTELLING - SMALL
            found.append((telling, marker, _tokens(one[one.lastgroup or 0])[-1]))
        for one in _COUNTED_MARKER.finditer(text):
            marker, *number = _tokens(one[0])
            if number and number[0].isdigit():
                found.append((frozenset((marker,)), marker, number[0]))
        return found


class Known:
    """What a place knows of: the words of its names and of its text.

    Args:
        parts: Names and texts.
    """

    def __init__(self, parts: Iterable[str]) -> None:
        self._text = f" {_GLUED_YEAR.sub(' ', plain(' '.join(parts)))} "

    def has(self, word: str) -> bool:
        """Whether a word is there, in whatever form or compound; a short one, or one with a point or `&` in it, only as it is."""
        bare = plain(_YEARS.sub(_both_years, _POSSESSIVE.sub("", word)))
        if any(map(str.isdigit, bare)) and " " in bare and self._holds(bare.replace(" ", "")):
            return True  # `10-K` of `10k`
        if len(bare.rpartition(" ")[2]) < _INFLECTED or any(map(str.isdigit, bare)):
            return self._holds(bare) or (" " in bare and self._holds(f"{bare}s"))
        stem = bare[: max(_INFLECTED, len(bare) - _ENDING)]
        return f" {stem}" in self._text or (len(bare) >= _COMPOUND and bare in self._text)

    def has_word(self, word: str) -> bool:
        """Whether it is there as it is written."""
        return self._holds(plain(word))

    def _holds(self, bare: str) -> bool:
        return f" {bare} " in self._text

    def has_like(self, word: str) -> bool:
        """Whether a long word is there that a slip of one letter makes of it: `Suply`."""
        bare = plain(word)
        return len(bare) >= _INFLECTED and any(_is_slip(bare, it) for it in self._text.split())


def _is_slip(one: str, other: str) -> bool:
    """Whether two words differ by a letter that is missing, added or another, or by two that changed places."""
    while one and one[:1] == other[:1]:
        one, other = one[1:], other[1:]
    while one and one[-1:] == other[-1:]:
        one, other = one[:-1], other[:-1]
    return max(len(one), len(other)) < 2 or (len(one) == 2 and one == other[::-1])


def all_names(chunk: Chunk) -> str:
    """All by which a document is called, in one text."""
    return " ".join((chunk.source, chunk.title, *chunk.parent_chain[:1], *chunk.ancestor_keys))


def plain(text: str) -> str:
    """The words of a text in the form in which names are compared."""
    return " ".join(LETTERS.findall(without_filling(fold(text.casefold()))))


def _called_names(chunk: Chunk) -> tuple[str, ...]:
    keys = (one for one in chunk.ancestor_keys if one.partition("_")[0] not in LABELS)
    return (PurePosixPath(chunk.source).stem, chunk.title, *chunk.parent_chain[:1], *keys)


def _tokens(text: str) -> list[str]:
    """Words and numbers of a name, those that mark a number as one kind has it, and `2` for `2.0`."""
    found = []
    text = _COUNTED_MARKER.sub(_counted_behind, _YEARS.sub(_both_years, text))
    for one in _TOKEN.findall(fold(text.casefold())):
        number = re.sub(r"(?:_0|\.0)+\Z", "", one).replace("_", ".")
        form = one[-1].isalpha() and re.sub("[-_]", "", one)
        found.append((form or number) if one[0].isdigit() else _MARKERS.get(one, one))
    return found


def _both_years(found: re.Match[str]) -> str:
    """`2035 2036` of `2035-36`."""
    follows = (int(found[1]) + 1) % 100 == int(found[2])
    return f"{found[1]} {found[1][:2]}{found[2]}" if follows else found[0]


def _ordinals(words: Iterable[str]) -> set[int]:
    """What ordinals among the words of a name count: a second amendment is not the first."""
    return set(filter(None, map(ordinal_value, words)))


def _counted_behind(found: re.Match[str]) -> str:
    value = int(found[1]) if found[1].isdigit() else ordinal_value(found[1])
    return f"{found[2]} {value}" if value else found[0]


def _is_cited_within(one: Citation, number: re.Match[str]) -> bool:
    """Whether a number belongs to a citation's own, and is no year at the end of its work's name."""
    place = number.start(number.lastgroup or 0)
    if not one.start <= place < one.end:
        return False
    is_year = (
        one.work and number.end() == one.end and _YEAR.fullmatch(number[number.lastgroup or 0])
    )
    return not is_year or number[number.lastgroup or 0] in one.work.split("_")


def _fits(
    words: Collection[str],
    marker: str,
    number: str,
    names: Sequence[Sequence[str]],
    headings: Sequence[Sequence[str]],
) -> bool:
    """Whether the number that a query gives to a name is its own.

    Args:
        words: Of the name in the query, before the number.
        marker: That which says what the number counts, if one does.
        number: It.
        names: What the document is called.
        headings: Those around a place: their own numbers are no names'.
    """
    differs = False
    for name in (*names, *headings):
        numbers = [_number_behind(name, at) for at, word in enumerate(name) if word in words]
        if number in numbers or (_YEAR.fullmatch(number) and number in name):
            return True
        differs = differs or bool(numbers and numbers[-1])
    if differs or (marker and marker != "number"):
        return False
    return any(number in name for name in names)


def _number_behind(name: Sequence[str], at: int) -> str:
    """The first number or letter behind a word of a name; empty where there is none."""
    behind = (
        one for one in name[at + 1 :] if one[0].isdigit() or len(one) == 1 or one in _NUMERALS
    )
    return next(behind, "")


_KIND_STEM = 3
"""Letters that the forms of a word for a kind have in common: `Act` and `Acts`, `закон` and `закона`."""

_AMENDS = re.compile(
    r"[\s_-](?:amending|to amend|zur änderung|modifiant|modificando|(?:por l[ao] que )?se modifica|recante modifica|tot wijziging|zmieniając[aey])(?![^\W_])",
    re.IGNORECASE,
)
"""Behind it the name of an act has that of another."""

_WITHIN_TITLE = re.compile(r"\(([^()]{2,80})\)(?=\s\w)")

PARENTHESES = re.compile(r"\s*\([^()]{1,80}\)")

_YEAR = re.compile(r"(?:1[5-9]|20)[0-9]{2}")

_YEARS = re.compile(r"(?<![0-9])((?:19|20)[0-9]{2})[-–/_]([0-9]{2})(?![0-9])")

_GLUED_YEAR = re.compile(r"(?<=[^\W\d_])(?=20[0-9]{2})|(?<=(?<![0-9])20[0-9]{2})(?=[a-z])")
"""Between a year and what names of files join to it: `2035q2`, `fy2034`."""

_TOKEN = re.compile(
    r"(?<![^\W_])[0-9]{1,2}[-_]?[a-z](?![^\W_])|(?<![0-9])[0-9]{1,3}(?:[._][0-9]{1,3})+(?![0-9])|[0-9]+|[^\W\d_]+"
)

_POSSESSIVE = re.compile(r"['’]s?\Z")

_INFLECTED, _ENDING, _COMPOUND = 5, 3, 6
"""Letters of a word from which it may be inflected, those that change then, and those from which it may be part of another."""

LETTERS = re.compile(r"[^\W_]+")

PAUSE = re.compile(r"[,;:?!]|\.(?=\s|\Z)")

_MARKERS = {
    word: kind
    for kind, forms in {
        "version": "v ver version versión versão versione fassung release",
        "revision": "rev revision révision revisión revisão revisione",
        "edition": "ed edition édition edición edizione edição ausgabe auflage",
        "number": "no nr num number nummer numéro número numero n",
        "issue": "issue",
        "volume": "vol volume band",
    }.items()
    for word in words(forms)
}
"""Words before the number of a name, and one for each kind."""

_NUMBERED = re.compile(
    r"(?:\b[A-Z][\w-]*[^\W\d_]\s?[-–(]?\s?(?=[0-9])|\b[A-Z](?=[0-9]+\.[0-9])"
    r"|\b(?i:versión|versão|version[e]?|release|r[eé]vision|rev\.|rev|v\.|v|edition|edición|issue|fassung|ausgabe|no\.|nr\.|n[º°]|number|nummer)\s?|#)"
    r"(?:(?i:no|nr)\.?\s?|n[º°]\s?)?(?:[vV]\.?\s?(?=[0-9]))?"
    r"(?P<number>[0-9]{1,4}(?:\.[0-9]{1,3}){0,3}(?![\w/:°º]|[.:-]\w)|(?<=[a-z.]\s)[A-Z](?![\w'’.-]))"
    r"|(?<=[^\W\d_]\s)(?P<numeral>I{2,3}|IV|VI{1,3}|IX)(?![\w.])|(?<=[^\W\d_][\s,])\s?(?P<year>(?:1[5-9]|20)[0-9]{2})(?![\w.])"
)
"""A number behind a name or a marker: `MPL 2.0`, `Policy 2024`, `Order Form No. 7`, `version 2.0`; a letter behind a marker: `revision B`."""

_COUNTED_MARKER = re.compile(
    r"(?<![^\W_])((?:19|20)[0-9]{2}(?=[\s_])|[0-9]{1,2}(?=st|nd|rd|th|\.)|[^\W\d_]{4,12}(?=[\s_]))(?:st|nd|rd|th|\.)?[\s_](edition|version|revision|issue|ausgabe|auflage|fassung|édition|edición|release)(?![^\W_])",
    re.IGNORECASE,
)
"""`second edition`, `3rd edition`, `2036 Edition`."""

_NUMERALS = words("ii iii iv vi vii viii ix")
"""Numerals that are no words or letters."""

_LONGEST_NUMBERED = 6
"""Words of a name before its number that are compared."""

SMALL = words(
    "of the and for on at from to with in under de la le les des du del della los las el l d und der die das dem den zur zum vom über y e et da do dos",
    "van het op een voor met en i og och om av af na o w z dla oraz il lo gli al alla dei delle por para con sur aux",
)

_SAID = (
    SMALL
    | words(*ORDINALS)
    | words(
        "number version revision edition issue volume as its fy fiscal reg dir dec о об за от на για τα του της sayili"
    )
)
"""Words of a name that demand nothing."""

UNTELLING = stop_words(tuple(Analyzer.LANGUAGES)) | words(
    "dated date made signed datiert datée what which where when who why how does is are was were do did can may must shall should tell show find explain",
    "section sections article articles part chapter title paragraph clause rule act law code statute regulation agreement contract",
    "was wo wann wer warum wie gilt regelt steht abschnitt artikel absatz satz nummer gesetz verordnung",
    "que quel quelle quels où quand qui comment dit article loi code alinéa artículo ley código qué cuál dónde cuándo quién cómo",
)
"""Words that may begin with a capital and name nothing."""
