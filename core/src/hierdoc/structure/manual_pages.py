"""Manual pages as text: sections are the lines that are not indented, and subsections those indented by three columns.

SSH(1)                  General Commands Manual                 SSH(1)

NAME
     ssh — remote login client
"""

from __future__ import annotations

import re

from hierdoc.structure.markdown import Heading


def manual_name(text: str) -> str | None:
    """What the header of a manual page calls it, `SSH(1)`; None for any other text."""
    header = _HEADER.match(text)
    return header[1] if header else None


def manual_headings(text: str) -> list[Heading]:
    r"""The headings of a manual page, in order.

    Args:
        text: With all line endings written `\n`.
    """
    headings: list[Heading] = []
    line, counted = 1, 0
    for found in _SECTION.finditer(text):
        start = found.start(1)
        if _COLUMNS.search(found[1]):  # the footer
            continue
        line += text.count("\n", counted, start)
        counted = start
        title = found[1].strip()
        level = 2 if found[1][0] == " " else 1
        headings.append(Heading(level, title, title, start, found.end(1), line))
    return headings


_HEADER = re.compile(
    r"\s*([\w.+:@-]{1,60}\([0-9][a-zA-Z]{0,6}\))[ \t](?:[^\n]{0,160}[ \t])?\1[ \t]*\n"
)
_SECTION = re.compile(
    r"(?<=\n)[ \t]*\n((?:[ ]{3})?[^\W\d_][^\n]{0,78}\S)[ \t]*(?=\n(?:[ \t]*\n)?(?:[ ]{5}|[ ]{0,4}\t)[ \t]*\S)"
)
_COLUMNS = re.compile(r"\S(?:[ ]{3,}|[ ]*\t)[ \t]*\S")
