"""Lines without a number that stand above sections: the caption of one, `Short title`, or the heading of several, `Offences`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from hierdoc.citations import PARAGRAPH, split_heading
from hierdoc.quick import quick
from hierdoc.structure.candidates import HeadingCandidate, once
from hierdoc.structure.domains import Domain
from hierdoc.structure.layout import Layout
from hierdoc.structure.lines import LABEL_LINE
from hierdoc.text.words import words


def find_captions(layout: Layout, headings: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
    """The lines that stand alone above sections in plain text, in order; none where such lines stand elsewhere as well.

    Args:
        layout: Of the text.
        headings: Those with a number, in order.
    """
    leaves = [one for one in headings if not one.level and one.label in _LEAVES]
    if len(leaves) < _FEWEST_LEAVES:
        return []
    text, begins = layout.text, {one.start for one in leaves}
    known = {one.start for one in headings}
    judged = all(one.label == PARAGRAPH for one in leaves)  # `(a) The first limb` is no item then
    lines = [
        line
        for line in _ALONE.finditer(text, max(0, headings[0].start - _REACH))
        if not (LABEL_LINE.match(text, line.start(1)) or layout.hidden.holds(line.start(1)))
        and (judged or not line[3])
    ]
    lines = once(lines)
    found: list[HeadingCandidate] = []
    captioned = -1  # where the caption begins above which a heading may stand
    for line in reversed(lines):
        start, below = line.start(1), _behind_blank(text, line.end(1))
        if start not in known and (below in begins or below == captioned):
            captioned = start if below in begins else -1
            found.append(_candidate(start, line.end(2), " ".join(line[2].split()), label=CAPTION))
    if not found:
        return []
    found.reverse()
    others = sum(line.start(1) > found[0].start for line in lines) - len(found)
    if len(found) * _MOST_TITLED < len(leaves):  # else all are captions
        labelled = [one for one in headings if one.label and one.label not in _LEAVES]
        bare = [one for one in labelled if _is_bare(one)]
        titles = {_behind_blank(text, one.body) for one in bare}
        found = [one for one in found if one.start not in titles]
    few = len(found) < _FEWEST or len(found) * _MOST_BELOW < len(leaves)
    return [] if few or others * _TO_ONE_OTHER > len(found) else found


def with_captions(domain: Domain, headings: Sequence[HeadingCandidate]) -> Domain:
    """The domain, where captions hold the sections that they stand above."""
    labels = Counter(one.label for one in headings if not one.level and one.label in _LEAVES)
    return _around_leaves(domain, labels, CAPTION)


def with_outline(
    domain: Domain, outline: Sequence[HeadingCandidate], headings: Sequence[HeadingCandidate]
) -> Domain:
    """The domain, where an outline of numerals, `II. REGISTER`, holds the articles or sections that follow its headings at once."""
    outermost = {one.start for one in outline if len(one.number) == 1}
    leaves = Counter(
        below.label
        for one, below in pairwise(headings)
        if one.start in outermost and below.label in _LEAVES - {"number", "plain"}
    )
    if domain.rank("number") is not None or 2 * leaves.total() < len(outermost) or not leaves:
        return domain
    return _around_leaves(domain, leaves, "number")


def _around_leaves(domain: Domain, labels: Counter[str], division: str) -> Domain:
    """The domain with one more division, right around the commonest of these labels."""
    label = labels.most_common(1)[0][0]
    rank = domain.rank("number" if label == "plain" else label)
    if rank is None:
        rank = len(domain.divisions)
    divisions = (*domain.divisions[:rank], division, *domain.divisions[rank:])
    return replace(domain, divisions=divisions)


def _is_bare(one: HeadingCandidate) -> bool:
    """Whether a heading has a label and number, or `Título preliminar`, and no title."""
    return not split_heading(one.title)[1] or len(one.title.split()) == 2


def _behind_blank(text: str, place: int) -> int:
    """Where something stands again behind a place, marks of bold that end there aside."""
    blank = _BLANK.match(text, place)
    return blank.end() if blank else place


_candidate = quick(HeadingCandidate)

CAPTION = "caption"
"""The label of what such a line begins."""

_LEAVES = words("sec art rule number plain para")
_FEWEST_LEAVES = 3
_FEWEST = 2
_MOST_TITLED = 2
_MOST_BELOW = 10
"""Sections that one such line stands above at most, on an average."""

_TO_ONE_OTHER = 2
"""How many of them there are at least to one that stands above no section."""

_REACH = 400
_ALONE = re.compile(
    r"\n[ \t\r]*\n[ \t\xa0]{0,80}((?:\*\*|[*_])?((?:(\([a-zA-Z0-9]{1,4}\)|[0-9]{1,2}\.)[ \t]{1,4})?[A-ZÀ-Þ](?:[^\n]{2,98}[^\W_]\)?\??|[^\s\n]{3,30}:))(?:\*\*|[*_])?)(?=[ \t\r]*\n)"
)
_BLANK = re.compile(r"(?:\*\*|__)?\s*")
