"""What a text names: citations, and levels without a number above them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Citation:
    """A mention of a part of a document.

    Attributes:
        text: As written: `text[start:end]` of what was searched.
        key: The normalised form.
        unit: The key without the levels below the number itself: `sec_203` of `sec_203_a_1`, `sec_4_2` of `sec_4_2`.
        start: Where it begins.
        end: Where it ends.
        inside: The keys between the one before and this one, where the two are the ends of a range; of ranges over more
            than 200 numbers none.
        work: The key of the other work that it belongs to, if the text names one: `clean_water_act`.
    """

    text: str
    key: str
    unit: str
    start: int
    end: int
    inside: tuple[str, ...] = ()
    work: str = ""

    @property
    def keys(self) -> tuple[str, ...]:
        """All that it stands for: its key and, at the end of a range, those inside before it."""
        return (*self.inside, self.key)


@dataclass(frozen=True, slots=True)
class Mention:
    """Levels without the number that they belong to: `paragraph (2)`, `points (a) and (b) of paragraph 1`.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        levels: From the outermost.
        inside: Levels that a range which ends here passes over.
        elsewhere: Whether it speaks of what was cited before (`paragraph 2 of that Article`) and not of its own place.
    """

    start: int
    end: int
    levels: tuple[str, ...]
    inside: tuple[str, ...] = ()
    elsewhere: bool = False
