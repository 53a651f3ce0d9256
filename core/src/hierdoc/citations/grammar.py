"""The parts of citations: numbers, levels below them, lists and ranges, read at a place of a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hierdoc.citations.vocabulary import (
    CAPITAL_LEVELS,
    CASED,
    IDENTIFIERS,
    INWARD,
    LABELS,
    LETTERED,
    NUMBER_FIRST,
    RANGES,
    ROMAN,
    ROMAN_TO_39,
    SECTION,
    SECTIONS_IF_DECIMAL,
    TOGETHER,
    UNNUMBERED,
    WORDS,
    ordinal_value,
    roman_value,
)

MOST_INSIDE = 200
"""Numbers between the ends of a range that are counted at most; of a longer range only its ends are."""


MOST_LEVELS = 12
"""Levels of a key, those of a decimal number included. No law has as many; each level is a key that the section is looked up by."""


def key_of(number: str, levels: Iterable[str] = ()) -> str:
    """The key of a number, `sec_4_2`, and the levels below it; only the outermost `MOST_LEVELS` of them all."""
    key = "_".join((number, *levels)).lower()
    if key.count("_") <= MOST_LEVELS:
        return key
    return "_".join(key.split("_", MOST_LEVELS + 1)[:-1])


class Level(NamedTuple):
    """A level below a number: the kind of the word that led to it, empty for one in parentheses, and its number."""

    kind: str
    value: str


@dataclass(slots=True)
class Number:
    """A number, the levels below it and where they end.

    Attributes:
        prefix: What the key begins with.
        number: Its own number, with `_` for full stops, behind which lies what the number before it holds, and a hyphen between
            parts that make one number: `4_2`, `l221-18`, `49-bis`, `28:9-525`.
        levels: From the outermost.
        end: Where it ends.
        inside: Of a range that ends here, the numbers or levels between.
        counts_sentences: Whether it ends with what bears no number in a text, as in `Satz 3`: what follows may count these.
    """

    prefix: str
    number: str
    levels: list[Level]
    end: int
    inside: tuple[str, ...] = ()
    counts_sentences: bool = False

    @property
    def unit(self) -> str:
        """The key without the levels."""
        return key_of(f"{self.prefix}_{self.number}")

    @property
    def key(self) -> str:
        """The key."""
        return key_of(self.unit, (level.value for level in self.levels))


def number_at(text: str, position: int, prefix: str, *, in_list: bool = False) -> Number | None:
    """The number that stands at this place behind its label, with its levels."""
    if prefix not in LABELS or prefix in IDENTIFIERS:
        plain = _PLAIN.match(text, position)
        found = Number(prefix, without_zeros(plain[0]), [], plain.end()) if plain else None
        if found and prefix not in IDENTIFIERS and (deeper := _DEEPER.match(text, found.end)):
            values = map(without_zeros, _VALUE_IN_PARENTHESES.findall(deeper[0]))
            found.levels = [Level("", value) for value in values]
            found.end = deeper.end()
            del found.levels[MOST_LEVELS:]
        return found
    main = _main_number(text, position, prefix, in_list)
    if main is None:
        return None
    number, end = main
    if prefix == "art":  # `Article 01` was inserted before `Article 1`
        number, end = _with_ordinal_sign(text, number, end)
    else:
        number = without_zeros(number)
    if prefix in SECTIONS_IF_DECIMAL and "." in number:
        prefix = "sec"
    found = Number(prefix, _outermost(number.lower()).replace(" ", "-"), [], end)
    read_levels(text, found)
    return found


def without_zeros(number: str) -> str:
    """A number without the zeros that fill it up, `Rule 007`; those of its later parts count, for 5.01 may stand beside 5.1."""
    return _FILLED.sub("", number) if number[:1] == "0" else number


def _with_ordinal_sign(text: str, number: str, end: int) -> tuple[str, int]:
    """The number of an article that counts in ordinals, `Artículo 1o.`, with the letter of an inserted one: `Artigo 5.º-A`."""
    if number[-1] == "o" and _ORDINAL_O.fullmatch(number):
        number = number[:-1]
    inserted = _BEHIND_ORDINAL.match(text, end) if text[end : end + 1] in _SIGNS else None
    return (f"{number}-{inserted[1]}", inserted.end()) if inserted else (number, end)


def _outermost(number: str) -> str:
    """A number with `_` for full stops and no more of them than a key has: all that follow in a list begin with it."""
    return "_".join(number.split(".", MOST_LEVELS)[:MOST_LEVELS])


def read_levels(text: str, number: Number) -> None:
    """Take the levels that follow into the number."""
    end = number.end
    following = text[end : end + 1]
    if following in _SIGNS and (sign := _SIGN.match(text, end)):
        end = sign.end()
        following = text[end : end + 1]
    while following and following in _BEFORE_LEVEL:
        ahead = text[end + 1 : end + 3].lower() if following in " \xa0" else "("
        if (
            ahead[:1] != "("
            and ahead not in _LEVEL_BEGINNINGS
            and not (ahead[:1] in _DEGREE_BEGINNINGS and _DEGREE.match(text, end))
        ):
            further = _read_beside(text, end, number) if ahead[:1] not in _NO_LEVEL else end
            if further == end:
                break
            end = further
            following = text[end : end + 1]
            continue
        deeper = _DEEPER.match(text, end) if ahead[:1] == "(" else None
        if deeper:
            number.levels += [
                Level("", value) for value in _VALUE_IN_PARENTHESES.findall(deeper[0])
            ]
        else:
            deeper = _LEVEL.match(text, end)
            kind = _level_kind(deeper[1]) if deeper else ""
            if deeper is None and (degree := _DEGREE.match(text, end)):
                number.levels.append(Level("no", degree[1] or degree[2]))
                end = degree.end()
                break
            skipped = deeper is not None and _unnumbered(deeper[1])
            if deeper is None or not (skipped or kind):
                further = _read_beside(text, end, number)
                if further == end:
                    break
                end = further
                following = text[end : end + 1]
                continue
            number.counts_sentences = skipped
            if kind and not skipped:
                number.levels.append(Level(kind, _value(deeper)))
        end = deeper.end()
        following = text[end : end + 1]
        if following == ")" and text[end - 2] in " \xa0" and _CLOSING.match(text, end):
            end += 1
            following = text[end : end + 1]
    number.end = end
    del number.levels[MOST_LEVELS:]


def _level_kind(word: str) -> str:
    """The kind of level that a word leads to; empty for none."""
    known = WORDS.get(word.lower())
    return CAPITAL_LEVELS.get(word, known.level if known else "")


def _value(level: re.Match[str]) -> str:
    """The number of a level; `Abs. II` counts in numerals what is numbered `(2)`."""
    value = level[2] or level[3]
    if level[1].lower() in _IN_NUMERALS and (counted := roman_value(value)):
        return str(counted)
    return value.replace(" ", "-")


def following_number(text: str, number: Number, *, several: bool) -> tuple[int, Number] | None:
    """The next of a list or range of numbers or of levels, and where it begins.

    After a level, a number that is not higher than the citation's own counts levels: `§§ 306, 307 Abs. 1 bis 3`.

    Args:
        text: The document.
        number: What stands before.
        several: Whether its label may lead to several numbers.
    """
    before = text[number.end : number.end + 1]
    if before not in _BEFORE_MORE or (
        before == " " and text[number.end + 1 : number.end + 3] not in _MORE_BEGINNINGS
    ):
        return None
    if number.counts_sentences and (sentences := _MORE_SENTENCES.match(text, number.end)):
        own = _DIGITS.match(number.number)
        if not (several and own and int(sentences[1]) > int(own[0])):  # `§§ 3 Satz 1, 4`
            number.end = sentences.end()
    more = _MORE.match(text, number.end)
    if more is None:
        return None
    place, ranged = more.end(), more[1] is not None
    level = _following_level(text, place, number, several=several)
    if level:
        depth, found = level
        levels = [*number.levels[:depth], found[0]]
        following = Number(number.prefix, number.number, levels, found[1])
        if ranged:
            between = (
                _between(number.levels[depth].value, found[0].value)
                if len(number.levels) > depth
                else ()
            )
            above = key_of(number.unit, (one.value for one in levels[:-1]))
            following.inside = tuple(key_of(above, (value,)) for value in between)
        read_levels(text, following)
        return place, following
    if text[place] == "(" or text[place].islower() or not number.prefix:
        return None
    if text[place] in "IVX" and not number.levels and text[number.end - 1].isdigit():
        return None  # `Art. 2, II`: numerals count what lies in the article
    main = number_at(text, place, number.prefix, in_list=True)
    if main and not several and (ranged or not main.levels or number.prefix not in _OFTEN_LISTED):
        return None
    if main and ranged:
        main.inside = tuple(
            key_of(f"{main.prefix}_{value}")
            for value in _numbers_between(number.number, main.number)
        )
    return (place, main) if main else None


def level_list(text: str, position: int, kind: str) -> list[tuple[int, Number]]:
    """Levels named alone, `paragraphs (1) and (3)`, each with where it begins; their numbers have no prefix."""
    first = _ONE_LEVEL.match(text, position)
    if first is None:
        return []
    number = Number("", "", [Level(kind if first[2] else "", first[1] or first[2])], first.end())
    read_levels(text, number)
    found = [(position, number)]
    while following := following_number(text, found[-1][1], several=False):
        found.append(following)
    return found


def levels_around(text: str, end: int) -> tuple[list[str], int, Number | None]:
    """What holds levels that end here: further levels, from the outermost, and the number above them all."""
    above: list[str] = []
    while text[end : end + 1] in _BEFORE_OUTWARD:
        outward = _OUTWARD.match(text, end)
        if outward is None:
            break
        label = _LABEL_HERE.match(text, outward.end())
        word = CASED.get(label[1], SECTION if label[1][0] == "§" else None) if label else None
        if label and word and word.prefix and not (word.level and text[label.end()] == "("):
            holder = number_at(text, label.end(), word.prefix, in_list=word.several)
            if holder:
                return above, holder.end, holder
            break
        if label and word and word.level:
            one = level_list(text, label.end(), word.level)
            if not one:
                break
            above[:0] = [level.value for level in one[0][1].levels]
            end = one[0][1].end
            continue
        counted = _ORDINAL_LEVEL.match(text, outward.end())
        value = ordinal_value(counted[1]) if counted else 0
        kind = WORDS.get(counted[2].lower()) if counted and value else None
        if counted is None or kind is None:
            break
        if kind.level == "para" and not counted[2].lower().startswith("sub"):
            above.insert(0, str(value))
        end = counted.end()
    return above, end, None


def _read_beside(text: str, end: int, number: Number) -> int:
    """Take what counts a level by a word, `, first paragraph`, `tweede lid`, or by a numeral alone, `art. 3, II`, `§ 823 I BGB`; where it ends."""
    if text[end] == "," and (sole := _SOLE.match(text, end)):
        number.levels.append(Level("para", "1"))
        return sole.end()
    if number.prefix in _WITH_NUMERALS and number.number[-1:].isdigit():
        if not number.levels and (german := _NUMERAL_ALONE.match(text, end)):
            number.levels.append(Level("para", str(roman_value(german[1]))))
            number.counts_sentences = german[2] is not None
            return german.end()
        if text[end] == "," and (romance := _NUMERAL_BEHIND.match(text, end)):
            number.levels.append(Level("no", romance[1]))
            return romance.end()
        last = number.levels[-1].value if number.levels else ""
        if (
            text[end] == ","
            and last
            and not last.strip("IVX")
            and (letter := _LETTER_BEHIND.match(text, end))
        ):
            number.levels.append(Level("point", letter[1]))
            return letter.end()
        if number.prefix == "art" and (alone := _LETTER_ALONE.match(text, end)):
            number.levels.append(Level("point", alone[1]))
            return alone.end()
    counted = _COUNTED_LEVEL.match(text, end)
    if counted is None:
        return end
    one, other = counted[1].rstrip("."), counted[2]
    value = int(one.rstrip("strndh")) if one[0].isdigit() else ordinal_value(one)
    name = other.lower()
    if not value:
        value, name = ordinal_value(other), one.lower()
    word = WORDS.get(name) if value else None
    if word is None or not (word.level or name in UNNUMBERED) or (word.prefix and word.level):
        return end
    if word.level in ("para", "no") and not name.startswith("sub"):
        number.levels.append(Level(word.level, str(value)))
    return counted.end()


_SOLE = re.compile(r",[ \xa0](?:parágrafo|PARÁGRAFO|Parágrafo)[ \xa0](?i:único)(?!\w)")


def _unnumbered(word: str) -> bool:
    return word == "S" or word.lower() in UNNUMBERED


LATIN = (
    "bis|ter|quater|quinquies|sexies|septies|octies|nonies|decies|undecies|duodecies|terdecies|quaterdecies|quindecies"
    "|sexdecies|septdecies|octodecies|novodecies|vicies|unvicies|duovicies"
)
"""Words behind the number of an inserted article: `Article 12 bis`."""

COLON_CODE = r"[0-9]{1,3}[A-Z]?:[0-9]{1,4}[A-Z]?-[0-9]{1,5}(?:\.[0-9]{1,3}){0,2}"
"""Title, chapter and section of a code in one number: `40A:9-165`."""

_LABELS_BEHIND = "|".join(sorted(map(re.escape, NUMBER_FIRST), key=len, reverse=True))
NUMBER_THEN_LABEL = rf"([0-9]{{1,4}}|[IVXLC]{{1,7}})(?:/([A-Z]))?\.?(?:[ \xa0]([a-z])(?=[ \xa0]))?[ \xa0]?((?i:{_LABELS_BEHIND}))(?![\w§])"
"""`4 a §`, `45/A. §`, `III. FEJEZET`: the number, its letter in one of two groups, and the label."""


def number_before(found: re.Match[str], first: int = 1) -> Number | None:
    """What a match of `NUMBER_THEN_LABEL` says, whose groups begin with this one."""
    number, capital, letter, label = found.group(*range(first, first + 4))
    value = number if number.isdigit() else str(roman_value(number))
    if value == "0":
        return None
    own = value + (f"-{capital.lower()}" if capital else letter or "")
    return Number(NUMBER_FIRST[label.lower()], own, [], found.end())


_LETTERS = r"(?:(?!(?:st|nd|rd|th|er)\b)(?:[A-Za-z]{1,3}(?![A-Za-z])|[а-яА-Я](?!\w)))?"
_PARTS = rf"[0-9]{{1,6}}{_LETTERS}(?:[.:-][0-9]{{1,6}}{_LETTERS})*"
_PARTS_IN_LIST = rf"[0-9]{{1,6}}{_LETTERS}(?:[.:][0-9]{{1,6}}{_LETTERS})*"
_BEHIND_LETTER = rf"(?=\s*(?:\Z|[,;:)\]\n]|\.(?!\s[a-z]{{2,5}}\.)|[ -](?:(?:{LATIN}|d[eu]s?|del?|della|der|do|da|of|et|ou|and|or|und|à|to)\b|d[’']|[0-9(])))"
_ORDINAL_SUFFIX = rf"[ -](?i:bis(?!\s{{0,13}}[0-9])|{LATIN[4:]})\b"
_LETTER_SUFFIX = rf" [A-Z](?![A-Za-z]){_BEHIND_LETTER}(?: [0-9]{{1,2}}\b(?!\.))?"
# Several capitals behind a number are a work's, `Art. 3 LTG`; behind `quater-0` they are the number's.
_SUFFIX = rf"(?:{_ORDINAL_SUFFIX}(?:-0)?(?: [A-Z]{{2,3}}{_BEHIND_LETTER})?|{_LETTER_SUFFIX}(?:-0)?| [A-Z]{{2,3}}(?=[ -](?:{LATIN})\b)){{0,4}}"
_END = r"(?:er\b)?(?![^\Wºª]|,[0-9]{3}(?![0-9]))"
_ARABIC = re.compile(rf"({_PARTS}(?:{_ORDINAL_SUFFIX})?){_END}")
_ARABIC_IN_LIST = re.compile(rf"({_PARTS_IN_LIST}(?:{_ORDINAL_SUFFIX})?){_END}")
_ARTICLE = re.compile(rf"({_PARTS}{_SUFFIX}){_END}")
"""`Article 49 B`, `Article 46 quater-0 ZD`: articles alone have capitals behind a space."""

_FILLED = re.compile(r"\A0+(?=[0-9])")
_ORDINAL_O = re.compile(r"[1-9]o")
_BEHIND_ORDINAL = re.compile(r"\.?[ºª°]-([A-Z]{1,2})(?!\w)")
_RANGE = re.compile(r"([0-9]{1,6})-([0-9]{1,6})(?![\w-])")
_FRENCH_CODE = re.compile(
    rf"(L\.? ?O|[LRDA])\.? ?\*{{0,2}} ?([0-9]{{1,4}}(?:-[0-9]{{1,3}})*{_SUFFIX})(?!\w)"
)
_PLAIN = re.compile(r"[0-9]{1,6}(?!\w|[.-][0-9])")
_RECITAL = re.compile(r"\(([0-9]{1,4})\)")
_ROMAN = re.compile(
    r"([IVXLCDM]{1,9}|[ivx]{2,7})(?:-?([A-Z])|er|re)?(?!\w)((?:\.(?:[A-Za-z]|[0-9]{1,2})(?!\w))*)"
)
_GREEK = re.compile(r"([ΙΚΛΜ]?(?:ΣΤ|[Α-Θ])|[ΙΚΛΜ])[΄'’′]")
_GREEK_VALUES = dict(zip("ΑΒΓΔΕϚΖΗΘΙΚΛΜ", (*range(1, 11), 20, 30, 40), strict=True))
"""Numerals of Greek law, `ΚΕΦΑΛΑΙΟ Β΄`."""

_CAPITALS = re.compile(r"[A-Z]{1,2}(?:[.-]?[0-9]{1,4})*(?!\w)")
_OFTEN_LISTED = frozenset(("sec", "art", "rule"))
"""Labels behind which a number with levels goes on with a list though the label is singular: `Section 13 or 15(d)`."""

_DIGITS = re.compile(r"[0-9]{1,6}")
_LAST_DIGITS = re.compile(r"(.*?[_-]|[a-z]{0,2})([0-9]{1,6})[a-z]{0,2}\Z")

_WORDS_IN_PARENTHESES = "or|as|if|in|to|of|on|at|by|no|so|is|it|an|we|he|do|up|us|my|go|see|the"
_DEEPER = re.compile(
    rf"(?: ?\((?!(?:{_WORDS_IN_PARENTHESES})\))(?:[0-9]{{1,3}}[A-Za-z]{{0,2}}|[ivx]{{1,6}}|[a-z]{{1,2}}|[IVX]{{1,6}}|([A-Z])\1?)\)){{1,8}}"
)
_VALUE_IN_PARENTHESES = re.compile(r"\((\w+)\)")
_LEVEL = re.compile(
    rf",?[ \xa0\n]{{1,2}}[ \t]{{0,12}}(n\.[ºo]|al\.|let\.|(?:[Ss]ub-)?[^\W\d_]{{1,14}}(?![^\W\d_]))\.?[ \xa0\n]?(?:\((\w{{1,5}})\)"
    rf"|((?:[0-9]{{1,3}}(?:[ -]?(?:{LATIN[4:]})(?!\w)|-?bis(?!\w)|[ ]bis(?=[,.;)]|\s*\Z|[ ]d)|[a-z])?|([a-z])\4?|[ivx]{{1,6}}|[IVX]{{1,6}}|[A-Z])(?![^\Wºª])))"
)
_COUNTED_LEVEL = re.compile(
    r",?\s([^\W\d_]{3,14}|[0-9]{1,2}(?:\.|st|nd|rd|th))\s([^\W\d_]{2,14})(?![\w-])"
)
"""`, first paragraph`, `tweede lid`, `, párrafo segundo`, `, 2. ledd`."""

_IN_NUMERALS = frozenset(("abs", "absatz"))
"""Words of levels that German writers count in numerals, `Abs. II`, where texts have `(2)`."""

_WITH_NUMERALS = frozenset(("sec", "art"))
_NUMERAL_ALONE = re.compile(
    r"[ \xa0]([IVX]{1,4})(?:[ \xa0]([0-9]{1,2}))?(?=[ \xa0](?:Nr|Satz|S|Hs|Alt|lit|Var)\b|[ \xa0](?:[A-ZÄÖÜ]{2,8}|[A-ZÄÖÜ][a-zäöü]{0,4}[A-ZÄÖÜ][A-Za-z]{0,5})(?![\w-])(?![ \xa0][A-Z]{3})"
    r"|[ \xa0][A-ZÄÖÜ][\wäöüß-]{2,40}(?:gesetz|ordnung|satzung|gesetzbuch|vertrag|statut)(?:e?s)?(?!\w))"
)
"""`§ 433 II BGB`: the numeral of a paragraph, and the number of a sentence."""

_NUMERAL_BEHIND = re.compile(
    r",[ \xa0]([IVX]{1,6})(?=[,;.)\]]|\s*\Z|[ \xa0](?:d[aeou]s?|del|della|dell|de|e|et|y)(?![\w])|[ \xa0][–-])"
)
"""`art. 3, II`: an article counts in digits what it holds in numerals."""

_LETTER_BEHIND = re.compile(
    r",[ \xa0][\"“']?([a-z])[\"”']?\)?(?=[,;.\]]|\s*\Z|[ \xa0](?:d[aeou]s?|del|della|de)(?!\w))"
)
"""`art. 3, II, a`."""

_LETTER_ALONE = re.compile(
    r",?[ \xa0]([a-z])\)(?=[,;.\]]|\s*\Z|[ \xa0](?:d[aeou]s?|del|della|de)(?!\w))"
)
"""`artículo 5.2 a)`."""

_NO_LEVEL = frozenset('\n("“‘')
_ONE_LEVEL = re.compile(
    r"\((?:([0-9]{1,3}[A-Za-z]{0,2}|[ivx]{1,6}|[a-z]{1,2}|[IVX]{1,6}|[A-Z]{1,2}))\)|([0-9]{1,3}[a-z]?|[a-z](?=\)))(?!\w|[.,][0-9])"
)
_SIGN = re.compile(r"\.?[º°ª]|\.o(?=[ ,])|\)(?=,? \()|\.(?=,?[ \xa0](?:stav|točk|odst|frac))")
_CLOSING = re.compile(
    r"\)(?=,?\s(?:d[eu]s?|della|dello|del|der|van|of|et|ou|o|e|und|oder)\b|,?\sde?ll?['’])"
)
"""Behind a letter that no parenthesis opened: `point f), du règlement`."""
_DEGREE = re.compile(r",?[ \xa0](?:([0-9]{1,2})°|§[ \xa0]?([0-9]{1,2})[º°])(?!\w)")
"""A level that signs alone mark: `article 2, 1°`, `art. 4º, § 2º`."""
_DEGREE_BEGINNINGS = frozenset("0123456789§")
_SIGNS = frozenset(".º°ª")
_BEFORE_LEVEL = frozenset(" ,\n\xa0(")
_BEFORE_MORE = frozenset(" ,;\n\xa0–—-)&")
_GAP = r"(?:[ \xa0]{1,2}|[ ]?\n[ \t]{0,12}(?=\S))"
_LETTER = re.compile(r"[a-z](?![\w’']|\.[a-z])")
_MORE = re.compile(
    rf"\)?(?:[ \xa0]?[,;](?:[ \xa0]{{0,2}}|[ ]?\n(?![\s(]))(?:(?:{TOGETHER})\s{{1,2}})?|{_GAP}(?:{TOGETHER}){_GAP}"
    rf"|(\s?[–—-]\s?|{_GAP}(?:{RANGES}){_GAP}))(?=[0-9(]|[IVXLCDM]+\b|[LRDA][0-9]|[a-z](?![\w’'])|[A-Z](?![\w’'])|[a-z]\)|[^\W\d_]{{2,14}}\.?[ \xa0]\(?\w{{1,4}}(?!\w))"
)


_MORE_SENTENCES = re.compile(
    rf"(?:{_GAP}(?:{RANGES}|{TOGETHER}){_GAP}|[ ]?[–-][ ]?|,[ ])([0-9]{{1,2}})(?![0-9a-z.]|[ ](?:Abs|Nr|Satz|S\.|Buchst|Nummer))"
)
"""`bis 6` behind `Satz 2`."""


def _main_number(text: str, position: int, prefix: str, in_list: bool) -> tuple[str, int] | None:
    """The outermost level, its Roman numerals made Arabic, and where it ends."""
    ranged = _RANGE.match(text, position) if in_list else None
    counts_on = ranged is not None and int(ranged[1]) < int(ranged[2])
    whole = _ARTICLE if prefix == "art" else _ARABIC
    arabic = (_ARABIC_IN_LIST if counts_on else whole).match(text, position)
    if arabic:
        return arabic[1], arabic.end()
    if prefix == "recital":
        enclosed = _RECITAL.match(text, position)
        return (enclosed[1], enclosed.end()) if enclosed else None
    if prefix in ROMAN or prefix in ROMAN_TO_39:
        roman = _ROMAN.match(text, position)
        value = roman_value(roman[1], prefix) if roman else 0
        if roman and value:
            number = f"{value}-{roman[2]}" if roman[2] else str(value)
            outlined = prefix == "sec" and roman[3]  # `III.A.1`
            return (number + roman[3], roman.end()) if outlined else (number, roman.start(3))
    if greek := _GREEK.match(text, position):
        return str(sum(map(_GREEK_VALUES.__getitem__, greek[1].replace("ΣΤ", "Ϛ")))), greek.end()
    if prefix == "art" and (code := _FRENCH_CODE.match(text, position)):
        return code[1].replace(".", "").replace(" ", "") + code[2], code.end()
    capitals = _CAPITALS.match(text, position) if prefix in LETTERED else None
    return (capitals[0], capitals.end()) if capitals else None


def _following_level(
    text: str, place: int, number: Number, *, several: bool
) -> tuple[int, tuple[Level, int]] | None:
    """The level that stands at the place in a list, how deep it is, and where it ends."""
    if not number.levels:
        return None
    last = number.levels[-1]
    one = _ONE_LEVEL.match(text, place)
    if one and one[1]:
        level = Level(last.kind, one[1])
        return _depth(number.levels, level), (level, one.end())
    if one and one[2]:
        own, other = _DIGITS.match(number.number), _DIGITS.match(one[2])
        if not last.kind or (several and own and other and int(other[0]) > int(own[0])):
            return None
        level = Level(last.kind, one[2])
        return _depth(number.levels, level), (level, one.end())
    letter = _LETTER.match(text, place) if last.kind and len(last.value) == 1 else None
    if letter and last.value.islower() and letter[0] > last.value:
        return len(number.levels) - 1, (Level(last.kind, letter[0]), letter.end())
    worded = _WORDED_LEVEL.match(text, place)
    kind = _level_kind(worded[1]) if worded else ""
    if worded is None or not kind:
        return None
    level = Level(kind, worded[2] or worded[3])
    depths = [depth for depth, other in enumerate(number.levels) if other.kind == kind]
    if not depths:
        return None
    return depths[-1], (level, worded.end())


_WORDED_LEVEL = re.compile(
    rf"({'|'.join(CAPITAL_LEVELS)}|[^\W\d_]{{2,14}})"
    r"(?![^\W\d_])\.?[ \xa0\n]?(?:\((\w{1,5})\)|((?:[0-9]{1,3}[a-z]?|[a-z]|[ivx]{1,6})(?!\w)))"
)


def _depth(levels: Sequence[Level], level: Level) -> int:
    """How deep a level stands that follows others in a list: as deep as the last of its shape."""
    shape = _shape(level.value)
    for depth in range(len(levels) - 1, -1, -1):
        other = _shape(levels[depth].value)
        if other == shape or (
            {other, shape} == {"i", "a"} and not _roman_before(levels, depth, level.value)
        ):
            return depth
    return len(levels) - 1


def _shape(value: str) -> str:
    if value[0].isdigit():
        return "1"
    if value[0].isupper():
        return "A"
    return "i" if not value.strip("ivx") else "a"


def _roman_before(levels: Sequence[Level], depth: int, value: str) -> bool:
    """Whether the level at this depth is a numeral below a letter, and the value a letter again: (a)(i), (b)."""
    return _shape(value) == "a" and any(_shape(one.value) == "a" for one in levels[:depth])


def _between(first: str, last: str) -> Sequence[str]:
    """The levels between two: numbers, letters or Roman numerals."""
    if first.isdigit() and last.isdigit():
        return _counted(int(first), int(last))
    low, high = roman_value(first), roman_value(last)
    if low and high and (len(first) > 1 or len(last) > 1 or first == "i"):
        return [numeral(value) for value in range(low + 1, min(high, low + 40))]
    if len(first) == len(last) == 1 and first.isalpha() and last.isalpha():
        return [chr(value) for value in range(ord(first) + 1, ord(last))]
    return ()


def _numbers_between(first: str, last: str) -> Sequence[str]:
    """The numbers between two that differ in their last part: 4_3 and 4_4 between 4_2 and 4_5."""
    begins, ends = _LAST_DIGITS.match(first), _LAST_DIGITS.match(last)
    if begins is None or ends is None or begins[1] != ends[1]:
        return ()
    return [f"{begins[1]}{value}" for value in _counted(int(begins[2]), int(ends[2]))]


def _counted(low: int, high: int) -> Sequence[str]:
    return [str(value) for value in range(low + 1, high)] if high - low <= MOST_INSIDE else ()


def numeral(value: int) -> str:
    """A Roman numeral in small letters, as levels count."""
    tens, ones = divmod(value, 10)
    return "x" * tens + ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")[ones]


_LEVEL_BEGINNINGS = frozenset(
    word[:2] for word in (*UNNUMBERED, *(name for name, word in WORDS.items() if word.level))
)
_LEVEL_BEGINNINGS |= {f"{sign.lower()} " for sign in CAPITAL_LEVELS}
_LEVEL_BEGINNINGS |= {"s.", "s ", "n.", "п.", "п ", "т.", "т ", "ч.", "ч "}
_MORE_BEGINNINGS = frozenset(
    form[:2] if len(form) > 1 else f"{form} "
    for form in (*TOGETHER.split("|"), *RANGES.split("|"), *"–—-&")
) | {", ", "; "}
"""The first two letters of what may go on a citation behind a space: most text is dismissed by them."""
_OUTWARD = re.compile(
    rf"\)?,?\s{{1,2}}(?:de l['’]|dell['’]|{INWARD})(?:(?<=['’])|\s{{1,2}})(?:the\s|la\s|that\s)?"
)
_BEFORE_OUTWARD = frozenset(" ,\n")
_LABEL_HERE = re.compile(r"([^\W\d_]{2,20}|§§?)\.?[ \xa0\u202f\n]{0,2}(?=[0-9IVXLCDM(ivx])")
_ORDINAL_LEVEL = re.compile(r"([^\W\d_]{4,14})\s([^\W\d_-]{4,14}|sub-paragraph)(?!\w)")
