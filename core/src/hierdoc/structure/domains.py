"""The kinds of implicit structure that are known, as data: what lies within what, what counts how, what is a heading.

To teach another tradition of numbering, add a `Domain` here, and a `Numbering` if its numbers count in a way of their own.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import Literal

from hierdoc.text.words import words


@dataclass(frozen=True, slots=True)
class Numbering:
    """How headings count that begin with their number alone.

    Attributes:
        reads: What such candidates are labelled by their looks: `number` (`2.1`, `2.`), `plain` (`12`), `code` (`1798.105`).
        label: What they are labelled once they are known for headings.
        skips: How many numbers may be left out between two, as repealed ones are; None for any number.
        repeats: Whether a number may come again, as 12 does in 12A.
        fewest: How many headings under one stem there are at least.
    """

    reads: frozenset[str]
    label: str
    skips: int | None
    repeats: bool = False
    fewest: int = 1


class Count:
    """How far each numbering has got: the one automaton that all of them share.

    It keeps the last number under each stem, `("3",)` for 3.1 and 3.2, and takes a number only as the next one.
    """

    def __init__(self) -> None:
        self._last: dict[tuple[str, ...], int] = {}

    def restart(self) -> None:
        """Forget all numbers: they begin anew."""
        self._last.clear()

    def is_next(
        self,
        stem: tuple[str, ...],
        value: int,
        numbering: Numbering,
        firsts: Collection[int] | None = (1,),
    ) -> bool:
        """Whether a number is the next one under its stem.

        Args:
            stem: All parts of the number but the last.
            value: The last part.
            numbering: How it counts.
            firsts: What may be the first of all; None for any number.
        """
        before = self._last.get(stem)
        if before is None:
            return firsts is None or value in firsts
        if numbering.skips is not None and value > before + 1 + numbering.skips:
            return False
        return value > before or (numbering.repeats and value == before)

    def follows_at_once(self, stem: tuple[str, ...], value: int) -> bool:
        """Whether a number is one more than the last under its stem, or the first."""
        return value == self._last.get(stem, 0) + 1

    def has_begun(self, stem: tuple[str, ...]) -> bool:
        """Whether there was a number under this stem."""
        return stem in self._last

    def take(self, stem: tuple[str, ...], value: int) -> None:
        """Go on to this number."""
        self._last[stem] = value


DECIMAL = Numbering(words("number plain"), "number", skips=2)
"""`2. Scope`, `2.1 Terms`, `2 Scope`."""

PLAIN = Numbering(words("plain"), "plain", skips=19, repeats=True)
"""`12  Meaning of small business`, `12A  Meaning of large business`."""

CODE = Numbering(words("code"), "sec", skips=None, fewest=2)
"""`1798.105.  Right to Delete`: chapter and section of a code in one number."""

OUTLINE = Numbering(words("outline"), "number", skips=0)
"""`III. RECOMMENDATIONS`, below it `A. General`, below that `1. Labels`: in texts of every domain."""


@dataclass(frozen=True, slots=True)
class Domain:
    """How texts of one tradition are divided.

    Attributes:
        name: As in a configuration.
        divisions: Labels (the first part of a key), the outermost first; those in one string stand beside each other. `number` is a
            heading that begins with its number alone (`2.1 Scope`).
        enumerators: A sample of each kind of enumerator, the outermost first, as is usual; a text that uses them in another
            order is read in its own.
        numberings: How headings count that begin with their number alone.
        item_headings: Whether headings stand behind enumerators (`(a) IN GENERAL.—The …`).
        bold: Whether a paragraph that is bold as a whole is a heading: always, or only where there are none of markdown's.
        run_in: Whether text may follow a number alone in the next line, so that lists and headings look alike.
    """

    name: str
    divisions: tuple[str, ...]
    enumerators: tuple[str, ...] = ()
    numberings: tuple[Numbering, ...] = (CODE,)
    item_headings: bool = False
    bold: Literal["always", "alone"] = "always"
    run_in: bool = False

    def rank(self, label: str | None) -> int | None:
        """How far in a label stands, from 0; None for one that divides nothing."""
        return _ranks(self.divisions).get(label or "")

    @property
    def parted(self) -> frozenset[str]:
        """Labels whose numbers lie in each other by their parts, 4.1 in 4; in acts that count on plainly, 4.1 is one that was inserted."""
        return _PARTED_IN_ACTS if PLAIN in self.numberings else _PARTED

    def numbering(self, label: str | None) -> Numbering | None:
        """How candidates of this label count; None where they are no headings."""
        return next((one for one in self.numberings if label in one.reads), None)


@cache
def _ranks(divisions: tuple[str, ...]) -> dict[str, int]:
    ranks: dict[str, int] = {}
    for rank, names in enumerate(divisions):
        for label in names.split():
            ranks.setdefault(label, rank)
    return ranks


def _outermost_first(divisions: str) -> tuple[str, ...]:
    return tuple(names.strip() for names in divisions.split(">"))


AGREEMENT = "agreement"
"""The label of the titles of agreements, where a text has several."""

DOMAINS: dict[str, Domain] = {
    domain.name: domain
    for domain in (
        Domain(
            "us_legislative",
            _outermost_first(
                "div sched annex app exhibit > title > subtitle > ch > subch > part > subpart > art amend > sec rule item > cl"
            ),
            ("(a)", "(1)", "(A)", "(i)", "(I)", "(aa)", "(AA)", "A.", "1.", "a.", "Stk. 1"),
            item_headings=True,
        ),
        Domain(
            "au_legislative",
            _outermost_first("sched annex > ch > part > div > subdiv > sec art rule > number > cl"),
            ("(1)", "(a)", "(i)", "(A)", "(I)"),
            (PLAIN,),
        ),
        Domain(
            "eu_legislative",
            _outermost_first("annex app > part > title > ch > sec > abschn > art rule"),
            ("1.", "(1)", "1)", "(a)", "a)", "(i)", "(A)", "Stk. 1"),
        ),
        Domain(
            "de_legislative",
            _outermost_first(
                "annex app > book > part > ch > abschn > title > subtitle > subch subpart > sec art"
            ),
            ("(1)", "1", "1.", "a)", "aa)", "a.", "Stk. 1"),
        ),
        Domain(
            "civil_legislative",
            _outermost_first(
                "annex app > part > book > title > subtitle > div > ch > subch > sec > subsec > par > art rule"
            ),
            (
                *(
                    "項",
                    "①",
                    "（一）",
                    "一",
                    "1.",
                    "1",
                    "§ 1",
                    "1°",
                    "1)",
                    "1 -",
                    "I -",
                    "I.",
                    "가.",
                    "a)",
                    "a.",
                    "(1)",
                    "(a)",
                ),
                "Stk. 1",
            ),
        ),
        Domain(
            "legal_contract",
            _outermost_first(
                f"{AGREEMENT} > exhibit sched annex app > part title > ch > art > sec > number > cl item"
            ),
            ("(a)", "(i)", "(A)", "(1)", "(I)", "(aa)", "a)", "a.", "1."),
            (DECIMAL, CODE),
            item_headings=True,
            run_in=True,
        ),
        Domain(
            "academic",
            _outermost_first("book > part > app annex > ch > sec > number"),
            numberings=(DECIMAL, CODE),
            bold="alone",
        ),
        Domain(
            "technical",
            _outermost_first(
                "book > part exhibit > app annex > ch > sec item rule > number > step"
            ),
            numberings=(DECIMAL, CODE),
            bold="alone",
        ),
    )
}

DIVISIONS = frozenset(
    label for domain in DOMAINS.values() for names in domain.divisions for label in names.split()
)
"""Labels that divide texts of some domain."""

CONTROL = "control"
"""The label of controls and requirements, `AC-2(1)`, which lie within all divisions, whatever the domain."""

_PARTED_IN_ACTS = words("step") | {CONTROL}
_PARTED = _PARTED_IN_ACTS | {"number"}
