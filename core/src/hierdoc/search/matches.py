"""What the exact leg finds: a record, what it answers, and how it fits the query."""

from __future__ import annotations

from dataclasses import dataclass

from hierdoc.citations import CODE
from hierdoc.plugin.records import Record
from hierdoc.search.called import ANOTHER, CALLED

NAMED, BEGINS, GOES_ON, ENCLOSES = 1.1, 1.0, 0.9, 0.5
"""Scores: the whole query names this; the cited section begins here, goes on here, or is not there but what encloses it is."""

CODED = f"{CODE}_"
"""What the keys of codes begin with."""


@dataclass(frozen=True, slots=True)
class ExactMatch:
    """A record that the exact leg found.

    Attributes:
        record: It.
        score: 1 for the very thing that was asked for, less for what belongs to it.
        why: In words, for people.
        section_id: The section that was named; None where it is not a section that was found.
        asked: What it answers: the key of a citation; empty for a name, the phrase itself for one.
        meaning: Which of the meanings of that citation, 0 the likeliest.
        name: The heading or term that the query names, where it does.
        is_term: Whether that is a term which it defines.
        named: How many words of the query stand in the document's name, title or headings above: of equal matches, the one
            in the act that the query names is meant.
        telling: How many of these say something, and are none of the name itself.
        likeness: Of several headings and terms that the query names those come first that it begins with ("Fees, Berths" asks for
            fees), then those of the kind that it asks for, then the longest and the one that is written alike.
        document: The key of the work that was cited, where it is the whole document that was.
        is_whole: Whether the query is that name and nothing else.
        is_marked_so: Whether its section bears the number in the form in which it is cited, or the whole name.
        is_appended: Whether it stands in a schedule or annex, and the query cites none.
        is_below: Whether all else that the query says is one heading above it; this tells the likelier place, and makes none certain.
        called: How its document answers to the work that the query names.
        certain: Whether it stands in the one place that the query names.
        ambiguous: Whether it stands in one of several places that the query may as well name.
    """

    record: Record
    score: float
    why: str
    section_id: str | None = None
    asked: str = ""
    meaning: int = 0
    name: str = ""
    is_term: bool = False
    named: int = 0
    telling: int = 0
    likeness: tuple[bool, bool, float] = (False, False, 0.0)
    document: str = ""
    is_whole: bool = False
    is_marked_so: bool = True
    is_appended: bool = False
    is_below: bool = False
    called: int = CALLED
    certain: bool = False
    ambiguous: bool = False

    @property
    def is_asked_for(self) -> bool:
        """Whether it is what was asked for, and not what encloses that or the same of another document."""
        return self.score > ENCLOSES and self.called != ANOTHER


def chain_above(match: ExactMatch) -> tuple[str, ...]:
    """The headings around the section of a match, the outermost first; its passage may have more, of what lies in it."""
    chunk = match.record.chunk
    own = next((one.title for one in chunk.sections if one.id == match.section_id), None)
    end = chunk.parent_chain.index(own) if own in chunk.parent_chain else -1
    return chunk.parent_chain[:end]
