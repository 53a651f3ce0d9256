"""Cross-references: citations in a document, resolved to its sections where they mean one of these.

A citation means the nearest section of its key: first within the section it stands in, then within each around that.
`Article I, Section 2` and `section 2 of article I` are one reference, a range is one to each of its sections, `this chapter`,
`paragraph (2)` and `the preceding Article` are understood from where they stand. What belongs to another work (`section 4 of the
Clean Air Act`, `§ 823 BGB`) stays unresolved and says which, and so does what several sections could be.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Union

from hierdoc.citations import enclosing_keys
from hierdoc.citations.reading import Citation, Mention, scan
from hierdoc.citations.relative import Relative, find_relative
from hierdoc.citations.vocabulary import IDENTIFIERS
from hierdoc.citations.works import GENERIC, names_itself, work_before
from hierdoc.models import Reference
from hierdoc.quick import quick
from hierdoc.structure.sections import NO_PARENT, FlatSection, is_enumerated
from hierdoc.text.words import words


@dataclass(frozen=True, slots=True)
class PlacedReference:
    """A reference, its place in the text, and the index of the section it means; None while unresolved."""

    reference: Reference
    start: int
    end: int
    target: int | None


def find_references(
    text: str,
    flat: Sequence[FlatSection],
    keys: Sequence[str | None],
    own: Collection[str] = (),
) -> list[PlacedReference]:
    """All references of a document, in order.

    Args:
        text: The document's text.
        flat: Its sections in document order.
        keys: For each the key of its heading, None where it has none.
        own: The keys by which other documents cite this one; see `document_keys`.
    """
    citations, mentions = scan(text)
    resolver = _Resolver(text, _Places(text, flat, keys), own)
    found: list[PlacedReference] = []
    relative = find_relative(text)
    groups = _sharing_works(text, _grouped(text, citations))
    behind = -1  # where the last mention ends that says `of that Article`
    for one in _in_order(groups, mentions, relative):
        if isinstance(one, Mention):
            found += resolver.mentioned(one)
            behind = one.end if one.elsewhere else behind
        elif isinstance(one, Relative):
            if behind < 0 or one.start - behind > len(" of "):
                found += resolver.relative(one)
        else:
            found += resolver.cited(one)
    return found


_reference, _placed = quick(Reference), quick(PlacedReference)
_INWARD = re.compile(r",?\s{1,2}")
_OUTWARD = re.compile(
    r"\)?,?\s{1,9}(?:(?:de\sl|dell)['’]|(?:of|in|under|to|des|der|von|de|du|della|del|van|av|i|do|da)\s{1,9}(?:the\s|this\s|la\s)?)"
    r"|,?\s(?:of|under|to)\s(?:the\s)?(?:[A-Z][a-z]+\s){1,3}"
)
_JOINED = re.compile(
    r"(?:,?\s{1,9}(?:and|or|und|oder|sowie|et|ou|y|o|e|bis|to|à|a|in\s{1,9}Verbindung\s{1,9}mit|i\.\s?V\.\s?m\.|read\swith|in\sconjunction\swith)"
    r"\s{1,9}|,\s{1,9}|\s?[–-]\s?)(?:(?:des|der|den|dem|the|aux?|à|de)\s{1,2}|[dlà]['’]|(?:à|de)\sl['’])?"
)
"""Between citations of one work that is named behind the last."""

_LONGEST_JOINT = 60
"""Characters that it matches at most."""

_MOST_UNRESOLVED = 20
"""References that the inside of a range makes at most where its sections are not in the document."""

_AMBIGUOUS = -2
"""Stands for several sections of one key."""

_LONGEST_GAP = 48
_LONGEST_LEAD = 200
"""Characters before a citation in which the beginning of its line is looked for."""

_DEMONSTRATIVE = re.compile(
    r"\b(?:that|such|said|même|du?dit|ladite|misma?o?|dich[oa]|stess[oa]|medesim[oa]|mesm[oa])\s+\w+\s*\Z"
)
_NAMED_BEFORE = re.compile(
    r"\s(?:précitée?|susvisée?|susmentionnée?|déjà\scitée?|citad[oa]|citat[oa])\b"
)
_THEREOF = re.compile(r"\s{1,3}thereof\b")
_IDEM = re.compile(r"(?:\b[Ii](?:d|bid)\.|\b[Ee]bd\.|\ba\.a\.O\.),?\s{1,2}(?:at\s)?\Z")
_LONGEST_IDEM = 12
_FOLLOWING = re.compile(r"[ \xa0]f\.(?![\w.])")
"""`§ 4 f.`: that section and the next."""

_LONGEST_LABEL = 12
_FAR = 600
"""Characters beyond which `that section` does not reach back."""

_OF_WORKS = words("sec art rule title ch part")
"""Labels before which works are named; `Des Moines IA, Exhibit E` names none."""

_DIVISIONS = words("title")
"""Labels that name a work where the document has no such division: `section 1983 of title 42`."""

_DEPTHS = {
    "sub": 0,
    "para": 1,
    "subpara": 2,
}
"""How deep the levels of American law lie below a section: (a) is a subsection, (1) a paragraph, (A) a subparagraph."""

_Group = tuple[Citation, ...]
_Found = Union[_Group, Mention, Relative]


class _Resolver:
    """Resolves what a document cites, from its beginning to its end."""

    def __init__(self, text: str, places: _Places, own: Collection[str]) -> None:
        self._text = text
        self._places = places
        self._own = own
        self._starts = [entry.section.char_start for entry in places.flat]
        self._last_work = ""
        self._last: tuple[str, int | None, Citation] | None = None
        self._behind = 0
        self._before: _Group = ()
        self._own_names: dict[str, bool] = {}

    def cited(self, group: _Group) -> Iterator[PlacedReference]:
        """The references that citations within each other make, the outermost first."""
        text = self._text
        start = min(group[0].start, group[-1].start)
        end = max(group[0].end, group[-1].end)
        if _is_label(text, start, end):
            return
        place = bisect_right(self._starts, start) - 1
        work, group = self._work(group, start, end)
        if not group:
            self._behind = end
            if not self._is_own(work):
                yield self._unresolved(start, end, work, ())
            return
        target = self._suffixed(group, work, place) if work else None
        foreign = bool(work) and target is None and not self._is_own(work)
        if not foreign:
            work = ""
            target = self._target(group, place) if target is None else target
        innermost = group[-1]
        if target is None or start - self._starts[target] > _LONGEST_LABEL or place != target:
            self._last = (work, target, innermost)  # but for a heading, which cites itself
        outer = tuple([citation.key for citation in group[:-1]])
        begins = self._before[-1].start if innermost.inside and self._before else start
        for key in innermost.inside if target is not None else innermost.inside[:_MOST_UNRESOLVED]:
            inside = None if foreign else self._places.nearest([key], place)
            if inside is not None and inside != _AMBIGUOUS:
                yield self._resolved(begins, end, inside, (*outer, key))
            elif target is None:
                yield self._unresolved(begins, end, work, (*outer, key))
        self._before = group
        self._behind = end
        if target is None:
            yield self._unresolved(start, end, work, (*outer, innermost.key))
            return
        yield self._resolved(start, end, target, (*outer, innermost.key))
        following = _FOLLOWING.match(text, end)
        after = self._places.neighbour(target, 1) if following else None
        if following and after is not None:
            key = self._places.keys[after] or self._places.ids[after]
            yield self._resolved(start, following.end(), after, (*outer, key))

    def mentioned(self, mention: Mention) -> Iterator[PlacedReference]:
        """The references that levels without a number make, from where they stand."""
        start, end = mention.start, mention.end
        if _is_label(self._text, start, end):
            return
        place = bisect_right(self._starts, start) - 1
        chains = [(*mention.levels[:-1], value) for value in (*mention.inside, mention.levels[-1])]
        if mention.elsewhere:
            if self._last is None:
                return
            work, target, citation = self._last
            for chain in chains:
                key = "_".join((citation.unit, *chain)).lower()
                if target is None:
                    yield self._unresolved(start, end, work, (key,))
                else:
                    unit = self._places.unit_around(target)
                    base = target if unit is None else unit
                    yield self._resolved(start, end, self._places.below(base, chain), (key,))
            return
        unit = self._places.unit_around(place)
        if unit is None:
            return
        for chain in chains:
            target = self._places.beside(place, unit, chain)
            unit_key = self._places.keys[unit] or self._places.ids[unit]
            key = (
                self._places.ids[target] if target != unit else "_".join((unit_key, *chain)).lower()
            )
            yield self._resolved(start, end, target, (key,))

    def relative(self, relative: Relative) -> Iterator[PlacedReference]:
        """The references that `this chapter` or `the two preceding Articles` makes, if there are such sections."""
        if relative.elsewhere:
            yield from self._same(relative)
            return
        place = bisect_right(self._starts, relative.start) - 1
        if place < 0:
            return
        if relative.level:
            target = self._places.level_around(place, relative.level)
        else:
            target = self._places.around(place, relative.prefix)
        targets: list[int] = []
        for _ in range(relative.count if target is not None else 0):
            if target is not None and relative.step:
                target = self._places.neighbour(target, relative.step)
            if target is None:  # fewer than it says: it means something else
                return
            targets.append(target)
        for target in sorted(targets):
            key = self._places.keys[target] or self._places.ids[target]
            yield self._resolved(relative.start, relative.end, target, (key,))

    def _same(self, relative: Relative) -> Iterator[PlacedReference]:
        """The reference to what was cited last, if it is of the kind that is named."""
        if self._last is None or relative.start - self._last[2].end > _FAR:
            return
        work, target, citation = self._last
        if relative.prefix and citation.unit.partition("_")[0] != relative.prefix:
            return
        key = citation.unit if relative.prefix else citation.key
        if relative.prefix and target is not None:  # `such section` is all of Section 2(c)'s
            target = self._places.around(target, relative.prefix)
        if target is not None:
            yield self._resolved(relative.start, relative.end, target, (key,))
        else:
            yield self._unresolved(relative.start, relative.end, work, (key,))

    def _work(self, group: _Group, start: int, end: int) -> tuple[str, _Group]:
        """The other work that citations belong to, and those within it."""
        work = ""
        documents: list[Citation] = []
        for citation in group:
            work = work or citation.work
            if is_document(citation) and self._places.nearest([citation.key], NO_PARENT) is None:
                documents.append(citation)
        if documents:
            work = documents[0].key
            group = tuple(citation for citation in group if citation not in documents)
        elif work in GENERIC:
            work = self._named_again(work, group)
        elif work in _CODES_OF_TITLES and len(group) > 1 and group[0].key.startswith("title_"):
            work, group = group[0].key.replace("title", _CODES_OF_TITLES[work]), group[1:]
        elif not work:
            work = self._work_around(group, start, end)
            outermost = group[0]
            divides = len(group) > 1 and outermost.unit.partition("_")[0] in _DIVISIONS
            if not work and divides and self._places.nearest([outermost.key], -1) is None:
                work, group = outermost.key, group[1:]
        if work:
            self._last_work = work
        return work, group

    def _is_own(self, work: str) -> bool:
        """Whether the name of a work means the document itself."""
        if work not in self._own_names:
            self._own_names[work] = names_itself(work, self._own)
        return self._own_names[work]

    def _named_again(self, work: str, group: _Group) -> str:
        """The work that was named before, where `such Act` or `du même code` means it."""
        last = group[0] if group[0].end > group[-1].end else group[-1]
        same = self._last_work.endswith(f"_{work}") or self._last_work.startswith(
            (f"{work}_", _ACT_LABELS.get(work, " "))
        )
        again = _DEMONSTRATIVE.search(
            self._text, max(last.start, last.end - _LONGEST_GAP), last.end
        ) or _NAMED_BEFORE.match(self._text, last.end)
        return self._last_work if same and again else work

    def _work_around(self, group: _Group, start: int, end: int) -> str:
        """The work that a citation belongs to by what stands around it: `the Water Act, section 4`, `Id. § 4`, `section 4 thereof`."""
        named = work_before(self._text, start, self._behind)
        if named and group[0].unit.partition("_")[0] in _OF_WORKS:
            return named[0]
        if self._last is None:
            return ""
        low = max(0, start - _LONGEST_IDEM)
        idem = "." in self._text[low:start] and _IDEM.search(self._text, low, start)
        return self._last[0] if idem or _THEREOF.match(self._text, end) else ""

    def _suffixed(self, group: _Group, work: str, place: int) -> int | None:
        """The section whose number goes on with what was taken for a work: `Article 46 AG`."""
        if "_" in work or len(work) > _LONGEST_SUFFIX:
            return None
        found = self._places.nearest([f"{group[-1].key}-{work}"], place)
        return None if found == _AMBIGUOUS else found

    def _target(self, group: _Group, place: int) -> int | None:
        """The section that citations within each other mean; None where that is none or not clear."""
        target = self._within(group, place)
        if target is None and len(group) > 1:
            target = self._within(group[::-1], place)
        return target

    def _within(self, group: _Group, place: int) -> int | None:
        """That section if the first is the outermost."""
        target = self._places.nearest(enclosing_keys(group[0].key, group[0].unit), place)
        for citation in group[1:]:
            if target is None or target == _AMBIGUOUS:
                break
            target = self._places.inside(target, enclosing_keys(citation.key, citation.unit))
        if target is None or target == _AMBIGUOUS:
            return None
        last = group[-1]
        if last.key == last.unit or self._places.ids[target].endswith(last.key):
            return target
        return self._places.below(target, last.key[len(last.unit) :].split("_")[1:])

    def _resolved(
        self, start: int, end: int, target: int, keys: tuple[str, ...]
    ) -> PlacedReference:
        reference = _reference(self._words(start, end), self._places.ids[target], True, keys=keys)
        return _placed(reference, start, end, target)

    def _unresolved(
        self, start: int, end: int, work: str, keys: tuple[str, ...]
    ) -> PlacedReference:
        named = "_".join((work, *keys) if work else keys)
        return _placed(
            _reference(self._words(start, end), named, keys=keys, work=work), start, end, None
        )

    def _words(self, start: int, end: int) -> str:
        written = self._text[start:end]
        return " ".join(written.split()) if "\n" in written or "  " in written else written


def is_document(citation: Citation) -> bool:
    """Whether a citation names a whole document: `EIP-1559`, `Directive 95/46/EC`."""
    label, _, number = citation.key.partition("_")
    return label in _WHOLE or (label in _ACTS and "_" in number and "/" in citation.text)


_LONGEST_SUFFIX = 3
_CODES_OF_TITLES = {"united_states_code": "usc", "code_of_federal_regulations": "cfr"}
_ACT_LABELS = {"regulation": "reg_", "directive": "dir_", "decision": "dec_"}
_WHOLE = IDENTIFIERS | {"usc", "cfr", "publ"}
"""Labels of whole documents."""

_ACTS = frozenset(("reg", "dir", "dec"))


def _in_order(
    groups: Sequence[_Group], mentions: Sequence[Mention], relative: Sequence[Relative]
) -> Sequence[_Found]:
    if not mentions and not relative:
        return groups
    placed: list[tuple[int, _Found]] = [
        (min(group[0].start, group[-1].start), group) for group in groups
    ]
    placed += [(mention.start, mention) for mention in mentions]
    placed += [(one.start, one) for one in relative]
    placed.sort(key=lambda one: one[0])
    return [one for _, one in placed]


def _grouped(text: str, citations: Sequence[Citation]) -> list[_Group]:
    """Citations that locate one thing together, the outermost first."""
    groups: list[_Group] = []
    behind = -1
    for citation in citations:
        if groups and behind < citation.start <= behind + _LONGEST_GAP:
            last = groups[-1]
            label = citation.key.partition("_")[0]
            if all(one.key.partition("_")[0] != label for one in last):
                if _INWARD.fullmatch(text, behind, citation.start) and not is_document(citation):
                    groups[-1] = (*last, citation)
                    behind = citation.end
                    continue
                if _OUTWARD.fullmatch(text, behind, citation.start):
                    groups[-1] = (citation, *last)
                    behind = citation.end
                    continue
        groups.append((citation,))
        behind = citation.end
    return groups


def _sharing_works(text: str, groups: list[_Group]) -> list[_Group]:
    """The groups, with the work of one also given to those joined to it before: `Article 2 or Article 3 of Directive 95/46/EC`.

    Only where both are written alike: in `Section 2 and section 3 of the Water Act` the first is the document's own.
    """
    heads: list[str] = []  # how the list begins that a citation goes on with
    for group in groups:
        written = group[-1].text
        heads.append(
            written if written[0].isalpha() or written[0] == "§" or not heads else heads[-1]
        )
    for index in range(len(groups) - 1, 0, -1):
        group, before, inner = groups[index], groups[index - 1], groups[index][-1]
        gap = inner.start - before[0].end
        if gap > _LONGEST_JOINT or len(before) > 1 or before[0].work or is_document(before[0]):
            continue
        work = _named_work(group)
        alike = heads[index][: len("Art")] == heads[index - 1][: len("Art")] or (
            heads[index][0] == heads[index - 1][0] == "§"
        )
        if (
            work
            and alike
            and not is_document(inner)
            and _JOINED.fullmatch(text, before[0].end, inner.start)
        ):
            groups[index - 1] = (replace(before[0], work=work),)
    return groups


def _named_work(group: _Group) -> str:
    """The work that one of these citations belongs to, else the document that one of them names."""
    document = ""
    for one in group:
        if one.work:
            return one.work
        if not document and is_document(one):
            document = one.key
    return document


def _is_label(text: str, start: int, end: int) -> bool:
    """Whether the citation is the number of the paragraph that it begins: `Section 6. If a court …`."""
    if text[end : end + 1] not in (".", ":", "—", "–"):
        return False
    low = max(0, start - _LONGEST_LEAD)
    line = text.rfind("\n", low, start)
    if text[max(line + 1, low) : start].strip(" \t*_") or (line < 0 < low):
        return False
    above = text[max(0, line - _LONGEST_LEAD) : max(line, 0)]
    return not above[above.rfind("\n") + 1 :].strip()


class _Places:
    """Finds sections of a document by key.

    Args:
        text: The document's text.
        flat: Its sections in document order.
        keys: For each the key of its heading, None where it has none.

    Attributes:
        ids: Of the sections.
    """

    def __init__(self, text: str, flat: Sequence[FlatSection], keys: Sequence[str | None]) -> None:
        self.flat = flat
        self.keys = keys
        self.ids = [entry.section.id for entry in flat]
        self._by_id = {name: index for index, name in enumerate(self.ids)}
        self._of_key: dict[str, list[int]] = {}
        for index, key in enumerate(keys):
            if key is not None:
                self._of_key.setdefault(key, []).append(index)
        self._ends = _ends(flat)
        self._items = [is_enumerated(text, entry.section) for entry in flat]
        self._units = [
            key is not None and not is_item and key.partition("_")[0] in _UNITS
            for key, is_item in zip(keys, self._items, strict=True)
        ]

    def nearest(self, keys: Iterable[str], place: int) -> int | None:
        """The section of the first of these keys that there is: the nearest seen from the section `place`.

        Returns:
            Its index, `_AMBIGUOUS`, or None.
        """
        for key in keys:
            sections = self._of_key.get(key)
            if sections is None:
                continue
            if len(sections) == 1:
                return sections[0]
            while place != NO_PARENT:
                found = self._one_of(sections, place)
                if found is not None:
                    return found
                place = self.flat[place].parent
            return _AMBIGUOUS
        return None

    def inside(self, section: int, keys: Iterable[str]) -> int | None:
        """The section of the first of these keys that lies within this one: its index, `_AMBIGUOUS`, or None."""
        for key in keys:
            found = self._one_of(self._of_key.get(key, ()), section)
            if found is not None:
                return found
        return None

    def _one_of(self, sections: Sequence[int], around: int) -> int | None:
        """The one of these sections that lies within this one or is it: its index, `_AMBIGUOUS`, or None."""
        first = bisect_left(sections, around)
        last = bisect_left(sections, self._ends[around], first)
        if first == last:
            return None
        return sections[first] if last - first == 1 else _AMBIGUOUS

    def below(self, section: int, levels: Sequence[str]) -> int:
        """The section that these levels below this one lead to, as far as they are sections."""
        for count in range(len(levels), 0, -1):
            inner = "_".join(levels[:count]).lower()
            found = self._by_id.get(f"{self.ids[section]}_{inner}")
            if found is None and not self._units[section]:  # paragraph 2 of a schedule
                found = self.inside(section, (f"sec_{inner}",))
            if found is not None and found != _AMBIGUOUS:
                return found
        return section

    def beside(self, place: int, unit: int, levels: Sequence[str]) -> int:
        """The section that levels mean which are named in the section `place` within the unit: the nearest, else the unit."""
        around = place
        while True:
            found = self._by_id.get("_".join((self.ids[around], *levels)).lower())
            if found is not None:
                return found
            if around == unit:
                return self.below(unit, levels)
            around = self.flat[around].parent

    def unit_around(self, place: int) -> int | None:
        """The nearest section around a place that is numbered as sections and articles are."""
        while place >= 0:
            if self._units[place]:
                return place
            place = self.flat[place].parent
        return None

    def around(self, place: int, prefix: str) -> int | None:
        """The nearest section around a place whose key begins with this label."""
        begins = f"{prefix}_"
        while place >= 0:
            key = self.keys[place]
            if key is not None and key.startswith(begins) and not self._items[place]:
                return place
            place = self.flat[place].parent
        return None

    def level_around(self, place: int, kind: str) -> int | None:
        """The enumerated subsection around a place that a word of levels means; None where that is not clear."""
        unit = self.unit_around(place)
        path: list[int] = []
        while place >= 0 and place != unit:
            path.append(place)
            place = self.flat[place].parent
        if unit is None or not path:
            return None
        path.reverse()
        lettered = self.ids[path[0]].rpartition("_")[2].isalpha()
        depth = _DEPTHS[kind] if lettered else 0
        if not lettered and len(path) > 1 and kind == "para":
            return None  # (1) in Europe, (a) below it in Australia
        return path[depth] if depth < len(path) else None

    def neighbour(self, section: int, step: int) -> int | None:
        """The next (step 1) or preceding (step -1) section of the same kind beside this one."""
        begins = (self.keys[section] or self.ids[section]).partition("_")[0] + "_"
        parent = self.flat[section].parent
        index = section + step
        while 0 <= index < len(self.flat) and index != parent:
            entry = self.flat[index]
            if entry.parent == parent and (self.keys[index] or self.ids[index]).startswith(begins):
                return index
            if entry.section.level < self.flat[section].section.level:
                return None
            index += step
        return None


_UNITS = words("sec art rule reg cl amend recital")
"""Labels of the sections that levels are counted in."""


def _ends(flat: Sequence[FlatSection]) -> list[int]:
    """For each section the index behind the last that lies within it."""
    ends = list(range(1, len(flat) + 1))
    for index in range(len(flat) - 1, -1, -1):
        parent = flat[index].parent
        if parent != NO_PARENT:
            ends[parent] = max(ends[parent], ends[index])
    return ends
