"""The levels of markdown's headings: the author's, and where these say too little, the labels'.

Formats and their converters end at some level, and write all that lies deeper at that one: `#### Title 2` with nothing under it, and
at once `#### Chapter 1`. Labels decide among the kinds of headings to which that happens, and nowhere else: an author's levels are
never reordered.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from string import ascii_lowercase
from typing import TypeVar

from hierdoc.citations import section_key
from hierdoc.citations.vocabulary import CASED, PLURALS, RESTARTING, roman_value
from hierdoc.structure.candidates import HeadingCandidate
from hierdoc.structure.domains import Domain
from hierdoc.structure.lines import LONGEST_HEADING
from hierdoc.structure.selection import family_of

Level = tuple[int, float, int]
"""The author's level, then how far in the label lies, then how many parts the number has."""

_Kind = tuple[float, int]
_Named = tuple[float, str]
_Node = TypeVar("_Node", _Kind, _Named)


def effective_levels(
    text: str, headings: Sequence[HeadingCandidate], domain: Domain, *, by_look: bool = False
) -> list[Level]:
    """A level for each heading; those of headings that are none of markdown's mean nothing.

    Args:
        text: That of the headings.
        headings: In order.
        domain: Says in which order labels usually lie in each other.
        by_look: Whether labels decide wherever they share a level, as no author gave it.
    """
    kinds = _kinds(headings, domain)
    if _is_contradicted(text, headings, kinds):
        headings = _at_one_level(headings)
    captioned = _captioned(text, headings, kinds)
    places = captioned | _items(headings, kinds) | _flat_kinds(text, headings, kinds)
    parted = _parted(headings, kinds, domain, {level for level, _ in places})
    places |= parted
    if by_look:
        places = _by_labels(headings, kinds) | places
    flat = {level for level, _ in places}
    called = Counter(
        (kind, one.label in _LEAVES) for one, kind in zip(headings, kinds, strict=True) if kind
    )
    leaf = max((kind for kind, is_leaf in called if is_leaf), default=None)
    if leaf and called[leaf, False] > called[leaf, True]:
        leaf = None  # the items of a report, which hold headings
    leaves = {
        level: place
        for (level, kind), place in places.items()
        if kind == leaf or (leaf is None and (level, kind) in captioned)
    }
    levels: list[Level] = []
    for index, (one, kind) in enumerate(zip(headings, kinds, strict=True)):
        place = places.get((one.level, kind)) if kind is not None else None
        if one.level not in flat:
            place = 0.0, 0
        elif place is None and one.level not in leaves:
            beside = parted and _stands_outermost(headings, index, kinds, parted)
            outermost = (
                min(of for (at, _), of in parted.items() if at == one.level) if beside else None
            )
            place = _INNERMOST if outermost is None else outermost if index else _TITLE
        elif place is None:
            place = leaves[one.level]
            if _holds(text, headings, index, kinds):
                place = place[0] - 0.25, place[1]
        levels.append((one.level, *place))
    return levels


def _is_contradicted(
    text: str, headings: Sequence[HeadingCandidate], kinds: Sequence[_Kind | None]
) -> bool:
    """Whether levels go against labels: what headings open with stands above them, more often than not or more often than by chance."""
    pairs = list(_adjacent(text, headings, kinds))
    held = Counter((outer, inner) for _, outer, _, inner in pairs)
    above = Counter(
        level > below
        for level, outer, below, inner in pairs
        if level != below and held[outer, inner] > held[inner, outer]
    )
    against, along = above[True], above[False]
    return against > max(1, along) or (against >= _CONTRARY and 5 * against >= along)


