"""Levels of headings by how they look: what looks the same has the same level everywhere.

What labels say (`PART II`, `Section 3`, `4.1`) is not asked here: `hierdoc.structure` weighs it against the levels, in every language.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from hierdoc.citations import LABELS, section_key, split_heading
from hierdoc_pdf.marks import DECIMAL, LARGER
from hierdoc_pdf.values import Block

DEEPEST = 6


class _Look(NamedTuple):
    """How a heading is set; the lesser stands above: larger, in capitals, bold, upright, centred ones do.

    Attributes:
        size: In half points, negative.
        small, light, italic, aside: Not in capitals, not bold, italic, not centred.
    """

    size: int
    small: bool
    light: bool
    italic: bool
    aside: bool


_WEIGHTS = (1.0, 2.0, 2.0, 1.0, 0.5)
"""How far apart looks are that differ in one of these."""

_FEWEST_LABELLED = 3
"""Headings with labels that divide a document."""

_OFTEN = 0.25
"""Of the headings that look alike, those with labels at least where that is the look of labelled ones."""

_LONG_WORD = re.compile(r"[^\W\d_]{5}")
"""Shorter ones in capitals may be acronyms: `ISBN`."""

_LONGEST_SIGNS = 20
"""Characters of a label within a drawing."""

_LONGEST_SIGN = 2
"""Letters of what stands before a number and is no word: `PS-1`."""


def without_labels_of_figures(blocks: Sequence[Block]) -> None:
    """Make text of a few letters that are light and larger than all headings with labels, behind the first of them and in the middle of a page.

    Labels within drawings are set so; parts of a document begin a page, with longer words.
    """
    headings = [(i, block) for i, block in enumerate(blocks) if block.style]
    labelled = [(i, block) for i, block in headings if _label(block.text)]
    if len(labelled) < _FEWEST_LABELLED:
        return
    largest = LARGER * max(block.size for _, block in labelled)
    first, _ = labelled[0]
    for i, block in headings:
        is_short = len(block.text) <= _LONGEST_SIGNS and block.style and not block.style.bold
        begins = blocks[i - 1].page != block.page and _LONG_WORD.search(block.text)
        if i > first and is_short and block.size > largest and not begins:
            block.style = None


def assign_levels(headings: Sequence[Block]) -> None:
    """Give each heading its level, from 1; where there are too many looks, the least different neighbours share one.

    Args:
        headings: In document order; each has a style.
    """
    for block in filter(_is_caption, headings):
        block.level = DEEPEST
    headings = [block for block in headings if not _is_caption(block)]
    looks = _looks(headings)
    counts = Counter(looks)
    groups = [[look] for look in sorted(counts)]
    while len(groups) > DEEPEST:
        usual = [
            max(group, key=counts.__getitem__) for group in groups
        ]  # what is rare is no bridge
        _, i = min(
            (_difference(above, below, counts), i)
            for i, (above, below) in enumerate(itertools.pairwise(usual))
        )
        groups[i : i + 2] = [groups[i] + groups[i + 1]]
    levels = {look: level for level, group in enumerate(groups, start=1) for look in group}
    for block, look in zip(headings, looks, strict=True):
        block.level = levels[look]
    labelled = [i for i, block in enumerate(headings) if _label(block.text)]
    if len(labelled) >= _FEWEST_LABELLED:
        _level_labelled(headings, looks, labelled)
    _level_title(headings)


def _level_title(headings: Sequence[Block]) -> None:
    """Let nothing but the title, of all that stands on the page where it does, hold what stands on later pages."""
    first = [block for block in headings if block.page == headings[0].page] if headings else []
    if len(first) == len(headings) or len(first) > _MOST_ON_TITLE:
        return
    first[0].level = min(block.level for block in first)
    for block in first[1:]:
        block.level = max(block.level, headings[len(first)].level)


def _level_within(headings: Sequence[Block], outermost: int) -> None:
    """Put below them what stands among numbers of one chapter and has none: between `3.1` and `3.2`."""
    chapters = [_chapter(block.text) for block in headings]
    before = ""
    within: list[Block] = []
    for block, chapter in zip(headings, chapters, strict=True):
        if not chapter:
            within.append(block)
            continue
        if chapter == before:
            for one in within:
                one.level = max(one.level, min(outermost + 1, DEEPEST))
        before, within = chapter, []


def _chapter(text: str) -> str:
    """The number of its chapter where a heading has that and one of its own, `3` of `3.1`."""
    decimal = DECIMAL.match(text)
    return decimal["number"].partition(".")[0] if decimal and "." in decimal["number"] else ""


_MOST_ON_TITLE = 12
"""Headings that a title page has at most."""


def _level_labelled(
    headings: Sequence[Block], looks: Sequence[_Look], labelled: Sequence[int]
) -> None:
    """Put all headings with labels, and all that look as such do, on the level of the outermost of them.

    The title stands there or above. What else stands before the first label and is set like nothing behind it (dates, numbers, authors)
    stands there or below.
    """
    outermost = min(headings[i].level for i in labelled)
    if labelled[0]:
        headings[0].level = min(headings[0].level, outermost)
    counts, with_label = Counter(looks), Counter(looks[i] for i in labelled)
    numbered = {look for look in with_label if with_label[look] >= _OFTEN * counts[look]}
    numbers = set(labelled)
    later = {min(looks), *looks[labelled[0] :]}
    for i, (block, look) in enumerate(zip(headings, looks, strict=True)):
        if look in numbered or i in numbers:
            block.level = outermost
        elif i and (counts[look] == 1 or (i < labelled[0] and look not in later)):
            block.level = max(block.level, outermost)
    _level_within(headings, outermost)


def _looks(headings: Sequence[Block]) -> list[_Look]:
    """Their looks; those that begin with the same word and a number look as most of these do, and acronyms as others set like them."""
    looks: list[_Look] = []
    unclear: list[int] = []
    words: list[str] = []
    by_word: dict[str, Counter[_Look]] = defaultdict(Counter)
    for block in headings:
        style = block.style
        assert style is not None
        label = _label(block.text)
        word = label.partition(" ")[0]
        is_word = sum(map(str.isalpha, word)) > _LONGEST_SIGN
        caps = word.isupper() if is_word else style.caps
        if caps and not is_word and " " not in block.text and not _LONG_WORD.search(block.text):
            unclear.append(len(looks))
        looks.append(_Look(-style.size, not caps, not style.bold, style.italic, not style.centred))
        words.append(word.casefold() if is_word or word == "§" else "")
        by_word[words[-1]][looks[-1]] += 1
    clear = Counter(looks) - Counter(looks[i] for i in unclear)
    for i in unclear:
        other = looks[i]._replace(small=True)
        looks[i] = max((looks[i], other), key=clear.__getitem__)
    return [
        by_word[word].most_common(1)[0][0] if word else look
        for word, look in zip(words, looks, strict=True)
    ]


def _label(text: str) -> str:
    """What a heading has before its title: `CHAPTER I `; empty for a title alone, and for a name that a number ends: `EAN-13`."""
    key, title = split_heading(text)
    kind = (key or "").partition("_")[0]
    return text[: len(text) - len(title)] if kind in LABELS and kind not in _CAPTIONS else ""


_CAPTIONS = ("table", "fig")
"""Kinds of labels that divide nothing: what stands below goes on where the text above stood."""


def _is_caption(block: Block) -> bool:
    """Whether a heading is that of a table or figure with a number."""
    kind, _, number = (section_key(block.text) or "").partition("_")
    return kind in _CAPTIONS and any(map(str.isdigit, number))


def _difference(one: _Look, other: _Look, counts: Counter[_Look]) -> float:
    """How much two looks are apart, rare ones less."""
    apart = sum(weight * abs(a - b) for weight, a, b in zip(_WEIGHTS, one, other, strict=True))
    return apart * min(1.0, min(counts[one], counts[other]) / 4)
