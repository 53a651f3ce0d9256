"""The sections of a document by their keys, seen from a place in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hierdoc.structure.sections import NO_PARENT, FlatSection

AMBIGUOUS = -2
"""Stands for several sections of one key."""


class Places:
    """Finds sections of a document by key.

    Args:
        flat: Its sections in document order.
        keys: For each the key of its heading, None where it has none.

    Attributes:
        ids: Of the sections.
    """

    def __init__(self, flat: Sequence[FlatSection], keys: Sequence[str | None]) -> None:
        self.flat = flat
        self.keys = keys
        self.ids = [entry.section.id for entry in flat]
        self._by_id = {name: index for index, name in enumerate(self.ids)}
        self._within = _sections_within(flat, keys)
        self._units = [key is not None and key.partition("_")[0] in _UNITS for key in keys]

    def nearest(self, keys: Iterable[str], place: int) -> int | None:
        """The section of the first of these keys that there is: the nearest seen from the section `place`.

        Returns:
            Its index, `AMBIGUOUS`, or None.
        """
        for key in keys:
            if (NO_PARENT, key) not in self._within:
                continue
            around = place
            while (around, key) not in self._within:
                around = self.flat[around].parent
            return self._within[around, key]
        return None

    def inside(self, section: int, keys: Iterable[str]) -> int | None:
        """The section of the first of these keys that lies within this one."""
        return next(
            (self._within[section, key] for key in keys if (section, key) in self._within), None
        )

    def below(self, section: int, levels: Sequence[str]) -> int:
        """The section that these levels below this one lead to, as far as they are sections."""
        for count in range(len(levels), 0, -1):
            inner = "_".join(levels[:count]).lower()
            found = self._by_id.get(f"{self.ids[section]}_{inner}")
            if found is None and not self._units[section]:  # paragraph 2 of a schedule
                found = self._within.get((section, f"sec_{inner}"))
            if found is not None and found != AMBIGUOUS:
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
            if key is not None and key.startswith(begins):
                return place
            place = self.flat[place].parent
        return None

    def neighbour(self, section: int, step: int) -> int | None:
        """The next (step 1) or preceding (step -1) section of the same kind beside this one."""
        begins = (self.keys[section] or "").partition("_")[0] + "_"
        parent = self.flat[section].parent
        index = section + step
        while 0 <= index < len(self.flat) and index != parent:
            entry = self.flat[index]
            if entry.parent == parent and (self.keys[index] or "").startswith(begins):
                return index
            if entry.section.level < self.flat[section].section.level:
                return None
            index += step
        return None


_UNITS = frozenset(("sec", "art", "rule", "reg", "cl", "amend", "recital"))
"""Labels of the sections that levels are counted in."""


def _sections_within(
    flat: Sequence[FlatSection], keys: Sequence[str | None]
) -> dict[tuple[int, str], int]:
    """For each section (or the document) and key: the one section of that key within it, or `AMBIGUOUS`."""
    within: dict[tuple[int, str], int] = {}
    for index, key in enumerate(keys):
        if key is None:
            continue
        around = index
        while True:
            place = (around, key)
            within[place] = index if within.get(place, index) == index else AMBIGUOUS
            if around == NO_PARENT:
                break
            around = flat[around].parent
    return within