def _at_one_level(headings: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
    """The headings of markdown with one level, but for a title before all others, whose level no other has."""
    alone = Counter(one.level for one in headings)[headings[0].level] == 1
    titled = alone and headings[0].label is None
    return [
        replace(one, level=2)
        if one.level and (index or not titled)
        else replace(one, level=min(one.level, 1))
        for index, one in enumerate(headings)
    ]


def _items(
    headings: Sequence[HeadingCandidate], kinds: Sequence[_Kind | None]
) -> dict[tuple[int, _Kind], _Kind]:
    """Levels at which items divide a report: what has no label there lies in the item before, `Item 8`, `Index to statements`."""
    found = Counter(
        (one.level, kind)
        for one, kind in zip(headings, kinds, strict=True)
        if one.label == "item" and one.level and kind
    )
    return {place: (1.0, 1) for place, count in found.items() if count >= _FEWEST_ITEMS}


def _holds(
    text: str, headings: Sequence[HeadingCandidate], index: int, kinds: Sequence[_Kind | None]
) -> bool:
    """Whether sections follow at once on a heading without a label: it holds them, else it is one of them, as a final provision is."""
    if index + 1 == len(headings) or kinds[index + 1] is None:
        return False
    one, following = headings[index], headings[index + 1]
    word = CASED.get(one.title.strip(" .:"))
    if word and word.prefix in _LEAVES:  # `Section`, and nothing behind it
        return False
    return one.level == following.level and not text[one.body : following.start].strip()


def _kinds(headings: Sequence[HeadingCandidate], domain: Domain) -> list[_Kind | None]:
    """For each markdown heading how far in those of its label lie, and how many parts its number has; None without a label.

    Outlines count as labels, further in than all others: `I :`, below it `A :`, `1° :`, `a :`. 101 lies in 1, but not behind 99.
    """
    whole = {one.number for one in headings if one.label == "number" and len(one.number) == 1}
    counted = whole if any((str(one),) in whole for one in range(90, 100)) else set()
    kinds: list[_Kind | None] = []
    signs: dict[_Kind, str] = {}
    for one in headings:
        family = family_of(one, domain) if one.level else None
        kind: _Kind | None = None
        if family is None and one.level and one.label is None:
            family = _family_by_word(one.title, domain)
        if family is not None:
            parts = len(one.number) if one.label in domain.parted else 1
            hundred = one.number[0].rstrip(ascii_lowercase)[:-2] if one.label == "number" else ""
            kind = family, parts + (hundred != "" and (hundred,) in whole - counted)
        elif one.level and (outlined := _OUTLINED.match(one.title)):
            kind = _kind_of_sign(outlined[1] or outlined[2], signs)
            signs[kind] = outlined[1] or outlined[2]
        kinds.append(kind)
    return kinds


def _family_by_word(title: str, domain: Domain) -> int | None:
    """How far in a heading lies whose label stands behind a mark or has no number: `(x) §§ 3 to 6`, `Partie législative`."""
    marked = _MARK.match(title)
    if marked and (key := section_key(title[marked.end() :])):
        return domain.rank(key.partition("_")[0])
    named = _NAMED.match(title)
    for word in filter(None, named.groups() if named else ()):
        label = CASED[word].prefix if word in CASED and word.lower() not in PLURALS else ""
        if label and label not in _LEAVES and (rank := domain.rank(label)) is not None:
            return rank
    return None


def _kind_of_sign(sign: str, before: Mapping[_Kind, str]) -> _Kind:
    """Roman numerals, capitals, numbers, small letters; a letter that is a numeral too goes on with the letters before it."""
    if sign.isdigit():
        return _NUMBERS
    letters = _CAPITALS if sign.isupper() else _LETTERS
    is_next = len(sign) == 1 and before.get(letters) == chr(ord(sign) - 1)
    return _NUMERALS if sign.isupper() and roman_value(sign) and not is_next else letters


def _flat_kinds(
    text: str, headings: Sequence[HeadingCandidate], kinds: Sequence[_Kind | None]
) -> dict[tuple[int, _Kind], _Kind]:
    """Levels with the kinds that are mixed up there, and how far in each of these lies.

    One kind holds another if it is followed at once by it more often than the other way round: this text's own order counts, as that of
    the parts of a chapter. Where it says nothing, or contradicts itself, the order of the labels does.
    """
    flat: Counter[tuple[int, _Kind, _Kind]] = Counter()
    nested: Counter[tuple[int, _Kind, _Kind]] = Counter()
    for level, outer, below, inner in _adjacent(text, headings, kinds):
        if level <= below and outer != inner:
            (flat if level == below else nested)[level, outer, inner] += 1
    held: dict[int, set[tuple[_Kind, _Kind]]] = {}
    for (level, outer, inner), count in flat.items():
        if count > flat[level, inner, outer] and count >= nested[level, outer, inner]:
            held.setdefault(level, set()).add((outer, inner))
    found: dict[tuple[int, _Kind], _Kind] = {}
    for level, pairs in held.items():
        order = _outermost_first(pairs)
        others = {
            kind for one, kind in zip(headings, kinds, strict=True) if one.level == level and kind
        }
        for kind in sorted(others - set(order)):
            place = next((place for place, other in enumerate(order) if kind < other), len(order))
            order.insert(place, kind)
        found |= {
            (level, kind): (float(place), kind[1]) for place, kind in enumerate(order, start=1)
        }
    return found


def _by_labels(
    headings: Sequence[HeadingCandidate], kinds: Sequence[_Kind | None]
) -> dict[tuple[int, _Kind], _Kind]:
    """Levels that several kinds share, and how far in each of these lies by its label."""
    shared: dict[int, set[_Kind]] = {}
    for one, kind in zip(headings, kinds, strict=True):
        if one.level and kind and one.label:
            shared.setdefault(one.level, set()).add(kind)
    return {
        (level, kind): (float(place), kind[1])
        for level, found in shared.items()
        if len(found) > 1
        for place, kind in enumerate(sorted(found), start=1)
    }


def _parted(
    headings: Sequence[HeadingCandidate],
    kinds: Sequence[_Kind | None],
    domain: Domain,
    known: Collection[int],
) -> dict[tuple[int, _Kind], _Kind]:
    """Levels at which headings lie in others by their numbers, 2.1 in 2 or in Chapter 2, and how far in each kind lies there.

    Args:
        headings: In order.
        kinds: Of each.
        domain: Says whose numbers lie in each other by their parts.
        known: Levels of which more is known.
    """
    before: dict[tuple[str, ...], int] = {}
    flat: Counter[tuple[int, int]] = Counter()
    nested: Counter[int] = Counter()  # by how many parts their numbers have
    for one, kind in zip(headings, kinds, strict=True):
        if not (one.level and kind and one.number):
            continue
        if one.label in domain.parted and one.number[1:]:
            around = before.get(one.number[:-1])
            if around == one.level:
                flat[one.level, len(one.number)] += 1
            elif around is not None and around < one.level:
                nested[len(one.number)] += 1
        if one.label in domain.parted or one.label == "ch":
            before[one.number] = one.level
    found = {level for (level, parts), count in flat.items() if count > nested[parts]}
    found.difference_update(known)
    if not found:
        return {}
    by_label = _by_labels(headings, kinds)
    return {place: kind for place, kind in by_label.items() if place[0] in found}


def _stands_outermost(
    headings: Sequence[HeadingCandidate],
    index: int,
    kinds: Sequence[_Kind | None],
    places: Mapping[tuple[int, _Kind], _Kind],
) -> bool:
    """Whether a heading without a label stands beside the outermost at its level: one of these is the next with a label there."""
    level = headings[index].level
    if not any(at == level for at, _ in places):
        return False
    for one, kind in zip(headings[index + 1 :], kinds[index + 1 :], strict=True):
        if one.level and one.level < level:
            break
        if one.level == level and kind:
            return places.get((level, kind), _INNERMOST)[0] == 1
    return True


def _captioned(
    text: str, headings: Sequence[HeadingCandidate], kinds: Sequence[_Kind | None]
) -> dict[tuple[int, _Kind], _Kind]:
    """Levels at which headings without a label hold the sections that follow at once: `## Offences`, `## 5`."""
    found = Counter(
        one.level
        for index, one in enumerate(headings)
        if index and one.level and kinds[index] is None and _holds(text, headings, index, kinds)
    )
    numbered = {
        (one.level, kind)
        for one, kind in zip(headings, kinds, strict=True)
        if kind and one.label in _NUMBERED
    }
    levels = Counter(level for level, _ in numbered)
    if len({one.level for one in headings[1:] if one.level}) > 1:  # the author's levels say more
        return {}
    return {
        (level, kind): (1.0, kind[1])
        for level, kind in numbered
        if found[level] >= _FEWEST_CAPTIONS and levels[level] == 1
    }


def in_own_order(text: str, headings: Sequence[HeadingCandidate], domain: Domain) -> Domain:
    """The domain with its divisions in the order of this text, if that differs: one that the text opens with another lies around it."""
    names = [_ranked(one.label, domain) for one in headings]
    held: Counter[tuple[_Named, _Named]] = Counter()
    for (one, following), (outer, inner) in zip(pairwise(headings), pairwise(names), strict=True):
        if outer and inner and outer != inner and _is_empty(text[one.body : following.start]):
            held[outer, inner] += 1
    first: dict[_Named, int] = {}
    for place, name in enumerate(names):
        if name:
            first.setdefault(name, place)
    pairs = {
        (outer, inner)
        for (outer, inner), count in held.items()
        if count > held[inner, outer]
        and (outer[0] < inner[0] or count >= _FEWEST_CONTRARY or _comes_first(outer, inner, first))
    }
    if all(outer[0] < inner[0] for outer, inner in pairs):
        return domain
    order = [label for _, label in _outermost_first(pairs)]
    return replace(domain, divisions=_reordered(domain, order))


def _comes_first(outer: _Named, inner: _Named, first: Mapping[_Named, int]) -> bool:
    """Whether divisions have come before any of those that one of them opens with, which usually lie around them."""
    named = outer[1] != "number" and inner[1] not in RESTARTING
    return named and first[outer] < first[inner] - 1


def _ranked(label: str | None, domain: Domain) -> _Named | None:
    rank = domain.rank(label)
    return None if rank is None or label is None else (float(rank), label)


def _reordered(domain: Domain, order: Sequence[str]) -> tuple[str, ...]:
    """The divisions with these labels in this order, each beside those that it usually stands beside and that are not among them."""
    ranks = sorted((domain.rank(label) or 0) for label in order)
    moved = dict(zip(order, ranks, strict=True))
    own = {domain.rank(label): label for label in order}
    divisions: list[str] = []
    for rank, names in enumerate(domain.divisions):
        others = [label for label in names.split() if label not in moved]
        if others and rank not in own:
            divisions.append(" ".join(others))
        for label in (label for label in order if moved[label] == rank):
            beside = domain.divisions[domain.rank(label) or 0].split()
            beside = beside if own[domain.rank(label)] == label else [label]
            divisions.append(" ".join(one for one in beside if one == label or one not in moved))
    return tuple(divisions)


def _outermost_first(pairs: Collection[tuple[_Node, _Node]]) -> list[_Node]:
    """All kinds, each behind those that hold it.

    A pair against the order of the labels counts only where the others do not lead from its inner kind to its outer one: a chapter
    without text, repealed, may stand before the next title.
    """
    by_label = {(outer, inner) for outer, inner in pairs if outer < inner}
    chosen = by_label | {
        (outer, inner)
        for outer, inner in pairs
        if (outer, inner) not in by_label and outer not in _held_by(inner, by_label)
    }
    left = {kind for pair in pairs for kind in pair}
    ordered: list[_Node] = []
    while left:
        held = {inner for outer, inner in chosen if outer in left and inner in left}
        ordered.append(min(left - held or left))
        left.remove(ordered[-1])
    return ordered


def _held_by(kind: _Node, pairs: Collection[tuple[_Node, _Node]]) -> set[_Node]:
    """All kinds that lie in this one, at any depth."""
    found: set[_Node] = set()
    waiting = [kind]
    while waiting:
        outer = waiting.pop()
        inner = {one for other, one in pairs if other == outer} - found
        found |= inner
        waiting += inner
    return found


def _adjacent(
    text: str, headings: Sequence[HeadingCandidate], kinds: Sequence[_Kind | None]
) -> Iterator[tuple[int, _Kind, int, _Kind]]:
    """Level and kind of each heading with nothing under it but the next one, and those of that one.

    Behind a division without text an appendix begins none the less: the division does not open with it.
    """
    for (one, following), (outer, inner) in zip(pairwise(headings), pairwise(kinds), strict=True):
        levels = one.level and following.level
        appended = following.label in RESTARTING and one.label not in RESTARTING
        if levels and outer and inner and _is_empty(text[one.body : following.start]):
            if appended and outer > inner:
                continue
            yield one.level, outer, following.level, inner


def _is_empty(between: str) -> bool:
    """Whether nothing stands between two headings, or lines that are the first one's title and the caption of the other."""
    if len(between) > _LONGEST_BETWEEN:
        return False
    titles = [line for line in map(_bare, between.split("\n")) if line]
    return len(titles) <= 2 and all(map(_is_title, titles))


def _bare(line: str) -> str:
    return line.strip("*_ \t\r")


def _is_title(line: str) -> bool:
    captioned = line.startswith("(") and line.endswith(")")  # `(Purpose)`, above an article
    return len(line) <= LONGEST_HEADING and (line[-1].isalpha() or captioned)


_LONGEST_BETWEEN = 2 * LONGEST_HEADING + 20
_MARK = re.compile(r"\(\w{1,12}\)\s")
_NAMED = re.compile(r"([^\W\d_]{2,20})\s(?:([^\W\d_]{2,20})\s*(?:[-–—:(.]|\Z))?")
_FEWEST_ITEMS = 4
_CONTRARY = 3
"""How often a heading opens with one that stands above it, where levels are no author's."""

_FEWEST_CONTRARY = 2
"""How often a text opens a division with another that usually lies around it, where that is its order."""

_LEAVES = frozenset(("sec", "art", "rule"))
_NUMBERED = _LEAVES | {"number", "plain"}
_FEWEST_CAPTIONS = 2
_OUTLINED = re.compile(
    r"(?:([IVXLC]{1,6}|[A-Z]|[a-z])(?: (?:bis|ter|quater|quinquies|[a-z]))?|([0-9]{1,3})°)\s?[.:)°–—-](?:\s|\Z)"
)
_NUMERALS, _CAPITALS, _NUMBERS, _LETTERS = (90.0, 0), (91.0, 0), (92.0, 0), (93.0, 0)
_TITLE = (0.5, 0)
_INNERMOST = (99.0, 0)
"""Of a heading without a label among others whose labels decide: it lies in the last of them."""
