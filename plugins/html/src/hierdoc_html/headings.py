"""Headings for documents whose markup has none: paragraphs that are a citation label and nothing else.

Laws, contracts and filings as HTML often set their headings by style alone: a line `Article 4`, below it a line `Definitions`.
A short paragraph of its own that is a label with a number (`CHAPTER II`, `§ 5`, `Annex I`), or a bold one that begins with it
(`Item 1. Business`), becomes a heading. A title in the paragraph below joins it where most labels of that kind have one.

How labels nest is read from the document itself: one that another follows at once, without text between, lies outside of
it (`CHAPTER III`, `Section 1`, `Article 12`). Where that says nothing, the usual order holds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from itertools import pairwise

from hierdoc.citations import split_heading
from hierdoc_html.blocks import Block, heading

FEWEST_LABELS = 3
"""With fewer, a label on a line of its own is no system of headings."""

MOST_HEADINGS = 1
"""A document with more headings of its own needs no others; one is its title."""

_OUTERMOST = ("annex", "sched", "app", "exhibit", "amend")
_USUAL_ORDER = (
    *("book", "title", "subtitle", "part", "subpart", "div", "ch", "subch", "abschn", "sec"),
    *("art", "rule", "item"),
)
_LONGEST_LABEL = 40
_LONGEST_TITLE = 200
_TITLE_START = re.compile(r"[^\W\d_]|[\"'“‘„«¿¡]")
_PROSE_END = re.compile(r"[.;:,][”’\"']?$")


@dataclass(frozen=True, slots=True)
class _Label:
    """A paragraph that is a label.

    Attributes:
        place: Which block.
        kind: What it counts, as the first part of a citation's key: `art`.
        has_title: Whether a title stands behind its number.
    """

    place: int
    kind: str
    has_title: bool


def with_label_headings(blocks: Sequence[Block]) -> list[Block]:
    """The blocks with headings made of labels; unchanged where the document has headings or too few labels."""
    own = [block for block in blocks if block.kind == "heading"]
    labels = _labels(blocks)
    if len(own) > MOST_HEADINGS or len(labels) < FEWEST_LABELS:
        return list(blocks)
    titled = _titled(blocks, labels)
    levels = _levels(labels, titled, offset=min((block.level for block in own), default=0))
    by_place = {label.place: label for label in labels}
    result: list[Block] = []
    place = 0
    while place < len(blocks):
        label, text = by_place.get(place), blocks[place].text
        if label is None:
            result.append(blocks[place])
        else:
            if place in titled:
                place += 1
                text = f"{text} {blocks[place].text}"
            result.append(heading(text, levels[label.kind]))
        place += 1
    return result


def _labels(blocks: Sequence[Block]) -> list[_Label]:
    found = []
    for place, block in enumerate(blocks):
        longest = _LONGEST_TITLE if block.strong else _LONGEST_LABEL
        if not _is_candidate(block) or len(block.text) > longest or block.text[0].isdigit():
            continue
        key, title = split_heading(block.text)
        kind = key.partition("_")[0] if key else ""
        if kind in _USUAL_ORDER + _OUTERMOST and (block.strong or not title):
            found.append(_Label(place, kind, bool(title)))
    return found


def _is_candidate(block: Block) -> bool:
    """Whether a block is a paragraph of its own, not part of a list nor, as in a table of contents, a link."""
    return block.kind == "paragraph" and not block.rest and not block.linked


def _titled(blocks: Sequence[Block], labels: Sequence[_Label]) -> set[int]:
    """The places of labels that the next paragraph is the title of."""
    places = {label.place for label in labels}
    followed = [label for label in labels if not label.has_title]
    candidates = {
        label.place
        for label in followed
        if label.place + 1 < len(blocks)
        and label.place + 1 not in places
        and _is_title(blocks[label.place + 1])
    }
    total = Counter(label.kind for label in followed)
    with_title = Counter(label.kind for label in followed if label.place in candidates)
    usual = {kind for kind in total if 2 * with_title[kind] > total[kind]}
    return {label.place for label in followed if label.kind in usual} & candidates


def _is_title(block: Block) -> bool:
    return (
        _is_candidate(block)
        and len(block.text) <= _LONGEST_TITLE
        and _TITLE_START.match(block.text) is not None
        and (block.strong or _PROSE_END.search(block.text) is None)
    )


def _levels(labels: Sequence[_Label], titled: set[int], offset: int) -> Mapping[str, int]:
    """The level of each kind of label."""
    follows: Counter[tuple[str, str]] = Counter()
    for label, following in pairwise(labels):
        if following.place == label.place + 1 + (label.place in titled):
            follows[label.kind, following.kind] += 1

    def compare(one: str, other: str) -> int:
        seen = follows[other, one] - follows[one, other]
        return seen or _USUAL_ORDER.index(one) - _USUAL_ORDER.index(other)

    kinds = {label.kind for label in labels}
    ordered = sorted(kinds.difference(_OUTERMOST), key=_USUAL_ORDER.index)
    ordered.sort(key=cmp_to_key(compare))
    levels = {kind: min(offset + 1 + rank, 6) for rank, kind in enumerate(ordered)}
    return levels | dict.fromkeys(kinds.intersection(_OUTERMOST), offset + 1)
