"""Lines to groups: which lines of a column are one paragraph, one heading or one item of a list."""

from __future__ import annotations

from collections.abc import Sequence

from hierdoc.citations import section_key
from hierdoc_pdf.marks import BULLET, ENUMERATION, LABEL, LARGER
from hierdoc_pdf.values import Line, Usual

_ENDS = (".", "?", "!", ":", ";", "—", "”", '."', ".)")
_SHORT = 0.6
"""Of the column's width: shorter lines end before the edge, whatever stands around them."""

_LIST_ENDS = (".", ":", ";", "—", "–", "; and", "; or", ", and", ", or")


def grouped(lines: Sequence[Line], usual: Usual) -> list[list[Line]]:
    """The lines of one column, from top to bottom, as groups.

    A new group begins behind a wide gap; where the style changes; at a bullet or number; and where the first word of a line would
    have fitted on the line above.
    """
    groups: list[list[Line]] = []
    rights = _right_edges(lines)
    width = max((one.x1 for one in lines), default=0.0) - min(
        (one.x0 for one in lines), default=0.0
    )
    for i, line in enumerate(lines):
        if groups and _goes_on(groups[-1], line, rights[i - 1], width, usual):
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def is_full(line: Line, following: Line, right: float) -> bool:
    """Whether the first word of the following line would not have fitted on this one."""
    return line.x1 + following.first_word + 0.5 * line.size > right


def is_centred(line: Line, left: float, right: float) -> bool:
    """Whether a line stands in the middle of its column, clear of both edges."""
    width = right - left
    off = abs((line.x0 + line.x1) / 2 - (left + right) / 2)
    return width > 0 and off < 0.025 * width and line.x0 - left > 0.06 * width


def is_labelled(text: str) -> bool:
    """Whether a line begins with a label and number, as headings of divisions do in their languages."""
    if not text[0].isupper() and text[0] != "§":
        return False
    return LABEL.match(text) is not None or section_key(text) is not None


def _right_edges(lines: Sequence[Line]) -> list[float]:
    """For each line the right edge of the text around it."""
    edges = []
    for i, line in enumerate(lines):
        near = lines[max(0, i - 4) : i + 5]
        edges.append(max(other.x1 for other in near if abs(other.size - line.size) < 1.0))
    return edges


def _goes_on(group: Sequence[Line], line: Line, right: float, width: float, usual: Usual) -> bool:
    """Whether a line belongs to the group above it, in a column of this width."""
    last, first = group[-1], group[0]
    if abs(line.size - last.size) > 0.08 * last.size:
        return False
    pitch = usual.line_pitch(line.size)
    distance = line.bottom - last.bottom
    if distance > 1.17 * pitch + 0.3 or distance < 0:
        return False
    text, above = line.text, last.text
    full = is_full(last, line, right)
    ended = above.endswith(_ENDS)
    if above.endswith("\ufffe"):
        return True
    if BULLET.match(text) and (len(text) < 2 or text[1] == " " or text[0] in "•▪◦●■□▸►‣"):
        return False
    if line.bold != last.bold or line.italic != last.italic:
        changes = line.bold != last.bold or all(one.italic for one in group) or line.italic
        if changes and (not full or ended or above.isupper() != text.isupper()):
            return False
    set_apart = (last.bold and line.bold) or line.size >= LARGER * usual.size
    if set_apart and is_labelled(text) and (ended or not full or is_labelled(first.text)):
        return False
    listed = last.x1 - last.x0 < _SHORT * width and is_labelled(above)
    if listed and is_labelled(text):
        return False  # entries of a table of contents
    if ENUMERATION.match(text) and not _wrapped_number(group, line, full):
        return False
    if _same_middle(last, line) and line.x0 - last.x0 != 0:
        if LABEL.match(text) and text[:4].isupper():
            return False
        wrapped = last.x1 - last.x0 + line.first_word + 0.5 * line.size > width
        return above.isupper() == text.isupper() or (wrapped and not ended)
    if full or text[:1].islower():
        indented = line.x0 > last.x0 + 0.8 * line.size and line.x0 > first.x0 + 0.8 * line.size
        return not (indented and ended and len(group) > 1)
    return False


def _wrapped_number(group: Sequence[Line], line: Line, full: bool) -> bool:
    """Whether a number at the start of a line stands within a sentence and only came there by wrapping."""
    last, first = group[-1], group[0]
    if not full:
        return False
    if len(group) == 1:
        numbered = ENUMERATION.match(first.text) or BULLET.match(first.text)
        if line.x0 <= first.x0 + 1:
            return not numbered and not first.text.endswith(_LIST_ENDS)
        return True
    if abs(line.x0 - last.x0) > 2:
        return False
    if abs(last.x0 - first.x0) > 2:
        return True
    return not last.text.endswith(_LIST_ENDS)


def _same_middle(one: Line, other: Line) -> bool:
    """Whether both are centred on the same axis, and not simply equally long."""
    off = abs((one.x0 + one.x1) - (other.x0 + other.x1)) / 2
    return off < 2 and abs(one.x0 - other.x0) > 4
