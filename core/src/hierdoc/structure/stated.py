"""The outline that a document's markup states: its divisions as headings, nested by their levels and by nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hierdoc.citations import section_key
from hierdoc.citations.grammar import key_of
from hierdoc.errors import ConversionError
from hierdoc.models import Division, Document
from hierdoc.structure.candidates import HeadingCandidate
from hierdoc.structure.markdown import LONGEST_TITLE
from hierdoc.structure.nesting import Nesting, by_level


def stated_nesting(document: Document, max_subsection_depth: int | None = None) -> Nesting:
    """The sections of a document with an outline, and which of them lies in which.

    Args:
        document: With its outline.
        max_subsection_depth: How many levels of enumerated subsections to keep; None for all.

    Raises:
        ConversionError: A division lies outside of the text, or before the one that it follows.
    """
    _check(document)
    kept = _without_deep_items(document.outline, max_subsection_depth)
    return by_level([_heading(one) for one in kept])


def _check(document: Document) -> None:
    before = -1
    for number, one in enumerate(document.outline, start=1):
        where = f"{document.source}: division {number} of the outline, {one.title!r:.80}"
        if not (0 <= one.start <= one.body <= len(document.text)) or one.start == len(
            document.text
        ):
            raise ConversionError(
                f"{where}, goes from {one.start} to {one.body} in a text of {len(document.text)} characters",
                hint=_HINT,
            )
        if one.start <= before:
            raise ConversionError(
                f"{where}, begins at {one.start}, where the one before it has begun at {before}",
                hint=_HINT,
            )
        if one.level < 1:
            raise ConversionError(f"{where}, has the level {one.level}, below 1", hint=_HINT)
        before = one.start


_HINT = "The converter is at fault: report it to its author."


def _without_deep_items(outline: Sequence[Division], depth: int | None) -> Iterator[Division]:
    """The divisions without enumerated subsections that lie in as many others as may be kept."""
    around: list[Division] = []
    for one in outline:
        while around and around[-1].level >= one.level:
            around.pop()
        if depth is None or not one.enumerator or sum(bool(o.enumerator) for o in around) < depth:
            yield one
        around.append(one)


_LONGEST_KEY = 200
_LONGEST_ENUMERATOR = 20


def _heading(one: Division) -> HeadingCandidate:
    title = one.title[:LONGEST_TITLE].rstrip()
    key = section_key(title) if one.key is None and not one.enumerator else one.key
    return HeadingCandidate(
        one.start,
        one.body,
        title,
        one.level,
        key_of(key)[:_LONGEST_KEY] if key and not one.enumerator else None,
        enumerator=one.enumerator[:_LONGEST_ENUMERATOR],
    )
